// sealstone/workers as a page has it: the packed package, with web workers of its own and of the page's.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, BrowserContext, Page } from 'playwright'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { decryptSync, encryptSync, type SealstoneError } from '../../src/api/index.js'
import { compare, flip, fromBase64, pattern, randomBytes, toBase64 } from '../data.js'
import { MEASURES } from '../measured.js'
import { projectWithoutAddon } from '../packed.js'
import { launch } from './chromium.js'
import { importMap } from './package.js'
import { type Answer, type Site, serve } from './site.js'
import { looking } from './sources.js'

const SUITES = ['aes-256-gcm', 'chacha20-poly1305', 'sm4-gcm'] as const
const KEY = randomBytes(32)
const CHUNK_LEN = 16_384
const TAG_LEN = 16
/** Chunks that a worker gets at once. */
const JOB_LEN = 32 * CHUNK_LEN

/** The globals of a page, for tests that run there. */
declare const sealstone: typeof import('../../src/api/index.js')
declare const workers: typeof import('../../src/workers/index.js')
declare const fise: typeof import('../../src/extras/fise/index.js')
/** Memory that went to workers since the page began, and a worker of the page's with the package's program. */
declare const looked: () => Promise<void>
declare const sent: () => number
/** Does something once when memory goes to a worker next, before any answer can come. */
declare const whenSent: (work: () => void) => void
declare const ownWorker: (path?: string) => Worker
declare const bytesOf: (base64: string) => Uint8Array<ArrayBuffer>
/** The pattern of the tests. */
declare const patternOf: (length: number) => Uint8Array<ArrayBuffer>
declare const textOf: (bytes: Uint8Array) => string

/** Counts the jobs that are sent, from before the package is loaded. */
const COUNTING = `
let [count, next] = [0, undefined]
const { postMessage } = MessagePort.prototype
MessagePort.prototype.postMessage = function (...args) {
  if (Array.isArray(args[0])) {
    count++
    // Behind what sends it, and before any answer.
    if (next !== undefined) queueMicrotask(next)
    next = undefined
  }
  return Reflect.apply(postMessage, this, args)
}
globalThis.sent = () => count
globalThis.whenSent = (work) => { next = work }`

const LOADING = (paths: Record<string, string>) => `
import * as sealstone from '${paths.sealstone}'
import * as workers from '${paths['sealstone/workers']}'
import * as fise from '${paths['sealstone/fise']}'
const bytesOf = (text) => Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
const textOf = (bytes) => {
  let text = ''
  for (let at = 0; at < bytes.length; at += 8192) text += String.fromCharCode(...bytes.subarray(at, at + 8192))
  return btoa(text)
}
const patternOf = (length) => Uint8Array.from({ length }, (_, i) => i % 251)
const ownWorker = (path = '${paths['sealstone/worker']}') => new Worker(path, { type: 'module' })
Object.assign(globalThis, { sealstone, workers, fise, bytesOf, patternOf, textOf, ownWorker })
console.log('loaded')`

/**
 * Programs that are not the package's, by their answer to a job: \`answer\` has its number, the count of its chunks and its memory.
 * All but the first begin as they should.
 */
const HOSTILE: Record<string, string> = {
  'answers what it is told': 'port.postMessage(data, [data[7]])',
  'answers with no list': 'port.postMessage({ id })',
  'answers with nothing': 'port.postMessage(undefined)',
  'answers a job that it does not have': 'port.postMessage([id + 7, count, undefined, memory], [memory])',
  'answers with other memory': 'port.postMessage([id, count, undefined, new ArrayBuffer(memory.byteLength - 1)])',
  'answers with no memory': 'port.postMessage([id, count, undefined])',
  'answers with more than it got': 'port.postMessage([id, count + 1, undefined, memory], [memory])',
  'answers with less than nothing': 'port.postMessage([id, -1, undefined, memory], [memory])',
  'answers with half a chunk': 'port.postMessage([id, 0.5, undefined, memory], [memory])',
  'has sealed nothing': 'port.postMessage([id, data[3] ? 0 : -1, undefined, memory], [memory])',
  'says that it failed': "port.postMessage([id, 0, 'no', memory], [memory])",
  throws: "throw new Error('no')",
}

const HOSTILE_PROGRAM = (does: string) => `
addEventListener('message', ({ data: [protocol, port] }) => {
  port.onmessage = ({ data }) => {
    const [id, , , , , count, , memory] = data
    ${does}
  }
  port.postMessage([protocol, undefined])
})`

