// The monitor: its counts, in each form, and that nothing is there until it is started.

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join as pathOf } from 'node:path'
import { metrics } from '@opentelemetry/api'
import {
  AggregationTemporality,
  InMemoryMetricExporter,
  MeterProvider,
  PeriodicExportingMetricReader,
} from '@opentelemetry/sdk-metrics'
import { afterEach, expect, test, vi } from 'vitest'
import { pairs } from '#pairs'
import { aead } from '../src/api/aead.js'
import * as exchange from '../src/api/exchange.js'
import { createHasher, hash, hashBatch, hashFile, hashHex } from '../src/api/hash.js'
import { cipher, keyWrap, legacyCipher } from '../src/api/hazmat.js'
import {
  chunkedKey,
  decrypt,
  decryptBatch,
  decryptFile,
  decryptSync,
  encrypt,
  encryptBatch,
  encryptFile,
  encryptSync,
  generateIdentity,
  openMessageSync,
  recipientOf,
  sealMessageSync,
} from '../src/api/index.js'
import { argon2idSync, hkdf, pbkdf2, pbkdf2Sync } from '../src/api/kdf.js'
import { mac } from '../src/api/mac.js'
import { hashPassword, hashPasswordSync, type PasswordCost, verifyPassword } from '../src/api/password.js'
import * as rsa from '../src/api/rsa.js'
import * as sign from '../src/api/sign.js'
import * as signature from '../src/api/signature.js'
import type { SyncCalls } from '../src/backend/calls.js'
import type { Calls } from '../src/backend/index.js'
import { HASHES, KEY_LENGTHS, LEGACY_CIPHERS } from '../src/basics/table.js'
import { Histogram, type Latency } from '../src/extras/monitor/histogram.js'
import { type MeterLike, Monitor, type ObservableResultLike, startMonitor } from '../src/extras/monitor/index.js'
import { sync } from '../src/work/call.js'
import { copies, join } from '../src/work/copies.js'
import { fromBase64 } from './data.js'
import { collect } from './garbage.js'
import { hastyClock } from './turns.js'

let monitor: Monitor | undefined
afterEach(() => monitor?.stop())

const key = new Uint8Array(32)

/** The counts, by operation and algorithm: how often, bytes and errors. */
function counts(): Record<string, [number, number, number]> {
  const { operations } = (monitor as Monitor).report()
  return Object.fromEntries(
    operations.map(({ operation, algorithm, operations, bytes, errors }) => [
      `${operation} ${algorithm}`,
      [operations, bytes, errors],
    ]),
  )
}

test('operations, bytes and errors are counted by operation and algorithm', () => {
  const before = aead('chacha20-poly1305', key)
  hash('sha256', 'known before')
  monitor = startMonitor()
  const [gcm, other] = [aead('aes-256-gcm', key), aead('sm4-gcm', key.subarray(0, 16))]
  for (let i = 0; i < 100; i++) gcm.openRandom('', gcm.sealRandom('', 'attack at dawn'))
  other.sealRandom('', new Uint8Array(5000))
  before.sealRandom('', 'x')
  expect(() => gcm.openRandom('', new Uint8Array(40))).toThrow()
  hash('sha256', 'four')
  hashHex('md5', new Uint8Array(10))
  hashBatch('sha256', ['one', 'three'])
  createHasher('sm3').update('12345').clone().update('678')
  const cbc = cipher('aes-256-cbc', key)
  cbc.decrypt(new Uint8Array(16), cbc.encrypt(new Uint8Array(16), '123'))
  expect(counts()).toEqual({
    'decryptBare aes-256-cbc': [1, 16, 0],
    'encryptBare aes-256-cbc': [1, 3, 0],
    'hash md5': [1, 10, 0],
    'hash sha256': [1, 4, 0],
    'hashBatch sha256': [1, 8, 0],
    'hashUpdate sm3': [2, 8, 0],
    'open aes-256-gcm': [101, 100 * 42 + 40, 1],
    'seal aes-256-gcm': [100, 1400, 0],
    'seal sm4-gcm': [1, 5000, 0],
    'seal unknown': [1, 1, 0],
  })
})

