import type { Backend, Family } from '../backend/wasm/index.js'
import * as host from '../backend/wasm/intrinsics.js'
import type { ModuleKind } from '../backend/wasm/kinds.js'
import type { Source } from '../backend/wasm/module.js'
import { SealstoneError } from '../basics/error.js'
import { moduleSource } from './source.js'

const given: { [kind in ModuleKind]?: Source } = {}
const families: Family[] = host.list()
let running: Backend | undefined

/** Gives the platform a module, unless it has it already. */
export function give(name: ModuleKind | 'whole', module: string | WebAssembly.Module): void {
  const first = name === 'whole' ? 'base' : name
  given[first] ??= moduleSource(module)
  if (name === 'whole') given.forms ??= given[first]
}

/** Adds families of calls to the backend, also to one that is made later. */
export function addFamilies(added: readonly Family[]): void {
  for (let i = 0; i < added.length; i++) families[families.length] = added[i] as Family
  running?.add(added)
}

/** Begins a backend with the families that were added. */
export function begin(backend: Backend): void {
  running = backend.add(families)
}

/** A module, which is given before the first call that needs it. */
export function sourceOf(kind: ModuleKind, missing: (kind: ModuleKind) => SealstoneError = bug): Source {
  return () => {
    const source = given[kind]
    if (source !== undefined) return source()
    throw missing(kind)
  }
}

function bug(): SealstoneError {
  return new SealstoneError('internal', 'a bug in Sealstone: a call of a module that this build does not have')
}
