import * as file from '#fallback'
import type { Calls } from '../backend/index.js'

/**
 * The build of `fallback.ts`, for ES modules. It is large, so that a small file of CommonJS stands between, which requires it when it is
 * needed. The import is written out, for whoever bundles. `fallback-file-commonjs.ts` is the same for CommonJS.
 */
export function load(reason?: string): Calls {
  if (file.default !== undefined) return file.default.load(reason)
  throw new Error('the bundle lacks its CommonJS parts (Rollup needs @rollup/plugin-commonjs)')
}
