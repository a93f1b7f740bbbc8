import type { Later } from './bulk.js'
import type { Data } from './hash.js'
import type { Handle, Out, Secret } from './sync.js'

/**
 * What a signature is made with beside the key: choices cross as their number, which {@link SignCalls.signChoices} says once, and is
 * 0 of none; a context that is empty is none.
 */
export type SignOptions = readonly [choices: number, context: Uint8Array | undefined, id: Uint8Array | undefined]

/** Signatures. A private key and a public one are objects of different types. */
export interface SignCalls {
  /** Of all kinds but RSA's, whose keys take long; without a name of the usual one. */
  signGenerate(kind: string | undefined): Handle
  /** A key in a form that says what it is. */
  signPrivateParse(file: Uint8Array, passphrase: Secret): Handle
  signPublicParse(file: Uint8Array): Handle
  /** A key's bytes, which do not say their kind. */
  signPrivateOf(kind: string, bytes: Uint8Array): Handle
  signPublicOf(kind: string, bytes: Uint8Array): Handle
  signPrivateKind(key: Handle): string
  signPublicKind(key: Handle): string
  signPublicKey(key: Handle): Handle
  signPrivateExport(key: Handle, form: string, passphrase: Secret): string | Out
  /** The comment is of the form `ssh` alone. */
  signPublicExport(key: Handle, form: string, comment: string | undefined): string | Out
  signFingerprint(publicKey: Handle): string
  signSshFingerprint(publicKey: Handle): string

  signChoices(hash: string | undefined, encoding: string | undefined, scheme: string | undefined): number
  /** Bytes of the longest signature of a private key. */
  signMaxLen(key: Handle): number
  /** Whether a private key signs so slowly that it does not belong on JavaScript's thread, or by promises alone. */
  signIsSlow(key: Handle): boolean
  /** The same of a public key, which verifies. */
  verifyIsSlow(publicKey: Handle): boolean
  /** Into memory of {@link signMaxLen} bytes; returns the signature's length. */
  signInto(key: Handle, data: Data, signature: Uint8Array, ...options: SignOptions): number
  signVerify(publicKey: Handle, data: Data, signature: Uint8Array, ...options: SignOptions): void
}

/** The same where it takes long, or is promised by the host. */
export interface SignPromises {
  signGenerateRsaLater(bits: number, job: Handle): Later<Handle>
  signPrivateParseLater(file: Uint8Array, passphrase: Secret): Later<Handle>
  signPublicParseLater(file: Uint8Array): Later<Handle>
  signPrivateOfLater(kind: string, bytes: Uint8Array): Later<Handle>
  signPublicOfLater(kind: string, bytes: Uint8Array): Later<Handle>
  /** Signs what is loaded. */
  signLoaded(key: Handle, loading: Handle, ...by: [...SignOptions, job: Handle]): Later<Out>
  signVerifyLoaded(
    publicKey: Handle,
    loading: Handle,
    signature: Uint8Array,
    ...by: [...SignOptions, job: Handle]
  ): Later<undefined>
}
