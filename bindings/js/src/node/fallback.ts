// The backend without an addon: WebAssembly, and Node's own files. A build has all of it in one file, of which a process has
// one copy, as it has of the addon (docs/design/wasm.md).

import * as modules from '#modules'
import type { Calls } from '../backend/index.js'
import { engine } from '../backend/wasm/compiled.js'
import { FAMILIES } from '../backend/wasm/families.js'
import { Backend } from '../backend/wasm/index.js'
import type { ModuleKind } from '../backend/wasm/kinds.js'
import type { Source } from '../backend/wasm/module.js'
import { moduleSource } from '../browser/source.js'
import { withFiles } from './files.js'
import { hostCrypto } from './host-crypto.js'
import { hostRsa } from './host-rsa.js'

let calls: Calls | undefined

/** Loads it. `reason` is told to whoever runs the process, once in a thread; there is none where it was asked for. */
export function load(reason?: string): Calls {
  if (calls !== undefined) return calls
  // Where there is none, that is said before anything is called.
  engine()
  const whole = sourceOf(modules.whole)
  const sources: { readonly [kind in ModuleKind]: Source } = {
    age: sourceOf(modules.age),
    base: whole,
    cipher: sourceOf(modules.cipher),
    compat: sourceOf(modules.compat),
    digest: sourceOf(modules.digest),
    exchange: sourceOf(modules.exchange),
    forms: whole,
    sign: sourceOf(modules.sign),
  }
  const backend = new Backend((kind) => sources[kind], { crypto: hostCrypto(), rsa: hostRsa() })
  calls = withFiles(backend.add(FAMILIES))
  if (reason !== undefined)
    process.emitWarning(`${INSTEAD}. The reason: ${reason}. ${GUIDE}`, { code: 'SEALSTONE_WASM' })
  return calls
}

const INSTEAD =
  'sealstone computes in WebAssembly: the same results, slower, on one thread (SEALSTONE_BACKEND=wasm silences this)'
const GUIDE = 'https://github.com/sealstone/sealstone/blob/main/docs/guide/deployment.md'

/** A module: a realm of a test runner may have Node's `Buffer` and no `atob`. */
function sourceOf(text: string | WebAssembly.Module | undefined): Source {
  return moduleSource(text as string, (text) => new Uint8Array(Buffer.from(text, 'base64')))
}
