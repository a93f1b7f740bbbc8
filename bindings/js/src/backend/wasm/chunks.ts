// The chunks of one file that the host seals or opens, while the core has their keys and counts them. Nothing of them crosses to
// WebAssembly.

import { SealstoneError } from '../../basics/error.js'
import type { Failure, Out, Part } from '../calls.js'
import type { Given } from './given.js'
import { EMPTY, NONCE_LEN, TAG_LEN } from './host-crypto.js'
import * as host from './intrinsics.js'

/** The work on the chunks of a file. */
export interface Step {
  /** Bytes of a whole chunk as it comes. */
  readonly length: number
  /** Bytes by which its result is longer: those of a tag, or as many less. */
  readonly growth: number
  /** The nonces of chunks from number `first` on, one behind the other, which have so many bytes in the file. */
  nonces(first: number, sealedLen: number, isEnd: boolean): Uint8Array
  readonly work: EachChunk | ManyChunks
  /** Throws what is said of a chunk that is not authentic. */
  refuse(index: number): void
}

export interface EachChunk {
  /**
   * Writes a chunk's result from `at` on; throws where it has none. Or reads the chunk, and promises the result; none where the
   * chunk is not authentic. Until then the result's place is its own.
   */
  each(index: number, nonce: Uint8Array, chunk: Uint8Array, result: Out, at: number): Promised | undefined
}

/** Where threads do it. */
export interface ManyChunks {
  /** Reads up to {@link JOB_CHUNKS} chunks, in two pieces, and promises their results. */
  together(nonces: Uint8Array, before: Uint8Array, bytes: Uint8Array): Given<Made>
  /** Forgets the key. */
  end(): void
}

/** The result of chunks, up to the first that is not authentic. */
export interface Made {
  readonly bytes: Out
  readonly isWhole: boolean
  /** Gives the memory back, once the bytes were copied. */
  free(): void
}

/** The result of a chunk. */
export type Promised = Given<Out | undefined>

/** Chunks that were begun: those that are promised, alone or together, and where their results go. */
interface Begun {
  readonly promised: { readonly made: Promised | Given<Made>; readonly index: number; readonly at: number }[]
  /** Where the results end: all, or those in front of what failed at once. */
  end: number
  error: SealstoneError | undefined
}

/** Where the results of a part end, and the promise that they are written, where they are not yet: with what failed, if it did. */
interface Taken {
  readonly end: number
  readonly written: Promise<SealstoneError | undefined> | undefined
}

const CANCELLED = new SealstoneError('cancelled', 'cancelled')
/** Chunks whose nonces are asked for at once. */
const RUN = 128
/** The most that a stream is given at once: 16 chunks, as in core; or a job. */
export const UNIT_CHUNKS = 16
/** The most that a thread is given at once. */
export const JOB_CHUNKS = 32

