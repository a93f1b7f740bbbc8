// A file on its way to its name (crates/core/src/pipeline/temporary.rs).

import { Descriptor, TO_MAKE } from './descriptor.js'
import { codeOf } from './failure.js'
import type { Path } from './path.js'

const fs = process.getBuiltinModule('node:fs')

/**
 * A file under a random name beside the final one. The process removes it when it ends, unless it is killed. It is made, and its
 * final name reserved, before these functions return: what a thread of Node's makes a moment later nobody would remove.
 */
export class Temporary {
  readonly file: Descriptor
  readonly #path: Path

  private constructor(file: Descriptor, path: Path) {
    this.file = file
    this.#path = path
  }

  static create(beside: Path, mode: number, signal: AbortSignal): Temporary {
    const path = beside.beside(newName())
    const file = Descriptor.make(path, signal, mode)
    remember(path)
    return new Temporary(file, path)
  }

  /** Gives it the final name, whatever has that. */
  async rename(to: Path): Promise<void> {
    await fs.promises.rename(this.#path.name, to.name)
    forget(this.#path)
  }

  /** As {@link rename}, before this returns. */
  renameNow(to: Path): void {
    fs.renameSync(this.#path.name, to.name)
    forget(this.#path)
  }

  /** Gives it the final name, if nothing has that. */
  async renameNew(to: Path): Promise<void> {
    try {
      await fs.promises.link(this.#path.name, to.name)
    } catch (error) {
      if (!WITHOUT_LINKS.includes(codeOf(error) ?? '')) throw error
      return this.#renameReserved(to)
    }
    await this.remove()
  }

  /** Where there are no links, what stands under the name from here on is empty, for the time of two calls. */
  #renameReserved(to: Path): void {
    fs.closeSync(fs.openSync(to.name, TO_MAKE, PRIVATE))
    try {
      this.renameNow(to)
    } catch (error) {
      if (fs.lstatSync(to.name, { throwIfNoEntry: false })?.size === 0) fs.rmSync(to.name, { force: true })
      throw error
    }
  }

  /** Removes it, and what is in it: its folder may have another name by now. */
  async discard(): Promise<void> {
    if (left.has(this.#path)) await this.file.cut().catch(() => undefined)
    await this.remove()
  }

  async remove(): Promise<void> {
    await this.file.close().catch(() => undefined)
    // What cannot be removed now could not be removed later either.
    if (left.has(this.#path)) await fs.promises.unlink(this.#path.name).catch(() => undefined)
    forget(this.#path)
  }
}

/** For its owner alone. */
export const PRIVATE = 0o600

/** What file systems and Windows say where they have no second names. */
const WITHOUT_LINKS = ['EPERM', 'EACCES', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS', 'EMLINK', 'EINVAL', 'EISDIR', 'UNKNOWN']

/**
 * Of no system that runs: the core removes what others of its names a killed process has left, and knows those of living ones by
 * locks, which Node has not.
 */
function newName(): string {
  const random = process.getBuiltinModule('node:crypto').randomBytes(8).toString('hex')
  return `.sealstone-00000000-${random}.tmp`
}

const left = new Set<Path>()

function remember(path: Path): void {
  left.add(path)
  listen()
}

function forget(path: Path): void {
  left.delete(path)
  if (left.size > 0) return
  process.off('exit', removeLeft)
  for (const [signal, listener] of LISTENERS) process.off(signal, listener)
}

/** Listens to the end of the process while there is something to remove. */
function listen(): void {
  if (left.size === 0) return
  if (!process.listeners('exit').includes(removeLeft)) process.on('exit', removeLeft)
  for (const [signal, listener] of LISTENERS) {
    if (!process.listeners(signal).includes(listener)) process.prependListener(signal, listener)
  }
}

/** Signals that end a process by themselves, and can be listened to. A worker hears none. */
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
const LISTENERS = new Map<NodeJS.Signals, () => void>(SIGNALS.map((signal) => [signal, () => heard(signal)]))

/**
 * Ends the process as the signal would have. If others listen to it, the end is theirs to decide, and they find no listener of ours:
 * libraries that end processes count them. Who then takes his own away, and sends the signal again, meets ours.
 */
function heard(signal: NodeJS.Signals): void {
  process.off(signal, LISTENERS.get(signal) as () => void)
  if (process.listenerCount(signal) === 0) {
    removeLeft()
    process.kill(process.pid, signal)
    return
  }
  process.once('removeListener', listen)
  setImmediate(() => {
    process.off('removeListener', listen)
    listen()
  })
}

function removeLeft(): void {
  for (const path of left) {
    try {
      fs.unlinkSync(path.name)
    } catch {
      // The others are to go nevertheless.
    }
  }
}
