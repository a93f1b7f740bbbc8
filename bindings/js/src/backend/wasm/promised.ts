// The base module with a host that promises: what answers at once answers as before, and files and keys of one AEAD are the host's
// for those who wait.

import { SealstoneError } from '../../basics/error.js'
import type { Handle, Out } from '../calls.js'
import type { Hosting } from './bulk.js'
import { drawn, EMPTY, type HostKey, isLong, NONCE_LEN, TAG_LEN } from './host-crypto.js'
import { HostFiles } from './host-files.js'
import { HostMessages } from './host-messages.js'
import { type Base, SHORT_LEN } from './index.js'
import { memoryOf } from './instance.js'
import * as host from './intrinsics.js'
import { Owners } from './owners.js'
import type { Given, PromisedCrypto } from './promised-crypto.js'

/** What is promised of buffers under one key. */
export interface PromisedBuffers {
  /** Whether the host seals and opens buffers with this key. */
  has(key: Handle): boolean
  /**
   * Seals one buffer, or opens it, if the host is to. Without a nonce one is drawn, which stands before what is sealed, and before
   * the plaintext is room for it.
   */
  seal(key: Handle, nonce: Uint8Array | undefined, aad: Uint8Array, loaded: Uint8Array): Promise<Out> | undefined
  open(key: Handle, nonce: Uint8Array | undefined, aad: Uint8Array, sealed: Uint8Array): Promise<Out> | undefined
}

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

/** The functions of a base module, and what is promised with them. */
export function promised(own: Base, crypto: PromisedCrypto): Hosting {
  /** Keys of `aead`. Most of them never seal much: the host gets one when it is to. */
  const keys = host.dictionary<BufferKey>()
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

  const messages = new HostMessages(own, crypto)

  const arriving = (key: BufferKey): Arriving => {
    if (key.key === undefined) {
      key.key = new Arriving(crypto.key(key.bytes))
      host.fill(key.bytes, 0)
    }
    return key.key
  }

  /** A plaintext, or what the core says where there is none, as of nothing. */
  const authentic = async (handle: Handle, opened: Promise<Out | undefined>): Promise<Out> => {
    const plaintext = await opened
    if (plaintext === undefined) own.aeadOpen(handle, undefined, undefined, EMPTY, EMPTY)
    return plaintext as Out
  }

  const release = (handle: Handle): void => {
    const key = keys[handle]
    if (key !== undefined) host.fill(key.bytes, 0)
    delete keys[handle]
    files.release(handle)
    messages.release(handle)
    owners.forget(handle)
    own.release(handle)
  }
  const owners = new Owners(release)

  return {
    base: {
      ...own,
      backend: () => own.backend().replace(`${crypto.algorithm} by `, `${crypto.algorithm} by ${crypto.name} and `),
      release,
      own(handle, owner) {
        if (own.holds(handle)) owners.add(handle, owner)
      },
      again(handle) {
        const other = own.again(handle)
        const key = keys[handle]
        // Both have the host's, and none has the bytes.
        if (key !== undefined) keys[other] = { bytes: key.bytes, key: arriving(key) }
        return other
      },
      aead(algorithm, bytes) {
        const handle = own.aead(algorithm, bytes)
        if (algorithm === crypto.algorithm) keys[handle] = { bytes: new host.Bytes(bytes), key: undefined }
        return handle
      },
    },
    files,
    messages,
    digest: (algorithm, data) => {
      const given = crypto.digest(algorithm, data)
      return given && kept(given)
    },
    derive: crypto.derive,
    promised: {
      has: (key) => keys[key] !== undefined,
      seal(handle, nonce, aad, loaded) {
        const [key, at] = [keys[handle], nonce === undefined ? NONCE_LEN : 0]
        const length = host.arrayLength(loaded) - at
        if (key === undefined || length < crypto.from || isLong(aad)) return undefined
        const used = nonce ?? drawn()
        if (used === undefined || host.arrayLength(used) !== NONCE_LEN) return undefined
        const seal = (key: HostKey, plaintext: Uint8Array): Given<Out> => crypto.seal(key, used, aad, plaintext)
        const sealed = kept(arriving(key).with(host.partOf(loaded, at, length), seal))
        return nonce === undefined ? behind(used, sealed) : sealed
      },
      open(handle, nonce, aad, sealed) {
        const [key, at] = [keys[handle], nonce === undefined ? NONCE_LEN : 0]
        const length = host.arrayLength(sealed) - at - TAG_LEN
        if (key === undefined || length < crypto.from || isLong(aad)) return undefined
        const used = nonce ?? new host.Bytes(host.partOf(sealed, 0, NONCE_LEN))
        if (host.arrayLength(used) !== NONCE_LEN) return undefined
        const open = (key: HostKey, data: Uint8Array): Given<Out | undefined> => crypto.open(key, used, aad, data)
        return authentic(handle, kept(arriving(key).with(host.partOf(sealed, at, length + TAG_LEN), open)))
      },
    },
    atOnceLen: crypto.from,
    shortLen: SHORT_LEN,
  }
}

/** What is given, for those who listen. */
async function kept<T>(given: Given<T>): Promise<T> {
  const result = await given
  if (result instanceof SealstoneError) throw result
  return result
}

/** What is sealed, behind its nonce. */
async function behind(nonce: Uint8Array, sealed: Promise<Out>): Promise<Out> {
  const bytes = await sealed
  const whole = memoryOf(NONCE_LEN + host.arrayLength(bytes))
  host.copyInto(whole, nonce)
  host.copyInto(whole, bytes, NONCE_LEN)
  return whole
}
