// Key agreement and encapsulation: vectors, keys in their forms, and refused input. Live comparisons with OpenSSL are in
// openssl-pairs.test.ts.

import { expect, test } from 'vitest'
import { pairs } from '#pairs'
import { wycheproof } from '#wycheproof-exchange'
import table from '../../table.json' with { type: 'json' }
import {
  type AgreementOptions,
  type ExchangeKeyForm,
  type ExchangeKind,
  exportPrivateKey,
  exportPublicKey,
  generateKey,
  importPrivateKey,
  importPrivateKeySync,
  importPublicKey,
  importPublicKeySync,
  PrivateKey,
  PublicKey,
} from '../src/api/exchange.js'
import { generateIdentity, recipientOf } from '../src/api/index.js'
import { hkdf } from '../src/api/kdf.js'
import { compare, flip, fromHex, randomBytes, toHex } from './data.js'

const code = (code: string) => expect.objectContaining({ name: 'SealstoneError', code })
const KINDS = table.exchangeKinds as readonly {
  readonly name: ExchangeKind
  readonly publicLen: number
  readonly privateLen: number
  readonly ciphertextLen: number | null
}[]
const AGREEING = KINDS.filter(({ ciphertextLen }) => ciphertextLen === null)
const ENCAPSULATING = KINDS.filter(({ ciphertextLen }) => ciphertextLen !== null)
const HKDF: AgreementOptions = { hash: 'sha256', info: 'example.com v1, session key', length: 32 }

const privateOf = (kind: ExchangeKind, hex: string) => importPrivateKeySync(fromHex(hex), { kind })
const publicOf = (kind: ExchangeKind, hex: string) => importPublicKeySync(fromHex(hex), { kind })

test('both sides derive the same key, and another for each purpose', () => {
  for (const { name: kind, privateLen } of AGREEING) {
    const [alice, bob] = [generateKey(kind), generateKey(kind)]
    const agreed = alice.diffieHellman(bob.publicKey, HKDF)
    expect(compare(bob.diffieHellman(alice.publicKey, HKDF), agreed), kind).toBe(0)
    const shared = alice.hazmatSharedSecret(bob.publicKey)
    expect(shared).toHaveLength(privateLen)
    expect(compare(bob.hazmatSharedSecret(alice.publicKey), shared)).toBe(0)
    expect(compare(hkdf('sha256', shared, { info: HKDF.info, length: 32 }), agreed)).toBe(0)
    const others = [
      { ...HKDF, info: 'another purpose' },
      { ...HKDF, salt: 'salt' },
      { ...HKDF, hash: 'sm3' },
      { ...HKDF, kdf: 'concat' },
    ] as const satisfies readonly AgreementOptions[]
    const all = [agreed, ...others.map((options) => alice.diffieHellman(bob.publicKey, options))]
    expect(new Set(all.map(toHex)).size).toBe(all.length)
    expect(alice.diffieHellman(bob.publicKey, { ...HKDF, length: 1000 })).toHaveLength(1000)
    expect(() => alice.diffieHellman(bob.publicKey, { ...HKDF, length: 255 * 32 + 1 })).toThrow(code('too_long'))
    expect(() => alice.diffieHellman(bob.publicKey, { ...HKDF, kdf: 'concat', salt: 'x' })).toThrow(
      code('invalid_option'),
    )
    expect(() => alice.publicKey.encapsulate()).toThrow(code('invalid_key'))
    expect(() => alice.decapsulate(new Uint8Array(100))).toThrow(code('invalid_key'))
  }
})

test('RFC 7518 has this agreement', () => {
  const jwk = (x: string, y: string, d: string) => ({ kty: 'EC', crv: 'P-256', x, y, d })
  const alice = importPrivateKeySync(
    jwk(
      'gI0GAILBdu7T53akrFmMyGcsF3n5dO7MmwNBHKW5SV0',
      'SLW_xSffzlPWrHEVI30DHM_4egVwt3NQqeUD7nMFpps',
      '0_NxaRPUMQoAJt50Gz8YiTr8gRTwyEaCumd-MToTmIo',
    ),
  )
  const bob = importPrivateKeySync(
    jwk(
      'weNJy2HscCSM6AEDTDg04biOvhFhyyWvOHQfeF_PxMQ',
      'e8lnCO-AlStT-NJVX-crhB7QRYhiix03illJOVAOyck',
      'VEmDZpDXXK8p8N0Cndsxs924q6nS1RXFASRl6BfUqdw',
    ),
  )
  const jose = '\0\0\0\x07A128GCM\0\0\0\x05Alice\0\0\0\x03Bob\0\0\0\x80'
  const info = Uint8Array.from(jose, (character) => character.charCodeAt(0))
  for (const [own, other] of [
    [alice, bob],
    [bob, alice],
  ] as const) {
    const key = own.diffieHellman(other.publicKey, { kdf: 'concat', hash: 'sha256', info, length: 16 })
    expect(toHex(key)).toBe('56aa8deaf8236d205c2228cd71a7101a')
  }
})

