// The rest of @ldesign/crypto: known answers, visible behaviour, and that its defects did not come along.

import { createHash, createHmac, pbkdf2Sync } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { hashHex } from '../src/api/hash.js'
import * as streams from '../src/extras/ldesign/core/stream.js'
import { base64, Encoder, encoding, hex, StringUtils, ValidationUtils } from '../src/extras/ldesign/encoding.js'
import { CryptoErrorCode } from '../src/extras/ldesign/errors.js'
import { Hash, Hasher, HMAC, HMACHasher, hash, hmac } from '../src/extras/ldesign/hashing.js'
import * as all from '../src/extras/ldesign/index.js'
import {
  generateSecureKey,
  isKeySuitableFor,
  KeyValidator,
  PasswordStrength,
  PasswordStrengthChecker,
  validateKey,
} from '../src/extras/ldesign/key-checks.js'
import { Latest } from '../src/extras/ldesign/latest.js'
import { PerformanceOptimizer } from '../src/extras/ldesign/optimizer.js'
import {
  Benchmark,
  compareBenchmark,
  createBenchmark,
  PerformanceMonitor,
  quickBenchmark,
} from '../src/extras/ldesign/performance.js'
import {
  clearAllPools,
  createDecryptFailure,
  createDecryptSuccess,
  createEncryptFailure,
  createEncryptSuccess,
  destroyGlobalWorkerPool,
  EncryptResultPool,
  getAllPoolStats,
  getGlobalWorkerPool,
  LRUCache,
  ObjectPool,
  releaseDecryptResult,
  releaseEncryptResult,
  WorkerPool,
} from '../src/extras/ldesign/pools.js'
import { RandomUtils } from '../src/extras/ldesign/random.js'
import {
  createFixedWindowLimiter,
  createSlidingWindowLimiter,
  createTokenBucketLimiter,
  RateLimiter,
} from '../src/extras/ldesign/rate.js'
import type { HashAlgorithm } from '../src/extras/ldesign/results.js'
import {
  clearBuffer,
  clearString,
  createTimingSafeCompare,
  MemoryCleaner,
  SecureKey,
  testTimingSafety,
  timingSafeBase64Equal,
  timingSafeBufferEqual,
  timingSafeEqual,
  timingSafeHexEqual,
  withSecureScope,
  withSecureScopeSync,
} from '../src/extras/ldesign/secure-key.js'

const TEXT = 'hello 世界 😀'
const ALGORITHMS: readonly HashAlgorithm[] = ['MD5', 'SHA1', 'SHA224', 'SHA256', 'SHA384', 'SHA512']

/** Exports of the original's modules, of version 2.0.0 at its last commit (2026-01-06). */
const THEIRS = {
  core: `
    aes authenticatedEncryption AuthenticatedEncryption base64 batchDecrypt batchEncrypt batchProcessor BatchProcessor BLAKE2b
    blowfish ChaCha20 ChaCha20Poly1305 chain CryptoChain cryptoManager CryptoManager csprng CSPRNG decrypt Decrypt decryptFromBase64
    decryptJSON decryptJSONWithAuth decryptWithAuth decryptWithWorker des des3 digitalSignature DigitalSignature Dilithium encoding
    encrypt Encrypt encryptJSON encryptJSONWithAuth encryptToBase64 encryptWithAuth encryptWithWorker EntropyCollector
    ExecutionStrategy FileEncryptor fileEncryptor getWorkerCryptoManager hash Hash hashInstance hashPassword hex HMAC hmac
    hmacInstance HybridCrypto keyGenerator KeyGenerator KeyManager keyManager LWECrypto ModernCipherUtils PerformanceOptimizer
    Poly1305 QuantumSafeUtils random rsa SPHINCSPlus StreamCipher streamCipher tripledes workerCryptoManager WorkerCryptoManager
    XSalsa20
  `,
  algorithms: `
    AESEncryptor aesGcm AESGCMEncryptor aesOptimized Argon2 argon2 BlowfishEncryptor chacha20 ChaCha20Encryptor chacha20poly1305
    ChaCha20Poly1305Encryptor DESEncryptor Encoder Hasher HMACHasher isWebCryptoSupported kdfManager KDFManager pbkdf2 PBKDF2
    RSAEncryptor Scrypt scrypt TripleDESEncryptor webcrypto WebCryptoAES
  `,
  utils: `
    acquireBuffer acquireCipherParams acquireDecryptResult acquireEncryptResult acquireWordArray AdaptiveCache AdvancedValidator
    Base64Cache Benchmark BufferPool CipherParamsPool clearAllPools clearBuffer clearString compareBenchmark compress CONSTANTS
    createAdaptiveCache createBenchmark createCryptoJSConfig createDecryptFailure createDecryptSuccess createEncryptFailure
    createEncryptSuccess createErrorResult createFixedWindowLimiter createKeyRotation createSecureStorage createSlidingWindowLimiter
    createTimingSafeCompare createTokenBucketLimiter CryptoError CryptoErrorCode CryptoErrorFactory DataCompressor decompress
    DecryptionError DecryptResultPool deriveKey deserializeEncryptResult EncodingError EncryptionError EncryptResultPool
    EncryptResultSerializer encryptResultToString ErrorHandler ErrorUtils generateSalt generateSecureKey getAllPoolStats
    getCryptoJSMode getCryptoJSPadding getErrorMessage globalDecryptResultPool globalEncryptResultPool globalPerformanceLogger
    HashError isKeySuitableFor KeyDerivation KeyManagementError KeyRotation KeyValidator LRUCache measurePerformance MemoryCleaner
    MemoryPoolManager memoryPoolManager ObjectPool PasswordStrength PasswordStrengthChecker passwordStrengthChecker
    PerformanceLogger performanceMonitor PerformanceMonitor PrewarmStrategy quickBenchmark RandomUtils RateLimiter RateLimitError
    releaseBuffer releaseCipherParams releaseDecryptResult releaseEncryptResult releaseWordArray sanitizeErrorMessage SecureKey
    SecureStorage serializeEncryptResult StorageError stringToEncryptResult StringUtils testTimingSafety timingSafeBase64Equal
    timingSafeBufferEqual timingSafeEqual timingSafeHexEqual validateKey ValidationError ValidationUtils verifyKey
    withAsyncErrorHandling withDecryptErrorHandling withEncryptErrorHandling withErrorHandling withSecureScope withSecureScopeSync
    WordArrayPool
  `,
  stream: `
    streamDecrypt streamEncrypt StreamEncryptor
  `,
  workers: `
    destroyGlobalWorkerPool getGlobalWorkerPool WorkerPool
  `,
  wasm: `
    aesDecryptWasm aesEncryptWasm CryptoWasm cryptoWasm pbkdf2Wasm sha256Wasm WasmSupport
  `,
  engine: `
    createCryptoEnginePlugin createDebugCryptoEnginePlugin createDefaultCryptoEnginePlugin createPerformanceCryptoEnginePlugin
    cryptoEnginePlugin
  `,
}

/** A call's error. */
function thrown(call: () => unknown): Error & { code?: unknown } {
  try {
    call()
  } catch (error) {
    return error as Error
  }
  throw new Error('it throws nothing')
}

