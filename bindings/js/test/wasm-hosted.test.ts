// `node:crypto` in place of WebAssembly: the same as the addon and WebAssembly alone, faults too.

import crypto, { createHash, randomBytes } from 'node:crypto'
import { setImmediate } from 'node:timers/promises'
import { expect, test, vi } from 'vitest'
import type { BulkCalls, Failure, Handle, Later, Out, Part, SyncCalls } from '../src/backend/calls.js'
import type { HostCrypto } from '../src/backend/wasm/host-crypto.js'
import { SealstoneError } from '../src/basics/error.js'
import { hostCrypto } from '../src/node/host-crypto.js'
import { loadNative } from '../src/node/native.js'
import { collect } from './garbage.js'
import { computing, HASHES, hostedCalls, nodeCrypto, promisedCalls, wasmCalls } from './modules.js'

/** The exports of every instance that was made, so that its memory can be looked at. */
const made = vi.hoisted(() => {
  const made: WebAssembly.Exports[] = []
  WebAssembly.Instance = class extends WebAssembly.Instance {
    constructor(module: WebAssembly.Module, imports?: WebAssembly.Imports) {
      super(module, imports)
      made.push(this.exports)
    }
  }
  return made
})

interface Computes {
  readonly sync: SyncCalls
  readonly bulk: BulkCalls
}

const native = loadNative()
const ADDON: Computes = { sync: native, bulk: native }
const ALL: Record<string, Computes> = {
  addon: ADDON,
  wasm: wasmCalls(),
  hosted: hostedCalls(),
  promised: promisedCalls(),
}
const [HOSTED, PROMISED] = [ALL.hosted, ALL.promised] as [Computes, Computes]
const NO = undefined
const CHUNK = 16_384
const SEALED = CHUNK + 16
const LENGTHS = [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 5 * CHUNK + 7, 130 * CHUNK, 1_234_567]
const PARTS = [1000, SEALED, 65_536, 1 << 20]
const KEY = new Uint8Array(randomBytes(32))
const random = (length: number) => new Uint8Array(randomBytes(length))

/** A promise's value or error. */
async function given<T>(later: Later<T>): Promise<T> {
  const result = (await later) as T | Failure
  if (typeof result === 'object' && result !== null && 'code' in result) throw Object.assign(new Error(), result)
  return result as T
}

/** A result, or the error in its place. */
async function said(work: () => unknown): Promise<unknown> {
  try {
    const result = await work()
    return result instanceof Uint8Array ? createHash('sha256').update(result).digest('hex') : result
  } catch (error) {
    const { code, message } = error as Failure
    return `${code}: ${message}`
  }
}

function encryptorOf({ sync }: Computes, armour = false): Handle {
  return sync.encryptor([sync.identityRecipient(sync.identityOfKey(KEY))], NO, NO, NO, NO, armour, NO)
}

function decryptorOf({ sync }: Computes): Handle {
  return sync.decryptor([sync.identityOfKey(KEY)], NO, NO, NO)
}

const joined = (parts: readonly Uint8Array[]): Uint8Array => new Uint8Array(Buffer.concat(parts))

function inParts(data: Uint8Array, length: number): Uint8Array[] {
  const parts = []
  for (let at = 0; at < data.length; at += length) parts.push(data.subarray(at, at + length))
  return parts
}

/** Bytes of a stream, up to a failure. */
async function streamed(
  data: Uint8Array,
  partLen: number,
  take: (part: Uint8Array) => number,
  unit: () => Later<Part> | null,
  end: () => Later<Part>,
): Promise<Part> {
  const bytes: Uint8Array[] = []
  for (const part of inParts(data, partLen)) {
    for (let at = 0; at < part.length; ) {
      at += take(part.subarray(at))
      const work = unit()
      if (work === null) continue
      const found = await given(work)
      bytes.push(found.bytes)
      if (found.failure !== undefined) return { bytes: joined(bytes) as Out, failure: found.failure }
    }
  }
  const last = await given(end())
  return { ...last, bytes: joined([...bytes, last.bytes]) as Out }
}

