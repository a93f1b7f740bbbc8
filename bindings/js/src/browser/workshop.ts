import type { Crew } from '../backend/wasm/crewed.js'
import type { Source } from '../backend/wasm/held.js'
import type { Base } from '../backend/wasm/index.js'

interface Workshop {
  /** What computes on the caller's thread, and its module; none before the first call, and where no page is. */
  base: Base | undefined
  module: Source | undefined
  /** Threads that the page has started. */
  crew: Crew | undefined
}

/** What `sealstone/workers` finds of the platform, and leaves for it. */
export const workshop: Workshop = { base: undefined, module: undefined, crew: undefined }
