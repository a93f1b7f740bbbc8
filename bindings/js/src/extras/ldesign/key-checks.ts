// Checks of keys and passwords by their text alone, and new keys and passwords.

import { decode, encode } from '../../api/encoding.js'
import { password, randomBytes, randomInt } from '../../api/random.js'
import { bytesOf } from '../../basics/bytes.js'
import { wholeNumber } from '../../basics/option.js'
import { digitsOfKey } from './des.js'
import { ErrorUtils, unsupported } from './errors.js'
import type { EncryptionAlgorithm } from './results.js'

export type KeyType = 'password' | 'hex' | 'base64' | 'raw'

export type KeyStrength = 'weak' | 'fair' | 'good' | 'strong' | 'excellent'

export interface KeyValidationOptions {
  algorithm?: EncryptionAlgorithm
  /** The least bits that the key should have. */
  targetBits?: number
  /** Whether recommendations count as requirements. */
  strict?: boolean
}

export interface KeyValidationResult {
  /** Whether there is no critical warning; with `strict`, no warning at all. */
  valid: boolean
  type: KeyType
  lengthBytes: number
  lengthBits: number
  /**
   * Bits, by an estimate without a dictionary: keys that people choose have fewer. If `algorithm` is DES or 3DES, only the characters that
   * the cipher uses count: digits give 25 bits with DES, and 50 with 3DES, because a meet-in-the-middle attack finds the last third.
   */
  entropy: number
  strength: KeyStrength
  /** Warnings that begin with `CRITICAL` make a key invalid. */
  warnings: string[]
  suggestions: string[]
  suitableFor: {
    aes128: boolean
    aes192: boolean
    aes256: boolean
    /** Whether it is long enough. Even then, no DES key is good. */
    des: boolean
    /** Whether it is long enough. `entropy` with `algorithm: '3DES'` says how strong such a key is. */
    tripledes: boolean
    rsa: boolean
  }
}

/** Checks keys. How good a key is depends on how it was made; this check only finds obviously bad keys. */
export class KeyValidator {
  static validate(key: string, options: KeyValidationOptions = {}): KeyValidationResult {
    const type = typeOf(key)
    const lengthBytes = lengthOf(key, type)
    const lengthBits = 8 * lengthBytes
    const whole = entropyOf(key, type, lengthBits)
    const entropy = Math.min(whole, countedEntropy(key, type, options.algorithm))
    const warnings = type === 'password' ? passwordWarnings(key, entropy) : keyWarnings(lengthBits, entropy, options)
    const has = (bits: number, asPassword: number): boolean =>
      type === 'password' ? whole >= asPassword : lengthBits >= bits && whole >= bits
    return {
      valid: !warnings.some((warning) => options.strict === true || warning.startsWith('CRITICAL')),
      type,
      lengthBytes,
      lengthBits,
      entropy,
      strength: strengthOf(entropy),
      warnings,
      suggestions: suggestionsFor(key, type, lengthBits, entropy, options),
      suitableFor: {
        aes128: has(128, 80),
        aes192: has(192, 100),
        aes256: has(256, 128),
        des: lengthBits >= 56,
        tripledes: has(168, 100),
        rsa: /^-----BEGIN (?:RSA )?(?:PUBLIC|PRIVATE) KEY-----/.test(key.trim()),
      },
    }
  }

  static isSuitableFor(key: string, algorithm: EncryptionAlgorithm, keySize?: number): boolean {
    const options = { algorithm, ...(keySize !== undefined && { targetBits: keySize }) }
    const { suitableFor, valid } = KeyValidator.validate(key, options)
    const name = algorithm.toUpperCase()
    if (name === 'AES') return suitableFor[keySize === 128 ? 'aes128' : keySize === 192 ? 'aes192' : 'aes256']
    if (name === 'DES') return suitableFor.des
    if (name === '3DES') return suitableFor.tripledes
    return name === 'RSA' ? suitableFor.rsa : valid
  }