/** Every way to encrypt. */
const SEALING: Record<string, (computes: Computes, plaintext: Uint8Array) => unknown> = {
  'at once'({ sync }, plaintext) {
    const recipient = sync.identityRecipient(sync.identityOfKey(KEY))
    const [sealer, length] = sync.sealer([recipient], NO, NO, NO, NO, NO, NO, plaintext.length)
    const file = new Uint8Array(length)
    sync.sealInto(sealer, plaintext, file, NO)
    return file
  },
  async 'in parts'(computes, plaintext) {
    const { sync, bulk } = computes
    const sealer = await given(bulk.sealerLater(encryptorOf(computes), sync.job()))
    const file = sync.memory(sync.sealerFileLen(sealer, plaintext.length))
    for (const part of plaintext.length === 0 ? [plaintext] : inParts(plaintext, 100_000)) {
      const work = bulk.sealPart(sealer, part, file)
      if (work !== null) await given(work)
    }
    return file
  },
  ...Object.fromEntries(
    PARTS.map((partLen) => [
      `a stream by ${partLen}`,
      async (computes: Computes, plaintext: Uint8Array) => {
        const { sync, bulk } = computes
        const sealer = await given(bulk.sealerLater(encryptorOf(computes), sync.job()))
        const head = sync.sealerHead(sealer)
        const { bytes } = await streamed(
          plaintext,
          partLen,
          (part) => sync.sealerFill(sealer, part),
          () => bulk.sealerUnit(sealer),
          () => bulk.sealerFinish(sealer),
        )
        return joined([head, bytes])
      },
    ]),
  ),
  armour: (computes, plaintext) => computes.sync.encryptArmoured(encryptorOf(computes, true), plaintext),
  async batch(computes, plaintext) {
    const { sync, bulk } = computes
    const lengths = Uint32Array.of(plaintext.length)
    const all = new Uint8Array(plaintext)
    return (await given(bulk.encryptBatch(encryptorOf(computes), all, lengths, sync.job(), 1))).bytes
  },
}

/** Every way to decrypt; the memory after a failure is looked at. */
const OPENING: Record<string, (computes: Computes, file: Uint8Array) => unknown> = {
  'at once'({ sync }, file) {
    const [opener, length = 0] = sync.opener([sync.identityOfKey(KEY)], NO, NO, NO, file, file.length)
    const plaintext = random(length)
    try {
      sync.openInto(opener, file, plaintext, NO)
    } catch (error) {
      expect(plaintext.every((byte) => byte === 0)).toBe(true)
      throw error
    }
    return plaintext
  },
  async 'in parts'({ sync, bulk }, file) {
    const [opener, length = 0] = sync.opener([sync.identityOfKey(KEY)], NO, NO, NO, file, file.length)
    const plaintext = sync.memory(length)
    let isLast: boolean | undefined
    const working = inParts(file, 100_000).map((part) => bulk.openPart(opener, part, plaintext))
    for (const work of working) if (work !== null) isLast = await given(work)
    return [isLast, await said(() => plaintext)]
  },
  ...Object.fromEntries(
    PARTS.map((partLen) => [
      `a stream by ${partLen}`,
      async ({ sync, bulk }: Computes, file: Uint8Array) => {
        const head = file.subarray(0, sync.fileHeadLen(file))
        const opener = await given(bulk.openerLater(decryptorOf({ sync, bulk }), head, sync.job()))
        const { bytes, failure } = await streamed(
          file.subarray(head.length),
          partLen,
          (part) => sync.openerFill(opener, part),
          () => bulk.openerUnit(opener),
          () => bulk.openerFinish(opener, true),
        )
        return [bytes.length, await said(() => bytes), failure?.code, failure?.message]
      },
    ]),
  ),
  'of any form': (computes, file) => computes.sync.decryptArmoured(decryptorOf(computes), file),
  async loaded(computes, file) {
    const { sync, bulk } = computes
    const loading = sync.loading()
    sync.loadingUpdate(loading, file, file.length)
    const found = await given(bulk.decryptLoaded(decryptorOf(computes), loading, sync.job(), 1))
    if (!('undelivered' in found)) return found
    const { undelivered, length } = found as { undelivered: Handle; length: number }
    const result = new Uint8Array(length)
    while (sync.resultTake(undelivered, result) > 0);
    return result
  },
  async batch(computes, file) {
    const all = new Uint8Array(file)
    const { sync, bulk } = computes
    const found = await given(bulk.decryptBatch(decryptorOf(computes), all, Uint32Array.of(file.length), sync.job(), 1))
    const [failure] = found.failures
    return [await said(() => found.bytes), failure?.code, failure?.message]
  },
  ...Object.fromEntries(
    [
      [0, 1],
      [0, CHUNK],
      [CHUNK - 1, CHUNK + 1],
      [CHUNK, 2 * CHUNK],
      [10, 5 * CHUNK + 7],
      [5 * CHUNK + 7, 5 * CHUNK + 7],
      [5 * CHUNK, 1e9],
      [1e9, 1e9],
      [7, 6],
    ].map(([start = 0, end = 0]) => [
      `from ${start} to ${end}`,
      (computes: Computes, file: Uint8Array) => computes.sync.decryptRange(decryptorOf(computes), file, start, end),
    ]),
  ),
}

