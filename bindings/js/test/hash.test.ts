// Hash functions: the borrowed vectors, text, encodings, streams, batches, and refused input.

import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, test, vi } from 'vitest'
import {
  createHasher,
  type HashAlgorithm,
  Hasher,
  hash,
  hashAsync,
  hashBatch,
  hashFile,
  hashFileText,
  hashHex,
  hashInto,
  hashStream,
  hashStreamText,
  hashText,
} from '../src/api/hash.js'
import { HASHES } from './modules.js'

const ALL = HASHES as readonly HashAlgorithm[]
const EXTENDABLE: readonly HashAlgorithm[] = ['shake128', 'shake256', 'blake3']
const code = (code: string) => expect.objectContaining({ name: 'SealstoneError', code })
const hexOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex')
const counted = (length: number): Uint8Array => Uint8Array.from({ length }, (_, i) => i % 251)

interface Row {
  readonly algorithm: HashAlgorithm
  readonly message?: string
  readonly pattern?: number
  readonly digest?: string
  readonly seed?: string
  readonly rounds?: readonly string[]
}

test('every borrowed digest', () => {
  const file = new URL('../../../vectors/borrowed/hashes.json', import.meta.url)
  const rows: Row[] = JSON.parse(readFileSync(file, 'utf8'))
  const faults: string[] = []
  const ran = new Set<string>()
  for (const { algorithm, message, pattern, digest, seed, rounds } of rows) {
    ran.add(algorithm)
    if (digest === undefined) {
      const [expected] = rounds as string[]
      if (monteCarlo(algorithm, Buffer.from(seed as string, 'hex')) !== expected) faults.push(`${algorithm}, rounds`)
      continue
    }
    const data = pattern === undefined ? Buffer.from(message as string, 'hex') : counted(pattern)
    const options = EXTENDABLE.includes(algorithm) ? { length: digest.length / 2 } : undefined
    const hasher = createHasher(algorithm)
    for (let at = 0; at < data.length; at += 777) hasher.update(data.subarray(at, at + 777))
    const found = [
      hashHex(algorithm, data, options),
      hexOf(hash(algorithm, data, options)),
      hasher.digest('hex', options),
    ]
    if (found.some((one) => one !== digest)) faults.push(`${algorithm}, ${data.length} bytes`)
    hasher.destroy()
  }
  expect(faults).toEqual([])
  expect([...ran].sort()).toEqual([...ALL].sort())
  expect(rows.length).toBe(1361)
})

/** A round of SHAVS, section 6.4, or of SHA3VS, section 6.2.3. */
function monteCarlo(algorithm: HashAlgorithm, seed: Buffer): string {
  let last: Uint8Array[] = [seed, seed, seed]
  for (let i = 0; i < 1000; i++) {
    const message = algorithm.startsWith('sha3-') ? (last[2] as Uint8Array) : Buffer.concat(last)
    last = [...last.slice(1), hash(algorithm, message)]
  }
  return hexOf(last[2] as Uint8Array)
}

test('text is its UTF-8, however long, and no text that has none', () => {
  const texts = [
    '',
    'a',
    'é',
    '€',
    '😀',
    '\0',
    ...[1015, 1018, 1019, 1020, 1021, 1022, 1023, 1024, 1025, 5000].flatMap(around),
  ]
  for (const text of texts) {
    const bytes = Buffer.from(text)
    const digest = createHash('sha256').update(bytes).digest()
    expect(hashHex('sha256', text)).toBe(digest.toString('hex'))
    expect(hashText('sha256', text, 'base64')).toBe(digest.toString('base64'))
    expect(hashText('sha256', bytes, 'base64url')).toBe(digest.toString('base64url'))
    expect(Buffer.compare(hash('sha256', text), digest)).toBe(0)
    const out = new Uint8Array(40)
    expect(hashInto('sha256', text, out)).toBe(32)
    expect(hexOf(out)).toBe(`${digest.toString('hex')}${'00'.repeat(8)}`)
    expect(createHasher('sha256').update(text).digest('base64')).toBe(digest.toString('base64'))
    expect(hashBatch('sha256', [text, bytes], 'hex')).toEqual([digest.toString('hex'), digest.toString('hex')])
  }
  for (const lone of ['\ud800', 'a\udc00b', `${'x'.repeat(2000)}\ud83d`]) {
    for (const refused of [
      () => hash('sha256', lone),
      () => hashHex('sha256', lone),
      () => hashInto('sha256', lone, new Uint8Array(32)),
      () => createHasher('sha256').update(lone),
      () => hashBatch('sha256', [lone]),
    ]) {
      expect(refused).toThrow(/lone surrogate/)
    }
  }
})

