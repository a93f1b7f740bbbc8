import { SealstoneError } from '../../basics/error.js'
import type { Handle, Out } from '../calls.js'
import type { JobTurns } from './books.js'
import type { HostRsa, RsaKey, Soon } from './host-rsa.js'
import * as host from './intrinsics.js'

/** How a module gives the bytes of a key: PKCS#8, or `SubjectPublicKeyInfo`. */
interface Exports {
  privateDer(key: Handle): Out
  publicDer(key: Handle): Out
  release(key: Handle): void
}

/** The keys of RSA among the objects of a module, as the host has them. */
export class RsaKeys {
  readonly #rsa: HostRsa
  readonly #keys = host.dictionary<{ readonly key: RsaKey; readonly isPrivate: boolean }>()
  readonly #exports: Exports

  constructor(rsa: HostRsa, exports: Exports) {
    this.#rsa = rsa
    this.#exports = exports
  }

  of(handle: Handle): RsaKey | undefined {
    return this.#keys[handle]?.key
  }

  /** Gives the host the key of a number. */
  add(handle: Handle, isPrivate: boolean): Handle {
    const der = this.#der(handle, isPrivate)
    try {
      this.#keys[handle] = { key: isPrivate ? this.#rsa.privateKey(der) : this.#rsa.publicKey(der), isPrivate }
    } catch (error) {
      this.#exports.release(handle)
      throw error
    }
    return handle
  }

  /** Another number has the same key, and gives its bytes. */
  again(handle: Handle, other: Handle): Handle {
    const own = this.#keys[handle]
    if (own === undefined) return other
    const { key, isPrivate } = own
    this.#keys[other] = { key: this.#rsa.again(key, this.#der(other, isPrivate)), isPrivate }
    return other
  }

  forget(handle: Handle): void {
    delete this.#keys[handle]
  }

  #der(handle: Handle, isPrivate: boolean): () => Out {
    return () => (isPrivate ? this.#exports.privateDer(handle) : this.#exports.publicDer(handle))
  }
}

/** A key that a host makes: the core refuses numbers of bits before, and reads it then. Without a host it fails as the core does. */
export async function generated(
  rsa: HostRsa | undefined,
  bits: number,
  turns: JobTurns,
  refuse: (bits: number) => Handle,
  read: (der: Out) => Handle,
): Promise<Handle> {
  if (rsa === undefined) return refuse(bits)
  checked(() => refuse(bits))
  turns.check()
  const der = await rsa.generate(bits)
  try {
    turns.check()
    return read(der)
  } finally {
    host.fill(der, 0)
  }
}

/** Has the core look at all that it can: it fails, and here only where it misses more than RSA. */
export function checked(work: () => unknown): void {
  try {
    work()
  } catch (error) {
    if (!(error instanceof SealstoneError) || error.code !== 'unavailable_backend') throw error
  }
}

/** Works on a promised result without the method of promises, which others may have exchanged. */
export async function once<T, R>(result: Soon<T>, work: (result: T) => R): Promise<R> {
  return work(await result)
}
