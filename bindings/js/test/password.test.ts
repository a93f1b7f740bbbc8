// Passwords that are kept for a later login.

import { expect, test } from 'vitest'
import {
  calibrate,
  hashPassword,
  hashPasswordSync,
  needsRehash,
  type PasswordCost,
  verifyPassword,
  verifyPasswordSync,
} from '../src/api/password.js'
import { transferring } from './data.js'
import { hastyClock } from './turns.js'

const code = (code: string) => expect.objectContaining({ name: 'SealstoneError', code })
const CHEAP: readonly PasswordCost[] = [
  { algorithm: 'argon2id', memoryKib: 512, passes: 2, lanes: 2 },
  { algorithm: 'argon2i', memoryKib: 1024, passes: 1 },
  { algorithm: 'argon2d', memoryKib: 64, passes: 16 },
  { algorithm: 'scrypt', logN: 9, r: 8, p: 2 },
  { algorithm: 'pbkdf2-sha3-256', iterations: 1000 },
]

/** Hashes of other software, as in core's `password_tests.rs`. */
const OTHERS = [
  ['password', '$argon2id$v=19$m=65536,t=2,p=1$c29tZXNhbHQ$CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc'],
  ['password', '$scrypt$ln=16,r=8,p=1$aM15713r3Xsvxbi31lqr1Q$nFNh2CVHVjNldFVKDHDlm4CbdRSCdEBsjjJxD+iCs5E'],
  ['password', '$pbkdf2-sha256$6400$LAUgJMQY45zTeg.BcE6p1Q$fD5K9aMsYM7wvDGhNd2i.8KaWjL50fsqqYEtuAEJLM8'],
  ['U*U', '$2b$05$CCCCCCCCCCCCCCCCCCCCC.E5YPO9kmyuRGyh0XouQYb4YMJKvyOeW'],
  ['U*U*U', '$2y$05$XXXXXXXXXXXXXXXXXXXXXOAcXxm9kjPGEMsLznoKqmqw7tc8WCx4a'],
] as const

test('what is hashed is verified, and no other password', async () => {
  for (const cost of CHEAP) {
    for (const stored of [await hashPassword('pässword', cost), hashPasswordSync('pässword', cost)]) {
      expect(stored.startsWith(`$${cost.algorithm}$`)).toBe(true)
      expect(await verifyPassword('pässword', stored)).toBeUndefined()
      expect(verifyPasswordSync(new TextEncoder().encode('pässword'), stored)).toBeUndefined()
      for (const other of ['', 'pässwor', 'pässword ', 'passw\u0308ord', 'PÄSSWORD']) {
        await expect(verifyPassword(other, stored)).rejects.toThrow(code('not_authentic'))
        expect(() => verifyPasswordSync(other, stored)).toThrow(code('not_authentic'))
      }
      expect(await hashPassword('pässword', cost)).not.toBe(stored)
      for (const other of CHEAP) expect(needsRehash(stored, other)).toBe(other !== cost)
    }
  }
  expect(await hashPassword('pässword')).toMatch(/^\$argon2id\$v=19\$m=65536,t=3,p=1\$/)
})

test('what other software stored is verified, and is to be made anew', async () => {
  for (const [password, stored] of OTHERS) {
    await verifyPassword(password, stored)
    verifyPasswordSync(password, stored)
    await expect(verifyPassword(`${password}x`, stored)).rejects.toThrow(code('not_authentic'))
    expect(needsRehash(stored)).toBe(true)
  }
})

test('many are computed side by side', async () => {
  const cost: PasswordCost = { algorithm: 'argon2id', memoryKib: 1024, passes: 1 }
  const all = await Promise.all(Array.from({ length: 16 }, (_, i) => hashPassword(`password ${i}`, cost)))
  expect(new Set(all).size).toBe(16)
  await Promise.all(all.map((stored, i) => verifyPassword(`password ${i}`, stored)))
  const failed = await Promise.allSettled(all.map((stored, i) => verifyPassword(`password ${i + 1}`, stored)))
  expect(failed.every(({ status }) => status === 'rejected')).toBe(true)
})

