import { type BatchResult, callLater, type Handle } from './backend.js'
import { type Bytes, type BytesLike, bytesOf } from './bytes.js'
import { SealstoneError } from './error.js'
import { usingLater } from './handle.js'
import { type DecryptOptions, decryption, type EncryptOptions, encryption, type Recipe } from './recipe.js'

/**
 * Encrypts many small plaintexts, each into a file of its own, on all cores: as many times as fast as there are.
 *
 * @returns the files, in the order of the plaintexts; an error stands where one failed.
 *
 * @example
 * ```ts
 * import { decryptBatch, encryptBatch, generateIdentity, recipientOf } from 'sealstone'
 *
 * const identity = generateIdentity('x25519')
 * const files = await encryptBatch(['one', 'two'], { recipients: recipientOf(identity) })
 * for (const file of files) if (file instanceof Error) throw file
 * const plaintexts = await decryptBatch(files as Uint8Array[], { identities: identity })
 * ```
 */
export async function encryptBatch(
  data: readonly BytesLike[],
  options: EncryptOptions,
): Promise<(Bytes | SealstoneError)[]> {
  const items = itemsOf(data)
  return batch(items, encryption(options), (recipe, all, lengths) =>
    callLater((backend) => backend.encryptBatch(recipe, all, lengths.lengths, lengths.threads)),
  )
}

/** Decrypts many small files. What one of them says does not stop the others: an error stands in its place. */
export async function decryptBatch(
  files: readonly BytesLike[],
  options: DecryptOptions,
): Promise<(Bytes | SealstoneError)[]> {
  const items = itemsOf(files)
  return batch(items, decryption(options), (recipe, all, lengths) =>
    callLater((backend) => backend.decryptBatch(recipe, all, lengths.lengths, lengths.threads)),
  )
}

const ITEM_MAX_LEN = 1 << 30

interface Lengths {
  readonly lengths: Uint32Array
  readonly threads: number | undefined
}

function itemsOf(items: unknown): Bytes[] {
  if (!Array.isArray(items)) throw new TypeError('a batch is an array')
  return items.map((item) => {
    const bytes = bytesOf(item, 'an item of the batch')
    // Lengths cross as 32 bits; a batch is for small items.
    if (bytes.length > ITEM_MAX_LEN) throw new RangeError(`an item of a batch has at most ${ITEM_MAX_LEN} bytes`)
    return bytes
  })
}

async function batch(
  items: Bytes[],
  { handle, threads }: Recipe,
  work: (recipe: Handle, all: Bytes, lengths: Lengths) => Promise<BatchResult>,
): Promise<(Bytes | SealstoneError)[]> {
  return usingLater(handle, async () => {
    const lengths = Uint32Array.from(items, (item) => item.length)
    const all = new Uint8Array(items.reduce((sum, item) => sum + item.length, 0))
    let at = 0
    for (const item of items) {
      all.set(item, at)
      at += item.length
    }
    const promise = work(handle, all, { lengths, threads })
    all.fill(0)
    const { bytes, lengths: ends, failures } = await promise
    const results: (Bytes | SealstoneError)[] = []
    at = 0
    for (const len of ends) {
      results.push(bytes.subarray(at, at + len))
      at += len
    }
    for (const { index, code, message } of failures) results[index] = new SealstoneError(code, message)
    return results
  })
}
