// Texts as plaintexts: their UTF-8, padded to whole blocks with PKCS#7.

import { type Bytes, utf8, zero } from '../../basics/bytes.js'

/** The UTF-8 of a text with PKCS#7, even if the mode needs no padding. */
export function padded(text: string, blockLen: number): Bytes {
  const bytes = utf8(text, 'the data')
  const padding = blockLen - (bytes.length % blockLen)
  const all = new Uint8Array(bytes.length + padding)
  all.set(bytes)
  all.fill(padding, bytes.length)
  zero(bytes)
  return all
}

/** The bytes before PKCS#7, or undefined if the padding is wrong. It checks all of the padding: no branch depends on where it is wrong. */
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

/** The text of these bytes, which must be UTF-8. */
export function textOf(bytes: Bytes): string {
  return decoder.decode(bytes)
}

const decoder = /* @__PURE__ */ new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
