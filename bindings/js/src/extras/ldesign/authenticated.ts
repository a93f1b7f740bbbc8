// Encryption with a tag in the format of @ldesign/crypto: AES-CBC, and HMAC-SHA256 over the ciphertext. A random salt gives both keys.

import { decode, encode } from '../../api/encoding.js'
import { pbkdf2Sync } from '../../api/kdf.js'
import { mac } from '../../api/mac.js'
import { randomBytes } from '../../api/random.js'
import { type Bytes, utf8, zero } from '../../basics/bytes.js'
import { booleanOption, readOptions, stringOf } from '../../basics/option.js'
import { decryptBlocks, encryptBlocks } from './aes.js'
import {
  CryptoErrorCode,
  messageOf,
  notAuthentic,
  type ResultCode,
  refused,
  resultCodeOf,
  unreadable,
  unsupported,
} from './errors.js'
import type { AESKeySize, EncryptionAlgorithm } from './results.js'
import { ITERATIONS, isHexOf } from './secrets.js'

export interface AuthenticatedEncryptResult {
  success: boolean
  /** Base64. */
  ciphertext: string
  /** Hexadecimal digits of HMAC-SHA256. */
  authTag: string
  iv: string
  salt: string
  algorithm: string
  aad?: string | undefined
  error?: string | undefined
  code?: ResultCode | undefined
}

export interface AuthenticatedDecryptResult {
  success: boolean
  data: string
  /** Whether the tag is valid. */
  verified: boolean
  /** The same as `verified`. */
  authenticated: boolean
  error?: string | undefined
  code?: ResultCode | undefined
}

export interface AuthenticatedEncryptionOptions {
  /** Only `AES`. */
  algorithm?: EncryptionAlgorithm
  /** 256 by default. For decrypting, you need not give it. */
  keySize?: AESKeySize
  /** Authenticated, not encrypted, and stored in the result. If you give it to decrypt, data sealed with another `aad` are refused. */
  aad?: string
  /** `true` is refused, because it had no effect in the original: `webcrypto.gcm` has GCM. */
  useGCM?: boolean
}

/** Encrypts and authenticates. Each call derives a key from the key text with 100,000 rounds of PBKDF2, in some 30 milliseconds. */
export class AuthenticatedEncryption {
  /** Encrypts a text; an error is in the result. */
  encrypt(data: string, key: string, options?: AuthenticatedEncryptionOptions): AuthenticatedEncryptResult {
    try {
      const { keySize = 256, aad } = checked(key, options, refused)
      const text = stringOf(data, 'the data')
      const iv = encode('hex', randomBytes(16))
      const salt = encode('hex', randomBytes(SALT_LEN))
      return withSecret(key, salt, (secret) => {
        const [encryptionKey, tagKey] = keysOf(secret, keySize)
        const ciphertext = encryptBlocks(encryptionKey, 'CBC', iv, text)
        const authTag = withMac(tagKey, (mac) => mac.signText(ciphertext + iv + salt + (aad ?? '')))
        return { success: true, ciphertext, authTag, iv, salt, algorithm: 'AES', ...(aad === undefined ? {} : { aad }) }
      })
    } catch (error) {
      const algorithm = String(options?.algorithm ?? 'AES')
      const none = { success: false, ciphertext: '', authTag: '', iv: '', salt: '', algorithm }
      return { ...none, error: messageOf(error), code: resultCodeOf(error) }
    }
  }

  /** Decrypts a result of {@link encrypt}, or its JSON; an error is in the result. */
  decrypt(
    encryptedResult: AuthenticatedEncryptResult | string,
    key: string,
    options?: AuthenticatedEncryptionOptions,
  ): AuthenticatedDecryptResult {
    try {
      const { keySize, aad: asked } = checked(key, options, unreadable)
      const { ciphertext, authTag, iv, salt, aad = '' } = readResult(encryptedResult)
      // An `aad` that differs from the caller's is the same error as a wrong tag.
      if (asked !== undefined && asked !== aad) throw notAuthentic('AEAD')
      const data = withSecret(key, salt, (secret) => {
        const signed = ciphertext + iv + salt + aad
        // The tag shows which key size it was: the keys of all sizes are parts of one secret.
        const sizes: readonly AESKeySize[] = keySize === undefined ? [256, 192, 128] : [keySize]
        const right = sizes.find((size) => isRight(keysOf(secret, size)[1], signed, authTag))
        if (right === undefined) throw notAuthentic('AEAD')
        return decryptBlocks(keysOf(secret, right)[0], 'CBC', iv, ciphertext)
      })
      return { success: true, data, verified: true, authenticated: true }
    } catch (error) {
      const none = { success: false, data: '', verified: false, authenticated: false }
      return { ...none, error: messageOf(error), code: resultCodeOf(error) }
    }
  }

  serializeResult(result: AuthenticatedEncryptResult): string {
    return JSON.stringify(result)
  }

  deserializeResult(json: string): AuthenticatedEncryptResult {
    return JSON.parse(json)
  }
}

export const authenticatedEncryption = /* @__PURE__ */ new AuthenticatedEncryption()

/** As {@link AuthenticatedEncryption.encrypt}. */
export function encryptWithAuth(
  data: string,
  key: string,
  options?: AuthenticatedEncryptionOptions,
): AuthenticatedEncryptResult {
  return authenticatedEncryption.encrypt(data, key, options)
}

