import type { Handle, SyncCalls } from '../backend/calls.js'
import type { KeyObject } from '../backend/index.js'
import { type Bytes, type BytesLike, bytesOf, utf8, zero } from '../basics/bytes.js'
import { ArgumentError, failureOf, SealstoneError } from '../basics/error.js'
import { readOptions, stringOption } from '../basics/option.js'
import { branded } from '../basics/receiver.js'
import type { KeyForm, Kind } from '../basics/table.js'
import { Held, heldOf, isHeld, keys } from '../work/handle.js'
import {
  CRYPTO_KEY,
  type CryptoKeyLike,
  exportCryptoKey,
  exportKeyObject,
  isCryptoKey,
  isSecretKeyObject,
  type KeyLike,
  type KeyUsage,
  passphraseBytes,
  webCrypto,
} from '../work/key-like.js'
import { call, callLater, platform, sync } from '../work/whole-calls.js'

export type { KeyForm, Kind } from '../basics/table.js'
export type { CryptoKeyLike, Jwk, KeyLike, KeyObjectLike, KeyUsage } from '../work/key-like.js'

/**
 * The half that decrypts: a secret key, a symmetric key or a passphrase. It is opaque: nothing prints it, and only {@link exportIdentity}
 * returns it. Its secret is zeroed by `destroy`, or after it is collected.
 *
 * It cannot cross threads: `structuredClone` and `postMessage` turn it into an empty object. Export it, and import it on the
 * other side.
 *
 * @example
 * ```ts
 * import { generateIdentity, type Identity } from 'sealstone'
 *
 * const identity: Identity = generateIdentity()
 * console.log(identity.kind, String(identity)) // hybrid Identity(hybrid)
 * identity.destroy()
 * ```
 */
export class Identity {
  /** @internal */
  static readonly brand: string = /* @__PURE__ */ branded(
    this,
    'Identity',
    (value) => value instanceof Identity && isHeld(value),
  )

  /** @internal */
  constructor(held: Held) {
    if (!(held instanceof Held)) throw new ArgumentError('an Identity comes from generateIdentity or importIdentity')
    keys().set(this, held)
  }

  /** So that it is taken neither for an object of options nor, by TypeScript, for another kind of key. */
  get [Symbol.toStringTag](): 'Identity' {
    return 'Identity'
  }

  /** The kind of this key. */
  get kind(): Kind {
    return call((sync) => sync.identityKind(heldIdentity(this).handle)) as Kind
  }

  /** Zeroes the secret. Work that has begun with it ends; every later use is a `TypeError`. */
  destroy(): void {
    heldIdentity(this).destroy()
  }

  /** Names the kind, and shows nothing of the secret. */
  toString(): string {
    return shown('Identity', heldIdentity(this), () => this.kind)
  }

  /** As {@link toString}. */
  toJSON(): string {
    return this.toString()
  }

  /** The text that `console.log` shows. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toString()
  }
}

/**
 * The half that you encrypt to: a public key, or a secret that both sides have. `String(recipient)` is its text form.
 *
 * @example
 * ```ts
 * import { importRecipientSync, type Recipient } from 'sealstone'
 *
 * const recipient: Recipient = importRecipientSync('age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj')
 * console.log(recipient.kind, String(recipient).slice(0, 9), recipient.fingerprint?.length) // x25519 age1zvkyg 71
 * ```
 */
export class Recipient {
  /** @internal */
  static readonly brand: string = /* @__PURE__ */ branded(
    this,
    'Recipient',
    (value) => value instanceof Recipient && isHeld(value),
  )

  /** @internal */
  constructor(held: Held) {
    if (!(held instanceof Held)) throw new ArgumentError('a Recipient comes from recipientOf or importRecipient')
    keys().set(this, held)
  }

  /** So that it is taken neither for an object of options nor, by TypeScript, for another kind of key. */
  get [Symbol.toStringTag](): 'Recipient' {
    return 'Recipient'
  }

  /** The kind of this key. */
  get kind(): Kind {
    return call((sync) => sync.recipientKind(heldRecipient(this).handle)) as Kind
  }

  /**
   * `SHA256:` and 64 hexadecimal digits, to compare public keys by eye or over the phone; `undefined` for secrets that both sides
   * have.
   */
  get fingerprint(): string | undefined {
    return call((sync) => sync.recipientFingerprint(heldRecipient(this).handle)) ?? undefined
  }

  /** Forgets the key; every later use is a `TypeError`. */
  destroy(): void {
    heldRecipient(this).destroy()
  }

