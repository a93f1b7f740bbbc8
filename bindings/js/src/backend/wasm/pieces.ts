import { errorFrom, type SealstoneError } from '../../basics/error.js'
import type { Failure, Out, Part } from '../calls.js'
import type { JobTurns } from './books.js'
import { memoryOf } from './instance.js'
import * as host from './intrinsics.js'

/** Bytes that are made piece by piece, until they are one. */
export class Pieces {
  readonly #pieces: Out[] = host.list()
  #length = 0

  add({ bytes, failure }: Part): void {
    this.#pieces[this.#pieces.length] = bytes
    this.#length += host.arrayLength(bytes)
    if (failure !== undefined) throw errorOf(failure)
  }

  whole(): Out {
    const whole = memoryOf(this.#length)
    let at = 0
    for (let i = 0; i < this.#pieces.length; i++) at = this.#put(i, whole, at)
    return whole
  }

  /** As {@link whole}, in turns of the event loop. */
  async wholeLater(turns: JobTurns): Promise<Out> {
    const whole = memoryOf(this.#length)
    let at = 0
    for (let i = 0; i < this.#pieces.length; i++) {
      at = this.#put(i, whole, at)
      await turns.pass()
    }
    return whole
  }

  #put(index: number, whole: Out, at: number): number {
    const piece = this.#pieces[index] as Out
    host.copyInto(whole, piece, at)
    return at + host.arrayLength(piece)
  }

  /** Zeroes them. */
  clear(): void {
    for (let i = 0; i < this.#pieces.length; i++) host.fill(this.#pieces[i] as Out, 0)
  }
}

export function errorOf({ code, message }: Failure): SealstoneError {
  return errorFrom(code, message)
}
