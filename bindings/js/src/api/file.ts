import type { Inspection, Processed } from '../backend/calls.js'
import type { Bytes } from '../basics/bytes.js'
import { booleanOption, readOptions } from '../basics/option.js'
import { files, platform } from '../work/call.js'
import { usingLater } from '../work/handle.js'
import { checkRange } from '../work/range.js'
import { checkLength, isTooLong, RUN_OPTIONS, type Run, type RunOptions, runOf, watched } from '../work/run.js'
import {
  type AccessOptions,
  checkOutput,
  type PathLike,
  pathOf,
  READ,
  specialOf,
  WRITE,
  type WriteOptions,
} from './path.js'
import {
  type DecryptOptions,
  decryption,
  type EncryptOptions,
  encryption,
  type RewrapOptions,
  rewrapping,
} from './recipe.js'

/** How a file is replaced in its place. */
export interface InPlaceOptions {
  /**
   * Whether a file that has other names (hard links) is replaced under this one; otherwise it is the error `hard_links`. **The other
   * names keep the old content**: with the keys that it had before, the file still opens under them.
   */
  readonly splitLinks?: boolean
}

/** How a file is inspected. */
export type InspectOptions = AccessOptions & Pick<RunOptions, 'signal'>

/**
 * Encrypts a file into a new one, on all cores. The new file appears complete or not at all.
 *
 * @throws {@link SealstoneError} `output_exists`, `same_file`, `not_regular_file`, `input_changed`, `io`, and what {@link encryptSync}
 * throws.
 *
 * @example
 * ```ts
 * import { writeFile } from 'node:fs/promises'
 * import { decryptFile, encryptFile, generateIdentity, recipientOf } from 'sealstone'
 *
 * const identity = generateIdentity()
 * await writeFile('film.mkv', 'action')
 * await encryptFile('film.mkv', 'film.mkv.seal', { recipients: recipientOf(identity), replace: true })
 * await decryptFile('film.mkv.seal', 'copy.mkv', { identities: identity, replace: true })
 * ```
 */
export async function encryptFile(
  input: PathLike,
  output: PathLike,
  options: EncryptOptions & WriteOptions & AccessOptions & RunOptions,
): Promise<Processed> {
  checkOutput(output)
  const { handle, read } = encryption<WriteOptions & AccessOptions & RunOptions>(options, WRITE)
  return usingLater(handle, async (encryptor) => {
    const [run, from, to] = [runOf(read), pathOf(input), pathOf(output)]
    const [replace, special] = [booleanOption(read.replace, 'replace') === true, specialOf(read)]
    return watched(run, (job) => files().encryptFile(encryptor, from, to, replace, special, job))
  })
}

/**
 * Decrypts a file into a new one that only its owner can read. The new file appears when all of it is authentic, or not at all.
 *
 * @example
 * ```ts
 * import { readFile, writeFile } from 'node:fs/promises'
 * import { decryptFile, encryptSync } from 'sealstone'
 *
 * const key = new Uint8Array(32).fill(7)
 * await writeFile('letter.seal', encryptSync('attack at dawn', { key }))
 * const { plaintext } = await decryptFile('letter.seal', 'letter', { key, replace: true })
 * console.log(plaintext, await readFile('letter', 'utf8')) // 14 attack at dawn
 * ```
 */
export async function decryptFile(
  input: PathLike,
  output: PathLike,
  options: DecryptOptions & WriteOptions & AccessOptions & RunOptions,
): Promise<Processed> {
  checkOutput(output)
  const { handle, read } = decryption<WriteOptions & AccessOptions & RunOptions>(options, WRITE)
  return usingLater(handle, async (decryptor) => {
    const [run, from, to] = [runOf(read), pathOf(input), pathOf(output)]
    const [replace, special] = [booleanOption(read.replace, 'replace') === true, specialOf(read)]
    return watched(run, (job) => files().decryptFile(decryptor, from, to, replace, special, job))
  })
}

/**
 * Authenticates a whole file, and writes nothing. Of an archive it also checks the members and the index.
 *
 * @example
 * ```ts
 * import { writeFile } from 'node:fs/promises'
 * import { encryptSync, verifyFile } from 'sealstone'
 *
 * const key = new Uint8Array(32).fill(7)
 * await writeFile('archive.seal', encryptSync('attack at dawn', { key }))
 * console.log((await verifyFile('archive.seal', { key })).plaintext) // 14
 * ```
 */
