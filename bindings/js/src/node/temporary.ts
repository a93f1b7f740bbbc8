// A file on its way to its name (crates/core/src/pipeline/temporary.rs).

import { Descriptor, statOfName, TO_MAKE } from './descriptor.js'
import { codeOf } from './failure.js'
import type { Path } from './path.js'

const fs = process.getBuiltinModule('node:fs')

/** A file under a random name beside the final one. The process removes it when it ends, unless it is killed. */
export class Temporary {
  readonly file: Descriptor
  readonly #path: Path

  private constructor(file: Descriptor, path: Path) {
    this.file = file
    this.#path = path
  }

  static async create(beside: Path, mode: number, signal: AbortSignal): Promise<Temporary> {
    const path = beside.beside(newName())
    remember(path)
    try {
      return new Temporary(await Descriptor.open(path, TO_MAKE, signal, mode), path)
    } catch (error) {
      forget(path)
      throw error
    }
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
  async #renameReserved(to: Path): Promise<void> {
    const reserved = await Descriptor.open(to, TO_MAKE, NEVER, PRIVATE)
    try {
      await reserved.close()
      await this.rename(to)
    } catch (error) {
      const now = await statOfName(to).catch(() => undefined)
      if (now?.size === 0n) await fs.promises.unlink(to.name).catch(() => undefined)
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

const NEVER = new AbortController().signal
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
  if (left.size === 0) process.on('exit', removeLeft)
  left.add(path)
}

function forget(path: Path): void {
  if (left.delete(path) && left.size === 0) process.off('exit', removeLeft)
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