/** As {@link AuthenticatedEncryption.decrypt}. */
export function decryptWithAuth(
  encryptedData: AuthenticatedEncryptResult | string,
  key: string,
  options?: AuthenticatedEncryptionOptions,
): AuthenticatedDecryptResult {
  return authenticatedEncryption.decrypt(encryptedData, key, options)
}

/**
 * Encrypts a value of JSON, to text.
 *
 * @throws {@link EncryptionError}; a `TypeError` for a value that has no JSON.
 */
export function encryptJSONWithAuth<T>(value: T, key: string, options?: AuthenticatedEncryptionOptions): string {
  const result = authenticatedEncryption.encrypt(jsonOf(value), key, options)
  if (!result.success) throw refused(result.error ?? 'failed', 'AEAD')
  return authenticatedEncryption.serializeResult(result)
}

/** Decrypts a result of {@link encryptJSONWithAuth}; `data` is null if it is not authentic. */
export function decryptJSONWithAuth<T>(
  encryptedData: string,
  key: string,
  options?: AuthenticatedEncryptionOptions,
): { data: T | null; verified: boolean; error?: string | undefined } {
  const { data, verified, error } = authenticatedEncryption.decrypt(encryptedData, key, options)
  if (!verified) return { data: null, verified: false, error }
  try {
    return { data: JSON.parse(data), verified: true }
  } catch {
    return { data: null, verified: false, error: 'Failed to parse JSON data' }
  }
}

/** The JSON of a value. It refuses a value without JSON, such as a function. */
export function jsonOf(value: unknown): string {
  const json = JSON.stringify(value) as string | undefined
  if (json === undefined) throw new TypeError('the value has no JSON')
  return json
}

const SALT_LEN = 32
/** Bytes of both keys at 256 bits. Shorter keys use the beginning of the same secret. */
const SECRET_LEN = 64

function withSecret<T>(key: string, salt: string, work: (secret: Bytes) => T): T {
  const password = utf8(key, 'the key')
  const secret = pbkdf2Sync('sha256', password, decode('hex', salt), { iterations: ITERATIONS, length: SECRET_LEN })
  try {
    return work(secret)
  } finally {
    zero(secret)
    zero(password)
  }
}

function keysOf(secret: Bytes, keySize: AESKeySize): [encryption: Bytes, tag: Bytes] {
  const len = keySize / 8
  return [secret.subarray(0, len), secret.subarray(len, 2 * len)]
}

function withMac<T>(key: Bytes, work: (key: ReturnType<typeof mac>) => T): T {
  const own = mac('hmac-sha256', key)
  try {
    return work(own)
  } finally {
    own.destroy()
  }
}

function isRight(key: Bytes, signed: string, tag: string): boolean {
  return withMac(key, (mac) => {
    try {
      mac.verifyText(signed, tag)
      return true
    } catch {
      return false
    }
  })
}

type Complaint = typeof refused

/** Refuses unknown options: a misspelt name could be additional data that would then go unchecked. */
function checked(
  key: string,
  options: AuthenticatedEncryptionOptions | undefined,
  wrong: Complaint,
): AuthenticatedEncryptionOptions {
  const told = readOptions<AuthenticatedEncryptionOptions>(options, ['algorithm', 'keySize', 'aad', 'useGCM'])
  const { algorithm = 'AES', keySize, aad, useGCM } = told
  if (stringOf(algorithm, 'algorithm').toUpperCase() !== 'AES') {
    throw unsupported(`${algorithm} with a tag`, 'use AES')
  }
  if (booleanOption(useGCM, 'useGCM')) throw unsupported('useGCM', 'use webcrypto.gcm, or sealstone/aead')
  if (stringOf(key, 'the key').trim() === '') throw wrong('Key cannot be empty', 'AEAD', CryptoErrorCode.INVALID_KEY)
  if (keySize !== undefined && ![128, 192, 256].includes(keySize)) {
    throw wrong('Invalid key size. Must be 128, 192, or 256', 'AEAD', CryptoErrorCode.KEY_SIZE_MISMATCH)
  }
  if (aad !== undefined) stringOf(aad, 'aad')
  return told
}

/** The parts of a result, with their lengths checked: the tag covers all of them without separators. */
function readResult(given: AuthenticatedEncryptResult | string): AuthenticatedEncryptResult {
  const result = typeof given === 'string' ? parsed(given) : given
  const { ciphertext, authTag, iv, salt, aad } = result ?? {}
  const isWhole =
    [ciphertext, authTag, iv, salt, aad ?? ''].every((part) => typeof part === 'string') &&
    isHexOf(iv, 16) &&
    isHexOf(salt, SALT_LEN) &&
    isHexOf(authTag, 32)
  if (!isWhole) throw unreadable('Invalid encrypted data format', 'AEAD', CryptoErrorCode.INVALID_CIPHERTEXT)
  return result
}

function parsed(json: string): AuthenticatedEncryptResult {
  try {
    return JSON.parse(json)
  } catch {
    throw unreadable('Invalid encrypted data format', 'AEAD', CryptoErrorCode.INVALID_CIPHERTEXT)
  }
}
