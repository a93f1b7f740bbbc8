// The modules of WebAssembly as `make wasm` built them, and what is called of them.

import { readFileSync } from 'node:fs'
import type { Calls } from '../src/backend/index.js'
import { callsOf } from '../src/backend/wasm/calls.js'
import type { Source } from '../src/backend/wasm/held.js'
import type { HostCrypto } from '../src/backend/wasm/host-crypto.js'
import type { HostRsa } from '../src/backend/wasm/host-rsa.js'
import { hosted } from '../src/backend/wasm/hosted.js'
import type { Hosting } from '../src/backend/wasm/hosting.js'
import { type Base, base, compat } from '../src/backend/wasm/index.js'
import { promised } from '../src/backend/wasm/promised.js'
import type { PromisedCrypto } from '../src/backend/wasm/promised-crypto.js'
import { webCrypto } from '../src/browser/web-crypto.js'
import { webRsa } from '../src/browser/web-rsa.js'
import { hostCrypto } from '../src/node/host-crypto.js'
import { hostRsa } from '../src/node/host-rsa.js'

type Name = 'age' | 'base' | 'cipher' | 'compat' | 'digest' | 'exchange' | 'forms' | 'sign' | 'whole' | 'inflate'

export function moduleOf(name: Name): Uint8Array<ArrayBuffer> {
  return new Uint8Array(readFileSync(new URL(`../../wasm/modules/${name}.wasm`, import.meta.url)))
}

/** What was compiled of a module, once. */
export const [AGE, BASE, CIPHER, COMPAT, DIGEST, EXCHANGE, FORMS, SIGN, WHOLE] = [
  compiled('age'),
  compiled('base'),
  compiled('cipher'),
  compiled('compat'),
  compiled('digest'),
  compiled('exchange'),
  compiled('forms'),
  compiled('sign'),
  compiled('whole'),
]

function compiled(name: Name): Source {
  let module: WebAssembly.Module | undefined
  return () => {
    module ??= new WebAssembly.Module(moduleOf(name))
    return module
  }
}

const { hashes, macs } = JSON.parse(readFileSync(new URL('../../table.json', import.meta.url), 'utf8'))

/** The names of all hash functions, as the core's table has them. */
export const HASHES: readonly string[] = hashes.map(({ name }: { name: string }) => name)

/** And of message authentication codes, with a length that their keys may have. */
export const MACS: readonly (readonly [name: string, keyLen: number])[] = macs.map(
  ({ name, keyLen }: { name: string; keyLen: number | null }) => [name, keyLen ?? 40],
)

/** All that the package calls, but for files by name; without a host, RSA is missing. */
export function wasmCalls(hosting?: (own: Base) => Hosting, rsa?: HostRsa): Omit<Calls, 'files'> {
  const own = base(BASE, FORMS, DIGEST, CIPHER, SIGN, EXCHANGE, AGE, rsa)
  return callsOf(own, compat(COMPAT), hosting?.(own))
}

/** As {@link wasmCalls}, with all that `node:crypto` computes in place of WebAssembly computed by it, however short it is. */
export function hostedCalls(): Omit<Calls, 'files'> {
  return wasmCalls((own) => hosted(own, { ...nodeCrypto(), fileFrom: 0, bufferFrom: 0, digestFrom: 0 }), hostRsa())
}

/** As {@link wasmCalls}, with all that WebCrypto promises in place of WebAssembly promised by it, however short it is. */
export function promisedCalls(): Omit<Calls, 'files'> {
  return wasmCalls((own) => promised(own, { ...subtleCrypto(), from: 0 }), webRsa())
}

/** What WebCrypto promises, Node's. */
export function subtleCrypto(): PromisedCrypto {
  const crypto = webCrypto()
  if (crypto === undefined) throw new Error('this Node has no WebCrypto')
  return crypto
}

/** What `node:crypto` computes. */
export function nodeCrypto(): HostCrypto {
  const crypto = hostCrypto()
  if (crypto === undefined) throw new Error('this Node has no crypto')
  return crypto
}
