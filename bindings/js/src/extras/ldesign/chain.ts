// Chains of calls, as in @ldesign/crypto.

import { hashHex } from '../../api/hash.js'
import { wholeNumber } from '../../basics/option.js'
import { branded } from '../../basics/receiver.js'
import { jsonOf } from './authenticated.js'
import { decrypt, encrypt, hasIv } from './ciphers.js'
import { encoding } from './encoding.js'
import { CryptoErrorCode, DecryptionError, EncryptionError, messageOf } from './errors.js'
import { hash } from './hashing.js'
import type { EncryptionAlgorithm, EncryptionOptions, EncryptResult, HashAlgorithm } from './results.js'
import { EncryptResultSerializer, stringToEncryptResult } from './serialization.js'

/**
 * A text that passes through several calls. If one fails, {@link execute} throws its error.
 *
 * If the IV was random, the text of an encryption is the JSON of its result. The original lost the IV there.
 */
export class CryptoChain {
  #data: string | EncryptResult
  /** Whether the ciphertext suffices as text, because the caller has the IV or needs none. */
  #isWhole = true
  #error: Error | undefined

  /** @internal */
  static readonly brand: string = /* @__PURE__ */ branded(this, 'ldesign.CryptoChain', (value) => #data in value)

  constructor(data: string | EncryptResult) {
    this.#data = data
  }

  encrypt(algorithm: EncryptionAlgorithm, key: string, options?: EncryptionOptions): this {
    return this.#then(() => {
      const result = encrypt.encrypt(this.#text(), key, algorithm, options)
      if (!result.success) throw new EncryptionError(result.error ?? 'Encryption failed')
      this.#isWhole = result.iv === undefined || hasIv(options)
      return result
    })
  }

  decrypt(algorithm: EncryptionAlgorithm, key: string, options?: EncryptionOptions): this {
    return this.#then(() => {
      const given = this.#data
      const data = typeof given === 'string' && given.startsWith('{') ? stringToEncryptResult(given) : given
      const result = decrypt.decrypt(ofAlgorithm(data, algorithm), key, algorithm, options)
      if (!result.success) {
        throw new DecryptionError(result.error ?? 'Decryption failed', CryptoErrorCode.DECRYPTION_FAILED, algorithm)
      }
      this.#isWhole = true
      return result.data ?? ''
    })
  }

  hash(algorithm: HashAlgorithm = 'SHA256'): this {
    return this.#then(() => hash.hash(this.#text(), algorithm))
  }

  base64(): this {
    return this.#then(() => encoding.encode(this.#whole(), 'base64'))
  }

  fromBase64(): this {
    return this.#then(() => encoding.decode(this.#text(), 'base64'))
  }

  hex(): this {
    return this.#then(() => encoding.encode(this.#whole(), 'hex'))
  }

  fromHex(): this {
    return this.#then(() => encoding.decode(this.#text(), 'hex'))
  }

  toUpperCase(): this {
    return this.#then(() => this.#text().toUpperCase())
  }

  toLowerCase(): this {
    return this.#then(() => this.#text().toLowerCase())
  }

  /** Replaces the text by the JSON of a value. */
  toJSON<T>(value: T): this {
    return this.#then(() => jsonOf(value))
  }

  /** The value of the JSON. This ends the chain. */
  fromJSON<T>(): T {
    if (this.#error !== undefined) throw this.#error
    return JSON.parse(this.#text())
  }

  /** The text. It throws the error of a call that failed. */
  execute(): string {
    if (this.#error !== undefined) throw this.#error
    return this.#whole()
  }

  /** The text, or the result of an encryption. It throws the error of a call that failed. */
  executeAsResult(): EncryptResult | string {
    if (this.#error !== undefined) throw this.#error
    return this.#data
  }

  getError(): Error | undefined {
    return this.#error
  }

  hasError(): boolean {
    return this.#error !== undefined
  }

  /** Clears the error. The text is then empty, because the failed call left none. */
  clearError(): this {
    this.#error = undefined
    return this
  }

  if(condition: boolean, then: (chain: this) => CryptoChain): CryptoChain {
    return condition && this.#error === undefined ? then(this) : this
  }

  transform(work: (data: string) => string): this {
    return this.#then(() => work(this.#text()))
  }

  /** Forgets the data. JavaScript cannot erase the text itself. */
  dispose(): void {
    this.#data = ''
    this.#error = undefined
  }

  #then(work: () => string | EncryptResult): this {
    if (this.#error !== undefined) return this
    try {
      this.#data = work()
    } catch (error) {
      this.#error = error instanceof Error ? error : new Error(messageOf(error))
      // After `clearError`, a caller must not mistake the plaintext for the result of the failed call.
      this.#data = ''
    }
    return this
  }

  #text(): string {
    return typeof this.#data === 'string' ? this.#data : (this.#data.data ?? '')
  }

  #whole(): string {
    if (typeof this.#data === 'string' || this.#isWhole) return this.#text()
    return EncryptResultSerializer.serialize(this.#data, { includeMetadata: false })
  }
}

/** A result with the caller's algorithm in place of the algorithm that it names. */
function ofAlgorithm(data: string | EncryptResult, algorithm: EncryptionAlgorithm): string | EncryptResult {
  return typeof data === 'string' ? data : { ...data, algorithm }
}

/** Begins a chain. */
export function chain(data: string | EncryptResult): CryptoChain {
  return new CryptoChain(data)
}

/**
 * Encrypts to Base64 of the result's JSON, which has the IV unless the caller chose it. The original lost the IV here.
 *
 * @throws {@link EncryptionError}.
 */
export function encryptToBase64(
  data: string,
  algorithm: EncryptionAlgorithm,
  key: string,
  options?: EncryptionOptions,
): string {
  return chain(data).encrypt(algorithm, key, options).base64().execute()
}

/**
 * Decrypts a result of {@link encryptToBase64}. It also decrypts the original's, if the caller has the IV. Without the IV,
 * `legacy.salvage` reads all but the first 16 bytes.
 *
 * @throws {@link DecryptionError}; {@link EncodingError}.
 */
export function decryptFromBase64(
  data: string,
  algorithm: EncryptionAlgorithm,
  key: string,
  options?: EncryptionOptions,
): string {
  return chain(data).fromBase64().decrypt(algorithm, key, options).execute()
}

/** As {@link encryptToBase64}, for a value of JSON. */
export function encryptJSON<T>(
  value: T,
  algorithm: EncryptionAlgorithm,
  key: string,
  options?: EncryptionOptions,
): string {
  return encryptToBase64(jsonOf(value), algorithm, key, options)
}

/** As {@link decryptFromBase64}, for a result of {@link encryptJSON}. */
export function decryptJSON<T>(
  data: string,
  algorithm: EncryptionAlgorithm,
  key: string,
  options?: EncryptionOptions,
): T {
  return JSON.parse(decryptFromBase64(data, algorithm, key, options))
}

/**
 * Repeated SHA-256 of a password without a salt, to check hashes that are already stored. Equal passwords have equal hashes, so that one
 * precomputed list breaks all of them. Use `hashPassword` of `sealstone/password` for new ones.
 */
export function hashPassword(password: string, iterations = 10_000): string {
  let text = password
  for (let i = wholeNumber(iterations, 'iterations', 1, 10_000_000); i > 0; i--) text = hashHex('sha256', text)
  return text
}
