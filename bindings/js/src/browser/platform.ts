import type { FileCalls } from '../backend/calls.js'
import type { Platform } from '../backend/index.js'
import { callsOf } from '../backend/wasm/calls.js'
import type { Source } from '../backend/wasm/held.js'
import { base, compat, type ModuleKind } from '../backend/wasm/index.js'
import { promised } from '../backend/wasm/promised.js'
import { SealstoneError } from '../basics/error.js'
import { sourceOf } from './given.js'
import { webCrypto } from './web-crypto.js'
import { webRsa } from './web-rsa.js'
import { workshop } from './workshop.js'

/** The platforms that have WebAssembly and no addon: browsers, and servers at the edge. `sourceOf` gives its modules. */
export function platformOf(sourceOf: (kind: ModuleKind) => Source): Platform {
  return {
    load() {
      const own = base(
        sourceOf('base'),
        sourceOf('forms'),
        sourceOf('digest'),
        sourceOf('cipher'),
        sourceOf('sign'),
        sourceOf('exchange'),
        sourceOf('age'),
        webRsa(),
      )
      Object.assign(workshop, { base: own, module: sourceOf('base') })
      const crypto = webCrypto()
      const calls = callsOf(own, compat(sourceOf('compat')), crypto && promised(own, crypto), () => workshop.crew)
      return Object.assign(calls, { files: NO_FILES })
    },
    systemErrorName: (errno) => String(errno),
    pathOfUrl: () => onlyInNode('files by name: encrypt a File, and save with sealstone/web'),
    placeOf: (path) => path,
    // V8 has 2^29 - 24 at the least; where it is less, the engine fails with an error of its own.
    maxStringLength: () => 2 ** 29 - 24,
    webCrypto: () => onlyInNode('WebCrypto outside of secure contexts (https)'),
    isKeyObject: (key): key is never => false,
    keyObject: () => onlyInNode('KeyObject'),
  }
}

/** The platform whose modules come with the calls of a build (`work/*-calls.ts`). */
export const platform: Platform = /* @__PURE__ */ platformOf((kind) => sourceOf(kind))

const noFile = async (): Promise<never> => onlyInNode('files by name: encrypt a File, and save with sealstone/web')

/** Whatever is called of them: a list of their names would be a part of every page. */
const NO_FILES: FileCalls = /* @__PURE__ */ new Proxy({} as FileCalls, { get: () => noFile })

function onlyInNode(what: string): never {
  throw new SealstoneError('unavailable_backend', `browsers have no ${what}`)
}
