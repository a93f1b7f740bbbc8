// AES in the format of @ldesign/crypto: text to Base64, padded to whole blocks in every mode, without a tag.

import { decode, encode } from '../../api/encoding.js'
import { hash } from '../../api/hash.js'
import { type Cipher, cipher } from '../../api/hazmat.js'
import { randomBytes } from '../../api/random.js'
import { type Bytes, utf8, zero } from '../../basics/bytes.js'
import { readOptions, stringOf } from '../../basics/option.js'
import { BLOCK_LEN } from '../../basics/table.js'
import { CryptoErrorCode, messageOf, notAuthentic, refused, resultCodeOf, unreadable, unsupported } from './errors.js'
import { padded, textOf, unpadded } from './padding.js'
import type { AESKeySize, AESMode, AESOptions, DecryptResult, EncryptResult, IEncryptor } from './results.js'
import { type CacheStats, cacheStats, cipherOf, forgetKeys } from './schedules.js'
import { ITERATIONS } from './secrets.js'

/** A mode of this format. */
export type BlockMode = Exclude<AESMode, 'GCM'>

const MODES: readonly string[] = ['CBC', 'ECB', 'CFB', 'OFB', 'CTR'] satisfies BlockMode[]

/** The names of {@link AESOptions}. */
export const AES_OPTIONS = ['mode', 'keySize', 'iv', 'padding', 'salt', 'iterations'] as const

/** No options: the object inherits none, either. */
const NONE: AESOptions = /* @__PURE__ */ Object.freeze(/* @__PURE__ */ Object.create(null))

/** The checked arguments of an encryption or a decryption. */
export interface Checked {
  readonly mode: BlockMode
  readonly keySize: AESKeySize
  readonly iv: { readonly digits: string; readonly bytes: Bytes } | undefined
}

/** Encrypts with AES. The ciphertext is not authenticated: whoever changes it changes the text. */
export class AESEncryptor implements IEncryptor<AESOptions> {
  /** The defaults. */
  static getDefaultOptions(): Required<Pick<AESOptions, 'mode' | 'keySize' | 'iv' | 'padding' | 'iterations'>> {
    return { mode: 'CBC', keySize: 256, iv: '', padding: 'Pkcs7', iterations: ITERATIONS }
  }

  /** Forgets all keys that were derived from texts. */
  static cleanup(): void {
    forgetKeys()
  }

  /** The cache of derived keys: at most 100, each for five minutes, found by a keyed hash of their texts. */
  static getCacheStats(): { keyCache: CacheStats } {
    return { keyCache: cacheStats() }
  }

  /** Always 0: keys leave the cache by themselves when they are too old, so this has none to remove. */
  static cleanupExpiredCache(): number {
    return 0
  }

  /**
   * Encrypts a text.
   *
   * @throws {@link EncryptionError} for a blank key, and for options that are wrong or have no effect.
   */
  encrypt(data: string, key: string, options: AESOptions = NONE): EncryptResult {
    const text = stringOf(data, 'the data')
    const { mode, keySize, iv: given } = checkedForEncryption(key, options)
    const start = given?.bytes ?? randomBytes(BLOCK_LEN)
    const ciphertext = encryptedBy(cipherOf(key, keySize, mode), mode, start, text)
    const iv = given?.digits ?? encode('hex', start)
    return { success: true, data: ciphertext, algorithm: 'AES', mode, keySize, iv }
  }

  /** Decrypts a text; an error is in the result. A text without an IV must be in the format of CryptoJS, which begins with `Salted__`. */
  decrypt(encryptedData: string | EncryptResult, key: string, options: AESOptions = NONE): DecryptResult {
    return readResult(encryptedData, options, () => decryptText(encryptedData, key, options))
  }
}

