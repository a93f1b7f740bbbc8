// The objects of all modules, jobs, and bytes that come in parts.

import type { Handle, NativeCalls, Out, SyncCalls } from '../calls.js'
import { fill } from '../randomness.js'
import type { Books } from './books.js'
import * as host from './intrinsics.js'
import type { Module } from './module.js'
import { Owners } from './owners.js'

export class Objects implements NativeCalls, Pick<SyncCalls, 'again' | 'memory' | 'own' | 'release'> {
  readonly #families: readonly Module[]
  readonly #books: Books
  readonly #owners: Owners
  /** Is told of each number that ends. It is no call, and so a field. */
  readonly onEnd = (handle: Handle): void => this.#owners.forget(handle)

  constructor(families: readonly Module[], books: Books) {
    this.#families = families
    this.#books = books
    this.#owners = new Owners((handle) => this.release(handle))
  }

  release(handle: Handle): void {
    this.#books.release(handle)
    for (let i = 0; i < this.#families.length; i++) this.#families[i]?.release(handle)
  }

  own(handle: Handle, owner: object): void {
    if (this.#holder(handle) !== undefined) this.#owners.add(handle, owner)
  }

  /** The first module says where there is none. */
  again(handle: Handle): Handle {
    return (this.#holder(handle) ?? (this.#families[0] as Module)).again(handle)
  }

  /** How many objects there are. */
  heldCount(): number {
    let count = 0
    for (let i = 0; i < this.#families.length; i++) count += (this.#families[i] as Module).heldCount()
    return count
  }

  memory(len: number): Out {
    return new host.Bytes(len)
  }

  checkBackend(): void {}

  randomFill(out: Uint8Array): void {
    fill(out as Out)
  }

  /** All results are whole. */
  resultTake(): number {
    return 0
  }

  job(): Handle {
    return this.#books.open()
  }

  jobCancel(job: Handle): void {
    this.#books.of(job).cancel()
  }

  jobProgress(job: Handle): readonly number[] {
    return [this.#books.of(job).done]
  }

  loading(): Handle {
    return this.#books.open()
  }

  loadingUpdate(loading: Handle, part: Uint8Array, length: number): void {
    this.#books.of(loading).load(part, length)
  }

  #holder(handle: Handle): Module | undefined {
    for (let i = 0; i < this.#families.length; i++) {
      if (this.#families[i]?.holds(handle)) return this.#families[i]
    }
    return undefined
  }
}
