import { defineConfig } from 'vitest/config'
import { modules } from './modules.js'
import { countsTo } from './test/counts.js'
import { lasting } from './test/lasting.js'
import { skippedTo } from './test/skipped.js'
import { vectors } from './vectors.js'
import { words } from './words.js'

const { SEALSTONE_COUNTS, SEALSTONE_SKIPPED } = process.env

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

const path = (name: string): string => new URL(name, import.meta.url).pathname

/** Entries that sources import by the names that they have for users. */
export const NAMED = {
  'sealstone/compat/ldesign': path('src/compat/ldesign/index.ts'),
  'sealstone/encoding': path('src/encoding.ts'),
  'sealstone/hash': path('src/hash.ts'),
  'sealstone/signature': path('src/signature.ts'),
  'sealstone/sign': path('src/sign.ts'),
  sealstone: path('src/index.ts'),
}

export default defineConfig({
  plugins: [modules(), vectors(), words()],
  resolve: {
    alias: {
      ...NAMED,
      '#platform': path('src/node/platform.ts'),
      '#randomness': path('src/node/randomness.ts'),
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
      {
        extends: true,
        resolve: {
          alias: { '#platform': path('src/browser/platform.ts'), '#randomness': path('src/randomness.ts') },
        },
        test: { name: 'web', include: WITH_WEB_CRYPTO.map((name) => `test/${name}.test.ts`) },
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