test('each name of theirs is here, or stands in the guide among those that are not', () => {
  const guide = readFileSync(new URL('../../../docs/guide/from-ldesign.md', import.meta.url), 'utf8')
  const [, table = ''] = /cannot be imported:\n(.*?)\n## /s.exec(guide) ?? []
  const absent = table
    .split('\n')
    .map((row) => row.split('|')[1] ?? '')
    .join()
  const here = new Set([...Object.keys(all), ...Object.keys(streams)])
  const isAbsent = (name: string): boolean => absent.includes(`\`${name}\``)
  const names = Object.values(THEIRS).flatMap((some) => some.split(/\s+/).filter(Boolean))
  expect(names.length).toBeGreaterThan(200)
  expect(names.filter((name) => here.has(name) === isAbsent(name))).toEqual([])
})

describe('digests and HMACs', () => {
  test('are those of Node, in all forms and under all names', () => {
    const [one, all, strings] = [new Hasher(), new Hash(), new HMAC()]
    for (const algorithm of ALGORITHMS) {
      const name = algorithm.toLowerCase() as 'md5'
      for (const encoding of ['hex', 'base64'] as const) {
        const digest = createHash(name).update(TEXT).digest(encoding)
        const tag = createHmac(name, 'Jefe').update(TEXT).digest(encoding)
        expect(hash[name](TEXT, { encoding })).toBe(digest)
        expect(hash.hash(TEXT, algorithm, { encoding })).toBe(digest)
        expect(one.hash(TEXT, algorithm, { encoding })).toEqual({ success: true, hash: digest, algorithm, encoding })
        expect(all[name](TEXT, { encoding }).hash).toBe(digest)
        expect(hmac[name](TEXT, 'Jefe', { encoding })).toBe(tag)
        expect(strings[name](TEXT, 'Jefe', { encoding })).toBe(tag)
        expect(hmac.hmac(TEXT, 'Jefe', algorithm, { encoding })).toBe(tag)
        expect(new HMACHasher().hmac(TEXT, 'Jefe', algorithm, { encoding })).toEqual({
          success: true,
          hash: tag,
          algorithm: `HMAC-${algorithm}`,
          encoding,
        })
      }
    }
    expect(hash.sha256('')).toBe(createHash('sha256').digest('hex'))
    expect(hash.hash('abc', 'sha256' as 'SHA256')).toBe(hash.sha256('abc'))
    for (const key of ['', '\0', 'k'.repeat(200)]) {
      expect(hmac.sha256(TEXT, key)).toBe(createHmac('sha256', key).update(TEXT).digest('hex'))
    }
  })

  test('of BLAKE2b are those of the standard, which theirs announced', () => {
    for (const text of ['', 'abc', 'x'.repeat(300)]) {
      const digest = createHash('blake2b512').update(text).digest('hex')
      expect([hash.blake2b(text), hash.hash(text, 'BLAKE2b' as 'BLAKE2B')]).toEqual([digest, digest])
      expect(new Hash().blake2b(text)).toEqual({ success: true, hash: digest, algorithm: 'BLAKE2B', encoding: 'hex' })
    }
  })

  test('are each of its own key and algorithm, whatever came before', async () => {
    const calls = [
      ['a', 'sha256'],
      ['b', 'sha256'],
      ['b', 'md5'],
      ['', 'md5'],
      ['b', 'sha256'],
    ] as const
    const wanted = calls.map(([key, name]) => createHmac(name, key).update(TEXT).digest('hex'))
    for (let i = 0; i < 3; i++) {
      expect(calls.map(([key, name]) => hmac[name](TEXT, key))).toEqual(wanted)
      await undefined
    }
    expect(hmac.sha256(TEXT, new TextEncoder().encode('a'))).toBe(wanted[0])
  })

  test('are verified, and what is wrong is false', () => {
    for (const algorithm of ALGORITHMS) {
      const [digest, tag] = [hash.hash(TEXT, algorithm), new HMAC().hmac(TEXT, 'key', algorithm)]
      expect([hash.verify(TEXT, digest, algorithm), hmac.verify(TEXT, 'key', tag, algorithm)]).toEqual([true, true])
      expect([hash.verify(`${TEXT}.`, digest, algorithm), hmac.verify(TEXT, 'yek', tag, algorithm)]).toEqual([
        false,
        false,
      ])
      expect([hash.verify(TEXT, digest.slice(1), algorithm), hmac.verify(TEXT, 'key', '', algorithm)]).toEqual([
        false,
        false,
      ])
    }
    expect(hash.verify(TEXT, hash.sha256(TEXT), 'SHA512')).toBe(false)
    expect(hash.verify(TEXT, 'x', 'ROT13' as never)).toBe(false)
    expect(new Hash().verify(TEXT, undefined as never)).toBe(false)
  })

  test('are the algorithm that was asked for: HMAC.hmac computed SHA-256 for every other', () => {
    expect(new HMAC().hmac(TEXT, 'key', 'SHA224')).toBe(createHmac('sha224', 'key').update(TEXT).digest('hex'))
    for (const call of [
      () => new HMAC().hmac(TEXT, 'key', 'SHA3' as never),
      () => hash.hash(TEXT, 'SHA3' as never),
      () => hash.hash(TEXT, '__proto__' as never),
      () => hash.sha256(TEXT, { encoding: 'latin1' as never }),
      () => hash.sha256(TEXT, { encoding: 'utf8' }),
    ]) {
      expect(thrown(call)).toMatchObject({ name: 'HashError', code: CryptoErrorCode.HASH_FAILED })
    }
  })
})

describe('encodings', () => {
  test('are of the UTF-8 of texts, there and back', () => {
    for (const text of ['', 'a', TEXT, '\u{FEFF}mark', 'x'.repeat(1000)]) {
      const bytes = Buffer.from(text)
      expect(base64.encode(text)).toBe(bytes.toString('base64'))
      expect(base64.encodeUrl(text)).toBe(bytes.toString('base64url'))
      expect(hex.encode(text)).toBe(bytes.toString('hex'))
      expect(base64.decode(base64.encode(text))).toBe(text)
      expect(base64.decodeUrl(base64.encodeUrl(text))).toBe(text)
      expect(base64.decodeUrl(base64.encode(text))).toBe(text)
      expect(hex.decode(hex.encode(text).toUpperCase())).toBe(text)
      expect(encoding.decode(encoding.encode(text, 'utf8'), 'utf8')).toBe(text)
      expect(StringUtils.wordArrayToString(StringUtils.stringToWordArray(text))).toBe(text)
      expect(String(StringUtils.stringToWordArray(text))).toBe(bytes.toString('hex'))
      expect(StringUtils.base64ToString(StringUtils.stringToBase64(text))).toBe(text)
      expect(StringUtils.hexToString(StringUtils.stringToHex(text))).toBe(text)
      for (const by of ['base64', 'hex', 'utf8'] as const) {
        expect(StringUtils.decodeString(StringUtils.encodeString(text, by), by)).toBe(text)
      }
    }
    expect(Encoder.getInstance()).toBe(Encoder.getInstance())
    expect(StringUtils.stringToWordArray('abcd€')).toMatchObject({ words: [0x61626364, 0xe282ac00 | 0], sigBytes: 7 })
  })

  test('refuse what are no digits or no text, and one error stands for both', () => {
    const messages = ['!', 'ab=', 'YR==', '/w==', 'gICA'].map((text) => thrown(() => base64.decode(text)).message)
    expect(new Set(messages).size).toBe(1)
    for (const text of ['abc', 'zz', 'ff', '0x00']) expect(() => hex.decode(text)).toThrow('Failed to decode Hex')
    expect(thrown(() => encoding.encode('x', 'rot13' as never)).name).toBe('EncryptionError')
    expect(thrown(() => encoding.decode('x', 'rot13' as never)).name).toBe('DecryptionError')
  })

  test('are recognised', () => {
    expect(['', 'YQ==', 'YWJj'].map(ValidationUtils.isValidBase64)).toEqual([true, true, true])
    expect(['YQ=', 'YQ', 'YR==', 'a b=', undefined as never].map(ValidationUtils.isValidBase64)).not.toContain(true)
    expect(['', '00fF'].map(ValidationUtils.isValidHex)).toEqual([true, true])
    expect(['0', 'xy', '00 '].map(ValidationUtils.isValidHex)).not.toContain(true)
    expect(['', ' \n', null, undefined].map(ValidationUtils.isEmpty)).not.toContain(false)
    expect(ValidationUtils.isEmpty(' x ')).toBe(false)
    expect([
      ValidationUtils.validateKeyLength('abc', 3),
      ValidationUtils.validateAESKeyLength('x'.repeat(15), 128),
    ]).toEqual([true, false])
  })
})

