import { type Bytes, zero } from '../../basics/bytes.js'
import { ArgumentError, SealstoneError } from '../../basics/error.js'
import { output } from '../../basics/output.js'
import { branded } from '../../basics/receiver.js'
import type { LegacyCipherAlgorithm } from '../../basics/table.js'
import { call } from '../../work/cipher-calls.js'
import { using } from '../../work/handle.js'
import { CipherParams, type CipherParamsLike, checkSalt, type Format, format } from './cipher-params.js'
import { kdf, type PasswordKdf } from './derivation.js'
import type { HashKind, Message } from './hashing.js'
import {
  type BlockCipherLike,
  type Blocks,
  begin,
  type Chain,
  type FamilyMode,
  type Mode,
  mode as modes,
  padsItself,
} from './modes.js'
import { joined, type Padding, pad, padded, unpadded } from './padding.js'
import { dataOf, WordArray, type WordArrayLike, wordsOf } from './word-array.js'

/** Settings of a cipher. */
export interface CipherConfig {
  /** As long as a block. It is ignored with a password, from which an IV is derived. */
  iv?: WordArrayLike | undefined
  /** CBC by default. */
  mode?: Mode
  /** Pkcs7 by default, in each mode. */
  padding?: Padding
  /** The format in which a ciphertext is written as text and read from text: by default that of OpenSSL. */
  format?: Format
  /** Derives key and IV from a password. */
  kdf?: PasswordKdf
  /** Salt of a password, for encryption: 8 bytes, random by default. */
  salt?: WordArrayLike
  /** Hash that derives the key from a password: MD5 by default. */
  hasher?: HashKind
  /** Words of keystream that RC4Drop drops: 192 by default. */
  drop?: number
}

/** A message that is encrypted or decrypted in parts. */
export interface Cipher extends BlockCipherLike {
  readonly cfg: CipherConfig
  /** Takes the next part, and gives the whole blocks that are ready. */
  process(part: Message): WordArray
  /** Takes the last part, if there is one more, and gives the rest. */
  finalize(part?: Message): WordArray
  /** Forgets the parts that it took. */
  reset(): void
}

/** An object such as `algo.AES`. */
export interface CipherKind {
  /** Words of a key that is derived from a password. */
  keySize: number
  /** Words of an IV. */
  readonly ivSize: number
  /** Words of a block. */
  readonly blockSize: number
  createEncryptor(key: WordArrayLike, cfg?: CipherConfig): Cipher
  createDecryptor(key: WordArrayLike, cfg?: CipherConfig): Cipher
}

/** An object such as `AES`: a key is bytes, and text is a password. */
export interface CipherHelper {
  /**
   * Encrypts a message; text stands for its UTF-8. Store or send the `toString` of the result.
   *
   * @throws {@link SealstoneError} `wrong_length` for a key, `partial_block` for a message without padding.
   */
  encrypt(message: Message, key: WordArrayLike | string, cfg?: CipherConfig): CipherParams
  /**
   * Decrypts a result of `encrypt`, or its text.
   *
   * @throws {@link SealstoneError} `invalid_padding` if a wrong key, a wrong IV or damaged data shows in the padding; `partial_block`,
   * `wrong_length`, `invalid_encoding`; `malformed_ciphertext` if a password is given and the ciphertext has no salt.
   */
  decrypt(ciphertext: CipherParamsLike | string, key: WordArrayLike | string, cfg?: CipherConfig): WordArray
}

/** Takes a message in parts: it processes whole blocks, and keeps the rest for the next part. */
abstract class Parts implements Cipher {
  readonly cfg: CipherConfig
  readonly blockSize: number
  /** Bytes that `process` holds back, because the last block may be padding. */
  readonly #held: number
  #rest: Bytes = NOTHING

  constructor(cfg: CipherConfig, blockSize: number, held: number) {
    this.cfg = cfg
    this.blockSize = blockSize
    this.#held = held
  }

