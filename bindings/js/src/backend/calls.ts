// The types of all calls, and of what they give. `make generate` writes them of the engine's functions.
// `@throws` has the codes of a call's errors, except those that every call may give (docs/design/calls.md).

import type { Borrowed } from '../basics/bytes.js'

/** An object by its number, which means nothing on another thread, nor to another copy of what computes. */
export type Handle = number

/** Why work failed, where an error cannot be thrown: in the result of a promise, of a part or of a batch. */
export interface Failure {
  readonly code: string
  readonly message: string
  /** The system's number for what it refused. */
  readonly errno?: number
}

/** A part of a stream's result, and the failure behind it. */
export interface Part {
  readonly bytes: Out
  readonly failure?: Failure
}

/** The value of a promise whose result is long: `resultTake` fetches it. */
export interface Undelivered {
  readonly undelivered: Handle
  readonly length: number
}

/** Keys of a file; or null where the module of forms reads them, with the bytes that were sealed in the file, if it is sealed. */
export interface Read {
  readonly keys: Handle[] | null
  readonly opened: Out | undefined
}

/** A promise; work that fails fulfils it too. */
export type Later<T> = Promise<T | Failure | Undelivered>
/** Bytes that come out, in memory of their own. */
export type Out = Uint8Array<ArrayBuffer>
/** Bytes of the caller's, which are read during the call alone. */
export type Lent = Uint8Array | Borrowed
/** Bytes, or text that is well-formed, which stands for its UTF-8. */
export type Data = Lent | string

/** The public part of a file, which is seen without a key. */
export interface Inspection {
  /** The version of the format. */
  readonly version: number
  /** The suite's name, such as `aes-256-gcm`. */
  readonly suite: string
  /** Whether a context is bound. */
  readonly contextBound: boolean
  /** Whether the content is compressed. Then `plaintextLen` is the length of what is stored, and that of the content does not show. */
  readonly compressed: boolean
  /** Whether the content is an archive of files and folders. */
  readonly archive: boolean
  /** Whether it is ASCII armour. */
  readonly armoured: boolean
  /** Bytes of the header. */
  readonly headerLen: number
  /** One entry a recipient, in the file's order. */
  readonly stanzas: readonly StanzaInfo[]
  /** Bytes behind the header. */
  readonly payloadLen: number
  /** The length of the plaintext in bytes, computed from the length of the payload; of a compressed file that of its frames. */
  readonly plaintextLen: number
  /** The number of chunks. */
  readonly chunks: number
}

/** One stanza of a file: for which kind of recipient it is. */
export interface StanzaInfo {
  /** The kind's name, or `unknown`. */
  readonly kind: string
  /** The number of the kind in the format. */
  readonly typeId: number
  /** Bytes of the stanza. */
  readonly bodyLen: number
}

/** How many bytes an operation on a file has processed. */
export interface Processed {
  /** Bytes of plaintext. */
  readonly plaintext: number
  /** Bytes of the whole file, without armour. */
  readonly ciphertext: number
}

/** An archive that was written. */
export interface Archived {
  /** Bytes of the archive. */
  readonly plaintext: number
  /** Bytes of the whole file, without armour. */
  readonly ciphertext: number
  /** The number of members. */
  readonly members: number
  /** Bytes of all files. */
  readonly fileBytes: number
  /** The number of members that could not be read, or changed while they were read. The archive has all others. */
  readonly leftOut: number
  /**
   * Why members are not in the archive, or not as they are; of more than 1,000 the first ones. They also name FIFOs, devices and sockets,
   * which `leftOut` does not count.
   */
  readonly notes: readonly LeftOut[]
}

/** Why a member is not in an archive, or not as it is. */
export interface LeftOut {
  /** The error's code. */
  readonly code: string
  /** The error's text, which names the member. */
  readonly message: string
}

/** The members of an archive, in the order of their paths. Each list has one item for each member. */
export interface Listing {
  /** The path of each member, with the target of a link behind it, one member behind the other. */
  readonly names: Out
  /** Bytes of each path. */
  readonly pathLengths: readonly number[]
  /** Bytes of the target of each link; 0 of what is no link. */
  readonly linkLengths: readonly number[]
  /** The kind of each member: 0 a file, 1 a hard link, 2 a symbolic link, 3 a folder. */
  readonly kinds: readonly number[]
  /** Bytes of each file, with its holes; 0 of what is no file. */
  readonly sizes: readonly number[]
  /** Permissions, with set-user-ID, set-group-ID and sticky: 12 bits. */
  readonly modes: readonly number[]
  /** The modification times, in whole seconds since 1970; negative before. */
  readonly seconds: readonly number[]
  /** The rest of the modification times in nanoseconds. */
  readonly nanoseconds: readonly number[]
}

/** The members of an archive that were made. */
export interface Extracted {
  /** The number of files, folders and links. */
  readonly members: number
  /** Bytes of all files. */
  readonly fileBytes: number
}

/** The results of many operations, one behind the other, and the operations that failed. */
export interface BatchResult {
  /** All results. */
  readonly bytes: Out
  /** The length of each result in `bytes`; 0 of one that failed. */
  readonly lengths: readonly number[]
  /** The operations that failed. */
  readonly failures: readonly ItemFailure[]
}

/** An operation of several that failed. */
export interface ItemFailure {
  /** Its place among the operations. */
  readonly index: number
  /** The error's code. */
  readonly code: string
  /** The error's text. */
  readonly message: string
}

/** The signer of content that was verified. */
export interface Verification {
  /** The kind of the key. */
  readonly kind: string
  /** The key's fingerprint. */
  readonly fingerprint: string
  /** The fingerprint that SSH shows. */
  readonly sshFingerprint: string
  /** The principals of a file of allowed signers. */
  readonly principals?: string | undefined
  /** The comment of the signature. */
  readonly comment?: string | undefined
  /** Bytes of the content. */
  readonly contentLen: number
}

/** How many bytes were signed into a file. */
export interface Signed {
  /** Bytes of the content. */
  readonly content: number
  /** Bytes of the content and its signature. */
  readonly written: number
}

/** Two keys of yuants, as text. Strings of JavaScript cannot be zeroed. */
export interface KeyPairText {
  /** The public key. */
  readonly publicKey: string
  /** The private key. */
  readonly privateKey: string
}

/** How a key is derived from the secret that two sides share: by `hkdf`, or by `concat`, which has no salt, over a hash by its name. */
export type AgreedBy = readonly [kdf: string, hash: string, salt: Uint8Array, info: Uint8Array]

/** Options of an encryptor. Core has the defaults. */
export type EncryptOptions = readonly [
  suite: string | undefined,
  context: Uint8Array | undefined,
  allowMixed: boolean | undefined,
  profile: string | undefined,
  armour: boolean | undefined,
  threads: number | undefined,
]

/**
 * The cost of a derivation: `argon2id`, `argon2i` and `argon2d` with memory in KiB, passes and lanes; `scrypt` with the logarithm of N, r
 * and p; `pbkdf2-HASH` with iterations.
 */
export type CrossingCost = readonly [name: string, a: number, b: number, c: number]

/** All that a key is derived of: password and salt, and of Argon2 alone a secret and associated data, which may be empty. */
export type DerivedOf = readonly [password: Uint8Array, salt: Uint8Array, secret: Uint8Array, data: Uint8Array]

/** The options of OAEP on both sides: a hash by its name, by default the usual one, and a label. */
export type OaepOptions = readonly [hash: string | undefined, label: Uint8Array]

/** Options of a signature. What is not there has its default, by the kind of the key. */
export type SignOptions = readonly [choices: number, context: Uint8Array | undefined, id: Uint8Array | undefined]

export interface AgeCalls {
  /**
   * Makes a new identity of a kind, as text.
   * @throws `invalid_identity`, `invalid_passphrase`, `unknown_algorithm`, `unavailable_backend`, `no_randomness`
   */
  ageIdentityGenerate(kind: string): string
  /**
   * Reads an identity. WebAssembly has none of SSH: a module that reads them would be half as large again.
   * @throws `cost_too_high`, `no_matching_identity`, `invalid_identity`, `unsupported_key`, `passphrase_required`, `invalid_passphrase`,
   * `unavailable_backend`
   */
  ageIdentity(text: Uint8Array, passphrase: Uint8Array | undefined): Handle
  /**
   * Makes the identity of a passphrase.
   * @throws `invalid_passphrase`
   */
  ageIdentityOfPassphrase(text: Uint8Array): Handle
  /**
   * Gives the recipient of an identity, as text.
   * @throws `invalid_option`
   */
  ageIdentityRecipient(identity: Handle): string
  /**
   * Reads a recipient.
   * @throws `invalid_recipient`, `unsupported_key`
   */
  ageRecipient(text: string): Handle
  /**
   * Makes the recipient of a passphrase, which costs 2^`logN`.
   * @throws `invalid_passphrase`, `invalid_option`
   */
  ageRecipientOfPassphrase(text: Uint8Array, logN: number): Handle
  /**
   * Writes the recipient of a point of X25519.
   * @throws `invalid_recipient`
   */
  ageRecipientOfPoint(point: Uint8Array): string
  /**
   * Makes what encrypts files to recipients.
   * @throws `mixed_recipients`, `invalid_recipients`
   */
  ageEncryptor(recipients: readonly Handle[], threads: number | undefined): Handle
  /** Makes what decrypts files with identities. */
  ageDecryptor(identities: readonly Handle[], threads: number | undefined): Handle
  /**
   * Says how many bytes of a file are before its first chunk, by its beginning; 0 where more of that is needed to say.
   * @throws `malformed_header`
   */
  ageHeadLen(start: Uint8Array): number
  /**
   * Gives the length of the chunks of a plaintext.
   * @throws `too_long`
   */
  ageSealedLen(plaintextLen: number): number
  /**
   * Gives the length of the plaintext of chunks.
   * @throws `truncated`
   */
  ageOpenedLen(chunksLen: number): number
  /** Says how many bytes of plaintext every chunk but the last has. */
  ageChunkLen(): number
  /**
   * Gives the stanzas of a head.
   * @throws `malformed_header`, `malformed_armour`, `truncated`
   */
  ageStanzas(head: Uint8Array): Out
  /**
   * Wraps a file key for a recipient; returns the stanzas.
   * @throws `cost_too_high`, `invalid_recipient`, `wrong_length`, `unavailable_backend`, `no_randomness`
   */
  ageWrap(recipient: Handle, fileKey: Uint8Array): Out
  /**
   * Gives the point in a stanza of X25519.
   * @throws `malformed_header`
   */
  ageX25519Share(stanza: Uint8Array): Out
  /**
   * Gives the file key of such a stanza, by the secret that its share and a key of the caller have in common; no bytes where it is another
   * key's.
   * @throws `malformed_header`, `unavailable_backend`
   */
  ageX25519FileKey(stanza: Uint8Array, publicKey: Uint8Array, secret: Uint8Array): Out
  /** Says how many units of a file may be at work at the same time. */
  ageUnitsMax(): number
  /**
   * Begins a file with stanzas that a caller has made.
   * @throws `malformed_header`, `cost_too_high`, `mixed_recipients`, `invalid_recipients`, `wrong_length`, `unavailable_backend`,
   * `no_randomness`
   */
  ageSealerOfStanzas(stanzas: Uint8Array, fileKey: Uint8Array): Handle
  /** Gives all of the file before its first chunk. */
  ageSealerHead(sealer: Handle): Out
  /** Takes plaintext, as much as the next unit has room for; returns how much that is. */
  ageSealerFill(sealer: Handle, plaintext: Uint8Array): number
  /**
   * Begins to open a file whose key a caller knows.
   * @throws `malformed_header`, `truncated`, `cost_too_high`, `header_not_authentic`, `wrong_length`, `unavailable_backend`
   */
  ageOpenerOfFileKey(head: Uint8Array, fileKey: Uint8Array): Handle
  /** Takes chunks, as much as the next unit has room for; returns how much that is. */
  ageOpenerFill(opener: Handle, chunks: Uint8Array): number
  /**
   * Opens chunks from a number on; `isEnd` says that the file ends with them.
   * @throws `truncated`, `not_authentic`
   */
  ageOpenerAt(opener: Handle, first: number, chunks: Uint8Array, isEnd: boolean): Out
  /** Writes a file as text. */
  ageArmour(file: Uint8Array): string
  /**
   * Reads a file that is text.
   * @throws `malformed_armour`
   */
  ageDearmour(text: Uint8Array): Out
  /** Whether a file that begins so is text. */
  ageIsArmoured(start: Uint8Array): boolean
}

