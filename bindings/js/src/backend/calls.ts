// The types of all calls, and of what they give. `make generate` writes them of the engine's functions.

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
  /** Whether it is ASCII armour. */
  readonly armoured: boolean
  /** Bytes of the header. */
  readonly headerLen: number
  /** One entry a recipient, in the file's order. */
  readonly stanzas: readonly StanzaInfo[]
  /** Bytes behind the header. */
  readonly payloadLen: number
  /** The length of the plaintext in bytes, computed from the length of the payload. */
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

/** Options of an [`Encryptor`], as another language has them: text and numbers. Core has the defaults. */
export type EncryptOptions = readonly [
  suite: string | undefined,
  context: Uint8Array | undefined,
  allowMixed: boolean | undefined,
  profile: string | undefined,
  armour: boolean | undefined,
  threads: number | undefined,
]

/**
 * A cost as it crosses: `argon2id`, `argon2i` and `argon2d` with memory in KiB, passes and lanes; `scrypt` with the logarithm of N, r and
 * p; `pbkdf2-HASH` with iterations.
 */
export type CrossingCost = readonly [name: string, a: number, b: number, c: number]

/** All that a key is derived of: password and salt, and of Argon2 alone a secret and associated data, which may be empty. */
export type DerivedOf = readonly [password: Uint8Array, salt: Uint8Array, secret: Uint8Array, data: Uint8Array]

/** The options of OAEP on both sides: a hash by its name, by default the usual one, and a label. */
export type OaepOptions = readonly [hash: string | undefined, label: Uint8Array]

/** Options of a signature, as they cross. */
export type SignOptions = readonly [choices: number, context: Uint8Array | undefined, id: Uint8Array | undefined]

export interface AgeCalls {
  /** Makes a new identity of a kind, as text. */
  ageIdentityGenerate(kind: string): string
  /** Reads an identity. WebAssembly has none of SSH: a module that reads them would be half as large again. */
  ageIdentity(text: Uint8Array, passphrase: Uint8Array | undefined): Handle
  /** Makes the identity of a passphrase. */
  ageIdentityOfPassphrase(text: Uint8Array): Handle
  /** Gives the recipient of an identity, as text. */
  ageIdentityRecipient(identity: Handle): string
  /** Reads a recipient. */
  ageRecipient(text: string): Handle
  /** Makes the recipient of a passphrase, which costs 2^`logN`. */
  ageRecipientOfPassphrase(text: Uint8Array, logN: number): Handle
  /** Writes the recipient of a point of X25519. */
  ageRecipientOfPoint(point: Uint8Array): string
  /** Makes what encrypts files to recipients. */
  ageEncryptor(recipients: readonly Handle[], threads: number | undefined): Handle
  /** Makes what decrypts files with identities. */
  ageDecryptor(identities: readonly Handle[], threads: number | undefined): Handle
  /** Says how many bytes of a file are before its first chunk, by its beginning; 0 where more of that is needed to say. */
  ageHeadLen(start: Uint8Array): number
  /** Gives the length of the chunks of a plaintext. */
  ageSealedLen(plaintextLen: number): number
  /** Gives the length of the plaintext of chunks. */
  ageOpenedLen(chunksLen: number): number
  /** Says how many bytes of plaintext every chunk but the last has. */
  ageChunkLen(): number
  /** Gives the stanzas of a head. */
  ageStanzas(head: Uint8Array): Out
  /** Wraps a file key for a recipient; returns the stanzas. */
  ageWrap(recipient: Handle, fileKey: Uint8Array): Out
  /** Gives the point in a stanza of X25519. */
  ageX25519Share(stanza: Uint8Array): Out
  /**
   * Gives the file key of such a stanza, by the secret that its share and a key of the caller have in common; no bytes where it is another
   * key's.
   */
  ageX25519FileKey(stanza: Uint8Array, publicKey: Uint8Array, secret: Uint8Array): Out
  /** Says how many units of a file may be at work at the same time. */
  ageUnitsMax(): number
  /** Begins a file with stanzas that a caller has made. */
  ageSealerOfStanzas(stanzas: Uint8Array, fileKey: Uint8Array): Handle
  /** Gives all of the file before its first chunk. */
  ageSealerHead(sealer: Handle): Out
  /** Takes plaintext, as much as the next unit has room for; returns how much that is. */
  ageSealerFill(sealer: Handle, plaintext: Uint8Array): number
  /** Begins to open a file whose key a caller knows. */
  ageOpenerOfFileKey(head: Uint8Array, fileKey: Uint8Array): Handle
  /** Takes chunks, as much as the next unit has room for; returns how much that is. */
  ageOpenerFill(opener: Handle, chunks: Uint8Array): number
  /** Opens chunks from a number on; `isEnd` says that the file ends with them. */
  ageOpenerAt(opener: Handle, first: number, chunks: Uint8Array, isEnd: boolean): Out
  /** Writes a file as text. */
  ageArmour(file: Uint8Array): string
  /** Reads a file that is text. */
  ageDearmour(text: Uint8Array): Out
  /** Whether a file that begins so is text. */
  ageIsArmoured(start: Uint8Array): boolean
}

export interface BaseCalls {
  /** Names what computes the AEADs, and the CPU's instruction sets, for people to read. */
  backend(): string

  /** Makes a key for chunks of a suite. */
  chunkedKey(suite: string, key: Uint8Array): Handle
  /** Begins a ciphertext. */
  chunkedSealer(key: Handle, context: Uint8Array): Handle
  /** Begins to open a ciphertext, by its head. */
  chunkedOpener(key: Handle, context: Uint8Array, head: Uint8Array): Handle
  /** Gives the length of a ciphertext's head. */
  chunkedHeadLen(): number
  /** Encrypts a plaintext. */
  chunkedEncrypt(key: Handle, context: Uint8Array, plaintext: Uint8Array): Out
  /** Decrypts a ciphertext. */
  chunkedDecrypt(key: Handle, context: Uint8Array, ciphertext: Uint8Array): Out
  /** Gives the length of the tag of each chunk, and of a message. */
  tagLen(): number

  /** Encrypts a plaintext, as text where the encryptor armours. */
  encryptArmoured(encryptor: Handle, plaintext: Uint8Array): Out
  /** Decrypts a file, which may be text. */
  decryptArmoured(decryptor: Handle, file: Uint8Array): Out
  /** Decrypts the bytes of a plaintext from `start` to `end`. */
  decryptRange(decryptor: Handle, file: Uint8Array, start: number, end: number): Out
  /** Gives a file other recipients; its chunks stay as they are. */
  rewrap(rewrapper: Handle, file: Uint8Array): Out
  /** Shows the public part of a file. */
  inspect(file: Uint8Array): Inspection

