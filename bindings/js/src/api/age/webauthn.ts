// Typage's functions for passkeys. Its own objects fit ours; docs/guide/from-typage.md says how.

import { SealstoneError } from '../../basics/error.js'

/** Refused: see {@link WebAuthnRecipient}. */
export async function createCredential(_options?: unknown): Promise<string> {
  throw refused()
}

/**
 * Refused, since a passkey is asked by a page and not by this package. typage's own `WebAuthnRecipient` is an object that wraps file keys,
 * which `addRecipient` takes.
 */
export class WebAuthnRecipient {
  constructor(_options?: unknown) {
    throw refused()
  }
}

/** Refused, as {@link WebAuthnRecipient}. */
export class WebAuthnIdentity {
  constructor(_options?: unknown) {
    throw refused()
  }
}

function refused(): SealstoneError {
  const text =
    "sealstone has no passkeys of its own: give addRecipient or addIdentity the object of age-encryption's webauthn"
  return new SealstoneError('unavailable_backend', text)
}
