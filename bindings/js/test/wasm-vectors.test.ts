// Every vector of files and keys, with what computes in WebAssembly.

import { expect, test, vi } from 'vitest'
import { sync } from '../src/call.js'

vi.mock('../src/node/platform.js', async (load) => {
  const { platform } = await load<typeof import('../src/node/platform.js')>()
  const { wasmCalls } = await import('./modules.js')
  return { platform: { ...platform, load: wasmCalls } }
})

await import('./vectors.test.js')

test('it is WebAssembly that computes', () => {
  expect(sync()).toHaveProperty('heldCount')
})
