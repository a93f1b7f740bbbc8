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

export function vectors(folder: 'file' | 'keys'): Vector[] {
  return Object.entries(all.vectors[folder]).map(([name, base64]) => vectorOf(name, base64))
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
