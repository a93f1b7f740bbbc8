// What goes to a worker and comes back: one piece of memory, which is nobody else's on the way. A job says all that it needs, and
// a worker keeps nothing of it.

import { JOB_CHUNKS } from '../wasm/chunks.js'
import { NONCE_LEN, TAG_LEN } from '../wasm/host-crypto.js'

/** How both sides know that they understand each other, beside the module of WebAssembly. */
export const PROTOCOL = 'sealstone workers 1'

/** Where a job's memory has the key, the nonces and the chunks, one behind the other; the results are where the chunks were. */
export const NONCES_AT = 32
export const CHUNKS_AT = NONCES_AT + JOB_CHUNKS * NONCE_LEN
/** Its length. */
export function memoryLen(chunkLen: number): number {
  return CHUNKS_AT + JOB_CHUNKS * (chunkLen + TAG_LEN)
}

/** What begins a worker: {@link PROTOCOL}, its end of the channel, and the module. */
export type Beginning = readonly [protocol: string, port: MessagePort, module: WebAssembly.Module]

/** What a worker says first: that it has begun, or why not. */
export type Begun = readonly [protocol: string, failure: string | undefined]

export type Request = readonly [
  id: number,
  algorithm: string,
  keyLen: number,
  seals: boolean,
  /** Bytes of plaintext in every chunk but the last. */
  chunkLen: number,
  count: number,
  /** Bytes of the chunks as they come. */
  length: number,
  memory: ArrayBuffer,
]

/** `made` are the chunks in front of the first that is not authentic. */
export type Answer = readonly [id: number, made: number, failure: string | undefined, memory: ArrayBuffer]
