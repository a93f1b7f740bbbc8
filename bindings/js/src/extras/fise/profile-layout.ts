import type { Bytes } from '../../basics/bytes.js'
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

  /**
   * The units of an envelope without decoys.
   */
  units(ciphertext: Uint8Array, salt: Uint8Array, timestamp: number): Bytes {
    const marker = this.#marker(salt.length)
    const at = offsetIn(this.profile, ciphertext.length, timestamp, salt.length)
    const bodyLength = ciphertext.length + marker.length
    const units = new Uint8Array(bodyLength + salt.length)
    const { place } = this.profile.salt
    const from = place === 'head' ? salt.length : 0
    units.set(ciphertext.subarray(0, at), from)
    units.set(marker, from + at)
    units.set(ciphertext.subarray(at), from + at + marker.length)
    if (place === 'tail') units.set(salt, bodyLength)
    else if (place === 'head') units.set(salt)
    else {
      // From the end, so that no run is overwritten before it has moved.
      for (let j = salt.length - 1; j >= 0; j--) {
        const [begin, end] = runOf(j, salt.length, bodyLength)
        units.copyWithin(begin + j + 1, begin, end)
        units[begin + j] = salt[j] as number
      }
    }
    return units
  }

  /** The ciphertext and the salt of units without decoys. */
  parted(units: Uint8Array, saltLength: number, timestamp: number): { ciphertext: Bytes; salt: Uint8Array } {
    const bodyLength = units.length - saltLength
    const { place } = this.profile.salt
    let body = place === 'head' ? units.subarray(saltLength) : units.subarray(0, bodyLength)
    let salt = place === 'head' ? units.subarray(0, saltLength) : units.subarray(bodyLength)
    if (place === 'interleaved') {
      body = new Uint8Array(bodyLength)
      salt = new Uint8Array(saltLength)
      for (let j = 0; j < saltLength; j++) {
        const [begin, end] = runOf(j, saltLength, bodyLength)
        salt[j] = units[begin + j] as number
        body.set(units.subarray(begin + j + 1, end + j + 1), begin)
      }
    }
    const { length } = this.#marker(saltLength)
    const at = offsetIn(this.profile, bodyLength - length, timestamp, saltLength)
    const ciphertext = new Uint8Array(bodyLength - length)
    ciphertext.set(body.subarray(0, at))
    ciphertext.set(body.subarray(at + length), at)
    return { ciphertext, salt }
  }

  /**
   * The lengths of the salt for which units without decoys have the marker at its place.
   */
  lengths(units: Uint8Array, timestamp: number): number[] {
    const { min, max, place } = this.profile.salt
    const { length } = this.#marker(min)
    const found: number[] = []
    for (let n = min; n <= max && n + length <= units.length; n++) {
      const bodyLength = units.length - n
      const at = offsetIn(this.profile, bodyLength - length, timestamp, n)
      const marker = this.#marker(n)
      let i = 0
      for (; i < length; i++) {
        const inBody = at + i
        let where = inBody
        if (place === 'head') where += n
        // Before a unit of the body there are as many units of the salt.
        else if (place === 'interleaved') where += Math.ceil(((inBody + 1) * n) / bodyLength)
        if (units[where] !== marker[i]) break
      }
      if (i === length) found.push(n)
    }
    return found
  }

  /**
   * The units with decoys before, behind and between them.
   */
  withDecoys(units: Bytes, draw: (count: number) => Uint8Array): Bytes {
    const { head, tail, every } = this.profile.decoys
    const between = every === 0 ? 0 : Math.floor(units.length / every)
    const count = head + between + tail
    if (count === 0) return units
    const decoys = draw(count)
    const envelope = new Uint8Array(units.length + count)
    envelope.set(decoys.subarray(0, head))
    let at = head
    for (let i = 0; i < between; i++) {
      envelope.set(units.subarray(i * every, (i + 1) * every), at)
      at += every
      envelope[at++] = decoys[head + i] as number
    }
    envelope.set(units.subarray(between * every), at)
    envelope.set(decoys.subarray(head + between), envelope.length - tail)
    return envelope
  }

  /** The units without decoys; nothing if no envelope has this number of them. */
  withoutDecoys(envelope: Uint8Array): Uint8Array | undefined {
    const { head, tail, every } = this.profile.decoys
    if (envelope.length < head + tail) return undefined
    const units = envelope.subarray(head, envelope.length - tail)
    if (every === 0) return units
    if (units.length % (every + 1) === every) return undefined
    const runs = Math.floor(units.length / (every + 1))
    const out = new Uint8Array(units.length - runs)
    for (let i = 0; i < runs; i++) out.set(units.subarray(i * (every + 1), i * (every + 1) + every), i * every)
    out.set(units.subarray(runs * (every + 1)), runs * every)
    return out
  }
}

/** The run of the body behind unit j of an interleaved salt. */
function runOf(j: number, saltLength: number, bodyLength: number): [begin: number, end: number] {
  return [Math.floor((j * bodyLength) / saltLength), Math.floor(((j + 1) * bodyLength) / saltLength)]
}
