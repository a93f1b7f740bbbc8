import { call } from './call.js'
import { stringOf } from './option.js'

/** How bytes are written as text: `hex` with lower-case digits, `base64` with padding, `base64url` without. */
export type ResultEncoding = 'hex' | 'base64' | 'base64url'

/** Each is asked for once. */
const encodings = new Map<unknown, number>()

/** The number by which an encoding crosses to what seals and opens. */
export function cipherEncoding(encoding: ResultEncoding): number {
  const found = encodings.get(encoding)
  if (found !== undefined) return found
  const name = stringOf(encoding, 'the encoding')
  const id = call((sync) => sync.cipherEncodingId(name))
  encodings.set(name, id)
  return id
}
