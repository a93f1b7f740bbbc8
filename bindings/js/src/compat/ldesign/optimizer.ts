// Many encryptions, one after the other.

import { encode } from '../../encoding.js'
import { branded } from '../../receiver.js'
import { Turns } from '../../turn.js'
import { decrypt, encrypt } from './ciphers.js'
import { countedBytes } from './des.js'
import { createErrorResult, refused } from './errors.js'
import type { DecryptResult, EncryptionAlgorithm, EncryptionOptions, EncryptResult } from './results.js'
import { type CacheStats, cacheStats, forgetKeys } from './schedules.js'

export interface BatchOperation {
  /** What the caller knows it by. */
  id: string
  /** A text; of a decryption the result of the encryption, or its ciphertext. */
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
  /** Bytes of the heap, where the engine tells a page; else 0. */
  memoryUsage: number
  cacheHitRate: number
  cacheSize: number
}

/** Only `maxOperationTimes` does something: results are not kept, and there is no pool of workers. */
export interface PerformanceOptimizerConfig {
  maxCacheSize?: number
  cacheTTL?: number
  enableCache?: boolean
  /** How many operations {@link PerformanceOptimizer.getPerformanceMetrics} speaks of: the last 1,000 by default. */
  maxOperationTimes?: number
  autoCleanupInterval?: number
  memoryThreshold?: number
  enableWorker?: boolean
  workerPoolSize?: number
  maxConcurrency?: number
}

/**
 * Encrypts and decrypts many items, each by itself: with its own random initialisation vector and its own result. The original kept results,
 * so that one text was encrypted to one ciphertext, and items whose names met had each other's.
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
   * Encrypts each item, with turns of the event loop between them. An item that fails has a result that says so, as one does whose `iv`
   * another item of this batch had under the same key: whoever has both ciphertexts compares or even reads them.
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

  /** Keys leave by themselves when they are too old, so that there is none to be cleaned up. */
  cleanupCache(): number {
    return 0
  }

  /** What the cache of derived keys says, as `AESEncryptor.getCacheStats`: its size is not that of the configuration. */
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

  /** None: there is no pool of workers. */
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
    // A short item takes as long as the clock and a promise do: the one is looked at once an item, and the other made once a turn.
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

/** Refuses an initialisation vector that was seen with this key, however their digits are written, and whatever of a key does not count. */
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
