import { type Bytes, bytesOf } from '../bytes.js'
import { ArgumentError } from '../error.js'
import { FiseError } from './error.js'
import { type Cut, putAscii, type Scratch, scratchFor, transcoder } from './transcoder.js'

/** What turns text into the text of an envelope, and back. */
export interface FiseCipher {
  /** The ciphertext, for the same salt. */
  encrypt(plaintext: string, salt: string): string
  /** The plaintext, for the same salt. */
  decrypt(cipherText: string, salt: string): string
}

/** What turns bytes into the bytes of an envelope, and back. */
export interface FiseBinaryCipher {
  /** The ciphertext, for the same salt. */
  encrypt(plaintext: Uint8Array, salt: Uint8Array): Uint8Array
  /** The plaintext, for the same salt. */
  decrypt(cipherText: Uint8Array, salt: Uint8Array): Uint8Array
}

/**
 * XOR with the salt, then base64: no encryption, since the salt travels with it.
 *
 * Text with a lone surrogate is refused, for which base64 of UTF-8 has no form: FISE 0.1.5 loses the character. What is not
 * base64 of UTF-8 as `encrypt` writes it is refused as well.
 */
export const xorCipher: FiseCipher = {
  encrypt: (plaintext, salt) => String(mixed(plaintext, salt)),
  decrypt(cipherText, salt) {
    const plaintext = opened({ text: cipherText, at: 0, gap: 0, end: cipherText.length }, salt)
    if (plaintext === undefined) {
      throw new FiseError('fise_not_canonical', 'FISE: the ciphertext is not base64 of UTF-8 as its encoder writes it')
    }
    return plaintext
  },
}

/** XOR with the salt: no encryption, since the salt travels with it. Both directions are the same. */
export const xorBinaryCipher: FiseBinaryCipher = {
  encrypt: xored,
  decrypt: xored,
}

/** The ciphertext of {@link xorCipher}. */
export function mixed(plaintext: string, salt: string): CipherText {
  const len = plaintext.length
  const scratch = scratchFor(len)
  const calls = transcoder()
  // ASCII XOR ASCII is ASCII: these bytes are the UTF-8 already.
  if (calls.putAscii(plaintext, scratch) && xorBytes(scratch, len, salt)) return base64Of(scratch, len)
  if (len < LONG_FROM) {
    const written = mixShort(plaintext, scratch, salt)
    if (written >= 0) return base64Of(scratch, written)
  }
  // XOR with ASCII changes the lower seven bits of a unit, so surrogates stay what they are, and lone ones stay alone.
  calls.putUnits(plaintext, scratch)
  xorUnits(scratch, len, salt)
  const written = calls.encodeUtf8(scratch, len)
  if (written < 0) throw new ArgumentError('FISE: the plaintext has a lone surrogate, which UTF-8 cannot encode')
  return base64Of(scratch, written)
}

/**
 * A ciphertext in parts, which become one string where somebody looks into it: a string beyond V8's large objects, 128 KiB, takes
 * longer to make than all else, and the envelope is one already.
 */
export class CipherText {
  readonly length: number

  /** All parts but the last have {@link PART_LEN} characters, if there are several. */
  constructor(
    readonly parts: readonly string[],
    readonly isBase64: boolean,
  ) {
    const last = parts[parts.length - 1] as string
    this.length = (parts.length - 1) * PART_LEN + last.length
  }

  charCodeAt(i: number): number {
    const { parts } = this
    if (parts.length === 1) return (parts[0] as string).charCodeAt(i)
    return (parts[Math.floor(i / PART_LEN)] as string).charCodeAt(i % PART_LEN)
  }

  /** The text with another one put in, and one behind it. */
  with(text: string, at: number, end = ''): string {
    const [only] = this.parts
    if (only?.length === this.length) {
      const pieces = [only.slice(0, at), text, only.slice(at), end]
      // Only base64 is known to have a byte a character, and a marker may be any text.
      const isNarrow = this.isBase64 && this.length >= EXTERNAL_FROM && !/[^\0-\xff]/.test(text)
      return isNarrow ? transcoder().joined(pieces) : pieces.join('')
    }
    let all = ''
    let start = 0
    for (const part of this.parts) {
      const cut = at - start
      const isHere = cut >= 0 && (cut < part.length || start + part.length === this.length)
      all += isHere ? part.slice(0, cut) + text + part.slice(cut) : part
      start += part.length
    }
    return all + end
  }

  toString(): string {
    return this.parts.length === 1 ? (this.parts[0] as string) : this.parts.join('')
  }
}

