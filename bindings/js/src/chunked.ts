import { call } from './backend.js'
import { type Bytes, type BytesLike, bytesOf } from './bytes.js'
import { Held } from './handle.js'
import { stringOption } from './option.js'
import type { Suite } from './recipe.js'

/**
 * A key for chunked encryption without a file header (C2SP chunked-encryption). It is opaque, and zeroed by `destroy` or when it
 * is collected.
 */
export class ChunkedKey {
  readonly #held: Held

  /** @internal */
  constructor(held: Held) {
    if (!(held instanceof Held)) throw new TypeError('a ChunkedKey comes from chunkedKey')
    this.#held = held
  }

  /**
   * Encrypts bytes under keys of their own, so that one key serves any number of plaintexts. The context is bound and not stored;
   * it may be empty.
   */
  encrypt(context: BytesLike, plaintext: BytesLike): Bytes {
    const [bound, data] = [bytesOf(context, 'the context'), bytesOf(plaintext, 'the plaintext')]
    const { handle } = this.#held
    return call((backend) => backend.chunkedEncrypt(handle, bound, data))
  }

  /**
   * Decrypts what {@link encrypt} returned.
   *
   * @throws {@link SealstoneError} `truncated`, and `not_authentic` for a wrong key, context or byte.
   */
  decrypt(context: BytesLike, ciphertext: BytesLike): Bytes {
    const [bound, data] = [bytesOf(context, 'the context'), bytesOf(ciphertext, 'the ciphertext')]
    const { handle } = this.#held
    return call((backend) => backend.chunkedDecrypt(handle, bound, data))
  }

  /** Zeroes the key; every later use is a `TypeError`. */
  destroy(): void {
    this.#held.destroy()
  }

  /** Shows nothing of the key. */
  toString(): string {
    return 'ChunkedKey'
  }

  /** As {@link toString}. */
  toJSON(): string {
    return this.toString()
  }
}

/**
 * A key of the caller's for a suite: uniformly random bytes, as many as the suite's keys have. Nothing in a ciphertext tells which
 * suite and key it needs.
 *
 * @throws {@link SealstoneError} `wrong_length`, `unknown_algorithm`.
 */
export function chunkedKey(suite: Suite, key: BytesLike): ChunkedKey {
  const name = stringOption(suite, 'the suite') as Suite
  const bytes = bytesOf(key, 'the key')
  return new ChunkedKey(
    new Held(
      call((backend) => backend.chunkedKey(name, bytes)),
      'key',
    ),
  )
}
