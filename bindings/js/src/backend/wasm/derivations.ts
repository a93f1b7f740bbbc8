// Derivations by PBKDF2 that a promising host does: by a caller, or by a file of keys, for which the module of forms lists it when
// it has judged the costs.

import { SealstoneError } from '../../basics/error.js'
import type { Out } from '../calls.js'
import type { Given } from './given.js'
import * as host from './intrinsics.js'
import { Pieces } from './pieces.js'

/** The hash functions that hosts have under PBKDF2, by the names of its costs. */
const SHA: { readonly [cost: string]: string | undefined } = {
  __proto__: null as never,
  'pbkdf2-sha1': 'SHA-1',
  'pbkdf2-sha256': 'SHA-256',
  'pbkdf2-sha384': 'SHA-384',
  'pbkdf2-sha512': 'SHA-512',
}

export interface Derivation {
  /** The hash function under HMAC, as WebCrypto calls it. */
  readonly hash: string
  readonly salt: Uint8Array
  readonly iterations: number
  /** Bytes of the key. */
  readonly length: number
}

/** Derives a key of a password; none where the host does not take that. */
export type Derive = (password: Uint8Array, derivation: Derivation) => Given<Out | undefined>

/** The keys of a list, one behind the other; none where the host does not take all of it. */
export async function derived(list: Uint8Array, password: Uint8Array, derive: Derive): Promise<Out | undefined> {
  const keys = new Pieces()
  try {
    const listLen = host.arrayLength(list)
    for (let at = 0; at < listLen; ) {
      const number = (i: number): number => host.readNumber(list, at + 4 * i)
      const length = number(1)
      const iterations = number(2)
      const saltLen = number(3)
      const salt = host.partOf(list, at + HEAD_LEN, saltLen)
      const key = await derive(password, { hash: `SHA-${number(0)}`, salt, iterations, length })
      if (key === undefined) return undefined
      if (key instanceof SealstoneError) throw key
      keys.add({ bytes: key })
      at += HEAD_LEN + saltLen
    }
    return keys.whole()
  } finally {
    keys.clear()
  }
}

/** Bytes of the numbers that stand before a salt. */
const HEAD_LEN = 16

/** A key of PBKDF2, where the host derives it; of a password that has bytes, since not every host takes one that has none. */
export async function derivedByHost(
  derive: Derive | undefined,
  { name, ...derivation }: Omit<Derivation, 'hash'> & { readonly name: string },
  password: Uint8Array,
  check: () => void,
): Promise<Out | undefined> {
  const hash = SHA[name]
  if (derive === undefined || hash === undefined) return undefined
  if (derivation.length === 0 || host.arrayLength(password) === 0) return undefined
  check()
  const key = await derive(password, { hash, ...derivation })
  if (key instanceof SealstoneError) throw key
  return key
}
