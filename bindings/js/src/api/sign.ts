/**
 * Signatures: a private key signs, and whoever has the public key verifies.
 *
 * A key has one kind, which says how it signs: `hybrid-sign` for new things, since it holds as long as either ML-DSA-65 or Ed25519 does,
 * and the other kinds for systems that already use them. If others choose what you sign, put a word of your protocol before it.
 *
 * @module sealstone/sign
 */

import type { SignOptions as Crossing, Data, Handle } from '../backend/calls.js'
import { type BinaryLike, type Bytes, type BytesLike, binaryOf, bytesOf, copyOf } from '../basics/bytes.js'
import { asSealstoneError } from '../basics/error.js'
import { readOptions, stringOf, stringOption, wholeNumber } from '../basics/option.js'
import { output } from '../basics/output.js'
import { branded } from '../basics/receiver.js'
import type { SignatureEncoding, SignatureHash, SignKind, SignScheme } from '../basics/table.js'
import { type Held, heldOf, isHeld, usingLater } from '../work/handle.js'
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
import { atOnceOr, loaded, RUN_OPTIONS, type RunOptions, runOf, watched } from '../work/run.js'
import { bulk, call, callLater, isShort, sync } from '../work/sign-calls.js'
import { decode, encode } from './encoding.js'
import { dataOf, type ResultEncoding } from './text.js'

export type { BinaryLike, Bytes, BytesLike } from '../basics/bytes.js'
export { SealstoneError } from '../basics/error.js'
export type { SignatureEncoding, SignatureHash, SignKind, SignScheme } from '../basics/table.js'
export type { CryptoKeyLike, Jwk, KeyLike, KeyObjectLike } from '../work/key-like.js'
export type { Progress, RunOptions } from '../work/run.js'
export type { ResultEncoding } from './text.js'

/**
 * The options of a kind. Verifying needs the same options as signing. An option that the kind does not have is
 * `invalid_option`, since a signature without it would say something else.
 */
export interface SignOptions {
  /**
   * The hash of the message for ECDSA and RSA. By default it is the curve's own: SHA-256 for `p256-sign` and `secp256k1`, SHA-384 for
   * `p384-sign`, SHA-512 for `p521-sign`; and SHA-256 for RSA.
   */
  readonly hash?: SignatureHash
  /** How a signature of ECDSA or SM2 is written: `der`, as in OpenSSL and certificates, or `fixed`, as in JWS and WebCrypto; `der` by default. */
  readonly encoding?: SignatureEncoding
  /**
   * How RSA pads: `pss`, with a salt as long as the digest, or `pkcs1`, for systems that ask for it; `pss` by default. A salt of another
   * length
   * is `invalid_signature`: `node:crypto` writes this one with `saltLength: RSA_PSS_SALTLEN_DIGEST`, and OpenSSL with `rsa_pss_saltlen:digest`.
   */
  readonly scheme?: SignScheme
  /** Separates signatures of one use from those of all others: up to 255 bytes, for ML-DSA and hybrid keys. */
  readonly context?: BytesLike
  /** The user id of SM2, `1234567812345678` by default. */
  readonly id?: BytesLike
}

/** The forms of a key: `der` is PKCS#8 or SubjectPublicKeyInfo, `ssh` OpenSSH's, and `raw` the bytes of the key alone. */
export type SignKeyForm = 'pem' | 'der' | 'jwk' | 'ssh' | 'raw'

/** Those of the forms that are bytes. */
type Binary = 'der' | 'raw'

const SIGN_OPTIONS: readonly (keyof SignOptions)[] = ['hash', 'encoding', 'scheme', 'context', 'id']

/**
 * A private key, which signs. It is opaque: nothing prints it, and only {@link exportPrivateKey} returns it. It is zeroed by `destroy`,
 * or after it is collected.
 *
 * @example
 * ```ts
 * import { generateKey, type PrivateKey } from 'sealstone/sign'
 *
 * const key: PrivateKey = generateKey('ed25519')
 * const signature = key.sign('attack at dawn')
 * console.log(key.kind, signature.length) // ed25519 64
 * key.publicKey.verify('attack at dawn', signature)
 * key.destroy()
 * ```
 */
