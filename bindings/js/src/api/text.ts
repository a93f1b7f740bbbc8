// Text that crosses as it is, and results as text.

import type { Data, SyncCalls } from '../backend/calls.js'
import { type Bytes, borrowedOrText } from '../basics/bytes.js'
import { stringOf } from '../basics/option.js'
import { call } from '../work/call.js'
import { encode } from './encoding.js'

/** How bytes are written as text: `hex` with lower-case digits, `base64` with padding, `base64url` without. */
export type ResultEncoding = 'hex' | 'base64' | 'base64url'

/** The number by which an encoding crosses to what makes digests and tags. */
export const encodingOf = /* @__PURE__ */ asked((sync, name) => sync.encodingId(name))

/** The number by which it crosses to what seals and opens. */
export const cipherEncodingOf = /* @__PURE__ */ asked((sync, name) => sync.cipherEncodingId(name))

/** A digest or a tag that is promised, as text. What is no encoding is refused before any work. */
export async function textOf(encoding: ResultEncoding, promised: () => Promise<Bytes>): Promise<string> {
  encodingOf(encoding)
  return encode(encoding, await promised())
}

/** Each is asked for once. */
function asked(ask: (sync: SyncCalls, name: string) => number): (encoding: ResultEncoding) => number {
  const numbers = new Map<unknown, number>()
  return (encoding) => {
    const known = numbers.get(encoding)
    if (known !== undefined) return known
    const name = stringOf(encoding, 'the encoding')
    const number = call((sync) => ask(sync, name))
    numbers.set(name, number)
    return number
  }
}

/** Data as it crosses: text as it is. */
export function dataOf(data: unknown): Data {
  return borrowedOrText(data, 'the data')
}
