// The chunks of one file that the host seals or opens, while the core has their keys and counts them. Nothing of them crosses to
// WebAssembly.

import { SealstoneError } from '../error.js'
import type { Failure, Out, Part } from '../platform/sync.js'
import { EMPTY, NONCE_LEN, TAG_LEN } from './host-crypto.js'
import * as host from './intrinsics.js'
import type { Given } from './promised-crypto.js'

/** What is done with each chunk. */
export interface Step {
  /** Bytes of a whole chunk as it comes. */
  readonly length: number
  /** Bytes by which its result is longer: those of a tag, or as many less. */
  readonly growth: number
  /** The nonces of chunks from number `first` on, one behind the other, which have so many bytes in the file. */
  nonces(first: number, sealedLen: number, isEnd: boolean): Uint8Array
  /**
   * Writes a chunk's result from `at` on; throws where it has none. Or reads the chunk, and promises the result; none where the
   * chunk is not authentic. Until then the result's place is its own.
   */
  work(index: number, nonce: Uint8Array, chunk: Uint8Array, result: Out, at: number): Promised | undefined
  /** Throws what is said of a chunk that is not authentic. */
  refuse(index: number): void
}

/** The result of a chunk. */
export type Promised = Given<Out | undefined>

/** Chunks that were begun: those that are promised, and where their results go. */
interface Begun {
  readonly promised: { readonly chunk: Promised; readonly index: number; readonly at: number }[]
  /** Where the results end: all, or those in front of what failed at once. */
  readonly end: number
  readonly error: SealstoneError | undefined
}

/** Where the results of a part end, and the promise that they are written, where they are not yet: with what failed, if it did. */
interface Taken {
  readonly end: number
  readonly written: Promise<SealstoneError | undefined> | undefined
}

const CANCELLED = new SealstoneError('cancelled', 'cancelled')
/** Chunks whose nonces are asked for at once. */
const RUN = 128
/** The most that a stream is given at once: 16 chunks, as in core. */
export const UNIT_CHUNKS = 16

export class Chunks {
  readonly #step: Step
  /** The next chunk, and what has come of it: the first bytes of memory that is made when it is needed. */
  #next: number
  #held = 0
  #memory: Out | undefined
  /** What became of the last part of a stream, and the one before. */
  #ready: Part | Promise<Part> | undefined
  #last: Promise<Part> | undefined
  #failure: Failure | undefined
  /** What ends those who wait for promises, which may never be kept. */
  readonly #waiting = new Set<() => void>()
  #isOver = false

  constructor(step: Step, first = 0) {
    this.#step = step
    this.#next = first
  }

