/**
 * Keys derived from secrets and from passwords. HKDF, the one-step KDF and BLAKE3 are for secrets that nobody can guess. They are fast: an
 * attacker can test millions of passwords a second against a key that they made from a password. For passwords, use Argon2, scrypt or
 * PBKDF2, whose cost each guess has to pay.
 *
 * To keep a password for a later login use `sealstone/password`, and to encrypt a file with one `encrypt` of `sealstone`.
 *
 * @module sealstone/kdf
 */

import type { CrossingCost, DerivedOf } from '../backend/calls.js'
import { type Bytes, type BytesLike, bytesOf, copyOf, zero } from '../basics/bytes.js'
import { ArgumentError } from '../basics/error.js'
import { readOptions, stringOf, wholeNumber } from '../basics/option.js'
import { branded } from '../basics/receiver.js'
import type { HmacHash } from '../basics/table.js'
import { type Argon2Cost, boundedOf, costNames, crossing, type Pbkdf2Cost, type ScryptCost } from '../work/cost.js'
import { bulk, call } from '../work/digest-calls.js'
import { Held } from '../work/handle.js'
import { type Run, type RunOptions, runOf, waited } from '../work/run.js'

export type { Bytes, BytesLike } from '../basics/bytes.js'
export { SealstoneError } from '../basics/error.js'
export type { HmacHash } from '../basics/table.js'
export type { Argon2Cost, Pbkdf2Cost, ScryptCost } from '../work/cost.js'
export type { RunOptions } from '../work/run.js'

/** Options of HKDF. */
export interface HkdfOptions {
  /** Bytes of the key, up to 255 digests. */
  readonly length: number
  /** Random or not, and no secret; none by default. */
  readonly salt?: BytesLike
  /** The purpose of the key: another text gives another key. */
  readonly info?: BytesLike
}

/**
 * HKDF (RFC 5869): extracts a key from a secret and a salt, and expands it.
 *
 * @throws {@link SealstoneError} `unknown_algorithm` for a hash without an HMAC, `too_long` for more than 255 digests.
 *
 * @example
 * ```ts
 * import { hkdf } from 'sealstone/kdf'
 *
 * const shared = new Uint8Array(32) // from a key agreement, for example
 * const toServer = hkdf('sha256', shared, { info: 'my app, to the server', length: 32 })
 * const toClient = hkdf('sha256', shared, { info: 'my app, to the client', length: 32 })
 * console.log(toServer.length, toServer[0] === toClient[0] && toServer[1] === toClient[1]) // 32 false
 * ```
 */
export function hkdf(hash: HmacHash, secret: BytesLike, options: HkdfOptions): Bytes {
  const { length, salt = '', info = '' } = readOptions<HkdfOptions>(options, ['length', 'salt', 'info'])
  const len = lengthOf(length)
  const name = stringOf(hash, 'the hash')
  const bytes = bytesOf(secret, 'the secret')
  const itsSalt = bytesOf(salt, 'the salt')
  const about = bytesOf(info, 'info')
  return call((sync) => sync.hkdf(name, bytes, itsSalt, about, len))
}

/**
 * HKDF-Extract: a key as long as a digest.
 *
 * @example
 * ```ts
 * import { hkdfExpand, hkdfExtract } from 'sealstone/kdf'
 *
 * const key = hkdfExtract('sha512', 'salt', new Uint8Array(32))
 * console.log(key.length, hkdfExpand('sha512', key, 'my app', 100).length) // 64 100
 * ```
 */
export function hkdfExtract(hash: HmacHash, salt: BytesLike, secret: BytesLike): Bytes {
  const name = stringOf(hash, 'the hash')
  const itsSalt = bytesOf(salt, 'the salt')
  const bytes = bytesOf(secret, 'the secret')
  return call((sync) => sync.hkdfExtract(name, itsSalt, bytes))
}

