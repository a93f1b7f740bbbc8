import { type Bytes, bytesOf, isUint8Array } from '../bytes.js'
import { ArgumentError } from '../error.js'
import { xorBinaryCipher, xorBytes } from './cipher.js'
import { FiseError } from './error.js'
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
import type { FiseRules } from './rules.js'
import { isSaltCode, randomLength, randomSaltBinary } from './salt.js'

/**
 * Hides bytes from a glance, as {@link fiseEncrypt} does text. This is not encryption.
 *
 * Rules for text are taken too: the marker is the UTF-8 of theirs, the offset is that for a text as long as the bytes, and the salt
 * is always at the end. An offset that looks at the text is refused.
 *
 * @example
 * ```ts
 * import { defaultBinaryRules, fiseBinaryDecrypt, fiseBinaryEncrypt } from 'sealstone/fise'
 *
 * const envelope = fiseBinaryEncrypt(Uint8Array.of(1, 2, 3), defaultBinaryRules)
 * console.log(fiseBinaryDecrypt(envelope, defaultBinaryRules).length) // 3
 * ```
 */
export function fiseBinaryEncrypt(
  binaryData: Uint8Array,
  rules: FiseRules<string> | FiseRules<Uint8Array> | FiseRules<string | Uint8Array>,
  options: EncryptOptions = {},
): Uint8Array<ArrayBuffer> {
  const data = arrayOf(binaryData, 'the data')
  const layout = new BinaryLayout(rules, options)
  const cipher = layout.options.binaryCipher ?? xorBinaryCipher
  let refusal = ''
  for (let draw = 0; draw < DRAWS; draw++) {
    const saltLength = randomLength(layout.min, layout.max)
    const marker = layout.marker(saltLength)
    if (!layout.reads(saltLength)) {
      refusal = `decodeLength does not undo encodeLength of ${saltLength}`
      continue
    }
    const salt = randomSaltBinary(saltLength)
    const cipherText = cipher === xorBinaryCipher ? data : arrayOf(cipher.encrypt(data, salt), "the cipher's result")
    const { length } = cipherText
    const envelope = new Uint8Array(length + marker.length + saltLength)
    envelope.set(cipherText)
    if (cipher === xorBinaryCipher) {
      xorBytes({ bytes: envelope, words: new Int32Array(envelope.buffer, 0, envelope.length >> 2) }, length, salt)
    }
    // A copy, since rules may look at the memory behind an array.
    const at = layout.place(layout.direct === undefined ? envelope.slice(0, length) : envelope, length, saltLength)
    envelope.copyWithin(at + marker.length, at, length)
    envelope.set(marker, at)
    envelope.set(salt, length + marker.length)
    const hits = layout.hits(envelope)
    if (hits.length === 1 && hits[0]?.at === at && hits[0].saltLength === saltLength) return envelope
    if (!hits.some((hit) => hit.at === at && hit.saltLength === saltLength)) throw unfit(NO_FUNCTION)
    refusal = SECOND_READING
  }
  throw unfit(refusal)
}

/**
 * The bytes of an envelope that this or FISE 0.1.5 made with the same rules, timestamp and metadata. It refuses an envelope with
 * several readings. It does not detect changed bytes.
 *
 * @example
 * ```ts
 * import { defaultBinaryRules, fiseBinaryDecrypt, fiseBinaryEncrypt, FiseError } from 'sealstone/fise'
 *
 * const envelope = fiseBinaryEncrypt(Uint8Array.of(1, 2, 3), defaultBinaryRules)
 * console.log(fiseBinaryDecrypt(envelope, defaultBinaryRules)) // Uint8Array(3) [ 1, 2, 3 ]
 * try {
 *   fiseBinaryDecrypt(envelope.subarray(1), defaultBinaryRules)
 * } catch (error) {
 *   console.log(error instanceof FiseError) // true
 * }
 * ```
 */
export function fiseBinaryDecrypt(
  envelope: Uint8Array,
  rules: FiseRules<string> | FiseRules<Uint8Array> | FiseRules<string | Uint8Array>,
  options: DecryptOptions = {},
): Uint8Array<ArrayBuffer> {
  const bytes = arrayOf(envelope, 'the envelope')
  const layout = new BinaryLayout(rules, options)
  const binaryCipher = layout.options.binaryCipher ?? xorBinaryCipher
  const hits = layout.hits(bytes)
  const plaintexts: { saltLength: number; plaintext: Bytes }[] = []
  let cause: unknown
  for (const { saltLength, at } of hits) {
    const salt = bytes.slice(bytes.length - saltLength)
    if (!salt.every(isSaltCode)) continue
    const cipherText = layout.cipherText(bytes, saltLength, at)
    if (binaryCipher === xorBinaryCipher) {
      const words = new Int32Array(cipherText.buffer, 0, cipherText.length >> 2)
      xorBytes({ bytes: cipherText, words }, cipherText.length, salt)
      plaintexts.push({ saltLength, plaintext: cipherText })
      continue
    }
    try {
      plaintexts.push({ saltLength, plaintext: binaryCipher.decrypt(cipherText, salt) as Bytes })
    } catch (error) {
      cause = error
    }
  }
  return onlyOne(plaintexts, hits.length, cause)
}

const encoder = /* @__PURE__ */ new TextEncoder()

