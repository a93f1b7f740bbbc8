/**
 * The streams and files of `@ldesign/crypto/core/stream`, under their names.
 *
 * Functions here write one message of AES-256-CBC, instead of many under one IV. The original can read it. A tag beside the message covers
 * all of it: the result of `decryptFile` says whether the tag was verified.
 *
 * @module sealstone/compat/ldesign/core/stream
 */

import { encode } from '../../../api/encoding.js'
import type { MacSigner } from '../../../api/mac.js'
import { randomBytes } from '../../../api/random.js'
import { type Bytes, bytesOf, isUint8Array, joined } from '../../../basics/bytes.js'
import { stringOf } from '../../../basics/option.js'
import { Turns } from '../../../basics/turn.js'
import { CryptoErrorCode, notAuthentic, refused, unreadable, unsupported } from '../errors.js'
import { bytesOfDigits, digitsOf, MessageReader, MessageWriter, PAD, taggingOf, verifyTag } from '../messages.js'
import { textOf } from '../padding.js'
import type { AESOptions } from '../results.js'
import { isHexOf, withKeyLater } from '../secrets.js'

export { CryptoError, CryptoErrorCode, DecryptionError, EncryptionError } from '../errors.js'

export interface StreamOptions {
  /** Bytes processed at once: 64 KiB by default. It does not change the output. */
  chunkSize?: number
  /** Only `AES`: the original used it in place of any other. */
  algorithm?: 'AES'
  /** Refused, because it had no effect in the original. */
  encryptionOptions?: AESOptions
  /** Called with the part that is done, up to 1. */
  onProgress?: (progress: number) => void
  /** For decryption: the hexadecimal digits of `metadata.tag`. Decryption fails if the tag is wrong. */
  tag?: string
}

export interface StreamResult {
  success: boolean
  bytesProcessed: number
  timeMs: number
  throughput: number
  error?: string
}

/** The metadata of long data. */
export interface LargeMetadata {
  iv: string
  algorithm: string
  originalSize: number
  /** HMAC-SHA256, in hexadecimal digits. Data of the original have none. */
  tag?: string | undefined
}

/** The metadata of a file. They stand before the data, in clear. */
export interface FileMetadata {
  originalName: string
  originalSize: number
  mimeType: string
  iv: string
  algorithm: string
  encryptedAt: number
  /** HMAC-SHA256 over these metadata and the data, in hexadecimal digits. Files of the original have none. */
  tag?: string | undefined
}

type BytesStream = ReadableStream<Uint8Array>

/** Encrypts streams and long data. */
export class StreamCipher {
  /** Encrypts a stream of bytes, or a text, to a stream of Base64. You need the IV in `metadata` to decrypt. */
  async encryptStream(
    input: BytesStream | string,
    key: string,
    options: StreamOptions = {},
  ): Promise<{ stream: BytesStream; metadata: { iv: string; algorithm: string; chunkSize: number } }> {
    const { chunkSize } = checked(options)
    const iv = freshIv()
    const source = typeof input === 'string' ? new Blob([input]).stream() : input
    const stream = source.pipeThrough(await encryption(key, iv))
    return { stream, metadata: { iv, algorithm: 'AES', chunkSize } }
  }

  /**
   * Decrypts a stream of {@link encryptStream}, or of the original: there, each piece is a text that ends with its Base64 padding. The
   * plaintext is not authenticated, and a wrong key may show only at the end.
   */
  async decryptStream(input: BytesStream, key: string, iv: string, options: StreamOptions = {}): Promise<BytesStream> {
    checkedWithoutTag(options)
    return input.pipeThrough(await decryption(key, iv))
  }

  /** Encrypts bytes. */
  async encryptLargeData(
    data: ArrayBuffer | Uint8Array,
    key: string,
    options: StreamOptions = {},
  ): Promise<{ data: ArrayBuffer; metadata: LargeMetadata }> {
    const { chunkSize, onProgress } = checked(options)
    const bytes = bytesOf(data, 'the data')
    const iv = freshIv()
    const parts: Bytes[] = []
    const source = slicesOf(bytes, chunkSize)
    const tag = await sealed(source, bytes.length, key, { iv, context: iv }, onProgress, (part) => parts.push(part))
    return { data: joined(parts).buffer, metadata: { iv, algorithm: 'AES', originalSize: bytes.length, tag } }
  }