/**
 * HKDF-Expand, from a key that is random or that {@link hkdfExtract} returned.
 *
 * @throws {@link SealstoneError} `wrong_length` for a key that is shorter than a digest; `too_long` for more than 255 digests.
 *
 * @example
 * ```ts
 * import { randomBytes } from 'node:crypto'
 * import { hkdfExpand } from 'sealstone/kdf'
 *
 * console.log(hkdfExpand('sha256', randomBytes(32), 'file keys', 64).length) // 64
 * ```
 */
export function hkdfExpand(hash: HmacHash, key: BytesLike, info: BytesLike, length: number): Bytes {
  const len = lengthOf(length)
  const name = stringOf(hash, 'the hash')
  const bytes = bytesOf(key, 'the key')
  const about = bytesOf(info, 'info')
  return call((sync) => sync.hkdfExpand(name, bytes, about, len))
}

/**
 * The one-step KDF of SP 800-56C over a hash, which JOSE calls Concat KDF: a key from a shared secret and from what both sides know.
 *
 * @example
 * ```ts
 * import { concatKdf } from 'sealstone/kdf'
 *
 * console.log(concatKdf('sha256', new Uint8Array(32), 'my app, from Alice to Bob', 16).length) // 16
 * ```
 */
export function concatKdf(hash: HmacHash, secret: BytesLike, info: BytesLike, length: number): Bytes {
  const len = lengthOf(length)
  const name = stringOf(hash, 'the hash')
  const bytes = bytesOf(secret, 'the secret')
  const about = bytesOf(info, 'info')
  return call((sync) => sync.concatKdf(name, bytes, about, len))
}

/**
 * BLAKE3's key derivation. The context says what the key is for. It must be a constant of the program, never an input.
 *
 * @example
 * ```ts
 * import { randomBytes } from 'node:crypto'
 * import { blake3DeriveKey } from 'sealstone/kdf'
 *
 * console.log(blake3DeriveKey('example.com 2026-11-23 session tokens v1', randomBytes(32)).length) // 32
 * ```
 */
export function blake3DeriveKey(context: string, secret: BytesLike, length = 32): Bytes {
  const len = lengthOf(length)
  const about = stringOf(context, 'the context')
  // Refused if it is not well-formed.
  bytesOf(about, 'the context')
  const bytes = bytesOf(secret, 'the secret')
  return call((sync) => sync.blake3DeriveKey(about, bytes, len))
}

/** Options of a derivation from a password, apart from its cost. */
export interface DeriveOptions {
  /** Bytes of the key: 32 by default. */
  readonly length?: number
  /**
   * Whether to allow a cost beyond 10,000,000 iterations of PBKDF2 for all its blocks together, 1 GiB (128 * r * N), 16 lanes and an r
   * of 8192 of scrypt, or 1 GiB, 16 passes and 16 lanes of Argon2. Otherwise that is `cost_too_high`: never allow it for a cost that
   * somebody else chose. It allows a salt of under 8 bytes for Argon2 too, which is `wrong_length` otherwise.
   */
  readonly allowHighCost?: boolean
}

/** Further options of Argon2. */
export interface Argon2Options extends Argon2Cost, DeriveOptions {
  /** A key that is stored apart from the salt and the result, also called pepper. */
  readonly secret?: BytesLike
  /** Further inputs on which the key depends. */
  readonly associatedData?: BytesLike
}

export interface ScryptOptions extends ScryptCost, DeriveOptions {}
export interface Pbkdf2Options extends Pbkdf2Cost, DeriveOptions {}
/** Ends the wait for a derivation: the promise rejects with the signal's reason. Work that a thread of the addon has begun goes on. */
export type Signalled = Pick<RunOptions, 'signal'>

