// Keys of secrets and passwords: vectors, calls at once and by promises, the cache, and refused input.

import { expect, test, vi } from 'vitest'
import { wycheproof } from '#wycheproof'
import * as kdf from '../src/api/kdf.js'
import { bulk, sync } from '../src/work/call.js'
import { compare, fromBase64, fromHex, pattern, randomBytes, toHex, transferring } from './data.js'

const code = (code: string) => expect.objectContaining({ name: 'SealstoneError', code })
const CHEAP = { memoryKib: 64, passes: 1 }

test.each(['sha1', 'sha256', 'sha384', 'sha512'] as const)('every HKDF-%s of Wycheproof', (hash) => {
  let [right, tooLong] = [0, 0]
  for (const { tests } of wycheproof[`hkdf_${hash}`]?.testGroups ?? []) {
    for (const { tcId, result, size, okm, ...hex } of tests) {
      const [ikm, salt, info] = [fromHex(hex.ikm), fromHex(hex.salt), fromHex(hex.info)]
      const derive = () => kdf.hkdf(hash, ikm, { salt, info, length: size })
      if (result === 'invalid') {
        expect(derive, `${tcId}`).toThrow(code('too_long'))
        tooLong++
      } else {
        expect(toHex(derive()), `${tcId}`).toBe(okm)
        expect(toHex(kdf.hkdfExpand(hash, kdf.hkdfExtract(hash, salt, ikm), info, size)), `${tcId}`).toBe(okm)
        right++
      }
    }
  }
  expect(right).toBeGreaterThanOrEqual(75)
  expect(tooLong).toBeGreaterThanOrEqual(1)
})

test('every PBKDF2 of Wycheproof, at once and later', async () => {
  let [ran, tooHigh] = [0, 0]
  for (const hash of ['sha1', 'sha224', 'sha256', 'sha384', 'sha512'] as const) {
    for (const { tests } of wycheproof[`pbkdf2_hmac${hash}`]?.testGroups ?? []) {
      for (const { tcId, result, password, salt, iterationCount, dkLen, dk } of tests) {
        expect(result).not.toBe('invalid')
        const [text, salted] = [fromHex(password), fromHex(salt)]
        const options = { iterations: iterationCount, length: dkLen }
        if (iterationCount > 10_000_000) {
          await expect(kdf.pbkdf2(hash, text, salted, options)).rejects.toThrow(code('cost_too_high'))
          tooHigh++
          continue
        }
        expect(toHex(kdf.pbkdf2Sync(hash, text, salted, options)), `${hash} ${tcId}`).toBe(dk)
        expect(toHex(await kdf.pbkdf2(hash, text, salted, options)), `${hash} ${tcId}`).toBe(dk)
        ran++
      }
    }
  }
  // Those with more iterations Rust computes.
  expect([ran, tooHigh]).toEqual([298 - tooHigh, expect.any(Number)])
  expect(tooHigh).toBeLessThan(10)
})

