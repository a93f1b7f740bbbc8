import { encode } from '../../api/encoding.js'
import { randomBytes } from '../../api/random.js'
import { type Bytes, isUint8Array, utf8 } from '../../basics/bytes.js'
import { ArgumentError } from '../../basics/error.js'
import { branded } from '../../basics/receiver.js'

/** Turns bytes into text, and text into bytes. */
export interface Encoder {
  stringify(wordArray: WordArrayLike): string
  parse(text: string): WordArray
}

/** Bytes as words of 32 bits, highest byte first: the properties of a `WordArray` of crypto-js. */
export interface WordArrayLike {
  readonly words: readonly number[]
  /** How many bytes of the words count. */
  readonly sigBytes: number
}

/** The source of a {@link WordArray}: words, or bytes, which it copies. */
export type Words = number[] | ArrayBuffer | ArrayBufferView

/**
 * Bytes, which crypto-js has as words of 32 bits. The object makes `words` when a program first reads them. From then on they hold the
 * content: if you change a word, you change the bytes.
 *
 * @example
 * ```ts
 * import { enc, lib } from 'sealstone/compat/crypto-js'
 *
 * const bytes = lib.WordArray.create([0x61747461, 0x636b0000], 6)
 * console.log(bytes.toString(enc.Utf8), bytes.concat(enc.Utf8.parse('!')).sigBytes) // attack 7
 * ```
 */
export class WordArray implements WordArrayLike {
  /** May have room behind the bytes. It holds the content until a program first reads `words`. */
  #memory: Bytes = NOTHING
  #sigBytes = 0
  #words: number[] | undefined

