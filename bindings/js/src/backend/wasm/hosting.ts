// The parts of the modules' work that others do: a host, and threads that a program has started.

import type { Handle } from '../calls.js'
import type { Chunks } from './chunks.js'
import type { Derive } from './derivations.js'
import type { HostCrypto } from './host-crypto.js'
import type { HostRsa } from './host-rsa.js'
import type { ModuleKind } from './kinds.js'
import type { Source } from './module.js'
import type { PromisedCrypto } from './promised-crypto.js'
import type { Work } from './work.js'

/** What a family of calls is made of. */
export interface Parts {
  /** A module, which is asked for when it is first needed. */
  sourceOf(kind: ModuleKind): Source
  readonly work: Work
  readonly hosting: Hosting
}

/** All that a platform has in place of the modules. */
export interface Hosting {
  /** Computes at once, as Node does. */
  readonly crypto?: HostCrypto | undefined
  /** Promises, as WebCrypto does; there is one of the two at the most. */
  readonly promised?: PromisedCrypto | undefined
  /** Without it, keys of RSA compute nothing. */
  readonly rsa?: HostRsa | undefined
  readonly crew?: (() => Crew | undefined) | undefined
}

/** Threads that are at work. */
export interface Crew {
  /** So many jobs keep all of them at work. */
  readonly jobsMax: number
  /** Bytes of an input that are handed over at once. */
  readonly partLen: number
  readonly files: Files
}

/** The files whose chunks others seal and open. Of bytes in memory their length is said. */
export interface Files {
  sealing(sealer: Handle, length?: number): Chunks | undefined
  opening(opener: Handle, length?: number): Chunks | undefined
  /** From a chunk on. */
  openingFrom(opener: Handle, first: number, length: number): Chunks | undefined
  forget(handle: Handle): void
}

/** How a host derives keys for those who wait. */
export function deriveOf({ crypto, promised }: Hosting): Derive | undefined {
  return (crypto ?? promised)?.derive
}

/** Up to so many bytes WebAssembly takes less than a millisecond. */
const SHORT_LEN = 1 << 16
/** Up to so many a host that computes at once. */
const HOSTED_LEN = 1 << 18

/** Up to so many bytes work is done at once, whoever does it. */
export function atOnceLen({ crypto, promised }: Hosting): number {
  return crypto === undefined ? (promised?.from ?? SHORT_LEN) : HOSTED_LEN
}

/** Up to so many likewise, where nothing is promised. */
export function shortLen({ crypto }: Hosting): number {
  return crypto === undefined ? SHORT_LEN : HOSTED_LEN
}
