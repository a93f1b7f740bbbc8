// One instance of a module: its memory, the calls into it, and its end.

import { errorFrom, SealstoneError } from '../../basics/error.js'
import { turn } from '../../basics/turn.js'
import { AT_ONCE_LEN, random } from '../randomness.js'
import { engine, refused } from './compiled.js'
import * as host from './intrinsics.js'
import { exportName, type Signatures } from './signatures.js'

/** The exports of each module that are in no list. */
interface Exports {
  readonly memory: WebAssembly.Memory
  readonly __stack_pointer: WebAssembly.Global
  begin(): number
  signatures(): number
  lend(length: number): number
  done(): void
}

/** A call that was looked up: the kinds of its arguments, and of its answer. */
export interface Call {
  readonly name: string
  readonly takes: string
  readonly answers: string
  /** Which arguments are the output, and the input that begins it. */
  readonly outputAt: number
  readonly movedAt: number
  /** Which argument's number ends with the call. */
  readonly endsAt: number
  /** Whether it takes or gives an object: after another call the instance may have none. */
  readonly hasObject: boolean
  /** Bytes of the stack that it uses at the most. */
  readonly stackLen: number
}

// The marks of the block for bytes, after their length.
const IN_ARENA = 0
const LENT = 1
const ABSENT = -1

/** Numbers in the block; the last two say where a panic's words are. */
const SLOTS = 32
/** An instance that has more memory than this, and no object, is dropped: its memory would never become less. */
const MEMORY_MAX = 32 << 20
/** So much memory is zeroed at once when an instance is erased: some milliseconds. */
const ERASED_LEN = 1 << 24
/** No memory of a module is longer. */
const LENGTH_MAX = 2 ** 31

/** Instances of all modules are counted: a number has that of its instance before its lower 32 bits. */
let instances = 0
const GENERATION = 2 ** 32
/** So many that all numbers are whole: then they begin anew. */
const INSTANCES_MAX = 2 ** 21

export class Instance {
  readonly #exports: Exports & Record<string, () => number>
  /** The number that is added to the module's numbers of objects. */
  readonly #base: number
  readonly #block: number
  readonly #arena: number
  readonly #arenaLength: number
  readonly #stackLength: number
  #heap: Uint8Array<ArrayBuffer>
  #slots: Float64Array<ArrayBuffer>
  /** Where the next argument goes in the arena. */
  #next = 0
  #hasLent = false
  #isBusy = false
  #isOver = false

  constructor(module: WebAssembly.Module) {
    const random = (at: number, length: number): number => this.#random(at, length)
    const { Instance } = engine()
    try {
      this.#exports = new Instance(module, { host: { random } }).exports as never
    } catch (error) {
      throw refused(error)
    }
    this.#base = instances * GENERATION
    instances = (instances + 1) % INSTANCES_MAX
    this.#stackLength = this.#exports.__stack_pointer.value
    this.#block = this.#exports.begin()
    this.#heap = new host.Bytes(0)
    this.#slots = new host.Numbers(0)
    this.#refresh()
    this.#arena = this.#number(0)
    this.#arenaLength = this.#number(1)
  }

  /** Whether it has ended, by a trap or because it is erased. */
  get isOver(): boolean {
    return this.#isOver
  }

  /** Whether a number stands for an object of this instance. */
  has(handle: number): boolean {
    return handle >= this.#base && handle < this.#base + GENERATION
  }

