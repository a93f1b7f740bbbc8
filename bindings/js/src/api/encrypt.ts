import type { Inspection } from '../backend/calls.js'
import { type Bytes, type BytesLike, bytesOf, isBytesLike } from '../basics/bytes.js'
import { ArgumentError } from '../basics/error.js'
import { readOptions } from '../basics/option.js'
import { RUN_OPTIONS, type RunOptions, runOf } from '../work/run.js'
import { call, sync } from '../work/whole-calls.js'
import { decryptBytes, encryptBytes } from './file-in-memory.js'
import { type DecryptOptions, decryption, type EncryptOptions, encryption, type Recipe } from './recipe.js'
import { type ByteSource, isAsyncIterable, isBlob, isReadableStream, sourceOf, sourceOfBlob } from './source.js'
import {
  decryptParts,
  encryptParts,
  inspectParts,
  type Prepared,
  readable,
  type TransformPair,
  transform,
} from './stream.js'

/**
 * Encrypts bytes, on other threads if that pays, or a stream in constant memory.
 *
 * A Web stream or a Blob becomes a Web stream, and a Node stream or any other async iterable becomes an async iterable, which
 * `stream.pipeline` takes as a source.
 *
 * @throws {@link SealstoneError} `invalid_recipients`, `mixed_recipients`, `invalid_recipient`, `invalid_context`; the reason of
 * the signal.
 *
 * @example
 * ```ts
 * import { createReadStream, createWriteStream } from 'node:fs'
 * import { pipeline } from 'node:stream/promises'
 * import { encrypt, generateIdentity, recipientOf } from 'sealstone'
 *
 * const recipients = recipientOf(generateIdentity())
 * const file = await encrypt('attack at dawn', { recipients })
 * await pipeline(encrypt(createReadStream('/etc/hostname'), { recipients }), createWriteStream('/dev/null'))
 * ```
 */
export function encrypt(data: BytesLike, options: EncryptOptions & RunOptions): Promise<Bytes>
export function encrypt(
  data: Blob | ReadableStream<BytesLike>,
  options: EncryptOptions & RunOptions,
): ReadableStream<Bytes>
export function encrypt(data: ByteSource, options: EncryptOptions & RunOptions): AsyncGenerator<Bytes, void, undefined>
export function encrypt(data: Data, options: EncryptOptions & RunOptions): Result {
  const ofParts = (source: ByteSource, stop?: AbortController) => encryptParts(source, encryptionRun(options), stop)
  return dispatch(
    data,
    () => encryptBytes(data, options),
    ofParts,
    (length) => length,
  )
}

/**
 * Decrypts bytes, whole or not at all, or a stream in constant memory. A stream yields authentic bytes only, and its end without
 * an error shows that they were all. Before an error it yields every authentic chunk in front of the fault. A file that is compressed is
 * decrypted whole, by the addon: a stream and WebAssembly report `unsupported_version`.
 *
 * Inputs and results are those of {@link encrypt}. Armour is recognised.
 *
 * @throws {@link SealstoneError} what the format says of the file (`not_sealstone`, `truncated`, …), `no_matching_identity`,
 * `header_not_authentic`, `not_authentic`; the reason of the signal.
 *
 * @example
 * ```ts
 * import { decrypt, encrypt, generateIdentity, recipientOf } from 'sealstone'
 *
 * const identity = generateIdentity()
 * const file = await encrypt('attack at dawn', { recipients: recipientOf(identity) })
 * console.log(new TextDecoder().decode(await decrypt(file, { identities: identity }))) // attack at dawn
 * const stream = decrypt(new Blob([file]), { identities: identity })
 * console.log(await new Response(stream).text()) // attack at dawn
 * ```
 */
export function decrypt(file: BytesLike, options: DecryptOptions & RunOptions): Promise<Bytes>
export function decrypt(
  file: Blob | ReadableStream<BytesLike>,
  options: DecryptOptions & RunOptions,
): ReadableStream<Bytes>
export function decrypt(file: ByteSource, options: DecryptOptions & RunOptions): AsyncGenerator<Bytes, void, undefined>
export function decrypt(file: Data, options: DecryptOptions & RunOptions): Result {
  const ofParts = (source: ByteSource, stop?: AbortController) => decryptParts(source, decryptionRun(options), stop)
  return dispatch(file, () => decryptBytes(file, options), ofParts, plaintextLeastLen)
}

/**
 * Encrypts what is piped through it.
 *
 * @example
 * ```ts
 * import { decryptionStream, encryptionStream, generateIdentity, recipientOf } from 'sealstone'
 *
 * const identity = generateIdentity()
 * const text = new Blob(['attack at dawn'])
 *   .stream()
 *   .pipeThrough(encryptionStream({ recipients: recipientOf(identity) }))
 *   .pipeThrough(decryptionStream({ identities: identity }))
 * console.log(await new Response(text).text()) // attack at dawn
 * ```
 */