  /**
   * Takes the next part of a file, and at its end the last chunk; writes the results of those chunks that became whole from `at`
   * on. The lowest chunk that fails is the one that is named.
   */
  take(part: Uint8Array, isEnd: boolean, result: Out, at: number): Taken {
    const begun = this.#begin(part, isEnd, result, at)
    const { promised, end, error } = begun
    if (promised.length > 0) return { end, written: this.#unlessOver(this.#written(begun, result), CANCELLED) }
    if (error !== undefined) throw error
    return { end, written: undefined }
  }

  /** Takes bytes of a stream, as much as the next unit has room for; returns how much that is. */
  fill(bytes: Uint8Array): number {
    if (this.#ready !== undefined) return 0
    const length = Math.min(host.arrayLength(bytes), UNIT_CHUNKS * this.#step.length)
    const part = this.#part(host.partOf(bytes, 0, length), false)
    if (!isMade(part) || host.arrayLength(part.bytes) > 0 || part.failure !== undefined) this.#ready = part
    return length
  }

  /** What became of the bytes of a stream. */
  unit(): Part | Promise<Part> | null {
    const ready = this.#ready ?? null
    this.#ready = undefined
    return ready
  }

  /** What is left of a stream: at its end the last chunk. */
  finish(isEnd: boolean): Part | Promise<Part> {
    const ready = this.unit() ?? { bytes: EMPTY }
    if (!isEnd) return ready
    const last = this.#part(EMPTY, true)
    return isMade(ready) && isMade(last) ? joined(ready, last) : joinedLater(ready, last)
  }

  /** Zeroes what has come of a chunk. Those who wait for results wait no longer, and no result is written any more. */
  clear(): void {
    this.#isOver = true
    if (this.#memory !== undefined) host.fill(this.#memory, 0)
    this.#held = 0
    for (const end of this.#waiting) end()
  }

  /** Begins the chunks that a part makes whole. */
  #begin(part: Uint8Array, isEnd: boolean, result: Out, at: number): Begun {
    const { length, growth } = this.#step
    const total = this.#held + host.arrayLength(part)
    const whole = Math.floor(total / length)
    const count = whole + Number(isEnd)
    const tagLen = Math.max(growth, 0)
    const promised: { chunk: Promised; index: number; at: number }[] = []
    let [from, nonces, end] = [0, EMPTY as Uint8Array, at]
    try {
      for (let i = 0; i < count; i++) {
        if (i % RUN === 0) {
          const past = Math.min(i + RUN, count)
          const sealedLen = Math.min(past * length, total) - i * length + (past - i) * tagLen
          nonces = this.#step.nonces(this.#next, sealedLen, isEnd && past === count)
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
        const work = this.#step.work(this.#next, nonce, chunk, result, end)
        if (work !== undefined) promised[promised.length] = { chunk: work, index: this.#next, at: end }
        this.#next++
        end += chunkLen + growth
      }
      this.#hold(host.partOf(part, from, host.arrayLength(part) - from))
      return { promised, end, error: undefined }
    } catch (error) {
      if (!(error instanceof SealstoneError)) throw error
      return { promised, end, error }
    }
  }

  /** Puts what is promised into its place, up to the first chunk that fails. */
  async #put({ promised, end, error }: Begun, result: Out): Promise<Pick<Begun, 'end' | 'error'>> {
    let failed: { end: number; error: SealstoneError | undefined } | undefined
    for (let i = 0; i < promised.length; i++) {
      const { chunk, index, at } = promised[i] as Begun['promised'][number]
      const made = (await chunk) ?? this.#refused(index)
      if (made instanceof SealstoneError) failed ??= { end: at, error: made }
      else {
        if (failed === undefined && !this.#isOver) host.copyInto(result, made, at)
        // What is sealed is no secret.
        if (this.#step.growth < 0) host.fill(made, 0)
      }
    }
    return failed ?? { end, error }
  }

  #refused(index: number): SealstoneError {
    try {
      this.#step.refuse(index)
    } catch (error) {
      if (error instanceof SealstoneError) return error
      throw error
    }
    throw new SealstoneError('internal', 'a bug in Sealstone: a chunk without a result is authentic')
  }

  async #written(begun: Begun, result: Out): Promise<SealstoneError | undefined> {
    return (await this.#put(begun, result)).error
  }

  /** What becomes of a part, up to the first chunk that fails. Behind that one all others fail too. */
  #part(bytes: Uint8Array, isEnd: boolean): Part | Promise<Part> {
    if (this.#failure !== undefined) return { bytes: EMPTY, failure: this.#failure }
    const { length, growth } = this.#step
    const total = this.#held + host.arrayLength(bytes)
    const whole = Math.floor(total / length)
    const resultLen = isEnd ? total + (whole + 1) * growth : whole * (length + growth)
    const result = new host.Bytes(Math.max(resultLen, 0))
    const begun = this.#begin(bytes, isEnd, result, 0)
    const isMade = begun.promised.length === 0 && (this.#last === undefined || begun.error === undefined)
    if (isMade) return this.#partOf(result, begun)
    const failure = { code: CANCELLED.code, message: CANCELLED.message }
    this.#last = this.#unlessOver(this.#partLater(this.#last, result, begun), { bytes: EMPTY, failure })
    return this.#last
  }

  async #partLater(before: Promise<Part> | undefined, result: Out, begun: Begun): Promise<Part> {
    const put = await this.#put(begun, result)
    await before
    return this.#partOf(result, put)
  }

  #partOf(result: Out, { end, error }: Pick<Begun, 'end' | 'error'>): Part {
    const before = this.#failure
    if (before === undefined && error === undefined) return { bytes: result }
    if (error !== undefined) this.#failure ??= { code: error.code, message: error.message }
    const bytes = new host.Bytes(host.partOf(result, 0, before === undefined ? end : 0))
    host.fill(result, 0)
    return { bytes, failure: this.#failure as Failure }
  }

  /** What is promised, or `over` where the file is over before. */
  #unlessOver<T>(promise: Promise<T>, over: T): Promise<T> {
    let end: () => void
    const isOver = new Promise<T>((resolve) => {
      end = () => resolve(over)
      this.#waiting.add(end)
    })
    return Promise.race([promise, isOver]).finally(() => this.#waiting.delete(end))
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

function isMade(part: Part | Promise<Part>): part is Part {
  return 'bytes' in part
}

/** Two parts as one. */
function joined(first: Part, last: Part): Part {
  const length = host.arrayLength(first.bytes)
  if (length === 0) return last
  const bytes = new host.Bytes(length + host.arrayLength(last.bytes))
  host.copyInto(bytes, first.bytes)
  host.copyInto(bytes, last.bytes, length)
  host.fill(first.bytes, 0)
  host.fill(last.bytes, 0)
  return { ...last, bytes }
}

async function joinedLater(first: Part | Promise<Part>, last: Part | Promise<Part>): Promise<Part> {
  return joined(await first, await last)
}

/** The chunks of a file that a part of its plaintext lies in. */
export interface ChunkRange {
  /** The number of the first, and where they lie in the file. */
  readonly first: number
  readonly from: number
  readonly to: number
  readonly isEnd: boolean
  /** Bytes of their plaintext, and where the part lies among them. */
  readonly length: number
  readonly at: number
  readonly partLen: number
}

/** Those of the bytes from `start` up to `end`; none where these hold no byte of the plaintext, of which the core says what it says. */
export function rangeOf(
  file: { headLen: number; chunkLen: number; fileLen: number; length: number },
  start: number,
  end: number,
): ChunkRange | undefined {
  const { headLen, chunkLen, fileLen, length } = file
  if (start >= Math.min(end, length)) return undefined
  const first = Math.floor(start / chunkLen)
  const past = Math.ceil(end / chunkLen)
  // What is asked for beyond the end shows where that is, which is to be authentic.
  const isEnd = end > length || past > Math.floor(length / chunkLen)
  const sealedLen = chunkLen + TAG_LEN
  return {
    first,
    from: headLen + first * sealedLen,
    to: isEnd ? fileLen : headLen + past * sealedLen,
    isEnd,
    length: (isEnd ? length : past * chunkLen) - first * chunkLen,
    at: start - first * chunkLen,
    partLen: Math.min(end, length) - start,
  }
}
