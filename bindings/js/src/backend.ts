import type { Borrowed } from './bytes.js'
import { asSealstoneError, SealstoneError, systemError } from './error.js'
import { loadNative } from './native.js'
import type { YuantsFormat } from './table.js'
import { turn } from './turn.js'

/** An object of the backend's, by its number. A number means nothing to another backend or thread. */
export type Handle = number

/** What a promise of the backend is fulfilled with when the work failed. */
export interface Failure {
  readonly code: string
  readonly message: string
  /** The system's number for what it refused. */
  readonly errno?: number
}

/** What a part of a stream became, and what failed behind it. */
export interface Part {
  readonly bytes: Out
  readonly failure?: Failure
}

/** What a promise of the backend is fulfilled with where the result is long. */
export interface Undelivered {
  readonly undelivered: Handle
  readonly length: number
}

/** What a backend promises. */
export type Later<T> = Promise<T | Failure | Undelivered>
type Secret = Uint8Array | undefined
type Out = Uint8Array<ArrayBuffer>
type Lent = Uint8Array | Borrowed

/** How many bytes an operation on a file has processed. */
export interface Processed {
  /** Of plaintext. */
  readonly plaintext: number
  /** Of the whole file, without armour. */
  readonly ciphertext: number
}

/** The results of many operations, one behind the other, and which of them failed. */
export interface BatchResult {
  readonly bytes: Out
  readonly lengths: readonly number[]
  readonly failures: readonly (Failure & { readonly index: number })[]
}

/** What anyone can see of a file, without a key. */
export interface Inspection {
  readonly version: number
  /** The suite's name, such as `aes-256-gcm`. */
  readonly suite: string
  /** Whether a context is bound. */
  readonly contextBound: boolean
  /** Whether it is ASCII armour. */
  readonly armoured: boolean
  /** One entry a recipient, in the file's order. */
  readonly stanzas: readonly StanzaInfo[]
  readonly headerLen: number
  readonly payloadLen: number
  /** The length of the plaintext in bytes, computed from the length of the payload. */
  readonly plaintextLen: number
  readonly chunks: number
}

/** One stanza of a file: for what kind of recipient it is. */
export interface StanzaInfo {
  /** The kind's name, or `unknown`. */
  readonly kind: string
  readonly typeId: number
  readonly bodyLen: number
}

/** Two keys of yuants, as text. */
export interface KeyPairText {
  readonly publicKey: string
  readonly privateKey: string
}

export type TextEncoding = 'base58' | 'base64' | 'hex'

/**
 * What computes: the native addon, and in browsers what stands for it. All else in this package is written against this and
 * knows no algorithm, length or default.
 */
export interface Backend {
  release(object: Handle): void
  /** Releases an object some time after its owner is collected, also while a loop makes more of them without a turn. */
  own(object: Handle, owner: object): void
  /** Another number for an object, which lives until both are released. */
  again(object: Handle): Handle
  /** Moves bytes of a long result into memory of its length, as many as a turn has time for; returns how many are left. */
  resultTake(undelivered: Handle, result: Uint8Array): number

  identityGenerate(kind: string | undefined): Handle
  identitiesParse(file: Uint8Array, passphrase: Secret): Handle[]
  identitiesParseLater(file: Uint8Array, passphrase: Secret): Later<Handle[]>
  identityOfPassphrase(text: Uint8Array): Handle
  identityOfKey(bytes: Uint8Array): Handle
  identityKind(identity: Handle): string
  /** Whether using it takes so long that it does not belong on JavaScript's thread. */
  identityIsSlow(identity: Handle): boolean
  identityRecipient(identity: Handle): Handle
  identityExport(identity: Handle, form: string, passphrase: Secret): string | Out
  recipientsParse(file: Uint8Array): Handle[]
  recipientKind(recipient: Handle): string
  recipientFingerprint(recipient: Handle): string | null
  recipientExport(recipient: Handle, form: string): string | Out

