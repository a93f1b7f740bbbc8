// Streams of Node, as sources and as sinks, and the vectors in each.

import { createReadStream, createWriteStream } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Duplex, PassThrough, Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream as NodeWebStream } from 'node:stream/web'
import { expect, test, vi } from 'vitest'
import {
  backend,
  chunkedKey,
  decrypt,
  decryptionStream,
  decryptSync,
  encrypt,
  encryptSync,
  generateIdentity,
  recipientOf,
} from '../src/api/index.js'
import { compare, pattern } from './data.js'
import { alive } from './garbage.js'
import { measured } from './measured.js'
import {
  faultsOf,
  inStreams,
  isSlow,
  optionsOf,
  pieces as piecesOf,
  releaseAll,
  type Streaming,
  valuesOf,
  vectors,
  waysOf,
  withoutCompression,
} from './vectors.js'

const identity = generateIdentity('x25519')
const identities = identity
const recipients = recipientOf(identity)
const CHUNK = 16_384
const chunkAt = (k: number): number => 180 + k * 16_400

async function* pieces(data: Uint8Array, len: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < data.length; at += len) yield data.subarray(at, at + len)
}

async function collected(parts: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const all: Uint8Array[] = []
  for await (const part of parts) all.push(part)
  return Buffer.concat(all)
}

const STREAMS: readonly [string, Streaming][] = [
  ['Node stream', (parts, options, release) => releaseAll(decrypt(Readable.from(parts), options), release)],
  [
    'pipeline of Node streams',
    async (parts, options, release) => {
      const write = (part: Uint8Array, _: unknown, done: () => void) => {
        release(part)
        done()
      }
      const opened = (source: AsyncIterable<Uint8Array>) => decrypt(source, options)
      await pipeline(Readable.from(parts), opened, new Writable({ objectMode: true, write }))
    },
  ],
]

test('every vector of files gives its verdict in streams of Node', async () => {
  const all = vectors('file').filter((vector) => !isSlow(vector) && valuesOf(vector, 'range').length === 0)
  expect(all.length).toBeGreaterThanOrEqual(1605)
  const faults: string[] = []
  for (const [i, vector] of all.entries()) {
    const options = optionsOf(vector)
    // Of a Web stream it is in vectors.test.ts.
    const ways = waysOf(STREAMS, i, vector.file).map(
      ([[form, read], lengths]) =>
        [
          `${form} by ${lengths}`,
          (release: (part: Uint8Array) => void) => read(piecesOf(vector.file, lengths), options, release),
        ] as const,
    )
    const read = backend().includes('webassembly') ? withoutCompression(vector) : inStreams(vector)
    faults.push(...(await faultsOf(read, ways, () => true)))
    for (const identity of options.identities) identity.destroy()
  }
  expect(faults).toEqual([])
}, 600_000)

test('Node streams go through pipeline', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sealstone-'))
  try {
    const [plain, sealed, opened] = ['plain', 'sealed', 'opened'].map((name) => join(folder, name)) as [
      string,
      string,
      string,
    ]
    await writeFile(plain, pattern(2_000_000))
    await pipeline(encrypt(createReadStream(plain), { recipients }), createWriteStream(sealed))
    await pipeline(
      createReadStream(sealed),
      (source: AsyncIterable<Uint8Array>) => decrypt(source, { identities }),
      createWriteStream(opened),
    )
    expect(compare(await readFile(opened), pattern(2_000_000))).toBe(0)
    expect(
      compare(await collected(decrypt(Readable.from([await readFile(sealed)]), { identities })), pattern(2_000_000)),
    ).toBe(0)
  } finally {
    await rm(folder, { recursive: true })
  }
})

/** Seals and opens so many mebibytes, with a look now and then. */
async function through(mebibytes: number, look: () => void): Promise<void> {
  async function* long(): AsyncGenerator<Uint8Array> {
    for (let i = 0; i < mebibytes; i++) yield new Uint8Array(1 << 20)
  }
  let [len, next] = [0, 0]
  // With a signal, since waiting beside one once kept every part alive.
  const { signal } = new AbortController()
  // Of the suites this one is fast in WebAssembly too.
  const sealed = encrypt(long(), { recipients, suite: 'chacha20-poly1305', signal })
  for await (const part of decrypt(sealed, { identities, signal })) {
    len += part.length
    if (len < next) continue
    next += mebibytes << 17
    look()
  }
  expect(len).toBe(mebibytes << 20)
}

test('what is alive of a stream does not grow with it', async () => {
  const seen: number[] = []
  await through(64, () => seen.push(alive('arrayBuffers') / 2 ** 20))
  expect(seen.length).toBeGreaterThanOrEqual(8)
  // All parts between the source and the reader, of 64.
  expect(Math.max(...seen.slice(1)) - (seen[0] as number)).toBeLessThan(16)
})

measured('the memory of a stream does not grow with it', async () => {
  const before = process.memoryUsage.rss()
  let most = 0
  await through(300, () => {
    most = Math.max(most, process.memoryUsage.rss())
  })
  console.log(`300 MiB: ${Math.round((most - before) / 2 ** 20)} MiB more`)
  expect(most - before).toBeLessThan(200 << 20)
})

