// Every vector of vectors/file and vectors/keys, in every way that this package reads.

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { Readable, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { expect, test } from 'vitest'
import {
  type Bytes,
  type DecryptOptions,
  decrypt,
  decryptIntoSync,
  decryptionStream,
  decryptRangeSync,
  decryptSync,
  generateIdentity,
  type Identity,
  identityFromPassphrase,
  importIdentities,
  importIdentitySync,
  importRecipients,
  recipientOf,
  SealstoneError,
} from '../src/index.js'

const VECTORS = new URL('../../../vectors/', import.meta.url)

interface Vector {
  readonly name: string
  readonly values: Map<string, string[]>
  readonly file: Bytes
}

function vectors(folder: string): Vector[] {
  const names = readdirSync(new URL(`${folder}/`, VECTORS)).sort()
  return names.map((name) => {
    const bytes = new Uint8Array(readFileSync(new URL(`${folder}/${name}`, VECTORS)))
    const end = Buffer.from(bytes.buffer).indexOf('\n\n')
    const values = new Map<string, string[]>()
    for (const line of Buffer.from(bytes.subarray(0, end)).toString().split('\n')) {
      const at = line.indexOf(': ')
      const key = line.slice(0, at)
      values.set(key, [...(values.get(key) ?? []), line.slice(at + 2)])
    }
    return { name, values, file: bytes.slice(end + 2) }
  })
}

/** The identities in the order of their lines, and then the passphrases. */
function identitiesOf(vector: Vector, lines: string): Identity[] {
  const identities: Identity[] = []
  for (const line of lines.split('\n')) {
    const at = line.indexOf(': ')
    const [key, value] = [line.slice(0, at), line.slice(at + 2)]
    if (key === 'identity') identities.push(importIdentitySync(value))
    if (key === 'identity-pkcs8') identities.push(importIdentitySync(Buffer.from(value, 'base64')))
  }
  for (const passphrase of vector.values.get('passphrase') ?? []) identities.push(identityFromPassphrase(passphrase))
  // None at all is a wrong argument here; this one opens nothing.
  if (identities.length === 0) identities.push(generateIdentity('x25519'))
  return identities
}

interface Outcome {
  code: string
  message: string
  /** SHA-256 of all that was released, also before an error. */
  released: string
}

type Release = (part: Uint8Array) => void

async function outcome(read: (release: Release) => void | Promise<void>): Promise<Outcome> {
  const hash = createHash('sha256')
  let [code, message] = ['success', '']
  try {
    await read((part) => void hash.update(part))
  } catch (error) {
    if (!(error instanceof SealstoneError)) throw error
    code = error.code
    message = error.message
  }
  return { code, message, released: hash.digest('hex') }
}

/** A file in pieces of these lengths, over and over. */
function* pieces(file: Bytes, lengths: readonly number[]): Generator<Bytes> {
  for (let [at, i] = [0, 0]; at < file.length; i++) {
    const len = lengths[i % lengths.length] ?? 1
    yield file.subarray(at, at + len)
    at += len
  }
}

function webStream(parts: Generator<Bytes>): ReadableStream<Bytes> {
  return new ReadableStream({
    pull(controller) {
      const { done, value } = parts.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
  })
}

async function releaseAll(parts: AsyncIterable<Uint8Array>, release: Release): Promise<void> {
  for await (const part of parts) release(part)
}

async function releaseRead(stream: ReadableStream<Uint8Array>, release: Release): Promise<void> {
  const reader = stream.getReader()
  for (let next = await reader.read(); !next.done; next = await reader.read()) release(next.value)
}

type Streaming = (parts: Generator<Bytes>, options: DecryptOptions, release: Release) => Promise<void>

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
  ['Web stream', (parts, options, release) => releaseRead(decrypt(webStream(parts), options), release)],
  [
    'Web streams in a row',
    (parts, options, release) => releaseRead(webStream(parts).pipeThrough(decryptionStream(options)), release),
  ],
  ['Blob', (parts, options, release) => releaseRead(decrypt(new Blob([...parts]), options), release)],
]

/** Lengths of pieces: single bytes, odd ones across the borders of everything, and all at once. */
const PIECES: readonly (readonly number[])[] = [[1], [7, 16_400, 333, 65_537, 2], [1 << 30]]

/** Of these the header takes seconds, with which the ways of reading have nothing to do. */
function isSlow(name: string): boolean {
  return name.startsWith('attempts_') || name === 'passphrase_writers_cost'
}

test('every vector of files gives its verdict in every way of reading', async () => {
  const all = vectors('file')
  expect(all.length).toBeGreaterThanOrEqual(874)
  const faults: string[] = []
  let readings = 0
  for (const vector of all) {
    const { name, values, file } = vector
    const header = Buffer.from(readFileSync(new URL(`file/${name}`, VECTORS)))
    const identities = identitiesOf(vector, header.subarray(0, header.indexOf('\n\n')).toString())
    const [context] = values.get('context') ?? []
    const options: DecryptOptions = { identities, ...(context !== undefined && { context }) }
    const [range] = values.get('range') ?? []
    const whole: [string, (release: Release) => void | Promise<void>][] = []
    const streamed: typeof whole = []
    if (range === undefined) {
      whole.push(['sync', (release) => release(decryptSync(file, options))])
      whole.push(['into', (release) => release(decryptIntoSync(file, new Uint8Array(file.length), options))])
      whole.push(['async', async (release) => release(await decrypt(file, options))])
      for (const [form, read] of STREAMS) {
        // How a Blob is read is not for us to say.
        for (const lengths of form === 'Blob' ? PIECES.slice(-1) : PIECES) {
          streamed.push([`${form} by ${lengths}`, (release) => read(pieces(file, lengths), options, release)])
        }
      }
    } else {
      const [start = 0, end = 0] = range.split('..').map(Number)
      whole.push(['range', (release) => release(decryptRangeSync(file, start, end, options))])
    }
    const ways = isSlow(name) ? [...whole.slice(0, 1), ...streamed.slice(1, 2)] : [...whole, ...streamed]
    const [expected] = values.get('expect') ?? []
    const [released] = values.get('released') ?? []
    const [chunk] = values.get('chunk') ?? []
    for (const [way, read] of ways) {
      const found = await outcome(read)
      const { code, message } = found
      readings += 1
      if (code !== expected) faults.push(`${name}, ${way}: ${code} instead of ${expected}`)
      else if ((code === 'success' || streamed.some(([name]) => name === way)) && found.released !== released) {
        faults.push(`${name}, ${way}: other bytes were released`)
      } else if (chunk !== undefined && message !== `chunk ${chunk} is not authentic`) {
        faults.push(`${name}, ${way}: ${message}`)
      }
    }
    for (const identity of identities) identity.destroy()
  }
  expect(faults).toEqual([])
  expect(readings).toBeGreaterThan(15 * all.length)
}, 600_000)

test('every vector of key files is read as it says', async () => {
  const all = vectors('keys')
  expect(all.length).toBeGreaterThanOrEqual(648)
  const faults: string[] = []
  for (const { name, values, file } of all) {
    const [read] = values.get('read') ?? []
    const [expected] = values.get('expect') ?? []
    const [passphrase] = values.get('passphrase') ?? []
    const keys = values.get('key')
    let found: string[] = []
    const { code } = await outcome(async () => {
      const recipients =
        read === 'recipients'
          ? await importRecipients(file)
          : (await importIdentities(file, passphrase === undefined ? {} : { passphrase })).map(recipientOf)
      found = recipients.map((recipient) => `${recipient.kind} ${recipient.fingerprint}`)
    })
    if (code !== expected) faults.push(`${name}: ${code} instead of ${expected}`)
    else if (code === 'success' && found.join() !== keys?.join()) faults.push(`${name}: ${found} instead of ${keys}`)
  }
  expect(faults).toEqual([])
}, 600_000)
