import { ArgumentError, SealstoneError } from './error.js'

/**
 * Bytes that go in: binary data in any of its forms, or text, which stands for its UTF-8.
 *
 * They are never changed nor detached. Memory that is shared (`SharedArrayBuffer`), resizable or already transferred is refused
 * with a `TypeError`; a nonce or an IV may be copied from what is shared or resizable.
 */
export type BytesLike = BinaryLike | string

/** Bytes that are no text, as ciphertexts and tags are: likewise. */
export type BinaryLike = Uint8Array | ArrayBuffer | DataView

/** Bytes that come out. */
export type Bytes = Uint8Array<ArrayBuffer>

/** Memory for a result. */
export function memoryOf(length: number): Bytes {
  try {
    return new Uint8Array(length)
  } catch (cause) {
    throw new SealstoneError('too_long', 'the result is longer than an array can be', { cause })
  }
}

/**
 * The bytes of an argument, without a copy unless it is text: an array of ours over the caller's memory.
 *
 * An object's own properties and its prototype may say anything of it, so the engine's accessors alone are asked, and what is
 * returned is an array of this realm that has no properties but the engine's.
 */
export function bytesOf(data: unknown, what: string): Bytes {
  if (isUint8Array(data)) return viewOf(data, what)
  if (typeof data === 'string') return utf8(data, what)
  if (isView(data) && arrayKind(data) === undefined) {
    const buffer = checked(dataViewBuffer(data), what)
    return new Uint8Array(buffer, dataViewOffset(data), dataViewLength(data))
  }
  if (lengthOf(data) !== undefined) return new Uint8Array(checked(data, what))
  throw new ArgumentError(`${what} must be a Uint8Array, an ArrayBuffer, a DataView or a string`)
}

/** Refuses text, which would be taken for its UTF-8, and not for the bytes that its digits stand for. */
export function checkBinary(data: unknown, what: string, taker = 'decode of sealstone/encoding'): void {
  if (typeof data === 'string') throw new ArgumentError(`${what} is text, and must be bytes: ${taker} takes text`)
}

/** As {@link bytesOf}, of what is no text. */
export function binaryOf(data: unknown, what: string, taker?: string): Bytes {
  checkBinary(data, what, taker)
  return bytesOf(data, what)
}

/** Whether an argument can have bytes: text, or binary data, also such as is refused. */
export function isBytesLike(data: unknown): data is BytesLike {
  if (isView(data)) return isUint8Array(data) || arrayKind(data) === undefined
  return typeof data === 'string' || lengthOf(data) !== undefined
}

/** The bytes of an argument as they are now, for work that goes on. Not by `slice`, which of a Buffer is the caller's memory. */
export function copyOf(data: unknown, what: string): Bytes {
  return new Uint8Array(bytesOf(data, what))
}

/** Parts of an argument that is read in several turns: its memory may be transferred away in one of them. */
export function partsOf(data: Bytes, what: string): (at: number, length: number) => Bytes {
  const { buffer, byteOffset } = data
  return (at, length) => new Uint8Array(checked(buffer, what), byteOffset + at, length)
}

declare const lent: unique symbol

/** The bytes of an argument for what computes, which asks the engine about them: what their own properties say nobody knows. */
export interface Borrowed {
  readonly [lent]: true
}

/** As {@link bytesOf}, where an array that is made for the call would cost a tenth of it. */
export function borrowed(data: unknown, what: string): Borrowed {
  if (!isUint8Array(data)) return bytesOf(data, what) as unknown as Borrowed
  checked(arrayBuffer(data), what)
  return data as unknown as Borrowed
}

/** V8 has arrays of up to so many bytes in its own heap, where they cost a sixth of a longer one. */
export const SMALL_LEN = 64

let small: ArrayBuffer | undefined
/** Its beginnings, by their lengths. */
const beginnings: Bytes[] = []

/**
 * As {@link borrowed}, of a nonce or an IV: the copy is there until the next call. An array that was made for the call moves out of V8's heap when
 * its address is asked for, and that takes longer than AES of a short text.
 */
export function borrowedNonce(data: unknown, what: string): Borrowed {
  const length = isUint8Array(data) ? arrayLength(data) : 0
  if (length === 0 || length > SMALL_LEN) return borrowed(data, what)
  small ??= new ArrayBuffer(SMALL_LEN)
  beginnings[length] ??= new Uint8Array(small, 0, length)
  const copy = beginnings[length]
  set(copy, data as Uint8Array)
  return copy as unknown as Borrowed
}

/** As {@link borrowed}, of what is no text. */
export function borrowedBinary(data: unknown, what: string, taker?: string): Borrowed {
  checkBinary(data, what, taker)
  return borrowed(data, what)
}

/** As {@link borrowed}, with text as it is: what computes reads its UTF-8. */
export function borrowedOrText(data: unknown, what: string): Borrowed | string {
  return typeof data === 'string' ? wellFormed(data, what) : borrowed(data, what)
}

export function borrowedLength(data: Borrowed): number {
  return arrayLength(data)
}

/** Whether it is a `Uint8Array`, also one of another realm, such as a test runner's; no proxy of one, which has no bytes. */
export function isUint8Array(data: unknown): data is Uint8Array {
  return arrayKind(data) === 'Uint8Array'
}

/** The UTF-8 of text that is well-formed. */
export function utf8(text: string, what: string): Bytes {
  return encode(wellFormed(text, what))
}

