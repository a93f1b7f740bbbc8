import { type Bytes, type BytesLike, bytesOf } from './bytes.js'
import { bulk } from './call.js'
import { ArgumentError, errorFrom, type SealstoneError } from './error.js'
import { usingLater } from './handle.js'
import type { BatchResult, Later } from './platform/bulk.js'
import type { Handle } from './platform/sync.js'
import { type DecryptOptions, decryption, type EncryptOptions, encryption, type Recipe } from './recipe.js'
import { RUN_OPTIONS, type RunOptions, runOf, watched } from './run.js'

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

const ITEM_MAX_LEN = 1 << 30

/** The items, one behind the other. */
interface Items {
  readonly all: Bytes
  readonly lengths: Uint32Array
  readonly threads: number | undefined
}

function itemsOf(items: unknown): Bytes[] {
  if (!Array.isArray(items)) throw new ArgumentError('a batch is an array')
  // All are taken before one is looked at: taking may run code of the caller, as reading options may.
  return Array.from(items as unknown[]).map((item) => {
    const bytes = bytesOf(item, 'an item of the batch')
    // Lengths cross as 32 bits; a batch is for small items.
    if (bytes.length > ITEM_MAX_LEN) throw new RangeError(`an item of a batch has at most ${ITEM_MAX_LEN} bytes`)
    return bytes
  })
}

async function batch(
  data: unknown,
  { handle, threads, read }: Recipe & { read: RunOptions },
  work: (recipe: Handle, items: Items, job: Handle) => Later<BatchResult>,
): Promise<(Bytes | SealstoneError)[]> {
  return usingLater(handle, async () => {
    const run = runOf(read)
    run.signal?.throwIfAborted()
    const items = itemsOf(data)
    const lengths = Uint32Array.from(items, (item) => item.length)
    const all = new Uint8Array(items.reduce((sum, item) => sum + item.length, 0))
    let at = 0
    for (const item of items) {
      all.set(item, at)
      at += item.length
    }
    const done = watched(run, (job) => work(handle, { all, lengths, threads }, job))
    all.fill(0)
    const { bytes, lengths: ends, failures } = await done
    const results: (Bytes | SealstoneError)[] = []
    at = 0
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
