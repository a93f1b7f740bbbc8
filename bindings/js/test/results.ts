// Calls that give bytes of the caller's own.

import { expect } from 'vitest'
import { aead } from '../src/api/aead.js'
import { Decrypter, Encrypter, generateIdentity, identityToRecipient } from '../src/api/age/index.js'
import * as exchange from '../src/api/exchange.js'
import { createHasher, hash, hashAsync, hashBatch, hashStream } from '../src/api/hash.js'
import { ccm, cipher, keyWrap, legacyCipher, poly1305 } from '../src/api/hazmat.js'
import * as sealstone from '../src/api/index.js'
import * as kdf from '../src/api/kdf.js'
import { mac } from '../src/api/mac.js'
import * as sign from '../src/api/sign.js'
import * as fise from '../src/extras/fise/index.js'
import * as yuants from '../src/extras/yuants.js'
import { compare, type Data, randomBytes } from './data.js'

export const identity = sealstone.generateIdentity('x25519')
const recipient = sealstone.recipientOf(identity)
export const [to, by] = [{ recipients: recipient }, { identities: identity }]
const chunked = sealstone.chunkedKey('aes-256-gcm', randomBytes(32))
export const gcm = aead('aes-256-gcm', randomBytes(32))
export const [nonce, iv] = [randomBytes(12), randomBytes(16)]
const cbc = cipher('sm4-cbc', randomBytes(16))
const rc4 = legacyCipher('rc4', randomBytes(16), { allowLegacyEncryption: true })
const wrap = keyWrap('aes-256-kwp', randomBytes(32))
const aesCcm = ccm('aes-256-ccm', randomBytes(32))
export const pair = yuants.createKeyPair()
const [encrypter, decrypter] = [new Encrypter(), new Decrypter()]
const ofAge = await generateIdentity()
encrypter.addRecipient(await identityToRecipient(ofAge))
decrypter.addIdentity(ofAge)

export { decrypter, encrypter }

const hmac = mac('hmac-sha512', 'key')
const keys = kdf.createKeyCache()
const signing = [sign.generateKey('ed25519'), sign.generateKey('p256-sign'), sign.generateKey('ml-dsa-44')]
const [agreeing, kem] = [exchange.generateKey('x25519'), exchange.generateKey('ml-kem-512')]
const iv48 = randomBytes(48)
const [ONCE, LOW, LEAST] = [{ iterations: 1, length: 100 }, { logN: 1 }, { memoryKib: 8, passes: 1 }]
const twice = async (work: () => Promise<Uint8Array>) => [await work(), await work()]
const key = yuants.encodeBase58(randomBytes(32))
const wide = { recipients: Array.from({ length: 300 }, () => recipient) }

/** Gives bytes, for data of any length. */
export type Call = (data: Data) => unknown

async function* parts(data: Uint8Array) {
  yield data
  yield data
}
async function* frames(data: Uint8Array) {
  const options = { frameMetadata: () => data.subarray(0, 1000) }
  for await (const { metadata, content } of fise
    .fiseFrameReader({ fise: 1 })
    .from(fise.fiseFrameEncoder({ fise: 1 }, options).from([data]))) {
    yield metadata
    yield content
  }
}
export async function framesOf(data: Uint8Array): Promise<fise.FiseFrames> {
  const hidden = blob(data)
    .stream()
    .pipeThrough(fise.fiseFrameEncoder({ fise: 1 }, { index: true }))
  return fise.FiseFrames.open(await new Response(hidden).blob(), { fise: 1 })
}
const blob = (data: Uint8Array) => new Blob([new Uint8Array(data)])
const through = (data: Uint8Array, pair: sealstone.TransformPair) => blob(data).stream().pipeThrough(pair)

/** The wrapped key: a block at a time, six times, so none of megabytes. */
const asKey = (data: Data): Data | string => (data.length === 0 ? 'x' : data.subarray(0, 20_000))