  /** The text form, which others encrypt to; for secrets that both sides have, only the kind. */
  toString(): string {
    if (heldRecipient(this).isDestroyed) return 'Recipient(destroyed)'
    if (this.fingerprint === undefined) return `<${this.kind}>`
    return call((sync) => sync.recipientExport(heldRecipient(this).handle, 'age')) as string
  }

  /** As {@link toString}. */
  toJSON(): string {
    return this.toString()
  }

  /** The text that `console.log` shows: the kind and the fingerprint. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return shown('Recipient', heldRecipient(this), () => {
      const { kind, fingerprint } = this
      return fingerprint === undefined ? kind : `${kind} ${fingerprint}`
    })
  }
}

function shown(name: string, held: Held, text: () => string): string {
  return `${name}(${held.isDestroyed ? 'destroyed' : text()})`
}

/**
 * Makes a new identity from the system's randomness, `hybrid` if no kind is named.
 *
 * @example
 * ```ts
 * import { exportIdentity, generateIdentity, recipientOf } from 'sealstone'
 *
 * const identity = generateIdentity()
 * console.log(String(recipientOf(identity))) // age1pq1…, for whoever is to encrypt
 * const secret = exportIdentity(identity) // AGE-SECRET-KEY-PQ-1…, for whoever is to decrypt
 * ```
 */
export function generateIdentity(kind?: Exclude<Kind, 'passphrase' | 'plugin'>): Identity {
  const name = stringOption(kind, 'the kind')
  return identityOf(call((sync) => sync.identityGenerate(name)))
}

/**
 * The recipient whose files an identity opens.
 *
 * @example
 * ```ts
 * import { generateIdentity, recipientOf } from 'sealstone'
 *
 * console.log(String(recipientOf(generateIdentity('x25519')))) // age1…
 * ```
 */
export function recipientOf(identity: Identity): Recipient {
  const { handle } = heldIdentity(identity)
  return recipientFrom(call((sync) => sync.identityRecipient(handle)))
}

export interface ImportOptions {
  /**
   * For a private key that is encrypted (PKCS#8 with PBES2), or a file of identities that `sealstone keygen -p` wrote. A wrong passphrase
   * has the code `no_matching_identity`.
   */
  readonly passphrase?: string
}

/**
 * Reads an identity in any form. If it is encrypted, another thread computes its password hash.
 *
 * @throws {@link SealstoneError} `invalid_identity`, `unsupported_key`, `passphrase_required`, and `no_matching_identity` for a
 * wrong passphrase.
 *
 * @example
 * ```ts
 * import { exportIdentity, generateIdentity, importIdentity } from 'sealstone'
 *
 * const pem = exportIdentity(generateIdentity('p256'), 'pem', { passphrase: 'correct horse battery staple' })
 * const identity = await importIdentity(pem, { passphrase: 'correct horse battery staple' })
 * ```
 */
export async function importIdentity(key: KeyLike, options?: ImportOptions): Promise<Identity> {
  return one(await importIdentities(key, options))
}

/**
 * As {@link importIdentity}, on this thread. It cannot read a `CryptoKey`.
 *
 * @example
 * ```ts
 * import { exportIdentity, generateIdentity, importIdentitySync } from 'sealstone'
 *
 * console.log(importIdentitySync(exportIdentity(generateIdentity('x25519'))).kind) // x25519
 * ```
 */
export function importIdentitySync(key: Exclude<KeyLike, CryptoKeyLike>, options?: ImportOptions): Identity {
  const passphrase = passphraseOption(options)
  return one(adopt(importSync(key, passphrase, 'identity'), identityOf))
}

/**
 * Reads all identities of a file: one string on each line, or blocks of PEM.
 *
 * @example
 * ```ts
 * import { exportIdentity, generateIdentity, importIdentities } from 'sealstone'
 *
 * const file = [generateIdentity(), generateIdentity('x25519')].map((identity) => exportIdentity(identity)).join('\n')
 * console.log((await importIdentities(file)).map(({ kind }) => kind).join()) // hybrid,x25519
 * ```
 */
export async function importIdentities(key: KeyLike, options?: ImportOptions): Promise<Identity[]> {
  const passphrase = passphraseOption(options)
  if (isSecretKeyObject(key)) return adopt(importSync(key, passphrase, 'identity'), identityOf)
  const bytes = isCryptoKey(key) ? await exportCryptoKey(key, 'encrypts') : exportKeyObject(key)
  if (isCryptoKey(key) && key.type === 'secret') {
    return [identityOf(call((sync) => sync.identityOfKey(bytes)))]
  }
  const found = callLater((bulk) => bulk.identitiesParseLater(bytes, passphrase))
  return adopt(await found.catch(throwOfKey), identityOf)
}

/**
 * Reads a recipient in any form.
 *
 * @throws {@link SealstoneError} `invalid_recipient`, private keys included, and `unsupported_key`.
 *
 * @example
 * ```ts
 * import { generateKeyPairSync } from 'node:crypto'
 * import { importRecipient } from 'sealstone'
 *
 * const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
 * console.log((await importRecipient(publicKey)).kind) // p256
 * ```
 */
export async function importRecipient(key: KeyLike): Promise<Recipient> {
  return one(await importRecipients(key))
}

/**
 * As {@link importRecipient}, on this thread. It cannot read a `CryptoKey`.
 *
 * @example
 * ```ts
 * import { exportRecipient, generateIdentity, importRecipientSync, recipientOf } from 'sealstone'
 *
 * const pem = exportRecipient(recipientOf(generateIdentity('p256')), 'pem')
 * console.log(importRecipientSync(pem).kind) // p256
 * ```
 */
export function importRecipientSync(key: Exclude<KeyLike, CryptoKeyLike>): Recipient {
  return one(adopt(importSync(key, undefined, 'recipient'), recipientFrom))
}

/**
 * Reads all recipients of a file: one string on each line, or blocks of PEM.
 *
 * @example
 * ```ts
 * import { generateIdentity, importRecipients, recipientOf } from 'sealstone'
 *
 * const file = ['# the team', ...['alice', 'bob'].map(() => recipientOf(generateIdentity()))].join('\n')
 * console.log((await importRecipients(file)).length) // 2
 * ```
 */
export async function importRecipients(key: KeyLike): Promise<Recipient[]> {
  const bytes = isCryptoKey(key) ? await exportCryptoKey(key, 'encrypts') : exportKeyObject(key)
  return adopt(
    call((sync) => sync.recipientsParse(bytes)),
    recipientFrom,
  )
}

/**
 * An identity made from 32 bytes that both sides have; the data is only as safe as the bytes are random.
 *
 * @example
 * ```ts
 * import { randomBytes } from 'node:crypto'
 * import { decryptSync, encryptSync, identityFromKey, recipientOf } from 'sealstone'
 *
 * const identity = identityFromKey(randomBytes(32))
 * const file = encryptSync('attack at dawn', { recipients: recipientOf(identity) })
 * console.log(decryptSync(file, { identities: identity }).length) // 14
 * ```
 */
export function identityFromKey(key: BytesLike): Identity {
  const bytes = bytesOf(key, 'the key')
  return identityOf(call((sync) => sync.identityOfKey(bytes)))
}

/**
 * An identity of a passphrase; its file is as safe as the passphrase is hard to guess.
 *
 * @example
 * ```ts
 * import { decrypt, encrypt, identityFromPassphrase, recipientOf } from 'sealstone'
 *
 * const identity = identityFromPassphrase('correct horse battery staple')
 * const file = await encrypt('attack at dawn', { recipients: recipientOf(identity) })
 * console.log((await decrypt(file, { identities: identity })).length) // 14
 * ```
 */
export function identityFromPassphrase(passphrase: string): Identity {
  const text = passphraseBytes(passphrase, 'the passphrase')
  return identityOf(call((sync) => sync.identityOfPassphrase(text)))
}

export interface ExportOptions {
  /** Encrypts the private key; with `pem` and `der`. */
  readonly passphrase?: string
}

/**
 * Exports an identity, which is secret, as text, or as bytes with `der`. The default form is `age`.
 *
 * @example
 * ```ts
 * import { exportIdentity, generateIdentity } from 'sealstone'
 *
 * const identity = generateIdentity('p256')
 * console.log(exportIdentity(identity, 'pem', { passphrase: 'correct horse' })) // -----BEGIN ENCRYPTED PRIVATE KEY-----…
 * console.log(exportIdentity(identity, 'der') instanceof Uint8Array)
 * ```
 */
export function exportIdentity(identity: Identity, form: 'der', options?: ExportOptions): Bytes
export function exportIdentity(identity: Identity, form?: Exclude<KeyForm, 'der'>, options?: ExportOptions): string
export function exportIdentity(identity: Identity, form: KeyForm = 'age', options?: ExportOptions): string | Bytes {
  const name = stringOption(form, 'the form') as string
  const passphrase = passphraseOption(options)
  const { handle } = heldIdentity(identity)
  return call((sync) => sync.identityExport(handle, name, passphrase))
}

/**
 * Exports a recipient as text, or as bytes with `der`. The default form is `age`.
 *
 * @throws {@link SealstoneError} `unsupported_key` for a kind without this form, and for secrets that both sides have.
 *
 * @example
 * ```ts
 * import { exportRecipient, generateIdentity, recipientOf } from 'sealstone'
 *
 * console.log(exportRecipient(recipientOf(generateIdentity()))) // age1pq1…
 * console.log(exportRecipient(recipientOf(generateIdentity('p256')), 'pem')) // -----BEGIN PUBLIC KEY-----…
 * ```
 */
export function exportRecipient(recipient: Recipient, form: 'der'): Bytes
export function exportRecipient(recipient: Recipient, form?: Exclude<KeyForm, 'der'>): string
export function exportRecipient(recipient: Recipient, form: KeyForm = 'age'): string | Bytes {
  const name = stringOption(form, 'the form') as string
  const { handle } = heldRecipient(recipient)
  return call((sync) => sync.recipientExport(handle, name))
}

/**
 * A key as Node's `KeyObject`, through PKCS#8 or SubjectPublicKeyInfo.
 *
 * @throws {@link SealstoneError} `unsupported_key` for kinds that have no such form, or that this Node does not support.
 *
 * @example
 * ```ts
 * import { generateIdentity, recipientOf, toKeyObject } from 'sealstone'
 *
 * const identity = generateIdentity('p256')
 * console.log(toKeyObject(identity).type, toKeyObject(recipientOf(identity)).type) // private public
 * ```
 */
export function toKeyObject(key: Identity | Recipient): KeyObject {
  const isIdentity = key instanceof Identity
  const der = isIdentity ? exportIdentity(key, 'der') : exportRecipient(key, 'der')
  try {
    return platform.keyObject(der, isIdentity ? 'private' : 'public')
  } catch (cause) {
    if (cause instanceof SealstoneError) throw cause
    throw new SealstoneError('unsupported_key', `the OpenSSL of this Node has no ${key.kind} keys`, { cause })
  } finally {
    zero(der)
  }
}

/**
 * A key as WebCrypto's `CryptoKey`, through PKCS#8 or SubjectPublicKeyInfo. The caller says what the key may be used for, as with
 * `crypto.subtle.importKey`.
 *
 * @throws {@link SealstoneError} `unsupported_key` for kinds that have no such form, or an algorithm that this WebCrypto does not
 * support.
 *
 * @example
 * ```ts
 * import { generateIdentity, toCryptoKey } from 'sealstone'
 *
 * const key = await toCryptoKey(generateIdentity('p256'), { name: 'ECDH', namedCurve: 'P-256' }, false, ['deriveBits'])
 * console.log(key.type) // private
 * ```
 */
export async function toCryptoKey<A extends { readonly name: string }>(
  key: Identity | Recipient,
  algorithm: string | A,
  extractable: boolean,
  usages: readonly KeyUsage[],
): Promise<CryptoKeyLike> {
  const { subtle } = webCrypto()
  const isIdentity = key instanceof Identity
  const der = isIdentity ? exportIdentity(key, 'der') : exportRecipient(key, 'der')
  try {
    return await subtle.importKey(isIdentity ? 'pkcs8' : 'spki', der, algorithm, extractable, [...usages])
  } catch (cause) {
    if (failureOf(cause).name !== 'NotSupportedError') throw cause
    throw new SealstoneError('unsupported_key', 'this WebCrypto does not support the algorithm', { cause })
  } finally {
    zero(der)
  }
}

/** @internal One or more recipients, or their text forms, by number; `release` what is only for the call. */
export function recipientHandles(recipients: unknown): { handles: Handle[]; release: () => void } {
  return handles(recipients, 'recipients', (value) =>
    value instanceof Recipient
      ? heldRecipient(value).handle
      : parsed(value, (sync, bytes) => sync.recipientsParse(bytes)),
  )
}

/** @internal As `recipientHandles`, of identities. */
export function identityHandles(identities: unknown): { handles: Handle[]; release: () => void } {
  return handles(identities, 'identities', (value) =>
    value instanceof Identity
      ? heldIdentity(value).handle
      : parsed(value, (sync, bytes) => sync.identitiesParse(bytes, undefined)),
  )
}

function handles(
  values: unknown,
  what: string,
  handleOf: (value: unknown) => Handle | Handle[],
): { handles: Handle[]; release: () => void } {
  const handles: Handle[] = []
  const own: Handle[] = []
  const release = (): void => {
    for (let i = 0; i < own.length; i++) sync().release(own[i] as Handle)
  }
  // By index: an iterator that another script has put on `Array.prototype` could exchange keys.
  const all = Array.isArray(values) ? (values as unknown[]) : [values]
  try {
    for (let i = 0; i < all.length; i++) {
      const found = handleOf(all[i])
      if (typeof found === 'number') handles[handles.length] = found
      else {
        for (let j = 0; j < found.length; j++) {
          handles[handles.length] = found[j] as Handle
          own[own.length] = found[j] as Handle
        }
      }
    }
  } catch (error) {
    release()
    if (error instanceof NotText) throw new ArgumentError(notText(what, error.value))
    throw error
  }
  return { handles, release }
}

class NotText extends Error {
  readonly value: unknown

