// Reads data that defective functions of @ldesign/crypto wrote, so that you can encrypt the data anew: under names of ciphers that it did
// not have, in its workers, and without the IV. Nothing here writes these formats.

import { aead } from '../../api/aead.js'
import { decode, encode, timingSafeEqual } from '../../api/encoding.js'
import { hash } from '../../api/hash.js'
import { type Bytes, utf8, zero } from '../../basics/bytes.js'
import { stringOf } from '../../basics/option.js'
import { type BlockMode, decryptBlocks, decryptBytes, readSalted } from './aes.js'
import { hashPassword } from './chain.js'
import { decryptDesBytes, openTextWith } from './des.js'
import { messageOf, notAuthentic, resultCodeOf, unreadable } from './errors.js'
import { textOf } from './padding.js'
import type { AESKeySize, DecryptResult, RSAOptions } from './results.js'
import { type Given, type Options as RSAReadOptions, rsa } from './rsa.js'
import { isHexOf, withKey, withWorkerKey } from './secrets.js'
import { decryptShort, verifyShort } from './short-rsa.js'

/** Options of a reader of old data. */
export interface LegacyOptions {
  iv?: string
  nonce?: string
  aad?: string
  keySize?: AESKeySize
  mode?: BlockMode
}

export interface SalvageOptions {
  /** `AES` by default. */
  algorithm?: 'AES' | 'DES' | '3DES'
  /** For AES: 256 by default. */
  keySize?: AESKeySize
}

/**
 * Readers of old data. The data are not authenticated, unless a result says so.
 *
 * @example
 * ```ts
 * import { legacy } from 'sealstone/compat/ldesign'
 *
 * const old = { data: 'aHzqYo59jzc3rGVlcMCJKA==', iv: '101112131415161718191a1b1c1d1e1f' }
 * console.log(legacy.blowfish.decrypt(old, 'secret').data) // hello 世界
 * ```
 */
