// RSA as in @ldesign/crypto. In browsers, where WebCrypto holds the keys, only the functions whose names end in `Async` work.

import { decode, encode } from '../../api/encoding.js'
import * as family from '../../api/rsa.js'
import * as sign from '../../api/sign.js'
import { type Bytes, utf8, zero } from '../../basics/bytes.js'
import { SealstoneError } from '../../basics/error.js'
import { readOptions, stringOf } from '../../basics/option.js'
import {
  CryptoError,
  CryptoErrorCode,
  DecryptionError,
  EncryptionError,
  messageOf,
  notAuthentic,
  refused,
  resultCodeOf,
  unreadable,
  unsupported,
} from './errors.js'
import { textOf } from './padding.js'
import { CONSTANTS, type DecryptResult, type EncryptResult, type RSAKeyPair, type RSAOptions } from './results.js'
import { bitsOf, derOf, type Half, keyText, pem, pkcs1Of } from './rsa-forms.js'

/** Bits of a key. Fewer than 2,048 are refused; `legacy.rsa` reads existing data of such keys. */
export type RSAKeySize = 1024 | 2048 | 3072 | 4096

type OaepHash = NonNullable<family.OaepOptions['hash']>

/** The hash of OAEP. */
export interface RSAHashOptions {
  /**
   * In upper or lower case. The default is `sha1`, whose weaknesses do no harm in OAEP. The original ignores this option: it always uses
   * `sha1`, and its workers `sha256`. So this entry reads the original's data whatever this option says; the original reads only `sha1`.
   */
  hashAlgorithm?: OaepHash | Uppercase<OaepHash>
}

/** The input of a decryption: a result, or its ciphertext. */
export type Given = string | Partial<EncryptResult>

/** The options of RSA. */
export type Options = RSAOptions & RSAHashOptions

/** RSA. It encrypts the UTF-8 of the text; the original lost all characters beyond U+00FF. */
export class RSAEncryptor {
  /**
   * Makes a key pair as PEM: SubjectPublicKeyInfo and PKCS#1. The call blocks for up to some seconds.
   *
   * @throws {@link EncryptionError} for an unknown size, and for 1,024 bits.
   */
  generateKeyPair(keySize: RSAKeySize = CONSTANTS.RSA.DEFAULT_KEY_SIZE): RSAKeyPair {
    const bits = lengthOf(keySize)
    return pairOf(family.generateKeySync(bits))
  }

  /** As {@link generateKeyPair}, but on another thread. Also for browsers. */
  async generateKeyPairAsync(keySize: RSAKeySize = CONSTANTS.RSA.DEFAULT_KEY_SIZE): Promise<RSAKeyPair> {
    const bits = lengthOf(keySize)
    return pairOf(await family.generateKey(bits))
  }

  /**
   * Encrypts a short text: at most 214 bytes with 2,048 bits and OAEP.
   *
   * @throws {@link EncryptionError}.
   */
  encrypt(data: string, publicKey: string, options?: Options): EncryptResult {
    const { bytes, padding, hash } = toEncrypt(data, publicKey, options)
    const key = publicOf(publicKey)
    try {
      const ciphertext = padding === 'OAEP' ? key.encrypt(bytes, { hash }) : family.legacy.encryptPkcs1(key, bytes)
      return { success: true, data: encode('base64', ciphertext), algorithm: `RSA-${key.bits}` }
    } catch (error) {
      throw asEncryptionError(error)
    } finally {
      zero(bytes)
    }
  }

  /** As {@link encrypt}, but on another thread. Also for browsers. */
  async encryptAsync(data: string, publicKey: string, options?: Options): Promise<EncryptResult> {
    const { bytes, padding, hash } = toEncrypt(data, publicKey, options)
    const key = publicOf(publicKey)
    try {
      const ciphertext = await (padding === 'OAEP'
        ? key.encryptAsync(bytes, { hash })
        : family.legacy.encryptPkcs1Async(key, bytes))
      return { success: true, data: encode('base64', ciphertext), algorithm: `RSA-${key.bits}` }
    } catch (error) {
      throw asEncryptionError(error)
    } finally {
      zero(bytes)
    }
  }

