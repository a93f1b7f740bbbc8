// The packed package in pages, as it is when it is installed: without a bundler, under a strict policy, without WebCrypto, in workers.

import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { MEASURES } from '../measured.js'
import { projectWithoutAddon } from '../packed.js'
import { launch } from './chromium.js'
import { importing, importMap, PASSED, PASSED_WITH_VECTORS } from './package.js'
import { type Answer, type Site, serve } from './site.js'
import { looking } from './sources.js'

const VECTORS = new URL('../../../../vectors/file/', import.meta.url)
const PARTS = readFileSync(new URL('../runtimes/parts.mjs', import.meta.url), 'utf8')

const RUN = "console.log('result ' + JSON.stringify(await run(packages)))"
const RUN_WITH_VECTORS = `
const vectors = await (await fetch('/vectors.json')).json()
console.log('result ' + JSON.stringify(await run(packages, vectors)))`
const RUN_STRICTLY = `
document.addEventListener('securitypolicyviolation', (event) => console.log('violation ' + event.violatedDirective))
${RUN}`
const PARTS_OF = "import { run } from '/parts.mjs'\n"

/** The modules of `sealstone/slim`, as the server sends them and as bytes. */
const LOADS = `
const file = '/node_modules/sealstone/dist/'
const cipher = await (await fetch(file + 'cipher.wasm')).arrayBuffer()
await packages.sealstone.load(file + 'whole.wasm', file + 'digest.wasm', cipher, file + 'compat.wasm')
await packages.sealstone.load(file + 'sign.wasm', file + 'exchange.wasm')`

/** Nothing but scripts of the page's own site, and WebAssembly; and no text becomes code. */
const STRICT =
  "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; require-trusted-types-for 'script'; trusted-types 'none'; report-uri /violations"

const root = mkdtempSync(join(tmpdir(), 'sealstone-pages-'))
let browser: Browser
let site: Site
let paths: Record<string, string>

beforeAll(async () => {
  const project = projectWithoutAddon(root, 'site', 'module')
  paths = importMap(project)
  const page = (head: string, script: string): string =>
    `<!doctype html><meta charset="utf-8"><title>test</title>${head}<script type="module" src="${script}"></script>`
  const script = (body: string): Answer => ({ body })
  const policy = (value: string) => ({ headers: { 'content-security-policy': value } })
  const map = `<script type="importmap">${JSON.stringify({ imports: paths })}</script>`
  const vectors = JSON.stringify(
    Object.fromEntries(readdirSync(VECTORS).map((name) => [name, readFileSync(new URL(name, VECTORS), 'base64')])),
  )
  site = await serve(project, {
    '/parts.mjs': script(PARTS),
    '/vectors.json': script(vectors),
    '/plain.html': { body: page(map, '/plain.mjs') },
    '/plain.mjs': script(importing(PARTS_OF + RUN_WITH_VECTORS)),
    '/strict.html': { body: page('', '/strict.mjs'), ...policy(STRICT) },
    '/strict.mjs': script(importing(PARTS_OF + RUN_STRICTLY, paths)),
    '/slim.html': { body: page('', '/slim.mjs'), ...policy(`${STRICT}; connect-src 'self'`) },
    '/slim.mjs': script(importing(PARTS_OF + LOADS + RUN_STRICTLY, paths, 'sealstone/slim')),
    '/refused.html': { body: page('', '/refused.mjs'), ...policy("default-src 'none'; script-src 'self'") },
    '/refused.mjs': script(importing(REFUSED, paths)),
    '/silent.html': { body: page('', '/silent.mjs'), ...policy("default-src 'none'; script-src 'self'") },
    '/silent.mjs': script(importing("console.log('result ' + JSON.stringify(Object.keys(packages)))", paths)),
    '/worker.html': { body: page('', '/starts-worker.mjs') },
    '/starts-worker.mjs': script(
      "new Worker('/worker.mjs', { type: 'module' }).onmessage = ({ data }) => console.log('result ' + data)",
    ),
    '/worker.mjs': script(importing(PARTS_OF + RUN.replace("console.log('result ' + ", 'postMessage('), paths)),
    '/service.html': { body: page('', '/starts-service.mjs') },
    '/starts-service.mjs': script(STARTS_SERVICE),
    '/service-worker.mjs': script(importing(PARTS_OF + SERVICE, paths)),
    '/traps.html': { body: page('<script src="/injects-traps.js"></script>', '/traps.mjs') },
    '/injects-traps.js': script(INJECTS_TRAPS),
    '/traps.mjs': script(importing(TRAPS, paths)),
    '/random.html': { body: page('<script src="/no-randomness.js"></script>', '/random.mjs') },
    '/no-randomness.js': script("Object.defineProperty(globalThis, 'crypto', { value: undefined })"),
    '/random.mjs': script(importing(RANDOM, paths)),
    '/counted.html': { body: page('<script src="/counts.js"></script>', '/counted.mjs') },
    '/counts.js': script(COUNTS),
    '/counted.mjs': script(importing(COUNTED, paths)),
    '/ended.html': { body: page('', '/ends-workers.mjs') },
    '/ends-workers.mjs': script(importing(ENDS_WORKERS, paths)),
    '/busy-worker.mjs': script(importing(BUSY, paths)),
    '/empty.html': { body: page(map, '/empty.mjs') },
    '/empty.mjs': script(importing('globalThis.packages = packages\nconsole.log("result 1")')),
  })
  browser = await launch({ args: [`--host-resolver-rules=MAP plain.test 127.0.0.1`] })
})

