/**
 * Age files (https://c2sp.org/age), with the names of typage (`age-encryption`): the same bytes, by the core of this package. To
 * encrypt for your own programs use `sealstone`, whose files say their length before they are opened, and can be bound to a context.
 *
 * A file does not prove who encrypted it: whoever has the recipient can make one. A stream gives what is authentic before all of the file
 * was seen, so that a file which was cut is noticed at its end.
 *
 * @module sealstone/age
 */

export type { Processed } from '../../backend/calls.js'
export type { Bytes, BytesLike } from '../../basics/bytes.js'
export { SealstoneError } from '../../basics/error.js'
export type { CryptoKeyLike } from '../../work/key-like.js'
export type { Progress, RunOptions } from '../../work/run.js'
export type { AccessOptions, PathLike, WriteOptions } from '../path.js'
export * as armor from './armor.js'
export { Decrypter } from './decrypter.js'
export { Encrypter } from './encrypter.js'
export { generateHybridIdentity, generateIdentity, generateX25519Identity, identityToRecipient } from './keys.js'
export { type Identity, type Recipient, Stanza } from './stanza.js'
export type { ReadableStreamWithSize } from './streams.js'
export * as webauthn from './webauthn.js'
