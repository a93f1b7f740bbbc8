import { inflateSync } from 'fflate/browser'
import { SealstoneError } from '../error.js'
import { compiled } from '../wasm/compiled.js'
import type { Source } from '../wasm/index.js'

/** A module as a build has it: as text, inflated and compiled when it is first used, or itself. */
export function sourceOf(module: string | WebAssembly.Module | undefined): Source {
  if (typeof module === 'string') return compiled(() => inflateSync(bytesOf(module)))
  return () => {
    if (module !== undefined) return module
    throw new SealstoneError('internal', 'a bug in Sealstone: a call of a module that this build does not have')
  }
}

function bytesOf(base64: string): Uint8Array {
  const text = atob(base64)
  const bytes = new Uint8Array(text.length)
  for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i)
  return bytes
}