export class Chunks {
  readonly #step: Step
  /** The next chunk, and what has come of it: the first bytes of memory that is made when it is needed. */
  #next: number
  #held = 0
  #memory: Out | undefined
  /** The results of the last part of a stream, and of the one before. */
  #ready: Part | Promise<Part> | undefined
  #last: Promise<Part> | undefined
  #failure: Failure | undefined
  /** The functions that end waiting for promises, which may never be kept. */
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
    const unit = isMany(this.#step.work) ? JOB_CHUNKS : UNIT_CHUNKS
    const length = Math.min(host.arrayLength(bytes), unit * this.#step.length)
    const part = this.#part(host.partOf(bytes, 0, length), false)
    if (!isMade(part) || host.arrayLength(part.bytes) > 0 || part.failure !== undefined) this.#ready = part
    return length
  }

  /** The result of the bytes of a stream. */
  unit(): Part | Promise<Part> | null {
    const ready = this.#ready ?? null
    this.#ready = undefined
    return ready
  }

  /** The rest of a stream: at its end the last chunk. */
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
    if (isMany(this.#step.work)) this.#step.work.end()
    for (const end of this.#waiting) end()
  }

  /** Begins the chunks that a part makes whole. */
  #begin(part: Uint8Array, isEnd: boolean, result: Out, at: number): Begun {
    const { length, growth, work } = this.#step
    const partLen = host.arrayLength(part)
    const total = this.#held + partLen
    const whole = Math.floor(total / length)
    const count = whole + Number(isEnd)
    const run = isMany(work) ? JOB_CHUNKS : RUN
    const tagLen = Math.max(growth, 0)
    const begun: Begun = { promised: host.list(), end: at, error: undefined }
    let from = 0
    try {
      for (let i = 0; i < count; i += run) {
        const past = Math.min(i + run, count)
        const runLen = Math.min(past * length, total) - i * length
        const nonces = this.#step.nonces(this.#next, runLen + (past - i) * tagLen, isEnd && past === count)
        const bytes = host.partOf(part, from, runLen - this.#held)
        from += runLen - this.#held
        if (isMany(work)) this.#together(work, nonces, bytes, begun)
        else this.#each(work, nonces, bytes, result, begun)
      }
      this.#hold(host.partOf(part, from, partLen - from))
    } catch (error) {
      if (!(error instanceof SealstoneError)) throw error
      begun.error = error
    }
    return begun
  }

  /** Begins chunks, the first bytes of which are held, one by one. */
  #each(work: EachChunk, nonces: Uint8Array, bytes: Uint8Array, result: Out, begun: Begun): void {
    const { length, growth } = this.#step
    const count = host.arrayLength(nonces) / NONCE_LEN
    const bytesLen = host.arrayLength(bytes)
    let from = 0
    for (let i = 0; i < count; i++) {
      let chunk: Uint8Array
      const chunkLen = Math.min(length, this.#held + bytesLen - from)
      if (this.#held > 0) {
        from += this.#hold(host.partOf(bytes, 0, chunkLen - this.#held))
        chunk = host.partOf(this.#memory as Out, 0, chunkLen)
        this.#held = 0
      } else {
        chunk = host.partOf(bytes, from, chunkLen)
        from += chunkLen
      }
      const nonce = host.partOf(nonces, i * NONCE_LEN, NONCE_LEN)
      const made = work.each(this.#next, nonce, chunk, result, begun.end)
      if (made !== undefined) begun.promised[begun.promised.length] = { made, index: this.#next, at: begun.end }
      this.#next++
      begun.end += chunkLen + growth
    }
  }

  /** As {@link #each}, of chunks that are worked on together. */
  #together(work: ManyChunks, nonces: Uint8Array, bytes: Uint8Array, begun: Begun): void {
    const before = host.partOf(this.#memory ?? EMPTY, 0, this.#held)
    const count = host.arrayLength(nonces) / NONCE_LEN
    begun.promised[begun.promised.length] = {
      made: work.together(nonces, before, bytes),
      index: this.#next,
      at: begun.end,
    }
    this.#next += count
    begun.end += this.#held + host.arrayLength(bytes) + count * this.#step.growth
    this.#held = 0
  }

  /** Puts what is promised into its place, up to the first chunk that fails. */
  async #put({ promised, end, error }: Begun, result: Out): Promise<Pick<Begun, 'end' | 'error'>> {
    const { length, growth } = this.#step
    let failed: Pick<Begun, 'end' | 'error'> | undefined
    const read: ArrayBuffer[] = []
    for (let i = 0; i < promised.length; i++) {
      const { made, index, at } = promised[i] as Begun['promised'][number]
      const given = await made
      if (given instanceof SealstoneError) {
        failed ??= { end: at, error: given }
        continue
      }
      const isAlone = given === undefined || given instanceof host.Bytes
      const bytes = isAlone ? (given ?? EMPTY) : given.bytes
      if (failed === undefined) {
        if (!this.#isOver) host.copyInto(result, bytes, at)
        const isWhole = isAlone ? given !== undefined : given.isWhole
        const bytesLen = host.arrayLength(bytes)
        if (!isWhole) {
          failed = { end: at + bytesLen, error: this.#refused(index + bytesLen / (length + growth)) }
        }
      }
      // A ciphertext is no secret.
      if (growth < 0) host.fill(bytes, 0)
      if (!isAlone) given.free()
      else if (given !== undefined) read[read.length] = host.arrayBuffer(given) as ArrayBuffer
    }
    host.free(read)
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

  /** The result of a part, up to the first chunk that fails. Behind that one all others fail too. */
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

  /** The promised result, or `over` if the file is over before. */
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

function isMany(work: EachChunk | ManyChunks): work is ManyChunks {
  return !Object.hasOwn(work, 'each')
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
  // A range beyond the end shows where the end is, which is to be authentic.
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
