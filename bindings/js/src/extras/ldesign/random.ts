// Random values, always from the system's generator.

import { encode } from '../../api/encoding.js'
import { randomBytes } from '../../api/random.js'
import { wholeNumber } from '../../basics/option.js'
import { type WordArray, wordArrayOf } from './encoding.js'
import { ErrorUtils } from './errors.js'
import type { EncodingType } from './results.js'

/** Random keys, salts and initialisation vectors of a number of bytes, as hexadecimal digits. */
export class RandomUtils {
  static generateRandomBytes(length: number): WordArray {
    return wordArrayOf(randomBytes(length))
  }

  /** Random bytes as text. `utf8` is refused, because random bytes are rarely UTF-8. */
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

  /** 32 bytes by default, and at least one: an empty text is no key. */
  static generateKey(length = 32): string {
    return encode('hex', randomBytes(wholeNumber(length, 'length', 1, 2 ** 31 - 1)))
  }
}
