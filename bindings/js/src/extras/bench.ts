/**
 * Measures how long functions take: warmed up, in turns, with medians and their spread. Other work on the machine changes the numbers, of
 * all functions of one comparison alike.
 *
 * @module sealstone/bench
 */

import { ArgumentError } from '../basics/error.js'
import { entriesOf, readOptions, stringOf, wholeNumber } from '../basics/option.js'
import { branded } from '../basics/receiver.js'
import { turn } from '../basics/turn.js'

/** How a measurement is made. */
export interface BenchmarkOptions {
  /** Milliseconds for which each function runs before it is measured: 100 by default. */
  readonly warmUpMs?: number
  /** Samples of each function: 15 by default. */
  readonly samples?: number
  /** Milliseconds of a sample at the least, in which a function is called as often as fits: 20 by default. */
  readonly minMs?: number
  /** Calls of each function at the least, over all samples: 1 by default. */
  readonly calls?: number
}

/** A function to be measured; one that promises is awaited in each call. What it throws ends the measurement. */
export interface Case {
  readonly name: string
  readonly fn: () => unknown
}

/** The result of a measurement, in seconds of a call. */
export interface ResultReport {
  readonly name: string
  readonly median: number
  /** Half of the samples lie between these two. */
  readonly lower: number
  readonly upper: number
  readonly min: number
  readonly max: number
  readonly samples: number
  /** Calls of each sample. */
  readonly calls: number
}

/** The result of a comparison for a function. */
export interface ComparedReport extends ResultReport {
  /** How many times as long as the first function it takes: the median of pairs of one round. */
  readonly ratio: number
}

/**
 * Measures a function. A number in the place of the options is `calls`.
 *
 * @throws what the function throws.
 *
 * @example
 * ```ts
 * import { benchmark } from 'sealstone/bench'
 * import { hashHex } from 'sealstone/hash'
 *
 * const result = await benchmark('sha256', () => hashHex('sha256', 'attack at dawn'), { samples: 5, minMs: 1, warmUpMs: 1 })
 * console.log(result.median < 1, String(result).startsWith('sha256')) // true true
 * ```
 */
export async function benchmark(name: string, fn: () => unknown, options?: BenchmarkOptions | number): Promise<Result> {
  const told = typeof options === 'number' ? { calls: options } : options
  const [result] = (await compare([{ name, fn }], told)).results
  return result as Result
}

/**
 * Measures functions in turns, so that what else the machine does meets all of them.
 *
 * @throws what a function throws.
 *
 * @example
 * ```ts
 * import { compare } from 'sealstone/bench'
 * import { hash } from 'sealstone/hash'
 *
 * const data = new Uint8Array(50)
 * const cases = (['sha256', 'sha3-256'] as const).map((name) => ({ name, fn: () => hash(name, data) }))
 * const comparison = await compare(cases, { samples: 5, minMs: 1, warmUpMs: 1 })
 * console.log(comparison.markdown().split('\n')[0]) // | | median | ± | per second | × sha256 |
 * ```
 */
export async function compare(cases: readonly Case[], options?: BenchmarkOptions): Promise<Comparison> {
  const read = readOptions<BenchmarkOptions>(options, ['warmUpMs', 'samples', 'minMs', 'calls'])
  const number = (name: keyof BenchmarkOptions, otherwise: number): number =>
    read[name] === undefined ? otherwise : wholeNumber(read[name], name, 1, NUMBER_MAX)
  const [warmUpMs, samples, minMs] = [number('warmUpMs', 100), number('samples', 15), number('minMs', 20)]
  const calls = Math.ceil(number('calls', 1) / samples)
  const runners: Runner[] = []
  for (const one of checked(cases)) runners.push(await Runner.warm(one, warmUpMs, minMs, calls))
  for (let round = 0; round < samples; round++) {
    // Every other round backwards: what runs behind another one is not always the same.
    for (const runner of round % 2 === 0 ? runners : [...runners].reverse()) {
      await runner.sample()
      // So that a page answers meanwhile.
      await turn()
    }
  }
  return new Comparison(runners.map(({ name, times, calls }) => new Result(name, times, calls)))
}

