// Where the bytes of a stream go: whole, or not at all.

import type { Bytes } from '../bytes.js'
import { failureOf, SealstoneError } from '../error.js'
import { type Run, unlessAborted } from '../run.js'
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
  /** How many bytes it has at least, as far as that is known. */
  readonly leastLen: number
}

/**
 * Reads a stream into a sink, which is closed at the stream's end and at no other. The signal ends each wait: for the user, who may
 * never answer a dialog, as for a disk.
 */
export async function pour<T>({ source, areOwn }: Poured, run: Run, open: () => Promise<Sink<T>>): Promise<T> {
  const stop = new AbortController()
  const parts = primed(measured(source, run, stop.signal))
  const pieces: Pieces = [new Uint8Array(0), new Uint8Array(0)]
  let opening: Promise<Sink<T>> | undefined
  let writing: Promise<void> = Promise.resolve()
  try {
    // Before the user is asked anything.
    run.signal?.throwIfAborted()
    opening = open()
    const sink = await unlessAborted(opening, run)
    for await (const piece of gathered(parts, areOwn, pieces)) {
      await unlessAborted(writing, run)
      writing = sink.write(piece)
      // Or nobody would know while the source waits.
      writing.catch((error) => stop.abort(error))
    }
    await unlessAborted(writing, run)
    return await unlessAborted(sink.close(), run)
  } catch (error) {
    // What opens after this is dropped too.
    await soon(opening?.then((sink) => sink.drop()))
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

/** Milliseconds in which a browser removes what it has begun, unless it hangs: then it does so when it answers. */
const SOON_MS = 500

/** Waits for what is to be done soon, and for nothing that fails. */
async function soon(doing: Promise<unknown> | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const later = new Promise((resolve) => {
    timer = setTimeout(resolve, SOON_MS)
  })
  await Promise.race([doing?.catch(() => undefined), later])
  clearTimeout(timer)
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

/**
 * A file that has a handle: what stood in it stays until the new one is whole. So many bytes of room are asked for at once: a quota
 * that has less refuses before any work is done.
 */
export async function fileSink(handle: FileSystemFileHandle, room = 0): Promise<Sink<FileSystemFileHandle>> {
  const wasEmpty = (await answered(handle.getFile())).size === 0
  let writable: FileSystemWritableFileStream | undefined
  const drop = async (): Promise<void> => {
    await writable?.abort().catch(() => undefined)
    // The entry was made for this file, by the picker for example; what others wrote meanwhile is theirs.
    if (wasEmpty && (await handle.getFile()).size === 0) await (handle as Removable).remove?.()
  }
  try {
    writable = await answered(handle.createWritable())
    if (room > 0) {
      await answered(writable.truncate(room))
      await answered(writable.truncate(0))
    }
  } catch (error) {
    await soon(drop())
    throw error
  }
  const opened = writable
  return {
    drop,
    write: (bytes) => answered(opened.write(bytes)),
    async close() {
      await answered(opened.close())
      return handle
    },
  }
}

/** A file that nobody sees before it is closed, where this realm may write at once: in a worker. It asks for room likewise. */
export async function accessSink(handle: FileSystemFileHandle, room: number): Promise<Sink<FileSystemFileHandle>> {
  const access = await answered((handle as Accessible).createSyncAccessHandle())
  let length = 0
  const write = async (bytes: Bytes): Promise<void> => {
    for (let at = 0; at < bytes.length; ) {
      const written = access.write(bytes.subarray(at), { at: length })
      if (!(written > 0)) throw new RangeError('there is no space left')
      at += written
      length += written
    }
  }
  const close = async (): Promise<FileSystemFileHandle> => {
    access.close()
    return handle
  }
  const sink = {
    write: (bytes: Bytes) => answered(write(bytes)),
    close: () => answered(close()),
    drop: () => close().then(() => undefined),
  }
  const makeRoom = async (): Promise<void> => {
    access.truncate(room)
    access.truncate(0)
  }
  try {
    await answered(makeRoom())
  } catch (error) {
    await soon(sink.drop())
    throw error
  }
  return sink
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
export function blobSink(limit: number, leastLen: number): Sink<Blob> {
  const check = (length: number): void => {
    if (length <= limit) return
    const why = `this browser can keep the file only in memory, which takes up to ${limit} bytes`
    throw new SealstoneError('too_long', `the file is too long to be saved here: ${why}`)
  }
  check(leastLen)
  let parts: Blob[] = []
  let length = 0
  return {
    async write(bytes) {
      length += bytes.length
      check(length)
      // Of bytes that are in a Blob the page has no copy.
      parts.push(new Blob([bytes]))
    },
    close: async () => new Blob(parts),
    async drop() {
      parts = []
    },
  }
}

/** What the browser answers to whoever writes a file, as our error. */
export async function answered<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
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
    truncate(length: number): void
    close(): void
  }>
}
