// Results as texts, in the formats of @ldesign/crypto.

import { decode, encode } from '../../api/encoding.js'
import { stringOf } from '../../basics/option.js'
import { CryptoErrorCode, EncodingError, messageOf } from './errors.js'
import { textOf } from './padding.js'
import type { EncryptResult } from './results.js'

export type SerializationFormat = 'json' | 'compact' | 'base64'

export interface SerializationOptions {
  /** `json` by default. The reader detects the format. */
  format?: SerializationFormat
  /** Whether JSON has a version and a time; true by default. */
  includeMetadata?: boolean
  /** For `compact`: a dot by default. */
  separator?: string
}

const [VERSION, SEPARATOR] = [1, '.']

/** Turns results into texts and back. A text is not authenticated: anybody may have written it. */
export class EncryptResultSerializer {
  /** @throws {@link EncodingError} for an unknown format, and for a `compact` text whose parts contain the separator. */
  static serialize(result: EncryptResult, options: SerializationOptions = {}): string {
    const { format = 'json', includeMetadata = true, separator = SEPARATOR } = options
    if (format === 'json') return jsonOf(result, includeMetadata)
    if (format === 'base64') return encode('base64', jsonOf(result, false))
    if (format !== 'compact') throw unknown(format)
    const { algorithm, data, iv, mode, keySize } = result
    const parts = [algorithm, data, iv, mode, keySize].map((part) => String(part || ''))
    if (parts.some((part) => part.includes(separator))) {
      throw new EncodingError('a part of the result has the separator in it', CryptoErrorCode.INVALID_PARAMETER)
    }
    return parts.join(separator)
  }

  /** @throws {@link EncodingError}. */
  static deserialize(data: string, options: SerializationOptions = {}): EncryptResult {
    const text = stringOf(data, 'the text')
    const { format = formatOf(text), separator = SEPARATOR } = options
    if (format === 'json') return readJson(text)
    if (format === 'base64') return readBase64(text)
    if (format !== 'compact') throw unknown(format)
    const [algorithm, ciphertext, iv, mode, keySize] = text.split(separator)
    if (ciphertext === undefined) throw invalid('Invalid compact format: not enough parts')
    return {
      success: true,
      algorithm: algorithm || 'AES',
      data: ciphertext,
      iv: iv || undefined,
      mode: mode || undefined,
      keySize: keySize ? Number.parseInt(keySize, 10) : undefined,
    }
  }

  /** Whether a text is a serialized result. */
  static validate(data: string, options: SerializationOptions = {}): boolean {
    try {
      EncryptResultSerializer.deserialize(data, options)
      return true
    } catch {
      return false
    }
  }

  /** The properties of a serialized result. */
  static getInfo(data: string): {
    algorithm?: string | undefined
    mode?: string | undefined
    keySize?: number | undefined
    hasIV: boolean
    format: SerializationFormat
  } {
    const format = formatOf(data)
    try {
      const { algorithm, mode, keySize, iv } = EncryptResultSerializer.deserialize(data, { format })
      return { algorithm, mode, keySize, hasIV: !!iv, format }
    } catch {
      return { hasIV: false, format }
    }
  }
}

/** As {@link EncryptResultSerializer.serialize}. */
export function serializeEncryptResult(result: EncryptResult, format: SerializationFormat = 'json'): string {
  return EncryptResultSerializer.serialize(result, { format })
}

/** As {@link EncryptResultSerializer.deserialize}. */
export function deserializeEncryptResult(data: string, format?: SerializationFormat): EncryptResult {
  return EncryptResultSerializer.deserialize(data, format === undefined ? {} : { format })
}

/** A result in the format `base64`. */
export function encryptResultToString(result: EncryptResult): string {
  return EncryptResultSerializer.serialize(result, { format: 'base64' })
}

/** The result of a text in any of the formats. */
export function stringToEncryptResult(text: string): EncryptResult {
  return EncryptResultSerializer.deserialize(text)
}

function jsonOf(result: EncryptResult, hasMetadata: boolean): string {
  const { success, data, algorithm, iv, mode, keySize, salt, error } = result
  const there = Object.entries({ iv, mode, keySize, salt, error }).filter(([, value]) => value)
  const metadata = hasMetadata ? { _v: VERSION, _t: Date.now() } : {}
  return JSON.stringify({ success, data, algorithm, ...Object.fromEntries(there), ...metadata })
}

function formatOf(text: string): SerializationFormat {
  if (text.startsWith('{')) return 'json'
  // Base64 of JSON begins like this.
  return /^e[w-z0-9+/][A-Za-z0-9+/]{2}/.test(text) && readableBase64(text) ? 'base64' : 'compact'
}

function readableBase64(text: string): boolean {
  try {
    return textOf(decode('base64', text)).startsWith('{')
  } catch {
    return false
  }
}

function readBase64(text: string): EncryptResult {
  let json: string
  try {
    json = textOf(decode('base64', text))
  } catch (error) {
    throw invalid(`Failed to decode Base64: ${messageOf(error)}`)
  }
  return readJson(json)
}

function readJson(json: string): EncryptResult {
  let read: Partial<EncryptResult>
  try {
    read = JSON.parse(json)
  } catch (error) {
    throw invalid(`Failed to parse JSON: ${messageOf(error)}`)
  }
  if (typeof read !== 'object' || read === null) throw invalid('Failed to parse JSON: it is no object')
  const { success = true, data, algorithm, iv, mode, keySize, salt, error } = read
  return { success, data, algorithm: algorithm || 'AES', iv, mode, keySize, salt, error }
}

function invalid(message: string): EncodingError {
  return new EncodingError(message, CryptoErrorCode.DECODING_FAILED)
}

function unknown(format: string): EncodingError {
  return new EncodingError(`Unsupported serialization format: ${format}`, CryptoErrorCode.INVALID_PARAMETER)
}
