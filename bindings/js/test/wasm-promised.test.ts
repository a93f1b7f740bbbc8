// WebCrypto in place of WebAssembly, where it is slow, is broken or only seems to be WebCrypto. wasm-hosted.test.ts shows that it
// reports every fault as the addon does.

import { createHash, randomBytes, webcrypto } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { AeadKey } from '../src/api/aead.js'
import type { Calls } from '../src/backend/index.js'
import type { PromisedCrypto } from '../src/backend/wasm/promised-crypto.js'
import { webCryptoOf } from '../src/browser/web-crypto.js'
import { type Computes, wasmCalls } from './modules.js'
import { endsInTheMiddle, goesOnElsewhere, hastyClock, turnsOf } from './turns.js'

type Subtle = NonNullable<Parameters<typeof webCryptoOf>[0]>

/** The `crypto.subtle` of the calls under test, and their use of it. */
const seen = {
  subtle: webcrypto.subtle as Subtle,
  keys: [] as unknown[][],
  sealed: 0,
  opened: [] as Uint8Array[],
  derived: [] as unknown[][],
  digests: 0,
}

/** Decryptions that WebCrypto still works on. */
let opening = 0

const throughSeen: Subtle = {
  importKey: ((...args: unknown[]) => {
    seen.keys.push(args)
    return (seen.subtle.importKey as (...args: unknown[]) => unknown)(...args)
  }) as never,
  encrypt: (...args) => {
    seen.sealed++
    return seen.subtle.encrypt(...args)
  },
  decrypt: async (...args) => {
    opening++
    try {
      const opened = await seen.subtle.decrypt(...args)
      if (opened instanceof ArrayBuffer) seen.opened.push(new Uint8Array(opened))
      return opened
    } finally {
      opening--
    }
  },
  digest: (...args) => {
    seen.digests++
    return seen.subtle.digest(...args)
  },
  deriveBits: async (...args) => {
    const derived = await seen.subtle.deriveBits(...args)
    seen.derived.push([args[0], derived])
    return derived
  },
}

/** Memory given back to the engine, as it was then. */
const freed = vi.hoisted(() => {
  const freed: Uint8Array[] = []
  const { postMessage } = MessagePort.prototype
  MessagePort.prototype.postMessage = function (...args: unknown[]) {
    if (Array.isArray(args[1])) freed.push(...args[1].map((memory) => new Uint8Array(memory.slice(0))))
    return Reflect.apply(postMessage, this, args)
  }
  return freed
})

vi.mock('../src/node/platform.js', async (load) => {
  const { platform } = await load<typeof import('../src/node/platform.js')>()
  let calls: Calls | undefined
  const none = new Proxy({}, {}) as Calls['files']
  return {
    platform: {
      ...platform,
      load: () => {
        const crypto = webCryptoOf(throughSeen) as PromisedCrypto
        calls ??= Object.assign(wasmCalls({ promised: crypto }), { files: none })
        return calls
      },
    },
  }
})

const { aead } = await import('../src/api/aead.js')
const { bulk, sync } = await import('../src/work/call.js')
const {
  chunkedKey,
  decrypt,
  decryptBatch,
  decryptRange,
  encrypt,
  encryptBatch,
  encryptSync,
  exportIdentity,
  generateIdentity,
  importIdentities,
  importIdentity,
  importIdentitySync,
  openMessage,
  openMessageSync,
  recipientOf,
  sealMessage,
  sealMessageSync,
} = await import('../src/api/index.js')
const { sha256, sha512 } = await import('../src/extras/yuants.js')
const { loadNative } = await import('../src/node/native.js')
const { valuesOf, vectors } = await import('./vectors.js')

const native = loadNative()
const key = new Uint8Array(32).fill(7)
const CHUNK = 16_384
const SEALED = CHUNK + 16
const random = (length: number): Uint8Array<ArrayBuffer> => new Uint8Array(randomBytes(length))
const isZero = (bytes: Uint8Array): boolean => bytes.every((byte) => byte === 0)
/** Empty memory is the engine's again. */
const isGone = (bytes: Uint8Array): boolean => bytes.length === 0

