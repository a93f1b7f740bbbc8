// Defects of @ldesign/crypto that are not in sealstone/compat/ldesign: each test names one. And attempts of an attacker.

import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import KNOWN from '../../../vectors/compat/ldesign.json' with { type: 'json' }
import * as all from '../src/extras/ldesign/index.js'
import * as refused from '../src/extras/ldesign/refused.js'
import { StreamEncryptor } from '../src/extras/ldesign/stream.js'
import { bytesOf, fromBase64, toBase64, toHex } from './data.js'

const { aes, decryptWithAuth, des, encryptWithAuth, legacy, rsa, tripledes, webcrypto } = all
const TEXT = 'attack at dawn, and bring 100 ladders'
const HEX_KEY = '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f'
const refusal = { success: false, code: 'unsupported' }
const unsupported = expect.objectContaining({ name: 'CryptoError', code: all.CryptoErrorCode.NOT_SUPPORTED })

/** The Base64 with one bit of one byte changed. */
function changed(data: string, at: number): string {
  const bytes = fromBase64(data)
  const index = at < 0 ? bytes.length + at : at
  bytes[index] = (bytes[index] as number) ^ 1
  return toBase64(bytes)
}

test('a fake is refused by the name of what to use: Blowfish, GCM of aes, streams of ChaCha20', async () => {
  expect(all.blowfish.encrypt(TEXT, 'pw')).toMatchObject({
    ...refusal,
    error: expect.stringMatching(/encryptWithAuth/),
  })
  const { key, ...old } = KNOWN.blowfish_is_aes
  expect(all.blowfish.decrypt(old, key)).toMatchObject({ ...refusal, error: expect.stringMatching(/legacy\.blowfish/) })
  expect(all.encrypt.blowfish(TEXT, 'pw')).toMatchObject(refusal)
  expect(all.encrypt.encrypt(TEXT, 'pw', 'Blowfish')).toMatchObject(refusal)
  expect(aes.encrypt(TEXT, 'pw', { mode: 'GCM' })).toMatchObject({
    ...refusal,
    error: expect.stringMatching(/webcrypto\.gcm/),
  })
  const streamed = await new StreamEncryptor().encryptFile(new Blob([TEXT]), 'pw', { mode: 'GCM' })
  expect(streamed).toMatchObject(refusal)
  expect(all.encrypt.encrypt(TEXT, 'pw', 'ChaCha20' as never)).toMatchObject(refusal)
  for (const algorithm of ['Ed25519', 'Dilithium', 'SPHINCS+'] as never[]) {
    expect(() => all.cryptoManager.generateKey(algorithm)).toThrow(unsupported)
  }
  expect(() => all.compress(TEXT)).toThrow(unsupported)
})

test('a name that promises a security which theirs has not fails by this name, however it is used', () => {
  for (const [name, value] of Object.entries(refused)) {
    const used = value as unknown as { derive(): void } & (new () => object) & (() => void)
    for (const call of [() => used(), () => new used(), () => used.derive(), () => new (class extends used {})()]) {
      expect(call).toThrow(unsupported)
      expect(call).toThrow(new RegExp(`^${name} is unsupported: .*(?:sealstone|hash\\.blake2b|webcrypto|KeyRotation)`))
    }
  }
  expect(Object.keys(refused).length).toBeGreaterThanOrEqual(26)
  expect(() => all.kdfManager.derive('pw', 'argon2' as never)).toThrow(/sealstone\/kdf/)
})

test('what their fakes wrote is read by their own exclusive or, and nothing is authenticated', () => {
  // As theirs computes them: the sum of characters, and in ChaCha20 the key over it.
  const sum = (text: string) => Array.from(text).reduce((sum, c) => (Math.imul(sum, 31) + c.charCodeAt(0)) | 0, 0)
  const tag = (sum: number) => Math.abs(sum).toString(16).padStart(32, '0')
  const [secret, nonce] = [
    HEX_KEY.match(/../g)?.map((byte) => Number.parseInt(byte, 16)) ?? [],
    '0a0b0c0d0e0f101112131415',
  ]
  const body = toHex(bytesOf('old secret').map((byte, i) => byte ^ (secret[i % 32] as number) ^ (10 + (i % 12))))
  const data = body + tag(secret.reduce((mixed, byte) => mixed ^ byte, sum(`${body}${nonce}aad`)))
  const result = { data, nonce, aad: 'aad' }
  const read = { success: true, data: 'old secret', authenticated: false }
  expect(legacy.chacha20.decrypt(result, HEX_KEY)).toMatchObject(read)
  expect(legacy.chacha20.decrypt(data, HEX_KEY, { nonce, aad: 'aad' })).toMatchObject(read)
  const failed = { success: false, code: 'not_authentic' }
  expect(legacy.chacha20.decrypt(result, HEX_KEY.replace('01', '02'))).toMatchObject(failed)

  const own = (text: string, i: number) => text.charCodeAt(i % text.length)
  const mixed = Array.from('old secret', (c, i) =>
    String.fromCharCode(c.charCodeAt(0) ^ own(HEX_KEY, i) ^ own(nonce, i)),
  )
  const gcm = { data: mixed.join('') + tag(sum(mixed.join('') + nonce)), iv: nonce }
  expect(legacy.nodeGcm.decrypt(gcm, HEX_KEY)).toMatchObject(read)
  expect(legacy.nodeGcm.decrypt({ ...gcm, iv: 'another' }, HEX_KEY)).toMatchObject(failed)
})

