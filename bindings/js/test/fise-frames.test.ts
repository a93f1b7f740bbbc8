// Frames of sealstone/fise: the vectors of spec/fise-frames.md, and each kind of stream.

import { readFileSync } from 'node:fs'
import { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { describe, expect, test } from 'vitest'
import {
  defaultRules,
  FiseBuilder,
  FiseError,
  type FiseFrame,
  FiseProfile,
  type FiseProfileData,
  type FrameDecoderOptions,
  type FrameEncoderOptions,
  type FrameRules,
  fiseFrameDecoder,
  fiseFrameEncoder,
  fiseFrameReader,
} from '../src/extras/fise/index.js'

type Rules = FrameRules | readonly FrameRules[]

/** Bytes in pieces of a length. */
function pieces(bytes: Uint8Array, length: number): Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.length / length) }, (_, i) =>
    bytes.subarray(i * length, (i + 1) * length),
  )
}

async function collected<T>(source: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const one of source) all.push(one)
  return all
}

async function encoded(rules: Rules, chunks: (Uint8Array | string)[], options?: FrameEncoderOptions): Promise<Buffer> {
  return Buffer.concat(await collected(fiseFrameEncoder(rules, options).from(chunks)))
}

async function decoded(rules: Rules, chunks: Uint8Array[], options?: FrameDecoderOptions): Promise<Buffer> {
  return Buffer.concat(await collected(fiseFrameDecoder(rules, options).from(chunks)))
}

/** The frames, or the code of the error. */
async function framesOf(rules: Rules, chunks: Uint8Array[], timestamp: number): Promise<FiseFrame[] | string> {
  try {
    return await collected(fiseFrameReader(rules, { timestamp }).from(chunks))
  } catch (error) {
    if (error instanceof FiseError) return error.code
    throw error
  }
}

/** Bytes that are not alike. */
function bytesOf(length: number): Uint8Array<ArrayBuffer> {
  let state = length + 1
  return Uint8Array.from({ length }, () => {
    state = Math.imul(state, 1_664_525) + 1_013_904_223
    return state >>> 24
  })
}

test('streams are read and refused as the vectors say, as a whole and in pieces', async () => {
  interface Case {
    name: string
    rules: FiseProfileData[]
    timestamp: number
    stream: string
    frames?: { metadata: string; content: string }[]
    error?: string
  }
  const path = new URL('../../../vectors/fise/frames.json', import.meta.url)
  const cases: Case[] = JSON.parse(readFileSync(path, 'utf8'))
  expect(cases.length).toBeGreaterThan(70)
  for (const { name, rules, timestamp, stream, frames, error } of cases) {
    for (const length of [2 ** 20, 7]) {
      const found = await framesOf(rules, pieces(Buffer.from(stream, 'base64'), length), timestamp)
      const shown =
        typeof found === 'string'
          ? found
          : found.map(({ metadata, content }) => ({
              metadata: Buffer.from(metadata).toString('hex'),
              content: Buffer.from(content).toString('base64'),
            }))
      expect(shown, name).toEqual(frames ?? error)
    }
  }
})

