import type { Handle, Out, Processed } from '../../backend/calls.js'
import { type Bytes, type BytesLike, bytesOf, joined, zero } from '../../basics/bytes.js'
import { ArgumentError, asSealstoneError, SealstoneError } from '../../basics/error.js'
import { booleanOption, readOptions, stringOf } from '../../basics/option.js'
import { branded } from '../../basics/receiver.js'
import { bulk, call, files } from '../../work/age-calls.js'
import { chunksOf, headOf } from '../../work/age-parts.js'
import { Held, using, usingLater } from '../../work/handle.js'
import { type CryptoKeyLike, isCryptoKey } from '../../work/key-like.js'
import { checkRange, openedRange } from '../../work/range.js'
import { Reports, type Run, type RunOptions, readRun, runOf, watched } from '../../work/run.js'
import {
  type AccessOptions,
  checkOutput,
  type PathLike,
  pathOf,
  READ,
  specialOf,
  WRITE,
  type WriteOptions,
} from '../path.js'
import { isBlob, isReadableStream, sourceOf } from '../source.js'
import { CryptoKeyIdentity, identityOf, identityOfPassphrase } from './keys.js'
import { fileKeyOf, type Identity, unpacked } from './stanza.js'
import { begun, checked, Opening, type ReadableStreamWithSize, single, whole, withSize } from './streams.js'

/**
 * Decrypts files of age: with passphrases and identities, which are tried in their order.
 *
 * @example
 * ```ts
 * import { Decrypter, Encrypter } from 'sealstone/age'
 *
 * const encrypter = new Encrypter()
 * encrypter.setScryptWorkFactor(10) // For a passphrase that nobody can guess.
 * encrypter.setPassphrase('burst-swarm-slender-curve-ability-various-crystal-moon-affair-three')
 * const file = await encrypter.encrypt('attack at dawn')
 *
 * const decrypter = new Decrypter()
 * decrypter.addPassphrase('burst-swarm-slender-curve-ability-various-crystal-moon-affair-three')
 * console.log(await decrypter.decrypt(file, 'text')) // attack at dawn
 * ```
 */
export class Decrypter {
  readonly #identities: (Held | Identity)[] = []

