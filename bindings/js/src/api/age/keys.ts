// Keys of age as text, and X25519 keys of WebCrypto.

import type { Handle, Out } from '../../backend/calls.js'
import type { webcrypto } from '../../backend/index.js'
import { utf8, zero } from '../../basics/bytes.js'
import { ArgumentError, SealstoneError } from '../../basics/error.js'
import { stringOf } from '../../basics/option.js'
import { call } from '../../work/age-calls.js'
import { using } from '../../work/handle.js'
import { type CryptoKeyLike, isCryptoKey, webCrypto } from '../../work/key-like.js'
import { type Identity, packed, type Stanza } from './stanza.js'

/**
 * A fresh identity: of X25519 today, and maybe of another kind in a later version. {@link generateX25519Identity} and
 * {@link generateHybridIdentity} say which.
 *
 * @example
 * ```ts
 * import { generateIdentity } from 'sealstone/age'
 *
 * const identity = await generateIdentity()
 * console.log(identity.startsWith('AGE-SECRET-KEY-1')) // true
 * ```
 */
export function generateIdentity(): Promise<string> {
  return generateX25519Identity()
}

/**
 * A fresh identity of X25519, as text: `AGE-SECRET-KEY-1…`.
 *
 * @example
 * ```ts
 * import { generateX25519Identity } from 'sealstone/age'
 *
 * const identity = await generateX25519Identity()
 * console.log(identity.startsWith('AGE-SECRET-KEY-1')) // true
 * ```
 */
export async function generateX25519Identity(): Promise<string> {
  return call((sync) => sync.ageIdentityGenerate('x25519'))
}

/**
 * A fresh identity that withstands quantum computers, as text: `AGE-SECRET-KEY-PQ-1…`.
 *
 * @example
 * ```ts
 * import { generateHybridIdentity } from 'sealstone/age'
 *
 * const identity = await generateHybridIdentity()
 * console.log(identity.startsWith('AGE-SECRET-KEY-PQ-1')) // true
 * ```
 */
export async function generateHybridIdentity(): Promise<string> {
  return call((sync) => sync.ageIdentityGenerate('hybrid'))
}

/**
 * The recipient of an identity, for others to encrypt to: `age1…`, or a line of `authorized_keys` for an SSH private key.
 *
 * @throws {@link SealstoneError} `invalid_identity`, `unsupported_key`.
 *
 * @example
 * ```ts
 * import { generateHybridIdentity, identityToRecipient } from 'sealstone/age'
 *
 * const recipient = await identityToRecipient(await generateHybridIdentity())
 * console.log(recipient.startsWith('age1pq1')) // true
 * ```
 */
export async function identityToRecipient(identity: string | CryptoKeyLike): Promise<string> {
  if (isCryptoKey(identity)) {
    const point = await publicKeyOf(identity)
    return call((sync) => sync.ageRecipientOfPoint(point))
  }
  return using(identityOf(identity, undefined), (handle) => call((sync) => sync.ageIdentityRecipient(handle)))
}

/** An identity by its text. */
export function identityOf(text: unknown, passphrase: unknown): Handle {
  const bytes = utf8(stringOf(text, 'the identity').trim(), 'the identity')
  const secret = passphrase === undefined ? undefined : utf8(stringOf(passphrase, 'the passphrase'), 'the passphrase')
  try {
    return call((sync) => sync.ageIdentity(bytes, secret))
  } finally {
    zero(bytes)
    if (secret !== undefined) zero(secret)
  }
}

export function identityOfPassphrase(passphrase: string): Handle {
  return ofPassphrase(passphrase, (text) => call((sync) => sync.ageIdentityOfPassphrase(text)))
}

export function recipientOfPassphrase(passphrase: string, logN: number): Handle {
  return ofPassphrase(passphrase, (text) => call((sync) => sync.ageRecipientOfPassphrase(text, logN)))
}

function ofPassphrase(passphrase: string, work: (text: Out) => Handle): Handle {
  const text = utf8(passphrase, 'the passphrase')
  try {
    return work(text)
  } finally {
    zero(text)
  }
}

/** A private key of WebCrypto, which need not be extractable. */
export class CryptoKeyIdentity implements Identity {
  readonly #key: CryptoKeyLike
  #publicKey: Promise<Out> | undefined

  constructor(key: CryptoKeyLike) {
    check(key)
    this.#key = key
  }

  async unwrapFileKey(stanzas: Stanza[]): Promise<Out | null> {
    for (const stanza of stanzas) {
      if (stanza.args[0] !== 'X25519') continue
      const bytes = packed([stanza])
      const share = call((sync) => sync.ageX25519Share(bytes))
      this.#publicKey ??= publicKeyOf(this.#key)
      const publicKey = await this.#publicKey
      const secret = await shared(this.#key, share)
      const fileKey = call((sync) => sync.ageX25519FileKey(bytes, publicKey, secret))
      zero(secret)
      if (fileKey.length > 0) return fileKey
    }
    return null
  }
}

/** The base point, of which a multiple is a public key (RFC 7748 section 6.1). */
const BASE_POINT = /* @__PURE__ */ Uint8Array.of(9, ...new Uint8Array(31))

async function publicKeyOf(key: CryptoKeyLike): Promise<Out> {
  check(key)
  return shared(key, BASE_POINT)
}

async function shared(key: CryptoKeyLike, point: Out): Promise<Out> {
  const { subtle } = webCrypto()
  const other = await subtle.importKey('raw', point, { name: 'X25519' }, false, [])
  const algorithm = { name: 'X25519', public: other }
  return subtle.deriveBits(algorithm, key as webcrypto.CryptoKey, 256).then(
    (bits) => new Uint8Array(bits),
    // All of its failures but that of a point of low order are found before.
    (cause) => {
      throw new SealstoneError('malformed_header', "a stanza's share has low order (age)", { cause })
    },
  )
}

function check({ type, algorithm, usages }: CryptoKeyLike): void {
  if (type === 'private' && algorithm.name === 'X25519' && usages.includes('deriveBits')) return
  throw new ArgumentError('the CryptoKey must be a private key of X25519 that may derive bits')
}
