// The packed package in a page whose other code is hostile, once the package is loaded: it computes as before, and
// shows that code no key and no password. That code may see all that the page itself passes on.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import {
  decryptSync,
  encryptSync,
  exportIdentity,
  exportRecipient,
  generateIdentity,
  inspectSync,
  openMessageSync,
  recipientOf,
  sealMessageSync,
} from '../../src/api/index.js'
import { pbkdf2Sync } from '../../src/api/kdf.js'
import { pattern, randomBytes, textOf } from '../data.js'
import { projectWithoutAddon } from '../packed.js'
import { launch } from './chromium.js'
import { importing, importMap } from './package.js'
import { type Answer, type Site, serve } from './site.js'

// The engine's own: those of `test/data.ts` take a second for as much.
const toBase64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')
const fromBase64 = (text: string): Uint8Array<ArrayBuffer> => new Uint8Array(Buffer.from(text, 'base64'))

const KEY = randomBytes(32)
const SHORT = 'attack at dawn'
// Over a mebibyte, the most that goes at once.
const LONG = pattern(1_200_000)
const IDENTITY = generateIdentity('p256')
const PASSPHRASE = 'ärger im treppenhaus'
const PASSWORD = 'correct horse battery staple'

/** Hostile code. It gives its arguments to `look`, which knows the key and the password. */
const HOSTILE: Record<string, string> = {
  'options of every name on the prototype of objects': `
Object.assign(Object.prototype, {
  suite: 'sm4-gcm', armour: true, passphrase: 'evil', context: 'evil', code: 'evil', threads: 1, signal: 'evil', profile: 'gm',
  name: 'AES-CBC', hash: 'SHA-1', iv: new Uint8Array(12), additionalData: new Uint8Array(3), tagLength: 32, length: 7,
  iterations: 1, salt: new Uint8Array(1), extractable: true, counter: new Uint8Array(16), index: 1, maxByteLength: 1 << 20,
})`,
  'another WebCrypto': `
const fake = async (...args) => { args.forEach((arg) => look('WebCrypto', arg)); return new ArrayBuffer(16) }
for (const name of Object.getOwnPropertyNames(globalThis.SubtleCrypto?.prototype ?? {})) {
  if (name !== 'constructor') Object.defineProperty(SubtleCrypto.prototype, name, { value: fake })
}
Object.defineProperty(Crypto.prototype, 'subtle', { get: () => new Proxy({}, { get: () => fake }) })
Crypto.prototype.getRandomValues = (memory) => memory
Object.defineProperty(globalThis, 'crypto', { value: { subtle: new Proxy({}, { get: () => fake }), getRandomValues: (memory) => memory } })`,
  'another WebAssembly': `
class Fake { constructor(bytes) { look('WebAssembly', bytes); this.exports = {} } }
for (const name of ['Module', 'Instance', 'Memory']) WebAssembly[name] = Fake
for (const name of ['compile', 'instantiate', 'validate']) WebAssembly[name] = async () => new Fake()
globalThis.WebAssembly = { Module: Fake, Instance: Fake, Memory: Fake }`,
  'functions of arrays that look at what they are given': `
const TypedArray = Object.getPrototypeOf(Uint8Array)
for (const prototype of [TypedArray.prototype, ArrayBuffer.prototype, DataView.prototype]) {
  for (const [name, { value }] of Object.entries(Object.getOwnPropertyDescriptors(prototype))) {
    if (typeof value !== 'function' || name === 'constructor') continue
    prototype[name] = function (...args) {
      look(name, this)
      args.forEach((arg) => look(name, arg))
      return apply(value, this, args)
    }
  }
}`,
  'a then that looks at what is promised': `
const { then } = Promise.prototype
Promise.prototype.then = function (done, failed) {
  return apply(then, this, [typeof done === 'function' ? (value) => { look('then', value); return done(value) } : done, failed])
}`,
  'setters for indices of arrays that keep what they are given': `
for (const i of [0, 1, 2]) {
  Object.defineProperty(Array.prototype, i, {
    configurable: true,
    get: () => undefined,
    set(value) {
      look('setter', value)
      if (value !== null && typeof value === 'object' && ('made' in value || isView(value))) return
      Object.defineProperty(this, i, { value, writable: true, enumerable: true, configurable: true })
    },
  })
}`,
  'a call of functions, and entries of objects, that look at what they are given': `
const { entries } = Object
Object.entries = (value) => {
  const all = entries(value)
  for (let i = 0; i < all.length; i++) look('entries', all[i][1])
  return all
}
Function.prototype.call = function (self, ...args) {
  look('call', self)
  for (let i = 0; i < args.length; i++) look('call', args[i])
  return apply(this, self, args)
}`,
  'functions of objects, arrays and text that look at what they are given': `
for (const [owner, names] of [
  [Array.prototype, ['map', 'push', 'slice', 'forEach', 'flatMap', 'join', 'concat']],
  [Object, ['entries', 'keys', 'assign', 'freeze', 'fromEntries']],
  [JSON, ['stringify', 'parse']],
  [String.prototype, ['isWellFormed', 'charCodeAt', 'split', 'slice', 'replace', 'normalize']],
  [TextEncoder.prototype, ['encode', 'encodeInto']],
  [TextDecoder.prototype, ['decode']],
]) {
  for (const name of names) {
    const own = owner[name]
    owner[name] = function (...args) {
      look(name, this)
      for (let i = 0; i < args.length; i++) look(name, args[i])
      return apply(own, this, args)
    }
  }
}`,
}

