/**
 * Counts what this package computes: operations, bytes, errors and how long they take, by operation and algorithm. It keeps no data, no
 * key and no name of a file. Where nobody starts a monitor, no line of it runs.
 *
 * @module sealstone/monitor
 */

import type { BatchResult, Part, Processed, Undelivered } from '../../backend/calls.js'
import type { Calls } from '../../backend/index.js'
import { type Borrowed, borrowedLength, isUint8Array } from '../../basics/bytes.js'
import { ArgumentError } from '../../basics/error.js'
import { branded } from '../../basics/receiver.js'
import { HASHES, KEY_LENGTHS, LEGACY_CIPHERS } from '../../basics/table.js'
import { type Copy, copies } from '../../work/copies.js'
import { Histogram, type Latency } from './histogram.js'
import { KINDS, MAKERS, type Of, ROWS, type Row, TAKERS } from './rows.js'

export type { Latency } from './histogram.js'

/** The counts of an operation with an algorithm. */
export interface OperationReport {
  /** The operation, such as `hash`, `seal` and `open`. */
  readonly operation: string
  /**
   * The algorithm; `unknown` of a name that none has, and of a key or a hasher that was made before the monitor began; `file`, `message`,
   * `signature` or `password` of files, messages, signature files and passwords.
   */
  readonly algorithm: string
  /** How often, those that failed too. */
  readonly operations: number
  /** Bytes of data that went in; of text, its characters. */
  readonly bytes: number
  /** How often it failed; a batch has failed where one of its items has. */
  readonly errors: number
  /** How long it took, where it was timed at least once. */
  readonly latency?: Latency
}

/** All that was counted. */
export interface Report {
  /** When the counting began, in milliseconds since 1970. */
  readonly since: number
  readonly operations: readonly OperationReport[]
}

/** A meter of OpenTelemetry's API, of which this is all that is needed. */
export interface MeterLike {
  createObservableCounter(name: string, options?: MetricOptions): ObservableLike
  createObservableGauge(name: string, options?: MetricOptions): ObservableLike
}

/** The options of a metric for OpenTelemetry. */
export interface MetricOptions {
  readonly description?: string
  readonly unit?: string
}

/** A metric that is asked for its values. */
export interface ObservableLike {
  addCallback(callback: (result: ObservableResultLike) => void): void
  removeCallback(callback: (result: ObservableResultLike) => void): void
}

/** Where its values go. */
export interface ObservableResultLike {
  observe(value: number, attributes?: Record<string, string>): void
}

/**
 * Begins to count, in all copies of this package of the realm, those that are loaded later too. There is one monitor at a time: while
 * one counts, this gives that one.
 *
 * @example
 * ```ts
 * import { aead } from 'sealstone/aead'
 * import { startMonitor } from 'sealstone/monitor'
 *
 * const monitor = startMonitor()
 * const key = aead('aes-256-gcm', new Uint8Array(32))
 * key.sealRandom('', 'attack at dawn')
 * const [seal] = monitor.report().operations
 * console.log(seal?.operation, seal?.algorithm, seal?.operations, seal?.bytes) // seal aes-256-gcm 1 14
 * monitor.stop()
 * ```
 */
export function startMonitor(): Monitor {
  return (copies().monitor as Monitor | undefined) ?? new Monitor(STARTED)
}

/** Nobody else has it. */
const STARTED = Symbol('startMonitor')

/**
 * Counts until it is stopped.
 *
 * @example
 * ```ts
 * import { hash } from 'sealstone/hash'
 * import { startMonitor } from 'sealstone/monitor'
 *
 * const monitor = startMonitor()
 * hash('sha256', 'attack at dawn')
 * console.log(monitor.prometheus().includes('sealstone_operations_total{operation="hash",algorithm="sha256"} 1')) // true
 * console.log(JSON.parse(JSON.stringify(monitor)).operations[0].bytes) // 14
 * monitor.stop()
 * ```
 */
export class Monitor {
  #counting: Counting | undefined = new Counting()
  #since = Date.now()
  /** Ends what OpenTelemetry was told. */
  readonly #observed: (() => void)[] = []
  #last: Report | undefined