/**
 * A measurement of a function. As text it is a line.
 *
 * @example
 * ```ts
 * import { benchmark } from 'sealstone/bench'
 *
 * const result = await benchmark('sort', () => [3, 1, 2].sort(), { samples: 3, minMs: 1, warmUpMs: 1 })
 * console.log(result.samples, result.min <= result.median, result.times.length) // 3 true 3
 * ```
 */
export class Result implements ResultReport {
  readonly name: string
  readonly median: number
  readonly lower: number
  readonly upper: number
  readonly min: number
  readonly max: number
  readonly samples: number
  readonly calls: number
  /** Seconds of a call, in the order of the rounds. */
  readonly times: readonly number[]

  /** @internal */
  constructor(name: string, times: readonly number[], calls: number) {
    const at = quantiles(times)
    this.name = name
    this.times = times
    this.calls = calls
    this.samples = times.length
    this.median = at(0.5)
    this.lower = at(0.25)
    this.upper = at(0.75)
    this.min = at(0)
    this.max = at(1)
  }

  toString(): string {
    return text([row(this)])
  }

  /** A table of one row. */
  markdown(): string {
    return markdown(HEAD, [row(this)])
  }

  toJSON(): ResultReport {
    const { name, median, lower, upper, min, max, samples, calls } = this
    return { name, median, lower, upper, min, max, samples, calls }
  }
}

/**
 * Measurements of several functions in turns. As text it is a line of each.
 *
 * @example
 * ```ts
 * import { compare } from 'sealstone/bench'
 *
 * const few = { name: 'few', fn: () => [3, 1, 2].sort() }
 * const many = { name: 'many', fn: () => Array.from({ length: 999 }, (_, i) => -i).sort() }
 * const [, second] = (await compare([few, many], { samples: 3, minMs: 1, warmUpMs: 1 })).toJSON()
 * console.log(second?.name, (second?.ratio ?? 0) > 2) // many true
 * ```
 */
export class Comparison {
  readonly results: readonly Result[]

