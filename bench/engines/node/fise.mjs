// Payloads in the way of FISE: a text becomes an envelope, and an envelope its text, with each library that somebody would take.

import { createCipheriv, createDecipheriv, createHash, randomBytes, webcrypto } from 'node:crypto'
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

/**
 * The salts of those envelopes, the same for all libraries with FISE's format. 37 has no divisor in common with 90 or 131, so that any few in
 * a row have lengths of the whole range.
 */
const saltsOf = ({ min, max }) =>
  Array.from({ length: ENVELOPES }, (_, i) => {
    const bytes = createHash('shake256', { outputLength: min + ((i * 37) % (max - min + 1)) }).update(String(i)).digest()
    return Array.from(bytes, (byte) => (byte % 36).toString(36)).join('')
  })

/** What is changed in a copy of the default rules, as FISE's documentation has it. */
const CHANGES = {
  none: {},
  offset: { offset: (cipherText, { timestamp = 0 }) => (cipherText.length * 13 + (timestamp % 17)) % (cipherText.length || 1) },
  marker: {
    encodeLength: (length) => length.toString(16).padStart(3, '0'),
    decodeLength: (marker) => Number.parseInt(marker, 16),
  },
  range: { saltRange: { min: 20, max: 150 } },
}

/** `text` and back, and where a library has a form for bytes, `bytes` and back. */
const LIBRARIES = {
  sealstone: fise(sealstone),
  'fise-reference': fise(reference),
  'crypto-js': {
    text: () => ({
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
    }),
  },
  node: {
    text: () => ({
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
    }),
  },
  /** Its calls promise, one after the other. */
  webcrypto: {
    async text() {
      const { subtle } = webcrypto
      const key = await subtle.importKey('raw', KEY, 'AES-GCM', false, ['encrypt', 'decrypt'])
      return {
        async encrypt(text) {
          const iv = webcrypto.getRandomValues(new Uint8Array(12))
          const sealed = await subtle.encrypt({ name: 'AES-GCM', iv }, key, Buffer.from(text))
          return Buffer.concat([iv, new Uint8Array(sealed)]).toString('base64')
        },
        async decrypt(envelope) {
          const bytes = Buffer.from(envelope, 'base64')
          const opened = await subtle.decrypt({ name: 'AES-GCM', iv: bytes.subarray(0, 12) }, key, bytes.subarray(12))
          return Buffer.from(opened).toString()
        },
      }
    },
  },
}

function fise({ defaultRules, fiseEncrypt, fiseDecrypt, fiseBinaryEncrypt, fiseBinaryDecrypt }) {
  /** The envelopes that the reference makes of a plaintext with each of the salts. */
  const envelopesBy = (envelopeOf, change) => (plaintext) =>
    saltsOf(change.saltRange ?? { min: 10, max: 99 }).map((salt) =>
      envelopeOf(plaintext, salt, { ...reference.defaultRules, ...change }, OPTIONS),
    )
  return {
    text(change) {
      const rules = { ...defaultRules, ...change }
      return {
        encrypt: (text) => flat(fiseEncrypt(text, rules, OPTIONS)),
        decrypt: (envelope) => flat(fiseDecrypt(envelope, rules, OPTIONS)),
        // As it comes from a network, in one piece.
        envelopes: envelopesBy((...given) => Buffer.from(reference.envelopeOf(...given)).toString('latin1'), change),
      }
    },
    bytes(change) {
      const rules = { ...defaultRules, ...change }
      return {
        encrypt: (data) => fiseBinaryEncrypt(data, rules, OPTIONS),
        decrypt: (envelope) => fiseBinaryDecrypt(envelope, rules, OPTIONS),
        envelopes: envelopesBy(reference.binaryEnvelopeOf, change),
      }
    },
  }
}

/** A string that was put together is copied when it is first used; that is a part of making it. */
function flat(text) {
  text.charCodeAt(0)
  return text
}

const ascii = (input) => Buffer.from(input.map((byte) => byte & 0x7f)).toString('latin1')

/** A character for each byte of the input, so that a size is a number of characters. */
const CONTENTS = {
  ascii: { form: 'text', of: ascii, change: 'none' },
  // Every other character is a Chinese one.
  unicode: { form: 'text', of: (input) => [...input].map((byte, i) => String.fromCharCode(i % 2 ? byte & 0x7f : 0x4e00 + byte * 80)).join(''), change: 'none' },
  binary: { form: 'bytes', of: (input) => new Uint8Array(input), change: 'none' },
  'own-offset': { form: 'text', of: ascii, change: 'offset' },
  'own-marker': { form: 'text', of: ascii, change: 'marker' },
  'own-range': { form: 'text', of: ascii, change: 'range' },
}

const isSame = (a, b) => (typeof a === 'string' ? a === b : Buffer.compare(a, b) === 0)

export const fiseOperations = Object.entries(CONTENTS).flatMap(([name, { form, of, change }]) => {
  const setUp = (prepare) => async (input, options) => {
    const { library = 'sealstone' } = readOptions(options, ['library'])
    const functions = await LIBRARIES[library]?.[form]?.(CHANGES[change])
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
        reveal: async (output) => inputOf(await decrypt(output)),
      })),
    },
    {
      name: `fise/${name}/decrypt`,
      setUp: setUp(async ({ encrypt, decrypt, envelopes }, plaintext, inputOf) => {
        const made = envelopes?.(plaintext) ?? (await Promise.all(Array.from({ length: ENVELOPES }, () => encrypt(plaintext))))
        let next = 0
        return { run: () => decrypt(made[next++ % ENVELOPES]), reveal: inputOf }
      }),
    },
  ]
})