describe('keys of passwords', () => {
  test('of pbkdf2 are those of Node, with the parameters that theirs has', () => {
    const of = (iterations: number, length: number): Buffer =>
      pbkdf2Sync('a password', 'a salt', iterations, length, 'sha256')
    expect(all.pbkdf2.derive('a password', { salt: 'a salt' })).toEqual({
      key: of(100_000, 32).toString('hex'),
      salt: 'a salt',
      algorithm: 'PBKDF2-SHA256',
      parameters: { iterations: 100_000, keyLength: 32 },
    })
    const options = { iterations: 1000, keyLength: 20, outputFormat: 'base64' } as const
    const key = of(1000, 20).toString('base64')
    expect(new all.PBKDF2().derive('a password', { ...options, salt: 'a salt' }).key).toBe(key)
    expect(all.pbkdf2.verify('a password', key, 'a salt', options)).toBe(true)
    expect(all.kdfManager.verify('a passworb', key, 'a salt', 'pbkdf2', options)).toBe(false)
    expect(all.kdfManager.derive('x', 'pbkdf2', { ...options, salt: '' }).salt).toMatch(/^[0-9a-f]{32}$/)
    expect(() => all.pbkdf2.derive('x', { outputFormat: 'utf8' as 'hex' })).toThrow(all.ValidationError)
    expect(() => all.pbkdf2.derive('x', { timeCost: 3 } as object)).toThrow('unknown option: timeCost')
  })

  test('have a hash function that is said in either case', () => {
    const options = { salt: 'a salt', iterations: 1000 }
    const { key } = all.deriveKey('a password', { ...options, hasher: 'SHA512' })
    expect(all.deriveKey('a password', { ...options, hasher: 'sha512' }).key).toBe(key)
    expect(thrown(() => all.deriveKey('a password', { ...options, hasher: 'MD5' as 'SHA256' }))).toMatchObject({
      code: CryptoErrorCode.NOT_SUPPORTED,
    })
  })
})

describe('random values', () => {
  test('have the length that was asked for, and come of the system', () => {
    expect(RandomUtils.generateKey()).toMatch(/^[0-9a-f]{64}$/)
    expect(RandomUtils.generateSalt()).toMatch(/^[0-9a-f]{32}$/)
    expect(RandomUtils.generateIV(8)).toMatch(/^[0-9a-f]{16}$/)
    expect(RandomUtils.generateRandomString(6, 'base64')).toMatch(/^[\w+/]{8}$/)
    expect(RandomUtils.generateRandomBytes(7)).toMatchObject({
      sigBytes: 7,
      words: [expect.any(Number), expect.any(Number)],
    })
    expect(RandomUtils.generateKey()).not.toBe(RandomUtils.generateKey())
    expect(thrown(() => RandomUtils.generateRandomString(8, 'utf8')).name).toBe('ValidationError')
    expect(() => RandomUtils.generateKey(-1)).toThrow(TypeError)
  })

  test('are of Math.random nowhere', () => {
    const folder = fileURLToPath(new URL('../src/extras/ldesign/', import.meta.url))
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'))
    expect(files.length).toBeGreaterThan(10)
    for (const file of files) {
      expect(readFileSync(`${folder}/${file}`, 'utf8').replaceAll(/\/\*\*.*?\*\/|\/\/.*/gs, ''), file).not.toContain(
        'Math.random',
      )
    }
    const random = vi.spyOn(Math, 'random').mockReturnValue(0)
    const checker = new PasswordStrengthChecker()
    const made = [
      generateSecureKey(),
      checker.generateStrongPassword(),
      checker.generatePassphrase(),
      RandomUtils.generateKey(),
    ]
    random.mockRestore()
    expect(new Set(made.map((one) => new Set(one).size < 4))).toEqual(new Set([false]))
    expect(random).not.toHaveBeenCalled()
  })
})

describe('keys', () => {
  test('are told apart by how they are written, and by how many bits they have', () => {
    const key = generateSecureKey('AES', 256)
    expect(validateKey(key)).toMatchObject({
      valid: true,
      type: 'hex',
      lengthBytes: 32,
      lengthBits: 256,
      entropy: 256,
      strength: 'excellent',
      warnings: [],
      suitableFor: { aes128: true, aes192: true, aes256: true, des: true, tripledes: true, rsa: false },
    })
    const digits = Buffer.from(generateSecureKey('AES', 128), 'hex').toString('base64')
    expect(validateKey('Zm9vYmFyIGZvbyBiYXIgMQ==')).toMatchObject({ type: 'base64', lengthBytes: 16, lengthBits: 128 })
    expect(digits).toHaveLength(24)
    expect(validateKey('password')).toMatchObject({ valid: false, type: 'password', strength: 'weak' })
    // Words, which the original took for Base64 of 96 bits.
    expect(validateKey('correcthorsebatt')).toMatchObject({ type: 'password' })
    expect(validateKey('00'.repeat(32))).toMatchObject({ valid: false, entropy: 0, strength: 'weak' })
    const good = validateKey('My$ecure-P4ss:w0rds!Of-Many')
    expect(good).toMatchObject({ valid: true, type: 'password', strength: 'excellent', warnings: [] })
    expect(KeyValidator.validate('shorter pass', { strict: true }).valid).toBe(false)
    expect(validateKey(generateSecureKey('AES', 128), { algorithm: 'AES', targetBits: 256 }).warnings[0]).toContain(
      '128 bits',
    )
  })

  test('suit an algorithm by what they are', () => {
    expect(isKeySuitableFor(generateSecureKey('AES', 128), 'AES', 128)).toBe(true)
    expect(isKeySuitableFor(generateSecureKey('AES', 128), 'AES')).toBe(false)
    expect(isKeySuitableFor(generateSecureKey('AES', 192), 'AES', 192)).toBe(true)
    expect(isKeySuitableFor('12345', 'AES', 256)).toBe(false)
    expect(isKeySuitableFor(generateSecureKey('DES'), 'DES')).toBe(true)
    expect(isKeySuitableFor(generateSecureKey('3DES'), '3DES')).toBe(true)
    expect(isKeySuitableFor('-----BEGIN PUBLIC KEY-----\n', 'RSA')).toBe(true)
    // 32 random bytes are no key of RSA, whatever the original said.
    expect(isKeySuitableFor(generateSecureKey(), 'RSA')).toBe(false)
  })

  test('are new ones of the right length, and of RSA none', () => {
    expect([128, 192, 256].map((bits) => generateSecureKey('AES', bits).length)).toEqual([32, 48, 64])
    expect([generateSecureKey('DES').length, generateSecureKey('3DES').length]).toEqual([16, 48])
    expect(thrown(() => generateSecureKey('RSA'))).toMatchObject({
      code: CryptoErrorCode.NOT_SUPPORTED,
      message: expect.stringContaining('rsa.generateKeyPair'),
    })
    expect(thrown(() => generateSecureKey('AES', 100)).name).toBe('ValidationError')
  })
})

