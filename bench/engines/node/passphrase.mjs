// The input to a passphrase and back, by Argon2id with 64 MiB, three passes and one lane.

import { choose, readOptions } from './protocol.mjs'

const PASSPHRASE = 'correct horse battery staple'

/** Forms of each library: from bytes to a result, or to a promise of one. */
const LIBRARIES = {
  async sealstone() {
    const { decrypt, decryptSync, encrypt, encryptSync } = await import('../../../bindings/js/dist/index.mjs')
    const told = { passphrase: PASSPHRASE }
    return {
      async: { encrypt: (data) => encrypt(data, told), decrypt: (file) => decrypt(file, told) },
      sync: { encrypt: (data) => encryptSync(data, told), decrypt: (file) => decryptSync(file, told) },
    }
  },
  /** Its Argon2id, and WebCrypto's AES-256-GCM under the key: salt, nonce and sealed data. */
  async 'hash-wasm'() {
    const { argon2id } = await import('hash-wasm')
    const { subtle } = crypto
    const aes = async (salt, iv, use) => {
      const cost = { parallelism: 1, iterations: 3, memorySize: 64 << 10, hashLength: 32, outputType: 'binary' }
      const bytes = await argon2id({ password: PASSPHRASE, salt, ...cost })
      return [{ name: 'AES-GCM', iv }, await subtle.importKey('raw', bytes, 'AES-GCM', false, [use])]
    }
    return {
      async: {
        async encrypt(data) {
          const [salt, iv] = [16, 12].map((length) => crypto.getRandomValues(new Uint8Array(length)))
          return [salt, iv, await subtle.encrypt(...(await aes(salt, iv, 'encrypt')), data)]
        },
        decrypt: async ([salt, iv, sealed]) => subtle.decrypt(...(await aes(salt, iv, 'decrypt')), sealed),
      },
    }
  },
}

const operation = (name, prepare) => ({
  name: `passphrase/${name}`,
  async setUp(input, options) {
    const { library = 'sealstone', form = 'async' } = readOptions(options, ['library', 'form'])
    const forms = await choose(LIBRARIES, library, 'library')()
    return prepare(choose(forms, form, 'form'), input)
  },
})

export const passphraseOperations = [
  operation('encrypt', ({ encrypt, decrypt }, input) => ({ run: () => encrypt(input), reveal: decrypt })),
  operation('decrypt', async ({ encrypt, decrypt }, input) => {
    const sealed = await encrypt(input)
    return { run: () => decrypt(sealed) }
  }),
]