  /**
   * A random key as hexadecimal digits: `keySize` bits for AES, 64 for DES, 192 for 3DES, and 256 for any other. Of the digits, DES uses
   * only the first 8 and 3DES only the first 24. They are worth 25 and 50 bits, as with `des.generateKey`.
   *
   * @throws `unsupported` for RSA, whose keys are pairs: the original gave 32 random bytes.
   */
  static generateSecureKey(algorithm: EncryptionAlgorithm = 'AES', keySize = 256): string {
    const name = algorithm.toUpperCase()
    if (name === 'RSA') throw unsupported('generateSecureKey of RSA', 'rsa.generateKeyPair')
    if (name === 'AES' && ![128, 192, 256].includes(keySize)) {
      throw ErrorUtils.createValidationError('a key of AES has 128, 192 or 256 bits')
    }
    if (name === 'DES') return digitsOfKey(8)
    if (name === '3DES') return digitsOfKey(24)
    return encode('hex', randomBytes(name === 'AES' ? keySize / 8 : 32))
  }
}

/** As {@link KeyValidator.validate}. */
export function validateKey(key: string, options?: KeyValidationOptions): KeyValidationResult {
  return KeyValidator.validate(key, options)
}

/** As {@link KeyValidator.isSuitableFor}. */
export function isKeySuitableFor(key: string, algorithm: EncryptionAlgorithm, keySize?: number): boolean {
  return KeyValidator.isSuitableFor(key, algorithm, keySize)
}

/** As {@link KeyValidator.generateSecureKey}. */
export function generateSecureKey(algorithm: EncryptionAlgorithm = 'AES', keySize?: number): string {
  return KeyValidator.generateSecureKey(algorithm, keySize)
}

/** A text of at least this many characters may be a key in digits. */
const DIGITS_LEN = 16

function typeOf(key: string): KeyType {
  if (key.length < DIGITS_LEN) return 'password'
  if (/^[0-9a-f]+$/i.test(key) && key.length % 2 === 0) return 'hex'
  // Base64 of random bytes has letters of both cases; words rarely do.
  const isMixed = /[a-z]/.test(key) && /[A-Z]/.test(key)
  return isMixed && lengthOf(key, 'base64') > 0 ? 'base64' : 'password'
}

function lengthOf(key: string, type: KeyType): number {
  if (type === 'hex') return key.length / 2
  if (type !== 'base64') return bytesOf(key, 'the key').length
  try {
    return decode('base64', key).length
  } catch {
    return 0
  }
}

function entropyOf(key: string, type: KeyType, lengthBits: number): number {
  return type === 'password' ? passwordEntropy(key) : keyEntropy(key, type, lengthBits)
}

/** Bits of each random digit in a DES key: DES ignores the lowest bit of a byte. */
const COUNTED_BITS = { hex: 3.125, base64: 5, raw: 7 }

/** The bits of the characters of a key text that the cipher uses. */
function countedEntropy(key: string, type: KeyType, algorithm = ''): number {
  const name = algorithm.toUpperCase()
  if (name !== 'DES' && name !== '3DES') return Number.POSITIVE_INFINITY
  const counted = key.slice(0, name === 'DES' ? 8 : 24)
  const bits = type === 'password' ? passwordEntropy(counted) : COUNTED_BITS[type] * counted.length
  return Math.floor(name === 'DES' ? Math.min(bits, 56) : Math.min((bits * 2) / 3, 112))
}

/** The bits of a key; 0 if one byte repeats. */
function keyEntropy(key: string, type: KeyType, lengthBits: number): number {
  return type === 'hex' && /^(..)\1*$/i.test(key) ? 0 : lengthBits
}

