// AES of a text to base64 and back, under one key and one IV, as each library for JavaScript has it.

import { asciiOf } from './hash.mjs'
import { choose, readOptions } from './protocol.mjs'

const KEY = Uint8Array.from({ length: 32 }, (_, i) => i)
const NONCE = Uint8Array.from({ length: 12 }, (_, i) => 0x40 + i)
const IV = Uint8Array.from({ length: 16 }, (_, i) => 0x40 + i)
const TAG_LEN = 16

/** Mode, key and IV of each algorithm. */
const ALGORITHMS = {
  'aes-256-gcm': { mode: 'gcm', key: KEY, iv: NONCE },
  'aes-128-cbc': { mode: 'cbc', key: KEY.subarray(0, 16), iv: IV },
  'aes-256-cbc': { mode: 'cbc', key: KEY, iv: IV },
  'aes-256-ctr': { mode: 'ctr', key: KEY, iv: IV },
}

/** What makes base64 of a text, and a text of base64. */
const LIBRARIES = {
  async sealstone(algorithm, { mode, key, iv }) {
    if (mode === 'gcm') {
      const { aead } = await import('../../../bindings/js/dist/aead.mjs')
      const handle = aead(algorithm, key)
      return {
        encrypt: (text) => handle.sealText(iv, undefined, text),
        decrypt: (sealed) => handle.openText(iv, undefined, sealed),
      }
    }
    const { cipher } = await import('../../../bindings/js/dist/hazmat.mjs')
    const handle = cipher(algorithm, key)
    return {
      encrypt: (text) => handle.encryptText(iv, text),
      decrypt: (ciphertext) => handle.decryptText(iv, ciphertext),
    }
  },
  async node(algorithm, { mode, key, iv }) {
    const { createCipheriv, createDecipheriv, createSecretKey } = await import('node:crypto')
    const secret = createSecretKey(key)
    if (mode === 'gcm') {
      return {
        encrypt(text) {
          const cipher = createCipheriv(algorithm, secret, iv)
          return Buffer.concat([cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64')
        },
        decrypt(sealed) {
          const bytes = Buffer.from(sealed, 'base64')
          const cipher = createDecipheriv(algorithm, secret, iv, { authTagLength: TAG_LEN })
          cipher.setAuthTag(bytes.subarray(-TAG_LEN))
          return cipher.update(bytes.subarray(0, -TAG_LEN), undefined, 'utf8') + cipher.final('utf8')
        },
      }
    }
    return {
      encrypt(text) {
        const cipher = createCipheriv(algorithm, secret, iv)
        return cipher.update(text, 'utf8', 'base64') + cipher.final('base64')
      },
      decrypt(ciphertext) {
        const cipher = createDecipheriv(algorithm, secret, iv)
        return cipher.update(ciphertext, 'base64', 'utf8') + cipher.final('utf8')
      },
    }
  },
  async noble(_, { mode, key, iv }) {
    const modes = await import('@noble/ciphers/aes.js')
    return {
      encrypt: (text) => base64Of(modes[mode](key, iv).encrypt(encoder.encode(text))),
      decrypt: (sealed) => decoder.decode(modes[mode](key, iv).decrypt(bytesOf(sealed))),
    }
  },
  async webcrypto(_, { mode, key, iv }) {
    const { subtle } = globalThis.crypto
    const name = `AES-${mode.toUpperCase()}`
    const told = mode === 'ctr' ? { name, counter: iv, length: 128 } : { name, iv }
    const secret = await subtle.importKey('raw', key, name, false, ['encrypt', 'decrypt'])
    return {
      encrypt: async (text) => base64Of(new Uint8Array(await subtle.encrypt(told, secret, encoder.encode(text)))),
      decrypt: async (sealed) => decoder.decode(await subtle.decrypt(told, secret, bytesOf(sealed))),
    }
  },
  async 'crypto-js'(_, { mode, key, iv }) {
    const { default: CryptoJS } = await import('crypto-js')
    const { AES, enc, lib, mode: modes, pad } = CryptoJS
    const options = choose(
      { cbc: { mode: modes.CBC, padding: pad.Pkcs7 }, ctr: { mode: modes.CTR, padding: pad.NoPadding } },
      mode,
      'mode',
    )
    const [words, told] = [lib.WordArray.create(key), { ...options, iv: lib.WordArray.create(iv) }]
    return {
      encrypt: (text) => enc.Base64.stringify(AES.encrypt(text, words, told).ciphertext),
      decrypt: (text) => AES.decrypt({ ciphertext: enc.Base64.parse(text) }, words, told).toString(enc.Utf8),
    }
  },
  /** Over crypto-js, with the key and the IV as digits: of a key that is no password nothing is derived. */
  async 'ldesign-reference'(_, { mode, key, iv }) {
    const { aes } = await import('./ldesign_reference.mjs')
    const [keySize, name] = [8 * key.length, choose({ cbc: 'CBC' }, mode, 'mode')]
    const [digits, told] = [hexOf(key), { mode: name, keySize, iv: hexOf(iv) }]
    return {
      encrypt: (text) => aes.encrypt(text, digits, told).data,
      decrypt: (data) => aes.decrypt({ data, ...told }, digits).data,
    }
  },
  async 'node-forge'(_, { mode, key, iv }) {
    const { default: forge } = await import('node-forge')
    const [secret, start] = [key, iv].map((bytes) => forge.util.binary.raw.encode(bytes))
    const name = `AES-${mode.toUpperCase()}`
    return {
      encrypt(text) {
        const cipher = forge.cipher.createCipher(name, secret)
        cipher.start({ iv: start })
        cipher.update(forge.util.createBuffer(text, 'utf8'))
        cipher.finish()
        return forge.util.encode64(cipher.output.getBytes() + (cipher.mode.tag?.getBytes() ?? ''))
      },
      decrypt(ciphertext) {
        const cipher = forge.cipher.createDecipher(name, secret)
        const bytes = forge.util.decode64(ciphertext)
        const length = bytes.length - (mode === 'gcm' ? TAG_LEN : 0)
        cipher.start({ iv: start, tag: forge.util.createBuffer(bytes.slice(length)) })
        cipher.update(forge.util.createBuffer(bytes.slice(0, length)))
        if (!cipher.finish()) throw new Error('not authentic')
        return forge.util.decodeUtf8(cipher.output.getBytes())
      },
    }
  },
}

const [encoder, decoder] = [new TextEncoder(), new TextDecoder()]

const hexOf = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')

/** Base64 as whoever has no library for it makes it: by Buffer in Node, and by `btoa` in pages. */
function base64Of(bytes) {
  if (typeof Buffer === 'function') return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('base64')
  return btoa(String.fromCharCode(...bytes))
}

function bytesOf(base64) {
  if (typeof Buffer === 'function') return Buffer.from(base64, 'base64')
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
}

async function setUp(algorithm, options) {
  const { library = 'sealstone' } = readOptions(options, ['library'])
  return choose(LIBRARIES, library, 'library')(algorithm, ALGORITHMS[algorithm])
}

/** Messages of a batch, one behind the other in the input. */
const ITEM_LEN = 50

/** Nonces are drawn, and each item is its nonce, its ciphertext and its tag. */
const BATCHES = {
  async sealstone() {
    const { aead } = await import('../../../bindings/js/dist/aead.mjs')
    const key = aead('aes-256-gcm', KEY)
    return { seal: (items) => key.sealBatch(items), open: (sealed) => key.openBatch(sealed) }
  },
  async 'sealstone-one-by-one'() {
    const { aead } = await import('../../../bindings/js/dist/aead.mjs')
    const key = aead('aes-256-gcm', KEY)
    return {
      seal: (items) => items.map((item) => key.sealRandom(undefined, item)),
      open: (sealed) => sealed.map((item) => key.openRandom(undefined, item)),
    }
  },
  async node() {
    const { createCipheriv, createDecipheriv, createSecretKey, randomBytes } = await import('node:crypto')
    const secret = createSecretKey(KEY)
    const seal = (item) => {
      const nonce = randomBytes(NONCE.length)
      const cipher = createCipheriv('aes-256-gcm', secret, nonce)
      return Buffer.concat([nonce, cipher.update(item), cipher.final(), cipher.getAuthTag()])
    }
    const open = (sealed) => {
      const nonce = sealed.subarray(0, NONCE.length)
      const cipher = createDecipheriv('aes-256-gcm', secret, nonce, { authTagLength: TAG_LEN })
      cipher.setAuthTag(sealed.subarray(-TAG_LEN))
      return Buffer.concat([cipher.update(sealed.subarray(NONCE.length, -TAG_LEN)), cipher.final()])
    }
    return { seal: (items) => items.map(seal), open: (sealed) => sealed.map(open) }
  },
}

const batch = (name, prepare) => ({
  name: `aead-batch/${name}`,
  async setUp(input, options) {
    const { library = 'sealstone' } = readOptions(options, ['library'])
    const items = Array.from({ length: Math.ceil(input.length / ITEM_LEN) }, (_, i) =>
      input.subarray(i * ITEM_LEN, (i + 1) * ITEM_LEN),
    )
    return { units: items.length, ...prepare(await choose(BATCHES, library, 'library')(), items) }
  },
})

/** What a service does in a moment, so that its memory shows. */
const THOUSAND = 1000

export const aesTextOperations = [
  {
    name: 'aes-text/aes-256-cbc/thousand',
    async setUp(input, options) {
      const { encrypt } = await setUp('aes-256-cbc', options)
      const text = asciiOf(input)
      const run = () => {
        const ciphertexts = []
        for (let i = 0; i < THOUSAND; i++) ciphertexts.push(encrypt(text))
        return ciphertexts
      }
      return { run, units: THOUSAND }
    },
  },
  ...Object.keys(ALGORITHMS).flatMap((algorithm) => [
    {
      name: `aes-text/${algorithm}/encrypt`,
      async setUp(input, options) {
        const { encrypt } = await setUp(algorithm, options)
        const text = asciiOf(input)
        return { run: () => encrypt(text) }
      },
    },
    {
      name: `aes-text/${algorithm}/decrypt`,
      async setUp(input, options) {
        const { encrypt, decrypt } = await setUp(algorithm, options)
        const ciphertext = await encrypt(asciiOf(input))
        return { run: () => decrypt(ciphertext) }
      },
    },
  ]),
  batch('seal', ({ seal, open }, items) => ({ run: () => seal(items), reveal: open })),
  batch('open', ({ seal, open }, items) => {
    const sealed = seal(items)
    return { run: () => open(sealed) }
  }),
]