  /** @internal */
  static readonly brand: string = /* @__PURE__ */ branded(this, 'crypto-js.WordArray', (value) => #memory in value, [
    'init',
    'create',
    'random',
  ])

  constructor(words?: Words, sigBytes?: number) {
    if (words === undefined || words === null) {
      if (sigBytes) [this.#words, this.#sigBytes] = [[], sigBytes]
    } else if (Array.isArray(words)) {
      this.#words = words
      this.#sigBytes = sigBytes ?? words.length * 4
    } else {
      this.#memory = copied(words)
      this.#sigBytes = this.#memory.length
    }
  }

  /**
   * The bytes of an object of this class, which the caller must not change, or of another object with words.
   *
   * @internal
   */
  static bytesOf(value: unknown, what: string, kinds = 'a WordArray'): Bytes {
    if (typeof value === 'object' && value !== null) {
      if (#memory in value) return value.#words === undefined ? value.#bytes : bytesOf(value.#words, value.#sigBytes)
      const { words, sigBytes } = value as WordArrayLike
      if (Array.isArray(words) && typeof sigBytes === 'number') {
        // crypto-js has zeros there, and text of JSON could ask for gigabytes of them.
        if (sigBytes > 4 * words.length) throw new ArgumentError(`${what} has fewer words than its sigBytes says`)
        return bytesOf(words, sigBytes)
      }
    }
    const hint = typeof value === 'string' ? ': of text enc.Hex.parse or enc.Utf8.parse makes one' : ''
    throw new ArgumentError(`${what} must be ${kinds}${hint}`)
  }

  /**
   * An object that takes over this memory.
   *
   * @internal
   */
  static of(memory: Bytes): WordArray {
    const made = new WordArray()
    made.#memory = memory
    made.#sigBytes = memory.length
    return made
  }

  get #bytes(): Bytes {
    return this.#memory.length === this.#sigBytes ? this.#memory : this.#memory.subarray(0, this.#sigBytes)
  }

  /** The words, which hold the content from now on. */
  get words(): number[] {
    if (this.#words === undefined) {
      this.#words = wordsOf(this.#bytes)
      this.#memory = NOTHING
    }
    return this.#words
  }

  set words(words: number[]) {
    this.#memory = NOTHING
    this.#words = words
  }

  /** How many bytes of the words count. */
  get sigBytes(): number {
    return this.#sigBytes
  }

  set sigBytes(sigBytes: number) {
    // The words behind the end may count again later.
    this.words = this.words
    this.#sigBytes = sigBytes
  }

  /** The constructor, for `new lib.WordArray.init(words, sigBytes)`. */
  get init(): typeof WordArray {
    return WordArray
  }

  /** Another WordArray: from words and the number of their bytes that count, or from a typed array. */
  create(words?: Words, sigBytes?: number): WordArray {
    return new WordArray(words, sigBytes)
  }

  /** `length` random bytes of the system's generator. */
  random(length: number): WordArray {
    return WordArray.of(randomBytes(length))
  }

  /** The bytes as text: in hexadecimal digits, unless you give an encoder. */
  toString(encoder?: Pick<Encoder, 'stringify'>): string {
    return encoder ? encoder.stringify(this) : encode('hex', WordArray.bytesOf(this, 'this'))
  }

  /** Appends the bytes of another WordArray. */
  concat(other: WordArrayLike): this {
    const more = WordArray.bytesOf(other, 'the other WordArray')
    const sigBytes = this.#sigBytes
    if (this.#words === undefined) {
      this.#reserve(sigBytes + more.length)
      this.#memory.set(more, sigBytes)
    } else {
      this.clamp()
      appendTo(this.#words, sigBytes, more)
    }
    this.#sigBytes = sigBytes + more.length
    return this
  }

  /** Removes the content of the words behind the bytes that count. */
  clamp(): void {
    const [words, sigBytes] = [this.#words, this.#sigBytes]
    if (words === undefined) return
    if (sigBytes % 4 > 0) words[sigBytes >>> 2] = (words[sigBytes >>> 2] ?? 0) & (-1 << (32 - (sigBytes % 4) * 8))
    words.length = Math.ceil(sigBytes / 4)
  }

  /** A copy. */
  clone(): WordArray {
    const made = new WordArray()
    made.#words = this.#words?.slice()
    made.#memory = this.#bytes.slice()
    made.#sigBytes = this.#sigBytes
    return made
  }

  /** Words and the number of their bytes that count, as crypto-js writes them in JSON. */
  toJSON(): WordArrayLike {
    return { words: [...wordsOf(WordArray.bytesOf(this, 'this'))], sigBytes: this.#sigBytes }
  }

  /** Makes room for `length` bytes. It at least doubles the memory, so that each byte is moved a few times at most. */
  #reserve(length: number): void {
    if (length <= this.#memory.length) return
    const memory = new Uint8Array(this.#sigBytes === 0 ? length : Math.max(length, 2 * this.#memory.length))
    memory.set(this.#bytes)
    this.#memory = memory
  }
}

/** The bytes of a message: text stands for its UTF-8. */
export function dataOf(data: unknown, what: string): Bytes {
  return typeof data === 'string' ? utf8(data, what) : WordArray.bytesOf(data, what, 'text or a WordArray')
}

const NOTHING = /* @__PURE__ */ new Uint8Array(0)

function copied(bytes: ArrayBuffer | ArrayBufferView): Bytes {
  if (isUint8Array(bytes)) return new Uint8Array(bytes)
  if (ArrayBuffer.isView(bytes)) {
    return new Uint8Array(bytes.buffer as ArrayBuffer, bytes.byteOffset, bytes.byteLength).slice()
  }
  if (bytes instanceof ArrayBuffer) return new Uint8Array(bytes.slice(0))
  throw new ArgumentError('a WordArray is made from words, a typed array or an ArrayBuffer')
}

function bytesOf(words: readonly number[], sigBytes: number): Bytes {
  const length = Math.max(0, Math.ceil(sigBytes))
  const bytes = new Uint8Array(4 * Math.ceil(length / 4))
  const view = new DataView(bytes.buffer)
  for (let i = Math.min(words.length, bytes.length / 4) - 1; i >= 0; i--) view.setInt32(4 * i, words[i] ?? 0)
  return bytes.length === length ? bytes : bytes.subarray(0, length)
}

/** The words of these bytes. Zeros fill up the last word. */
export function wordsOf(bytes: Uint8Array): number[] {
  const words = new Array<number>(Math.ceil(bytes.length / 4))
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const whole = bytes.length >>> 2
  for (let i = 0; i < whole; i++) words[i] = view.getInt32(4 * i)
  if (whole < words.length) {
    let last = 0
    for (let at = 4 * whole; at < 4 * whole + 4; at++) last = (last << 8) | (bytes[at] ?? 0)
    words[whole] = last
  }
  return words
}

/** Appends to words that end after `sigBytes` bytes. */
function appendTo(words: number[], sigBytes: number, bytes: Uint8Array): void {
  for (let i = 0; i < bytes.length; i++) {
    const at = sigBytes + i
    words[at >>> 2] = (words[at >>> 2] ?? 0) | ((bytes[i] as number) << (24 - (at % 4) * 8))
  }
}
