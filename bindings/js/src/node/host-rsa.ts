import type { HostRsa, RsaKey, SignedBy } from '../backend/wasm/host-rsa.js'
import * as host from '../backend/wasm/intrinsics.js'
import { inPieces } from '../backend/wasm/module.js'
import { SealstoneError } from '../basics/error.js'

/** RSA as `node:crypto` computes it, with its functions as they are when this is called; nothing where Node was built without it. */
export function hostRsa(): HostRsa | undefined {
  try {
    return nodeRsa()
  } catch {
    return undefined
  }
}

type NodeCrypto = typeof import('node:crypto')

function nodeRsa(): HostRsa {
  const crypto = process.getBuiltinModule('node:crypto')
  return { isAtOnce: true, again: (key) => key, ...keys(crypto), ...signatures(crypto), ...encryption(crypto) }
}

type KeyNames = 'privateKey' | 'publicKey' | 'generate' | 'generateNow'

function keys({
  createPrivateKey,
  createPublicKey,
  generateKeyPair,
  generateKeyPairSync,
}: NodeCrypto): Pick<HostRsa, KeyNames> {
  const fresh = (modulusLength: number) => {
    const publicKeyEncoding = { type: 'spki', format: 'der' } as const
    const privateKeyEncoding = { type: 'pkcs8', format: 'der' } as const
    return { __proto__: null, modulusLength, publicKeyEncoding, privateKeyEncoding }
  }
  /** A key of DER, which is zeroed. */
  const keyOf = (key: Uint8Array, type: 'pkcs8' | 'spki'): RsaKey => {
    try {
      const given = { __proto__: null, key, format: 'der', type } as never
      return type === 'pkcs8' ? createPrivateKey(given) : createPublicKey(given)
    } catch (cause) {
      throw new SealstoneError('invalid_key', 'invalid key: node:crypto refuses it', { cause })
    } finally {
      host.fill(key, 0)
    }
  }
  return {
    privateKey: (der) => keyOf(der(), 'pkcs8'),
    publicKey: (der) => keyOf(der(), 'spki'),
    generate: (modulusLength) =>
      new Promise((resolve, reject) => {
        // On a thread of Node's.
        generateKeyPair('rsa', fresh(modulusLength), (error, _publicKey, privateKey) => {
          if (error) reject(error)
          else resolve(moveBytes(privateKey))
        })
      }),
    generateNow: (modulusLength) => moveBytes(generateKeyPairSync('rsa', fresh(modulusLength)).privateKey),
  }
}

function signatures({ constants, createSign, createVerify }: NodeCrypto): Pick<HostRsa, 'sign' | 'verify'> {
  const { RSA_PKCS1_PADDING, RSA_PKCS1_PSS_PADDING, RSA_PSS_SALTLEN_DIGEST: saltLength } = constants
  const [signer, verifier] = [createSign('sha256'), createVerify('sha256')]
  const sign = {
    update: host.method(signer.update as (data: Uint8Array) => typeof signer),
    end: host.method(signer.sign as (by: object) => Buffer),
  }
  const verify = {
    update: host.method(verifier.update as (data: Uint8Array) => typeof verifier),
    end: host.method(verifier.verify as (by: object, signature: Uint8Array) => boolean),
  }
  const padded = (key: RsaKey, { scheme }: SignedBy): never => {
    if (scheme !== 'pss') return { __proto__: null, key, padding: RSA_PKCS1_PADDING } as never
    return { __proto__: null, key, padding: RSA_PKCS1_PSS_PADDING, saltLength } as never
  }
  return {
    sign(key, by, data) {
      const signer = createSign(by.hash)
      inPieces(data, (piece) => sign.update(signer, piece))
      return new host.Bytes(sign.end(signer, padded(key, by)))
    },
    verify(key, by, data, signature) {
      const verifier = createVerify(by.hash)
      inPieces(data, (piece) => verify.update(verifier, piece))
      return verify.end(verifier, padded(key, by), signature)
    },
  }
}

function encryption({
  constants,
  privateDecrypt,
  publicEncrypt,
}: NodeCrypto): Pick<HostRsa, 'encrypt' | 'decrypt' | 'pkcs1'> {
  const { RSA_NO_PADDING, RSA_PKCS1_OAEP_PADDING, RSA_PKCS1_PADDING } = constants
  const oaep = (key: RsaKey, oaepHash: string, oaepLabel: Uint8Array): never =>
    ({ __proto__: null, key, padding: RSA_PKCS1_OAEP_PADDING, oaepHash, oaepLabel }) as never
  const padded = (key: RsaKey, padding: number): never => ({ __proto__: null, key, padding }) as never
  return {
    encrypt: (key, hash, label, plaintext) => new host.Bytes(publicEncrypt(oaep(key, hash, label), plaintext)),
    decrypt(key, hash, label, ciphertext) {
      try {
        return moveBytes(privateDecrypt(oaep(key, hash, label), ciphertext))
      } catch {
        return undefined
      }
    },
    pkcs1: {
      encrypt: (key, plaintext) => new host.Bytes(publicEncrypt(padded(key, RSA_PKCS1_PADDING), plaintext)),
      decrypt: (key, ciphertext) => moveBytes(privateDecrypt(padded(key, RSA_NO_PADDING), ciphertext)),
    },
  }
}

/** Moves bytes of Node's to memory of our own; its memory is zeroed. */
function moveBytes(bytes: Buffer): Uint8Array<ArrayBuffer> {
  const own = new host.Bytes(bytes)
  host.fill(bytes, 0)
  return own
}
