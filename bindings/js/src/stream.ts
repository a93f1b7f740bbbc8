import { backend, call, callLater, type Handle, type Later, settled } from './backend.js'
import { type Bytes, type BytesLike, bytesOf } from './bytes.js'
import { Held } from './handle.js'
import type { Recipe, Run } from './recipe.js'
import { reporter, turn } from './run.js'

/** Where the bytes of a stream come from: a Node stream, a generator, anything that `for await` reads. */
export type ByteSource = AsyncIterable<BytesLike>

/** A stream is taken in pieces of at most so many bytes, with a turn of the event loop between them. */
const TURN_LEN = 1 << 20
const REPORT_MS = 100

type Parts = AsyncGenerator<Bytes, void, undefined>

/**
 * A generator of which one part was taken, {@link PRIMER}. What it ends with, its `finally`, is run from now on if nobody ever
 * reads it: a stream that is cancelled before its first part, or has failed by then, closes its source too.
 */
function primed<T>(parts: AsyncGenerator<T, void, undefined>): AsyncGenerator<T, void, undefined> {
  void parts.next()
  return parts
}

/** The first part, that no reader sees. Before it a generator does nothing that can fail. */
const PRIMER = new Uint8Array(0)

/** Encrypts a stream, in constant memory. */
export function encryptParts(source: ByteSource, recipe: Recipe, run: Run): Parts {
  const { handle, armour, threads } = recipe
  const encryptor = new Held(handle, 'operation')
  const begin = async () => callLater((backend) => backend.sealerLater(encryptor.handle))
  const parts = sealedParts(source, begin, threads, run, () => encryptor.destroy())
  return armour ? primed(armouredParts(parts)) : parts
}

/** Decrypts a stream, in constant memory. Only what is authentic is handed on; the end alone tells that it was all. */
export function decryptParts(source: ByteSource, recipe: Recipe, run: Run): Parts {
  const decryptor = new Held(recipe.handle, 'operation')
  const begin = async (head: Bytes) => callLater((backend) => backend.openerLater(decryptor.handle, head))
  const [startLen, headLen] = [(): number => backend().fileStartLen(), (start: Bytes) => headLength(start)]
  const form = { startLen, headLen, begin, mayBeArmoured: true }
  return openedParts(source, form, recipe.threads, run, () => decryptor.destroy())
}

/** Seals a stream: the head, and then units of chunks. */
export function sealedParts(...stream: Parameters<typeof sealing>): Parts {
  return primed(sealing(...stream))
}

async function* sealing(
  source: ByteSource,
  begin: () => Promise<Handle>,
  threads: number | undefined,
  run: Run,
  end: () => void,
): Parts {
  const stop = new AbortController()
  const parts = primed(measured(source, run, stop.signal))
  let sealer: Held | undefined
  try {
    yield PRIMER
    sealer = new Held(await begin(), 'operation')
    const { handle } = sealer
    yield call((backend) => backend.sealerHead(handle))
    const take = (part: Bytes): number => call((backend) => backend.sealerFill(handle, part))
    const unit = (): Later<Bytes> | null => call((backend) => backend.sealerUnit(handle))
    yield* units(parts, take, unit, threads, stop)
    yield call((backend) => backend.sealerFinish(handle))
  } finally {
    stop.abort()
    await parts.return()
    sealer?.destroy()
    end()
  }
}

/** What stands before the first chunk of a stream, and begins its opening. */
export interface StreamHead {
  /** Bytes that `headLen` looks at. */
  readonly startLen: () => number
  readonly headLen: (start: Bytes) => number
  readonly begin: (head: Bytes) => Promise<Handle>
  readonly mayBeArmoured: boolean
}

/** Opens a stream, whose head may come in any number of parts. */
export function openedParts(...stream: Parameters<typeof opening>): Parts {
  return primed(opening(...stream))
}

async function* opening(
  source: ByteSource,
  form: StreamHead,
  threads: number | undefined,
  run: Run,
  end: () => void,
): Parts {
  const stop = new AbortController()
  let opener: Held | undefined
  const bytes = primed(measured(source, run, stop.signal))
  let parts: Parts = bytes
  try {
    yield PRIMER
    const startLen = form.startLen()
    let start = await startOf(parts, startLen)
    if (form.mayBeArmoured && call((backend) => backend.fileIsArmoured(start))) {
      parts = dearmouredParts(behind(start, parts))
      start = await startOf(parts, startLen)
    }
    // Of a file that ends within its head, what there is says what is wrong with it.
    const head =
      start.length < startLen ? start : joined(start, await startOf(parts, form.headLen(start) - start.length))
    const headLen = start.length < startLen ? start.length : form.headLen(start)
    opener = new Held(await form.begin(head.subarray(0, headLen)), 'operation')
    const { handle } = opener
    const take = (part: Bytes): number => call((backend) => backend.openerFill(handle, part))
    const unit = (): Later<Bytes> | null => call((backend) => backend.openerUnit(handle))
    yield* units(behind(head.subarray(headLen), parts), take, unit, threads, stop)
    const last = call((backend) => backend.openerFinish(handle))
    if (last.length > 0) yield last
  } finally {
    stop.abort()
    await parts.return()
    await bytes.return()
    opener?.destroy()
    end()
  }
}

/**
 * Works on the units of a stream on other threads, and gives what becomes of them in the stream's order. A result does not wait
 * for a source that waits, and no more is taken from the source than is at work.
 */
