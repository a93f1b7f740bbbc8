// Forms of RSA keys: PEM around PKCS#1 (RFC 8017, A.1), PKCS#8 (RFC 5208) and SubjectPublicKeyInfo (RFC 5280).

import { decode, encode } from '../../api/encoding.js'
import type { Bytes } from '../../basics/bytes.js'
import { stringOf } from '../../basics/option.js'

/** Which half of a pair a key is. */
export type Half = 'public' | 'private'

const [INTEGER, BIT_STRING, OCTET_STRING, SEQUENCE] = [0x02, 0x03, 0x04, 0x30]

/** `rsaEncryption` with its parameters, which are NULL (RFC 3279, 2.3.1). */
const ALGORITHM = /* @__PURE__ */ new Uint8Array([
  0x30, 0x0d, 0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01, 0x05, 0x00,
])

/** PEM with the line ends of the original. */
export function pem(label: string, der: Bytes): string {
  const lines = encode('base64', der).match(/.{1,64}/g) ?? []
  return ['-----BEGIN ', '-----END ']
    .map((edge) => `${edge}${label}-----\r\n`)
    .join(lines.map((line) => `${line}\r\n`).join(''))
}

/** The key text of a caller: PEM, or only its Base64. */
export function keyText(key: string, half: Half): string {
  const text = stringOf(key, 'the key')
  const label = `${half.toUpperCase()} KEY`
  return text.includes('-----BEGIN') ? text : `-----BEGIN ${label}-----\n${text.trim()}\n-----END ${label}-----\n`
}

/** The bytes in PEM; empty if the text is not PEM. */
export function derOf(text: string): Bytes {
  const [, base64 = ''] = /-----BEGIN [^-]+-----([^-]*)-----END/.exec(text) ?? []
  try {
    return decode('base64', base64.replace(/\s/g, ''))
  } catch {
    return new Uint8Array()
  }
}

/** The key in PKCS#1, taken out of another form. */
export function pkcs1Of(der: Bytes, half: Half): Bytes {
  const parts = partsOf(partsOf(der).next().body)
  if (half === 'private') parts.next()
  if (parts.next().tag === INTEGER) return der
  const { body } = parts.next()
  // The first byte of a bit string is the number of unused bits in the last byte.
  return half === 'private' ? body : body.subarray(1)
}

/** A key in the form that WebCrypto imports: PKCS#8, or SubjectPublicKeyInfo. */
export function importable(der: Bytes, half: Half): Bytes {
  const inner = pkcs1Of(der, half)
  if (half === 'public') return part(SEQUENCE, ALGORITHM, part(BIT_STRING, new Uint8Array(1), inner))
  return part(SEQUENCE, part(INTEGER, new Uint8Array(1)), ALGORITHM, part(OCTET_STRING, inner))
}

/** Bits of a key's modulus, rounded up to a multiple of 8; 0 for bytes that are no key. */
export function bitsOf(der: Bytes, half: Half): number {
  const parts = partsOf(partsOf(pkcs1Of(der, half)).next().body)
  if (half === 'private') parts.next()
  const { tag, body } = parts.next()
  const first = body.findIndex((byte) => byte !== 0)
  return tag === INTEGER && first >= 0 ? 8 * (body.length - first) : 0
}

interface DerPart {
  readonly tag: number
  readonly body: Bytes
}

/** The parts of DER, one after the other; behind the end they have the tag 0. */
function partsOf(der: Bytes): { next(): DerPart } {
  let at = 0
  const byte = (): number => der[at++] ?? 0
  return {
    next() {
      const tag = byte()
      let length = byte()
      if (length > 127) {
        let count = length & 127
        for (length = 0; count > 0; count--) length = 256 * length + byte()
      }
      at += length
      return { tag, body: der.subarray(at - length, at) }
    },
  }
}

/** A DER part with these bodies, of under 65,536 bytes. */
function part(tag: number, ...bodies: readonly Bytes[]): Bytes {
  const length = bodies.reduce((sum, body) => sum + body.length, 0)
  // As few bytes as possible: BoringSSL refuses longer lengths.
  const digits = length < 128 ? [] : length < 256 ? [0x81] : [0x82, length >> 8]
  const head = [tag, ...digits, length & 255]
  const all = new Uint8Array(head.length + length)
  all.set(head)
  let at = head.length
  for (const body of bodies) {
    all.set(body, at)
    at += body.length
  }
  return all
}
