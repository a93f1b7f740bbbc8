// The interfaces against which this package is written. `#platform` is the one that a build is for: `node/platform.ts` or `browser/platform.ts`.

import type { KeyObject, webcrypto } from 'node:crypto'
import type { Bytes } from '../basics/bytes.js'
import type { BulkCalls, FileCalls, Handle, Out, SyncCalls } from './calls.js'

export type { KeyObject, webcrypto } from 'node:crypto'

/** The calls of a backend, in three parts. */
export interface Calls {
  readonly sync: SyncCalls
  readonly bulk: BulkCalls
  readonly files: FileCalls
  /** Whether work on so many bytes is over so soon that it is best done at once. */
  isShort(length: number, by: WorkedWith): boolean
  /** A digest, where it is promised and faster so; the data is the caller's again when this returns. */
  digestLater?: ((algorithm: string, data: Uint8Array) => Promise<Out> | undefined) | undefined
  /** Bytes of an input that are handed over at once, since that takes a few milliseconds at the most. */
  partLen(): number
}

/** The object that works: the length of long work depends on its algorithm. */
export interface WorkedWith {
  readonly sealer?: Handle
  readonly opener?: Handle
  readonly key?: Handle
}

/** The platform of this package: Node, a browser. A function that a platform does not have throws. */
export interface Platform {
  /**
   * Loads what computes; it is called until it has succeeded once.
   *
   * @throws `unavailable_backend`
   */
  load(): Calls
  /** The system's name of an error, `ENOENT` of -2. */
  systemErrorName(errno: number): string
  /** The name of the file that a URL stands for. */
  pathOfUrl(href: string): string
  /** The name that means what this one means now, when the working directory is another. */
  placeOf(path: Bytes): Bytes
  /** The most UTF-16 code units that a string can have. */
  maxStringLength(): number
  /** WebCrypto where the realm has none that computes. */
  webCrypto(): webcrypto.Crypto
  isKeyObject(key: object): key is KeyObject
  /** A key of PKCS#8 or SubjectPublicKeyInfo. Throws where the platform has no such kind. */
  keyObject(der: Bytes, type: 'private' | 'public'): KeyObject
}
