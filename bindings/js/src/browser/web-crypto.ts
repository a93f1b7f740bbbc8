import { failureOf, SealstoneError } from '../error.js'
import type { Out } from '../platform/sync.js'
import { EMPTY, TAG_LEN } from '../wasm/host-crypto.js'
import * as host from '../wasm/intrinsics.js'
import type { PromisedCrypto } from '../wasm/promised-crypto.js'

type Subtle = Pick<SubtleCrypto, 'importKey' | 'encrypt' | 'decrypt'>

const AES = 'AES-GCM'

/** What WebCrypto computes, with its functions as they are now; nothing where there is none, as in insecure contexts. */
export function webCryptoOf(subtle: Subtle | undefined): PromisedCrypto | undefined {
  if (subtle === undefined) return undefined
  const importKey = subtle.importKey.bind(subtle) as (...args: unknown[]) => Promise<CryptoKey>
  const encrypt = subtle.encrypt.bind(subtle) as (...args: unknown[]) => Promise<ArrayBuffer>
  const decrypt = subtle.decrypt.bind(subtle) as (...args: unknown[]) => Promise<ArrayBuffer>
  return {
    name: 'WebCrypto',
    algorithm: 'aes-256-gcm',
    // A promise takes 6 to 10 µs, and a key as long; WebAssembly seals 1 KiB in 16.
    from: 1024,
    key: (bytes) =>
      given(
        () => importKey('raw', bytes, AES, false, ['encrypt', 'decrypt']),
        (key) => key,
      ),
    seal(key, nonce, aad, plaintext) {
      const length = host.arrayLength(plaintext) + TAG_LEN
      return given(
        () => encrypt(parametersOf(nonce, aad), key, plaintext),
        (sealed) => bytesOf(sealed, length),
      )
    },
    open(key, nonce, aad, sealed) {
      const length = host.arrayLength(sealed) - TAG_LEN
      return given(
        () => decrypt(parametersOf(nonce, aad), key, sealed),
        (opened) => bytesOf(opened, length),
        isRefusal,
      )
    },
  }
}

const LOADED = webCryptoOf((globalThis.crypto as Crypto | undefined)?.subtle as Subtle | undefined)

/** What the realm's WebCrypto computes, with its functions as they were when this module was loaded. */
export function webCrypto(): PromisedCrypto | undefined {
  return LOADED
}

/** All that there are: a page may have its own in the prototype of objects. */
function parametersOf(iv: Uint8Array, additionalData: Uint8Array | undefined): object {
  return { __proto__: null, name: AES, iv, additionalData: additionalData ?? EMPTY, tagLength: 8 * TAG_LEN }
}

/** What WebCrypto promises, as we have it. It is called before this returns, and has copied its input then. */
async function given<T, R>(
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
