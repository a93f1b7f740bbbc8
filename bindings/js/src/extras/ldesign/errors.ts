// The errors of @ldesign/crypto under its names and numbers, and the results made from them.

import { ArgumentError, failureOf, SealstoneError, type SealstoneErrorCode } from '../../basics/error.js'

/** The numbers of errors, which never change. */
export const CryptoErrorCode = {
  UNKNOWN_ERROR: 1000,
  INVALID_INPUT: 1001,
  INVALID_PARAMETER: 1002,
  NOT_SUPPORTED: 1003,

  ENCRYPTION_FAILED: 2000,
  INVALID_KEY: 2001,
  INVALID_IV: 2002,
  INVALID_MODE: 2003,
  INVALID_PADDING: 2004,
  KEY_SIZE_MISMATCH: 2005,

  DECRYPTION_FAILED: 3000,
  CORRUPTED_DATA: 3001,
  WRONG_KEY: 3002,
  WRONG_IV: 3003,
  INVALID_CIPHERTEXT: 3004,

  HASH_FAILED: 4000,
  INVALID_ALGORITHM: 4001,
  INVALID_HASH: 4002,

  KEY_GENERATION_FAILED: 5000,
  KEY_NOT_FOUND: 5001,
  KEY_EXPIRED: 5002,
  KEY_DERIVATION_FAILED: 5003,

  ENCODING_FAILED: 6000,
  DECODING_FAILED: 6001,
  INVALID_ENCODING: 6002,

  RATE_LIMIT_EXCEEDED: 7000,

  STORAGE_FAILED: 8000,
  STORAGE_NOT_AVAILABLE: 8001,
} as const
export type CryptoErrorCode = (typeof CryptoErrorCode)[keyof typeof CryptoErrorCode]

/** Details of an error beside its message; never a secret. */
export type ErrorDetails = Record<string, unknown> | undefined

/** The codes in results: those of {@link SealstoneError}, and `unsupported` for functions that this entry refuses. */
export type ResultCode = SealstoneErrorCode | 'invalid_argument' | 'unsupported'

/** The class of all errors of this entry. `cause` is the `SealstoneError`, if there was one. */
export class CryptoError extends Error {
  readonly code: CryptoErrorCode
  readonly algorithm: string | undefined
  readonly details: ErrorDetails
  /** Milliseconds since 1970. */
  readonly timestamp: number

  constructor(
    message: string,
    code: CryptoErrorCode = CryptoErrorCode.UNKNOWN_ERROR,
    algorithm?: string,
    details?: ErrorDetails,
    options?: ErrorOptions,
  ) {
    super(message, options)
    this.name = 'CryptoError'
    this.code = code
    this.algorithm = algorithm
    this.details = details
    this.timestamp = Date.now()
  }

  /** The message with the error's name and number. */
  getFormattedMessage(): string {
    const of = this.algorithm === undefined || this.algorithm === '' ? '' : ` (Algorithm: ${this.algorithm})`
    return `[${this.name}:${this.code}] ${this.message}${of}`
  }

  toJSON(): object {
    const { name, code, message, algorithm, details, timestamp, stack } = this
    return { name, code, message, algorithm, details, timestamp, stack }
  }
}

/** Encryption failed. */
export class EncryptionError extends CryptoError {
  constructor(
    message: string,
    code: CryptoErrorCode = CryptoErrorCode.ENCRYPTION_FAILED,
    algorithm?: string,
    details?: ErrorDetails,
    options?: ErrorOptions,
  ) {
    super(message, code, algorithm, details, options)
    this.name = 'EncryptionError'
  }
}

/** Decryption failed. */
export class DecryptionError extends CryptoError {
  constructor(
    message: string,
    code: CryptoErrorCode = CryptoErrorCode.DECRYPTION_FAILED,
    algorithm?: string,
    details?: ErrorDetails,
    options?: ErrorOptions,
  ) {
    super(message, code, algorithm, details, options)
    this.name = 'DecryptionError'
  }
}

/** A digest or a tag failed. */
export class HashError extends CryptoError {
  constructor(
    message: string,
    code: CryptoErrorCode = CryptoErrorCode.HASH_FAILED,
    algorithm?: string,
    details?: ErrorDetails,
    options?: ErrorOptions,
  ) {
    super(message, code, algorithm, details, options)
    this.name = 'HashError'
  }
}

/** A key is missing, too old, or could not be made. */
export class KeyManagementError extends CryptoError {
  constructor(
    message: string,
    code: CryptoErrorCode = CryptoErrorCode.KEY_GENERATION_FAILED,
    algorithm?: string,
    details?: ErrorDetails,
    options?: ErrorOptions,
  ) {
    super(message, code, algorithm, details, options)
    this.name = 'KeyManagementError'
  }
}

/** Text is not encoded as it should be. */
export class EncodingError extends CryptoError {
  constructor(
    message: string,
    code: CryptoErrorCode = CryptoErrorCode.ENCODING_FAILED,
    algorithm?: string,
    details?: ErrorDetails,
    options?: ErrorOptions,
  ) {
    super(message, code, algorithm, details, options)
    this.name = 'EncodingError'
  }
}