  /** Makes a new identity of a kind, by default of the kind that resists quantum computers. */
  identityGenerate(kind: string | undefined): Handle
  /** Reads the identities of a file in any form. */
  identitiesParse(file: Uint8Array, passphrase: Uint8Array | undefined): Handle[]
  /** Makes the identity of a passphrase. */
  identityOfPassphrase(text: Uint8Array): Handle
  /** Makes the identity of a symmetric key. */
  identityOfKey(bytes: Uint8Array): Handle
  /** Names the kind of an identity. */
  identityKind(identity: Handle): string
  /** Whether the use of an identity takes so long that it does not belong on JavaScript's thread. */
  identityIsSlow(identity: Handle): boolean
  /** Gives the recipient of an identity. */
  identityRecipient(identity: Handle): Handle
  /** Writes an identity in a form, encrypted where there is a passphrase. */
  identityExport(identity: Handle, form: string, passphrase: Uint8Array | undefined): string | Out
  /** Reads the recipients of a file in any form. */
  recipientsParse(file: Uint8Array): Handle[]
  /** Names the kind of a recipient. */
  recipientKind(recipient: Handle): string
  /** Gives the fingerprint of a recipient, which a passphrase has not. */
  recipientFingerprint(recipient: Handle): string | null
  /** Writes a recipient in a form. */
  recipientExport(recipient: Handle, form: string): string | Out

  /** Gives the length of a message that is no text. */
  messageLen(recipient: Handle, plaintextLen: number): number
  /** Seals a message into memory. Its length: `messageLen`. After an error the memory is zero. */
  messageSealInto(recipient: Handle, plaintext: Uint8Array, aad: Uint8Array, message: Uint8Array): void
  /** Seals a message as text. */
  messageSealArmoured(recipient: Handle, plaintext: Uint8Array, aad: Uint8Array): string
  /** Whether a message that begins so is text. */
  messageIsArmoured(start: Uint8Array): boolean
  /** Says how many bytes are before the ciphertext of a message of that length, which is no text; a tag stands behind it. */
  messageHeadLen(identity: Handle, start: Uint8Array, messageLen: number): number
  /** Opens a message into memory. Its length: the message's less `messageHeadLen` and `tagLen`. After an error the memory is zero. */
  messageOpenInto(identity: Handle, message: Uint8Array, aad: Uint8Array, plaintext: Uint8Array): void
  /** Opens a message, as bytes or as text. */
  messageOpenArmoured(identity: Handle, message: Uint8Array, aad: Uint8Array): Out

  /** Makes what encrypts files to recipients. */
  encryptor(
    recipients: readonly Handle[],
    suite: string | undefined,
    context: Uint8Array | undefined,
    allowMixed: boolean | undefined,
    profile: string | undefined,
    armour: boolean | undefined,
    threads: number | undefined,
  ): Handle
  /** Makes what decrypts files with identities. */
  decryptor(
    identities: readonly Handle[],
    context: Uint8Array | undefined,
    profile: string | undefined,
    threads: number | undefined,
  ): Handle
  /** Makes what gives files other recipients. */
  rewrapper(
    identities: readonly Handle[],
    recipients: readonly Handle[],
    replace: boolean | undefined,
    allowMixed: boolean | undefined,
    profile: string | undefined,
  ): Handle
  /** Whether the files of an encryptor are text. */
  encryptorArmours(encryptor: Handle): boolean

  /** Begins a file, and says how long it is with a plaintext of that length. The options say nothing of armour. */
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
  /** Gives the length of the file of a plaintext of so many bytes. */
  sealerFileLen(sealer: Handle, plaintextLen: number): number
  /** Encrypts a whole plaintext into memory. Its length: `sealer` or `sealerFileLen` gives it. After an error the memory is zero. */
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
  /** Takes more text; returns the bytes that it stands for, up to the first fault. */
  dearmourUpdate(dearmour: Handle, text: Uint8Array): Part
  /** Ends the text; returns what is left. */
  dearmourFinish(dearmour: Handle): Part
  /** Says how many bytes `fileIsArmoured` looks at, of a file that begins so; without bytes, how many tell it. */
  armourLookLen(start: Uint8Array): number
  /** Says how many bytes `fileHeadLen` looks at. */
  fileStartLen(): number
  /** Gives the length of a file's head, by its first bytes. */
  fileHeadLen(start: Uint8Array): number
  /** Whether a file that begins so is text. */
  fileIsArmoured(start: Uint8Array): boolean
  /**
   * Begins to open a file of so many bytes, of which `head` is the beginning, and says how long its plaintext is; of a file that is
   * armoured it makes the decryptor alone.
   */
  opener(
    identities: readonly Handle[],
    context: Uint8Array | undefined,
    profile: string | undefined,
    threads: number | undefined,
    head: Uint8Array,
    fileLen: number,
  ): readonly [Handle, number?]
  /** Decrypts a whole file into memory. Its length: `opener` gives it. After an error the memory is zero. */
  openInto(opener: Handle, file: Uint8Array, plaintext: Uint8Array, threads: number | undefined): void
  /** Takes chunks, as much as the next unit has room for; returns how much that is. */
  openerFill(opener: Handle, chunks: Uint8Array): number
  /** Opens chunks from a number on; a length that is no whole number of chunks is that of the file's end. */
  openerAt(opener: Handle, first: number, chunks: Uint8Array): Out
}

