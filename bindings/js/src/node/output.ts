// What is written: a file that appears whole or not at all, or a stream (crates/core/src/pipeline/output.rs).

import type { Socket } from 'node:net'
import { contentId, Descriptor, fileId, type Stat, statOf, statOfName, TO_WRITE, waited } from './descriptor.js'
import {
  codeOf,
  hardLinks,
  inputChanged,
  isFolder,
  notRegular,
  outputExists,
  refused,
  sameFile,
  tooMuchToHold,
} from './failure.js'
import { check, type Input, isUnchanged } from './input.js'
import type { Path } from './path.js'
import { PRIVATE, Temporary } from './temporary.js'

const fs = process.getBuiltinModule('node:fs')

/** How a file is made. */
export interface Making {
  /** Permission bits; what the umask leaves of 0666 where there are none. */
  readonly mode: number | undefined
  /** Whether an existing file is replaced. */
  readonly replace: boolean
  /** Whether that is the input. */
  readonly inPlace: boolean
  /** Whether the input is replaced though it has other names, which keep the old content. */
  readonly splitLinks?: boolean
}

const SHARED = 0o666

/** Where bytes go, once it is open. What was not committed is gone after `discard`. */
export interface Destination {
  /** Takes bytes, which are zeroed once they are written. */
  write(bytes: Uint8Array): Promise<void>
  commit(): Promise<void>
  discard(): Promise<void>
}

/** A name to write to. */
export class Output {
  readonly #path: Path
  readonly #making: Making
  readonly #existing: Stat | undefined
  /** A device or a FIFO, which is written directly. */
  readonly #stream: Stream | undefined
  readonly #signal: AbortSignal

  private constructor(
    path: Path,
    making: Making,
    existing: Stat | undefined,
    stream: Stream | undefined,
    signal: AbortSignal,
  ) {
    this.#path = path
    this.#making = making
    this.#existing = existing
    this.#stream = stream
    this.#signal = signal
  }

  /** Looks at the name. A FIFO that is allowed is waited for until somebody reads from it. */
  static async plan(path: Path, making: Making, special: boolean, signal: AbortSignal): Promise<Output> {
    try {
      if (path.last === undefined) throw isFolder('create', path)
      const existing = await statOfName(path)
      if (existing === undefined) await statOf(path.folder)
      else if (existing.isDirectory()) throw isFolder('create', path)
      else check(path, existing, special)
      const isStream = existing !== undefined && isOwnStream(existing)
      const stream = isStream ? await Stream.open(path, existing, signal) : undefined
      return new Output(path, making, existing, stream, signal)
    } catch (error) {
      throw refused('create', path, error)
    }
  }

