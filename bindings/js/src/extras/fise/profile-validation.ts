import { isSame } from '../../basics/bytes.js'
import { readOptions, wholeNumber } from '../../basics/option.js'
import { FiseError } from './error.js'
import { type CompleteProfile, completed, type FiseProfileData, markerFor, offsetIn } from './profile.js'
import { ProfileLayout, placeOf } from './profile-layout.js'
import { FiseProfile } from './profiled.js'
import { BASE64 } from './salt.js'

/** How sure it is that every plaintext has an envelope, which opens to this plaintext and to nothing else. */
export type FiseAssurance =
  | {
      /**
       * For every plaintext and every timestamp, by exhaustion over the lengths of ciphertexts and salts and over the remainders of
       * timestamps, behind which all of it repeats. In each, at most half of the salts leave a second reading, so a writer fails with a
       * probability of at most 2^-1000.
       */
      readonly by: 'exhaustion'
      /** The lengths of ciphertexts that were gone through, from 0. */
      readonly lengths: number
      /** The remainders of timestamps. */
      readonly timestamps: number
    }
  | {
      /** It could not be proved: so many envelopes of different lengths, timestamps and texts opened to their plaintext. */
      readonly by: 'cases'
      readonly cases: number
    }
  | {
      /** The profile cannot hide this plaintext. */
      readonly by: 'failure'
      readonly reason: string
      readonly plaintext: string
      readonly timestamp: number
    }

/** Options of {@link validateProfile}. */
export interface FiseValidateOptions {
  /** Envelopes that are made and opened if there is no proof: 100,000 unless this says otherwise; fewer if salts are longer than 1,000. */
  cases?: number
}

/** What {@link validateProfile} found. */
export interface FiseValidation {
  /** Whether nothing failed. */
  readonly ok: boolean
  /** Of envelopes of bytes, and of frames. */
  readonly bytes: FiseAssurance
  /** Of envelopes of text; absent if the profile is for bytes alone. */
  readonly text?: FiseAssurance
}

/**
 * Shows that every plaintext has an envelope that opens to it: by a proof where there is one, and otherwise by 100,000 envelopes. It takes
 * seconds in which this thread does nothing else, so run it in a test with a timeout of 30 seconds.
 *
 * @example
 * ```ts
 * import { FiseProfile, validateProfile } from 'sealstone/fise'
 *
 * const { ok, bytes, text } = validateProfile(FiseProfile.parse({ fise: 1, offset: { kind: 'modulo' } }))
 * console.log(ok, bytes.by, text?.by) // true exhaustion cases
 * ```
 */
export function validateProfile(
  given: FiseProfile | FiseProfileData | string,
  options: FiseValidateOptions = {},
): FiseValidation {
  const { cases = CASES } = readOptions<FiseValidateOptions>(options, ['cases'])
  wholeNumber(cases, 'cases', 1, Number.MAX_SAFE_INTEGER)
  const profile = given instanceof FiseProfile ? given : FiseProfile.parse(given)
  const data = completed(profile.toJSON())
  const { salt, decoys } = data
  const units = salt.max - salt.min + salt.max + decoys.head + decoys.tail
  const most = Math.min(cases, Math.floor(UNITS_MAX / units))
  const assurance = (form: Form) => proved(data, form) ?? tested(profile, form, most)
  const bytes = assurance('bytes')
  const text = data.marker.kind === 'uint16' ? undefined : assurance('text')
  const ok = bytes.by !== 'failure' && text?.by !== 'failure'
  return { ok, bytes, ...(text && { text }) }
}

type Form = 'bytes' | 'text'

/** Envelopes that are made and opened if there is no proof. */
const CASES = 100_000
/** Units and lengths of salts that are gone through for them at most: seconds. */
const UNITS_MAX = 2 ** 27
/** Steps of a proof at most. */
const STEPS_MAX = 2 ** 28
const TIMESTAMPS = [0, 5, 12_345, -7, 29_400_000, 1_763_770_000_123]

/** The lengths of ciphertexts are multiples of this: those of text are groups of base64. */
const stepOf = (form: Form): number => (form === 'text' ? 4 : 1)

/** Goes through all lengths and remainders behind which readings repeat; nothing if there are too many, or some have too many readings. */
function proved(data: CompleteProfile, form: Form): FiseAssurance | undefined {
  const { offset, salt } = data
  const lengths = lengthsThatDiffer(data, form)
  const modulo = offset.kind === 'linear' ? (offset.modulo as number) : 1
  const [salts, remainders] = [salt.max - salt.min + 1, 2 * modulo - 1]
  const pairs = salts * remainders * markerFor(data, salt.min).length
  if (lengths * salts * (pairs + lengths + salt.max) > STEPS_MAX) return undefined
  const readings = new Readings(data, form)
  const layout = new ProfileLayout(data)
  for (let length = 0; length < lengths; length += stepOf(form)) {
    for (let saltLength = salt.min; saltLength <= salt.max; saltLength++) {
      if (!comesBack(layout, length, saltLength)) return undefined
    }
    for (let timestamp = 1 - modulo; timestamp < modulo; timestamp++) {
      if (!readings.areFew(length, timestamp)) return undefined
    }
  }
  return { by: 'exhaustion', lengths, timestamps: remainders }
}

