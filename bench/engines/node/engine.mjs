// The Node engine of the benchmark: libraries for Node behind the protocol of docs/design/bench.md. An operation says what its
// input becomes; a library of `prepare`'s option `library` says how.

import { createRequire } from 'node:module'
import { fiseOperations } from './fise.mjs'
import { serve } from './protocol.mjs'

const require = createRequire(import.meta.url)
const versionOf = (path) => `${require(path).name} ${require(path).version}`

serve({
  name: 'node',
  version: process.versions.node,
  backend: [versionOf('../../../bindings/js/package.json'), versionOf('crypto-js/package.json')].join(', '),
  operations: [...fiseOperations],
})
