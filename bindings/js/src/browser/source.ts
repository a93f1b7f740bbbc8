import { inflate } from '#modules/inflate'
import { compiled, engine } from '../backend/wasm/compiled.js'
import type { Source } from '../backend/wasm/module.js'
import { SealstoneError } from '../basics/error.js'

/** A module as a build has it: as text in Base64, inflated and compiled when it is first used, or itself. */
export function moduleSource(module: string | WebAssembly.Module, decode = bytesOf): Source {
  if (typeof module !== 'string') return () => module
  return compiled(() => inflated(decode(module), decode(inflate as string)))
}

/** The function with which newer engines decode base64. */
const fromBase64 = (Uint8Array as { fromBase64?: (text: string) => Uint8Array<ArrayBuffer> }).fromBase64

function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  if (fromBase64 !== undefined) return fromBase64.call(Uint8Array, base64)
  const text = atob(base64)
  const bytes = new Uint8Array(text.length)
  for (let i = 0; i < bytes.length; i++) bytes[i] = text.charCodeAt(i)
  return bytes
}

interface Inflating {
  readonly memory: WebAssembly.Memory
  inflate(from: number, fromLen: number, to: number, toLen: number): number
}

/** Inflates by a module for that: JavaScript that does it is slow until an engine has compiled it. */
function inflated(deflated: Uint8Array<ArrayBuffer>, module: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const { Instance, Module } = engine()
  const { memory, inflate } = new Instance(new Module(module)).exports as unknown as Inflating
  const from = memory.buffer.byteLength
  const fromLen = deflated.length
  const toLen = new DataView(deflated.buffer, deflated.byteOffset).getUint32(0, true)
  memory.grow(Math.ceil((fromLen + toLen) / PAGE_LEN))
  new Uint8Array(memory.buffer).set(deflated, from)
  if (inflate(from, fromLen, from + fromLen, toLen) === 0) {
    throw new SealstoneError('internal', 'a bug in Sealstone: a module that does not inflate')
  }
  return new Uint8Array(memory.buffer, from + fromLen, toLen)
}

const PAGE_LEN = 65_536
