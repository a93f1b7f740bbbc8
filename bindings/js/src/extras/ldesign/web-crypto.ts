// AES with the host's WebCrypto, as in @ldesign/crypto. All functions return promises. Browsers have WebCrypto only in secure contexts.

import { decode, encode } from '../../api/encoding.js'
import { randomBytes } from '../../api/random.js'
import { type Bytes, utf8, zero } from '../../basics/bytes.js'
import { SealstoneError } from '../../basics/error.js'
import { readOptions, stringOf, stringOption } from '../../basics/option.js'
import { webCrypto } from '../../work/key-like.js'
import { AES_OPTIONS, aes, agreed, ownParts } from './aes.js'
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
import { textOf } from './padding.js'
import type { AESKeySize, AESMode, AESOptions, DecryptResult, EncryptResult } from './results.js'
import { isHexOf, withKeyLater } from './secrets.js'

export interface WebCryptoEncryptResult extends EncryptResult {
  usingWebCrypto: boolean
}

export interface WebCryptoDecryptResult extends DecryptResult {
  usingWebCrypto: boolean
  /** Whether the tag of GCM was verified: the same as `authenticated`. */
  authVerified?: boolean | undefined
}

export interface AESGCMOptions {
  /** 256 by default. */
  keySize?: AESKeySize
  /** Hexadecimal digits of 12 bytes. Random by default. Never use one twice with the same key. */
  iv?: string
  /** Authenticated, not encrypted, and not stored in the result. */
  additionalData?: string
  /** Bits: 128 by default. */
  tagLength?: 96 | 104 | 112 | 120 | 128
}

export interface AESGCMEncryptResult {
  success: boolean
  /** Base64 of the ciphertext and its tag. */
  data?: string | undefined
  algorithm: 'AES-GCM'
  keySize: number
  iv: string
  error?: string | undefined
  code?: ResultCode | undefined
  usingWebCrypto: boolean
}

/** Whether there is a WebCrypto. */
export function isWebCryptoSupported(): boolean {
  return subtleOf() !== undefined
}

/** The modes of WebCrypto; `aes` has the others. */
const MODES: readonly string[] = ['CBC', 'CTR', 'GCM'] satisfies AESMode[]

/**
 * AES in CBC, CTR and GCM. Only GCM is authenticated. If GCM refuses data, no other mode is tried. To accept only GCM, give `mode` when
 * you decrypt: an attacker can change the mode in the result.
 */
export class WebCryptoAES {
  async encrypt(data: string, key: string, options?: AESOptions): Promise<WebCryptoEncryptResult> {
    const { mode = 'CBC', keySize = 256 } = options ?? {}
    try {
      const told = readOptions<AESOptions>(options, AES_OPTIONS)
      const { keySize = 256 } = told
      const mode = upper(told.mode) ?? 'CBC'
      if (!MODES.includes(mode)) return { ...aes.encrypt(data, key, options), usingWebCrypto: false }
      const iv = checked(key, told, told.iv, keySize, mode, refused)
      const start = iv === undefined ? randomBytes(16) : decode('hex', iv)
      const by = { algorithm: parametersOf(mode, start), keySize, key }
      const ciphertext = await computed('encrypt', by, utf8(stringOf(data, 'the data'), 'the data'))
      return {
        success: true,
        data: encode('base64', ciphertext),
        algorithm: 'AES',
        mode,
        keySize,
        iv: encode('hex', start),
        usingWebCrypto: true,
      }
    } catch (error) {
      const failed = { success: false, data: '', algorithm: 'AES', mode, keySize, iv: '', usingWebCrypto: true }
      return { ...failed, error: messageOf(error), code: resultCodeOf(error) }
    }
  }

  async decrypt(
    encryptedData: string | EncryptResult,
    key: string,
    options?: AESOptions,
  ): Promise<WebCryptoDecryptResult> {
    const result = ownParts(encryptedData)
    let mode = (result.mode || 'CBC') as AESMode
    const algorithm = 'AES'
    try {
      const told = readOptions<AESOptions>(options, AES_OPTIONS)
      mode = agreed(upper(result.mode), upper(told.mode), 'CBC', algorithm)
      if (!MODES.includes(mode)) return { ...aes.decrypt(encryptedData, key, options), usingWebCrypto: false }
      const keySize = agreed(result.keySize, told.keySize, 256, algorithm)
      const iv = checked(key, told, result.iv || told.iv, keySize, mode, unreadable)
      if (iv === undefined) throw unreadable('IV required for decryption', 'AES', CryptoErrorCode.INVALID_IV)
      const by = { algorithm: parametersOf(mode, decode('hex', iv)), keySize, key }
      const text = await opened('AES', by, result.data ?? '')
      const isAuthentic = mode === 'GCM'
      const verified = { authenticated: isAuthentic, ...(isAuthentic ? { authVerified: true } : {}) }
      return { success: true, data: text, algorithm, mode, usingWebCrypto: true, ...verified }
    } catch (error) {
      const failed = { success: false, data: '', algorithm, mode, usingWebCrypto: true, authenticated: false }
      return { ...failed, error: messageOf(error), code: resultCodeOf(error) }
    }
  }
}