  process(part: Message): WordArray {
    const data = this.#with(part)
    const blockLength = this.blockSize * 4
    const ready = Math.max(0, Math.floor(data.length / blockLength) * blockLength - this.#held)
    this.#rest = data.slice(ready)
    return WordArray.of(ready === 0 ? NOTHING : this.through(data.subarray(0, ready)))
  }

  finalize(part?: Message): WordArray {
    const data = part ? this.#with(part) : this.#rest
    this.#rest = NOTHING
    return WordArray.of(this.last(data))
  }

  reset(): void {
    this.#rest = NOTHING
    this.again()
  }

  encryptBlock(words: number[], offset: number): void {
    this.block(true, words, offset)
  }

  decryptBlock(words: number[], offset: number): void {
    this.block(false, words, offset)
  }

  #with(part: Message): Bytes {
    const data = dataOf(part, 'the message')
    return this.#rest.length === 0 ? data : joined(this.#rest, data)
  }

  protected abstract through(data: Bytes): Bytes
  protected abstract last(data: Bytes): Bytes
  protected abstract again(): void
  protected abstract block(encrypts: boolean, words: number[], offset: number): void
}

/** A block cipher in a mode. */
class BlockParts extends Parts {
  declare readonly cfg: CipherConfig & { mode: Mode; padding: Padding }
  readonly #blocks: Blocks
  readonly #encrypts: boolean
  /** Undefined until there is data: single blocks need no IV. */
  #chain: Chain | undefined

  /** @internal */
  static readonly brand: string = /* @__PURE__ */ branded(this, 'crypto-js.Cipher', (value) => #blocks in value)

  constructor(blocks: Blocks, encrypts: boolean, cfg: CipherConfig | undefined) {
    super(
      Object.assign(Object.create(null), { mode: modes.CBC, padding: pad.Pkcs7 }, checked(cfg)),
      blocks.blockLength / 4,
      encrypts ? 0 : blocks.blockLength,
    )
    this.#blocks = blocks
    this.#encrypts = encrypts
  }

  #apply(data: Bytes, pads: boolean): Bytes {
    this.#chain ??= begin(this.cfg.mode, this.#blocks, this.#encrypts, this.cfg.iv, this)
    return this.#chain(data, pads)
  }

  protected override through(data: Bytes): Bytes {
    return this.#apply(data, false)
  }