export interface BaseCalls {
  /**
   * Names what computes the AEADs, and the CPU's instruction sets, for people to read.
   * @throws `unavailable_backend`
   */
  backend(): string

  /**
   * Makes a key for chunks of a suite.
   * @throws `unknown_algorithm`, `wrong_length`
   */
  chunkedKey(suite: string, key: Uint8Array): Handle
  /**
   * Begins a ciphertext.
   * @throws `unavailable_backend`, `no_randomness`
   */
  chunkedSealer(key: Handle, context: Uint8Array): Handle
  /**
   * Begins to open a ciphertext, by its head.
   * @throws `truncated`, `not_authentic`, `unavailable_backend`
   */
  chunkedOpener(key: Handle, context: Uint8Array, head: Uint8Array): Handle
  /** Gives the length of a ciphertext's head. */
  chunkedHeadLen(): number
  /**
   * Encrypts a plaintext.
   * @throws `unavailable_backend`, `too_long`, `no_randomness`
   */
  chunkedEncrypt(key: Handle, context: Uint8Array, plaintext: Uint8Array): Out
  /**
   * Decrypts a ciphertext.
   * @throws `truncated`, `not_authentic`, `unavailable_backend`
   */
  chunkedDecrypt(key: Handle, context: Uint8Array, ciphertext: Uint8Array): Out
  /** Gives the length of the tag of each chunk, and of a message. */
  tagLen(): number

  /**
   * Encrypts a plaintext, as text where the encryptor armours.
   * @throws `cost_too_high`, `mixed_recipients`, `invalid_recipients`, `not_in_profile`, `unavailable_backend`, `too_long`,
   * `no_randomness`
   */
  encryptArmoured(encryptor: Handle, plaintext: Uint8Array): Out
  /**
   * Decrypts a file, which may be text.
   * @throws `not_sealstone`, `unsupported_version`, `unsupported_suite`, `malformed_header`, `malformed_armour`, `malformed_compression`,
   * `truncated`, `context_required`, `context_not_bound`, `cost_too_high`, `no_matching_identity`, `header_not_authentic`,
   * `not_authentic`, `not_in_profile`, `unavailable_backend`, `too_long`
   */
  decryptArmoured(decryptor: Handle, file: Uint8Array): Out
  /**
   * Decrypts the bytes of a plaintext from `start` to `end`.
   * @throws `not_sealstone`, `unsupported_version`, `unsupported_suite`, `malformed_header`, `malformed_armour`, `malformed_compression`,
   * `truncated`, `context_required`, `context_not_bound`, `cost_too_high`, `no_matching_identity`, `header_not_authentic`,
   * `not_authentic`, `not_in_profile`, `unavailable_backend`, `range_out_of_bounds`, `too_long`
   */
  decryptRange(decryptor: Handle, file: Uint8Array, start: number, end: number): Out
  /**
   * Gives a file other recipients; its chunks stay as they are.
   * @throws `not_sealstone`, `unsupported_version`, `unsupported_suite`, `malformed_header`, `malformed_armour`, `truncated`,
   * `cost_too_high`, `no_matching_identity`, `header_not_authentic`, `mixed_recipients`, `invalid_recipients`, `not_in_profile`,
   * `unavailable_backend`, `no_randomness`
   */
  rewrap(rewrapper: Handle, file: Uint8Array): Out
  /**
   * Shows the public part of a file.
   * @throws `not_sealstone`, `unsupported_version`, `unsupported_suite`, `malformed_header`, `malformed_armour`, `truncated`
   */
  inspect(file: Uint8Array): Inspection

  /**
   * Makes a new identity of a kind, by default of the kind that resists quantum computers.
   * @throws `invalid_identity`, `invalid_passphrase`, `unknown_algorithm`, `unavailable_backend`, `no_randomness`
   */
  identityGenerate(kind: string | undefined): Handle
  /**
   * Makes the identity of a passphrase.
   * @throws `invalid_passphrase`
   */
  identityOfPassphrase(text: Uint8Array): Handle
  /**
   * Makes the identity of a symmetric key.
   * @throws `wrong_length`
   */
  identityOfKey(bytes: Uint8Array): Handle
  /** Names the kind of an identity. */
  identityKind(identity: Handle): string
  /** Whether the use of an identity takes so long that it does not belong on JavaScript's thread. */
  identityIsSlow(identity: Handle): boolean
  /** Gives the recipient of an identity. */
  identityRecipient(identity: Handle): Handle
  /** Names the kind of a recipient. */
  recipientKind(recipient: Handle): string
  /** Gives the fingerprint of a recipient, which a passphrase has not. */
  recipientFingerprint(recipient: Handle): string | null

  /**
   * Gives the length of a message that is no text.
   * @throws `invalid_recipients`, `too_long`
   */
  messageLen(recipient: Handle, plaintextLen: number): number
  /**
   * Seals a message into memory. Its length: `messageLen`. After an error the memory is zero.
   * @throws `invalid_recipients`, `wrong_length`, `too_long`, `no_randomness`
   */
  messageSealInto(recipient: Handle, plaintext: Uint8Array, aad: Uint8Array, message: Uint8Array): void
  /**
   * Seals a message as text.
   * @throws `invalid_recipients`, `too_long`, `no_randomness`
   */
  messageSealArmoured(recipient: Handle, plaintext: Uint8Array, aad: Uint8Array): string
  /** Whether a message that begins so is text. */
  messageIsArmoured(start: Uint8Array): boolean
  /**
   * Says how many bytes are before the ciphertext of a message of that length, which is no text; a tag stands behind it.
   * @throws `not_sealstone`, `unsupported_suite`, `truncated`, `no_matching_identity`, `too_long`
   */
  messageHeadLen(identity: Handle, start: Uint8Array, messageLen: number): number
  /**
   * Opens a message into memory. Its length: the message's less `messageHeadLen` and `tagLen`. After an error the memory is zero.
   * @throws `not_sealstone`, `unsupported_suite`, `truncated`, `no_matching_identity`, `not_authentic`, `wrong_length`, `too_long`
   */
  messageOpenInto(identity: Handle, message: Uint8Array, aad: Uint8Array, plaintext: Uint8Array): void
  /**
   * Opens a message, as bytes or as text.
   * @throws `not_sealstone`, `unsupported_suite`, `malformed_armour`, `truncated`, `no_matching_identity`, `not_authentic`, `too_long`
   */
  messageOpenArmoured(identity: Handle, message: Uint8Array, aad: Uint8Array): Out

  /**
   * Makes what encrypts files to recipients.
   * @throws `invalid_context`, `unknown_algorithm`
   */
  encryptor(
    recipients: readonly Handle[],
    suite: string | undefined,
    context: Uint8Array | undefined,
    allowMixed: boolean | undefined,
    profile: string | undefined,
    armour: boolean | undefined,
    threads: number | undefined,
  ): Handle
  /**
   * Makes what decrypts files with identities.
   * @throws `invalid_context`, `unknown_algorithm`
   */
  decryptor(
    identities: readonly Handle[],
    context: Uint8Array | undefined,
    profile: string | undefined,
    threads: number | undefined,
  ): Handle
  /**
   * Makes what gives files other recipients.
   * @throws `unknown_algorithm`
   */
  rewrapper(
    identities: readonly Handle[],
    recipients: readonly Handle[],
    replace: boolean | undefined,
    allowMixed: boolean | undefined,
    profile: string | undefined,
  ): Handle
  /** Whether the files of an encryptor are text. */
  encryptorArmours(encryptor: Handle): boolean

  /**
   * Begins a file, and says how long it is with a plaintext of that length. The options say nothing of armour.
   * @throws `cost_too_high`, `mixed_recipients`, `invalid_recipients`, `not_in_profile`, `invalid_context`, `unknown_algorithm`,
   * `unavailable_backend`, `too_long`, `no_randomness`
   */
  sealer(
    recipients: readonly Handle[],
    suite: string | undefined,
    context: Uint8Array | undefined,
    allowMixed: boolean | undefined,
    profile: string | undefined,
    armour: boolean | undefined,
    threads: number | undefined,
    plaintextLen: number,
  ): readonly [Handle, number]
  /**
   * Gives the length of the file of a plaintext of so many bytes.
   * @throws `too_long`
   */
  sealerFileLen(sealer: Handle, plaintextLen: number): number
  /**
   * Encrypts a whole plaintext into memory. Its length: `sealerFileLen` says it, and so does `sealer`. After an error the memory is zero.
   * @throws `wrong_length`, `too_long`
   */
  sealInto(sealer: Handle, plaintext: Uint8Array, file: Uint8Array, threads: number | undefined): void
  /** Gives all of the file before its first chunk. */
  sealerHead(sealer: Handle): Out
  /** Takes plaintext, as much as the next unit has room for; returns how much that is. */
  sealerFill(sealer: Handle, plaintext: Uint8Array): number
  /** Says how many units of a stream may be at work at the same time. */
  unitsMax(threads: number | undefined): number
  /** Begins to write armour. */
  armour(): Handle
  /** Takes more of a file; returns lines of its armour. */
  armourUpdate(armour: Handle, file: Uint8Array): Out
  /** Returns the end of the armour. */
  armourFinish(armour: Handle): Out
  /** Begins to read armour; where it `isAlone`, other text around it is refused, as whoever replaces the file needs it. */
  dearmour(isAlone: boolean): Handle
  /**
   * Takes more text; returns the bytes that it stands for, up to the first fault.
   * @throws `malformed_armour`
   */
  dearmourUpdate(dearmour: Handle, text: Uint8Array): Part
  /**
   * Ends the text; returns what is left.
   * @throws `malformed_armour`
   */
  dearmourFinish(dearmour: Handle): Part
  /** Says how many bytes `fileIsArmoured` looks at, of a file that begins so; without bytes, how many tell it. */
  armourLookLen(start: Uint8Array): number
  /** Says how many bytes `fileHeadLen` looks at. */
  fileStartLen(): number
  /**
   * Gives the length of a file's head, by its first bytes.
   * @throws `not_sealstone`, `unsupported_version`, `unsupported_suite`, `malformed_header`, `truncated`
   */
  fileHeadLen(start: Uint8Array): number
  /** Whether a file that begins so is text. */
  fileIsArmoured(start: Uint8Array): boolean
  /**
   * Begins to open a file of so many bytes, of which `head` is the beginning, and says how long its plaintext is; of a file that is
   * armoured or compressed it makes the decryptor alone.
   * @throws `not_sealstone`, `unsupported_version`, `unsupported_suite`, `malformed_header`, `truncated`, `context_required`,
   * `context_not_bound`, `cost_too_high`, `no_matching_identity`, `header_not_authentic`, `not_authentic`, `not_in_profile`,
   * `invalid_context`, `unknown_algorithm`, `unavailable_backend`, `too_long`
   */
  opener(
    identities: readonly Handle[],
    context: Uint8Array | undefined,
    profile: string | undefined,
    threads: number | undefined,
    head: Uint8Array,
    fileLen: number,
  ): readonly [Handle, number?]
  /**
   * Decrypts a whole file into memory. Its length: `openerPlaintextLen` says it, and so does `opener`. After an error the memory is zero.
   * @throws `truncated`, `not_authentic`, `wrong_length`
   */
  openInto(opener: Handle, file: Uint8Array, plaintext: Uint8Array, threads: number | undefined): void
  /** Takes chunks, as much as the next unit has room for; returns how much that is. */
  openerFill(opener: Handle, chunks: Uint8Array): number
  /**
   * Opens chunks from a number on; a length that is no whole number of chunks is that of the file's end.
   * @throws `truncated`, `not_authentic`, `too_long`
   */
  openerAt(opener: Handle, first: number, chunks: Uint8Array): Out
}