  /** @internal */
  static readonly brand: string = /* @__PURE__ */ branded(this, 'age.Decrypter', (value) => #identities in value)

  /** Adds a passphrase. */
  addPassphrase(passphrase: string): void {
    this.#identities.push(new Held(identityOfPassphrase(stringOf(passphrase, 'the passphrase')), 'identity'))
  }

  /**
   * Adds an identity: `AGE-SECRET-KEY-1…`, `AGE-SECRET-KEY-PQ-1…`, the text of a private key of SSH with its passphrase if it has one, a
   * private `CryptoKey` of X25519 with the usage `deriveBits`, or an object of the caller's that unwraps file keys.
   *
   * @throws {@link SealstoneError} `invalid_identity`, `unsupported_key`, `passphrase_required`, `no_matching_identity` for a wrong passphrase;
   * `unavailable_backend` for a key of RSA outside of Node's native part.
   */
  addIdentity(identity: string | CryptoKeyLike | Identity, passphrase?: string): void {
    if (isCryptoKey(identity)) {
      this.#identities.push(new CryptoKeyIdentity(identity))
    } else if (typeof identity === 'string') {
      this.#identities.push(new Held(identityOf(identity, passphrase), 'identity'))
    } else if (typeof identity === 'object' && identity !== null && typeof identity.unwrapFileKey === 'function') {
      this.#identities.push(identity)
    } else {
      throw new ArgumentError('the identity must be a string, a CryptoKey, or an object with a function unwrapFileKey')
    }
  }

  /**
   * Decrypts a file in memory, whole or not at all, or a stream in constant memory, which becomes a stream. A promise of a stream is kept
   * when the header was opened. The stream gives authentic chunks of 64 KiB only, and its end without an error shows that they were
   * all: before that, a file may have been cut.
   *
   * @throws {@link SealstoneError} `malformed_header`, `truncated`, `cost_too_high`, `no_matching_identity`,
   * `header_not_authentic`, `not_authentic`; what an object of the caller's throws; the reason of the signal.
   */
  decrypt(file: BytesLike, outputFormat?: 'uint8array', options?: RunOptions): Promise<Bytes>
  decrypt(file: BytesLike, outputFormat: 'text', options?: RunOptions): Promise<string>
  decrypt(
    file: ReadableStream<Uint8Array>,
    outputFormat?: undefined,
    options?: RunOptions,
  ): Promise<ReadableStreamWithSize>
  async decrypt(
    file: BytesLike | ReadableStream<Uint8Array>,
    outputFormat?: 'uint8array' | 'text',
    options?: RunOptions,
  ): Promise<Bytes | string | ReadableStreamWithSize> {
    const run = readRun(options)
    if (outputFormat !== undefined && outputFormat !== 'uint8array' && outputFormat !== 'text') {
      throw new ArgumentError("the output format must be 'uint8array' or 'text'")
    }
    run.signal?.throwIfAborted()
    const open = (head: Bytes): Promise<Handle> => this.#opener(head, run)
    if (isReadableStream(file)) {
      const opening = await Opening.of(sourceOf(file), run, open)
      return withSize(
        (stop) => opening.parts(stop),
        (length) => opening.size(length),
      )
    }
    const bytes = bytesOf(file, 'the file')
    const { length } = bytes
    const opening = await Opening.of(single(bytes), run, open)
    // A length that no file has is said of its chunks.
    const plaintext = await whole(opening.parts(), () => opening.size(length))
    if (outputFormat !== 'text') return plaintext
    const text = new TextDecoder().decode(plaintext)
    zero(plaintext)
    return text
  }

  /**
   * The file key of a header, to decrypt the rest elsewhere. The header may come without the rest. Whoever has the file key can decrypt the
   * file.
   *
   * @throws {@link SealstoneError} as of {@link decrypt}.
   */
  async decryptHeader(header: BytesLike): Promise<Bytes> {
    const bytes = bytesOf(header, 'the header')
    const length = call((sync) => sync.ageHeadLen(bytes))
    // With a salt, whatever it is, it is a head, which is authenticated.
    const salt = new Uint8Array(SALT_LEN)
    const head = joined([length === 0 ? bytes : bytes.subarray(0, length - SALT_LEN), salt])
    const fileKey = await this.#fileKey(head, readRun(undefined))
    const opener = call((sync) => sync.ageOpenerOfFileKey(head, fileKey))
    using(opener, () => undefined)
    return fileKey
  }

  /**
   * Decrypts a part of a file in memory or of a Blob: the bytes of the plaintext from `start` up to `end`. Only the parts that hold them
   * are read. A range past the end gives what there is, when the end is authentic.
   *
   * @throws {@link SealstoneError} `range_out_of_bounds`, and as of {@link decrypt}.
   *
   * @example
   * ```ts
   * import { Decrypter, Encrypter, generateIdentity, identityToRecipient } from 'sealstone/age'
   *
   * const identity = await generateIdentity()
   * const [encrypter, decrypter] = [new Encrypter(), new Decrypter()]
   * encrypter.addRecipient(await identityToRecipient(identity))
   * decrypter.addIdentity(identity)
   * const file = await encrypter.encrypt('attack at dawn')
   * console.log(new TextDecoder().decode(await decrypter.decryptRange(file, 10, 14))) // dawn
   * ```
   */
  async decryptRange(file: BytesLike | Blob, start: number, end: number, options?: RunOptions): Promise<Bytes> {
    checkRange(start, end)
    const run = readRun(options)
    run.signal?.throwIfAborted()
    const [length, read] = reading(file)
    const head = (await headOf((want) => read(0, Math.min(want, length)), checked())).slice()
    return usingLater(await this.#opener(head, run), async (opener) => {
      const readOn = (from: number, to: number): Promise<Bytes> | Bytes => {
        run.signal?.throwIfAborted()
        return read(from, to)
      }
      const file = { headLen: head.length, length, read: readOn }
      const result = await call((sync) => openedRange(chunksOf(sync, opener, file), start, end)).catch(failed)
      return Reports.atOnce(result, result.length, run)
    })
  }