export class PrivateKey extends PrivateHalf<PublicKey> {
  /** The kind of this key. */
  readonly kind: SignKind
  /** Bytes of the longest signature. */
  #longest: number | undefined

  /** @internal */
  static readonly brand: string = /* @__PURE__ */ branded(this, 'sign.PrivateKey', (value) => #longest in value)

  /** @internal */
  constructor(held: Held) {
    super(held)
    this.kind = call((sync) => sync.signPrivateKind(held.handle)) as SignKind
  }

  /**
   * Signs a message.
   *
   * @throws {@link SealstoneError} `invalid_option` for an option that the kind does not have; `unavailable_backend` for RSA in browsers,
   * where {@link signAsync} signs.
   */
  sign(data: BytesLike, options?: SignOptions): Bytes {
    const by = crossing(options)
    const bytes = dataOf(data)
    return this.#sign(heldOf(this, 'key').handle, bytes, by)
  }

  /** As {@link sign}, as text. */
  signText(data: BytesLike, encoding: ResultEncoding = 'hex', options?: SignOptions): string {
    return encode(stringOf(encoding, 'the encoding') as ResultEncoding, this.sign(data, options))
  }

  /**
   * As {@link sign}, for every kind on every platform. Long data, and data for RSA, is signed on another thread.
   *
   * @throws the reason of the signal.
   */
  async signAsync(data: BytesLike, options?: SignOptions & RunOptions): Promise<Bytes> {
    const read = readOptions<SignOptions & RunOptions>(options, [...SIGN_OPTIONS, ...RUN_OPTIONS])
    const [run, by] = [runOf(read), chosen(read, copyOf)]
    const { handle } = heldOf(this, 'key')
    const now = (bytes: Bytes): Bytes | undefined =>
      isShort(bytes.length, {}) && !call((sync) => sync.signIsSlow(handle)) ? this.#sign(handle, bytes, by) : undefined
    return atOnceOr(data, DATA, run, now, (bytes) =>
      later(handle, (key) =>
        loaded(bytes, DATA, run, (loading) => watched(run, (job) => bulk().signLoaded(key, loading, ...by, job))),
      ),
    )
  }

  #sign(handle: Handle, data: Data, by: Crossing): Bytes {
    this.#longest ??= call((sync) => sync.signMaxLen(handle))
    return output(this.#longest, (signature) => {
      try {
        return sync().signInto(handle, data, signature, by[0], by[1], by[2])
      } catch (error) {
        throw asSealstoneError(error)
      }
    })
  }

  /** @internal */
  protected override named(): string {
    return this.kind
  }

  /** @internal */
  protected override other(handle: Handle): PublicKey {
    return publicFrom(call((sync) => sync.signPublicKey(handle)))
  }
}

/**
 * A public key, which verifies.
 *
 * @example
 * ```ts
 * import { generateKey, importPublicKeySync, type PublicKey, SealstoneError } from 'sealstone/sign'
 *
 * const key: PublicKey = importPublicKeySync('ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAINdamAGCsQq31Uv+08lkBzoO4XLz2qYjJa8CGmj3B1Ea')
 * try {
 *   key.verify('attack at dawn', generateKey('ed25519').sign('attack at dawn'))
 * } catch (error) {
 *   console.log(error instanceof SealstoneError && error.code) // invalid_signature
 * }
 * ```
 */
export class PublicKey extends PublicHalf {
  /** The kind of this key. */
  readonly kind: SignKind

  /** @internal */
  static readonly brand: string = /* @__PURE__ */ branded(
    this,
    'sign.PublicKey',
    (value) => value instanceof PublicKey && isHeld(value),
  )

