import { type Bytes, bytesOf, isSame, joined } from '../../basics/bytes.js'
import { FiseError } from './error.js'
import { refused } from './profile.js'

/** The bytes of a stream of frames (section 3 of `spec/fise-frames.md`), without I/O. */

const MAGIC = /* @__PURE__ */ Uint8Array.of(0x46, 0x49, 0x53, 0x45, 0x46, 0x52, 0x4d, 1)
const INDEX_MAGIC = /* @__PURE__ */ Uint8Array.of(0x46, 0x49, 0x53, 0x45, 0x49, 0x44, 0x58, 1)
const HEADER_LENGTH = 20
const HEAD_LENGTH = 16
const ENTRY_LENGTH = 8
const INDEX_TAIL_LENGTH = 24
/** The place of a key in an authenticated frame. */
const KEY_LENGTH = 24
const INDEXED = 1
const LAST = 1
const AUTHENTICATED = 2
const ENVELOPE_MAX_LENGTH = 2 ** 22
const METADATA_MAX_LENGTH = 2 ** 16 - 1

/** The least and the most bytes of content that a stream's frames can be limited to, and the usual limit. */
export const FRAME_LENGTHS = [2 ** 14, 2 ** 20, 2 ** 18] as const

/** One of the rules of a stream, with its timestamp: here, or in a worker. */
export interface Rule<R extends Bytes | Promise<Bytes> = Bytes | Promise<Bytes>> {
  /** Hides metadata and content in an envelope behind so many bytes that are free. Both may change after the call. */
  encode(metadata: Uint8Array, content: Bytes, free: number): R
  /** Reads an envelope, which may change after the call. */
  decode(envelope: Bytes): R
}

/** A frame that was read. */
export interface FiseFrame {
  /** Its number, from 0. */
  readonly number: number
  /** The number of its rule, from 0. */
  readonly rule: number
  /** What its writer put beside the content. */
  readonly metadata: Uint8Array<ArrayBuffer>
  /** Its part of the content. */
  readonly content: Uint8Array<ArrayBuffer>
  /** Whether it is the last. */
  readonly isLast: boolean
}

/** What the header of a stream says. */
export interface Header {
  readonly isIndexed: boolean
  readonly frameLength: number
  readonly stream: number
}

export function malformed(rule: string): FiseError {
  return new FiseError('fise_malformed', `FISE: ${rule}`)
}

function truncated(): FiseError {
  return new FiseError('fise_truncated', 'FISE: the stream ends before its last frame or its index does')
}

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
}

function headerOf({ isIndexed, frameLength, stream }: Header, rules: number): Bytes {
  const bytes = new Uint8Array(HEADER_LENGTH)
  const view = viewOf(bytes)
  bytes.set(MAGIC)
  view.setUint16(8, isIndexed ? INDEXED : 0)
  bytes[11] = rules
  view.setUint32(12, frameLength)
  view.setUint32(16, stream)
  return bytes
}

/** Reads the header of a stream that was written with so many rules. */
export function readHeader(bytes: Uint8Array, rules: number): Header {
  if (!isSame(bytes.subarray(0, Math.min(8, bytes.length)), MAGIC.subarray(0, bytes.length))) {
    throw malformed('this is no stream of frames, or one of another version')
  }
  if (bytes.length < HEADER_LENGTH) throw truncated()
  const view = viewOf(bytes)
  const [flags, frameLength] = [view.getUint16(8), view.getUint32(12)]
  const [least, most] = FRAME_LENGTHS
  if ((flags & ~INDEXED) !== 0 || bytes[10] !== 0 || frameLength < least || frameLength > most) {
    throw malformed('the header breaks a rule (section 3.1)')
  }
  if (bytes[11] !== rules) throw malformed('the stream was written with another number of rules')
  return { isIndexed: (flags & INDEXED) !== 0, frameLength, stream: view.getUint32(16) }
}

/** The fields of a frame that is being read. */
export interface Head {
  readonly number: number
  readonly rule: number
  readonly metadataLength: number
  readonly envelopeLength: number
  readonly isLast: boolean
}

/** A frame whose envelope is closed. */
export interface ClosedFrame extends Head {
  /** Its bytes, until the next frame is read. */
  readonly envelope: Bytes
}

