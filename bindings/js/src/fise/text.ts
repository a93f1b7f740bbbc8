import { ArgumentError } from '../error.js'
import { CipherText, type FiseCipher, mixed, opened, xorCipher } from './cipher.js'
import {
  type DecryptOptions,
  DRAWS,
  type EncryptOptions,
  type Hit,
  Layout,
  NO_FUNCTION,
  onlyOne,
  placeOf,
  SECOND_READING,
  unfit,
} from './layout.js'
import { type FiseRules, type Markers, markersOf, noMarkers, startOf } from './rules.js'
import { randomLength, randomSalt } from './salt.js'
import type { Cut } from './transcoder.js'

/**
 * Hides text from a glance. Anyone who has the rules, or tries a few hundred, can open the envelope. This is not encryption: use
 * `encrypt` or `sealMessage` of `sealstone` for that.
 *
 * The salt is drawn again until the envelope has one reading, for this decoder and for that of FISE 0.1.5. Rules that leave no
 * such salt, or that cannot be undone, are refused with the code `fise_rules`; a lone surrogate is a `TypeError`.
 *
 * @example
 * ```ts
 * import { defaultRules, fiseEncrypt } from 'sealstone/fise'
 *
 * console.log(typeof fiseEncrypt('{"id":1}', defaultRules, { timestamp: 29_400_000 })) // string
 * ```
 */
export function fiseEncrypt(plaintext: string, rules: FiseRules<string>, options: EncryptOptions = {}): string {
  if (typeof plaintext !== 'string') throw new ArgumentError('the plaintext must be a string')
  const layout = new TextLayout(rules, options)
  const cipher = layout.options.cipher ?? xorCipher
  let refusal = ''
  for (let draw = 0; draw < DRAWS; draw++) {
    const saltLength = randomLength(layout.min, layout.max)
    const marker = layout.marker(saltLength)
    if (!layout.reads(marker, saltLength)) {
      refusal = `decodeLength does not undo encodeLength of ${saltLength}`
      continue
    }
    const salt = randomSalt(saltLength)
    const cipherText =
      cipher === xorCipher ? mixed(plaintext, salt) : new CipherText([textBy(cipher, plaintext, salt)], false)
    const at = layout.place(cipherText, saltLength)
    if (layout.formula !== undefined && layout.hasSaltAtEnd) {
      if (layout.isOnlyReading(cipherText, at, marker, salt)) return cipherText.with(marker, at, salt)
      refusal = SECOND_READING
      continue
    }
    const envelope = layout.joined(cipherText.with(marker, at), salt)
    if (envelope === undefined) {
      refusal =
        'extractSalt and stripSalt undo neither an envelope with its salt at the end nor one with it at the head'
      continue
    }
    const hits = layout.hits(envelope)
    if (hits.length === 1 && hits[0]?.at === at && hits[0].saltLength === saltLength) return envelope
    if (!hits.some((hit) => hit.at === at && hit.saltLength === saltLength)) throw unfit(NO_FUNCTION)
    refusal = SECOND_READING
  }
  throw unfit(refusal)
}

/**
 * The text of an envelope that this or FISE 0.1.5 made with the same rules, timestamp and metadata.
 *
 * It refuses what no encoder can have made, and an envelope with several readings. It does not prove who made the envelope: a
 * changed one may open to a changed text.
 *
 * @example
 * ```ts
 * import { defaultRules, fiseDecrypt, fiseEncrypt, FiseError } from 'sealstone/fise'
 *
 * console.log(fiseDecrypt(fiseEncrypt('not a secret', defaultRules), defaultRules)) // not a secret
 * try {
 *   fiseDecrypt('no envelope', defaultRules)
 * } catch (error) {
 *   console.log(error instanceof FiseError) // true
 * }
 * ```
 */
export function fiseDecrypt(envelope: string, rules: FiseRules<string>, options: DecryptOptions = {}): string {
  if (typeof envelope !== 'string') throw new ArgumentError('the envelope must be a string')
  const layout = new TextLayout(rules, options)
  const cipher = layout.options.cipher ?? xorCipher
  const hits = layout.hits(envelope)
  const plaintexts: { saltLength: number; plaintext: string }[] = []
  let cause: unknown
  for (const { saltLength, at } of hits) {
    const salt = layout.salt(envelope, saltLength)
    if (salt.length !== saltLength || !IS_SALT.test(salt)) continue
    const cipherText = layout.cipherText(envelope, saltLength, at)
    if (cipher === xorCipher) {
      const plaintext = opened(cipherText, salt)
      if (plaintext !== undefined) plaintexts.push({ saltLength, plaintext })
      continue
    }
    // Of another's cipher only it knows what it made: what it throws at is no reading.
    try {
      plaintexts.push({ saltLength, plaintext: cipher.decrypt(joined(cipherText), salt) })
    } catch (error) {
      cause = error
    }
  }
  return onlyOne(plaintexts, hits.length, cause)
}

function textBy(cipher: FiseCipher, plaintext: string, salt: string): string {
  const cipherText: unknown = cipher.encrypt(plaintext, salt)
  if (typeof cipherText !== 'string') throw new ArgumentError('the cipher must give a string')
  return cipherText
}

