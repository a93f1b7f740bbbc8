/** What rules get besides the length or the ciphertext. */
export interface FiseContext {
  /** As it was given in the options. */
  timestamp?: number
  /** Of the salt that is tried, in characters or bytes. */
  saltLength?: number
  /** A name of FISE 0.1.5, which never sets it. */
  randomSeed?: number
  /** As it was given in the options. */
  // biome-ignore lint/suspicious/noExplicitAny: the type of FISE 0.1.5, so that its users' rules compile.
  metadata?: Record<string, any>
}

/**
 * How an envelope is laid out: where the marker stands, and what it looks like. Rules must be pure functions: the same arguments
 * always give the same result.
 */
export interface FiseRules<T extends string | Uint8Array = string> {
  /**
   * Where the marker is put into the ciphertext. Fractions are cut off, values outside 0 to its length are brought into that
   * range, and what is not a number counts as 0.
   */
  offset(cipherText: T, ctx: FiseContext): number
  /** The marker: the length of the salt, as the envelope carries it. */
  encodeLength(len: number, ctx: FiseContext): T
  /** The reverse of `encodeLength`. */
  decodeLength(encoded: T, ctx: FiseContext): number
  /** The lengths that a salt may have, both included; 10 to 99 unless it says otherwise. */
  saltRange?: { min: number; max: number }
  /** Where the salt is in an envelope, when that is not the end. */
  extractSalt?(envelope: T, saltLen: number, ctx: FiseContext): T
  /** The envelope without its salt, when that is not at the end. */
  stripSalt?(envelope: T, saltLen: number, ctx: FiseContext): T
  /** For people. */
  meta?: {
    name?: string
    description?: string
    source?: string
    deterministic?: boolean
    allowsPreviousResult?: boolean
  }
}

/** An offset that depends on the ciphertext's length alone, which is never 0 here, for a timestamp that is known. */
type Formula = (timestamp: number) => Offset

/** An offset for a length of the ciphertext and of the salt. */
export interface Offset {
  (length: number, saltLength: number): number
  /** The offset of every ciphertext that is longer than this number, if they have one: the number itself. */
  constant?: number
}

/** Where FISE 0.1.5 looks when rules have no `saltRange`. */
export const DEFAULT_RANGE = { min: 10, max: 99 } as const

/**
 * Functions whose answers are known without running them on every ciphertext. Only functions that are made here get in: of
 * another's function no number of tries shows that it never looks at the text.
 */
const formulas = new WeakMap<object, Formula>()
const markers = new WeakMap<object, Markers>()

/** The formula of an offset function, if it depends on the length alone. */
export function formulaOf(offset: object): Formula | undefined {
  return formulas.get(offset)
}

/** The markers of an `encodeLength`, by length, filled as they are asked for. */
export interface Markers {
  readonly texts: string[]
  /** Of each marker the length above the lower sixteen bits, and its first character in them: most that a reader needs. */
  readonly heads: number[]
  /** Characters of the longest that is known. */
  longest: number
  /** Between these lengths all are known. */
  min: number
  max: number
  /** The salts' lengths, in order, by the first two characters of their markers. */
  readonly byStart: Map<number, number[]>
}

/** Before any is asked for. */
export function noMarkers(): Markers {
  return { texts: [], heads: [], longest: 0, min: Number.POSITIVE_INFINITY, max: -1, byStart: new Map() }
}

/** The first two characters of a marker as one number; of one character, `next` is `NaN`. */
export function startOf(first: number, next: number): number {
  return first * 0x10001 + (Number.isNaN(next) ? 0x10000 : next)
}

/** The markers of an `encodeLength` that depends on nothing else. */
export function markersOf(encodeLength: object): Markers | undefined {
  return markers.get(encodeLength)
}

/** An offset function of this formula. */
export function offsetBy(formula: Formula): (cipherText: { readonly length: number }, ctx: FiseContext) => number {
  const offset = (cipherText: { readonly length: number }, ctx: FiseContext): number =>
    formula(ctx.timestamp ?? 0)(cipherText.length || 1, ctx.saltLength ?? DEFAULT_RANGE.min)
  formulas.set(offset, formula)
  return offset
}