/** Reads the fields of the frame with this number. */
function readHead(bytes: Uint8Array, stream: number, number: number, rules: number): Head {
  const view = viewOf(bytes)
  const [flags, rule] = [view.getUint8(0), view.getUint8(1)]
  if ((flags & ~(LAST | AUTHENTICATED)) !== 0) throw malformed('a frame has an unknown flag (section 3.2)')
  const isOfStream = view.getUint32(4) === stream
  const found = view.getUint32(8)
  if (!isOfStream || found !== number) {
    const came = isOfStream ? `frame ${found}` : 'one of another stream'
    throw new FiseError(
      'fise_order',
      `FISE: ${came} came in place of frame ${number}: frames were lost, repeated or exchanged`,
    )
  }
  if ((flags & AUTHENTICATED) !== 0) {
    throw new FiseError('fise_key_required', 'FISE: a frame is authenticated: a reader needs the key')
  }
  const envelopeLength = view.getUint32(12)
  if (rule >= rules || envelopeLength > ENVELOPE_MAX_LENGTH) {
    throw malformed('a frame has a rule that the list does not have, or is too long (section 3.2)')
  }
  return { number, isLast: (flags & LAST) !== 0, rule, metadataLength: view.getUint16(2), envelopeLength }
}

/** Opens the envelope of a frame, whose number its error says. */
export function openEnvelope(rule: Rule, { number, envelope }: ClosedFrame): Bytes | Promise<Bytes> {
  const failed = (error: unknown): never => {
    if (!(error instanceof FiseError)) throw error
    throw new FiseError(error.code, `FISE: frame ${number}: ${error.message.replace(/^FISE:? /, '')}`, { cause: error })
  }
  try {
    const bytes = rule.decode(envelope)
    return bytes instanceof Promise ? bytes.catch(failed) : bytes
  } catch (error) {
    return failed(error)
  }
}

/** The frame of a plaintext that its envelope hid. */
function frameOf({ number, rule, metadataLength, isLast }: Head, plaintext: Bytes, header: Header): FiseFrame {
  const length = plaintext.length - metadataLength
  if (length < 0 || length > header.frameLength) {
    throw malformed('a frame has another length of metadata or content than it says (section 3.2)')
  }
  // Each of its own memory, so that it can be given to another thread.
  const [metadata, content] =
    metadataLength === 0
      ? [new Uint8Array(), plaintext]
      : [plaintext.slice(0, metadataLength), plaintext.slice(metadataLength)]
  return { number, rule, metadata, content, isLast }
}

function entryOf(frameLength: number, contentLength: number): Bytes {
  const bytes = new Uint8Array(ENTRY_LENGTH)
  const view = viewOf(bytes)
  view.setUint32(0, frameLength)
  view.setUint32(4, contentLength)
  return bytes
}

function indexTail(stream: number, frames: number, at: number): Bytes {
  const bytes = new Uint8Array(INDEX_TAIL_LENGTH)
  const view = viewOf(bytes)
  bytes.set(INDEX_MAGIC)
  view.setUint32(8, stream)
  view.setUint32(12, frames)
  view.setBigUint64(16, BigInt(at))
  return bytes
}

/** The fields of a frame that is being written. */
export interface FrameFields {
  readonly rule: number
  readonly metadataLength: number
  readonly contentLength: number
  readonly isLast: boolean
}

/** Writes a stream of frames. */
export class FrameWriter {
  readonly #header: Header
  /** Frames that were begun, and that were finished. */
  #begun = 0
  #finished = 0
  #written = 0
  /** The frames of the index, if there will be one, in memory that grows. */
  #index: Bytes = new Uint8Array()
  #indexLength = 0
  #isOver = false

  constructor(
    readonly rules: number,
    header: Omit<Header, 'stream'>,
  ) {
    const stream = crypto.getRandomValues(new Uint32Array(1))[0] as number
    this.#header = { ...header, stream }
  }

  /** The number of the next frame. */
  get number(): number {
    return this.#begun
  }

