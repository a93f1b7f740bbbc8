// Work that a host does faster than WebAssembly, and promises, as WebCrypto: `promised` takes it.

import type { Out } from '../calls.js'
import type { Derive } from './derivations.js'
import type { Given } from './given.js'
import type { HostKey } from './host-crypto.js'

/** All that is given is read before a function returns, and is the caller's then. */
export interface PromisedCrypto {
  /** The name that people know. */
  readonly name: string
  /** The AEAD that the host computes, by core's name for it; its nonces have 12 bytes, and its tags 16. */
  readonly algorithm: string
  /** Bytes from which on a promise is the faster one. */
  readonly from: number
  key(bytes: Uint8Array): Given<HostKey>
  /** Ciphertext and tag. */
  seal(key: HostKey, nonce: Uint8Array, aad: Uint8Array | undefined, plaintext: Uint8Array): Given<Out>
  /** The plaintext; none where it is not authentic. */
  open(key: HostKey, nonce: Uint8Array, aad: Uint8Array | undefined, sealed: Uint8Array): Given<Out | undefined>
  /** By core's name for the hash function; not promised of what the host has not, or is not to compute at that length. */
  digest(algorithm: string, data: Uint8Array): Given<Out> | undefined
  /** PBKDF2. */
  readonly derive: Derive
}