describe('a stream', () => {
  const profile = FiseProfile.random('a stream')
  const functions = FiseBuilder.timestamp().build()

  test.each<[string, Rules, FrameEncoderOptions]>([
    ['with the default profile', { fise: 1 }, {}],
    ['with a profile of a seed, and a timestamp', profile, { timestamp: 29_400_000 }],
    ['with functions', functions, { timestamp: 29_400_000 }],
    ['with rules in turn', [defaultRules, profile, { fise: 1, salt: { place: 'head' } }], { index: true }],
    ['with rules by number', [defaultRules, profile], { rule: (number) => (number > 1 ? 1 : 0) }],
    ['with metadata', profile, { frameMetadata: (number) => bytesOf(number * 100), index: true }],
  ])('%s comes back, of every length around that of a frame', async (_, rules, options) => {
    const frameLength = 2 ** 14
    const { timestamp } = options
    for (const length of [0, 1, frameLength - 1, frameLength, frameLength + 1, 2 * frameLength, 50_001]) {
      const data = bytesOf(length)
      for (const chunk of [1 << 20, 999]) {
        const stream = await encoded(rules, pieces(data, chunk), { ...options, frameLength })
        const opened = await decoded(rules, pieces(stream, 1000), timestamp === undefined ? {} : { timestamp })
        // Not by `toEqual`, which compares bytes one by one.
        expect(opened.equals(data)).toBe(true)
        const frames = await framesOf(rules, [stream], timestamp ?? 0)
        expect(frames.length).toBe(Math.max(1, Math.ceil(length / frameLength)))
      }
    }
  })

  test('goes through web streams, and through pipelines of Node', async () => {
    const data = bytesOf(300_000)
    const hidden = new Blob([data]).stream().pipeThrough(fiseFrameEncoder(profile))
    const shown = hidden.pipeThrough(fiseFrameDecoder(profile))
    expect(Buffer.from(await new Response(shown).arrayBuffer()).equals(data)).toBe(true)

    const parts: Buffer[] = []
    const sink = new Writable({
      write(chunk, _, done) {
        parts.push(chunk)
        done()
      },
    })
    await pipeline(
      Readable.from(pieces(data, 7777)),
      (source: AsyncIterable<Uint8Array>) => fiseFrameEncoder(profile).from(source),
      (source: AsyncIterable<Uint8Array>) => fiseFrameDecoder(profile).from(source),
      sink,
    )
    expect(Buffer.concat(parts).equals(data)).toBe(true)
  })

  test('is read from memory that its source uses again', async () => {
    const data = bytesOf(100_000)
    const stream = await encoded(profile, [data], { frameLength: 2 ** 14 })
    const buffer = new Uint8Array(3001)
    function* reused() {
      for (const piece of pieces(stream, buffer.length)) {
        buffer.set(piece)
        yield buffer.subarray(0, piece.length)
        buffer.fill(0xff)
      }
    }
    const found = Buffer.concat(await collected(fiseFrameDecoder(profile).from(reused())))
    expect(found.equals(data)).toBe(true)
  })

  test('of messages has each at once', async () => {
    const encoder = fiseFrameEncoder(profile, { eachChunk: true })
    const [writer, hidden] = [encoder.writable.getWriter(), encoder.readable.pipeThrough(fiseFrameDecoder(profile))]
    const reader = hidden.getReader()
    for (const message of ['hello', '世界', 'bye']) {
      void writer.write(message)
      expect(new TextDecoder().decode((await reader.read()).value)).toBe(message)
    }
    void writer.close()
    expect((await reader.read()).done).toBe(true)
  })

  test('with a fault is refused, after the frames before it', async () => {
    const frames = (await collected(
      fiseFrameEncoder(profile, { eachChunk: true }).from(['a', 'b', 'c']),
    )) as Uint8Array[]
    expect(frames.length).toBe(4)
    const [first, second, third, last] = frames as [Uint8Array, Uint8Array, Uint8Array, Uint8Array]
    const header = first.subarray(0, 20)
    const read = async (parts: Uint8Array[]) => {
      const got: string[] = []
      try {
        const decoder = fiseFrameDecoder(profile)
        for await (const part of decoder.from([Buffer.concat(parts)])) got.push(Buffer.from(part).toString())
        return `${got.join('')} whole`
      } catch (error) {
        return `${got.join('')} ${(error as FiseError).code}`
      }
    }
    expect(await read([first, second, third, last])).toBe('abc whole')
    expect(await read([first, third, last])).toBe('a fise_order')
    expect(await read([first, second, second, third, last])).toBe('ab fise_order')
    expect(await read([first, third, second, last])).toBe('a fise_order')
    expect(await read([header, second, third, last])).toBe(' fise_order')
    expect(await read([first, second, third])).toBe('abc fise_truncated')
    expect(await read([first, second, third.subarray(0, 30)])).toBe('ab fise_truncated')
    expect(await read([first, second, third, last, last])).toBe('abc fise_malformed')
    const other = (await collected(fiseFrameEncoder(profile, { eachChunk: true }).from(['x', 'y']))) as Uint8Array[]
    expect(await read([first, other[1] as Uint8Array, third, last])).toBe('a fise_order')
    expect(await read([bytesOf(50)])).toBe(' fise_malformed')
    expect(await read([])).toBe(' fise_truncated')
  })

  test('needs rules, options and chunks that it can use, and is used once', async () => {
    expect(() => fiseFrameEncoder([])).toThrow(FiseError)
    expect(() => fiseFrameDecoder(Array.from({ length: 256 }, () => profile))).toThrow(FiseError)
    expect(() => fiseFrameEncoder({ fise: 2 } as never)).toThrow(FiseError)
    for (const frameLength of [0, 2 ** 14 - 1, 2 ** 20 + 1, 20_000.5]) {
      expect(() => fiseFrameEncoder(profile, { frameLength })).toThrow(TypeError)
    }
    expect(() => fiseFrameEncoder(profile, { frames: 1 } as never)).toThrow(TypeError)
    await expect(encoded(profile, [1 as never])).rejects.toThrow(TypeError)
    await expect(decoded(profile, ['text' as never])).rejects.toThrow(TypeError)
    await expect(encoded(profile, ['x'], { rule: () => 1 })).rejects.toThrow(FiseError)
    await expect(encoded(profile, ['x'], { frameMetadata: () => new Uint8Array(65_536) })).rejects.toThrow(FiseError)
    const once = fiseFrameEncoder(profile)
    await collected(once.from(['x']))
    expect(() => once.readable).toThrow(TypeError)
  })
})
