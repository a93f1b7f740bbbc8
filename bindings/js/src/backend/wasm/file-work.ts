// Files and parts of files that are sealed and opened in turns of the event loop, by the module or by a host.

import { SealstoneError } from '../../basics/error.js'
import type { Handle, Out, Part } from '../calls.js'
import type { JobTurns } from './books.js'
import { type Chunks, rangeOf, UNIT_CHUNKS } from './chunks.js'
import { settle } from './given.js'
import { headOf, isArmoured } from './heads.js'
import { EMPTY, TAG_LEN } from './host-crypto.js'
import type { Files } from './hosting.js'
import { memoryOf } from './instance.js'
import * as host from './intrinsics.js'
import type { BaseModule } from './module.js'
import { errorOf, Pieces } from './pieces.js'

/** Where a file that comes in parts has come to: bytes that came, and that were written. */
interface Place {
  taken: number
  written: number
  headLen: number
}

/** The promise that a part is written, where it is not yet: with the failure, if it failed. */
type Written = Promise<SealstoneError | undefined> | undefined

/** Lets an object know the keys of its passphrases, for a file that begins so. */
type Know = (holder: Handle, file: Uint8Array, turns: JobTurns) => Promise<void>

/** Files of the modules, whose chunks a host may have. */
export class FileWork {
  readonly #base: BaseModule
  readonly #files: Files | undefined
  readonly #atOnceLen: number
  readonly #know: Know
  // Without a prototype nobody sees what is looked up.
  readonly #places = host.dictionary<Place>()

  constructor(base: BaseModule, files: Files | undefined, atOnceLen: number, know: Know) {
    this.#base = base
    this.#files = files
    this.#atOnceLen = atOnceLen
    this.#know = know
  }

  forget(handle: Handle): void {
    delete this.#places[handle]
  }

  /** Takes the next part of a plaintext, and writes what it makes ready to the file's memory. */
  async sealPart(sealer: Handle, part: Uint8Array, file: Out): Promise<undefined> {
    return settle(this.#sealPart(sealer, part, file))
  }

  /** Takes the next part of a file, likewise; says whether that was the end. */
  async openPart(opener: Handle, part: Uint8Array, plaintext: Out): Promise<boolean> {
    const base = this.#base
    const place = this.#placeOf(opener)
    if (place.taken === 0) place.headLen = base.openerHeadLen(opener)
    const length = host.arrayLength(part)
    const ofHead = Math.min(Math.max(place.headLen - place.taken, 0), length)
    place.taken += length
    const isLast = place.taken >= place.headLen && isWhole(base, opener, place.taken, host.arrayLength(plaintext))
    await settle(this.#openChunks(opener, host.partOf(part, ofHead, length - ofHead), isLast, plaintext))
    return isLast
  }

  /** Encrypts bytes. */
  async encrypted(encryptor: Handle, data: Uint8Array, turns: JobTurns): Promise<Out> {
    const base = this.#base
    await this.#know(encryptor, EMPTY, turns)
    if (host.arrayLength(data) <= this.#atOnceLen)
      return lasting(base, encryptor, (handle) => base.encryptArmoured(handle, data))
    const file = await this.#sealed(base.sealerOf(encryptor), data, turns)
    if (!base.encryptorArmours(encryptor)) return file
    const armour = base.armour()
    const update = (piece: Uint8Array): Part => ({ bytes: base.armourUpdate(armour, piece) })
    return this.#recoded(armour, file, turns, update, () => ({ bytes: base.armourFinish(armour) }))
  }

  /** Decrypts a file, binary or armoured. */
  async decrypted(decryptor: Handle, file: Uint8Array, turns: JobTurns): Promise<Out> {
    const base = this.#base
    if (host.arrayLength(file) <= this.#atOnceLen) {
      await this.#know(decryptor, file, turns)
      return lasting(base, decryptor, (handle) => base.decryptArmoured(handle, file))
    }
    const whole = await this.#binary(file, turns)
    const head = headOf(base, whole)
    await this.#know(decryptor, head, turns)
    return this.#opened(base.openerOf(decryptor, head), whole, turns)
  }

  /** Decrypts a part of a file, likewise. */
  async decryptedRange(decryptor: Handle, file: Uint8Array, start: number, end: number, turns: JobTurns): Promise<Out> {
    const base = this.#base
    if (host.arrayLength(file) <= this.#atOnceLen) {
      await this.#know(decryptor, file, turns)
      return base.decryptRange(decryptor, file, start, end)
    }
    const whole = await this.#binary(file, turns)
    const head = headOf(base, whole)
    await this.#know(decryptor, head, turns)
    const opener = base.openerOf(decryptor, head)
    try {
      const part = await this.#openedRange(opener, whole, start, end, turns)
      if (part !== undefined) return part
    } catch (error) {
      if (!isNotAuthentic(error)) throw error
    }
    // Of the chunks that are not authentic it names another one first, where the end is asked for.
    return base.decryptRange(decryptor, whole, start, end)
  }

  #placeOf(handle: Handle): Place {
    this.#places[handle] ??= { taken: 0, written: 0, headLen: 0 }
    return this.#places[handle]
  }

  #sealPart(sealer: Handle, part: Uint8Array, file: Out): Written {
    const base = this.#base
    const place = this.#placeOf(sealer)
    if (place.written === 0) put(place, base.sealerHead(sealer), file)
    place.taken += host.arrayLength(part)
    const isLast = base.sealerFileLen(sealer, place.taken) === host.arrayLength(file)
    const chunks = this.#files?.sealing(sealer, host.arrayLength(file))
    if (chunks !== undefined) return takePart(chunks, place, part, isLast, file)
    inUnits(part, (rest) => {
      const length = base.sealerFill(sealer, rest)
      const unit = base.sealerUnitNow(sealer)
      if (unit !== null) putPart(place, unit, file)
      return length
    })
    if (isLast) putPart(place, base.sealerFinishNow(sealer), file)
    return undefined
  }

  /** Takes the next chunks of a file, or parts of chunks, and writes what becomes of them to the plaintext's memory. */
  #openChunks(opener: Handle, data: Uint8Array, isLast: boolean, plaintext: Out): Written {
    const base = this.#base
    const place = this.#placeOf(opener)
    const chunks = this.#files?.opening(opener, host.arrayLength(plaintext))
    if (chunks !== undefined) return takePart(chunks, place, data, isLast, plaintext)
    inUnits(data, (rest) => {
      const length = base.openerFill(opener, rest)
      const unit = base.openerUnitNow(opener)
      if (unit !== null) putPart(place, unit, plaintext)
      return length
    })
    if (isLast) putPart(place, base.openerFinishNow(opener, true), plaintext)
    return undefined
  }

