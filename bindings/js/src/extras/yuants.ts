/**
 * The functions of `@yuants/utils` and `@yuants/secret` that need no server, under their names and in their formats, for existing
 * data and keys. `docs/guide/yuants.md` in the repository lists what differs, and how to move on.
 *
 * None of these formats proves who wrote something or for what purpose. One key both signs and decrypts, and there is no forward
 * secrecy. Use `encrypt` or `sealMessage` of `sealstone` for new data.
 *
 * Keys are Base58: an Ed25519 public key of 32 bytes, and a private key of 64, the seed followed by the public key. They are
 * JavaScript strings, which cannot be erased.
 *
 * @module sealstone/compat/yuants
 */

import type { Handle, KeyPairText } from '../backend/calls.js'
import { type Bytes, type BytesLike, bytesOf } from '../basics/bytes.js'
import { ArgumentError, SealstoneError } from '../basics/error.js'
import { booleanOption, entriesOf, readOptions, stringOption } from '../basics/option.js'
import { output } from '../basics/output.js'
import type { YuantsFormat } from '../basics/table.js'
import { call, callLater, platform, sync } from '../work/compat-calls.js'
import { call as callDigest, digestLater } from '../work/digest-calls.js'
import { usingLater } from '../work/handle.js'
import { inTurns, loaded } from '../work/run.js'

export type { Bytes, BytesLike } from '../basics/bytes.js'
export { SealstoneError } from '../basics/error.js'

/** A pair of keys, as Base58. */
export interface IEd25519KeyPair {
  public_key: string
  private_key: string
}

/**
 * Makes a new key pair, to sign and to decrypt with.
 *
 * @example
 * ```ts
 * import { createKeyPair, decryptByPrivateKey, encryptByPublicKey } from 'sealstone/compat/yuants'
 *
 * const { public_key, private_key } = createKeyPair()
 * const sealed = encryptByPublicKey(new TextEncoder().encode('attack at dawn'), public_key)
 * console.log(new TextDecoder().decode(decryptByPrivateKey(sealed, private_key))) // attack at dawn
 * ```
 */
export function createKeyPair(): IEd25519KeyPair {
  return keyPair(call((sync) => sync.yuantsKeyPair(undefined)))
}

/**
 * The key pair of a seed of 32 bytes.
 *
 * @throws {@link SealstoneError} `wrong_length`.
 *
 * @example
 * ```ts
 * import { fromSeed } from 'sealstone/compat/yuants'
 *
 * console.log(fromSeed(new Uint8Array(32).fill(7)).public_key) // GmaDrppBC7P5ARKV8g3djiwP89vz1jLK23V2GBjuAEGB
 * ```
 */
export function fromSeed(seed: BytesLike): IEd25519KeyPair {
  const bytes = bytesOf(seed, 'the seed')
  return keyPair(call((sync) => sync.yuantsKeyPair(bytes)))
}

/**
 * The key pair of a private key.
 *
 * @throws {@link SealstoneError} `invalid_encoding`, `wrong_length`; `invalid_key` when its public half belongs to another key.
 *
 * @example
 * ```ts
 * import { createKeyPair, fromPrivateKey } from 'sealstone/compat/yuants'
 *
 * const pair = createKeyPair()
 * console.log(fromPrivateKey(pair.private_key).public_key === pair.public_key) // true
 * ```
 */
export function fromPrivateKey(privateKey: string): IEd25519KeyPair {
  const text = textOf(privateKey, 'the private key')
  return keyPair(call((sync) => sync.yuantsKeyPairOf(text)))
}

/**
 * The Ed25519 signature of a text, as Base58.
 *
 * It does not say what it was signed for, so put a fixed prefix before text that others choose.
 *
 * @throws {@link SealstoneError} as {@link fromPrivateKey}.
 *
 * @example
 * ```ts
 * import { createKeyPair, signMessage, verifyMessage } from 'sealstone/compat/yuants'
 *
 * const { public_key, private_key } = createKeyPair()
 * console.log(verifyMessage('attack at dawn', signMessage('attack at dawn', private_key), public_key)) // true
 * ```
 */
