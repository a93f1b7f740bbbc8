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

/** Where FISE 0.1.5 looks when rules have no `saltRange`. */
export const DEFAULT_RANGE = { min: 10, max: 99 } as const

/** An offset that looks at the length of a ciphertext alone. */
type Offset = (cipherText: { readonly length: number }, ctx: FiseContext) => number

/** The offset of this formula, which never gets 0 for a length. */
export function offsetBy(formula: (length: number, timestamp: number, saltLength: number) => number): Offset {
  return ({ length }, { timestamp, saltLength }) =>
    formula(length || 1, timestamp ?? 0, saltLength ?? DEFAULT_RANGE.min)
}

/** `(length · multiplier + timestamp mod modulo) mod length`, the offset of most presets. */
export function linearOffset(multiplier: number, modulo: number): Offset {
  const offset = offsetBy((length, timestamp) => (length * multiplier + (timestamp % modulo)) % length)
  // A multiple of the length is exact then, and leaves nothing.
  if (Number.isInteger(multiplier) && multiplier >= 0 && multiplier <= 2 ** 20) {
    fixedPlaces.set(offset, (timestamp) => timestamp % modulo)
  }
  return offset
}

/** Of offsets that are made here: the place in every ciphertext that is longer than it. A fraction or less than 0 is none. */
const fixedPlaces = /* @__PURE__ */ new WeakMap<object, (timestamp: number) => number>()

/** The one place that an offset gives for every ciphertext that is longer, if that is known. */
export function fixedPlaceOf(offset: object, timestamp: number): number {
  return fixedPlaces.get(offset)?.(timestamp) ?? -1
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
