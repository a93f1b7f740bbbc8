// The beginning of a stream, which is looked at before the rest is read.

import { type Bytes, bytesOf } from '../basics/bytes.js'
import type { Run } from './run.js'

/** A run as far as this needs it. */
type Signalled = Pick<Run, 'signal'>
type Parts = AsyncGenerator<Bytes, void, undefined>

/** A stream whose first bytes can be looked at. What it fails with is kept for its place. */
export class Ahead {
  readonly #parts: Parts
  readonly #run: Signalled
  #held: Bytes = new Uint8Array(0)
  #length = 0
  #isDone = false
  fault: Fault | undefined

  constructor(parts: Parts, run: Signalled) {
    this.#parts = parts
    this.#run = run
  }

  /** The first bytes, fewer where the stream has no more. Memory grows with what arrives. */
  async head(len: number): Promise<Bytes> {
    while (this.#length < len && !this.#isDone) {
      const next = await faulty(this.#parts.next(), this.#run)
      if ('error' in next) this.fault = next
      this.#isDone = 'error' in next || next.done === true
      if ('value' in next && next.value !== undefined) this.#hold(present(next.value))
    }
    return this.#held.subarray(0, Math.min(len, this.#length))
  }

  /** All bytes from one on that was looked at. */
  async *rest(from: number): Parts {
    if (from < this.#length) yield this.#held.subarray(from, this.#length)
    this.#held = new Uint8Array(0)
    if (this.fault) throw this.fault.error
    if (!this.#isDone) yield* this.#parts
  }

  async return(): Promise<void> {
    await this.#parts.return()
  }

  #hold(part: Bytes): void {
    if (this.#length + part.length > this.#held.length) {
      const held = new Uint8Array(Math.max(this.#length + part.length, 2 * this.#length))
      held.set(this.#held.subarray(0, this.#length))
      this.#held = held
    }
    this.#held.set(part, this.#length)
    this.#length += part.length
  }
}

/** The end of a stream or its error, at its place among the bytes. */
export interface Fault {
  readonly error: unknown
}

/** The next part of a stream, or what it ends with, which then has its place behind what came before. Not so an end by the signal. */
export async function faulty<T>(next: Promise<T>, { signal }: Signalled): Promise<T | Fault> {
  try {
    return await next
  } catch (error) {
    if (signal?.aborted) throw error
    return { error }
  }
}

export const PART = 'a part of the stream'

/** A part when it is taken: since it came its memory may have been transferred away, which would leave nothing of it. */
export function present(part: Bytes): Bytes {
  return part.length > 0 ? part : bytesOf(part, PART)
}
