// What @ldesign/crypto does over crypto-js 4.2 and node-forge, written anew: its formats, and which calls it makes in which order. It is the
// peer that sealstone/compat/ldesign is measured beside.

import CryptoJS from 'crypto-js'
import { blake2b } from './blake2b_reference.mjs'

const { AES, HmacMD5, HmacSHA256, HmacSHA512, MD5, PBKDF2, SHA1, SHA256, SHA512, algo, enc, lib, mode: modes, pad } = CryptoJS

const ITERATIONS = 100_000
const KEY_LIFETIME_MS = 300_000

/** Keys that were derived, each under the MD5 of its text and size; one lives on while it is in use. */
const keys = new Map()

/** Whether a text is the digits of a key, and no password. */
const isKey = (text, keySize) => text.length === keySize / 4 && /^[0-9a-f]+$/i.test(text)

/** The bytes that digits stand for, or the key of a password. */
function keyOf(text, keySize) {
  const id = MD5(`${text}_${keySize}`).toString()
  const [known, now] = [keys.get(id), Date.now()]
  if (known !== undefined && now - known.used < KEY_LIFETIME_MS) {
    known.used = now
    return known.key
  }
  const key = isKey(text, keySize)
    ? enc.Hex.parse(text)
    : PBKDF2(text, SHA256(text), { keySize: keySize / 32, iterations: ITERATIONS, hasher: algo.SHA256 })
  keys.set(id, { key, used: now })
  return key
}

/** Forgets the derived keys. */
export const forgetKeys = () => keys.clear()

export const aes = {
  encrypt(data, key, { mode = 'CBC', keySize = 256, iv: given } = {}) {
    const iv = given === undefined ? lib.WordArray.random(16) : enc.Hex.parse(given)
    const { ciphertext } = AES.encrypt(data, keyOf(key, keySize), { iv, mode: modes[mode], padding: pad.Pkcs7 })
    const [text, digits] = [ciphertext.toString(enc.Base64), iv.toString(enc.Hex)]
    return { success: true, data: text, algorithm: 'AES', mode, keySize, iv: digits }
  },
  decrypt({ data, iv, mode, keySize }, key) {
    const told = { iv: enc.Hex.parse(iv), mode: modes[mode], padding: pad.Pkcs7 }
    const params = lib.CipherParams.create({ ciphertext: enc.Base64.parse(data) })
    const text = AES.decrypt(params, keyOf(key, keySize), told).toString(enc.Utf8)
    return { success: true, data: text, algorithm: 'AES', mode }
  },
}

const DIGESTS = { MD5, SHA1, SHA256, SHA512 }
const HMACS = { MD5: HmacMD5, SHA256: HmacSHA256, SHA512: HmacSHA512 }

// Objects without a state: each call takes one.

class Hasher {
  hash(data, algorithm) {
    return { success: true, hash: DIGESTS[algorithm](data).toString(enc.Hex), algorithm, encoding: 'hex' }
  }
}

class HMACHasher {
  hmac(data, key, algorithm) {
    const hash = HMACS[algorithm](data, key).toString(enc.Hex)
    return { success: true, hash, algorithm: `HMAC-${algorithm}`, encoding: 'hex' }
  }
}

class Encoder {
  encode(data) {
    return btoa(unescape(encodeURIComponent(data)))
  }
}

const POOL_SIZE = 10

/** Objects of a class that calls give back. */
function pooled(Class) {
  const idle = []
  return (use) => {
    const one = idle.pop() ?? new Class()
    try {
      return use(one)
    } finally {
      if (idle.length < POOL_SIZE) idle.push(one)
    }
  }
}

/** An object of a class for each call. */
const unpooled = (Class) => (use) => use(new Class())

function functionsBy(holder) {
  const [hashers, hmacHashers, encoders] = [Hasher, HMACHasher, Encoder].map(holder)
  const digest = (algorithm) => (data) => hashers((one) => one.hash(data, algorithm).hash)
  const mac = (algorithm) => (data, key) => hmacHashers((one) => one.hmac(data, key, algorithm).hash)
  return {
    hash: { md5: digest('MD5'), sha1: digest('SHA1'), sha256: digest('SHA256'), sha512: digest('SHA512') },
    hmac: { md5: mac('MD5'), sha256: mac('SHA256'), sha512: mac('SHA512') },
    base64: { encode: (data) => encoders((one) => one.encode(data)) },
  }
}

