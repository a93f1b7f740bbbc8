// Data of tests, made and compared in every runtime.

export type Data = Uint8Array<ArrayBuffer>

/** Bytes that repeat, at no length that the package has. */
export function pattern(len: number): Data {
  const bytes = new Uint8Array(len)
  for (let i = 0; i < len; i++) bytes[i] = i % 251
  return bytes
}

export function randomBytes(len: number): Data {
  const bytes = new Uint8Array(len)
  // The most that a runtime gives at once.
  for (let at = 0; at < len; at += 65_536) crypto.getRandomValues(bytes.subarray(at, at + 65_536))
  return bytes
}

export function flip(bytes: Uint8Array, at: number): void {
  bytes[at] = (bytes[at] ?? 0) ^ 0x40
}

/** 0 where all bytes are the same: `toEqual` takes seconds for long arrays. */
export function compare(a: Uint8Array, b: Uint8Array): number {
  const length = Math.min(a.length, b.length)
  for (let i = 0; i < length; i++) if (a[i] !== b[i]) return (a[i] as number) - (b[i] as number)
  return a.length - b.length
}

export function concat(parts: readonly Uint8Array[]): Data {
  const whole = new Uint8Array(parts.reduce((len, part) => len + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/** Bytes in pieces of a length. */
export function pieces(bytes: Uint8Array, length: number): Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.length / length) }, (_, i) =>
    bytes.subarray(i * length, (i + 1) * length),
  )
}

/** All that a source gives. */
export async function collected<T>(source: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const one of source) all.push(one)
  return all
}

/** Whether bytes contain others. */
export function includes(bytes: Uint8Array, others: Uint8Array): boolean {
  for (let at = bytes.indexOf(others[0] as number); at >= 0; at = bytes.indexOf(others[0] as number, at + 1)) {
    if (others.every((byte, i) => bytes[at + i] === byte)) return true
  }
  return false
}

export function bytesOf(text: string): Data {
  return new TextEncoder().encode(text)
}

export function textOf(bytes: AllowSharedBufferSource): string {
  return new TextDecoder().decode(bytes)
}

export function fromBase64(text: string): Data {
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
}

export function toBase64(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text)
}

export function fromHex(text: string): Data {
  return Uint8Array.from(text.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))
}

export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
}

/** Memory that threads share. A page finds its name only where it is isolated from others, and the thing everywhere. */
export const SharedMemory = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true }).buffer
  .constructor as typeof SharedArrayBuffer

/** All text that an error could show of its input. */
export function shown(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  const own = Object.getOwnPropertyNames(error).map((name) => String(Reflect.get(error, name)))
  return [String(error), JSON.stringify(error), ...own].join('\n')
}

/** A signal whose own code transfers memory away, once. */
export function transferring({ buffer }: Uint8Array, when: 'throwIfAborted' | 'addEventListener'): AbortSignal {
  const signal = new AbortController().signal
  let isHere = true
  const transfer = (): void => {
    if (isHere) structuredClone(buffer, { transfer: [buffer as ArrayBuffer] })
    isHere = false
  }
  return Object.defineProperty(signal, when, { value: transfer })
}
