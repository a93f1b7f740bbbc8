// SM4 in modes, as each library for JavaScript has it, with the key and the IV of the Go study.

import { sealstone } from './aead.mjs'
import { choose, readOptions, whole } from './protocol.mjs'

const KEY = new TextEncoder().encode('1234567890abcdef')
const IV = new TextEncoder().encode('fedcba0987654321')
const NONCE = Uint8Array.from({ length: 12 }, (_, i) => 0x40 + i)
const BLOCK_LEN = 16
const TAG_LEN = 16

/** Modes of each library: what it does with a plaintext and a ciphertext, as trials for the protocol. None of them pads. */
const LIBRARIES = {
  async sealstone() {
    const [{ aead }, { cipher }] = await Promise.all([
      import('../../../bindings/js/dist/aead.mjs'),
      import('../../../bindings/js/dist/hazmat.mjs'),
    ])
    const options = { padding: false }
    const mode = (name) => {
      const key = cipher(name, KEY)
      return {
        encrypt: (plaintext) => ({ run: () => key.encrypt(IV, plaintext, options) }),
        decrypt: (ciphertext) => ({ run: () => key.decrypt(IV, ciphertext, options) }),
      }
    }
    return { cbc: mode('sm4-cbc'), ctr: mode('sm4-ctr'), gcm: sealstone(aead('sm4-gcm', KEY), NONCE) }
  },
  /** Into one buffer again and again. */
  async 'sealstone-into'() {
    const { cipher } = await import('../../../bindings/js/dist/hazmat.mjs')
    const mode = (name) => {
      const key = cipher(name, KEY)
      const into = (method) => (data) => {
        const out = new Uint8Array(data.length)
        const run = () => {
          key[method](IV, data, out)
          return out
        }
        return { run }
      }
      return { encrypt: into('encryptInto'), decrypt: into('decryptInto') }
    }
    return { cbc: mode('sm4-cbc'), ctr: mode('sm4-ctr') }
  },
  async node() {
    const { mode } = await import('./node_crypto.mjs')
    return { cbc: mode('sm4-cbc', KEY, IV), ctr: mode('sm4-ctr', KEY, IV) }
  },
  async 'sm-crypto'() {
    const { default: { sm4 } } = await import('sm-crypto')
    return { cbc: smCryptoCbc(sm4) }
  },
  async 'sm-crypto-v2'() {
    const { sm4 } = await import('sm-crypto-v2')
    const options = { mode: 'gcm', iv: NONCE, output: 'array' }
    return {
      cbc: smCryptoCbc(sm4),
      ctr: { encrypt: counted(sm4), decrypt: counted(sm4) },
      gcm: {
        seal: (plaintext) => ({
          run() {
            const { output, tag } = sm4.encrypt(plaintext, KEY, { ...options, outputTag: true })
            return [output, tag]
          },
        }),
        open(sealed) {
          const [ciphertext, tag] = [sealed.subarray(0, -TAG_LEN), sealed.subarray(-TAG_LEN)]
          return { run: () => sm4.decrypt(ciphertext, KEY, { ...options, tag }) }
        },
      },
    }
  },
}

function smCryptoCbc(sm4) {
  const options = { mode: 'cbc', iv: [...IV], padding: 'none', output: 'array' }
  const key = [...KEY]
  return {
    encrypt: (plaintext) => ({ run: () => fromNumbers(sm4.encrypt(plaintext, key, options)) }),
    decrypt: (ciphertext) => ({ run: () => fromNumbers(sm4.decrypt(ciphertext, key, options)) }),
  }
}

/** It has no CTR: counters go through its ECB, and become the output by XOR, as whoever needs CTR would write it. */
const counted = (sm4) => (data) => ({
  run() {
    const counters = new Uint8Array(Math.ceil(data.length / BLOCK_LEN) * BLOCK_LEN)
    const counter = IV.slice()
    for (let at = 0; at < counters.length; at += BLOCK_LEN) {
      counters.set(counter, at)
      for (let i = BLOCK_LEN - 1; i >= 0; i--) {
        counter[i]++
        if (counter[i] !== 0) break
      }
    }
    const out = sm4.encrypt(counters, KEY, { padding: 'none', output: 'array' }).subarray(0, data.length)
    for (let i = 0; i < out.length; i++) out[i] ^= data[i]
    return out
  },
})

/** Arrays of numbers, which sm-crypto gives, become bytes: that is what it is asked for. */
const fromNumbers = (output) => (Array.isArray(output) ? Uint8Array.from(output) : output)

/** The input, and zeros until it is whole blocks. */
function inBlocks(input) {
  const out = new Uint8Array(Math.ceil(input.length / BLOCK_LEN) * BLOCK_LEN)
  out.set(input)
  return out
}

const operation = (mode, name, prepare) => ({
  name: `sm4/${mode}/${name}`,
  async setUp(input, options) {
    const { library = 'sealstone' } = readOptions(options, ['library'])
    const modes = await choose(LIBRARIES, library, 'library')()
    return prepare(choose(modes, mode, 'mode'), mode === 'cbc' ? inBlocks(input) : input)
  },
})

export const sm4Operations = [
  ...['cbc', 'ctr'].flatMap((mode) => [
    operation(mode, 'encrypt', ({ encrypt }, plaintext) => encrypt(plaintext)),
    // Of a library's own ciphertext: where two differ, so do the outputs of `encrypt`.
    operation(mode, 'decrypt', ({ encrypt, decrypt }, plaintext) => decrypt(whole(encrypt(plaintext).run()))),
  ]),
  operation('gcm', 'seal', ({ seal }, plaintext) => seal(plaintext)),
  operation('gcm', 'open', ({ seal, open }, plaintext) => open(whole(seal(plaintext).run()))),
]
