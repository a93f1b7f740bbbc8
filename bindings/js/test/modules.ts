// The modules of WebAssembly as `make wasm` built them, and a whole backend of them for the tests of the package.

import { readFileSync } from 'node:fs'
import type { Backend, Handle, Later } from '../src/backend.js'
import { failureOf } from '../src/error.js'
import { type Base, base, type Source, type Toolbox, toolbox } from '../src/wasm/index.js'

export function moduleOf(name: 'base' | 'toolbox'): Uint8Array<ArrayBuffer> {
  return new Uint8Array(readFileSync(new URL(`../../wasm/modules/${name}.wasm`, import.meta.url)))
}

/** What was compiled of a module, once. */
export const [BASE, TOOLBOX] = [compiled('base'), compiled('toolbox')]

function compiled(name: 'base' | 'toolbox'): () => Source {
  let module: WebAssembly.Module | undefined
  return () => {
    module ??= new WebAssembly.Module(moduleOf(name))
    return module
  }
}

/** Bytes that came in parts. */
type Parts = Uint8Array[]

/** The backend over both modules. What the addon does on its threads is done at once, and settles a promise. Files by name it has none. */
export function wasmBackend(): Backend {
  const [computes, tools]: [Base, Toolbox] = [base(BASE), toolbox(TOOLBOX)]
  const loaded = new Map<Handle, Parts>()
  let last = -1
  const take = (handle: Handle): Uint8Array => {
    const parts = loaded.get(handle) ?? []
    loaded.delete(handle)
    return new Uint8Array(Buffer.concat(parts))
  }
  const load = (handle: Handle, part: Uint8Array): void => {
    loaded.set(handle, [...(loaded.get(handle) ?? []), part.slice()])
  }
  const later = <T>(work: () => T): Later<T> => {
    try {
      return Promise.resolve(work())
    } catch (error) {
      const { code, message } = failureOf(error)
      return Promise.resolve({ code: String(code), message: String(message) })
    }
  }
  return {
    ...tools,
    ...computes,
    release(handle: Handle) {
      loaded.delete(handle)
      computes.release(handle)
      tools.release(handle)
    },
    own(handle: Handle, owner: object) {
      computes.own(handle, owner)
      tools.own(handle, owner)
    },
    again: (handle: Handle) => (handle < 0 ? handle : computes.again(handle)),
    checkBackend: () => undefined,
    job: () => last--,
    jobCancel: () => undefined,
    jobProgress: () => [0, -1],
    loading: () => last--,
    loadingUpdate: load,
    identitiesParseLater: (file: Uint8Array, passphrase: Uint8Array | undefined) =>
      later(() => computes.identitiesParse(file, passphrase)),
    sealerLater: (encryptor: Handle) => later(() => computes.sealer(encryptor)),
    sealerUnit: (sealer: Handle) => settledUnit(computes.sealerUnit(sealer)),
    sealerLoad: load,
    sealLoaded: (sealer: Handle) =>
      later(() => {
        const plaintext = take(sealer)
        const file = new Uint8Array(computes.sealerFileLen(sealer, plaintext.length))
        computes.sealInto(sealer, plaintext, file, undefined)
        return file
      }),
    openerLater: (decryptor: Handle, head: Uint8Array) => later(() => computes.opener(decryptor, head)),
    openerUnit: (opener: Handle) => settledUnit(computes.openerUnit(opener)),
    decryptLoaded: (decryptor: Handle, loading: Handle) =>
      later(() => computes.decryptArmoured(decryptor, take(loading))),
    encryptArmouredLoaded: (encryptor: Handle, loading: Handle) =>
      later(() => computes.encryptArmoured(encryptor, take(loading))),
    decryptRangeLoaded: (decryptor: Handle, loading: Handle, start: number, end: number) =>
      later(() => computes.decryptRange(decryptor, take(loading), start, end)),
    rewrapLoaded: (rewrapper: Handle, loading: Handle) => later(() => computes.rewrap(rewrapper, take(loading))),
    messageSealLoaded: (recipient: Handle, loading: Handle, aad: Uint8Array, armour: boolean) =>
      later(() =>
        armour
          ? computes.messageSealArmoured(recipient, take(loading), aad)
          : computes.messageSeal(recipient, take(loading), aad),
      ),
    messageOpenLoaded: (identity: Handle, loading: Handle, aad: Uint8Array) =>
      later(() => computes.messageOpen(identity, take(loading), aad)),
    yuantsHmacLoaded: (hash: string, key: Uint8Array, loading: Handle) =>
      later(() => tools.yuantsHmac(hash, key, take(loading))),
  } as unknown as Backend
}

function settledUnit<T>(unit: T | null): Promise<T> | null {
  return unit === null ? null : Promise.resolve(unit)
}
