import { ArgumentError } from '../error.js'
import { readOptions } from '../option.js'
import type { FiseBinaryCipher, FiseCipher } from './cipher.js'
import { FiseError } from './error.js'
import { DEFAULT_RANGE, type FiseContext, type FiseRules, formulaOf, type Offset } from './rules.js'

/** How an envelope is made. */
export interface EncryptOptions {
  /** Handed to the rules; the reader has to give the same. */
  timestamp?: number
  /** Handed to the rules; the reader has to give the same. */
  // biome-ignore lint/suspicious/noExplicitAny: the type of FISE 0.1.5, so that its users' code compiles.
  metadata?: Record<string, any>
  /** Of text; {@link xorCipher} unless this says otherwise. */
  cipher?: FiseCipher
  /** Of bytes; {@link xorBinaryCipher} unless this says otherwise. */
  binaryCipher?: FiseBinaryCipher
}

/** How an envelope is read: as it was made. */
export type DecryptOptions = EncryptOptions

/** A place where an envelope has the marker that belongs there: one reading of it. */
export interface Hit {
  readonly saltLength: number
  /** Of the marker, in the envelope without its salt. */
  readonly at: number
}

/** Salts that are drawn for one envelope before the rules are given up. One in fifty has a second reading. */
export const DRAWS = 1000

const OPTIONS = ['timestamp', 'metadata', 'cipher', 'binaryCipher'] as const

/** An encoder looks for a second reading of each length, and keeps the markers of all: that is to end within a second. */
const SALT_MAX_LEN = 2 ** 17 - 1

/** Rules whose functions are there. What only `Object.prototype` has is not theirs. */
function checkedRules<T extends string | Uint8Array>(rules: FiseRules<T>): FiseRules<T> {
  if (typeof rules !== 'object' || rules === null) throw new ArgumentError('the rules must be an object')
  // By name, not in loops, which took a tenth of a short text's time.
  const { offset, encodeLength, decodeLength, extractSalt, stripSalt } = rules
  if (typeof offset !== 'function') throw missing('offset')
  if (typeof encodeLength !== 'function') throw missing('encodeLength')
  if (typeof decodeLength !== 'function') throw missing('decodeLength')
  if (extractSalt !== undefined && typeof extractSalt !== 'function')
    throw new ArgumentError('extractSalt must be a function')
  if (stripSalt !== undefined && typeof stripSalt !== 'function')
    throw new ArgumentError('stripSalt must be a function')
  const { prototype } = Object
  if (!('saltRange' in prototype || 'extractSalt' in prototype || 'stripSalt' in prototype)) return rules
  const inherited = OPTIONAL.filter((name) => name in Object.prototype && !Object.hasOwn(rules, name))
  return Object.assign(Object.create(rules), Object.fromEntries(inherited.map((name) => [name, undefined])))
}

const OPTIONAL = ['saltRange', 'extractSalt', 'stripSalt'] as const

function missing(name: string): ArgumentError {
  return new ArgumentError(`the rules must have a function ${name}`)
}

/** What rules of text and of bytes have in common, for one envelope. */
export class Layout<T extends string | Uint8Array> {
  readonly min: number
  readonly max: number
  /** The offset for a length, when it depends on nothing else. */
  readonly formula: Offset | undefined

  readonly rules: FiseRules<T>
  /** Each read once. */
  readonly options: EncryptOptions

  constructor(rules: FiseRules<T>, options: EncryptOptions) {
    this.rules = checkedRules(rules)
    this.options = readOptions<EncryptOptions>(options, OPTIONS)
    const { timestamp } = this.options
    if (timestamp !== undefined && typeof timestamp !== 'number') throw new ArgumentError('timestamp must be a number')
    const { min, max } = this.rules.saltRange ?? DEFAULT_RANGE
    if (!(Number.isInteger(min) && Number.isInteger(max) && 0 <= min && min <= max && max <= SALT_MAX_LEN)) {
      throw unfit(
        `saltRange must be two whole numbers up to ${SALT_MAX_LEN}, the first not above the second, and is ${min} to ${max}`,
      )
    }
    this.min = min
    this.max = max
    this.formula = formulaOf(rules.offset)?.(timestamp ?? 0)
  }

  /** What a function of the rules is told. */
  context(saltLength: number): FiseContext {
    const { timestamp, metadata } = this.options
    return { timestamp, saltLength, metadata } as FiseContext
  }
}

/** Where a marker is put that has this offset in a ciphertext of this length: as FISE 0.1.5 puts it, for any offset. */
export function placeOf(offset: number, length: number): number {
  if (offset >= 0 && offset <= length) return Math.floor(offset)
  return offset > length ? length : 0
}

export const SECOND_READING = 'every envelope that was tried can be read in more than one way'
export const NO_FUNCTION = 'offset or encodeLength does not always give the same result for the same arguments'

/** Rules that cannot be undone. */
export function unfit(reason: string): FiseError {
  return new FiseError('fise_rules', `FISE: ${reason}`)
}

/** The one plaintext among those that the hits opened to; `undefined` stands for one that did not. */
export function onlyOne<P>(opened: readonly { saltLength: number; plaintext: P }[], hits: number, cause: unknown): P {
  const [first, ...others] = opened
  if (first === undefined) {
    if (hits === 0) throw new FiseError('fise_no_salt', NO_SALT)
    throw new FiseError('fise_no_marker', NO_MARKER, cause === undefined ? undefined : { cause })
  }
  if (others.length === 0) return first.plaintext
  const lengths = opened.map(({ saltLength }) => saltLength).join(', ')
  throw new FiseError(
    'fise_ambiguous',
    `FISE: the envelope can be read with a salt of each of these lengths: ${lengths}`,
  )
}

// The words of FISE 0.1.5, which callers may look for.
const NO_SALT =
  'FISE: cannot infer salt length from envelope. This may indicate a corrupted envelope or mismatched rules/timestamp.'
const NO_MARKER =
  'FISE: cannot find encoded length at expected offset. This may indicate a corrupted envelope, mismatched rules/timestamp, or a rules implementation where offset depends on content (not just length).'
