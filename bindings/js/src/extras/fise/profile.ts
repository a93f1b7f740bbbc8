import { entriesOf } from '../../basics/option.js'
import { FiseError } from './error.js'
import { ALPHABET } from './salt.js'

/**
 * Rules as data: a JSON object that every language can follow. `spec/fise-frames.md`, section 1, has the rules of each member, and
 * `spec/fise-profile.schema.json` its form. Absent members have defaults, with which the envelopes are those of FISE 0.1.5.
 */
export interface FiseProfileData {
  /** The version of the profile. */
  fise: 1
  /** Where the marker stands in the ciphertext. */
  offset?:
    | { kind?: 'linear'; multiplier?: number; modulo?: number; salt_multiplier?: number }
    | { kind: 'fraction'; numerator?: number; denominator?: number }
    | { kind: 'modulo'; divisor?: number }
    | { kind: 'xor' }
  /** What stands for the length of the salt. */
  marker?: { kind?: 'digits'; alphabet?: string; width?: number; prefix?: string } | { kind: 'uint16' }
  /** How long the salt is, of what, and where. */
  salt?: { min?: number; max?: number; alphabet?: string; place?: FisePlace }
  /** Random units that a reader skips. */
  decoys?: { head?: number; tail?: number; every?: number }
}

/** Where the salt is in an envelope. */
export type FisePlace = 'tail' | 'head' | 'interleaved'

/** A profile with all members. */
export interface CompleteProfile {
  readonly fise: 1
  readonly offset: Readonly<Record<string, number>> & { readonly kind: OffsetKind }
  readonly marker:
    | { readonly kind: 'digits'; readonly alphabet: string; readonly width: number; readonly prefix: string }
    | { readonly kind: 'uint16' }
  readonly salt: { readonly min: number; readonly max: number; readonly alphabet: string; readonly place: FisePlace }
  readonly decoys: { readonly head: number; readonly tail: number; readonly every: number }
}

type OffsetKind = 'linear' | 'fraction' | 'modulo' | 'xor'

/** The least and the most of an integer, and its default. */
type Bounds = readonly [least: number, most: number, otherwise: number]

const OFFSETS: Readonly<Record<OffsetKind, Readonly<Record<string, Bounds>>>> = {
  linear: { multiplier: [0, 2 ** 20, 7], modulo: [1, 2 ** 31 - 1, 11], salt_multiplier: [0, 2 ** 20, 0] },
  fraction: { numerator: [0, 2 ** 16, 1], denominator: [1, 2 ** 16, 2] },
  modulo: { divisor: [1, 2 ** 31 - 1, 7] },
  xor: {},
}
const PLACES = ['tail', 'head', 'interleaved'] as const
const SHORT: Bounds = [0, 65_535, 0]

/** Reads a profile, and gives absent members their values. */
export function completed(data: unknown): CompleteProfile {
  const top = new Members('', data)
  if (top.take('fise') !== 1) throw refused('the profile needs fise: 1')
  const offset = offsetOf(new Members('offset', top.take('offset') ?? {}))
  const marker = markerOf(new Members('marker', top.take('marker') ?? {}))
  const salt = saltOf(new Members('salt', top.take('salt') ?? {}))
  const from = new Members('decoys', top.take('decoys') ?? {})
  const decoys = {
    head: from.integer('head', SHORT),
    tail: from.integer('tail', SHORT),
    every: from.integer('every', SHORT),
  }
  from.finish()
  top.finish()
  if (marker.kind === 'digits' && marker.alphabet.length ** marker.width <= salt.max) {
    throw refused(
      `salt.max is ${salt.max}, and marker.alphabet has no number of ${marker.width} digits for it: a greater marker.width has`,
    )
  }
  return { fise: 1, offset, marker, salt, decoys }
}

function offsetOf(members: Members): CompleteProfile['offset'] {
  const kind = members.word('kind', ['linear', 'fraction', 'modulo', 'xor'] as const)
  const numbers = Object.entries(OFFSETS[kind]).map(([name, bounds]) => [name, members.integer(name, bounds)])
  members.finish()
  const offset: CompleteProfile['offset'] = { kind, ...Object.fromEntries(numbers) }
  if (kind === 'fraction' && Number(offset.numerator) > Number(offset.denominator)) {
    throw refused('offset.numerator must not be over offset.denominator')
  }
  return offset
}

function markerOf(members: Members): CompleteProfile['marker'] {
  const kind = members.word('kind', ['digits', 'uint16'] as const)
  if (kind === 'uint16') {
    members.finish()
    return { kind }
  }
  const alphabet = members.alphabet('alphabet', '0123456789abcdefghijklmnopqrstuvwxyz')
  const width = members.integer('width', [1, 16, 2])
  const prefix = members.text('prefix', /^[ -~]{0,16}$/, '', 'at most 16 characters of ASCII that are shown')
  members.finish()
  return { kind, alphabet, width, prefix }
}

function saltOf(members: Members): CompleteProfile['salt'] {
  const min = members.integer('min', [1, 65_535, 10])
  const max = members.integer('max', [1, 65_535, 99])
  const alphabet = members.alphabet('alphabet', ALPHABET)
  const place = members.word('place', PLACES)
  members.finish()
  if (min > max) throw refused('salt.min must not be over salt.max')
  return { min, max, alphabet, place }
}

/** The members of an object, each of which is taken once. */
class Members {
  readonly #left: Map<string, unknown>

