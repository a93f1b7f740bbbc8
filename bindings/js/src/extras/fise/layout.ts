import { ArgumentError } from '../../basics/error.js'
import { readOptions } from '../../basics/option.js'
import type { FiseBinaryCipher, FiseCipher } from './cipher.js'
import { FiseError } from './error.js'
import { DEFAULT_RANGE, type FiseContext, type FiseRules, fixedPlaceOf } from './rules.js'
import { ALPHABET, randomLength } from './salt.js'
import { tried } from './transcoder.js'

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
const DRAWS = 1000

const OPTIONS = ['timestamp', 'metadata', 'cipher', 'binaryCipher'] as const

/** An encoder looks for a second reading of each length, and keeps the markers of all: that is to end within a second. */
const SALT_MAX_LEN = 2 ** 17 - 1

/** What a function of rules is, if it is one. */
function functionOf<F>(part: F, name: string): F {
  if (typeof part === 'function') return part
  throw new ArgumentError(`${name} of the rules must be a function`)
}

/** Has nothing, and notices whoever looks: a result that was made without looking does not depend on what this stands in for. */
const blind = /* @__PURE__ */ new Proxy({}, /* @__PURE__ */ new Proxy({}, { get: () => notice }))
/** A ciphertext of which the length alone is known. The length is a property of its own, since a proxy's takes ten times as long. */
const standIn = { __proto__: blind, length: 0 }
let isNoticed = false

function notice(): void {
  isNoticed = true
}

/** The result of what does not look at {@link blind}; nothing if it looks, or throws. */
function blindly<R>(work: () => R): R | undefined {
  isNoticed = false
  const result = tried(work)
  return isNoticed ? undefined : result
}

/** The markers of all lengths from one to another. */
interface Markers<T> {
  readonly min: number
  readonly max: number
  readonly all: readonly T[]
  /** Characters of the longest. */
  readonly longest: number
  /** Their first characters, each once. */
  readonly firsts: readonly T[]
  /** The lengths whose markers begin with two characters, by the lower seven bits of each. */
  readonly byStart: readonly (readonly number[] | undefined)[][]
}

/** What is known of each `encodeLength`: its markers, or `undefined` if it looks at more than the length. */
export type KnownMarkers<T> = WeakMap<object, Markers<T> | undefined>

/** Whether an `offset` looks at the length alone. */
const knownOffsets = /* @__PURE__ */ new WeakMap<object, boolean>()

/** So many places are looked at in the time in which the rules say where the marker of one length would be. */
const PLACES_PER_LENGTH = 8

/**
 * Where things are in one envelope.
 *
 * The `offset` of most rules looks at the length of the ciphertext alone, so that each length of the salt has one place for its marker;
 * and their `encodeLength` looks at nothing but the length, so that all envelopes have the same markers. Both are found out once, and
 * never trusted: each call notices an `offset` that looks further, a reading counts only where the rules confirm it for the ciphertext
 * that is there, and otherwise all begins again with nothing known.
 */
export abstract class Layout<T extends string | Uint8Array> {
  readonly min: number
  readonly max: number
  /** Whether the rules say where the salt is, and what is left without it. */
  readonly extracts: boolean
  protected strips: boolean
  /** Each read once. */
  readonly options: EncryptOptions
  // Apart, since options are a dictionary, and a reader hands these over for each length of the salt.
  readonly #timestamp: EncryptOptions['timestamp']
  readonly #metadata: EncryptOptions['metadata']
  protected abstract readonly knownMarkers: KnownMarkers<T>
  #markers: Markers<T> | undefined
  #isByLength: boolean | undefined

