// The modules of WebAssembly as `make wasm` built them, and what is called of them.

import { readFileSync } from 'node:fs'
import { hostCrypto } from '../src/node/host-crypto.js'
import type { Calls } from '../src/platform/index.js'
import { callsOf } from '../src/wasm/calls.js'
import type { HostCrypto } from '../src/wasm/host-crypto.js'
import { base, type Source, toolbox } from '../src/wasm/index.js'

type Name = 'base' | 'forms' | 'toolbox' | 'whole' | 'inflate'

export function moduleOf(name: Name): Uint8Array<ArrayBuffer> {
  return new Uint8Array(readFileSync(new URL(`../../wasm/modules/${name}.wasm`, import.meta.url)))
}

/** What was compiled of a module, once. */
export const [BASE, FORMS, TOOLBOX, WHOLE] = [
  compiled('base'),
  compiled('forms'),
  compiled('toolbox'),
  compiled('whole'),
]

function compiled(name: Name): Source {
  let module: WebAssembly.Module | undefined
  return () => {
    module ??= new WebAssembly.Module(moduleOf(name))
    return module
  }
}

/** All that the package calls, but for files by name. */
export function wasmCalls(crypto?: HostCrypto): Pick<Calls, 'sync' | 'bulk'> {
  return callsOf(base(BASE, FORMS), toolbox(TOOLBOX), crypto)
}

/** As {@link wasmCalls}, with all that `node:crypto` computes in place of WebAssembly computed by it, however short it is. */
export function hostedCalls(): Pick<Calls, 'sync' | 'bulk'> {
  return wasmCalls({ ...nodeCrypto(), fileFrom: 0, bufferFrom: 0, digestFrom: 0 })
}

/** What `node:crypto` computes. */
export function nodeCrypto(): HostCrypto {
  const crypto = hostCrypto()
  if (crypto === undefined) throw new Error('this Node has no crypto')
  return crypto
}