test('a secret is encapsulated to a public key, and a wrong ciphertext gives another', () => {
  for (const { name: kind, ciphertextLen } of ENCAPSULATING) {
    const key = generateKey(kind)
    const { secret, ciphertext } = key.publicKey.encapsulate()
    expect([secret.length, ciphertext.length], kind).toEqual([32, ciphertextLen])
    expect(secret.some((byte) => byte !== 0)).toBe(true)
    expect(compare(key.decapsulate(ciphertext), secret)).toBe(0)
    expect(compare(key.publicKey.encapsulate().secret, secret)).not.toBe(0)
    const damaged = ciphertext.slice()
    flip(damaged, 3)
    expect(compare(key.decapsulate(damaged), secret)).not.toBe(0)
    expect(compare(key.decapsulate(damaged), key.decapsulate(damaged))).toBe(0)
    for (const length of [0, ciphertext.length - 1]) {
      expect(() => key.decapsulate(ciphertext.subarray(0, length))).toThrow(code('wrong_length'))
    }
    expect(() => key.diffieHellman(key.publicKey, HKDF)).toThrow(code('invalid_key'))
    expect(() => key.hazmatSharedSecret(key.publicKey)).toThrow(code('invalid_key'))
    const { publicKey } = key as unknown as { publicKey: { encapsulate(options?: object): unknown } }
    expect(() => publicKey.encapsulate(HKDF)).toThrow('encapsulate takes no options')
    expect(publicKey.encapsulate(undefined)).toHaveProperty('secret')
  }
})

test('every ECDH of Wycheproof with uncompressed points, and every X25519', () => {
  const found = AGREEING.filter(({ name }) => name !== 'x25519').map(({ name: kind, privateLen, publicLen }) => {
    let [shared, refused] = [0, 0]
    for (const { tests } of wycheproof[`ecdh_sec${kind}r1_ecpoint`]?.testGroups ?? []) {
      for (const test of tests) {
        const point = fromHex(test.public)
        if (test.result === 'invalid' || point.length !== publicLen) {
          expect(() => importPublicKeySync(point, { kind }), `${kind} ${test.tcId}`).toThrow(/invalid|bytes/)
          refused++
          continue
        }
        // Leading zeros are left out of the private keys there, or one is added.
        const number = test.private.replace(/^(?:00)+/, '').padStart(2 * privateLen, '0')
        const secret = privateOf(kind, number).hazmatSharedSecret(publicOf(kind, test.public))
        expect(toHex(secret), `${kind} ${test.tcId}`).toBe(test.shared)
        shared++
      }
    }
    return [kind, shared, refused]
  })
  expect(found).toEqual([
    ['p256', 330, 25],
    ['p384', 771, 19],
    ['p521', 632, 29],
  ])
  let [shared, refused] = [0, 0]
  for (const { tests } of wycheproof.x25519?.testGroups ?? []) {
    for (const test of tests) {
      const [key, other] = [privateOf('x25519', test.private), publicOf('x25519', test.public)]
      if (test.flags.includes('ZeroSharedSecret')) {
        expect(() => key.hazmatSharedSecret(other), `${test.tcId}`).toThrow(code('invalid_key'))
        expect(() => key.diffieHellman(other, HKDF), `${test.tcId}`).toThrow(code('invalid_key'))
        refused++
      } else {
        expect(toHex(key.hazmatSharedSecret(other)), `${test.tcId}`).toBe(test.shared)
        shared++
      }
    }
  }
  expect([shared, refused]).toEqual([487, 31])
})