export function signMessage(message: BytesLike, privateKey: string): string {
  const [bytes, key] = [bytesOf(message, 'the message'), textOf(privateKey, 'the private key')]
  return call((sync) => sync.yuantsSignText(key, bytes))
}

/**
 * The Ed25519 signature of bytes, with a private key of 64 bytes.
 *
 * @throws {@link SealstoneError} `wrong_length`, `invalid_key`.
 *
 * @example
 * ```ts
 * import { createKeyPair, decodeBase58, signMessageByEd25519 } from 'sealstone/compat/yuants'
 *
 * const key = decodeBase58(createKeyPair().private_key)
 * console.log(signMessageByEd25519(new Uint8Array(3), key).length) // 64
 * ```
 */
export function signMessageByEd25519(message: BytesLike, privateKey: BytesLike): Bytes {
  const [bytes, key] = [bytesOf(message, 'the message'), bytesOf(privateKey, 'the private key')]
  return call((sync) => sync.yuantsSign(key, bytes))
}

export interface VerifyOptions {
  /**
   * Also accepts variants that somebody else made from a valid signature, as the original does. Then two different signatures may belong
   * to the same record.
   */
  readonly malleable?: boolean
}

/**
 * Whether a signature is by this key over this text. It is strict (RFC 8032): nobody can make a second valid signature from the first.
 *
 * @throws {@link SealstoneError} `invalid_encoding` and `wrong_length` of the signature or the key; `invalid_key`.
 *
 * @example
 * ```ts
 * import { fromSeed, verifyMessage } from 'sealstone/compat/yuants'
 *
 * const { public_key } = fromSeed(new Uint8Array(32).fill(7))
 * const signature = '5aqgpzzewRmhqxj2oypt7KULGSjp9SuiHjdWphPfKDDEAhYbjxzzCPh5kwMFVVAAAEKCkkEL8xUtD526KgipLz8e'
 * console.log(verifyMessage('abc', signature, public_key)) // true
 * console.log(verifyMessage('abd', signature, public_key)) // false
 * ```
 */
export function verifyMessage(
  message: BytesLike,
  signature: string,
  publicKey: string,
  options?: VerifyOptions,
): boolean {
  const malleable = booleanOption(readOptions<VerifyOptions>(options, ['malleable']).malleable, 'malleable')
  const bytes = bytesOf(message, 'the message')
  const [text, key] = [textOf(signature, 'the signature'), textOf(publicKey, 'the public key')]
  return call((sync) => sync.yuantsVerify(key, bytes, text, malleable))
}

/**
 * Encrypts to a public key with X25519, with a new key for each call, and XSalsa20-Poly1305. The result is 72 bytes longer than the data.
 *
 * {@link decryptByPrivateKey} reads it, and {@link decryptByPrivateKeyAsync} does not.
 *
 * @throws {@link SealstoneError} `invalid_encoding`, `wrong_length`, `invalid_key`.
 *
 * @example
 * ```ts
 * import { createKeyPair, encryptByPublicKey } from 'sealstone/compat/yuants'
 *
 * console.log(encryptByPublicKey('attack at dawn', createKeyPair().public_key).length) // 86
 * ```
 */
export function encryptByPublicKey(data: BytesLike, publicKey: string): Bytes {
  return seal('box', textOf(publicKey, 'the public key'), bytesOf(data, 'the data'))
}

/**
 * Decrypts a result of {@link encryptByPublicKey}. The private key may be the seed alone, also as Base58.
 *
 * @throws {@link SealstoneError} `not_authentic`; `malformed_ciphertext` if no key can open it; `invalid_encoding` and
 * `wrong_length` of the key. No error reveals the key or the data.
 *
 * @example
 * ```ts
 * import { createKeyPair, decryptByPrivateKey, encryptByPublicKey, SealstoneError } from 'sealstone/compat/yuants'
 *
 * const [alice, bob] = [createKeyPair(), createKeyPair()]
 * const sealed = encryptByPublicKey('attack at dawn', alice.public_key)
 * try {
 *   decryptByPrivateKey(sealed, bob.private_key)
 * } catch (error) {
 *   if (!(error instanceof SealstoneError)) throw error
 *   console.log(error.code) // not_authentic
 * }
 * ```
 */
