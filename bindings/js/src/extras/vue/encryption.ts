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

/** Options of a message to seal. */
export interface SealOptions extends MessageOptions {
  /** One public key. By default, the only recipient of the component or its application. */
  readonly recipient?: Recipient | string
}

/** Options of a message to open. */
export interface OpenOptions extends MessageOptions {
  /** By default, the only identity of the component or its application. */
  readonly identity?: Identity | string
}

/** The result of {@link useEncryption}. On failure, its promises resolve to `undefined`, and `error` says why. */
export interface UseEncryption extends TaskState<Bytes | string> {
  /** As `encrypt` of `sealstone`. */
  encrypt(data: BytesLike, options?: EncryptOptions): Promise<Bytes | undefined>
  /** As `decrypt` of `sealstone`. */
  decrypt(file: BytesLike, options?: DecryptOptions): Promise<Bytes | undefined>
  /** As {@link decrypt}, for a text; a plaintext that is not UTF-8 is an error. */
  decryptText(file: BytesLike, options?: DecryptOptions): Promise<string | undefined>
  /** As `sealMessage` of `sealstone`, as text. */
  sealMessage(plaintext: BytesLike, options?: SealOptions): Promise<string | undefined>
  /** As `openMessage` of `sealstone`. */
  openMessage(message: BytesLike, options?: OpenOptions): Promise<Bytes | undefined>
}

/**
 * Encrypts and decrypts files and messages in memory, and shows the progress. Running work ends with the component.
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