/** Of nothing but what a salt is drawn from: faster than a loop. */
const IS_SALT = /^[A-Za-z0-9]*$/

const NONE: readonly number[] = []

/** Nobody's are nearly so long. */
const MARKER_MAX_LEN = 0x3fff

/** Rules for text, for one envelope. */
class TextLayout extends Layout<string> {
  readonly hasSaltAtEnd: boolean
  readonly #markers: Markers
  /** Whether other envelopes have the same markers, so that an index of them pays. */
  readonly #isShared: boolean

  constructor(rules: FiseRules<string>, options: EncryptOptions) {
    super(rules, options)
    this.hasSaltAtEnd = this.rules.extractSalt === undefined && this.rules.stripSalt === undefined
    const shared = markersOf(rules.encodeLength)
    this.#markers = shared ?? noMarkers()
    this.#isShared = shared !== undefined
  }

  /** What stands for a length of the salt. */
  marker(saltLength: number): string {
    return this.#markers.texts[saltLength] ?? this.#encoded(saltLength)
  }

  /** Whether a marker leads back to its length. */
  reads(marker: string, saltLength: number): boolean {
    return this.rules.decodeLength(marker, this.context(saltLength)) === saltLength
  }

  /** Where the marker is in this ciphertext. */
  place(cipherText: string | CipherText, saltLength: number): number {
    const { length } = cipherText
    if (this.formula !== undefined) return placeOf(this.formula(length || 1, saltLength), length)
    return placeOf(Number(this.rules.offset(String(cipherText), this.context(saltLength))), length)
  }

  /** The envelope that the rules take apart again, if there is one. */
  joined(body: string, salt: string): string | undefined {
    const isUndone = (envelope: string) =>
      this.salt(envelope, salt.length) === salt && this.#body(envelope, salt.length) === body
    // FISE 0.1.5 has the salt at the end whatever the rules say, and so it can never open the other.
    return [body + salt, salt + body].find(isUndone)
  }

  /** The salt of an envelope, if it has this length. */
  salt(envelope: string, saltLength: number): string {
    const { rules } = this
    if (rules.extractSalt !== undefined) return rules.extractSalt(envelope, saltLength, this.context(saltLength))
    return envelope.slice(envelope.length - saltLength)
  }

  /** The ciphertext of an envelope, in this reading. */
  cipherText(envelope: string, saltLength: number, at: number): Cut {
    const gap = this.marker(saltLength).length
    if (this.rules.stripSalt === undefined) return { text: envelope, at, gap, end: envelope.length - saltLength }
    const text = this.#body(envelope, saltLength)
    return { text, at, gap, end: text.length }
  }

  /**
   * Whether an envelope with its salt at the end has this reading alone. Its parts are looked at where they are: to look into
   * a string that was put together copies all of it.
   */
  isOnlyReading(cipherText: CipherText, at: number, marker: string, salt: string): boolean {
    const saltAt = cipherText.length + marker.length
    const codeAt = (i: number) => {
      if (i < at) return cipherText.charCodeAt(i)
      if (i >= saltAt) return salt.charCodeAt(i - saltAt)
      return i < at + marker.length ? marker.charCodeAt(i - at) : cipherText.charCodeAt(i - marker.length)
    }
    const length = saltAt + salt.length
    return this.#directHits(codeAt, length, salt.length).length === 0
  }

  /** All readings of an envelope. */
  hits(envelope: string): Hit[] {
    const hits: Hit[] = []
    if (this.formula === undefined) {
      if (this.hasSaltAtEnd) this.#searchOnce(envelope, hits)
      else this.#searchEach(envelope, hits)
      return hits
    }
    if (this.hasSaltAtEnd) return this.#directHits((i) => envelope.charCodeAt(i), envelope.length)
    for (let saltLength = this.min; saltLength <= Math.min(this.max, envelope.length); saltLength++) {
      const body = this.#body(envelope, saltLength)
      const at = this.#directHit((i) => body.charCodeAt(i), body.length + saltLength, saltLength)
      if (at >= 0) hits.push({ saltLength, at })
    }
    return hits
  }

