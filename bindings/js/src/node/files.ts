// Files by name, over what computes on bytes: what the core's pipeline does where there is the addon.

import type {
  FileCalls,
  Handle,
  Inspection,
  Later,
  Out,
  Part,
  Processed,
  Signed,
  SyncCalls,
  Verification,
} from '../backend/calls.js'
import type { Calls } from '../backend/index.js'
import { SealstoneError } from '../basics/error.js'
import { padded, seenOf } from '../work/inspection.js'
import { openedRange } from '../work/range.js'
import { cancelled, failureOf, notSeekable } from './failure.js'
import { age, errorOf, type Format, partOf, sealstone, sourced } from './format.js'
import { Input } from './input.js'
import { type Destination, Output } from './output.js'
import { Path } from './path.js'
import type { Source } from './source.js'
import { PRIVATE } from './temporary.js'

/** Work on a file, as the caller's job sees it. */
class Run {
  readonly job: Handle
  readonly #controller = new AbortController()
  done = 0
  total: number | undefined

  constructor(job: Handle) {
    this.job = job
  }

  get signal(): AbortSignal {
    return this.#controller.signal
  }

  cancel(): void {
    this.#controller.abort(cancelled())
  }

  add(bytes: number): void {
    this.signal.throwIfAborted()
    this.done += bytes
  }
}

/** These calls, and those on files by name. */
export function withFiles(calls: Omit<Calls, 'files'>): Calls {
  const { sync, bulk } = calls
  const runs = new Map<Handle, Run>()
  const begun = (job: Handle): Run => {
    const run = new Run(job)
    runs.set(job, run)
    return run
  }
  const withRuns: SyncCalls = {
    ...sync,
    release(object) {
      runs.delete(object)
      sync.release(object)
    },
    jobCancel(job) {
      sync.jobCancel(job)
      runs.get(job)?.cancel()
    },
    jobProgress(job) {
      const run = runs.get(job)
      if (run === undefined) return sync.jobProgress(job)
      return run.total === undefined ? [run.done] : [run.done, run.total]
    },
  }
  const [own, ofAge] = [sealstone(sync, bulk), age(sync, bulk)]
  const work = new Work(sync, own)
  const files: FileCalls = {
    encryptFile: (encryptor, input, output, replace, special, job) => {
      const armour = sync.encryptorArmours(encryptor)
      return later(work.encrypt(own, encryptor, Path.of(input), Path.of(output), replace, special, armour, begun(job)))
    },
    decryptFile: (decryptor, input, output, replace, special, job) =>
      later(work.decrypt(own, decryptor, Path.of(input), { path: Path.of(output), replace }, special, begun(job))),
    verifyFile: (decryptor, input, special, job) =>
      later(work.decrypt(own, decryptor, Path.of(input), undefined, special, begun(job))),
    rewrapFile: (rewrapper, file, splitLinks, job) =>
      later(work.rewrap(rewrapper, Path.of(file), splitLinks, begun(job))),
    decryptRangeFile: (decryptor, input, start, end, special, job) =>
      later(work.decryptRange(own, decryptor, Path.of(input), start, end, special, begun(job))),
    ageEncryptFile: (encryptor, input, output, replace, special, job) =>
      later(work.encrypt(ofAge, encryptor, Path.of(input), Path.of(output), replace, special, false, begun(job))),
    ageDecryptFile: (decryptor, input, output, replace, special, job) =>
      later(work.decrypt(ofAge, decryptor, Path.of(input), { path: Path.of(output), replace }, special, begun(job))),
    ageDecryptRangeFile: (decryptor, input, start, end, special, job) =>
      later(work.decryptRange(ofAge, decryptor, Path.of(input), start, end, special, begun(job))),
    inspectFile: (file, special, job) => later(work.inspect(Path.of(file), special, begun(job))),
    hashFile: (algorithm, file, special, length, job) =>
      later(work.hash(algorithm, Path.of(file), special, length, begun(job))),
    macFile: (key, file, special, job) => later(work.mac(key, Path.of(file), special, begun(job))),
    signatureSignFile: (writer, file, special, job) =>
      later(work.signDetached(writer, Path.of(file), special, begun(job))),
    signatureAttachFile: (writer, input, output, replace, special, job) =>
      later(work.signAttached(writer, Path.of(input), Path.of(output), replace, special, begun(job))),
    signatureVerifyFile: (reader, file, signature, special, job) =>
      later(work.verifyDetached(reader, Path.of(file), new Uint8Array(signature), special, begun(job))),
    signatureDetachFile: (reader, input, output, replace, special, job) => {
      const to = output && { path: Path.of(output), replace }
      return later(work.verifyAttached(reader, Path.of(input), to, special, begun(job)))
    },
  }
  return { ...calls, sync: withRuns, files }
}

