// What programs call of crypto-js: the same calls of it and of sealstone/compat/crypto-js.

import { asciiOf, inputOf } from './hash.mjs'
import { choose, readOptions } from './protocol.mjs'

const PASSPHRASE = 'correct horse battery staple'
const KEY = '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f'
const IV = '404142434445464748494a4b4c4d4e4f'
const ITERATIONS = 10_000

const LIBRARIES = {
  sealstone: () => import('../../../bindings/js/dist/compat/crypto-js.mjs'),
  'crypto-js': () => import('crypto-js'),
}

const operation = (name, prepare) => ({
  name: `crypto-js/${name}`,
  async setUp(input, options) {
    const { library = 'sealstone' } = readOptions(options, ['library'])
    const { default: CryptoJS } = await choose(LIBRARIES, library, 'library')()
    return prepare(CryptoJS, asciiOf(input), inputOf(input))
  },
})

/** What encrypts a text to the text of its ciphertext, and back. */
const FORMS = {
  'aes-key': ({ AES, enc }) => {
    const [key, iv] = [enc.Hex.parse(KEY), enc.Hex.parse(IV)]
    return {
      encrypt: (text) => AES.encrypt(text, key, { iv }).toString(),
      decrypt: (text) => AES.decrypt(text, key, { iv }).toString(enc.Utf8),
    }
  },
  'aes-passphrase': ({ AES, enc }) => ({
    encrypt: (text) => AES.encrypt(text, PASSPHRASE).toString(),
    decrypt: (text) => AES.decrypt(text, PASSPHRASE).toString(enc.Utf8),
  }),
}

const decoder = new TextDecoder()

const ciphers = ([name, form]) => [
  operation(`${name}/encrypt`, (CryptoJS, text, found) => {
    const { encrypt, decrypt } = form(CryptoJS)
    const reveal = (ciphertext) => found(decrypt(ciphertext))
    return { run: () => encrypt(text), reveal, opens: (bytes) => reveal(decoder.decode(bytes)) }
  }),
  operation(`${name}/decrypt`, (CryptoJS, text, found) => {
    const { encrypt, decrypt } = form(CryptoJS)
    const ciphertext = encrypt(text)
    return { run: () => decrypt(ciphertext), reveal: found }
  }),
]

export const cryptoJsOperations = [
  ...Object.entries(FORMS).flatMap(ciphers),
  operation('sha256', ({ SHA256 }, text) => ({ run: () => SHA256(text).toString() })),
  operation('hmac-sha256', ({ HmacSHA256 }, text) => ({ run: () => HmacSHA256(text, PASSPHRASE).toString() })),
  operation('pbkdf2', ({ PBKDF2, enc }, text) => {
    const [salt, told] = [enc.Hex.parse(IV), { keySize: 8, iterations: ITERATIONS }]
    return { run: () => PBKDF2(text, salt, told).toString() }
  }),
]
