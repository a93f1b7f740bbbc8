import type { Bytes } from '../../basics/bytes.js'
import { copyRuns, scratch } from './memory.js'
import { type CompleteProfile, markerFor, offsetIn } from './profile.js'

/** Where things are in the envelopes of a profile (section 2 of `spec/fise-frames.md`). */
export class ProfileLayout {
  readonly #markers: (Uint8Array | undefined)[] = []

  constructor(readonly profile: CompleteProfile) {}

  #marker(saltLength: number): Uint8Array {
    const { min } = this.profile.salt
    this.#markers[saltLength - min] ??= markerFor(this.profile, saltLength)
    return this.#markers[saltLength - min] as Uint8Array
  }

  /** The envelope of a ciphertext, behind so many bytes that are free; nothing if it has several readings. */
  envelope(
    ciphertext: Uint8Array,
    salt: Uint8Array,
    timestamp: number,
    draw: (count: number) => Uint8Array,
    free: number,
  ): Bytes | undefined {
    const { head, tail, every } = this.profile.decoys
    const length = ciphertext.length + this.#marker(salt.length).length + salt.length
    const between = every === 0 ? 0 : Math.floor(length / every)
    const count = head + between + tail
    const bytes = new Uint8Array(free + length + count)
    const units = count === 0 ? bytes.subarray(free) : scratch('units', length)
    this.place(ciphertext, salt, timestamp, units)
    const lengths = this.lengths(units, timestamp)
    if (lengths.length !== 1 || lengths[0] !== salt.length) return undefined
    if (count > 0) this.#addDecoys(units, draw(count), bytes.subarray(free))
    return bytes
  }

  /** Puts decoys before, behind and between units. */
  #addDecoys(units: Uint8Array, decoys: Uint8Array, bytes: Uint8Array): void {
    const { head, tail, every } = this.profile.decoys
    const between = decoys.length - head - tail
    bytes.set(decoys.subarray(0, head))
    const inner = scratch('envelope', units.length + between)
    copyRuns(units, every, inner, every + 1, every, between)
    for (let i = 0, at = every; i < between; i++, at += every + 1) inner[at] = decoys[head + i] as number
    inner.set(units.subarray(between * every), between * (every + 1))
    bytes.set(inner, head)
    bytes.set(decoys.subarray(head + between), bytes.length - tail)
  }

  /** Puts the ciphertext, the marker and the salt in their places. */
  place(ciphertext: Uint8Array, salt: Uint8Array, timestamp: number, units: Uint8Array): void {
    const marker = this.#marker(salt.length)
    const at = offsetIn(this.profile, ciphertext.length, timestamp, salt.length)
    const behind = at + marker.length
    this.#runs(units.length, salt.length, (begin, end, shift) => {
      if (begin < at) units.set(ciphertext.subarray(begin, Math.min(end, at)), begin + shift)
      for (let i = Math.max(begin, at); i < Math.min(end, behind); i++) units[i + shift] = marker[i - at] as number
      const from = Math.max(begin, behind)
      if (from < end) units.set(ciphertext.subarray(from - marker.length, end - marker.length), from + shift)
    })
    for (let j = 0; j < salt.length; j++) units[this.#saltAt(j, units.length, salt.length)] = salt[j] as number
  }

  /** The ciphertext of units without decoys, until the next one. */
  ciphertextOf(units: Uint8Array, saltLength: number, timestamp: number): Bytes {
    const { length } = this.#marker(saltLength)
    const ciphertext = scratch('ciphertext', units.length - saltLength - length)
    const at = offsetIn(this.profile, ciphertext.length, timestamp, saltLength)
    const behind = at + length
    this.#runs(units.length, saltLength, (begin, end, shift) => {
      if (begin < at) ciphertext.set(units.subarray(begin + shift, Math.min(end, at) + shift), begin)
      const from = Math.max(begin, behind)
      if (from < end) ciphertext.set(units.subarray(from + shift, end + shift), from - length)
    })
    return ciphertext
  }

  /** The salt of units without decoys. */
  saltOf(units: Uint8Array, saltLength: number): Uint8Array {
    const unit = (_: unknown, j: number) => units[this.#saltAt(j, units.length, saltLength)] as number
    return Uint8Array.from({ length: saltLength }, unit)
  }

  /** The runs of the body, which is the ciphertext with its marker: where each begins and ends, and how much further it is in the units. */
  #runs(length: number, saltLength: number, use: (begin: number, end: number, shift: number) => void): void {
    const bodyLength = length - saltLength
    const { place } = this.profile.salt
    if (place === 'interleaved') {
      for (let j = 0; j < saltLength; j++) {
        use(Math.floor((j * bodyLength) / saltLength), Math.floor(((j + 1) * bodyLength) / saltLength), j + 1)
      }
    } else use(0, bodyLength, place === 'head' ? saltLength : 0)
  }

  /** Where unit j of the salt is. */
  #saltAt(j: number, length: number, saltLength: number): number {
    const { place } = this.profile.salt
    if (place === 'interleaved') return Math.floor((j * length) / saltLength)
    return place === 'head' ? j : length - saltLength + j
  }

  /** The lengths of the salt for which units without decoys have the marker at its place. */
  lengths(units: Uint8Array, timestamp: number): number[] {
    const { min, max } = this.profile.salt
    const { length } = this.#marker(min)
    const found: number[] = []
    for (let n = min; n <= max && n + length <= units.length; n++) {
      const bodyLength = units.length - n
      const at = offsetIn(this.profile, bodyLength - length, timestamp, n)
      const marker = this.#marker(n)
      let i = 0
      while (i < length && units[placeOf(this.profile, at + i, n, bodyLength)] === marker[i]) i++
      if (i === length) found.push(n)
    }
    return found
  }

  /** The units without decoys, until the next envelope; nothing if no envelope has this number of decoys. */
  withoutDecoys(envelope: Uint8Array): Uint8Array | undefined {
    const { head, tail, every } = this.profile.decoys
    if (envelope.length < head + tail) return undefined
    const inner = envelope.subarray(head, envelope.length - tail)
    if (every === 0) return inner
    if (inner.length % (every + 1) === every) return undefined
    const runs = Math.floor(inner.length / (every + 1))
    const copy = scratch('envelope', inner.length)
    copy.set(inner)
    const units = scratch('units', inner.length - runs)
    copyRuns(copy, every + 1, units, every, every, runs)
    units.set(copy.subarray(runs * (every + 1)), runs * every)
    return units
  }
}

/** Where unit i of the body is in an envelope without decoys. */
export function placeOf({ salt }: CompleteProfile, i: number, saltLength: number, bodyLength: number): number {
  if (salt.place === 'tail') return i
  // Before a unit of the body there are as many units of an interleaved salt.
  return i + (salt.place === 'head' ? saltLength : Math.ceil(((i + 1) * saltLength) / bodyLength))
}