const root = mkdtempSync(join(tmpdir(), 'sealstone-workers-'))
let browser: Browser
let site: Site
let paths: Record<string, string>

beforeAll(async () => {
  const project = projectWithoutAddon(root, 'site', 'module')
  paths = importMap(project)
  const page = (policy?: string): Answer => ({
    body: '<!doctype html><script src="/counting.js"></script><script type="module" src="/loading.mjs"></script>',
    headers: policy === undefined ? {} : { 'content-security-policy': `${policy}; report-uri /violations` },
  })
  const strict = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'"
  const hostile = Object.values(HOSTILE).map((does, i) => [`/hostile${i}.mjs`, { body: HOSTILE_PROGRAM(does) }])
  site = await serve(project, {
    '/counting.js': { body: COUNTING },
    '/loading.mjs': { body: LOADING(paths) },
    '/page.html': page(),
    '/strict.html': page(strict),
    '/blob.html': page(`${strict}; worker-src blob:`),
    '/self.html': page(`${strict}; worker-src 'self'; require-trusted-types-for 'script'; trusted-types sealstone`),
    '/own.html': page(`${strict}; worker-src 'self'`),
    '/mute.mjs': { body: '' },
    '/refuses.mjs': {
      body: "onmessage = ({ data: [protocol, port] }) => port.postMessage([protocol, 'another version'])",
    },
    '/another.mjs': { body: "onmessage = ({ data: [, port] }) => port.postMessage(['hello'])" },
    '/broken.mjs': { body: 'throw new Error("broken")' },
    '/silent.mjs': { body: HOSTILE_PROGRAM('') },
    '/ends.mjs': { body: HOSTILE_PROGRAM('close()') },
    ...Object.fromEntries(hostile),
  })
  browser = await launch({ args: ['--host-resolver-rules=MAP plain.test 127.0.0.1'] })
})

afterAll(async () => {
  await browser?.close()
  site?.close()
  rmSync(root, { recursive: true })
})

/** Works with a page that has the package. */
async function inPage<T>(
  work: (page: Page) => Promise<T>,
  {
    path = '/page.html',
    origin = site.origin,
    prepare = async (_: BrowserContext): Promise<unknown> => undefined,
  } = {},
): Promise<T> {
  const context = await browser.newContext()
  try {
    await prepare(context)
    const page = await context.newPage()
    const loaded = page.waitForEvent('console', { predicate: (message) => message.text() === 'loaded' })
    await page.goto(`${origin}${path}`)
    await loaded
    return await work(page)
  } finally {
    await context.close()
  }
}

/** Decryption's error for a file, here without workers. */
function failureOf(file: Uint8Array<ArrayBuffer>): { code: string; message: string } {
  try {
    decryptSync(file, { key: KEY })
  } catch (error) {
    const { code, message } = error as SealstoneError
    return { code, message }
  }
  throw new Error('it can be decrypted')
}

describe.each([
  ['', '/page.html'],
  [' that is not secure', '/page.html'],
])('in a page%s', (kind, path) => {
  const origin = () => (kind === '' ? site.origin : `http://plain.test:${site.port}`)

  test('what workers seal is opened without them, and the other way round, in every suite', async () => {
    // The least that goes there, one job, two, and more than there are workers, with a chunk that is cut.
    const lengths = [262_144, JOB_LEN, JOB_LEN + 1, 1_600_001]
    await inPage(
      async (page) => {
        await page.evaluate(() => workers.startWorkers({ count: 2 }))
        for (const suite of SUITES) {
          // SM4 goes the way of ChaCha20.
          for (const length of suite === 'sm4-gcm' ? lengths.slice(2, 3) : lengths) {
            const plaintext = pattern(length)
            const theirs = encryptSync(plaintext, { key: KEY, suite })
            const found = await page.evaluate(
              async ([key, length, theirs, suite]) => {
                const plaintext = patternOf(length)
                const options = { key: bytesOf(key), suite } as const
                const before = sent()
                const reported: number[] = []
                const onProgress = ({ bytes, total }: { bytes: number; total?: number }) =>
                  void reported.push(bytes, total ?? 0)
                const file = await sealstone.encrypt(plaintext, { ...options, onProgress })
                const isSent = sent() > before
                const opened = await sealstone.decrypt(bytesOf(theirs), { key: options.key })
                const isSame = opened.length === length && opened.every((byte, i) => byte === plaintext[i])
                return { file: textOf(file), isSame, isSent, reported }
              },
              [toBase64(KEY), length, toBase64(theirs), suite] as const,
            )
            const name = `${suite} ${length}`
            expect(compare(decryptSync(fromBase64(found.file), { key: KEY }), plaintext), name).toBe(0)
            expect([found.isSame, found.isSent], name).toEqual([true, true])
            expect(found.reported.slice(-2), name).toEqual([length, length])
          }
        }
      },
      { path, origin: origin() },
    )
  })
})

