import { BASE64 } from './salt.js'
import { type Cut, concatenated, type Transcoder, webTranscoder } from './transcoder.js'
import { putAscii, unitsOf, xorBytes, xorUnits } from './xor.js'

let chosen: Transcoder | undefined

/** The calls of the platform: Node's where they are there. It is what `#transcoder` is outside of builds for pages. */
export function transcoder(): Transcoder {
  chosen ??= nodeTranscoder() ?? webTranscoder
  return chosen
}

/** By Node's `buffer`, where that is there and is as strict: others have a `Buffer` without `transcode`, or one that repairs. */
export function nodeTranscoder(node: NodeBufferModule | undefined = nodeModule()): Transcoder | undefined {
  if (node?.transcode === undefined || node.isAscii === undefined) return undefined
  const { Buffer, isAscii: isAsciiBytes, transcode } = node
  const refuses = (bytes: number[], from: string, to: string) => {
    try {
      transcode(Uint8Array.from(bytes), from, to)
      return false
    } catch {
      return true
    }
  }
  // A byte that begins nothing, and half of a pair.
  if (!refuses([0x61, 0xff], 'utf8', 'utf16le') || !refuses([0x61, 0, 0, 0xd8], 'utf16le', 'utf8')) return undefined
  const bufferOf = (scratch: Scratch): NodeBuffer => {
    scratch.buffer ??= Buffer.from(scratch.bytes.buffer)
    return scratch.buffer
  }
  const isAsciiText = (text: string) => Buffer.byteLength(text) === text.length

  function transcoded(scratch: Scratch, len: number, from: string, to: string): number {
    try {
      const result = transcode(bufferOf(scratch).subarray(0, len), from, to)
      scratch.bytes.set(result)
      return result.length
    } catch {
      return -2
    }
  }

  /** Puts text into the bytes if no character is above 127, and says whether that is so. */
  function putLongAscii(text: string, scratch: Scratch): boolean {
    if (looksWide(text) || !isAsciiText(text)) return false
    bufferOf(scratch).write(text, 0, text.length, 'latin1')
    return true
  }

  /** Puts what base64 stands for into the bytes; `false` if it is not base64, or of another length. */
  function putBase64({ text, at, gap, end }: Cut, scratch: Scratch, len: number): boolean {
    const buffer = bufferOf(scratch)
    // Whole groups first, which are few since most rules put the marker near the beginning; the rest lies where it is.
    const fill = -at & 3
    const head = text.slice(0, at) + text.slice(at + gap, at + gap + fill)
    const tail = text.slice(at + gap + fill, end)
    // It takes characters for their lower eight bits, and the digits of URLs too; what is none it passes over, to fewer bytes.
    for (const part of [head, tail]) {
      if (!isAsciiText(part) || part.includes('-') || part.includes('_')) return false
    }
    const headLen = Math.min(((at + fill) >> 2) * 3, len)
    const written = buffer.write(head, 0, headLen, 'base64')
    return written === headLen && buffer.write(tail, headLen, len - headLen, 'base64') === len - headLen
  }

  function base64Of(scratch: Scratch, len: number): string[] {
    const buffer = bufferOf(scratch)
    if (len <= PART_BYTES || len >= EXTERNAL_BYTES) return [buffer.toString('base64', 0, len)]
    const parts: string[] = []
    for (let at = 0; at < len; at += PART_BYTES)
      parts.push(buffer.toString('base64', at, Math.min(len, at + PART_BYTES)))
    return parts
  }

  return {
    mixed(plaintext, salt) {
      const len = plaintext.length
      const scratch = scratchFor(len)
      const isShort = len < LONG_FROM
      // ASCII XOR ASCII is ASCII: these bytes are the UTF-8 already.
      const isAscii = isShort ? putAscii(plaintext, scratch.bytes) : putLongAscii(plaintext, scratch)
      if (isAscii && xorBytes(scratch, len, salt)) return base64Of(scratch, len)
      let written = isShort ? mixShort(plaintext, scratch, salt) : -1
      if (written < 0) {
        // A typed array has the machine's order, and Buffer that of little-endian machines: all that JavaScript runs on, but for s390x.
        bufferOf(scratch).write(plaintext, 0, len * 2, 'utf16le')
        // XOR with ASCII changes the lower seven bits of a unit, so surrogates stay what they are, and lone ones stay alone.
        xorUnits(scratch, len, salt)
        written = transcoded(scratch, len * 2, 'utf16le', 'utf8')
      }
      return written < 0 ? undefined : base64Of(scratch, written)
    },
    opened(cipherText, len, salt) {
      const scratch = scratchFor(len)
      const isShort = len < NATIVE_BASE64_FROM && putAscii(cipherText.text, scratch.bytes)
      if (!(isShort ? decodeShort(cipherText, scratch, len) : putBase64(cipherText, scratch, len))) return undefined
      const buffer = bufferOf(scratch)
      const isAscii = len < OBJECTS_FROM ? hasAscii(scratch.bytes, len) : isAsciiBytes(buffer.subarray(0, len))
      if (isAscii && xorBytes(scratch, len, salt)) return buffer.toString('latin1', 0, len)
      const units = len < OBJECTS_FROM ? decodeUtf8(scratch, len) : transcoded(scratch, len, 'utf8', 'utf16le') / 2
      if (units < 0) return undefined
      xorUnits(scratch, units, salt)
      return buffer.toString('utf16le', 0, units * 2)
    },
    joined(texts) {
      const len = texts.reduce((sum, text) => sum + text.length, 0)
      // Base64 has a byte a character, and is not looked through; a marker may be any text.
      if (len < EXTERNAL_FROM || texts.some((text) => text.length < EXTERNAL_FROM >> 2 && WIDE.test(text))) {
        return concatenated(texts)
      }
      // V8 would make a large object of them, whose memory is always new.
      const buffer = bufferOf(scratchFor(Math.ceil(len / 3)))
      let at = 0
      for (const text of texts) at += buffer.write(text, at, len - at, 'latin1')
      return buffer.toString('latin1', 0, len)
    },
  }
}

