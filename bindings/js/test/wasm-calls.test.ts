// The package over WebAssembly: all that is tested of bytes in memory, messages, keys, streams and old formats.

import { expect, test, vi } from 'vitest'
import { sync } from '../src/call.js'
import { decrypt, decryptSync, encryptSync, generateIdentity, inspectSync, recipientOf } from '../src/index.js'

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

test('a head of any length is read, and one that is cut short is said to be so', async () => {
  const identities = generateIdentity('x25519')
  const others = Array.from({ length: 300 }, () => recipientOf(generateIdentity('x25519')))
  for (const length of [0, 300_000]) {
    const data = new Uint8Array(length).fill(7)
    const file = encryptSync(data, { recipients: [...others, recipientOf(identities)] })
    expect(inspectSync(file).headerLen).toBeGreaterThan(20_000)
    expect(Buffer.compare(decryptSync(file, { identities }), data)).toBe(0)
    expect(Buffer.compare(await decrypt(file, { identities }), data)).toBe(0)
    const cut = file.subarray(0, 15_000)
    expect(() => decryptSync(cut, { identities })).toThrow(expect.objectContaining({ code: 'truncated' }))
  }
  const long = new Uint8Array(300_000).fill(7)
  expect(() => decryptSync(long, { identities })).toThrow(expect.objectContaining({ code: 'not_sealstone' }))
})
