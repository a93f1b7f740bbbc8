import type { YuantsFormat } from '../basics/table.js'
import type { AgePromises } from './age.js'
import type { ExchangePromises } from './exchange.js'
import type { CrossingCost, DerivedOf } from './kdf.js'
import type { RsaPromises } from './rsa.js'
import type { SignPromises } from './sign.js'
import type { Failure, Handle, Out, Part, Secret } from './sync.js'

/** What a promise is fulfilled with where the result is long: it is fetched with `resultTake`. */
export interface Undelivered {
  readonly undelivered: Handle
  readonly length: number
}

/** What is promised; work that fails fulfils its promise too. */
export type Later<T> = Promise<T | Failure | Undelivered>

/** The results of many operations, one behind the other, and which of them failed. */
export interface BatchResult {
  readonly bytes: Out
  readonly lengths: readonly number[]
  readonly failures: readonly (Failure & { readonly index: number })[]
}

/**
 * What may take long: sealing and opening much, and deriving keys of passphrases. It is always a promise, since other threads do
 * it, and WebCrypto has promises alone. What is called `…Loaded` works on what `loadingUpdate` of `SyncCalls` took before.
 */
export interface BulkCalls extends AgePromises, ExchangePromises, RsaPromises, SignPromises {
  identitiesParseLater(file: Uint8Array, passphrase: Secret): Later<Handle[]>

  /** Where there are no threads, a job ends the derivation of a passphrase's key. */
  sealerLater(encryptor: Handle, job: Handle): Later<Handle>
  /** Seals the next unit, if it is full. */
  sealerUnit(sealer: Handle): Later<Part> | null
  /** The end of the stream. */
  sealerFinish(sealer: Handle): Later<Part>
  /** Takes the next part of a plaintext, and seals what it makes ready in the file's memory. */
  sealPart(sealer: Handle, part: Uint8Array, file: Out): Later<undefined> | null

  openerLater(decryptor: Handle, head: Uint8Array, job: Handle): Later<Handle>
  /** Opens the next unit, if it is full. */
  openerUnit(opener: Handle): Later<Part> | null
  /** What is left: at the end of the stream all, otherwise the chunks that are whole. */
  openerFinish(opener: Handle, isEnd: boolean): Later<Part>
  /** Takes the next part of a file, and opens what it makes ready in the plaintext's memory; says whether that was the end. */
  openPart(opener: Handle, part: Uint8Array, plaintext: Out): Later<boolean> | null
  decryptLoaded(decryptor: Handle, loading: Handle, job: Handle, threads: number | undefined): Later<Out>
  encryptArmouredLoaded(encryptor: Handle, loading: Handle, job: Handle): Later<Out>
  decryptRangeLoaded(decryptor: Handle, loading: Handle, start: number, end: number, job: Handle): Later<Out>
  rewrapLoaded(rewrapper: Handle, loading: Handle, job: Handle): Later<Out>

  /** Without a nonce one is drawn; it stands before the ciphertext, and what is loaded has room for it there. */
  aeadSealLoaded(key: Handle, nonce: Uint8Array | undefined, aad: Uint8Array, loading: Handle, job: Handle): Later<Out>
  aeadOpenLoaded(key: Handle, nonce: Uint8Array | undefined, aad: Uint8Array, loading: Handle, job: Handle): Later<Out>
  /** Seals a plaintext that lies in its place within the message's memory: before the tag. */
  messageSealPlaced(recipient: Handle, aad: Uint8Array, message: Out): Later<undefined>
  /** Opens a ciphertext where it lies; `head` is what stands before it in the message, and `tag` behind it. */
  messageOpenPlaced(identity: Handle, head: Uint8Array, aad: Uint8Array, text: Out, tag: Uint8Array): Later<undefined>
  messageSealArmouredLoaded(recipient: Handle, loading: Handle, aad: Uint8Array, job: Handle): Later<string>
  messageOpenArmouredLoaded(identity: Handle, loading: Handle, aad: Uint8Array, job: Handle): Later<Out>
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

  deriveLater(...of: [...CrossingCost, ...DerivedOf, isBounded: boolean, length: number, job: Handle]): Later<Out>
  passwordHashLater(...of: [password: Uint8Array, ...CrossingCost, job: Handle]): Later<string>
  passwordVerifyLater(password: Uint8Array, stored: string, isBounded: boolean, job: Handle): Later<undefined>

  yuantsSealLoaded(format: YuantsFormat, key: string, loading: Handle): Later<Out>
  yuantsOpenLoaded(format: YuantsFormat, key: string, loading: Handle): Later<Out>
  yuantsHmacLoaded(hash: string, key: Uint8Array, loading: Handle): Later<Out>
}