/** Characters of base64, and the bytes that they stand for. */
const PART_LEN = 1 << 15
const PART_BYTES = (PART_LEN / 4) * 3
/** From so many characters on a native call's text is outside of V8's heap, in memory that serves again: then one part is faster. */
const EXTERNAL_FROM = 1 << 20
const EXTERNAL_BYTES = (EXTERNAL_FROM / 4) * 3

function base64Of(scratch: Scratch, len: number): CipherText {
  if (len >= EXTERNAL_BYTES) return new CipherText([transcoder().base64Of(scratch, 0, len)], true)
  const parts = [transcoder().base64Of(scratch, 0, Math.min(len, PART_BYTES))]
  for (let at = PART_BYTES; at < len; at += PART_BYTES) {
    parts.push(transcoder().base64Of(scratch, at, Math.min(len, at + PART_BYTES)))
  }
  return new CipherText(parts, true)
}

/** The plaintext of {@link xorCipher}, or nothing if this is not exactly what its encoder writes. */
export function opened(cipherText: Cut, salt: string): string | undefined {
  const len = canonicalLength(cipherText)
  if (len < 0) return undefined
  const scratch = scratchFor(len)
  const { putBase64, hasAscii, decodeUtf8, asciiOf, textOf } = transcoder()
  const isShort = len < NATIVE_BASE64_FROM && putAscii(cipherText.text, scratch.bytes)
  if (!(isShort ? decodeShort(cipherText, scratch, len) : putBase64(cipherText, scratch, len))) return undefined
  if (hasAscii(scratch, len) && xorBytes(scratch, len, salt)) return asciiOf(scratch, len)
  const units = decodeUtf8(scratch, len)
  if (units < 0) return undefined
  xorUnits(scratch, units, salt)
  return textOf(scratch, units)
}

/**
 * XORs text and puts its UTF-8 into the bytes as it is read, and says how many they are; less than 0 if there are surrogates. Calls
 * that work on all of it would take longer than a short one.
 */
function mixShort(text: string, { bytes }: Scratch, salt: string): number {
  const period = salt.length
  if (period === 0) return -1
  const units = unitsOf(salt)
  let out = 0
  for (let i = 0, j = 0; i < text.length; i++) {
    const code = text.charCodeAt(i) ^ (units[j] as number)
    if (++j === period) j = 0
    if (code < 0x80) {
      bytes[out++] = code
    } else if (code < 0x800) {
      bytes[out++] = 0xc0 | (code >> 6)
      bytes[out++] = 0x80 | (code & 0x3f)
    } else if ((code & 0xf800) !== 0xd800) {
      bytes[out++] = 0xe0 | (code >> 12)
      bytes[out++] = 0x80 | ((code >> 6) & 0x3f)
      bytes[out++] = 0x80 | (code & 0x3f)
    } else {
      return -1
    }
  }
  return out
}

/** As the transcoder's `putBase64`, of a text whose characters are the bytes: to call that takes longer than this for a short one. */
function decodeShort({ at, gap, end }: Cut, { bytes }: Scratch, len: number): boolean {
  bytes.copyWithin(at, at + gap, end)
  const rest = len % 3
  let i = 0
  let out = 0
  let seen = 0
  for (; out < len - rest; i += 4, out += 3) {
    const a = digitOf(bytes[i] as number)
    const b = digitOf(bytes[i + 1] as number)
    const c = digitOf(bytes[i + 2] as number)
    const d = digitOf(bytes[i + 3] as number)
    seen |= a | b | c | d
    bytes[out] = (a << 2) | (b >> 4)
    bytes[out + 1] = (b << 4) | (c >> 2)
    bytes[out + 2] = (c << 6) | d
  }
  if (rest > 0) {
    const a = digitOf(bytes[i] as number)
    const b = digitOf(bytes[i + 1] as number)
    const c = rest > 1 ? digitOf(bytes[i + 2] as number) : 0
    seen |= a | b | c
    bytes[out] = (a << 2) | (b >> 4)
    bytes[out + 1] = (b << 4) | (c >> 2)
  }
  return seen >= 0
}

/** A salt as an array: it is a piece of a longer string, and takes longer to look into. */
function unitsOf(salt: string): Uint16Array {
  const { units } = keyFor(salt.length)
  for (let i = 0; i < salt.length; i++) units[i] = salt.charCodeAt(i)
  return units
}