const latest = functionsBy(pooled)

/** BLAKE2b is a class of its own in theirs. */
export const hash = { ...latest.hash, blake2b: (data) => hexOf(blake2b(encoder.encode(data))) }
export const { hmac, base64 } = latest

/** Its version 1 had no pools. */
export const version1 = functionsBy(unpooled)

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** A key for WebCrypto. It is derived in each call, where it is no digits: this part of theirs has no cache. */
async function webKeyOf(text, keySize, name) {
  const { subtle } = globalThis.crypto
  const imported = (bytes) => subtle.importKey('raw', bytes, name, false, ['encrypt', 'decrypt'])
  if (isKey(text, keySize)) return imported(bytesOfHex(text))
  const password = encoder.encode(text)
  const salt = await subtle.digest('SHA-256', password)
  const secret = await subtle.importKey('raw', password, 'PBKDF2', false, ['deriveBits'])
  return imported(await subtle.deriveBits({ name: 'PBKDF2', salt, iterations: ITERATIONS, hash: 'SHA-256' }, secret, keySize))
}

const hexOf = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
const bytesOfHex = (digits) => Uint8Array.from(digits.match(/../g), (byte) => Number.parseInt(byte, 16))
const binaryOf = (bytes) => Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
const bytesOf = (binary) => Uint8Array.from(binary, (character) => character.charCodeAt(0))

/** By WebCrypto's name, and what it is told. */
const parametersOf = (mode, iv) => ({ name: `AES-${mode}`, ...(mode === 'CTR' ? { counter: iv, length: 64 } : { iv }) })

async function webEncrypted(data, key, { algorithm, mode, keySize = 256, ivLen }) {
  const iv = globalThis.crypto.getRandomValues(new Uint8Array(ivLen))
  const told = parametersOf(mode, iv)
  const sealed = await globalThis.crypto.subtle.encrypt(told, await webKeyOf(key, keySize, told.name), encoder.encode(data))
  const text = btoa(binaryOf(new Uint8Array(sealed)))
  return { success: true, data: text, algorithm, mode, keySize, iv: hexOf(iv), usingWebCrypto: true }
}

async function webDecrypted({ data, iv }, key, { algorithm, mode, keySize = 256 }) {
  const told = parametersOf(mode, bytesOfHex(iv))
  const text = await globalThis.crypto.subtle.decrypt(told, await webKeyOf(key, keySize, told.name), bytesOf(atob(data)))
  return { success: true, data: decoder.decode(text), algorithm, mode, usingWebCrypto: true }
}

const [AES_FORM, GCM_FORM] = [{ algorithm: 'AES', ivLen: 16 }, { algorithm: 'AES-GCM', mode: 'GCM', ivLen: 12 }]

export const webcrypto = {
  aes: {
    encrypt: (data, key, options) => webEncrypted(data, key, { ...AES_FORM, ...options }),
    decrypt: (result, key, options) => webDecrypted(result, key, { ...AES_FORM, ...options }),
  },
  gcm: {
    encrypt: (data, key) => webEncrypted(data, key, GCM_FORM),
    decrypt: (result, key) => webDecrypted(result, key, GCM_FORM),
  },
}

/** Results are kept: an item that was there before has the result of then. */
export class CryptoManager {
  #results = new Map()

