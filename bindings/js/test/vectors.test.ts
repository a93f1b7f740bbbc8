// Every vector of vectors/file and vectors/keys, in every way that this package reads; `node-streams.test.ts` has the streams of Node.

import { expect, test } from 'vitest'
import {
  type Bytes,
  decrypt,
  decryptIntoSync,
  decryptionStream,
  decryptRangeSync,
  decryptSync,
  importIdentities,
  importRecipients,
  recipientOf,
} from '../src/api/index.js'
import {
  faultsOf,
  isSlow,
  ONCE,
  optionsOf,
  outcome,
  pieces,
  type Release,
  releaseAll,
  type Streaming,
  valuesOf,
  vectors,
  type Way,
  waysOf,
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
  expect(all.length).toBeGreaterThanOrEqual(874)
  const faults: string[] = []
  let readings = 0
  for (const [i, vector] of all.entries()) {
    const { file } = vector
    const options = optionsOf(vector)
    const [range] = valuesOf(vector, 'range')
    const whole: Way[] = []
    const streamed: Way[] = []
    if (range === undefined) {
      whole.push(['sync', (release) => release(decryptSync(file, options))])
      whole.push(['into', (release) => release(decryptIntoSync(file, new Uint8Array(file.length), options))])
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
    faults.push(...(await faultsOf(vector, ways, (way) => streamed.some(([name]) => name === way))))
    for (const identity of options.identities) identity.destroy()
  }
  expect(faults).toEqual([])
  expect(readings).toBeGreaterThan((ONCE ? 1.8 : 8) * all.length)
}, 600_000)

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
