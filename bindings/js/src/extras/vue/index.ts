/**
 * Composables for Vue 3.4 and later. Components encrypt, hash and sign with them, and have the results as reactive state. Only this entry
 * and `sealstone/compat/ldesign/vue` need Vue.
 *
 * @module sealstone/vue
 */

export { SealstoneError } from 'sealstone/encoding'
export {
  createSealstone,
  type Identities,
  type Recipients,
  type Sealstone,
  type SealstoneDefaults,
  useSealstone,
} from './defaults.js'
export { type HashDefaults, type HashSource, type UseHash, type UseHashOptions, useHash } from './digest.js'
export { type OpenOptions, type SealOptions, type UseEncryption, useEncryption } from './encryption.js'
export { type FileSink, type FileSource, type UseFileEncryption, useFileEncryption } from './file.js'
export type { KeyDefaults } from './keyring.js'
export { type UseKeys, useKeys } from './keys.js'
export { type UseSignature, useSignature } from './signature.js'
export type { TaskState } from './task.js'
