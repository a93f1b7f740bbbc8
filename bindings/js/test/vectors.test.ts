// Every vector of vectors/file and vectors/keys, in every way that this package reads.

import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import {
  type Bytes,
  type DecryptOptions,
  decrypt,
  decryptIntoSync,
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
const ARMOUR = '-----BEGIN SEALSTONE FILE-----'

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
  plaintext: Uint8Array | undefined
}

async function outcome(read: () => Bytes | Promise<Bytes>): Promise<Outcome> {
  try {
    return { code: 'success', message: '', plaintext: await read() }
  } catch (error) {
    if (!(error instanceof SealstoneError)) throw error
    return { code: error.code, message: error.message, plaintext: undefined }
  }
}

async function* pieces(file: Bytes, len: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < file.length; at += len) yield file.subarray(at, at + len)
}

async function collected(parts: AsyncIterable<Uint8Array>): Promise<Bytes> {
  const all: Uint8Array[] = []
  for await (const part of parts) all.push(part)
  return new Uint8Array(Buffer.concat(all))
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
    const isArmoured = Buffer.from(file.subarray(0, ARMOUR.length)).toString() === ARMOUR
    const ways: [string, () => Bytes | Promise<Bytes>][] = []
    if (range === undefined) {
      ways.push(['sync', () => decryptSync(file, options)])
      ways.push(['into', () => decryptIntoSync(file, new Uint8Array(file.length), options)])
      ways.push(['async', () => decrypt(file, options)])
      if (!isArmoured) {
        for (const len of [1 << 20, 16_400, 1000]) {
          ways.push([`stream of ${len}`, () => collected(decrypt(pieces(file, len), options))])
        }
      }
    } else {
      const [start = 0, end = 0] = range.split('..').map(Number)
      ways.push(['range', () => decryptRangeSync(file, start, end, options)])
    }
    const [expected] = values.get('expect') ?? []
    const [released] = values.get('released') ?? []
    const [chunk] = values.get('chunk') ?? []
    for (const [way, read] of ways) {
      const { code, message, plaintext } = await outcome(read)
      readings += 1
      if (code !== expected) faults.push(`${name}, ${way}: ${code} instead of ${expected}`)
      else if (plaintext && createHash('sha256').update(plaintext).digest('hex') !== released) {
        faults.push(`${name}, ${way}: another plaintext`)
      } else if (chunk !== undefined && message !== `chunk ${chunk} is not authentic`) {
        faults.push(`${name}, ${way}: ${message}`)
      }
    }
    for (const identity of identities) identity.destroy()
  }
  expect(faults).toEqual([])
  expect(readings).toBeGreaterThan(5 * all.length)
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
      return new Uint8Array(0)
    })
    if (code !== expected) faults.push(`${name}: ${code} instead of ${expected}`)
    else if (code === 'success' && found.join() !== keys?.join()) faults.push(`${name}: ${found} instead of ${keys}`)
  }
  expect(faults).toEqual([])
}, 600_000)
