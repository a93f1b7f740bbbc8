// Keys from passwords, as in @ldesign/crypto: PBKDF2 with a text as salt.

import { decode, encode, timingSafeEqual } from '../../api/encoding.js'
import { hashHex } from '../../api/hash.js'
import { pbkdf2Sync } from '../../api/kdf.js'
import { randomBytes } from '../../api/random.js'
import { utf8, zero } from '../../basics/bytes.js'
import { readOptions, stringOf, wholeNumber } from '../../basics/option.js'
import { unsupported, ValidationError } from './errors.js'

type Hasher = 'SHA256' | 'SHA512'

export interface KeyDerivationOptions {
  /** Any text, used as its UTF-8; 32 random hexadecimal digits by default. */
  salt?: string
  /** 10,000 by default, which is too few today: OWASP asks for 600,000. */
  iterations?: number
  /** Bytes of the key: 32 by default. */
  keySize?: number
  /** `SHA256` by default, in either case. */
  hasher?: Hasher | Lowercase<Hasher>
}

export interface KeyDerivationResult {
  /** Hexadecimal digits. */
  key: string
  salt: string
  iterations: number
  keySize: number
}

const OPTIONS = ['salt', 'iterations', 'keySize', 'hasher'] as const
const ITERATIONS = 10_000
const KEY_LEN = 32
const SALT_LEN = 16

/** Derives keys from passwords. */
export class KeyDerivation {
  /**
   * Derives the key of a password.
   *
   * @throws {@link SealstoneError} `cost_too_high` beyond 10,000,000 rounds; {@link ValidationError} for an empty salt.
   */
  static deriveKey(password: string, options?: KeyDerivationOptions): KeyDerivationResult {
    const told = readOptions<KeyDerivationOptions>(options, OPTIONS)
    const { salt = KeyDerivation.generateSalt(), iterations = ITERATIONS, keySize = KEY_LEN, hasher } = told
    if (salt === '') throw new ValidationError('the salt must not be empty', 'salt')
    const secret = utf8(stringOf(password, 'the password'), 'the password')
    const length = wholeNumber(keySize, 'keySize', 1, 1024)
    const key = pbkdf2Sync(hashOf(hasher), secret, stringOf(salt, 'the salt'), { iterations, length })
    try {
      return { key: encode('hex', key), salt, iterations, keySize }
    } finally {
      zero(key)
      zero(secret)
    }
  }

  /** Whether a key belongs to the password. The time does not depend on where two keys differ. */
  static verifyKey(password: string, derivedKey: string, salt: string, options?: KeyDerivationOptions): boolean {
    const told = readOptions<KeyDerivationOptions>(options, OPTIONS)
    const { key } = KeyDerivation.deriveKey(password, { ...told, salt })
    return timingSafeEqual(key, stringOf(derivedKey, 'the key').toLowerCase())
  }

  /** Random hexadecimal digits of `size` bytes. */
  static generateSalt(size: number = SALT_LEN): string {
    return encode('hex', randomBytes(size))
  }

  /** `count` keys of one password. Each has a salt of its own, made from the first salt. */
  static deriveMultipleKeys(password: string, count: number, options?: KeyDerivationOptions): KeyDerivationResult[] {
    const told = readOptions<KeyDerivationOptions>(options, OPTIONS)
    const base = told.salt || KeyDerivation.generateSalt()
    const number = wholeNumber(count, 'count', 0, 10_000)
    return Array.from({ length: number }, (_, i) => derivedOf(password, told, `${base}:${i}`))
  }

  /** Two keys of one password: one to encrypt, one to authenticate. */
  static deriveEncryptionKeys(
    password: string,
    options?: KeyDerivationOptions,
  ): { encryptionKey: KeyDerivationResult; hmacKey: KeyDerivationResult; salt: string } {
    const told = readOptions<KeyDerivationOptions>(options, OPTIONS)
    const salt = told.salt || KeyDerivation.generateSalt()
    const encryptionKey = derivedOf(password, told, `${salt}:encryption`)
    return { encryptionKey, hmacKey: derivedOf(password, told, `${salt}:hmac`), salt }
  }

  /** How many rounds take `targetDelayMs` on this machine, at least 1,000. */
  static calculateIterations(targetDelayMs = 100): number {
    return Math.max(1000, Math.floor(targetDelayMs / roundMs()))
  }

  /** How many milliseconds `iterations` rounds take on this machine. */
  static estimateDerivationTime(iterations: number): number {
    return iterations * roundMs()
  }
}

export interface KDFOptions {
  /** Any text, used as its UTF-8; 32 random hexadecimal digits by default. */
  salt?: string
  /** 100,000 by default. */
  iterations?: number
  /** Bytes of the key: 32 by default. */
  keyLength?: number
  /** `hex` by default; `raw` is the same. */
  outputFormat?: 'hex' | 'base64' | 'raw'
}