/** What it takes to look at chunks. */
interface Opening {
  readonly head: Uint8Array
  readonly opener: Handle
}

class Work {
  readonly #sync: SyncCalls
  /** The format of what is only looked at, or given to others. */
  readonly #own: Format

  constructor(sync: SyncCalls, own: Format) {
    this.#sync = sync
    this.#own = own
  }

  async encrypt(
    format: Format,
    encryptor: Handle,
    path: Path,
    to: Path,
    replace: boolean,
    special: boolean,
    armour: boolean,
    run: Run,
  ): Promise<Processed> {
    return reading(path, special, run, async (input) => {
      const output = await Output.plan(to, { mode: undefined, replace, inPlace: false }, special, run.signal)
      return this.#delivering(output, input, async (delivery) =>
        this.#using(await settled(format.seal(encryptor, run.job)), async (sealer) => {
          run.total = input.length
          await delivery.begin(armour)
          await delivery.write(format.sealerHead(sealer))
          for await (const part of input.parts()) {
            const take = (rest: Uint8Array): number => format.sealerFill(sealer, rest)
            const units = this.#units(part, take, () => format.sealerUnit(sealer))
            for await (const bytes of units) await delivery.write(bytes)
            run.add(part.length)
          }
          for (const bytes of partOf(await settled(format.sealerFinish(sealer)))) await delivery.write(bytes)
          return { plaintext: run.done, ciphertext: delivery.taken }
        }),
      )
    })
  }

  /** Without an output it only authenticates. */
  async decrypt(
    format: Format,
    decryptor: Handle,
    path: Path,
    to: { path: Path; replace: boolean } | undefined,
    special: boolean,
    run: Run,
  ): Promise<Processed> {
    return reading(path, special, run, async (input) => {
      const making = { mode: PRIVATE, replace: to?.replace === true, inPlace: false }
      const output = to && (await Output.plan(to.path, making, special, run.signal))
      return this.#delivering(output, input, (delivery) =>
        sourced(format, input, async (source, isArmoured) => {
          const { head, opener } = await this.#open(format, decryptor, source, run)
          return this.#using(opener, async () => {
            if (input.length !== undefined && !isArmoured) {
              run.total = input.length - head.length
              format.checkLength(head, run.total)
            }
            await delivery.begin(false)
            for await (const part of source.rest(head.length)) {
              const take = (rest: Uint8Array): number => format.openerFill(opener, rest)
              const units = this.#units(part, take, () => format.openerUnit(opener))
              for await (const bytes of units) await delivery.write(bytes)
              run.add(part.length)
            }
            for (const bytes of partOf(await settled(format.openerFinish(opener, true)))) await delivery.write(bytes)
            return { plaintext: delivery.taken, ciphertext: head.length + run.done }
          })
        }),
      )
    })
  }

  async rewrap(rewrapper: Handle, path: Path, splitLinks: boolean, run: Run): Promise<Processed> {
    return reading(path, false, run, async (input) => {
      const making = { mode: Number(input.stat.mode) & 0o777, replace: true, inPlace: true, splitLinks }
      const output = await Output.plan(path, making, false, run.signal)
      return this.#delivering(output, input, (delivery) =>
        sourced(
          this.#own,
          input,
          async (source, isArmoured) => {
            const old = await this.#own.head(source)
            const isCut = old.length < this.#sync.fileHeadLen(old)
            if (isCut && source.fault !== undefined) throw source.fault.error
            // The payload stays as it is. A file without a plaintext has the same head, and a tag that rewrapping does not look at.
            const stub = padded(old, this.#sync.tagLen())
            const rewrapped = this.#sync.rewrap(rewrapper, isCut ? old : stub)
            const head = rewrapped.slice(0, rewrapped.length - (stub.length - old.length))
            const { headerLen } = this.#sync.inspect(stub)
            if (input.length !== undefined && !isArmoured) {
              run.total = input.length - headerLen
              seenOf(this.#sync, old, input.length - old.length)
            }
            await delivery.begin(isArmoured)
            await delivery.write(head)
            run.add(old.length - headerLen)
            for await (const part of source.rest(old.length)) {
              // The reader has its memory again.
              await delivery.write(part.slice())
              run.add(part.length)
            }
            const { plaintextLen } = seenOf(this.#sync, old, headerLen + run.done - old.length)
            return { plaintext: plaintextLen, ciphertext: delivery.taken }
          },
          true,
        ),
      )
    })
  }

  async decryptRange(
    format: Format,
    decryptor: Handle,
    path: Path,
    start: number,
    end: number,
    special: boolean,
    run: Run,
  ): Promise<Out> {
    return reading(path, special, run, (input) =>
      sourced(format, input, async (source, isArmoured) => {
        if (isArmoured) throw notSeekable()
        const { head, opener } = await this.#open(format, decryptor, source, run)
        return this.#using(opener, async () => {
          if (input.length === undefined) throw notSeekable()
          const read = async (from: number, to: number): Promise<Uint8Array> => {
            run.add(to - from)
            return input.readAt(new Uint8Array(to - from), from)
          }
          const result = await openedRange(format.chunks(opener, head, input.length, read), start, end)
          await input.finish()
          return result
        })
      }),
    )
  }

  async inspect(path: Path, special: boolean, run: Run): Promise<Inspection> {
    return reading(path, special, run, (input) =>
      sourced(this.#own, input, async (source, isArmoured) => {
        const head = await this.#own.head(source)
        let chunksLen = input.length === undefined ? 0 : input.length - head.length
        if (isArmoured || input.length === undefined) {
          chunksLen = 0
          for await (const part of source.rest(head.length)) {
            run.signal.throwIfAborted()
            chunksLen += part.length
          }
        }
        const seen = seenOf(this.#sync, head, chunksLen)
        await input.finish()
        return { ...seen, armoured: isArmoured }
      }),
    )
  }

  async hash(algorithm: number, path: Path, special: boolean, length: number, run: Run): Promise<Out> {
    const hasher = this.#sync.hasher(algorithm)
    try {
      // A length that the algorithm has not is said before the file is read.
      this.#sync.hasherDigest(hasher, length)
      await taking(path, special, run, (part) => this.#sync.hasherUpdate(hasher, part))
      return this.#sync.hasherDigest(hasher, length)
    } finally {
      this.#sync.release(hasher)
    }
  }

  async mac(key: Handle, path: Path, special: boolean, run: Run): Promise<Out> {
    const signer = this.#sync.macSigner(key)
    try {
      await taking(path, special, run, (part) => this.#sync.macSignerUpdate(signer, part))
      return this.#sync.macSignerTag(signer)
    } finally {
      this.#sync.release(signer)
    }
  }

  async signDetached(writer: Handle, path: Path, special: boolean, run: Run): Promise<string> {
    return reading(path, special, run, (input) =>
      this.#using(this.#sync.signatureSigning(writer), async (signing) => {
        await taken(input, run, (part) => this.#sync.signatureSigningUpdate(signing, part))
        return this.#sync.signatureSigningFinish(signing)
      }),
    )
  }

  async signAttached(
    writer: Handle,
    path: Path,
    to: Path,
    replace: boolean,
    special: boolean,
    run: Run,
  ): Promise<Signed> {
    return reading(path, special, run, (input) =>
      this.#using(this.#sync.signatureSigning(writer), async (signing) => {
        const output = await Output.plan(to, { mode: undefined, replace, inPlace: false }, special, run.signal)
        return this.#delivering(output, input, async (delivery) => {
          run.total = input.length
          await delivery.begin(false)
          for await (const part of input.parts()) {
            this.#sync.signatureSigningUpdate(signing, part)
            // The reader has its memory again.
            await delivery.write(part.slice())
            run.add(part.length)
          }
          await delivery.write(new TextEncoder().encode(this.#sync.signatureSigningFinish(signing)))
          return { content: run.done, written: delivery.taken }
        })
      }),
    )
  }

  async verifyDetached(
    reader: Handle,
    path: Path,
    signature: Uint8Array,
    special: boolean,
    run: Run,
  ): Promise<Verification> {
    return reading(path, special, run, (input) =>
      this.#using(this.#sync.signatureVerifying(reader, signature), async (verifying) => {
        await taken(input, run, (part) => this.#sync.signatureVerifyingUpdate(verifying, part))
        return this.#sync.signatureVerifyingFinish(verifying)
      }),
    )
  }

  /** Without an output it only verifies. */
  async verifyAttached(
    reader: Handle,
    path: Path,
    to: { path: Path; replace: boolean } | undefined,
    special: boolean,
    run: Run,
  ): Promise<Verification> {
    return reading(path, special, run, (input) =>
      this.#using(this.#sync.signatureAttached(reader), async (verifying) => {
        const making = { mode: undefined, replace: to?.replace === true, inPlace: false }
        const output = to && (await Output.plan(to.path, making, special, run.signal))
        return this.#delivering(output, input, async (delivery) => {
          run.total = await this.#contentLen(verifying, input)
          await delivery.begin(false, true)
          for await (const part of this.#content(verifying, input, run)) {
            this.#sync.signatureVerifyingUpdate(verifying, part)
            if (output !== undefined) await delivery.write(part.slice())
          }
          return this.#sync.signatureVerifyingFinish(verifying)
        })
      }),
    )
  }

  /** Bytes before the signature at the end of a file, which is read before them; of a stream nobody knows how many. */
  async #contentLen(verifying: Handle, input: Input): Promise<number | undefined> {
    if (input.length === undefined) return undefined
    const start = Math.max(input.length - this.#sync.signatureMaxLen(), 0)
    const tail = await input.readAt(new Uint8Array(input.length - start), start)
    return start + this.#sync.signatureAttachedAt(verifying, tail)
  }

  /** What stands before the signature. That of a stream is seen at its end, so the last bytes wait until then. */
  async *#content(verifying: Handle, input: Input, run: Run): AsyncGenerator<Uint8Array, void, undefined> {
    const { total } = run
    const heldMax = this.#sync.signatureMaxLen()
    let held: Uint8Array = new Uint8Array(0)
    for await (const part of input.parts()) {
      if (total === undefined) {
        const both = Buffer.concat([held, part])
        const over = Math.max(both.length - heldMax, 0)
        held = both.subarray(over)
        yield both.subarray(0, over)
        run.add(part.length)
      } else {
        const content = part.subarray(0, total - run.done)
        if (content.length === 0) return
        yield content
        run.add(content.length)
      }
    }
    if (total === undefined) yield held.subarray(0, this.#sync.signatureAttachedAt(verifying, held))
  }

  async #using<T>(handle: Handle, work: (handle: Handle) => Promise<T>): Promise<T> {
    try {
      return await work(handle)
    } finally {
      this.#sync.release(handle)
    }
  }

  /** A head that something else cut short is not called truncated, but may have a fault before the cut. */
  async #open(format: Format, decryptor: Handle, source: Source, { job }: Run): Promise<Opening> {
    const head = await format.head(source)
    try {
      return { head, opener: await settled(format.open(decryptor, head, job)) }
    } catch (error) {
      const isCut = error instanceof SealstoneError && error.code === 'truncated'
      throw isCut && source.fault !== undefined ? source.fault.error : error
    }
  }

  /** What the units of a part become. */
  async *#units(
    part: Uint8Array,
    take: (rest: Uint8Array) => number,
    unit: () => Later<Part> | null,
  ): AsyncGenerator<Out, void, undefined> {
    for (let at = 0; at < part.length; ) {
      at += take(part.subarray(at, at + UNIT_LEN))
      const work = unit()
      if (work !== null) yield* partOf(await settled(work))
    }
  }

  /** Gives a finished output its name, and leaves nothing of one that is not. */
  async #delivering<T>(output: Output | undefined, input: Input, work: (delivery: Delivery) => Promise<T>): Promise<T> {
    const delivery = new Delivery(this.#sync, output)
    try {
      output?.check(input)
      const done = await work(delivery)
      await input.finish()
      await delivery.commit()
      return done
    } finally {
      await delivery.close()
    }
  }
}

