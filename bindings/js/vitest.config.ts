import { defineConfig } from 'vitest/config'
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
 * What is the same on WebAssembly as on the addon, but for who computes: vectors and known answers, and what crosses, goes on elsewhere or
 * in turns, and reads streams and files. The modules themselves are tested by `wasm*.test.ts`, on the addon's project.
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

/** The same of the platform of browsers, whose vectors and known answers Chromium has, and most of what crosses too. */
const CROSSING_WEB_CRYPTO = ['compat-ldesign-prepare', 'hash-async', 'message', 'rsa-promised', 'stream']

/** What is tested with WebAssembly in place of the addon too. */
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

/** What is tested with the platform of browsers too: Node has all that this takes. */
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

/** What the addon reads in every way others read in one way of each kind (`test/vectors.ts`), and before a release all. */
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
  plugins: [modules(), vectors(), words()],
  resolve: {
    alias: {
      ...NAMED,
      ...BESIDE,
      '#platform': path('src/node/platform.ts'),
      '#randomness': path('src/node/randomness.ts'),
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
          // What users bundle and test with is installed before a release alone (`make test-everywhere`).
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
        plugins: [moduleCalls()],
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
    // A busy machine should fail no test: what lasts is told meanwhile.
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