test('RFC 5869, 7518, 7914 and 9106 have these, and BLAKE3', async () => {
  const key = kdf.hkdfExtract('sha256', pattern(13), new Uint8Array(22).fill(0x0b))
  expect(toHex(key)).toBe('077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5')
  const jose = Uint8Array.from('\0\0\0\x07A128GCM\0\0\0\x05Alice\0\0\0\x03Bob\0\0\0\x80', (c) => c.charCodeAt(0))
  const shared = fromHex('9e56d91d817135d372834283bf84269cfb316ea3da806a48f6daa7798cfe90c4')
  expect(compare(kdf.concatKdf('sha256', shared, jose, 16), fromBase64('VqqN6vgjbSBcIijNcacQGg=='))).toBe(0)
  const context = 'BLAKE3 2019-12-27 16:29:52 test vectors context'
  expect(toHex(kdf.blake3DeriveKey(context, new Uint8Array(1)))).toBe(
    'b3e2e340a117a499c6cf2398a19ee0d29cca2bb7404c73063382693bf66cb06c',
  )
  expect(toHex(await kdf.scrypt('pleaseletmein', 'SodiumChloride', { logN: 14, r: 8, p: 1, length: 64 }))).toBe(
    '7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887',
  )
  const [password, salt] = [new Uint8Array(32).fill(1), new Uint8Array(16).fill(2)]
  const [secret, associatedData] = [new Uint8Array(8).fill(3), new Uint8Array(12).fill(4)]
  const options = { memoryKib: 32, passes: 3, lanes: 4, secret, associatedData }
  for (const [variant, sync, expected] of [
    [kdf.argon2d, kdf.argon2dSync, '512b391b6f1162975371d30919734294f868e3be3984f3c1a13a4db9fabe4acb'],
    [kdf.argon2i, kdf.argon2iSync, 'c814d9d1dc7f37aa13f0d77f2494bda1c8de6b016dd388d29952a4c4672b6ce8'],
    [kdf.argon2id, kdf.argon2idSync, '0d640df58d78766c08c037a34a8b53c9d01ef0452d75b65eb52520e96b01e659'],
  ] as const) {
    expect(toHex(await variant(password, salt, options))).toBe(expected)
    expect(toHex(sync(password, salt, options))).toBe(expected)
  }
})

test('what is promised is what is answered at once, many side by side, and the caller’s memory is its own again', async () => {
  const salts = Array.from({ length: 8 }, () => randomBytes(16))
  const password = randomBytes(20)
  const kept = password.slice()
  const promises = salts.flatMap((salt) => [
    kdf.argon2id(password, salt, { ...CHEAP, length: 100 }),
    kdf.scrypt(password, salt, { logN: 4 }),
    kdf.pbkdf2('sha256', password, salt, { iterations: 100 }),
    kdf.pbkdf2('sm3', password, salt, { iterations: 10, length: 1 }),
    kdf.pbkdf2('sha512', '', salt, { iterations: 2, length: 65 }),
  ])
  const at = salts.map((salt) => salt.slice())
  password.fill(0)
  for (const salt of salts) salt.fill(0)
  const found = (await Promise.all(promises)).map(toHex)
  const expected = at.flatMap((salt) => [
    kdf.argon2idSync(kept, salt, { ...CHEAP, length: 100 }),
    kdf.scryptSync(kept, salt, { logN: 4 }),
    kdf.pbkdf2Sync('sha256', kept, salt, { iterations: 100 }),
    kdf.pbkdf2Sync('sm3', kept, salt, { iterations: 10, length: 1 }),
    kdf.pbkdf2Sync('sha512', '', salt, { iterations: 2, length: 65 }),
  ])
  expect(found).toEqual(expected.map(toHex))
})

/** `hashlib.pbkdf2_hmac('sha256', b'password', b'salt', 600_000)` of Python. */
const USUAL = '669cfe52482116fda1aa2cbe409b2f56c8e4563752b7a28f6eaab614ee005178'

test('PBKDF2 has 600,000 iterations unless others are said, as in the command line', async () => {
  expect(toHex(kdf.pbkdf2Sync('sha256', 'password', 'salt'))).toBe(USUAL)
  expect(toHex(await kdf.pbkdf2('sha256', 'password', 'salt', {}))).toBe(USUAL)
})

test('a signal ends the wait with its reason, before the work and while it goes on', async () => {
  const reason = new Error('the reason')
  const ended = { signal: AbortSignal.abort(reason) }
  await expect(kdf.argon2id('a', 'some salt', { ...CHEAP, ...ended })).rejects.toBe(reason)
  await expect(kdf.pbkdf2('sha256', 'a', 'b', { iterations: 1, ...ended })).rejects.toBe(reason)
  const controller = new AbortController()
  const waiting = Array.from({ length: 4 }, () =>
    kdf.pbkdf2('sm3', 'a', 'b', { iterations: 20_000, signal: controller.signal }),
  )
  controller.abort(reason)
  const settled = await Promise.allSettled(waiting)
  expect(settled).toEqual(settled.map(() => ({ status: 'rejected', reason })))
  // Work that waited is not begun, and later work is.
  expect(await kdf.pbkdf2('sm3', 'a', 'b', { iterations: 1 })).toHaveLength(32)
})

