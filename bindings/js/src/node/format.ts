// The formats of files: what computes on their parts, in the same words for each.

import type { BulkCalls, Failure, Handle, Later, Out, Part, SyncCalls } from '../backend/calls.js'
import { errorFrom, type SealstoneError } from '../basics/error.js'
import { CHUNK_LEN } from '../basics/table.js'
import { chunksOf, headOf } from '../work/age-parts.js'
import { isArmoured, seenOf } from '../work/inspection.js'
import type { Chunks } from '../work/range.js'
import type { Input } from './input.js'
import { Source } from './source.js'

/** Bytes in parts. */
type Parts = AsyncGenerator<Uint8Array, void, undefined>

/** One format. */
export interface Format {
  seal(encryptor: Handle, job: Handle): Later<Handle>
  sealerHead(sealer: Handle): Out
  sealerFill(sealer: Handle, plaintext: Uint8Array): number
  sealerUnit(sealer: Handle): Later<Part> | null
  sealerFinish(sealer: Handle): Later<Part>

  open(decryptor: Handle, head: Uint8Array, job: Handle): Later<Handle>
  openerFill(opener: Handle, chunks: Uint8Array): number
  openerUnit(opener: Handle): Later<Part> | null
  openerFinish(opener: Handle, isEnd: boolean): Later<Part>

  isArmoured(source: Source): Promise<boolean>
  /** What armour holds, which is alone in the file where that is replaced. */
  dearmoured(text: Parts, isAlone: boolean): Parts
  /** What stands before the first chunk, or what there is of it. */
  head(source: Source): Promise<Uint8Array>
  /** Refuses a file that no bytes of such a length can be behind this head. */
  checkLength(head: Uint8Array, chunksLen: number): void
  /** The chunks of a file of this length, which are read with `read`. */
  chunks(opener: Handle, head: Uint8Array, length: number, read: ReadAt): Chunks
}

/** Reads from one place of a file up to another. */
type ReadAt = (from: number, to: number) => Promise<Uint8Array>

/** Sealstone's own format. */
export function sealstone(sync: SyncCalls, bulk: BulkCalls): Format {
  return {
    seal: (encryptor, job) => bulk.sealerLater(encryptor, job),
    sealerHead: (sealer) => sync.sealerHead(sealer),
    sealerFill: (sealer, plaintext) => sync.sealerFill(sealer, plaintext),
    sealerUnit: (sealer) => bulk.sealerUnit(sealer),
    sealerFinish: (sealer) => bulk.sealerFinish(sealer),

    open: (decryptor, head, job) => bulk.openerLater(decryptor, head, job),
    openerFill: (opener, chunks) => sync.openerFill(opener, chunks),
    openerUnit: (opener) => bulk.openerUnit(opener),
    openerFinish: (opener, isEnd) => bulk.openerFinish(opener, isEnd),

    isArmoured: (source) => isArmoured(sync, (length) => source.head(length)),
    async *dearmoured(text, isAlone) {
      const dearmour = sync.dearmour(isAlone)
      try {
        for await (const part of text) yield* partOf(sync.dearmourUpdate(dearmour, part))
        yield* partOf(sync.dearmourFinish(dearmour))
      } finally {
        sync.release(dearmour)
      }
    },
    async head(source) {
      const startLen = sync.fileStartLen()
      const start = await source.head(startLen)
      if (start.length < startLen && source.fault !== undefined) throw source.fault.error
      return source.head(sync.fileHeadLen(start))
    },
    checkLength: (head, chunksLen) => void seenOf(sync, head, chunksLen),
    chunks(opener, head, length, read) {
      const { plaintextLen, chunks: count } = seenOf(sync, head, length - head.length)
      const sealedLen = CHUNK_LEN + sync.tagLen()
      const open = async (first: number, past: number): Promise<Out> => {
        const from = head.length + first * sealedLen
        const part = await read(from, Math.min(head.length + past * sealedLen, length))
        return sync.openerAt(opener, first, part)
      }
      return { chunkLen: CHUNK_LEN, plaintextLen, count, open }
    },
  }
}

/** More than white space in front of age's armour has as a rule. */
const AGE_START_LEN = 1 << 11

/** The format of age. */
export function age(sync: SyncCalls, bulk: BulkCalls): Format {
  return {
    seal: (encryptor, job) => bulk.ageSealerLater(encryptor, job),
    sealerHead: (sealer) => sync.ageSealerHead(sealer),
    sealerFill: (sealer, plaintext) => sync.ageSealerFill(sealer, plaintext),
    sealerUnit: (sealer) => bulk.ageSealerUnit(sealer),
    sealerFinish: (sealer) => bulk.ageSealerFinish(sealer),

    open: (decryptor, head, job) => bulk.ageOpenerLater(decryptor, head, job),
    openerFill: (opener, chunks) => sync.ageOpenerFill(opener, chunks),
    openerUnit: (opener) => bulk.ageOpenerUnit(opener),
    openerFinish: (opener, isEnd) => bulk.ageOpenerFinish(opener, isEnd),

    isArmoured: async (source) => sync.ageIsArmoured(await source.head(AGE_START_LEN)),
    // Such armour is text for mail, which is read as a whole.
    async *dearmoured(text) {
      const read: Uint8Array[] = []
      for await (const part of text) read.push(part.slice())
      yield sync.ageDearmour(Buffer.concat(read))
    },
    head: (source) => headOf((length) => source.head(length), sync),
    checkLength: (_head, chunksLen) => void sync.ageOpenedLen(chunksLen),
    chunks: (opener, head, length, read) => chunksOf(sync, opener, { headLen: head.length, length, read }),
  }
}

/** Works on what an input stands for: itself, or what its armour holds. */
export async function sourced<T>(
  format: Format,
  input: Input,
  work: (source: Source, isArmoured: boolean) => Promise<T>,
  isAlone = false,
): Promise<T> {
  const parts = input.parts()
  let source = new Source(parts)
  try {
    const isArmoured = await format.isArmoured(source)
    if (isArmoured) source = new Source(format.dearmoured(source.rest(0), isAlone))
    return await work(source, isArmoured)
  } finally {
    await source.close()
    await parts.return()
  }
}

/** What a part became, and then its failure. */
export function* partOf({ bytes, failure }: Part): Generator<Out, void, undefined> {
  if (bytes.length > 0) yield bytes
  if (failure !== undefined) throw errorOf(failure)
}

export function errorOf({ code, message }: Failure): SealstoneError {
  return errorFrom(code, message)
}
