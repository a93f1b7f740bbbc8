// What stands in a build for the modules that its entries never call: no functions, and no objects.

import type { ciphersOf as ciphers } from './ciphers.js'
import type { digestsOf as digests } from './digests.js'
import type { keyPairsOf as keyPairs } from './key-pairs.js'

const nothing = (): void => undefined
const absent = (): object => ({ holds: () => false, own: nothing, release: nothing, pairPromises: () => undefined })

export const digestsOf = absent as typeof digests
export const ciphersOf = absent as typeof ciphers
export const keyPairsOf = absent as typeof keyPairs
/** RSA of a host, which belongs to key pairs. */
export const webRsa = nothing
