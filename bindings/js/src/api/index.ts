/**
 * Sealstone encrypts files and data to public keys: post-quantum by default, on all cores, in one format.
 *
 * @module sealstone
 */

export type { Extracted, Inspection, Processed, StanzaInfo } from '../backend/calls.js'
export type { BinaryLike, Bytes, BytesLike } from '../basics/bytes.js'
export { SealstoneError, type SealstoneErrorCode } from '../basics/error.js'
export type { Progress, RunOptions } from '../work/run.js'
export {
  type Archived,
  type ArchiveOptions,
  type Entry,
  type ExtractOptions,
  encryptFolder,
  extract,
  list,
  type MemberKind,
} from './archive.js'
export { backend } from './backend.js'
export { decryptBatch, encryptBatch } from './batch.js'
export { type ChunkedKey, chunkedKey } from './chunked.js'
export { decrypt, decryptionStream, encrypt, encryptionStream, inspect, inspectSync } from './encrypt.js'
export {
  decryptFile,
  decryptRangeFile,
  encryptFile,
  type InPlaceOptions,
  type InspectOptions,
  inspectFile,
  rewrapFile,
  verifyFile,
} from './file.js'
export {
  decryptIntoSync,
  decryptRange,
  decryptRangeSync,
  decryptSync,
  encryptedLength,
  encryptIntoSync,
  encryptSync,
  rewrap,
  rewrapSync,
} from './file-in-memory.js'
export {
  type CryptoKeyLike,
  type ExportOptions,
  exportIdentity,
  exportRecipient,
  generateIdentity,
  type Identity,
  type ImportOptions,
  identityFromKey,
  identityFromPassphrase,
  importIdentities,
  importIdentity,
  importIdentitySync,
  importRecipient,
  importRecipientSync,
  importRecipients,
  type Jwk,
  type KeyForm,
  type KeyLike,
  type KeyObjectLike,
  type KeyUsage,
  type Kind,
  type Recipient,
  recipientOf,
  toCryptoKey,
  toKeyObject,
} from './keys.js'
export {
  type MessageOptions,
  openMessage,
  openMessageSync,
  type SealMessageOptions,
  sealMessage,
  sealMessageSync,
} from './message.js'
export type { AccessOptions, PathLike, WriteOptions } from './path.js'
export type { DecryptOptions, EncryptOptions, Profile, RewrapOptions, Suite } from './recipe.js'
export type { ByteSource } from './source.js'
export type { TransformPair } from './stream.js'
