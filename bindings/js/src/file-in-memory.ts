import { type Bytes, type BytesLike, bytesOf, outputOf, overlap } from './bytes.js'
import { bulk, call, sync } from './call.js'
import { ArgumentError, SealstoneError } from './error.js'
import { using, usingLater } from './handle.js'
import type { Later } from './platform/bulk.js'
import type { Handle } from './platform/sync.js'
import {
  type Decryption,
  type DecryptOptions,
  decrypting,
  decryption,
  type Encryption,
  type EncryptOptions,
  encrypting,
  type RewrapOptions,
  rewrapping,
} from './recipe.js'
import {
  checkLength,
  INLINE_LEN,
  inParts,
  loaded,
  RUN_OPTIONS,
  type Run,
  type RunOptions,
  runOf,
  watched,
} from './run.js'

/**
 * Encrypts bytes or text.
 *
 * @throws {@link SealstoneError} `invalid_recipients`, `mixed_recipients`, `invalid_recipient`, `invalid_context`.
 *
 * @example
 * ```ts
 * import { decryptSync, encryptSync, generateIdentity, recipientOf } from 'sealstone'
 *
 * const identity = generateIdentity()
 * const file = encryptSync('attack at dawn', { recipients: recipientOf(identity) })
 * const plaintext = decryptSync(file, { identities: identity })
 * console.log(new TextDecoder().decode(plaintext)) // attack at dawn
 * ```
 */
export function encryptSync(data: BytesLike, options: EncryptOptions): Bytes {
  return encrypting(options, [], (encryption) => encryptNow(bytesOf(data, 'the data'), encryption))
}

/**
 * As {@link encryptSync}, into the caller's memory; returns the part of it that the file fills. {@link encryptedLength} returns
 * the length needed.
 *
 * @example
 * ```ts
 * import { encryptedLength, encryptIntoSync, generateIdentity, recipientOf } from 'sealstone'
 *
 * const options = { recipients: recipientOf(generateIdentity()) }
 * const memory = new Uint8Array(encryptedLength(14, options))
 * console.log(encryptIntoSync('attack at dawn', memory, options).length === memory.length) // true
 * ```
 */
export function encryptIntoSync(data: BytesLike, out: Uint8Array, options: EncryptOptions): Bytes {
  return encrypting(options, [], ({ told, armour, threads }) => {
    const bytes = bytesOf(data, 'the data')
    if (armour) throw new ArgumentError('armour cannot be written into memory of the caller')
    const begun = call((sync) => sync.sealer(...told, bytes.length))
    return written(
      begun,
      bytes,
      (len) => outputOf(out, len),
      (...writes) => sync().sealInto(...writes, threads),
    )
  })
}

/**
 * The length in bytes of the file for a plaintext of a given length.
 *
 * @example
 * ```ts
 * import { encryptedLength } from 'sealstone'
 *
 * console.log(encryptedLength(1_000_000, { key: new Uint8Array(32).fill(7) }) - 1_000_000) // 1172
 * ```
 */
export function encryptedLength(plaintextLength: number, options: EncryptOptions): number {
  if (!Number.isSafeInteger(plaintextLength) || plaintextLength < 0) {
    throw new ArgumentError('the length must be a whole number of bytes')
  }
  return encrypting(options, [], ({ told }) => {
    const [sealer, len] = call((sync) => sync.sealer(...told, plaintextLength))
    sync().release(sealer)
    return len
  })
}

/**
 * Decrypts bytes, binary or armoured. All of it is authentic, or nothing is returned.
 *
 * @throws {@link SealstoneError} what the format says of the file (`not_sealstone`, `truncated`, …), `no_matching_identity`,
 * `header_not_authentic`, `not_authentic`.
 *
 * @example
 * ```ts
 * import { decryptSync, encryptSync, SealstoneError } from 'sealstone'
 *
 * const file = encryptSync('attack at dawn', { key: new Uint8Array(32).fill(7) })
 * try {
 *   decryptSync(file, { key: new Uint8Array(32).fill(8) })
 * } catch (error) {
 *   if (!(error instanceof SealstoneError)) throw error
 *   console.log(error.code) // no_matching_identity
 * }
 * ```
 */
export function decryptSync(file: BytesLike, options: DecryptOptions): Bytes {
  return decrypting(options, [], (decryption) => decryptNow(bytesOf(file, 'the file'), decryption))
}

/**
 * As {@link decryptSync}, into the caller's memory; returns the part of it that the plaintext fills.
 *
 * @example
 * ```ts
 * import { decryptIntoSync, encryptSync } from 'sealstone'
 *
 * const [key, memory] = [new Uint8Array(32).fill(7), new Uint8Array(1000)]
 * console.log(decryptIntoSync(encryptSync('attack at dawn', { key }), memory, { key }).length) // 14
 * ```
 */
