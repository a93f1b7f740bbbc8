// The ciphers of @ldesign/crypto by their names, and keys and signatures.

import { branded } from '../../basics/receiver.js'
import { aes } from './aes.js'
import { des, tripledes } from './des.js'
import { base64, Encoder, encoding, hex } from './encoding.js'
import { messageOf, resultCodeOf, unreadable, unsupported } from './errors.js'
import { RandomUtils } from './random.js'
import type {
  AESOptions,
  BlowfishOptions,
  DESOptions,
  DecryptResult,
  EncodingType,
  EncryptionAlgorithm,
  EncryptionOptions,
  EncryptResult,
  IEncryptor,
  RSAKeyPair,
  RSAOptions,
  TripleDESOptions,
} from './results.js'
import { type RSAKeySize, rsa } from './rsa.js'

/** Always refuses: the original's Blowfish was AES under another name. `legacy.blowfish` reads its data. */
export class BlowfishEncryptor implements IEncryptor<BlowfishOptions> {
  encrypt(data: string, key: string, options?: BlowfishOptions): EncryptResult {
    return blowfish.encrypt(data, key, options)
  }

  decrypt(encryptedData: string | EncryptResult, key: string, options?: BlowfishOptions): DecryptResult {
    return blowfish.decrypt(encryptedData, key, options)
  }
}

/** As {@link BlowfishEncryptor}. */
export const blowfish = {
  encrypt: (_data: string, _key: string, _options?: BlowfishOptions): EncryptResult =>
    without('Blowfish', unsupported('Blowfish', 'the original wrote AES; use encryptWithAuth, or aes')),
  decrypt: (_data: string | EncryptResult, _key: string, _options?: BlowfishOptions): DecryptResult => ({
    ...without('Blowfish', unsupported('Blowfish', 'legacy.blowfish.decrypt reads what the original wrote')),
    authenticated: false,
  }),
} as const

/** Encrypts with an algorithm by its name. */
export class Encrypt {
  aes(data: string, key: string, options?: AESOptions): EncryptResult {
    return aes.encrypt(data, key, options)
  }

  aes128(data: string, key: string, options?: Omit<AESOptions, 'keySize'>): EncryptResult {
    return aes.encrypt128(data, key, options)
  }

  aes192(data: string, key: string, options?: Omit<AESOptions, 'keySize'>): EncryptResult {
    return aes.encrypt192(data, key, options)
  }

  aes256(data: string, key: string, options?: Omit<AESOptions, 'keySize'>): EncryptResult {
    return aes.encrypt256(data, key, options)
  }

  rsa(data: string, publicKey: string, options?: RSAOptions): EncryptResult {
    return rsa.encrypt(data, publicKey, options)
  }

  des(data: string, key: string, options?: DESOptions): EncryptResult {
    return des.encrypt(data, key, options)
  }

  des3(data: string, key: string, options?: TripleDESOptions): EncryptResult {
    return tripledes.encrypt(data, key, options)
  }

  tripledes(data: string, key: string, options?: TripleDESOptions): EncryptResult {
    return tripledes.encrypt(data, key, options)
  }

  blowfish(data: string, key: string, options?: BlowfishOptions): EncryptResult {
    return blowfish.encrypt(data, key, options)
  }

  /** Encrypts. An error is in the result, but RSA throws it. */
  encrypt(data: string, key: string, algorithm: EncryptionAlgorithm, options?: EncryptionOptions): EncryptResult {
    const by = byName(algorithm)
    if (by !== undefined) return by.encrypt(data, key, options as never)
    const why = unsupported(`Unsupported encryption algorithm: ${algorithm}`, NAMES)
    return without(String(algorithm), why)
  }

  base64(data: string): string {
    return base64.encode(data)
  }

  base64Url(data: string): string {
    return base64.encodeUrl(data)
  }

  hex(data: string): string {
    return hex.encode(data)
  }

  encode(data: string, type: EncodingType): string {
    return encoding.encode(data, type)
  }
}

/** Decrypts with an algorithm by its name. */
export class Decrypt {
  readonly #encoder = Encoder.getInstance()

