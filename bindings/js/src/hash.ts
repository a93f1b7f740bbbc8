/**
 * Hash functions. A digest from a trusted source shows that data is unchanged. Do not use these functions for passwords.
 *
 * @module sealstone/hash
 */

import { BRAND, isInstance } from './brand.js'
import { type Bytes, type BytesLike, bytesOf, outputOf } from './bytes.js'
import { call, files } from './call.js'
import { ArgumentError } from './error.js'
import { type AccessOptions, type PathLike, pathOf, READ, specialOf } from './file.js'
import { Held } from './handle.js'
import { readOptions, stringOf } from './option.js'
import { output } from './output.js'
import { type RunOptions, runOf, watched } from './run.js'
import type { HashAlgorithm } from './table.js'

export type { Bytes, BytesLike } from './bytes.js'
export { SealstoneError } from './error.js'
export type { AccessOptions, PathLike } from './file.js'
export type { HashAlgorithm } from './table.js'

/**
 * The digest of bytes or text.
 *
 * @example
 * ```ts
 * import { hash, hashHex } from 'sealstone/hash'
 *
 * console.log(hash('sha256', 'attack at dawn').length) // 32
 * console.log(hashHex('sm3', 'abc')) // 66c7f0f462eeedd9d1f2d46bdc10e4e24167c4875cf2f7a2297da02b8f4ba8e0
 * ```
 */
export function hash(algorithm: HashAlgorithm, data: BytesLike): Bytes {
  const name = nameOf(algorithm)
  const bytes = bytesOf(data, 'the data')
  return call((sync) =>
    output(sync.hashLen(name), (digest) => {
      sync.hashInto(name, bytes, digest)
      return digest.length
    }),
  )
}

/**
 * As {@link hash}, into the caller's memory, which may be that of the data; returns the number of bytes written.
 *
 * @example
 * ```ts
 * import { hashInto } from 'sealstone/hash'
 *
 * const digests = new Uint8Array(64)
 * console.log(hashInto('sha256', 'attack', digests), hashInto('sha256', 'at dawn', digests.subarray(32))) // 32 32
 * ```
 */
export function hashInto(algorithm: HashAlgorithm, data: BytesLike, out: Uint8Array): number {
  const name = nameOf(algorithm)
  const bytes = bytesOf(data, 'the data')
  return call((sync) => {
    const len = sync.hashLen(name)
    sync.hashInto(name, bytes, outputOf(out, len))
    return len
  })
}

/**
 * As {@link hash}, in hexadecimal digits.
 *
 * @example
 * ```ts
 * import { hashHex } from 'sealstone/hash'
 *
 * console.log(hashHex('sha256', 'abc').slice(0, 8)) // ba7816bf
 * ```
 */
export function hashHex(algorithm: HashAlgorithm, data: BytesLike): string {
  const name = nameOf(algorithm)
  const bytes = bytesOf(data, 'the data')
  return call((sync) => sync.hashHex(name, bytes))
}

/**
 * Computes a digest of data that comes in pieces.
 *
 * @example
 * ```ts
 * import { createHasher, hashHex } from 'sealstone/hash'
 *
 * const digest = createHasher('blake3').update('attack ').update('at dawn').digest()
 * console.log(Buffer.from(digest).toString('hex') === hashHex('blake3', 'attack at dawn')) // true
 * ```
 */
export class Hasher {
  /** The algorithm that this computes. */
  readonly algorithm: HashAlgorithm
  readonly #held: Held

  /** @internal */
  static [Symbol.hasInstance](value: unknown): boolean {
    return isInstance(this, Hasher, value)
  }

  /** @internal */
  get [BRAND](): string {
    return 'Hasher'
  }

  /** @internal */
  constructor(algorithm: HashAlgorithm, held: Held) {
    if (!(held instanceof Held)) throw new ArgumentError('a Hasher comes from createHasher')
    this.algorithm = algorithm
    this.#held = held
  }

  /** Takes the next bytes. */
  update(data: BytesLike): this {
    const bytes = bytesOf(data, 'the data')
    const { handle } = this.#held
    call((sync) => sync.hasherUpdate(handle, bytes))
    return this
  }

  /** The digest of all data so far; more may follow. */
  digest(): Bytes {
    const { handle } = this.#held
    return call((sync) => sync.hasherDigest(handle))
  }

  /** Forgets what was taken. */
  destroy(): void {
    this.#held.destroy()
  }
}

/**
 * Begins a digest with no bytes.
 *
 * @example
 * ```ts
 * import { createHasher } from 'sealstone/hash'
 *
 * const hasher = createHasher('sha256')
 * for (const part of ['attack ', 'at ', 'dawn']) hasher.update(part)
 * console.log(hasher.digest().length) // 32
 * ```
 */
export function createHasher(algorithm: HashAlgorithm): Hasher {
  const name = nameOf(algorithm)
  return new Hasher(
    name,
    new Held(
      call((sync) => sync.hasher(name)),
      'hasher',
    ),
  )
}

/**
 * The digest of a file, on another thread; BLAKE3 on all cores.
 *
 * @example
 * ```ts
 * import { writeFile } from 'node:fs/promises'
 * import { hash, hashFile } from 'sealstone/hash'
 *
 * await writeFile('order', 'attack at dawn')
 * const digest = await hashFile('blake3', 'order')
 * console.log(Buffer.compare(digest, hash('blake3', 'attack at dawn'))) // 0
 * ```
 */
export async function hashFile(
  algorithm: HashAlgorithm,
  file: PathLike,
  options?: AccessOptions & RunOptions,
): Promise<Bytes> {
  const name = nameOf(algorithm)
  const read = readOptions<AccessOptions & RunOptions>(options, READ)
  const [run, special] = [runOf(read), specialOf(read)]
  const path = pathOf(file)
  return watched(run, (job) => files().hashFile(name, path, special, job))
}

function nameOf(algorithm: HashAlgorithm): HashAlgorithm {
  return stringOf(algorithm, 'the algorithm') as HashAlgorithm
}