/** AES as functions that throw nothing: an error is in the result. */
export const aes = {
  encrypt(data: string, key: string, options?: AESOptions): EncryptResult {
    try {
      return ENCRYPTOR.encrypt(data, key, options)
    } catch (error) {
      const { mode = 'CBC', keySize = 256 } = options ?? {}
      const failed = { success: false, data: '', algorithm: 'AES', mode, keySize, iv: '' }
      return { ...failed, error: messageOf(error), code: resultCodeOf(error) }
    }
  },

  decrypt(encryptedData: string | EncryptResult, key: string, options?: AESOptions): DecryptResult {
    return ENCRYPTOR.decrypt(encryptedData, key, options)
  },

  encrypt128: (data: string, key: string, options?: Omit<AESOptions, 'keySize'>): EncryptResult =>
    aes.encrypt(data, key, { ...options, keySize: 128 }),
  encrypt192: (data: string, key: string, options?: Omit<AESOptions, 'keySize'>): EncryptResult =>
    aes.encrypt(data, key, { ...options, keySize: 192 }),
  encrypt256: (data: string, key: string, options?: Omit<AESOptions, 'keySize'>): EncryptResult =>
    aes.encrypt(data, key, { ...options, keySize: 256 }),
  decrypt128: (data: string | EncryptResult, key: string, options?: Omit<AESOptions, 'keySize'>): DecryptResult =>
    aes.decrypt(data, key, { ...options, keySize: 128 }),
  decrypt192: (data: string | EncryptResult, key: string, options?: Omit<AESOptions, 'keySize'>): DecryptResult =>
    aes.decrypt(data, key, { ...options, keySize: 192 }),
  decrypt256: (data: string | EncryptResult, key: string, options?: Omit<AESOptions, 'keySize'>): DecryptResult =>
    aes.decrypt(data, key, { ...options, keySize: 256 }),
} as const

const ENCRYPTOR = /* @__PURE__ */ new AESEncryptor()

/** Runs a decryption, and returns its result. If it throws, the result has the error. */
export function readResult(
  given: string | EncryptResult,
  options: AESOptions | undefined,
  decrypted: () => string,
): DecryptResult {
  const ofResult = typeof given === 'object' && given !== null ? given.mode : undefined
  const mode = ofResult || options?.mode || 'CBC'
  try {
    return { success: true, data: decrypted(), algorithm: 'AES', mode, authenticated: false }
  } catch (error) {
    const failed = { success: false, data: '', algorithm: 'AES', mode, authenticated: false }
    return { ...failed, error: messageOf(error), code: resultCodeOf(error) }
  }
}

function decryptText(given: string | EncryptResult, key: string, options: AESOptions): string {
  checkKey(key, unreadable)
  if (typeof given === 'string') {
    const { mode, keySize, iv } = checkedOptions(options, unreadable)
    if (iv === undefined) return decryptSalted(given, key)
    return decryptedBy(cipherOf(key, keySize, mode), mode, iv.bytes, given)
  }
  if (typeof given !== 'object' || given === null) throw unreadable('Nothing to decrypt', 'AES')
  const { mode, keySize, iv } = checkedOptions(options, unreadable, given)
  if (iv === undefined) throw unreadable('IV not found in encrypted data', 'AES', CryptoErrorCode.INVALID_IV)
  return decryptedBy(cipherOf(key, keySize, mode), mode, iv.bytes, given.data ?? '')
}

/** The options of an encryption, and a key that is not blank. */
export function checkedForEncryption(key: string, options: AESOptions): Checked {
  checkKey(key, refused)
  return checkedOptions(options, refused)
}

type Complaint = typeof refused

function checkKey(key: string, wrong: Complaint): void {
  if (stringOf(key, 'the key').trim() === '') throw wrong('Key cannot be empty', 'AES', CryptoErrorCode.INVALID_KEY)
}

/** The own properties of a result, or a ciphertext as `data`. Inherited properties do not count. */
export function ownParts(given: string | Partial<EncryptResult>): Partial<EncryptResult> {
  return Object.assign(Object.create(null), typeof given === 'string' ? { data: given } : given)
}

/**
 * The value in the result, or else the caller's value. If the two differ, it refuses: data must not override the caller's choice.
 */
export function agreed<T>(ofResult: unknown, told: T | undefined, otherwise: T, algorithm: string): T {
  if (!ofResult) return told === undefined ? otherwise : told
  if (told === undefined || told === ofResult) return ofResult as T
  throw unreadable(`the data say ${ofResult}, where ${told} is asked for`, algorithm)
}

