// The packages as npm packs them, installed where nothing else is: what a user gets.

import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  type CompilerOptions,
  createProgram,
  ModuleKind,
  ScriptTarget,
  type SourceFile,
  SymbolFlags,
  type Symbol as TypeSymbol,
  transpileModule,
} from 'typescript'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'

const PACKED = process.env.SEALSTONE_PACKED
const HERE = fileURLToPath(new URL('..', import.meta.url))
const MODULES = fileURLToPath(new URL('../../node_modules/', import.meta.url))

const root = mkdtempSync(join(tmpdir(), 'sealstone-package-'))
afterAll(() => rmSync(root, { recursive: true }))

/** A project with the packages in it, as `npm install` has them. */
function project(name: string, type: 'module' | 'commonjs', tarballs: RegExp): string {
  const folder = join(root, name)
  const packed = readdirSync(PACKED as string).filter((file) => tarballs.test(file))
  writeFolder(folder, { 'package.json': JSON.stringify({ name, private: true, type }) })
  const args = ['install', '--offline', '--no-audit', '--no-fund', '--silent']
  execFileSync('npm', [...args, ...packed.map((file) => join(PACKED as string, file))], { cwd: folder })
  return folder
}

function writeFolder(folder: string, files: Record<string, string>): void {
  execFileSync('mkdir', ['-p', folder])
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text)
}

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
  ['sealstone/fise', 'defaultRules, fiseDecrypt, fiseEncrypt'],
  ['sealstone/hash', 'hashHex'],
  ['sealstone/hazmat', 'cipher'],
  ['sealstone/compat/yuants', 'fromSeed'],
] as const
const IMPORTS = NAMES.map(([from, names]) => `import { ${names} } from '${from}'`).join('\n')
const REQUIRES = NAMES.map(([from, names]) => `const { ${names} } = require('${from}')`).join('\n')

/** Texts with examples, besides the sources. */
const GUIDES = ['README.md', '../../docs/guide/yuants.md', '../../docs/guide/fise.md']

