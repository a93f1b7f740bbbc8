// Objects that only their work holds, while the engine collects garbage.

import { expect, test } from 'vitest'
import { hashStream } from '../src/api/hash.js'
import { decrypt, encrypt } from '../src/api/index.js'
import { mac } from '../src/api/mac.js'
import { turn } from '../src/basics/turn.js'

/** Collects all garbage now; Chromium is started with `--expose-gc`. */
const collect = (globalThis as { gc?: () => void }).gc ?? (await import('./garbage.js')).collect

const bytes = new Uint8Array(3_000_000)
const key = new Uint8Array(32)
const sealed = new Blob([await encrypt(bytes, { key })])

/** The stream is read in here, and neither it nor the promise has another holder. */
const READS: readonly (readonly [string, () => Promise<number>])[] = [
  ['a Blob', async () => (await hashStream('sha256', new Blob([bytes]))).length],
  ['the stream of a Blob', async () => (await hashStream('sha256', new Blob([bytes]).stream())).length],
  ['a Blob that is signed', async () => (await mac('hmac-sha256', 'x').signStream(new Blob([bytes]))).length],
  ['a Blob that is decrypted', async () => lengthOf(decrypt(sealed, { key }))],
]

async function lengthOf(stream: ReadableStream<Uint8Array>): Promise<number> {
  const reader = stream.getReader()
  let length = 0
  for (let next = await reader.read(); !next.done; next = await reader.read()) length += next.value.length
  return length
}

test.each(READS)('what is read of %s comes, whatever is collected meanwhile', async (_, read) => {
  let length: number | undefined
  for (let round = 0; round < 5; round++) {
    length = undefined
    void read().then((found) => {
      length = found
    })
    while (length === undefined) {
      collect()
      await turn()
    }
  }
  expect([32, bytes.length]).toContain(length)
})
