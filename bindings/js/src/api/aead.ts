/**
 * Authenticated encryption of one buffer, for protocols that define their own. Most users want `encrypt` of `sealstone`, which
 * makes keys and nonces itself.
 *
 * @module sealstone/aead
 */

import type { Handle, Later } from '../backend/calls.js'
import {
  type BinaryLike,
  type Borrowed,
  type Bytes,
  type BytesLike,
  borrowed,
  borrowedBinary,
  borrowedLength,
  borrowedNonce,
  borrowedOrText,
  bytesOf,
  checkBinary,
  copyOf,
  outputOf,
} from '../basics/bytes.js'
import { ArgumentError, asSealstoneError, SealstoneError } from '../basics/error.js'
import { cut, withBinaries, withItems } from '../basics/items.js'
import { stringOf } from '../basics/option.js'
import { output } from '../basics/output.js'
import { branded } from '../basics/receiver.js'
import type { AeadAlgorithm } from '../basics/table.js'
import { bulk, call, sync } from '../work/cipher-calls.js'
import { Held } from '../work/handle.js'
import { keyed, onLoaded, type RunOptions, readRun } from '../work/run.js'
import { cipherEncodingOf } from './cipher-encoding.js'
import type { ResultEncoding } from './text.js'

export type { BinaryLike, Bytes, BytesLike } from '../basics/bytes.js'
export { SealstoneError } from '../basics/error.js'
export type { AeadAlgorithm } from '../basics/table.js'
export type { Progress, RunOptions } from '../work/run.js'
export type { ResultEncoding } from './text.js'

/**
 * A key with its schedule, computed once for many buffers. It is opaque, and zeroed by `destroy` or after it is collected.
 *
 * @example
 * ```ts
 * import { randomBytes } from 'node:crypto'
 * import { aead, type AeadKey } from 'sealstone/aead'
 *
 * const key: AeadKey = aead('chacha20-poly1305', randomBytes(32))
 * let counter = 0n
 * const nonce = new Uint8Array(12)
 * new DataView(nonce.buffer).setBigUint64(4, counter++)
 * const memory = new Uint8Array(1000)
 * const len = key.sealInto(nonce, undefined, 'attack at dawn', memory)
 * console.log(len, key.openInto(nonce, undefined, memory.subarray(0, len), memory)) // 30 14
 * key.destroy()
 * ```
 */
export class AeadKey {
  /** The algorithm of this key. */
  readonly algorithm: AeadAlgorithm
  readonly #held: Held
  readonly #nonceLen: number
  readonly #tagLen: number