/**
 * Argon2id (RFC 9106): a key of a password, 16 random bytes of salt and a cost. It is derived on a thread of its own, so that several
 * are derived at once; in WebAssembly one after the other, in turns of the event loop, in which a signal ends it.
 *
 * The password is taken as it is: text as its UTF-8, without a normalization.
 *
 * @throws {@link SealstoneError} `invalid_cost` for what the algorithm does not have, `cost_too_high` beyond the bounds or the memory,
 * both before any work; `wrong_length` for a key of less than 4 bytes and a salt of less than 8; the reason of the signal.
 *
 * @example
 * ```ts
 * import { randomBytes } from 'node:crypto'
 * import { argon2id } from 'sealstone/kdf'
 *
 * const salt = randomBytes(16) // to be kept with what the key encrypts
 * const key = await argon2id('correct horse battery staple', salt)
 * console.log(key.length) // 32
 * ```
 */
export async function argon2id(
  password: BytesLike,
  salt: BytesLike,
  options?: Argon2Options & Signalled,
): Promise<Bytes> {
  return later(argon2Of('argon2id', password, salt, options, SIGNAL))
}

/**
 * As {@link argon2id}, and waits for it.
 *
 * @example
 * ```ts
 * import { argon2idSync } from 'sealstone/kdf'
 *
 * console.log(argon2idSync('password', 'a random salt 16', { memoryKib: 8, passes: 1 }).length) // 32
 * ```
 */
export function argon2idSync(password: BytesLike, salt: BytesLike, options?: Argon2Options): Bytes {
  return now(argon2Of('argon2id', password, salt, options))
}

/**
 * Argon2i, for protocols that have it; see {@link argon2id}.
 *
 * @example
 * ```ts
 * import { argon2i } from 'sealstone/kdf'
 *
 * console.log((await argon2i('password', 'a random salt 16', { memoryKib: 8, passes: 1 })).length) // 32
 * ```
 */
export async function argon2i(
  password: BytesLike,
  salt: BytesLike,
  options?: Argon2Options & Signalled,
): Promise<Bytes> {
  return later(argon2Of('argon2i', password, salt, options, SIGNAL))
}

/**
 * As {@link argon2i}, and waits for it.
 *
 * @example
 * ```ts
 * import { argon2iSync } from 'sealstone/kdf'
 *
 * console.log(argon2iSync('password', 'a random salt 16', { memoryKib: 8, passes: 1 }).length) // 32
 * ```
 */
export function argon2iSync(password: BytesLike, salt: BytesLike, options?: Argon2Options): Bytes {
  return now(argon2Of('argon2i', password, salt, options))
}

/**
 * Argon2d, for protocols that have it: which memory it reads depends on the password. See {@link argon2id}.
 *
 * @example
 * ```ts
 * import { argon2d } from 'sealstone/kdf'
 *
 * console.log((await argon2d('password', 'a random salt 16', { memoryKib: 8, passes: 1 })).length) // 32
 * ```
 */
export async function argon2d(
  password: BytesLike,
  salt: BytesLike,
  options?: Argon2Options & Signalled,
): Promise<Bytes> {
  return later(argon2Of('argon2d', password, salt, options, SIGNAL))
}

/**
 * As {@link argon2d}, and waits for it.
 *
 * @example
 * ```ts
 * import { argon2dSync } from 'sealstone/kdf'
 *
 * console.log(argon2dSync('password', 'a random salt 16', { memoryKib: 8, passes: 1 }).length) // 32
 * ```
 */
export function argon2dSync(password: BytesLike, salt: BytesLike, options?: Argon2Options): Bytes {
  return now(argon2Of('argon2d', password, salt, options))
}

/**
 * scrypt (RFC 7914), as {@link argon2id}.
 *
 * @example
 * ```ts
 * import { scrypt } from 'sealstone/kdf'
 *
 * console.log((await scrypt('password', 'a random salt 16', { logN: 14, length: 64 })).length) // 64
 * ```
 */
export async function scrypt(
  password: BytesLike,
  salt: BytesLike,
  options?: ScryptOptions & Signalled,
): Promise<Bytes> {
  return later(requested('scrypt', password, salt, options, SIGNAL))
}

