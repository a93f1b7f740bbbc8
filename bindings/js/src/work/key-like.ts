// Keys from outside, as text, as bytes and as objects of other libraries.

import type { KeyObject, webcrypto } from '../backend/index.js'
import { type Bytes, type BytesLike, bytesOf, isBytesLike, utf8, zero } from '../basics/bytes.js'
import { ArgumentError, SealstoneError } from '../basics/error.js'
import { platform } from './call.js'

/** A key from outside: text or bytes of any form, a JWK, a `KeyObject` of Node's, or an extractable `CryptoKey`. */
export type KeyLike = BytesLike | Jwk | KeyObjectLike | CryptoKeyLike

/** A key as an object of JSON (RFC 7517, 7518, 8037 and 9964). */
export interface Jwk {
  kty?: string
  crv?: string
  x?: string
  y?: string
  d?: string
  n?: string
  e?: string
  p?: string
  q?: string
  dp?: string
  dq?: string
  qi?: string
  pub?: string
  priv?: string
  alg?: string
  ext?: boolean
  key_ops?: string[]
  kid?: string
  use?: string
  /** Members that come with a key in sets of keys; they are passed over. */
  x5u?: string
  x5c?: string[]
  x5t?: string
  'x5t#S256'?: string
}

/** The parts of Node's `KeyObject` that are used: a program for browsers has no types of Node. */
export interface KeyObjectLike {
  readonly type: 'private' | 'public' | 'secret'
  export(options?: never): unknown
}

/** A key of WebCrypto: `CryptoKey`, in the words of browsers and of Node. */
export interface CryptoKeyLike {
  readonly type: 'private' | 'public' | 'secret'
  readonly extractable: boolean
  readonly algorithm: { name: string }
  readonly usages: KeyUsage[]
}

/** The uses of a key of WebCrypto. */
export type KeyUsage = 'encrypt' | 'decrypt' | 'sign' | 'verify' | 'deriveKey' | 'deriveBits' | 'wrapKey' | 'unwrapKey'

/** The work of the keys of a family. */
export type Purpose = 'signs' | 'encrypts'

/** The bytes of a key that is text or bytes, a JWK, or one of Node's. */
export function exportKeyObject(key: Exclude<KeyLike, CryptoKeyLike>): Bytes {
  if (isBytesLike(key)) return bytesOf(key, 'the key')
  if (isJwk(key)) return utf8(JSON.stringify(key), 'the key')
  if (!isKeyObject(key)) throw new ArgumentError('the key must be a string, bytes, a JWK, a KeyObject or a CryptoKey')
  if (key.type === 'secret') throw new ArgumentError('a symmetric KeyObject is an identity: pass it to importIdentity')
  const type = key.type === 'private' ? 'pkcs8' : 'spki'
  return new Uint8Array(key.export({ format: 'der', type } as { format: 'der'; type: 'spki' }))
}

/** The bytes of a key of WebCrypto, which says what it does. */
export async function exportCryptoKey(key: CryptoKeyLike, purpose: Purpose): Promise<Bytes> {
  if (!key.extractable) throw new SealstoneError('unsupported_key', 'the CryptoKey is not extractable')
  const { name } = key.algorithm
  if (key.type !== 'secret' && SIGNS.test(name) !== (purpose === 'signs')) {
    const is = `${purpose === 'signs' ? 'not ' : ''}for signatures`
    const hint = name === 'ECDSA' ? '; a P-256 key must be for ECDH' : ''
    throw new SealstoneError('unsupported_key', `the CryptoKey is ${is} (${name})${hint}`)
  }
  const format = key.type === 'private' ? 'pkcs8' : key.type === 'public' ? 'spki' : 'raw'
  const { subtle } = webCrypto()
  return new Uint8Array(await subtle.exportKey(format, key as webcrypto.CryptoKey))
}

/** The names of WebCrypto's algorithms that sign. */
const SIGNS = /^(?:ECDSA|Ed25519|Ed448|ML-DSA-\d+|RSA-PSS|RSASSA-PKCS1-v1_5)$/

/** Works with the bytes of a half of a key pair; what was made of them is zeroed then. */
export async function withKey<T>(key: KeyLike, purpose: Purpose, work: (bytes: Bytes) => Promise<T>): Promise<T> {
  const bytes = isCryptoKey(key) ? await exportCryptoKey(key, purpose) : exportKeyObject(key)
  try {
    return await work(bytes)
  } finally {
    if (!isBytesLike(key)) zero(bytes)
  }
}

/** As {@link withKey}, at once. */
export function withKeySync<T>(key: Exclude<KeyLike, CryptoKeyLike>, work: (bytes: Bytes) => T): T {
  if (isCryptoKey(key)) throw new ArgumentError(CRYPTO_KEY)
  const bytes = exportKeyObject(key)
  try {
    return work(bytes)
  } finally {
    if (!isBytesLike(key)) zero(bytes)
  }
}

export const CRYPTO_KEY = 'only the asynchronous function reads a CryptoKey'

function isJwk(key: unknown): key is Jwk {
  return typeof key === 'object' && key !== null && typeof (key as Jwk).kty === 'string'
}

export function isCryptoKey(key: unknown): key is CryptoKeyLike {
  // By its tag: there may be another realm's. One that only pretends is refused by WebCrypto.
  return Object.prototype.toString.call(key) === '[object CryptoKey]'
}

function isKeyObject(key: unknown): key is KeyObject {
  if (typeof key !== 'object' || key === null || ArrayBuffer.isView(key)) return false
  return 'export' in key && 'type' in key && platform.isKeyObject(key)
}

export function isSecretKeyObject(key: unknown): key is KeyObject {
  return isKeyObject(key) && key.type === 'secret'
}

/** The UTF-8 of a passphrase. */
export function passphraseBytes(passphrase: unknown, what: string): Bytes {
  if (typeof passphrase !== 'string') throw new ArgumentError(`${what} must be a string`)
  return utf8(passphrase, what)
}

/** The realm's, or the platform's where a test runner's page has none that computes. */
export function webCrypto(): webcrypto.Crypto {
  const { crypto } = globalThis as { crypto?: unknown } as { crypto?: webcrypto.Crypto }
  return crypto?.subtle === undefined ? platform.webCrypto() : crypto
}
