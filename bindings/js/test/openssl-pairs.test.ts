// Key pairs against `node:crypto`, which is OpenSSL: both ways, of keys that either made.

import * as node from 'node:crypto'
import { expect, test } from 'vitest'
import * as exchange from '../src/api/exchange.js'
import * as rsa from '../src/api/rsa.js'
import * as sign from '../src/api/sign.js'
import { compare, randomBytes } from './data.js'

const MESSAGE = Buffer.from('attack at dawn')

/** A pair of node:crypto's; its types name each kind by itself. */
const made = (type: string, options: object = {}): node.KeyPairKeyObjectResult =>
  (node.generateKeyPairSync as (type: string, options: object) => node.KeyPairKeyObjectResult)(type, options)

/** The names of node:crypto's asymmetric keys are those of its OpenSSL: 3.5 has ML-DSA and ML-KEM. */
function has(type: string): boolean {
  try {
    made(type)
    return true
  } catch (error) {
    expect((error as { code: string }).code).toBe('ERR_INVALID_ARG_VALUE')
    return false
  }
}

type How = Omit<node.SignKeyObjectInput, 'key'>
type Signing = readonly [
  kind: sign.SignKind,
  pair: () => node.KeyPairKeyObjectResult,
  hash: string | null,
  how: How,
  options: sign.SignOptions,
]
const pss = (saltLength: number): How => ({ padding: node.constants.RSA_PKCS1_PSS_PADDING, saltLength })
const pkcs1: How = { padding: node.constants.RSA_PKCS1_PADDING }
const fixed: How = { dsaEncoding: 'ieee-p1363' }
const rsa2048 = made('rsa', { modulusLength: 2048 })
const curve = (namedCurve: string) => () => made('ec', { namedCurve })

const SIGNING: readonly Signing[] = [
  ['ed25519', () => made('ed25519'), null, {}, {}],
  ...(
    [
      ['p256-sign', 'P-256', 'sha256'],
      ['p384-sign', 'P-384', 'sha384'],
      ['p521-sign', 'P-521', 'sha512'],
      ['secp256k1', 'secp256k1', 'sha256'],
    ] as const
  ).flatMap(([kind, name, hash]): Signing[] => [
    [kind, curve(name), hash, {}, {}],
    [kind, curve(name), hash, fixed, { encoding: 'fixed' }],
    [kind, curve(name), 'sha512', {}, { hash: 'sha512' }],
    [kind, curve(name), 'sha256', fixed, { hash: 'sha256', encoding: 'fixed' }],
  ]),
  ['rsa-sign', () => rsa2048, 'sha256', pss(32), {}],
  ['rsa-sign', () => rsa2048, 'sha512', pss(64), { hash: 'sha512' }],
  ['rsa-sign', () => rsa2048, 'sha256', pkcs1, { scheme: 'pkcs1' }],
  ['rsa-sign', () => rsa2048, 'sha384', pkcs1, { scheme: 'pkcs1', hash: 'sha384' }],
  ...(['ml-dsa-44', 'ml-dsa-65', 'ml-dsa-87'] as const)
    .filter(has)
    .map((kind): Signing => [kind, () => made(kind), null, {}, {}]),
]

test('what either signs the other verifies', async () => {
  for (const [kind, pair, hash, how, options] of SIGNING) {
    const theirs = pair()
    const what = `${kind} ${hash} ${JSON.stringify(options)}`
    const key = await sign.importPrivateKey(theirs.privateKey)
    const publicKey = sign.importPublicKeySync(theirs.publicKey)
    expect([key.kind, key.publicKey.fingerprint], what).toEqual([kind, publicKey.fingerprint])
    for (const signature of [key.sign(MESSAGE, options), await key.signAsync(MESSAGE, options)]) {
      expect(node.verify(hash, MESSAGE, { key: theirs.publicKey, ...how }, signature), what).toBe(true)
    }
    const signature = node.sign(hash, MESSAGE, { key: theirs.privateKey, ...how })
    publicKey.verify(MESSAGE, signature, options)
    await publicKey.verifyAsync(MESSAGE, signature, options)
    expect(() => publicKey.verify('attack at noon', signature, options), what).toThrow(/signature/)

    // Keys of ours, in each form that Node reads.
    const own = kind === 'rsa-sign' ? key : sign.generateKey(kind)
    const privateKey = node.createPrivateKey(sign.exportPrivateKey(own))
    own.publicKey.verify(MESSAGE, node.sign(hash, MESSAGE, { key: privateKey, ...how }), options)
    const spki = node.createPublicKey({
      key: Buffer.from(sign.exportPublicKey(own.publicKey, 'der')),
      format: 'der',
      type: 'spki',
    })
    expect(node.verify(hash, MESSAGE, { key: spki, ...how }, own.sign(MESSAGE, options)), what).toBe(true)
    if (kind.startsWith('ml-dsa')) continue
    const jwk = JSON.parse(sign.exportPublicKey(own.publicKey, 'jwk'))
    expect(spki.equals(node.createPublicKey({ key: jwk, format: 'jwk' })), what).toBe(true)
    expect(sign.importPublicKeySync(spki.export({ format: 'jwk' }) as sign.Jwk).fingerprint).toBe(
      own.publicKey.fingerprint,
    )
  }
})

