import {
  type Bytes,
  type ExportOptions,
  exportIdentity,
  exportRecipient,
  generateIdentity,
  type Identity,
  type ImportOptions,
  importIdentity,
  importRecipient,
  type KeyForm,
  type KeyLike,
  type Kind,
  type Recipient,
  recipientOf,
} from 'sealstone'
import { type ComputedRef, computed, type ShallowRef, shallowRef } from 'vue'
import { Task, type TaskState } from './task.js'

/** The result of {@link useKeys}. On failure, its promises resolve to `undefined`, and `error` says why. */
export interface UseKeys extends Omit<TaskState<never>, 'data' | 'progress' | 'reset'> {
  /** The last secret key that was made or read. */
  readonly identity: Readonly<ShallowRef<Identity | undefined>>
  /** The public key of `identity`, or the last public key that was read. */
  readonly recipient: Readonly<ShallowRef<Recipient | undefined>>
  /** The public key as text, for people who encrypt to it. */
  readonly publicKey: ComputedRef<string | undefined>
  /** To compare public keys by eye or over the phone. */
  readonly fingerprint: ComputedRef<string | undefined>
  /** A new identity, `hybrid` if no kind is named. */
  generate(kind?: Exclude<Kind, 'passphrase' | 'plugin'>): Promise<Identity | undefined>
  /** As `importIdentity` of `sealstone`. */
  importIdentity(key: KeyLike, options?: ImportOptions): Promise<Identity | undefined>
  /** Reads a public key, and forgets the secret key from before. */
  importRecipient(key: KeyLike): Promise<Recipient | undefined>
  /** The secret key, as `exportIdentity` of `sealstone` gives it. */
  exportIdentity(form?: KeyForm, options?: ExportOptions): Promise<string | Bytes | undefined>
  /** The public key, as `exportRecipient` of `sealstone` gives it. */
  exportRecipient(form?: KeyForm): Promise<string | Bytes | undefined>
  /** Stops showing the keys. Other code may still have the identity: `identity.value?.destroy()` zeroes it for all. */
  forget(): void
}

/**
 * Makes, reads and writes the keys of a person. The end of the component does not destroy them, because other code may have them.
 *
 * @example
 * ```ts
 * import { useKeys } from 'sealstone/vue'
 *
 * const { exportIdentity, generate, publicKey } = useKeys()
 * await generate('x25519')
 * console.log(publicKey.value) // age1…
 * const secret = await exportIdentity()
 * console.log(secret?.slice(0, 15)) // AGE-SECRET-KEY-
 * ```
 */
export function useKeys(): UseKeys {
  const task = new Task<unknown>()
  const { error, code, isBusy, cancel } = task.state
  const identity = shallowRef<Identity>()
  const recipient = shallowRef<Recipient>()
  /** The number of the last request. Keys of earlier requests, and of requests before `forget`, are not shown. */
  let turn = 0
  const begun = (): ((read: Recipient, made?: Identity) => void) => {
    const mine = ++turn
    return (read, made) => {
      if (mine !== turn) return
      recipient.value = read
      identity.value = made
    }
  }
  return {
    error,
    code,
    isBusy,
    cancel,
    identity,
    recipient,
    publicKey: computed(() => recipient.value && String(recipient.value)),
    fingerprint: computed(() => recipient.value?.fingerprint),
    generate: (kind) =>
      task.run(async () => {
        const has = begun()
        const made = generateIdentity(kind)
        has(recipientOf(made), made)
        return made
      }),
    importIdentity: (key, options) =>
      task.run(async ({ signal }) => {
        const has = begun()
        const read = await importIdentity(key, options)
        signal.throwIfAborted()
        has(recipientOf(read), read)
        return read
      }),
    importRecipient: (key) =>
      task.run(async ({ signal }) => {
        const has = begun()
        const read = await importRecipient(key)
        signal.throwIfAborted()
        has(read)
        return read
      }),
    exportIdentity: (form = 'age', options) =>
      task.run(async () => exportIdentity(expectKey(identity.value, 'identity'), form as 'pem', options)),
    exportRecipient: (form = 'age') =>
      task.run(async () => exportRecipient(expectKey(recipient.value, 'recipient'), form as 'pem')),
    forget() {
      turn++
      task.state.reset()
      identity.value = undefined
      recipient.value = undefined
    },
  }
}

function expectKey<T>(key: T | undefined, what: string): T {
  if (key !== undefined) return key
  throw new TypeError(`there is no ${what}: generate or import one`)
}