test('a stored text that is not exactly right, or costs too much, is refused before any work', async () => {
  const [salt, hash] = ['c29tc2FsdHNvbWVzYWx0', 'CTFhFdXPJO1aFaMaO6Mm5c8y7cJHAph8ArZWb2GRPPc']
  const good = `$argon2id$v=19$m=64,t=2,p=1$${salt}$${hash}`
  expect(() => verifyPasswordSync('password', good)).toThrow(code('not_authentic'))
  for (const [from, to, expected] of [
    ['$argon2id', 'argon2id', 'invalid_encoding'],
    ['argon2id', 'ARGON2ID', 'unknown_algorithm'],
    ['v=19', 'v=16', 'invalid_encoding'],
    ['p=1', 'p=1,p=1', 'invalid_encoding'],
    ['m=64', 'm=064', 'invalid_encoding'],
    ['m=64', 'm=7', 'invalid_cost'],
    ['m=64', 'm=1048577', 'cost_too_high'],
    ['t=2', 't=17', 'cost_too_high'],
    [salt, 'c29tc2FsdA==', 'invalid_encoding'],
    [salt, 'c29tc2FsdB', 'invalid_encoding'],
    [hash, '', 'invalid_encoding'],
    [hash, `${hash}\n`, 'invalid_encoding'],
    [hash, 'A'.repeat(1_000_000), 'invalid_encoding'],
    [hash, 'é', 'invalid_encoding'],
  ] as const) {
    const stored = good.replace(from, to)
    expect(() => verifyPasswordSync('password', stored), to.slice(0, 99)).toThrow(code(expected))
    await expect(verifyPassword('password', stored), to.slice(0, 99)).rejects.toThrow(code(expected))
    if (expected === 'cost_too_high') expect(needsRehash(stored)).toBe(true)
    else expect(() => needsRehash(stored)).toThrow(code(expected))
  }
  const bcrypt = OTHERS[3][1]
  for (const [to, expected] of [
    ['$2b$03', 'invalid_cost'],
    ['$2b$32', 'invalid_cost'],
    ['$2b$99', 'invalid_cost'],
    ['$2b$17', 'cost_too_high'],
    ['$2x$05', 'unknown_algorithm'],
  ] as const) {
    const stored = bcrypt.replace('$2b$05', to)
    await expect(verifyPassword('U*U', stored)).rejects.toThrow(code(expected))
    if (expected === 'cost_too_high') expect(needsRehash(stored)).toBe(true)
    else expect(() => needsRehash(stored)).toThrow(code(expected))
  }
  // Of two rounds, and 8 GiB for the lanes of them.
  const lanes = `$scrypt$ln=1,r=4194304,p=16$${salt}$${hash}`
  expect(() => verifyPasswordSync('password', lanes)).toThrow(code('cost_too_high'))
  await expect(verifyPassword('password', lanes)).rejects.toThrow(code('cost_too_high'))
  expect(needsRehash(lanes)).toBe(true)
  await expect(verifyPassword('U*U\0', bcrypt)).rejects.toThrow(code('invalid_passphrase'))
  // A high cost is computed when that is asked for.
  const high = good.replace('t=2', 't=17')
  await expect(verifyPassword('password', high, { allowHighCost: true })).rejects.toThrow(code('not_authentic'))
})

test('an empty password, and a cost that would not be verified, are not hashed', async () => {
  await expect(hashPassword('', CHEAP[0])).rejects.toThrow(code('invalid_passphrase'))
  const high: PasswordCost = { algorithm: 'pbkdf2-sha256', iterations: 10_000_001 }
  for (const none of [{ memoryKib: 0 }, { passes: 0 }, { memoryKib: 64, passes: 1 }]) {
    expect(() => needsRehash(OTHERS[0][1], { algorithm: 'argon2id', ...none })).toThrow(code('invalid_cost'))
  }
  expect(() => needsRehash(OTHERS[0][1], high)).toThrow(code('cost_too_high'))
  await expect(hashPassword('password', high)).rejects.toThrow(code('cost_too_high'))
  expect(() => hashPasswordSync('password', { algorithm: 'argon2id', memoryKib: 7 })).toThrow(code('invalid_cost'))
})

