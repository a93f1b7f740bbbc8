import { writeFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { defineConfig } from 'tsdown'

const ENTRIES = ['index', 'aead', 'hash', 'hazmat', 'compat/yuants']

export default defineConfig([
  // CommonJS is what runs, also for `import`: so one process has one Identity class, however it was loaded.
  {
    entry: ENTRIES.map((name) => `src/${name}.ts`),
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    dts: true,
    fixedExtension: true,
    hooks: {
      async 'build:done'() {
        for (const name of ENTRIES) {
          const beside = `export * from './${basename(name)}.cjs'\n`
          await writeFile(`dist/${name}.mjs`, beside)
          await writeFile(`dist/${name}.d.mts`, beside)
        }
      },
    },
  },
  // For browsers too, so it shares no file with the others, which need Node; it has no objects that two copies could mix up.
  {
    entry: { fise: 'src/fise/index.ts' },
    format: ['esm', 'cjs'],
    platform: 'neutral',
    target: 'es2022',
    dts: true,
    fixedExtension: true,
    clean: false,
  },
])
