import { createHasher, type Hasher as FamilyHasher, hash } from '../../api/hash.js'
import { type MacSigner, mac } from '../../api/mac.js'
import type { Bytes } from '../../basics/bytes.js'
import { ArgumentError } from '../../basics/error.js'
import { output } from '../../basics/output.js'
import { branded } from '../../basics/receiver.js'
import { type HmacHash, KEY_LENGTHS } from '../../basics/table.js'
import { call } from '../../work/digest-calls.js'
import { using } from '../../work/handle.js'
import { dataOf, WordArray, type WordArrayLike } from './word-array.js'

/** Settings of a hash: only SHA3 has `outputLength`, in bits. */
export interface HashConfig {
  readonly outputLength?: 224 | 256 | 384 | 512
}

/** A message to hash: text stands for its UTF-8. */
export type Message = WordArrayLike | string

/** A hash, which begins digests: an object such as `algo.SHA256`. */
export interface HashKind {
  create(cfg?: HashConfig): Hasher
  /** Words of a block. */
  readonly blockSize: number
  /** The same as {@link create}, with `new`. */
  readonly init: new (
    cfg?: HashConfig,
  ) => Hasher
}

/**
 * A digest of a message that may come in parts.
 *
 * @example
 * ```ts
 * import { algo } from 'sealstone/compat/crypto-js'
 *
 * const hasher = algo.SHA256.create().update('attack ').update('at ')
 * console.log(hasher.finalize('dawn').toString()) // d502810c71aeb17e5ea1cbf930b46b87bb645a75df45f500230d061992aeb90a
 * ```
 */
export class Hasher {
  readonly #hash: HmacHash
  /** Undefined until a part comes: a message that comes whole is hashed in one call. */
  #family: FamilyHasher | undefined
  /** Words of a block. */
  readonly blockSize: number

