/**
 * Hash functions. A digest from a trusted source shows that data is unchanged. Do not use these functions for passwords.
 *
 * @module sealstone/hash
 */

import type { Handle } from '../backend/calls.js'
import { type Bytes, type BytesLike, bytesOf, outputOf } from '../basics/bytes.js'
import { ArgumentError, asSealstoneError } from '../basics/error.js'
import { withItems } from '../basics/items.js'
import { readOptions, stringOf, wholeNumber } from '../basics/option.js'
import { output } from '../basics/output.js'
import { branded } from '../basics/receiver.js'
import type { HashAlgorithm } from '../basics/table.js'
import { call, digestLater, files, isShort, sync } from '../work/digest-calls.js'
import { Held, using, usingLater } from '../work/handle.js'
import { atOnceOr, RUN_OPTIONS, type Run, type RunOptions, runOf, takeAll, watched } from '../work/run.js'
import { encodingOf, textOf } from './digest-encoding.js'
import { type AccessOptions, type PathLike, pathOf, READ, specialOf } from './path.js'
import { type ByteSource, measured, primed, sourceOfAny } from './source.js'
import { dataOf, type ResultEncoding } from './text.js'

export type { Bytes, BytesLike } from '../basics/bytes.js'
export { SealstoneError } from '../basics/error.js'
export type { HashAlgorithm, LegacyHashAlgorithm } from '../basics/table.js'
export type { Progress, RunOptions } from '../work/run.js'
export type { AccessOptions, PathLike } from './path.js'
export type { ByteSource } from './source.js'
export type { ResultEncoding } from './text.js'

/** Options of a digest. */
export interface HashOptions {
  /** Bytes of the digest: any number for `shake128`, `shake256` and `blake3`. */
  readonly length?: number
}

/**
 * The digest of bytes or text.
 *
 * @throws {@link SealstoneError} `unknown_algorithm`; `wrong_length` for a length that the algorithm does not have.
 *
 * @example
 * ```ts
 * import { hash } from 'sealstone/hash'
 *
 * console.log(hash('sha256', 'attack at dawn').length) // 32
 * console.log(hash('shake256', 'attack at dawn', { length: 100 }).length) // 100
 * ```
 */
