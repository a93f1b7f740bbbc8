import { SealstoneError } from '../../basics/error.js'

/** A promise that is always kept: where it fails, with the error. So one that nobody waits for ends no process. */
export type Given<T> = Promise<T | SealstoneError>

/** Awaits a result, for those who wait for it. */
export async function settle<T>(given: Given<T> | T): Promise<T> {
  const result = await given
  if (result instanceof SealstoneError) throw result
  return result
}
