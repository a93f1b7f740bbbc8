// Long messages in pieces: Base64 of one AES ciphertext with PKCS#7, under one IV. Memory is that of a piece.

import { type Bytes, zero } from '../../bytes.js'
import { base64 } from '../../call.js'
import { decode, encode } from '../../encoding.js'
import { type Cipher, cipher } from '../../hazmat.js'
import { hkdf } from '../../kdf.js'
import { type MacSigner, mac } from '../../mac.js'
import { BLOCK_LEN } from '../../table.js'
import { inWraps } from './aes.js'
import { notAuthentic } from './errors.js'
import { textOf, unpadded } from './padding.js'
import type { AESKeySize } from './results.js'

export type StreamMode = 'CBC' | 'CTR'

/** Bytes of plaintext, and characters of Base64, that stand for whole blocks and for whole groups of digits. */
const [GROUP_LEN, GROUP_DIGITS] = [48, 64]

const NONE = /* @__PURE__ */ new Uint8Array(0)

/** A cipher, and how far it is in its message. */
class Run {
  readonly cipher: Cipher
  readonly mode: StreamMode
  iv: Bytes

  constructor(key: Bytes, mode: StreamMode, iv: string) {
    const bits = (8 * key.length) as AESKeySize
    this.cipher = cipher(`aes-${bits}-${mode.toLowerCase() as Lowercase<StreamMode>}`, key)
    this.mode = mode
    this.iv = decode('hex', iv)
  }

  /** Works on so many bytes in parts between which the counter begins again at 0, and counts on. */
  inParts(length: number, work: (iv: Bytes, from: number, to: number) => void): void {
    if (this.mode === 'CBC') {
      work(this.iv, 0, length)
      return
    }
    inWraps(this.iv, 4, length, work)
    const next = new Uint8Array(this.iv)
    const counter = new DataView(next.buffer)
    // Modulo 2^32, as theirs counts.
    counter.setUint32(12, counter.getUint32(12) + Math.ceil(length / BLOCK_LEN))
    this.iv = next
  }
}

/** Writes a message. */
export class MessageWriter {
  readonly #run: Run
  #rest: Bytes = NONE

  constructor(key: Bytes, mode: StreamMode, iv: string) {
    this.#run = new Run(key, mode, iv)
  }

  /** The digits of what is whole by now. */
  update(data: Bytes): Bytes {
    const rest = this.#rest
    const all = rest.length === 0 ? data : joined(rest, data)
    const whole = all.length - (all.length % GROUP_LEN)
    this.#rest = new Uint8Array(all.subarray(whole))
    try {
      return this.#encrypted(all.subarray(0, whole))
    } finally {
      zero(rest)
      if (all !== data) zero(all)
    }
  }

  /** The last digits. */
  finish(): Bytes {
    const { length } = this.#rest
    const padding = BLOCK_LEN - (length % BLOCK_LEN)
    const last = new Uint8Array(length + padding).fill(padding)
    last.set(this.#rest)
    try {
      return this.#encrypted(last)
    } finally {
      zero(last)
      zero(this.#rest)
      this.destroy()
    }
  }

  destroy(): void {
    this.#run.cipher.destroy()
  }

  #encrypted(data: Bytes): Bytes {
    const run = this.#run
    if (data.length === 0) return NONE
    const sealed = new Uint8Array(data.length)
    run.inParts(data.length, (iv, from, to) => {
      run.cipher.encryptInto(iv, data.subarray(from, to), sealed.subarray(from, to))
    })
    if (run.mode === 'CBC') run.iv = sealed.slice(-BLOCK_LEN)
    return digitsOf(sealed)
  }
}

/** Reads a message; what is wrong with its key, its padding or its digits is one error. */
export class MessageReader {
  readonly #run: Run
  #rest: Bytes = NONE

  constructor(key: Bytes, mode: StreamMode, iv: string) {
    this.#run = new Run(key, mode, iv)
  }

  /** The bytes of what is there by now, as many whole groups as the padding is not in. */
  update(digits: Bytes): Bytes {
    const all = this.#rest.length === 0 ? digits : joined(this.#rest, digits)
    const whole = GROUP_DIGITS * Math.floor(Math.max(all.length - 1, 0) / GROUP_DIGITS)
    this.#rest = new Uint8Array(all.subarray(whole))
    return this.#decrypted(all.subarray(0, whole))
  }

  /** The last bytes. */
  finish(): Bytes {
    try {
      const last = this.#decrypted(this.#rest)
      const bytes = unpadded(last, BLOCK_LEN)
      if (bytes === undefined || last.length === 0) throw notAuthentic('AES')
      return bytes
    } finally {
      this.destroy()
    }
  }

  destroy(): void {
    this.#run.cipher.destroy()
  }

  #decrypted(digits: Bytes): Bytes {
    const run = this.#run
    const bytes = bytesOfDigits(digits)
    const next = run.mode === 'CBC' && bytes.length > 0 ? bytes.slice(-BLOCK_LEN) : run.iv
    try {
      run.inParts(bytes.length, (iv, from, to) => {
        const part = bytes.subarray(from, to)
        run.cipher.decryptInto(iv, part, part)
      })
    } catch {
      throw notAuthentic('AES')
    }
    if (run.mode === 'CBC') run.iv = next
    return bytes
  }
}

/** A tag over a message that this entry writes beside it. Theirs has none, and reads over it. */
export function taggingOf(key: Bytes, context: string): MacSigner {
  const own = hkdf('sha256', key, { info: 'sealstone/compat/ldesign stream', length: 32 })
  const tagging = mac('hmac-sha256', own)
  try {
    return tagging.begin().update(`${context.length}:${context}`)
  } finally {
    tagging.destroy()
    zero(own)
  }
}

/** Verifies such a tag. */
export function verifyTag(tagging: MacSigner, tag: string): void {
  try {
    tagging.verifyText(tag)
  } catch {
    throw notAuthentic('AES')
  }
}

/** The character that fills up digits. */
export const PAD = 0x3d

/** The digits of bytes in Base64, as bytes. */
export function digitsOf(bytes: Bytes): Bytes {
  const digits = new Uint8Array(4 * Math.ceil(bytes.length / 3))
  const calls = base64()
  if (calls === undefined) encoder.encodeInto(encode('base64', bytes), digits)
  else calls.base64EncodeInto(bytes, digits)
  return digits
}

/** The bytes of such digits. What {@link digitsOf} does not write is no message. */
export function bytesOfDigits(digits: Bytes): Bytes {
  const calls = base64()
  try {
    if (calls === undefined) return decode('base64', textOf(digits))
    const padding = [1, 2].filter((back) => digits[digits.length - back] === PAD).length
    const bytes = new Uint8Array(Math.max(Math.ceil((digits.length / 4) * 3) - padding, 0))
    calls.base64DecodeInto(digits, bytes)
    return bytes
  } catch {
    throw notAuthentic('AES')
  }
}

const encoder = /* @__PURE__ */ new TextEncoder()

/** Two arrays as one. */
export function joined(one: Bytes, other: Bytes): Bytes {
  const all = new Uint8Array(one.length + other.length)
  all.set(one)
  all.set(other, one.length)
  return all
}
