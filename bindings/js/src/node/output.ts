// An output: a file that appears whole or not at all, or a FIFO or a device, which is written directly.

import type { Writable } from 'node:stream'
import type { Bytes } from '../basics/bytes.js'
import { SealstoneError } from '../basics/error.js'
import { codeOf, failed, inputChanged, isFolder, refused } from './failure.js'
import { checkKind, type Input, isDevice, pipeOf, type Stat } from './input.js'
import { checkInPlace, isSame, NewFile, type Target } from './new-file.js'

const fs = process.getBuiltinModule('node:fs')
const { promisify } = process.getBuiltinModule('node:util')
const [open, close, fstat] = [promisify(fs.open), promisify(fs.close), promisify(fs.fstat)]

/** Looks at a name, refuses what it may not stand for, and opens it for writing. */
export async function outputOf(to: Target, input: Input): Promise<NewFile | Stream> {
  const { path, replace, special } = to
  try {
    const existing = await fs.promises.lstat(path.name, { bigint: true }).catch((error): undefined => {
      if (codeOf(error) !== 'ENOENT') throw error
    })
    if (path.isFolder || existing?.isDirectory()) throw isFolder('create', path)
    if (to.isInput) checkInPlace(to, input, existing)
    else if (existing !== undefined) {
      checkKind(path, existing, special === true)
      if (isSame(input.stat, existing)) throw failed('same_file', input.path, 'is both an input and the output')
      if (isOwnStream(existing)) return await Stream.open(to, existing, input.run.signal)
      if (!replace) throw failed('output_exists', path, 'already exists')
    }
    return new NewFile(to, input)
  } catch (error) {
    throw refused('create', path, error)
  }
}

/** In a folder that others may write to, a FIFO of another user may lie in wait for the content. */
function isOwnStream(stat: Stat): boolean {
  const isStream = stat.isFIFO() || stat.isSocket() || isDevice(stat)
  return isStream && [0, process.geteuid?.()].includes(Number(stat.uid))
}

/** How often a FIFO is looked at that no process reads from yet. */
const SLICE_MS = 20
/** Bytes that wait in memory at the most. */
const WAITING_MAX = 64 << 20
/** A device or a FIFO, but no link. Windows has only a part of the flags. */
const { O_WRONLY, O_NONBLOCK = 0, O_NOCTTY = 0, O_NOFOLLOW = 0 } = fs.constants
const TO_STREAM = O_WRONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW

/** A device, or a FIFO that a process reads from. */
class Stream {
  readonly #to: Target
  readonly #stream: Writable
  readonly #waiting: Bytes[] = []
  #waitingLen = 0

  private constructor(to: Target, stream: Writable) {
    this.#to = to
    // Each write hears of a failure.
    this.#stream = stream.on('error', () => undefined)
  }

  static async open(to: Target, existing: Stat, signal: AbortSignal): Promise<Stream> {
    const { setTimeout: pause } = process.getBuiltinModule('node:timers/promises')
    const { addAbortSignal } = process.getBuiltinModule('node:stream')
    while (true) {
      signal.throwIfAborted()
      const fd = await open(to.path.name, TO_STREAM).catch((error): undefined => {
        // No process reads from the FIFO yet. For a device, the code means that the device is not there.
        if (!existing.isFIFO() || codeOf(error) !== 'ENXIO') throw error
      })
      if (fd === undefined) {
        await pause(SLICE_MS)
        continue
      }
      const opened = await fstat(fd, { bigint: true })
      if (isOwnStream(opened)) {
        const stream = opened.isFIFO() ? pipeOf(fd, false) : fs.createWriteStream('', { fd })
        return new Stream(to, addAbortSignal(signal, stream))
      }
      await close(fd)
      throw inputChanged(to.path)
    }
  }

  async write(bytes: Bytes): Promise<void> {
    if (!this.#to.waits) return this.#write(bytes)
    this.#waiting.push(bytes)
    this.#waitingLen += bytes.length
    if (this.#waitingLen <= WAITING_MAX) return
    const text = `content of more than ${WAITING_MAX} bytes must go to a file, since it is released only when it is verified`
    throw new SealstoneError('too_long', text)
  }

  async commit(): Promise<void> {
    for (const bytes of this.#waiting) await this.#write(bytes)
  }

  async close(): Promise<void> {
    for (const bytes of this.#waiting) bytes.fill(0)
    this.#stream.destroy()
  }

  async #write(bytes: Bytes): Promise<void> {
    try {
      await new Promise<void>((done, fail) => this.#stream.write(bytes, (error) => (error ? fail(error) : done())))
    } catch (error) {
      throw refused('write', this.#to.path, error)
    } finally {
      bytes.fill(0)
    }
  }
}
