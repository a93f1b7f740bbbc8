// The packages as npm packs them, installed alone: as a user has them.

import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  type CompilerOptions,
  createProgram,
  formatDiagnostics,
  getPreEmitDiagnostics,
  ModuleKind,
  type Program,
  ScriptTarget,
  type SourceFile,
  SymbolFlags,
  type Symbol as TypeSymbol,
  transpileModule,
} from 'typescript'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exhaustive, MEASURES, measured } from './measured.js'
import { PACKED, project, projectWithoutAddon, writeFolder } from './packed.js'

const HERE = fileURLToPath(new URL('..', import.meta.url))
const MODULES = fileURLToPath(new URL('../../node_modules/', import.meta.url))

const root = mkdtempSync(join(tmpdir(), 'sealstone-package-'))
afterAll(() => rmSync(root, { recursive: true }))

const ROUND_TRIP = `
const identity = generateIdentity()
const file = encryptSync('attack at dawn', { recipients: recipientOf(identity) })
const key = aead('aes-256-gcm', new Uint8Array(32))
const text = new TextDecoder().decode(decryptSync(file, { identities: identity }))
const more = [key.openRandom('', key.sealRandom('', text)).length, hashHex('sha256', '').slice(0, 4), cipher('sm4-ecb', new Uint8Array(16)).algorithm, fromSeed(new Uint8Array(32)).public_key.slice(0, 4)]
more.push(fiseDecrypt(fiseEncrypt('fise', defaultRules), defaultRules))
decrypt(file, { identities: identity }).then((plaintext) => console.log(text, plaintext.length, ...more))
`
const EXPECTED = 'attack at dawn 14 14 e3b0 sm4-ecb 4zvw fise\n'
const NAMES = [
  ['sealstone', 'decrypt, decryptSync, encryptSync, generateIdentity, recipientOf'],
  ['sealstone/aead', 'aead'],
  ['sealstone/age', 'generateHybridIdentity'],
  ['sealstone/bench', 'benchmark'],
  ['sealstone/encoding', 'decode, encode'],
  ['sealstone/fise', 'defaultRules, fiseDecrypt, fiseEncrypt'],
  ['sealstone/hash', 'hashHex'],
  ['sealstone/kdf', 'hkdf'],
  ['sealstone/mac', 'mac'],
  ['sealstone/exchange', 'importPrivateKeySync'],
  ['sealstone/rsa', 'importPublicKey'],
  ['sealstone/sign', 'generateKey'],
  ['sealstone/signature', 'verify'],
  ['sealstone/password', 'needsRehash'],
  ['sealstone/hazmat', 'cipher'],
  ['sealstone/monitor', 'startMonitor'],
  ['sealstone/passphrase', 'passphrase'],
  ['sealstone/random', 'randomBytes'],
  ['sealstone/compat/yuants', 'fromSeed'],
  ['sealstone/compat/ldesign', 'aes'],
  ['sealstone/compat/ldesign/stream', 'streamEncrypt'],
  ['sealstone/compat/ldesign/core/stream', 'streamCipher'],
  ['sealstone/compat/crypto-js', 'AES'],
  ['sealstone/workers', 'startWorkers'],
  ['sealstone/web', 'temporaryFile'],
] as const
/** Entries of no platform, with one file for all. */
const NEUTRAL: readonly string[] = [
  'sealstone/bench',
  'sealstone/encoding',
  'sealstone/fise',
  'sealstone/monitor',
  'sealstone/web',
]
/** Entries without computation in WebAssembly: no module is loaded for them. */
const DRAWING: readonly string[] = ['sealstone/passphrase', 'sealstone/random']
/** Each entry's program, and its output. */
const ALONE: Record<(typeof NAMES)[number][0], [code: string, says: string]> = {
  sealstone: [
    "console.log(decryptSync(encryptSync('x', { key: new Uint8Array(32) }), { key: new Uint8Array(32) }).length)",
    '1',
  ],
  'sealstone/aead': ["console.log(aead('aes-256-gcm', new Uint8Array(32)).sealRandom('', 'x').length)", '29'],
  'sealstone/age': [
    'generateHybridIdentity().then((identity) => console.log(identity.slice(0, 19)))',
    'AGE-SECRET-KEY-PQ-1',
  ],
  'sealstone/bench': [
    "benchmark('x', () => 1, { warmUpMs: 1, samples: 2, minMs: 1 }).then(({ samples }) => console.log(samples))",
    '2',
  ],
  'sealstone/encoding': ["console.log(decode('base64', encode('base64', 'x')).length)", '1'],
  'sealstone/fise': ["console.log(fiseDecrypt(fiseEncrypt('x', defaultRules), defaultRules))", 'x'],
  'sealstone/hash': ["console.log(hashHex('sha256', '').slice(0, 8))", 'e3b0c442'],
  'sealstone/kdf': ["console.log(hkdf('sha256', 'x', { length: 5 }).length)", '5'],
  'sealstone/mac': ["console.log(mac('hmac-sha256', 'x').signText('').length)", '64'],
  'sealstone/exchange': [
    "console.log(importPrivateKeySync(new Uint8Array(32).fill(1), { kind: 'x25519' }).kind)",
    'x25519',
  ],
  'sealstone/rsa': ["importPublicKey('x').catch(({ code }) => console.log(code))", 'invalid_key'],
  'sealstone/sign': ["console.log(generateKey('ed25519').sign('x').length)", '64'],
  'sealstone/signature': ["verify('x', 'x', []).catch(({ code }) => console.log(code))", 'invalid_signer'],
  'sealstone/password': [
    "console.log(needsRehash('$2b$04$cVWp4XaNU8a4v1uMRum2SO026BWLIoQMD/TXg5uZV.0P.uO8m3YEm'))",
    'true',
  ],
  'sealstone/hazmat': ["console.log(cipher('sm4-ecb', new Uint8Array(16)).encrypt(undefined, 'x').length)", '16'],
  'sealstone/monitor': ['console.log(startMonitor().report().operations.length)', '0'],
  'sealstone/passphrase': ["console.log(passphrase({ words: 99 }).split('-').length > 98)", 'true'],
  'sealstone/random': ['console.log(randomBytes(100).some((byte) => byte !== 0))', 'true'],
  'sealstone/compat/yuants': ['console.log(fromSeed(new Uint8Array(32)).public_key.slice(0, 4))', '4zvw'],
  'sealstone/compat/ldesign': ["console.log(aes.decrypt(aes.encrypt('x', 'password'), 'password').data)", 'x'],
  'sealstone/compat/ldesign/stream': [
    "streamEncrypt.file(new Blob(['x']), 'password').then(({ success }) => console.log(success))",
    'true',
  ],
  'sealstone/compat/ldesign/core/stream': [
    "streamCipher.encryptLargeData(new Uint8Array(9), 'password').then(({ data }) => console.log(data.byteLength))",
    '24',
  ],
  'sealstone/compat/crypto-js': [
    "console.log(AES.decrypt(AES.encrypt('x', 'password').toString(), 'password').toString())",
    '78',
  ],
  // In a page of `test/browser/workers.test.ts` they begin.
  'sealstone/workers': ['startWorkers().catch(({ code }) => console.log(code))', 'unavailable_backend'],
  'sealstone/web': ["temporaryFile(new Blob(['x']).stream(), 'x').then(({ file }) => console.log(file.size))", '1'],
}
const IMPORTS = NAMES.map(([from, names]) => `import { ${names} } from '${from}'`).join('\n')
const REQUIRES = NAMES.map(([from, names]) => `const { ${names} } = require('${from}')`).join('\n')

