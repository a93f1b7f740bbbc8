/**
 * What programs make objects of: an object that others inherit from, with a constructor `init`. Own modes, and other objects that are put
 * together as crypto-js's are, come from it.
 */
export interface Base {
  /** What this object inherits from. */
  readonly $super: Base
  /** Takes the arguments of {@link create}. */
  init(...args: never[]): void
  /** An object that inherits from this one, with these properties. */
  extend<T extends object>(overrides?: T & ThisType<this & T>): this & T
  /** As {@link extend}, and calls `init` of it. */
  create(...args: unknown[]): this
  /** Takes over the properties of another object. */
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

/** Takes over properties, and no other prototype, which text of JSON may name. */
export function mixIn(made: object, properties: object): void {
  for (const [name, value] of Object.entries(properties)) {
    if (name !== '__proto__') (made as Record<string, unknown>)[name] = value
  }
}
