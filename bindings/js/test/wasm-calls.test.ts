// The package over WebAssembly: all that is tested of bytes in memory, messages, keys, streams and old formats.

import { expect, test, vi } from 'vitest'
import { sync } from '../src/call.js'

vi.mock('../src/node/platform.js', async (load) => {
  const { platform } = await load<typeof import('../src/node/platform.js')>()
  const { wasmCalls } = await import('./modules.js')
  return { platform: { ...platform, load: wasmCalls } }
})

await import('./encrypt.test.js')
await import('./message.test.js')
await import('./keys.test.js')
await import('./stream.test.js')
await import('./yuants.test.js')

test('it is WebAssembly that computes', () => {
  expect(sync()).toHaveProperty('heldCount')
})