test('a cost is calibrated up to its target, and never down', async () => {
  // By it a hash takes five milliseconds, or in WebAssembly so many for each turn.
  const clock = hastyClock()
  const from: PasswordCost = { algorithm: 'pbkdf2-sm3', iterations: 1000 }
  const found = await calibrate(100, from)
  const raised = found.cost as { algorithm: string; iterations: number }
  expect(raised.algorithm).toBe('pbkdf2-sm3')
  expect(found.takesMs).toBeGreaterThan(90)
  expect(found.takesMs).toBeLessThanOrEqual(101)
  expect(raised.iterations).toBeGreaterThan(1000)
  expect(raised.iterations).toBeLessThanOrEqual(10_000_000)
  // The bounds end before the target.
  const most = await calibrate(60_000, { algorithm: 'argon2id', memoryKib: 1024, passes: 1 })
  expect(most.cost).toEqual({ algorithm: 'argon2id', memoryKib: 1024, passes: 16, lanes: 1 })
  expect(most.takesMs).toBeGreaterThan(0)
  expect(most.takesMs).toBeLessThan(30_000)
  const scrypt = await calibrate(1, { algorithm: 'scrypt', logN: 14 })
  expect(scrypt.cost).toEqual({ algorithm: 'scrypt', logN: 14, r: 8, p: 1 })
  expect(scrypt.takesMs).toBeGreaterThan(1)
  clock.mockRestore()
  for (const target of [0, -1, 1.5, 60_001, '250', null]) {
    await expect(calibrate(target as number)).rejects.toThrow(TypeError)
  }
})

test('what is no cost, password, stored text or option is refused, and a signal ends the wait', async () => {
  for (const cost of [null, 5, [], 'argon2id', {}, { algorithm: 5 }, { algorithm: 'argon2id', logN: 3 }]) {
    expect(() => hashPasswordSync('a', cost as never)).toThrow(TypeError)
    expect(() => needsRehash(OTHERS[0][1], cost as never)).toThrow(TypeError)
  }
  for (const algorithm of ['', 'argon2', 'bcrypt', 'pbkdf2', 'pbkdf2-', 'pbkdf2-shake128', 'constructor']) {
    const cost = { algorithm, ...(algorithm.startsWith('argon2') ? {} : { iterations: 1 }) }
    expect(() => hashPasswordSync('a', cost as never), algorithm).toThrow(code('unknown_algorithm'))
  }
  expect(() => hashPasswordSync('a', { algorithm: 'bcrypt', rounds: 12 } as never)).toThrow(code('unknown_algorithm'))
  for (const wrong of [undefined, null, 5, {}]) {
    expect(() => hashPasswordSync(wrong as never, CHEAP[0])).toThrow(TypeError)
    await expect(verifyPassword('a', wrong as never)).rejects.toThrow(TypeError)
  }
  await expect(verifyPassword('a', OTHERS[3][1], { allowHighCost: 1 } as never)).rejects.toThrow(TypeError)
  await expect(verifyPassword('a', '\ud800')).rejects.toThrow(/lone surrogate/)
  const reason = new Error('the reason')
  const ended = { signal: AbortSignal.abort(reason) }
  await expect(hashPassword('a', CHEAP[0], ended)).rejects.toBe(reason)
  await expect(verifyPassword('a', OTHERS[3][1], ended)).rejects.toBe(reason)
})

/** A stored password of these iterations. */
function pbkdf2(iterations: number): string {
  return `$pbkdf2-sha256$i=${iterations},l=32$${'A'.repeat(22)}$${'A'.repeat(43)}`
}

test('PBKDF2 costs 600,000 iterations unless others are said', () => {
  expect(needsRehash(pbkdf2(599_999), { algorithm: 'pbkdf2-sha256' })).toBe(true)
  expect(needsRehash(pbkdf2(600_000), { algorithm: 'pbkdf2-sha256' })).toBe(false)
})

test('what was put on Object.prototype is no cost', () => {
  const polluted = Object.prototype as unknown as Record<string, unknown>
  Object.assign(polluted, { iterations: 1, memoryKib: 8 })
  try {
    expect(needsRehash(pbkdf2(599_999), { algorithm: 'pbkdf2-sha256' })).toBe(true)
    expect(hashPasswordSync('a')).toMatch(/^\$argon2id\$v=19\$m=65536,/)
    expect(needsRehash(OTHERS[0][1])).toBe(true)
  } finally {
    delete polluted.iterations
    delete polluted.memoryKib
  }
})

test.each(['throwIfAborted', 'addEventListener'] as const)(
  'a password that %s of a signal transfers away is not taken for an empty one',
  async (when) => {
    const cost = CHEAP[1] as PasswordCost
    const stored = hashPasswordSync('pässword', cost)
    for (const work of [
      (password: Uint8Array, signal: AbortSignal) => hashPassword(password, cost, { signal }),
      (password: Uint8Array, signal: AbortSignal) => verifyPassword(password, stored, { signal }),
    ]) {
      const password = new TextEncoder().encode('pässword')
      await expect(work(password, transferring(password, when))).rejects.toThrow(/was transferred/)
    }
  },
)