afterAll(async () => {
  await browser?.close()
  site?.close()
  rmSync(root, { recursive: true })
})

const REFUSED = `
const codes = []
for (const work of [
  () => packages.sealstone.generateIdentity(),
  () => packages.sealstone.encryptSync('x', { key: new Uint8Array(32) }),
  () => packages.sealstone.encrypt('x', { key: new Uint8Array(32) }),
  () => packages.hash.hash('sha256', 'x'),
  () => packages.yuants.createKeyPair(),
]) {
  const error = await (async () => work())().catch((error) => error)
  codes.push([error instanceof packages.sealstone.SealstoneError, error.code, error.message])
}
const opened = fise.fiseDecrypt(fise.fiseEncrypt('x', fise.defaultRules), fise.defaultRules)
console.log('result ' + JSON.stringify({ codes, opened }))`

const STARTS_SERVICE = `
navigator.serviceWorker.onmessage = ({ data }) => console.log('result ' + data)
await navigator.serviceWorker.register('/service-worker.mjs', { type: 'module' })
const { active } = await navigator.serviceWorker.ready
active.postMessage('run')`

const SERVICE = `
addEventListener('message', (event) => {
  const work = async () => event.source.postMessage(JSON.stringify(await run(packages)))
  event.waitUntil(work())
})`

/** Makes the next call into WebAssembly a trap on request, and keeps the memory of each instance. */
const INJECTS_TRAPS = `
globalThis.traps = { next: false, memories: [] }
WebAssembly.Instance = class extends WebAssembly.Instance {
  get exports() {
    const exports = { ...super.exports }
    traps.memories.push(exports.memory)
    for (const [name, value] of Object.entries(exports)) {
      if (typeof value !== 'function' || ['begin', 'signatures', 'lend', 'done'].includes(name)) continue
      exports[name] = (...args) => {
        if (!traps.next) return value(...args)
        traps.next = false
        throw new WebAssembly.RuntimeError('unreachable')
      }
    }
    return exports
  }
}`

const TRAPS = `
const { generateIdentity, recipientOf, encryptSync, decryptSync, encrypt } = packages.sealstone
const codeOf = async (work) => { try { return await work() } catch (error) { return error.code } }
const identity = generateIdentity('x25519')
const recipient = recipientOf(identity)
const file = encryptSync('attack at dawn', { recipients: recipient })
// What inflates the modules has an instance before.
const memory = traps.memories.at(-1)
const before = traps.memories.length
const had = new Uint8Array(memory.buffer).some((byte) => byte !== 0)
traps.next = true
const trapped = await codeOf(() => encryptSync('x', { recipients: recipient }))
const isZero = new Uint8Array(memory.buffer).every((byte) => byte === 0)
const stale = [await codeOf(() => recipientOf(identity)), await codeOf(() => decryptSync(file, { identities: identity }))]
identity.destroy()
const other = generateIdentity('x25519')
const again = await encrypt('attack at dawn', { recipients: recipientOf(other) })
const opened = new TextDecoder().decode(decryptSync(again, { identities: other }))
console.log('result ' + JSON.stringify({ had, trapped, isZero, stale, opened, instances: traps.memories.length - before }))`