  constructor(
    readonly name: string,
    data: unknown,
  ) {
    try {
      // Of its own alone.
      this.#left = new Map(entriesOf(data, 'it'))
    } catch {
      throw refused(
        name === '' ? 'the profile must be JSON text or an object, and no promise' : `${name} must be an object`,
      )
    }
  }

  take(member: string): unknown {
    const value = this.#left.get(member)
    // What is `undefined` is absent, as JSON has it.
    if (value === null) throw this.#refused(member, 'there, or absent')
    this.#left.delete(member)
    return value
  }

  #refused(member: string, what: string): FiseError {
    return refused(`${this.name === '' ? '' : `${this.name}.`}${member} must be ${what}`)
  }

  integer(member: string, [least, most, otherwise]: Bounds): number {
    const value = this.take(member) ?? otherwise
    if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return value
    throw this.#refused(member, `an integer from ${least} to ${most}`)
  }

  word<T extends string>(member: string, words: readonly [T, ...T[]]): T {
    const value = this.take(member) ?? words[0]
    const word = words.find((word) => word === value)
    if (word === undefined) throw this.#refused(member, `one of ${words.join(', ')}`)
    return word
  }

  text(member: string, form: RegExp, otherwise: string, what: string): string {
    const value = this.take(member) ?? otherwise
    if (typeof value === 'string' && form.test(value)) return value
    throw this.#refused(member, what)
  }

  alphabet(member: string, otherwise: string): string {
    return this.text(
      member,
      /^(?!.*(.).*\1)[ -~]{2,95}$/,
      otherwise,
      '2 to 95 different characters of ASCII that are shown',
    )
  }

  finish(): void {
    for (const unknown of this.#left.keys()) {
      throw refused(`${this.name === '' ? 'the profile' : this.name} has an unknown member ${JSON.stringify(unknown)}`)
    }
  }
}

export function refused(why: string): FiseError {
  return new FiseError('fise_rules', `FISE: ${why}`)
}

/** Where the marker stands in a ciphertext of this length (section 1.1). */
export function offsetIn({ offset }: CompleteProfile, length: number, timestamp: number, saltLength: number): number {
  const long = length || 1
  const { kind, multiplier = 0, modulo = 1, salt_multiplier = 0, numerator = 0, denominator = 1, divisor = 1 } = offset
  let at = 0
  // All of it is exact: numbers stay below 2^53.
  if (kind === 'linear') at = (multiplier * long + (timestamp % modulo) + salt_multiplier * saltLength) % long
  else if (kind === 'fraction') at = Math.floor((numerator * long) / denominator)
  else if (kind === 'modulo') at = long % divisor
  else at = (long ^ timestamp) % long
  return Math.min(Math.max(at, 0), length)
}

/** The marker of a length of the salt (section 1.2). */
export function markerFor({ marker }: CompleteProfile, saltLength: number): Uint8Array {
  if (marker.kind === 'uint16') return Uint8Array.of(saltLength >> 8, saltLength)
  const { alphabet, width, prefix } = marker
  const units = new Uint8Array(prefix.length + width)
  for (let i = 0; i < prefix.length; i++) units[i] = prefix.charCodeAt(i)
  let left = saltLength
  for (let i = units.length - 1; i >= prefix.length; i--) {
    units[i] = alphabet.charCodeAt(left % alphabet.length)
    left = Math.floor(left / alphabet.length)
  }
  return units
}

/** The profile of a seed (section 4). */
export function profileOfSeed(seed: string): CompleteProfile {
  let x = 0x811c9dc5
  for (const byte of new TextEncoder().encode(seed)) x = Math.imul(x ^ byte, 0x01000193)
  if (x === 0) x = 0x9e3779b9
  const draw = (count: number): number => {
    x ^= x << 13
    x ^= x >>> 17
    x ^= x << 5
    return (x >>> 0) % count
  }
  const beginning = (length: number): string => {
    const chars = [...ALPHABET]
    for (let i = chars.length - 1; i > 0; i--) {
      const j = draw(i + 1)
      const char = chars[i] as string
      chars[i] = chars[j] as string
      chars[j] = char
    }
    return chars.slice(0, length).join('')
  }
  const kind = (['linear', 'fraction', 'modulo', 'xor'] as const)[draw(4)] as OffsetKind
  let offset: Record<string, number> = {}
  if (kind === 'linear') {
    offset = { multiplier: 1 + draw(64), modulo: 2 + draw(64), salt_multiplier: draw(8) }
  } else if (kind === 'fraction') {
    const denominator = 2 + draw(15)
    offset = { numerator: draw(denominator + 1), denominator }
  } else if (kind === 'modulo') {
    offset = { divisor: 2 + draw(63) }
  }
  const digits = beginning(16 + draw(47))
  const width = 2 + draw(2)
  let prefix = ''
  for (let left = draw(3); left > 0; left--) prefix += ALPHABET.charAt(draw(62))
  const min = 10 + draw(20)
  const max = min + 20 + draw(50)
  const alphabet = beginning(32 + draw(31))
  const place = PLACES[draw(3)] as FisePlace
  const decoys = { head: draw(9), tail: draw(9), every: draw(2) === 0 ? 0 : 8 + draw(57) }
  return {
    fise: 1,
    offset: { kind, ...offset } as CompleteProfile['offset'],
    marker: { kind: 'digits', alphabet: digits, width, prefix },
    salt: { min, max, alphabet, place },
    decoys,
  }
}
