// Runs asynchronous work, with signals and progress, and copies its bytes to the engine in turns of the event loop.

import type { Handle, Later } from '../backend/calls.js'
import { type Bytes, bytesOf, partsOf } from '../basics/bytes.js'
import { ArgumentError, SealstoneError } from '../basics/error.js'
import { readOptions } from '../basics/option.js'
import { Turns } from '../basics/turn.js'
import { adopt, call, callLater, isShort, partLen, settled, sync } from './call.js'
import { type Held, usingLater } from './handle.js'

/** The options of a run of asynchronous work. */
export interface RunOptions {
  /** Ends the work; the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal
  /**
   * Is called at most ten times a second, and at the end. What it throws ends the work and rejects the promise, and so does a promise that
   * it returns, if that rejects.
   */
  readonly onProgress?: (progress: Progress) => void
}

/** How far an operation has come. */
export interface Progress {
  /** Bytes that are done. */
  readonly bytes: number
  /** Of how many, where that is known. */
  readonly total?: number
  /** Bytes a second, so far. */
  readonly rate: number
  /** Seconds that are left, where that is known. */
  readonly eta?: number
}

export const RUN_OPTIONS: readonly (keyof RunOptions)[] = ['signal', 'onProgress']

/** The options of a run, checked. */
export interface Run {
  readonly signal: AbortSignal | undefined
  readonly onProgress: ((progress: Progress) => void) | undefined
}

/** The options of a run alone. */
export function readRun(options: unknown): Run {
  return runOf(readOptions<RunOptions>(options, RUN_OPTIONS))
}

/** The options of a run, of those that were read. */
export function runOf(read: RunOptions): Run {
  const { signal, onProgress } = read
  if (signal !== undefined && !isSignal(signal)) {
    const isController = isSignal((signal as { signal?: unknown } | null)?.signal)
    throw new ArgumentError(
      `signal must be an AbortSignal${isController ? ': of an AbortController pass its signal' : ''}`,
    )
  }
  if (onProgress !== undefined && typeof onProgress !== 'function')
    throw new ArgumentError('onProgress must be a function')
  return { signal, onProgress }
}

/** It is known by all that is used of it: it may be another realm's, or a library's. */
function isSignal(value: unknown): value is AbortSignal {
  if (typeof value !== 'object' || value === null) return false
  const signal = value as { readonly [name: string]: unknown }
  return typeof signal.aborted === 'boolean' && SIGNAL_METHODS.every((name) => typeof signal[name] === 'function')
}

const SIGNAL_METHODS = ['throwIfAborted', 'addEventListener', 'removeEventListener']

/** Work on other threads that can be watched and ended. */
export async function watched<T>(run: Run, work: (job: Handle) => Later<T>): Promise<T> {
  const { signal, onProgress } = run
  signal?.throwIfAborted()
  const job = call((sync) => sync.job())
  const cancel = (): void => sync().jobCancel(job)
  const reports = new Reports(run, cancel)
  const timer =
    onProgress &&
    setInterval(() => {
      const [bytes = 0, total] = sync().jobProgress(job)
      reports.tell(bytes, total)
    }, REPORT_MS)
  try {
    signal?.addEventListener('abort', cancel)
    const result = await callLater(() => work(job), signal)
    if (onProgress) {
      const [bytes = 0] = sync().jobProgress(job)
      await reports.end(bytes)
    }
    return result
  } catch (error) {
    reports.check()
    if (error instanceof SealstoneError && error.code === 'cancelled' && signal?.aborted) throw signal.reason
    throw error
  } finally {
    clearInterval(timer)
    sync().release(job)
    signal?.removeEventListener('abort', cancel)
  }
}

/**
 * As {@link watched}, of work that is not ended once it is begun: who waits hears of the signal at once. The work reads its bytes: a signal
 * may be code of the caller, which may transfer them away before.
 */
export async function waited<T>(signal: AbortSignal | undefined, work: (job: Handle) => Later<T>): Promise<T> {
  signal?.throwIfAborted()
  const run: Run = { signal, onProgress: undefined }
  return unlessAborted(watched(run, work), run)
}

/** Milliseconds between two reports of progress. */
const REPORT_MS = 100

/** Tells the caller's function how far work is. Its failure is that of the work. */
export class Reports {
  readonly #run: Run
  /** Is called when the function fails. */
  readonly #failed: () => void
  readonly #begun = performance.now()
  #nextAt = this.#begun + REPORT_MS
  #failure: { readonly error: unknown } | undefined
  /** Fulfilled when every promise of the function is settled. */
  #answers: Promise<unknown> | undefined