/** The name of a mode, in either case, as in the original. */
function upper(mode: string | undefined): AESMode | undefined {
  return stringOption(mode, 'mode')?.toUpperCase() as AESMode | undefined
}

const GCM_OPTIONS = ['keySize', 'iv', 'additionalData', 'tagLength'] as const

/** AES-GCM with IVs of 12 bytes, and with additional data. */
export class AESGCMEncryptor {
  isAvailable(): boolean {
    return isWebCryptoSupported()
  }

  async encrypt(data: string, key: string, options?: AESGCMOptions): Promise<AESGCMEncryptResult> {
    let keySize: AESKeySize = 256
    const usingWebCrypto = isWebCryptoSupported()
    try {
      const told = readOptions<AESGCMOptions>(options, GCM_OPTIONS)
      const { iv: given } = told
      if (told.keySize !== undefined) keySize = told.keySize
      checkKey(key, keySize, refused)
      if (given !== undefined && !isHexOf(stringOf(given, 'iv'), 12)) {
        throw refused('Invalid IV length. Must be 24 characters (hex)', 'AES-GCM', CryptoErrorCode.INVALID_IV)
      }
      const iv = given === undefined ? randomBytes(12) : decode('hex', given)
      const by = { algorithm: gcmOf(iv, told), keySize, key }
      const sealed = await computed('encrypt', by, utf8(stringOf(data, 'the data'), 'the data'))
      const own = { data: encode('base64', sealed), keySize, iv: encode('hex', iv) }
      return { success: true, algorithm: 'AES-GCM', ...own, usingWebCrypto }
    } catch (error) {
      const why = { error: messageOf(error), code: resultCodeOf(error) }
      return { success: false, algorithm: 'AES-GCM', keySize, iv: '', ...why, usingWebCrypto }
    }
  }

  async decrypt(
    encryptedData: string | AESGCMEncryptResult,
    key: string,
    options?: AESGCMOptions,
  ): Promise<WebCryptoDecryptResult> {
    const usingWebCrypto = isWebCryptoSupported()
    try {
      const told = readOptions<AESGCMOptions>(options, GCM_OPTIONS)
      const result = ownParts(encryptedData)
      const keySize = agreed(result.keySize, told.keySize, 256, 'AES-GCM')
      const iv = stringOf(result.iv || told.iv || '', 'iv')
      checkKey(key, keySize, unreadable)
      if (iv === '') throw unreadable('IV is required for decryption', 'AES-GCM', CryptoErrorCode.INVALID_IV)
      const by = { algorithm: gcmOf(decode('hex', iv), told), keySize, key }
      const data = await opened('AES-GCM', by, result.data ?? '')
      const verified = { authenticated: true, authVerified: true }
      return { success: true, data, algorithm: 'AES-GCM', usingWebCrypto, ...verified }
    } catch (error) {
      const why = { error: messageOf(error), code: resultCodeOf(error) }
      const failed = { success: false, algorithm: 'AES-GCM', authenticated: false, authVerified: false }
      return { ...failed, ...why, usingWebCrypto }
    }
  }
}

const [AES, GCM] = [/* @__PURE__ */ new WebCryptoAES(), /* @__PURE__ */ new AESGCMEncryptor()]

/** AES of WebCrypto as functions that throw nothing: an error is in the result. */
export const webcrypto = {
  isSupported: isWebCryptoSupported,
  aes: {
    encrypt: (data: string, key: string, options?: AESOptions): Promise<WebCryptoEncryptResult> =>
      AES.encrypt(data, key, options),
    decrypt: (data: string | EncryptResult, key: string, options?: AESOptions): Promise<WebCryptoDecryptResult> =>
      AES.decrypt(data, key, options),
  },
  gcm: {
    isAvailable: isWebCryptoSupported,
    encrypt: (data: string, key: string, options?: AESGCMOptions): Promise<AESGCMEncryptResult> =>
      GCM.encrypt(data, key, options),
    decrypt: (
      data: string | AESGCMEncryptResult,
      key: string,
      options?: AESGCMOptions,
    ): Promise<WebCryptoDecryptResult> => GCM.decrypt(data, key, options),
  },
} as const

