// Buffers that a host seals and opens for those who wait.

import type { Handle, Out } from '../calls.js'
import { Arriving } from './arriving.js'
import { type Given, settle } from './given.js'
import { drawn, type HostKey, isLong, NONCE_LEN, TAG_LEN } from './host-crypto.js'
import { memoryOf } from './instance.js'
import * as host from './intrinsics.js'
import type { PromisedCrypto } from './promised-crypto.js'

/** A key that the host has, or has not yet been given. */
interface BufferKey {
  bytes: Out
  key: Arriving | undefined
}

/** Buffers under keys of `aead`. Most keys never seal much: the host gets one when it is to. */
export class PromisedBuffers {
  readonly #crypto: PromisedCrypto
  readonly #keys = host.dictionary<BufferKey>()

  constructor(crypto: PromisedCrypto) {
    this.#crypto = crypto
  }

  add(handle: Handle, algorithm: string, bytes: Uint8Array): void {
    if (algorithm === this.#crypto.algorithm) this.#keys[handle] = { bytes: new host.Bytes(bytes), key: undefined }
  }

  /** Both numbers have the host's key, and none has the bytes. */
  again(handle: Handle, other: Handle): void {
    const key = this.#keys[handle]
    if (key !== undefined) this.#keys[other] = { bytes: key.bytes, key: this.#arriving(key) }
  }

  forget(handle: Handle): void {
    const key = this.#keys[handle]
    if (key !== undefined) host.fill(key.bytes, 0)
    delete this.#keys[handle]
  }

  /** Whether the host seals and opens buffers with this key. */
  has(key: Handle): boolean {
    return this.#keys[key] !== undefined
  }

  /**
   * Seals one buffer, if the host is to. Without a nonce one is drawn, which stands before what is sealed, and before the plaintext is
   * room for it.
   */
  seal(handle: Handle, nonce: Uint8Array | undefined, aad: Uint8Array, loaded: Uint8Array): Promise<Out> | undefined {
    const key = this.#keys[handle]
    const at = nonce === undefined ? NONCE_LEN : 0
    const length = host.arrayLength(loaded) - at
    if (key === undefined || length < this.#crypto.from || isLong(aad)) return undefined
    const used = nonce ?? drawn()
    if (used === undefined || host.arrayLength(used) !== NONCE_LEN) return undefined
    const seal = (key: HostKey, plaintext: Uint8Array): Given<Out> => this.#crypto.seal(key, used, aad, plaintext)
    const sealed = settle(this.#arriving(key).with(host.partOf(loaded, at, length), seal))
    return nonce === undefined ? behind(used, sealed) : sealed
  }

  /** Opens one, likewise; none is promised of what is not authentic. */
  open(
    handle: Handle,
    nonce: Uint8Array | undefined,
    aad: Uint8Array,
    sealed: Uint8Array,
  ): Promise<Out | undefined> | undefined {
    const key = this.#keys[handle]
    const at = nonce === undefined ? NONCE_LEN : 0
    const length = host.arrayLength(sealed) - at - TAG_LEN
    if (key === undefined || length < this.#crypto.from || isLong(aad)) return undefined
    const used = nonce ?? new host.Bytes(host.partOf(sealed, 0, NONCE_LEN))
    if (host.arrayLength(used) !== NONCE_LEN) return undefined
    const open = (key: HostKey, data: Uint8Array): Given<Out | undefined> => this.#crypto.open(key, used, aad, data)
    return settle(this.#arriving(key).with(host.partOf(sealed, at, length + TAG_LEN), open))
  }

  #arriving(key: BufferKey): Arriving {
    if (key.key === undefined) {
      key.key = new Arriving(this.#crypto.key(key.bytes))
      host.fill(key.bytes, 0)
    }
    return key.key
  }
}

/** The ciphertext behind its nonce. */
async function behind(nonce: Uint8Array, sealed: Promise<Out>): Promise<Out> {
  const bytes = await sealed
  const whole = memoryOf(NONCE_LEN + host.arrayLength(bytes))
  host.copyInto(whole, nonce)
  host.copyInto(whole, bytes, NONCE_LEN)
  return whole
}
