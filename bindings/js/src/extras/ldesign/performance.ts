// The time of operations: counted while a program runs, and measured.

import { branded } from '../../basics/receiver.js'
import { copies } from '../../work/copies.js'
import { type Comparison, compare, benchmark as measured, type ResultReport } from '../bench.js'
import { Histogram, type Latency } from '../monitor/histogram.js'
import { type Monitor, type OperationReport, startMonitor } from '../monitor/index.js'
import { aes } from './aes.js'
import { encoding } from './encoding.js'
import { ErrorUtils } from './errors.js'
import { hash } from './hashing.js'
import { RandomUtils } from './random.js'
import { CONSTANTS, type HashAlgorithm } from './results.js'

/** An operation. Times are milliseconds of `performance.now()`. */
export interface PerformanceMetric {
  operation: string
  algorithm?: string | undefined
  startTime: number
  endTime: number
  duration: number
  /** Bytes. */
  dataSize?: number | undefined
  /** Bytes a second. */
  throughput?: number | undefined
  /** Bytes of the heap, if the engine tells. */
  memoryUsage?: number | undefined
  success: boolean
  error?: string | undefined
}

export interface AlgorithmStats {
  algorithm: string
  count: number
  averageDuration: number
  totalDataProcessed: number
  /** From 0 to 1. */
  successRate: number
}

export interface OperationStats {
  operation: string
  count: number
  averageDuration: number
  successRate: number
}

/** The operations of one minute. */
export interface TimeSeriesData {
  timestamp: number
  operationsPerSecond: number
  averageLatency: number
  errorRate: number
}

/** The times of the operations that are kept, in milliseconds. */
export interface PerformanceReport {
  totalOperations: number
  successfulOperations: number
  failedOperations: number
  averageDuration: number
  minDuration: number
  maxDuration: number
  totalDataProcessed: number
  /** Bytes a second. */
  averageThroughput: number
  byAlgorithm: Map<string, AlgorithmStats>
  byOperation: Map<string, OperationStats>
  timeSeriesData: TimeSeriesData[]
}

/** The times of all operations since the beginning, also of those no longer kept, in milliseconds. */
export interface PerformanceStats {
  totalOperations: number
  successfulOperations: number
  failedOperations: number
  averageLatency: number
  /** Half of the operations took at most this time. Like the other percentiles, it is exact to an eighth. */
  p50Latency: number
  p95Latency: number
  p99Latency: number
  maxLatency: number
  /** From 0 to 1. */
  errorRate: number
  /** The operations of Sealstone itself, if a monitor of `sealstone/monitor` runs. */
  computed: readonly OperationReport[]
}

export interface PerformanceMonitorConfig {
  /** Whether it counts; `true` by default. */
  enabled: boolean
  /** How many operations it keeps: 10,000 by default. */
  maxMetrics: number
  /** The share of operations that it counts: 1 by default. */
  samplingRate: number
  /** Whether it records the size of the heap. */
  trackMemory: boolean
  /** Whether it forgets operations older than `cleanupThreshold`; `true` by default. */
  autoCleanup: boolean
  /** Milliseconds: an hour by default. */
  cleanupThreshold: number
  /** Whether it calls listeners for each operation, and counts the operations of Sealstone itself. */
  realTimeMonitoring: boolean
}

/** Details of an operation beside its time. */
export interface RecordOptions {
  success?: boolean
  /** Bytes. */
  dataSize?: number
  error?: string
}

type Told = { [name in keyof RecordOptions]: RecordOptions[name] | undefined } & { algorithm: string | undefined }
type Listener = (metric: PerformanceMetric) => void

/**
 * Counts the operations of a program. The program reports when each one begins and ends. {@link startMonitor} of `sealstone/monitor` counts
 * the operations of Sealstone itself; `realTimeMonitoring` starts it.
 */
export class PerformanceMonitor {
  readonly #config: PerformanceMonitorConfig
  readonly #begun = new Map<string, readonly [at: number, algorithm: string | undefined]>()
  readonly #listeners = new Set<Listener>()
  #metrics: PerformanceMetric[] = []
  #cleans: boolean
  #times = new Histogram()
  #operations = 0
  #failures = 0
  /** The share of operations that is due to be counted and was not yet. */
  #due = 0
  /** The monitor that this object has started. */
  #monitor: Monitor | undefined

