// The formats of files: the calls on their parts, under the same names for each.

import type { BulkCalls, Handle, Later, Out, Part, SyncCalls } from '../backend/calls.js'
import type { Bytes } from '../basics/bytes.js'
import { errorFrom } from '../basics/error.js'
import { CHUNK_LEN } from '../basics/table.js'
import { chunksOf, headOf } from '../work/age-parts.js'
import { Ahead } from '../work/ahead.js'
import { isArmoured, seenOf } from '../work/inspection.js'
import { type Chunks, openedRange } from '../work/range.js'
import { notSeekable } from './failure.js'
import type { Input, Parts } from './input.js'

/** Gives the first bytes of a file, fewer where there are no more. */
type Start = (length: number) => Promise<Bytes>
/** Reads from one place of a file up to another. */
type ReadAt = (from: number, to: number) => Promise<Bytes>

/** Seals or opens the chunks of a file. */
interface Machine {
  fill(machine: Handle, part: Uint8Array): number
  unit(machine: Handle): Later<Part> | null
  finish(machine: Handle, isEnd: boolean): Later<Part>
}

interface FormatCalls {
  readonly sealer: (encryptor: Handle, job: Handle) => Later<Handle>
  readonly sealerHead: (sealer: Handle) => Out
  readonly sealing: Machine
  readonly opener: (decryptor: Handle, head: Uint8Array, job: Handle) => Later<Handle>
  readonly opening: Machine
  readonly isArmoured: (start: Start) => Promise<boolean>
  /** The file in armour. Where that file is replaced, armour must be alone in it. */
  readonly dearmoured: (text: Parts, isAlone: boolean) => Parts
  /** The bytes before the first chunk. */
  readonly head: (start: Start) => Promise<Bytes>
  /** The chunks of a file of this length. */
  readonly chunks: (opener: Handle, head: Bytes, length: number, read: ReadAt) => Chunks
}

/** A file without its armour. */
export interface Binary {
  readonly head: Bytes
  /** All bytes behind the head. */
  readonly rest: Parts
  readonly isArmoured: boolean
}

export class Format {
  readonly #sync: SyncCalls
  readonly #calls: FormatCalls

  constructor(sync: SyncCalls, calls: FormatCalls) {
    this.#sync = sync
    this.#calls = calls
  }