  constructor(run: Run, failed: () => void = () => undefined) {
    this.#run = run
    this.#failed = failed
  }

  /** Reports the bytes that are done, with the rate and the time that is left. */
  tell(bytes: number, total: number | undefined): void {
    const { onProgress } = this.#run
    if (onProgress === undefined || this.#failure !== undefined) return
    const seconds = Math.max((performance.now() - this.#begun) / 1000, 1e-6)
    const rate = bytes / seconds
    const progress: Progress =
      total === undefined ? { bytes, rate } : { bytes, total, rate, ...(rate > 0 && { eta: (total - bytes) / rate }) }
    this.#tell(onProgress, progress)
  }

  /** Reports at most ten times a second, however often it is called, and throws what the function failed with. */
  pace(bytes: number, total: number | undefined): void {
    if (performance.now() >= this.#nextAt) {
      this.tell(bytes, total)
      this.#nextAt = performance.now() + REPORT_MS
    }
    this.check()
  }

  /** The last report. It waits for the promises of the function, and throws what that failed with. */
  async end(bytes: number): Promise<void> {
    this.tell(bytes, bytes)
    await this.#answered()
  }

  /** The result of work that was done at once, with the one report of it. Whoever wants none waits for nothing. */
  static atOnce<T>(result: T, bytes: number, run: Run): T | Promise<T> {
    const { onProgress } = run
    if (onProgress === undefined) return result
    const reports = new Reports(run)
    reports.#tell(onProgress, { bytes, total: bytes, rate: 0 })
    return reports.#answered().then(() => result)
  }

  /** Throws what the function failed with. */
  check(): void {
    if (this.#failure !== undefined) throw this.#failure.error
  }

  #tell(onProgress: (progress: Progress) => unknown, progress: Progress): void {
    const fail = (error: unknown): void => {
      this.#failure ??= { error }
      this.#failed()
    }
    try {
      const answer = onProgress(progress)
      if (answer !== undefined) this.#answers = Promise.all([this.#answers, Promise.resolve(answer).catch(fail)])
    } catch (error) {
      fail(error)
    }
  }

  async #answered(): Promise<void> {
    if (this.#answers !== undefined) await unlessAborted(this.#answers, this.#run)
    this.check()
  }
}

/** Hands over an input in parts, with turns of the event loop between them. The first part is taken at once. */
export async function inTurns(
  data: Bytes,
  what: string,
  run: Run,
  take: (part: Bytes) => void | Promise<void>,
): Promise<void> {
  // Read once: when the memory is transferred away, the array says 0.
  const { length } = data
  const [part, partMax] = [partsOf(data, what), partLen()]
  const turns = new Turns()
  let at = 0
  do {
    if (at > 0 && (await turns.pass())) run.signal?.throwIfAborted()
    await take(part(at, Math.min(partMax, length - at)))
    at += partMax
  } while (at < length)
}

/** A result of so many bytes, parts of which are written on other threads while more of the input is handed over. */
interface InParts<T> {
  /** The object that makes it, which ends with this. */
  readonly by: Handle
  length(): number
  readonly threads: number | undefined
  /** Takes the next part of the input, and begins the work that it makes ready. */
  take(part: Bytes, result: Bytes): Later<T> | null
  /** Looks at what the last work gave. */
  end?(last: T | undefined): void
}

/** Works on bytes in memory, part after part. Nobody sees the result before all of it is done; after an error it is all zero. */
export async function inParts<T>(data: Bytes, what: string, run: Run, parts: InParts<T>): Promise<Bytes> {
  const working: Later<T>[] = []
  let memory: Bytes | undefined
  const first = async (): Promise<T> => {
    const result = await settled(unlessAborted(working[0] as Later<T>, run))
    working.shift()
    return result
  }
  try {
    return await usingLater(parts.by, async () => {
      const length = parts.length()
      checkLength(length)
      // In an object of adopt, or `call` would make it anew as this realm's, and it is theirs to write to.
      const { result } = call((sync) => ({ result: sync.memory(length) }))
      memory = result
      // Read once: when the memory is transferred away, the array says 0.
      const total = data.length
      const workingMax = sync().unitsMax(parts.threads)
      const reports = new Reports(run)
      let done = 0
      let last: T | undefined
      await inTurns(data, what, run, async (part) => {
        done += part.length
        const work = call(() => parts.take(part, result))
        // Whoever works has the promise, and with it the memory: a turn that never comes, of a timer that a test has replaced, may
        // leave this function to the garbage collector before.
        if (work !== null) working.push(Object.defineProperty(work, 'result', { value: result }))
        while (working.length > workingMax) await first()
        reports.pace(done, total)
      })
      while (working.length > 0) last = await first()
      parts.end?.(last)
      await reports.end(total)
      return adopt(result)
    })
  } catch (error) {
    // It is theirs until they have ended. They fulfil their promises, whatever comes: without what they work with, too.
    await Promise.allSettled(working)
    memory?.fill(0)
    throw error
  }
}

/** The promised result, unless the signal comes first. */
export async function unlessAborted<T>(promise: Promise<T>, { signal }: Run): Promise<T> {
  if (signal === undefined) return promise
  signal.throwIfAborted()
  let abort = (): void => undefined
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort)
  })
  try {
    return await Promise.race([promise, aborted])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

/** Memory that is to be around bytes, where the work puts what goes with them. */
interface Room {
  readonly before: number
  readonly after: number
}

/** Copies bytes, turn by turn, to where work that goes on elsewhere finds them. */
export async function loaded<T>(
  bytes: Bytes,
  what: string,
  run: Run,
  work: (loading: Handle) => Promise<T>,
  { before, after }: Room = { before: 0, after: 0 },
): Promise<T> {
  run.signal?.throwIfAborted()
  const length = before + bytes.length + after
  // With room around it, this is the result's length.
  if (length > bytes.length) checkLength(length)
  return usingLater(
    call((sync) => sync.loading()),
    async (loading) => {
      const take = (part: Bytes): void => call((sync) => sync.loadingUpdate(loading, part, length))
      if (before > 0) take(new Uint8Array(before))
      await inTurns(bytes, what, run, take)
      return work(loading)
    },
  )
}

/**
 * Works on bytes at once where that gives something, and else elsewhere. The signal is looked at before the bytes: it may be code of the
 * caller, which may transfer them away.
 */
export async function atOnceOr<T extends object | string>(
  data: unknown,
  what: string,
  run: Run,
  now: (data: Bytes) => Promise<T> | T | undefined,
  elsewhere: (data: Bytes) => Promise<T>,
): Promise<T> {
  run.signal?.throwIfAborted()
  const bytes = bytesOf(data, what)
  const total = bytes.length
  const result = now(bytes)
  if (result === undefined) return elsewhere(bytes)
  const made = await result
  run.signal?.throwIfAborted()
  return Reports.atOnce(made, total, run)
}

/** Hands over all of an input in turns, and reports. */
export async function takeAll(data: Bytes, what: string, run: Run, take: (part: Bytes) => void): Promise<void> {
  const [reports, total] = [new Reports(run), data.length]
  let done = 0
  await inTurns(data, what, run, (part) => {
    done += part.length
    take(part)
    if (done < total) reports.pace(done, total)
  })
  await reports.end(total)
}

/** Work on bytes with a key. */
interface KeyedWork<T extends object | string> {
  /** Does it at once. */
  now(data: Bytes, key: Handle): T
  /** Copies all else that it needs, and returns what does it later, with a number of its own for the key. */
  elsewhere(): (key: Handle, data: Bytes) => Promise<T>
}

/** Works on bytes with a key, on another thread where that pays. */
export async function keyed<T extends object | string>(
  key: Held,
  data: unknown,
  what: string,
  run: Run,
  { now, elsewhere }: KeyedWork<T>,
): Promise<T> {
  const short = (bytes: Bytes): T | undefined =>
    isShort(bytes.length, { key: key.handle }) ? now(bytes, key.handle) : undefined
  return atOnceOr(data, what, run, short, async (bytes) => {
    const work = elsewhere()
    // A number of its own for the key: the caller may destroy it meanwhile.
    return usingLater(
      call((sync) => sync.again(key.handle)),
      (handle) => work(handle, bytes),
    )
  })
}

/** For {@link KeyedWork}: what works on a copy of the data, which is loaded for it. */
export function onLoaded<T>(
  what: string,
  run: Run,
  work: (key: Handle, loading: Handle, job: Handle) => Later<T>,
  room?: Room,
): (key: Handle, data: Bytes) => Promise<T> {
  return (key, data) => loaded(data, what, run, (loading) => watched(run, (job) => work(key, loading, job)), room)
}

/** The longest array that this engine makes: what is longer is said to be so before any work. */
export function checkLength(len: number): void {
  if (isTooLong(len)) {
    throw new RangeError(`the result has ${len} bytes, and an array at most ${MAX_LENGTH}: use a stream`)
  }
}

/** Whether a result would be longer than such an array. */
export function isTooLong(len: number): boolean {
  return len > MAX_LENGTH
}

/** Engines of today have 4 GiB and more; where it is less, making the array fails with the engine's own RangeError. */
const MAX_LENGTH = 2 ** 32
