/**
 * Random bytes, numbers, UUIDs, keys and passwords. In Node the addon asks the system's generator at each call; where there is no addon,
 * and in browsers, `crypto.getRandomValues` gives the bytes, and nothing weaker ever does.
 *
 * @module sealstone/random
 */

import { fill } from '#randomness'
import { type Bytes, isWellFormed } from '../basics/bytes.js'
import { ArgumentError, SealstoneError } from '../basics/error.js'
import { readOptions, stringOf, stringOption, wholeNumber } from '../basics/option.js'
import { output } from '../basics/output.js'
import { KEY_LENGTHS, PASSWORD_ALPHABET, PASSWORD_LEN, TEXT_MAX_LEN } from '../basics/table.js'
import { chosen, draws, entropyOf } from '../work/draws.js'
import { encode } from './encoding.js'

export type { Bytes } from '../basics/bytes.js'
export { SealstoneError } from '../basics/error.js'

/** The algorithms that have keys of bytes: of `sealstone/aead`, `sealstone/mac` and `sealstone/hazmat`. */
export type KeyAlgorithm = keyof typeof KEY_LENGTHS

/** The options of a password. */
export interface PasswordOptions {
  /** Characters, 1 to 65,536: 20 by default. */
  readonly length?: number
  /** At least two characters, none of them twice: letters and digits that do not look alike, by default. */
  readonly alphabet?: string
}

/**
 * Random bytes, such as a token that nobody can guess: 16 bytes are enough.
 *
 * @throws {@link SealstoneError} `no_randomness`, as all functions here.
 *
 * @example
 * ```ts
 * import { encode } from 'sealstone/encoding'
 * import { randomBytes } from 'sealstone/random'
 *
 * const token = encode('base64url', randomBytes(16))
 * console.log(token.length) // 22
 * ```
 */
export function randomBytes(length: number): Bytes {
  return output(wholeNumber(length, 'length', 0, LENGTH_MAX), (bytes) => {
    fill(bytes)
    return bytes.length
  })
}

/**
 * A whole number from 0, or from `from`, up to and without `below`, each as likely as any other. Both are safe integers, and at most
 * 2^53 - 1 apart.
 *
 * @example
 * ```ts
 * import { randomInt } from 'sealstone/random'
 *
 * const die = randomInt(1, 7)
 * console.log(die >= 1 && die <= 6) // true
 * ```
 */
export function randomInt(below: number): number
export function randomInt(from: number, below: number): number
export function randomInt(...range: number[]): number {
  // By how many there are: a second one that is undefined by mistake is not taken for none.
  const [from, below] = range.length === 1 ? [0, range[0]] : range
  if (!isSafe(from)) throw new ArgumentError('from must be a safe integer')
  if (!isSafe(below) || below <= from || below - from > Number.MAX_SAFE_INTEGER) {
    throw new ArgumentError('below must be a safe integer above from, at most 2^53 - 1 apart')
  }
  return from + (draws(below - from, 1)[0] as number)
}

const isSafe = (value: number | undefined): value is number => Number.isSafeInteger(value)

/**
 * A random UUID, of version 4 (RFC 9562), of which 122 bits are random.
 *
 * @example
 * ```ts
 * import { uuid } from 'sealstone/random'
 *
 * console.log(uuid()[14]) // 4
 * ```
 */
export function uuid(): string {
  return uuidOf(4, randomBytes(16))
}

/**
 * A UUID that begins with the time in milliseconds, of version 7 (RFC 9562): keys of a database that lie in the order in which they were
 * made. 74 bits are random; UUIDs of one millisecond have no order. It tells everyone when it was made.
 *
 * @example
 * ```ts
 * import { uuidV7 } from 'sealstone/random'
 *
 * console.log(uuidV7()[14]) // 7
 * ```
 */
export function uuidV7(): string {
  const [bytes, time] = [randomBytes(16), Date.now()]
  for (let i = 0; i < 6; i++) bytes[i] = Math.floor(time / 2 ** (8 * (5 - i)))
  return uuidOf(7, bytes)
}

/**
 * A new key, as long as its algorithm needs it; for HMAC, as long as its tag. Whoever has it can zero it: `key.fill(0)`.
 *
 * @throws {@link SealstoneError} `unknown_algorithm`.
 *
 * @example
 * ```ts
 * import { aead } from 'sealstone/aead'
 * import { generateKey } from 'sealstone/random'
 *
 * const key = aead('aes-256-gcm', generateKey('aes-256-gcm'))
 * console.log(key.sealRandom('', 'attack at dawn').length) // 42
 * ```
 */
export function generateKey(algorithm: KeyAlgorithm): Bytes {
  const name = stringOf(algorithm, 'the algorithm')
  if (Object.hasOwn(KEY_LENGTHS, name)) return randomBytes(KEY_LENGTHS[name as KeyAlgorithm])
  const names = Object.keys(KEY_LENGTHS).join(', ')
  throw new SealstoneError('unknown_algorithm', `unknown algorithm; expected one of: ${names}`)
}

/**
 * A password of random characters, 116 bits by default. The random numbers index the alphabet, so that no constant time is
 * claimed; text cannot be erased.
 *
 * @throws {@link SealstoneError} `invalid_encoding` for an alphabet of one character, or with one of them twice.
 *
 * @example
 * ```ts
 * import { password } from 'sealstone/random'
 *
 * console.log(password().length, password({ length: 6, alphabet: '0123456789' }).length) // 20 6
 * ```
 */
export function password(options?: PasswordOptions): string {
  const [characters, length] = settings(options)
  return chosen(characters, length).join('')
}

/**
 * The bits of entropy of such a password: from 75 on nobody guesses it, even with a stolen hash.
 *
 * @example
 * ```ts
 * import { passwordEntropy } from 'sealstone/random'
 *
 * console.log(passwordEntropy().toFixed(1), passwordEntropy({ length: 6, alphabet: '0123456789' }).toFixed(1)) // 116.7 19.9
 * ```
 */
export function passwordEntropy(options?: PasswordOptions): number {
  return entropyOf(...settings(options))
}

/** More is no array in some engines. */
const LENGTH_MAX = 2 ** 31 - 1

function settings(options: PasswordOptions | undefined): [characters: string[], length: number] {
  const read = readOptions<PasswordOptions>(options, ['length', 'alphabet'])
  const alphabet = stringOption(read.alphabet, 'alphabet') ?? PASSWORD_ALPHABET
  if (!isWellFormed(alphabet)) throw new ArgumentError('alphabet has a lone surrogate, which is no character')
  return [Array.from(alphabet), lengthOf(read.length)]
}

function lengthOf(length: unknown): number {
  return length === undefined ? PASSWORD_LEN : wholeNumber(length, 'length', 1, TEXT_MAX_LEN)
}

/** With the bits that say what it is (RFC 9562 sections 4.1 and 4.2). */
function uuidOf(version: number, bytes: Bytes): string {
  bytes[6] = ((bytes[6] as number) & 0x0f) | (version << 4)
  bytes[8] = ((bytes[8] as number) & 0x3f) | 0x80
  return encode('hex', bytes).replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}
