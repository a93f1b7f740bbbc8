import type { Bytes } from '../../basics/bytes.js'
import { type Module, moduleOf } from './memory-module.js'
import { xorBytes } from './xor.js'

// Memory that envelopes are worked on in. It is used again, since new memory takes longer than all work on it. Long bytes lie in the memory
// of a WebAssembly module, if there is one, so that it can work on them. Each area is for one thing, which is finished before the next.

/** Bytes that are kept: all of a frame's envelope. */
const KEPT_MAX = 2 ** 22

/** Shorter bytes are done before a module would have begun. */
const MODULE_FROM = 2 ** 14

/** The module's memory: the key, and each area with room behind it, into which the last step of 16 bytes may reach. */
const KEY_LENGTH = 2 ** 16
const AREAS = ['ciphertext', 'units', 'envelope'] as const
const AREA_LENGTH = KEPT_MAX + 2 ** 16
const MEMORY_LENGTH = KEY_LENGTH + AREAS.length * AREA_LENGTH

const module = () => moduleOf(MEMORY_LENGTH)

/** The memory of each area where there is no module. */
const kept: Bytes[] = AREAS.map(() => new Uint8Array())

/** So many bytes of an area, of any value, until more of it are taken. */
export function scratch(area: (typeof AREAS)[number], length: number): Bytes {
  if (length > KEPT_MAX) return new Uint8Array(length)
  const number = AREAS.indexOf(area)
  const memory = length < MODULE_FROM ? undefined : module()?.memory
  if (memory !== undefined) {
    const at = KEY_LENGTH + number * AREA_LENGTH
    return memory.subarray(at, at + length)
  }
  if ((kept[number] as Bytes).length < length) kept[number] = new Uint8Array(Math.min(KEPT_MAX, length + (length >> 3)))
  return (kept[number] as Bytes).subarray(0, length)
}

/** XORs bytes, which begin at a word of their memory, with a salt. */
export function mix(bytes: Bytes, salt: Uint8Array): void {
  const found = salt.length * 16 <= KEY_LENGTH ? moduleWith(bytes) : undefined
  if (found === undefined) {
    const words = new Int32Array(bytes.buffer, bytes.byteOffset, bytes.length >> 2)
    xorBytes({ bytes, words }, bytes.length, salt)
  } else if (salt.length > 0) {
    for (let at = 0; at < 16; at++) found.memory.set(salt, at * salt.length)
    found.xor(bytes.byteOffset, bytes.byteOffset + bytes.length, 0, salt.length * 16)
  }
}

/** The module, if the bytes lie in its memory. */
function moduleWith({ buffer, length }: Uint8Array): Module | undefined {
  const found = length < MODULE_FROM ? undefined : module()
  return found?.memory.buffer === buffer ? found : undefined
}

/** Runs shorter than this are copied by words: a call of `set` takes longer. */
const SET_FROM = 96

/**
 * Copies runs of so many bytes, of which each begins so many bytes behind the one before it, between memories of two areas. Bytes of `to`
 * between the runs, and some behind the last, have any value then.
 */
export function copyRuns(
  from: Uint8Array,
  fromStep: number,
  to: Uint8Array,
  toStep: number,
  length: number,
  runs: number,
): void {
  if (runs === 0) return
  const found = moduleWith(to)
  if (found !== undefined && moduleWith(from) === found) {
    found.runs(from.byteOffset, fromStep, to.byteOffset, toStep, length, runs)
    return
  }
  let run = 0
  if (length < SET_FROM) {
    const [source, target] = [
      new DataView(from.buffer, from.byteOffset, from.length),
      new DataView(to.buffer, to.byteOffset, to.length),
    ]
    // The last words of a run have bytes behind it, which the next run or the caller writes.
    const least = (bytes: Uint8Array, step: number) => Math.floor((bytes.length - length - 7) / step)
    const wide = Math.min(runs, least(from, fromStep), least(to, toStep))
    for (let read = 0, write = 0; run < wide; run++, read += fromStep, write += toStep) {
      for (let i = 0; i < length; i += 8) {
        target.setInt32(write + i, source.getInt32(read + i, true), true)
        target.setInt32(write + i + 4, source.getInt32(read + i + 4, true), true)
      }
    }
  }
  for (; run < runs; run++) {
    to.set(from.subarray(run * fromStep, run * fromStep + length), run * toStep)
  }
}