export function decryptByPrivateKey(data: BytesLike, privateKey: string): Bytes {
  return open('box', textOf(privateKey, 'the private key'), bytesOf(data, 'the data'))
}

/**
 * Encrypts to a public key with AES-256-GCM: on another thread if that is faster. The result is 136 bytes longer than the data.
 *
 * {@link decryptByPrivateKeyAsync} reads it, and {@link decryptByPrivateKey} does not.
 *
 * @throws {@link SealstoneError} as {@link encryptByPublicKey}.
 *
 * @example
 * ```ts
 * import { createKeyPair, decryptByPrivateKeyAsync, encryptByPublicKeyAsync } from 'sealstone/compat/yuants'
 *
 * const { public_key, private_key } = createKeyPair()
 * const sealed = await encryptByPublicKeyAsync('attack at dawn', public_key)
 * console.log(new TextDecoder().decode(await decryptByPrivateKeyAsync(sealed, private_key))) // attack at dawn
 * ```
 */
export async function encryptByPublicKeyAsync(data: BytesLike, publicKey: string): Promise<Bytes> {
  return sealLater('hybrid', textOf(publicKey, 'the public key'), bytesOf(data, 'the data'))
}

/**
 * Decrypts a result of {@link encryptByPublicKeyAsync}. It may also be a view of a larger buffer.
 *
 * @throws {@link SealstoneError} as {@link decryptByPrivateKey}.
 *
 * @example
 * ```ts
 * import { createKeyPair, decryptByPrivateKeyAsync, encryptByPublicKeyAsync } from 'sealstone/compat/yuants'
 *
 * const { public_key, private_key } = createKeyPair()
 * const sealed = Buffer.concat([Buffer.from('head'), await encryptByPublicKeyAsync('data', public_key)])
 * console.log((await decryptByPrivateKeyAsync(sealed.subarray(4), private_key)).length) // 4
 * ```
 */
export async function decryptByPrivateKeyAsync(data: BytesLike, privateKey: string): Promise<Bytes> {
  return openLater('hybrid', textOf(privateKey, 'the private key'), bytesOf(data, 'the data'))
}

/**
 * A fresh pair of X25519 keys for {@link deriveSharedKey}, as Base58 of 32 bytes each.
 *
 * @example
 * ```ts
 * import { deriveSharedKey, generateX25519KeyPair } from 'sealstone/compat/yuants'
 *
 * const [alice, bob] = [generateX25519KeyPair(), generateX25519KeyPair()]
 * const shared = deriveSharedKey(bob.public_key, alice.private_key)
 * console.log(shared === deriveSharedKey(alice.public_key, bob.private_key)) // true
 * ```
 */
export function generateX25519KeyPair(): IEd25519KeyPair {
  return keyPair(call((sync) => sync.yuantsX25519()))
}

/**
 * The shared secret of two key pairs, as Base58 of 32 bytes: NaCl's `crypto_box_beforenm`. It is the same in both directions, and
 * depends on the two pairs only.
 *
 * @throws {@link SealstoneError} `invalid_encoding`, `wrong_length`; `invalid_key` for a public key with which everyone would
 * know the secret.
 *
 * @example
 * ```ts
 * import { deriveSharedKey, encrypt, generateX25519KeyPair } from 'sealstone/compat/yuants'
 *
 * const [alice, bob] = [generateX25519KeyPair(), generateX25519KeyPair()]
 * console.log((await encrypt('attack at dawn', deriveSharedKey(bob.public_key, alice.private_key))).length) // 42
 * ```
 */
export function deriveSharedKey(publicKey: string, privateKey: string): string {
  const [theirs, ours] = [textOf(publicKey, 'the public key'), textOf(privateKey, 'the private key')]
  return call((sync) => sync.yuantsSharedKey(theirs, ours))
}