  encryptor(
    recipients: Handle[],
    suite: string | undefined,
    context: Uint8Array | undefined,
    allowMixed: boolean | undefined,
    profile: string | undefined,
    armour: boolean | undefined,
    threads: number | undefined,
  ): Handle
  decryptor(
    identities: Handle[],
    context: Uint8Array | undefined,
    profile: string | undefined,
    threads: number | undefined,
  ): Handle
  rewrapper(
    identities: Handle[],
    recipients: Handle[],
    replace: boolean | undefined,
    allowMixed: boolean | undefined,
    profile: string | undefined,
  ): Handle

  job(): Handle
  jobCancel(job: Handle): void
  jobProgress(job: Handle): number[]

  sealer(encryptor: Handle): Handle
  sealerLater(encryptor: Handle): Later<Handle>
  sealerFileLen(sealer: Handle, plaintextLen: number): number
  sealInto(sealer: Handle, plaintext: Uint8Array, file: Uint8Array, threads: number | undefined): void
  sealerHead(sealer: Handle): Out
  /** Takes plaintext, as much as the next unit has room for; returns how much that is. */
  sealerFill(sealer: Handle, plaintext: Uint8Array): number
  /** Seals the next unit, if it is full. */
  sealerUnit(sealer: Handle): Later<Part> | null
  sealerFinish(sealer: Handle): Out
  sealerLoad(sealer: Handle, plaintext: Uint8Array, fileLen: number): void
  sealLoaded(sealer: Handle, job: Handle, threads: number | undefined): Later<Out>

  /** Units of a stream that may be at work at the same time. */
  unitsMax(threads: number | undefined): number
  armour(): Handle
  armourUpdate(armour: Handle, file: Uint8Array): Out
  armourFinish(armour: Handle): Out
  dearmour(): Handle
  dearmourUpdate(dearmour: Handle, text: Uint8Array): Part
  dearmourFinish(dearmour: Handle): Part

  /** Bytes that {@link fileIsArmoured} looks at. */
  armourStartLen(): number
  /** Bytes that {@link fileHeadLen} looks at. */
  fileStartLen(): number
  fileHeadLen(start: Uint8Array): number
  fileIsArmoured(start: Uint8Array): boolean
  opener(decryptor: Handle, head: Uint8Array): Handle
  openerLater(decryptor: Handle, head: Uint8Array): Later<Handle>
  openerPlaintextLen(opener: Handle, fileLen: number): number
  openInto(opener: Handle, file: Uint8Array, plaintext: Uint8Array, threads: number | undefined): void
  /** Takes chunks, as much as the next unit has room for; returns how much that is. */
  openerFill(opener: Handle, chunks: Uint8Array): number
  /** Opens the next unit, if it is full. */
  openerUnit(opener: Handle): Later<Part> | null
  /** What is left: at the end of the stream all, otherwise the chunks that are whole. */
  openerFinish(opener: Handle, isEnd: boolean): Part
  loading(): Handle
  loadingUpdate(loading: Handle, part: Uint8Array, len: number): void
  decryptLoaded(decryptor: Handle, loading: Handle, job: Handle, threads: number | undefined): Later<Out>
  encryptArmoured(encryptor: Handle, plaintext: Uint8Array): Out
  encryptArmouredLoaded(encryptor: Handle, loading: Handle, job: Handle): Later<Out>
  decryptArmoured(decryptor: Handle, file: Uint8Array): Out
  decryptRange(decryptor: Handle, file: Uint8Array, start: number, end: number): Out
  decryptRangeLoaded(decryptor: Handle, loading: Handle, start: number, end: number, job: Handle): Later<Out>
  rewrap(rewrapper: Handle, file: Uint8Array): Out
  rewrapLoaded(rewrapper: Handle, loading: Handle, job: Handle): Later<Out>
  inspect(file: Uint8Array): Inspection

