/**
 * Passwords stored for a later login: PHC strings, which name their algorithm, cost and salt. Whoever steals such a string can try
 * passwords, and each try takes its cost.
 *
 * @module sealstone/password
 */

import type { CrossingCost } from '../backend/calls.js'
import { type BytesLike, bytesOf } from '../basics/bytes.js'
import { readOptions, stringOf, wholeNumber } from '../basics/option.js'
import { boundedOf, costOf, crossingOf, type PasswordCost } from '../work/cost.js'
import { bulk, call } from '../work/digest-calls.js'
import { type Run, type RunOptions, runOf, waited } from '../work/run.js'

export type { BytesLike } from '../basics/bytes.js'
export { SealstoneError } from '../basics/error.js'
export type { Argon2Cost, PasswordCost, Pbkdf2Cost, ScryptCost } from '../work/cost.js'
export type { RunOptions } from '../work/run.js'

/** Options of a check. */
export interface VerifyPasswordOptions {
  /**
   * Whether to allow a cost beyond the usual bounds: over 10,000,000 iterations of PBKDF2, 1 GiB, 16 lanes or an r of 8192 of
   * scrypt, 1 GiB, 16 passes or 16 lanes of Argon2, or 2^16 rounds of bcrypt. Otherwise that is `cost_too_high`.
   */
  readonly allowHighCost?: boolean
}

/** Ends the wait for a hash: the promise rejects with the signal's reason. Work that a thread of the addon has begun goes on. */
export type Signalled = Pick<RunOptions, 'signal'>

/**
 * Hashes a password with a new salt, and returns the text to store. Each hash has a thread of its own, so that several are computed at
 * once. In WebAssembly they are computed one after the other, in turns of the event loop, in which a signal ends them.
 *
 * The password is taken as it is: text as its UTF-8, without a normalization.
 *
 * @throws {@link SealstoneError} `invalid_passphrase` for an empty password; `invalid_cost`, also for Argon2 or scrypt with under 1 MiB,
 * and for PBKDF2 with under 1,000 iterations or with MD5; `cost_too_high` for what {@link verifyPassword} would refuse; the reason of the signal.
 *
 * @example
 * ```ts
 * import { hashPassword, verifyPassword } from 'sealstone/password'
 *
 * const stored = await hashPassword('correct horse battery staple')
 * console.log(stored) // $argon2id$v=19$m=65536,t=3,p=1$…
 * await verifyPassword('correct horse battery staple', stored) // rejects with not_authentic if it is another
 * ```
 */
export async function hashPassword(password: BytesLike, cost?: PasswordCost, options?: Signalled): Promise<string> {
  const { signal } = runOf(readOptions<Signalled>(options, ['signal']))
  const by = crossingOf(cost)
  return hashed(password, by, signal)
}

/**
 * As {@link hashPassword}, and waits for it.
 *
 * @example
 * ```ts
 * import { hashPasswordSync } from 'sealstone/password'
 *
 * console.log(hashPasswordSync('correct horse', { algorithm: 'scrypt', logN: 14 })) // $scrypt$ln=14,r=8,p=1$…
 * ```
 */
export function hashPasswordSync(password: BytesLike, cost?: PasswordCost): string {
  const by = crossingOf(cost)
  const bytes = bytesOf(password, 'the password')
  return call((sync) => sync.passwordHash(bytes, ...by))
}

/**
 * Checks a password against a stored hash: a PHC string of Argon2, scrypt or PBKDF2, a PBKDF2 string of passlib, or a bcrypt hash. It returns
 * nothing, and throws if something is wrong.
 *
 * @throws {@link SealstoneError} `not_authentic` for another password. For the stored hash, before any work: `invalid_encoding`,
 * `unknown_algorithm`, `invalid_cost`, and `cost_too_high`. For bcrypt `invalid_passphrase` for a password with a zero byte. The reason of
 * the signal.
 *
 * @example
 * ```ts
 * import { SealstoneError, verifyPassword } from 'sealstone/password'
 *
 * const stored = '$2b$04$cVWp4XaNU8a4v1uMRum2SO026BWLIoQMD/TXg5uZV.0P.uO8m3YEm'
 * try {
 *   await verifyPassword('a guess', stored)
 * } catch (error) {
 *   if (!(error instanceof SealstoneError)) throw error
 *   console.log(error.code) // not_authentic
 * }
 * ```
 */
