import type { Handle, Processed } from '../../backend/calls.js'
import { type Bytes, type BytesLike, bytesOf, joined, zero } from '../../basics/bytes.js'
import { ArgumentError, SealstoneError } from '../../basics/error.js'
import { booleanOption, readOptions, stringOf, wholeNumber } from '../../basics/option.js'
import { branded } from '../../basics/receiver.js'
import { bulk, call, files } from '../../work/age-calls.js'
import { Held, using, usingLater } from '../../work/handle.js'
import { type Run, type RunOptions, readRun, runOf, watched } from '../../work/run.js'
import type { AccessOptions, PathLike, WriteOptions } from '../path.js'
import { checkOutput, pathOf, specialOf, WRITE } from '../path.js'
import { isReadableStream, sourceOf } from '../source.js'
import { recipientOfPassphrase } from './keys.js'
import { packed, type Recipient } from './stanza.js'
import { begun, type ReadableStreamWithSize, Sealing, single, whole, withSize } from './streams.js'

/**
 * Writes age files: with a passphrase, or to recipients, any of which can decrypt. One encrypter encrypts any number of files.
 *
 * @example
 * ```ts
 * import { Decrypter, Encrypter, generateHybridIdentity, identityToRecipient } from 'sealstone/age'
 *
 * const identity = await generateHybridIdentity()
 * const encrypter = new Encrypter()
 * encrypter.addRecipient(await identityToRecipient(identity))
 * const file = await encrypter.encrypt('attack at dawn')
 *
 * const decrypter = new Decrypter()
 * decrypter.addIdentity(identity)
 * console.log(await decrypter.decrypt(file, 'text')) // attack at dawn
 * ```
 */
export class Encrypter {
  readonly #recipients: (Held | Recipient)[] = []
  #passphrase: string | undefined
  #logN = 18

