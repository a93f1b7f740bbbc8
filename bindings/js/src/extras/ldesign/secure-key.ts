// Keys in memory that a program can zero, and comparisons of secrets.

import { encode, timingSafeEqual as isSame } from '../../api/encoding.js'
import { bytesOf, zero } from '../../basics/bytes.js'
import { branded } from '../../basics/receiver.js'
import { ValidationError } from './errors.js'

/** How long a {@link SecureKey} lives. */
export interface SecureKeyOptions {
  /** Milliseconds after which it is zeroed; 0, the default, means never. */
  maxLifetime?: number
  /** Whether its bytes are zeroed when the engine collects the object, which may be never; `true` by default. */
  autoClear?: boolean
  /** The purpose of the key. No message shows it. */
  purpose?: string
}

/**
 * A copy of a key that you can zero. If you make it from text, the text stays in memory until the engine overwrites it. So make it from
 * bytes, and zero yours.
 */
export class SecureKey {
  readonly #bytes: Uint8Array<ArrayBuffer>
  readonly #options: SecureKeyOptions
  readonly #createdAt = Date.now()
  #timer: ReturnType<typeof setTimeout> | undefined
  #isCleared = false

  /** @internal */
  static readonly brand: string = /* @__PURE__ */ branded(this, 'ldesign.SecureKey', (value) => #bytes in value)

  constructor(key: string | Uint8Array | ArrayBuffer, options: SecureKeyOptions = {}) {
    const { maxLifetime = 0, autoClear = true } = options
    if (!(Number.isFinite(maxLifetime) && maxLifetime >= 0)) {
      throw new ValidationError('maxLifetime must be a number of milliseconds from 0', 'maxLifetime')
    }
    this.#bytes = new Uint8Array(bytesOf(key, 'the key'))
    this.#options = { ...options, maxLifetime }
    if (maxLifetime > 0) this.#watch(maxLifetime)
    if (autoClear) collected.register(this, this.#bytes)
  }

  /** Calls a function with the bytes of the key. They are zeroed with the key: if you keep the array, it has zeros then. */
  use<T>(fn: (key: Uint8Array) => T): T {
    return fn(this.#usable('Cannot use cleared key'))
  }

  /** As {@link use}, for a function that returns a promise. */
  async useAsync<T>(fn: (key: Uint8Array) => Promise<T>): Promise<T> {
    return await fn(this.#usable('Cannot use cleared key'))
  }

  /** Zeroes the key. Every later use is an error. */
  clear(): void {
    this.#isCleared = true
    clearTimeout(this.#timer)
    zero(this.#bytes)
  }

  /** Bytes of the key. */
  get length(): number {
    return this.#bytes.length
  }

  get isCleared(): boolean {
    return this.#isCleared
  }

  /** Milliseconds since it was made. */
  get age(): number {
    return Date.now() - this.#createdAt
  }

  /** A second copy, which you zero separately. */
  clone(): SecureKey {
    return new SecureKey(this.#usable('Cannot clone cleared key'), this.#options)
  }

  /** The key as text, which JavaScript cannot erase. */
  toHex(): string {
    return encode('hex', this.#usable('Cannot export cleared key'))
  }

  /** As {@link toHex}. */
  toBase64(): string {
    return encode('base64', this.#usable('Cannot export cleared key'))
  }

  /** Shows nothing of the key. */
  toString(): string {
    return `SecureKey(${this.#isCleared ? 'cleared' : this.length})`
  }

  /** As {@link toString}. */
  toJSON(): string {
    return this.toString()
  }

  /** Makes a key for a function that returns a promise, and zeroes it at the end, also after an error. */
  static async withKey<T>(
    key: string | Uint8Array | ArrayBuffer,
    fn: (key: SecureKey) => Promise<T>,
    options?: SecureKeyOptions,
  ): Promise<T> {
    const held = new SecureKey(key, options)
    try {
      return await fn(held)
    } finally {
      held.clear()
    }
  }

  /** As {@link withKey}, for a synchronous function. */
  static withKeySync<T>(
    key: string | Uint8Array | ArrayBuffer,
    fn: (key: SecureKey) => T,
    options?: SecureKeyOptions,
  ): T {
    const held = new SecureKey(key, options)
    try {
      return fn(held)
    } finally {
      held.clear()
    }
  }

  #watch(lifetime: number): void {
    // The timer must not keep an unused key in memory. Hosts fire a timer of more than 2^31 - 1 milliseconds at once.
    const end = new WeakRef(this)
    const wait = Math.min(lifetime, TIMER_MAX_MS)
    this.#timer = setTimeout(() => {
      const key = end.deref()
      if (key !== undefined && lifetime > wait) key.#watch(lifetime - wait)
      else key?.clear()
    }, wait)
    // A timer keeps a Node process alive, which a key should not do.
    if (typeof this.#timer === 'object') this.#timer.unref?.()
  }

  #usable(message: string): Uint8Array<ArrayBuffer> {
    if (this.#isCleared) throw new Error(message)
    const { maxLifetime = 0 } = this.#options
    // A timer may be late.
    if (maxLifetime > 0 && this.age > maxLifetime) {
      this.clear()
      throw new Error('Key has expired')
    }
    return this.#bytes
  }
}

const TIMER_MAX_MS = 2 ** 31 - 1

const collected = /* @__PURE__ */ new FinalizationRegistry<Uint8Array>((bytes) => zero(bytes))

/** Zeroes memory. */
export function clearBuffer(buffer: Uint8Array | ArrayBuffer): void {
  zero(bytesOf(buffer, 'the buffer'))
}

/**
 * Returns an empty text. It has no effect on its argument: JavaScript cannot erase a text. Keep secrets as bytes, which
 * {@link clearBuffer} zeroes.
 */
export function clearString(_str: string): string {
  return ''
}

/** Memory and keys that are zeroed together. */
export class MemoryCleaner {
  readonly #buffers = new Set<Uint8Array | ArrayBuffer>()
  readonly #keys = new Set<SecureKey>()

  /** @internal */
  static readonly brand: string = /* @__PURE__ */ branded(this, 'ldesign.MemoryCleaner', (value) => #buffers in value)

  register(buffer: Uint8Array | ArrayBuffer): void {
    this.#buffers.add(buffer)
  }

  registerKey(key: SecureKey): void {
    this.#keys.add(key)
  }

  /** Zeroes and forgets everything registered; returns how many it zeroed. It cannot zero memory that was transferred away. */
  clearAll(): number {
    let count = 0
    for (const buffer of this.#buffers) {
      try {
        clearBuffer(buffer)
        count++
      } catch {
        // If one cannot be zeroed, the others still are.
      }
    }
    for (const key of this.#keys) key.clear()
    count += this.#keys.size
    this.#buffers.clear()
    this.#keys.clear()
    return count
  }

  get size(): number {
    return this.#buffers.size + this.#keys.size
  }
}

/** Calls a function that returns a promise, and at the end zeroes everything that the function registered. */
export async function withSecureScope<T>(fn: (cleaner: MemoryCleaner) => Promise<T>): Promise<T> {
  const cleaner = new MemoryCleaner()
  try {
    return await fn(cleaner)
  } finally {
    cleaner.clearAll()
  }
}

/** As {@link withSecureScope}, for a synchronous function. */
export function withSecureScopeSync<T>(fn: (cleaner: MemoryCleaner) => T): T {
  const cleaner = new MemoryCleaner()
  try {
    return fn(cleaner)
  } finally {
    cleaner.clearAll()
  }
}

/** Whether two texts are equal. The time depends only on their lengths, as far as the JavaScript engine keeps to this code. */
export function timingSafeEqual(a: string, b: string): boolean {
  return isSame(unitsOf(a), unitsOf(b))
}

/** As {@link timingSafeEqual}, for bytes. */
export function timingSafeBufferEqual(a: Uint8Array, b: Uint8Array): boolean {
  return isSame(a, b)
}

/** As {@link timingSafeEqual}, for hexadecimal digits in either case. */
export function timingSafeHexEqual(a: string, b: string): boolean {
  return timingSafeEqual(a.toLowerCase(), b.toLowerCase())
}

/** As {@link timingSafeEqual}: it compares the characters of two Base64 texts, not the bytes. */
export function timingSafeBase64Equal(a: string, b: string): boolean {
  return timingSafeEqual(a, b)
}

/** {@link timingSafeEqual} of the results of a function for two texts. The time of the function may reveal something about them. */
export function createTimingSafeCompare(preprocessor: (input: string) => string): (a: string, b: string) => boolean {
  return (a, b) => timingSafeEqual(preprocessor(a), preprocessor(b))
}

/**
 * Measures a comparison with equal texts and with texts that differ in the first character, in milliseconds of a call.
 *
 * On a quiet machine, it finds a comparison that ends at the first difference. It cannot prove that a comparison takes constant time: it
 * misses differences smaller than the noise of the clock and the machine. If the clock shows no time at all, `isTimingSafe` is `false`.
 */
export function testTimingSafety(
  compareFunc: (a: string, b: string) => boolean,
  iterations = 10_000,
): { meanTime: number; stdDeviation: number; isTimingSafe: boolean } {
  const calls = Math.max(1, Math.round(iterations / 2 / ROUNDS))
  const text = textOf('a')
  const times = { same: [] as number[], other: [] as number[] }
  const cases = { same: textOf('a'), other: textOf('b') }
  const sample = (which: 'same' | 'other'): void => {
    const begun = performance.now()
    for (let i = 0; i < calls; i++) compareFunc(text, cases[which])
    times[which].push((performance.now() - begun) / calls)
  }
  for (let round = 0; round < ROUNDS; round++) {
    // In turns, with the order reversed in every other round, so that other work on the machine affects both.
    for (const which of round % 2 === 0 ? (['same', 'other'] as const) : (['other', 'same'] as const)) sample(which)
  }
  const all = [...times.same, ...times.other]
  const meanTime = all.reduce((sum, time) => sum + time, 0) / all.length
  const stdDeviation = Math.sqrt(all.reduce((sum, time) => sum + (time - meanTime) ** 2, 0) / all.length)
  const [same, other] = [median(times.same), median(times.other)]
  const longer = Math.max(same, other)
  return { meanTime, stdDeviation, isTimingSafe: longer > 0 && Math.abs(same - other) / longer < 0.1 }
}

const ROUNDS = 51

/** A text with this first character, which shares no memory with another text. */
function textOf(first: string): string {
  return [first, ...Array.from({ length: 4095 }, () => 'a')].join('')
}

function median(times: readonly number[]): number {
  return [...times].sort((a, b) => a - b)[times.length >> 1] as number
}

/** The UTF-16 of a text, also of a text that has no UTF-8. */
function unitsOf(text: string): Uint8Array<ArrayBuffer> {
  const units = new Uint16Array(text.length)
  for (let i = 0; i < units.length; i++) units[i] = text.charCodeAt(i)
  return new Uint8Array(units.buffer)
}
