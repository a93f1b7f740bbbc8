import * as modules from '#modules'
import { SealstoneError } from '../error.js'
import type { FileCalls } from '../platform/files.js'
import type { Platform } from '../platform/index.js'
import { callsOf } from '../wasm/calls.js'
import { type Base, base, type Toolbox, toolbox } from '../wasm/index.js'
import { promised } from '../wasm/promised.js'
import { sourceOf } from './source.js'
import { webCrypto } from './web-crypto.js'

/** What has WebAssembly and no addon: browsers, and servers at the edge. */
export function platformOf(load: () => { readonly base: Base; readonly toolbox: Toolbox }): Platform {
  return {
    load() {
      const { base, toolbox } = load()
      const crypto = webCrypto()
      return { ...callsOf(base, toolbox, crypto && promised(base, crypto)), files: NO_FILES }
    },
    systemErrorName: (errno) => String(errno),
    pathOfUrl: () => onlyInNode('files by name'),
    // V8 has 2^29 - 24 at the least; where it is less, the engine fails with an error of its own.
    maxStringLength: () => 2 ** 29 - 24,
    webCrypto: () => onlyInNode('WebCrypto outside of secure contexts (https)'),
    isKeyObject: (key): key is never => false,
    keyObject: () => onlyInNode('KeyObject'),
  }
}

/** The platform with the modules that a build has in it. */
export const platform: Platform = /* @__PURE__ */ platformOf(() => {
  const whole = sourceOf(modules.whole)
  return { base: base(whole, whole, sourceOf(modules.digest)), toolbox: toolbox(sourceOf(modules.toolbox)) }
})

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
