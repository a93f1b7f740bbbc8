/**
 * The root object of crypto-js: other objects inherit from it, and `init` is their constructor. Programs extend it for modes of their own
 * and for other objects in the style of crypto-js.
 */
export interface Base {
  /** The object that this one inherits from. */
  readonly $super: Base
  /** Takes the arguments of {@link create}. */
  init(...args: never[]): void
  /** An object that inherits from this one, with these properties. */
  extend<T extends object>(overrides?: T & ThisType<this & T>): this & T
  /** An object that inherits from this one, on which `init` was called with these arguments. */
  create(...args: unknown[]): this
  /** Copies the properties of another object into this one. */
  mixIn(properties: object): void
  /** Another object with the same properties. */
  clone(): this
}

interface Init {
  (this: object, ...args: unknown[]): void
  prototype: object
}

interface Made {
  init: Init
  $super: { init: Init }
}

export const Base: Base = /* @__PURE__ */ base()

function base(): Base {
  const root = {
    init() {},
    extend(this: Made, overrides?: object): object {
      const made = Object.create(this) as Made
      if (overrides) mixIn(made, overrides)
      if (made.init === this.init) {
        made.init = function init(...args) {
          made.$super.init.apply(this, args)
        }
      }
      made.init.prototype = made
      made.$super = this
      return made
    },
    create(this: Base, ...args: unknown[]): object {
      const made = this.extend({})
      made.init(...(args as never[]))
      return made
    },
    mixIn(properties: object): void {
      mixIn(this, properties)
    },
    clone(this: { init: { prototype: Base } }): object {
      return this.init.prototype.extend(this)
    },
  }
  return root as unknown as Base
}

/** Copies properties, but not `__proto__`: text of JSON could set another prototype with it. */
export function mixIn(made: object, properties: object): void {
  for (const [name, value] of Object.entries(properties)) {
    if (name !== '__proto__') (made as Record<string, unknown>)[name] = value
  }
}
