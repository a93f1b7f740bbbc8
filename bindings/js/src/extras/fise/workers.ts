import { coreCount, threads } from '#threads'
import { type Bytes, binaryOf, isUint8Array, joined } from '../../basics/bytes.js'
import { ArgumentError, failureOf, SealstoneError } from '../../basics/error.js'
import { readOptions, wholeNumber } from '../../basics/option.js'
import { branded } from '../../basics/receiver.js'
import { FiseError, type FiseErrorCode } from './error.js'
import type { Rule } from './frames.js'
import type { FiseProfile } from './profiled.js'
import type { Answer, Question } from './worker.js'

/** Options of {@link startFiseWorkers}. */
export interface FiseWorkersOptions {
  /** The number of workers, from 1 to 64: by default one less than the cores of the machine, and at most 4. */
  readonly count?: number
  /**
   * Returns a new worker whose program is `sealstone/fise-worker`: a `Worker` of the page, or of `node:worker_threads`. Your code must not
   * send messages to it. Without this option a page needs `worker-src blob:` in its Content-Security-Policy.
   */
  readonly create?: () => object
}

/** What pages' workers and those of Node have. */
type AnyWorker = Pick<Worker, 'postMessage' | 'terminate'> &
  Partial<Pick<Worker, 'addEventListener'>> & {
    on?(type: 'error' | 'exit', listener: (cause: unknown) => void): void
    unref?(): void
  }

/** A port of Node lets the process end, or does not. */
type Port = MessagePort & { ref?(): void; unref?(): void }

/**
 * Starts workers for frames: pass them to {@link fiseFrameEncoder}, {@link fiseFrameDecoder}, {@link fiseFrameReader} or
 * {@link FiseFrames} as the option `workers`. They work on several frames at once, and the results come in order. They keep this thread free
 * for its other work, but in Node a stream takes longer with them, since a frame takes as long to send as to hide.
 * Several streams may share them. They let a process of Node end when it has nothing else to do.
 *
 * @throws {@link SealstoneError} `unavailable_backend` if there are no workers, or the page's policy allows none; `cause` says why.
 *
 * @example
 * ```ts
 * import { FiseProfile, fiseFrameDecoder, fiseFrameEncoder, startFiseWorkers } from 'sealstone/fise'
 *
 * const workers = await startFiseWorkers({ count: 2 })
 * const rules = FiseProfile.random('a video')
 * const hidden = new Blob(['a video']).stream().pipeThrough(fiseFrameEncoder(rules, { workers }))
 * console.log(await new Response(hidden.pipeThrough(fiseFrameDecoder(rules, { workers }))).text()) // a video
 * workers.stop()
 * ```
 */
export async function startFiseWorkers(options: FiseWorkersOptions = {}): Promise<FiseWorkers> {
  const { count = usualCount(), create } = readOptions<FiseWorkersOptions>(options, ['count', 'create'])
  wholeNumber(count, 'count', 1, COUNT_MAX)
  if (create !== undefined && typeof create !== 'function') throw new ArgumentError('create must be a function')
  const program = create === undefined ? new Program((await import('#fise-worker')).worker) : undefined
  const members: Member[] = []
  try {
    const given = new Set<unknown>()
    for (let i = 0; i < count; i++) {
      const worker = program === undefined ? create?.() : program.worker()
      if (given.has(worker)) throw new ArgumentError('create must return a new Worker each time')
      given.add(worker)
      members.push(new Member(worker))
    }
    await Promise.all(members.map((member) => member.started))
    return new FiseWorkers(members)
  } catch (error) {
    for (const member of members) member.end(stopped())
    if (error instanceof ArgumentError || error instanceof SealstoneError) throw error
    throw unavailable(error)
  } finally {
    program?.forget()
  }
}

const COUNT_MAX = 64

function usualCount(): number {
  return Math.min(Math.max(coreCount() - 1, 1), 4)
}

function gone(cause: unknown): SealstoneError {
  return new SealstoneError('unavailable_backend', 'a worker for frames ended', { cause })
}

