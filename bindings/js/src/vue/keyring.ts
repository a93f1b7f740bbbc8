import type { DecryptOptions, EncryptOptions } from 'sealstone'
import { type MaybeRefOrGetter, toValue } from 'vue'
import { type Identities, provided, type Recipients } from './defaults.js'

/** What a component encrypts to and decrypts with where a call says nothing else; where this says nothing, what its application has. */
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
 * Whether options say themselves what decrypts: a passphrase must be all that does. One that is `undefined`, since a form is empty, is not
 * replaced by other keys.
 */
function isTold(options: object, keys: 'recipients' | 'identities'): boolean {
  return [keys, 'passphrase', 'key'].some((name) => Object.hasOwn(options, name))
}
