/**
 * The functions of `crypto-js` 4.2 that programs call, under its names and in its formats, for existing data and code.
 * `docs/guide/from-crypto-js.md` in the repository lists the differences, and how to move on.
 *
 * These formats do not authenticate. Whoever can change a ciphertext can change the plaintext. Whoever learns which ciphertexts a program
 * refuses can decrypt with its answers. Deriving a key from a password takes so little time that an attacker can try all likely passwords.
 * Use `encrypt` of `sealstone` or `sealstone/aead` for new data.
 *
 * Text of ciphertexts, keys and IVs is read strictly: text that is not hexadecimal, base64 or UTF-8 is an error. So is wrong padding.
 *
 * @module sealstone/compat/crypto-js
 */

import { Base } from './base.js'
import { CipherParams, format, type CipherParams as Params } from './cipher-params.js'
import { cipherKinds, ciphers, PasswordBasedCipher, SerializableCipher } from './ciphers.js'
import { derivations, EvpKDF, kdf, PBKDF2 } from './derivation.js'
import { enc } from './encoding.js'
import { hashers, hashing } from './hashing.js'
import { BlockCipherMode, mode } from './modes.js'
import { pad } from './padding.js'
import { type WordArray as Data, WordArray } from './word-array.js'
import { x64 } from './x64.js'

export type { Bytes } from '../../basics/bytes.js'
export { SealstoneError } from '../../basics/error.js'
export type { CipherParams, CipherParamsLike, Format } from './cipher-params.js'
export type { Cipher, CipherConfig, CipherHelper, CipherKind } from './ciphers.js'
export { AES, Blowfish, DES, Rabbit, RabbitLegacy, RC4, RC4Drop, TripleDES } from './ciphers.js'
export type { Derivation, DerivationConfig, DerivationKind, PasswordKdf } from './derivation.js'
export type { UrlEncoder } from './encoding.js'
export type { HashConfig, Hasher, HashFunction, HashKind, Hmac, HmacFunction, Message } from './hashing.js'
export {
  HmacMD5,
  HmacRIPEMD160,
  HmacSHA1,
  HmacSHA3,
  HmacSHA224,
  HmacSHA256,
  HmacSHA384,
  HmacSHA512,
  MD5,
  RIPEMD160,
  SHA1,
  SHA3,
  SHA224,
  SHA256,
  SHA384,
  SHA512,
} from './hashing.js'
export type { BlockCipherLike, BlockTransform, Mode } from './modes.js'
export type { Padding } from './padding.js'
export type { Encoder, WordArray, WordArrayLike, Words } from './word-array.js'
export type { X64Word, X64WordArray } from './x64.js'
export { EvpKDF, enc, format, kdf, mode, PBKDF2, pad, x64 }

/** The algorithms, for messages in parts and for derivations with settings. */
export const algo = /* @__PURE__ */ (() => ({ ...cipherKinds, ...hashers, ...derivations }))()

/** The objects that the other parts are built from. */
export const lib = /* @__PURE__ */ (() => ({
  Base,
  /** Each WordArray inherits from this object: a method that a program adds here is there, too. */
  WordArray: WordArray.prototype,
  CipherParams: { create: (params?: object): CipherParams => new CipherParams(params), init: CipherParams },
  BlockCipherMode,
  SerializableCipher,
  PasswordBasedCipher,
}))()

/** The types, under the names that `@types/crypto-js` gives them. */
export namespace lib {
  export type WordArray = InstanceType<typeof Data>
  export type CipherParams = InstanceType<typeof Params>
}

/** Everything in one object, as `import CryptoJS from 'crypto-js'` gave it. */
const CryptoJS = /* @__PURE__ */ (() => ({
  ...ciphers,
  ...hashing,
  PBKDF2,
  EvpKDF,
  algo,
  enc,
  format,
  kdf,
  lib,
  mode,
  pad,
  x64,
}))()

/** The same types as in {@link lib}. */
namespace CryptoJS {
  export namespace lib {
    export type WordArray = InstanceType<typeof Data>
    export type CipherParams = InstanceType<typeof Params>
  }
}

export { CryptoJS, CryptoJS as default }
