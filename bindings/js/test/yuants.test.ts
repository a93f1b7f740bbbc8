// sealstone/compat/yuants: the answers of the original programs, and theirs again in other people's code: their functions written
// over tweetnacl, ed2curve and bs58, which they are made of, and over noble, which shares nothing with either.

import { gcm as aesGcm } from '@noble/ciphers/aes.js'
import { xsalsa20poly1305 } from '@noble/ciphers/salsa.js'
import { ed25519 } from '@noble/curves/ed25519.js'
import bs58 from 'bs58'
import ed2curve from 'ed2curve'
import nacl from 'tweetnacl'
import { expect, test } from 'vitest'
import KNOWN from '../../../vectors/compat/yuants.json' with { type: 'json' }
import * as yuants from '../src/extras/yuants.js'
import {
  bytesOf,
  compare,
  concat,
  type Data,
  fromBase64,
  fromHex,
  randomBytes,
  shown,
  textOf,
  toBase64,
  toHex,
} from './data.js'

/** Around the lengths of the pool, of work at once and on other threads. */
const LENGTHS = [0, 1, 15, 16, 17, 31, 32, 33, 1000, 4023, 4024, 4025, 65_535, 65_536, 65_537, 1_048_577, 3_000_000]
const code = (code: string) => expect.objectContaining({ name: 'SealstoneError', code })
const same = (a: Uint8Array, b: Uint8Array): void => expect(compare(a, b)).toBe(0)

/** Their functions, as the formats are described. */
const theirs = {
  encrypt(data: Uint8Array, publicKey: string): Data {
    const recipient = ed2curve.convertPublicKey(bs58.decode(publicKey)) as Uint8Array
    const [nonce, ephemeral] = [nacl.randomBytes(24), nacl.box.keyPair()]
    return concat([nonce, ephemeral.publicKey, nacl.box(data, nonce, recipient, ephemeral.secretKey)])
  },
  decrypt(data: Uint8Array, privateKey: string): Uint8Array | null {
    const key = ed2curve.convertSecretKey(bs58.decode(privateKey))
    const part = (from: number, to?: number) => new Uint8Array(data.slice(from, to))
    return nacl.box.open(part(56), part(0, 24), part(24, 56), key)
  },
  seal(data: Uint8Array, key: Uint8Array): Data {
    const iv = randomBytes(12)
    return concat([iv, aesGcm(key, iv).encrypt(data)])
  },
  open(data: Uint8Array, key: Uint8Array): Uint8Array {
    return aesGcm(key, data.subarray(0, 12)).decrypt(data.subarray(12))
  },
  hybrid(data: Uint8Array, publicKey: string, keyLen = 32): Data {
    const key = randomBytes(keyLen)
    const inner = theirs.encrypt(key, publicKey)
    const len = new DataView(new ArrayBuffer(4))
    len.setUint32(0, inner.length)
    return concat([new Uint8Array(len.buffer), inner, theirs.seal(data, key)])
  },
  openHybrid(data: Uint8Array, privateKey: string): Uint8Array {
    const end = 4 + new DataView(data.buffer, data.byteOffset).getUint32(0)
    return theirs.open(data.subarray(end), theirs.decrypt(data.subarray(4, end), privateKey) as Uint8Array)
  },
}

/** A box opened by noble, which has X25519 of the converted keys and the secretbox; HSalsa20 is tweetnacl's. */
function openedByNoble(data: Uint8Array, privateKey: string): Uint8Array {
  const seed = bs58.decode(privateKey).slice(0, 32)
  const secret = ed25519.utils.toMontgomerySecret(seed)
  const shared = nacl.box.before(data.slice(24, 56), secret)
  return xsalsa20poly1305(shared, data.slice(0, 24)).decrypt(data.slice(56))
}