  /**
   * Decrypts; an error is in the result.
   *
   * With `PKCS1`, a wrong key does not always give an error: it may give other bytes, the same ones each time. To report the failure would
   * be an oracle (Bleichenbacher 1998). So the plaintext must be UTF-8, unless `encoding` says otherwise.
   */
  decrypt(encryptedData: string | EncryptResult, privateKey: string, options?: Options): DecryptResult {
    let algorithm = labelOf(options)
    try {
      const told = toDecrypt(encryptedData, privateKey, options)
      const { ciphertext, padding } = told
      const key = privateOf(privateKey)
      algorithm = `RSA-${key.bits}`
      try {
        const plaintext = opened(told, (hash) =>
          padding === 'OAEP' ? key.decrypt(ciphertext, { hash }) : family.legacy.decryptPkcs1(key, ciphertext),
        )
        return readAs(plaintext, told, algorithm)
      } finally {
        key.destroy()
      }
    } catch (error) {
      return failed(error, algorithm)
    }
  }

  /** As {@link decrypt}, but on another thread. Also for browsers, which have no `PKCS1`. */
  async decryptAsync(
    encryptedData: string | EncryptResult,
    privateKey: string,
    options?: Options,
  ): Promise<DecryptResult> {
    let algorithm = labelOf(options)
    try {
      const told = toDecrypt(encryptedData, privateKey, options)
      const { ciphertext, padding } = told
      const key = privateOf(privateKey)
      algorithm = `RSA-${key.bits}`
      try {
        const plaintext = await openedLater(told, (hash) =>
          padding === 'OAEP'
            ? key.decryptAsync(ciphertext, { hash })
            : family.legacy.decryptPkcs1Async(key, ciphertext),
        )
        return readAs(plaintext, told, algorithm)
      } finally {
        key.destroy()
      }
    } catch (error) {
      return failed(error, algorithm)
    }
  }

  /**
   * Signs a text with PKCS#1 v1.5, as Base64.
   *
   * @throws {@link EncryptionError}; {@link CryptoError} for another hash than `sha256` and `sha512`.
   */
  sign(data: string, privateKey: string, algorithm = 'sha256'): string {
    const { bytes, by } = toSign(data, privateKey, algorithm)
    const key = signerOf(privateKey)
    try {
      return encode('base64', key.sign(bytes, by))
    } catch (error) {
      throw asEncryptionError(error)
    } finally {
      key.destroy()
    }
  }

  /** As {@link sign}. Also for browsers. */
  async signAsync(data: string, privateKey: string, algorithm = 'sha256'): Promise<string> {
    const { bytes, by } = toSign(data, privateKey, algorithm)
    const key = signerOf(privateKey)
    try {
      return encode('base64', await key.signAsync(bytes, by))
    } catch (error) {
      throw asEncryptionError(error)
    } finally {
      key.destroy()
    }
  }

  /**
   * Whether a signature is of the text; also `false` for a text that is no key or no signature.
   *
   * @throws {@link CryptoError} for another hash than `sha256` and `sha512`, and for a key of under 2,048 bits. Then nothing was verified.
   */
  verify(data: string, signature: string, publicKey: string, algorithm = 'sha256'): boolean {
    const by = signedBy(algorithm)
    return isVerified(() => verifierOf(publicKey).verify(toVerify(data), decode('base64', signature), by))
  }

  /** As {@link verify}. Also for browsers. */
  async verifyAsync(data: string, signature: string, publicKey: string, algorithm = 'sha256'): Promise<boolean> {
    const by = signedBy(algorithm)
    try {
      await verifierOf(publicKey).verifyAsync(toVerify(data), decode('base64', signature), by)
      return true
    } catch (error) {
      return isNone(error)
    }
  }

  /** Empties the cache of public keys. Private keys are never kept. */
  clearKeyCache(): void {
    publicKeys.clear()
    verifiers.clear()
  }
}