export interface KDFResult {
  key: string
  salt: string
  algorithm: 'PBKDF2-SHA256'
  parameters: { iterations: number; keyLength: number }
}

export type SecurityLevel = 'low' | 'medium' | 'high'

/** PBKDF2 over SHA-256, as {@link KeyDerivation} with other options. */
export class PBKDF2 {
  /** As {@link KeyDerivation.deriveKey}. */
  derive(password: string, options?: KDFOptions): KDFResult {
    const told = readOptions<KDFOptions>(options, ['salt', 'iterations', 'keyLength', 'outputFormat'])
    const { salt, iterations = 100_000, keyLength = KEY_LEN, outputFormat = 'hex' } = told
    if (!['hex', 'base64', 'raw'].includes(outputFormat)) {
      throw new ValidationError('outputFormat must be hex, base64 or raw', 'outputFormat')
    }
    const asked = { iterations, keySize: keyLength, ...(salt ? { salt } : {}) }
    const derived = KeyDerivation.deriveKey(password, asked)
    const key = outputFormat === 'base64' ? encode('base64', decode('hex', derived.key)) : derived.key
    return { key, salt: derived.salt, algorithm: 'PBKDF2-SHA256', parameters: { iterations, keyLength } }
  }

  /** Whether a key belongs to the password. The time does not depend on where two keys differ. */
  verify(password: string, derivedKey: string, salt: string, options?: KDFOptions): boolean {
    return timingSafeEqual(this.derive(password, { ...options, salt }).key, stringOf(derivedKey, 'the key'))
  }

  /** The recommendation of the original. OWASP asks for 600,000 rounds today. */
  getRecommendedParameters(level: SecurityLevel = 'medium'): Required<Pick<KDFOptions, 'iterations' | 'keyLength'>> {
    if (level === 'low') return { iterations: 50_000, keyLength: 16 }
    return level === 'high' ? { iterations: 200_000, keyLength: 64 } : { iterations: 100_000, keyLength: 32 }
  }
}

export const pbkdf2 = /* @__PURE__ */ new PBKDF2()

/** {@link PBKDF2} by its name. The original also used it for any unknown name. */
export class KDFManager {
  derive(password: string, algorithm: 'pbkdf2' = 'pbkdf2', options?: KDFOptions): KDFResult {
    return byName(algorithm).derive(password, options)
  }

  async deriveKey(
    password: string,
    salt: string,
    algorithm: 'pbkdf2' = 'pbkdf2',
    options?: KDFOptions,
  ): Promise<KDFResult> {
    return byName(algorithm).derive(password, { ...options, salt })
  }

  verify(
    password: string,
    derivedKey: string,
    salt: string,
    algorithm: 'pbkdf2' = 'pbkdf2',
    options?: KDFOptions,
  ): boolean {
    return byName(algorithm).verify(password, derivedKey, salt, options)
  }

  getRecommendedParameters(algorithm: 'pbkdf2' = 'pbkdf2', level?: SecurityLevel): KDFOptions {
    return byName(algorithm).getRecommendedParameters(level)
  }
}

export const kdfManager = /* @__PURE__ */ new KDFManager()

function byName(algorithm: string): PBKDF2 {
  if (algorithm === 'pbkdf2') return pbkdf2
  throw unsupported(`a derivation with ${algorithm}`, 'use pbkdf2, or argon2id and scrypt of sealstone/kdf')
}

/** As {@link KeyDerivation.deriveKey}. */
export function deriveKey(password: string, options?: KeyDerivationOptions): KeyDerivationResult {
  return KeyDerivation.deriveKey(password, options)
}

/** As {@link KeyDerivation.verifyKey}. */
export function verifyKey(password: string, derivedKey: string, salt: string, options?: KeyDerivationOptions): boolean {
  return KeyDerivation.verifyKey(password, derivedKey, salt, options)
}

/** As {@link KeyDerivation.generateSalt}. */
export function generateSalt(size?: number): string {
  return KeyDerivation.generateSalt(size)
}

function derivedOf(password: string, options: KeyDerivationOptions, salt: string): KeyDerivationResult {
  return KeyDerivation.deriveKey(password, { ...options, salt: hashHex('sha256', salt) })
}

function hashOf(hasher: KeyDerivationOptions['hasher'] = 'SHA256'): 'sha256' | 'sha512' {
  const name = stringOf(hasher, 'hasher').toLowerCase()
  if (name === 'sha256' || name === 'sha512') return name
  throw unsupported('this hasher', "say 'SHA256' or 'SHA512'")
}

/** The time of one round, measured over as many rounds as take some milliseconds. */
function roundMs(): number {
  const iterations = 20_000
  const start = performance.now()
  pbkdf2Sync('sha256', 'a password', 'a random salt 16', { iterations })
  return Math.max(performance.now() - start, 0.001) / iterations
}
