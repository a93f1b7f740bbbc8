import { branded } from '../../basics/receiver.js'
import { FiseError } from './error.js'
import {
  alphabetMarking,
  DEFAULT_RANGE,
  type FiseContext,
  type FiseRules,
  linearOffset,
  type Marking,
  offsetBy,
  radixMarking,
} from './rules.js'

type Offset = (cipherText: string, ctx: FiseContext) => number
type EncodeLength = (len: number, ctx: FiseContext) => string
type DecodeLength = (encoded: string, ctx: FiseContext) => number
type OfSalt = (envelope: string, saltLen: number, ctx: FiseContext) => string

/**
 * Builds rules. It comes from {@link FiseBuilder}.
 *
 * @example
 * ```ts
 * import { FiseBuilder, type FiseBuilderInstance, validateRules } from 'sealstone/fise'
 *
 * const making: FiseBuilderInstance = FiseBuilder.create()
 * const rules = making.withOffset((cipherText) => cipherText.length >> 2).withSaltRange(20, 40).build()
 * console.log(validateRules(rules).ok) // true
 * ```
 */
export class FiseBuilderInstance {
  #offset: Offset | undefined
  #encodeLength: EncodeLength | undefined
  #decodeLength: DecodeLength | undefined
  #saltRange: { min: number; max: number } | undefined
  #extractSalt: OfSalt | undefined
  #stripSalt: OfSalt | undefined

  /** @internal By its name, since Rolldown keeps a class that says `this` here, used or not. */
  static readonly brand: string = /* @__PURE__ */ branded(
    FiseBuilderInstance,
    'FiseBuilderInstance',
    (value) => #offset in value,
  )

  /** Where the marker stands. The one part that rules must have. */
  withOffset(fn: Offset): this {
    this.#offset = fn
    return this
  }

  /** How the marker is written; two digits to the base 36 unless this says otherwise. */
  withEncodeLength(fn: EncodeLength): this {
    this.#encodeLength = fn
    return this
  }

  /** How the marker is read. */
  withDecodeLength(fn: DecodeLength): this {
    this.#decodeLength = fn
    return this
  }

  /** The lengths that a salt may have, both included. */
  withSaltRange(min: number = DEFAULT_RANGE.min, max: number = DEFAULT_RANGE.max): this {
    this.#saltRange = { min, max }
    return this
  }

  /** Puts the salt before everything else. FISE 0.1.5 still leaves it at the end, and cannot open its own envelopes. */
  withHeadSalt(): this {
    return this.withCustomSaltExtraction(
      (envelope, saltLen) => envelope.slice(0, saltLen),
      (envelope, saltLen) => envelope.slice(saltLen),
    )
  }

  /** Functions that find the salt and remove it. They must work for an envelope with the salt at one of its ends. */
  withCustomSaltExtraction(extract: OfSalt, strip: OfSalt): this {
    this.#extractSalt = extract
    this.#stripSalt = strip
    return this
  }

  /** The rules. */
  build(): FiseRules {
    if (this.#offset === undefined) {
      throw new FiseError('fise_rules', 'FISE FiseBuilderInstance: withOffset() is required')
    }
    const [encodeLength, decodeLength] = [this.#encodeLength, this.#decodeLength]
    // One without the other counts for nothing, as in FISE 0.1.5.
    const marking = encodeLength && decodeLength ? { encodeLength, decodeLength } : radixMarking(36)
    const rules: FiseRules = { offset: this.#offset, ...marking }
    if (this.#saltRange !== undefined) rules.saltRange = this.#saltRange
    if (this.#extractSalt !== undefined) rules.extractSalt = this.#extractSalt
    if (this.#stripSalt !== undefined) rules.stripSalt = this.#stripSalt
    return rules
  }
}

/**
 * Makes rules: presets, and a builder for rules of your own.
 *
 * @example
 * ```ts
 * import { FiseBuilder, fiseDecrypt, fiseEncrypt } from 'sealstone/fise'
 *
 * const rules = FiseBuilder.timestamp().withSaltRange(15, 50).build()
 * const minute = Math.floor(Date.now() / 60_000)
 * const envelope = fiseEncrypt('not a secret', rules, { timestamp: minute })
 * console.log(fiseDecrypt(envelope, rules, { timestamp: minute })) // not a secret
 * ```
 */
// biome-ignore lint/complexity/noStaticOnlyClass: the form that FISE 0.1.5 has.
export class FiseBuilder {
  /** Rules from nothing: `withOffset` has to follow. */
  static create(): FiseBuilderInstance {
    return new FiseBuilderInstance()
  }

  /** The rules of `defaultRules`. */
  static defaults(): FiseBuilderInstance {
    return FiseBuilder.simple()
  }

  /** A multiple of the length, and the timestamp modulo a number. */
  static simple(multiplier = 7, modulo = 11): FiseBuilderInstance {
    return preset(linearOffset(multiplier, modulo))
  }

  /** As `simple`, with other numbers. */
  static timestamp(multiplier = 13, modulo = 17): FiseBuilderInstance {
    return preset(linearOffset(multiplier, modulo))
  }

  /** The middle, whatever the time. */
  static fixed(): FiseBuilderInstance {
    return preset(offsetBy((length) => length >> 1))
  }

  /** The length modulo a number. */
  static lengthBased(modulo = 7): FiseBuilderInstance {
    return preset(offsetBy((length) => length % modulo))
  }

  /** As `simple`, with larger primes. */
  static prime(multiplier = 17, modulo = 23): FiseBuilderInstance {
    return preset(linearOffset(multiplier, modulo))
  }

  /** The length, the timestamp and the salt's length. */
  static multiFactor(): FiseBuilderInstance {
    return preset(
      offsetBy((length, timestamp, saltLength) => (length * 7 + (timestamp % 11) + saltLength * 3) % length),
    )
  }

  /** Markers in hexadecimal digits. */
  static hex(): FiseBuilderInstance {
    return preset(linearOffset(7, 11), radixMarking(16))
  }

  /** Markers to the base 62. */
  static base62(): FiseBuilderInstance {
    const digits = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
    return preset(linearOffset(7, 11), alphabetMarking(digits))
  }

  /** The length XORed with the timestamp, in 32 bits. */
  static xor(): FiseBuilderInstance {
    return preset(offsetBy((length, timestamp) => (length ^ timestamp) % length))
  }

  /** Markers in the alphabet of base64. */
  static base64(): FiseBuilderInstance {
    const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
    return preset(linearOffset(7, 11), alphabetMarking(digits))
  }

  /** Markers in an alphabet of at least ten characters, all different. */
  static customChars(alphabet = '!@#$%^&*()'): FiseBuilderInstance {
    if (alphabet.length < 10) {
      throw new FiseError('fise_rules', 'FISE FiseBuilder: customChars alphabet must have at least 10 characters')
    }
    return preset(linearOffset(7, 11), alphabetMarking(alphabet))
  }
}

function preset(offset: Offset, marking: Marking = radixMarking(36)): FiseBuilderInstance {
  return new FiseBuilderInstance()
    .withOffset(offset)
    .withEncodeLength(marking.encodeLength)
    .withDecodeLength(marking.decodeLength)
    .withSaltRange()
}
