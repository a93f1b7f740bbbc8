import * as modules from '#modules'
import type { FileCalls } from '../backend/calls.js'
import type { Platform } from '../backend/index.js'
import { callsOf } from '../backend/wasm/calls.js'
import type { Source } from '../backend/wasm/held.js'
import { base, compat } from '../backend/wasm/index.js'
import { promised } from '../backend/wasm/promised.js'
import { SealstoneError } from '../basics/error.js'
import { sourceOf } from './source.js'
import { webCrypto } from './web-crypto.js'
import { webRsa } from './web-rsa.js'
import { workshop } from './workshop.js'

/** The modules of WebAssembly that a platform has. */
interface Modules {
  readonly age: Source
  readonly base: Source
  readonly forms: Source
  readonly digest: Source
  readonly cipher: Source
  readonly compat: Source
  readonly exchange: Source
  readonly sign: Source
}

/** What has WebAssembly and no addon: browsers, and servers at the edge. */
export function platformOf(loaded: () => Modules): Platform {
  return {
    load() {
      const sources = loaded()
      const own = base(
        sources.base,
        sources.forms,
        sources.digest,
        sources.cipher,
        sources.sign,
        sources.exchange,
        sources.age,
        webRsa(),
      )
      Object.assign(workshop, { base: own, module: sources.base })
      const crypto = webCrypto()
      const calls = callsOf(own, compat(sources.compat), crypto && promised(own, crypto), () => workshop.crew)
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

/** The platform with the modules that a build has in it. */
export const platform: Platform = /* @__PURE__ */ platformOf(() => {
  const whole = sourceOf(modules.whole)
  return {
    age: sourceOf(modules.age),
    base: whole,
    forms: whole,
    digest: sourceOf(modules.digest),
    cipher: sourceOf(modules.cipher),
    compat: sourceOf(modules.compat),
    exchange: sourceOf(modules.exchange),
    sign: sourceOf(modules.sign),
  }
})

const noFile = async (): Promise<never> => onlyInNode('files by name: encrypt a File, and save with sealstone/web')

/** Whatever is called of them: a list of their names would be a part of every page. */
const NO_FILES: FileCalls = /* @__PURE__ */ new Proxy({} as FileCalls, { get: () => noFile })

function onlyInNode(what: string): never {
  throw new SealstoneError('unavailable_backend', `browsers have no ${what}`)
}
