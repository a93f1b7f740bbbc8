// Files and messages. Their chunks may be a host's, or of threads that a program has started; the core has their keys and nonces.

import type { BasePromises, BatchResult, Handle, Later, Out, Part } from '../calls.js'
import type { WorkedWith } from '../index.js'
import { promisedChunks } from './arriving.js'
import { CrewedFiles } from './crewed.js'
import { FileWork } from './file-work.js'
import { headOf, isArmoured, lookedAt, startOf } from './heads.js'
import { EMPTY, TAG_LEN } from './host-crypto.js'
import { HostFiles, hostedChunks } from './host-files.js'
import { HostMessages } from './host-messages.js'
import { WholeFiles } from './host-whole.js'
import { atOnceLen, type Files, type Hosting, type Parts } from './hosting.js'
import { memoryOf } from './instance.js'
import * as host from './intrinsics.js'
import { Keys } from './keys.js'
import { later, promisePart } from './work.js'

export class Base extends Keys implements BasePromises {
  readonly #hosting: Hosting
  /** The files of a host, and those of it and of threads. */
  readonly #hosted: Files | undefined
  readonly #files: Files | undefined
  readonly #whole: WholeFiles | undefined
  readonly #parts: FileWork
  readonly #messages: HostMessages | undefined

  constructor(parts: Parts) {
    super(parts)
    const { hosting } = parts
    const { crypto, promised, crew } = hosting
    this.#hosting = hosting
    if (crypto !== undefined) {
      this.#hosted = new HostFiles(this, hostedChunks(crypto))
      this.#whole = new WholeFiles(this, this.#hosted, crypto.fileFrom)
    } else if (promised !== undefined) {
      this.#hosted = new HostFiles(this, promisedChunks(promised))
      this.#messages = new HostMessages(this, promised)
    }
    this.#files = crew === undefined ? this.#hosted : new CrewedFiles(this.#hosted, crew)
    this.#parts = new FileWork(this, this.#files, atOnceLen(hosting), this.know)
  }

  override forget(handle: Handle): void {
    this.#files?.forget(handle)
    this.#parts.forget(handle)
    this.#messages?.forget(handle)
  }

