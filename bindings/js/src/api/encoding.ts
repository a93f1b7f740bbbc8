/**
 * Text for bytes: hexadecimal digits, Base64, Base32 and Base58, and the comparison of secrets.
 *
 * A decoder takes what its encoder writes, hexadecimal digits in either case, and nothing else: no spaces, no missing padding, no bits
 * that stand for nothing. Except for `base58`, no branch and no index depends on the bytes or digits, so that you may encode keys. How an
 * engine compiles this code cannot be promised, and text cannot be erased.
 *
 * @module sealstone/encoding
 */

import { type Bytes, type BytesLike, bytesOf, zero } from '../basics/bytes.js'
import { SealstoneError } from '../basics/error.js'
import { stringOf } from '../basics/option.js'
import { BASE58_MAX_LEN, type Encoding } from '../basics/table.js'

export type { Bytes, BytesLike } from '../basics/bytes.js'
export { SealstoneError } from '../basics/error.js'
export type { Encoding } from '../basics/table.js'

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

/** Digits of so many bits each (RFC 4648). Their codes and values are computed: a table would be indexed by secrets. */
interface Alphabet {
  readonly bits: number
  /** The code of a digit with this value. */
  readonly codeOf: (value: number) => number
  /** The value of a digit, or -1 of what is none. */
  readonly valueIn: (code: number) => number
  /** So many digits, or as many with padding, stand together. */
  readonly group: number
  readonly expected: string
}

/** A number where a value is over another one, and else 0. */
const over = (value: number, bound: number, number: number): number => ((bound - value) >> 31) & number
/** A number where a code is one of these or between them, and else 0. */
const from = (code: number, first: number, last: number, number: number): number =>
  (((first - 1 - code) & (code - last - 1)) >> 31) & number

const PAD = 61
/** Letters, digits, and two more: 62 and 63. */
const base64 = (plus: number, slash: number): Pick<Alphabet, 'bits' | 'codeOf' | 'valueIn'> => ({
  bits: 6,
  codeOf: (value) =>
    value +
    65 +
    over(value, 25, 6) -
    over(value, 51, 75) +
    over(value, 61, plus - 58) +
    over(value, 62, slash - plus - 1),
  valueIn: (code) =>
    from(code, 65, 90, code - 64) +
    from(code, 97, 122, code - 70) +
    from(code, 48, 57, code + 5) +
    from(code, plus, plus, 63) +
    from(code, slash, slash, 64) -
    1,
})
const ALPHABETS: { readonly [name in Exclude<Encoding, 'base58'>]: Alphabet } = {
  hex: {
    bits: 4,
    codeOf: (value) => value + 48 + over(value, 9, 39),
    valueIn: (code) =>
      from(code, 48, 57, code - 47) + from(code, 97, 102, code - 86) + from(code, 65, 70, code - 54) - 1,
    group: 1,
    expected: 'pairs of hexadecimal digits',
  },
  base64: { ...base64(43, 47), group: 4, expected: 'padded base64 without spaces' },
  base64url: { ...base64(45, 95), group: 1, expected: 'base64url without padding and spaces' },
  base32: {
    bits: 5,
    codeOf: (value) => value + 65 - over(value, 25, 41),
    valueIn: (code) => from(code, 65, 90, code - 64) + from(code, 50, 55, code - 23) - 1,
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

/** How many digits bytes have, and how many characters with their padding. */
function lengthsOf({ bits, group }: Alphabet, len: number): readonly [digits: number, characters: number] {
  const digits = Math.ceil((len * 8) / bits)
  return [digits, Math.ceil(digits / group) * group]
}

function encodeDigits(alphabet: Alphabet, bytes: Bytes): string {
  const { bits, codeOf } = alphabet
  const [digits, characters] = lengthsOf(alphabet, bytes.length)
  // Said before any work: an engine refuses it when all digits are there.
  if (characters > CHARACTERS_MAX) throw new SealstoneError('too_long', 'the digits are more than text can have')
  const codes = new Uint8Array(characters)
  // Of digits of 6 bits, four for three bytes; and then one by one.
  let read = bits === 6 ? bytes.length - (bytes.length % 3) : 0
  const whole = (read / 3) * 4
  for (let i = 0, at = 0; i < read; i += 3, at += 4) {
    const word = ((bytes[i] as number) << 16) | ((bytes[i + 1] as number) << 8) | (bytes[i + 2] as number)
    codes[at] = codeOf(word >> 18)
    codes[at + 1] = codeOf((word >> 12) & 63)
    codes[at + 2] = codeOf((word >> 6) & 63)
    codes[at + 3] = codeOf(word & 63)
  }
  let held = 0
  let count = 0
  for (let at = whole; at < digits; at++) {
    if (count < bits) {
      // Behind the last byte are zeros.
      held = ((held << 8) | (bytes[read++] ?? 0)) & 0xffff
      count += 8
    }
    count -= bits
    codes[at] = codeOf((held >> count) & ((1 << bits) - 1))
  }
  for (let at = digits; at < characters; at++) codes[at] = PAD
  try {
    // The function that makes a text of a few numbers makes a short one five times as fast.
    return characters <= SHORT_LEN ? fromCodes(codes) : decoder.decode(codes)
  } finally {
    zero(codes)
  }
}

const decoder = /* @__PURE__ */ new TextDecoder()
const SHORT_LEN = 64
const fromCodes = /* @__PURE__ */ Function.prototype.apply.bind(String.fromCharCode, null) as (
  codes: Uint8Array,
) => string
/** The length of V8's strings, which are the shortest. */
const CHARACTERS_MAX = 2 ** 29 - 24

function decodeDigits(alphabet: Alphabet, text: string): Bytes {
  const { bits, valueIn, group, expected } = alphabet
  let digits = text.length
  while (digits > 0 && text.length - digits < group && text.charCodeAt(digits - 1) === PAD) digits--
  const bytes = new Uint8Array(Math.floor((digits * bits) / 8))
  const [fit, characters] = lengthsOf(alphabet, bytes.length)
  let wrong = 0
  const whole = bits === 6 ? digits - (digits % 4) : 0
  let written = (whole / 4) * 3
  for (let at = 0, i = 0; at < whole; at += 4, i += 3) {
    const [a, b] = [valueIn(text.charCodeAt(at)), valueIn(text.charCodeAt(at + 1))]
    const [c, d] = [valueIn(text.charCodeAt(at + 2)), valueIn(text.charCodeAt(at + 3))]
    wrong |= a | b | c | d
    bytes[i] = (a << 2) | (b >> 4)
    bytes[i + 1] = (b << 4) | (c >> 2)
    bytes[i + 2] = (c << 6) | d
  }
  let held = 0
  let count = 0
  for (let at = whole; at < digits; at++) {
    const value = valueIn(text.charCodeAt(at))
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

const BASE58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

function encodeBase58(bytes: Bytes): string {
  if (bytes.length > BASE58_MAX_LEN) {
    throw new SealstoneError('too_long', 'the data is longer than the format or algorithm allows')
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
