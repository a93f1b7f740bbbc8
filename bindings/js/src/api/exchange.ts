/**
 * Secrets that two sides share, for protocols that go on by themselves: key agreement (X25519 and ECDH), and key encapsulation (ML-KEM, and
 * `hybrid`, which is ML-KEM-768 and X25519 together). To encrypt files, data and messages to a public key use `sealstone`.
 *
 * The shared secret does not show who the other side is: bind the public keys of both sides into `info`, and sign them, or take them from
 * where nobody can change them. ML-KEM and `hybrid` withstand quantum computers as well; the curves do not.
 *
 * @module sealstone/exchange
 */

import type { Handle } from '../backend/calls.js'
import { type BinaryLike, type Bytes, type BytesLike, binaryOf, bytesOf } from '../basics/bytes.js'
import { ArgumentError } from '../basics/error.js'
import { readOptions, stringOf, stringOption, wholeNumber } from '../basics/option.js'
import { output } from '../basics/output.js'
import { branded } from '../basics/receiver.js'
import type { ExchangeKind, HmacHash } from '../basics/table.js'
import { call, callLater } from '../work/exchange-calls.js'
import { type Held, heldOf, isHeld } from '../work/handle.js'
import { type CryptoKeyLike, type KeyLike, withKey, withKeySync } from '../work/key-like.js'
import {
  handleOf,
  heldFor,
  kindOf,
  PrivateHalf,
  PublicHalf,
  passphraseOf,
  privateOptions,
  rawOf,
} from '../work/pair.js'

export type { BinaryLike, Bytes, BytesLike } from '../basics/bytes.js'
export { SealstoneError } from '../basics/error.js'
export type { ExchangeKind, HmacHash } from '../basics/table.js'
export type { CryptoKeyLike, Jwk, KeyLike, KeyObjectLike } from '../work/key-like.js'

/** How a key is derived from the shared secret of two keys. */
export interface AgreementOptions {
  /** The hash of the KDF. */
  readonly hash: HmacHash
  /** The purpose of the key, and the names of the two sides: another text gives another key. */
  readonly info: BytesLike
  /** Bytes of the key. */
  readonly length: number
  /** For HKDF: randomness or another secret that both sides have; none by default. */
  readonly salt?: BytesLike
  /** `hkdf` (RFC 5869), or `concat`, the one-step KDF of SP 800-56C, as in JOSE's ECDH-ES; `hkdf` by default. */
  readonly kdf?: 'hkdf' | 'concat'
}

/** A fresh secret, and the ciphertext to send, from which the other side gets the same secret. */
export interface Encapsulated {
  /** 32 bytes, that nobody else has. */
  readonly secret: Bytes
  readonly ciphertext: Bytes
}

/** The forms of a key: `der` is PKCS#8 or SubjectPublicKeyInfo, and `raw` the bytes of the key alone. */
export type ExchangeKeyForm = 'pem' | 'der' | 'jwk' | 'raw'

/** Those of the forms that are bytes. */
type Binary = 'der' | 'raw'

/**
 * A private key. It is opaque: nothing prints it, and only {@link exportPrivateKey} returns it. It is zeroed by `destroy`, or after it is
 * collected.
 *
 * @example
 * ```ts
 * import { generateKey, type PrivateKey } from 'sealstone/exchange'
 *
 * const [alice, bob]: PrivateKey[] = [generateKey('x25519'), generateKey('x25519')]
 * const agreed = { hash: 'sha256', info: 'example.com v1, session key', length: 32 } as const
 * const key = alice.diffieHellman(bob.publicKey, agreed)
 * console.log(Buffer.compare(key, bob.diffieHellman(alice.publicKey, agreed))) // 0
 * ```
 */
export class PrivateKey extends PrivateHalf<PublicKey> {
  /** The kind of this key. */
  readonly kind: ExchangeKind

  /** @internal */
  static readonly brand: string = /* @__PURE__ */ branded(
    this,
    'exchange.PrivateKey',
    (value) => value instanceof PrivateKey && isHeld(value),
  )

  /** @internal */
  constructor(held: Held) {
    super(held)
    this.kind = call((sync) => sync.exchangePrivateKind(held.handle)) as ExchangeKind
  }

