// Payloads in the way of FISE: a text becomes an envelope, and an envelope its text, with each library that somebody would take.

import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'
import CryptoJS from 'crypto-js'
import * as sealstone from '../../../bindings/js/dist/fise.mjs'
import * as reference from './fise_reference.mjs'
import { readOptions, Unsupported } from './protocol.mjs'

/** Minutes, as its users give them. */
const OPTIONS = { timestamp: 29_400_000 }
const KEY = Uint8Array.from({ length: 32 }, (_, i) => i)
const KEY_WORDS = CryptoJS.lib.WordArray.create(KEY)

/** Of so many envelopes one after the other is decrypted: what FISE takes for one depends on the length of its salt. */
const ENVELOPES = 64

/** The same for all libraries with FISE's format. 37 and 90 have no common divisor, so any few in a row have lengths from all of 10 to 99. */
const SALTS = Array.from({ length: ENVELOPES }, (_, i) => {
  const bytes = createHash('shake256', { outputLength: 10 + ((i * 37) % 90) }).update(String(i)).digest()
  return Array.from(bytes, (byte) => (byte % 36).toString(36)).join('')
})

/** `text` and back, and where a library has a form for bytes, `bytes` and back. */
const LIBRARIES = {
  sealstone: fise(sealstone, sealstone.defaultRules),
  'fise-reference': fise(reference, reference.defaultRules),
  'crypto-js': {
    text: {
      encrypt(text) {
        const iv = CryptoJS.lib.WordArray.random(16)
        const { ciphertext } = CryptoJS.AES.encrypt(text, KEY_WORDS, { iv })
        return CryptoJS.enc.Base64.stringify(iv.concat(ciphertext))
      },
      decrypt(envelope) {
        const { words, sigBytes } = CryptoJS.enc.Base64.parse(envelope)
        const iv = CryptoJS.lib.WordArray.create(words.slice(0, 4))
        const ciphertext = CryptoJS.lib.WordArray.create(words.slice(4), sigBytes - 16)
        return CryptoJS.AES.decrypt({ ciphertext }, KEY_WORDS, { iv }).toString(CryptoJS.enc.Utf8)
      },
    },
  },
  node: {
    text: {
      encrypt(text) {
        const nonce = randomBytes(12)
        const cipher = createCipheriv('aes-256-gcm', KEY, nonce)
        return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]).toString('base64')
      },
      decrypt(envelope) {
        const bytes = Buffer.from(envelope, 'base64')
        const cipher = createDecipheriv('aes-256-gcm', KEY, bytes.subarray(0, 12), { authTagLength: 16 })
        cipher.setAuthTag(bytes.subarray(-16))
        return Buffer.concat([cipher.update(bytes.subarray(12, -16)), cipher.final()]).toString('utf8')
      },
    },
  },
}

function fise({ fiseEncrypt, fiseDecrypt, fiseBinaryEncrypt, fiseBinaryDecrypt }, rules) {
  return {
    text: {
      encrypt: (text) => flat(fiseEncrypt(text, rules, OPTIONS)),
      decrypt: (envelope) => flat(fiseDecrypt(envelope, rules, OPTIONS)),
      // As it comes from a network, in one piece.
      envelopes: (text) => SALTS.map((salt) => Buffer.from(reference.envelopeOf(text, salt, reference.defaultRules, OPTIONS)).toString('latin1')),
    },
    bytes: {
      encrypt: (data) => fiseBinaryEncrypt(data, rules, OPTIONS),
      decrypt: (envelope) => fiseBinaryDecrypt(envelope, rules, OPTIONS),
      envelopes: (data) => SALTS.map((salt) => reference.binaryEnvelopeOf(data, salt, reference.defaultRules, OPTIONS)),
    },
  }
}

/** A string that was put together is copied when it is first used; that is a part of making it. */
function flat(text) {
  text.charCodeAt(0)
  return text
}

/** A character for each byte of the input, so that a size is a number of characters. */
const CONTENTS = {
  ascii: { form: 'text', of: (input) => Buffer.from(input.map((byte) => byte & 0x7f)).toString('latin1') },
  // Every other character is a Chinese one.
  unicode: { form: 'text', of: (input) => [...input].map((byte, i) => String.fromCharCode(i % 2 ? byte & 0x7f : 0x4e00 + byte * 80)).join('') },
  binary: { form: 'bytes', of: (input) => new Uint8Array(input) },
}

const isSame = (a, b) => (typeof a === 'string' ? a === b : Buffer.compare(a, b) === 0)

export const fiseOperations = Object.entries(CONTENTS).flatMap(([name, { form, of }]) => {
  const setUp = (prepare) => (input, options) => {
    const { library = 'sealstone' } = readOptions(options, ['library'])
    const functions = LIBRARIES[library]?.[form]
    if (functions === undefined) throw new Unsupported(`${library} has no ${form}`)
    const plaintext = of(input)
    // The digest is the input's where the plaintext is the one that was made of it.
    return prepare(functions, plaintext, (opened) => (isSame(opened, plaintext) ? input : opened))
  }
  return [
    {
      name: `fise/${name}/encrypt`,
      setUp: setUp(({ encrypt, decrypt }, plaintext, inputOf) => ({
        run: () => encrypt(plaintext),
        reveal: (output) => inputOf(decrypt(output)),
      })),
    },
    {
      name: `fise/${name}/decrypt`,
      setUp: setUp(({ encrypt, decrypt, envelopes }, plaintext, inputOf) => {
        const made = envelopes?.(plaintext) ?? SALTS.map(() => encrypt(plaintext))
        let next = 0
        return { run: () => decrypt(made[next++ % ENVELOPES]), reveal: inputOf }
      }),
    },
  ]
})
