import { inflate } from '#modules/inflate'
import { compiled, engine } from '../backend/wasm/compiled.js'
import type { Source } from '../backend/wasm/held.js'
import { SealstoneError } from '../basics/error.js'

/** A module as a build has it: as text, inflated and compiled when it is first used, or itself. */
export function moduleSource(module: string | WebAssembly.Module): Source {
  return typeof module === 'string' ? compiled(() => inflated(bytesOf(module), inflate as string)) : () => module
}

/** What newer engines decode base64 with. */
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
function inflated(deflated: Uint8Array, module: string): Uint8Array<ArrayBuffer> {
  const { Instance, Module } = engine()
  const { memory, inflate } = new Instance(new Module(bytesOf(module))).exports as unknown as Inflating
  const from = memory.buffer.byteLength
  const [fromLen, toLen] = [deflated.length, GROWTH_MAX * deflated.length]
  memory.grow(Math.ceil((fromLen + toLen) / PAGE_LEN))
  new Uint8Array(memory.buffer).set(deflated, from)
  const length = inflate(from, fromLen, from + fromLen, toLen)
  if (length === 0) throw new SealstoneError('internal', 'a bug in Sealstone: a module that does not inflate')
  return new Uint8Array(memory.buffer, from + fromLen, length)
}

const PAGE_LEN = 65_536
/** A module becomes 2.7 times as long as it is deflated. */
const GROWTH_MAX = 4
