import { backend, call, callLater, type Handle, type Later } from './backend.js'
import { type Bytes, partsOf } from './bytes.js'
import { SealstoneError } from './error.js'
import type { Progress, Run } from './recipe.js'
import { turn } from './turn.js'

/** Milliseconds between two reports of progress. */
const REPORT_MS = 100
/** Bytes that are copied in one turn of the event loop: half a millisecond, and a few where the memory is new. */
const TURN_LEN = 1 << 20

/** Work on other threads that can be watched and ended. */
export async function watched<T>(run: Run, work: (job: Handle) => Later<T>): Promise<T> {
  const { signal, onProgress } = run
  signal?.throwIfAborted()
  const job = call((backend) => backend.job())
  const cancel = (): void => backend().jobCancel(job)
  const report = reporter(onProgress)
  let thrown: { error: unknown } | undefined
  const timer =
    onProgress &&
    setInterval(() => {
      const [bytes = 0, total = -1] = backend().jobProgress(job)
      try {
        report(bytes, total < 0 ? undefined : total)
      } catch (error) {
        thrown ??= { error }
        clearInterval(timer)
        cancel()
      }
    }, REPORT_MS)
  signal?.addEventListener('abort', cancel)
  try {
    const result = await callLater(() => work(job), signal)
    if (thrown === undefined && onProgress) {
      const [bytes = 0] = backend().jobProgress(job)
      report(bytes, bytes)
    }
    if (thrown !== undefined) throw thrown.error
    return result
  } catch (error) {
    if (thrown !== undefined) throw thrown.error
    if (error instanceof SealstoneError && error.code === 'cancelled' && signal?.aborted) throw signal.reason
    throw error
  } finally {
    clearInterval(timer)
    signal?.removeEventListener('abort', cancel)
    backend().release(job)
  }
}

/** Hands a function the bytes that are done, with the rate and the time that is left. */
export function reporter(onProgress: Run['onProgress']): (bytes: number, total: number | undefined) => void {
  if (onProgress === undefined) return () => undefined
  const begun = performance.now()
  return (bytes, total) => {
    const seconds = Math.max((performance.now() - begun) / 1000, 1e-6)
    const rate = bytes / seconds
    const progress: Progress =
      total === undefined ? { bytes, rate } : { bytes, total, rate, ...(rate > 0 && { eta: (total - bytes) / rate }) }
    onProgress(progress)
  }
}

/** Hands over an input in parts, with turns of the event loop between them. The first part is taken at once. */
export async function inTurns(data: Bytes, what: string, run: Run, take: (part: Bytes) => void): Promise<void> {
  // Read once: when the memory is transferred away, the array says 0.
  const { length } = data
  const part = partsOf(data, what)
  let at = 0
  do {
    if (at > 0) {
      await turn()
      run.signal?.throwIfAborted()
    }
    take(part(at, Math.min(TURN_LEN, length - at)))
    at += TURN_LEN
  } while (at < length)
}
