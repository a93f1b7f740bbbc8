import { randomBytes } from '../../api/random.js'
import type { Bytes } from '../../basics/bytes.js'
import { ArgumentError, SealstoneError } from '../../basics/error.js'
import { WordArray } from './word-array.js'

/** Fills up a message to whole blocks, and removes the padding again. A caller may write one, too. `blockSize` is in words of 4 bytes. */
export interface Padding {
  pad(data: WordArray, blockSize: number): void
  unpad(data: WordArray): void
}

/** A padding of this package. */
interface Known {
  /** The padding of a message of this length. */
  fill(length: number, blockLength: number): Bytes
  /** How many bytes stay, or undefined if the padding is wrong. */
  kept(data: Bytes, blockLength: number): number | undefined
}

const KNOWN = /* @__PURE__ */ new WeakMap<object, Known>()

/** The paddings under `pad` in crypto-js. */
export const pad = /* @__PURE__ */ (() => ({
  /** Each byte of the padding has the number of its bytes as value (RFC 5652 section 6.3). */
  Pkcs7: paddingOf({
    fill: (length, blockLength) => counted(length, blockLength, (bytes) => bytes.fill(bytes.length)),
    kept: pkcs7,
  }),
  /** Zeros, then one byte with the number of bytes. */
  AnsiX923: paddingOf({ fill: (length, blockLength) => counted(length, blockLength, () => {}), kept: ansiX923 }),
  /** Random bytes, then one byte with the number of bytes. */
  Iso10126: paddingOf({
    fill: (length, blockLength) => counted(length, blockLength, (bytes) => bytes.set(randomBytes(bytes.length))),
    kept: (data, blockLength) => keptOf(data, blockLength),
  }),
  /** A byte 0x80, and zeros. */
  Iso97971: paddingOf({
    fill(length, blockLength) {
      const bytes = new Uint8Array(missing(length, blockLength))
      bytes[0] = 0x80
      return bytes
    },
    kept(data) {
      const end = withoutZeros(data)
      return data[end - 1] === 0x80 ? end - 1 : undefined
    },
  }),
  /** Zeros. If the message itself ends with zeros, they are removed too, unless it has only zeros. */
  ZeroPadding: paddingOf({
    fill: (length, blockLength) => new Uint8Array(missing(length, blockLength) % blockLength),
    kept: (data) => withoutZeros(data) || data.length,
  }),
  /** No padding. */
  NoPadding: paddingOf({ fill: () => new Uint8Array(0), kept: (data) => data.length }),
}))()

/** The message with padding, or the same memory if the padding is empty. */
export function padded(padding: Padding, data: Bytes, blockLength: number): Bytes {
  const known = knownOf(padding)
  if (known === undefined) {
    const own = WordArray.of(data.slice())
    padding.pad(own, blockLength / 4)
    return WordArray.bytesOf(own, 'the message')
  }
  const more = known.fill(data.length, blockLength)
  return more.length === 0 ? data : joined(data, more)
}

/** The message without its padding. */
export function unpadded(padding: Padding, data: Bytes, blockLength: number): Bytes {
  const known = knownOf(padding)
  if (known === undefined) {
    const own = WordArray.of(data)
    padding.unpad(own)
    return WordArray.bytesOf(own, 'the message')
  }
  const length = known.kept(data, blockLength)
  if (length !== undefined) return length === data.length ? data : data.slice(0, length)
  data.fill(0)
  throw wrong()
}

/** Both arrays, one after the other. */
export function joined(one: Uint8Array, other: Uint8Array): Bytes {
  const both = new Uint8Array(one.length + other.length)
  both.set(one)
  both.set(other, one.length)
  return both
}

function knownOf(padding: Padding): Known | undefined {
  if (typeof padding === 'object' && padding !== null) {
    const known = KNOWN.get(padding)
    if (known !== undefined || (typeof padding.pad === 'function' && typeof padding.unpad === 'function')) return known
  }
  throw new ArgumentError('padding must be one of the properties of pad, or an object with functions pad and unpad')
}

function paddingOf(known: Known): Padding {
  const padding: Padding = {
    pad(data, blockSize) {
      data.clamp()
      data.concat(WordArray.of(known.fill(data.sigBytes, blockSize * 4)))
    },
    unpad(data) {
      const length = known.kept(WordArray.bytesOf(data, 'the data'), BLOCK_MAX)
      if (length === undefined) throw wrong()
      data.sigBytes = length
    },
  }
  KNOWN.set(padding, known)
  return padding
}

/** The largest number that the last byte can hold. */
const BLOCK_MAX = 255

function wrong(): SealstoneError {
  return new SealstoneError('invalid_padding', 'the padding is wrong')
}

function missing(length: number, blockLength: number): number {
  return blockLength - (length % blockLength)
}

/** The bytes that are missing. The last one holds their number. */
function counted(length: number, blockLength: number, fill: (bytes: Bytes) => void): Bytes {
  const bytes = new Uint8Array(missing(length, blockLength))
  fill(bytes)
  bytes[bytes.length - 1] = bytes.length
  return bytes
}

/** How many bytes stay by the number in the last byte. */
function keptOf(data: Bytes, blockLength: number): number | undefined {
  const count = data.at(-1) ?? 0
  return count > 0 && count <= blockLength && count <= data.length ? data.length - count : undefined
}

function pkcs7(data: Bytes, blockLength: number): number | undefined {
  return keptWhere(data, blockLength, (byte, count) => byte ^ count)
}

function ansiX923(data: Bytes, blockLength: number): number | undefined {
  return keptWhere(data, blockLength, (byte) => byte)
}

/** Looks at every byte of the padding but the last, even after it has found a wrong one. */
function keptWhere(
  data: Bytes,
  blockLength: number,
  differs: (byte: number, count: number) => number,
): number | undefined {
  const kept = keptOf(data, blockLength)
  if (kept === undefined) return undefined
  let seen = 0
  for (let i = kept; i < data.length - 1; i++) seen |= differs(data[i] as number, data.length - kept)
  return seen === 0 ? kept : undefined
}

function withoutZeros(data: Bytes): number {
  let end = data.length
  while (end > 0 && data[end - 1] === 0) end--
  return end
}
