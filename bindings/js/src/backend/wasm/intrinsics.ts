// The language's functions as they were when this module was loaded. Code of others that comes later may put its own in their
// place, and what goes through here is secret.

export type Method<T, A extends unknown[], R> = (self: T, ...args: A) => R

/** A method as a function of its object. */
export function method<T, A extends unknown[], R>(of: (this: T, ...args: A) => R): Method<T, A, R> {
  return Function.prototype.call.bind(of) as Method<T, A, R>
}

const bind: Method<(...args: never[]) => unknown, [object], unknown> = method(Function.prototype.bind) as never

/** A method of an object as a function. */
export function boundMethod(object: object, name: string): unknown {
  return bind((object as Record<string, (...args: never[]) => unknown>)[name] as () => unknown, object)
}

function getter<T, R>(prototype: object | undefined, name: string): Method<T, [], R> {
  const get = prototype && Object.getOwnPropertyDescriptor(prototype, name)?.get
  return method((get ?? ABSENT) as (this: T) => R)
}

/** Stands where the engine has no such accessor: nobody gets as far as to call it. */
const ABSENT = (): undefined => undefined

const typedArray = Object.getPrototypeOf(Uint8Array.prototype) as object

export const arrayLength: Method<ArrayLike<number>, [], number> = getter(typedArray, 'length')
export const arrayBuffer: Method<Uint8Array, [], ArrayBufferLike> = getter(typedArray, 'buffer')
export const bufferLength: Method<ArrayBuffer, [], number> = getter(ArrayBuffer.prototype, 'byteLength')
export const arrayOffset: Method<Uint8Array, [], number> = getter(typedArray, 'byteOffset')
export const copyInto: Method<Uint8Array, [ArrayLike<number>, number?], void> = method(Uint8Array.prototype.set)
export const fill: Method<Uint8Array, [number, number?, number?], Uint8Array> = method(Uint8Array.prototype.fill)
const wasm = globalThis.WebAssembly as typeof WebAssembly | undefined
/** Some engines have none, such as that of iOS in Lockdown Mode: the first call says so. */
export const webAssembly = wasm?.Memory && { Instance: wasm.Instance, Module: wasm.Module, validate: wasm.validate }
export const memoryBuffer: Method<WebAssembly.Memory, [], ArrayBuffer> = getter(wasm?.Memory?.prototype, 'buffer')
export const Bytes = Uint8Array
export const Numbers = Float64Array

let nowhere: MessagePort | undefined

/**
 * Gives memory back that a host has made and nobody else has: what is transferred to a port that nobody listens to is free at once.
 * The garbage collector comes when hundreds of megabytes have gathered. Others may see this memory, so it has no secret any more.
 */
export function free(memory: ArrayBuffer[]): void {
  try {
    if (nowhere === undefined) {
      const { port1, port2 } = new MessageChannel()
      port2.close()
      nowhere = port1
    }
    nowhere.postMessage(undefined, memory)
  } catch {
    // Then the garbage collector does it.
  }
}

/** Bytes of an array, in its memory. */
export function partOf<B extends ArrayBufferLike>(data: Uint8Array<B>, at: number, length: number): Uint8Array<B> {
  return new Bytes(arrayBuffer(data) as B, arrayOffset(data) + at, length)
}

/** A number of 32 bits in bytes, whose order is that of WebAssembly. */
export function readNumber(bytes: Uint8Array, at: number): number {
  const byte = (i: number): number => bytes[at + i] as number
  return (byte(0) | (byte(1) << 8) | (byte(2) << 16) | (byte(3) << 24)) >>> 0
}

/** As {@link readNumber}. */
export function writeNumber(bytes: Uint8Array, at: number, number: number): void {
  for (let i = 0; i < 4; i++) bytes[at + i] = number >>> (8 * i)
}

export const parseJson: (text: string) => unknown = JSON.parse
export const normalize: Method<string, [string], string> = method(String.prototype.normalize)
export const indexOf: Method<string, [string], number> = method(String.prototype.indexOf)
export const slice: Method<string, [number, number?], string> = method(String.prototype.slice)

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
export const encode: (text: string) => Uint8Array<ArrayBuffer> = encoder.encode.bind(encoder) as never
export const decode: (bytes: Uint8Array) => string = decoder.decode.bind(decoder)

/** An array without a prototype, which setters that others have put on that of arrays do not hear of. */
export const list: <T>() => T[] = () => withPrototype([], null)
const withPrototype = Object.setPrototypeOf

/** Values by number, without a prototype that others could change. */
export const dictionary: <T>() => { [key: number]: T } = Object.create.bind(Object, null) as never

/** Numbers of 32 bits, as the module reads them. */
export function bytesOfNumbers(numbers: Uint32Array): Uint8Array {
  const length = arrayLength(numbers)
  const bytes = new Bytes(4 * length)
  for (let i = 0; i < length; i++) writeNumber(bytes, 4 * i, numbers[i] as number)
  return bytes
}
