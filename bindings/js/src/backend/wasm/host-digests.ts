// Digests that a host computes at once.

import type { Data, Handle } from '../calls.js'
import type { HostCrypto, HostHasher } from './host-crypto.js'
import type { Base } from './index.js'
import * as host from './intrinsics.js'

type Names =
  | 'hashId'
  | 'hashInto'
  | 'encodingId'
  | 'hashText'
  | 'hasher'
  | 'hasherClone'
  | 'hasherUpdate'
  | 'hasherDigest'
  | 'hasherText'

/** A hasher of a host, whose number is that of the module's. */
interface Hashing {
  readonly algorithm: number
  readonly hasher: HostHasher
}

/** The digests of long data, and all hashers, of the functions that a host has; all others are the module's. */
export class HostDigests {
  readonly #base: Base
  readonly #crypto: HostCrypto
  readonly #hashers = host.dictionary<Hashing>()
  /** The names of algorithms and of encodings, by their numbers. */
  readonly #names = host.dictionary<string>()
  readonly #encodings = host.dictionary<string>()

  constructor(base: Base, crypto: HostCrypto) {
    this.#base = base
    this.#crypto = crypto
  }

  /** A number is another one of a hasher too. */
  again(handle: Handle, other: Handle): void {
    if (this.#hashers[handle] !== undefined) this.#hashers[other] = this.#hashers[handle]
  }

  forget(handle: Handle): void {
    delete this.#hashers[handle]
  }

  calls(): Pick<Base, Names> {
    const [base, hashers, names, encodings] = [this.#base, this.#hashers, this.#names, this.#encodings]
    return {
      hashId(name) {
        const algorithm = base.hashId(name)
        names[algorithm] = name
        return algorithm
      },
      hashInto: (algorithm, data, out) => {
        const found = this.#hashed(algorithm, data, host.arrayLength(out))
        if (found === undefined) base.hashInto(algorithm, data, out)
        else host.copyInto(out, found.digest())
      },
      encodingId(name) {
        const encoding = base.encodingId(name)
        encodings[encoding] = name
        return encoding
      },
      hashText: (algorithm, data, encoding, length) => {
        const name = encodings[encoding]
        const found = name === undefined ? undefined : this.#hashed(algorithm, data, length)
        return found?.text(name as string) ?? base.hashText(algorithm, data, encoding, length)
      },
      hasher: (algorithm) => {
        const handle = base.hasher(algorithm)
        const hasher = this.#hasherOf(algorithm)
        if (hasher !== undefined) hashers[handle] = { algorithm, hasher }
        return handle
      },
      hasherClone(handle) {
        const other = base.hasherClone(handle)
        const own = hashers[handle]
        if (own !== undefined) hashers[other] = { ...own, hasher: own.hasher.copy() }
        return other
      },
      hasherUpdate(handle, data) {
        const own = hashers[handle]
        if (own === undefined) base.hasherUpdate(handle, data)
        else own.hasher.update(data)
      },
      hasherDigest: (handle, length) => {
        const own = hashers[handle]
        // Of another length the module says that there is none.
        if (own === undefined || !this.#isUsual(length, own.algorithm)) return base.hasherDigest(handle, length)
        return new host.Bytes(own.hasher.digest())
      },
      hasherText: (handle, encoding, length) => {
        const [own, name] = [hashers[handle], encodings[encoding]]
        if (own === undefined || name === undefined || !this.#isUsual(length, own.algorithm))
          return base.hasherText(handle, encoding, length)
        return own.hasher.text(name)
      },
    }
  }

  #hasherOf(algorithm: number): HostHasher | undefined {
    const name = this.#names[algorithm]
    return name === undefined ? undefined : this.#crypto.hasher(name)
  }

  /** A hasher that has taken long data, where the host has this function and the digest its usual length. */
  #hashed(algorithm: number, data: Data, length: number): HostHasher | undefined {
    const dataLen = typeof data === 'string' ? data.length : host.arrayLength(data as Uint8Array)
    if (dataLen < this.#crypto.digestFrom || !this.#isUsual(length, algorithm)) return undefined
    const hasher = this.#hasherOf(algorithm)
    hasher?.update(typeof data === 'string' ? host.encode(data) : (data as Uint8Array))
    return hasher
  }

  #isUsual(length: number, algorithm: number): boolean {
    return length === 0 || length === this.#base.hashLen(algorithm)
  }
}
