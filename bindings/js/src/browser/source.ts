import { inflateSync } from 'fflate'
import type { Source } from '../wasm/index.js'

/** A module of a text, inflated when it is first used. */
export function sourceOf(deflated: string): () => Source {
  return () => inflateSync(Uint8Array.from(atob(deflated), (character) => character.charCodeAt(0)))
}
