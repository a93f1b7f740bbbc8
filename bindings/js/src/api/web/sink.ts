// Destinations for the bytes of a stream, which appear complete or not at all.

import type { Bytes } from '../../basics/bytes.js'
import { failureOf, SealstoneError } from '../../basics/error.js'
import { type Run, unlessAborted } from '../../work/run.js'
import { type ByteSource, measured, primed } from '../source.js'

/** A destination that becomes a file when it is closed, and nothing when it is dropped. */
export interface Sink<T> {
  /** Takes bytes. The caller may change them when the promise is fulfilled. */
  write(bytes: Bytes): Promise<void>
  close(): Promise<T>
  /** Drops the data: nothing is left. */
  drop(): Promise<void>
}

/** Bytes of one write, which is a message to another process. Longer pieces are no faster, and take more memory. */
const PIECE_LEN = 2 << 20

/** A stream to read. */
export interface Poured {
  readonly source: ByteSource
  /** Whether no other code has the memory of its parts. */
  readonly areOwn: boolean
  /** The least bytes that it has, as far as known. */
  readonly leastLen: number
}

/**
 * Reads a stream into a sink, and closes the sink only at the end of the stream. The signal ends every wait, for a disk and also for the
 * user, who may never answer a dialog.
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
      // Otherwise, no one would notice the failure while the source waits.
      writing.catch((error) => stop.abort(error))
    }
    await unlessAborted(writing, run)
    return await unlessAborted(sink.close(), run)
  } catch (error) {
    // A sink that opens later is dropped, too.
    await soon(opening?.then((sink) => sink.drop()))
    throw error
  } finally {
    // The pieces may have had plaintext, and a write may still read them.
    const zero = (): void => {
      for (const piece of pieces) piece.fill(0)
    }
    writing.then(zero, zero)
    await parts.return()
  }
}

/** A browser removes an unfinished file within these milliseconds, unless it hangs. Then it removes the file when it answers. */
const SOON_MS = 500

/** Waits a short time for a promise, and ignores its failure. */
async function soon(doing: Promise<unknown> | undefined): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const later = new Promise((resolve) => {
    timer = setTimeout(resolve, SOON_MS)
  })
  await Promise.race([doing?.catch(() => undefined), later])
  clearTimeout(timer)
}

/** Two pieces that alternate: one is written while the other is filled. */
type Pieces = [Bytes, Bytes]

/** Gathers parts into longer pieces. */
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

/** Frees the memory of a part that no other code has, if the engine can. */
function free(part: Bytes): void {
  const buffer = part.buffer as ArrayBuffer & { transfer?(length: number): ArrayBuffer }
  if (part.length === buffer.byteLength) buffer.transfer?.(0)
}

/**
 * A sink for the file of a handle. The old content stays until the new one is complete. It reserves `room` bytes at the beginning, so that
 * a quota that is too small refuses before any work.
 */
export async function fileSink(handle: FileSystemFileHandle, room = 0): Promise<Sink<FileSystemFileHandle>> {
  const wasEmpty = (await answered(handle.getFile())).size === 0
  let writable: FileSystemWritableFileStream | undefined
  const drop = async (): Promise<void> => {
    await writable?.abort().catch(() => undefined)
    // The entry was made for this file, for example by the picker. Content that other code has written meanwhile stays.
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

/** A sink for a file that no other code sees before it is closed. It writes synchronously: only workers can. It reserves room, too. */
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

/** A sink for a Blob. A browser keeps it in memory, or in its own files if it is long. */
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
      // When the bytes are in a Blob, the page needs no copy of them.
      parts.push(new Blob([bytes]))
    },
    close: async () => new Blob(parts),
    async drop() {
      parts = []
    },
  }
}

/** The browser's answer to a write. A failure becomes a {@link SealstoneError}. */
export async function answered<T>(answer: Promise<T>): Promise<T> {
  try {
    return await answer
  } catch (cause) {
    throw new SealstoneError('io', `cannot write the file: ${failureOf(cause).message}`, { cause })
  }
}

/** Methods that TypeScript's types of a page lack. */
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
