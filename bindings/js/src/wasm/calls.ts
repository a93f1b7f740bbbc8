// All that this package calls but for files by name, over the modules. What the addon does on threads of its own is done at once
// here, on the caller's: its promise is fulfilled when there is one.

import { SealstoneError } from '../error.js'
import type { BatchResult, BulkCalls, Later } from '../platform/bulk.js'
import type { Calls } from '../platform/index.js'
import type { Failure, Handle, Out, SyncCalls } from '../platform/sync.js'
import { turn } from '../turn.js'
import type { HostCrypto } from './host-crypto.js'
import { hosted } from './hosted.js'
import type { Base, Toolbox } from './index.js'
import { memoryOf } from './instance.js'
import * as host from './intrinsics.js'

/** What has a number and is no object of a module: bytes that come in parts, or a job. The numbers are negative. */
interface Book {
  memory?: Out
  /** Bytes that have come. */
  loaded: number
  /** Bytes that are done. */
  done: number
  isCancelled: boolean
}

/** Where a file that comes in parts has come to: bytes that came, and that were written. */
interface Place {
  taken: number
  written: number
  headLen: number
}

/** The calls over a base module and a toolbox, and what a host computes in place of the former. */
export function callsOf(own: Base, toolbox: Toolbox, crypto?: HostCrypto): Pick<Calls, 'sync' | 'bulk'> {
  const byHost = crypto === undefined ? undefined : hosted(own, crypto)
  const base: Base = byHost ?? own
  // Without a prototype nobody sees what is looked up.
  const books = host.dictionary<Book>()
  const places = host.dictionary<Place>()
  let last = 0

  const open = (): Handle => {
    books[--last] = { loaded: 0, done: 0, isCancelled: false }
    return last
  }
  const book = (handle: Handle): Book => {
    const book = books[handle]
    if (book === undefined) throw new SealstoneError('internal', 'a bug in Sealstone: a number of no job and no bytes')
    return book
  }
  const release = (handle: Handle): void => {
    const memory = books[handle]?.memory
    if (memory !== undefined) host.fill(memory, 0)
    delete books[handle]
    delete places[handle]
    base.release(handle)
    toolbox.release(handle)
  }
  const again = (handle: Handle): Handle => (toolbox.holds(handle) ? toolbox : base).again(handle)

  const sync: SyncCalls = {
    ...toolbox,
    ...base,
    release,
    own(handle, owner) {
      base.own(handle, owner)
      toolbox.own(handle, owner)
    },
    again,
    // All results are whole.
    resultTake: () => 0,
    memory: (len) => new host.Bytes(len),
    job: open,
    // But for a batch, work has ended when its caller can say so.
    jobCancel(job) {
      book(job).isCancelled = true
    },
    jobProgress: (job) => [book(job).done],
    loading: open,
    loadingUpdate(loading, part, len) {
      const into = book(loading)
      into.memory ??= memoryOf(len)
      host.copyInto(into.memory, part, into.loaded)
      into.loaded += host.arrayLength(part)
    },
  }

  /** Works on what was loaded, which is zeroed then. */
  const withLoaded = <T>(loading: Handle, job: Handle | undefined, work: (loaded: Out) => T): Later<T> =>
    later(() => {
      const from = book(loading)
      const memory = from.memory ?? new host.Bytes(0)
      delete from.memory
      try {
        const result = work(new host.Bytes(host.arrayBuffer(memory) as ArrayBuffer, 0, from.loaded))
        // Unless the work knows better.
        if (job !== undefined) book(job).done ||= from.loaded
        return result
      } finally {
        host.fill(memory, 0)
        from.loaded = 0
      }
    })

  /** Calls what ends a number, with another one of the object. */
  const lasting = <T>(handle: Handle, work: (handle: Handle) => T): T => {
    const other = base.again(handle)
    try {
      return work(other)
    } finally {
      base.release(other)
    }
  }

  /** What is opened into memory of that length, which may be more than the plaintext has. */
  const opened = (length: number, open: (plaintext: Out) => number): Out => {
    const plaintext = new host.Bytes(length)
    const kept = open(plaintext)
    if (kept === length) return plaintext
    const result = new host.Bytes(kept)
    host.copyInto(result, new host.Bytes(host.arrayBuffer(plaintext), 0, kept))
    host.fill(plaintext, 0)
    return result
  }

  const placeOf = (handle: Handle): Place => {
    places[handle] ??= { taken: 0, written: 0, headLen: 0 }
    return places[handle]
  }
  const put = (place: Place, bytes: Out, result: Out): void => {
    host.copyInto(result, bytes, place.written)
    place.written += host.arrayLength(bytes)
    host.fill(bytes, 0)
  }
  const putPart = (place: Place, { bytes, failure }: { bytes: Out; failure?: Failure }, result: Out): void => {
    put(place, bytes, result)
    if (failure !== undefined) throw new SealstoneError(failure.code, failure.message)
  }

  /** Works on each item, with turns of the event loop between them, in which the job may be cancelled. */
  const batch = async (
    object: Handle,
    data: Uint8Array,
    lengths: Uint32Array,
    job: Handle,
    work: (object: Handle, item: Uint8Array) => Out,
  ): Promise<BatchResult> => {
    const [results, resultLengths, failures]: [Out[], number[], (Failure & { index: number })[]] = [[], [], []]
    // The caller zeroes its own while this goes on.
    const items = new host.Bytes(data)
    let [at, total, turnAt] = [0, 0, performance.now() + TURN_MS]
    try {
      for (let index = 0; index < host.arrayLength(lengths); index++) {
        const length = lengths[index] as number
        const item = new host.Bytes(host.arrayBuffer(items), at, length)
        at += length
        let result = new host.Bytes(0)
        try {
          result = lasting(object, (handle) => work(handle, item))
          results[results.length] = result
        } catch (error) {
          failures[failures.length] = { index, ...failureOf(error) }
        }
        resultLengths[index] = host.arrayLength(result)
        total += host.arrayLength(result)
        book(job).done = at
        if (performance.now() < turnAt) continue
        await turn()
        if (book(job).isCancelled) throw new SealstoneError('cancelled', 'cancelled')
        turnAt = performance.now() + TURN_MS
      }
      const bytes = memoryOf(total)
      const whole = { taken: 0, written: 0, headLen: 0 }
      for (let i = 0; i < results.length; i++) put(whole, results[i] as Out, bytes)
      return { bytes, lengths: resultLengths, failures }
    } finally {
      host.fill(items, 0)
      for (let i = 0; i < results.length; i++) host.fill(results[i] as Out, 0)
    }
  }

  const bulk: BulkCalls = {
    identitiesParseLater: (file, passphrase) => later(() => base.identitiesParse(file, passphrase)),
    sealerLater: (encryptor) => later(() => base.sealerLater(encryptor)),
    sealerUnit: (sealer) => laterUnless(base.sealerUnit(sealer)),
    sealPart: (sealer, part, file) =>
      later(() => {
        const place = placeOf(sealer)
        if (place.written === 0) put(place, base.sealerHead(sealer), file)
        place.taken += host.arrayLength(part)
        const isLast = base.sealerFileLen(sealer, place.taken) === host.arrayLength(file)
        const chunks = byHost?.sealing(sealer)
        if (chunks !== undefined) {
          place.written = chunks.take(part, isLast, file, place.written)
          return undefined
        }
        inUnits(part, (rest) => {
          const taken = base.sealerFill(sealer, rest)
          const unit = base.sealerUnit(sealer)
          if (unit !== null) putPart(place, unit, file)
          return taken
        })
        if (isLast) put(place, base.sealerFinish(sealer), file)
        return undefined
      }),
    openerLater: (decryptor, head) => later(() => base.openerLater(decryptor, head)),
    openerUnit: (opener) => laterUnless(base.openerUnit(opener)),
    openPart: (opener, part, plaintext) =>
      later(() => {
        const place = placeOf(opener)
        if (place.taken === 0) place.headLen = base.openerHeadLen(opener)
        const length = host.arrayLength(part)
        const ofHead = Math.min(Math.max(place.headLen - place.taken, 0), length)
        const data = host.partOf(part, ofHead, length - ofHead)
        place.taken += length
        const isLast = place.taken >= place.headLen && isWhole(base, opener, place.taken, host.arrayLength(plaintext))
        const chunks = byHost?.opening(opener)
        if (chunks !== undefined) {
          place.written = chunks.take(data, isLast, plaintext, place.written)
          return isLast
        }
        inUnits(data, (rest) => {
          const taken = base.openerFill(opener, rest)
          const unit = base.openerUnit(opener)
          if (unit !== null) putPart(place, unit, plaintext)
          return taken
        })
        if (isLast) putPart(place, base.openerFinish(opener, true), plaintext)
        return isLast
      }),
    decryptLoaded: (decryptor, loading, job) =>
      withLoaded(loading, job, (file) => lasting(decryptor, (handle) => base.decryptArmoured(handle, file))),
    encryptArmouredLoaded: (encryptor, loading, job) =>
      withLoaded(loading, job, (data) => lasting(encryptor, (handle) => base.encryptArmoured(handle, data))),
    decryptRangeLoaded: (decryptor, loading, start, end, job) =>
      withLoaded(loading, job, (file) => base.decryptRange(decryptor, file, start, end)),
    rewrapLoaded: (rewrapper, loading, job) => withLoaded(loading, job, (file) => base.rewrap(rewrapper, file)),
    aeadSealLoaded: (key, nonce, aad, loading, job) =>
      withLoaded(loading, job, (loaded) => {
        const sealed = new host.Bytes(host.arrayLength(loaded) + base.aeadTagLen())
        book(job).done = base.aeadSealLoaded(key, nonce, aad, loaded, sealed)
        return sealed
      }),
    aeadOpenLoaded: (key, nonce, aad, loading, job) =>
      withLoaded(loading, job, (sealed) => {
        const open = (plaintext: Out): number => base.aeadOpen(key, nonce, aad, sealed, plaintext)
        const plaintext = opened(host.arrayLength(sealed), open)
        book(job).done = host.arrayLength(plaintext) + base.aeadTagLen()
        return plaintext
      }),
    messageSealLoaded: (recipient, loading, aad, armour, job) =>
      withLoaded<Out | string>(loading, job, (plaintext) => {
        if (armour) return base.messageSealArmoured(recipient, plaintext, aad)
        const message = new host.Bytes(base.messageLen(recipient, host.arrayLength(plaintext)))
        base.messageSealInto(recipient, plaintext, aad, message)
        return message
      }),
    messageOpenLoaded: (identity, loading, aad, job) =>
      withLoaded(loading, job, (message) => base.messageOpenArmoured(identity, message, aad)),
    encryptBatch: async (encryptor, data, lengths, job) => {
      try {
        base.encryptorCheck(encryptor)
        return await batch(encryptor, data, lengths, job, base.encryptArmoured)
      } catch (error) {
        return failureOf(error)
      }
    },
    decryptBatch: (decryptor, data, lengths, job) =>
      batch(decryptor, data, lengths, job, base.decryptArmoured).catch(failureOf),
    yuantsSealLoaded: (format, key, loading) =>
      withLoaded(loading, undefined, (loaded) => {
        const [length, headLen] = [host.arrayLength(loaded), toolbox.yuantsHeadLen(format)]
        const sealed = new host.Bytes(length + toolbox.yuantsTailLen(format))
        toolbox.yuantsSeal(format, key, new host.Bytes(host.arrayBuffer(loaded), headLen, length - headLen), sealed)
        return sealed
      }),
    yuantsOpenLoaded: (format, key, loading) =>
      withLoaded(loading, undefined, (sealed) =>
        opened(host.arrayLength(sealed) - toolbox.yuantsHeadLenOf(format, sealed), (plaintext) =>
          toolbox.yuantsOpen(format, key, sealed, plaintext),
        ),
      ),
    yuantsHmacLoaded: (hash, key, loading) =>
      withLoaded(loading, undefined, (data) => toolbox.yuantsHmac(hash, key, data)),
  }
  return { sync, bulk }
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

/** Hands over bytes, as many as are taken at once. */
function inUnits(bytes: Uint8Array, take: (rest: Uint8Array) => number): void {
  const length = host.arrayLength(bytes)
  let from = 0
  while (from < length) {
    // What is copied to the module and not taken would be copied in vain.
    from += take(host.partOf(bytes, from, Math.min(length - from, UNIT_LEN)))
  }
}

/** Milliseconds of a batch in one turn. */
const TURN_MS = 5

/** About as much as a unit takes. */
const UNIT_LEN = 1 << 18

/** Work, done at once. */
function later<T>(work: () => T): Later<T> {
  try {
    return Promise.resolve(work())
  } catch (error) {
    return Promise.resolve(failureOf(error))
  }
}

function laterUnless<T>(unit: T | null): Later<T> | null {
  return unit === null ? null : Promise.resolve(unit)
}

/** An error of ours as a failure; of the engine's it is thrown. */
function failureOf(error: unknown): Failure {
  if (!(error instanceof SealstoneError)) throw error
  return { code: error.code, message: error.message }
}
