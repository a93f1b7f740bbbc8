/**
 * Block ciphers in unauthenticated modes, for data that already uses them.
 *
 * A changed ciphertext decrypts to something else without an error. With CBC, anyone who can learn whether padding was right can
 * decrypt. ECB keeps equal blocks equal. CTR and OFB reveal both plaintexts if an IV is used twice. Use `sealstone/aead` for all
 * new data.
 *
 * @module sealstone/hazmat
 */

import { BRAND, isInstance } from './brand.js'
import { type Bytes, type BytesLike, bytesOf, outputOf } from './bytes.js'
import { call } from './call.js'
import { ArgumentError } from './error.js'
import { Held } from './handle.js'
import { booleanOption, readOptions, stringOf } from './option.js'
import { output } from './output.js'
import { BLOCK_LEN, type CipherAlgorithm } from './table.js'

export type { Bytes, BytesLike } from './bytes.js'
export { SealstoneError } from './error.js'
export type { CipherAlgorithm } from './table.js'

export interface CipherOptions {
  /** Whether to pad the plaintext to whole blocks (PKCS#7) if the mode needs them; true by default. */
  readonly padding?: boolean
}

/**
 * A key with its schedules, computed once for many messages. It is opaque, and zeroed by `destroy` or after it is collected.
 *
 * @example
 * ```ts
 * import { randomBytes } from 'node:crypto'
 * import { type Cipher, cipher } from 'sealstone/hazmat'
 *
 * const key: Cipher = cipher('aes-256-ctr', randomBytes(32))
 * const memory = new TextEncoder().encode('attack at dawn')
 * const counter = randomBytes(16)
 * console.log(key.encryptInto(counter, memory, memory), key.decryptInto(counter, memory, memory)) // 14 14
 * console.log(new TextDecoder().decode(memory)) // attack at dawn
 * key.destroy()
 * ```
 */
export class Cipher {
  /** The algorithm of this key. */
  readonly algorithm: CipherAlgorithm
  readonly #held: Held
  readonly #pads: boolean

  /** @internal */
  static [Symbol.hasInstance](value: unknown): boolean {
    return isInstance(this, Cipher, value)
  }

  /** @internal */
  get [BRAND](): string {
    return 'Cipher'
  }

  /** @internal */
  constructor(algorithm: CipherAlgorithm, held: Held) {
    if (!(held instanceof Held)) throw new ArgumentError('a Cipher comes from cipher')
    this.algorithm = algorithm
    this.#held = held
    this.#pads = call((sync) => sync.cipherPads(held.handle))
  }

  /**
   * Encrypts a message. The IV has the length of a block; ECB has no IV.
   *
   * @throws {@link SealstoneError} `wrong_length`, `partial_block`.
   */
  encrypt(iv: BytesLike | undefined, plaintext: BytesLike, options?: CipherOptions): Bytes {
    const pads = paddingOf(options)
    const data = bytesOf(plaintext, 'the plaintext')
    const padding = pads !== false && this.#pads ? BLOCK_LEN - (data.length % BLOCK_LEN) : 0
    return output(data.length + padding, (out) => this.#encrypt(iv, data, pads, out))
  }

  /**
   * Decrypts a message. Hide `invalid_padding` from anyone who can choose ciphertexts: they could decrypt with it.
   *
   * @throws {@link SealstoneError} `wrong_length`, `partial_block`, `invalid_padding`.
   */
  decrypt(iv: BytesLike | undefined, ciphertext: BytesLike, options?: CipherOptions): Bytes {
    const pads = paddingOf(options)
    const data = bytesOf(ciphertext, 'the ciphertext')
    return output(data.length, (out) => this.#decrypt(iv, data, pads, out))
  }

  /** Encrypts without padding into the caller's memory, which may be that of the plaintext; returns the number of bytes. */
  encryptInto(iv: BytesLike | undefined, plaintext: BytesLike, out: Uint8Array): number {
    const data = bytesOf(plaintext, 'the plaintext')
    return this.#encrypt(iv, data, false, outputOf(out, data.length))
  }

  /** Decrypts into the caller's memory, which may be that of the ciphertext, and removes no padding. */
  decryptInto(iv: BytesLike | undefined, ciphertext: BytesLike, out: Uint8Array): number {
    const data = bytesOf(ciphertext, 'the ciphertext')
    return this.#decrypt(iv, data, false, outputOf(out, data.length))
  }

  /** Zeroes the key; every later use is a `TypeError`. */
  destroy(): void {
    this.#held.destroy()
  }

  /** Names the algorithm, and shows nothing of the key. */
  toString(): string {
    return `Cipher(${this.algorithm})`
  }

  /** As {@link toString}. */
  toJSON(): string {
    return this.toString()
  }

  /** What `console.log` shows. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toString()
  }

  #encrypt(iv: BytesLike | undefined, data: Bytes, pads: boolean | undefined, out: Bytes): number {
    const start = ivOf(iv)
    const { handle } = this.#held
    call((sync) => sync.cipherEncrypt(handle, start, data, pads, out))
    return out.length
  }

  #decrypt(iv: BytesLike | undefined, data: Bytes, pads: boolean | undefined, out: Bytes): number {
    const start = ivOf(iv)
    const { handle } = this.#held
    return call((sync) => sync.cipherDecrypt(handle, start, data, pads, out))
  }
}

/**
 * A key for a cipher in a mode; XTS takes two keys, concatenated.
 *
 * @throws {@link SealstoneError} `unknown_algorithm`, `wrong_length`, `invalid_key`.
 *
 * @example
 * ```ts
 * import { randomBytes } from 'node:crypto'
 * import { cipher } from 'sealstone/hazmat'
 *
 * const iv = randomBytes(16)
 * const key = cipher('sm4-cbc', randomBytes(16))
 * const plaintext = key.decrypt(iv, key.encrypt(iv, 'attack at dawn'))
 * console.log(new TextDecoder().decode(plaintext)) // attack at dawn
 * ```
 */
export function cipher(algorithm: CipherAlgorithm, key: BytesLike): Cipher {
  const name = stringOf(algorithm, 'the algorithm') as CipherAlgorithm
  const bytes = bytesOf(key, 'the key')
  return new Cipher(
    name,
    new Held(
      call((sync) => sync.cipher(name, bytes)),
      'key',
    ),
  )
}

/**
 * Bytes of a key.
 *
 * @example
 * ```ts
 * import { cipherKeyLength } from 'sealstone/hazmat'
 *
 * console.log(cipherKeyLength('sm4-cbc'), cipherKeyLength('sm4-xts')) // 16 32
 * ```
 */
export function cipherKeyLength(algorithm: CipherAlgorithm): number {
  const name = stringOf(algorithm, 'the algorithm')
  return call((sync) => sync.cipherKeyLen(name))
}

function ivOf(iv: BytesLike | undefined): Bytes {
  return iv === undefined ? new Uint8Array(0) : bytesOf(iv, 'the IV')
}

function paddingOf(options: CipherOptions | undefined): boolean | undefined {
  if (options === undefined) return undefined
  return booleanOption(readOptions<CipherOptions>(options, ['padding']).padding, 'padding')
}