/** XORs bytes where they lie; does nothing if the salt is text that is not ASCII, and says so. */
export function xorBytes(
  { bytes, words }: Pick<Scratch, 'bytes' | 'words'>,
  len: number,
  salt: string | Uint8Array,
): boolean {
  const period = salt.length
  if (period === 0) return true
  const key = keyFor(period)
  if (typeof salt !== 'string') key.bytes.set(salt)
  else if (!putAscii(salt, key.bytes)) return false
  let at = 0
  if (len >= WORDS_FROM) {
    key.bytes.copyWithin(period, 0, period)
    key.bytes.copyWithin(period * 2, 0, period * 2)
    xorWords(words, len >> 2, key.words, period)
    at = len & ~3
  }
  for (let j = at % period; at < len; at++) {
    bytes[at] = (bytes[at] as number) ^ (key.bytes[j] as number)
    if (++j === period) j = 0
  }
  return true
}

/** XORs UTF-16 where it lies. */
function xorUnits({ units, words }: Scratch, len: number, salt: string): void {
  const period = salt.length
  if (period === 0) return
  unitsOf(salt).copyWithin(period, 0, period)
  xorWords(words, len >> 1, keyFor(period).words, period)
  if (len & 1) units[len - 1] = (units[len - 1] as number) ^ salt.charCodeAt((len - 1) % period)
}

/**
 * XORs words with a key of so many words, again and again. Four columns of the text at a time: their keys stay in registers, and
 * that is three times as fast as going along the text, and twelve times as fast as going by bytes.
 */
function xorWords(words: Int32Array, count: number, key: Int32Array, period: number): void {
  let column = 0
  for (; column + 3 < period; column += 4) {
    const a = key[column] as number
    const b = key[column + 1] as number
    const c = key[column + 2] as number
    const d = key[column + 3] as number
    let i = column
    for (; i + 3 < count; i += period) {
      words[i] = (words[i] as number) ^ a
      words[i + 1] = (words[i + 1] as number) ^ b
      words[i + 2] = (words[i + 2] as number) ^ c
      words[i + 3] = (words[i + 3] as number) ^ d
    }
    for (let j = column; i < count && j < column + 4; i++, j++) words[i] = (words[i] as number) ^ (key[j] as number)
  }
  for (; column < period; column++) {
    const a = key[column] as number
    for (let i = column; i < count; i += period) words[i] = (words[i] as number) ^ a
  }
}

/** Under this many bytes, making the words of a key takes longer than they save. */
const WORDS_FROM = 256
/** From so many characters on native calls over all of a text pay. */
const LONG_FROM = 192
/** And from so many bytes on those that read base64. */
const NATIVE_BASE64_FROM = 448

interface Key {
  readonly bytes: Uint8Array
  readonly units: Uint16Array
  readonly words: Int32Array
}

let keptKey: Key | undefined

/** Memory for the words of a salt: after so many, bytes and units both begin again. */
function keyFor(period: number): Key {
  if (keptKey === undefined || keptKey.words.length < period) {
    const memory = new ArrayBuffer(Math.max(128, period) * 4)
    keptKey = { bytes: new Uint8Array(memory), units: new Uint16Array(memory), words: new Int32Array(memory) }
  }
  return keptKey
}

function xored(data: Uint8Array, salt: Uint8Array): Bytes {
  const [out, key] = [new Uint8Array(bytesOf(data, 'the data')), bytesOf(salt, 'the salt')]
  xorBytes({ bytes: out, words: new Int32Array(out.buffer, 0, out.length >> 2) }, out.length, key)
  return out
}

/**
 * How many bytes canonical base64 of this length and with this end stands for, less than 0 if it is none: whole groups of four,
 * and no bits beyond the last byte. What is in the middle is the decoder's to see.
 */
function canonicalLength(cut: Cut): number {
  const len = cut.end - cut.gap
  if (len === 0) return 0
  if ((len & 3) !== 0) return -1
  if (codeAt(cut, len - 1) !== EQUALS) return (len >> 2) * 3
  if (codeAt(cut, len - 2) !== EQUALS) {
    // Sixteen bits in three digits.
    return (digitOf(codeAt(cut, len - 2)) & 3) === 0 ? (len >> 2) * 3 - 1 : -1
  }
  return (digitOf(codeAt(cut, len - 3)) & 15) === 0 ? (len >> 2) * 3 - 2 : -1
}

const EQUALS = 61

function codeAt({ text, at, gap }: Cut, i: number): number {
  return text.charCodeAt(i < at ? i : i + gap)
}

/** The value of a digit of base64, less than 0 if it is none. */
function digitOf(code: number): number {
  return code < 128 ? (DIGITS[code] as number) : -1
}

const DIGITS = /* @__PURE__ */ (() => {
  const digits = new Int8Array(128).fill(-1)
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
  for (let value = 0; value < 64; value++) digits[alphabet.charCodeAt(value)] = value
  return digits
})()