/**
 * As {@link scrypt}, and waits for it.
 *
 * @example
 * ```ts
 * import { scryptSync } from 'sealstone/kdf'
 *
 * console.log(scryptSync('password', 'a random salt 16', { logN: 10 }).length) // 32
 * ```
 */
export function scryptSync(password: BytesLike, salt: BytesLike, options?: ScryptOptions): Bytes {
  return now(requested('scrypt', password, salt, options))
}

/**
 * PBKDF2 (RFC 8018) over HMAC, as {@link argon2id}. It needs no memory, so that guessing on many machines is far cheaper than with the
 * others: take it where a standard asks for it. In pages WebCrypto derives what it has.
 *
 * @example
 * ```ts
 * import { pbkdf2 } from 'sealstone/kdf'
 *
 * console.log((await pbkdf2('sha256', 'password', 'a random salt 16', { iterations: 600_000 })).length) // 32
 * ```
 */
export async function pbkdf2(
  hash: HmacHash,
  password: BytesLike,
  salt: BytesLike,
  options?: Pbkdf2Options & Signalled,
): Promise<Bytes> {
  return later(requested(pbkdf2Over(hash), password, salt, options, SIGNAL))
}

/**
 * As {@link pbkdf2}, and waits for it.
 *
 * @example
 * ```ts
 * import { pbkdf2Sync } from 'sealstone/kdf'
 *
 * console.log(pbkdf2Sync('sha512', 'password', 'a random salt 16', { iterations: 1000, length: 64 }).length) // 64
 * ```
 */
export function pbkdf2Sync(hash: HmacHash, password: BytesLike, salt: BytesLike, options?: Pbkdf2Options): Bytes {
  return now(requested(pbkdf2Over(hash), password, salt, options))
}

/** Options of a cache of keys. */
export interface KeyCacheOptions {
  /** How many keys it has at the most: 100 by default. */
  readonly entries?: number
  /** Milliseconds that each is there after it was derived: 300,000 by default. */
  readonly lifetimeMs?: number
}

/**
 * A cache of keys that were derived from passwords: the same password, salt and cost give the key at once.
 *
 * With a cache, the cost protects a password only against those who cannot read this memory, and the time of an answer tells whether the
 * key was derived before.
 *
 * @example
 * ```ts
 * import { createKeyCache } from 'sealstone/kdf'
 *
 * const cache = createKeyCache({ entries: 10, lifetimeMs: 60_000 })
 * const one = await cache.argon2id('correct horse battery staple', 'a random salt 16')
 * const other = await cache.argon2id('correct horse battery staple', 'a random salt 16') // at once
 * console.log(Buffer.compare(one, other)) // 0
 * cache.destroy()
 * ```
 */
export function createKeyCache(options?: KeyCacheOptions): KeyCache {
  const { entries = 100, lifetimeMs = 300_000 } = readOptions<KeyCacheOptions>(options, ['entries', 'lifetimeMs'])
  const [most, lifetime] = [
    wholeNumber(entries, 'entries', 0, 2 ** 20),
    wholeNumber(lifetimeMs, 'lifetimeMs', 0, Number.MAX_SAFE_INTEGER),
  ]
  return new KeyCache(
    new Held(
      call((sync) => sync.keyCache(most, lifetime)),
      'cache',
    ),
    lifetime,
  )
}

/**
 * Keys that were derived before: the last used, each for a while. It knows passwords by a keyed hash alone. Keys are zeroed when they leave
 * it, also by their age, which a timer looks at that keeps no process alive, and by `clear` and `destroy`.
 *
 * @example
 * ```ts
 * import { createKeyCache, type KeyCache } from 'sealstone/kdf'
 *
 * const cache: KeyCache = createKeyCache()
 * console.log((await cache.pbkdf2('sha256', 'password', 'a random salt 16', { iterations: 600_000 })).length) // 32
 * cache.clear()
 * ```
 */
