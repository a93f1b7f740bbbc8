import type { Bytes } from '../basics/bytes.js'
import { call } from '../work/digest-calls.js'
import { encode } from './encoding.js'
import { asked, type ResultEncoding } from './text.js'

/** The number by which an encoding crosses to the module of digests and tags. */
export const encodingOf = /* @__PURE__ */ asked((name) => call((sync) => sync.encodingId(name)))

/** A promised digest or tag as text. An unknown encoding is refused before any work. */
export async function textOf(encoding: ResultEncoding, promised: () => Promise<Bytes>): Promise<string> {
  encodingOf(encoding)
  return encode(encoding, await promised())
}
