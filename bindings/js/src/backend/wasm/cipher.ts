// Ciphers for one buffer. A host seals and opens buffers under keys of one AEAD, at once or for those who wait.

import type { CipherCalls, CipherPromises, CipherWasmCalls, Handle, Later, Lent, Out } from '../calls.js'
import type { WorkedWith } from '../index.js'
import { HostBuffers } from './host-buffers.js'
import { EMPTY, NONCE_LEN, TAG_LEN } from './host-crypto.js'
import type { Parts } from './hosting.js'
import { memoryOf } from './instance.js'
import * as host from './intrinsics.js'
import { familyOf } from './module.js'
import { PromisedBuffers } from './promised-buffers.js'
import { CIPHER } from './signatures.js'
import type { Work } from './work.js'

export class Cipher extends familyOf<CipherCalls & CipherWasmCalls>(CIPHER) implements CipherPromises {
  readonly #work: Work
  readonly #host: HostBuffers | undefined
  readonly #promised: PromisedBuffers | undefined

  constructor({ sourceOf, work, hosting: { crypto, promised } }: Parts) {
    super(sourceOf('cipher'))
    this.#work = work
    this.#host = crypto && new HostBuffers(crypto)
    this.#promised = promised && new PromisedBuffers(promised)
  }

  override again(handle: Handle): Handle {
    const other = super.again(handle)
    this.#host?.again(handle, other)
    this.#promised?.again(handle, other)
    return other
  }

  override forget(handle: Handle): void {
    this.#host?.forget(handle)
    this.#promised?.forget(handle)
  }

  override isPromised({ key }: WorkedWith): boolean {
    return key !== undefined && this.#promised?.has(key) === true
  }

  override aead(algorithm: string, key: Uint8Array): Handle {
    const handle = super.aead(algorithm, key)
    this.#host?.add(handle, algorithm, key)
    this.#promised?.add(handle, algorithm, key)
    return handle
  }

  override aeadSeal(
    key: Handle,
    nonce: Lent | undefined,
    aad: Lent | undefined,
    plaintext: Lent,
    sealed: Uint8Array,
  ): void {
    // WebAssembly has no memory that is borrowed.
    const text = plaintext as Uint8Array
    if (this.#host?.seal(key, nonce as Uint8Array, aad as Uint8Array, text, sealed) !== true)
      super.aeadSeal(key, nonce, aad, plaintext, sealed)
  }

  override aeadSealPlaced(
    key: Handle,
    nonce: Uint8Array | undefined,
    aad: Uint8Array,
    loaded: Lent,
    sealed: Uint8Array,
  ): number {
    const text = loaded as Uint8Array
    const at = nonce === undefined ? NONCE_LEN : 0
    const length = host.arrayLength(text)
    if (length >= at && this.#host?.seal(key, nonce, aad, host.partOf(text, at, length - at), sealed) === true)
      return length - at
    return super.aeadSealPlaced(key, nonce, aad, loaded, sealed)
  }

  override aeadOpen(
    key: Handle,
    nonce: Lent | undefined,
    aad: Lent | undefined,
    sealed: Lent,
    plaintext: Uint8Array,
  ): void {
    const data = sealed as Uint8Array
    const isAuthentic = this.#host?.open(key, nonce as Uint8Array, aad as Uint8Array, data, plaintext)
    if (isAuthentic === undefined) super.aeadOpen(key, nonce, aad, sealed, plaintext)
    else if (!isAuthentic) this.#refuse(key)
  }

  aeadSealLoaded(
    key: Handle,
    nonce: Uint8Array | undefined,
    aad: Uint8Array,
    loading: Handle,
    job: Handle,
  ): Later<Out> {
    return this.#work.withLoaded(loading, job, async (loaded, _turns, book) => {
      const promise = this.#promised?.seal(key, nonce, aad, loaded)
      if (promise !== undefined) {
        book.count(host.arrayLength(loaded) - (nonce === undefined ? NONCE_LEN : 0))
        return promise
      }
      const sealed = new host.Bytes(host.arrayLength(loaded) + TAG_LEN)
      book.count(this.aeadSealPlaced(key, nonce, aad, loaded, sealed))
      return sealed
    })
  }

  aeadOpenLoaded(
    key: Handle,
    nonce: Uint8Array | undefined,
    aad: Uint8Array,
    loading: Handle,
    job: Handle,
  ): Later<Out> {
    return this.#work.withLoaded(loading, job, async (sealed, _turns, book) => {
      const length = this.aeadOpenedLen(key, host.arrayLength(sealed), nonce === undefined)
      book.count(length + TAG_LEN)
      const promise = this.#promised?.open(key, nonce, aad, sealed)
      if (promise !== undefined) return (await promise) ?? this.#refuse(key)
      const plaintext = memoryOf(length)
      this.aeadOpen(key, nonce, aad, sealed, plaintext)
      return plaintext
    })
  }

  /** Fails as the module does with a buffer that is not authentic, as an empty one is not. */
  #refuse(key: Handle): never {
    return super.aeadOpen(key, undefined, undefined, EMPTY, EMPTY) as never
  }
}
