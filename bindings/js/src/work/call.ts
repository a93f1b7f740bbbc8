// Loads the backend at the first call. Only this file imports `#platform`.

import { platform } from '#platform'
import type { BulkCalls, Failure, FileCalls, Later, Out, SyncCalls, Undelivered } from '../backend/calls.js'
import type { Calls, WorkedWith } from '../backend/index.js'
import { memoryOf } from '../basics/bytes.js'
import { asSealstoneError, errorFrom, type SealstoneError } from '../basics/error.js'
import { turn } from '../basics/turn.js'
import { join } from './copies.js'

export { platform }

let loaded: Calls | undefined

function calls(): Calls {
  return loaded ?? load()
}

function load(): Calls {
  const calls = platform.load()
  loaded = calls
  join({
    calls,
    use(other) {
      loaded = other
    },
  })
  return loaded
}

/** The calls that answer at once. The first use loads the backend, as the first use of `bulk` and `files` does. */
export function sync(): SyncCalls {
  return calls().sync
}

/** The calls that promise, for work that `call` or `watched` begins. */
export function bulk(): BulkCalls {
  return calls().bulk
}

/** The calls that work on files by name, likewise. */
export function files(): FileCalls {
  return calls().files
}

/** Whether work on so many bytes is best done at once. */
export function isShort(length: number, by: WorkedWith): boolean {
  return calls().isShort(length, by)
}

/** Whether WebCrypto is faster than what computes. */
export function isHostFaster(): boolean {
  return calls().digestLater !== undefined
}

/** A digest, where it is promised and faster so than at once. */
export function digestLater(algorithm: string, data: Uint8Array): Promise<Out> | undefined {
  return calls().digestLater?.(algorithm, data)
}

/** Bytes of an input that are handed over at once. */
export function partLen(): number {
  return calls().partLen()
}

/** Calls what computes; its errors become ours. */
export function call<T>(work: (sync: SyncCalls) => T): T {
  const computes = sync()
  try {
    return adopt(work(computes))
  } catch (error) {
    throw asSealstoneError(error)
  }
}

/** As `call`, of work that goes on elsewhere. */
export async function callLater<T>(work: (bulk: BulkCalls) => Later<T>, signal?: AbortSignal): Promise<T> {
  return settled(
    call(() => work(bulk())),
    signal,
  )
}

/** The result of a promise; its failure becomes our error. */
export async function settled<T>(later: Later<T>, signal?: AbortSignal): Promise<T> {
  const settled = await later
  if (has<Failure>(settled, 'code')) throw errorOf(settled)
  // Only what is bytes is delivered so.
  if (has<Undelivered>(settled, 'undelivered')) return (await delivered(settled, signal)) as T
  return adopt(settled)
}

/** A long result, copied with turns of the event loop between its pieces. */
async function delivered({ undelivered, length }: Undelivered, signal: AbortSignal | undefined): Promise<Out> {
  try {
    const result = memoryOf(length)
    while (call((sync) => sync.resultTake(undelivered, result)) > 0) {
      await turn()
      signal?.throwIfAborted()
    }
    return result
  } finally {
    sync().release(undelivered)
  }
}

/** Makes a result one of this realm: where a test runner runs us, the addon's objects and arrays may be of another. */
export function adopt<T>(result: T): T {
  if (typeof result !== 'object' || result === null || result instanceof Object) return result
  return adoptObject(result) as T
}

function adoptObject(result: object): object {
  if (ArrayBuffer.isView(result)) return moveBytes(result as Uint8Array)
  if (Array.isArray(result)) return Array.from(result, adopt)
  // A promise is awaited, whosever it is.
  if ('then' in result) return result
  return Object.fromEntries(Object.entries(result).map(([name, value]) => [name, adopt(value)]))
}

/** Bytes of another realm in memory of this one: an array over theirs would have their `ArrayBuffer`. */
function moveBytes(bytes: Uint8Array): Out {
  const result = new Uint8Array(bytes)
  bytes.fill(0)
  return result
}

/** A failure as our error. */
export function errorOf({ code, message, errno }: Failure): SealstoneError {
  return errorFrom(code, message, errno === undefined ? undefined : { cause: systemError(-errno) })
}

/** The system's answer, as Node says it. */
function systemError(errno: number): Error {
  const code = platform.systemErrorName(errno)
  return Object.assign(new Error(code), { code, errno })
}

function has<T>(settled: unknown, property: keyof T): settled is T {
  return typeof settled === 'object' && settled !== null && Object.hasOwn(settled, property)
}