/** Text that has UTF-8. */
function wellFormed(text: string, what: string): string {
  if (isWellFormed(text)) return text
  throw new ArgumentError(`${what} has a lone surrogate, which UTF-8 cannot encode`)
}

/** The first bytes of memory that a caller gives to be written to. */
export function outputOf(out: unknown, len: number): Bytes {
  if (!isUint8Array(out)) throw new ArgumentError('the output must be a Uint8Array')
  const memory = viewOf(out, 'the output')
  if (memory.length < len) throw new RangeError(`the output needs ${len} bytes and has ${memory.length}`)
  return memory.length === len ? memory : memory.subarray(0, len)
}

/** Whether two arrays of ours have bytes in common. */
export function overlap(a: Bytes, b: Bytes): boolean {
  if (a.buffer !== b.buffer) return false
  return a.byteOffset < b.byteOffset + b.byteLength && b.byteOffset < a.byteOffset + a.byteLength
}

function viewOf(array: Uint8Array, what: string): Bytes {
  return new Uint8Array(checked(arrayBuffer(array), what), arrayOffset(array), arrayLength(array))
}

/** The memory of an argument, which no other thread of JavaScript's has and nobody can make shorter while it is used. */
function checked(buffer: unknown, what: string): ArrayBuffer {
  const length = lengthOf(buffer)
  if (length === undefined) throw new ArgumentError(`${what} is in memory that threads share`)
  if (bufferIsResizable(buffer) === true) {
    throw new ArgumentError(`${what} is in memory whose length can change`)
  }
  if (length === 0 && isDetached(buffer as ArrayBuffer)) {
    throw new ArgumentError(`${what} was transferred and is detached`)
  }
  return buffer as ArrayBuffer
}

/** Bytes of an `ArrayBuffer`, also of one of another realm; none of anything else, a `SharedArrayBuffer` too. */
function lengthOf(data: unknown): number | undefined {
  try {
    return bufferLength(data)
  } catch {
    return undefined
  }
}

/** A detached buffer is one that no array can be made over. */
function isDetached(buffer: ArrayBuffer): boolean {
  try {
    new Uint8Array(buffer)
    return false
  } catch {
    return true
  }
}

/** An object with a prototype. It is handed over as it is: a bundler keeps the look into it, and so code that has no use. */
interface Class {
  readonly prototype: object
}

/**
 * An accessor of the engine's, that looks into the object and not at its properties. It is bound: of `get.call(data)` another script
 * could see the data, by a `Function.prototype.call` of its own. An engine that lacks it has no such objects.
 */
function accessor<T>({ prototype }: Class, name: string | symbol): (data: unknown) => T {
  return ofObject(Object.getOwnPropertyDescriptor(prototype, name)?.get ?? (() => undefined)) as (data: unknown) => T
}

/** A method as a function of its object. */
function ofObject(method: unknown): unknown {
  return Function.prototype.call.bind(method as () => unknown)
}

const typedArray = /* @__PURE__ */ Object.getPrototypeOf(Uint8Array) as Class
const arrayKind = /* @__PURE__ */ accessor<string | undefined>(typedArray, Symbol.toStringTag)
const arrayBuffer = /* @__PURE__ */ accessor<unknown>(typedArray, 'buffer')
const arrayOffset = /* @__PURE__ */ accessor<number>(typedArray, 'byteOffset')
const arrayLength = /* @__PURE__ */ accessor<number>(typedArray, 'length')
const dataViewBuffer = /* @__PURE__ */ accessor<ArrayBuffer>(DataView, 'buffer')
const dataViewOffset = /* @__PURE__ */ accessor<number>(DataView, 'byteOffset')
const dataViewLength = /* @__PURE__ */ accessor<number>(DataView, 'byteLength')
const bufferLength = /* @__PURE__ */ accessor<number>(ArrayBuffer, 'byteLength')
/** Not in every browser that `sealstone/fise` works in. */
const bufferIsResizable = /* @__PURE__ */ accessor<boolean | undefined>(ArrayBuffer, 'resizable')
const isView = /* @__PURE__ */ (() => ArrayBuffer.isView)()

const set = /* @__PURE__ */ (() => ofObject(Uint8Array.prototype.set))() as (
  bytes: Uint8Array,
  from: Uint8Array,
) => void
const fill = /* @__PURE__ */ (() => ofObject(Uint8Array.prototype.fill))() as (bytes: Uint8Array, value: number) => void
const encode = /* @__PURE__ */ (() => TextEncoder.prototype.encode.bind(new TextEncoder()))() as (text: string) => Bytes

/** Whether text has no lone surrogate. An engine of before 2023 has no function for it, and what it has for patterns can be replaced. */
export const isWellFormed: (text: string) => boolean = /* @__PURE__ */ (() => {
  const { isWellFormed: asked } = String.prototype as { isWellFormed?(): boolean }
  return asked ? (ofObject(asked) as (text: string) => boolean) : (text: string) => !/\p{Surrogate}/u.test(text)
})()

/** Zeroes bytes, whatever stands in place of the engine's functions by now. */
export function zero(bytes: Uint8Array): void {
  fill(bytes, 0)
}

/** Parts one behind the other, in memory that a function gives for their length. */
export function joined(
  parts: readonly Uint8Array[],
  memory: (length: number) => Bytes = (length) => new Uint8Array(length),
): Bytes {
  const bytes = memory(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    bytes.set(part, at)
    at += part.length
  }
  return bytes
}

/** Whether bytes are the same. This takes less time the earlier they differ, so it is not for secrets. */
export function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i])
}