/** A file with every kind of fault. */
function faults(file: Uint8Array, headLen: number): Record<string, Uint8Array> {
  const chunks = inParts(file.subarray(headLen), SEALED)
  const head = file.subarray(0, headLen)
  const flipped = (at: number): Uint8Array => file.map((byte, i) => (i === at ? byte ^ 1 : byte))
  const of = (...order: number[]): Uint8Array => joined([head, ...order.map((i) => chunks[i] as Uint8Array)])
  const all = chunks.map((_, i) => i)
  const found: Record<string, Uint8Array> = { none: file }
  for (const at of [0, 8, 12, 40, headLen - 57, headLen - 56, headLen - 32, headLen - 1]) {
    found[`a bit of the head at ${at}`] = flipped(at)
  }
  for (let at = headLen; at < file.length; at += SEALED) {
    const end = Math.min(at + SEALED, file.length)
    for (const place of [at, at + 100, end - 17, end - 16, end - 1]) {
      if (place >= at && place < end) found[`a bit at ${place - headLen}`] = flipped(place)
    }
    for (const cut of [at - 1, at, at + 1, at + 15, at + 16, at + 17]) {
      if (cut < file.length) found[`cut at ${cut - headLen}`] = file.subarray(0, cut)
    }
  }
  found['a byte more'] = joined([file, Uint8Array.of(0)])
  found['a tag more'] = joined([file, random(16)])
  found['a chunk more'] = joined([file, random(SEALED)])
  found['the end twice'] = of(...all, all.length - 1)
  if (chunks.length > 2) {
    found['two chunks swapped'] = of(1, 0, ...all.slice(2))
    found['the first chunk twice'] = of(0, 0, ...all.slice(2))
    found['a chunk less'] = of(0, ...all.slice(2))
    const two = flipped(headLen + SEALED)
    two[headLen + 2 * SEALED] = (two[headLen + 2 * SEALED] as number) ^ 1
    found['two faults'] = two
  }
  return found
}

test('a file that the host seals in any way is opened by the addon, and the other way round', async () => {
  for (const length of LENGTHS) {
    const plaintext = random(length)
    const expected = await said(() => plaintext)
    for (const [way, seal] of Object.entries(SEALING)) {
      for (const [sealer, opener] of [
        [HOSTED, ADDON],
        [ADDON, HOSTED],
        [PROMISED, ADDON],
      ] as const) {
        const file = (await seal(sealer, plaintext)) as Uint8Array
        expect(await said(() => opener.sync.decryptArmoured(decryptorOf(opener), file)), way).toBe(expected)
      }
    }
  }
})

test('a file with any fault is refused with the same words, and gives the same bytes before', async () => {
  for (const length of [0, 100, CHUNK, 5 * CHUNK + 7, 18 * CHUNK]) {
    const file = (await SEALING['at once']?.(ADDON, random(length))) as Uint8Array
    const headLen = file.length - length - 16 * (Math.floor(length / CHUNK) + 1)
    // A fault in each of many chunks says no more than one in each of a few.
    const found = Object.entries(faults(file, headLen))
    const some = length > 10 * CHUNK ? found.filter((_, i) => i % 7 === 0 || i > found.length - 8) : found
    for (const [fault, bytes] of some) {
      for (const [way, open] of Object.entries(OPENING)) {
        const [addon, ...others] = await Promise.all(
          Object.values(ALL).map((computes) => said(() => open(computes, bytes))),
        )
        expect(others, `${length} bytes, ${fault}, ${way}`).toEqual(others.map(() => addon))
      }
    }
  }
})