test('streams, armour, batches, ranges, passphrases and chunked encryption go to workers, with the same results', async () => {
  const found = await inPage((page) =>
    page.evaluate(async () => {
      await workers.startWorkers({ count: 2 })
      const key = new Uint8Array(32).fill(7)
      const data = new Uint8Array(2_500_000).map((_, i) => i % 251)
      const pieces = (of: Uint8Array<ArrayBuffer>, length: number) =>
        new ReadableStream<Uint8Array<ArrayBuffer>>({
          start(controller) {
            for (let at = 0; at < of.length; at += length) controller.enqueue(of.slice(at, at + length))
            controller.close()
          },
        })
      const isData = (bytes: Uint8Array) => bytes.length === data.length && bytes.every((byte, i) => byte === data[i])
      const whole = async (stream: ReadableStream) => new Uint8Array(await new Response(stream).arrayBuffer())
      const result: Record<string, [isSame: boolean, isSent: boolean]> = {}
      const seen = async (name: string, work: () => Promise<boolean>) => {
        const before = sent()
        result[name] = [await work(), sent() > before]
      }
      for (const length of [1000, 65_536, 3_000_000]) {
        await seen(`streams of ${length}`, async () => {
          const file = await whole(sealstone.encrypt(pieces(data, length), { key }))
          const opened = await whole(sealstone.decrypt(pieces(file, length), { key }))
          return isData(opened) && isData(sealstone.decryptSync(file, { key }))
        })
      }
      await seen('a Blob', async () =>
        isData(await whole(sealstone.decrypt(sealstone.encrypt(new Blob([data]), { key }), { key }))),
      )
      await seen('armour', async () => {
        const file = await sealstone.encrypt(data, { key, armour: true })
        return isData(await sealstone.decrypt(file, { key })) && isData(sealstone.decryptSync(file, { key }))
      })
      await seen('a batch', async () => {
        const files = await sealstone.encryptBatch([data, data], { key })
        const opened = await sealstone.decryptBatch(files as Uint8Array[], { key })
        return opened.length === 2 && opened.every((one) => isData(one as Uint8Array))
      })
      await seen('a range', async () => {
        const file = sealstone.encryptSync(data, { key })
        const part = await sealstone.decryptRange(file, 100_000, 2_000_001, { key })
        return part.length === 1_900_001 && part.every((byte, i) => byte === data[100_000 + i])
      })
      await seen('a passphrase', async () => {
        const file = await sealstone.encrypt(data, { passphrase: 'a' })
        return isData(await sealstone.decrypt(file, { passphrase: 'a' }))
      })
      await seen('an identity', async () => {
        const identities = sealstone.generateIdentity()
        const file = await sealstone.encrypt(data, { recipients: sealstone.recipientOf(identities) })
        return isData(await sealstone.decrypt(file, { identities }))
      })
      await seen('several at once', async () => {
        const files = await Promise.all(Array.from({ length: 5 }, () => sealstone.encrypt(data, { key })))
        return (await Promise.all(files.map((file) => sealstone.decrypt(file, { key })))).every(isData)
      })
      await seen('what is short', async () => {
        const short = data.subarray(0, 100_000)
        return (await sealstone.decrypt(await sealstone.encrypt(short, { key }), { key })).length === short.length
      })
      return result
    }),
  )
  const { 'what is short': short, ...long } = found
  for (const [name, seen] of Object.entries(long)) expect(seen, name).toEqual([true, true])
  // A message to a worker would take longer.
  expect(short).toEqual([true, false])
})

