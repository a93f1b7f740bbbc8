import {
  type BinaryLike,
  type Bytes,
  type BytesLike,
  binaryOf,
  bytesOf,
  copyOf,
  isBytesLike,
  isUint8Array,
  joined,
  partsOf,
} from '../../basics/bytes.js'
import { ArgumentError } from '../../basics/error.js'
import { booleanOption, readOptions, wholeNumber } from '../../basics/option.js'
import { fiseBinaryDecrypt, fiseBinaryEncrypt } from './binary.js'
import { type FiseFrame, FRAME_LENGTHS, FrameParser, FrameWriter, openEnvelope, type Rule } from './frames.js'
import type { EncryptOptions } from './layout.js'
import { type FiseProfileData, refused } from './profile.js'
import { FiseProfile, timestampOf } from './profiled.js'
import type { FiseRules } from './rules.js'
import { FiseWorkers } from './workers.js'

/** The rules of one frame: a profile, also as JSON text, or functions. */
export type FrameRules = FiseProfile | FiseProfileData | string | FiseRules<string> | FiseRules<Uint8Array>

/** What both ends of a stream of frames agree on. */
export interface FrameDecoderOptions {
  /** Handed to the rules; 0 unless this says otherwise. */
  timestamp?: number
  /** Handed to rules that are functions. */
  // biome-ignore lint/suspicious/noExplicitAny: as in `EncryptOptions`.
  metadata?: Record<string, any>
  /** Workers that do the work, several frames at once, in place of this thread. Rules that are functions cannot go there. */
  workers?: FiseWorkers
}

/** How a stream of frames is made. */
export interface FrameEncoderOptions extends FrameDecoderOptions {
  /** The most bytes of content in a frame: 16,384 to 1,048,576, and 262,144 unless this says otherwise. */
  frameLength?: number
  /**
   * Whether each chunk that is given becomes a frame at once, or several: for a feed or a chat. Otherwise frames are filled, and the last
   * one waits for the end.
   */
  eachChunk?: boolean
  /** Whether an index follows the last frame, which gives access to any part. The encoder holds up to 16 bytes for each frame until then. */
  index?: boolean
  /** What is put beside the content of a frame, by its number: at most 65,535 bytes. */
  frameMetadata?: (number: number) => Uint8Array
  /** Which of the rules a frame has, by its number; in turn unless this says otherwise. */
  rule?: (number: number) => number
}

/** What gives chunks. */
export type FrameChunks<I> = I | Blob | Iterable<I> | AsyncIterable<I> | ReadableStream<I>

/** Some work on a stream of chunks, for each kind of stream. It is used once. */
export interface FrameStream<I, O> {
  /** The end of a `TransformStream` to write to. */
  readonly writable: WritableStream<I>
  /** The end of a `TransformStream` to read from. */
  readonly readable: ReadableStream<O>
  /**
   * The results of a source, one by one: of a stream, a `Blob`, a chunk, or an iterable of chunks. In Node, `pipeline` of
   * `node:stream/promises` takes it: `(source) => encoder.from(source)`.
   */
  from(source: FrameChunks<I>): AsyncGenerator<O, void, undefined>
}

/**
 * Hides a stream in frames, in constant memory. **This is not encryption**: it hides from a glance, and who wants to can read it. The reader
 * notices lost, repeated and exchanged frames, and a stream that was cut short, but no change that somebody makes on purpose.
 *
 * It is a `TransformStream`: text counts as its UTF-8. A list of rules is used in turn. `spec/fise-frames.md` has each byte.
 *
 * @example
 * ```ts
 * import { FiseProfile, fiseFrameDecoder, fiseFrameEncoder } from 'sealstone/fise'
 *
 * const rules = [FiseProfile.random('even'), FiseProfile.random('odd')]
 * const hidden = new Blob(['a video']).stream().pipeThrough(fiseFrameEncoder(rules))
 * console.log(await new Response(hidden.pipeThrough(fiseFrameDecoder(rules))).text()) // a video
 * ```
 */
