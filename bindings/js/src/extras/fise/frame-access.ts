import { type Bytes, bytesOf, isUint8Array } from '../../basics/bytes.js'
import { ArgumentError, SealstoneError } from '../../basics/error.js'
import { readOptions, wholeNumber } from '../../basics/option.js'
import { branded } from '../../basics/receiver.js'
import { type FrameDecoderOptions, type FrameRules, rulesOf, SHARED_OPTIONS } from './frame-streams.js'
import {
  type FiseFrame,
  type Index,
  malformed,
  openEnvelope,
  openedByIndex,
  type Rule,
  readFrame,
  readIndex,
} from './frames.js'
import type { FiseWorkers } from './workers.js'

/** A stream of frames of which any part can be read: memory, a `Blob` or file of the page, or a function that reads a part. */
export type FrameSource =
  | Uint8Array
  | Blob
  | {
      /** Bytes of the stream. */
      readonly size: number
      /** Reads the bytes from `start` up to `end`, of which the last is `end - 1`. */
      read(start: number, end: number): Uint8Array | Promise<Uint8Array>
    }

/**
 * Any part of a stream of frames that has an index, without the frames before it. **This is not encryption**, as with
 * {@link fiseFrameEncoder}.
 *
 * @example
 * ```ts
 * import { FiseFrames, FiseProfile, fiseFrameEncoder } from 'sealstone/fise'
 *
 * const rules = FiseProfile.random('a film')
 * const hidden = new Blob(['a long film']).stream().pipeThrough(fiseFrameEncoder(rules, { index: true }))
 * const film = await FiseFrames.open(await new Response(hidden).blob(), rules)
 * console.log(film.contentLength, new TextDecoder().decode(await film.read(2, 6))) // 11 long
 * ```
 */