/** From so many characters on native calls over all of a text pay. */
const LONG_FROM = 192
/** And from so many bytes on those that read base64. */
const NATIVE_BASE64_FROM = 448
/** Those of `transcode` and `isAscii` need objects for their arguments and results: under so many bytes a loop is faster. */
const OBJECTS_FROM = 512

/** Bytes of a part of base64, whose characters are a quarter of those that V8 has as a large object. */
const PART_BYTES = ((1 << 15) / 4) * 3
/** From so many characters on a native call's text is outside of V8's heap, in memory that serves again: then one part is faster. */
const EXTERNAL_FROM = 1 << 20
const EXTERNAL_BYTES = (EXTERNAL_FROM / 4) * 3

const WIDE = /[^\0-\xff]/

/** A look at a few places, before all of a text is counted in vain, which takes a fifth of the time that a wide one does. */
function looksWide(text: string): boolean {
  const step = text.length >> 4
  if (step < 16) return false
  let seen = 0
  for (let at = 0; at < text.length; at += step) seen |= text.charCodeAt(at)
  return seen > 0x7f
}

/**
 * XORs text and puts its UTF-8 into the bytes as it is read, and says how many they are; less than 0 if there are surrogates. Calls
 * that work on all of it would take longer than a short one.
 */
function mixShort(text: string, { bytes }: Scratch, salt: string): number {
  const period = salt.length
  if (period === 0) return -1
  const units = unitsOf(salt)
  let out = 0
  for (let i = 0, j = 0; i < text.length; i++) {
    const code = text.charCodeAt(i) ^ (units[j] as number)
    if (++j === period) j = 0
    if (code < 0x80) {
      bytes[out++] = code
    } else if (code < 0x800) {
      bytes[out++] = 0xc0 | (code >> 6)
      bytes[out++] = 0x80 | (code & 0x3f)
    } else if ((code & 0xf800) !== 0xd800) {
      bytes[out++] = 0xe0 | (code >> 12)
      bytes[out++] = 0x80 | ((code >> 6) & 0x3f)
      bytes[out++] = 0x80 | (code & 0x3f)
    } else {
      return -1
    }
  }
  return out
}

/** As `putBase64`, of a text whose characters are the bytes: to call that takes longer than this for a short one. */
function decodeShort({ at, gap, end }: Cut, { bytes }: Scratch, len: number): boolean {
  bytes.copyWithin(at, at + gap, end)
  const rest = len % 3
  let i = 0
  let out = 0
  let seen = 0
  for (; out < len - rest; i += 4, out += 3) {
    const a = digitOf(bytes[i] as number)
    const b = digitOf(bytes[i + 1] as number)
    const c = digitOf(bytes[i + 2] as number)
    const d = digitOf(bytes[i + 3] as number)
    seen |= a | b | c | d
    bytes[out] = (a << 2) | (b >> 4)
    bytes[out + 1] = (b << 4) | (c >> 2)
    bytes[out + 2] = (c << 6) | d
  }
  if (rest > 0) {
    const a = digitOf(bytes[i] as number)
    const b = digitOf(bytes[i + 1] as number)
    const c = rest > 1 ? digitOf(bytes[i + 2] as number) : 0
    seen |= a | b | c
    bytes[out] = (a << 2) | (b >> 4)
    bytes[out + 1] = (b << 4) | (c >> 2)
  }
  return seen >= 0
}