const CLASSES = [
  [/[a-z]/, 26],
  [/[A-Z]/, 26],
  [/[0-9]/, 10],
  [/[!-/:-@[-\x60{-~]/, 32],
  [/[^\0-\x7F]/, 100],
] as const

function passwordEntropy(text: string): number {
  const characters = CLASSES.reduce((sum, [some, count]) => sum + (some.test(text) ? count : 0), 0)
  const lower = text.toLowerCase()
  const counted = (words: readonly string[]): number => words.filter((word) => lower.includes(word)).length
  const guessed =
    20 * counted(['password', 'admin', 'user', 'login', '123456', 'qwerty']) +
    15 * counted(['qwerty', 'asdf', '1234', 'zxcv']) +
    (/(.)\1{2,}/.test(text) ? 10 : 0) +
    (/\d{4}[-/]?\d{2}[-/]?\d{2}/.test(text) ? 10 : 0)
  return Math.max(0, Math.round(Math.log2(characters || 26) * text.length - guessed))
}

function strengthOf(entropy: number): KeyStrength {
  if (entropy < 40) return 'weak'
  if (entropy < 60) return 'fair'
  if (entropy < 80) return 'good'
  return entropy < 128 ? 'strong' : 'excellent'
}

function passwordWarnings(key: string, entropy: number): string[] {
  const length =
    key.length < 8
      ? 'CRITICAL: the password is too short: 8 characters at least'
      : key.length < 12
        ? 'The password is short: 12 characters or more are better'
        : ''
  const guessed =
    entropy < 40
      ? 'CRITICAL: the password has low entropy and is easily guessed'
      : entropy < 60
        ? 'The entropy of the password is low'
        : ''
  const lacks = [
    [/[A-Z]/, 'uppercase letters'],
    [/[0-9]/, 'numbers'],
    [/[^\w\s]/, 'special characters'],
  ] as const
  const missing = lacks.filter(([some]) => !some.test(key)).map(([, what]) => `The password lacks ${what}`)
  return [length, guessed, ...missing].filter((warning) => warning !== '')
}

function keyWarnings(lengthBits: number, entropy: number, { targetBits }: KeyValidationOptions): string[] {
  const warnings: string[] = []
  if (entropy === 0) warnings.push('CRITICAL: all bytes of the key are the same')
  if (targetBits !== undefined && lengthBits < targetBits) {
    warnings.push(`The key length of ${lengthBits} bits is less than the target of ${targetBits}`)
  }
  if (entropy > 0 && entropy < Math.min(lengthBits, 80)) {
    warnings.push(`The cipher uses so little of this text that the key has ${entropy} bits`)
  }
  if (lengthBits < 128) warnings.push('The key length is below 128 bits, which is weak')
  return warnings
}

function suggestionsFor(
  key: string,
  type: KeyType,
  lengthBits: number,
  entropy: number,
  { algorithm }: KeyValidationOptions,
): string[] {
  if (type !== 'password') {
    const larger = lengthBits < 256 && algorithm === 'AES' ? ['Use a key of 256 bits'] : []
    return [...larger, 'Make keys with generateSecureKey, which asks the system for random bytes']
  }
  const suggestions = ['Have a password manager make and keep passwords']
  if (entropy < 80) suggestions.unshift('Use a passphrase of several random words')
  if (key.length < 16) suggestions.unshift('Use a longer password: 16 characters or more')
  return suggestions
}

export enum PasswordStrength {
  VeryWeak = 0,
  Weak = 1,
  Fair = 2,
  Good = 3,
  Strong = 4,
  VeryStrong = 5,
}

export interface PasswordAnalysis {
  strength: PasswordStrength
  /** From 0 to 100. */
  score: number
  length: number
  characterTypes: {
    lowercase: boolean
    uppercase: boolean
    numbers: boolean
    symbols: boolean
    unicode: boolean
  }
  /** Bits, as if each character were random: passwords that people choose have fewer. */
  entropy: number
  /** About how long it takes to guess a password of random characters, in words. */
  crackTime: {
    /** At 100 tries a second. */
    online: string
    /** At a billion tries a second. */
    offline: string
    /** At 10,000 tries a second. */
    offlineSlowHash: string
  }
  issues: string[]
  suggestions: string[]
  isCommon: boolean
  hasRepeats: boolean
  hasSequence: boolean
  hasKeyboardPattern: boolean
}

/** The characters of a new password. It has at least one character of each kind that you include. */
export interface StrongPasswordOptions {
  /** Characters: 16 by default. */
  length?: number
  includeUppercase?: boolean
  includeLowercase?: boolean
  includeNumbers?: boolean
  includeSymbols?: boolean
  /** Leaves out letters and digits that look alike. */
  excludeSimilar?: boolean
  /** Leaves out brackets and punctuation marks. */
  excludeAmbiguous?: boolean
}

export interface WordPassphraseOptions {
  /** Words: 4 by default. */
  wordCount?: number
  /** The text between words: a hyphen by default. */
  separator?: string
  /** Whether words begin with a capital; `true` by default. */
  capitalize?: boolean
  /** Whether a number below 10,000 is at the end. */
  includeNumbers?: boolean
}

type Types = PasswordAnalysis['characterTypes']

/**
 * Checks passwords, for a form in which a person chooses one. It knows a few dozen bad passwords and no dictionary: a good score proves
 * nothing. As in the original, its messages are in Chinese.
 */
export class PasswordStrengthChecker {
  analyze(password: string): PasswordAnalysis {
    const lower = password.toLowerCase()
    const characterTypes: Types = {
      lowercase: /[a-z]/.test(password),
      uppercase: /[A-Z]/.test(password),
      numbers: /[0-9]/.test(password),
      symbols: /[^a-z0-9]/i.test(password),
      unicode: /[^ -~]/.test(password),
    }
    const found = {
      isCommon: COMMON.includes(lower),
      hasRepeats: /(.)\1{2,}/.test(password),
      hasSequence: SEQUENCES.some((sequence) => lower.includes(sequence)),
      hasKeyboardPattern: KEYBOARD.some((pattern) => lower.includes(pattern)),
    }
    const entropy = password.length * Math.log2(charactersOf(password))
    const score = scoreOf(password, characterTypes, entropy, found)
    const issues = issuesOf(password, characterTypes, found)
    return {
      strength: LEVELS.filter((from) => score >= from).length,
      score,
      length: password.length,
      characterTypes,
      entropy,
      crackTime: {
        online: timeOf(entropy, 100),
        offline: timeOf(entropy, 1e9),
        offlineSlowHash: timeOf(entropy, 1e4),
      },
      issues,
      suggestions: adviceFor(password, characterTypes, found.isCommon),
      ...found,
    }
  }

  /** A password of random characters of the system's generator. */
  generateStrongPassword(options: StrongPasswordOptions = {}): string {
    const { length = 16, excludeSimilar = false, excludeAmbiguous = false } = options
    const { includeLowercase = true, includeUppercase = true, includeNumbers = true, includeSymbols = true } = options
    const kinds = [
      includeLowercase ? (excludeSimilar ? 'abcdefghjkmnpqrstuvwxyz' : 'abcdefghijklmnopqrstuvwxyz') : '',
      includeUppercase ? (excludeSimilar ? 'ABCDEFGHJKLMNPQRSTUVWXYZ' : 'ABCDEFGHIJKLMNOPQRSTUVWXYZ') : '',
      includeNumbers ? (excludeSimilar ? '23456789' : '0123456789') : '',
      includeSymbols ? (excludeAmbiguous ? '!@#$%^&*+-=' : '!@#$%^&*()_+-=[]{}|;:,.<>?') : '',
    ].filter((kind) => kind !== '')
    if (kinds.length === 0) throw ErrorUtils.createValidationError('a password needs some kind of characters')
    if (!(length >= kinds.length)) {
      throw ErrorUtils.createValidationError(`a password with ${kinds.length} kinds of characters has at least as many`)
    }
    // Draws again until all kinds are there. So each password with all kinds is equally likely.
    for (;;) {
      const drawn = password({ length, alphabet: kinds.join('') })
      if (kinds.every((kind) => [...kind].some((character) => drawn.includes(character)))) return drawn
    }
  }

  /**
   * A passphrase of random, pronounceable words with three syllables and 19 bits each. The original drew from 56 words with
   * `Math.random`. `passphrase` of `sealstone/passphrase` uses real words.
   */
  generatePassphrase(options: WordPassphraseOptions = {}): string {
    const { wordCount = 4, separator = '-', capitalize = true, includeNumbers = false } = options
    const letter = (of: string): string => of[randomInt(of.length)] as string
    const word = (): string => {
      const said = Array.from({ length: 3 }, () => letter('bdfghjklmnprstvz') + letter('aeiou')).join('')
      return capitalize ? said.charAt(0).toUpperCase() + said.slice(1) : said
    }
    const parts = Array.from({ length: wholeNumber(wordCount, 'wordCount', 1, 1000) }, word)
    if (includeNumbers) parts.push(String(randomInt(10_000)))
    return parts.join(separator)
  }

  getStrengthDescription(strength: PasswordStrength): string {
    return DESCRIPTIONS[strength]?.[0] ?? '未知'
  }

  /** A CSS colour for the level. */
  getStrengthColor(strength: PasswordStrength): string {
    return DESCRIPTIONS[strength]?.[1] ?? '#757575'
  }
}

export const passwordStrengthChecker = /* @__PURE__ */ new PasswordStrengthChecker()

const DESCRIPTIONS: readonly (readonly [text: string, colour: string])[] = [
  ['非常弱', '#d32f2f'],
  ['弱', '#f57c00'],
  ['一般', '#fbc02d'],
  ['好', '#689f38'],
  ['强', '#388e3c'],
  ['非常强', '#1976d2'],
]

/** The lowest score of each level above the lowest level. */
const LEVELS = [20, 40, 60, 75, 90]

const COMMON = /* @__PURE__ */ (
  'password 123456 123456789 qwerty abc123 password123 admin letmein welcome monkey 1234567890 qwertyuiop password1 123123 ' +
  'welcome123 admin123 root toor pass pass123 pass1234 password1234 qwerty123 qwerty1234 qazwsx password! p@ssword p@ssw0rd ' +
  'admin@123 administrator 12345678 111111 iloveyou 000000 dragon sunshine princess football'
).split(' ')

const KEYBOARD = /* @__PURE__ */ 'qwerty asdfgh zxcvbn 123456 987654 qazwsx qweasd !@#$%^ 1qaz2wsx'.split(' ')

const SEQUENCES = /* @__PURE__ */ 'abcdef fedcba 123456 654321 zyxwvu uvwxyz 012345 543210'.split(' ')

type Found = Pick<PasswordAnalysis, 'isCommon' | 'hasRepeats' | 'hasSequence' | 'hasKeyboardPattern'>

/** The number of possible characters, by the kinds that a password has. */
function charactersOf(password: string): number {
  const all = CLASSES.reduce((sum, [some, count]) => sum + (some.test(password) ? count : 0), 0)
  return all || 1
}

function scoreOf(password: string, types: Types, entropy: number, found: Found): number {
  const { length } = password
  const earned =
    Math.min(1.5 * entropy, 50) +
    10 * [8, 12, 16, 20].filter((from) => length >= from).length +
    5 * Object.values(types).filter(Boolean).length +
    (types.symbols ? 10 : 0) +
    (types.unicode ? 5 : 0)
  const lost =
    (found.isCommon ? 50 : 0) +
    (found.hasRepeats ? 10 : 0) +
    (found.hasSequence ? 15 : 0) +
    (found.hasKeyboardPattern ? 15 : 0) +
    (length < 8 ? 20 : 0)
  // An attacker tries common passwords first, whatever characters they have.
  return Math.max(0, Math.min(found.isCommon ? 19 : 100, earned - lost))
}

/** Texts of the rows whose condition holds. */
function said(rows: readonly (readonly [boolean, string])[]): string[] {
  return rows.filter(([holds]) => holds).map(([, text]) => text)
}

function issuesOf(password: string, types: Types, found: Found): string[] {
  return said([
    [password.length < 8, '密码太短，不足 8 个字符'],
    [password.length < 12, '密码最好不少于 12 个字符'],
    [found.isCommon, '这是常见密码，很容易被猜到'],
    [!types.uppercase, '缺少大写字母'],
    [!types.lowercase, '缺少小写字母'],
    [!types.numbers, '缺少数字'],
    [!types.symbols, '缺少特殊字符'],
    [found.hasRepeats, '同一字符连续重复'],
    [found.hasSequence, '含有连续的字母或数字序列'],
    [found.hasKeyboardPattern, '含有键盘上相邻的键'],
    [/[0-9]{4}|[0-9]{2}[/-][0-9]{2}/.test(password), '可能含有年份或日期'],
  ])
}

function adviceFor(password: string, types: Types, isCommon: boolean): string[] {
  return said([
    [password.length < 16, '请使用 16 个或更多字符'],
    [!(types.uppercase && types.lowercase), '请混用大小写字母'],
    [!types.numbers, '请加入数字'],
    [!types.symbols, '请加入特殊字符'],
    [isCommon, '请不要使用常见密码'],
    [true, '可以使用由多个随机单词组成的口令'],
    [true, '每个账户请使用不同的密码，并用密码管理器保存'],
  ])
}

/** The time of half of all tries, in words. */
function timeOf(entropy: number, triesPerSecond: number): string {
  const seconds = 2 ** entropy / 2 / triesPerSecond
  if (seconds < 1) return '立即'
  const units = [
    ['秒', 1],
    ['分钟', 60],
    ['小时', 3600],
    ['天', 86_400],
    ['个月', 2_592_000],
    ['年', 31_536_000],
    ['千年', 31_536_000e3],
    ['百万年', 31_536_000e6],
  ] as const
  if (seconds >= 31_536_000e9) return '数十亿年以上'
  const [unit, size] = [...units].reverse().find(([, size]) => seconds >= size) ?? units[0]
  return `${Math.round(seconds / size)}${unit}`
}
