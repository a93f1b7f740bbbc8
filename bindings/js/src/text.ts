// Text that crosses as it is, and results as text.

import { type Borrowed, borrowed, isWellFormed } from './bytes.js'
import { call } from './call.js'
import { ArgumentError } from './error.js'
import { stringOf } from './option.js'
import type { Data } from './platform/hash.js'

/** How bytes are written as text: `hex` with lower-case digits, `base64` with padding, `base64url` without. */
export type ResultEncoding = 'hex' | 'base64' | 'base64url'

/** Each is asked for once. */
const encodings = new Map<unknown, number>()

/** The number of an encoding. */
export function encodingOf(encoding: ResultEncoding): number {
  return encodings.get(encoding) ?? asked(encoding)
}

function asked(encoding: ResultEncoding): number {
  const name = stringOf(encoding, 'the encoding')
  const id = call((sync) => sync.encodingId(name))
  encodings.set(name, id)
  return id
}

/** Data as it crosses: text as it is. */
export function dataOf(data: unknown): Data {
  if (typeof data !== 'string') return borrowed(data, 'the data') as Borrowed
  if (isWellFormed(data)) return data
  throw new ArgumentError('the data has a lone surrogate, which UTF-8 cannot encode')
}
