// What is random: of the system's generator, and of nothing weaker.

import { encode } from '../../encoding.js'
import { wholeNumber } from '../../option.js'
import { randomBytes } from '../../random.js'
import { type WordArray, wordArrayOf } from './encoding.js'
import { ErrorUtils } from './errors.js'
import type { EncodingType } from './results.js'

/** Random keys, salts and initialisation vectors as hexadecimal digits, by their number of bytes. */
export class RandomUtils {
  static generateRandomBytes(length: number): WordArray {
    return wordArrayOf(randomBytes(length))
  }

  /** Random bytes as text. Most of them are no UTF-8, so that `utf8` is refused. */
  static generateRandomString(length: number, encoding: EncodingType = 'hex'): string {
    if (encoding === 'hex' || encoding === 'base64') return encode(encoding, randomBytes(length))
    throw ErrorUtils.createValidationError('random bytes are not text: use hex or base64')
  }

  static generateSalt(length = 16): string {
    return encode('hex', randomBytes(length))
  }

  static generateIV(length = 16): string {
    return encode('hex', randomBytes(length))
  }

  /** 32 bytes by default, and one at least: an empty text is no key. */
  static generateKey(length = 32): string {
    return encode('hex', randomBytes(wholeNumber(length, 'length', 1, 2 ** 31 - 1)))
  }
}
