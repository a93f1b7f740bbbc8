// What is promised: all is done on the caller's thread, in turns of the event loop, but for the chunks and buffers that a host
// promises.

import { SealstoneError } from '../../basics/error.js'
import { turn } from '../../basics/turn.js'
import type { BatchResult, BulkCalls, Failure, Handle, Later, Out, Part } from '../calls.js'
import type { Calls } from '../index.js'
import { Book, type Books, type JobTurns } from './books.js'
import { type Chunks, rangeOf, UNIT_CHUNKS } from './chunks.js'
import { type Derive, SHA } from './derivations.js'
import { EMPTY, NONCE_LEN, TAG_LEN } from './host-crypto.js'
import type { HostMessages } from './host-messages.js'
import { type Base, type Compat, headOf, isArmoured } from './index.js'
import { memoryOf } from './instance.js'
import * as host from './intrinsics.js'
import { errorOf, Pieces } from './pieces.js'
import type { PromisedBuffers } from './promised.js'
import { known } from './stretching.js'

/** A base module, and what a host has and promises in place of it, where there is one. */
export interface Hosting {
  readonly base: Base
  readonly files?: Files
  readonly promised?: PromisedBuffers
  readonly messages?: Pick<HostMessages, 'seal' | 'open'>
  readonly digest?: Calls['digestLater']
  readonly derive?: Derive
  /** Up to so many bytes files and buffers are sealed or opened at once, whoever does it. */
  readonly atOnceLen: number
  /** Up to so many likewise, where nothing is promised. */
  readonly shortLen: number
}

/** The files that a host has, by those who seal and open them. Of bytes in memory their length is said. */
export interface Files {
  sealing(sealer: Handle, length?: number): Chunks | undefined
  opening(opener: Handle, length?: number): Chunks | undefined
  /** From a chunk on. */
  openingFrom(opener: Handle, first: number, length: number): Chunks | undefined
}

/** Where a file that comes in parts has come to: bytes that came, and that were written. */
interface Place {
  taken: number
  written: number
  headLen: number
}

/** The promise that a part is written, where it is not yet: with what failed, if it did. */
type Written = Promise<SealstoneError | undefined> | undefined

/** How work is promised of what other modules have. */
export interface Jobs {
  /** Works on what was loaded, as a job or nobody's. */
  withLoaded<T>(
    loading: Handle,
    job: Handle | undefined,
    work: (loaded: Out, turns: JobTurns, book: Book) => T | Promise<T>,
  ): Later<T>
  /** Work that begins in its order, as a job or nobody's. */
  asJob<T>(job: Handle | undefined, work: (turns: JobTurns) => Promise<T>): Later<T>
  /** Work on copies of one or two, that begins in its order. They are zeroed then. */
  onCopies<T, B extends Uint8Array | undefined>(
    first: Uint8Array,
    second: B,
    work: (first: Uint8Array, second: B) => T | Promise<T>,
  ): Later<T>
}

export interface Bulk {
  readonly calls: BulkCalls
  /** Forgets what it has of an object. */
  release(handle: Handle): void
}