test('armour with a fault is refused with the same words', async () => {
  const text = (await SEALING.armour?.(ADDON, random(3 * CHUNK))) as Uint8Array
  const changed = (at: number): Uint8Array => text.map((byte, i) => (i === at ? 0x2a : byte))
  const cases = [text, changed(5), changed(100), changed(text.length - 5), text.subarray(0, 5000), text.subarray(0, -1)]
  const ways = ['of any form', 'loaded', 'batch', `from 0 to ${CHUNK}`, 'from 7 to 6'] as const
  for (const bytes of [...cases, joined([text, text])]) {
    for (const way of ways) {
      const [addon, ...others] = await Promise.all(
        Object.values(ALL).map((computes) => said(() => OPENING[way]?.(computes, bytes))),
      )
      expect(others, way).toEqual(others.map(() => addon))
    }
  }
})

test('what comes after a chunk that failed fails too, and a stream that was cut short gives its whole chunks', async () => {
  const file = (await SEALING['at once']?.(ADDON, random(40 * CHUNK))) as Uint8Array
  const { sync, bulk } = HOSTED
  const headLen = sync.fileHeadLen(file)
  const wrong = file.slice()
  wrong[headLen + 2 * SEALED] = (wrong[headLen + 2 * SEALED] as number) ^ 1
  const opener = await given(bulk.openerLater(decryptorOf(HOSTED), wrong.subarray(0, headLen), sync.job()))
  const failure = { code: 'not_authentic', message: 'chunk 2 is not authentic' }
  const taken = sync.openerFill(opener, wrong.subarray(headLen))
  expect(taken).toBe(16 * SEALED)
  expect(await bulk.openerUnit(opener)).toMatchObject({ failure, bytes: { length: 2 * CHUNK } })
  sync.openerFill(opener, wrong.subarray(headLen + taken))
  expect(await bulk.openerUnit(opener)).toEqual({ bytes: new Uint8Array(0), failure })
  expect(await bulk.openerFinish(opener, true)).toEqual({ bytes: new Uint8Array(0), failure })
  const cut = await given(bulk.openerLater(decryptorOf(HOSTED), file.subarray(0, headLen), sync.job()))
  sync.openerFill(cut, file.subarray(headLen, headLen + 3 * SEALED + 100))
  expect((await given(bulk.openerFinish(cut, false))).bytes).toHaveLength(3 * CHUNK)
})

test('bytes under a key of the caller cross between the host and the addon', async () => {
  const context = new TextEncoder().encode('record 17')
  for (const length of LENGTHS) {
    const plaintext = random(length)
    const [ours, theirs] = [HOSTED, ADDON].map(({ sync }) => sync.chunkedKey('aes-256-gcm', KEY)) as [Handle, Handle]
    const sealed = HOSTED.sync.chunkedEncrypt(ours, context, plaintext)
    expect(Buffer.compare(native.chunkedDecrypt(theirs, context, sealed), plaintext)).toBe(0)
    expect(Buffer.compare(HOSTED.sync.chunkedDecrypt(ours, context, sealed), plaintext)).toBe(0)
    const wrongs = [sealed.subarray(0, -1), sealed.subarray(0, 20), sealed.map((byte, i) => byte ^ Number(i === 60))]
    for (const wrong of [...wrongs, joined([sealed, random(16)])]) {
      const opened = ([{ sync }, key]: [Computes, Handle]) => said(() => sync.chunkedDecrypt(key, context, wrong))
      expect(await opened([HOSTED, ours])).toBe(await opened([ADDON, theirs]))
    }
    expect(await said(() => HOSTED.sync.chunkedDecrypt(ours, new Uint8Array(1), sealed))).toBe(
      'not_authentic: not authentic',
    )
  }
})