/** Refuses options that have no effect, because a caller may rely on them. */
function checkedOptions(options: AESOptions, wrong: Complaint, given?: Partial<EncryptResult>): Checked {
  const told = options === NONE ? NONE : readOptions<AESOptions>(options, AES_OPTIONS)
  const { padding, salt, iterations } = told
  const mode = agreed(given?.mode, told.mode, 'CBC', 'AES')
  const keySize = agreed(given?.keySize, told.keySize, 256, 'AES')
  const iv = given?.iv || told.iv
  if (mode === 'GCM') {
    throw unsupported('GCM in this function', 'use webcrypto.gcm or encryptWithAuth, or seal of sealstone/aead')
  }
  if (!MODES.includes(mode)) {
    throw wrong(`Invalid mode. Must be one of: ${MODES.join(', ')}`, 'AES', CryptoErrorCode.INVALID_MODE)
  }
  if (keySize !== 128 && keySize !== 192 && keySize !== 256) {
    throw wrong('Invalid key size. Must be 128, 192, or 256', 'AES', CryptoErrorCode.KEY_SIZE_MISMATCH)
  }
  const start = iv === undefined || iv === '' ? undefined : { digits: iv, bytes: ivOf(stringOf(iv, 'iv'), wrong) }
  if (padding !== undefined && !/^pkcs7$/i.test(padding)) {
    throw unsupported(`padding: ${padding}`, 'this format always has Pkcs7')
  }
  if (salt !== undefined) throw unsupported('salt', 'this format has none; encryptWithAuth has a random one')
  if (iterations !== undefined && iterations !== ITERATIONS) {
    throw unsupported('iterations', `this format always has ${ITERATIONS}; deriveKey takes another number`)
  }
  return { mode: mode as BlockMode, keySize, iv: start }
}

function ivOf(digits: string, wrong: Complaint): Bytes {
  try {
    if (digits.length === 2 * BLOCK_LEN) return decode('hex', digits)
  } catch {
    // The same error as for a wrong length.
  }
  throw wrong(`Invalid IV length. Must be ${2 * BLOCK_LEN} characters (hex)`, 'AES', CryptoErrorCode.INVALID_IV)
}

/** Pads and encrypts a text to Base64. `iv` is hexadecimal digits. */
export function encryptBlocks(key: Bytes, mode: BlockMode, iv: string, text: string): string {
  return withCipher(key, mode, (cipher) => encryptedBy(cipher, mode, decode('hex', iv), text))
}

/** The text; one error covers a wrong key, padding and encoding. */
export function decryptBlocks(key: Bytes, mode: BlockMode, iv: string, data: string): string {
  return withCipher(key, mode, (cipher) => decryptedBy(cipher, mode, digitsOf(iv), data))
}

function encryptedBy(cipher: Cipher, mode: BlockMode, start: Bytes, text: string): string {
  if (mode === 'ECB') return cipher.encryptText(undefined, text)
  if (mode === 'CBC') return cipher.encryptText(start, text)
  const plaintext = padded(text, BLOCK_LEN)
  try {
    if (mode !== 'CTR' || !wraps(start, plaintext.length)) return cipher.encryptText(start, plaintext)
    const ciphertext = new Uint8Array(plaintext.length)
    inParts(mode, start, plaintext, (iv, from, to) =>
      cipher.encryptInto(iv, plaintext.subarray(from, to), ciphertext.subarray(from, to)),
    )
    return encode('base64', ciphertext)
  } finally {
    zero(plaintext)
  }
}

function decryptedBy(cipher: Cipher, mode: BlockMode, start: Bytes, data: string): string {
  try {
    if (mode === 'ECB') return cipher.decryptText(undefined, data)
    if (mode === 'CBC') return cipher.decryptText(start, data)
    const ciphertext = decode('base64', data)
    const plaintext = new Uint8Array(ciphertext.length)
    try {
      inParts(mode, start, ciphertext, (iv, from, to) =>
        cipher.decryptInto(iv, ciphertext.subarray(from, to), plaintext.subarray(from, to)),
      )
      const text = unpadded(plaintext, BLOCK_LEN)
      if (text !== undefined) return textOf(text)
      throw notAuthentic('AES')
    } finally {
      zero(plaintext)
    }
  } catch {
    throw notAuthentic('AES')
  }
}

/** The IV from its digits. Text that is no IV gives the same error as everything else that is wrong. */
function digitsOf(iv: string): Bytes {
  try {
    return decode('hex', iv)
  } catch {
    throw notAuthentic('AES')
  }
}

/** As {@link decryptBlocks} in CBC, for bytes that need not be text. */
export function decryptBytes(key: Bytes, iv: Bytes, ciphertext: Bytes): Bytes {
  try {
    return withCipher(key, 'CBC', (cipher) => cipher.decrypt(iv, ciphertext))
  } catch {
    throw notAuthentic('AES')
  }
}