test('a damaged file fails as without workers: the lowest chunk is named, and a stream gives what is before it', async () => {
  const plaintext = pattern(1_700_001)
  const sealedLen = CHUNK_LEN + TAG_LEN
  await inPage(async (page) => {
    await page.evaluate(() => workers.startWorkers({ count: 2 }))
    // SM4 goes the way of ChaCha20.
    for (const suite of SUITES.slice(0, 2)) {
      const file = encryptSync(plaintext, { key: KEY, suite })
      const headLen = file.length - plaintext.length - (Math.floor(plaintext.length / CHUNK_LEN) + 1) * TAG_LEN
      await page.evaluate((text) => Object.assign(globalThis, { file: bytesOf(text) }).file.length, toBase64(file))
      const damages: [string, number[], number][] = [
        ['the first chunk', [headLen], file.length],
        ['one in the middle of a job', [headLen + 40 * sealedLen], file.length],
        ['the last one', [file.length - 1], file.length],
        ['several', [file.length - 1, headLen + 70 * sealedLen + 5, headLen + 33 * sealedLen], file.length],
        ['a cut between chunks', [], headLen + 100 * sealedLen],
        ['a cut within a chunk', [], headLen + 100 * sealedLen + 100],
        ['a cut in a tag', [], headLen + 100 * sealedLen + 7],
      ]
      for (const [name, flips, length] of damages) {
        const damaged = file.slice(0, length)
        for (const at of flips) flip(damaged, at)
        const found = await page.evaluate(
          async ([key, flips, end]) => {
            const options = { key: bytesOf(key) }
            const file = (globalThis as unknown as { file: Uint8Array<ArrayBuffer> }).file.slice(0, end)
            for (const at of flips) file[at] = (file[at] ?? 0) ^ 0x40
            const outcome = async (work: Promise<unknown>) => {
              try {
                return await work
              } catch (error) {
                const { code, message } = error as SealstoneError
                return { code, message }
              }
            }
            let length = 0
            const stream = async () => {
              for await (const part of sealstone.decrypt(
                (async function* () {
                  yield file
                })(),
                options,
              ))
                length += part.length
            }
            const before = sent()
            const bytes = await outcome(sealstone.decrypt(file, options))
            return { bytes, stream: await outcome(stream()), length, isSent: sent() > before }
          },
          [toBase64(KEY), flips, length] as const,
        )
        const expected = failureOf(damaged)
        expect(found.bytes, `${suite}, ${name}`).toEqual(expected)
        expect(found.stream, `${suite}, ${name}`).toEqual(expected)
        const whole = flips.length === 0 ? 100 : Math.floor((Math.min(...flips) - headLen) / sealedLen)
        expect(found.length, `${suite}, ${name}`).toBe(Math.min(whole * CHUNK_LEN, plaintext.length))
        expect(found.isSent).toBe(true)
      }
    }
  })
})

test('a signal ends work that workers have, and they go on with the next', async () => {
  const found = await inPage((page) =>
    page.evaluate(async () => {
      const started = await workers.startWorkers({ count: 2 })
      const [key, data] = [new Uint8Array(32), new Uint8Array(20_000_000)]
      const outcomes: unknown[] = []
      for (const stream of [false, true]) {
        const abort = new AbortController()
        const onProgress = ({ bytes }: { bytes: number }) => {
          if (bytes > 0) abort.abort('enough')
        }
        whenSent(() => abort.abort('enough'))
        const options = { key, signal: abort.signal, onProgress }
        const read = async () => {
          const reader = sealstone.encrypt(new Blob([data]), options).getReader()
          while (!(await reader.read()).done);
          return 'done'
        }
        const work = stream ? read() : sealstone.encrypt(data, options)
        outcomes.push(
          await work.then(
            () => 'done',
            (reason) => String(reason),
          ),
        )
      }
      const throwing = () => {
        throw new Error('mine')
      }
      for (const onProgress of [throwing, async () => throwing()]) {
        outcomes.push(
          await sealstone.encrypt(data, { key, onProgress }).then(
            () => 'done',
            (error) => error.message,
          ),
        )
      }
      const next = await sealstone.decrypt(await sealstone.encrypt(data, { key }), { key })
      return { outcomes, length: next.length, count: started.count }
    }),
  )
  expect(found).toEqual({
    outcomes: ['enough', 'enough', 'mine', 'mine'],
    length: 20_000_000,
    count: 2,
  })
})

