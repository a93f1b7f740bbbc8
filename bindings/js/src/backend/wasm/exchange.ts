// Key pairs that agree on keys, or encapsulate them.

import type { ExchangeCalls, ExchangePromises, Handle, Later, Out } from '../calls.js'
import type { Parts } from './hosting.js'
import { familyOf } from './module.js'
import { normalized } from './passphrases.js'
import { EXCHANGE } from './signatures.js'
import type { Work } from './work.js'

export class Exchange extends familyOf<ExchangeCalls>(EXCHANGE) implements ExchangePromises {
  readonly #work: Work

  constructor({ sourceOf, work }: Parts) {
    super(sourceOf('exchange'))
    this.#work = work
  }

  override exchangePrivateParse(file: Uint8Array, passphrase: Uint8Array | undefined): Handle {
    return normalized(passphrase, (text) => super.exchangePrivateParse(file, text))
  }

  override exchangePrivateExport(key: Handle, form: string, passphrase: Uint8Array | undefined): string | Out {
    return normalized(passphrase, (text) => super.exchangePrivateExport(key, form, text))
  }

  exchangePrivateParseLater(file: Uint8Array, passphrase: Uint8Array | undefined): Later<Handle> {
    return this.#work.onCopies(file, passphrase, (file, passphrase) => this.exchangePrivateParse(file, passphrase))
  }
}
