// The options and results of @ldesign/crypto.

import type { ResultCode } from './errors.js'

export type EncryptionAlgorithm = 'AES' | 'RSA' | 'DES' | '3DES' | 'Blowfish'
/** Only `webcrypto` has `GCM`. */
export type AESMode = 'CBC' | 'ECB' | 'CFB' | 'OFB' | 'CTR' | 'GCM'
/** Bits of a key. */
export type AESKeySize = 128 | 192 | 256
export type HashAlgorithm = 'MD5' | 'SHA1' | 'SHA224' | 'SHA256' | 'SHA384' | 'SHA512' | 'BLAKE2B'
export type HMACAlgorithm = 'HMAC-MD5' | 'HMAC-SHA1' | 'HMAC-SHA256' | 'HMAC-SHA384' | 'HMAC-SHA512'
export type EncodingType = 'base64' | 'hex' | 'utf8'
export type RSAKeyFormat = 'pkcs1' | 'pkcs8' | 'spki'

/** A pair of keys, as PEM. */
export interface RSAKeyPair {
  publicKey: string
  privateKey: string
}

export interface AESOptions {
  /** CBC by default. */
  mode?: AESMode
  /** 256 by default. */
  keySize?: AESKeySize
  /** 32 hexadecimal digits; random by default. Never use one twice with the same key. */
  iv?: string
  /** `Pkcs7`; any other is refused. */
  padding?: string
  /** Refused, because it had no effect in the original: `encryptWithAuth` has a random salt. */
  salt?: string
  /** Refused unless 100,000, for the same reason. */
  iterations?: number
}

export interface RSAOptions {
  /** No effect: the text of the key shows its format. */
  keyFormat?: RSAKeyFormat
  /** No effect: the key has its size. */
  keySize?: number
  /** `OAEP` by default, over SHA-1; or `PKCS1`. */
  padding?: string
  /** For `decrypt`: the encoding of the plaintext. By default UTF-8, or Latin-1 if a plaintext of OAEP is not UTF-8. */
  encoding?: 'utf8' | 'latin1'
}

export interface DESOptions {
  /** CBC by default. */
  mode?: 'CBC' | 'ECB' | 'CFB' | 'OFB'
  /** 16 hexadecimal digits; random by default. */
  iv?: string
  /** `Pkcs7`; any other is refused. */
  padding?: string
}

export interface TripleDESOptions extends DESOptions {}

export interface BlowfishOptions {
  mode?: 'CBC' | 'ECB'
  iv?: string
  padding?: boolean
}

export type EncryptionOptions = AESOptions | RSAOptions | DESOptions | TripleDESOptions | BlowfishOptions

export interface HashOptions {
  encoding?: EncodingType
}

export interface HMACOptions {
  encoding?: EncodingType
}

/** The result of an encryption. */
export interface EncryptResult {
  success: boolean
  /** Base64 of the ciphertext. */
  data?: string | undefined
  algorithm: string
  mode?: string | undefined
  /** Hexadecimal digits. You need the IV to decrypt: keep it with the data. */
  iv?: string | undefined
  salt?: string | undefined
  /** Bits of the key. */
  keySize?: number | undefined
  nonce?: string | undefined
  aad?: string | undefined
  error?: string | undefined
  /** The code of the error, such as `invalid_argument`. */
  code?: ResultCode | undefined
}

/** The result of a decryption. */
export interface DecryptResult {
  success: boolean
  data?: string | undefined
  algorithm: string
  mode?: string | undefined
  /** Whether a tag over all of the data was verified. If not, anyone may have changed the data. */
  authenticated?: boolean | undefined
  /** For `salvage`: the bytes at the start of the plaintext that are lost. */
  missing?: number | undefined
  error?: string | undefined
  /** The code of the error. A wrong key, padding, tag and encoding all give `not_authentic`. */
  code?: ResultCode | undefined
}

export interface HashResult {
  success: boolean
  hash: string
  algorithm: string
  encoding: EncodingType
  error?: string | undefined
}

export interface KeyGenerationOptions {
  algorithm: EncryptionAlgorithm
  keySize?: number
  format?: string
}

export interface IEncryptor<Options = EncryptionOptions> {
  encrypt(data: string, key: string, options?: Options): EncryptResult | Promise<EncryptResult>
  decrypt(encryptedData: string | EncryptResult, key: string, options?: Options): DecryptResult | Promise<DecryptResult>
}

export interface IHasher {
  hash(data: string, algorithm?: HashAlgorithm, options?: HashOptions): HashResult
  verify(data: string, expectedHash: string, algorithm?: HashAlgorithm, options?: HashOptions): boolean
}

export interface IHMACer {
  hmac(data: string, key: string, algorithm: HMACAlgorithm, options?: HMACOptions): HashResult
  verify(data: string, key: string, hmac: string, algorithm: HMACAlgorithm, options?: HMACOptions): boolean
}

export interface IEncoder {
  encode(data: string, encoding: EncodingType): string
  decode(encodedData: string, encoding: EncodingType): string
}

export interface IKeyGenerator {
  generateKey(options: KeyGenerationOptions): string | RSAKeyPair
  generateRandomBytes(length: number): string
  generateSalt(length?: number): string
  generateIV(length?: number): string
}

/** The possible values of options. */
export const CONSTANTS = {
  AES: {
    KEY_SIZES: [128, 192, 256],
    MODES: ['CBC', 'ECB', 'CFB', 'OFB', 'CTR', 'GCM'],
    DEFAULT_MODE: 'CBC',
    DEFAULT_KEY_SIZE: 256,
    /** Bytes. */
    IV_LENGTH: 16,
  },
  RSA: {
    /** No function makes keys of 1,024 bits; `legacy.rsa` reads them. */
    KEY_SIZES: [1024, 2048, 3072, 4096],
    DEFAULT_KEY_SIZE: 2048,
  },
  HASH: { ALGORITHMS: ['MD5', 'SHA1', 'SHA224', 'SHA256', 'SHA384', 'SHA512', 'BLAKE2B'] },
  HMAC: { ALGORITHMS: ['HMAC-MD5', 'HMAC-SHA1', 'HMAC-SHA256', 'HMAC-SHA384', 'HMAC-SHA512'] },
  ENCODING: { TYPES: ['base64', 'hex', 'utf8'], DEFAULT: 'hex' },
} as const
