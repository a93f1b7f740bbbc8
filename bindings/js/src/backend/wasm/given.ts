import type { SealstoneError } from '../../basics/error.js'

/** A promise that is always kept: where it fails, with the error. So one that nobody waits for ends no process. */
export type Given<T> = Promise<T | SealstoneError>