const ENCRYPTOR = /* @__PURE__ */ new RSAEncryptor()

/** RSA as functions. */
export const rsa = {
  generateKeyPair: (keySize?: RSAKeySize): RSAKeyPair => ENCRYPTOR.generateKeyPair(keySize),
  generateKeyPairAsync: (keySize?: RSAKeySize): Promise<RSAKeyPair> => ENCRYPTOR.generateKeyPairAsync(keySize),
  encrypt: (data: string, publicKey: string, options?: Options): EncryptResult =>
    ENCRYPTOR.encrypt(data, publicKey, options),
  encryptAsync: (data: string, publicKey: string, options?: Options): Promise<EncryptResult> =>
    ENCRYPTOR.encryptAsync(data, publicKey, options),
  decrypt: (data: string | EncryptResult, privateKey: string, options?: Options): DecryptResult =>
    ENCRYPTOR.decrypt(data, privateKey, options),
  decryptAsync: (data: string | EncryptResult, privateKey: string, options?: Options): Promise<DecryptResult> =>
    ENCRYPTOR.decryptAsync(data, privateKey, options),
  sign: (data: string, privateKey: string, algorithm?: string): string => ENCRYPTOR.sign(data, privateKey, algorithm),
  signAsync: (data: string, privateKey: string, algorithm?: string): Promise<string> =>
    ENCRYPTOR.signAsync(data, privateKey, algorithm),
  verify: (data: string, signature: string, publicKey: string, algorithm?: string): boolean =>
    ENCRYPTOR.verify(data, signature, publicKey, algorithm),
  verifyAsync: (data: string, signature: string, publicKey: string, algorithm?: string): Promise<boolean> =>
    ENCRYPTOR.verifyAsync(data, signature, publicKey, algorithm),
} as const

function lengthOf(keySize: RSAKeySize): family.RsaBits {
  if (keySize === 2048 || keySize === 3072 || keySize === 4096) return keySize
  const isShort = keySize === 1024
  const message = `Unsupported RSA key size: ${keySize}${isShort ? ', which can be broken; use 2048 or more' : ''}`
  const cause = new SealstoneError(isShort ? 'unsupported_key' : 'invalid_option', 'unsupported number of bits')
  throw new EncryptionError(`Encryption Error (RSA): ${message}`, CryptoErrorCode.INVALID_KEY, 'RSA', undefined, {
    cause,
  })
}

function pairOf(key: family.PrivateKey): RSAKeyPair {
  const der = family.exportPrivateKey(key, 'der')
  try {
    return {
      publicKey: pem('PUBLIC KEY', family.exportPublicKey(key.publicKey, 'der')),
      privateKey: pem('RSA PRIVATE KEY', pkcs1Of(der, 'private')),
    }
  } finally {
    zero(der)
    key.destroy()
  }
}

/** A cache of public keys; the oldest leave first. Public keys are no secrets, and reading one costs more than using it. */
const publicKeys = /* @__PURE__ */ new Map<string, family.PublicKey>()
const verifiers = /* @__PURE__ */ new Map<string, sign.PublicKey>()
const KEYS_MAX = 50

function cache<Key extends { destroy(): void }>(keys: Map<string, Key>, text: string, read: () => Key): Key {
  const known = keys.get(text)
  if (known !== undefined) return known
  const key = read()
  const [first] = keys.keys()
  if (keys.size >= KEYS_MAX && first !== undefined) keys.delete(first)
  keys.set(text, key)
  return key
}

function publicOf(publicKey: string): family.PublicKey {
  const text = keyText(publicKey, 'public')
  return cache(publicKeys, text, () => asKey(text, 'public', () => family.importPublicKeySync(text)))
}

function privateOf(privateKey: string): family.PrivateKey {
  const text = keyText(privateKey, 'private')
  return asKey(text, 'private', () => family.importPrivateKeySync(text))
}

function verifierOf(publicKey: string): sign.PublicKey {
  const text = keyText(publicKey, 'public')
  return cache(verifiers, text, () => asKey(text, 'public', () => ofRsa(sign.importPublicKeySync(text))))
}

