// The vectors of vectors/file and vectors/keys, and outcomes of reading one.

import * as all from '#vectors'
import {
  type Bytes,
  type DecryptOptions,
  generateIdentity,
  type Identity,
  identityFromPassphrase,
  importIdentitySync,
  SealstoneError,
} from '../src/api/index.js'
import { concat, fromBase64, textOf, toHex } from './data.js'
import { MEASURES } from './measured.js'

export interface Vector {
  readonly name: string
  /** The lines before the file: names and their values, in order. */
  readonly lines: readonly (readonly [string, string])[]
  readonly file: Bytes
}

/** The keys of vectors/README.md. Those from `archive` on are about members of archives, which are bytes here. */
const KEYS = {
  file: [
    ...[
      'expect',
      'section',
      'comment',
      'identity',
      'identity-pkcs8',
      'passphrase',
      'context',
      'range',
      'chunk',
      'released',
    ],
    ...['archive', 'list', 'extract', 'member', 'data'],
  ],
  keys: ['expect', 'section', 'comment', 'read', 'passphrase', 'key', 'secret'],
}

export function vectors(folder: 'file' | 'keys'): Vector[] {
  return Object.entries(all.vectors[folder]).map(([name, base64]) => {
    const vector = vectorOf(name, base64)
    const unknown = vector.lines.find(([key]) => !KEYS[folder].includes(key))
    if (unknown !== undefined) throw new Error(`${name}: ${unknown[0]} is no key of a vector`)
    return vector
  })
}

export function vectorOf(name: string, base64: string): Vector {
  const bytes = fromBase64(base64)
  const end = bytes.findIndex((byte, i) => byte === 10 && bytes[i + 1] === 10)
  const lines = textOf(bytes.subarray(0, end)).split('\n')
  return {
    name,
    lines: lines.map((line) => line.split(/: (.*)/s, 2) as [string, string]),
    file: bytes.slice(end + 2),
  }
}

export function valuesOf({ lines }: Vector, name: string): string[] {
  return lines.flatMap(([key, value]) => (key === name ? [value] : []))
}

/** Bytes up to the header's stanzas, of which the last four say how long those are; and bytes of its MAC. */
const [START_LEN, MAC_LEN] = [16, 32]

/** The first bytes of a file without its armour, up to its flags or all there are. */
function prefixOf(file: Bytes): Bytes {
  const [, armoured] =
    /^-----BEGIN SEALSTONE FILE-----\r?\n([A-Za-z0-9+/]{16})/.exec(textOf(file.subarray(0, 64))) ?? []
  return armoured === undefined ? file.subarray(0, 12) : fromBase64(armoured)
}

/** The flags of a file of version 2 and a suite that exists; 0 of any other. */
function flagsOf(file: Bytes): number {
  const prefix = prefixOf(file)
  const isVersion2 = toHex(prefix.subarray(0, 9)) === '895345414c0d0a1a02' && prefix.length === 12
  const [suite = 0, high = 0, low = 0] = prefix.subarray(9)
  return isVersion2 && suite >= 1 && suite <= 3 ? (high << 8) | low : 0
}

/** Whether the content of a file is compressed, as far as its flags say. */
export function isCompressed({ file }: Vector): boolean {
  return (flagsOf(file) & 4) !== 0
}

/** A vector as it is for a reader without compression, which is what WebAssembly is. */
export function withoutCompression(vector: Vector): Vector {
  if (!isCompressed(vector)) return vector
  const told = vector.lines.filter(([key]) => !['expect', 'released', 'chunk'].includes(key))
  return { ...vector, lines: [...told, ['expect', 'unsupported_version'], ['released', SHA256_OF_NOTHING]] }
}

/** A vector as it is for the addon's streams, which do not read compressed files yet: they say so of a header that is whole. */
export function inStreams(vector: Vector): Vector {
  const { file } = vector
  const isArmoured = file[0] !== 0x89
  const area = new DataView(new Uint8Array([...file.subarray(12, START_LEN), 0, 0, 0, 0]).buffer).getUint32(0)
  const isWhole = isArmoured || file.length >= START_LEN + area + MAC_LEN
  return isWhole ? withoutCompression(vector) : vector
}

const SHA256_OF_NOTHING = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