/** The calls over a base module and one of what other software uses. */
export function bulkOf(
  { base, files, promised, messages, derive, atOnceLen }: Hosting,
  compat: Compat,
  books: Books,
): Bulk {
  // Without a prototype nobody sees what is looked up.
  const places = host.dictionary<Place>()

  const placeOf = (handle: Handle): Place => {
    places[handle] ??= { taken: 0, written: 0, headLen: 0 }
    return places[handle]
  }
  const put = (place: Place, bytes: Out, result: Out): void => {
    host.copyInto(result, bytes, place.written)
    place.written += host.arrayLength(bytes)
    host.fill(bytes, 0)
  }
  const putPart = (place: Place, { bytes, failure }: Part, result: Out): void => {
    put(place, bytes, result)
    if (failure !== undefined) throw errorOf(failure)
  }
  /** Has the host seal or open what comes next of a file. */
  const taken = (chunks: Chunks, place: Place, data: Uint8Array, isLast: boolean, result: Out): Written => {
    const { end, written } = chunks.take(data, isLast, result, place.written)
    place.written = end
    return written
  }

  /** Takes the next part of a plaintext, and writes what it makes ready to the file's memory. */
  const sealPart = (sealer: Handle, part: Uint8Array, file: Out): Written => {
    const place = placeOf(sealer)
    if (place.written === 0) put(place, base.sealerHead(sealer), file)
    place.taken += host.arrayLength(part)
    const isLast = base.sealerFileLen(sealer, place.taken) === host.arrayLength(file)
    const chunks = files?.sealing(sealer, host.arrayLength(file))
    if (chunks !== undefined) return taken(chunks, place, part, isLast, file)
    inUnits(part, (rest) => {
      const length = base.sealerFill(sealer, rest)
      const unit = base.sealerUnit(sealer)
      if (unit !== null) putPart(place, unit, file)
      return length
    })
    if (isLast) putPart(place, base.sealerFinish(sealer), file)
    return undefined
  }

  /** Takes the next chunks of a file, or parts of chunks, and writes what becomes of them to the plaintext's memory. */
  const openChunks = (opener: Handle, data: Uint8Array, isLast: boolean, plaintext: Out): Written => {
    const place = placeOf(opener)
    const chunks = files?.opening(opener, host.arrayLength(plaintext))
    if (chunks !== undefined) return taken(chunks, place, data, isLast, plaintext)
    inUnits(data, (rest) => {
      const length = base.openerFill(opener, rest)
      const unit = base.openerUnit(opener)
      if (unit !== null) putPart(place, unit, plaintext)
      return length
    })
    if (isLast) putPart(place, base.openerFinish(opener, true), plaintext)
    return undefined
  }
  /** As {@link openChunks}, of a file from its beginning. */
  const openPart = (opener: Handle, part: Uint8Array, plaintext: Out): { isLast: boolean; written: Written } => {
    const place = placeOf(opener)
    if (place.taken === 0) place.headLen = base.openerHeadLen(opener)
    const length = host.arrayLength(part)
    const ofHead = Math.min(Math.max(place.headLen - place.taken, 0), length)
    place.taken += length
    const isLast = place.taken >= place.headLen && isWhole(base, opener, place.taken, host.arrayLength(plaintext))
    return { isLast, written: openChunks(opener, host.partOf(part, ofHead, length - ofHead), isLast, plaintext) }
  }

  /**
   * Fills memory of its length with what becomes of all of the data, turn after turn. A part may be on its way while the next one
   * is taken.
   */
  const filled = async (
    result: Out,
    data: Uint8Array,
    partLen: number,
    turns: JobTurns,
    take: (part: Uint8Array, isLast: boolean) => Written,
  ): Promise<Out> => {
    const length = host.arrayLength(data)
    let before: Written
    try {
      for (let at = 0; at === 0 || at < length; at += partLen) {
        const partEnd = Math.min(at + partLen, length)
        let next: Written
        try {
          next = take(host.partOf(data, at, partEnd - at), partEnd === length)
        } finally {
          // What comes first is what is named.
          await kept(before)
        }
        before = next
        await turns.pass(partEnd)
      }
      await kept(before)
      return result
    } catch (error) {
      host.fill(result, 0)
      throw error
    }
  }
  /** Works with a sealer or an opener, and releases it: what is on its way then is not written any more. */
  const lastly = async <T>(handle: Handle, work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } finally {
      delete places[handle]
      base.release(handle)
    }
  }

  /** A whole file. It ends the sealer's number. */
  const sealed = (sealer: Handle, plaintext: Uint8Array, turns: JobTurns): Promise<Out> =>
    lastly(sealer, async () => {
      const file = memoryOf(base.sealerFileLen(sealer, host.arrayLength(plaintext)))
      const partLen = UNIT_CHUNKS * base.chunkLen()
      return filled(file, plaintext, partLen, turns, (part) => sealPart(sealer, part, file))
    })
  /** A whole plaintext, likewise. */
  const opened = (opener: Handle, file: Uint8Array, turns: JobTurns): Promise<Out> =>
    lastly(opener, async () => {
      const [headLen, fileLen] = [base.openerHeadLen(opener), host.arrayLength(file)]
      const plaintext = memoryOf(base.openerPlaintextLen(opener, fileLen))
      const data = host.partOf(file, headLen, fileLen - headLen)
      const partLen = UNIT_CHUNKS * (base.chunkLen() + TAG_LEN)
      const open = (part: Uint8Array, isLast: boolean): Written => openChunks(opener, part, isLast, plaintext)
      return filled(plaintext, data, partLen, turns, open)
    })
  /** A part of a plaintext; none where that holds none of its bytes. It ends the opener's number. */
  const openedRange = (
    opener: Handle,
    file: Uint8Array,
    start: number,
    end: number,
    turns: JobTurns,
  ): Promise<Out | undefined> =>
    lastly(opener, async () => {
      const [fileLen, chunkLen, headLen] = [host.arrayLength(file), base.chunkLen(), base.openerHeadLen(opener)]
      const length = base.openerPlaintextLen(opener, fileLen)
      const range = rangeOf({ headLen, chunkLen, fileLen, length }, start, end)
      if (range === undefined) return undefined
      const { first, from, to, isEnd } = range
      const plaintext = memoryOf(range.length)
      const place = { taken: 0, written: 0, headLen }
      const chunks = files?.openingFrom(opener, first, range.length)
      const open = (part: Uint8Array, isLast: boolean): Written => {
        if (chunks !== undefined) return taken(chunks, place, part, isLast && isEnd, plaintext)
        put(place, base.openerAt(opener, first + place.written / chunkLen, part), plaintext)
        return undefined
      }
      try {
        await filled(plaintext, host.partOf(file, from, to - from), UNIT_CHUNKS * (chunkLen + TAG_LEN), turns, open)
      } finally {
        chunks?.clear()
      }
      const part = memoryOf(range.partLen)
      for (let at = 0; at < range.partLen; at += PART_LEN) {
        const length = Math.min(PART_LEN, range.partLen - at)
        host.copyInto(part, host.partOf(plaintext, range.at + at, length), at)
        host.fill(host.partOf(plaintext, range.at + at, length), 0)
        await turns.pass()
      }
      host.fill(plaintext, 0, 0, range.at)
      host.fill(plaintext, 0, range.at + range.partLen)
      return part
    })

  /** A text of which the module makes a file, or the other way round. */
  const recoded = async (
    coder: Handle,
    data: Uint8Array,
    turns: JobTurns,
    update: (piece: Uint8Array) => Part,
    end: () => Part,
  ): Promise<Out> => {
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
      base.release(coder)
    }
  }
  const binary = async (file: Uint8Array, turns: JobTurns): Promise<Uint8Array> => {
    if (!isArmoured(base, file)) return file
    const dearmour = base.dearmour(false)
    const update = (text: Uint8Array): Part => base.dearmourUpdate(dearmour, text)
    return recoded(dearmour, file, turns, update, () => base.dearmourFinish(dearmour))
  }

  /** Encrypts bytes. */
  const encrypted = async (encryptor: Handle, data: Uint8Array, turns: JobTurns): Promise<Out> => {
    await known(base, encryptor, EMPTY, turns)
    if (host.arrayLength(data) <= atOnceLen)
      return lasting(base, encryptor, (handle) => base.encryptArmoured(handle, data))
    const file = await sealed(base.sealerOf(encryptor), data, turns)
    if (!base.encryptorArmours(encryptor)) return file
    const armour = base.armour()
    const update = (piece: Uint8Array): Part => ({ bytes: base.armourUpdate(armour, piece) })
    return recoded(armour, file, turns, update, () => ({ bytes: base.armourFinish(armour) }))
  }
  /** Decrypts a file, binary or armoured. */
  const decrypted = async (decryptor: Handle, file: Uint8Array, turns: JobTurns): Promise<Out> => {
    if (host.arrayLength(file) <= atOnceLen) {
      await known(base, decryptor, file, turns)
      return lasting(base, decryptor, (handle) => base.decryptArmoured(handle, file))
    }
    const whole = await binary(file, turns)
    const head = headOf(base, whole)
    await known(base, decryptor, head, turns)
    return opened(base.openerOf(decryptor, head), whole, turns)
  }
  /** Decrypts a part of a file, likewise. */
  const decryptedRange = async (
    decryptor: Handle,
    file: Uint8Array,
    start: number,
    end: number,
    turns: JobTurns,
  ): Promise<Out> => {
    if (host.arrayLength(file) <= atOnceLen) {
      await known(base, decryptor, file, turns)
      return base.decryptRange(decryptor, file, start, end)
    }
    const whole = await binary(file, turns)
    const head = headOf(base, whole)
    await known(base, decryptor, head, turns)
    const opener = base.openerOf(decryptor, head)
    try {
      const part = await openedRange(opener, whole, start, end, turns)
      if (part !== undefined) return part
    } catch (error) {
      if (!isNotAuthentic(error)) throw error
    }
    // Of the chunks that are not authentic it names another one first, where the end is asked for.
    return base.decryptRange(decryptor, whole, start, end)
  }

  const withLoaded: Jobs['withLoaded'] = (loading, job, work) =>
    later(() => {
      const book = books.of(job ?? loading)
      return book.unlessCancelled(
        books.of(loading).withLoaded(async (loaded) => {
          await begins()
          const result = await work(loaded, book.turns(), book)
          book.end(host.arrayLength(loaded))
          return result
        }),
      )
    })

  /** Work on copies of secrets, in a turn of its own. It is not begun when its job is cancelled before. */
  const inTurn = <T>(job: Handle, own: readonly Uint8Array[], work: (turns: JobTurns) => Promise<T>): Later<T> => {
    const book = books.of(job)
    const begun = async (): Promise<T> => {
      try {
        await begins()
        book.check()
        return await work(book.turns())
      } finally {
        for (let i = 0; i < own.length; i++) host.fill(own[i] as Uint8Array, 0)
      }
    }
    return later(() => book.unlessCancelled(begun()))
  }

  /** A key of PBKDF2, where the host derives it; of a password that has bytes, since not every host takes one that has none. */
  const derivedByHost = async (
    name: string,
    iterations: number,
    password: Uint8Array,
    salt: Uint8Array,
    isBounded: boolean,
    length: number,
  ): Promise<Out | undefined> => {
    const hash = SHA[name]
    if (derive === undefined || hash === undefined || length === 0 || host.arrayLength(password) === 0) return undefined
    base.deriveCheck(name, iterations, 0, 0, isBounded, length)
    const key = await derive(password, { hash, salt, iterations, length })
    if (key instanceof SealstoneError) throw key
    return key
  }

  const asJob: Jobs['asJob'] = (job, work) => {
    const book = job === undefined ? new Book() : books.of(job)
    return inOrder(() => book.unlessCancelled(work(book.turns())))
  }

  /** Works on each item, in turns. */
  const batch = (
    data: Uint8Array,
    lengths: Uint32Array,
    job: Handle,
    work: (item: Uint8Array, turns: JobTurns) => Promise<Out>,
  ): Promise<BatchResult> => {
    // The caller zeroes its own while this goes on.
    const items = new host.Bytes(data)
    const book = books.of(job)
    const all = async (): Promise<BatchResult> => {
      const [results, resultLengths, failures]: [Pieces, number[], (Failure & { index: number })[]] = [
        new Pieces(),
        [],
        [],
      ]
      const turns = book.turnsOfItem()
      try {
        for (let index = 0; index < host.arrayLength(lengths); index++) {
          const item = host.partOf(items, book.done, lengths[index] as number)
          let bytes = EMPTY
          try {
            bytes = await work(item, turns)
            results.add({ bytes })
          } catch (error) {
            const failure = failureOf(error)
            if (failure.code === 'cancelled') throw error
            failures[failures.length] = { index, ...failure }
          }
          resultLengths[index] = host.arrayLength(bytes)
          book.done += host.arrayLength(item)
          await turns.pass()
        }
        return { bytes: await results.wholeLater(turns), lengths: resultLengths, failures }
      } finally {
        host.fill(items, 0)
        results.clear()
      }
    }
    return book.unlessCancelled(all())
  }

  const calls: BulkCalls = {
    ...base.promises({ withLoaded, asJob, onCopies }),
    identitiesParseLater: (file, passphrase) =>
      onCopies(file, passphrase, (own, secret) => {
        if (secret === undefined) return base.identitiesParse(own, secret)
        return base.identitiesParseLater(derive, own, secret, new Book().turns())
      }),
    sealerLater: (encryptor, job) =>
      asJob(job, async (turns) => {
        await known(base, encryptor, EMPTY, turns)
        return base.sealerOf(encryptor)
      }),
    sealerUnit: (sealer) => promise((files?.sealing(sealer) ?? { unit: () => base.sealerUnit(sealer) }).unit()),
    sealerFinish: (sealer) => later(() => files?.sealing(sealer)?.finish(true) ?? base.sealerFinish(sealer)),
    sealPart: (sealer, part, file) => later(() => kept(sealPart(sealer, part, file))),
    openerLater: (decryptor, head, job) => {
      const own = new host.Bytes(head)
      return asJob(job, async (turns) => {
        await known(base, decryptor, own, turns)
        return base.openerOf(decryptor, own)
      })
    },
    openerUnit: (opener) => promise((files?.opening(opener) ?? { unit: () => base.openerUnit(opener) }).unit()),
    openerFinish: (opener, isEnd) =>
      later(() => files?.opening(opener)?.finish(isEnd) ?? base.openerFinish(opener, isEnd)),
    openPart: (opener, part, plaintext) =>
      later(async () => {
        const { isLast, written } = openPart(opener, part, plaintext)
        await kept(written)
        return isLast
      }),
    decryptLoaded: (decryptor, loading, job) =>
      withLoaded(loading, job, (file, turns) => decrypted(decryptor, file, turns)),
    encryptArmouredLoaded: (encryptor, loading, job) =>
      withLoaded(loading, job, (data, turns) => encrypted(encryptor, data, turns)),
    decryptRangeLoaded: (decryptor, loading, start, end, job) =>
      withLoaded(loading, job, (file, turns) => decryptedRange(decryptor, file, start, end, turns)),
    rewrapLoaded: (rewrapper, loading, job) =>
      withLoaded(loading, job, async (file, turns) => {
        await known(base, rewrapper, isArmoured(base, file) ? file : headOf(base, file), turns)
        return base.rewrap(rewrapper, file)
      }),
    aeadSealLoaded: (key, nonce, aad, loading, job) =>
      withLoaded(loading, job, async (loaded, _turns, book) => {
        const promise = promised?.seal(key, nonce, aad, loaded)
        if (promise !== undefined) {
          book.count(host.arrayLength(loaded) - (nonce === undefined ? NONCE_LEN : 0))
          return promise
        }
        const sealed = new host.Bytes(host.arrayLength(loaded) + TAG_LEN)
        book.count(base.aeadSealPlaced(key, nonce, aad, loaded, sealed))
        return sealed
      }),
    aeadOpenLoaded: (key, nonce, aad, loading, job) =>
      withLoaded(loading, job, async (sealed, _turns, book) => {
        const open = (plaintext: Out): number => base.aeadOpen(key, nonce, aad, sealed, plaintext)
        const plaintext = (await promised?.open(key, nonce, aad, sealed)) ?? openedInto(host.arrayLength(sealed), open)
        book.count(host.arrayLength(plaintext) + TAG_LEN)
        return plaintext
      }),
    messageSealPlaced: (recipient, aad, message) =>
      later(() => {
        const promise = messages?.seal(recipient, aad, message)
        if (promise !== undefined) return promise
        const growth = base.messageLen(recipient, 0)
        const plaintext = host.partOf(message, growth - TAG_LEN, host.arrayLength(message) - growth)
        base.messageSealInto(recipient, plaintext, aad, message)
        return undefined
      }),
    messageOpenPlaced: (identity, head, aad, text, tag) =>
      later(() => {
        const promise = messages?.open(identity, head, aad, text, tag)
        if (promise !== undefined) return promise
        const [headLen, textLen] = [host.arrayLength(head), host.arrayLength(text)]
        const message = memoryOf(headLen + textLen + TAG_LEN)
        host.copyInto(message, head)
        host.copyInto(message, text, headLen)
        host.copyInto(message, tag, headLen + textLen)
        base.messageOpenInto(identity, message, aad, text)
        return undefined
      }),
    messageSealArmouredLoaded: (recipient, loading, aad, job) =>
      withLoaded(loading, job, (plaintext) => base.messageSealArmoured(recipient, plaintext, aad)),
    messageOpenArmouredLoaded: (identity, loading, aad, job) =>
      withLoaded(loading, job, (message) => base.messageOpenArmoured(identity, message, aad)),
    encryptBatch: (encryptor, data, lengths, job) =>
      later(() => {
        base.encryptorCheck(encryptor)
        return batch(data, lengths, job, (item, turns) => encrypted(encryptor, item, turns))
      }),
    decryptBatch: (decryptor, data, lengths, job) =>
      later(() => batch(data, lengths, job, (item, turns) => decrypted(decryptor, item, turns))),
    deriveLater: (name, a, b, c, password, salt, secret, data, isBounded, length, job) => {
      const own = [copyOf(password), copyOf(salt), copyOf(secret), copyOf(data)] as const
      const args = [name, a, b, c, own[0], own[1], own[2], own[3], isBounded, length]
      return inTurn(job, own, async (turns) => {
        const key = await derivedByHost(name, a, own[0], own[1], isBounded, length)
        return key ?? base.inSteps('deriving', args, turns)
      })
    },
    passwordHashLater: (password, name, a, b, c, job) => {
      const own = copyOf(password)
      return inTurn(job, [own], async (turns) =>
        host.decode(await base.inSteps('derivingHash', [own, name, a, b, c], turns)),
      )
    },
    passwordVerifyLater: (password, stored, isBounded, job) => {
      const own = copyOf(password)
      return inTurn(job, [own], async (turns) => {
        await base.inSteps('derivingCheck', [own, stored, isBounded], turns)
        return undefined
      })
    },
    yuantsSealLoaded: (format, key, loading) =>
      withLoaded(loading, undefined, (loaded) => {
        const [length, headLen] = [host.arrayLength(loaded), compat.yuantsHeadLen(format)]
        const sealed = new host.Bytes(length + compat.yuantsTailLen(format))
        compat.yuantsSeal(format, key, host.partOf(loaded, headLen, length - headLen), sealed)
        return sealed
      }),
    yuantsOpenLoaded: (format, key, loading) =>
      withLoaded(loading, undefined, (sealed) =>
        openedInto(host.arrayLength(sealed) - compat.yuantsHeadLenOf(format, sealed), (plaintext) =>
          compat.yuantsOpen(format, key, sealed, plaintext),
        ),
      ),
    yuantsHmacLoaded: (hash, key, loading) =>
      withLoaded(loading, undefined, (data) => compat.yuantsHmac(hash, key, data)),
  }
  return {
    calls,
    release(handle) {
      delete places[handle]
    },
  }
}