test('every ML-KEM of Wycheproof, and X-Wing', () => {
  for (const size of [512, 768, 1024] as const) {
    const kind = `ml-kem-${size}` as const
    let [right, refused, keys] = [0, 0, 0]
    for (const { tests } of wycheproof[`mlkem_${size}`]?.testGroups ?? []) {
      for (const { tcId, result, seed, ek, c, K } of tests) {
        const decapsulated = () => {
          const key = privateOf(kind, seed)
          return [toHex(exportPublicKey(key.publicKey, 'raw')), toHex(key.decapsulate(fromHex(c)))]
        }
        if (result === 'valid') {
          expect(decapsulated(), `${kind} ${tcId}`).toEqual([ek, K])
          right++
        } else {
          expect(decapsulated, `${kind} ${tcId}`).toThrow(code('wrong_length'))
          refused++
        }
      }
    }
    for (const { tests } of wycheproof[`mlkem_${size}_keygen_seed`]?.testGroups ?? []) {
      for (const { seed, ek } of tests) {
        expect(toHex(exportPublicKey(privateOf(kind, seed).publicKey, 'raw'))).toBe(ek)
        keys++
      }
    }
    for (const { tests } of wycheproof[`mlkem_${size}_encaps`]?.testGroups ?? []) {
      for (const { tcId, result, ek } of tests) {
        if (result === 'valid') expect(publicOf(kind, ek).encapsulate().secret).toHaveLength(32)
        else expect(() => publicOf(kind, ek), `${kind} ${tcId}`).toThrow(/not below q|bytes/)
      }
    }
    expect(right).toBeGreaterThanOrEqual(160)
    expect(refused).toBeGreaterThanOrEqual(40)
    expect(keys).toBeGreaterThanOrEqual(100)
  }
  for (const { sk, pk, ct, ss } of pairs.xwing) {
    const key = privateOf('hybrid', sk as string)
    expect(toHex(exportPublicKey(key.publicKey, 'raw'))).toBe(pk)
    expect(toHex(key.decapsulate(fromHex(ct as string)))).toBe(ss)
  }
  expect(pairs.xwing.length).toBeGreaterThanOrEqual(3)
})

test('keys are written and read in every form of their kind', async () => {
  const hasForm = (kind: ExchangeKind, form: ExchangeKeyForm): boolean => {
    if (kind === 'hybrid') return form === 'raw'
    return form !== 'jwk' || !kind.startsWith('ml-kem')
  }
  for (const { name: kind, privateLen, publicLen } of KINDS) {
    const key = generateKey(kind)
    const { publicKey } = key
    const raw = toHex(exportPublicKey(publicKey, 'raw'))
    expect([exportPrivateKey(key, 'raw').length, raw.length / 2]).toEqual([privateLen, publicLen])
    for (const form of ['pem', 'der', 'jwk', 'raw'] as const) {
      const what = `${kind} as ${form}`
      if (!hasForm(kind, form)) {
        expect(() => exportPrivateKey(key, form as 'der'), what).toThrow(code('unsupported_key'))
        expect(() => exportPublicKey(publicKey, form as 'der'), what).toThrow(code('unsupported_key'))
        continue
      }
      const options = form === 'raw' ? { kind } : undefined
      const [one, other] = [exportPrivateKey(key, form as 'der'), exportPublicKey(publicKey, form as 'der')]
      for (const read of [await importPrivateKey(one, options), importPrivateKeySync(one, options)]) {
        expect([read.kind, toHex(exportPublicKey(read.publicKey, 'raw'))], what).toEqual([kind, raw])
      }
      for (const read of [await importPublicKey(other, options), importPublicKeySync(other, options)]) {
        expect([read.kind, toHex(exportPublicKey(read, 'raw'))], what).toEqual([kind, raw])
      }
    }
    for (const half of [importPrivateKey, importPublicKey]) {
      await expect(half(new Uint8Array(7), { kind })).rejects.toThrow(code('wrong_length'))
    }
  }
  const [key, passphrase] = [generateKey('p384'), 'correct horse battery staple']
  const pem = exportPrivateKey(key, 'pem', { passphrase })
  expect((await importPrivateKey(pem, { passphrase })).kind).toBe('p384')
  await expect(importPrivateKey(pem)).rejects.toThrow(code('passphrase_required'))
  await expect(importPrivateKey(pem, { passphrase: 'wrong' })).rejects.toThrow(code('no_matching_identity'))
  expect(() => exportPrivateKey(key, 'jwk', { passphrase })).toThrow(code('unsupported_key'))
  // Strings of age's are read.
  const recipient = String(recipientOf(generateIdentity()))
  expect(importPublicKeySync(recipient).kind).toBe('hybrid')
})

