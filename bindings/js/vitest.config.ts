import { defineConfig } from 'vitest/config'
import { fiseWorker } from './fise-worker.js'
import { moduleCalls, modules } from './modules.js'
import { countsTo } from './test/counts.js'
import { lasting } from './test/lasting.js'
import { skippedTo } from './test/skipped.js'
import { vectors } from './vectors.js'
import { words } from './words.js'

const { SEALSTONE_COUNTS, SEALSTONE_SKIPPED } = process.env

/** With it each suite runs on everything that can compute for it. */
export const EXHAUSTIVE = Boolean(process.env.SEALSTONE_EXHAUSTIVE)

/**
 * Suites in which WebAssembly may differ from the addon: vectors and known answers, and work that crosses to it, goes on elsewhere or
 * in turns, or reads streams and files. The modules themselves are tested by `wasm*.test.ts`, on the addon's project.
 */
const CROSSING_WASM = [
  'age-files',
  'backend',
  'bytes',
  'cipher-vectors',
  'compat-ldesign-streams',
  'encrypt',
  'fallback',
  'file',
  'hash',
  'hash-async',
  'kdf',
  'mac',
  'message',
  'node-results',
  'node-streams',
  'rsa-promised',
  'signature-files',
  'signature-vectors',
  'stream',
  'vectors',
]

/** The same of the platform of browsers; Chromium has its vectors and known answers, and most of its crossings too. */
const CROSSING_WEB_CRYPTO = ['compat-ldesign-prepare', 'hash-async', 'message', 'rsa-promised', 'stream']

/** Suites that run with WebAssembly in place of the addon too. */
const WITH_WASM = [
  'age',
  'age-files',
  'backend',
  'bytes',
  'cipher',
  'cipher-vectors',
  'compat-ldesign',
  'compat-ldesign-defects',
  'compat-ldesign-prepare',
  'compat-ldesign-streams',
  'compat-ldesign-tools',
  'compat-ldesign-vue',
  'crypto-js',
  'encrypt',
  'exchange',
  'fallback',
  'file',
  'hash',
  'hash-async',
  'kdf',
  'keys',
  'mac',
  'message',
  'monitor',
  'node-keys',
  'node-results',
  'node-streams',
  'openssl',
  'openssl-pairs',
  'password',
  'random',
  'results',
  'rsa',
  'rsa-promised',
  'sign',
  'signature',
  'signature-files',
  'signature-vectors',
  'stream',
  'toolbox',
  'vectors',
  'vue',
  'yuants',
]

/** Suites that also run on the platform of browsers: Node has all that this takes. */
const WITH_WEB_CRYPTO = [
  'age',
  'compat-ldesign',
  'compat-ldesign-defects',
  'compat-ldesign-prepare',
  'compat-ldesign-streams',
  'compat-ldesign-tools',
  'compat-ldesign-vue',
  'crypto-js',
  'encrypt',
  'exchange',
  'hash-async',
  'kdf',
  'keys',
  'mac',
  'message',
  'password',
  'random',
  'rsa-promised',
  'sign',
  'signature',
  'signature-vectors',
  'stream',
  'vectors',
  'vue',
  'yuants',
]

/** The addon reads in every way, others in one way of each kind (`test/vectors.ts`), and before a release in all. */
const ALL: Record<string, string> = EXHAUSTIVE ? { SEALSTONE_EXHAUSTIVE: '1' } : {}
export const ONCE: Record<string, string> = EXHAUSTIVE ? ALL : { SEALSTONE_ONCE: '1' }

const path = (name: string): string => new URL(name, import.meta.url).pathname

/** Entries that sources import by the names that they have for users. */
export const NAMED = {
  'sealstone/compat/ldesign': path('src/extras/ldesign/index.ts'),
  'sealstone/encoding': path('src/api/encoding.ts'),
  'sealstone/hash': path('src/api/hash.ts'),
  'sealstone/signature': path('src/api/signature.ts'),
  'sealstone/sign': path('src/api/sign.ts'),
  sealstone: path('src/api/index.ts'),
}

/** In the sources nothing is beside a build. */
export const BESIDE = { './fallback-file.js': path('src/node/fallback.ts') }

export default defineConfig({
  plugins: [fiseWorker(), modules(), vectors(), words()],
  resolve: {
    alias: {
      ...NAMED,
      ...BESIDE,
      '#platform': path('src/node/platform.ts'),
      '#randomness': path('src/node/randomness.ts'),
      '#threads': path('src/extras/fise/threads-node.ts'),
      '#transcoder': path('src/extras/fise/buffer.ts'),
    },
  },
  test: {
    exclude: ['**/node_modules/**'],
    projects: [
      {
        extends: true,
        test: {
          name: 'addon',
          include: ['test/*.test.ts'],
          // Users' bundlers and test runners are installed before a release alone (`make test-everywhere`).
          exclude: EXHAUSTIVE ? [] : ['test/tools.test.ts'],
          env: ALL,
        },
      },
      {
        extends: true,
        test: {
          name: 'wasm',
          include: (EXHAUSTIVE ? WITH_WASM : CROSSING_WASM).map((name) => `test/${name}.test.ts`),
          env: { SEALSTONE_BACKEND: 'wasm', ...ONCE },
        },
      },
      {
        extends: true,
        plugins: [moduleCalls('modules')],
        resolve: {
          alias: { '#platform': path('src/browser/platform.ts'), '#randomness': path('src/backend/randomness.ts') },
        },
        test: {
          name: 'web',
          include: (EXHAUSTIVE ? WITH_WEB_CRYPTO : CROSSING_WEB_CRYPTO).map((name) => `test/${name}.test.ts`),
          env: ONCE,
        },
      },
    ],
    // A busy machine should fail no test: slow ones are told meanwhile.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 240_000 } },
    // Two cores: the addon brings threads of its own.
    maxWorkers: 2,
    reporters: [
      'default',
      lasting(),
      ...(SEALSTONE_SKIPPED === undefined ? [] : [skippedTo(SEALSTONE_SKIPPED)]),
      ...(SEALSTONE_COUNTS === undefined ? [] : [countsTo(SEALSTONE_COUNTS, 'npm')]),
    ],
  },
})