test('MACs, keys of secrets and passwords, text, batches and old ciphers are counted', async () => {
  monitor = startMonitor()
  const hmac = mac('hmac-sha256', key)
  const tag = hmac.sign('four')
  hmac.verify('four', tag)
  hmac.verifyText('four', hmac.signText('four'))
  expect(() => hmac.verify('five5', tag)).toThrow()
  hmac.begin().update('12345')
  hkdf('sha256', 'a secret', { length: 16 })
  await pbkdf2('sha256', 'a password', new Uint8Array(16), { iterations: 10, length: 24 })
  argon2idSync('a password', new Uint8Array(16), { memoryKib: 8, passes: 1, length: 20 })
  const stored = await hashPassword('a password', { algorithm: 'scrypt', logN: 10, r: 8, p: 1 })
  await verifyPassword('a password', stored)
  const gcm = aead('aes-256-gcm', key)
  gcm.openRandomText('', gcm.sealRandomText('', 'text'))
  gcm.openBatch(gcm.sealBatch(['one', 'three']))
  const old = legacyCipher('rc4', key, { allowLegacyEncryption: true })
  old.decrypt(undefined, old.encrypt(undefined, '123'))
  const wrap = keyWrap('aes-256-kw', key)
  wrap.unwrap(wrap.wrap(key))
  const made = counts()
  expect(made['hashPassword password']?.[0]).toBe(1)
  delete made['hashPassword password']
  expect(made).toEqual({
    'decryptBare rc4': [1, 3, 0],
    'derive argon2id': [1, 20, 0],
    'derive pbkdf2-sha256': [1, 24, 0],
    'encryptBare rc4': [1, 3, 0],
    'hkdf sha256': [1, 8, 0],
    'mac hmac-sha256': [2, 8, 0],
    'macUpdate hmac-sha256': [1, 5, 0],
    'open aes-256-gcm': [1, 44, 0],
    'openBatch aes-256-gcm': [1, 64, 0],
    'seal aes-256-gcm': [1, 4, 0],
    'sealBatch aes-256-gcm': [1, 8, 0],
    'unwrap aes-256-kw': [1, 40, 0],
    'verifyMac hmac-sha256': [3, 13, 1],
    'verifyPassword password': [1, 0, 0],
    'wrap aes-256-kw': [1, 32, 0],
  })
})

