import type { Bytes } from './bytes.js'

/** Memory that small outputs are cut from: making an array costs much more than filling it. */
const SLAB_LEN = 64 << 10
/** Longer outputs have memory of their own, so that a small one does not keep much alive. */
const SMALL_LEN = 16 << 10

let slab: ArrayBuffer | undefined
let used = 0

/** Memory for an output, all zero. */
export function allocate(len: number): Bytes {
  if (len > SMALL_LEN) return new Uint8Array(len)
  // One that was transferred away has no bytes any more.
  if (slab === undefined || used + len > slab.byteLength) {
    slab = new ArrayBuffer(SLAB_LEN)
    used = 0
  }
  const out = new Uint8Array(slab, used, len)
  used += (len + 7) & ~7
  return out
}