test('one buffer is sealed and opened as elsewhere, wherever input and output lie', async () => {
  for (const length of [0, 1, 50, 65_536, 200_001]) {
    const [text, nonce, aad] = [random(length), random(12), random(20)]
    const run = ({ sync }: Computes) => {
      const key = sync.aead('aes-256-gcm', KEY)
      const found: unknown[] = []
      const lent = (bytes: Uint8Array) => bytes as never
      const sealed = new Uint8Array(length + 16)
      sync.aeadSeal(key, lent(nonce), lent(aad), lent(text), sealed)
      found.push(Buffer.from(sealed).toString('base64'))
      for (const shift of [0, 1, 16]) {
        const area = new Uint8Array(length + 64)
        area.set(text, shift)
        sync.aeadSeal(key, lent(nonce), NO, lent(area.subarray(shift, shift + length)), area.subarray(0, length + 16))
        found.push(Buffer.from(area.subarray(0, length + 16)).toString('base64'))
        area.copyWithin(shift, 0, length + 16)
        sync.aeadOpen(key, lent(nonce), NO, lent(area.subarray(shift, shift + length + 16)), area.subarray(0, length))
        expect(Buffer.compare(area.subarray(0, length), text)).toBe(0)
      }
      const drawn = new Uint8Array(length + 28)
      sync.aeadSeal(key, NO, lent(aad), lent(text), drawn)
      const opened = new Uint8Array(length + 28)
      sync.aeadOpen(key, NO, lent(aad), lent(drawn), opened)
      expect(Buffer.compare(opened.subarray(0, length), text)).toBe(0)
      for (const wrong of [
        () => sync.aeadOpen(key, lent(nonce), NO, lent(sealed), opened),
        () => sync.aeadOpen(key, lent(random(12)), lent(aad), lent(sealed), opened),
        () => sync.aeadOpen(key, lent(random(11)), lent(aad), lent(sealed), opened),
        () => sync.aeadOpen(key, lent(nonce), lent(aad), lent(sealed.map((byte) => byte ^ 1)), opened),
        () => sync.aeadSeal(key, lent(random(11)), lent(aad), lent(text), sealed),
      ]) {
        opened.fill(9)
        let words = ''
        try {
          wrong()
        } catch (error) {
          words = `${(error as Failure).code}: ${(error as Failure).message}`
        }
        found.push(
          words,
          opened.subarray(0, length).every((byte) => byte === 0),
        )
      }
      sync.release(key)
      return found
    }
    const [addon, ...others] = Object.values(ALL).map(run)
    expect(others).toEqual(others.map(() => addon))
  }
})

test('what was loaded is sealed and opened by the host', async () => {
  const { sync, bulk } = HOSTED
  const [text, nonce, aad] = [random(300_000), random(12), random(5)]
  const loadedOf = (bytes: Uint8Array): Handle => {
    const loading = sync.loading()
    sync.loadingUpdate(loading, bytes, bytes.length + 16)
    return loading
  }
  const [ours, theirs] = [HOSTED, ADDON].map((computes) => computes.sync.aead('aes-256-gcm', KEY)) as [Handle, Handle]
  for (const own of [nonce, NO]) {
    const job = sync.job()
    const room = joined([new Uint8Array(own === NO ? 12 : 0), text])
    const sealed = await given(bulk.aeadSealLoaded(ours, own, aad, loadedOf(room), job))
    expect(sync.jobProgress(job)).toEqual([text.length])
    const opened = new Uint8Array(text.length + 28)
    native.aeadOpen(theirs, own as never, aad as never, sealed as never, opened)
    expect(Buffer.compare(opened.subarray(0, text.length), text)).toBe(0)
    const back = await given(bulk.aeadOpenLoaded(ours, own, aad, loadedOf(sealed), sync.job()))
    expect(Buffer.compare(back, text)).toBe(0)
    expect(await bulk.aeadOpenLoaded(ours, own, text, loadedOf(sealed), sync.job())).toEqual({
      code: 'not_authentic',
      message: 'not authentic',
    })
  }
  // A key lives until its last number is released.
  const other = sync.again(ours)
  sync.release(ours)
  expect(await given(bulk.aeadSealLoaded(other, nonce, aad, loadedOf(text), sync.job()))).toHaveLength(300_016)
})