  /** @internal */
  static readonly brand: string = /* @__PURE__ */ branded(this, 'AeadKey', (value) => #held in value)

  /** @internal */
  constructor(algorithm: AeadAlgorithm, held: Held) {
    if (!(held instanceof Held)) throw new ArgumentError('an AeadKey comes from aead')
    this.algorithm = algorithm
    this.#held = held
    this.#nonceLen = aeadNonceLength(algorithm)
    this.#tagLen = sync().aeadTagLen()
  }

  /**
   * Seals a plaintext: returns the ciphertext followed by the tag.
   *
   * Never use a nonce twice under one key: with AES-GCM a single repetition reveals the authentication key. Use {@link
   * sealRandom} if you do not count nonces. A nonce has as many bytes as {@link aeadNonceLength} says. GCM takes nonces of 8 and 16 bytes,
   * too, for data of other software. Those are hashed, and two hashes may be equal: do not use such nonces for new data.
   */
  seal(nonce: BytesLike, aad: BytesLike | undefined, plaintext: BytesLike): Bytes {
    const data = borrowed(plaintext, 'the plaintext')
    const start = borrowedNonce(nonce, 'the nonce')
    return output(borrowedLength(data) + this.#tagLen, (sealed) => this.#seal(start, aad, data, sealed))
  }

  /**
   * Seals into the caller's memory, which may be that of the plaintext; returns the number of bytes written, 16 more than the
   * plaintext has.
   */
  sealInto(nonce: BytesLike, aad: BytesLike | undefined, plaintext: BytesLike, out: Uint8Array): number {
    const data = borrowed(plaintext, 'the plaintext')
    return this.#seal(borrowedNonce(nonce, 'the nonce'), aad, data, outputOf(out, borrowedLength(data) + this.#tagLen))
  }

  /**
   * Seals with a random nonce from the system, and puts it before the ciphertext. With nonces of 12 bytes, use a key for at most
   * 2^32 buffers; nonces of 24 bytes have no such limit.
   */
  sealRandom(aad: BytesLike | undefined, plaintext: BytesLike): Bytes {
    const data = borrowed(plaintext, 'the plaintext')
    const len = this.#nonceLen + borrowedLength(data) + this.#tagLen
    return output(len, (sealed) => this.#seal(undefined, aad, data, sealed))
  }

  /**
   * Opens what {@link seal} returned.
   *
   * @throws {@link SealstoneError} `not_authentic` for a wrong key, nonce, `aad` or byte, and for data that is shorter than a tag, with any
   * nonce; nothing of the plaintext is released. `wrong_length` for a nonce of another length.
   */
  open(nonce: BytesLike, aad: BytesLike | undefined, sealed: BinaryLike): Bytes {
    const data = borrowedBinary(sealed, SEALED, 'openText')
    const start = borrowedNonce(nonce, 'the nonce')
    return output(Math.max(borrowedLength(data) - this.#tagLen, 0), (out) => this.#open(start, aad, data, out))
  }

  /**
   * Opens into the caller's memory, which may be that of the sealed data; returns the plaintext's length. The memory must have
   * room for the sealed data, since the 16 bytes after the plaintext are used. After an error it is all zero.
   */
  openInto(nonce: BytesLike, aad: BytesLike | undefined, sealed: BinaryLike, out: Uint8Array): number {
    const data = borrowedBinary(sealed, SEALED, 'openText')
    const length = borrowedLength(data)
    this.#open(borrowedNonce(nonce, 'the nonce'), aad, data, outputOf(out, length))
    return length - this.#tagLen
  }

  /** Opens what {@link sealRandom} returned. */
  openRandom(aad: BytesLike | undefined, sealed: BinaryLike): Bytes {
    const data = borrowedBinary(sealed, SEALED, 'openRandomText')
    const len = Math.max(borrowedLength(data) - this.#nonceLen - this.#tagLen, 0)
    return output(len, (out) => this.#open(undefined, aad, data, out))
  }

  /**
   * As {@link seal}, from text to text, in one call: for a field of a database or of JSON. The associated data stand
   * before the text, `''` where there are none.
   *
   * @example
   * ```ts
   * import { randomBytes } from 'node:crypto'
   * import { aead } from 'sealstone/aead'
   *
   * const key = aead('aes-256-gcm', randomBytes(32))
   * const sealed = key.sealRandomText('users.email, row 17', 'alice@example.org')
   * console.log(sealed.length, key.openRandomText('users.email, row 17', sealed)) // 60 alice@example.org
   * ```
   */
  sealText(nonce: BytesLike, aad: BytesLike | undefined, text: BytesLike, encoding: ResultEncoding = 'base64'): string {
    return this.#sealText(borrowedNonce(nonce, 'the nonce'), aad, text, encoding)
  }

  /**
   * Opens what {@link sealText} returned, in the same encoding.
   *
   * @throws {@link SealstoneError} as {@link open}; `invalid_encoding` for text in another encoding, and for a plaintext that is not text.
   */
  openText(nonce: BytesLike, aad: BytesLike | undefined, sealed: string, encoding: ResultEncoding = 'base64'): string {
    return this.#openText(borrowedNonce(nonce, 'the nonce'), aad, sealed, encoding)
  }

  /**
   * As {@link sealText}, with a random nonce, which stands before the ciphertext; see {@link sealRandom}. The associated data stand before
   * the text, `''` where there are none.
   */
  sealRandomText(aad: BytesLike | undefined, text: BytesLike, encoding: ResultEncoding = 'base64'): string {
    return this.#sealText(undefined, aad, text, encoding)
  }

  /** Opens what {@link sealRandomText} returned; see {@link openText}. */
  openRandomText(aad: BytesLike | undefined, sealed: string, encoding: ResultEncoding = 'base64'): string {
    return this.#openText(undefined, aad, sealed, encoding)
  }

  /**
   * As {@link sealRandom} of each item, in one call, and with one of the system for all nonces. The results are parts
   * of one buffer: copy what you keep longer than the others, and what you transfer.
   *
   * @example
   * ```ts
   * import { randomBytes } from 'node:crypto'
   * import { aead } from 'sealstone/aead'
   *
   * const key = aead('aes-256-gcm', randomBytes(32))
   * const sealed = key.sealBatch(['one', 'two'], 'orders')
   * const [one, two, other] = key.openBatch([...sealed, new Uint8Array(50)], 'orders')
   * console.log(one instanceof Error, two instanceof Error, other instanceof Error && other.message) // false false not authentic
   * ```
   */
  sealBatch(items: readonly BytesLike[], aad?: BytesLike): Bytes[] {
    return withItems(items, (all, lengths) => {
      // Only now: what takes the items may run code of the caller, which may transfer the memory away.
      const context = bytesOf(aad === undefined ? '' : aad, 'aad')
      const { handle } = this.#held
      const around = this.#nonceLen + this.#tagLen
      const sealed = new Uint8Array(all.length + around * lengths.length)
      call((sync) => sync.aeadSealBatch(handle, context, all, lengths, sealed))
      return cut(
        sealed,
        lengths.map((length) => length + around),
      )
    })
  }

  /**
   * Opens what {@link sealBatch} or {@link sealRandom} returned. An item that is not authentic is replaced by an error, and the others are
   * opened. The plaintexts are parts of one buffer.
   */
  openBatch(sealed: readonly BinaryLike[], aad?: BytesLike): (Bytes | SealstoneError)[] {
    return withBinaries(sealed, 'openRandomText', (all, lengths) => {
      // As in sealBatch.
      const context = bytesOf(aad === undefined ? '' : aad, 'aad')
      const { handle } = this.#held
      const around = this.#nonceLen + this.#tagLen
      const opened = lengths.map((length) => Math.max(length - around, 0))
      const plaintexts = new Uint8Array(opened.reduce((sum, length) => sum + length, 0))
      const authentic = call((sync) => sync.aeadOpenBatch(handle, context, all, lengths, plaintexts))
      return cut(plaintexts, opened).map((plaintext, i) =>
        authentic[i] === 1 ? plaintext : new SealstoneError('not_authentic', 'not authentic'),
      )
    })
  }

  /**
   * As {@link seal}, on another thread if that pays, as for more than 256 KiB. Do not change the plaintext until the promise
   * settles. It rejects with what `seal` throws, or with the reason of the signal.
   *
   * Work that has begun goes on after {@link destroy}.
   *
   * @example
   * ```ts
   * import { randomBytes } from 'node:crypto'
   * import { aead } from 'sealstone/aead'
   *
   * const key = aead('aes-256-gcm', randomBytes(32))
   * const [nonce, film] = [randomBytes(12), new Uint8Array(5_000_000)]
   * const sealed = await key.sealAsync(nonce, 'film 1', film, { signal: AbortSignal.timeout(60_000) })
   * console.log(sealed.length, (await key.openAsync(nonce, 'film 1', sealed)).length) // 5000016 5000000
   * ```
   */
  async sealAsync(
    nonce: BytesLike,
    aad: BytesLike | undefined,
    plaintext: BytesLike,
    options?: RunOptions,
  ): Promise<Bytes> {
    const run = readRun(options)
    return keyed(this.#held, plaintext, 'the plaintext', run, {
      now: (data) => this.seal(nonce, aad, data),
      elsewhere: () =>
        onLoaded('the plaintext', run, sealing(copyOf(nonce, 'the nonce'), aad), { before: 0, after: this.#tagLen }),
    })
  }

  /** As {@link sealRandom}, on another thread if that pays; see {@link sealAsync}. */
  async sealRandomAsync(aad: BytesLike | undefined, plaintext: BytesLike, options?: RunOptions): Promise<Bytes> {
    const run = readRun(options)
    return keyed(this.#held, plaintext, 'the plaintext', run, {
      now: (data) => this.sealRandom(aad, data),
      elsewhere: () =>
        onLoaded('the plaintext', run, sealing(undefined, aad), { before: this.#nonceLen, after: this.#tagLen }),
    })
  }

  /** As {@link open}, on another thread if that pays; see {@link sealAsync}. */
  async openAsync(
    nonce: BytesLike,
    aad: BytesLike | undefined,
    sealed: BinaryLike,
    options?: RunOptions,
  ): Promise<Bytes> {
    const run = readRun(options)
    checkBinary(sealed, SEALED, 'openText')
    return keyed(this.#held, sealed, SEALED, run, {
      now: (data) => this.open(nonce, aad, data),
      elsewhere: () => onLoaded(SEALED, run, opening(copyOf(nonce, 'the nonce'), aad)),
    })
  }

  /** As {@link openRandom}, on another thread if that pays; see {@link sealAsync}. */
  async openRandomAsync(aad: BytesLike | undefined, sealed: BinaryLike, options?: RunOptions): Promise<Bytes> {
    const run = readRun(options)
    checkBinary(sealed, SEALED, 'openRandomText')
    return keyed(this.#held, sealed, SEALED, run, {
      now: (data) => this.openRandom(aad, data),
      elsewhere: () => onLoaded(SEALED, run, opening(undefined, aad)),
    })
  }

  /** Zeroes the key; every later use is a `TypeError`. */
  destroy(): void {
    this.#held.destroy()
  }

  /** Names the algorithm, and shows nothing of the key. */
  toString(): string {
    return `AeadKey(${this.algorithm})`
  }

  /** As {@link toString}. */
  toJSON(): string {
    return this.toString()
  }

  /** The text that `console.log` shows. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toString()
  }

  #seal(nonce: Borrowed | undefined, aad: BytesLike | undefined, data: Borrowed, sealed: Bytes): number {
    const { handle } = this.#held
    const context = aad === undefined ? undefined : borrowed(aad, 'aad')
    try {
      sync().aeadSeal(handle, nonce, context, data, sealed)
      return sealed.length
    } catch (error) {
      throw asSealstoneError(error)
    }
  }

  #sealText(
    nonce: Borrowed | undefined,
    aad: BytesLike | undefined,
    text: BytesLike,
    encoding: ResultEncoding,
  ): string {
    const plaintext = borrowedOrText(text, 'the plaintext')
    const context = borrowedOrText(aad === undefined ? '' : aad, 'aad')
    const by = cipherEncodingOf(encoding)
    const { handle } = this.#held
    try {
      return sync().aeadSealText(handle, nonce, context, plaintext, by)
    } catch (error) {
      throw asSealstoneError(error)
    }
  }

  #openText(nonce: Borrowed | undefined, aad: BytesLike | undefined, sealed: string, encoding: ResultEncoding): string {
    const text = stringOf(sealed, 'the sealed text')
    const context = borrowedOrText(aad === undefined ? '' : aad, 'aad')
    const by = cipherEncodingOf(encoding)
    const { handle } = this.#held
    try {
      return sync().aeadOpenText(handle, nonce, context, text, by)
    } catch (error) {
      throw asSealstoneError(error)
    }
  }

  #open(nonce: Borrowed | undefined, aad: BytesLike | undefined, data: Borrowed, plaintext: Bytes): number {
    const { handle } = this.#held
    const context = aad === undefined ? undefined : borrowed(aad, 'aad')
    try {
      sync().aeadOpen(handle, nonce, context, data, plaintext)
      return plaintext.length
    } catch (error) {
      throw asSealstoneError(error)
    }
  }
}

const SEALED = 'the sealed data'

type Elsewhere = (key: Handle, loading: Handle, job: Handle) => Later<Bytes>

function sealing(nonce: Bytes | undefined, aad: BytesLike | undefined): Elsewhere {
  const context = copyOf(aad ?? '', 'aad')
  return (key, loading, job) => bulk().aeadSealLoaded(key, nonce, context, loading, job)
}

function opening(nonce: Bytes | undefined, aad: BytesLike | undefined): Elsewhere {
  const context = copyOf(aad ?? '', 'aad')
  return (key, loading, job) => bulk().aeadOpenLoaded(key, nonce, context, loading, job)
}

/**
 * A key for an algorithm, with the length of {@link aeadKeyLength}. Take it from the system's randomness or a KDF, never from a
 * password.
 *
 * @throws {@link SealstoneError} `unknown_algorithm`, `wrong_length`.
 *
 * @example
 * ```ts
 * import { randomBytes } from 'node:crypto'
 * import { aead } from 'sealstone/aead'
 *
 * const key = aead('aes-256-gcm', randomBytes(32))
 * const sealed = key.sealRandom('header', 'attack at dawn')
 * console.log(new TextDecoder().decode(key.openRandom('header', sealed))) // attack at dawn
 * ```
 */
export function aead(algorithm: AeadAlgorithm, key: BytesLike): AeadKey {
  const name = stringOf(algorithm, 'the algorithm') as AeadAlgorithm
  const bytes = bytesOf(key, 'the key')
  return new AeadKey(
    name,
    new Held(
      call((sync) => sync.aead(name, bytes)),
      'key',
    ),
  )
}

/**
 * Bytes of a key.
 *
 * @example
 * ```ts
 * import { aeadKeyLength } from 'sealstone/aead'
 *
 * console.log(aeadKeyLength('aes-256-gcm'), aeadKeyLength('sm4-gcm')) // 32 16
 * ```
 */
export function aeadKeyLength(algorithm: AeadAlgorithm): number {
  const name = stringOf(algorithm, 'the algorithm')
  return call((sync) => sync.aeadKeyLen(name))
}

/**
 * Bytes of a nonce, as {@link AeadKey.sealRandom} draws it.
 *
 * @example
 * ```ts
 * import { aeadNonceLength } from 'sealstone/aead'
 *
 * console.log(aeadNonceLength('aes-256-gcm'), aeadNonceLength('xchacha20-poly1305')) // 12 24
 * ```
 */
export function aeadNonceLength(algorithm: AeadAlgorithm): number {
  const name = stringOf(algorithm, 'the algorithm')
  return call((sync) => sync.aeadNonceLen(name))
}
