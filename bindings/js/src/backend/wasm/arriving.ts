// Keys of a host that promises them.

import { SealstoneError } from '../../basics/error.js'
import type { Out } from '../calls.js'
import type { Given } from './given.js'
import type { HostKey } from './host-crypto.js'
import type { ChunkCipher } from './host-files.js'
import * as host from './intrinsics.js'
import type { PromisedCrypto } from './promised-crypto.js'

/** A key on its way to the host. */
export class Arriving {
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

/** Chunks that a host promises. */
export function promisedChunks(crypto: PromisedCrypto): ChunkCipher<Arriving> {
  return {
    algorithm: crypto.algorithm,
    key: (bytes) => new Arriving(crypto.key(bytes)),
    seal(key, nonce, chunk, file, at) {
      const seal = (key: HostKey, chunk: Uint8Array): Given<Out> => crypto.seal(key, nonce, undefined, chunk)
      // Memory of the result is touched anyway.
      return key.with(chunk, seal, host.partOf(file, at, host.arrayLength(chunk)))
    },
    open: (key, nonce, chunk) => key.with(chunk, (key, chunk) => crypto.open(key, nonce, undefined, chunk)),
  }
}
