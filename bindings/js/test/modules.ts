// The modules of WebAssembly as `make wasm` built them.

import { readFileSync } from 'node:fs'
import type { Source } from '../src/wasm/index.js'

export function moduleOf(name: 'base' | 'toolbox'): Uint8Array<ArrayBuffer> {
  return new Uint8Array(readFileSync(new URL(`../../wasm/modules/${name}.wasm`, import.meta.url)))
}

/** What was compiled of a module, once. */
export const [BASE, TOOLBOX] = [compiled('base'), compiled('toolbox')]

function compiled(name: 'base' | 'toolbox'): () => Source {
  let module: WebAssembly.Module | undefined
  return () => {
    module ??= new WebAssembly.Module(moduleOf(name))
    return module
  }
}
