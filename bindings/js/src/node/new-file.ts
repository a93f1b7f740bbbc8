// A file that gets its name when it is complete.

import type { Bytes } from '../basics/bytes.js'
import { codeOf, DENIED, failed, inputChanged, refused } from './failure.js'
import { type Input, isUnchanged, type Stat } from './input.js'
import type { Path } from './path.js'
import { makeBeside, PRIVATE, remove } from './temporary.js'

const fs = process.getBuiltinModule('node:fs')
const { promisify } = process.getBuiltinModule('node:util')
const [open, close, write, fsync] = [promisify(fs.open), promisify(fs.close), promisify(fs.write), promisify(fs.fsync)]
const [chmod, chown, truncate] = [promisify(fs.fchmod), promisify(fs.fchown), promisify(fs.ftruncate)]

const IS_WINDOWS = process.platform === 'win32'
const SHARED = 0o666

/** Which file is written, and how. */
export interface Target {
  readonly path: Path
  /** Whether an existing file is replaced. */
  readonly replace: boolean
  /** Whether FIFOs and devices are written. */
  readonly special?: boolean
  /** Whether only the owner may read the new file; otherwise the umask decides. */
  readonly isPrivate?: boolean
  /** Whether a FIFO or a device gets the bytes only when all of them are there, as a file does anyway. */
  readonly waits?: boolean
  /** Whether the file is the input, which keeps its owner and its mode. */
  readonly isInput?: boolean
  /** Whether the input is replaced though it has other names, which keep the old content. */
  readonly splitLinks?: boolean
}

export class NewFile {
  readonly #to: Target
  readonly #input: Input
  readonly #mode: number
  readonly #path: Path
  readonly #fd: number
  #isOpen = true
  #isNamed = false
  /** Bytes that are written while more are computed. */
  #writing: Promise<void> = Promise.resolve()

