// The modules of WebAssembly as `make wasm` built them, and their calls.

import { readFileSync } from 'node:fs'
import type {
  AgeWasmCalls,
  BaseWasmCalls,
  CipherWasmCalls,
  DigestWasmCalls,
  RsaWasmCalls,
  SignWasmCalls,
  SyncCalls,
} from '../src/backend/calls.js'
import { FAMILIES } from '../src/backend/wasm/families.js'
import type { HostCrypto } from '../src/backend/wasm/host-crypto.js'
import type { Hosting } from '../src/backend/wasm/hosting.js'
import { Backend } from '../src/backend/wasm/index.js'
import type { Source } from '../src/backend/wasm/module.js'
import type { PromisedCrypto } from '../src/backend/wasm/promised-crypto.js'
import { webCrypto } from '../src/browser/web-crypto.js'
import { webRsa } from '../src/browser/web-rsa.js'
import { hostCrypto } from '../src/node/host-crypto.js'
import { hostRsa } from '../src/node/host-rsa.js'

type Name = 'age' | 'base' | 'cipher' | 'compat' | 'digest' | 'exchange' | 'forms' | 'sign' | 'whole' | 'inflate'

export function moduleOf(name: Name): Uint8Array<ArrayBuffer> {
  return new Uint8Array(readFileSync(new URL(`../../wasm/modules/${name}.wasm`, import.meta.url)))
}

/** Each module, compiled once. */
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

const SOURCES = {
  age: AGE,
  base: BASE,
  cipher: CIPHER,
  compat: COMPAT,
  digest: DIGEST,
  exchange: EXCHANGE,
  forms: FORMS,
  sign: SIGN,
}

/** All that the package calls, but for files by name; without a host, RSA is missing. */
export function wasmCalls(hosting?: Hosting, sources: Partial<typeof SOURCES> = {}): Backend {
  return new Backend((kind) => sources[kind] ?? SOURCES[kind], hosting).add(FAMILIES)
}

/** The calls that answer at once, with those that WebAssembly alone has. */
export type Computes = SyncCalls & { heldCount(): number } & AgeWasmCalls &
  BaseWasmCalls &
  CipherWasmCalls &
  DigestWasmCalls &
  RsaWasmCalls &
  SignWasmCalls

/** As {@link Computes}, over modules of their own. */
export function computing(hosting?: Hosting, sources?: Partial<typeof SOURCES>): Computes {
  return wasmCalls(hosting, sources).sync as Computes
}

/** As {@link wasmCalls}, with all that `node:crypto` computes in place of WebAssembly computed by it, however short it is. */
export function hostedCalls(): Backend {
  return wasmCalls({ crypto: { ...nodeCrypto(), fileFrom: 0, bufferFrom: 0, digestFrom: 0 }, rsa: hostRsa() })
}

/** As {@link wasmCalls}, with all that WebCrypto promises in place of WebAssembly promised by it, however short it is. */
export function promisedCalls(): Backend {
  return wasmCalls({ promised: { ...subtleCrypto(), from: 0 }, rsa: webRsa() })
}

/** Node's WebCrypto. */
export function subtleCrypto(): PromisedCrypto {
  const crypto = webCrypto()
  if (crypto === undefined) throw new Error('this Node has no WebCrypto')
  return crypto
}

/** Calls of `node:crypto`. */
export function nodeCrypto(): HostCrypto {
  const crypto = hostCrypto()
  if (crypto === undefined) throw new Error('this Node has no crypto')
  return crypto
}