function signerOf(privateKey: string): sign.PrivateKey {
  const text = keyText(privateKey, 'private')
  return asKey(text, 'private', () => ofRsa(sign.importPrivateKeySync(text)))
}

function ofRsa<Key extends { readonly kind: string }>(key: Key): Key {
  if (key.kind === 'rsa-sign') return key
  throw new SealstoneError('unsupported_key', 'unsupported key: it is of another kind than RSA')
}

/** Reads a key, or throws an error that says what is wrong. For a short key, the details have its bits. */
function asKey<Key>(text: string, half: Half, read: () => Key): Key {
  try {
    return read()
  } catch (cause) {
    const der = derOf(text)
    const bits = bitsOf(der, half)
    zero(der)
    const isShort = bits > 0 && bits < 2048
    const message = `Invalid ${half} key format: ${messageOf(cause)}${isShort ? SHORT : ''}`
    const Failure = half === 'public' ? EncryptionError : DecryptionError
    throw new Failure(message, CryptoErrorCode.INVALID_KEY, 'RSA', isShort ? { bits } : undefined, { cause })
  }
}

const SHORT = '; what a key of 1024 bits has written is read by legacy.rsa'

type Padding = 'OAEP' | 'PKCS1'
interface Chosen {
  readonly padding: Padding
  readonly hash: OaepHash
  readonly encoding: Options['encoding']
}

const OPTIONS = ['keyFormat', 'keySize', 'padding', 'encoding', 'hashAlgorithm'] as const
const HASHES = ['sha1', 'sha256', 'sha384', 'sha512'] as const satisfies OaepHash[]

function chosen(options: Options | undefined, wrong: typeof refused): Chosen {
  const { padding = 'OAEP', hashAlgorithm = 'sha1', encoding } = readOptions<Options>(options, OPTIONS)
  const invalid = (name: string, known: readonly string[]): Error =>
    wrong(`Invalid ${name}. Must be one of: ${known.join(', ')}`, 'RSA', CryptoErrorCode.INVALID_PARAMETER)
  const digest = stringOf(hashAlgorithm, 'hashAlgorithm').toLowerCase()
  const hash = HASHES.find((name) => name === digest)
  if (hash === undefined) throw invalid('hashAlgorithm', HASHES)
  if (encoding !== undefined && encoding !== 'utf8' && encoding !== 'latin1')
    throw invalid('encoding', ['utf8', 'latin1'])
  const name = stringOf(padding, 'padding').toUpperCase()
  if (name !== 'OAEP' && name !== 'PKCS1') throw unsupported(`padding: ${padding}`, 'use OAEP')
  return { padding: name, hash, encoding }
}

function toEncrypt(data: string, publicKey: string, options?: Options): Chosen & { readonly bytes: Bytes } {
  if (stringOf(data, 'the data') === '') throw refused('Data cannot be empty', 'RSA')
  if (stringOf(publicKey, 'the key').trim() === '') throw refused('Public key cannot be empty', 'RSA')
  return { ...chosen(options, refused), bytes: utf8(data, 'the data') }
}

/** The checked arguments of a decryption. */
export function toDecrypt(
  given: Given,
  privateKey: string,
  options?: Options,
): Chosen & { readonly ciphertext: Bytes } {
  if (stringOf(privateKey, 'the key').trim() === '') throw unreadable('Private key cannot be empty', 'RSA')
  const text = typeof given === 'string' ? given : (given?.data ?? '')
  return { ...chosen(options, unreadable), ciphertext: decode('base64', text) }
}

/** The hashes to try with OAEP: the original ignored `hashAlgorithm`, and always wrote `sha1`. */
function hashesOf({ padding, hash }: Chosen): readonly OaepHash[] {
  return padding === 'OAEP' && hash !== 'sha1' ? [hash, 'sha1'] : [hash]
}

function opened(told: Chosen, decrypt: (hash: OaepHash) => Bytes): Bytes {
  let failure: unknown
  for (const hash of hashesOf(told)) {
    try {
      return decrypt(hash)
    } catch (error) {
      failure = error
    }
  }
  throw asDecryptionError(failure)
}

