// What the last call had of a key text, for the calls that follow in this turn of the event loop: a loop has one key.

/** One thing of a key text at a time, and for no more than a turn of the event loop. */
export class Latest<T> {
  readonly #end: (value: T) => void
  #held: { readonly name: string; readonly key: string; readonly value: T } | undefined

  /** What is done with a thing that is forgotten. */
  constructor(end: (value: T) => void) {
    this.#end = end
  }

  /** What is held, if it is of this name and key text. */
  find(name: string, key: string): T | undefined {
    const held = this.#held
    return held !== undefined && held.name === name && held.key === key ? held.value : undefined
  }

  /** Forgets what is held, and holds this. */
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
