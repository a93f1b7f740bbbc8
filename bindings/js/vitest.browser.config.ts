// The tests in Chromium: suites without Node, on the sources; and the packed package, in pages of its own.

import { playwright } from '@vitest/browser-playwright'
import { defineConfig } from 'vitest/config'
import { fiseWorker } from './fise-worker.js'
import { moduleCalls, modules } from './modules.js'
import { chromiumPath } from './test/browser/chromium.js'
import { atLeast } from './test/browser/reporter.js'
import { countsTo } from './test/counts.js'
import { lasting } from './test/lasting.js'
import { vectors } from './vectors.js'
import { BESIDE, EXHAUSTIVE, NAMED, ONCE } from './vitest.config.js'
import { words } from './words.js'

const { SEALSTONE_COUNTS } = process.env

/** Of these, suites that run every time: known answers, and crossings to the page or its threads. */
const CROSSING = [
  'bytes',
  'collected',
  'compat-ldesign-streams',
  'compat-ldesign-vue',
  'encrypt',
  'fise-everywhere',
  'mac',
  'message',
  'random',
  'results',
  'rsa-promised',
  'signature',
  'signature-vectors',
  'stream',
  'vectors',
  'vue',
]

/** The suites of the package that run here as they do in Node. */
const SUITES = [
  'age',
  'bytes',
  'collected',
  'cipher',
  'compat-ldesign',
  'compat-ldesign-defects',
  'compat-ldesign-streams',
  'compat-ldesign-vue',
  'encoding',
  'encrypt',
  'exchange',
  'fise-everywhere',
  'kdf',
  'keys',
  'mac',
  'message',
  'password',
  'random',
  'results',
  'rsa-promised',
  'sign',
  'signature',
  'signature-vectors',
  'stream',
  'toolbox',
  'vectors',
  'vue',
  'yuants',
]

const path = (name: string): string => new URL(name, import.meta.url).pathname

const platform = (name: string): { alias: Record<string, string> } => ({
  alias: {
    ...NAMED,
    ...BESIDE,
    '#platform': path(`src/${name}/platform.ts`),
    '#randomness': path(name === 'node' ? 'src/node/randomness.ts' : 'src/backend/randomness.ts'),
    '#threads': path(`src/extras/fise/threads-${name === 'node' ? 'node' : 'web'}.ts`),
    '#transcoder': path(name === 'node' ? 'src/extras/fise/buffer.ts' : 'src/extras/fise/transcoder.ts'),
  },
})

export default defineConfig({
  plugins: [fiseWorker(), modules(), vectors(), words()],
  // Vue asks for them.
  define: {
    __VUE_OPTIONS_API__: 'true',
    __VUE_PROD_DEVTOOLS__: 'false',
    __VUE_PROD_HYDRATION_MISMATCH_DETAILS__: 'false',
  },
  // Vite would find these late, and load the page anew in the middle of a test.
  optimizeDeps: {
    include: [
      'age-encryption',
      'bs58',
      'ed2curve',
      'tweetnacl',
      'vue',
      '@noble/ciphers/aes.js',
      '@noble/ciphers/salsa.js',
      '@noble/curves/ed25519.js',
    ],
  },
  test: {
    projects: [
      {
        extends: true,
        plugins: [moduleCalls('modules')],
        resolve: platform('browser'),
        test: {
          name: 'browser',
          env: ONCE,
          include: (EXHAUSTIVE ? SUITES : CROSSING).map((name) => `test/${name}.test.ts`),
          browser: {
            enabled: true,
            headless: true,
            screenshotFailures: false,
            provider: playwright({
              launchOptions: { executablePath: chromiumPath(), args: ['--js-flags=--expose-gc'] },
            }),
            instances: [{ browser: 'chromium' }],
          },
        },
      },
      { extends: true, resolve: platform('node'), test: { name: 'pages', include: ['test/browser/*.test.ts'] } },
      // Other browsers: `make test-platforms`.
      { extends: true, test: { name: 'platforms', include: ['test/platforms/*.test.ts'], fileParallelism: false } },
    ],
    // A busy machine should fail no test: slow ones are told meanwhile.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 240_000 } },
    maxWorkers: 2,
    reporters: [
      'default',
      lasting(),
      atLeast(EXHAUSTIVE ? { browser: 160, pages: 81, platforms: 2 } : { browser: 152, pages: 90, platforms: 2 }),
      ...(SEALSTONE_COUNTS === undefined ? [] : [countsTo(SEALSTONE_COUNTS, 'npm-browser')]),
    ],
  },
})
