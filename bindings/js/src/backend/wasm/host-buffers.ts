// Single buffers under a key of `aead` that a host seals and opens at once.

import type { Handle } from '../calls.js'
import { drawn, type HostCrypto, type HostKey, isLong, NONCE_LEN, TAG_LEN } from './host-crypto.js'
import { overlap } from './instance.js'
import * as host from './intrinsics.js'

/** The keys of a host's AEAD, and the buffers that are long enough for it; all others are the module's. */
export class HostBuffers {
  readonly #crypto: HostCrypto
  readonly #keys = host.dictionary<HostKey>()

  constructor(crypto: HostCrypto) {
    this.#crypto = crypto
  }

  add(handle: Handle, algorithm: string, key: Uint8Array): void {
    if (algorithm === this.#crypto.algorithm) this.#keys[handle] = this.#crypto.key(key)
  }

  /** A number is another one of a key too. */
  again(handle: Handle, other: Handle): void {
    if (this.#keys[handle] !== undefined) this.#keys[other] = this.#keys[handle]
  }

  forget(handle: Handle): void {
    delete this.#keys[handle]
  }

  /** Seals one buffer, if the host is to; answers whether it did. */
  seal(
    handle: Handle,
    nonce: Uint8Array | undefined,
    aad: Uint8Array | undefined,
    plaintext: Uint8Array,
    sealed: Uint8Array,
  ): boolean {
    const key = this.#keys[handle]
    const crypto = this.#crypto
    const length = host.arrayLength(plaintext)
    const sealedLen = host.arrayLength(sealed)
    const at = nonce === undefined ? NONCE_LEN : 0
    if (key === undefined || length < crypto.bufferFrom || sealedLen !== at + length + TAG_LEN) return false
    if (isLong(aad)) return false
    const own = nonce === undefined ? drawn() : new host.Bytes(nonce)
    if (own === undefined || host.arrayLength(own) !== NONCE_LEN) return false
    apart(plaintext, sealed, (text) => crypto.seal(key, own, aad, text, sealed, at))
    if (at > 0) host.copyInto(sealed, own)
    return true
  }

  /** Opens one buffer, if the host is to; answers whether it is authentic. */
  open(
    handle: Handle,
    nonce: Uint8Array | undefined,
    aad: Uint8Array | undefined,
    sealed: Uint8Array,
    plaintext: Uint8Array,
  ): boolean | undefined {
    const key = this.#keys[handle]
    const crypto = this.#crypto
    const at = nonce === undefined ? NONCE_LEN : 0
    const length = host.arrayLength(sealed) - at - TAG_LEN
    if (key === undefined || length < crypto.bufferFrom || host.arrayLength(plaintext) < length) return undefined
    if (isLong(aad)) return undefined
    const own = new host.Bytes(nonce ?? host.partOf(sealed, 0, NONCE_LEN))
    if (host.arrayLength(own) !== NONCE_LEN) return undefined
    const isAuthentic = apart(sealed, plaintext, (data) =>
      crypto.open(key, own, aad, host.partOf(data, at, length + TAG_LEN), plaintext, 0),
    )
    if (!isAuthentic) host.fill(plaintext, 0)
    return isAuthentic
  }
}

/** Works with an input that is no part of the output. */
function apart<T>(input: Uint8Array, output: Uint8Array, work: (input: Uint8Array) => T): T {
  if (!overlap(input, output)) return work(input)
  const copy = new host.Bytes(input)
  try {
    return work(copy)
  } finally {
    host.fill(copy, 0)
  }
}