export function fiseFrameEncoder(
  rules: FrameRules | readonly FrameRules[],
  options: FrameEncoderOptions = {},
): FrameStream<BytesLike, Uint8Array<ArrayBuffer>> {
  const names = [...SHARED_OPTIONS, 'frameLength', 'eachChunk', 'index', 'frameMetadata', 'rule'] as const
  const read = readOptions<FrameEncoderOptions>(options, names)
  const [least, most, usual] = FRAME_LENGTHS
  const frameLength = wholeNumber(read.frameLength ?? usual, 'frameLength', least, most)
  const isIndexed = booleanOption(read.index, 'index') ?? false
  const eachChunk = booleanOption(read.eachChunk, 'eachChunk') ?? false
  const list = rulesOf(rules, read)
  const { frameMetadata = () => new Uint8Array(), rule = (number) => number % list.length } = read
  if (typeof frameMetadata !== 'function') throw new ArgumentError('frameMetadata must be a function')
  if (typeof rule !== 'function') throw new ArgumentError('rule must be a function')
  const held = new Uint8Array(frameLength)
  let length = 0
  const writer = new FrameWriter(list.length, { isIndexed, frameLength })
  const frame = (content: Bytes, isLast: boolean): Job<Bytes> => {
    const { number } = writer
    const given = frameMetadata(number)
    if (!isUint8Array(given)) throw new ArgumentError('frameMetadata must give a Uint8Array')
    const data = bytesOf(given, 'the metadata')
    const fields = { rule: rule(number), metadataLength: data.length, contentLength: content.length, isLast }
    const free = writer.begin(fields)
    const bytes = (list[fields.rule] as Rule).encode(data, content, free)
    return { bytes, isLast, finish: (written) => writer.finish(fields, written) }
  }
  return streamOf(
    function* step(chunk) {
      const bytes = bytesOf(chunk, 'a chunk')
      const part = partsOf(bytes, 'a chunk')
      const { length: total } = bytes
      let at = 0
      do {
        // A full frame waits for a byte behind it, since it may be the last.
        if (length === frameLength) {
          yield frame(held, false)
          length = 0
        }
        const count = Math.min(total - at, frameLength - length)
        held.set(part(at, count), length)
        length += count
        at += count
        if (eachChunk) {
          yield frame(held.subarray(0, length), false)
          length = 0
        }
      } while (at < total)
    },
    function* end() {
      yield frame(held.subarray(0, length), true)
    },
    read.workers,
  )
}

/**
 * Reads a stream of frames, in constant memory: the content of each frame that is whole and in its place. Anything else is a
 * {@link FiseError}, before which `from` gives all that came before it. Only the end says that the content is whole.
 *
 * @example
 * ```ts
 * import { fiseFrameDecoder, fiseFrameEncoder } from 'sealstone/fise'
 *
 * const hidden = fiseFrameEncoder({ fise: 1 }).from(['a feed, ', 'in parts'])
 * for await (const part of fiseFrameDecoder({ fise: 1 }).from(hidden)) console.log(new TextDecoder().decode(part)) // a feed, in parts
 * ```
 */
export function fiseFrameDecoder(
  rules: FrameRules | readonly FrameRules[],
  options: FrameDecoderOptions = {},
): FrameStream<BinaryLike, Uint8Array<ArrayBuffer>> {
  return readerOf(rules, options, ({ content }) => (content.length > 0 ? content : undefined))
}

/**
 * As {@link fiseFrameDecoder}, and gives whole frames, with their numbers, rules and metadata.
 *
 * @example
 * ```ts
 * import { fiseFrameEncoder, fiseFrameReader } from 'sealstone/fise'
 *
 * const hidden = fiseFrameEncoder({ fise: 1 }, { frameMetadata: (number) => Uint8Array.of(number) }).from(['a film'])
 * for await (const { number, metadata, isLast } of fiseFrameReader({ fise: 1 }).from(hidden)) console.log(number, metadata, isLast)
 * ```
 */
export function fiseFrameReader(
  rules: FrameRules | readonly FrameRules[],
  options: FrameDecoderOptions = {},
): FrameStream<BinaryLike, FiseFrame> {
  return readerOf(rules, options, (frame) => frame)
}

function readerOf<O>(
  rules: FrameRules | readonly FrameRules[],
  options: FrameDecoderOptions,
  given: (frame: FiseFrame) => O | undefined,
): FrameStream<BinaryLike, O> {
  const read = readOptions<FrameDecoderOptions>(options, SHARED_OPTIONS)
  const list = rulesOf(rules, read)
  const parser = new FrameParser(list.length)
  return streamOf(
    function* step(chunk) {
      parser.push(binaryOf(chunk, 'a chunk'))
      for (let closed = parser.next(); closed !== undefined; closed = parser.next()) {
        const { envelope: _, ...head } = closed
        const bytes = openEnvelope(list[head.rule] as Rule, closed)
        yield { bytes, isLast: head.isLast, finish: (plaintext) => given(parser.opened(head, plaintext)) }
      }
      parser.keep()
    },
    () => {
      parser.finish()
      return []
    },
    read.workers,
  )
}

/** The options of all that reads or writes frames. */
export const SHARED_OPTIONS = ['timestamp', 'metadata', 'workers'] as const