/** The keys of a file: identities in the order of their lines, and then the passphrases. */
export function optionsOf(vector: Vector): DecryptOptions & { identities: Identity[] } {
  const identities = vector.lines.flatMap(([key, value]) => {
    if (key === 'identity') return [importIdentitySync(value)]
    return key === 'identity-pkcs8' ? [importIdentitySync(fromBase64(value))] : []
  })
  identities.push(...valuesOf(vector, 'passphrase').map((passphrase) => identityFromPassphrase(passphrase)))
  // None at all is a wrong argument here; this one opens nothing.
  if (identities.length === 0) identities.push(generateIdentity('x25519'))
  const [context] = valuesOf(vector, 'context')
  return { identities, ...(context !== undefined && { context }) }
}

export type Release = (part: Uint8Array) => void

/** A way to read a file, and its name. */
export type Way = readonly [string, (release: Release) => void | Promise<void>]

interface Outcome {
  readonly code: string
  readonly message: string
  /** SHA-256 of all that was released, also before an error. */
  readonly released: string
}

export async function outcome(read: Way[1]): Promise<Outcome> {
  const parts: Uint8Array[] = []
  let [code, message] = ['success', '']
  try {
    await read((part) => void parts.push(part.slice()))
  } catch (error) {
    if (!(error instanceof SealstoneError)) throw error
    code = error.code
    message = error.message
  }
  const released = toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', concat(parts))))
  return { code, message, released }
}

/** The faults of reading a file in these ways; `releases` says which of them give the bytes before a fault. */
export async function faultsOf(
  vector: Vector,
  ways: readonly Way[],
  releases: (way: string) => boolean,
): Promise<string[]> {
  const [expected, released, chunk] = ['expect', 'released', 'chunk'].map((name) => valuesOf(vector, name)[0])
  const faults: string[] = []
  for (const [way, read] of ways) {
    const found = await outcome(read)
    const { code, message } = found
    if (code !== expected) faults.push(`${vector.name}, ${way}: ${code} instead of ${expected}`)
    else if ((code === 'success' || releases(way)) && found.released !== released) {
      faults.push(`${vector.name}, ${way}: other bytes were released`)
    } else if (chunk !== undefined && message !== `chunk ${chunk} is not authentic`) {
      faults.push(`${vector.name}, ${way}: ${message}`)
    }
  }
  return faults
}

/** Reads a stream of these pieces. */
export type Streaming = (parts: Generator<Bytes>, options: DecryptOptions, release: Release) => Promise<void>

/** Lengths of pieces: single bytes, odd ones across the borders of everything, and all at once. */
export const PIECES: readonly (readonly number[])[] = [[1], [7, 16_400, 333, 65_537, 2], [1 << 30]]

/** Whether a vector is read in one way of each kind: all ways are the addon's, and everybody's with SEALSTONE_EXHAUSTIVE=1. */
export const ONCE = Boolean(import.meta.env?.SEALSTONE_ONCE)

/** Longer files are read by single bytes before a release alone: their borders are met by pieces of odd lengths. */
const BY_BYTES_LEN = 20_000

/**
 * Of streams and the lengths of their pieces those in which one vector of many is read: all, but single bytes in one of the streams alone,
 * which another vector has in another one; with `ONCE` one of all.
 */
export function waysOf<T>(streams: readonly T[], vector: number, file: Bytes): (readonly [T, readonly number[]])[] {
  const byBytes = (i: number): boolean => MEASURES || (vector % streams.length === i && file.length <= BY_BYTES_LEN)
  const all = streams.flatMap((stream, i) =>
    PIECES.filter((lengths) => lengths !== PIECES[0] || byBytes(i)).map((lengths) => [stream, lengths] as const),
  )
  return ONCE ? all.filter(([, lengths]) => lengths === PIECES[1]).slice(0, 1) : all
}

/** A file in pieces of these lengths, over and over. */
export function* pieces(file: Bytes, lengths: readonly number[]): Generator<Bytes> {
  for (let [at, i] = [0, 0]; at < file.length; i++) {
    const len = lengths[i % lengths.length] ?? 1
    yield file.subarray(at, at + len)
    at += len
  }
}

export async function releaseAll(parts: AsyncIterable<Uint8Array>, release: Release): Promise<void> {
  for await (const part of parts) release(part)
}

/** Of these the header takes seconds, with which the ways of reading have nothing to do. */
export function isSlow({ name }: Vector): boolean {
  return name.startsWith('attempts_') || name.endsWith('writers_cost')
}