/**
 * Encrypts with AES-GCM under a key, Base58 of 16, 24 or 32 bytes. The result is a random nonce of 12 bytes, the ciphertext, and the tag.
 *
 * Use one key for at most 2^32 messages: with more, a random nonce could repeat.
 *
 * @throws {@link SealstoneError} `invalid_encoding`, `wrong_length`.
 *
 * @example
 * ```ts
 * import { randomBytes } from 'node:crypto'
 * import { decrypt, encodeBase58, encrypt } from 'sealstone/compat/yuants'
 *
 * const key = encodeBase58(randomBytes(32))
 * console.log(new TextDecoder().decode(await decrypt(await encrypt('attack at dawn', key), key))) // attack at dawn
 * ```
 */
export async function encrypt(data: BytesLike, key: string): Promise<Bytes> {
  return sealLater('gcm', textOf(key, 'the key'), bytesOf(data, 'the data'))
}

/**
 * Decrypts a result of {@link encrypt}.
 *
 * @throws {@link SealstoneError} `not_authentic`, `malformed_ciphertext`, `invalid_encoding`, `wrong_length`.
 *
 * @example
 * ```ts
 * import { decrypt, encodeBase58, encrypt } from 'sealstone/compat/yuants'
 *
 * const sealed = await encrypt('attack at dawn', encodeBase58(new Uint8Array(16)))
 * const error = await decrypt(sealed, encodeBase58(new Uint8Array(24))).catch((error) => error)
 * console.log(error.code) // not_authentic
 * ```
 */
export async function decrypt(data: BytesLike, key: string): Promise<Bytes> {
  return openLater('gcm', textOf(key, 'the key'), bytesOf(data, 'the data'))
}

/**
 * SHA-256.
 *
 * @example
 * ```ts
 * import { encodeHex, sha256 } from 'sealstone/compat/yuants'
 *
 * console.log(encodeHex(await sha256('abc')).slice(0, 8)) // ba7816bf
 * ```
 */
export async function sha256(data: BytesLike): Promise<Bytes> {
  return hashLater('sha256', bytesOf(data, 'the data'))
}

/**
 * SHA-512.
 *
 * @example
 * ```ts
 * import { encodeHex, sha512 } from 'sealstone/compat/yuants'
 *
 * console.log(encodeHex(await sha512('abc')).slice(0, 8)) // ddaf35a1
 * ```
 */
export async function sha512(data: BytesLike): Promise<Bytes> {
  return hashLater('sha512', bytesOf(data, 'the data'))
}

/**
 * HMAC-SHA-256 of data under a key. Compare two of them with `timingSafeEqual` of `node:crypto`.
 *
 * @example
 * ```ts
 * import { encodeHex, HmacSHA256 } from 'sealstone/compat/yuants'
 *
 * console.log(encodeHex(await HmacSHA256('what do ya want for nothing?', 'Jefe')).slice(0, 8)) // 5bdcc146
 * ```
 */
export async function HmacSHA256(data: BytesLike, key: BytesLike): Promise<Bytes> {
  return hmacLater('sha256', bytesOf(data, 'the data'), bytesOf(key, 'the key'))
}

/**
 * HMAC-SHA-512 of data under a key.
 *
 * @example
 * ```ts
 * import { encodeHex, HmacSHA512 } from 'sealstone/compat/yuants'
 *
 * console.log(encodeHex(await HmacSHA512('what do ya want for nothing?', 'Jefe')).slice(0, 8)) // 164b7a7b
 * ```
 */
export async function HmacSHA512(data: BytesLike, key: BytesLike): Promise<Bytes> {
  return hmacLater('sha512', bytesOf(data, 'the data'), bytesOf(key, 'the key'))
}

/**
 * FNV-1a of 64 bits, as 16 hexadecimal digits. It is a checksum, and offers no security.
 *
 * @example
 * ```ts
 * import { fnv1a64Hex } from 'sealstone/compat/yuants'
 *
 * console.log(fnv1a64Hex('hello')) // a430d84680aabd0b
 * ```
 */
export function fnv1a64Hex(data: BytesLike): string {
  const bytes = bytesOf(data, 'the data')
  return call((sync) => sync.yuantsFnv(bytes))
}

