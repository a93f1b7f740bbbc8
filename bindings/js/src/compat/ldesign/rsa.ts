// RSA as @ldesign/crypto has it. In browsers, where WebCrypto has the keys, only the functions whose names end in `Async` work.

import { type Bytes, utf8, zero } from '../../bytes.js'
import { decode, encode } from '../../encoding.js'
import { SealstoneError } from '../../error.js'
import { readOptions, stringOf } from '../../option.js'
import * as family from '../../rsa.js'
import * as sign from '../../sign.js'
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

/** Bits of a key. Under 2,048 it is refused; `legacy.rsa` reads what such a key that exists has written. */
export type RSAKeySize = 1024 | 2048 | 3072 | 4096

type OaepHash = NonNullable<family.OaepOptions['hash']>

/** The hash of OAEP. */
export interface RSAHashOptions {
  /**
   * In either case; `sha1` by default, whose breaks do no harm here. Theirs looks at no such option and always has `sha1`, and its workers
   * `sha256`: so what theirs wrote is read whatever this says, and theirs reads `sha1` alone.
   */
  hashAlgorithm?: OaepHash | Uppercase<OaepHash>
}

/** What is decrypted: a result, or its ciphertext. */
export type Given = string | Partial<EncryptResult>

/** The options of RSA. */
export type Options = RSAOptions & RSAHashOptions

/** RSA. What it encrypts is the text's UTF-8; theirs lost all characters beyond U+00FF. */
export class RSAEncryptor {
  /**
   * Makes a pair: SubjectPublicKeyInfo and PKCS#1, as PEM. It waits for it, up to some seconds.
   *
   * @throws {@link EncryptionError} for sizes that there are not, and for 1,024 bits.
   */
  generateKeyPair(keySize: RSAKeySize = CONSTANTS.RSA.DEFAULT_KEY_SIZE): RSAKeyPair {
    const bits = lengthOf(keySize)
    return pairOf(family.generateKeySync(bits))
  }

  /** As {@link generateKeyPair}, on another thread, and in browsers. */
  async generateKeyPairAsync(keySize: RSAKeySize = CONSTANTS.RSA.DEFAULT_KEY_SIZE): Promise<RSAKeyPair> {
    const bits = lengthOf(keySize)
    return pairOf(await family.generateKey(bits))
  }

  /**
   * Encrypts a text of at most 214 bytes with 2,048 bits and OAEP.
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

  /** As {@link encrypt}, on another thread, and in browsers. */
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
   * With `PKCS1` a wrong key gives other bytes, always the same ones, and mostly, but not always, an error: to tell would be an oracle
   * (Bleichenbacher 1998). So its plaintext must be UTF-8, unless `encoding` says otherwise.
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

  /** As {@link decrypt}, on another thread, and in browsers, which have no `PKCS1`. */
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

  /** As {@link sign}, and in browsers. */
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
   * Whether a signature is that of the text. What is no key, and no signature, is not.
   *
   * @throws {@link CryptoError} for another hash than `sha256` and `sha512`, and for a key of under 2,048 bits: nothing was verified.
   */
  verify(data: string, signature: string, publicKey: string, algorithm = 'sha256'): boolean {
    const by = signedBy(algorithm)
    return isVerified(() => verifierOf(publicKey).verify(toVerify(data), decode('base64', signature), by))
  }

  /** As {@link verify}, and in browsers. */
  async verifyAsync(data: string, signature: string, publicKey: string, algorithm = 'sha256'): Promise<boolean> {
    const by = signedBy(algorithm)
    try {
      await verifierOf(publicKey).verifyAsync(toVerify(data), decode('base64', signature), by)
      return true
    } catch (error) {
      return isNone(error)
    }
  }

  /** Forgets the public keys that were read. Private ones are never kept. */
  clearKeyCache(): void {
    publicKeys.clear()
    verifiers.clear()
  }
}

const ENCRYPTOR = /* @__PURE__ */ new RSAEncryptor()

/** RSA by functions. */
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

/** Public keys that were read, the first of which leave: they are no secrets, and reading one costs more than using it. */
const publicKeys = /* @__PURE__ */ new Map<string, family.PublicKey>()
const verifiers = /* @__PURE__ */ new Map<string, sign.PublicKey>()
const KEYS_MAX = 50

