import type { Platform } from '../backend/index.js'
import { unavailable } from '../backend/wasm/compiled.js'
import type { ModuleKind } from '../backend/wasm/kinds.js'
import { sourceOf } from './given.js'
import { platformOf } from './platform.js'

/** The platform whose modules come by `load`. */
export const platform: Platform = /* @__PURE__ */ platformOf((kind) => sourceOf(kind, missing))

function missing(kind: ModuleKind) {
  return unavailable(
    `sealstone/slim needs sealstone/${kind}.wasm for this: call load with it first, and await the promise`,
  )
}
