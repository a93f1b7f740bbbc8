// Digests and HMACs of a text as hexadecimal digits, as each library for JavaScript has them.

import { choose, readOptions } from './protocol.mjs'

const KEY = Uint8Array.from({ length: 32 }, (_, i) => i)

/** What makes the digits of a text's digest, or of its HMAC under `KEY`: both of the hash's name, or promised. */
const LIBRARIES = {
  async sealstone() {
    const { hashHex } = await import('../../../bindings/js/dist/hash.mjs')
    return {
      hash: (name) => (text) => hashHex(name, text),
      async hmac(name) {
        const { mac } = await import('../../../bindings/js/dist/mac.mjs')
        const key = mac(`hmac-${name}`, KEY)
        return (text) => key.signText(text)
      },
    }
  },
  async node() {
    const { createHmac, createSecretKey, getHashes, hash } = await import('node:crypto')
    const known = (name) => {
      const theirs = name === 'blake2b' ? 'blake2b512' : name
      choose(Object.fromEntries(getHashes().map((one) => [one, true])), theirs, 'hash')
      return theirs
    }
    return {
      hash(name) {
        const theirs = known(name)
        return (text) => hash(theirs, text)
      },
      hmac(name) {
        const [theirs, key] = [known(name), createSecretKey(KEY)]
        return (text) => createHmac(theirs, key).update(text).digest('hex')
      },
    }
  },
  /** Instances that are made once. */
  async 'hash-wasm'() {
    const { createBLAKE2b, createBLAKE3, createHMAC, createMD5, createSHA1, createSHA256, createSHA512, createSM3 } =
      await import('hash-wasm')
    const makers = {
      blake2b: createBLAKE2b,
      blake3: createBLAKE3,
      md5: createMD5,
      sha1: createSHA1,
      sha256: createSHA256,
      sha512: createSHA512,
      sm3: createSM3,
    }
    const digits = (instance) => (text) => instance.init().update(text).digest('hex')
    return {
      hash: async (name) => digits(await choose(makers, name, 'hash')()),
      hmac: async (name) => digits(await createHMAC(choose(makers, name, 'hash')(), KEY)),
    }
  },
  async webcrypto() {
    const { subtle } = globalThis.crypto
    const names = { sha1: 'SHA-1', sha256: 'SHA-256', sha512: 'SHA-512' }
    const encoder = new TextEncoder()
    const digits = (bytes) => Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join('')
    return {
      hash(name) {
        const theirs = choose(names, name, 'hash')
        return async (text) => digits(await subtle.digest(theirs, encoder.encode(text)))
      },
      async hmac(name) {
        const algorithm = { name: 'HMAC', hash: choose(names, name, 'hash') }
        const key = await subtle.importKey('raw', KEY, algorithm, false, ['sign'])
        return async (text) => digits(await subtle.sign('HMAC', key, encoder.encode(text)))
      },
    }
  },
  async noble() {
    const [{ blake2b }, { blake3 }, { hmac }, { md5, sha1 }, { sha256, sha512 }, { bytesToHex, utf8ToBytes }] =
      await Promise.all([
        import('@noble/hashes/blake2.js'),
        import('@noble/hashes/blake3.js'),
        import('@noble/hashes/hmac.js'),
        import('@noble/hashes/legacy.js'),
        import('@noble/hashes/sha2.js'),
        import('@noble/hashes/utils.js'),
      ])
    const functions = { blake2b, blake3, md5, sha1, sha256, sha512 }
    return {
      hash(name) {
        const hash = choose(functions, name, 'hash')
        return (text) => bytesToHex(hash(utf8ToBytes(text)))
      },
      hmac(name) {
        const hash = choose(functions, name, 'hash')
        return (text) => bytesToHex(hmac(hash, KEY, utf8ToBytes(text)))
      },
    }
  },
  async 'hash.js'() {
    const { default: hashes } = await import('hash.js')
    const { sha1, sha256, sha512 } = hashes
    const functions = { sha1, sha256, sha512 }
    return {
      hash(name) {
        const hash = choose(functions, name, 'hash')
        return (text) => hash().update(text).digest('hex')
      },
      hmac(name) {
        const hash = choose(functions, name, 'hash')
        return (text) => hashes.hmac(hash, KEY).update(text).digest('hex')
      },
    }
  },
  async 'crypto-js'() {
    const { default: CryptoJS } = await import('crypto-js')
    const { MD5, SHA1, SHA256, SHA512, HmacMD5, HmacSHA1, HmacSHA256, HmacSHA512 } = CryptoJS
    const key = CryptoJS.lib.WordArray.create(KEY)
    return {
      hash(name) {
        const hash = choose({ md5: MD5, sha1: SHA1, sha256: SHA256, sha512: SHA512 }, name, 'hash')
        return (text) => hash(text).toString()
      },
      hmac(name) {
        const hmac = choose({ md5: HmacMD5, sha1: HmacSHA1, sha256: HmacSHA256, sha512: HmacSHA512 }, name, 'hash')
        return (text) => hmac(text, key).toString()
      },
    }
  },
  async 'node-forge'() {
    const { default: forge } = await import('node-forge')
    const { md5, sha1, sha256, sha512 } = forge.md
    const functions = { md5, sha1, sha256, sha512 }
    return {
      hash(name) {
        const hash = choose(functions, name, 'hash')
        return (text) => hash.create().update(text, 'utf8').digest().toHex()
      },
      hmac(name) {
        // One that is kept remembers its key when it is started again without one.
        const hmac = forge.hmac.create()
        hmac.start(choose(functions, name, 'hash').create(), forge.util.binary.raw.encode(KEY))
        return (text) => {
          hmac.start(null, null)
          hmac.update(text)
          return hmac.digest().toHex()
        }
      },
    }
  },
}

const operations = (form, names) =>
  names.map((name) => ({
    name: `${form}-text/${name}`,
    async setUp(input, options) {
      const { library = 'sealstone', monitor } = readOptions(options, ['library', 'monitor'])
      await watch(monitor)
      const forms = await choose(LIBRARIES, library, 'library')()
      const digits = await forms[form](name)
      const text = asciiOf(input)
      return { run: () => digits(text) }
    },
  }))

/** What counts, if anything does. */
let counting

async function watch(monitor) {
  counting?.stop()
  counting = undefined
  if (monitor === undefined) return
  const { startMonitor } = await import('../../../bindings/js/dist/monitor.mjs')
  counting = startMonitor()
}

/** A character for each byte of the input. */
export function asciiOf(input) {
  const parts = []
  for (let at = 0; at < input.length; at += CHARACTERS) {
    parts.push(String.fromCharCode(...input.subarray(at, at + CHARACTERS).map((byte) => byte & 0x7f)))
  }
  return parts.join('')
}

/** What makes the input of that text again, and of any other text that text: contenders agree on the input. */
export function inputOf(input) {
  const text = asciiOf(input)
  return (found) => (found === text ? input : found)
}

/** As many as a call takes as its arguments. */
const CHARACTERS = 1 << 14

export const hashOperations = [
  ...operations('hash', ['md5', 'sha1', 'sha256', 'sha512', 'blake2b', 'blake3', 'sm3']),
  ...operations('hmac', ['md5', 'sha1', 'sha256', 'sha512']),
]
