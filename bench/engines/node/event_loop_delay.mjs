// How long the event loop is kept from its work by asynchronous functions on large data: no benchmark, since a machine that others
// load delays everything. `node bench/engines/node/event_loop_delay.mjs [MiB]`, once the package is built.

import { monitorEventLoopDelay } from 'node:perf_hooks'
import { decrypt, encrypt, generateIdentity, recipientOf } from '../../../bindings/js/dist/index.mjs'

const mebibytes = Number(process.argv[2] ?? 1024)
const identities = generateIdentity()
const recipients = recipientOf(identities)

async function watched(what, work) {
  // The histogram knows nothing shorter than its resolution, which is subtracted.
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  const begun = performance.now()
  const result = await work()
  const seconds = (performance.now() - begun) / 1000
  // What the last turn took is seen by the turn after it.
  await new Promise((resolve) => setTimeout(resolve, 10))
  delay.disable()
  const [high, longest] = [delay.percentile(99), delay.max].map((ns) => Math.max(ns / 1e6 - 1, 0).toFixed(1))
  console.log(`${what}: ${seconds.toFixed(2)} s; delay ${longest} ms at most, 99 % under ${high} ms`)
  return result
}

// Written to, so that reading it is not the first use of its memory.
const data = new Uint8Array(mebibytes << 20).fill(7)
await watched('nothing, to compare', () => new Promise((resolve) => setTimeout(resolve, 1000)))
const file = await watched(`encrypt, ${mebibytes} MiB`, () => encrypt(data, { recipients }))
const plaintext = await watched(`decrypt, ${mebibytes} MiB`, () => decrypt(file, { identities }))
// All is kept until here: giving a gibibyte back to the system takes 0.2 s, whenever the engine does it.
if (plaintext.length !== data.length) throw new Error('another length')
