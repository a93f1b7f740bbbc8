// AES-256-GCM under one key and one nonce, as each library for Node has it.

import { createCipheriv, createDecipheriv, webcrypto } from 'node:crypto'
import { choose, readOptions } from './protocol.mjs'

const ALGORITHM = 'aes-256-gcm'
const KEY = Uint8Array.from({ length: 32 }, (_, i) => i)
const NONCE = Uint8Array.from({ length: 12 }, (_, i) => 0x40 + i)
const TAG_LEN = 16

/** What a library does with a plaintext, and with `ciphertext || tag`: trials for the protocol. */
const LIBRARIES = {
  async sealstone() {
    const { aead } = await import('../../../bindings/js/dist/aead.mjs')
    return sealstone(aead(ALGORITHM, KEY))
  },
  /** Into one buffer again and again. */
  async 'sealstone-into'() {
    const { aead } = await import('../../../bindings/js/dist/aead.mjs')
    return sealstoneInto(aead(ALGORITHM, KEY))
  },
  node: () => ({
    // The parts as they are: joining them would cost a copy, and many a protocol has them apart.
    seal: (plaintext) => ({
      run() {
        const cipher = createCipheriv(ALGORITHM, KEY, NONCE)
        return [cipher.update(plaintext), cipher.final(), cipher.getAuthTag()]
      },
    }),
    open(sealed) {
      const [ciphertext, tag] = [sealed.subarray(0, -TAG_LEN), sealed.subarray(-TAG_LEN)]
      return {
        run() {
          const cipher = createDecipheriv(ALGORITHM, KEY, NONCE, { authTagLength: TAG_LEN })
          cipher.setAuthTag(tag)
          return [cipher.update(ciphertext), cipher.final()]
        },
      }
    },
  }),
  async webcrypto() {
    const { subtle } = webcrypto
    const key = await subtle.importKey('raw', KEY, 'AES-GCM', false, ['encrypt', 'decrypt'])
    const algorithm = { name: 'AES-GCM', iv: NONCE }
    return {
      seal: (plaintext) => ({ run: () => subtle.encrypt(algorithm, key, plaintext) }),
      open: (sealed) => ({ run: () => subtle.decrypt(algorithm, key, sealed) }),
    }
  },
  async noble() {
    const { gcm } = await import('@noble/ciphers/aes.js')
    return {
      seal: (plaintext) => ({ run: () => gcm(KEY, NONCE).encrypt(plaintext) }),
      open: (sealed) => ({ run: () => gcm(KEY, NONCE).decrypt(sealed) }),
    }
  },
  async 'node-forge'() {
    const { default: forge } = await import('node-forge')
    const [key, iv] = [KEY, NONCE].map((bytes) => forge.util.binary.raw.encode(bytes))
    // It computes on strings of a character for each byte; from bytes to bytes is what it is asked for.
    const run = (cipher, options, bytes) => {
      cipher.start({ iv, tagLength: 8 * TAG_LEN, ...options })
      cipher.update(forge.util.createBuffer(bytes))
      if (!cipher.finish()) throw new Error('not authentic')
      return Buffer.from(cipher.output.getBytes(), 'latin1')
    }
    return {
      seal: (plaintext) => ({
        run() {
          const cipher = forge.cipher.createCipher('AES-GCM', key)
          return [run(cipher, {}, plaintext), Buffer.from(cipher.mode.tag.getBytes(), 'latin1')]
        },
      }),
      open(sealed) {
        const [ciphertext, tag] = [sealed.subarray(0, -TAG_LEN), forge.util.createBuffer(sealed.subarray(-TAG_LEN))]
        return { run: () => run(forge.cipher.createDecipher('AES-GCM', key), { tag }, ciphertext) }
      },
    }
  },
}

/** A key of `sealstone/aead`. */
export const sealstone = (key, nonce = NONCE) => ({
  seal: (plaintext) => ({ run: () => key.seal(nonce, undefined, plaintext) }),
  open: (sealed) => ({ run: () => key.open(nonce, undefined, sealed) }),
})

const sealstoneInto = (key) => ({
  seal(plaintext) {
    const out = new Uint8Array(plaintext.length + TAG_LEN)
    const run = () => {
      key.sealInto(NONCE, undefined, plaintext, out)
      return out
    }
    return { run }
  },
  open(sealed) {
    const out = new Uint8Array(sealed.length)
    const plaintext = out.subarray(0, -TAG_LEN)
    const run = () => {
      key.openInto(NONCE, undefined, sealed, out)
      return plaintext
    }
    return { run }
  },
})

function seal(plaintext) {
  const cipher = createCipheriv(ALGORITHM, KEY, NONCE)
  return Buffer.concat([cipher.update(plaintext), cipher.final(), cipher.getAuthTag()])
}

async function libraryOf(options) {
  const { library = 'sealstone' } = readOptions(options, ['library'])
  return choose(LIBRARIES, library, 'library')()
}

export const aeadOperations = [
  {
    name: `aead/${ALGORITHM}/seal`,
    setUp: async (input, options) => (await libraryOf(options)).seal(input),
  },
  {
    name: `aead/${ALGORITHM}/open`,
    setUp: async (input, options) => (await libraryOf(options)).open(seal(input)),
  },
]
