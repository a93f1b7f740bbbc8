import { type Bytes, borrowed, borrowedLength } from './bytes.js'
import { ArgumentError } from './error.js'

const ITEM_MAX_LEN = 1 << 30

/** Works with the items of a batch, one behind the other, and with their lengths. The memory is zeroed then. */
export function withItems<T>(items: unknown, work: (all: Bytes, lengths: Uint32Array<ArrayBuffer>) => T): T {
  if (!Array.isArray(items)) throw new ArgumentError('a batch is an array')
  // All are taken before one is looked at: taking may run code of the caller.
  const taken = Array.from(items as unknown[]).map((item) => borrowed(item, 'an item of the batch'))
  const lengths = Uint32Array.from(taken, (item) => {
    const length = borrowedLength(item)
    // Lengths cross as 32 bits; a batch is for small items.
    if (length > ITEM_MAX_LEN) throw new RangeError(`an item of a batch has at most ${ITEM_MAX_LEN} bytes`)
    return length
  })
  const all = new Uint8Array(lengths.reduce((sum, length) => sum + length, 0))
  let at = 0
  for (const [i, item] of taken.entries()) {
    // The engine copies what the array has, whatever its properties say.
    all.set(item as unknown as Uint8Array, at)
    at += lengths[i] as number
  }
  try {
    return work(all, lengths)
  } finally {
    all.fill(0)
  }
}

/** Parts of memory, which lie one behind the other. */
export function cut(memory: Bytes, lengths: Uint32Array): Bytes[] {
  let at = 0
  return Array.from(lengths, (length) => {
    at += length
    return memory.subarray(at - length, at)
  })
}