/** Each function that gives bytes, on data of any length. */
export const CALLS: Record<string, Call> = {
  'sealstone encrypt': (data) => [
    sealstone.encrypt(data, to),
    sealstone.encrypt(data, { ...to, armour: true }),
    sealstone.encrypt(blob(data), to),
    sealstone.encrypt(parts(data), wide),
  ],
  'sealstone decrypt': (data) => [
    sealstone.decrypt(sealstone.encryptSync(data, to), by),
    sealstone.decrypt(sealstone.encryptSync(data, { ...to, armour: true }), by),
    sealstone.decrypt(blob(sealstone.encryptSync(data, { ...to, armour: true })), by),
  ],
  'sealstone encryptionStream': (data) => through(data, sealstone.encryptionStream({ ...to, armour: true })),
  'sealstone decryptionStream': (data) => through(sealstone.encryptSync(data, to), sealstone.decryptionStream(by)),
  'sealstone encryptSync': (data) => [
    sealstone.encryptSync(data, to),
    sealstone.encryptSync(data, { ...to, armour: true }),
  ],
  'sealstone decryptSync': (data) => [
    sealstone.decryptSync(sealstone.encryptSync(data, to), by),
    sealstone.decryptSync(sealstone.encryptSync(data, { ...to, armour: true }), by),
  ],
  'sealstone decryptRange': (data) => sealstone.decryptRange(sealstone.encryptSync(data, to), 0, data.length, by),
  'sealstone decryptRangeSync': (data) => sealstone.decryptRangeSync(sealstone.encryptSync(data, to), 0, 9, by),
  'sealstone rewrap': (data) => sealstone.rewrap(sealstone.encryptSync(data, to), { ...by, ...to }),
  'sealstone rewrapSync': (data) => sealstone.rewrapSync(sealstone.encryptSync(data, to), { ...by, ...to }),
  'sealstone encryptBatch': (data) => sealstone.encryptBatch([data, 'beside it', data], to),
  'sealstone decryptBatch': (data) =>
    sealstone.decryptBatch(
      [data, new Uint8Array(3), data].map((item) => sealstone.encryptSync(item, to)),
      by,
    ),
  'sealstone sealMessage': (data) => sealstone.sealMessage(recipient, data),
  'sealstone sealMessageSync': (data) => sealstone.sealMessageSync(recipient, data),
  'sealstone openMessage': (data) => sealstone.openMessage(identity, sealstone.sealMessageSync(recipient, data)),
  'sealstone openMessageSync': (data) =>
    sealstone.openMessageSync(identity, sealstone.sealMessageSync(recipient, data)),
  // Under a passphrase of one length alone: that takes a second.
  'sealstone exportIdentity': ({ length }) => [
    sealstone.exportIdentity(identity, 'der'),
    sealstone.exportIdentity(
      sealstone.generateIdentity('ml-kem-768'),
      'der',
      length === 1000 ? { passphrase: 'a passphrase' } : {},
    ),
  ],
  'sealstone exportRecipient': () => [
    sealstone.exportRecipient(recipient, 'der'),
    sealstone.exportRecipient(sealstone.recipientOf(sealstone.generateIdentity('ml-kem-768')), 'der'),
  ],
  'sealstone ChunkedKey.encrypt': (data) => [chunked.encrypt('', data), chunked.encrypt('', blob(data))],
  'sealstone ChunkedKey.decrypt': (data) => [
    chunked.decrypt('', chunked.encrypt('', data)),
    chunked.decrypt('', blob(chunked.encrypt('', data))),
  ],
  'sealstone ChunkedKey.encryptionStream': (data) => through(data, chunked.encryptionStream('')),
  'sealstone ChunkedKey.decryptionStream': (data) => through(chunked.encrypt('', data), chunked.decryptionStream('')),
  'sealstone/age Encrypter.encrypt': async (data) => [
    encrypter.encrypt(data),
    await encrypter.encrypt(blob(data).stream()),
  ],
  'sealstone/age Decrypter.decrypt': async (data) => [
    decrypter.decrypt(await encrypter.encrypt(data)),
    await decrypter.decrypt(blob(await encrypter.encrypt(data)).stream()),
  ],
  'sealstone/age Decrypter.decryptHeader': async (data) => decrypter.decryptHeader(await encrypter.encrypt(data)),
  'sealstone/age Decrypter.decryptRange': async (data) => decrypter.decryptRange(await encrypter.encrypt(data), 0, 9),
  'sealstone/aead AeadKey.seal': (data) => gcm.seal(nonce, undefined, data),
  'sealstone/aead AeadKey.open': (data) => gcm.open(nonce, undefined, gcm.seal(nonce, undefined, data)),
  'sealstone/aead AeadKey.sealRandom': (data) => gcm.sealRandom(undefined, data),
  'sealstone/aead AeadKey.openRandom': (data) => gcm.openRandom(undefined, gcm.sealRandom(undefined, data)),
  'sealstone/aead AeadKey.sealAsync': (data) => gcm.sealAsync(nonce, undefined, data),
  'sealstone/aead AeadKey.openAsync': (data) => gcm.openAsync(nonce, undefined, gcm.seal(nonce, undefined, data)),
  'sealstone/aead AeadKey.sealRandomAsync': (data) => gcm.sealRandomAsync(undefined, data),
  'sealstone/aead AeadKey.openRandomAsync': (data) => gcm.openRandomAsync(undefined, gcm.sealRandom(undefined, data)),
  'sealstone/hash hash': (data) =>
    (['sha256', 'sha384', 'sha512', 'blake3'] as const).map((algorithm) => hash(algorithm, data)),
  'sealstone/hash Hasher.digest': (data) => createHasher('sha512').update(data).digest(),
  'sealstone/hash hashAsync': (data) => hashAsync('sha256', data),
  'sealstone/hash hashStream': (data) => hashStream('blake3', blob(data), { length: 100 }),
  'sealstone/hash hashBatch': (data) => hashBatch('sha256', [data, 'x']),
  'sealstone/mac MacKey.sign': (data) => [hmac.sign(data), mac('aes-128-cmac', iv).sign(data)],
  'sealstone/mac MacKey.signAsync': (data) => hmac.signAsync(data),
  'sealstone/mac MacKey.signStream': (data) => hmac.signStream(blob(data)),
  'sealstone/mac MacSigner.tag': (data) => hmac.begin().update(data).tag(),
  'sealstone/kdf hkdf': (data) => kdf.hkdf('sha256', data, { length: 1000 }),
  'sealstone/kdf hkdfExtract': (data) => kdf.hkdfExtract('sha512', '', data),
  'sealstone/kdf hkdfExpand': (data) => kdf.hkdfExpand('sha256', iv48, data, 16),
  'sealstone/kdf concatKdf': (data) => kdf.concatKdf('sha256', data, '', 100),
  'sealstone/kdf blake3DeriveKey': (data) => kdf.blake3DeriveKey('a context', data),
  'sealstone/kdf pbkdf2': (data) => kdf.pbkdf2('sha256', data, iv, ONCE),
  'sealstone/kdf pbkdf2Sync': (data) => kdf.pbkdf2Sync('sha256', data, iv, ONCE),
  'sealstone/kdf scrypt': (data) => kdf.scrypt(data, iv, LOW),
  'sealstone/kdf scryptSync': (data) => kdf.scryptSync(data, iv, LOW),
  'sealstone/kdf argon2id': (data) => kdf.argon2id(data, iv, LEAST),
  'sealstone/kdf argon2idSync': (data) => kdf.argon2idSync(data, iv, LEAST),
  'sealstone/kdf argon2i': (data) => kdf.argon2i(data, iv, LEAST),
  'sealstone/kdf argon2iSync': (data) => kdf.argon2iSync(data, iv, LEAST),
  'sealstone/kdf argon2d': (data) => kdf.argon2d(data, iv, LEAST),
  'sealstone/kdf argon2dSync': (data) => kdf.argon2dSync(data, iv, LEAST),
  // Of keys that are derived, and of those that are there.
  'sealstone/kdf KeyCache.pbkdf2': (data) => twice(() => keys.pbkdf2('sha256', data, iv, ONCE)),
  'sealstone/kdf KeyCache.pbkdf2Sync': (data) => twice(async () => keys.pbkdf2Sync('sha256', data, iv, ONCE)),
  'sealstone/kdf KeyCache.scrypt': (data) => twice(() => keys.scrypt(data, iv, LOW)),
  'sealstone/kdf KeyCache.argon2id': (data) => twice(() => keys.argon2id(data, iv, LEAST)),
  'sealstone/kdf KeyCache.argon2i': (data) => twice(() => keys.argon2i(data, iv, LEAST)),
  'sealstone/kdf KeyCache.argon2d': (data) => twice(() => keys.argon2d(data, iv, LEAST)),
  'sealstone/sign PrivateKey.sign': (data) => signing.map((key) => key.sign(data)),
  'sealstone/sign PrivateKey.signAsync': (data) => signing.map((key) => key.signAsync(data)),
  'sealstone/sign exportPrivateKey': () => signing.map((key) => sign.exportPrivateKey(key, 'der')),
  'sealstone/sign exportPublicKey': () => signing.map((key) => sign.exportPublicKey(key.publicKey, 'raw')),
  'sealstone/exchange PrivateKey.diffieHellman': (data) =>
    [32, 1000].map((length) =>
      agreeing.diffieHellman(exchange.generateKey('x25519').publicKey, { hash: 'sha256', info: data, length }),
    ),
  'sealstone/exchange PrivateKey.hazmatSharedSecret': () => agreeing.hazmatSharedSecret(agreeing.publicKey),
  'sealstone/exchange PrivateKey.decapsulate': () => {
    const { secret, ciphertext } = kem.publicKey.encapsulate()
    return [secret, kem.decapsulate(ciphertext), ciphertext]
  },
  'sealstone/exchange exportPrivateKey': () => exchange.exportPrivateKey(agreeing, 'raw'),
  'sealstone/exchange exportPublicKey': () => exchange.exportPublicKey(agreeing.publicKey, 'der'),
  'sealstone/hazmat Cipher.encrypt': (data) => cbc.encrypt(iv, data),
  'sealstone/hazmat Cipher.decrypt': (data) => cbc.decrypt(iv, cbc.encrypt(iv, data)),
  'sealstone/hazmat LegacyCipher.encrypt': (data) => rc4.encrypt(undefined, data),
  'sealstone/hazmat LegacyCipher.decrypt': (data) => rc4.decrypt(undefined, data),
  'sealstone/hazmat KeyWrap.wrap': (data) => wrap.wrap(asKey(data)),
  'sealstone/hazmat KeyWrap.unwrap': (data) => wrap.unwrap(wrap.wrap(asKey(data))),
  'sealstone/hazmat CcmKey.seal': (data) => aesCcm.seal(nonce, undefined, data),
  'sealstone/hazmat CcmKey.open': (data) => aesCcm.open(nonce, undefined, aesCcm.seal(nonce, undefined, data)),
  'sealstone/hazmat poly1305': (data) => poly1305(randomBytes(32), data),
  'sealstone/compat/yuants signMessageByEd25519': (data) =>
    yuants.signMessageByEd25519(data, yuants.decodeBase58(pair.private_key)),
  'sealstone/compat/yuants encryptByPublicKey': (data) => yuants.encryptByPublicKey(data, pair.public_key),
  'sealstone/compat/yuants decryptByPrivateKey': (data) =>
    yuants.decryptByPrivateKey(yuants.encryptByPublicKey(data, pair.public_key), pair.private_key),
  'sealstone/compat/yuants encryptByPublicKeyAsync': (data) => yuants.encryptByPublicKeyAsync(data, pair.public_key),
  'sealstone/compat/yuants decryptByPrivateKeyAsync': async (data) =>
    yuants.decryptByPrivateKeyAsync(await yuants.encryptByPublicKeyAsync(data, pair.public_key), pair.private_key),
  'sealstone/compat/yuants encrypt': (data) => yuants.encrypt(data, key),
  'sealstone/compat/yuants decrypt': async (data) => yuants.decrypt(await yuants.encrypt(data, key), key),
  'sealstone/compat/yuants sha256': (data) => yuants.sha256(data),
  'sealstone/compat/yuants sha512': (data) => yuants.sha512(data),
  'sealstone/compat/yuants HmacSHA256': (data) => yuants.HmacSHA256(data, 'key'),
  'sealstone/compat/yuants HmacSHA512': (data) => yuants.HmacSHA512(data, 'key'),
  'sealstone/compat/yuants decodeBase58': (data) => yuants.decodeBase58(yuants.encodeBase58(data.subarray(0, 1000))),
  'sealstone/compat/yuants decodeBase64': (data) => yuants.decodeBase64(yuants.encodeBase64(data)),
  'sealstone/compat/yuants decodeHex': (data) => yuants.decodeHex(yuants.encodeHex(data)),
  'sealstone/fise fiseBinaryEncrypt': (data) => fise.fiseBinaryEncrypt(data, fise.defaultBinaryRules),
  'sealstone/fise fiseBinaryDecrypt': (data) =>
    fise.fiseBinaryDecrypt(fise.fiseBinaryEncrypt(data, fise.defaultBinaryRules), fise.defaultBinaryRules),
  'sealstone/fise FiseProfile.encode': (data) => fise.FiseProfile.random('any').encode(data),
  'sealstone/fise FiseProfile.decode': (data) => {
    const profile = fise.FiseProfile.random('any')
    return profile.decode(profile.encode(data))
  },
  'sealstone/fise fiseFrameEncoder': (data) => fise.fiseFrameEncoder({ fise: 1 }).from([data]),
  'sealstone/fise fiseFrameDecoder': (data) =>
    fise.fiseFrameDecoder({ fise: 1 }).from(fise.fiseFrameEncoder({ fise: 1 }).from([data])),
  'sealstone/fise fiseFrameReader': (data) => frames(data),
  'sealstone/fise FiseFrames.frame': async (data) => (await (await framesOf(data)).frame(0)).content,
  'sealstone/fise FiseFrames.read': async (data) => (await framesOf(data)).read(),
  'sealstone/fise FiseFrames.stream': async (data) => (await framesOf(data)).stream(),
  'sealstone/fise randomSaltBinary': (data) => fise.randomSaltBinary(data.length),
  'sealstone/fise xorBinaryCipher.encrypt': (data) => fise.xorBinaryCipher.encrypt(data, iv),
  'sealstone/fise xorBinaryCipher.decrypt': (data) => fise.xorBinaryCipher.decrypt(data, iv),
  'sealstone/fise defaultBinaryRules.encodeLength': () => fise.defaultBinaryRules.encodeLength(17, {} as never),
}

