import { type Bytes, bytesOf, isUint8Array } from '../../basics/bytes.js'
import { ArgumentError } from '../../basics/error.js'
import { xorBinaryCipher } from './cipher.js'
import { FiseError } from './error.js'
import { type DecryptOptions, type EncryptOptions, type KnownMarkers, Layout, onlyOne, unfit } from './layout.js'
import type { FiseRules } from './rules.js'
import { isSaltCode, randomSaltBinary } from './salt.js'
import { xorBytes } from './xor.js'

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
  return layout.written((saltLength) => {
    const marker = layout.marker(saltLength)
    const salt = randomSaltBinary(saltLength)
    const cipherText = cipher === xorBinaryCipher ? data : arrayOf(cipher.encrypt(data, salt), "the cipher's result")
    const { length } = cipherText
    const envelope = new Uint8Array(length + marker.length + saltLength)
    envelope.set(cipherText)
    if (cipher === xorBinaryCipher) {
      xorBytes({ bytes: envelope, words: new Int32Array(envelope.buffer, 0, envelope.length >> 2) }, length, salt)
    }
    // A copy, since rules may look at the memory behind an array.
    const at = layout.place(envelope.slice(0, length), saltLength)
    envelope.copyWithin(at + marker.length, at, length)
    envelope.set(marker, at)
    envelope.set(salt, length + marker.length)
    return { envelope, at }
  }) as Bytes
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
  const hits = layout.readings(bytes)
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
const decoder = /* @__PURE__ */ new TextDecoder('utf-8', { ignoreBOM: true })

const knownMarkers: KnownMarkers<Uint8Array> = /* @__PURE__ */ new WeakMap()

/** Rules of either sort for bytes, for one envelope. */
export class BinaryLayout extends Layout<Uint8Array> {
  protected readonly knownMarkers = knownMarkers

  constructor(
    rules: FiseRules<string> | FiseRules<Uint8Array> | FiseRules<string | Uint8Array>,
    options: EncryptOptions,
  ) {
    super(rules as FiseRules<Uint8Array>, options)
    const context = this.context(this.min)
    const known = knownRules.get(rules)
    const isText = known === undefined ? typeof rules.encodeLength(this.min, context) === 'string' : known !== rules
    if (isText) {
      const { offset } = rules as FiseRules<string>
      if (!Object.is(offset.call(rules, 'a'.repeat(8), context), offset.call(rules, 'b'.repeat(8), context))) {
        throw new FiseError('fise_rules', CONTENT)
      }
      this.rules = known ?? forBytes(rules as FiseRules<string>)
    }
    this.strips = false
    knownRules.set(rules, this.rules)
  }

  /** The ciphertext of an envelope, in this reading. */
  cipherText(envelope: Bytes, saltLength: number, at: number): Bytes {
    return this.cut(envelope, at, this.marker(saltLength).length, envelope.length - saltLength)
  }

  protected codeAt(data: Uint8Array, at: number): number {
    return data[at] as number
  }

  protected find(data: Uint8Array, first: Uint8Array, from: number): number {
    return data.indexOf(first[0] as number, from)
  }

  protected cut(data: Uint8Array, at: number, gap: number, end: number): Bytes {
    const cipherText = new Uint8Array(end - gap)
    cipherText.set(data.subarray(0, at))
    cipherText.set(data.subarray(at + gap, end), at)
    return cipherText
  }

  protected sample(text: string): Uint8Array {
    return encoder.encode(text)
  }

  protected stripped(envelope: Uint8Array, saltLength: number): Uint8Array {
    return envelope.subarray(0, envelope.length - saltLength)
  }

  protected checked(marker: unknown, saltLength: number): Uint8Array {
    if (!isUint8Array(marker)) {
      throw unfit('encodeLength must give strings or arrays of bytes, and always the same of them')
    }
    if (marker.length === 0) throw unfit(`encodeLength gives 0 bytes for a salt of ${saltLength}`)
    // Of its own memory: decoders of rules read its buffer from the beginning.
    return new Uint8Array(bytesOf(marker, 'a marker'))
  }
}

/** Rules, those for text as {@link forBytes} made them, so that what is found out about them is found out once. */
const knownRules = /* @__PURE__ */ new WeakMap<object, FiseRules<Uint8Array>>()

/** Rules for text as FISE 0.1.5 takes them for bytes: with the marker's UTF-8, and the offset of a text of so many `x`. */
function forBytes(rules: FiseRules<string>): FiseRules<Uint8Array> {
  return {
    // What is no array knows its length alone; an empty text counts as one character.
    offset: (cipherText, ctx) => {
      const { length } = cipherText
      return rules.offset(
        isUint8Array(cipherText) || length === 0 ? 'x'.repeat(length || 1) : (cipherText as never),
        ctx,
      )
    },
    encodeLength: (len, ctx) => {
      const marker: unknown = rules.encodeLength(len, ctx)
      return typeof marker === 'string' ? encoder.encode(marker) : (marker as Bytes)
    },
    decodeLength: (encoded, ctx) => rules.decodeLength(decoder.decode(encoded), ctx),
  }
}

// The words of FISE 0.1.5.
const CONTENT =
  'FISE: text-based offset depends on content; provide binary-aware rules or make offset length-only for binary encryption.'

/** Bytes of a caller, which text does not stand for. */
export function arrayOf(data: unknown, what: string): Bytes {
  if (!isUint8Array(data)) throw new ArgumentError(`${what} must be a Uint8Array`)
  return bytesOf(data, what)
}