test('every known answer of the original programs', async () => {
  const { public_key, private_key } = KNOWN.keypair
  const plaintext = new TextEncoder().encode(KNOWN.plaintext_utf8)
  const { deriveSharedKey: dh, signMessage: signed, fnv1a64Hex: fnv, encrypt_aesgcm: gcm } = KNOWN
  const b58 = (text: string) => yuants.encodeBase58(fromHex(text))
  const answers: [unknown, unknown][] = [
    [yuants.fromSeed(fromHex(KNOWN.seed_hex)), KNOWN.keypair],
    [yuants.fromPrivateKey(private_key), KNOWN.keypair],
    [yuants.decryptByPrivateKey(fromHex(KNOWN.encryptByPublicKey.out_hex), private_key), plaintext],
    [yuants.decryptByPrivateKey(fromHex(KNOWN.encryptByPublicKey.out_hex), b58(KNOWN.seed_hex)), plaintext],
    [await yuants.decryptByPrivateKeyAsync(fromHex(KNOWN.encryptByPublicKeyAsync.out_hex), private_key), plaintext],
    [await yuants.decrypt(fromHex(gcm.out_hex), gcm.key_b58), plaintext],
    [yuants.deriveSharedKey(b58(dh.b_public_hex), b58(dh.a_secret_hex)), dh.shared_b58],
    [yuants.signMessage(signed.message, private_key), signed.signature_b58],
    [yuants.verifyMessage(signed.message, signed.signature_b58, public_key), true],
    [yuants.fnv1a64Hex(fnv.input), fnv.out],
  ]
  expect(answers).toHaveLength(10)
  for (const [ours, known] of answers) expect(ours).toEqual(known)
  // The oracles of the other tests know these answers as well.
  same(theirs.decrypt(fromHex(KNOWN.encryptByPublicKey.out_hex), private_key) as Uint8Array, plaintext)
  same(theirs.openHybrid(fromHex(KNOWN.encryptByPublicKeyAsync.out_hex), private_key), plaintext)
  same(openedByNoble(fromHex(KNOWN.encryptByPublicKey.out_hex), private_key), plaintext)
  same(ed2curve.convertPublicKey(bs58.decode(public_key)) as Uint8Array, fromHex(KNOWN.x25519_from_ed_pub_hex))
})

test('what we write they read, and what they write we read, of every length', async () => {
  for (const len of LENGTHS) {
    const { public_key, private_key } = yuants.createKeyPair()
    const data = randomBytes(len)
    const copy = data.slice()

    const sealed = yuants.encryptByPublicKey(data, public_key)
    expect(sealed).toHaveLength(len + 72)
    same(theirs.decrypt(sealed, private_key) as Uint8Array, data)
    same(openedByNoble(sealed, private_key), data)
    same(yuants.decryptByPrivateKey(sealed, private_key), data)
    same(yuants.decryptByPrivateKey(theirs.encrypt(data, public_key), private_key), data)

    const hybrid = await yuants.encryptByPublicKeyAsync(data, public_key)
    expect(hybrid).toHaveLength(len + 136)
    same(hybrid.subarray(0, 4), fromHex('00000068'))
    same(theirs.openHybrid(hybrid, private_key), data)
    same(await yuants.decryptByPrivateKeyAsync(hybrid, private_key), data)
    for (const keyLen of [16, 24, 32]) {
      same(await yuants.decryptByPrivateKeyAsync(theirs.hybrid(data, public_key, keyLen), private_key), data)
      const key = randomBytes(keyLen)
      const text = bs58.encode(key)
      const gcm = await yuants.encrypt(data, text)
      expect(gcm).toHaveLength(len + 28)
      same(theirs.open(gcm, key), data)
      same(await yuants.decrypt(gcm, text), data)
      same(await yuants.decrypt(theirs.seal(data, key), text), data)
    }
    same(data, copy)
  }
})