export interface CipherCalls {
  /**
   * Makes a key for an AEAD.
   * @throws `unknown_algorithm`, `wrong_length`, `unavailable_backend`
   */
  aead(algorithm: string, key: Uint8Array): Handle
  /**
   * Gives the length of the keys of an AEAD.
   * @throws `unknown_algorithm`
   */
  aeadKeyLen(algorithm: string): number
  /**
   * Gives the length of the nonces of an AEAD.
   * @throws `unknown_algorithm`
   */
  aeadNonceLen(algorithm: string): number
  /** Gives the length of a tag. */
  aeadTagLen(): number
  /**
   * Seals a plaintext into memory. Its length: the plaintext's plus `aeadTagLen`. Without a nonce one is drawn, which stands before the
   * ciphertext, and the memory is longer by `aeadNonceLen`. After an error the memory is zero, unless the input lay there.
   * @throws `wrong_length`, `too_long`, `no_randomness`
   */
  aeadSeal(key: Handle, nonce: Lent | undefined, aad: Lent | undefined, plaintext: Lent, sealed: Uint8Array): void
  /**
   * Opens a ciphertext into memory. Its length: the ciphertext's less `aeadTagLen`, or with room for the tag as well. Without a nonce it
   * is read from before the ciphertext, and the memory is shorter by `aeadNonceLen`. After an error the memory is zero, unless the input
   * lay there; after `not_authentic` it is zero in any case.
   * @throws `not_authentic`, `wrong_length`
   */
  aeadOpen(key: Handle, nonce: Lent | undefined, aad: Lent | undefined, sealed: Lent, plaintext: Uint8Array): void
  /**
   * Seals a plaintext as text.
   * @throws `wrong_length`, `too_long`, `no_randomness`
   */
  aeadSealText(key: Handle, nonce: Lent | undefined, aad: Data, plaintext: Data, encoding: number): string
  /**
   * Opens a text whose plaintext is text too.
   * @throws `not_authentic`, `wrong_length`, `invalid_encoding`
   */
  aeadOpenText(key: Handle, nonce: Lent | undefined, aad: Data, sealed: Data, encoding: number): string
  /**
   * Seals items that lie one behind the other; nonce, ciphertext and tag of each lie so in memory. Its length: the items', plus
   * `aeadNonceLen` and `aeadTagLen` for each. After an error the memory is zero.
   * @throws `too_long`, `no_randomness`
   */
  aeadSealBatch(key: Handle, aad: Uint8Array, data: Uint8Array, lengths: Uint32Array, out: Uint8Array): void
  /**
   * Opens such items into memory. Its length: the items', less `aeadNonceLen` and `aeadTagLen` for each. Returns of each 1, or 0 of one
   * that is not authentic, whose place is zero.
   */
  aeadOpenBatch(key: Handle, aad: Uint8Array, data: Uint8Array, lengths: Uint32Array, out: Uint8Array): Out

  /**
   * Gives the number of an encoding; for ciphers alone.
   * @throws `unknown_algorithm`
   */
  cipherEncodingId(encoding: string): number
  /** Writes Base64 with padding, of bytes that are no key, into memory for which the digits are just as long. */
  base64EncodeInto(bytes: Uint8Array, digits: Uint8Array): void
  /**
   * Reads Base64 into memory that has room for its bytes; returns how many there are. After an error the memory is zero.
   * @throws `invalid_encoding`
   */
  base64DecodeInto(digits: Uint8Array, bytes: Uint8Array): number
  /**
   * Makes a key for a mode.
   * @throws `unknown_algorithm`, `wrong_length`, `invalid_key`, `unavailable_backend`
   */
  cipher(algorithm: string, key: Uint8Array): Handle
  /**
   * Gives the length of the keys of a mode.
   * @throws `unknown_algorithm`
   */
  cipherKeyLen(algorithm: string): number
  /** Whether a plaintext is padded unless that is declined. */
  cipherPads(cipher: Handle): boolean
  /**
   * Encrypts into memory. Its length: the plaintext's, or where it is padded (`cipherPads`) the next multiple of 16 bytes. After an error
   * the memory is zero, unless the input lay there.
   * @throws `wrong_length`, `partial_block`
   */
  cipherEncrypt(
    cipher: Handle,
    iv: Uint8Array,
    plaintext: Lent,
    ciphertext: Uint8Array,
    pads: boolean | undefined,
  ): void
  /**
   * Decrypts into memory. Its length: the ciphertext's. Returns the plaintext's. After an error the memory is zero, unless the input lay
   * there; after `invalid_padding` it is zero in any case.
   * @throws `wrong_length`, `partial_block`, `invalid_padding`
   */
  cipherDecrypt(
    cipher: Handle,
    iv: Uint8Array,
    ciphertext: Lent,
    plaintext: Uint8Array,
    pads: boolean | undefined,
  ): number
  /**
   * Encrypts to text.
   * @throws `wrong_length`, `partial_block`, `too_long`
   */
  cipherEncryptText(cipher: Handle, iv: Lent, plaintext: Data, pads: boolean | undefined, encoding: number): string
  /**
   * Decrypts a text whose plaintext is text too.
   * @throws `wrong_length`, `invalid_encoding`, `partial_block`, `invalid_padding`
   */
  cipherDecryptText(cipher: Handle, iv: Lent, ciphertext: Data, pads: boolean | undefined, encoding: number): string
  /**
   * Makes a key for an old cipher, which decrypts, and encrypts only where the caller says so.
   * @throws `unknown_algorithm`, `wrong_length`, `legacy_encryption`
   */
  legacy(algorithm: string, key: Uint8Array, encrypts: boolean): Handle
  /**
   * Encrypts.
   * @throws `wrong_length`, `partial_block`, `legacy_encryption`
   */
  legacyEncrypt(legacy: Handle, iv: Uint8Array, plaintext: Uint8Array, pads: boolean | undefined): Out
  /**
   * Decrypts.
   * @throws `wrong_length`, `partial_block`, `invalid_padding`
   */
  legacyDecrypt(legacy: Handle, iv: Uint8Array, ciphertext: Uint8Array, pads: boolean | undefined): Out
  /**
   * Encrypts to text.
   * @throws `wrong_length`, `partial_block`, `legacy_encryption`, `too_long`
   */
  legacyEncryptText(
    legacy: Handle,
    iv: Uint8Array,
    plaintext: Uint8Array,
    pads: boolean | undefined,
    encoding: number,
  ): string
  /**
   * Decrypts a text whose plaintext is text too.
   * @throws `wrong_length`, `invalid_encoding`, `partial_block`, `invalid_padding`
   */
  legacyDecryptText(
    legacy: Handle,
    iv: Uint8Array,
    ciphertext: Data,
    pads: boolean | undefined,
    encoding: number,
  ): string
  /**
   * Makes a key that wraps others.
   * @throws `unknown_algorithm`, `wrong_length`
   */
  keyWrap(algorithm: string, key: Uint8Array): Handle
  /**
   * Wraps a key.
   * @throws `wrong_length`, `too_long`
   */
  keyWrapWrap(key: Handle, secret: Uint8Array): Out
  /**
   * Unwraps a key.
   * @throws `not_authentic`
   */
  keyWrapUnwrap(key: Handle, wrapped: Uint8Array): Out
  /**
   * Makes a key for AES-CCM.
   * @throws `unknown_algorithm`, `wrong_length`
   */
  ccm(algorithm: string, key: Uint8Array, tagLen: number): Handle
  /**
   * Seals.
   * @throws `wrong_length`, `too_long`
   */
  ccmSeal(key: Handle, nonce: Uint8Array, aad: Uint8Array, plaintext: Uint8Array): Out
  /**
   * Opens.
   * @throws `not_authentic`, `wrong_length`
   */
  ccmOpen(key: Handle, nonce: Uint8Array, aad: Uint8Array, sealed: Uint8Array): Out
  /**
   * Makes a tag of Poly1305, whose key is for one message.
   * @throws `wrong_length`, `unavailable_backend`
   */
  poly1305(key: Uint8Array, data: Uint8Array): Out
}

export interface CompatCalls {
  /**
   * Makes a pair of keys that sign, of a seed, or a new one.
   * @throws `wrong_length`, `no_randomness`
   */
  yuantsKeyPair(seed: Uint8Array | undefined): KeyPairText
  /**
   * Gives the pair of a private key that signs.
   * @throws `wrong_length`, `invalid_encoding`, `invalid_key`
   */
  yuantsKeyPairOf(privateKey: string): KeyPairText
  /**
   * Makes a new pair of keys for X25519.
   * @throws `no_randomness`
   */
  yuantsX25519(): KeyPairText
  /**
   * Gives the key that two sides share.
   * @throws `wrong_length`, `invalid_encoding`, `invalid_key`
   */
  yuantsSharedKey(publicKey: string, privateKey: string): string
  /**
   * Signs a message.
   * @throws `wrong_length`, `invalid_key`
   */
  yuantsSign(privateKey: Uint8Array, message: Uint8Array): Out
  /**
   * Signs a message with a key that is text, to text.
   * @throws `wrong_length`, `invalid_encoding`, `invalid_key`
   */
  yuantsSignText(privateKey: string, message: Uint8Array): string
  /**
   * Whether a signature is one of the message; `malleable` also takes those that others can make of one.
   * @throws `wrong_length`, `invalid_encoding`, `invalid_key`
   */
  yuantsVerify(publicKey: string, message: Uint8Array, signature: string, malleable: boolean | undefined): boolean
  /**
   * Gives the length before a ciphertext that this package makes.
   * @throws `unknown_algorithm`
   */
  yuantsHeadLen(format: string): number
  /**
   * Gives the length behind a ciphertext.
   * @throws `unknown_algorithm`
   */
  yuantsTailLen(format: string): number
  /**
   * Gives the length before the ciphertext of a whole that begins so.
   * @throws `unknown_algorithm`, `malformed_ciphertext`
   */
  yuantsHeadLenOf(format: string, sealed: Uint8Array): number
  /**
   * Seals a plaintext into memory. Its length: the plaintext's plus `yuantsHeadLen` and `yuantsTailLen`. After an error the memory is
   * zero, unless the input lay there.
   * @throws `unknown_algorithm`, `wrong_length`, `invalid_encoding`, `invalid_key`, `unavailable_backend`, `too_long`, `no_randomness`
   */
  yuantsSeal(format: string, key: string, plaintext: Lent, sealed: Uint8Array): void
  /**
   * Opens a whole into memory. Its length: the whole's less `yuantsHeadLenOf`. Returns the plaintext's. After an error the memory is zero,
   * unless the input lay there; after `not_authentic` it is zero in any case.
   * @throws `not_authentic`, `unknown_algorithm`, `wrong_length`, `invalid_encoding`, `malformed_ciphertext`
   */
  yuantsOpen(format: string, key: string, sealed: Lent, plaintext: Uint8Array): number
  /**
   * Gives the HMAC of data.
   * @throws `unknown_algorithm`
   */
  yuantsHmac(hash: string, key: Uint8Array, data: Uint8Array): Out
  /** Gives the hash FNV-1a of data, as 16 hexadecimal digits. */
  yuantsFnv(data: Uint8Array): string
  /**
   * Writes bytes in an encoding.
   * @throws `unknown_algorithm`, `too_long`
   */
  encodeText(encoding: string, data: Uint8Array): string
  /**
   * Reads a text.
   * @throws `unknown_algorithm`, `invalid_encoding`
   */
  decodeText(encoding: string, text: string): Out
}

export interface DigestCalls {
  /**
   * Gives the number of a hash.
   * @throws `unknown_algorithm`
   */
  hashId(algorithm: string): number
  /** Gives the length of a hash's digests. */
  hashLen(algorithm: number): number
  /**
   * Gives the number of an encoding.
   * @throws `unknown_algorithm`
   */
  encodingId(encoding: string): number
  /**
   * Hashes data into memory, which may be the data's own. Its length: `hashLen`, or another one that the algorithm has. After an error the
   * memory is unchanged or zero.
   * @throws `wrong_length`, `too_long`
   */
  hashInto(algorithm: number, data: Data, digest: Uint8Array): void
  /**
   * Hashes data to text.
   * @throws `wrong_length`, `too_long`
   */
  hashText(algorithm: number, data: Data, encoding: number, length: number): string
  /** Hashes items that lie one behind the other; their digests lie so in memory. Its length: `hashLen` for each item. */
  hashBatch(algorithm: number, data: Uint8Array, lengths: Uint32Array, digests: Uint8Array): void
  /** Hashes such items to one text. */
  hashBatchText(algorithm: number, data: Uint8Array, lengths: Uint32Array, encoding: number): string
  /** Begins a digest. */
  hasher(algorithm: number): Handle
  /** Makes another one that has taken the same. */
  hasherClone(hasher: Handle): Handle
  /** Takes more data. */
  hasherUpdate(hasher: Handle, data: Uint8Array): void
  /**
   * Gives the digest of the data so far.
   * @throws `wrong_length`, `too_long`
   */
  hasherDigest(hasher: Handle, length: number): Out
  /**
   * Gives it as text.
   * @throws `wrong_length`, `too_long`
   */
  hasherText(hasher: Handle, encoding: number, length: number): string