  constructor(
    protected rules: FiseRules<T>,
    options: EncryptOptions,
  ) {
    if (typeof rules !== 'object' || rules === null) throw new ArgumentError('the rules must be an object')
    // By name, not in loops, which took a tenth of a short text's time.
    functionOf(rules.offset, 'offset')
    functionOf(rules.encodeLength, 'encodeLength')
    functionOf(rules.decodeLength, 'decodeLength')
    const { saltRange, extractSalt, stripSalt } = rules
    // What only `Object.prototype` has is not theirs.
    const shared = Object.prototype as FiseRules<T>
    this.extracts = extractSalt !== shared.extractSalt && functionOf(extractSalt, 'extractSalt') !== undefined
    this.strips = stripSalt !== shared.stripSalt && functionOf(stripSalt, 'stripSalt') !== undefined
    this.options = readOptions<EncryptOptions>(options, OPTIONS)
    const { timestamp, metadata } = this.options
    this.#timestamp = timestamp
    this.#metadata = metadata
    if (timestamp !== undefined && typeof timestamp !== 'number') throw new ArgumentError('timestamp must be a number')
    const { min, max } = (saltRange === shared.saltRange ? undefined : saltRange) ?? DEFAULT_RANGE
    if (!(Number.isInteger(min) && Number.isInteger(max) && 0 <= min && min <= max && max <= SALT_MAX_LEN)) {
      throw unfit(
        `saltRange must be two whole numbers up to ${SALT_MAX_LEN}, the first not above the second, and is ${min} to ${max}`,
      )
    }
    this.min = min
    this.max = max
  }

