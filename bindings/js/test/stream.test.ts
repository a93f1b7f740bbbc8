import { expect, test, vi } from 'vitest'
import {
  type Bytes,
  chunkedKey,
  decrypt,
  decryptionStream,
  decryptSync,
  encrypt,
  encryptionStream,
  encryptSync,
  generateIdentity,
  inspect,
  inspectSync,
  recipientOf,
} from '../src/api/index.js'
import { bytesOf, compare, concat, flip, pattern, textOf, toBase64 } from './data.js'
import { hastyClock, turnsOf } from './turns.js'

/** The limit of waits on a busy machine. */
const LATEST = { timeout: 240_000 }

const identity = generateIdentity('x25519')
const identities = identity
const recipients = recipientOf(identity)

async function* pieces(data: Uint8Array, len: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < data.length; at += len) yield data.subarray(at, at + len)
}

async function collected(parts: AsyncIterable<Uint8Array>): Promise<Bytes> {
  const all: Uint8Array[] = []
  for await (const part of parts) all.push(part)
  return concat(all)
}

test('async iterables in pieces of any length become files that open, and back', async () => {
  for (const len of [0, 1, 16_384, 262_144, 262_145, 600_000]) {
    const data = pattern(len)
    for (const piece of [1000, 16_384, 262_144, 1_000_000]) {
      const file = await collected(encrypt(pieces(data, piece), { recipients }))
      expect(compare(decryptSync(file, { identities }), data)).toBe(0)
      expect(compare(await collected(decrypt(pieces(file, piece), { identities })), data)).toBe(0)
    }
  }
  const file = await collected(encrypt(pieces(pattern(1000), 1), { recipients }))
  expect(compare(await collected(decrypt(pieces(file, 1), { identities })), pattern(1000))).toBe(0)
})

test('Blobs and Web streams become Web streams', async () => {
  const data = pattern(700_000)
  const sealed = encrypt(new Blob([data]), { recipients })
  expect(sealed).toBeInstanceOf(ReadableStream)
  const opened = await new Response(decrypt(sealed, { identities })).arrayBuffer()
  expect(compare(new Uint8Array(opened), data)).toBe(0)
  const piped = new Blob([data])
    .stream()
    .pipeThrough(encryptionStream({ recipients }))
    .pipeThrough(decryptionStream({ identities }))
  expect(compare(new Uint8Array(await new Response(piped).arrayBuffer()), data)).toBe(0)
})

test('a stream that is cancelled while its source waits ends, and its source hears of it', async () => {
  const file = encryptSync(pattern(3_000_000), { recipients })
  const work: [string, Uint8Array, (source: ReadableStream<Uint8Array>) => ReadableStream<Uint8Array>][] = [
    ['encrypt', pattern(3_000_000), (source) => encrypt(source, { recipients })],
    ['decrypt', file, (source) => decrypt(source, { identities })],
    ['encryptionStream', pattern(3_000_000), (source) => source.pipeThrough(encryptionStream({ recipients }))],
    ['decryptionStream', file, (source) => source.pipeThrough(decryptionStream({ identities }))],
  ]
  for (const [name, bytes, of] of work) {
    let heard: unknown
    const source = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(bytes.slice(0, 2_000_000)),
      // The next part never comes.
      pull: () => new Promise(() => undefined),
      cancel: (reason) => {
        heard = reason ?? 'cancelled'
      },
    })
    const stop = new AbortController()
    const reason = new Error('no longer needed')
    const sink = new WritableStream<Uint8Array>({
      write() {
        setTimeout(() => stop.abort(reason), 20)
      },
    })
    await expect(of(source).pipeTo(sink, { signal: stop.signal }), name).rejects.toBe(reason)
    await vi.waitUntil(() => heard !== undefined, LATEST)
  }
})

test('a stream that is cancelled while its progress is told ends, though its source never gives more', async () => {
  let pulls = 0
  const source = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (pulls++ > 0) return new Promise(() => undefined)
      controller.enqueue(pattern(700_000))
    },
  })
  // Progress is told ten times a second, and each look is later by more.
  const clock = hastyClock(120)
  let cancelled: Promise<void> | undefined
  const onProgress = (): void => {
    cancelled ??= reader.cancel()
  }
  const reader = encrypt(source, { recipients, onProgress }).getReader()
  while (!(await reader.read()).done);
  await cancelled
  expect(cancelled).toBeDefined()
  clock.mockRestore()
})

