import type { Progress, SealstoneErrorCode } from 'sealstone'
// Of an entry that has no WebAssembly: not every page with a composable needs that of `sealstone`.
import { SealstoneError } from 'sealstone/encoding'
import { type ComputedRef, computed, getCurrentScope, onScopeDispose, shallowRef } from 'vue'

/** What a component shows of work: of the last one that began, where several run. */
export interface TaskState<T> {
  /** What came of it: nothing before, while it runs, and where it failed. */
  readonly data: ComputedRef<T | undefined>
  /** Why it failed: a {@link SealstoneError}, or what a stream or an argument says of itself. */
  readonly error: ComputedRef<Error | undefined>
  /** The code of that error, such as `not_authentic`. */
  readonly code: ComputedRef<SealstoneErrorCode | undefined>
  /** Whether any work runs. */
  readonly isBusy: ComputedRef<boolean>
  /** How far it is, where it says so. */
  readonly progress: ComputedRef<Progress | undefined>
  /** Ends all work that runs: what it promised is `undefined` then, and no error. */
  cancel(): void
  /** As {@link cancel}, and shows nothing any longer. */
  reset(): void
}

/** What work is told: when it ends, and whom to tell how far it is. */
export interface Run {
  readonly signal: AbortSignal
  readonly onProgress: (progress: Progress) => void
}

/** Work of a component, that ends with its scope. */
export class Task<T> {
  readonly state: TaskState<T>
  readonly #data = shallowRef<T>()
  readonly #error = shallowRef<Error>()
  readonly #progress = shallowRef<Progress>()
  readonly #running = shallowRef(0)
  /** Of work that began before, nothing is shown. */
  #last: symbol | undefined
  #controller = new AbortController()
  #isOver = false

  constructor() {
    this.state = {
      data: computed(() => this.#data.value),
      error: computed(() => this.#error.value),
      code: computed(() => {
        const error = this.#error.value
        return error instanceof SealstoneError ? error.code : undefined
      }),
      isBusy: computed(() => this.#running.value > 0),
      progress: computed(() => this.#progress.value),
      cancel: () => this.#cancel(),
      reset: () => this.#reset(),
    }
    if (getCurrentScope() === undefined) return
    onScopeDispose(() => {
      this.#isOver = true
      this.#reset()
    })
  }

  /**
   * Runs work, and shows what comes of it. The promise is never rejected: of a failure it is `undefined`, and `error` says which. What begins
   * work begins it before anything is awaited, so that a browser knows which click it is of.
   */
  async run<R extends T>(work: (run: Run) => Promise<R>): Promise<R | undefined> {
    // Nobody is there to see it.
    if (this.#isOver) return undefined
    const { signal } = this.#controller
    const mine = Symbol('work')
    this.#last = mine
    this.#show(undefined, undefined, undefined)
    this.#running.value++
    const isLast = (): boolean => this.#last === mine && !signal.aborted
    try {
      const data = await work({
        signal,
        onProgress: (progress) => {
          if (isLast()) this.#progress.value = progress
        },
      })
      if (signal.aborted) return undefined
      if (isLast()) this.#data.value = data
      return data
    } catch (error) {
      if (isLast()) this.#error.value = error instanceof Error ? error : new Error(String(error))
      return undefined
    } finally {
      this.#running.value--
    }
  }

  #show(data: T | undefined, error: Error | undefined, progress: Progress | undefined): void {
    this.#data.value = data
    this.#error.value = error
    this.#progress.value = progress
  }

  #cancel(): void {
    this.#controller.abort()
    this.#controller = new AbortController()
  }

  #reset(): void {
    this.#cancel()
    this.#last = undefined
    this.#show(undefined, undefined, undefined)
  }
}
