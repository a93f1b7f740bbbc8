import type { Progress, SealstoneErrorCode } from 'sealstone'
// Imported from an entry without WebAssembly: not every page with a composable needs the WebAssembly of `sealstone`.
import { SealstoneError } from 'sealstone/encoding'
import { type ComputedRef, computed, getCurrentScope, onScopeDispose, shallowRef } from 'vue'

/** The state of a component's work. If several tasks run, it is that of the last one that began. */
export interface TaskState<T> {
  /** The result; `undefined` before the end, and after a failure. */
  readonly data: ComputedRef<T | undefined>
  /** Why it failed: a {@link SealstoneError}, or the error of a stream or an argument. */
  readonly error: ComputedRef<Error | undefined>
  /** The code of that error, such as `not_authentic`. */
  readonly code: ComputedRef<SealstoneErrorCode | undefined>
  /** Whether any work runs. */
  readonly isBusy: ComputedRef<boolean>
  /** The progress, if the work reports it. */
  readonly progress: ComputedRef<Progress | undefined>
  /** Ends all running work: its promises resolve to `undefined`, without an error. */
  cancel(): void
  /** As {@link cancel}, and clears the state. */
  reset(): void
}

/** The signal that ends the work, and the function that takes its progress. */
export interface Run {
  readonly signal: AbortSignal
  readonly onProgress: (progress: Progress) => void
}

/** The work of a component. It ends with the component's scope. */
export class Task<T> {
  readonly state: TaskState<T>
  readonly #data = shallowRef<T>()
  readonly #error = shallowRef<Error>()
  readonly #progress = shallowRef<Progress>()
  readonly #running = shallowRef(0)
  /** The last work that began. Earlier work shows nothing. */
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
   * Runs work, and shows its result. The promise never rejects: on failure it resolves to `undefined`, and `error` says why. It starts the
   * work before it awaits anything, so that a browser connects the work to the user's click.
   */
  async run<R extends T>(work: (run: Run) => Promise<R>): Promise<R | undefined> {
    // The component has ended.
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
