// Values in a browser's storage, as @ldesign/crypto has them. Theirs stored them without their IV, so that nobody could read them; these
// are sealed with AES-256-GCM, each to its name and its time.

import { aead } from '../../aead.js'
import { type Bytes, zero } from '../../bytes.js'
import { hkdf } from '../../kdf.js'
import { stringOf } from '../../option.js'
import { branded } from '../../receiver.js'
import { jsonOf } from './authenticated.js'
import { CryptoErrorCode, messageOf, notAuthentic, StorageError, ValidationError } from './errors.js'
import { legacy } from './legacy.js'
import type { DecryptResult } from './results.js'
import { withKey } from './secrets.js'

export interface SecureStorageOptions {
  /** What the values are encrypted with: 64 hexadecimal digits, or a text. */
  key: string
  /** What the names begin with: `secure_` by default. */
  prefix?: string
  /** Whether values go when the page does. */
  useSessionStorage?: boolean
  /** Milliseconds that a value is there; 0, the default, is for ever. */
  ttl?: number
}

/** What the storage knows of a value. */
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
  /** Not in theirs, whose IV is lost. */
  readonly sealed?: 'aes-256-gcm'
}

/**
 * Values in `localStorage` or `sessionStorage`, which other scripts of the page can take all the same: they have the key where this has it.
 *
 * @throws {@link StorageError} where there is no such storage.
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

  /** Stores a value of JSON; false, with a message on the console, where that failed. */
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
   * A value; the default one where there is none, where it is too old, and, with a message on the console, where it cannot be read: by
   * another key, after a change, or since theirs wrote it ({@link salvage}).
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

  /** What can be read of a value that theirs wrote: all but its first 16 bytes. */
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

  /** Removes what is too old; says how many. */
  cleanup(): number {
    return this.keys().filter((key) => this.getMetadata(key)?.isExpired && this.remove(key)).length
  }

  /** What stands beside a value in clear. */
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
   * Encrypts all values with another key. Where one of them cannot be read, or written, nothing has changed, and this is false.
   * Where the storage takes not even the old values any more, the message on the console has the names of those that have the new key.
   */
  updateKey(newKey: string): boolean {
    return this.#tried('updateKey', false, () => {
      const key = checkedKey(newKey)
      const before: [name: string, text: string][] = []
      try {
        // All are read before any is written.
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

  /** What a value is bound to: its name, its time and its type. */
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

/** Works with the key of this use alone. */
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