export function decryptIntoSync(file: BytesLike, out: Uint8Array, options: DecryptOptions): Bytes {
  return decrypting(options, [], ({ told, threads }) => {
    const bytes = bytesOf(file, 'the file')
    const [opener, len] = call((sync) => sync.opener(...told, bytes))
    if (len !== undefined)
      return written(
        [opener, len],
        bytes,
        (len) => outputOf(out, len),
        (...writes) => sync().openInto(...writes, threads),
      )
    const plaintext = call((sync) => sync.decryptArmoured(opener, bytes))
    try {
      const room = outputOf(out, plaintext.length)
      room.set(plaintext)
      return room
    } finally {
      plaintext.fill(0)
    }
  })
}

/** @internal Encrypts bytes that are in memory, on other threads where that pays. */
export async function encryptBytes(data: unknown, options: unknown): Promise<Bytes> {
  // What is told holds until the first `await`: by then a sealer or an encryptor has been made of it.
  return encrypting<RunOptions, Promise<Bytes>>(options, RUN_OPTIONS, async (encryption, read) => {
    const run = runOf(read)
    run.signal?.throwIfAborted()
    const bytes = bytesOf(data, 'the data')
    const { told, armour, threads } = encryption
    // Read once: when the memory is transferred away, the array says 0.
    const { length } = bytes
    const isSlow = encryption.isSlow()
    if (length <= INLINE_LEN && !isSlow) return atOnce(encryptNow(bytes, encryption), length, run)
    const sealed = (sealer: Handle, fileLen?: number): Promise<Bytes> =>
      usingLater(sealer, async () => {
        const fileLength = fileLen ?? call((sync) => sync.sealerFileLen(sealer, length))
        const take = (part: Bytes, file: Bytes): Later<undefined> | null => bulk().sealPart(sealer, part, file)
        return inParts(bytes, 'the data', run, { length: fileLength, threads, take })
      })
    if (!armour && !isSlow) return sealed(...call((sync) => sync.sealer(...told, length)))
    return usingLater(
      call((sync) => sync.encryptor(...told)),
      async (encryptor) => {
        if (armour) {
          return loaded(bytes, 'the data', run, (loading) =>
            watched(run, (job) => bulk().encryptArmouredLoaded(encryptor, loading, job)),
          )
        }
        return sealed(await watched(withoutProgress(run), () => bulk().sealerLater(encryptor)))
      },
    )
  })
}

/** @internal Decrypts bytes that are in memory, on other threads where that pays. */
export async function decryptBytes(file: unknown, options: unknown): Promise<Bytes> {
  return decrypting<RunOptions, Promise<Bytes>>(options, RUN_OPTIONS, async (decryption, read) => {
    const run = runOf(read)
    run.signal?.throwIfAborted()
    const bytes = bytesOf(file, 'the file')
    if (bytes.length <= INLINE_LEN && !decryption.isSlow())
      return atOnce(decryptNow(bytes, decryption), bytes.length, run)
    const { told, threads } = decryption
    const whole = (decryptor: Handle): Promise<Bytes> =>
      loaded(bytes, 'the file', run, (loading) =>
        watched(run, (job) => bulk().decryptLoaded(decryptor, loading, job, threads)),
      )
    const [handle, length] = call((sync) =>
      decryption.isSlow() ? ([sync.decryptor(...told)] as const) : sync.opener(...told, bytes),
    )
    if (length === undefined) return usingLater(handle, whole)
    return usingLater(handle, (opener) => {
      const take = (part: Bytes, plaintext: Bytes): Later<boolean> | null => bulk().openPart(opener, part, plaintext)
      return inParts(bytes, 'the file', run, { length, threads, take, end: isEnd })
    })
  })
}

/** A plaintext of which the end was not opened may have been cut short. */
function isEnd(isLast: boolean | undefined): void {
  if (isLast !== true) throw new SealstoneError('truncated', 'the end of the file was not opened')
}

/** The result of work that was done at once, as work that was watched. */
function atOnce(result: Bytes, done: number, run: Run): Bytes {
  run.onProgress?.({ bytes: done, total: done, rate: 0 })
  return result
}

/**
 * Decrypts a part of a file in memory: the bytes of the plaintext from `start` up to `end`. Only the chunks that hold it are
 * authenticated, so each byte is authentic at its place. A range past the end returns what there is, as `Array.prototype.slice`
 * does.
 *
 * @throws {@link SealstoneError} as {@link decryptSync}, and `range_out_of_bounds` where `start` is beyond the length of the
 * plaintext, or `end` before `start`.
 *
 * @example
 * ```ts
 * import { decryptRangeSync, encryptSync } from 'sealstone'
 *
 * const key = new Uint8Array(32).fill(7)
 * const part = decryptRangeSync(encryptSync('attack at dawn', { key }), 10, 14, { key })
 * console.log(new TextDecoder().decode(part)) // dawn
 * ```
 */
