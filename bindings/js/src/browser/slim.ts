import type { Platform } from '../backend/index.js'
import { sourceOf } from './load.js'
import { platformOf } from './platform.js'

/** The platform whose modules come by `load`. */
export const platform: Platform = /* @__PURE__ */ platformOf(() => ({
  age: sourceOf('age'),
  base: sourceOf('base'),
  forms: sourceOf('forms'),
  digest: sourceOf('digest'),
  cipher: sourceOf('cipher'),
  compat: sourceOf('compat'),
  exchange: sourceOf('exchange'),
  sign: sourceOf('sign'),
}))
