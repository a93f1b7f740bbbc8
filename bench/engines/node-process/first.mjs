// What a process of Node is from its beginning to its first result: `node first.mjs LIBRARY INPUT OUTPUT`.

import { readFileSync, writeFileSync } from 'node:fs'
import { aeadOperations } from '../node/aead.mjs'
import { whole } from '../node/protocol.mjs'

const [, , library, input, output] = process.argv
const { setUp } = aeadOperations.find(({ name }) => name === 'aead/chacha20-poly1305/seal')
const { run } = await setUp(readFileSync(input), { library })
writeFileSync(output, whole(await run()))
