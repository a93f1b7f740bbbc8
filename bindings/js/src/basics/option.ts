import { ArgumentError } from './error.js'

/**
 * Reads an options object: each option once, of its own properties only, so that nothing that was put on `Object.prototype`
 * counts; an option that is not known is refused, since it may be a misspelt one that matters.
 *
 * A function reads its options first and then its bytes: an option may be code of the caller, which may transfer the bytes away.
 */
export function readOptions<T extends object>(options: unknown, known: readonly (keyof T & string)[]): T {
  const read = Object.create(null) as Record<string, unknown>
  if (options === undefined) return read as T
  const entries = entriesOf(options, 'the options')
  // By index: an iterator that another script has put on `Array.prototype` would see keys.
  for (let i = 0; i < entries.length; i++) {
    const entry = entries[i] as [string, unknown]
    const name = entry[0]
    if (!(known as readonly string[]).includes(name)) {
      throw new ArgumentError(`unknown option: ${name}; there are ${known.join(', ')}`)
    }
    read[name] = entry[1]
  }
  return read as T
}

/** The named properties of an object, each read once. An array, a Map or a Date has other contents, which would be lost. */
export function entriesOf(value: unknown, what: string): [string, unknown][] {
  if (tagOf(value) === '[object Object]') return namedOf(value as object)
  throw new ArgumentError(`${what} must be an object with named properties`)
}

// As they were when this module was loaded, likewise.
const { entries: namedOf } = Object
const tagOf = /* @__PURE__ */ Function.prototype.call.bind(Object.prototype.toString) as (value: unknown) => string

export function stringOf(value: unknown, name: string): string {
  if (typeof value === 'string') return value
  throw new ArgumentError(`${name} must be a string`)
}

export function stringOption(value: unknown, name: string): string | undefined {
  if (value === undefined || typeof value === 'string') return value
  throw new ArgumentError(`${name} must be a string`)
}

export function booleanOption(value: unknown, name: string): boolean | undefined {
  if (value === undefined || typeof value === 'boolean') return value
  throw new ArgumentError(`${name} must be a boolean`)
}

/** As of the command line's `--threads`. */
const THREADS_MAX = 1024

export function threadsOption(value: unknown): number | undefined {
  return value === undefined ? value : wholeNumber(value, 'threads', 1, THREADS_MAX)
}

export function wholeNumber(value: unknown, name: string, from: number, to: number): number {
  if (typeof value === 'number' && Number.isInteger(value) && value >= from && value <= to) return value
  throw new ArgumentError(`${name} must be a whole number from ${from} to ${to}`)
}
