// Long messages in pieces: Base64 of one AES ciphertext with PKCS#7, under one IV. Memory is that of a piece.

import { type Bytes, zero } from '../../bytes.js'
import { decode, encode } from '../../encoding.js'
import { type Cipher, cipher } from '../../hazmat.js'
import { hkdf } from '../../kdf.js'
import { type MacSigner, mac } from '../../mac.js'
import { BLOCK_LEN } from '../../table.js'
import { inWraps } from './aes.js'
import { notAuthentic } from './errors.js'
import { unpadded } from './padding.js'
import type { AESKeySize } from './results.js'

export type StreamMode = 'CBC' | 'CTR'

/** Bytes of plaintext, and characters of Base64, that stand for whole blocks and for whole groups of digits. */
const [GROUP_LEN, GROUP_DIGITS] = [48, 64]
/** Digits that the last block of a group is in. */
const TAIL_DIGITS = 24

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

  /** The text of what is whole by now. */
  update(bytes: Bytes): string {
    const whole = GROUP_LEN * Math.floor((this.#rest.length + bytes.length) / GROUP_LEN)
    if (whole === 0) {
      this.#rest = joined(this.#rest, bytes)
      return ''
    }
    const taken = whole - this.#rest.length
    const text = this.#rest.length === 0 ? this.#encrypted(bytes.subarray(0, whole)) : this.#joined(bytes, taken)
    this.#rest = new Uint8Array(bytes.subarray(taken))
    return text
  }

  /** The end of the text. */
  finish(): string {
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

  #joined(bytes: Bytes, taken: number): string {
    const all = joined(this.#rest, bytes.subarray(0, taken))
    zero(this.#rest)
    try {
      return this.#encrypted(all)
    } finally {
      zero(all)
    }
  }

  #encrypted(bytes: Bytes): string {
    const run = this.#run
    let text = ''
    let whole: Bytes | undefined
    run.inParts(bytes.length, (iv, from, to) => {
      if (to - from === bytes.length) {
        text = run.cipher.encryptText(iv, bytes, 'base64', { padding: false })
        return
      }
      whole ??= new Uint8Array(bytes.length)
      run.cipher.encryptInto(iv, bytes.subarray(from, to), whole.subarray(from, to))
    })
    if (whole !== undefined) text = encode('base64', whole)
    if (run.mode === 'CBC') run.iv = lastBlockOf(text)
    return text
  }
}

/** Reads a message; what is wrong with its key, its padding or its digits is one error. */
export class MessageReader {
  readonly #run: Run
  #rest = ''

  constructor(key: Bytes, mode: StreamMode, iv: string) {
    this.#run = new Run(key, mode, iv)
  }

  /** The bytes of what is there by now, but for the last group, which may have the padding. */
  update(text: string): Bytes {
    const all = this.#rest + text
    const whole = GROUP_DIGITS * Math.floor(Math.max(all.length - 1, 0) / GROUP_DIGITS)
    this.#rest = all.slice(whole)
    return whole === 0 ? NONE : this.#decrypted(all.slice(0, whole))
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

  #decrypted(text: string): Bytes {
    const run = this.#run
    try {
      const bytes = decode('base64', text)
      const next = run.mode === 'CBC' ? bytes.slice(-BLOCK_LEN) : run.iv
      run.inParts(bytes.length, (iv, from, to) => {
        const part = bytes.subarray(from, to)
        run.cipher.decryptInto(iv, part, part)
      })
      if (run.mode === 'CBC') run.iv = next
      return bytes
    } catch {
      throw notAuthentic('AES')
    }
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

/** Two arrays as one. */
export function joined(one: Bytes, other: Bytes): Bytes {
  const all = new Uint8Array(one.length + other.length)
  all.set(one)
  all.set(other, one.length)
  return all
}

/** The last block of a ciphertext, of its Base64. */
function lastBlockOf(text: string): Bytes {
  return decode('base64', text.slice(-TAIL_DIGITS)).slice(-BLOCK_LEN)
}
