import { createRequire } from 'node:module'
import type { Calls } from '../platform/index.js'

/**
 * What `fallback.ts` became, for ES modules: a file that is loaded when it is needed, since it is large.
 * `fallback-file-commonjs.ts` is the same for CommonJS.
 */
export function load(reason?: string): Calls {
  return file().load(reason)
}

function file(): typeof import('./fallback.js') {
  try {
    return createRequire(import.meta.url)('./sealstone-fallback.cjs')
  } catch (error) {
    // Those who bundle put the file in the place of this call of `require`, which Node's ES modules have not. The global one of
    // `node -e` would run a file of the working directory.
    if (typeof require === 'function' && !('require' in globalThis)) return require('./sealstone-fallback.cjs')
    throw error
  }
}
