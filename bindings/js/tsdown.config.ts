import { writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { defineConfig, type Options } from 'tsdown'

const ENTRIES = ['index', 'aead', 'hash', 'hazmat', 'compat/yuants']

const SHARED: Options = {
  entry: ENTRIES.map((name) => `src/${name}.ts`),
  platform: 'node',
  target: 'node20',
  external: [/^sealstone-/],
  dts: false,
  fixedExtension: true,
  clean: false,
}

/** Has one module in place of another: what computes is chosen by the build, and shared code imports nothing of Node's. */
function instead(name: string, file: string): Options {
  return { alias: { [name]: new URL(file, import.meta.url).pathname } }
}

const BROWSER: Options = {
  ...SHARED,
  ...instead('./native.js', 'src/browser.ts'),
  platform: 'browser',
  target: 'es2022',
  outDir: 'dist/browser',
}

const BUILDS: Options[] = [
  { ...SHARED, format: 'esm' },
  {
    ...SHARED,
    ...instead('./addon.js', 'src/addon-commonjs.ts'),
    format: 'cjs',
    dts: true,
    hooks: { 'build:done': typesOfModules },
  },
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
]

export default defineConfig(BUILDS)

/** The types of ES modules are those of CommonJS: a key of one is, for TypeScript too, a key of the other. */
async function typesOfModules(): Promise<void> {
  for (const name of ENTRIES) await writeFile(`dist/${name}.d.mts`, `export * from './${basename(name)}.cjs'\n`)
}