export interface CipherCalls {
  /** Makes a key for an AEAD. */
  aead(algorithm: string, key: Uint8Array): Handle
  /** Gives the length of the keys of an AEAD. */
  aeadKeyLen(algorithm: string): number
  /** Gives the length of the nonces of an AEAD. */
  aeadNonceLen(algorithm: string): number
  /** Gives the length of a tag. */
  aeadTagLen(): number
  /**
   * Seals a plaintext into memory. Its length: the plaintext's plus `aeadTagLen`. Without a nonce one is drawn, which stands before the
   * ciphertext, and the memory is longer by `aeadNonceLen`. After an error the memory is zero, unless the input lay there.
   */
  aeadSeal(key: Handle, nonce: Lent | undefined, aad: Lent | undefined, plaintext: Lent, sealed: Uint8Array): void
  /**
   * Opens a ciphertext into memory. Its length: the ciphertext's less `aeadTagLen`, or with room for the tag as well. Without a nonce it
   * is read from before the ciphertext, and the memory is shorter by `aeadNonceLen`. Returns the plaintext's length. After an error the
   * memory is zero, unless the input lay there; after `not_authentic` it is zero in any case.
   */
  aeadOpen(key: Handle, nonce: Lent | undefined, aad: Lent | undefined, sealed: Lent, plaintext: Uint8Array): number
  /** Seals a plaintext as text. */
  aeadSealText(key: Handle, nonce: Lent | undefined, aad: Data, plaintext: Data, encoding: number): string
  /** Opens a text whose plaintext is text too. */
  aeadOpenText(key: Handle, nonce: Lent | undefined, aad: Data, sealed: Data, encoding: number): string
  /**
   * Seals items that lie one behind the other; nonce, ciphertext and tag of each lie so in memory. Its length: the items', plus
   * `aeadNonceLen` and `aeadTagLen` for each. After an error the memory is zero.
   */
  aeadSealBatch(key: Handle, aad: Uint8Array, data: Uint8Array, lengths: Uint32Array, out: Uint8Array): void
  /**
   * Opens such items into memory. Its length: the items', less `aeadNonceLen` and `aeadTagLen` for each. Returns of each 1, or 0 of one
   * that is not authentic, whose place is zero.
   */
  aeadOpenBatch(key: Handle, aad: Uint8Array, data: Uint8Array, lengths: Uint32Array, out: Uint8Array): Out

  /** Gives the number of an encoding; for ciphers alone. */
  cipherEncodingId(encoding: string): number
  /** Writes Base64 with padding, of bytes that are no key, into memory for which the digits are just as long. */
  base64EncodeInto(bytes: Uint8Array, digits: Uint8Array): void
  /** Reads Base64 into memory that has room for its bytes; returns how many there are. After an error the memory is zero. */
  base64DecodeInto(digits: Uint8Array, bytes: Uint8Array): number
  /** Makes a key for a mode. */
  cipher(algorithm: string, key: Uint8Array): Handle
  /** Gives the length of the keys of a mode. */
  cipherKeyLen(algorithm: string): number
  /** Whether a plaintext is padded unless that is declined. */
  cipherPads(cipher: Handle): boolean
  /**
   * Encrypts into memory. Its length: the plaintext's, or where it is padded (`cipherPads`) the next multiple of 16 bytes. After an error
   * the memory is zero, unless the input lay there.
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
   */
  cipherDecrypt(
    cipher: Handle,
    iv: Uint8Array,
    ciphertext: Lent,
    plaintext: Uint8Array,
    pads: boolean | undefined,
  ): number
  /** Encrypts to text. */
  cipherEncryptText(cipher: Handle, iv: Lent, plaintext: Data, pads: boolean | undefined, encoding: number): string
  /** Decrypts a text whose plaintext is text too. */
  cipherDecryptText(cipher: Handle, iv: Lent, ciphertext: Data, pads: boolean | undefined, encoding: number): string
  /** Makes a key for an old cipher, which decrypts, and encrypts only where the caller says so. */
  legacy(algorithm: string, key: Uint8Array, encrypts: boolean): Handle
  /** Encrypts. */
  legacyEncrypt(legacy: Handle, iv: Uint8Array, plaintext: Uint8Array, pads: boolean | undefined): Out
  /** Decrypts. */
  legacyDecrypt(legacy: Handle, iv: Uint8Array, ciphertext: Uint8Array, pads: boolean | undefined): Out
  /** Encrypts to text. */
  legacyEncryptText(
    legacy: Handle,
    iv: Uint8Array,
    plaintext: Uint8Array,
    pads: boolean | undefined,
    encoding: number,
  ): string
  /** Decrypts a text whose plaintext is text too. */
  legacyDecryptText(
    legacy: Handle,
    iv: Uint8Array,
    ciphertext: Data,
    pads: boolean | undefined,
    encoding: number,
  ): string
  /** Makes a key that wraps others. */
  keyWrap(algorithm: string, key: Uint8Array): Handle
  /** Wraps a key. */
  keyWrapWrap(key: Handle, secret: Uint8Array): Out
  /** Unwraps a key. */
  keyWrapUnwrap(key: Handle, wrapped: Uint8Array): Out
  /** Makes a key for AES-CCM. */
  ccm(algorithm: string, key: Uint8Array, tagLen: number): Handle
  /** Seals. */
  ccmSeal(key: Handle, nonce: Uint8Array, aad: Uint8Array, plaintext: Uint8Array): Out
  /** Opens. */
  ccmOpen(key: Handle, nonce: Uint8Array, aad: Uint8Array, sealed: Uint8Array): Out
  /** Makes a tag of Poly1305, whose key is for one message. */
  poly1305(key: Uint8Array, data: Uint8Array): Out
}

export interface CompatCalls {
  /** Makes a pair of keys that sign, of a seed, or a new one. */
  yuantsKeyPair(seed: Uint8Array | undefined): KeyPairText
  /** Gives the pair of a private key that signs. */
  yuantsKeyPairOf(privateKey: string): KeyPairText
  /** Makes a new pair of keys for X25519. */
  yuantsX25519(): KeyPairText
  /** Gives the key that two sides share. */
  yuantsSharedKey(publicKey: string, privateKey: string): string
  /** Signs a message. */
  yuantsSign(privateKey: Uint8Array, message: Uint8Array): Out
  /** Signs a message with a key that is text, to text. */
  yuantsSignText(privateKey: string, message: Uint8Array): string
  /** Whether a signature is one of the message; `malleable` also takes those that others can make of one. */
  yuantsVerify(publicKey: string, message: Uint8Array, signature: string, malleable: boolean | undefined): boolean
  /** Gives the length before a ciphertext that this package makes. */
  yuantsHeadLen(format: string): number
  /** Gives the length behind a ciphertext. */
  yuantsTailLen(format: string): number
  /** Gives the length before the ciphertext of a whole that begins so. */
  yuantsHeadLenOf(format: string, sealed: Uint8Array): number
  /**
   * Seals a plaintext into memory. Its length: the plaintext's plus `yuantsHeadLen` and `yuantsTailLen`. After an error the memory is
   * zero, unless the input lay there.
   */
  yuantsSeal(format: string, key: string, plaintext: Lent, sealed: Uint8Array): void
  /**
   * Opens a whole into memory. Its length: the whole's less `yuantsHeadLenOf`. Returns the plaintext's. After an error the memory is zero,
   * unless the input lay there; after `not_authentic` it is zero in any case.
   */
  yuantsOpen(format: string, key: string, sealed: Lent, plaintext: Uint8Array): number
  /** Gives the HMAC of data. */
  yuantsHmac(hash: string, key: Uint8Array, data: Uint8Array): Out
  /** Gives the hash FNV-1a of data, as 16 hexadecimal digits. */
  yuantsFnv(data: Uint8Array): string
  /** Writes bytes in an encoding. */
  encodeText(encoding: string, data: Uint8Array): string
  /** Reads a text. */
  decodeText(encoding: string, text: string): Out
}