  /** What a function of the rules is told. */
  context(saltLength: number): FiseContext {
    return { timestamp: this.#timestamp, saltLength, metadata: this.#metadata } as FiseContext
  }

  /** The character or byte at a place. */
  protected abstract codeAt(data: T, at: number): number
  /** The first place from there on that has the first character of something. */
  protected abstract find(data: T, first: T, from: number): number
  /** Data up to `end` without the `gap` characters at `at`. */
  protected abstract cut(data: T, at: number, gap: number, end: number): T
  /** What `encodeLength` gave for a length, if it can be a marker. */
  protected abstract checked(marker: unknown, saltLength: number): T
  /** A ciphertext of these characters. */
  protected abstract sample(text: string): T
  /** An envelope without its salt, by rules that say what that is. */
  protected abstract stripped(envelope: T, saltLength: number): T

  /** Whether the offset depends on the length of the ciphertext alone. */
  get isByLength(): boolean {
    this.#isByLength ??= knownOffsets.get(this.rules.offset) ?? this.#tried()
    return this.#isByLength
  }

  /** What stands for a length of the salt. */
  marker(saltLength: number): T {
    this.#markers ??= this.#found()
    return this.#markers.all[saltLength - this.#markers.min] as T
  }

  /** Where the marker is in this ciphertext. */
  place(cipherText: T, saltLength: number): number {
    const at = this.#placeIn(cipherText, saltLength)
    // Of the others it is asked of the length, as well.
    if (!this.isByLength && this.#placeIn(cipherText, saltLength) !== at) throw unfit(NO_FUNCTION)
    return at
  }

  /** All readings of an envelope that somebody made, maybe by what the rules were or will be. */
  readings(envelope: T): Hit[] {
    const hits = this.#hits(envelope)
    const isSure = hits.length > 0 ? hits.every((hit) => this.#isSureOf(envelope, hit)) : this.#isSureOfNone(envelope)
    return isSure || !this.#doubts() ? hits : this.#hits(envelope)
  }

  /** Whether the rules say of the ciphertext that is there what they said of its length, and have its marker still. */
  #isSureOf(envelope: T, { saltLength, at }: Hit): boolean {
    const body = this.strips ? this.stripped(envelope, saltLength) : envelope
    const end = this.#end(body, saltLength)
    const gap = this.marker(saltLength).length
    return this.#isCurrent(saltLength) && this.#placeIn(this.cut(body, at, gap, end), saltLength) === at
  }

  /** Whether they do so for some lengths of the salt, and have the markers of all: to look at every place takes the length's square. */
  #isSureOfNone(envelope: T): boolean {
    const max = Math.min(this.max, envelope.length)
    for (let n = this.min; n <= max; n++) if (!this.#isCurrent(n)) return false
    for (let n = this.min; this.#isByLength && n <= max; n += 1 + ((max - this.min) >> 4)) {
      const body = this.strips ? this.stripped(envelope, n) : envelope
      const rest = this.#end(body, n) - this.marker(n).length
      const isSure = () => this.#isSureOf(envelope, { saltLength: n, at: this.#placeBy(rest, n) })
      if (rest >= 0 && blindly(isSure) !== true) return false
    }
    return true
  }

  /** An envelope that has one reading. One is made with a salt of each length that is drawn, and nothing if the rules cannot undo it. */
  written(made: (saltLength: number) => { envelope: T | undefined; at: number }): T {
    let refusal = ''
    for (let draw = 0; draw < DRAWS; draw++) {
      const saltLength = randomLength(this.min, this.max)
      if (!this.#isCurrent(saltLength)) {
        this.#doubts()
        if (!this.#isCurrent(saltLength)) throw unfit(NO_FUNCTION)
      }
      const { envelope, at } = made(saltLength)
      if (envelope === undefined) {
        refusal = 'extractSalt and stripSalt undo no envelope, with its salt at the end or at the head'
        continue
      }
      const hits = this.#hits(envelope)
      if (hits.some((hit) => hit.at === at && hit.saltLength === saltLength)) {
        if (hits.length === 1) return envelope
        refusal = 'every envelope that was tried can be read in more than one way'
      } else if (!this.#reads(saltLength)) refusal = `decodeLength does not undo encodeLength of ${saltLength}`
      else if (!this.#doubts()) throw unfit(NO_FUNCTION)
    }
    throw unfit(refusal)
  }

  /** Compares what an offset says of texts with what it says of their lengths. */
  #tried(): boolean {
    let isSame = true
    // Two of each length.
    for (let i = 0; isSame && i < 82; i++) {
      const sample = this.sample(ALPHABET.slice(i % 2 && 20).slice(0, i >> 1))
      const saltLength = Math.min(this.min + i, this.max)
      isSame = blindly(() => this.#placeBy(i >> 1, saltLength) === this.#placeIn(sample, saltLength)) === true
    }
    knownOffsets.set(this.rules.offset, isSame)
    return isSame
  }

  #placeIn(cipherText: T, saltLength: number): number {
    return placeOf(Number(this.rules.offset(cipherText, this.context(saltLength))), cipherText.length)
  }

  /** Where the marker is in a ciphertext of this length, if the offset looks at nothing else. */
  #placeBy(length: number, saltLength: number): number {
    standIn.length = length
    return this.#placeIn(standIn as unknown as T, saltLength)
  }

  #found(): Markers<T> {
    const { knownMarkers } = this
    const { encodeLength } = this.rules
    const known = knownMarkers.get(encodeLength)
    if (known === undefined ? knownMarkers.has(encodeLength) : known.min <= this.min && known.max >= this.max) {
      return known ?? this.#own()
    }
    const [min, max] = [Math.min(this.min, known?.min ?? this.min), Math.max(this.max, known?.max ?? this.max)]
    // Rules of a class may look at themselves, and two of them at different things.
    const found = blindly(() => this.#collected(min, max, (length) => encodeLength.call(blind as never, length, blind)))
    knownMarkers.set(encodeLength, found)
    return found ?? this.#own()
  }

  #own(): Markers<T> {
    return this.#collected(this.min, this.max, (length) => this.rules.encodeLength(length, this.context(length)))
  }

  #collected(min: number, max: number, encode: (saltLength: number) => unknown): Markers<T> {
    const all: T[] = []
    let longest = 0
    const firsts = new Map<number, T>()
    const byStart: number[][][] = Array.from({ length: 128 }, () => [])
    for (let saltLength = min; saltLength <= max; saltLength++) {
      const marker = this.checked(encode(saltLength), saltLength)
      all.push(marker)
      longest = Math.max(longest, marker.length)
      const first = this.codeAt(marker, 0)
      firsts.set(first, marker.slice(0, 1) as T)
      const lengths = byStart[first & 127] as number[][]
      // Behind a marker of one character is anything.
      const [from, to] = marker.length === 1 ? [0, 127] : [this.codeAt(marker, 1) & 127, 0]
      for (let next = from; next <= Math.max(from, to); next++) {
        lengths[next] ??= []
        lengths[next]?.push(saltLength)
      }
    }
    return { min, max, all, longest, firsts: [...firsts.values()], byStart }
  }

  /** Takes nothing for known in this envelope any more, and says whether there was anything. */
  #doubts(): boolean {
    const wasKnown = this.isByLength || this.#markers === this.knownMarkers.get(this.rules.encodeLength)
    this.#isByLength = false
    this.#markers = this.#own()
    return wasKnown
  }

