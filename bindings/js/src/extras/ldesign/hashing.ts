// Digests and HMACs, as text.

import { decode, timingSafeEqual } from '../../api/encoding.js'
import { type HashAlgorithm as Algorithm, hashText, type ResultEncoding } from '../../api/hash.js'
import { type MacAlgorithm, type MacKey, mac } from '../../api/mac.js'
import type { BytesLike } from '../../basics/bytes.js'
import { branded } from '../../basics/receiver.js'
import { ErrorUtils } from './errors.js'
import { Latest } from './latest.js'
import type { EncodingType, HashAlgorithm, HashOptions, HashResult } from './results.js'

/** Digests as text: hexadecimal digits unless the options say otherwise. */
export const hash = {
  md5: (data: BytesLike, options?: HashOptions): string => digest(data, 'MD5', options),
  sha1: (data: BytesLike, options?: HashOptions): string => digest(data, 'SHA1', options),
  sha224: (data: BytesLike, options?: HashOptions): string => digest(data, 'SHA224', options),
  sha256: (data: BytesLike, options?: HashOptions): string => digest(data, 'SHA256', options),
  sha384: (data: BytesLike, options?: HashOptions): string => digest(data, 'SHA384', options),
  sha512: (data: BytesLike, options?: HashOptions): string => digest(data, 'SHA512', options),
  /** BLAKE2b with 64 bytes (RFC 7693), which the original announced. Its class `BLAKE2b` gave other digests for inputs beyond 127 bytes. */
  blake2b: (data: BytesLike, options?: HashOptions): string => digest(data, 'BLAKE2B', options),
  hash: (data: BytesLike, algorithm: HashAlgorithm = 'SHA256', options?: HashOptions): string =>
    digest(data, algorithm, options),
  /** Whether a text has this digest; `false` if the digest cannot be computed. */
  verify: (
    data: BytesLike,
    expectedHash: string,
    algorithm: HashAlgorithm = 'SHA256',
    options?: HashOptions,
  ): boolean => isSame(expectedHash, () => digest(data, algorithm, options)),
}

/** HMACs as text. A key text is used as its UTF-8, without derivation. */
export const hmac = {
  md5: (data: BytesLike, key: BytesLike, options?: HashOptions): string => tag(data, key, 'MD5', options),
  sha1: (data: BytesLike, key: BytesLike, options?: HashOptions): string => tag(data, key, 'SHA1', options),
  sha224: (data: BytesLike, key: BytesLike, options?: HashOptions): string => tag(data, key, 'SHA224', options),
  sha256: (data: BytesLike, key: BytesLike, options?: HashOptions): string => tag(data, key, 'SHA256', options),
  sha384: (data: BytesLike, key: BytesLike, options?: HashOptions): string => tag(data, key, 'SHA384', options),
  sha512: (data: BytesLike, key: BytesLike, options?: HashOptions): string => tag(data, key, 'SHA512', options),
  hmac: (data: BytesLike, key: BytesLike, algorithm: HashAlgorithm = 'SHA256', options?: HashOptions): string =>
    tag(data, key, algorithm, options),
  /** Whether a text is the HMAC; `false` if the HMAC cannot be computed. The time does not depend on where the two differ. */
  verify: (
    data: BytesLike,
    key: BytesLike,
    expectedHmac: string,
    algorithm: HashAlgorithm = 'SHA256',
    options?: HashOptions,
  ): boolean => isSame(expectedHmac, () => tag(data, key, algorithm, options)),
}

/** As {@link hash}, with objects as results. */
export class Hasher {
  hash(data: BytesLike, algorithm: HashAlgorithm = 'SHA256', options?: HashOptions): HashResult {
    return { success: true, hash: digest(data, algorithm, options), algorithm, encoding: encodingOf(options) }
  }

  verify(data: BytesLike, expectedHash: string, algorithm: HashAlgorithm = 'SHA256', options?: HashOptions): boolean {
    return hash.verify(data, expectedHash, algorithm, options)
  }

  /** As {@link hash}, for the whole content of a file. `hashStream` of `sealstone/hash` takes a `File`. */
  hashFile(fileContent: BytesLike, algorithm: HashAlgorithm = 'SHA256', options?: HashOptions): HashResult {
    return this.hash(fileContent, algorithm, options)
  }
}

/** As {@link hmac}, with objects as results. */
export class HMACHasher {
  hmac(data: BytesLike, key: BytesLike, algorithm: HashAlgorithm = 'SHA256', options?: HashOptions): HashResult {
    const text = tag(data, key, algorithm, options)
    return { success: true, hash: text, algorithm: `HMAC-${algorithm}`, encoding: encodingOf(options) }
  }

  verify(
    data: BytesLike,
    key: BytesLike,
    expectedHmac: string,
    algorithm: HashAlgorithm = 'SHA256',
    options?: HashOptions,
  ): boolean {
    return hmac.verify(data, key, expectedHmac, algorithm, options)
  }
}

/** Digests under the names of their algorithms, with objects as results. */
export class Hash {
  readonly #hasher = new Hasher()