  /** @internal */
  constructor(held: Held) {
    super(held)
    this.kind = call((sync) => sync.signPublicKind(held.handle)) as SignKind
  }

  /** `SHA256:` and 64 hexadecimal digits, to compare keys by eye or over the phone. */
  get fingerprint(): string {
    return call((sync) => sync.signFingerprint(heldOf(this, 'key').handle))
  }

  /**
   * The fingerprint as `ssh-keygen -l` shows it.
   *
   * @throws {@link SealstoneError} `unsupported_key` for `secp256k1`, which SSH does not have.
   */
  get sshFingerprint(): string {
    return call((sync) => sync.signSshFingerprint(heldOf(this, 'key').handle))
  }

  /**
   * Verifies a signature. It returns nothing, and throws if something is wrong.
   *
   * @throws {@link SealstoneError} `invalid_signature`, whatever is wrong with it; `invalid_option` for an option that the kind does not
   * have; `unavailable_backend` for RSA in browsers, where {@link verifyAsync} verifies.
   */
  verify(data: BytesLike, signature: BinaryLike, options?: SignOptions): void {
    const by = crossing(options)
    const given = binaryOf(signature, SIGNATURE, 'verifyText')
    verified(heldOf(this, 'key').handle, dataOf(data), given, by)
  }

  /**
   * As {@link verify}, for a signature as text; hexadecimal digits in either case.
   *
   * @throws {@link SealstoneError} `invalid_encoding` also.
   */
  verifyText(data: BytesLike, signature: string, encoding: ResultEncoding = 'hex', options?: SignOptions): void {
    const by = crossing(options)
    const text = stringOf(signature, SIGNATURE)
    const given = decode(stringOf(encoding, 'the encoding') as ResultEncoding, text)
    verified(heldOf(this, 'key').handle, dataOf(data), given, by)
  }

  /**
   * As {@link verify}, for every kind on every platform. Long data is verified on another thread.
   *
   * @throws the reason of the signal.
   */
  async verifyAsync(data: BytesLike, signature: BinaryLike, options?: SignOptions & RunOptions): Promise<void> {
    const read = readOptions<SignOptions & RunOptions>(options, [...SIGN_OPTIONS, ...RUN_OPTIONS])
    const [run, by] = [runOf(read), chosen(read, copyOf)]
    const given = new Uint8Array(binaryOf(signature, SIGNATURE, 'verifyText'))
    const { handle } = heldOf(this, 'key')
    const now = (bytes: Bytes): typeof VALID | undefined => {
      if (!isShort(bytes.length, {}) || call((sync) => sync.verifyIsSlow(handle))) return undefined
      verified(handle, bytes, given, by)
      return VALID
    }
    await atOnceOr(data, DATA, run, now, (bytes) =>
      later(handle, (key) =>
        loaded(bytes, DATA, run, async (loading) => {
          await watched(run, (job) => bulk().signVerifyLoaded(key, loading, given, ...by, job))
          return VALID
        }),
      ),
    )
  }

  /** @internal */
  protected override named(): string {
    return `${this.kind} ${this.fingerprint}`
  }
}

const [DATA, SIGNATURE, VALID] = ['the data', 'the signature', 'valid'] as const

function verified(handle: Handle, data: Data, signature: Bytes, by: Crossing): void {
  try {
    sync().signVerify(handle, data, signature, by[0], by[1], by[2])
  } catch (error) {
    throw asSealstoneError(error)
  }
}

/** Works with a number of its own for a key: the caller may destroy it meanwhile. */
function later<T>(handle: Handle, work: (key: Handle) => Promise<T>): Promise<T> {
  return usingLater(
    call((sync) => sync.again(handle)),
    work,
  )
}

/** Options as they cross; bytes are borrowed. */
function crossing(options: SignOptions | undefined): Crossing {
  return options === undefined ? NONE : chosen(readOptions<SignOptions>(options, SIGN_OPTIONS), bytesOf)
}