test('keys and signatures are those of tweetnacl and of noble', () => {
  for (let i = 0; i < 100; i++) {
    const seed = randomBytes(32)
    const pair = yuants.fromSeed(seed)
    const { publicKey, secretKey } = nacl.sign.keyPair.fromSeed(seed)
    expect(pair).toEqual({ public_key: bs58.encode(publicKey), private_key: bs58.encode(secretKey) })
    same(ed25519.getPublicKey(seed), publicKey)
    expect(yuants.fromPrivateKey(pair.private_key)).toEqual(pair)
    const message = toBase64(randomBytes(i))
    const bytes = new TextEncoder().encode(message)
    const signature = yuants.signMessage(message, pair.private_key)
    expect(signature).toBe(bs58.encode(nacl.sign.detached(bytes, secretKey)))
    expect(signature).toBe(bs58.encode(ed25519.sign(bytes, seed)))
    expect(bs58.encode(yuants.signMessageByEd25519(bytes, secretKey))).toBe(signature)
    expect(yuants.verifyMessage(message, signature, pair.public_key)).toBe(true)
    expect(yuants.verifyMessage(`${message}!`, signature, pair.public_key)).toBe(false)

    const [alice, bob] = [yuants.generateX25519KeyPair(), nacl.box.keyPair()]
    const shared = nacl.box.before(bob.publicKey, bs58.decode(alice.private_key))
    expect(yuants.deriveSharedKey(bs58.encode(bob.publicKey), alice.private_key)).toBe(bs58.encode(shared))
    expect(yuants.deriveSharedKey(alice.public_key, bs58.encode(bob.secretKey))).toBe(bs58.encode(shared))
  }
})

const ORDER = (1n << 252n) + 27742317777372353535851937790883648493n

/** The signature with S + L for S, which theirs takes. */
function malleated(signature: string): string {
  const bytes = bs58.decode(signature)
  let s = ORDER
  for (let i = 0; i < 32; i++) s += BigInt(bytes[32 + i] as number) << BigInt(8 * i)
  for (let i = 0; i < 32; i++) bytes[32 + i] = Number((s >> BigInt(8 * i)) & 255n)
  return bs58.encode(bytes)
}

test('a second signature made of the first is taken only when it is asked for', () => {
  const { public_key, private_key } = yuants.createKeyPair()
  const second = malleated(yuants.signMessage('abc', private_key))
  const bytes = new TextEncoder().encode('abc')
  expect(nacl.sign.detached.verify(bytes, bs58.decode(second), bs58.decode(public_key))).toBe(true)
  expect(yuants.verifyMessage('abc', second, public_key)).toBe(false)
  expect(yuants.verifyMessage('abc', second, public_key, { malleable: true })).toBe(true)
  expect(yuants.verifyMessage('abd', second, public_key, { malleable: true })).toBe(false)
})

test('whatever is cut or changed is refused, also where it lies at an offset', async () => {
  const { public_key, private_key } = yuants.createKeyPair()
  const key = bs58.encode(randomBytes(32))
  const box = yuants.encryptByPublicKey('attack at dawn', public_key)
  const hybrid = await yuants.encryptByPublicKeyAsync('attack at dawn', public_key)
  const gcm = await yuants.encrypt('attack at dawn', key)
  const refused = expect.objectContaining({ code: expect.stringMatching(/^(not_authentic|malformed_ciphertext)$/) })
  for (const [sealed, open] of [
    [box, async (data: Uint8Array) => yuants.decryptByPrivateKey(data, private_key)],
    [hybrid, (data: Uint8Array) => yuants.decryptByPrivateKeyAsync(data, private_key)],
    [gcm, (data: Uint8Array) => yuants.decrypt(data, key)],
  ] as const) {
    const pooled = concat([randomBytes(13), sealed, randomBytes(5)]).subarray(13, 13 + sealed.length)
    expect(new TextDecoder().decode(await open(pooled))).toBe('attack at dawn')
    for (let len = 0; len < sealed.length; len++) await expect(open(sealed.subarray(0, len))).rejects.toEqual(refused)
    for (let at = 0; at < sealed.length; at++) {
      const changed = sealed.slice()
      changed[at] = (changed[at] as number) ^ 1
      await expect(open(changed)).rejects.toEqual(refused)
    }
  }
  const large = await yuants.encryptByPublicKeyAsync(new Uint8Array(2_000_000), public_key)
  large[1_000_000] = (large[1_000_000] as number) ^ 1
  await expect(yuants.decryptByPrivateKeyAsync(large, private_key)).rejects.toEqual(code('not_authentic'))
  await expect(yuants.decryptByPrivateKeyAsync(large.subarray(0, 100_000), private_key)).rejects.toEqual(refused)
  // Points of low order, with which everybody would know the key.
  for (const first of [0, 1]) {
    const low = box.slice()
    low.fill(0, 24, 56)
    low[24] = first
    expect(() => yuants.decryptByPrivateKey(low, private_key)).toThrow(code('malformed_ciphertext'))
  }
})

