// sealstone/compat/ldesign: the answers of the original programs, and its formats again as WebCrypto has them.

import { expect, test } from 'vitest'
import { pairs } from '#pairs'
import KNOWN from '../../../vectors/compat/ldesign.json' with { type: 'json' }
import { exportPrivateKey, exportPublicKey, generateKey, importPrivateKeySync } from '../src/api/rsa.js'
import * as streams from '../src/extras/ldesign/core/stream.js'
import ldesign, * as all from '../src/extras/ldesign/index.js'
import { importable, pkcs1Of } from '../src/extras/ldesign/rsa-forms.js'
import { bytesOf, compare, concat, type Data, fromBase64, fromHex, textOf, toBase64, toHex } from './data.js'

const { aes, chain, decrypt, decryptWithAuth, des, encrypt, encryptWithAuth, legacy, rsa, tripledes, webcrypto } = all
const TEXT = 'hello 世界'
const HEX_KEY = '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f'
/** A key of RSA as PEM. */
const PAIR = (() => {
  const key = importPrivateKeySync(fromBase64(pairs.rsa))
  return { privateKey: exportPrivateKey(key), publicKey: exportPublicKey(key.publicKey) }
})()
type Options = NonNullable<Parameters<typeof aes.encrypt>[2]>

/** WebCrypto's result in a mode, with the padding that theirs adds in every one. */
async function theirs(mode: 'CBC' | 'CTR', key: Data, iv: Data, text: string): Promise<string> {
  const own = await crypto.subtle.importKey('raw', key, `AES-${mode}`, false, ['encrypt'])
  if (mode === 'CBC') {
    return toBase64(new Uint8Array(await crypto.subtle.encrypt({ name: 'AES-CBC', iv }, own, bytesOf(text))))
  }
  const bytes = bytesOf(text)
  const padding = 16 - (bytes.length % 16)
  const padded = concat([bytes, new Uint8Array(padding).fill(padding)])
  // A counter of 32 bits, which begins again at 0.
  const by = { name: 'AES-CTR', counter: iv, length: 32 }
  return toBase64(new Uint8Array(await crypto.subtle.encrypt(by, own, padded)))
}

async function derived(password: string, bits: number): Promise<Data> {
  const own = await crypto.subtle.importKey('raw', bytesOf(password), 'PBKDF2', false, ['deriveBits'])
  const salt = await crypto.subtle.digest('SHA-256', bytesOf(password))
  const by = { name: 'PBKDF2', hash: 'SHA-256', salt, iterations: 100_000 }
  return new Uint8Array(await crypto.subtle.deriveBits(by, own, bits))
}

test('every known answer of aes is read, and written', () => {
  for (const { key, plaintext, success, ...known } of KNOWN.aes) {
    const { mode, keySize, iv } = known as Options & { iv: string }
    expect(aes.encrypt(plaintext, key, { mode, keySize, iv } as Options)).toEqual({ success, ...known })
    const read = { success: true, data: plaintext, algorithm: 'AES', mode, authenticated: false }
    expect(aes.decrypt({ success, ...known }, key)).toEqual(read)
    expect(aes.decrypt(known.data, key, { mode, keySize, iv } as Options)).toEqual(read)
  }
  expect(aes.decrypt(KNOWN.openssl_salted.data, KNOWN.openssl_salted.key)).toMatchObject({ success: true, data: TEXT })
})

test('every known answer of DES and Triple DES is read, and written', () => {
  for (const [cipher, answers] of [
    [des, KNOWN.des],
    [tripledes, KNOWN.tripledes],
  ] as const) {
    for (const { key, plaintext, success, ...known } of answers) {
      const { algorithm, mode, iv } = known
      expect(cipher.encrypt(plaintext, key, { mode, iv } as never)).toEqual({ success, ...known })
      const read = { success: true, data: plaintext, algorithm, mode, authenticated: false }
      // Theirs had to be told the mode; a result says it.
      expect(cipher.decrypt({ success, ...known }, key)).toEqual(read)
      expect(cipher.decrypt(known.data, key, { mode, iv } as never)).toEqual(read)
    }
  }
})

