/**
 * XORs text with a salt into base64 and back, by what the platform has: native calls over all of it, since a loop of JavaScript's
 * takes up to ten times as long. Node and browsers have different calls, and the same results.
 */
export interface Transcoder {
  /** The base64 of a text's UTF-8, in parts; nothing if a surrogate is alone. */
  mixed(plaintext: string, salt: string): string[] | undefined
  /** The text that base64 with a canonical end has as UTF-8, of so many bytes; nothing if it has none. */
  opened(cipherText: Cut, len: number, salt: string): string | undefined
  /** Base64, in parts, with a marker in it and a salt behind it. */
  joined(texts: readonly string[]): string
}

/** Text up to `end` without the `gap` characters at `at`. It is read where it lies: to put it together would copy all of it. */
export interface Cut {
  readonly text: string
  readonly at: number
  readonly gap: number
  readonly end: number
}

/** By what browsers have, old ones too. */
export const webTranscoder: Transcoder = {
  mixed(plaintext, salt) {
    let bytes: Base64Bytes = encoder.encode(plaintext)
    if (!xorAscii(bytes, plaintext.length, salt)) {
      const text = xored(plaintext, salt)
      if (text === undefined) return undefined
      bytes = encoder.encode(text)
    }
    return [bytes.toBase64?.() ?? btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''))]
  },
  opened(cipherText, len, salt) {
    const bytes = base64Decoded(joined(cipherText))
    // What reads base64 passes over white space, and then there are fewer.
    if (bytes?.length !== len) return undefined
    const text = decoded(utf8, bytes)
    if (text === undefined) return undefined
    return xorAscii(bytes, text.length, salt) ? decoded(utf8, bytes) : xored(text, salt)
  },
  joined: concatenated,
}

/** In a build for pages the calls of the platform, which is what `#transcoder` is. */
export function transcoder(): Transcoder {
  return webTranscoder
}

/** By `+`, which copies nothing as long as nobody looks into the result. */
export function concatenated(texts: readonly string[]): string {
  return texts.reduce((all, text) => all + text)
}

/** A text without its gap. */
export function joined({ text, at, gap, end }: Cut): string {
  return text.slice(0, at) + text.slice(at + gap, end)
}

const STRICT = { fatal: true, ignoreBOM: true } as const
const encoder = /* @__PURE__ */ new TextEncoder()
const utf8 = /* @__PURE__ */ new TextDecoder('utf-8', STRICT)
const utf16 = /* @__PURE__ */ new TextDecoder('utf-16le', STRICT)

/** XORs the UTF-8 of so many characters where it lies if all is ASCII, as the result is then; else does nothing, and says so. */
function xorAscii(bytes: Uint8Array, chars: number, salt: string): boolean {
  const key = encoder.encode(salt)
  if (bytes.length !== chars || key.length !== salt.length) return false
  for (let i = 0, j = 0; i < bytes.length; i++) {
    bytes[i] = (bytes[i] as number) ^ (key[j] as number)
    if (++j === key.length) j = 0
  }
  return true
}

/** A text with each unit of UTF-16 XORed; nothing if a surrogate is alone then. Seven bits leave surrogates what they are. */
function xored(text: string, salt: string): string | undefined {
  const units = new Uint16Array(text.length)
  for (let i = 0, j = 0; i < text.length; i++) {
    units[i] = text.charCodeAt(i) ^ salt.charCodeAt(j)
    if (++j === salt.length) j = 0
  }
  // A typed array has the machine's order, which is this one on all that JavaScript runs on, but for s390x.
  return decoded(utf16, units)
}

function decoded(decoder: TextDecoder, data: Uint8Array | Uint16Array): string | undefined {
  return tried(() => decoder.decode(data))
}

function base64Decoded(text: string): Uint8Array | undefined {
  const { fromBase64 } = Uint8Array as Base64Array
  return tried(() =>
    fromBase64 ? fromBase64.call(Uint8Array, text) : Uint8Array.from(atob(text), (char) => char.charCodeAt(0)),
  )
}

/** The result of what throws nothing. */
export function tried<R>(work: () => R): R | undefined {
  try {
    return work()
  } catch {
    return undefined
  }
}

interface Base64Bytes extends Uint8Array {
  toBase64?(): string
}

interface Base64Array {
  fromBase64?(text: string): Uint8Array
}