test('a cache gives the same key at once, to the same request alone, and for its time', async () => {
  let now = 5000.5
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now)
  const calls = bulk()
  const { deriveLater } = calls
  let derived = 0
  calls.deriveLater = (...of) => {
    derived++
    return deriveLater(...of)
  }
  try {
    const cache = kdf.createKeyCache({ entries: 2, lifetimeMs: 1000 })
    expect(cache).toBeInstanceOf(kdf.KeyCache)
    const expected = toHex(kdf.pbkdf2Sync('sha256', 'a', 'salt', { iterations: 10 }))
    const ask = async (password: string): Promise<boolean> => {
      const before = derived
      const key = toHex(await cache.pbkdf2('sha256', password, 'salt', { iterations: 10 }))
      if (password === 'a') expect(key).toBe(expected)
      return derived > before
    }
    expect([await ask('a'), await ask('a')]).toEqual([true, false])
    now += 999
    expect(await ask('a')).toBe(false)
    now += 1
    expect([await ask('a'), await ask('a')]).toEqual([true, false])
    // The last used stay.
    expect([await ask('b'), await ask('a'), await ask('c'), await ask('a'), await ask('b')]).toEqual([
      true,
      false,
      true,
      false,
      true,
    ])
    cache.clear()
    expect(await ask('a')).toBe(true)
    cache.destroy()
    await expect(ask('a')).rejects.toThrow(/the cache was destroyed/)
  } finally {
    calls.deriveLater = deriveLater
    clock.mockRestore()
  }
})

test('a cache answers at once, and has what it promised before', async () => {
  const cache = kdf.createKeyCache()
  const options = { iterations: 1000 }
  const one = cache.pbkdf2Sync('sha256', 'a password', 'some salt', options)
  expect(one).toEqual(kdf.pbkdf2Sync('sha256', 'a password', 'some salt', options))
  expect(await cache.pbkdf2('sha256', 'a password', 'some salt', options)).toEqual(one)
  const calls = sync()
  const { derive } = calls
  const derived = vi.fn(derive)
  calls.derive = derived
  try {
    const another = { iterations: 1001 }
    const first = cache.pbkdf2Sync('sha256', 'a password', 'some salt', another)
    expect(cache.pbkdf2Sync('sha256', 'a password', 'some salt', another)).toEqual(first)
    expect(derived).toHaveBeenCalledTimes(1)
  } finally {
    calls.derive = derive
  }
  expect(() => cache.pbkdf2Sync('sha256', 'a password', 'some salt', { iterations: 2 ** 31 })).toThrow(
    expect.objectContaining({ code: 'cost_too_high' }),
  )
  cache.destroy()
  expect(() => cache.pbkdf2Sync('sha256', 'a password', 'some salt', options)).toThrow(TypeError)
})

