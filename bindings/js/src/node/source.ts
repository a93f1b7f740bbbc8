type Parts = AsyncGenerator<Uint8Array, void, undefined>

/** A stream whose first bytes can be looked at. What it fails with is kept for its place behind the bytes. */
export class Source {
  readonly #parts: Parts
  #held: Uint8Array = new Uint8Array(0)
  #isDone = false
  fault: { readonly error: unknown } | undefined

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** The first bytes, fewer where there are no more. Memory grows with what arrives. */
  async head(length: number): Promise<Uint8Array> {
    while (this.#held.length < length && !this.#isDone) {
      try {
        const { done, value } = await this.#parts.next()
        this.#isDone = done === true
        if (value !== undefined) this.#hold(value)
      } catch (error) {
        this.#isDone = true
        this.fault = { error }
      }
    }
    return this.#held.subarray(0, length)
  }

  /** All bytes from one on that was looked at. */
  async *rest(from: number): Parts {
    if (from < this.#held.length) yield this.#held.subarray(from)
    if (this.fault !== undefined) throw this.fault.error
    if (!this.#isDone) yield* this.#parts
  }

  async close(): Promise<void> {
    this.#held.fill(0)
    await this.#parts.return()
  }

  /** A copy, since the memory is the next part's too. */
  #hold(part: Uint8Array): void {
    const held = new Uint8Array(this.#held.length + part.length)
    held.set(this.#held)
    held.set(part, this.#held.length)
    this.#held.fill(0)
    this.#held = held
  }
}