const NONE: Crossing = [0, undefined, undefined]

function chosen(read: SignOptions, bytes: (data: unknown, what: string) => Bytes): Crossing {
  const { hash, encoding, scheme, context, id } = read
  const choices = choicesOf(
    stringOption(hash, 'hash'),
    stringOption(encoding, 'encoding'),
    stringOption(scheme, 'scheme'),
  )
  return [
    choices,
    context === undefined ? undefined : bytes(context, 'the context'),
    id === undefined ? undefined : bytes(id, 'the id'),
  ]
}

const choices = /* @__PURE__ */ new Map<string, number>()

/** The number by which choices cross; each is asked for once. */
function choicesOf(hash: string | undefined, encoding: string | undefined, scheme: string | undefined): number {
  if (hash === undefined && encoding === undefined && scheme === undefined) return 0
  const name = `${hash} ${encoding} ${scheme}`
  const known = choices.get(name)
  if (known !== undefined) return known
  const number = call((sync) => sync.signChoices(hash, encoding, scheme))
  choices.set(name, number)
  return number
}

/**
 * Makes a new key from the system's randomness, `hybrid-sign` if no kind is named.
 *
 * @throws {@link SealstoneError} `unknown_algorithm`, also for RSA: {@link generateRsaKey} makes its keys.
 *
 * @example
 * ```ts
 * import { exportPrivateKey, exportPublicKey, generateKey } from 'sealstone/sign'
 *
 * const key = generateKey('ed25519')
 * console.log(exportPublicKey(key.publicKey, 'ssh', { comment: 'alice@example.org' })) // ssh-ed25519 AAAA… alice@example.org
 * console.log(exportPrivateKey(key, 'pem', { passphrase: 'correct horse battery staple' }))
 * ```
 */
export function generateKey(kind?: Exclude<SignKind, 'rsa-sign'>): PrivateKey {
  const name = stringOption(kind, 'the kind')
  return privateFrom(call((sync) => sync.signGenerate(name)))
}

/** How many bits a new key of RSA has. */
export type RsaBits = 2048 | 3072 | 4096

/**
 * Makes a new key of RSA, of 3,072 bits by default, on another thread; it takes from a tenth of a second to some seconds.
 *
 * @throws {@link SealstoneError} `invalid_option` for another number of bits; the reason of the signal.
 *
 * @example
 * ```ts
 * import { generateRsaKey } from 'sealstone/sign'
 *
 * const key = await generateRsaKey(2048, { signal: AbortSignal.timeout(60_000) })
 * const signature = await key.signAsync('attack at dawn', { scheme: 'pkcs1' })
 * await key.publicKey.verifyAsync('attack at dawn', signature, { scheme: 'pkcs1' })
 * ```
 */
export async function generateRsaKey(bits: RsaBits = 3072, options?: Pick<RunOptions, 'signal'>): Promise<PrivateKey> {
  const run = runOf(readOptions<RunOptions>(options, ['signal']))
  const count = wholeNumber(bits, 'bits', 0, 2 ** 31 - 1)
  return privateFrom(await watched(run, (job) => bulk().signGenerateRsaLater(count, job)))
}

/** How a private key is read. */
export interface ImportPrivateOptions {
  /** For an encrypted key. A wrong passphrase has the code `no_matching_identity`. */
  readonly passphrase?: string
  /** The kind of a key in the form `raw`, which is its bytes alone; every other form says its kind. */
  readonly kind?: SignKind
}

/** How a public key is read. */
export type ImportPublicOptions = Pick<ImportPrivateOptions, 'kind'>

