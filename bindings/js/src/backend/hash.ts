import type { Borrowed } from '../basics/bytes.js'
import type { Handle, Out } from './sync.js'

/** Bytes, or text that is well-formed, which stands for its UTF-8. */
export type Data = Uint8Array | Borrowed | string

/**
 * Digests. An algorithm crosses as its number, which {@link HashCalls.hashId} says once, and an encoding likewise. Without a length, or
 * with 0, a digest is as long as {@link HashCalls.hashLen} says.
 */
export interface HashCalls {
  hashId(algorithm: string): number
  hashLen(algorithm: number): number
  encodingId(encoding: string): number
  /** Into memory that may be the data's. */
  hashInto(algorithm: number, data: Data, digest: Uint8Array): void
  hashText(algorithm: number, data: Data, encoding: number, length: number): string
  /** Of items that lie one behind the other, as do their digests then. */
  hashBatch(algorithm: number, data: Uint8Array, lengths: Uint32Array, digests: Uint8Array): void
  hashBatchText(algorithm: number, data: Uint8Array, lengths: Uint32Array, encoding: number): string
  hasher(algorithm: number): Handle
  hasherClone(hasher: Handle): Handle
  hasherUpdate(hasher: Handle, data: Uint8Array): void
  hasherDigest(hasher: Handle, length: number): Out
  hasherText(hasher: Handle, encoding: number, length: number): string
}
