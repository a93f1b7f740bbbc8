// Temporary files of a page in the origin's private file system. A page that ends leaves its files. The next page that makes a file
// removes them: each file has a lock, which ends with its page.

/** A file that exists until its page ends or removes it. */
export interface Temporary {
  readonly handle: FileSystemFileHandle
  remove(): Promise<void>
}

const FOLDER = 'sealstone-temporary'

/**
 * A new file, or undefined if there is no such file system: with http, and in the private windows of some browsers. `isUsable` says
 * whether this realm can write to such a file.
 */
export async function temporary(isUsable: (handle: FileSystemFileHandle) => boolean): Promise<Temporary | undefined> {
  let unlock = (): void => undefined
  try {
    const { locks, storage } = globalThis.navigator
    if (locks === undefined) return undefined
    const folder = await (await storage.getDirectory()).getDirectoryHandle(FOLDER, { create: true })
    await sweep(folder).catch(() => undefined)
    const name = crypto.randomUUID()
    unlock = await lock(name)
    const remove = async (): Promise<void> => {
      await folder.removeEntry(name).catch(() => undefined)
      unlock()
    }
    const handle = await folder.getFileHandle(name, { create: true })
    if (isUsable(handle)) return { handle, remove }
    await remove()
  } catch {
    unlock()
  }
  return undefined
}

/** Removes the files of pages that have ended. */
async function sweep(folder: FileSystemDirectoryHandle): Promise<void> {
  for await (const name of folder.keys()) {
    await navigator.locks.request(lockOf(name), { ifAvailable: true }, async (lock) => {
      if (lock !== null) await folder.removeEntry(name).catch(() => undefined)
    })
  }
}

/** Holds the lock of a file until the returned function is called. */
function lock(name: string): Promise<() => void> {
  return new Promise((resolve, reject) => {
    navigator.locks.request(lockOf(name), () => new Promise<void>((unlock) => resolve(unlock))).catch(reject)
  })
}

/** The lock's name. Chromium writes `NAME.crswap` before it renames it to `NAME`: both have the same lock. */
function lockOf(name: string): string {
  return `${FOLDER}/${name.split('.', 1)[0]}`
}
