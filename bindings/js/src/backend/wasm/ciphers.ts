// The module of ciphers for one buffer.

import { Held, type Of, type Source } from './held.js'
import { CIPHER } from './signatures.js'

export type Ciphers = Of<typeof CIPHER>

export function ciphersOf(source: Source): Ciphers {
  return new Held(source, CIPHER).functions() as unknown as Ciphers
}