  /** @internal */
  static readonly brand: string = /* @__PURE__ */ branded(this, 'age.Encrypter', (value) => #recipients in value)

  /**
   * Encrypts with a passphrase, which must be all that decrypts. Whoever has a file can try passphrases for ever: take one of
   * `sealstone/passphrase`.
   *
   * @throws {@link SealstoneError} `invalid_recipients` where there is another one, or a recipient.
   */
  setPassphrase(passphrase: string): void {
    const text = stringOf(passphrase, 'the passphrase')
    if (this.#passphrase !== undefined || this.#recipients.length > 0) throw notAlone()
    this.#passphrase = text
  }

  /**
   * The cost of a passphrase, as the logarithm of scrypt's N: each takes twice the time and memory of the one before. It is 18, 256 MiB,
   * unless this says otherwise; readers refuse more than 20 or 22. With less a passphrase is guessed faster.
   */
  setScryptWorkFactor(logN: number): void {
    this.#logN = wholeNumber(logN, 'the work factor', 1, 22)
  }

  /**
   * Adds a recipient: `age1…`, `age1pq1…`, a line of `authorized_keys` with a key of Ed25519 or RSA, or an object of the caller's that wraps
   * the file key. Post-quantum and classical ones do not go together.
   *
   * @throws {@link SealstoneError} `invalid_recipient`, `unsupported_key`; `invalid_recipients` beside a passphrase.
   */
  addRecipient(recipient: string | Recipient): void {
    if (this.#passphrase !== undefined) throw notAlone()
    if (typeof recipient === 'string') {
      this.#recipients.push(
        new Held(
          call((sync) => sync.ageRecipient(recipient.trim())),
          'recipient',
        ),
      )
    } else if (typeof recipient === 'object' && recipient !== null && typeof recipient.wrapFileKey === 'function') {
      this.#recipients.push(recipient)
    } else {
      throw new ArgumentError('the recipient must be a string, or an object with a function wrapFileKey')
    }
  }

  /**
   * Encrypts bytes or text, or a stream in constant memory, which becomes a stream.
   *
   * @throws {@link SealstoneError} `invalid_recipients`, `mixed_recipients`; what an object of the caller's throws; the reason of the
   * signal.
   */
  encrypt(file: BytesLike, options?: RunOptions): Promise<Bytes>
  encrypt(file: ReadableStream<Uint8Array>, options?: RunOptions): Promise<ReadableStreamWithSize>
  async encrypt(
    file: BytesLike | ReadableStream<Uint8Array>,
    options?: RunOptions,
  ): Promise<Bytes | ReadableStreamWithSize> {
    const run = readRun(options)
    if (isReadableStream(file)) {
      const sealing = new Sealing(await this.#begin(run))
      return withSize(
        (stop) => sealing.parts(sourceOf(file), run, stop),
        (length) => sealing.size(length),
      )
    }
    const plaintext = bytesOf(file, 'the plaintext')
    // Read once: when the memory is transferred away, the array says 0.
    const { length } = plaintext
    const sealing = new Sealing(await this.#begin(run))
    return whole(sealing.parts(single(plaintext), run), () => sealing.size(length))
  }

  /**
   * Encrypts a file into a new one by their names, in Node and on all cores. The new file appears complete or not at all.
   *
   * @throws {@link SealstoneError} `output_exists`, `same_file`, `not_regular_file`, `input_changed`, `io`, and what {@link encrypt} throws;
   * `invalid_recipients` for an object of the caller's, which takes a stream.
   *
   * @example
   * ```ts
   * import { writeFile } from 'node:fs/promises'
   * import { Decrypter, Encrypter, generateIdentity, identityToRecipient } from 'sealstone/age'
   *
   * const identity = await generateIdentity()
   * const [encrypter, decrypter] = [new Encrypter(), new Decrypter()]
   * encrypter.addRecipient(await identityToRecipient(identity))
   * decrypter.addIdentity(identity)
   * await writeFile('film.mkv', 'action')
   * await encrypter.encryptFile('film.mkv', 'film.mkv.age', { replace: true })
   * await decrypter.decryptFile('film.mkv.age', 'copy.mkv', { replace: true })
   * ```
   */
  async encryptFile(
    input: PathLike,
    output: PathLike,
    options?: WriteOptions & AccessOptions & RunOptions,
  ): Promise<Processed> {
    checkOutput(output)
    const read = readOptions<WriteOptions & AccessOptions & RunOptions>(options, WRITE)
    const [run, from, to] = [runOf(read), pathOf(input), pathOf(output)]
    const [replace, special] = [booleanOption(read.replace, 'replace') === true, specialOf(read)]
    if (this.#recipients.some(isOwn)) {
      throw new SealstoneError(
        'invalid_recipients',
        'an object that wraps file keys cannot encrypt a file by its name: encrypt a stream',
      )
    }
    return usingLater(this.#encryptor(), (encryptor) =>
      watched(run, (job) => files().ageEncryptFile(encryptor, from, to, replace, special, job)),
    )
  }

  #encryptor(): Handle {
    const work = (handles: Handle[]): Handle => call((sync) => sync.ageEncryptor(handles, undefined))
    if (this.#passphrase !== undefined) {
      return using(recipientOfPassphrase(this.#passphrase, this.#logN), (handle) => work([handle]))
    }
    return work(this.#recipients.map((recipient) => (recipient as Held).handle))
  }

  /** A sealer. */
  async #begin(run: Run): Promise<Handle> {
    run.signal?.throwIfAborted()
    if (!this.#recipients.some(isOwn)) {
      return usingLater(this.#encryptor(), (encryptor) => begun(run, (job) => bulk().ageSealerLater(encryptor, job)))
    }
    const fileKey = new Uint8Array(16)
    call((sync) => sync.randomFill(fileKey))
    try {
      const stanzas: Uint8Array[] = []
      for (const recipient of [...this.#recipients]) {
        if (isOwn(recipient)) stanzas.push(packed(await recipient.wrapFileKey(fileKey.slice())))
        else stanzas.push(call((sync) => sync.ageWrap(recipient.handle, fileKey)))
      }
      return call((sync) => sync.ageSealerOfStanzas(joined(stanzas), fileKey))
    } finally {
      zero(fileKey)
    }
  }
}

function isOwn(recipient: Held | Recipient): recipient is Recipient {
  return !(recipient instanceof Held)
}

function notAlone(): SealstoneError {
  return new SealstoneError('invalid_recipients', 'recipients: a passphrase must be the only recipient')
}