/**
 * Base58 with Bitcoin's alphabet, of up to 4,096 bytes. It is for keys: the work grows with the square of the length.
 *
 * @throws {@link SealstoneError} `too_long`.
 *
 * @example
 * ```ts
 * import { encodeBase58 } from 'sealstone/compat/yuants'
 *
 * console.log(encodeBase58(new Uint8Array([0, 1, 2]))) // 15T
 * ```
 */
export function encodeBase58(data: BytesLike): string {
  return encode('base58', data)
}

/**
 * Decodes Base58 of up to 4,096 bytes.
 *
 * @throws {@link SealstoneError} `invalid_encoding`.
 *
 * @example
 * ```ts
 * import { decodeBase58 } from 'sealstone/compat/yuants'
 *
 * console.log(decodeBase58('15T').join()) // 0,1,2
 * ```
 */
export function decodeBase58(text: string): Bytes {
  return decode('base58', text)
}

/**
 * Base64 with the standard alphabet, padded.
 *
 * @throws RangeError for data whose text no string can hold: 384 MiB in Node.
 *
 * @example
 * ```ts
 * import { encodeBase64 } from 'sealstone/compat/yuants'
 *
 * console.log(encodeBase64('seal')) // c2VhbA==
 * ```
 */
export function encodeBase64(data: BytesLike): string {
  return encode('base64', data)
}

/**
 * Decodes Base64. It refuses anything that {@link encodeBase64} does not write; the original dropped invalid characters.
 *
 * @throws {@link SealstoneError} `invalid_encoding`.
 *
 * @example
 * ```ts
 * import { decodeBase64 } from 'sealstone/compat/yuants'
 *
 * console.log(new TextDecoder().decode(decodeBase64('c2VhbA=='))) // seal
 * ```
 */
export function decodeBase64(text: string): Bytes {
  return decode('base64', text)
}

/**
 * Hexadecimal digits, in lower case.
 *
 * @throws RangeError for data whose text no string can hold: 256 MiB in Node.
 *
 * @example
 * ```ts
 * import { encodeHex } from 'sealstone/compat/yuants'
 *
 * console.log(encodeHex(new Uint8Array([171, 1]))) // ab01
 * ```
 */
export function encodeHex(data: BytesLike): string {
  return encode('hex', data)
}

/**
 * Decodes hexadecimal digits of either case, two a byte.
 *
 * @throws {@link SealstoneError} `invalid_encoding`.
 *
 * @example
 * ```ts
 * import { decodeHex } from 'sealstone/compat/yuants'
 *
 * console.log(decodeHex('AB01').join()) // 171,1
 * ```
 */
export function decodeHex(text: string): Bytes {
  return decode('hex', text)
}

/** A record of `@yuants/secret`: encrypted and signed data for one reader, with tags that everyone can see. */
export interface ISecret {
  /** The signature, as Base58. */
  sign: string
  /** The signer's public key. */
  signer: string
  /** The public key of the reader, who can decrypt. */
  reader: string
  tags: Record<string, string>
  /** Base64 of a result of {@link encryptByPublicKeyAsync}. */
  data: string
}

/**
 * Makes a record: encrypts the secret to the reader, and signs it with its tags.
 *
 * The signature is over one text without separators, so that other tags may have the same signature ({@link tagsAreAmbiguous}).
 * The text has the tags in the order of English, whatever the system's language is.
 *
 * @throws {@link SealstoneError} as {@link encryptByPublicKey} and {@link signMessage}; `invalid_key` when the signer's keys do
 * not form a pair. A `TypeError` for tags that are an array, a `Map` or the like, or not all text.
 *
 * @example
 * ```ts
 * import { createKeyPair, decodeBase64, decryptByPrivateKeyAsync, makeSecret, verifySecretSigner } from 'sealstone/compat/yuants'
 *
 * const [signer, reader] = [createKeyPair(), createKeyPair()]
 * const secret = await makeSecret(new TextEncoder().encode('1234'), { type: 'pin' }, reader.public_key, signer)
 * console.log(verifySecretSigner(secret)) // true
 * console.log(new TextDecoder().decode(await decryptByPrivateKeyAsync(decodeBase64(secret.data), reader.private_key))) // 1234
 * ```
 */