test('keys in the older forms of OpenSSL are read', () => {
  for (const [pair, type] of [
    [curve('P-384')(), 'sec1'],
    [rsa2048, 'pkcs1'],
  ] as const) {
    for (const format of ['pem', 'der'] as const) {
      const written = pair.privateKey.export({ format, type } as { format: 'pem'; type: 'pkcs1' })
      const options: sign.SignOptions = { hash: 'sha384', ...(type === 'pkcs1' && { scheme: 'pkcs1' }) }
      const signature = sign.importPrivateKeySync(written).sign(MESSAGE, options)
      expect(node.verify('sha384', MESSAGE, pair.publicKey, signature)).toBe(true)
    }
  }
  // Ours under a passphrase Node reads.
  const own = sign.exportPrivateKey(sign.generateKey('ed25519'), 'pem', { passphrase: 'correct horse' })
  expect(node.createPrivateKey({ key: own, passphrase: 'correct horse' }).asymmetricKeyType).toBe('ed25519')
  const cipher = { cipher: 'aes-256-cbc', passphrase: 'correct horse' } as const
  const pem = rsa2048.privateKey.export({ format: 'pem', type: 'pkcs8', ...cipher })
  expect(rsa.importPrivateKeySync(pem, { passphrase: 'correct horse' }).bits).toBe(2048)
  expect(() => sign.importPrivateKeySync(made('rsa-pss', { modulusLength: 2048 }).privateKey)).toThrow(
    expect.objectContaining({ code: 'unsupported_key' }),
  )
  expect(() => sign.importPrivateKeySync(made('ed448').privateKey)).toThrow(
    expect.objectContaining({ code: 'unsupported_key' }),
  )
})

test('both sides share a secret', () => {
  for (const [kind, pair] of [
    ['x25519', () => made('x25519')],
    ['p256', curve('P-256')],
    ['p384', curve('P-384')],
    ['p521', curve('P-521')],
  ] as const) {
    const [theirs, own] = [pair(), exchange.generateKey(kind)]
    const publicKey = node.createPublicKey(exchange.exportPublicKey(own.publicKey))
    const secret = node.diffieHellman({ privateKey: theirs.privateKey, publicKey })
    expect(compare(own.hazmatSharedSecret(exchange.importPublicKeySync(theirs.publicKey)), secret), kind).toBe(0)
    const read = exchange.importPrivateKeySync(theirs.privateKey)
    expect(compare(read.hazmatSharedSecret(own.publicKey), secret), kind).toBe(0)
    const options = { hash: 'sha512', info: 'session key', salt: 'salt', length: 48 } as const
    const derived = new Uint8Array(node.hkdfSync('sha512', secret, 'salt', 'session key', 48))
    expect(compare(read.diffieHellman(own.publicKey, options), derived), kind).toBe(0)
    const privateKey = node.createPrivateKey(exchange.exportPrivateKey(own))
    expect(compare(node.diffieHellman({ privateKey, publicKey: theirs.publicKey }), secret), kind).toBe(0)
  }
})

interface Kem {
  encapsulate(key: node.KeyObject): { sharedKey: Buffer; ciphertext: Buffer }
  decapsulate(key: node.KeyObject, ciphertext: Uint8Array): Buffer
}

test('what either encapsulates the other decapsulates, where this Node has ML-KEM', () => {
  for (const kind of (['ml-kem-512', 'ml-kem-768', 'ml-kem-1024'] as const).filter(has)) {
    const { encapsulate, decapsulate } = node as unknown as Kem
    const theirs = made(kind)
    const { secret, ciphertext } = exchange.importPublicKeySync(theirs.publicKey).encapsulate()
    expect(compare(decapsulate(theirs.privateKey, ciphertext), secret), kind).toBe(0)
    const sent = encapsulate(theirs.publicKey)
    const key = exchange.importPrivateKeySync(theirs.privateKey)
    expect(compare(key.decapsulate(sent.ciphertext), sent.sharedKey), kind).toBe(0)
  }
})

test('what either encrypts the other decrypts', async () => {
  const key = rsa.importPrivateKeySync(rsa2048.privateKey)
  const publicKey = await rsa.importPublicKey(rsa2048.publicKey)
  const data = randomBytes(32)
  for (const hash of ['sha1', 'sha256', 'sha384', 'sha512'] as const) {
    for (const label of ['', 'a label']) {
      const how = { oaepHash: hash, ...(label !== '' && { oaepLabel: Buffer.from(label) }) }
      const options = { hash, label }
      for (const sent of [publicKey.encrypt(data, options), await publicKey.encryptAsync(data, options)]) {
        expect(compare(node.privateDecrypt({ key: rsa2048.privateKey, ...how }, sent), data)).toBe(0)
      }
      const sent = node.publicEncrypt({ key: rsa2048.publicKey, ...how }, data)
      expect(compare(key.decrypt(sent, options), data)).toBe(0)
      expect(compare(await key.decryptAsync(sent, options), data)).toBe(0)
    }
  }
  const padding = node.constants.RSA_PKCS1_PADDING
  expect(
    compare(rsa.legacy.decryptPkcs1(key, node.publicEncrypt({ key: rsa2048.publicKey, padding }, data)), data),
  ).toBe(0)
  const own = await rsa.generateKey(2048)
  const read = node.createPrivateKey(rsa.exportPrivateKey(own))
  expect(compare(node.privateDecrypt({ key: read, oaepHash: 'sha256' }, own.publicKey.encrypt(data)), data)).toBe(0)
  expect(read.asymmetricKeyDetails).toMatchObject({ modulusLength: 2048, publicExponent: 65537n })
})
