// Node as a platform, which computes with the addon, or with `fallback.ts` if there is none.

import type { Calls, Platform } from '../backend/index.js'
import { asSealstoneError, failureOf, SealstoneError } from '../basics/error.js'
import { load as loadFallback } from './fallback-file.js'
import { type Addon, loadNative } from './native.js'
import { Path } from './path.js'

/** Node, and what runs its programs. Its modules are asked for when they are needed: loading them takes milliseconds. */
export const platform: Platform = {
  load() {
    const { SEALSTONE_BACKEND: wanted = '' } = process.env
    if (wanted === WASM) return forcedFallback()
    let addon: Addon
    try {
      addon = loadNative()
    } catch (error) {
      return fallback(error as SealstoneError, wanted)
    }
    return checked(addon)
  },
  systemErrorName: (errno) => process.getBuiltinModule('node:util').getSystemErrorName(errno),
  pathOfUrl: (href) => process.getBuiltinModule('node:url').fileURLToPath(href),
  placeOf: (path) => Uint8Array.from(Buffer.from(Path.of(path).name)),
  maxStringLength: () => process.getBuiltinModule('node:buffer').constants.MAX_STRING_LENGTH,
  webCrypto: () => nodeCrypto().webcrypto,
  isKeyObject: (key) => key instanceof nodeCrypto().KeyObject,
  keyObject(der, type) {
    const { createPrivateKey, createPublicKey } = nodeCrypto()
    const key = der as Buffer
    if (type === 'private') return createPrivateKey({ key, format: 'der', type: 'pkcs8' })
    return createPublicKey({ key, format: 'der', type: 'spki' })
  },
}

/** The value of the environment variable `SEALSTONE_BACKEND` that asks for no addon; the core knows the others. */
const WASM = 'wasm'

/** The addon, if it can compute as the environment wants it. */
function checked(addon: Addon): Calls {
  try {
    addon.checkBackend()
  } catch (error) {
    const { code, message } = failureOf(error)
    // The core does not know of what computes in its place.
    if (code === 'unavailable_backend') throw unavailable(`${message}; or ${WASM}, which is WebAssembly`, undefined)
    throw asSealstoneError(error)
  }
  return withAddon(addon)
}

export function withAddon(addon: Addon): Calls {
  const isShort = (length: number): boolean => length <= SHORT_LEN
  return { sync: addon, bulk: addon, files: addon, isShort, partLen: () => PART_LEN }
}

/** Up to so many bytes another thread costs more than it saves. */
const SHORT_LEN = 256 << 10
/** Half a millisecond of copying, and a few where the memory is new. */
const PART_LEN = 1 << 20

/** The backend in place of an addon that is missing. */
function fallback(missing: SealstoneError, wanted: string): Calls {
  if (wanted !== '') {
    const is = `SEALSTONE_BACKEND is '${wanted}', which is unknown or needs the native part; without that only ${WASM} computes`
    throw unavailable(`${is}: ${missing.message}`, missing)
  }
  try {
    return loadFallback(missing.message)
  } catch (error) {
    // A program that was bundled may have lost both.
    throw unavailable(`${missing.message}, and WebAssembly cannot compute either: ${obstacle(error)}`, missing)
  }
}

function forcedFallback(): Calls {
  try {
    return loadFallback()
  } catch (error) {
    throw unavailable(`SEALSTONE_BACKEND is '${WASM}', which cannot compute: ${obstacle(error)}`, error)
  }
}

/** Why the fall-back was not loaded. */
function obstacle(error: unknown): unknown {
  return typeof WebAssembly === 'undefined' ? 'it is off in this process (node --jitless)' : failureOf(error).message
}

function unavailable(text: string, cause: unknown): SealstoneError {
  return new SealstoneError('unavailable_backend', text, { cause })
}

function nodeCrypto(): typeof import('node:crypto') {
  return process.getBuiltinModule('node:crypto')
}
