import type { DecryptOptions, EncryptOptions } from 'sealstone'
import { type MaybeRefOrGetter, toValue } from 'vue'
import { type Identities, provided, type Recipients } from './defaults.js'

/** The keys that a component uses if a call names none. Keys that are missing here come from the application. */
export interface KeyDefaults {
  readonly recipients?: MaybeRefOrGetter<Recipients | undefined>
  readonly identities?: MaybeRefOrGetter<Identities | undefined>
}

/** Options of calls, with the keys of a component or of its application. */
export class Keyring {
  readonly #own: KeyDefaults
  readonly #app = provided()

  constructor(own: KeyDefaults) {
    this.#own = own
  }

  get recipients(): Recipients | undefined {
    return toValue(this.#own.recipients) ?? this.#app?.recipients.value
  }

  get identities(): Identities | undefined {
    return toValue(this.#own.identities) ?? this.#app?.identities.value
  }

  encryption(options: EncryptOptions): EncryptOptions {
    const { recipients } = this
    return isTold(options, 'recipients') || recipients === undefined ? options : { ...options, recipients }
  }

  decryption(options: DecryptOptions): DecryptOptions {
    const { identities } = this
    return isTold(options, 'identities') || identities === undefined ? options : { ...options, identities }
  }
}

/**
 * Whether the options name a key or passphrase themselves: a passphrase must be the only one. If a form is empty and the passphrase is
 * `undefined`, no default key may replace it.
 */
function isTold(options: object, keys: 'recipients' | 'identities'): boolean {
  return [keys, 'passphrase', 'key'].some((name) => Object.hasOwn(options, name))
}