test('to stop ends what the workers have, and what comes next is done without them', async () => {
  const found = await inPage((page) =>
    page.evaluate(async () => {
      const [key, data] = [new Uint8Array(32), new Uint8Array(5_000_000)]
      const started = await workers.startWorkers({ count: 2 })
      const counts = [started.count]
      whenSent(() => started.stop())
      const work = sealstone.encrypt(data, { key })
      const stopped = await work.then(
        () => 'done',
        ({ code }) => code,
      )
      counts.push(started.count)
      started.stop()
      let before = sent()
      const file = await sealstone.encrypt(data, { key })
      const without = sent() - before
      // New workers do the work again.
      const others = await workers.startWorkers({ count: 1 })
      const more = await workers.startWorkers({ count: 1 })
      before = sent()
      const opened = await sealstone.decrypt(file, { key })
      const again = sent() > before
      others[Symbol.dispose]()
      more.stop()
      return { stopped, counts, without, again, length: opened.length, after: [others.count, more.count] }
    }),
  )
  expect(found).toEqual({
    stopped: 'cancelled',
    counts: [2, 0],
    without: 0,
    again: true,
    length: 5_000_000,
    after: [0, 0],
  })
})

test.each(Object.keys(HOSTILE))('a worker that %s is an error, and gives no result', async (name) => {
  const path = `/hostile${Object.keys(HOSTILE).indexOf(name)}.mjs`
  const found = await inPage((page) =>
    page.evaluate(async (path) => {
      const [key, data] = [new Uint8Array(32), new Uint8Array(1_000_000)]
      const file = sealstone.encryptSync(data, { key })
      const codes: unknown[] = []
      for (const work of [() => sealstone.encrypt(data, { key }), () => sealstone.decrypt(file, { key })]) {
        const started = await workers.startWorkers({ count: 1, create: () => ownWorker(path) })
        codes.push(
          await work().then(
            () => 'done',
            ({ code }) => code,
          ),
        )
        started.stop()
      }
      const opened = await sealstone.decrypt(file, { key })
      return { codes, length: opened.length }
    }, path),
  )
  expect(found).toEqual({ codes: ['unavailable_backend', 'unavailable_backend'], length: 1_000_000 })
})

describe('workers that say nothing', () => {
  const SILENT = 'unavailable_backend: a worker has failed: it says nothing'
  const prepare = (context: BrowserContext) => context.clock.install({ time: 0 })
  /** From here on tests set the page's time, however slow this machine is. */
  const stopTime = (page: Page) => page.clock.pauseAt(3_600_000)
  /** The outcomes of a page's work. */
  interface Outcomes {
    outcomes: string[]
    saying: (work: Promise<unknown>) => void
    began: Worker[]
  }
  const outcomes = (page: Page) => page.evaluate(() => (globalThis as unknown as Outcomes).outcomes)
  const setUp = (page: Page) =>
    page.evaluate(() => {
      const page = globalThis as unknown as Outcomes
      page.outcomes = []
      page.began = []
      page.saying = (work) => {
        work.then(
          () => page.outcomes.push('done'),
          ({ code, message }) => page.outcomes.push(`${code}: ${message}`),
        )
      }
    })

  test('do not begin', async () => {
    await inPage(
      async (page) => {
        await setUp(page)
        await stopTime(page)
        await page.evaluate(() => {
          const { saying } = globalThis as unknown as Outcomes
          saying(workers.startWorkers({ count: 2, create: () => ownWorker('/mute.mjs') }))
        })
        await page.clock.runFor(27_000)
        expect(await outcomes(page)).toEqual([])
        await page.clock.runFor(4000)
        await expect.poll(() => outcomes(page)).toEqual([SILENT])
      },
      { prepare },
    )
  })

  test.each(['/silent.mjs', '/ends.mjs', 'terminated'])(
    'fail in the middle of their work, and the others do what comes next: %s',
    async (path) => {
      await inPage(
        async (page) => {
          await setUp(page)
          await page.evaluate(async (path) => {
            const page = globalThis as unknown as Outcomes
            const create = () => {
              const worker = ownWorker(path === 'terminated' ? undefined : path)
              page.began.push(worker)
              return worker
            }
            await workers.startWorkers({ count: 1, create })
          }, path)
          await stopTime(page)
          const before = await page.evaluate((path) => {
            const page = globalThis as unknown as Outcomes
            const before = sent()
            page.saying(sealstone.encrypt(new Uint8Array(50_000_000), { key: new Uint8Array(32), suite: 'sm4-gcm' }))
            if (path === 'terminated') page.began[0]?.terminate()
            return before
          }, path)
          await expect.poll(() => page.evaluate(() => sent())).toBeGreaterThan(before)
          // All of a long sleep is one tick.
          await page.clock.fastForward(3_600_000)
          await page.clock.runFor(6000)
          expect(await outcomes(page)).toEqual([])
          await page.clock.runFor(5000)
          await expect.poll(() => outcomes(page)).toEqual([SILENT])
          await page.clock.resume()
          const next = await page.evaluate(async () => {
            const [key, data] = [new Uint8Array(32), new Uint8Array(1_000_000)]
            const before = sent()
            const alone = await sealstone.encrypt(data, { key })
            const without = sent() - before
            await workers.startWorkers({ count: 1 })
            const opened = await sealstone.decrypt(alone, { key })
            return { without, isSent: sent() > before, length: opened.length }
          })
          expect(next).toEqual({ without: 0, isSent: true, length: 1_000_000 })
        },
        { prepare },
      )
    },
  )
})

