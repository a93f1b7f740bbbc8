import type { Crew } from '../backend/wasm/crewed.js'
import type { Source } from '../backend/wasm/held.js'
import type { Base } from '../backend/wasm/index.js'

interface Workshop {
  /** The backend on the caller's thread, and its module; none before the first call, and outside of pages. */
  base: Base | undefined
  module: Source | undefined
  /** Threads that the page has started. */
  crew: Crew | undefined
}

/** The place where `sealstone/workers` and the platform find each other. */
export const workshop: Workshop = { base: undefined, module: undefined, crew: undefined }
