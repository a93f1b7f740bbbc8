import type { BatchResult, Handle, Later } from '../backend/calls.js'
import type { Bytes, BytesLike } from '../basics/bytes.js'
import { errorFrom, type SealstoneError } from '../basics/error.js'
import { withItems } from '../basics/items.js'
import { bulk } from '../work/call.js'
import { usingLater } from '../work/handle.js'
import { RUN_OPTIONS, type RunOptions, runOf, watched } from '../work/run.js'
import { type DecryptOptions, decryption, type EncryptOptions, encryption, type Recipe } from './recipe.js'

/**
 * Encrypts many small plaintexts, each into its own file, on all cores.
 *
 * @returns the files, in the order of the plaintexts, with an error in place of each that failed.
 *
 * @throws {@link SealstoneError} as {@link encryptSync} of the options; the reason of the signal.
 *
 * @example
 * ```ts
 * import { decryptBatch, encryptBatch, generateIdentity, recipientOf } from 'sealstone'
 *
 * const identity = generateIdentity('x25519')
 * const files = await encryptBatch(['one', 'two'], { recipients: recipientOf(identity) })
 * for (const file of files) if (file instanceof Error) throw file
 * const plaintexts = await decryptBatch(files as Uint8Array[], { identities: identity })
 * console.log(plaintexts.length) // 2
 * ```
 */
export async function encryptBatch(
  data: readonly BytesLike[],
  options: EncryptOptions & RunOptions,
): Promise<(Bytes | SealstoneError)[]> {
  return batch(data, encryption<RunOptions>(options, RUN_OPTIONS), (recipe, { all, lengths, threads }, job) =>
    bulk().encryptBatch(recipe, all, lengths, job, threads),
  )
}

/**
 * Decrypts many small files. If one fails, its place holds an error, and the others continue.
 *
 * @throws {@link SealstoneError} as {@link decryptSync} of the options; the reason of the signal.
 *
 * @example
 * ```ts
 * import { decryptBatch, encryptSync } from 'sealstone'
 *
 * const key = new Uint8Array(32).fill(7)
 * const [one, two] = await decryptBatch([encryptSync('one', { key }), 'no file'], { key })
 * console.log(one instanceof Uint8Array, two instanceof Error && two.message) // true not a Sealstone file
 * ```
 */
export async function decryptBatch(
  files: readonly BytesLike[],
  options: DecryptOptions & RunOptions,
): Promise<(Bytes | SealstoneError)[]> {
  return batch(files, decryption<RunOptions>(options, RUN_OPTIONS), (recipe, { all, lengths, threads }, job) =>
    bulk().decryptBatch(recipe, all, lengths, job, threads),
  )
}

/** The items, one behind the other. */
interface Items {
  readonly all: Bytes
  readonly lengths: Uint32Array
  readonly threads: number | undefined
}

async function batch(
  data: unknown,
  { handle, threads, read }: Recipe & { read: RunOptions },
  work: (recipe: Handle, items: Items, job: Handle) => Later<BatchResult>,
): Promise<(Bytes | SealstoneError)[]> {
  return usingLater(handle, async () => {
    const run = runOf(read)
    run.signal?.throwIfAborted()
    const done = withItems(data, (all, lengths) => watched(run, (job) => work(handle, { all, lengths, threads }, job)))
    const { bytes, lengths: ends, failures } = await done
    const results: (Bytes | SealstoneError)[] = []
    let at = 0
    for (const len of ends) {
      results.push(bytes.slice(at, at + len))
      at += len
    }
    // Each result has memory of its own, and here nothing of them stays.
    bytes.fill(0)
    for (const { index, code, message } of failures) results[index] = errorFrom(code, message)
    return results
  })
}