test('keys of WebCrypto that agree are read, and agree with it', async () => {
  const { subtle } = crypto
  for (const curve of ['P-256', 'P-384'] as const) {
    const how = { name: 'ECDH', namedCurve: curve }
    const theirs = await subtle.generateKey(how, true, ['deriveBits'])
    const [read, own] = [await importPrivateKey(theirs.privateKey), generateKey(curve === 'P-256' ? 'p256' : 'p384')]
    const spki = await subtle.importKey('spki', exportPublicKey(own.publicKey, 'der'), how, false, [])
    const bits = await subtle.deriveBits(
      { name: 'ECDH', public: spki },
      theirs.privateKey,
      curve === 'P-256' ? 256 : 384,
    )
    expect(compare(read.hazmatSharedSecret(own.publicKey), new Uint8Array(bits))).toBe(0)
    expect(compare(own.hazmatSharedSecret(await importPublicKey(theirs.publicKey)), new Uint8Array(bits))).toBe(0)
  }
  const ecdsa = await subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify'])
  await expect(importPrivateKey(ecdsa.privateKey)).rejects.toThrow(/for signatures \(ECDSA\)/)
  await expect(importPublicKey(ecdsa.publicKey)).rejects.toThrow(code('unsupported_key'))
})

test('what is no kind, key, form or option is refused', async () => {
  const [key, other] = [generateKey('x25519'), generateKey('p256')]
  for (const name of ['', 'X25519', 'ed25519', 'rsa', '__proto__']) {
    expect(() => generateKey(name as never), name).toThrow(code('unknown_algorithm'))
    expect(() => key.diffieHellman(key.publicKey, { ...HKDF, kdf: name as never })).toThrow(code('unknown_algorithm'))
    expect(() => key.diffieHellman(key.publicKey, { ...HKDF, hash: name as never })).toThrow(code('unknown_algorithm'))
    expect(() => exportPrivateKey(key, name as never)).toThrow(code('unknown_algorithm'))
  }
  for (const wrong of [null, 5, {}, [], new String('x25519')] as never[]) {
    expect(() => generateKey(wrong)).toThrow(TypeError)
    expect(() => key.diffieHellman(wrong, HKDF)).toThrow(TypeError)
    expect(() => key.diffieHellman(key.publicKey, { ...HKDF, info: wrong })).toThrow(TypeError)
    expect(() => key.hazmatSharedSecret(wrong)).toThrow(TypeError)
    expect(() => key.decapsulate(wrong)).toThrow(TypeError)
    await expect(importPrivateKey(wrong)).rejects.toThrow(TypeError)
  }
  for (const length of [-1, 1.5, '32', undefined]) {
    expect(() => key.diffieHellman(key.publicKey, { ...HKDF, length: length as number })).toThrow(TypeError)
  }
  expect(() => key.diffieHellman(key as never, HKDF)).toThrow(/expected a PublicKey of sealstone\/exchange/)
  expect(() => key.diffieHellman(other.publicKey, HKDF)).toThrow(/different kinds/)
  expect(() => key.diffieHellman(key.publicKey, { hash: 'sha256', length: 32 } as never)).toThrow(TypeError)
  expect(() => key.decapsulate('00' as never)).toThrow(/the ciphertext is text/)
  await expect(importPrivateKey(exportPublicKey(other.publicKey))).rejects.toThrow(code('invalid_key'))
  await expect(importPublicKey(exportPrivateKey(other))).rejects.toThrow(code('invalid_key'))
  await expect(importPublicKey(randomBytes(133).fill(4, 0, 1), { kind: 'p521' })).rejects.toThrow(code('invalid_key'))
})

test('keys are opaque, and end with destroy', () => {
  const key = generateKey()
  const { publicKey } = key
  expect(key).toBeInstanceOf(PrivateKey)
  expect(publicKey).toBeInstanceOf(PublicKey)
  expect([String(key), JSON.stringify(key), String(publicKey), Object.keys(key)]).toEqual([
    'PrivateKey(hybrid)',
    '"PrivateKey(hybrid)"',
    'PublicKey(hybrid)',
    ['kind'],
  ])
  const { ciphertext } = publicKey.encapsulate()
  key.destroy()
  publicKey.encapsulate()
  publicKey.destroy()
  for (const use of [() => key.decapsulate(ciphertext), () => key.publicKey, () => publicKey.encapsulate()]) {
    expect(use).toThrow(/the key was destroyed/)
  }
})