const PAGE = `
import { inputs } from '/inputs.mjs'
const { apply } = Reflect
const { log } = console
const [view, toText, base64, fromCode, charCode, stringify] = [
  Uint8Array, String, btoa, String.fromCharCode, String.prototype.charCodeAt, JSON.stringify,
]
const decode = (text) => {
  const bytes = atob(text)
  const array = new view(bytes.length)
  for (let i = 0; i < bytes.length; i++) array[i] = apply(charCode, bytes, [i])
  return array
}
const encode = (bytes) => {
  let text = ''
  for (let i = 0; i < bytes.length; i++) text += fromCode(bytes[i])
  return base64(text)
}
const key = decode(inputs.key)
const password = decode(inputs.passwordBytes)
const files = { short: decode(inputs.short), long: decode(inputs.long), message: decode(inputs.message) }
const long = decode(inputs.plaintext)
const seen = { __proto__: null }
const isView = ArrayBuffer.isView
const Buffers = ArrayBuffer
/** Whether hostile code holds the key or the password, wherever in its memory. */
const look = (name, value) => {
  if (value === inputs.password) seen[name] = true
  const array = isView(value) ? new view(value.buffer) : value instanceof Buffers ? new view(value) : undefined
  if (array === undefined || array.length > 1 << 17) return
  for (let at = 0; at + 16 <= array.length; at++) {
    let i = 0
    let j = 0
    while (i < 16 && array[at + i] === key[i]) i++
    while (j < 16 && array[at + j] === password[j]) j++
    if (i === 16 || j === 16) { seen[name] = true; return }
  }
}
HOSTILE
look('control', key)
const { control } = seen
delete seen.control
const options = { key }
const failures = []
const result = {}
const work = async (name, what) => {
  try { result[name] = await what() } catch (error) { failures[failures.length] = name + ': ' + toText(error) + toText(error.stack) }
}
await work('sync', () => encode(packages.sealstone.encryptSync('attack at dawn', options)))
await work('async', async () => encode(await packages.sealstone.encrypt(long, options)))
await work('openedSync', () => encode(packages.sealstone.decryptSync(files.short, options)))
await work('opened', async () => encode(await packages.sealstone.decrypt(files.long, options)))
await work('sealed', () => encode(packages.aead.aead('aes-256-gcm', key).seal(new view(12), undefined, 'attack at dawn')))
await work('sealedLater', async () => encode(await packages.aead.aead('aes-256-gcm', key).sealAsync(new view(12), undefined, long)))
const cache = packages.kdf.createKeyCache()
const cost = { iterations: 10 }
await work('derived', async () => encode(await cache.pbkdf2('sha256', inputs.password, 'a salt', cost)))
await work('derivedSync', () => encode(packages.kdf.pbkdf2Sync('sha256', inputs.password, 'a salt', cost)))
await work('digest', () => packages.hash.hashHex('sha256', long))
await work('imported', async () =>
  packages.sealstone.exportIdentity(await packages.sealstone.importIdentity(inputs.pem, { passphrase: inputs.passphrase }), 'pem'))
const to = packages.sealstone.importRecipientSync(inputs.recipient)
await work('message', async () => encode(await packages.sealstone.sealMessage(to, long)))
await work('openedMessage', async () =>
  encode(await packages.sealstone.openMessage(packages.sealstone.importIdentitySync(inputs.identity), files.message)))
await work('promisedDigest', async () => packages.yuants.encodeHex(await packages.yuants.sha256(long)))
await work('identity', () => packages.sealstone.exportIdentity(packages.sealstone.generateIdentity('x25519')))
result.failures = failures
result.seen = seen
result.control = control
log('result ' + stringify(result))`