test('what is no key is refused, and no error shows a key or data', async () => {
  const pair = yuants.createKeyPair()
  const [good, other] = [bs58.decode(pair.private_key), bs58.decode(yuants.createKeyPair().public_key)]
  const mixed = bs58.encode(concat([good.slice(0, 32), other]))
  const sealed = yuants.encryptByPublicKey('attack at dawn', yuants.createKeyPair().public_key)
  const lowOrder = bs58.encode(new Uint8Array(32))
  const calls: [string, () => unknown][] = [
    ['wrong_length', () => yuants.fromSeed(new Uint8Array(31))],
    ['wrong_length', () => yuants.fromPrivateKey(bs58.encode(good.slice(0, 63)))],
    ['wrong_length', () => yuants.signMessage('', bs58.encode(good.slice(0, 32)))],
    ['wrong_length', () => yuants.decryptByPrivateKey(sealed, bs58.encode(good.slice(0, 31)))],
    ['wrong_length', () => yuants.deriveSharedKey(pair.public_key, pair.private_key)],
    ['wrong_length', () => yuants.verifyMessage('', '1', pair.public_key)],
    ['wrong_length', () => yuants.encryptByPublicKey('', '')],
    ['wrong_length', () => yuants.encrypt('', bs58.encode(new Uint8Array(20)))],
    ['invalid_encoding', () => yuants.fromPrivateKey(`${pair.private_key.slice(0, -1)}0`)],
    ['invalid_encoding', () => yuants.encryptByPublicKey('', `${pair.public_key} `)],
    ['invalid_key', () => yuants.fromPrivateKey(mixed)],
    ['invalid_key', () => yuants.signMessage('', mixed)],
    ['invalid_key', () => yuants.encryptByPublicKey('', lowOrder)],
    ['invalid_key', () => yuants.deriveSharedKey(lowOrder, lowOrder)],
    ['not_authentic', () => yuants.decryptByPrivateKey(sealed, pair.private_key)],
  ]
  for (const [expected, work] of calls) {
    const error = await (async () => work())().catch((error) => error)
    expect(error).toEqual(code(expected))
    const text = shown(error)
    for (const secret of [pair.private_key.slice(0, 12), mixed.slice(0, 12), toHex(sealed)]) {
      expect(text).not.toContain(secret)
    }
  }
  for (const wrong of [undefined, null, 7, {}, [1]]) {
    expect(() => yuants.encryptByPublicKey(wrong as never, pair.public_key)).toThrow(TypeError)
    expect(() => yuants.encryptByPublicKey('', wrong as never)).toThrow(TypeError)
    expect(() => yuants.verifyMessage('', wrong as never, pair.public_key)).toThrow(TypeError)
    await expect(yuants.decrypt('', wrong as never)).rejects.toThrow(TypeError)
  }
})