/** Keys and errors of one kind of modules, in the other. */
const BOTH = `
import assert from 'node:assert/strict'
import { createRequire } from 'node:module'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
const require = createRequire(import.meta.url)
const load = async (name) => [await import(name), require(name)]
const [both, aeads, hashes, ciphers, fises] = await Promise.all(
  ['sealstone', 'sealstone/aead', 'sealstone/hash', 'sealstone/hazmat', 'sealstone/fise'].map(load))
assert.match(readFileSync(fileURLToPath(import.meta.resolve('sealstone')), 'utf8'), /^export /m)
for (const [here, there] of [both, both.toReversed()]) {
  assert.notEqual(here.generateIdentity, there.generateIdentity)
  const identity = here.generateIdentity()
  const recipients = there.recipientOf(identity)
  const file = here.encryptSync('x', { recipients: [recipients] })
  assert.equal(there.decryptSync(file, { identities: [identity] }).length, 1)
  assert.equal(here.openMessageSync(identity, there.sealMessageSync(recipients, 'x')).length, 1)
  assert.equal(there.importIdentitySync(there.exportIdentity(identity)).kind, 'hybrid')
  assert.ok(identity instanceof there.importIdentitySync(there.exportIdentity(identity)).constructor)
  const p256 = here.generateIdentity('p256')
  assert.equal(there.toKeyObject(p256).type, 'private')
  assert.equal(there.toKeyObject(here.recipientOf(p256)).type, 'public')
  assert.throws(() => there.decryptSync('no file', { identities: identity }),
    (error) => error instanceof here.SealstoneError && error instanceof Error)
  assert.throws(() => there.decryptSync(file, { identities: recipients }), /identities has a Recipient/)
  assert.throws(() => there.recipientOf(recipients), /the identity is a Recipient/)
  identity.destroy()
  assert.throws(() => there.decryptSync(file, { identities: identity }), /the identity was destroyed/)
  class Mine extends here.SealstoneError {}
  assert.ok(new Mine('io', 'x') instanceof there.SealstoneError)
  assert.ok(new Mine('io', 'x') instanceof Mine && !(new here.SealstoneError('io', 'x') instanceof Mine))
  for (const other of [null, undefined, 5, 'x', {}, new Error('x'), identity, Object.create(null)]) {
    assert.ok(!(other instanceof here.SealstoneError))
  }
}
const made = (names, make) => names.map(make).forEach((object, i, all) => {
  for (const other of all) assert.ok(object instanceof other.constructor && !(object instanceof both[0].SealstoneError))
})
// A monitor of one kind of modules counts what the other does.
const [{ startMonitor }] = await load('sealstone/monitor')
const monitor = startMonitor()
for (const { hashHex } of hashes) hashHex('sha256', 'x')
assert.equal(monitor.report().operations[0].operations, 2)
monitor.stop()
made(aeads, ({ aead }) => aead('aes-256-gcm', new Uint8Array(32)))
made(hashes, ({ createHasher }) => createHasher('sha256'))
made(ciphers, ({ cipher }) => cipher('sm4-ecb', new Uint8Array(16)))
made(both, ({ chunkedKey }) => chunkedKey('aes-256-gcm', new Uint8Array(32)))
const [signs, exchanges] = [await load('sealstone/sign'), await load('sealstone/exchange')]
for (const [here, there] of [signs, signs.toReversed()]) {
  const key = here.generateKey('ed25519')
  assert.ok(key instanceof there.PrivateKey && key.publicKey instanceof there.PublicKey)
  there.importPublicKeySync(there.exportPublicKey(key.publicKey)).verify('x', key.sign('x'))
  assert.throws(() => there.exportPublicKey(key), /expected a PublicKey/)
}
for (const [here, there] of [exchanges, exchanges.toReversed()]) {
  const how = { hash: 'sha256', info: '', length: 32 }
  assert.equal(here.generateKey('x25519').diffieHellman(there.generateKey('x25519').publicKey, how).length, 32)
}
made(fises, ({ FiseError }) => new FiseError('fise_rules', 'x'))
console.log('one')`

/** This Node's flag of permissions. */
const PERMISSION = process.allowedNodeEnvironmentFlags.has('--permission')
  ? '--permission'
  : '--experimental-permission'

/** Texts with examples, besides the sources. */
const GUIDES = [
  'README.md',
  '../../docs/guide/deployment.md',
  '../../docs/guide/random.md',
  '../../docs/guide/encodings.md',
  '../../docs/guide/hashes.md',
  '../../docs/guide/monitor.md',
  '../../docs/guide/yuants.md',
  '../../docs/guide/from-crypto-js.md',
  '../../docs/guide/fise.md',
  '../../docs/guide/browser.md',
  '../../docs/guide/hashes.md',
  '../../docs/guide/macs.md',
  '../../docs/guide/derive.md',
  '../../docs/guide/passwords.md',
  '../../docs/guide/ciphers.md',
  '../../docs/guide/signatures.md',
  '../../docs/guide/public-keys.md',
  '../../docs/guide/from-ldesign.md',
  '../../docs/guide/from-node-forge.md',
  '../../docs/guide/from-typage.md',
  '../../docs/guide/vue.md',
]

/** An entry with the names of another package, which has documented them. Its guide has each, with its replacement. */
const LDESIGN = 'sealstone/compat/ldesign'

/** A user's program, checked by TypeScript as a user has it. */
const CONSUMER = `
import { decrypt, decryptSync, encrypt, encryptSync, generateIdentity, type Identity, recipientOf, SealstoneError } from 'sealstone'
import { aead } from 'sealstone/aead'
import { defaultBinaryRules, defaultRules, type EncryptOptions, FiseBuilder, type FiseCipher, FiseError, type FiseRules, fiseBinaryDecrypt, fiseBinaryEncrypt, fiseDecrypt, fiseEncrypt, type RulesReport, validateRules, xorCipher } from 'sealstone/fise'
import { benchmark, type Result } from 'sealstone/bench'
import { decode, type Encoding, encode, timingSafeEqual } from 'sealstone/encoding'
import { hash } from 'sealstone/hash'
import { cipher } from 'sealstone/hazmat'
import { startMonitor, type Report } from 'sealstone/monitor'
import { passphrase } from 'sealstone/passphrase'
import { generateKey, type KeyAlgorithm, password, randomInt } from 'sealstone/random'
import { encryptByPublicKeyAsync, type IEd25519KeyPair, type ISecret, makeSecret, verifySecretSigner } from 'sealstone/compat/yuants'
import ldesign, { type EncryptResult, aes } from 'sealstone/compat/ldesign'
import { type FileMetadata, fileEncryptor } from 'sealstone/compat/ldesign/core/stream'
import CryptoJS, { AES, enc, type WordArray } from 'sealstone/compat/crypto-js'
import { type Encapsulated, generateKey as generatePair } from 'sealstone/exchange'
import { legacy, type PublicKey as RsaKey } from 'sealstone/rsa'
import { exportPrivateKey, generateKey as generateSigner, type PrivateKey, type PublicKey, type SignKind } from 'sealstone/sign'
import { startWorkers, type Workers } from 'sealstone/workers'
import { type TaskState, useEncryption, useSignature } from 'sealstone/vue'
import { type UseCryptoReturn, useCrypto } from 'sealstone/compat/ldesign/vue'

export async function run(stream: ReadableStream<Uint8Array>): Promise<Uint8Array<ArrayBuffer>> {
  const identity: Identity = generateIdentity('x25519')
  const recipients = [recipientOf(identity), 'age1…']
  const sync: Uint8Array<ArrayBuffer> = encryptSync('text', { recipients })
  const bytes: Uint8Array<ArrayBuffer> = await decrypt(Buffer.from(sync), { identities: identity, signal: AbortSignal.timeout(9) })
  const web: ReadableStream<Uint8Array<ArrayBuffer>> = encrypt(stream, { passphrase: 'x', onProgress: ({ bytes }) => bytes })
  for await (const part of encrypt((async function* () { yield bytes })(), { recipients })) void (part satisfies Uint8Array)
  new Blob([aead('sm4-gcm', bytes).seal(bytes, undefined, bytes), hash('sm3', new DataView(bytes.buffer))])
  cipher('aes-128-cbc', bytes.buffer).encrypt(bytes, 'text', { padding: false })
  const pair: IEd25519KeyPair = { public_key: '', private_key: '' }
  const secret: ISecret = await makeSecret(await encryptByPublicKeyAsync(bytes, pair.public_key), { tag: '' }, '', pair)
  const isValid: boolean = verifySecretSigner(secret, { malleable: true })
  const result: EncryptResult = ldesign.encrypt.aes('text', 'password', { mode: 'CTR' })
  const metadata: FileMetadata = (await fileEncryptor.decryptFile(new Blob([]), aes.decrypt(result, '').data ?? '')).metadata
  // @ts-expect-error: no such mode
  aes.encrypt(metadata.iv, 'password', { mode: 'XTS' })
  const words: WordArray = CryptoJS.AES.decrypt(AES.encrypt('text', 'password').toString(), 'password')
  const sha3: string = CryptoJS.SHA3(words, { outputLength: 256 }).toString(enc.Base64)
  // @ts-expect-error: no such length
  CryptoJS.SHA3(sha3, { outputLength: 255 })
  // @ts-expect-error: a tag is text
  makeSecret(bytes, { isValid }, '', pair)
  const rules: FiseRules = FiseBuilder.create().withOffset((text, ctx) => text.length % (ctx.metadata?.k ?? 5)).build()
  const binary: FiseRules<Uint8Array> = defaultBinaryRules
  const own: FiseCipher = { encrypt: (text, salt) => xorCipher.encrypt(text, salt), decrypt: xorCipher.decrypt }
  const options: EncryptOptions = { timestamp: 5, metadata: { k: 3 }, cipher: own }
  const opened: string = fiseDecrypt(fiseEncrypt('text', rules, options), defaultRules, options)
  const hidden: Uint8Array<ArrayBuffer> = fiseBinaryDecrypt(fiseBinaryEncrypt(bytes, binary), rules)
  const report: RulesReport = validateRules(binary, { cases: 3 })
  const code: 'fise_ambiguous' | (string & {}) = new FiseError('fise_rules', opened + hidden.length + report.ok).code
  const workers: Workers = await startWorkers({ count: 2, create: () => new Worker('worker.js') })
  const disposable: Disposable = workers
  const encoding: Encoding = 'base32'
  const algorithm: KeyAlgorithm = 'hmac-sha256'
  const decoded: Uint8Array<ArrayBuffer> = decode(encoding, encode(encoding, generateKey(algorithm)))
  const isSame: boolean = timingSafeEqual(passphrase({ words: randomInt(4, 7) }), password({ length: decoded.length }))
  const measured: Result = await benchmark('x', async () => bytes, { samples: 3 })
  // @ts-expect-error: no such option
  await benchmark(measured.name, () => 1, { sample: 3 })
  const counted: Report = startMonitor().report()
  const p95: number | undefined = counted.operations[0]?.latency?.p95
  // @ts-expect-error: no such algorithm, and no number
  generateKey(p95)
  // @ts-expect-error: no such algorithm
  generateKey(isSame ? 'rot13' : algorithm)
  const kind: Exclude<SignKind, 'rsa-sign'> = 'hybrid-sign'
  const signer: PrivateKey = generateSigner(kind)
  const signature: Uint8Array<ArrayBuffer> = signer.sign(bytes, { context: 'x' })
  const der: Uint8Array<ArrayBuffer> = exportPrivateKey(signer, 'der', { passphrase: exportPrivateKey(signer) })
  signer.publicKey.verify(der, signature)
  const sent: Encapsulated = generatePair('ml-kem-768').publicKey.encapsulate()
  const wrapped = (key: RsaKey): Uint8Array<ArrayBuffer> => legacy.encryptPkcs1(key, sent.secret)
  const shown: TaskState<unknown> = useEncryption({ recipients: () => recipients })
  const isVerified: boolean = await useSignature().verify(bytes, signature, signer.publicKey)
  const { isEncrypting }: UseCryptoReturn = useCrypto()
  // @ts-expect-error: nothing but its work changes it
  shown.data.value = isVerified || isEncrypting.value
  // @ts-expect-error: a public key of another family
  wrapped(signer.publicKey satisfies PublicKey)
  // @ts-expect-error: RSA's keys are promised
  generateSigner('rsa-sign')
  // @ts-expect-error: a private key verifies nothing
  signer.verify('x', signature)
  // @ts-expect-error: no such encoding
  encode('base16', bytes)
  // @ts-expect-error: a count is a number
  startWorkers({ count: '2', disposable })
  // @ts-expect-error: rules for bytes
  fiseEncrypt(code, binary)
  // @ts-expect-error: no such option
  encryptSync('text', { recipient: recipients })
  // @ts-expect-error: no such kind
  generateIdentity('rsa')
  // @ts-expect-error: a recipient decrypts nothing
  decryptSync(sync, { identities: recipientOf(identity) })
  // @ts-expect-error: no such algorithm
  aead('rot13', bytes)
  // @ts-expect-error: not bytes
  encryptSync([1, 2, 3], { recipients })
  try {
    return new Uint8Array(await new Response(web).arrayBuffer())
  } catch (error) {
    if (error instanceof SealstoneError && error.code === 'not_authentic') throw error.cause
    throw error
  }
}
`

