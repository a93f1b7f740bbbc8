import type { Out } from '../backend/calls.js'
import type { HostRsa, RsaKey, SignedBy } from '../backend/wasm/host-rsa.js'
import * as host from '../backend/wasm/intrinsics.js'
import { failureOf, SealstoneError } from '../basics/error.js'

const FUNCTIONS = ['importKey', 'exportKey', 'generateKey', 'sign', 'verify', 'encrypt', 'decrypt'] as const

type Subtle = Pick<SubtleCrypto, (typeof FUNCTIONS)[number]>

/** Its names of algorithms, and of hash functions by core's. */
const [PSS, PKCS1, OAEP] = ['RSA-PSS', 'RSASSA-PKCS1-v1_5', 'RSA-OAEP']
const HASHES: { readonly [hash: string]: readonly [name: string, length: number] } = {
  __proto__: null as never,
  sha1: ['SHA-1', 20],
  sha256: ['SHA-256', 32],
  sha384: ['SHA-384', 48],
  sha512: ['SHA-512', 64],
}

/** 65,537. */
const PUBLIC_EXPONENT = /* @__PURE__ */ new Uint8Array([1, 0, 1])

type Import = (...args: unknown[]) => Promise<CryptoKey>

/** A key: WebCrypto has one for each algorithm and hash, which it imports when that is first used. */
class Key implements RsaKey {
  readonly #der: () => Out
  readonly #importKey: Import
  readonly #keys: { [algorithm: string]: Promise<CryptoKey> }
  readonly #isPrivate: boolean

  constructor(isPrivate: boolean, der: () => Out, importKey: Import, keys = Object.create(null)) {
    this.#isPrivate = isPrivate
    this.#der = der
    this.#importKey = importKey
    this.#keys = keys
  }

  /** The same, whose bytes another function gives. */
  again(der: () => Out): Key {
    return new Key(this.#isPrivate, der, this.#importKey, this.#keys)
  }

  /** The key for an algorithm, whose memory of ours is zeroed. */
  for(name: string, hash: string): Promise<CryptoKey> {
    const id = `${name} ${hash}`
    const before = this.#keys[id]
    if (before !== undefined) return before
    const [format, use] = this.#isPrivate
      ? ['pkcs8', name === OAEP ? 'decrypt' : 'sign']
      : ['spki', name === OAEP ? 'encrypt' : 'verify']
    const der = this.#der()
    // WebCrypto has copied it when this returns.
    const key = this.#importKey(format, der, { __proto__: null, name, hash: HASHES[hash]?.[0] }, false, [use])
    host.fill(der, 0)
    this.#keys[id] = key
    return key
  }
}

/** RSA as WebCrypto promises it, with its functions as they are now; nothing where there is none, as in insecure contexts. */
export function webRsaOf(subtle: Subtle | null | undefined): HostRsa | undefined {
  if (!subtle || FUNCTIONS.some((name) => typeof subtle[name] !== 'function')) return undefined
  const importKey = subtle.importKey.bind(subtle) as Import
  const exportKey = subtle.exportKey.bind(subtle) as (...args: unknown[]) => Promise<ArrayBuffer>
  const generateKey = subtle.generateKey.bind(subtle) as (...args: unknown[]) => Promise<CryptoKeyPair>
  const sign = subtle.sign.bind(subtle) as (...args: unknown[]) => Promise<ArrayBuffer>
  const verify = subtle.verify.bind(subtle) as (...args: unknown[]) => Promise<boolean>
  const encrypt = subtle.encrypt.bind(subtle) as (...args: unknown[]) => Promise<ArrayBuffer>
  const decrypt = subtle.decrypt.bind(subtle) as (...args: unknown[]) => Promise<ArrayBuffer>
  const keyFor = (key: RsaKey, { scheme, hash }: SignedBy): Promise<CryptoKey> =>
    (key as Key).for(scheme === 'pss' ? PSS : PKCS1, hash)
  return {
    isAtOnce: false,
    privateKey: (der) => new Key(true, der, importKey),
    publicKey: (der) => new Key(false, der, importKey),
    again: (key, der) => (key as Key).again(der),
    async sign(key, by, data) {
      return settle(async () => new host.Bytes(await sign(parametersOf(by), await keyFor(key, by), data)))
    },
    async verify(key, by, data, signature) {
      return settle(async () => (await verify(parametersOf(by), await keyFor(key, by), signature, data)) === true)
    },
    async encrypt(key, hash, label, plaintext) {
      const parameters = { __proto__: null, name: OAEP, label }
      return settle(
        async () => new host.Bytes(await encrypt(parameters, await (key as Key).for(OAEP, hash), plaintext)),
      )
    },
    async decrypt(key, hash, label, ciphertext) {
      const parameters = { __proto__: null, name: OAEP, label }
      return settle(async () => {
        const own = await (key as Key).for(OAEP, hash)
        try {
          return new host.Bytes(await decrypt(parameters, own, ciphertext))
        } catch (error) {
          if (failureOf(error).name === 'OperationError') return undefined
          throw error
        }
      })
    },
    async generate(modulusLength) {
      const algorithm = { __proto__: null, name: PSS, hash: 'SHA-256', modulusLength, publicExponent: PUBLIC_EXPONENT }
      return settle(async () => {
        const { privateKey } = await generateKey(algorithm, true, ['sign', 'verify'])
        return new host.Bytes(await exportKey('pkcs8', privateKey))
      })
    },
  }
}

const LOADED = webRsaOf((globalThis.crypto as Crypto | undefined)?.subtle as Subtle | undefined)

/** The realm's, with its functions as they were when this module was loaded. */
export function webRsa(): HostRsa | undefined {
  return LOADED
}

function parametersOf({ scheme, hash }: SignedBy): object {
  return scheme === 'pss'
    ? { __proto__: null, name: PSS, saltLength: HASHES[hash]?.[1] }
    : { __proto__: null, name: PKCS1 }
}

/** Awaits a promise of WebCrypto, whose failure becomes our error. */
async function settle<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    throw new SealstoneError('unavailable_backend', `WebCrypto has failed: ${failureOf(error).message}`, {
      cause: error,
    })
  }
}
