// Keeps the prepared key of the last call for the calls that follow in this turn of the event loop: a loop mostly has one key.

/** Holds one object of one key text, for one turn of the event loop at most. */
export class Latest<T> {
  readonly #end: (value: T) => void
  #held: { readonly name: string; readonly key: string; readonly value: T } | undefined

  /** `end` is called with each object that is forgotten. */
  constructor(end: (value: T) => void) {
    this.#end = end
  }

  /** The object that is held, if it has this name and key text. */
  find(name: string, key: string): T | undefined {
    const held = this.#held
    return held !== undefined && held.name === name && held.key === key ? held.value : undefined
  }

  /** Forgets the object that is held, and holds this one. */
  hold(name: string, key: string, value: T): T {
    this.forget()
    this.#held = { name, key, value }
    Promise.resolve().then(() => this.forget())
    return value
  }

  forget(): void {
    const held = this.#held
    this.#held = undefined
    if (held !== undefined) this.#end(held.value)
  }
}