beforeEach(() =>
  Object.assign(seen, { subtle: webcrypto.subtle, keys: [], sealed: 0, opened: [], derived: [], digests: 0 }),
)
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

/** Opens with the addon. */
function opened(file: Uint8Array): Uint8Array {
  return native.decryptArmoured(native.decryptor([native.identityOfKey(key)], undefined, undefined, undefined), file)
}

/** WebCrypto with a function of its own. */
function withOwn(own: Partial<Record<keyof Subtle, (...args: never[]) => unknown>>): void {
  const { subtle } = webcrypto
  const real = {
    importKey: subtle.importKey.bind(subtle),
    encrypt: subtle.encrypt.bind(subtle),
    decrypt: subtle.decrypt.bind(subtle),
    deriveBits: subtle.deriveBits.bind(subtle),
    digest: subtle.digest.bind(subtle),
  }
  seen.subtle = { ...real, ...own } as Subtle
}

/** Every call that promises its result. */
function ways(data: Uint8Array<ArrayBuffer>, signal?: AbortSignal): Record<string, () => Promise<unknown>> {
  const options = { key, ...(signal && { signal }) }
  const run = signal && { signal }
  const file = encryptSync(data, { key })
  const nonce = new Uint8Array(12)
  const keys: AeadKey[] = []
  const buffers = (): AeadKey => {
    const made = aead('aes-256-gcm', key)
    keys.push(made)
    return made
  }
  const chunked = chunkedKey('aes-256-gcm', key)
  const identity = generateIdentity('x25519')
  const recipient = recipientOf(identity)
  const message = sealMessageSync(recipient, data)
  const read = (stream: ReadableStream): Promise<unknown> => new Response(stream).arrayBuffer()
  return {
    encrypt: () => encrypt(data, options),
    decrypt: () => decrypt(file, options),
    armour: () => encrypt(data, { ...options, armour: true }),
    'of armour': () => decrypt(encryptSync(data, { key, armour: true }), options),
    'an encrypted stream': () => read(encrypt(new Blob([data]), options)),
    'a decrypted stream': () => read(decrypt(new Blob([file]), options)),
    range: () => decryptRange(file, 10, data.length - 10, options),
    batch: () => encryptBatch([data, data], options),
    'opened batch': () => decryptBatch([file], options),
    seal: () => buffers().sealAsync(nonce, '', data, run),
    'seal with a random nonce': () => buffers().sealRandomAsync('', data, run),
    open: () => buffers().openAsync(nonce, '', buffers().seal(nonce, '', data), run),
    'seal a message': () => sealMessage(recipient, data, run),
    'open a message': () => openMessage(identity, message, run),
    'chunks under a key': () => read(chunked.encrypt('', new Blob([data]), run)),
  }
}

test('long files and buffers go to WebCrypto by every way, with keys that it does not give out', async () => {
  for (const [way, work] of Object.entries(ways(random(100_000)))) {
    Object.assign(seen, { keys: [], sealed: 0, opened: [] })
    freed.length = 0
    await work()
    expect(seen.sealed + seen.opened.length, way).toBeGreaterThanOrEqual(/seal|open( a|$)/.test(way) ? 1 : 7)
    expect(seen.keys.length, way).toBeGreaterThan(0)
    for (const [format, bytes, , extractable, usages] of seen.keys) {
      expect([format, extractable, usages], way).toEqual(['raw', false, ['encrypt', 'decrypt']])
      expect(isZero(bytes as Uint8Array), `the key of ${way} is zeroed`).toBe(true)
    }
    for (const plaintext of seen.opened) {
      // Of one buffer it is the result itself.
      if (way !== 'open') expect(isGone(plaintext), `what was opened by ${way} is given back`).toBe(true)
    }
    // Sealed bytes are no secret.
    if (seen.sealed === 0) expect(freed.every(isZero), `what was opened by ${way} is zeroed before`).toBe(true)
    expect([way, freed.length > 0]).toEqual([way, !/^(?:seal with|seal$|open$)/.test(way)])
  }
})

