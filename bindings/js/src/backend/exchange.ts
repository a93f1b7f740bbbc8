import type { Later } from './bulk.js'
import type { Handle, Out, Secret } from './sync.js'

/** How a key is derived of what two keys share: `hkdf`, or `concat` without a salt, over a hash by its name. */
export type AgreedBy = readonly [kdf: string, hash: string, salt: Uint8Array, info: Uint8Array]

/** Key agreement and encapsulation. A private key and a public one are objects of different types. */
export interface ExchangeCalls {
  /** Without a name, of the usual kind. */
  exchangeGenerate(kind: string | undefined): Handle
  /** A key in a form that says what it is. */
  exchangePrivateParse(file: Uint8Array, passphrase: Secret): Handle
  exchangePublicParse(file: Uint8Array): Handle
  /** A key's bytes, which do not say their kind. */
  exchangePrivateOf(kind: string, bytes: Uint8Array): Handle
  exchangePublicOf(kind: string, bytes: Uint8Array): Handle
  exchangePrivateKind(key: Handle): string
  exchangePublicKind(key: Handle): string
  exchangePublicKey(key: Handle): Handle
  exchangePrivateExport(key: Handle, form: string, passphrase: Secret): string | Out
  exchangePublicExport(key: Handle, form: string): string | Out

  exchangeAgree(key: Handle, publicKey: Handle, ...by: [...AgreedBy, length: number]): Out
  exchangeSharedSecret(key: Handle, publicKey: Handle): Out
  /** Bytes of what is encapsulated, of every kind. */
  exchangeSecretLen(): number
  /** Bytes of a ciphertext; 0 of the kinds that agree. */
  exchangeCiphertextLen(publicKey: Handle): number
  /** Into memory of both lengths. */
  exchangeEncapsulate(publicKey: Handle, ciphertext: Uint8Array, secret: Uint8Array): void
  exchangeDecapsulate(key: Handle, ciphertext: Uint8Array, secret: Uint8Array): void
}

/** What takes long, or is promised by the host. */
export interface ExchangePromises {
  exchangePrivateParseLater(file: Uint8Array, passphrase: Secret): Later<Handle>
}
