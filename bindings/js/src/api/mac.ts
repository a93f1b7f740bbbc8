/**
 * Message authentication codes: whoever has the key makes a tag of a message, and checks one. A tag shows that the message comes from
 * somebody with the key and is unchanged. A key is random or derived, never a password.
 *
 * @module sealstone/mac
 */

import type { Handle } from '../backend/calls.js'
import { type BinaryLike, type Bytes, type BytesLike, binaryOf, bytesOf, outputOf } from '../basics/bytes.js'
import { ArgumentError, asSealstoneError } from '../basics/error.js'
import { booleanOption, readOptions, stringOf, wholeNumber } from '../basics/option.js'
import { output } from '../basics/output.js'
import { branded } from '../basics/receiver.js'
import type { MacAlgorithm } from '../basics/table.js'
import { call, files, isShort, sync } from '../work/digest-calls.js'
import { Held, usingLater } from '../work/handle.js'
import { atOnceOr, type RunOptions, readRun, runOf, takeAll, watched } from '../work/run.js'
import { encodingOf, textOf } from './digest-encoding.js'
import { type AccessOptions, type PathLike, pathOf, READ, specialOf } from './path.js'
import { type ByteSource, measured, primed, sourceOfAny } from './source.js'
import { dataOf, type ResultEncoding } from './text.js'

export type { BinaryLike, Bytes, BytesLike } from '../basics/bytes.js'
export { SealstoneError } from '../basics/error.js'
export type { MacAlgorithm } from '../basics/table.js'
export type { Progress, RunOptions } from '../work/run.js'
export type { AccessOptions, PathLike } from './path.js'
export type { ByteSource } from './source.js'
export type { ResultEncoding } from './text.js'

/** Options of `kmac256` only. */
export interface MacOptions {
  /** Separates this use of a key from all others. */
  readonly customization?: BytesLike
  /** Bytes of a tag, from 8 to 64. The length enters the tag: the beginning of a long tag is not the short one. */
  readonly length?: number
}

/** How a tag is checked. */
export interface VerifyOptions {
  /** Whether the tag may be cut: 8 bytes at least. Only for protocols that send such tags; whoever forges one chooses the shortest. */
  readonly truncated?: boolean
}

/**
 * Reads a key, once for as many messages as there are.
 *
 * A key has 16, 24 or 32 bytes for `aes-128-cmac`, `aes-192-cmac` and `aes-256-cmac`, 32 for `blake3-keyed`, 1 to 64 for
 * `blake2b-keyed`, and any number but 0 for the others, where as many as a tag has are best.
 *
 * @throws {@link SealstoneError} `unknown_algorithm`; `wrong_length` for a key, a customization or a length of tags that the algorithm
 * does not have.
 *
 * @example
 * ```ts
 * import { mac } from 'sealstone/mac'
 *
 * const key = mac('hmac-sha256', 'a secret that both sides have')
 * const tag = key.signText('order=17&state=paid')
 * key.verifyText('order=17&state=paid', tag) // throws not_authentic if it is another
 * console.log(tag.length) // 64
 * ```
 */
export function mac(algorithm: MacAlgorithm, key: BytesLike, options?: MacOptions): MacKey {
  const { customization, length } = readOptions<MacOptions>(options, ['customization', 'length'])
  const name = stringOf(algorithm, 'the algorithm') as MacAlgorithm
  const tagLen = length === undefined ? 0 : wholeNumber(length, 'length', 1, 2 ** 31 - 1)
  const custom = customization === undefined ? undefined : bytesOf(customization, 'the customization')
  const bytes = bytesOf(key, 'the key')
  const handle = call((sync) => sync.mac(name, bytes, custom, tagLen))
  return new MacKey(name, new Held(handle, 'key'))
}

/**
 * A key of a MAC. It is opaque, and zeroed by `destroy` or after it is collected.
 *
 * @example
 * ```ts
 * import { randomBytes } from 'node:crypto'
 * import { mac, type MacKey } from 'sealstone/mac'
 *
 * const key: MacKey = mac('blake3-keyed', randomBytes(32))
 * const tag = key.sign('attack at dawn')
 * key.verify('attack at dawn', tag)
 * try {
 *   key.verify('attack at noon', tag)
 * } catch (error) {
 *   console.log((error as { code?: string }).code) // not_authentic
 * }
 * key.destroy()
 * ```
 */
export class MacKey {
  /** The algorithm of this key. */
  readonly algorithm: MacAlgorithm
  /** The bytes that the backend writes: nobody else sets it. */
  readonly #tagLength: number
  readonly #held: Held