  encryptFile(
    encryptor: Handle,
    input: Uint8Array,
    output: Uint8Array,
    replace: boolean,
    special: boolean,
    job: Handle,
  ): Later<Processed>
  decryptFile(
    decryptor: Handle,
    input: Uint8Array,
    output: Uint8Array,
    replace: boolean,
    special: boolean,
    job: Handle,
  ): Later<Processed>
  verifyFile(decryptor: Handle, input: Uint8Array, special: boolean, job: Handle): Later<Processed>
  rewrapFile(rewrapper: Handle, file: Uint8Array, job: Handle): Later<Processed>
  decryptRangeFile(
    decryptor: Handle,
    input: Uint8Array,
    start: number,
    end: number,
    special: boolean,
    job: Handle,
  ): Later<Out>
  inspectFile(file: Uint8Array, special: boolean, job: Handle): Later<Inspection>

  messageSeal(recipient: Handle, plaintext: Uint8Array, aad: Uint8Array): Out
  messageSealArmoured(recipient: Handle, plaintext: Uint8Array, aad: Uint8Array): string
  messageSealLoaded(
    recipient: Handle,
    loading: Handle,
    aad: Uint8Array,
    armour: boolean,
    job: Handle,
  ): Later<Out | string>
  messageOpen(identity: Handle, message: Uint8Array, aad: Uint8Array): Out
  messageOpenLoaded(identity: Handle, loading: Handle, aad: Uint8Array, job: Handle): Later<Out>
  chunkedKey(suite: string, key: Uint8Array): Handle
  chunkedSealer(key: Handle, context: Uint8Array): Handle
  chunkedOpener(key: Handle, context: Uint8Array, head: Uint8Array): Handle
  chunkedHeadLen(): number
  chunkedEncrypt(key: Handle, context: Uint8Array, plaintext: Uint8Array): Out
  chunkedDecrypt(key: Handle, context: Uint8Array, ciphertext: Uint8Array): Out
  encryptBatch(
    encryptor: Handle,
    data: Uint8Array,
    lengths: Uint32Array,
    job: Handle,
    threads: number | undefined,
  ): Later<BatchResult>
  decryptBatch(
    decryptor: Handle,
    data: Uint8Array,
    lengths: Uint32Array,
    job: Handle,
    threads: number | undefined,
  ): Later<BatchResult>

  aead(algorithm: string, key: Uint8Array): Handle
  aeadKeyLen(algorithm: string): number
  aeadNonceLen(algorithm: string): number
  aeadTagLen(): number
  /** Without a nonce one is drawn, and stands before the ciphertext. */
  aeadSeal(key: Handle, nonce: Lent | undefined, aad: Lent | undefined, plaintext: Lent, sealed: Uint8Array): void
  aeadOpen(key: Handle, nonce: Lent | undefined, aad: Lent | undefined, sealed: Lent, plaintext: Uint8Array): void

  hashLen(algorithm: string): number
  hashInto(algorithm: string, data: Uint8Array, digest: Uint8Array): void
  hashHex(algorithm: string, data: Uint8Array): string
  hasher(algorithm: string): Handle
  hasherUpdate(hasher: Handle, data: Uint8Array): void
  hasherDigest(hasher: Handle): Out
  hashFile(algorithm: string, file: Uint8Array, special: boolean, job: Handle): Later<Out>

  cipher(algorithm: string, key: Uint8Array): Handle
  cipherKeyLen(algorithm: string): number
  /** Whether a plaintext is padded unless that is declined. */
  cipherPads(cipher: Handle): boolean
  /** Into an output of the ciphertext's length, as {@link cipherDecrypt}, which returns the plaintext's. */
  cipherEncrypt(cipher: Handle, iv: Uint8Array, plaintext: Uint8Array, pads: boolean | undefined, out: Uint8Array): void
  cipherDecrypt(
    cipher: Handle,
    iv: Uint8Array,
    ciphertext: Uint8Array,
    pads: boolean | undefined,
    out: Uint8Array,
  ): number