  /** @internal */
  static readonly brand: string = /* @__PURE__ */ branded(this, 'Monitor', (value) => #since in value)

  /** @internal */
  constructor(started: symbol) {
    if (started !== STARTED) throw new ArgumentError('a Monitor comes from startMonitor')
    const realm = copies()
    const counting = this.#counting as Counting
    realm.watch = (copy) => watch(copy, counting)
    realm.monitor = this
    for (const copy of realm.all) realm.watch(copy)
  }

  /** The counts, in the order of names. */
  report(): Report {
    if (this.#counting === undefined) return this.#last as Report
    return { since: this.#since, operations: this.#counting.reports() }
  }

  /** As Prometheus reads it: the text of `/metrics`. */
  prometheus(): string {
    const { operations } = this.report()
    const counters = (['operations', 'bytes', 'errors'] as const).map((what) => {
      const lines = operations.map((one) => `sealstone_${what}_total${labels(one)} ${one[what]}\n`)
      return `# HELP sealstone_${what}_total ${HELP[what]}\n# TYPE sealstone_${what}_total counter\n${lines.join('')}`
    })
    const timed = operations.map((one) => {
      if (one.latency === undefined) return ''
      const { latency } = one
      const quantiles = QUANTILES.map(([name, quantile]) => {
        return `sealstone_latency_seconds${labels(one, `,quantile="${quantile}"`)} ${latency[name]}\n`
      })
      const sum = `sealstone_latency_seconds_sum${labels(one)} ${latency.mean * latency.samples}\n`
      return `${quantiles.join('')}${sum}sealstone_latency_seconds_count${labels(one)} ${latency.samples}\n`
    })
    const head = `# HELP sealstone_latency_seconds ${HELP.latency}\n# TYPE sealstone_latency_seconds summary\n`
    return `${counters.join('')}${head}${timed.join('')}`
  }

  /** The report, for `JSON.stringify`. */
  toJSON(): Report {
    return this.report()
  }

  /** Has a meter of OpenTelemetry's API ask for the same: three counters, and a gauge of seconds with the attribute `quantile`. */
  observe(meter: MeterLike): void {
    const observed = (metric: ObservableLike, each: (result: ObservableResultLike, one: OperationReport) => void) => {
      const callback = (result: ObservableResultLike): void => {
        for (const one of this.report().operations) each(result, one)
      }
      metric.addCallback(callback)
      this.#observed.push(() => metric.removeCallback(callback))
    }
    const units = { operations: '{operation}', bytes: 'By', errors: '{error}' }
    for (const what of ['operations', 'bytes', 'errors'] as const) {
      const options = { description: HELP[what], unit: units[what] }
      observed(meter.createObservableCounter(`sealstone.${what}`, options), (result, one) => {
        result.observe(one[what], { operation: one.operation, algorithm: one.algorithm })
      })
    }
    const gauge = meter.createObservableGauge('sealstone.latency', { description: HELP.latency, unit: 's' })
    observed(gauge, (result, { operation, algorithm, latency }) => {
      if (latency === undefined) return
      for (const [name, quantile] of QUANTILES) result.observe(latency[name], { operation, algorithm, quantile })
    })
  }

  /** Begins again from nothing. */
  reset(): void {
    this.#counting?.reset()
    this.#since = Date.now()
  }

  /** Ends the counting. What was counted stays to be read; from now on no line of this runs. What a meter throws is thrown at the end. */
  stop(): void {
    if (this.#counting === undefined) return
    this.#last = this.report()
    this.#counting = undefined
    const realm = copies()
    realm.watch = undefined
    realm.monitor = undefined
    for (const copy of realm.all) copy.use(copy.calls)
    // A meter that throws leaves the others to be told.
    const failures = this.#observed.flatMap((end) => failureOf(end))
    if (failures.length > 0) throw failures[0]
  }
}

/** The error that a call throws, if it does. */
function failureOf(call: () => void): unknown[] {
  try {
    call()
    return []
  } catch (error) {
    return [error]
  }
}

const HELP = {
  operations: 'Operations, those that failed too.',
  bytes: 'Bytes of data that went in.',
  errors: 'Operations that failed.',
  latency: 'Seconds that an operation took, of a sample.',
}

const QUANTILES = [
  ['p50', '0.5'],
  ['p95', '0.95'],
  ['p99', '0.99'],
  ['max', '1'],
] as const

function labels({ operation, algorithm }: OperationReport, more = ''): string {
  return `{operation="${escaped(operation)}",algorithm="${escaped(algorithm)}"${more}}`
}

/** As Prometheus has a label's value. */
function escaped(value: string): string {
  return value.replace(/[\\"]/g, '\\$&').replaceAll('\n', '\\n')
}

/** All names of algorithms. Any other text of a caller's may be a secret, and each would be counted by itself. */
const NAMES: ReadonlySet<unknown> = /* @__PURE__ */ new Set([
  ...HASHES,
  .../* @__PURE__ */ Object.keys(KEY_LENGTHS),
  ...LEGACY_CIPHERS,
  'argon2id',
  'argon2i',
  'argon2d',
  'scrypt',
  .../* @__PURE__ */ HASHES.map((hash) => `pbkdf2-${hash}`),
])

/** A digest that is promised is counted as one that is not. */
const COUNTED: { readonly [call: string]: Row } = { ...ROWS, digestLater: ['hash', 'name', 1] }

// biome-ignore lint/suspicious/noExplicitAny: calls take and give anything.
type Call = (...args: any[]) => any

/** Objects whose algorithm is remembered, the youngest: those that are collected are not given back by a call. */
const OBJECTS_MAX = 65_536
/** Data from which on every call is timed. Of others two looks at the clock would be a good part. */
const TIMED_LEN = 4096

/** An operation with an algorithm. */
class Cell {
  readonly operation: string
  readonly algorithm: string
  operations = 0
  bytes = 0
  errors = 0
  readonly latency = new Histogram()

  constructor(operation: string, algorithm: string) {
    this.operation = operation
    this.algorithm = algorithm
  }
}

/** All that is counted. */
class Counting {
  readonly #cells = new Map<string, Cell>()
  /** Grows when an object has another algorithm, or all is counted anew: what calls remember is of before then. */
  age = 0
  /** Short calls that are not timed before the next one is. */
  untimed = 0

  cell(operation: string, algorithm: string): Cell {
    const name = `${operation} ${algorithm}`
    const found = this.#cells.get(name) ?? new Cell(operation, algorithm)
    this.#cells.set(name, found)
    return found
  }

  /** The time. How many short calls are not timed then is chance, so that no pattern of calls hides: 63 of 64 on an average. */
  now(): number {
    if (this.untimed < 0) this.untimed = Math.floor(Math.random() * 127)
    return performance.now()
  }

  reset(): void {
    this.#cells.clear()
    this.age++
  }

  reports(): OperationReport[] {
    const names = [...this.#cells.keys()].sort()
    return names.flatMap((name) => {
      const { operation, algorithm, operations, bytes, errors, latency } = this.#cells.get(name) as Cell
      if (operations === 0) return []
      const timed = latency.report()
      return [{ operation, algorithm, operations, bytes, errors, ...(timed !== undefined && { latency: timed }) }]
    })
  }
}

/** The known facts of a copy's objects: their numbers mean something to that copy alone. */
class Known {
  readonly #counting: Counting
  readonly #objects = new Map<unknown, string>()

  constructor(counting: Counting) {
    this.#counting = counting
  }

  remember(object: unknown, algorithm: string): void {
    this.#counting.age++
    this.#objects.delete(object)
    this.#objects.set(object, algorithm)
    if (this.#objects.size > OBJECTS_MAX) this.#objects.delete(this.#objects.keys().next().value)
  }

  algorithm(of: Of, first: unknown): string {
    if (of === 'name') return NAMES.has(first) ? (first as string) : 'unknown'
    if (of === 'hash') return HASHES[first as number] ?? 'unknown'
    return of === 'object' ? (this.#objects.get(first) ?? 'unknown') : of
  }
}

/** Has a copy compute with calls that are counted. */
function watch(copy: Copy, counting: Counting): void {
  const { calls } = copy
  const known = new Known(counting)
  // Keys of all copies belong to what computes (`handle.ts`), and a table that came later would be the wrapper's.
  const shared = calls.sync as { [KEYS]?: WeakMap<object, unknown> }
  shared[KEYS] ??= new WeakMap()
  const { digestLater } = calls
  copy.use(
    Object.create(calls, {
      sync: { value: counted(calls.sync, counting, known) },
      bulk: { value: counted(calls.bulk, counting, known, calls) },
      files: { value: counted(calls.files, counting, known, calls) },
      digestLater: {
        value: digestLater && countedCall(digestLater, COUNTED.digestLater as Row, counting, known, calls),
      },
    }) as Calls,
  )
}

const KEYS: unique symbol = Symbol.for('sealstone.keys') as never

/** Calls with those of the tables counted; all others are found behind it. They answer at once, or promise as those of `promise` do. */
function counted<T extends object>(calls: T, counting: Counting, known: Known, promise?: Calls): T {
  const watched = Object.create(calls) as Record<string, Call>
  for (const name of WATCHED) {
    const call = callOf(calls as Record<string, Call>, name)
    const [row, taker, maker] = [COUNTED[name], TAKERS[name], MAKERS[name]]
    if (row !== undefined) watched[name] = countedCall(call, row, counting, known, promise)
    if (taker !== undefined) {
      watched[name] = (object, data) => {
        counting.cell(...taker).bytes += lengthOf(data)
        return call(object, data)
      }
    }
    if (maker !== undefined) {
      watched[name] = (first, b, c, d) => {
        const object = call(first, b, c, d)
        known.remember(object, known.algorithm(maker, first))
        return object
      }
    }
    if (KINDS.includes(name)) {
      watched[name] = (key) => {
        const kind = call(key)
        known.remember(key, kind)
        return kind
      }
    }
  }
  return watched as T
}

/** All calls of the tables. */
const WATCHED = new Set([...Object.keys(COUNTED), ...Object.keys(TAKERS), ...Object.keys(MAKERS), ...KINDS])

/** A call; in a page it may come later, with its module. */
function callOf(calls: Record<string, Call>, name: string): Call {
  return calls[name] ?? ((a, b, c, d, e, f, g, h, i, j, k) => (calls[name] as Call)(a, b, c, d, e, f, g, h, i, j, k))
}

/** A call that is counted. It has as many arguments as the longest: a list of them would cost more than all else. */
function countedCall(
  call: Call,
  [operation, of, data]: Row,
  counting: Counting,
  known: Known,
  promise: Calls | undefined,
): Call {
  // Of others, such as a password, nothing is kept.
  const tells = of === 'name' || of === 'hash' || of === 'object'
  const isBatch = operation.endsWith('Batch')
  let [cell, last, age] = [NOTHING, undefined as unknown, -1]
  return (a, b, c, d, e, f, g, h, i, j, k) => {
    const first = tells ? a : undefined
    if (last !== first || age !== counting.age) {
      cell = counting.cell(operation, known.algorithm(of, first))
      last = first
      age = counting.age
    }
    const counted = cell
    const length = typeof data !== 'number' ? TIMED_LEN : lengthOf(data === 1 ? b : data === 2 ? c : d)
    counted.operations++
    if (typeof data === 'number') counted.bytes += length
    const begun = length >= TIMED_LEN || --counting.untimed < 0 ? counting.now() : -1
    try {
      const result = f === undefined && g === undefined ? call(a, b, c, d, e) : call(a, b, c, d, e, f, g, h, i, j, k)
      if (promise === undefined) {
        if (begun >= 0) ended(counted, begun, data === undefined, result)
        if (isBatch && hasFailed(result)) counted.errors++
        return result
      }
      // By the call: to ask a result for its `then` is to show it to who put one on `Object.prototype`.
      if (result) {
        result.then(
          (settled: unknown) => {
            // The job is released behind this.
            if (data === 'job') counted.bytes += promise.sync.jobProgress(g ?? f ?? e ?? d)[0] ?? 0
            ended(counted, begun, data === undefined, settled)
            if (isBatch && hasFailed(settled)) counted.errors++
          },
          () => counted.errors++,
        )
      } else if (result === undefined || data === undefined) {
        // It was not begun: nobody promises it, or no unit is full.
        counted.operations--
        if (typeof data === 'number') counted.bytes -= length
      }
      return result
    } catch (error) {
      counted.errors++
      throw error
    }
  }
}

/** Before the first call. */
const NOTHING = /* @__PURE__ */ new Cell('', '')

/** Counts what a call gave, now or later; of most failures a promise is fulfilled, with a code. */
function ended(cell: Cell, begun: number, countsResult: boolean, result: unknown): void {
  if (begun >= 0) cell.latency.add(performance.now() - begun)
  const has = (name: string): boolean => typeof result === 'object' && result !== null && Object.hasOwn(result, name)
  if (has('code')) cell.errors++
  else if (!countsResult) return
  else if (has('plaintext')) cell.bytes += (result as Processed).plaintext
  else if (has('bytes')) cell.bytes += lengthOf((result as Part).bytes)
  else if (has('undelivered')) cell.bytes += (result as Undelivered).length
  else if (typeof result === 'string' || isUint8Array(result)) cell.bytes += lengthOf(result)
}

/** Whether an item of a batch has: what opens some says of each whether it did, and what promises says which did not. */
function hasFailed(result: unknown): boolean {
  if (isUint8Array(result)) return result.includes(0)
  return typeof result === 'object' && result !== null && Object.hasOwn(result, 'failures')
    ? (result as BatchResult).failures.length > 0
    : false
}

/** Bytes of data or of a result: of text its characters, and of an array what the engine says, whatever its own properties are. */
function lengthOf(data: Uint8Array | string): number {
  return typeof data === 'string' ? data.length : borrowedLength(data as unknown as Borrowed)
}