  /** Whether its memory is worth to be given back. */
  isLarge(): boolean {
    return host.arrayLength(this.#heap) > MEMORY_MAX
  }

  /** The exports that the module lists, a line each. */
  signatures(): string {
    this.#exports.signatures()
    this.#refresh()
    const text = this.#text(0)
    this.#exports.done()
    return text
  }

  /** Ends it, and zeroes all of its memory in turns of the event loop: a gibibyte takes a fifth of a second. */
  async erase(): Promise<void> {
    this.#isOver = true
    this.#refresh()
    for (let at = 0; at < host.arrayLength(this.#heap); at += ERASED_LEN) {
      host.fill(this.#heap, 0, at, at + ERASED_LEN)
      await turn()
    }
  }

  call(call: Call, args: readonly unknown[]): unknown {
    const { name, takes, answers, stackLen } = call
    // No code of others runs while a call does; a second call would find the first one's arguments.
    if (this.#isBusy) throw new SealstoneError('internal', 'a bug in Sealstone: a call within a call')
    this.#isBusy = true
    this.#next = this.#arena
    this.#hasLent = false
    let keeps = answers !== 'v' && answers !== 'h' && answers !== 'n' && answers !== 'l'
    try {
      const output = this.#write(takes, args)
      const export_ = this.#exports[name] as () => number
      let failed: boolean
      try {
        failed = export_() !== 0
      } catch (error) {
        throw this.#end(error)
      }
      this.#refresh()
      if (output >= 0) this.#deliver(call, args, output, failed)
      if (failed) {
        keeps = true
        throw errorFrom(this.#text(0), this.#text(2))
      }
      return this.#answer(answers)
    } finally {
      if (!this.#isOver) {
        if (keeps || this.#hasLent) this.#exports.done()
        this.#refresh()
        host.fill(this.#heap, 0, this.#arena, this.#next)
        // Between calls the whole stack is free, and has what the last one left.
        host.fill(this.#heap, 0, Math.max(this.#stackLength - stackLen, 0), this.#stackLength)
      }
      this.#isBusy = false
    }
  }

  /** After a trap nothing of the instance can be trusted: it is zeroed and never called again. */
  #end(error: unknown): SealstoneError {
    this.#isOver = true
    this.#refresh()
    let message = 'a bug in Sealstone: WebAssembly has trapped'
    if (this.#number(SLOTS - 1) > 0) message = this.#text(SLOTS - 2)
    host.fill(this.#heap, 0)
    return new SealstoneError('internal', message, { cause: error })
  }

  /** Writes the arguments; returns the slot of the output, or -1. */
  #write(takes: string, args: readonly unknown[]): number {
    let slot = 0
    let output = -1
    let moved = undefined as Uint8Array | undefined
    for (let i = 0; i < takes.length; i++) {
      const arg = args[i]
      switch (takes[i]) {
        case 'h':
        case 'x':
          this.#slots[slot++] = this.#own(arg as number)
          break
        case 'n':
        case 'l':
          this.#slots[slot++] = Number(arg)
          break
        case 'm':
        case 'q':
        case 'p':
          this.#slots[slot++] = arg === undefined ? ABSENT : Number(arg)
          break
        case 'H':
          slot = this.#bytes(slot, this.#list(arg as readonly number[]))
          break
        case 'a':
          slot = this.#bytes(slot, host.bytesOfNumbers(arg as Uint32Array))
          break
        case 't':
        case 'u':
          slot = this.#bytes(slot, arg === undefined ? undefined : host.encode(arg as string))
          break
        case 's':
          slot = this.#bytes(slot, typeof arg === 'string' ? host.encode(arg) : (arg as Uint8Array))
          break
        case 'i':
          moved = arg as Uint8Array
          this.#slots[slot++] = host.arrayLength(moved)
          break
        case 'o': {
          output = slot
          const length = host.arrayLength(arg as Uint8Array)
          slot = this.#place(slot, Math.max(length, moved === undefined ? 0 : host.arrayLength(moved)))
          if (moved !== undefined) host.copyInto(this.#heap, moved, this.#placed)
          this.#outputAt = this.#placed
          this.#slots[slot++] = length
          break
        }
        default:
          slot = this.#bytes(slot, arg as Uint8Array | undefined)
      }
    }
    return output
  }

  #bytes(slot: number, bytes: Uint8Array | undefined): number {
    if (bytes === undefined) {
      this.#slots[slot + 1] = ABSENT
      return slot + 2
    }
    const after = this.#place(slot, host.arrayLength(bytes))
    host.copyInto(this.#heap, bytes, this.#placed)
    return after
  }

  /** Where the last argument was placed, and the output. */
  #placed = 0
  #outputAt = 0

  /** Finds a place for bytes: in the arena, or in memory that is lent for the call. */
  #place(slot: number, length: number): number {
    if (length <= this.#arena + this.#arenaLength - this.#next) {
      this.#placed = this.#next
      this.#next += length
      this.#slots[slot] = length
      this.#slots[slot + 1] = IN_ARENA
      return slot + 2
    }
    this.#hasLent = true
    // Longer than its address space is, and to the engine a number of another meaning.
    const at = length < LENGTH_MAX ? this.#exports.lend(length) : 0
    this.#refresh()
    if (at === 0) throw new SealstoneError('too_long', 'the data is longer than the memory of WebAssembly')
    this.#placed = at
    this.#slots[slot] = length
    this.#slots[slot + 1] = LENT
    return slot + 2
  }

  /** Gives the caller what the call wrote. A failed one leaves zeros, unless its input lay there. */
  #deliver(call: Call, args: readonly unknown[], slot: number, failed: boolean): void {
    const out = args[call.outputAt] as Uint8Array
    const input = call.movedAt < 0 ? undefined : (args[call.movedAt] as Uint8Array)
    const kept = failed ? host.arrayLength(out) : this.#number(slot + 2)
    if (failed && (input === undefined || !overlap(input, out))) host.fill(out, 0)
    else host.copyInto(out, this.#view(this.#outputAt, kept))
  }

  #answer(answers: string): unknown {
    switch (answers) {
      case 'v':
        return undefined
      case 'h':
        return this.#base + this.#number(0)
      case 'H':
        return this.#handles(0)
      case 'n':
        return this.#number(0)
      case 'l':
        return this.#number(0) !== 0
      case 'b':
        return this.#result(0)
      case 't':
        return this.#text(0)
      case 'u':
        return this.#number(0) === 0 ? null : this.#text(1)
      case 'e':
        return this.#number(0) === 0 ? this.#result(1) : this.#text(1)
      case 'r': {
        const kind = this.#number(0)
        return { keys: kind === 0 ? this.#handles(1) : null, opened: kind === 2 ? this.#result(1) : undefined }
      }
      case 'w': {
        const handle = this.#base + this.#number(0)
        const length = this.#number(1)
        return length === ABSENT ? [handle] : [handle, length]
      }
      case 'j':
        return host.parseJson(this.#text(0))
      case 'Q':
        return this.#number(0) === 0 ? null : this.#part(1)
      default:
        return this.#part(0)
    }
  }

  #part(slot: number): unknown {
    const bytes = this.#result(slot)
    if (this.#number(slot + 2) === 0) return { bytes }
    return { bytes, failure: { code: this.#text(slot + 3), message: this.#text(slot + 5) } }
  }

  #handles(slot: number): number[] {
    const bytes = this.#result(slot)
    const handles = new Array<number>(host.arrayLength(bytes) / 4)
    for (let i = 0; i < handles.length; i++) handles[i] = this.#base + host.readNumber(bytes, 4 * i)
    return handles
  }

  /** Numbers of objects as bytes. */
  #list(handles: readonly number[]): Uint8Array {
    const bytes = new host.Bytes(4 * handles.length)
    for (let i = 0; i < handles.length; i++) host.writeNumber(bytes, 4 * i, this.#own(handles[i] as number))
    return bytes
  }

  /** A number as the module has it. */
  #own(handle: number): number {
    if (this.has(handle)) return handle - this.#base
    throw new SealstoneError('internal', 'the WebAssembly instance of this object has ended, after a bug in Sealstone')
  }

  #number(slot: number): number {
    return this.#slots[slot] as number
  }

  #view(at: number, length: number): Uint8Array<ArrayBuffer> {
    return new host.Bytes(host.memoryBuffer(this.#exports.memory), at, length)
  }

  /** Bytes of the answer, in memory of their own. */
  #result(slot: number): Uint8Array<ArrayBuffer> {
    const length = this.#number(slot + 1)
    const result = new host.Bytes(length)
    host.copyInto(result, this.#view(this.#number(slot), length))
    return result
  }

  #text(slot: number): string {
    return host.decode(this.#view(this.#number(slot), this.#number(slot + 1)))
  }

  /** Memory that has grown is another buffer, and arrays over the one before are empty. */
  #refresh(): void {
    if (host.arrayLength(this.#heap) > 0) return
    const memory = host.memoryBuffer(this.#exports.memory)
    this.#heap = new host.Bytes(memory)
    this.#slots = new host.Numbers(memory, this.#block, SLOTS)
  }

  #random(at: number, length: number): number {
    for (let done = 0; done < length; done += AT_ONCE_LEN) {
      const part = Math.min(length - done, AT_ONCE_LEN)
      if (!random(this.#view(at + done, part), part)) return 1
    }
    return 0
  }
}

/** Memory for a result. */
export function memoryOf(length: number): Uint8Array<ArrayBuffer> {
  try {
    return new host.Bytes(length)
  } catch (cause) {
    throw new SealstoneError('too_long', 'the data is longer than an array can be', { cause })
  }
}

/** Whether two arrays have bytes in common. */
export function overlap(a: Uint8Array, b: Uint8Array): boolean {
  if (host.arrayBuffer(a) !== host.arrayBuffer(b)) return false
  const from = host.arrayOffset(a)
  const to = host.arrayOffset(b)
  return from < to + host.arrayLength(b) && to < from + host.arrayLength(a)
}

/** A call, by its name and signature in the table, which says how much of the stack is zeroed, unless another length is. */
export function callOf(name: string, signature: string, stackOf?: number): Call {
  const [takes = '', gives = ''] = signature.split('>')
  const answers = gives.slice(0, 1)
  const stack = gives.slice(1)
  const outputAt = takes.indexOf('o')
  const movedAt = takes.indexOf('i')
  const endsAt = takes.indexOf('x')
  const hasObject = /[hx]/i.test(signature)
  const stackLen = stackOf ?? (stack === '' ? Number.POSITIVE_INFINITY : Number(stack) * 1024)
  return { name: exportName(name), takes, answers, outputAt, movedAt, endsAt, hasObject, stackLen }
}

/** Whether a module has all of these; one of another version has exports that take other arguments. */
export function hasSignatures(module: string, signatures: Signatures): boolean {
  const rows = new Set(module.split('\n'))
  return Object.entries(signatures).every(([name, signature]) => {
    const { takes, answers } = callOf(name, signature)
    return rows.has(`${exportName(name)} ${takes}>${answers}`)
  })
}
