import type { Platform } from '../platform/index.js'
import { base, toolbox } from '../wasm/index.js'
import { sourceOf } from './load.js'
import { platformOf } from './platform.js'

/** The platform whose modules come by `load`. */
export const platform: Platform = /* @__PURE__ */ platformOf(() => ({
  base: base(sourceOf('base'), sourceOf('forms'), sourceOf('digest')),
  toolbox: toolbox(sourceOf('toolbox')),
}))