  yuantsKeyPair(seed: Uint8Array | undefined): KeyPairText
  yuantsKeyPairOf(privateKey: string): KeyPairText
  yuantsX25519(): KeyPairText
  yuantsSharedKey(publicKey: string, privateKey: string): string
  yuantsSign(privateKey: Uint8Array, message: Uint8Array): Out
  yuantsSignText(privateKey: string, message: Uint8Array): string
  yuantsVerify(publicKey: string, message: Uint8Array, signature: string, malleable: boolean | undefined): boolean
  yuantsHeadLen(format: YuantsFormat): number
  yuantsTailLen(format: YuantsFormat): number
  yuantsHeadLenOf(format: YuantsFormat, sealed: Uint8Array): number
  yuantsSeal(format: YuantsFormat, key: string, plaintext: Uint8Array, sealed: Uint8Array): void
  /** The plaintext's length; the memory has room for all but the head. */
  yuantsOpen(format: YuantsFormat, key: string, sealed: Uint8Array, plaintext: Uint8Array): number
  yuantsSealLoaded(format: YuantsFormat, key: string, loading: Handle): Later<Out>
  yuantsOpenLoaded(format: YuantsFormat, key: string, loading: Handle): Later<Out>
  yuantsHmac(hash: string, key: Uint8Array, data: Uint8Array): Out
  yuantsHmacLoaded(hash: string, key: Uint8Array, loading: Handle): Later<Out>
  yuantsFnv(data: Uint8Array): string

  encodeText(encoding: TextEncoding, data: Uint8Array): string
  decodeText(encoding: TextEncoding, text: string): Out
}

let loaded: Backend | undefined

/** The backend, which is loaded by the first call that needs one. */
export function backend(): Backend {
  loaded ??= loadNative()
  return loaded
}

/** Calls the backend; its errors become ours. */
export function call<T>(work: (backend: Backend) => T): T {
  const computes = backend()
  try {
    return ours(work(computes))
  } catch (error) {
    throw asSealstoneError(error)
  }
}

/** As `call`, of work that goes on elsewhere. */
export async function callLater<T>(work: (backend: Backend) => Later<T>, signal?: AbortSignal): Promise<T> {
  return settled(call(work), signal)
}

/** What a promise of the backend gives; its failure becomes our error. */
export async function settled<T>(later: Later<T>, signal?: AbortSignal): Promise<T> {
  const settled = await later
  if (has<Failure>(settled, 'code')) throw errorOf(settled)
  // Only what is bytes is delivered so.
  if (has<Undelivered>(settled, 'undelivered')) return (await delivered(settled, signal)) as T
  return ours(settled)
}

/** A long result, copied with turns of the event loop between its pieces. */
async function delivered({ undelivered, length }: Undelivered, signal: AbortSignal | undefined): Promise<Out> {
  try {
    const result = memoryOf(length)
    while (call((backend) => backend.resultTake(undelivered, result)) > 0) {
      await turn()
      signal?.throwIfAborted()
    }
    return result
  } finally {
    backend().release(undelivered)
  }
}

function memoryOf(length: number): Out {
  try {
    return new Uint8Array(length)
  } catch (cause) {
    throw new SealstoneError('too_long', 'the result is longer than an array can be', { cause })
  }
}

/** A result as of this realm: where a test runner runs us, the addon's objects and arrays may be of another. */
function ours<T>(result: T): T {
  if (typeof result !== 'object' || result === null || result instanceof Object) return result
  return adopted(result) as T
}

function adopted(result: object): object {
  if (ArrayBuffer.isView(result)) return moved(result as Uint8Array)
  if (Array.isArray(result)) return Array.from(result, ours)
  // A promise is awaited, whosever it is.
  if ('then' in result) return result
  return Object.fromEntries(Object.entries(result).map(([name, value]) => [name, ours(value)]))
}

/** Bytes of another realm in memory of this one: an array over theirs would have their `ArrayBuffer`. */
function moved(bytes: Uint8Array): Out {
  const result = new Uint8Array(bytes)
  bytes.fill(0)
  return result
}

/** A failure as our error. */
export function errorOf({ code, message, errno }: Failure): SealstoneError {
  return new SealstoneError(code, message, errno === undefined ? undefined : { cause: systemError(errno) })
}

function has<T>(settled: unknown, property: keyof T): settled is T {
  return typeof settled === 'object' && settled !== null && Object.hasOwn(settled, property)
}
