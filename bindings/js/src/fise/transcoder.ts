import { isWellFormed } from '../bytes.js'

/**
 * Text as bytes, and back, by what the platform has: one native call over all of it, since a loop of JavaScript's takes up to ten
 * times as long. Node and browsers have different calls, and the same results.
 */
export interface Transcoder {
  /** Puts text into the bytes if no character is above 127, and says whether that is so. */
  putAscii(text: string, scratch: Scratch): boolean
  /** Puts the UTF-16 of text into the units. */
  putUnits(text: string, scratch: Scratch): void
  /** Puts what base64 with this ending stands for into the bytes; `false` if it is not base64, or of another length. */
  putBase64(text: Cut, scratch: Scratch, len: number): boolean
  /** Whether none of the first bytes is above 127. */
  hasAscii(scratch: Scratch, len: number): boolean
  /** Makes UTF-8 of the first units, and says how many bytes; less than 0 if a surrogate is alone. */
  encodeUtf8(scratch: Scratch, len: number): number
  /** Makes UTF-16 of the first bytes, and says how many units; less than 0 if they are no UTF-8. */
  decodeUtf8(scratch: Scratch, len: number): number
  /** The first bytes as text, each of which is below 128. */
  asciiOf(scratch: Scratch, len: number): string
  /** The first units as text. */
  textOf(scratch: Scratch, len: number): string
  /** Base64 of the bytes from one place to another. */
  base64Of(scratch: Scratch, start: number, end: number): string
  /** Long texts of one byte a character, one behind the other. */
  joined(texts: readonly string[]): string
}

/** Text up to `end` without the `gap` characters at `at`. It is read where it lies: to put it together would copy all of it. */
export interface Cut {
  readonly text: string
  readonly at: number
  readonly gap: number
  readonly end: number
}

/** Memory that texts are worked on in. What was there before stays there: FISE has no secrets. */
export interface Scratch {
  readonly bytes: Uint8Array<ArrayBuffer>
  readonly words: Int32Array
  /** The same memory again: bytes and units are never needed at once. */
  readonly units: Uint16Array
  readonly buffer: NodeBuffer | undefined
}

/** Kept from call to call; what is longer has memory of its own. */
const KEPT_LEN = 4 << 20

let kept: Scratch | undefined
let chosen: Transcoder | undefined

/** Memory for text of so many characters, in UTF-8 and in UTF-16. */
export function scratchFor(chars: number): Scratch {
  const len = chars * 3 + 8
  if (kept !== undefined && len <= kept.bytes.length) return kept
  const scratch = scratchOf(Math.max(1 << 12, 2 ** Math.ceil(Math.log2(len))))
  if (scratch.bytes.length <= KEPT_LEN) kept = scratch
  return scratch
}

/** The calls of this platform. */
export function transcoder(): Transcoder {
  chosen ??= nodeTranscoder() ?? webTranscoder
  return chosen
}

/** By Node's `buffer`, where that is there and is as strict: others have a `Buffer` without `transcode`, or one that repairs. */
export function nodeTranscoder(node: NodeBufferModule | undefined = nodeModule()): Transcoder | undefined {
  if (node?.transcode === undefined || node.isAscii === undefined) return undefined
  const { Buffer, isAscii, transcode } = node
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
  const isAsciiText = (text: string) => Buffer.byteLength(text) === text.length

  function transcoded({ bytes, buffer }: Scratch, len: number, from: string, to: string): number {
    try {
      const result = transcode((buffer as NodeBuffer).subarray(0, len), from, to)
      bytes.set(result)
      return result.length
    } catch {
      return -2
    }
  }

  return {
    putAscii(text, { buffer }) {
      if (looksWide(text) || !isAsciiText(text)) return false
      ;(buffer as NodeBuffer).write(text, 0, text.length, 'latin1')
      return true
    },
    // A typed array has the machine's order, and Buffer that of little-endian machines: all that JavaScript runs on, but for s390x.
    putUnits(text, { buffer }) {
      ;(buffer as NodeBuffer).write(text, 0, text.length * 2, 'utf16le')
    },
    putBase64({ text, at, gap, end }, { buffer }, len) {
      // Whole groups first, which are few since most rules put the marker near the beginning; the rest lies where it is.
      const fill = -at & 3
      const head = text.slice(0, at) + text.slice(at + gap, at + gap + fill)
      const tail = text.slice(at + gap + fill, end)
      // It takes characters for their lower eight bits, and the digits of URLs too; what is none it passes over, to fewer bytes.
      for (const part of [head, tail]) {
        if (!isAsciiText(part) || part.includes('-') || part.includes('_')) return false
      }
      const headLen = Math.min(((at + fill) >> 2) * 3, len)
      const written = (buffer as NodeBuffer).write(head, 0, headLen, 'base64')
      return (
        written === headLen && (buffer as NodeBuffer).write(tail, headLen, len - headLen, 'base64') === len - headLen
      )
    },
    hasAscii(scratch, len) {
      if (len < OBJECTS_FROM) return webTranscoder.hasAscii(scratch, len)
      return isAscii((scratch.buffer as NodeBuffer).subarray(0, len))
    },
    encodeUtf8: (scratch, len) => transcoded(scratch, len * 2, 'utf16le', 'utf8'),
    decodeUtf8(scratch, len) {
      if (len < OBJECTS_FROM) return webTranscoder.decodeUtf8(scratch, len)
      return transcoded(scratch, len, 'utf8', 'utf16le') / 2
    },
    asciiOf: ({ buffer }, len) => (buffer as NodeBuffer).toString('latin1', 0, len),
    textOf: ({ buffer }, len) => (buffer as NodeBuffer).toString('utf16le', 0, len * 2),
    base64Of: ({ buffer }, start, end) => (buffer as NodeBuffer).toString('base64', start, end),
    // V8 would make a large object of them, whose memory is always new.
    joined(texts) {
      const len = texts.reduce((sum, text) => sum + text.length, 0)
      const buffer = scratchFor(Math.ceil(len / 3)).buffer as NodeBuffer
      let at = 0
      for (const text of texts) at += buffer.write(text, at, len - at, 'latin1')
      return buffer.toString('latin1', 0, len)
    },
  }
}