test('an argument of a wrong type or length is an error with a code, at every place of every function', async () => {
  const [pair, x25519] = [yuants.createKeyPair(), yuants.generateX25519KeyPair()]
  const { public_key, private_key } = pair
  const key = yuants.encodeBase58(new Uint8Array(32))
  const record = await yuants.makeSecret('x', { a: 'b' }, public_key, pair)
  const calls: Record<string, unknown[]> = {
    fromSeed: [new Uint8Array(32)],
    fromPrivateKey: [private_key],
    signMessage: ['x', private_key],
    signMessageByEd25519: ['x', yuants.decodeBase58(private_key)],
    verifyMessage: ['x', yuants.signMessage('x', private_key), public_key, {}],
    encryptByPublicKey: ['x', public_key],
    decryptByPrivateKey: [yuants.encryptByPublicKey('x', public_key), private_key],
    encryptByPublicKeyAsync: ['x', public_key],
    decryptByPrivateKeyAsync: [await yuants.encryptByPublicKeyAsync('x', public_key), private_key],
    deriveSharedKey: [x25519.public_key, x25519.private_key],
    encrypt: ['x', key],
    decrypt: [await yuants.encrypt('x', key), key],
    sha256: ['x'],
    sha512: ['x'],
    HmacSHA256: ['x', 'key'],
    HmacSHA512: ['x', 'key'],
    fnv1a64Hex: ['x'],
    encodeBase58: ['x'],
    decodeBase58: ['2'],
    encodeBase64: ['x'],
    decodeBase64: ['eA=='],
    encodeHex: ['x'],
    decodeHex: ['78'],
    makeSecret: ['x', { a: 'b' }, public_key, pair],
    verifySecretSigner: [record, {}],
    tagsAreAmbiguous: [{ a: 'b' }],
  }
  const others = ['createKeyPair', 'generateX25519KeyPair', 'SealstoneError']
  expect([...Object.keys(calls), ...others].sort()).toEqual(Object.keys(yuants).sort())
  const functions = yuants as unknown as Record<string, (...args: unknown[]) => unknown>
  const failure = async (name: string, args: unknown[]): Promise<unknown> =>
    (async () => void (await functions[name]?.(...args)))().catch((error) => error)
  const placed = (args: unknown[], at: number, value: unknown) => args.map((arg, i) => (i === at ? value : arg))
  const objects = [new Map([['a', 'b']]), new Date(), ['a'], [], new Set(['a']), new Uint16Array(1), () => 1]
  const wrong = [null, 0, 7.5, Number.NaN, 1n, true, Symbol('s'), ...objects]
  for (const [name, args] of Object.entries(calls)) {
    expect(await failure(name, args), name).toBeUndefined()
    for (const at of args.keys()) {
      // All options together may be left out, and nothing else.
      const values = ['verifyMessage3', 'verifySecretSigner1'].includes(`${name}${at}`) ? wrong : [undefined, ...wrong]
      for (const value of values) {
        const error = await failure(name, placed(args, at, value))
        expect(error, `${name}, argument ${at}: ${String(value)}`).toMatchObject({ code: 'invalid_argument' })
        expect(error).toBeInstanceOf(TypeError)
      }
    }
  }
  // Nor does one that is text or bytes give another kind of error, and of keys none is empty or long.
  const keys = {
    fromSeed: [0],
    fromPrivateKey: [0],
    signMessage: [1],
    signMessageByEd25519: [1],
    verifyMessage: [1, 2],
  }
  const more = { encryptByPublicKey: [1], decryptByPrivateKey: [0, 1], deriveSharedKey: [0, 1], encrypt: [1] }
  const later = { encryptByPublicKeyAsync: [1], decryptByPrivateKeyAsync: [0, 1], decrypt: [0, 1], makeSecret: [2] }
  for (const [name, places] of Object.entries({ ...keys, ...more, ...later })) {
    for (const at of places) {
      for (const value of ['', '1', 'hello', '2'.repeat(1000), '1'.repeat(100_000), 'é', '\u{10000}']) {
        const error = await failure(name, placed(calls[name] as unknown[], at, value))
        expect(error, `${name}, argument ${at}: ${value.slice(0, 9)}`).toEqual(
          code((error as { code: string } | undefined)?.code ?? 'none'),
        )
      }
    }
  }
  for (const name of ['public_key', 'private_key']) {
    for (const value of [undefined, ...wrong]) {
      const error = await failure('makeSecret', ['x', {}, public_key, { ...pair, [name]: value }])
      expect(error).toMatchObject({ code: 'invalid_argument' })
    }
  }
  for (const name of Object.keys(record)) {
    for (const value of [undefined, ...wrong]) {
      expect(await failure('verifySecretSigner', [{ ...record, [name]: value }])).toMatchObject({
        code: 'invalid_argument',
      })
    }
  }
  for (const value of [undefined, ...wrong]) {
    expect(await failure('makeSecret', ['x', { a: value }, public_key, pair])).toMatchObject({
      code: 'invalid_argument',
    })
  }
})