  protected override last(data: Bytes): Bytes {
    const { mode, padding } = this.cfg
    if (padding === pad.Pkcs7 && padsItself(mode)) return this.#apply(data, true)
    const { blockLength } = this.#blocks
    if (this.#encrypts) return this.#apply(padded(padding, data, blockLength), false)
    return unpadded(padding, this.#apply(data, false), blockLength)
  }

  protected override again(): void {
    this.#chain = undefined
  }

  protected override block(encrypts: boolean, words: number[], offset: number): void {
    const block = WordArray.bytesOf(
      { words: words.slice(offset, offset + this.blockSize), sigBytes: 4 * this.blockSize },
      'a block',
    )
    const done = wordsOf(this.#blocks.run('ecb', encrypts, NOTHING, block, false))
    for (let i = 0; i < done.length; i++) words[offset + i] = done[i] as number
  }
}

/** A cipher that adds a keystream. */
class StreamParts extends Parts {
  readonly #add: (data: Bytes) => Bytes
  /** How much of the keystream was used. */
  #used = 0
  /** Keystream from its beginning, only for a message in parts. Core makes it anew each time, so each time twice as much is made. */
  #keystream: Bytes = NOTHING

  /** @internal */
  static readonly brand: string = /* @__PURE__ */ branded(this, 'crypto-js.Cipher', (value) => #used in value)

  constructor(add: (data: Bytes) => Bytes, blockSize: number, cfg: CipherConfig | undefined) {
    super(checked(cfg), blockSize, 0)
    this.#add = add
  }

  protected override through(data: Bytes): Bytes {
    const end = this.#used + data.length
    if (end > this.#keystream.length) {
      zero(this.#keystream)
      this.#keystream = this.#add(new Uint8Array(Math.max(2 * end, KEYSTREAM_LEN)))
    }
    const done = new Uint8Array(data.length)
    for (let i = 0; i < done.length; i++) done[i] = (data[i] as number) ^ (this.#keystream[this.#used + i] as number)
    this.#used = end
    return done
  }

  protected override last(data: Bytes): Bytes {
    const done = this.#used === 0 ? this.#add(data) : this.through(data)
    // As in crypto-js, data after the end of a message begins at the next block. Keystream is never used twice.
    const blockLength = 4 * this.blockSize
    this.#used = Math.ceil((this.#used === 0 ? data.length : this.#used) / blockLength) * blockLength
    return done
  }

  protected override again(): void {
    this.#used = 0
  }

  protected override block(): never {
    throw new ArgumentError('this cipher has no blocks')
  }
}

/** The least keystream that is made at once, in bytes. */
const KEYSTREAM_LEN = 4096

/** The settings that the caller's object has itself. As in crypto-js, inherited settings do not count. */
function checked(cfg: CipherConfig | undefined): CipherConfig {
  const own: CipherConfig = Object.assign(Object.create(null), cfg)
  if ('iterations' in Object(cfg)) {
    throw new ArgumentError('iterations does nothing here: derive a key with PBKDF2, and encrypt with that')
  }
  return own
}

/** A key of AES. */
function aes(key: Bytes): Blocks {
  const bits = key.length * 8
  if (bits !== 128 && bits !== 192 && bits !== 256) {
    throw new SealstoneError('wrong_length', `the key must be 16, 24 or 32 bytes, got ${key.length}`)
  }
  return {
    blockLength: 16,
    counts: true,
    run(mode: FamilyMode, encrypts, iv, data, pads) {
      const length = pads && encrypts ? data.length - (data.length % 16) + 16 : data.length
      return call((sync) =>
        using(sync.cipher(`aes-${bits}-${mode}`, key), (handle) =>
          output(length, (out) => {
            if (!encrypts) return sync.cipherDecrypt(handle, iv, data, out, pads)
            sync.cipherEncrypt(handle, iv, data, out, pads)
            return out.length
          }),
        ),
      )
    },
  }
}

/** A key of an old cipher with blocks of 8 bytes. It may encrypt, because the caller chose this format by name. */
function old(name: 'des' | 'des-ede3' | 'blowfish', key: Bytes): Blocks {
  return {
    blockLength: 8,
    counts: false,
    run: (mode, encrypts, iv, data, pads) => legacy(`${name}-${mode as 'cbc'}`, key, encrypts, iv, data, pads),
  }
}

function legacy(
  name: LegacyCipherAlgorithm,
  key: Bytes,
  encrypts: boolean,
  iv: Bytes,
  data: Bytes,
  pads: boolean,
): Bytes {
  return call((sync) =>
    using(sync.legacy(name, key, encrypts), (handle) =>
      encrypts ? sync.legacyEncrypt(handle, iv, data, pads) : sync.legacyDecrypt(handle, iv, data, pads),
    ),
  )
}

/** The first bytes of a key: crypto-js ignores the rest of a longer key. */
function firstOf(key: Bytes, length: number): Bytes {
  if (key.length >= length) return key.slice(0, length)
  throw new SealstoneError('wrong_length', `the key must be ${length} bytes, got ${key.length}`)
}

/**
 * Three keys of DES. As in crypto-js, whose own tests have such keys, the first of two keys is also the third, and a single key is all
 * three.
 */
function tripleDesKey(key: Bytes): Bytes {
  if (key.length < 24 && key.length !== 8 && key.length !== 16) {
    throw new SealstoneError('wrong_length', `the key must be 8, 16 or 24 bytes, got ${key.length}`)
  }
  return joined(key, joined(key, key)).slice(0, 24)
}

/** The last word of a key is filled up with zeros. */
function blowfishKey(key: Bytes): Bytes {
  return joined(key, new Uint8Array((4 - (key.length % 4)) % 4))
}

function blockKind(keySize: number, ivSize: number, blocksOf: (key: Bytes) => Blocks): CipherKind {
  const begun =
    (encrypts: boolean) =>
    (key: WordArrayLike, cfg?: CipherConfig): Cipher =>
      new BlockParts(blocksOf(WordArray.bytesOf(key, 'the key').slice()), encrypts, cfg)
  return { keySize, ivSize, blockSize: ivSize, createEncryptor: begun(true), createDecryptor: begun(false) }
}

/** RC4, or RC4Drop, which drops the beginning of the keystream. */
function rc4(isDropping: boolean): CipherKind {
  const begun = (key: WordArrayLike, given?: CipherConfig): Cipher => {
    const cfg = checked(given)
    const words = isDropping ? (cfg.drop ?? 192) : 0
    if (!Number.isInteger(words) || words < 0) throw new ArgumentError('drop must be a whole number of words')
    const bytes = WordArray.bytesOf(key, 'the key').slice(0, RC4_KEY_MAX)
    const add = (data: Bytes): Bytes => {
      const input = words === 0 ? data : joined(new Uint8Array(4 * words), data)
      return legacy('rc4', bytes, false, NOTHING, input, false).slice(4 * words)
    }
    return new StreamParts(add, 1, isDropping ? { drop: words, ...cfg } : cfg)
  }
  return { keySize: 8, ivSize: 0, blockSize: 1, createEncryptor: begun, createDecryptor: begun }
}

/** RC4 ignores further bytes of a key. */
const RC4_KEY_MAX = 256
const RABBIT_KEY_LEN = 16
const RABBIT_IV_LEN = 8

/** Rabbit. The variant from before its first release reverses the bytes of each word of the key. */
function rabbit(isLegacy: boolean): CipherKind {
  const begun = (key: WordArrayLike, cfg?: CipherConfig): Cipher => {
    const bytes = firstOf(WordArray.bytesOf(key, 'the key'), RABBIT_KEY_LEN)
    if (isLegacy) for (let at = 0; at < bytes.length; at += 4) bytes.subarray(at, at + 4).reverse()
    const own = checked(cfg).iv
    const given = own ? WordArray.bytesOf(own, 'the IV') : NOTHING
    const iv = given.length === 0 ? given : new Uint8Array(RABBIT_IV_LEN)
    iv.set(given.subarray(0, RABBIT_IV_LEN))
    // Core only decrypts Rabbit, which adds the keystream. Encryption adds it too, and the caller chose this format by name, as with RC4.
    return new StreamParts((data) => legacy('rabbit', bytes, false, iv, data, false), 4, cfg)
  }
  return { keySize: 4, ivSize: 2, blockSize: 4, createEncryptor: begun, createDecryptor: begun }
}

// Each is a constant, so that a page has the code of those alone that it imports.
const aesKind = /* @__PURE__ */ blockKind(8, 4, aes)
const desKind = /* @__PURE__ */ blockKind(2, 2, (key) => old('des', firstOf(key, 8)))
const tripleDesKind = /* @__PURE__ */ blockKind(6, 2, (key) => old('des-ede3', tripleDesKey(key)))
const blowfishKind = /* @__PURE__ */ blockKind(4, 2, (key) => old('blowfish', blowfishKey(key)))
const rc4Kind = /* @__PURE__ */ rc4(false)
const rc4DropKind = /* @__PURE__ */ rc4(true)
const rabbitKind = /* @__PURE__ */ rabbit(false)
const rabbitLegacyKind = /* @__PURE__ */ rabbit(true)

/** The ciphers under `algo` in crypto-js. */
export const cipherKinds = /* @__PURE__ */ (() => ({
  AES: aesKind,
  DES: desKind,
  TripleDES: tripleDesKind,
  Blowfish: blowfishKind,
  RC4: rc4Kind,
  RC4Drop: rc4DropKind,
  Rabbit: rabbitKind,
  RabbitLegacy: rabbitLegacyKind,
}))()

/** Encrypts under a key of bytes. */
export const SerializableCipher = {
  encrypt(cipher: CipherKind, message: Message, key: WordArrayLike, cfg?: CipherConfig): CipherParams {
    const encryptor = cipher.createEncryptor(key, cfg)
    const ciphertext = encryptor.finalize(message)
    const { iv, mode, padding } = encryptor.cfg
    const formatter = checked(cfg).format ?? format.OpenSSL
    const { blockSize } = cipher
    return new CipherParams({ ciphertext, key, iv, algorithm: cipher, mode, padding, blockSize, formatter })
  },
  decrypt(
    cipher: CipherKind,
    ciphertext: CipherParamsLike | string,
    key: WordArrayLike,
    cfg?: CipherConfig,
  ): WordArray {
    const decryptor = cipher.createDecryptor(key, cfg)
    return decryptor.finalize(read(ciphertext, cfg).ciphertext as WordArrayLike)
  },
}

/** Encrypts under a key that is derived from a password. */
export const PasswordBasedCipher = {
  encrypt(cipher: CipherKind, message: Message, password: string, cfg?: CipherConfig): CipherParams {
    const { hasher, kdf: derive = kdf.OpenSSL, salt, ...own } = checked(cfg)
    if (salt && derive === kdf.OpenSSL) checkSalt(salt)
    const derived = derive.execute(password, cipher.keySize, cipher.ivSize, salt || undefined, hasher)
    const made = SerializableCipher.encrypt(cipher, message, derived.key as WordArray, { ...own, iv: derived.iv })
    made.mixIn(derived)
    return made
  },
  decrypt(cipher: CipherKind, ciphertext: CipherParamsLike | string, password: string, cfg?: CipherConfig): WordArray {
    const { hasher, kdf: derive = kdf.OpenSSL, ...own } = checked(cfg)
    const params = read(ciphertext, own)
    if (!params.salt && derive === kdf.OpenSSL) {
      throw new SealstoneError('malformed_ciphertext', 'the ciphertext has no salt: no password made it')
    }
    const derived = derive.execute(password, cipher.keySize, cipher.ivSize, params.salt, hasher)
    return SerializableCipher.decrypt(cipher, params, derived.key as WordArray, { ...own, iv: derived.iv })
  },
}

function read(ciphertext: CipherParamsLike | string, cfg: CipherConfig | undefined): CipherParamsLike {
  const params = typeof ciphertext === 'string' ? (checked(cfg).format ?? format.OpenSSL).parse(ciphertext) : ciphertext
  if (params?.ciphertext !== undefined) return params
  throw new ArgumentError('the data to decrypt must be text, or an object whose ciphertext is a WordArray')
}

function helper(kind: CipherKind): CipherHelper {
  return {
    encrypt(message, key, cfg) {
      if (typeof key === 'string') return PasswordBasedCipher.encrypt(kind, message, key, cfg)
      return SerializableCipher.encrypt(kind, message, objectOf(key), cfg)
    },
    decrypt(ciphertext, key, cfg) {
      if (typeof key === 'string') return PasswordBasedCipher.decrypt(kind, ciphertext, key, cfg)
      return SerializableCipher.decrypt(kind, ciphertext, objectOf(key), cfg)
    },
  }
}

/** Most often it is a password that is not set. */
function objectOf(key: WordArrayLike): WordArrayLike {
  if (typeof key === 'object' && key !== null) return key
  throw new ArgumentError('the key must be a WordArray, or a password as text')
}

export const AES = /* @__PURE__ */ helper(aesKind)
export const DES = /* @__PURE__ */ helper(desKind)
export const TripleDES = /* @__PURE__ */ helper(tripleDesKind)
export const Blowfish = /* @__PURE__ */ helper(blowfishKind)
export const RC4 = /* @__PURE__ */ helper(rc4Kind)
export const RC4Drop = /* @__PURE__ */ helper(rc4DropKind)
export const Rabbit = /* @__PURE__ */ helper(rabbitKind)
export const RabbitLegacy = /* @__PURE__ */ helper(rabbitLegacyKind)

export const ciphers = /* @__PURE__ */ (() => ({ AES, DES, TripleDES, Blowfish, RC4, RC4Drop, Rabbit, RabbitLegacy }))()

const NOTHING = /* @__PURE__ */ new Uint8Array(0)
