/**
 * The streams of `@ldesign/crypto/stream`, under their names.
 *
 * A file is one message, binary or not. Its metadata have a tag over all of it. The original encrypts every piece under the same IV, which
 * reveals relations between pieces, and destroys files that are not text. This entry still reads its files.
 *
 * @module sealstone/compat/ldesign/stream
 */

import { encode } from '../../api/encoding.js'
import { randomBytes } from '../../api/random.js'
import { type Bytes, utf8 } from '../../basics/bytes.js'
import { stringOf } from '../../basics/option.js'
import { branded } from '../../basics/receiver.js'
import { turn } from '../../basics/turn.js'
import {
  CryptoErrorCode,
  messageOf,
  notAuthentic,
  type ResultCode,
  refused,
  resultCodeOf,
  unreadable,
  unsupported,
} from './errors.js'
import { joined, MessageReader, MessageWriter, PAD, type StreamMode, taggingOf, verifyTag } from './messages.js'
import { textOf } from './padding.js'
import type { AESKeySize, EncryptResult } from './results.js'
import { isHexOf, withKeyLater } from './secrets.js'

export interface StreamProgress {
  processedBytes: number
  totalBytes: number
  /** Up to 100. */
  percentage: number
  currentChunk: number
  totalChunks: number
  /** Milliseconds. */
  estimatedTimeRemaining: number
}

export interface StreamEncryptionOptions {
  /** Only `AES`. */
  algorithm?: 'AES'
  /** Bytes of one piece: 1 MiB by default. To read a file of the original, give the value that it was written with. */
  chunkSize?: number
  /** 256 by default. */
  keySize?: AESKeySize
  /** CTR by default. GCM is refused, because the original never had it. */
  mode?: 'CBC' | 'CTR' | 'GCM'
  onProgress?: (progress: StreamProgress) => void
  /** No effect. */
  parallelChunks?: number
}

export interface StreamDecryptionOptions extends Omit<StreamEncryptionOptions, 'mode'> {
  mode?: string
  iv?: string
}

/** The metadata of a file. You need them to decrypt it. */
export interface StreamMetadata extends EncryptResult {
  /** HMAC-SHA256 over the whole file, in hexadecimal digits. A file without a tag is read as one of the original. */
  tag?: string | undefined
}

export interface StreamEncryptionResult {
  success: boolean
  data?: Blob | undefined
  metadata: StreamMetadata
  /** Milliseconds. */
  duration: number
  totalBytes: number
  error?: string | undefined
  code?: ResultCode | undefined
}

export interface StreamDecryptionResult {
  success: boolean
  data?: Blob | undefined
  /** Whether a tag over the whole file was verified. */
  authenticated: boolean
  /** Milliseconds. */
  duration: number
  totalBytes: number
  error?: string | undefined
  code?: ResultCode | undefined
}

/** Encrypts and decrypts files, one after the other; an error is in the result. */
export class StreamEncryptor {
  #isPaused = false
  #isCancelled = false

  /** @internal */
  static readonly brand: string = /* @__PURE__ */ branded(
    this,
    'ldesign.StreamEncryptor',
    (value) => #isPaused in value,
  )

