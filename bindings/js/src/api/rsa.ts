/**
 * RSA encryption, for protocols that already use it: OAEP, and PKCS#1 v1.5 under {@link legacy}. It encrypts the key of a cipher, not data.
 * `sealstone` encrypts files and data to public keys, and `sealstone/exchange` has what withstands quantum computers.
 *
 * In browsers, RSA is that of WebCrypto, which has asynchronous functions only: there, the functions whose names end in `Async` work, and
 * the others fail with
 * `unavailable_backend`.
 *
 * @module sealstone/rsa
 */

import type { OaepOptions as Crossing, Handle } from '../backend/calls.js'
import { type BinaryLike, type Bytes, type BytesLike, binaryOf, bytesOf } from '../basics/bytes.js'
import { readOptions, stringOf, stringOption, wholeNumber } from '../basics/option.js'
import { branded } from '../basics/receiver.js'
import { bulk, call, callLater } from '../work/exchange-calls.js'
import { type Held, heldOf, isHeld } from '../work/handle.js'
import { type CryptoKeyLike, type KeyLike, withKey, withKeySync } from '../work/key-like.js'
import { handleOf, heldFor, PrivateHalf, PublicHalf, passphraseOf } from '../work/pair.js'
import { type RunOptions, runOf, watched } from '../work/run.js'

export type { BinaryLike, Bytes, BytesLike } from '../basics/bytes.js'
export { SealstoneError } from '../basics/error.js'
export type { CryptoKeyLike, Jwk, KeyLike, KeyObjectLike } from '../work/key-like.js'
export type { RunOptions } from '../work/run.js'

/** The options of OAEP, on which both sides have agreed. */
export interface OaepOptions {
  /** The hash of OAEP and of its MGF1, SHA-256 by default. SHA-1, which is broken for signatures, does no harm here. */
  readonly hash?: 'sha1' | 'sha256' | 'sha384' | 'sha512'
  /** Bound to the ciphertext, and not sent; empty by default. */
  readonly label?: BytesLike
}

/** How many bits a new key has. */
export type RsaBits = 2048 | 3072 | 4096

/** The forms of a key: `der` is PKCS#8 or SubjectPublicKeyInfo. */
export type RsaKeyForm = 'pem' | 'der' | 'jwk'

/**
 * A private key, which decrypts. It is opaque: nothing prints it, and only {@link exportPrivateKey} returns it. It is zeroed by `destroy`,
 * or after it is collected.
 *
 * @example
 * ```ts
 * import { randomBytes } from 'node:crypto'
 * import { generateKey, type PrivateKey } from 'sealstone/rsa'
 *
 * const key: PrivateKey = await generateKey(2048)
 * const ciphertext = key.publicKey.encrypt(randomBytes(32), { label: 'example.com v1' })
 * console.log(key.decrypt(ciphertext, { label: 'example.com v1' }).length) // 32
 * ```
 */
export class PrivateKey extends PrivateHalf<PublicKey> {
  /** Bits of the modulus. */
  readonly bits: number

  /** @internal */
  static readonly brand: string = /* @__PURE__ */ branded(
    this,
    'rsa.PrivateKey',
    (value) => value instanceof PrivateKey && isHeld(value),
  )

  /** @internal */
  constructor(held: Held) {
    super(held)
    this.bits = call((sync) => sync.rsaPrivateBits(held.handle))
  }

  /**
   * Decrypts with OAEP.
   *
   * @throws {@link SealstoneError} `wrong_length` for a ciphertext that is not as long as the modulus; `not_authentic` for all else, so
   * that the error does not tell whether the key, the hash, the label or a byte differs.
   */
  decrypt(ciphertext: BinaryLike, options?: OaepOptions): Bytes {
    const oaep = oaepOf(options)
    const bytes = binaryOf(ciphertext, CIPHERTEXT)
    const { handle } = heldOf(this, 'key')
    return call((sync) => sync.rsaDecrypt(handle, bytes, ...oaep))
  }

  /** As {@link decrypt}, on another thread, and in browsers. */
  async decryptAsync(ciphertext: BinaryLike, options?: OaepOptions): Promise<Bytes> {
    const oaep = oaepOf(options)
    const bytes = binaryOf(ciphertext, CIPHERTEXT)
    const { handle } = heldOf(this, 'key')
    return callLater((bulk) => bulk.rsaDecryptLater(handle, bytes, ...oaep))
  }

  /** @internal */
  protected override named(): string {
    return `rsa, ${this.bits} bits`
  }