test('a stream that is cancelled at any moment ends, and its source hears of it', async () => {
  for (let moment = 0; moment < 60; moment++) {
    let heard = 0
    const source = new ReadableStream<Uint8Array>({
      start: (controller) => controller.enqueue(pattern(100_000)),
      pull: () => new Promise(() => undefined),
      cancel: () => void heard++,
    })
    const reader = encrypt(source, { recipients }).getReader()
    await reader.read()
    reader.read().catch(() => undefined)
    for (let i = 0; i < moment; i++) await undefined
    await reader.cancel()
    await vi.waitUntil(() => heard === 1, LATEST)
  }
})

test('parts of a few bytes give the event loop its turns, and hear the signal', async () => {
  let [turns, parts] = [0, 0]
  const stop = new AbortController()
  // In a loop that has no turns this never comes, and the source never ends.
  const timer = setInterval(() => {
    turns++
    if (turns > 1 && parts > 10) stop.abort()
  }, 1)
  const source = async function* () {
    while (true) yield new Uint8Array(parts++ % 2)
  }
  await expect(collected(encrypt(source(), { recipients, signal: stop.signal }))).rejects.toThrow(/abort/i)
  clearInterval(timer)
})

test('a Blob without streams, as jsdom has them, is read by its slices', async () => {
  const data = pattern(2_500_000)
  const blob = new Blob([data])
  const { size, slice, type } = blob
  const without = { size, slice: slice.bind(blob), type } as Blob
  const sealed = new Uint8Array(await new Response(encrypt(without, { recipients })).arrayBuffer())
  expect(compare(decryptSync(sealed, { identities }), data)).toBe(0)
})

test('where there are no Web streams a Blob is refused at once, and the error says why', () => {
  vi.stubGlobal('ReadableStream', undefined)
  try {
    expect(() => encrypt(new Blob(['x']), { recipients })).toThrow(
      expect.objectContaining({ code: 'unavailable_backend', message: expect.stringMatching(/ReadableStream/) }),
    )
  } finally {
    vi.unstubAllGlobals()
  }
})

test('a file is inspected in every form, and all that can be wrong with it is said as of bytes', async () => {
  const file = encryptSync(pattern(100_000), { recipients })
  const armoured = encryptSync(pattern(100_000), { recipients, armour: true })
  for (const bytes of [file, armoured, encryptSync('', { recipients })]) {
    const seen = inspectSync(bytes)
    for (const form of [bytes, new Blob([bytes]), new Blob([bytes]).stream(), pieces(bytes, 1000)]) {
      expect(await inspect(form as Blob)).toEqual(seen)
    }
  }
  for (const length of [0, 1, 20, 1000, file.length - 98_000, file.length - 99_999]) {
    const cut = file.slice(0, length)
    const [known, failure] = outcomeOf(() => inspectSync(cut))
    for (const form of [new Blob([cut]), new Blob([cut]).stream()]) {
      if (failure === undefined) expect(await inspect(form)).toEqual(known)
      else await expect(inspect(form), `${length}`).rejects.toMatchObject(failure)
    }
  }
  const broken = new ReadableStream({ pull: (to) => to.error(new Error('gone')) })
  await expect(inspect(broken)).rejects.toThrow('gone')
  const silent = new ReadableStream({ pull: () => new Promise<void>(() => undefined) })
  await expect(inspect(silent, { signal: AbortSignal.timeout(20) })).rejects.toThrow(/abort|time/i)
  await expect(inspect(file, { onProgress: () => undefined } as never)).rejects.toThrow(/unknown option/)
})

/** The result of a call, or the code and message of its error. */
function outcomeOf<T>(work: () => T): [result: T | undefined, failure?: { code: unknown; message: string }] {
  try {
    return [work()]
  } catch (error) {
    const { code, message } = error as Error & { code: unknown }
    return [undefined, { code, message }]
  }
}