  /**
   * Derives a key from the shared secret of this key and the other side's public key.
   *
   * @throws {@link SealstoneError} `invalid_key` where the public key is of another kind or has low order, and for kinds that
   * encapsulate; `unknown_algorithm` for a hash without an HMAC; `too_long` for more than 255 digests of HKDF; `invalid_option` for a salt
   * of `concat`.
   */
  diffieHellman(publicKey: PublicKey, options: AgreementOptions): Bytes {
    const { kdf = 'hkdf', hash, salt = '', info, length } = readOptions<AgreementOptions>(options, AGREEMENT)
    const [name, of] = [stringOf(kdf, 'kdf'), stringOf(hash, 'hash')]
    const len = wholeNumber(length, 'length', 0, 2 ** 31 - 1)
    const other = handleOf(publicKey, PublicKey, 'exchange')
    const [itsSalt, about] = [bytesOf(salt, 'the salt'), bytesOf(info, 'info')]
    const { handle } = heldOf(this, 'key')
    return call((sync) => sync.exchangeAgree(handle, other, name, of, itsSalt, about, len))
  }

  /**
   * The shared secret of this key and the other side's public key, for protocols that define how a key is derived from it, such as TLS and
   * Noise. It is not a key: its bits are not uniform, and several public keys give the same secret. {@link diffieHellman} derives a key.
   *
   * @throws {@link SealstoneError} `invalid_key` as of {@link diffieHellman}.
   */
  hazmatSharedSecret(publicKey: PublicKey): Bytes {
    const other = handleOf(publicKey, PublicKey, 'exchange')
    const { handle } = heldOf(this, 'key')
    return call((sync) => sync.exchangeSharedSecret(handle, other))
  }

  /**
   * The secret of a ciphertext. A ciphertext that is damaged, or for another key, gives a secret that nobody else has: data under the right
   * secret then does not open.
   *
   * @throws {@link SealstoneError} `wrong_length`; `malformed_ciphertext` for one of `hybrid` whose point has low order; `invalid_key` for
   * kinds that agree.
   */
  decapsulate(ciphertext: BinaryLike): Bytes {
    const bytes = binaryOf(ciphertext, 'the ciphertext')
    const { handle } = heldOf(this, 'key')
    return secretOf((secret) => call((sync) => sync.exchangeDecapsulate(handle, bytes, secret)))
  }

  /** @internal */
  protected override named(): string {
    return this.kind
  }

  /** @internal */
  protected override other(handle: Handle): PublicKey {
    return publicFrom(call((sync) => sync.exchangePublicKey(handle)))
  }
}

/**
 * A public key, checked when it is read: a point is on its curve, and numbers of ML-KEM are below its modulus.
 *
 * @example
 * ```ts
 * import { generateKey, type PublicKey } from 'sealstone/exchange'
 *
 * const key = generateKey() // hybrid
 * const publicKey: PublicKey = key.publicKey
 * const { secret, ciphertext } = publicKey.encapsulate()
 * console.log(ciphertext.length, Buffer.compare(key.decapsulate(ciphertext), secret)) // 1120 0
 * ```
 */
export class PublicKey extends PublicHalf {
  /** The kind of this key. */
  readonly kind: ExchangeKind
  readonly #isPublic = true

