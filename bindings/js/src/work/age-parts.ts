// The parts of a file of age, whoever reads it.

import type { AgeCalls, Handle, Out } from '../backend/calls.js'
import type { Chunks } from './range.js'

/** A head is as a rule shorter than this. */
const HEAD_LEN = 1 << 11

/** The head of a file, or what there is of it: `read` gives the first bytes, fewer where there are no more. */
export async function headOf<T extends Uint8Array>(
  read: (length: number) => Promise<T> | T,
  sync: Pick<AgeCalls, 'ageHeadLen'>,
): Promise<T> {
  for (let want = HEAD_LEN; ; want *= 2) {
    const start = await read(want)
    const length = sync.ageHeadLen(start)
    if (length > 0) return read(length)
    if (start.length < want) return start
  }
}

/** A file of age that can be read at any place. */
interface Readable {
  readonly headLen: number
  readonly length: number
  /** Reads from one place up to another. */
  read(from: number, to: number): Promise<Uint8Array> | Uint8Array
}

/** Its chunks, which an opener opens. */
export function chunksOf(
  sync: Pick<AgeCalls, 'ageChunkLen' | 'ageSealedLen' | 'ageOpenedLen' | 'ageOpenerAt'>,
  opener: Handle,
  { headLen, length, read }: Readable,
): Chunks {
  const chunkLen = sync.ageChunkLen()
  const sealedLen = sync.ageSealedLen(chunkLen)
  const plaintextLen = sync.ageOpenedLen(length - headLen)
  const count = Math.max(Math.ceil(plaintextLen / chunkLen), 1)
  const open = async (first: number, past: number): Promise<Out> => {
    const part = await read(headLen + first * sealedLen, Math.min(headLen + past * sealedLen, length))
    return sync.ageOpenerAt(opener, first, part, past === count)
  }
  return { chunkLen, plaintextLen, count, open }
}
