// Key pairs that agree on keys, or encapsulate them. A build that does not have them has `absent.ts` in place of this file.

import type { ExchangePromises } from '../exchange.js'
import type { Jobs } from './bulk.js'
import { Held, type Source } from './held.js'
import type { Of } from './index.js'
import * as host from './intrinsics.js'
import { normalized } from './passphrases.js'
import { EXCHANGE } from './signatures.js'

export type Exchangers = Of<typeof EXCHANGE> & { promises(jobs: Jobs): ExchangePromises }

export function exchangersOf(source: Source): Exchangers {
  const functions = new Held(source, EXCHANGE).functions() as unknown as {
    -readonly [Name in keyof Exchangers]: Exchangers[Name]
  }
  const { exchangePrivateParse, exchangePrivateExport } = functions
  const encapsulate = functions.exchangeEncapsulate as unknown as (key: number) => Uint8Array
  functions.exchangePrivateParse = (file, passphrase) =>
    normalized(passphrase, (text) => exchangePrivateParse(file, text))
  functions.exchangePrivateExport = (key, form, passphrase) =>
    normalized(passphrase, (text) => exchangePrivateExport(key, form, text))
  functions.exchangeEncapsulate = (key, ciphertext, secret) => {
    const both = encapsulate(key)
    const [secretLen, length] = [functions.exchangeSecretLen(), host.arrayLength(both)]
    host.copyInto(secret, host.partOf(both, 0, secretLen))
    host.copyInto(ciphertext, host.partOf(both, secretLen, length - secretLen))
    host.fill(both, 0)
  }
  functions.promises = ({ onCopies }) => ({
    exchangePrivateParseLater: (file, passphrase) =>
      onCopies(file, passphrase, (file, passphrase) => functions.exchangePrivateParse(file, passphrase)),
  })
  return functions
}