test('nothing of a chunk that is not authentic comes out, and the stream ends with an error', async () => {
  const file = encryptSync(pattern(1_000_000), { recipients })
  for (const [at, code] of [
    [file.length - 1, 'not_authentic'],
    [700_000, 'not_authentic'],
    [8, 'unsupported_version'],
  ] as const) {
    const broken = file.slice()
    flip(broken, at)
    const released: Uint8Array[] = []
    const read = async () => {
      for await (const part of decrypt(pieces(broken, 100_000), { identities })) released.push(part)
    }
    await expect(read()).rejects.toMatchObject({ code })
    const bytes = concat(released)
    expect(bytes.length).toBeLessThan(at)
    expect(compare(bytes, pattern(bytes.length))).toBe(0)
  }
})

test('a stream that is cut off anywhere is reported', async () => {
  const file = encryptSync(pattern(600_000), { recipients })
  for (const len of [0, 5, 15, 16, 100, 200, 500, 300_000, file.length - 20, file.length - 1]) {
    const cut = collected(decrypt(pieces(file.subarray(0, len), 70_000), { identities }))
    await expect(cut, `${len} bytes`).rejects.toMatchObject({
      code: len < 8 ? 'not_sealstone' : expect.stringMatching(/^(truncated|not_authentic)$/),
    })
  }
})

test('a signal ends a stream whose source does not answer, and tells the source', async () => {
  const reason = new Error('enough')
  const controller = new AbortController()
  const returned = vi.fn(async () => ({ done: true as const, value: undefined }))
  const silent: AsyncIterable<Uint8Array> = {
    [Symbol.asyncIterator]: () => ({ next: () => new Promise<never>(() => undefined), return: returned }),
  }
  const read = collected(encrypt(silent, { recipients, signal: controller.signal }))
  setTimeout(() => controller.abort(reason), 10)
  await expect(read).rejects.toBe(reason)
  expect(returned).toHaveBeenCalledTimes(1)
})

test('a reader that stops early tells the source', async () => {
  const closed = vi.fn()
  async function* endless(): AsyncGenerator<Uint8Array> {
    try {
      while (true) yield new Uint8Array(100_000)
    } finally {
      closed()
    }
  }
  for await (const part of encrypt(endless(), { recipients })) if (part.length > 1000) break
  expect(closed).toHaveBeenCalledTimes(1)
  const stream = encrypt(ReadableStreamOf(endless()), { recipients })
  const reader = stream.getReader()
  await reader.read()
  await reader.read()
  await reader.cancel()
  await vi.waitFor(() => expect(closed).toHaveBeenCalledTimes(2), LATEST)
})

function ReadableStreamOf(parts: AsyncGenerator<Uint8Array>): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await parts.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    async cancel() {
      await parts.return(undefined)
    },
  })
}

test('a source is closed however little of it was read', async () => {
  for (const reads of [0, 1, 2]) {
    let isOpen = false
    const source = (async function* () {
      try {
        isOpen = true
        while (true) yield pattern(300_000)
      } finally {
        isOpen = false
      }
    })()
    const parts = encrypt(source, { recipients })
    for (let i = 0; i < reads; i++) await parts.next()
    await parts.return(undefined)
    expect(isOpen).toBe(false)
    expect(await source.next()).toEqual({ done: true, value: undefined })
  }
  for (const reads of [0, 1, 2]) {
    let isCancelled = false
    const source = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(pattern(300_000)),
      cancel() {
        isCancelled = true
      },
    })
    const reader = encrypt(source, { recipients }).getReader()
    for (let i = 0; i < reads; i++) await reader.read()
    await reader.cancel()
    expect(isCancelled).toBe(true)
  }
})

test('the event loop has its turns though the source never waits', async () => {
  async function* eager(): AsyncGenerator<Uint8Array> {
    const piece = new Uint8Array(1 << 20)
    for (let i = 0; i < 16; i++) yield piece
  }
  const [, turns] = await turnsOf(async () => {
    for await (const _ of encrypt(eager(), { recipients }));
  })
  // One of each piece.
  expect(turns).toBeGreaterThanOrEqual(16)
})

test('what is no bytes within a stream is refused', async () => {
  const numbers = (async function* () {
    yield 7
  })() as unknown as AsyncIterable<Uint8Array>
  await expect(collected(encrypt(numbers, { recipients }))).rejects.toThrow(TypeError)
})