describe('passwords', () => {
  const checker = new PasswordStrengthChecker()

  test('have a level that grows with what makes them hard to guess', () => {
    const level = (password: string): PasswordStrength => checker.analyze(password).strength
    expect([level(''), level('123'), level('password'), level('Admin@123')]).toEqual([0, 0, 0, 0])
    expect(level('horse')).toBeLessThan(level('horsebattery'))
    expect(level('horsebattery')).toBeLessThanOrEqual(level('Horse1battery'))
    expect(level('Horse1battery')).toBeLessThanOrEqual(level('Horse1-battery$Staple'))
    expect(level('Horse1-battery$Staple')).toBe(PasswordStrength.VeryStrong)
    expect(PasswordStrength[PasswordStrength.Good]).toBe('Good')
  })

  test('are described', () => {
    expect(checker.analyze('qwerty111')).toMatchObject({
      length: 9,
      characterTypes: { lowercase: true, uppercase: false, numbers: true, symbols: false, unicode: false },
      hasRepeats: true,
      hasKeyboardPattern: true,
      isCommon: false,
    })
    expect(checker.analyze('P@ssw0rd').isCommon).toBe(true)
    expect(checker.analyze('xabcdefx').hasSequence).toBe(true)
    expect(checker.analyze('密码').characterTypes.unicode).toBe(true)
    const { crackTime, entropy, issues, suggestions } = checker.analyze('abc')
    expect(entropy).toBeCloseTo(3 * Math.log2(26))
    expect(crackTime.offline).toBe('立即')
    expect([issues.length > 3, suggestions.length > 3]).toEqual([true, true])
    expect(checker.analyze('xK9$mQ2&vL5#pR8!wN').crackTime.offline).toBe('数十亿年以上')
    for (let level = 0; level < 6; level++) {
      expect(checker.getStrengthDescription(level)).not.toBe('未知')
      expect(checker.getStrengthColor(level)).toMatch(/^#[0-9a-f]{6}$/)
    }
    expect([checker.getStrengthDescription(9 as never), checker.getStrengthColor(9 as never)]).toEqual([
      '未知',
      '#757575',
    ])
  })

  test('that are made have each kind of characters, and no others', () => {
    for (let i = 0; i < 50; i++) {
      expect(checker.generateStrongPassword({ length: 8 })).toMatch(
        /^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)(?=.*[^\w]|.*_).{8}$/,
      )
      const digits = checker.generateStrongPassword({
        length: 4,
        includeLowercase: false,
        includeUppercase: false,
        includeSymbols: false,
        excludeSimilar: true,
      })
      expect(digits).toMatch(/^[2-9]{4}$/)
      expect(checker.generateStrongPassword({ excludeSimilar: true, excludeAmbiguous: true })).not.toMatch(
        /[il1IoO0()[\]{}|;:,.<>?_]/,
      )
    }
    expect(checker.generateStrongPassword()).toHaveLength(16)
    expect(thrown(() => checker.generateStrongPassword({ length: 3 })).name).toBe('ValidationError')
    const none = { includeLowercase: false, includeUppercase: false, includeSymbols: false, includeNumbers: false }
    expect(thrown(() => checker.generateStrongPassword(none)).name).toBe('ValidationError')
  })

  test('of words have as many as were asked for', () => {
    expect(checker.generatePassphrase()).toMatch(/^[A-Z][a-z]{5}(-[A-Z][a-z]{5}){3}$/)
    expect(
      checker.generatePassphrase({ wordCount: 2, separator: ' ', capitalize: false, includeNumbers: true }),
    ).toMatch(/^[a-z]{6} [a-z]{6} \d{1,4}$/)
    expect(new Set(Array.from({ length: 100 }, () => checker.generatePassphrase())).size).toBe(100)
  })
})

describe('a secure key', () => {
  afterEach(() => void vi.useRealTimers())

  test('is a copy, which is zeroed at its end and is of no use behind it', async () => {
    const own = new Uint8Array([1, 2, 3])
    const key = new SecureKey(own)
    own.fill(9)
    let seen = new Uint8Array()
    const kept = key.use((bytes) => {
      seen = bytes as typeof seen
      return bytes.join()
    })
    expect(kept).toBe('1,2,3')
    expect(await key.useAsync(async (bytes) => bytes.length)).toBe(3)
    expect([key.length, key.isCleared, key.toHex(), key.toBase64()]).toEqual([3, false, '010203', 'AQID'])
    const clone = key.clone()
    key.clear()
    key.clear()
    expect([seen.join(), key.isCleared, clone.toHex()]).toEqual(['0,0,0', true, '010203'])
    expect(() => key.use(() => 1)).toThrow('Cannot use cleared key')
    await expect(key.useAsync(async () => 1)).rejects.toThrow('Cannot use cleared key')
    expect(() => key.clone()).toThrow('Cannot clone cleared key')
    expect(() => key.toHex()).toThrow('Cannot export cleared key')
    expect(new SecureKey(TEXT).use((bytes) => new TextDecoder().decode(bytes))).toBe(TEXT)
    // An ArrayBuffer was shared with its owner.
    const { buffer } = new Uint8Array([7])
    new SecureKey(buffer).clear()
    expect(new Uint8Array(buffer)[0]).toBe(7)
    expect(`${JSON.stringify(clone)} ${clone}`).toBe('"SecureKey(3)" SecureKey(3)')
  })

  test('lives as long as it was told, for work that promises too', async () => {
    vi.useFakeTimers()
    const key = new SecureKey('secret', { maxLifetime: 1000 })
    const late = new SecureKey('secret', { maxLifetime: 1000 })
    vi.advanceTimersByTime(999)
    expect([key.isCleared, key.age]).toEqual([false, 999])
    vi.advanceTimersByTime(2)
    expect(key.isCleared).toBe(true)
    vi.useRealTimers()
    vi.spyOn(Date, 'now').mockReturnValue(Date.now() + 10_000)
    await expect(late.useAsync(async () => 1)).rejects.toThrow(/Cannot use cleared key|expired/)
    vi.restoreAllMocks()
  })

  test('of a scope is zeroed where the scope ends, also with an error', async () => {
    const keys: SecureKey[] = []
    const keep = (key: SecureKey): number => keys.push(key)
    expect(SecureKey.withKeySync('a', (key) => keep(key) && key.length)).toBe(1)
    expect(await SecureKey.withKey('a', async (key) => keep(key) && key.length)).toBe(1)
    await expect(
      SecureKey.withKey('a', async (key) => {
        keep(key)
        throw new Error('x')
      }),
    ).rejects.toThrow('x')
    expect(keys.map(({ isCleared }) => isCleared)).toEqual([true, true, true])

    const memory = [new Uint8Array([1]), new Uint8Array([1])] as const
    const key = new SecureKey('a')
    withSecureScopeSync((cleaner) => {
      cleaner.register(memory[0])
      cleaner.registerKey(key)
      expect(cleaner.size).toBe(2)
    })
    await expect(
      withSecureScope(async (cleaner) => {
        cleaner.register(memory[1].buffer)
        throw new Error('x')
      }),
    ).rejects.toThrow('x')
    expect([memory.map((bytes) => bytes[0]), key.isCleared]).toEqual([[0, 0], true])
  })

  test('has memory that is zeroed, whatever else cannot be', () => {
    const cleaner = new MemoryCleaner()
    const gone = new ArrayBuffer(8)
    structuredClone(gone, { transfer: [gone] })
    const bytes = new Uint8Array([1, 2])
    cleaner.register(gone)
    cleaner.register(bytes)
    expect([cleaner.clearAll(), cleaner.size, bytes.join()]).toEqual([1, 0, '0,0'])
    const part = new Uint8Array([1, 2, 3])
    clearBuffer(part.subarray(1, 2))
    expect([part.join(), clearString('secret')]).toEqual(['1,0,3', ''])
  })
})

