// The packed packages in users' bundlers and test runners.

import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exhaustive, measured } from './measured.js'
import { PACKED, project, projectWithoutAddon } from './packed.js'

const TOOLS = fileURLToPath(new URL('tools/', import.meta.url))

const root = mkdtempSync(join(tmpdir(), 'sealstone-tools-'))
afterAll(() => rmSync(root, { recursive: true }))

const WORK = `
const identity = generateIdentity('x25519')
const file = encryptSync('attack at dawn', { recipients: recipientOf(identity) })
let code
try { decryptSync('no file', { identities: identity }) } catch (error) { if (error instanceof SealstoneError) code = error.code }
decrypt(file, { identities: identity }).then((text) => console.log(new TextDecoder().decode(text), code, hashHex('sm3', '').slice(0, 4)))`
const NAMES = '{ decrypt, decryptSync, encryptSync, generateIdentity, recipientOf, SealstoneError }'
const SAYS = 'attack at dawn not_sealstone 1ab2\n'

const PAGE = `
import { backend, decrypt, encrypt, exportIdentity, generateIdentity, recipientOf, SealstoneError } from 'sealstone'
import { encryptByPublicKey, decryptByPrivateKey, fromSeed } from 'sealstone/compat/yuants'
import { defaultRules, fiseDecrypt, fiseEncrypt } from 'sealstone/fise'
import { hashHex } from 'sealstone/hash'
import { cipher } from 'sealstone/hazmat'
const { public_key, private_key } = fromSeed(new Uint8Array(32))
const identities = generateIdentity('p256')
const file = await encrypt('attack at dawn', { recipients: recipientOf(identities) })
console.log(
  new TextDecoder().decode(await decrypt(file, { identities })),
  exportIdentity(identities, 'pem').split('\\n')[0],
  decryptByPrivateKey(encryptByPublicKey(new Uint8Array(3), public_key), private_key).length,
  cipher('sm4-ecb', new Uint8Array(16)).encrypt(undefined, 'x').length,
  hashHex('sm3', '').slice(0, 4),
  fiseDecrypt(fiseEncrypt('page', defaultRules), defaultRules),
  backend().includes('webassembly'),
  await decrypt('no file', { identities }).catch((error) => error instanceof SealstoneError && error.code),
)`
const PAGE_SAYS = 'attack at dawn -----BEGIN PRIVATE KEY----- 3 16 1ab2 page true not_sealstone\n'
const FOR_PAGES = ['esbuild', 'esbuild, minified', 'rolldown', 'vite', 'webpack, minified']

