import { type Bytes, type BytesLike, type DecryptOptions, decrypt, type EncryptOptions, encrypt } from 'sealstone'
import { type ComputedRef, computed } from 'vue'
import { type KeyDefaults, Keyring } from './keyring.js'
import { type Run, Task, type TaskState } from './task.js'

/** A file that a user picks, or a stream. */
export type FileSource = Blob | ReadableStream<BytesLike>

/** The destination of the result: a stream, or a function that takes one, such as `(stream) => saveAs(stream, name)` of `sealstone/web`. */
export type FileSink = WritableStream<Bytes> | ((stream: ReadableStream<Bytes>) => unknown)

/** The result of {@link useFileEncryption}. */
export interface UseFileEncryption extends TaskState<Blob | true> {
  /** The progress from 0 to 1, if the length is known. */
  readonly fraction: ComputedRef<number | undefined>
  /** The encrypted file, or `undefined` on failure: `error` says why. Browsers keep a large file on the disk. */
  encrypt(file: FileSource, options?: EncryptOptions): Promise<Blob | undefined>
  /** The complete decrypted file, or `undefined` on failure. */
  decrypt(file: FileSource, options?: DecryptOptions): Promise<Blob | undefined>
  /** Encrypts in constant memory; resolves to whether it has finished. It calls the sink before it awaits anything. */
  encryptTo(file: FileSource, sink: FileSink, options?: EncryptOptions): Promise<boolean>
  /**
   * Decrypts in constant memory; resolves to whether it has finished. Before an error, the sink gets every authentic chunk before the
   * fault. If this is `false`, discard the sink's data.
   */
  decryptTo(file: FileSource, sink: FileSink, options?: DecryptOptions): Promise<boolean>
}

/**
 * Encrypts and decrypts files of any length, and shows the progress. The work ends when you call `cancel` or the component ends.
 *
 * @example
 * ```ts
 * import { useFileEncryption } from 'sealstone/vue'
 *
 * const { decrypt, encrypt, progress } = useFileEncryption()
 * const file = await encrypt(new Blob(['attack at dawn']), { passphrase: 'correct horse' })
 * console.log(progress.value?.bytes) // 14
 * const opened = file && (await decrypt(file, { passphrase: 'correct horse' }))
 * console.log(await opened?.text()) // attack at dawn
 * ```
 */
export function useFileEncryption(defaults: KeyDefaults = {}): UseFileEncryption {
  const task = new Task<Blob | true>()
  const keys = new Keyring(defaults)
  const encrypted = (file: FileSource, options: EncryptOptions, run: Run): ReadableStream<Bytes> =>
    encrypt(file, { ...keys.encryption(options), ...run })
  const decrypted = (file: FileSource, options: DecryptOptions, run: Run): ReadableStream<Bytes> =>
    decrypt(file, { ...keys.decryption(options), ...run })
  const poured = async (stream: (run: Run) => ReadableStream<Bytes>, sink: FileSink): Promise<boolean> => {
    const to = typeof sink === 'function' ? sink : (stream: ReadableStream<Bytes>) => stream.pipeTo(sink)
    const isDone = await task.run(async (run) => {
      await watched(stream(run), to)
      return true as const
    })
    return isDone === true
  }
  const blob = (stream: ReadableStream<Bytes>): Promise<Blob> =>
    watched(stream, (stream) => new Response(stream).blob())
  const { progress } = task.state
  return {
    ...task.state,
    fraction: computed(() => {
      const { bytes = 0, total } = progress.value ?? {}
      return total === undefined ? undefined : total === 0 ? 1 : bytes / total
    }),
    encrypt: (file, options = {}) => task.run((run) => blob(encrypted(file, options, run))),
    decrypt: (file, options = {}) => task.run((run) => blob(decrypted(file, options, run))),
    encryptTo: (file, sink, options = {}) => poured((run) => encrypted(file, options, run), sink),
    decryptTo: (file, sink, options = {}) => poured((run) => decrypted(file, options, run), sink),
  }
}

/**
 * The result of `use`, after the stream has ended. If the stream fails, it throws the stream's own error: a browser's `Response` replaces
 * that error, and a sink may ignore it.
 *
 * @throws TypeError if a sink leaves a part of the stream unread.
 */
async function watched<T>(
  stream: ReadableStream<Bytes>,
  use: (stream: ReadableStream<Bytes>) => T,
): Promise<Awaited<T>> {
  let failure: { readonly error: unknown } | undefined
  let isWhole = false
  const { promise: ended, resolve: end } = promised()
  const reader = stream.getReader()
  const source: UnderlyingDefaultSource<Bytes> = {
    async pull(controller) {
      try {
        const { done, value } = await reader.read()
        isWhole = done
        if (!done) return controller.enqueue(value)
        controller.close()
      } catch (error) {
        failure = { error }
        controller.error(error)
      }
      end()
    },
    async cancel(reason) {
      failure ??= { error: reason ?? new TypeError(UNREAD) }
      end()
      await reader.cancel(reason)
    },
  }
  const given = new ReadableStream(source, { highWaterMark: 0 })
  try {
    const result = await use(given)
    // If the stream is locked, a reader still reads it: wait for the end.
    if (given.locked) await ended
    if (isWhole) return result
  } catch (error) {
    failure ??= { error }
  }
  failure ??= { error: new TypeError(UNREAD) }
  // Ends the work behind the stream, too. `cancel` fails if the stream has failed.
  await reader.cancel(failure.error).catch(() => undefined)
  throw failure.error
}

/** As `Promise.withResolvers`, which not every browser has. */
function promised(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

const UNREAD = 'the sink did not read the stream to its end'
