import { BRAND, isInstance } from './brand.js'
import { ArgumentError } from './error.js'

/**
 * Brands a class whose objects users hold, and returns the brand, by which all copies of this package recognise its objects. The objects
 * get a `Symbol.toStringTag`: Vue wraps objects without one in a proxy, and a proxy has no private members. The methods refuse every other
 * object with a message of this package. `has` recognises the objects, and `free` names the methods that need no object.
 */
export function branded(
  own: { readonly prototype: object },
  brand: string,
  has: (value: object) => boolean,
  free: readonly PropertyKey[] = [],
): string {
  const { prototype } = own
  const isOwn = (value: unknown): boolean => typeof value === 'object' && value !== null && has(value)
  for (const [key, property] of methodsOf(prototype)) {
    if (!free.includes(key)) define(prototype, key, guarded(property, key, brand, isOwn))
  }
  define(own, Symbol.hasInstance, {
    value(this: unknown, value: unknown) {
      return isInstance(this, own, value)
    },
  })
  define(prototype, BRAND, { value: brand })
  // Some classes have a getter for it, which TypeScript sees.
  if (!(Symbol.toStringTag in prototype)) {
    define(prototype, Symbol.toStringTag, { value: brand.slice(brand.lastIndexOf('.') + 1) })
  }
  return brand
}

// As they were when this module was loaded.
const define = Object.defineProperty
const getOwnPropertyDescriptor = Object.getOwnPropertyDescriptor
const getPrototypeOf = Object.getPrototypeOf
const apply = Reflect.apply
const ownKeys = Reflect.ownKeys

/** The methods and properties of a class and of the classes that it inherits from. */
function methodsOf(prototype: object): Map<PropertyKey, PropertyDescriptor> {
  const methods = new Map<PropertyKey, PropertyDescriptor>()
  for (let at = prototype; at !== Object.prototype; at = getPrototypeOf(at)) {
    for (const key of ownKeys(at)) {
      if (key === 'constructor' || key === Symbol.toStringTag || methods.has(key)) continue
      methods.set(key, getOwnPropertyDescriptor(at, key) as PropertyDescriptor)
    }
  }
  return methods
}

type Method = (...args: unknown[]) => unknown

/** A method, or both accessors of a property, with a check of its object. */
function guarded(
  property: PropertyDescriptor,
  key: PropertyKey,
  brand: string,
  isOwn: (value: unknown) => boolean,
): PropertyDescriptor {
  const guard = (method: Method): Method => {
    const promises = Object.prototype.toString.call(method) === '[object AsyncFunction]'
    // A method in an object literal, like the one it replaces: it has the same name, and `new` refuses it.
    const named = {
      [key](this: unknown, ...args: unknown[]): unknown {
        if (isOwn(this)) return apply(method, this, args)
        const error = refused(key, brand, this)
        if (promises) return Promise.reject(error)
        throw error
      },
    }
    return (named as Record<PropertyKey, Method>)[key as string] as Method
  }
  const { value, get, set } = property
  if (typeof value === 'function') return { ...property, value: guard(value) }
  return { ...property, ...(get && { get: guard(get) as () => unknown }), ...(set && { set: guard(set) }) }
}

function refused(key: PropertyKey, brand: string, value: unknown): ArgumentError {
  const name = typeof key === 'symbol' ? key.description : key
  const why =
    typeof value === 'object' && value !== null
      ? 'on an object of another class, or on a proxy: call it on the object itself'
      : 'without its object: pass a function that calls it'
  return new ArgumentError(`${name} of ${brand} was called ${why}`)
}