/** All arrays that a call gives. */
async function arraysOf(result: unknown): Promise<Uint8Array[]> {
  const settled = await result
  if (settled instanceof Uint8Array) return [settled]
  if (settled instanceof Error) throw settled
  if (Array.isArray(settled)) return (await Promise.all(settled.map(arraysOf))).flat()
  const parts: Uint8Array[] = []
  for await (const part of settled as AsyncIterable<Uint8Array>) parts.push(part)
  return parts
}

const LENGTHS = [0, 1, 16, 48, 49, 50, 64, 65, 1000, 5000, 20_000, 300_000]

/** Each result begins its own memory and ends it. */
export async function expectOwnMemory(calls: Record<string, Call>): Promise<void> {
  for (const [name, work] of Object.entries(calls)) {
    const seen = new Set<ArrayBufferLike>()
    for (const length of LENGTHS) {
      const data = randomBytes(length)
      seen.add(data.buffer)
      const results = await arraysOf(work(data))
      if (length > 0) expect(results.length, name).toBeGreaterThan(0)
      for (const result of results) {
        expect([result.byteOffset, result.buffer.byteLength], `${name} of ${length}`).toEqual([0, result.byteLength])
        expect(seen.has(result.buffer), `${name} of ${length}`).toBe(false)
        seen.add(result.buffer)
      }
    }
  }
}

let channel: MessageChannel

/** Each result goes to another thread with its buffer. */
export async function expectTransferable(calls: Record<string, Call>): Promise<void> {
  // One channel for all: a browser may collect one that only its own message waits for.
  channel = new MessageChannel()
  const { port1, port2 } = channel
  for (const [name, work] of Object.entries(calls)) {
    // Results that are copied at once, and those that are copied in turns.
    for (const length of [1000, 300_000, 2_500_000]) {
      const results = await arraysOf(work(randomBytes(length)))
      for (const result of results.filter(({ length }) => length > 0)) {
        const what = `${name} of ${length}`
        const before = result.slice()
        const received = new Promise<Uint8Array>((resolve) => {
          port2.onmessage = ({ data }) => resolve(data)
        })
        port1.postMessage(result, [result.buffer as ArrayBuffer])
        expect(compare(await received, before), what).toBe(0)
        expect([result.length, result.buffer.byteLength], what).toEqual([0, 0])
      }
    }
  }
  port1.close()
  port2.close()
}