  /** @internal */
  protected override other(handle: Handle): PublicKey {
    return publicFrom(call((sync) => sync.rsaPublicKey(handle)))
  }
}

/**
 * A public key, which encrypts.
 *
 * @example
 * ```ts
 * import { generateKeyPairSync, privateDecrypt } from 'node:crypto'
 * import { importPublicKeySync, type PublicKey } from 'sealstone/rsa'
 *
 * const pair = generateKeyPairSync('rsa', { modulusLength: 2048 })
 * const key: PublicKey = importPublicKeySync(pair.publicKey)
 * const ciphertext = key.encrypt('a key of 32 bytes')
 * console.log(privateDecrypt({ key: pair.privateKey, oaepHash: 'sha256' }, ciphertext).toString()) // a key of 32 bytes
 * ```
 */
export class PublicKey extends PublicHalf {
  /** Bits of the modulus. */
  readonly bits: number

  /** @internal */
  static readonly brand: string = /* @__PURE__ */ branded(
    this,
    'rsa.PublicKey',
    (value) => value instanceof PublicKey && isHeld(value),
  )

  /** @internal */
  constructor(held: Held) {
    super(held)
    this.bits = call((sync) => sync.rsaPublicBits(held.handle))
  }

  /**
   * Encrypts with OAEP data that is at most as long as the modulus, less two digests and 2 bytes: 190 bytes with 2,048 bits and SHA-256.
   *
   * @throws {@link SealstoneError} `too_long`; `unknown_algorithm` for a hash that OAEP does not have here.
   */
  encrypt(data: BytesLike, options?: OaepOptions): Bytes {
    const oaep = oaepOf(options)
    const bytes = bytesOf(data, DATA)
    const { handle } = heldOf(this, 'key')
    return call((sync) => sync.rsaEncrypt(handle, bytes, ...oaep))
  }

  /** As {@link encrypt}, on another thread, and in browsers. */
  async encryptAsync(data: BytesLike, options?: OaepOptions): Promise<Bytes> {
    const oaep = oaepOf(options)
    const bytes = bytesOf(data, DATA)
    const { handle } = heldOf(this, 'key')
    return callLater((bulk) => bulk.rsaEncryptLater(handle, bytes, ...oaep))
  }

  /** @internal */
  protected override named(): string {
    return `rsa, ${this.bits} bits`
  }
}

const [DATA, CIPHERTEXT] = ['the data', 'the ciphertext'] as const

function oaepOf(options: OaepOptions | undefined): Crossing {
  const { hash, label = '' } = readOptions<OaepOptions>(options, ['hash', 'label'])
  return [stringOption(hash, 'hash'), bytesOf(label, 'the label')]
}

/**
 * PKCS#1 v1.5 encryption, for protocols that already use it; new ones use OAEP. A message is at least 11 bytes shorter than the modulus.
 *
 * Decryption never says whether the padding was right, with which anyone could decrypt (Bleichenbacher 1998): a ciphertext that is damaged,
 * or for another key, decrypts to a message of random length and bytes, always the same message. So a later step must authenticate the
 * result. If the result must have a certain length, replace a result of another length by a random key, and go on. Browsers do not decrypt it.
 *
 * @example
 * ```ts
 * import { generateKey, legacy } from 'sealstone/rsa'
 *
 * const key = await generateKey(2048)
 * const ciphertext = legacy.encryptPkcs1(key.publicKey, 'a session key')
 * console.log(legacy.decryptPkcs1(key, ciphertext).length) // 13
 * // That was no ciphertext, which nothing says.
 * console.log(legacy.decryptPkcs1(key, new Uint8Array(256).fill(1)).length < 246) // true
 * ```
 */