describe.skipIf(PACKED === undefined && process.env.CI !== 'true')('the packed packages', () => {
  let folder = ''
  let bare = ''
  beforeAll(() => {
    folder = project(root, 'user', 'commonjs', /\.tgz$/)
    bare = projectWithoutAddon(root, 'bare', 'commonjs')
    for (const where of [folder, bare]) {
      writeFileSync(
        join(where, 'main.mjs'),
        `import ${NAMES} from 'sealstone'\nimport { hashHex } from 'sealstone/hash'${WORK}`,
      )
      writeFileSync(
        join(where, 'main.cjs'),
        `const ${NAMES} = require('sealstone')\nconst { hashHex } = require('sealstone/hash')${WORK}`,
      )
    }
    writeFileSync(join(folder, 'page.mjs'), PAGE)
  })

  /** Bundles in a project; returns the result's path. */
  function bundle(cwd: string, tool: string, input: string, format: string): string {
    const output = join('out', `${tool} ${input}`.replaceAll(/\W/g, '-'), `bundle.${format === 'esm' ? 'mjs' : 'cjs'}`)
    execFileSync('node', [join(TOOLS, 'bundle.mjs'), tool, input, format, output], { cwd })
    // Nothing of it is left to be loaded, but for the examples in comments.
    expect(readFileSync(join(cwd, output), 'utf8')).not.toMatch(/^(?!\s*\*).*(from|require\() ?['"]sealstone['"]/m)
    return join(cwd, output)
  }

  /** Bundles, and gives the bundle's output, after `move` has taken it elsewhere. */
  function bundled(tool: string, input: string, format: string, move = (path: string): string => path): string {
    return execFileSync('node', [move(bundle(folder, tool, input, format))]).toString()
  }

  /** Takes a bundle far from all packages. */
  function away(path: string): string {
    const elsewhere = mkdtempSync(join(root, 'away-'))
    cpSync(join(path, '..'), elsewhere, { recursive: true })
    return join(elsewhere, basename(path))
  }

  test('run when esbuild, Vite or Rollup has bundled them, as an ES module and as CommonJS', () => {
    for (const format of ['esm', 'cjs']) {
      for (const input of ['main.mjs', 'main.cjs']) expect(bundled('esbuild', input, format)).toBe(SAYS)
      for (const tool of ['vite', 'rollup']) expect(bundled(tool, 'main.mjs', format)).toBe(SAYS)
    }
  })

  test('run when ncc has bundled them, of CommonJS far from all packages', () => {
    expect(bundled('ncc', 'main.mjs', 'esm')).toBe(SAYS)
    const far = spawnSync('node', [away(bundle(folder, 'ncc', 'main.cjs', 'cjs'))], { encoding: 'utf8' })
    expect(far).toMatchObject({ stdout: SAYS, stderr: '' })
  })

  test('run with the addon when Rollup was told of no CommonJS, and say so without it', () => {
    for (const format of ['esm', 'cjs']) {
      const program = bundle(folder, 'rollup without CommonJS', 'main.mjs', format)
      expect(spawnSync('node', [program], { encoding: 'utf8' })).toMatchObject({ stdout: SAYS, stderr: '' })
      const { stderr } = spawnSync('node', [away(program)], { encoding: 'utf8' })
      expect(stderr).toMatch(/is not installed.*WebAssembly cannot compute either: .*@rollup\/plugin-commonjs/)
    }
  })

  exhaustive('run when webpack has bundled them, far from all packages', () => {
    for (const input of ['main.mjs', 'main.cjs']) expect(bundled('webpack', input, 'cjs', away)).toBe(SAYS)
    expect(bundled('webpack with node-loader', 'main.mjs', 'cjs', away)).toBe(SAYS)
  })

  exhaustive(
    'run in WebAssembly when they were bundled where the native part is not, or were taken away from it',
    () => {
      const ways = [
        ['esbuild', 'main.mjs', 'esm'],
        ['esbuild', 'main.cjs', 'esm'],
        ['esbuild', 'main.mjs', 'cjs'],
        ['esbuild', 'main.cjs', 'cjs'],
        ['vite', 'main.mjs', 'esm'],
        ['vite', 'main.mjs', 'cjs'],
        ['rollup', 'main.mjs', 'esm'],
        ['rollup', 'main.mjs', 'cjs'],
        ['ncc', 'main.mjs', 'esm'],
      ] as const
      const run = (path: string) => spawnSync('node', [path], { encoding: 'utf8' })
      for (const [tool, input, format] of ways) {
        const { stdout, stderr } = run(away(bundle(folder, tool, input, format)))
        expect(stdout, `${tool} ${input} ${format}`).toBe(SAYS)
        expect(stderr).toContain('SEALSTONE_WASM')
        expect(run(away(bundle(bare, tool, input, format))).stdout, `${tool} ${input} ${format}`).toBe(SAYS)
      }
      for (const input of ['main.mjs', 'main.cjs']) {
        expect(run(away(bundle(bare, 'webpack without the native part', input, 'cjs'))).stdout).toBe(SAYS)
      }
      expect(run(away(bundle(bare, 'ncc', 'main.cjs', 'cjs'))).stdout).toBe(SAYS)
    },
  )

  exhaustive('run when each entry is bundled alone, and leave nothing of one that is not used', () => {
    const alone = {
      "import { aead } from 'sealstone/aead'\nconsole.log(aead('sm4-gcm', new Uint8Array(16)).sealRandom('', '').length)":
        '28\n',
      "import { hashHex } from 'sealstone/hash'\nconsole.log(hashHex('sm3', '').slice(0, 4))": '1ab2\n',
      "import { cipherKeyLength } from 'sealstone/hazmat'\nconsole.log(cipherKeyLength('sm4-xts'))": '32\n',
      "import { encodeBase58 } from 'sealstone/compat/yuants'\nconsole.log(encodeBase58(new Uint8Array([0, 1, 2])))":
        '15T\n',
      "import { decryptSync, encryptSync } from 'sealstone'\nconst key = new Uint8Array(32)\nconsole.log(decryptSync(encryptSync('x', { key }), { key }).length)":
        '1\n',
      "import { startWorkers } from 'sealstone/workers'\nstartWorkers().catch(({ code }) => console.log(code))":
        'unavailable_backend\n',
      "import { aead } from 'sealstone/aead'\nimport { encrypt } from 'sealstone'\nimport { startWorkers } from 'sealstone/workers'\nconsole.log('unused')":
        'unused\n',
    }
    for (const [i, [code, says]] of Object.entries(alone).entries()) {
      writeFileSync(join(folder, `alone${i}.mjs`), code)
      for (const tool of ['esbuild', 'vite', 'webpack']) {
        expect(bundled(tool, `alone${i}.mjs`, tool === 'webpack' ? 'cjs' : 'esm'), `${tool}: ${code}`).toBe(says)
      }
      if (says !== 'unused\n') continue
      const file = join(folder, 'out', `esbuild-alone${i}-mjs`, 'bundle.mjs')
      expect(readFileSync(file, 'utf8').length).toBeLessThan(200)
    }
  })

  test('compute in what is bundled for pages, of which Node has all that this needs', () => {
    for (const tool of FOR_PAGES.map((name) => `${name} for pages`)) {
      const program = bundle(folder, tool, 'page.mjs', 'esm')
      expect(spawnSync('node', [program], { encoding: 'utf8' }), tool).toMatchObject({ stdout: PAGE_SAYS, stderr: '' })
    }
  })

  exhaustive('give a page no module of WebAssembly but those of the families that it imports', () => {
    const dist = join(folder, 'node_modules/sealstone/dist')
    const texts = ['whole', 'digest', 'cipher', 'compat', 'sign', 'exchange', 'age'].map(
      (name) => readFileSync(join(dist, `${name}-text.mjs`), 'utf8').split('"')[1],
    )
    const pages = [
      [
        "import { generateIdentity } from 'sealstone'\ngenerateIdentity()",
        [true, false, false, false, false, false, false],
      ],
      [
        "import { hashHex } from 'sealstone/hash'\nhashHex('sm3', '')",
        [false, true, false, false, false, false, false],
      ],
      [
        "import { aead } from 'sealstone/aead'\naead('sm4-gcm', new Uint8Array(16))",
        [false, false, true, false, false, false, false],
      ],
      [
        "import { cipher } from 'sealstone/hazmat'\ncipher('sm4-ecb', new Uint8Array(16))",
        [false, false, true, false, false, false, false],
      ],
      [
        "import { fromSeed } from 'sealstone/compat/yuants'\nfromSeed(new Uint8Array(32))",
        [false, false, false, true, false, false, false],
      ],
      [
        "import { defaultRules, fiseEncrypt } from 'sealstone/fise'\nconsole.log(fiseEncrypt('x', defaultRules))",
        [false, false, false, false, false, false, false],
      ],
      [
        "import { load } from 'sealstone/slim'\nload(fetch('base.wasm')).catch(() => {})",
        [false, false, false, false, false, false, false],
      ],
      [
        "import { encrypt } from 'sealstone'\nimport { cipher } from 'sealstone/hazmat'",
        [false, false, false, false, false, false, false],
      ],
      [
        "import { startWorkers } from 'sealstone/workers'\nstartWorkers()",
        [true, false, false, false, false, false, false],
      ],
      ["import { generateKey } from 'sealstone/sign'\ngenerateKey()", [false, false, false, false, true, false, false]],
      [
        "import { generateKey } from 'sealstone/exchange'\ngenerateKey()",
        [false, false, false, false, false, true, false],
      ],
      ["import { generateKey } from 'sealstone/rsa'\ngenerateKey()", [false, false, false, false, false, true, false]],
      [
        "import { generateIdentity } from 'sealstone/age'\ngenerateIdentity()",
        [false, false, false, false, false, false, true],
      ],
    ] as const
    for (const [i, [code, has]] of pages.entries()) {
      writeFileSync(join(folder, `part${i}.mjs`), code)
      for (const tool of ['esbuild, minified for pages', 'webpack, minified for pages']) {
        const program = readFileSync(bundle(folder, tool, `part${i}.mjs`, 'esm'), 'utf8')
        const found = texts.map((text) => program.includes(text as string))
        expect(found, `${tool}: ${code}`).toEqual(has)
        // A worker's first message is in its program, too.
        expect(program.includes('sealstone workers'), `${tool}: ${code}`).toBe(code.includes('sealstone/workers'))
        const ofTexts = texts.reduce((length, text, j) => length + (found[j] ? (text as string).length : 0), 0)
        expect(program.length - ofTexts, `${tool}: ${code}`).toBeLessThan(120_000)
      }
    }
  })

  measured('give a page that has rules of FISE of its own no builder, no validation and nothing of Node’s', () => {
    const rules = '{ ...defaultRules, offset: (text) => text.length % 7 }'
    writeFileSync(
      join(folder, 'own-rules.mjs'),
      `import { defaultRules, fiseDecrypt, fiseEncrypt } from 'sealstone/fise'\nconst rules = ${rules}\nconsole.log(fiseDecrypt(fiseEncrypt('x', rules), rules))`,
    )
    for (const tool of ['esbuild, minified for pages', 'rolldown, minified for pages']) {
      const program = readFileSync(bundle(folder, tool, 'own-rules.mjs', 'esm'))
      const text = program.toString()
      expect([text.includes('withOffset'), text.includes('getBuiltinModule')], tool).toEqual([false, false])
      const kilobytes = gzipSync(program, { level: 9 }).length / 1000
      console.log(`${tool}: ${kilobytes} KB`)
      expect(kilobytes, tool).toBeLessThan(5)
    }
  })

  const realm = readFileSync(join(TOOLS, 'realm.cjs'), 'utf8')

  test('work in Jest', () => {
    const tests = join(folder, 'jest')
    mkdirSync(tests)
    writeFileSync(join(tests, 'realm.test.js'), realm)
    writeFileSync(join(tests, 'package.json'), '{ "jest": {} }')
    for (const SEALSTONE_BACKEND of ['', 'wasm']) {
      const jest = join(TOOLS, 'node_modules/jest/bin/jest.js')
      const env = { ...process.env, SEALSTONE_BACKEND }
      const { stderr, status } = spawnSync('node', [jest, '--ci'], { cwd: tests, env })
      expect(stderr.toString()).toContain('5 passed')
      expect(status).toBe(0)
    }
  })

  test('work in vitest, in each pool', () => {
    const tests = join(folder, 'vitest')
    mkdirSync(tests)
    const modules = realm.replaceAll(/^const (\{[^}]*\}) = require\((.*)\)$/gm, 'import $1 from $2')
    expect(modules).not.toContain('= require')
    writeFileSync(join(tests, 'realm.test.js'), modules)
    const pools = ['vmThreads', 'vmForks', 'threads'].flatMap((pool) => [[pool, ''] as const, [pool, 'wasm'] as const])
    for (const [pool, SEALSTONE_BACKEND] of pools) {
      const args = ['run', '--globals', '--pool', pool, '--root', tests]
      const { stdout, stderr, status } = spawnSync('node', [join(TOOLS, 'node_modules/vitest/vitest.mjs'), ...args], {
        cwd: tests,
        env: { ...process.env, NO_COLOR: '1', SEALSTONE_BACKEND },
      })
      expect(`${pool}: ${stdout}${stderr}`).toContain('5 passed')
      expect(status).toBe(0)
    }
  })
})
