import { type Bytes, zero } from '../../basics/bytes.js'
import { ArgumentError } from '../../basics/error.js'
import { Base } from './base.js'
import { joined } from './padding.js'
import { WordArray, type WordArrayLike, wordsOf } from './word-array.js'

/** The modes of a cipher in `hazmat`. */
export type FamilyMode = 'ecb' | 'cbc' | 'cfb' | 'ofb' | 'ctr'

/** A key of a block cipher. */
export interface Blocks {
  readonly blockLength: number
  /** Whether `run` has the mode `ctr`. */
  readonly counts: boolean
  /** Processes one part of a message. Only the last part may be padded, or end within a block. */
  run(mode: FamilyMode, encrypts: boolean, iv: Bytes, data: Bytes, pads: boolean): Bytes
}

/** Encrypts and decrypts single blocks, for a caller's own mode. */
export interface BlockCipherLike {
  /** Words of a block. */
  readonly blockSize: number
  encryptBlock(words: number[], offset: number): void
  decryptBlock(words: number[], offset: number): void
}

/** A mode's state for one message: it replaces the blocks of the message, one after the other. */
export interface BlockTransform {
  processBlock(words: number[], offset: number): void
}

/** A mode, of crypto-js or of a caller's own. */
export interface Mode {
  createEncryptor(cipher: BlockCipherLike, iv: number[] | undefined): BlockTransform
  createDecryptor(cipher: BlockCipherLike, iv: number[] | undefined): BlockTransform
}

/** The object that callers extend for their own modes, with an `Encryptor` and a `Decryptor` that have `processBlock`. */
export const BlockCipherMode = /* @__PURE__ */ Base.extend({
  Encryptor: Base,
  Decryptor: Base,
  createEncryptor(cipher: BlockCipherLike, iv?: number[]): BlockTransform {
    return this.Encryptor.create(cipher, iv) as unknown as BlockTransform
  },
  createDecryptor(cipher: BlockCipherLike, iv?: number[]): BlockTransform {
    return this.Decryptor.create(cipher, iv) as unknown as BlockTransform
  },
  init(this: { _cipher?: BlockCipherLike; _iv?: number[] | undefined }, cipher: BlockCipherLike, iv?: number[]) {
    this._cipher = cipher
    this._iv = iv
  },
})

/** Processes the parts of one message, one after the other. */
export type Chain = (data: Bytes, pads: boolean) => Bytes

type Begin = (blocks: Blocks, encrypts: boolean, iv: Bytes) => Chain

interface Known {
  readonly begin: Begin
  /** Whether the mode in core can pad a message itself. */
  readonly pads: boolean
  /** The rule for an IV shorter than a block: zeros fill it up, or it is refused (`whole`). With `none`, the mode has no IV. */
  readonly iv: 'filled' | 'whole' | 'none'
}

const KNOWN = /* @__PURE__ */ new WeakMap<object, Known>()

/** The modes under `mode` in crypto-js. */
export const mode = /* @__PURE__ */ (() => ({
  CBC: modeOf({ begin: cbc, pads: true, iv: 'filled' }),
  CFB: modeOf({ begin: cfb, pads: false, iv: 'filled' }),
  OFB: modeOf({ begin: ofb, pads: false, iv: 'filled' }),
  ECB: modeOf({ begin: ecb, pads: true, iv: 'none' }),
  CTR: modeOf({ begin: ctr, pads: false, iv: 'whole' }),
  CTRGladman: modeOf({ begin: gladman, pads: false, iv: 'whole' }),
}))()

/** Whether the mode pads by itself in `hazmat`, so that padding needs no copy of the message. */
export function padsItself(mode: Mode): boolean {
  return KNOWN.get(mode)?.pads ?? false
}

/** Begins a message. */
export function begin(
  mode: Mode,
  blocks: Blocks,
  encrypts: boolean,
  iv: WordArrayLike | undefined,
  owner: BlockCipherLike,
): Chain {
  if (typeof mode !== 'object' || mode === null)
    throw new ArgumentError('mode must be one of the properties of mode, such as mode.CBC')
  const known = KNOWN.get(mode)
  return known === undefined
    ? own(mode, blocks, encrypts, iv, owner)
    : known.begin(blocks, encrypts, ivOf(known, blocks, iv))
}

/** The part of an IV that counts: as many bytes as a block has. */
function ivOf(known: Known, { blockLength }: Blocks, iv: WordArrayLike | undefined): Bytes {
  if (known.iv === 'none') return NOTHING
  if (iv === undefined || iv === null) throw new ArgumentError('this mode needs an IV')
  const given = WordArray.bytesOf(iv, 'the IV')
  if (given.length < blockLength && known.iv === 'whole') {
    // In crypto-js, a short IV gives several blocks the same counter.
    throw new ArgumentError(`the IV of this mode must have ${blockLength} bytes, got ${given.length}`)
  }
  const block = new Uint8Array(blockLength)
  block.set(given.subarray(0, blockLength))
  return block
}

/** The built-in modes work on whole messages. */
function modeOf(known: Known): Mode {
  const none = (): never => {
    throw new ArgumentError('a mode of this package works on messages: blocks are for modes of your own')
  }
  const made: Mode = { createEncryptor: none, createDecryptor: none }
  KNOWN.set(made, known)
  return made
}