export function decryptRangeSync(file: BytesLike, start: number, end: number, options: DecryptOptions): Bytes {
  checkRange(start, end)
  return using(decryption(options, []).handle, (decryptor) => {
    const bytes = bytesOf(file, 'the file')
    return call((sync) => sync.decryptRange(decryptor, bytes, start, end))
  })
}

/**
 * Gives a file in memory to other recipients, without decrypting it.
 *
 * It cannot revoke access: whoever could once open the file can always open its content.
 *
 * @example
 * ```ts
 * import { decryptSync, encryptSync, generateIdentity, recipientOf, rewrapSync } from 'sealstone'
 *
 * const [alice, bob] = [generateIdentity(), generateIdentity()]
 * const file = encryptSync('attack at dawn', { recipients: recipientOf(alice) })
 * const shared = rewrapSync(file, { identities: alice, recipients: recipientOf(bob) })
 * console.log(decryptSync(shared, { identities: bob }).length) // 14
 * ```
 */
export function rewrapSync(file: BytesLike, options: RewrapOptions): Bytes {
  return using(rewrapping(options, []).handle, (rewrapper) => {
    const bytes = bytesOf(file, 'the file')
    return call((sync) => sync.rewrap(rewrapper, bytes))
  })
}

/**
 * As {@link decryptRangeSync}, on another thread.
 *
 * @example
 * ```ts
 * import { decryptRange, encrypt } from 'sealstone'
 *
 * const key = new Uint8Array(32).fill(7)
 * const part = await decryptRange(await encrypt('attack at dawn', { key }), 0, 6, { key })
 * console.log(new TextDecoder().decode(part)) // attack
 * ```
 */
export async function decryptRange(
  file: BytesLike,
  start: number,
  end: number,
  options: DecryptOptions & RunOptions,
): Promise<Bytes> {
  checkRange(start, end)
  const { handle, read } = decryption<RunOptions>(options, RUN_OPTIONS)
  return usingLater(handle, async (decryptor) => {
    const run = runOf(read)
    return loaded(file, 'the file', run, (loading) =>
      watched(run, (job) => bulk().decryptRangeLoaded(decryptor, loading, start, end, job)),
    )
  })
}

/**
 * As {@link rewrapSync}, on another thread.
 *
 * @example
 * ```ts
 * import { encrypt, generateIdentity, inspectSync, recipientOf, rewrap } from 'sealstone'
 *
 * const [alice, bob] = [generateIdentity(), generateIdentity()]
 * const file = await encrypt('attack at dawn', { recipients: recipientOf(alice) })
 * const moved = await rewrap(file, { identities: alice, recipients: recipientOf(bob), replace: true })
 * console.log(inspectSync(moved).stanzas.length) // 1
 * ```
 */
export async function rewrap(file: BytesLike, options: RewrapOptions & RunOptions): Promise<Bytes> {
  const { handle, read } = rewrapping<RunOptions>(options, RUN_OPTIONS)
  return usingLater(handle, async (rewrapper) => {
    const run = runOf(read)
    return loaded(file, 'the file', run, (loading) =>
      watched(run, (job) => bulk().rewrapLoaded(rewrapper, loading, job)),
    )
  })
}

/** @internal */
export function checkRange(start: number, end: number): void {
  if (!Number.isSafeInteger(start) || !Number.isSafeInteger(end) || start < 0 || end < 0) {
    throw new ArgumentError('a range is two whole numbers of bytes')
  }
}

function encryptNow(bytes: Bytes, { told, armour, threads }: Encryption): Bytes {
  if (armour) {
    const encryptor = call((sync) => sync.encryptor(...told))
    return call((sync) => sync.encryptArmoured(encryptor, bytes))
  }
  const memory = (len: number): Bytes => {
    checkLength(len)
    return new Uint8Array(len)
  }
  const begun = call((sync) => sync.sealer(...told, bytes.length))
  return written(begun, bytes, memory, (...writes) => sync().sealInto(...writes, threads))
}

function decryptNow(bytes: Bytes, { told, threads }: Decryption): Bytes {
  const [opener, len] = call((sync) => sync.opener(...told, bytes))
  if (len === undefined) return call((sync) => sync.decryptArmoured(opener, bytes))
  return written(
    [opener, len],
    bytes,
    (len) => new Uint8Array(len),
    (...writes) => sync().openInto(...writes, threads),
  )
}

/** A result in memory of its length, which a sealer or an opener writes. */
function written(
  [work, len]: readonly [Handle, number],
  input: Bytes,
  memory: (len: number) => Bytes,
  write: (work: Handle, input: Bytes, result: Bytes) => void,
): Bytes {
  try {
    const result = memory(len)
    const apart = overlap(input, result) ? new Uint8Array(input) : input
    call(() => write(work, apart, result))
    return result
  } catch (error) {
    // Unless writing has ended it.
    sync().release(work)
    throw error
  }
}

/** The run without its progress, which is that of the work itself. */
function withoutProgress(run: Run): Run {
  return { signal: run.signal, onProgress: undefined }
}
