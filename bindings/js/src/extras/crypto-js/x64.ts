import { Base } from './base.js'
import { WordArray } from './word-array.js'

/** A word of 64 bits, as two of 32. */
export interface X64Word extends Base {
  high: number
  low: number
  create(high: number, low: number): this
}

/** Words of 64 bits, and the number of their bytes that count: by default all. */
export interface X64WordArray extends Base {
  words: X64Word[]
  sigBytes: number
  create(words?: X64Word[], sigBytes?: number): this
  /** The same bytes, as words of 32 bits. */
  toX32(): WordArray
}

const Word = /* @__PURE__ */ Base.extend({
  init(this: { high: number; low: number }, high: number, low: number) {
    this.high = high
    this.low = low
  },
})

const Words = /* @__PURE__ */ Base.extend({
  init(this: { words: X64Word[]; sigBytes: number }, words: X64Word[] = [], sigBytes = 8 * words.length) {
    this.words = words
    this.sigBytes = sigBytes
  },
  toX32(this: X64WordArray): WordArray {
    return new WordArray(
      this.words.flatMap(({ high, low }) => [high, low]),
      this.sigBytes,
    )
  },
  /** A copy, with copies of the words. */
  clone(this: X64WordArray): X64WordArray {
    const made = Base.clone.call(this) as X64WordArray
    made.words = this.words.map((word) => word.clone())
    return made
  },
})

/** The words that crypto-js computes SHA-512 and SHA-3 with, for programs that use them as well. */
export const x64 = { Word, WordArray: Words } as unknown as { readonly Word: X64Word; readonly WordArray: X64WordArray }
