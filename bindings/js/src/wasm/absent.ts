// What stands in a build for the modules that its entries never call: no functions, and no objects.

import type { ciphersOf as ciphers } from './ciphers.js'
import type { digestsOf as digests } from './digests.js'

const nothing = (): void => undefined
const absent = (): object => ({ holds: () => false, own: nothing, release: nothing })

export const digestsOf = absent as typeof digests
export const ciphersOf = absent as typeof ciphers