function ecb(blocks: Blocks, encrypts: boolean): Chain {
  return (data, pads) => blocks.run('ecb', encrypts, NOTHING, data, pads)
}

/** Each block depends on the ciphertext before it. */
function cbc(blocks: Blocks, encrypts: boolean, iv: Bytes): Chain {
  let last = iv
  return (data, pads) => {
    const done = blocks.run('cbc', encrypts, last, data, pads)
    const ciphertext = encrypts ? done : data
    if (ciphertext.length > 0) last = ciphertext.slice(-blocks.blockLength)
    return done
  }
}

/** The keystream of a block depends on the ciphertext before it. */
function cfb(blocks: Blocks, encrypts: boolean, iv: Bytes): Chain {
  let last = iv
  return inBlocks(blocks, (data) => {
    const done = blocks.run('cfb', encrypts, last, data, false)
    last = (encrypts ? done : data).slice(-blocks.blockLength)
    return done
  })
}

function ofb(blocks: Blocks, encrypts: boolean, iv: Bytes): Chain {
  let last = iv
  return inBlocks(blocks, (data) => {
    const done = blocks.run('ofb', encrypts, last, data, false)
    last = added(data.subarray(-blocks.blockLength), done.subarray(-blocks.blockLength))
    return done
  })
}

/** Fills a part that ends within a block up with zeros, and drops the result behind its end. The next part begins with the next block. */
function inBlocks({ blockLength }: Blocks, run: (data: Bytes) => Bytes): Chain {
  return (data) => {
    if (data.length % blockLength === 0) return data.length === 0 ? NOTHING : run(data)
    const whole = wholeBlocks(data, blockLength)
    const done = run(whole)
    const part = done.slice(0, data.length)
    zero(whole)
    zero(done)
    return part
  }
}

function wholeBlocks(data: Bytes, blockLength: number): Bytes {
  const whole = new Uint8Array(Math.ceil(data.length / blockLength) * blockLength)
  whole.set(data)
  return whole
}

/** In crypto-js, only the last word counts, and it overflows to zero. In core, the counter has all bytes of a block. */
function ctr(blocks: Blocks, _: boolean, iv: Bytes): Chain {
  const counter = iv.slice()
  const view = new DataView(counter.buffer)
  const at = blocks.blockLength - 4
  const step = (): void => view.setUint32(at, view.getUint32(at) + 1)
  if (!blocks.counts) return (data) => counted(blocks, data, counter, () => {}, step)
  const run = (data: Bytes): Bytes => {
    const first = (2 ** 32 - view.getUint32(at)) * blocks.blockLength
    if (data.length > first) return joined(run(data.subarray(0, first)), run(data.subarray(first)))
    const done = blocks.run('ctr', true, counter, data, false)
    view.setUint32(at, view.getUint32(at) + Math.ceil(data.length / blocks.blockLength))
    return done
  }
  return run
}

/** As in Brian Gladman's fileenc: the counter is the first eight bytes, lowest byte first. It goes up by one before each block. */
function gladman(blocks: Blocks, _: boolean, iv: Bytes): Chain {
  const counter = iv.slice()
  const view = new DataView(counter.buffer)
  const step = (): void => {
    const low = view.getUint32(0, true) + 1
    view.setUint32(0, low, true)
    if (low === 2 ** 32) view.setUint32(4, view.getUint32(4, true) + 1, true)
  }
  return (data) => counted(blocks, data, counter, step, () => {})
}

/** Adds the encrypted counters of all blocks. */
function counted(blocks: Blocks, data: Bytes, counter: Bytes, before: () => void, after: () => void): Bytes {
  const counters = new Uint8Array(Math.ceil(data.length / blocks.blockLength) * blocks.blockLength)
  for (let at = 0; at < counters.length; at += blocks.blockLength) {
    before()
    counters.set(counter, at)
    after()
  }
  const keystream = blocks.run('ecb', true, NOTHING, counters, false)
  const done = added(data, keystream)
  zero(keystream)
  return done
}

/** Runs a caller's mode, block by block. */
function own(
  mode: Mode,
  { blockLength }: Blocks,
  encrypts: boolean,
  iv: WordArrayLike | undefined,
  owner: BlockCipherLike,
): Chain {
  const words = iv === undefined ? undefined : wordsOf(WordArray.bytesOf(iv, 'the IV'))
  const transform = encrypts ? mode.createEncryptor(owner, words) : mode.createDecryptor(owner, words)
  return (data) => {
    const words = wordsOf(wholeBlocks(data, blockLength))
    for (let at = 0; at < words.length; at += blockLength / 4) transform.processBlock(words, at)
    return WordArray.bytesOf({ words, sigBytes: data.length }, 'the result')
  }
}

const NOTHING = /* @__PURE__ */ new Uint8Array(0)

/** The XOR of two arrays. It is as long as the first one. */
function added(one: Bytes, other: Bytes): Bytes {
  const sum = new Uint8Array(one.length)
  for (let i = 0; i < sum.length; i++) sum[i] = (one[i] as number) ^ (other[i] as number)
  return sum
}
