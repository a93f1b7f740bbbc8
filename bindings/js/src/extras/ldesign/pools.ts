// Caches and pools of objects. Sealstone itself does not use them: they are for programs that do.

import { branded } from '../../basics/receiver.js'
import { unsupported, ValidationError } from './errors.js'
import type { DecryptResult, EncryptResult } from './results.js'

export interface LRUCacheOptions {
  /** How many entries it holds. */
  maxSize: number
  /** Milliseconds after which an entry expires; 0, the default, means never. */
  ttl?: number
  /** Whether {@link LRUCache.get} restarts an entry's time; `true` by default. */
  updateAgeOnGet?: boolean
  /** The most bytes of all values together; 0, the default, means no limit. */
  maxMemorySize?: number
  /** Returns the bytes of a value; an estimate by default. */
  sizeCalculator?: <V>(value: V) => number
  /** Milliseconds between two removals of expired entries; 0, the default, means none. */
  cleanupInterval?: number
}

export interface LRUCacheStats {
  size: number
  maxSize: number
  currentMemorySize: number
  maxMemorySize: number
  memoryUsagePercent: number
  hits: number
  misses: number
  evictions: number
  memoryEvictions: number
  hitRate: number
  totalRequests: number
}

interface Entry<V> {
  value: V
  readonly size: number
  /** When its time began. */
  since: number
}

/** A cache of values under keys. The least recently used value makes room. Values are in memory in clear: put no secrets there. */
export class LRUCache<K = string, V = unknown> {
  readonly #options: Required<Omit<LRUCacheOptions, 'cleanupInterval'>>
  /** The least recently used one first. */
  readonly #entries = new Map<K, Entry<V>>()
  readonly #timer: ReturnType<typeof setInterval> | undefined
  #memory = 0
  #hits = 0
  #misses = 0
  #evictions = 0
  #memoryEvictions = 0