  override isPromised({ sealer, opener }: WorkedWith): boolean {
    if (this.#hosting.promised === undefined) return false
    if (sealer !== undefined && this.#hosted?.sealing(sealer) !== undefined) return true
    return opener !== undefined && this.#hosted?.opening(opener) !== undefined
  }

  override backend(): string {
    const crypto = this.#hosting.crypto ?? this.#hosting.promised
    const names = super.backend()
    if (crypto === undefined) return names
    return names.replace(`${crypto.algorithm} by `, `${crypto.algorithm} by ${crypto.name} and `)
  }

  override chunkedEncrypt(key: Handle, context: Uint8Array, plaintext: Uint8Array): Out {
    const whole = this.#wholeOf(plaintext)
    if (whole === undefined) return super.chunkedEncrypt(key, context, plaintext)
    return whole.sealed(this.chunkedSealer(key, context), plaintext)
  }

  override chunkedDecrypt(key: Handle, context: Uint8Array, ciphertext: Uint8Array): Out {
    const whole = this.#wholeOf(ciphertext)
    if (whole === undefined) return super.chunkedDecrypt(key, context, ciphertext)
    const head = host.partOf(ciphertext, 0, Math.min(host.arrayLength(ciphertext), this.chunkedHeadLen()))
    return whole.opened(this.chunkedOpener(key, context, head), ciphertext)
  }

  override encryptArmoured(encryptor: Handle, plaintext: Uint8Array): Out {
    const whole = this.#wholeOf(plaintext)
    return whole === undefined ? super.encryptArmoured(encryptor, plaintext) : whole.encrypted(encryptor, plaintext)
  }

  encryptArmouredLoaded(encryptor: Handle, loading: Handle, job: Handle): Later<Out> {
    return this.work.withLoaded(loading, job, (data, turns) => this.#parts.encrypted(encryptor, data, turns))
  }

  override decryptArmoured(decryptor: Handle, file: Uint8Array): Out {
    const whole = this.#wholeOf(file)
    return whole === undefined ? super.decryptArmoured(decryptor, file) : whole.decrypted(decryptor, file)
  }

  decryptLoaded(decryptor: Handle, loading: Handle, job: Handle): Later<Out> {
    return this.work.withLoaded(loading, job, (file, turns) => this.#parts.decrypted(decryptor, file, turns))
  }

  override decryptRange(decryptor: Handle, file: Uint8Array, start: number, end: number): Out {
    const inModule = (file: Uint8Array): Out => super.decryptRange(decryptor, file, start, end)
    return this.#wholeOf(file)?.range(decryptor, file, start, end, inModule) ?? inModule(file)
  }

  decryptRangeLoaded(decryptor: Handle, loading: Handle, start: number, end: number, job: Handle): Later<Out> {
    return this.work.withLoaded(loading, job, (file, turns) =>
      this.#parts.decryptedRange(decryptor, file, start, end, turns),
    )
  }

  rewrapLoaded(rewrapper: Handle, loading: Handle, job: Handle): Later<Out> {
    return this.work.withLoaded(loading, job, async (file, turns) => {
      await this.know(rewrapper, isArmoured(this, file) ? file : headOf(this, file), turns)
      return this.rewrap(rewrapper, file)
    })
  }

  encryptBatch(encryptor: Handle, data: Uint8Array, lengths: Uint32Array, job: Handle): Later<BatchResult> {
    return later(() => {
      this.encryptorCheck(encryptor)
      return this.work.batch(data, lengths, job, (item, turns) => this.#parts.encrypted(encryptor, item, turns))
    })
  }

  decryptBatch(decryptor: Handle, data: Uint8Array, lengths: Uint32Array, job: Handle): Later<BatchResult> {
    return later(() =>
      this.work.batch(data, lengths, job, (item, turns) => this.#parts.decrypted(decryptor, item, turns)),
    )
  }

  messageSealPlaced(recipient: Handle, aad: Uint8Array, message: Out): Later<undefined> {
    return later(() => {
      const promise = this.#messages?.seal(recipient, aad, message)
      if (promise !== undefined) return promise
      const growth = this.messageLen(recipient, 0)
      const plaintext = host.partOf(message, growth - TAG_LEN, host.arrayLength(message) - growth)
      this.messageSealInto(recipient, plaintext, aad, message)
      return undefined
    })
  }

  messageSealArmouredLoaded(recipient: Handle, loading: Handle, aad: Uint8Array, job: Handle): Later<string> {
    return this.work.withLoaded(loading, job, (plaintext) => this.messageSealArmoured(recipient, plaintext, aad))
  }

  override messageIsArmoured(message: Uint8Array): boolean {
    return super.messageIsArmoured(lookedAt(this, message))
  }

  override messageHeadLen(identity: Handle, message: Uint8Array, messageLen: number): number {
    return super.messageHeadLen(identity, startOf(message), messageLen)
  }

  messageOpenPlaced(identity: Handle, head: Uint8Array, aad: Uint8Array, text: Out, tag: Uint8Array): Later<undefined> {
    return later(() => {
      const promise = this.#messages?.open(identity, head, aad, text, tag)
      if (promise !== undefined) return promise
      const headLen = host.arrayLength(head)
      const textLen = host.arrayLength(text)
      const message = memoryOf(headLen + textLen + TAG_LEN)
      host.copyInto(message, head)
      host.copyInto(message, text, headLen)
      host.copyInto(message, tag, headLen + textLen)
      this.messageOpenInto(identity, message, aad, text)
      return undefined
    })
  }

  messageOpenArmouredLoaded(identity: Handle, loading: Handle, aad: Uint8Array, job: Handle): Later<Out> {
    return this.work.withLoaded(loading, job, (message) => this.messageOpenArmoured(identity, message, aad))
  }

  override sealInto(sealer: Handle, plaintext: Uint8Array, file: Uint8Array, threads: number | undefined): void {
    const inModule = (): void => super.sealInto(sealer, plaintext, file, threads)
    if (this.#whole === undefined) inModule()
    else this.#whole.sealInto(sealer, plaintext, file, inModule)
  }

  sealerLater(encryptor: Handle, job: Handle): Later<Handle> {
    return this.work.asJob(job, async (turns) => {
      await this.know(encryptor, EMPTY, turns)
      return this.sealerOf(encryptor)
    })
  }

  override sealerFill(sealer: Handle, plaintext: Uint8Array): number {
    return this.#files?.sealing(sealer)?.fill(plaintext) ?? super.sealerFill(sealer, plaintext)
  }

  sealerUnit(sealer: Handle): Later<Part> | null {
    const chunks = this.#files?.sealing(sealer)
    return promisePart(chunks === undefined ? this.sealerUnitNow(sealer) : chunks.unit())
  }

  sealerFinish(sealer: Handle): Later<Part> {
    return later(() => this.#files?.sealing(sealer)?.finish(true) ?? this.sealerFinishNow(sealer))
  }

  sealPart(sealer: Handle, part: Uint8Array, file: Out): Later<undefined> {
    return later(() => this.#parts.sealPart(sealer, part, file))
  }

  override unitsMax(threads: number | undefined): number {
    return this.#hosting.crew?.()?.jobsMax ?? super.unitsMax(threads)
  }

  override opener(
    identities: readonly Handle[],
    context: Uint8Array | undefined,
    profile: string | undefined,
    threads: number | undefined,
    file: Uint8Array,
    fileLen: number,
  ): readonly [Handle, number?] {
    return super.opener(identities, context, profile, threads, headOf(this, file), fileLen)
  }

  override openInto(opener: Handle, file: Uint8Array, plaintext: Uint8Array, threads: number | undefined): void {
    const inModule = (): void => super.openInto(opener, file, plaintext, threads)
    if (this.#whole === undefined) inModule()
    else this.#whole.openInto(opener, file, plaintext, inModule)
  }

  openerLater(decryptor: Handle, head: Uint8Array, job: Handle): Later<Handle> {
    const own = new host.Bytes(head)
    return this.work.asJob(job, async (turns) => {
      await this.know(decryptor, own, turns)
      return this.openerOf(decryptor, own)
    })
  }

  override openerFill(opener: Handle, chunks: Uint8Array): number {
    return this.#files?.opening(opener)?.fill(chunks) ?? super.openerFill(opener, chunks)
  }

  openerUnit(opener: Handle): Later<Part> | null {
    const chunks = this.#files?.opening(opener)
    return promisePart(chunks === undefined ? this.openerUnitNow(opener) : chunks.unit())
  }

  openerFinish(opener: Handle, isEnd: boolean): Later<Part> {
    return later(() => this.#files?.opening(opener)?.finish(isEnd) ?? this.openerFinishNow(opener, isEnd))
  }

  openPart(opener: Handle, part: Uint8Array, plaintext: Out): Later<boolean> {
    return later(() => this.#parts.openPart(opener, part, plaintext))
  }

  /** The files of a host, where data is long enough for it. */
  #wholeOf(data: Uint8Array): WholeFiles | undefined {
    return this.#whole?.isShort(data) === false ? this.#whole : undefined
  }
}