/** What is handed over at once: about a unit. */
const UNIT_LEN = 1 << 18
/** Bytes on their way to an output, as armour where that is asked for. */
class Delivery {
  readonly #sync: SyncCalls
  readonly #output: Output | undefined
  #destination: Destination | undefined
  #armour: Handle | undefined
  /** Bytes that it took. */
  taken = 0

  constructor(sync: SyncCalls, output: Output | undefined) {
    this.#sync = sync
    this.#output = output
  }

  /** What `waits` is released by `commit` alone. */
  async begin(armour: boolean, waits = false): Promise<void> {
    this.#destination = await this.#output?.begin(waits)
    if (armour) this.#armour = this.#sync.armour()
  }

  /** Takes bytes, which are zeroed once they are written. */
  async write(bytes: Out | Uint8Array): Promise<void> {
    this.taken += bytes.length
    if (this.#armour !== undefined) await this.#destination?.write(this.#sync.armourUpdate(this.#armour, bytes))
    else if (this.#destination !== undefined) await this.#destination.write(bytes)
    else bytes.fill(0)
  }

  async commit(): Promise<void> {
    if (this.#armour !== undefined) await this.#destination?.write(this.#sync.armourFinish(this.#armour))
    await this.#destination?.commit()
  }

  async close(): Promise<void> {
    await this.#destination?.discard()
    await this.#output?.close()
    if (this.#armour !== undefined) this.#sync.release(this.#armour)
  }
}

/** Opens an input, and closes it. */
async function reading<T>(path: Path, special: boolean, run: Run, work: (input: Input) => Promise<T>): Promise<T> {
  const input = await Input.open(path, special, run.signal)
  try {
    return await work(input)
  } finally {
    await input.close()
  }
}

/** Hands over all of a file. */
function taking(path: Path, special: boolean, run: Run, take: (part: Uint8Array) => void): Promise<void> {
  return reading(path, special, run, (input) => taken(input, run, take))
}

/** Hands over all of an input. */
async function taken(input: Input, run: Run, take: (part: Uint8Array) => void): Promise<void> {
  run.total = input.length
  for await (const part of input.parts()) {
    take(part)
    run.add(part.length)
  }
  await input.finish()
}

/** What a promise of this platform gives. */
async function settled<T>(later: Later<T>): Promise<T> {
  const result = await later
  if (typeof result === 'object' && result !== null && 'code' in result) throw errorOf(result)
  return result as T
}

/** Work that fails fulfils its promise too. */
async function later<T>(work: Promise<T>): Later<T> {
  try {
    return await work
  } catch (error) {
    return failureOf(error)
  }
}
