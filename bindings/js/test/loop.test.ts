// Loops that give the event loop no turn, in which the engine runs no callbacks.

import { constants, PerformanceObserver } from 'node:perf_hooks'
import { expect, test, vi } from 'vitest'
import { aead } from '../src/api/aead.js'
import { createHasher, hash } from '../src/api/hash.js'
import { cipher } from '../src/api/hazmat.js'
import { chunkedKey, encrypt, encryptSync, generateIdentity, identityFromKey, recipientOf } from '../src/api/index.js'
import { pbkdf2 } from '../src/api/kdf.js'
import { sync } from '../src/work/call.js'
import { alive, collect } from './garbage.js'
import { exhaustive, measured } from './measured.js'
import { goesOnElsewhere } from './turns.js'

const key = new Uint8Array(32).fill(7)
/** More than there are numbers for keys and hashers that live at once. */
const MORE_THAN_LIVE = 1_200_000

exhaustive('over a million hashers that nobody destroys are released while a loop makes them', () => {
  for (let i = 0; i < MORE_THAN_LIVE; i++) createHasher('sha256')
})

test('they are released between two turns as well', async () => {
  /** The highest place in use: a number has it in its lower 20 bits. */
  const highest = (): number => {
    const made = Array.from({ length: 20 }, () => sync().identityOfKey(key))
    for (const one of made) sync().release(one)
    return Math.max(...made.map((one) => one & 0xfffff))
  }
  const round = async (): Promise<void> => {
    for (let i = 0; i < 2000; i++) createHasher('sha256')
    collect()
    await new Promise((resolve) => setImmediate(resolve))
  }
  await round()
  const before = highest()
  for (let turn = 0; turn < 20; turn++) await round()
  expect(highest()).toBeLessThan(before + 4000)
})

test('what is alive stays so, and what was destroyed is gone', () => {
  const alive = Array.from({ length: 10_000 }, (_, i) => createHasher('sha256').update(String(i)))
  const destroyed = Array.from({ length: 100 }, () => createHasher('sha256'))
  for (const hasher of destroyed) hasher.destroy()
  for (let i = 0; i < 100_000; i++) createHasher('sha256').update('another')
  for (const [i, hasher] of alive.entries()) expect(hasher.digest()).toEqual(hash('sha256', String(i)))
  for (const hasher of destroyed) expect(() => hasher.digest()).toThrow(/destroyed/)
})

test('results are memory that the engine knows of, and gives back', async () => {
  const [chunked, hasher] = [chunkedKey('aes-256-gcm', key), createHasher('sha256')]
  const mebibyte = new Uint8Array(1 << 20)
  for (const [count, make] of [
    [20, () => chunked.encrypt('', mebibyte) as Uint8Array],
    [20, () => encryptSync(mebibyte, { key })],
    [1000, () => hasher.digest()],
  ] as const) {
    const before = alive('arrayBuffers')
    let held: Uint8Array[] | undefined = Array.from({ length: count }, make)
    const bytes = held.reduce((sum, { length }) => sum + length, 0)
    expect(alive('arrayBuffers') - before).toBeGreaterThanOrEqual(bytes)
    held = undefined
    await new Promise((resolve) => setImmediate(resolve))
    expect(alive('arrayBuffers') - before).toBeLessThan(bytes / 10)
  }
})

test('a result that threads work on stays in memory where the next turn never comes', async () => {
  const held = (): number => alive('arrayBuffers') / 2 ** 20
  const mebibytes = new Uint8Array(3 << 19)
  const before = held()
  vi.stubGlobal('setImmediate', () => undefined)
  try {
    for (let i = 0; i < 50; i++) void encrypt(mebibytes, { key })
    for (let i = 0; i < 100; i++) await undefined
    // No work is known to have ended before the event loop has a turn.
    expect(held() - before).toBeGreaterThan(70)
  } finally {
    vi.unstubAllGlobals()
  }
  await vi.waitUntil(() => held() - before < 10, { timeout: 240_000, interval: 100 })
})

/** The result, unless `make` throws. */
function tried<T>(make: () => T): T | undefined {
  try {
    return make()
  } catch {
    return undefined
  }
}

