// What the platform has for workers: a page has its own, and Node a module.

/** Node's module of threads, where there is one. */
export const nodeThreads = () => globalThis.process?.getBuiltinModule?.('node:worker_threads')

/** The number of cores, as the platform says. */
export function coreCount(): number {
  return (
    globalThis.navigator?.hardwareConcurrency ??
    globalThis.process?.getBuiltinModule?.('node:os').availableParallelism() ??
    1
  )
}
