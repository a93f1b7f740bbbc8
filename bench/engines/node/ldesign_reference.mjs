// What @ldesign/crypto does over crypto-js 4.2 and node-forge, written from a description of its formats and of its ways with none of its
// code: the peer that sealstone/compat/ldesign is measured beside.

import CryptoJS from 'crypto-js'

const { AES, HmacMD5, HmacSHA256, HmacSHA512, MD5, PBKDF2, SHA1, SHA256, SHA512, algo, enc, lib, mode: modes, pad } = CryptoJS

const ITERATIONS = 100_000
const KEY_LIFETIME_MS = 300_000

/** Keys that were derived, each under the MD5 of its text and size; one lives on while it is in use. */
const keys = new Map()

/** The bytes that digits stand for, or the key of a password. */
function keyOf(text, keySize) {
  if (text.length === keySize / 4 && /^[0-9a-f]+$/i.test(text)) return enc.Hex.parse(text)
  const id = MD5(`${text}_${keySize}`).toString()
  const [known, now] = [keys.get(id), Date.now()]
  if (known !== undefined && now - known.used < KEY_LIFETIME_MS) {
    known.used = now
    return known.key
  }
  const key = PBKDF2(text, SHA256(text), { keySize: keySize / 32, iterations: ITERATIONS, hasher: algo.SHA256 })
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

export const hash = {
  md5: (data) => MD5(data).toString(enc.Hex),
  sha1: (data) => SHA1(data).toString(enc.Hex),
  sha256: (data) => SHA256(data).toString(enc.Hex),
  sha512: (data) => SHA512(data).toString(enc.Hex),
}

export const hmac = {
  md5: (data, key) => HmacMD5(data, key).toString(enc.Hex),
  sha256: (data, key) => HmacSHA256(data, key).toString(enc.Hex),
  sha512: (data, key) => HmacSHA512(data, key).toString(enc.Hex),
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()
const NONCE_LEN = 12

/** Its key is derived in each call: this part of theirs has no cache. */
async function gcmKey(text) {
  const { subtle } = globalThis.crypto
  const password = encoder.encode(text)
  const salt = await subtle.digest('SHA-256', password)
  const secret = await subtle.importKey('raw', password, 'PBKDF2', false, ['deriveKey'])
  const told = { name: 'PBKDF2', salt, iterations: ITERATIONS, hash: 'SHA-256' }
  return subtle.deriveKey(told, secret, { name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt'])
}

const hexOf = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
const binaryOf = (bytes) => Array.from(bytes, (byte) => String.fromCharCode(byte)).join('')
const bytesOf = (binary) => Uint8Array.from(binary, (character) => character.charCodeAt(0))

export const webcrypto = {
  gcm: {
    async encrypt(data, key) {
      const iv = globalThis.crypto.getRandomValues(new Uint8Array(NONCE_LEN))
      const sealed = await globalThis.crypto.subtle.encrypt({ name: 'AES-GCM', iv }, await gcmKey(key), encoder.encode(data))
      const text = btoa(binaryOf(new Uint8Array(sealed)))
      return { success: true, data: text, algorithm: 'AES-GCM', mode: 'GCM', iv: hexOf(iv) }
    },
    async decrypt({ data, iv }, key) {
      const told = { name: 'AES-GCM', iv: Uint8Array.from(iv.match(/../g), (digits) => Number.parseInt(digits, 16)) }
      const text = await globalThis.crypto.subtle.decrypt(told, await gcmKey(key), bytesOf(atob(data)))
      return { success: true, data: decoder.decode(text), algorithm: 'AES-GCM', mode: 'GCM' }
    },
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