  /** Refuses what can be refused before any work: the output is the input, or exists and may not be replaced. */
  check(input: Input): void {
    const existing = this.#existing
    const id = existing && (this.#stream === undefined ? fileId(existing) : contentId(existing))
    if (this.#making.inPlace) {
      // What it leads to would stay as it is.
      if (existing?.isSymbolicLink()) throw notRegular(this.#path, 'a symbolic link')
      // Another file has come under the name since the input was opened.
      if (existing === undefined || id === undefined || id !== input.id) throw inputChanged(input.path)
      refuseLinks(this.#path, this.#making, existing)
      return
    }
    if (id !== undefined && id === input.id) throw sameFile(input.path)
    const isInTheWay = existing !== undefined && this.#stream === undefined && !this.#making.replace
    if (isInTheWay) throw outputExists(this.#path)
  }

  /** What `waits` is released by `commit` alone, as it is of a file anyhow. */
  async begin(waits: boolean): Promise<Destination> {
    if (this.#stream === undefined) return NewFile.create(this.#path, this.#making, this.#existing, this.#signal)
    return waits ? new Waiting(this.#stream) : this.#stream
  }

  /** Closes what was opened and not begun. */
  async close(): Promise<void> {
    await this.#stream?.discard()
  }
}

/** Refuses to replace a file in place whose other names would keep the old content. */
function refuseLinks(path: Path, { splitLinks }: Making, stat: Stat): void {
  if (stat.nlink > 1n && splitLinks !== true) throw hardLinks(path)
}

/** In a folder that others may write to, another's may have been put there to read what is written. */
function isOwnStream(stat: Stat): boolean {
  const isStream = stat.isFIFO() || stat.isSocket() || stat.isCharacterDevice() || stat.isBlockDevice()
  return isStream && (stat.uid === 0n || stat.uid === user())
}

/** Whom the system takes this process for; nobody on Windows. */
function user(): bigint | undefined {
  const id = process.geteuid?.()
  return id === undefined ? undefined : BigInt(id)
}

/** A device, or a FIFO that somebody reads from. */
class Stream implements Destination {
  readonly #path: Path
  readonly #file: Descriptor
  readonly #pipe: Socket | undefined

  private constructor(path: Path, file: Descriptor, isFifo: boolean) {
    this.#path = path
    this.#file = file
    this.#pipe = isFifo ? file.pipe(false) : undefined
    // Each write hears of it.
    this.#pipe?.on('error', () => undefined)
  }

  static async open(path: Path, stat: Stat, signal: AbortSignal): Promise<Stream> {
    const file = await openToWrite(path, stat.isFIFO(), signal)
    try {
      const opened = await file.stat()
      if (!isOwnStream(opened)) throw new Error('it is another file now')
      return new Stream(path, file, opened.isFIFO())
    } catch (error) {
      await file.close()
      throw error
    }
  }

  async write(bytes: Uint8Array): Promise<void> {
    try {
      await (this.#pipe === undefined ? this.#file.write(bytes) : written(this.#pipe, bytes))
    } catch (error) {
      throw refused('write', this.#path, error)
    } finally {
      bytes.fill(0)
    }
  }

  async commit(): Promise<void> {
    await this.discard()
  }

  async discard(): Promise<void> {
    this.#pipe?.destroy()
    await this.#file.close()
  }
}

/** Memory before a stream (crates/core/src/file/signature/waiting.rs). */
class Waiting implements Destination {
  readonly #stream: Stream
  readonly #parts: Uint8Array[] = []
  #length = 0

  constructor(stream: Stream) {
    this.#stream = stream
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.#parts.push(bytes)
    this.#length += bytes.length
    if (this.#length > WAITING_MAX) throw tooMuchToHold(WAITING_MAX)
  }

  async commit(): Promise<void> {
    for (const part of this.#parts) await this.#stream.write(part)
    await this.#stream.commit()
  }

  async discard(): Promise<void> {
    for (const part of this.#parts) part.fill(0)
    await this.#stream.discard()
  }
}

/** Bytes that wait in memory at the most. */
const WAITING_MAX = 64 << 20

async function openToWrite(path: Path, isFifo: boolean, signal: AbortSignal): Promise<Descriptor> {
  while (true) {
    signal.throwIfAborted()
    try {
      return await Descriptor.open(path, TO_WRITE, signal)
    } catch (error) {
      // Nobody reads from the FIFO yet; of a device it says that there is none.
      if (!isFifo || codeOf(error) !== 'ENXIO') throw error
    }
    await waited()
  }
}

function written(pipe: Socket, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    if (pipe.destroyed) reject(pipe.errored)
    else pipe.write(bytes, (error) => (error ? reject(error) : resolve()))
  })
}

/** A file under a random name, until it is complete. */
class NewFile implements Destination {
  readonly #path: Path
  readonly #making: Making
  readonly #existing: Stat | undefined
  readonly #temporary: Temporary
  /** What is being written while more is computed. */
  #writing: Promise<void> = Promise.resolve()

  private constructor(path: Path, making: Making, existing: Stat | undefined, temporary: Temporary) {
    this.#path = path
    this.#making = making
    this.#existing = existing
    this.#temporary = temporary
  }

  static async create(path: Path, making: Making, existing: Stat | undefined, signal: AbortSignal): Promise<NewFile> {
    try {
      const mode = making.mode ?? (IS_WINDOWS ? PRIVATE : await unmasked(path, signal))
      const temporary = Temporary.create(path, PRIVATE, signal)
      return new NewFile(path, { ...making, mode }, existing, temporary)
    } catch (error) {
      throw refused('create', path, error)
    }
  }

  async write(bytes: Uint8Array): Promise<void> {
    try {
      await this.#writing
    } catch (error) {
      bytes.fill(0)
      throw error
    }
    this.#writing = this.#written(bytes)
    // The next call hears of it.
    this.#writing.catch(() => undefined)
  }

  async #written(bytes: Uint8Array): Promise<void> {
    try {
      await this.#temporary.file.write(bytes)
    } catch (error) {
      throw refused('write', this.#path, error)
    } finally {
      bytes.fill(0)
    }
  }

  async commit(): Promise<void> {
    await this.#writing
    const { file } = this.#temporary
    try {
      await this.#settle(file)
    } catch (error) {
      throw refused('create', this.#path, error)
    }
    try {
      await file.sync()
      // Windows names no file that is open.
      if (IS_WINDOWS) await file.close()
    } catch (error) {
      throw refused('sync', this.#path, error)
    }
    try {
      await this.#name()
    } catch (error) {
      if (codeOf(error) === 'EEXIST' && !this.#making.replace) throw outputExists(this.#path)
      throw refused('create', this.#path, error)
    }
    await file.close()
    await this.#syncFolder()
  }

  async discard(): Promise<void> {
    await this.#writing.catch(() => undefined)
    await this.#temporary.discard()
  }

  /** Gives it the owner and mode that it is to have. */
  async #settle(file: Descriptor): Promise<void> {
    const { inPlace, mode = PRIVATE } = this.#making
    if (IS_WINDOWS) return
    const kept = inPlace && this.#existing !== undefined ? await keepOwner(file, this.#existing, mode) : mode
    await file.setMode(kept)
  }

  async #name(): Promise<void> {
    if (!this.#making.replace) return this.#temporary.renameNew(this.#path)
    if (this.#making.inPlace) {
      // At once, so that no other run of this process comes between the look and the name.
      const [now, before] = [fs.lstatSync(this.#path.name, { bigint: true, throwIfNoEntry: false }), this.#existing]
      const isSame = now !== undefined && before !== undefined && fileId(now) === fileId(before)
      if (!isSame || !isUnchanged(now, before)) throw inputChanged(this.#path)
      refuseLinks(this.#path, this.#making, now)
      return this.#temporary.renameNow(this.#path)
    }
    return this.#temporary.rename(this.#path)
  }

  async #syncFolder(): Promise<void> {
    try {
      await syncFolder(this.#path.folder)
    } catch (error) {
      // What may not outlive a power cut is not left as if it would.
      if (!this.#making.replace) await fs.promises.unlink(this.#path.name).catch(() => undefined)
      throw refused('sync', this.#path.folder, error)
    }
  }
}

const IS_WINDOWS = process.platform === 'win32'
const NEVER = new AbortController().signal

/** Returns when the names in a folder would outlive a power cut. Windows has no call for that. */
async function syncFolder(folder: Path): Promise<void> {
  if (IS_WINDOWS) return
  let file: Descriptor | undefined
  try {
    file = await Descriptor.open(folder, fs.constants.O_RDONLY, NEVER)
    await file.sync()
  } catch (error) {
    // Some file systems have nothing to flush, and some folders may be searched but not read.
    if (!['EINVAL', 'EBADF', 'ENOTSUP', 'EACCES'].includes(codeOf(error) ?? '')) throw error
  } finally {
    await file?.close()
  }
}

/** What the umask, or what the folder says, leaves of 0666. A file that has a name is never open to others, so an empty one tells. */
async function unmasked(path: Path, signal: AbortSignal): Promise<number> {
  const probe = Temporary.create(path, SHARED, signal)
  try {
    return Number((await probe.file.stat()).mode) & 0o777
  } finally {
    await probe.remove()
  }
}

/**
 * Gives a file the owner and the group of the one that it replaces, and returns the mode that it may have then. Only root gives
 * files away. For others the rights of the group are for that group only, and go where it cannot be kept.
 */
async function keepOwner(file: Descriptor, { uid, gid }: Stat, mode: number): Promise<number> {
  const now = await file.stat()
  if (user() === 0n) {
    if (now.uid !== uid || now.gid !== gid) await file.setOwner(uid, gid)
  } else if (now.gid !== gid) {
    try {
      await file.setOwner(now.uid, gid)
    } catch {
      return mode & ~0o070
    }
  }
  return mode
}