  /** @internal */
  static readonly brand: string = /* @__PURE__ */ branded(this, 'crypto-js.Hasher', (value) => #hash in value)

  /** @internal */
  constructor(hash: HmacHash, blockSize: number) {
    this.#hash = hash
    this.blockSize = blockSize
  }

  /** Forgets what was taken. */
  reset(): void {
    this.#family?.destroy()
    this.#family = undefined
  }

  /** Takes the next part. */
  update(part: Message): this {
    const bytes = dataOf(part, 'the message')
    this.#family ??= createHasher(this.#hash)
    this.#family.update(bytes)
    return this
  }

  /** Takes the last part, if there is one more, and gives the digest of all. Then another message may come. */
  finalize(part?: Message): WordArray {
    if (this.#family === undefined) return digestOf(this.#hash, part || '')
    if (part) this.update(part)
    const digest = this.#family.digest()
    this.reset()
    return WordArray.of(digest)
  }

  /** A copy that has taken the same parts and continues on its own. */
  clone(): Hasher {
    const made = new Hasher(this.#hash, this.blockSize)
    made.#family = this.#family?.clone()
    return made
  }
}

function digestOf(name: HmacHash, message: Message): WordArray {
  return WordArray.of(hash(name, dataOf(message, 'the message')))
}

/**
 * A message authentication code of a message that may come in parts.
 *
 * @example
 * ```ts
 * import { algo } from 'sealstone/compat/crypto-js'
 *
 * const hmac = algo.HMAC.create(algo.SHA256, 'a key').update('attack ').update('at ')
 * console.log(hmac.finalize('dawn').toString()) // ff55e3c95524ee35b9fab15eeffb2108d30768db50d310e3905ccc02146ddfaa
 * ```
 */
export class Hmac {
  readonly #hash: HmacHash
  readonly #key: Bytes
  #signer: MacSigner | undefined

  /** @internal */
  static readonly brand: string = /* @__PURE__ */ branded(this, 'crypto-js.Hmac', (value) => #hash in value)

  constructor(kind: HashKind, key: Message) {
    this.#hash = hashOf(kind)
    this.#key = keyOf(key)
  }

  /** Forgets what was taken. */
  reset(): void {
    this.#signer = undefined
  }

  /** Takes the next part. */
  update(part: Message): this {
    const bytes = dataOf(part, 'the message')
    this.#signer ??= begun(this.#hash, this.#key)
    this.#signer.update(bytes)
    return this
  }

  /** Takes the last part, if there is one more, and gives the code of all. Then another message may come. */
  finalize(part?: Message): WordArray {
    if (this.#signer === undefined) return tagOf(this.#hash, this.#key, part || '')
    if (part) this.update(part)
    const tag = this.#signer.tag()
    this.reset()
    return WordArray.of(tag)
  }
}

function begun(hash: HmacHash, key: Bytes): MacSigner {
  const begins = mac(`hmac-${hash}`, key)
  try {
    return begins.begin()
  } finally {
    begins.destroy()
  }
}

/** HMAC fills a key up with zeros. So an empty key is the same as one zero byte, which core takes. */
function keyOf(key: Message): Bytes {
  const bytes = dataOf(key, 'the key')
  return bytes.length === 0 ? new Uint8Array(1) : bytes.slice()
}

function tagOf(name: HmacHash, key: Bytes, message: Message): WordArray {
  const bytes = dataOf(message, 'the message')
  const length = digestLength(name)
  return call((sync) =>
    using(sync.mac(`hmac-${name}`, key, undefined, 0), (handle) =>
      WordArray.of(
        output(length, (tag) => {
          sync.macInto(handle, bytes, tag)
          return length
        }),
      ),
    ),
  )
}

/** Bytes of a digest. A new HMAC key has the same length, so its table is used here. */
export function digestLength(hash: HmacHash): number {
  return KEY_LENGTHS[`hmac-${hash}`]
}

/** The hashes that crypto-js calls SHA3, by the bits of their output, with the words of a block: Keccak from before FIPS 202. */
const KECCAK: { readonly [bits: number]: readonly [HmacHash, number] } = {
  224: ['keccak-224', 36],
  256: ['keccak-256', 34],
  384: ['keccak-384', 26],
  512: ['keccak-512', 18],
}

/** The hash of each object that a caller can give as `hasher`. */
const HASHES = /* @__PURE__ */ new WeakMap<object, HmacHash>()

/** The hash of an object such as `algo.SHA256`. */
export function hashOf(kind: unknown): HmacHash {
  const found = typeof kind === 'object' && kind !== null ? HASHES.get(kind) : undefined
  if (found !== undefined) return found
  throw new ArgumentError('the hasher must be one of algo, such as algo.SHA256')
}

function kindOf(hash: HmacHash, blockSize: number): HashKind {
  const made = (): Hasher => new Hasher(hash, blockSize)
  return kindThat(hash, blockSize, made)
}

function kindThat(hash: HmacHash, blockSize: number, create: (cfg?: HashConfig) => Hasher): HashKind {
  const init = function init(cfg?: HashConfig): Hasher {
    return create(cfg)
  } as unknown as HashKind['init']
  const kind: HashKind = { create, blockSize, init }
  HASHES.set(kind, hash)
  return kind
}

/** Keccak with the output length of the settings. */
function keccak(cfg?: HashConfig): Hasher {
  const bits = cfg?.outputLength ?? 512
  const found = Object.hasOwn(KECCAK, bits) ? KECCAK[bits] : undefined
  if (found === undefined) throw new ArgumentError('outputLength must be 224, 256, 384 or 512')
  return new Hasher(...found)
}

/** The hashes under `algo` in crypto-js. */
export const hashers = /* @__PURE__ */ (() => ({
  MD5: kindOf('md5', 16),
  SHA1: kindOf('sha1', 16),
  SHA224: kindOf('sha224', 16),
  SHA256: kindOf('sha256', 16),
  SHA384: kindOf('sha384', 32),
  SHA512: kindOf('sha512', 32),
  SHA3: kindThat('keccak-512', 18, keccak),
  RIPEMD160: kindOf('ripemd160', 16),
  HMAC: {
    create: (kind: HashKind, key: Message): Hmac => new Hmac(kind, key),
    init: Hmac,
  },
}))()

/** The digest of a message. */
export type HashFunction = (message: Message, cfg?: HashConfig) => WordArray
/** The code of a message under a key. */
export type HmacFunction = (message: Message, key: Message) => WordArray

export const MD5 = /* @__PURE__ */ digests('md5')
export const SHA1 = /* @__PURE__ */ digests('sha1')
export const SHA224 = /* @__PURE__ */ digests('sha224')
export const SHA256 = /* @__PURE__ */ digests('sha256')
export const SHA384 = /* @__PURE__ */ digests('sha384')
export const SHA512 = /* @__PURE__ */ digests('sha512')
export const SHA3: HashFunction = (message, cfg) => keccak(cfg).finalize(message)
export const RIPEMD160 = /* @__PURE__ */ digests('ripemd160')
export const HmacMD5 = /* @__PURE__ */ signs('md5')
export const HmacSHA1 = /* @__PURE__ */ signs('sha1')
export const HmacSHA224 = /* @__PURE__ */ signs('sha224')
export const HmacSHA256 = /* @__PURE__ */ signs('sha256')
export const HmacSHA384 = /* @__PURE__ */ signs('sha384')
export const HmacSHA512 = /* @__PURE__ */ signs('sha512')
export const HmacSHA3 = /* @__PURE__ */ signs('keccak-512')
export const HmacRIPEMD160 = /* @__PURE__ */ signs('ripemd160')

export const hashing = /* @__PURE__ */ (() => ({
  MD5,
  SHA1,
  SHA224,
  SHA256,
  SHA384,
  SHA512,
  SHA3,
  RIPEMD160,
  HmacMD5,
  HmacSHA1,
  HmacSHA224,
  HmacSHA256,
  HmacSHA384,
  HmacSHA512,
  HmacSHA3,
  HmacRIPEMD160,
}))()

function digests(hash: HmacHash): HashFunction {
  return (message) => digestOf(hash, message || '')
}

function signs(hash: HmacHash): HmacFunction {
  return (message, key) => tagOf(hash, keyOf(key), message || '')
}