/** Whether a file of so many bytes has a plaintext of that length: no file that is shorter has. */
function isWhole(base: Base, opener: Handle, fileLen: number, length: number): boolean {
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
    // What is copied to the module and not taken would be copied in vain.
    from += take(host.partOf(bytes, from, Math.min(length - from, PART_LEN)))
  }
}

/** About as much as a unit takes, and the most of WebAssembly's work that is done without a look at the clock. */
export const PART_LEN = 1 << 18

/** Calls what ends a number, with another one of the object. */
function lasting<T>(base: Base, handle: Handle, work: (handle: Handle) => T): T {
  const other = base.again(handle)
  try {
    return work(other)
  } finally {
    base.release(other)
  }
}

/** What is opened into memory of that length, which may be more than the plaintext has. */
function openedInto(length: number, open: (plaintext: Out) => number): Out {
  const plaintext = new host.Bytes(length)
  const kept = open(plaintext)
  if (kept === length) return plaintext
  const result = new host.Bytes(host.partOf(plaintext, 0, kept))
  host.fill(plaintext, 0)
  return result
}

/** Waits for a part, and throws what failed. */
async function kept(written: Written): Promise<undefined> {
  const error = await written
  if (error !== undefined) throw error
}

/** Work that is begun at once. An error of ours is a failure. */
async function later<T>(work: () => T | Promise<T>): Later<T> {
  try {
    return await work()
  } catch (error) {
    return failureOf(error)
  }
}

