// The package over WebAssembly and `node:crypto`: what is tested of bytes in memory, streams, AEADs and digests.

import { expect, test, vi } from 'vitest'
import { sync } from '../src/call.js'

vi.mock('../src/node/platform.js', async (load) => {
  const { platform } = await load<typeof import('../src/node/platform.js')>()
  const { hostedCalls } = await import('./modules.js')
  return { platform: { ...platform, load: hostedCalls } }
})

await import('./encrypt.test.js')
await import('./message.test.js')
await import('./stream.test.js')

test('it is WebAssembly and node:crypto that compute', () => {
  expect(sync()).toHaveProperty('sealing')
})