test('a message is the same, sealed or opened by WebCrypto or by the addon, and refused with the same words', async () => {
  const plaintext = random(100_000)
  for (const kind of ['x25519', 'p256', 'ml-kem-768', 'hybrid'] as const) {
    Object.assign(seen, { sealed: 0, opened: [] })
    const identity = generateIdentity(kind)
    const recipient = recipientOf(identity)
    const message = await sealMessage(recipient, plaintext, { aad: 'order 17' })
    const [theirs = 0] = native.identitiesParse(Buffer.from(exportIdentity(identity)), undefined)
    expect(native.messageOpenArmoured(theirs, message, Buffer.from('order 17'))).toEqual(plaintext)
    expect(openMessageSync(identity, message, { aad: 'order 17' })).toEqual(plaintext)
    expect(await openMessage(identity, message, { aad: 'order 17' })).toEqual(plaintext)
    expect([seen.sealed, seen.opened.length]).toEqual([1, 1])
    const faults: [Uint8Array, string][] = [
      [message, 'order 18'],
      [message.subarray(0, -1), 'order 17'],
      [message.subarray(0, 30), 'order 17'],
      [new Uint8Array([...message, 0]), 'order 17'],
      ...[0, 1, 2, 40, message.length - 20_000, message.length - 1].map((at): [Uint8Array, string] => {
        const wrong = message.slice()
        wrong[at] = (wrong[at] as number) ^ 1
        return [wrong, 'order 17']
      }),
      // A point of low order, which no key agrees with.
      [new Uint8Array([...message.subarray(0, 2), ...new Uint8Array(100_100)]), 'order 17'],
    ]
    for (const [wrong, aad] of faults) {
      const said = (error: { code: string; message: string }) => `${error.code}: ${error.message}`
      let expected = 'nothing'
      try {
        native.messageOpenArmoured(theirs, wrong, Buffer.from(aad))
      } catch (error) {
        expected = said(error as never)
      }
      expect(expected).not.toBe('nothing')
      expect(await openMessage(identity, wrong, { aad }).then(() => 'nothing', said), `${kind} of ${aad}`).toBe(
        expected,
      )
    }
  }
})

test('PBKDF2 of every vector is derived by WebCrypto where that has the function, and after its costs were judged', async () => {
  const derivable: Record<string, number> = {}
  for (const vector of vectors('keys')) {
    const { name, file } = vector
    const passphrase = valuesOf(vector, 'passphrase')[0]
    if (valuesOf(vector, 'read')[0] !== 'identities' || passphrase === undefined) continue
    seen.derived = []
    seen.keys = []
    const found = await importIdentities(file, { passphrase }).then(
      (all) => all.map((identity) => String(recipientOf(identity).fingerprint)),
      (error) => [error.code],
    )
    let expected: (string | null)[]
    try {
      const identities = native.identitiesParse(file, Buffer.from(passphrase))
      expected = identities.map((identity) => native.recipientFingerprint(native.identityRecipient(identity)))
    } catch (error) {
      expected = [(error as { code: string }).code]
    }
    expect(found, name).toEqual(expected)
    const hashes = seen.derived.map(([parameters]) => (parameters as Pbkdf2Params).hash)
    for (const hash of hashes) derivable[String(hash)] = (derivable[String(hash)] ?? 0) + 1
    if (/cost|parameter|no_passphrase/.test(name)) expect(hashes, name).toEqual([])
    if (/sm3|sha224|scrypt/.test(name)) expect(hashes, name).toEqual([])
    for (const [, bits] of seen.derived) expect(isZero(new Uint8Array(bits as ArrayBuffer)), name).toBe(true)
    for (const [format, password, algorithm, extractable, usages] of seen.keys) {
      expect([format, algorithm, extractable, usages]).toEqual(['raw', 'PBKDF2', false, ['deriveBits']])
      expect(isZero(password as Uint8Array), name).toBe(true)
    }
  }
  expect(Object.keys(derivable).sort()).toEqual(['SHA-1', 'SHA-256', 'SHA-384', 'SHA-512'])
  expect(derivable['SHA-256']).toBeGreaterThan(40)
})