/** `(length · multiplier + timestamp mod modulo) mod length`, the offset of most presets. */
export function linearOffset(multiplier: number, modulo: number): ReturnType<typeof offsetBy> {
  let last: Offset | undefined
  return offsetBy((timestamp) => {
    const shift = small(timestamp % modulo)
    if (isPlain(multiplier) && isPlain(shift)) {
      // Mostly the next text has the same timestamp.
      if (last?.constant === shift) return last
      last = Object.assign((length: number) => remainder(shift, length), { constant: shift })
      return last
    }
    return (length) => (length * multiplier + shift) % length
  })
}

/** Whether a multiple of a length is exact with this number, and `(length · number) mod length` is 0. */
export function isPlain(number: number): boolean {
  return Number.isInteger(number) && number >= 0 && number <= 2 ** 20
}

/** `value % length` where the value is mostly the smaller: a reader asks for it ninety times, and a division takes longest there. */
export function remainder(value: number, length: number): number {
  return value < length ? value : value % length
}

/** The same number, as the engine's small integer where it is one: a remainder of others takes ten times as long. */
export function small(value: number): number {
  return Number.isInteger(value) && Math.abs(value) < 2 ** 30 ? value | 0 : value
}

/** The two functions of a marker. */
export interface Marking {
  encodeLength(len: number): string
  decodeLength(encoded: string): number
}

/** Markers of two digits or more in a radix that JavaScript writes. */
export function radixMarking(radix: number): Marking {
  let marking = radixMarkings.get(radix)
  if (marking === undefined) {
    const encodeLength = (len: number) => len.toString(radix).padStart(2, '0')
    markers.set(encodeLength, noMarkers())
    marking = { encodeLength, decodeLength: (encoded) => Number.parseInt(encoded, radix) }
    radixMarkings.set(radix, marking)
  }
  return marking
}

/** Rules that are built anew for each envelope share their markers. */
const radixMarkings = new Map<number, Marking>()

/** Markers of two digits or more, each a character of the alphabet, the first of which is zero. */
export function alphabetMarking(alphabet: string): Marking {
  const base = alphabet.length
  const encodeLength = (len: number) => {
    let encoded = ''
    for (let left = len; left > 0; left = Math.floor(left / base)) encoded = alphabet.charAt(left % base) + encoded
    return encoded.padStart(2, alphabet.charAt(0))
  }
  const decodeLength = (encoded: string) => {
    let len = 0
    for (let i = 0; i < encoded.length; i++) {
      const digit = alphabet.indexOf(encoded.charAt(i))
      if (digit < 0) return Number.NaN
      len = len * base + digit
    }
    return len
  }
  markers.set(encodeLength, noMarkers())
  return { encodeLength, decodeLength }
}

/**
 * The rules of FISE 0.1.5 for text, when an application has none of its own.
 *
 * @example
 * ```ts
 * import { defaultRules, fiseDecrypt, fiseEncrypt } from 'sealstone/fise'
 *
 * const envelope = fiseEncrypt('not a secret', defaultRules, { timestamp: 29_400_000 })
 * console.log(fiseDecrypt(envelope, defaultRules, { timestamp: 29_400_000 })) // not a secret
 * ```
 */
export const defaultRules: FiseRules<string> = /* @__PURE__ */ (() => ({
  offset: linearOffset(7, 11),
  ...radixMarking(36),
}))()

/** The rules of FISE 0.1.5 for bytes: the marker is the length in two bytes, the higher first. */
export const defaultBinaryRules: FiseRules<Uint8Array> = /* @__PURE__ */ (() => ({
  offset: linearOffset(7, 11),
  encodeLength: (len: number) => Uint8Array.of(len >> 8, len),
  decodeLength: (encoded: Uint8Array) => ((encoded[0] as number) << 8) | (encoded[1] as number),
}))()
