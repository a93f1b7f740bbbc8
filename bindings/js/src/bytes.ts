import { ArgumentError } from './error.js'

/**
 * Bytes that go in: binary data in any of its forms, or text, which stands for its UTF-8.
 *
 * They are never changed nor detached. Memory that another thread may write to (`SharedArrayBuffer`), that may change its
 * length, or that was transferred is refused with a `TypeError`.
 */
export type BytesLike = Uint8Array | ArrayBuffer | DataView | string

/** Bytes that come out. */
export type Bytes = Uint8Array<ArrayBuffer>

const encoder = new TextEncoder()

/** The bytes of an argument, without a copy unless it is text. */
export function bytesOf(data: unknown, what: string): Bytes {
  // The test that is fast and enough for most comes first: small calls are to cost little.
  if (data instanceof Uint8Array && data.length > 0) {
    const { buffer } = data
    if (buffer instanceof ArrayBuffer && (buffer as Resizable).resizable !== true) return data as Bytes
  }
  if (typeof data === 'string') return utf8(data, what)
  if (isUint8Array(data)) {
    checked(data.buffer, what)
    return data as Bytes
  }
  if (ArrayBuffer.isView(data) && tagOf(data) === undefined) {
    return new Uint8Array(checked(data.buffer, what), data.byteOffset, data.byteLength)
  }
  if (isArrayBuffer(data)) return new Uint8Array(checked(data, what))
  throw new ArgumentError(`${what} must be a Uint8Array, an ArrayBuffer, a DataView or a string`)
}

/** Whether it is a `Uint8Array`, also one of another realm, such as a test runner's. */
export function isUint8Array(data: unknown): data is Uint8Array {
  return ArrayBuffer.isView(data) && tagOf(data) === 'Uint8Array'
}

/** The UTF-8 of text that is well-formed. */
export function utf8(text: string, what: string): Bytes {
  if (!isWellFormed(text)) throw new ArgumentError(`${what} has a lone surrogate, which no UTF-8 stands for`)
  return encoder.encode(text)
}

/** Memory that a caller gives to be written to. */
export function outputOf(out: unknown, len: number): Bytes {
  if (!isUint8Array(out)) throw new ArgumentError('the output must be a Uint8Array')
  checked(out.buffer, 'the output')
  if (out.length < len) throw new RangeError(`the output needs ${len} bytes and has ${out.length}`)
  return out as Bytes
}

/** Whether two arrays have bytes in common. */
export function overlap(a: Uint8Array, b: Uint8Array): boolean {
  if (a.buffer !== b.buffer) return false
  return a.byteOffset < b.byteOffset + b.byteLength && b.byteOffset < a.byteOffset + a.byteLength
}

interface Resizable {
  readonly resizable?: boolean
  readonly detached?: boolean
}

function checked(buffer: ArrayBufferLike, what: string): ArrayBuffer {
  if (!isArrayBuffer(buffer)) throw new ArgumentError(`${what} lies in memory that is shared between threads`)
  if ((buffer as Resizable).resizable === true)
    throw new ArgumentError(`${what} lies in memory that may change its length`)
  if (isDetached(buffer)) throw new ArgumentError(`${what} was transferred and is detached`)
  return buffer
}

/** The name of a typed array's kind, which a subclass cannot change; none of a `DataView`. */
function tagOf(view: ArrayBufferView): string | undefined {
  tag ??= Object.getOwnPropertyDescriptor(Object.getPrototypeOf(Uint8Array.prototype), Symbol.toStringTag)
  return tag?.get?.call(view) as string | undefined
}

let tag: PropertyDescriptor | undefined

function isArrayBuffer(data: unknown): data is ArrayBuffer {
  if (data instanceof ArrayBuffer) return true
  if (typeof data !== 'object' || data === null) return false
  try {
    // One of another realm has a length that this realm can read.
    Object.getOwnPropertyDescriptor(ArrayBuffer.prototype, 'byteLength')?.get?.call(data)
    return true
  } catch {
    return false
  }
}

function isDetached(buffer: ArrayBuffer): boolean {
  const { detached } = buffer as Resizable
  if (detached !== undefined) return detached
  if (buffer.byteLength > 0) return false
  // Node 20 does not say; a detached buffer is one that no array can be made over.
  try {
    new Uint8Array(buffer)
    return false
  } catch {
    return true
  }
}

interface WellFormed {
  isWellFormed?(): boolean
}

/** Whether text has no lone surrogate. */
export function isWellFormed(text: string): boolean {
  return (text as WellFormed).isWellFormed?.() ?? !/\p{Surrogate}/u.test(text)
}