export interface DigestCalls {
  /** Gives the number of a hash. */
  hashId(algorithm: string): number
  /** Gives the length of a hash's digests. */
  hashLen(algorithm: number): number
  /** Gives the number of an encoding. */
  encodingId(encoding: string): number
  /**
   * Hashes data into memory, which may be the data's own. Its length: `hashLen`, or another one that the algorithm has. After an error the
   * memory is unchanged or zero.
   */
  hashInto(algorithm: number, data: Data, digest: Uint8Array): void
  /** Hashes data to text. */
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
  /** Gives the digest of the data so far. */
  hasherDigest(hasher: Handle, length: number): Out
  /** Gives it as text. */
  hasherText(hasher: Handle, encoding: number, length: number): string

  /** HKDF, RFC 5869. */
  hkdf(hash: string, secret: Uint8Array, salt: Uint8Array, info: Uint8Array, length: number): Out
  /** The first step of HKDF. */
  hkdfExtract(hash: string, salt: Uint8Array, secret: Uint8Array): Out
  /** The second step of HKDF. */
  hkdfExpand(hash: string, key: Uint8Array, info: Uint8Array, length: number): Out
  /** The one-step KDF of SP 800-56C. */
  concatKdf(hash: string, secret: Uint8Array, info: Uint8Array, length: number): Out
  /** The key derivation of BLAKE3. */
  blake3DeriveKey(context: string, secret: Uint8Array, length: number): Out
  /** Derives a key of a password. */
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
  /** Makes a cache of derived keys. The clock is the caller's, in whole milliseconds. */
  keyCache(entries: number, lifetimeMs: number): Handle
  /** Gives a key that is there; else no bytes. */
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
  /** Keeps a key. */
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

  /** Makes a key; a length of 0 is that of the algorithm's tags. */
  mac(algorithm: string, key: Uint8Array, customization: Uint8Array | undefined, tagLen: number): Handle
  /** Gives the length of a key's tags. */
  macTagLen(key: Handle): number
  /** Writes the tag of data into memory, which may be the data's own. Its length: `macTagLen`. */
  macInto(key: Handle, data: Data, tag: Uint8Array): void
  /** Gives the tag of data as text. */
  macText(key: Handle, data: Data, encoding: number): string
  /** Fails unless this is the tag of data, or where it `isTruncated` the tag's beginning. */
  macVerify(key: Handle, data: Data, tag: Lent, isTruncated: boolean): void
  /** As `macVerify`, of a tag that is text. */
  macVerifyText(key: Handle, data: Data, tag: Data, encoding: number, isTruncated: boolean): void
  /** Begins a tag. */
  macSigner(key: Handle): Handle
  /** Takes more data. */
  macSignerUpdate(signer: Handle, data: Uint8Array): void
  /** Gives the tag of the data so far. */
  macSignerTag(signer: Handle): Out
  /** Gives it as text. */
  macSignerText(signer: Handle, encoding: number): string
  /** Fails unless this is the tag of the data so far, or where it `isTruncated` the tag's beginning. */
  macSignerVerify(signer: Handle, tag: Uint8Array, isTruncated: boolean): void
  /** As `macSignerVerify`, of a tag that is text. */
  macSignerVerifyText(signer: Handle, tag: Data, encoding: number, isTruncated: boolean): void

  /** Hashes a password to the text that is stored. */
  passwordHash(password: Uint8Array, name: string, a: number, b: number, c: number): string
  /** Fails unless the stored text is of this password. */
  passwordVerify(password: Uint8Array, stored: string, isBounded: boolean): void
  /** Whether a stored text has another cost. */
  passwordNeedsRehash(stored: string, name: string, a: number, b: number, c: number): boolean
  /** Gives the number of a cost that is raised for a target, of Argon2 the passes, by the time that a hash took: both in microseconds. */
  passwordCostRaised(name: string, a: number, b: number, c: number, target: number, took: number): number
}

export interface ExchangeCalls {
  /** Makes a new key of a kind, by default of the kind that resists quantum computers. */
  exchangeGenerate(kind: string | undefined): Handle
  /** Reads a private key in a form that says its kind. */
  exchangePrivateParse(file: Uint8Array, passphrase: Uint8Array | undefined): Handle
  /** Reads a public key in a form that says its kind. */
  exchangePublicParse(file: Uint8Array): Handle
  /** Makes a private key of its bytes, which do not say their kind. */
  exchangePrivateOf(kind: string, bytes: Uint8Array): Handle
  /** Makes a public key of its bytes. */
  exchangePublicOf(kind: string, bytes: Uint8Array): Handle
  /** Names the kind of a private key. */
  exchangePrivateKind(key: Handle): string
  /** Names the kind of a public key. */
  exchangePublicKind(key: Handle): string
  /** Gives the public key of a private one. */
  exchangePublicKey(key: Handle): Handle
  /** Writes a private key in a form, encrypted where there is a passphrase. */
  exchangePrivateExport(key: Handle, form: string, passphrase: Uint8Array | undefined): string | Out
  /** Writes a public key in a form. */
  exchangePublicExport(key: Handle, form: string): string | Out
  /** Derives a key of so many bytes from the secret that two sides share. */
  exchangeAgree(
    key: Handle,
    publicKey: Handle,
    kdf: string,
    hash: string,
    salt: Uint8Array,
    info: Uint8Array,
    length: number,
  ): Out
  /** Gives the secret that two sides share, for protocols that derive keys from it. */
  exchangeSharedSecret(key: Handle, publicKey: Handle): Out
  /** Gives the length of a secret. */
  exchangeSecretLen(): number
  /** Gives the length of a ciphertext; 0 of kinds that agree. */
  exchangeCiphertextLen(publicKey: Handle): number
  /** Makes a secret; returns it, and behind it the ciphertext. */
  exchangeEncapsulate(publicKey: Handle): Out
  /** Writes the secret of a ciphertext into memory. Its length: `exchangeSecretLen`. After an error the memory is unchanged or zero. */
  exchangeDecapsulate(key: Handle, ciphertext: Lent, secret: Uint8Array): void
}

export interface NativeCalls {
  /** Fails where the environment asks for a backend that is not there, whatever would compute: who asks trusts that one alone. */
  checkBackend(): void
  /** Fills memory with randomness of the system's. After an error the memory is zero. */
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
  /** Takes the next part of data, of which there are so many bytes in all. */
  loadingUpdate(loading: Handle, part: Uint8Array, length: number): void
}