  /**
   * Decrypts data of {@link encryptLargeData}, of this package or the original.
   *
   * @throws {@link DecryptionError} for a wrong key, and for changed data: every change if you give the tag, else only one that breaks the
   * padding.
   */
  async decryptLargeData(
    encryptedData: ArrayBuffer | Uint8Array,
    key: string,
    iv: string,
    options: StreamOptions = {},
  ): Promise<ArrayBuffer> {
    const { onProgress } = checked(options)
    const bytes = bytesOf(encryptedData, 'the data')
    const parts: Bytes[] = []
    const by = { iv, context: iv, tag: options.tag }
    await opened(
      () => slicesOf(bytes, TEXT_LEN),
      bytes.length,
      key,
      by,
      onProgress,
      (part) => parts.push(part),
    )
    return joined(parts).buffer
  }

  /** A stream that encrypts, as {@link encryptStream}. You need its `iv` to decrypt; the original did not give it to the caller. */
  createEncryptionPipeline(
    key: string,
    options: StreamOptions = {},
  ): TransformStream<Uint8Array, Uint8Array> & { iv: string } {
    checked(options)
    const iv = freshIv()
    return Object.assign(encryptionNow(key, iv), { iv })
  }

  /** A stream that decrypts, as {@link decryptStream}. */
  createDecryptionPipeline(
    key: string,
    iv: string,
    options: StreamOptions = {},
  ): TransformStream<Uint8Array, Uint8Array> {
    checkedWithoutTag(options)
    return decryptionNow(key, iv)
  }
}

/** Encrypts files. */
export class FileEncryptor {
  /** Encrypts a file. Its metadata stand before the data, in clear. */
  async encryptFile(
    file: File,
    key: string,
    options: StreamOptions = {},
  ): Promise<{ blob: Blob; metadata: FileMetadata }> {
    const { chunkSize, onProgress } = checked(options)
    const { name: originalName, size: originalSize, type: mimeType } = file
    const about = { originalName, originalSize, mimeType, iv: freshIv(), algorithm: 'AES', encryptedAt: Date.now() }
    const parts: Bytes[] = []
    const source = slicesOfBlob(file, chunkSize)
    const by = { iv: about.iv, context: JSON.stringify(about) }
    const tag = await sealed(source, originalSize, key, by, onProgress, (part) => parts.push(part))
    const metadata = { ...about, tag }
    const head = bytesOf(JSON.stringify(metadata), 'the metadata')
    if (head.length > METADATA_MAX) {
      throw refused('the name and the type of the file are too long', 'AES', CryptoErrorCode.INVALID_PARAMETER)
    }
    const length = new Uint8Array(4)
    new DataView(length.buffer).setUint32(0, head.length, true)
    return { blob: new Blob([length, head, ...parts], { type: 'application/octet-stream' }), metadata }
  }

  /**
   * Decrypts a file of {@link encryptFile}, of this package or the original. `authenticated` says whether the file has a valid tag: without
   * one, anyone may have changed the file and its metadata. To detect that somebody removed the tag, give it in `options.tag`.
   *
   * @throws {@link DecryptionError} for a wrong key, and for a changed file: every change if there is a tag, else only one that breaks the
   * padding.
   */
  async decryptFile(
    encryptedBlob: Blob,
    key: string,
    options: StreamOptions = {},
  ): Promise<{ blob: Blob; metadata: FileMetadata; authenticated: boolean }> {
    const { onProgress } = checked(options)
    const [metadata, body] = await partsOfFile(encryptedBlob)
    const { tag, ...about } = metadata
    const parts: Bytes[] = []
    const by = { iv: about.iv, context: JSON.stringify(about), tag }
    if (options.tag !== undefined && options.tag !== tag) throw notAuthentic('AES')
    const source = tag === undefined ? () => slicesOfBlob(body, TEXT_LEN) : twoPassesOver(body)
    const size = await opened(source, body.size, key, by, onProgress, (part) => parts.push(part))
    if (size !== about.originalSize) throw notAuthentic('AES')
    return { blob: new Blob(parts, { type: about.mimeType }), metadata, authenticated: tag !== undefined }
  }

