// Messages to a worker and back. Each one transfers a piece of memory, so that no other code has it on the way. A job contains everything
// that it needs, and a worker keeps nothing of it.

import { JOB_CHUNKS } from '../backend/wasm/chunks.js'
import { NONCE_LEN, TAG_LEN } from '../backend/wasm/host-crypto.js'

/** The name of the protocol. It and the WebAssembly module show both sides that they have the same version. */
export const PROTOCOL = 'sealstone workers 1'

/** The layout of a job's memory: the key, the nonces and the chunks, one after the other. The results replace the chunks. */
export const NONCES_AT = 32
export const CHUNKS_AT = NONCES_AT + JOB_CHUNKS * NONCE_LEN
/** The length of a job's memory. */
export function memoryLen(chunkLen: number): number {
  return CHUNKS_AT + JOB_CHUNKS * (chunkLen + TAG_LEN)
}

/** The message that starts a worker: {@link PROTOCOL}, its end of the channel, and the module. */
export type Beginning = readonly [protocol: string, port: MessagePort, module: WebAssembly.Module]

/** The first message of a worker: that it has started, or why not. */
export type Begun = readonly [protocol: string, failure: string | undefined]

export type Request = readonly [
  id: number,
  algorithm: string,
  keyLen: number,
  seals: boolean,
  /** Bytes of plaintext in every chunk but the last. */
  chunkLen: number,
  count: number,
  /** Bytes of the chunks before the work. */
  length: number,
  memory: ArrayBuffer,
]

/** `made` is the number of chunks before the first one that is not authentic. */
export type Answer = readonly [id: number, made: number, failure: string | undefined, memory: ArrayBuffer]

/** The work on consecutive chunks of a file. */
export interface Job {
  /** The AEAD, by core's name. */
  readonly algorithm: string
  readonly key: Uint8Array
  readonly seals: boolean
  /** Bytes of plaintext in every chunk but the last. */
  readonly chunkLen: number
  /** The nonces of all chunks, one after the other. */
  readonly nonces: Uint8Array
  /** The chunks: first the bytes of `before`, then those of `bytes`. */
  readonly before: Uint8Array
  readonly bytes: Uint8Array
}
