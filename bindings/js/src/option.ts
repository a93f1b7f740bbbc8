/**
 * Reads an options object: each option once, of its own properties only, so that nothing that was put on `Object.prototype`
 * counts; an option that is not known is refused, since it may be a misspelt one that matters.
 */
export function readOptions<T extends object>(options: unknown, known: readonly (keyof T & string)[]): T {
  const read = Object.create(null) as Record<string, unknown>
  if (options === undefined) return read as T
  if (typeof options !== 'object' || options === null) throw new TypeError('the options must be an object')
  for (const name of Object.keys(options)) {
    if (!(known as readonly string[]).includes(name)) throw new TypeError(`unknown option: ${name}`)
    read[name] = (options as Record<string, unknown>)[name]
  }
  return read as T
}

export function stringOf(value: unknown, name: string): string {
  if (typeof value === 'string') return value
  throw new TypeError(`${name} must be a string`)
}

export function stringOption(value: unknown, name: string): string | undefined {
  if (value === undefined || typeof value === 'string') return value
  throw new TypeError(`${name} must be a string`)
}

export function booleanOption(value: unknown, name: string): boolean | undefined {
  if (value === undefined || typeof value === 'boolean') return value
  throw new TypeError(`${name} must be a boolean`)
}

export function countOption(value: unknown, name: string): number | undefined {
  if (value === undefined) return value
  if (typeof value === 'number' && Number.isInteger(value) && value >= 1 && value <= 0xffff) return value
  throw new TypeError(`${name} must be a whole number, and 1 at the least`)
}