export const legacy = {
  /**
   * Reads all but the first block of data whose IV is lost: of `encryptToBase64`, `encryptJSON`, and the `data` of a `SecureStorage` value.
   * `missing` is the number of bytes lost at the start: 16, or 8 with DES, and the rest of a character that began there.
   */
  salvage(data: string, key: string, options: SalvageOptions = {}): DecryptResult {
    const { algorithm = 'AES', keySize = 256 } = options
    const blockLen = algorithm === 'AES' ? 16 : 8
    return read(algorithm, 'CBC', () => {
      const bytes = ciphertextOf(stringOf(data, 'the data'), blockLen)
      const [iv, rest] = [bytes.subarray(0, blockLen), bytes.subarray(blockLen)]
      if (rest.length === 0)
        throw unreadable('the data is a single block without its IV, and cannot be decrypted', algorithm)
      const plaintext =
        algorithm === 'AES'
          ? withKey(key, keySize, (key) => decryptBytes(key, iv, rest))
          : decryptDesBytes(algorithm, key, iv, rest)
      try {
        const begun = plaintext.findIndex((byte) => (byte & 0xc0) !== 0x80)
        const missing = blockLen + Math.max(begun, 0)
        return { data: textOrNone(plaintext.subarray(Math.max(begun, 0)), algorithm), missing }
      } finally {
        zero(plaintext)
      }
    })
  },

  /** The original's Blowfish: AES-256-CBC under the SHA-256 of the key text. */
  blowfish: {
    decrypt: (given: Given, key: string, options: LegacyOptions = {}): DecryptResult =>
      read('Blowfish', 'CBC', () => {
        const { data, iv } = partsOf(given, options.iv)
        if (!isHexOf(iv, 16)) throw unreadable('IV is required for decryption', 'Blowfish')
        const secret = hash('sha256', key)
        try {
          return { data: decryptBlocks(secret, 'CBC', iv, data) }
        } finally {
          zero(secret)
        }
      }),
  },

  /** The ChaCha20-Poly1305 of `ChaCha20Encryptor` in `algorithms/advanced`: the XOR of text, key and nonce. Anybody can forge it. */
  chacha20: {
    decrypt: (given: Given, key: string, options: LegacyOptions = {}): DecryptResult =>
      read('ChaCha20-Poly1305', undefined, () => {
        const { data, nonce, aad } = partsOf(given, undefined, options)
        const [secret, start] = [decode('hex', key), decode('hex', nonce)]
        const [body, tag] = [data.slice(0, -FAKE_TAG), data.slice(-FAKE_TAG)]
        const mixed = secret.reduce((mixed, byte) => mixed ^ byte, sumOf(body + nonce + aad))
        if (!timingSafeEqual(fakeTag(mixed), tag)) throw notAuthentic('ChaCha20-Poly1305')
        const bytes = decode('hex', body)
        const plaintext = bytes.map((byte, i) => byte ^ at(secret, i) ^ at(start, i))
        return { data: textOrNone(plaintext, 'ChaCha20-Poly1305') }
      }),
  },

  /** The AES-GCM of `AESGCMEncryptor` in `algorithms/advanced` in Node: the XOR of characters. Anybody can forge it. */
  nodeGcm: {
    decrypt: (given: Given, key: string, options: LegacyOptions = {}): DecryptResult =>
      read('AES-GCM', undefined, () => {
        const { data, iv, aad } = partsOf(given, options.iv ?? options.nonce, options)
        const [body, tag] = [data.slice(0, -FAKE_TAG), data.slice(-FAKE_TAG)]
        if (!timingSafeEqual(fakeTag(sumOf(body + iv + aad)), tag)) throw notAuthentic('AES-GCM')
        if (key === '' || iv === '') throw unreadable('key and IV are required', 'AES-GCM')
        const code = (text: string, i: number): number => text.charCodeAt(i % text.length)
        const codes = Array.from({ length: body.length }, (_, i) => body.charCodeAt(i) ^ code(key, i) ^ code(iv, i))
        return { data: codes.map((code) => String.fromCharCode(code)).join('') }
      }),
  },

  /** The format of the same class in browsers: AES-GCM in hexadecimal digits. It is authenticated. */
  browserGcm: {
    decrypt: (given: Given, key: string, options: LegacyOptions = {}): DecryptResult =>
      read('AES-GCM', undefined, () => {
        const { data, iv, aad } = partsOf(given, options.iv ?? options.nonce, options)
        const secret = decode('hex', key)
        try {
          const opening = aead(`aes-${(8 * secret.length) as AESKeySize}-gcm`, secret)
          try {
            return { data: textOf(opening.open(decode('hex', iv), aad, decode('hex', data))), authenticated: true }
          } catch {
            throw notAuthentic('AES-GCM')
          } finally {
            opening.destroy()
          }
        } finally {
          zero(secret)
        }
      }),
  },

  /**
   * Reads data of RSA keys of 1,024 to 2,047 bits. Such keys can be broken, so encrypt the data anew under another key. WebCrypto computes
   * here: both functions return promises, and there is no `PKCS1`.
   */
  rsa: {
    /** Decrypts; an error is in the result. */
    decryptAsync: (given: Given, privateKey: string, options?: RSAReadOptions): Promise<DecryptResult> =>
      decryptShort(given, privateKey, options),
    /**
     * Whether a signature is of the text, with `sha256` by default, or `sha512`.
     *
     * @throws {@link CryptoError} for another hash, and for a text that is no such key: then nothing was verified.
     */
    verifyAsync: (data: string, signature: string, publicKey: string, algorithm = 'sha256'): Promise<boolean> =>
      verifyShort(data, signature, publicKey, algorithm),
  },

  /** The formats of `crypto.worker`, which the original's main thread cannot read. */
  worker: {
    /** A key in digits is a password here, too. Only the first 16 bytes of the text `iv` count. */
    aes: (given: Given, key: string, options: LegacyOptions = {}): DecryptResult => {
      const mode = options.mode ?? 'CBC'
      return read('AES', mode, () => {
        const { data } = partsOf(given)
        const iv = utf8(stringOf(options.iv ?? '', 'iv'), 'iv').subarray(0, 16)
        if (iv.length < 16 && mode !== 'ECB') throw unreadable('IV is required for decryption', 'AES')
        const bits = options.keySize ?? 256
        return { data: withWorkerKey(key, bits, (key) => decryptBlocks(key, mode, encode('hex', iv), data)) }
      })
    },
    des: (given: Given, key: string): DecryptResult =>
      read('DES', 'CBC', () => ({
        data: readSalted(partsOf(given).data, key, [8, 8], 'DES', (key, iv, bytes) =>
          openTextWith('DES', key, iv, bytes),
        ),
      })),
    tripledes: (given: Given, key: string): DecryptResult =>
      read('3DES', 'CBC', () => ({
        data: readSalted(partsOf(given).data, key, [24, 8], '3DES', (key, iv, bytes) =>
          openTextWith('3DES', key, iv, bytes),
        ),
      })),
    /** OAEP with SHA-256. In browsers, use `rsaAsync`. */
    rsa: (given: Given, privateKey: string, options?: RSAOptions): DecryptResult =>
      rsa.decrypt(partsOf(given).data, privateKey, { ...options, hashAlgorithm: 'sha256' }),
    rsaAsync: (given: Given, privateKey: string, options?: RSAOptions): Promise<DecryptResult> =>
      rsa.decryptAsync(partsOf(given).data, privateKey, { ...options, hashAlgorithm: 'sha256' }),
  },

  /** Reads the JSON of a `KeyManager` backup with a password. */
  keyBackup(backup: string, password: string): DecryptResult {
    return read('AES', 'CBC', () => {
      const [iv = '', data = ''] = stringOf(backup, 'the backup').split(':')
      if (!isHexOf(iv, 16)) throw unreadable('the backup has no IV', 'AES')
      return { data: withKey(password, 256, (key) => decryptBlocks(key, 'CBC', iv, data)) }
    })
  },

  /** Whether a hash of `hashPassword` is of this password. The time does not depend on where two hashes differ. */
  isHashOf(password: string, hashed: string, iterations?: number): boolean {
    return timingSafeEqual(hashPassword(password, iterations), stringOf(hashed, 'the hash').toLowerCase())
  },
} as const

