import type { Handle, Inspection, Later, Part } from '../backend/calls.js'
import { type Bytes, type BytesLike, bytesOf, partsOf } from '../basics/bytes.js'
import { ArgumentError, SealstoneError } from '../basics/error.js'
import { Turns, turn } from '../basics/turn.js'
import { Ahead, type Fault, faulty, PART, present } from '../work/ahead.js'
import { bulk, call, errorOf, settled, sync } from '../work/call.js'
import { Held } from '../work/handle.js'
import { isArmoured, seenOf } from '../work/inspection.js'
import { Reports, type Run, unlessAborted, watched } from '../work/run.js'
import type { Recipe } from './recipe.js'

/** Where the bytes of a stream come from: a Node stream, a generator, anything that `for await` reads. */
export type ByteSource = AsyncIterable<BytesLike>

/** A stream is taken in pieces of at most so many bytes, with a turn of the event loop between them. */
const TURN_LEN = 1 << 20

type Parts = AsyncGenerator<Bytes, void, undefined>

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

/** Options that were read before the stream is. */
export interface Prepared {
  readonly recipe: Recipe
  readonly run: Run
}

/** Encrypts a stream, in constant memory. `stop` ends it while its source waits. */
export function encryptParts(source: ByteSource, { recipe, run }: Prepared, stop?: AbortController): Parts {
  const { handle, armour, threads } = recipe
  const encryptor = new Held(handle, 'operation')
  const begin = async (stop: AbortSignal) => begunLater(run, stop, (job) => bulk().sealerLater(encryptor.handle, job))
  const parts = sealedParts(source, begin, threads, run, () => encryptor.destroy(), stop)
  return armour ? primed(armouredParts(parts)) : parts
}

/**
 * Decrypts a stream, in constant memory. Only what is authentic is handed on; the end alone tells that it was all. Before an error
 * comes all that is authentic before what it is about.
 */
export function decryptParts(source: ByteSource, { recipe, run }: Prepared, stop?: AbortController): Parts {
  const decryptor = new Held(recipe.handle, 'operation')
  const begin = async (head: Bytes, stop: AbortSignal) =>
    begunLater(run, stop, (job) => bulk().openerLater(decryptor.handle, head, job))
  const form = { ...FILE, begin, mayBeArmoured: true }
  return openedParts(source, form, recipe.threads, run, () => decryptor.destroy(), stop)
}

/**
 * What is seen of a stream's file. Where the stream's length is known no more is read than the head, but of armour all that it
 * holds.
 */
export async function inspectParts(source: ByteSource, run: Run, length?: number): Promise<Inspection> {
  const bytes = primed(measured(source, run, new AbortController().signal))
  let file = new Ahead(bytes, run)
  try {
    const armoured = await isArmoured(sync(), (length) => file.head(length))
    if (armoured) file = new Ahead(dearmouredParts(file.rest(0)), run)
    const head = await headOf(file, FILE)
    let chunksLen = 0
    if (length !== undefined && !armoured && file.fault === undefined) chunksLen = length - head.length
    else for await (const part of file.rest(head.length)) chunksLen += part.length
    return { ...call((sync) => seenOf(sync, head, chunksLen)), armoured }
  } finally {
    await file.return()
    await bytes.return()
  }
}

/** Begins a file, which may take a password hash; the signal ends that, and so does who reads the stream no more. */
export async function begunLater<T>(run: Run, stop: AbortSignal, begin: (job: Handle) => Later<T>): Promise<T> {
  return watched({ ...run, onProgress: undefined }, async (job) => {
    const end = (): void => sync().jobCancel(job)
    stop.addEventListener('abort', end)
    // It may have come before anybody listened.
    if (stop.aborted) end()
    try {
      return await begin(job)
    } finally {
      stop.removeEventListener('abort', end)
    }
  })
}

/** Seals a stream: the head, and then units of chunks. */
export function sealedParts(...stream: Parameters<typeof sealing>): Parts {
  return primed(sealing(...stream))
}

