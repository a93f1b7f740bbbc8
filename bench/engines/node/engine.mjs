// The Node engine of the benchmark: libraries for Node behind the protocol of docs/design/bench.md. An operation says what its
// input becomes; a library of `prepare`'s option `library` says how. Only that library is loaded, so that its memory is its own.
//
// The argument says with what the npm package computes: `addon`, or `wasm` as where there is no addon.

import { createRequire } from 'node:module'
import { aeadOperations } from './aead.mjs'
import { aesTextOperations } from './aes_text.mjs'
import { cryptoJsOperations } from './crypto_js.mjs'
import { exchangeOperations } from './exchange.mjs'
import { fiseOperations } from './fise.mjs'
import { fiseFramesOperations } from './fise_frames.mjs'
import { hashOperations } from './hash.mjs'
import { serve } from './host.mjs'
import { kdfOperations } from './kdf.mjs'
import { ldesignOperations } from './ldesign.mjs'
import { ldesignRsaOperations } from './ldesign_rsa.mjs'
import { passphraseOperations } from './passphrase.mjs'
import { publicKeyOperations } from './public_key.mjs'
import { rsaOperations } from './rsa.mjs'
import { signOperations } from './sign.mjs'
import { sm4Operations } from './sm4.mjs'
import { streamedOperations } from './streamed.mjs'
import { yuantsOperations } from './yuants.mjs'

const [, , computing] = process.argv
if (computing === 'wasm') process.env.SEALSTONE_BACKEND = 'wasm'

/** Asked of a process that computes nothing else. */
async function about() {
  const require = createRequire(import.meta.url)
  const { version } = require('../../../bindings/js/package.json')
  const { backend } = await import('../../../bindings/js/dist/index.mjs')
  const isWasm = /webassembly/.test(backend())
  // Without the addon the package goes on in WebAssembly: one would be measured for the other.
  if (isWasm !== (computing === 'wasm')) throw new Error(`the npm package does not compute with ${computing}: ${backend()}`)
  const peers = Object.entries(require('./package.json').dependencies)
  const all = [['sealstone', version], ['OpenSSL', process.versions.openssl], ...peers]
  return { version: process.versions.node, backend: [backend().replaceAll('\n', '; '), ...all.map((pair) => pair.join(' '))].join(', ') }
}

await serve({
  name: computing === 'wasm' ? 'node-wasm' : 'node',
  about,
  operations: [
    ...aeadOperations,
    ...aesTextOperations,
    ...hashOperations,
    ...kdfOperations,
    ...sm4Operations,
    ...publicKeyOperations,
    ...signOperations,
    ...exchangeOperations,
    ...rsaOperations,
    ...passphraseOperations,
    ...streamedOperations,
    ...yuantsOperations,
    ...fiseOperations,
    ...fiseFramesOperations,
    ...ldesignOperations,
    ...ldesignRsaOperations,
    ...cryptoJsOperations,
  ],
})
