// What programs call of @ldesign/crypto, which gives the text of a key in each call: by sealstone/compat/ldesign, in the way that theirs
// goes over crypto-js, and with keys of our own API.

import { asciiOf, inputOf } from './hash.mjs'
import { choose, readOptions, Unsupported } from './protocol.mjs'

/** A password: a key of theirs is derived from it, and kept. */
const KEY = 'correct horse battery staple'
/** The option `key` says which: nothing is derived of digits. */
const KEYS = { password: KEY, digits: '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f' }
const ITERATIONS = 100_000

const compat = () => import('../../../bindings/js/dist/compat/ldesign.mjs')
const reference = () => import('./ldesign_reference.mjs')

/** The key that all derive from the password, as bytes. */
async function derivedKey(length) {
  const [{ pbkdf2 }, { hash }] = await Promise.all([
    import('../../../bindings/js/dist/kdf.mjs'),
    import('../../../bindings/js/dist/hash.mjs'),
  ])
  return pbkdf2('sha256', KEY, hash('sha256', KEY), { iterations: ITERATIONS, length })
}

/** What encrypts a text to an object that has `iv` and `data`, and decrypts that to one that has `data`. */
const byAes = ({ aes }, { key, ...told }) => ({
  encrypt: (text) => aes.encrypt(text, key, told),
  decrypt: (result) => aes.decrypt(result, key),
})
/** The same by WebCrypto. */
const byWebCrypto = ({ webcrypto: { aes, gcm } }, { key, ...told }) =>
  told.mode === 'GCM'
    ? { encrypt: (text) => gcm.encrypt(text, key), decrypt: (result) => gcm.decrypt(result, key) }
    : { encrypt: (text) => aes.encrypt(text, key, told), decrypt: (result) => aes.decrypt(result, key, told) }
/** AES has no GCM in theirs but by WebCrypto. */
const named = (functions, told) => (told.mode === 'GCM' ? byWebCrypto : byAes)(functions, told)

const CIPHERS = {
  sealstone: async (told) => named(await compat(), told),
  'sealstone-webcrypto': async (told) => byWebCrypto(await compat(), told),
  'ldesign-reference': async (told) => named(await reference(), told),
  'ldesign-reference-webcrypto': async (told) => byWebCrypto(await reference(), told),
  /** A key that is ready, as a program has it that was written for it. */
  async 'sealstone-key'({ mode, keySize }) {
    const [bytes, { randomBytes }] = [await derivedKey(keySize / 8), await import('../../../bindings/js/dist/random.mjs')]
    if (mode === 'GCM') {
      const { aead } = await import('../../../bindings/js/dist/aead.mjs')
      const key = aead('aes-256-gcm', bytes)
      return {
        encrypt(text) {
          const iv = randomBytes(12)
          return { iv, data: key.sealText(iv, undefined, text) }
        },
        decrypt: ({ iv, data }) => ({ data: key.openText(iv, undefined, data) }),
      }
    }
    // CTR has padding in theirs, and none in ours.
    const ours = choose({ CBC: 'cbc' }, mode, 'mode')
    const { cipher } = await import('../../../bindings/js/dist/hazmat.mjs')
    const key = cipher(`aes-${keySize}-${ours}`, bytes)
    return {
      encrypt(text) {
        const iv = randomBytes(16)
        return { iv, data: key.encryptText(iv, text) }
      },
      decrypt: ({ iv, data }) => ({ data: key.decryptText(iv, data) }),
    }
  },
}

const hexOf = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
const bytesOfHex = (digits) => Uint8Array.from(digits.match(/../g), (byte) => Number.parseInt(byte, 16))

/** A result as its IV in digits, and its ciphertext. */
const written = ({ iv, data }) => [typeof iv === 'string' ? iv : hexOf(iv), data]
const textOf = ({ data }) => data

const cipherOperation = (algorithm, [mode, keySize, ivLen], verb, prepare) => ({
  name: `ldesign/${algorithm}/${verb}`,
  async setUp(input, options) {
    const { library = 'sealstone', key = 'password' } = readOptions(options, ['library', 'key'])
    const ciphers = await choose(CIPHERS, library, 'library')({ mode, keySize, key: choose(KEYS, key, 'key') })
    /** What another library wrote. */
    const read = (bytes) => {
      const all = new TextDecoder().decode(bytes)
      const [digits, data] = [all.slice(0, 2 * ivLen), all.slice(2 * ivLen)]
      const iv = library === 'sealstone-key' ? bytesOfHex(digits) : digits
      return { success: true, data, algorithm: mode === 'GCM' ? 'AES-GCM' : 'AES', mode, keySize, iv }
    }
    return prepare(ciphers, input, read)
  },
})

const encrypts = ({ encrypt, decrypt }, input, read) => {
  const [text, found] = [asciiOf(input), inputOf(input)]
  return {
    run: () => encrypt(text),
    written,
    reveal: async (result) => found(textOf(await decrypt(result))),
    opens: async (bytes) => found(textOf(await decrypt(read(bytes)))),
  }
}

const decrypts = async ({ encrypt, decrypt }, input) => {
  const [result, found] = [await encrypt(asciiOf(input)), inputOf(input)]
  return { run: () => decrypt(result), written: textOf, reveal: (result) => found(textOf(result)) }
}

const ALGORITHMS = {
  'aes-128-cbc': ['CBC', 128, 16],
  'aes-256-cbc': ['CBC', 256, 16],
  'aes-256-ctr': ['CTR', 256, 16],
  'aes-256-gcm': ['GCM', 256, 12],
}

const LIBRARIES = {
  sealstone: compat,
  'ldesign-reference': reference,
  'ldesign-reference-1': async () => (await reference()).version1,
}

