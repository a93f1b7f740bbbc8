import type { Calls } from '../backend/index.js'

/** The build of `fallback.ts`, for CommonJS: a file that is loaded when it is needed, since it is large. */
export function load(reason?: string): Calls {
  return require('./sealstone-fallback.cjs').load(reason)
}
