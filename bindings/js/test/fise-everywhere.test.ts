// FISE's profiles and frames on every platform: the vectors, and properties over profiles, texts, pieces and faults.

import { afterAll, beforeAll, expect, test } from 'vitest'
import { envelopes, streams } from '#fise'
import {
  FiseError,
  FiseFrames,
  FiseProfile,
  type FiseWorkers,
  fiseFrameDecoder,
  fiseFrameEncoder,
  fiseFrameReader,
  startFiseWorkers,
} from '../src/extras/fise/index.js'
import { bytesOf, collected, concat, fromBase64, fromHex, pieces, toHex } from './data.js'

/** Numbers that are the same in each run. */
function numbers(seed: number): (count: number) => number {
  let x = seed
  return (count) => {
    x ^= x << 13
    x ^= x >>> 17
    x ^= x << 5
    return (x >>> 0) % count
  }
}

/** Data in pieces of lengths up to the most. */
function cut(data: Uint8Array, most: number, draw: (count: number) => number): Uint8Array[] {
  const parts: Uint8Array[] = []
  for (let at = 0; at < data.length; ) {
    const length = 1 + draw(most)
    parts.push(data.subarray(at, at + length))
    at += length
  }
  return parts
}

/** The result, or the code of the error. */
async function outcome<T>(work: () => T | Promise<T>): Promise<T | string> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof FiseError) return error.code
    throw error
  }
}

const TEXTS = [
  '',
  'x',
  '{"id":1}',
  'naïve é ü',
  '世界你好，。支付',
  '😀🛒',
  '\0\x7f\x80\u07ff\u0800\uffff',
  '\u{10ffff}\ufeff',
]

let two: FiseWorkers
beforeAll(async () => {
  two = await startFiseWorkers({ count: 2 })
})
afterAll(() => two.stop())

test('envelopes are opened and refused as the vectors say', async () => {
  expect(envelopes.length).toBeGreaterThan(300)
  for (const { name, form, profile, timestamp, plaintext, envelope, error } of envelopes) {
    const opened = await outcome(() => {
      const rules = FiseProfile.parse(profile)
      if (form === 'text') return rules.decodeText(envelope, { timestamp })
      return toHex(rules.decode(fromHex(envelope), { timestamp }))
    })
    expect(opened, name).toBe(plaintext ?? error)
  }
})

test.each(['on this thread', 'in workers'])('streams are read and refused as the vectors say, %s', async (where) => {
  expect(streams.length).toBeGreaterThan(70)
  const options = where === 'in workers' ? { workers: two } : {}
  for (const { name, rules, timestamp, stream, frames, error } of streams) {
    const expected = frames?.map(({ metadata, content }) => [metadata, toHex(fromBase64(content))])
    const whole = fromBase64(stream)
    // As a whole, and so that everything is cut somewhere.
    for (const length of [whole.length || 1, 7]) {
      const parts = pieces(whole, length)
      const found = await outcome(async () => {
        const all = await collected(fiseFrameReader(rules, { timestamp, ...options }).from(parts))
        return all.map(({ metadata, content }) => [toHex(metadata), toHex(content)])
      })
      expect(found, name).toEqual(expected ?? error)
    }
  }
})

test('texts and bytes come back, with every profile, timestamp and script', () => {
  const draw = numbers(54)
  for (let i = 0; i < 150; i++) {
    const profile = FiseProfile.random(`everywhere ${i}`)
    const timestamp = (draw(2 ** 31) - 2 ** 30) * draw(2 ** 20)
    for (const text of [
      TEXTS[i % TEXTS.length] as string,
      Array.from({ length: draw(60) }, () => TEXTS[draw(8)]).join(''),
    ]) {
      expect(profile.decodeText(profile.encodeText(text, { timestamp }), { timestamp })).toBe(text)
      const data = bytesOf(text)
      expect(toHex(profile.decode(profile.encode(data, { timestamp }), { timestamp }))).toBe(toHex(data))
    }
  }
})