test('armour of streams is that of bytes, both ways', async () => {
  for (const len of [0, 1, 24_000, 300_000]) {
    const data = pattern(len)
    for (const piece of [1000, 7777, 1_000_000]) {
      const text = await collected(encrypt(pieces(data, piece), { recipients, armour: true }))
      expect(textOf(text)).toMatch(/^-----BEGIN SEALSTONE FILE-----\n/)
      expect(compare(decryptSync(text, { identities }), data)).toBe(0)
      expect(compare(await collected(decrypt(pieces(text, piece), { identities })), data)).toBe(0)
    }
  }
  const text = encryptSync('attack at dawn', { recipients, armour: true })
  expect(textOf(await collected(decrypt(pieces(text, 1), { identities })))).toBe('attack at dawn')
  for (const broken of [text.subarray(0, 40), text.subarray(0, text.length - 5), concat([text, text])]) {
    const code = expect.stringMatching(/^malformed_armour$/)
    await expect(collected(decrypt(pieces(broken, 50), { identities }))).rejects.toMatchObject({ code })
  }
})

test('armour is read as mail and editors leave it, in streams as in memory', async () => {
  const text = textOf(encryptSync('attack at dawn', { recipients, armour: true }))
  const mail = (before: string): Bytes => bytesOf(`${before}${text.replace(/\n/g, ' \r\n\t')}\r\n-- \r\nAlice`)
  for (const before of ['', '\ufeff', 'Hi!\r\n\r\n', '\n'.repeat(60_000)]) {
    for (const piece of [1, 50, 1_000_000]) {
      expect(textOf(await collected(decrypt(pieces(mail(before), piece), { identities })))).toBe('attack at dawn')
    }
    expect(textOf(decryptSync(mail(before), { identities }))).toBe('attack at dawn')
    expect((await inspect(pieces(mail(before), 50))).armoured).toBe(true)
    expect(inspectSync(mail(before)).armoured).toBe(true)
  }
  const utf16 = new Uint8Array(new Uint16Array([...`\ufeff${text}`].map((one) => one.charCodeAt(0))).buffer)
  for (const [other, code] of [
    [mail('\n'.repeat(65_507)), 'not_sealstone'],
    [mail('> '), 'not_sealstone'],
    [utf16, 'malformed_armour'],
  ] as const) {
    expect(() => decryptSync(other, { identities })).toThrow(expect.objectContaining({ code }))
    await expect(collected(decrypt(pieces(other, 50), { identities }))).rejects.toMatchObject({ code })
    await expect(inspect(pieces(other, 50))).rejects.toMatchObject({ code })
  }
})

test('chunked encryption under a key is the same in streams and in memory', async () => {
  const key = chunkedKey('sm4-gcm', new Uint8Array(16))
  for (const len of [0, 1, 16_384, 600_000]) {
    const data = pattern(len)
    const sealed = await collected(key.encrypt('record 17', pieces(data, 70_000)))
    expect(compare(key.decrypt('record 17', sealed), data)).toBe(0)
    const opened = key.decrypt('record 17', new Blob([key.encrypt('record 17', data)]))
    expect(compare(new Uint8Array(await new Response(opened).arrayBuffer()), data)).toBe(0)
    const code = 'not_authentic'
    await expect(collected(key.decrypt('record 18', pieces(sealed, 1000)))).rejects.toMatchObject({ code })
    const cut = sealed.subarray(0, sealed.length - 1)
    await expect(collected(key.decrypt('record 17', pieces(cut, 1000)))).rejects.toMatchObject({
      code: expect.stringMatching(/^(truncated|not_authentic)$/),
    })
  }
  const piped = new Blob(['attack at dawn'])
    .stream()
    .pipeThrough(key.encryptionStream(''))
    .pipeThrough(key.decryptionStream(''))
  expect(await new Response(piped).text()).toBe('attack at dawn')
  const unread = key.encrypt('', pieces(pattern(10), 1))
  key.destroy()
  await expect(collected(unread)).rejects.toThrow(/destroyed/)
})

/** A file with these bytes flipped, as armour in which the line that holds byte `broken` of the file is none. */
function twiceFaulty(file: Uint8Array, flipped: readonly number[], broken: number): Uint8Array {
  const copy = file.slice()
  for (const at of flipped) flip(copy, at)
  const lines = toBase64(copy).match(/.{1,64}/g) ?? []
  lines[Math.floor(broken / 48)] = 'no base64'
  return bytesOf(`-----BEGIN SEALSTONE FILE-----\n${lines.join('\n')}\n-----END SEALSTONE FILE-----\n`)
}

