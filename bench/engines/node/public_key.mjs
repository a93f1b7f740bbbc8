// Data to a public key and back: Sealstone's format, those of @yuants/utils and of age, and beside them what has a key already.

import { choose, readOptions } from './protocol.mjs'
import { yuants } from './yuants.mjs'

/** Forms of each library: from bytes to a result, or to a promise of one. */
const LIBRARIES = {
  async sealstone({ recipient = 'x25519', suite, workers }) {
    const { decrypt, decryptSync, encrypt, encryptSync, generateIdentity, openMessageSync, recipientOf, sealMessageSync } =
      await import('../../../bindings/js/dist/index.mjs')
    await crewOf(workers)
    const identities = generateIdentity(recipient)
    const recipients = recipientOf(identities)
    const key = crypto.getRandomValues(new Uint8Array(32))
    return {
      async: {
        encrypt: (data) => encrypt(data, { recipients }),
        decrypt: (file) => decrypt(file, { identities }),
      },
      sync: {
        encrypt: (data) => encryptSync(data, { recipients }),
        decrypt: (file) => decryptSync(file, { identities }),
      },
      message: {
        encrypt: (data) => sealMessageSync(recipients, data),
        decrypt: (message) => openMessageSync(identities, message),
      },
      /** To a symmetric key. */
      key: {
        encrypt: (data) => encrypt(data, { key, suite }),
        decrypt: (file) => decrypt(file, { key }),
      },
    }
  },
  'sealstone-compat': async () => forms(await import('../../../bindings/js/dist/compat/yuants.mjs')),
  'yuants-reference': async () => forms(await import('./yuants_reference.mjs')),
  async 'age-encryption'({ recipient = 'x25519' }) {
    const age = await import('age-encryption')
    const generate = { x25519: age.generateX25519Identity, hybrid: age.generateHybridIdentity }
    const identity = await choose(generate, recipient, 'recipient')()
    const [encrypter, decrypter] = [new age.Encrypter(), new age.Decrypter()]
    encrypter.addRecipient(await age.identityToRecipient(identity))
    decrypter.addIdentity(identity)
    return {
      async: {
        encrypt: (data) => encrypter.encrypt(data),
        decrypt: (file) => decrypter.decrypt(file),
      },
    }
  },
  async 'libsodium-wrappers'({ recipient = 'x25519' }) {
    choose({ x25519: true }, recipient, 'recipient')
    const { default: sodium } = await import('libsodium-wrappers')
    await sodium.ready
    const { publicKey, privateKey } = sodium.crypto_box_keypair()
    return {
      sync: {
        encrypt: (data) => sodium.crypto_box_seal(data, publicKey),
        decrypt: (sealed) => sodium.crypto_box_seal_open(sealed, publicKey, privateKey),
      },
    }
  },
  async 'node-chunks'() {
    const { chunks } = await import('./node_crypto.mjs')
    return { sync: chunks() }
  },
  /** AES-256-GCM in one call, under a key that is there. */
  async webcrypto() {
    const { subtle } = crypto
    const key = await subtle.generateKey({ name: 'AES-GCM', length: 256 }, false, ['encrypt', 'decrypt'])
    const algorithm = { name: 'AES-GCM', iv: new Uint8Array(12) }
    return {
      async: {
        encrypt: (data) => subtle.encrypt(algorithm, key, data),
        decrypt: (sealed) => subtle.decrypt(algorithm, key, sealed),
      },
    }
  },
  /** AES-256-CBC from bytes to bytes, under a key that is there. */
  async 'crypto-js'() {
    const { default: CryptoJS } = await import('crypto-js')
    const wordsOf = (bytes) => CryptoJS.lib.WordArray.create(bytes)
    const bytesOf = ({ words, sigBytes }) => {
      const bytes = new Uint8Array(sigBytes)
      for (let i = 0; i < sigBytes; i++) bytes[i] = words[i >>> 2] >>> (24 - 8 * (i & 3))
      return bytes
    }
    const key = CryptoJS.lib.WordArray.random(32)
    return {
      sync: {
        encrypt(data) {
          const iv = CryptoJS.lib.WordArray.random(16)
          return bytesOf(iv.concat(CryptoJS.AES.encrypt(wordsOf(data), key, { iv }).ciphertext))
        },
        decrypt(sealed) {
          const [iv, ciphertext] = [wordsOf(sealed.subarray(0, 16)), wordsOf(sealed.subarray(16))]
          return bytesOf(CryptoJS.AES.decrypt({ ciphertext }, key, { iv }))
        },
      },
    }
  },
}

/** The web workers of a page. */
let crew

async function crewOf(count) {
  crew?.stop()
  if (count === undefined) return
  const { startWorkers } = await import('../../../bindings/js/dist/workers.mjs')
  crew = await startWorkers({ count: Number(count) })
}

function forms(module) {
  const { box, hybrid } = yuants(module)
  return { sync: box, async: hybrid }
}

/** Forms of a library. */
export const formsOf = (library, told) => choose(LIBRARIES, library, 'library')(told)

const operation = (name, prepare, told = {}) => ({
  name,
  async setUp(input, options) {
    const ours = (options.library ?? 'sealstone') === 'sealstone' ? ['suite', 'workers'] : []
    const known = ['library', 'form', ...ours, ...(told.recipient === undefined ? ['recipient'] : [])]
    const { library = 'sealstone', form = 'async', ...others } = readOptions(options, known)
    const forms = await formsOf(library, { ...others, ...told })
    return prepare(choose(forms, form, 'form'), input)
  },
})

/** Bytes of a message in a batch. */
const ITEM_LEN = 100

const batchOperation = (name, prepare) => ({
  name: `public-key/batch/${name}`,
  async setUp(input, options) {
    const { form = 'batch' } = readOptions(options, ['form'])
    const { decryptBatch, decryptSync, encryptBatch, encryptSync, generateIdentity, recipientOf } = await import(
      '../../../bindings/js/dist/index.mjs'
    )
    const identities = generateIdentity('x25519')
    const recipients = recipientOf(identities)
    const forms = {
      batch: {
        encrypt: async (items) => allOf(await encryptBatch(items, { recipients })),
        decrypt: async (files) => allOf(await decryptBatch(files, { identities })),
      },
      'one-by-one': {
        encrypt: (items) => items.map((item) => encryptSync(item, { recipients })),
        decrypt: (files) => files.map((file) => decryptSync(file, { identities })),
      },
    }
    const count = Math.ceil(input.length / ITEM_LEN)
    const items = Array.from({ length: count }, (_, i) => input.subarray(i * ITEM_LEN, (i + 1) * ITEM_LEN))
    return { units: count, ...(await prepare(choose(forms, form, 'form'), items)) }
  },
})

/** The results of a batch, none of which failed. */
function allOf(results) {
  for (const result of results) if (result instanceof Error) throw result
  return results
}

const toKey = ({ encrypt, decrypt }, input) => ({ run: () => encrypt(input), reveal: decrypt })

async function fromKey({ encrypt, decrypt }, input) {
  const sealed = await encrypt(input)
  return { run: () => decrypt(sealed) }
}

export const publicKeyOperations = [
  operation('public-key/encrypt', toKey),
  operation('public-key/decrypt', fromKey),
  batchOperation('encrypt', toKey),
  batchOperation('decrypt', fromKey),
  ...['x25519', 'hybrid'].flatMap((recipient) => [
    operation(`kem/${recipient}/encrypt`, toKey, { recipient }),
    operation(`kem/${recipient}/decrypt`, fromKey, { recipient }),
  ]),
]
