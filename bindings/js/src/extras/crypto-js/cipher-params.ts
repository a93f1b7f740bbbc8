import { ArgumentError } from '../../basics/error.js'
import { mixIn } from './base.js'
import { enc } from './encoding.js'
import { WordArray, type WordArrayLike } from './word-array.js'

/** A format of text for a ciphertext and its parameters, such as the salt. */
export interface Format {
  stringify(params: CipherParamsLike): string
  parse(text: string): CipherParamsLike
}

/** A ciphertext and its parameters. */
export interface CipherParamsLike {
  readonly ciphertext?: WordArrayLike
  /** The salt, if the key was derived from a password. */
  readonly salt?: WordArrayLike | undefined
}

/**
 * A ciphertext, with the key, the IV and everything else that it was made with. `toString` writes only the public parts: the ciphertext,
 * and the salt of a password.
 *
 * @example
 * ```ts
 * import { AES, enc, lib } from 'sealstone/compat/crypto-js'
 *
 * const key = enc.Hex.parse('000102030405060708090a0b0c0d0e0f')
 * const iv = enc.Hex.parse('101112131415161718191a1b1c1d1e1f')
 * const params = lib.CipherParams.create({ ciphertext: enc.Base64.parse('lKMv9k62/jY6WO+bX9RP7g==') })
 * console.log(AES.decrypt(params, key, { iv }).toString(enc.Utf8)) // attack at dawn
 * ```
 */
export class CipherParams implements CipherParamsLike {
  declare ciphertext: WordArray
  declare key?: WordArray
  declare iv?: WordArray
  declare salt?: WordArray
  declare algorithm?: object
  declare mode?: object
  declare padding?: object
  declare blockSize?: number
  declare formatter?: Format

  constructor(params?: object) {
    if (params) mixIn(this, params)
  }

  /** Copies the properties of another object into this one. */
  mixIn(params: object): void {
    mixIn(this, params)
  }

  /** The text that the formatter writes. Without a formatter, it is the format of OpenSSL. */
  toString(formatter?: Pick<Format, 'stringify'>): string {
    return (formatter ?? this.formatter ?? format.OpenSSL).stringify(this)
  }
}

/** `openssl enc` writes this before a salt: `Salted__`. */
const MAGIC = [0x53616c74, 0x65645f5f]
/** Bytes of a salt. */
export const SALT_LEN = 8
/** Bytes of the magic and the salt. */
const HEAD_LEN = 16

/** A reader takes 8 bytes as the salt: it could not find the end of a salt of another length. */
export function checkSalt(salt: WordArrayLike): void {
  const { length } = WordArray.bytesOf(salt, 'the salt')
  if (length !== SALT_LEN) throw new ArgumentError(`the salt must have 8 bytes, got ${length}`)
}

/** The formats under `format` in crypto-js. */
export const format: { OpenSSL: Format; Hex: Format } = {
  /** Base64 of the ciphertext. If there is a salt, `Salted__` and the salt come first. */
  OpenSSL: {
    stringify({ ciphertext, salt }) {
      if (!salt) return enc.Base64.stringify(ciphertext as WordArray)
      checkSalt(salt)
      return enc.Base64.stringify(new WordArray([...MAGIC]).concat(salt).concat(ciphertext as WordArray))
    },
    parse(text) {
      const bytes = WordArray.bytesOf(enc.Base64.parse(text), 'the ciphertext')
      const isSalted = bytes.length >= HEAD_LEN && enc.Latin1.stringify(WordArray.of(bytes.slice(0, 8))) === 'Salted__'
      if (!isSalted) return new CipherParams({ ciphertext: WordArray.of(bytes) })
      const [salt, ciphertext] = [WordArray.of(bytes.slice(8, HEAD_LEN)), WordArray.of(bytes.slice(HEAD_LEN))]
      return new CipherParams({ ciphertext, salt })
    },
  },
  /** Hexadecimal digits of the ciphertext only. */
  Hex: {
    stringify: ({ ciphertext }) => enc.Hex.stringify(ciphertext as WordArray),
    parse: (text) => new CipherParams({ ciphertext: enc.Hex.parse(text) }),
  },
}
