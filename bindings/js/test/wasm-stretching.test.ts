// Passphrases in WebAssembly, by promises: the event loop has its turns, a signal ends the work, and the memory of a key is
// that of an instance of its own.

import { setImmediate } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import type { Calls } from '../src/backend/index.js'
import { pattern, toHex } from './data.js'
import { wasmCalls } from './modules.js'
import { turnsOf } from './turns.js'

/** The memory of every instance that was made. */
const made = vi.hoisted(() => {
  const made: WebAssembly.Memory[] = []
  WebAssembly.Instance = class extends WebAssembly.Instance {
    constructor(module: WebAssembly.Module, imports?: WebAssembly.Imports) {
      super(module, imports)
      made.push(this.exports.memory as WebAssembly.Memory)
    }
  }
  return made
})

vi.mock('../src/node/platform.js', async (load) => {
  const { platform } = await load<typeof import('../src/node/platform.js')>()
  let calls: Calls | undefined
  const none = new Proxy({}, {}) as Calls['files']
  return {
    platform: {
      ...platform,
      load: () => {
        calls ??= Object.assign(wasmCalls(), { files: none })
        return calls
      },
    },
  }
})

const {
  decrypt,
  decryptBatch,
  decryptionStream,
  decryptRange,
  decryptSync,
  encrypt,
  encryptBatch,
  encryptSync,
  exportIdentity,
  generateIdentity,
  identityFromPassphrase,
  importIdentities,
  recipientOf,
  rewrap,
} = await import('../src/api/index.js')
const { argon2d, argon2dSync, argon2id, argon2idSync, createKeyCache, pbkdf2, pbkdf2Sync, scrypt, scryptSync } =
  await import('../src/api/kdf.js')
const { hashPassword, hashPasswordSync, verifyPassword, verifyPasswordSync } = await import('../src/api/password.js')

const passphrase = 'correct horse'
const options = { passphrase }
const text = (bytes: Uint8Array): string => new TextDecoder().decode(bytes)
const lengths = (from: number): number[] => made.slice(from).map(({ buffer }) => buffer.byteLength)

const ZEROS = Buffer.alloc(1 << 24)

function isZero({ buffer }: WebAssembly.Memory): boolean {
  for (let at = 0; at < buffer.byteLength; at += ZEROS.length) {
    const part = Buffer.from(buffer, at, Math.min(ZEROS.length, buffer.byteLength - at))
    if (Buffer.compare(part, ZEROS.subarray(0, part.length)) !== 0) return false
  }
  return true
}

/** Of the 192 steps of 64 MiB in 3 passes each has a turn by a hasty clock. */
const TURNS = 190

test('all that is promised lets the event loop have its turns while a key is derived of a passphrase', async () => {
  const long = pattern(300_000)
  const [file, turns] = await turnsOf(() => encrypt('attack at dawn', options))
  expect(turns).toBeGreaterThan(TURNS)
  const [armoured, turnsOfArmour] = await turnsOf(() => encrypt('attack at dawn', { passphrase, armour: true }))
  expect(turnsOfArmour).toBeGreaterThan(TURNS)
  const longFile = encryptSync(long, options)
  const keys = encryptSync(exportIdentity(generateIdentity('x25519')), options)
  const identity = identityFromPassphrase(passphrase)
  const other = generateIdentity('x25519')
  const collected = async (parts: AsyncIterable<Uint8Array>): Promise<string> => {
    let length = 0
    for await (const part of parts) length += part.length
    return String(length)
  }
  const works: Record<string, [() => Promise<unknown>, unknown]> = {
    decrypt: [async () => text(await decrypt(file, options)), 'attack at dawn'],
    'decrypt armour': [async () => text(await decrypt(armoured, { identities: identity })), 'attack at dawn'],
    'decrypt what is long': [async () => (await decrypt(longFile, options)).length, 300_000],
    decryptRange: [async () => (await decryptRange(longFile, 20_000, 40_000, options)).length, 20_000],
    'a range that is none': [async () => (await decryptRange(longFile, 300_000, 300_000, options)).length, 0],
    rewrap: [
      async () => {
        const moved = await rewrap(longFile, {
          identities: identityFromPassphrase(passphrase),
          recipients: recipientOf(other),
          replace: true,
        })
        return decryptSync(moved, { identities: other }).length
      },
      300_000,
    ],
    encryptBatch: [async () => (await encryptBatch(['one'], options)).map((one) => one instanceof Uint8Array), [true]],
    decryptBatch: [
      async () => (await decryptBatch([file], options)).map((one) => one instanceof Uint8Array && text(one)),
      ['attack at dawn'],
    ],
    'encrypt a stream': [() => collected(encrypt(parts(), options)), String(encryptSync('ab', options).length)],
    'decrypt a stream': [() => collected(decrypt(parts(longFile), options)), '300000'],
    importIdentities: [async () => (await importIdentities(keys, options)).map(({ kind }) => kind), ['x25519']],
  }
  for (const [name, [work, expected]] of Object.entries(works)) {
    const [result, turns] = await turnsOf(work)
    expect([name, result]).toEqual([name, expected])
    expect([name, turns > TURNS]).toEqual([name, true])
  }
})