const RANDOM = `
const codes = []
for (const work of [
  () => packages.sealstone.generateIdentity(),
  () => packages.sealstone.encryptSync('x', { key: new Uint8Array(32) }),
  () => packages.sealstone.encrypt('x', { key: new Uint8Array(32) }),
  () => packages.aead.aead('aes-256-gcm', new Uint8Array(32)).sealRandom('', ''),
  () => packages.yuants.createKeyPair(),
]) {
  try { await work(); codes.push('success') } catch (error) { codes.push(error.code) }
}
console.log('result ' + JSON.stringify({ codes, digest: packages.hash.hashHex('sha256', 'abc').slice(0, 8) }))`

/** Counts the page's calls of WebCrypto. */
const COUNTS = `
globalThis.counts = {}
const { prototype } = globalThis.SubtleCrypto ?? {}
for (const name of prototype ? ['encrypt', 'decrypt', 'deriveBits', 'digest'] : []) {
  const own = prototype[name]
  prototype[name] = function (algorithm, ...rest) {
    const called = [name, algorithm.name ?? algorithm, algorithm.hash].filter(Boolean).join(' ')
    counts[called] = (counts[called] ?? 0) + 1
    return own.call(this, algorithm, ...rest)
  }
}`

/** Does each thing at once too, which WebAssembly computes. */
const COUNTED = `
const same = (a, b) => a.length === b.length && a.every((byte, i) => byte === b[i])
const counted = {}
const work = async (name, what) => {
  for (const called of Object.keys(counts)) delete counts[called]
  const isRight = await what()
  counted[name] = { isRight, ...counts }
}
const passphrase = 'correct horse'
const identity = sealstone.generateIdentity('p256')
const recipient = sealstone.recipientOf(identity)
const { fingerprint } = recipient
const isOurs = (found) => sealstone.recipientOf(found).fingerprint === fingerprint
const pem = sealstone.exportIdentity(identity, 'pem', { passphrase })
const data = new Uint8Array(3_000_000).map((_, i) => i % 251)
const nonce = new Uint8Array(12)
const key = aead.aead('aes-256-gcm', new Uint8Array(32))
const message = sealstone.sealMessageSync(recipient, data, { aad: 'order 17' })
await work('import', async () => isOurs(await sealstone.importIdentity(pem, { passphrase })))
await work('importSync', async () => isOurs(sealstone.importIdentitySync(pem, { passphrase })))
await work('another passphrase', async () =>
  (await sealstone.importIdentity(pem, { passphrase: 'another' }).catch(({ code }) => code)) === 'no_matching_identity')
await work('seal a message', async () =>
  same(sealstone.openMessageSync(identity, await sealstone.sealMessage(recipient, data)), data))
await work('open a message', async () => same(await sealstone.openMessage(identity, message, { aad: 'order 17' }), data))
await work('a message that is not authentic', async () =>
  (await sealstone.openMessage(identity, message).catch(({ code }) => code)) === 'not_authentic')
await work('seal a buffer', async () => same(await key.sealAsync(nonce, 'x', data), key.seal(nonce, 'x', data)))
await work('open a buffer', async () => same(await key.openAsync(nonce, 'x', key.seal(nonce, 'x', data)), data))
await work('digest', async () => same(await yuants.sha256(data), hash.hash('sha256', data)))
console.log('result ' + JSON.stringify(counted))`

