// The backend without an addon: the calls over the modules of WebAssembly (docs/design/wasm.md). A module has its own objects: what
// crosses from one to the other are bytes.

import type { BulkCalls, Out, SyncCalls } from '../calls.js'
import type { Calls, WorkedWith } from '../index.js'
import { Age } from './age.js'
import { Base } from './base.js'
import { Books } from './books.js'
import { JOB_CHUNKS } from './chunks.js'
import { Cipher } from './cipher.js'
import { Compat } from './compat.js'
import { Digest } from './digest.js'
import { Exchange } from './exchange.js'
import { PART_LEN } from './file-work.js'
import { settle } from './given.js'
import { atOnceLen, type Hosting, shortLen } from './hosting.js'
import type { ModuleKind } from './kinds.js'
import { Module, type Source } from './module.js'
import { Objects } from './objects.js'
import { Rsa } from './rsa.js'
import { Sign } from './sign.js'
import { Work } from './work.js'

/** All calls but for files by name. Each family's are a class over its module; a host does the work that it has. */
export class Backend implements Omit<Calls, 'files'> {
  readonly base: Base
  readonly sync: SyncCalls
  readonly bulk: BulkCalls
  readonly #cipher: Cipher
  readonly #hosting: Hosting

  /** A module is asked for when it is first needed. */
  constructor(sourceOf: (kind: ModuleKind) => Source, hosting: Hosting = {}) {
    const { crypto, promised, rsa } = hosting
    const books = new Books()
    const work = new Work(books)
    const [base, exchange] = [sourceOf('base'), sourceOf('exchange')]
    this.#hosting = hosting
    this.base = new Base(base, sourceOf('forms'), work, hosting)
    this.#cipher = new Cipher(sourceOf('cipher'), work, crypto, promised)
    const families = [
      this.base,
      this.#cipher,
      new Digest(sourceOf('digest'), work, crypto, (crypto ?? promised)?.derive),
      new Sign(sourceOf('sign'), work, rsa),
      new Exchange(exchange, work),
      new Rsa(exchange, work, rsa),
      new Age(sourceOf('age'), work),
      new Compat(sourceOf('compat'), work),
    ] as const
    const calls = callsOf([...families, new Objects(families, books)])
    this.sync = calls
    this.bulk = calls
  }

  get digestLater(): Calls['digestLater'] {
    const { promised } = this.#hosting
    if (promised === undefined) return undefined
    return (algorithm, data): Promise<Out> | undefined => {
      const given = promised.digest(algorithm, data)
      return given && settle(given)
    }
  }

  get partLen(): number {
    return this.#hosting.crew?.() === undefined ? PART_LEN : JOB_CHUNKS * this.base.chunkLen()
  }

  isShort(length: number, { sealer, opener, key }: WorkedWith): boolean {
    if (length <= atOnceLen(this.#hosting)) return true
    if (length > shortLen(this.#hosting)) return false
    return !this.base.isPromised(sealer, opener) && (key === undefined || !this.#cipher.isPromised(key))
  }
}

/** The calls of all families, as functions by their names. */
function callsOf(families: readonly object[]): SyncCalls & BulkCalls {
  const calls: Record<string, unknown> = {}
  for (const family of families) {
    for (const name of namesOf(family)) calls[name] = (family as Record<string, () => unknown>)[name]?.bind(family)
  }
  return calls as never
}

/** The methods of a family, but for those that every class has, and every module. */
function namesOf(family: object): Set<string> {
  const names = new Set<string>()
  let of = Object.getPrototypeOf(family)
  while (of !== Object.prototype && of !== Module.prototype) {
    for (const name of Object.getOwnPropertyNames(of)) names.add(name)
    of = Object.getPrototypeOf(of)
  }
  const common = family instanceof Module ? Module.prototype : Object.prototype
  for (const name of Object.getOwnPropertyNames(common)) names.delete(name)
  return names
}
