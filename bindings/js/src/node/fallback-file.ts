import { createRequire } from 'node:module'
import type { Calls } from '../platform/index.js'

/**
 * What `fallback.ts` became, for ES modules: a file that is loaded when it is needed, since it is large. Those who bundle put it in
 * the place of the call of `require`, which ES modules of Node's have not; `fallback-file-commonjs.ts` is the same for CommonJS.
 */
export function load(reason?: string): Calls {
  return file().load(reason)
}

function file(): typeof import('./fallback.js') {
  if (typeof require === 'function') return require('./fallback.cjs')
  return createRequire(import.meta.url)('./fallback.cjs')
}