/** Hexadecimal digits of the value in place of a tag. */
const FAKE_TAG = 32

/** The result of a reader. If the reader throws, the result has the error. */
function read(
  algorithm: string,
  mode: string | undefined,
  work: () => { data: string; missing?: number; authenticated?: boolean },
): DecryptResult {
  const of = { algorithm, ...(mode === undefined ? {} : { mode }) }
  try {
    return { success: true, ...of, authenticated: false, ...work() }
  } catch (error) {
    return { success: false, data: '', ...of, authenticated: false, error: messageOf(error), code: resultCodeOf(error) }
  }
}

function partsOf(
  given: Given,
  iv?: string,
  options: LegacyOptions = {},
): { data: string; iv: string; nonce: string; aad: string } {
  const result = typeof given === 'string' ? { data: given } : given
  return {
    data: stringOf(result.data ?? '', 'the data'),
    iv: stringOf(result.iv || iv || '', 'iv'),
    nonce: stringOf(result.nonce || options.nonce || '', 'nonce'),
    aad: stringOf(result.aad || options.aad || '', 'aad'),
  }
}

/** The ciphertext, decoded from Base64 once or twice. */
function ciphertextOf(data: string, blockLen: number): Bytes {
  const bytes = decode('base64', data)
  try {
    const inner = decode('base64', textOf(bytes))
    if (inner.length > 0 && inner.length % blockLen === 0) return inner
  } catch {
    // Only one layer of Base64.
  }
  return bytes
}

function textOrNone(bytes: Bytes, algorithm: string): string {
  try {
    return textOf(bytes)
  } catch {
    throw notAuthentic(algorithm)
  }
}

function at(bytes: Bytes, i: number): number {
  return bytes[i % bytes.length] as number
}

/** A hash of 32 bits: for each character, 31 times the value before, plus the character. */
function sumOf(text: string): number {
  let sum = 0
  for (let i = 0; i < text.length; i++) sum = (Math.imul(sum, 31) + text.charCodeAt(i)) | 0
  return sum
}

function fakeTag(sum: number): string {
  return Math.abs(sum).toString(16).padStart(FAKE_TAG, '0')
}