  /** Encrypts a file in pieces. Together they are one text of {@link StreamCipher.encryptStream}, with its `iv`. */
  async *encryptFileChunks(
    file: File,
    key: string,
    chunkSize: number = 1 << 20,
  ): AsyncGenerator<{ chunk: Uint8Array; index: number; total: number; progress: number; iv: string }> {
    checkLength(chunkSize)
    const iv = freshIv()
    const total = Math.max(1, Math.ceil(file.size / chunkSize))
    const writer = await withKeyLater(checkedKey(key), 256, async (key) => new MessageWriter(key, 'CBC', iv))
    try {
      for (let index = 0; index < total; index++) {
        const piece = new Uint8Array(await file.slice(index * chunkSize, (index + 1) * chunkSize).arrayBuffer())
        const digits = await writer.update(piece)
        const chunk = index === total - 1 ? joined([digits, await writer.finish()]) : digits
        yield { chunk, index, total, progress: (index + 1) / total, iv }
      }
    } finally {
      writer.destroy()
    }
  }
}

export const streamCipher = /* @__PURE__ */ new StreamCipher()
export const fileEncryptor = /* @__PURE__ */ new FileEncryptor()

/** The length of a piece is a multiple of this: whole groups of Base64, encoded in Base64 again. */
const PIECE_UNIT = 36
const CHUNK_SIZE = 1 << 16
/** Characters that are read at once. */
const TEXT_LEN = 1 << 18
/** The separator between messages of the original. */
const BAR = 0x7c

interface Checked {
  readonly chunkSize: number
  readonly onProgress: (progress: number) => void
}

function checked({ chunkSize = CHUNK_SIZE, algorithm = 'AES', encryptionOptions, onProgress }: StreamOptions): Checked {
  if (algorithm !== 'AES')
    throw unsupported(`${algorithm} of streams`, 'the original computed AES; use encrypt of sealstone with a stream')
  if (encryptionOptions !== undefined && Object.keys(encryptionOptions).length > 0) {
    throw unsupported('encryptionOptions', 'streams have AES-256-CBC; use encrypt of sealstone with a stream')
  }
  checkLength(chunkSize)
  return { chunkSize: Math.ceil(chunkSize / PIECE_UNIT) * PIECE_UNIT, onProgress: onProgress ?? (() => {}) }
}

function checkLength(chunkSize: number): void {
  if (Number.isInteger(chunkSize) && chunkSize >= 1) return
  throw refused('chunkSize must be a whole number of bytes', 'AES', CryptoErrorCode.INVALID_PARAMETER)
}

/** Checks the options of streams that give bytes before they have seen the end. */
function checkedWithoutTag(options: StreamOptions): void {
  checked(options)
  if (options.tag !== undefined) throw unsupported('tag of a stream', 'a stream has none; use decryptLargeData')
}

function checkedKey(key: string): string {
  if (stringOf(key, 'the key').trim() !== '') return key
  throw refused('Key cannot be empty', 'AES', CryptoErrorCode.INVALID_KEY)
}

function freshIv(): string {
  return encode('hex', randomBytes(16))
}

function checkedIv(iv: string): string {
  if (isHexOf(stringOf(iv, 'iv'), 16)) return iv
  throw unreadable('Invalid IV length. Must be 32 characters (hex)', 'AES', CryptoErrorCode.INVALID_IV)
}

/** The IV of a message, the context of its tag, and the expected tag. */
interface Bound {
  readonly iv: string
  readonly context: string
  readonly tag?: string | undefined
}

