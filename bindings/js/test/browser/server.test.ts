// The build for browsers in Node, where a server renders pages that import it.

import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { projectWithoutAddon } from '../packed.js'
import { importMap } from './package.js'

const root = mkdtempSync(join(tmpdir(), 'sealstone-server-'))
let project: string
beforeAll(() => {
  project = projectWithoutAddon(root, 'site', 'module')
})
afterAll(() => rmSync(root, { recursive: true }))

/** Counts calls that a module could make when it is imported, and later ones as well. */
const COUNTING = `
const counts = { __proto__: null }
const counted = (owner, name) => {
  const own = owner[name]
  owner[name] = new Proxy(own, {
    apply: (target, self, args) => { counts[name] = (counts[name] ?? 0) + 1; return Reflect.apply(target, self, args) },
    construct: (target, args) => { counts[name] = (counts[name] ?? 0) + 1; return new target(...args) },
  })
}
for (const name of ['Module', 'Instance', 'Memory', 'compile', 'instantiate']) counted(WebAssembly, name)
for (const name of ['fetch', 'setTimeout', 'setImmediate', 'setInterval', 'queueMicrotask', 'atob', 'MessageChannel', 'Worker'])
  if (globalThis[name] !== undefined) counted(globalThis, name)
counted(crypto, 'getRandomValues')
const names = Object.getOwnPropertyNames(globalThis).join()
`
const CHECKING = `
if (Object.getOwnPropertyNames(globalThis).join() !== names) throw new Error('there are new globals')
const atImport = { ...counts }
const active = process.getActiveResourcesInfo().filter((name) => /Timeout|Immediate|Worker|MessagePort|TCP/.test(name))
const identity = sealstone.generateIdentity('x25519')
const file = sealstone.encryptSync('attack at dawn', { recipients: sealstone.recipientOf(identity) })
const text = new TextDecoder().decode(sealstone.decryptSync(file, { identities: identity }))
console.log(JSON.stringify({ atImport, active, text, later: Object.keys(counts) }))`

test('nothing is done when it is imported on a server, as an ES module and as CommonJS, and it works there', () => {
  // Programs of workers answer at once, and Vue is not installed here.
  const entries = Object.entries(importMap(project)).flatMap(([name, path]) =>
    /worker$/.test(name) || name.endsWith('/vue') ? [] : [path],
  )
  expect(entries.length).toBeGreaterThanOrEqual(6)
  const main = entries.find((path) => path.endsWith('/browser/index.mjs'))
  writeFileSync(
    join(project, 'server.mjs'),
    `${COUNTING}
for (const path of ${JSON.stringify(entries)}) await import('.' + path)
const sealstone = await import('.${main}')${CHECKING}`,
  )
  writeFileSync(
    join(project, 'server.cjs'),
    `${COUNTING}const sealstone = require('.${main?.replace('.mjs', '.cjs')}')${CHECKING}`,
  )
  for (const script of ['server.mjs', 'server.cjs']) {
    const found = JSON.parse(execFileSync('node', [script], { cwd: project, encoding: 'utf8' }))
    expect(found, script).toMatchObject({ atImport: {}, active: [], text: 'attack at dawn' })
    // The count works: the module is compiled at the first use.
    expect(found.later).toEqual(expect.arrayContaining(['Module', 'Instance', 'getRandomValues']))
  }
})

test('it asks nothing of Node, and loads nothing else', () => {
  const folder = join(project, 'node_modules/sealstone/dist/browser')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.mjs'))
  expect(files.length).toBeGreaterThanOrEqual(5)
  for (const name of files) {
    const code = readFileSync(join(folder, name), 'utf8').replaceAll(/^\s*(\/\*|\*|\/\/).*$/gm, '')
    const imports = [...code.matchAll(/^(?:import|export)\b[^'"`;]*?\bfrom\s*['"]([^'"]+)['"]/gm)].map(
      ([, from]) => from,
    )
    for (const from of imports) expect(from, name).toMatch(/^\.\.?\//)
    const nodes = /['"]node:|\brequire\(|\beval\(|new Function\(|import\.meta|new SharedArrayBuffer/.exec(code)?.[0]
    expect(nodes, name).toBeUndefined()
  }
})
