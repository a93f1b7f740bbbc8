// Text that crosses as it is, and results as text.

import type { Data } from '../backend/calls.js'
import { borrowedOrText } from '../basics/bytes.js'
import { stringOf } from '../basics/option.js'

/** How bytes are written as text: `hex` with lower-case digits, `base64` with padding, `base64url` without. */
export type ResultEncoding = 'hex' | 'base64' | 'base64url'

/** The number by which an encoding crosses, for which a module is asked once. */
export function asked(ask: (name: string) => number): (encoding: ResultEncoding) => number {
  const numbers = new Map<unknown, number>()
  return (encoding) => {
    const known = numbers.get(encoding)
    if (known !== undefined) return known
    const name = stringOf(encoding, 'the encoding')
    const number = ask(name)
    numbers.set(name, number)
    return number
  }
}

/** Data as it crosses: text as it is. */
export function dataOf(data: unknown): Data {
  return borrowedOrText(data, 'the data')
}
