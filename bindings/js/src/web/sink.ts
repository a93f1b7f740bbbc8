// Where the bytes of a stream go: whole, or not at all.

import type { Bytes } from '../bytes.js'
import { failureOf, SealstoneError } from '../error.js'
import type { Run } from '../run.js'
import { type ByteSource, measured, primed } from '../stream.js'

/** What becomes a file when it is closed, and nothing when it is dropped. */
export interface Sink<T> {
  /** Takes bytes that may change when the promise is fulfilled. */
  write(bytes: Bytes): Promise<void>
  close(): Promise<T>
  /** Leaves nothing of it. */
  drop(): Promise<void>
}

/** Bytes that a sink takes at once: to write is a message to another process. Longer pieces take as long, and more memory. */
const PIECE_LEN = 2 << 20

/** What is read. */
export interface Poured {
  readonly source: ByteSource
  /** Whether its parts are memory that nobody else has. */
  readonly areOwn: boolean
}

/** Reads a stream into a sink, which is closed at the stream's end and at no other. */
export async function pour<T>({ source, areOwn }: Poured, run: Run, open: () => Promise<Sink<T>>): Promise<T> {
  const stop = new AbortController()
  const parts = primed(measured(source, run, stop.signal))
  const pieces: Pieces = [new Uint8Array(0), new Uint8Array(0)]
  let sink: Sink<T> | undefined
  let writing: Promise<void> = Promise.resolve()
  try {
    sink = await open()
    for await (const piece of gathered(parts, areOwn, pieces)) {
      await writing
      writing = sink.write(piece)
      // Or nobody would know while the source waits.
      writing.catch((error) => stop.abort(error))
    }
    await writing
    run.signal?.throwIfAborted()
    return await sink.close()
  } catch (error) {
    await sink?.drop()
    throw error
  } finally {
    // They may have had a plaintext, which may still be on its way.
    const zero = (): void => {
      for (const piece of pieces) piece.fill(0)
    }
    writing.then(zero, zero)
    await parts.return()
  }
}

/** Two pieces, which take turns: one is written while the other is filled. */
type Pieces = [Bytes, Bytes]

/** Parts as longer pieces. */
async function* gathered(
  parts: AsyncIterable<Bytes>,
  areOwn: boolean,
  pieces: Pieces,
): AsyncGenerator<Bytes, void, undefined> {
  let [turn, length]: [0 | 1, number] = [0, 0]
  for await (const part of parts) {
    for (let at = 0; at < part.length; ) {
      if (pieces[turn].length === 0) pieces[turn] = new Uint8Array(PIECE_LEN)
      const taken = part.subarray(at, at + PIECE_LEN - length)
      pieces[turn].set(taken, length)
      at += taken.length
      length += taken.length
      if (length < PIECE_LEN) continue
      yield pieces[turn]
      ;[turn, length] = [turn === 0 ? 1 : 0, 0]
    }
    if (areOwn) free(part)
  }
  if (length > 0) yield pieces[turn].subarray(0, length)
}

/** Frees the memory of a part that is nobody else's, where the engine can. */
function free(part: Bytes): void {
  const buffer = part.buffer as ArrayBuffer & { transfer?(length: number): ArrayBuffer }
  if (part.length === buffer.byteLength) buffer.transfer?.(0)
}

/** A file that has a handle: what stood in it stays until the new one is whole. */
export async function fileSink(handle: FileSystemFileHandle): Promise<Sink<FileSystemFileHandle>> {
  const wasEmpty = (await writes(handle.getFile())).size === 0
  const writable = await writes(handle.createWritable())
  return {
    write: (bytes) => writes(writable.write(bytes)),
    async close() {
      await writes(writable.close())
      return handle
    },
    async drop() {
      await writable.abort().catch(() => undefined)
      // The entry was made for this file, by the picker for example; what others wrote meanwhile is theirs.
      if (wasEmpty && (await handle.getFile().catch(() => undefined))?.size === 0) {
        await (handle as Removable).remove?.().catch(() => undefined)
      }
    },
  }
}

/** A file that nobody sees before it is closed, where this realm may write at once: in a worker. */
export async function accessSink(handle: FileSystemFileHandle): Promise<Sink<FileSystemFileHandle>> {
  const access = await writes((handle as Accessible).createSyncAccessHandle())
  let length = 0
  const write = async (bytes: Bytes): Promise<void> => {
    for (let at = 0; at < bytes.length; ) {
      const written = access.write(bytes.subarray(at), { at: length })
      if (!(written > 0)) throw new RangeError('there is no space left')
      at += written
      length += written
    }
  }
  return {
    write: (bytes) => writes(write(bytes)),
    async close() {
      access.close()
      return handle
    },
    drop: async () => access.close(),
  }
}

/** Whether `accessSink` works here. */
export function isAccessible(handle: FileSystemFileHandle): boolean {
  return 'createSyncAccessHandle' in handle
}

/** Whether `fileSink` works here. */
export function isWritable(handle: FileSystemFileHandle): boolean {
  return 'createWritable' in handle
}

/** A Blob: a browser keeps it in memory, or in files of its own when it is long. */
export function blobSink(limit: number): Sink<Blob> {
  let parts: Blob[] = []
  let length = 0
  return {
    async write(bytes) {
      length += bytes.length
      if (length > limit) {
        const why = `this browser has no place for it but memory, which is for ${limit} bytes`
        throw new SealstoneError('too_long', `the file is too long to be saved here: ${why}`)
      }
      // Of bytes that are in a Blob the page has no copy.
      parts.push(new Blob([bytes]))
    },
    close: async () => new Blob(parts),
    async drop() {
      parts = []
    },
  }
}

/** What the browser answers to writing, as our error. */
async function writes<T>(writing: Promise<T>): Promise<T> {
  try {
    return await writing
  } catch (cause) {
    throw new SealstoneError('io', `cannot write the file: ${failureOf(cause).message}`, { cause })
  }
}

/** What TypeScript's types of a page do not have. */
interface Removable {
  remove?(): Promise<void>
}

interface Accessible extends FileSystemFileHandle {
  createSyncAccessHandle(): Promise<{
    write(bytes: Bytes, place: { at: number }): number
    close(): void
  }>
}