export const legacy = {
  /**
   * Encrypts data that is at least 11 bytes shorter than the modulus.
   *
   * @throws {@link SealstoneError} `too_long`.
   */
  encryptPkcs1(key: PublicKey, data: BytesLike): Bytes {
    const handle = handleOf(key, PublicKey, 'rsa')
    const bytes = bytesOf(data, DATA)
    return call((sync) => sync.rsaEncryptPkcs1(handle, bytes))
  },

  /** As `encryptPkcs1`, on another thread. */
  async encryptPkcs1Async(key: PublicKey, data: BytesLike): Promise<Bytes> {
    const handle = handleOf(key, PublicKey, 'rsa')
    const bytes = bytesOf(data, DATA)
    return callLater((bulk) => bulk.rsaEncryptPkcs1Later(handle, bytes))
  },

  /**
   * Decrypts.
   *
   * @throws {@link SealstoneError} `wrong_length` for a ciphertext that is not as long as the modulus; `malformed_ciphertext` for one that is
   * not below it: both are seen without the private key.
   */
  decryptPkcs1(key: PrivateKey, ciphertext: BinaryLike): Bytes {
    const handle = handleOf(key, PrivateKey, 'rsa')
    const bytes = binaryOf(ciphertext, CIPHERTEXT)
    return call((sync) => sync.rsaDecryptPkcs1(handle, bytes))
  },

  /** As `decryptPkcs1`, on another thread. */
  async decryptPkcs1Async(key: PrivateKey, ciphertext: BinaryLike): Promise<Bytes> {
    const handle = handleOf(key, PrivateKey, 'rsa')
    const bytes = binaryOf(ciphertext, CIPHERTEXT)
    return callLater((bulk) => bulk.rsaDecryptPkcs1Later(handle, bytes))
  },
} as const

/**
 * Makes a new key, of 3,072 bits by default, on another thread; it takes from a tenth of a second to some seconds.
 *
 * @throws {@link SealstoneError} `invalid_option` for another number of bits; the reason of the signal.
 *
 * @example
 * ```ts
 * import { generateKey } from 'sealstone/rsa'
 *
 * const key = await generateKey(2048, { signal: AbortSignal.timeout(60_000) })
 * console.log(key.bits, String(key)) // 2048 PrivateKey(rsa, 2048 bits)
 * ```
 */
export async function generateKey(bits: RsaBits = 3072, options?: Pick<RunOptions, 'signal'>): Promise<PrivateKey> {
  const run = runOf(readOptions<RunOptions>(options, ['signal']))
  const count = wholeNumber(bits, 'bits', 0, 2 ** 31 - 1)
  return privateFrom(await watched(run, (job) => bulk().rsaGenerateLater(count, job)))
}

/**
 * As {@link generateKey}, and waits for it: nothing else runs on this thread for up to some seconds.
 *
 * @throws {@link SealstoneError} `invalid_option`; `unavailable_backend` in browsers, where {@link generateKey} makes keys.
 *
 * @example
 * ```ts
 * import { generateKeySync } from 'sealstone/rsa'
 *
 * console.log(generateKeySync(2048).bits) // 2048
 * ```
 */
export function generateKeySync(bits: RsaBits = 3072): PrivateKey {
  const count = wholeNumber(bits, 'bits', 0, 2 ** 31 - 1)
  return privateFrom(call((sync) => sync.rsaGenerate(count)))
}

/** How a private key is read. */
export interface ImportPrivateOptions {
  /** For an encrypted key. A wrong passphrase has the code `no_matching_identity`. */
  readonly passphrase?: string
}

/**
 * Reads a private key: PKCS#8 and PKCS#1 as PEM and DER, plain or encrypted, a JWK, a `KeyObject` or an extractable `CryptoKey`. If it is
 * encrypted, another thread computes its password hash.
 *
 * @throws {@link SealstoneError} `invalid_key` for what is damaged, for a public key, and for one of under 2,048 or over 8,192 bits;
 * `unsupported_key`, `passphrase_required`, `no_matching_identity` for a wrong passphrase, `cost_too_high`.
 *
 * @example
 * ```ts
 * import { generateKeyPairSync } from 'node:crypto'
 * import { importPrivateKey } from 'sealstone/rsa'
 *
 * console.log((await importPrivateKey(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey)).bits) // 2048
 * ```
 */
export async function importPrivateKey(key: KeyLike, options?: ImportPrivateOptions): Promise<PrivateKey> {
  const passphrase = passphraseOption(options)
  const read = (bytes: Bytes): Promise<Handle> => callLater((bulk) => bulk.rsaPrivateParseLater(bytes, passphrase))
  return privateFrom(await withKey(key, 'encrypts', read))
}

/**
 * As {@link importPrivateKey}, on this thread. It cannot read a `CryptoKey`.
 *
 * @example
 * ```ts
 * import { generateKeyPairSync } from 'node:crypto'
 * import { importPrivateKeySync } from 'sealstone/rsa'
 *
 * console.log(importPrivateKeySync(generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey).bits) // 2048
 * ```
 */
