import { type Bytes, joined } from '../../basics/bytes.js'
import { ArgumentError } from '../../basics/error.js'
import { readOptions } from '../../basics/option.js'
import { branded } from '../../basics/receiver.js'
import { arrayOf } from './binary.js'
import { mixed, opened } from './cipher.js'
import { FiseError } from './error.js'
import { mix, scratch } from './memory.js'
import { completed, type FiseProfileData, profileOfSeed, refused } from './profile.js'
import { ProfileLayout } from './profile-layout.js'
import { BASE64, randomBytes, randomLength, randomText } from './salt.js'
import { concatenated } from './transcoder.js'

/** How an envelope of a profile is made, and read. */
export interface ProfileOptions {
  /** An integer that the reader has to give too; 0 unless this says otherwise. */
  timestamp?: number
}

/** Salts that are drawn for one envelope before the profile is given up. */
const DRAWS = 1000

/** Bytes or characters that an envelope cannot hold any more: its ciphertext has fewer than 2^31 units. */
const DATA_MAX = 2 ** 28

/**
 * Rules as data, and the envelopes that they describe. **This is not encryption**: whoever has an envelope can find out its rules.
 *
 * The same profile writes and reads the same envelopes in every language (`spec/fise-frames.md`). Its defaults are the rules of FISE 0.1.5.
 *
 * @example
 * ```ts
 * import { FiseProfile } from 'sealstone/fise'
 *
 * const profile = FiseProfile.parse({ fise: 1, salt: { place: 'interleaved' }, decoys: { every: 16 } })
 * const envelope = profile.encodeText('not a secret', { timestamp: 29_400_000 })
 * console.log(profile.decodeText(envelope, { timestamp: 29_400_000 })) // not a secret
 * ```
 */
export class FiseProfile {
  /** @internal */
  static readonly brand: string = /* @__PURE__ */ branded(this, 'FiseProfile', (value) => #layout in value)
  readonly #layout: ProfileLayout

  // As `parse` is, since a program without types may call it.
  private constructor(profile: unknown) {
    this.#layout = new ProfileLayout(completed(profile))
  }

  /** Reads a profile: JSON, or an object of the same form. One that breaks a rule is refused with the code `fise_rules`. */
  static parse(profile: string | FiseProfileData): FiseProfile {
    let data: unknown = profile
    if (typeof profile === 'string') {
      try {
        // Some editors write a mark of the order of bytes.
        data = JSON.parse(profile.replace(/^\ufeff/, ''))
      } catch (cause) {
        throw new FiseError('fise_rules', 'FISE: the profile is no JSON', { cause })
      }
    }
    return new FiseProfile(data)
  }

  /** Makes the profile of a seed: the same in every language, and only as secret as the seed, which has at most 32 bits. */
  static random(seed: string): FiseProfile {
    if (typeof seed !== 'string') throw new ArgumentError('the seed must be a string')
    return new FiseProfile(profileOfSeed(seed))
  }

  /** The profile with all members, for `JSON.stringify`. */
  toJSON(): FiseProfileData {
    return structuredClone(this.#layout.profile) as FiseProfileData
  }

  /** Hides bytes in an envelope. */
  encode(data: Uint8Array, options: ProfileOptions = {}): Bytes {
    const timestamp = timestampOf(options)
    return this.encodeParts([arrayOf(data, 'the data')], 0, timestamp)
  }

  /**
   * Hides parts, one behind the other, in an envelope behind so many bytes that are free.
   *
   * @internal
   */
  encodeParts(parts: readonly Uint8Array[], free: number, timestamp: number): Bytes {
    const memory = (length: number) => {
      checkLength(length)
      return scratch('ciphertext', length)
    }
    const ciphertext = (salt: Uint8Array) => {
      const bytes = joined(parts, memory)
      mix(bytes, salt)
      return bytes
    }
    return this.#written(timestamp, ciphertext, randomBytes, free)
  }

  /** The bytes that an envelope hides. What no writer made is refused, but changed bytes are not noticed. */
  decode(envelope: Uint8Array, options: ProfileOptions = {}): Bytes {
    const timestamp = timestampOf(options)
    return this.#read(arrayOf(envelope, 'the envelope'), timestamp, (ciphertext, salt) => {
      mix(ciphertext, salt)
      // In memory of its own only now, since new memory is slow to work on.
      return ciphertext.slice()
    })
  }