export function encryptionStream(options: EncryptOptions & RunOptions): TransformPair {
  const prepared = encryptionRun(options)
  return transform((source, stop) => encryptParts(source, prepared, stop))
}

/**
 * Decrypts what is piped through it. It yields authentic bytes only, and its end shows that they were all. A file that is compressed is an
 * `unsupported_version`.
 *
 * @example
 * ```ts
 * import { decryptionStream, encryptSync } from 'sealstone'
 *
 * const key = new Uint8Array(32).fill(7)
 * const file = new Blob([encryptSync('attack at dawn', { key })])
 * console.log(await new Response(file.stream().pipeThrough(decryptionStream({ key }))).text()) // attack at dawn
 * ```
 */
export function decryptionStream(options: DecryptOptions & RunOptions): TransformPair {
  const prepared = decryptionRun(options)
  return transform((source, stop) => decryptParts(source, prepared, stop))
}

/**
 * Returns the fields of a file in memory that anyone can see, without a key.
 *
 * @example
 * ```ts
 * import { encryptSync, generateIdentity, inspectSync, recipientOf } from 'sealstone'
 *
 * const seen = inspectSync(encryptSync('attack at dawn', { recipients: recipientOf(generateIdentity('x25519')) }))
 * console.log(seen.suite, seen.plaintextLen, seen.stanzas.map(({ kind }) => kind).join()) // aes-256-gcm 14 x25519
 * ```
 */
export function inspectSync(file: BytesLike): Inspection {
  const bytes = bytesOf(file, 'the file')
  return call((sync) => sync.inspect(bytes))
}

/**
 * Returns the fields of a file that anyone can see, without a key: of a File or another Blob its beginning alone is read. Armour and streams are read
 * to their ends, for the length.
 *
 * @throws {@link SealstoneError} `not_sealstone`, `unsupported_version`, `malformed_header`, `malformed_armour`, `truncated`; the
 * reason of the signal.
 *
 * @example
 * ```ts
 * import { encrypt, generateIdentity, inspect, recipientOf } from 'sealstone'
 *
 * const file = new Blob([await encrypt('attack at dawn', { recipients: recipientOf(generateIdentity()) })])
 * const { plaintextLen, stanzas } = await inspect(file)
 * console.log(plaintextLen, stanzas.map(({ kind }) => kind).join()) // 14 hybrid
 * ```
 */
export async function inspect(file: Data, options?: Pick<RunOptions, 'signal'>): Promise<Inspection> {
  const run = runOf(readOptions<RunOptions>(options, ['signal']))
  run.signal?.throwIfAborted()
  if (isBytesLike(file)) return inspectSync(file)
  if (isReadableStream(file)) return inspectParts(sync(), sourceOf(file), run)
  if (isBlob(file)) return inspectParts(sync(), sourceOfBlob(file), run, file.size)
  if (isAsyncIterable(file)) return inspectParts(sync(), file, run)
  throw new ArgumentError(NEITHER)
}

type Data = BytesLike | Blob | ReadableStream<BytesLike> | ByteSource
type Result = Promise<Bytes> | ReadableStream<Bytes> | AsyncGenerator<Bytes, void, undefined>
type Parts = AsyncGenerator<Bytes, void, undefined>

function encryptionRun(options: unknown): Prepared {
  return withRun(encryption<RunOptions>(options, RUN_OPTIONS))
}

function decryptionRun(options: unknown): Prepared {
  return withRun(decryption<RunOptions>(options, RUN_OPTIONS))
}

function withRun(recipe: Recipe & { read: RunOptions }): Prepared {
  try {
    return { recipe, run: runOf(recipe.read) }
  } catch (error) {
    sync().release(recipe.handle)
    throw error
  }
}

/** Calls the function for what the data is. `leastLen` is that of the result, of a length of the data. */
function dispatch(
  data: unknown,
  ofBytes: () => Promise<Bytes>,
  ofParts: (source: ByteSource, stop?: AbortController) => Parts,
  leastLen: (length: number) => number,
): Result {
  // First, since other code of a page may have given every object what streams have.
  if (isBytesLike(data)) return ofBytes()
  if (isReadableStream(data)) return readable((stop) => ofParts(sourceOf(data), stop))
  if (isBlob(data)) return readable((stop) => ofParts(sourceOfBlob(data), stop), leastLen(data.size))
  if (isAsyncIterable(data)) return ofParts(data)
  // At once: who takes it for a stream looks at no promise.
  throw new ArgumentError(NEITHER)
}

/** Armour has 65 characters for 48 bytes; a header has 2 MiB at most, and a chunk a thousandth more than its plaintext. */
function plaintextLeastLen(fileLen: number): number {
  return Math.max(0, Math.floor(fileLen * 0.7) - (2 << 20))
}

const NEITHER =
  'the data must be a string, a Uint8Array, an ArrayBuffer or a DataView, or a stream: a Web or Node stream, a Blob, an async iterable'