  /**
   * HKDF, RFC 5869.
   * @throws `unknown_algorithm`, `wrong_length`, `too_long`
   */
  hkdf(hash: string, secret: Uint8Array, salt: Uint8Array, info: Uint8Array, length: number): Out
  /**
   * The first step of HKDF.
   * @throws `unknown_algorithm`
   */
  hkdfExtract(hash: string, salt: Uint8Array, secret: Uint8Array): Out
  /**
   * The second step of HKDF.
   * @throws `unknown_algorithm`, `wrong_length`, `too_long`
   */
  hkdfExpand(hash: string, key: Uint8Array, info: Uint8Array, length: number): Out
  /**
   * The one-step KDF of SP 800-56C.
   * @throws `unknown_algorithm`, `wrong_length`, `too_long`
   */
  concatKdf(hash: string, secret: Uint8Array, info: Uint8Array, length: number): Out
  /**
   * The key derivation of BLAKE3.
   * @throws `wrong_length`, `too_long`
   */
  blake3DeriveKey(context: string, secret: Uint8Array, length: number): Out
  /**
   * Derives a key of a password.
   * @throws `cost_too_high`, `unknown_algorithm`, `invalid_cost`, `wrong_length`, `unavailable_backend`, `too_long`
   */
  derive(
    name: string,
    a: number,
    b: number,
    c: number,
    password: Uint8Array,
    salt: Uint8Array,
    secret: Uint8Array,
    data: Uint8Array,
    isBounded: boolean,
    length: number,
  ): Out
  /**
   * Makes a cache of derived keys. The clock is the caller's, in whole milliseconds.
   * @throws `no_randomness`
   */
  keyCache(entries: number, lifetimeMs: number): Handle
  /**
   * Gives a key that is there; else no bytes.
   * @throws `cost_too_high`, `unknown_algorithm`, `invalid_cost`, `wrong_length`, `too_long`
   */
  keyCacheFind(
    cache: Handle,
    nowMs: number,
    name: string,
    a: number,
    b: number,
    c: number,
    password: Uint8Array,
    salt: Uint8Array,
    secret: Uint8Array,
    data: Uint8Array,
    isBounded: boolean,
    length: number,
  ): Out
  /**
   * Keeps a key.
   * @throws `unknown_algorithm`
   */
  keyCacheKeep(
    cache: Handle,
    nowMs: number,
    name: string,
    a: number,
    b: number,
    c: number,
    password: Uint8Array,
    salt: Uint8Array,
    secret: Uint8Array,
    data: Uint8Array,
    key: Uint8Array,
  ): void
  /** Forgets all keys. */
  keyCacheClear(cache: Handle): void

  /**
   * Makes a key; a length of 0 is that of the algorithm's tags.
   * @throws `unknown_algorithm`, `wrong_length`
   */
  mac(algorithm: string, key: Uint8Array, customization: Uint8Array | undefined, tagLen: number): Handle
  /** Gives the length of a key's tags. */
  macTagLen(key: Handle): number
  /** Writes the tag of data into memory, which may be the data's own. Its length: `macTagLen`. */
  macInto(key: Handle, data: Data, tag: Uint8Array): void
  /** Gives the tag of data as text. */
  macText(key: Handle, data: Data, encoding: number): string
  /**
   * Fails unless this is the tag of data, or where it `isTruncated` the tag's beginning.
   * @throws `not_authentic`, `wrong_length`
   */
  macVerify(key: Handle, data: Data, tag: Lent, isTruncated: boolean): void
  /**
   * As `macVerify`, of a tag that is text.
   * @throws `not_authentic`, `wrong_length`, `invalid_encoding`
   */
  macVerifyText(key: Handle, data: Data, tag: Data, encoding: number, isTruncated: boolean): void
  /** Begins a tag. */
  macSigner(key: Handle): Handle
  /** Takes more data. */
  macSignerUpdate(signer: Handle, data: Uint8Array): void
  /** Gives the tag of the data so far. */
  macSignerTag(signer: Handle): Out
  /** Gives it as text. */
  macSignerText(signer: Handle, encoding: number): string
  /**
   * Fails unless this is the tag of the data so far, or where it `isTruncated` the tag's beginning.
   * @throws `not_authentic`, `wrong_length`
   */
  macSignerVerify(signer: Handle, tag: Uint8Array, isTruncated: boolean): void
  /**
   * As `macSignerVerify`, of a tag that is text.
   * @throws `not_authentic`, `wrong_length`, `invalid_encoding`
   */
  macSignerVerifyText(signer: Handle, tag: Data, encoding: number, isTruncated: boolean): void

  /**
   * Hashes a password to the text that is stored.
   * @throws `cost_too_high`, `invalid_passphrase`, `unknown_algorithm`, `invalid_cost`, `unavailable_backend`, `too_long`, `no_randomness`
   */
  passwordHash(password: Uint8Array, name: string, a: number, b: number, c: number): string
  /**
   * Fails unless the stored text is of this password.
   * @throws `cost_too_high`, `not_authentic`, `invalid_passphrase`, `unknown_algorithm`, `invalid_cost`, `wrong_length`,
   * `invalid_encoding`, `unavailable_backend`, `too_long`
   */
  passwordVerify(password: Uint8Array, stored: string, isBounded: boolean): void
  /**
   * Whether a stored text has another cost.
   * @throws `cost_too_high`, `unknown_algorithm`, `invalid_cost`, `invalid_encoding`
   */
  passwordNeedsRehash(stored: string, name: string, a: number, b: number, c: number): boolean
  /**
   * Gives the number of a cost that is raised for a target, of Argon2 the passes, by the time that a hash took: both in microseconds.
   * @throws `cost_too_high`, `unknown_algorithm`, `invalid_cost`
   */
  passwordCostRaised(name: string, a: number, b: number, c: number, target: number, took: number): number
}

export interface ExchangeCalls {
  /**
   * Makes a new key of a kind, by default of the kind that resists quantum computers.
   * @throws `unknown_algorithm`, `no_randomness`
   */
  exchangeGenerate(kind: string | undefined): Handle
  /**
   * Reads a private key in a form that says its kind.
   * @throws `cost_too_high`, `no_matching_identity`, `unsupported_key`, `passphrase_required`, `invalid_passphrase`, `invalid_key`
   */
  exchangePrivateParse(file: Uint8Array, passphrase: Uint8Array | undefined): Handle
  /**
   * Reads a public key in a form that says its kind.
   * @throws `unsupported_key`, `invalid_key`
   */
  exchangePublicParse(file: Uint8Array): Handle
  /**
   * Makes a private key of its bytes, which do not say their kind.
   * @throws `unknown_algorithm`, `wrong_length`, `invalid_key`
   */
  exchangePrivateOf(kind: string, bytes: Uint8Array): Handle
  /**
   * Makes a public key of its bytes.
   * @throws `unknown_algorithm`, `wrong_length`, `invalid_key`
   */
  exchangePublicOf(kind: string, bytes: Uint8Array): Handle
  /** Names the kind of a private key. */
  exchangePrivateKind(key: Handle): string
  /** Names the kind of a public key. */
  exchangePublicKind(key: Handle): string
  /** Gives the public key of a private one. */
  exchangePublicKey(key: Handle): Handle
  /**
   * Writes a private key in a form, encrypted where there is a passphrase.
   * @throws `unsupported_key`, `invalid_passphrase`, `unknown_algorithm`, `no_randomness`
   */
  exchangePrivateExport(key: Handle, form: string, passphrase: Uint8Array | undefined): string | Out
  /**
   * Writes a public key in a form.
   * @throws `unsupported_key`, `unknown_algorithm`
   */
  exchangePublicExport(key: Handle, form: string): string | Out
  /**
   * Derives a key of so many bytes from the secret that two sides share.
   * @throws `unknown_algorithm`, `invalid_option`, `wrong_length`, `invalid_key`, `too_long`
   */
  exchangeAgree(
    key: Handle,
    publicKey: Handle,
    kdf: string,
    hash: string,
    salt: Uint8Array,
    info: Uint8Array,
    length: number,
  ): Out
  /**
   * Gives the secret that two sides share, for protocols that derive keys from it.
   * @throws `invalid_key`
   */
  exchangeSharedSecret(key: Handle, publicKey: Handle): Out
  /** Gives the length of a secret. */
  exchangeSecretLen(): number
  /**
   * Makes a secret; returns it, and behind it the ciphertext.
   * @throws `invalid_key`, `no_randomness`
   */
  exchangeEncapsulate(publicKey: Handle): Out
  /**
   * Writes the secret of a ciphertext into memory. Its length: `exchangeSecretLen`. After an error the memory is unchanged or zero.
   * @throws `wrong_length`, `invalid_key`, `malformed_ciphertext`
   */
  exchangeDecapsulate(key: Handle, ciphertext: Lent, secret: Uint8Array): void
}

export interface RsaCalls {
  /**
   * Makes a new key.
   * @throws `invalid_option`, `unavailable_backend`, `no_randomness`
   */
  rsaGenerate(bits: number): Handle
  /**
   * Reads a private key.
   * @throws `cost_too_high`, `no_matching_identity`, `unsupported_key`, `passphrase_required`, `invalid_passphrase`, `invalid_key`
   */
  rsaPrivateParse(file: Uint8Array, passphrase: Uint8Array | undefined): Handle
  /**
   * Reads a public key.
   * @throws `unsupported_key`, `invalid_key`
   */
  rsaPublicParse(file: Uint8Array): Handle
  /** Gives the public key of a private one. */
  rsaPublicKey(key: Handle): Handle
  /** Gives the bits of a private key's modulus. */
  rsaPrivateBits(key: Handle): number
  /** Gives the bits of a public key's modulus. */
  rsaPublicBits(key: Handle): number
  /**
   * Writes a private key in a form, encrypted where there is a passphrase.
   * @throws `unsupported_key`, `invalid_passphrase`, `unknown_algorithm`, `no_randomness`
   */
  rsaPrivateExport(key: Handle, form: string, passphrase: Uint8Array | undefined): string | Out
  /**
   * Writes a public key in a form.
   * @throws `unknown_algorithm`
   */
  rsaPublicExport(key: Handle, form: string): string | Out
  /**
   * Encrypts with OAEP.
   * @throws `unknown_algorithm`, `unavailable_backend`, `too_long`, `no_randomness`
   */
  rsaEncrypt(key: Handle, plaintext: Uint8Array, hash: string | undefined, label: Uint8Array): Out
  /**
   * Decrypts with OAEP.
   * @throws `not_authentic`, `unknown_algorithm`, `wrong_length`, `unavailable_backend`
   */
  rsaDecrypt(key: Handle, ciphertext: Uint8Array, hash: string | undefined, label: Uint8Array): Out
  /**
   * Encrypts with the padding of PKCS#1 v1.5.
   * @throws `unavailable_backend`, `too_long`, `no_randomness`
   */
  rsaEncryptPkcs1(key: Handle, plaintext: Uint8Array): Out
  /**
   * Decrypts the padding of PKCS#1 v1.5; no result tells whether that was right.
   * @throws `wrong_length`, `malformed_ciphertext`, `unavailable_backend`
   */
  rsaDecryptPkcs1(key: Handle, ciphertext: Uint8Array): Out
}

