// DES and Triple DES in the formats of @ldesign/crypto. Both are broken: they are here for existing data.

import { decode, encode, timingSafeEqual } from '../../api/encoding.js'
import { type LegacyCipher, legacyCipher } from '../../api/hazmat.js'
import { password, randomBytes } from '../../api/random.js'
import { type Bytes, utf8, zero } from '../../basics/bytes.js'
import { readOptions, stringOf } from '../../basics/option.js'
import type { LegacyCipherAlgorithm } from '../../basics/table.js'
import { agreed, ownParts } from './aes.js'
import { CryptoErrorCode, ErrorUtils, notAuthentic, refused, resultCodeOf, unreadable, unsupported } from './errors.js'
import { padded, textOf, unpadded } from './padding.js'
import type { DESOptions, DecryptResult, EncryptResult, IEncryptor, TripleDESOptions } from './results.js'
import { isHexOf } from './secrets.js'

type Mode = NonNullable<DESOptions['mode']>
const MODES: readonly string[] = ['CBC', 'ECB', 'CFB', 'OFB'] satisfies Mode[]

/** Bytes of a block. */
const BLOCK_LEN = 8

/** The differences between DES and Triple DES. */
interface Kind {
  readonly name: 'DES' | '3DES'
  readonly cipher: 'des' | 'des-ede3'
  readonly keyLen: 8 | 24
  /** Bits of the key as results have them, including parity bits. */
  readonly keySize: 64 | 192
  /** The key text at the length of the key: one character for each byte. */
  lengthened(key: string): string
}

const DES: Kind = {
  name: 'DES',
  cipher: 'des',
  keyLen: 8,
  keySize: 64,
  lengthened: (key) => key.padEnd(8, '0'),
}
const TRIPLE_DES: Kind = {
  name: '3DES',
  cipher: 'des-ede3',
  keyLen: 24,
  keySize: 192,
  lengthened: (key) => key.repeat(Math.ceil(24 / key.length)),
}

/** Encrypts with DES, whose keys of 56 bits anybody can find. It throws nothing: an error is in the result. */
export class DESEncryptor implements IEncryptor<DESOptions> {
  encrypt(data: string, key: string, options?: DESOptions): EncryptResult {
    return encrypted(DES, data, key, options)
  }

  decrypt(encryptedData: string | EncryptResult, key: string, options?: DESOptions): DecryptResult {
    return decrypted(DES, encryptedData, key, options)
  }
}

/** Encrypts with Triple DES, whose blocks are too short for much data under one key; as {@link DESEncryptor}. */
export class TripleDESEncryptor implements IEncryptor<TripleDESOptions> {
  encrypt(data: string, key: string, options?: TripleDESOptions): EncryptResult {
    return encrypted(TRIPLE_DES, data, key, options)
  }

  decrypt(encryptedData: string | EncryptResult, key: string, options?: TripleDESOptions): DecryptResult {
    return decrypted(TRIPLE_DES, encryptedData, key, options)
  }
}

/** DES by functions. Of a key text, the first 8 characters count. */
export const des = {
  encrypt: (data: string, key: string, options?: DESOptions): EncryptResult => encrypted(DES, data, key, options),
  decrypt: (encryptedData: string | EncryptResult, key: string, options?: DESOptions): DecryptResult =>
    decrypted(DES, encryptedData, key, options),
  /** 16 hexadecimal digits. Only the first 8 count: 25 bits, which anybody can find at once. Eight random characters have more. */
  generateKey: (): string => digitsOfKey(8),
} as const

/** Triple DES by functions. Of a key text, the first 24 characters count. */
export const tripledes = {
  encrypt: (data: string, key: string, options?: TripleDESOptions): EncryptResult =>
    encrypted(TRIPLE_DES, data, key, options),
  decrypt: (encryptedData: string | EncryptResult, key: string, options?: TripleDESOptions): DecryptResult =>
    decrypted(TRIPLE_DES, encryptedData, key, options),
  /**
   * 48 hexadecimal digits. Only the first 24 count: 25 bits in each third. A meet-in-the-middle attack finds all of them in some 2^50
   * tries. A key of digits has no more bits than that.
   */
  generateKey: (): string => digitsOfKey(24),
} as const