  /** Begins the next frame: the bytes that must be free before its envelope. */
  begin({ metadataLength, rule, isLast }: FrameFields): number {
    if (this.#isOver) throw refused('the last frame of this stream was written')
    if (!(Number.isInteger(rule) && rule >= 0 && rule < this.rules)) {
      throw refused(`the stream has rules 0 to ${this.rules - 1}, and none with the number ${rule}`)
    }
    if (metadataLength > METADATA_MAX_LENGTH) throw refused('a frame has at most 65,535 bytes of metadata')
    this.#isOver = isLast
    return HEAD_LENGTH + (this.#begun++ === 0 ? HEADER_LENGTH : 0)
  }

  /**
   * The bytes of the next frame in order, with the header before the first and the index behind the last. They are those of the envelope
   * behind the free bytes.
   */
  finish({ metadataLength, contentLength, rule, isLast }: FrameFields, frame: Bytes): Bytes {
    const number = this.#finished++
    const { stream, isIndexed } = this.#header
    const begin = number === 0 ? HEADER_LENGTH : 0
    if (number === 0) frame.set(headerOf(this.#header, this.rules))
    const frameLength = frame.length - begin
    const view = viewOf(frame)
    view.setUint8(begin, isLast ? LAST : 0)
    view.setUint8(begin + 1, rule)
    view.setUint16(begin + 2, metadataLength)
    view.setUint32(begin + 4, stream)
    view.setUint32(begin + 8, number)
    view.setUint32(begin + 12, frameLength - HEAD_LENGTH)
    this.#written += frame.length
    if (!isIndexed) return frame
    if (this.#indexLength === this.#index.length) {
      const longer = new Uint8Array(Math.max(64 * ENTRY_LENGTH, 2 * this.#indexLength))
      longer.set(this.#index)
      this.#index = longer
    }
    this.#index.set(entryOf(frameLength, contentLength), this.#indexLength)
    this.#indexLength += ENTRY_LENGTH
    if (!isLast) return frame
    return joined([frame, this.#index.subarray(0, this.#indexLength), indexTail(stream, number + 1, this.#written)])
  }
}

/** Bytes that come in parts, and are taken in others. */
class Parts {
  /** Memory that is used again, of which a range holds what was kept. */
  #kept: Bytes = new Uint8Array()
  #begin = 0
  #end = 0
  /** The part that came last, or what is left of it. */
  #last: Bytes = new Uint8Array()

  get length(): number {
    return this.#end - this.#begin + this.#last.length
  }

  push(part: Bytes): void {
    this.keep()
    this.#last = part
  }

  /** Copies what is left of the last part, which its owner may use again. */
  keep(): void {
    this.#keep(this.#last.length)
  }

  /** The first bytes, of which there are so many, until more are taken or pushed: those of the last part where they lie. */
  take(length: number): Bytes {
    if (this.#begin === this.#end) return this.#cut(length)
    this.#keep(Math.max(length - (this.#end - this.#begin), 0))
    this.#begin += length
    return this.#kept.subarray(this.#begin - length, this.#begin)
  }

  #cut(length: number): Bytes {
    const first = this.#last.subarray(0, length)
    this.#last = this.#last.subarray(length)
    return first
  }

  #keep(length: number): void {
    if (length > this.#kept.length - this.#end) {
      const held = this.#kept.subarray(this.#begin, this.#end)
      const needed = held.length + length
      if (needed > this.#kept.length) this.#kept = new Uint8Array(Math.max(needed, 2 * this.#kept.length))
      this.#kept.set(held)
      this.#begin = 0
      this.#end = held.length
    }
    this.#kept.set(this.#cut(length), this.#end)
    this.#end += length
  }
}

/** A hash of the index so far, in two times 32 bits: the frames need not be kept to be compared with it. */
class IndexHash {
  #a = 0x811c9dc5
  #b = 0x9e3779b9

  add(bytes: Uint8Array): void {
    for (const byte of bytes) {
      this.#a = Math.imul(this.#a ^ byte, 0x01000193)
      this.#b = Math.imul(this.#b + byte, 0x85ebca6b) ^ (this.#b >>> 15)
    }
  }

  is(other: IndexHash): boolean {
    return this.#a === other.#a && this.#b === other.#b
  }
}

/** Reads a stream of frames from bytes as they come. It holds one frame. */
export class FrameParser {
  readonly #bytes = new Parts()
  #header: Header | undefined
  #head: Head | undefined
  #frames = 0
  #read = HEADER_LENGTH
  readonly #own = new IndexHash()
  readonly #found = new IndexHash()
  #entriesLeft = 0
  #hasLast = false
  #isOver = false

  constructor(readonly rules: number) {}

  push(bytes: Uint8Array): void {
    this.#bytes.push(bytesOf(bytes, 'a part of the stream'))
  }

  /** Copies what is left of the last bytes that were pushed. */
  keep(): void {
    this.#bytes.keep()
  }

  /** The next frame, if all of it is there. Before the bytes behind the last frame are read, every frame must have been opened. */
  next(): ClosedFrame | undefined {
    if (this.#hasLast) {
      this.#readBehind()
      return undefined
    }
    if (this.#header === undefined) {
      if (this.#bytes.length < HEADER_LENGTH) return undefined
      this.#header = readHeader(this.#bytes.take(HEADER_LENGTH), this.rules)
    }
    const header = this.#header
    if (this.#head === undefined) {
      if (this.#bytes.length < HEAD_LENGTH) return undefined
      this.#head = readHead(this.#bytes.take(HEAD_LENGTH), header.stream, this.#frames, this.rules)
    }
    const head = this.#head
    if (this.#bytes.length < head.envelopeLength) return undefined
    this.#head = undefined
    this.#read += HEAD_LENGTH + head.envelopeLength
    this.#frames++
    this.#hasLast = head.isLast
    this.#entriesLeft = header.isIndexed ? this.#frames * ENTRY_LENGTH : 0
    return { ...head, envelope: this.#bytes.take(head.envelopeLength) }
  }

  /** The frame of a plaintext. Frames are opened in their order. */
  opened(closed: Head, plaintext: Bytes): FiseFrame {
    const frame = frameOf(closed, plaintext, this.#header as Header)
    this.#own.add(entryOf(HEAD_LENGTH + closed.envelopeLength, frame.content.length))
    return frame
  }

  #readBehind(): void {
    const { isIndexed, stream } = this.#header as Header
    const length = Math.min(this.#entriesLeft, this.#bytes.length)
    this.#found.add(this.#bytes.take(length))
    this.#entriesLeft -= length
    if (this.#entriesLeft > 0) return
    if (isIndexed && !this.#isOver) {
      if (this.#bytes.length < INDEX_TAIL_LENGTH) return
      const tail = this.#bytes.take(INDEX_TAIL_LENGTH)
      if (!this.#own.is(this.#found) || !isSame(tail, indexTail(stream, this.#frames, this.#read))) {
        throw malformed('the index differs from the frames (section 3.4)')
      }
    }
    this.#isOver = true
    if (this.#bytes.length > 0) throw malformed('something follows the end of the stream (section 3.2)')
  }

  /** Ends reading: the stream has to be whole. */
  finish(): void {
    if (this.#header === undefined) readHeader(this.#bytes.take(this.#bytes.length), this.rules)
    if (this.#hasLast) this.#readBehind()
    if (!this.#isOver) throw truncated()
  }
}

/** The frames of a stream with an index (section 3.4): where each begins, in the stream and in the content, and the end of the last. */
export interface Index {
  readonly header: Header
  readonly begins: readonly (readonly [at: number, content: number])[]
}

/** Reads the header and the index of a stream of so many bytes, of which `read` gives parts. */
export async function readIndex(
  length: number,
  read: (start: number, end: number) => Promise<Bytes>,
  rules: number,
): Promise<Index> {
  const header = readHeader(await read(0, Math.min(length, HEADER_LENGTH)), rules)
  if (!header.isIndexed) throw malformed('the stream has no index: its writer needs the option index')
  if (length < HEADER_LENGTH + INDEX_TAIL_LENGTH) throw truncated()
  const tailAt = length - INDEX_TAIL_LENGTH
  const tail = await read(tailAt, length)
  if (!isSame(tail.subarray(0, 8), INDEX_MAGIC)) throw truncated()
  const frames = viewOf(tail).getUint32(12)
  const at = tailAt - frames * ENTRY_LENGTH
  if (frames === 0 || at < HEADER_LENGTH || !isSame(tail, indexTail(header.stream, frames, at))) throw wrongIndex()
  const entries = viewOf(await read(at, tailAt))
  const begins: [number, number][] = [[HEADER_LENGTH, 0]]
  for (let i = 0, [place, content] = [HEADER_LENGTH, 0]; i < frames; i++) {
    const [frameLength, contentLength] = [entries.getUint32(i * ENTRY_LENGTH), entries.getUint32(i * ENTRY_LENGTH + 4)]
    const isFrame = frameLength >= HEAD_LENGTH && frameLength <= HEAD_LENGTH + KEY_LENGTH + ENVELOPE_MAX_LENGTH
    if (!isFrame || contentLength > header.frameLength) throw wrongIndex()
    place += frameLength
    content += contentLength
    begins.push([place, content])
  }
  if (begins[frames]?.[0] !== at) throw wrongIndex()
  return { header, begins }
}

/** Reads a frame from its bytes, which have to be as the index says. */
export function readFrame(bytes: Bytes, number: number, { header, begins }: Index, rules: number): ClosedFrame {
  if (bytes.length < HEAD_LENGTH) throw otherThanIndex()
  const head = readHead(bytes, header.stream, number, rules)
  if (head.envelopeLength !== bytes.length - HEAD_LENGTH || head.isLast !== (number + 2 === begins.length)) {
    throw otherThanIndex()
  }
  return { ...head, envelope: bytes.subarray(HEAD_LENGTH) }
}

/** The frame of a plaintext, which has to be as long as the index says. */
export function openedByIndex(closed: ClosedFrame, plaintext: Bytes, { header, begins }: Index): FiseFrame {
  const frame = frameOf(closed, plaintext, header)
  const contentAt = (number: number) => begins[number]?.[1] as number
  if (frame.content.length !== contentAt(closed.number + 1) - contentAt(closed.number)) throw otherThanIndex()
  return frame
}

function wrongIndex(): FiseError {
  return malformed('the index breaks a rule (section 3.4)')
}

function otherThanIndex(): FiseError {
  return malformed('a frame differs from the index (section 3.4)')
}