export class KeyCache {
  readonly #held: Held
  readonly #lifetimeMs: number
  /** When keys that it has are too old, the first one first. */
  #ends: number[] = []
  #timer: ReturnType<typeof setTimeout> | undefined
  /** How often it was cleared: a key that was asked for before is not kept. */
  #cleared = 0

  /** @internal */
  static readonly brand: string = /* @__PURE__ */ branded(this, 'KeyCache', (value) => #held in value)

  /** @internal */
  constructor(held: Held, lifetimeMs: number) {
    if (!(held instanceof Held)) throw new ArgumentError('a KeyCache comes from createKeyCache')
    this.#held = held
    this.#lifetimeMs = lifetimeMs
  }

  /** As the function {@link argon2id}. */
  async argon2id(password: BytesLike, salt: BytesLike, options?: Argon2Options & Signalled): Promise<Bytes> {
    return this.#derived(argon2Of('argon2id', password, salt, options, SIGNAL))
  }

  /** As the function {@link argon2i}. */
  async argon2i(password: BytesLike, salt: BytesLike, options?: Argon2Options & Signalled): Promise<Bytes> {
    return this.#derived(argon2Of('argon2i', password, salt, options, SIGNAL))
  }

  /** As the function {@link argon2d}. */
  async argon2d(password: BytesLike, salt: BytesLike, options?: Argon2Options & Signalled): Promise<Bytes> {
    return this.#derived(argon2Of('argon2d', password, salt, options, SIGNAL))
  }

  /** As the function {@link scrypt}. */
  async scrypt(password: BytesLike, salt: BytesLike, options?: ScryptOptions & Signalled): Promise<Bytes> {
    return this.#derived(requested('scrypt', password, salt, options, SIGNAL))
  }

  /** As the function {@link pbkdf2}. */
  async pbkdf2(
    hash: HmacHash,
    password: BytesLike,
    salt: BytesLike,
    options?: Pbkdf2Options & Signalled,
  ): Promise<Bytes> {
    return this.#derived(requested(pbkdf2Over(hash), password, salt, options, SIGNAL))
  }

  /** As the function {@link pbkdf2Sync}. */
  pbkdf2Sync(hash: HmacHash, password: BytesLike, salt: BytesLike, options?: Pbkdf2Options): Bytes {
    const request = requested(pbkdf2Over(hash), password, salt, options)
    return this.#found(request) ?? this.#keep(request, now(request))
  }

  /** Forgets all keys. */
  clear(): void {
    const { handle } = this.#held
    this.#cleared++
    this.#watch([])
    call((sync) => sync.keyCacheClear(handle))
  }

  /** Forgets all keys, and ends the cache; every later use is a `TypeError`. */
  destroy(): void {
    this.#watch([])
    this.#held.destroy()
  }

  /** Has a timer for the first of the ends, and none where there is none. A cache that nobody has any more is not kept by it. */
  #watch(ends: number[]): void {
    this.#ends = ends
    clearTimeout(this.#timer)
    this.#timer = undefined
    const [first] = ends
    if (first === undefined) return
    const weak = new WeakRef(this)
    const wait = Math.min(Math.max(first - nowMs(), 1), TIMER_MAX_MS)
    this.#timer = setTimeout(() => {
      const cache = weak.deref()
      if (cache !== undefined) cache.#forget()
    }, wait)
    // In browsers it is a number.
    const { unref } = this.#timer as { unref?(): void }
    unref?.call(this.#timer)
  }

  /** Forgets the keys that are too old. Any search does: this one is for a key that nobody has. */
  #forget(): void {
    const [{ handle }, now, none] = [this.#held, nowMs(), new Uint8Array()]
    call((sync) => sync.keyCacheFind(handle, now, 'pbkdf2-sha256', 1, 0, 0, none, none, none, none, true, 1))
    this.#watch(this.#ends.filter((end) => end > now))
  }