/** The number of lengths of ciphertexts, from 0, behind which the places of markers repeat: infinite if they do not. */
function lengthsThatDiffer(data: CompleteProfile, form: Form): number {
  const { min, max, place } = data.salt
  const [spread, markerLength] = [max - min, markerFor(data, min).length]
  const isInterleaved = place === 'interleaved'
  // Where places are at most so far from the beginning, all of them are in the ciphertext of a long envelope, or, where the salt is
  // interleaved, behind its first unit and before its second.
  const near = (most: number) =>
    isInterleaved ? (most + markerLength + 3) * (max + 1) : most + spread + markerLength + 2
  const { kind, modulo = 1, salt_multiplier = 0, divisor = 1, numerator = 0, denominator = 1 } = data.offset
  // Behind them is one period, of the lengths that there are.
  const step = stepOf(form)
  // The remainder of L times anything by L is 0.
  if (kind === 'linear') return near(modulo - 1 + salt_multiplier * max) + step
  if (kind === 'modulo') return near(divisor - 1) + step * divisor
  if (kind === 'xor') return Infinity
  if (numerator === 0) return near(0) + step
  if (isInterleaved) return Infinity
  // The distances to both ends grow, or to one of them.
  const slope = numerator === denominator ? numerator : Math.min(numerator, denominator - numerator)
  return Math.floor((2 * (spread + 2 * markerLength + 2) * denominator) / slope) + step * denominator
}

/** Whether a ciphertext and a salt of these lengths come back out of their envelope. */
function comesBack(layout: ProfileLayout, length: number, saltLength: number): boolean {
  const ciphertext = Uint8Array.from({ length }, (_, i) => i)
  const { alphabet } = layout.profile.salt
  const salt = Uint8Array.from({ length: saltLength }, (_, i) => alphabet.charCodeAt(i % alphabet.length))
  const units = new Uint8Array(length + markerFor(layout.profile, saltLength).length + saltLength)
  layout.place(ciphertext, salt, 0, units)
  const isFound = layout.lengths(units, 0).includes(saltLength)
  return (
    isFound &&
    isSame(layout.saltOf(units, saltLength), salt) &&
    isSame(layout.ciphertextOf(units, saltLength, 0), ciphertext)
  )
}

/** Makes and opens envelopes of all sorts of plaintexts. */
function tested(profile: FiseProfile, form: Form, cases: number): FiseAssurance {
  for (let i = 0; i < cases; i++) {
    const plaintext = plaintextOf(i)
    const timestamp = TIMESTAMPS[i % TIMESTAMPS.length] as number
    const failed = (reason: string): FiseAssurance => ({ by: 'failure', reason, plaintext, timestamp })
    try {
      if (opened(profile, form, plaintext, timestamp) !== plaintext) return failed('it opens to something else')
    } catch (error) {
      if (!(error instanceof FiseError)) throw error
      return failed(error.message)
    }
  }
  return { by: 'cases', cases }
}

function opened(profile: FiseProfile, form: Form, plaintext: string, timestamp: number): string {
  if (form === 'text') return profile.decodeText(profile.encodeText(plaintext, { timestamp }), { timestamp })
  const envelope = profile.encode(new TextEncoder().encode(plaintext), { timestamp })
  return new TextDecoder('utf-8', { ignoreBOM: true }).decode(profile.decode(envelope, { timestamp }))
}

/** Nothing, short texts, where two readings are likeliest, longer ones, and scripts of which some characters depend on no salt. */
function plaintextOf(i: number): string {
  const sort = SORTS[i % SORTS.length] as string[]
  const begin = i % 8
  return sort.slice(begin, begin + (i % 7 === 0 ? i % 600 : i % 24)).join('')
}

const SORTS = ['{"id":1}', 'naïve é ü', '世界你好，。支付', '😀🛒ab😀🛒世é', '\0\x7f\x80\u07ff'].map((sort) =>
  Array.from(sort.repeat(608 / 4)),
)

/** A unit of an envelope: its place in the ciphertext, a unit of the salt, or one of the marker. */
type Unit = { readonly at: number } | 'salt' | { readonly marker: number }

/** The readings that envelopes can have beside the true one. */
class Readings {
  readonly #markers: Uint8Array[]
  readonly #inSalt: ReadonlySet<number>
  readonly #inText: ReadonlySet<number>
  readonly #markerLength: number