export interface RsaCalls {
  /** Makes a new key. */
  rsaGenerate(bits: number): Handle
  /** Reads a private key. */
  rsaPrivateParse(file: Uint8Array, passphrase: Uint8Array | undefined): Handle
  /** Reads a public key. */
  rsaPublicParse(file: Uint8Array): Handle
  /** Gives the public key of a private one. */
  rsaPublicKey(key: Handle): Handle
  /** Gives the bits of a private key's modulus. */
  rsaPrivateBits(key: Handle): number
  /** Gives the bits of a public key's modulus. */
  rsaPublicBits(key: Handle): number
  /** Writes a private key in a form, encrypted where there is a passphrase. */
  rsaPrivateExport(key: Handle, form: string, passphrase: Uint8Array | undefined): string | Out
  /** Writes a public key in a form. */
  rsaPublicExport(key: Handle, form: string): string | Out
  /** Encrypts with OAEP. */
  rsaEncrypt(key: Handle, plaintext: Uint8Array, hash: string | undefined, label: Uint8Array): Out
  /** Decrypts with OAEP. */
  rsaDecrypt(key: Handle, ciphertext: Uint8Array, hash: string | undefined, label: Uint8Array): Out
  /** Encrypts with the padding of PKCS#1 v1.5. */
  rsaEncryptPkcs1(key: Handle, plaintext: Uint8Array): Out
  /** Decrypts the padding of PKCS#1 v1.5; no result tells whether that was right. */
  rsaDecryptPkcs1(key: Handle, ciphertext: Uint8Array): Out
}

export interface SignCalls {
  /** Makes a new key of a kind, by default of the usual one. Keys of RSA take longer, and have a call of their own. */
  signGenerate(kind: string | undefined): Handle
  /** Reads a private key in a form that says its kind. */
  signPrivateParse(file: Uint8Array, passphrase: Uint8Array | undefined): Handle
  /** Reads a public key in a form that says its kind. */
  signPublicParse(file: Uint8Array): Handle
  /** Makes a private key of its bytes, which do not say their kind. */
  signPrivateOf(kind: string, bytes: Uint8Array): Handle
  /** Makes a public key of its bytes. */
  signPublicOf(kind: string, bytes: Uint8Array): Handle
  /** Names the kind of a private key. */
  signPrivateKind(key: Handle): string
  /** Names the kind of a public key. */
  signPublicKind(key: Handle): string
  /** Gives the public key of a private one. */
  signPublicKey(key: Handle): Handle
  /** Writes a private key in a form, encrypted where there is a passphrase. */
  signPrivateExport(key: Handle, form: string, passphrase: Uint8Array | undefined): string | Out
  /** Writes a public key in a form; only `ssh` has a comment. */
  signPublicExport(key: Handle, form: string, comment: string | undefined): string | Out
  /** Gives the fingerprint of a public key. */
  signFingerprint(publicKey: Handle): string
  /** Gives the fingerprint that SSH shows. */
  signSshFingerprint(publicKey: Handle): string
  /** Gives the number of a hash, an encoding and a scheme, which is 0 of none. */
  signChoices(hash: string | undefined, encoding: string | undefined, scheme: string | undefined): number
  /** Gives the length of the longest signature of a private key. */
  signMaxLen(key: Handle): number
  /** Whether a private key signs so slowly that it does not belong on JavaScript's thread. */
  signIsSlow(key: Handle): boolean
  /** Whether a public key verifies so slowly. None does; those of a host are promised. */
  verifyIsSlow(publicKey: Handle): boolean
  /** Signs data into memory. Its length: `signMaxLen`. Returns the signature's. After an error the memory is unchanged or zero. */
  signInto(
    key: Handle,
    data: Data,
    signature: Uint8Array,
    choices: number,
    context: Uint8Array | undefined,
    id: Uint8Array | undefined,
  ): number
  /** Fails unless this is a signature of data. */
  signVerify(
    publicKey: Handle,
    data: Data,
    signature: Lent,
    choices: number,
    context: Uint8Array | undefined,
    id: Uint8Array | undefined,
  ): void

  /** Makes what signs with a key. */
  signatureWriter(
    key: Handle,
    namespace: string | undefined,
    comment: string | undefined,
    profile: string | undefined,
  ): Handle
  /** Begins to say which signers a reader is to trust: none yet. */
  signatureTrusting(namespace: string | undefined, profile: string | undefined): Handle
  /** Trusts a key. */
  signatureTrustKey(trusting: Handle, publicKey: Handle): void
  /** Trusts the keys of a file. */
  signatureTrustFile(trusting: Handle, file: Uint8Array): void
  /** Trusts the signers of a file of allowed signers, at a second since 1970. */
  signatureTrustAllowed(trusting: Handle, file: Uint8Array, principal: string | undefined, at: number): void
  /** Makes what verifies by these signers. */
  signatureReader(trusting: Handle): Handle
  /** Begins to sign content in parts. */
  signatureSigning(writer: Handle): Handle
  /** Takes more content. */
  signatureSigningUpdate(signing: Handle, content: Uint8Array): void
  /** Gives the signature, once. */
  signatureSigningFinish(signing: Handle): string
  /** Begins to verify content in parts by its signature. */
  signatureVerifying(reader: Handle, signature: Uint8Array): Handle
  /** Begins to verify content that has its signature behind it. */
  signatureAttached(reader: Handle): Handle
  /**
   * Reads that signature, of the last bytes of the whole, as many as a signature has at the most; returns where in them it begins. All
   * that is before it is content, which may come before this or after it.
   */
  signatureAttachedAt(verifying: Handle, tail: Uint8Array): number
  /** Gives the length of the longest signature. */
  signatureMaxLen(): number
  /** Takes more content. */
  signatureVerifyingUpdate(verifying: Handle, content: Uint8Array): void
  /** Fails unless the content is authentic; says who signed it. */
  signatureVerifyingFinish(verifying: Handle): Verification
}

export interface AgePromises {
  /** Gives the key of a file on another thread. Where there are no threads, the job ends the derivation of a passphrase's key. */
  ageFileKeyLater(decryptor: Handle, header: Uint8Array, job: Handle): Later<Out>
  /** Begins a file on another thread. Where there are no threads, the job ends the derivation of a passphrase's key. */
  ageSealerLater(encryptor: Handle, job: Handle): Later<Handle>
  /** Seals the chunks that are whole; where there are none there is no work. */
  ageSealerUnit(sealer: Handle): Later<Part> | null
  /** Seals the end of the stream. */
  ageSealerFinish(sealer: Handle): Later<Part>
  /** Begins to open a file on another thread. Where there are no threads, the job ends the derivation of a passphrase's key. */
  ageOpenerLater(decryptor: Handle, head: Uint8Array, job: Handle): Later<Handle>
  /** Opens the chunks that are whole; where there are none there is no work. */
  ageOpenerUnit(opener: Handle): Later<Part> | null
  /** Opens the rest at the end; nothing where something else has ended the stream. */
  ageOpenerFinish(opener: Handle, isEnd: boolean): Later<Part>
}

