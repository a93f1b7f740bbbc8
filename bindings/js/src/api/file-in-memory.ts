import type { Handle, Later } from '../backend/calls.js'
import { type Bytes, type BytesLike, bytesOf, outputOf, overlap } from '../basics/bytes.js'
import { ArgumentError, SealstoneError } from '../basics/error.js'
import { bulk, call, isShort, sync } from '../work/call.js'
import { using, usingLater } from '../work/handle.js'
import { checkRange } from '../work/range.js'
import { checkLength, inParts, loaded, Reports, RUN_OPTIONS, type RunOptions, runOf, watched } from '../work/run.js'
import {
  type DecryptOptions,
  decrypting,
  decryption,
  decryptorOf,
  type Encryption,
  type EncryptOptions,
  encrypting,
  encryptorOf,
  openerOf,
  type RewrapOptions,
  rewrapping,
  sealerOf,
} from './recipe.js'

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
  return encrypting(options, [], (encryption) => {
    const bytes = bytesOf(data, 'the data')
    if (encryption.armour) throw new ArgumentError('armour cannot be written into memory of the caller')
    return sealed(bytes, sealerOf(encryption, bytes.length), encryption.threads, (len) => outputOf(out, len))
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
  return encrypting(options, [], (encryption) => {
    const [sealer, len] = sealerOf(encryption, plaintextLength)
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
  return decrypting(options, [], (decryption) => {
    const bytes = bytesOf(file, 'the file')
    return decryptNow(bytes, openerOf(decryption, bytes), decryption.threads)
  })
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
  return decrypting(options, [], (decryption) => {
    const bytes = bytesOf(file, 'the file')
    const memory = (len: number): Bytes => outputOf(out, len)
    return opened(bytes, openerOf(decryption, bytes), decryption.threads, memory, (plaintext) => {
      try {
        const room = memory(plaintext.length)
        room.set(plaintext)
        return room
      } finally {
        plaintext.fill(0)
      }
    })
  })
}

/** @internal Encrypts bytes that are in memory, on other threads where that pays. */
export async function encryptBytes(data: unknown, options: unknown): Promise<Bytes> {
  // The options hold until the first `await`: by then a sealer or an encryptor has been made of them.
  return encrypting<RunOptions, Promise<Bytes>>(options, RUN_OPTIONS, async (encryption, read) => {
    const run = runOf(read)
    run.signal?.throwIfAborted()
    const bytes = bytesOf(data, 'the data')
    const { armour, threads } = encryption
    // Read once: when the memory is transferred away, the array says 0.
    const { length } = bytes
    const isSlow = encryption.isSlow()
    const sealedLater = (sealer: Handle, fileLen?: number): Promise<Bytes> => {
      const fileLength = (): number => fileLen ?? call((sync) => sync.sealerFileLen(sealer, length))
      const take = (part: Bytes, file: Bytes): Later<undefined> | null => bulk().sealPart(sealer, part, file)
      return inParts(bytes, 'the data', run, { by: sealer, length: fileLength, threads, take })
    }
    if (!armour && !isSlow) {
      const [sealer, fileLen] = sealerOf(encryption, length)
      if (!isShort(length, { sealer })) return sealedLater(sealer, fileLen)
      return Reports.atOnce(sealed(bytes, [sealer, fileLen], threads, newMemory), length, run)
    }
    if (!isSlow && isShort(length, {})) return Reports.atOnce(encryptNow(bytes, encryption), length, run)
    return usingLater(encryptorOf(encryption), async (encryptor) => {
      if (armour) {
        return loaded(bytes, 'the data', run, (loading) =>
          watched(run, (job) => bulk().encryptArmouredLoaded(encryptor, loading, job)),
        )
      }
      // Progress is that of the work itself.
      const begin = { ...run, onProgress: undefined }
      return sealedLater(await watched(begin, (job) => bulk().sealerLater(encryptor, job)))
    })
  })
}

/** @internal Decrypts bytes that are in memory, on other threads where that pays. */
export async function decryptBytes(file: unknown, options: unknown): Promise<Bytes> {
  return decrypting<RunOptions, Promise<Bytes>>(options, RUN_OPTIONS, async (decryption, read) => {
    const run = runOf(read)
    run.signal?.throwIfAborted()
    const bytes = bytesOf(file, 'the file')
    const { threads } = decryption
    const fileLen = bytes.length
    const whole = (decryptor: Handle): Promise<Bytes> =>
      loaded(bytes, 'the file', run, (loading) =>
        watched(run, (job) => bulk().decryptLoaded(decryptor, loading, job, threads)),
      )
    if (decryption.isSlow()) return usingLater(decryptorOf(decryption), whole)
    const [opener, length] = openerOf(decryption, bytes)
    if (length === undefined && !isShort(fileLen, {})) return usingLater(opener, whole)
    if (length === undefined || isShort(fileLen, { opener })) {
      return Reports.atOnce(decryptNow(bytes, [opener, length], threads), fileLen, run)
    }
    const take = (part: Bytes, plaintext: Bytes): Later<boolean> | null => bulk().openPart(opener, part, plaintext)
    return inParts(bytes, 'the file', run, { by: opener, length: () => length, threads, take, end: isEnd })
  })
}

/** A plaintext of which the end was not opened may have been cut short. */
function isEnd(isLast: boolean | undefined): void {
  if (isLast !== true) throw new SealstoneError('truncated', 'the end of the file was not opened')
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
    run.signal?.throwIfAborted()
    return loaded(bytesOf(file, 'the file'), 'the file', run, (loading) =>
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
    run.signal?.throwIfAborted()
    return loaded(bytesOf(file, 'the file'), 'the file', run, (loading) =>
      watched(run, (job) => bulk().rewrapLoaded(rewrapper, loading, job)),
    )
  })
}

function encryptNow(bytes: Bytes, encryption: Encryption): Bytes {
  if (encryption.armour) {
    const encryptor = encryptorOf(encryption)
    return call((sync) => sync.encryptArmoured(encryptor, bytes))
  }
  return sealed(bytes, sealerOf(encryption, bytes.length), encryption.threads, newMemory)
}

function newMemory(len: number): Bytes {
  checkLength(len)
  return new Uint8Array(len)
}

function decryptNow(
  bytes: Bytes,
  opener: readonly [Handle, (number | undefined)?],
  threads: number | undefined,
): Bytes {
  return opened(
    bytes,
    opener,
    threads,
    (len) => new Uint8Array(len),
    (plaintext) => plaintext,
  )
}

/** A file in memory of its length. */
function sealed(
  bytes: Bytes,
  [sealer, len]: readonly [Handle, number],
  threads: number | undefined,
  memory: (len: number) => Bytes,
): Bytes {
  return written(sealer, () => {
    const file = memory(len)
    call((sync) => sync.sealInto(sealer, apart(bytes, file), file, threads))
    return file
  })
}

/** A plaintext in memory of its length; of armour it is there already, and `armoured` says what becomes of it. */
function opened(
  bytes: Bytes,
  [opener, len]: readonly [Handle, (number | undefined)?],
  threads: number | undefined,
  memory: (len: number) => Bytes,
  armoured: (plaintext: Bytes) => Bytes,
): Bytes {
  if (len === undefined) return armoured(call((sync) => sync.decryptArmoured(opener, bytes)))
  return written(opener, () => {
    const plaintext = memory(len)
    call((sync) => sync.openInto(opener, apart(bytes, plaintext), plaintext, threads))
    return plaintext
  })
}

/** Lets a sealer or an opener write. Writing ends its number; if something fails before, this ends it. */
function written(work: Handle, write: () => Bytes): Bytes {
  try {
    return write()
  } catch (error) {
    sync().release(work)
    throw error
  }
}

/** An input that is no part of the output. */
function apart(input: Bytes, output: Bytes): Bytes {
  return overlap(input, output) ? new Uint8Array(input) : input
}