test('a key of a passphrase is derived off the thread, also within a sealed file, and memory is the caller’s', async () => {
  const passphrase = 'ärger im treppenhaus'
  const identity = generateIdentity('p256')
  const pem = new TextEncoder().encode(exportIdentity(identity, 'pem', { passphrase }))
  const { fingerprint } = recipientOf(identity)
  for (const file of [pem, encryptSync(pem, { passphrase })]) {
    const work = async () => {
      seen.derived = []
      const own = file.slice()
      // Decomposed, which is the same.
      const importing = importIdentity(own, { passphrase: passphrase.normalize('NFD') })
      structuredClone(own, { transfer: [own.buffer] })
      return importing
    }
    expect(recipientOf(await goesOnElsewhere(20, work)).fingerprint).toBe(fingerprint)
    expect(seen.derived).toHaveLength(1)
    await expect(importIdentity(file, { passphrase: 'another' })).rejects.toMatchObject({
      code: 'no_matching_identity',
      message: 'the passphrase does not open this key',
    })
  }
  seen.derived = []
  expect(importIdentitySync(pem, { passphrase }).kind).toBe('p256')
  await expect(importIdentity(pem)).rejects.toMatchObject({ code: 'passphrase_required' })
  await expect(importIdentity(pem, { passphrase: '' })).rejects.toMatchObject({ code: 'invalid_passphrase' })
  await importIdentity(exportIdentity(identity, 'pem'), { passphrase })
  expect(seen.derived).toEqual([])
})

test('WebAssembly derives what WebCrypto does not take; what fails otherwise, or is no key, is an error', async () => {
  const passphrase = 'correct horse'
  const identity = generateIdentity('p256')
  const pem = exportIdentity(identity, 'pem', { passphrase }).repeat(2)
  // As Cloudflare's, of over 100,000 iterations.
  const refuse = () => Promise.reject(Object.assign(new Error('not so many'), { name: 'NotSupportedError' }))
  for (const own of [{ deriveBits: refuse }, { importKey: refuse }]) {
    withOwn(own)
    expect(await importIdentities(pem, { passphrase })).toHaveLength(2)
    await expect(importIdentities(pem, { passphrase: 'another' })).rejects.toMatchObject({
      code: 'no_matching_identity',
    })
  }
  const wrongs: Record<string, () => unknown> = {
    throws: () => {
      throw new TypeError('not today')
    },
    rejects: () => Promise.reject(new Error('not today')),
    'is no promise': () => 5,
    'gives an array': async () => new Uint8Array(32),
    'gives too little': async () => new ArrayBuffer(31),
    'gives too much': async () => new ArrayBuffer(64),
    'gives shared memory': async () => new SharedArrayBuffer(32),
  }
  for (const [wrong, deriveBits] of Object.entries(wrongs)) {
    withOwn({ deriveBits })
    await expect(importIdentities(pem, { passphrase }), wrong).rejects.toMatchObject({
      code: 'unavailable_backend',
      message: expect.stringMatching(/^WebCrypto has failed: /),
    })
  }
  withOwn({ deriveBits: async () => new ArrayBuffer(32) })
  await expect(importIdentities(pem, { passphrase })).rejects.toMatchObject({ code: 'no_matching_identity' })
  // One that never answers delays no other call.
  withOwn({ deriveBits: () => new Promise(() => undefined) })
  const waiting = importIdentities(pem, { passphrase })
  withOwn({})
  expect(await Promise.race([waiting, importIdentities(pem, { passphrase })])).toHaveLength(2)
})

test('a long digest that is promised is WebCrypto’s, and one that would stop the page is not', async () => {
  for (const [name, digest] of [
    ['sha256', sha256],
    ['sha512', sha512],
  ] as const) {
    for (const [length, isPromised] of [
      [0, false],
      [1023, false],
      [1024, true],
      [2_000_000, true],
      [1 << 24, true],
      [(1 << 24) + 1, false],
    ] as const) {
      seen.digests = 0
      const data = random(length)
      const expected = createHash(name).update(data).digest('hex')
      const work = digest(data)
      if (isPromised) structuredClone(data, { transfer: [data.buffer] })
      expect(Buffer.from(await work).toString('hex'), `${name} of ${length}`).toBe(expected)
      expect(seen.digests, `${name} of ${length}`).toBe(Number(isPromised))
    }
  }
  for (const wrong of [async () => new ArrayBuffer(31), async () => undefined, () => Promise.reject(new Error('no'))]) {
    withOwn({ digest: wrong })
    await expect(sha256(random(5000))).rejects.toMatchObject({
      code: 'unavailable_backend',
      message: expect.stringMatching(/^WebCrypto has failed: /),
    })
  }
})

