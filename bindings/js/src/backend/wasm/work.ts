// How work is promised: in turns of the event loop, as a job or without one, on data that is loaded or copied.

import { SealstoneError } from '../../basics/error.js'
import { turn } from '../../basics/turn.js'
import type { BatchResult, Failure, Handle, ItemFailure, Later, Out, Part } from '../calls.js'
import { Book, type Books, type JobTurns } from './books.js'
import { EMPTY } from './host-crypto.js'
import * as host from './intrinsics.js'
import { Pieces } from './pieces.js'

/** Work on the books of a backend. */
export class Work {
  readonly #books: Books

  constructor(books: Books) {
    this.#books = books
  }

  /** Works on bytes that were loaded, as a job or without one. */
  withLoaded<T>(
    loading: Handle,
    job: Handle | undefined,
    work: (loaded: Out, turns: JobTurns, book: Book) => T | Promise<T>,
  ): Later<T> {
    return later(() => {
      const book = this.#books.of(job ?? loading)
      return book.unlessCancelled(
        this.#books.of(loading).withLoaded(async (loaded) => {
          await begins()
          const result = await work(loaded, book.turns(), book)
          book.end(host.arrayLength(loaded))
          return result
        }),
      )
    })
  }

  /** Work that begins in its order, as a job or without one. */
  asJob<T>(job: Handle | undefined, work: (turns: JobTurns) => Promise<T>): Later<T> {
    const book = job === undefined ? new Book() : this.#books.of(job)
    return inOrder(() => book.unlessCancelled(work(book.turns())))
  }

  /** Work on copies of secrets, in a turn of its own. It is not begun when its job is cancelled before. */
  inTurn<T>(job: Handle, own: readonly Uint8Array[], work: (turns: JobTurns) => Promise<T>): Later<T> {
    const book = this.#books.of(job)
    const begun = async (): Promise<T> => {
      try {
        await begins()
        book.check()
        return await work(book.turns())
      } finally {
        for (let i = 0; i < own.length; i++) host.fill(own[i] as Uint8Array, 0)
      }
    }
    return later(() => book.unlessCancelled(begun()))
  }

  /** Work on copies of one or two, that begins in its order. They are zeroed then. */
  onCopies<T, B extends Uint8Array | undefined>(
    first: Uint8Array,
    second: B,
    work: (first: Uint8Array, second: B) => T | Promise<T>,
  ): Later<T> {
    const copy = copyOf(first)
    const other = second && copyOf(second)
    return inOrder(async () => {
      try {
        return await work(copy, other as B)
      } finally {
        host.fill(copy, 0)
        if (other !== undefined) host.fill(other, 0)
      }
    })
  }

  /** Works on each item, in turns. */
  batch(
    data: Uint8Array,
    lengths: Uint32Array,
    job: Handle,
    work: (item: Uint8Array, turns: JobTurns) => Promise<Out>,
  ): Promise<BatchResult> {
    const book = this.#books.of(job)
    // The caller zeroes its own while this goes on.
    return book.unlessCancelled(eachItem(new host.Bytes(data), lengths, book, work))
  }
}

async function eachItem(
  items: Out,
  lengths: Uint32Array,
  book: Book,
  work: (item: Uint8Array, turns: JobTurns) => Promise<Out>,
): Promise<BatchResult> {
  const results = new Pieces()
  const resultLengths: number[] = []
  const failures: ItemFailure[] = []
  const turns = book.turnsOfItem()
  try {
    for (let index = 0; index < host.arrayLength(lengths); index++) {
      const item = host.partOf(items, book.done, lengths[index] as number)
      let bytes = EMPTY
      try {
        bytes = await work(item, turns)
        results.add({ bytes })
      } catch (error) {
        const failure = failureOf(error)
        if (failure.code === 'cancelled') throw error
        failures[failures.length] = { index, ...failure }
      }
      resultLengths[index] = host.arrayLength(bytes)
      book.done += host.arrayLength(item)
      await turns.pass()
    }
    return { bytes: await results.wholeLater(turns), lengths: resultLengths, failures }
  } finally {
    host.fill(items, 0)
    results.clear()
  }
}

/** Work that is begun at once. An error of ours is a failure. */
export async function later<T>(work: () => T | Promise<T>): Later<T> {
  try {
    return await work()
  } catch (error) {
    return failureOf(error)
  }
}

/** Bytes of the caller's, which it may zero while work waits. */
export function copyOf(bytes: Uint8Array): Uint8Array {
  return new host.Bytes(bytes)
}

/** When the last work begins that may take long. */
let begun: Promise<void> = Promise.resolve()

/** When work may begin that may take long, as a password's hash does: the event loop has a turn between two of them. */
function begins(): Promise<void> {
  // A turn that fails is the error of those who waited for it, and of no others.
  begun = begun.then(turn, turn)
  return begun
}

/** Work that may take long. */
function inOrder<T>(work: () => T | Promise<T>): Later<T> {
  const start = begins()
  return later(async () => {
    await start
    return work()
  })
}

/** An error of ours as a failure; of the engine's it is thrown. */
function failureOf(error: unknown): Failure {
  if (!(error instanceof SealstoneError)) throw error
  return { code: error.code, message: error.message }
}

/** Promises a part of a stream that is there, or passes a promise on. */
export function promisePart(part: Part | Promise<Part> | null): Later<Part> | null {
  return part === null ? null : Promise.resolve(part)
}
