import { BRAND, isInstance } from '../../basics/brand.js'

/** Why a {@link FiseError} was thrown. */
export type FiseErrorCode =
  | 'fise_no_salt'
  | 'fise_no_marker'
  | 'fise_ambiguous'
  | 'fise_not_canonical'
  | 'fise_rules'
  | 'fise_malformed'
  | 'fise_order'
  | 'fise_truncated'
  | 'fise_key_required'

/**
 * What went wrong with an envelope or with rules, with a stable `code`.
 *
 * | code | what it says |
 * |---|---|
 * | `fise_no_salt` | nothing in the envelope fits the rules, the timestamp and the metadata |
 * | `fise_no_marker` | something fits, and what it leads to was not made by an encoder |
 * | `fise_ambiguous` | the envelope has several readings, and none of them is given out |
 * | `fise_not_canonical` | a ciphertext that was given to `xorCipher` is not base64 of UTF-8 as its encoder writes it |
 * | `fise_rules` | the rules cannot be undone, or not for this text; the message has the reason |
 * | `fise_malformed` | a stream of frames breaks a rule, or was written with another number of rules |
 * | `fise_order` | a frame is not the next one of its stream: frames were lost, repeated, exchanged or mixed |
 * | `fise_truncated` | a stream of frames ends before its end |
 * | `fise_key_required` | a frame is authenticated, and its reader has no key |
 *
 * The messages of the first two, and of a builder's `fise_rules`, are those of FISE 0.1.5.
 *
 * @example
 * ```ts
 * import { defaultRules, FiseError, fiseDecrypt } from 'sealstone/fise'
 *
 * try {
 *   fiseDecrypt('not an envelope', defaultRules)
 * } catch (error) {
 *   if (!(error instanceof FiseError)) throw error
 *   console.log(error.code) // fise_no_salt
 * }
 * ```
 */
export class FiseError extends Error {
  /** @internal */
  static override [Symbol.hasInstance](value: unknown): boolean {
    return isInstance(this, FiseError, value)
  }

  /** @internal */
  get [BRAND](): string {
    return 'FiseError'
  }

  override readonly name = 'FiseError'
  /** A stable word for this error. */
  readonly code: FiseErrorCode

  constructor(code: FiseErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.code = code
  }
}
