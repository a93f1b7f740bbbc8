/**
 * Text for bytes: hexadecimal digits, Base64, Base32 and Base58, and the comparison of secrets.
 *
 * A decoder takes what its encoder writes, hexadecimal digits in either case, and nothing else: no spaces, no missing padding, no bits
 * that stand for nothing. Which bytes or digits there are decides no branch and no index but for `base58`, so that keys may be written
 * so; what an engine makes of this code nobody promises. Text itself cannot be erased.
 *
 * @module sealstone/encoding
 */

import { type Bytes, type BytesLike, bytesOf, zero } from './bytes.js'
import { SealstoneError } from './error.js'
import { stringOf } from './option.js'
import { BASE58_MAX_LEN, type Encoding } from './table.js'

export type { Bytes, BytesLike } from './bytes.js'
export { SealstoneError } from './error.js'
export type { Encoding } from './table.js'

/**
 * The text of bytes, or of a text's UTF-8.
 *
 * @throws {@link SealstoneError} `unknown_algorithm`; `too_long` for over 4,096 bytes in `base58`, whose work grows with the square of
 * the length, and for text of over 536,870,888 characters.
 *
 * @example
 * ```ts
 * import { encode } from 'sealstone/encoding'
 *
 * console.log(encode('base64url', new Uint8Array([251, 255]))) // -_8
 * console.log(encode('base32', 'seal')) // ONSWC3A=
 * ```
 */
export function encode(encoding: Encoding, data: BytesLike): string {
  const alphabet = alphabetOf(encoding)
  const bytes = bytesOf(data, 'the data')
  return alphabet === undefined ? encodeBase58(bytes) : encodeDigits(alphabet, bytes)
}

/**
 * The bytes that a text stands for.
 *
 * @throws {@link SealstoneError} `invalid_encoding` for any text but that of the bytes; `unknown_algorithm`.
 *
 * @example
 * ```ts
 * import { decode, SealstoneError } from 'sealstone/encoding'
 *
 * console.log(decode('hex', 'fbFF')) // Uint8Array(2) [ 251, 255 ]
 * try {
 *   decode('base64', '+/8') // its padding is missing
 * } catch (error) {
 *   console.log(error instanceof SealstoneError && error.code) // invalid_encoding
 * }
 * ```
 */
export function decode(encoding: Encoding, text: string): Bytes {
  const alphabet = alphabetOf(encoding)
  const digits = stringOf(text, 'the text')
  return alphabet === undefined ? decodeBase58(digits) : decodeDigits(alphabet, digits)
}

/**
 * Whether two secrets are the same, in a time that depends on their lengths alone; secrets of two lengths differ.
 *
 * @example
 * ```ts
 * import { timingSafeEqual } from 'sealstone/encoding'
 *
 * console.log(timingSafeEqual('a token', new TextEncoder().encode('a token'))) // true
 * ```
 */
export function timingSafeEqual(a: BytesLike, b: BytesLike): boolean {
  const one = bytesOf(a, 'the first secret')
  const other = bytesOf(b, 'the second secret')
  if (one.length !== other.length) return false
  let differs = 0
  for (let i = 0; i < one.length; i++) differs |= (one[i] as number) ^ (other[i] as number)
  return differs === 0
}

/** Digits that follow each other: the code of the first one, its value, and the value of the last. */
interface Row {
  readonly code: number
  readonly first: number
  readonly last: number
}

/** Digits of so many bits each (RFC 4648). */
interface Alphabet {
  readonly bits: number
  readonly rows: readonly Row[]
  /** Digits that are read as well. */
  readonly also: readonly Row[]
  /** So many digits, or as many with padding, stand together. */
  readonly group: number
  readonly expected: string
}

const row = (digit: string, first: number, last: number): Row => ({ code: digit.charCodeAt(0), first, last })
const PAD = 61
const LETTERS = [row('A', 0, 25), row('a', 26, 51), row('0', 52, 61)]
const ALPHABETS: { readonly [name in Exclude<Encoding, 'base58'>]: Alphabet } = {
  hex: {
    bits: 4,
    rows: [row('0', 0, 9), row('a', 10, 15)],
    also: [row('A', 10, 15)],
    group: 1,
    expected: 'pairs of hexadecimal digits',
  },
  base64: {
    bits: 6,
    rows: [...LETTERS, row('+', 62, 62), row('/', 63, 63)],
    also: [],
    group: 4,
    expected: 'padded base64 without spaces',
  },
  base64url: {
    bits: 6,
    rows: [...LETTERS, row('-', 62, 62), row('_', 63, 63)],
    also: [],
    group: 1,
    expected: 'base64url without padding and spaces',
  },
  base32: {
    bits: 5,
    rows: [row('A', 0, 25), row('2', 26, 31)],
    also: [],
    group: 8,
    expected: 'padded base32 in upper case without spaces',
  },
}

