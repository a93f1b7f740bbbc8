import type { Bytes } from '../../bytes.js'
import { ArgumentError, SealstoneError } from '../../error.js'
import { randomBytes } from '../../random.js'
import { WordArray } from './word-array.js'

/** How a message is filled up to whole blocks, and what was filled up removed; of a caller too. A block has so many words of 4 bytes. */
export interface Padding {
  pad(data: WordArray, blockSize: number): void
  unpad(data: WordArray): void
}

/** One that is known here. */
interface Known {
  /** What stands behind so many bytes. */
  fill(length: number, blockLength: number): Bytes
  /** How many bytes stay, or nothing where padding is wrong. */
  kept(data: Bytes, blockLength: number): number | undefined
}

const KNOWN = /* @__PURE__ */ new WeakMap<object, Known>()

/** What crypto-js has under `pad`. */
export const pad = /* @__PURE__ */ (() => ({
  /** As many bytes as are missing, each of which says how many they are (RFC 5652 section 6.3). */
  Pkcs7: paddingOf({
    fill: (length, blockLength) => counted(length, blockLength, (bytes) => bytes.fill(bytes.length)),
    kept: pkcs7,
  }),
  /** Zeros, and how many bytes there are. */
  AnsiX923: paddingOf({ fill: (length, blockLength) => counted(length, blockLength, () => {}), kept: ansiX923 }),
  /** Random bytes, and how many there are. */
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
  /** Zeros: those that a message ends with are lost with them, unless it is zeros alone. */
  ZeroPadding: paddingOf({
    fill: (length, blockLength) => new Uint8Array(missing(length, blockLength) % blockLength),
    kept: (data) => withoutZeros(data) || data.length,
  }),
  /** None. */
  NoPadding: paddingOf({ fill: () => new Uint8Array(0), kept: (data) => data.length }),
}))()

/** A message that is filled up. It stays as it is where nothing is missing. */
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

/** A message without what it was filled up with. */
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

/** One after the other. */
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

/** What a last byte can count. */
const BLOCK_MAX = 255

function wrong(): SealstoneError {
  return new SealstoneError('invalid_padding', 'the padding is wrong')
}

function missing(length: number, blockLength: number): number {
  return blockLength - (length % blockLength)
}

/** As many bytes as are missing, of which the last says how many. */
function counted(length: number, blockLength: number, fill: (bytes: Bytes) => void): Bytes {
  const bytes = new Uint8Array(missing(length, blockLength))
  fill(bytes)
  bytes[bytes.length - 1] = bytes.length
  return bytes
}

/** What the last byte leaves. */
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

/** Each byte before the last one of the padding is looked at, whatever the others are. */
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