/** Older engines have no such symbol. */
const DISPOSE: typeof Symbol.dispose = Symbol.dispose ?? Symbol('dispose')

/** Each worker has other jobs waiting while it works on the first: with fewer it often waits for this thread. */
const JOBS_EACH = 4

/**
 * Workers for frames, which {@link startFiseWorkers} starts.
 *
 * @example
 * ```ts
 * import { FiseProfile, type FiseWorkers, fiseFrameEncoder, startFiseWorkers } from 'sealstone/fise'
 *
 * const workers: FiseWorkers = await startFiseWorkers({ count: 2 })
 * const hidden = fiseFrameEncoder(FiseProfile.random('a film'), { workers }).from('a film')
 * console.log(workers.count, (await hidden.next()).value?.length !== 0) // 2 true
 * workers.stop()
 * ```
 */
export class FiseWorkers {
  /** @internal */
  static readonly brand: string = /* @__PURE__ */ branded(this, 'FiseWorkers', (value) => #members in value)
  readonly #members: readonly Member[]

  /** @internal */
  constructor(members: readonly Member[]) {
    this.#members = members
  }

  /** The number of workers that have not ended. */
  get count(): number {
    return this.#running().length
  }

  /** Ends the workers. Streams that use them fail with the code `cancelled`. */
  stop(): void {
    for (const member of this.#members) member.end(stopped())
  }

  /** Calls {@link stop} at the end of a block that declares the workers with `using`. */
  [DISPOSE](): void {
    this.stop()
  }

  /**
   * The jobs that a stream has begun at most.
   *
   * @internal
   */
  get jobsMax(): number {
    return JOBS_EACH * this.#members.length
  }

  /**
   * A profile that the workers follow.
   *
   * @internal
   */
  rule(profile: FiseProfile, timestamp: number): Rule<Promise<Bytes>> {
    const json = JSON.stringify(profile)
    const ask = (encodes: boolean, parts: readonly Uint8Array[], free: number) =>
      this.#idlest().ask({ encodes, profile: json, timestamp, free }, parts)
    return {
      encode: (metadata, content, free) => ask(true, [metadata, content], free),
      decode: (envelope) => ask(false, [envelope], 0),
    }
  }

  #running(): Member[] {
    return this.#members.filter((member) => !member.hasEnded)
  }

  #idlest(): Member {
    const [first, ...others] = this.#running()
    if (first === undefined) return this.#members[0] as Member
    return others.reduce((idlest, member) => (member.jobs < idlest.jobs ? member : idlest), first)
  }
}

function stopped(): SealstoneError {
  return new SealstoneError('cancelled', 'the workers were stopped')
}

function unavailable(cause: unknown): SealstoneError {
  const why = failureOf(cause).message
  // A page is not told that its policy stopped a worker.
  const said =
    typeof why === 'string' && why !== ''
      ? why
      : "the page's Content-Security-Policy may lack worker-src blob:, without which the option create is needed"
  return new SealstoneError('unavailable_backend', `workers for frames cannot be started: ${said}`, { cause })
}

type Waiting = { readonly least: number; resolve(bytes: Bytes): void; reject(error: unknown): void }

/** A worker, and the channel to it. */
class Member {
  readonly started: Promise<unknown>
  readonly #worker: AnyWorker
  readonly #port: Port
  /** The jobs in their order, in which the worker answers them. */
  readonly #waiting: Waiting[] = []
  /** Memory that came back, for reuse: new memory takes as long as the work. */
  readonly #free: ArrayBuffer[] = []
  #hasStarted = false
  #failure: SealstoneError | undefined

