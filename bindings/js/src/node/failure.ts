// What can go wrong with files, as the core says it (crates/core/src/error.rs).

import type { Failure } from '../backend/calls.js'
import { SealstoneError } from '../basics/error.js'
import type { Path } from './path.js'

/** The system refused something, or a name is not what it has to be. */
export function refused(action: string, path: Path, error: unknown): SealstoneError {
  if (error instanceof SealstoneError) return error
  const { code, errno, message } = error as NodeJS.ErrnoException
  const { getSystemErrorMap } = process.getBuiltinModule('node:util')
  const text = errno === undefined ? undefined : getSystemErrorMap().get(errno)?.[1]
  const reason = text ?? message ?? String(code)
  return new SealstoneError('io', `${action} ${path.shown}: ${reason}`, { cause: error })
}

export function isFolder(action: string, path: Path): SealstoneError {
  return new SealstoneError('io', `${action} ${path.shown}: is a directory`)
}

export function sameFile(path: Path): SealstoneError {
  return new SealstoneError('same_file', `${path.shown} is both an input and the output`)
}

export function outputExists(path: Path): SealstoneError {
  return new SealstoneError('output_exists', `${path.shown} already exists`)
}

export function hardLinks(path: Path): SealstoneError {
  const text = 'has other names (hard links), which would keep the old content'
  return new SealstoneError('hard_links', `${path.shown} ${text}`)
}

export function notRegular(path: Path, kind: string): SealstoneError {
  return new SealstoneError('not_regular_file', `${path.shown} is ${kind}, not a regular file`)
}

export function inputChanged(path: Path): SealstoneError {
  return new SealstoneError('input_changed', `${path.shown} changed while it was read`)
}

export function notSeekable(): SealstoneError {
  const text = 'the input must be a regular file, since it is read at several positions'
  return new SealstoneError('not_seekable', text)
}

export function tooMuchToHold(max: number): SealstoneError {
  const text = `content of more than ${max} bytes must go to a file, since it is released only when it is verified`
  return new SealstoneError('too_long', text)
}

export function cancelled(): SealstoneError {
  return new SealstoneError('cancelled', 'cancelled')
}

/** The code of what the system refused, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | undefined)?.code
}

/** What a promise is fulfilled with where work failed. */
export function failureOf(error: unknown): Failure {
  if (!(error instanceof SealstoneError)) throw error
  const { code, message, cause } = error
  const errno = code === 'io' ? errnoOf(cause as NodeJS.ErrnoException | undefined) : undefined
  return { code, message, ...(errno !== undefined && { errno }) }
}

/** What Node's permissions refuse has no number: it gets the system's of what may not be done. */
function errnoOf(cause: NodeJS.ErrnoException | undefined): number | undefined {
  if (codeOf(cause) !== 'ERR_ACCESS_DENIED') return cause?.errno === undefined ? undefined : -cause.errno
  const { getSystemErrorMap } = process.getBuiltinModule('node:util')
  const [errno] = [...getSystemErrorMap()].find(([, [name]]) => name === 'EACCES') ?? []
  return errno === undefined ? undefined : -errno
}
