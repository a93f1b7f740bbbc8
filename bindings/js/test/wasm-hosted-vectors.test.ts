// Every vector of files and keys, computed in WebAssembly and `node:crypto`.

import { expect, test, vi } from 'vitest'
import { sync } from '../src/work/call.js'
import { MEASURES } from './measured.js'

vi.mock('../src/node/platform.js', async (load) => {
  const { platform } = await load<typeof import('../src/node/platform.js')>()
  const { hostedCalls } = await import('./modules.js')
  return { platform: { ...platform, load: hostedCalls } }
})

// Streams are the package's own, on every backend: one of each kind will do.
if (!MEASURES) vi.stubEnv('SEALSTONE_ONCE', '1')
await import('./vectors.test.js')

test('it is WebAssembly and node:crypto that compute', () => {
  expect(sync().backend()).toContain('aes-256-gcm by node:crypto')
})
