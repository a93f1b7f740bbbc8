// A key of a password, as each library for JavaScript derives it. The input is the password.

import { choose, readOptions } from './protocol.mjs'

const SALT = Uint8Array.from({ length: 16 }, (_, i) => 0x40 + i)
const ITERATIONS = 100_000
const KEY_LEN = 32
const MEMORY_KIB = 65_536
const PASSES = 3
const SCRYPT = { logN: 15, r: 8, p: 1 }

/** What of these a library has: keys, or promises of them. */
const LIBRARIES = {
  async sealstone() {
    const { argon2id, pbkdf2, scrypt } = await import('../../../bindings/js/dist/kdf.mjs')
    return {
      pbkdf2: (password) => pbkdf2('sha256', password, SALT, { iterations: ITERATIONS, length: KEY_LEN }),
      scrypt: (password) => scrypt(password, SALT, { ...SCRYPT, length: KEY_LEN }),
      argon2id: (password, lanes) =>
        argon2id(password, SALT, { memoryKib: MEMORY_KIB, passes: PASSES, lanes, length: KEY_LEN }),
    }
  },
  /** Keys that were derived in the last five minutes are there. */
  async 'sealstone-cache'() {
    const { createKeyCache } = await import('../../../bindings/js/dist/kdf.mjs')
    const cache = createKeyCache()
    return {
      pbkdf2: (password) => cache.pbkdf2('sha256', password, SALT, { iterations: ITERATIONS, length: KEY_LEN }),
    }
  },
  async node() {
    const [crypto, { promisify }] = await Promise.all([import('node:crypto'), import('node:util')])
    const [pbkdf2, scrypt] = [promisify(crypto.pbkdf2), promisify(crypto.scrypt)]
    const cost = { N: 2 ** SCRYPT.logN, r: SCRYPT.r, p: SCRYPT.p, maxmem: 128 << 20 }
    return {
      pbkdf2: (password) => pbkdf2(password, SALT, ITERATIONS, KEY_LEN, 'sha256'),
      scrypt: (password) => scrypt(password, SALT, KEY_LEN, cost),
    }
  },
  async 'hash-wasm'() {
    const { argon2id, createSHA256, pbkdf2, scrypt } = await import('hash-wasm')
    const told = (password) => ({ password, salt: SALT, hashLength: KEY_LEN, outputType: 'binary' })
    return {
      pbkdf2: (password) => pbkdf2({ ...told(password), iterations: ITERATIONS, hashFunction: createSHA256() }),
      scrypt: (password) =>
        scrypt({ ...told(password), costFactor: 2 ** SCRYPT.logN, blockSize: SCRYPT.r, parallelism: SCRYPT.p }),
      argon2id: (password, lanes) =>
        argon2id({ ...told(password), parallelism: lanes, iterations: PASSES, memorySize: MEMORY_KIB }),
    }
  },
  /** The reference in C, on threads of its own. */
  async argon2() {
    const { default: argon2 } = await import('argon2')
    const told = { raw: true, salt: Buffer.from(SALT), hashLength: KEY_LEN, type: argon2.argon2id }
    return {
      argon2id: (password, lanes) =>
        argon2.hash(password, { ...told, memoryCost: MEMORY_KIB, timeCost: PASSES, parallelism: lanes }),
    }
  },
  async 'crypto-js'() {
    const { default: CryptoJS } = await import('crypto-js')
    const { algo, lib, PBKDF2 } = CryptoJS
    const told = { keySize: KEY_LEN / 4, iterations: ITERATIONS, hasher: algo.SHA256 }
    const salt = lib.WordArray.create(SALT)
    return {
      pbkdf2(password) {
        const { words } = PBKDF2(lib.WordArray.create(password), salt, told)
        return Uint8Array.from({ length: KEY_LEN }, (_, i) => words[i >> 2] >>> (24 - 8 * (i % 4)))
      },
    }
  },
}

const operation = (name, kdf, run) => ({
  name: `kdf/${name}`,
  async setUp(input, options) {
    const { library = 'sealstone' } = readOptions(options, ['library'])
    const derive = choose(await choose(LIBRARIES, library, 'library')(), kdf, 'function')
    const password = Buffer.from(input)
    return { run: () => run(derive, password) }
  },
})

const AT_ONCE = 8

export const kdfOperations = [
  operation('pbkdf2-sha256', 'pbkdf2', (derive, password) => derive(password)),
  operation('pbkdf2-sha256/eight', 'pbkdf2', (derive, password) =>
    Promise.all(Array.from({ length: AT_ONCE }, () => derive(password))),
  ),
  operation('scrypt', 'scrypt', (derive, password) => derive(password)),
  operation('argon2id', 'argon2id', (derive, password) => derive(password, 1)),
  operation('argon2id/four-lanes', 'argon2id', (derive, password) => derive(password, 4)),
]