/** What a program does in a moment. */
const THOUSAND = 1000

/** What a function makes of the text: once, and a thousand times, one call after the other. */
function textOperations(name, prepare) {
  const operation = (name, repeated) => ({
    name: `ldesign/${name}`,
    async setUp(input, options) {
      const { library = 'sealstone' } = readOptions(options, ['library'])
      const make = prepare(await choose(LIBRARIES, library, 'library')())
      if (make === undefined) throw new Unsupported(`it has no ${name} here`)
      const text = asciiOf(input)
      return repeated(() => make(text))
    },
  })
  const thousand = (make) => {
    let made
    const run = () => {
      for (let i = 0; i < THOUSAND; i++) made = make()
      return made
    }
    return { run, units: THOUSAND }
  }
  return [operation(name, (run) => ({ run })), operation(`${name}/thousand`, thousand)]
}

/** Texts of a batch, one behind the other in the input. */
const ITEM_LEN = 50

/** What encrypts all of them, and decrypts one result. */
const BATCHES = {
  sealstone: async () => managed(await compat()),
  'sealstone-one-by-one': async () => oneByOne(await compat()),
  'ldesign-reference': async () => managed(await reference()),
  'ldesign-reference-one-by-one': async () => oneByOne(await reference()),
  async 'sealstone-key'() {
    const { aead } = await import('../../../bindings/js/dist/aead.mjs')
    const key = aead('aes-256-gcm', await derivedKey(32))
    const decoder = new TextDecoder()
    return {
      encrypt: (texts) => key.sealBatch(texts),
      written: (sealed) => sealed,
      decrypt: (sealed) => key.openBatch(sealed).map((bytes) => decoder.decode(bytes)),
    }
  },
}

/** A manager for each batch: theirs would have the results of the one before. */
const managed = ({ CryptoManager, aes }) => ({
  encrypt: (texts) =>
    new CryptoManager().batchEncrypt(texts.map((data, i) => ({ id: `${i}`, data, key: KEY, algorithm: 'AES' }))),
  written: (results) => results.flatMap(({ result }) => written(result)),
  decrypt: (results) => results.map(({ result }) => textOf(aes.decrypt(result, KEY))),
})

const oneByOne = ({ aes }) => ({
  encrypt: (texts) => texts.map((text) => aes.encrypt(text, KEY)),
  written: (results) => results.flatMap(written),
  decrypt: (results) => results.map((result) => textOf(aes.decrypt(result, KEY))),
})

const batchOperation = {
  name: 'ldesign/batch/encrypt',
  async setUp(input, options) {
    const { library = 'sealstone' } = readOptions(options, ['library'])
    const { encrypt, written, decrypt } = await choose(BATCHES, library, 'library')()
    const [all, found] = [asciiOf(input), inputOf(input)]
    const texts = Array.from({ length: Math.ceil(all.length / ITEM_LEN) }, (_, i) => all.slice(i * ITEM_LEN, (i + 1) * ITEM_LEN))
    const reveal = (results) => found(decrypt(results).join(''))
    return { units: texts.length, run: () => encrypt(texts), written, reveal }
  },
}

/** Passwords of a program that has just begun. */
const PASSWORDS = Array.from({ length: 8 }, (_, i) => `${KEY} ${i}`)

/** What encrypts a text under each of some passwords, though no key of theirs was derived before. */
const BEGINNINGS = {
  /** All are derived at once, before they are used. */
  async sealstone() {
    const { AESEncryptor, aes, prepare } = await compat()
    return {
      async encrypt(text, passwords) {
        AESEncryptor.cleanup()
        await prepare(passwords)
        return passwords.map((key) => aes.encrypt(text, key))
      },
      decrypt: aes.decrypt,
    }
  },
  async 'sealstone-one-by-one'() {
    const { AESEncryptor, aes } = await compat()
    return forgetting(AESEncryptor.cleanup, aes)
  },
  async 'ldesign-reference'() {
    const { aes, forgetKeys } = await reference()
    return forgetting(forgetKeys, aes)
  },
}

const forgetting = (forget, { encrypt, decrypt }) => ({
  encrypt(text, passwords) {
    forget()
    return passwords.map((key) => encrypt(text, key))
  },
  decrypt,
})

const beginningOperation = (name, passwords) => ({
  name: `ldesign/${name}/encrypt`,
  async setUp(input, options) {
    const { library = 'sealstone' } = readOptions(options, ['library'])
    const { encrypt, decrypt } = await choose(BEGINNINGS, library, 'library')()
    const [text, found] = [asciiOf(input), inputOf(input)]
    return {
      run: () => encrypt(text, passwords),
      written: (results) => results.flatMap(written),
      // Each of them is the text.
      reveal: (results) => [...new Set(results.map((result, i) => found(textOf(decrypt(result, passwords[i])))))],
    }
  },
})

export const ldesignOperations = [
  ...Object.entries(ALGORITHMS).flatMap(([algorithm, told]) => [
    cipherOperation(algorithm, told, 'encrypt', encrypts),
    cipherOperation(algorithm, told, 'decrypt', decrypts),
  ]),
  ...['md5', 'sha1', 'sha256', 'sha512', 'blake2b'].flatMap((name) => textOperations(`hash/${name}`, ({ hash }) => hash[name])),
  ...['md5', 'sha256', 'sha512'].flatMap((name) =>
    textOperations(`hmac/${name}`, ({ hmac }) => (text) => hmac[name](text, KEY)),
  ),
  ...textOperations('base64', ({ base64 }) => base64.encode),
  batchOperation,
  beginningOperation('first', PASSWORDS),
  beginningOperation('forgotten', [KEY]),
]