/** Works with the cipher of a key, and then destroys it. */
export function withCipher<T>(key: Bytes, mode: BlockMode, work: (cipher: Cipher) => T): T {
  const bits = (8 * key.length) as AESKeySize
  const own = cipher(`aes-${bits}-${mode.toLowerCase() as Lowercase<BlockMode>}`, key)
  try {
    return work(own)
  } finally {
    own.destroy()
  }
}

/**
 * Processes a message in parts, between which the counter overflows. The original's counter is only the last 4 bytes and overflows to 0;
 * all other implementations carry into the bytes before them.
 */
function inParts(mode: BlockMode, iv: Bytes, data: Bytes, work: (iv: Bytes, from: number, to: number) => void): void {
  if (mode !== 'CTR' || !wraps(iv, data.length)) {
    work(iv, 0, data.length)
    return
  }
  inWraps(iv, 4, data.length, work)
}

/** Whether the original's counter overflows to 0 within `length` bytes. */
function wraps(iv: Bytes, length: number): boolean {
  const counter = new DataView(iv.buffer, iv.byteOffset).getUint32(BLOCK_LEN - 4)
  return length > (2 ** 32 - counter) * BLOCK_LEN
}

/** The parts of the data between which the counter, the last bytes of the IV, overflows to 0. */
export function inWraps(
  iv: Bytes,
  counterLen: number,
  length: number,
  work: (iv: Bytes, from: number, to: number) => void,
): void {
  const at = BLOCK_LEN - counterLen
  let blocks = 0n
  for (let i = at; i < BLOCK_LEN; i++) blocks = (blocks << 8n) | BigInt(iv[i] as number)
  const left = ((1n << BigInt(8 * counterLen)) - blocks) * BigInt(BLOCK_LEN)
  if (left >= BigInt(length)) {
    work(iv, 0, length)
    return
  }
  const first = Number(left)
  work(iv, 0, first)
  // No text is so long that the counter overflows twice.
  const again = new Uint8Array(iv)
  again.fill(0, at)
  work(again, first, length)
}

/** Decrypts the format of CryptoJS with a password: `Salted__`, a salt of 8 bytes and AES-256-CBC. */
function decryptSalted(data: string, password: string): string {
  return readSalted(data, password, [32, BLOCK_LEN], 'AES', (key, iv, ciphertext) => {
    const plaintext = decryptBytes(key, iv, ciphertext)
    try {
      return textOf(plaintext)
    } finally {
      zero(plaintext)
    }
  })
}

/** Opens the format of CryptoJS with a password; the caller gives the lengths of key and IV in bytes. */
export function readSalted(
  data: string,
  password: string,
  [keyLen, ivLen]: readonly [number, number],
  algorithm: string,
  open: (key: Bytes, iv: Bytes, ciphertext: Bytes) => string,
): string {
  if (!data.startsWith(SALTED)) {
    throw unreadable('IV not found: pass the result of encrypt, or its iv', algorithm, CryptoErrorCode.INVALID_IV)
  }
  try {
    const bytes = decode('base64', data)
    const secret = evp(password, bytes.subarray(8, 16), keyLen + ivLen)
    try {
      return open(secret.subarray(0, keyLen), secret.subarray(keyLen), bytes.subarray(16))
    } finally {
      zero(secret)
    }
  } catch {
    throw notAuthentic(algorithm)
  }
}

/** Base64 of `Salted__`, without the last four bits. */
const SALTED = 'U2FsdGVkX1'

/** EVP_BytesToKey of OpenSSL, with MD5 and one round. */
function evp(password: string, salt: Bytes, length: number): Bytes {
  const secret = utf8(password, 'the key')
  const out = new Uint8Array(Math.ceil(length / 16) * 16)
  for (let at = 0; at < out.length; at += 16) {
    const before = at === 0 ? NOTHING : out.subarray(at - 16, at)
    const input = new Uint8Array(before.length + secret.length + salt.length)
    input.set(before)
    input.set(secret, before.length)
    input.set(salt, before.length + secret.length)
    out.set(hash('md5', input), at)
    zero(input)
  }
  zero(secret)
  return out.subarray(0, length)
}

const NOTHING = /* @__PURE__ */ new Uint8Array(0)
