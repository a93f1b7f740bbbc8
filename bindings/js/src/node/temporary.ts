// Names of files that are not complete yet. The process removes the files when it ends, unless it is killed.

import type { Path } from './path.js'

const fs = process.getBuiltinModule('node:fs')

/** A mode for the owner alone. */
export const PRIVATE = 0o600

/** Node's permissions refuse to flush a file: then each write is flushed, where the system can do that. */
const { O_CREAT, O_EXCL, O_RDWR, O_NOFOLLOW = 0, O_SYNC = 0 } = fs.constants
const TO_MAKE = O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | ('permission' in process ? O_SYNC : 0)

/** Makes a file under a random name beside another. It is there when this returns: one that a thread makes later would stay. */
export function makeBeside(other: Path, mode: number): [path: Path, fd: number] {
  const path = other.beside(newName())
  const fd = fs.openSync(path.name, TO_MAKE, mode)
  left.add(path)
  listen()
  return [path, fd]
}

/** Removes a file, whose name may be gone. */
export function remove(path: Path): void {
  unlink(path)
  left.delete(path)
  if (left.size > 0) return
  process.off('exit', removeLeft)
  for (const [signal, listener] of LISTENERS) process.off(signal, listener)
}

/**
 * The zeros stand for no system that runs: the core removes files that a killed process has left under such names, and recognizes
 * those of living processes by locks, which Node does not have.
 */
function newName(): string {
  const random = process.getBuiltinModule('node:crypto').randomBytes(8).toString('hex')
  return `.sealstone-00000000-${random}.tmp`
}

const left = new Set<Path>()

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
  for (const path of left) unlink(path)
}

function unlink(path: Path): void {
  try {
    fs.unlinkSync(path.name)
  } catch {
    // A file that cannot be removed now could not be removed later either.
  }
}
