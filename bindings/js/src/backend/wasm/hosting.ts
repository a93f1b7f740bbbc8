// The parts of the modules' work that a host does.

import type { Handle, Out } from '../calls.js'
import type { Calls } from '../index.js'
import type { Chunks } from './chunks.js'
import type { Derive } from './derivations.js'
import type { HostMessages } from './host-messages.js'
import type { Base } from './index.js'

/** A base module, and what a host has and promises in place of it, where there is one. */
export interface Hosting {
  readonly base: Base
  readonly files?: Files | undefined
  readonly promised?: PromisedBuffers
  readonly messages?: Pick<HostMessages, 'seal' | 'open'>
  readonly digest?: Calls['digestLater']
  readonly derive?: Derive
  /** Up to so many bytes files and buffers are sealed or opened at once, whoever does it. */
  readonly atOnceLen: number
  /** Up to so many likewise, where nothing is promised. */
  readonly shortLen: number
}

/** The files that a host has, by those who seal and open them. Of bytes in memory their length is said. */
export interface Files {
  sealing(sealer: Handle, length?: number): Chunks | undefined
  opening(opener: Handle, length?: number): Chunks | undefined
  /** From a chunk on. */
  openingFrom(opener: Handle, first: number, length: number): Chunks | undefined
}

/** Promised work on buffers under one key. */
export interface PromisedBuffers {
  /** Whether the host seals and opens buffers with this key. */
  has(key: Handle): boolean
  /**
   * Seals one buffer, or opens it, if the host is to. Without a nonce one is drawn, which stands before what is sealed, and before
   * the plaintext is room for it.
   */
  seal(key: Handle, nonce: Uint8Array | undefined, aad: Uint8Array, loaded: Uint8Array): Promise<Out> | undefined
  open(key: Handle, nonce: Uint8Array | undefined, aad: Uint8Array, sealed: Uint8Array): Promise<Out> | undefined
}
