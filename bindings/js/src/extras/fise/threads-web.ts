// `#threads` in builds for pages, which have workers of their own.

/** No module of threads. */
export const threads = (): undefined => undefined

/** The number of cores, as the platform says. */
export const coreCount = (): number => globalThis.navigator?.hardwareConcurrency ?? 1
