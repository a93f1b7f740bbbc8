import { SealstoneError } from '../error.js'
import type { Handle } from '../platform/sync.js'
import type { HostRsa, RsaKey } from './host-rsa.js'
import * as host from './intrinsics.js'

/** The keys of RSA among the objects of a module, as the host has them. */
export class RsaKeys {
  readonly rsa: HostRsa
  readonly #keys = host.dictionary<RsaKey>()
  readonly #release: (handle: Handle) => void

  /** `release` ends a number, and calls {@link forget}. */
  constructor(rsa: HostRsa, release: (handle: Handle) => void) {
    this.rsa = rsa
    this.#release = release
  }

  of(handle: Handle): RsaKey | undefined {
    return this.#keys[handle]
  }

  /** Has the host take the key of a number, which ends if the host refuses it at once. */
  take(handle: Handle, key: RsaKey): Handle {
    this.#keys[handle] = key
    return this.rsa.isAtOnce ? this.#taken(handle, this.rsa.takes(key) as boolean) : handle
  }

  /** A number whose key the host has taken, or that ends. */
  async taken(handle: Handle): Promise<Handle> {
    const key = this.#keys[handle]
    if (key === undefined || this.rsa.isAtOnce) return handle
    return this.#taken(handle, await this.rsa.takes(key))
  }

  #taken(handle: Handle, isTaken: boolean): Handle {
    if (isTaken) return handle
    this.#release(handle)
    throw new SealstoneError('invalid_key', 'invalid key: the numbers of the RSA key do not fit each other')
  }

  /** Another number has the same key. */
  again(handle: Handle, other: Handle): Handle {
    const key = this.#keys[handle]
    if (key !== undefined) this.#keys[other] = key
    return other
  }

  forget(handle: Handle): void {
    delete this.#keys[handle]
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
