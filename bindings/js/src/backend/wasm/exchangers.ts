// Key pairs that agree on keys, or encapsulate them.

import type { ExchangePromises } from '../calls.js'
import { Held, type Of, type Source } from './held.js'
import { normalized } from './passphrases.js'
import { EXCHANGE } from './signatures.js'
import type { Jobs } from './work.js'

export type Exchangers = Of<typeof EXCHANGE> & { promises(jobs: Jobs): ExchangePromises }

export function exchangersOf(source: Source): Exchangers {
  const functions = new Held(source, EXCHANGE).functions() as unknown as {
    -readonly [Name in keyof Exchangers]: Exchangers[Name]
  }
  const { exchangePrivateParse, exchangePrivateExport } = functions
  functions.exchangePrivateParse = (file, passphrase) =>
    normalized(passphrase, (text) => exchangePrivateParse(file, text))
  functions.exchangePrivateExport = (key, form, passphrase) =>
    normalized(passphrase, (text) => exchangePrivateExport(key, form, text))
  functions.promises = (work) => ({
    exchangePrivateParseLater: (file, passphrase) =>
      work.onCopies(file, passphrase, (file, passphrase) => functions.exchangePrivateParse(file, passphrase)),
  })
  return functions
}
