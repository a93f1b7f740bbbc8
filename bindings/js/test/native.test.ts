// The addon under wrong use: our own TypeScript never does this, and a bug in it must not end the process.

import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { expect, test } from 'vitest'
import { decryptSync, encryptSync, generateIdentity, rewrapSync } from '../src/api/index.js'
import type { BulkCalls, FileCalls, SyncCalls } from '../src/backend/calls.js'
import type { Addon } from '../src/node/native.js'
import { call, callLater, sync } from '../src/work/call.js'

const generated = generateIdentity('x25519')
const internal = expect.objectContaining({ code: 'internal' })

function addon(): Addon {
  return createRequire(import.meta.url)('sealstone-linux-x64-gnu') as Addon
}

/** The functions whose answer is a promise, or none where there is no work. */
type Promising<Calls> = {
  [Name in keyof Calls]: Calls[Name] extends (...args: never[]) => Promise<unknown> | null ? Name : never
}[keyof Calls]

test('the addon has the three parts of the calls: what answers at once, what promises, and what takes names of files', () => {
  // The compiler tells: all functions of the two latter promise, and none of the first.
  const promising: [
    Exclude<keyof BulkCalls, Promising<BulkCalls>>,
    Exclude<keyof FileCalls, Promising<FileCalls>>,
  ] extends [never, never]
    ? true
    : false = true
  const atOnce: [Promising<SyncCalls>] extends [never] ? true : false = true
  expect([promising, atOnce]).toEqual([true, true])
  const text = readFileSync(new URL('../src/backend/calls.ts', import.meta.url), 'utf8')
  const [own = ''] = text.split('// Calls that WebAssembly alone has')
  const names = [...own.matchAll(/^ {2}(\w+)\(/gm)].map(([, name]) => name as string)
  expect(new Set(names).size).toBe(names.length)
  expect(names.length).toBeGreaterThan(250)
  expect(Object.keys(addon()).sort()).toEqual(names.sort())
})

test('a panic is an error with a code', () => {
  const native = addon()
  expect(() => native.identityKind(12_345)).toThrow(internal)
  expect(() => native.aeadSeal(7, undefined, undefined, new Uint8Array(1), new Uint8Array(1))).toThrow(internal)
  expect(() => call((sync) => sync.hasherUpdate(1 << 30, new Uint8Array(1)))).toThrow(
    expect.objectContaining({ name: 'SealstoneError', code: 'internal' }),
  )
})

test('a panic that becomes an error says nothing on stderr, and where it was in the error', () => {
  const program = `try { require('sealstone-linux-x64-gnu').identityKind(12345) } catch (error) { console.log(error.message) }`
  const { status, stdout, stderr } = spawnSync('node', ['-e', program], { cwd: import.meta.dirname })
  expect(stderr.toString()).toBe('')
  expect(stdout.toString()).toMatch(/^a bug in Sealstone: .* \(\w+\.rs:\d+\)\n$/)
  expect(status).toBe(0)
})

test('where there are a million objects, one more is an error of every function that makes one', () => {
  const native = addon()
  const objects: number[] = []
  const full = expect.objectContaining({ code: 'too_many_objects', message: expect.stringContaining('destroy()') })
  try {
    const fill = () => {
      while (true) objects.push(native.loading())
    }
    expect(fill).toThrow(full)
    expect(objects.length).toBeGreaterThan(1e6)
    const makes = [native.job, native.armour, () => native.dearmour(false), native.loading]
    for (const make of makes) expect(make).toThrow(full)
    expect(() => native.again(objects[0] as number)).toThrow(full)
    expect(() => native.identityGenerate('x25519')).toThrow(full)
  } finally {
    for (const object of objects) native.release(object)
  }
  native.release(native.job())
})

test('what fails because of its options releases the keys that it had made', () => {
  const native = addon()
  const key = new Uint8Array(32)
  /** The highest place in use: a number has it in its lower 20 bits. */
  const places = () => {
    const made = Array.from({ length: 20 }, () => native.identityOfKey(key))
    for (const one of made) native.release(one)
    return Math.max(...made.map((one) => one & 0xfffff))
  }
  const before = places()
  for (let i = 0; i < 100; i++) {
    expect(() => encryptSync('x', { key, recipients: 'junk' })).toThrow()
    expect(() => encryptSync('x', { passphrase: 'x', key: 5 as never })).toThrow()
    expect(() => encryptSync('x', { key, context: 5 as never })).toThrow()
    expect(() => decryptSync('x', { key, identities: 'junk' })).toThrow()
    expect(() => decryptSync('x', { key, context: 5 as never })).toThrow()
    expect(() => rewrapSync('x', { identities: generated, recipients: 'junk' })).toThrow()
  }
  expect(places()).toBeLessThan(before + 20)
})

test('a panic on another thread is one too', async () => {
  const native = addon()
  const key = native.identityOfKey(new Uint8Array(32))
  const recipients = [native.identityRecipient(key)]
  const none = undefined
  const encryptor = native.encryptor(recipients, none, none, none, none, none, none)
  // There are not as many bytes.
  const [data, lengths] = [new Uint8Array(1), new Uint32Array([2])]
  await expect(
    callLater((bulk) => bulk.encryptBatch(encryptor, data, lengths, native.job(), none)),
  ).rejects.toMatchObject({
    name: 'SealstoneError',
    code: 'internal',
    message: expect.stringMatching(/^a bug in Sealstone: /),
  })
  const [sealer] = native.sealer(recipients, none, none, none, none, none, none, 0)
  await native.sealerFinish(sealer)
  // There is no chunk after the last.
  expect(() => native.sealerFinish(sealer)).toThrow(internal)
})

test('a number that is stale or of another kind finds nothing', () => {
  const native = addon()
  const identity = native.identityGenerate('x25519')
  expect(() => native.hasherDigest(identity, 0)).toThrow(internal)
  native.release(identity)
  native.release(identity)
  expect(() => native.identityKind(identity)).toThrow(internal)
  const other = native.identityGenerate('key')
  expect(native.identityKind(other)).toBe('key')
  expect(() => native.identityKind(identity)).toThrow(internal)
  native.release(other)
})

test('arguments of wrong types are errors', () => {
  const native = addon() as unknown as Record<string, (...args: unknown[]) => unknown>
  const key = sync().aead('aes-256-gcm', new Uint8Array(32))
  for (const wrong of [null, 'x', 7, {}, new Uint16Array(4), new ArrayBuffer(4), Symbol.iterator]) {
    expect(() => native.inspect?.(wrong)).toThrow()
    expect(() => native.aeadSeal?.(key, wrong, undefined, new Uint8Array(0), new Uint8Array(16))).toThrow(internal)
    expect(() => native.aeadSeal?.(key, undefined, undefined, new Uint8Array(0), wrong)).toThrow(internal)
  }
  expect(() => native.aeadSeal?.()).toThrow(internal)
  expect(() => native.sealerFileLen?.(1, -1)).toThrow()
})

test('a result that there is no room for is a RangeError', () => {
  const program = `
    const { memory } = require('sealstone-linux-x64-gnu')
    let error
    try { memory(4e9) } catch (thrown) { error = thrown }
    console.log(error instanceof RangeError, error.message, memory(2e6).length)`
  // Of the addresses that a process may have; Linux would give it more memory than the machine has.
  const { stdout, stderr } = spawnSync('sh', ['-c', 'ulimit -v 4000000; exec node -e "$0"', program], {
    cwd: import.meta.dirname,
  })
  expect(`${stdout}${stderr}`).toBe('true Array buffer allocation failed 2000000\n')
})

test('a failure is one whatever a page has put on Object.prototype', () => {
  const program = `
    const { passwordVerifyLater, encryptBatch, job, identityGenerate, identityRecipient, encryptor } = require('sealstone-linux-x64-gnu')
    const pollute = (name) =>
      Object.defineProperty(Object.prototype, name, { configurable: true, get: () => undefined, set() { throw new Error('seen') } })
    const none = undefined
    const by = encryptor([identityRecipient(identityGenerate('x25519'))], none, none, none, none, none, none)
    const polluted = ['code', 'message', 'errno', 'bytes', 'failures']
    for (const name of polluted) pollute(name)
    const all = [passwordVerifyLater(new Uint8Array(2), 'none', true, job()), encryptBatch(by, new Uint8Array(2), new Uint32Array([2]), job(), none)]
    Promise.all(all).then(([failure, batch]) => {
      for (const name of polluted) delete Object.prototype[name]
      console.log(failure.code, Object.hasOwn(batch, 'bytes'), batch.failures.length)
    })`
  const { stdout, stderr } = spawnSync('node', ['-e', program], { cwd: import.meta.dirname })
  expect(`${stdout}${stderr}`).toBe('invalid_encoding true 0\n')
})

test('a worker ends with promises that are not fulfilled yet', () => {
  const program = `
    const { Worker } = require('node:worker_threads')
    const work = \`
      const { hashFile, hashId, job } = require('sealstone-linux-x64-gnu')
      const again = () => hashFile(hashId('sha256'), Buffer.from('/etc/hostname'), false, 0, job()).then(again)
      for (let i = 0; i < 16; i++) again()
      require('node:worker_threads').parentPort.postMessage('begun')\`
    const ended = async () => {
      const worker = new Worker(work, { eval: true })
      await new Promise((resolve) => worker.once('message', resolve))
      await worker.terminate()
    }
    ;(async () => { for (let i = 0; i < 20; i++) await ended(); console.log('all ended') })()`
  const { status, stdout, stderr } = spawnSync('node', ['-e', program], { cwd: import.meta.dirname })
  expect([status, `${stdout}${stderr}`]).toEqual([0, 'all ended\n'])
})

test('an input that overlaps an output is read before that is written', () => {
  const native = addon()
  const none = undefined
  const identity = native.identityGenerate('x25519')
  const recipient = native.identityRecipient(identity)
  const plaintext = Uint8Array.from({ length: 300 }, (_, at) => at % 251)
  for (const at of [0, 1, 16, 100]) {
    const memory = new Uint8Array(1000)
    memory.set(plaintext, at)
    const message = memory.subarray(0, native.messageLen(recipient, 300))
    native.messageSealInto(recipient, memory.subarray(at, at + 300), new Uint8Array(0), message)
    const apart = message.slice()
    native.messageOpenInto(identity, apart, new Uint8Array(0), apart.subarray(0, 300))
    expect(apart.subarray(0, 300)).toEqual(plaintext)

    memory.set(plaintext, at)
    const [sealer, length] = native.sealer([recipient], none, none, none, none, none, none, 300)
    native.sealInto(sealer, memory.subarray(at, at + 300), memory.subarray(0, length), none)
    const file = memory.slice(0, length)
    const decryptor = native.decryptor([identity], none, none, none)
    expect(new Uint8Array(native.decryptArmoured(decryptor, file))).toEqual(plaintext)
  }
})
