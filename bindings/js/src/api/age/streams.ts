// Files of age in parts, with what streams of this package are made of. What is in memory comes in parts too.

import type { AgeCalls, Handle, Later, Part } from '../../backend/calls.js'
import { type Bytes, zero } from '../../basics/bytes.js'
import { SealstoneError } from '../../basics/error.js'
import { wholeNumber } from '../../basics/option.js'
import { bulk, call, errorOf, settled, sync } from '../../work/age-calls.js'
import { headOf } from '../../work/age-parts.js'
import { Ahead } from '../../work/ahead.js'
import { Held } from '../../work/handle.js'
import { checkLength, type Run, unlessAborted } from '../../work/run.js'
import { type ByteSource, measured, PRIMER, primed } from '../source.js'
import { begunLater, readable, units } from '../stream.js'

type Parts = AsyncGenerator<Bytes, void, undefined>

/** A stream that says how long it will be. */
export interface ReadableStreamWithSize extends ReadableStream<Bytes> {
  /**
   * The length of the plaintext of a file of this length, and the length of a file with such a plaintext.
   *
   * @throws {@link SealstoneError} `truncated` for a length that no file has.
   */
  size(sourceSize: number): number
}

export function withSize(
  parts: (stop: AbortController) => Parts,
  size: (length: number) => number,
): ReadableStreamWithSize {
  return Object.assign(readable(parts), { size })
}

/** Bytes of a file, or of a plaintext, as parts. */
export async function* single(bytes: Bytes): Parts {
  yield bytes
}

/** Begins work that may take a password hash, as {@link begunLater}; nobody stops reading before there is something to read. */
export function begun<T>(run: Run, begin: (job: Handle) => Later<T>): Promise<T> {
  return begunLater(run, new AbortController().signal, begin)
}

/** A file that is being encrypted: its head is there. */
export class Sealing {
  readonly #sealer: Held
  readonly #head: Bytes

  constructor(sealer: Handle) {
    this.#sealer = new Held(sealer, 'operation')
    this.#head = call((sync) => sync.ageSealerHead(sealer))
  }

  size(length: number): number {
    const plaintextLen = sizeOf(length)
    return this.#head.length + call((sync) => sync.ageSealedLen(plaintextLen))
  }

  parts(source: ByteSource, run: Run, stop = new AbortController()): Parts {
    return primed(this.#parts(source, run, stop))
  }

  async *#parts(source: ByteSource, run: Run, stop: AbortController): Parts {
    const parts = primed(measured(source, run, stop.signal))
    try {
      yield PRIMER
      const { handle } = this.#sealer
      yield this.#head
      const take = (part: Bytes): number => call((sync) => sync.ageSealerFill(handle, part))
      const unit = (): Later<Part> | null => bulk().ageSealerUnit(handle)
      const fault = yield* units(parts, take, unit, undefined, run, stop, sync().ageUnitsMax())
      if (fault) throw fault.error
      const last = call(() => bulk().ageSealerFinish(handle))
      yield* partOf(await settled(unlessAborted(last, run)))
    } finally {
      stop.abort()
      await parts.return()
      this.#sealer.destroy()
    }
  }
}

/** A file that is being decrypted, by its parts: its head is read first. */
export class Opening {
  readonly #file: Ahead
  readonly #bytes: Parts
  readonly #stop = new AbortController()
  readonly #run: Run
  #opener: Held | undefined
  #headLen = 0

  private constructor(source: ByteSource, run: Run) {
    this.#run = run
    this.#bytes = primed(measured(source, run, this.#stop.signal))
    this.#file = new Ahead(this.#bytes, run)
  }

  /** Reads the head, and opens it. */
  static async of(source: ByteSource, run: Run, open: (head: Bytes) => Promise<Handle>): Promise<Opening> {
    const opening = new Opening(source, run)
    try {
      const head = (await headOf((length) => opening.#file.head(length), checked())).slice()
      opening.#opener = new Held(await opening.#opened(head, open), 'operation')
      opening.#headLen = head.length
      return opening
    } catch (error) {
      await opening.#end()
      throw error
    }
  }

  /** A head that something else cut short is not called truncated, but may have a fault before the cut. */
  async #opened(head: Bytes, open: (head: Bytes) => Promise<Handle>): Promise<Handle> {
    try {
      return await open(head)
    } catch (error) {
      const isCut = error instanceof SealstoneError && error.code === 'truncated'
      throw isCut && this.#file.fault ? this.#file.fault.error : error
    }
  }

  size(length: number): number {
    const chunksLen = Math.max(sizeOf(length) - this.#headLen, 0)
    return call((sync) => sync.ageOpenedLen(chunksLen))
  }

  parts(stop?: AbortController): Parts {
    // Who reads no more ends the source, which may be waited for.
    stop?.signal.addEventListener('abort', () => this.#stop.abort(stop.signal.reason))
    return primed(this.#parts())
  }

  async *#parts(): Parts {
    try {
      yield PRIMER
      const { handle } = this.#opener as Held
      const take = (part: Bytes): number => call((sync) => sync.ageOpenerFill(handle, part))
      const unit = (): Later<Part> | null => bulk().ageOpenerUnit(handle)
      const fault = yield* units(
        this.#file.rest(this.#headLen),
        take,
        unit,
        undefined,
        this.#run,
        this.#stop,
        sync().ageUnitsMax(),
      )
      const last = call(() => bulk().ageOpenerFinish(handle, fault === undefined))
      yield* partOf(await settled(unlessAborted(last, this.#run)))
      if (fault) throw fault.error
    } finally {
      await this.#end()
    }
  }

  async #end(): Promise<void> {
    this.#stop.abort()
    await this.#file.return()
    await this.#bytes.return()
    this.#opener?.destroy()
  }
}

/** All parts in memory of their length. What was authentic before a fault is zeroed, and nobody sees it. */
export async function whole(parts: Parts, lengthOf: () => number): Promise<Bytes> {
  let result = new Uint8Array(0)
  let at = 0
  try {
    const length = lengthOf()
    checkLength(length)
    result = new Uint8Array(length)
    for await (const part of parts) {
      result.set(part, at)
      at += part.length
      zero(part)
    }
    return result
  } catch (error) {
    zero(result)
    await parts.return()
    throw error
  }
}

function sizeOf(length: unknown): number {
  return wholeNumber(length, 'the size', 0, Number.MAX_SAFE_INTEGER)
}

/** Calls the backend, with errors of ours. */
export function checked(): Pick<AgeCalls, 'ageHeadLen'> {
  return { ageHeadLen: (start) => call((sync) => sync.ageHeadLen(start)) }
}

/** Yields the result of a part, and then throws its failure. */
function* partOf({ bytes, failure }: Part): Generator<Bytes, void, undefined> {
  if (bytes.length > 0) yield bytes
  if (failure) throw errorOf(failure)
}