  /** Works with a sealer or an opener, and releases it: what is on its way then is not written any more. */
  async #ending<T>(handle: Handle, turns: JobTurns, work: () => Promise<T>): Promise<T> {
    // A host's promise may never be kept.
    turns.onCancel(() => this.#base.release(handle))
    try {
      return await work()
    } finally {
      turns.onCancel(undefined)
      this.#base.release(handle)
    }
  }

  /** A whole file. It ends the sealer's number. */
  #sealed(sealer: Handle, plaintext: Uint8Array, turns: JobTurns): Promise<Out> {
    const base = this.#base
    return this.#ending(sealer, turns, async () => {
      const file = memoryOf(base.sealerFileLen(sealer, host.arrayLength(plaintext)))
      const partLen = UNIT_CHUNKS * base.chunkLen()
      return filled(file, plaintext, partLen, turns, (part) => this.#sealPart(sealer, part, file))
    })
  }

  /** A whole plaintext, likewise. */
  #opened(opener: Handle, file: Uint8Array, turns: JobTurns): Promise<Out> {
    const base = this.#base
    return this.#ending(opener, turns, async () => {
      const headLen = base.openerHeadLen(opener)
      const fileLen = host.arrayLength(file)
      const plaintext = memoryOf(base.openerPlaintextLen(opener, fileLen))
      const data = host.partOf(file, headLen, fileLen - headLen)
      const partLen = UNIT_CHUNKS * (base.chunkLen() + TAG_LEN)
      const open = (part: Uint8Array, isLast: boolean): Written => this.#openChunks(opener, part, isLast, plaintext)
      return filled(plaintext, data, partLen, turns, open)
    })
  }

  /** A part of a plaintext; none where that holds none of its bytes. It ends the opener's number. */
  #openedRange(
    opener: Handle,
    file: Uint8Array,
    start: number,
    end: number,
    turns: JobTurns,
  ): Promise<Out | undefined> {
    const base = this.#base
    return this.#ending(opener, turns, async () => {
      const fileLen = host.arrayLength(file)
      const chunkLen = base.chunkLen()
      const headLen = base.openerHeadLen(opener)
      const length = base.openerPlaintextLen(opener, fileLen)
      const range = rangeOf({ headLen, chunkLen, fileLen, length }, start, end)
      if (range === undefined) return undefined
      const { first, from, to, isEnd } = range
      const plaintext = memoryOf(range.length)
      const place = { taken: 0, written: 0, headLen }
      const chunks = this.#files?.openingFrom(opener, first, range.length)
      const open = (part: Uint8Array, isLast: boolean): Written => {
        if (chunks !== undefined) return takePart(chunks, place, part, isLast && isEnd, plaintext)
        put(place, base.openerAt(opener, first + place.written / chunkLen, part), plaintext)
        return undefined
      }
      try {
        await filled(plaintext, host.partOf(file, from, to - from), UNIT_CHUNKS * (chunkLen + TAG_LEN), turns, open)
      } finally {
        chunks?.clear()
      }
      return cut(plaintext, range.at, range.partLen, turns)
    })
  }

  async #binary(file: Uint8Array, turns: JobTurns): Promise<Uint8Array> {
    const base = this.#base
    if (!isArmoured(base, file)) return file
    const dearmour = base.dearmour(false)
    const update = (text: Uint8Array): Part => base.dearmourUpdate(dearmour, text)
    return this.#recoded(dearmour, file, turns, update, () => base.dearmourFinish(dearmour))
  }

  /** A text of which the module makes a file, or the other way round. */
  async #recoded(
    coder: Handle,
    data: Uint8Array,
    turns: JobTurns,
    update: (piece: Uint8Array) => Part,
    end: () => Part,
  ): Promise<Out> {
    const pieces = new Pieces()
    const length = host.arrayLength(data)
    try {
      for (let at = 0; at < length; at += PART_LEN) {
        pieces.add(update(host.partOf(data, at, Math.min(PART_LEN, length - at))))
        await turns.pass()
      }
      pieces.add(end())
      return await pieces.wholeLater(turns)
    } finally {
      this.#base.release(coder)
    }
  }
}

