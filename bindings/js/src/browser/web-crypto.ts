import type { Out } from '../backend/calls.js'
import { EMPTY, TAG_LEN } from '../backend/wasm/host-crypto.js'
import * as host from '../backend/wasm/intrinsics.js'
import type { PromisedCrypto } from '../backend/wasm/promised-crypto.js'
import { failureOf, SealstoneError } from '../basics/error.js'

const FUNCTIONS = ['importKey', 'encrypt', 'decrypt', 'deriveBits', 'digest'] as const

type Subtle = Pick<SubtleCrypto, (typeof FUNCTIONS)[number]>

const [AES, PBKDF2] = ['AES-GCM', 'PBKDF2']

/** Its names of hash functions, and the lengths of their digests. */
const DIGESTS: { readonly [algorithm: string]: readonly [string, number] } = {
  __proto__: null as never,
  sha256: ['SHA-256', 32],
  sha384: ['SHA-384', 48],
  sha512: ['SHA-512', 64],
}

/** Bytes from which on a promise is the faster one: it takes 6 to 10 µs, and a key as long; WebAssembly seals 1 KiB in 16. */
const FROM = 1024
/** Bytes of which a digest is computed in one call, which is one task of the page: 19 milliseconds for SHA-256, 34 for SHA-512. */
const DIGEST_MAX = 1 << 24

/** The work of WebCrypto, with its functions as they are now; `undefined` if there is no WebCrypto, as in insecure contexts. */
export function webCryptoOf(subtle: Subtle | null | undefined): PromisedCrypto | undefined {
  // A page of a test runner may have a part of it, which is none.
  if (!subtle || FUNCTIONS.some((name) => typeof subtle[name] !== 'function')) return undefined
  const importKey = subtle.importKey.bind(subtle) as (...args: unknown[]) => Promise<CryptoKey>
  const encrypt = subtle.encrypt.bind(subtle) as (...args: unknown[]) => Promise<ArrayBuffer>
  const decrypt = subtle.decrypt.bind(subtle) as (...args: unknown[]) => Promise<ArrayBuffer>
  const digest = subtle.digest.bind(subtle) as (...args: unknown[]) => Promise<ArrayBuffer>
  const deriveBits = subtle.deriveBits.bind(subtle) as (...args: unknown[]) => Promise<ArrayBuffer>
  return {
    name: 'WebCrypto',
    algorithm: 'aes-256-gcm',
    from: FROM,
    key: (bytes) =>
      settle(
        () => importKey('raw', bytes, AES, false, ['encrypt', 'decrypt']),
        (key) => key,
      ),
    seal(key, nonce, aad, plaintext) {
      const length = host.arrayLength(plaintext) + TAG_LEN
      return settle(
        () => encrypt(parametersOf(nonce, aad), key, plaintext),
        (sealed) => bytesOf(sealed, length),
      )
    },
    open(key, nonce, aad, sealed) {
      const length = host.arrayLength(sealed) - TAG_LEN
      return settle(
        () => decrypt(parametersOf(nonce, aad), key, sealed),
        (opened) => bytesOf(opened, length),
        isRefusal,
      )
    },
    digest(algorithm, data) {
      const [found, length] = [DIGESTS[algorithm], host.arrayLength(data)]
      if (found === undefined || length < FROM || length > DIGEST_MAX) return undefined
      const [name, digestLen] = found
      return settle(
        () => digest(name, data),
        (bytes) => bytesOf(bytes, digestLen),
      )
    },
    derive(password, { hash, salt, iterations, length }) {
      const parameters = { __proto__: null, name: PBKDF2, hash, salt: new host.Bytes(salt), iterations }
      return settle(
        async () => deriveBits(parameters, await importKey('raw', password, PBKDF2, false, ['deriveBits']), 8 * length),
        (bits) => bytesOf(bits, length),
        isUnsupported,
      )
    },
  }
}

const LOADED = webCryptoOf((globalThis.crypto as Crypto | undefined)?.subtle as Subtle | undefined)

/** The work of the realm's WebCrypto, with its functions as they were when this module was loaded. */
export function webCrypto(): PromisedCrypto | undefined {
  return LOADED
}

/** All that there are: a page may have its own in the prototype of objects. */
function parametersOf(iv: Uint8Array, additionalData: Uint8Array | undefined): object {
  return { __proto__: null, name: AES, iv, additionalData: additionalData ?? EMPTY, tagLength: 8 * TAG_LEN }
}

/** Calls WebCrypto, and makes of its promise one of ours. WebCrypto is called before this returns, and has copied its input then. */
async function settle<T, R>(
  work: () => Promise<T>,
  have: (result: T) => R | SealstoneError,
  isNone: (error: unknown) => boolean = () => false,
): Promise<R | SealstoneError> {
  try {
    return have(await work())
  } catch (error) {
    return isNone(error) ? (undefined as R) : failed(String(failureOf(error).message), error)
  }
}

/** Whether WebCrypto says that a tag is wrong. */
function isRefusal(error: unknown): boolean {
  return failureOf(error).name === 'OperationError'
}

/** Whether WebCrypto says that it does not do this: Cloudflare's takes no more than 100,000 iterations (cloudflare/workerd#1346). */
function isUnsupported(error: unknown): boolean {
  return failureOf(error).name === 'NotSupportedError'
}

/** The bytes of a result, which has to be as long as it is for everyone. */
function bytesOf(result: ArrayBuffer, length: number): Out | SealstoneError {
  return lengthOf(result) === length ? new host.Bytes(result) : failed('its result has another length')
}

function lengthOf(result: ArrayBuffer): number | undefined {
  try {
    return host.bufferLength(result)
  } catch {
    return undefined
  }
}

function failed(why: string, cause?: unknown): SealstoneError {
  return new SealstoneError('unavailable_backend', `WebCrypto has failed: ${why}`, { cause })
}
