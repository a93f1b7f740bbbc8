/**
 * Text as bytes, and back, by what the platform has: one native call over all of it, since a loop of JavaScript's takes ten times
 * as long. Node and browsers have different calls, and the same results.
 */
export interface Transcoder {
  /** Base64 of the bytes from one place to another. */
  base64Of(scratch: Scratch, start: number, end: number): string
  /** The first bytes as text, each of which is below 128. */
  asciiOf(scratch: Scratch, len: number): string
  /** Puts text with no character above 255 into the bytes, from there on. */
  putLatin1(text: string, scratch: Scratch, at: number): void
  /** Puts the UTF-16 of text into the units. */
  putUnits(text: string, scratch: Scratch): void
  /** The first units as text. */
  textOf(scratch: Scratch, len: number): string
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
const KEPT_LEN = 1 << 20

let kept: Scratch | undefined
let chosen: Transcoder | undefined
let encoder: TextEncoder | undefined

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
  chosen ??= nodeBuffer() === undefined ? webTranscoder : nodeTranscoder
  return chosen
}

/** Puts UTF-8 into the bytes, and says how many they are: as many as characters if all are below 128. */
export function putUtf8(text: string, scratch: Scratch): number {
  encoder ??= new TextEncoder()
  return encoder.encodeInto(text, scratch.bytes).written
}

/** By Node's `Buffer`. */
export const nodeTranscoder: Transcoder = {
  base64Of: ({ buffer }, start, end) => (buffer as NodeBuffer).toString('base64', start, end),
  asciiOf: ({ buffer }, len) => (buffer as NodeBuffer).toString('latin1', 0, len),
  putLatin1(text, { buffer }, at) {
    ;(buffer as NodeBuffer).write(text, at, text.length, 'latin1')
  },
  // A typed array has the machine's order, and Buffer that of little-endian machines: all that JavaScript runs on, but for s390x.
  putUnits(text, { buffer }) {
    ;(buffer as NodeBuffer).write(text, 0, text.length * 2, 'utf16le')
  },
  textOf: ({ buffer }, len) => (buffer as NodeBuffer).toString('utf16le', 0, len * 2),
}

/** By what browsers have, old ones too. */
export const webTranscoder: Transcoder = {
  base64Of({ bytes }, start, end) {
    const part = bytes.subarray(start, end) as Base64Bytes
    return part.toBase64?.() ?? btoa(charsOf(part))
  },
  asciiOf: ({ bytes }, len) => new TextDecoder().decode(bytes.subarray(0, len)),
  putLatin1(text, { bytes }, at) {
    for (let i = 0; i < text.length; i++) bytes[at + i] = text.charCodeAt(i)
  },
  putUnits(text, { units }) {
    for (let i = 0; i < text.length; i++) units[i] = text.charCodeAt(i)
  },
  textOf: ({ units }, len) => charsOf(units.subarray(0, len)),
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
  const buffer = nodeBuffer()?.from(memory)
  return { bytes, words: new Int32Array(memory), units: new Uint16Array(memory), buffer }
}

function nodeBuffer(): NodeBufferClass | undefined {
  return (globalThis as { Buffer?: NodeBufferClass }).Buffer
}

interface NodeBuffer {
  toString(encoding: string, start: number, end: number): string
  write(text: string, at: number, len: number, encoding: string): number
}

interface NodeBufferClass {
  from(memory: ArrayBuffer): NodeBuffer
}

interface Base64Bytes extends Uint8Array<ArrayBuffer> {
  toBase64?(): string
}
