import { type Bytes, type BytesLike, bytesOf, outputOf, overlap } from './bytes.js'
import { bulk, call } from './call.js'
import { ArgumentError } from './error.js'
import { using, usingLater } from './handle.js'
import {
  type DecryptOptions,
  decryption,
  type EncryptOptions,
  encryption,
  type Recipe,
  type RewrapOptions,
  rewrapping,
} from './recipe.js'
import {
  checkLength,
  INLINE_LEN,
  inTurns,
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
  const recipe = encryption(options)
  return using(recipe.handle, () => encryptNow(bytesOf(data, 'the data'), recipe))
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
  const recipe = encryption(options)
  return using(recipe.handle, (encryptor) => {
    const bytes = bytesOf(data, 'the data')
    if (recipe.armour) throw new ArgumentError('armour cannot be written into memory of the caller')
    return using(
      call((sync) => sync.sealer(encryptor)),
      (sealer) => {
        const len = call((sync) => sync.sealerFileLen(sealer, bytes.length))
        const file = outputOf(out, len)
        const input = overlap(bytes, file) ? new Uint8Array(bytes) : bytes
        call((sync) => sync.sealInto(sealer, input, file, recipe.threads))
        return file
      },
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
  const recipe = encryption(options)
  return using(recipe.handle, (encryptor) =>
    using(
      call((sync) => sync.sealer(encryptor)),
      (sealer) => call((sync) => sync.sealerFileLen(sealer, plaintextLength)),
    ),
  )
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
  const recipe = decryption(options)
  return using(recipe.handle, () => decryptNow(bytesOf(file, 'the file'), recipe))
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
  const recipe = decryption(options)
  return using(recipe.handle, (decryptor) => {
    const bytes = bytesOf(file, 'the file')
    if (call((sync) => sync.fileIsArmoured(bytes))) {
      const plaintext = call((sync) => sync.decryptArmoured(decryptor, bytes))
      const room = outputOf(out, plaintext.length)
      room.set(plaintext)
      plaintext.fill(0)
      return room
    }
    return opened(bytes, recipe, (len) => outputOf(out, len))
  })
}

/** @internal Encrypts bytes that are in memory, on other threads where that pays. */
export async function encryptBytes(data: unknown, recipe: Recipe, run: Run): Promise<Bytes> {
  run.signal?.throwIfAborted()
  const bytes = bytesOf(data, 'the data')
  if (bytes.length <= INLINE_LEN && !recipe.isSlow) {
    const file = encryptNow(bytes, recipe)
    run.onProgress?.({ bytes: bytes.length, total: bytes.length, rate: 0 })
    return file
  }
  if (recipe.armour) {
    return loaded(bytes, 'the data', run, (loading) =>
      watched(run, (job) => bulk().encryptArmouredLoaded(recipe.handle, loading, job)),
    )
  }
  // Read once: when the memory is transferred away, the array says 0.
  const { length } = bytes
  const { handle, isSlow } = recipe
  const sealer = isSlow
    ? await watched(withoutProgress(run), () => bulk().sealerLater(handle))
    : call((sync) => sync.sealer(handle))
  return usingLater(sealer, async () => {
    const len = call((sync) => sync.sealerFileLen(sealer, length))
    checkLength(len)
    await inTurns(bytes, 'the data', run, (part) => call((sync) => sync.sealerLoad(sealer, part, len)))
    return watched(run, (job) => bulk().sealLoaded(sealer, job, recipe.threads))
  })
}

/** @internal Decrypts bytes that are in memory, on other threads where that pays. */
export async function decryptBytes(file: unknown, recipe: Recipe, run: Run): Promise<Bytes> {
  run.signal?.throwIfAborted()
  const bytes = bytesOf(file, 'the file')
  if (bytes.length <= INLINE_LEN && !recipe.isSlow) {
    const plaintext = decryptNow(bytes, recipe)
    run.onProgress?.({ bytes: bytes.length, total: bytes.length, rate: 0 })
    return plaintext
  }
  return loaded(bytes, 'the file', run, (loading) =>
    watched(run, (job) => bulk().decryptLoaded(recipe.handle, loading, job, recipe.threads)),
  )
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
  const recipe = decryption(options)
  return using(recipe.handle, (decryptor) => {
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
  const recipe = rewrapping(options)
  return using(recipe.handle, (rewrapper) => {
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

function encryptNow(bytes: Bytes, recipe: Recipe): Bytes {
  if (recipe.armour) return call((sync) => sync.encryptArmoured(recipe.handle, bytes))
  return using(
    call((sync) => sync.sealer(recipe.handle)),
    (sealer) => {
      const len = call((sync) => sync.sealerFileLen(sealer, bytes.length))
      checkLength(len)
      const file = new Uint8Array(len)
      call((sync) => sync.sealInto(sealer, bytes, file, recipe.threads))
      return file
    },
  )
}

function decryptNow(bytes: Bytes, recipe: Recipe): Bytes {
  if (call((sync) => sync.fileIsArmoured(bytes))) {
    return call((sync) => sync.decryptArmoured(recipe.handle, bytes))
  }
  return opened(bytes, recipe, (len) => new Uint8Array(len))
}

function opened(bytes: Bytes, recipe: Recipe, memory: (len: number) => Bytes): Bytes {
  return using(
    call((sync) => sync.opener(recipe.handle, bytes)),
    (opener) => {
      const plaintext = memory(call((sync) => sync.openerPlaintextLen(opener, bytes.length)))
      const input = overlap(bytes, plaintext) ? new Uint8Array(bytes) : bytes
      call((sync) => sync.openInto(opener, input, plaintext, recipe.threads))
      return plaintext
    },
  )
}

/** The run without its progress, which is that of the work itself. */
function withoutProgress(run: Run): Run {
  return { signal: run.signal, onProgress: undefined }
}