  async encryptFile(file: Blob, key: string, options: StreamEncryptionOptions = {}): Promise<StreamEncryptionResult> {
    const start = performance.now()
    try {
      const { chunkSize, keySize, mode, onProgress } = checked(options)
      const iv = encode('hex', randomBytes(16))
      const parts: Bytes[] = []
      const tag = await withKeyLater(checkedKey(key), keySize, async (key) => {
        const writer = new MessageWriter(key, mode, iv)
        const tagging = taggingOf(key, `${mode} ${iv}`)
        const written = (digits: Bytes): void => {
          tagging.update(digits)
          parts.push(digits)
        }
        try {
          for await (const piece of this.#pieces(file, chunkSize, start, onProgress))
            written(await writer.update(piece))
          written(await writer.finish())
          return tagging.tag('hex')
        } finally {
          writer.destroy()
          tagging.destroy()
        }
      })
      const data = new Blob(parts, { type: 'application/octet-stream' })
      const metadata = { success: true, algorithm: 'AES', mode, keySize, iv, tag }
      return { success: true, data, metadata, duration: performance.now() - start, totalBytes: file.size }
    } catch (error) {
      const metadata = { success: false, algorithm: 'AES' }
      const why = { error: messageOf(error), code: resultCodeOf(error) }
      return { success: false, metadata, duration: performance.now() - start, totalBytes: 0, ...why }
    }
  }

  /** Decrypts a file with its metadata. */
  async decryptFile(
    file: Blob,
    key: string,
    metadata: StreamMetadata,
    options: StreamDecryptionOptions = {},
  ): Promise<StreamDecryptionResult> {
    const start = performance.now()
    try {
      const { iv, tag } = metadata
      if (!isHexOf(stringOf(iv ?? '', 'iv'), 16)) {
        throw unreadable('IV not found in metadata', 'AES', CryptoErrorCode.INVALID_IV)
      }
      const said = { mode: metadata.mode ?? options.mode ?? 'CTR', keySize: metadata.keySize ?? options.keySize ?? 256 }
      const settings = checked({ ...options, ...said } as StreamEncryptionOptions)
      const { chunkSize, keySize, mode, onProgress } = settings
      const parts: Bytes[] = []
      const pieces = this.#pieces(file, chunkSize, start, onProgress)
      await withKeyLater(checkedKey(key), keySize, (key) => {
        const by = { key, mode, iv: iv as string }
        return tag === undefined ? openTheirs(pieces, by, chunkSize, parts) : openOwn(pieces, by, tag, parts)
      })
      const done = { duration: performance.now() - start, totalBytes: file.size }
      return { success: true, data: new Blob(parts), authenticated: tag !== undefined, ...done }
    } catch (error) {
      const why = { error: messageOf(error), code: resultCodeOf(error) }
      return { success: false, authenticated: false, duration: performance.now() - start, totalBytes: 0, ...why }
    }
  }

  /** Waits before the next piece. */
  pause(): void {
    this.#isPaused = true
  }

  /** Continues after a pause. */
  resume(): void {
    this.#isPaused = false
  }

  /** Ends the work before the next piece. You cannot use this object again. */
  cancel(): void {
    this.#isCancelled = true
  }

  /** The pieces of a file. It reports the progress with each. */
  async *#pieces(
    file: Blob,
    length: number,
    start: number,
    onProgress: (progress: StreamProgress) => void,
  ): AsyncGenerator<Bytes> {
    const { size } = file
    const totalChunks = Math.ceil(size / length)
    for (let i = 0; i < totalChunks; i++) {
      await this.#checkpoint()
      const end = Math.min((i + 1) * length, size)
      yield new Uint8Array(await file.slice(i * length, end).arrayBuffer())
      const elapsed = performance.now() - start
      await onProgress({
        processedBytes: end,
        totalBytes: size,
        percentage: (100 * end) / size,
        currentChunk: i + 1,
        totalChunks,
        estimatedTimeRemaining: (elapsed * (size - end)) / end,
      })
    }
  }