export function hash(algorithm: HashAlgorithm, data: BytesLike, options?: HashOptions): Bytes {
  const length = lengthOf(options)
  const { id, digestLen } = known(algorithm)
  const bytes = dataOf(data)
  return call((sync) =>
    output(length === 0 ? digestLen : length, (digest) => {
      sync.hashInto(id, bytes, digest)
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
  const { id, digestLen } = known(algorithm)
  const bytes = dataOf(data)
  return call((sync) => {
    sync.hashInto(id, bytes, outputOf(out, digestLen))
    return digestLen
  })
}

/**
 * As {@link hash}, as text.
 *
 * @example
 * ```ts
 * import { hashText } from 'sealstone/hash'
 *
 * console.log(hashText('sha1', 'abc', 'base64')) // qZk+NkcGgWq6PiVxeFDCbJzQ2J0=
 * ```
 */
export function hashText(
  algorithm: HashAlgorithm,
  data: BytesLike,
  encoding: ResultEncoding,
  options?: HashOptions,
): string {
  const length = options === undefined ? 0 : lengthOf(options)
  const { id } = ids.get(algorithm) ?? known(algorithm)
  const bytes = dataOf(data)
  const by = encodingOf(encoding)
  try {
    return sync().hashText(id, bytes, by, length)
  } catch (error) {
    throw asSealstoneError(error)
  }
}

/**
 * As {@link hash}, in hexadecimal digits.
 *
 * @example
 * ```ts
 * import { hashHex } from 'sealstone/hash'
 *
 * console.log(hashHex('sha256', 'abc').slice(0, 8)) // ba7816bf
 * console.log(hashHex('sm3', 'abc')) // 66c7f0f462eeedd9d1f2d46bdc10e4e24167c4875cf2f7a2297da02b8f4ba8e0
 * ```
 */
export function hashHex(algorithm: HashAlgorithm, data: BytesLike, options?: HashOptions): string {
  return hashText(algorithm, data, 'hex', options)
}

/**
 * As {@link hash}, with turns of the event loop between the parts of what is long. In a page WebCrypto computes what it has.
 *
 * @throws the reason of the signal.
 *
 * @example
 * ```ts
 * import { hashAsync } from 'sealstone/hash'
 *
 * const digest = await hashAsync('sha3-256', new Uint8Array(100_000_000), { signal: AbortSignal.timeout(60_000) })
 * console.log(digest.length) // 32
 * ```
 */
export async function hashAsync(
  algorithm: HashAlgorithm,
  data: BytesLike,
  options?: HashOptions & RunOptions,
): Promise<Bytes> {
  const [run, length] = settings(options)
  const { id, digestLen } = known(algorithm)
  const now = (bytes: Bytes): Promise<Bytes> | Bytes | undefined => {
    const promise = length === 0 || length === digestLen ? digestLater(algorithm, bytes) : undefined
    if (promise !== undefined || !isShort(bytes.length, {})) return promise
    return hash(algorithm, bytes, length === 0 ? undefined : { length })
  }
  return atOnceOr(data, 'the data', run, now, (bytes) =>
    hashed(id, length, (hasher) =>
      takeAll(bytes, 'the data', run, (part) => call((sync) => sync.hasherUpdate(hasher, part))),
    ),
  )
}

/**
 * The digest of a stream: a Web stream, a Blob, a stream of Node's, or anything that `for await` reads.
 *
 * @throws what the stream throws; the reason of the signal.
 *
 * @example
 * ```ts
 * import { hashStream } from 'sealstone/hash'
 *
 * const digest = await hashStream('sha256', new Blob(['attack ', 'at dawn']))
 * console.log(digest.length) // 32
 * ```
 */
export async function hashStream(
  algorithm: HashAlgorithm,
  source: Blob | ReadableStream<BytesLike> | ByteSource,
  options?: HashOptions & RunOptions,
): Promise<Bytes> {
  return ofStream(algorithm, source, settings(options))
}

function ofStream(
  algorithm: HashAlgorithm,
  source: Blob | ReadableStream<BytesLike> | ByteSource,
  [run, length]: Settings,
): Promise<Bytes> {
  const { id } = known(algorithm)
  const bytes = sourceOfAny(source)
  return hashed(id, length, async (hasher) => {
    const parts = primed(measured(bytes, run, new AbortController().signal))
    for await (const part of parts) call((sync) => sync.hasherUpdate(hasher, part))
  })
}

/**
 * As {@link hashStream}, as text.
 *
 * @example
 * ```ts
 * import { hashStreamText } from 'sealstone/hash'
 *
 * console.log(await hashStreamText('sha1', new Blob(['abc']), 'base64')) // qZk+NkcGgWq6PiVxeFDCbJzQ2J0=
 * ```
 */
export async function hashStreamText(
  algorithm: HashAlgorithm,
  source: Blob | ReadableStream<BytesLike> | ByteSource,
  encoding: ResultEncoding,
  options?: HashOptions & RunOptions,
): Promise<string> {
  const settled = settings(options)
  checkText(algorithm, encoding, settled[1])
  return textOf(encoding, () => ofStream(algorithm, source, settled))
}

/**
 * The digests of many items, in one call.
 *
 * @example
 * ```ts
 * import { hashBatch } from 'sealstone/hash'
 *
 * const [one, two] = hashBatch('sha256', ['one', 'two'])
 * console.log(one?.length, two?.length) // 32 32
 * console.log(hashBatch('md5', ['abc'], 'hex')) // [ '900150983cd24fb0d6963f7d28e17f72' ]
 * ```
 */
export function hashBatch(algorithm: HashAlgorithm, items: readonly BytesLike[]): Bytes[]
export function hashBatch(
  algorithm: HashAlgorithm,
  items: readonly BytesLike[],
  encoding: ResultEncoding | undefined,
): string[]
export function hashBatch(
  algorithm: HashAlgorithm,
  items: readonly BytesLike[],
  encoding?: ResultEncoding,
): Bytes[] | string[] {
  const { id, digestLen } = known(algorithm)
  const by = encoding === undefined ? undefined : encodingOf(encoding)
  return withItems(items, (all, lengths) =>
    call((sync) => {
      if (by !== undefined) return cut(sync.hashBatchText(id, all, lengths, by), lengths.length)
      const digests = new Uint8Array(digestLen * lengths.length)
      sync.hashBatch(id, all, lengths, digests)
      return Array.from(lengths, (_, i) => digests.slice(digestLen * i, digestLen * (i + 1)))
    }),
  )
}

/**
 * Computes a digest of data that comes in pieces.
 *
 * @example
 * ```ts
 * import { createHasher, hashHex } from 'sealstone/hash'
 *
 * const hasher = createHasher('blake3').update('attack ').update('at dawn')
 * console.log(hasher.digest('hex') === hashHex('blake3', 'attack at dawn')) // true
 * ```
 */
export class Hasher {
  /** The algorithm that this computes. */
  readonly algorithm: HashAlgorithm
  readonly #held: Held

  /** @internal */
  static readonly brand: string = /* @__PURE__ */ branded(this, 'Hasher', (value) => #held in value)

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

  /** The digest of all data so far, as bytes or as text; more may follow. */
  digest(encoding?: undefined, options?: HashOptions): Bytes
  digest(encoding: ResultEncoding, options?: HashOptions): string
  digest(encoding?: ResultEncoding, options?: HashOptions): Bytes | string {
    const length = lengthOf(options)
    const { handle } = this.#held
    if (encoding === undefined) return call((sync) => sync.hasherDigest(handle, length))
    const by = encodingOf(encoding)
    return call((sync) => sync.hasherText(handle, by, length))
  }

  /** Another hasher, which has taken the same and goes on by itself. */
  clone(): Hasher {
    const { handle } = this.#held
    return new Hasher(
      this.algorithm,
      new Held(
        call((sync) => sync.hasherClone(handle)),
        'hasher',
      ),
    )
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
  const { id } = known(algorithm)
  return new Hasher(
    algorithm,
    new Held(
      call((sync) => sync.hasher(id)),
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
  options?: AccessOptions & HashOptions & RunOptions,
): Promise<Bytes> {
  return ofFile(algorithm, file, settingsOfFile(options))
}

function ofFile(algorithm: HashAlgorithm, file: PathLike, [run, length, special]: FileSettings): Promise<Bytes> {
  const { id } = known(algorithm)
  const path = pathOf(file)
  return watched(run, (job) => files().hashFile(id, path, special, length, job))
}

/**
 * As {@link hashFile}, as text, such as the checksums that stand beside downloads.
 *
 * @example
 * ```ts
 * import { writeFile } from 'node:fs/promises'
 * import { hashFileText } from 'sealstone/hash'
 *
 * await writeFile('download', 'abc')
 * const checksum = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
 * console.log((await hashFileText('sha256', 'download', 'hex')) === checksum) // true
 * ```
 */
export async function hashFileText(
  algorithm: HashAlgorithm,
  file: PathLike,
  encoding: ResultEncoding,
  options?: AccessOptions & HashOptions & RunOptions,
): Promise<string> {
  const settled = settingsOfFile(options)
  checkText(algorithm, encoding, settled[1])
  return textOf(encoding, () => ofFile(algorithm, file, settled))
}

/** The known facts of an algorithm: its number, and the bytes of a digest. */
interface Known {
  readonly id: number
  readonly digestLen: number
}

/** Each is asked for once. */
const ids = new Map<unknown, Known>()

function known(algorithm: HashAlgorithm): Known {
  const found = ids.get(algorithm)
  if (found !== undefined) return found
  const name = stringOf(algorithm, 'the algorithm')
  const made = call((sync) => {
    const id = sync.hashId(name)
    return { id, digestLen: sync.hashLen(id) }
  })
  ids.set(name, made)
  return made
}

function lengthOf(options: HashOptions | undefined): number {
  return options === undefined ? 0 : checkedLength(readOptions<HashOptions>(options, ['length']).length)
}

/** The longest digest: more is no array in some engines. */
const LENGTH_MAX = 2 ** 31 - 1

/** A length that was asked for; 0 where none was. */
function checkedLength(length: unknown): number {
  return length === undefined ? 0 : wholeNumber(length, 'length', 1, LENGTH_MAX)
}

type Settings = readonly [run: Run, length: number]
type FileSettings = readonly [...Settings, special: boolean]

function settings(options: (HashOptions & RunOptions) | undefined): Settings {
  const read = readOptions<HashOptions & RunOptions>(options, [...RUN_OPTIONS, 'length'])
  return [runOf(read), checkedLength(read.length)]
}

function settingsOfFile(options: (AccessOptions & HashOptions & RunOptions) | undefined): FileSettings {
  const read = readOptions<AccessOptions & HashOptions & RunOptions>(options, [...READ, 'length'])
  return [runOf(read), checkedLength(read.length), specialOf(read)]
}

/** Says before anything is read what is said of a digest that is no text. */
function checkText(algorithm: HashAlgorithm, encoding: ResultEncoding, length: number): void {
  hashText(algorithm, '', encoding, length === 0 ? undefined : { length })
}

/** The digest of what a hasher is given. */
async function hashed(id: number, length: number, take: (hasher: Handle) => Promise<void>): Promise<Bytes> {
  return usingLater(
    call((sync) => {
      const hasher = sync.hasher(id)
      // A length that the algorithm does not have is said before anything is read.
      if (length > 0) using(sync.again(hasher), (hasher) => sync.hasherDigest(hasher, length))
      return hasher
    }),
    async (hasher) => {
      await take(hasher)
      return call((sync) => sync.hasherDigest(hasher, length))
    },
  )
}

/** Texts of one length each, which lie one behind the other. */
function cut(texts: string, count: number): string[] {
  const length = texts.length / Math.max(count, 1)
  return Array.from({ length: count }, (_, i) => texts.slice(length * i, length * (i + 1)))
}