async function* sealing(
  source: ByteSource,
  begin: (stop: AbortSignal) => Promise<Handle>,
  threads: number | undefined,
  run: Run,
  end: () => void,
  stop = new AbortController(),
): Parts {
  const parts = primed(measured(source, run, stop.signal))
  let sealer: Held | undefined
  try {
    yield PRIMER
    sealer = new Held(await begin(stop.signal), 'operation')
    const { handle } = sealer
    yield call((sync) => sync.sealerHead(handle))
    const take = (part: Bytes): number => call((sync) => sync.sealerFill(handle, part))
    const unit = (): Later<Part> | null => bulk().sealerUnit(handle)
    const fault = yield* units(parts, take, unit, threads, run, stop)
    if (fault) throw fault.error
    const last = call(() => bulk().sealerFinish(handle))
    yield* partOf(await settled(unlessAborted(last, run)))
  } finally {
    stop.abort()
    await parts.return()
    sealer?.destroy()
    end()
  }
}

/** What stands before the first chunk of a stream. */
interface Head {
  /** Bytes that `headLen` looks at. */
  readonly startLen: () => number
  readonly headLen: (start: Bytes) => number
}

/** That of a file. */
const FILE: Head = {
  startLen: () => sync().fileStartLen(),
  headLen: (start) => call((sync) => sync.fileHeadLen(start)),
}

/** What begins the opening of a stream. */
export interface StreamHead extends Head {
  readonly begin: (head: Bytes, stop: AbortSignal) => Promise<Handle>
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
  stop = new AbortController(),
): Parts {
  let opener: Held | undefined
  const bytes = primed(measured(source, run, stop.signal))
  let file = new Ahead(bytes, run)
  try {
    yield PRIMER
    if (form.mayBeArmoured) {
      if (await isArmoured(sync(), (length) => file.head(length))) file = new Ahead(dearmouredParts(file.rest(0)), run)
    }
    const head = await headOf(file, form)
    opener = new Held(await begun(file, form, head, stop.signal), 'operation')
    const { handle } = opener
    const take = (part: Bytes): number => call((sync) => sync.openerFill(handle, part))
    const unit = (): Later<Part> | null => bulk().openerUnit(handle)
    const fault = yield* units(file.rest(head.length), take, unit, threads, run, stop)
    const last = call(() => bulk().openerFinish(handle, fault === undefined))
    yield* partOf(await settled(unlessAborted(last, run)))
    if (fault) throw fault.error
  } finally {
    stop.abort()
    await file.return()
    await bytes.return()
    opener?.destroy()
    end()
  }
}

/** What stands before the first chunk, or what there is of it. */
async function headOf(file: Ahead, form: Head): Promise<Bytes> {
  const startLen = form.startLen()
  const start = await file.head(startLen)
  if (start.length < startLen && file.fault) throw file.fault.error
  return file.head(form.headLen(start))
}

/** Begins the opening. A head that something else cut short is not called truncated, but may have a fault before the cut. */
async function begun(file: Ahead, form: StreamHead, head: Bytes, stop: AbortSignal): Promise<Handle> {
  try {
    return await form.begin(head, stop)
  } catch (error) {
    const isCut = error instanceof SealstoneError && error.code === 'truncated'
    throw isCut && file.fault ? file.fault.error : error
  }
}

/** What a part became, and then its failure. */
function* partOf({ bytes, failure }: Part): Generator<Bytes, void, undefined> {
  if (bytes.length > 0) yield bytes
  if (failure) throw errorOf(failure)
}

/**
 * Works on the units of a stream on other threads, and gives what becomes of them in the stream's order. A result does not wait
 * for a source that waits, and no more is taken from the source than is at work. What the source fails with is returned, behind
 * what was at work by then. `unitsMax` says how much that may be.
 */
