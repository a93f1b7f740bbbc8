// RSA as a host computes it, which the modules do not: they have the keys, their forms, and the errors. Node computes at once, and
// browsers promise.

import type { Out } from '../calls.js'

/** A key as the host holds it. */
export type RsaKey = object

/** The scheme and hash of a signature, in core's words. */
export interface SignedBy {
  readonly scheme: string
  readonly hash: string
}

/** A result, or the promise of one. */
export type Soon<T> = T | Promise<T>

/** All that is given may change when a promise is there, and not before. */
export interface HostRsa {
  /** Whether results are there when a function returns. */
  readonly isAtOnce: boolean
  /** Takes a key: what gives its PKCS#8, or its `SubjectPublicKeyInfo`, which the host zeroes. */
  privateKey(der: () => Out): RsaKey
  publicKey(der: () => Out): RsaKey
  /** The same key, whose bytes another function gives from now on: it may be there when the first is not. */
  again(key: RsaKey, der: () => Out): RsaKey
  sign(key: RsaKey, by: SignedBy, data: Uint8Array): Soon<Out>
  verify(key: RsaKey, by: SignedBy, data: Uint8Array, signature: Uint8Array): Soon<boolean>
  /** OAEP. */
  encrypt(key: RsaKey, hash: string, label: Uint8Array, plaintext: Uint8Array): Soon<Out>
  /** The plaintext; none where it is not authentic. */
  decrypt(key: RsaKey, hash: string, label: Uint8Array, ciphertext: Uint8Array): Soon<Out | undefined>
  /** PKCS#1 v1.5, where the host has it. */
  readonly pkcs1?: Pkcs1
  /** The PKCS#8 of a fresh key, with the public exponent 65,537. */
  generate(bits: number): Promise<Out>
  /** As `generate`, where the host makes keys at once. */
  generateNow?(bits: number): Out
}

export interface Pkcs1 {
  encrypt(key: RsaKey, plaintext: Uint8Array): Out
  /** The plaintext with its padding: core removes that, so that nobody learns whether it was right. */
  decrypt(key: RsaKey, ciphertext: Uint8Array): Out
}
