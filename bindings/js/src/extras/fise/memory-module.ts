import { threads } from '#threads'
import type { Bytes } from '../../basics/bytes.js'

/** A WebAssembly module with a memory, and loops over it that take 16 bytes at a time: several times as fast as those of JavaScript. */
export interface Module {
  readonly memory: Bytes
  /** XORs the bytes from `at` up to `end`, and up to 15 behind them, with those from `key` up to `keyEnd`, again and again. */
  xor(at: number, end: number, key: number, keyEnd: number): void
  /** Copies runs of so many bytes, and up to 15 behind each, of which each begins so many bytes behind the one before it. */
  runs(from: number, fromStep: number, to: number, toStep: number, length: number, runs: number): void
}

let kept: Module | undefined
let isTried = false

/**
 * The module, with a memory of at least so many bytes, if the engine has it. Pages have none: their policy may forbid it, and would report
 * the attempt.
 */
export function moduleOf(length: number): Module | undefined {
  if (isTried || threads() === undefined) return kept
  isTried = true
  try {
    const { memory, ...loops } = new WebAssembly.Instance(new WebAssembly.Module(moduleBytes(length))).exports
    kept = { ...(loops as unknown as Module), memory: new Uint8Array((memory as WebAssembly.Memory).buffer) }
  } catch {
    // An engine without vectors, or one that was started without WebAssembly, goes on in JavaScript.
  }
  return kept
}

/** The module in its binary format (WebAssembly Core Specification 2.0, section 5). */
function moduleBytes(length: number): Bytes {
  const [GET, SET, TEE, I32, ADD, SUBTRACT, IS_LESS, SELECT] = [0x20, 0x21, 0x22, 0x41, 0x6a, 0x6b, 0x49, 0x1b]
  const [LOAD, XOR, STORE] = [
    [0xfd, 0, 0, 0],
    [0xfd, 0x51],
    [0xfd, 0x0b, 0, 0],
  ] as const
  const [LOOP, AGAIN_IF, END_LOOP, END] = [[0x03, 0x40], [0x0d, 0], 0x0b, 0x0b] as const

  // biome-ignore format: one step in each line.
  const xor = (at = 0, end = 1, key = 2, keyEnd = 3, k = 4) => [
    GET, key, SET, k,
    ...LOOP,
      GET, at, GET, at, ...LOAD, GET, k, ...LOAD, ...XOR, ...STORE,
      GET, k, I32, 16, ADD, TEE, k, GET, key, GET, k, GET, keyEnd, IS_LESS, SELECT, SET, k,
      GET, at, I32, 16, ADD, TEE, at, GET, end, IS_LESS, ...AGAIN_IF,
    END_LOOP,
  ]
  // biome-ignore format: one step in each line.
  const runs = (from = 0, fromStep = 1, to = 2, toStep = 3, length = 4, left = 5, i = 6) => [
    ...LOOP,
      I32, 0, SET, i,
      ...LOOP,
        GET, to, GET, i, ADD, GET, from, GET, i, ADD, ...LOAD, ...STORE,
        GET, i, I32, 16, ADD, TEE, i, GET, length, IS_LESS, ...AGAIN_IF,
      END_LOOP,
      GET, from, GET, fromStep, ADD, SET, from,
      GET, to, GET, toStep, ADD, SET, to,
      GET, left, I32, 1, SUBTRACT, TEE, left, ...AGAIN_IF,
    END_LOOP,
  ]
  const pages = Math.ceil(length / 2 ** 16)
  const section = (id: number, ...content: number[]) => [id, ...lengthOf(content.length), ...content]
  const type = (parameters: number) => [0x60, parameters, ...Array(parameters).fill(0x7f), 0]
  const exported = (name: string, kind: number, index: number) => [name.length, ...asciiOf(name), kind, index]
  // Each has one variable of 32 bits besides its parameters.
  const body = (code: readonly number[]) => [...lengthOf(code.length + 4), 1, 1, 0x7f, ...code, END]
  return Uint8Array.from([
    ...[0, ...asciiOf('asm'), 1, 0, 0, 0],
    ...section(1, 2, ...type(4), ...type(6)),
    ...section(3, 2, 0, 1),
    ...section(5, 1, 0, ...lengthOf(pages)),
    ...section(7, 3, ...exported('memory', 2, 0), ...exported('xor', 0, 0), ...exported('runs', 0, 1)),
    ...section(10, 2, ...body(xor()), ...body(runs())),
  ])
}

const asciiOf = (text: string) => Array.from(text, (unit) => unit.charCodeAt(0))

/** A number under 2^14 in LEB128. */
const lengthOf = (length: number) => (length < 128 ? [length] : [(length & 127) | 128, length >> 7])