export async function* units(
  parts: Parts,
  take: (part: Bytes) => number,
  unit: () => Later<Part> | null,
  threads: number | undefined,
  run: Run,
  stop: AbortController,
  unitsMax = sync().unitsMax(threads),
): AsyncGenerator<Bytes, Fault | undefined, undefined> {
  const working: Later<Part>[] = []
  let next: Promise<IteratorResult<Bytes, void> | Fault> | undefined
  let fault: Fault | undefined
  let isDone = false
  try {
    while (!isDone || working.length > 0) {
      const [first] = working
      if (!isDone && working.length < unitsMax) {
        next ??= faulty(parts.next(), run)
        if (first !== undefined) next.catch(() => undefined)
      }
      const comesFirst = next === undefined ? false : first === undefined || (await isFirst(next, first))
      if (next !== undefined && comesFirst) {
        const taken = await next
        next = undefined
        if ('error' in taken) fault = taken
        isDone = fault !== undefined || ('done' in taken && taken.done === true)
        const value = 'value' in taken && taken.value ? present(taken.value) : PRIMER
        for (let at = 0; at < value.length; ) {
          at += take(value.subarray(at))
          const work = unit()
          if (work !== null) working.push(work)
        }
      } else if (first !== undefined) {
        const ready = await settled(unlessAborted(first, run))
        working.shift()
        yield* partOf(ready)
      }
    }
    return fault
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

/** A file as text. */
async function* armouredParts(parts: Parts): Parts {
  const armour = new Held(
    call((sync) => sync.armour()),
    'operation',
  )
  try {
    yield PRIMER
    for await (const part of parts) {
      const text = call((sync) => sync.armourUpdate(armour.handle, part))
      if (text.length > 0) yield text
    }
    yield call((sync) => sync.armourFinish(armour.handle))
  } finally {
    await parts.return()
    armour.destroy()
  }
}

/** The file that a text is. */
async function* dearmouredParts(parts: Parts): Parts {
  const dearmour = new Held(
    call((sync) => sync.dearmour(false)),
    'operation',
  )
  try {
    for await (const part of parts) {
      yield* partOf(call((sync) => sync.dearmourUpdate(dearmour.handle, present(part))))
    }
    yield* partOf(call((sync) => sync.dearmourFinish(dearmour.handle)))
  } finally {
    dearmour.destroy()
  }
}

/**
 * What a stream is marked with whose parts are memory that nobody else has, so that who reads them may free it: a browser collects
 * garbage later than it makes some. It says how many bytes there are at least. Other copies of this package know it too.
 */
export const OWN_PARTS: unique symbol = Symbol.for('sealstone.own-parts') as never

/** A generator as a Web stream, which is read as fast as its reader takes. */
export function readable(work: (stop: AbortController) => Parts, leastLen = 0): ReadableStream<Bytes> {
  if (typeof ReadableStream !== 'function') {
    throw new SealstoneError('unavailable_backend', 'this environment has no ReadableStream, which such data needs')
  }
  const stop = new AbortController()
  const parts = work(stop)
  const stream = new ReadableStream<Bytes>(
    {
      async pull(controller) {
        const { done, value } = await parts.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      async cancel() {
        // A part that is asked for may wait for its source; without this its generator would not hear of the end.
        stop.abort()
        await parts.return()
      },
    },
    { highWaterMark: 0 },
  )
  return Object.defineProperty(stream, OWN_PARTS, { value: leastLen })
}

/** A pair of ends for `pipeThrough`, of a function from one stream to another. */
export function transform(work: (source: ByteSource, stop: AbortController) => Parts): TransformPair {
  const { readable: input, writable } = new TransformStream<BytesLike, BytesLike>()
  return { writable, readable: readable((stop) => work(sourceOf(input), stop)) }
}

/** What `ReadableStream.pipeThrough` takes. */
export interface TransformPair {
  readonly writable: WritableStream<BytesLike>
  readonly readable: ReadableStream<Bytes>
}

/**
 * Readers that wait. Whoever awaits a part is held by the reader alone, and nothing holds the reader of a Blob's stream: Chromium's collector takes
 * all of it, and the wait never ends.
 */
const waiting = new Set<object>()

/** What a reader gives next; until then it is held. */
async function held<T>(reader: object, read: () => Promise<T>): Promise<T> {
  waiting.add(reader)
  try {
    return await read()
  } finally {
    waiting.delete(reader)
  }
}

/** What a stream gives, to be read with `for await`; browsers do not all have that of streams. */
export function sourceOf(stream: ReadableStream<BytesLike>): ByteSource {
  return {
    [Symbol.asyncIterator]() {
      const reader = stream.getReader()
      return {
        async next() {
          const { done, value } = await held(reader, () => reader.read())
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
          const { done, value } = await held(reader, () => reader.read(new Uint8Array(memory)))
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

/** What a caller gives as a stream, to be read with `for await`. */
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