test('short files, and other algorithms, are computed at once', async () => {
  const options = { key, suite: 'chacha20-poly1305' } as const
  const [short, long] = [random(700), random(300_000)]
  expect(await decrypt(await encrypt(short, { key }), { key })).toEqual(short)
  expect(await decrypt(await encrypt(long, options), { key })).toEqual(long)
  await aead('sm4-gcm', key.subarray(16)).sealAsync(new Uint8Array(12), '', long)
  await aead('aes-256-gcm', key).sealAsync(new Uint8Array(12), '', short)
  expect(seen).toMatchObject({ keys: [], sealed: 0, opened: [] })
})

test('a key of aead is given to WebCrypto once, and outlives its owner for work that has begun', async () => {
  const own = aead('aes-256-gcm', key)
  const [nonce, text] = [random(12), random(5000)]
  const done: number[] = []
  const onProgress = ({ bytes }: { bytes: number }): unknown => done.push(bytes)
  const [one, two] = [
    own.sealAsync(nonce, 'aad', text, { onProgress }),
    own.sealRandomAsync('aad', text, { onProgress }),
  ]
  own.destroy()
  const other = aead('aes-256-gcm', key)
  expect(other.open(nonce, 'aad', await one)).toEqual(text)
  expect(other.openRandom('aad', await two)).toEqual(text)
  expect(new Set(done)).toEqual(new Set([5000]))
  expect(await other.openAsync(nonce, 'aad', await one)).toEqual(text)
  expect(seen.keys).toHaveLength(2)
  await expect(other.openAsync(nonce, 'bad', await one)).rejects.toMatchObject({
    code: 'not_authentic',
    message: 'not authentic',
  })
})

test('memory is the caller’s again when a call returns, also while the key is on its way', async () => {
  const plaintext = random(20 * CHUNK + 5)
  const recipient = sync().identityRecipient(sync().identityOfKey(key))
  const none = undefined
  const [sealer, length] = sync().sealer([recipient], none, none, none, none, none, none, plaintext.length)
  const file = sync().memory(length)
  const working = []
  for (let at = 0; at < plaintext.length; at += 100_000) {
    const part = plaintext.slice(at, at + 100_000)
    working.push(bulk().sealPart(sealer, part, file))
    structuredClone(part, { transfer: [part.buffer] })
    if (at === 100_000) await setImmediate()
  }
  expect(await Promise.all(working)).toEqual(working.map(() => undefined))
  expect(Buffer.compare(opened(file), plaintext)).toBe(0)
  sync().release(sealer)
})

/** Promises of WebCrypto's that are kept when the test says so. */
function held(): { withHeld: typeof withOwn; release: (order: (waiting: (() => void)[]) => (() => void)[]) => void } {
  const waiting: (() => void)[] = []
  const later = (name: 'encrypt' | 'decrypt') =>
    ((...args: Parameters<Subtle['encrypt']>) => {
      const result = webcrypto.subtle[name](...(args as Parameters<typeof webcrypto.subtle.encrypt>))
      result.catch(() => undefined)
      return new Promise((resolve) => waiting.push(() => resolve(result)))
    }) as never
  return {
    withHeld: () => withOwn({ encrypt: later('encrypt'), decrypt: later('decrypt') }),
    release(order) {
      for (const go of order(waiting.splice(0))) go()
    },
  }
}

