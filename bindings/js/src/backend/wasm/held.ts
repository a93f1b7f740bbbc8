// A module, and the instance of it that is in use.

import type { Handle, SyncCalls, WasmCalls } from '../calls.js'
import { unavailable } from './compiled.js'
import { callOf, hasSignatures, Instance } from './instance.js'
import * as host from './intrinsics.js'
import { OBJECTS, type Signatures } from './signatures.js'

/** Gives a module, when it is first needed. */
export type Source = () => WebAssembly.Module

/** Calls that WebAssembly has beside those of the addon, or otherwise. */
interface Own extends WasmCalls {
  /** How many objects there are. */
  heldCount(): number
}

/** The functions of a table of signatures. */
export type Of<Table> = {
  readonly [Name in Exclude<keyof Table & keyof SyncCalls, keyof Own>]: SyncCalls[Name]
} & { readonly [Name in keyof Table & keyof Own]: Own[Name] } & {
  /** Whether a number stands for an object of this module, or did. */
  holds(handle: Handle): boolean
}

/** Bytes that a digest takes at once: linear memory never becomes less. */
export const PIECE_LEN = 1 << 20

/** Hands over long bytes in pieces. */
export function inPieces(data: Uint8Array, take: (piece: Uint8Array) => void): void {
  const length = host.arrayLength(data)
  if (length <= PIECE_LEN) {
    take(data)
    return
  }
  for (let at = 0; at < length; at += PIECE_LEN) take(host.partOf(data, at, Math.min(PIECE_LEN, length - at)))
}

/** The functions of a table of signatures, over an instance that is made when one of them is first called. */
export class Held {
  readonly #source: Source
  readonly #signatures: Signatures
  #module: WebAssembly.Module | undefined
  #instance: Instance | undefined
  readonly #forgets: ((handle: Handle) => void) | undefined

  /** `forgets` is told when a number ends. */
  constructor(source: Source, signatures: Signatures, forgets?: (handle: Handle) => void) {
    this.#source = source
    this.#signatures = signatures
    this.#forgets = forgets
  }

  functions(): Record<string, (...args: never[]) => unknown> {
    const functions: Record<string, (...args: unknown[]) => unknown> = {}
    for (const [name, signature] of Object.entries(this.#signatures)) {
      const call = callOf(name, signature)
      // No spread: an iterator of others would see the arguments, and could exchange them.
      const work = (args: readonly unknown[]): unknown => this.#use().call(call, args)
      // After a call without an object the instance may have none.
      const mayBeEmpty = !/[hx]/i.test(signature)
      functions[name] = mayBeEmpty ? (...args) => this.#leaving(() => work(args)) : (...args) => work(args)
      const ends = call.takes.indexOf('x')
      if (ends >= 0) functions[name] = (...args) => this.#ending(args[ends] as Handle, () => work(args))
    }
    functions.release = (handle) => this.#release(handle as Handle)
    functions.holds = (handle) => this.#has(handle as Handle)
    return functions as never
  }

  #has(handle: Handle): boolean {
    return this.#instance?.has(handle) === true
  }

  #use(): Instance {
    if (this.#instance === undefined || this.#instance.isOver) this.#instance = this.#begin()
    return this.#instance
  }

  #begin(): Instance {
    const module = this.#module ?? this.#source()
    const instance = new Instance(module)
    if (this.#module === undefined && !hasSignatures(instance.signatures(), this.#signatures)) {
      throw unavailable('the WebAssembly module belongs to another version of sealstone')
    }
    this.#module = module
    return instance
  }

  /** An object whose instance has ended went with it. */
  #release(handle: Handle): void {
    this.#forgets?.(handle)
    const instance = this.#instance
    if (instance === undefined || instance.isOver || !instance.has(handle)) return
    this.#leaving(() => instance.call(RELEASE, [handle]))
  }

  /** Work that ends a number. */
  #ending<T>(handle: Handle, work: () => T): T {
    try {
      return this.#leaving(work)
    } finally {
      this.#forgets?.(handle)
    }
  }

  /** Drops an instance that is large and has no object after the work. */
  #leaving<T>(work: () => T): T {
    try {
      return work()
    } finally {
      const instance = this.#instance
      if (instance !== undefined && !instance.isOver && instance.isLarge() && instance.call(HELD_COUNT, []) === 0) {
        this.#instance = undefined
      }
    }
  }
}

const RELEASE = callOf('release', OBJECTS.release)
const HELD_COUNT = callOf('heldCount', OBJECTS.heldCount)