  /** @internal */
  static readonly brand: string = /* @__PURE__ */ branded(this, 'MacKey', (value) => #held in value)

  /** @internal */
  constructor(algorithm: MacAlgorithm, held: Held) {
    if (!(held instanceof Held)) throw new ArgumentError('a MacKey comes from mac')
    this.algorithm = algorithm
    this.#tagLength = call((sync) => sync.macTagLen(held.handle))
    this.#held = held
  }

  /** Bytes of a whole tag. */
  get tagLength(): number {
    return this.#tagLength
  }

  /** The tag of a message. */
  sign(data: BytesLike): Bytes {
    const bytes = dataOf(data)
    return output(this.#tagLength, (tag) => this.#sign(bytes, tag))
  }

  /** As {@link sign}, as text. */
  signText(data: BytesLike, encoding: ResultEncoding = 'hex'): string {
    const bytes = dataOf(data)
    const by = encodingOf(encoding)
    const { handle } = this.#held
    try {
      return sync().macText(handle, bytes, by)
    } catch (error) {
      throw asSealstoneError(error)
    }
  }

  /** As {@link sign}, into the caller's memory, which may be that of the message; returns the number of bytes written. */
  signInto(data: BytesLike, out: Uint8Array): number {
    return this.#sign(dataOf(data), outputOf(out, this.#tagLength))
  }

  /**
   * Checks the tag of a message, in a time that does not depend on where they differ. It returns nothing, and throws if something is wrong.
   *
   * @throws {@link SealstoneError} `not_authentic`; `wrong_length` for a tag that is not whole, unless it may be truncated.
   */
  verify(data: BytesLike, tag: BinaryLike, options?: VerifyOptions): void {
    const isTruncated = truncatedOf(options)
    const expected = binaryOf(tag, 'the tag', 'verifyText')
    const bytes = dataOf(data)
    const { handle } = this.#held
    try {
      sync().macVerify(handle, bytes, expected, isTruncated)
    } catch (error) {
      throw asSealstoneError(error)
    }
  }

  /**
   * As {@link verify}, for a tag as text; hexadecimal digits in either case.
   *
   * @throws {@link SealstoneError} `invalid_encoding` also.
   */
  verifyText(data: BytesLike, tag: string, encoding: ResultEncoding = 'hex', options?: VerifyOptions): void {
    const isTruncated = truncatedOf(options)
    const expected = stringOf(tag, 'the tag')
    const by = encodingOf(encoding)
    const bytes = dataOf(data)
    const { handle } = this.#held
    try {
      sync().macVerifyText(handle, bytes, expected, by, isTruncated)
    } catch (error) {
      throw asSealstoneError(error)
    }
  }

  /** Begins a tag over a message that comes in pieces. It outlives {@link destroy}. */
  begin(): MacSigner {
    const { handle } = this.#held
    return new MacSigner(
      new Held(
        call((sync) => sync.macSigner(handle)),
        'signer',
      ),
    )
  }

  /**
   * As {@link sign}, with turns of the event loop between the parts of what is long.
   *
   * @throws the reason of the signal.
   */
  async signAsync(data: BytesLike, options?: RunOptions): Promise<Bytes> {
    const run = readRun(options)
    const now = (bytes: Bytes): Bytes | undefined => (isShort(bytes.length, {}) ? this.sign(bytes) : undefined)
    return atOnceOr(data, 'the data', run, now, (bytes) =>
      this.#signed((signer) =>
        takeAll(bytes, 'the data', run, (part) => call((sync) => sync.macSignerUpdate(signer, part))),
      ),
    )
  }

  /**
   * The tag of a stream: a Web stream, a Blob, a stream of Node's, or anything that `for await` reads.
   *
   * @throws what the stream throws; the reason of the signal.
   */
  async signStream(source: Blob | ReadableStream<BytesLike> | ByteSource, options?: RunOptions): Promise<Bytes> {
    const run = readRun(options)
    const bytes = sourceOfAny(source)
    return this.#signed(async (signer) => {
      const parts = primed(measured(bytes, run, new AbortController().signal))
      for await (const part of parts) call((sync) => sync.macSignerUpdate(signer, part))
    })
  }

  /** As {@link signStream}, as text. */
  async signStreamText(
    source: Blob | ReadableStream<BytesLike> | ByteSource,
    encoding: ResultEncoding = 'hex',
    options?: RunOptions,
  ): Promise<string> {
    return textOf(encoding, () => this.signStream(source, options))
  }

  /**
   * The tag of a file, on another thread; in Node only.
   *
   * @throws {@link SealstoneError} `io`, `not_regular_file`, `input_changed`; the reason of the signal.
   */
  async signFile(file: PathLike, options?: AccessOptions & RunOptions): Promise<Bytes> {
    const read = readOptions<AccessOptions & RunOptions>(options, READ)
    const [run, special] = [runOf(read), specialOf(read)]
    const path = pathOf(file)
    const { handle } = this.#held
    return watched(run, (job) => files().macFile(handle, path, special, job))
  }

  /** As {@link signFile}, as text. */
  async signFileText(
    file: PathLike,
    encoding: ResultEncoding = 'hex',
    options?: AccessOptions & RunOptions,
  ): Promise<string> {
    return textOf(encoding, () => this.signFile(file, options))
  }

  /** Zeroes the key; every later use is a `TypeError`. */
  destroy(): void {
    this.#held.destroy()
  }

  /** Names the algorithm, and shows nothing of the key. */
  toString(): string {
    return `MacKey(${this.algorithm})`
  }

  /** As {@link toString}. */
  toJSON(): string {
    return this.toString()
  }

  /** The text that `console.log` shows. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toString()
  }

  #sign(data: ReturnType<typeof dataOf>, tag: Bytes): number {
    const { handle } = this.#held
    try {
      sync().macInto(handle, data, tag)
      return tag.length
    } catch (error) {
      throw asSealstoneError(error)
    }
  }

  /** The tag of what a signer is given. */
  async #signed(take: (signer: Handle) => Promise<void>): Promise<Bytes> {
    const { handle } = this.#held
    return usingLater(
      call((sync) => sync.macSigner(handle)),
      async (signer) => {
        await take(signer)
        return call((sync) => sync.macSignerTag(signer))
      },
    )
  }
}