function kept<Key extends { destroy(): void }>(keys: Map<string, Key>, text: string, read: () => Key): Key {
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
  return kept(publicKeys, text, () => asKey(text, 'public', () => family.importPublicKeySync(text)))
}

function privateOf(privateKey: string): family.PrivateKey {
  const text = keyText(privateKey, 'private')
  return asKey(text, 'private', () => family.importPrivateKeySync(text))
}

function verifierOf(publicKey: string): sign.PublicKey {
  const text = keyText(publicKey, 'public')
  return kept(verifiers, text, () => asKey(text, 'public', () => ofRsa(sign.importPublicKeySync(text))))
}

function signerOf(privateKey: string): sign.PrivateKey {
  const text = keyText(privateKey, 'private')
  return asKey(text, 'private', () => ofRsa(sign.importPrivateKeySync(text)))
}

function ofRsa<Key extends { readonly kind: string }>(key: Key): Key {
  if (key.kind === 'rsa-sign') return key
  throw new SealstoneError('unsupported_key', 'unsupported key: it is of another kind than RSA')
}

/** A key, or what is wrong with it: of one that is too short its bits are among the details. */
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

/** What a decryption was told, checked. */
export function toDecrypt(
  given: Given,
  privateKey: string,
  options?: Options,
): Chosen & { readonly ciphertext: Bytes } {
  if (stringOf(privateKey, 'the key').trim() === '') throw unreadable('Private key cannot be empty', 'RSA')
  const text = typeof given === 'string' ? given : (given?.data ?? '')
  return { ...chosen(options, unreadable), ciphertext: decode('base64', text) }
}

/** The hashes that OAEP may have: theirs looked at no `hashAlgorithm`, and wrote `sha1` whatever a program said. */
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

/** The plaintext under the hash that it has. */
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
  // What is missing here is no fact about the key, and what is no key is known to everybody.
  const isPublic = error instanceof SealstoneError ? error.code === 'unavailable_backend' : error instanceof CryptoError
  return isPublic ? error : notAuthentic('RSA')
}

function asEncryptionError(error: unknown): unknown {
  if (!(error instanceof SealstoneError)) return error
  const message = `Encryption Error (RSA): ${error.message}`
  return new EncryptionError(message, undefined, 'RSA', undefined, { cause: error })
}

/** A plaintext as a result, which is zeroed. */
export function readAs(plaintext: Bytes, { padding, encoding }: Chosen, algorithm: string): DecryptResult {
  try {
    const data =
      encoding === 'latin1' ? latin1(plaintext) : utf8Or(plaintext, padding === 'OAEP' && encoding === undefined)
    return { success: true, data, algorithm, authenticated: false }
  } finally {
    zero(plaintext)
  }
}

/** Theirs took the low byte of each character. OAEP says that the bytes are right, so what is no UTF-8 is of theirs. */
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

/** What was thrown as a result. */
export function failed(error: unknown, algorithm: string): DecryptResult {
  const why = { error: messageOf(error), code: resultCodeOf(error) }
  return { success: false, data: '', algorithm, authenticated: false, ...why }
}

function toSign(data: string, privateKey: string, algorithm: string): { bytes: Bytes; by: sign.SignOptions } {
  if (stringOf(data, 'the data') === '') throw refused('Data cannot be empty', 'RSA')
  if (stringOf(privateKey, 'the key').trim() === '') throw refused('Private key cannot be empty', 'RSA')
  return { bytes: utf8(data, 'the data'), by: signedBy(algorithm) }
}

/** Theirs signed with SHA-256 under every name but these, and with SHA-1, which is broken. */
export function signedBy(algorithm: string): sign.SignOptions & { readonly hash: 'sha256' | 'sha512' } {
  const name = stringOf(algorithm, 'the algorithm').toLowerCase()
  if (name === 'sha256' || name === 'sha512') return { scheme: 'pkcs1', hash: name }
  throw unsupported(
    `a signature with ${algorithm}`,
    "use sha256 or sha512; what theirs signed under any other name but sha1 is sha256's",
  )
}

/** The bytes of a text that is signed. */
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

/** False; but what is missing here, and a key that is too short, say nothing about the signature. */
function isNone(error: unknown): false {
  if (error instanceof CryptoError && error.details?.bits !== undefined) throw error
  const { cause } = error instanceof Error ? error : {}
  for (const one of [error, cause]) {
    if (one instanceof SealstoneError && one.code === 'unavailable_backend') throw one
  }
  return false
}