export const des3 = tripledes

/**
 * Random digits as a DES key. The first half, which counts, has only digits that differ without their parity bits. As in the original, a
 * second half follows that does not count.
 */
export function digitsOfKey(counted: 8 | 24): string {
  return password({ length: counted, alphabet: '02468abdf' }) + encode('hex', randomBytes(counted / 2))
}

function encrypted(kind: Kind, data: string, key: string, options?: DESOptions): EncryptResult {
  const { name: algorithm, keySize } = kind
  try {
    if (stringOf(data, 'the data') === '') throw refused('Data cannot be empty', algorithm)
    checkKey(key, refused, algorithm)
    const { mode, iv: given } = checked(options, refused, algorithm)
    if (kind === TRIPLE_DES && isSingle(key)) {
      const message =
        'two neighbouring thirds of the key are equal, which makes the cipher plain DES: use another key of 24 characters'
      throw refused(message, algorithm, CryptoErrorCode.INVALID_KEY)
    }
    const iv = given ?? encode('hex', randomBytes(BLOCK_LEN))
    const ciphertext = withCipher(kind, key, mode, (cipher, pads) => {
      const start = mode === 'ECB' ? undefined : decode('hex', iv)
      if (pads) return cipher.encryptText(start, data)
      const plaintext = padded(data, BLOCK_LEN)
      try {
        return cipher.encryptText(start, plaintext)
      } finally {
        zero(plaintext)
      }
    })
    return { success: true, data: ciphertext, algorithm, mode, iv, keySize }
  } catch (error) {
    const message = ErrorUtils.handleError(error, `${algorithm} encryption`)
    return { success: false, error: message, code: resultCodeOf(error), algorithm }
  }
}

function decrypted(kind: Kind, given: string | EncryptResult, key: string, options?: DESOptions): DecryptResult {
  const { name: algorithm } = kind
  try {
    const result = ownParts(given)
    if (!result.data) throw unreadable('Encrypted data cannot be empty', algorithm)
    checkKey(key, unreadable, algorithm)
    const { mode, iv } = checked(options, unreadable, algorithm, result)
    if (iv === undefined && mode !== 'ECB') {
      throw unreadable('IV is required for decryption', algorithm, CryptoErrorCode.INVALID_IV)
    }
    const start = iv === undefined || mode === 'ECB' ? undefined : decode('hex', iv)
    const data = opened(kind, key, mode, start, result.data)
    return { success: true, data, algorithm, mode, authenticated: false }
  } catch (error) {
    const message = ErrorUtils.handleError(error, `${algorithm} decryption`)
    return { success: false, error: message, code: resultCodeOf(error), algorithm, authenticated: false }
  }
}

/** The mode of a result. The original encrypted in CBC if it did not know a mode, and still named the unknown one. */
function modeOf(said: string): string {
  const name = said.toUpperCase()
  return MODES.includes(name) ? name : 'CBC'
}

/** The text; one error covers a wrong key, padding and encoding. */
function opened(kind: Kind, key: string, mode: Mode, iv: Bytes | undefined, data: string): string {
  try {
    return withCipher(kind, key, mode, (cipher, pads) => {
      if (pads) return cipher.decryptText(iv, data)
      const plaintext = cipher.decrypt(iv, decode('base64', data))
      try {
        const text = unpadded(plaintext, BLOCK_LEN)
        if (text !== undefined) return textOf(text)
        throw notAuthentic(kind.name)
      } finally {
        zero(plaintext)
      }
    })
  } catch {
    throw notAuthentic(kind.name)
  }
}

/** Decrypts CBC under the key of a text, to bytes that need not be text. */
export function decryptDesBytes(name: 'DES' | '3DES', key: string, iv: Bytes, ciphertext: Bytes): Bytes {
  checkKey(key, unreadable, name)
  try {
    return withCipher(name === 'DES' ? DES : TRIPLE_DES, key, 'CBC', (cipher) => cipher.decrypt(iv, ciphertext))
  } catch {
    throw notAuthentic(name)
  }
}