  async #encrypted({ data, key, algorithm, options }) {
    const id = MD5(`encrypt:${algorithm}:${key}:${data}:${JSON.stringify(options)}`).toString()
    const result = this.#results.get(id) ?? aes.encrypt(data, key, options)
    this.#results.set(id, result)
    return result
  }

  /** Ten promises at once, on the one thread. */
  async batchEncrypt(operations) {
    const results = []
    for (let at = 0; at < operations.length; at += AT_ONCE) {
      const some = operations.slice(at, at + AT_ONCE)
      results.push(...(await Promise.all(some.map(async (one) => ({ id: one.id, result: await this.#encrypted(one) })))))
    }
    return results
  }
}

const AT_ONCE = 10

const PIECE_LEN = 65_536

/** A message for the base64 of each piece, all under one IV, with bars between them. */
function sealed(bytes, key, iv) {
  const texts = []
  for (let at = 0; at < bytes.length; at += PIECE_LEN) {
    let binary = ''
    for (const byte of bytes.subarray(at, at + PIECE_LEN)) binary += String.fromCharCode(byte)
    texts.push(aes.encrypt(btoa(binary), key, { iv }).data)
  }
  return encoder.encode(texts.join('|'))
}

function opened(body, key, iv) {
  const told = { iv, mode: 'CBC', keySize: 256 }
  return decoder.decode(body).split('|').map((data) => bytesOf(atob(aes.decrypt({ data, ...told }, key).data)))
}

export const fileEncryptor = {
  async encryptFile(file, key) {
    const bytes = new Uint8Array(await file.arrayBuffer())
    const iv = lib.WordArray.random(16).toString(enc.Hex)
    const { name: originalName, size: originalSize, type: mimeType } = file
    const metadata = { originalName, originalSize, mimeType, iv, algorithm: 'AES', encryptedAt: Date.now() }
    const head = encoder.encode(JSON.stringify(metadata))
    return { blob: new Blob([new Uint32Array([head.length]), head, sealed(bytes, key, iv)]), metadata }
  },
  async decryptFile(blob, key) {
    const bytes = new Uint8Array(await blob.arrayBuffer())
    const end = 4 + new DataView(bytes.buffer).getUint32(0, true)
    const metadata = JSON.parse(decoder.decode(bytes.subarray(4, end)))
    return { blob: new Blob(opened(bytes.subarray(end), key, metadata.iv), { type: metadata.mimeType }), metadata }
  },
}

const CHUNK_LEN = 1 << 20

/** Characters that a piece of so many bytes becomes: base64 of whole blocks. */
const textLenOf = (length) => 4 * Math.ceil((length - (length % 16) + 16) / 3)

export const streamEncrypt = {
  /** A message for the text of each piece, all under one IV, one behind the other. */
  async file(file, key, { chunkSize = CHUNK_LEN } = {}) {
    const iv = lib.WordArray.random(16).toString(enc.Hex)
    const messages = []
    for (let at = 0; at < file.size; at += chunkSize) {
      const text = decoder.decode(await file.slice(at, at + chunkSize).arrayBuffer())
      messages.push(new Blob([aes.encrypt(text, key, { mode: 'CTR', iv }).data]))
    }
    return { data: new Blob(messages), metadata: { success: true, algorithm: 'AES', mode: 'CTR', keySize: 256, iv } }
  },
}

export const streamDecrypt = {
  /** Theirs cuts the text where the pieces of the file were cut, so that it fails for a second one: here each message has its length. */
  async file(blob, key, metadata, { chunkSize = CHUNK_LEN } = {}) {
    const [texts, length] = [[], textLenOf(chunkSize)]
    for (let at = 0; at < blob.size; at += length) {
      const data = await blob.slice(at, at + length).text()
      texts.push(new Blob([aes.decrypt({ ...metadata, data }, key).data]))
    }
    return { data: new Blob(texts) }
  },
}

/** RSA with what it is given of node-forge; a key is read from its text in each call. */
export function rsaOver({ md, pki, util }) {
  const digestOf = (text) => md.sha256.create().update(text, 'utf8')
  return {
    generateKeyPair(bits) {
      const { privateKey, publicKey } = pki.rsa.generateKeyPair(bits)
      return { publicKey: pki.publicKeyToPem(publicKey), privateKey: pki.privateKeyToPem(privateKey) }
    },
    encrypt(data, publicKey) {
      const text = util.encode64(pki.publicKeyFromPem(publicKey).encrypt(data, 'RSA-OAEP'))
      return { success: true, data: text, algorithm: 'RSA-2048' }
    },
    decrypt(data, privateKey) {
      const text = pki.privateKeyFromPem(privateKey).decrypt(util.decode64(data), 'RSA-OAEP')
      return { success: true, data: text, algorithm: 'RSA-2048' }
    },
    sign: (data, privateKey) => util.encode64(pki.privateKeyFromPem(privateKey).sign(digestOf(data))),
    verify: (data, signature, publicKey) =>
      pki.publicKeyFromPem(publicKey).verify(digestOf(data).digest().bytes(), util.decode64(signature)),
  }
}
