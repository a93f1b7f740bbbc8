// Keys with versions, as in @ldesign/crypto.

import { stringOf } from '../../basics/option.js'
import { branded } from '../../basics/receiver.js'
import { aes } from './aes.js'
import { decryptWithAuth, encryptWithAuth } from './authenticated.js'
import { CryptoErrorCode, KeyManagementError, messageOf, notAuthentic, refused, unsupported } from './errors.js'
import type { AESOptions, DecryptResult, EncryptionAlgorithm, EncryptResult } from './results.js'
import { stringToEncryptResult } from './serialization.js'

export interface KeyInfo {
  version: string
  key: string
  createdAt: Date
  active: boolean
  deprecated: boolean
  expiresAt?: Date | undefined
}

export interface EncryptedDataMetadata {
  keyVersion: string
  encryptedAt: Date
  algorithm: string
}

export interface ReencryptionResult {
  success: boolean
  newData?: EncryptResult | undefined
  oldKeyVersion?: string | undefined
  newKeyVersion?: string | undefined
  error?: string | undefined
}

/** Data encrypted with the key of a version: a result, or its JSON. */
export type Versioned = (EncryptResult & { keyVersion: string }) | string

/** Keys with versions: one key encrypts, and all of them decrypt. The ciphertexts are not authenticated: see `aes`. */
export class KeyRotation {
  readonly #keys = new Map<string, KeyInfo>()
  #active: string | undefined

