import type { ByteSource, BytesLike } from 'sealstone'
import { encode } from 'sealstone/encoding'
import { type HashAlgorithm, type HashOptions, hashAsync, hashStreamText, type ResultEncoding } from 'sealstone/hash'
import { type MaybeRefOrGetter, toValue } from 'vue'
import { Task, type TaskState } from './task.js'

/** The defaults of a component's hashes. */
export interface HashDefaults {
  /** `sha256` by default. */
  readonly algorithm?: MaybeRefOrGetter<HashAlgorithm>
  /** `hex` by default. */
  readonly encoding?: MaybeRefOrGetter<ResultEncoding>
}

/** Options of a hash. */
export interface UseHashOptions extends HashOptions {
  readonly algorithm?: HashAlgorithm
  readonly encoding?: ResultEncoding
}

/** The data to hash: text, bytes, or a stream of bytes, such as a `File`. */
export type HashSource = BytesLike | Blob | ReadableStream<BytesLike> | ByteSource

/** The result of {@link useHash}. */
export interface UseHash extends TaskState<string> {
  /** The digest as text, or `undefined` on failure: `error` says why. A stream takes constant memory. */
  hash(source: HashSource, options?: UseHashOptions): Promise<string | undefined>
}

/**
 * Hashes text, bytes and files, and shows the progress. Running work ends with the component.
 *
 * @example
 * ```ts
 * import { useHash } from 'sealstone/vue'
 *
 * const { hash, data } = useHash({ algorithm: 'blake3' })
 * await hash(new Blob(['attack at ', 'dawn']))
 * console.log(data.value?.length) // 64
 * console.log(await hash('abc', { algorithm: 'sha1', encoding: 'base64' })) // qZk+NkcGgWq6PiVxeFDCbJzQ2J0=
 * ```
 */
export function useHash(defaults: HashDefaults = {}): UseHash {
  const task = new Task<string>()
  return {
    ...task.state,
    hash: (source, given = {}) =>
      task.run(async (run) => {
        const { algorithm, encoding, ...options } = given
        const name = algorithm ?? toValue(defaults.algorithm) ?? 'sha256'
        const by = encoding ?? toValue(defaults.encoding) ?? 'hex'
        const how = { ...options, ...run }
        return isStream(source) ? hashStreamText(name, source, by, how) : encode(by, await hashAsync(name, source, how))
      }),
  }
}

function isStream(source: HashSource): source is Exclude<HashSource, BytesLike> {
  if (typeof source !== 'object' || source === null) return false
  return source instanceof Blob || 'getReader' in source || Symbol.asyncIterator in source
}