/** Too many calls. */
export class RateLimitError extends CryptoError {
  /** Milliseconds to wait. */
  readonly retryAfter: number | undefined

  constructor(message: string, retryAfter?: number, details?: ErrorDetails) {
    super(message, CryptoErrorCode.RATE_LIMIT_EXCEEDED, undefined, details)
    this.name = 'RateLimitError'
    this.retryAfter = retryAfter
  }

  override getFormattedMessage(): string {
    return super.getFormattedMessage() + (this.retryAfter ? ` (Retry after ${this.retryAfter}ms)` : '')
  }
}

/** An argument is not what it should be. */
export class ValidationError extends CryptoError {
  readonly field: string | undefined

  constructor(message: string, field?: string, details?: ErrorDetails) {
    super(message, CryptoErrorCode.INVALID_INPUT, undefined, details)
    this.name = 'ValidationError'
    this.field = field
  }

  override getFormattedMessage(): string {
    return super.getFormattedMessage() + (this.field ? ` (Field: ${this.field})` : '')
  }
}

/** Storage failed. */
export class StorageError extends CryptoError {
  constructor(
    message: string,
    code: CryptoErrorCode = CryptoErrorCode.STORAGE_FAILED,
    details?: ErrorDetails,
    options?: ErrorOptions,
  ) {
    super(message, code, undefined, details, options)
    this.name = 'StorageError'
  }
}

interface Made {
  code?: CryptoErrorCode
  algorithm?: string
  details?: ErrorDetails
}

/** Makes errors. */
export class CryptoErrorFactory {
  static createEncryptionError(message: string, options: Made = {}): EncryptionError {
    return new EncryptionError(message, options.code, options.algorithm, options.details)
  }

  static createDecryptionError(message: string, options: Made = {}): DecryptionError {
    return new DecryptionError(message, options.code, options.algorithm, options.details)
  }

  static createHashError(message: string, options: Made = {}): HashError {
    return new HashError(message, options.code, options.algorithm, options.details)
  }

  static createKeyManagementError(message: string, options: Made = {}): KeyManagementError {
    return new KeyManagementError(message, options.code, options.algorithm, options.details)
  }

  static createEncodingError(message: string, options: Made = {}): EncodingError {
    return new EncodingError(message, options.code, options.algorithm, options.details)
  }

  static createRateLimitError(message: string, retryAfter?: number, details?: ErrorDetails): RateLimitError {
    return new RateLimitError(message, retryAfter, details)
  }

  static createValidationError(message: string, field?: string, details?: ErrorDetails): ValidationError {
    return new ValidationError(message, field, details)
  }

  static createStorageError(message: string, code?: CryptoErrorCode, details?: ErrorDetails): StorageError {
    return new StorageError(message, code, details)
  }

  static fromNativeError(error: Error, defaultMessage = 'Unknown error'): CryptoError {
    const message = error.message || defaultMessage
    return new CryptoError(
      message,
      CryptoErrorCode.UNKNOWN_ERROR,
      undefined,
      { originalError: error },
      { cause: error },
    )
  }
}

/** Tells what kind an error is, and its message. */
export class ErrorHandler {
  static isCryptoError(error: unknown): error is CryptoError {
    return error instanceof CryptoError
  }

  static isEncryptionError(error: unknown): error is EncryptionError {
    return error instanceof EncryptionError
  }

  static isDecryptionError(error: unknown): error is DecryptionError {
    return error instanceof DecryptionError
  }

  static isRateLimitError(error: unknown): error is RateLimitError {
    return error instanceof RateLimitError
  }

  /** The message of any thrown value. */
  static handle(error: unknown, fallbackMessage = 'An error occurred'): string {
    if (error instanceof CryptoError) return error.getFormattedMessage()
    if (error instanceof Error) return error.message
    return typeof error === 'string' ? error : fallbackMessage
  }

  /** Writes the message to the console. */
  static log(error: unknown, context?: string): void {
    console.error(`${context === undefined ? '' : `[${context}]`} ${ErrorHandler.handle(error)}`)
    if (error instanceof CryptoError && error.stack !== undefined) console.error(error.stack)
  }
}

/** Makes errors whose messages begin with what failed. */
export class ErrorUtils {
  static createEncryptionError(message: string, algorithm?: string): EncryptionError {
    return new EncryptionError(`Encryption Error${of(algorithm)}: ${message}`, undefined, algorithm)
  }

  static createDecryptionError(message: string, algorithm?: string): DecryptionError {
    return new DecryptionError(`Decryption Error${of(algorithm)}: ${message}`, undefined, algorithm)
  }

  static createHashError(message: string, algorithm?: string): HashError {
    return new HashError(`Hash Error${of(algorithm)}: ${message}`, undefined, algorithm)
  }

  static createValidationError(message: string): ValidationError {
    return new ValidationError(`Validation Error: ${message}`)
  }

  static handleError(error: unknown, context?: string): string {
    const message = error instanceof Error ? error.message : String(error)
    return context === undefined || context === '' ? message : `${context}: ${message}`
  }
}

function of(algorithm: string | undefined): string {
  return algorithm === undefined || algorithm === '' ? '' : ` (${algorithm})`
}