export interface BasePromises {
  /** As `encryptArmoured`, of a plaintext that was loaded. */
  encryptArmouredLoaded(encryptor: Handle, loading: Handle, job: Handle): Later<Out>
  /** As `decryptArmoured`, of a file that was loaded. */
  decryptLoaded(decryptor: Handle, loading: Handle, job: Handle, threads: number | undefined): Later<Out>
  /** As `decryptRange`, of a file that was loaded. */
  decryptRangeLoaded(decryptor: Handle, loading: Handle, start: number, end: number, job: Handle): Later<Out>
  /** As `rewrap`, of a file that was loaded. */
  rewrapLoaded(rewrapper: Handle, loading: Handle, job: Handle): Later<Out>
  /** Encrypts items that lie one behind the other, each to a file of its own. */
  encryptBatch(
    encryptor: Handle,
    data: Uint8Array,
    lengths: Uint32Array,
    job: Handle,
    threads: number | undefined,
  ): Later<BatchResult>
  /** Decrypts files that lie one behind the other. */
  decryptBatch(
    decryptor: Handle,
    data: Uint8Array,
    lengths: Uint32Array,
    job: Handle,
    threads: number | undefined,
  ): Later<BatchResult>

  /** Reads them on another thread, since a passphrase costs a password hash. */
  identitiesParseLater(file: Uint8Array, passphrase: Uint8Array | undefined): Later<Handle[]>

  /** Seals a plaintext that lies in its place within the message's memory, before the tag. The memory is the work's until it has ended. */
  messageSealPlaced(recipient: Handle, aad: Uint8Array, message: Out): Later<undefined>
  /** Opens a ciphertext where it lies; `head` is all that stands before it in the message, and `tag` behind it. */
  messageOpenPlaced(identity: Handle, head: Uint8Array, aad: Uint8Array, text: Out, tag: Uint8Array): Later<undefined>
  /** As `messageSealArmoured`, of a plaintext that was loaded. */
  messageSealArmouredLoaded(recipient: Handle, loading: Handle, aad: Uint8Array, job: Handle): Later<string>
  /** As `messageOpenArmoured`, of a message that was loaded. */
  messageOpenArmouredLoaded(identity: Handle, loading: Handle, aad: Uint8Array, job: Handle): Later<Out>

  /**
   * Begins a file on another thread, since a passphrase costs a password hash. Where there are no threads, the job ends its derivation.
   */
  sealerLater(encryptor: Handle, job: Handle): Later<Handle>
  /** Seals the next unit, if it is full; else there is no work. */
  sealerUnit(sealer: Handle): Later<Part> | null
  /** Seals the end of the stream. */
  sealerFinish(sealer: Handle): Later<Part>
  /**
   * Takes the next part of a plaintext, and seals the chunks that it completes where they lie in the file's memory, which is the work's
   * until it has ended. Where it completes none there is no work.
   */
  sealPart(sealer: Handle, part: Uint8Array, file: Out): Later<undefined> | null
  /** Begins to open a file on another thread. Where there are no threads, the job ends the derivation of a passphrase's key. */
  openerLater(decryptor: Handle, head: Uint8Array, job: Handle): Later<Handle>
  /** Opens the next unit, if it is full; else there is no work. */
  openerUnit(opener: Handle): Later<Part> | null
  /** Opens the rest: at the end of the stream all, otherwise the chunks that are whole. */
  openerFinish(opener: Handle, isEnd: boolean): Later<Part>
  /**
   * Takes the next part of a file, and opens the chunks that it completes where they lie in the plaintext's memory, which is the work's
   * until it has ended; that says whether the file ends with them. Where it completes none there is no work.
   */
  openPart(opener: Handle, part: Uint8Array, plaintext: Out): Later<boolean> | null
}

export interface CipherPromises {
  /**
   * Seals a plaintext that was loaded, where it lies. Without a nonce one is drawn, which stands before the ciphertext: there is room for
   * it.
   */
  aeadSealLoaded(key: Handle, nonce: Uint8Array | undefined, aad: Uint8Array, loading: Handle, job: Handle): Later<Out>
  /** Opens a ciphertext that was loaded, where it lies. */
  aeadOpenLoaded(key: Handle, nonce: Uint8Array | undefined, aad: Uint8Array, loading: Handle, job: Handle): Later<Out>
}

export interface CompatPromises {
  /** Seals a plaintext that was loaded, behind room for the head. */
  yuantsSealLoaded(format: string, key: string, loading: Handle): Later<Out>
  /** Opens a whole that was loaded. */
  yuantsOpenLoaded(format: string, key: string, loading: Handle): Later<Out>
  /** Gives the HMAC of data that was loaded. */
  yuantsHmacLoaded(hash: string, key: Uint8Array, loading: Handle): Later<Out>
}

export interface DigestPromises {
  /** Derives it on another thread. */
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

  /** Hashes a password on another thread. */
  passwordHashLater(password: Uint8Array, name: string, a: number, b: number, c: number, job: Handle): Later<string>
  /** Checks a password on another thread. */
  passwordVerifyLater(password: Uint8Array, stored: string, isBounded: boolean, job: Handle): Later<undefined>
}

export interface ExchangePromises {
  /** Reads it on another thread, since a passphrase costs a password hash. */
  exchangePrivateParseLater(file: Uint8Array, passphrase: Uint8Array | undefined): Later<Handle>
}

export interface RsaPromises {
  /** Makes a new key on another thread. */
  rsaGenerateLater(bits: number, job: Handle): Later<Handle>
  /** Reads it on another thread, since a passphrase costs a password hash. */
  rsaPrivateParseLater(file: Uint8Array, passphrase: Uint8Array | undefined): Later<Handle>
  /** Reads it on another thread. */
  rsaPublicParseLater(file: Uint8Array): Later<Handle>
  /** Encrypts with OAEP on another thread. */
  rsaEncryptLater(key: Handle, plaintext: Uint8Array, hash: string | undefined, label: Uint8Array): Later<Out>
  /** Decrypts with OAEP on another thread. */
  rsaDecryptLater(key: Handle, ciphertext: Uint8Array, hash: string | undefined, label: Uint8Array): Later<Out>
  /** Encrypts so on another thread. */
  rsaEncryptPkcs1Later(key: Handle, plaintext: Uint8Array): Later<Out>
  /** Decrypts so on another thread. */
  rsaDecryptPkcs1Later(key: Handle, ciphertext: Uint8Array): Later<Out>
}

