// Every vector of files and keys, with what computes in WebAssembly.

import { vi } from 'vitest'

vi.mock('../src/native.js', async () => {
  const { wasmBackend } = await import('./modules.js')
  return { loadNative: wasmBackend }
})

await import('./vectors.test.js')
