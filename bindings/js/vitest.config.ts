import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 60_000,
    // Two cores: the addon brings threads of its own.
    maxWorkers: 2,
  },
})
