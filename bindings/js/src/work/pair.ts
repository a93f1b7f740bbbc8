// The base of the halves of all key pairs for applications.

import type { Handle } from '../backend/calls.js'
import { type Bytes, bytesOf } from '../basics/bytes.js'
import { ArgumentError } from '../basics/error.js'
import { readOptions, stringOption } from '../basics/option.js'
import { Held, heldOf, keys } from './handle.js'
import { passphraseBytes } from './key-like.js'

/** One half of a key pair. It is opaque, and what is secret in it is zeroed by `destroy` or after it is collected. */
export abstract class Half {
  /** @internal */
  constructor(held: Held) {
    if (!(held instanceof Held)) throw new ArgumentError('a key of this class comes from the functions of its module')
    keys().set(this, held)
  }

  /** Forgets the key; every later use is a `TypeError`. */
  destroy(): void {
    heldOf(this, 'key').destroy()
  }

  /** Names the key, and shows nothing that is secret. */
  toString(): string {
    return `${this[Symbol.toStringTag]}(${heldOf(this, 'key').isDestroyed ? 'destroyed' : this.named()})`
  }

  /** As {@link toString}. */
  toJSON(): string {
    return this.toString()
  }

  /** The text that `console.log` shows. */
  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return this.toString()
  }

  /** So that TypeScript takes it for no other kind of key. */
  abstract get [Symbol.toStringTag](): string

  /** @internal What it is called among its like. */
  protected abstract named(): string
}

/** The half that is secret, and gives the other one. */
export abstract class PrivateHalf<Public extends Half> extends Half {
  #public: Public | undefined

  override get [Symbol.toStringTag](): 'PrivateKey' {
    return 'PrivateKey'
  }

  /** The public key. */
  get publicKey(): Public {
    const { handle } = heldOf(this, 'key')
    if (this.#public === undefined || heldOf(this.#public, 'key').isDestroyed) this.#public = this.other(handle)
    return this.#public
  }

  /** @internal Makes the public key of this one's object. */
  protected abstract other(handle: Handle): Public
}

/** The half that everybody may have. */
export abstract class PublicHalf extends Half {
  override get [Symbol.toStringTag](): 'PublicKey' {
    return 'PublicKey'
  }
}

/** The object of a key that must be of this class. */
export function handleOf<T extends object>(key: T, of: abstract new (...args: never[]) => T, from: string): Handle {
  if (!(key instanceof of))
    throw new ArgumentError(`expected a ${of.prototype[Symbol.toStringTag]} of sealstone/${from}`)
  return heldOf(key, 'key').handle
}

/** The object of a new key, which lives as long as it. */
export function heldFor(handle: Handle): Held {
  return new Held(handle, 'key')
}

/** How a private key is read: of what kind its bytes are, or with what passphrase. */
export function privateOptions(options: unknown): { kind: string | undefined; passphrase: Bytes | undefined } {
  const read = readOptions<{ kind: unknown; passphrase: unknown }>(options, ['passphrase', 'kind'])
  const kind = stringOption(read.kind, 'kind')
  const passphrase = passphraseOf(read.passphrase)
  if (kind !== undefined && passphrase !== undefined) {
    throw new ArgumentError('raw bytes of a key are not encrypted: leave out passphrase')
  }
  return { kind, passphrase }
}

/** How a public key is read. */
export function kindOf(options: unknown): string | undefined {
  return stringOption(readOptions<{ kind: unknown }>(options, ['kind']).kind, 'kind')
}

/** A key of a kind, which is its bytes alone. */
export function rawOf(key: unknown): Bytes {
  if (typeof key !== 'string') return bytesOf(key, 'a key of a kind')
  throw new ArgumentError('a key as text names its kind itself: the option kind is only for bytes')
}

/** A passphrase that is an option. */
export function passphraseOf(passphrase: unknown): Bytes | undefined {
  return passphrase === undefined ? undefined : passphraseBytes(passphrase, 'the passphrase')
}
