// Saves streams of a page as files. `sink.ts` has the kinds of places.

import { type BytesLike, bytesOf, isBytesLike } from '../../basics/bytes.js'
import { ArgumentError, failureOf, SealstoneError } from '../../basics/error.js'
import { readOptions, stringOption } from '../../basics/option.js'
import { RUN_OPTIONS, type RunOptions, runOf } from '../../work/run.js'
import { type ByteSource, isAsyncIterable, isBlob, isReadableStream, OWN_PARTS, sourceOfBytes } from '../source.js'
import { checkName } from './name.js'
import {
  accessSink,
  answered,
  blobSink,
  fileSink,
  isAccessible,
  isWritable,
  type Poured,
  pour,
  type Sink,
} from './sink.js'
import { temporary } from './temporary.js'

/** A stream, such as the result of `encrypt` or `decrypt` for a Blob or a stream. */
export type StreamLike = ReadableStream<BytesLike> | ByteSource

/** Options of {@link saveAs}. */
export interface SaveOptions extends RunOptions {
  /** The most bytes to keep in memory if the browser has no other place for them; 500,000,000 by default. */
  readonly memoryLimit?: number
}

/** Options of {@link temporaryFile}. */
export interface TemporaryFileOptions extends SaveOptions {
  /** The MIME type of the file; by default one that no browser displays. */
  readonly type?: string
}

/** A temporary file, which you remove when you no longer need it. */
export interface TemporaryFile {
  readonly file: File
  /** Removes the file. Otherwise the next page of the site does that, after the page or worker that made the file has ended. */
  remove(): Promise<void>
}

const SAVE = ['memoryLimit', ...RUN_OPTIONS] as const
const TEMPORARY = ['type', ...SAVE] as const

/** The default of `memoryLimit`. */
const MEMORY_LIMIT = 500_000_000

/** A type that no browser displays: decrypted data must never become a page of this site. */
const UNKNOWN_TYPE = 'application/octet-stream'

/**
 * Saves data as a file on the user's disk, under a name that the user may change. The file appears complete or not at all: a stream
 * that fails leaves nothing, for example that of `decrypt` for a file that is not authentic. The signal leaves nothing, either. It also
 * ends the work while the user picks the place.
 *
 * If the browser has `showSaveFilePicker`, the user picks the place, and `saveAs` writes the stream there: call it in the listener of a
 * click, before any `await`. In other browsers, it writes the stream to a private file of the browser, and downloads that when it is
 * complete. Without private files, it uses memory. It downloads bytes, text and Blobs.
 *
 * @returns the file that the user picked, or nothing for a download.
 *
 * @throws the reason of the stream's failure, or of the signal; an `AbortError` if the user picks nothing; {@link SealstoneError}
 * `io` if the browser cannot write (no space, no permission), with its error as the `cause`, `too_long` if there is only memory and
 * too little of it, `unavailable_backend` outside of a page.
 *
 * @example
 * ```ts
 * import { encrypt } from 'sealstone'
 * import { saveAs } from 'sealstone/web'
 *
 * export async function sealed(file: File, recipients: string): Promise<void> {
 *   await saveAs(encrypt(file, { recipients }), `${file.name}.seal`)
 * }
 * ```
 */
export async function saveAs(
  data: Blob | BytesLike | StreamLike,
  name: string,
  options?: SaveOptions,
): Promise<FileSystemFileHandle | undefined> {
  const read = readOptions<SaveOptions>(options, SAVE)
  const [run, limit] = [runOf(read), limitOf(read)]
  checkName(name)
  if (globalThis.document === undefined) {
    throw new SealstoneError('unavailable_backend', 'only a page can save a file: use temporaryFile')
  }
  const source = streamOf(data)
  if (source === undefined) {
    run.signal?.throwIfAborted()
    await download(blobOf(data), name)
    return undefined
  }
  const saved = await pour<FileSystemFileHandle | TemporaryFile>(source, run, async () => {
    const handle = await picked(name)
    return handle === undefined ? temporarySink(name, UNKNOWN_TYPE, limit, source.leastLen) : fileSink(handle)
  })
  if (!('file' in saved)) return saved
  await download(saved.file, name, saved.remove)
  return undefined
}

/**
 * Writes a stream to a file in the origin's private file system, or to memory if there is none. Your page can show or upload the file, or
 * save it with `saveAs`. It works in workers, too: a worker can post the `file` to its page, but must live until the page has finished
 * with it.
 *
 * @throws as `saveAs`.
 *
 * @example
 * ```ts
 * import { decrypt, encryptSync } from 'sealstone'
 * import { temporaryFile } from 'sealstone/web'
 *
 * const key = new Uint8Array(32).fill(7)
 * const sealed = new Blob([encryptSync('attack at dawn', { key })])
 * const { file, remove } = await temporaryFile(decrypt(sealed, { key }), 'letter.txt', { type: 'text/plain' })
 * console.log(file.name, await file.text()) // letter.txt attack at dawn
 * await remove()
 * ```
 */
export async function temporaryFile(
  data: StreamLike,
  name: string,
  options?: TemporaryFileOptions,
): Promise<TemporaryFile> {
  const read = readOptions<TemporaryFileOptions>(options, TEMPORARY)
  const [run, limit, type] = [runOf(read), limitOf(read), stringOption(read.type, 'type') ?? UNKNOWN_TYPE]
  checkName(name)
  const source = streamOf(data)
  if (source === undefined) throw new ArgumentError('temporaryFile takes a stream')
  return pour(source, run, () => temporarySink(name, type, limit, source.leastLen))
}

