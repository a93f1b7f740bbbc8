// The chunks of one file that the host seals or opens, while the core has their keys and counts them. Nothing of them crosses to
// WebAssembly.

import { SealstoneError } from '../error.js'
import type { Failure, Out, Part } from '../platform/sync.js'
import { EMPTY, NONCE_LEN } from './host-crypto.js'
import * as host from './intrinsics.js'

/** What is done with each chunk. */
export interface Step {
  /** Bytes of a whole chunk as it comes. */
  readonly length: number
  /** Bytes by which its result is longer: those of a tag, or as many less. */
  readonly growth: number
  /** The nonces of chunks from number `first` on, one behind the other, which have so many bytes in the file. */
  nonces(first: number, sealedLen: number, isEnd: boolean): Uint8Array
  /** Writes a chunk's result from `at` on; throws where it has none. */
  work(index: number, nonce: Uint8Array, chunk: Uint8Array, result: Out, at: number): void
}

/** Chunks whose nonces are asked for at once. */
const RUN = 128
/** The most that a stream is given at once: 16 chunks, as in core. */
const UNIT_CHUNKS = 16

export class Chunks {
  readonly #step: Step
  /** The next chunk, and what has come of it: the first bytes of memory that is made when it is needed. */
  #next: number
  #held = 0
  #memory: Out | undefined
  /** Where the results of the last `take` end. */
  #end = 0
  /** What became of the last part of a stream. */
  #ready: Part | undefined
  #failure: Failure | undefined

  constructor(step: Step, first = 0) {
    this.#step = step
    this.#next = first
  }

  /**
   * Takes the next part of a file, and at its end the last chunk; writes the results of those chunks that became whole from `at`
   * on. Returns where they end.
   */
  take(part: Uint8Array, isEnd: boolean, result: Out, at: number): number {
    const { length, growth } = this.#step
    const total = this.#held + host.arrayLength(part)
    const whole = Math.floor(total / length)
    const count = whole + Number(isEnd)
    const tagLen = Math.max(growth, 0)
    let [from, nonces] = [0, EMPTY as Uint8Array]
    this.#end = at
    for (let i = 0; i < count; i++) {
      if (i % RUN === 0) {
        const end = Math.min(i + RUN, count)
        const sealedLen = Math.min(end * length, total) - i * length + (end - i) * tagLen
        nonces = this.#step.nonces(this.#next, sealedLen, isEnd && end === count)
      }
      const chunkLen = i < whole ? length : total - whole * length
      let chunk: Uint8Array
      if (this.#held > 0) {
        from += this.#hold(host.partOf(part, 0, chunkLen - this.#held))
        chunk = host.partOf(this.#memory as Out, 0, chunkLen)
        this.#held = 0
      } else {
        chunk = host.partOf(part, from, chunkLen)
        from += chunkLen
      }
      const nonce = host.partOf(nonces, (i % RUN) * NONCE_LEN, NONCE_LEN)
      this.#step.work(this.#next, nonce, chunk, result, this.#end)
      this.#next++
      this.#end += chunkLen + growth
    }
    this.#hold(host.partOf(part, from, host.arrayLength(part) - from))
    return this.#end
  }

  /** Takes bytes of a stream, as much as the next unit has room for; returns how much that is. */
  fill(bytes: Uint8Array): number {
    if (this.#ready !== undefined) return 0
    const length = Math.min(host.arrayLength(bytes), UNIT_CHUNKS * this.#step.length)
    const part = this.#part(host.partOf(bytes, 0, length), false)
    if (host.arrayLength(part.bytes) > 0 || part.failure !== undefined) this.#ready = part
    return length
  }

  /** What became of the bytes of a stream. */
  unit(): Part | null {
    const ready = this.#ready ?? null
    this.#ready = undefined
    return ready
  }

  /** What is left of a stream: at its end the last chunk. */
  finish(isEnd: boolean): Part {
    const { bytes, failure } = this.unit() ?? { bytes: EMPTY }
    if (failure !== undefined || !isEnd) return failure === undefined ? { bytes } : { bytes, failure }
    const last = this.#part(EMPTY, true)
    const length = host.arrayLength(bytes)
    if (length === 0) return last
    const all = new host.Bytes(length + host.arrayLength(last.bytes))
    host.copyInto(all, bytes)
    host.copyInto(all, last.bytes, length)
    host.fill(bytes, 0)
    host.fill(last.bytes, 0)
    return { ...last, bytes: all }
  }

  /** Zeroes what has come of a chunk. */
  clear(): void {
    if (this.#memory !== undefined) host.fill(this.#memory, 0)
    this.#held = 0
  }

  /** What becomes of a part, up to the first chunk that fails. Behind that one all others fail too. */
  #part(bytes: Uint8Array, isEnd: boolean): Part {
    if (this.#failure !== undefined) return { bytes: EMPTY, failure: this.#failure }
    const { length, growth } = this.#step
    const total = this.#held + host.arrayLength(bytes)
    const whole = Math.floor(total / length)
    const resultLen = isEnd ? total + (whole + 1) * growth : whole * (length + growth)
    const result = new host.Bytes(Math.max(resultLen, 0))
    try {
      this.take(bytes, isEnd, result, 0)
      return { bytes: result }
    } catch (error) {
      if (!(error instanceof SealstoneError)) throw error
      const { code, message } = error
      this.#failure = { code, message }
      const kept = new host.Bytes(host.partOf(result, 0, this.#end))
      host.fill(result, 0)
      return { bytes: kept, failure: this.#failure }
    }
  }

  #hold(bytes: Uint8Array): number {
    const length = host.arrayLength(bytes)
    if (length === 0) return 0
    this.#memory ??= new host.Bytes(this.#step.length)
    host.copyInto(this.#memory, bytes, this.#held)
    this.#held += length
    return length
  }
}