test.each(['CBC', 'ECB', 'CFB', 'OFB'] as const)(
  'DES and Triple DES in %s, of every length, and keys of every length',
  (mode) => {
    for (const cipher of [des, tripledes]) {
      // Of Triple DES one whose thirds are equal is refused.
      const short = cipher === des ? ['k', 'exactly8'] : ['key', 'exactly 9']
      for (const key of [...short, 'a key that is longer than both of them', '密码密码']) {
        for (const text of ['x', '1234567', '12345678', '世界世界世界世界世界']) {
          const result = cipher.encrypt(text, key, { mode })
          expect(result).toMatchObject({ success: true, mode, iv: expect.stringMatching(/^[0-9a-f]{16}$/) })
          expect(cipher.decrypt(result, key)).toMatchObject({ success: true, data: text, mode })
        }
      }
    }
  },
)

test('every known answer of webcrypto is read', async () => {
  for (const { key, ...result } of KNOWN.webcrypto) {
    const authenticated = result.mode === 'GCM'
    expect(await webcrypto.aes.decrypt(result, key)).toMatchObject({ success: true, data: TEXT, authenticated })
    const options = { mode: result.mode, keySize: result.keySize, iv: result.iv } as Options
    expect(await webcrypto.aes.encrypt(TEXT, key, options)).toEqual(result)
  }
  const { key, additionalData, ...gcm } = KNOWN.gcm
  const verified = { success: true, data: TEXT, authenticated: true, authVerified: true }
  expect(await webcrypto.gcm.decrypt(gcm as never, key, { additionalData })).toMatchObject(verified)
  expect(await webcrypto.gcm.encrypt(TEXT, key, { additionalData, iv: gcm.iv })).toEqual(gcm)
  for (const other of [undefined, 'hdr2']) {
    const read = await webcrypto.gcm.decrypt(gcm as never, key, other === undefined ? {} : { additionalData: other })
    expect(read).toMatchObject({ success: false, authenticated: false, authVerified: false, code: 'not_authentic' })
  }
})

test('every known answer of encryptWithAuth, of its JSON, of keys and of hashes', () => {
  const { key, ...auth } = KNOWN.auth
  const verified = { success: true, data: TEXT, verified: true, authenticated: true }
  for (const given of [auth, JSON.stringify(auth)]) expect(decryptWithAuth(given, key)).toEqual(verified)
  expect(decryptWithAuth(auth, key, { aad: 'ctx', keySize: 256 })).toEqual(verified)
  const { password, salt, iterations, keySize, key: known } = KNOWN.deriveKey
  expect(all.deriveKey(password, { salt, iterations, keySize })).toEqual({ key: known, salt, iterations, keySize })
  expect(all.verifyKey(password, known, salt)).toBe(true)
  expect(all.verifyKey(password, known.replace(/^1/, '2'), salt)).toBe(false)
  const { hashPassword: old } = KNOWN
  expect(all.hashPassword(old.password, old.iterations)).toBe(old.out)
  expect(legacy.isHashOf(old.password, old.out, old.iterations)).toBe(true)
  expect(legacy.isHashOf('other', old.out, old.iterations)).toBe(false)
})

test('every known answer of serialised results, in each format', () => {
  for (const { format, key, plaintext, s } of KNOWN.serialized) {
    const read = all.stringToEncryptResult(s)
    expect(aes.decrypt(read, key)).toMatchObject({ success: true, data: plaintext })
    expect(all.EncryptResultSerializer.getInfo(s)).toEqual({
      algorithm: 'AES',
      mode: 'CBC',
      keySize: 256,
      hasIV: true,
      format,
    })
    // But for the time, which is that of the writing.
    const again = all.serializeEncryptResult(read, format as 'json')
    expect(again.replace(/"_t":\d+/, '')).toBe(s.replace(/"_t":\d+/, ''))
  }
})