/** Decrypts the text that CryptoJS and the original's workers wrote under a password. A hash gave the key and the IV. */
export function openTextWith(name: 'DES' | '3DES', key: Bytes, iv: Bytes, ciphertext: Bytes): string {
  const { cipher } = name === 'DES' ? DES : TRIPLE_DES
  const own = legacyCipher(`${cipher}-cbc`, key)
  try {
    const plaintext = own.decrypt(iv, ciphertext)
    try {
      return textOf(plaintext)
    } finally {
      zero(plaintext)
    }
  } finally {
    own.destroy()
  }
}

type Complaint = typeof refused

function checkKey(key: string, wrong: Complaint, algorithm: string): void {
  if (stringOf(key, 'the key').trim() === '') throw wrong('Key cannot be empty', algorithm, CryptoErrorCode.INVALID_KEY)
}

function checked(
  options: DESOptions | undefined,
  wrong: Complaint,
  algorithm: string,
  given?: Partial<EncryptResult>,
): { mode: Mode; iv: string | undefined } {
  const told = readOptions<DESOptions>(options, ['mode', 'iv', 'padding'])
  const { padding } = told
  const iv = given?.iv || told.iv
  const [ofResult, asked] = [given?.mode, told.mode].map((mode) => mode && stringOf(mode, 'mode').toUpperCase())
  const name = ofResult
    ? agreed(modeOf(ofResult), asked === ofResult ? undefined : asked, 'CBC', algorithm)
    : (asked ?? 'CBC')
  if (!MODES.includes(name)) {
    throw wrong(`Invalid mode. Must be one of: ${MODES.join(', ')}`, algorithm, CryptoErrorCode.INVALID_MODE)
  }
  if (iv !== undefined && iv !== '' && !isHexOf(stringOf(iv, 'iv'), BLOCK_LEN)) {
    throw wrong(`Invalid IV length. Must be ${2 * BLOCK_LEN} characters (hex)`, algorithm, CryptoErrorCode.INVALID_IV)
  }
  if (padding !== undefined && !/^pkcs7$/i.test(padding)) {
    throw unsupported(`padding: ${padding}`, 'this format always has Pkcs7')
  }
  return { mode: name as Mode, iv: iv === '' ? undefined : iv }
}

/** The bytes of a key text that the cipher uses, without their parity bits. */
export function countedBytes(name: 'DES' | '3DES', key: string): Bytes {
  const { keyLen, lengthened } = name === 'DES' ? DES : TRIPLE_DES
  const bytes = utf8(lengthened(key).slice(0, keyLen), 'the key')
  const counted = bytes.slice(0, keyLen).map((byte) => byte & 0xfe)
  zero(bytes)
  return counted
}

/** Whether one of the three steps undoes its neighbour, so that single DES is left. */
function isSingle(key: string): boolean {
  const bytes = countedBytes('3DES', key)
  const isSame = (a: number): boolean => timingSafeEqual(bytes.subarray(a, a + 8), bytes.subarray(a + 8, a + 16))
  try {
    return isSame(0) || isSame(8)
  } finally {
    zero(bytes)
  }
}

/** Works with the key of a text, and tells `work` whether the mode pads by itself. */
function withCipher<T>(kind: Kind, key: string, mode: Mode, work: (cipher: LegacyCipher, pads: boolean) => T): T {
  const { cipher, keyLen, lengthened } = kind
  const bytes = utf8(lengthened(key).slice(0, keyLen), 'the key')
  const name = `${cipher}-${mode.toLowerCase()}` as LegacyCipherAlgorithm
  try {
    const own = legacyCipher(name, bytes.subarray(0, keyLen), { allowLegacyEncryption: true })
    try {
      return work(own, mode === 'CBC' || mode === 'ECB')
    } finally {
      own.destroy()
    }
  } finally {
    zero(bytes)
  }
}