  /** Hides text in an envelope of ASCII. Text with a lone surrogate is refused. */
  encodeText(text: string, options: ProfileOptions = {}): string {
    const timestamp = timestampOf(options)
    if (typeof text !== 'string') throw new ArgumentError('the text must be a string')
    this.#checkText()
    checkLength(text.length)
    const ciphertext = (salt: Uint8Array) => unitsOf(concatenated(mixed(text, textOf(salt))))
    return textOf(this.#written(timestamp, ciphertext, (count) => unitsOf(randomText(BASE64, count)), 0))
  }

  /** The text that an envelope hides. What no writer made is refused. */
  decodeText(envelope: string, options: ProfileOptions = {}): string {
    const timestamp = timestampOf(options)
    if (typeof envelope !== 'string') throw new ArgumentError('the envelope must be a string')
    this.#checkText()
    return this.#read(unitsOf(envelope), timestamp, (ciphertext, salt) => {
      const text = textOf(ciphertext)
      return opened({ text, at: 0, gap: 0, end: text.length }, textOf(salt))
    })
  }

  #checkText(): void {
    if (this.#layout.profile.marker.kind === 'uint16') throw refused('a marker of the kind uint16 is for bytes alone')
  }

  /** Writes an envelope that has one reading, behind so many bytes that are free. */
  #written(
    timestamp: number,
    ciphertextOf: (salt: Uint8Array) => Uint8Array,
    decoys: (count: number) => Uint8Array,
    free: number,
  ): Bytes {
    const { min, max, alphabet } = this.#layout.profile.salt
    for (let draw = 0; draw < DRAWS; draw++) {
      const salt = unitsOf(randomText(alphabet, randomLength(min, max)))
      const envelope = this.#layout.envelope(ciphertextOf(salt), salt, timestamp, decoys, free)
      if (envelope !== undefined) return envelope
    }
    throw refused('every envelope that was tried can be read in more than one way')
  }

  #read<T>(envelope: Uint8Array, timestamp: number, open: (ciphertext: Bytes, salt: Uint8Array) => T | undefined): T {
    const units = this.#layout.withoutDecoys(envelope)
    const lengths = units === undefined ? [] : this.#layout.lengths(units, timestamp)
    if (units === undefined || lengths.length === 0) throw new FiseError('fise_no_salt', NO_SALT)
    let found: T | undefined
    for (const saltLength of lengths) {
      const salt = this.#layout.saltOf(units, saltLength)
      if (!salt.every((unit) => this.#layout.profile.salt.alphabet.includes(String.fromCharCode(unit)))) continue
      const plaintext = open(this.#layout.ciphertextOf(units, saltLength, timestamp), salt)
      if (plaintext === undefined) continue
      if (found !== undefined) throw new FiseError('fise_ambiguous', AMBIGUOUS)
      found = plaintext
    }
    if (found === undefined) throw new FiseError('fise_no_marker', NO_MARKER)
    return found
  }
}

const AMBIGUOUS = 'FISE: the envelope can be read in more than one way'
const NO_SALT = 'FISE: nothing in this envelope fits the rules and the timestamp'
const NO_MARKER = 'FISE: the envelope has a marker, and no writer made what it leads to'

function checkLength(length: number): void {
  if (length >= DATA_MAX) throw refused('an envelope holds less than 256 MiB: use frames')
}

/** The timestamp of options. */
export function timestampOf(options: ProfileOptions): number {
  const { timestamp = 0 } = readOptions<ProfileOptions>(options, ['timestamp'])
  if (Number.isSafeInteger(timestamp)) return timestamp
  throw refused('a timestamp must be an integer from -(2^53 - 1) to 2^53 - 1')
}

/** The units of a text. One that is not a byte is none of an envelope. */
function unitsOf(text: string): Bytes {
  const units = new Uint8Array(text.length)
  for (let i = 0; i < text.length; i++) units[i] = Math.min(text.charCodeAt(i), 255)
  return units
}

/** The text of units, in parts: a call takes so many arguments. */
function textOf(units: Uint8Array): string {
  let text = ''
  for (let i = 0; i < units.length; i += 4096)
    text += String.fromCharCode.apply(null, units.subarray(i, i + 4096) as unknown as number[])
  return text
}
