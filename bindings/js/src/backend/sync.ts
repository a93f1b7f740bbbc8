import type { YuantsFormat } from '../basics/table.js'
import type { AgeCalls } from './age.js'
import type { CipherCalls } from './cipher.js'
import type { ExchangeCalls } from './exchange.js'
import type { HashCalls } from './hash.js'
import type { KdfCalls } from './kdf.js'
import type { MacCalls } from './mac.js'
import type { RsaCalls } from './rsa.js'
import type { SignCalls } from './sign.js'
import type { SignatureCalls } from './signature.js'

/** An object by its number, which means nothing on another thread, nor to another copy of what computes. */
export type Handle = number

/** Why work failed, where an error cannot be thrown: in the result of a promise, of a part or of a batch. */
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

/** A passphrase, where there is one. */
export type Secret = Uint8Array | undefined
/** Bytes that come out, in memory of their own. */
export type Out = Uint8Array<ArrayBuffer>

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
 * What answers at once, in the addon as in WebAssembly: keys, headers, AEADs, digests, text, and the books of what goes on
 * elsewhere. The rest of this package is written against this, {@link BulkCalls} and {@link FileCalls}, and knows no algorithm,
 * length or default.
 */
export interface SyncCalls
  extends AgeCalls,
    CipherCalls,
    ExchangeCalls,
    HashCalls,
    KdfCalls,
    MacCalls,
    RsaCalls,
    SignCalls,
    SignatureCalls {
  /** What computes the AEADs, and the CPU's instruction sets, for people to read. */
  backend(): string
  release(object: Handle): void
  /** Releases an object some time after its owner is collected, also while a loop makes more of them without a turn. */
  own(object: Handle, owner: object): void
  /** Another number for an object, which lives until both are released. */
  again(object: Handle): Handle
  /** Moves bytes of a long result into memory of its length, as many as a turn has time for; returns how many are left. */
  resultTake(undelivered: Handle, result: Uint8Array): number
  /** Fills memory with randomness. */
  randomFill(out: Uint8Array<ArrayBuffer>): void

  identityGenerate(kind: string | undefined): Handle
  identitiesParse(file: Uint8Array, passphrase: Secret): Handle[]
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
  /** Bytes that are done, and of how many, where that is known. */
  jobProgress(job: Handle): number[]

  /** A sealer, and the length of the file of a plaintext of that length. */
  sealer(
    recipients: Handle[],
    suite: string | undefined,
    context: Uint8Array | undefined,
    allowMixed: boolean | undefined,
    profile: string | undefined,
    threads: number | undefined,
    plaintextLen: number,
  ): readonly [Handle, number]
  sealerFileLen(sealer: Handle, plaintextLen: number): number
  /** It ends the sealer's number. */
  sealInto(sealer: Handle, plaintext: Uint8Array, file: Uint8Array, threads: number | undefined): void
  sealerHead(sealer: Handle): Out
  /** Takes plaintext, as much as the next unit has room for; returns how much that is. */
  sealerFill(sealer: Handle, plaintext: Uint8Array): number
  /** Memory for a result that comes in parts. Until all work on them has ended nobody else may see it. */
  memory(len: number): Out

  /** Units of a stream that may be at work at the same time. */
  unitsMax(threads: number | undefined): number
  armour(): Handle
  armourUpdate(armour: Handle, file: Uint8Array): Out
  armourFinish(armour: Handle): Out
  /** For whoever replaces the file, armour is refused that is not alone. */
  dearmour(isAlone: boolean): Handle
  dearmourUpdate(dearmour: Handle, text: Uint8Array): Part
  dearmourFinish(dearmour: Handle): Part

  /** The number of bytes that {@link fileIsArmoured} looks at, of a file that begins so; without bytes, how many tell it. */
  armourLookLen(start: Uint8Array): number
  /** Bytes that {@link fileHeadLen} looks at. */
  fileStartLen(): number
  fileHeadLen(start: Uint8Array): number
  fileIsArmoured(start: Uint8Array): boolean
  /** An opener, and the length of the file's plaintext; a decryptor alone for one that is armoured. */
  opener(
    identities: Handle[],
    context: Uint8Array | undefined,
    profile: string | undefined,
    threads: number | undefined,
    file: Uint8Array,
  ): readonly [Handle, number?]
  /** It ends the opener's number. */
  openInto(opener: Handle, file: Uint8Array, plaintext: Uint8Array, threads: number | undefined): void
  /** Takes chunks, as much as the next unit has room for; returns how much that is. */
  openerFill(opener: Handle, chunks: Uint8Array): number
  /** Opens chunks from a number on; a length that is no whole number of chunks is that of the file's end. */
  openerAt(opener: Handle, first: number, chunks: Uint8Array): Out
  loading(): Handle
  loadingUpdate(loading: Handle, part: Uint8Array, len: number): void
  /** It ends the encryptor's number, as `decryptArmoured` the decryptor's. */
  encryptArmoured(encryptor: Handle, plaintext: Uint8Array): Out
  decryptArmoured(decryptor: Handle, file: Uint8Array): Out
  decryptRange(decryptor: Handle, file: Uint8Array, start: number, end: number): Out
  rewrap(rewrapper: Handle, file: Uint8Array): Out
  inspect(file: Uint8Array): Inspection

  /** The length of a message that is no text. */
  messageLen(recipient: Handle, plaintextLen: number): number
  messageSealInto(recipient: Handle, plaintext: Uint8Array, aad: Uint8Array, message: Uint8Array): void
  messageSealArmoured(recipient: Handle, plaintext: Uint8Array, aad: Uint8Array): string
  messageIsArmoured(message: Uint8Array): boolean
  /** Bytes before the ciphertext of a message that is no text; a tag stands behind it. */
  messageHeadLen(identity: Handle, message: Uint8Array): number
  messageOpenInto(identity: Handle, message: Uint8Array, aad: Uint8Array, plaintext: Uint8Array): void
  messageOpenArmoured(identity: Handle, message: Uint8Array, aad: Uint8Array): Out
  /** Bytes of a tag, of each chunk and of a message. */
  tagLen(): number
  chunkedKey(suite: string, key: Uint8Array): Handle
  chunkedSealer(key: Handle, context: Uint8Array): Handle
  chunkedOpener(key: Handle, context: Uint8Array, head: Uint8Array): Handle
  chunkedHeadLen(): number
  chunkedEncrypt(key: Handle, context: Uint8Array, plaintext: Uint8Array): Out
  chunkedDecrypt(key: Handle, context: Uint8Array, ciphertext: Uint8Array): Out

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
  yuantsHmac(hash: string, key: Uint8Array, data: Uint8Array): Out
  yuantsFnv(data: Uint8Array): string

  encodeText(encoding: TextEncoding, data: Uint8Array): string
  decodeText(encoding: TextEncoding, text: string): Out
}