test('what their fakes and their workers wrote is read under legacy', () => {
  const { key, plaintext, ...blowfish } = KNOWN.blowfish_is_aes
  expect(legacy.blowfish.decrypt(blowfish, key)).toMatchObject({ success: true, data: plaintext, authenticated: false })
  const { AES_CBC_iv: worker, DES: one, TDES: three } = KNOWN.worker
  expect(legacy.worker.aes(worker.data, worker.key, { iv: worker.iv })).toMatchObject({ data: worker.plaintext })
  expect(legacy.worker.des(one, one.key)).toMatchObject({ success: true, data: one.plaintext })
  expect(legacy.worker.tripledes(three, three.key)).toMatchObject({ success: true, data: three.plaintext })
  // Exclusive or, and a sum of characters, as theirs computes them.
  const fake = {
    data: '69676e6e6c000000000000000000000000000000000000',
    nonce: '000000000000000000000000',
  }
  const secret = `${'01'.repeat(1)}${'02'}${'02'}${'02'}${'03'}${'00'.repeat(27)}`
  expect(legacy.chacha20.decrypt(fake, secret)).toMatchObject({ success: false, code: 'not_authentic' })
})

test('a file of theirs, and what ours writes, with a tag', async () => {
  const { key, blob_b64, plaintext_sha256 } = KNOWN.fileEncryptor
  const plaintext = new Uint8Array(70_000).map((_, i) => (i * 7) & 255)
  expect(toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', plaintext)))).toBe(plaintext_sha256)
  const { fileEncryptor } = streams
  const old = await fileEncryptor.decryptFile(new Blob([fromBase64(blob_b64)]), key)
  expect(old).toMatchObject({ authenticated: false, metadata: { originalName: 'a.bin', originalSize: 70_000 } })
  expect(old.blob.type).toBe('application/x')
  expect(compare(new Uint8Array(await old.blob.arrayBuffer()), plaintext)).toBe(0)

  const { blob } = await fileEncryptor.encryptFile(new File([plaintext], 'b.bin', { type: 'application/y' }), key)
  const own = await fileEncryptor.decryptFile(blob, key)
  expect(own).toMatchObject({ authenticated: true, metadata: { originalName: 'b.bin' } })
  expect(compare(new Uint8Array(await own.blob.arrayBuffer()), plaintext)).toBe(0)
  // As theirs reads it: messages of Base64 of Base64 between bars, each under the one IV.
  const bytes = new Uint8Array(await blob.arrayBuffer())
  const length = new DataView(bytes.buffer).getUint32(0, true)
  const { iv } = JSON.parse(textOf(bytes.subarray(4, 4 + length)))
  const parts = textOf(bytes.subarray(4 + length))
    .split('|')
    .map((text) => aes.decrypt(text, key, { iv }))
  expect(parts).toHaveLength(1)
  expect(compare(concat(parts.map(({ data = '' }) => fromBase64(data))), plaintext)).toBe(0)
})

test('keys of RSA under 2,048 bits are refused', () => {
  const { publicKey, privateKey, oaep_sha1: old } = KNOWN.rsa
  expect(() => rsa.encrypt(TEXT, publicKey)).toThrow(/Invalid public key format/)
  expect(rsa.decrypt(old, privateKey)).toMatchObject({ success: false, code: 'invalid_key' })
  expect(() => rsa.generateKeyPair(1024)).toThrow(/1024/)
  // An unchecked signature is no forgery.
  for (const call of [() => rsa.encrypt(TEXT, publicKey), () => rsa.verify(TEXT, KNOWN.rsa.sign_sha256, publicKey)]) {
    expect(call).toThrow(/2048 to 8192 bits.*; what a key of 1024 bits has written is read by legacy\.rsa/)
  }
  expect(rsa.decrypt(old, privateKey).error).toMatch(/legacy\.rsa/)
})

test('what a key of RSA of 1,024 bits has written is read under legacy', async () => {
  const {
    publicKey,
    privateKey,
    oaep_sha1: old,
    pkcs1,
    worker_oaep_sha256: ofWorker,
    sign_sha256: signature,
  } = KNOWN.rsa
  const read = { success: true, data: 'hello', algorithm: 'RSA-1024', authenticated: false }
  const der = fromBase64(privateKey.replace(/-----[^-]+-----|\s/g, ''))
  const pkcs8 = importable(der, 'private')
  expect(compare(pkcs1Of(pkcs8, 'private'), der)).toBe(0)
  const spki = fromBase64(publicKey.replace(/-----[^-]+-----|\s/g, ''))
  expect(compare(importable(pkcs1Of(spki, 'public'), 'public'), spki)).toBe(0)
  const bare = toBase64(pkcs8)
  for (const key of [privateKey, bare, `-----BEGIN PRIVATE KEY-----\n${bare}\n-----END PRIVATE KEY-----\n`]) {
    expect(await legacy.rsa.decryptAsync(old, key)).toEqual(read)
  }
  expect(await legacy.rsa.decryptAsync(old.data, privateKey, { hashAlgorithm: 'SHA256' })).toEqual(read)
  expect(await legacy.rsa.decryptAsync(ofWorker, privateKey, { hashAlgorithm: 'SHA256' })).toEqual(read)
  expect(await legacy.rsa.decryptAsync(ofWorker, privateKey)).toMatchObject({ success: false, code: 'not_authentic' })
  expect(await legacy.rsa.decryptAsync('AAAA', privateKey)).toMatchObject({ success: false, code: 'not_authentic' })
  expect(await legacy.rsa.decryptAsync(pkcs1, privateKey, { padding: 'PKCS1' })).toMatchObject({
    code: 'unsupported',
    error: expect.stringContaining('openssl'),
  })
  expect(await legacy.rsa.verifyAsync(TEXT, signature, publicKey)).toBe(true)
  expect(await legacy.rsa.verifyAsync(`${TEXT}!`, signature, publicKey, 'SHA256')).toBe(false)
  expect(await legacy.rsa.verifyAsync(TEXT, 'no signature', publicKey)).toBe(false)
  // Nothing else is a key of this size.
  expect(await legacy.rsa.decryptAsync(old, PAIR.privateKey)).toMatchObject({ code: 'unsupported_key' })
  await expect(legacy.rsa.verifyAsync(TEXT, signature, PAIR.publicKey)).rejects.toThrow(
    /2048 bits, for which there is rsa/,
  )
  for (const none of [
    'no key',
    'AAAA',
    toBase64(der.subarray(0, 9)),
    toBase64(der.subarray(0, 300)),
    privateKey.slice(0, 400),
  ]) {
    expect(await legacy.rsa.decryptAsync(old, none)).toMatchObject({ success: false, code: 'invalid_key' })
    await expect(legacy.rsa.verifyAsync(TEXT, signature, none)).rejects.toThrow(/Invalid public key format/)
  }
})

test('the hash of OAEP is said in either case, and what theirs wrote is read whatever is said', async () => {
  const { publicKey, privateKey } = PAIR
  const ofTheirs = await rsa.encryptAsync(TEXT, publicKey)
  const sha256 = await rsa.encryptAsync(TEXT, publicKey, { hashAlgorithm: 'SHA256' })
  for (const hashAlgorithm of ['SHA256', 'sha256'] as const) {
    for (const result of [sha256, ofTheirs]) {
      expect(await rsa.decryptAsync(result, privateKey, { hashAlgorithm })).toMatchObject({ success: true, data: TEXT })
    }
  }
  expect(await rsa.decryptAsync(sha256, privateKey, { hashAlgorithm: 'SHA1' })).toMatchObject({ code: 'not_authentic' })
  const misspelt = { hashAlgorithm: 'SHA-256' as 'SHA256' }
  await expect(rsa.encryptAsync(TEXT, publicKey, misspelt)).rejects.toThrow(/Must be one of: sha1, sha256/)
})

test('what is written is what WebCrypto writes, of every size of keys, of keys that are texts, and of every length', async () => {
  for (const keySize of [128, 192, 256] as const) {
    for (const key of [HEX_KEY.slice(0, keySize / 4), 'a password']) {
      const bytes = key === 'a password' ? await derived(key, keySize) : fromHex(key)
      for (const text of ['', 'x', '15 characters..', '16 characters...', '世界'.repeat(1000)]) {
        for (const mode of ['CBC', 'CTR'] as const) {
          const result = aes.encrypt(text, key, { keySize, mode })
          // Chromium has no keys of 192 bits; Node has.
          if (keySize !== 192 || 'process' in globalThis) {
            expect(result.data).toBe(await theirs(mode, bytes, fromHex(result.iv as string), text))
          }
          expect(aes.decrypt(result, key)).toMatchObject({ success: true, data: text, authenticated: false })
        }
      }
    }
  }
})

test('CTR counts in the last four bytes alone, and begins again at 0', async () => {
  for (const iv of [
    'ffffffffffffffffffffffffffffffff',
    '000102030405060708090a0bfffffffe',
    '000000000000000000000000ffffffff',
  ]) {
    const text = 'x'.repeat(100)
    const { data } = aes.encrypt(text, HEX_KEY, { mode: 'CTR', iv })
    expect(data).toBe(await theirs('CTR', fromHex(HEX_KEY), fromHex(iv), text))
    expect(aes.decrypt(data as string, HEX_KEY, { mode: 'CTR', iv }).data).toBe(text)
  }
})

test('aes and webcrypto read each other in CBC', async () => {
  const one = aes.encrypt(TEXT, 'pw')
  expect(await webcrypto.aes.decrypt(one, 'pw')).toMatchObject({ success: true, data: TEXT })
  const other = await webcrypto.aes.encrypt(TEXT, 'pw', { keySize: 128 })
  expect(aes.decrypt(other, 'pw')).toMatchObject({ success: true, data: TEXT })
})

test('encryptWithAuth, of every size of keys, with and without associated data', () => {
  for (const keySize of [128, 192, 256] as const) {
    for (const aad of [undefined, 'a header']) {
      const sealed = encryptWithAuth(TEXT, 'pw', { keySize, ...(aad === undefined ? {} : { aad }) })
      expect(sealed).toMatchObject({ success: true, algorithm: 'AES' })
      // A reader need not say how long the key was.
      expect(decryptWithAuth(sealed, 'pw')).toMatchObject({ data: TEXT, verified: true })
      expect(decryptWithAuth(sealed, 'pw', { keySize })).toMatchObject({ data: TEXT, verified: true })
    }
  }
  const json = all.encryptJSONWithAuth({ a: [1] }, 'pw')
  expect(all.decryptJSONWithAuth(json, 'pw')).toEqual({ data: { a: [1] }, verified: true })
  expect(all.decryptJSONWithAuth(json, 'other')).toMatchObject({ data: null, verified: false })
})

test('RSA: pairs, texts of all characters, signatures, and what Latin-1 theirs wrote', async () => {
  const key = await generateKey(2048)
  const spki = await rsa.generateKeyPairAsync(2048)
  expect(spki.publicKey).toMatch(/^-----BEGIN PUBLIC KEY-----\r\n[^-]+\r\n-----END PUBLIC KEY-----\r\n$/)
  expect(spki.privateKey).toMatch(/^-----BEGIN RSA PRIVATE KEY-----\r\n[^-]+\r\n-----END RSA PRIVATE KEY-----\r\n$/)
  const bare = (pem: string) => pem.replace(/-----[^-]+-----|\s/g, '')
  for (const text of ['x', 'café', TEXT]) {
    const result = await rsa.encryptAsync(text, spki.publicKey)
    expect(result).toMatchObject({ success: true, algorithm: 'RSA-2048' })
    expect(await rsa.decryptAsync(result, spki.privateKey)).toMatchObject({
      success: true,
      data: text,
      authenticated: false,
    })
    const bareResult = await rsa.encryptAsync(text, bare(spki.publicKey))
    expect(await rsa.decryptAsync(bareResult.data as string, spki.privateKey)).toMatchObject({ data: text })
  }
  expect(
    await rsa.decryptAsync((await rsa.encryptAsync(TEXT, spki.publicKey)).data as string, exportPrivateKey(key)),
  ).toMatchObject({
    success: false,
    code: 'not_authentic',
  })
  // Theirs took the low byte of each character.
  const der = fromBase64(bare(spki.publicKey))
  const own = await crypto.subtle.importKey('spki', der, { name: 'RSA-OAEP', hash: 'SHA-1' }, false, ['encrypt'])
  const latin = new Uint8Array(await crypto.subtle.encrypt('RSA-OAEP', own, fromHex('636166e9')))
  expect(await rsa.decryptAsync(toBase64(latin), spki.privateKey)).toMatchObject({ success: true, data: 'café' })

  for (const hash of ['sha256', 'sha512']) {
    const signature = await rsa.signAsync(TEXT, spki.privateKey, hash)
    const by = { name: 'RSASSA-PKCS1-v1_5', hash: hash.replace('sha', 'SHA-') }
    const verifier = await crypto.subtle.importKey('spki', der, by, false, ['verify'])
    expect(await crypto.subtle.verify(by, verifier, fromBase64(signature), bytesOf(TEXT))).toBe(true)
    expect(await rsa.verifyAsync(TEXT, signature, spki.publicKey, hash)).toBe(true)
    expect(await rsa.verifyAsync(`${TEXT}!`, signature, spki.publicKey, hash)).toBe(false)
    expect(await rsa.verifyAsync(TEXT, 'no signature', spki.publicKey, hash)).toBe(false)
    expect(await rsa.verifyAsync(TEXT, signature, 'no key', hash)).toBe(false)
  }
})

test('RSA at once, in Node; in browsers it says what promises', () => {
  const browser = expect.objectContaining({ code: 'unavailable_backend' })
  let pair: ReturnType<typeof rsa.generateKeyPair>
  try {
    pair = rsa.generateKeyPair()
  } catch (error) {
    expect(error).toEqual(browser)
    const { publicKey, privateKey } = PAIR
    expect(() => rsa.encrypt(TEXT, publicKey)).toThrow(expect.objectContaining({ cause: browser }))
    expect(rsa.decrypt(toBase64(new Uint8Array(256).fill(1)), privateKey)).toMatchObject({
      code: 'unavailable_backend',
    })
    expect(() => rsa.sign(TEXT, privateKey)).toThrow(expect.objectContaining({ cause: browser }))
    expect(() => rsa.verify(TEXT, toBase64(new Uint8Array(256).fill(1)), publicKey)).toThrow(browser)
    return
  }
  for (const padding of ['OAEP', 'PKCS1']) {
    const result = encrypt.rsa(TEXT, pair.publicKey, { padding })
    expect(decrypt.rsa(result, pair.privateKey, { padding })).toMatchObject({
      success: true,
      data: TEXT,
      authenticated: false,
    })
    expect(decrypt.decrypt(result, pair.privateKey, undefined, { padding })).toMatchObject({ data: TEXT })
  }
  const sha256 = rsa.encrypt(TEXT, pair.publicKey, { hashAlgorithm: 'SHA256' })
  const sha1 = rsa.encrypt(TEXT, pair.publicKey, { hashAlgorithm: 'SHA1' })
  expect(rsa.decrypt(sha1, pair.privateKey, { hashAlgorithm: 'SHA256' })).toMatchObject({ success: true, data: TEXT })
  expect(legacy.worker.rsa(sha256, pair.privateKey)).toMatchObject({ success: true, data: TEXT })
  expect(rsa.decrypt(sha256, pair.privateKey)).toMatchObject({ success: false, code: 'not_authentic' })
  const signature = all.digitalSignature.sign(TEXT, pair.privateKey)
  expect(all.digitalSignature.verify(TEXT, signature, pair.publicKey)).toBe(true)
  expect(all.digitalSignature.verify(`${TEXT}!`, signature, pair.publicKey)).toBe(false)
  expect(() => rsa.encrypt('x'.repeat(300), pair.publicKey)).toThrow(
    expect.objectContaining({ name: 'EncryptionError' }),
  )
})

test('algorithms by their names, and chains', async () => {
  for (const algorithm of ['AES', 'DES', '3DES'] as const) {
    const result = encrypt.encrypt(TEXT, 'a key', algorithm)
    expect(decrypt.decrypt(result, 'a key')).toMatchObject({ success: true, data: TEXT, algorithm })
    const text = all.encryptToBase64(TEXT, algorithm, 'a key')
    expect(all.decryptFromBase64(text, algorithm, 'a key')).toBe(TEXT)
    const json = all.encryptJSON({ a: TEXT }, algorithm, 'a key')
    expect(all.decryptJSON(json, algorithm, 'a key')).toEqual({ a: TEXT })
    const through = chain(TEXT).encrypt(algorithm, 'a key').base64().fromBase64().decrypt(algorithm, 'a key').execute()
    expect(through).toBe(TEXT)
    expect(chain(chain(TEXT).encrypt(algorithm, 'a key').execute()).decrypt(algorithm, 'a key').execute()).toBe(TEXT)
  }
  const iv = '101112131415161718191a1b1c1d1e1f'
  const { data } = aes.encrypt(TEXT, 'a key', { iv })
  // With an IV that the caller has, as theirs.
  expect(chain(TEXT).encrypt('AES', 'a key', { iv }).execute()).toBe(data)
  expect(all.decryptFromBase64(toBase64(bytesOf(data as string)), 'AES', 'a key', { iv })).toBe(TEXT)
  expect(
    chain('a')
      .toUpperCase()
      .hex()
      .fromHex()
      .toLowerCase()
      .transform((text) => `${text}b`)
      .execute(),
  ).toBe('ab')
  expect(chain('abc').hash('SHA1').execute()).toBe('a9993e364706816aba3e25717850c26c9cd0d89d')
  expect(chain('').toJSON({ a: 1 }).fromJSON()).toEqual({ a: 1 })
  const failed = chain(TEXT).encrypt('AES', '').base64()
  expect([failed.hasError(), failed.getError()?.message]).toEqual([true, expect.stringMatching(/Key cannot be empty/)])
  expect(() => failed.execute()).toThrow(/Key cannot be empty/)
  expect(failed.clearError().hasError()).toBe(false)
})

test('keys with versions, and their export with and without a password', async () => {
  const keys = all.createKeyRotation()
  expect(() => keys.encrypt('x')).toThrow(/No active key/)
  keys.addKey('v1', 'one')
  keys.setActiveKey('v1')
  const old = keys.encrypt(TEXT)
  expect(old).toMatchObject({ success: true, keyVersion: 'v1', algorithm: 'AES' })
  keys.rotateKey('v2', 'two')
  expect(keys.getKey('v1')).toMatchObject({ deprecated: true, active: false })
  // Theirs did not read its own JSON.
  for (const given of [old, JSON.stringify(old)])
    expect(keys.decrypt(given)).toMatchObject({ success: true, data: TEXT })
  const [again] = await keys.reencryptBatch([JSON.stringify(old)])
  expect(again).toMatchObject({ success: true, oldKeyVersion: 'v1', newKeyVersion: 'v2' })
  expect(keys.decrypt(again?.newData as never)).toMatchObject({ data: TEXT })
  expect(() => keys.removeKey('v2')).toThrow(/active/)
  expect(() => keys.addKey('v1', 'x')).toThrow(/already exists/)
  expect(() => keys.decrypt({ ...old, keyVersion: 'v9' })).toThrow(/not found/)

  const others = all.createKeyRotation()
  others.importKeys(keys.exportKeys())
  expect(others.decrypt(old)).toMatchObject({ data: TEXT })
  const sealed = keys.exportKeys('a password')
  // Base64 has no quotation marks.
  expect(sealed).not.toMatch(/"(?:one|two)"/)
  for (const wrong of [undefined, 'other']) expect(() => others.importKeys(sealed, wrong)).toThrow(/invalid key/)
  expect(() => others.importKeys(keys.exportKeys(), 'a password')).toThrow(/invalid key/)
  expect(others.getAllKeys()).toHaveLength(2)
  others.importKeys(sealed, 'a password')
  expect(others.getActiveKey()).toMatchObject({ version: 'v2', createdAt: expect.any(Date) })
})

test('a password for several keys', () => {
  const { encryptionKey, hmacKey, salt } = all.KeyDerivation.deriveEncryptionKeys('pw', { iterations: 1000 })
  expect(encryptionKey.key).not.toBe(hmacKey.key)
  expect(all.KeyDerivation.deriveEncryptionKeys('pw', { iterations: 1000, salt }).hmacKey).toEqual(hmacKey)
  const keys = all.KeyDerivation.deriveMultipleKeys('pw', 3, { iterations: 1000 })
  expect(new Set(keys.map(({ key }) => key)).size).toBe(3)
  expect(all.KeyDerivation.calculateIterations(1)).toBeGreaterThanOrEqual(1000)
})

test('the manager, and a batch', async () => {
  const { cryptoManager } = all
  const result = await cryptoManager.encryptData(TEXT, 'pw')
  expect(await cryptoManager.decryptData(result, 'pw')).toMatchObject({ success: true, data: TEXT })
  const operations = Array.from({ length: 20 }, (_, i) => ({
    id: `${i}`,
    data: `${i}`,
    key: 'pw',
    algorithm: 'AES' as const,
  }))
  const encrypted = await cryptoManager.batchEncrypt(operations)
  const opened = await cryptoManager.batchDecrypt(
    encrypted.map(({ id, result }) => ({ id, data: result, key: 'pw', algorithm: 'AES' as const })),
  )
  expect(opened.map(({ id, result }) => [id, result.data])).toEqual(operations.map(({ id, data }) => [id, data]))
  expect(cryptoManager.hashData('abc')).toBe(all.hash.sha256('abc'))
  expect(cryptoManager.hmacData('abc', 'k')).toBe(all.hmac.sha256('abc', 'k'))
  expect(cryptoManager.hmacData('abc', 'k', 'SHA224')).toBe(all.hmac.sha224('abc', 'k'))
  expect(cryptoManager.generateKey('AES', 128)).toMatch(/^[0-9a-f]{32}$/)
  const without = new all.CryptoManager({ autoGenerateIV: false })
  expect(await without.encryptData(TEXT, 'pw')).toMatchObject({ success: false, code: 'unsupported' })
})

test('the default object has what theirs has', () => {
  expect(Object.keys(ldesign).sort()).toEqual(
    [
      'encrypt decrypt hash hmac keyGenerator digitalSignature manager CryptoManager PerformanceOptimizer algorithms encoding',
      'utils constants version name PasswordStrengthChecker PerformanceMonitor',
    ]
      .join(' ')
      .split(' ')
      .sort(),
  )
  expect(ldesign.algorithms.aes).toBe(aes)
  expect(ldesign.decrypt.aes(ldesign.encrypt.aes256(TEXT, 'pw'), 'pw').data).toBe(TEXT)
})
