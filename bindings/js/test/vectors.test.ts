// Every vector of vectors/file and vectors/keys, in every way that this package reads; `node-streams.test.ts` has the streams of Node.

import { expect, test } from 'vitest'
import {
  type Bytes,
  backend,
  decrypt,
  decryptBatch,
  decryptIntoSync,
  decryptionStream,
  decryptRangeSync,
  decryptSync,
  importIdentities,
  importRecipients,
  inspectSync,
  recipientOf,
} from '../src/api/index.js'
import {
  faultsOf,
  inStreams,
  isCompressed,
  isSlow,
  ONCE,
  optionsOf,
  outcome,
  pieces,
  type Release,
  releaseAll,
  type Streaming,
  type Vector,
  valuesOf,
  vectors,
  type Way,
  waysOf,
  withoutCompression,
} from './vectors.js'

function webStream(parts: Generator<Bytes>): ReadableStream<Bytes> {
  return new ReadableStream({
    pull(controller) {
      const { done, value } = parts.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
  })
}

async function releaseRead(stream: ReadableStream<Uint8Array>, release: Release): Promise<void> {
  const reader = stream.getReader()
  for (let next = await reader.read(); !next.done; next = await reader.read()) release(next.value)
}

/** Memory for the content of any compressed vector. */
const ROOM = new Uint8Array(1 << 24)

/** Every way in which streams are read. */
const STREAMS: readonly [string, Streaming][] = [
  [
    'async iterable',
    (parts, options, release) =>
      releaseAll(
        decrypt(
          (async function* () {
            yield* parts
          })(),
          options,
        ),
        release,
      ),
  ],
  ['Web stream', (parts, options, release) => releaseRead(decrypt(webStream(parts), options), release)],
  [
    'Web streams in a row',
    (parts, options, release) => releaseRead(webStream(parts).pipeThrough(decryptionStream(options)), release),
  ],
]

test('every vector of files gives its verdict in every way of reading', async () => {
  const all = vectors('file')
  expect(all.length).toBeGreaterThanOrEqual(1697)
  const hasCompression = !backend().includes('webassembly')
  const faults: string[] = []
  let readings = 0
  for (const [i, told] of all.entries()) {
    const vector = hasCompression ? told : withoutCompression(told)
    const { file } = vector
    const options = optionsOf(vector)
    const [range] = valuesOf(vector, 'range')
    const whole: Way[] = []
    const streamed: Way[] = []
    if (range === undefined) {
      whole.push(['sync', (release) => release(decryptSync(file, options))])
      const room = isCompressed(vector) ? ROOM : new Uint8Array(file.length)
      whole.push(['into', (release) => release(decryptIntoSync(file, room, options))])
      whole.push(['async', async (release) => release(await decrypt(file, options))])
      for (const [[form, read], lengths] of waysOf(STREAMS, i, file)) {
        streamed.push([`${form} by ${lengths}`, (release) => read(pieces(file, lengths), options, release)])
      }
      // How it is read is not for us to say.
      const blob: Way[1] = (release) => releaseRead(decrypt(new Blob([file]), options), release)
      if (!ONCE) streamed.push(['Blob', blob])
    } else {
      const [start = 0, end = 0] = range.split('..').map(Number)
      whole.push(['range', (release) => release(decryptRangeSync(file, start, end, options))])
    }
    // With one way of each kind: the last of those at once, which promises.
    const ways = isSlow(vector) || ONCE ? [...whole.slice(-1), ...streamed.slice(0, 1)] : [...whole, ...streamed]
    if (isSlow(vector) && ONCE) ways.length = 1
    readings += ways.length
    const [atOnce, inParts] = [ways.filter((way) => whole.includes(way)), ways.filter((way) => streamed.includes(way))]
    faults.push(...(await faultsOf(vector, atOnce, () => false)))
    faults.push(...(await faultsOf(hasCompression ? inStreams(vector) : vector, inParts, () => true)))
    for (const identity of options.identities) identity.destroy()
  }
  expect(faults).toEqual([])
  expect(readings).toBeGreaterThan((ONCE ? 1.8 : 8) * all.length)
}, 600_000)

test('a file shows that it is compressed, and that it is an archive', async () => {
  const hasCompression = !backend().includes('webassembly')
  const seen: Record<string, number> = {}
  for (const vector of vectors('file')) {
    if (valuesOf(vector, 'expect')[0] !== 'success') continue
    const found = await outcome(() => {
      const { version, compressed, archive } = inspectSync(vector.file)
      if (compressed !== isCompressed(vector)) throw new Error(vector.name)
      const kind = `${version}${compressed ? ' compressed' : ''}${archive ? ' archive' : ''}`
      seen[kind] = (seen[kind] ?? 0) + 1
    })
    const expected = hasCompression || !isCompressed(vector) ? 'success' : 'unsupported_version'
    if (found.code !== expected) throw new Error(`${vector.name}: ${found.code}`)
  }
  expect(Object.keys(seen).sort()).toEqual([
    '1',
    '2 archive',
    ...(hasCompression ? ['2 compressed', '2 compressed archive'] : []),
  ])
  expect(seen['2 archive']).toBeGreaterThanOrEqual(239)
})

test('compressed content needs memory of its own length, and is not written where there is less', async () => {
  const [armoured, vector, broken] = ['armoured', 'content_of_65792', 'magic_flipped'].map((name) =>
    vectors('file').find((vector) => vector.name === `compressed_${name}`),
  ) as [Vector, Vector, Vector]
  const options = optionsOf(vector)
  if (backend().includes('webassembly')) {
    await expect(decrypt(vector.file, options)).rejects.toThrow('compressed')
    return
  }
  const content = decryptSync(vector.file, options)
  expect(content.length).toBeGreaterThan(inspectSync(vector.file).plaintextLen)
  const memory = new Uint8Array(content.length + 1).fill(9)
  expect(() => decryptIntoSync(vector.file, memory.subarray(0, content.length - 1), options)).toThrow(RangeError)
  expect(memory.every((byte) => byte === 9)).toBe(true)
  expect(decryptIntoSync(vector.file, memory, options).length).toBe(content.length)
  expect(memory.at(-1)).toBe(9)
  const opened = await decryptBatch(
    [vector, broken, armoured].map((one) => one.file),
    options,
  )
  const said = opened.map((one) => (one instanceof Error ? one.code : one.length))
  expect(said).toEqual([content.length, 'malformed_compression', 59])
})

test('every vector of key files is read as it says', async () => {
  const all = vectors('keys')
  expect(all.length).toBeGreaterThanOrEqual(648)
  const faults: string[] = []
  for (const vector of all) {
    const { name, file } = vector
    const [read, expected, passphrase] = ['read', 'expect', 'passphrase'].map((key) => valuesOf(vector, key)[0])
    const keys = valuesOf(vector, 'key')
    let found: string[] = []
    const { code } = await outcome(async () => {
      const recipients =
        read === 'recipients'
          ? await importRecipients(file)
          : (await importIdentities(file, passphrase === undefined ? {} : { passphrase })).map(recipientOf)
      found = recipients.map((recipient) => `${recipient.kind} ${recipient.fingerprint}`)
    })
    if (code !== expected) faults.push(`${name}: ${code} instead of ${expected}`)
    else if (code === 'success' && found.join() !== keys.join()) faults.push(`${name}: ${found} instead of ${keys}`)
  }
  expect(faults).toEqual([])
}, 600_000)