/**
 * Reads a private key: PKCS#8, SEC1 and PKCS#1 as PEM and DER, plain or encrypted, a JWK, OpenSSH's, a `KeyObject`, an extractable
 * `CryptoKey`, or with a `kind` its bytes alone. If it is encrypted, another thread computes its password hash.
 *
 * A private key of OpenSSH may be used to log in, so it signs files only: `sign` refuses it with `invalid_key`.
 *
 * @throws {@link SealstoneError} `invalid_key` for what is damaged, and for a public key; `unsupported_key`, `passphrase_required`,
 * `no_matching_identity` for a wrong passphrase, `cost_too_high`.
 *
 * @example
 * ```ts
 * import { generateKeyPairSync } from 'node:crypto'
 * import { importPrivateKey } from 'sealstone/sign'
 *
 * const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' })
 * console.log((await importPrivateKey(privateKey)).kind) // p384-sign
 * console.log((await importPrivateKey(new Uint8Array(32), { kind: 'ed25519' })).kind) // ed25519
 * ```
 */
export async function importPrivateKey(key: KeyLike, options?: ImportPrivateOptions): Promise<PrivateKey> {
  const { kind, passphrase } = privateOptions(options)
  if (kind !== undefined) {
    const bytes = rawOf(key)
    return privateFrom(await callLater((bulk) => bulk.signPrivateOfLater(kind, bytes)))
  }
  const read = (bytes: Bytes): Promise<Handle> => callLater((bulk) => bulk.signPrivateParseLater(bytes, passphrase))
  return privateFrom(await withKey(key, 'signs', read))
}

/**
 * As {@link importPrivateKey}, on this thread. It cannot read a `CryptoKey`, nor RSA in browsers.
 *
 * @example
 * ```ts
 * import { exportPrivateKey, generateKey, importPrivateKeySync } from 'sealstone/sign'
 *
 * console.log(importPrivateKeySync(exportPrivateKey(generateKey('ml-dsa-65'), 'jwk')).kind) // ml-dsa-65
 * ```
 */
export function importPrivateKeySync(key: Exclude<KeyLike, CryptoKeyLike>, options?: ImportPrivateOptions): PrivateKey {
  const { kind, passphrase } = privateOptions(options)
  if (kind !== undefined) {
    const bytes = rawOf(key)
    return privateFrom(call((sync) => sync.signPrivateOf(kind, bytes)))
  }
  const read = (bytes: Bytes): Handle => call((sync) => sync.signPrivateParse(bytes, passphrase))
  return privateFrom(withKeySync(key, read))
}

/**
 * Reads a public key: SubjectPublicKeyInfo, PKCS#1 and an X.509 certificate as PEM and DER, a JWK, a line of SSH, a `KeyObject`, an
 * extractable `CryptoKey`, or with a `kind` its bytes alone. A certificate is read for its key only: nothing in it is verified.
 *
 * @throws {@link SealstoneError} `invalid_key` for what is damaged, and for a private key; `unsupported_key`.
 *
 * @example
 * ```ts
 * import { importPublicKey } from 'sealstone/sign'
 *
 * const jwk = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' }
 * console.log((await importPublicKey(jwk)).sshFingerprint.length) // 50
 * ```
 */
export async function importPublicKey(key: KeyLike, options?: ImportPublicOptions): Promise<PublicKey> {
  const kind = kindOf(options)
  if (kind !== undefined) {
    const bytes = rawOf(key)
    return publicFrom(await callLater((bulk) => bulk.signPublicOfLater(kind, bytes)))
  }
  const read = (bytes: Bytes): Promise<Handle> => callLater((bulk) => bulk.signPublicParseLater(bytes))
  return publicFrom(await withKey(key, 'signs', read))
}

/**
 * As {@link importPublicKey}, on this thread. It cannot read a `CryptoKey`, nor RSA in browsers.
 *
 * @example
 * ```ts
 * import { exportPublicKey, generateKey, importPublicKeySync } from 'sealstone/sign'
 *
 * const raw = exportPublicKey(generateKey('ed25519').publicKey, 'raw')
 * console.log(importPublicKeySync(raw, { kind: 'ed25519' }).fingerprint.length) // 71
 * ```
 */
