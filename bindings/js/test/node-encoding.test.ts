// Encodings beside those of core and of Buffer, on random inputs: results, and the words of refusals.

import { expect, test } from 'vitest'
import { decode, type Encoding, encode } from '../src/api/encoding.js'
import { sync } from '../src/work/call.js'
import { randomBytes } from './data.js'

/** A function's result, or the error that it throws. */
function outcome(work: () => string | Uint8Array): unknown {
  try {
    const result = work()
    return typeof result === 'string' ? result : [...result]
  } catch (error) {
    const { code, message } = error as { code: string; message: string }
    return `${code} ${message}`
  }
}

test('results and errors are those of core', () => {
  let refused = 0
  for (const encoding of ['hex', 'base64', 'base58'] as const) {
    for (let round = 0; round < 600; round++) {
      const data = randomBytes(round % 90)
      const text = encode(encoding, data)
      expect(text).toBe(sync().encodeText(encoding, data))
      const at = round % (text.length + 1)
      const odd = '=0OIl+/-_ \nzZ'.charAt(round % 13)
      for (const other of [text, text.slice(0, at), text.slice(0, at) + odd + text.slice(at + 1), text + odd]) {
        const ours = outcome(() => decode(encoding, other))
        expect(ours, `${encoding} ${other}`).toEqual(outcome(() => sync().decodeText(encoding, other)))
        if (typeof ours === 'string') refused++
      }
    }
    const long = new Uint8Array(4097)
    expect(outcome(() => encode(encoding, long))).toEqual(outcome(() => sync().encodeText(encoding, long)))
    const ones = '1'.repeat(4097)
    for (const text of [ones, ones + ones, `${ones}z`]) {
      expect(outcome(() => decode(encoding, text))).toEqual(outcome(() => sync().decodeText(encoding, text)))
    }
  }
  expect(refused).toBeGreaterThan(1000)
})

test('results are those of Buffer', () => {
  for (let round = 0; round < 500; round++) {
    const data = randomBytes(round)
    for (const encoding of ['hex', 'base64', 'base64url'] satisfies Encoding[]) {
      const text = Buffer.from(data).toString(encoding)
      expect(encode(encoding, data)).toBe(text)
      expect(Buffer.compare(decode(encoding, text), data)).toBe(0)
    }
  }
})