export interface SignCalls {
  /**
   * Makes a new key of a kind, by default of the usual one. Keys of RSA take longer, and have a call of their own.
   * @throws `unknown_algorithm`, `unavailable_backend`, `no_randomness`
   */
  signGenerate(kind: string | undefined): Handle
  /**
   * Reads a private key in a form that says its kind.
   * @throws `cost_too_high`, `no_matching_identity`, `unsupported_key`, `passphrase_required`, `invalid_passphrase`, `invalid_key`,
   * `unavailable_backend`
   */
  signPrivateParse(file: Uint8Array, passphrase: Uint8Array | undefined): Handle
  /**
   * Reads a public key in a form that says its kind.
   * @throws `unsupported_key`, `invalid_key`
   */
  signPublicParse(file: Uint8Array): Handle
  /**
   * Makes a private key of its bytes, which do not say their kind.
   * @throws `unknown_algorithm`, `wrong_length`, `invalid_key`, `unavailable_backend`
   */
  signPrivateOf(kind: string, bytes: Uint8Array): Handle
  /**
   * Makes a public key of its bytes.
   * @throws `unknown_algorithm`, `wrong_length`, `invalid_key`
   */
  signPublicOf(kind: string, bytes: Uint8Array): Handle
  /** Names the kind of a private key. */
  signPrivateKind(key: Handle): string
  /** Names the kind of a public key. */
  signPublicKind(key: Handle): string
  /** Gives the public key of a private one. */
  signPublicKey(key: Handle): Handle
  /**
   * Writes a private key in a form, encrypted where there is a passphrase.
   * @throws `unsupported_key`, `invalid_passphrase`, `unknown_algorithm`, `no_randomness`
   */
  signPrivateExport(key: Handle, form: string, passphrase: Uint8Array | undefined): string | Out
  /**
   * Writes a public key in a form; only `ssh` has a comment.
   * @throws `unsupported_key`, `unknown_algorithm`, `invalid_option`
   */
  signPublicExport(key: Handle, form: string, comment: string | undefined): string | Out
  /** Gives the fingerprint of a public key. */
  signFingerprint(publicKey: Handle): string
  /**
   * Gives the fingerprint that SSH shows.
   * @throws `unsupported_key`
   */
  signSshFingerprint(publicKey: Handle): string
  /**
   * Gives the number of a hash, an encoding and a scheme, which is 0 of none.
   * @throws `unknown_algorithm`
   */
  signChoices(hash: string | undefined, encoding: string | undefined, scheme: string | undefined): number
  /** Gives the length of the longest signature of a private key. */
  signMaxLen(key: Handle): number
  /** Whether a private key signs so slowly that it does not belong on JavaScript's thread. */
  signIsSlow(key: Handle): boolean
  /**
   * Signs data into memory. Its length: `signMaxLen`. Returns the signature's. After an error the memory is unchanged or zero.
   * @throws `invalid_option`, `invalid_key`, `invalid_user_id`, `unavailable_backend`, `no_randomness`
   */
  signInto(
    key: Handle,
    data: Data,
    signature: Uint8Array,
    choices: number,
    context: Uint8Array | undefined,
    id: Uint8Array | undefined,
  ): number
  /**
   * Fails unless this is a signature of data.
   * @throws `invalid_option`, `invalid_signature`, `invalid_user_id`, `unavailable_backend`
   */
  signVerify(
    publicKey: Handle,
    data: Data,
    signature: Lent,
    choices: number,
    context: Uint8Array | undefined,
    id: Uint8Array | undefined,
  ): void

  /**
   * Makes what signs with a key.
   * @throws `unsupported_key`, `unknown_algorithm`, `invalid_namespace`, `invalid_comment`
   */
  signatureWriter(
    key: Handle,
    namespace: string | undefined,
    comment: string | undefined,
    profile: string | undefined,
  ): Handle
  /**
   * Begins to say which signers a reader is to trust: none yet.
   * @throws `invalid_namespace`
   */
  signatureTrusting(namespace: string | undefined, profile: string | undefined): Handle
  /**
   * Trusts a key.
   * @throws `unsupported_key`
   */
  signatureTrustKey(trusting: Handle, publicKey: Handle): void
  /**
   * Trusts the keys of a file.
   * @throws `unsupported_key`, `invalid_signer`
   */
  signatureTrustFile(trusting: Handle, file: Uint8Array): void
  /**
   * Trusts the signers of a file of allowed signers, at a second since 1970.
   * @throws `invalid_signer`
   */
  signatureTrustAllowed(trusting: Handle, file: Uint8Array, principal: string | undefined, at: number): void
  /**
   * Makes what verifies by these signers.
   * @throws `unknown_algorithm`
   */
  signatureReader(trusting: Handle): Handle
  /**
   * Begins to sign content in parts.
   * @throws `not_in_profile`
   */
  signatureSigning(writer: Handle): Handle
  /** Takes more content. */
  signatureSigningUpdate(signing: Handle, content: Uint8Array): void
  /**
   * Gives the signature, once.
   * @throws `no_randomness`
   */
  signatureSigningFinish(signing: Handle): string
  /**
   * Begins to verify content in parts by its signature.
   * @throws `not_in_profile`, `not_a_signature`, `malformed_signature`, `unsupported_signature`, `wrong_namespace`, `unknown_signer`,
   * `invalid_signer`
   */
  signatureVerifying(reader: Handle, signature: Uint8Array): Handle
  /**
   * Begins to verify content that has its signature behind it.
   * @throws `not_in_profile`, `invalid_signer`
   */
  signatureAttached(reader: Handle): Handle
  /**
   * Reads that signature, of the last bytes of the whole, as many as a signature has at the most; returns where in them it begins. All
   * that is before it is content, which may come before this or after it.
   * @throws `not_a_signature`, `malformed_signature`, `unsupported_signature`, `wrong_namespace`, `unknown_signer`
   */
  signatureAttachedAt(verifying: Handle, tail: Uint8Array): number
  /** Gives the length of the longest signature. */
  signatureMaxLen(): number
  /** Takes more content. */
  signatureVerifyingUpdate(verifying: Handle, content: Uint8Array): void
  /**
   * Fails unless the content is authentic; says who signed it.
   * @throws `invalid_signature`, `not_a_signature`, `unavailable_backend`
   */
  signatureVerifyingFinish(verifying: Handle): Verification
}

export interface BaseNativeCalls {
  /**
   * Reads the identities of a file in any form.
   * @throws `unsupported_version`, `unsupported_suite`, `malformed_header`, `malformed_armour`, `truncated`, `context_required`,
   * `cost_too_high`, `no_matching_identity`, `not_authentic`, `invalid_identity`, `unsupported_key`, `passphrase_required`,
   * `invalid_passphrase`, `unavailable_backend`
   */
  identitiesParse(file: Uint8Array, passphrase: Uint8Array | undefined): Handle[]
  /**
   * Writes an identity in a form, encrypted where there is a passphrase.
   * @throws `unsupported_key`, `invalid_passphrase`, `unknown_algorithm`, `no_randomness`
   */
  identityExport(identity: Handle, form: string, passphrase: Uint8Array | undefined): string | Out
  /**
   * Reads the recipients of a file in any form.
   * @throws `invalid_recipient`, `unsupported_key`
   */
  recipientsParse(file: Uint8Array): Handle[]
  /**
   * Writes a recipient in a form.
   * @throws `unsupported_key`, `unknown_algorithm`
   */
  recipientExport(recipient: Handle, form: string): string | Out
}

export interface NativeCalls {
  /**
   * Fails where the environment asks for a backend that is not there, whatever would compute: who asks trusts that one alone.
   * @throws `unavailable_backend`
   */
  checkBackend(): void
  /**
   * Fills memory with randomness of the system's. After an error the memory is zero.
   * @throws `no_randomness`
   */
  randomFill(out: Uint8Array): void
  /** Moves bytes of a long result into memory of its length, as many as a turn has time for; returns how many are left. */
  resultTake(undelivered: Handle, result: Uint8Array): number
  /** Begins a job. */
  job(): Handle
  /** Ends a job soon. */
  jobCancel(job: Handle): void
  /** Says how many bytes are done, and of how many, where that is known. */
  jobProgress(job: Handle): readonly number[]
  /** Makes room for data that comes in parts. */
  loading(): Handle
  /**
   * Takes the next part of data, of which there are so many bytes in all.
   * @throws `too_long`
   */
  loadingUpdate(loading: Handle, part: Uint8Array, length: number): void
}

export interface SignNativeCalls {
  /** Whether a public key verifies so slowly. None does; those of a host are promised. */
  verifyIsSlow(publicKey: Handle): boolean
}

export interface AgePromises {
  /**
   * Gives the key of a file on another thread. Where there are no threads, the job ends the derivation of a passphrase's key.
   * @throws `malformed_header`, `truncated`, `cost_too_high`, `no_matching_identity`, `header_not_authentic`, `unavailable_backend`,
   * `cancelled`
   */
  ageFileKeyLater(decryptor: Handle, header: Uint8Array, job: Handle): Later<Out>
  /**
   * Begins a file on another thread. Where there are no threads, the job ends the derivation of a passphrase's key.
   * @throws `cost_too_high`, `mixed_recipients`, `invalid_recipients`, `invalid_recipient`, `unavailable_backend`, `no_randomness`,
   * `cancelled`
   */
  ageSealerLater(encryptor: Handle, job: Handle): Later<Handle>
  /** Seals the chunks that are whole; where there are none there is no work. */
  ageSealerUnit(sealer: Handle): Later<Part> | null
  /** Seals the end of the stream. */
  ageSealerFinish(sealer: Handle): Later<Part>
  /**
   * Begins to open a file on another thread. Where there are no threads, the job ends the derivation of a passphrase's key.
   * @throws `malformed_header`, `truncated`, `cost_too_high`, `no_matching_identity`, `header_not_authentic`, `unavailable_backend`,
   * `cancelled`
   */
  ageOpenerLater(decryptor: Handle, head: Uint8Array, job: Handle): Later<Handle>
  /**
   * Opens the chunks that are whole; where there are none there is no work.
   * @throws `not_authentic`
   */
  ageOpenerUnit(opener: Handle): Later<Part> | null
  /**
   * Opens the rest at the end; nothing where something else has ended the stream.
   * @throws `truncated`, `not_authentic`
   */
  ageOpenerFinish(opener: Handle, isEnd: boolean): Later<Part>
}

export interface BasePromises {
  /**
   * As `encryptArmoured`, of a plaintext that was loaded.
   * @throws `cost_too_high`, `mixed_recipients`, `invalid_recipients`, `not_in_profile`, `unavailable_backend`, `too_long`,
   * `no_randomness`, `cancelled`
   */
  encryptArmouredLoaded(encryptor: Handle, loading: Handle, job: Handle): Later<Out>
  /**
   * As `decryptArmoured`, of a file that was loaded.
   * @throws `not_sealstone`, `unsupported_version`, `unsupported_suite`, `malformed_header`, `malformed_armour`, `malformed_compression`,
   * `truncated`, `context_required`, `context_not_bound`, `cost_too_high`, `no_matching_identity`, `header_not_authentic`,
   * `not_authentic`, `not_in_profile`, `unavailable_backend`, `too_long`, `cancelled`
   */
  decryptLoaded(decryptor: Handle, loading: Handle, job: Handle, threads: number | undefined): Later<Out>
  /**
   * As `decryptRange`, of a file that was loaded.
   * @throws `not_sealstone`, `unsupported_version`, `unsupported_suite`, `malformed_header`, `malformed_armour`, `malformed_compression`,
   * `truncated`, `context_required`, `context_not_bound`, `cost_too_high`, `no_matching_identity`, `header_not_authentic`,
   * `not_authentic`, `not_in_profile`, `unavailable_backend`, `range_out_of_bounds`, `too_long`, `cancelled`
   */
  decryptRangeLoaded(decryptor: Handle, loading: Handle, start: number, end: number, job: Handle): Later<Out>
  /**
   * As `rewrap`, of a file that was loaded.
   * @throws `not_sealstone`, `unsupported_version`, `unsupported_suite`, `malformed_header`, `malformed_armour`, `truncated`,
   * `cost_too_high`, `no_matching_identity`, `header_not_authentic`, `mixed_recipients`, `invalid_recipients`, `not_in_profile`,
   * `unavailable_backend`, `no_randomness`, `cancelled`
   */
  rewrapLoaded(rewrapper: Handle, loading: Handle, job: Handle): Later<Out>
  /**
   * Encrypts items that lie one behind the other, each to a file of its own.
   * @throws `cost_too_high`, `mixed_recipients`, `invalid_recipients`, `not_in_profile`, `unavailable_backend`, `too_long`,
   * `no_randomness`, `cancelled`
   */
  encryptBatch(
    encryptor: Handle,
    data: Uint8Array,
    lengths: Uint32Array,
    job: Handle,
    threads: number | undefined,
  ): Later<BatchResult>
  /**
   * Decrypts files that lie one behind the other.
   * @throws `not_sealstone`, `unsupported_version`, `unsupported_suite`, `malformed_header`, `malformed_armour`, `malformed_compression`,
   * `truncated`, `context_required`, `context_not_bound`, `cost_too_high`, `no_matching_identity`, `header_not_authentic`,
   * `not_authentic`, `not_in_profile`, `unavailable_backend`, `too_long`, `cancelled`
   */
  decryptBatch(
    decryptor: Handle,
    data: Uint8Array,
    lengths: Uint32Array,
    job: Handle,
    threads: number | undefined,
  ): Later<BatchResult>

