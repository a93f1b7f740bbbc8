// Long messages in pieces: Base64 of one AES ciphertext with PKCS#7, under one IV. Memory is that of a piece.

import { type Bytes, zero } from '../../bytes.js'
import { call } from '../../call.js'
import { decode, encode } from '../../encoding.js'
import { SealstoneError } from '../../error.js'
import { type Cipher, cipher } from '../../hazmat.js'
import { hkdf } from '../../kdf.js'
import { type MacSigner, mac } from '../../mac.js'
import type { SyncCalls } from '../../platform/sync.js'
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

  /** The text of what is whole by now. What is text itself is ASCII. */
  update(data: Bytes | string): string {
    if (typeof data === 'string') {
      const isWhole = this.#rest.length === 0 && data.length % GROUP_LEN === 0
      return isWhole ? this.#encrypted(data) : this.update(asciiOf(data))
    }
    const bytes = data
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

  #encrypted(data: Bytes | string): string {
    const run = this.#run
    let text = ''
    let whole: Bytes | undefined
    run.inParts(data.length, (iv, from, to) => {
      if (to - from === data.length) {
        text = run.cipher.encryptText(iv, data, 'base64', { padding: false })
        return
      }
      const bytes = typeof data === 'string' ? asciiOf(data) : data
      whole ??= new Uint8Array(bytes.length)
      run.cipher.encryptInto(iv, bytes.subarray(from, to), whole.subarray(from, to))
    })
    if (whole !== undefined) text = base64Of(whole)
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

  /** As {@link update}, of a plaintext in CBC that is ASCII. */
  updateText(text: string): string {
    const run = this.#run
    const all = this.#rest + text
    const whole = GROUP_DIGITS * Math.floor(Math.max(all.length - 1, 0) / GROUP_DIGITS)
    this.#rest = all.slice(whole)
    if (whole === 0) return ''
    const part = all.slice(0, whole)
    try {
      const plaintext = run.cipher.decryptText(run.iv, part, 'base64', { padding: false })
      run.iv = lastBlockOf(part)
      return plaintext
    } catch {
      throw notAuthentic('AES')
    }
  }

  destroy(): void {
    this.#run.cipher.destroy()
  }

  #decrypted(text: string): Bytes {
    const run = this.#run
    try {
      const bytes = bytesOfBase64(text)
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

/** The Base64 of bytes, by what computes where that has it: pages do not load a module for it. */
export function base64Of(bytes: Bytes): string {
  return isNative
    ? (native((sync) => sync.encodeText('base64', bytes)) ?? encode('base64', bytes))
    : encode('base64', bytes)
}

/** The bytes of Base64, likewise. */
export function bytesOfBase64(text: string): Bytes {
  return isNative
    ? (native((sync) => sync.decodeText('base64', text)) ?? decode('base64', text))
    : decode('base64', text)
}

let isNative = true

function native<T>(work: (sync: SyncCalls) => T): T | undefined {
  try {
    return call(work)
  } catch (error) {
    // Of a page's build that does not have the module, and of one whose module was not loaded.
    if (!(error instanceof SealstoneError && ['internal', 'unavailable_backend'].includes(error.code))) throw error
    isNative = false
    return undefined
  }
}

const encoder = /* @__PURE__ */ new TextEncoder()

/** The bytes of a text that is ASCII. */
export function asciiOf(text: string): Bytes {
  return encoder.encode(text) as Bytes
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
