import type { Later } from './bulk.js'
import type { Handle, Out, Secret } from './sync.js'

/** What OAEP has on both sides: a hash by its name, the usual one without, and a label. */
export type OaepOptions = readonly [hash: string | undefined, label: Uint8Array]

/** RSA that encrypts. A private key and a public one are objects of different types, and other ones than those that sign. */
export interface RsaCalls {
  rsaGenerate(bits: number): Handle
  rsaPrivateParse(file: Uint8Array, passphrase: Secret): Handle
  rsaPublicParse(file: Uint8Array): Handle
  rsaPublicKey(key: Handle): Handle
  rsaPrivateBits(key: Handle): number
  rsaPublicBits(publicKey: Handle): number
  rsaPrivateExport(key: Handle, form: string, passphrase: Secret): string | Out
  rsaPublicExport(publicKey: Handle, form: string): string | Out

  rsaEncrypt(publicKey: Handle, plaintext: Uint8Array, ...oaep: OaepOptions): Out
  rsaDecrypt(key: Handle, ciphertext: Uint8Array, ...oaep: OaepOptions): Out
  rsaEncryptPkcs1(publicKey: Handle, plaintext: Uint8Array): Out
  rsaDecryptPkcs1(key: Handle, ciphertext: Uint8Array): Out
}

/** The same where it takes long, or is promised by the host. */
export interface RsaPromises {
  rsaGenerateLater(bits: number, job: Handle): Later<Handle>
  rsaPrivateParseLater(file: Uint8Array, passphrase: Secret): Later<Handle>
  rsaPublicParseLater(file: Uint8Array): Later<Handle>

  rsaEncryptLater(publicKey: Handle, plaintext: Uint8Array, ...oaep: OaepOptions): Later<Out>
  rsaDecryptLater(key: Handle, ciphertext: Uint8Array, ...oaep: OaepOptions): Later<Out>
  rsaEncryptPkcs1Later(publicKey: Handle, plaintext: Uint8Array): Later<Out>
  rsaDecryptPkcs1Later(key: Handle, ciphertext: Uint8Array): Later<Out>
}