  constructor(
    readonly data: CompleteProfile,
    readonly form: Form,
  ) {
    const { min, max, alphabet } = data.salt
    this.#markers = Array.from({ length: max - min + 1 }, (_, i) => markerFor(data, min + i))
    this.#markerLength = markerFor(data, min).length
    this.#inSalt = new Set(new TextEncoder().encode(alphabet))
    this.#inText = new Set(new TextEncoder().encode(`${BASE64}=`))
  }

  #marker(saltLength: number): Uint8Array {
    return this.#markers[saltLength - this.data.salt.min] as Uint8Array
  }

  /** Whether at most half of the salts leave a second reading of an envelope of this length, by the sum of the probabilities of all. */
  areFew(length: number, timestamp: number): boolean {
    const { min, max } = this.data.salt
    let sum = 0
    for (let n = min; n <= max; n++) sum += Math.min(1, this.#others(length, n, timestamp))
    return sum <= (max - min + 1) / 2
  }

  /** At most the probability that an envelope has a reading of another salt. */
  #others(length: number, saltLength: number, timestamp: number): number {
    const { min, max, alphabet } = this.data.salt
    const at = offsetIn(this.data, length, timestamp, saltLength)
    const chance = (other: number) =>
      other === saltLength ? 0 : this.#chance(length, saltLength, at, other, timestamp)
    let sum = 0
    const last = Math.min(max, length + saltLength)
    for (let other = min; other <= last; other++) sum += chance(other)
    if (sum <= 0.5) return sum
    // In a short envelope many markers have one place, where at most one of them can be. So no more likely than all of them is one of their
    // first units.
    const places = new Map<number, { sum: number; readonly first: Set<number> }>()
    for (let other = min; other <= last; other++) {
      const one = chance(other)
      if (one === 0) continue
      const bodyLength = length + this.#markerLength + saltLength - other
      const begin = offsetIn(this.data, bodyLength - this.#markerLength, timestamp, other)
      const place = placeOf(this.data, begin, other, bodyLength)
      const found = places.get(place) ?? { sum: 0, first: new Set() }
      places.set(place, found)
      found.sum += one
      found.first.add(this.#marker(other)[0] as number)
    }
    let all = 0
    for (const [place, { sum, first }] of places) {
      const unit = this.#unit(place, length, saltLength, at)
      const isDrawn = unit === 'salt' || ('at' in unit && this.form === 'bytes')
      all += isDrawn ? Math.min(sum, first.size / alphabet.length) : sum
    }
    return all
  }

  /** At most the probability that an envelope, with its marker there, has a reading of another salt. */
  #chance(length: number, saltLength: number, at: number, other: number, timestamp: number): number {
    const bodyLength = length + this.#markerLength + saltLength - other
    const begin = offsetIn(this.data, bodyLength - this.#markerLength, timestamp, other)
    const marker = this.#marker(other)
    let inSalt = 0
    // The units of the salt that those of the ciphertext were mixed with.
    const mixed: number[] = []
    for (let i = 0; i < marker.length; i++) {
      const expected = marker[i] as number
      const unit = this.#unit(placeOf(this.data, begin + i, other, bodyLength), length, saltLength, at)
      if (unit === 'salt') {
        if (!this.#inSalt.has(expected)) return 0
        inSalt++
      } else if ('marker' in unit) {
        if (unit.marker !== expected) return 0
      } else {
        if (this.form === 'text' && !this.#inText.has(expected)) return 0
        if (!mixed.includes(unit.at % saltLength)) mixed.push(unit.at % saltLength)
      }
    }
    // A unit of the salt may be both seen and mixed with the ciphertext, so the two do not multiply. A text may have characters that depend
    // on no salt.
    const drawn = this.form === 'bytes' ? Math.max(inSalt, mixed.length) : inSalt
    return this.data.salt.alphabet.length ** -drawn
  }

  /** The unit at a place of an envelope without decoys. */
  #unit(place: number, length: number, saltLength: number, at: number): Unit {
    const markerLength = this.#markerLength
    const bodyLength = length + markerLength
    let inBody = place
    if (this.data.salt.place === 'tail') {
      if (place >= bodyLength) return 'salt'
    } else if (this.data.salt.place === 'head') {
      if (place < saltLength) return 'salt'
      inBody -= saltLength
    } else {
      const units = bodyLength + saltLength
      const before = Math.ceil((place * saltLength) / units)
      if (before < saltLength && Math.floor((before * units) / saltLength) === place) return 'salt'
      inBody -= before
    }
    if (inBody < at) return { at: inBody }
    if (inBody < at + markerLength) return { marker: this.#marker(saltLength)[inBody - at] as number }
    return { at: inBody - markerLength }
  }
}
