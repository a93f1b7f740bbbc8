// Values in a browser's storage, as in @ldesign/crypto. The original stored them without their IV, so that nobody could read them. Here
// AES-256-GCM seals each value, bound to its name and its time.

import { aead } from '../../api/aead.js'
import { hkdf } from '../../api/kdf.js'
import { type Bytes, zero } from '../../basics/bytes.js'
import { stringOf } from '../../basics/option.js'
import { branded } from '../../basics/receiver.js'
import { jsonOf } from './authenticated.js'
import { CryptoErrorCode, messageOf, notAuthentic, StorageError, ValidationError } from './errors.js'
import { legacy } from './legacy.js'
import type { DecryptResult } from './results.js'
import { withKey } from './secrets.js'

export interface SecureStorageOptions {
  /** The key of the values: 64 hexadecimal digits, or a text. */
  key: string
  /** The beginning of all names: `secure_` by default. */
  prefix?: string
  /** Whether to use `sessionStorage`, which loses its values when the page is closed. */
  useSessionStorage?: boolean
  /** Milliseconds after which a value expires; 0, the default, means never. */
  ttl?: number
}

/** The metadata of a stored value. */
export interface StorageMetadata {
  timestamp: number
  expiresAt: number
  type: string
  isExpired: boolean
}

interface Item {
  readonly data: string
  readonly timestamp: number
  readonly expiresAt: number
  readonly type: string
  /** Missing in values of the original, whose IV is lost. */
  readonly sealed?: 'aes-256-gcm'
}

/**
 * Values in `localStorage` or `sessionStorage`. Other scripts of the page can read them: they can get the key as this object does.
 *
 * @throws {@link StorageError} if there is no such storage.
 */
export class SecureStorage {
  #key: string
  readonly #prefix: string
  readonly #storage: Storage
  readonly #ttl: number

