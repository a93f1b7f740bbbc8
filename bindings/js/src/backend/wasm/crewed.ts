// Files in parts with threads that a program has started: those do what is long, whoever did it before.

import type { Handle } from '../calls.js'
import type { Chunks } from './chunks.js'
import type { Crew, Files } from './hosting.js'
import * as host from './intrinsics.js'

/** From so many bytes on messages to a thread pay. */
const LONG_LEN = 1 << 18

/** Files with the crew that there is when one begins, or with the host; a file stays with whom it began. */
export class CrewedFiles implements Files {
  readonly #host: Files | undefined
  readonly #crew: () => Crew | undefined
  readonly #begun = host.dictionary<Crew['files'] | null>()

  constructor(host: Files | undefined, crew: () => Crew | undefined) {
    this.#host = host
    this.#crew = crew
  }

  forget(handle: Handle): void {
    this.#host?.forget(handle)
    this.#begun[handle]?.forget(handle)
    delete this.#begun[handle]
  }

  sealing(sealer: Handle, length?: number): Chunks | undefined {
    return this.#of(sealer, length)?.sealing(sealer) ?? this.#host?.sealing(sealer)
  }

  opening(opener: Handle, length?: number): Chunks | undefined {
    return this.#of(opener, length)?.opening(opener) ?? this.#host?.opening(opener)
  }

  openingFrom(opener: Handle, first: number, length: number): Chunks | undefined {
    return (
      this.#of(opener, length)?.openingFrom(opener, first, length) ?? this.#host?.openingFrom(opener, first, length)
    )
  }

  #of(handle: Handle, length = LONG_LEN): Crew['files'] | null {
    this.#begun[handle] ??= (length < LONG_LEN ? undefined : this.#crew()?.files) ?? null
    return this.#begun[handle]
  }
}
