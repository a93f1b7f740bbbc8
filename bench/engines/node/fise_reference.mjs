// FISE 0.1.5 as it works, written from a description of its format and of its search, with none of its code: the peer that
// sealstone/fise is measured beside and tested against. It has the faults as well.

import { joined } from './joined.mjs'

const ALPHABET = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'

function randomSalt(length) {
  let salt = ''
  for (let i = 0; i < length; i++) salt += ALPHABET[Math.floor(Math.random() * ALPHABET.length)]
  return salt
}

function xorText(text, salt) {
  const mixed = new Array(text.length)
  for (let i = 0; i < text.length; i++) {
    mixed[i] = String.fromCharCode(text.charCodeAt(i) ^ salt.charCodeAt(i % salt.length))
  }
  return mixed.join('')
}

const xorCipher = {
  encrypt: (plaintext, salt) => Buffer.from(xorText(plaintext, salt), 'utf8').toString('base64'),
  decrypt: (cipherText, salt) => xorText(Buffer.from(cipherText, 'base64').toString('utf8'), salt),
}

function xorBytes(data, salt) {
  const out = new Uint8Array(data.length)
  for (let i = 0; i < data.length; i++) out[i] = data[i] ^ salt[i % salt.length]
  return out
}

const clamp = (offset, length) => Math.max(0, Math.min(offset, length))
const range = (rules) => rules.saltRange ?? { min: 10, max: 99 }
const draw = ({ min, max }) => min + Math.floor(Math.random() * (max - min + 1))

export function fiseEncrypt(plaintext, rules, options) {
  return envelopeOf(plaintext, randomSalt(draw(range(rules))), rules, options)
}

/** An envelope with this salt: the benchmark gives the same ones to all who read them. */
export function envelopeOf(plaintext, salt, rules, { timestamp, metadata } = {}) {
  const saltLength = salt.length
  const context = { timestamp, saltLength, metadata }
  const cipherText = xorCipher.encrypt(plaintext, salt)
  const at = clamp(rules.offset(cipherText, context), cipherText.length)
  return cipherText.slice(0, at) + rules.encodeLength(saltLength, context) + cipherText.slice(at) + salt
}

export function fiseDecrypt(envelope, rules, { timestamp, metadata } = {}) {
  const size = rules.encodeLength(10, {}).length
  const { min, max } = range(rules)
  for (let saltLength = min; saltLength <= Math.min(max, envelope.length - size); saltLength++) {
    const context = { timestamp, saltLength, metadata }
    const body = envelope.slice(0, envelope.length - saltLength)
    for (let at = 0; at <= body.length - size; at++) {
      const marker = body.slice(at, at + size)
      if (rules.decodeLength(marker, context) !== saltLength) continue
      if (rules.encodeLength(saltLength, context) !== marker) continue
      if (rules.offset(body.slice(0, at) + body.slice(at + size), context) !== at) continue
      const length = body.length - size
      const expected = clamp(rules.offset('x'.repeat(Math.max(1, length)), context), length)
      if (body.slice(expected, expected + size) !== marker) throw new Error('FISE: cannot find encoded length at expected offset.')
      const cipherText = body.slice(0, expected) + body.slice(expected + size)
      return xorCipher.decrypt(cipherText, envelope.slice(envelope.length - saltLength))
    }
  }
  throw new Error('FISE: cannot infer salt length from envelope.')
}

/** Rules for text as those for bytes: the marker's UTF-8, and the offset of a text as long. */
function binaryRules(rules) {
  if (typeof rules.encodeLength(10, {}) !== 'string') return rules
  return {
    saltRange: rules.saltRange,
    offset: (cipherText, context) => rules.offset('x'.repeat(Math.max(1, cipherText.length)), context),
    encodeLength: (length, context) => new TextEncoder().encode(rules.encodeLength(length, context)),
    decodeLength: (marker, context) => rules.decodeLength(new TextDecoder().decode(marker), context),
  }
}

const isSame = (a, b) => a.length === b.length && a.every((byte, i) => byte === b[i])

export function fiseBinaryEncrypt(data, rules, options) {
  return binaryEnvelopeOf(data, randomSalt(draw(range(rules))), rules, options)
}

/** An envelope of bytes with this salt. */
export function binaryEnvelopeOf(data, saltText, textOrBinaryRules, { timestamp, metadata } = {}) {
  const rules = binaryRules(textOrBinaryRules)
  const salt = new TextEncoder().encode(saltText)
  const saltLength = salt.length
  const context = { timestamp, saltLength, metadata }
  const cipherText = xorBytes(data, salt)
  const at = clamp(rules.offset(cipherText, context), cipherText.length)
  return joined([cipherText.slice(0, at), rules.encodeLength(saltLength, context), cipherText.slice(at), salt])
}

export function fiseBinaryDecrypt(envelope, textOrBinaryRules, { timestamp, metadata } = {}) {
  const rules = binaryRules(textOrBinaryRules)
  const size = rules.encodeLength(10, {}).length
  const { min, max } = range(rules)
  for (let saltLength = min; saltLength <= Math.min(max, envelope.length - size); saltLength++) {
    const context = { timestamp, saltLength, metadata }
    const body = envelope.slice(0, envelope.length - saltLength)
    for (let at = 0; at <= body.length - size; at++) {
      const marker = body.slice(at, at + size)
      if (rules.decodeLength(marker, context) !== saltLength) continue
      if (!isSame(rules.encodeLength(saltLength, context), marker)) continue
      const cipherText = joined([body.slice(0, at), body.slice(at + size)])
      if (rules.offset(cipherText, context) !== at) continue
      return xorBytes(cipherText, envelope.slice(envelope.length - saltLength))
    }
  }
  throw new Error('FISE: cannot infer salt length from envelope.')
}

/** The rules that FISE gives out as its default, for text. */
export const defaultRules = {
  offset(cipherText, { timestamp }) {
    const length = cipherText.length || 1
    return (length * 7 + ((timestamp ?? 0) % 11)) % length
  },
  encodeLength: (length) => length.toString(36).padStart(2, '0'),
  decodeLength: (marker) => Number.parseInt(marker, 36),
}
