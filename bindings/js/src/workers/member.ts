import { unavailable } from '../backend/wasm/compiled.js'
import * as host from '../backend/wasm/intrinsics.js'
import { failureOf, type SealstoneError } from '../basics/error.js'
import { Line } from './channel.js'
import { PROTOCOL, type Request } from './job.js'

/** A {@link Request} with named properties, without its number. */
interface Asked {
  readonly algorithm: string
  readonly keyLen: number
  readonly seals: boolean
  readonly chunkLen: number
  readonly count: number
  readonly length: number
  readonly memory: ArrayBuffer
}

/** The number of chunks before the first one that is not authentic, and the memory with these chunks. */
interface Done {
  readonly made: number
  readonly memory: ArrayBuffer
}

/** A job that the worker has not finished. */
interface Pending {
  /** The least number of chunks that the answer may have: all when sealing, 0 when opening, since the first may not be authentic. */
  readonly least: number
  readonly count: number
  readonly memoryLen: number
  settle(done: Done | SealstoneError): void
}

const { setInterval, clearInterval } = globalThis
const { isArray } = Array
const { isInteger } = Number

/**
 * While a worker starts or has jobs, which take milliseconds, it counts as ended after this many ticks without a message: no event
 * reports its end. Ticks are counted, not time, so that no worker ends because the page sleeps.
 */
const BEGIN_TICKS = 30
const JOB_TICKS = 10
const TICK_MS = 1000

/** A worker and its jobs, from its start to its end. */
export class Member {
  /** Called when the worker has ended. */
  onEnd: (failure: SealstoneError) => void = () => undefined
  readonly #line: Line
  readonly #pending = host.dictionary<Pending>()
  #jobs = 0
  #last = 0
  #failure: SealstoneError | undefined
  #settleBegin: (() => void) | undefined
  #ticker: ReturnType<typeof setInterval> | undefined
  #silentFor = 0

  constructor(worker: Worker) {
    this.#line = new Line(worker, {
      message: (data) => this.#hear(data),
      end: (event) => this.end(failed(event)),
    })
  }

  /** The number of unfinished jobs. */
  get jobs(): number {
    return this.#jobs
  }

  get hasEnded(): boolean {
    return this.#failure !== undefined
  }

  /** Gives the worker its WebAssembly module, and waits until the worker says that it is ready. */
  async begin(module: WebAssembly.Module): Promise<void> {
    const begun = new Promise<void>((resolve) => {
      this.#settleBegin = resolve
    })
    try {
      this.#line.begin(PROTOCOL, module)
      this.#listen(BEGIN_TICKS)
    } catch (error) {
      this.end(failed(error))
    }
    await begun
    if (this.#failure !== undefined) throw this.#failure
  }

  /** Hands over a job, with its memory. */
  do({ algorithm, keyLen, seals, chunkLen, count, length, memory }: Asked): Promise<Done | SealstoneError> {
    const id = this.#last++
    const memoryLen = host.bufferLength(memory)
    return new Promise((settle) => {
      if (this.#failure !== undefined) {
        settle(this.#failure)
        return
      }
      this.#pending[id] = { least: seals ? count : 0, count, memoryLen, settle }
      this.#jobs++
      this.#listen(JOB_TICKS)
      this.#line.post([id, algorithm, keyLen, seals, chunkLen, count, length, memory] satisfies Request, memory)
    })
  }

  /** Ends the worker. Its unfinished jobs fail. */
  end(failure: SealstoneError): void {
    if (this.#failure !== undefined) return
    this.#failure = failure
    this.#rest()
    this.#line.close()
    for (const id in this.#pending) this.#pending[id]?.settle(failure)
    this.#settleBegin?.()
    this.onEnd(failure)
  }

  #hear(data: unknown): void {
    if (this.#failure !== undefined) return
    this.#silentFor = 0
    const failure = this.#settleBegin === undefined ? this.#answer(data) : this.#begun(data)
    if (failure !== undefined) this.end(unavailable(`a worker has failed: ${failure}`))
  }

  /** Takes the first message; returns what is wrong with it. */
  #begun(data: unknown): string | undefined {
    const protocol: unknown = isArray(data) ? data[0] : undefined
    if (protocol !== PROTOCOL) return NOT_OURS
    const failure: unknown = (data as unknown[])[1]
    if (failure !== undefined) return String(failure)
    this.#settleBegin?.()
    this.#settleBegin = undefined
    this.#rest()
    return undefined
  }

  /** Takes a later message; returns what is wrong with it. */
  #answer(data: unknown): string | undefined {
    if (!isArray(data)) return NOT_OURS
    // By index: other code of the page may have replaced the iterator of arrays.
    const id: unknown = data[0]
    const made: unknown = data[1]
    const failure: unknown = data[2]
    const memory: unknown = data[3]
    const pending = isInteger(id) ? this.#pending[id as number] : undefined
    if (pending === undefined || lengthOf(memory) !== pending.memoryLen) return NOT_OURS
    const isPossible = isInteger(made) && (made as number) >= pending.least && (made as number) <= pending.count
    if (failure === undefined && !isPossible) return NOT_OURS
    delete this.#pending[id as number]
    if (--this.#jobs === 0) this.#rest()
    const done = { made: made as number, memory: memory as ArrayBuffer }
    pending.settle(failure === undefined ? done : unavailable(`a worker has failed: ${String(failure)}`))
    return undefined
  }

  /** Counts the ticks without a message. */
  #listen(ticks: number): void {
    if (this.#ticker !== undefined) return
    this.#silentFor = 0
    this.#ticker = setInterval(() => {
      if (++this.#silentFor >= ticks) this.end(unavailable('a worker has failed: it says nothing'))
    }, TICK_MS)
  }

  #rest(): void {
    clearInterval(this.#ticker)
    this.#ticker = undefined
  }
}

const NOT_OURS = 'it sent a message that no worker of this version sends'

function lengthOf(memory: unknown): number | undefined {
  try {
    return host.bufferLength(memory as ArrayBuffer)
  } catch {
    return undefined
  }
}

/** The error for an event or an error of a worker. */
function failed(cause: unknown): SealstoneError {
  const { message } = failureOf(cause)
  const says = typeof message === 'string' && message !== '' ? message : 'it has ended, or was never there'
  return unavailable(`a worker has failed: ${says}`, cause)
}