/** Encrypts the Base64 of pieces, and returns the tag. Each piece but the last must fill whole groups of Base64. */
async function sealed(
  pieces: AsyncIterable<Bytes>,
  total: number,
  key: string,
  { iv, context }: Bound,
  onProgress: (progress: number) => void,
  write: (part: Bytes) => void,
): Promise<string> {
  return withKeyLater(checkedKey(key), 256, async (key) => {
    const writer = new MessageWriter(key, 'CBC', iv)
    const tagging = taggingOf(key, context)
    const written = (digits: Bytes): void => {
      tagging.update(digits)
      write(digits)
    }
    let done = 0
    try {
      for await (const piece of pieces) {
        written(await writer.update(digitsOf(piece)))
        done += piece.length
        await onProgress(done / total)
      }
      // In the original, empty data have no message.
      if (total > 0) written(await writer.finish())
      return tagging.tag('hex')
    } finally {
      writer.destroy()
      tagging.destroy()
    }
  })
}

/**
 * Decrypts messages of Base64 with bars between them; returns the number of bytes. It verifies a tag before it decrypts anything: how far a
 * changed message gets would reveal something about its plaintext.
 */
async function opened(
  pieces: () => AsyncIterable<Bytes>,
  total: number,
  key: string,
  { iv: given, context, tag }: Bound,
  onProgress: (progress: number) => void,
  write: (part: Bytes) => void,
): Promise<number> {
  const iv = checkedIv(given)
  return withKeyLater(checkedKey(key), 256, async (key) => {
    if (tag !== undefined) await verify(taggingOf(key, context), pieces(), tag)
    let reader: MessageReader | undefined
    let [done, size] = [0, 0]
    let isPadded = false
    /** Takes decrypted Base64, and writes its bytes. Nothing may follow its padding. */
    const takeDigits = (digits: Bytes): void => {
      if (isPadded && digits.length > 0) throw notAuthentic('AES')
      const part = bytesOfDigits(digits)
      isPadded ||= 4 * part.length !== 3 * digits.length
      if (part.length > 0) write(part)
      size += part.length
    }
    const ended = async (): Promise<void> => {
      if (reader !== undefined) takeDigits(await reader.finish())
      reader = undefined
      isPadded = false
    }
    try {
      for await (const piece of pieces()) {
        for (let from = 0; from < piece.length; ) {
          const bar = piece.indexOf(BAR, from)
          const to = bar < 0 ? piece.length : bar
          if (to > from) {
            reader ??= new MessageReader(key, 'CBC', iv)
            takeDigits(await reader.update(piece.subarray(from, to)))
          }
          if (bar >= 0) await ended()
          from = bar < 0 ? to : bar + 1
        }
        done += piece.length
        await onProgress(done / total)
      }
      await ended()
      return size
    } finally {
      reader?.destroy()
    }
  })
}

async function verify(tagging: MacSigner, pieces: AsyncIterable<Bytes>, tag: string): Promise<void> {
  try {
    for await (const piece of pieces) tagging.update(piece)
    verifyTag(tagging, tag)
  } finally {
    tagging.destroy()
  }
}

async function* slicesOf(bytes: Bytes, length: number): AsyncGenerator<Bytes> {
  const turns = new Turns()
  for (let at = 0; at < bytes.length; at += length) {
    yield bytes.subarray(at, at + length)
    await turns.pass()
  }
}

/** The least bytes of a read: a read of fewer takes a Blob as long. */
const READ_LEN = 36 << 13
/** Bytes that are read ahead. A Blob that is a file needs several reads at once for that. */
const AHEAD_LEN = 4 * READ_LEN

async function* slicesOfBlob(blob: Blob, length: number): AsyncGenerator<Bytes> {
  const step = Math.max(1, Math.floor(READ_LEN / length)) * length
  const reads: Promise<ArrayBuffer>[] = []
  for (let at = 0, next = 0; at < blob.size; at += step) {
    for (; next < blob.size && next <= at + Math.max(0, AHEAD_LEN - step); next += step) {
      const read = blob.slice(next, next + step).arrayBuffer()
      // If another read fails, nobody awaits this one.
      read.catch(() => undefined)
      reads.push(read)
    }
    yield* slicesOf(new Uint8Array((await reads.shift()) as ArrayBuffer), length)
  }
}

/** Bytes of a Blob that the first pass keeps for the second. */
const KEPT_LEN = 32 << 20