test('keys of passwords are derived elsewhere: the loop has its turns meanwhile', async () => {
  const derive = () => pbkdf2('sm3', 'password', 'salt', { iterations: 200_000 })
  expect(await goesOnElsewhere(20, () => Promise.all(Array.from({ length: 4 }, derive)))).toHaveLength(4)
})

const mebibytes = (): number => process.memoryUsage().rss / 2 ** 20

/** How much memory the process takes the more for work that is done many times at once. */
function growth(times: number, work: () => unknown): number {
  for (let i = 0; i < times / 20; i++) work()
  const before = mebibytes()
  let most = 0
  for (let i = 0; i < times; i++) {
    work()
    if (i % 4096 === 0) most = Math.max(most, mebibytes())
  }
  return most - before
}

measured('loops that make keys and results take little memory of the machine', () => {
  const [chunked, hasher, mebibyte] = [chunkedKey('aes-256-gcm', key), createHasher('sha256'), new Uint8Array(1 << 20)]
  const works: [string, number, number, () => unknown][] = [
    // Of 350 bytes and more each: 700 MB of them at once.
    ['hashers', 300, MORE_THAN_LIVE, () => createHasher('blake3')],
    ['aead', 300, 100_000, () => aead('aes-256-gcm', key)],
    ['cipher', 300, 100_000, () => cipher('sm4-cbc', key.subarray(16))],
    ['chunkedKey', 300, 100_000, () => chunkedKey('aes-256-gcm', key)],
    ['recipientOf', 300, 100_000, () => recipientOf(identityFromKey(key))],
    ['generateIdentity', 200, 10_000, () => generateIdentity('key')],
    ['chunks', 500, 1000, () => chunked.encrypt('', mebibyte)],
    ['files', 500, 1000, () => encryptSync(mebibyte, { key })],
    ['digests', 200, 500_000, () => hasher.digest()],
  ]
  const grown = works.map(([name, bar, times, work]): [string, number, number] => [name, bar, growth(times, work)])
  console.log('MiB more:', Object.fromEntries(grown.map(([name, , mebibytes]) => [name, Math.round(mebibytes)])))
  for (const [name, bar, mebibytes] of grown) expect(mebibytes, name).toBeLessThan(bar)
})

measured('the engine collects for what keys take outside of it', async () => {
  let collections = 0
  const observer = new PerformanceObserver((list) => {
    const kinds = list.getEntries().map((entry) => (entry as { detail?: { kind?: number } }).detail?.kind)
    collections += kinds.filter((kind) => kind !== constants.NODE_PERFORMANCE_GC_MINOR).length
  })
  observer.observe({ entryTypes: ['gc'] })
  const during = async (make: () => unknown): Promise<number> => {
    await new Promise((resolve) => setTimeout(resolve, 50))
    collections = 0
    const made = Array.from({ length: 300_000 }, make)
    await new Promise((resolve) => setTimeout(resolve, 200))
    expect(made).toHaveLength(300_000)
    return collections
  }
  // Their gigabyte is not in the engine's heap, where it has as little of it as of those that have nothing outside.
  const without = await during(() => ({ one: {}, more: [1, 2, 3] }))
  expect(await during(() => createHasher('blake3'))).toBeGreaterThan(without)
  observer.disconnect()
})

// The last one, since a million numbers are free after it.
exhaustive(
  'at the limit of live keys an error says so, at once, and when they are dropped new ones are made',
  async () => {
    let live: unknown[] = []
    const fill = () => {
      while (true) live.push(aead('aes-256-gcm', key))
    }
    const full = expect.objectContaining({ name: 'SealstoneError', code: 'too_many_objects' })
    expect(fill).toThrow(full)
    expect(live.length).toBeGreaterThan(1_000_000)
    // Each of them used to look through a million keys, and ten thousand would outlast the limit of this test.
    for (let i = 0; i < 10_000; i++) expect(() => aead('aes-256-gcm', key)).toThrow(full)
    const destroyed = live.pop() as ReturnType<typeof aead>
    destroyed.destroy()
    live.push(aead('aes-256-gcm', key))
    live = []
    const made = await vi.waitUntil(
      () => {
        collect()
        return tried(() => aead('aes-256-gcm', key))
      },
      { timeout: 240_000, interval: 100 },
    )
    expect(made.seal(key.subarray(0, 12), undefined, '')).toHaveLength(16)
  },
)
