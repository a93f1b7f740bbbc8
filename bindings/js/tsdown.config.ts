import { writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { defineConfig, type Options } from 'tsdown'
import { modules } from './modules.js'

const ENTRIES = ['index', 'aead', 'hash', 'hazmat', 'compat/yuants']

const SHARED: Options = {
  entry: ENTRIES.map((name) => `src/${name}.ts`),
  platform: 'node',
  target: 'node20',
  external: [/^sealstone-/],
  plugins: [{ name: 'beside', resolveId: beside }],
  dts: false,
  fixedExtension: true,
  clean: false,
}

/** What lies beside each build as it is: its name stays what it is. */
function beside(id: string): { id: string; external: 'absolute' } | undefined {
  return id === './sealstone-fallback.cjs' ? { id, external: 'absolute' } : undefined
}

/** The modules that differ between builds, by the names that the sources have for them. */
function withModules(modules: Record<string, string>): Options {
  const paths = Object.entries(modules).map(([name, file]) => [name, new URL(`src/${file}`, import.meta.url).pathname])
  return { alias: Object.fromEntries(paths) }
}

// What an entry of a build runs on is a part of it: an import, and no call when it is loaded, which a bundler would leave out of a
// package without side effects.
const BROWSER: Options = {
  ...SHARED,
  ...withModules({ '#platform': 'browser/platform.ts' }),
  plugins: [modules()],
  platform: 'browser',
  target: 'es2022',
  outDir: 'dist/browser',
}

const BUILDS: Options[] = [
  {
    ...SHARED,
    ...withModules({ '#platform': 'node/platform.ts' }),
    format: 'esm',
    // Those who bundle look for calls of something named `require`: of one that is made, and of one that is theirs, which would get
    // another name in a file with the former.
    outputOptions: {
      polyfillRequire: false,
      advancedChunks: { groups: [{ name: 'fallback-file', test: /fallback-file/ }] },
    },
  },
  {
    ...SHARED,
    ...withModules({
      '#platform': 'node/platform.ts',
      './addon.js': 'node/addon-commonjs.ts',
      './fallback-file.js': 'node/fallback-file-commonjs.ts',
    }),
    format: 'cjs',
    dts: true,
    hooks: { 'build:done': typesOfModules },
  },
  // What both load where there is no addon.
  { ...SHARED, entry: { 'sealstone-fallback': 'src/node/fallback.ts' }, format: 'cjs', plugins: [modules()] },
  { ...BROWSER, format: 'esm' },
  { ...BROWSER, format: 'cjs' },
  // It shares no file with the others, so that a page gets nothing else.
  {
    entry: { fise: 'src/fise/index.ts' },
    format: ['esm', 'cjs'],
    platform: 'neutral',
    target: 'es2022',
    dts: true,
    fixedExtension: true,
    clean: false,
  },
  // Nor does this: what it has of streams and options computes nothing.
  {
    ...withModules({ '#platform': 'browser/platform.ts' }),
    entry: { web: 'src/web/index.ts' },
    format: ['esm', 'cjs'],
    platform: 'neutral',
    target: 'es2022',
    treeshake: { moduleSideEffects: false },
    dts: true,
    fixedExtension: true,
    clean: false,
  },
]

export default defineConfig(BUILDS)

/** The types of ES modules are those of CommonJS: a key of one is, for TypeScript too, a key of the other. */
async function typesOfModules(): Promise<void> {
  for (const name of ENTRIES) await writeFile(`dist/${name}.d.mts`, `export * from './${basename(name)}.cjs'\n`)
}