describe('comparisons of secrets', () => {
  test('are of all characters', () => {
    for (const equal of [timingSafeEqual, timingSafeHexEqual, timingSafeBase64Equal]) {
      expect([equal('', ''), equal('ab12', 'ab12'), equal('ab12', 'ab13'), equal('ab1', 'ab12')]).toEqual([
        true,
        true,
        false,
        false,
      ])
    }
    expect([timingSafeHexEqual('AB', 'ab'), timingSafeEqual('AB', 'ab')]).toEqual([true, false])
    // No text has UTF-8 for these.
    expect([timingSafeEqual('\ud800', '\ud800'), timingSafeEqual('\ud800', '\ud801')]).toEqual([true, false])
    expect(timingSafeBufferEqual(new Uint8Array([1]), new Uint8Array([1]))).toBe(true)
    expect(timingSafeBufferEqual(new Uint8Array([1]), new Uint8Array([2]))).toBe(false)
    const trimmed = createTimingSafeCompare((text) => text.trim())
    expect([trimmed(' a', 'a '), trimmed('a', 'b')]).toEqual([true, false])
  })

  test('that end at the first difference are found by their time', () => {
    // A clock that each comparison of a character moves.
    let now = 0
    vi.spyOn(performance, 'now').mockImplementation(() => now)
    const early = (a: string, b: string): boolean => {
      for (let i = 0; i < a.length; i++) {
        now += 0.001
        if (a[i] !== b[i]) return false
      }
      return true
    }
    const whole = (a: string, b: string): boolean => {
      now += 0.001 * a.length
      return a === b
    }
    expect(testTimingSafety(early, 1000)).toMatchObject({ isTimingSafe: false })
    const { isTimingSafe, meanTime, stdDeviation } = testTimingSafety(whole, 1000)
    expect([isTimingSafe, meanTime, stdDeviation]).toEqual([true, expect.closeTo(4.096), expect.closeTo(0)])
    // A comparison too fast for the clock is not said to be safe.
    expect(testTimingSafety(() => true).isTimingSafe).toBe(false)
    vi.restoreAllMocks()
  })
})

describe('limits', () => {
  beforeEach(() => void vi.useFakeTimers({ now: 1_000_000 }))
  afterEach(() => void vi.useRealTimers())

  const tries = (limiter: RateLimiter, count: number, who = 'a'): boolean[] =>
    Array.from({ length: count }, () => limiter.tryAcquire(who))

  test('of a fixed window begin again at its end', () => {
    const limiter = createFixedWindowLimiter(2, 1000)
    expect(limiter.getStatus('a')).toMatchObject({ limited: false, remaining: 2, resetTime: 1_001_000 })
    expect(tries(limiter, 3)).toEqual([true, true, false])
    vi.advanceTimersByTime(400)
    expect(limiter.getStatus('a')).toEqual({ limited: true, remaining: 0, resetTime: 1_001_000, retryAfter: 600 })
    expect(limiter.tryAcquire('b')).toBe(true)
    vi.advanceTimersByTime(600)
    expect(tries(limiter, 3)).toEqual([true, true, false])
  })

  test('of a sliding window are of each moment', () => {
    const limiter = createSlidingWindowLimiter(2, 1000)
    expect(limiter.tryAcquire('a')).toBe(true)
    vi.advanceTimersByTime(600)
    expect(tries(limiter, 2)).toEqual([true, false])
    expect(limiter.getStatus('a')).toEqual({ limited: true, remaining: 0, resetTime: 1_001_000, retryAfter: 400 })
    vi.advanceTimersByTime(400)
    expect(limiter.getStatus('a')).toMatchObject({ limited: false, remaining: 1 })
    expect(tries(limiter, 2)).toEqual([true, false])
  })

  test('of a bucket come evenly', () => {
    const limiter = createTokenBucketLimiter(3, 2)
    expect(tries(limiter, 4)).toEqual([true, true, true, false])
    expect(limiter.getStatus('a')).toEqual({ limited: true, remaining: 0, resetTime: 1_000_500, retryAfter: 500 })
    vi.advanceTimersByTime(500)
    expect(tries(limiter, 2)).toEqual([true, false])
    vi.advanceTimersByTime(60_000)
    expect(limiter.getStatus('a').remaining).toBe(3)
    // A clock that is set back gives nothing.
    expect(limiter.tryAcquire('a', 3)).toBe(true)
    vi.setSystemTime(500_000)
    expect(limiter.tryAcquire('a')).toBe(false)
  })

  test('count each request as often as it says, by every strategy: windows counted it once', () => {
    for (const strategy of ['token-bucket', 'sliding-window', 'fixed-window'] as const) {
      const limiter = new RateLimiter({ maxRequests: 5, windowMs: 1000, strategy })
      expect([limiter.tryAcquire('a', 4), limiter.tryAcquire('a', 2), limiter.tryAcquire('a', 1)]).toEqual([
        true,
        false,
        true,
      ])
      expect(() => limiter.tryAcquire('a', 0)).toThrow('count must be a whole number from 1')
      expect(() => limiter.tryAcquire('a', -5)).toThrow('count')
    }
  })

  test('forget who did nothing of late, or is to be forgotten', () => {
    for (const strategy of ['token-bucket', 'sliding-window', 'fixed-window'] as const) {
      const limiter = new RateLimiter({ maxRequests: 1, windowMs: 1000, strategy })
      expect([limiter.tryAcquire('a'), limiter.tryAcquire('b'), limiter.cleanup()]).toEqual([true, true, 0])
      limiter.reset('a')
      expect([limiter.tryAcquire('a'), limiter.tryAcquire('b')]).toEqual([true, false])
      limiter.resetAll()
      expect(limiter.tryAcquire('b')).toBe(true)
      vi.advanceTimersByTime(1000)
      expect(limiter.cleanup()).toBe(1)
    }
  })

  test('are numbers that mean something', () => {
    for (const options of [
      { maxRequests: Number.NaN, windowMs: 1 },
      { maxRequests: -1, windowMs: 1 },
      { maxRequests: 1, windowMs: 0 },
      { maxRequests: 1, windowMs: 1, strategy: 'none' as never },
      { maxRequests: 1, windowMs: 1, strategy: 'token-bucket' as const, refillRate: Number.POSITIVE_INFINITY },
    ]) {
      expect(thrown(() => new RateLimiter(options)).name).toBe('ValidationError')
    }
    expect(createFixedWindowLimiter(0, 1000).tryAcquire('a')).toBe(false)
  })
})