export async function makeSecret(
  secret: BytesLike,
  tags: Record<string, string>,
  reader: string,
  signerKeyPair: IEd25519KeyPair,
): Promise<ISecret> {
  const copy = checkedTags(tags)
  const pair = recordOf(signerKeyPair, ['public_key', 'private_key'], "the signer's keys")
  const { public_key: signer, private_key } = pair
  if (fromPrivateKey(private_key).public_key !== signer) {
    throw new SealstoneError('invalid_key', "the signer's keys do not form a pair")
  }
  const data = encodeBase64(await encryptByPublicKeyAsync(secret, reader))
  const [inOrder] = orders()
  const sign = signMessage(signer + reader + tagsText(copy, inOrder) + data, private_key)
  return { sign, signer, reader, tags: copy, data }
}

/**
 * Whether a record's signature is by its signer.
 *
 * The original orders the tags by its system's language. This function tries the English order, this system's order and the order
 * of code points. A signature that holds may hold for other tags as well: see {@link tagsAreAmbiguous}.
 *
 * @throws {@link SealstoneError} as {@link verifyMessage}.
 *
 * @example
 * ```ts
 * import { createKeyPair, makeSecret, verifySecretSigner } from 'sealstone/compat/yuants'
 *
 * const signer = createKeyPair()
 * const secret = await makeSecret('1234', { a: '1', b: '2' }, createKeyPair().public_key, signer)
 * console.log(verifySecretSigner({ ...secret, tags: { a: '1', b: '3' } })) // false
 * ```
 */
export function verifySecretSigner(secret: ISecret, options?: VerifyOptions): boolean {
  const { sign, signer, reader, data } = recordOf(secret, ['sign', 'signer', 'reader', 'data'], 'the record')
  const tags = checkedTags(secret.tags)
  const texts = new Set(orders().map((inOrder) => tagsText(tags, inOrder)))
  return [...texts].some((text) => verifyMessage(signer + reader + text + data, sign, signer, options))
}

/**
 * Whether a record with other tags could have the same signature as a record with these tags: `{ a: '1b=2' }` and `{ a: '1', b:
 * '2' }` sign the same text. This holds for two or more tags, and for one with an equals sign in it.
 *
 * Do not rely on ambiguous tags unless you know the record from elsewhere.
 *
 * @example
 * ```ts
 * import { tagsAreAmbiguous } from 'sealstone/compat/yuants'
 *
 * console.log(tagsAreAmbiguous({ type: 'pin' }), tagsAreAmbiguous({ a: '1', b: '2' })) // false true
 * ```
 */
export function tagsAreAmbiguous(tags: Record<string, string>): boolean {
  const text = tagsText(checkedTags(tags), byNumbers)
  return text.indexOf('=') !== text.lastIndexOf('=')
}

type Order = (a: string, b: string) => number

let collators: Order[] | undefined

/** The orders that verification tries. The first is the one that {@link makeSecret} writes. */
function orders(): [Order, ...Order[]] {
  collators ??= [new Intl.Collator('en'), new Intl.Collator()].map(({ compare }) => compare)
  const [english = byNumbers, ...others] = collators
  // Names that are equal in the language's order still need an order.
  return [(a, b) => english(a, b) || byNumbers(a, b), english, ...others, byNumbers]
}

function byNumbers(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}

function tagsText(tags: Record<string, string>, inOrder: Order): string {
  const entries = Object.entries(tags).sort(([a], [b]) => inOrder(a, b))
  return entries.map(([name, value]) => `${name}=${value}`).join('')
}

function checkedTags(tags: unknown): Record<string, string> {
  return Object.fromEntries(entriesOf(tags, 'the tags').map(([name, value]) => [name, textOf(value, 'a tag')]))
}

/** The texts that an object has under these names. */
function recordOf<Name extends string>(value: unknown, names: readonly Name[], what: string): Record<Name, string> {
  if (typeof value !== 'object' || value === null) throw new ArgumentError(`${what} must be an object`)
  const texts = names.map((name) => [name, textOf((value as Record<string, unknown>)[name], `${name} of ${what}`)])
  return Object.fromEntries(texts)
}

