// Digests, tags, and keys of secrets and passwords. Long data is handed over in pieces, or digested by the host.

import type { Data, DigestCalls, DigestPromises, DigestWasmCalls, Handle, Later, Lent, Out } from '../calls.js'
import { type Derive, derivedByHost } from './derivations.js'
import { HostDigests } from './host-digests.js'
import { deriveOf, type Parts } from './hosting.js'
import * as host from './intrinsics.js'
import { familyOf, inPieces, PIECE_LEN } from './module.js'
import { DIGEST } from './signatures.js'
import { type InSteps, stepper } from './stretching.js'
import { copyOf, type Work } from './work.js'

export class Digest extends familyOf<DigestCalls & DigestWasmCalls>(DIGEST) implements DigestPromises {
  readonly #work: Work
  readonly #host: HostDigests | undefined
  readonly #derive: Derive | undefined
  readonly #inSteps: InSteps

  constructor({ sourceOf, work, hosting }: Parts) {
    const source = sourceOf('digest')
    super(source)
    const { crypto } = hosting
    this.#work = work
    this.#host = crypto && new HostDigests(crypto, (algorithm) => this.hashLen(algorithm))
    this.#derive = deriveOf(hosting)
    this.#inSteps = stepper(source, DIGEST, 'derivingStep', 'derivingEnd')
  }

  override again(handle: Handle): Handle {
    const other = super.again(handle)
    this.#host?.again(handle, other)
    return other
  }

  override forget(handle: Handle): void {
    this.#host?.forget(handle)
  }

  override hashId(algorithm: string): number {
    const id = super.hashId(algorithm)
    this.#host?.nameHash(id, algorithm)
    return id
  }

  override encodingId(encoding: string): number {
    const id = super.encodingId(encoding)
    this.#host?.nameEncoding(id, encoding)
    return id
  }

  override hashInto(algorithm: number, data: Data, digest: Uint8Array): void {
    const length = host.arrayLength(digest)
    const made = this.#host?.hashed(algorithm, data, length)?.digest()
    const bytes = made === undefined ? longBytes(data) : undefined
    if (made !== undefined) host.copyInto(digest, made)
    else if (bytes === undefined) super.hashInto(algorithm, data, digest)
    else
      host.copyInto(
        digest,
        this.#hashed(algorithm, bytes, (hasher) => super.hasherDigest(hasher, length)),
      )
  }

  override hashText(algorithm: number, data: Data, encoding: number, length: number): string {
    const made = this.#host?.hashedText(algorithm, data, encoding, length)
    if (made !== undefined) return made
    const bytes = longBytes(data)
    if (bytes === undefined) return super.hashText(algorithm, data, encoding, length)
    return this.#hashed(algorithm, bytes, (hasher) => super.hasherText(hasher, encoding, length))
  }

  override hasher(algorithm: number): Handle {
    const hasher = super.hasher(algorithm)
    this.#host?.add(hasher, algorithm)
    return hasher
  }

  override hasherClone(hasher: Handle): Handle {
    const other = super.hasherClone(hasher)
    this.#host?.clone(hasher, other)
    return other
  }

  override hasherUpdate(hasher: Handle, data: Uint8Array): void {
    if (this.#host?.update(hasher, data) !== true) inPieces(data, (piece) => super.hasherUpdate(hasher, piece))
  }

  override hasherDigest(hasher: Handle, length: number): Out {
    return this.#host?.digest(hasher, length) ?? super.hasherDigest(hasher, length)
  }

  override hasherText(hasher: Handle, encoding: number, length: number): string {
    return this.#host?.text(hasher, encoding, length) ?? super.hasherText(hasher, encoding, length)
  }

  deriveLater(
    name: string,
    a: number,
    b: number,
    c: number,
    password: Uint8Array,
    salt: Uint8Array,
    secret: Uint8Array,
    data: Uint8Array,
    isBounded: boolean,
    length: number,
    job: Handle,
  ): Later<Out> {
    const own = [copyOf(password), copyOf(salt), copyOf(secret), copyOf(data)] as const
    const args = [name, a, b, c, own[0], own[1], own[2], own[3], isBounded, length]
    return this.#work.inTurn(job, own, async (turns) => {
      const check = (): void => this.deriveCheck(name, a, 0, 0, isBounded, length)
      const key = await derivedByHost(this.#derive, { name, iterations: a, salt: own[1], length }, own[0], check)
      return key ?? this.#inSteps('deriving', args, turns)
    })
  }

  override macInto(key: Handle, data: Data, tag: Uint8Array): void {
    const bytes = longBytes(data)
    if (bytes === undefined) super.macInto(key, data, tag)
    else
      host.copyInto(
        tag,
        this.#signed(key, bytes, (signer) => this.macSignerTag(signer)),
      )
  }

  override macText(key: Handle, data: Data, encoding: number): string {
    const bytes = longBytes(data)
    if (bytes === undefined) return super.macText(key, data, encoding)
    return this.#signed(key, bytes, (signer) => this.macSignerText(signer, encoding))
  }

  override macVerify(key: Handle, data: Data, tag: Lent, isTruncated: boolean): void {
    const bytes = longBytes(data)
    if (bytes === undefined) super.macVerify(key, data, tag, isTruncated)
    else this.#signed(key, bytes, (signer) => this.macSignerVerify(signer, tag as Uint8Array, isTruncated))
  }

  override macVerifyText(key: Handle, data: Data, tag: Data, encoding: number, isTruncated: boolean): void {
    const bytes = longBytes(data)
    if (bytes === undefined) super.macVerifyText(key, data, tag, encoding, isTruncated)
    else this.#signed(key, bytes, (signer) => this.macSignerVerifyText(signer, tag, encoding, isTruncated))
  }

  override macSignerUpdate(signer: Handle, data: Uint8Array): void {
    inPieces(data, (piece) => super.macSignerUpdate(signer, piece))
  }

  passwordHashLater(password: Uint8Array, name: string, a: number, b: number, c: number, job: Handle): Later<string> {
    const own = copyOf(password)
    return this.#work.inTurn(job, [own], async (turns) =>
      host.decode(await this.#inSteps('derivingHash', [own, name, a, b, c], turns)),
    )
  }

  passwordVerifyLater(password: Uint8Array, stored: string, isBounded: boolean, job: Handle): Later<undefined> {
    const own = copyOf(password)
    return this.#work.inTurn(job, [own], async (turns) => {
      await this.#inSteps('derivingCheck', [own, stored, isBounded], turns)
      return undefined
    })
  }

  /** Works with a hasher that has taken long data. */
  #hashed<T>(algorithm: number, data: Uint8Array, end: (hasher: Handle) => T): T {
    const hasher = super.hasher(algorithm)
    return this.#ending(hasher, () => {
      inPieces(data, (piece) => super.hasherUpdate(hasher, piece))
      return end(hasher)
    })
  }

  #signed<T>(key: Handle, data: Uint8Array, end: (signer: Handle) => T): T {
    const signer = this.macSigner(key)
    return this.#ending(signer, () => {
      this.macSignerUpdate(signer, data)
      return end(signer)
    })
  }

  #ending<T>(object: Handle, work: () => T): T {
    try {
      return work()
    } finally {
      this.release(object)
    }
  }
}

/** Bytes that are handed over in pieces; nothing of those that are not. */
function longBytes(data: Data): Uint8Array | undefined {
  const bytes =
    typeof data === 'string' ? (data.length > PIECE_LEN ? host.encode(data) : undefined) : (data as Uint8Array)
  return bytes !== undefined && host.arrayLength(bytes) > PIECE_LEN ? bytes : undefined
}