export interface SignPromises {
  /** Makes a new key of RSA on another thread. */
  signGenerateRsaLater(bits: number, job: Handle): Later<Handle>
  /** Reads it on another thread, since a passphrase costs a password hash. */
  signPrivateParseLater(file: Uint8Array, passphrase: Uint8Array | undefined): Later<Handle>
  /** Reads it on another thread. */
  signPublicParseLater(file: Uint8Array): Later<Handle>
  /** Makes it on another thread. */
  signPrivateOfLater(kind: string, bytes: Uint8Array): Later<Handle>
  /** Makes it on another thread. */
  signPublicOfLater(kind: string, bytes: Uint8Array): Later<Handle>
  /** Signs data that was loaded. */
  signLoaded(
    key: Handle,
    loading: Handle,
    choices: number,
    context: Uint8Array | undefined,
    id: Uint8Array | undefined,
    job: Handle,
  ): Later<Out>
  /** Fails unless this is a signature of data that was loaded. */
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
    NativeCalls,
    RsaCalls,
    SignCalls {
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
  /** Encrypts a file into a new one. The output appears when all of it is there. */
  ageEncryptFile(
    encryptor: Handle,
    input: Uint8Array,
    output: Uint8Array,
    replace: boolean,
    special: boolean,
    job: Handle,
  ): Later<Processed>
  /** Decrypts a file into a new one. The output appears when all of it is authentic. */
  ageDecryptFile(
    decryptor: Handle,
    input: Uint8Array,
    output: Uint8Array,
    replace: boolean,
    special: boolean,
    job: Handle,
  ): Later<Processed>
  /** Decrypts the bytes of a file's plaintext from `start` to `end`. */
  ageDecryptRangeFile(
    decryptor: Handle,
    input: Uint8Array,
    start: number,
    end: number,
    special: boolean,
    job: Handle,
  ): Later<Out>

  /** Encrypts a file into a new one. The output appears when all of it is there; `special` also takes pipes and devices. */
  encryptFile(
    encryptor: Handle,
    input: Uint8Array,
    output: Uint8Array,
    replace: boolean,
    special: boolean,
    job: Handle,
  ): Later<Processed>
  /** Decrypts a file into a new one. The output appears when all of it is authentic. */
  decryptFile(
    decryptor: Handle,
    input: Uint8Array,
    output: Uint8Array,
    replace: boolean,
    special: boolean,
    job: Handle,
  ): Later<Processed>
  /** Checks that all of a file is authentic. */
  verifyFile(decryptor: Handle, input: Uint8Array, special: boolean, job: Handle): Later<Processed>
  /** Gives a file other recipients where it is; of one with several names `splitLinks` gives them to this name alone. */
  rewrapFile(rewrapper: Handle, file: Uint8Array, splitLinks: boolean, job: Handle): Later<Processed>
  /** Decrypts the bytes of a file's plaintext from `start` to `end`. */
  decryptRangeFile(
    decryptor: Handle,
    input: Uint8Array,
    start: number,
    end: number,
    special: boolean,
    job: Handle,
  ): Later<Out>
  /** Shows the public part of a file by name. */
  inspectFile(file: Uint8Array, special: boolean, job: Handle): Later<Inspection>

  /** Hashes a file. */
  hashFile(algorithm: number, file: Uint8Array, special: boolean, length: number, job: Handle): Later<Out>

  /** Gives the tag of a file. */
  macFile(key: Handle, file: Uint8Array, special: boolean, job: Handle): Later<Out>

  /** Signs a file; returns the signature. */
  signatureSignFile(writer: Handle, file: Uint8Array, special: boolean, job: Handle): Later<string>
  /** Signs a file into a new one that has the content, and behind it the signature. */
  signatureAttachFile(
    writer: Handle,
    input: Uint8Array,
    output: Uint8Array,
    replace: boolean,
    special: boolean,
    job: Handle,
  ): Later<Signed>
  /** Verifies a file by its signature. */
  signatureVerifyFile(
    reader: Handle,
    file: Uint8Array,
    signature: Uint8Array,
    special: boolean,
    job: Handle,
  ): Later<Verification>
  /** Verifies a file that has its signature behind its content, and writes the content into a new file, if there is an output. */
  signatureDetachFile(
    reader: Handle,
    input: Uint8Array,
    output: Uint8Array | undefined,
    replace: boolean,
    special: boolean,
    job: Handle,
  ): Later<Verification>
}

/** Calls that WebAssembly alone has, and those that it answers at once where the addon promises. */
export interface WasmCalls {
  /**
   * Says which key of a passphrase an encryptor or a decryptor needs before it works on a file that begins so; no bytes where it needs
   * none.
   */
  ageAsked(of: Handle, head: Uint8Array): Out
  /** Lets it know the key. An encryptor uses it once. */
  ageKnow(of: Handle, asked: Uint8Array, key: Uint8Array): void
  /** Begins to derive such a key. */
  ageStretching(asked: Uint8Array): Handle
  /** Derives a part of it; returns whether all is done. */
  ageStretchingStep(stretching: Handle, amount: number): boolean
  /** Gives the key, once. */
  ageStretchingKey(stretching: Handle): Out
  /** Gives the key of a file, by its header. */
  ageFileKey(decryptor: Handle, header: Uint8Array): Out
  /** Begins a file. */
  ageSealer(encryptor: Handle): Handle
  /** Seals the chunks that are whole; where there are none there is no work. */
  ageSealerUnit(sealer: Handle): Part | null
  /** Seals the end of the stream. */
  ageSealerFinish(sealer: Handle): Part
  /** Begins to open a file, by its head. */
  ageOpener(decryptor: Handle, head: Uint8Array): Handle
  /** Opens the chunks that are whole; where there are none there is no work. */
  ageOpenerUnit(opener: Handle): Part | null
  /** Opens the rest at the end; nothing where something else has ended the stream. */
  ageOpenerFinish(opener: Handle, isEnd: boolean): Part