  async #checkpoint(): Promise<void> {
    while (this.#isPaused && !this.#isCancelled) await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
    // Gives the caller's `cancel` a chance to run.
    await turn()
    if (this.#isCancelled) throw new Error('Operation cancelled')
  }
}

/** Encrypts files in one call. */
export const streamEncrypt = {
  file: (file: Blob, key: string, options?: StreamEncryptionOptions): Promise<StreamEncryptionResult> =>
    new StreamEncryptor().encryptFile(file, key, options),
} as const

/** Decrypts files in one call. */
export const streamDecrypt = {
  file: (
    file: Blob,
    key: string,
    metadata: StreamMetadata,
    options?: StreamDecryptionOptions,
  ): Promise<StreamDecryptionResult> => new StreamEncryptor().decryptFile(file, key, metadata, options),
} as const

const CHUNK_SIZE = 1 << 20
/** A paused stream checks this often whether it may continue. */
const PAUSE_MS = 20

interface Checked {
  readonly chunkSize: number
  readonly keySize: AESKeySize
  readonly mode: StreamMode
  readonly onProgress: (progress: StreamProgress) => void
}

function checked(options: StreamEncryptionOptions): Checked {
  const { algorithm = 'AES', chunkSize = CHUNK_SIZE, keySize = 256, mode = 'CTR', onProgress } = options
  if (algorithm !== 'AES') throw unsupported(`${algorithm} of streams`, 'use encrypt of sealstone with a stream')
  if (mode !== 'CTR' && mode !== 'CBC')
    throw unsupported(`${mode} of streams`, 'use encrypt of sealstone with a stream')
  if (keySize !== 128 && keySize !== 192 && keySize !== 256) {
    throw refused('Invalid key size. Must be 128, 192, or 256', 'AES', CryptoErrorCode.KEY_SIZE_MISMATCH)
  }
  if (!Number.isInteger(chunkSize) || chunkSize < 1) {
    throw refused('chunkSize must be a whole number of bytes', 'AES', CryptoErrorCode.INVALID_PARAMETER)
  }
  return { chunkSize, keySize, mode, onProgress: onProgress ?? (() => {}) }
}

function checkedKey(key: string): string {
  if (stringOf(key, 'the key').trim() !== '') return key
  throw refused('Key cannot be empty', 'AES', CryptoErrorCode.INVALID_KEY)
}

/** The key, mode and IV of a file's messages. */
interface By {
  readonly key: Bytes
  readonly mode: StreamMode
  readonly iv: string
}

/** Decrypts one message with a tag. It returns the bytes only after it has verified the tag. */
async function openOwn(pieces: AsyncIterable<Bytes>, by: By, tag: string, parts: Bytes[]): Promise<void> {
  const reader = new MessageReader(by.key, by.mode, by.iv)
  const tagging = taggingOf(by.key, `${by.mode} ${by.iv}`)
  try {
    for await (const piece of pieces) {
      tagging.update(piece)
      parts.push(await reader.update(piece))
    }
    verifyTag(tagging, tag)
    parts.push(await reader.finish())
  } finally {
    reader.destroy()
    tagging.destroy()
  }
}

/**
 * Decrypts a file of the original, which has one message for each piece of text. A message ends at the padding of its Base64. Without
 * padding, it ends at the length of a whole piece: for plain text, this is the Base64 of the piece padded to whole blocks.
 */
async function openTheirs(pieces: AsyncIterable<Bytes>, by: By, chunkSize: number, parts: Bytes[]): Promise<void> {
  const sealedLen = 16 * (Math.floor(chunkSize / 16) + 1)
  const digits = 4 * Math.ceil(sealedLen / 3)
  const isPadded = sealedLen % 3 !== 0
  let text = ''
  const messages = async (isLast: boolean): Promise<void> => {
    for (;;) {
      const padding = PADDING.exec(text)
      // Padding at the very end may continue in the next piece.
      const isWhole = padding !== null && (isLast || padding.index + padding[0].length < text.length)
      const end = isWhole ? padding.index + padding[0].length : text.length
      if (!isPadded && end > digits) {
        // Without Base64 padding, the length of a piece of plain text is known.
        await message(by, text.slice(0, digits), parts)
        text = text.slice(digits)
      } else if (isWhole || (isLast && text !== '')) {
        await message(by, text.slice(0, end), parts)
        text = text.slice(end)
      } else return
    }
  }
  // Text that waits for its padding is not searched again for each piece.
  let waiting: string[] = []
  let length = 0
  for await (const piece of pieces) {
    waiting.push(decoder.decode(piece))
    length += piece.length
    if (isPadded ? !piece.includes(PAD) && !waiting.at(-2)?.endsWith('=') : length <= digits) continue
    text = waiting.join('')
    await messages(false)
    waiting = [text]
    length = text.length
  }
  text = waiting.join('')
  await messages(true)
}

const PADDING = /=+/

/** The original encrypts texts. A plaintext that is not UTF-8 means another key. */
async function message({ key, mode, iv }: By, text: string, parts: Bytes[]): Promise<void> {
  const reader = new MessageReader(key, mode, iv)
  try {
    const all = joined(await reader.update(utf8(text, 'the text')), await reader.finish())
    textOf(all)
    parts.push(all)
  } catch {
    throw notAuthentic('AES')
  } finally {
    reader.destroy()
  }
}

const decoder = /* @__PURE__ */ new TextDecoder()
