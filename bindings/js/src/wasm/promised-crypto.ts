// What a host computes faster than WebAssembly does, and promises, as WebCrypto: `promised` takes it.

import type { Out } from '../platform/sync.js'
import type { HostKey } from './host-crypto.js'

/** All that is given is read before a function returns, and is the caller's then. What fails rejects with an error of ours. */
export interface PromisedCrypto {
  /** What people call it. */
  readonly name: string
  /** The AEAD that the host computes, by core's name for it; its nonces have 12 bytes, and its tags 16. */
  readonly algorithm: string
  /** Bytes from which on a promise is the faster one. */
  readonly from: number
  key(bytes: Uint8Array): Promise<HostKey>
  /** Ciphertext and tag. */
  seal(key: HostKey, nonce: Uint8Array, aad: Uint8Array | undefined, plaintext: Uint8Array): Promise<Out>
  /** The plaintext; none where it is not authentic. */
  open(key: HostKey, nonce: Uint8Array, aad: Uint8Array | undefined, sealed: Uint8Array): Promise<Out | undefined>
}
