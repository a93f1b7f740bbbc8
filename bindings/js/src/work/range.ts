// A part of a plaintext, of which only the chunks that hold it are read.

import type { Out } from '../backend/calls.js'
import { memoryOf } from '../basics/bytes.js'
import { ArgumentError, SealstoneError } from '../basics/error.js'

/** A file in chunks, as its header and its length say. */
export interface Chunks {
  /** Bytes of plaintext in every chunk but the last. */
  readonly chunkLen: number
  readonly plaintextLen: number
  readonly count: number
  /** Reads consecutive chunks, from one number up to another, and opens them. */
  open(first: number, past: number): Promise<Out> | Out
}

/** Chunks that are opened in one turn. */
const UNIT_CHUNKS = 16

/** The bytes of the plaintext from one place up to another. */
export async function openedRange(chunks: Chunks, start: number, end: number): Promise<Out> {
  const { chunkLen, plaintextLen, count } = chunks
  if (start > end) throw outOfBounds()
  // Whoever learns where the plaintext ends learns that of an authentic end.
  if (end > plaintextLen || start >= plaintextLen) (await chunks.open(count - 1, count)).fill(0)
  if (start > plaintextLen) throw outOfBounds()
  const stop = Math.min(end, plaintextLen)
  const result = memoryOf(stop - start)
  const past = start === stop ? 0 : Math.ceil(stop / chunkLen)
  for (let first = Math.floor(start / chunkLen); first < past; first += UNIT_CHUNKS) {
    const part = await chunks.open(first, Math.min(past, first + UNIT_CHUNKS))
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

/** @internal */
export function checkRange(start: number, end: number): void {
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || start < 0 || end < 0) {
    throw new ArgumentError('a range is two whole numbers of bytes')
  }
}
