// Texts as plaintexts: their UTF-8, padded to whole blocks as PKCS#7 does.

import { type Bytes, utf8, zero } from '../../bytes.js'

/** The UTF-8 of a text with PKCS#7, also where a mode needs none. */
export function padded(text: string, blockLen: number): Bytes {
  const bytes = utf8(text, 'the data')
  const padding = blockLen - (bytes.length % blockLen)
  const all = new Uint8Array(bytes.length + padding)
  all.set(bytes)
  all.fill(padding, bytes.length)
  zero(bytes)
  return all
}

/** What stands before PKCS#7, or nothing where that is wrong. It is looked at as a whole: where it is wrong decides no branch. */
export function unpadded(plaintext: Bytes, blockLen: number): Bytes | undefined {
  const { length } = plaintext
  const padding = plaintext[length - 1] ?? 0
  let wrong = (length % blockLen) | (padding === 0 || padding > blockLen ? 1 : 0)
  for (let i = 1; i <= Math.min(blockLen, length); i++) {
    const isPadding = (i - 1 - padding) >> 31
    wrong |= isPadding & ((plaintext[length - i] as number) ^ padding)
  }
  return wrong === 0 ? plaintext.subarray(0, length - padding) : undefined
}

/** The text of UTF-8. Anything else fails. */
export function textOf(bytes: Bytes): string {
  return decoder.decode(bytes)
}

const decoder = /* @__PURE__ */ new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