test('what the class of the fakes wrote in browsers is AES-GCM, and never taken for its fake', async () => {
  const key = await crypto.subtle.importKey(
    'raw',
    fromBase64(toBase64(bytesOf(HEX_KEY.slice(0, 32)))),
    'AES-GCM',
    false,
    ['encrypt'],
  )
  const iv = new Uint8Array(12).fill(7)
  const by = { name: 'AES-GCM', iv, additionalData: bytesOf('aad') }
  const data = toHex(new Uint8Array(await crypto.subtle.encrypt(by, key, bytesOf(TEXT))))
  const result = { data, iv: toHex(iv), aad: 'aad' }
  const digits = toHex(bytesOf(HEX_KEY.slice(0, 32)))
  expect(legacy.browserGcm.decrypt(result, digits)).toMatchObject({ success: true, data: TEXT, authenticated: true })
  const failed = { success: false, code: 'not_authentic', authenticated: false }
  expect(legacy.browserGcm.decrypt({ ...result, aad: 'other' }, digits)).toMatchObject(failed)
})

test('GCM of webcrypto never falls back to CBC: a ciphertext of CBC that is called GCM is refused', async () => {
  const cbc = aes.encrypt('{"admin":1}', 'pw')
  for (const given of [{ ...cbc, mode: 'GCM' }, cbc.data as string]) {
    const read = await webcrypto.aes.decrypt(given, 'pw', { mode: 'GCM', iv: cbc.iv as string })
    expect(read).toMatchObject({ success: false, code: 'not_authentic', authenticated: false })
  }
  const gcm = await webcrypto.aes.encrypt(TEXT, 'pw', { mode: 'GCM' })
  const failed = await webcrypto.aes.decrypt({ ...gcm, data: changed(gcm.data as string, 3) }, 'pw')
  expect(failed).toMatchObject({ success: false, data: '', authenticated: false })
  // A call for GCM gets nothing that says it is of another mode.
  const asked = await webcrypto.aes.decrypt({ ...gcm, mode: 'CTR' }, 'pw', { mode: 'GCM' })
  expect(asked).toMatchObject({ success: false })
  const unasked = await webcrypto.aes.decrypt({ ...gcm, mode: 'CTR' }, 'pw')
  expect(unasked.authenticated).toBe(false)
})

test('webcrypto takes the names of its modes in either case, as theirs does, and of its results too', async () => {
  const mode = 'gcm' as 'GCM'
  const result = await webcrypto.aes.encrypt(TEXT, HEX_KEY, { mode })
  expect(result).toMatchObject({ success: true, mode: 'GCM', usingWebCrypto: true })
  for (const given of [result, { ...result, mode }]) {
    expect(await webcrypto.aes.decrypt(given, HEX_KEY, { mode })).toMatchObject({ data: TEXT, authenticated: true })
  }
  expect(await webcrypto.aes.decrypt(result, HEX_KEY, { mode: 'cbc' as 'CBC' })).toMatchObject({ success: false })
})

test('webcrypto decrypts what its results say, of more than 120 KB, and the sizes of keys too', async () => {
  const text = 'x'.repeat(300_000)
  for (const mode of ['CBC', 'CTR', 'GCM'] as const) {
    const result = await webcrypto.aes.encrypt(text, 'pw', { mode, keySize: 128 })
    expect((await webcrypto.aes.decrypt(result, 'pw')).data === text).toBe(true)
  }
  const result = await webcrypto.gcm.encrypt(text, 'pw', { keySize: 128 })
  expect((await webcrypto.gcm.decrypt(result, 'pw')).data === text).toBe(true)
  // Chromium has no keys of 192 bits, and a missing cipher is never a wrong key.
  const middle = await webcrypto.gcm.encrypt(text, 'pw', { keySize: 192 })
  if (middle.success) expect((await webcrypto.gcm.decrypt(middle, 'pw')).data === text).toBe(true)
  else expect(middle).toMatchObject({ code: 'unavailable_backend', iv: '' })
})

test('a wrong key is an error, never success with garbage', async () => {
  for (const mode of ['CBC', 'ECB', 'CFB', 'OFB', 'CTR'] as const) {
    const result = aes.encrypt(TEXT, HEX_KEY, { mode })
    for (let i = 0; i < 300; i++) {
      const key = HEX_KEY.slice(0, -4) + i.toString(16).padStart(4, '0')
      const read = aes.decrypt(result, key)
      expect(read.success ? read.data : '').toBe('')
      expect(read).toMatchObject({ success: false, data: '', code: 'not_authentic' })
    }
  }
  const sealed = encryptWithAuth(TEXT, 'pw')
  expect(decryptWithAuth(sealed, 'other')).toMatchObject({ success: false, verified: false, data: '' })
  for (const cipher of [des, tripledes]) {
    expect(cipher.decrypt(cipher.encrypt(TEXT, 'a key'), 'other')).toMatchObject({
      success: false,
      code: 'not_authentic',
    })
  }
})

test('a padding of which only the last byte is right is an error', async () => {
  // 14 bytes of text, and a padding that says 2 and has a 5.
  const key = await crypto.subtle.importKey('raw', new Uint8Array(32), 'AES-CTR', false, ['encrypt'])
  const [iv, block] = [new Uint8Array(16).fill(1), bytesOf('attack at dawn\u0005\u0002')]
  const by = { name: 'AES-CTR', counter: iv, length: 32 }
  const data = toBase64(new Uint8Array(await crypto.subtle.encrypt(by, key, block)))
  const read = aes.decrypt(data, '00'.repeat(32), { mode: 'CTR', iv: toHex(iv) })
  expect(read).toMatchObject({ success: false, code: 'not_authentic' })
})

