import { copyFile, mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { basename, dirname } from 'node:path'
import { defineConfig, type Options } from 'tsdown'
import { DRAWING, FISE, FISE_WORKER, GROUPS, MODULES, PLAIN, VUE, WEB } from './entries.js'
import { constant, FAMILIES, INLINED, moduleCalls, moduleFile, modules } from './modules.js'
import { wordsFile } from './words.js'

/** Entries with a default export, as in the package whose names they have, and the name that it has too. */
const WITH_DEFAULT: { readonly [entry: string]: string } = {
  'compat/crypto-js': 'CryptoJS',
  'compat/ldesign': 'LDesignCrypto',
}
const ENTRIES: Record<string, string> = Object.assign({}, ...GROUPS.map(({ entries }) => entries))

/** The calls of each module, as files of their own. */
const CALLS = Object.fromEntries(FAMILIES.map((name) => [`${name}-calls`, `src/work/${name}-calls.ts`]))

const SHARED: Options = {
  entry: { ...ENTRIES, ...DRAWING },
  platform: 'node',
  target: 'node20',
  external: [/^sealstone-/],
  plugins: [{ name: 'beside', resolveId: beside }],
  dts: false,
  fixedExtension: true,
  clean: false,
}

/** Files that lie beside each build keep their names. */
function beside(id: string): { id: string; external: 'absolute' } | undefined {
  return id === './sealstone-fallback.cjs' ? { id, external: 'absolute' } : undefined
}

/** Resolves an import such as `#worker` to a file beside the builds, for a build in a folder of theirs. */
function fileBeside(from: string, file: string): Options['plugins'] {
  return { name: file, resolveId: (id) => (id === from ? { id: file, external: 'absolute' } : undefined) }
}

function worker(place: string, extension: string): Options['plugins'] {
  return fileBeside('#worker', `${place}/worker-text.${extension}`)
}

function words(place: string, extension: string): Options['plugins'] {
  return fileBeside('#words', `${place}/words.${extension}`)
}

/** The modules that differ between builds, by the names that the sources have for them. */
function withModules(modules: Record<string, string>): Options {
  const paths = Object.entries(modules).map(([name, file]) => [name, new URL(`src/${file}`, import.meta.url).pathname])
  return { alias: Object.fromEntries(paths) }
}

/**
 * Leaves out comments and indentation, which are a third of the code: a page without a bundler loads these files as they are. Annotations
 * stay, since bundlers drop code by them (the minifier of Rolldown takes them out), and so do names and lines, for the traces of errors. No
 * source has a text of several lines.
 */
const WITHOUT_COMMENTS: Options['plugins'] = {
  name: 'without-comments',
  transform(code, id) {
    const isOpen = (line: string): boolean => !/^\s*(\*|\/[/*])/.test(line) && line.split('`').length % 2 === 0
    const opens = id.endsWith('.ts') ? code.split('\n').find(isOpen) : undefined
    if (opens !== undefined) throw new Error(`a text of several lines would lose its indentation: ${opens}`)
  },
  renderChunk: (code, { fileName }) => (/\.d\.[cm]ts$/.test(fileName) ? null : code.replaceAll(COMMENT, '')),
}
const COMMENT = /^[\t ]*(?:\/\*\*[\s\S]*?\*\/|\/\/.*)\n|^[\t ]+/gm

// An entry imports the platform of its build. A bundler would leave out a call that gives it when the entry is loaded, since the
// package has no side effects.
const BROWSER: Options = {
  ...SHARED,
  ...withModules({ '#platform': 'browser/platform.ts' }),
  platform: 'browser',
  target: 'es2022',
}

const absent = (name: string) => `export const ${name} = undefined\n`
const ofText = (place: string, extension: string) => (name: string) =>
  `export { ${name} } from '${place}/${name}-text.${extension}'\n`

const BUILDS: Options[] = [
  {
    ...SHARED,
    ...withModules({ '#platform': 'node/platform.ts', '#randomness': 'node/randomness.ts' }),
    plugins: [SHARED.plugins, worker('.', 'mjs'), words('.', 'mjs'), fileBeside('#fallback', './fallback-file.cjs')],
    format: 'esm',
    // Bundlers look for calls of something named `require`.
    outputOptions: { polyfillRequire: false },
  },
  {
    ...SHARED,
    ...withModules({
      '#platform': 'node/platform.ts',
      '#randomness': 'node/randomness.ts',
      './addon.js': 'node/addon-commonjs.ts',
      './fallback-file.js': 'node/fallback-file-commonjs.ts',
    }),
    plugins: [SHARED.plugins, worker('.', 'cjs'), words('.', 'cjs')],
    format: 'cjs',
    dts: true,
    hooks: { 'build:done': filesBeside },
  },
  // Both load this where there is no addon.
  {
    ...SHARED,
    entry: { 'sealstone-fallback': 'src/node/fallback.ts' },
    format: 'cjs',
    plugins: [modules(ofText('.', 'cjs'))],
  },
  {
    ...BROWSER,
    ...withModules({ '#platform': 'browser/platform.ts', '#randomness': 'backend/randomness.ts' }),
    // A file that imports a text lies in this folder, also of an entry that lies deeper.
    entry: { ...ENTRIES, ...CALLS },
    plugins: [modules(ofText('..', 'mjs')), moduleCalls('modules'), worker('..', 'mjs')],
    outDir: 'dist/browser',
    format: 'esm',
  },
  ...(['esm', 'cjs'] as const).map((format) => ({
    ...BROWSER,
    ...withModules({ '#platform': 'browser/slim.ts', '#randomness': 'backend/randomness.ts' }),
    // The last two are for the files that give the modules.
    entry: { ...ENTRIES, index: 'src/api/slim.ts', sealstone: 'src/api/index.ts', give: 'src/browser/given.ts' },
    plugins: [
      modules(format === 'esm' ? absent : ofText('..', 'cjs')),
      moduleCalls('families'),
      worker('..', format === 'esm' ? 'mjs' : 'cjs'),
    ],
    outDir: 'dist/slim',
    format,
  })),
  ...(['esm', 'cjs'] as const).map((format) => ({
    ...BROWSER,
    ...withModules({ '#randomness': 'backend/randomness.ts' }),
    entry: DRAWING,
    plugins: [words('..', format === 'esm' ? 'mjs' : 'cjs')],
    outDir: 'dist/browser',
    format,
  })),
  // The program of a web worker, as a file and, for Blobs, as text.
  {
    ...BROWSER,
    entry: { worker: 'src/workers/worker.ts' },
    format: 'esm',
    hooks: { 'build:done': () => workerText('worker') },
  },
  // The rest of slim: its types, for both kinds of modules.
  {
    entry: { load: 'src/browser/load.ts' },
    outDir: 'dist/slim',
    format: 'esm',
    dts: { emitDtsOnly: true },
    outExtensions: () => ({ dts: '.d.cts' }),
    clean: false,
  },
  // It shares no file with the others, so that a page gets nothing else; the second is without Node's calls, for bundles for pages.
  ...(['esm', 'cjs'] as const).flatMap((format) =>
    (['buffer', 'transcoder'] as const).map((transcoder) => {
      const forPages = transcoder === 'transcoder'
      const extension = format === 'esm' ? 'mjs' : 'cjs'
      return {
        ...withModules({
          '#transcoder': `extras/fise/${transcoder}.ts`,
          '#threads': `extras/fise/threads-${forPages ? 'web' : 'node'}.ts`,
        }),
        entry: FISE,
        plugins: [fileBeside('#fise-worker', `${forPages ? '..' : '.'}/fise-worker-text.${extension}`)],
        format,
        platform: 'neutral',
        target: 'es2022',
        ...(forPages ? { outDir: 'dist/browser' } : {}),
        dts: !forPages,
        fixedExtension: true,
        clean: false,
      } satisfies Options
    }),
  ),
  {
    // A program for pages and for Node.
    ...withModules({ '#transcoder': 'extras/fise/transcoder.ts', '#threads': 'extras/fise/threads-node.ts' }),
    entry: FISE_WORKER,
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
    dts: false,
    fixedExtension: true,
    clean: false,
    hooks: { 'build:done': () => workerText('fise-worker') },
  },
  // These share files with each other alone.
  {
    entry: PLAIN,
    format: ['esm', 'cjs'],
    platform: 'neutral',
    target: 'es2022',
    dts: true,
    fixedExtension: true,
    clean: false,
  },
  // Nor does this: its streams and options compute nothing.
  {
    ...withModules({ '#platform': 'browser/platform.ts' }),
    plugins: [modules(absent)],
    entry: WEB,
    format: ['esm', 'cjs'],
    platform: 'neutral',
    target: 'es2022',
    treeshake: { moduleSideEffects: false },
    dts: true,
    fixedExtension: true,
    clean: false,
  },
  // Entries with Vue import the rest of the package by its name, so that an application has that once, and its types too.
  {
    entry: VUE,
    external: ['vue', /^sealstone/],
    format: ['esm', 'cjs'],
    platform: 'neutral',
    target: 'es2022',
    dts: true,
    fixedExtension: true,
    clean: false,
  },
]

export default defineConfig(BUILDS.map((build) => ({ ...build, plugins: [WITHOUT_COMMENTS, build.plugins] })))

/**
 * `#fallback`: Node loads this file when it reads the import, and the rest when it is called. Rollup takes it for an ES module where it
 * was told of no CommonJS.
 */
const FALLBACK_FILE =
  "if (typeof exports === 'object') exports.load = (reason) => require('./sealstone-fallback.cjs').load(reason)\n"

/**
 * Reads a text of the package from its file. Node before 20.19 and Jest cannot require an ES module. In a bundle a module has no path, and
 * the ES module is a part of the bundle.
 */
const TEXT_OF = `exports.textOf = (file) => {
  if (typeof module.path !== 'string') return undefined
  try {
    const program = process.getBuiltinModule('node:fs').readFileSync(module.path + '/' + file + '.mjs', 'utf8')
    return JSON.parse(program.slice(program.indexOf(' = ') + 3))
  } catch {}
}
`

/** CommonJS with a text that the package has once, as an ES module. */
function required(name: string, file: string): string {
  return `exports.${name} = require('./text-of.cjs').textOf('${file}') ?? require('./${file}.mjs').${name}\n`
}

/** Writes files of no single build: the modules of WebAssembly, as they are and as text, and types. */
async function filesBeside(): Promise<void> {
  for (const name of MODULES) await copyFile(moduleFile(name), `dist/${name}.wasm`)
  for (const name of INLINED) {
    // By names of their own: an entry may be called as a module is.
    await writeFile(`dist/${name}-text.mjs`, constant(name))
    await writeFile(`dist/${name}-text.cjs`, required(name, `${name}-text`))
  }
  await writeFile('dist/text-of.cjs', TEXT_OF)
  for (const { has, entries } of GROUPS) for (const name of Object.keys(entries)) await writeGiving(name, has)
  await writeFile('dist/fallback-file.cjs', FALLBACK_FILE)
  await writeFile('dist/words.mjs', wordsFile())
  await writeFile('dist/words.cjs', required('words', 'words'))
  for (const name of Object.keys(ENTRIES)) {
    // The types of ES modules are those of CommonJS: a key of one is, for TypeScript too, a key of the other. So are slim's.
    await writeTypes(name, `./${basename(name)}`, ['mts'])
    const up = '../'.repeat(name.split('/').length)
    await writeTypes(`slim/${name}`, `${up}${name}`, ['mts', 'cts'])
  }
  for (const name of Object.keys(DRAWING)) await writeTypes(name, `./${name}`, ['mts'])
  // A project for pages may lack these: the `KeyObject` of Node's types, which is `any` then, and the symbol of `using`.
  for (const name of await readdir('dist')) {
    if (!name.endsWith('.d.cts')) continue
    const types = await readFile(`dist/${name}`, 'utf8')
    await writeFile(
      `dist/${name}`,
      types.replace(/^import .* from "node:|^ *\[Symbol\.dispose\]/gm, '// @ts-ignore\n$&'),
    )
  }
}

/**
 * Writes an entry of a platform that has its modules as files, and the CommonJS for pages: each gives its modules to the build whose modules
 * come later. They do so when they are loaded, so these ES modules have side effects (package.json).
 */
async function writeGiving(name: string, has: readonly string[]): Promise<void> {
  const up = '../'.repeat(name.split('/').length)
  const slim = `${up}slim/${name === 'index' ? 'sealstone' : name}`
  const itsDefault = name in WITH_DEFAULT ? `export { default } from '${slim}.mjs'\n` : ''
  for (const [folder, query] of [
    ['workerd', ''],
    ['edge-light', '?module'],
  ] as const) {
    const imports = has.map((module) => `import ${module} from '${up}${module}.wasm${query}'\n`)
    const gives = has.map((module) => `give('${module}', ${module})\n`)
    const program = `import { give } from '${up}slim/give.mjs'\n${gives.join('')}export * from '${slim}.mjs'\n${itsDefault}`
    await mkdir(dirname(`dist/${folder}/${name}`), { recursive: true })
    await writeFile(`dist/${folder}/${name}.mjs`, imports.join('') + program)
  }
  const gives = has.map((module) => `give('${module}', require('${up}${module}-text.cjs').${module})\n`)
  await mkdir(dirname(`dist/browser/${name}`), { recursive: true })
  await writeFile(
    `dist/browser/${name}.cjs`,
    `const { give } = require('${up}slim/give.cjs')\n${gives.join('')}module.exports = require('${slim}.cjs')\n`,
  )
}

/** The program of a worker as text. */
async function workerText(name: string): Promise<void> {
  const text = JSON.stringify(await readFile(`dist/${name}.mjs`, 'utf8'))
  await writeFile(`dist/${name}-text.mjs`, `export const worker = ${text}\n`)
  await writeFile(`dist/${name}-text.cjs`, required('worker', `${name}-text`))
}

async function writeTypes(name: string, original: string, kinds: readonly string[]): Promise<void> {
  await mkdir(dirname(`dist/${name}`), { recursive: true })
  const more = name === 'slim/index' ? `export * from './load.cjs'\n` : ''
  for (const kind of kinds) {
    const named = WITH_DEFAULT[name.replace('slim/', '')]
    // By its name: resolvers differ on the default of a CommonJS module.
    const itsDefault = named === undefined ? '' : `export { ${named}, ${named} as default } from '${original}.cjs'\n`
    await writeFile(`dist/${name}.d.${kind}`, `export * from '${original}.cjs'\n${more}${itsDefault}`)
  }
}
