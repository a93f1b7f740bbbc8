// The module of ciphers for one buffer. A build that does not have it has `absent.ts` in place of this file.

import { Held, type Of, type Source } from './held.js'
import { CIPHER } from './signatures.js'

export type Ciphers = Of<typeof CIPHER>

export function ciphersOf(source: Source): Ciphers {
  return new Held(source, CIPHER).functions() as unknown as Ciphers
}
