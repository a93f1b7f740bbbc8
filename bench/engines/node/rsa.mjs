// RSA that encrypts, with OAEP and SHA-256, and fresh keys, as each library for JavaScript has them.

import { forgeKeys, rsaKeyObjects, rsaPrivateKey } from './key_pairs.mjs'
import { choose, readOptions } from './protocol.mjs'

/** What encrypts and decrypts with the pair of a private key; `own` is the one of all engines, and `generate` promises another. */
const LIBRARIES = {
  async sealstone(bits) {
    const { generateKey, importPrivateKeySync } = await import('../../../bindings/js/dist/rsa.mjs')
    return {
      own: () => importPrivateKeySync(rsaPrivateKey(bits)),
      generate: () => generateKey(bits),
      pair(key) {
        const { publicKey } = key
        return { encrypt: (plaintext) => publicKey.encrypt(plaintext), decrypt: (ciphertext) => key.decrypt(ciphertext) }
      },
    }
  },
  async node(bits) {
    const [{ constants, generateKeyPair, privateDecrypt, publicEncrypt }, { promisify }] = await Promise.all([
      import('node:crypto'),
      import('node:util'),
    ])
    const told = { padding: constants.RSA_PKCS1_OAEP_PADDING, oaepHash: 'sha256' }
    const generate = promisify(generateKeyPair)
    return {
      own: () => rsaKeyObjects(bits),
      generate: () => generate('rsa', { modulusLength: bits }),
      pair({ privateKey, publicKey }) {
        const [encrypts, decrypts] = [publicKey, privateKey].map((key) => ({ key, ...told }))
        return {
          encrypt: (plaintext) => publicEncrypt(encrypts, plaintext),
          decrypt: (ciphertext) => privateDecrypt(decrypts, ciphertext),
        }
      },
    }
  },
  async 'node-forge'(bits) {
    const [{ default: forge }, { promisify }] = await Promise.all([import('node-forge'), import('node:util')])
    // In Node it would have node:crypto make the key.
    forge.options.usePureJavaScript = true
    const { util } = forge
    const { sha256 } = forge.md
    const generate = promisify(forge.pki.rsa.generateKeyPair)
    const oaep = () => ['RSA-OAEP', { md: sha256.create(), mgf1: { md: sha256.create() } }]
    return {
      own: () => forgeKeys(forge, bits),
      generate: () => generate({ bits }),
      pair: ({ privateKey, publicKey }) => ({
        encrypt: (plaintext) => util.binary.raw.decode(publicKey.encrypt(util.binary.raw.encode(plaintext), ...oaep())),
        decrypt: (ciphertext) => util.binary.raw.decode(privateKey.decrypt(util.binary.raw.encode(ciphertext), ...oaep())),
      }),
    }
  },
}

const operation = (bits, verb, prepare) => ({
  name: `rsa/${bits}/${verb}`,
  async setUp(input, options) {
    const { library = 'sealstone' } = readOptions(options, ['library'])
    return prepare(await choose(LIBRARIES, library, 'library')(bits), input)
  },
})

const encrypts = ({ own, pair }, plaintext) => {
  const { encrypt, decrypt } = pair(own())
  return { run: () => encrypt(plaintext), reveal: decrypt, opens: decrypt }
}

const decrypts = ({ own, pair }, plaintext) => {
  const { encrypt, decrypt } = pair(own())
  const ciphertext = encrypt(plaintext)
  return { run: () => decrypt(ciphertext) }
}

/** A key is nobody's to see: the output is nothing, and all agree on the input, which the key encrypts and decrypts. */
const generates = ({ generate, pair }, plaintext) => {
  const nothing = new Uint8Array(0)
  let key
  const run = async () => {
    key = await generate()
    return nothing
  }
  const reveal = () => {
    const { encrypt, decrypt } = pair(key)
    return decrypt(encrypt(plaintext))
  }
  return { run, reveal }
}

export const rsaOperations = [2048, 4096].flatMap((bits) => [
  operation(bits, 'encrypt', encrypts),
  operation(bits, 'decrypt', decrypts),
  operation(bits, 'generate', generates),
])