describe('a cache', () => {
  afterEach(() => void vi.useRealTimers())

  test('forgets what was used least recently', () => {
    const cache = new LRUCache<string, number>({ maxSize: 2 })
    cache.set('a', 1)
    cache.set('b', 2)
    expect(cache.get('a')).toBe(1)
    cache.set('c', 3)
    expect([cache.has('a'), cache.has('b'), cache.keys(), cache.values()]).toEqual([true, false, ['a', 'c'], [1, 3]])
    expect([cache.get('b'), cache.size]).toEqual([undefined, 2])
    expect(cache.getStats()).toMatchObject({
      hits: 1,
      misses: 1,
      evictions: 1,
      hitRate: 0.5,
      totalRequests: 2,
      maxSize: 2,
    })
    cache.setMany([
      ['d', 4],
      ['e', 5],
    ])
    expect([...cache.getMany(['d', 'e', 'f'])]).toEqual([
      ['d', 4],
      ['e', 5],
    ])
    expect([cache.deleteMany(['d', 'f']), cache.delete('e'), cache.size]).toEqual([1, true, 0])
    cache.set('g', undefined as never)
    expect([cache.get('g'), cache.has('g')]).toEqual([undefined, true])
  })

  test('forgets what is too old', () => {
    vi.useFakeTimers()
    const cache = new LRUCache<string, number>({ maxSize: 9, ttl: 1000, updateAgeOnGet: false })
    const kept = new LRUCache<string, number>({ maxSize: 9, ttl: 1000 })
    for (const one of [cache, kept]) one.set('a', 1)
    vi.advanceTimersByTime(900)
    expect([cache.get('a'), kept.get('a')]).toEqual([1, 1])
    vi.advanceTimersByTime(200)
    expect([cache.entries(), kept.entries()]).toEqual([[], [['a', 1]]])
    expect([cache.size, cache.cleanup(), cache.size]).toEqual([1, 1, 0])
    const own = new LRUCache<string, number>({ maxSize: 9, ttl: 10, cleanupInterval: 100 })
    own.set('a', 1)
    vi.advanceTimersByTime(100)
    expect(own.size).toBe(0)
    own.destroy()
    own.set('a', 1)
    vi.advanceTimersByTime(500)
    expect(own.size).toBe(1)
  })

  test('has no more bytes than it may have, also where a value grows', () => {
    const cache = new LRUCache<string, string>({ maxSize: 99, maxMemorySize: 10 })
    cache.set('a', 'xxxx')
    cache.set('b', '世x')
    expect(cache.getStats()).toMatchObject({ currentMemorySize: 8, memoryUsagePercent: 80 })
    cache.set('b', '世世x')
    expect([cache.has('a'), cache.getStats().currentMemorySize, cache.getStats().memoryEvictions]).toEqual([
      false,
      7,
      1,
    ])
    cache.set('b', 'x'.repeat(11))
    expect([cache.has('b'), cache.getStats().currentMemorySize]).toEqual([false, 0])
    const objects = new LRUCache<string, unknown>({ maxSize: 99 })
    const circle: { own?: unknown } = {}
    circle.own = circle
    for (const [size, value] of [
      [0, null],
      [8, 5],
      [4, true],
      [7, { a: 1 }],
      [3, new Uint8Array(3)],
      [256, circle],
    ] as const) {
      objects.clear()
      objects.set('a', value)
      expect(objects.getStats().currentMemorySize).toBe(size)
    }
  })
})

describe('pools', () => {
  test('give an object again, and not to two', () => {
    const made: object[] = []
    const pool = new ObjectPool({
      maxSize: 2,
      factory: () => made[made.push({}) - 1] as object,
      reset: (one) => Object.assign(one, { isReset: true }),
    })
    const one = pool.acquire()
    pool.release(one)
    pool.release(one)
    expect([pool.size, pool.acquire(), pool.acquire() === one]).toEqual([1, one, false])
    expect(pool.getStats()).toMatchObject({ acquires: 3, releases: 2, hits: 1, misses: 2, hitRate: 1 / 3, discards: 1 })
    expect(one).toEqual({ isReset: true })
    pool.prewarm(9)
    expect(pool.size).toBe(2)
    pool.clear()
    pool.resetStats()
    expect(pool.getStats()).toMatchObject({ size: 0, acquires: 0, hitRate: 0 })
    const silent = new ObjectPool({ factory: () => 0, reset: () => {}, enableStats: false })
    // An object that is falsy waits too.
    silent.release(silent.acquire())
    expect([silent.size, silent.acquire(), silent.getStats().acquires]).toEqual([1, 0, 0])
  })

  test('of results keep no plaintext and nothing of the one before', () => {
    clearAllPools()
    const opened = createDecryptSuccess('attack at dawn', 'AES', 'CBC')
    expect(opened).toEqual({ success: true, data: 'attack at dawn', algorithm: 'AES', mode: 'CBC' })
    releaseDecryptResult(opened)
    expect(opened).toEqual({ success: false, data: '', algorithm: '' })
    expect(createDecryptFailure('DES', 'no')).toEqual({ success: false, data: '', algorithm: 'DES', error: 'no' })
    const sealed = createEncryptSuccess('Zm9v', 'AES', { iv: '00', keySize: 256, salt: '11' })
    expect(sealed).toEqual({ success: true, data: 'Zm9v', algorithm: 'AES', iv: '00', keySize: 256, salt: '11' })
    releaseEncryptResult(sealed)
    const failed = createEncryptFailure('AES', 'no')
    expect([failed === sealed, failed]).toEqual([true, { success: false, data: '', algorithm: 'AES', error: 'no' }])
    expect(getAllPoolStats()).toMatchObject({
      encryptResults: { hits: 1, size: 0 },
      decryptResults: { hits: 1, size: 0 },
    })
    expect(new EncryptResultPool({ maxSize: 1 }).getStats().maxSize).toBe(1)
  })

  test('of workers are refused, with what to use', async () => {
    for (const make of [() => new WorkerPool({ size: 2 }), () => getGlobalWorkerPool()]) {
      expect(thrown(make)).toMatchObject({
        code: CryptoErrorCode.NOT_SUPPORTED,
        message: expect.stringContaining('sealstone/workers'),
      })
    }
    await expect(destroyGlobalWorkerPool()).resolves.toBeUndefined()
  })
})