test('no oracle: a wrong key, padding, tag, length and encoding have one error', async () => {
  const result = aes.encrypt('\u{10ffff}'.repeat(12), HEX_KEY)
  const data = result.data as string
  const errors = new Set<string>()
  const given = [
    [result, HEX_KEY.replace('00', '01')],
    [{ ...result, data: changed(data, -17) }, HEX_KEY],
    [{ ...result, data: changed(data, 0) }, HEX_KEY],
    [{ ...result, data: toBase64(fromBase64(data).subarray(0, 40)) }, HEX_KEY],
    [{ ...result, data: toBase64(fromBase64(data).subarray(0, 32)) }, HEX_KEY],
    [{ ...result, data: `${data.slice(0, -4)}!!!!` }, HEX_KEY],
    [{ ...result, data: '' }, HEX_KEY],
  ] as const
  for (const [result, key] of given) {
    const { success, error, code, data } = aes.decrypt(result, key)
    expect([success, data]).toEqual([false, ''])
    errors.add(`${error} ${code}`)
  }
  expect(errors.size).toBe(1)

  const sealed = encryptWithAuth(TEXT, 'pw', { aad: 'ctx' })
  const verdicts = new Set(
    [
      decryptWithAuth(sealed, 'other'),
      decryptWithAuth({ ...sealed, ciphertext: changed(sealed.ciphertext, 0) }, 'pw'),
      decryptWithAuth(
        { ...sealed, authTag: sealed.authTag.replace(/^./, (digit) => (digit === '0' ? '1' : '0')) },
        'pw',
      ),
      decryptWithAuth({ ...sealed, aad: 'other' }, 'pw'),
      decryptWithAuth({ ...sealed, aad: undefined }, 'pw'),
      decryptWithAuth(sealed, 'pw', { keySize: 128 }),
    ].map((read) => JSON.stringify(read)),
  )
  expect(verdicts.size).toBe(1)
  expect([...verdicts][0]).toMatch(/"verified":false/)
})

test('no error shows a key or a plaintext', () => {
  const secret = 'a very secret key text'
  const errors = [
    aes.decrypt(aes.encrypt(TEXT, 'other'), secret).error,
    aes.encrypt(TEXT, secret, { mode: 'XXX' as never }).error,
    des.decrypt(des.encrypt(TEXT, 'other'), secret).error,
    decryptWithAuth(encryptWithAuth(TEXT, 'other'), secret).error,
    legacy.salvage('AAAA', secret).error,
    rsa.decrypt('AAAA', secret).error,
  ]
  for (const error of errors) {
    expect(error).toEqual(expect.any(String))
    expect(error).not.toContain(secret)
    expect(error).not.toContain(TEXT)
  }
})

test('the associated data that a reader says are verified, where theirs took no notice of them', () => {
  const sealed = encryptWithAuth(TEXT, 'pw', { aad: 'to Alice' })
  expect(decryptWithAuth(sealed, 'pw', { aad: 'to Bob' })).toMatchObject({ success: false, verified: false })
  expect(decryptWithAuth(encryptWithAuth(TEXT, 'pw'), 'pw', { aad: 'to Bob' })).toMatchObject({ verified: false })
})

test('an empty text is sealed and opened, where theirs could not open it', () => {
  expect(decryptWithAuth(encryptWithAuth('', 'pw'), 'pw')).toMatchObject({ success: true, data: '', verified: true })
  expect(aes.decrypt(aes.encrypt('', 'pw'), 'pw')).toMatchObject({ success: true, data: '' })
})

test('options that do nothing are refused: salt, iterations, padding, useGCM, another algorithm', () => {
  for (const options of [{ salt: 'aa' }, { iterations: 600_000 }, { padding: 'NoPadding' }]) {
    expect(aes.encrypt(TEXT, 'pw', options)).toMatchObject(refusal)
    expect(() => new all.AESEncryptor().encrypt(TEXT, 'pw', options)).toThrow(unsupported)
  }
  expect(aes.encrypt(TEXT, 'pw', { padding: 'Pkcs7', iterations: 100_000 })).toMatchObject({ success: true })
  expect(encryptWithAuth(TEXT, 'pw', { useGCM: true })).toMatchObject(refusal)
  expect(encryptWithAuth(TEXT, 'pw', { algorithm: 'DES' })).toMatchObject(refusal)
  const keys = all.createKeyRotation()
  keys.addKey('v1', 'pw')
  keys.setActiveKey('v1')
  expect(() => keys.encrypt(TEXT, 'DES')).toThrow(unsupported)
  expect(des.encrypt(TEXT, 'pw', { mode: 'CTR' as never })).toMatchObject({ success: false, code: 'invalid_argument' })
})

test('a mode of DES that theirs silently replaced by CBC is read as CBC', () => {
  const result = { ...des.encrypt(TEXT, 'pw'), mode: 'CTR' }
  expect(des.decrypt(result, 'pw')).toMatchObject({ success: true, data: TEXT, mode: 'CBC' })
})

test('RSA refuses paddings and hashes that theirs silently replaced', async () => {
  const { publicKey, privateKey } = await rsa.generateKeyPairAsync(2048)
  await expect(rsa.encryptAsync(TEXT, publicKey, { padding: 'NONE' })).rejects.toThrow(unsupported)
  for (const hash of ['sha1', 'sha384', 'md5']) {
    await expect(rsa.signAsync(TEXT, privateKey, hash)).rejects.toThrow(unsupported)
    await expect(rsa.verifyAsync(TEXT, 'AAAA', publicKey, hash)).rejects.toThrow(unsupported)
  }
  // The label has the size of the key, and not that of an option.
  expect(await rsa.encryptAsync(TEXT, publicKey, { keySize: 4096 })).toMatchObject({ algorithm: 'RSA-2048' })
})