  constructor(to: Target, input: Input) {
    this.#to = to
    this.#input = input
    this.#mode = to.isInput ? Number(input.stat.mode) & 0o777 : to.isPrivate ? PRIVATE : unmasked(to.path)
    ;[this.#path, this.#fd] = makeBeside(to.path, PRIVATE)
  }

  /** Takes bytes, which are zeroed once they are written. */
  async write(bytes: Bytes): Promise<void> {
    const before = this.#writing
    this.#writing = this.#write(bytes, before)
    // The next write hears of a failure.
    this.#writing.catch(() => undefined)
    await before
  }

  /** The name comes last, so the file under it is complete, and outlives a power cut. */
  async commit(): Promise<void> {
    await this.#writing
    const { path, replace } = this.#to
    try {
      if (!IS_WINDOWS) await this.#setRights()
      // If Node's permissions refuse to flush the file, each write was flushed.
      await fsync(this.#fd).catch(unlessDenied)
      // Windows renames no file that is open.
      if (IS_WINDOWS) await this.#close()
      await this.#name()
      await syncFolder(path.folder)
    } catch (error) {
      throw codeOf(error) === 'EEXIST' && !replace
        ? failed('output_exists', path, 'already exists')
        : refused('create', path, error)
    }
  }

  /** Removes a file that has no name yet, and its content: its folder may have another name by now. */
  async close(): Promise<void> {
    await this.#writing.catch(() => undefined)
    if (!this.#isNamed && this.#isOpen) await truncate(this.#fd, 0).catch(() => undefined)
    await this.#close()
    if (!this.#isNamed) remove(this.#path)
  }

  async #write(bytes: Bytes, before: Promise<void>): Promise<void> {
    try {
      await before
      await writeAll(this.#fd, bytes)
    } catch (error) {
      throw refused('write', this.#to.path, error)
    } finally {
      bytes.fill(0)
    }
  }

  async #setRights(): Promise<void> {
    const [{ uid, gid }, now] = [this.#input.stat, fs.fstatSync(this.#fd, { bigint: true })]
    let mode = this.#mode
    if (this.#to.isInput && (now.uid !== uid || now.gid !== gid)) {
      // Only root gives files away. For others the rights of the group go, since they were another group's.
      await chown(this.#fd, Number(uid), Number(gid)).catch(() => {
        mode &= ~0o070
      })
    }
    if ((Number(now.mode) & 0o7777) === mode) return
    await chmod(this.#fd, mode).catch((error) => {
      // Node's permissions refuse a call that takes a number. By its name it is allowed, if that is still this file's.
      const named = fs.lstatSync(this.#path.name, { bigint: true })
      if (codeOf(error) !== DENIED || named.ino !== now.ino || named.dev !== now.dev) throw error
      fs.chmodSync(this.#path.name, mode)
    })
  }

  async #name(): Promise<void> {
    const [{ path, replace, isInput }, from] = [this.#to, this.#path.name]
    if (isInput) {
      // Both at once, so that no other run of this process comes between the look and the name.
      checkInPlace(this.#to, this.#input, fs.lstatSync(path.name, { bigint: true, throwIfNoEntry: false }))
      fs.renameSync(from, path.name)
    } else if (replace) await fs.promises.rename(from, path.name)
    else await renameNew(from, path.name)
    this.#isNamed = true
    remove(this.#path)
  }

  async #close(): Promise<void> {
    if (this.#isOpen) await close(this.#fd)
    this.#isOpen = false
  }
}

async function writeAll(fd: number, bytes: Bytes): Promise<void> {
  for (let at = 0; at < bytes.length; ) at += (await write(fd, bytes, at)).bytesWritten
}

function unlessDenied(error: unknown): void {
  if (codeOf(error) !== DENIED) throw error
}

/** Refuses to replace another file than the input, or one whose other names would keep the old content. */
export function checkInPlace({ path, splitLinks }: Target, { stat }: Input, now: Stat | undefined): void {
  if (now?.isSymbolicLink()) throw failed('not_regular_file', path, 'is a symbolic link, not a regular file')
  if (now === undefined || !isSame(stat, now) || !isUnchanged(now, stat)) throw inputChanged(path)
  const text = 'has other names (hard links), which would keep the old content'
  if (now.nlink > 1n && splitLinks !== true) throw failed('hard_links', path, text)
}

/** Whether two names stand for the same bytes: of one file, or of one disk. */
export function isSame(one: Stat, other: Stat): boolean {
  if (one.isBlockDevice()) return other.isBlockDevice() && one.rdev === other.rdev
  return one.isFile() && one.dev === other.dev && one.ino === other.ino
}

/** Gives a file another name, if nothing has that. Where there are no links, an empty file stands under it for a moment. */
async function renameNew(from: string | Buffer, to: string | Buffer): Promise<void> {
  try {
    await fs.promises.link(from, to)
    return
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw error
  }
  fs.closeSync(fs.openSync(to, 'wx', PRIVATE))
  try {
    fs.renameSync(from, to)
  } catch (error) {
    if (fs.lstatSync(to, { throwIfNoEntry: false })?.size === 0) fs.rmSync(to, { force: true })
    throw error
  }
}

/** The mode of an empty new file. `process.umask()` would change the umask of all threads for a moment. */
function unmasked(path: Path): number {
  if (IS_WINDOWS) return PRIVATE
  const [probe, fd] = makeBeside(path, SHARED)
  try {
    return fs.fstatSync(fd).mode & 0o777
  } finally {
    fs.closeSync(fd)
    remove(probe)
  }
}

/** Returns when the names in a folder would outlive a power cut. Windows has no call for that. */
async function syncFolder(folder: Path): Promise<void> {
  if (IS_WINDOWS) return
  try {
    const fd = await open(folder.name, 'r')
    await fsync(fd).finally(() => close(fd))
  } catch (error) {
    // Some file systems have nothing to flush, some folders may be searched but not read, and Node's permissions refuse it.
    if (!['EINVAL', 'EBADF', 'ENOTSUP', 'EACCES', DENIED].includes(codeOf(error) ?? '')) throw error
  }
}