describe('a monitor', () => {
  test('says of operations what they took, with the documented quantiles', () => {
    const monitor = new PerformanceMonitor()
    for (let i = 1; i <= 100; i++) monitor.recordOperation('encrypt', 'AES', i, { dataSize: 1000, success: i > 10 })
    const { averageLatency, p50Latency, p95Latency, p99Latency, maxLatency, ...counts } = monitor.getStats()
    expect(counts).toEqual({
      totalOperations: 100,
      successfulOperations: 90,
      failedOperations: 10,
      errorRate: 0.1,
      computed: [],
    })
    expect(averageLatency).toBeCloseTo(50.5)
    // Exact to an eighth.
    for (const [found, exact] of [
      [p50Latency, 50],
      [p95Latency, 95],
      [p99Latency, 99],
      [maxLatency, 100],
    ] as const) {
      expect(found / exact).toBeGreaterThan(0.999)
      expect(found / exact).toBeLessThan(1.126)
    }
    expect(monitor.generateReport()).toMatchObject({
      totalOperations: 100,
      failedOperations: 10,
      averageDuration: expect.closeTo(50.5),
      minDuration: expect.closeTo(1),
      maxDuration: expect.closeTo(100),
      totalDataProcessed: 100_000,
      byAlgorithm: new Map([
        [
          'AES',
          {
            algorithm: 'AES',
            count: 100,
            averageDuration: expect.closeTo(50.5),
            successRate: 0.9,
            totalDataProcessed: 100_000,
          },
        ],
      ]),
      byOperation: new Map([
        ['encrypt', { operation: 'encrypt', count: 100, averageDuration: expect.closeTo(50.5), successRate: 0.9 }],
      ]),
    })
    expect(monitor.getMetrics()[0]).toMatchObject({
      operation: 'encrypt',
      algorithm: 'AES',
      dataSize: 1000,
      success: false,
    })
  })

  test('counts what documents of theirs record, and nothing that is no number', () => {
    const said = new PerformanceMonitor()
    said.recordOperation('encrypt', 'AES-256', 1.2)
    expect(said.getMetrics()).toMatchObject([{ operation: 'encrypt', algorithm: 'AES-256', duration: 1.2 }])
    expect(said.getStats()).toMatchObject({ totalOperations: 1, averageLatency: 1.2, p95Latency: 1.2 })
    const monitor = new PerformanceMonitor()
    for (const none of ['1.2', Number.NaN, -1, undefined] as number[]) {
      expect(() => monitor.recordOperation('encrypt', 'AES-256', none)).toThrow('duration must be a number from 0')
    }
    for (const none of ['12', Number.NaN, -1] as number[]) {
      expect(() => monitor.recordOperation('encrypt', 'AES-256', 1, { dataSize: none })).toThrow('dataSize must be')
    }
    expect(monitor.getStats()).toMatchObject({ totalOperations: 0, averageLatency: 0 })
  })

  test('times what begins and ends, and nothing else', () => {
    const monitor = new PerformanceMonitor({ realTimeMonitoring: true })
    const heard: string[] = []
    const end = monitor.onRealTimeMetric(({ operation, error }) => heard.push(`${operation} ${error}`))
    monitor.onRealTimeMetric(() => {
      throw new Error('a listener of its own')
    })
    const complaint = vi.spyOn(console, 'error').mockImplementation(() => {})
    monitor.startOperation('1', 'AES')
    monitor.endOperation('1', 'encrypt', false, 5, 'no')
    monitor.endOperation('1', 'again')
    monitor.endOperation('never', 'begun')
    expect([heard, complaint.mock.calls.length]).toEqual([['encrypt no'], 1])
    complaint.mockRestore()
    end()
    expect(monitor.getMetrics()).toMatchObject([
      { operation: 'encrypt', algorithm: 'AES', success: false, error: 'no' },
    ])
    // Sealstone's operations are counted meanwhile.
    hashHex('sha256', 'abc')
    expect(monitor.getStats().computed).toMatchObject([
      { operation: 'hash', algorithm: 'sha256', operations: 1, bytes: 3 },
    ])
    monitor.destroy()
    expect(monitor.getStats()).toMatchObject({ totalOperations: 0, computed: [] })
  })

  test('keeps what it was told to keep', () => {
    const monitor = new PerformanceMonitor({ maxMetrics: 3, samplingRate: 0.25 })
    for (let i = 0; i < 16; i++) monitor.recordOperation(`${i}`, 'AES', 1)
    expect(monitor.getMetrics().map(({ operation }) => operation)).toEqual(['7', '11', '15'])
    expect(monitor.getStats().totalOperations).toBe(4)
    expect(monitor.generateReport(Date.now() + 1000).totalOperations).toBe(0)
    expect(monitor.generateReport(Date.now() - 60_000).totalOperations).toBe(3)
    const text = monitor.exportMetrics()
    const other = new PerformanceMonitor({ autoCleanup: false })
    expect([other.importMetrics(text), other.getMetrics().length]).toEqual([true, 3])
    for (const none of ['no JSON', '{}', '[1]', '[{"operation":"x"}]']) expect(other.importMetrics(none)).toBe(false)
    // The original compared two clocks, and forgot all.
    other.cleanup()
    expect(other.getMetrics()).toHaveLength(3)
    other.cleanup(Date.now() + 1000)
    expect(other.generateReport()).toMatchObject({
      totalOperations: 0,
      minDuration: 0,
      maxDuration: 0,
      timeSeriesData: [],
    })
    const off = new PerformanceMonitor({ enabled: false })
    off.recordOperation('x', 'AES', 1)
    expect(off.getStats().totalOperations).toBe(0)
  })

  test('forgets by itself what is older than it was told, and shows each minute', () => {
    let now = 10
    vi.spyOn(performance, 'now').mockImplementation(() => now)
    const monitor = new PerformanceMonitor({ cleanupThreshold: 200_000 })
    for (const [at, success] of [
      [1000, true],
      [2000, false],
      [70_000, true],
    ] as const) {
      now = at
      monitor.recordOperation('x', 'AES', 10, { success })
    }
    expect(monitor.generateReport().timeSeriesData).toEqual([
      { timestamp: 990, operationsPerSecond: 2 / 60, averageLatency: 10, errorRate: 0.5 },
      { timestamp: 60_990, operationsPerSecond: 1 / 60, averageLatency: 10, errorRate: 0 },
    ])
    now = 250_000
    monitor.recordOperation('x', 'AES', 10)
    expect(monitor.getMetrics()).toHaveLength(2)
    vi.restoreAllMocks()
  })
})