  /** All readings of an envelope with its salt at the end: one place to look at for each length of the salt but one. */
  #directHits(codeAt: (i: number) => number, length: number, except = -1): Hit[] {
    const hits: Hit[] = []
    const constant = this.formula?.constant
    const max = Math.min(this.max, length)
    if (constant !== undefined && this.#isShared && length - max - this.#longestMarker() > constant) {
      // Mostly all lengths have the same place, and the two characters that are there refuse all but one of them.
      const first = codeAt(constant)
      for (const next of [codeAt(constant + 1), Number.NaN]) {
        for (const saltLength of this.#markers.byStart.get(startOf(first, next)) ?? NONE) {
          if (saltLength !== except) this.#addDirectHit(codeAt, length, saltLength, hits)
        }
      }
      return hits
    }
    for (let saltLength = this.min; saltLength <= max; saltLength++) {
      if (saltLength !== except) this.#addDirectHit(codeAt, length, saltLength, hits)
    }
    return hits
  }

  #addDirectHit(codeAt: (i: number) => number, length: number, saltLength: number, hits: Hit[]): void {
    if (saltLength < this.min || saltLength > this.max || saltLength > length) return
    const at = this.#directHit(codeAt, length, saltLength)
    if (at >= 0) hits.push({ saltLength, at })
  }

  /** Characters of the longest marker; those of all lengths are known then. */
  #longestMarker(): number {
    const markers = this.#markers
    if (markers.min > this.min || markers.max < this.max) {
      markers.min = Math.min(markers.min, this.min)
      markers.max = Math.max(markers.max, this.max)
      markers.byStart.clear()
      for (let saltLength = markers.min; saltLength <= markers.max; saltLength++) {
        const marker = this.marker(saltLength)
        const start = startOf(marker.charCodeAt(0), marker.charCodeAt(1))
        const lengths = markers.byStart.get(start)
        if (lengths === undefined) markers.byStart.set(start, [saltLength])
        else lengths.push(saltLength)
      }
    }
    return markers.longest
  }

  /** Where the marker is if the salt has this length: only one place has to be looked at. Less than 0 if it is not there. */
  #directHit(codeAt: (i: number) => number, length: number, saltLength: number): number {
    const head = this.#markers.heads[saltLength] ?? this.#head(saltLength)
    const rest = length - saltLength - (head >>> 16)
    if (rest < 0) return -1
    const at = placeOf((this.formula as NonNullable<typeof this.formula>)(rest || 1, saltLength), rest)
    // One character is enough to refuse nearly all.
    if (codeAt(at) !== (head & 0xffff)) return -1
    const marker = this.marker(saltLength)
    for (let i = 1; i < marker.length; i++) {
      if (codeAt(at + i) !== marker.charCodeAt(i)) return -1
    }
    return this.reads(marker, saltLength) ? at : -1
  }

  /** Looks at every place of an envelope with its salt at the end once, for the markers of all lengths. */
  #searchOnce(envelope: string, hits: Hit[]): void {
    const byFirst = new Map<number, number[]>()
    const max = Math.min(this.max, envelope.length)
    for (let saltLength = this.min; saltLength <= max; saltLength++) {
      const first = this.marker(saltLength).charCodeAt(0)
      const lengths = byFirst.get(first)
      if (lengths === undefined) byFirst.set(first, [saltLength])
      else lengths.push(saltLength)
    }
    const small: (number[] | undefined)[] = []
    for (let code = 0; code < 128; code++) small.push(byFirst.get(code))
    for (let at = 0; at < envelope.length; at++) {
      const code = envelope.charCodeAt(at)
      const lengths = code < 128 ? small[code] : byFirst.get(code)
      if (lengths === undefined) continue
      for (const saltLength of lengths) this.#checkPlace(envelope, envelope.length - saltLength, saltLength, at, hits)
    }
  }

  /** Looks at every place of an envelope once for each length, since only the rules know what is left without the salt. */
  #searchEach(envelope: string, hits: Hit[]): void {
    const max = Math.min(this.max, envelope.length)
    for (let saltLength = this.min; saltLength <= max; saltLength++) {
      const body = this.#body(envelope, saltLength)
      const marker = this.marker(saltLength)
      for (let at = body.indexOf(marker); at >= 0; at = body.indexOf(marker, at + 1)) {
        this.#checkPlace(body, body.length, saltLength, at, hits)
      }
    }
  }

  #checkPlace(body: string, end: number, saltLength: number, at: number, hits: Hit[]): void {
    const marker = this.marker(saltLength)
    if (at + marker.length > end || !body.startsWith(marker, at)) return
    const cipherText = joined({ text: body, at, gap: marker.length, end })
    if (this.place(cipherText, saltLength) === at && this.reads(marker, saltLength)) hits.push({ saltLength, at })
  }

  #body(envelope: string, saltLength: number): string {
    const { rules } = this
    if (rules.stripSalt !== undefined) return rules.stripSalt(envelope, saltLength, this.context(saltLength))
    return envelope.slice(0, envelope.length - saltLength)
  }

  #encoded(saltLength: number): string {
    const marker: unknown = this.rules.encodeLength(saltLength, this.context(saltLength))
    if (typeof marker !== 'string') {
      throw unfit('encodeLength gives no string; rules for bytes are for fiseBinaryEncrypt and fiseBinaryDecrypt')
    }
    if (marker === '' || marker.length > MARKER_MAX_LEN)
      throw unfit(`encodeLength gives ${marker.length} characters for a salt of ${saltLength}`)
    // Rules are functions of their arguments, so what they said of this envelope once holds; known ones keep it for all.
    this.#markers.texts[saltLength] = marker
    this.#markers.heads[saltLength] = (marker.length << 16) | marker.charCodeAt(0)
    this.#markers.longest = Math.max(this.#markers.longest, marker.length)
    return marker
  }

  #head(saltLength: number): number {
    this.#encoded(saltLength)
    return this.#markers.heads[saltLength] as number
  }
}

function joined({ text, at, gap, end }: Cut): string {
  return text.slice(0, at) + text.slice(at + gap, end)
}
