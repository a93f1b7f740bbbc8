import type { Data } from './hash.js'
import type { Handle, Out } from './sync.js'

/** Tags of messages. An encoding crosses as its number, which `encodingId` of `HashCalls` says once. */
export interface MacCalls {
  /** A tag's length of 0 is the algorithm's own; another one, and a customization, are of KMAC alone. */
  mac(algorithm: string, key: Uint8Array, customization: Uint8Array | undefined, tagLen: number): Handle
  macTagLen(key: Handle): number
  /** Into memory that may be the data's. */
  macInto(key: Handle, data: Data, tag: Uint8Array): void
  macText(key: Handle, data: Data, encoding: number): string
  macVerify(key: Handle, data: Data, tag: Uint8Array, isTruncated: boolean): void
  macVerifyText(key: Handle, data: Data, tag: string, encoding: number, isTruncated: boolean): void
  macSigner(key: Handle): Handle
  macSignerUpdate(signer: Handle, data: Uint8Array): void
  /** Of what was taken so far; more may follow. */
  macSignerTag(signer: Handle): Out
  macSignerText(signer: Handle, encoding: number): string
  macSignerVerify(signer: Handle, tag: Uint8Array, isTruncated: boolean): void
  macSignerVerifyText(signer: Handle, tag: string, encoding: number, isTruncated: boolean): void
}