/** The rules of a stream, at least one, each with what its functions are given. */
export function rulesOf(
  rules: FrameRules | readonly FrameRules[],
  { timestamp, metadata, workers }: FrameDecoderOptions,
): readonly Rule[] {
  if (workers !== undefined && !(workers instanceof FiseWorkers)) {
    throw new ArgumentError('workers must be what startFiseWorkers gives, which is awaited first')
  }
  const list = (Array.isArray(rules) ? rules : [rules]) as readonly FrameRules[]
  if (list.length === 0 || list.length > 255) throw refused('a stream of frames has 1 to 255 rules')
  const at = timestamp === undefined ? {} : { timestamp }
  return Array.from(list, (one) => {
    if (typeof one === 'object' && one !== null && typeof (one as FiseRules).offset === 'function') {
      if (workers !== undefined) throw new ArgumentError('functions cannot go to workers: write the rules as a profile')
      return functionsRule(one as FiseRules, { ...at, ...(metadata === undefined ? {} : { metadata }) })
    }
    const profile = one instanceof FiseProfile ? one : FiseProfile.parse(one as FiseProfileData)
    const number = timestampOf(at)
    if (workers !== undefined) return workers.rule(profile, number)
    return {
      encode: (metadata, content, free) => profile.encodeParts([metadata, content], free, number),
      decode: (envelope) => profile.decode(envelope, at),
    }
  })
}

function functionsRule(rules: FiseRules, options: EncryptOptions): Rule<Bytes> {
  return {
    encode: (metadata, content, free) =>
      joined([new Uint8Array(free), fiseBinaryEncrypt(joined([metadata, content]), rules, options)]),
    // A copy, which the functions may keep.
    decode: (envelope) => fiseBinaryDecrypt(envelope.slice(), rules, options),
  }
}

/** A frame that is being worked on. */
interface Job<O> {
  readonly bytes: Bytes | Promise<Bytes>
  readonly isLast: boolean
  /** The result, if it has one. Jobs are finished in their order. */
  finish(bytes: Bytes): O | undefined
}

/** A stream by the jobs of each chunk, and those at the end. */
function streamOf<I, O>(
  step: (chunk: I) => Iterable<Job<O>>,
  end: () => Iterable<Job<O>>,
  workers: FiseWorkers | undefined,
): FrameStream<I, O> {
  let isUsed = false
  const use = (): void => {
    if (isUsed) throw new ArgumentError('this stream was used: make another one')
    isUsed = true
  }
  const results = (source: Source<I>): AsyncGenerator<O, void, undefined> =>
    workers === undefined ? inTurn(source, step, end) : atOnce(source, step, end, workers)
  let ends: { readonly writable: WritableStream<I>; readonly readable: ReadableStream<O> } | undefined
  const web = () => {
    if (ends !== undefined) return ends
    use()
    if (workers === undefined) {
      const work = (jobs: Iterable<Job<O>>, controller: TransformStreamDefaultController<O>) => {
        for (const one of finished(jobs)) controller.enqueue(one)
      }
      ends = new TransformStream<I, O>({
        transform: (chunk, controller) => work(step(chunk), controller),
        flush: (controller) => work(end(), controller),
      })
    } else {
      let stop: (reason: unknown) => void = () => undefined
      const { writable, readable } = new TransformStream<I, I>({
        start: (controller) => {
          stop = (reason) => controller.error(reason)
        },
        // A copy, since its owner may use the memory again.
        transform: (chunk, controller) =>
          controller.enqueue(typeof chunk === 'string' ? chunk : (copyOf(chunk, 'a chunk') as I)),
      })
      ends = { writable, readable: streamFrom(results(readable), stop) }
    }
    return ends
  }
  return {
    get writable() {
      return web().writable
    },
    get readable() {
      return web().readable
    },
    async *from(given) {
      const source = sourceOf(given)
      use()
      yield* results(source)
    },
  }
}

/** The results of jobs that are done on this thread. */
function* finished<O>(jobs: Iterable<Job<O>>): Generator<O, void, undefined> {
  for (const { bytes, finish } of jobs) {
    const one = finish(bytes as Bytes)
    if (one !== undefined) yield one
  }
}

async function* inTurn<I, O>(
  source: Source<I>,
  step: (chunk: I) => Iterable<Job<O>>,
  end: () => Iterable<Job<O>>,
): AsyncGenerator<O, void, undefined> {
  for await (const chunk of { [Symbol.asyncIterator]: () => iteratorOf(source) }) yield* finished(step(chunk))
  yield* finished(end())
}

