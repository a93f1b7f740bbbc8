// Loops that give the event loop no turn, in which the engine calls nobody back.

import { constants, PerformanceObserver } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test, vi } from 'vitest'
import { aead } from '../src/aead.js'
import { createHasher, hash } from '../src/hash.js'
import { cipher } from '../src/hazmat.js'
import {
  chunkedKey,
  decryptSync,
  encrypt,
  encryptSync,
  generateIdentity,
  identityFromKey,
  recipientOf,
} from '../src/index.js'
import { pbkdf2 } from '../src/kdf.js'

const key = new Uint8Array(32).fill(7)
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

test('over a million keys and hashers that nobody destroys are released while a loop makes them', () => {
  // More than there are numbers for, each of 350 bytes and more: 700 MB of them at once.
  const made = growth(1_200_000, () => createHasher('blake3'))
  expect(made).toBeLessThan(300)
  expect(growth(100_000, () => aead('aes-256-gcm', key))).toBeLessThan(300)
  expect(growth(100_000, () => cipher('sm4-cbc', key.subarray(16)))).toBeLessThan(300)
  expect(growth(100_000, () => chunkedKey('aes-256-gcm', key))).toBeLessThan(300)
  expect(growth(100_000, () => recipientOf(identityFromKey(key)))).toBeLessThan(300)
}, 300_000)

test('what is alive stays so, and what was destroyed is gone', () => {
  const alive = Array.from({ length: 10_000 }, (_, i) => createHasher('sha256').update(String(i)))
  const destroyed = Array.from({ length: 100 }, () => createHasher('sha256'))
  for (const hasher of destroyed) hasher.destroy()
  for (let i = 0; i < 100_000; i++) createHasher('sha256').update('another')
  for (const [i, hasher] of alive.entries()) expect(hasher.digest()).toEqual(hash('sha256', String(i)))
  for (const hasher of destroyed) expect(() => hasher.digest()).toThrow(/destroyed/)
})

test('keys are released between two turns as well', async () => {
  const before = mebibytes()
  for (let turn = 0; turn < 50; turn++) {
    for (let i = 0; i < 200; i++) generateIdentity('key')
    await new Promise((resolve) => setImmediate(resolve))
  }
  const identity = identityFromKey(key)
  expect(decryptSync(encryptSync('attack at dawn', { recipients: recipientOf(identity) }), { key })).toHaveLength(14)
  expect(mebibytes() - before).toBeLessThan(200)
})

test('the engine is told what keys take, and collects for it', async () => {
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

test('results of a loop are memory that the engine gives back in it', () => {
  const [chunked, hasher] = [chunkedKey('aes-256-gcm', key), createHasher('sha256')]
  const mebibyte = new Uint8Array(1 << 20)
  expect(growth(1000, () => chunked.encrypt('', mebibyte))).toBeLessThan(500)
  expect(growth(1000, () => encryptSync(mebibyte, { key }))).toBeLessThan(500)
  expect(growth(500_000, () => hasher.digest())).toBeLessThan(200)
}, 120_000)

test('a result that threads work on stays in memory where the next turn never comes', async () => {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  const held = (): number => {
    collect()
    collect()
    return process.memoryUsage().arrayBuffers / 2 ** 20
  }
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
  await vi.waitUntil(() => held() - before < 10, { timeout: 30_000, interval: 100 })
})

// The last one, since a million numbers are free after it.
test('at the limit of live keys an error says so, at once, and when they are dropped new ones are made', async () => {
  let alive: unknown[] = []
  const fill = () => {
    while (true) alive.push(aead('aes-256-gcm', key))
  }
  const full = expect.objectContaining({ name: 'SealstoneError', code: 'too_many_objects' })
  expect(fill).toThrow(full)
  expect(alive.length).toBeGreaterThan(1_000_000)
  const begun = performance.now()
  for (let i = 0; i < 1000; i++) expect(() => aead('aes-256-gcm', key)).toThrow(full)
  // Each of them looked through a million: two minutes and more.
  expect(performance.now() - begun).toBeLessThan(30_000)
  const destroyed = alive.pop() as ReturnType<typeof aead>
  destroyed.destroy()
  alive.push(aead('aes-256-gcm', key))
  alive = []
  // Nothing here fills the engine's own memory, for which it would collect garbage.
  const made = await vi.waitUntil(() => tried(() => aead('aes-256-gcm', key)), { timeout: 60_000, interval: 100 })
  expect(made.seal(key.subarray(0, 12), undefined, '')).toHaveLength(16)
}, 300_000)

/** What was made, if it was. */
function tried<T>(make: () => T): T | undefined {
  try {
    return make()
  } catch {
    return undefined
  }
}

test('keys of passwords are derived elsewhere: the loop has its turns meanwhile', async () => {
  let turns = 0
  let isDone = false
  const all = Promise.all(Array.from({ length: 4 }, () => pbkdf2('sm3', 'password', 'salt', { iterations: 200_000 })))
  void all.then(() => {
    isDone = true
  })
  while (!isDone) {
    await new Promise((resolve) => setImmediate(resolve))
    turns++
  }
  expect(await all).toHaveLength(4)
  expect(turns).toBeGreaterThan(20)
})