  /** @internal */
  static readonly brand: string = /* @__PURE__ */ branded(
    this,
    'ldesign.PerformanceMonitor',
    (value) => #config in value,
  )

  constructor(config: Partial<PerformanceMonitorConfig> = {}) {
    this.#config = {
      enabled: true,
      maxMetrics: 10_000,
      samplingRate: 1,
      trackMemory: false,
      autoCleanup: true,
      cleanupThreshold: 3_600_000,
      realTimeMonitoring: false,
      ...config,
    }
    this.#cleans = this.#config.autoCleanup
    if (this.#config.realTimeMonitoring && copies().monitor === undefined) this.#monitor = startMonitor()
  }

  startOperation(operationId: string, algorithm?: string): void {
    if (this.#isCounted()) this.#begun.set(operationId, [performance.now(), algorithm])
  }

  /** Counts an operation that began. It ignores any other. */
  endOperation(
    operationId: string,
    operation: string,
    success = true,
    dataSize?: number,
    error?: string,
    algorithm?: string,
  ): void {
    const begun = this.#begun.get(operationId)
    if (begun === undefined) return
    this.#begun.delete(operationId)
    const duration = performance.now() - begun[0]
    this.#add(operation, begun[0], duration, { success, dataSize, error, algorithm: algorithm ?? begun[1] })
  }

  /**
   * Counts an operation of an algorithm that took `duration` milliseconds.
   *
   * @throws {@link ValidationError} for a duration that is negative or not a number.
   */
  recordOperation(operation: string, algorithm: string, duration: number, options: RecordOptions = {}): void {
    checkNumber(duration, 'duration')
    if (!this.#isCounted()) return
    this.#add(operation, performance.now() - duration, duration, { ...options, algorithm })
  }

  /** The times of all operations. */
  getStats(): PerformanceStats {
    const { mean, p50, p95, p99, max }: Omit<Latency, 'samples'> = this.#times.report() ?? NONE
    const report = (copies().monitor as Monitor | undefined)?.report()
    return {
      totalOperations: this.#operations,
      successfulOperations: this.#operations - this.#failures,
      failedOperations: this.#failures,
      averageLatency: 1000 * mean,
      p50Latency: 1000 * p50,
      p95Latency: 1000 * p95,
      p99Latency: 1000 * p99,
      maxLatency: 1000 * max,
      errorRate: this.#operations === 0 ? 0 : this.#failures / this.#operations,
      computed: report?.operations ?? [],
    }
  }

  /** The times of the operations that are kept. `since` is a time of `Date.now()` or of `performance.now()`. */
  generateReport(since?: number): PerformanceReport {
    const from = since === undefined ? Number.NEGATIVE_INFINITY : momentOf(since)
    const metrics = this.#metrics.filter(({ startTime }) => startTime >= from)
    const failed = metrics.filter(({ success }) => !success).length
    const throughputs = metrics.flatMap(({ throughput }) => throughput ?? [])
    return {
      totalOperations: metrics.length,
      successfulOperations: metrics.length - failed,
      failedOperations: failed,
      averageDuration: mean(metrics.map(({ duration }) => duration)),
      minDuration: metrics.reduce((least, { duration }) => Math.min(least, duration), metrics[0]?.duration ?? 0),
      maxDuration: metrics.reduce((most, { duration }) => Math.max(most, duration), 0),
      totalDataProcessed: bytesOf(metrics),
      averageThroughput: mean(throughputs),
      byAlgorithm: grouped(
        metrics,
        (metric) => metric.algorithm ?? 'unknown',
        (algorithm, some) => ({ algorithm, ...summary(some), totalDataProcessed: bytesOf(some) }),
      ),
      byOperation: grouped(
        metrics,
        (metric) => metric.operation,
        (operation, some) => ({ operation, ...summary(some) }),
      ),
      timeSeriesData: seriesOf(metrics),
    }
  }

  /** Forgets operations that began before a time of `Date.now()` or of `performance.now()`. */
  cleanup(olderThan?: number): void {
    const from = olderThan === undefined ? performance.now() - this.#config.cleanupThreshold : momentOf(olderThan)
    this.#metrics = this.#metrics.filter(({ startTime }) => startTime >= from)
  }

  stopAutoCleanup(): void {
    this.#cleans = false
  }

  /** Calls a function for each operation, with `realTimeMonitoring`. Call the returned function to end that. */
  onRealTimeMetric(callback: Listener): () => void {
    this.#listeners.add(callback)
    return () => {
      this.#listeners.delete(callback)
    }
  }

  /** Forgets everything, and begins anew. */
  reset(): void {
    this.#metrics = []
    this.#begun.clear()
    this.#times = new Histogram()
    this.#operations = 0
    this.#failures = 0
  }

  /** The operations that are kept. */
  getMetrics(): PerformanceMetric[] {
    return [...this.#metrics]
  }

  exportMetrics(): string {
    return JSON.stringify(this.#metrics, null, 2)
  }

  /** Keeps operations from an export. It returns false for a text that is no export. */
  importMetrics(data: string): boolean {
    const imported = metricsOf(data)
    if (imported === undefined) return false
    this.#metrics.push(...imported)
    this.#shorten()
    return true
  }

  /** Forgets everything, and stops counting the operations of Sealstone. */
  destroy(): void {
    this.reset()
    this.#listeners.clear()
    this.#monitor?.stop()
    this.#monitor = undefined
  }

  /** Counts evenly, not at random: with a rate of 0.25, every fourth operation. */
  #isCounted(): boolean {
    const { enabled, samplingRate } = this.#config
    if (!enabled) return false
    this.#due += samplingRate
    if (this.#due < 1) return false
    this.#due = Math.min(this.#due - 1, 1)
    return true
  }

  #add(
    operation: string,
    startTime: number,
    duration: number,
    { success = true, dataSize, error, algorithm }: Told,
  ): void {
    if (dataSize !== undefined) checkNumber(dataSize, 'dataSize')
    const throughput = dataSize && duration > 0 ? (1000 * dataSize) / duration : undefined
    const memoryUsage = this.#config.trackMemory ? heapLen() : undefined
    const metric = {
      operation,
      algorithm,
      startTime,
      endTime: startTime + duration,
      duration,
      dataSize,
      throughput,
      memoryUsage,
      success,
      error,
    }
    this.#metrics.push(metric)
    this.#shorten()
    this.#times.add(duration)
    this.#operations++
    if (!success) this.#failures++
    if (!this.#config.realTimeMonitoring) return
    for (const listener of this.#listeners) {
      try {
        listener(metric)
      } catch (failure) {
        // An error of a listener must not reach the operation or other listeners.
        console.error(failure)
      }
    }
  }

  #shorten(): void {
    const over = this.#metrics.length - this.#config.maxMetrics
    if (over > 0) this.#metrics.splice(0, over)
    if (this.#cleans && (this.#metrics[0]?.startTime ?? 0) < performance.now() - this.#config.cleanupThreshold)
      this.cleanup()
  }
}

export const performanceMonitor = /* @__PURE__ */ new PerformanceMonitor()

/** One NaN would make every sum and average NaN. */
function checkNumber(value: number, name: string): void {
  if (Number.isFinite(value) && value >= 0) return
  throw ErrorUtils.createValidationError(`${name} must be a number from 0`)
}

const NONE = { mean: 0, p50: 0, p95: 0, p99: 0, max: 0 }

/** The time as one of `performance.now()`. Times of `Date.now()` are recognised because they are much larger. */
function momentOf(time: number): number {
  return time > 1e11 ? time - performance.timeOrigin : time
}

function heapLen(): number | undefined {
  return (performance as { memory?: { usedJSHeapSize?: number } }).memory?.usedJSHeapSize
}

function mean(numbers: readonly number[]): number {
  return numbers.length === 0 ? 0 : numbers.reduce((sum, number) => sum + number, 0) / numbers.length
}

function bytesOf(metrics: readonly PerformanceMetric[]): number {
  return metrics.reduce((sum, { dataSize }) => sum + (dataSize ?? 0), 0)
}

function summary(metrics: readonly PerformanceMetric[]): Omit<OperationStats, 'operation'> {
  return {
    count: metrics.length,
    averageDuration: mean(metrics.map(({ duration }) => duration)),
    successRate: metrics.filter(({ success }) => success).length / metrics.length,
  }
}

function grouped<T>(
  metrics: readonly PerformanceMetric[],
  nameOf: (metric: PerformanceMetric) => string,
  make: (name: string, metrics: readonly PerformanceMetric[]) => T,
): Map<string, T> {
  const groups = new Map<string, PerformanceMetric[]>()
  for (const metric of metrics) {
    const name = nameOf(metric)
    const group = groups.get(name)
    if (group === undefined) groups.set(name, [metric])
    else group.push(metric)
  }
  return new Map([...groups].map(([name, group]) => [name, make(name, group)]))
}

const MINUTE = 60_000

function seriesOf(metrics: readonly PerformanceMetric[]): TimeSeriesData[] {
  const first = metrics.reduce((least, { startTime }) => Math.min(least, startTime), Number.POSITIVE_INFINITY)
  const minutes = grouped(
    metrics,
    ({ startTime }) => String(Math.floor((startTime - first) / MINUTE)),
    (minute, some) => ({
      timestamp: first + Number(minute) * MINUTE,
      operationsPerSecond: (1000 * some.length) / MINUTE,
      averageLatency: mean(some.map(({ duration }) => duration)),
      errorRate: some.filter(({ success }) => !success).length / some.length,
    }),
  )
  return [...minutes.values()].sort((a, b) => a.timestamp - b.timestamp)
}

function metricsOf(data: string): PerformanceMetric[] | undefined {
  const isMetric = (one: unknown): one is PerformanceMetric => {
    if (typeof one !== 'object' || one === null) return false
    const { operation, startTime, duration } = one as Partial<PerformanceMetric>
    return typeof operation === 'string' && Number.isFinite(startTime) && Number.isFinite(duration)
  }
  try {
    const imported: unknown = JSON.parse(data)
    return Array.isArray(imported) && imported.every(isMetric) ? imported : undefined
  } catch {
    return undefined
  }
}

export interface BenchmarkOptions {
  /** Minimum number of calls of each function: 100 by default. */
  iterations?: number
  /** Milliseconds for which each function runs before it is measured: 10 by default. */
  warmupIterations?: number
  /** Bytes of the data: 100, 1,024, 10,240 and 102,400 by default. */
  dataSizes?: number[]
  /** `AES`, `Base64`, `Hex`, and hash functions: `AES`, `SHA256` and `Base64` by default. */
  algorithms?: string[]
  /** Nothing is written to the console, whatever this says. */
  verbose?: boolean
}

/** The time of a call: the median of samples, each of which has as many calls as fit. */
export interface BenchmarkResult {
  algorithm: string
  operation: string
  /** Bytes. */
  dataSize: number
  iterations: number
  /** Milliseconds of all calls. */
  totalTime: number
  /** Milliseconds of a call. */
  averageTime: number
  operationsPerSecond: number
  /** Megabytes a second, of 1,000,000 bytes each. */
  throughput: number
}

export interface BenchmarkSuite {
  name: string
  /** Milliseconds since 1970. */
  startTime: number
  endTime: number
  duration: number
  results: BenchmarkResult[]
}

/** Measures functions of this entry with {@link compare} of `sealstone/bench`. */
export class Benchmark {
  readonly #iterations: number
  readonly #warmUpMs: number
  readonly #sizes: readonly number[]
  readonly #algorithms: readonly string[]

  /** @internal */
  static readonly brand: string = /* @__PURE__ */ branded(this, 'ldesign.Benchmark', (value) => #iterations in value)

  constructor(options: BenchmarkOptions = {}) {
    this.#iterations = options.iterations ?? 100
    this.#warmUpMs = options.warmupIterations ?? 10
    this.#sizes = options.dataSizes ?? [100, 1024, 10_240, 102_400]
    this.#algorithms = options.algorithms ?? ['AES', 'SHA256', 'Base64']
  }

  /** @throws a `ValidationError` for an unknown algorithm. */
  async runAll(): Promise<BenchmarkSuite> {
    const startTime = Date.now()
    const results: BenchmarkResult[] = []
    for (const algorithm of this.#algorithms) {
      for (const dataSize of this.#sizes) {
        const tasks = tasksOf(algorithm, textOf(dataSize))
        const reports = (await this.#measured(tasks)).toJSON()
        tasks.forEach((task, i) => {
          results.push(this.#result(task, dataSize, reports[i] as ResultReport))
        })
      }
    }
    const endTime = Date.now()
    return { name: 'Crypto Performance Benchmark', startTime, endTime, duration: endTime - startTime, results }
  }

  /** A table for each algorithm. */
  generateReport(suite: BenchmarkSuite): string {
    const { name, startTime, duration, results } = suite
    const head = `${name}\n${new Date(startTime).toISOString()}, ${this.#formatTime(duration)}, ${results.length} results\n`
    const algorithms = [...new Set(results.map(({ algorithm }) => algorithm))]
    const tables = algorithms.map((algorithm) => {
      const lines = results
        .filter((result) => result.algorithm === algorithm)
        .map(({ operation, dataSize, averageTime, throughput }) =>
          [
            operation.padEnd(8),
            this.formatSize(dataSize).padStart(10),
            this.#formatTime(averageTime).padStart(10),
            `${throughput.toFixed(2)} MB/s`.padStart(14),
          ].join('  '),
        )
      return `\n${algorithm}\n${lines.join('\n')}\n`
    })
    return head + tables.join('')
  }

  generateJSONReport(suite: BenchmarkSuite): string {
    return JSON.stringify(suite, null, 2)
  }

  formatSize(bytes: number): string {
    if (bytes < 1024) return `${bytes}B`
    return bytes < 1024 ** 2 ? `${(bytes / 1024).toFixed(2)}KB` : `${(bytes / 1024 ** 2).toFixed(2)}MB`
  }

  #measured(tasks: readonly Task[]): Promise<Comparison> {
    const cases = tasks.map(({ operation, fn }) => ({ name: operation, fn }))
    const whole = (number: number, most: number): number => Math.max(1, Math.min(Math.round(number) || 1, most))
    const [samples, calls] = [whole(this.#iterations, 15), whole(this.#iterations, 1e6)]
    return compare(cases, { warmUpMs: whole(this.#warmUpMs, 1000), samples, calls, minMs: 1 })
  }

  #result({ algorithm, operation }: Task, dataSize: number, { median }: ResultReport): BenchmarkResult {
    const iterations = this.#iterations
    return {
      algorithm,
      operation,
      dataSize,
      iterations,
      totalTime: 1000 * median * iterations,
      averageTime: 1000 * median,
      operationsPerSecond: 1 / median,
      throughput: dataSize / median / 1e6,
    }
  }

  #formatTime(ms: number): string {
    if (ms < 1) return `${(1000 * ms).toFixed(2)}µs`
    return ms < 1000 ? `${ms.toFixed(2)}ms` : `${(ms / 1000).toFixed(2)}s`
  }
}

export function createBenchmark(options?: BenchmarkOptions): Benchmark {
  return new Benchmark(options)
}

/** A measurement that takes a few seconds at most. */
export async function quickBenchmark(): Promise<BenchmarkSuite> {
  return new Benchmark({ iterations: 5, warmupIterations: 5, dataSizes: [100, 1024, 10_240] }).runAll()
}

/** How many times as fast one algorithm is as another, with a line for each data size. */
export async function compareBenchmark(
  algorithm1: string,
  algorithm2: string,
  options?: BenchmarkOptions,
): Promise<string> {
  const measure = (algorithm: string): Promise<BenchmarkSuite> =>
    new Benchmark({ ...options, algorithms: [algorithm] }).runAll()
  const [first, second] = [(await measure(algorithm1)).results, (await measure(algorithm2)).results]
  const lines = first.flatMap((one) => {
    const others = second.filter(({ dataSize }) => dataSize === one.dataSize)
    // Compares the same operation of both. A cipher and a hash have none in common: then the first operation of each.
    const other = others.find(({ operation }) => operation === one.operation)
    return other === undefined ? [] : [line(one, other)]
  })
  const [one, other] = [first[0], second[0]]
  if (lines.length === 0 && one !== undefined && other !== undefined) lines.push(line(one, other))
  return `${algorithm1} vs ${algorithm2}\n${lines.join('')}`

  function line(one: BenchmarkResult, other: BenchmarkResult): string {
    const [faster, slower, name] =
      one.averageTime <= other.averageTime ? [one, other, algorithm1] : [other, one, algorithm2]
    const what = one.operation === other.operation ? one.operation : `${one.operation}/${other.operation}`
    return `${what} (${new Benchmark().formatSize(one.dataSize)}): ${name} ${(slower.averageTime / faster.averageTime).toFixed(2)}x\n`
  }
}

/** A function for {@link benchmark} to measure. */
export interface BenchmarkCase {
  name: string
  fn: () => unknown
  /** Minimum number of calls: 100 by default. */
  iterations?: number
}

/** The time of a call, in milliseconds. */
export interface BenchmarkTimes {
  name: string
  /** Calls that were measured. */
  iterations: number
  /** The median of 15 samples. */
  averageTime: number
  /** The same as `averageTime`. */
  avgTime: number
  minTime: number
  maxTime: number
  opsPerSecond: number
}

/** Measures a function, as `benchmark` of `sealstone/bench`. It takes both forms of arguments that the original's documents have. */
export async function benchmark(one: BenchmarkCase): Promise<BenchmarkTimes>
export async function benchmark(name: string, fn: () => unknown, iterations?: number): Promise<BenchmarkTimes>
export async function benchmark(
  one: string | BenchmarkCase,
  by?: () => unknown,
  calls?: number,
): Promise<BenchmarkTimes> {
  const told = typeof one === 'string' ? { name: one, fn: by as () => unknown, iterations: calls } : one
  const { name, fn, iterations = 100 } = told
  const result = await measured(name, fn, iterations)
  const averageTime = 1000 * result.median
  return {
    name,
    iterations: result.samples * result.calls,
    averageTime,
    avgTime: averageTime,
    minTime: 1000 * result.min,
    maxTime: 1000 * result.max,
    opsPerSecond: 1 / result.median,
  }
}

/** An operation to measure. */
interface Task {
  readonly algorithm: string
  readonly operation: string
  readonly fn: () => unknown
}

function tasksOf(algorithm: string, text: string): Task[] {
  const name = algorithm.toUpperCase()
  if (name === 'AES') {
    const key = RandomUtils.generateKey(32)
    const encrypted = aes.encrypt(text, key)
    return [
      { algorithm: 'AES-256', operation: 'encrypt', fn: () => aes.encrypt(text, key) },
      { algorithm: 'AES-256', operation: 'decrypt', fn: () => aes.decrypt(encrypted, key) },
    ]
  }
  if (name === 'BASE64' || name === 'HEX') {
    const by = name === 'HEX' ? 'hex' : 'base64'
    const encoded = encoding.encode(text, by)
    return [
      { algorithm: name, operation: 'encode', fn: () => encoding.encode(text, by) },
      { algorithm: name, operation: 'decode', fn: () => encoding.decode(encoded, by) },
    ]
  }
  if ((CONSTANTS.HASH.ALGORITHMS as readonly string[]).includes(name)) {
    return [{ algorithm, operation: 'hash', fn: () => hash.hash(text, name as HashAlgorithm) }]
  }
  throw ErrorUtils.createValidationError(`there is no benchmark of ${algorithm}`)
}

/** A text of `length` bytes. */
function textOf(length: number): string {
  return RandomUtils.generateKey(Math.ceil(length / 2)).slice(0, length)
}
