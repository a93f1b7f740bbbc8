// The costs of passwords, as callers say them and as they cross.

import type { CrossingCost } from '../backend/calls.js'
import { ArgumentError } from '../basics/error.js'
import { booleanOption, entriesOf, stringOf, wholeNumber } from '../basics/option.js'
import { ARGON2_COST, type HmacHash, SCRYPT_COST } from '../basics/table.js'

/** The cost of Argon2. */
export interface Argon2Cost {
  /** Memory in KiB: 65,536 by default, and at least 8 for each lane. */
  readonly memoryKib?: number
  /** Passes over the memory: 3 by default. */
  readonly passes?: number
  /** Lanes that are computed in parallel, on as many threads as there are: 1 by default. */
  readonly lanes?: number
}

/** The cost of scrypt: 128 * `r` * 2^`logN` bytes of memory. */
export interface ScryptCost {
  /** log2 of N: 17 by default. */
  readonly logN?: number
  /** Block size, r: 8 by default. */
  readonly r?: number
  /** Parallelization, p: 1 by default. */
  readonly p?: number
}

/** The cost of PBKDF2. */
export interface Pbkdf2Cost {
  /** Iterations: 600,000 by default, as is usual with SHA-256. */
  readonly iterations?: number
}

/** An algorithm and what it costs. */
export type PasswordCost =
  | ({ readonly algorithm: 'argon2id' | 'argon2i' | 'argon2d' } & Argon2Cost)
  | ({ readonly algorithm: 'scrypt' } & ScryptCost)
  | ({ readonly algorithm: `pbkdf2-${HmacHash}` } & Pbkdf2Cost)

const NAMES = {
  argon2: ['memoryKib', 'passes', 'lanes'],
  scrypt: ['logN', 'r', 'p'],
  pbkdf2: ['iterations'],
} as const

/** The default cost of PBKDF2, in the command line too. */
const PBKDF2_COST = { iterations: 600_000 } as const

/** The options that are an algorithm's cost. */
export function costNames(algorithm: string): (typeof NAMES)[keyof typeof NAMES] {
  if (algorithm.startsWith('argon2')) return NAMES.argon2
  return algorithm === 'scrypt' ? NAMES.scrypt : NAMES.pbkdf2
}

/** The cost of an algorithm among options that were read, as it crosses. */
export function crossing(algorithm: string, read: { readonly [name: string]: unknown }): CrossingCost {
  const names: readonly string[] = costNames(algorithm)
  const cost = (i: number): number => {
    const name = names[i]
    if (name === undefined) return 0
    return wholeNumber(read[name] === undefined ? USUAL[name] : read[name], name, 0, 2 ** 32 - 1)
  }
  return [algorithm, cost(0), cost(1), cost(2)]
}

/** Without a prototype, so that nothing that was put on `Object.prototype` is a cost. */
const USUAL: { readonly [name: string]: number } = /* @__PURE__ */ Object.assign(
  /* @__PURE__ */ Object.create(null),
  ARGON2_COST,
  SCRYPT_COST,
  PBKDF2_COST,
)

/** A cost that a caller gives as an object, Argon2id's own where it gives none. */
export function crossingOf(cost: PasswordCost | undefined): CrossingCost {
  if (cost === undefined) return crossing('argon2id', Object.create(null))
  const read = Object.assign(Object.create(null), Object.fromEntries(entriesOf(cost, 'the cost')))
  const algorithm = stringOf(read.algorithm, 'the algorithm of the cost')
  // Core refuses an algorithm without these costs: bcrypt, which is only read, has costs of its own.
  if (!/^(?:argon2|scrypt$|pbkdf2-)/.test(algorithm)) return [algorithm, 0, 0, 0]
  const known: readonly string[] = ['algorithm', ...costNames(algorithm)]
  const unknown = Object.keys(read).find((name) => !known.includes(name))
  if (unknown !== undefined) throw new ArgumentError(`${algorithm} has no ${unknown}`)
  return crossing(algorithm, read)
}

/** As a caller says it. */
export function costOf([algorithm, ...numbers]: CrossingCost): PasswordCost {
  const named = costNames(algorithm).map((name, i) => [name, numbers[i]])
  return { algorithm, ...Object.fromEntries(named) } as PasswordCost
}

/** Whether costs are within what is usual. */
export function boundedOf(allowHighCost: unknown): boolean {
  return booleanOption(allowHighCost, 'allowHighCost') !== true
}
