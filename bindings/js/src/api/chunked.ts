import { type BinaryLike, type Bytes, type BytesLike, binaryOf, bytesOf, copyOf } from '../basics/bytes.js'
import { ArgumentError } from '../basics/error.js'
import { stringOf } from '../basics/option.js'
import { branded } from '../basics/receiver.js'
import { Held } from '../work/handle.js'
import { type RunOptions, readRun } from '../work/run.js'
import { call, sync } from '../work/whole-calls.js'
import type { Suite } from './recipe.js'
import { type ByteSource, isAsyncIterable, isBlob, isReadableStream, sourceOf, sourceOfBlob } from './source.js'
import { openedParts, readable, sealedParts, type TransformPair, transform } from './stream.js'

type Parts = AsyncGenerator<Bytes, void, undefined>
type Stream = Blob | ReadableStream<BytesLike>

/**
 * A key for chunked encryption without a file header (C2SP chunked-encryption). It is opaque, and zeroed by `destroy` or when it
 * is collected.
 *
 * @example
 * ```ts
 * import { randomBytes } from 'node:crypto'
 * import { type ChunkedKey, chunkedKey } from 'sealstone'
 *
 * const key: ChunkedKey = chunkedKey('chacha20-poly1305', randomBytes(32))
 * const sealed = key.encrypt('record 17', 'attack at dawn')
 * console.log(new TextDecoder().decode(key.decrypt('record 17', sealed))) // attack at dawn
 * key.destroy()
 * ```
 */
export class ChunkedKey {
  readonly #suite: Suite
  readonly #held: Held

  /** @internal */
  static readonly brand: string = /* @__PURE__ */ branded(this, 'ChunkedKey', (value) => #held in value)

  /** @internal */
  constructor(suite: Suite, held: Held) {
    if (!(held instanceof Held)) throw new ArgumentError('a ChunkedKey comes from chunkedKey')
    this.#suite = suite
    this.#held = held
  }

  /**
   * Encrypts bytes, or a stream in constant memory. Each plaintext gets a derived key of its own, so one key serves any number of
   * plaintexts. The context is bound but not stored; it may be empty.
   *
   * Inputs and results are those of `encrypt`, except that bytes are returned at once.
   */
  encrypt(context: BytesLike, plaintext: BytesLike): Bytes
  encrypt(context: BytesLike, plaintext: Stream, options?: RunOptions): ReadableStream<Bytes>
  encrypt(context: BytesLike, plaintext: ByteSource, options?: RunOptions): Parts
  encrypt(context: BytesLike, plaintext: BytesLike | Stream | ByteSource, options?: RunOptions): Result {
    if (isStream(plaintext))
      return streamed(plaintext, (source, stop) => this.#encryptParts(context, source, options, stop))
    const bound = bytesOf(context, 'the context')
    const data = bytesOf(plaintext, 'the plaintext')
    const { handle } = this.#held
    return call((sync) => sync.chunkedEncrypt(handle, bound, data))
  }

  /**
   * Decrypts what {@link encrypt} returned. Bytes are returned whole or not at all. A stream yields authentic bytes only, and its
   * end without an error shows that they were all.
   *
   * @throws {@link SealstoneError} `truncated`, and `not_authentic` for a wrong key, context or byte.
   */
  decrypt(context: BytesLike, ciphertext: BinaryLike): Bytes
  decrypt(context: BytesLike, ciphertext: Stream, options?: RunOptions): ReadableStream<Bytes>
  decrypt(context: BytesLike, ciphertext: ByteSource, options?: RunOptions): Parts
  decrypt(context: BytesLike, ciphertext: BinaryLike | Stream | ByteSource, options?: RunOptions): Result {
    if (isStream(ciphertext))
      return streamed(ciphertext, (source, stop) => this.#decryptParts(context, source, options, stop))
    const bound = bytesOf(context, 'the context')
    const data = binaryOf(ciphertext, 'the ciphertext')
    const { handle } = this.#held
    return call((sync) => sync.chunkedDecrypt(handle, bound, data))
  }

  /** Encrypts what is piped through it. */
  encryptionStream(context: BytesLike, options?: RunOptions): TransformPair {
    return transform((source, stop) => this.#encryptParts(context, source, options, stop))
  }

  /** Decrypts what is piped through it. It yields authentic bytes only, and its end shows that they were all. */
  decryptionStream(context: BytesLike, options?: RunOptions): TransformPair {
    return transform((source, stop) => this.#decryptParts(context, source, options, stop))
  }

  /** Zeroes the key; every later use is a `TypeError`. */
  destroy(): void {
    this.#held.destroy()
  }

  /** Names the suite, and shows nothing of the key. */
  toString(): string {
    return `ChunkedKey(${this.#suite})`
  }

  /** As {@link toString}. */
  toJSON(): string {
    return this.toString()
  }

  /** The text that `console.log` shows. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toString()
  }

  #encryptParts(
    context: BytesLike,
    source: ByteSource,
    options: RunOptions | undefined,
    stop?: AbortController,
  ): Parts {
    const run = readRun(options)
    const [held, bound] = [this.#held, copyOf(context, 'the context')]
    const begin = async () => call((sync) => sync.chunkedSealer(held.handle, bound))
    return sealedParts(source, begin, undefined, run, () => undefined, stop)
  }

  #decryptParts(
    context: BytesLike,
    source: ByteSource,
    options: RunOptions | undefined,
    stop?: AbortController,
  ): Parts {
    const run = readRun(options)
    const [held, bound, headLen] = [this.#held, copyOf(context, 'the context'), sync().chunkedHeadLen()]
    const begin = async (head: Bytes) => call((sync) => sync.chunkedOpener(held.handle, bound, head))
    const form = { startLen: () => headLen, headLen: () => headLen, begin, mayBeArmoured: false }
    return openedParts(source, form, undefined, run, () => undefined, stop)
  }
}

type Result = Bytes | ReadableStream<Bytes> | Parts

function isStream(data: unknown): data is Stream | ByteSource {
  return isReadableStream(data) || isBlob(data) || isAsyncIterable(data)
}

function streamed(
  data: Stream | ByteSource,
  work: (source: ByteSource, stop?: AbortController) => Parts,
): ReadableStream<Bytes> | Parts {
  if (isReadableStream(data)) return readable((stop) => work(sourceOf(data), stop))
  if (isBlob(data)) return readable((stop) => work(sourceOfBlob(data), stop))
  return work(data)
}

/**
 * The caller's key for a suite: uniformly random bytes of the suite's key length. A ciphertext does not say which suite and key
 * it needs.
 *
 * @example
 * ```ts
 * import { randomBytes } from 'node:crypto'
 * import { chunkedKey } from 'sealstone'
 *
 * const key = chunkedKey('aes-256-gcm', randomBytes(32))
 * const stream = key.decrypt('record 17', key.encrypt('record 17', new Blob(['attack at dawn'])))
 * console.log(await new Response(stream).text()) // attack at dawn
 * ```
 *
 * @throws {@link SealstoneError} `wrong_length`, `unknown_algorithm`.
 */
export function chunkedKey(suite: Suite, key: BytesLike): ChunkedKey {
  const name = stringOf(suite, 'the suite') as Suite
  const bytes = bytesOf(key, 'the key')
  return new ChunkedKey(
    name,
    new Held(
      call((sync) => sync.chunkedKey(name, bytes)),
      'key',
    ),
  )
}