export class FiseFrames {
  /** @internal */
  static readonly brand: string = /* @__PURE__ */ branded(this, 'FiseFrames', (value) => #index in value)
  readonly #read: (start: number, end: number) => Promise<Bytes>
  readonly #rules: readonly Rule[]
  readonly #index: Index
  /** Frames that are read at once. */
  readonly #atOnce: number
  /** The last frame of which a part was given, since the next part often is in it too. */
  #kept: readonly [number: number, frame: Promise<FiseFrame>] | undefined

  private constructor(
    read: (start: number, end: number) => Promise<Bytes>,
    rules: readonly Rule[],
    index: Index,
    workers: FiseWorkers | undefined,
  ) {
    // A program without types may call this.
    if (typeof read !== 'function') throw new ArgumentError('use FiseFrames.open')
    this.#read = read
    this.#rules = rules
    this.#index = index
    this.#atOnce = workers?.jobsMax ?? 1
  }

  /** Reads the header and the index of a stream that was written with the option `index`. */
  static async open(
    source: FrameSource,
    rules: FrameRules | readonly FrameRules[],
    options: FrameDecoderOptions = {},
  ): Promise<FiseFrames> {
    const read = readOptions<FrameDecoderOptions>(options, SHARED_OPTIONS)
    const list = rulesOf(rules, read)
    const [size, part] = partsOf(source)
    return new FiseFrames(part, list, await readIndex(size, part, list.length), read.workers)
  }

  /** The number of frames. */
  get count(): number {
    return this.#index.begins.length - 1
  }

  /** Bytes of the content. */
  get contentLength(): number {
    return (this.#index.begins[this.count] as readonly [number, number])[1]
  }

  /** Reads one frame, by its number from 0. */
  async frame(number: number): Promise<FiseFrame> {
    if (!Number.isInteger(number) || number < 0 || number >= this.count) {
      throw new ArgumentError(`number must be a whole number from 0 to ${this.count - 1}`)
    }
    const { begins } = this.#index
    const bytes = await this.#read(begins[number]?.[0] as number, begins[number + 1]?.[0] as number)
    const closed = readFrame(bytes, number, this.#index, this.#rules.length)
    return openedByIndex(closed, await openEnvelope(this.#rules[closed.rule] as Rule, closed), this.#index)
  }

  /** Reads the content from one place up to another, or to the end, which may be before the other place. */
  async read(start = 0, end: number = this.contentLength): Promise<Bytes> {
    const content = new Uint8Array(this.#past(start, end) - start)
    let at = 0
    for await (const part of this.stream(start, end)) {
      content.set(part, at)
      at += part.length
    }
    return content
  }

  /** The content from one place up to another, or to the end, frame by frame, in constant memory. */
  async *stream(start = 0, end: number = this.contentLength): AsyncGenerator<Bytes, void, undefined> {
    const past = this.#past(start, end)
    const { begins } = this.#index
    const frames: (readonly [frame: Promise<FiseFrame>, isKept: boolean])[] = []
    let next = this.#frameAt(start)
    for (let number = next; number < this.count; number++) {
      const begin = begins[number]?.[1] as number
      if (begin >= past) break
      for (; next < this.count && next < number + this.#atOnce && (begins[next]?.[1] as number) < past; next++) {
        const kept = this.#kept?.[0] === next ? this.#kept[1] : undefined
        const frame = kept ?? this.frame(next)
        // Its error is given when its turn comes.
        frame.catch(() => {})
        frames.push([frame, kept !== undefined])
      }
      const [frame, isKept] = frames.shift() as (typeof frames)[number]
      const { content } = await frame
      const part = content.subarray(Math.max(start - begin, 0), past - begin)
      const isWhole = part.length === content.length && !isKept
      if (!isWhole) this.#kept = [number, frame]
      if (part.length > 0) yield isWhole ? content : part.slice()
    }
  }

  /** The last frame that begins at a place of the content, or before it. */
  #frameAt(place: number): number {
    const { begins } = this.#index
    let [least, past] = [0, this.count]
    while (least + 1 < past) {
      const middle = (least + past) >> 1
      if ((begins[middle]?.[1] as number) <= place) least = middle
      else past = middle
    }
    return least
  }

  /** Where a range ends, at the latest at the end of the content. */
  #past(start: number, end: number): number {
    wholeNumber(start, 'start', 0, Number.MAX_SAFE_INTEGER)
    wholeNumber(end, 'end', 0, Number.MAX_SAFE_INTEGER)
    if (start > end || start > this.contentLength) {
      const text = 'the range begins past the end of the content, or ends before it begins'
      throw new SealstoneError('range_out_of_bounds', text)
    }
    return Math.min(end, this.contentLength)
  }
}

/** The length of a source, and the function that reads a part of it. */
function partsOf(source: FrameSource): [number, (start: number, end: number) => Promise<Bytes>] {
  if (isUint8Array(source)) {
    const bytes = bytesOf(source, 'the stream')
    return [bytes.length, async (start, end) => bytes.subarray(start, end)]
  }
  if (typeof (source as Blob)?.arrayBuffer === 'function' && typeof (source as Blob).slice === 'function') {
    const blob = source as Blob
    return [blob.size, async (start, end) => new Uint8Array(await blob.slice(start, end).arrayBuffer())]
  }
  const { size, read } = Object(source) as Exclude<FrameSource, Uint8Array | Blob>
  if (!Number.isSafeInteger(size) || size < 0 || typeof read !== 'function') {
    throw new ArgumentError('the stream must be a Uint8Array, a Blob, or an object with size and read')
  }
  return [
    size,
    async (start, end) => {
      const bytes = await read.call(source, start, end)
      if (!isUint8Array(bytes)) throw new ArgumentError('read must give a Uint8Array')
      if (bytes.length !== end - start) {
        throw malformed(
          `read(${start}, ${end}) gave ${bytes.length} bytes, and not those from ${start} up to, without, ${end}`,
        )
      }
      return bytesOf(bytes, 'a part of the stream')
    },
  ]
}