const CHUNK = 16_384
const chunkAt = (k: number): number => 180 + k * 16_400

/** The code of a stream's error, and the bytes before it. */
async function verdict(work: () => AsyncIterable<Uint8Array>): Promise<[string, Bytes]> {
  const all: Uint8Array[] = []
  try {
    for await (const part of work()) all.push(part)
  } catch (error) {
    return [(error as { code: string }).code, concat(all)]
  }
  return ['success', concat(all)]
}

test('of two faults a stream reports the first, and gives what is before it', async () => {
  // 16 bytes, a stanza of 76, the MAC, salt and commitment, and chunks of 16,400 bytes from 180 on: as in core's tests/armour.rs.
  const key = new Uint8Array(32)
  const file = encryptSync(pattern(40 * CHUNK + 100), { key })
  const cases: [string, number[], number, string, number][] = [
    ['both in the first line', [8], 20, 'malformed_armour', 0],
    ['version before', [8], 60, 'unsupported_version', 0],
    ["stanza before, in the same line as the MAC's end", [70], 130, 'malformed_armour', 0],
    ['stanza before', [70], 150, 'no_matching_identity', 0],
    ['MAC before', [110], 150, 'header_not_authentic', 0],
    ['salt in the same line', [145], 150, 'malformed_armour', 0],
    ['commitment before', [170], 200, 'not_authentic', 0],
    ['nothing before', [], chunkAt(3) + 100, 'malformed_armour', 3],
    ["nothing before the third unit's middle", [], chunkAt(37) + 100, 'malformed_armour', 37],
    ['chunk before', [chunkAt(1) + 5], chunkAt(3) + 100, 'not_authentic', 1],
    ['chunk of the third unit before', [chunkAt(35)], chunkAt(37), 'not_authentic', 35],
    ['chunk after', [chunkAt(35)], chunkAt(5) + 100, 'malformed_armour', 5],
    ['last chunk, and its last line', [chunkAt(40)], chunkAt(40) + 110, 'malformed_armour', 40],
  ]
  for (const [name, flipped, broken, code, chunks] of cases) {
    const text = twiceFaulty(file, flipped, broken)
    for (const len of chunks < 5 ? [1, 777, 1 << 30] : [777, 1 << 30]) {
      const found = await verdict(() => decrypt(pieces(text, len), { key }))
      expect([found[0], found[1].length], `${name}, by ${len}`).toEqual([code, chunks * CHUNK])
      expect(compare(found[1], pattern(chunks * CHUNK))).toBe(0)
    }
  }
})

test('all chunks before an error are given, wherever it is', async () => {
  const key = new Uint8Array(32)
  const chunked = chunkedKey('aes-256-gcm', key)
  const file = encryptSync(pattern(24 * CHUNK), { key })
  const bare = chunked.encrypt('', pattern(24 * CHUNK))
  const damaged = (bytes: Uint8Array, at: number): Uint8Array => {
    const copy = bytes.slice()
    flip(copy, at)
    return copy
  }
  const cases: [string, Uint8Array, string, number][] = [
    ...[0, 1, 15, 16, 17, 23, 24].map((k): [string, Uint8Array, string, number] => [
      `chunk ${k}`,
      damaged(file, chunkAt(k) + 3),
      'not_authentic',
      k,
    ]),
    ...[1, 2, 16, 17, 24].map((k): [string, Uint8Array, string, number] => [
      `cut at ${k}`,
      file.subarray(0, chunkAt(k)),
      'truncated',
      k,
    ]),
    ['cut within a tag', file.subarray(0, chunkAt(20) + 15), 'truncated', 20],
    ['cut within a chunk', file.subarray(0, chunkAt(20) + 16), 'not_authentic', 20],
    ['two chunks', damaged(damaged(file, chunkAt(18)), chunkAt(2)), 'not_authentic', 2],
    ['chunk and cut', damaged(file, chunkAt(18)).subarray(0, chunkAt(20)), 'not_authentic', 18],
  ]
  for (const [name, bytes, code, chunks] of cases) {
    const forms: [string, () => AsyncIterable<Uint8Array>][] = [
      ['iterable', () => decrypt(pieces(bytes, 70_000), { key })],
      ['one thread', () => decrypt(pieces(bytes, 70_000), { key, threads: 1 })],
      ['Web stream', () => decrypt(new Blob([bytes.slice()]), { key }) as unknown as AsyncIterable<Uint8Array>],
    ]
    for (const [form, work] of forms) {
      const found = await verdict(work)
      expect([found[0], found[1].length], `${name}, ${form}`).toEqual([code, chunks * CHUNK])
    }
  }
  for (const k of [16, 2, 0]) {
    const found = await verdict(() => chunked.decrypt('', pieces(bare.subarray(0, 56 + k * 16_400), 1000)))
    expect([found[0], found[1].length]).toEqual(['truncated', k * CHUNK])
  }
})