  /**
   * Decrypts a file into a new one that only its owner can read, by their names, in Node and on all cores. The new file appears when all of
   * it is authentic, or not at all. Armour is recognised.
   *
   * @throws {@link SealstoneError} `output_exists`, `same_file`, `not_regular_file`, `input_changed`, `io`, and as of {@link decrypt}.
   */
  async decryptFile(
    input: PathLike,
    output: PathLike,
    options?: WriteOptions & AccessOptions & RunOptions,
  ): Promise<Processed> {
    checkOutput(output)
    const read = readOptions<WriteOptions & AccessOptions & RunOptions>(options, WRITE)
    const [run, from, to] = [runOf(read), pathOf(input), pathOf(output)]
    const [replace, special] = [booleanOption(read.replace, 'replace') === true, specialOf(read)]
    return usingLater(this.#decryptor(this.#natives()), (decryptor) =>
      watched(run, (job) => files().ageDecryptFile(decryptor, from, to, replace, special, job)),
    )
  }

  /**
   * Decrypts a part of a file by its name, as {@link decryptRange}, in Node.
   *
   * @throws {@link SealstoneError} as of {@link decryptRange} and {@link decryptFile}; `not_seekable` for armour and FIFOs.
   */
  async decryptRangeFile(
    input: PathLike,
    start: number,
    end: number,
    options?: AccessOptions & RunOptions,
  ): Promise<Bytes> {
    checkRange(start, end)
    const read = readOptions<AccessOptions & RunOptions>(options, READ)
    const [run, from, special] = [runOf(read), pathOf(input), specialOf(read)]
    return usingLater(this.#decryptor(this.#natives()), (decryptor) =>
      watched(run, (job) => files().ageDecryptRangeFile(decryptor, from, start, end, special, job)),
    )
  }

  /** The handle that opens files by name. */
  #natives(): Held[] {
    return this.#identities.map((identity) => {
      if (!isOwn(identity)) return identity
      throw new SealstoneError(
        'unsupported_key',
        'an object that unwraps file keys cannot decrypt a file by its name: decrypt a stream',
      )
    })
  }

  #decryptor(identities: readonly Held[]): Handle {
    return call((sync) =>
      sync.ageDecryptor(
        identities.map(({ handle }) => handle),
        undefined,
      ),
    )
  }

  async #opener(head: Bytes, run: Run): Promise<Handle> {
    if (this.#identities.some(isOwn)) {
      const fileKey = await this.#fileKey(head, run)
      try {
        return call((sync) => sync.ageOpenerOfFileKey(head, fileKey))
      } finally {
        zero(fileKey)
      }
    }
    return usingLater(this.#decryptor(this.#natives()), (decryptor) =>
      begun(run, (job) => bulk().ageOpenerLater(decryptor, head, job)),
    )
  }

  /** The file key, by the first identity that has it. Ours are tried together where they stand beside each other. */
  async #fileKey(head: Bytes, run: Run): Promise<Out> {
    const identities = [...this.#identities]
    let nobody = new SealstoneError('no_matching_identity', 'no identity matches')
    for (let i = 0; i < identities.length; ) {
      const identity = identities[i] as Held | Identity
      if (isOwn(identity)) {
        const stanzas = unpacked(call((sync) => sync.ageStanzas(head)))
        const fileKey = await identity.unwrapFileKey(stanzas)
        if (fileKey !== null && fileKey !== undefined) return fileKeyOf(fileKey).slice()
        i++
        continue
      }
      const ours: Held[] = []
      for (; i < identities.length && !isOwn(identities[i] as Held | Identity); i++) ours.push(identities[i] as Held)
      try {
        return await usingLater(this.#decryptor(ours), (decryptor) =>
          begun(run, (job) => bulk().ageFileKeyLater(decryptor, head, job)),
        )
      } catch (error) {
        // Also of a wrong passphrase, which its words say.
        if (!(error instanceof SealstoneError) || error.code !== 'no_matching_identity') throw error
        nobody = error
      }
    }
    throw nobody
  }
}

/** Bytes between a header and the first chunk. */
const SALT_LEN = 16

function isOwn(identity: Held | Identity): identity is Identity {
  return !(identity instanceof Held)
}

/** The function that reads a file from one place up to another, and the file's length. */
function reading(file: unknown): [length: number, read: (from: number, to: number) => Promise<Bytes> | Bytes] {
  if (isBlob(file)) {
    return [file.size, async (from, to) => new Uint8Array(await file.slice(from, to).arrayBuffer())]
  }
  const bytes = bytesOf(file, 'the file')
  return [bytes.length, (from, to) => bytes.subarray(from, to)]
}

function failed(error: unknown): never {
  throw asSealstoneError(error)
}
