// Frames of sealstone/fise in each kind of stream.

import { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  defaultRules,
  FiseBuilder,
  FiseError,
  type FiseFrame,
  FiseFrames,
  FiseProfile,
  type FiseWorkers,
  type FrameDecoderOptions,
  type FrameEncoderOptions,
  type FrameRules,
  fiseFrameDecoder,
  fiseFrameEncoder,
  fiseFrameReader,
  startFiseWorkers,
} from '../src/extras/fise/index.js'
import { collected, pieces } from './data.js'

type Rules = FrameRules | readonly FrameRules[]

async function encoded(rules: Rules, chunks: (Uint8Array | string)[], options?: FrameEncoderOptions): Promise<Buffer> {
  return Buffer.concat(await collected(fiseFrameEncoder(rules, options).from(chunks)))
}

async function decoded(rules: Rules, chunks: Uint8Array[], options?: FrameDecoderOptions): Promise<Buffer> {
  return Buffer.concat(await collected(fiseFrameDecoder(rules, options).from(chunks)))
}

/** The frames, or the code of the error. */
async function framesOf(
  rules: Rules,
  chunks: Uint8Array[],
  options: FrameDecoderOptions,
): Promise<FiseFrame[] | string> {
  try {
    return await collected(fiseFrameReader(rules, options).from(chunks))
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

let two: FiseWorkers
beforeAll(async () => {
  two = await startFiseWorkers({ count: 2 })
})
afterAll(() => two.stop())

/** The option for workers, or none. */
const withWorkers = [
  ['on this thread', () => ({})],
  ['with two workers', () => ({ workers: two })],
] as const

describe.each(withWorkers)('a stream %s', (where, on) => {
  const profile = FiseProfile.random('a stream')
  const functions = FiseBuilder.timestamp().build()

  test.each<[string, Rules, FrameEncoderOptions]>([
    ['with the default profile', { fise: 1 }, {}],
    ['with a profile of a seed, and a timestamp', profile, { timestamp: 29_400_000 }],
    ['with functions', functions, { timestamp: 29_400_000 }],
    ['with rules in turn', [defaultRules, profile, { fise: 1, salt: { place: 'head' } }], { index: true }],
    ['with profiles in turn', [{ fise: 1 }, profile, { fise: 1, salt: { place: 'head' } }], { index: true }],
    ['with rules by number', [defaultRules, profile], { rule: (number) => (number > 1 ? 1 : 0) }],
    ['with metadata', profile, { frameMetadata: (number) => bytesOf(number * 100), index: true }],
  ])('%s comes back, of every length around that of a frame', async (_, rules, options) => {
    const frameLength = 2 ** 14
    if (
      where !== 'on this thread' &&
      [rules].flat().some((one) => typeof one === 'object' && 'offset' in one && typeof one.offset === 'function')
    ) {
      expect(() => fiseFrameEncoder(rules, on())).toThrow('functions cannot go to workers')
      expect(() => fiseFrameDecoder(rules, on())).toThrow('functions cannot go to workers')
      return
    }
    const { timestamp } = options
    for (const length of [0, 1, frameLength - 1, frameLength, frameLength + 1, 2 * frameLength, 50_001]) {
      const data = bytesOf(length)
      for (const chunk of [1 << 20, 999]) {
        const stream = await encoded(rules, pieces(data, chunk), { ...options, frameLength, ...on() })
        const given = { ...(timestamp === undefined ? {} : { timestamp }), ...on() }
        const opened = await decoded(rules, pieces(stream, 1000), given)
        // Not by `toEqual`, which compares bytes one by one.
        expect(opened.equals(data)).toBe(true)
        const frames = await framesOf(rules, [stream], given)
        expect(frames.length).toBe(Math.max(1, Math.ceil(length / frameLength)))
      }
    }
  })

  test('goes through web streams, and through pipelines of Node', async () => {
    const data = bytesOf(300_000)
    const hidden = new Blob([data]).stream().pipeThrough(fiseFrameEncoder(profile, on()))
    const shown = hidden.pipeThrough(fiseFrameDecoder(profile, on()))
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
      (source: AsyncIterable<Uint8Array>) => fiseFrameEncoder(profile, on()).from(source),
      (source: AsyncIterable<Uint8Array>) => fiseFrameDecoder(profile, on()).from(source),
      sink,
    )
    expect(Buffer.concat(parts).equals(data)).toBe(true)
  })

  test('is read from memory that its source uses again', async () => {
    const data = bytesOf(100_000)
    const stream = await encoded(profile, [data], { frameLength: 2 ** 14, ...on() })
    const buffer = new Uint8Array(3001)
    function* reused() {
      for (const piece of pieces(stream, buffer.length)) {
        buffer.set(piece)
        yield buffer.subarray(0, piece.length)
        buffer.fill(0xff)
      }
    }
    const found = Buffer.concat(await collected(fiseFrameDecoder(profile, on()).from(reused())))
    expect(found.equals(data)).toBe(true)
  })

  test('of messages has each at once', async () => {
    const encoder = fiseFrameEncoder(profile, { eachChunk: true, ...on() })
    const decoder = fiseFrameDecoder(profile, on())
    const [writer, hidden] = [encoder.writable.getWriter(), encoder.readable.pipeThrough(decoder)]
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
        const decoder = fiseFrameDecoder(profile, on())
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
    await expect(encoded(profile, [1 as never], on())).rejects.toThrow(TypeError)
    await expect(decoded(profile, ['text' as never], on())).rejects.toThrow(TypeError)
    await expect(encoded(profile, ['x'], { rule: () => 1, ...on() })).rejects.toThrow(FiseError)
    await expect(encoded(profile, ['x'], { frameMetadata: () => new Uint8Array(65_536), ...on() })).rejects.toThrow(
      FiseError,
    )
    for (const source of [null, undefined, 7, Promise.resolve([]), { stream: 7 }]) {
      const error = { code: 'invalid_argument', message: expect.stringContaining('the source must be') }
      await expect(collected(fiseFrameEncoder(profile, on()).from(source as never))).rejects.toMatchObject(error)
      await expect(collected(fiseFrameDecoder(profile, on()).from(source as never))).rejects.toMatchObject(error)
    }
    expect(() => fiseFrameEncoder(profile, { workers: startFiseWorkers() as never })).toThrow('awaited')
    expect(() => fiseFrameEncoder(Promise.resolve(profile) as never)).toThrow('no promise')
    const once = fiseFrameEncoder(profile, on())
    await collected(once.from(['x']))
    expect(() => once.readable).toThrow(TypeError)
  })

  test('is of bytes in any form, of a text and of a Blob', async () => {
    const [data, buffer] = [bytesOf(40_000), bytesOf(40_000).buffer]
    const blob = new Blob([data])
    for (const source of [data, buffer, new DataView(buffer), blob, blob.stream(), [buffer], [new DataView(buffer)]]) {
      const stream = Buffer.concat(await collected(fiseFrameEncoder(profile, on()).from(source)))
      expect((await decoded(profile, [stream], on())).equals(data)).toBe(true)
      const exact = Uint8Array.from(stream)
      for (const hidden of [stream, exact.buffer, new Blob([exact]), [new DataView(exact.buffer)]]) {
        const shown = Buffer.concat(await collected(fiseFrameDecoder(profile, on()).from(hidden)))
        expect(shown.equals(data)).toBe(true)
      }
      expect([data.length, buffer.byteLength]).toEqual([40_000, 40_000])
    }
    const text = await collected(fiseFrameEncoder(profile, { eachChunk: true, ...on() }).from('世界'))
    expect(text.length).toBe(2)
    expect((await decoded(profile, text, on())).toString()).toBe('世界')
  })

  test('ends its source if its reader goes away', async () => {
    for (const kind of ['generator', 'stream'] as const) {
      let ended: () => void = () => {}
      const end = new Promise<void>((resolve) => {
        ended = resolve
      })
      const chunk = bytesOf(2 ** 15)
      async function* endless() {
        try {
          for (;;) yield chunk
        } finally {
          ended()
        }
      }
      const source =
        kind === 'generator' ? endless() : new ReadableStream({ pull: (to) => to.enqueue(chunk), cancel: ended })
      for await (const part of fiseFrameEncoder(profile, { frameLength: 2 ** 14, ...on() }).from(source)) {
        expect(part.length).toBeGreaterThan(0)
        break
      }
      await end
    }
  })

  test('with an error ends its source too', async () => {
    const stream = await encoded(profile, ['a', 'b', 'c'], { eachChunk: true })
    const exchanged = Uint8Array.from(stream)
    exchanged.set(stream.subarray(-16, -8), stream.length - 8)
    const faulty = Buffer.concat([stream.subarray(0, -40), exchanged.subarray(-40)])
    let ended: (how: string) => void = () => {}
    const source = () => {
      const end = new Promise<string>((resolve) => {
        ended = resolve
      })
      async function* endless() {
        try {
          yield faulty
          for (;;) yield new Uint8Array(100)
        } finally {
          ended('returned')
        }
      }
      const pull = (to: ReadableStreamDefaultController) => to.enqueue(faulty)
      return { end, endless, stream: () => new ReadableStream({ pull, cancel: (reason) => ended(reason.code) }) }
    }
    const first = source()
    await expect(collected(fiseFrameDecoder(profile, on()).from(first.endless()))).rejects.toThrow(FiseError)
    expect(await first.end).toBe('returned')
    const second = source()
    const decoder = fiseFrameDecoder(profile, on())
    const piped = expect(second.stream().pipeTo(decoder.writable)).rejects.toMatchObject({ name: 'FiseError' })
    await expect(collected(decoder.readable)).rejects.toThrow(FiseError)
    await piped
    expect(await second.end).toMatch(/^fise_/)
  })

  test('is written and read from memory that its writer uses again after each write', async () => {
    const chunk = new Uint8Array(50_000)
    const write = async (writable: WritableStream<Uint8Array>, parts: readonly Uint8Array[]) => {
      const writer = writable.getWriter()
      for (const part of parts) {
        chunk.set(part)
        await writer.write(chunk.subarray(0, part.length))
        chunk.fill(0xee)
      }
      await writer.close()
    }
    const data = bytesOf(600_000)
    const encoder = fiseFrameEncoder(profile, { frameLength: 2 ** 14, ...on() })
    const writing = write(encoder.writable, pieces(data, chunk.length))
    const stream = Buffer.concat(await collected(encoder.readable))
    await writing
    const decoder = fiseFrameDecoder(profile, on())
    const rewriting = write(decoder.writable, pieces(stream, chunk.length))
    expect(Buffer.concat(await collected(decoder.readable)).equals(data)).toBe(true)
    await rewriting
  })

  test('whose reader cancels while nothing comes tells its writer', async () => {
    const { writable, readable } = fiseFrameEncoder(profile, { eachChunk: true, ...on() })
    const writer = writable.getWriter()
    const reader = readable.getReader()
    const writing = writer.write('the first')
    expect((await reader.read()).done).toBe(false)
    await writing
    // It waits for the next chunk by then.
    const next = reader.read()
    await new Promise(setImmediate)
    await reader.cancel(new RangeError('gone'))
    expect((await next).done).toBe(true)
    await expect(writer.closed).rejects.toThrow('gone')
  })

  test('notices a chunk whose memory is transferred away between two of its frames', async () => {
    const chunk = bytesOf(5 * 2 ** 14)
    const frames = fiseFrameEncoder(profile, { frameLength: 2 ** 14, eachChunk: true }).from([chunk])
    await frames.next()
    structuredClone(chunk, { transfer: [chunk.buffer] })
    await expect(frames.next()).rejects.toThrow(TypeError)
  })

  test('of chunks of one byte is read', async () => {
    const data = bytesOf(20_000)
    const stream = await encoded(profile, [data], { frameLength: 2 ** 14, ...on() })
    expect((await decoded(profile, pieces(stream, 1), on())).equals(data)).toBe(true)
  })

  test('gives the frames before the error of its source', async () => {
    const stream = await encoded(profile, ['a', 'b', 'c'], { eachChunk: true })
    async function* failing() {
      yield stream.subarray(0, -30)
      throw new RangeError('the network is down')
    }
    const got: string[] = []
    const reading = (async () => {
      for await (const part of fiseFrameDecoder(profile, on()).from(failing())) got.push(Buffer.from(part).toString())
    })()
    await expect(reading).rejects.toThrow('the network is down')
    expect(got.join('')).toBe('abc')
  })

  describe('with an index', () => {
    const data = bytesOf(100_001)
    const frameLength = 2 ** 14

    test('gives any part, without the frames before it', async () => {
      const rules = [profile, FiseProfile.random('the other one')]
      const options = { timestamp: -7, ...on() }
      const stream = await encoded(rules, [data], { ...options, frameLength, index: true })
      const asked: [number, number][] = []
      const source = {
        size: stream.length,
        read(start: number, end: number) {
          asked.push([start, end])
          return Promise.resolve(new Uint8Array(stream.subarray(start, end)))
        },
      }
      for (const from of [stream, new Blob([new Uint8Array(stream)]), source]) {
        const frames = await FiseFrames.open(from, rules, options)
        expect([frames.count, frames.contentLength]).toEqual([7, data.length])
        const edges = [0, 1, frameLength - 1, frameLength, frameLength + 1, 3 * frameLength, 100_000, data.length]
        for (const start of edges) {
          for (const end of edges.filter((edge) => edge >= start)) {
            const part = await frames.read(start, end)
            expect(Buffer.from(part).equals(data.subarray(start, end)), `${start}..${end}`).toBe(true)
          }
        }
        expect(Buffer.concat(await collected(frames.stream(20_000))).equals(data.subarray(20_000))).toBe(true)
        const { number, rule, content, isLast } = await frames.frame(6)
        expect([number, rule, content.length, isLast]).toEqual([6, 0, data.length - 6 * frameLength, true])
        await expect(frames.frame(7)).rejects.toThrow(TypeError)
        await expect(frames.read(2, 1)).rejects.toMatchObject({ code: 'range_out_of_bounds' })
        expect((await frames.read(data.length - 2, data.length + 9)).length).toBe(2)
        await expect(frames.read(data.length + 1)).rejects.toMatchObject({ code: 'range_out_of_bounds' })
        await expect(frames.read(0.5)).rejects.toThrow(TypeError)
      }
      const frames = await FiseFrames.open(source, rules, options)
      asked.length = 0
      // The frame is kept for the next part of it, and nothing that was given is a part of it.
      for (let i = 0; i < 3; i++) {
        const part = await frames.read(5 * frameLength + i, 5 * frameLength + i + 1)
        expect(part.buffer.byteLength).toBe(1)
      }
      expect(asked.length).toBe(1)
      const [all] = await collected(frames.stream(5 * frameLength, 6 * frameLength))
      all?.fill(0)
      const again = await frames.read(5 * frameLength, 6 * frameLength)
      expect(Buffer.from(again).equals(data.subarray(5 * frameLength, 6 * frameLength))).toBe(true)
    })

    test('has memory of its own for each part of each reader', async () => {
      const stream = await encoded(profile, [data], { frameLength, index: true })
      const frames = await FiseFrames.open(stream, profile, on())
      await frames.read(3 * frameLength, 3 * frameLength + 1)
      const [one, other] = [frames.stream(), frames.stream()]
      const parts = [await one.next(), await other.next()]
      // Another frame is kept now.
      await frames.read(0, 1)
      for (let i = 0; i < 6; i++) parts.push(await one.next(), await other.next())
      const memory = parts.map(({ value }) => (value as Uint8Array).buffer)
      expect([memory.length, new Set(memory).size]).toEqual([14, 14])
    })

    test('is refused if a byte of the index, the header or the fields of a frame is another', async () => {
      const stream = await encoded(profile, [data], { frameLength, index: true })
      const { count } = await FiseFrames.open(stream, profile)
      const index = 24 + count * 8
      // A longer limit of frames is as good.
      const places = [...Array(36).keys(), ...Array.from({ length: index }, (_, i) => stream.length - 1 - i)]
      for (const place of places.filter((place) => place !== 14 && place !== 15)) {
        const changed = Uint8Array.from(stream)
        changed[place] = (changed[place] as number) ^ 0x80
        const read = FiseFrames.open(changed, profile, on()).then((frames) => frames.read())
        // The length of the metadata: it takes some of the content.
        const code = place === 22 || place === 23 ? 'fise_malformed' : /^fise_/
        await expect(read, `byte ${place}`).rejects.toMatchObject({ code: expect.stringMatching(code) })
      }
      for (const length of [0, 19, 20, 43, 44, stream.length - index, stream.length - 1]) {
        const opened = FiseFrames.open(stream.subarray(0, length), profile, on())
        await expect(opened, `${length} bytes`).rejects.toMatchObject({ code: 'fise_truncated' })
      }
      const without = await encoded(profile, [data])
      await expect(FiseFrames.open(without, profile, on())).rejects.toThrow('no index')
    })

    test('is refused if its index says more than a frame can have', async () => {
      const stream = await encoded(profile, [data], { frameLength, index: true })
      const at = stream.length - 24 - 7 * 8
      for (const [place, value] of [
        [at, 15],
        [at, 2 ** 31],
        [at + 4, frameLength + 1],
        [at + 4, 2 ** 32 - 1],
      ] as const) {
        const changed = Buffer.from(stream)
        changed.writeUInt32BE(value, place)
        // Both frames have as many bytes as before.
        if (place === at)
          changed.writeUInt32BE((stream.readUInt32BE(at + 8) + stream.readUInt32BE(at) - value) >>> 0, at + 8)
        const code = { code: 'fise_malformed' }
        await expect(FiseFrames.open(changed, profile, on()), `${place} ${value}`).rejects.toMatchObject(code)
      }
    })

    test('is refused if its source is none', async () => {
      for (const source of ['text', 7, null, { size: 5 }, { size: -1, read() {} }, { size: 0.5, read() {} }]) {
        await expect(FiseFrames.open(source as never, profile, on())).rejects.toThrow(TypeError)
      }
      const short = { size: 100, read: () => new Uint8Array(3) }
      await expect(FiseFrames.open(short, profile, on())).rejects.toMatchObject({ code: 'fise_malformed' })
    })
  })
})

test('a program without types may use the constructor of a profile, and learns of the function that opens frames', () => {
  const Profile = FiseProfile as unknown as new (data: unknown) => FiseProfile
  expect(new Profile({ fise: 1 }).decodeText(new Profile({ fise: 1 }).encodeText('x'))).toBe('x')
  expect(() => new Profile({ fise: 2 })).toThrow(FiseError)
  expect(() => new (FiseFrames as unknown as new (...args: unknown[]) => FiseFrames)(new Blob(), {})).toThrow('open')
})

describe('workers', () => {
  const profile = FiseProfile.random('workers')

  test('are started and stopped', async () => {
    const workers = await startFiseWorkers({ count: 3 })
    expect(workers.count).toBe(3)
    const reading = encoded(profile, pieces(bytesOf(300_000), 1000), { frameLength: 2 ** 14, workers })
    workers.stop()
    await expect(reading).rejects.toMatchObject({ code: 'cancelled' })
    expect(workers.count).toBe(0)
    await expect(encoded(profile, ['x'], { workers })).rejects.toMatchObject({ code: 'cancelled' })
    workers.stop()
  })

  test("may be the caller's own", async () => {
    const { worker } = await import('#fise-worker')
    const { Worker } = await import('node:worker_threads')
    const workers = await startFiseWorkers({ count: 1, create: () => new Worker(worker, { eval: true }) })
    const stream = await encoded(profile, ['hello'], { workers })
    expect((await decoded(profile, [stream])).toString()).toBe('hello')
    workers.stop()
  })

  test('that fail to start, or end, are said', async () => {
    const { Worker } = await import('node:worker_threads')
    for (const program of ['throw new Error("no")', 'process.exit()', 'syntax error']) {
      const start = startFiseWorkers({ count: 2, create: () => new Worker(program, { eval: true, stderr: true }) })
      await expect(start, program).rejects.toMatchObject({ code: 'unavailable_backend' })
    }
    // Those before it end, and nothing of them is left.
    const { worker } = await import('#fise-worker')
    for (const wrong of [
      () => ({}),
      () => undefined,
      () => ({
        postMessage() {
          throw new RangeError('no')
        },
      }),
      () => {
        throw new RangeError('no')
      },
    ]) {
      const all: (() => unknown)[] = [() => new Worker(worker, { eval: true }), wrong]
      const start = startFiseWorkers({ count: 2, create: () => all.shift()?.() as object })
      await expect(start, String(wrong)).rejects.toMatchObject({
        code: expect.stringMatching(/^(invalid_argument|unavailable_backend)$/),
      })
    }
    const one = new Worker(worker, { eval: true })
    await expect(startFiseWorkers({ count: 2, create: () => one })).rejects.toThrow('each time')
    for (const answer of ['null', '{ bytes: "abc" }', '7']) {
      const program = `require('node:worker_threads').parentPort.once('message', (port) => port.postMessage(${answer}))`
      const start = startFiseWorkers({ count: 1, create: () => new Worker(program, { eval: true }) })
      await expect(start, answer).rejects.toMatchObject({ code: 'unavailable_backend' })
    }
    await expect(startFiseWorkers({ create: () => ({}) })).rejects.toThrow(TypeError)
    await expect(startFiseWorkers({ create: 7 as never })).rejects.toThrow(TypeError)
    for (const count of [0, 65, 1.5, '2' as never]) await expect(startFiseWorkers({ count })).rejects.toThrow(TypeError)
    expect(() => fiseFrameEncoder(profile, { workers: {} as never })).toThrow(TypeError)
  })

  test('whose worker ends fail, and the others go on', async () => {
    const { worker } = await import('#fise-worker')
    const { Worker } = await import('node:worker_threads')
    const made: InstanceType<typeof Worker>[] = []
    const create = () => {
      made.push(new Worker(worker, { eval: true }))
      return made.at(-1) as object
    }
    const workers = await startFiseWorkers({ count: 2, create })
    await made[0]?.terminate()
    expect(workers.count).toBe(1)
    const stream = await encoded(profile, [bytesOf(100_000)], { frameLength: 2 ** 14, workers })
    expect((await decoded(profile, [stream])).equals(bytesOf(100_000))).toBe(true)
    await made[1]?.terminate()
    const ended = { code: 'unavailable_backend', message: 'a worker for frames ended' }
    await expect(encoded(profile, ['x'], { workers })).rejects.toMatchObject(ended)
  })
  test('whose program answers anything else fail, and nothing of it is content', async () => {
    const { Worker } = await import('node:worker_threads')
    const stream = await encoded(profile, ['x'])
    const outcomes = async (answer: string) => {
      const program = `require('node:worker_threads').parentPort.once('message', (port) => {
        port.on('message', ({ bytes }) => port.postMessage(${answer}))
        port.postMessage({ bytes: new Uint8Array() })
      })`
      const create = () => new Worker(program, { eval: true })
      const found: unknown[] = []
      for (const work of [
        (workers: FiseWorkers) => encoded(profile, ['x'], { workers }),
        (workers: FiseWorkers) => decoded(profile, [stream], { workers }),
      ]) {
        const workers = await startFiseWorkers({ count: 1, create })
        found.push(await work(workers).catch((error) => error.code ?? error.message))
        workers.stop()
      }
      return found
    }
    const gone = 'unavailable_backend'
    expect(await outcomes('{}')).toEqual([gone, gone])
    expect(await outcomes('{ bytes: 5 }')).toEqual([gone, gone])
    expect(await outcomes('{ bytes: new Uint8Array(new SharedArrayBuffer(99)) }')).toEqual([gone, gone])
    expect(await outcomes('{ bytes: "abc", message: "refused" }')).toEqual(['refused', 'refused'])
    expect(await outcomes('{ code: 7, message: "refused" }')).toEqual(['refused', 'refused'])
    // Shorter than the room for a frame's fields; as a plaintext it is one.
    expect(await outcomes('{ bytes: new Uint8Array(3) }')).toEqual([gone, Buffer.alloc(3)])
  })

  test('that give the memory of a result back do not get it again', async () => {
    const { Worker } = await import('node:worker_threads')
    const program = `require('node:worker_threads').parentPort.once('message', (port) => {
      port.on('message', () => {
        const bytes = new Uint8Array(2 ** 15)
        port.postMessage({ bytes, memory: bytes.buffer }, [bytes.buffer])
      })
      port.postMessage({ bytes: new Uint8Array() })
    })`
    const workers = await startFiseWorkers({ count: 1, create: () => new Worker(program, { eval: true }) })
    const given = await collected(fiseFrameEncoder(profile, { frameLength: 2 ** 14, workers }).from([bytesOf(2 ** 18)]))
    expect(given.map(({ length }) => length)).toEqual(Array(16).fill(2 ** 15))
    workers.stop()
  })

  test('whose answers say that an envelope is wrong are believed, whatever objects inherit', async () => {
    const stream = await encoded(FiseProfile.random('other'), ['x'])
    for (const name of ['bytes', 'memory'])
      Object.defineProperty(Object.prototype, name, { value: 'forged', configurable: true })
    try {
      await expect(decoded(profile, [stream], { workers: two })).rejects.toThrow(FiseError)
    } finally {
      for (const name of ['bytes', 'memory']) Reflect.deleteProperty(Object.prototype, name)
    }
  })
})
