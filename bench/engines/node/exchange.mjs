// Secrets that two sides share, as each library for JavaScript has them: a bare one of an agreement, and one that is encapsulated.

import { keyObjects, otherPrivateKey, privateKey } from './key_pairs.mjs'
import { choose, readOptions } from './protocol.mjs'

/** Bytes of a private key. */
const AGREES = { x25519: 32, p256: 32, p384: 48 }
const ENCAPSULATES = { 'ml-kem-768': 64, hybrid: 32 }

/** What agrees on a secret, or encapsulates one to a key and has it again. */
const LIBRARIES = {
  async sealstone(kind) {
    const { importPrivateKeySync } = await import('../../../bindings/js/dist/exchange.mjs')
    const key = (bytes) => importPrivateKeySync(bytes, { kind })
    const length = AGREES[kind]
    if (length === undefined) {
      const own = key(privateKey(ENCAPSULATES[kind]))
      const { publicKey } = own
      return {
        encapsulate() {
          const { ciphertext, secret } = publicKey.encapsulate()
          return [ciphertext, secret]
        },
        decapsulate: (ciphertext) => own.decapsulate(ciphertext),
      }
    }
    const [own, { publicKey }] = [key(privateKey(length)), key(otherPrivateKey(length))]
    return { agree: () => own.hazmatSharedSecret(publicKey) }
  },
  async node(kind) {
    const { diffieHellman } = await import('node:crypto')
    const length = choose(AGREES, kind, 'key')
    const [{ privateKey: own }, { publicKey }] = [privateKey, otherPrivateKey].map((key) => keyObjects(kind, key(length)))
    return { agree: () => diffieHellman({ privateKey: own, publicKey }) }
  },
  async noble(kind) {
    if (kind in ENCAPSULATES) {
      const [{ ml_kem768 }, { ml_kem768_x25519 }] = await Promise.all([
        import('@noble/post-quantum/ml-kem.js'),
        import('@noble/post-quantum/hybrid.js'),
      ])
      const kem = choose({ 'ml-kem-768': ml_kem768, hybrid: ml_kem768_x25519 }, kind, 'key')
      const { publicKey, secretKey } = kem.keygen(privateKey(ENCAPSULATES[kind]))
      return {
        encapsulate() {
          const { cipherText, sharedSecret } = kem.encapsulate(publicKey)
          return [cipherText, sharedSecret]
        },
        decapsulate: (ciphertext) => kem.decapsulate(ciphertext, secretKey),
      }
    }
    const [own, other] = [privateKey, otherPrivateKey].map((key) => key(AGREES[kind]))
    if (kind === 'x25519') {
      const { x25519 } = await import('@noble/curves/ed25519.js')
      const publicKey = x25519.getPublicKey(other)
      return { agree: () => x25519.getSharedSecret(own, publicKey) }
    }
    const { p256, p384 } = await import('@noble/curves/nist.js')
    const curve = choose({ p256, p384 }, kind, 'key')
    const publicKey = curve.getPublicKey(other, false)
    // The coordinate x, without the byte that says which y.
    return { agree: () => curve.getSharedSecret(own, publicKey).subarray(1) }
  },
}

const operation = (kind, verb, prepare) => ({
  name: `exchange/${kind}/${verb}`,
  async setUp(input, options) {
    const { library = 'sealstone' } = readOptions(options, ['library'])
    return prepare(await choose(LIBRARIES, library, 'library')(kind), input)
  },
})

const SECRET_LEN = 32

/** What all agree on is the input, of which nothing is used. The output is a ciphertext, and behind it its secret. */
const encapsulates = ({ encapsulate, decapsulate }, input) => {
  const opens = (both) => {
    const [ciphertext, secret] = [both.subarray(0, -SECRET_LEN), both.subarray(-SECRET_LEN)]
    if (!Buffer.from(decapsulate(ciphertext)).equals(secret)) throw new Error('it is the ciphertext of another secret')
    return input
  }
  return { run: encapsulate, reveal: (parts) => opens(Buffer.concat(parts)), opens }
}

const decapsulates = ({ encapsulate, decapsulate }, input) => {
  const [ciphertext, expected] = encapsulate()
  const reveal = (secret) => {
    if (!Buffer.from(expected).equals(secret)) throw new Error('it is another secret')
    return input
  }
  return { run: () => decapsulate(ciphertext), reveal }
}

export const exchangeOperations = [
  ...Object.keys(AGREES).map((kind) => operation(kind, 'agree', ({ agree }) => ({ run: agree }))),
  ...Object.keys(ENCAPSULATES).flatMap((kind) => [
    operation(kind, 'encapsulate', encapsulates),
    operation(kind, 'decapsulate', decapsulates),
  ]),
]
