// Browsers as a platform, which have only WebAssembly. `slim.ts` is the one whose modules a page gives by `load.ts`.

import type { FileCalls } from '../backend/calls.js'
import type { Platform } from '../backend/index.js'
import { Backend } from '../backend/wasm/index.js'
import type { ModuleKind } from '../backend/wasm/kinds.js'
import type { Source } from '../backend/wasm/module.js'
import { SealstoneError } from '../basics/error.js'
import { begin, sourceOf } from './given.js'
import { webCrypto } from './web-crypto.js'
import { webRsa } from './web-rsa.js'
import { workshop } from './workshop.js'

/**
 * The platforms that have WebAssembly and no addon: browsers, and servers at the edge. `sourceOf` gives their modules, which come
 * with the calls of a build (`work/*-calls.ts`) or by `load`.
 */
export function platformOf(sourceOf: (kind: ModuleKind) => Source): Platform {
  return {
    load() {
      const backend = new Backend(sourceOf, { promised: webCrypto(), rsa: webRsa(), crew: () => workshop.crew })
      begin(backend)
      Object.assign(workshop, { backend, module: sourceOf('base') })
      return Object.assign(backend, { files: NO_FILES })
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