/** The pieces of a Blob. Each call of the function is one pass. */
function twoPassesOver(blob: Blob): () => AsyncGenerator<Bytes> {
  let [kept, length]: [Bytes[], number] = [[], 0]
  return async function* () {
    const before = kept
    const rest = blob.slice(length)
    kept = []
    yield* before
    for await (const piece of slicesOfBlob(rest, TEXT_LEN)) {
      if (length < KEPT_LEN) {
        kept.push(piece)
        length += piece.length
      }
      yield piece
    }
  }
}

/** The most bytes of a file's metadata. */
const METADATA_MAX = 1 << 20

async function partsOfFile(blob: Blob): Promise<[metadata: FileMetadata, body: Blob]> {
  try {
    const head = new DataView(await blob.slice(0, 4).arrayBuffer())
    const length = head.getUint32(0, true)
    if (length > METADATA_MAX) throw new RangeError()
    const metadata = JSON.parse(textOf(new Uint8Array(await blob.slice(4, 4 + length).arrayBuffer())))
    const { originalSize, mimeType, iv, tag } = metadata
    const isWhole =
      Number.isInteger(originalSize) && [mimeType, iv, tag ?? ''].every((part) => typeof part === 'string')
    if (!isWhole || Object.values(metadata).some((part) => typeof part === 'object')) throw new TypeError()
    return [metadata, blob.slice(4 + length)]
  } catch {
    throw unreadable('the file was not written by FileEncryptor', 'AES', CryptoErrorCode.INVALID_CIPHERTEXT)
  }
}

type Transform = TransformStream<Uint8Array, Uint8Array>

async function encryption(key: string, iv: string): Promise<Transform> {
  const writer = await withKeyLater(checkedKey(key), 256, async (key) => new MessageWriter(key, 'CBC', iv))
  return writing(async () => writer)
}

function encryptionNow(key: string, iv: string): Transform {
  checkedKey(key)
  return writing(() => withKeyLater(key, 256, async (key) => new MessageWriter(key, 'CBC', iv)))
}

function writing(make: () => Promise<MessageWriter>): Transform {
  let writer: MessageWriter
  return new TransformStream<Uint8Array, Uint8Array>({
    async start() {
      writer = await make()
    },
    async transform(piece, controller) {
      const digits = await writer.update(bytesOf(checkedPiece(piece), 'the piece'))
      if (digits.length > 0) controller.enqueue(digits)
    },
    async flush(controller) {
      controller.enqueue(await writer.finish())
    },
  })
}

async function decryption(key: string, iv: string): Promise<Transform> {
  checkedIv(iv)
  return decryptionNow(key, iv)
}

/** Uses a new reader for each message. A message ends with the padding of its Base64. */
function decryptionNow(key: string, iv: string): Transform {
  const start = checkedIv(iv)
  checkedKey(key)
  const made = (): Promise<MessageReader> => withKeyLater(key, 256, async (key) => new MessageReader(key, 'CBC', start))
  let reader: MessageReader | undefined
  let isPadding = false
  return new TransformStream<Uint8Array, Uint8Array>({
    async transform(piece, controller) {
      const giveBytes = (bytes: Bytes): void => {
        if (bytes.length > 0) controller.enqueue(bytes)
      }
      const digits = bytesOf(checkedPiece(piece), 'the piece')
      for (let from = 0; from < digits.length; ) {
        const wasPadding = isPadding
        isPadding = digits[from] === PAD
        if (wasPadding && !isPadding) {
          giveBytes(await (reader as MessageReader).finish())
          reader = undefined
        }
        const next = isPadding ? from + 1 : digits.indexOf(PAD, from)
        const to = next < 0 ? digits.length : next
        reader ??= await made()
        giveBytes(await reader.update(digits.subarray(from, to)))
        from = to
      }
    },
    async flush(controller) {
      const last = await reader?.finish()
      if (last !== undefined && last.length > 0) controller.enqueue(last)
    },
  })
}

function checkedPiece(piece: unknown): Uint8Array {
  if (isUint8Array(piece)) return piece
  throw new TypeError('a stream has pieces that are Uint8Array')
}
