// The base module with a host that promises: what answers at once answers as before, and files and keys of one AEAD are the host's
// for those who wait.

import { SealstoneError } from '../../basics/error.js'
import type { Handle, Out } from '../calls.js'
import type { Given } from './given.js'
import { drawn, EMPTY, type HostKey, isLong, NONCE_LEN, TAG_LEN } from './host-crypto.js'
import { HostFiles } from './host-files.js'
import { HostMessages } from './host-messages.js'
import type { Hosting, PromisedBuffers } from './hosting.js'
import { type Base, SHORT_LEN } from './index.js'
import { memoryOf } from './instance.js'
import * as host from './intrinsics.js'
import type { PromisedCrypto } from './promised-crypto.js'

/** A key that the host has, or has not yet been given. */
interface BufferKey {
  bytes: Out
  key: Arriving | undefined
}

/** A key on its way to the host. */
class Arriving {
  #key: HostKey | undefined
  readonly #arrival: Given<HostKey>

  constructor(arrival: Given<HostKey>) {
    this.#arrival = arrival
    void this.#wait()
  }

  /** Works with the key, on data that is the caller's again when this returns: until the key is there, on a copy. */
  with<T>(data: Uint8Array, work: (key: HostKey, data: Uint8Array) => Given<T>, room?: Out): Given<T> {
    if (this.#key !== undefined) return work(this.#key, data)
    const copy = room ?? new host.Bytes(host.arrayLength(data))
    host.copyInto(copy, data)
    return this.#withCopy(copy, work)
  }

  async #withCopy<T>(copy: Out, work: (key: HostKey, data: Uint8Array) => Given<T>): Given<T> {
    const key = await this.#arrival
    const result = key instanceof SealstoneError ? key : work(key, copy)
    // It was read.
    host.fill(copy, 0)
    return result
  }

  async #wait(): Promise<void> {
    const key = await this.#arrival
    if (!(key instanceof SealstoneError)) this.#key = key
  }
}

/** The functions of the modules, and what a host promises of them. */
export function promised(own: Base, crypto: PromisedCrypto): Hosting {
  const files = new HostFiles<Arriving>(own, {
    algorithm: crypto.algorithm,
    key: (bytes) => new Arriving(crypto.key(bytes)),
    seal(key, nonce, chunk, file, at) {
      const seal = (key: HostKey, chunk: Uint8Array): Given<Out> => crypto.seal(key, nonce, undefined, chunk)
      // Memory of the result is touched anyway.
      return key.with(chunk, seal, host.partOf(file, at, host.arrayLength(chunk)))
    },
    open: (key, nonce, chunk) => key.with(chunk, (key, chunk) => crypto.open(key, nonce, undefined, chunk)),
  })
  const [messages, buffers] = [new HostMessages(own, crypto), new Buffers(own, crypto)]
  for (const beside of [buffers, files, messages]) own.forgetting((handle) => beside.forget(handle))
  return {
    base: {
      ...own,
      backend: () => own.backend().replace(`${crypto.algorithm} by `, `${crypto.algorithm} by ${crypto.name} and `),
      again(handle) {
        const other = own.again(handle)
        buffers.again(handle, other)
        return other
      },
      aead(algorithm, bytes) {
        const handle = own.aead(algorithm, bytes)
        if (algorithm === crypto.algorithm) buffers.add(handle, bytes)
        return handle
      },
    },
    files,
    messages,
    digest: (algorithm, data) => {
      const given = crypto.digest(algorithm, data)
      return given && settle(given)
    },
    derive: crypto.derive,
    promised: buffers,
    atOnceLen: crypto.from,
    shortLen: SHORT_LEN,
  }
}

/** Buffers under keys of `aead`. Most keys never seal much: the host gets one when it is to. */
class Buffers implements PromisedBuffers {
  readonly #own: Base
  readonly #crypto: PromisedCrypto
  readonly #keys = host.dictionary<BufferKey>()

  constructor(own: Base, crypto: PromisedCrypto) {
    this.#own = own
    this.#crypto = crypto
  }

  add(handle: Handle, bytes: Uint8Array): void {
    this.#keys[handle] = { bytes: new host.Bytes(bytes), key: undefined }
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

  has(key: Handle): boolean {
    return this.#keys[key] !== undefined
  }

  seal(handle: Handle, nonce: Uint8Array | undefined, aad: Uint8Array, loaded: Uint8Array): Promise<Out> | undefined {
    const [key, at] = [this.#keys[handle], nonce === undefined ? NONCE_LEN : 0]
    const length = host.arrayLength(loaded) - at
    if (key === undefined || length < this.#crypto.from || isLong(aad)) return undefined
    const used = nonce ?? drawn()
    if (used === undefined || host.arrayLength(used) !== NONCE_LEN) return undefined
    const seal = (key: HostKey, plaintext: Uint8Array): Given<Out> => this.#crypto.seal(key, used, aad, plaintext)
    const sealed = settle(this.#arriving(key).with(host.partOf(loaded, at, length), seal))
    return nonce === undefined ? behind(used, sealed) : sealed
  }

  open(handle: Handle, nonce: Uint8Array | undefined, aad: Uint8Array, sealed: Uint8Array): Promise<Out> | undefined {
    const [key, at] = [this.#keys[handle], nonce === undefined ? NONCE_LEN : 0]
    const length = host.arrayLength(sealed) - at - TAG_LEN
    if (key === undefined || length < this.#crypto.from || isLong(aad)) return undefined
    const used = nonce ?? new host.Bytes(host.partOf(sealed, 0, NONCE_LEN))
    if (host.arrayLength(used) !== NONCE_LEN) return undefined
    const open = (key: HostKey, data: Uint8Array): Given<Out | undefined> => this.#crypto.open(key, used, aad, data)
    const opened = settle(this.#arriving(key).with(host.partOf(sealed, at, length + TAG_LEN), open))
    return this.#authentic(handle, opened)
  }

  #arriving(key: BufferKey): Arriving {
    if (key.key === undefined) {
      key.key = new Arriving(this.#crypto.key(key.bytes))
      host.fill(key.bytes, 0)
    }
    return key.key
  }

  /** A plaintext, or what the core says where there is none, as of nothing. */
  async #authentic(handle: Handle, opened: Promise<Out | undefined>): Promise<Out> {
    const plaintext = await opened
    if (plaintext === undefined) this.#own.aeadOpen(handle, undefined, undefined, EMPTY, EMPTY)
    return plaintext as Out
  }
}

/** Awaits the result, for whoever listens. */
async function settle<T>(given: Given<T>): Promise<T> {
  const result = await given
  if (result instanceof SealstoneError) throw result
  return result
}

/** The ciphertext behind its nonce. */
async function behind(nonce: Uint8Array, sealed: Promise<Out>): Promise<Out> {
  const bytes = await sealed
  const whole = memoryOf(NONCE_LEN + host.arrayLength(bytes))
  host.copyInto(whole, nonce)
  host.copyInto(whole, bytes, NONCE_LEN)
  return whole
}