  /** @internal */
  static readonly brand: string = /* @__PURE__ */ branded(this, 'ldesign.KeyRotation', (value) => #keys in value)

  /** @throws {@link KeyManagementError} for a version that exists already. */
  addKey(version: string, key: string, expiresAt?: Date): void {
    if (this.#keys.has(stringOf(version, 'the version'))) {
      throw new KeyManagementError(`Key version '${version}' already exists`, CryptoErrorCode.INVALID_PARAMETER)
    }
    const info = { version, key: stringOf(key, 'the key'), createdAt: new Date(), active: false, deprecated: false }
    this.#keys.set(version, { ...info, expiresAt })
  }

  /** @throws {@link KeyManagementError} for a version that does not exist. */
  setActiveKey(version: string): void {
    const next = this.#known(version)
    const before = this.getActiveKey()
    if (before !== undefined) before.active = false
    next.active = true
    this.#active = version
  }

  /** Adds a key that encrypts from now on. */
  rotateKey(newVersion: string, newKey: string, expiresAt?: Date): void {
    const before = this.getActiveKey()
    this.addKey(newVersion, newKey, expiresAt)
    if (before !== undefined) before.deprecated = true
    this.setActiveKey(newVersion)
  }

  getActiveKey(): KeyInfo | undefined {
    return this.#active === undefined ? undefined : this.#keys.get(this.#active)
  }

  getKey(version: string): KeyInfo | undefined {
    return this.#keys.get(version)
  }

  getAllKeys(): KeyInfo[] {
    return [...this.#keys.values()]
  }

  /** @throws {@link KeyManagementError} for the key that encrypts. */
  removeKey(version: string): boolean {
    if (version === this.#active) {
      throw new KeyManagementError('Cannot remove active key', CryptoErrorCode.INVALID_PARAMETER)
    }
    return this.#keys.delete(version)
  }

  /** Removes expired keys, but not the key that encrypts; returns how many. */
  cleanupExpiredKeys(): number {
    const now = new Date()
    const over = this.getAllKeys().filter(({ expiresAt, active }) => !active && expiresAt && expiresAt < now)
    for (const { version } of over) this.#keys.delete(version)
    return over.length
  }

  /** @throws {@link KeyManagementError} if no key is active, or it has expired; {@link CryptoError} for another algorithm than AES. */
  encrypt(
    data: string,
    algorithm: EncryptionAlgorithm = 'AES',
    options?: AESOptions,
  ): EncryptResult & { keyVersion: string } {
    checkAlgorithm(algorithm)
    const active = this.getActiveKey()
    if (active === undefined) throw new KeyManagementError('No active key set', CryptoErrorCode.KEY_NOT_FOUND)
    if (active.expiresAt && active.expiresAt < new Date()) {
      throw new KeyManagementError(`Key version '${active.version}' has expired`, CryptoErrorCode.KEY_EXPIRED)
    }
    return { ...aes.encrypt(data, active.key, options), keyVersion: active.version }
  }

  /**
   * Decrypts with the key of the version in the data.
   *
   * @throws {@link KeyManagementError} if the version does not exist, or the data have none.
   */
  decrypt(encryptedData: Versioned, algorithm: EncryptionAlgorithm = 'AES', options?: AESOptions): DecryptResult {
    checkAlgorithm(algorithm)
    const { result, version } = read(encryptedData)
    return aes.decrypt(result, this.#known(version).key, options)
  }

  /** Decrypts, and encrypts with the active key and a new IV; an error is in the result. */
  async reencryptData(
    encryptedData: Versioned,
    algorithm: EncryptionAlgorithm = 'AES',
    options: AESOptions = {},
  ): Promise<ReencryptionResult> {
    try {
      // The options are for the new data, but `iv` is only for the old. The other options fill in what the old result does not say.
      const { result, version } = read(encryptedData)
      const { iv: _, ...others } = options
      const { mode, keySize, ...old } = options
      const unsaid = { ...(result.mode || !mode ? {} : { mode }), ...(result.keySize || !keySize ? {} : { keySize }) }
      const decrypted = this.decrypt(encryptedData, algorithm, { ...old, ...unsaid })
      if (!decrypted.success) return { success: false, error: decrypted.error }
      const newData = this.encrypt(decrypted.data ?? '', algorithm, others)
      if (!newData.success) return { success: false, error: newData.error }
      return { success: true, newData, oldKeyVersion: version, newKeyVersion: newData.keyVersion }
    } catch (error) {
      return { success: false, error: messageOf(error) }
    }
  }

  /** As {@link reencryptData} of each. */
  async reencryptBatch(
    dataList: readonly Versioned[],
    algorithm: EncryptionAlgorithm = 'AES',
    options?: AESOptions,
  ): Promise<ReencryptionResult[]> {
    const results: ReencryptionResult[] = []
    for (const data of dataList) results.push(await this.reencryptData(data, algorithm, options))
    return results
  }

  /**
   * All keys as JSON. Without a password this text is secret, because it contains the keys. With one, it is encrypted and authenticated.
   *
   * @throws `TypeError` if you pass `undefined` as the password, since it was probably forgotten.
   */
  exportKeys(...given: [password?: string]): string {
    const [password] = given
    if (given.length > 0) stringOf(password, 'the password')
    const json = JSON.stringify({ keys: this.getAllKeys(), activeKeyVersion: this.#active })
    if (password === undefined) return json
    const sealed = encryptWithAuth(json, password, { aad: EXPORT })
    if (!sealed.success) throw refused(sealed.error ?? 'failed', 'AEAD')
    return JSON.stringify(sealed)
  }

  /**
   * Replaces all keys by those of a text of {@link exportKeys}.
   *
   * @throws {@link DecryptionError} for a wrong or missing password; {@link KeyManagementError} for a text that is no export. Then nothing
   * changes.
   */
  importKeys(json: string, password?: string): void {
    const { keys, activeKeyVersion } = JSON.parse(opened(stringOf(json, 'the keys'), password))
    if (!Array.isArray(keys)) throw new KeyManagementError('there are no keys', CryptoErrorCode.INVALID_INPUT)
    const infos = keys.map(infoOf)
    const active = infos.find(({ version }) => version === activeKeyVersion)
    if (active === undefined && (activeKeyVersion ?? undefined) !== undefined) {
      throw new KeyManagementError('the active key is not among the keys', CryptoErrorCode.INVALID_INPUT)
    }
    this.#keys.clear()
    for (const info of infos) this.#keys.set(info.version, { ...info, active: info === active })
    this.#active = active?.version
  }

  #known(version: string): KeyInfo {
    const info = this.#keys.get(version)
    if (info !== undefined) return info
    throw new KeyManagementError(`Key version '${version}' not found`, CryptoErrorCode.KEY_NOT_FOUND)
  }
}

export function createKeyRotation(): KeyRotation {
  return new KeyRotation()
}

/** The context of an export's tag. */
const EXPORT = 'keys of a KeyRotation'

/** The original encrypted with AES, whatever algorithm a program named. */
function checkAlgorithm(algorithm: string): void {
  if (stringOf(algorithm, 'the algorithm').toUpperCase() !== 'AES') {
    throw unsupported(`a rotation of keys of ${algorithm}`, 'use AES')
  }
}

function read(data: Versioned): { result: EncryptResult; version: string } {
  let parsed: Partial<EncryptResult & { keyVersion: string }> = {}
  if (typeof data === 'string') {
    try {
      parsed = { ...JSON.parse(data), ...stringToEncryptResult(data) }
    } catch {
      // Then it has no version.
    }
  } else parsed = data
  const { keyVersion } = parsed
  if (typeof keyVersion === 'string') return { result: parsed as EncryptResult, version: keyVersion }
  throw new KeyManagementError('Cannot determine key version from encrypted data', CryptoErrorCode.KEY_NOT_FOUND)
}

function opened(json: string, password: string | undefined): string {
  const isSealed = typeof JSON.parse(json)?.authTag === 'string'
  if (password === undefined) {
    if (isSealed) throw notAuthentic('AEAD')
    return json
  }
  const { verified, data } = decryptWithAuth(json, password, { aad: EXPORT })
  if (!verified) throw notAuthentic('AEAD')
  return data
}

function infoOf(info: KeyInfo): KeyInfo {
  const { version, key, createdAt, active, deprecated, expiresAt } = info
  return {
    version: stringOf(version, 'the version'),
    key: stringOf(key, 'the key'),
    createdAt: new Date(createdAt),
    active: active === true,
    deprecated: deprecated === true,
    expiresAt: expiresAt ? new Date(expiresAt) : undefined,
  }
}