  /** @internal */
  static readonly brand: string = /* @__PURE__ */ branded(this, 'ldesign.Hash', (value) => #hasher in value)

  md5(data: BytesLike, options?: HashOptions): HashResult {
    return this.#hasher.hash(data, 'MD5', options)
  }

  sha1(data: BytesLike, options?: HashOptions): HashResult {
    return this.#hasher.hash(data, 'SHA1', options)
  }

  sha224(data: BytesLike, options?: HashOptions): HashResult {
    return this.#hasher.hash(data, 'SHA224', options)
  }

  sha256(data: BytesLike, options?: HashOptions): HashResult {
    return this.#hasher.hash(data, 'SHA256', options)
  }

  sha384(data: BytesLike, options?: HashOptions): HashResult {
    return this.#hasher.hash(data, 'SHA384', options)
  }

  sha512(data: BytesLike, options?: HashOptions): HashResult {
    return this.#hasher.hash(data, 'SHA512', options)
  }

  blake2b(data: BytesLike, options?: HashOptions): HashResult {
    return this.#hasher.hash(data, 'BLAKE2B', options)
  }

  hash(data: BytesLike, algorithm: HashAlgorithm = 'SHA256', options?: HashOptions): HashResult {
    return this.#hasher.hash(data, algorithm, options)
  }

  verify(data: BytesLike, expectedHash: string, algorithm: HashAlgorithm = 'SHA256', options?: HashOptions): boolean {
    return hash.verify(data, expectedHash, algorithm, options)
  }
}

/**
 * HMACs under the names of their algorithms, as text. For an algorithm that its method `hmac` did not know, such as SHA224, the original
 * computed HMAC-SHA-256. This method computes the algorithm that you name, or fails.
 */
export class HMAC {
  md5(data: BytesLike, key: BytesLike, options?: HashOptions): string {
    return tag(data, key, 'MD5', options)
  }

  sha1(data: BytesLike, key: BytesLike, options?: HashOptions): string {
    return tag(data, key, 'SHA1', options)
  }

  sha224(data: BytesLike, key: BytesLike, options?: HashOptions): string {
    return tag(data, key, 'SHA224', options)
  }

  sha256(data: BytesLike, key: BytesLike, options?: HashOptions): string {
    return tag(data, key, 'SHA256', options)
  }

  sha384(data: BytesLike, key: BytesLike, options?: HashOptions): string {
    return tag(data, key, 'SHA384', options)
  }

  sha512(data: BytesLike, key: BytesLike, options?: HashOptions): string {
    return tag(data, key, 'SHA512', options)
  }

  hmac(data: BytesLike, key: BytesLike, algorithm: HashAlgorithm = 'SHA256', options?: HashOptions): string {
    return tag(data, key, algorithm, options)
  }

  verify(
    data: BytesLike,
    key: BytesLike,
    expectedHmac: string,
    algorithm: HashAlgorithm = 'SHA256',
    options?: HashOptions,
  ): boolean {
    return hmac.verify(data, key, expectedHmac, algorithm, options)
  }
}

export const hashInstance = /* @__PURE__ */ new Hash()
export const hmacInstance = /* @__PURE__ */ new HMAC()

type Known = readonly [hash: Algorithm, mac: MacAlgorithm]

/** The original's names of algorithms, and the names here. */
const ALGORITHMS: ReadonlyMap<string, Known> = /* @__PURE__ */ new Map<string, Known>([
  ['MD5', ['md5', 'hmac-md5']],
  ['SHA1', ['sha1', 'hmac-sha1']],
  ['SHA224', ['sha224', 'hmac-sha224']],
  ['SHA256', ['sha256', 'hmac-sha256']],
  ['SHA384', ['sha384', 'hmac-sha384']],
  ['SHA512', ['sha512', 'hmac-sha512']],
  ['BLAKE2B', ['blake2b', 'hmac-blake2b']],
])

function known(algorithm: string, what: string): Known {
  const found = ALGORITHMS.get(algorithm) ?? ALGORITHMS.get(String(algorithm).toUpperCase())
  if (found !== undefined) return found
  throw ErrorUtils.createHashError(`Unsupported ${what} algorithm: ${algorithm}`)
}

function encodingOf(options: HashOptions | undefined): EncodingType {
  return options?.encoding ?? 'hex'
}

function digest(data: BytesLike, algorithm: string, options: HashOptions | undefined): string {
  const [name] = known(algorithm, 'hash')
  return written(encodingOf(options), (by) => hashText(name, data, by))
}

/** HMAC fills its key up with zeros, so that an empty key is the same as one zero byte. Core takes no empty key. */
const NO_KEY = new Uint8Array(1)

function tag(data: BytesLike, key: BytesLike, algorithm: string, options: HashOptions | undefined): string {
  const [, name] = known(algorithm, 'HMAC')
  const by = encodingOf(options)
  return withKey(name, key, (held) => written(by, (encoding) => held.signText(data, encoding)))
}

/** The last key: preparing a key takes longer than a short HMAC. */
const latest = /* @__PURE__ */ new Latest<MacKey>((held) => held.destroy())

function withKey<T>(name: MacAlgorithm, key: BytesLike, work: (held: MacKey) => T): T {
  if (typeof key !== 'string') {
    const held = mac(name, key)
    try {
      return work(held)
    } finally {
      held.destroy()
    }
  }
  return work(latest.find(name, key) ?? latest.hold(name, key, mac(name, key === '' ? NO_KEY : key)))
}

/** The digest as text. The encoding `utf8` fails for nearly all digests, because they are not UTF-8. */
function written(encoding: EncodingType, compute: (by: ResultEncoding) => string): string {
  if (encoding === 'hex' || encoding === 'base64') return compute(encoding)
  if (encoding !== 'utf8') throw ErrorUtils.createHashError(`Unsupported encoding type: ${encoding}`)
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(decode('hex', compute('hex')))
  } catch {
    throw ErrorUtils.createHashError('the digest is not UTF-8: use hex or base64')
  }
}

function isSame(expected: string, compute: () => string): boolean {
  try {
    return timingSafeEqual(compute(), expected)
  } catch {
    return false
  }
}