/** As {@link inTurn}, with several jobs at once. */
async function* atOnce<I, O>(
  source: Source<I>,
  step: (chunk: I) => Iterable<Job<O>>,
  end: () => Iterable<Job<O>>,
  workers: FiseWorkers,
): AsyncGenerator<O, void, undefined> {
  const begun = new Begun<O>()
  const chunks = iteratorOf(source)
  let [isOpen, failure]: [boolean, unknown] = [true, undefined]
  try {
    while (isOpen) {
      const next = chunks.next()
      // A result is given as soon as it is there, also if the next chunk is not.
      while (await begun.isFirst(next)) yield* await begun.take()
      // A source that fails is closed, too.
      isOpen = false
      const { done = false, value } = await next
      isOpen = !done
      for (const job of done ? end() : step(value as I)) {
        begun.add(job)
        // Behind the last frame is an index, which is compared with the frames.
        while (begun.count >= workers.jobsMax || (job.isLast && begun.count > 0)) yield* await begun.take()
      }
    }
  } catch (error) {
    failure = error
    // The frames before the one that failed.
    while (begun.count > 0) yield* await begun.take()
    throw error
  } finally {
    // Not awaited: a source that waits for its next chunk would hold it up.
    if (isOpen) Promise.resolve(chunks.return?.(failure)).catch(() => {})
  }
}

interface BegunJob<O> {
  readonly job: Job<O>
  /** Resolves with `true` when the job is done or fails. */
  readonly done: Promise<boolean>
}

const isJob = () => true
const isOther = () => false

/** Jobs that were begun, in their order. */
class Begun<O> {
  readonly #jobs: BegunJob<O>[] = []

  get count(): number {
    return this.#jobs.length
  }

  add(job: Job<O>): void {
    // Its error is given when its turn comes.
    this.#jobs.push({ job, done: Promise.resolve(job.bytes).then(isJob, isJob) })
  }

  /** Whether the oldest job is done, or fails, before something else comes. */
  async isFirst(other: Promise<unknown>): Promise<boolean> {
    const [oldest] = this.#jobs
    return oldest === undefined ? false : Promise.race([oldest.done, other.then(isOther, isOther)])
  }

  /** The result of the oldest job, if it has one. Behind a job that failed there are no more. */
  async take(): Promise<O[]> {
    const { job } = this.#jobs.shift() as BegunJob<O>
    const { bytes, finish } = job
    try {
      const one = finish(await bytes)
      return one === undefined ? [] : [one]
    } catch (error) {
      this.#jobs.length = 0
      throw error
    }
  }
}

/** A stream of a generator's results, whose reader may go away while the generator waits for a source: `stop` ends the source. */
function streamFrom<O>(
  results: AsyncGenerator<O, void, undefined>,
  stop: (reason: unknown) => void,
): ReadableStream<O> {
  return new ReadableStream<O>({
    async pull(controller) {
      const { done, value } = await results.next()
      if (done) controller.close()
      else controller.enqueue(value as O)
    },
    cancel(reason) {
      stop(reason)
      results.return().catch(() => {})
    },
  })
}

/** Iterable chunks, or a stream of them. */
type Source<I> = Iterable<I> | AsyncIterable<I> | ReadableStream<I>

function isStream(source: unknown): source is ReadableStream {
  return typeof (source as ReadableStream).getReader === 'function'
}

/** A source of any kind. Bytes and text by themselves are one chunk, and not the iterable that they are too. */
function sourceOf<I>(given: FrameChunks<I>): Source<I> {
  if (isBytesLike(given)) return [given as I]
  const { stream } = Object(given) as Partial<Blob>
  if (typeof stream === 'function') return stream.call(given) as unknown as ReadableStream<I>
  const found = Object(given)
  if (isStream(found) || Symbol.asyncIterator in found || Symbol.iterator in found) return given as Source<I>
  throw new ArgumentError('the source must be a stream, a Blob, bytes, or an iterable of them, and no promise')
}

/** Goes through the chunks of a source. Not every browser iterates over streams. */
function iteratorOf<I>(source: Source<I>): AsyncIterator<I, unknown, undefined> {
  if (!isStream(source)) {
    const chunks = source as AsyncIterable<I> & Iterable<I>
    const iterator = chunks[Symbol.asyncIterator]?.() ?? chunks[Symbol.iterator]()
    return {
      next: async () => iterator.next(),
      return: async () => iterator.return?.() ?? { done: true, value: undefined },
    }
  }
  const reader = (source as ReadableStream<I>).getReader()
  return {
    async next() {
      const { done, value } = await reader.read()
      if (done) reader.releaseLock()
      return done ? { done, value } : { done, value }
    },
    async return(reason) {
      await reader.cancel(reason)
      reader.releaseLock()
      return { done: true, value: undefined }
    },
  }
}
