// A module of WebAssembly, compiled of its bytes; and what is said where that cannot be.

import { failureOf, SealstoneError } from '../../basics/error.js'
import * as host from './intrinsics.js'

/** A module, which the first call compiles. */
export function compiled(bytes: () => Uint8Array<ArrayBuffer>): () => WebAssembly.Module {
  let module: WebAssembly.Module | undefined
  return () => {
    module ??= compile(bytes)
    return module
  }
}

function compile(bytes: () => Uint8Array<ArrayBuffer>): WebAssembly.Module {
  const { Module } = engine()
  try {
    return new Module(bytes())
  } catch (error) {
    throw refused(error)
  }
}

/** The engine's WebAssembly, if it has one. */
export function engine(): NonNullable<typeof host.webAssembly> {
  if (host.webAssembly !== undefined) return host.webAssembly
  throw unavailable('this JavaScript engine has no WebAssembly, like iOS in Lockdown Mode and React Native')
}

/** Why a module was not compiled or not instantiated. It looks at what the engine takes, since each has words of its own. */
export function refused(cause: unknown): unknown {
  if (cause instanceof SealstoneError) return cause
  const { Module, validate } = engine()
  try {
    new Module(EMPTY)
  } catch {
    const policy = "a page's Content-Security-Policy needs script-src 'wasm-unsafe-eval'"
    return unavailable(
      `WebAssembly may not be compiled here: ${policy}; servers at the edge need the package's own build`,
      cause,
    )
  }
  if (!validate(SIMD)) {
    return unavailable(
      'the WebAssembly of this engine has no SIMD: Chrome 91, Firefox 89 and Safari 16.4 have it',
      cause,
    )
  }
  return unavailable(`WebAssembly cannot be started: ${failureOf(cause).message}`, cause)
}

export function unavailable(text: string, cause?: unknown): SealstoneError {
  return new SealstoneError('unavailable_backend', text, cause === undefined ? undefined : { cause })
}

/** A module that has nothing. */
const EMPTY = /* @__PURE__ */ new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])
/** A module with a function that answers a `v128`. */
const SIMD = /* @__PURE__ */ new Uint8Array([
  ...[0, 97, 115, 109, 1, 0, 0, 0],
  // One type, without arguments; one function of it.
  ...[1, 5, 1, 96, 0, 1, 123],
  ...[3, 2, 1, 0],
  // i32.const 0, i8x16.splat, end.
  ...[10, 8, 1, 6, 0, 65, 0, 253, 15, 11],
])