test('what is no worker of this package does not begin, and says why', async () => {
  const found = await inPage((page) =>
    page.evaluate(async () => {
      const outcome = async (options: object) => {
        try {
          await workers.startWorkers(options)
          return 'begun'
        } catch (error) {
          const { code, message } = error as SealstoneError
          return `${code}: ${message}`
        }
      }
      return {
        refuses: await outcome({ create: () => ownWorker('/refuses.mjs') }),
        another: await outcome({ create: () => ownWorker('/another.mjs') }),
        broken: await outcome({ create: () => ownWorker('/broken.mjs') }),
        missing: await outcome({ create: () => ownWorker('/nothing.mjs') }),
        throws: await outcome({
          create: () => {
            throw new Error('mine')
          },
        }),
        nothing: await outcome({ create: () => undefined }),
        object: await outcome({ create: () => ({ postMessage() {} }) }),
        text: await outcome({ create: '/worker.mjs' }),
        counts: [
          await outcome({ count: 0 }),
          await outcome({ count: 1.5 }),
          await outcome({ count: 65 }),
          await outcome({ count: '2' }),
        ],
        unknown: await outcome({ threads: 2 }),
        works: (await sealstone.encrypt(new Uint8Array(1e6), { key: new Uint8Array(32) })).length > 1e6,
      }
    }),
  )
  const wrongCount = 'invalid_argument: count must be a whole number from 1 to 64'
  expect(found).toEqual({
    refuses: 'unavailable_backend: a worker has failed: another version',
    another: 'unavailable_backend: a worker has failed: it sent a message that no worker of this version sends',
    broken: expect.stringMatching(/^unavailable_backend: a worker has failed: .*broken/),
    missing: expect.stringMatching(/^unavailable_backend: a worker has failed: /),
    throws: 'unavailable_backend: web workers cannot be started: mine',
    nothing: 'invalid_argument: create must return a new Worker',
    object: 'invalid_argument: create must return a new Worker',
    text: 'invalid_argument: create must be a function',
    counts: [wrongCount, wrongCount, wrongCount, wrongCount],
    unknown: 'invalid_argument: unknown option: threads; there are count, create',
    works: true,
  })
})

describe('under a policy', () => {
  const outcome = (path: string, own: boolean) =>
    inPage(
      (page) =>
        page.evaluate(
          async (own) => {
            const [key, data] = [new Uint8Array(32), new Uint8Array(1_000_000)]
            let says = 'begun'
            try {
              const trusted = (
                globalThis as unknown as {
                  trustedTypes: { createPolicy(name: string, rules: object): { createScriptURL(url: string): string } }
                }
              ).trustedTypes
              const create = () =>
                ownWorker(
                  trusted
                    .createPolicy('sealstone', { createScriptURL: (url: string) => url })
                    .createScriptURL(own as unknown as string),
                )
              await workers.startWorkers({ count: 1, ...(own && { create }) })
            } catch (error) {
              const { code, message, cause } = error as SealstoneError
              says = `${code}: ${message} ${String((cause as Error)?.message)}`
            }
            const before = sent()
            const file = await sealstone.encrypt(data, { key, suite: 'chacha20-poly1305' })
            const opened = await sealstone.decrypt(file, { key })
            return { says, isSent: sent() > before, length: opened.length }
          },
          own && (paths['sealstone/worker'] as unknown as boolean),
        ),
      { path },
    )

  test('that allows no workers the error names what is missing, and the page computes', async () => {
    const says = expect.stringMatching(
      /^unavailable_backend: .*worker-src blob:.*create.*blob.* default-src 'none'; script-src 'self'/,
    )
    expect(await outcome('/strict.html', false)).toEqual({ says, isSent: false, length: 1_000_000 })
  })

  test('that allows Blobs, workers begin by themselves', async () => {
    site.violations.length = 0
    expect(await outcome('/blob.html', false)).toEqual({ says: 'begun', isSent: true, length: 1_000_000 })
    expect(site.violations).toEqual([])
  })

  test('that allows the site’s own, also with Trusted Types, the page creates them', async () => {
    site.violations.length = 0
    expect(await outcome('/self.html', true)).toEqual({ says: 'begun', isSent: true, length: 1_000_000 })
    expect(site.violations).toEqual([])
    const refused = expect.stringMatching(/^unavailable_backend: web workers cannot be started: .*TrustedScriptURL/)
    expect(await outcome('/self.html', false)).toMatchObject({ says: refused, isSent: false })
  })
})

