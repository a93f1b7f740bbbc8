import { ArgumentError } from '../../basics/error.js'

/**
 * Refuses a name that would lead out of its folder. On Windows, a backslash does that, and so does a colon after one letter. They are
 * refused on all systems.
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
