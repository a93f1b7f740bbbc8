import { ArgumentError } from '../../error.js'
import { mixIn } from './base.js'
import { enc } from './encoding.js'
import { WordArray, type WordArrayLike } from './word-array.js'

/** What turns a ciphertext, with what belongs to it, into text and back. */
export interface Format {
  stringify(params: CipherParamsLike): string
  parse(text: string): CipherParamsLike
}

/** A ciphertext, and what belongs to it. */
export interface CipherParamsLike {
  readonly ciphertext?: WordArrayLike
  /** Of a key that was derived of a password. */
  readonly salt?: WordArrayLike | undefined
}

/**
 * A ciphertext, with the key, the IV and all else that it was made with. `toString` writes what others may see: the ciphertext, and the salt
 * of a password.
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

  /** Takes over what another object has. */
  mixIn(params: object): void {
    mixIn(this, params)
  }

  /** As the formatter writes it: that of OpenSSL, where there is none. */
  toString(formatter?: Pick<Format, 'stringify'>): string {
    return (formatter ?? this.formatter ?? format.OpenSSL).stringify(this)
  }
}

/** What `openssl enc` writes before a salt: `Salted__`. */
const MAGIC = [0x53616c74, 0x65645f5f]
/** Bytes of a salt. */
export const SALT_LEN = 8
/** Bytes of both. */
const HEAD_LEN = 16

/** A salt of another length could not be found again. */
export function checkSalt(salt: WordArrayLike): void {
  const { length } = WordArray.bytesOf(salt, 'the salt')
  if (length !== SALT_LEN) throw new ArgumentError(`the salt must have 8 bytes, got ${length}`)
}

/** What crypto-js has under `format`. */
export const format: { OpenSSL: Format; Hex: Format } = {
  /** Base64 of the ciphertext, behind `Salted__` and the salt where there is one. */
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
  /** Hexadecimal digits of the ciphertext alone. */
  Hex: {
    stringify: ({ ciphertext }) => enc.Hex.stringify(ciphertext as WordArray),
    parse: (text) => new CipherParams({ ciphertext: enc.Hex.parse(text) }),
  },
}