/** What a page with FISE's workers reads of a stream that they hid. */
const throughFise = (path: string, own?: string) =>
  inPage(
    (page) =>
      page.evaluate(async (own) => {
        try {
          const shared = await fise.startFiseWorkers({
            count: 2,
            ...(own !== undefined && { create: () => ownWorker(own) }),
          })
          const [rules, options] = [fise.FiseProfile.random('a page'), { workers: shared }]
          const hidden = new Blob([patternOf(1_000_000)]).stream().pipeThrough(fise.fiseFrameEncoder(rules, options))
          const shown = await new Response(hidden.pipeThrough(fise.fiseFrameDecoder(rules, options))).arrayBuffer()
          shared.stop()
          return new Uint8Array(shown).every((byte, i) => byte === i % 251) && shown.byteLength
        } catch (error) {
          return `${(error as SealstoneError).code}: ${(error as Error).message}`
        }
      }, own),
    { path },
  )

test('FISE’s workers begin by themselves, and as the page creates them where its policy allows no Blobs', async () => {
  site.violations.length = 0
  expect(await throughFise('/page.html')).toBe(1_000_000)
  expect(await throughFise('/blob.html')).toBe(1_000_000)
  expect(site.violations).toEqual([])
  expect(await throughFise('/strict.html')).toMatch(/^unavailable_backend: .*worker-src blob:.*create/)
  expect(await throughFise('/own.html', paths['sealstone/fise-worker'])).toBe(1_000_000)
})

/** Memory of a job: a key, nonces, and chunks with their tags. */
const MEMORY_LEN = 32 + 32 * (12 + CHUNK_LEN + TAG_LEN)

/** Looks at all that other code of a page can see of messages, from now on. */
const LISTENING = `
const seen = (globalThis.seen ??= {})
const { apply } = Reflect
const keysOf = Object.keys
let isLooking = false
const isMemory = (value) => (value instanceof ArrayBuffer ? value : ArrayBuffer.isView(value) ? value.buffer : undefined)?.byteLength === ${MEMORY_LEN}
const found = (value, depth) => {
  if (isMemory(value)) return true
  if (depth === 3 || typeof value !== 'object' || value === null) return false
  const keys = keysOf(value)
  for (let i = 0; i < keys.length; i++) if (found(value[keys[i]], depth + 1)) return true
  return false
}
const look = (name, value) => {
  if (isLooking) return
  isLooking = true
  if (found(value, 0)) seen[name] = true
  isLooking = false
}
const watch = (owner, name, kind = 'value') => {
  const descriptor = Object.getOwnPropertyDescriptor(owner, name)
  const own = descriptor[kind]
  Object.defineProperty(owner, name, { ...descriptor, [kind]: function (...args) {
    for (let i = 0; i < args.length; i++) look(name, args[i])
    const result = apply(own, this, args)
    look(name, result)
    return result
  } })
}
watch(MessagePort.prototype, 'postMessage')
watch(Worker.prototype, 'postMessage')
watch(MessageEvent.prototype, 'data', 'get')
watch(Object.getPrototypeOf([][Symbol.iterator]()), 'next')
watch(Array.prototype, 'push')
watch(Map.prototype, 'get')
const { addEventListener } = EventTarget.prototype
EventTarget.prototype.addEventListener = function (type, listener, ...rest) {
  if (this instanceof MessagePort || this instanceof Worker) apply(addEventListener, this, ['message', ({ data }) => look('listener', data)])
  return apply(addEventListener, this, [type, listener, ...rest])
}
addEventListener('message', ({ data }) => look('window', data))
new BroadcastChannel('sealstone').onmessage = ({ data }) => look('broadcast', data)`

