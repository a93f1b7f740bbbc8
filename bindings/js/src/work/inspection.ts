// The visible fields of a file whose chunks are not there.

import type { Inspection, SyncCalls } from '../backend/calls.js'
import { CHUNK_LEN } from '../basics/table.js'

/** The visible fields of a file with this head and so many bytes of chunks, which are all alike but for the last. */
export function seenOf(sync: SyncCalls, head: Uint8Array, chunksLen: number): Inspection {
  const sealedLen = CHUNK_LEN + sync.tagLen()
  const whole = Math.floor(chunksLen / sealedLen)
  const seen = sync.inspect(padded(head, chunksLen % sealedLen))
  return {
    ...seen,
    payloadLen: seen.payloadLen + whole * sealedLen,
    plaintextLen: seen.plaintextLen + whole * CHUNK_LEN,
    chunks: seen.chunks + whole,
  }
}

/** Whether a file is armour, of whose beginning `head` gives as much as is asked for, or all there is. */
export async function isArmoured(sync: SyncCalls, head: (length: number) => Promise<Uint8Array>): Promise<boolean> {
  const start = await head(sync.armourLookLen(new Uint8Array(0)))
  return sync.fileIsArmoured(await head(sync.armourLookLen(start)))
}

/** A head with zeros behind it. */
export function padded(head: Uint8Array, length: number): Uint8Array {
  const bytes = new Uint8Array(head.length + length)
  bytes.set(head)
  return bytes
}
