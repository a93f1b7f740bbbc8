// Many encryptions, one after the other.

import { encode } from '../../api/encoding.js'
import { branded } from '../../basics/receiver.js'
import { Turns } from '../../basics/turn.js'
import { decrypt, encrypt } from './ciphers.js'
import { countedBytes } from './des.js'
import { createErrorResult, refused } from './errors.js'
import type { DecryptResult, EncryptionAlgorithm, EncryptionOptions, EncryptResult } from './results.js'
import { type CacheStats, cacheStats, forgetKeys } from './schedules.js'

export interface BatchOperation {
  /** The caller's name for the item. */
  id: string
  /** The text to encrypt, or the result or ciphertext to decrypt. */
  data: string | EncryptResult
  key: string
  algorithm: EncryptionAlgorithm
  options?: EncryptionOptions | Record<string, unknown>
}

export interface BatchResult<T> {
  id: string
  result: T
}

export interface PerformanceMetrics {
  operationsPerSecond: number
  /** Milliseconds. */
  averageLatency: number
  /** Bytes of the heap, or 0 if the engine does not tell. */
  memoryUsage: number
  cacheHitRate: number
  cacheSize: number
}

/** Only `maxOperationTimes` has an effect: results are not kept, and there is no pool of workers. */
export interface PerformanceOptimizerConfig {
  maxCacheSize?: number
  cacheTTL?: number
  enableCache?: boolean
  /** How many operations {@link PerformanceOptimizer.getPerformanceMetrics} covers: by default the last 1,000. */
  maxOperationTimes?: number
  autoCleanupInterval?: number
  memoryThreshold?: number
  enableWorker?: boolean
  workerPoolSize?: number
  maxConcurrency?: number
}

/**
 * Encrypts and decrypts many items, each with its own random initialisation vector and its own result. The original kept results: equal
 * texts got equal ciphertexts, and items whose names collided got each other's results.
 */
export class PerformanceOptimizer {
  readonly #maxTimes: number
  #times: number[] = []

  /** @internal */
  static readonly brand: string = /* @__PURE__ */ branded(
    this,
    'ldesign.PerformanceOptimizer',
    (value) => #maxTimes in value,
  )

  constructor(config: PerformanceOptimizerConfig = {}) {
    this.#maxTimes = config.maxOperationTimes ?? 1000
  }

  /**
   * Encrypts each item, with turns of the event loop between them. The result of a failed item says so. An item fails if another item of
   * this batch has the same `iv` under the same key: somebody with both ciphertexts could compare or even read them.
   */
  async batchEncrypt(operations: readonly BatchOperation[]): Promise<BatchResult<EncryptResult>[]> {
    const seen = new Set<string>()
    return this.#each(operations, 'encrypt', (operation) => {
      const { data, key, algorithm, options } = operation
      checkIv(operation, seen)
      return encrypt.encrypt(data as string, key, algorithm, options)
    })
  }

  /** As {@link batchEncrypt}. */
  async batchDecrypt(operations: readonly BatchOperation[]): Promise<BatchResult<DecryptResult>[]> {
    return this.#each(operations, 'decrypt', ({ data, key, algorithm, options }) =>
      decrypt.decrypt(data, key, algorithm, options),
    )
  }

  /** Forgets all derived keys. No result is kept. */
  clearCache(): void {
    forgetKeys()
  }

  /** Always 0: keys leave the cache by themselves when they are too old, so this has none to remove. */
  cleanupCache(): number {
    return 0
  }

  /** The statistics of the cache of derived keys, as `AESEncryptor.getCacheStats`. The configuration does not set its size. */
  getCacheStats(): CacheStats {
    return cacheStats()
  }

  getPerformanceMetrics(): PerformanceMetrics {
    const { length } = this.#times
    const averageLatency = length === 0 ? 0 : this.#times.reduce((sum, time) => sum + time, 0) / length
    const { memory } = performance as { memory?: { usedJSHeapSize?: number } }
    const { hitRate, size } = cacheStats()
    return {
      operationsPerSecond: averageLatency > 0 ? 1000 / averageLatency : 0,
      averageLatency,
      memoryUsage: memory?.usedJSHeapSize ?? 0,
      cacheHitRate: hitRate,
      cacheSize: size,
    }
  }

  resetStats(): void {
    this.#times = []
  }

  /** Does nothing: there is nothing to clean up. */
  stopAutoCleanup(): void {}

  async destroy(): Promise<void> {
    this.resetStats()
  }

  /** Null: there is no pool of workers. */
  getWorkerStats(): Record<string, unknown> | null {
    return null
  }

  async #each<T extends EncryptResult | DecryptResult>(
    operations: readonly BatchOperation[],
    what: 'encrypt' | 'decrypt',
    compute: (operation: BatchOperation) => T,
  ): Promise<BatchResult<T>[]> {
    const results: BatchResult<T>[] = []
    const turns = new Turns()
    // Reading the clock, or a promise, takes as long as a short item. So each item reads the clock once, and each turn makes one promise.
    let begun = performance.now()
    for (const operation of operations) {
      if (turns.isOver(begun)) {
        await turns.pass()
        begun = performance.now()
      }
      results.push({ id: operation.id, result: caught(operation, what, compute) })
      const ended = performance.now()
      this.#times.push(ended - begun)
      begun = ended
    }
    this.#times = this.#times.slice(-this.#maxTimes)
    return results
  }
}

/** Refuses an IV that came with this key before. The case of digits and the parts of a key that do not count make no difference. */
function checkIv({ algorithm, key, options }: BatchOperation, seen: Set<string>): void {
  if (options === undefined) return
  const { iv, mode } = Object.assign(Object.create(null), options) as { iv?: unknown; mode?: unknown }
  if (typeof iv !== 'string' || iv === '' || String(mode).toUpperCase() === 'ECB') return
  const name = algorithm.toUpperCase()
  const digits = /^[0-9a-f]+$/i.test(key) ? key.toLowerCase() : key
  const counted = name === 'DES' || name === '3DES' ? encode('hex', countedBytes(name, key)) : digits
  const pair = JSON.stringify([name, counted, iv.toLowerCase()])
  if (seen.has(pair)) throw refused('another item of the batch has this IV under the same key', algorithm)
  seen.add(pair)
}

function caught<T>(
  operation: BatchOperation,
  what: 'encrypt' | 'decrypt',
  compute: (operation: BatchOperation) => T,
): T {
  try {
    return compute(operation)
  } catch (error) {
    return createErrorResult(error, operation.algorithm, what) as T
  }
}