  /** @internal */
  static readonly brand: string = /* @__PURE__ */ branded(this, 'exchange.PublicKey', (value) => #isPublic in value)

  /** @internal */
  constructor(held: Held) {
    super(held)
    this.kind = call((sync) => sync.exchangePublicKind(held.handle)) as ExchangeKind
  }

  /**
   * A fresh secret, and the ciphertext from which the private key gets the same secret. Derive a key for each purpose from it, with `hkdf`
   * of `sealstone/kdf`: this function takes no options.
   *
   * @throws {@link SealstoneError} `invalid_key` for kinds that agree.
   */
  encapsulate(): Encapsulated
  encapsulate(...options: unknown[]): Encapsulated {
    // Whoever gave what a key is for would take the secret for bound to it.
    if (options.some((option) => option !== undefined)) {
      throw new ArgumentError('encapsulate takes no options: derive a key of the secret, with hkdf of sealstone/kdf')
    }
    const { handle } = heldOf(this, 'key')
    const both = call((sync) => sync.exchangeEncapsulate(handle))
    const secret = secretOf((secret) => secret.set(both.subarray(0, secret.length)))
    const ciphertext = both.slice(secret.length)
    both.fill(0)
    return { secret, ciphertext }
  }

  /** @internal */
  protected override named(): string {
    return this.kind
  }
}

const AGREEMENT: readonly (keyof AgreementOptions)[] = ['kdf', 'hash', 'salt', 'info', 'length']

let secretLength: number | undefined

/** A secret that is encapsulated. */
function secretOf(write: (secret: Bytes) => void): Bytes {
  secretLength ??= call((sync) => sync.exchangeSecretLen())
  return output(secretLength, (secret) => {
    write(secret)
    return secret.length
  })
}

/**
 * Makes a new key from the system's randomness, `hybrid` if no kind is named.
 *
 * @example
 * ```ts
 * import { generateKey } from 'sealstone/exchange'
 *
 * console.log(generateKey().kind, generateKey('ml-kem-1024').publicKey.encapsulate().ciphertext.length) // hybrid 1568
 * ```
 */
export function generateKey(kind?: ExchangeKind): PrivateKey {
  const name = stringOption(kind, 'the kind')
  return privateFrom(call((sync) => sync.exchangeGenerate(name)))
}

/** How a private key is read. */
export interface ImportPrivateOptions {
  /** For an encrypted key. A wrong passphrase has the code `no_matching_identity`. */
  readonly passphrase?: string
  /** The kind of a key in the form `raw`, which is its bytes alone; every other form says its kind. */
  readonly kind?: ExchangeKind
}

/** How a public key is read. */
export type ImportPublicOptions = Pick<ImportPrivateOptions, 'kind'>

/**
 * Reads a private key: PKCS#8 and SEC1 as PEM and DER, plain or encrypted, a JWK, age's string of `hybrid` and `x25519`, a `KeyObject`, an
 * extractable `CryptoKey`, or with a `kind` its bytes alone. If it is encrypted, another thread computes its password hash.
 *
 * @throws {@link SealstoneError} `invalid_key` for what is damaged, and for a public key; `unsupported_key`, also for a key of ML-KEM
 * without its seed; `passphrase_required`, `no_matching_identity` for a wrong passphrase, `cost_too_high`.
 *
 * @example
 * ```ts
 * import { generateKeyPairSync } from 'node:crypto'
 * import { importPrivateKey } from 'sealstone/exchange'
 *
 * console.log((await importPrivateKey(generateKeyPairSync('x25519').privateKey)).kind) // x25519
 * ```
 */
export async function importPrivateKey(key: KeyLike, options?: ImportPrivateOptions): Promise<PrivateKey> {
  const { kind, passphrase } = privateOptions(options)
  if (kind !== undefined) return privateOf(kind, key)
  const read = (bytes: Bytes): Promise<Handle> => callLater((bulk) => bulk.exchangePrivateParseLater(bytes, passphrase))
  return privateFrom(await withKey(key, 'encrypts', read))
}

/**
 * As {@link importPrivateKey}, on this thread. It cannot read a `CryptoKey`.
 *
 * @example
 * ```ts
 * import { exportPrivateKey, generateKey, importPrivateKeySync } from 'sealstone/exchange'
 *
 * console.log(importPrivateKeySync(exportPrivateKey(generateKey('p521'))).kind) // p521
 * ```
 */
export function importPrivateKeySync(key: Exclude<KeyLike, CryptoKeyLike>, options?: ImportPrivateOptions): PrivateKey {
  const { kind, passphrase } = privateOptions(options)
  if (kind !== undefined) return privateOf(kind, key)
  const read = (bytes: Bytes): Handle => call((sync) => sync.exchangePrivateParse(bytes, passphrase))
  return privateFrom(withKeySync(key, read))
}

/**
 * Reads a public key: SubjectPublicKeyInfo and an X.509 certificate as PEM and DER, a JWK, age's string of `hybrid` and `x25519`, a
 * `KeyObject`, an extractable `CryptoKey`, or with a `kind` its bytes alone. A certificate is read for its key only: nothing in it is
 * verified.
 *
 * @throws {@link SealstoneError} `invalid_key` for what is damaged, and for a private key; `unsupported_key`.
 *
 * @example
 * ```ts
 * import { importPublicKey } from 'sealstone/exchange'
 *
 * const jwk = { kty: 'OKP', crv: 'X25519', x: '3p7bfXt9wbTTW2HC7OQ1Nz-DQ8hbeGdNrfx-FG-IK08' }
 * console.log((await importPublicKey(jwk)).kind) // x25519
 * ```
 */
export async function importPublicKey(key: KeyLike, options?: ImportPublicOptions): Promise<PublicKey> {
  const kind = kindOf(options)
  if (kind !== undefined) return publicOf(kind, key)
  return withKey(key, 'encrypts', async (bytes) => publicFrom(call((sync) => sync.exchangePublicParse(bytes))))
}

/**
 * As {@link importPublicKey}, on this thread. It cannot read a `CryptoKey`.
 *
 * @example
 * ```ts
 * import { exportPublicKey, generateKey, importPublicKeySync } from 'sealstone/exchange'
 *
 * const raw = exportPublicKey(generateKey('ml-kem-768').publicKey, 'raw')
 * console.log(importPublicKeySync(raw, { kind: 'ml-kem-768' }).kind) // ml-kem-768
 * ```
 */
export function importPublicKeySync(key: Exclude<KeyLike, CryptoKeyLike>, options?: ImportPublicOptions): PublicKey {
  const kind = kindOf(options)
  if (kind !== undefined) return publicOf(kind, key)
  return withKeySync(key, (bytes) => publicFrom(call((sync) => sync.exchangePublicParse(bytes))))
}

/** How a private key is written. */
export interface ExportPrivateOptions {
  /** Encrypts the key; for the forms `pem` and `der`. */
  readonly passphrase?: string
}

/**
 * Exports a private key, which is secret: as PKCS#8 in `pem`, the default, or `der`; as a JWK, which is JSON text; or as its bytes, `raw`.
 * Keys of `hybrid`, the kind that {@link generateKey} makes by itself, have only `raw`, and those of ML-KEM have no JWK.
 *
 * @throws {@link SealstoneError} `unsupported_key` for a kind without this form, and for a passphrase of a form that has none.
 *
 * @example
 * ```ts
 * import { exportPrivateKey, generateKey } from 'sealstone/exchange'
 *
 * console.log(exportPrivateKey(generateKey('p256'), 'pem', { passphrase: 'correct horse' }))
 * ```
 */
export function exportPrivateKey(key: PrivateKey, form: Binary, options?: ExportPrivateOptions): Bytes
export function exportPrivateKey(
  key: PrivateKey,
  form?: Exclude<ExchangeKeyForm, Binary>,
  options?: ExportPrivateOptions,
): string
export function exportPrivateKey(
  key: PrivateKey,
  form: ExchangeKeyForm = 'pem',
  options?: ExportPrivateOptions,
): string | Bytes {
  const name = stringOf(form, 'the form')
  const passphrase = passphraseOf(readOptions<ExportPrivateOptions>(options, ['passphrase']).passphrase)
  const handle = handleOf(key, PrivateKey, 'exchange')
  return call((sync) => sync.exchangePrivateExport(handle, name, passphrase))
}

/**
 * Exports a public key: as SubjectPublicKeyInfo in `pem`, the default, or `der`; as a JWK, which is JSON text; or as its bytes, `raw`.
 * Keys of `hybrid` have only `raw`, and those of ML-KEM have no JWK.
 *
 * @throws {@link SealstoneError} `unsupported_key` for a kind without this form.
 *
 * @example
 * ```ts
 * import { exportPublicKey, generateKey } from 'sealstone/exchange'
 *
 * console.log(JSON.parse(exportPublicKey(generateKey('p384').publicKey, 'jwk')).crv) // P-384
 * ```
 */
export function exportPublicKey(key: PublicKey, form: Binary): Bytes
export function exportPublicKey(key: PublicKey, form?: Exclude<ExchangeKeyForm, Binary>): string
export function exportPublicKey(key: PublicKey, form: ExchangeKeyForm = 'pem'): string | Bytes {
  const name = stringOf(form, 'the form')
  const handle = handleOf(key, PublicKey, 'exchange')
  return call((sync) => sync.exchangePublicExport(handle, name))
}

function privateFrom(handle: Handle): PrivateKey {
  return new PrivateKey(heldFor(handle))
}

function publicFrom(handle: Handle): PublicKey {
  return new PublicKey(heldFor(handle))
}

function privateOf(kind: string, key: unknown): PrivateKey {
  const bytes = rawOf(key)
  return privateFrom(call((sync) => sync.exchangePrivateOf(kind, bytes)))
}

function publicOf(kind: string, key: unknown): PublicKey {
  const bytes = rawOf(key)
  return publicFrom(call((sync) => sync.exchangePublicOf(kind, bytes)))
}