async function* units(
  parts: Parts,
  take: (part: Bytes) => number,
  unit: () => Later<Bytes> | null,
  threads: number | undefined,
  stop: AbortController,
): Parts {
  const unitsMax = backend().unitsMax(threads)
  const working: Later<Bytes>[] = []
  let next: Promise<IteratorResult<Bytes, void>> | undefined
  let isDone = false
  try {
    while (!isDone || working.length > 0) {
      const [first] = working
      if (!isDone && working.length < unitsMax) {
        next ??= parts.next()
        if (first !== undefined) next.catch(() => undefined)
      }
      const comesFirst = next === undefined ? false : first === undefined || (await isFirst(next, first))
      if (next !== undefined && comesFirst) {
        const { done, value } = await next
        next = undefined
        isDone = done === true
        for (let at = 0; value !== undefined && at < value.length; ) {
          at += take(value.subarray(at))
          const work = unit()
          if (work !== null) working.push(work)
        }
      } else if (first !== undefined) {
        const ready = await settled(first)
        working.shift()
        yield ready
      }
    }
  } finally {
    // The source may be in the middle of a wait that nothing ends.
    stop.abort()
    await parts.return()
  }
}

/** Whether the one settles before the other. */
async function isFirst(one: Promise<unknown>, other: Promise<unknown>): Promise<boolean> {
  const settles = one.then(
    () => true,
    () => true,
  )
  return Promise.race([settles, other.then(() => false)])
}

/** Takes from a stream what makes up so many bytes, or all there is. */
async function startOf(parts: Parts, len: number): Promise<Bytes> {
  let start: Bytes = new Uint8Array(0)
  while (start.length < len) {
    const { done, value } = await parts.next()
    if (done || value === undefined) break
    start = joined(start, value)
  }
  return start
}

/** A stream that begins with what was taken from it. */
async function* behind(start: Bytes, parts: Parts): Parts {
  try {
    if (start.length > 0) yield start
    yield* parts
  } finally {
    await parts.return()
  }
}

/** A file as text. */
async function* armouredParts(parts: Parts): Parts {
  const armour = new Held(
    call((backend) => backend.armour()),
    'operation',
  )
  try {
    yield PRIMER
    for await (const part of parts) {
      const text = call((backend) => backend.armourUpdate(armour.handle, part))
      if (text.length > 0) yield text
    }
    yield call((backend) => backend.armourFinish(armour.handle))
  } finally {
    await parts.return()
    armour.destroy()
  }
}

/** The file that a text is. */
async function* dearmouredParts(parts: Parts): Parts {
  const dearmour = new Held(
    call((backend) => backend.dearmour()),
    'operation',
  )
  try {
    for await (const part of parts) {
      const file = call((backend) => backend.dearmourUpdate(dearmour.handle, part))
      if (file.length > 0) yield file
    }
    const last = call((backend) => backend.dearmourFinish(dearmour.handle))
    if (last.length > 0) yield last
  } finally {
    dearmour.destroy()
  }
}

/** A generator as a Web stream, which is read as fast as its reader takes. */
export function readable(parts: AsyncGenerator<Bytes, void, undefined>): ReadableStream<Bytes> {
  return new ReadableStream<Bytes>(
    {
      async pull(controller) {
        const { done, value } = await parts.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      async cancel() {
        await parts.return()
      },
    },
    { highWaterMark: 0 },
  )
}

/** A pair of ends for `pipeThrough`, of a function from one stream to another. */
export function transform(work: (source: ByteSource) => AsyncGenerator<Bytes, void, undefined>): TransformPair {
  const { readable: input, writable } = new TransformStream<BytesLike, BytesLike>()
  return { writable, readable: readable(work(sourceOf(input))) }
}

/** What `ReadableStream.pipeThrough` takes. */
export interface TransformPair {
  readonly writable: WritableStream<BytesLike>
  readonly readable: ReadableStream<Bytes>
}

/** What a stream gives, to be read with `for await`; browsers do not all have that of streams. */
export function sourceOf(stream: ReadableStream<BytesLike>): ByteSource {
  return {
    [Symbol.asyncIterator]() {
      const reader = stream.getReader()
      return {
        async next() {
          const { done, value } = await reader.read()
          if (!done) return { done, value }
          reader.releaseLock()
          return { done, value: undefined }
        },
        // Not a generator's: this one ends a read that waits.
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
  return typeof (data as Blob).stream === 'function' && typeof (data as Blob).arrayBuffer === 'function'
}

/** @internal */
export function isAsyncIterable(data: unknown): data is ByteSource {
  return typeof data === 'object' && data !== null && Symbol.asyncIterator in data
}

/** The parts of a source, each checked; reports progress, ends with the signal, and gives the event loop its turns. */
async function* measured(source: ByteSource, run: Run, stop: AbortSignal): Parts {
  const { signal, onProgress } = run
  const report = reporter(onProgress)
  const parts = primed(untilAborted(source, signal, stop))
  try {
    yield PRIMER
    let [done, turnAt, reportAt] = [0, TURN_LEN, performance.now() + REPORT_MS]
    for await (const part of parts) {
      const bytes = bytesOf(part, 'a part of the stream')
      for (let at = 0; at < bytes.length || at === 0; at += TURN_LEN) {
        yield bytes.subarray(at, at + TURN_LEN)
        done += Math.min(TURN_LEN, bytes.length - at)
        if (done >= turnAt) {
          turnAt = done + TURN_LEN
          await turn()
          signal?.throwIfAborted()
        }
        if (onProgress && performance.now() >= reportAt) {
          report(done, undefined)
          reportAt = performance.now() + REPORT_MS
        }
      }
    }
    if (onProgress) report(done, done)
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

/** Bytes of the head of a file that begins so. */
function headLength(start: Bytes): number {
  return call((backend) => backend.fileHeadLen(start))
}

function joined(a: Bytes, b: Bytes): Bytes {
  const both = new Uint8Array(a.length + b.length)
  both.set(a)
  both.set(b, a.length)
  return both
}
