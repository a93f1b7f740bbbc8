// The tests in Chromium, in pages of their own.

import { defineConfig } from 'vitest/config'
import { modules } from './modules.js'

export default defineConfig({
  plugins: [modules()],
  resolve: { alias: { '#platform': new URL('src/node/platform.ts', import.meta.url).pathname } },
  test: {
    projects: [{ extends: true, test: { name: 'pages', include: ['test/browser/*.test.ts'] } }],
    testTimeout: 60_000,
    maxWorkers: 2,
  },
})
