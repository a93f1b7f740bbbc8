// `#threads` outside of builds for pages: Node has its threads in a module.

/** Node's module of threads, where there is one. */
export const threads = () => globalThis.process?.getBuiltinModule?.('node:worker_threads')

/** The number of cores, as the platform says. */
export function coreCount(): number {
  return (
    globalThis.navigator?.hardwareConcurrency ??
    globalThis.process?.getBuiltinModule?.('node:os').availableParallelism() ??
    1
  )
}
