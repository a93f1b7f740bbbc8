import type { Handle, Inspection, Later, Part, SyncCalls } from '../backend/calls.js'
import type { Bytes, BytesLike } from '../basics/bytes.js'
import { SealstoneError } from '../basics/error.js'
import { Ahead, type Fault, faulty, present } from '../work/ahead.js'
import { bulk, call, errorOf, settled, sync } from '../work/call.js'
import { Held } from '../work/handle.js'
import { isArmoured, seenOf } from '../work/inspection.js'
import { type Run, unlessAborted, watched } from '../work/run.js'
import type { Recipe } from './recipe.js'
import { type ByteSource, measured, OWN_PARTS, type Parts, PRIMER, primed, sourceOf } from './source.js'

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
 * Returns the visible fields of a stream's file. Where the stream's length is known no more is read than the head, but of armour all that it
 * holds.
 */
export async function inspectParts(
  sync: SyncCalls,
  source: ByteSource,
  run: Run,
  length?: number,
): Promise<Inspection> {
  const bytes = primed(measured(source, run, new AbortController().signal))
  let file = new Ahead(bytes, run)
  try {
    const armoured = await isArmoured(sync, (length) => file.head(length))
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

/** The bytes before the first chunk of a stream. */
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

/** The call that begins the opening of a stream. */
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

/** The bytes before the first chunk, or as many of them as there are. */
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

/** Yields the result of a part, and then throws its failure. */
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
  let armour: Held | undefined
  try {
    yield PRIMER
    armour = new Held(
      call((sync) => sync.armour()),
      'operation',
    )
    const { handle } = armour
    for await (const part of parts) {
      const text = call((sync) => sync.armourUpdate(handle, part))
      if (text.length > 0) yield text
    }
    yield call((sync) => sync.armourFinish(handle))
  } finally {
    await parts.return()
    armour?.destroy()
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

/** The pair that `ReadableStream.pipeThrough` takes. */
export interface TransformPair {
  readonly writable: WritableStream<BytesLike>
  readonly readable: ReadableStream<Bytes>
}
