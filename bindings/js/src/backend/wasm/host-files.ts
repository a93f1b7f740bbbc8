// Chooses the cipher of a file's chunks, once for each file.

import type { Handle, Out } from '../calls.js'
import { Chunks, type ManyChunks, type Promised, type Step } from './chunks.js'
import { type HostCrypto, type HostKey, TAG_LEN } from './host-crypto.js'
import type { Files } from './hosting.js'
import * as host from './intrinsics.js'
import type { BaseModule } from './module.js'

interface Cipher<Key extends HostKey> {
  /** The AEAD, by core's name. */
  readonly algorithm: string
  key(bytes: Uint8Array): Key
}

/** How a host seals and opens a chunk, as a {@link Step} says it. */
export interface ChunkCipher<Key extends HostKey> extends Cipher<Key> {
  seal(key: Key, nonce: Uint8Array, chunk: Uint8Array, file: Out, at: number): Promised | undefined
  /** Returns `false` in place of what is not authentic. */
  open(key: Key, nonce: Uint8Array, chunk: Uint8Array, plaintext: Out, at: number): Promised | boolean
}

/** How threads seal and open several of them. */
export interface ManyCipher<Key extends HostKey> extends Cipher<Key> {
  many(key: Key, seals: boolean): ManyChunks
}

/** The files whose chunks the host seals and opens: it has their keys. Sealers and openers of other algorithms have no chunks here. */
export class HostFiles<Key extends HostKey> implements Files {
  readonly #base: BaseModule
  readonly #cipher: ChunkCipher<Key> | ManyCipher<Key>
  /** Of sealers and openers that were asked about; none where another algorithm computes. */
  readonly #files = host.dictionary<Chunks | null>()

  constructor(base: BaseModule, cipher: ChunkCipher<Key> | ManyCipher<Key>) {
    this.#base = base
    this.#cipher = cipher
  }

  sealing(sealer: Handle): Chunks | undefined {
    const base = this.#base
    const cipher = this.#cipher
    return this.#chunksOf(
      sealer,
      (sealer, algorithm) => base.sealerKey(sealer, algorithm),
      (key) => ({
        length: base.chunkLen(),
        growth: TAG_LEN,
        nonces: (_first, len) => base.sealerNonces(sealer, len),
        work: isOfMany(cipher)
          ? cipher.many(key, true)
          : { each: (_index, nonce, chunk, file, at) => cipher.seal(key, nonce, chunk, file, at) },
        refuse: () => undefined,
      }),
    )
  }

  opening(opener: Handle): Chunks | undefined {
    const base = this.#base
    return this.#chunksOf(
      opener,
      (opener, algorithm) => base.openerKey(opener, algorithm),
      (key) => this.#opening(opener, key),
    )
  }

  /** The chunks of a file from a number on, beside those that are opened from its beginning. */
  openingFrom(opener: Handle, first: number): Chunks | undefined {
    const key = this.#imported(this.#base.openerKey(opener, this.#cipher.algorithm))
    return key && new Chunks(this.#opening(opener, key), first)
  }

  forget(handle: Handle): void {
    this.#files[handle]?.clear()
    delete this.#files[handle]
  }

  #opening(opener: Handle, key: Key): Step {
    const base = this.#base
    const cipher = this.#cipher
    return {
      length: base.chunkLen() + TAG_LEN,
      growth: -TAG_LEN,
      nonces: (first, len, isEnd) => base.openerNonces(opener, first, len, isEnd),
      work: isOfMany(cipher)
        ? cipher.many(key, false)
        : {
            each(index, nonce, chunk, plaintext, at) {
              const opened = cipher.open(key, nonce, chunk, plaintext, at)
              if (opened === false) base.notAuthentic(index)
              return typeof opened === 'boolean' ? undefined : opened
            },
          },
      refuse: (index) => base.notAuthentic(index),
    }
  }

  /** The chunks of a file, which the host has the key of from now on. */
  #chunksOf(handle: Handle, keyOf: BaseModule['sealerKey'], stepOf: (key: Key) => Step): Chunks | undefined {
    if (this.#files[handle] === undefined) {
      const key = this.#imported(keyOf(handle, this.#cipher.algorithm))
      this.#files[handle] = key === undefined ? null : new Chunks(stepOf(key))
    }
    return this.#files[handle] ?? undefined
  }

  /** A key from the core as the host's, where it is one that the host computes with. */
  #imported(bytes: Out): Key | undefined {
    try {
      return host.arrayLength(bytes) === 0 ? undefined : this.#cipher.key(bytes)
    } finally {
      host.fill(bytes, 0)
    }
  }
}

function isOfMany<Key extends HostKey>(cipher: ChunkCipher<Key> | ManyCipher<Key>): cipher is ManyCipher<Key> {
  return Object.hasOwn(cipher, 'many')
}

/** Chunks that a host seals and opens at once. */
export function hostedChunks(crypto: HostCrypto): ChunkCipher<HostKey> {
  return {
    algorithm: crypto.algorithm,
    key: (bytes) => crypto.key(bytes),
    seal(key, nonce, chunk, file, at) {
      crypto.seal(key, nonce, undefined, chunk, file, at)
      return undefined
    },
    open: (key, nonce, chunk, plaintext, at) => crypto.open(key, nonce, undefined, chunk, plaintext, at),
  }
}
