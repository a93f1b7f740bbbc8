// The backend without an addon: the calls over the modules of WebAssembly (docs/design/wasm.md). A module has its own objects: what
// crosses from one to the other are bytes.

import type { BulkCalls, Out, SyncCalls } from '../calls.js'
import type { Calls, WorkedWith } from '../index.js'
import { Books } from './books.js'
import { PART_LEN } from './file-work.js'
import { settle } from './given.js'
import { atOnceLen, type Hosting, type Parts, shortLen } from './hosting.js'
import * as host from './intrinsics.js'
import { Module } from './module.js'
import { Objects } from './objects.js'
import { Work } from './work.js'

/** A class of calls over a module. */
export type Family = new (parts: Parts) => Module

/** All calls but for files by name: those of the families that were added, of which a page has those that it calls. */
export class Backend implements Omit<Calls, 'files'> {
  /** Without a prototype, from which others could have calls of theirs. */
  readonly #calls = host.dictionary<unknown>() as { [name: string]: unknown }
  readonly sync = this.#calls as unknown as SyncCalls
  readonly bulk = this.#calls as unknown as BulkCalls
  readonly digestLater: Calls['digestLater']
  readonly #parts: Parts
  readonly #objects: Objects
  readonly #families: Module[] = host.list()

  constructor(sourceOf: Parts['sourceOf'], hosting: Hosting = {}) {
    const books = new Books()
    this.#parts = { sourceOf, work: new Work(books), hosting: Object.assign(Object.create(null), hosting) }
    this.#objects = new Objects(this.#families, books)
    this.digestLater = digestLater(this.#parts.hosting)
    addCalls(this.#calls, this.#objects)
  }

  /** Adds the calls of families. */
  add(families: readonly Family[]): this {
    for (let i = 0; i < families.length; i++) {
      const family = new (families[i] as Family)(this.#parts)
      this.#families[this.#families.length] = family
      family.onEnd = this.#objects.onEnd
      addCalls(this.#calls, family)
    }
    return this
  }

  /** The object of a family, if it was added. */
  of<F extends Module>(Family: new (parts: Parts) => F): F | undefined {
    for (let i = 0; i < this.#families.length; i++) {
      const family = this.#families[i]
      if (family instanceof Family) return family
    }
    return undefined
  }

  // These functions are fields, since a monitor calls them of an object of its own.
  readonly partLen = (): number => this.#parts.hosting.crew?.()?.partLen ?? PART_LEN

  readonly isShort = (length: number, object: WorkedWith): boolean => {
    const { hosting } = this.#parts
    if (length <= atOnceLen(hosting)) return true
    if (length > shortLen(hosting)) return false
    for (let i = 0; i < this.#families.length; i++) if (this.#families[i]?.isPromised(object)) return false
    return true
  }
}

function digestLater({ promised }: Hosting): Calls['digestLater'] {
  if (promised === undefined) return undefined
  return (algorithm, data): Promise<Out> | undefined => {
    const given = promised.digest(algorithm, data)
    return given && settle(given)
  }
}

/** Adds the methods of a class, as functions by their names, but for those that every module has. */
function addCalls(calls: { [name: string]: unknown }, family: object): void {
  const top = family instanceof Module ? Module.prototype : Object.prototype
  for (let of = Object.getPrototypeOf(family); of !== top; of = Object.getPrototypeOf(of)) {
    const names = Object.getOwnPropertyNames(of)
    for (let i = 0; i < names.length; i++) {
      const name = names[i] as string
      const isCall = name !== 'constructor' && !(family instanceof Module && Object.hasOwn(Module.prototype, name))
      if (isCall && !(name in calls)) calls[name] = host.boundMethod(family, name)
    }
  }
}