test('hashes, MACs and encodings are those of WebCrypto, of their definitions and of bs58', async () => {
  for (const len of [0, 1, 63, 64, 65, 127, 128, 129, 65_536, 65_537, 2_500_000]) {
    const [data, key] = [randomBytes(len), randomBytes(len % 200)]
    const copy = new Uint8Array(key)
    for (const [hash, digest, mac] of [
      ['SHA-256', yuants.sha256, yuants.HmacSHA256],
      ['SHA-512', yuants.sha512, yuants.HmacSHA512],
    ] as const) {
      const { subtle } = globalThis.crypto
      same(await digest(data), new Uint8Array(await subtle.digest(hash, data)))
      // WebCrypto has no empty key; a longer one of zeros is the same to HMAC.
      const own = key.length === 0 ? new Uint8Array(1) : key
      const imported = await subtle.importKey('raw', own, { name: 'HMAC', hash }, false, ['sign'])
      same(await mac(data, key), new Uint8Array(await subtle.sign('HMAC', imported, data)))
    }
    same(key, copy)
    expect(yuants.encodeHex(data)).toBe(toHex(data))
    expect(yuants.encodeBase64(data)).toBe(toBase64(data))
    same(yuants.decodeHex(toHex(data).toUpperCase()), data)
    same(yuants.decodeBase64(toBase64(data)), data)
    if (len > 1000) continue
    expect(yuants.encodeBase58(data)).toBe(bs58.encode(data))
    same(yuants.decodeBase58(bs58.encode(data)), data)
  }
  const fnv = (data: Uint8Array) =>
    data.reduce((hash, byte) => BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n), 0xcbf29ce484222325n)
  for (const len of [0, 1, 2, 100]) {
    const data = randomBytes(len)
    expect(yuants.fnv1a64Hex(data)).toBe(fnv(data).toString(16).padStart(16, '0'))
  }
  for (const [decode, texts] of [
    [yuants.decodeBase58, ['0', 'O', 'I', 'l', ' 2', 'é', '1'.repeat(4097), '2'.repeat(5600), 'z'.repeat(1_000_000)]],
    [yuants.decodeBase64, ['A', 'AA', 'AA=', 'AB==', 'AA==\n', 'A A=', '-_==', 'AAAA=']],
    [yuants.decodeHex, ['0', '0x', 'gg', ' 00', '00 ']],
  ] as const) {
    for (const text of texts) expect(() => decode(text), text).toThrow(code('invalid_encoding'))
  }
  same(yuants.decodeBase58('1'.repeat(40)), new Uint8Array(40))
  same(yuants.decodeBase58(yuants.encodeBase58(new Uint8Array(4096).fill(255))), new Uint8Array(4096).fill(255))
  for (const len of [4097, 100_000, 1 << 24]) {
    expect(() => yuants.encodeBase58(new Uint8Array(len).fill(255))).toThrow(code('too_long'))
  }
  expect(() => yuants.encodeHex(new Uint8Array(2 ** 28))).toThrow(RangeError)
  expect(() => yuants.encodeBase64(new Uint8Array(3 * 2 ** 27))).toThrow(RangeError)
})

