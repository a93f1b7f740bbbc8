import { writeFile } from 'node:fs/promises'
import { defineConfig } from 'tsdown'

const ENTRIES = ['index', 'aead', 'hash', 'hazmat']

// CommonJS is what runs, also for `import`: so one process has one Identity class, however it was loaded.
export default defineConfig({
  entry: ENTRIES.map((name) => `src/${name}.ts`),
  format: 'cjs',
  platform: 'node',
  target: 'node20',
  dts: true,
  fixedExtension: true,
  hooks: {
    async 'build:done'() {
      for (const name of ENTRIES) {
        await writeFile(`dist/${name}.mjs`, `export * from './${name}.cjs'\n`)
        await writeFile(`dist/${name}.d.mts`, `export * from './${name}.cjs'\n`)
      }
    },
  },
})