  /** @internal */
  static readonly brand: string = /* @__PURE__ */ branded(this, 'ldesign.SecureStorage', (value) => #key in value)

  constructor({ key, prefix = 'secure_', useSessionStorage = false, ttl = 0 }: SecureStorageOptions) {
    this.#key = checkedKey(key)
    this.#prefix = stringOf(prefix, 'prefix')
    this.#ttl = checkedTtl(ttl)
    this.#storage = storageOf(useSessionStorage)
  }

  /** Stores a value of JSON. On failure it returns false, and writes a message to the console. */
  set<T>(key: string, value: T, ttl?: number): boolean {
    return this.#tried('set', false, () => {
      const timestamp = Date.now()
      const lasts = checkedTtl(ttl) || this.#ttl
      this.#write(this.#key, key, jsonOf(value), {
        timestamp,
        expiresAt: lasts > 0 ? timestamp + lasts : 0,
        type: typeof value,
      })
      return true
    })
  }

  /**
   * Returns a value, or the default value if there is none or it has expired. If it cannot read the value, it also returns the default, and
   * writes a message to the console. Causes are another key, a changed value, or a value of the original ({@link salvage}).
   */
  get<T>(key: string, defaultValue?: T): T | undefined {
    return this.#tried('get', defaultValue, () => {
      const item = this.#item(key)
      if (item === undefined) return defaultValue
      if (isOver(item)) {
        this.remove(key)
        return defaultValue
      }
      return JSON.parse(this.#read(key, item)) as T
    })
  }

  /** Reads a value that the original wrote, without its first 16 bytes. */
  salvage(key: string): DecryptResult {
    return legacy.salvage(this.#item(key)?.data ?? '', this.#key)
  }

  remove(key: string): boolean {
    return this.#tried('remove', false, () => {
      this.#storage.removeItem(this.#prefix + key)
      return true
    })
  }

  /** Removes all values of this prefix. */
  clear(): boolean {
    return this.keys().every((key) => this.remove(key))
  }

  has(key: string): boolean {
    return this.#storage.getItem(this.#prefix + key) !== null
  }

  keys(): string[] {
    const names = Array.from({ length: this.#storage.length }, (_, i) => this.#storage.key(i) ?? '')
    return names.filter((name) => name.startsWith(this.#prefix)).map((name) => name.slice(this.#prefix.length))
  }

  size(): number {
    return this.keys().length
  }

  /** Removes expired values; returns how many. */
  cleanup(): number {
    return this.keys().filter((key) => this.getMetadata(key)?.isExpired && this.remove(key)).length
  }

  /** The metadata of a value, which are stored in clear. */
  getMetadata(key: string): StorageMetadata | undefined {
    try {
      const item = this.#item(key)
      if (item === undefined) return undefined
      const { timestamp, expiresAt, type } = item
      return { timestamp, expiresAt, type, isExpired: isOver(item) }
    } catch {
      return undefined
    }
  }

  /**
   * Encrypts all values with another key. If it cannot read or write one of them, it restores the old values and returns false. If the
   * storage does not take the old values, either, a message on the console names the values that have the new key.
   */
  updateKey(newKey: string): boolean {
    return this.#tried('updateKey', false, () => {
      const key = checkedKey(newKey)
      const before: [name: string, text: string][] = []
      try {
        // It reads all values before it writes one.
        const values = this.#items().map(([name, item]) => [name, item, this.#read(name, item)] as const)
        for (const [name, item, value] of values) {
          before.push([name, this.#storage.getItem(this.#prefix + name) ?? ''])
          this.#write(key, name, value, item)
        }
      } catch (error) {
        const lost = before.filter(([name, text]) => !this.#tried('updateKey', false, () => this.#put(name, text)))
        if (lost.length === 0) throw error
        const names = lost.map(([name]) => name).join(', ')
        throw new StorageError(`${messageOf(error)}; and these values now have the new key: ${names}`)
      }
      this.#key = key
      return true
    })
  }

  #put(name: string, text: string): true {
    this.#storage.setItem(this.#prefix + name, text)
    return true
  }

  #items(): [name: string, item: Item][] {
    return this.keys().map((name) => [name, this.#item(name) as Item])
  }

  #item(key: string): Item | undefined {
    const text = this.#storage.getItem(this.#prefix + key)
    return text === null ? undefined : JSON.parse(text)
  }

  #write(secret: string, key: string, value: string, { timestamp, expiresAt, type }: Omit<Item, 'data'>): void {
    const item = { timestamp, expiresAt, type }
    const data = sealing(secret, (seal) => seal.sealRandomText(this.#context(key, item), value))
    this.#put(key, JSON.stringify({ data, ...item, sealed: 'aes-256-gcm' } satisfies Item))
  }

  #read(key: string, item: Item): string {
    if (item.sealed === undefined) {
      throw new StorageError(
        'the value has no IV: @ldesign/crypto wrote it, and salvage reads all but its first 16 bytes',
      )
    }
    try {
      return sealing(this.#key, (seal) => seal.openRandomText(this.#context(key, item), item.data))
    } catch {
      throw notAuthentic('AES-GCM')
    }
  }

  /** The context that a value is bound to: its name, its time and its type. */
  #context(key: string, { timestamp, expiresAt, type }: Omit<Item, 'data'>): string {
    return JSON.stringify([this.#prefix + key, timestamp, expiresAt, type])
  }

  #tried<T>(what: string, otherwise: T, work: () => T): T {
    try {
      return work()
    } catch (error) {
      console.error(`SecureStorage.${what}: ${messageOf(error)}`)
      return otherwise
    }
  }
}

export function createSecureStorage(options: SecureStorageOptions): SecureStorage {
  return new SecureStorage(options)
}

function checkedKey(key: string): string {
  if (stringOf(key, 'the key').trim() !== '') return key
  throw new ValidationError('the key cannot be empty', 'key')
}

function checkedTtl(ttl = 0): number {
  if (Number.isFinite(ttl) && ttl >= 0) return ttl
  throw new ValidationError('ttl must be a number of milliseconds from 0', 'ttl')
}

function isOver({ expiresAt }: Item): boolean {
  return expiresAt > 0 && Date.now() > expiresAt
}

function storageOf(isOfSession: boolean): Storage {
  const name = isOfSession ? 'sessionStorage' : 'localStorage'
  const storage = (globalThis as { [name in typeof name]?: Storage })[name]
  if (storage) return storage
  throw new StorageError(`there is no ${name} here`, CryptoErrorCode.STORAGE_NOT_AVAILABLE)
}

type Sealing = ReturnType<typeof aead>

/** Works with a key that only this storage uses. */
function sealing<T>(secret: string, work: (key: Sealing) => T): T {
  return withKey(secret, 256, (bytes) => {
    const own: Bytes = hkdf('sha256', bytes, { info: 'sealstone/compat/ldesign SecureStorage', length: 32 })
    const key = aead('aes-256-gcm', own)
    try {
      return work(key)
    } finally {
      key.destroy()
      zero(own)
    }
  })
}
