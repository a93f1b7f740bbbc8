// The Node engine of the benchmark: libraries for Node behind the protocol of docs/design/bench.md. An operation says what its
// input becomes; a library of `prepare`'s option `library` says how. Only that library is loaded, so that its memory is its own.

import { createRequire } from 'node:module'
import { aeadOperations } from './aead.mjs'
import { fiseOperations } from './fise.mjs'
import { serve } from './protocol.mjs'
import { publicKeyOperations } from './public_key.mjs'
import { sm4Operations } from './sm4.mjs'
import { yuantsOperations } from './yuants.mjs'

const require = createRequire(import.meta.url)
const { version } = require('../../../bindings/js/package.json')
const peers = Object.entries(require('./package.json').dependencies)

await serve({
  name: 'node',
  version: process.versions.node,
  backend: [['sealstone', version], ['OpenSSL', process.versions.openssl], ...peers].map((pair) => pair.join(' ')).join(', '),
  operations: [...aeadOperations, ...sm4Operations, ...publicKeyOperations, ...yuantsOperations, ...fiseOperations],
})