export function importPrivateKeySync(key: Exclude<KeyLike, CryptoKeyLike>, options?: ImportPrivateOptions): PrivateKey {
  const passphrase = passphraseOption(options)
  const read = (bytes: Bytes): Handle => call((sync) => sync.rsaPrivateParse(bytes, passphrase))
  return privateFrom(withKeySync(key, read))
}

/**
 * Reads a public key: SubjectPublicKeyInfo, PKCS#1 and an X.509 certificate as PEM and DER, a JWK, a `KeyObject` or an extractable
 * `CryptoKey`. A certificate is read for its key only: nothing in it is verified.
 *
 * @throws {@link SealstoneError} `invalid_key` for what is damaged, for a private key, and for one of under 2,048 or over 8,192 bits;
 * `unsupported_key`.
 *
 * @example
 * ```ts
 * import { generateKeyPairSync } from 'node:crypto'
 * import { importPublicKey } from 'sealstone/rsa'
 *
 * console.log((await importPublicKey(generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey)).bits) // 2048
 * ```
 */
export async function importPublicKey(key: KeyLike): Promise<PublicKey> {
  const read = (bytes: Bytes): Promise<Handle> => callLater((bulk) => bulk.rsaPublicParseLater(bytes))
  return publicFrom(await withKey(key, 'encrypts', read))
}

/**
 * As {@link importPublicKey}, on this thread. It cannot read a `CryptoKey`.
 *
 * @example
 * ```ts
 * import { exportPublicKey, generateKey, importPublicKeySync } from 'sealstone/rsa'
 *
 * console.log(importPublicKeySync(exportPublicKey((await generateKey(2048)).publicKey)).bits) // 2048
 * ```
 */
export function importPublicKeySync(key: Exclude<KeyLike, CryptoKeyLike>): PublicKey {
  return publicFrom(withKeySync(key, (bytes) => call((sync) => sync.rsaPublicParse(bytes))))
}

/** How a private key is written. */
export interface ExportPrivateOptions {
  /** Encrypts the key; for the forms `pem` and `der`. */
  readonly passphrase?: string
}

/**
 * Exports a private key, which is secret: as PKCS#8 in `pem`, the default, or `der`, or as a JWK, which is JSON text.
 *
 * @throws {@link SealstoneError} `unsupported_key` for a passphrase of a JWK.
 *
 * @example
 * ```ts
 * import { exportPrivateKey, generateKey } from 'sealstone/rsa'
 *
 * console.log(exportPrivateKey(await generateKey(2048), 'pem', { passphrase: 'correct horse battery staple' }))
 * ```
 */
export function exportPrivateKey(key: PrivateKey, form: 'der', options?: ExportPrivateOptions): Bytes
export function exportPrivateKey(
  key: PrivateKey,
  form?: Exclude<RsaKeyForm, 'der'>,
  options?: ExportPrivateOptions,
): string
export function exportPrivateKey(
  key: PrivateKey,
  form: RsaKeyForm = 'pem',
  options?: ExportPrivateOptions,
): string | Bytes {
  const name = stringOf(form, 'the form')
  const passphrase = passphraseOption(options)
  const handle = handleOf(key, PrivateKey, 'rsa')
  return call((sync) => sync.rsaPrivateExport(handle, name, passphrase))
}

/**
 * Exports a public key: as SubjectPublicKeyInfo in `pem`, the default, or `der`, or as a JWK, which is JSON text.
 *
 * @example
 * ```ts
 * import { exportPublicKey, generateKey } from 'sealstone/rsa'
 *
 * console.log(exportPublicKey((await generateKey(2048)).publicKey)) // -----BEGIN PUBLIC KEY-----…
 * ```
 */
export function exportPublicKey(key: PublicKey, form: 'der'): Bytes
export function exportPublicKey(key: PublicKey, form?: Exclude<RsaKeyForm, 'der'>): string
export function exportPublicKey(key: PublicKey, form: RsaKeyForm = 'pem'): string | Bytes {
  const name = stringOf(form, 'the form')
  const handle = handleOf(key, PublicKey, 'rsa')
  return call((sync) => sync.rsaPublicExport(handle, name))
}

function privateFrom(handle: Handle): PrivateKey {
  return new PrivateKey(heldFor(handle))
}

function publicFrom(handle: Handle): PublicKey {
  return new PublicKey(heldFor(handle))
}

function passphraseOption(options: ExportPrivateOptions | ImportPrivateOptions | undefined): Bytes | undefined {
  return passphraseOf(readOptions<ExportPrivateOptions>(options, ['passphrase']).passphrase)
}
