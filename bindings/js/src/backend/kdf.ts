import type { Handle, Out } from './sync.js'

/**
 * What a password costs, as it crosses: `argon2id`, `argon2i` and `argon2d` with memory in KiB, passes and lanes; `scrypt` with the logarithm
 * of N, r and p; `pbkdf2-HASH` with iterations.
 */
export type CrossingCost = readonly [name: string, a: number, b: number, c: number]

/** What a key is derived of: password, salt, and of Argon2 alone a secret and associated data. */
export type DerivedOf = readonly [password: Uint8Array, salt: Uint8Array, secret: Uint8Array, data: Uint8Array]

/** Keys of secrets and passwords, and stored passwords. A hash crosses by its name. */
export interface KdfCalls {
  hkdf(hash: string, secret: Uint8Array, salt: Uint8Array, info: Uint8Array, length: number): Out
  hkdfExtract(hash: string, salt: Uint8Array, secret: Uint8Array): Out
  hkdfExpand(hash: string, key: Uint8Array, info: Uint8Array, length: number): Out
  concatKdf(hash: string, secret: Uint8Array, info: Uint8Array, length: number): Out
  blake3DeriveKey(context: string, secret: Uint8Array, length: number): Out
  derive(...of: [...CrossingCost, ...DerivedOf, isBounded: boolean, length: number]): Out

  /** Keys that were derived before. The clock is the caller's, in whole milliseconds. */
  keyCache(entries: number, lifetimeMs: number): Handle
  /** A key that is there, or no bytes. */
  keyCacheFind(
    ...of: [cache: Handle, nowMs: number, ...CrossingCost, ...DerivedOf, isBounded: boolean, length: number]
  ): Out
  keyCacheKeep(...of: [cache: Handle, nowMs: number, ...CrossingCost, ...DerivedOf, key: Uint8Array]): void
  keyCacheClear(cache: Handle): void

  passwordHash(password: Uint8Array, ...cost: CrossingCost): string
  passwordVerify(password: Uint8Array, stored: string, isBounded: boolean): void
  passwordNeedsRehash(stored: string, ...cost: CrossingCost): boolean
  /** The number of a cost that is raised for a target, of Argon2 the passes, of which a hash took so long: both in microseconds. */
  passwordCostRaised(...of: [...CrossingCost, target: number, took: number]): number
}
