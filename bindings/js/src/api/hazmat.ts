/**
 * Ciphers for data and protocols that already use them: block ciphers in unauthenticated modes, those of old data, key wrap, AES-CCM
 * with all its lengths, and Poly1305 by itself.
 *
 * In unauthenticated modes a changed ciphertext decrypts to something else without an error. With CBC, anyone who can learn whether
 * padding was right can decrypt. ECB keeps equal blocks equal. CTR and OFB reveal both plaintexts if an IV is used twice. Use
 * `sealstone/aead` for all new data.
 *
 * @module sealstone/hazmat
 */

import type { Handle, SyncCalls } from '../backend/calls.js'
import {
  type BinaryLike,
  type Bytes,
  type BytesLike,
  binaryOf,
  borrowedNonce,
  borrowedOrText,
  bytesOf,
  outputOf,
} from '../basics/bytes.js'
import { ArgumentError, asSealstoneError } from '../basics/error.js'
import { booleanOption, readOptions, stringOf } from '../basics/option.js'
import { output } from '../basics/output.js'
import { branded } from '../basics/receiver.js'
import {
  BLOCK_LEN,
  type CcmAlgorithm,
  type CipherAlgorithm,
  type KeyWrapAlgorithm,
  type LegacyCipherAlgorithm,
} from '../basics/table.js'
import { call, sync } from '../work/cipher-calls.js'
import { Held } from '../work/handle.js'
import { cipherEncodingOf } from './cipher-encoding.js'
import type { ResultEncoding } from './text.js'

export type { BinaryLike, Bytes, BytesLike } from '../basics/bytes.js'
export { SealstoneError } from '../basics/error.js'
export type { CcmAlgorithm, CipherAlgorithm, KeyWrapAlgorithm, LegacyCipherAlgorithm } from '../basics/table.js'
export type { ResultEncoding } from './text.js'

export interface CipherOptions {
  /** Whether to pad the plaintext to whole blocks (PKCS#7) if the mode needs them; true by default. */
  readonly padding?: boolean
}

/** The base of all keys of this module: it is opaque, and zeroed by `destroy` or after it is collected. */
abstract class Key<Algorithm extends string> {
  /** The algorithm of this key. */
  readonly algorithm: Algorithm
  readonly #held: Held
  /** @internal */
  declare readonly [Symbol.toStringTag]: string

  /** @internal */
  constructor(algorithm: Algorithm, held: Held) {
    if (!(held instanceof Held)) throw new ArgumentError('a key of this class comes from the function of its name')
    this.algorithm = algorithm
    this.#held = held
  }

  /** Zeroes the key; every later use is a `TypeError`. */
  destroy(): void {
    this.#held.destroy()
  }

  /** Names the algorithm, and shows nothing of the key. */
  toString(): string {
    return `${this[Symbol.toStringTag]}(${this.algorithm})`
  }

  /** As {@link toString}. */
  toJSON(): string {
    return this.toString()
  }

  /** The text that `console.log` shows. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toString()
  }

  /** @internal Whether it is a key of any class of these. */
  protected static has(value: object): boolean {
    return #held in value
  }

  /** @internal */
  protected get handle(): Handle {
    return this.#held.handle
  }
}