/** Ends workers in the middle of their work, and works itself. */
const ENDS_WORKERS = `
const workers = Array.from({ length: 8 }, () => new Worker('/busy-worker.mjs', { type: 'module' }))
await Promise.all(workers.map((worker) => new Promise((resolve) => { worker.onmessage = resolve })))
for (const worker of workers) worker.terminate()
const key = new Uint8Array(32)
const file = await packages.sealstone.encrypt(new Uint8Array(1_000_000), { key })
const [last] = [new Worker('/busy-worker.mjs', { type: 'module' })]
await new Promise((resolve) => { last.onmessage = resolve })
last.terminate()
console.log('result ' + packages.sealstone.decryptSync(file, { key }).length)`

const BUSY = `
const work = packages.sealstone.encrypt(new Uint8Array(50_000_000), { key: new Uint8Array(32) })
postMessage('begun')
await work`

/** Opens a page, and gives its result; any other error in it is thrown. */
async function resultOf(url: string, prepare: (page: Page) => Promise<void> = async () => {}): Promise<unknown> {
  const context = await browser.newContext()
  try {
    const page = await context.newPage()
    await prepare(page)
    const result = new Promise<unknown>((resolve, reject) => {
      page.on('console', (message) => {
        const text = message.text()
        if (text.startsWith('result ')) resolve(JSON.parse(text.slice('result '.length)))
        else if (message.type() === 'error' || text.startsWith('violation ')) reject(new Error(text))
      })
      page.on('pageerror', reject)
    })
    await page.goto(url)
    return await result
  } finally {
    await context.close()
  }
}

test('a page without a bundler has all of the package by an import map', async () => {
  expect(await resultOf(`${site.origin}/plain.html`)).toEqual(PASSED_WITH_VECTORS)
  expect(site.missing).toEqual([])
})

test('a page under a strict policy and Trusted Types has all of it too, and violates nothing', async () => {
  expect(await resultOf(`${site.origin}/strict.html`)).toEqual(PASSED)
  expect(site.violations).toEqual([])
})

test('sealstone/slim has all of it too, once its modules are fetched', async () => {
  expect(await resultOf(`${site.origin}/slim.html`)).toEqual(PASSED)
  expect(site.violations).toEqual([])
})

test('a policy that forbids WebAssembly is an error that says so, and FISE works', async () => {
  const found = resultOf(`${site.origin}/refused.html`)
  const error = [true, 'unavailable_backend', expect.stringContaining("'wasm-unsafe-eval'")]
  expect(await found).toEqual({ codes: Array.from({ length: 5 }, () => error), opened: 'x' })
})

test('nothing is done when the package is imported: a policy that forbids all else sees no violation', async () => {
  expect(await resultOf(`${site.origin}/silent.html`)).toHaveLength(16)
})

test('a page that is not secure has no WebCrypto, and all of the package', async () => {
  const page = `http://plain.test:${site.port}/plain.html`
  const prepare = async (page: Page) => {
    await page.addInitScript(() => {
      if (isSecureContext || crypto.subtle !== undefined) console.error('the page is a secure one')
    })
  }
  expect(await resultOf(page, prepare)).toEqual(PASSED_WITH_VECTORS)
})

test('a module worker has all of the package', async () => {
  expect(await resultOf(`${site.origin}/worker.html`)).toEqual(PASSED)
})

test('a service worker has all of the package', async () => {
  expect(await resultOf(`${site.origin}/service.html`)).toEqual(PASSED)
})

test('a trap ends an instance: it is zeroed, its keys are gone, and the next call has another', async () => {
  expect(await resultOf(`${site.origin}/traps.html`)).toEqual({
    had: true,
    trapped: 'internal',
    isZero: true,
    stale: ['internal', 'internal'],
    opened: 'attack at dawn',
    instances: 1,
  })
})

test('a page without randomness gets an error from all that needs it, and the rest', async () => {
  expect(await resultOf(`${site.origin}/random.html`)).toEqual({
    codes: Array.from({ length: 5 }, () => 'no_randomness'),
    digest: 'ba7816bf',
  })
})

