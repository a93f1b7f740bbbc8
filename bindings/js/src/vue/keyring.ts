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

  /** Options that say themselves what decrypts stay as they are: a passphrase must be all that does. */
  encryption(options: EncryptOptions): EncryptOptions {
    const { recipients } = this
    const isTold = options.recipients !== undefined || options.passphrase !== undefined || options.key !== undefined
    return isTold || recipients === undefined ? options : { ...options, recipients }
  }

  decryption(options: DecryptOptions): DecryptOptions {
    const { identities } = this
    const isTold = options.identities !== undefined || options.passphrase !== undefined || options.key !== undefined
    return isTold || identities === undefined ? options : { ...options, identities }
  }
}