test('files, messages and what is promised are counted', async () => {
  const folder = mkdtempSync(pathOf(tmpdir(), 'sealstone-monitor-'))
  try {
    const [plain, sealed, opened] = ['plain', 'sealed', 'opened'].map((name) => pathOf(folder, name)) as [
      string,
      string,
      string,
    ]
    writeFileSync(plain, new Uint8Array(1000))
    monitor = startMonitor()
    const long = new Uint8Array(3_000_000)
    expect((await decrypt(await encrypt(long, { key }), { key })).length).toBe(3_000_000)
    decryptSync(encryptSync('four', { key }), { key })
    await encryptFile(plain, sealed, { key })
    await decryptFile(sealed, opened, { key })
    await expect(decryptFile(plain, pathOf(folder, 'no'), { key })).rejects.toThrow()
    await hashFile('blake3', plain)
    const hmac = mac('hmac-sha256', key)
    await hmac.signFile(plain)
    await hmac.signFileText(plain)
    await expect(hashFile('blake3', pathOf(folder, 'no'))).rejects.toThrow()
    await encryptBatch(['12', '345'], { key })
    const identity = generateIdentity('x25519')
    openMessageSync(identity, sealMessageSync(recipientOf(identity), '12345'))
    const sealer = aead('aes-256-gcm', key)
    await sealer.sealRandomAsync('', long)
    const chunks = chunkedKey('aes-256-gcm', key)
    expect(counts()).toMatchObject({
      'encrypt file': [1, 4, 0],
      'decrypt file': [1, expect.any(Number), 0],
      'encryptPart file': [expect.any(Number), 3_000_000, 0],
      'encryptFile file': [1, 1000, 0],
      'decryptFile file': [2, 1000, 1],
      'encryptBatch file': [1, 5, 0],
      'hashFile blake3': [2, 1000, 1],
      'macFile hmac-sha256': [2, 2000, 0],
      'sealMessage message': [1, 5, 0],
      'openMessage message': [1, expect.any(Number), 0],
      'seal aes-256-gcm': [1, expect.any(Number), 0],
    })
    expect(chunks).toBeDefined()
    // Work on other threads is always timed.
    const file = monitor.report().operations.find(({ operation }) => operation === 'encryptFile')
    expect(file?.latency).toMatchObject({ samples: 1 })
    expect(file?.latency?.p50).toBe(file?.latency?.max)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('latency is sampled of what is short, and of all that is long', () => {
  const clock = hastyClock()
  monitor = startMonitor()
  for (let i = 0; i < 6400; i++) hash('sha256', 'short')
  for (let i = 0; i < 50; i++) hash('sha512', new Uint8Array(8192))
  const [short, long] = monitor.report().operations
  // Of 6,400, 100: six deviations of 6.
  expect(Math.abs((short?.latency?.samples ?? 0) - 100)).toBeLessThan(36)
  expect(long?.latency?.samples).toBe(50)
  for (const one of [short, long]) {
    const { mean = 0, p50 = 0, p95 = 0, p99 = 0, max = 0 } = one?.latency ?? {}
    expect(p50 > 0 && p50 <= p95 && p95 <= p99 && p99 <= max && mean <= max && max < 10).toBe(true)
  }
  clock.mockRestore()
})

test('latencies are exact to an eighth, and the mean and the longest to the clock', () => {
  const histogram = new Histogram()
  expect(histogram.report()).toBeUndefined()
  for (let ms = 1; ms <= 1000; ms++) histogram.add(ms)
  const { samples, mean, p50, p95, p99, max } = histogram.report() as Latency
  expect([samples, max]).toEqual([1000, 1])
  expect(mean).toBeCloseTo(0.5005, 9)
  for (const [found, exact] of [
    [p50, 0.5],
    [p95, 0.95],
    [p99, 0.99],
  ] as const) {
    expect(found).toBeGreaterThanOrEqual(exact)
    expect(found).toBeLessThan(exact * 1.125)
  }
  // Times beyond all buckets are in the first or the last one.
  const odd = new Histogram()
  for (const ms of [0, 1e-9, 1e9]) odd.add(ms)
  expect(odd.report()).toMatchObject({ samples: 3, max: 1e6 })
})

test('OpenTelemetry reads the same', async () => {
  const exporter = new InMemoryMetricExporter(AggregationTemporality.CUMULATIVE)
  const reader = new PeriodicExportingMetricReader({ exporter, exportIntervalMillis: 3_600_000 })
  const provider = new MeterProvider({ readers: [reader] })
  metrics.setGlobalMeterProvider(provider)
  monitor = startMonitor()
  monitor.observe(metrics.getMeter('test'))
  hash('sha256', new Uint8Array(5000))
  hash('sm3', 'four')
  await reader.forceFlush()
  const told = exporter.getMetrics().flatMap(({ scopeMetrics }) => scopeMetrics.flatMap(({ metrics }) => metrics))
  const values = Object.fromEntries(
    told.map(({ descriptor, dataPoints }) => [
      `${descriptor.name} ${descriptor.unit}`,
      dataPoints.map(({ value, attributes }) => [value, attributes.algorithm]),
    ]),
  )
  expect(values).toMatchObject({
    'sealstone.operations {operation}': [
      [1, 'sha256'],
      [1, 'sm3'],
    ],
    'sealstone.bytes By': [
      [5000, 'sha256'],
      [4, 'sm3'],
    ],
    'sealstone.errors {error}': [
      [0, 'sha256'],
      [0, 'sm3'],
    ],
  })
  expect(values['sealstone.latency s']?.length).toBeGreaterThanOrEqual(4)
  await provider.shutdown()
})

test('Prometheus and JSON have the same', () => {
  monitor = startMonitor()
  hash('sha256', new Uint8Array(5000))
  hash('sha3-256', 'x')
  const text = monitor.prometheus()
  expect(text).toContain('# TYPE sealstone_operations_total counter\n')
  expect(text).toContain('sealstone_operations_total{operation="hash",algorithm="sha256"} 1\n')
  expect(text).toContain('sealstone_bytes_total{operation="hash",algorithm="sha256"} 5000\n')
  expect(text).toContain('sealstone_errors_total{operation="hash",algorithm="sha3-256"} 0\n')
  expect(text).toMatch(/sealstone_latency_seconds\{operation="hash",algorithm="sha256",quantile="0.99"\} [0-9.e-]+\n/)
  expect(text).toContain('sealstone_latency_seconds_count{operation="hash",algorithm="sha256"} 1\n')
  // Every line is a comment or a sample (Prometheus' text format, version 0.0.4), and none stands twice.
  const lines = text.trimEnd().split('\n')
  for (const line of lines) expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+\{(\w+="[^"]+",?)+\} [0-9.e+-]+)$/)
  expect(new Set(lines).size).toBe(lines.length)
  expect(JSON.parse(JSON.stringify(monitor))).toEqual(monitor.report())
})

test('a meter that throws when the monitor stops leaves no callback of another one', () => {
  const callbacks = new Set<unknown>()
  const refused = new Error('not now')
  const made = (name: string) => ({
    addCallback: (one: unknown) => void callbacks.add(one),
    removeCallback: (one: unknown) => {
      if (name === 'sealstone.operations') throw refused
      callbacks.delete(one)
    },
  })
  monitor = startMonitor()
  monitor.observe({ createObservableCounter: made, createObservableGauge: made })
  expect(callbacks.size).toBe(4)
  expect(() => monitor?.stop()).toThrow(refused)
  expect(callbacks.size).toBe(1)
})

test('a meter is told the same, until the monitor stops', () => {
  const asked = new Map<string, Set<(result: ObservableResultLike) => void>>()
  const made = (name: string) => {
    const callbacks = new Set<(result: ObservableResultLike) => void>()
    asked.set(name, callbacks)
    return {
      addCallback: (one: (result: ObservableResultLike) => void) => void callbacks.add(one),
      removeCallback: (one: (result: ObservableResultLike) => void) => void callbacks.delete(one),
    }
  }
  const meter: MeterLike = { createObservableCounter: made, createObservableGauge: made }
  monitor = startMonitor()
  monitor.observe(meter)
  hash('sha256', new Uint8Array(5000))
  const told = [...asked].flatMap(([name, callbacks]) =>
    [...callbacks].flatMap((ask) => {
      const values: unknown[] = []
      ask({ observe: (value, attributes) => values.push([name, value, attributes]) })
      return values
    }),
  )
  const of = { operation: 'hash', algorithm: 'sha256' }
  expect(told).toEqual([
    ['sealstone.operations', 1, of],
    ['sealstone.bytes', 5000, of],
    ['sealstone.errors', 0, of],
    ...['0.5', '0.95', '0.99', '1'].map((quantile) => ['sealstone.latency', expect.any(Number), { ...of, quantile }]),
  ])
  monitor.stop()
  expect([...asked.values()].every((callbacks) => callbacks.size === 0)).toBe(true)
})

test('what is off is what was there before, and counts no more', () => {
  const before = sync()
  monitor = startMonitor()
  expect(sync()).not.toBe(before)
  hash('sha256', 'one')
  const identity = generateIdentity('x25519')
  monitor.stop()
  monitor.stop()
  expect(sync()).toBe(before)
  hash('sha256', 'two')
  expect(counts()).toEqual({ 'hash sha256': [1, 3, 0] })
  // A key that was made while it counted is one afterwards.
  expect(decryptSync(encryptSync('x', { recipients: recipientOf(identity) }), { identities: identity }).length).toBe(1)
})

test('there is one monitor at a time, which counts anew when it is told to', () => {
  monitor = startMonitor()
  expect(startMonitor()).toBe(monitor)
  expect(() => new (Monitor as unknown as new () => Monitor)()).toThrow(TypeError)
  hash('sha256', 'one')
  monitor.reset()
  expect(counts()).toEqual({})
  hash('sha256', 'three')
  expect(counts()).toEqual({ 'hash sha256': [1, 5, 0] })
  monitor.stop()
  const before = monitor
  monitor = startMonitor()
  expect(monitor).not.toBe(before)
  expect(counts()).toEqual({})
  // A stopped one stops no other.
  before.stop()
  expect(startMonitor()).toBe(monitor)
  hash('sha256', 'one')
  expect(counts()).toEqual({ 'hash sha256': [1, 3, 0] })
})

test('what was put on Object.prototype is no monitor', () => {
  const realm = globalThis as { [name: symbol]: unknown }
  const name = Symbol.for('sealstone.copies')
  const before = realm[name]
  const polluted = Object.prototype as unknown as Record<string, unknown>
  delete realm[name]
  polluted.monitor = { report: () => 'forged' }
  try {
    const own = startMonitor()
    expect(own).toBeInstanceOf(Monitor)
    own.stop()
  } finally {
    delete polluted.monitor
    realm[name] = before
  }
})

test('a batch has failed where an item of it has, and is one operation', async () => {
  monitor = startMonitor()
  const gcm = aead('aes-256-gcm', key)
  const sealed = gcm.sealRandom(undefined, '12345')
  const opened = gcm.openBatch([sealed, new Uint8Array(40), new Uint8Array(2)])
  expect(opened.map((item) => item instanceof Error)).toEqual([false, true, true])
  gcm.openBatch([sealed, sealed])
  gcm.openBatch([])
  const [file] = (await encryptBatch(['12'], { key })) as [Uint8Array]
  await decryptBatch([file, 'no file'], { key })
  const made = counts()
  expect(made['openBatch aes-256-gcm']).toEqual([3, 33 + 42 + 66, 1])
  expect(made['encryptBatch file']).toEqual([1, 2, 0])
  expect(made['decryptBatch file']).toEqual([1, file.length + 7, 1])
  expect(Object.keys(made)).not.toContain('open aes-256-gcm')
})

test('what is not begun is no operation', async () => {
  monitor = startMonitor()
  const { all } = copies()
  const before = all.length
  let used = {
    sync: {},
    bulk: {
      sealerUnit: (sealer: number) => (sealer === 1 ? Promise.resolve({ bytes: new Uint8Array(7) }) : null),
      sealPart: () => null,
    },
    files: {},
    digestLater: (name: string) => (name === 'sha256' ? Promise.resolve(new Uint8Array(32)) : undefined),
  } as unknown as Calls
  try {
    join({
      calls: used,
      use(calls) {
        used = calls
      },
    })
    await Promise.all([1, 2, 3].map((sealer) => used.bulk.sealerUnit(sealer)))
    await Promise.all(['sha256', 'md5', 'sm3'].map((name) => used.digestLater?.(name, key)))
    // This took its part, and makes nothing ready.
    used.bulk.sealPart(1, key, key)
    expect(counts()).toEqual({ 'encryptPart file': [2, 7 + 32, 0], 'hash sha256': [1, 32, 0] })
  } finally {
    all.length = before
  }
})

test('text of a caller is no algorithm, nor ends a label', () => {
  monitor = startMonitor()
  for (const name of ['correct horse', 'x"} 1\n', '__proto__', 'SHA256']) {
    expect(() => hkdf(name as 'sha256', 'a secret', { length: 16 })).toThrow()
    expect(() => argon2idSync('a', 'a salt', { memoryKib: 8, passes: 1, length: 1 })).toThrow()
  }
  expect(() => pbkdf2Sync('correct horse' as 'sha256', 'a', 'b', { iterations: 1 })).toThrow()
  expect(counts()).toEqual({ 'hkdf unknown': [4, 32, 4], 'derive argon2id': [4, 0, 4], 'derive unknown': [1, 0, 1] })
  const [one] = monitor.report().operations
  vi.spyOn(monitor, 'report').mockReturnValue({ since: 0, operations: [{ ...one, algorithm: '\\"\n' } as never] })
  expect(monitor.prometheus()).toContain('sealstone_operations_total{operation="derive",algorithm="\\\\\\"\\n"} 4\n')
})

test('every algorithm is counted by its name', () => {
  monitor = startMonitor()
  const wanted = [
    ...HASHES.map((hash) => `pbkdf2-${hash}`),
    ...Object.keys(KEY_LENGTHS),
    'argon2i',
    'argon2d',
    'scrypt',
  ]
  const none = new Uint8Array()
  for (const name of [...wanted, ...LEGACY_CIPHERS]) {
    expect(() => sync().derive(name, 0, 0, 0, none, none, none, none, true, 32)).toThrow()
    expect(Object.keys(counts())).toContain(`derive ${name}`)
  }
})

test('keys that sign and that share are counted by their kind, and RSA that encrypts', async () => {
  monitor = startMonitor()
  const [signer, ml, curve, kem] = [
    sign.generateKey('ed25519'),
    sign.importPrivateKeySync(new Uint8Array(32), { kind: 'ml-dsa-44' }),
    exchange.generateKey('x25519'),
    exchange.generateKey('ml-kem-512'),
  ]
  const { publicKey } = signer
  const signature = signer.sign('12345')
  publicKey.verify('12345', signature)
  expect(() => publicKey.verify('1234', signature)).toThrow()
  const long = new Uint8Array(300_000)
  await ml.publicKey.verifyAsync(long, await ml.signAsync(long, { context: 'x' }), { context: 'x' })
  curve.diffieHellman(curve.publicKey, { hash: 'sha256', info: '', length: 20 })
  kem.decapsulate(kem.publicKey.encapsulate().ciphertext)
  const key = rsa.importPrivateKeySync(fromBase64(pairs.rsa))
  expect(key.decrypt(await key.publicKey.encryptAsync('123'))).toHaveLength(3)
  expect(() => key.decrypt(new Uint8Array(256))).toThrow()
  expect(rsa.legacy.decryptPkcs1(key, rsa.legacy.encryptPkcs1(key.publicKey, '1234'))).toHaveLength(4)
  expect(counts()).toEqual({
    'agree x25519': [1, 20, 0],
    'decapsulate ml-kem-512': [1, 768, 0],
    'decryptKey rsa': [3, 768, 1],
    'encapsulate ml-kem-512': [1, 0, 0],
    'encryptKey rsa': [2, 7, 0],
    'sign ed25519': [1, 5, 0],
    'sign ml-dsa-44': [1, 300_000, 0],
    'verify ed25519': [2, 9, 1],
    'verify ml-dsa-44': [1, 300_000, 0],
  })
})

test('signature files are counted with the bytes of their content', async () => {
  const folder = mkdtempSync(pathOf(tmpdir(), 'monitor-'))
  try {
    const [content, signed] = [pathOf(folder, 'content'), pathOf(folder, 'signed')]
    writeFileSync(content, '1234567')
    monitor = startMonitor()
    const key = sign.generateKey('ed25519')
    const { publicKey } = key
    const text = await signature.sign('12345', key)
    await signature.sign(new Blob(['12', '3']), key)
    await signature.verify('12345', text, publicKey)
    await expect(signature.verify('1234', text, publicKey)).rejects.toThrow()
    await signature.verifyFile(content, await signature.signFile(content, key), publicKey)
    await expect(signature.verifyFile(content, text, publicKey)).rejects.toThrow()
    await signature.attachFile(content, signed, key)
    await signature.detachFile(signed, publicKey)
    await expect(signature.detachFile(content, publicKey)).rejects.toThrow()
    expect(counts()).toEqual({
      'attachFile signature': [1, 7, 0],
      'detachFile signature': [2, 7, 1],
      'sign signature': [2, 8, 0],
      'signFile signature': [1, 7, 0],
      'verify signature': [2, 9, 1],
      'verifyFile signature': [2, 14, 1],
    })
    expect(monitor.report().operations.every(({ latency }) => latency !== undefined)).toBe(true)
  } finally {
    rmSync(folder, { recursive: true })
  }
})

test('nothing of a password is kept', async () => {
  const cost: PasswordCost = { algorithm: 'scrypt', logN: 10, r: 8, p: 1 }
  monitor = startMonitor()
  const used = () => {
    const password = new Uint8Array(100).fill(97)
    hashPasswordSync(password, cost)
    return new WeakRef(password.buffer)
  }
  const password = used()
  for (let i = 0; i < 100 && password.deref() !== undefined; i++) {
    await new Promise(setImmediate)
    collect()
  }
  expect(password.deref()).toBeUndefined()
  expect(counts()['hashPassword password']?.[0]).toBe(1)
})

test('what data and results say of themselves nobody asks', () => {
  monitor = startMonitor()
  const asked = vi.fn(() => 1e9)
  const data = Object.defineProperty(new Uint8Array(10), 'length', { get: asked })
  hashHex('sha256', data)
  const names = ['then', 'code', 'plaintext', 'bytes', 'undelivered']
  for (const name of names) Object.defineProperty(Object.prototype, name, { configurable: true, get: asked })
  try {
    argon2idSync('a', 'some salt', { memoryKib: 8, passes: 1, length: 20 })
  } finally {
    for (const name of names) delete (Object.prototype as unknown as Record<string, unknown>)[name]
  }
  expect(asked).not.toHaveBeenCalled()
  expect(counts()).toEqual({ 'derive argon2id': [1, 20, 0], 'hash sha256': [1, 10, 0] })
})

test('numbers of objects are those of one copy', () => {
  monitor = startMonitor()
  const { all } = copies()
  const before = all.length
  const copy = (): (() => SyncCalls) => {
    let used = { sync: { mac: () => 7, macInto: () => undefined }, bulk: {}, files: {} } as unknown as Calls
    join({
      calls: used,
      use(calls) {
        used = calls
      },
    })
    return () => used.sync
  }
  try {
    const [one, other] = [copy(), copy()]
    one().mac('hmac-sha256', key, undefined, 0)
    other().mac('hmac-md5', key, undefined, 0)
    one().macInto(7, 'four', key)
    expect(counts()).toEqual({ 'mac hmac-sha256': [1, 4, 0] })
  } finally {
    all.length = before
  }
})
