// Answers with sm-crypto or sm-crypto-v2, whose name is the argument, what tests/sm2_judges.rs asks, a line of hexadecimal
// fields at a time.
'use strict'
const readline = require('node:readline')
const { sm2 } = require(process.argv[2])

const text = hex => Buffer.from(hex, 'hex').toString()
const bytes = hex => Uint8Array.from(Buffer.from(hex, 'hex'))
const hexOf = array => Buffer.from(array).toString('hex')
const cipherMode = form => (form === 'c1c2c3' ? 0 : 1)

const verbs = {
  sign: (form, key, id, message) =>
    sm2.doSignature(bytes(message), key, { hash: true, der: form === 'der', userId: text(id) }),
  verify(form, key, id, message, signature) {
    const options = { hash: true, der: form === 'der', userId: text(id) }
    if (!sm2.doVerifySignature(bytes(message), signature, key, options)) throw new Error('another signature')
    return ''
  },
  encrypt(form, key, message) {
    const options = form === 'der' ? { asn1: true } : {}
    return sm2.doEncrypt(bytes(message), key, cipherMode(form), options)
  },
  decrypt(form, key, ciphertext) {
    const options = { output: 'array', ...(form === 'der' ? { asn1: true } : {}) }
    const message = sm2.doDecrypt(ciphertext, key, cipherMode(form), options)
    if (message.length === 0) throw new Error('another ciphertext')
    return hexOf(message)
  },
}

readline.createInterface({ input: process.stdin }).on('line', line => {
  const [verb, form, ...fields] = line.split(' ')
  let answer
  try {
    answer = verbs[verb](form, ...fields.map(field => (field === '-' ? '' : field)))
  } catch (error) {
    answer = `! ${error.message}`
  }
  process.stdout.write(`${answer}\n`)
})
