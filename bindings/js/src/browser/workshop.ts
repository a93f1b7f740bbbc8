import type { Crew } from '../backend/wasm/hosting.js'
import type { Backend } from '../backend/wasm/index.js'
import type { Source } from '../backend/wasm/module.js'

interface Workshop {
  /** The backend on the caller's thread, and its module; none before the first call, and outside of pages. */
  backend: Backend | undefined
  module: Source | undefined
  /** Threads that the page has started. */
  crew: Crew | undefined
}

/** The place where `sealstone/workers` and the platform find each other. */
export const workshop: Workshop = { backend: undefined, module: undefined, crew: undefined }
