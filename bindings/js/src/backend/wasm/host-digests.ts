// Digests that a host computes at once.

import type { Data, Handle, Out } from '../calls.js'
import type { HostCrypto, HostHasher } from './host-crypto.js'
import * as host from './intrinsics.js'

/** A hasher of a host, whose number is that of the module's. */
interface Hashing {
  readonly algorithm: number
  readonly hasher: HostHasher
}

/** The digests of long data, and all hashers, of the functions that a host has. It answers nothing for all others, which are the module's. */
export class HostDigests {
  readonly #crypto: HostCrypto
  readonly #lengthOf: (algorithm: number) => number
  readonly #hashers = host.dictionary<Hashing>()
  /** The names of algorithms and of encodings, by their numbers. */
  readonly #names = host.dictionary<string>()
  readonly #encodings = host.dictionary<string>()

  constructor(crypto: HostCrypto, lengthOf: (algorithm: number) => number) {
    this.#crypto = crypto
    this.#lengthOf = lengthOf
  }

  nameHash(algorithm: number, name: string): void {
    this.#names[algorithm] = name
  }

  nameEncoding(encoding: number, name: string): void {
    this.#encodings[encoding] = name
  }

  /** A hasher that has taken long data, where the digest has its usual length. */
  hashed(algorithm: number, data: Data, length: number): HostHasher | undefined {
    const dataLen = typeof data === 'string' ? data.length : host.arrayLength(data as Uint8Array)
    if (dataLen < this.#crypto.digestFrom || !this.#isUsual(length, algorithm)) return undefined
    const hasher = this.#hasherOf(algorithm)
    hasher?.update(typeof data === 'string' ? host.encode(data) : (data as Uint8Array))
    return hasher
  }

  /** The digest of long data as text, likewise. */
  hashedText(algorithm: number, data: Data, encoding: number, length: number): string | undefined {
    const name = this.#encodings[encoding]
    return name === undefined ? undefined : this.hashed(algorithm, data, length)?.text(name)
  }

  add(handle: Handle, algorithm: number): void {
    const hasher = this.#hasherOf(algorithm)
    if (hasher !== undefined) this.#hashers[handle] = { algorithm, hasher }
  }

  /** A number is another one of a hasher too. */
  again(handle: Handle, other: Handle): void {
    if (this.#hashers[handle] !== undefined) this.#hashers[other] = this.#hashers[handle]
  }

  /** A number is that of a hasher that has taken the same. */
  clone(handle: Handle, other: Handle): void {
    const own = this.#hashers[handle]
    if (own !== undefined) this.#hashers[other] = { ...own, hasher: own.hasher.copy() }
  }

  forget(handle: Handle): void {
    delete this.#hashers[handle]
  }

  /** Takes data; answers whether the hasher is the host's. */
  update(handle: Handle, data: Uint8Array): boolean {
    const own = this.#hashers[handle]
    own?.hasher.update(data)
    return own !== undefined
  }

  digest(handle: Handle, length: number): Out | undefined {
    const hasher = this.#usual(handle, length)
    return hasher && new host.Bytes(hasher.digest())
  }

  text(handle: Handle, encoding: number, length: number): string | undefined {
    const name = this.#encodings[encoding]
    return name === undefined ? undefined : this.#usual(handle, length)?.text(name)
  }

  #hasherOf(algorithm: number): HostHasher | undefined {
    const name = this.#names[algorithm]
    return name === undefined ? undefined : this.#crypto.hasher(name)
  }

  /** A hasher, for a digest of its usual length: of another one the module says that there is none. */
  #usual(handle: Handle, length: number): HostHasher | undefined {
    const own = this.#hashers[handle]
    return own !== undefined && this.#isUsual(length, own.algorithm) ? own.hasher : undefined
  }

  #isUsual(length: number, algorithm: number): boolean {
    return length === 0 || length === this.#lengthOf(algorithm)
  }
}
