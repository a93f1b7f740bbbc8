import { transcoder } from '#transcoder'
import { type Bytes, bytesOf } from '../../basics/bytes.js'
import { ArgumentError } from '../../basics/error.js'
import { FiseError } from './error.js'
import { BASE64 } from './salt.js'
import { type Cut, concatenated } from './transcoder.js'
import { xorBytes } from './xor.js'

/** What turns text into the text of an envelope, and back. */
export interface FiseCipher {
  /** The ciphertext, for the same salt. */
  encrypt(plaintext: string, salt: string): string
  /** The plaintext, for the same salt. */
  decrypt(cipherText: string, salt: string): string
}

/** What turns bytes into the bytes of an envelope, and back. */
export interface FiseBinaryCipher {
  /** The ciphertext, for the same salt. */
  encrypt(plaintext: Uint8Array, salt: Uint8Array): Uint8Array
  /** The plaintext, for the same salt. */
  decrypt(cipherText: Uint8Array, salt: Uint8Array): Uint8Array
}

/**
 * XOR with the salt, then base64: no encryption, since the salt travels with it.
 *
 * Text with a lone surrogate is refused, for which base64 of UTF-8 has no form: FISE 0.1.5 loses the character. What is not
 * base64 of UTF-8 as `encrypt` writes it is refused as well.
 */
export const xorCipher: FiseCipher = {
  encrypt: (plaintext, salt) => mixed(plaintext, salt).join(''),
  decrypt(cipherText, salt) {
    const plaintext = opened({ text: cipherText, at: 0, gap: 0, end: cipherText.length }, salt)
    if (plaintext === undefined) {
      throw new FiseError('fise_not_canonical', 'FISE: the ciphertext is not base64 of UTF-8 as its encoder writes it')
    }
    return plaintext
  },
}

/** XOR with the salt: no encryption, since the salt travels with it. Both directions are the same. */
export const xorBinaryCipher: FiseBinaryCipher = {
  encrypt: xored,
  decrypt: xored,
}

/** The ciphertext of {@link xorCipher}, in parts. */
export function mixed(plaintext: string, salt: string): string[] {
  const parts = transcoder().mixed(plaintext, salt)
  if (parts === undefined) {
    throw new ArgumentError('FISE: the plaintext has a lone surrogate, which UTF-8 cannot encode')
  }
  return parts
}

/** The plaintext of {@link xorCipher}, or nothing if this is not exactly what its encoder writes. */
export function opened(cipherText: Cut, salt: string): string | undefined {
  const len = canonicalLength(cipherText)
  return len < 0 ? undefined : transcoder().opened(cipherText, len, salt)
}

/**
 * A ciphertext with a marker in it and a salt behind it. The ciphertext comes in parts, since a string beyond V8's large objects, 128
 * KiB, takes longer to make than all else, and the envelope is one already.
 */
export function envelopeOf(
  parts: readonly string[],
  isBase64: boolean,
  marker: string,
  at: number,
  salt: string,
): string {
  const texts: string[] = []
  let rest = at
  for (const part of parts) {
    if (rest >= 0 && rest <= part.length) {
      texts.push(part.slice(0, rest), marker, part.slice(rest))
      rest = -1
    } else {
      texts.push(part)
      rest -= part.length
    }
  }
  texts.push(salt)
  return isBase64 ? transcoder().joined(texts) : concatenated(texts)
}

function xored(data: Uint8Array, salt: Uint8Array): Bytes {
  const [out, key] = [new Uint8Array(bytesOf(data, 'the data')), bytesOf(salt, 'the salt')]
  xorBytes({ bytes: out, words: new Int32Array(out.buffer, 0, out.length >> 2) }, out.length, key)
  return out
}

/**
 * How many bytes canonical base64 of this length and with this end stands for, less than 0 if it is none: whole groups of four,
 * and no bits beyond the last byte. What is in the middle is the decoder's to see.
 */
function canonicalLength({ text, at, gap, end }: Cut): number {
  const len = end - gap
  const charAt = (i: number) => text.charAt(i < at ? i : i + gap)
  let missing = 0
  if (len > 0 && charAt(len - 1) === '=') missing = charAt(len - 2) === '=' ? 2 : 1
  // The last digit has four bits too many before two signs, and two before one. A sign is no digit, and has all bits.
  const isWhole = missing === 0 || (BASE64.indexOf(charAt(len - 1 - missing)) & (4 ** missing - 1)) === 0
  return len % 4 === 0 && isWhole ? (len / 4) * 3 - missing : -1
}