/** Texts of about so many bytes, of characters of each length. */
function around(length: number): string[] {
  return ['a', 'é', '€', '😀'].map((char) => `${char.repeat(Math.floor(length / Buffer.from(char).length))}a`)
}

test('a clone goes on by itself, and so does what it was made of', () => {
  for (const algorithm of ALL) {
    const hasher = createHasher(algorithm).update('attack ')
    const clone = hasher.clone()
    expect(clone).toBeInstanceOf(Hasher)
    expect(clone.algorithm).toBe(algorithm)
    clone.update('at dawn')
    hasher.update('at noon')
    hasher.destroy()
    expect(clone.digest('hex')).toBe(hashHex(algorithm, 'attack at dawn'))
    expect(() => hasher.clone()).toThrow(TypeError)
    clone.destroy()
  }
})

test('batches, streams, parts and files have the digests of the whole', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'sealstone-hash-'))
  try {
    const data = counted(700_001)
    const path = join(folder, 'data')
    writeFileSync(path, data)
    for (const algorithm of ALL) {
      const whole = hexOf(hash(algorithm, data))
      const streams = [
        new Blob([data as Uint8Array<ArrayBuffer>]),
        new Blob([data as Uint8Array<ArrayBuffer>]).stream(),
        Readable.from([data.subarray(0, 3), Buffer.alloc(0), data.subarray(3)]),
      ]
      for (const stream of streams) expect(hexOf(await hashStream(algorithm, stream as Blob))).toBe(whole)
      const seen: number[] = []
      expect(hexOf(await hashAsync(algorithm, data, { onProgress: ({ bytes }) => seen.push(bytes) }))).toBe(whole)
      expect(seen.at(-1)).toBe(data.length)
      expect(hexOf(await hashFile(algorithm, path))).toBe(whole)
      const written = (encoding: BufferEncoding): string => Buffer.from(whole, 'hex').toString(encoding)
      for (const encoding of ['hex', 'base64', 'base64url'] as const) {
        expect(await hashFileText(algorithm, path, encoding)).toBe(written(encoding))
        expect(await hashStreamText(algorithm, new Blob([data as Uint8Array<ArrayBuffer>]), encoding)).toBe(
          written(encoding),
        )
      }
      const items = [data, '', 'abc', data.subarray(5, 6)]
      const each = items.map((item) => hashHex(algorithm, item))
      expect(hashBatch(algorithm, items).map(hexOf)).toEqual(each)
      expect(hashBatch(algorithm, items, 'hex')).toEqual(each)
      expect(hashBatch(algorithm, items, 'base64')).toEqual(
        each.map((hex) => Buffer.from(hex, 'hex').toString('base64')),
      )
      expect([hashBatch(algorithm, []), hashBatch(algorithm, [], 'hex')]).toEqual([[], []])
    }
    for (const algorithm of EXTENDABLE) {
      const long = hexOf(hash(algorithm, data, { length: 500 }))
      expect(hexOf(await hashFile(algorithm, path, { length: 500 }))).toBe(long)
      expect(await hashFileText(algorithm, path, 'hex', { length: 500 })).toBe(long)
      expect(hexOf(await hashAsync(algorithm, data, { length: 500 }))).toBe(long)
      expect(hexOf(await hashStream(algorithm, new Blob([data as Uint8Array<ArrayBuffer>]), { length: 500 }))).toBe(
        long,
      )
      expect(hashHex(algorithm, data, { length: 7 })).toBe(long.slice(0, 14))
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('a stream that fails or is aborted ends the digest with its reason', async () => {
  const reason = new Error('the reason')
  const failing = async function* (): AsyncGenerator<string> {
    yield 'a'
    throw reason
  }
  await expect(hashStream('sha256', failing())).rejects.toBe(reason)
  const signal = AbortSignal.abort(reason)
  await expect(hashStream('sha256', new Blob(['a']), { signal })).rejects.toBe(reason)
  await expect(hashAsync('sha256', 'a', { signal })).rejects.toBe(reason)
  await expect(hashAsync('sha256', new Uint8Array(1 << 21), { signal })).rejects.toBe(reason)
})

test('a length that no digest has is refused', async () => {
  for (const algorithm of ALL) {
    const own = hash(algorithm, '').length
    expect(hash(algorithm, 'abc', { length: own })).toEqual(hash(algorithm, 'abc'))
    for (const length of [1, own - 1, own + 1, 65, 10_000]) {
      const ways = [
        () => hash(algorithm, 'abc', { length }),
        () => hashHex(algorithm, 'abc', { length }),
        () => createHasher(algorithm).digest(undefined, { length }),
        () => createHasher(algorithm).digest('base64', { length }),
      ]
      if (length === own) continue
      if (EXTENDABLE.includes(algorithm)) expect(ways[0]?.()).toHaveLength(length)
      else for (const way of ways) expect(way).toThrow(code('wrong_length'))
    }
    if (EXTENDABLE.includes(algorithm)) continue
    await expect(hashAsync(algorithm, 'abc', { length: own + 1 })).rejects.toThrow(code('wrong_length'))
    await expect(hashStream(algorithm, new Blob([]), { length: own + 1 })).rejects.toThrow(code('wrong_length'))
    await expect(hashFile(algorithm, import.meta.filename, { length: own + 1 })).rejects.toThrow(code('wrong_length'))
    await expect(hashFileText(algorithm, import.meta.filename, 'hex', { length: own + 1 })).rejects.toThrow(
      code('wrong_length'),
    )
  }
  for (const length of [0, -1, 1.5, Number.NaN, 2 ** 31, '32', null]) {
    expect(() => hash('shake256', 'abc', { length: length as number })).toThrow(/length must be a whole number/)
    expect(() => createHasher('shake256').digest('hex', { length: length as number })).toThrow(TypeError)
  }
  // Before it is computed.
  expect(() => hashText('blake3', 'x', 'hex', { length: 268_435_450 })).toThrow(code('too_long'))
  expect(() => createHasher('blake3').digest('hex', { length: 268_435_450 })).toThrow(code('too_long'))
})

test('what is no algorithm, encoding, option or data is refused', async () => {
  for (const name of ['', 'SHA256', 'sha-256', 'md4', 'constructor', '__proto__', 'sha512-224']) {
    for (const way of [
      () => hash(name as HashAlgorithm, ''),
      () => hashHex(name as HashAlgorithm, ''),
      () => createHasher(name as HashAlgorithm),
      () => hashBatch(name as HashAlgorithm, []),
    ]) {
      expect(way).toThrow(code('unknown_algorithm'))
    }
    expect(() => hashText('sha256', '', name as 'hex')).toThrow(code('unknown_algorithm'))
  }
  for (const wrong of [undefined, null, 5, {}, ['sha256'], new String('sha256')]) {
    expect(() => hash(wrong as never, '')).toThrow(TypeError)
    expect(() => hashHex('sha256', wrong as never)).toThrow(TypeError)
    expect(() => hashText('sha256', '', wrong as never)).toThrow(TypeError)
    expect(() => hashBatch('sha256', [wrong as never])).toThrow(TypeError)
    await expect(hashStream('sha256', wrong as never)).rejects.toThrow()
  }
  expect(() => hash('sha256', '', { len: 3 } as never)).toThrow(/unknown option: len/)
  expect(() => hashBatch('sha256', 'abc' as never)).toThrow(/a batch is an array/)
  expect(() => hashInto('sha256', '', new Uint8Array(31))).toThrow(RangeError)
})

test('what is no encoding is refused before a file or a stream is read', async () => {
  const read = vi.fn()
  const source = async function* (): AsyncGenerator<string> {
    read()
    yield 'a'
  }
  for (const [encoding, expected] of [
    ['base58', code('unknown_algorithm')],
    ['base32', code('unknown_algorithm')],
    ['constructor', code('unknown_algorithm')],
    [undefined, expect.objectContaining({ code: 'invalid_argument' })],
    [null, expect.objectContaining({ code: 'invalid_argument' })],
    [{ encoding: 'hex' }, expect.objectContaining({ code: 'invalid_argument' })],
  ] as [never, unknown][]) {
    await expect(hashFileText('sha256', '/nowhere', encoding)).rejects.toEqual(expected)
    await expect(hashStreamText('sha256', source(), encoding)).rejects.toEqual(expected)
  }
  for (const [algorithm, length, expected] of [
    ['blake3', 2 ** 28, code('too_long')],
    ['sha256', 31, code('wrong_length')],
    ['SHA256', undefined, code('unknown_algorithm')],
  ] as [HashAlgorithm, number, unknown][]) {
    await expect(hashFileText(algorithm, '/nowhere', 'hex', { length })).rejects.toEqual(expected)
    await expect(hashStreamText(algorithm, source(), 'hex', { length })).rejects.toEqual(expected)
  }
  // Each option is asked for once.
  const asked = vi.fn(() => 32)
  const options = {
    get length() {
      return asked()
    },
  }
  await hashStreamText('blake3', new Blob(['a']), 'hex', options)
  await expect(hashFileText('blake3', '/nowhere', 'hex', options)).rejects.toEqual(code('io'))
  expect(asked).toHaveBeenCalledTimes(2)
  expect(read).not.toHaveBeenCalled()
  const reason = new Error('the reason')
  await expect(hashStreamText('sha256', source(), 'hex', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
})
