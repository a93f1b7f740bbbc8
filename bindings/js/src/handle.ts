import { backend, type Handle } from './backend.js'
import { ArgumentError } from './error.js'

/** An object of the backend's that lives as long as its owner, or until it is destroyed. */
export class Held {
  #handle: Handle | undefined
  readonly #what: string

  constructor(handle: Handle, what: string) {
    this.#handle = handle
    this.#what = what
    backend().own(handle, this)
  }

  get handle(): Handle {
    if (this.#handle === undefined) throw new ArgumentError(`the ${this.#what} was destroyed`)
    return this.#handle
  }

  get isDestroyed(): boolean {
    return this.#handle === undefined
  }

  destroy(): void {
    if (this.#handle === undefined) return
    backend().release(this.#handle)
    this.#handle = undefined
  }
}

/** Uses an object of the backend's that nobody else has, and releases it. */
export function using<T>(handle: Handle, work: (handle: Handle) => T): T {
  try {
    return work(handle)
  } finally {
    backend().release(handle)
  }
}

/** As `using`, of work that goes on elsewhere. */
export async function usingLater<T>(handle: Handle, work: (handle: Handle) => Promise<T>): Promise<T> {
  try {
    return await work(handle)
  } finally {
    backend().release(handle)
  }
}
