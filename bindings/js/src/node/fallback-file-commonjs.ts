import type { Calls } from '../platform/index.js'

/** What `fallback.ts` became, for CommonJS; `fallback-file.ts` is the same for ES modules. */
export function load(reason?: string): Calls {
  return require('./sealstone-fallback.cjs').load(reason)
}