export async function verifyPassword(
  password: BytesLike,
  stored: string,
  options?: VerifyPasswordOptions & Signalled,
): Promise<void> {
  const read = readOptions<VerifyPasswordOptions & Signalled>(options, ['allowHighCost', 'signal'])
  const [{ signal }, isBounded] = [runOf(read), boundedOf(read.allowHighCost)]
  const text = storedOf(stored)
  return waited(signal, (job) => bulk().passwordVerifyLater(bytesOf(password, 'the password'), text, isBounded, job))
}

/**
 * As {@link verifyPassword}, and waits for it.
 *
 * @example
 * ```ts
 * import { hashPasswordSync, verifyPasswordSync } from 'sealstone/password'
 *
 * const stored = hashPasswordSync('correct horse', { algorithm: 'pbkdf2-sha256', iterations: 600_000 })
 * verifyPasswordSync('correct horse', stored)
 * ```
 */
export function verifyPasswordSync(password: BytesLike, stored: string, options?: VerifyPasswordOptions): void {
  const isBounded = boundedOf(readOptions<VerifyPasswordOptions>(options, ['allowHighCost']).allowHighCost)
  const text = storedOf(stored)
  const bytes = bytesOf(password, 'the password')
  call((sync) => sync.passwordVerify(bytes, text, isBounded))
}

/**
 * Whether the password should be hashed again at its next login: the stored hash is of another algorithm, costs less than `cost` or more
 * than {@link verifyPassword} accepts, or has a shorter salt or hash. A bcrypt hash always should.
 *
 * @throws {@link SealstoneError} as {@link hashPassword} for `cost`; `invalid_encoding`, `unknown_algorithm` and `invalid_cost` as
 * {@link verifyPassword} for what was stored.
 *
 * @example
 * ```ts
 * import { needsRehash } from 'sealstone/password'
 *
 * console.log(needsRehash('$2b$04$cVWp4XaNU8a4v1uMRum2SO026BWLIoQMD/TXg5uZV.0P.uO8m3YEm')) // true
 * ```
 */
export function needsRehash(stored: string, cost?: PasswordCost): boolean {
  const by = crossingOf(cost)
  const text = storedOf(stored)
  return call((sync) => sync.passwordNeedsRehash(text, ...by))
}

/** The result of {@link calibrate}. */
export interface Calibrated {
  /** A cost that takes about as long as was asked for. */
  readonly cost: PasswordCost
  /**
   * About how many milliseconds a hash takes with it. That is more than was asked for where `from` takes more, and less than half of it
   * where the usual bounds end before: more memory takes longer then.
   */
  readonly takesMs: number
}

/**
 * A cost that takes about as long on this machine as `targetMs`, and is no less than `from`: with more passes of Argon2, a higher N of
 * scrypt or more iterations of PBKDF2, within the usual bounds. It hashes three times.
 *
 * @example
 * ```ts
 * import { calibrate, hashPassword } from 'sealstone/password'
 *
 * const { cost, takesMs } = await calibrate(50, { algorithm: 'scrypt', logN: 10 })
 * if (takesMs < 25) console.log('the cost needs more memory to take so long')
 * console.log((await hashPassword('correct horse', cost)).slice(0, 11)) // $scrypt$ln=
 * ```
 */
export async function calibrate(targetMs = 250, from?: PasswordCost): Promise<Calibrated> {
  const by = crossingOf(from)
  const target = 1000 * wholeNumber(targetMs, 'targetMs', 1, 60_000)
  let least = Number.POSITIVE_INFINITY
  for (let i = 0; i < 3; i++) {
    const begun = performance.now()
    await hashed('any password', by, undefined)
    // Disturbances make it longer.
    least = Math.min(least, performance.now() - begun)
  }
  const took = Math.max(1, Math.round(1000 * least))
  const raised = call((sync) => sync.passwordCostRaised(...by, target, took))
  const [name, a, b, c] = by
  const isArgon2 = name.startsWith('argon2')
  const times = name === 'scrypt' ? 2 ** (raised - a) : raised / (isArgon2 ? b : a)
  return { cost: costOf(isArgon2 ? [name, a, raised, c] : [name, raised, b, c]), takesMs: least * times }
}

function hashed(password: BytesLike, by: CrossingCost, signal: Run['signal']): Promise<string> {
  return waited(signal, (job) => bulk().passwordHashLater(bytesOf(password, 'the password'), ...by, job))
}

function storedOf(stored: string): string {
  const text = stringOf(stored, 'what was stored')
  // Refused if it is not well-formed.
  bytesOf(text, 'what was stored')
  return text
}
