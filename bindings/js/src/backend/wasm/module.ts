// A module, and the instance of it that is in use. A family of calls is a class over a module: it has a method for each row of the
// module's table, and writes anew those that are more than the row.

import type { BaseCalls, BaseWasmCalls, Handle } from '../calls.js'
import type { WorkedWith } from '../index.js'
import { unavailable } from './compiled.js'
import { type Call, callOf, hasSignatures, Instance } from './instance.js'
import * as host from './intrinsics.js'
import { OBJECTS, type Signatures } from './signatures.js'

/** Gives a module, when it is first needed. */
export type Source = () => WebAssembly.Module

/** A class over a module, with the calls of its table. */
type Family<Calls> = new (source: Source) => Module & Calls

/** The module of keys, files and messages, as those see it who do a part of its work. */
export type BaseModule = Module & BaseCalls & BaseWasmCalls

/** The class with a method for each row of a table. */
export function familyOf<Calls>(signatures: Signatures): Family<Calls> {
  class Rows extends Module {
    constructor(source: Source) {
      super(source, signatures)
    }
  }
  for (const [name, signature] of Object.entries(signatures)) {
    if (Object.hasOwn(OBJECTS, name)) continue
    const call = callOf(name, signature)
    const value = function (this: Module, ...args: unknown[]): unknown {
      // No spread: an iterator of others would see the arguments, and could exchange them.
      return this.run(call, args)
    }
    Object.defineProperty(Rows.prototype, name, { value, writable: true, configurable: true })
  }
  return Rows as Family<Calls>
}

export class Module {
  readonly #source: Source
  readonly #signatures: Signatures
  #module: WebAssembly.Module | undefined
  #instance: Instance | undefined

  constructor(source: Source, signatures: Signatures) {
    this.#source = source
    this.#signatures = signatures
  }

  /** Whether a number stands for an object of this module, or did. */
  holds(handle: Handle): boolean {
    return this.#instance?.has(handle) === true
  }

  /** How many objects there are. */
  heldCount(): number {
    const instance = this.#instance
    return instance === undefined || instance.isOver ? 0 : (instance.call(HELD_COUNT, []) as number)
  }

  /** Another number for an object. */
  again(handle: Handle): Handle {
    return this.#use().call(AGAIN, [handle]) as Handle
  }

  /** Is told of each number that ends. */
  onEnd: ((handle: Handle) => void) | undefined

  /** Releases an object, if it is of this module. An object whose instance has ended went with it. */
  release(handle: Handle): void {
    this.#end(handle)
    const instance = this.#instance
    if (instance === undefined || instance.isOver || !instance.has(handle)) return
    this.#leave(() => instance.call(RELEASE, [handle]))
  }

  /** Whether a host promises what is done with an object, however short. */
  isPromised(_object: WorkedWith): boolean {
    return false
  }

  /** Forgets what a family has of a number that ends. */
  forget(_handle: Handle): void {}

  /** Runs a call of the table. */
  run(call: Call, args: readonly unknown[]): unknown {
    const { endsAt } = call
    if (call.hasObject && endsAt < 0) return this.#use().call(call, args)
    const work = (): unknown => this.#leave(() => this.#use().call(call, args))
    if (endsAt < 0) return work()
    const handle = args[endsAt] as Handle
    let result: unknown
    try {
      result = work()
    } catch (error) {
      // It may have failed before the module was called, which then has the object yet.
      this.release(handle)
      throw error
    }
    this.#end(handle)
    return result
  }

  #end(handle: Handle): void {
    this.onEnd?.(handle)
    this.forget(handle)
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

  /** Drops an instance that is large and has no object after the work. */
  #leave<T>(work: () => T): T {
    try {
      return work()
    } finally {
      if (this.#instance?.isOver === false && this.#instance.isLarge() && this.heldCount() === 0) {
        this.#instance = undefined
      }
    }
  }
}

const AGAIN = callOf('again', OBJECTS.again)
const RELEASE = callOf('release', OBJECTS.release)
const HELD_COUNT = callOf('heldCount', OBJECTS.heldCount)

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