export function importPublicKeySync(key: Exclude<KeyLike, CryptoKeyLike>, options?: ImportPublicOptions): PublicKey {
  const kind = kindOf(options)
  if (kind !== undefined) {
    const bytes = rawOf(key)
    return publicFrom(call((sync) => sync.signPublicOf(kind, bytes)))
  }
  return publicFrom(withKeySync(key, (bytes) => call((sync) => sync.signPublicParse(bytes))))
}

/** How a private key is written. */
export interface ExportPrivateOptions {
  /** Encrypts the key; for the forms `pem`, `der` and `ssh`. */
  readonly passphrase?: string
}

/** How a public key is written. */
export interface ExportPublicOptions {
  /** The text after the key in an SSH line; only for that form. */
  readonly comment?: string
}

/**
 * Exports a private key, which is secret: as PKCS#8 in `pem`, the default, or `der`; as a JWK, which is JSON text; as OpenSSH has it,
 * `ssh`; or as its bytes, `raw`.
 *
 * @throws {@link SealstoneError} `unsupported_key` for a kind without this form, and for a passphrase of a form that has none.
 *
 * @example
 * ```ts
 * import { exportPrivateKey, generateKey } from 'sealstone/sign'
 *
 * const key = generateKey('p256-sign')
 * console.log(exportPrivateKey(key, 'raw').length) // 32
 * console.log(exportPrivateKey(key, 'ssh', { passphrase: 'correct horse' })) // -----BEGIN OPENSSH PRIVATE KEY-----…
 * ```
 */
export function exportPrivateKey(key: PrivateKey, form: Binary, options?: ExportPrivateOptions): Bytes
export function exportPrivateKey(
  key: PrivateKey,
  form?: Exclude<SignKeyForm, Binary>,
  options?: ExportPrivateOptions,
): string
export function exportPrivateKey(
  key: PrivateKey,
  form: SignKeyForm = 'pem',
  options?: ExportPrivateOptions,
): string | Bytes {
  const name = stringOf(form, 'the form')
  const passphrase = passphraseOf(readOptions<ExportPrivateOptions>(options, ['passphrase']).passphrase)
  const handle = handleOf(key, PrivateKey, 'sign')
  return call((sync) => sync.signPrivateExport(handle, name, passphrase))
}

/**
 * Exports a public key: as SubjectPublicKeyInfo in `pem`, the default, or `der`; as a JWK, which is JSON text; as a line of SSH,
 * `ssh`; or as its bytes, `raw`.
 *
 * @throws {@link SealstoneError} `unsupported_key` for a kind without this form; `invalid_option` for a comment of several lines, or of
 * another form.
 *
 * @example
 * ```ts
 * import { exportPublicKey, generateKey } from 'sealstone/sign'
 *
 * const { publicKey } = generateKey('ed25519')
 * console.log(JSON.parse(exportPublicKey(publicKey, 'jwk')).crv) // Ed25519
 * console.log(exportPublicKey(publicKey)) // -----BEGIN PUBLIC KEY-----…
 * ```
 */
export function exportPublicKey(key: PublicKey, form: Binary): Bytes
export function exportPublicKey(
  key: PublicKey,
  form?: Exclude<SignKeyForm, Binary>,
  options?: ExportPublicOptions,
): string
export function exportPublicKey(
  key: PublicKey,
  form: SignKeyForm = 'pem',
  options?: ExportPublicOptions,
): string | Bytes {
  const name = stringOf(form, 'the form')
  const comment = stringOption(readOptions<ExportPublicOptions>(options, ['comment']).comment, 'comment')
  const handle = handleOf(key, PublicKey, 'sign')
  return call((sync) => sync.signPublicExport(handle, name, comment))
}

function privateFrom(handle: Handle): PrivateKey {
  return new PrivateKey(heldFor(handle))
}

function publicFrom(handle: Handle): PublicKey {
  return new PublicKey(heldFor(handle))
}
