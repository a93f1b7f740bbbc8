// The sources of streams, read in parts that are checked.

import { type Bytes, type BytesLike, bytesOf, partsOf } from '../basics/bytes.js'
import { ArgumentError } from '../basics/error.js'
import { Turns, turn } from '../basics/turn.js'
import { PART } from '../work/ahead.js'
import { Reports, type Run } from '../work/run.js'

/** Where the bytes of a stream come from: a Node stream, a generator, anything that `for await` reads. */
export type ByteSource = AsyncIterable<BytesLike>

/** A stream is taken in pieces of at most so many bytes, with a turn of the event loop between them. */
const TURN_LEN = 1 << 20

export type Parts = AsyncGenerator<Bytes, void, undefined>

/**
 * A generator of which one part was taken, {@link PRIMER}. What it ends with, its `finally`, is run from now on if nobody ever
 * reads it: a stream that is cancelled before its first part, or has failed by then, closes its source too.
 */
export function primed<T>(parts: AsyncGenerator<T, void, undefined>): AsyncGenerator<T, void, undefined> {
  void parts.next()
  return parts
}

/** The first part, that no reader sees. Before it a generator does nothing that can fail. */
export const PRIMER = new Uint8Array(0)

/**
 * The mark of a stream whose parts are memory that nobody else has, so that the reader may free it: a browser collects
 * garbage later than it makes some. It says how many bytes there are at least. Other copies of this package know it too.
 */
export const OWN_PARTS: unique symbol = Symbol.for('sealstone.own-parts') as never

/**
 * Readers that wait. Whoever awaits a part is held by the reader alone, and nothing holds the reader of a Blob's stream: Chromium's collector takes
 * all of it, and the wait never ends.
 */
const waiting = new Set<object>()

/** Holds a reader while it reads. */
async function holdWhile<T>(reader: object, read: () => Promise<T>): Promise<T> {
  waiting.add(reader)
  try {
    return await read()
  } finally {
    waiting.delete(reader)
  }
}

/** The parts of a stream, for `for await`; not all browsers have it of streams. */
export function sourceOf(stream: ReadableStream<BytesLike>): ByteSource {
  return {
    [Symbol.asyncIterator]() {
      const reader = stream.getReader()
      return {
        async next() {
          const { done, value } = await holdWhile(reader, () => reader.read())
          if (!done) return { done, value }
          reader.releaseLock()
          return { done, value: undefined }
        },
        // Not a generator's: this one ends a read that waits.
        async return() {
          // A stream of Node 20's `Readable.toWeb` that was read from in this turn and is cancelled in it ends the process.
          await turn()
          await reader.cancel().catch(() => undefined)
          reader.releaseLock()
          return { done: true, value: undefined }
        },
      }
    },
  }
}

/**
 * As `sourceOf`, of a stream that may be one of bytes, as a Blob's and a Response's are. Then each part lies where the one before
 * it was: whoever takes one has read it before asking for the next. Parts of their own would be 200 MB of garbage before a browser
 * collects any.
 */
export function sourceOfBytes(stream: ReadableStream<BytesLike>): ByteSource {
  return {
    [Symbol.asyncIterator]() {
      let reader: ReadableStreamBYOBReader
      try {
        reader = (stream as ReadableStream<Bytes>).getReader({ mode: 'byob' })
      } catch {
        return sourceOf(stream)[Symbol.asyncIterator]()
      }
      let memory = new ArrayBuffer(TURN_LEN)
      return {
        async next() {
          const { done, value } = await holdWhile(reader, () => reader.read(new Uint8Array(memory)))
          // At the end the memory comes back, empty.
          if (done) {
            if (value !== undefined) new Uint8Array(value.buffer).fill(0)
            return { done: true, value: undefined }
          }
          memory = value.buffer
          return { done, value }
        },
        async return() {
          await reader.cancel().catch(() => undefined)
          reader.releaseLock()
          return { done: true, value: undefined }
        },
      }
    },
  }
}

/** @internal */
export function isReadableStream(data: unknown): data is ReadableStream<BytesLike> {
  return typeof data === 'object' && data !== null && typeof (data as ReadableStream).getReader === 'function'
}

/** @internal By what it has: a test runner's page has a class of its own. */
export function isBlob(data: unknown): data is Blob {
  if (typeof data !== 'object' || data === null) return false
  const { size, slice, type } = data as Partial<Blob>
  return typeof size === 'number' && typeof slice === 'function' && typeof type === 'string'
}

