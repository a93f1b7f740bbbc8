/**
 * Web workers for long operations: `encrypt` and `decrypt` of a page then use the other cores, and do not block its main thread.
 *
 * @module sealstone/workers
 */

import { worker as text } from '#worker'
import { Base } from '../backend/wasm/base.js'
import { unavailable } from '../backend/wasm/compiled.js'
import type { BaseModule, Source } from '../backend/wasm/module.js'
import { ArgumentError, failureOf, SealstoneError } from '../basics/error.js'
import { readOptions } from '../basics/option.js'
import { branded } from '../basics/receiver.js'
import { turn } from '../basics/turn.js'
import { workshop } from '../browser/workshop.js'
import { sync } from '../work/whole-calls.js'
import { OwnWorker } from './channel.js'
import { Crew } from './crew.js'
import { Member } from './member.js'

/** Options of {@link startWorkers}. */
export interface WorkersOptions {
  /** The number of workers: by default one less than the cores of the machine, from 1 to 4. */
  readonly count?: number
  /**
   * Returns a new worker whose program is `sealstone/worker`. Your code must not send messages to it. Without this option, the program is
   * a Blob, for which the page's Content-Security-Policy needs `worker-src blob:`.
   */
  readonly create?: () => Worker
}

/** Workers that were started. */
export interface Workers {
  /** The number of workers that have not ended. */
  readonly count: number
  /** Ends the workers. Their current operations fail with the code `cancelled`; later operations run without workers. */
  stop(): void
  /** Calls {@link stop} at the end of a block that declares the workers with `using`. */
  [Symbol.dispose](): void
}

/**
 * Starts web workers. `encrypt`, `decrypt` and all other asynchronous functions of this page then use them for files of 256 KiB and
 * more, and for streams. Results, errors and their order are the same. The keys of files go to the workers through a channel that no
 * other code of the page has. Operations that began before run without workers.
 *
 * @throws {@link SealstoneError} `unavailable_backend` if there are no web workers, or the page's policy allows none; `cause` says
 * why.
 *
 * @example
 * ```ts
 * import { encrypt, SealstoneError } from 'sealstone'
 * import { startWorkers } from 'sealstone/workers'
 *
 * try {
 *   const workers = await startWorkers()
 *   const sealed = await encrypt(new Uint8Array(1e8), { key: new Uint8Array(32) })
 *   workers.stop()
 * } catch (error) {
 *   console.log((error as SealstoneError).code) // unavailable_backend
 * }
 * ```
 */
export async function startWorkers(options?: WorkersOptions): Promise<Workers> {
  const { count, create } = readOptions<WorkersOptions>(options, ['count', 'create'])
  const wanted = countOf(count)
  if (create !== undefined && typeof create !== 'function') throw new ArgumentError('create must be a function')
  const { base, module } = page()
  const compiled = module()
  const members: Member[] = []
  const [policy, program] = [new Policy(), create === undefined ? new Program() : undefined]
  try {
    for (let i = 0; i < wanted; i++) members.push(memberOf(program === undefined ? create?.() : program.worker()))
    await Promise.all(members.map((member) => member.begin(compiled)))
  } catch (error) {
    for (const member of members) member.end(stopped())
    throw await policy.explained(error)
  } finally {
    policy.forget()
    program?.forget()
  }
  const crew = workshop.crew instanceof Crew ? workshop.crew : new Crew(base)
  crew.add(members)
  return new Started(members)
}

const COUNT_MAX = 64

function countOf(count: unknown): number {
  if (count === undefined) return Math.min(Math.max((globalThis.navigator?.hardwareConcurrency || 1) - 1, 1), 4)
  if (typeof count === 'number' && Number.isInteger(count) && count >= 1 && count <= COUNT_MAX) return count
  throw new ArgumentError(`count must be a whole number from 1 to ${COUNT_MAX}`)
}

/** The WebAssembly of this page. */
function page(): { base: BaseModule; module: Source } {
  if (OwnWorker !== undefined) sync()
  const { backend, module } = workshop
  const base = backend?.of(Base)
  if (base !== undefined && module !== undefined) return { base, module }
  throw unavailable(
    'there are no web workers here: they are for pages and their workers, and Node has threads of its own',
  )
}

function memberOf(worker: unknown): Member {
  try {
    // With a value that is no object, the engine would use the page itself in place of a worker.
    return new Member(Object(worker) as Worker)
  } catch {
    throw new ArgumentError('create must return a new Worker')
  }
}

function stopped(): SealstoneError {
  return new SealstoneError('cancelled', 'the workers were stopped')
}

/** The program of a worker, at a URL. */
class Program {
  readonly #url = createUrl(new OwnBlob([text], { type: 'text/javascript' }))

  worker(): Worker {
    return new (OwnWorker as typeof Worker)(this.#url, { name: 'sealstone' })
  }

  forget(): void {
    revokeUrl(this.#url)
  }
}

const { Blob: OwnBlob, URL: OwnUrl } = globalThis
const createUrl = OwnUrl?.createObjectURL?.bind(OwnUrl)
const revokeUrl = OwnUrl?.revokeObjectURL?.bind(OwnUrl)

/** Watches for violations of the page's policy while workers start. */
class Policy {
  #violated: SecurityPolicyViolationEvent | undefined
  readonly #see = (event: Event): void => {
    const violation = event as SecurityPolicyViolationEvent
    if (violation.effectiveDirective === 'worker-src') this.#violated = violation
  }

  constructor() {
    addEventListener('securitypolicyviolation', this.#see)
  }

  /** The error of a worker that did not start, as a {@link SealstoneError}. */
  async explained(error: unknown): Promise<unknown> {
    // The event of a violation comes in a later turn of the event loop.
    await turn()
    if (this.#violated !== undefined) {
      const { blockedURI, originalPolicy } = this.#violated
      return unavailable(
        `web workers are not allowed here: the page's Content-Security-Policy needs worker-src blob:, or startWorkers needs a create whose workers the policy allows (it blocked ${blockedURI})`,
        new Error(originalPolicy, { cause: error }),
      )
    }
    if (error instanceof SealstoneError || error instanceof ArgumentError) return error
    return unavailable(`web workers cannot be started: ${failureOf(error).message}`, error)
  }

  forget(): void {
    removeEventListener('securitypolicyviolation', this.#see)
  }
}

/** Older engines have no such symbol. */
const DISPOSE: typeof Symbol.dispose = Symbol.dispose ?? Symbol('dispose')

class Started implements Workers {
  readonly #members: readonly Member[]

  /** @internal */
  static readonly brand: string = /* @__PURE__ */ branded(this, 'Workers', (value) => #members in value)

  constructor(members: readonly Member[]) {
    this.#members = members
  }

  get count(): number {
    return this.#members.filter((member) => !member.hasEnded).length
  }

  stop(): void {
    for (const member of this.#members) member.end(stopped())
  }

  [DISPOSE](): void {
    this.stop()
  }
}