/** What a user writes, checked by TypeScript as a user has it. */
const CONSUMER = `
import { decrypt, encrypt, encryptSync, generateIdentity, type Identity, recipientOf, SealstoneError } from 'sealstone'
import { aead } from 'sealstone/aead'
import { defaultBinaryRules, defaultRules, type EncryptOptions, FiseBuilder, type FiseCipher, FiseError, type FiseRules, fiseBinaryDecrypt, fiseBinaryEncrypt, fiseDecrypt, fiseEncrypt, type RulesReport, validateRules, xorCipher } from 'sealstone/fise'
import { hash } from 'sealstone/hash'
import { cipher } from 'sealstone/hazmat'
import { encryptByPublicKeyAsync, type IEd25519KeyPair, type ISecret, makeSecret, verifySecretSigner } from 'sealstone/compat/yuants'

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
  // @ts-expect-error: rules for bytes
  fiseEncrypt(code, binary)
  // @ts-expect-error: no such option
  encryptSync('text', { recipient: recipients })
  // @ts-expect-error: no such kind
  generateIdentity('rsa')
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

const COMPILER_OPTIONS = {
  module: ModuleKind.NodeNext,
  target: ScriptTarget.ES2022,
  strict: true,
  noEmit: true,
  types: ['node'],
  typeRoots: [join(MODULES, '@types')],
}

/** Checks files as a user's TypeScript does. */
function checkTypes(folder: string, files: Record<string, string>): void {
  const compilerOptions = { ...COMPILER_OPTIONS, module: 'nodenext', target: 'es2022' }
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
    esm = project('esm', 'module', /\.tgz$/)
    cjs = project('cjs', 'commonjs', /\.tgz$/)
  }, 120_000)

  test('work in an empty project of ECMAScript modules', () => {
    writeFolder(esm, { 'main.js': `${IMPORTS}\n${ROUND_TRIP}` })
    expect(execFileSync('node', ['main.js'], { cwd: esm }).toString()).toBe(EXPECTED)
  })

  test('work in an empty project of CommonJS', () => {
    writeFolder(cjs, { 'main.js': `${REQUIRES}\n${ROUND_TRIP}` })
    expect(execFileSync('node', ['main.js'], { cwd: cjs }).toString()).toBe(EXPECTED)
  })

  test('have one class of identities, however they were loaded', () => {
    const main = `
      import { createRequire } from 'node:module'
      import { generateIdentity, SealstoneError } from 'sealstone'
      const other = createRequire(import.meta.url)('sealstone')
      console.log(String(other.recipientOf(generateIdentity('key'))), other.SealstoneError === SealstoneError)`
    writeFolder(esm, { 'both.js': main })
    expect(execFileSync('node', ['both.js'], { cwd: esm }).toString()).toBe('<key> true\n')
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

  test('say what is to be done where the native part is not installed', () => {
    const bare = project('bare', 'module', /^sealstone-\d.*\.tgz$/)
    rmSync(join(bare, 'node_modules/sealstone-linux-x64-gnu'), { recursive: true, force: true })
    const main = `import { generateIdentity } from 'sealstone'\ntry { generateIdentity() } catch (error) { console.log(error.name, error.code, error.message) }`
    writeFolder(bare, { 'main.js': main })
    const text = execFileSync('node', ['main.js'], { cwd: bare }).toString()
    expect(text).toMatch(/^SealstoneError unavailable_backend .*sealstone-linux-x64-gnu.*npm\/cli\/issues\/4828/)
  }, 120_000)

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
  }, 120_000)

  test('have types that hold in both kinds of modules', () => {
    for (const folder of [esm, cjs]) checkTypes(folder, { 'consumer.ts': CONSUMER })
  }, 120_000)

  test('have an example of each function and class', () => {
    const all = NAMES.map(([from], i) => `export * as from${i} from '${from}'`).join('\n')
    writeFolder(esm, { 'all.ts': all })
    const file = join(esm, 'all.ts')
    const checked = createProgram([file], COMPILER_OPTIONS as CompilerOptions)
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
  }, 120_000)

  test('run every example of their documentation, whose types hold', () => {
    const sources = readdirSync(join(HERE, 'src'), { recursive: true, encoding: 'utf8' })
    const documents = sources.filter((name) => name.endsWith('.ts')).map((name) => join(HERE, 'src', name))
    const examples = [...documents, ...GUIDES.map((path) => join(HERE, path))].flatMap((path) => {
      const text = readFileSync(path, 'utf8').replaceAll(/^ *\* ?/gm, '')
      return [...text.matchAll(/^```[jt]s\n(.*?)^```/gms)].map(([, code]) => code as string)
    })
    expect(examples.length).toBeGreaterThanOrEqual(90)
    checkTypes(esm, Object.fromEntries(examples.map((example, i) => [`example${i}.ts`, example])))
    for (const [i, example] of examples.entries()) {
      const { outputText } = transpileModule(example, {
        compilerOptions: { module: ModuleKind.ESNext, target: ScriptTarget.ES2022 },
      })
      writeFolder(esm, { [`example${i}.js`]: outputText })
      const { status, stdout, stderr } = spawnSync('node', [`example${i}.js`], { cwd: esm })
      expect(stderr.toString(), example).toBe('')
      expect(status, example).toBe(0)
      // What an example says that it prints, it prints.
      const promised = [...example.matchAll(/console\.log\(.*\/\/ (.*)$/gm)].map(([, text]) => text as string)
      const lines = stdout.toString().split('\n')
      for (const [j, text] of promised.entries()) {
        expect(lines[j], example).toContain(text.split('…')[0])
      }
    }
  }, 300_000)

  test('are as publint and attw want them', () => {
    const tarball = readdirSync(PACKED as string).find((file) => /^sealstone-\d/.test(file)) as string
    const copy = join(root, 'published')
    cpSync(join(esm, 'node_modules/sealstone'), copy, { recursive: true })
    execFileSync('node', [join(MODULES, 'publint/src/cli.js'), copy, '--strict'], { cwd: HERE })
    // Without node10, which knows no `exports`: TypeScript's resolution from before Node 12.
    const attw = join(MODULES, '@arethetypeswrong/cli/dist/index.js')
    execFileSync('node', [attw, join(PACKED as string, tarball), '--profile', 'node16'])
  }, 120_000)

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
