import type { Borrowed } from '../basics/bytes.js'
import type { Data } from './hash.js'
import type { Handle, Out } from './sync.js'

type Lent = Uint8Array | Borrowed

/** One buffer under a key. An encoding crosses as its number, which {@link CipherCalls.cipherEncodingId} says once. */
export interface CipherCalls {
  cipherEncodingId(encoding: string): number

  /** Base64 with padding, of what is no key, as the digits' bytes, for which there is just room. The two share no memory. */
  base64EncodeInto(bytes: Uint8Array, digits: Uint8Array): void
  /** Returns how many bytes there are, for which there is room. */
  base64DecodeInto(digits: Uint8Array, bytes: Uint8Array): number

  aead(algorithm: string, key: Uint8Array): Handle
  aeadKeyLen(algorithm: string): number
  aeadNonceLen(algorithm: string): number
  aeadTagLen(): number
  /** Without a nonce one is drawn, and stands before the ciphertext. */
  aeadSeal(key: Handle, nonce: Lent | undefined, aad: Lent | undefined, plaintext: Lent, sealed: Uint8Array): void
  aeadOpen(key: Handle, nonce: Lent | undefined, aad: Lent | undefined, sealed: Lent, plaintext: Uint8Array): void
  /** As text; a plaintext is text too. */
  aeadSealText(key: Handle, nonce: Lent | undefined, aad: Data, plaintext: Data, encoding: number): string
  aeadOpenText(key: Handle, nonce: Lent | undefined, aad: Data, sealed: string, encoding: number): string
  /** Of items that lie one behind the other, as do their results: nonce, ciphertext and tag of each. */
  aeadSealBatch(key: Handle, aad: Uint8Array, data: Uint8Array, lengths: Uint32Array, out: Uint8Array): void
  /** Of such items; returns of each 1, or 0 for one that is not authentic, whose place is zero. */
  aeadOpenBatch(key: Handle, aad: Uint8Array, data: Uint8Array, lengths: Uint32Array, out: Uint8Array): Out

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
  cipherEncryptText(cipher: Handle, iv: Lent, plaintext: Data, pads: boolean | undefined, encoding: number): string
  cipherDecryptText(cipher: Handle, iv: Lent, text: string, pads: boolean | undefined, encoding: number): string

  legacy(algorithm: string, key: Uint8Array, encrypts: boolean): Handle
  legacyEncrypt(legacy: Handle, iv: Uint8Array, plaintext: Uint8Array, pads: boolean | undefined): Out
  legacyDecrypt(legacy: Handle, iv: Uint8Array, ciphertext: Uint8Array, pads: boolean | undefined): Out
  legacyEncryptText(
    legacy: Handle,
    iv: Uint8Array,
    plaintext: Uint8Array,
    pads: boolean | undefined,
    encoding: number,
  ): string
  legacyDecryptText(
    legacy: Handle,
    iv: Uint8Array,
    ciphertext: string,
    pads: boolean | undefined,
    encoding: number,
  ): string

  keyWrap(algorithm: string, key: Uint8Array): Handle
  keyWrapWrap(key: Handle, secret: Uint8Array): Out
  keyWrapUnwrap(key: Handle, wrapped: Uint8Array): Out
  ccm(algorithm: string, key: Uint8Array, tagLen: number): Handle
  ccmSeal(key: Handle, nonce: Uint8Array, aad: Uint8Array, plaintext: Uint8Array): Out
  ccmOpen(key: Handle, nonce: Uint8Array, aad: Uint8Array, sealed: Uint8Array): Out
  poly1305(key: Uint8Array, data: Uint8Array): Out
}
