import { defineConfig } from 'vitest/config'
import { skippedTo } from './test/skipped.js'

const { SEALSTONE_SKIPPED } = process.env

export default defineConfig({
  resolve: { alias: { '#platform': new URL('src/node/platform.ts', import.meta.url).pathname } },
  test: {
    include: ['test/**/*.test.ts'],
    exclude: ['**/node_modules/**'],
    testTimeout: 60_000,
    // Two cores: the addon brings threads of its own.
    maxWorkers: 2,
    reporters: ['default', ...(SEALSTONE_SKIPPED === undefined ? [] : [skippedTo(SEALSTONE_SKIPPED)])],
  },
})