/** The error for a function that this entry refuses, with what to use instead. */
export function unsupported(what: string, instead: string): CryptoError {
  return new CryptoError(`${what} is unsupported: ${instead}`, CryptoErrorCode.NOT_SUPPORTED)
}

/** The error for a wrong argument of an encryption. */
export function refused(message: string, algorithm: string, code?: CryptoErrorCode): EncryptionError {
  return new EncryptionError(`Encryption Error (${algorithm}): ${message}`, code, algorithm)
}

/** The error for a wrong argument of a decryption, visible to everybody without the key. */
export function unreadable(message: string, algorithm: string, code?: CryptoErrorCode): DecryptionError {
  return new DecryptionError(`Decryption Error (${algorithm}): ${message}`, code, algorithm)
}

/** The one error for a wrong key, padding, tag or encoding of the plaintext: nobody must be able to tell them apart. */
export function notAuthentic(algorithm: string): DecryptionError {
  const message = `Decryption Error (${algorithm}): Failed to decrypt - invalid key or corrupted data`
  const cause = new SealstoneError('not_authentic', 'not authentic')
  return new DecryptionError(message, CryptoErrorCode.DECRYPTION_FAILED, algorithm, undefined, { cause })
}

/** The message of a thrown value. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** The code of an error in a result. */
export function resultCodeOf(error: unknown): ResultCode {
  if (error instanceof SealstoneError) return error.code
  if (error instanceof ArgumentError) return 'invalid_argument'
  if (!(error instanceof CryptoError)) {
    return failureOf(error).name === 'RangeError' ? 'invalid_argument' : 'internal'
  }
  if (error.cause instanceof SealstoneError) return error.cause.code
  return error.code === CryptoErrorCode.NOT_SUPPORTED ? 'unsupported' : 'invalid_argument'
}

/** Options of the decorators of this module. */
export interface ErrorHandlerOptions {
  algorithm?: string
  operation?: 'encrypt' | 'decrypt' | 'hash'
  /** Whether to write the message to the console. */
  logError?: boolean
  /** The value that a method returns instead of throwing. */
  defaultValue?: unknown
}

type Decorator = (target: unknown, propertyKey: string, descriptor: PropertyDescriptor) => PropertyDescriptor
type Method = (this: unknown, ...args: unknown[]) => unknown

/** A decorator for methods that encrypt: an error becomes a failed result. */
export function withEncryptErrorHandling(options: ErrorHandlerOptions = {}): Decorator {
  return caught(options, (error) => createErrorResult(error, options.algorithm || 'Unknown', 'encrypt'))
}

/** A decorator for methods that decrypt: an error becomes a failed result. */
export function withDecryptErrorHandling(options: ErrorHandlerOptions = {}): Decorator {
  return caught(options, (error) => createErrorResult(error, options.algorithm || 'Unknown', 'decrypt'))
}

/** A decorator for any method: it logs an error if `logError` says so, and returns the default value if there is one. */
export function withErrorHandling(options: ErrorHandlerOptions = {}): Decorator {
  return caught(options, (error) => defaultOr(options, error))
}

/** As {@link withErrorHandling}, for methods that return a promise. */
export function withAsyncErrorHandling(options: ErrorHandlerOptions = {}): Decorator {
  return (_target, name, descriptor) => {
    const method = descriptor.value as Method
    descriptor.value = async function (this: unknown, ...args: unknown[]): Promise<unknown> {
      try {
        return await method.apply(this, args)
      } catch (error) {
        if (options.logError) logged(name, error)
        return defaultOr(options, error)
      }
    }
    return descriptor
  }
}

function caught(options: ErrorHandlerOptions, result: (error: unknown) => unknown): Decorator {
  return (_target, name, descriptor) => {
    const method = descriptor.value as Method
    descriptor.value = function (this: unknown, ...args: unknown[]): unknown {
      try {
        return method.apply(this, args)
      } catch (error) {
        if (options.logError) logged(options.algorithm ?? name, error)
        return result(error)
      }
    }
    return descriptor
  }
}

function logged(what: string, error: unknown): void {
  console.error(`[${what}] ${messageOf(error)}`)
}

function defaultOr({ defaultValue }: ErrorHandlerOptions, error: unknown): unknown {
  if (defaultValue === undefined) throw error
  return defaultValue
}

/** The failed result for a thrown value. */
export function createErrorResult(
  error: unknown,
  algorithm: string,
  operation: 'encrypt' | 'decrypt',
): { success: false; data: string; algorithm: string; error: string; code: ResultCode; authenticated?: false } {
  const message = error instanceof Error ? error.message : 'Unknown error'
  const result = { success: false, data: '', algorithm, error: message, code: resultCodeOf(error) } as const
  return operation === 'decrypt' ? { ...result, authenticated: false } : result
}

/** A message without the text that follows words such as `key` and `password`. */
export function sanitizeErrorMessage(error: unknown): string {
  if (!(error instanceof Error)) return 'Unknown error'
  return error.message.replace(/(?:key|password|secret|token)[:\s=]+\S+/gi, '[REDACTED]')
}