  /** Says how many bytes of plaintext every chunk but the last has. */
  chunkLen(): number
  /** Gives the key of a file's chunks where this algorithm seals them; else no bytes. */
  sealerKey(sealer: Handle, algorithm: string): Out
  /** Gives the nonces of the next chunks, which have so many bytes of the file. None is given out twice. */
  sealerNonces(sealer: Handle, len: number): Out
  /** As `sealerKey`. */
  openerKey(opener: Handle, algorithm: string): Out
  /** Gives the nonces of the chunks from number `first` on, which have so many bytes of the file. */
  openerNonces(opener: Handle, first: number, len: number, isEnd: boolean): Out
  /** Fails as opening does: a chunk by its number, or one buffer. */
  notAuthentic(chunk: number | undefined): void
  /** Makes the key by which a worker seals and opens chunks. */
  chunkKey(algorithm: string, key: Uint8Array): Handle
  /**
   * Seals a chunk into memory. Its length: the plaintext's plus `tagLen`. After an error the memory is zero, unless the input lay there.
   */
  chunkSeal(key: Handle, nonce: Uint8Array, plaintext: Lent, sealed: Uint8Array): void
  /**
   * Opens a chunk into memory. Its length: the ciphertext's less `tagLen`. After an error the memory is zero, unless the input lay there;
   * after `not_authentic` it is zero in any case.
   */
  chunkOpen(key: Handle, nonce: Uint8Array, sealed: Lent, plaintext: Uint8Array): void
  /**
   * Says which key of a passphrase an encryptor, a decryptor or a rewrapper needs before it works on a file; no bytes where it needs none.
   */
  stretchAsked(of: Handle, file: Uint8Array): Out
  /** Lets it know the key. An encryptor uses it once. */
  stretchKnown(of: Handle, asked: Uint8Array, key: Uint8Array): void
  /** Begins to derive such a key. */
  stretching(asked: Uint8Array): Handle
  /** Derives a part of it; returns whether all is done. */
  stretchingStep(stretching: Handle, amount: number): boolean
  /** Gives the key, once. */
  stretchingKey(stretching: Handle): Out

  /** Reads the identities of a file, unless the module of forms has to. */
  identitiesRead(file: Uint8Array, passphrase: Uint8Array | undefined): Read
  /** As `identitiesRead`, of a file that a decryptor opens. */
  identitiesReadBy(decryptor: Handle, file: Uint8Array): Read
  /** Makes identities of the bytes that another module has written. */
  identitiesOfBytes(bytes: Uint8Array): Handle[]
  /** Writes an identity in a form that is a string; null where the module of forms has the form. */
  identityString(identity: Handle, form: string, passphrase: Uint8Array | undefined): string | null
  /** Writes an identity as bytes for another module. */
  identityBytes(identity: Handle): Out
  /** Reads the recipients of a file, unless the module of forms has to. */
  recipientsRead(file: Uint8Array): Read
  /** Makes recipients of the bytes that another module has written. */
  recipientsOfBytes(bytes: Uint8Array): Handle[]
  /** Writes a recipient in a form that is a string; null where the module of forms has the form. */
  recipientString(recipient: Handle, form: string): string | null
  /** Writes a recipient as bytes for another module. */
  recipientBytes(recipient: Handle): Out

  /** Begins a message that a host seals: returns the key, the nonce, and how the message begins. */
  messageBegin(recipient: Handle): Out
  /**
   * Begins to open a message that a host opens, of which `head` is all that stands before the ciphertext: returns the key and the nonce.
   */
  messageOpening(identity: Handle, head: Uint8Array): Out

  /** Fails where nothing can be encrypted with these options. */
  encryptorCheck(encryptor: Handle): void

  /** Begins a file of which a host may seal the chunks. */
  sealerOf(encryptor: Handle): Handle
  /** Seals the next unit, if it is full; else there is no work. */
  sealerUnit(sealer: Handle): Part | null
  /** Seals the end of the stream. */
  sealerFinish(sealer: Handle): Part
  /** Begins to open a file of which a host may open the chunks. */
  openerOf(decryptor: Handle, head: Uint8Array): Handle
  /** Gives the length of a file before its first chunk. */
  openerHeadLen(opener: Handle): number
  /** Gives the length of the plaintext of a file of so many bytes. */
  openerPlaintextLen(opener: Handle, fileLen: number): number
  /** Opens the next unit, if it is full; else there is no work. */
  openerUnit(opener: Handle): Part | null
  /** Opens the rest: at the end of the stream all, otherwise the chunks that are whole. */
  openerFinish(opener: Handle, isEnd: boolean): Part

  /**
   * Seals a plaintext into memory. Its length: the input's plus `aeadTagLen`. Where the nonce is drawn, the input has room for it before
   * the plaintext. Returns the plaintext's length. After an error the memory is zero, unless the input lay there.
   */
  aeadSealPlaced(key: Handle, nonce: Uint8Array | undefined, aad: Uint8Array, loaded: Lent, sealed: Uint8Array): number

  /** Begins to derive a key of a password, in an instance of its own. */
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
  /** Begins to hash a password. */
  derivingHash(password: Uint8Array, name: string, a: number, b: number, c: number): Handle
  /** Begins to check a password. */
  derivingCheck(password: Uint8Array, stored: string, isBounded: boolean): Handle
  /** Derives a part of it; returns whether all is done. */
  derivingStep(deriving: Handle, amount: number): boolean
  /** Gives the result, once: the key, the text to be stored, or nothing of a password that is the right one. */
  derivingEnd(deriving: Handle): Out
  /** Fails where a cost is none, or too high, of a key that a host derives. */
  deriveCheck(name: string, a: number, b: number, c: number, isBounded: boolean, length: number): void

  /** Says which keys of a passphrase a file needs; `opened` is all that was sealed in the file, if it is. */
  derivationsOfForm(file: Uint8Array, opened: Uint8Array | undefined): Out
  /** Reads the identities of a file, with keys that a host has derived. */
  identitiesOfForm(
    file: Uint8Array,
    opened: Uint8Array | undefined,
    passphrase: Uint8Array | undefined,
    derived: Uint8Array | undefined,
  ): Out
  /** Reads the recipients of a file. */
  recipientsOfForm(file: Uint8Array): Out
  /** Writes an identity in a form. */
  identityInForm(identity: Uint8Array, form: string, passphrase: Uint8Array | undefined): string | Out
  /** Writes a recipient in a form. */
  recipientInForm(recipient: Uint8Array, form: string): string | Out

  /** Takes the padding off a block that a host has decrypted. */
  rsaUnpadPkcs1(key: Handle, ciphertext: Uint8Array, encoded: Uint8Array): Out

  /** Fails, since the host makes keys of RSA. */
  signGenerateRsa(bits: number): Handle
  /** Names the scheme and the hash of a signature of RSA that a host makes. */
  signByRsa(choices: number): string
}
