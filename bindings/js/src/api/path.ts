import { type Bytes, bytesOf, isBytesLike, utf8 } from '../basics/bytes.js'
import { ArgumentError } from '../basics/error.js'
import { booleanOption } from '../basics/option.js'
import { platform } from '../work/call.js'
import { RUN_OPTIONS, type RunOptions } from '../work/run.js'

/** A file's name: text, the bytes of one that is not UTF-8, or a `file:` URL. */
export type PathLike = string | Uint8Array | URL

/** How a file is written. */
export interface WriteOptions {
  /** Whether to replace an existing file; otherwise it is the error `output_exists`. */
  readonly replace?: boolean
}

/** Which files are opened. */
export interface AccessOptions {
  /**
   * Whether names may stand for FIFOs and devices; otherwise those are the error `not_regular_file`. Work on a FIFO waits without
   * limit for a process at its other end: give a `signal`, which ends the wait.
   */
  readonly allowSpecial?: boolean
}

/** @internal */
export const READ: readonly (keyof (AccessOptions & RunOptions))[] = ['allowSpecial', ...RUN_OPTIONS]
/** @internal */
export const WRITE = ['replace', ...READ] as const

/** @internal */
export function specialOf(read: AccessOptions): boolean {
  return booleanOption(read.allowSpecial, 'allowSpecial') === true
}

/** @internal */
export function pathOf(path: unknown): Bytes {
  if (isUrl(path)) return utf8(platform.pathOfUrl(path.href), 'the path')
  if (!isBytesLike(path)) throw new ArgumentError(`the path must be ${A_PATH}`)
  const bytes = bytesOf(path, 'the path')
  if (bytes.length === 0 || bytes.includes(0)) throw new ArgumentError('the path is empty or contains a zero byte')
  return bytes
}

/** @internal Where options stand in its place, it was forgotten. */
export function checkOutput(path: unknown): void {
  if (!isUrl(path) && !isBytesLike(path)) throw new ArgumentError(`the output is missing: its path must be ${A_PATH}`)
}

const A_PATH = 'a string, a Uint8Array or a file: URL'

/** Whether it is a URL, by its properties, as Node tells: a test runner's page has a class of its own. */
function isUrl(path: unknown): path is URL {
  if (typeof path !== 'object' || path === null || ArrayBuffer.isView(path)) return false
  const { href, protocol } = path as Partial<URL>
  return typeof href === 'string' && typeof protocol === 'string'
}