async function* parts(bytes: Uint8Array = new Uint8Array([97, 98])): AsyncGenerator<Uint8Array> {
  yield bytes
}

test('the key is derived in an instance of its own, which is zero then, also where keys are held', async () => {
  const held = generateIdentity('x25519')
  const file = encryptSync('attack at dawn', options)
  const from = made.length
  expect(text(await decrypt(file, options))).toBe('attack at dawn')
  const [length = 0, ...more] = lengths(from)
  expect(more).toEqual([])
  expect(length).toBeGreaterThan(64 << 20)
  expect(made.slice(from).every(isZero)).toBe(true)
  expect(held.kind).toBe('x25519')
})

/** Turns of 1 GiB in 16 passes, a step of a mebibyte in each: minutes. */
const HOSTILE_TURNS = 1024 * 16

/** The file with another cost: the most that a reader accepts. */
function hostile(file: Uint8Array): Uint8Array {
  const view = new DataView(file.buffer, file.byteOffset)
  const at = Array.from(file.keys()).find(
    (i) => view.getUint32(i) === 64 * 1024 && view.getUint32(i + 4) === 3,
  ) as number
  view.setUint32(at, 1024 * 1024)
  view.setUint32(at + 4, 16)
  return file
}

test('a signal ends the work of a passphrase, its memory is zero, and the next one waits no longer', async () => {
  const [good, bad] = [encryptSync('attack at dawn', options), hostile(encryptSync('attack at dawn', options))]
  const works: Record<string, (signal: AbortSignal) => Promise<unknown>> = {
    decrypt: (signal) => decrypt(bad, { passphrase, signal }),
    decryptBatch: (signal) => decryptBatch([bad, bad], { passphrase, signal }),
    stream: async (signal) => {
      for await (const _ of decrypt(parts(bad), { passphrase, signal }));
    },
  }
  for (const [name, work] of Object.entries(works)) {
    const from = made.length
    const controller = new AbortController()
    const [working, next] = [work(controller.signal).catch((reason) => reason), decrypt(good, options)]
    while (Math.max(0, ...lengths(from)) < 2 ** 30) await setImmediate()
    controller.abort(name)
    const [, turns] = await turnsOf(async () => {
      expect(await working).toBe(name)
      expect(text(await next)).toBe('attack at dawn')
      // One that was begun before the other may be the first.
      expect(text(await decrypt(good, options))).toBe('attack at dawn')
    })
    expect(turns).toBeLessThan(HOSTILE_TURNS / 4)
    const large = made.slice(from).filter(({ buffer }) => buffer.byteLength > 2 ** 30)
    expect(large).toHaveLength(1)
    expect(large.every(isZero)).toBe(true)
    made.length = 0
  }
})

test('who reads a stream no more ends its work on a passphrase', async () => {
  const bad = hostile(encryptSync('attack at dawn', options))
  const from = made.length
  const { readable, writable } = decryptionStream(options)
  const writer = writable.getWriter()
  writer.write(bad).catch(() => undefined)
  const reader = readable.getReader()
  const read = reader.read().catch((error) => error)
  while (Math.max(0, ...lengths(from)) < 2 ** 30) await setImmediate()
  const [, turns] = await turnsOf(async () => {
    await reader.cancel()
    await read
  })
  expect(turns).toBeLessThan(HOSTILE_TURNS / 4)
  made.length = 0
})

/** 40 steps. */
const COST = { memoryKib: 20_480, passes: 2 }