  /**
   * Reads them on another thread, since a passphrase costs a password hash.
   * @throws `unsupported_version`, `unsupported_suite`, `malformed_header`, `malformed_armour`, `truncated`, `context_required`,
   * `cost_too_high`, `no_matching_identity`, `not_authentic`, `invalid_identity`, `unsupported_key`, `passphrase_required`,
   * `invalid_passphrase`, `unavailable_backend`
   */
  identitiesParseLater(file: Uint8Array, passphrase: Uint8Array | undefined): Later<Handle[]>

  /**
   * Seals a plaintext that lies in its place within the message's memory, before the tag. The memory is the work's until it has ended.
   * @throws `invalid_recipients`, `wrong_length`, `too_long`, `no_randomness`
   */
  messageSealPlaced(recipient: Handle, aad: Uint8Array, message: Out): Later<undefined>
  /**
   * Opens a ciphertext where it lies; `head` is all that stands before it in the message, and `tag` behind it.
   * @throws `not_sealstone`, `unsupported_suite`, `truncated`, `no_matching_identity`, `not_authentic`, `wrong_length`, `too_long`
   */
  messageOpenPlaced(identity: Handle, head: Uint8Array, aad: Uint8Array, text: Out, tag: Uint8Array): Later<undefined>
  /**
   * As `messageSealArmoured`, of a plaintext that was loaded.
   * @throws `invalid_recipients`, `too_long`, `no_randomness`, `cancelled`
   */
  messageSealArmouredLoaded(recipient: Handle, loading: Handle, aad: Uint8Array, job: Handle): Later<string>
  /**
   * As `messageOpenArmoured`, of a message that was loaded.
   * @throws `not_sealstone`, `unsupported_suite`, `malformed_armour`, `truncated`, `no_matching_identity`, `not_authentic`, `too_long`,
   * `cancelled`
   */
  messageOpenArmouredLoaded(identity: Handle, loading: Handle, aad: Uint8Array, job: Handle): Later<Out>

  /**
   * Begins a file on another thread, since a passphrase costs a password hash. Where there are no threads, the job ends its derivation.
   * @throws `cost_too_high`, `mixed_recipients`, `invalid_recipients`, `not_in_profile`, `unavailable_backend`, `no_randomness`,
   * `cancelled`
   */
  sealerLater(encryptor: Handle, job: Handle): Later<Handle>
  /**
   * Seals the next unit, if it is full; else there is no work.
   * @throws `too_long`
   */
  sealerUnit(sealer: Handle): Later<Part> | null
  /**
   * Seals the end of the stream.
   * @throws `too_long`
   */
  sealerFinish(sealer: Handle): Later<Part>
  /**
   * Takes the next part of a plaintext, and seals the chunks that it completes where they lie in the file's memory, which is the work's
   * until it has ended. Where it completes none there is no work.
   * @throws `wrong_length`, `too_long`
   */
  sealPart(sealer: Handle, part: Uint8Array, file: Out): Later<undefined> | null
  /**
   * Begins to open a file on another thread; one that is compressed is an `unsupported_version`. Where there are no threads, the job ends
   * the derivation of a passphrase's key.
   * @throws `not_sealstone`, `unsupported_version`, `unsupported_suite`, `malformed_header`, `truncated`, `context_required`,
   * `context_not_bound`, `cost_too_high`, `no_matching_identity`, `header_not_authentic`, `not_authentic`, `not_in_profile`,
   * `unavailable_backend`, `cancelled`
   */
  openerLater(decryptor: Handle, head: Uint8Array, job: Handle): Later<Handle>
  /**
   * Opens the next unit, if it is full; else there is no work.
   * @throws `not_authentic`, `too_long`
   */
  openerUnit(opener: Handle): Later<Part> | null
  /**
   * Opens the rest: at the end of the stream all, otherwise the chunks that are whole.
   * @throws `truncated`, `not_authentic`, `too_long`
   */
  openerFinish(opener: Handle, isEnd: boolean): Later<Part>
  /**
   * Takes the next part of a file, and opens the chunks that it completes where they lie in the plaintext's memory, which is the work's
   * until it has ended; that says whether the file ends with them. Where it completes none there is no work.
   * @throws `not_authentic`, `wrong_length`, `too_long`
   */
  openPart(opener: Handle, part: Uint8Array, plaintext: Out): Later<boolean> | null
}

export interface CipherPromises {
  /**
   * Seals a plaintext that was loaded, where it lies. Without a nonce one is drawn, which stands before the ciphertext: there is room for
   * it.
   * @throws `wrong_length`, `too_long`, `no_randomness`, `cancelled`
   */
  aeadSealLoaded(key: Handle, nonce: Uint8Array | undefined, aad: Uint8Array, loading: Handle, job: Handle): Later<Out>
  /**
   * Opens a ciphertext that was loaded, where it lies.
   * @throws `not_authentic`, `wrong_length`, `cancelled`
   */
  aeadOpenLoaded(key: Handle, nonce: Uint8Array | undefined, aad: Uint8Array, loading: Handle, job: Handle): Later<Out>
}

export interface CompatPromises {
  /**
   * Seals a plaintext that was loaded, behind room for the head.
   * @throws `unknown_algorithm`, `wrong_length`, `invalid_encoding`, `invalid_key`, `unavailable_backend`, `too_long`, `no_randomness`
   */
  yuantsSealLoaded(format: string, key: string, loading: Handle): Later<Out>
  /**
   * Opens a whole that was loaded.
   * @throws `not_authentic`, `unknown_algorithm`, `wrong_length`, `invalid_encoding`, `malformed_ciphertext`
   */
  yuantsOpenLoaded(format: string, key: string, loading: Handle): Later<Out>
  /**
   * Gives the HMAC of data that was loaded.
   * @throws `unknown_algorithm`
   */
  yuantsHmacLoaded(hash: string, key: Uint8Array, loading: Handle): Later<Out>
}

export interface DigestPromises {
  /**
   * Derives it on another thread.
   * @throws `cost_too_high`, `unknown_algorithm`, `invalid_cost`, `wrong_length`, `unavailable_backend`, `too_long`, `cancelled`
   */
  deriveLater(
    name: string,
    a: number,
    b: number,
    c: number,
    password: Uint8Array,
    salt: Uint8Array,
    secret: Uint8Array,
    data: Uint8Array,
    isBounded: boolean,
    length: number,
    job: Handle,
  ): Later<Out>

  /**
   * Hashes a password on another thread.
   * @throws `cost_too_high`, `invalid_passphrase`, `unknown_algorithm`, `invalid_cost`, `unavailable_backend`, `too_long`,
   * `no_randomness`, `cancelled`
   */
  passwordHashLater(password: Uint8Array, name: string, a: number, b: number, c: number, job: Handle): Later<string>
  /**
   * Checks a password on another thread.
   * @throws `cost_too_high`, `not_authentic`, `invalid_passphrase`, `unknown_algorithm`, `invalid_cost`, `wrong_length`,
   * `invalid_encoding`, `unavailable_backend`, `too_long`, `cancelled`
   */
  passwordVerifyLater(password: Uint8Array, stored: string, isBounded: boolean, job: Handle): Later<undefined>
}

export interface ExchangePromises {
  /**
   * Reads it on another thread, since a passphrase costs a password hash.
   * @throws `cost_too_high`, `no_matching_identity`, `unsupported_key`, `passphrase_required`, `invalid_passphrase`, `invalid_key`
   */
  exchangePrivateParseLater(file: Uint8Array, passphrase: Uint8Array | undefined): Later<Handle>
}

export interface RsaPromises {
  /**
   * Makes a new key on another thread.
   * @throws `invalid_option`, `unavailable_backend`, `no_randomness`, `cancelled`
   */
  rsaGenerateLater(bits: number, job: Handle): Later<Handle>
  /**
   * Reads it on another thread, since a passphrase costs a password hash.
   * @throws `cost_too_high`, `no_matching_identity`, `unsupported_key`, `passphrase_required`, `invalid_passphrase`, `invalid_key`
   */
  rsaPrivateParseLater(file: Uint8Array, passphrase: Uint8Array | undefined): Later<Handle>
  /**
   * Reads it on another thread.
   * @throws `unsupported_key`, `invalid_key`
   */
  rsaPublicParseLater(file: Uint8Array): Later<Handle>
  /**
   * Encrypts with OAEP on another thread.
   * @throws `unknown_algorithm`, `unavailable_backend`, `too_long`, `no_randomness`
   */
  rsaEncryptLater(key: Handle, plaintext: Uint8Array, hash: string | undefined, label: Uint8Array): Later<Out>
  /**
   * Decrypts with OAEP on another thread.
   * @throws `not_authentic`, `unknown_algorithm`, `wrong_length`, `unavailable_backend`
   */
  rsaDecryptLater(key: Handle, ciphertext: Uint8Array, hash: string | undefined, label: Uint8Array): Later<Out>
  /**
   * Encrypts so on another thread.
   * @throws `unavailable_backend`, `too_long`, `no_randomness`
   */
  rsaEncryptPkcs1Later(key: Handle, plaintext: Uint8Array): Later<Out>
  /**
   * Decrypts so on another thread.
   * @throws `wrong_length`, `malformed_ciphertext`, `unavailable_backend`
   */
  rsaDecryptPkcs1Later(key: Handle, ciphertext: Uint8Array): Later<Out>
}

export interface SignPromises {
  /**
   * Makes a new key of RSA on another thread.
   * @throws `invalid_option`, `unavailable_backend`, `no_randomness`, `cancelled`
   */
  signGenerateRsaLater(bits: number, job: Handle): Later<Handle>
  /**
   * Reads it on another thread, since a passphrase costs a password hash.
   * @throws `cost_too_high`, `no_matching_identity`, `unsupported_key`, `passphrase_required`, `invalid_passphrase`, `invalid_key`,
   * `unavailable_backend`
   */
  signPrivateParseLater(file: Uint8Array, passphrase: Uint8Array | undefined): Later<Handle>
  /**
   * Reads it on another thread.
   * @throws `unsupported_key`, `invalid_key`
   */
  signPublicParseLater(file: Uint8Array): Later<Handle>
  /**
   * Makes it on another thread.
   * @throws `unknown_algorithm`, `wrong_length`, `invalid_key`, `unavailable_backend`
   */
  signPrivateOfLater(kind: string, bytes: Uint8Array): Later<Handle>
  /**
   * Makes it on another thread.
   * @throws `unknown_algorithm`, `wrong_length`, `invalid_key`
   */
  signPublicOfLater(kind: string, bytes: Uint8Array): Later<Handle>
  /**
   * Signs data that was loaded.
   * @throws `invalid_option`, `invalid_key`, `invalid_user_id`, `unavailable_backend`, `no_randomness`, `cancelled`
   */
  signLoaded(
    key: Handle,
    loading: Handle,
    choices: number,
    context: Uint8Array | undefined,
    id: Uint8Array | undefined,
    job: Handle,
  ): Later<Out>
  /**
   * Fails unless this is a signature of data that was loaded.
   * @throws `invalid_option`, `invalid_signature`, `invalid_user_id`, `unavailable_backend`, `cancelled`
   */
  signVerifyLoaded(
    publicKey: Handle,
    loading: Handle,
    signature: Uint8Array,
    choices: number,
    context: Uint8Array | undefined,
    id: Uint8Array | undefined,
    job: Handle,
  ): Later<undefined>
}

/** Calls that answer at once, in the addon as in WebAssembly. The rest of this package knows no algorithm, length or default. */
export interface SyncCalls
  extends AgeCalls,
    BaseCalls,
    CipherCalls,
    CompatCalls,
    DigestCalls,
    ExchangeCalls,
    RsaCalls,
    SignCalls,
    BaseNativeCalls,
    NativeCalls,
    SignNativeCalls {
  release(object: Handle): void
  /** Releases an object some time after its owner is collected, also while a loop makes more of them without a turn. */
  own(object: Handle, owner: object): void
  /** Another number for an object, which lives until both are released. */
  again(object: Handle): Handle
  /** Memory for a result that comes in parts. Until all work on them has ended nobody else may see it. */
  memory(len: number): Out
}

