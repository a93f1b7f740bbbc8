import { type Bytes, SMALL_LEN, zero } from './bytes.js'

let memory: ArrayBuffer | undefined
/** Its beginnings, by their lengths. */
const beginnings: Bytes[] = []

/**
 * The output that native code writes into memory of so many bytes: as many of them as it says, in memory that nothing else is in. Whoever gets
 * the result may hand on or transfer its whole buffer.
 */
export function output(len: number, write: (out: Bytes) => number): Bytes {
  if (len > SMALL_LEN) return shortened(new Uint8Array(len), write)
  // To native code an array in V8's heap would cost as much as a longer one: it moves out when its address is asked for.
  memory ??= new ArrayBuffer(SMALL_LEN)
  beginnings[len] ??= new Uint8Array(memory, 0, len)
  const out = beginnings[len]
  try {
    return out.slice(0, write(out))
  } finally {
    zero(out)
  }
}

function shortened(out: Bytes, write: (out: Bytes) => number): Bytes {
  const len = write(out)
  if (len === out.length) return out
  const result = out.slice(0, len)
  zero(out)
  return result
}
