import { defineConfig } from 'vitest/config'
import { modules } from './modules.js'
import { skippedTo } from './test/skipped.js'

const { SEALSTONE_SKIPPED } = process.env

/** What is tested with WebAssembly in place of the addon too. */
const WITH_WASM = [
  'backend',
  'bytes',
  'encrypt',
  'fallback',
  'file',
  'keys',
  'message',
  'results',
  'stream',
  'toolbox',
  'vectors',
  'yuants',
]

const path = (name: string): string => new URL(name, import.meta.url).pathname

export default defineConfig({
  plugins: [modules()],
  resolve: {
    alias: {
      '#platform': path('src/node/platform.ts'),
      './fallback-file.js': path('src/node/fallback.ts'),
    },
  },
  test: {
    exclude: ['**/node_modules/**'],
    projects: [
      { extends: true, test: { name: 'addon', include: ['test/*.test.ts'] } },
      {
        extends: true,
        test: {
          name: 'wasm',
          include: WITH_WASM.map((name) => `test/${name}.test.ts`),
          env: { SEALSTONE_BACKEND: 'wasm' },
        },
      },
    ],
    testTimeout: 60_000,
    // Two cores: the addon brings threads of its own.
    maxWorkers: 2,
    reporters: ['default', ...(SEALSTONE_SKIPPED === undefined ? [] : [skippedTo(SEALSTONE_SKIPPED)])],
  },
})