/** None of `base58`, whose digits are of no whole bits. */
function alphabetOf(encoding: Encoding): Alphabet | undefined {
  const name = stringOf(encoding, 'the encoding')
  if (name === 'base58') return undefined
  if (Object.hasOwn(ALPHABETS, name)) return ALPHABETS[name as keyof typeof ALPHABETS]
  const names = [...Object.keys(ALPHABETS), 'base58'].join(', ')
  throw new SealstoneError('unknown_algorithm', `unknown algorithm; expected one of: ${names}`)
}

/** All ones where a number lies between two others or is one of them, and else 0. */
function within(number: number, first: number, last: number): number {
  return ((first - 1 - number) & (number - last - 1)) >> 31
}

/** How many digits bytes have, and how many characters with their padding. */
function lengthsOf({ bits, group }: Alphabet, len: number): readonly [digits: number, characters: number] {
  const digits = Math.ceil((len * 8) / bits)
  return [digits, Math.ceil(digits / group) * group]
}

function encodeDigits(alphabet: Alphabet, bytes: Bytes): string {
  const [digits, characters] = lengthsOf(alphabet, bytes.length)
  // Said before any work: an engine refuses it when all digits are there.
  if (characters > CHARACTERS_MAX) throw new SealstoneError('too_long', 'the digits are more than text can have')
  const codes = new Uint8Array(characters)
  if (alphabet === ALPHABETS.hex) encodeHex(bytes, codes)
  else encodeGroups(alphabet, bytes, codes, digits)
  for (let at = digits; at < characters; at++) codes[at] = PAD
  try {
    // A short text is made by what makes it of a few numbers, five times as fast.
    return characters <= SHORT_LEN ? fromCodes(codes) : decoder.decode(codes)
  } finally {
    zero(codes)
  }
}

/** Two digits a byte. */
function encodeHex(bytes: Bytes, codes: Uint8Array): void {
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i] as number
    const [high, low] = [byte >> 4, byte & 15]
    codes[2 * i] = 48 + high + (((9 - high) >> 31) & 39)
    codes[2 * i + 1] = 48 + low + (((9 - low) >> 31) & 39)
  }
}

/** Of Base64 four digits for three bytes, as far as there are three; and all others one by one. */
function encodeGroups(alphabet: Alphabet, bytes: Bytes, codes: Uint8Array, digits: number): void {
  const whole = alphabet.bits === 6 ? bytes.length - (bytes.length % 3) : 0
  if (whole > 0) {
    const [one, other] = alphabet === ALPHABETS.base64 ? [15, 3] : [13, 49]
    for (let i = 0, at = 0; i < whole; i += 3, at += 4) {
      const word = ((bytes[i] as number) << 16) | ((bytes[i + 1] as number) << 8) | (bytes[i + 2] as number)
      codes[at] = digit64(word >> 18, one, other)
      codes[at + 1] = digit64((word >> 12) & 63, one, other)
      codes[at + 2] = digit64((word >> 6) & 63, one, other)
      codes[at + 3] = digit64(word & 63, one, other)
    }
  }
  encodeRest(alphabet, bytes, whole, codes, (whole / 3) * 4, digits)
}

/** A digit of 6 bits. `one` and `other` are how far the last two are from where the digits before them would have them. */
function digit64(value: number, one: number, other: number): number {
  const code = 65 + value + (((25 - value) >> 31) & 6) - (((51 - value) >> 31) & 75)
  return code - (((61 - value) >> 31) & one) + (((62 - value) >> 31) & other)
}

/** The digits of all bytes from one on, of which some are there already. */
function encodeRest(
  { bits, rows }: Alphabet,
  bytes: Bytes,
  from: number,
  codes: Uint8Array,
  done: number,
  digits: number,
): void {
  let held = 0
  let count = 0
  let read = from
  for (let at = done; at < digits; at++) {
    if (count < bits) {
      // Behind the last byte are zeros.
      held = ((held << 8) | (bytes[read++] ?? 0)) & 0xffff
      count += 8
    }
    count -= bits
    const value = (held >> count) & ((1 << bits) - 1)
    let code = 0
    for (let i = 0; i < rows.length; i++) {
      const row = rows[i] as Row
      code |= within(value, row.first, row.last) & (row.code + value - row.first)
    }
    codes[at] = code
  }
}

const SHORT_LEN = 64
const fromCodes = /* @__PURE__ */ Function.prototype.apply.bind(String.fromCharCode, null) as (
  codes: Uint8Array,
) => string
const decoder = /* @__PURE__ */ new TextDecoder()
/** What V8's strings have, which have the least. */
const CHARACTERS_MAX = 2 ** 29 - 24

