// Open files, and what the system says of names: the calls of node:fs.

import type { BigIntStats } from 'node:fs'
import type { Socket } from 'node:net'
import { cancelled, codeOf } from './failure.js'
import type { Path } from './path.js'

export type Stat = BigIntStats

const fs = process.getBuiltinModule('node:fs')
const { promisify } = process.getBuiltinModule('node:util')
const { setTimeout: pause } = process.getBuiltinModule('node:timers/promises')
const [open, close, read, write] = [fs.open, fs.close, fs.read, fs.write].map((call) => promisify(call as never)) as [
  (name: string | Buffer, flags: number) => Promise<number>,
  (fd: number) => Promise<void>,
  (fd: number, into: Uint8Array, offset: number, length: number, at: number | null) => Promise<{ bytesRead: number }>,
  (
    fd: number,
    from: Uint8Array,
    offset: number,
    length: number,
    at: number | null,
  ) => Promise<{ bytesWritten: number }>,
]
const [stat, fsync, ftruncate] = [promisify(fs.fstat), promisify(fs.fsync), promisify(fs.ftruncate)]
const [chmod, chown] = [promisify(fs.fchmod), promisify(fs.fchown)]

/** Flags of `open`; Windows has but a part of them. */
const {
  O_NOCTTY = 0,
  O_NOFOLLOW = 0,
  O_NONBLOCK = 0,
  O_SYNC = 0,
  O_CREAT,
  O_EXCL,
  O_RDWR,
  O_RDONLY,
  O_WRONLY,
} = fs.constants
export const TO_READ: number = O_RDONLY | O_NONBLOCK | O_NOCTTY
/** A device or a FIFO, but no link. */
export const TO_WRITE: number = O_WRONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW
/** A name that nothing has. */
export const TO_MAKE: number = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW

/** Node's permissions refuse to flush a file: then each write is flushed, where the system can do that. */
const FLUSHED = 'permission' in process ? O_SYNC : 0
/** What Node says of all that its permissions refuse. */
const REFUSED = 'ERR_ACCESS_DENIED'

/** How often what is not ready is looked at again. */
const SLICE_MS = 20

/** An open file. */
export class Descriptor {
  readonly #path: Path
  readonly #fd: number
  readonly #signal: AbortSignal
  #isOpen = true

  private constructor(path: Path, fd: number, signal: AbortSignal) {
    this.#path = path
    this.#fd = fd
    this.#signal = signal
  }

  static async open(path: Path, flags: number, signal: AbortSignal): Promise<Descriptor> {
    return new Descriptor(path, await open(path.name, flags), signal)
  }

  /** A file that was not there, before this returns. */
  static make(path: Path, signal: AbortSignal, mode: number): Descriptor {
    return new Descriptor(path, fs.openSync(path.name, TO_MAKE | FLUSHED, mode), signal)
  }

  async stat(): Promise<Stat> {
    return stat(this.#fd, { bigint: true })
  }

  /** Reads once, from a place on or from where the file stands; no bytes are its end. */
  async read(into: Uint8Array, at: number | null): Promise<number> {
    return this.#once(async () => (await read(this.#fd, into, 0, into.length, at)).bytesRead)
  }

  /** Writes all bytes where the file stands. */
  async write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      const rest = bytes.length - at
      at += await this.#once(async () => (await write(this.#fd, bytes, at, rest, null)).bytesWritten)
    }
  }

  /** Returns when the content would outlive a power cut. Where Node refuses that, what `make` made is flushed already. */
  async sync(): Promise<void> {
    try {
      await fsync(this.#fd)
    } catch (error) {
      if (codeOf(error) !== REFUSED) throw error
    }
  }

  /** Leaves nothing in it. */
  async cut(): Promise<void> {
    if (this.#isOpen) await ftruncate(this.#fd, 0)
  }

  async setMode(mode: number): Promise<void> {
    if ((Number((await this.stat()).mode) & 0o7777) === mode) return
    await this.#orByName(chmod(this.#fd, mode), (name) => fs.chmodSync(name, mode))
  }

  async setOwner(owner: bigint, group: bigint): Promise<void> {
    const [uid, gid] = [Number(owner), Number(group)]
    await this.#orByName(chown(this.#fd, uid, gid), (name) => fs.lchownSync(name, uid, gid))
  }

  async close(): Promise<void> {
    if (!this.#isOpen) return
    this.#isOpen = false
    await close(this.#fd)
  }

  /** The open FIFO as what waits without a thread; it closes it. */
  pipe(isReader: boolean): Socket {
    this.#isOpen = false
    const { Socket } = process.getBuiltinModule('node:net')
    const socket = new Socket({ fd: this.#fd, readable: isReader, writable: !isReader })
    const end = (): void => void socket.destroy(cancelled())
    this.#signal.addEventListener('abort', end)
    return socket.once('close', () => this.#signal.removeEventListener('abort', end))
  }

  /** Under `--permission` Node refuses some calls that take a number: then by the name, if that is still this file's. */
  async #orByName(call: Promise<void>, byName: (name: string | Buffer) => void): Promise<void> {
    try {
      await call
    } catch (error) {
      if (codeOf(error) !== REFUSED) throw error
      const now = fs.lstatSync(this.#path.name, { bigint: true })
      if (fileId(now) !== fileId(fs.fstatSync(this.#fd, { bigint: true }))) throw error
      byName(this.#path.name)
    }
  }

  /** What does not wait says that it would have to: it is asked again. */
  async #once<T>(call: () => Promise<T>): Promise<T> {
    while (true) {
      this.#signal.throwIfAborted()
      try {
        return await call()
      } catch (error) {
        if (codeOf(error) !== 'EAGAIN') throw error
      }
      await waited()
    }
  }
}

export async function waited(): Promise<void> {
  await pause(SLICE_MS)
}

/** What a name leads to, through links. */
export async function statOf(path: Path): Promise<Stat> {
  return fs.promises.stat(path.name, { bigint: true })
}

/** What stands under a name itself. */
export async function statOfName(path: Path): Promise<Stat | undefined> {
  try {
    return await fs.promises.lstat(path.name, { bigint: true })
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined
    throw error
  }
}

/** What a special file is. */
export function specialKind(stat: Stat): string | undefined {
  if (stat.isFIFO()) return 'a FIFO'
  if (stat.isSocket()) return 'a socket'
  return stat.isCharacterDevice() || stat.isBlockDevice() ? 'a device' : undefined
}

/** What tells one file from another whatever its names. */
export function fileId(stat: Stat): string {
  return `${stat.dev}:${stat.ino}`
}

/** What tells where bytes are from where others are: the file, or the disk, whatever names that. */
export function contentId(stat: Stat): string | undefined {
  if (stat.isFile()) return fileId(stat)
  return stat.isBlockDevice() ? `disk ${stat.rdev}` : undefined
}
