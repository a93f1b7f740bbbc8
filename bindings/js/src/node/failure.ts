// Failures of files by name, with the codes of core.

import type { Failure } from '../backend/calls.js'
import { SealstoneError, type SealstoneErrorCode } from '../basics/error.js'
import type { Path } from './path.js'

/** A file is not what it has to be. */
export function failed(code: SealstoneErrorCode, path: Path, text: string): SealstoneError {
  return new SealstoneError(code, `${path.shown} ${text}`)
}

/** The system refused something. An error of ours stays what it is. */
export function refused(action: string, path: Path, error: unknown): unknown {
  if (error instanceof SealstoneError) return error
  const { errno, message } = error as NodeJS.ErrnoException
  const { getSystemErrorMap } = process.getBuiltinModule('node:util')
  const reason = errno === undefined ? message : getSystemErrorMap().get(errno)?.[1]
  return new SealstoneError('io', `${action} ${path.shown}: ${reason}`, { cause: error })
}

export function isFolder(action: string, path: Path): SealstoneError {
  return new SealstoneError('io', `${action} ${path.shown}: is a directory`)
}

export function inputChanged(path: Path): SealstoneError {
  return failed('input_changed', path, 'changed while it was read')
}

export function notSeekable(): SealstoneError {
  return new SealstoneError('not_seekable', 'the input must be a regular file, since it is read at several positions')
}

/** The code of what the system refused, such as `ENOENT`. */
export function codeOf(error: unknown): string | undefined {
  return (error as NodeJS.ErrnoException | undefined)?.code
}

/** The code of Node for everything that its permissions refuse. */
export const DENIED = 'ERR_ACCESS_DENIED'

/** The result of a promise whose work failed. */
export function failureOf(error: unknown): Failure {
  if (!(error instanceof SealstoneError)) throw error
  const { code, message, cause } = error
  // Node's permissions have no number of the system.
  const { EACCES } = process.getBuiltinModule('node:os').constants.errno
  const errno = codeOf(cause) === DENIED ? EACCES : -((cause as NodeJS.ErrnoException | undefined)?.errno ?? 0)
  return { code, message, ...(errno > 0 && { errno }) }
}
