import type { Handle } from '../calls.js'
import * as host from './intrinsics.js'

/**
 * Objects of JavaScript's that own one of a module's: it is released some time after its owner is collected. A number may stand
 * for another object by then, so each use of it has an object of its own.
 */
export class Owners {
  readonly #uses = host.dictionary<object>()
  /** Older versions of workerd have none: there `destroy` alone releases. */
  readonly #registry: FinalizationRegistry<{ readonly handle: Handle }> | undefined

  constructor(release: (handle: Handle) => void) {
    if (typeof FinalizationRegistry !== 'function') return
    this.#registry = new FinalizationRegistry((use) => {
      if (this.#uses[use.handle] === use) release(use.handle)
    })
  }

  add(handle: Handle, owner: object): void {
    const use = { handle }
    this.#uses[handle] = use
    this.#registry?.register(owner, use)
  }

  /** The use of a number ends. */
  forget(handle: Handle): void {
    delete this.#uses[handle]
  }
}
