import { type Borrowed, type Bytes, borrowed, borrowedLength, checkBinary, utf8, zero } from './bytes.js'
import { ArgumentError } from './error.js'

const ITEM_MAX_LEN = 1 << 30
const WHAT = 'an item of the batch'

/**
 * Works with the items of a batch, one behind the other, and with their lengths. The memory is zeroed then.
 *
 * Its loops are plain: with iterators they take as long as sealing short items does.
 */
export function withItems<T>(items: unknown, work: (all: Bytes, lengths: Uint32Array<ArrayBuffer>) => T): T {
  const taken = takenOf(items)
  const lengths = new Uint32Array(taken.length)
  return zeroedAfter(asciiOf(taken, lengths) ?? bytesOf(taken, lengths), (all) => work(all, lengths))
}

/** As {@link withItems}, of what is no text: `taker` takes that. */
export function withBinaries<T>(
  items: unknown,
  taker: string,
  work: (all: Bytes, lengths: Uint32Array<ArrayBuffer>) => T,
): T {
  const taken = takenOf(items)
  for (let i = 0; i < taken.length; i++) checkBinary(taken[i], WHAT, taker)
  const lengths = new Uint32Array(taken.length)
  return zeroedAfter(bytesOf(taken, lengths), (all) => work(all, lengths))
}

/** All are taken before one is looked at: taking may run code of the caller. */
function takenOf(items: unknown): unknown[] {
  if (!Array.isArray(items)) throw new ArgumentError('a batch is an array')
  return Array.from(items as unknown[])
}

function zeroedAfter<T>(all: Bytes, work: (all: Bytes) => T): T {
  try {
    return work(all)
  } finally {
    zero(all)
  }
}

/** Texts whose characters have a byte each, encoded at once: one by one that would take longer than to seal them. */
function asciiOf(taken: readonly unknown[], lengths: Uint32Array): Bytes | undefined {
  for (let i = 0; i < taken.length; i++) {
    const item = taken[i]
    if (typeof item !== 'string') return undefined
    lengths[i] = item.length
  }
  const text = taken.join('')
  const all = utf8(text, WHAT)
  return all.length === text.length ? all : undefined
}

function bytesOf(taken: readonly unknown[], lengths: Uint32Array): Bytes {
  const items = new Array<Borrowed>(taken.length)
  let total = 0
  for (let i = 0; i < taken.length; i++) {
    const item = borrowed(taken[i], WHAT)
    const length = borrowedLength(item)
    // Lengths cross as 32 bits; a batch is for small items.
    if (length > ITEM_MAX_LEN) throw new RangeError(`an item of a batch has at most ${ITEM_MAX_LEN} bytes`)
    items[i] = item
    lengths[i] = length
    total += length
  }
  const all = new Uint8Array(total)
  for (let i = 0, at = 0; i < items.length; i++) {
    // The engine copies what the array has, whatever its properties say.
    all.set(items[i] as unknown as Uint8Array, at)
    at += lengths[i] as number
  }
  return all
}

/** Parts of memory, which lie one behind the other. */
export function cut({ buffer }: Bytes, lengths: Uint32Array): Bytes[] {
  const parts = new Array<Bytes>(lengths.length)
  for (let i = 0, at = 0; i < parts.length; i++) {
    const length = lengths[i] as number
    parts[i] = new Uint8Array(buffer, at, length)
    at += length
  }
  return parts
}