const root = mkdtempSync(join(tmpdir(), 'sealstone-hostile-'))
let browser: Browser
let site: Site

beforeAll(async () => {
  const project = projectWithoutAddon(root, 'site', 'module')
  const paths = importMap(project)
  const inputs = {
    key: toBase64(KEY),
    plaintext: toBase64(LONG),
    short: toBase64(encryptSync(SHORT, { key: KEY })),
    long: toBase64(encryptSync(LONG, { key: KEY })),
    pem: exportIdentity(IDENTITY, 'pem', { passphrase: PASSPHRASE }),
    passphrase: PASSPHRASE,
    password: PASSWORD,
    passwordBytes: toBase64(new TextEncoder().encode(PASSWORD)),
    identity: exportIdentity(IDENTITY, 'pem'),
    recipient: exportRecipient(recipientOf(IDENTITY)),
    message: toBase64(sealMessageSync(recipientOf(IDENTITY), LONG)),
  }
  const answers: Record<string, Answer> = { '/inputs.mjs': { body: `export const inputs = ${JSON.stringify(inputs)}` } }
  for (const [i, code] of Object.values(HOSTILE).entries()) {
    answers[`/${i}.html`] = { body: `<!doctype html><script type="module" src="/${i}.mjs"></script>` }
    answers[`/${i}.mjs`] = {
      body: importing(
        PAGE.replace('HOSTILE', () => code),
        paths,
      ),
    }
  }
  site = await serve(project, answers)
  browser = await launch()
})

afterAll(async () => {
  await browser?.close()
  site?.close()
  rmSync(root, { recursive: true })
})

test.each(Object.keys(HOSTILE))('%s change nothing, and see no key and no password', async (name) => {
  const page = await browser.newPage()
  const result = new Promise<Record<string, string>>((resolve, reject) => {
    page.on('console', (message) => {
      if (message.text().startsWith('result ')) resolve(JSON.parse(message.text().slice('result '.length)))
    })
    page.on('pageerror', reject)
  })
  await page.goto(`${site.origin}/${Object.keys(HOSTILE).indexOf(name)}.html`)
  const found = await result
  await page.close()
  expect(found.failures).toEqual([])
  expect(found.seen).toEqual({})
  // `look` finds a key that it sees.
  expect(found.control).toBe(true)
  const opened = (file: string | undefined) => decryptSync(fromBase64(file as string), { key: KEY })
  expect(textOf(opened(found.sync))).toBe(SHORT)
  expect(inspectSync(fromBase64(found.sync as string))).toMatchObject({
    suite: 'aes-256-gcm',
    armoured: false,
    contextBound: false,
  })
  expect(Buffer.compare(opened(found.async), LONG)).toBe(0)
  expect(found.openedSync).toBe(toBase64(new TextEncoder().encode(SHORT)))
  expect(found.opened).toBe(toBase64(LONG))
  const { subtle } = globalThis.crypto
  const own = await subtle.importKey('raw', KEY, 'AES-GCM', false, ['encrypt'])
  for (const [sealed, plaintext] of [
    [found.sealed, new TextEncoder().encode(SHORT)],
    [found.sealedLater, LONG],
  ] as const) {
    const theirs = await subtle.encrypt({ name: 'AES-GCM', iv: new Uint8Array(12) }, own, plaintext)
    expect(sealed).toBe(toBase64(new Uint8Array(theirs)))
  }
  const derived = toBase64(pbkdf2Sync('sha256', PASSWORD, 'a salt', { iterations: 10 }))
  expect([found.derived, found.derivedSync]).toEqual([derived, derived])
  expect(found.digest).toBe(Buffer.from(await subtle.digest('SHA-256', LONG)).toString('hex'))
  expect(found.imported).toBe(exportIdentity(IDENTITY, 'pem'))
  expect(Buffer.compare(openMessageSync(IDENTITY, fromBase64(found.message as string)), LONG)).toBe(0)
  expect(found.openedMessage).toBe(toBase64(LONG))
  expect(found.promisedDigest).toBe(found.digest)
  expect(found.identity).toMatch(/^AGE-SECRET-KEY-1(?!Q{20})/)
})
