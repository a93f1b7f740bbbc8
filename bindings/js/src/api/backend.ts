import { call } from '../work/whole-calls.js'

/**
 * Tells what computes the AEADs, and which instruction sets were found: of this CPU, or `webassembly` where there is no native part.
 * Work that is said to be on all cores or on another thread is on the calling thread there.
 * It is text for people, such as the line of a log, and may change with any version.
 *
 * @throws {@link SealstoneError} `unavailable_backend`.
 *
 * @example
 * ```ts
 * import { backend } from 'sealstone'
 *
 * console.log(backend()) // backends: aes-256-gcm by …
 * ```
 */
export function backend(): string {
  return call((sync) => sync.backend())
}
