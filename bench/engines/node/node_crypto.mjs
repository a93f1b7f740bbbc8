// What Node computes itself, by node:crypto: the peer that a page has not.

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const TAG_LEN = 16

/** An AEAD under one key and one nonce: a cipher for each message, as there is no other way. */
export const aead = (algorithm, key, nonce) => ({
  // The parts as they are: joining them would cost a copy, and many a protocol has them apart.
  seal: (plaintext) => ({
    run() {
      const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: TAG_LEN })
      return [cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]
    },
  }),
  open(sealed) {
    const [ciphertext, tag] = [sealed.subarray(0, -TAG_LEN), sealed.subarray(-TAG_LEN)]
    return {
      run() {
        const cipher = createDecipheriv(algorithm, key, nonce, { authTagLength: TAG_LEN })
        cipher.setAuthTag(tag)
        return [cipher.update(ciphertext), cipher.final()]
      },
    }
  },
})

/** A mode without a tag and without padding. */
export function mode(name, key, iv) {
  const run = (cipher, data) => {
    cipher.setAutoPadding(false)
    return [cipher.update(data), cipher.final()]
  }
  return {
    encrypt: (plaintext) => ({ run: () => run(createCipheriv(name, key, iv), plaintext) }),
    decrypt: (ciphertext) => ({ run: () => run(createDecipheriv(name, key, iv), ciphertext) }),
  }
}

const CHUNK_LEN = 16 << 10

/**
 * AES-256-GCM on chunks of 16 KiB, one behind the other in one result, under a key that is there: what of a file of Sealstone's is
 * neither its header nor its key.
 */
export function chunks() {
  const key = randomBytes(32)
  const nonce = Buffer.alloc(12)
  return {
    encrypt(data) {
      const out = Buffer.allocUnsafe(data.length + Math.ceil(data.length / CHUNK_LEN) * TAG_LEN)
      let to = 0
      for (let from = 0; from < data.length; from += CHUNK_LEN) {
        nonce.writeUInt32BE(from / CHUNK_LEN, 8)
        const cipher = createCipheriv('aes-256-gcm', key, nonce)
        to += cipher.update(data.subarray(from, from + CHUNK_LEN)).copy(out, to)
        cipher.final()
        to += cipher.getAuthTag().copy(out, to)
      }
      return out
    },
    decrypt(sealed) {
      const out = Buffer.allocUnsafe(sealed.length - Math.ceil(sealed.length / (CHUNK_LEN + TAG_LEN)) * TAG_LEN)
      let to = 0
      for (let from = 0; from < sealed.length; from += CHUNK_LEN + TAG_LEN) {
        const chunk = sealed.subarray(from, from + CHUNK_LEN + TAG_LEN)
        nonce.writeUInt32BE(from / (CHUNK_LEN + TAG_LEN), 8)
        const cipher = createDecipheriv('aes-256-gcm', key, nonce, { authTagLength: TAG_LEN })
        cipher.setAuthTag(chunk.subarray(-TAG_LEN))
        to += cipher.update(chunk.subarray(0, -TAG_LEN)).copy(out, to)
        cipher.final()
      }
      return out
    },
  }
}
