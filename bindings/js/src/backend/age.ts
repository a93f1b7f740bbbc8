import type { Later } from './bulk.js'
import type { Processed } from './files.js'
import type { Handle, Out, Part, Secret } from './sync.js'

/**
 * Files of age. Stanzas cross as bytes: of each its words as one text, and its body, with their lengths in front of them as 32 bits, little
 * end first.
 */
export interface AgeCalls {
  /** As text. */
  ageIdentityGenerate(kind: string): string
  ageIdentity(text: Uint8Array, passphrase: Secret): Handle
  ageIdentityOfPassphrase(text: Uint8Array): Handle
  /** As text. */
  ageIdentityRecipient(identity: Handle): string
  ageRecipient(text: string): Handle
  ageRecipientOfPassphrase(text: Uint8Array, logN: number): Handle
  /** As text. */
  ageRecipientOfPoint(point: Uint8Array): string
  ageEncryptor(recipients: Handle[], threads: number | undefined): Handle
  ageDecryptor(identities: Handle[], threads: number | undefined): Handle

  /** Bytes of a file before its first chunk, by its beginning; 0 where more of that is needed to say. */
  ageHeadLen(start: Uint8Array): number
  /** Bytes of the chunks of a plaintext, and the other way round. */
  ageSealedLen(plaintextLen: number): number
  ageOpenedLen(chunksLen: number): number
  /** Bytes of plaintext in every chunk but the last. */
  ageChunkLen(): number
  ageStanzas(head: Uint8Array): Out
  ageWrap(recipient: Handle, fileKey: Uint8Array): Out
  /** The point in a stanza of X25519. */
  ageX25519Share(stanza: Uint8Array): Out
  /** The file key of such a stanza, by what its share and a key of the caller have in common; no bytes where it is another key's. */
  ageX25519FileKey(stanza: Uint8Array, publicKey: Uint8Array, secret: Uint8Array): Out

  /** Units of a file that may be at work at the same time. */
  ageUnitsMax(): number
  ageSealerOfStanzas(stanzas: Uint8Array, fileKey: Uint8Array): Handle
  ageSealerHead(sealer: Handle): Out
  ageSealerFill(sealer: Handle, plaintext: Uint8Array): number
  ageOpenerOfFileKey(head: Uint8Array, fileKey: Uint8Array): Handle
  ageOpenerFill(opener: Handle, chunks: Uint8Array): number
  /** Opens chunks from a number on; `isEnd` says that the file ends with them. */
  ageOpenerAt(opener: Handle, first: number, chunks: Uint8Array, isEnd: boolean): Out

  ageArmour(file: Uint8Array): string
  ageDearmour(text: Uint8Array): Out
  ageIsArmoured(start: Uint8Array): boolean
}

/** What may take long. Where there are no threads, a job ends the derivation of a passphrase's key. */
export interface AgePromises {
  ageSealerLater(encryptor: Handle, job: Handle): Later<Handle>
  ageOpenerLater(decryptor: Handle, head: Uint8Array, job: Handle): Later<Handle>
  ageFileKeyLater(decryptor: Handle, header: Uint8Array, job: Handle): Later<Out>
  /** Seals the chunks that are whole, if there are. */
  ageSealerUnit(sealer: Handle): Later<Part> | null
  ageSealerFinish(sealer: Handle): Later<Part>
  /** Opens the chunks that are whole, if there are. */
  ageOpenerUnit(opener: Handle): Later<Part> | null
  /** What is left at the end; nothing where something else has ended the stream. */
  ageOpenerFinish(opener: Handle, isEnd: boolean): Later<Part>
}

/** Files by name. */
export interface AgeFiles {
  ageEncryptFile(
    encryptor: Handle,
    input: Uint8Array,
    output: Uint8Array,
    replace: boolean,
    special: boolean,
    job: Handle,
  ): Later<Processed>
  ageDecryptFile(
    decryptor: Handle,
    input: Uint8Array,
    output: Uint8Array,
    replace: boolean,
    special: boolean,
    job: Handle,
  ): Later<Processed>
  ageDecryptRangeFile(
    decryptor: Handle,
    input: Uint8Array,
    start: number,
    end: number,
    special: boolean,
    job: Handle,
  ): Later<Out>
}