  constructor(value: unknown) {
    super()
    this.value = value
  }
}

/** The commonest mistake is the other half of a key pair. */
function notText(what: string, value: unknown): string {
  if (value instanceof Identity && isHeld(value)) return `${what} has ${SECRET_HALF}`
  if (value instanceof Recipient && isHeld(value)) return `${what} has ${PUBLIC_HALF}`
  return `${what} must be keys of this package or their text forms`
}

const SECRET_HALF = 'an Identity, which is the secret half of a key pair: pass recipientOf(identity)'
const PUBLIC_HALF = 'a Recipient, which is the public half of a key pair: pass the Identity'

function parsed(value: unknown, parse: (sync: SyncCalls, bytes: Bytes) => Handle[]): Handle[] {
  if (typeof value !== 'string') throw new NotText(value)
  const bytes = utf8(value, 'a key')
  return call((sync) => parse(sync, bytes))
}

/** @internal */
export function heldIdentity(identity: Identity): Held {
  if (identity instanceof Identity) return heldOf(identity, 'Identity')
  if ((identity as unknown) instanceof Recipient) throw new ArgumentError(`the identity is ${PUBLIC_HALF}`)
  throw new ArgumentError('expected an Identity of this package; importIdentity reads text forms')
}

/** @internal */
export function heldRecipient(recipient: Recipient): Held {
  if (recipient instanceof Recipient) return heldOf(recipient, 'Recipient')
  if ((recipient as unknown) instanceof Identity) throw new ArgumentError(`the recipient is ${SECRET_HALF}`)
  throw new ArgumentError('expected a Recipient of this package; importRecipient reads text forms')
}

function identityOf(handle: Handle): Identity {
  return new Identity(new Held(handle, 'identity'))
}

function recipientFrom(handle: Handle): Recipient {
  return new Recipient(new Held(handle, 'recipient'))
}

function adopt<T>(handles: Handle[], of: (handle: Handle) => T): T[] {
  return handles.map(of)
}

function one<T extends Identity | Recipient>(keys: T[]): T {
  const [first, ...more] = keys
  if (first !== undefined && more.length === 0) return first
  for (const key of keys) key.destroy()
  const code = first instanceof Identity ? 'invalid_identity' : 'invalid_recipient'
  throw new SealstoneError(code, 'there are several keys where one is expected')
}

function passphraseOption(options: ImportOptions | ExportOptions | undefined): Bytes | undefined {
  const { passphrase } = readOptions<ImportOptions>(options, ['passphrase'])
  return passphrase === undefined ? undefined : passphraseBytes(passphrase, 'the passphrase')
}

function importSync(key: KeyLike, passphrase: Bytes | undefined, half: 'identity' | 'recipient'): Handle[] {
  if (isCryptoKey(key)) throw new ArgumentError(CRYPTO_KEY)
  if (half === 'recipient') {
    const bytes = exportKeyObject(key)
    return call((sync) => sync.recipientsParse(bytes))
  }
  if (isSecretKeyObject(key)) {
    const bytes = new Uint8Array(key.export())
    try {
      return [call((sync) => sync.identityOfKey(bytes))]
    } finally {
      zero(bytes)
    }
  }
  const bytes = exportKeyObject(key)
  try {
    return call((sync) => sync.identitiesParse(bytes, passphrase))
  } catch (error) {
    return throwOfKey(error)
  }
}

/** A wrong passphrase has the words of a file that no identity opens. */
function throwOfKey(error: unknown): never {
  if (!(error instanceof SealstoneError) || error.code !== 'no_matching_identity') throw error
  throw new SealstoneError(error.code, 'the passphrase does not open this key')
}