/**
 * Fills memory of its length with what becomes of all of the data, turn after turn. A part may be on its way while the next one is
 * taken.
 */
async function filled(
  result: Out,
  data: Uint8Array,
  partLen: number,
  turns: JobTurns,
  take: (part: Uint8Array, isLast: boolean) => Written,
): Promise<Out> {
  const length = host.arrayLength(data)
  let before: Written
  try {
    for (let at = 0; at === 0 || at < length; at += partLen) {
      const partEnd = Math.min(at + partLen, length)
      let next: Written
      try {
        next = take(host.partOf(data, at, partEnd - at), partEnd === length)
      } finally {
        // The first failure is the one that is named.
        await settle(before)
      }
      before = next
      await turns.pass(partEnd)
    }
    await settle(before)
    return result
  } catch (error) {
    host.fill(result, 0)
    throw error
  }
}

/** A part of a plaintext in memory of its own; all of the plaintext is zeroed. */
async function cut(plaintext: Out, from: number, partLen: number, turns: JobTurns): Promise<Out> {
  const part = memoryOf(partLen)
  for (let at = 0; at < partLen; at += PART_LEN) {
    const length = Math.min(PART_LEN, partLen - at)
    host.copyInto(part, host.partOf(plaintext, from + at, length), at)
    host.fill(host.partOf(plaintext, from + at, length), 0)
    await turns.pass()
  }
  host.fill(plaintext, 0, 0, from)
  host.fill(plaintext, 0, from + partLen)
  return part
}

function put(place: Place, bytes: Out, result: Out): void {
  host.copyInto(result, bytes, place.written)
  place.written += host.arrayLength(bytes)
  host.fill(bytes, 0)
}

function putPart(place: Place, { bytes, failure }: Part, result: Out): void {
  put(place, bytes, result)
  if (failure !== undefined) throw errorOf(failure)
}

/** Has the host seal or open what comes next of a file. */
function takePart(chunks: Chunks, place: Place, data: Uint8Array, isLast: boolean, result: Out): Written {
  const { end, written } = chunks.take(data, isLast, result, place.written)
  place.written = end
  return written
}

/** Whether a file of so many bytes has a plaintext of that length: no file that is shorter has. */
function isWhole(base: BaseModule, opener: Handle, fileLen: number, length: number): boolean {
  try {
    return base.openerPlaintextLen(opener, fileLen) === length
  } catch (error) {
    if (error instanceof SealstoneError && error.code === 'truncated') return false
    throw error
  }
}

function isNotAuthentic(error: unknown): boolean {
  return error instanceof SealstoneError && error.code === 'not_authentic'
}

/** Hands over bytes, as many as are taken at once. */
function inUnits(bytes: Uint8Array, take: (rest: Uint8Array) => number): void {
  const length = host.arrayLength(bytes)
  let from = 0
  while (from < length) {
    // Bytes that the module does not take would be copied in vain.
    from += take(host.partOf(bytes, from, Math.min(length - from, PART_LEN)))
  }
}

/** About as much as a unit takes, and the most of WebAssembly's work that is done without a look at the clock. */
export const PART_LEN = 1 << 18

/** Calls what ends a number, with another one of the object. */
function lasting<T>(base: BaseModule, handle: Handle, work: (handle: Handle) => T): T {
  const other = base.again(handle)
  try {
    return work(other)
  } finally {
    base.release(other)
  }
}
