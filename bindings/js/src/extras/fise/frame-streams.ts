import { type Bytes, bytesOf, isUint8Array } from '../../basics/bytes.js'
import { ArgumentError } from '../../basics/error.js'
import { booleanOption, readOptions, wholeNumber } from '../../basics/option.js'
import { fiseBinaryDecrypt, fiseBinaryEncrypt } from './binary.js'
import { type FiseFrame, FRAME_LENGTHS, FrameParser, FrameWriter, joined, type Rule } from './frames.js'
import { type FiseProfileData, refused } from './profile.js'
import { FiseProfile } from './profiled.js'
import type { FiseRules } from './rules.js'

/** The rules of one frame: a profile, or functions. */
export type FrameRules = FiseProfile | FiseProfileData | FiseRules<string> | FiseRules<Uint8Array>

/** What both ends of a stream of frames agree on. */
export interface FrameDecoderOptions {
  /** Handed to the rules; 0 unless this says otherwise. */
  timestamp?: number
  /** Handed to rules that are functions. */
  // biome-ignore lint/suspicious/noExplicitAny: as in `EncryptOptions`.
  metadata?: Record<string, any>
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
  /** Whether an index follows the last frame, which gives access to any part. The encoder holds 8 bytes for each frame until then. */
  index?: boolean
  /** What is put beside the content of a frame, by its number: at most 65,535 bytes. */
  frameMetadata?: (number: number) => Uint8Array
  /** Which of the rules a frame has, by its number; in turn unless this says otherwise. */
  rule?: (number: number) => number
}