test('whatever comes first, results are in order, and the lowest chunk that fails is named', async () => {
  const { withHeld, release } = held()
  const plaintext = random(10 * CHUNK)
  const file = encryptSync(plaintext, { key })
  const headLen = file.length - plaintext.length - 11 * 16
  const wrong = file.slice()
  for (const chunk of [3, 7]) wrong[headLen + chunk * SEALED] = (wrong[headLen + chunk * SEALED] as number) ^ 1
  withHeld({})
  const settle = async (work: Promise<unknown>): Promise<unknown> => {
    let isDone = false
    const done = work.then(
      (value) => value,
      (error) => error,
    )
    void done.then(() => {
      isDone = true
    })
    while (!isDone) {
      for (let i = 0; i < 5; i++) await setImmediate()
      release((waiting) => waiting.reverse())
    }
    return done
  }
  expect(opened((await settle(encrypt(plaintext, { key }))) as Uint8Array)).toEqual(plaintext)
  expect(await settle(decrypt(file, { key }))).toEqual(plaintext)
  expect(await settle(decrypt(wrong, { key }))).toMatchObject({ message: 'chunk 3 is not authentic' })
  // Of a stream all in front of it is given.
  const parts: Uint8Array[] = []
  const read = async (): Promise<void> => {
    for await (const part of decrypt(
      (async function* () {
        yield wrong
      })(),
      { key },
    ))
      parts.push(part)
  }
  expect(await settle(read())).toMatchObject({ message: 'chunk 3 is not authentic' })
  expect(Buffer.concat(parts)).toEqual(Buffer.from(plaintext.subarray(0, 3 * CHUNK)))
  // Also answers after the error, for which no caller waits.
  while (opening > 0 || !seen.opened.every(isGone)) {
    await setImmediate()
    release((waiting) => waiting)
  }
})

test('a WebCrypto that never answers ends with the signal, and what it says later is not written', async () => {
  const data = random(600_000)
  const controller = new AbortController()
  const all = ways(data, controller.signal)
  const { withHeld, release } = held()
  withHeld({})
  const heldBefore = (sync() as Computes).heldCount()
  const failing = Object.entries(all).map(async ([way, work]) => [way, await work().catch((error) => error)])
  for (let i = 0; i < 20; i++) await setImmediate()
  const reason = new Error('enough')
  controller.abort(reason)
  for (const [way, error] of await Promise.all(failing)) expect(error, way as string).toBe(reason)
  await setImmediate()
  // The keys of `seal`, `sealRandom` and `open` are their owners', which the functions hold.
  expect((sync() as Computes).heldCount()).toBe(heldBefore + 4)
  expect(Object.keys(all)).toHaveLength(15)
  // In memory that was handed out, which the caller of these calls has.
  const recipient = sync().identityRecipient(sync().identityOfKey(key))
  const none = undefined
  const [sealer, length] = sync().sealer([recipient], none, none, none, none, none, none, data.length)
  const file = sync().memory(length)
  const work = bulk().sealPart(sealer, data, file)
  await setImmediate()
  sync().release(sealer)
  expect(await work).toEqual({ code: 'cancelled', message: 'cancelled' })
  file.fill(0)
  release((waiting) => waiting)
  for (let i = 0; i < 20; i++) await setImmediate()
  expect(isZero(file)).toBe(true)
})

test('a WebCrypto that fails, or gives what it should not, is an error that says so', async () => {
  const wrongs: Record<string, () => unknown> = {
    throws: () => {
      throw new TypeError('not today')
    },
    rejects: () => Promise.reject(new Error('not today')),
    'rejects with nothing': () => Promise.reject(undefined),
    'is no promise': () => 5,
    'gives nothing': async () => undefined,
    'gives an object': async () => ({ byteLength: SEALED, length: SEALED }),
    'gives an array': async () => new Uint8Array(SEALED),
    'gives too little': async () => new ArrayBuffer(1),
    'gives too much': async () => new ArrayBuffer(1 << 20),
    'gives shared memory': async () => new SharedArrayBuffer(SEALED),
  }
  const all = ways(random(100_000))
  for (const [wrong, work] of Object.entries(wrongs)) {
    withOwn({ encrypt: work, decrypt: work })
    for (const [way, run] of Object.entries(all)) {
      const found = (await run().catch((error) => error)) as { code?: string } | { code?: string }[]
      const [error] = Array.isArray(found) ? found : [found]
      expect(error, `${way} where it ${wrong}`).toMatchObject({
        code: 'unavailable_backend',
        message: expect.stringMatching(/^WebCrypto has failed: /),
      })
    }
  }
  withOwn({ importKey: () => Promise.reject(new Error('no key')) })
  for (const [way, run] of Object.entries(ways(random(100_000)))) {
    const found = (await run().catch((error) => error)) as { message?: string } | { message?: string }[]
    const [error] = Array.isArray(found) ? found : [found]
    expect(error, way).toMatchObject({ message: 'WebCrypto has failed: no key' })
  }
})

