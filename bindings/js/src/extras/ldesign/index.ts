/**
 * The functions of `@ldesign/crypto` under their names, for existing programs and data. The formats are the same, without the defects of
 * the original. `docs/guide/from-ldesign.md` in the repository lists the differences, and how to move on.
 *
 * Most of these formats do not authenticate: whoever changes the data changes the plaintext. `authenticated` in the result of a decryption
 * says whether the data were authenticated. Use `encrypt` or `sealMessage` of `sealstone` for new data.
 *
 * Keys and passwords are JavaScript strings, which cannot be erased.
 *
 * @module sealstone/compat/ldesign
 */

import { AESEncryptor, aes } from './aes.js'
import { blowfish, decrypt, digitalSignature, encrypt, keyGenerator } from './ciphers.js'
import { des, des3, tripledes } from './des.js'
import { base64, encoding, hex, StringUtils, ValidationUtils } from './encoding.js'
import { ErrorUtils } from './errors.js'
import { hash, hmac } from './hashing.js'
import { PasswordStrengthChecker } from './key-checks.js'
import { CryptoManager, cryptoManager } from './manager.js'
import { PerformanceOptimizer } from './optimizer.js'
import { PerformanceMonitor } from './performance.js'
import { RandomUtils } from './random.js'
import { CONSTANTS } from './results.js'
import { rsa } from './rsa.js'

export { SealstoneError } from '../../basics/error.js'
export type {
  AuthenticatedDecryptResult,
  AuthenticatedEncryptionOptions,
  AuthenticatedEncryptResult,
} from './authenticated.js'
export {
  AuthenticatedEncryption,
  authenticatedEncryption,
  decryptJSONWithAuth,
  decryptWithAuth,
  encryptJSONWithAuth,
  encryptWithAuth,
} from './authenticated.js'
export {
  CryptoChain,
  chain,
  decryptFromBase64,
  decryptJSON,
  encryptJSON,
  encryptToBase64,
  hashPassword,
} from './chain.js'
export { BlowfishEncryptor, Decrypt, DigitalSignature, Encrypt, KeyGenerator } from './ciphers.js'
export { compress, DataCompressor, decompress } from './compression.js'
export type {
  KDFOptions,
  KDFResult,
  KeyDerivationOptions,
  KeyDerivationResult,
  SecurityLevel,
} from './derivation.js'
export {
  deriveKey,
  generateSalt,
  KDFManager,
  KeyDerivation,
  kdfManager,
  PBKDF2,
  pbkdf2,
  verifyKey,
} from './derivation.js'
export { DESEncryptor, TripleDESEncryptor } from './des.js'
export type { WordArray } from './encoding.js'
export { Encoder } from './encoding.js'
export {
  CryptoError,
  CryptoErrorCode,
  CryptoErrorFactory,
  createErrorResult,
  DecryptionError,
  EncodingError,
  EncryptionError,
  type ErrorDetails,
  ErrorHandler,
  type ErrorHandlerOptions,
  HashError,
  KeyManagementError,
  RateLimitError,
  type ResultCode,
  StorageError,
  sanitizeErrorMessage,
  ValidationError,
  withAsyncErrorHandling,
  withDecryptErrorHandling,
  withEncryptErrorHandling,
  withErrorHandling,
} from './errors.js'
export { Hash, Hasher, HMAC, HMACHasher, hashInstance, hmacInstance } from './hashing.js'
export type * from './key-checks.js'
export {
  generateSecureKey,
  isKeySuitableFor,
  KeyValidator,
  PasswordStrength,
  passwordStrengthChecker,
  validateKey,
} from './key-checks.js'
export { type LegacyOptions, legacy, type SalvageOptions } from './legacy.js'
export type { CryptoConfig } from './manager.js'
export type {
  BatchOperation,
  BatchResult,
  PerformanceMetrics,
  PerformanceOptimizerConfig,
} from './optimizer.js'
export type * from './performance.js'
export {
  Benchmark,
  benchmark,
  compareBenchmark,
  createBenchmark,
  performanceMonitor,
  quickBenchmark,
} from './performance.js'
export type * from './pools.js'
export {
  acquireDecryptResult,
  acquireEncryptResult,
  clearAllPools,
  createDecryptFailure,
  createDecryptSuccess,
  createEncryptFailure,
  createEncryptSuccess,
  DecryptResultPool,
  destroyGlobalWorkerPool,
  EncryptResultPool,
  getAllPoolStats,
  getGlobalWorkerPool,
  globalDecryptResultPool,
  globalEncryptResultPool,
  LRUCache,
  ObjectPool,
  releaseDecryptResult,
  releaseEncryptResult,
  WorkerPool,
} from './pools.js'
export { prepare } from './preparation.js'
export type * from './rate.js'
export {
  createFixedWindowLimiter,
  createSlidingWindowLimiter,
  createTokenBucketLimiter,
  RateLimiter,
} from './rate.js'
export * from './refused.js'
export type * from './results.js'
export {
  createKeyRotation,
  type EncryptedDataMetadata,
  type KeyInfo,
  KeyRotation,
  type ReencryptionResult,
  type Versioned,
} from './rotation.js'
export { RSAEncryptor, type RSAHashOptions, type RSAKeySize } from './rsa.js'
export type { CacheStats } from './schedules.js'
export type * from './secure-key.js'
export {
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
} from './secure-key.js'
export {
  deserializeEncryptResult,
  EncryptResultSerializer,
  encryptResultToString,
  type SerializationFormat,
  type SerializationOptions,
  serializeEncryptResult,
  stringToEncryptResult,
} from './serialization.js'
export { createSecureStorage, SecureStorage, type SecureStorageOptions, type StorageMetadata } from './storage.js'
export type {
  StreamDecryptionOptions,
  StreamDecryptionResult,
  StreamEncryptionOptions,
  StreamEncryptionResult,
  StreamProgress,
} from './stream.js'
export { StreamEncryptor, streamDecrypt, streamEncrypt } from './stream.js'
export {
  AESGCMEncryptor,
  type AESGCMEncryptResult,
  type AESGCMOptions,
  isWebCryptoSupported,
  WebCryptoAES,
  type WebCryptoDecryptResult,
  type WebCryptoEncryptResult,
  webcrypto,
} from './web-crypto.js'
export {
  AESEncryptor,
  aes,
  base64,
  blowfish,
  CONSTANTS,
  CryptoManager,
  cryptoManager,
  decrypt,
  des,
  des3,
  digitalSignature,
  ErrorUtils,
  encoding,
  encrypt,
  hash,
  hex,
  hmac,
  keyGenerator,
  PasswordStrengthChecker,
  PerformanceMonitor,
  PerformanceOptimizer,
  RandomUtils,
  rsa,
  StringUtils,
  tripledes,
  ValidationUtils,
}

/** Everything behind one name, for programs that use the default import. */
const LDesignCrypto = {
  encrypt,
  decrypt,
  hash,
  hmac,
  keyGenerator,
  digitalSignature,
  manager: cryptoManager,
  CryptoManager,
  PerformanceOptimizer,
  algorithms: { aes, rsa, des, des3, tripledes, blowfish },
  encoding: { base64, hex, encoding },
  utils: { StringUtils, RandomUtils, ValidationUtils, ErrorUtils },
  constants: CONSTANTS,
  version: '0.1.0',
  name: '@ldesign/crypto',
  PasswordStrengthChecker,
  PerformanceMonitor,
} as const

export { LDesignCrypto, LDesignCrypto as default }