/** Some work on a stream of chunks, for each kind of stream. It is used once. */
export interface FrameStream<I, O> {
  /** The end of a `TransformStream` to write to. */
  readonly writable: WritableStream<I>
  /** The end of a `TransformStream` to read from. */
  readonly readable: ReadableStream<O>
  /** The results of a source, one by one. In Node, `pipeline` of `node:stream` takes it: `(source) => encoder.from(source)`. */
  from(source: Iterable<I> | AsyncIterable<I> | ReadableStream<I>): AsyncGenerator<O, void, undefined>
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
): FrameStream<Uint8Array | string, Uint8Array<ArrayBuffer>> {
  const names = ['timestamp', 'metadata', 'frameLength', 'eachChunk', 'index', 'frameMetadata', 'rule'] as const
  const read = readOptions<FrameEncoderOptions>(options, names)
  const [least, most, usual] = FRAME_LENGTHS
  const frameLength = wholeNumber(read.frameLength ?? usual, 'frameLength', least, most)
  const isIndexed = booleanOption(read.index, 'index') ?? false
  const eachChunk = booleanOption(read.eachChunk, 'eachChunk') ?? false
  const list = rulesOf(rules, read)
  const { frameMetadata = () => new Uint8Array(), rule = (number) => number % list.length } = read
  if (typeof frameMetadata !== 'function') throw new ArgumentError('frameMetadata must be a function')
  if (typeof rule !== 'function') throw new ArgumentError('rule must be a function')
  const writer = new FrameWriter(list, { isIndexed, frameLength })
  const frame = (content: Uint8Array, isLast: boolean): Bytes => {
    const { number } = writer
    const metadata = frameMetadata(number)
    if (!isUint8Array(metadata)) throw new ArgumentError('frameMetadata must give a Uint8Array')
    return writer.frame(content, bytesOf(metadata, 'the metadata'), rule(number), isLast)
  }
  let held = new Uint8Array(frameLength)
  let length = 0
  return streamOf(
    function* step(chunk) {
      if (typeof chunk !== 'string' && !isUint8Array(chunk))
        throw new ArgumentError('a chunk must be a Uint8Array or text')
      let bytes = bytesOf(chunk, 'a chunk')
      do {
        // A full frame waits for a byte behind it, since it may be the last.
        if (length === frameLength) {
          yield frame(held, false)
          length = 0
        }
        const part = bytes.subarray(0, frameLength - length)
        held.set(part, length)
        length += part.length
        bytes = bytes.subarray(part.length)
        if (eachChunk) {
          yield frame(held.subarray(0, length), false)
          length = 0
        }
      } while (bytes.length > 0)
    },
    function* end() {
      yield frame(held.subarray(0, length), true)
      held = new Uint8Array()
    },
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
): FrameStream<Uint8Array, Uint8Array<ArrayBuffer>> {
  const parser = parserOf(rules, options)
  return streamOf(
    function* step(chunk) {
      for (const { content } of framesOf(parser, chunk)) if (content.length > 0) yield content
    },
    () => {
      parser.finish()
      return []
    },
  )
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
): FrameStream<Uint8Array, FiseFrame> {
  const parser = parserOf(rules, options)
  return streamOf(
    (chunk) => framesOf(parser, chunk),
    () => {
      parser.finish()
      return []
    },
  )
}

function parserOf(rules: FrameRules | readonly FrameRules[], options: FrameDecoderOptions): FrameParser {
  return new FrameParser(rulesOf(rules, readOptions<FrameDecoderOptions>(options, ['timestamp', 'metadata'])))
}

function* framesOf(parser: FrameParser, chunk: Uint8Array): Generator<FiseFrame, void, undefined> {
  if (!isUint8Array(chunk)) throw new ArgumentError('a chunk must be a Uint8Array')
  parser.push(chunk)
  for (let frame = parser.next(); frame !== undefined; frame = parser.next()) yield frame
  parser.keep()
}

function rulesOf(rules: FrameRules | readonly FrameRules[], { timestamp, metadata }: FrameDecoderOptions): Rule[] {
  const list = (Array.isArray(rules) ? rules : [rules]) as readonly FrameRules[]
  if (list.length === 0 || list.length > 255) throw refused('a stream of frames has 1 to 255 rules')
  return list.map((one) => {
    const isFunctions = typeof one === 'object' && one !== null && typeof (one as FiseRules).offset === 'function'
    if (isFunctions) {
      const functions = one as FiseRules<string>
      const given = {
        ...(timestamp === undefined ? {} : { timestamp }),
        ...(metadata === undefined ? {} : { metadata }),
      }
      return {
        encode: (parts, free) => joined([new Uint8Array(free), fiseBinaryEncrypt(joined(parts), functions, given)]),
        // A copy, which the functions may keep.
        decode: (envelope) => fiseBinaryDecrypt(envelope.slice(), functions, given),
      }
    }
    const profile = one instanceof FiseProfile ? one : FiseProfile.parse(one as FiseProfileData)
    const given = timestamp === undefined ? {} : { timestamp }
    return {
      encode: (parts, free) => profile.encodeParts(parts, free, given),
      decode: (envelope) => profile.decode(envelope, given),
    }
  })
}

/** A stream by what is done with each chunk, and at the end. */
function streamOf<I, O>(step: (chunk: I) => Iterable<O>, end: () => Iterable<O>): FrameStream<I, O> {
  let isUsed = false
  const use = (): void => {
    if (isUsed) throw new ArgumentError('this stream was used: make another one')
    isUsed = true
  }
  let transform: TransformStream<I, O> | undefined
  const web = (): TransformStream<I, O> => {
    if (transform === undefined) {
      use()
      transform = new TransformStream<I, O>({
        transform(chunk, controller) {
          for (const one of step(chunk)) controller.enqueue(one)
        },
        flush(controller) {
          for (const one of end()) controller.enqueue(one)
        },
      })
    }
    return transform
  }
  return {
    get writable() {
      return web().writable
    },
    get readable() {
      return web().readable
    },
    async *from(source) {
      use()
      for await (const chunk of chunksOf(source)) yield* step(chunk)
      yield* end()
    },
  }
}

/** The chunks of a source. Not every browser iterates over streams. */
async function* chunksOf<I>(
  source: Iterable<I> | AsyncIterable<I> | ReadableStream<I>,
): AsyncGenerator<I, void, undefined> {
  if (!('getReader' in Object(source)) || Symbol.asyncIterator in Object(source)) {
    yield* source as AsyncIterable<I>
    return
  }
  const reader = (source as ReadableStream<I>).getReader()
  let isOver = false
  try {
    for (;;) {
      const { done, value } = await reader.read()
      isOver = done
      if (done) return
      yield value
    }
  } finally {
    if (!isOver) await reader.cancel()
    reader.releaseLock()
  }
}