test('a batch has no ciphertext twice, and no result of another item', async () => {
  const { cryptoManager } = all
  const same = Array.from({ length: 20 }, (_, i) => ({ id: `${i}`, data: TEXT, key: 'pw', algorithm: 'AES' as const }))
  const results = await cryptoManager.batchEncrypt(same)
  expect(new Set(results.map(({ result }) => result.iv)).size).toBe(20)
  expect(new Set(results.map(({ result }) => result.data)).size).toBe(20)
  // Nor is an IV used twice that the caller says for all of them.
  const iv = '101112131415161718191a1b1c1d1e1f'
  const given = same.slice(0, 3).map((operation) => ({ ...operation, options: { iv, mode: 'CTR' as const } }))
  const verdicts = (await cryptoManager.batchEncrypt(given)).map(({ result }) => [result.success, result.code])
  expect(verdicts).toEqual([
    [true, undefined],
    [false, 'invalid_argument'],
    [false, 'invalid_argument'],
  ])
  // Theirs had one key of its cache for both of these, and one for all results that are objects.
  const texts = [
    { id: '1', key: 'a', data: 'b:c', algorithm: 'AES' as const },
    { id: '2', key: 'a:b', data: 'c', algorithm: 'AES' as const },
  ]
  const [one, two] = (await cryptoManager.batchEncrypt(texts)).map(({ result }) => result)
  const operations = [
    { id: '1', key: 'a', data: one as never, algorithm: 'AES' as const },
    { id: '2', key: 'a:b', data: two as never, algorithm: 'AES' as const },
  ]
  const opened = await cryptoManager.batchDecrypt(operations)
  expect(opened.map(({ result }) => result.data)).toEqual(['b:c', 'c'])
})

test('no Math.random', () => {
  const random = vi.spyOn(Math, 'random').mockImplementation(() => {
    throw new Error('Math.random was called')
  })
  try {
    aes.encrypt(TEXT, 'pw')
    encryptWithAuth(TEXT, 'pw')
    all.keyGenerator.generateKey()
    all.keyGenerator.generateIV()
    all.deriveKey('pw', { iterations: 1000 })
    all.generateSecureKey('aes-256' as never)
    des.generateKey()
  } finally {
    random.mockRestore()
  }
})

test('derived keys are kept, known by no password, and forgotten', () => {
  all.AESEncryptor.cleanup()
  const before = all.AESEncryptor.getCacheStats().keyCache
  const result = aes.encrypt(TEXT, 'a key of a cache')
  aes.decrypt(result, 'a key of a cache')
  const after = all.AESEncryptor.getCacheStats().keyCache
  // The manager has the same cache, and says so: theirs is one of results.
  expect(all.cryptoManager.getCacheStats()).toEqual(after)
  const { hitRate, size } = after
  expect(all.cryptoManager.getPerformanceMetrics()).toMatchObject({ cacheHitRate: hitRate, cacheSize: size })
  expect([hitRate > 0, after.totalRequests]).toEqual([true, after.hits + after.misses])
  expect([after.misses - before.misses, after.hits - before.hits, after.size]).toEqual([1, 1, 1])
  all.cryptoManager.clearCache()
  expect(all.AESEncryptor.getCacheStats().keyCache.size).toBe(0)
  for (let i = 0; i <= after.maxSize; i++) aes.encrypt(TEXT, i.toString(16).padStart(64, '0'))
  const full = all.cryptoManager.getCacheStats()
  expect([full.size, full.evictions - after.evictions]).toEqual([full.maxSize, 1])
  all.AESEncryptor.cleanup()
})

test('what lost its IV is salvaged, and says what is missing', () => {
  const lost = (text: string) => aes.encrypt(text, 'pw').data as string
  const text = '0123456789abcdefthe rest of it'
  const salvaged = { success: true, data: 'the rest of it', missing: 16, authenticated: false }
  expect(legacy.salvage(lost(text), 'pw')).toMatchObject(salvaged)
  expect(legacy.salvage(toBase64(bytesOf(lost(text))), 'pw')).toMatchObject(salvaged)
  // A character that begins in a lost part.
  expect(legacy.salvage(lost('0123456789abcde界 and more'), 'pw')).toMatchObject({ data: ' and more', missing: 18 })
  expect(legacy.salvage(lost('short'), 'pw')).toMatchObject({
    success: false,
    error: expect.stringMatching(/single block without its IV/),
  })
  expect(legacy.salvage(lost(text), 'other')).toMatchObject({ success: false, code: 'not_authentic' })
  const des8 = toBase64(bytesOf(des.encrypt('01234567the rest', 'pw').data as string))
  expect(legacy.salvage(des8, 'pw', { algorithm: 'DES' })).toMatchObject({ data: 'the rest', missing: 8 })
  // Theirs is told from ours, and nothing is guessed.
  expect(() => all.decryptFromBase64(toBase64(bytesOf(lost(text))), 'AES', 'pw')).toThrow(/IV not found/)
})

test('a backup of a KeyManager', () => {
  const { iv, data } = aes.encrypt('{"version":"1.0","keys":[]}', 'pw')
  expect(legacy.keyBackup(`${iv}:${data}`, 'pw')).toMatchObject({ success: true, data: '{"version":"1.0","keys":[]}' })
  expect(legacy.keyBackup('no backup', 'pw')).toMatchObject({ success: false })
})

