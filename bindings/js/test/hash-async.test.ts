// Digests that are promised: of the whole at once, in turns, and in pages by WebCrypto.

import { expect, test } from 'vitest'
import { type HashAlgorithm, hash, hashAsync, hashHex, type Progress, type RunOptions } from '../src/api/hash.js'
import { mac } from '../src/api/mac.js'
import { transferring } from './data.js'
import { HASHES } from './modules.js'

const ALL = HASHES as readonly HashAlgorithm[]

test('a digest that is promised is that of the data as it was when it was asked for', async () => {
  for (const length of [0, 1, 1023, 1024, 65_537, 1_000_003]) {
    const data = Uint8Array.from({ length }, (_, i) => i % 251)
    for (const algorithm of ALL) {
      const seen: number[] = []
      const options = { onProgress: ({ bytes, total }: Progress) => void seen.push(bytes, total ?? -1) }
      const digest = await hashAsync(algorithm, data, options)
      expect([algorithm, length, Buffer.from(digest).toString('hex')]).toEqual([
        algorithm,
        length,
        hashHex(algorithm, data),
      ])
      expect(seen.slice(-2)).toEqual([length, length])
    }
  }
  const text = 'é'.repeat(5000)
  expect(await hashAsync('sha384', text)).toEqual(hash('sha384', text))
  const data = new Uint8Array(100_000)
  const expected = hash('sha256', data)
  const promise = hashAsync('sha256', data.subarray(0, 60_000))
  const whole = hashAsync('sha256', data)
  data.fill(1)
  expect([await promise, await whole]).toEqual([hash('sha256', new Uint8Array(60_000)), expected])
})

test('a length is that of the algorithm, or one that it has', async () => {
  const data = new Uint8Array(10_000)
  expect(await hashAsync('sha512', data, { length: 64 })).toEqual(hash('sha512', data))
  expect(await hashAsync('shake128', data, { length: 999 })).toEqual(hash('shake128', data, { length: 999 }))
  await expect(hashAsync('sha512', data, { length: 32 })).rejects.toThrow(
    expect.objectContaining({ code: 'wrong_length' }),
  )
})

test('one that is given up while it is made ends with the reason', async () => {
  const reason = new Error('the reason')
  for (const length of [100_000, 20_000_000]) {
    const controller = new AbortController()
    const promise = hashAsync('sha256', new Uint8Array(length), { signal: controller.signal })
    controller.abort(reason)
    await expect(promise).rejects.toBe(reason)
  }
})

test('progress is reported at most ten times a second, and at the end', async () => {
  const data = new Uint8Array(20_000_000)
  const key = mac('hmac-sha256', 'key')
  for (const work of [
    (run: RunOptions) => hashAsync('sha3-256', data, run),
    (run: RunOptions) => key.signAsync(data, run),
  ]) {
    const reports: Progress[] = []
    const begun = performance.now()
    await work({ onProgress: (progress) => void reports.push(progress) })
    expect(reports.length).toBeLessThanOrEqual(1 + (performance.now() - begun) / 100)
    expect(reports.at(-1)).toMatchObject({ bytes: data.length, total: data.length })
  }
})

test('data that a signal transfers away is not taken for empty data', async () => {
  for (const length of [100, 100_000, 20_000_000]) {
    const data = new Uint8Array(length)
    const digest = hashAsync('sha256', data, { signal: transferring(data, 'throwIfAborted') })
    await expect(digest).rejects.toThrow(/was transferred/)
  }
})
