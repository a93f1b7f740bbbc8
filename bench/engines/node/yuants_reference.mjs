// The public-key functions of @yuants/utils as they work, written from a description of their formats with none of their code, on
// the libraries that they are on: the peer that sealstone's functions are measured beside. It copies a message as often as they do.

import { webcrypto } from 'node:crypto'
import bs58 from 'bs58'
import ed2curve from 'ed2curve'
import nacl from 'tweetnacl'
import { joined } from './joined.mjs'

const NONCE_LEN = nacl.box.nonceLength
const KEY_LEN = nacl.box.publicKeyLength
const GCM_NONCE_LEN = 12

export function fromSeed(seed) {
  const { publicKey, secretKey } = nacl.sign.keyPair.fromSeed(seed)
  return { public_key: bs58.encode(publicKey), private_key: bs58.encode(secretKey) }
}

/** `nonce || ephemeral key || box` */
export function encryptByPublicKey(data, publicKey) {
  const recipient = ed2curve.convertPublicKey(bs58.decode(publicKey))
  if (recipient === null) throw new Error('FailedToConvertPublicKeyToCurve25519')
  const ephemeral = nacl.box.keyPair()
  const nonce = nacl.randomBytes(NONCE_LEN)
  return joined([nonce, ephemeral.publicKey, nacl.box(data, nonce, recipient, ephemeral.secretKey)])
}

export function decryptByPrivateKey(data, privateKey) {
  const secret = ed2curve.convertSecretKey(bs58.decode(privateKey))
  const [nonce, rest] = [data.slice(0, NONCE_LEN), data.slice(NONCE_LEN)]
  const plaintext = nacl.box.open(rest.slice(KEY_LEN), nonce, rest.slice(0, KEY_LEN), secret)
  if (plaintext === null) throw new Error('FailedToDecryptDataWithPrivateKey')
  return plaintext
}

/** `length of the box || box of a key || nonce || ciphertext || tag` */
export async function encryptByPublicKeyAsync(data, publicKey) {
  const key = webcrypto.getRandomValues(new Uint8Array(32))
  const box = encryptByPublicKey(key, publicKey)
  const sealed = await seal(data, key)
  const length = new Uint8Array(4)
  new DataView(length.buffer).setUint32(0, box.length)
  return joined([length, box, sealed])
}

export async function decryptByPrivateKeyAsync(data, privateKey) {
  const length = new DataView(data.buffer, data.byteOffset).getUint32(0)
  const key = decryptByPrivateKey(data.slice(4, 4 + length), privateKey)
  return open(data.slice(4 + length), key)
}

async function seal(data, bytes) {
  const key = await webcrypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['encrypt'])
  const iv = webcrypto.getRandomValues(new Uint8Array(GCM_NONCE_LEN))
  return joined([iv, new Uint8Array(await webcrypto.subtle.encrypt({ name: 'AES-GCM', iv }, key, data))])
}

async function open(data, bytes) {
  const key = await webcrypto.subtle.importKey('raw', bytes, 'AES-GCM', false, ['decrypt'])
  const iv = data.slice(0, GCM_NONCE_LEN)
  return new Uint8Array(await webcrypto.subtle.decrypt({ name: 'AES-GCM', iv }, key, data.slice(GCM_NONCE_LEN)))
}
