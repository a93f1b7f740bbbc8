// Long messages in pieces: Base64 of one AES ciphertext with PKCS#7, under one IV. Only one piece is in memory at a time.

import { decode } from '../../api/encoding.js'
import { type Cipher, cipher } from '../../api/hazmat.js'
import { hkdf } from '../../api/kdf.js'
import { type MacSigner, mac } from '../../api/mac.js'
import { type Bytes, zero } from '../../basics/bytes.js'
import { BLOCK_LEN } from '../../basics/table.js'
import { isHostFaster, sync } from '../../work/cipher-calls.js'
import { webCrypto } from '../../work/key-like.js'
import { inWraps } from './aes.js'
import { notAuthentic } from './errors.js'
import { unpadded } from './padding.js'
import type { AESKeySize } from './results.js'

export type StreamMode = 'CBC' | 'CTR'

/** Bytes of plaintext that fill whole blocks and whole groups of Base64, and the characters of those groups. */
const [GROUP_LEN, GROUP_DIGITS] = [48, 64]

const NONE = /* @__PURE__ */ new Uint8Array(0)

/** From this length, in bytes, WebCrypto is faster: a call takes a page 20 µs. */
const HOST_LEN = 4096

/** A cipher and its position in a message. */
class Run {
  readonly #cipher: Cipher
  readonly #mode: StreamMode
  readonly #host: Host | undefined
  #iv: Bytes

  constructor(key: Bytes, mode: StreamMode, iv: string) {
    const bits = (8 * key.length) as AESKeySize
    this.#cipher = cipher(`aes-${bits}-${mode.toLowerCase() as Lowercase<StreamMode>}`, key)
    this.#mode = mode
    this.#host = isHostFaster() ? new Host(key, mode) : undefined
    this.#iv = decode('hex', iv)
  }

  /** Takes whole blocks. Only the end of a message in CTR may be shorter. */
  async encrypt(data: Bytes): Promise<Bytes> {
    const sealed =
      (await this.#host?.encrypt(this.#iv, data)) ??
      this.#computed(data, (iv, part, out) => this.#cipher.encryptInto(iv, part, out))
    this.#advance(sealed)
    return sealed
  }

  async decrypt(data: Bytes): Promise<Bytes> {
    const opened =
      (await this.#host?.decrypt(this.#iv, data, (block, out) =>
        this.#cipher.encryptInto(data.slice(-BLOCK_LEN), block, out),
      )) ?? this.#computed(data, (iv, part, out) => this.#cipher.decryptInto(iv, part, out))
    this.#advance(data)
    return opened
  }

  destroy(): void {
    this.#cipher.destroy()
  }

  /** Computes in parts, between which the counter overflows to 0. */
  #computed(data: Bytes, work: (iv: Bytes, part: Bytes, out: Bytes) => void): Bytes {
    const made = new Uint8Array(data.length)
    const part = (iv: Bytes, from: number, to: number): void => {
      work(iv, data.subarray(from, to), made.subarray(from, to))
    }
    if (this.#mode === 'CBC') part(this.#iv, 0, data.length)
    else inWraps(this.#iv, COUNTER_LEN, data.length, part)
    return made
  }

  #advance(ciphertext: Bytes): void {
    if (ciphertext.length === 0) return
    if (this.#mode === 'CBC') {
      this.#iv = ciphertext.slice(-BLOCK_LEN)
      return
    }
    const next = new Uint8Array(this.#iv)
    const counter = new DataView(next.buffer)
    const at = BLOCK_LEN - COUNTER_LEN
    // Modulo 2^32, as in the original.
    counter.setUint32(at, counter.getUint32(at) + Math.ceil(ciphertext.length / BLOCK_LEN))
    this.#iv = next
  }
}

/** Bytes of CTR's counter. */
const COUNTER_LEN = 4

/** The cipher of WebCrypto, if it has one: Chromium has no keys of 192 bits. */
class Host {
  readonly #key: Promise<CryptoKey | undefined>
  readonly #mode: StreamMode

  constructor(key: Bytes, mode: StreamMode) {
    this.#mode = mode
    // `importKey` copies the bytes before it returns.
    this.#key = subtle()
      .importKey('raw', key, `AES-${mode}`, false, ['encrypt', 'decrypt'])
      .catch(() => undefined)
  }