  /** @internal */
  static readonly brand: string = /* @__PURE__ */ branded(this, 'ldesign.LRUCache', (value) => #options in value)

  constructor(options: LRUCacheOptions) {
    const { maxSize, ttl = 0, updateAgeOnGet = true, maxMemorySize = 0, sizeCalculator = sizeOf } = options
    if (!(typeof maxSize === 'number' && maxSize >= 0))
      throw new ValidationError('maxSize must be a number from 0', 'maxSize')
    this.#options = { maxSize, ttl, updateAgeOnGet, maxMemorySize, sizeCalculator }
    const { cleanupInterval = 0 } = options
    if (cleanupInterval > 0 && ttl > 0) {
      this.#timer = setInterval(() => this.cleanup(), cleanupInterval)
      // A timer keeps a Node process alive, which a cache should not do.
      if (typeof this.#timer === 'object') this.#timer.unref?.()
    }
  }

  get(key: K): V | undefined {
    const entry = this.#live(key)
    if (entry === undefined) {
      this.#misses++
      return undefined
    }
    this.#hits++
    if (this.#options.updateAgeOnGet) entry.since = Date.now()
    this.#entries.delete(key)
    this.#entries.set(key, entry)
    return entry.value
  }

  /** Keeps a value. A value with more bytes than `maxMemorySize` is not kept, and the value before under its key is removed, too. */
  set(key: K, value: V): void {
    const { maxSize, maxMemorySize, sizeCalculator } = this.#options
    const size = sizeCalculator(value)
    this.delete(key)
    if (maxMemorySize > 0) {
      if (size > maxMemorySize) return
      while (this.#memory + size > maxMemorySize && this.#evict()) this.#memoryEvictions++
    }
    this.#entries.set(key, { value, size, since: Date.now() })
    this.#memory += size
    if (this.#entries.size > maxSize) this.#evict()
  }

  delete(key: K): boolean {
    const entry = this.#entries.get(key)
    if (entry === undefined) return false
    this.#memory -= entry.size
    return this.#entries.delete(key)
  }

  has(key: K): boolean {
    return this.#live(key) !== undefined
  }

  clear(): void {
    this.#entries.clear()
    this.#memory = 0
    this.resetStats()
  }

  /** The number of entries, including expired ones that were not removed yet. */
  get size(): number {
    return this.#entries.size
  }

  getStats(): LRUCacheStats {
    const { maxSize, maxMemorySize } = this.#options
    const totalRequests = this.#hits + this.#misses
    return {
      size: this.#entries.size,
      maxSize,
      currentMemorySize: this.#memory,
      maxMemorySize,
      memoryUsagePercent: maxMemorySize > 0 ? (this.#memory / maxMemorySize) * 100 : 0,
      hits: this.#hits,
      misses: this.#misses,
      evictions: this.#evictions,
      memoryEvictions: this.#memoryEvictions,
      hitRate: totalRequests > 0 ? this.#hits / totalRequests : 0,
      totalRequests,
    }
  }

  resetStats(): void {
    this.#hits = 0
    this.#misses = 0
    this.#evictions = 0
    this.#memoryEvictions = 0
  }

  /** Removes expired entries; returns how many. */
  cleanup(): number {
    const before = this.#entries.size
    for (const [key, entry] of this.#entries) if (this.#isOver(entry)) this.delete(key)
    return before - this.#entries.size
  }

  getMany(keys: readonly K[]): Map<K, V> {
    const found = new Map<K, V>()
    for (const key of keys) {
      const value = this.get(key)
      if (value !== undefined) found.set(key, value)
    }
    return found
  }

  setMany(entries: readonly (readonly [K, V])[]): void {
    for (const [key, value] of entries) this.set(key, value)
  }

  deleteMany(keys: readonly K[]): number {
    return keys.filter((key) => this.delete(key)).length
  }

  keys(): K[] {
    return [...this.#entries.keys()]
  }

  values(): V[] {
    return this.entries().map(([, value]) => value)
  }

  entries(): [K, V][] {
    return [...this.#entries].filter(([, entry]) => !this.#isOver(entry)).map(([key, { value }]) => [key, value])
  }

  /** Removes all entries, and stops the timer. */
  destroy(): void {
    clearInterval(this.#timer)
    this.clear()
  }

  #live(key: K): Entry<V> | undefined {
    const entry = this.#entries.get(key)
    if (entry === undefined || !this.#isOver(entry)) return entry
    this.delete(key)
    return undefined
  }

  #isOver({ since }: Entry<V>): boolean {
    return this.#options.ttl > 0 && Date.now() - since > this.#options.ttl
  }

  /** Removes the least recently used entry; returns whether there was one. */
  #evict(): boolean {
    const oldest = this.#entries.keys().next()
    if (oldest.done) return false
    this.delete(oldest.value)
    this.#evictions++
    return true
  }
}

/** An estimate of a value's bytes: the UTF-8 of a text, the JSON of an object. */
function sizeOf(value: unknown): number {
  if (value === null || value === undefined) return 0
  if (typeof value === 'string') return textLen(value)
  if (typeof value === 'number') return 8
  if (typeof value === 'boolean') return 4
  if (ArrayBuffer.isView(value)) return value.byteLength
  if (typeof value !== 'object') return 64
  try {
    return textLen(JSON.stringify(value))
  } catch {
    // The value has no JSON.
    return 256
  }
}

function textLen(text: string): number {
  return new TextEncoder().encode(text).length
}

export interface ObjectPoolOptions {
  /** The most objects that wait in the pool: 100 by default. */
  maxSize?: number
  /** Whether it counts; `true` by default. */
  enableStats?: boolean
  factory?: () => unknown
  reset?: (obj: unknown) => void
}

export interface ObjectPoolStats {
  size: number
  maxSize: number
  acquires: number
  releases: number
  hits: number
  misses: number
  hitRate: number
  discards: number
}

/** A pool of objects for reuse. Use it for objects that are costly to make: engines make small objects faster than a pool finds them. */
export class ObjectPool<T> {
  readonly #factory: () => T
  readonly #reset: (obj: T) => void
  readonly #maxSize: number
  readonly #counts: boolean
  #waiting: T[] = []
  #acquires = 0
  #releases = 0
  #hits = 0
  #discards = 0

  /** @internal */
  static readonly brand: string = /* @__PURE__ */ branded(this, 'ldesign.ObjectPool', (value) => #factory in value)

  constructor(options: Omit<ObjectPoolOptions, 'factory' | 'reset'> & { factory: () => T; reset: (obj: T) => void }) {
    this.#factory = options.factory
    this.#reset = options.reset
    this.#maxSize = options.maxSize ?? 100
    this.#counts = options.enableStats ?? true
  }

  acquire(): T {
    const isThere = this.#waiting.length > 0
    if (this.#counts) {
      this.#acquires++
      if (isThere) this.#hits++
    }
    return isThere ? (this.#waiting.pop() as T) : this.#factory()
  }

  /**
   * Returns an object to the pool. The pool ignores an object that already waits in it, because two callers would get it. A pool does not
   * know who has an object: if you return it a second time after another caller got it, a third caller gets an object in use.
   */
  release(obj: T): void {
    if (this.#counts) this.#releases++
    this.#reset(obj)
    if (this.#waiting.length < this.#maxSize && !this.#waiting.includes(obj)) this.#waiting.push(obj)
    else if (this.#counts) this.#discards++
  }

  clear(): void {
    this.#waiting = []
  }

  getStats(): ObjectPoolStats {
    return {
      size: this.#waiting.length,
      maxSize: this.#maxSize,
      acquires: this.#acquires,
      releases: this.#releases,
      hits: this.#hits,
      misses: this.#acquires - this.#hits,
      hitRate: this.#acquires > 0 ? this.#hits / this.#acquires : 0,
      discards: this.#discards,
    }
  }

  resetStats(): void {
    this.#acquires = 0
    this.#releases = 0
    this.#hits = 0
    this.#discards = 0
  }

  /** The number of objects that wait. */
  get size(): number {
    return this.#waiting.length
  }

  /** Makes up to `count` objects in advance, as many as fit. */
  prewarm(count: number): void {
    while (count-- > 0 && this.#waiting.length < this.#maxSize) this.#waiting.push(this.#factory())
  }
}

/** Options of a pool of results. */
export type ResultPoolOptions = Pick<ObjectPoolOptions, 'maxSize' | 'enableStats'>

/** An empty result. */
const blank = (): { success: boolean; data: string; algorithm: string } => ({ success: false, data: '', algorithm: '' })

/** Makes a result empty again: removes the plaintext, and properties that only one kind of result has. */
function emptied(result: object): void {
  for (const name of Object.keys(result)) delete (result as Record<string, unknown>)[name]
  Object.assign(result, blank())
}

/** A pool of objects for results of encryptions. The pool empties a returned result and gives it to another caller: do not keep it. */
export class EncryptResultPool extends ObjectPool<EncryptResult> {
  constructor(options: ResultPoolOptions = {}) {
    super({ ...options, factory: blank, reset: emptied })
  }

  createSuccess(data: string, algorithm: string, extras?: Partial<EncryptResult>): EncryptResult {
    return Object.assign(this.acquire(), extras, { success: true, data, algorithm })
  }

  createFailure(algorithm: string, error: string): EncryptResult {
    return Object.assign(this.acquire(), { success: false, algorithm, error })
  }
}

/** As {@link EncryptResultPool}, for decryptions. */
export class DecryptResultPool extends ObjectPool<DecryptResult> {
  constructor(options: ResultPoolOptions = {}) {
    super({ ...options, factory: blank, reset: emptied })
  }

  createSuccess(data: string, algorithm: string, mode?: string): DecryptResult {
    return Object.assign(this.acquire(), { success: true, data, algorithm }, mode && { mode })
  }

  createFailure(algorithm: string, error: string, mode?: string): DecryptResult {
    return Object.assign(this.acquire(), { success: false, algorithm, error }, mode && { mode })
  }
}

export const globalEncryptResultPool = /* @__PURE__ */ new EncryptResultPool({ maxSize: 200 })
export const globalDecryptResultPool = /* @__PURE__ */ new DecryptResultPool({ maxSize: 200 })

export function acquireEncryptResult(): EncryptResult {
  return globalEncryptResultPool.acquire()
}

export function releaseEncryptResult(result: EncryptResult): void {
  globalEncryptResultPool.release(result)
}

export function acquireDecryptResult(): DecryptResult {
  return globalDecryptResultPool.acquire()
}

export function releaseDecryptResult(result: DecryptResult): void {
  globalDecryptResultPool.release(result)
}

export function createEncryptSuccess(data: string, algorithm: string, extras?: Partial<EncryptResult>): EncryptResult {
  return globalEncryptResultPool.createSuccess(data, algorithm, extras)
}

export function createEncryptFailure(algorithm: string, error: string): EncryptResult {
  return globalEncryptResultPool.createFailure(algorithm, error)
}

export function createDecryptSuccess(data: string, algorithm: string, mode?: string): DecryptResult {
  return globalDecryptResultPool.createSuccess(data, algorithm, mode)
}

export function createDecryptFailure(algorithm: string, error: string, mode?: string): DecryptResult {
  return globalDecryptResultPool.createFailure(algorithm, error, mode)
}

/** The statistics of the two pools of this module. */
export function getAllPoolStats(): { encryptResults: ObjectPoolStats; decryptResults: ObjectPoolStats } {
  return { encryptResults: globalEncryptResultPool.getStats(), decryptResults: globalDecryptResultPool.getStats() }
}

export function clearAllPools(): void {
  globalEncryptResultPool.clear()
  globalDecryptResultPool.clear()
}

/** Options of {@link WorkerPool}. */
export interface WorkerPoolOptions {
  size?: number
  timeout?: number
  autoStart?: boolean
  workerPath?: string
}

const WORKERS = 'startWorkers of sealstone/workers, or the functions of sealstone that promise'

/**
 * Always refuses. The original's pool asked for a file that no build of it had, and wrote formats that its other functions could not read.
 *
 * @throws `unsupported`.
 */
export class WorkerPool {
  constructor(_options?: WorkerPoolOptions) {
    throw unsupported('WorkerPool', WORKERS)
  }
}

/** Always refuses, as {@link WorkerPool}. */
export function getGlobalWorkerPool(_options?: WorkerPoolOptions): WorkerPool {
  return new WorkerPool()
}

/** Does nothing: there is no such pool. */
export async function destroyGlobalWorkerPool(): Promise<void> {}