test('a digest is the same, at once and of parts that go on after it', () => {
  const data = random(300_000)
  for (const name of HASHES) {
    const run = ({ sync }: Computes) => {
      const [id, hex, base64] = [sync.hashId(name), sync.encodingId('hex'), sync.encodingId('base64')]
      const out = new Uint8Array(sync.hashLen(id))
      sync.hashInto(id, data, out)
      const hasher = sync.hasher(id)
      const empty = Buffer.from(sync.hasherDigest(hasher, 0)).toString('hex')
      sync.hasherUpdate(hasher, data.subarray(0, 100_001))
      const begun = sync.hasherText(hasher, hex, 0)
      const clone = sync.hasherClone(hasher)
      sync.hasherUpdate(hasher, data.subarray(100_001))
      const whole = Buffer.from(sync.hasherDigest(hasher, 0)).toString('hex')
      sync.release(hasher)
      expect([sync.hasherText(clone, hex, 0), sync.hasherText(clone, base64, out.length)]).toEqual([
        begun,
        Buffer.from(begun, 'hex').toString('base64'),
      ])
      sync.release(clone)
      expect([Buffer.from(out).toString('hex'), sync.hashText(id, data, hex, 0)]).toEqual([whole, whole])
      const text = 'é'.repeat(60_000)
      expect(sync.hashText(id, text, base64, 0)).toBe(sync.hashText(id, Buffer.from(text), base64, 0))
      const wrong = out.length + 1
      let long = ''
      try {
        long = sync.hashText(id, data, hex, wrong)
      } catch (error) {
        if (!(error instanceof SealstoneError || error instanceof Error)) throw error
        long = (error as SealstoneError).code
      }
      return [empty, begun, whole, long]
    }
    const [addon, ...others] = Object.values(ALL).map(run)
    expect(others, name).toEqual(others.map(() => addon))
  }
  expect(() => HOSTED.sync.hashId('constructor')).toThrow(expect.objectContaining({ code: 'unknown_algorithm' }))
})

/** A base module with `node:crypto`, and its calls: keys as they came and as they were, and how many chunks it seals. */
function watched(): {
  computes: ReturnType<typeof computing>
  keys: Uint8Array[]
  copies: Uint8Array[]
  seals: { count: number }
} {
  const [keys, copies, seals] = [[] as Uint8Array[], [] as Uint8Array[], { count: 0 }]
  const real = nodeCrypto()
  const crypto: HostCrypto = {
    ...real,
    key(bytes) {
      keys[keys.length] = bytes
      copies[copies.length] = new Uint8Array(bytes)
      return real.key(bytes)
    },
    seal(key, nonce, aad, plaintext, sealed, at) {
      seals.count++
      real.seal(key, nonce, aad, plaintext, sealed, at)
    },
  }
  return { computes: computing({ crypto }), keys, copies, seals }
}

test('a key that crosses is zeroed on both sides, and no plaintext crosses', () => {
  const { computes, keys, copies, seals } = watched()
  const plaintext = random(3_000_000)
  const identity = computes.identityOfKey(KEY)
  const [sealer, length] = computes.sealer([computes.identityRecipient(identity)], NO, NO, NO, NO, NO, NO, 3_000_000)
  const file = new Uint8Array(length)
  computes.sealInto(sealer, plaintext, file, NO)
  const [opener, plaintextLen = 0] = computes.opener([identity], NO, NO, NO, file, file.length)
  const opened = new Uint8Array(plaintextLen)
  computes.openInto(opener, file, opened, NO)
  expect(Buffer.compare(opened, plaintext)).toBe(0)
  expect(seals.count).toBe(Math.ceil(3_000_001 / CHUNK))
  expect(keys).toEqual([new Uint8Array(32), new Uint8Array(32)])
  const [key, same] = copies.map((copy) => Buffer.from(copy)) as [Buffer, Buffer]
  expect(key.every((byte) => byte === 0)).toBe(false)
  expect(key).toEqual(same)
  const [exports] = made.slice(-1) as [WebAssembly.Exports]
  const memory = Buffer.from((exports.memory as WebAssembly.Memory).buffer)
  expect(memory.length).toBeLessThan(plaintext.length)
  expect(memory.includes(key.subarray(0, 16)) || memory.includes(key.subarray(16))).toBe(false)
  expect(memory.includes(Buffer.from(plaintext.subarray(0, 16)))).toBe(false)
})

