// RSA as @ldesign/crypto has it: texts, and keys as PEM, which are read in each call.

import { asciiOf } from './hash.mjs'
import { rsaKeyObjects } from './key_pairs.mjs'
import { choose, readOptions } from './protocol.mjs'

const LIBRARIES = {
  sealstone: async () => (await import('../../../bindings/js/dist/compat/ldesign.mjs')).rsa,
  'ldesign-reference': async () => referenceOver(await forged(false)),
  /** As it is in a page, where no other makes its keys. */
  'ldesign-reference-page': async () => referenceOver(await forged(true)),
}

async function forged(usePureJavaScript) {
  const { default: forge } = await import('node-forge')
  forge.options.usePureJavaScript = usePureJavaScript
  return forge
}

const referenceOver = async (forge) => (await import('./ldesign_reference.mjs')).rsaOver(forge)

/** The pair of all engines. */
function ownPair(bits) {
  const { privateKey, publicKey } = rsaKeyObjects(bits)
  return {
    privateKey: privateKey.export({ type: 'pkcs1', format: 'pem' }),
    publicKey: publicKey.export({ type: 'spki', format: 'pem' }),
  }
}

const operation = (bits, verb, prepare) => ({
  name: `ldesign/rsa-${bits}/${verb}`,
  async setUp(input, options) {
    const { library = 'sealstone' } = readOptions(options, ['library'])
    return prepare(await choose(LIBRARIES, library, 'library')(), asciiOf(input), bits)
  },
})

const decoder = new TextDecoder()
const textOf = ({ data }) => data

const encrypts = (rsa, text, bits) => {
  const { privateKey, publicKey } = ownPair(bits)
  return {
    run: () => rsa.encrypt(text, publicKey),
    written: textOf,
    reveal: ({ data }) => textOf(rsa.decrypt(data, privateKey)),
    opens: (bytes) => textOf(rsa.decrypt(decoder.decode(bytes), privateKey)),
  }
}

const decrypts = (rsa, text, bits) => {
  const { privateKey, publicKey } = ownPair(bits)
  const { data } = rsa.encrypt(text, publicKey)
  return { run: () => rsa.decrypt(data, privateKey), written: textOf }
}

const signs = (rsa, text, bits) => {
  const { privateKey, publicKey } = ownPair(bits)
  const opens = (signature) => (rsa.verify(text, signature, publicKey) ? text : 'it is no signature of the text')
  return { run: () => rsa.sign(text, privateKey), reveal: opens, opens: (bytes) => opens(decoder.decode(bytes)) }
}

const verifies = (rsa, text, bits) => {
  const { privateKey, publicKey } = ownPair(bits)
  const signature = rsa.sign(text, privateKey)
  const run = () => {
    if (!rsa.verify(text, signature, publicKey)) throw new Error('it is no signature of the text')
    return text
  }
  return { run }
}

/** A key is nobody's to see: the output is nothing, and all agree on the text, which the pair encrypts and decrypts. */
const generates = (rsa, text, bits) => ({
  run: () => rsa.generateKeyPair(bits),
  written: () => '',
  reveal: ({ privateKey, publicKey }) => textOf(rsa.decrypt(rsa.encrypt(text, publicKey).data, privateKey)),
})

export const ldesignRsaOperations = [2048, 4096].flatMap((bits) => [
  operation(bits, 'encrypt', encrypts),
  operation(bits, 'decrypt', decrypts),
  operation(bits, 'sign', signs),
  operation(bits, 'verify', verifies),
  operation(bits, 'generate', generates),
])