test('a compact result whose parts have the separator in them is refused', () => {
  const result = aes.encrypt(TEXT, 'pw')
  expect(() => all.EncryptResultSerializer.serialize(result, { format: 'compact', separator: 'A' })).toThrow(
    /separator/,
  )
  const text = all.EncryptResultSerializer.serialize(result, { format: 'compact', separator: '~' })
  expect(all.EncryptResultSerializer.deserialize(text, { format: 'compact', separator: '~' })).toMatchObject({
    iv: result.iv,
  })
  expect(() => all.stringToEncryptResult('{')).toThrow(/Failed to parse JSON/)
  expect(all.EncryptResultSerializer.validate('nothing')).toBe(false)
})

test('errors have their classes, numbers and our words', () => {
  expect([all.CryptoErrorCode.WRONG_KEY, all.CryptoErrorCode.STORAGE_NOT_AVAILABLE]).toEqual([3002, 8001])
  const error = new all.DecryptionError('x')
  expect(error).toMatchObject({ name: 'DecryptionError', code: 3000 })
  expect(error).toBeInstanceOf(all.CryptoError)
  expect(error.getFormattedMessage()).toBe('[DecryptionError:3000] x')
  expect(() => new all.AESEncryptor().encrypt(TEXT, '')).toThrow(all.EncryptionError)
  expect(aes.encrypt(TEXT, '  ')).toMatchObject({ success: false, code: 'invalid_argument' })
  for (const wrong of [undefined, null, 5, {}] as never[]) {
    expect(aes.encrypt(wrong, 'pw')).toMatchObject({ success: false })
    expect(aes.encrypt(TEXT, wrong)).toMatchObject({ success: false })
    expect(aes.decrypt(wrong, 'pw')).toMatchObject({ success: false })
    expect(decryptWithAuth(wrong, 'pw')).toMatchObject({ success: false, verified: false })
  }
  expect(aes.encrypt('\ud800', 'pw')).toMatchObject({ success: false, error: expect.stringMatching(/lone surrogate/) })
})

/** A browser's storage, without a browser. */
class Memory {
  readonly items = new Map<string, string>()
  get length(): number {
    return this.items.size
  }
  key(at: number): string | null {
    return [...this.items.keys()][at] ?? null
  }
  getItem(name: string): string | null {
    return this.items.get(name) ?? null
  }
  setItem(name: string, value: string): void {
    this.items.set(name, value)
  }
  removeItem(name: string): void {
    this.items.delete(name)
  }
}