test('what the host has of an object goes when the owner is collected', async () => {
  const { computes, keys } = watched()
  const encryptor = computes.encryptor(
    [computes.identityRecipient(computes.identityOfKey(KEY))],
    NO,
    NO,
    NO,
    NO,
    NO,
    NO,
  )
  const before = computes.heldCount()
  const begin = (): void => {
    const sealer = computes.sealerOf(encryptor)
    for (const handle of [sealer, computes.aead('aes-256-gcm', KEY), computes.hasher(computes.hashId('sha256'))])
      computes.own(handle, {})
    computes.sealerFill(sealer, random(100_000))
  }
  begin()
  expect([computes.heldCount(), keys.length]).toEqual([before + 3, 2])
  for (let i = 0; i < 100 && computes.heldCount() > before; i++) {
    collect()
    await setImmediate()
  }
  expect(computes.heldCount()).toBe(before)
})

test('an owner that is collected late ends no object that has its number by then', async () => {
  for (const { sync } of [wasmCalls(), hostedCalls()]) {
    const begin = (): Handle => {
      const number = sync.aead('aes-256-gcm', KEY)
      sync.own(number, {})
      sync.release(number)
      return number
    }
    const number = begin()
    let again = sync.aead('aes-256-gcm', KEY)
    // The slot's numbers come round after 4,096 uses.
    for (let i = 0; i < 5000 && again !== number; i++) {
      sync.release(again)
      again = sync.aead('aes-256-gcm', KEY)
    }
    expect(again).toBe(number)
    const owner = {}
    sync.own(again, owner)
    for (let i = 0; i < 5; i++) {
      collect()
      await setImmediate()
    }
    const sealed = new Uint8Array(200 + 16)
    sync.aeadSeal(again, random(12) as never, NO, random(200) as never, sealed)
    expect(sealed.some((byte) => byte !== 0)).toBe(true)
    expect(owner).toEqual({})
  }
})

test('short files and buffers stay in WebAssembly', () => {
  const { computes, keys, seals } = watched()
  const recipient = computes.identityRecipient(computes.identityOfKey(KEY))
  const [sealer, length] = computes.sealer([recipient], NO, NO, NO, NO, NO, NO, 100)
  computes.sealInto(sealer, random(100), new Uint8Array(length), NO)
  expect([keys, seals.count]).toEqual([[], 0])
  const [chacha, len] = computes.sealer([recipient], 'chacha20-poly1305', NO, NO, NO, NO, NO, 100_000)
  computes.sealInto(chacha, random(100_000), new Uint8Array(len), NO)
  expect([keys, seals.count]).toEqual([[], 0])
})

