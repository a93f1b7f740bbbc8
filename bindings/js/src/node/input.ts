// A file that is read: a regular one also at any position, a FIFO or a device from front to back.

import type { BigIntStats } from 'node:fs'
import type { Socket } from 'node:net'
import type { Handle } from '../backend/calls.js'
import type { Bytes } from '../basics/bytes.js'
import { SealstoneError } from '../basics/error.js'
import { failed, inputChanged, isFolder, refused } from './failure.js'
import type { Path } from './path.js'

export type Stat = BigIntStats
export type Parts = AsyncGenerator<Bytes, void, undefined>

const fs = process.getBuiltinModule('node:fs')
const { promisify } = process.getBuiltinModule('node:util')
const [open, close, read, fstat] = [promisify(fs.open), promisify(fs.close), promisify(fs.read), promisify(fs.fstat)]

/** Bytes that are read at once: about a unit of chunks. */
const PIECE_LEN = 1 << 18
/** Windows has only a part of the flags. */
const { O_RDONLY, O_NONBLOCK = 0, O_NOCTTY = 0 } = fs.constants
const BIG = { bigint: true } as const

/** Work on a file, as the caller's job sees it. */
export class Run {
  readonly job: Handle
  readonly #controller = new AbortController()
  /** Bytes of the input that are done, and of how many, where that is known. */
  done = 0
  total: number | undefined

  constructor(job: Handle) {
    this.job = job
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  cancel(): void {
    this.#controller.abort(new SealstoneError('cancelled', 'cancelled'))
  }

  add(bytes: number): void {
    this.signal.throwIfAborted()
    this.done += bytes
  }
}

export class Input {
  readonly path: Path
  readonly stat: Stat
  readonly run: Run
  /** The length of a regular file. Files of the kernel that say 0 are streams. */
  readonly length: number | undefined
  readonly #fd: number
  #pipe: Socket | undefined

  private constructor(path: Path, stat: Stat, fd: number, run: Run) {
    this.path = path
    this.stat = stat
    this.run = run
    this.length = stat.isFile() && stat.size > 0n ? Number(stat.size) : undefined
    this.#fd = fd
  }

  /** Opens a file without waiting. FIFOs and devices are refused unless they are allowed. */
  static async open(path: Path, special: boolean, run: Run): Promise<Input> {
    let fd: number | undefined
    try {
      // Opening a device may already have an effect. So the name is checked first, and the open file after it.
      checkKind(path, await fs.promises.stat(path.name, BIG), special)
      fd = await open(path.name, O_RDONLY | O_NONBLOCK | O_NOCTTY)
      const stat = await fstat(fd, BIG)
      checkKind(path, stat, special)
      if (stat.isDirectory()) throw isFolder('open', path)
      return new Input(path, stat, fd, run)
    } catch (error) {
      if (fd !== undefined) await close(fd)
      throw refused('open', path, error)
    }
  }

  /** Reads the file from its beginning up to a length. Each part lies in the memory of the part before the last. */
  async *parts(length: number = this.length ?? Number.POSITIVE_INFINITY): Parts {
    try {
      for await (const part of this.stat.isFIFO() ? this.#fifo() : this.#pieces(length)) {
        yield part
        this.run.add(part.length)
      }
    } catch (error) {
      throw refused('read', this.path, error)
    }
  }

  /** Bytes of a regular file from one place up to another. */
  async readAt(from: number, to: number): Promise<Bytes> {
    const memory = new Uint8Array(to - from)
    for (let at = 0; at < memory.length; ) {
      const { bytesRead } = await read(this.#fd, memory, at, memory.length - at, from + at).catch((error) => {
        throw refused('read', this.path, error)
      })
      if (bytesRead === 0) throw inputChanged(this.path)
      at += bytesRead
    }
    return memory
  }

  /** Fails if a regular file is no longer the one that was opened. */
  async finish(): Promise<void> {
    if (this.length !== undefined && !isUnchanged(await fstat(this.#fd, BIG), this.stat)) throw inputChanged(this.path)
  }

  async close(): Promise<void> {
    if (this.#pipe === undefined) await close(this.#fd)
    else this.#pipe.destroy()
  }

  /** The next piece is read while the one before is at work. */
  async *#pieces(length: number): Parts {
    const memories = [0, 1].map(() => new Uint8Array(Math.min(PIECE_LEN, length)))
    let at = 0
    const readInto = async (memory: Bytes): Promise<Bytes> => {
      const most = Math.min(memory.length, length - at)
      const { bytesRead } = await read(this.#fd, memory, 0, most, null)
      if (bytesRead === 0 && most > 0) await this.finish()
      at += bytesRead
      return memory.subarray(0, bytesRead)
    }
    let next = readInto(memories[1] as Bytes)
    try {
      for (let turn = 0; ; turn ^= 1) {
        const piece = await next
        if (piece.length === 0) return
        next = readInto(memories[turn] as Bytes)
        // The next turn hears of a failure.
        next.catch(() => undefined)
        yield piece
      }
    } finally {
      await next.catch(() => undefined)
      for (const memory of memories) memory.fill(0)
    }
  }

  /** A socket of Node waits for a FIFO that no process has opened for writing yet. `read` would say that the FIFO has ended. */
  async *#fifo(): Parts {
    const { addAbortSignal } = process.getBuiltinModule('node:stream')
    this.#pipe = addAbortSignal(this.run.signal, pipeOf(this.#fd, true))
    for await (const part of this.#pipe as AsyncIterable<Bytes>) {
      try {
        yield part
      } finally {
        part.fill(0)
      }
    }
  }
}

/** An open FIFO as a socket, which waits without a thread. */
export function pipeOf(fd: number, readable: boolean): Socket {
  const { Socket } = process.getBuiltinModule('node:net')
  return new Socket({ fd, readable, writable: !readable })
}

/** Refuses a FIFO, a socket or a device, unless it is allowed. */
export function checkKind(path: Path, stat: Stat, special: boolean): void {
  const kind = stat.isFIFO() ? 'a FIFO' : stat.isSocket() ? 'a socket' : isDevice(stat) ? 'a device' : undefined
  if (kind !== undefined && !special) throw failed('not_regular_file', path, `is ${kind}, not a regular file`)
}

export function isDevice(stat: Stat): boolean {
  return stat.isCharacterDevice() || stat.isBlockDevice()
}

/** Whether nothing was written to a file since. */
export function isUnchanged(now: Stat, before: Stat): boolean {
  return now.size === before.size && now.mtimeNs === before.mtimeNs
}