/** Calls that may take long, which other threads or a host compute. Those of `…Loaded` work on bytes that `loadingUpdate` took before. */
export interface BulkCalls
  extends AgePromises,
    BasePromises,
    CipherPromises,
    CompatPromises,
    DigestPromises,
    ExchangePromises,
    RsaPromises,
    SignPromises {}

/** Calls that work on files by name, which only Node has. */
export interface FileCalls {
  /**
   * Encrypts a file into a new one. The output appears when all of it is there.
   * @throws `cost_too_high`, `mixed_recipients`, `invalid_recipients`, `invalid_recipient`, `unavailable_backend`, `too_long`,
   * `no_randomness`, `same_file`, `output_exists`, `not_regular_file`, `input_changed`, `cancelled`, `io`
   */
  ageEncryptFile(
    encryptor: Handle,
    input: Uint8Array,
    output: Uint8Array,
    replace: boolean,
    special: boolean,
    job: Handle,
  ): Later<Processed>
  /**
   * Decrypts a file into a new one. The output appears when all of it is authentic.
   * @throws `malformed_header`, `malformed_armour`, `truncated`, `cost_too_high`, `no_matching_identity`, `header_not_authentic`,
   * `not_authentic`, `unavailable_backend`, `same_file`, `output_exists`, `not_regular_file`, `input_changed`, `cancelled`, `io`
   */
  ageDecryptFile(
    decryptor: Handle,
    input: Uint8Array,
    output: Uint8Array,
    replace: boolean,
    special: boolean,
    job: Handle,
  ): Later<Processed>
  /**
   * Decrypts the bytes of a file's plaintext from `start` to `end`.
   * @throws `malformed_header`, `truncated`, `cost_too_high`, `no_matching_identity`, `header_not_authentic`, `not_authentic`,
   * `unavailable_backend`, `range_out_of_bounds`, `not_seekable`, `not_regular_file`, `input_changed`, `cancelled`, `io`
   */
  ageDecryptRangeFile(
    decryptor: Handle,
    input: Uint8Array,
    start: number,
    end: number,
    special: boolean,
    job: Handle,
  ): Later<Out>

  /**
   * Encrypts files and folders into one archive, which appears when all of it is there. `folders` has their names and `exclude` the
   * patterns of members to leave out, several with a zero byte between them. `compression` is `auto` (the default), `none`, or a level of
   * Zstandard from `1` to `22`. A member that cannot be read is no error: look at `leftOut` of the result.
   * @throws `cost_too_high`, `mixed_recipients`, `invalid_recipients`, `not_in_profile`, `invalid_option`, `unavailable_backend`,
   * `too_long`, `no_randomness`, `same_file`, `output_exists`, `not_regular_file`, `cancelled`, `io`
   */
  encryptFolder(
    encryptor: Handle,
    folders: Uint8Array,
    output: Uint8Array,
    replace: boolean,
    exclude: Uint8Array,
    compression: string | undefined,
    oneFileSystem: boolean,
    owners: boolean,
    attributes: boolean,
    job: Handle,
  ): Later<Archived>
  /**
   * Lists the members of an archive. It reads only the end of the file: the list is what the writer of the archive put there.
   * @throws `not_sealstone`, `unsupported_version`, `unsupported_suite`, `malformed_header`, `malformed_armour`, `malformed_compression`,
   * `malformed_archive`, `not_an_archive`, `truncated`, `context_required`, `context_not_bound`, `cost_too_high`, `no_matching_identity`,
   * `header_not_authentic`, `not_authentic`, `not_in_profile`, `unavailable_backend`, `not_seekable`, `too_long`, `not_regular_file`,
   * `input_changed`, `cancelled`, `io`
   */
  listArchive(decryptor: Handle, input: Uint8Array, job: Handle): Later<Listing>
  /**
   * Makes the files and folders of an archive in a new folder, which appears when all of it is authentic. If `paths` has the paths of
   * members, several with a zero byte between them, it makes only these and what is in such folders, and the folder may exist.
   * `outsideLinks` allows symbolic links that may lead out of the folder.
   * @throws `not_sealstone`, `unsupported_version`, `unsupported_suite`, `malformed_header`, `malformed_armour`, `malformed_compression`,
   * `malformed_archive`, `unsafe_member`, `not_an_archive`, `no_such_member`, `names_collide`, `truncated`, `context_required`,
   * `context_not_bound`, `cost_too_high`, `no_matching_identity`, `header_not_authentic`, `not_authentic`, `not_in_profile`,
   * `unavailable_backend`, `not_seekable`, `too_long`, `same_file`, `output_exists`, `not_regular_file`, `input_changed`, `cancelled`,
   * `io`
   */
  extractArchive(
    decryptor: Handle,
    input: Uint8Array,
    folder: Uint8Array,
    paths: Uint8Array,
    replace: boolean,
    outsideLinks: boolean,
    specialBits: boolean,
    owners: boolean,
    attributes: boolean,
    job: Handle,
  ): Later<Extracted>

  /**
   * Encrypts a file into a new one. The output appears when all of it is there; `special` also takes pipes and devices.
   * @throws `cost_too_high`, `mixed_recipients`, `invalid_recipients`, `not_in_profile`, `unavailable_backend`, `too_long`,
   * `no_randomness`, `same_file`, `output_exists`, `not_regular_file`, `input_changed`, `cancelled`, `io`
   */
  encryptFile(
    encryptor: Handle,
    input: Uint8Array,
    output: Uint8Array,
    replace: boolean,
    special: boolean,
    job: Handle,
  ): Later<Processed>
  /**
   * Decrypts a file into a new one. The output appears when all of it is authentic.
   * @throws `not_sealstone`, `unsupported_version`, `unsupported_suite`, `malformed_header`, `malformed_armour`, `malformed_compression`,
   * `truncated`, `context_required`, `context_not_bound`, `cost_too_high`, `no_matching_identity`, `header_not_authentic`,
   * `not_authentic`, `not_in_profile`, `unavailable_backend`, `too_long`, `same_file`, `output_exists`, `not_regular_file`,
   * `input_changed`, `cancelled`, `io`
   */
  decryptFile(
    decryptor: Handle,
    input: Uint8Array,
    output: Uint8Array,
    replace: boolean,
    special: boolean,
    job: Handle,
  ): Later<Processed>
  /**
   * Checks that all of a file is authentic, and of an archive its members and index too.
   * @throws `not_sealstone`, `unsupported_version`, `unsupported_suite`, `malformed_header`, `malformed_armour`, `malformed_compression`,
   * `malformed_archive`, `truncated`, `context_required`, `context_not_bound`, `cost_too_high`, `no_matching_identity`,
   * `header_not_authentic`, `not_authentic`, `not_in_profile`, `unavailable_backend`, `too_long`, `not_regular_file`, `input_changed`,
   * `cancelled`, `io`
   */
  verifyFile(decryptor: Handle, input: Uint8Array, special: boolean, job: Handle): Later<Processed>
  /**
   * Gives a file other recipients where it is; of one with several names `splitLinks` gives them to this name alone.
   * @throws `not_sealstone`, `unsupported_version`, `unsupported_suite`, `malformed_header`, `malformed_armour`, `truncated`,
   * `cost_too_high`, `no_matching_identity`, `header_not_authentic`, `mixed_recipients`, `invalid_recipients`, `not_in_profile`,
   * `unavailable_backend`, `too_long`, `no_randomness`, `hard_links`, `not_regular_file`, `input_changed`, `cancelled`, `io`
   */
  rewrapFile(rewrapper: Handle, file: Uint8Array, splitLinks: boolean, job: Handle): Later<Processed>
  /**
   * Decrypts the bytes of a file's plaintext from `start` to `end`.
   * @throws `not_sealstone`, `unsupported_version`, `unsupported_suite`, `malformed_header`, `malformed_compression`, `truncated`,
   * `context_required`, `context_not_bound`, `cost_too_high`, `no_matching_identity`, `header_not_authentic`, `not_authentic`,
   * `not_in_profile`, `unavailable_backend`, `range_out_of_bounds`, `not_seekable`, `too_long`, `not_regular_file`, `input_changed`,
   * `cancelled`, `io`
   */
  decryptRangeFile(
    decryptor: Handle,
    input: Uint8Array,
    start: number,
    end: number,
    special: boolean,
    job: Handle,
  ): Later<Out>
  /**
   * Shows the public part of a file by name.
   * @throws `not_sealstone`, `unsupported_version`, `unsupported_suite`, `malformed_header`, `malformed_armour`, `truncated`, `too_long`,
   * `not_regular_file`, `input_changed`, `cancelled`, `io`
   */
  inspectFile(file: Uint8Array, special: boolean, job: Handle): Later<Inspection>

  /**
   * Hashes a file.
   * @throws `wrong_length`, `too_long`, `not_regular_file`, `input_changed`, `cancelled`, `io`
   */
  hashFile(algorithm: number, file: Uint8Array, special: boolean, length: number, job: Handle): Later<Out>

  /**
   * Gives the tag of a file.
   * @throws `not_regular_file`, `input_changed`, `cancelled`, `io`
   */
  macFile(key: Handle, file: Uint8Array, special: boolean, job: Handle): Later<Out>

  /**
   * Signs a file; returns the signature.
   * @throws `not_in_profile`, `no_randomness`, `not_regular_file`, `input_changed`, `cancelled`, `io`
   */
  signatureSignFile(writer: Handle, file: Uint8Array, special: boolean, job: Handle): Later<string>
  /**
   * Signs a file into a new one that has the content, and behind it the signature.
   * @throws `not_in_profile`, `no_randomness`, `same_file`, `output_exists`, `not_regular_file`, `input_changed`, `cancelled`, `io`
   */
  signatureAttachFile(
    writer: Handle,
    input: Uint8Array,
    output: Uint8Array,
    replace: boolean,
    special: boolean,
    job: Handle,
  ): Later<Signed>
  /**
   * Verifies a file by its signature.
   * @throws `not_in_profile`, `invalid_signature`, `not_a_signature`, `malformed_signature`, `unsupported_signature`, `wrong_namespace`,
   * `unknown_signer`, `invalid_signer`, `unavailable_backend`, `not_regular_file`, `input_changed`, `cancelled`, `io`
   */
  signatureVerifyFile(
    reader: Handle,
    file: Uint8Array,
    signature: Uint8Array,
    special: boolean,
    job: Handle,
  ): Later<Verification>
  /**
   * Verifies a file that has its signature behind its content, and writes the content into a new file, if there is an output.
   * @throws `not_in_profile`, `invalid_signature`, `not_a_signature`, `malformed_signature`, `unsupported_signature`, `wrong_namespace`,
   * `unknown_signer`, `invalid_signer`, `unavailable_backend`, `too_long`, `same_file`, `output_exists`, `not_regular_file`,
   * `input_changed`, `cancelled`, `io`
   */
  signatureDetachFile(
    reader: Handle,
    input: Uint8Array,
    output: Uint8Array | undefined,
    replace: boolean,
    special: boolean,
    job: Handle,
  ): Later<Verification>
}

// Calls that WebAssembly alone has, and those that it answers at once where the addon promises.

export interface AgeWasmCalls {
  /**
   * Says which key of a passphrase an encryptor or a decryptor needs before it works on a file that begins so; no bytes where it needs
   * none.
   */
  ageAsked(of: Handle, head: Uint8Array): Out
  /**
   * Lets it know the key. An encryptor uses it once.
   * @throws `invalid_passphrase`
   */
  ageKnow(of: Handle, asked: Uint8Array, key: Uint8Array): void
  /**
   * Begins to derive such a key.
   * @throws `cost_too_high`, `invalid_passphrase`
   */
  ageStretching(asked: Uint8Array): Handle
  /** Derives a part of it; returns whether all is done. */
  ageStretchingStep(stretching: Handle, amount: number): boolean
  /** Gives the key, once. */
  ageStretchingKey(stretching: Handle): Out
  /**
   * Gives the key of a file, by its header.
   * @throws `malformed_header`, `truncated`, `cost_too_high`, `no_matching_identity`, `header_not_authentic`
   */
  ageFileKey(decryptor: Handle, header: Uint8Array): Out
  /**
   * Begins a file.
   * @throws `cost_too_high`, `mixed_recipients`, `invalid_recipients`, `invalid_recipient`, `unavailable_backend`, `no_randomness`
   */
  ageSealer(encryptor: Handle): Handle
  /** Seals the chunks that are whole; where there are none there is no work. */
  ageSealerUnitNow(sealer: Handle): Part | null
  /** Seals the end of the stream. */
  ageSealerFinishNow(sealer: Handle): Part
  /**
   * Begins to open a file, by its head.
   * @throws `malformed_header`, `truncated`, `cost_too_high`, `no_matching_identity`, `header_not_authentic`
   */
  ageOpener(decryptor: Handle, head: Uint8Array): Handle
  /**
   * Opens the chunks that are whole; where there are none there is no work.
   * @throws `not_authentic`
   */
  ageOpenerUnitNow(opener: Handle): Part | null
  /**
   * Opens the rest at the end; nothing where something else has ended the stream.
   * @throws `truncated`, `not_authentic`
   */
  ageOpenerFinishNow(opener: Handle, isEnd: boolean): Part
}

