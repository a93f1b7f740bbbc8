// Names of @ldesign/crypto that promise a security that the original does not have. Each one fails, and says what to use instead.

import { unsupported } from './errors.js'

/** A name that fails however you use it: called, with `new`, or when you read a property. */
export interface Refused {
  /** @throws {@link CryptoError}, always. */
  (...args: never[]): never
  /** @throws {@link CryptoError}, always. */
  new (...args: never[]): never
}

function refused(name: string, instead: string): Refused {
  const fail = (): never => {
    throw unsupported(name, instead)
  }
  return new Proxy(class {} as unknown as Refused, {
    apply: fail,
    construct: fail,
    get: (target, member) => (typeof member === 'symbol' || member in target ? Reflect.get(target, member) : fail),
  })
}

const KDF =
  'the original computes another function under that name; use argon2id and scrypt of sealstone/kdf, or pbkdf2'
const RANDOM = 'the original falls back on Math.random; use sealstone/random, or RandomUtils'
const CIPHERS = 'no other program reads what the original writes; use sealstone/aead, and legacy for its data'
const QUANTUM =
  'the original protects nothing; use sealstone with keys of the kind hybrid, and sealstone/sign with hybrid-sign'
const KEYS =
  'the RSA, ECDSA and Ed25519 keys of the original are random digits; use KeyRotation, and legacy.keyBackup for a backup'

export const Argon2 = /* @__PURE__ */ refused('Argon2', KDF)
export const argon2 = /* @__PURE__ */ refused('argon2', KDF)
export const Scrypt = /* @__PURE__ */ refused('Scrypt', KDF)
export const scrypt = /* @__PURE__ */ refused('scrypt', KDF)

export const CSPRNG = /* @__PURE__ */ refused('CSPRNG', RANDOM)
export const csprng = /* @__PURE__ */ refused('csprng', RANDOM)
export const random = /* @__PURE__ */ refused('random', RANDOM)
export const EntropyCollector = /* @__PURE__ */ refused('EntropyCollector', RANDOM)

export const aesGcm = /* @__PURE__ */ refused(
  'aesGcm',
  'in Node, the original computes no AES; use webcrypto.gcm, and legacy.nodeGcm for its data',
)
export const BLAKE2b = /* @__PURE__ */ refused(
  'BLAKE2b',
  'the original computes another function beyond 127 bytes; use hash.blake2b',
)
export const ChaCha20 = /* @__PURE__ */ refused('ChaCha20', CIPHERS)
export const chacha20 = /* @__PURE__ */ refused('chacha20', CIPHERS)
export const ChaCha20Encryptor = /* @__PURE__ */ refused('ChaCha20Encryptor', CIPHERS)
export const ChaCha20Poly1305 = /* @__PURE__ */ refused('ChaCha20Poly1305', CIPHERS)
export const chacha20poly1305 = /* @__PURE__ */ refused('chacha20poly1305', CIPHERS)
export const ChaCha20Poly1305Encryptor = /* @__PURE__ */ refused('ChaCha20Poly1305Encryptor', CIPHERS)
export const ModernCipherUtils = /* @__PURE__ */ refused('ModernCipherUtils', CIPHERS)
export const Poly1305 = /* @__PURE__ */ refused('Poly1305', CIPHERS)
export const XSalsa20 = /* @__PURE__ */ refused('XSalsa20', CIPHERS)

export const Dilithium = /* @__PURE__ */ refused('Dilithium', QUANTUM)
export const HybridCrypto = /* @__PURE__ */ refused('HybridCrypto', QUANTUM)
export const LWECrypto = /* @__PURE__ */ refused('LWECrypto', QUANTUM)
export const QuantumSafeUtils = /* @__PURE__ */ refused('QuantumSafeUtils', QUANTUM)
export const SPHINCSPlus = /* @__PURE__ */ refused('SPHINCSPlus', QUANTUM)

export const KeyManager = /* @__PURE__ */ refused('KeyManager', KEYS)
export const keyManager = /* @__PURE__ */ refused('keyManager', KEYS)
