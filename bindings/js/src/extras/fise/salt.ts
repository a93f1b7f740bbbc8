/** Letters and digits: all that a salt of FISE is made of. */
export const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** The digits of base64, by their values. */
export const BASE64 = `${ALPHABET}+/`

/** Characters that are drawn at once: a call for randomness costs more than a salt. Short, since an envelope keeps its pool alive. */
const POOL_LEN = 4096

let text = ''
let used = 0
let numbers: Uint32Array | undefined
let numbersUsed = 0
let codes: Uint8Array | undefined
let pool: Uint8Array<ArrayBuffer> | undefined
let bytesUsed = POOL_LEN
let decoder: TextDecoder | undefined

/**
 * A salt of letters and digits, each as likely as any other, from the system's randomness. A fraction is rounded up, and there is
 * no salt of less than no characters.
 *
 * @example
 * ```ts
 * import { randomSalt } from 'sealstone/fise'
 *
 * console.log(randomSalt(16).length) // 16
 * ```
 */
export function randomSalt(len: number): string {
  const wanted = lengthOf(len)
  if (wanted > POOL_LEN) return drawn(wanted)
  if (used + wanted > text.length) {
    text = drawn(POOL_LEN)
    used = 0
  }
  const start = used
  used += wanted
  return text.slice(start, used)
}

/**
 * As {@link randomSalt}, as bytes: the codes of letters and digits, not any bytes.
 *
 * @example
 * ```ts
 * import { randomSaltBinary } from 'sealstone/fise'
 *
 * console.log(randomSaltBinary(16).length) // 16
 * ```
 */
export function randomSaltBinary(len: number): Uint8Array<ArrayBuffer> {
  const salt = randomSalt(len)
  const bytes = new Uint8Array(salt.length)
  for (let i = 0; i < salt.length; i++) bytes[i] = salt.charCodeAt(i)
  return bytes
}

/** A whole number from `min` to `max`, both included, each as likely as any other. */
export function randomLength(min: number, max: number): number {
  const count = max - min + 1
  // What is left over at the top would make small numbers likelier.
  const limit = 2 ** 32 - (2 ** 32 % count)
  for (;;) {
    if (numbers === undefined || numbersUsed === numbers.length) {
      numbers = crypto.getRandomValues(numbers ?? new Uint32Array(256))
      numbersUsed = 0
    }
    const value = numbers[numbersUsed++] as number
    if (value < limit) return min + (value % count)
  }
}

/** Bytes from the system's randomness. */
export function randomBytes(count: number): Uint8Array<ArrayBuffer> {
  if (count <= POOL_LEN / 8) {
    if (bytesUsed + count > POOL_LEN) {
      pool = crypto.getRandomValues(pool ?? new Uint8Array(POOL_LEN))
      bytesUsed = 0
    }
    bytesUsed += count
    return (pool as Uint8Array<ArrayBuffer>).slice(bytesUsed - count, bytesUsed)
  }
  const bytes = new Uint8Array(count)
  // A call gives no more.
  for (let at = 0; at < count; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536))
  return bytes
}

/** Characters of an alphabet of at most 256, each as likely as any other. */
export function randomText(alphabet: string, count: number): string {
  // What is left over at the top would make the first characters likelier.
  const limit = 256 - (256 % alphabet.length)
  let text = ''
  while (text.length < count) {
    const missing = count - text.length
    for (const byte of randomBytes(missing + (missing >> 2) + 8)) {
      if (byte < limit && text.length < count) text += alphabet.charAt(byte % alphabet.length)
    }
  }
  return text
}

/** Whether a character is a letter or a digit. */
export function isSaltCode(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122)
}

function lengthOf(len: number): number {
  const wanted = Math.ceil(len)
  if (!(wanted < 2 ** 29)) throw new RangeError('the length of a salt must be a number below 2^29')
  return Math.max(0, wanted)
}

function drawn(len: number): string {
  let salt = ''
  codes ??= new TextEncoder().encode(`${ALPHABET}\0\0`)
  decoder ??= new TextDecoder()
  for (let left = len; left > 0; ) {
    const wanted = Math.min(left, POOL_LEN)
    // Two values in sixty-four are refused; what is missing then is drawn in the next round.
    const bytes = crypto.getRandomValues(new Uint8Array(wanted + (wanted >> 4)))
    let count = 0
    for (let i = 0; i < bytes.length && count < wanted; i++) {
      const code = codes[(bytes[i] as number) & 63] as number
      bytes[count] = code
      // One more if the code is not 0: the processor would guess a branch wrong once in thirty-two characters.
      count += -code >>> 31
    }
    salt += decoder.decode(bytes.subarray(0, count))
    left -= count
  }
  return salt
}