test('what is promised goes to WebCrypto, which a page that is not secure has not', async () => {
  const isRight = true
  expect(await resultOf(`${site.origin}/counted.html`)).toEqual({
    import: { isRight, 'deriveBits PBKDF2 SHA-256': 1 },
    importSync: { isRight },
    'another passphrase': { isRight, 'deriveBits PBKDF2 SHA-256': 1 },
    'seal a message': { isRight, 'encrypt AES-GCM': 1 },
    'open a message': { isRight, 'decrypt AES-GCM': 1 },
    'a message that is not authentic': { isRight, 'decrypt AES-GCM': 1 },
    'seal a buffer': { isRight, 'encrypt AES-GCM': 1 },
    'open a buffer': { isRight, 'decrypt AES-GCM': 1 },
    digest: { isRight, 'digest SHA-256': 1 },
  })
  const insecure = (await resultOf(`http://plain.test:${site.port}/counted.html`)) as Record<string, object>
  for (const [name, found] of Object.entries(insecure)) {
    expect(found, name).toEqual({ isRight })
  }
  expect(Object.keys(insecure)).toHaveLength(9)
})

test('workers that are ended in the middle of their work take nothing along', async () => {
  expect(await resultOf(`${site.origin}/ended.html`)).toBe(1_000_000)
})

/** The most memory that a page's process took, and takes now, in MiB. */
async function memoryOf(): Promise<{ most: number; now: number }> {
  const session = await browser.newBrowserCDPSession()
  const { processInfo } = await session.send('SystemInfo.getProcessInfo')
  await session.detach()
  const found = processInfo
    .filter(({ type }) => type === 'renderer')
    .map(({ id }) => readFileSync(`/proc/${id}/status`, 'utf8'))
    .map((status) => ({ most: kilobytes(status, 'VmHWM'), now: kilobytes(status, 'VmRSS') }))
  return found.reduce((a, b) => (a.now > b.now ? a : b))
}

function kilobytes(status: string, name: string): number {
  return Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1]) / 1024
}

test('what is alive of a long stream does not grow with it, and the page answers while it goes on', async () => {
  const page = await browser.newPage()
  const counts = await looking(page)
  await page.goto(`${site.origin}/empty.html`)
  await page.waitForFunction('globalThis.packages !== undefined')
  const work = (mebibytes: number, isLooking: boolean) =>
    page.evaluate(
      async ([mebibytes, isLooking]) => {
        const { sealstone } = (
          globalThis as unknown as { packages: { sealstone: typeof import('../../src/api/index.js') } }
        ).packages
        const piece = new Uint8Array(1 << 20)
        let left: number = mebibytes
        const source = new ReadableStream<Uint8Array>({
          async pull(controller) {
            if (isLooking && left % 8 === 0) await (globalThis as unknown as { looked: () => Promise<void> }).looked()
            if (left-- > 0) controller.enqueue(piece.slice())
            else controller.close()
          },
        })
        const key = new Uint8Array(32)
        let [turns, len] = [0, 0]
        const timer = setInterval(() => turns++, 1)
        // Of the suites this one is fast in WebAssembly too.
        const sealed = sealstone.encrypt(source, { key, suite: 'chacha20-poly1305' })
        const reader = sealstone.decrypt(sealed, { key }).getReader()
        for (let next = await reader.read(); !next.done; next = await reader.read()) len += next.value.length
        clearInterval(timer)
        return { turns, mebibytes: len / 2 ** 20 }
      },
      [mebibytes, isLooking] as const,
    )
  const { turns, mebibytes } = await work(64, true)
  expect([mebibytes, counts.length]).toEqual([64, 9])
  // Without the first counts: a first part and WebAssembly's memory come with the work.
  const late = counts.slice(2)
  expect(Math.max(...late) - Math.min(...late)).toBeLessThan(16 << 20)
  // How long the longest turn takes is measured by the benchmark.
  expect(turns).toBeGreaterThan(10)
  if (MEASURES) {
    const before = await memoryOf()
    expect((await work(300, false)).mebibytes).toBe(300)
    const grown = (await memoryOf()).most - before.now
    console.log(`300 MiB through a stream: ${Math.round(grown)} MiB more`)
    expect(grown).toBeLessThan(300)
  }
  await page.close()
})
