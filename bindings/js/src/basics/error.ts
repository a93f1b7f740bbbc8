import { BRAND, isInstance } from './brand.js'
import type { CoreErrorCode } from './table.js'

/**
 * The codes of {@link SealstoneError}: those of the core, `too_many_objects` where a thread has a million keys and hashers, and
 * `internal` for a bug of ours. A later version may have more: a `switch` on them needs a `default`.
 */
export type SealstoneErrorCode = CoreErrorCode | 'too_many_objects' | 'internal'

/**
 * An error of this package, with a `code` that never changes: the same word in every language, in the command line's `--json` and in the
 * test vectors. Branch on `code`, and show `message` to people; neither contains secrets.
 *
 * If the system refused something (`io`), `cause` is its error, with a `code` such as `ENOENT` and an `errno`, as in errors of
 * `node:fs`.
 *
 * A service that decrypts for others must return one error for `no_matching_identity`, `header_not_authentic` and
 * `not_authentic`, because the difference tells whether an identity opened a stanza of the file.
 *
 * @example
 * ```ts
 * import { decryptSync, generateIdentity, SealstoneError } from 'sealstone'
 *
 * try {
 *   decryptSync('not a file', { identities: generateIdentity() })
 * } catch (error) {
 *   if (!(error instanceof SealstoneError)) throw error
 *   console.log(error.code) // not_sealstone
 * }
 * ```
 */
export class SealstoneError extends Error {
  /** @internal */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return isInstance(this, SealstoneError, value)
  }

  /** @internal */
  get [BRAND](): string {
    return 'SealstoneError'
  }

  override readonly name = 'SealstoneError'
  /** The code of this error, such as `not_authentic`. It never changes. */
  readonly code: SealstoneErrorCode

  constructor(code: SealstoneErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}

/** A wrong argument: a `TypeError`, as of the language's own functions, with a code. */
export class ArgumentError extends TypeError {
  readonly code = 'invalid_argument'
}

/** An error of what computes, as ours. */
export function asSealstoneError(error: unknown): unknown {
  if (error instanceof ArgumentError || (error instanceof Error && error instanceof SealstoneError)) return error
  // By its properties: in a test runner errors of what computes are of another realm, and no `Error` of ours.
  const { code, message } = failureOf(error)
  if (typeof code !== 'string' || typeof message !== 'string') return error
  // Node's own, for a result that is longer than an array can be.
  if (code === 'ERR_BUFFER_TOO_LARGE') return new RangeError(message)
  // Codes of ours are in lower case; others are those of the binding itself, for an argument that we should not have passed.
  return errorFrom(/^[a-z_]+$/.test(code) ? code : 'internal', message)
}

/** The error of a code that came as text: what computes has the same codes. */
export function errorFrom(code: string, message: string, options?: ErrorOptions): SealstoneError {
  return new SealstoneError(code as SealstoneErrorCode, message, options)
}

/** The message of an error of any realm. */
export function failureOf(error: unknown): { readonly [name in 'code' | 'message' | 'name']?: unknown } {
  return typeof error === 'object' && error !== null ? error : {}
}