test('what is sealed comes out while the source waits, and a reader that stops then ends it', async () => {
  const source = new PassThrough({ highWaterMark: 1 << 21 })
  source.write(pattern(1_000_000))
  let len = 0
  for await (const part of encrypt(source, { recipients })) {
    len += part.length
    if (len > 780_000) break
  }
  await vi.waitFor(() => expect(source.destroyed).toBe(true), { timeout: 240_000 })
})

test('a source of Node that fails before it is read is an error of whoever reads', async () => {
  const key = new Uint8Array(32)
  const file = encryptSync('x', { key })
  const missing = () => createReadStream('/nowhere/at/all')
  const uses: [string, () => AsyncIterable<Uint8Array>][] = [
    ['hybrid', () => encrypt(missing(), { recipients: recipientOf(generateIdentity()) })],
    ['x25519', () => encrypt(missing(), { recipients })],
    ['key', () => encrypt(missing(), { key })],
    ['passphrase', () => encrypt(missing(), { passphrase: 'x' })],
    ['armoured', () => encrypt(missing(), { key, armour: true })],
    ['opened', () => decrypt(missing(), { key })],
    ['chunked', () => chunkedKey('aes-256-gcm', key).encrypt('', missing())],
  ]
  for (const [name, use] of uses) {
    await expect(collected(use()), name).rejects.toMatchObject({ code: 'ENOENT' })
    const later = use()
    await new Promise((resolve) => setTimeout(resolve, 20))
    await expect(collected(later), `${name}, later`).rejects.toMatchObject({ code: 'ENOENT' })
    await expect(pipeline(use(), new PassThrough().resume()), `${name}, piped`).rejects.toMatchObject({
      code: 'ENOENT',
    })
    // It has no reader.
    use()
  }
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(decryptSync(file, { key })).toHaveLength(1)
})

test('a source of Node is closed however little of it was read', async () => {
  const options = { recipients, armour: true }
  const key = chunkedKey('aes-256-gcm', new Uint8Array(32))
  const works: ((source: Readable) => AsyncGenerator<Uint8Array>)[] = [
    (source) => encrypt(source, { recipients }),
    (source) => encrypt(source, options),
    (source) => decrypt(source, { identities }),
    (source) => key.encrypt('context', source) as AsyncGenerator<Uint8Array>,
  ]
  for (const work of works) {
    const endless = () => Readable.from(pieces(pattern(5_000_000), 1000))
    const unread = endless()
    await work(unread).return(undefined)
    expect(unread.destroyed).toBe(true)

    const once = endless()
    const parts = work(once)
    await parts.next().catch(() => undefined)
    await parts.return(undefined)
    expect(once.destroyed).toBe(true)
  }
  const aborted = Readable.from(pieces(pattern(5_000_000), 1000))
  const reading = collected(encrypt(aborted, { recipients, signal: AbortSignal.abort() }))
  await expect(reading).rejects.toMatchObject({ name: 'AbortError' })
  expect(aborted.destroyed).toBe(true)
})

test('readers of Node get all that comes before an error, slow ones too', async () => {
  const key = new Uint8Array(32)
  const cut = encryptSync(pattern(24 * CHUNK), { key }).subarray(0, chunkAt(20))
  const web = () => decrypt(new Blob([cut.slice()]), { key }) as unknown as NodeWebStream
  const node = () => Readable.from([cut])
  let len = 0
  const slowly = async (part: Uint8Array): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, 5))
    len += part.length
  }
  const each = async (parts: AsyncIterable<Uint8Array>): Promise<void> => {
    for await (const part of parts) await slowly(part)
  }
  const write = (part: Uint8Array, _: unknown, done: () => void) => void slowly(part).then(done)
  const ways: [string, () => Promise<unknown>][] = [
    ['iterable', () => each(decrypt(node(), { key }))],
    ['Readable.from', () => each(Readable.from(decrypt(node(), { key })))],
    ['Readable.fromWeb', () => each(Readable.fromWeb(web()))],
    ['Duplex.fromWeb', () => each(node().pipe(Duplex.fromWeb(decryptionStream({ key }) as never)))],
    ['pipeline', () => pipeline(node(), (source) => decrypt(source, { key }), new Writable({ write }))],
  ]
  for (const [name, read] of ways) {
    len = 0
    await expect(read(), name).rejects.toMatchObject({ code: 'truncated' })
    expect(len, name).toBe(20 * CHUNK)
  }
})

test('all chunks before an error come through streams of Node, wherever it is', async () => {
  const key = new Uint8Array(32)
  const file = encryptSync(pattern(24 * CHUNK), { key })
  for (const chunks of [0, 1, 16, 17, 24]) {
    const damaged = file.slice()
    damaged[chunkAt(chunks) + 3] = (damaged[chunkAt(chunks) + 3] ?? 0) ^ 1
    let len = 0
    const read = async () => {
      for await (const part of Readable.from(decrypt(Readable.from([damaged]), { key }))) len += part.length
    }
    await expect(read()).rejects.toMatchObject({ code: 'not_authentic' })
    expect(len).toBe(chunks * CHUNK)
  }
})