export async function verifyFile(
  input: PathLike,
  options: DecryptOptions & AccessOptions & RunOptions,
): Promise<Processed> {
  const { handle, read } = decryption<AccessOptions & RunOptions>(options, READ)
  return usingLater(handle, async (decryptor) => {
    const [run, from, special] = [runOf(read), pathOf(input), specialOf(read)]
    return watched(run, (job) => files().verifyFile(decryptor, from, special, job))
  })
}

/**
 * Gives a file to other recipients, without decrypting it; it is replaced when the new one is complete.
 *
 * It must be a regular file; anything else is the error `not_regular_file`, a symbolic link too: name the file that the link points to.
 *
 * It cannot revoke access: whoever could once open the file can always open its content.
 *
 * @throws {@link SealstoneError} `hard_links`, `not_regular_file`, `input_changed`, `io`, and what {@link rewrapSync} throws.
 *
 * @example
 * ```ts
 * import { writeFile } from 'node:fs/promises'
 * import { encryptSync, generateIdentity, inspectFile, recipientOf, rewrapFile } from 'sealstone'
 *
 * const [alice, bob] = [generateIdentity(), generateIdentity()]
 * await writeFile('shared.seal', encryptSync('attack at dawn', { recipients: recipientOf(alice) }))
 * await rewrapFile('shared.seal', { identities: alice, recipients: recipientOf(bob) })
 * console.log((await inspectFile('shared.seal')).stanzas.length) // 2
 * ```
 */
export async function rewrapFile(
  file: PathLike,
  options: RewrapOptions & InPlaceOptions & RunOptions,
): Promise<Processed> {
  const { handle, read } = rewrapping<InPlaceOptions & RunOptions>(options, ['splitLinks', ...RUN_OPTIONS])
  return usingLater(handle, async (rewrapper) => {
    const [run, path, splitLinks] = [runOf(read), pathOf(file), booleanOption(read.splitLinks, 'splitLinks') === true]
    return watched(run, (job) => files().rewrapFile(rewrapper, path, splitLinks, job))
  })
}

/**
 * Decrypts a part of a file: the bytes of the plaintext from `start` up to `end`. Only the parts that hold them are read. A range past the
 * end returns what there is. An input that can only be read from front to back, such as a FIFO, is `not_seekable`.
 *
 * @throws {@link SealstoneError} `io`, and what {@link decryptRangeSync} throws.
 *
 * @example
 * ```ts
 * import { writeFile } from 'node:fs/promises'
 * import { decryptRangeFile, encryptSync } from 'sealstone'
 *
 * const key = new Uint8Array(32).fill(7)
 * await writeFile('log.seal', encryptSync('attack at dawn', { key }))
 * console.log(new TextDecoder().decode(await decryptRangeFile('log.seal', 10, 14, { key }))) // dawn
 * ```
 */
export async function decryptRangeFile(
  input: PathLike,
  start: number,
  end: number,
  options: DecryptOptions & AccessOptions & RunOptions,
): Promise<Bytes> {
  checkRange(start, end)
  const { handle, read } = decryption<AccessOptions & RunOptions>(options, READ)
  return usingLater(handle, async (decryptor) => {
    const [run, special] = [runOf(read), specialOf(read)]
    let from = pathOf(input)
    // The range may end behind the file; what it really has is looked up only where it could be too long.
    if (isTooLong(end - start)) {
      from = platform.placeOf(from)
      const { plaintextLen } = await inspection(from, special, run.signal)
      checkLength(Math.min(end, plaintextLen) - start)
    }
    return watched(run, (job) => files().decryptRangeFile(decryptor, from, start, end, special, job))
  })
}

/**
 * Returns the fields of a file that anyone can see, without a key.
 *
 * @example
 * ```ts
 * import { writeFile } from 'node:fs/promises'
 * import { encryptSync, inspectFile } from 'sealstone'
 *
 * await writeFile('seen.seal', encryptSync('attack at dawn', { key: new Uint8Array(32).fill(7), context: 'seen' }))
 * const { plaintextLen, contextBound } = await inspectFile('seen.seal')
 * console.log(plaintextLen, contextBound) // 14 true
 * ```
 */
export async function inspectFile(file: PathLike, options?: InspectOptions): Promise<Inspection> {
  const read = readOptions<InspectOptions>(options, ['allowSpecial', 'signal'])
  const { signal } = runOf(read)
  return inspection(pathOf(file), specialOf(read), signal)
}

function inspection(path: Bytes, special: boolean, signal: Run['signal']): Promise<Inspection> {
  const run = { signal, onProgress: undefined }
  return watched(run, (job) => files().inspectFile(path, special, job))
}