test('what a page has put into prototypes reaches no parameter', async () => {
  const plaintext = random(50_000)
  const polluted = { tagLength: 32, additionalData: random(8), length: 128, iv: random(12) }
  const prototype = Object.prototype as Record<string, unknown>
  try {
    for (const [name, value] of Object.entries(polluted))
      Object.defineProperty(prototype, name, { value, configurable: true, writable: true })
    const file = await encrypt(plaintext, { key })
    for (const name of Object.keys(polluted)) delete prototype[name]
    expect(opened(file)).toEqual(plaintext)
  } finally {
    for (const name of Object.keys(polluted)) delete prototype[name]
  }
})

test('all is computed in WebAssembly where a page has no WebCrypto', async () => {
  vi.resetModules()
  vi.stubGlobal('crypto', { getRandomValues: webcrypto.getRandomValues.bind(webcrypto) })
  const { webCrypto: insecure } = await import('../src/browser/web-crypto.js')
  expect(insecure()).toBeUndefined()
})

test('the event loop has turns of some milliseconds while much is computed, whatever computes', async () => {
  const data = new Uint8Array(10_000_000)
  const works: Record<string, (signal: AbortSignal) => Promise<unknown>> = {
    'aes-256-gcm': (signal) => encrypt(data, { key, signal }),
    'chacha20-poly1305': (signal) => encrypt(data, { key, suite: 'chacha20-poly1305', signal }),
    'sm4-gcm': (signal) => encrypt(data, { key, suite: 'sm4-gcm', signal }),
    armour: (signal) => encrypt(data, { key, armour: true, suite: 'chacha20-poly1305', signal }),
    batch: (signal) =>
      encryptBatch(
        Array.from({ length: 100 }, () => data.subarray(0, 100_000)),
        { key, signal },
      ),
  }
  for (const [name, work] of Object.entries(works)) {
    const [, turns] = await turnsOf(() => work(new AbortController().signal))
    expect(turns, name).toBeGreaterThan(5)
    await endsInTheMiddle(work)
  }
})

test('work on what was loaded says how far it has come', async () => {
  const data = random(20_000_000)
  const file = encryptSync(data, { key, armour: true })
  const done: number[] = []
  const plaintext = await decrypt(file, { key, onProgress: ({ bytes }) => done.push(bytes) })
  expect(Buffer.compare(plaintext, data)).toBe(0)
  expect(done.at(-1)).toBe(file.length)
  expect([...done].sort((a, b) => a - b)).toEqual(done)
  const clock = hastyClock()
  const job = sync().job()
  const loading = sync().loading()
  sync().loadingUpdate(loading, file, file.length)
  const decryptor = sync().decryptor([sync().identityOfKey(key)], undefined, undefined, undefined)
  const seen = new Set<number>()
  let isDone = false
  const work = bulk()
    .decryptLoaded(decryptor, loading, job, undefined)
    .finally(() => {
      isDone = true
    })
  while (!isDone) {
    seen.add(sync().jobProgress(job)[0] as number)
    await setImmediate()
  }
  await work
  clock.mockRestore()
  expect(seen.size).toBeGreaterThan(5)
})

test('nobody hears of a stream that was left while WebCrypto was at work', async () => {
  const unheard = vi.fn()
  process.on('unhandledRejection', unheard)
  const { withHeld, release } = held()
  withHeld({})
  const stream = encrypt(new Blob([random(2_000_000)]), { key })
  const reader = stream.getReader()
  await reader.read()
  const next = reader.read()
  for (let i = 0; i < 5; i++) await setImmediate()
  release((waiting) => waiting)
  await next
  await reader.cancel()
  release((waiting) => waiting)
  for (let i = 0; i < 5; i++) await setImmediate()
  process.off('unhandledRejection', unheard)
  expect(unheard).not.toHaveBeenCalled()
})