  /** @internal */
  static readonly brand: string = /* @__PURE__ */ branded(this, 'ldesign.Decrypt', (value) => #encoder in value)

  aes(data: string | EncryptResult, key: string, options?: AESOptions): DecryptResult {
    return aes.decrypt(data, key, options)
  }

  aes128(data: string | EncryptResult, key: string, options?: Omit<AESOptions, 'keySize'>): DecryptResult {
    return aes.decrypt128(data, key, options)
  }

  aes192(data: string | EncryptResult, key: string, options?: Omit<AESOptions, 'keySize'>): DecryptResult {
    return aes.decrypt192(data, key, options)
  }

  aes256(data: string | EncryptResult, key: string, options?: Omit<AESOptions, 'keySize'>): DecryptResult {
    return aes.decrypt256(data, key, options)
  }

  rsa(data: string | EncryptResult, privateKey: string, options?: RSAOptions): DecryptResult {
    return rsa.decrypt(data, privateKey, options)
  }

  des(data: string | EncryptResult, key: string, options?: DESOptions): DecryptResult {
    return des.decrypt(data, key, options)
  }

  des3(data: string | EncryptResult, key: string, options?: TripleDESOptions): DecryptResult {
    return tripledes.decrypt(data, key, options)
  }

  tripledes(data: string | EncryptResult, key: string, options?: TripleDESOptions): DecryptResult {
    return tripledes.decrypt(data, key, options)
  }

  blowfish(data: string | EncryptResult, key: string, options?: BlowfishOptions): DecryptResult {
    return blowfish.decrypt(data, key, options)
  }

  /** Decrypts. The algorithm is the one in the result, or else `algorithm`. If the two differ, it refuses. */
  decrypt(
    data: string | EncryptResult,
    key: string,
    algorithm?: EncryptionAlgorithm,
    options?: EncryptionOptions,
  ): DecryptResult {
    const said = (typeof data === 'object' && data?.algorithm) || algorithm
    if (!said) {
      const why = unsupported('Algorithm must be specified for decryption: no algorithm', NAMES)
      return { ...without('Unknown', why), authenticated: false }
    }
    const by = byName(said)
    if (by !== undefined && algorithm && byName(algorithm) !== by) {
      const why = unreadable(`the data say ${said}, where ${algorithm} is asked for`, String(algorithm))
      return { ...without(String(algorithm), why), authenticated: false }
    }
    if (by !== undefined) return by.decrypt(data, key, options as never)
    const why = unsupported(`Unsupported decryption algorithm: ${said}`, NAMES)
    return { ...without(said, why), authenticated: false }
  }

  base64(data: string): string {
    return base64.decode(data)
  }

  base64Url(data: string): string {
    return base64.decodeUrl(data)
  }

  hex(data: string): string {
    return hex.decode(data)
  }

  decode(data: string, type: EncodingType): string {
    return this.#encoder.decode(data, type)
  }
}

export const encrypt = /* @__PURE__ */ new Encrypt()
export const decrypt = /* @__PURE__ */ new Decrypt()

const NAMES = 'use AES, RSA, DES or 3DES'

/** A cipher by its name, in either case. Results of RSA have the bits of the key in the name. */
function byName(algorithm: string): typeof aes | typeof rsa | typeof des | typeof blowfish | undefined {
  const name = String(algorithm).toUpperCase()
  if (name === 'AES') return aes
  if (name === 'RSA' || name.startsWith('RSA-')) return rsa
  if (name === 'DES') return des
  if (name === '3DES') return tripledes
  return name === 'BLOWFISH' ? blowfish : undefined
}

/** Whether the caller gave the IV. */
export function hasIv(options: EncryptionOptions | undefined): boolean {
  return options !== undefined && Object.hasOwn(options, 'iv') && !!(options as AESOptions).iv
}

/** The result of a failure. */
function without(algorithm: string, error: unknown): EncryptResult {
  return { success: false, data: '', algorithm, error: messageOf(error), code: resultCodeOf(error) }
}

/** Random keys as hexadecimal digits, and key pairs of RSA. */
export class KeyGenerator {
  /** `length` random bytes, 32 by default. */
  generateKey(length?: number): string {
    return RandomUtils.generateKey(length)
  }

  generateRandomBytes(length: number): string {
    return RandomUtils.generateRandomString(length)
  }

  /** `length` random bytes, 16 by default. */
  generateSalt(length?: number): string {
    return RandomUtils.generateSalt(length)
  }

  /** `length` random bytes, 16 by default. */
  generateIV(length?: number): string {
    return RandomUtils.generateIV(length)
  }

  /** As `generateKeyPair` of {@link rsa}. */
  generateRSAKeyPair(keySize?: RSAKeySize): RSAKeyPair {
    return rsa.generateKeyPair(keySize)
  }

  /** As `generateKeyPairAsync` of {@link rsa}. */
  generateRSAKeyPairAsync(keySize?: RSAKeySize): Promise<RSAKeyPair> {
    return rsa.generateKeyPairAsync(keySize)
  }
}

export const keyGenerator = /* @__PURE__ */ new KeyGenerator()

/** RSA signatures. */
export class DigitalSignature {
  sign(data: string, privateKey: string, algorithm?: string): string {
    return rsa.sign(data, privateKey, algorithm)
  }

  signAsync(data: string, privateKey: string, algorithm?: string): Promise<string> {
    return rsa.signAsync(data, privateKey, algorithm)
  }

  verify(data: string, signature: string, publicKey: string, algorithm?: string): boolean {
    return rsa.verify(data, signature, publicKey, algorithm)
  }

  verifyAsync(data: string, signature: string, publicKey: string, algorithm?: string): Promise<boolean> {
    return rsa.verifyAsync(data, signature, publicKey, algorithm)
  }
}

export const digitalSignature = /* @__PURE__ */ new DigitalSignature()
