import { engine, refused, unavailable } from '../backend/wasm/compiled.js'
import { kindsOf } from '../backend/wasm/kinds.js'
import { ArgumentError, failureOf } from '../basics/error.js'
import { give } from './given.js'

/** A module of the package: where it is, an answer of `fetch`, its bytes, or what was compiled of them. */
export type ModuleSource =
  | string
  | URL
  | Response
  | PromiseLike<Response>
  | ArrayBuffer
  | Uint8Array<ArrayBuffer>
  | WebAssembly.Module

/**
 * Loads modules of WebAssembly, which are files of the package:
 *
 * - `sealstone/base.wasm`: keys and their strings, files, messages
 * - `sealstone/cipher.wasm`: `sealstone/slim/aead` and `sealstone/slim/hazmat`
 * - `sealstone/digest.wasm`: `sealstone/slim/hash`, `mac`, `kdf` and `password`
 * - `sealstone/forms.wasm`: keys as PEM, DER and JWK, beside `base.wasm`
 * - `sealstone/whole.wasm`: both in one
 * - `sealstone/sign.wasm`: `sealstone/slim/sign`, `sealstone/slim/signature`
 * - `sealstone/exchange.wasm`: `sealstone/slim/exchange` and `rsa`
 * - `sealstone/age.wasm`: `sealstone/slim/age`
 * - `sealstone/compat.wasm`, beside `digest.wasm`: `sealstone/slim/compat/yuants`
 * - `sealstone/digest.wasm` and `sealstone/cipher.wasm`: `sealstone/slim/compat/crypto-js`
 *
 * A call that needs one that was not loaded fails with `unavailable_backend`. Modules may be loaded one after the other, when they are
 * needed; one that is there is not replaced. What the server sends as `application/wasm` is compiled while it comes.
 *
 * @throws {@link SealstoneError} `unavailable_backend` if it cannot be fetched or compiled, or is no module of this version.
 *
 * @example
 * ```ts
 * import { readFile } from 'node:fs/promises'
 * import { decryptSync, encryptSync, load } from 'sealstone/slim'
 *
 * // In a page: await load(new URL('sealstone/base.wasm', import.meta.url))
 * await load(await readFile(new URL(import.meta.resolve('sealstone/base.wasm'))))
 * const key = new Uint8Array(32)
 * console.log(decryptSync(encryptSync('attack at dawn', { key }), { key }).length) // 14
 * ```
 */
export async function load(...sources: ModuleSource[]): Promise<void> {
  if (sources.length === 0) throw new ArgumentError('load takes a WebAssembly module')
  const modules = await Promise.all(sources.map(moduleOf))
  for (const module of modules) {
    const kinds = kindsOf(module)
    if (kinds.length === 0)
      throw unavailable('the loaded module is not a WebAssembly module of this version of sealstone')
    for (const kind of kinds) give(kind, module)
  }
}

async function moduleOf(source: ModuleSource): Promise<WebAssembly.Module> {
  engine()
  // Of any realm.
  if (nameOf(source) === 'WebAssembly.Module') return source as WebAssembly.Module
  const isBytes = ArrayBuffer.isView(source) || nameOf(source) === 'ArrayBuffer'
  try {
    if (isBytes) return await WebAssembly.compile(source as BufferSource)
    return await fetched(source as string | URL | Response | PromiseLike<Response>)
  } catch (error) {
    throw error instanceof ArgumentError ? error : refused(error)
  }
}

async function fetched(source: string | URL | Response | PromiseLike<Response>): Promise<WebAssembly.Module> {
  const response = await (typeof source === 'string' || nameOf(source) === 'URL' ? answer(source as URL) : source)
  if (nameOf(response) !== 'Response') {
    throw new ArgumentError('a WebAssembly module must be a URL, a Response, bytes or a WebAssembly.Module')
  }
  const { ok, status, url } = response as Response
  const type = (response as Response).headers.get('content-type') ?? 'no type'
  if (!ok) throw unavailable(`the WebAssembly module was not found: ${url} answered with the status ${status}`)
  if (/^application\/wasm\b/i.test(type)) return WebAssembly.compileStreaming(response as Response)
  const bytes = new Uint8Array(await (response as Response).arrayBuffer())
  if (MAGIC.every((byte, i) => bytes[i] === byte)) return WebAssembly.compile(bytes)
  throw unavailable(`${url} is not a WebAssembly module: the server sent ${type}`)
}

async function answer(url: string | URL): Promise<Response> {
  try {
    return await fetch(url)
  } catch (cause) {
    throw unavailable(`the WebAssembly module could not be fetched: ${url}: ${failureOf(cause).message}`, cause)
  }
}

/** How every module begins. */
const MAGIC = [0, 97, 115, 109]

function nameOf(value: unknown): string {
  return Object.prototype.toString.call(value).slice('[object '.length, -1)
}