/**
 * A tag over a message that comes in pieces.
 *
 * @example
 * ```ts
 * import { mac, type MacSigner } from 'sealstone/mac'
 *
 * const key = mac('hmac-sha256', 'a secret that both sides have')
 * const signer: MacSigner = key.begin().update('attack ').update('at dawn')
 * console.log(signer.tag('hex') === key.signText('attack at dawn')) // true
 * signer.verify(key.sign('attack at dawn'))
 * ```
 */
export class MacSigner {
  readonly #held: Held

  /** @internal */
  static readonly brand: string = /* @__PURE__ */ branded(this, 'MacSigner', (value) => #held in value)

  /** @internal */
  constructor(held: Held) {
    if (!(held instanceof Held)) throw new ArgumentError('a MacSigner comes from begin of a MacKey')
    this.#held = held
  }

  /** Takes the next bytes. */
  update(data: BytesLike): this {
    const bytes = bytesOf(data, 'the data')
    const { handle } = this.#held
    call((sync) => sync.macSignerUpdate(handle, bytes))
    return this
  }

  /** The tag of all data so far, as bytes or as text; more may follow. */
  tag(encoding?: undefined): Bytes
  tag(encoding: ResultEncoding): string
  tag(encoding?: ResultEncoding): Bytes | string {
    const { handle } = this.#held
    if (encoding === undefined) return call((sync) => sync.macSignerTag(handle))
    const by = encodingOf(encoding)
    return call((sync) => sync.macSignerText(handle, by))
  }

  /** Checks the tag of all data so far, as {@link MacKey.verify} does. */
  verify(tag: BinaryLike, options?: VerifyOptions): void {
    const isTruncated = truncatedOf(options)
    const expected = binaryOf(tag, 'the tag', 'verifyText')
    const { handle } = this.#held
    call((sync) => sync.macSignerVerify(handle, expected, isTruncated))
  }

  /** As {@link MacKey.verifyText}. */
  verifyText(tag: string, encoding: ResultEncoding = 'hex', options?: VerifyOptions): void {
    const isTruncated = truncatedOf(options)
    const expected = stringOf(tag, 'the tag')
    const by = encodingOf(encoding)
    const { handle } = this.#held
    call((sync) => sync.macSignerVerifyText(handle, expected, by, isTruncated))
  }

  /** Forgets what was taken. */
  destroy(): void {
    this.#held.destroy()
  }
}

function truncatedOf(options: VerifyOptions | undefined): boolean {
  if (options === undefined) return false
  return booleanOption(readOptions<VerifyOptions>(options, ['truncated']).truncated, 'truncated') === true
}