/** Rules of either sort for bytes, for one envelope. */
class BinaryLayout extends Layout<Uint8Array> {
  /** The offset for a length, when nothing else of the ciphertext counts. */
  readonly direct: ((length: number, saltLength: number) => number) | undefined
  readonly #text: FiseRules<string> | undefined
  readonly #markers: Uint8Array[] = []
  readonly #texts: string[] = []

  constructor(
    rules: FiseRules<string> | FiseRules<Uint8Array> | FiseRules<string | Uint8Array>,
    options: EncryptOptions,
  ) {
    super(rules as FiseRules<Uint8Array>, options)
    const isText = typeof this.rules.encodeLength(this.min, this.context(this.min)) === 'string'
    this.#text = isText ? (rules as FiseRules<string>) : undefined
    const { formula } = this
    if (formula !== undefined) this.direct = (length, saltLength) => formula(length || 1, saltLength)
    else if (this.#text !== undefined) this.direct = this.#offsetOfText(this.#text)
  }

  /** What stands for a length of the salt. */
  marker(saltLength: number): Uint8Array {
    return this.#markers[saltLength] ?? this.#encoded(saltLength)
  }

  /** Whether the marker of a length leads back to it. */
  reads(saltLength: number): boolean {
    const marker = this.marker(saltLength)
    const context = this.context(saltLength)
    if (this.#text !== undefined)
      return this.#text.decodeLength(this.#texts[saltLength] as string, context) === saltLength
    return this.rules.decodeLength(marker, context) === saltLength
  }

  /** Where the marker is in this ciphertext. */
  place(cipherText: Uint8Array, length: number, saltLength: number): number {
    if (this.direct !== undefined) return placeOf(Number(this.direct(length, saltLength)), length)
    return placeOf(Number(this.rules.offset(cipherText, this.context(saltLength))), length)
  }

  /** The ciphertext of an envelope, in this reading. */
  cipherText(envelope: Bytes, saltLength: number, at: number): Bytes {
    return this.#without(envelope, saltLength, at)
  }

  /** All readings of an envelope. */
  hits(envelope: Bytes): Hit[] {
    const hits: Hit[] = []
    for (let saltLength = this.min; saltLength <= Math.min(this.max, envelope.length); saltLength++) {
      const marker = this.marker(saltLength)
      const length = envelope.length - saltLength - marker.length
      if (length < 0) continue
      if (this.direct !== undefined) {
        const at = placeOf(Number(this.direct(length, saltLength)), length)
        if (stands(marker, envelope, at) && this.reads(saltLength)) hits.push({ saltLength, at })
        continue
      }
      const first = marker[0] as number
      for (let at = envelope.indexOf(first); at >= 0 && at <= length; at = envelope.indexOf(first, at + 1)) {
        if (!stands(marker, envelope, at)) continue
        const cipherText = this.#without(envelope, saltLength, at)
        if (this.place(cipherText, length, saltLength) === at && this.reads(saltLength)) hits.push({ saltLength, at })
      }
    }
    return hits
  }

  #without(envelope: Bytes, saltLength: number, at: number): Bytes {
    const { length } = this.marker(saltLength)
    const end = envelope.length - saltLength
    const cipherText = new Uint8Array(end - length)
    cipherText.set(envelope.subarray(0, at))
    cipherText.set(envelope.subarray(at + length, end), at)
    return cipherText
  }

  /** The offset of rules for text: that of a text of this length, which has to be the same whatever the text is. */
  #offsetOfText(rules: FiseRules<string>): (length: number, saltLength: number) => number {
    const context = this.context(this.min)
    if (rules.offset('a'.repeat(8), context) !== rules.offset('b'.repeat(8), context)) {
      throw new FiseError('fise_rules', CONTENT)
    }
    let filler = ''
    return (length, saltLength) => {
      // One text that is cut to length, since rules that read it would copy each.
      if (filler.length < length) filler = 'x'.repeat(length + this.max)
      return rules.offset(length === 0 ? 'x' : filler.slice(0, length), this.context(saltLength))
    }
  }

  #encoded(saltLength: number): Uint8Array {
    const marker: unknown = this.rules.encodeLength(saltLength, this.context(saltLength))
    if (typeof marker === 'string') this.#texts[saltLength] = marker
    // Of its own memory: decoders of rules read its buffer from the beginning.
    const bytes =
      typeof marker === 'string'
        ? encoder.encode(marker)
        : isUint8Array(marker)
          ? new Uint8Array(bytesOf(marker, 'a marker'))
          : undefined
    if (bytes === undefined || (typeof marker === 'string') !== (this.#text !== undefined)) {
      throw unfit('encodeLength must give strings or arrays of bytes, and always the same of them')
    }
    if (bytes.length === 0) throw unfit(`encodeLength gives 0 bytes for a salt of ${saltLength}`)
    this.#markers[saltLength] = bytes
    return bytes
  }
}

// The words of FISE 0.1.5.
const CONTENT =
  'FISE: text-based offset depends on content; provide binary-aware rules or make offset length-only for binary encryption.'

function stands(marker: Uint8Array, envelope: Uint8Array, at: number): boolean {
  for (let i = 0; i < marker.length; i++) {
    if (envelope[at + i] !== marker[i]) return false
  }
  return true
}

function arrayOf(data: unknown, what: string): Bytes {
  if (!isUint8Array(data)) throw new ArgumentError(`${what} must be a Uint8Array`)
  return bytesOf(data, what)
}
