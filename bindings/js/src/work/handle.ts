import type { Handle } from '../backend/calls.js'
import { ArgumentError } from '../basics/error.js'
import { sync } from './call.js'

/** An object of what computes that lives as long as its owner, or until it is destroyed. */
export class Held {
  #handle: Handle | undefined
  readonly #what: string

  constructor(handle: Handle, what: string) {
    this.#handle = handle
    this.#what = what
    sync().own(handle, this)
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
    sync().release(this.#handle)
    this.#handle = undefined
  }
}

/**
 * The keys of all copies of this package that have one addon, as an ES module and as CommonJS for example: each takes what the
 * others made. It belongs to what computes, since a key's number means something to that alone.
 */
export function keys(): WeakMap<object, Held> {
  const shared = sync() as { [KEYS]?: WeakMap<object, Held> }
  shared[KEYS] ??= new WeakMap()
  return shared[KEYS]
}

const KEYS: unique symbol = Symbol.for('sealstone.keys') as never

/** Whether it is a key of any copy. */
export function isHeld(key: object): boolean {
  return keys().has(key)
}

/** The members of a key of any copy. */
export function heldOf(key: object, name: string): Held {
  const held = keys().get(key)
  if (held !== undefined) return held
  throw new ArgumentError(
    `this ${name} is a proxy, or belongs to another copy of sealstone's native part: pass the object itself, or export it there and import it here`,
  )
}

/** Uses an object that nobody else has, and releases it. */
export function using<T>(handle: Handle, work: (handle: Handle) => T): T {
  try {
    return work(handle)
  } finally {
    sync().release(handle)
  }
}

/** As `using`, of work that goes on elsewhere. */
export async function usingLater<T>(handle: Handle, work: (handle: Handle) => Promise<T>): Promise<T> {
  try {
    return await work(handle)
  } finally {
    sync().release(handle)
  }
}