test('a key that is too old goes although nobody asks, by a timer that is there only as long as keys are', async () => {
  let now = 5000
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now)
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const calls = bulk()
  const { deriveLater } = calls
  const derived = vi.fn(deriveLater)
  calls.deriveLater = derived
  const pass = (ms: number): void => {
    now += ms
    vi.advanceTimersByTime(ms)
  }
  try {
    const cache = kdf.createKeyCache({ lifetimeMs: 1000 })
    const ask = (password: string) => cache.pbkdf2('sha256', password, 'salt', { iterations: 10 })
    expect(vi.getTimerCount()).toBe(0)
    await ask('a')
    pass(600)
    await ask('b')
    expect(vi.getTimerCount()).toBe(1)
    pass(400)
    // A clock that goes back shows which keys are left: the second alone.
    now -= 400
    await ask('b')
    expect(derived).toHaveBeenCalledTimes(2)
    await ask('a')
    expect(derived).toHaveBeenCalledTimes(3)
    now += 400
    expect(vi.getTimerCount()).toBe(1)
    pass(1000)
    expect(vi.getTimerCount()).toBe(0)
    now -= 1000
    await ask('b')
    expect(derived).toHaveBeenCalledTimes(4)
    cache.clear()
    expect(vi.getTimerCount()).toBe(0)
    await ask('b')
    cache.destroy()
    expect(vi.getTimerCount()).toBe(0)
    // A time that no timer of an engine waits for.
    const begun = vi.spyOn(globalThis, 'setTimeout')
    const long = kdf.createKeyCache({ lifetimeMs: Number.MAX_SAFE_INTEGER })
    await long.pbkdf2('sha256', 'a', 'salt', { iterations: 10 })
    expect(begun).toHaveBeenCalledWith(expect.any(Function), 2 ** 31 - 1)
    pass(2 ** 31 - 1)
    expect(begun).toHaveBeenCalledTimes(2)
    long.destroy()
    begun.mockRestore()
  } finally {
    calls.deriveLater = deriveLater
    vi.useRealTimers()
    clock.mockRestore()
  }
  const timers = vi.spyOn(globalThis, 'setTimeout')
  const cache = kdf.createKeyCache()
  await cache.pbkdf2('sha256', 'a', 'salt', { iterations: 10 })
  const kept: unknown = timers.mock.results.at(-1)?.value
  timers.mockRestore()
  // In Node it keeps no process alive; where it is a number nothing does.
  expect(typeof kept === 'number' || (kept as NodeJS.Timeout).hasRef()).toBe(typeof kept === 'number')
  cache.destroy()
})

test('every part of a request has a key of its own in a cache', async () => {
  const cache = kdf.createKeyCache()
  const requests = [
    () => cache.argon2id('ab', 'c of salt', CHEAP),
    () => cache.argon2i('ab', 'c of salt', CHEAP),
    () => cache.argon2d('ab', 'c of salt', CHEAP),
    () => cache.argon2id('a', 'bc of salt', CHEAP),
    () => cache.argon2id('ab', 'c of salt', { ...CHEAP, passes: 2 }),
    () => cache.argon2id('ab', 'c of salt', { ...CHEAP, secret: 'd' }),
    () => cache.argon2id('ab', 'c of salt', { ...CHEAP, associatedData: 'd' }),
    () => cache.argon2id('ab', 'c of salt', { ...CHEAP, length: 33 }),
    () => cache.scrypt('ab', 'c', { logN: 4 }),
    () => cache.pbkdf2('sha256', 'ab', 'c', { iterations: 1 }),
    () => cache.pbkdf2('sha512', 'ab', 'c', { iterations: 1 }),
  ]
  const derived = async (): Promise<string[]> => {
    const keys: string[] = []
    for (const request of requests) keys.push(toHex(await request()))
    return keys
  }
  const keys = await derived()
  expect(new Set(keys).size).toBe(requests.length)
  expect(await derived()).toEqual(keys)
  // A result is the caller's, and no view of the kept key.
  ;(await cache.argon2id('ab', 'c of salt', CHEAP)).fill(0)
  expect(await derived()).toEqual(keys)
  // The cache refuses a wrong cost too.
  await expect(cache.pbkdf2('sha256', 'ab', 'c', { iterations: 0 })).rejects.toThrow(code('invalid_cost'))
})

