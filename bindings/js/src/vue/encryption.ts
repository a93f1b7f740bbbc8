import {
  type Bytes,
  type BytesLike,
  type DecryptOptions,
  decrypt,
  type EncryptOptions,
  encrypt,
  type Identity,
  importIdentity,
  importRecipient,
  type MessageOptions,
  openMessage,
  type Recipient,
  sealMessage,
} from 'sealstone'
import { type KeyDefaults, Keyring } from './keyring.js'
import { Task, type TaskState } from './task.js'

/** Of a message: whom it is for. */
export interface SealOptions extends MessageOptions {
  /** One public key; by default, the only one of the recipients that a component or its application has. */
  readonly recipient?: Recipient | string
}

/** Of a message: who reads it. */
export interface OpenOptions extends MessageOptions {
  /** Unless said, the only identity that a component or its application has. */
  readonly identity?: Identity | string
}

/** What {@link useEncryption} gives. All that it promises is `undefined` where `error` says why. */
export interface UseEncryption extends TaskState<Bytes | string> {
  /** As `encrypt` of `sealstone`. */
  encrypt(data: BytesLike, options?: EncryptOptions): Promise<Bytes | undefined>
  /** As `decrypt` of `sealstone`. */
  decrypt(file: BytesLike, options?: DecryptOptions): Promise<Bytes | undefined>
  /** As {@link decrypt}, of a text; what is no UTF-8 is an error. */
  decryptText(file: BytesLike, options?: DecryptOptions): Promise<string | undefined>
  /** As `sealMessage` of `sealstone`, as text. */
  sealMessage(plaintext: BytesLike, options?: SealOptions): Promise<string | undefined>
  /** As `openMessage` of `sealstone`. */
  openMessage(message: BytesLike, options?: OpenOptions): Promise<Bytes | undefined>
}

/**
 * Encrypts and decrypts what is in memory, files and messages, and shows how that goes. What runs ends with the component.
 *
 * @example
 * ```ts
 * import { generateIdentity, recipientOf } from 'sealstone'
 * import { useEncryption } from 'sealstone/vue'
 *
 * const identity = generateIdentity()
 * const { decryptText, encrypt, code } = useEncryption({ recipients: recipientOf(identity), identities: identity })
 * const file = await encrypt('attack at dawn')
 * console.log(await decryptText(file ?? '')) // attack at dawn
 * console.log(await decryptText('no file'), code.value) // undefined not_sealstone
 * ```
 */
export function useEncryption(defaults: KeyDefaults = {}): UseEncryption {
  const task = new Task<Bytes | string>()
  const keys = new Keyring(defaults)
  return {
    ...task.state,
    encrypt: (data, options = {}) => task.run((run) => encrypt(data, { ...keys.encryption(options), ...run })),
    decrypt: (file, options = {}) => task.run((run) => decrypt(file, { ...keys.decryption(options), ...run })),
    decryptText: (file, options = {}) =>
      task.run(async (run) => {
        const plaintext = await decrypt(file, { ...keys.decryption(options), ...run })
        return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(plaintext)
      }),
    sealMessage: (plaintext, given = {}) =>
      task.run(async (run) => {
        const { recipient, ...options } = given
        const key = recipient ?? only(keys.recipients, 'recipient')
        const to = typeof key === 'string' ? await importRecipient(key) : key
        return sealMessage(to, plaintext, { ...options, ...run, armour: true })
      }),
    openMessage: (message, given = {}) =>
      task.run(async (run) => {
        const { identity, ...options } = given
        const key = identity ?? only(keys.identities, 'identity')
        const by = typeof key === 'string' ? await importIdentity(key) : key
        return openMessage(by, message, { ...options, ...run })
      }),
  }
}

/** A message has one reader. */
function only<T>(keys: T | readonly T[] | undefined, what: string): T {
  const all = Array.isArray(keys) ? (keys as readonly T[]) : keys === undefined ? [] : [keys as T]
  if (all.length === 1) return all[0] as T
  throw new TypeError(`a message has one ${what}, and there are ${all.length}: name one in the options`)
}