/** @internal Those of old browsers and of jsdom have no streams. */
export function sourceOfBlob(blob: Blob): ByteSource {
  return typeof blob.stream === 'function' ? sourceOfBytes(blob.stream() as ReadableStream<BytesLike>) : slicesOf(blob)
}

async function* slicesOf(blob: Blob): AsyncGenerator<Bytes, void, undefined> {
  for (let at = 0; at < blob.size; at += TURN_LEN) {
    yield new Uint8Array(await contentOf(blob.slice(at, at + TURN_LEN)))
  }
}

function contentOf(blob: Blob): Promise<ArrayBuffer> {
  if (typeof blob.arrayBuffer === 'function') return blob.arrayBuffer()
  return new Promise((resolve, reject) => {
    const reader = new FileReader()
    reader.onload = () => resolve(reader.result as ArrayBuffer)
    reader.onerror = () => reject(reader.error)
    reader.readAsArrayBuffer(blob)
  })
}

/** @internal */
export function isAsyncIterable(data: unknown): data is ByteSource {
  return typeof data === 'object' && data !== null && Symbol.asyncIterator in data
}

/** The parts of a caller's stream, for `for await`. */
export function sourceOfAny(source: unknown): ByteSource {
  if (isBlob(source)) return sourceOfBlob(source)
  if (isReadableStream(source)) return sourceOfBytes(source)
  if (isAsyncIterable(source)) return source
  throw new ArgumentError('the source must be a ReadableStream, a Blob or an AsyncIterable')
}

/** The parts of a source, each checked; reports progress, ends with the signal, and gives the event loop its turns. */
export async function* measured(source: ByteSource, run: Run, stop: AbortSignal): Parts {
  const { signal } = run
  const reports = new Reports(run)
  const parts = primed(untilAborted(source, signal, stop))
  try {
    yield PRIMER
    const turns = new Turns()
    let done = 0
    for await (const part of parts) {
      const bytes = bytesOf(part, PART)
      // Read once: when the memory is transferred away, the array says 0.
      const { length } = bytes
      const piece = partsOf(bytes, PART)
      for (let at = 0; at < length || at === 0; at += TURN_LEN) {
        const len = Math.min(TURN_LEN, length - at)
        yield piece(at, len)
        done += len
        if (await turns.pass()) signal?.throwIfAborted()
        reports.pace(done, undefined)
      }
    }
    await reports.end(done)
  } finally {
    await parts.return()
  }
}

/** A source that ends with the signal's reason, or when it is to stop; also while it waits. */
async function* untilAborted(source: ByteSource, signal: AbortSignal | undefined, stop: AbortSignal): ByteGenerator {
  let iterator: AsyncIterator<BytesLike> | undefined
  // A Node stream that fails before it is read would end the process; whoever reads it later hears of it.
  ;(source as { on?: (event: string, listener: () => void) => unknown }).on?.('error', () => undefined)
  // Each wait has a promise of its own: one for all would keep every part alive that was waited for beside it.
  let end: (reason: unknown) => void = () => undefined
  const abort = (): void => end(signal?.aborted ? signal.reason : stop.reason)
  signal?.addEventListener('abort', abort)
  stop.addEventListener('abort', abort)
  let isDone = false
  let waits = false
  try {
    yield PRIMER
    while (true) {
      signal?.throwIfAborted()
      // Between two waits nobody heard of it.
      stop.throwIfAborted()
      iterator ??= source[Symbol.asyncIterator]()
      const taken = iterator
      waits = true
      const next = await new Promise<IteratorResult<BytesLike>>((resolve, reject) => {
        end = reject
        Promise.resolve(taken.next()).then(resolve, reject)
      })
      waits = false
      isDone = next.done === true
      if (next.done) return
      yield next.value
    }
  } finally {
    signal?.removeEventListener('abort', abort)
    stop.removeEventListener('abort', abort)
    if (!isDone) {
      const isUnread = iterator === undefined
      const returned = Promise.resolve((iterator ?? source[Symbol.asyncIterator]()).return?.())
      // Of a Node stream the iterator answers when the stream does, and that may be never; and unread it does not close the stream.
      if (waits || isUnread) (source as { destroy?: () => void }).destroy?.()
      // For the same reason that is not waited for.
      if (waits) returned.catch(() => undefined)
      else await returned
    }
  }
}

type ByteGenerator = AsyncGenerator<BytesLike, void, undefined>
