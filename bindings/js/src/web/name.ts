import { ArgumentError } from '../error.js'

/**
 * Refuses what is no name in a folder but leads out of it. A backslash and a colon after one letter do that on Windows, so that no
 * name does on any system.
 */
export function checkName(name: unknown): string {
  if (typeof name !== 'string') throw new ArgumentError('the name must be a string')
  if (name === '' || name === '.' || name === '..' || /[/\\\0]|^[a-z]:/i.test(name)) {
    throw new ArgumentError(`this is not a file name: ${JSON.stringify(name)}`)
  }
  return name
}

/** The name of something in a folder. */
export function pathIn(folder: string, name: string): string {
  return folder === '' ? checkName(name) : `${folder}/${checkName(name)}`
}