  /** Encrypts a plaintext into a file. */
  async *sealed(encryptor: Handle, plaintext: Parts, job: Handle): Parts {
    const sealer = await settled(this.#calls.sealer(encryptor, job))
    try {
      yield this.#calls.sealerHead(sealer)
      yield* worked(this.#calls.sealing, sealer, plaintext)
    } finally {
      this.#sync.release(sealer)
    }
  }

  /** Decrypts the chunks behind a head. */
  async *opened(decryptor: Handle, head: Bytes, chunks: Parts, job: Handle): Parts {
    const opener = await settled(this.#calls.opener(decryptor, head, job))
    try {
      yield* worked(this.#calls.opening, opener, chunks)
    } finally {
      this.#sync.release(opener)
    }
  }

  /** Decrypts a part of the plaintext. */
  async range(decryptor: Handle, head: Bytes, input: Input, start: number, end: number): Promise<Out> {
    const opener = await settled(this.#calls.opener(decryptor, head, input.run.job))
    try {
      if (input.length === undefined) throw notSeekable()
      const read: ReadAt = (from, to) => {
        input.run.add(to - from)
        return input.readAt(from, to)
      }
      const range = await openedRange(this.#calls.chunks(opener, head, input.length, read), start, end)
      await input.finish()
      return range
    } finally {
      this.#sync.release(opener)
    }
  }

  /** Works on the file that an input is, or that its armour holds: any armour, only armour that is alone in the input, or none. */
  async using<T>(
    input: Input,
    work: (file: Binary) => Promise<T>,
    armour: 'any' | 'alone' | 'none' = 'any',
  ): Promise<T> {
    const parts = input.parts()
    let file = new Ahead(parts, input.run)
    try {
      const isArmoured = await this.#calls.isArmoured((length) => file.head(length))
      if (isArmoured && armour === 'none') throw notSeekable()
      if (isArmoured) file = new Ahead(this.#calls.dearmoured(file.rest(0), armour === 'alone'), input.run)
      const head = await this.#calls.head(async (length) => {
        const start = await file.head(length)
        if (file.fault !== undefined && start.length < length) throw file.fault.error
        return start
      })
      return await work({ head, rest: file.rest(head.length), isArmoured })
    } finally {
      await file.return()
      await parts.return()
    }
  }
}

/** Sealstone's own format. */
export function sealstone(sync: SyncCalls, bulk: BulkCalls): Format {
  return new Format(sync, {
    sealer: bulk.sealerLater,
    sealerHead: sync.sealerHead,
    sealing: { fill: sync.sealerFill, unit: bulk.sealerUnit, finish: bulk.sealerFinish },
    opener: bulk.openerLater,
    opening: { fill: sync.openerFill, unit: bulk.openerUnit, finish: bulk.openerFinish },
    isArmoured: (start) => isArmoured(sync, start),
    async *dearmoured(text, isAlone) {
      const dearmour = sync.dearmour(isAlone)
      try {
        for await (const part of text) yield* partOf(sync.dearmourUpdate(dearmour, part))
        yield* partOf(sync.dearmourFinish(dearmour))
      } finally {
        sync.release(dearmour)
      }
    },
    head: async (start) => start(sync.fileHeadLen(await start(sync.fileStartLen()))),
    chunks(opener, head, length, read) {
      const { plaintextLen, chunks: count } = seenOf(sync, head, length - head.length)
      const sealedLen = CHUNK_LEN + sync.tagLen()
      const place = (chunk: number): number => Math.min(head.length + chunk * sealedLen, length)
      const open = async (first: number, past: number): Promise<Out> =>
        sync.openerAt(opener, first, await read(place(first), place(past)))
      return { chunkLen: CHUNK_LEN, plaintextLen, count, open }
    },
  })
}

/** Armour of age may have white space in front of it. */
const AGE_START_LEN = 1 << 11

/** The format of age. */
export function age(sync: SyncCalls, bulk: BulkCalls): Format {
  return new Format(sync, {
    sealer: bulk.ageSealerLater,
    sealerHead: sync.ageSealerHead,
    sealing: { fill: sync.ageSealerFill, unit: bulk.ageSealerUnit, finish: bulk.ageSealerFinish },
    opener: bulk.ageOpenerLater,
    opening: { fill: sync.ageOpenerFill, unit: bulk.ageOpenerUnit, finish: bulk.ageOpenerFinish },
    isArmoured: async (start) => sync.ageIsArmoured(await start(AGE_START_LEN)),
    // Such armour is text for mail, which is read as a whole.
    async *dearmoured(text) {
      const read: Uint8Array[] = []
      for await (const part of text) read.push(part.slice())
      yield sync.ageDearmour(Buffer.concat(read))
    },
    head: (start) => headOf(start, sync),
    chunks: (opener, head, length, read) => chunksOf(sync, opener, { headLen: head.length, length, read }),
  })
}

/** Seals or opens parts, unit by unit. */
async function* worked(machine: Machine, handle: Handle, parts: Parts): Parts {
  for await (const part of parts) {
    for (let at = 0; at < part.length; ) {
      at += machine.fill(handle, part.subarray(at))
      const unit = machine.unit(handle)
      if (unit !== null) yield* partOf(await settled(unit))
    }
  }
  yield* partOf(await settled(machine.finish(handle, true)))
}

/** The result of a promise of WebAssembly, which no call has to fetch. */
async function settled<T>(later: Later<T>): Promise<T> {
  const result = await later
  if (typeof result === 'object' && result !== null && 'code' in result) throw errorFrom(result.code, result.message)
  return result as T
}

/** The bytes that a part became, and then its failure. */
function* partOf({ bytes, failure }: Part): Generator<Out, void, undefined> {
  if (bytes.length > 0) yield bytes
  if (failure !== undefined) throw errorFrom(failure.code, failure.message)
}