/** Bytes of the caller's, which it may zero while work waits. */
function copyOf(bytes: Uint8Array): Uint8Array {
  return new host.Bytes(bytes)
}

/** When the last work begins that may take long. */
let begun: Promise<void> = Promise.resolve()

/** When work may begin that may take long, as a password's hash does: the event loop has a turn between two of them. */
function begins(): Promise<void> {
  // A turn that fails is the error of those who waited for it, and of no others.
  begun = begun.then(turn, turn)
  return begun
}

/** As {@link Jobs} has it. */
function onCopies<T, B extends Uint8Array | undefined>(
  first: Uint8Array,
  second: B,
  work: (first: Uint8Array, second: B) => T | Promise<T>,
): Later<T> {
  const copy = copyOf(first)
  const other = second && copyOf(second)
  return inOrder(async () => {
    try {
      return await work(copy, other as B)
    } finally {
      host.fill(copy, 0)
      if (other !== undefined) host.fill(other, 0)
    }
  })
}

/** Work that may take long. */
function inOrder<T>(work: () => T | Promise<T>): Later<T> {
  const start = begins()
  return later(async () => {
    await start
    return work()
  })
}

function promise(unit: Part | Promise<Part> | null): Later<Part> | null {
  return unit === null ? null : Promise.resolve(unit)
}

/** An error of ours as a failure; of the engine's it is thrown. */
function failureOf(error: unknown): Failure {
  if (!(error instanceof SealstoneError)) throw error
  return { code: error.code, message: error.message }
}
