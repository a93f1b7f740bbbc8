/**
 * `sealstone` without WebAssembly in it: `load` is given that, once, before anything else is called. `sealstone/slim/aead` and the other
 * subpaths are those of `sealstone`, likewise.
 *
 * @module sealstone/slim
 */

export { load, type ModuleSource } from '../browser/load.js'
export * from './index.js'
