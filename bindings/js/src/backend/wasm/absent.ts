// What stands in a build for the modules that its entries never call: no functions, and no objects.

import type { ageFilesOf as ageFiles } from './age-files.js'
import type { ciphersOf as ciphers } from './ciphers.js'
import type { digestsOf as digests } from './digests.js'
import type { exchangersOf as exchangers } from './exchangers.js'
import type { rsaPairsOf as rsaPairs } from './rsa-pairs.js'
import type { signersOf as signers } from './signers.js'

const nothing = (): void => undefined
const absent = (): object => ({ holds: () => false, release: nothing })

export const ageFilesOf = absent as typeof ageFiles
export const digestsOf = absent as typeof digests
export const ciphersOf = absent as typeof ciphers
export const signersOf = absent as typeof signers
export const exchangersOf = absent as typeof exchangers
export const rsaPairsOf = absent as typeof rsaPairs
/** RSA of a host, which key pairs ask for. */
export const webRsa = nothing