  constructor(worker: unknown) {
    const { postMessage, terminate } = Object(worker) as Partial<AnyWorker>
    if (typeof postMessage !== 'function' || typeof terminate !== 'function') {
      throw new ArgumentError('create must return a new Worker')
    }
    this.#worker = worker as AnyWorker
    const { port1, port2 } = new MessageChannel()
    // First, since the engine refuses what is no worker.
    this.#worker.postMessage(port2, [port2])
    this.#port = port1
    this.#port.onmessage = ({ data }) => this.#answer(data as unknown)
    const ended = (cause: unknown) => this.end(this.#hasStarted ? gone(cause) : unavailable(cause))
    if (this.#worker.on === undefined) this.#worker.addEventListener?.('error', ended)
    else {
      this.#worker.on('error', ended)
      this.#worker.on('exit', () => ended(new Error('the worker ended')))
    }
    this.#worker.unref?.()
    this.#port.unref?.()
    // It answers when it has started.
    this.started = this.#wait(0).then(() => {
      this.#hasStarted = true
    })
    // Another worker may fail before this one is awaited.
    this.started.catch(() => {})
  }

  get hasEnded(): boolean {
    return this.#failure !== undefined
  }

  get jobs(): number {
    return this.#waiting.length
  }

  /** Asks about parts, which are copied before this returns. */
  async ask(question: Omit<Question, 'bytes'>, parts: readonly Uint8Array[]): Promise<Bytes> {
    if (this.#failure !== undefined) throw this.#failure
    const bytes = joined(parts, (length) => this.#memory(length))
    this.#port.postMessage({ ...question, bytes } satisfies Question, [bytes.buffer])
    return this.#wait(question.free)
  }

  end(failure: SealstoneError): void {
    if (this.hasEnded) return
    this.#failure = failure
    this.#port.close()
    this.#worker.terminate()
    for (const { reject } of this.#waiting.splice(0)) reject(failure)
  }

  /** Memory that the worker takes and gives back. */
  #memory(length: number): Bytes {
    const free = this.#free.pop()
    const isEnough = free !== undefined && free.byteLength >= length
    return new Uint8Array(isEnough ? free : new ArrayBuffer(length + (length >> 3)), 0, length)
  }

  /** Waits for an answer of so many bytes at least. */
  #wait(least: number): Promise<Bytes> {
    this.#port.ref?.()
    return new Promise((resolve, reject) => this.#waiting.push({ least, resolve, reject }))
  }

  #answer(answer: unknown): void {
    const { bytes, memory, code, message } = { __proto__: null, ...Object(answer) } as Answer
    const made = isUint8Array(bytes) ? unshared(bytes) : undefined
    const [waiting] = this.#waiting
    if (waiting === undefined || (made === undefined ? typeof message !== 'string' : made.length < waiting.least)) {
      this.end(unavailable(new Error('the program of a worker is not sealstone/fise-worker')))
      return
    }
    this.#waiting.shift()
    if (this.#waiting.length === 0) this.#port.unref?.()
    const free = unshared(memory)?.buffer
    if (free !== undefined && free !== made?.buffer && this.#free.length < JOBS_EACH) this.#free.push(free)
    if (made !== undefined) waiting.resolve(made)
    else if (typeof code === 'string') waiting.reject(new FiseError(code as FiseErrorCode, String(message)))
    else waiting.reject(new Error(message))
  }
}

/** Bytes whose memory no other thread has. */
function unshared(data: unknown): Bytes | undefined {
  try {
    return binaryOf(data, 'an answer')
  } catch {
    return undefined
  }
}

/** The program of a worker, as text. */
class Program {
  readonly #url: string | undefined

  constructor(readonly text: string) {
    if (globalThis.Worker !== undefined) {
      this.#url = URL.createObjectURL(new Blob([text], { type: 'text/javascript' }))
    }
  }

  worker(): object {
    if (this.#url !== undefined) return new Worker(this.#url, { name: 'sealstone-fise' })
    const node = threads()
    if (node === undefined) throw new Error('there are no workers here')
    return new node.Worker(this.text, { __proto__: null, eval: true, name: 'sealstone-fise' } as never)
  }

  forget(): void {
    if (this.#url !== undefined) URL.revokeObjectURL(this.#url)
  }
}
