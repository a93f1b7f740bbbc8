import type { Backend, Family } from '../backend/wasm/index.js'
import type { ModuleKind } from '../backend/wasm/kinds.js'
import type { Source } from '../backend/wasm/module.js'
import { SealstoneError } from '../basics/error.js'
import { moduleSource } from './source.js'

const given: { [kind in ModuleKind]?: Source } = {}
const families: Family[] = []
let running: Backend | undefined

/** Gives the platform a module, and the families of its calls, unless it has it already. */
export function give(
  name: ModuleKind | 'whole',
  module: string | WebAssembly.Module,
  ofModule: readonly Family[] = [],
): void {
  const first = name === 'whole' ? 'base' : name
  if (given[first] !== undefined) return
  given[first] = moduleSource(module)
  if (name === 'whole') given.forms ??= given[first]
  families.push(...ofModule)
  running?.add(...ofModule)
}

/** Adds the families that were given to a backend, and those that will be. */
export function addGiven(backend: Backend): void {
  running = backend.add(...families)
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
