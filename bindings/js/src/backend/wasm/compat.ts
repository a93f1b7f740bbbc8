// Names and formats of other software.

import type { CompatCalls, CompatPromises, Handle, Later, Out } from '../calls.js'
import type { Parts } from './hosting.js'
import * as host from './intrinsics.js'
import { familyOf } from './module.js'
import { COMPAT } from './signatures.js'
import type { Work } from './work.js'

export class Compat extends familyOf<CompatCalls>(COMPAT) implements CompatPromises {
  readonly #work: Work

  constructor({ sourceOf, work }: Parts) {
    super(sourceOf('compat'))
    this.#work = work
  }

  yuantsSealLoaded(format: string, key: string, loading: Handle): Later<Out> {
    return this.#work.withLoaded(loading, undefined, (loaded) => {
      const length = host.arrayLength(loaded)
      const headLen = this.yuantsHeadLen(format)
      const sealed = new host.Bytes(length + this.yuantsTailLen(format))
      this.yuantsSeal(format, key, host.partOf(loaded, headLen, length - headLen), sealed)
      return sealed
    })
  }

  yuantsOpenLoaded(format: string, key: string, loading: Handle): Later<Out> {
    return this.#work.withLoaded(loading, undefined, (sealed) =>
      openedInto(host.arrayLength(sealed) - this.yuantsHeadLenOf(format, sealed), (plaintext) =>
        this.yuantsOpen(format, key, sealed, plaintext),
      ),
    )
  }

  yuantsHmacLoaded(hash: string, key: Uint8Array, loading: Handle): Later<Out> {
    return this.#work.withLoaded(loading, undefined, (data) => this.yuantsHmac(hash, key, data))
  }
}

/** Opens into memory of that length, which may be longer than the plaintext. */
function openedInto(length: number, open: (plaintext: Out) => number): Out {
  const plaintext = new host.Bytes(length)
  const kept = open(plaintext)
  if (kept === length) return plaintext
  const result = new host.Bytes(host.partOf(plaintext, 0, kept))
  host.fill(plaintext, 0)
  return result
}