/** A record as theirs makes it, with the tags in a language's order. */
function theirSecret(tags: Record<string, string>, locale: string | undefined): yuants.ISecret {
  const [signer, reader] = [nacl.sign.keyPair(), nacl.sign.keyPair()]
  const data = toBase64(theirs.hybrid(bytesOf('1234'), bs58.encode(reader.publicKey)))
  const [from, to] = [bs58.encode(signer.publicKey), bs58.encode(reader.publicKey)]
  const order = (a: string, b: string) => (locale === undefined ? (a < b ? -1 : 1) : a.localeCompare(b, locale))
  const entries = Object.entries(tags).sort(([a], [b]) => order(a, b))
  const message = from + to + entries.map(([k, v]) => `${k}=${v}`).join('') + data
  const sign = bs58.encode(nacl.sign.detached(new TextEncoder().encode(message), signer.secretKey))
  return { sign, signer: from, reader: to, tags, data }
}

test('records are made as theirs are, and verified in the orders that there are', async () => {
  for (const tags of [{}, { type: 'pin' }, { b: '2', a: '1', _c: '3', B: '4', é: '5', ä: '6', 10: 'x', 9: 'y' }]) {
    for (const locale of ['en', undefined]) expect(yuants.verifySecretSigner(theirSecret(tags, locale))).toBe(true)

    const [signer, reader] = [yuants.createKeyPair(), yuants.createKeyPair()]
    const secret = await yuants.makeSecret(new TextEncoder().encode('1234'), tags, reader.public_key, signer)
    expect(Object.keys(secret).sort()).toEqual(['data', 'reader', 'sign', 'signer', 'tags'])
    const entries = Object.entries(tags).sort(([a], [b]) => a.localeCompare(b, 'en'))
    const message = signer.public_key + reader.public_key + entries.map(([k, v]) => `${k}=${v}`).join('') + secret.data
    const bytes = new TextEncoder().encode(message)
    expect(nacl.sign.detached.verify(bytes, bs58.decode(secret.sign), bs58.decode(secret.signer))).toBe(true)
    const opened = theirs.openHybrid(fromBase64(secret.data), reader.private_key)
    expect(textOf(opened)).toBe('1234')

    expect(yuants.verifySecretSigner(secret)).toBe(true)
    for (const other of [
      { ...secret, tags: { ...tags, new: '1' } },
      { ...secret, reader: signer.public_key },
      { ...secret, signer: reader.public_key },
      { ...secret, data: secret.data.replace('A', 'B') },
      { ...secret, sign: malleated(secret.sign) },
    ]) {
      expect(yuants.verifySecretSigner(other)).toBe(false)
    }
    expect(yuants.verifySecretSigner({ ...secret, sign: malleated(secret.sign) }, { malleable: true })).toBe(true)
  }
})

test('tags whose signature is that of others are told apart from the rest', async () => {
  const signer = yuants.createKeyPair()
  const secret = await yuants.makeSecret('1234', { a: '1', b: '2' }, yuants.createKeyPair().public_key, signer)
  expect(yuants.verifySecretSigner({ ...secret, tags: { a: '1b=2' } })).toBe(true)
  for (const tags of [{ a: '1', b: '2' }, { a: '1b=2' }, { 'a=1b': '2' }]) {
    expect(yuants.tagsAreAmbiguous(tags)).toBe(true)
  }
  for (const tags of [{}, { a: '' }, { a: '12' }]) expect(yuants.tagsAreAmbiguous(tags)).toBe(false)
  for (const wrong of [null, 'x', { a: 1 }]) expect(() => yuants.tagsAreAmbiguous(wrong as never)).toThrow(TypeError)
})

test('a signer whose keys are of two pairs signs nothing', async () => {
  const [one, two] = [yuants.createKeyPair(), yuants.createKeyPair()]
  const signer = { public_key: one.public_key, private_key: two.private_key }
  await expect(yuants.makeSecret('', {}, one.public_key, signer)).rejects.toEqual(code('invalid_key'))
})
