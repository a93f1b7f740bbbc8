// The module of ciphers for one buffer. A build that does not have it has `absent.ts` in place of this file.

import { Held, type Source } from './held.js'
import type { Of } from './index.js'
import * as host from './intrinsics.js'
import { CIPHER } from './signatures.js'

export type Ciphers = Of<typeof CIPHER>

export function ciphersOf(source: Source): Ciphers {
  const functions = new Held(source, CIPHER).functions() as unknown as {
    -readonly [Name in keyof Ciphers]: Ciphers[Name]
  }
  const { aeadSealBatch, aeadOpenBatch } = functions
  functions.aeadSealBatch = (key, aad, data, lengths, out) =>
    aeadSealBatch(key, aad, data, host.bytesOfNumbers(lengths) as never, out)
  functions.aeadOpenBatch = (key, aad, data, lengths, out) =>
    aeadOpenBatch(key, aad, data, host.bytesOfNumbers(lengths) as never, out)
  return functions
}