  async #derived(request: Request): Promise<Bytes> {
    const { of, signal } = request
    signal?.throwIfAborted()
    // The length that was asked for, whatever becomes of the caller's memory meanwhile.
    const own = each(of, copyOf)
    const asked = { ...request, of: own }
    try {
      const found = this.#found(asked)
      if (found !== undefined) return found
      const cleared = this.#cleared
      const key = await later(asked)
      return this.#held.isDestroyed || cleared !== this.#cleared ? key : this.#keep(asked, key)
    } finally {
      for (let i = 0; i < own.length; i++) zero(own[i] as Bytes)
    }
  }

  #found({ cost, of, isBounded, length }: Request): Bytes | undefined {
    const { handle } = this.#held
    const found = call((sync) =>
      sync.keyCacheFind(handle, nowMs(), ...cost, of[0], of[1], of[2], of[3], isBounded, length),
    )
    return found.length > 0 ? found : undefined
  }

  #keep({ cost, of }: Request, key: Bytes): Bytes {
    const { handle } = this.#held
    const kept = nowMs()
    call((sync) => sync.keyCacheKeep(handle, kept, ...cost, of[0], of[1], of[2], of[3], key))
    this.#watch([...this.#ends, kept + this.#lifetimeMs])
    return key
  }
}

/** The longest that a timer waits. */
const TIMER_MAX_MS = 2 ** 31 - 1

function nowMs(): number {
  return Math.floor(performance.now())
}

/** The length that was asked for. */
interface Request {
  readonly cost: CrossingCost
  readonly of: DerivedOf
  readonly isBounded: boolean
  readonly length: number
  readonly signal: Run['signal']
}

const SIGNAL = ['signal'] as const

function argon2Of(
  algorithm: string,
  password: BytesLike,
  salt: BytesLike,
  options: (Argon2Options & Signalled) | undefined,
  besides: readonly string[] = [],
): Request {
  return requested(algorithm, password, salt, options, ['secret', 'associatedData', ...besides])
}

function requested(
  algorithm: string,
  password: BytesLike,
  salt: BytesLike,
  options: object | undefined,
  besides: readonly string[] = [],
): Request {
  const known = [...costNames(algorithm), 'length', 'allowHighCost', ...besides]
  const read = readOptions<Record<string, unknown>>(options, known)
  const { length, allowHighCost, secret = '', associatedData = '' } = read
  const { signal } = runOf(read as RunOptions)
  const [cost, isBounded] = [crossing(algorithm, read), boundedOf(allowHighCost)]
  const len = lengthOf(length === undefined ? 32 : length)
  const of = [
    bytesOf(password, 'the password'),
    bytesOf(salt, 'the salt'),
    bytesOf(secret, 'the secret'),
    bytesOf(associatedData, 'the associated data'),
  ] as const
  return { cost, of, isBounded, length: len, signal }
}

/** One by one, as wherever they are handed on: functions and iterators that others have put on arrays would see the password. */
function each(of: DerivedOf, take: (part: Uint8Array, what: string) => Bytes): DerivedOf {
  const what = 'what is derived of'
  return [take(of[0], what), take(of[1], what), take(of[2], what), take(of[3], what)]
}

function now({ cost, of, isBounded, length }: Request): Bytes {
  return call((sync) => sync.derive(...cost, of[0], of[1], of[2], of[3], isBounded, length))
}

async function later({ cost, of, isBounded, length, signal }: Request): Promise<Bytes> {
  return waited(signal, (job) => {
    // Looked at again: a signal may be code of the caller, which may have transferred the bytes away.
    const still = each(of, bytesOf)
    return bulk().deriveLater(...cost, still[0], still[1], still[2], still[3], isBounded, length, job)
  })
}

function pbkdf2Over(hash: HmacHash): string {
  return `pbkdf2-${stringOf(hash, 'the hash')}`
}

function lengthOf(length: unknown): number {
  return wholeNumber(length, 'length', 1, 2 ** 31 - 1)
}
