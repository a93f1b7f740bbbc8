// What is read: a regular file at any position, or a stream (crates/core/src/pipeline/input.rs).

import { contentId, Descriptor, type Stat, specialKind, statOf, TO_READ } from './descriptor.js'
import { inputChanged, isFolder, notRegular, refused } from './failure.js'
import type { Path } from './path.js'

/** Bytes that are read at once: about a unit of chunks. */
const PIECE_LEN = 1 << 18

/** A file that is read. It is compared before and after: a change of its length or time meanwhile is an error. */
export class Input {
  readonly path: Path
  readonly stat: Stat
  /** The length of a file that is read at any position; none of a stream, and of what is not as long as it says. */
  readonly length: number | undefined
  readonly #file: Descriptor
  readonly #signal: AbortSignal

  private constructor(path: Path, stat: Stat, length: number | undefined, file: Descriptor, signal: AbortSignal) {
    this.path = path
    this.stat = stat
    this.length = length
    this.#file = file
    this.#signal = signal
  }

  /** Opens a file without waiting. FIFOs and devices are refused unless they are allowed. */
  static async open(path: Path, special: boolean, signal: AbortSignal): Promise<Input> {
    let file: Descriptor | undefined
    try {
      // To open a device may do something already, so what the name stands for is asked before, and of what was opened again.
      check(path, await statOf(path), special)
      file = await Descriptor.open(path, TO_READ, signal)
      const stat = await file.stat()
      check(path, stat, special)
      if (stat.isDirectory()) throw isFolder('open', path)
      return new Input(path, stat, await honestLength(file, stat), file, signal)
    } catch (error) {
      await file?.close()
      throw refused('open', path, error)
    }
  }

  /** Which file it is, if it is one. */
  get id(): string | undefined {
    return contentId(this.stat)
  }

  /** All of it, in parts whose memory is the next part's too. */
  parts(): AsyncGenerator<Uint8Array, void, undefined> {
    if (this.length !== undefined) return this.#region(this.length)
    return this.stat.isFIFO() ? this.#fifo() : this.#stream()
  }

  /** Bytes from a place on, as many as the memory has, which are there unless the file has changed. */
  async readAt(memory: Uint8Array, at: number): Promise<Uint8Array> {
    for (let done = 0; done < memory.length; ) {
      const more = await this.#reading(this.#file.read(memory.subarray(done), at + done))
      if (more === 0) throw inputChanged(this.path)
      done += more
    }
    return memory
  }

  /** Fails if it is no longer what was opened. */
  async finish(): Promise<void> {
    if (this.length === undefined) return
    const now = await this.#file.stat()
    if (!isUnchanged(now, this.stat)) throw inputChanged(this.path)
  }

  async close(): Promise<void> {
    await this.#file.close()
  }

  /** The next part is read while the one before is at work. */
  async *#region(length: number): AsyncGenerator<Uint8Array, void, undefined> {
    let [now, later] = [PIECE_LEN, PIECE_LEN].map((most) => new Uint8Array(Math.min(most, length))) as Pair
    let at = 0
    const read = (memory: Uint8Array): Promise<Uint8Array> => {
      const from = at
      at += Math.min(memory.length, length - at)
      const reading = this.readAt(memory.subarray(0, at - from), from)
      // Whoever takes it hears of it.
      reading.catch(() => undefined)
      return reading
    }
    let next = read(now)
    try {
      for (let part = await next; part.length > 0; part = await next) {
        ;[now, later] = [later, now]
        next = read(now)
        yield part
      }
    } finally {
      await next.catch(() => undefined)
      now.fill(0)
      later.fill(0)
    }
  }

  async *#stream(): AsyncGenerator<Uint8Array, void, undefined> {
    const memory = new Uint8Array(PIECE_LEN)
    const read = (): Promise<number> => this.#reading(this.#file.read(memory, null))
    try {
      for (let length = await read(); length > 0; length = await read()) yield memory.subarray(0, length)
    } finally {
      memory.fill(0)
    }
  }

  /** One that nobody has opened for writing yet would read as if it were at its end. */
  async *#fifo(): AsyncGenerator<Uint8Array, void, undefined> {
    this.#signal.throwIfAborted()
    const pipe = this.#file.pipe(true)
    try {
      for await (const part of pipe as AsyncIterable<Uint8Array>) {
        try {
          yield part
        } finally {
          part.fill(0)
        }
      }
    } catch (error) {
      throw refused('read', this.path, error)
    } finally {
      pipe.destroy()
    }
  }

  async #reading(read: Promise<number>): Promise<number> {
    try {
      return await read
    } catch (error) {
      throw refused('read', this.path, error)
    }
  }
}

type Pair = [Uint8Array, Uint8Array]

/** Refuses what is special, unless that is allowed. */
export function check(path: Path, stat: Stat, special: boolean): void {
  const kind = specialKind(stat)
  if (kind !== undefined && !special) throw notRegular(path, kind)
}

/** The length of a regular file whose last byte is where it says. Files of the kernel's own say 0, or more than they have. */
async function honestLength(file: Descriptor, stat: Stat): Promise<number | undefined> {
  const length = Number(stat.size)
  if (!stat.isFile() || length === 0) return undefined
  const isHonest = (await file.read(new Uint8Array(2), length - 1)) === 1
  // One that is written to at this moment is honest, and its change is an error later.
  return isHonest || !isUnchanged(await file.stat(), stat) ? length : undefined
}

/** Whether nothing was written to a file since. */
export function isUnchanged(now: Stat, before: Stat): boolean {
  return now.size === before.size && now.mtimeNs === before.mtimeNs
}
