// The host's randomness, by its function as it was when this module was loaded. What `#randomness` is where there is no addon.

import type { Bytes } from '../basics/bytes.js'
import { SealstoneError } from '../basics/error.js'

const crypto = globalThis.crypto as Crypto | undefined
const randomValues = crypto?.getRandomValues?.bind(crypto) as ((memory: Uint8Array) => unknown) | undefined

/** The host gives so much at once. */
export const AT_ONCE_LEN = 65_536

/** From so many bytes on zeros alone are none that a host with randomness gives. */
const NEVER_ZEROS = 16

/**
 * Fills memory of a length, up to {@link AT_ONCE_LEN}; returns whether it did. A stand-in of a test or a polyfill that fills other
 * memory would give keys of zeros: the host's returns the memory that it was given.
 */
export function random(memory: Uint8Array<ArrayBuffer>, length: number): boolean {
  try {
    if (randomValues?.(memory) !== memory) return false
    for (let i = 0; i < length; i++) if (memory[i] !== 0) return true
    return length < NEVER_ZEROS
  } catch {
    return false
  }
}

/** Fills memory of any length. */
export function fill(memory: Bytes): void {
  for (let at = 0; at < memory.length; at += AT_ONCE_LEN) {
    const part = memory.subarray(at, at + AT_ONCE_LEN)
    if (!random(part, part.length)) throw new SealstoneError('no_randomness', 'the system provided no randomness')
  }
}