test('readers of every kind get all that comes before an error, slow ones too', async () => {
  const key = new Uint8Array(32)
  const cut = encryptSync(pattern(24 * CHUNK), { key }).subarray(0, chunkAt(20))
  let len = 0
  const slowly = async (part: Uint8Array): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, 5))
    len += part.length
  }
  const each = async (parts: AsyncIterable<Uint8Array>): Promise<void> => {
    for await (const part of parts) await slowly(part)
  }
  const ways: [string, () => Promise<unknown>][] = [
    ['iterable', () => each(decrypt(pieces(cut, cut.length), { key }))],
    ['Blob', () => each(decrypt(new Blob([cut.slice()]), { key }) as unknown as AsyncIterable<Uint8Array>)],
    [
      'pipeTo',
      () =>
        new Blob([cut.slice()])
          .stream()
          .pipeThrough(decryptionStream({ key }))
          .pipeTo(new WritableStream({ write: slowly })),
    ],
  ]
  for (const [name, read] of ways) {
    len = 0
    await expect(read(), name).rejects.toMatchObject({ code: 'truncated' })
    expect(len, name).toBe(20 * CHUNK)
  }
})

test('what a source gave before it failed is given, and then its error', async () => {
  const key = new Uint8Array(32)
  const file = encryptSync(pattern(24 * CHUNK), { key })
  const lost = new Error('the connection is lost')
  async function* failing(): AsyncGenerator<Uint8Array> {
    yield* pieces(file.subarray(0, chunkAt(20) + 100), 50_000)
    throw lost
  }
  const all: Uint8Array[] = []
  const read = async () => {
    for await (const part of decrypt(failing(), { key })) all.push(part)
  }
  await expect(read()).rejects.toBe(lost)
  expect(concat(all).length).toBe(20 * CHUNK)
})

test('a part that is transferred away before all of it is taken is an error, and not a shorter file', async () => {
  const file = encryptSync(pattern(8_000_000), { recipients })
  const armoured = encryptSync(pattern(8_000_000), { recipients, armour: true })
  const works: [Uint8Array, (source: AsyncIterable<Uint8Array>) => AsyncGenerator<Bytes>][] = [
    [file, (source) => encrypt(source, { recipients })],
    [file, (source) => decrypt(source, { identities })],
    [armoured, (source) => decrypt(source, { identities })],
    [file, (source) => chunkedKey('aes-256-gcm', new Uint8Array(32)).encrypt('', source)],
  ]
  for (const [bytes, work] of works) {
    const data = new Uint8Array(bytes)
    const parts = work(pieces(data, data.length))
    // The second comes out of the part, of which most is to be taken still.
    await parts.next()
    await parts.next()
    structuredClone(data, { transfer: [data.buffer] })
    const error = { name: 'TypeError', code: 'invalid_argument', message: expect.stringContaining('transferred') }
    await expect(collected(parts)).rejects.toMatchObject(error)
  }
})

test('what is neither bytes nor a stream is told what is', async () => {
  for (const data of [['a'], 5, null, {}]) {
    // At once: a promise would be taken for the stream that it is not.
    const error = {
      code: 'invalid_argument',
      message: expect.stringMatching(/a Web or Node stream, a Blob, an async iterable/),
    }
    expect(() => encrypt(data as never, { passphrase: 'x' })).toThrow(expect.objectContaining(error))
    expect(() => decrypt(data as never, { passphrase: 'x' })).toThrow(expect.objectContaining(error))
    await expect(inspect(data as never)).rejects.toMatchObject(error)
  }
})