interface By {
  readonly algorithm: AesCbcParams | AesCtrParams | AesGcmParams
  readonly keySize: AESKeySize
  readonly key: string
}

type Subtle = Pick<SubtleCrypto, 'importKey' | 'encrypt' | 'decrypt' | 'verify'>

function subtleOf(): Subtle | undefined {
  try {
    return webCrypto().subtle as Subtle | undefined
  } catch {
    return undefined
  }
}

/** WebCrypto. */
export function subtleCrypto(): Subtle {
  const subtle = subtleOf()
  if (subtle !== undefined) return subtle
  throw new SealstoneError('unavailable_backend', 'there is no WebCrypto, as in pages that are no secure context')
}

/** Encrypts or decrypts with WebCrypto. It zeroes the input if that is a plaintext. */
async function computed(what: 'encrypt' | 'decrypt', { algorithm, keySize, key }: By, data: Bytes): Promise<Bytes> {
  const subtle = subtleCrypto()
  try {
    return await withKeyLater(key, keySize, async (bytes) => {
      const own = await imported(subtle, bytes, algorithm.name, what)
      return new Uint8Array(await subtle[what](algorithm, own, data))
    })
  } finally {
    if (what === 'encrypt') zero(data)
  }
}

/** Imports a key into WebCrypto. Chromium refuses keys of 192 bits, which says nothing about the data. */
async function imported(subtle: Subtle, key: Bytes, name: string, use: 'encrypt' | 'decrypt'): Promise<CryptoKey> {
  try {
    return await subtle.importKey('raw', key, { name }, false, [use])
  } catch (cause) {
    const message = `this WebCrypto has no ${name} with keys of ${8 * key.length} bits`
    throw new SealstoneError('unavailable_backend', message, { cause })
  }
}

/** The decrypted text. A wrong key, tag, padding and encoding give the same error. */
async function opened(algorithm: string, by: By, data: string): Promise<string> {
  const ciphertext = decode('base64', stringOf(data, 'the data'))
  try {
    const plaintext = await computed('decrypt', by, ciphertext)
    try {
      return textOf(plaintext)
    } finally {
      zero(plaintext)
    }
  } catch (error) {
    throw error instanceof SealstoneError && error.code === 'unavailable_backend' ? error : notAuthentic(algorithm)
  }
}

type Complaint = typeof refused

function checkKey(key: string, keySize: number, wrong: Complaint): void {
  if (stringOf(key, 'the key').trim() === '') throw wrong('Key cannot be empty', 'AES', CryptoErrorCode.INVALID_KEY)
  if (![128, 192, 256].includes(keySize)) {
    throw wrong('Invalid key size. Must be 128, 192, or 256', 'AES', CryptoErrorCode.KEY_SIZE_MISMATCH)
  }
}

/** Refuses options that have no effect, because a caller may rely on them. */
function checked(
  key: string,
  { padding, salt, iterations }: AESOptions,
  iv: string | undefined,
  keySize: number,
  mode: AESMode,
  wrong: Complaint,
): string | undefined {
  checkKey(key, keySize, wrong)
  if (iv !== undefined && iv !== '' && !isHexOf(stringOf(iv, 'iv'), 16) && !(mode === 'GCM' && isHexOf(iv, 12))) {
    throw wrong('Invalid IV length. Must be 32 characters (hex)', 'AES', CryptoErrorCode.INVALID_IV)
  }
  if (padding !== undefined || salt !== undefined || iterations !== undefined) {
    throw unsupported('padding, salt or iterations', 'this format has its own; encryptWithAuth has a random salt')
  }
  return iv === '' ? undefined : iv
}

function parametersOf(mode: AESMode, iv: Bytes): By['algorithm'] {
  if (mode === 'CBC') return { name: 'AES-CBC', iv }
  if (mode === 'CTR') return { name: 'AES-CTR', counter: iv, length: 64 }
  return { name: 'AES-GCM', iv }
}

function gcmOf(iv: Bytes, { additionalData, tagLength = 128 }: AESGCMOptions): AesGcmParams {
  if (![96, 104, 112, 120, 128].includes(tagLength)) {
    throw refused('Invalid tag length. Must be 96, 104, 112, 120 or 128', 'AES-GCM', CryptoErrorCode.INVALID_PARAMETER)
  }
  const base = { name: 'AES-GCM', iv, tagLength }
  const text = stringOption(additionalData, 'additionalData')
  return text ? { ...base, additionalData: utf8(text, 'additionalData') } : base
}
