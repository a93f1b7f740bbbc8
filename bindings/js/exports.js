// The `exports` of package.json, which follow from the entries: `node exports.js write` writes them, `node exports.js check` compares.

import { readFileSync, writeFileSync } from 'node:fs'
import { DRAWING, FISE, FISE_WORKER, GROUPS, MODULES, PLAIN, VUE, WEB } from './entries.js'

const FILE = new URL('package.json', import.meta.url)
const COMPUTING = GROUPS.flatMap(({ entries }) => Object.keys(entries))

/** An ES module, and the types that stand for it. */
const esm = (/** @type {string} */ types, file = types) => ({
  types: `./dist/${types}.d.mts`,
  default: `./dist/${file}.mjs`,
})

/** The same for CommonJS. */
const cjs = (/** @type {string} */ types, file = types) => ({
  types: `./dist/${types}.d.cts`,
  default: `./dist/${file}.cjs`,
})

/** An entry with a build for Node and one for each other platform, in the folder of `dist` that is given. */
const byPlatform = (/** @type {string} */ name, workerd = 'browser', edge = 'browser') => ({
  workerd: esm(name, `${workerd}/${name}`),
  'edge-light': esm(name, `${edge}/${name}`),
  node: {
    webpack: cjs(name),
    import: esm(name),
    require: { types: `./dist/${name}.d.cts`, module: `./dist/${name}.mjs`, default: `./dist/${name}.cjs` },
  },
  require: cjs(name, `browser/${name}`),
  default: esm(name, `browser/${name}`),
})

const everywhere = (/** @type {string} */ name, file = name) => ({ import: esm(name, file), require: cjs(name, file) })

const slim = (/** @type {string} */ name) => ({ require: cjs(`slim/${name}`), default: esm(`slim/${name}`) })

/** The path by which a program imports an entry. */
const path = (/** @type {string} */ name) => `./${name}`.replace('./index', '.')

/** @type {Record<string, unknown>} */
const exports = {}
for (const name of COMPUTING) exports[path(name)] = byPlatform(name, 'workerd', 'edge-light')
for (const name of Object.keys(DRAWING)) exports[path(name)] = byPlatform(name)
for (const name of Object.keys({ ...PLAIN, ...WEB, ...VUE })) exports[path(name)] = everywhere(name)
for (const name of Object.keys(FISE)) {
  exports[path(name)] = { browser: everywhere(name, `browser/${name}`), ...everywhere(name) }
}
for (const name of COMPUTING) exports[path(name).replace('.', './slim')] = slim(name)
exports['./worker'] = './dist/worker.mjs'
for (const name of Object.keys(FISE_WORKER)) exports[path(name)] = `./dist/${name}.mjs`
for (const name of MODULES) exports[`./${name}.wasm`] = `./dist/${name}.wasm`
exports['./package.json'] = './package.json'

const manifest = JSON.parse(readFileSync(FILE, 'utf8'))
if (process.argv[2] === 'write') {
  writeFileSync(FILE, `${JSON.stringify({ ...manifest, exports }, null, 2)}\n`)
} else if (JSON.stringify(manifest.exports) !== JSON.stringify(exports)) {
  console.error('the exports of bindings/js/package.json differ from entries.js: run make generate')
  process.exitCode = 1
}
