/** The name of an object's class, for other copies of this package. */
export const BRAND: unique symbol = Symbol.for('sealstone.class') as never

/**
 * The `instanceof` of a class that may be there several times in one process: as an ES module and as CommonJS, in a bundle, in
 * each realm of a test runner. An object of any of them is an instance of all.
 */
export function isInstance(tested: unknown, own: { prototype: object }, value: unknown): boolean {
  // A subclass of somebody else's inherits this, and has no brand of its own.
  if (tested !== own) return Function.prototype[Symbol.hasInstance].call(tested, value)
  if (typeof value !== 'object' || value === null) return false
  return (value as Branded)[BRAND] === (own.prototype as Branded)[BRAND]
}

interface Branded {
  readonly [BRAND]?: string
}
