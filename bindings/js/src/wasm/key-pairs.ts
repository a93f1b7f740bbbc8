// The module of key pairs: what signs, what agrees and encapsulates, and RSA that encrypts. A build that does not have it has `absent.ts` in
// place of this file.

import type { ExchangePromises } from '../platform/exchange.js'
import type { RsaPromises } from '../platform/rsa.js'
import type { SignPromises } from '../platform/sign.js'
import type { Handle } from '../platform/sync.js'
import type { Jobs } from './bulk.js'
import { type Exchangers, exchangersOf } from './exchangers.js'
import type { Source } from './held.js'
import type { HostRsa } from './host-rsa.js'
import { type Rsa, rsaOf } from './rsa.js'
import { type Signers, signersOf } from './signers.js'

export type KeyPairs = Omit<Signers & Exchangers & Rsa, 'signPromises' | 'exchangePromises' | 'rsaPromises'> & {
  /** What is promised of them. */
  pairPromises(jobs: Jobs): SignPromises & ExchangePromises & RsaPromises
}

/** The functions of the three, each over an instance of its own. A host may have RSA. */
export function keyPairsOf(source: Source, host: HostRsa | undefined): KeyPairs {
  const { signPromises, ...signers } = signersOf(source, host)
  const { exchangePromises, ...exchangers } = exchangersOf(source)
  const { rsaPromises, ...rsa } = rsaOf(source, host)
  const holder = (handle: Handle): Signers | Exchangers | Rsa =>
    (signers.holds(handle) ? signers : exchangers.holds(handle) ? exchangers : rsa) as Signers | Exchangers | Rsa
  return {
    ...signers,
    ...exchangers,
    ...rsa,
    release(handle) {
      signers.release(handle)
      exchangers.release(handle)
      rsa.release(handle)
    },
    own(handle, owner) {
      signers.own(handle, owner)
      exchangers.own(handle, owner)
      rsa.own(handle, owner)
    },
    again: (handle) => holder(handle).again(handle),
    holds: (handle) => signers.holds(handle) || exchangers.holds(handle) || rsa.holds(handle),
    pairPromises: (jobs) => ({ ...signPromises(jobs), ...exchangePromises(jobs), ...rsaPromises(jobs) }),
  }
}