  #hits(envelope: T): Hit[] {
    const hits = this.isByLength ? blindly(() => this.#look(envelope)) : undefined
    if (hits !== undefined) return hits
    this.#isByLength = false
    return this.#look(envelope)
  }

  #look(envelope: T): Hit[] {
    const hits: Hit[] = []
    const max = Math.min(this.max, envelope.length)
    if (!this.strips) this.#lookAt(envelope, this.min, max, hits)
    else for (let n = this.min; n <= max; n++) this.#lookAt(this.stripped(envelope, n), n, n, hits)
    return hits
  }

  /** Looks for the markers of salts of these lengths. */
  #lookAt(body: T, min: number, max: number, hits: Hit[]): void {
    if (min > max) return
    const { length } = body
    this.marker(min)
    const { longest, firsts } = this.#markers as Markers<T>
    const fixed = fixedPlaceOf(this.rules.offset, this.context(min).timestamp ?? 0)
    if (Number.isInteger(fixed) && fixed >= 0 && fixed < length - max - longest) {
      this.#tryAt(body, fixed, min, max, hits)
    } else if (this.#isByLength && length > (max - min + 1) * PLACES_PER_LENGTH) {
      for (let saltLength = min; saltLength <= max; saltLength++) {
        const marker = this.marker(saltLength)
        const rest = this.#end(body, saltLength) - marker.length
        if (rest < 0) continue
        const at = this.#placeBy(rest, saltLength)
        // One character is enough to refuse nearly all.
        if (this.codeAt(body, at) === this.codeAt(marker, 0)) this.#confirm(body, saltLength, at, hits)
      }
    } else {
      for (const first of firsts) {
        for (let at = this.find(body, first, 0); at >= 0; at = this.find(body, first, at + 1)) {
          this.#tryAt(body, at, min, max, hits)
        }
      }
    }
  }

  /** Looks whether one of the markers stands at a place. */
  #tryAt(body: T, at: number, min: number, max: number, hits: Hit[]): void {
    const { byStart } = this.#markers as Markers<T>
    // An engine that has once looked past an end is slower from then on.
    const next = at + 1 < body.length ? this.codeAt(body, at + 1) & 127 : 0
    const lengths = byStart[this.codeAt(body, at) & 127]?.[next]
    if (lengths === undefined) return
    for (const saltLength of lengths) {
      if (saltLength >= min && saltLength <= max) this.#confirm(body, saltLength, at, hits)
    }
  }

  /** Adds a reading if this is one. */
  #confirm(body: T, saltLength: number, at: number, hits: Hit[]): void {
    const marker = this.marker(saltLength)
    const end = this.#end(body, saltLength)
    const rest = end - marker.length
    if (at > rest || !this.#stands(marker, body, at)) return
    const place = this.#isByLength
      ? this.#placeBy(rest, saltLength)
      : this.#placeIn(this.cut(body, at, marker.length, end), saltLength)
    if (place === at && this.#reads(saltLength)) hits.push({ saltLength, at })
  }

  /** Whether the marker of a length leads back to it. */
  #reads(saltLength: number): boolean {
    return this.rules.decodeLength(this.marker(saltLength), this.context(saltLength)) === saltLength
  }

  /** Whether the rules have this marker still. */
  #isCurrent(saltLength: number): boolean {
    const marker = this.marker(saltLength)
    const now = this.checked(this.rules.encodeLength(saltLength, this.context(saltLength)), saltLength)
    return now.length === marker.length && this.#stands(marker, now, 0)
  }

  #stands(marker: T, data: T, at: number): boolean {
    for (let i = 0; i < marker.length; i++) {
      if (this.codeAt(data, at + i) !== this.codeAt(marker, i)) return false
    }
    return true
  }

  /** Where the salt begins, or the envelope ends if the salt is no part of it. */
  #end(body: T, saltLength: number): number {
    return this.strips ? body.length : body.length - saltLength
  }
}

/** Where a marker is put that has this offset in a ciphertext of this length: as FISE 0.1.5 puts it, for any offset. */
function placeOf(offset: number, length: number): number {
  if (offset >= 0 && offset <= length) return Math.floor(offset)
  return offset > length ? length : 0
}

const NO_FUNCTION = 'offset or encodeLength does not always give the same result for the same arguments'

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