describe('measurements', () => {
  test('are of what was asked for', async () => {
    const benchmark = createBenchmark({
      iterations: 2,
      warmupIterations: 1,
      dataSizes: [10, 2000],
      algorithms: ['AES', 'SHA256', 'MD5', 'Base64', 'Hex'],
    })
    const suite = await benchmark.runAll()
    expect(suite.results.map(({ algorithm, operation, dataSize }) => `${algorithm} ${operation} ${dataSize}`)).toEqual([
      ...['AES-256 encrypt 10', 'AES-256 decrypt 10', 'AES-256 encrypt 2000', 'AES-256 decrypt 2000'],
      ...['SHA256 hash 10', 'SHA256 hash 2000', 'MD5 hash 10', 'MD5 hash 2000'],
      ...['BASE64 encode 10', 'BASE64 decode 10', 'BASE64 encode 2000', 'BASE64 decode 2000'],
      ...['HEX encode 10', 'HEX decode 10', 'HEX encode 2000', 'HEX decode 2000'],
    ])
    for (const { averageTime, dataSize, iterations, operationsPerSecond, throughput, totalTime } of suite.results) {
      expect([iterations, totalTime]).toEqual([2, expect.closeTo(2 * averageTime)])
      expect(operationsPerSecond).toBeCloseTo(1000 / averageTime, 0)
      expect(throughput).toBeCloseTo(dataSize / averageTime / 1000)
    }
    expect(JSON.parse(benchmark.generateJSONReport(suite)).results).toHaveLength(16)
    expect(benchmark.generateReport(suite)).toMatch(/AES-256\nencrypt +10B +[\d.]+(µs|ms) +[\d.]+ MB\/s\n/)
    expect([benchmark.formatSize(5), benchmark.formatSize(2048), benchmark.formatSize(3 * 2 ** 20)]).toEqual([
      '5B',
      '2.00KB',
      '3.00MB',
    ])
    await expect(new Benchmark({ algorithms: ['ROT13'] }).runAll()).rejects.toThrow('ROT13')
  })

  test('of one function are those that documents of theirs have', async () => {
    let now = 1000
    vi.spyOn(performance, 'now').mockImplementation(() => now)
    try {
      const fn = (): void => {
        now += 40
      }
      const took = { averageTime: 40, avgTime: 40, minTime: 40, maxTime: 40, opsPerSecond: 25 }
      expect(await all.benchmark('AES-256', fn, 1000)).toEqual({ name: 'AES-256', iterations: 1005, ...took })
      expect(await all.benchmark({ name: 'AES-256', fn, iterations: 15 })).toEqual({
        name: 'AES-256',
        iterations: 15,
        ...took,
      })
    } finally {
      vi.restoreAllMocks()
    }
  })

  test('compare two, also of two kinds', async () => {
    const options = { iterations: 1, warmupIterations: 1, dataSizes: [100, 5000] }
    expect(await compareBenchmark('MD5', 'SHA512', options)).toMatch(
      /^MD5 vs SHA512\nhash \(100B\): (MD5|SHA512) [\d.]+x\nhash \(4\.88KB\): (MD5|SHA512) [\d.]+x\n$/,
    )
    expect(await compareBenchmark('AES', 'Base64', options)).toMatch(
      /^AES vs Base64\nencrypt\/encode \(100B\): \w+ [\d.]+x\n$/,
    )
    expect((await quickBenchmark()).results).toHaveLength(15)
  })
})

describe('batches', () => {
  const key = generateSecureKey('AES', 256)

  test('give each item its own result: the same text twice is two ciphertexts, and no item has another’s', async () => {
    const optimizer = new PerformanceOptimizer({ maxCacheSize: 7 })
    const operations = ['one', 'one', 'two'].map((data, i) => ({ id: `${i}`, data, key, algorithm: 'AES' as const }))
    const sealed = await optimizer.batchEncrypt(operations)
    expect(sealed.map(({ id, result }) => [id, result.success])).toEqual([
      ['0', true],
      ['1', true],
      ['2', true],
    ])
    expect(new Set(sealed.map(({ result }) => result.iv)).size).toBe(3)
    expect(new Set(sealed.map(({ result }) => result.data)).size).toBe(3)
    const opened = await optimizer.batchDecrypt(
      sealed.map(({ id, result }) => ({ id, data: result, key, algorithm: 'AES' })),
    )
    // The original gave the first one three times.
    expect(opened.map(({ result }) => result.data)).toEqual(['one', 'one', 'two'])
    // Keys and data that are the same when they stand one behind the other.
    const met = await optimizer.batchEncrypt([
      { id: 'a', key: 'a', data: 'b:c', algorithm: 'AES' },
      { id: 'b', key: 'a:b', data: 'c', algorithm: 'AES' },
    ])
    const back = await optimizer.batchDecrypt(
      met.map(({ id, result }, i) => ({ id, data: result, key: ['a', 'a:b'][i] as string, algorithm: 'AES' })),
    )
    expect(back.map(({ result }) => result.data)).toEqual(['b:c', 'c'])
    // No result is kept: these are the keys of the texts.
    expect(optimizer.getCacheStats()).toEqual(all.AESEncryptor.getCacheStats().keyCache)
    expect(optimizer.getPerformanceMetrics().averageLatency).toBeGreaterThan(0)
    optimizer.resetStats()
    expect(optimizer.getPerformanceMetrics()).toMatchObject({ operationsPerSecond: 0, averageLatency: 0 })
  })

  test('refuse an IV that an item of before had under the same key', async () => {
    const iv = '000102030405060708090a0b0c0d0e0f'
    const item = (key: string, options: object, algorithm: 'AES' | 'DES' = 'AES') => ({
      id: 'x',
      data: 'x',
      key,
      algorithm,
      options,
    })
    const results = await new PerformanceOptimizer().batchEncrypt([
      item(key, { iv, mode: 'CTR' }),
      item(key.toUpperCase(), { iv: iv.toUpperCase(), mode: 'CTR' }),
      item(key, { iv }),
      item(generateSecureKey(), { iv, mode: 'CTR' }),
      item(key, {}),
      item(key, {}),
      item(key, { iv, mode: 'ECB' }),
      item(key, { iv, mode: 'ECB' }),
    ])
    expect(results.map(({ result }) => result.success)).toEqual([true, false, false, true, true, true, true, true])
    expect(results[1]?.result).toMatchObject({
      data: '',
      code: 'invalid_argument',
      error: expect.stringContaining('under the same key'),
    })
  })

  test('say of an item that fails that it does, and go on', async () => {
    const optimizer = new PerformanceOptimizer()
    const results = await optimizer.batchDecrypt([
      { id: 'a', key, data: 'no ciphertext', algorithm: 'AES' },
      { id: 'b', key, data: 'x', algorithm: 'ROT13' as never },
      { id: 'c', key: undefined as never, data: undefined as never, algorithm: undefined as never },
    ])
    expect(results.map(({ id, result }) => [id, result.success])).toEqual([
      ['a', false],
      ['b', false],
      ['c', false],
    ])
  })
})

test('what was made of the last key text is found in the same turn of the event loop, and is ended then', async () => {
  const ended: number[] = []
  const latest = new Latest<number>((value) => ended.push(value))
  latest.hold('cbc', 'key', 1)
  expect([latest.find('cbc', 'key'), latest.find('ctr', 'key'), latest.find('cbc', 'Key')]).toEqual([
    1,
    undefined,
    undefined,
  ])
  latest.hold('cbc', 'another', 2)
  expect([latest.find('cbc', 'key'), latest.find('cbc', 'another'), ended]).toEqual([undefined, 2, [1]])
  await new Promise((resolve) => setTimeout(resolve))
  expect([latest.find('cbc', 'another'), ended]).toEqual([undefined, [1, 2]])
})