  async encrypt(iv: Bytes, data: Bytes): Promise<Bytes | undefined> {
    const key = await this.#keyFor(data)
    if (key === undefined) return undefined
    const sealed = new Uint8Array(await subtle().encrypt(this.#parameters(iv), key, data))
    // WebCrypto also pads whole blocks: the padding is cut off.
    return sealed.subarray(0, data.length)
  }

  /** `encrypted` appends an encrypted block of padding, because WebCrypto expects padding at the end. */
  async decrypt(iv: Bytes, data: Bytes, encrypted: (block: Bytes, out: Bytes) => void): Promise<Bytes | undefined> {
    const key = await this.#keyFor(data)
    if (key === undefined) return undefined
    if (this.#mode === 'CTR') return new Uint8Array(await subtle().decrypt(this.#parameters(iv), key, data))
    const padded = new Uint8Array(data.length + BLOCK_LEN)
    padded.set(data)
    encrypted(new Uint8Array(BLOCK_LEN).fill(BLOCK_LEN), padded.subarray(data.length))
    return new Uint8Array(await subtle().decrypt(this.#parameters(iv), key, padded))
  }

  async #keyFor(data: Bytes): Promise<CryptoKey | undefined> {
    return data.length < HOST_LEN ? undefined : this.#key
  }

  #parameters(iv: Bytes): AesCbcParams | AesCtrParams {
    return this.#mode === 'CBC' ? { name: 'AES-CBC', iv } : { name: 'AES-CTR', counter: iv, length: 8 * COUNTER_LEN }
  }
}

function subtle(): SubtleCrypto {
  return webCrypto().subtle as SubtleCrypto
}

/** Writes a message. */
export class MessageWriter {
  readonly #run: Run
  #rest: Bytes = NONE

  constructor(key: Bytes, mode: StreamMode, iv: string) {
    this.#run = new Run(key, mode, iv)
  }

  /** The digits of the whole groups so far. */
  async update(data: Bytes): Promise<Bytes> {
    const rest = this.#rest
    const all = rest.length === 0 ? data : joined(rest, data)
    const whole = all.length - (all.length % GROUP_LEN)
    this.#rest = new Uint8Array(all.subarray(whole))
    try {
      return digitsOf(await this.#run.encrypt(all.subarray(0, whole)))
    } finally {
      zero(rest)
      if (all !== data) zero(all)
    }
  }

  /** The last digits. */
  async finish(): Promise<Bytes> {
    const { length } = this.#rest
    const padding = BLOCK_LEN - (length % BLOCK_LEN)
    const last = new Uint8Array(length + padding).fill(padding)
    last.set(this.#rest)
    try {
      return digitsOf(await this.#run.encrypt(last))
    } finally {
      zero(last)
      zero(this.#rest)
      this.destroy()
    }
  }

  destroy(): void {
    this.#run.destroy()
  }
}

/** Reads a message. A wrong key, wrong padding and wrong digits give the same error. */
export class MessageReader {
  readonly #run: Run
  #rest: Bytes = NONE

  constructor(key: Bytes, mode: StreamMode, iv: string) {
    this.#run = new Run(key, mode, iv)
  }

  /** The bytes of the whole groups so far. The last group waits, since it may have the padding. */
  async update(digits: Bytes): Promise<Bytes> {
    const all = this.#rest.length === 0 ? digits : joined(this.#rest, digits)
    const whole = GROUP_DIGITS * Math.floor(Math.max(all.length - 1, 0) / GROUP_DIGITS)
    this.#rest = new Uint8Array(all.subarray(whole))
    return this.#decrypted(all.subarray(0, whole))
  }

  /** The last bytes. */
  async finish(): Promise<Bytes> {
    try {
      const last = await this.#decrypted(this.#rest)
      const bytes = unpadded(last, BLOCK_LEN)
      if (bytes === undefined || last.length === 0) throw notAuthentic('AES')
      return bytes
    } finally {
      this.destroy()
    }
  }

  destroy(): void {
    this.#run.destroy()
  }

  async #decrypted(digits: Bytes): Promise<Bytes> {
    const bytes = bytesOfDigits(digits)
    try {
      return await this.#run.decrypt(bytes)
    } catch {
      throw notAuthentic('AES')
    }
  }
}

/** A tag over a message, which this entry writes beside it. The original has none, and ignores it. */
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

/** The padding character of Base64. */
export const PAD = 0x3d

/** Base64 of bytes, as ASCII bytes. */
export function digitsOf(bytes: Bytes): Bytes {
  const digits = new Uint8Array(4 * Math.ceil(bytes.length / 3))
  sync().base64EncodeInto(bytes, digits)
  return digits
}

/** Decodes such Base64. It refuses everything that {@link digitsOf} does not write. */
export function bytesOfDigits(digits: Bytes): Bytes {
  const [before, last] = [digits.at(-2) === PAD, digits.at(-1) === PAD]
  const padding = Number(last) + Number(last && before)
  const bytes = new Uint8Array(Math.max(Math.ceil((digits.length / 4) * 3) - padding, 0))
  try {
    sync().base64DecodeInto(digits, bytes)
    return bytes
  } catch {
    throw notAuthentic('AES')
  }
}

/** Two arrays as one. */
export function joined(one: Bytes, other: Bytes): Bytes {
  const all = new Uint8Array(one.length + other.length)
  all.set(one)
  all.set(other, one.length)
  return all
}
