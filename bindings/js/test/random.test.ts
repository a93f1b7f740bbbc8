// Randomness: numbers without bias, UUIDs by their layout, keys, passwords and passphrases, and every refusal.

import { afterEach, expect, test, vi } from 'vitest'
import { passphrase, passphraseEntropy } from '../src/api/passphrase.js'
import {
  generateKey,
  type KeyAlgorithm,
  password,
  passwordEntropy,
  randomBytes,
  randomInt,
  uuid,
  uuidV7,
} from '../src/api/random.js'

const argument = expect.objectContaining({ name: 'TypeError', code: 'invalid_argument' })
const code = (code: string) => expect.objectContaining({ name: 'SealstoneError', code })
const DRAWS = 2 ** 16

afterEach(() => vi.useRealTimers())

/** 1 of a million fair generators exceeds this bound, by chi-square (Wilson and Hilferty's approximation, z = 4.753). */
function fair(counts: readonly number[], what: string): void {
  const expected = counts.reduce((sum, count) => sum + count) / counts.length
  const chiSquare = counts.reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0)
  const freedom = counts.length - 1
  const spread = 2 / (9 * freedom)
  expect(chiSquare, what).toBeLessThan(freedom * (1 - spread + 4.753 * Math.sqrt(spread)) ** 3)
}

const zeros = (length: number): number[] => new Array<number>(length).fill(0)

test('numbers below n have no bias', () => {
  for (const n of [2, 3, 10, 62, 1000]) {
    const counts = zeros(n)
    for (let i = 0; i < DRAWS; i++) (counts[randomInt(n)] as number)++
    fair(counts, `below ${n}`)
  }
})

test('numbers have no bias where a third of all draws is drawn again', () => {
  const n = Math.floor((2 ** 53 / 3) * 2)
  const thirds = zeros(3)
  for (let i = 0; i < DRAWS; i++) {
    const drawn = randomInt(n)
    expect(drawn < n && Number.isSafeInteger(drawn)).toBe(true)
    ;(thirds[Math.min(Math.floor((drawn / n) * 3), 2)] as number)++
  }
  fair(thirds, 'thirds')
})

test('numbers are in their range, which may begin below zero', () => {
  const seen = new Set<number>()
  for (let i = 0; i < 500; i++) seen.add(randomInt(-2, 3))
  expect([...seen].sort((a, b) => a - b)).toEqual([-2, -1, 0, 1, 2])
  expect([randomInt(1), randomInt(7, 8)]).toEqual([0, 7])
  expect(randomInt(Number.MAX_SAFE_INTEGER)).toBeLessThan(Number.MAX_SAFE_INTEGER)
  expect(randomInt(Number.MIN_SAFE_INTEGER, 0)).toBeLessThan(0)
})

test('what is no range is refused', () => {
  for (const below of [0, -1, 1.5, 2 ** 53, Number.NaN, Number.POSITIVE_INFINITY, '5', null, undefined, 5n]) {
    expect(() => randomInt(below as number), String(below)).toThrow(argument)
  }
  for (const [from, below] of [
    [5, 5],
    [6, 5],
    [-1, Number.MAX_SAFE_INTEGER],
    [0.5, 5],
    [2 ** 53, 2 ** 53 + 2],
    [null, 5],
    [5, undefined],
  ]) {
    expect(() => randomInt(from as number, below as number), `${from} ${below}`).toThrow(argument)
  }
})

test('bytes are filled whole, in memory of their own', () => {
  for (const length of [0, 1, 16, 64, 65, 65_536, 65_537, 1_000_000]) {
    const bytes = randomBytes(length)
    expect([bytes.length, bytes.buffer.byteLength]).toEqual([length, length])
    if (length < 1000) continue
    expect(bytes.subarray(-100).some((byte) => byte !== 0)).toBe(true)
    const counts = zeros(256)
    for (const byte of bytes) (counts[byte] as number)++
    fair(counts, `${length} bytes`)
  }
  expect(randomBytes(16)).not.toEqual(randomBytes(16))
  for (const length of [-1, 1.5, 2 ** 31, Number.NaN, '16', null, undefined]) {
    expect(() => randomBytes(length as number), String(length)).toThrow(argument)
  }
})

