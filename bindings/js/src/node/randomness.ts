// `#randomness` in Node: the addon asks the system at each call. Node's own generator keeps a state in memory, which two copies
// of a virtual machine would share.

import type { Bytes } from '../basics/bytes.js'
import { call } from '../work/call.js'

/** Fills memory of any length. */
export function fill(memory: Bytes): void {
  call((sync) => sync.randomFill(memory))
}