/** A look at a few places, before all of a text is counted in vain, which takes a fifth of the time that a wide one does. */
function looksWide(text: string): boolean {
  const step = text.length >> 4
  if (step < 16) return false
  let seen = 0
  for (let at = 0; at < text.length; at += step) seen |= text.charCodeAt(at)
  return seen > 0x7f
}

/** These calls need objects for their arguments and results: under so many bytes a loop is faster. */
const OBJECTS_FROM = 512

/** By what browsers have, old ones too. */
export const webTranscoder: Transcoder = {
  putAscii: (text, { bytes }) => putAscii(text, bytes),
  putUnits(text, { units }) {
    for (let i = 0; i < text.length; i++) units[i] = text.charCodeAt(i)
  },
  putBase64({ text, at, gap, end }, scratch, len) {
    let latin1: string
    try {
      latin1 = atob(text.slice(0, at) + text.slice(at + gap, end))
    } catch {
      return false
    }
    // It passes over white space, and then there are fewer.
    if (latin1.length !== len) return false
    for (let i = 0; i < len; i++) scratch.bytes[i] = latin1.charCodeAt(i)
    return true
  },
  hasAscii({ bytes }, len) {
    let seen = 0
    for (let i = 0; i < len; i++) seen |= bytes[i] as number
    return seen < 0x80
  },
  encodeUtf8(scratch, len) {
    const text = webTranscoder.textOf(scratch, len)
    if (someSurrogate(scratch, len) && !isWellFormed(text)) return -1
    encoder ??= new TextEncoder()
    return encoder.encodeInto(text, scratch.bytes).written
  },
  decodeUtf8({ bytes, units }, len) {
    // Behind the units that they become, which are at most as many.
    bytes.copyWithin(len * 2, 0, len)
    return decodeUtf8(bytes, len * 2, len, units)
  },
  asciiOf: ({ bytes }, len) => new TextDecoder().decode(bytes.subarray(0, len)),
  textOf: ({ units }, len) => charsOf(units.subarray(0, len)),
  base64Of({ bytes }, start, end) {
    const part = bytes.subarray(start, end) as Base64Bytes
    return part.toBase64?.() ?? btoa(charsOf(part))
  },
  joined: (texts) => texts.join(''),
}

/** Puts text into the bytes; `false` if some character is above 127, or there is not room for all. */
export function putAscii(text: string, bytes: Uint8Array): boolean {
  encoder ??= new TextEncoder()
  // Wider text may fill the bytes to as many as it has characters, and is not read to its end then.
  const { read, written } = encoder.encodeInto(text, bytes)
  return read === text.length && written === read
}

let encoder: TextEncoder | undefined

/** Whether some unit is half of a pair, or alone. */
function someSurrogate({ units }: Scratch, len: number): boolean {
  for (let i = 0; i < len; i++) {
    if (((units[i] as number) & 0xf800) === 0xd800) return true
  }
  return false
}

/** UTF-8 that stands at `from` as UTF-16, and how many units; less than 0 if it is none. */
function decodeUtf8(bytes: Uint8Array, from: number, len: number, units: Uint16Array): number {
  const end = from + len
  let at = from
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

/** Characters of these codes; a call takes only so many arguments. */
function charsOf(codes: Uint8Array | Uint16Array): string {
  const parts: string[] = []
  for (let at = 0; at < codes.length; at += 8192) {
    parts.push(String.fromCharCode.apply(null, codes.subarray(at, at + 8192) as unknown as number[]))
  }
  return parts.join('')
}

function scratchOf(len: number): Scratch {
  const memory = new ArrayBuffer(len)
  const bytes = new Uint8Array(memory)
  const buffer = nodeModule()?.Buffer.from(memory)
  return { bytes, words: new Int32Array(memory), units: new Uint16Array(memory), buffer }
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

interface Base64Bytes extends Uint8Array<ArrayBuffer> {
  toBase64?(): string
}
