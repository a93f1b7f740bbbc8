import { isSame } from '../../basics/bytes.js'
import { BinaryLayout, fiseBinaryDecrypt, fiseBinaryEncrypt } from './binary.js'
import type { EncryptOptions } from './layout.js'
import type { FiseRules } from './rules.js'
import { fiseDecrypt, fiseEncrypt, TextLayout } from './text.js'

/** How rules are tried. */
export interface ValidateOptions extends Omit<EncryptOptions, 'timestamp'> {
  /** What is given to the rules in turn; unless this says otherwise none, small ones, a negative one, minutes and milliseconds. */
  timestamps?: readonly (number | undefined)[]
  /** Envelopes that are made and opened; 2,000 unless this says otherwise. */
  cases?: number
  /** Whether rules for text are tried on bytes, as `fiseBinaryEncrypt` takes them. */
  binary?: boolean
}

/** What rules cannot do. */
export interface RulesProblem {
  /** In words. */
  readonly reason: string
  /** With which salt, where it is a matter of that. */
  readonly saltLength?: number
  /** With which timestamp. */
  readonly timestamp?: number | undefined
  /** On which text or bytes. */
  readonly plaintext?: string | Uint8Array
}

/** What {@link validateRules} found. */
export interface RulesReport {
  /** Whether nothing was found. */
  readonly ok: boolean
  /** Envelopes that were made and opened. */
  readonly cases: number
  /** The first of what was found, at most twenty. */
  readonly problems: readonly RulesProblem[]
  /** What a reader does: `direct` looks at one place for each length of the salt; `search` at every place, which is slower. */
  readonly reading: 'direct' | 'search'
}

/**
 * Tests your own rules: that every length of the salt survives its marker, that no two lengths have one marker, and that random
 * envelopes open to what was put in, and to nothing else.
 *
 * @example
 * ```ts
 * import { FiseBuilder, validateRules } from 'sealstone/fise'
 *
 * const rules = FiseBuilder.create().withOffset((text) => text.length % 5).build()
 * console.log(validateRules(rules).ok) // true
 * const broken = { ...rules, decodeLength: () => 12 }
 * console.log(validateRules(broken).problems[0]?.reason) // decodeLength does not undo encodeLength
 * ```
 */
export function validateRules(
  rules: FiseRules<string> | FiseRules<Uint8Array>,
  options: ValidateOptions = {},
): RulesReport {
  const { timestamps = TIMESTAMPS, cases = 2000, binary = false, ...rest } = options
  if (!Number.isInteger(cases) || cases < 1) throw new RangeError('cases must be a whole number of at least 1')
  const problems: RulesProblem[] = []
  const report = (problem: RulesProblem) => {
    if (problems.length < PROBLEMS_MAX) problems.push(problem)
  }
  let done = 0
  let reading: RulesReport['reading'] = 'search'
  try {
    const first = { ...rest, timestamp: timestamps[0] } as EncryptOptions
    const isText = isForText(rules, first)
    const layout = isText && !binary ? new TextLayout(rules as FiseRules, first) : new BinaryLayout(rules, first)
    if (layout.isByLength) reading = 'direct'
    for (const timestamp of timestamps) checkMarkers(rules, { ...rest, timestamp } as EncryptOptions, report)
    for (let i = 0; i < cases && problems.length < PROBLEMS_MAX; i++) {
      const timestamp = timestamps[i % timestamps.length]
      const given = { ...rest, timestamp } as EncryptOptions
      const text = textOf(i)
      const plaintext = isText && !binary ? text : new TextEncoder().encode(text)
      try {
        const opened =
          typeof plaintext === 'string'
            ? fiseDecrypt(fiseEncrypt(plaintext, rules as FiseRules, given), rules as FiseRules, given)
            : fiseBinaryDecrypt(fiseBinaryEncrypt(plaintext, rules, given), rules, given)
        const same =
          typeof opened === 'string' || typeof plaintext === 'string' ? opened === plaintext : isSame(opened, plaintext)
        if (!same) report({ reason: 'it opens to something else', timestamp, plaintext })
        done++
      } catch (error) {
        report({ reason: wordsOf(error), timestamp, plaintext })
      }
    }
  } catch (error) {
    report({ reason: wordsOf(error) })
  }
  return { ok: problems.length === 0, cases: done, problems, reading }
}

const PROBLEMS_MAX = 20
const TIMESTAMPS = [undefined, 0, 5, 12_345, -7, 29_400_000, 1_763_770_000_123]

function isForText(rules: FiseRules<string> | FiseRules<Uint8Array>, options: EncryptOptions): boolean {
  const layout = new TextLayout(rules as FiseRules, options)
  return typeof rules.encodeLength(layout.min, layout.context(layout.min)) === 'string'
}

/** Every length of the salt, by itself and against the others. */
function checkMarkers(
  rules: FiseRules<string> | FiseRules<Uint8Array>,
  options: EncryptOptions,
  report: (problem: RulesProblem) => void,
): void {
  const { timestamp } = options
  const layout = new TextLayout(rules as FiseRules, options)
  const seen = new Map<string, number>()
  for (let saltLength = layout.min; saltLength <= layout.max; saltLength++) {
    const context = layout.context(saltLength)
    const marker = rules.encodeLength(saltLength, context)
    if (rules.decodeLength(marker as never, context) !== saltLength) {
      report({ reason: 'decodeLength does not undo encodeLength', saltLength, timestamp })
    }
    const other = seen.get(String(marker))
    if (other !== undefined) report({ reason: `its marker also stands for a salt of ${other}`, saltLength, timestamp })
    seen.set(String(marker), saltLength)
  }
}

/** Texts of all sorts: empty and short ones, where two readings are likeliest, and some that are not ASCII. */
function textOf(i: number): string {
  const length = i % 7 === 0 ? i % 600 : i % 24
  let text = ''
  const alphabet = Array.from(ALPHABETS[i % ALPHABETS.length] as string)
  while (text.length < length) text += alphabet[(text.length * 7 + i) % 8] ?? ' '
  return text
}

const ALPHABETS = ['{"id":1}', 'naïve é ü', '世界你好，。支付', '😀🛒ab😀🛒世é']

function wordsOf(error: unknown): string {
  // By its property: rules of another realm throw errors of that.
  const { message } = (typeof error === 'object' && error !== null ? error : {}) as { message?: unknown }
  return typeof message === 'string' ? message : String(error)
}
