// Encodings of text, and questions about texts.

import { decode as bytesFrom, encode as textFrom } from '../../api/encoding.js'
import { type Bytes, bytesOf } from '../../basics/bytes.js'
import { ErrorUtils } from './errors.js'
import type { EncodingType } from './results.js'

/** Bytes as in crypto-js: big-endian words, and the number of their bytes that count. Functions of crypto-js take such an object. */
export interface WordArray {
  words: number[]
  sigBytes: number
  /** Hexadecimal digits. */
  toString(): string
}

/** Encodes and decodes text. An encoding is not encryption. */
export class Encoder {
  static #instance: Encoder | undefined

  private constructor() {}

  static getInstance(): Encoder {
    Encoder.#instance ??= new Encoder()
    return Encoder.#instance
  }

  /** Encodes the UTF-8 of a text. */
  encode(data: string, encoding: EncodingType): string {
    const name = String(encoding).toLowerCase()
    if (name === 'utf8') return data
    if (name === 'base64' || name === 'hex') return textFrom(name, data)
    throw ErrorUtils.createEncryptionError(`Unsupported encoding type: ${encoding}`, 'Encoding')
  }

  /** Decodes a text. It refuses invalid digits, and bytes that are not UTF-8. */
  decode(encodedData: string, encoding: EncodingType): string {
    const name = String(encoding).toLowerCase()
    if (name === 'utf8') return encodedData
    if (name === 'base64') return read(encodedData, 'base64', 'Base64')
    if (name === 'hex') return read(encodedData, 'hex', 'Hex')
    throw ErrorUtils.createDecryptionError(`Unsupported encoding type: ${encoding}`, 'Decoding')
  }

  encodeBase64Url(data: string): string {
    return textFrom('base64url', data)
  }

  /** As {@link decode}, with or without padding. */
  decodeBase64Url(encodedData: string): string {
    let end = encodedData.length
    while (encodedData[end - 1] === '=') end--
    const digits = encodedData.slice(0, end).replaceAll('+', '-').replaceAll('/', '_')
    return read(digits, 'base64url', 'Base64')
  }
}

const base64Encoding = {
  encode: (data: string): string => Encoder.getInstance().encode(data, 'base64'),
  decode: (encodedData: string): string => Encoder.getInstance().decode(encodedData, 'base64'),
  encodeUrl: (data: string): string => Encoder.getInstance().encodeBase64Url(data),
  decodeUrl: (encodedData: string): string => Encoder.getInstance().decodeBase64Url(encodedData),
}

const hexEncoding = {
  encode: (data: string): string => Encoder.getInstance().encode(data, 'hex'),
  decode: (encodedData: string): string => Encoder.getInstance().decode(encodedData, 'hex'),
}

export const base64 = base64Encoding
export const hex = hexEncoding

/** Encodings of text. */
export const encoding = {
  base64: base64Encoding,
  hex: hexEncoding,
  encode: (data: string, by: EncodingType): string => Encoder.getInstance().encode(data, by),
  decode: (encodedData: string, by: EncodingType): string => Encoder.getInstance().decode(encodedData, by),
}

/** Encodings of text, in functions named after their input and output. */
export class StringUtils {
  static stringToWordArray(str: string): WordArray {
    return wordArrayOf(bytesOf(str, 'the text'))
  }

  static wordArrayToString(wordArray: Pick<WordArray, 'words' | 'sigBytes'>): string {
    return utf8(bytesOfWords(wordArray))
  }

  static stringToBase64(str: string): string {
    return textFrom('base64', str)
  }

  static base64ToString(base64: string): string {
    return utf8(bytesFrom('base64', base64))
  }

  static stringToHex(str: string): string {
    return textFrom('hex', str)
  }

  static hexToString(hex: string): string {
    return utf8(bytesFrom('hex', hex))
  }

  static encodeString(str: string, encoding: EncodingType): string {
    return Encoder.getInstance().encode(str, encoding)
  }

  static decodeString(encodedStr: string, encoding: EncodingType): string {
    return Encoder.getInstance().decode(encodedStr, encoding)
  }
}

/** Checks of texts. */
export class ValidationUtils {
  /** Whether the text is missing, or has only white space. */
  static isEmpty(str: string | null | undefined): boolean {
    return !str || str.trim() === ''
  }

  /** Whether a text is padded Base64 whose unused bits are zero. */
  static isValidBase64(str: string): boolean {
    return stands('base64', str)
  }

  static isValidHex(str: string): boolean {
    return stands('hex', str)
  }

  /** Whether a text has `expectedLength` characters. */
  static validateKeyLength(key: string, expectedLength: number): boolean {
    return key.length === expectedLength
  }

  /** Whether a text has at least as many characters as a key of `keySize` bits has bytes. It does not say how hard the text is to guess. */
  static validateAESKeyLength(key: string, keySize: number): boolean {
    return key.length >= keySize / 8
  }
}

/** Bytes as words, for {@link WordArray}. */
export function wordArrayOf(bytes: Bytes): WordArray {
  const padded = new Uint8Array(Math.ceil(bytes.length / 4) * 4)
  padded.set(bytes)
  const view = new DataView(padded.buffer)
  const words = Array.from({ length: padded.length / 4 }, (_, i) => view.getInt32(4 * i))
  return { words, sigBytes: bytes.length, toString: () => textFrom('hex', bytes) }
}

function bytesOfWords({ words, sigBytes }: Pick<WordArray, 'words' | 'sigBytes'>): Bytes {
  const bytes = new Uint8Array(4 * words.length)
  const view = new DataView(bytes.buffer)
  words.forEach((word, i) => {
    view.setInt32(4 * i, word)
  })
  return bytes.subarray(0, sigBytes)
}

function stands(by: 'base64' | 'hex', text: string): boolean {
  try {
    bytesFrom(by, text)
    return true
  } catch {
    return false
  }
}

/** The same error for invalid digits and for bytes that are not UTF-8. */
function read(digits: string, by: 'base64' | 'base64url' | 'hex', name: string): string {
  try {
    return utf8(bytesFrom(by, digits))
  } catch {
    throw ErrorUtils.createDecryptionError(`Failed to decode ${name}`, name)
  }
}

function utf8(bytes: Bytes): string {
  return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
}
