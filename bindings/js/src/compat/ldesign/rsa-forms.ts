// How keys of RSA are written: PEM around PKCS#1, PKCS#8 and SubjectPublicKeyInfo.

import type { Bytes } from '../../bytes.js'
import { encode } from '../../encoding.js'
import { stringOf } from '../../option.js'

/** The `RSAPrivateKey` in PKCS#8: what stands in its last part (RFC 5208). */
export function pkcs1Of(der: Bytes): Bytes {
  let rest = partsOf(der)
  let part: DerPart = rest.next()
  for (rest = partsOf(part.body); ; ) {
    part = rest.next()
    if (part.tag === OCTET_STRING) return part.body
  }
}

interface DerPart {
  readonly tag: number
  readonly body: Bytes
}

const OCTET_STRING = 4

/** The parts of DER of our own, one after the other. */
function partsOf(der: Bytes): { next(): DerPart } {
  let at = 0
  const byte = (): number => der[at++] as number
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

/** With lines that end as in theirs. */
export function pem(label: string, der: Bytes): string {
  const lines = encode('base64', der).match(/.{1,64}/g) ?? []
  return ['-----BEGIN ', '-----END ']
    .map((edge) => `${edge}${label}-----\r\n`)
    .join(lines.map((line) => `${line}\r\n`).join(''))
}

/** A key as it is given: PEM, or its Base64 alone. */
export function keyText(key: string, label: string): string {
  const text = stringOf(key, 'the key')
  return text.includes('-----BEGIN') ? text : `-----BEGIN ${label}-----\n${text.trim()}\n-----END ${label}-----\n`
}