test('costs that there are not, and costs beyond the bounds, are refused before any work', async () => {
  const argon2 = (memoryKib: number, passes: number, lanes: number) => ({ memoryKib, passes, lanes })
  for (const [refused, expected] of [
    ...[argon2(7, 1, 1), argon2(0, 1, 1), argon2(15, 1, 2), argon2(64, 0, 1), argon2(64, 1, 0)].map(
      (cost) => [(sync: boolean) => way('argon2id', cost, sync), 'invalid_cost'] as const,
    ),
    ...[argon2((1 << 20) + 1, 1, 1), argon2(64, 17, 1), argon2(1024, 1, 17)].map(
      (cost) => [(sync: boolean) => way('argon2id', cost, sync), 'cost_too_high'] as const,
    ),
    ...[{ logN: 0 }, { logN: 64 }, { logN: 300 }, { logN: 16, r: 1 }, { r: 0 }, { p: 0 }].map(
      (cost) => [(sync: boolean) => way('scrypt', cost, sync), 'invalid_cost'] as const,
    ),
    ...[{ logN: 21 }, { logN: 10, p: 17 }, { logN: 1, r: 2 ** 22, p: 16 }, { logN: 1, r: 2 ** 17, p: 16 }].map(
      (cost) => [(sync: boolean) => way('scrypt', cost, sync), 'cost_too_high'] as const,
    ),
    ...[
      [0, 'invalid_cost'],
      [10_000_001, 'cost_too_high'],
      [2 ** 32 - 1, 'cost_too_high'],
    ].map(([iterations, expected]) => [(sync: boolean) => way('pbkdf2', { iterations }, sync), expected] as const),
  ]) {
    await expect(refused(false), expected as string).rejects.toThrow(code(expected as string))
    await expect(refused(true), expected as string).rejects.toThrow(code(expected as string))
  }
  // Iterations are done for each block, on every backend.
  await expect(kdf.pbkdf2('sha256', 'a', 'b', { iterations: 5_000_001, length: 33 })).rejects.toThrow(
    code('cost_too_high'),
  )
  expect(() => kdf.pbkdf2Sync('sha256', 'a', 'b', { iterations: 5_000_001, length: 33 })).toThrow(code('cost_too_high'))
  // A cost over the bounds is computed when that is asked for.
  expect(await kdf.argon2id('a', 'b', { ...argon2(144, 1, 18), allowHighCost: true })).toHaveLength(32)
})

async function way(algorithm: string, cost: object, sync: boolean): Promise<Uint8Array> {
  const { pbkdf2, pbkdf2Sync, scrypt, scryptSync, argon2id, argon2idSync } = kdf
  if (algorithm === 'pbkdf2') return (sync ? pbkdf2Sync : pbkdf2)('sha256', 'a', 'b', cost as never)
  return (algorithm === 'scrypt' ? (sync ? scryptSync : scrypt) : sync ? argon2idSync : argon2id)('a', 'b', cost)
}

