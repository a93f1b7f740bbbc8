// The manager of @ldesign/crypto: ciphers, hashes and keys behind one object.

import { branded } from '../../basics/receiver.js'
import { decrypt, encrypt, hasIv, keyGenerator } from './ciphers.js'
import { messageOf, resultCodeOf, unsupported } from './errors.js'
import { hash, hmacInstance } from './hashing.js'
import { generateSecureKey } from './key-checks.js'
import { type BatchOperation, type BatchResult, type PerformanceMetrics, PerformanceOptimizer } from './optimizer.js'
import type {
  DecryptResult,
  EncryptionAlgorithm,
  EncryptionOptions,
  EncryptResult,
  HashAlgorithm,
  HashOptions,
  RSAKeyPair,
} from './results.js'
import type { RSAKeySize } from './rsa.js'
import type { CacheStats } from './schedules.js'

export interface CryptoConfig {
  /** `AES` by default. */
  defaultAlgorithm?: EncryptionAlgorithm
  /** No results are kept, whatever this says. The process has a cache of derived keys. */
  enableCache?: boolean
  maxCacheSize?: number
  enableParallel?: boolean
  /** Whether an encryption without an IV makes one; true by default. */
  autoGenerateIV?: boolean
  /** No effect: a key is always derived from a text that is not the digits of a key. */
  keyDerivation?: boolean
  debug?: boolean
  logLevel?: 'error' | 'warn' | 'info' | 'debug'
}

/** Encrypts, decrypts and hashes; an error is in the result. */
export class CryptoManager {
  #config: Required<CryptoConfig>
  readonly #optimizer = new PerformanceOptimizer()

  /** @internal */
  static readonly brand: string = /* @__PURE__ */ branded(this, 'ldesign.CryptoManager', (value) => #config in value)

  constructor(config: CryptoConfig = {}) {
    this.#config = {
      defaultAlgorithm: 'AES',
      enableCache: true,
      maxCacheSize: 1000,
      enableParallel: true,
      autoGenerateIV: true,
      keyDerivation: false,
      debug: false,
      logLevel: 'error',
      ...config,
    }
  }

  async encryptData(
    data: string,
    key: string,
    algorithm: EncryptionAlgorithm = this.#config.defaultAlgorithm,
    options?: EncryptionOptions,
  ): Promise<EncryptResult> {
    try {
      this.#checkIv(algorithm, options)
      return encrypt.encrypt(data, key, algorithm, options)
    } catch (error) {
      return { success: false, error: messageOf(error), code: resultCodeOf(error), algorithm }
    }
  }

  async decryptData(
    encryptedData: string | EncryptResult,
    key: string,
    algorithm?: EncryptionAlgorithm,
    options?: EncryptionOptions,
  ): Promise<DecryptResult> {
    return decrypt.decrypt(encryptedData, key, algorithm, options)
  }

  /** Encrypts many items, each under an IV of its own. */
  async batchEncrypt(operations: readonly BatchOperation[]): Promise<BatchResult<EncryptResult>[]> {
    return this.#optimizer.batchEncrypt(operations)
  }

  /** Decrypts many items. */
  async batchDecrypt(operations: readonly BatchOperation[]): Promise<BatchResult<DecryptResult>[]> {
    return this.#optimizer.batchDecrypt(operations)
  }

  hashData(data: string, algorithm: HashAlgorithm = 'SHA256', options?: HashOptions): string {
    return hash.hash(data, algorithm, options)
  }

  /** @throws {@link CryptoError} for an algorithm that has no HMAC here. */
  hmacData(data: string, key: string, algorithm: HashAlgorithm = 'SHA256'): string {
    return hmacInstance.hmac(data, key, algorithm)
  }

  /**
   * An AES key of 128, 192 or 256 bits (by default 256), as hexadecimal digits; a key pair for RSA. DES and 3DES are as with
   * {@link generateSecureKey}.
   */
  generateKey(algorithm: EncryptionAlgorithm, keySize?: number): string | RSAKeyPair {
    const name = String(algorithm).toUpperCase()
    if (name === 'AES' || name === 'DES' || name === '3DES') return generateSecureKey(name, keySize ?? 256)
    if (name === 'RSA') return keyGenerator.generateRSAKeyPair(keySize as RSAKeySize | undefined)
    throw unsupported(`Unsupported algorithm for key generation: ${algorithm}`, 'use AES, RSA, DES or 3DES')
  }

  getSupportedAlgorithms(): EncryptionAlgorithm[] {
    return ['AES', 'RSA', 'DES', '3DES']
  }

  /** As {@link getCacheStats}. */
  getPerformanceStats(): CacheStats {
    return this.#optimizer.getCacheStats()
  }

  /** As `getCacheStats` of a {@link PerformanceOptimizer}. */
  getCacheStats(): CacheStats {
    return this.#optimizer.getCacheStats()
  }

  getPerformanceMetrics(): PerformanceMetrics {
    return this.#optimizer.getPerformanceMetrics()
  }

  /** Keys leave the cache by themselves. */
  cleanupCache(): number {
    return this.#optimizer.cleanupCache()
  }

  /** Forgets all derived keys. */
  clearCache(): void {
    this.#optimizer.clearCache()
  }

  updateConfig(config: Partial<CryptoConfig>): void {
    this.#config = { ...this.#config, ...config }
  }

  getConfig(): CryptoConfig {
    return { ...this.#config }
  }

  #checkIv(algorithm: string, options: EncryptionOptions | undefined): void {
    const isGiven = hasIv(options)
    if (!this.#config.autoGenerateIV && !isGiven && String(algorithm).toUpperCase() !== 'RSA') {
      throw unsupported('an encryption without an IV', 'say iv, or autoGenerateIV')
    }
  }
}

export const cryptoManager = /* @__PURE__ */ new CryptoManager()