test('keys of passwords and stored passwords let the event loop have its turns, and are those of at once', async () => {
  const [salt, other] = ['a salt of 16 by.', 'a salt of 16 ot.']
  const cache = createKeyCache()
  const keys: Record<string, [() => Promise<Uint8Array>, Uint8Array]> = {
    argon2id: [
      () => argon2id(passphrase, salt, { ...COST, length: 100 }),
      argon2idSync(passphrase, salt, { ...COST, length: 100 }),
    ],
    argon2d: [
      () => argon2d(passphrase, salt, { ...COST, lanes: 4 }),
      argon2dSync(passphrase, salt, { ...COST, lanes: 4 }),
    ],
    pbkdf2: [
      () => pbkdf2('sm3', passphrase, salt, { iterations: 50_000, length: 40 }),
      pbkdf2Sync('sm3', passphrase, salt, { iterations: 50_000, length: 40 }),
    ],
    'a cache': [() => cache.argon2id(passphrase, other, COST), argon2idSync(passphrase, other, COST)],
  }
  for (const [name, [work, expected]] of Object.entries(keys)) {
    const [key, turns] = await turnsOf(work)
    expect([name, toHex(key)]).toEqual([name, toHex(expected)])
    expect([name, turns > 15]).toEqual([name, true])
  }
  expect(toHex(await scrypt(passphrase, salt, { logN: 10 }))).toBe(toHex(scryptSync(passphrase, salt, { logN: 10 })))
  for (const cost of [
    { algorithm: 'argon2id', ...COST },
    { algorithm: 'pbkdf2-sha3-256', iterations: 50_000 },
  ] as const) {
    const [stored, turns] = await turnsOf(() => hashPassword(passphrase, cost))
    expect(turns).toBeGreaterThan(15)
    verifyPasswordSync(passphrase, stored)
    const [, turnsToVerify] = await turnsOf(() => verifyPassword(passphrase, hashPasswordSync(passphrase, cost)))
    expect(turnsToVerify).toBeGreaterThan(15)
    await expect(verifyPassword('other', stored)).rejects.toMatchObject({ code: 'not_authentic' })
  }
  await expect(verifyPassword(passphrase, 'nothing')).rejects.toMatchObject({ code: 'invalid_encoding' })
  await expect(hashPassword('')).rejects.toMatchObject({ code: 'invalid_passphrase' })
})

test('each key of a password has an instance of its own, of which never are two, and which is zero then', async () => {
  const from = made.length
  const salts = ['a salt of 16 by.', 'a salt of 16 ot.', 'a salt of 16 mo.']
  const working = salts.map((salt) => argon2id(passphrase, salt, COST))
  let most = 0
  let isDone = false
  const all = Promise.all(working).finally(() => {
    isDone = true
  })
  while (!isDone) {
    await setImmediate()
    most = Math.max(most, made.slice(from).filter((memory) => !isZero(memory)).length)
  }
  await all
  expect(made.length - from).toBe(3)
  // Memory takes some turns to be erased.
  expect(most).toBeLessThanOrEqual(1)
  expect(made.slice(from).every(isZero)).toBe(true)
  await expect(
    verifyPassword('other', hashPasswordSync(passphrase, { algorithm: 'argon2id', ...COST })),
  ).rejects.toThrow()
  expect(made.slice(from).at(-1)).toSatisfy(isZero)
})

test('a signal ends the derivation of a key, its memory is zero, and the next one waits no longer', async () => {
  const cost = { memoryKib: 1024 * 1024, passes: 16 }
  const salt = 'a salt of 16 by.'
  const stored = hashPasswordSync(passphrase, { algorithm: 'argon2id', ...COST })
  const hostileText = stored.replace(`m=${COST.memoryKib},t=2`, `m=${cost.memoryKib},t=16`)
  const works: Record<string, (signal: AbortSignal) => Promise<unknown>> = {
    argon2id: (signal) => argon2id(passphrase, salt, { ...cost, signal }),
    hashPassword: (signal) => hashPassword(passphrase, { algorithm: 'argon2id', ...cost }, { signal }),
    verifyPassword: (signal) => verifyPassword(passphrase, hostileText, { signal }),
  }
  for (const [name, work] of Object.entries(works)) {
    const from = made.length
    const controller = new AbortController()
    const [working, waiting] = [work(controller.signal).catch((reason) => reason), argon2id(passphrase, salt, COST)]
    const given = new AbortController()
    const neverBegun = argon2id(passphrase, salt, { ...cost, signal: given.signal }).catch((reason) => reason)
    while (Math.max(0, ...lengths(from)) < 2 ** 28) await setImmediate()
    given.abort('given up')
    expect(await neverBegun).toBe('given up')
    controller.abort(name)
    const [, turns] = await turnsOf(async () => {
      expect(await working).toBe(name)
      expect(await waiting).toHaveLength(32)
      expect(await argon2id(passphrase, salt, COST)).toHaveLength(32)
    })
    expect(turns).toBeLessThan(HOSTILE_TURNS / 4)
    const large = made.slice(from).filter(({ buffer }) => buffer.byteLength > 2 ** 28)
    expect(large).toHaveLength(1)
    expect(large.every(isZero)).toBe(true)
    made.length = 0
  }
})