export interface BaseWasmCalls {
  /** Says how many bytes of plaintext every chunk but the last has. */
  chunkLen(): number
  /**
   * Gives the key of a file's chunks where this algorithm seals them; else no bytes.
   * @throws `unknown_algorithm`
   */
  sealerKey(sealer: Handle, algorithm: string): Out
  /**
   * Gives the nonces of the next chunks, which have so many bytes of the file. None is given out twice.
   * @throws `too_long`
   */
  sealerNonces(sealer: Handle, len: number): Out
  /**
   * As `sealerKey`.
   * @throws `unknown_algorithm`
   */
  openerKey(opener: Handle, algorithm: string): Out
  /**
   * Gives the nonces of the chunks from number `first` on, which have so many bytes of the file.
   * @throws `truncated`, `too_long`
   */
  openerNonces(opener: Handle, first: number, len: number, isEnd: boolean): Out
  /**
   * Fails as opening does: a chunk by its number, or one buffer.
   * @throws `not_authentic`
   */
  notAuthentic(chunk: number | undefined): void
  /**
   * Makes the key by which a worker seals and opens chunks.
   * @throws `unknown_algorithm`, `wrong_length`
   */
  chunkKey(algorithm: string, key: Uint8Array): Handle
  /**
   * Seals a chunk into memory. Its length: the plaintext's plus `tagLen`. After an error the memory is zero, unless the input lay there.
   * @throws `wrong_length`, `too_long`
   */
  chunkSeal(key: Handle, nonce: Uint8Array, plaintext: Lent, sealed: Uint8Array): void
  /**
   * Opens a chunk into memory. Its length: the ciphertext's less `tagLen`. After an error the memory is zero, unless the input lay there;
   * after `not_authentic` it is zero in any case.
   * @throws `not_authentic`, `wrong_length`
   */
  chunkOpen(key: Handle, nonce: Uint8Array, sealed: Lent, plaintext: Uint8Array): void
  /**
   * Says which key of a passphrase an encryptor, a decryptor or a rewrapper needs before it works on a file; no bytes where it needs none.
   */
  stretchAsked(of: Handle, file: Uint8Array): Out
  /**
   * Lets it know the key. An encryptor uses it once.
   * @throws `invalid_passphrase`
   */
  stretchKnown(of: Handle, asked: Uint8Array, key: Uint8Array): void
  /**
   * Begins to derive such a key.
   * @throws `cost_too_high`, `invalid_passphrase`
   */
  stretching(asked: Uint8Array): Handle
  /** Derives a part of it; returns whether all is done. */
  stretchingStep(stretching: Handle, amount: number): boolean
  /** Gives the key, once. */
  stretchingKey(stretching: Handle): Out

  /**
   * Reads the identities of a file, unless the module of forms has to.
   * @throws `unsupported_version`, `unsupported_suite`, `malformed_header`, `malformed_armour`, `truncated`, `context_required`,
   * `cost_too_high`, `no_matching_identity`, `not_authentic`, `invalid_identity`, `passphrase_required`, `invalid_passphrase`
   */
  identitiesRead(file: Uint8Array, passphrase: Uint8Array | undefined): Read
  /**
   * As `identitiesRead`, of a file that a decryptor opens.
   * @throws `unsupported_version`, `unsupported_suite`, `malformed_header`, `malformed_armour`, `truncated`, `context_required`,
   * `context_not_bound`, `cost_too_high`, `no_matching_identity`, `not_authentic`, `invalid_identity`, `not_in_profile`
   */
  identitiesReadBy(decryptor: Handle, file: Uint8Array): Read
  /**
   * Makes identities of the bytes that another module has written.
   * @throws `invalid_identity`
   */
  identitiesOfBytes(bytes: Uint8Array): Handle[]
  /**
   * Writes an identity in a form that is a string; null where the module of forms has the form.
   * @throws `unsupported_key`, `invalid_passphrase`, `unknown_algorithm`
   */
  identityString(identity: Handle, form: string, passphrase: Uint8Array | undefined): string | null
  /** Writes an identity as bytes for another module. */
  identityBytes(identity: Handle): Out
  /**
   * Reads the recipients of a file, unless the module of forms has to.
   * @throws `invalid_recipient`
   */
  recipientsRead(file: Uint8Array): Read
  /**
   * Makes recipients of the bytes that another module has written.
   * @throws `invalid_recipient`
   */
  recipientsOfBytes(bytes: Uint8Array): Handle[]
  /**
   * Writes a recipient in a form that is a string; null where the module of forms has the form.
   * @throws `unsupported_key`, `unknown_algorithm`
   */
  recipientString(recipient: Handle, form: string): string | null
  /** Writes a recipient as bytes for another module. */
  recipientBytes(recipient: Handle): Out

  /**
   * Begins a message that a host seals: returns the key, the nonce, and how the message begins.
   * @throws `invalid_recipients`, `no_randomness`
   */
  messageBegin(recipient: Handle): Out
  /**
   * Begins to open a message that a host opens, of which `head` is all that stands before the ciphertext: returns the key and the nonce.
   * @throws `no_matching_identity`, `not_authentic`
   */
  messageOpening(identity: Handle, head: Uint8Array): Out

  /**
   * Fails where nothing can be encrypted with these options.
   * @throws `mixed_recipients`, `invalid_recipients`, `not_in_profile`
   */
  encryptorCheck(encryptor: Handle): void

  /**
   * Begins a file of which a host may seal the chunks.
   * @throws `cost_too_high`, `mixed_recipients`, `invalid_recipients`, `not_in_profile`, `no_randomness`
   */
  sealerOf(encryptor: Handle): Handle
  /**
   * Seals the next unit, if it is full; else there is no work.
   * @throws `too_long`
   */
  sealerUnitNow(sealer: Handle): Part | null
  /**
   * Seals the end of the stream.
   * @throws `too_long`
   */
  sealerFinishNow(sealer: Handle): Part
  /**
   * Begins to open a file of which a host may open the chunks.
   * @throws `not_sealstone`, `unsupported_version`, `unsupported_suite`, `malformed_header`, `truncated`, `context_required`,
   * `context_not_bound`, `cost_too_high`, `no_matching_identity`, `header_not_authentic`, `not_authentic`, `not_in_profile`
   */
  openerOf(decryptor: Handle, head: Uint8Array): Handle
  /** Gives the length of a file before its first chunk. */
  openerHeadLen(opener: Handle): number
  /**
   * Gives the length of the plaintext of a file of so many bytes.
   * @throws `truncated`, `too_long`
   */
  openerPlaintextLen(opener: Handle, fileLen: number): number
  /**
   * Opens the next unit, if it is full; else there is no work.
   * @throws `not_authentic`, `too_long`
   */
  openerUnitNow(opener: Handle): Part | null
  /**
   * Opens the rest: at the end of the stream all, otherwise the chunks that are whole.
   * @throws `truncated`, `not_authentic`, `too_long`
   */
  openerFinishNow(opener: Handle, isEnd: boolean): Part
}

export interface CipherWasmCalls {
  /** Gives the length of the plaintext of a ciphertext, which its nonce may precede; 0 of one that is too short. */
  aeadOpenedLen(key: Handle, sealedLen: number, hasNonce: boolean): number
  /**
   * Seals a plaintext into memory. Its length: the input's plus `aeadTagLen`. Where the nonce is drawn, the input has room for it before
   * the plaintext. Returns the plaintext's length. After an error the memory is zero, unless the input lay there.
   * @throws `wrong_length`, `too_long`, `no_randomness`
   */
  aeadSealPlaced(key: Handle, nonce: Uint8Array | undefined, aad: Uint8Array, loaded: Lent, sealed: Uint8Array): number
}

export interface DigestWasmCalls {
  /**
   * Begins to derive a key of a password, in an instance of its own.
   * @throws `cost_too_high`, `unknown_algorithm`, `invalid_cost`, `wrong_length`, `too_long`
   */
  deriving(
    name: string,
    a: number,
    b: number,
    c: number,
    password: Uint8Array,
    salt: Uint8Array,
    secret: Uint8Array,
    data: Uint8Array,
    isBounded: boolean,
    length: number,
  ): Handle
  /**
   * Begins to hash a password.
   * @throws `cost_too_high`, `invalid_passphrase`, `unknown_algorithm`, `invalid_cost`, `no_randomness`
   */
  derivingHash(password: Uint8Array, name: string, a: number, b: number, c: number): Handle
  /**
   * Begins to check a password.
   * @throws `cost_too_high`, `invalid_passphrase`, `unknown_algorithm`, `invalid_cost`, `wrong_length`, `invalid_encoding`
   */
  derivingCheck(password: Uint8Array, stored: string, isBounded: boolean): Handle
  /** Derives a part of it; returns whether all is done. */
  derivingStep(deriving: Handle, amount: number): boolean
  /**
   * Gives the result, once: the key, the text to be stored, or nothing of a password that is the right one.
   * @throws `not_authentic`
   */
  derivingEnd(deriving: Handle): Out
  /**
   * Fails where a cost is none, or too high, of a key that a host derives.
   * @throws `cost_too_high`, `unknown_algorithm`, `invalid_cost`, `wrong_length`
   */
  deriveCheck(name: string, a: number, b: number, c: number, isBounded: boolean, length: number): void
}

export interface FormsWasmCalls {
  /**
   * Says which keys of a passphrase a file needs; `opened` is all that was sealed in the file, if it is.
   * @throws `not_sealstone`, `unsupported_version`, `unsupported_suite`, `malformed_header`, `malformed_armour`, `truncated`,
   * `cost_too_high`, `invalid_identity`, `unsupported_key`
   */
  derivationsOfForm(file: Uint8Array, opened: Uint8Array | undefined): Out
  /**
   * Reads the identities of a file, with keys that a host has derived.
   * @throws `not_sealstone`, `unsupported_version`, `unsupported_suite`, `malformed_header`, `malformed_armour`, `truncated`,
   * `cost_too_high`, `no_matching_identity`, `invalid_identity`, `unsupported_key`, `passphrase_required`, `invalid_passphrase`
   */
  identitiesOfForm(
    file: Uint8Array,
    opened: Uint8Array | undefined,
    passphrase: Uint8Array | undefined,
    derived: Uint8Array | undefined,
  ): Out
  /**
   * Reads the recipients of a file.
   * @throws `invalid_recipient`, `unsupported_key`
   */
  recipientsOfForm(file: Uint8Array): Out
  /**
   * Writes an identity in a form.
   * @throws `invalid_identity`, `unsupported_key`, `invalid_passphrase`, `unknown_algorithm`, `no_randomness`
   */
  identityInForm(identity: Uint8Array, form: string, passphrase: Uint8Array | undefined): string | Out
  /**
   * Writes a recipient in a form.
   * @throws `invalid_recipient`, `unsupported_key`, `unknown_algorithm`
   */
  recipientInForm(recipient: Uint8Array, form: string): string | Out
}

export interface RsaWasmCalls {
  /**
   * Takes the padding off a block that a host has decrypted.
   * @throws `wrong_length`, `malformed_ciphertext`
   */
  rsaUnpadPkcs1(key: Handle, ciphertext: Uint8Array, encoded: Uint8Array): Out
}

export interface SignWasmCalls {
  /**
   * Fails, since the host makes keys of RSA.
   * @throws `invalid_option`, `unavailable_backend`
   */
  signGenerateRsa(bits: number): Handle
  /** Names the scheme and the hash of a signature of RSA that a host makes. */
  signByRsa(choices: number): string
}