/** Replaces channels and workers. */
const REPLACING = `
const OwnChannel = MessageChannel
globalThis.MessageChannel = class {
  constructor() {
    const channel = new OwnChannel()
    for (const port of [channel.port1, channel.port2]) apply(addEventListener, port, ['message', ({ data }) => look('channel', data)])
    return channel
  }
}
const OwnWorker = Worker
globalThis.Worker = class { constructor(...args) { seen.worker = true; return Reflect.construct(OwnWorker, args) } }`

test('no other code of the page sees keys or data on their way to workers and back', async () => {
  const work = async () => {
    const [key, data] = [new Uint8Array(32), new Uint8Array(1_000_000)]
    const heard: unknown[] = []
    const create = () => {
      const worker = ownWorker()
      // The owner of the worker hears nothing of its work.
      worker.addEventListener('message', ({ data }) => heard.push(data))
      return worker
    }
    const { seen } = globalThis as unknown as { seen: Record<string, boolean> }
    const own = await workers.startWorkers({ count: 1 })
    const created = await workers.startWorkers({ count: 1, create })
    const before = sent()
    // The Worker of this test is the page's own.
    delete seen.worker
    const file = await sealstone.encrypt(data, { key })
    const opened = await sealstone.decrypt(file, { key })
    own.stop()
    created.stop()
    return { seen, heard, length: opened.length, sent: sent() - before }
  }
  const late = await inPage(async (page) => {
    await page.addScriptTag({ content: LISTENING + REPLACING })
    return page.evaluate(work)
  })
  expect(late).toMatchObject({ seen: {}, heard: [], length: 1_000_000 })
  expect(Object.keys(late.seen)).toEqual([])
  expect(late.sent).toBeGreaterThan(0)
  // `look` would have found it: code that comes before the package can see all that a page does.
  const early = await inPage((page) => page.evaluate(work), {
    prepare: (context) => context.addInitScript(LISTENING),
  })
  expect(early).toMatchObject({ seen: { postMessage: true, data: true }, length: 1_000_000 })
})

test('what is alive does not grow with what goes through workers', async () => {
  const counts = await inPage(async (page) => {
    const counts = await looking(page)
    const length = await page.evaluate(async () => {
      await workers.startWorkers({ count: 2 })
      let left = 64
      const source = new ReadableStream<Uint8Array<ArrayBuffer>>({
        async pull(controller) {
          if (left % 8 === 0) await looked()
          if (left-- > 0) controller.enqueue(new Uint8Array(1 << 20))
          else controller.close()
        },
      })
      const key = new Uint8Array(32)
      const reader = sealstone.decrypt(sealstone.encrypt(source, { key }), { key }).getReader()
      let length = 0
      for (let next = await reader.read(); !next.done; next = await reader.read()) length += next.value.length
      return length
    })
    expect(length).toBe(64 << 20)
    return counts
  })
  expect(counts).toHaveLength(9)
  const late = counts.slice(2)
  expect(Math.max(...late) - Math.min(...late)).toBeLessThan(24 << 20)
})

test.runIf(MEASURES)('memory does not grow with what goes through workers', async () => {
  const found = await inPage(async (page) => {
    const session = await browser.newBrowserCDPSession()
    const { processInfo } = await session.send('SystemInfo.getProcessInfo')
    await session.detach()
    const peak = () =>
      Math.max(
        ...processInfo
          .filter(({ type }) => type === 'renderer')
          .map(({ id }) => Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${id}/status`, 'utf8'))?.[1]) / 1024),
      )
    const work = (mebibytes: number) =>
      page.evaluate(async (mebibytes) => {
        const piece = new Uint8Array(1 << 20)
        let left = mebibytes
        const source = new ReadableStream<Uint8Array<ArrayBuffer>>({
          pull(controller) {
            if (left-- > 0) controller.enqueue(piece)
            else controller.close()
          },
        })
        const key = new Uint8Array(32)
        const reader = sealstone.decrypt(sealstone.encrypt(source, { key }), { key }).getReader()
        let length = 0
        for (let next = await reader.read(); !next.done; next = await reader.read()) length += next.value.length
        return length / 2 ** 20
      }, mebibytes)
    await page.evaluate(() => workers.startWorkers({ count: 2 }))
    await work(100)
    const before = peak()
    return { length: await work(400), growth: peak() - before }
  })
  expect(found.length).toBe(400)
  console.log(`400 MiB through workers: ${Math.round(found.growth)} MiB more`)
  expect(found.growth).toBeLessThan(400)
})