  /** @internal */
  static readonly brand: string = /* @__PURE__ */ branded(this, 'Comparison', (value) => #rows in value)

  /** @internal */
  constructor(results: readonly Result[]) {
    this.results = results
  }

  toString(): string {
    return text(this.#rows())
  }

  /** A table with a row of each. */
  markdown(): string {
    return markdown([...HEAD, `× ${this.results[0]?.name}`], this.#rows())
  }

  toJSON(): ComparedReport[] {
    return this.results.map((result) => ({ ...result.toJSON(), ratio: this.#ratio(result) }))
  }

  #rows(): string[][] {
    return this.results.map((result) => [...row(result), rounded(this.#ratio(result))])
  }

  #ratio({ times }: Result): number {
    const first = (this.results[0] as Result).times
    return quantiles(times.map((time, round) => time / (first[round] as number)))(0.5)
  }
}

const NUMBER_MAX = 1_000_000

function checked(cases: readonly Case[]): readonly Case[] {
  if (!Array.isArray(cases) || cases.length === 0)
    throw new ArgumentError('cases must be an array with at least one case')
  const read = cases.map((one) => {
    const { name, fn } = Object.fromEntries(entriesOf(one, 'a case')) as { name?: unknown; fn?: unknown }
    if (typeof fn !== 'function') throw new ArgumentError('fn must be a function')
    return { name: stringOf(name, 'name'), fn: fn as () => unknown }
  })
  if (new Set(read.map(({ name }) => name)).size < read.length) throw new ArgumentError('two cases have the same name')
  return read
}

/** The results of calls go here, so that no engine leaves a call out. */
let kept: unknown

/** Runs one function. */
class Runner {
  readonly name: string
  readonly times: number[] = []
  /** Calls of a sample. */
  calls = 1
  readonly #fn: () => unknown
  #promises = false

  private constructor({ name, fn }: Case) {
    this.name = name
    this.#fn = fn
  }

  /** Runs a function so often that it is compiled, and learns how often it fits into a sample. */
  static async warm(one: Case, warmUpMs: number, minMs: number, calls: number): Promise<Runner> {
    const runner = new Runner(one)
    runner.calls = calls
    kept = one.fn()
    runner.#promises = typeof kept === 'object' && kept !== null && 'then' in kept
    await kept
    const begun = performance.now()
    for (;;) {
      const took = await runner.#run()
      const isWarm = performance.now() - begun >= warmUpMs
      if (took >= minMs && isWarm) break
      // At most twice as often: the first calls are the slowest ones.
      if (took < minMs) runner.calls = Math.ceil(runner.calls * Math.min(2, minMs / Math.max(took, 1e-3)))
    }
    return runner
  }

  async sample(): Promise<void> {
    this.times.push((await this.#run()) / 1000 / this.calls)
  }

  /** Milliseconds of so many calls. */
  async #run(): Promise<number> {
    const [fn, calls] = [this.#fn, this.calls]
    const begun = performance.now()
    if (this.#promises) for (let i = 0; i < calls; i++) kept = await fn()
    else for (let i = 0; i < calls; i++) kept = fn()
    return performance.now() - begun
  }
}

/** The value below which so many of the numbers lie, between two of them in proportion. */
function quantiles(numbers: readonly number[]): (at: number) => number {
  const sorted = [...numbers].sort((a, b) => a - b)
  return (at) => {
    const place = at * (sorted.length - 1)
    const [below, above] = [sorted[Math.floor(place)] as number, sorted[Math.ceil(place)] as number]
    return below + (above - below) * (place % 1)
  }
}

const HEAD = ['', 'median', '±', 'per second']

function row({ name, median, lower, upper }: Result): string[] {
  const spread = median === 0 ? 0 : ((upper - lower) / 2 / median) * 100
  return [name, shown(median), `${rounded(spread)} %`, rounded(1 / median)]
}

/** A time in the unit that fits it. */
function shown(seconds: number): string {
  const units = [
    ['ns', 1e-9],
    ['µs', 1e-6],
    ['ms', 1e-3],
    ['s', 1],
  ] as const
  const [unit, size] = units.find(([, size]) => seconds < 1000 * size) ?? units[3]
  return `${rounded(seconds / size)} ${unit}`
}

/** With three digits that count. */
function rounded(number: number): string {
  return number >= 100 ? Math.round(number).toLocaleString('en-US') : String(Number(number.toPrecision(3)))
}

function text(rows: readonly string[][]): string {
  const widths = (rows[0] ?? []).map((_, at) => Math.max(...rows.map((row) => (row[at] as string).length)))
  const line = ([name = '', median = '', spread = '', rate = '', ratio]: string[]): string => {
    const cells = [name.padEnd(widths[0] as number), median.padStart(widths[1] as number)]
    cells.push(`± ${spread.padStart(widths[2] as number)}`, `${rate.padStart(widths[3] as number)}/s`)
    if (ratio !== undefined && rows.length > 1) cells.push(`× ${ratio.padStart(widths[4] as number)}`)
    return cells.join('  ')
  }
  return rows.map(line).join('\n')
}

function markdown(head: readonly string[], rows: readonly string[][]): string {
  // A name may have any characters; a cell has one line.
  const escaped = (cell: string): string => cell.replace(/[\\|]/g, '\\$&').replace(/[\r\n]+/g, ' ')
  const line = (cells: readonly string[]): string => `| ${cells.map(escaped).join(' | ')} |\n`.replace('|  |', '| |')
  return `${line(head)}|---|${'--:|'.repeat(head.length - 1)}\n${rows.map(line).join('')}`
}
