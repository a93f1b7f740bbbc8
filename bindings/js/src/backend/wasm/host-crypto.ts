// Work that a host does faster than WebAssembly, and at once. `hosted` takes it; without it WebAssembly computes all.

import type { Out } from '../calls.js'
import { random } from '../randomness.js'
import type { Derive } from './derivations.js'
import * as host from './intrinsics.js'

/** A key as the host holds it. */
export type HostKey = object

export interface HostCrypto {
  /** The name that people know. */
  readonly name: string
  /** The AEAD that the host computes, by core's name for it; its nonces have 12 bytes, and its tags 16. */
  readonly algorithm: string
  /** Bytes from which on the host is the faster one: of a file, whose key it is given first, of a buffer, and of a digest's data. */
  readonly fileFrom: number
  readonly bufferFrom: number
  readonly digestFrom: number
  /** Takes a key. Its bytes are the caller's to zero. */
  key(bytes: Uint8Array): HostKey
  /** Writes ciphertext and tag to `sealed`, from `at` on; the plaintext is elsewhere. */
  seal(
    key: HostKey,
    nonce: Uint8Array,
    aad: Uint8Array | undefined,
    plaintext: Uint8Array,
    sealed: Uint8Array,
    at: number,
  ): void
  /** Writes the plaintext, likewise. Where it is not authentic it answers false, and its place is zero. */
  open(
    key: HostKey,
    nonce: Uint8Array,
    aad: Uint8Array | undefined,
    sealed: Uint8Array,
    plaintext: Uint8Array,
    at: number,
  ): boolean
  /** PBKDF2, for those who wait. */
  readonly derive: Derive
  /** A digest of nothing yet, where the host computes this function. */
  hasher(algorithm: string): HostHasher | undefined
}

export interface HostHasher {
  update(data: Uint8Array): void
  /** The digest of what was taken so far; more may follow. */
  digest(): Uint8Array
  /** The same as text: `hex`, `base64` or `base64url`. */
  text(encoding: string): string
  /** Another one, which has taken the same and goes on by itself. */
  copy(): HostHasher
}

/** Bytes of a nonce, and of a tag. */
export const NONCE_LEN = 12
export const TAG_LEN = 16

/** No bytes. */
export const EMPTY: Out = new Uint8Array(0)

const AAD_MAX = 1 << 30

/** Whether it is more than a host takes at once; of that the module says what it says. */
export function isLong(aad: Uint8Array | undefined): boolean {
  return aad !== undefined && host.arrayLength(aad) > AAD_MAX
}

/** A nonce of the host's randomness; none where it gives none, which the core says. */
export function drawn(): Uint8Array | undefined {
  const nonce = new host.Bytes(NONCE_LEN)
  return random(nonce, NONCE_LEN) ? nonce : undefined
}