/** Makes a key of bytes. */
function hold(key: BytesLike, make: (sync: SyncCalls, bytes: Bytes) => Handle): Held {
  const bytes = bytesOf(key, 'the key')
  return new Held(
    call((sync) => make(sync, bytes)),
    'key',
  )
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
export class Cipher extends Key<CipherAlgorithm> {
  readonly #pads: boolean

  /** @internal */
  static readonly brand: string = /* @__PURE__ */ branded(this, 'Cipher', (value) => #pads in value)

  /** @internal */
  constructor(algorithm: CipherAlgorithm, held: Held) {
    super(algorithm, held)
    this.#pads = call((sync) => sync.cipherPads(this.handle))
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
  decrypt(iv: BytesLike | undefined, ciphertext: BinaryLike, options?: CipherOptions): Bytes {
    const pads = paddingOf(options)
    const data = binaryOf(ciphertext, 'the ciphertext', 'decryptText')
    return output(data.length, (out) => this.#decrypt(iv, data, pads, out))
  }

  /** Encrypts without padding into the caller's memory, which may be that of the plaintext; returns the number of bytes. */
  encryptInto(iv: BytesLike | undefined, plaintext: BytesLike, out: Uint8Array): number {
    const data = bytesOf(plaintext, 'the plaintext')
    return this.#encrypt(iv, data, false, outputOf(out, data.length))
  }

  /** Decrypts into the caller's memory, which may be that of the ciphertext, and removes no padding. */
  decryptInto(iv: BytesLike | undefined, ciphertext: BinaryLike, out: Uint8Array): number {
    const data = binaryOf(ciphertext, 'the ciphertext', 'decryptText')
    return this.#decrypt(iv, data, false, outputOf(out, data.length))
  }

  /**
   * As {@link encrypt}, from text to text, in one call.
   *
   * @example
   * ```ts
   * import { randomBytes } from 'node:crypto'
   * import { cipher } from 'sealstone/hazmat'
   *
   * const [key, iv] = [cipher('aes-128-cbc', randomBytes(16)), randomBytes(16)]
   * const ciphertext = key.encryptText(iv, 'attack at dawn', 'hex')
   * console.log(ciphertext.length, key.decryptText(iv, ciphertext, 'hex')) // 32 attack at dawn
   * ```
   */
  encryptText(
    iv: BytesLike | undefined,
    text: BytesLike,
    encoding: ResultEncoding = 'base64',
    options?: CipherOptions,
  ): string {
    const [pads, by] = [paddingOf(options), cipherEncodingOf(encoding)]
    const data = borrowedOrText(text, 'the plaintext')
    const start = borrowedNonce(iv === undefined ? NO_IV : iv, 'the IV')
    const { handle } = this
    try {
      return sync().cipherEncryptText(handle, start, data, pads, by)
    } catch (error) {
      throw asSealstoneError(error)
    }
  }

  /**
   * Decrypts what {@link encryptText} returned, in the same encoding. Hide its errors from anyone who can choose ciphertexts.
   *
   * @throws {@link SealstoneError} as {@link decrypt}; `invalid_encoding` for text in another encoding, and for a plaintext that is not
   * text.
   */
  decryptText(
    iv: BytesLike | undefined,
    ciphertext: string,
    encoding: ResultEncoding = 'base64',
    options?: CipherOptions,
  ): string {
    const [pads, by] = [paddingOf(options), cipherEncodingOf(encoding)]
    const text = stringOf(ciphertext, 'the ciphertext')
    const start = borrowedNonce(iv === undefined ? NO_IV : iv, 'the IV')
    const { handle } = this
    try {
      return sync().cipherDecryptText(handle, start, text, pads, by)
    } catch (error) {
      throw asSealstoneError(error)
    }
  }

  #encrypt(iv: BytesLike | undefined, data: Bytes, pads: boolean | undefined, out: Bytes): number {
    const start = ivOf(iv)
    const { handle } = this
    call((sync) => sync.cipherEncrypt(handle, start, data, out, pads))
    return out.length
  }

  #decrypt(iv: BytesLike | undefined, data: Bytes, pads: boolean | undefined, out: Bytes): number {
    const start = ivOf(iv)
    const { handle } = this
    return call((sync) => sync.cipherDecrypt(handle, start, data, out, pads))
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
  return new Cipher(
    name,
    hold(key, (sync, bytes) => sync.cipher(name, bytes)),
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

export interface LegacyCipherOptions {
  /** Whether the key encrypts too; false by default, since others can read or change what such a cipher encrypts. */
  readonly allowLegacyEncryption?: boolean
}

/**
 * A key of {@link legacyCipher}.
 *
 * @example
 * ```ts
 * import { type LegacyCipher, legacyCipher } from 'sealstone/hazmat'
 *
 * const key: LegacyCipher = legacyCipher('rc4', 'key')
 * console.log(new TextDecoder().decode(key.decrypt(undefined, new Uint8Array([0x64, 0x00, 0x50])))) // old
 * ```
 */
export class LegacyCipher extends Key<LegacyCipherAlgorithm> {
  /** @internal */
  static readonly brand: string = /* @__PURE__ */ branded(
    this,
    'LegacyCipher',
    (value) => value instanceof LegacyCipher && Key.has(value),
  )

  /**
   * Decrypts a message. The IV has 8 bytes; ECB and RC4 have none, and Rabbit has one or none. ECB and CBC alone have padding.
   *
   * @throws {@link SealstoneError} `wrong_length`, `partial_block`, `invalid_padding`, which must be hidden from anyone who can choose
   * ciphertexts, as with {@link Cipher.decrypt}.
   */
  decrypt(iv: BytesLike | undefined, ciphertext: BinaryLike, options?: CipherOptions): Bytes {
    const pads = paddingOf(options)
    const data = binaryOf(ciphertext, 'the ciphertext', 'decryptText')
    const start = ivOf(iv)
    const { handle } = this
    return call((sync) => sync.legacyDecrypt(handle, start, data, pads))
  }

  /** Decrypts text to text; see {@link Cipher.decryptText}. */
  decryptText(
    iv: BytesLike | undefined,
    ciphertext: string,
    encoding: ResultEncoding = 'base64',
    options?: CipherOptions,
  ): string {
    const [pads, by] = [paddingOf(options), cipherEncodingOf(encoding)]
    const text = stringOf(ciphertext, 'the ciphertext')
    const start = ivOf(iv)
    const { handle } = this
    return call((sync) => sync.legacyDecryptText(handle, start, text, pads, by))
  }

  /**
   * Encrypts a message, for a program that reads nothing else.
   *
   * @throws {@link SealstoneError} `legacy_encryption`, unless the key allows it, and always of Rabbit; `wrong_length`, `partial_block`.
   */
  encrypt(iv: BytesLike | undefined, plaintext: BytesLike, options?: CipherOptions): Bytes {
    const pads = paddingOf(options)
    const data = bytesOf(plaintext, 'the plaintext')
    const start = ivOf(iv)
    const { handle } = this
    return call((sync) => sync.legacyEncrypt(handle, start, data, pads))
  }

  /** As {@link encrypt}, from text to text. */
  encryptText(
    iv: BytesLike | undefined,
    text: BytesLike,
    encoding: ResultEncoding = 'base64',
    options?: CipherOptions,
  ): string {
    const [pads, by] = [paddingOf(options), cipherEncodingOf(encoding)]
    const data = bytesOf(text, 'the plaintext')
    const start = ivOf(iv)
    const { handle } = this
    return call((sync) => sync.legacyEncryptText(handle, start, data, pads, by))
  }
}

/**
 * A key of a cipher that is broken, to read old data. It decrypts; to encrypt, for a program that reads nothing else, say
 * `allowLegacyEncryption`. Keys have 8 bytes (`des-…`), 24 (`des-ede3-…`), 4 to 56 (`blowfish-…`), 1 to 256 (`rc4`) or 16 (`rabbit`,
 * which never encrypts).
 *
 * @throws {@link SealstoneError} `unknown_algorithm`, `wrong_length`, `legacy_encryption`.
 *
 * @example
 * ```ts
 * import { legacyCipher } from 'sealstone/hazmat'
 *
 * const key = legacyCipher('des-ede3-cbc', 'a key of 24 characters..')
 * console.log(key.decryptText('an IV: 8', 'X1UCl5+oIsSXBsrx8H+JGQ==')) // attack at dawn
 * ```
 */
export function legacyCipher(
  algorithm: LegacyCipherAlgorithm,
  key: BytesLike,
  options?: LegacyCipherOptions,
): LegacyCipher {
  const read = readOptions<LegacyCipherOptions>(options, ['allowLegacyEncryption'])
  const encrypts = booleanOption(read.allowLegacyEncryption, 'allowLegacyEncryption') ?? false
  const name = stringOf(algorithm, 'the algorithm') as LegacyCipherAlgorithm
  return new LegacyCipher(
    name,
    hold(key, (sync, bytes) => sync.legacy(name, bytes, encrypts)),
  )
}

/**
 * A key of {@link keyWrap}.
 *
 * @example
 * ```ts
 * import { type KeyWrap, keyWrap } from 'sealstone/hazmat'
 *
 * const wrap: KeyWrap = keyWrap('aes-128-kwp', new Uint8Array(16))
 * console.log(wrap.wrap('20 bytes of a secret').length) // 32
 * wrap.destroy()
 * ```
 */
export class KeyWrap extends Key<KeyWrapAlgorithm> {
  /** @internal */
  static readonly brand: string = /* @__PURE__ */ branded(
    this,
    'KeyWrap',
    (value) => value instanceof KeyWrap && Key.has(value),
  )

  /**
   * Wraps a secret, which becomes 8 bytes longer after it was filled up to a multiple of 8.
   *
   * @throws {@link SealstoneError} `wrong_length` for a secret that is empty and, without padding, for under 16 bytes and for other
   * lengths than multiples of 8.
   */
  wrap(secret: BytesLike): Bytes {
    const bytes = bytesOf(secret, 'the secret')
    const { handle } = this
    return call((sync) => sync.keyWrapWrap(handle, bytes))
  }

  /**
   * Unwraps what {@link wrap} returned.
   *
   * @throws {@link SealstoneError} `not_authentic` for a wrong key, byte or length; nothing of the secret is released.
   */
  unwrap(wrapped: BinaryLike): Bytes {
    const bytes = binaryOf(wrapped, 'the wrapped secret')
    const { handle } = this
    return call((sync) => sync.keyWrapUnwrap(handle, bytes))
  }
}

/**
 * A key that wraps other keys: AES key wrap (RFC 3394), and with padding for secrets of any length (`…-kwp`, RFC 5649). Wrapping one
 * secret twice gives the same bytes: wrap keys, which are random, and nothing else.
 *
 * @throws {@link SealstoneError} `unknown_algorithm`, `wrong_length`.
 *
 * @example
 * ```ts
 * import { randomBytes } from 'node:crypto'
 * import { keyWrap } from 'sealstone/hazmat'
 *
 * const [wrap, key] = [keyWrap('aes-256-kw', randomBytes(32)), randomBytes(32)]
 * const wrapped = wrap.wrap(key)
 * console.log(wrapped.length, Buffer.compare(wrap.unwrap(wrapped), key)) // 40 0
 * ```
 */
export function keyWrap(algorithm: KeyWrapAlgorithm, key: BytesLike): KeyWrap {
  const name = stringOf(algorithm, 'the algorithm') as KeyWrapAlgorithm
  return new KeyWrap(
    name,
    hold(key, (sync, bytes) => sync.keyWrap(name, bytes)),
  )
}

export interface CcmOptions {
  /** Bytes of a tag: 4, 6, 8, 10, 12, 14 or 16, which is the default. One forgery in 256 to the power of these succeeds. */
  readonly tagLength?: number
}

/**
 * A key of {@link ccm}.
 *
 * @example
 * ```ts
 * import { type CcmKey, ccm } from 'sealstone/hazmat'
 *
 * const key: CcmKey = ccm('aes-256-ccm', new Uint8Array(32))
 * console.log(key.seal(new Uint8Array(12), undefined, 'attack at dawn').length) // 30
 * key.destroy()
 * ```
 */
export class CcmKey extends Key<CcmAlgorithm> {
  /** @internal */
  static readonly brand: string = /* @__PURE__ */ branded(
    this,
    'CcmKey',
    (value) => value instanceof CcmKey && Key.has(value),
  )

  /**
   * Seals a plaintext: returns the ciphertext followed by the tag. A nonce has 7 to 13 bytes; never use one twice under one key.
   *
   * @throws {@link SealstoneError} `wrong_length`; `too_long` for a plaintext whose length does not fit in the bytes that the nonce
   * leaves of 15: with nonces of 13 bytes it has at most 65,535, with those of 12 at most 2^24 - 1.
   */
  seal(nonce: BytesLike, aad: BytesLike | undefined, plaintext: BytesLike): Bytes {
    const [start, context] = [bytesOf(nonce, 'the nonce'), aadOf(aad)]
    const data = bytesOf(plaintext, 'the plaintext')
    const { handle } = this
    return call((sync) => sync.ccmSeal(handle, start, context, data))
  }

  /**
   * Opens what {@link seal} returned.
   *
   * @throws {@link SealstoneError} `not_authentic` for a wrong key, nonce, `aad`, length of tags or byte; nothing of the plaintext is
   * released. `wrong_length` for a nonce that is not 7 to 13 bytes.
   */
  open(nonce: BytesLike, aad: BytesLike | undefined, sealed: BinaryLike): Bytes {
    const [start, context] = [bytesOf(nonce, 'the nonce'), aadOf(aad)]
    const data = binaryOf(sealed, 'the sealed data')
    const { handle } = this
    return call((sync) => sync.ccmOpen(handle, start, context, data))
  }
}

/**
 * A key of AES-CCM (SP 800-38C), for protocols that use it, with their lengths of nonces and tags. In new designs use
 * `sealstone/aead`.
 *
 * @throws {@link SealstoneError} `unknown_algorithm`, `wrong_length`.
 *
 * @example
 * ```ts
 * import { ccm } from 'sealstone/hazmat'
 *
 * const key = ccm('aes-128-ccm', new Uint8Array(16), { tagLength: 4 })
 * const nonce = new Uint8Array(13)
 * const sealed = key.seal(nonce, 'header', 'attack at dawn')
 * console.log(sealed.length, new TextDecoder().decode(key.open(nonce, 'header', sealed))) // 18 attack at dawn
 * ```
 */
export function ccm(algorithm: CcmAlgorithm, key: BytesLike, options?: CcmOptions): CcmKey {
  const { tagLength = TAG_LEN_MAX } = readOptions<CcmOptions>(options, ['tagLength'])
  if (!Number.isInteger(tagLength) || tagLength < 0 || tagLength > TAG_LEN_MAX) {
    throw new ArgumentError(`tagLength must be a whole number of bytes, at most ${TAG_LEN_MAX}`)
  }
  const name = stringOf(algorithm, 'the algorithm') as CcmAlgorithm
  return new CcmKey(
    name,
    hold(key, (sync, bytes) => sync.ccm(name, bytes, tagLength)),
  )
}

const TAG_LEN_MAX = 16

/**
 * The tag of one message under a key of 32 bytes (RFC 8439 section 2.5), for protocols that make its keys themselves. Whoever has the
 * tags of two messages under one key can forge all others. Compare tags in constant time.
 *
 * @throws {@link SealstoneError} `wrong_length`.
 *
 * @example
 * ```ts
 * import { poly1305 } from 'sealstone/hazmat'
 *
 * console.log(poly1305(new Uint8Array(32).fill(7), 'attack at dawn').length) // 16
 * ```
 */
export function poly1305(key: BytesLike, data: BytesLike): Bytes {
  const secret = bytesOf(key, 'the key')
  const bytes = bytesOf(data, 'the data')
  return call((sync) => sync.poly1305(secret, bytes))
}

/** Of a cipher that has none. */
const NO_IV = /* @__PURE__ */ new Uint8Array(0)

function ivOf(iv: BytesLike | undefined): Bytes {
  return bytesOf(iv === undefined ? NO_IV : iv, 'the IV')
}

function aadOf(aad: BytesLike | undefined): Bytes {
  return bytesOf(aad === undefined ? '' : aad, 'aad')
}

function paddingOf(options: CipherOptions | undefined): boolean | undefined {
  if (options === undefined) return undefined
  return booleanOption(readOptions<CipherOptions>(options, ['padding']).padding, 'padding')
}