/** The plaintext, with the first hash that fits. */
export async function openedLater(told: Chosen, decrypt: (hash: OaepHash) => Promise<Bytes>): Promise<Bytes> {
  let failure: unknown
  for (const hash of hashesOf(told)) {
    try {
      return await decrypt(hash)
    } catch (error) {
      failure = error
    }
  }
  throw asDecryptionError(failure)
}

function asDecryptionError(error: unknown): unknown {
  // A missing backend says nothing about the key, and everybody can see that a text is no key.
  const isPublic = error instanceof SealstoneError ? error.code === 'unavailable_backend' : error instanceof CryptoError
  return isPublic ? error : notAuthentic('RSA')
}

function asEncryptionError(error: unknown): unknown {
  if (!(error instanceof SealstoneError)) return error
  const message = `Encryption Error (RSA): ${error.message}`
  return new EncryptionError(message, undefined, 'RSA', undefined, { cause: error })
}

/** A result with the plaintext, whose bytes it zeroes. */
export function readAs(plaintext: Bytes, { padding, encoding }: Chosen, algorithm: string): DecryptResult {
  try {
    const data =
      encoding === 'latin1' ? latin1(plaintext) : utf8Or(plaintext, padding === 'OAEP' && encoding === undefined)
    return { success: true, data, algorithm, authenticated: false }
  } finally {
    zero(plaintext)
  }
}

/** The original took the low byte of each character. OAEP shows that the bytes are right: if they are no UTF-8, the original wrote them. */
function utf8Or(plaintext: Bytes, elseLatin1: boolean): string {
  try {
    return textOf(plaintext)
  } catch {
    if (elseLatin1) return latin1(plaintext)
    throw notAuthentic('RSA')
  }
}

function latin1(bytes: Bytes): string {
  return Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
}

function labelOf(options: Options | undefined): string {
  return `RSA-${options?.keySize ?? CONSTANTS.RSA.DEFAULT_KEY_SIZE}`
}

/** The failed result for a thrown value. */
export function failed(error: unknown, algorithm: string): DecryptResult {
  const why = { error: messageOf(error), code: resultCodeOf(error) }
  return { success: false, data: '', algorithm, authenticated: false, ...why }
}

function toSign(data: string, privateKey: string, algorithm: string): { bytes: Bytes; by: sign.SignOptions } {
  if (stringOf(data, 'the data') === '') throw refused('Data cannot be empty', 'RSA')
  if (stringOf(privateKey, 'the key').trim() === '') throw refused('Private key cannot be empty', 'RSA')
  return { bytes: utf8(data, 'the data'), by: signedBy(algorithm) }
}

/** The original used SHA-256 under every unknown name, and also signed with SHA-1, which is broken. */
export function signedBy(algorithm: string): sign.SignOptions & { readonly hash: 'sha256' | 'sha512' } {
  const name = stringOf(algorithm, 'the algorithm').toLowerCase()
  if (name === 'sha256' || name === 'sha512') return { scheme: 'pkcs1', hash: name }
  throw unsupported(
    `a signature with ${algorithm}`,
    'use sha256 or sha512; under any other name but sha1, the original signed with sha256',
  )
}

/** The bytes of a signed text. */
export function toVerify(data: string): Bytes {
  if (stringOf(data, 'the data') === '') throw unreadable('Data cannot be empty', 'RSA')
  return utf8(data, 'the data')
}

function isVerified(verify: () => void): boolean {
  try {
    verify()
    return true
  } catch (error) {
    return isNone(error)
  }
}

/** False. But it throws for a missing backend and a short key, which say nothing about the signature. */
function isNone(error: unknown): false {
  if (error instanceof CryptoError && error.details?.bits !== undefined) throw error
  const { cause } = error instanceof Error ? error : {}
  for (const one of [error, cause]) {
    if (one instanceof SealstoneError && one.code === 'unavailable_backend') throw one
  }
  return false
}