/** RFC 9562 sections 4 and 5; its example of version 7 in appendix A.6 begins with this time. */
test('UUIDs have their version, variant and time, and all other bits take both values', () => {
  vi.useFakeTimers({ toFake: ['Date'], now: 0x017f22e279b0 })
  const seen = new Set<string>()
  for (const [version, make, fixed] of [
    [4, uuid, [6, 8]],
    [7, uuidV7, [0, 1, 2, 3, 4, 5, 6, 8]],
  ] as const) {
    const [some, every] = [zeros(16), new Array<number>(16).fill(255)]
    for (let i = 0; i < 1000; i++) {
      const text = make()
      expect(text).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-[47][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      expect(text[14]).toBe(String(version))
      if (version === 7) expect(text.slice(0, 14)).toBe('017f22e2-79b0-')
      seen.add(text)
      for (const [at, pair] of (text.replaceAll('-', '').match(/../g) ?? []).entries()) {
        some[at] = (some[at] as number) | Number.parseInt(pair, 16)
        every[at] = (every[at] as number) & Number.parseInt(pair, 16)
      }
    }
    for (let at = 0; at < 16; at++) {
      if (!(fixed as readonly number[]).includes(at)) expect([some[at], every[at]]).toEqual([255, 0])
    }
  }
  expect(seen.size).toBe(2000)
  vi.setSystemTime(2 ** 48 - 1)
  expect(uuidV7().slice(0, 13)).toBe('ffffffff-ffff')
})

test('keys are as long as their algorithms want them', () => {
  const lengths = { 'aes-128-gcm': 16, 'aes-256-gcm': 32, 'aes-192-cbc': 24, 'sm4-xts': 32, 'aes-256-kwp': 32 }
  for (const [name, length] of Object.entries(lengths)) expect(generateKey(name as KeyAlgorithm).length).toBe(length)
  expect(generateKey('hmac-sha512').length).toBe(64)
  expect(generateKey('aes-256-gcm')).not.toEqual(generateKey('aes-256-gcm'))
  for (const name of ['', 'rot13', 'AES-256-GCM', 'toString']) {
    expect(() => generateKey(name as KeyAlgorithm), name).toThrow(code('unknown_algorithm'))
  }
  expect(() => generateKey(undefined as never)).toThrow(argument)
})

test('passwords are of their alphabet alone, without bias', () => {
  expect(password()).toMatch(/^[A-HJ-NP-Za-km-z2-9]{20}$/)
  for (const alphabet of ['01', 'abcdefghijkmnpqrstuvwxyz23456789', 'äöü€🔑x']) {
    const characters = [...alphabet]
    const counts = zeros(characters.length)
    const drawn = [...password({ length: DRAWS, alphabet })]
    expect(drawn.length).toBe(DRAWS)
    for (const character of drawn) (counts[characters.indexOf(character)] as number)++
    fair(counts, alphabet)
  }
  expect(password()).not.toBe(password())
})

test('passphrases are words of the list', () => {
  const words = passphrase({ words: 20_000, separator: ' ' }).split(' ')
  expect(words.length).toBe(20_000)
  // 7,776 words: of 20,000 draws some 7,180 are different ones.
  expect(new Set(words).size).toBeGreaterThan(6900)
  expect(words.every((word) => /^[a-z]{3,9}$|^(drop-down|felt-tip|t-shirt|yo-yo)$/.test(word))).toBe(true)
  expect(
    passphrase()
      .replace(/drop-down|felt-tip|t-shirt|yo-yo/g, 'x')
      .split('-').length,
  ).toBe(6)
  expect(passphrase({ words: 1, separator: '' })).toMatch(/^[a-z-]{3,9}$/)
})

test('entropy is that of the draws', () => {
  expect(passphraseEntropy()).toBeCloseTo(77.549, 3)
  expect(passphraseEntropy(10)).toBeCloseTo(129.248, 3)
  expect(passwordEntropy()).toBeCloseTo(116.658, 3)
  expect(passwordEntropy({ length: 128, alphabet: '01' })).toBe(128)
})

test('what cannot be drawn from is refused', () => {
  for (const alphabet of ['', 'a', 'aa', 'abca', '🔑🔑']) {
    expect(() => password({ alphabet }), alphabet).toThrow(code('invalid_encoding'))
    expect(() => passwordEntropy({ alphabet }), alphabet).toThrow(code('invalid_encoding'))
  }
  for (const alphabet of ['ab\ud800', '\udc00a']) expect(() => password({ alphabet })).toThrow(argument)
  for (const length of [0, -1, 1.5, 65_537, Number.NaN, '5', null]) {
    expect(() => password({ length: length as number }), String(length)).toThrow(argument)
    expect(() => passphrase({ words: length as number }), String(length)).toThrow(argument)
    expect(() => passphraseEntropy(length as number), String(length)).toThrow(argument)
  }
  for (const options of [5, 'x', [], { lenght: 5 }, { alphabet: 5 }]) {
    expect(() => password(options as never), JSON.stringify(options)).toThrow(argument)
  }
  expect(() => passphrase({ separator: 5 } as never)).toThrow(argument)
})