/** The value of a digit of base64, less than 0 if it is none. */
function digitOf(code: number): number {
  return code < 128 ? (DIGITS[code] as number) : -1
}

const DIGITS = /* @__PURE__ */ (() => {
  const digits = new Int8Array(128).fill(-1)
  for (let value = 0; value < 64; value++) digits[BASE64.charCodeAt(value)] = value
  return digits
})()

function hasAscii(bytes: Uint8Array, len: number): boolean {
  let seen = 0
  for (let i = 0; i < len; i++) seen |= bytes[i] as number
  return seen < 0x80
}

/** Makes UTF-16 of the first bytes, and says how many units; less than 0 if they are no UTF-8. */
function decodeUtf8({ bytes, units }: Scratch, len: number): number {
  // Behind the units that they become, which are at most as many.
  const end = len * 3
  let at = len * 2
  bytes.copyWithin(at, 0, len)
  let out = 0
  while (at < end) {
    const a = bytes[at] as number
    if (a < 0x80) {
      units[out++] = a
      at++
      continue
    }
    // Past the end may be anything: the last comparison of all sees it.
    const b = (bytes[at + 1] as number) ^ 0x80
    if (a < 0xe0) {
      if (a < 0xc2 || b > 0x3f) return -1
      units[out++] = ((a & 0x1f) << 6) | b
      at += 2
      continue
    }
    const c = (bytes[at + 2] as number) ^ 0x80
    if ((b | c) > 0x3f) return -1
    if (a < 0xf0) {
      const unit = ((a & 0x0f) << 12) | (b << 6) | c
      if (unit < 0x800 || (unit & 0xf800) === 0xd800) return -1
      units[out++] = unit
      at += 3
      continue
    }
    const d = (bytes[at + 3] as number) ^ 0x80
    const point = (((a & 0x07) << 18) | (b << 12) | (c << 6) | d) - 0x10000
    if (a > 0xf4 || d > 0x3f || point < 0 || point > 0xfffff) return -1
    units[out++] = 0xd800 | (point >> 10)
    units[out++] = 0xdc00 | (point & 0x3ff)
    at += 4
  }
  return at === end ? out : -1
}

/** Memory that texts are worked on in. What was there before stays there: FISE has no secrets. */
interface Scratch {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly words: Int32Array
  /** The same memory again: bytes and units are never needed at once. */
  readonly units: Uint16Array
  /** And again, as Node's `Buffer`, once that was asked for. */
  buffer: NodeBuffer | undefined
}

/** Kept from call to call; what is longer has memory of its own. */
const KEPT_LEN = 4 << 20

let kept: Scratch | undefined

/** Memory for text of so many characters, in UTF-8 and in UTF-16. */
function scratchFor(chars: number): Scratch {
  const len = chars * 3 + 8
  if (kept !== undefined && len <= kept.bytes.length) return kept
  const scratch = scratchOf(Math.max(1 << 12, 2 ** Math.ceil(Math.log2(len))))
  if (scratch.bytes.length <= KEPT_LEN) kept = scratch
  return scratch
}

function scratchOf(len: number): Scratch {
  const memory = new ArrayBuffer(len)
  const bytes = new Uint8Array(memory)
  return { bytes, words: new Int32Array(memory), units: new Uint16Array(memory), buffer: undefined }
}

/** Not by an import, which browsers could not follow. */
function nodeModule(): NodeBufferModule | undefined {
  return (globalThis as { process?: NodeProcess }).process?.getBuiltinModule?.('buffer')
}

interface NodeProcess {
  getBuiltinModule?(name: string): NodeBufferModule | undefined
}

interface NodeBufferModule {
  readonly Buffer: { from(memory: ArrayBuffer): NodeBuffer; byteLength(text: string): number }
  isAscii?(bytes: Uint8Array): boolean
  transcode?(bytes: Uint8Array, from: string, to: string): Uint8Array
}

interface NodeBuffer extends Uint8Array {
  toString(encoding?: string, start?: number, end?: number): string
  write(text: string, at: number, len: number, encoding: string): number
  subarray(start?: number, end?: number): NodeBuffer
}
