import type { Later } from './bulk.js'
import type { Handle } from './sync.js'

/** What a verified signature says. */
export interface Verification {
  readonly kind: string
  readonly fingerprint: string
  readonly sshFingerprint: string
  readonly principals?: string | undefined
  readonly comment?: string | undefined
  readonly contentLen: number
}

/** How many bytes were signed into a file. */
export interface Signed {
  /** Of the content. */
  readonly content: number
  /** Of the content and its signature. */
  readonly written: number
}

/** Signature files: what answers at once. */
export interface SignatureCalls {
  /** How a key signs. */
  signatureWriter(
    key: Handle,
    namespace: string | undefined,
    comment: string | undefined,
    profile: string | undefined,
  ): Handle
  /** Whom a reader is to trust: nobody yet. */
  signatureTrusting(namespace: string | undefined, profile: string | undefined): Handle
  signatureTrustKey(trusting: Handle, publicKey: Handle): void
  signatureTrustFile(trusting: Handle, file: Uint8Array): void
  /** Those of a file of allowed signers, at a second since 1970. */
  signatureTrustAllowed(trusting: Handle, file: Uint8Array, principal: string | undefined, at: number): void
  signatureReader(trusting: Handle): Handle

  /** Content in parts. What was finished is done with. */
  signatureSigning(writer: Handle): Handle
  signatureSigningUpdate(signing: Handle, content: Uint8Array): void
  signatureSigningFinish(signing: Handle): string
  signatureVerifying(reader: Handle, signature: Uint8Array): Handle
  /** Content that has its signature behind it. */
  signatureAttached(reader: Handle): Handle
  /**
   * Reads that signature, of the last bytes of the whole, as many as a signature has at the most; returns where in them it begins. What is
   * before that is content, which may come before this or after it.
   */
  signatureAttachedAt(verifying: Handle, tail: Uint8Array): number
  /** The most bytes of a signature. */
  signatureMaxLen(): number
  signatureVerifyingUpdate(verifying: Handle, content: Uint8Array): void
  signatureVerifyingFinish(verifying: Handle): Verification
}

/** Those that have names; always a promise. */
export interface SignatureFiles {
  signatureSignFile(writer: Handle, file: Uint8Array, special: boolean, job: Handle): Later<string>
  signatureAttachFile(
    writer: Handle,
    input: Uint8Array,
    output: Uint8Array,
    replace: boolean,
    special: boolean,
    job: Handle,
  ): Later<Signed>
  signatureVerifyFile(
    reader: Handle,
    file: Uint8Array,
    signature: Uint8Array,
    special: boolean,
    job: Handle,
  ): Later<Verification>
  /** Without an output nothing is written. */
  signatureDetachFile(
    reader: Handle,
    input: Uint8Array,
    output: Uint8Array | undefined,
    replace: boolean,
    special: boolean,
    job: Handle,
  ): Later<Verification>
}