let memory: Memory
beforeEach(() => {
  memory = new Memory()
  vi.stubGlobal('localStorage', memory)
})
afterEach(() => {
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

test('SecureStorage gives back what it stored, where theirs lost it, and updateKey keeps it', () => {
  const storage = all.createSecureStorage({ key: 'pw' })
  const value = { name: '世界', list: [1, 2] }
  expect(storage.set('a', value, 100_000)).toBe(true)
  expect(storage.set('b', 'text')).toBe(true)
  expect(storage.get('a')).toEqual(value)
  expect([...memory.items.values()].join()).not.toMatch(/世界|text/)
  expect([storage.has('a'), storage.keys(), storage.size()]).toEqual([true, ['a', 'b'], 2])
  expect(storage.getMetadata('a')).toMatchObject({ type: 'object', isExpired: false })
  const { expiresAt } = storage.getMetadata('a') ?? {}
  expect(storage.updateKey('other')).toBe(true)
  expect([storage.get('a'), storage.get('b')]).toEqual([value, 'text'])
  expect(storage.getMetadata('a')).toMatchObject({ expiresAt })
  expect(all.createSecureStorage({ key: 'other' }).get('b')).toBe('text')
  expect([storage.remove('a'), storage.get('a', 'default'), storage.clear(), storage.size()]).toEqual([
    true,
    'default',
    true,
    0,
  ])
})

test('SecureStorage: a wrong key, a change, another name and another time are seen, and nothing is destroyed', () => {
  const errors = vi.spyOn(console, 'error').mockImplementation(() => {})
  const storage = all.createSecureStorage({ key: 'pw' })
  storage.set('a', 1)
  storage.set('b', 2)
  expect(all.createSecureStorage({ key: 'other' }).get('a', 0)).toBe(0)
  memory.setItem('secure_b', memory.getItem('secure_a') as string)
  expect(storage.get('b', 0)).toBe(0)
  const item = JSON.parse(memory.getItem('secure_a') as string)
  memory.setItem('secure_a', JSON.stringify({ ...item, expiresAt: Date.now() + 1_000_000 }))
  expect(storage.get('a', 0)).toBe(0)
  memory.setItem('secure_a', JSON.stringify(item))
  const before = [...memory.items]
  // One of the values cannot be read, so that all stay as they are.
  expect(storage.updateKey('other')).toBe(false)
  expect([...memory.items]).toEqual(before)
  expect(storage.get('a')).toBe(1)
  expect(errors).toHaveBeenCalledTimes(4)
  vi.stubGlobal('localStorage', undefined)
  expect(() => all.createSecureStorage({ key: 'pw' })).toThrow(expect.objectContaining({ code: 8001 }))
})

test('SecureStorage: what is too old goes, and what theirs stored is salvaged', () => {
  const errors = vi.spyOn(console, 'error').mockImplementation(() => {})
  const storage = all.createSecureStorage({ key: 'pw', ttl: 1 })
  storage.set('old', 1)
  vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 1000)
  expect([storage.cleanup(), storage.has('old')]).toEqual([1, false])
  const data = aes.encrypt(JSON.stringify({ name: 'Alice', city: 'Wonderland' }), 'pw').data
  memory.setItem('secure_x', JSON.stringify({ data, timestamp: 1, expiresAt: 0, type: 'object' }))
  expect(storage.get('x', 'default')).toBe('default')
  expect(errors.mock.calls[0]?.[0]).toMatch(/salvage/)
  expect(storage.salvage('x')).toMatchObject({ success: true, data: '"city":"Wonderland"}', missing: 16 })
})

test('SecureStorage: a time that is no number is refused, and what a failed updateKey leaves is said', () => {
  const errors = vi.spyOn(console, 'error').mockImplementation(() => {})
  for (const ttl of ['50', -1, Number.NaN, Number.POSITIVE_INFINITY] as never[]) {
    expect(() => all.createSecureStorage({ key: 'pw', ttl })).toThrow(all.ValidationError)
    expect(all.createSecureStorage({ key: 'pw' }).set('a', 1, ttl)).toBe(false)
  }
  const storage = all.createSecureStorage({ key: 'pw' })
  for (const name of 'abcd') storage.set(name, name)
  let left = 2
  vi.spyOn(memory, 'setItem').mockImplementation((name, value) => {
    if (left-- <= 0) throw new Error('quota')
    memory.items.set(name, value)
  })
  expect(storage.updateKey('new')).toBe(false)
  expect(errors.mock.lastCall?.[0]).toMatch(/quota; and these values now have the new key: a, b/)
})

describe('what an attacker found:', () => {
  const bad = (value: unknown): never => value as never
  const wrong = { success: false, code: 'invalid_argument' }

  test('additional data are bound, or refused: none is dropped, and no two are one', async () => {
    for (const additionalData of [{ user: 1 }, 0, null, 1, true, ['a']]) {
      expect(await webcrypto.gcm.encrypt(TEXT, HEX_KEY, { additionalData: bad(additionalData) })).toMatchObject(wrong)
      const sealed = await webcrypto.gcm.encrypt(TEXT, HEX_KEY)
      const read = await webcrypto.gcm.decrypt(sealed, HEX_KEY, { additionalData: bad(additionalData) })
      expect(read).toMatchObject({ ...wrong, authenticated: false })
    }
    for (const options of [{ aad: 'a' }, { AAD: 'a' }]) {
      expect(await webcrypto.gcm.encrypt(TEXT, HEX_KEY, bad(options))).toMatchObject(wrong)
      expect(
        await webcrypto.gcm.decrypt(await webcrypto.gcm.encrypt(TEXT, HEX_KEY), HEX_KEY, bad(options)),
      ).toMatchObject(wrong)
    }
    for (const options of [{ additionalData: 'a' }, { tagLength: 96 }, { aad: 'a' }]) {
      expect(await webcrypto.aes.encrypt(TEXT, HEX_KEY, bad({ mode: 'GCM', ...options }))).toMatchObject(wrong)
      const sealed = await webcrypto.aes.encrypt(TEXT, HEX_KEY, { mode: 'GCM' })
      expect(await webcrypto.aes.decrypt(sealed, HEX_KEY, bad(options))).toMatchObject({
        ...wrong,
        authenticated: false,
      })
    }
    for (const options of [{ AAD: 'a' }, { additionalData: 'a' }, { aad: { user: 1 } }, { aad: null }]) {
      expect(encryptWithAuth(TEXT, 'pw', bad(options))).toMatchObject(wrong)
      expect(decryptWithAuth(encryptWithAuth(TEXT, 'pw'), 'pw', bad(options))).toMatchObject({
        ...wrong,
        verified: false,
      })
    }
    const sealed = await webcrypto.gcm.encrypt(TEXT, HEX_KEY, { additionalData: 'a', tagLength: 96 })
    const right = await webcrypto.gcm.decrypt(sealed, HEX_KEY, { additionalData: 'a', tagLength: 96 })
    expect(right).toMatchObject({ data: TEXT, authenticated: true })
  })

  test('options that are not known, or are none, are refused', async () => {
    const { publicKey, privateKey } = await rsa.generateKeyPairAsync(2048)
    const options = ['GCM', 256, null, ['GCM'], { Mode: 'CTR' }, { keysize: 128 }, { mode: 'CTR', aad: 'a' }]
    for (const one of options.map(bad)) {
      expect(aes.encrypt(TEXT, 'pw', one)).toMatchObject(wrong)
      expect(aes.decrypt(aes.encrypt(TEXT, 'pw'), 'pw', one)).toMatchObject(wrong)
      expect(des.encrypt(TEXT, 'pw', one)).toMatchObject(wrong)
      expect(tripledes.decrypt(tripledes.encrypt(TEXT, 'secret'), 'secret', one)).toMatchObject(wrong)
      expect(encryptWithAuth(TEXT, 'pw', one)).toMatchObject(wrong)
      expect(await webcrypto.aes.encrypt(TEXT, 'pw', one)).toMatchObject(wrong)
      expect(await webcrypto.gcm.encrypt(TEXT, 'pw', one)).toMatchObject(wrong)
      expect(() => all.deriveKey('pw', one)).toThrow(TypeError)
      expect(() => all.verifyKey('pw', '00', 'salt', one)).toThrow(TypeError)
      await expect(rsa.encryptAsync(TEXT, publicKey, one)).rejects.toThrow(TypeError)
      expect(await rsa.decryptAsync('AAAA', privateKey, one)).toMatchObject(wrong)
    }
    for (const one of [{ salt: 'a' }, { iterations: 5 }, { keySize: 256 }]) {
      expect(des.encrypt(TEXT, 'pw', bad(one))).toMatchObject(wrong)
    }
    for (const one of [{ hash: 'sha256' }, { oaepHash: 'sha256' }, { label: 'a' }].map(bad)) {
      await expect(rsa.encryptAsync(TEXT, publicKey, one)).rejects.toThrow(/unknown option/)
    }
    for (const one of [{ iteration: 600_000 }, { hash: 'SHA512' }].map(bad)) {
      expect(() => all.deriveKey('pw', one)).toThrow(/unknown option/)
      expect(() => all.KeyDerivation.deriveMultipleKeys('pw', 1, one)).toThrow(/unknown option/)
      expect(() => all.KeyDerivation.deriveEncryptionKeys('pw', one)).toThrow(/unknown option/)
    }
    // An option that is wrong is not a wrong key.
    for (const one of [{ hashAlgorithm: 'md5' }, { encoding: 'ascii' }].map(bad)) {
      const failed = await rsa.decryptAsync('AAAA', privateKey, one)
      expect(failed).toMatchObject({ ...wrong, error: expect.stringMatching(/Invalid (hashAlgorithm|encoding)/) })
    }
    // Options that theirs takes and ignores are taken still.
    const sealed = await rsa.encryptAsync(TEXT, publicKey, { keyFormat: 'pkcs8', keySize: 2048, padding: 'OAEP' })
    expect(await rsa.decryptAsync(sealed, privateKey, { keyFormat: 'pkcs1' })).toMatchObject({ data: TEXT })
  })

  test('options that all objects inherit are no options', async () => {
    const inherited = { mode: 'ECB', iv: '00'.repeat(16), iterations: 1, additionalData: 'a', aad: 'a' }
    const polluted = Object.prototype as Record<string, unknown>
    const results: unknown[] = []
    Object.assign(polluted, inherited)
    try {
      for (const options of [undefined, {}]) {
        const { mode, iv } = aes.encrypt(TEXT, 'pw', options)
        results.push(mode, iv === inherited.iv, des.encrypt(TEXT, 'pw', options).mode)
        results.push((await webcrypto.gcm.encrypt(TEXT, 'pw', options)).iv === inherited.iv)
        results.push(all.deriveKey('pw', options).iterations, encryptWithAuth(TEXT, 'pw', options).authTag.length)
      }
      const { data } = des.encrypt(TEXT, 'pw', { iv: '0001020304050607' })
      results.push(des.decrypt(data as string, 'pw', { iv: '0001020304050607' }).data)
      results.push(all.chain(TEXT).encrypt('AES', 'pw', {}).execute().startsWith('{'))
    } finally {
      for (const name of Object.keys(inherited)) delete polluted[name]
    }
    const each = ['CBC', false, 'CBC', false, 10_000, 64]
    expect(results).toEqual([...each, ...each, TEXT, true])
  })

  test('a result that is of another cipher, mode or size than the caller says is refused', async () => {
    const refused = { success: false, code: 'invalid_argument', error: expect.stringMatching(/asked for/) }
    const ecb = aes.encrypt(TEXT, 'pw', { mode: 'ECB' })
    expect(aes.decrypt256(ecb, 'pw', { mode: 'CBC' })).toMatchObject(refused)
    expect(aes.decrypt256(aes.encrypt128(TEXT, 'pw'), 'pw')).toMatchObject(refused)
    expect(aes.decrypt256(ecb, 'pw', { mode: 'ECB' })).toMatchObject({ data: TEXT })
    expect([ecb, aes.encrypt128(TEXT, 'pw')].map((result) => aes.decrypt(result, 'pw').data)).toEqual([TEXT, TEXT])
    const old = des.encrypt(TEXT, 'pw', { mode: 'ECB' })
    expect(des.decrypt(old, 'pw', { mode: 'CBC' })).toMatchObject(refused)
    expect(des.decrypt(old, 'pw', { mode: 'ECB' })).toMatchObject({ data: TEXT })
    expect(all.decrypt.decrypt(old, 'pw', 'AES')).toMatchObject(refused)
    expect(all.decrypt.decrypt(old, 'pw', 'DES')).toMatchObject({ data: TEXT })
    expect(all.decrypt.decrypt(old, 'pw')).toMatchObject({ data: TEXT })
    const gcm = await webcrypto.aes.encrypt(TEXT, 'pw', { mode: 'GCM', keySize: 128 })
    expect(await webcrypto.aes.decrypt(gcm, 'pw', { keySize: 256 })).toMatchObject(refused)
    // A new encryption's options give its mode.
    const keys = all.createKeyRotation()
    keys.addKey('v1', 'pw')
    keys.setActiveKey('v1')
    const { newData } = await keys.reencryptData(keys.encrypt(TEXT), 'AES', { mode: 'CTR', keySize: 128 })
    expect(newData).toMatchObject({ mode: 'CTR', keySize: 128 })
    expect(keys.decrypt(newData as never).data).toBe(TEXT)
  })

  test('Triple DES under a key that makes it DES is read, and no longer written', () => {
    const iv = '0001020304050607'
    for (const key of ['abcdefgh', 'a', `${'abcdefgh'.repeat(2)}12345678`, `12345678${'abcdefgh'.repeat(2)}`]) {
      expect(tripledes.encrypt(TEXT, key)).toMatchObject({
        ...wrong,
        error: expect.stringMatching(/thirds of the key/),
      })
    }
    // Bits of parity tell no two apart.
    expect(tripledes.encrypt(TEXT, '02468bda13579cea12345678')).toMatchObject(wrong)
    const { data } = des.encrypt(TEXT, 'abcdefgh', { iv })
    expect(tripledes.decrypt(data as string, 'abcdefgh', { iv })).toMatchObject({ success: true, data: TEXT })
    expect(tripledes.encrypt(TEXT, tripledes.generateKey())).toMatchObject({ success: true })
  })

  test('no key is made of too few bits, or of none', () => {
    const { cryptoManager, keyGenerator } = all
    for (const bits of [16, 0, 8, 100, '256', Number.NaN]) {
      expect(() => cryptoManager.generateKey('AES', bad(bits))).toThrow(all.ValidationError)
    }
    expect([undefined, 128, 192].map((bits) => cryptoManager.generateKey('AES', bits))).toEqual(
      [64, 32, 48].map((length) => expect.stringMatching(new RegExp(`^[0-9a-f]{${length}}$`))),
    )
    expect(() => keyGenerator.generateKey(0)).toThrow(TypeError)
    expect(() => all.deriveKey('pw', { salt: '' })).toThrow(all.ValidationError)
    for (const wordCount of [0, -1, Number.NaN, 1.5]) {
      expect(() => new all.PasswordStrengthChecker().generatePassphrase({ wordCount })).toThrow(TypeError)
    }
  })

  test('digits as keys of DES are drawn so that all that count differ, and are worth what is said of them', () => {
    const made = [des.generateKey, () => all.generateSecureKey('DES'), () => all.cryptoManager.generateKey('DES')]
    const seen = new Set<string>()
    for (let i = 0; i < 300; i++) {
      for (const key of made.map((make) => make() as string)) {
        expect(key).toMatch(/^[02468abdf]{8}[0-9a-f]{8}$/)
        for (const digit of key.slice(0, 8)) seen.add(digit)
      }
    }
    expect(seen.size).toBe(9)
    for (const key of [tripledes.generateKey(), all.generateSecureKey('3DES'), all.cryptoManager.generateKey('3DES')]) {
      expect(key).toMatch(/^[02468abdf]{24}[0-9a-f]{24}$/)
    }
    const worth = (algorithm: 'DES' | '3DES') => all.validateKey(all.generateSecureKey(algorithm), { algorithm })
    expect(worth('DES')).toMatchObject({ entropy: 25, strength: 'weak', valid: true })
    expect(worth('3DES')).toMatchObject({
      entropy: 50,
      strength: 'fair',
      valid: true,
      suitableFor: { tripledes: true },
    })
    expect(worth('3DES').warnings).toEqual([expect.stringMatching(/50 bits/)])
  })

  test('a long text is no long work: decodeUrl, whose padding took the square of its length', () => {
    // The square took half a minute for a tenth of it, and would take longer than any test may.
    expect(() => all.base64.decodeUrl(`${'='.repeat(2_000_000)}x`)).toThrow()
    expect(all.base64.decodeUrl('YQ==')).toBe('a')
  })

  test('a batch takes no IV twice under keys of which all that counts is the same', async () => {
    const results = async (algorithm: 'DES' | '3DES', keys: readonly string[]): Promise<boolean[]> => {
      const options = { iv: '0001020304050607', mode: 'OFB' as const }
      const operations = keys.map((key) => ({ id: key, data: TEXT, key, algorithm, options }))
      return (await all.cryptoManager.batchEncrypt(operations)).map(({ result }) => result.success)
    }
    expect(await results('DES', ['12345678X', '12345678Y', '02345678', '22345678'])).toEqual([true, false, false, true])
    expect(await results('3DES', ['secret', 'secretsecret', 'another'])).toEqual([true, false, true])
  })

  test('a chain that failed has no plaintext left for who clears its error', () => {
    expect(all.chain('secret').encrypt('AES', '').clearError().execute()).toBe('')
  })

  test('a rotation gives out no plain keys by mistake, and takes no key whose time is over', async () => {
    const keys = all.createKeyRotation()
    keys.addKey('old', 'pw', new Date(0))
    keys.setActiveKey('old')
    expect(() => keys.exportKeys(undefined)).toThrow(TypeError)
    const expired = expect.objectContaining({ code: all.CryptoErrorCode.KEY_EXPIRED })
    expect(() => keys.encrypt(TEXT)).toThrow(expired)
    expect(keys.decrypt({ ...aes.encrypt(TEXT, 'pw'), keyVersion: 'old' })).toMatchObject({ data: TEXT })
    const others = all.createKeyRotation()
    others.addKey('mine', 'pw')
    const json = JSON.parse(keys.exportKeys())
    expect(() => others.importKeys(JSON.stringify({ ...json, activeKeyVersion: 'none' }))).toThrow(
      all.KeyManagementError,
    )
    expect(others.getKey('mine')).toBeDefined()
    for (const key of json.keys) key.active = false
    others.importKeys(JSON.stringify(json))
    expect([others.cleanupExpiredKeys(), others.getActiveKey()?.version]).toEqual([0, 'old'])
  })

  test('times and sizes that are no numbers are refused, and long ones count', () => {
    vi.useFakeTimers()
    try {
      const [day, month] = [86_400_000, 30 * 86_400_000]
      const key = new all.SecureKey('a key', { maxLifetime: month })
      vi.advanceTimersByTime(29 * day)
      expect(key.isCleared).toBe(false)
      vi.advanceTimersByTime(2 * day)
      expect(key.isCleared).toBe(true)
    } finally {
      vi.useRealTimers()
    }
    for (const time of [Number.NaN, -1, Number.POSITIVE_INFINITY, bad('50'), bad(null)]) {
      expect(() => new all.SecureKey('a key', { maxLifetime: time })).toThrow(all.ValidationError)
    }
    for (const maxSize of [Number.NaN, -1, bad('5'), bad(undefined)]) {
      expect(() => new all.LRUCache({ maxSize })).toThrow(all.ValidationError)
    }
  })
})