/** Entries in the place of packages, by the names that those had. */
const REPLACED = `
import CryptoJS, { AES, lib } from 'sealstone/compat/crypto-js'
import * as everything from 'sealstone/compat/crypto-js'
import LDesignCrypto, { type EncryptResult, aes } from 'sealstone/compat/ldesign'
const words: CryptoJS.lib.WordArray = CryptoJS.enc.Hex.parse('00')
export const same: everything.lib.WordArray = words
export const sealed: lib.CipherParams = AES.encrypt('x', 'y')
export const result: EncryptResult = aes.encrypt('x', 'y')
LDesignCrypto.hash.sha256('x')
// @ts-expect-error: there is no such thing
CryptoJS.nonsense
// @ts-expect-error: there is no such thing
LDesignCrypto.nonsense`

const COMPILER_OPTIONS = {
  module: ModuleKind.NodeNext,
  target: ScriptTarget.ES2022,
  strict: true,
  noEmit: true,
  types: ['node'],
  typeRoots: [join(MODULES, '@types')],
}

/** Checks files as a user's TypeScript does. */
function checkTypes(folder: string, files: Record<string, string>, options: object = {}): void {
  const compilerOptions = { ...COMPILER_OPTIONS, module: 'nodenext', target: 'es2022', ...options }
  writeFolder(folder, {
    ...files,
    'tsconfig.json': JSON.stringify({ compilerOptions, files: Object.keys(files) }),
  })
  const { status, stdout } = spawnSync('node', [join(MODULES, 'typescript/bin/tsc'), '-p', folder])
  expect(stdout.toString()).toBe('')
  expect(status).toBe(0)
}

