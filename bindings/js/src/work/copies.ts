// Through this list the copies of the package in one process find each other, and a monitor finds all of them.

import type { Calls } from '../backend/index.js'

/** A copy of this package that computes: an entry's build, as ES modules or as CommonJS, has one of its own. */
export interface Copy {
  /** Its calls. */
  readonly calls: Calls
  /** Has it compute with something in the place of that. */
  use(calls: Calls): void
}

/** All copies of a realm, and what watches them. */
export interface Copies {
  readonly all: Copy[]
  watch: ((copy: Copy) => void) | undefined
  /** The monitor that does. */
  monitor: object | undefined
}

const COPIES: unique symbol = Symbol.for('sealstone.copies') as never

/** The copies of this realm, which are there for `sealstone/monitor`: it may be loaded before them or after. */
export function copies(): Copies {
  const realm = globalThis as { [COPIES]?: Copies }
  realm[COPIES] ??= { all: [], watch: undefined, monitor: undefined }
  return realm[COPIES]
}

/** Says that a copy computes from now on. */
export function join(copy: Copy): void {
  const { all, watch } = copies()
  all.push(copy)
  watch?.(copy)
}