function seal(format: YuantsFormat, key: string, data: Bytes): Bytes {
  return call((sync) => {
    const len = sync.yuantsHeadLen(format) + data.length + sync.yuantsTailLen(format)
    return output(len, (sealed) => {
      sync.yuantsSeal(format, key, data, sealed)
      return len
    })
  })
}

function open(format: YuantsFormat, key: string, sealed: Bytes): Bytes {
  return call((sync) => {
    const room = sealed.length - sync.yuantsHeadLenOf(format, sealed)
    return output(room, (out) => sync.yuantsOpen(format, key, sealed, out))
  })
}

/** Up to this length, the work is done on this thread: copying the bytes for another thread would take as long. */
const INLINE_LEN = 1 << 20

async function sealLater(format: YuantsFormat, key: string, data: Bytes): Promise<Bytes> {
  if (data.length <= INLINE_LEN) return seal(format, key, data)
  const [headLen, tailLen] = [sync().yuantsHeadLen(format), sync().yuantsTailLen(format)]
  const work = (loading: Handle) => callLater((bulk) => bulk.yuantsSealLoaded(format, key, loading))
  return loaded(data, 'the data', RUN, work, { before: headLen, after: tailLen })
}

async function openLater(format: YuantsFormat, key: string, sealed: Bytes): Promise<Bytes> {
  if (sealed.length <= INLINE_LEN) return open(format, key, sealed)
  const work = (loading: Handle) => callLater((bulk) => bulk.yuantsOpenLoaded(format, key, loading))
  return loaded(sealed, 'the data', RUN, work)
}

async function hashLater(hash: string, data: Bytes): Promise<Bytes> {
  const promise = digestLater(hash, data)
  if (promise !== undefined) return promise
  if (data.length <= INLINE_LEN) {
    return callDigest((sync) =>
      output(sync.hashLen(sync.hashId(hash)), (digest) => {
        sync.hashInto(sync.hashId(hash), data, digest)
        return digest.length
      }),
    )
  }
  return usingLater(
    callDigest((sync) => sync.hasher(sync.hashId(hash))),
    async (hasher) => {
      await inTurns(data, 'the data', RUN, (part) => callDigest((sync) => sync.hasherUpdate(hasher, part)))
      return callDigest((sync) => sync.hasherDigest(hasher, 0))
    },
  )
}

async function hmacLater(hash: string, data: Bytes, key: Bytes): Promise<Bytes> {
  if (data.length <= INLINE_LEN) return call((sync) => sync.yuantsHmac(hash, key, data))
  // Not `slice`: the slice of a Buffer shares the caller's memory.
  const secret = new Uint8Array(key)
  const work = (loading: Handle) => callLater((bulk) => bulk.yuantsHmacLoaded(hash, secret, loading))
  try {
    return await loaded(data, 'the data', RUN, work)
  } finally {
    secret.fill(0)
  }
}

/** These functions report no progress, and no caller can stop them. */
const RUN = { signal: undefined, onProgress: undefined }

type TextEncoding = 'base58' | 'base64' | 'hex'

function encode(encoding: TextEncoding, data: BytesLike): string {
  const bytes = bytesOf(data, 'the data')
  const charactersAByte = { base58: 0, base64: 4 / 3, hex: 2 }[encoding]
  if (bytes.length * charactersAByte > platform.maxStringLength() - 3) {
    throw new RangeError(`the text of ${bytes.length} bytes is longer than a string can be`)
  }
  return call((sync) => sync.encodeText(encoding, bytes))
}

function decode(encoding: TextEncoding, text: string): Bytes {
  const read = textOf(text, 'the text')
  return call((sync) => sync.decodeText(encoding, read))
}

function keyPair({ publicKey, privateKey }: KeyPairText): IEd25519KeyPair {
  return { public_key: publicKey, private_key: privateKey }
}

function textOf(text: unknown, what: string): string {
  const read = stringOption(text, what)
  if (read === undefined) throw new ArgumentError(`${what} must be a string`)
  return read
}