test("what others put in place of the language's and Node's functions sees nothing", () => {
  const { computes, seals } = watched()
  const identity = computes.identityOfKey(KEY)
  const recipient = computes.identityRecipient(identity)
  const [plaintext, nonce, key] = [random(100_000), random(12), computes.aead('aes-256-gcm', KEY)]
  const [sealer, length] = computes.sealer([recipient], NO, NO, NO, NO, NO, NO, plaintext.length)
  const [file, opened, text] = [new Uint8Array(length), new Uint8Array(100_000), new Uint8Array(100_016)]
  const [decryptor, hasher] = [computes.decryptor([identity], NO, NO, NO), computes.hasher(computes.hashId('sha256'))]
  const [sha512, hex] = [computes.hashId('sha512'), computes.encodingId('hex')]
  const seen: string[] = []
  const restore: (() => void)[] = []
  const patch = (object: object, name: PropertyKey): void => {
    const descriptor = Object.getOwnPropertyDescriptor(object, name)
    if (descriptor === undefined) return
    restore[restore.length] = () => Object.defineProperty(object, name, descriptor)
    const spy = (): never => {
      seen[seen.length] = String(name)
      throw new Error('a spy')
    }
    Object.defineProperty(object, name, descriptor.get ? { ...descriptor, get: spy } : { ...descriptor, value: spy })
  }
  const objects = [
    crypto.createCipheriv('aes-256-gcm', KEY, nonce),
    crypto.createDecipheriv('aes-256-gcm', KEY, nonce),
    crypto.createHash('sha256'),
  ]
  let found: unknown
  try {
    const typedArray = Object.getPrototypeOf(Uint8Array.prototype) as object
    for (const name of ['set', 'fill', 'slice', 'subarray', 'length', 'buffer', 'byteOffset']) patch(typedArray, name)
    patch(typedArray, Symbol.iterator)
    for (const name of ['push', 'map', 'forEach']) patch(Array.prototype, name)
    for (const object of objects) {
      for (const name of ['update', 'final', 'getAuthTag', 'setAuthTag', 'setAAD', 'digest', 'copy'])
        patch(Object.getPrototypeOf(object), name)
    }
    for (const name of ['createCipheriv', 'createDecipheriv', 'createSecretKey', 'createHash']) patch(crypto, name)
    computes.sealInto(sealer, plaintext, file, NO)
    const opener = computes.openerOf(decryptor, file)
    computes.openInto(opener, file, opened, NO)
    const part = computes.decryptRange(decryptor, file, 1, 3)
    computes.aeadSeal(key, nonce as never, nonce as never, opened as never, text)
    computes.aeadOpen(key, nonce as never, nonce as never, text as never, opened)
    computes.hasherUpdate(hasher, opened)
    found = [part[0], computes.hasherDigest(hasher, 0)[0], opened[7], computes.hashText(sha512, opened, hex, 0)]
  } catch (error) {
    found = error
  } finally {
    for (const undo of restore.reverse()) undo()
  }
  const digest = (name: string) => createHash(name).update(plaintext).digest()
  const expected = [plaintext[1], digest('sha256')[0], plaintext[7], digest('sha512').toString('hex')]
  expect([found, seen]).toEqual([expected, []])
  expect(seals.count).toBe(8)
})

test('Node derives keys of passphrases for those who wait; what it does not, the module does', async () => {
  const passphrase = new TextEncoder().encode('correct horse')
  const identity = native.identityGenerate('p256')
  const pem = Buffer.from(native.identityExport(identity, 'pem', passphrase))
  const fingerprint = native.recipientFingerprint(native.identityRecipient(identity))
  const node = nodeCrypto()
  for (const derive of [node.derive, async () => undefined]) {
    const asked: string[] = []
    const counted: HostCrypto['derive'] = (password, derivation) => {
      asked.push(derivation.hash)
      return derive(password, derivation)
    }
    const { sync, bulk } = wasmCalls({ crypto: { ...node, derive: counted } })
    const [read = 0] = await given(bulk.identitiesParseLater(pem, passphrase))
    expect(sync.recipientFingerprint(sync.identityRecipient(read))).toBe(fingerprint)
    const wrong = new TextEncoder().encode('another')
    await expect(given(bulk.identitiesParseLater(pem, wrong))).rejects.toMatchObject({ code: 'no_matching_identity' })
    expect(asked).toEqual(['SHA-256', 'SHA-256'])
    expect(sync.identitiesParse(pem, passphrase)).toHaveLength(1)
    expect(asked).toHaveLength(2)
  }
  const [salt, iterations, length] = [random(16), 3, 24]
  for (const hash of ['SHA-1', 'SHA-256', 'SHA-384', 'SHA-512']) {
    const theirs = crypto.pbkdf2Sync(passphrase, salt, iterations, length, hash)
    expect(await node.derive(passphrase, { hash, salt, iterations, length })).toEqual(new Uint8Array(theirs))
  }
  expect(await node.derive(passphrase, { hash: 'SHA-7', salt, iterations, length })).toBeUndefined()
})

test('a Node without crypto leaves all to WebAssembly', () => {
  vi.spyOn(process, 'getBuiltinModule').mockImplementation(() => {
    throw new Error('Node.js is not compiled with OpenSSL crypto support')
  })
  try {
    expect(hostCrypto()).toBeUndefined()
  } finally {
    vi.restoreAllMocks()
  }
})