/**
 * Writes a stream to the file of a handle: of `showSaveFilePicker`, `showDirectoryPicker` or the origin's private file system. The old
 * content stays until everything is written. After a failure, it removes a file that was empty, if the browser has `remove` of
 * handles.
 *
 * @throws the reason of the stream's failure, or of the signal; {@link SealstoneError} `io` if the browser cannot write;
 * `unavailable_backend` if it cannot write to this handle here.
 *
 * @example
 * ```ts
 * import { decrypt, type Identity } from 'sealstone'
 * import { writeFile } from 'sealstone/web'
 *
 * export async function restored(file: File, folder: FileSystemDirectoryHandle, identities: Identity): Promise<void> {
 *   const handle = await folder.getFileHandle(file.name.replace(/\.seal$/, ''), { create: true })
 *   await writeFile(handle, decrypt(file, { identities }))
 * }
 * ```
 */
export async function writeFile(handle: FileSystemFileHandle, data: StreamLike, options?: RunOptions): Promise<void> {
  const run = runOf(readOptions<RunOptions>(options, RUN_OPTIONS))
  if (handle?.kind !== 'file') throw new ArgumentError('the handle must be a FileSystemFileHandle')
  if (!isWritable(handle)) throw new SealstoneError('unavailable_backend', 'this browser has no createWritable')
  const source = streamOf(data)
  if (source === undefined) throw new ArgumentError('writeFile takes a stream')
  await pour(source, run, () => fileSink(handle))
}

/** The place that the user picks. It is undefined if the browser cannot ask: no picker, no click, or a frame of another site. */
async function picked(name: string): Promise<FileSystemFileHandle | undefined> {
  // `hasOwn`: in a browser without a picker, an element with this id would be found under the name.
  if (!Object.hasOwn(globalThis, 'showSaveFilePicker')) return undefined
  const { showSaveFilePicker } = globalThis as Picking
  if (typeof showSaveFilePicker !== 'function') return undefined
  try {
    return await showSaveFilePicker.call(globalThis, { suggestedName: name })
  } catch (error) {
    const { name, message } = failureOf(error)
    if (name === 'SecurityError') return undefined
    if (name === 'AbortError') throw error
    throw new SealstoneError('io', `cannot ask where to save the file: ${message}`, { cause: error })
  }
}

interface Picking {
  showSaveFilePicker?(options: { suggestedName: string }): Promise<FileSystemFileHandle>
}

/** A sink for a temporary file: on the disk, or in memory if the platform has no place for it. */
async function temporarySink(
  name: string,
  type: string,
  limit: number,
  leastLen: number,
): Promise<Sink<TemporaryFile>> {
  const fileOf = (content: Blob): File => new File([content], name, { type })
  const place = await temporary((handle) => isAccessible(handle) || isWritable(handle))
  if (place === undefined) {
    const sink = blobSink(limit, leastLen)
    return { ...sink, close: async () => ({ file: fileOf(await sink.close()), remove: async () => undefined }) }
  }
  const { handle, remove } = place
  try {
    const sink = await (isAccessible(handle) ? accessSink(handle, leastLen) : fileSink(handle, leastLen))
    return {
      write: sink.write,
      async close() {
        await sink.close()
        return { file: fileOf(await answered(handle.getFile())), remove }
      },
      async drop() {
        await sink.drop().catch(() => undefined)
        await remove()
      },
    }
  } catch (error) {
    await remove()
    throw error
  }
}

/** A download's file is kept at least this many milliseconds, and some more for each byte: no event tells when it was copied. */
const KEPT_MS = 60_000
const KEPT_MS_PER_BYTE = 1e-4

/** Downloads a file. If the download cannot begin, it removes the file. */
async function download(file: Blob, name: string, remove?: () => Promise<void>): Promise<void> {
  let url = ''
  const forget = async (): Promise<void> => {
    URL.revokeObjectURL(url)
    await remove?.()
  }
  try {
    url = URL.createObjectURL(file)
    Object.assign(document.createElement('a'), { href: url, download: name }).click()
  } catch (cause) {
    await forget()
    throw new SealstoneError('io', `the download cannot begin: ${failureOf(cause).message}`, { cause })
  }
  setTimeout(forget, KEPT_MS + file.size * KEPT_MS_PER_BYTE)
}

/** Data other than a stream, as a Blob. */
function blobOf(data: unknown): Blob {
  if (isBlob(data)) return data
  if (isBytesLike(data)) return new Blob([bytesOf(data, 'what is saved')], { type: UNKNOWN_TYPE })
  // `encrypt` of bytes returns a promise.
  const hint = data instanceof Promise ? ': await this promise' : ''
  throw new ArgumentError(`what is saved must be a stream, a Blob, bytes or text${hint}`)
}

function streamOf(data: unknown): Poured | undefined {
  if (isReadableStream(data)) {
    const areOwn = Object.hasOwn(data, OWN_PARTS)
    // The stream of an older copy of this package gives no number.
    const leastLen = areOwn ? Number((data as Marked)[OWN_PARTS]) : 0
    return { source: sourceOfBytes(data), areOwn, leastLen }
  }
  return isAsyncIterable(data) ? { source: data, areOwn: false, leastLen: 0 } : undefined
}

interface Marked {
  readonly [OWN_PARTS]?: unknown
}

function limitOf({ memoryLimit }: SaveOptions): number {
  if (memoryLimit === undefined) return MEMORY_LIMIT
  if (typeof memoryLimit === 'number' && memoryLimit >= 0) return memoryLimit
  throw new ArgumentError('memoryLimit must be a number of bytes')
}