// Longer ones are worked on in other memory, by other code, and on each platform by another.
test.each([
  [16_383, 37, 39],
  [16_384, 37, 39],
  [100_001, 1, 1],
  [100_001, 99, 0],
  [100_001, 10, 15],
  [100_001, 10, 16],
  [100_001, 5000, 97],
  [2 ** 20, 47, 5000],
  [2 ** 22 - 100, 11, 2],
  [2 ** 22, 11, 300],
])('an envelope of %i bytes with a salt of %i and a decoy each %i is as the specification says', (length, n, every) => {
  const profile = FiseProfile.parse({
    fise: 1,
    offset: { kind: 'fraction', numerator: 1, denominator: 2 },
    marker: { kind: 'digits', alphabet: '0123456789', width: 4, prefix: '' },
    salt: { min: n, max: n, place: 'tail' },
    decoys: { head: 3, tail: 5, every },
  })
  const draw = numbers(length + n)
  const plaintext = Uint8Array.from({ length }, () => draw(256))
  const envelope = profile.encode(plaintext)
  const units = envelope.subarray(3, -5).filter((_, i) => every === 0 || i % (every + 1) !== every)
  const half = Math.floor(length / 2)
  expect(new TextDecoder().decode(units.subarray(half, half + 4))).toBe(String(n).padStart(4, '0'))
  const [ciphertext, salt] = [units.filter((_, i) => i < half || i >= half + 4).subarray(0, length), units.subarray(-n)]
  const found = ciphertext.map((unit, i) => unit ^ (salt[i % n] as number))
  expect(found.findIndex((unit, i) => unit !== plaintext[i])).toBe(-1)
  expect(profile.decode(envelope).findIndex((unit, i) => unit !== plaintext[i])).toBe(-1)
})

test('streams come back and their faults are noticed, in any pieces, by one thread and by workers', async () => {
  const draw = numbers(45)
  for (let i = 0; i < 24; i++) {
    const rules = Array.from({ length: 1 + draw(3) }, (_, j) => FiseProfile.random(`stream ${i} ${j}`))
    const timestamp = draw(2 ** 31)
    const [writes, reads] = [i & 1, i & 2].map((workers) => ({ timestamp, ...(workers ? { workers: two } : {}) }))
    const parts = Array.from({ length: 2 + draw(5) }, () =>
      bytesOf((TEXTS[1 + draw(7)] as string).repeat(1 + draw(900))),
    )
    const encoder = fiseFrameEncoder(rules, { ...writes, eachChunk: true, index: i % 3 === 0, frameLength: 2 ** 14 })
    const frames = await collected(encoder.from(parts))
    const read = (stream: Uint8Array) => async () =>
      toHex(concat(await collected(fiseFrameDecoder(rules, reads).from(cut(stream, 1 + draw(5000), draw)))))
    const whole = concat(frames)
    expect(await outcome(read(whole)), `stream ${i}`).toBe(toHex(concat(parts)))
    if (i % 3 === 0) {
      const opened = await FiseFrames.open(whole, rules, reads)
      const [start, end] = [draw(opened.contentLength), opened.contentLength].sort((a, b) => a - b)
      expect(toHex(await opened.read(start, end))).toBe(toHex(concat(parts).subarray(start, end)))
    }
    const at = 1 + draw(frames.length - 2)
    const [before, it, next, after] = [frames.slice(0, at), frames[at], frames[at + 1], frames.slice(at + 2)]
    if (it === undefined || next === undefined) throw new Error('a stream has more frames')
    const without = [...before, next, ...after]
    const twice = [...before, it, it, next, ...after]
    const exchanged = [...before, next, it, ...after]
    for (const faulty of [without, twice, ...(at + 2 < frames.length ? [exchanged] : [])]) {
      expect(await outcome(read(concat(faulty))), `stream ${i}`).toBe('fise_order')
    }
    expect(await outcome(read(whole.subarray(0, draw(whole.length)))), `stream ${i}`).toBe('fise_truncated')
  }
})

test("an envelope's error says its frame, by one thread, by workers and at random", async () => {
  const [even, odd, other] = ['even', 'odd', 'other'].map((seed) => FiseProfile.random(seed)) as [
    FiseProfile,
    FiseProfile,
    FiseProfile,
  ]
  const parts = await collected(fiseFrameEncoder([even, odd], { eachChunk: true, index: true }).from(['a', 'b', 'c']))
  const failures: unknown[] = []
  for (const workers of [undefined, two]) {
    const options = workers === undefined ? {} : { workers }
    const decoded = collected(fiseFrameDecoder([even, other], options).from(parts))
    failures.push(await decoded.catch((error) => error))
    const frames = await FiseFrames.open(concat(parts), [even, other], options)
    failures.push(await frames.frame(1).catch((error) => error))
  }
  for (const failure of failures) {
    expect(failure).toBeInstanceOf(FiseError)
    const { code, message, cause } = failure as FiseError
    expect(message).toMatch(/^FISE: frame 1: (nothing in|the envelope)/)
    expect(code).toBe((cause as FiseError).code)
  }
  expect(failures).toHaveLength(4)
})
