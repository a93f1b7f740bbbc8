// AEADs under one key and one nonce, as each library for JavaScript has them.

import { choose, readOptions, Unsupported, whole } from './protocol.mjs'

const KEY = Uint8Array.from({ length: 32 }, (_, i) => i)
const NONCE = Uint8Array.from({ length: 12 }, (_, i) => 0x40 + i)
const TAG_LEN = 16

/** What a library does with a plaintext, and with `ciphertext || tag`, in an algorithm: trials for the protocol. */
const LIBRARIES = {
  async sealstone(algorithm) {
    const { aead } = await import('../../../bindings/js/dist/aead.mjs')
    return sealstone(aead(algorithm, KEY))
  },
  /** Into one buffer again and again. */
  async 'sealstone-into'(algorithm) {
    const { aead } = await import('../../../bindings/js/dist/aead.mjs')
    return sealstoneInto(aead(algorithm, KEY))
  },
  async node(algorithm) {
    const { aead } = await import('./node_crypto.mjs')
    return aead(algorithm, KEY, NONCE)
  },
  async webcrypto(algorithm) {
    const { name, form } = choose(WEB_CRYPTO, algorithm, 'algorithm')
    const { subtle } = globalThis.crypto
    const key = await subtle.importKey(form, KEY, name, false, ['encrypt', 'decrypt']).catch(() => {
      throw new Unsupported(`it has no ${name} here`)
    })
    const told = { name, iv: NONCE }
    return {
      seal: (plaintext) => ({ run: () => subtle.encrypt(told, key, plaintext) }),
      open: (sealed) => ({ run: () => subtle.decrypt(told, key, sealed) }),
    }
  },
  async noble(algorithm) {
    const [{ gcm }, { chacha20poly1305 }] = await Promise.all([
      import('@noble/ciphers/aes.js'),
      import('@noble/ciphers/chacha.js'),
    ])
    const cipher = choose({ 'aes-256-gcm': gcm, 'chacha20-poly1305': chacha20poly1305 }, algorithm, 'algorithm')
    return {
      seal: (plaintext) => ({ run: () => cipher(KEY, NONCE).encrypt(plaintext) }),
      open: (sealed) => ({ run: () => cipher(KEY, NONCE).decrypt(sealed) }),
    }
  },
  async 'libsodium-wrappers'(algorithm) {
    // Its AES-256-GCM needs instructions of a CPU.
    choose({ 'chacha20-poly1305': true }, algorithm, 'algorithm')
    const { default: sodium } = await import('libsodium-wrappers')
    await sodium.ready
    return {
      seal: (plaintext) => ({
        run: () => sodium.crypto_aead_chacha20poly1305_ietf_encrypt(plaintext, null, null, NONCE, KEY),
      }),
      open: (sealed) => ({
        run: () => sodium.crypto_aead_chacha20poly1305_ietf_decrypt(null, sealed, null, NONCE, KEY),
      }),
    }
  },
  async 'node-forge'(algorithm) {
    choose({ 'aes-256-gcm': true }, algorithm, 'algorithm')
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

/** Some engines have the second, by the draft that adds it. */
const WEB_CRYPTO = {
  'aes-256-gcm': { name: 'AES-GCM', form: 'raw' },
  'chacha20-poly1305': { name: 'ChaCha20-Poly1305', form: 'raw-secret' },
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

const libraryOf = (library, algorithm) => choose(LIBRARIES, library, 'library')(algorithm)

/** Of a library's own: where two differ, so do the outputs of `seal`. */
async function openOwn({ seal, open }, input) {
  return open(whole(await seal(input).run()))
}

const operations = (algorithm) => {
  const operation = (name, prepare) => ({
    name: `aead/${algorithm}/${name}`,
    async setUp(input, options) {
      const { library = 'sealstone' } = readOptions(options, ['library'])
      return prepare(await libraryOf(library, algorithm), input)
    },
  })
  return [operation('seal', ({ seal }, input) => seal(input)), operation('open', openOwn)]
}

/** With whatever AEAD the option says, so that one can be compared with another. */
const acrossOperation = (name, prepare) => ({
  name: `any-aead/${name}`,
  async setUp(input, options) {
    const { library = 'sealstone', algorithm = 'aes-256-gcm' } = readOptions(options, ['library', 'algorithm'])
    return prepare(await libraryOf(library, algorithm), input)
  },
})

export const aeadOperations = [
  ...operations('aes-256-gcm'),
  ...operations('chacha20-poly1305'),
  acrossOperation('seal', ({ seal, open }, input) => ({
    ...seal(input),
    reveal: async (output) => whole(await open(whole(output)).run()),
  })),
  acrossOperation('open', openOwn),
]