test('what is no hash, length, number, option or input is refused', async () => {
  for (const name of ['', 'SHA256', 'sha-256', 'shake128', 'shake256', 'constructor', '__proto__']) {
    const hash = name as 'sha256'
    for (const refused of [
      () => kdf.hkdf(hash, 'a', { length: 32 }),
      () => kdf.hkdfExtract(hash, '', 'a'),
      () => kdf.hkdfExpand(hash, new Uint8Array(64), '', 32),
      () => kdf.concatKdf(hash, 'a', '', 32),
      () => kdf.pbkdf2Sync(hash, 'a', 'b', { iterations: 1 }),
    ]) {
      expect(refused, name).toThrow(code('unknown_algorithm'))
    }
    await expect(kdf.pbkdf2(hash, 'a', 'b', { iterations: 1 })).rejects.toThrow(code('unknown_algorithm'))
  }
  for (const length of [undefined, null, 0, -1, 1.5, Number.NaN, 2 ** 31, '32']) {
    expect(() => kdf.hkdf('sha256', 'a', { length: length as number })).toThrow(/length must be a whole number/)
    expect(() => kdf.concatKdf('sha256', 'a', '', length as number)).toThrow(TypeError)
    if (length === undefined) continue
    expect(() => kdf.blake3DeriveKey('c', 'a', length as number)).toThrow(TypeError)
    expect(() => kdf.scryptSync('a', 'b', { length: length as number })).toThrow(TypeError)
  }
  for (let length = 1; length < 4; length++) {
    expect(() => kdf.argon2idSync('a', 'some salt', { ...CHEAP, length })).toThrow(code('wrong_length'))
  }
  for (const length of [255 * 32 + 1, 2 ** 31 - 1]) {
    expect(() => kdf.hkdf('sha256', 'a', { length })).toThrow(code('too_long'))
    expect(() => kdf.hkdfExpand('sha256', new Uint8Array(32), '', length)).toThrow(code('too_long'))
  }
  expect(() => kdf.hkdfExpand('sha256', new Uint8Array(31), '', 32)).toThrow(code('wrong_length'))
  for (const number of [-1, 1.5, Number.NaN, 2 ** 32, '3', null]) {
    expect(() => kdf.argon2idSync('a', 'b', { passes: number as number })).toThrow(TypeError)
    expect(() => kdf.scryptSync('a', 'b', { logN: number as number })).toThrow(TypeError)
    expect(() => kdf.pbkdf2Sync('sha256', 'a', 'b', { iterations: number as number })).toThrow(TypeError)
    expect(() => kdf.createKeyCache({ entries: number as number })).toThrow(TypeError)
  }
  expect(() => kdf.hkdf('sha256', 'a', undefined as never)).toThrow(/length must be a whole number/)
  expect(() => kdf.pbkdf2Sync('sha256', 'a', 'b', { iterations: 1, secret: 'c' } as never)).toThrow(/unknown option/)
  expect(() => kdf.scryptSync('a', 'b', { passes: 3 } as never)).toThrow(/unknown option/)
  expect(() => kdf.argon2idSync('a', 'b', { signal: AbortSignal.abort() } as never)).toThrow(/unknown option/)
  expect(() => kdf.argon2idSync('a', 'b', { allowHighCost: 1 } as never)).toThrow(TypeError)
  for (const wrong of [undefined, null, 5, {}]) {
    expect(() => kdf.argon2idSync(wrong as never, 'b', CHEAP)).toThrow(TypeError)
    expect(() => kdf.argon2idSync('a', wrong as never, CHEAP)).toThrow(TypeError)
    expect(() => kdf.hkdf('sha256', wrong as never, { length: 32 })).toThrow(TypeError)
    expect(() => kdf.blake3DeriveKey(wrong as never, 'a')).toThrow(TypeError)
  }
  for (const lone of ['\ud800', 'a\udc00']) {
    expect(() => kdf.argon2idSync(lone, 'b', CHEAP)).toThrow(/lone surrogate/)
    expect(() => kdf.blake3DeriveKey(lone, 'a')).toThrow(/lone surrogate/)
    await expect(kdf.scrypt('a', lone)).rejects.toThrow(/lone surrogate/)
  }
  expect(() => new kdf.KeyCache({} as never, 1)).toThrow(TypeError)
})

test.each(['throwIfAborted', 'addEventListener'] as const)(
  'a password that %s of a signal transfers away is not taken for an empty one',
  async (when) => {
    const cache = kdf.createKeyCache()
    for (const derive of [
      (password: Uint8Array, signal: AbortSignal) => kdf.argon2id(password, 'some salt', { ...CHEAP, signal }),
      (password: Uint8Array, signal: AbortSignal) => kdf.scrypt(password, 'a salt', { logN: 4, signal }),
      (password: Uint8Array, signal: AbortSignal) => kdf.pbkdf2('sha256', password, 'b', { iterations: 2, signal }),
    ]) {
      const password = pattern(20)
      await expect(derive(password, transferring(password, when))).rejects.toThrow(/was transferred/)
    }
    // A cache has a copy, from where the first code of the signal has run.
    const password = pattern(20)
    const key = cache.argon2id(password, 'some salt', { ...CHEAP, signal: transferring(password, when) })
    if (when === 'throwIfAborted') await expect(key).rejects.toThrow(/was transferred/)
    else expect(await key).toEqual(kdf.argon2idSync(pattern(20), 'some salt', CHEAP))
  },
)

test('a cache that is cleared while a key is derived does not keep it', async () => {
  const cache = kdf.createKeyCache()
  const calls = bulk()
  const { deriveLater } = calls
  const derived = vi.fn(deriveLater)
  calls.deriveLater = derived
  try {
    const ask = () => cache.argon2id('a', 'some salt', CHEAP)
    const waiting = ask()
    cache.clear()
    const key = await waiting
    expect(await ask()).toEqual(key)
    expect(derived).toHaveBeenCalledTimes(2)
    await ask()
    expect(derived).toHaveBeenCalledTimes(2)
  } finally {
    calls.deriveLater = deriveLater
  }
})