describe.skipIf(PACKED === undefined && process.env.CI !== 'true')('the packed packages', () => {
  let esm = ''
  let cjs = ''
  beforeAll(() => {
    esm = project(root, 'esm', 'module', /\.tgz$/)
    cjs = project(root, 'cjs', 'commonjs', /\.tgz$/)
    // Beside the package, as an application has it.
    for (const folder of [esm, cjs]) symlinkSync(join(MODULES, 'vue'), join(folder, 'node_modules/vue'))
  })

  test('work in an empty project of ECMAScript modules', () => {
    writeFolder(esm, { 'main.js': `${IMPORTS}\n${ROUND_TRIP}` })
    expect(execFileSync('node', ['main.js'], { cwd: esm }).toString()).toBe(EXPECTED)
  })

  test('work in an empty project of CommonJS', () => {
    writeFolder(cjs, { 'main.js': `${REQUIRES}\n${ROUND_TRIP}` })
    expect(execFileSync('node', ['main.js'], { cwd: cjs }).toString()).toBe(EXPECTED)
  })

  test('have entries each of which works alone, as an ES module and as CommonJS, and loads nothing before its first call', () => {
    const isLoaded =
      "process.getBuiltinModule('node:fs').readFileSync('/proc/self/maps', 'utf8').includes('sealstone.linux')"
    for (const [from, names] of NAMES) {
      const [code, says] = ALONE[from]
      writeFolder(esm, { 'alone.js': `import { ${names} } from '${from}'\nconsole.log(${isLoaded})\n${code}` })
      writeFolder(cjs, { 'alone.js': `const { ${names} } = require('${from}')\nconsole.log(${isLoaded})\n${code}` })
      for (const cwd of [esm, cjs]) {
        expect(execFileSync('node', ['alone.js'], { cwd }).toString(), from).toBe(`false\n${says}\n`)
      }
    }
  })

  test('have nothing of Node’s in what is for browsers, and nothing that is done when it is imported', () => {
    const dist = join(esm, 'node_modules/sealstone/dist')
    for (const folder of ['browser', 'workerd', 'edge-light', 'slim']) {
      const files = readdirSync(join(dist, folder), { recursive: true, encoding: 'utf8' }).filter((name) =>
        /js$/.test(name),
      )
      expect(files.length).toBeGreaterThanOrEqual(5)
      for (const file of files) {
        const code = readFileSync(join(dist, folder, file), 'utf8').replaceAll(/^\s*(\/\/|\/?\*).*$/gm, '')
        // A method of crypto-js's ciphers has the name of Node's global.
        const without = code.replaceAll(/(\.|[;{}]|^)process\(/gm, '')
        expect(without, file).not.toMatch(/\b(node:|process\b|Buffer\b|__filename|createRequire|sealstone-linux)/)
      }
    }
  })

  /** The output of a program in a realm with the globals of browsers alone. */
  function saidInPage(entry: string, code: string, before = '', flags: string[] = [], options = '{}'): string {
    const dist = join(cjs, 'node_modules/sealstone/dist')
    const main = `const { createContext, runInContext } = require('node:vm')
      const { dirname, join } = require('node:path')
      const { readFileSync } = require('node:fs')
      const page = createContext({ TextDecoder, TextEncoder, URL, AbortController, atob, Blob, crypto, fetch, performance, Response, setTimeout,
        clearTimeout, clearInterval, setInterval, ReadableStream, TransformStream, console }, ${options})
      const files = new Map()
      page.load = (file) => {
        if (files.has(file)) return files.get(file)
        const module = runInContext('({ exports: {} })', page)
        files.set(file, module.exports)
        const inner = (name) => { if (!name.startsWith('.')) throw new Error(name); return page.load(join(dirname(file), name)) }
        // As a bundler requires an ES module.
        const program = readFileSync(file, 'utf8').replace(/^export const /m, 'exports.')
        runInContext('(function (exports, require, module) {' + program + '})', page)(module.exports, inner, module)
        files.set(file, module.exports)
        return module.exports
      }
      page.bytesOf = (name) => new Uint8Array(readFileSync(join(${JSON.stringify(dist)}, name)))
      runInContext(${JSON.stringify(before)}, page)
      page.own = page.load(${JSON.stringify(dist)} + '/' + ${JSON.stringify(entry)} + '.cjs')
      runInContext(${JSON.stringify(`(async () => { ${code} })().catch((error) => console.log(error.code, error.message))`)}, page)`
    writeFolder(cjs, { 'page.js': main })
    const { stdout, stderr } = spawnSync('node', [...flags, 'page.js'], { cwd: cjs, encoding: 'utf8' })
    expect(stderr).toBe('')
    return stdout
  }

  test('compute in a page, which has nothing of Node’s', () => {
    for (const [from] of NAMES.filter(([from]) => !NEUTRAL.includes(from))) {
      const name = from.replace(/^sealstone\/?/, '') || 'index'
      const [code, says] = ALONE[from]
      expect(saidInPage(`browser/${name}`, `with (own) { ${code} }`), from).toBe(`${says}\n`)
    }
  })

  test('do nothing in a page when they are imported', () => {
    const before = `for (const [of, names] of [[globalThis, ['fetch', 'atob', 'setTimeout', 'setInterval']], [WebAssembly, ['Module',
      'Instance', 'compile', 'instantiate']]]) for (const name of names) of[name] = function () { throw new Error(name) }`
    for (const [from] of NAMES.filter(([from]) => !NEUTRAL.includes(from))) {
      const name = from.replace(/^sealstone\/?/, '') || 'index'
      for (const folder of DRAWING.includes(from) ? ['browser'] : ['browser', 'slim']) {
        const says = saidInPage(`${folder}/${name}`, "console.log('imported')", before)
        expect(says, `${folder}/${name}`).toBe('imported\n')
      }
    }
  })

  test('say in a page what it lacks', () => {
    const key = 'own.generateIdentity()'
    const csp = saidInPage('browser/index', key, '', [], '{ codeGeneration: { wasm: false } }')
    expect(csp).toMatch(/^unavailable_backend .*Content-Security-Policy needs script-src 'wasm-unsafe-eval'/)
    const none = saidInPage('browser/index', key, 'delete globalThis.WebAssembly')
    expect(none).toMatch(/^unavailable_backend .*no WebAssembly.*Lockdown Mode/)
    const old = saidInPage('browser/index', key, '', ['--no-enable-sse4-1', '--no-enable-avx'])
    expect(old).toMatch(/^unavailable_backend .*no SIMD: Chrome 91/)
    for (const [entry, code] of [
      ['index', key],
      ['random', 'own.uuid()'],
      ['passphrase', 'own.passphrase()'],
    ] as const) {
      expect(saidInPage(`browser/${entry}`, code, 'delete globalThis.crypto')).toMatch(/^no_randomness /)
    }
    expect(saidInPage('browser/index', "await own.encryptFile('a', 'b', { key: new Uint8Array(32) })")).toMatch(
      /^unavailable_backend .*files by name/,
    )
    expect(saidInPage('browser/index', "await own.list('a', { key: new Uint8Array(32) })")).toMatch(
      /^unavailable_backend .*files by name/,
    )
    const signer = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4'
    expect(saidInPage('browser/signature', `await own.detachFile('a', '${signer}')`)).toMatch(
      /^unavailable_backend .*files by name/,
    )
  })

  test('have no WebAssembly in sealstone/slim, which is given it', () => {
    const slim = (code: string, entry = 'index'): string => saidInPage(`slim/${entry}`, code)
    const trip =
      'own.decryptSync(own.encryptSync("x", { key: new Uint8Array(32) }), { key: new Uint8Array(32) }).length'
    const pem = "own.exportIdentity(own.generateIdentity('p256'), 'pem').slice(0, 16)"
    const answer = (body: string, type: string, status = 200): string =>
      `new Response(${body}, { status: ${status}, headers: { 'content-type': '${type}' } })`
    expect(slim(trip)).toMatch(/^unavailable_backend .*sealstone\/base\.wasm.*call load/)
    for (const source of [
      "bytesOf('base.wasm')",
      "bytesOf('base.wasm').buffer",
      "new WebAssembly.Module(bytesOf('base.wasm'))",
      answer("bytesOf('whole.wasm')", 'application/wasm'),
      `Promise.resolve(${answer("bytesOf('base.wasm')", 'application/octet-stream')})`,
    ]) {
      expect(slim(`await own.load(${source}); console.log(${trip})`), source).toBe('1\n')
    }
    expect(slim(`await own.load(bytesOf('base.wasm')); console.log(${pem})`)).toMatch(
      /^unavailable_backend .*sealstone\/forms\.wasm/,
    )
    for (const sources of ["bytesOf('whole.wasm')", "bytesOf('forms.wasm'), bytesOf('base.wasm')"]) {
      expect(slim(`await own.load(${sources}); console.log(${pem})`)).toBe('-----BEGIN PRIVA\n')
    }
    const refused = [
      [answer("'<html>'", 'text/html'), /^unavailable_backend .*is not a WebAssembly module: .*text\/html/],
      [answer("'no'", 'text/plain', 404), /^unavailable_backend .*status 404/],
      ["Promise.reject(new TypeError('offline'))", /^unavailable_backend .*offline/],
      ["'http://127.0.0.1:9/base.wasm'", /^unavailable_backend .*127\.0\.0\.1:9/],
      [
        'new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])',
        /^unavailable_backend .*not a WebAssembly module of this version/,
      ],
      ['new Uint8Array(9)', /^unavailable_backend .*cannot be started/],
      ['5', /^invalid_argument /],
      ['', /^invalid_argument /],
    ] as const
    for (const [source, says] of refused) expect(slim(`await own.load(${source})`), source).toMatch(says)
  })

  test('are one, as ES modules and as CommonJS: keys and instanceof of one work in the other', () => {
    writeFolder(esm, { 'both.js': BOTH })
    expect(execFileSync('node', ['both.js'], { cwd: esm }).toString()).toBe('one\n')
  })

  test('work in a realm that has nothing in common with the addon’s', () => {
    const main = `
      import assert from 'node:assert/strict'
      import { createRequire } from 'node:module'
      import { readFileSync } from 'node:fs'
      import { dirname, join } from 'node:path'
      import { createContext, runInContext } from 'node:vm'
      const outer = createRequire(import.meta.url)
      const { AbortController, Blob, Buffer, console, crypto, performance, process, ReadableStream, TextDecoder, TextEncoder, URL } = globalThis
      const names = { AbortController, Blob, Buffer, console, crypto, performance, process, ReadableStream, TextDecoder, TextEncoder, URL, assert }
      const page = createContext({ ...names, clearInterval, setImmediate, setInterval, setTimeout })
      const loaded = new Map()
      page.load = (file) => {
        if (loaded.has(file)) return loaded.get(file)
        const module = runInContext('({ exports: {} })', page)
        loaded.set(file, module.exports)
        const inner = (name) => (name.startsWith('.') ? page.load(join(dirname(file), name)) : outer(name))
        // As a bundler requires an ES module.
        const program = readFileSync(file, 'utf8').replace(/^export const /m, 'exports.')
        runInContext('(function (exports, require, module) {' + program + '})', page)(module.exports, inner, module)
        loaded.set(file, module.exports)
        return module.exports
      }
      page.folder = join(import.meta.dirname, 'node_modules/sealstone/dist')
      page.theirs = new Uint8Array([1, 2, 3])
      page.decoded = (bytes) => new TextDecoder().decode(bytes)
      await runInContext(\`(async () => {
        const sealstone = load(folder + '/index.cjs')
        const { hash } = load(folder + '/hash.cjs')
        assert.ok(!(theirs instanceof Uint8Array) && !(theirs instanceof Object))
        const key = new Uint8Array(32).fill(7)
        const identity = sealstone.generateIdentity('p256')
        const results = [
          sealstone.encryptSync(theirs, { key }), sealstone.exportIdentity(identity, 'der'), hash('sha256', theirs),
          await sealstone.encrypt(new Uint8Array(1e6), { key }), await sealstone.sealMessage(sealstone.recipientOf(identity), theirs),
          sealstone.decryptSync(sealstone.encryptSync(theirs, { key }), { key }),
          ...(await sealstone.encryptBatch([theirs], { key })), await sealstone.encrypt(new Uint8Array(5e6), { key }),
          await sealstone.decryptRange(sealstone.encryptSync(theirs, { key }), 0, 2, { key }),
        ]
        for await (const part of sealstone.encrypt(new Blob([new Uint8Array(1e6)]), { key })) results.push(part)
        for (const result of results) {
          assert.ok(result instanceof Uint8Array && result.constructor === Uint8Array && result.buffer instanceof ArrayBuffer)
        }
        const inspected = sealstone.inspectSync(results[0])
        assert.ok(inspected instanceof Object && inspected.stanzas instanceof Array && inspected.stanzas[0] instanceof Object)
        for await (const part of sealstone.decrypt(sealstone.encrypt(new Blob(['x']), { key }), { key })) assert.equal(decoded(part), 'x')
        const failures = [
          () => sealstone.decryptSync('no file', { key }),
          () => sealstone.inspectFile('/no/such/file'),
          () => sealstone.decrypt(new Uint8Array(1e6), { key }),
          () => sealstone.inspectFile(new URL('file:///no/such/file')),
        ]
        for (const fails of failures) {
          let error
          try { await fails() } catch (thrown) { error = thrown }
          assert.ok(error instanceof sealstone.SealstoneError && error instanceof Error && error.code !== 'internal')
        }
        assert.throws(() => sealstone.encryptSync(5, { key }), (error) => error instanceof TypeError)
        console.log('at home')
      })()\`, page)`
    writeFolder(esm, { 'realm.js': main.replace('import.meta.dirname', "new URL('.', import.meta.url).pathname") })
    for (const backend of ['', 'wasm']) {
      const env = { ...process.env, SEALSTONE_BACKEND: backend }
      const { stdout, stderr } = spawnSync('node', ['realm.js'], { cwd: esm, env })
      expect(stderr.toString()).toBe('')
      expect(stdout.toString()).toBe('at home\n')
    }
  })

  test('have composables that share keys and errors with the rest, as ES modules and as CommonJS', () => {
    const composables = `
      const identity = generateIdentity('x25519')
      const { code, decryptText, encrypt, error } = useEncryption({ recipients: recipientOf(identity), identities: identity })
      const { decryptText: read, encryptText } = old.useEncryption()
      ;(async () => {
        console.log(await decryptText(await encrypt('attack at dawn')), await read(await encryptText('at noon', 'secret'), 'secret'))
        await decryptText('no file')
        console.log(code.value, error.value instanceof SealstoneError)
      })()`
    const names = '{ generateIdentity, recipientOf, SealstoneError }'
    writeFolder(esm, {
      'vue.js': `import ${names} from 'sealstone'\nimport { useEncryption } from 'sealstone/vue'\nimport * as old from 'sealstone/compat/ldesign/vue'\n${composables}`,
    })
    writeFolder(cjs, {
      'vue.js': `const ${names} = require('sealstone')\nconst { useEncryption } = require('sealstone/vue')\nconst old = require('sealstone/compat/ldesign/vue')\n${composables}`,
    })
    for (const cwd of [esm, cjs]) {
      expect(execFileSync('node', ['vue.js'], { cwd }).toString()).toBe('attack at dawn at noon\nnot_sealstone true\n')
    }
  })

  test('load no native code when they are imported', () => {
    const main = `import 'sealstone'\nimport 'sealstone/aead'\nimport { readFileSync } from 'node:fs'
      console.log(readFileSync('/proc/self/maps', 'utf8').includes('sealstone.linux'))
      ;(await import('sealstone')).generateIdentity()
      console.log(readFileSync('/proc/self/maps', 'utf8').includes('sealstone.linux'))`
    writeFolder(esm, { 'lazy.js': main })
    expect(execFileSync('node', ['lazy.js'], { cwd: esm }).toString()).toBe('false\ntrue\n')
  })

  test('have FISE for a page that has none of Node’s names, and no other file of the package', () => {
    const main = `
      import { readFileSync } from 'node:fs'
      import { createContext, runInContext } from 'node:vm'
      const file = new URL('./node_modules/sealstone/dist/fise.cjs', import.meta.url)
      const page = createContext({ atob, btoa, crypto, TextDecoder, TextEncoder, exports: {} })
      runInContext('(() => {' + readFileSync(file, 'utf8') + '})()', page)
      const opens = (text) => {
        page.input = text
        return runInContext('exports.fiseDecrypt(exports.fiseEncrypt(input, exports.defaultRules), exports.defaultRules)', page) === text
      }
      console.log(['page', 'page '.repeat(99), '世界😀', 'page 世界😀'.repeat(99)].every(opens))
      const { fiseDecrypt, defaultRules } = await import('sealstone/fise')
      console.log(fiseDecrypt(runInContext('exports.fiseEncrypt("from a page", exports.defaultRules)', page), defaultRules))
      console.log(/require\\(|from ['"]/.test(readFileSync(file, 'utf8').replaceAll(/^\\s*\\*.*$/gm, '')))`
    writeFolder(esm, { 'page.js': main })
    expect(execFileSync('node', ['page.js'], { cwd: esm }).toString()).toBe('true\nfrom a page\nfalse\n')
  })

  test('compute in WebAssembly where the native part is not installed, and say so once', () => {
    const bare = projectWithoutAddon(root, 'bare', 'module')
    const bareCjs = projectWithoutAddon(root, 'bare-cjs', 'commonjs')
    expect(existsSync(join(bare, 'node_modules/sealstone-linux-x64-gnu'))).toBe(false)
    writeFolder(bare, { 'main.js': `${IMPORTS}\n${ROUND_TRIP}` })
    writeFolder(bareCjs, { 'main.js': `${REQUIRES}\n${ROUND_TRIP}` })
    for (const cwd of [bare, bareCjs]) {
      const told = spawnSync('node', ['main.js'], { cwd, encoding: 'utf8' })
      expect(told.stdout).toBe(EXPECTED)
      expect(told.stderr.match(/SEALSTONE_WASM/g)).toHaveLength(1)
      expect(told.stderr).toMatch(
        /sealstone computes in WebAssembly: .*SEALSTONE_BACKEND=wasm.*sealstone-linux-x64-gnu is not installed.*https:/,
      )
      expect(told.stderr.split('\n')[0]).not.toContain('..')
      const env = { ...process.env, SEALSTONE_BACKEND: 'wasm' }
      expect(spawnSync('node', ['main.js'], { cwd, encoding: 'utf8', env })).toMatchObject({
        stdout: EXPECTED,
        stderr: '',
      })
      for (const name of ['portable', 'avx9']) {
        const env = { ...process.env, SEALSTONE_BACKEND: name }
        const refused = spawnSync('node', ['main.js'], { cwd, encoding: 'utf8', env })
        expect(refused.stderr).toMatch(`SEALSTONE_BACKEND is '${name}', which is unknown or needs the native part`)
        expect(refused.stderr).toMatch(/only wasm computes: .* is not installed/)
        expect(refused.status).toBe(1)
      }
      const withoutBoth = spawnSync('node', ['--jitless', 'main.js'], { cwd, encoding: 'utf8' })
      expect(withoutBoth.stderr).toMatch(
        /is not installed.*WebAssembly cannot compute either: it is off in this process \(node --jitless\)/,
      )
    }
  })

  test('compute in WebAssembly in a program that is given as an argument, with no file of the working directory', () => {
    const code = `import('sealstone/hash').then(({ hashHex }) => console.log(hashHex('sha256', '').slice(0, 4)))`
    writeFolder(join(root, 'bare'), { 'sealstone-fallback.cjs': "console.log('not ours')" })
    const { stdout } = spawnSync('node', ['-e', code], { cwd: join(root, 'bare'), encoding: 'utf8' })
    expect(stdout).toBe('e3b0\n')
  })

  test('have one fall-back in a process, as ES modules and as CommonJS', () => {
    writeFolder(join(root, 'bare'), { 'both.js': BOTH })
    const { stdout, stderr } = spawnSync('node', ['both.js'], { cwd: join(root, 'bare'), encoding: 'utf8' })
    expect(stdout).toBe('one\n')
    expect(stderr.match(/SEALSTONE_WASM/g)).toHaveLength(1)
  })

  test('name a platform that has no build yet, and do not call it a broken installation', () => {
    const bare = join(root, 'bare')
    const says = (platform: string, arch: string, glibc?: string): string => {
      const main = `
        import { createRequire } from 'node:module'
        Object.defineProperties(process, { platform: { value: '${platform}' }, arch: { value: '${arch}' } })
        process.report.getReport = () => ({ header: { glibcVersionRuntime: ${JSON.stringify(glibc)} } })
        process.on('warning', ({ code, message }) => console.log(code, message))
        for (const { generateIdentity } of [await import('sealstone'), createRequire(import.meta.url)('sealstone')]) {
          generateIdentity()
        }`
      writeFolder(bare, { 'platform.mjs': main })
      const [text, ...rest] = execFileSync('node', ['--no-warnings', 'platform.mjs'], { cwd: bare })
        .toString()
        .split('\n')
      expect(rest).toEqual([''])
      expect((text as string).length).toBeLessThan(400)
      return text as string
    }
    for (const [platform, arch] of [
      ['darwin', 'arm64'],
      ['win32', 'x64'],
      ['freebsd', 'x64'],
      ['linux', 'arm64'],
    ] as const) {
      const text = says(platform, arch, '2.36')
      expect(text).toMatch(/^SEALSTONE_WASM sealstone computes in WebAssembly: /)
      expect(text).toContain(`sealstone has no native part for ${platform}-${arch} yet. https:`)
    }
    expect(says('linux', 'x64')).toMatch(/no native part for linux-x64-musl yet.*Alpine.*node:22-bookworm-slim/)
    expect(says('linux', 'x64', '2.36')).toMatch(/is not installed.*deployment\.md/)
  })

  test('compute in WebAssembly where the native part is broken, and say why', () => {
    const broken = project(root, 'broken', 'module', /\.tgz$/)
    writeFolder(join(broken, 'node_modules/sealstone-linux-x64-gnu'), { 'sealstone.linux-x64-gnu.node': 'no program' })
    writeFolder(broken, { 'main.js': `${IMPORTS}\n${ROUND_TRIP}` })
    const { stdout, stderr } = spawnSync('node', ['main.js'], { cwd: broken, encoding: 'utf8' })
    expect(stdout).toBe(EXPECTED)
    expect(stderr).toMatch(
      /SEALSTONE_WASM.*sealstone-linux-x64-gnu cannot be loaded: sealstone.linux-x64-gnu.node: (file too short|invalid ELF)/,
    )
  })

  test('draw other randomness in each process and each thread of a program', () => {
    const code = `import { fork } from 'node:child_process'
      import { isMainThread, parentPort, Worker } from 'node:worker_threads'
      import { encryptSync, generateIdentity, recipientOf } from 'sealstone'
      import { randomBytes, uuid } from 'sealstone/random'
      const recipients = recipientOf(generateIdentity())
      const drawn = () => [randomBytes(32), uuid(), encryptSync('', { recipients })].map(String)
      if (!isMainThread) parentPort.postMessage(drawn())
      else if (process.send) process.send(drawn())
      else {
        drawn()
        const self = new URL(import.meta.url)
        const others = [fork(self), fork(self), new Worker(self), new Worker(self)]
        const said = others.map((other) => new Promise((resolve) => other.once('message', resolve)))
        const draws = [drawn(), ...(await Promise.all(said))]
        console.log(draws[0].map((_, at) => new Set(draws.map((all) => all[at])).size).join())
      }`
    writeFolder(esm, { 'forks.js': code })
    expect(execFileSync('node', ['forks.js'], { cwd: esm }).toString()).toBe('5,5,5\n')
  })

  test('leave no file behind when a process ends in the middle, without the native part too', () => {
    const main = `
      import { readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs'
      import { encryptFile, verifyFile } from 'sealstone'
      writeFileSync('large', '')
      truncateSync('large', 3e8)
      const to = { key: new Uint8Array(32), suite: 'chacha20-poly1305', replace: true }
      await encryptFile('main.js', 'large.seal', to)
      const before = process.memoryUsage().rss
      await encryptFile('large', 'large.seal', to)
      const { plaintext } = await verifyFile('large.seal', { key: to.key })
      console.log(plaintext, Math.round((process.resourceUsage().maxRSS * 1024 - before) / 2 ** 20))
      // Longer than a test lasts.
      truncateSync('large', 2 ** 40)
      encryptFile('large', 'never', to)
      const isBegun = () => readdirSync('.').some((name) => name.endsWith('.tmp') && (statSync(name, { throwIfNoEntry: false })?.size ?? 0) > 0)
      setInterval(() => {
        if (isBegun()) process.exit(7)
      }, 1)`
    const bare = join(root, 'bare')
    writeFolder(bare, { 'ends.js': main })
    const env = { ...process.env, SEALSTONE_BACKEND: 'wasm' }
    const { stdout, stderr, status } = spawnSync('node', ['ends.js'], { cwd: bare, encoding: 'utf8', env })
    expect([stderr, status]).toEqual(['', 7])
    const [plaintext, mebibytes] = stdout.split(' ').map(Number)
    expect(plaintext).toBe(3e8)
    console.log(`a file of 300 MB: ${mebibytes} MiB more`)
    // A busy machine gives a process more memory.
    if (MEASURES) expect(mebibytes).toBeLessThan(100)
    expect(readdirSync(bare).filter((name) => /never|\.tmp/.test(name))).toEqual([])
  })

  test('leave no file behind when a signal ends a process, and end it by that signal or as the program says', () => {
    const setup = `
      import { truncateSync, writeFileSync } from 'node:fs'
      import { encryptFile } from 'sealstone'
      writeFileSync('signalled', '')
      truncateSync('signalled', 2e8)
      await encryptFile('signalled', 'signalled.seal', { key: new Uint8Array(32), replace: true })`
    const main = `
      import { readdirSync, statSync } from 'node:fs'
      import { decryptFile, encryptFile } from 'sealstone'
      const [work, signal, listener] = process.argv.slice(2)
      const again = () => process.kill(process.pid, signal)
      const alone = () => {
        if (process.listeners(signal).length > 1) return
        process.off(signal, alone)
        again()
      }
      if (listener === 'goes on') process.on(signal, () => console.log('heard'))
      if (listener === 'exits') process.on(signal, () => process.exit(7))
      if (listener === 'sends it again') process.once(signal, again)
      // As signal-exit does, which many command lines have.
      if (listener === 'counts') process.on(signal, alone)
      const listeners = () => ['SIGINT', 'SIGTERM', 'SIGHUP', 'exit'].map((name) => process.listenerCount(name)).join()
      const before = listeners()
      const isBegun = () => readdirSync('.').some((name) => name.endsWith('.tmp') && (statSync(name, { throwIfNoEntry: false })?.size ?? 0) > 0)
      const timer = setInterval(() => {
        if (!isBegun()) return
        clearInterval(timer)
        again()
      }, 1)
      const options = { key: new Uint8Array(32) }
      await (work === 'encrypt' ? encryptFile('signalled', 'cut', options) : decryptFile('signalled.seal', 'cut', options))
      console.log(listeners() === before)`
    const bare = join(root, 'bare')
    writeFolder(bare, { 'setup.js': setup, 'signalled.js': main })
    const env = { ...process.env, SEALSTONE_BACKEND: 'wasm' }
    execFileSync('node', ['setup.js'], { cwd: bare, env })
    const run = (...args: string[]): unknown => {
      const { status, signal, stdout, stderr } = spawnSync('node', ['signalled.js', ...args], { cwd: bare, env })
      expect(stderr.toString()).toBe('')
      const left = readdirSync(bare).filter((name) => name === 'cut' || name.endsWith('.tmp'))
      rmSync(join(bare, 'cut'), { force: true })
      return [signal ?? status, stdout.toString(), left]
    }
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) {
      for (const work of ['encrypt', 'decrypt']) {
        expect(run(work, signal), `${work} ${signal}`).toEqual([signal, '', []])
      }
    }
    expect(run('decrypt', 'SIGINT', 'goes on')).toEqual([0, 'heard\ntrue\n', ['cut']])
    expect(run('decrypt', 'SIGINT', 'exits')).toEqual([7, '', []])
    expect(run('decrypt', 'SIGINT', 'sends it again')).toEqual(['SIGINT', '', []])
    expect(run('decrypt', 'SIGINT', 'counts')).toEqual(['SIGINT', '', []])
  })

  test('keep to Node’s permissions without --allow-addons, and read with it what those refuse, as the guide says', () => {
    const main = `
      import { readFileSync } from 'node:fs'
      import { hashFile } from 'sealstone/hash'
      const file = new URL('../outside.txt', import.meta.url).pathname
      try { readFileSync(file) } catch (error) { console.log(error.code) }
      console.log(await hashFile('sha256', file).then((digest) => digest.length, (error) => error.code))`
    writeFolder(esm, { 'permission.js': main })
    writeFolder(root, { 'outside.txt': 'x' })
    const says = (...flags: string[]): string =>
      execFileSync('node', [PERMISSION, '--no-warnings', `--allow-fs-read=${esm}/`, ...flags, 'permission.js'], {
        cwd: esm,
      }).toString()
    expect(says()).toBe('ERR_ACCESS_DENIED\nio\n')
    expect(says('--allow-addons')).toBe('ERR_ACCESS_DENIED\n32\n')
    const told = spawnSync('node', [PERMISSION, `--allow-fs-read=${esm}/`, 'permission.js'], {
      cwd: esm,
      encoding: 'utf8',
    })
    expect(told.stderr).toMatch(/SEALSTONE_WASM.*is not loaded: --permission needs --allow-addons/)
  })

  test('write files where Node’s permissions let them, with the rights that they are to have', () => {
    const main = `
      import { chmodSync, readdirSync, statSync, writeFileSync } from 'node:fs'
      import { decryptFile, encryptFile, generateIdentity, recipientOf, rewrapFile } from 'sealstone'
      const [before, after] = [generateIdentity('x25519'), generateIdentity('x25519')]
      const [, , folder, outside] = process.argv
      const mode = (name) => (statSync(folder + name).mode & 0o7777).toString(8)
      process.umask(0o022)
      writeFileSync(folder + 'plain', 'attack at dawn')
      await encryptFile(folder + 'plain', folder + 'sealed', { recipients: recipientOf(before) })
      await decryptFile(folder + 'sealed', folder + 'opened', { identities: before })
      console.log(mode('sealed'), mode('opened'))
      chmodSync(folder + 'sealed', 0o660)
      await rewrapFile(folder + 'sealed', { identities: before, recipients: recipientOf(after) })
      await decryptFile(folder + 'sealed', folder + 'again', { identities: after })
      console.log(mode('sealed'), readdirSync(folder).join())
      const refused = await encryptFile(folder + 'plain', outside, { recipients: recipientOf(after) }).catch((error) => error)
      console.log(refused.code, refused.cause.code, refused.message.includes('outside'))`
    const folder = join(root, 'written/')
    writeFolder(folder, {})
    writeFolder(join(root, 'bare'), { 'writes.js': main })
    const flags = [PERMISSION, '--no-warnings', '--allow-fs-read=*', `--allow-fs-write=${folder}`]
    const run = spawnSync('node', [...flags, 'writes.js', folder, join(root, 'outside.seal')], {
      cwd: join(root, 'bare'),
      encoding: 'utf8',
    })
    expect(run.stderr).toBe('')
    expect(run.stdout).toBe('644 600\n660 again,opened,plain,sealed\nio EACCES true\n')
  })

  test('take relative names from where the process is when a function is called', () => {
    const main = `
      import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
      import { chdir } from 'node:process'
      import { decryptFile, decryptRangeFile, encryptFile, encryptSync, generateIdentity, inspectFile, recipientOf, rewrapFile, verifyFile } from 'sealstone'
      import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from 'sealstone/age'
      import { hashFile } from 'sealstone/hash'
      import { mac } from 'sealstone/mac'
      import { generateKey } from 'sealstone/sign'
      import { attachFile, detachFile, signFile, verifyFile as verifySignature } from 'sealstone/signature'
      const identities = generateIdentity('x25519')
      const recipients = recipientOf(identities)
      const key = generateKey('ed25519')
      const age = await generateX25519Identity()
      const [encrypter, decrypter] = [new Encrypter(), new Decrypter()]
      encrypter.addRecipient(await identityToRecipient(age))
      decrypter.addIdentity(age)
      mkdirSync('elsewhere', { recursive: true })
      const here = process.cwd()
      const called = async (...calls) => {
        const begun = calls.map((call) => call())
        chdir('elsewhere')
        await Promise.all(begun)
        chdir(here)
      }
      writeFileSync('in', 'attack at dawn')
      for (const name of ['rewrapped', 'to.seal']) writeFileSync(name, encryptSync('attack at dawn', { recipients }))
      await called(
        () => encryptFile('in', 'in.seal', { recipients }),
        () => encrypter.encryptFile('in', 'in.age'),
        () => attachFile('in', 'in.signed', key),
        () => signFile('in', key),
        () => hashFile('sha256', 'in'),
        () => mac('hmac-sha256', 'key').signFile('in'),
        () => rewrapFile('rewrapped', { identities, recipients }),
        () => inspectFile('to.seal'),
      )
      const signature = await signFile('in', key)
      await called(
        () => decryptFile('in.seal', 'opened', { identities }),
        () => decryptRangeFile('in.seal', 0, 5, { identities }),
        () => decryptRangeFile('in.seal', 0, 2 ** 40, { identities }),
        () => verifyFile('in.seal', { identities }),
        () => decrypter.decryptFile('in.age', 'opened by age'),
        () => decrypter.decryptRangeFile('in.age', 0, 5),
        () => detachFile('in.signed', key.publicKey, { output: 'detached' }),
        () => verifySignature('in', signature, key.publicKey),
      )
      const missing = await decryptFile('missing', 'made', { identities }).catch((error) => error.message)
      console.log(missing, readdirSync('.').sort().join(), readdirSync('elsewhere').join())`
    for (const backend of ['', 'wasm']) {
      const cwd = join(root, `names ${backend}`)
      writeFolder(cwd, { 'main.js': main, 'package.json': '{"type":"module"}' })
      symlinkSync(join(esm, 'node_modules'), join(cwd, 'node_modules'))
      const run = spawnSync('node', ['main.js'], {
        cwd,
        encoding: 'utf8',
        env: { ...process.env, SEALSTONE_BACKEND: backend },
      })
      expect(run.stderr, backend).toBe('')
      expect(run.stdout, backend).toMatch(/^open missing: /)
      expect(run.stdout, backend).toContain(
        ' detached,elsewhere,in,in.age,in.seal,in.signed,main.js,node_modules,opened,opened by age,package.json,rewrapped,to.seal ',
      )
    }
  })

  test('end a Web stream of Node’s at any moment, without an error that nobody can catch', () => {
    const main = `
      import { Readable } from 'node:stream'
      import { decryptionStream, encrypt, encryptSync } from 'sealstone'
      let uncaught = 0
      process.on('uncaughtException', () => uncaught++)
      const key = new Uint8Array(32)
      const damaged = new Uint8Array(encryptSync(new Uint8Array(4000), { key, armour: true }))
      damaged[200] ^= 1
      // A source that waits, is read from again, and is not wanted any more some microtasks later.
      async function* source(microtasks, abort) {
        for (let at = 0; at < damaged.length; at += 20) {
          yield damaged.subarray(at, at + 20)
          if (at !== 100) continue
          await new Promise((resolve) => setTimeout(resolve, 1))
          queueMicrotask(async () => {
            for (let i = 0; i < microtasks; i++) await undefined
            abort()
          })
        }
      }
      let ended = 0
      for (let round = 0; round < 300; round++) {
        const controller = new AbortController()
        const web = Readable.toWeb(Readable.from(source(round % 30, () => controller.abort())))
        const { signal } = controller
        const parts = round % 3 === 0 ? web.pipeThrough(decryptionStream({ key, signal })) : encrypt(web, { key, signal })
        try { for await (const part of parts); } catch { ended++ }
        await new Promise((resolve) => setTimeout(resolve, 1))
      }
      console.log(ended, uncaught)`
    writeFolder(esm, { 'ended.js': main })
    const { stdout, stderr } = spawnSync('node', ['ended.js'], { cwd: esm })
    expect(stderr.toString()).toBe('')
    expect(stdout.toString()).toBe('300 0\n')
  })

  test('work in worker threads, many times, and when those are ended in the middle of work', () => {
    const main = `
      import { Worker } from 'node:worker_threads'
      const code = \`
        const { encrypt, generateIdentity, recipientOf } = require('sealstone')
        const { parentPort } = require('node:worker_threads')
        const recipients = recipientOf(generateIdentity('x25519'))
        encrypt(new Uint8Array(1e6), { recipients }).then((file) => parentPort.postMessage(file.length))
        for (let i = 0; i < 8; i++) encrypt(new Uint8Array(3e7), { recipients })\`
      for (let i = 0; i < 6; i++) {
        const worker = new Worker(code, { eval: true })
        await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject))
        await worker.terminate()
      }
      console.log('alive')`
    writeFolder(esm, { 'workers.js': main })
    const { stdout, signal } = spawnSync('node', ['workers.js'], { cwd: esm })
    expect(signal).toBeNull()
    expect(stdout.toString()).toBe('alive\n')
  })

  /** Examples of the documentation, in the sources and in texts. */
  function examples(): string[] {
    const sources = readdirSync(join(HERE, 'src'), { recursive: true, encoding: 'utf8' })
    const documents = sources.filter((name) => name.endsWith('.ts')).map((name) => join(HERE, 'src', name))
    return [...documents, ...GUIDES.map((path) => join(HERE, path))].flatMap((path) => {
      const text = readFileSync(path, 'utf8').replaceAll(/^ *\* ?/gm, '')
      return [...text.matchAll(/^```[jt]s\n(.*?)^```/gms)].map(([, code]) => code as string)
    })
  }

  /** A user's program that imports every entry. */
  function entriesFile(): string {
    const { exports } = JSON.parse(readFileSync(join(esm, 'node_modules/sealstone/package.json'), 'utf8'))
    const entries = Object.keys(exports).filter((entry) => typeof exports[entry] === 'object')
    expect(entries.length).toBeGreaterThan(30)
    return entries
      .map((entry, i) => `import * as entry${i} from 'sealstone${entry.slice(1)}'; void entry${i}`)
      .join('\n')
  }

  let program: Program | undefined

  /** One program of all that a user may write, with checks of the package's declarations (`skipLibCheck` is off). */
  function everything(): Program {
    const documented = [...NAMES.map(([from]) => from), 'sealstone/slim', 'sealstone/vue']
    const all = documented
      .filter((from) => !from.startsWith(LDESIGN))
      .map((from, i) => `export * as from${i} from '${from}'`)
    const files: Record<string, string> = {
      'all.ts': all.join('\n'),
      'consumer.ts': CONSUMER,
      'entries.ts': entriesFile(),
      'replaced.ts': REPLACED,
      ...Object.fromEntries(examples().map((example, i) => [`example${i}.ts`, example])),
    }
    writeFolder(esm, files)
    program ??= createProgram(
      Object.keys(files).map((name) => join(esm, name)),
      COMPILER_OPTIONS as CompilerOptions,
    )
    return program
  }

  test('have types that hold, of every entry, in what a user writes and in every example', () => {
    expect(examples().length).toBeGreaterThanOrEqual(90)
    const host = {
      getCanonicalFileName: (name: string) => name,
      getCurrentDirectory: () => esm,
      getNewLine: () => '\n',
    }
    expect(formatDiagnostics(getPreEmitDiagnostics(everything()), host)).toBe('')
  })

  exhaustive('have types that hold in CommonJS', () => checkTypes(cjs, { 'consumer.ts': CONSUMER }))

  exhaustive('have types of every entry in a project for browsers, which has none of Node', () => {
    const page = `
      import { generateIdentity, importIdentity, toCryptoKey } from 'sealstone'
      const identity = generateIdentity('p256')
      const key: CryptoKey = await toCryptoKey(identity, { name: 'ECDH', namedCurve: 'P-256' }, false, ['deriveBits'])
      const jwk: JsonWebKey = await crypto.subtle.exportKey('jwk', key)
      await importIdentity(key).then(() => importIdentity(jwk)).then(() => importIdentity({ kty: 'EC', crv: 'P-256' }))
      // @ts-expect-error: a number is no key
      await importIdentity(42)
      // @ts-expect-error: no such usage
      await toCryptoKey(identity, 'X25519', false, ['nonsense'])
      // @ts-expect-error: not a number
      const wrong: number = key`
    const files = { 'page.ts': page, 'entries.ts': entriesFile(), 'replaced.ts': REPLACED }
    const withoutTypes = { types: [], typeRoots: [], lib: ['es2022', 'dom'] }
    checkTypes(esm, files, { ...withoutTypes, module: 'esnext', moduleResolution: 'bundler' })
    checkTypes(esm, files, withoutTypes)
  })

  // With declarations checked (`skipLibCheck` is off): an error in one of them fails a user's build.
  exhaustive('have types of every entry for bundlers, and in CommonJS', () => {
    const files = { 'entries.ts': entriesFile(), 'replaced.ts': REPLACED }
    const bundler = { module: 'esnext', moduleResolution: 'bundler', lib: ['es2022', 'dom', 'esnext.disposable'] }
    checkTypes(esm, files, bundler)
    checkTypes(cjs, files)
  })

  test('have an example of each function and class', () => {
    const [checked, file] = [everything(), join(esm, 'all.ts')]
    const checker = checked.getTypeChecker()
    const exportsOf = (symbol: TypeSymbol | undefined) => checker.getExportsOfModule(symbol as TypeSymbol)
    const modules = exportsOf(checker.getSymbolAtLocation(checked.getSourceFile(file) as SourceFile))
    const originals = modules
      .flatMap((module) => exportsOf(checker.getAliasedSymbol(module)))
      .map((symbol) => (symbol.flags & SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol))
    const documented = originals.filter(({ flags }) => flags & (SymbolFlags.Function | SymbolFlags.Class))
    expect(documented.length).toBeGreaterThanOrEqual(80)
    const bare = documented.filter((symbol) => symbol.getJsDocTags(checker).every(({ name }) => name !== 'example'))
    expect(bare.map(({ name }) => name)).toEqual([])
  })

  test('have a word in its guide on each name of another package', () => {
    const guide = readFileSync(join(HERE, '../../docs/guide/from-ldesign.md'), 'utf8')
    const entries = [...NAMES.map(([from]) => from).filter((from) => from.startsWith(LDESIGN)), `${LDESIGN}/vue`]
    const names = `const all = await Promise.all(${JSON.stringify(entries)}.map((name) => import(name)))
      console.log(JSON.stringify(all.flatMap((entry) => Object.keys(entry))))`
    const all: string[] = JSON.parse(
      execFileSync('node', ['--input-type=module', '-e', names], { cwd: esm }).toString(),
    )
    expect(all.length).toBeGreaterThan(120)
    expect(all.filter((name) => name !== 'default' && !new RegExp(`\\b${name}\\b`).test(guide))).toEqual([])
  })

  test('run every example of their documentation', () => {
    const all = examples()
    for (const [i, example] of all.entries()) {
      const { outputText } = transpileModule(example, {
        compilerOptions: { module: ModuleKind.ESNext, target: ScriptTarget.ES2022 },
      })
      writeFolder(esm, { [`example${i}.js`]: outputText })
    }
    /** Whether it needs a process, or leaves state for others. */
    const isAlone = (example: string): boolean => /process\.|globalThis|monitor/.test(example)
    // Some in one thread, one after the other: it would begin for longer than one of them works. It ends by itself, as each of them.
    const together = [...all.keys()].filter((i) => !isAlone(all[i] as string))
    const groups = Array.from({ length: Math.ceil(together.length / 30) }, (_, i) =>
      together.slice(30 * i, 30 * i + 30),
    )
    const group = `
      import { format } from 'node:util'
      import { parentPort, workerData } from 'node:worker_threads'
      let outcome
      console.log = (...said) => { outcome.stdout += format(...said) + '\\n' }
      console.error = console.warn = (...said) => { outcome.stderr += format(...said) + '\\n' }
      for (const i of workerData) {
        outcome = { status: 0, stdout: '', stderr: '' }
        await import('./example' + i + '.js').catch((thrown) => { outcome.error = String(thrown?.stack ?? thrown) })
        parentPort.postMessage([i, outcome])
      }`
    const main = `
      import { Worker } from 'node:worker_threads'
      const outcomes = []
      for (const workerData of ${JSON.stringify(groups)}) {
        const worker = new Worker(new URL('group.mjs', import.meta.url), { workerData })
        worker.on('message', ([i, outcome]) => { outcomes[i] = outcome })
        const status = await new Promise((resolve) => worker.on('exit', resolve))
        if (status !== 0) throw new Error('a thread ended with ' + status)
      }
      console.log(JSON.stringify(outcomes))`
    writeFolder(esm, { 'group.mjs': group, 'examples.mjs': main })
    const { stdout, stderr } = spawnSync('node', ['examples.mjs'], { cwd: esm, encoding: 'utf8', maxBuffer: 1 << 26 })
    expect(stderr).toBe('')
    type Outcome = { status: number | null; error?: string; stdout: string; stderr: string }
    const outcomes: (Outcome | null)[] = JSON.parse(stdout)
    expect(outcomes.filter(Boolean)).toHaveLength(together.length)
    for (const [i, example] of all.entries()) {
      const alone = (): Outcome => spawnSync('node', [`example${i}.js`], { cwd: esm, encoding: 'utf8' }) as never
      const { status, error, stdout, stderr } = outcomes[i] ?? alone()
      expect([error, stderr, status], example).toEqual([undefined, '', 0])
      // An example prints the text of its comment; measured numbers are the machine's.
      if (!MEASURES && example.includes("'sealstone/bench'")) continue
      const promised = [...example.matchAll(/console\.log\(.*\/\/ (.*)$/gm)].map(([, text]) => text as string)
      const lines = stdout.split('\n')
      for (const [j, text] of promised.entries()) {
        expect(lines[j], example).toContain(text.split('…')[0])
      }
    }
  })

  measured('weigh no more than they did', () => {
    const tarball = readdirSync(PACKED as string).find((file) => /^sealstone-\d/.test(file)) as string
    const kilobytes = statSync(join(PACKED as string, tarball)).size / 1000
    console.log(`${tarball}: ${kilobytes} KB`)
    // 2,900 of them are WebAssembly, as files and as text (docs/design/browser.md).
    expect(kilobytes).toBeLessThan(1.05 * 3750)
  })

  exhaustive('are as publint and attw want them', () => {
    const tarball = readdirSync(PACKED as string).find((file) => /^sealstone-\d/.test(file)) as string
    const copy = join(root, 'published')
    cpSync(join(esm, 'node_modules/sealstone'), copy, { recursive: true })
    execFileSync('node', [join(MODULES, 'publint/src/cli.js'), copy, '--strict'], { cwd: HERE })
    const modules = ['age', 'base', 'forms', 'whole', 'digest', 'cipher', 'compat', 'sign', 'exchange'].map(
      (name) => `${name}.wasm`,
    )
    const UNTYPED = ['--exclude-entrypoints', ...modules, 'worker']
    // Without node10, which knows no `exports`: TypeScript's resolution from before Node 12.
    const attw = join(MODULES, '@arethetypeswrong/cli/dist/index.js')
    execFileSync('node', [attw, join(PACKED as string, tarball), '--profile', 'node16', ...UNTYPED])
  })

  test('run the program of the README of the repository', () => {
    const readme = readFileSync(join(HERE, '../../README.md'), 'utf8')
    const programs = [...readme.matchAll(/```js\n(.*?)```/gs)].map(([, program]) => program as string)
    expect(programs).toHaveLength(1)
    // Of its own: other programs of this project make files of the same names.
    const cwd = join(esm, 'readme')
    writeFolder(cwd, { 'film.mjs': programs[0] as string, 'film.mkv': 'a film' })
    execFileSync('node', ['film.mjs'], { cwd })
    expect(readFileSync(join(cwd, 'copy.mkv'), 'utf8')).toBe('a film')
  })

  test('have a README in two languages whose links work once they are installed', () => {
    const installed = join(esm, 'node_modules/sealstone')
    const { repository } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'))
    const address = `${repository.url.replace(/^git\+(.*)\.git$/, '$1')}/blob/main/`
    for (const name of ['README.md', 'README.zh-CN.md']) {
      const readme = readFileSync(join(installed, name), 'utf8')
      const links = [...readme.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link as string)
      expect(links.length).toBeGreaterThan(5)
      for (const link of links) {
        if (link.startsWith('#')) expect(readme.toLowerCase()).toContain(`\n## ${link.slice(1)}`)
        else if (link.startsWith(address)) {
          const [path = '', anchor] = link.slice(address.length).split('#')
          expect(existsSync(join(HERE, '../..', path)), link).toBe(true)
          if (anchor === undefined) continue
          const headings = readFileSync(join(HERE, '../..', path), 'utf8')
            .toLowerCase()
            .match(/^#{2,3} .*$/gm)
          expect(
            headings?.map((heading) => heading.replace(/^#+ /, '').replaceAll(' ', '-')),
            link,
          ).toContain(anchor)
        } else if (!/^https:/.test(link)) expect(existsSync(join(installed, link)), link).toBe(true)
      }
      expect(readme).toContain("generateIdentity('x25519')")
    }
    expect(repository).toMatchObject({ type: 'git', directory: 'bindings/js' })
  })

  test('are built and tested with no pre-release, but for what such tools bring along', () => {
    const bindings = join(HERE, '..')
    const locks = ['package-lock.json', 'js/test/tools/package-lock.json', 'js/test/next/package-lock.json']
    const brought = new Set<string>()
    for (const lock of locks) {
      const { packages } = JSON.parse(readFileSync(join(bindings, lock), 'utf8'))
      const direct = new Set<string>()
      for (const [path, { dependencies, devDependencies }] of Object.entries<Record<string, object>>(packages)) {
        if (path.includes('node_modules/')) continue
        for (const name of Object.keys({ ...dependencies, ...devDependencies })) direct.add(`node_modules/${name}`)
      }
      for (const [path, { version }] of Object.entries<{ version?: string }>(packages)) {
        if (version === undefined || !version.includes('-')) continue
        expect(direct.has(path), `${path} ${version}`).toBe(false)
        brought.add(`${path.replace(/.*node_modules\//, '')} ${version}`)
      }
    }
    const listed = readFileSync(join(bindings, '../docs/design/node.md'), 'utf8')
    for (const one of brought) expect(listed, 'docs/design/node.md').toContain(`\`${one}\``)
    expect([...listed.matchAll(/`([^` ]+ \d+\.\d+\.\d+-[^`]+)`/g)].map(([, one]) => one).sort()).toEqual(
      [...brought].sort(),
    )
  })

  test('run nothing when they are installed', () => {
    for (const name of ['sealstone', 'sealstone-linux-x64-gnu']) {
      const { scripts } = JSON.parse(
        execFileSync('node', ['-p', `JSON.stringify(require('./node_modules/${name}/package.json'))`], {
          cwd: cjs,
        }).toString(),
      )
      expect(Object.keys(scripts ?? {}).filter((script) => /install|prepare/.test(script))).toEqual([])
    }
  })
})
