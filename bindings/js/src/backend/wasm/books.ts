import { SealstoneError } from '../../basics/error.js'
import { Turns } from '../../basics/turn.js'
import type { Handle, Out } from '../calls.js'
import { memoryOf } from './instance.js'
import * as host from './intrinsics.js'

/** An entry that has a number and is no object of a module: bytes that come in parts, or a job. */
export class Book {
  #memory: Out | undefined
  #loaded = 0
  #isCancelled = false
  #cancelled: () => void = () => undefined
  /** Ends work that a host may never end. */
  #end: (() => void) | undefined
  #isCounted = false
  /** Bytes that are done. */
  done = 0

  /** Says what is done in the end, where that is not the length of what was loaded. */
  count(bytes: number): void {
    this.done = bytes
    this.#isCounted = true
  }

  load(part: Uint8Array, length: number): void {
    this.#memory ??= memoryOf(length)
    host.copyInto(this.#memory, part, this.#loaded)
    this.#loaded += host.arrayLength(part)
  }

  /** Works on what was loaded, which is zeroed when the work is done, or cancelled. */
  async withLoaded<T>(work: (loaded: Out) => T | Promise<T>): Promise<T> {
    const memory = this.#memory ?? new host.Bytes(0)
    const length = this.#loaded
    this.#memory = undefined
    this.#loaded = 0
    try {
      return await work(host.partOf(memory, 0, length))
    } finally {
      host.fill(memory, 0)
    }
  }

  /** The work is done on so many bytes. */
  end(length: number): void {
    if (!this.#isCounted) this.done = length
  }

  cancel(): void {
    this.#isCancelled = true
    this.#cancelled()
    this.#end?.()
  }

  /** Throws if it was cancelled. */
  check(): void {
    if (this.#isCancelled) throw cancelled()
  }

  /** The result of work, unless it is cancelled before: the caller then waits no longer, even for a promise that is never kept. */
  async unlessCancelled<T>(work: Promise<T>): Promise<T> {
    const isCancelled = new Promise<never>((_, reject) => {
      this.#cancelled = () => reject(cancelled())
    })
    try {
      return await Promise.race([work, isCancelled])
    } catch (error) {
      if (this.#isCancelled) void work.then(forget, () => undefined)
      throw error
    }
  }

  /** Turns of the event loop, in which this job may be cancelled, and asked how far it has come. */
  turns(): JobTurns {
    return this.#turns((done) => {
      this.done = done
    })
  }

  /** As {@link turns}, of one item of several. */
  turnsOfItem(): JobTurns {
    return this.#turns(() => undefined)
  }

  #turns(report: (done: number) => void): JobTurns {
    return new JobTurns(
      () => this.#isCancelled,
      report,
      (end) => {
        this.#end = end
      },
    )
  }

  clear(): void {
    if (this.#memory !== undefined) host.fill(this.#memory, 0)
  }
}

/** Turns of the event loop, which may end the work. */
export class JobTurns {
  readonly #turns = new Turns()
  readonly #isCancelled: () => boolean
  readonly #report: (done: number) => void
  /** Has a function called when the work is cancelled, or none any more. */
  readonly onCancel: (end: (() => void) | undefined) => void

  constructor(
    isCancelled: () => boolean,
    report: (done: number) => void,
    onCancel: (end: (() => void) | undefined) => void,
  ) {
    this.#isCancelled = isCancelled
    this.#report = report
    this.onCancel = onCancel
  }

  /** Lets the event loop have its turn, if it is time; `done` bytes are. */
  async pass(done?: number): Promise<void> {
    if (done !== undefined) this.#report(done)
    if (await this.#turns.pass()) this.check()
  }

  /** Ends work that was cancelled. */
  check(): void {
    if (this.#isCancelled()) throw cancelled()
  }
}

/** Books by their numbers, which are negative. */
export class Books {
  // Without a prototype nobody sees what is looked up.
  readonly #books = host.dictionary<Book>()
  #last = 0

  open(): Handle {
    this.#books[--this.#last] = new Book()
    return this.#last
  }

  of(handle: Handle): Book {
    const book = this.#books[handle]
    if (book === undefined) throw new SealstoneError('internal', 'a bug in Sealstone: a number of no job and no bytes')
    return book
  }

  release(handle: Handle): void {
    this.#books[handle]?.clear()
    delete this.#books[handle]
  }
}

export function cancelled(): SealstoneError {
  return new SealstoneError('cancelled', 'cancelled')
}

/** A result that comes too late may be a plaintext. */
function forget(late: unknown): void {
  if (late instanceof host.Bytes) host.fill(late, 0)
}
