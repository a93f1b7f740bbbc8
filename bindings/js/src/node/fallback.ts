// The backend without an addon: WebAssembly, and Node's own files. A build has all of it in one file, of which a process has
// one copy, as it has of the addon (docs/design/wasm.md).

import * as modules from '#modules'
import type { Calls } from '../backend/index.js'
import { callsOf } from '../backend/wasm/calls.js'
import { engine } from '../backend/wasm/compiled.js'
import type { Source } from '../backend/wasm/held.js'
import { hosted } from '../backend/wasm/hosted.js'
import { base, compat } from '../backend/wasm/index.js'
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
  const [whole, crypto] = [sourceOf(modules.whole), hostCrypto()]
  const [digest, cipher] = [sourceOf(modules.digest), sourceOf(modules.cipher)]
  const [sign, exchange] = [sourceOf(modules.sign), sourceOf(modules.exchange)]
  const own = base(whole, whole, digest, cipher, sign, exchange, sourceOf(modules.age), hostRsa())
  calls = withFiles(callsOf(own, compat(sourceOf(modules.compat)), crypto && hosted(own, crypto)))
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
