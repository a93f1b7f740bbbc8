import { decode, encode } from '../../api/encoding.js'
import type { Bytes } from '../../basics/bytes.js'
import { ArgumentError, SealstoneError } from '../../basics/error.js'
import { stringOf } from '../../basics/option.js'
import { dataOf, type Encoder, WordArray, type WordArrayLike } from './word-array.js'

/** Base64 with the alphabet for URLs, or with the usual alphabet if `urlSafe` is false. */
export interface UrlEncoder extends Encoder {
  stringify(wordArray: WordArrayLike, urlSafe?: boolean): string
  parse(text: string, urlSafe?: boolean): WordArray
}

const Hex: Encoder = {
  stringify: (wordArray) => encode('hex', bytesOf(wordArray)),
  parse: (text) => WordArray.of(decode('hex', text)),
}

/** Padding may be missing. */
const Base64: Encoder = {
  stringify: (wordArray) => encode('base64', bytesOf(wordArray)),
  parse(text) {
    const given = stringOf(text, 'the text')
    const end = given.indexOf('=')
    const digits = end < 0 ? given : given.slice(0, end)
    return WordArray.of(decode('base64', digits + '='.repeat((4 - (digits.length % 4)) % 4)))
  },
}

const Base64url: UrlEncoder = {
  stringify: (wordArray, urlSafe = true) =>
    urlSafe ? encode('base64url', bytesOf(wordArray)) : Base64.stringify(wordArray),
  parse: (text, urlSafe = true) => (urlSafe ? WordArray.of(decode('base64url', text)) : Base64.parse(text)),
}

/** A character for each byte. */
const Latin1: Encoder = {
  stringify: (wordArray) => charactersOf(bytesOf(wordArray)),
  parse(text) {
    const characters = stringOf(text, 'the text')
    const bytes = new Uint8Array(characters.length)
    let seen = 0
    for (let i = 0; i < bytes.length; i++) {
      const code = characters.charCodeAt(i)
      seen |= code
      bytes[i] = code
    }
    if (seen > 0xff) throw new ArgumentError('the text has a character that is no byte: Latin1 has those up to U+00FF')
    return WordArray.of(bytes)
  },
}

const Utf8: Encoder = {
  stringify(wordArray) {
    const bytes = bytesOf(wordArray)
    try {
      return utf8.decode(bytes)
    } catch {
      throw new SealstoneError('invalid_encoding', 'Malformed UTF-8 data')
    }
  },
  parse: (text) => WordArray.of(dataOf(stringOf(text, 'the text'), 'the text')),
}

const Utf16: Encoder = /* @__PURE__ */ utf16(false)

/** The encodings under `enc` in crypto-js. Each refuses text that is not in its encoding. */
export const enc = {
  Hex,
  Latin1,
  Utf8,
  Utf16,
  Utf16BE: Utf16,
  Utf16LE: /* @__PURE__ */ utf16(true),
  Base64,
  Base64url,
}

/** It keeps a byte order mark, as a character. */
const utf8 = /* @__PURE__ */ new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** Units of 16 bits, as a string has them. */
function utf16(isLittleEndian: boolean): Encoder {
  return {
    stringify(wordArray) {
      const bytes = bytesOf(wordArray)
      const even = bytes.length % 2 === 0 ? bytes : new Uint8Array([...bytes, 0])
      const view = new DataView(even.buffer, even.byteOffset, even.byteLength)
      const units = new Uint16Array(even.length / 2)
      for (let i = 0; i < units.length; i++) units[i] = view.getUint16(2 * i, isLittleEndian)
      return charactersOf(units)
    },
    parse(text) {
      const characters = stringOf(text, 'the text')
      const bytes = new Uint8Array(2 * characters.length)
      const view = new DataView(bytes.buffer)
      for (let i = 0; i < characters.length; i++) view.setUint16(2 * i, characters.charCodeAt(i), isLittleEndian)
      return WordArray.of(bytes)
    },
  }
}

/** A function takes this many arguments in every JavaScript engine. */
const ARGUMENTS = 4096

function charactersOf(codes: Uint8Array | Uint16Array): string {
  let text = ''
  for (let at = 0; at < codes.length; at += ARGUMENTS) {
    text += String.fromCharCode(...codes.subarray(at, at + ARGUMENTS))
  }
  return text
}

function bytesOf(wordArray: WordArrayLike): Bytes {
  return WordArray.bytesOf(wordArray, 'what is written as text')
}