function decodeDigits(alphabet: Alphabet, text: string): Bytes {
  const { bits, rows, also, group, expected } = alphabet
  let digits = text.length
  while (digits > 0 && text.length - digits < group && text.charCodeAt(digits - 1) === PAD) digits--
  const bytes = new Uint8Array(Math.floor((digits * bits) / 8))
  const [fit, characters] = lengthsOf(alphabet, bytes.length)
  let held = 0
  let count = 0
  let wrong = 0
  // Of Base64, four digits at once.
  const whole = bits === 6 ? digits - (digits % 4) : 0
  if (whole > 0) wrong = decodeGroups(alphabet === ALPHABETS.base64, text, whole, bytes)
  let written = (whole / 4) * 3
  for (let at = whole; at < digits; at++) {
    const code = text.charCodeAt(at)
    // Less than 0 is no digit.
    let value = -1
    for (let i = 0; i < rows.length; i++) value += valueIn(rows[i] as Row, code)
    for (let i = 0; i < also.length; i++) value += valueIn(also[i] as Row, code)
    wrong |= value
    held = ((held << bits) | (value & 63)) & 0xffff
    count += bits
    if (count >= 8) {
      count -= 8
      bytes[written++] = held >> count
    }
  }
  // Bits that stand for nothing are zero.
  wrong |= -(held & ((1 << count) - 1))
  if (wrong >= 0 && digits === fit && text.length === characters) return bytes
  zero(bytes)
  throw invalid(`the text is not ${expected}`)
}

/** Three bytes of four digits each; says with a number below 0 that one of them is none. */
function decodeGroups(isStandard: boolean, text: string, digits: number, bytes: Bytes): number {
  const [one, other] = isStandard ? [43, 47] : [45, 95]
  let wrong = 0
  for (let at = 0, i = 0; at < digits; at += 4, i += 3) {
    const [a, b] = [value64(text.charCodeAt(at), one, other), value64(text.charCodeAt(at + 1), one, other)]
    const [c, d] = [value64(text.charCodeAt(at + 2), one, other), value64(text.charCodeAt(at + 3), one, other)]
    wrong |= a | b | c | d
    bytes[i] = (a << 2) | (b >> 4)
    bytes[i + 1] = (b << 4) | (c >> 2)
    bytes[i + 2] = (c << 6) | d
  }
  return wrong
}

/** The value of a digit of 6 bits; less than 0 of what is none. `one` and `other` stand for 62 and 63. */
function value64(code: number, one: number, other: number): number {
  let value = -1
  value += (((64 - code) & (code - 91)) >> 31) & (code - 64)
  value += (((96 - code) & (code - 123)) >> 31) & (code - 70)
  value += (((47 - code) & (code - 58)) >> 31) & (code + 5)
  value += (((one - 1 - code) & (code - one - 1)) >> 31) & 63
  return value + ((((other - 1 - code) & (code - other - 1)) >> 31) & 64)
}

/** The value of a digit and 1, or 0 of what is no digit of this row. */
function valueIn(row: Row, code: number): number {
  const value = code - row.code + row.first
  return within(value, row.first, row.last) & (value + 1)
}

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

function encodeBase58(bytes: Bytes): string {
  if (bytes.length > BASE58_MAX_LEN) {
    throw new SealstoneError('too_long', 'the data is longer than the format or the algorithm allows')
  }
  return rebased(bytes, 256, 58)
    .map((digit) => BASE58[digit])
    .join('')
}

function decodeBase58(text: string): Bytes {
  const tooLong = 'base58 is for short data, at most 4,096 bytes'
  // A byte has 1.366 characters; one of zero, at the start, has one.
  if (text.length > (BASE58_MAX_LEN * 11) / 8) throw invalid(tooLong)
  const digits = Array.from({ length: text.length }, (_, at) => BASE58.indexOf(text.charAt(at)))
  if (digits.includes(-1)) throw invalid('a character is not in the base58 alphabet')
  const bytes = rebased(digits, 58, 256)
  if (bytes.length > BASE58_MAX_LEN) throw invalid(tooLong)
  return Uint8Array.from(bytes)
}

/** The digits of a number in another base, the highest first, behind as many zeros as there are at its start. */
function rebased(digits: ArrayLike<number>, from: number, to: number): number[] {
  let zeros = 0
  while (zeros < digits.length && digits[zeros] === 0) zeros++
  // The lowest first.
  const result: number[] = []
  for (let at = zeros; at < digits.length; at++) {
    let carry = digits[at] as number
    for (let i = 0; i < result.length; i++) {
      carry += (result[i] as number) * from
      result[i] = carry % to
      carry = Math.trunc(carry / to)
    }
    for (; carry > 0; carry = Math.trunc(carry / to)) result.push(carry % to)
  }
  return [...new Array<number>(zeros).fill(0), ...result.reverse()]
}

function invalid(why: string): SealstoneError {
  return new SealstoneError('invalid_encoding', `invalid encoding: ${why}`)
}
