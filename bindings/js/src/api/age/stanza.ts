// Stanzas, and the objects of a caller that make and open them.

import type { Out } from '../../backend/calls.js'
import { bytesOf, joined, utf8 } from '../../basics/bytes.js'
import { ArgumentError, SealstoneError } from '../../basics/error.js'

/**
 * The part of a file's header that is for a recipient.
 *
 * @example
 * ```ts
 * import { Stanza } from 'sealstone/age'
 *
 * const stanza = new Stanza(['example.com/vault', 'key-1'], new Uint8Array(32))
 * console.log(stanza.args.join(), stanza.body.length) // example.com/vault,key-1 32
 * ```
 */
export class Stanza {
  /** The words of its first line: a type, such as `example.com/vault`, and arguments, which are visible ASCII characters. */
  readonly args: string[]
  /** The body, decoded. */
  readonly body: Uint8Array

  constructor(args: string[], body: Uint8Array) {
    this.args = args
    this.body = body
  }
}

/**
 * A recipient of the caller's own, such as a key in a vault. Whether it is post-quantum is not known: with several recipients, a file is as
 * strong as the weakest of them.
 */
export interface Recipient {
  /** Wraps the file key, 16 bytes, in stanzas, one at least. It is called once for each file. */
  wrapFileKey(fileKey: Uint8Array): Stanza[] | Promise<Stanza[]>
}

/** An identity of the caller's own, which opens its own stanzas. */
export interface Identity {
  /**
   * Returns the file key, or `null` if none of the stanzas is for it. It gets all stanzas of a file. An error that it throws ends the
   * decryption: throw for a damaged stanza of your own, or a vault that does not answer.
   */
  unwrapFileKey(stanzas: Stanza[]): Uint8Array | null | Promise<Uint8Array | null>
}

/** Stanzas, as they cross. By what they have: they may be another library's. */
export function packed(stanzas: unknown): Out {
  // With none a file would lack a recipient, and nobody would know.
  if (!Array.isArray(stanzas) || stanzas.length === 0) {
    throw new ArgumentError('wrapFileKey must return an array of at least one stanza')
  }
  const parts: Uint8Array[] = []
  for (let i = 0; i < stanzas.length; i++) {
    const { args, body } = Object(stanzas[i]) as Partial<Stanza>
    if (!Array.isArray(args) || args.length === 0 || !args.every(isWord)) {
      throw new ArgumentError('the args of a stanza must be at least one string of visible ASCII characters')
    }
    for (const part of [utf8(args.join(' '), 'a stanza'), bytesOf(body, 'the body of a stanza')]) {
      const length = new Uint8Array(4)
      new DataView(length.buffer).setUint32(0, part.length, true)
      parts.push(length, part)
    }
  }
  return joined(parts)
}

function isWord(word: unknown): boolean {
  return typeof word === 'string' && /^[!-~]+$/.test(word)
}

/** Reads the form that {@link packed} writes. */
export function unpacked(bytes: Out): Stanza[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = 0
  const next = (): Uint8Array => {
    const from = at + 4
    at = from + view.getUint32(at, true)
    return bytes.slice(from, at)
  }
  const stanzas: Stanza[] = []
  while (at < bytes.length) stanzas.push(new Stanza(new TextDecoder().decode(next()).split(' '), next()))
  return stanzas
}

/** A file key that a caller's object gave. */
export function fileKeyOf(key: unknown): Out {
  const bytes = bytesOf(key, 'the file key')
  if (bytes.length === 16) return bytes
  throw new SealstoneError('wrong_length', 'unwrapFileKey must return 16 bytes, or null')
}
