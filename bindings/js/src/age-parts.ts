// How a file of age is read in parts, whoever reads it.

import { SealstoneError } from './error.js'
import type { AgeCalls } from './platform/age.js'
import type { Handle, Out } from './platform/sync.js'

/** A head is as a rule shorter than this. */
const HEAD_LEN = 1 << 11
/** Chunks of a range that are opened at once. */
const UNIT_CHUNKS = 16

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

/** A file that can be read at any place. */
interface Readable {
  readonly headLen: number
  readonly length: number
  /** Reads from one place up to another. */
  read(from: number, to: number): Promise<Uint8Array> | Uint8Array
}

/** The bytes of the plaintext from one place up to another. Only the chunks that hold them are read. */
export async function openedRange(
  sync: Pick<AgeCalls, 'ageChunkLen' | 'ageSealedLen' | 'ageOpenedLen' | 'ageOpenerAt'>,
  opener: Handle,
  { headLen, length, read }: Readable,
  start: number,
  end: number,
): Promise<Out> {
  const chunkLen = sync.ageChunkLen()
  const sealedLen = sync.ageSealedLen(chunkLen)
  const plaintextLen = sync.ageOpenedLen(length - headLen)
  const chunks = Math.max(Math.ceil(plaintextLen / chunkLen), 1)
  const opened = async (first: number, past: number): Promise<Out> => {
    const part = await read(headLen + first * sealedLen, Math.min(headLen + past * sealedLen, length))
    return sync.ageOpenerAt(opener, first, part, past === chunks)
  }
  if (start > end) throw outOfBounds()
  // Whoever learns where the plaintext ends learns that of an authentic end.
  if (end > plaintextLen || start >= plaintextLen) (await opened(chunks - 1, chunks)).fill(0)
  if (start > plaintextLen) throw outOfBounds()
  const stop = Math.min(end, plaintextLen)
  const result = memoryOf(stop - start)
  const past = start === stop ? 0 : Math.ceil(stop / chunkLen)
  for (let first = Math.floor(start / chunkLen); first < past; first += UNIT_CHUNKS) {
    const part = await opened(first, Math.min(past, first + UNIT_CHUNKS))
    const at = first * chunkLen
    result.set(part.subarray(Math.max(start - at, 0), stop - at), Math.max(at - start, 0))
    part.fill(0)
  }
  return result
}

function outOfBounds(): SealstoneError {
  const text = 'the range begins past the end of the plaintext, or ends before it begins'
  return new SealstoneError('range_out_of_bounds', text)
}

function memoryOf(length: number): Out {
  try {
    return new Uint8Array(length)
  } catch (cause) {
    throw new SealstoneError('too_long', 'the result is longer than an array can be', { cause })
  }
}
