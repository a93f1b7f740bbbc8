import * as modules from '#modules'
import { SealstoneError } from '../error.js'
import type { FileCalls } from '../platform/files.js'
import type { Calls, Platform } from '../platform/index.js'
import { callsOf } from '../wasm/calls.js'
import { base, toolbox } from '../wasm/index.js'
import { promised } from '../wasm/promised.js'
import { sourceOf } from './source.js'
import { webCrypto } from './web-crypto.js'

/** Browsers, and what else has WebAssembly and no addon. */
export const platform: Platform = {
  load(): Calls {
    const crypto = webCrypto()
    const own = base(sourceOf(modules.base), sourceOf(modules.forms))
    return { ...callsOf(own, toolbox(sourceOf(modules.toolbox)), crypto && promised(own, crypto)), files: NO_FILES }
  },
  systemErrorName: (errno) => String(errno),
  pathOfUrl: () => onlyInNode('files by name'),
  // V8 has 2^29 - 24 at the least; where it is less, the engine fails with an error of its own.
  maxStringLength: () => 2 ** 29 - 24,
  webCrypto: () => onlyInNode('WebCrypto outside of secure contexts (https)'),
  isKeyObject: (key): key is never => false,
  keyObject: () => onlyInNode('KeyObject'),
}

const noFile = async (): Promise<never> => onlyInNode('files by name')

const NO_FILES: FileCalls = {
  encryptFile: noFile,
  decryptFile: noFile,
  verifyFile: noFile,
  rewrapFile: noFile,
  decryptRangeFile: noFile,
  inspectFile: noFile,
  hashFile: noFile,
}

function onlyInNode(what: string): never {
  throw new SealstoneError('unavailable_backend', `there is no ${what} in browsers`)
}
