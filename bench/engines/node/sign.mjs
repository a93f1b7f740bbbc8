// Signatures of data, as each library for JavaScript makes and verifies them with a key that is ready. ECDSA's are DER, those of RSA
// PSS with SHA-256, or PKCS#1 v1.5.

import { forgeKeys, keyObjects, privateKey, rsaKeyObjects, rsaPrivateKey } from './key_pairs.mjs'
import { Unsupported, choose, readOptions } from './protocol.mjs'

/** Bytes of a private key, for kinds that are no RSA. */
const LENGTHS = { ed25519: 32, 'p256-sign': 32, 'p384-sign': 48, 'ml-dsa-65': 32, 'hybrid-sign': 64 }

/** `rsa-2048-pkcs1` is 2,048 bits and PKCS#1 v1.5. */
function rsaOf(kind) {
  const [, bits, scheme = 'pss'] = /^rsa-(\d+)(?:-(pkcs1))?$/.exec(kind) ?? []
  return bits === undefined ? undefined : { bits: Number(bits), scheme }
}

/** What signs a message, and throws where a signature is none of it. */
const LIBRARIES = {
  async sealstone(kind) {
    const { importPrivateKeySync } = await import('../../../bindings/js/dist/sign.mjs')
    const rsa = rsaOf(kind)
    const key =
      rsa === undefined
        ? importPrivateKeySync(privateKey(LENGTHS[kind]), { kind })
        : importPrivateKeySync(rsaPrivateKey(rsa.bits))
    const { publicKey } = key
    const options = rsa === undefined ? undefined : { scheme: rsa.scheme }
    return {
      sign: (message) => key.sign(message, options),
      verify: (message, signature) => publicKey.verify(message, signature, options),
    }
  },
  async node(kind) {
    const { constants, sign, verify } = await import('node:crypto')
    const rsa = rsaOf(kind)
    const names = { ed25519: ['ed25519', null], 'p256-sign': ['p256', 'sha256'], 'p384-sign': ['p384', 'sha384'] }
    const [name, hash] = rsa === undefined ? choose(names, kind, 'key') : [undefined, 'sha256']
    const keys = rsa === undefined ? keyObjects(name, privateKey(LENGTHS[kind])) : rsaKeyObjects(rsa.bits)
    const pss = { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
    const told = rsa?.scheme === 'pss' ? (key) => ({ key, ...pss }) : (key) => key
    const [signs, verifies] = [told(keys.privateKey), told(keys.publicKey)]
    return {
      sign: (message) => sign(hash, message, signs),
      verify: (message, signature) => check(verify(hash, message, verifies, signature)),
    }
  },
  async noble(kind) {
    const key = privateKey(LENGTHS[kind] ?? 0)
    if (kind === 'ed25519') {
      const { ed25519 } = await import('@noble/curves/ed25519.js')
      const publicKey = ed25519.getPublicKey(key)
      return {
        sign: (message) => ed25519.sign(message, key),
        verify: (message, signature) => check(ed25519.verify(signature, message, publicKey)),
      }
    }
    if (kind === 'ml-dsa-65') {
      const { ml_dsa65 } = await import('@noble/post-quantum/ml-dsa.js')
      const { publicKey, secretKey } = ml_dsa65.keygen(key)
      return {
        sign: (message) => ml_dsa65.sign(message, secretKey),
        verify: (message, signature) => check(ml_dsa65.verify(signature, message, publicKey)),
      }
    }
    const { p256, p384 } = await import('@noble/curves/nist.js')
    const curve = choose({ 'p256-sign': p256, 'p384-sign': p384 }, kind, 'key')
    const publicKey = curve.getPublicKey(key, false)
    return {
      sign: (message) => curve.sign(message, key, { format: 'der' }),
      // OpenSSL's have any s.
      verify: (message, signature) => check(curve.verify(signature, message, publicKey, { format: 'der', lowS: false })),
    }
  },
  async 'node-forge'(kind) {
    const rsa = rsaOf(kind)
    if (rsa === undefined) throw new Unsupported('here it has RSA')
    const { default: forge } = await import('node-forge')
    const keys = forgeKeys(forge, rsa.bits)
    const { mgf, pss, util } = forge
    const { sha256 } = forge.md
    const scheme = () =>
      rsa.scheme === 'pkcs1' ? undefined : pss.create({ md: sha256.create(), mgf: mgf.mgf1.create(sha256.create()), saltLength: 32 })
    const digestOf = (message) => sha256.create().update(util.binary.raw.encode(message))
    return {
      sign: (message) => util.binary.raw.decode(keys.privateKey.sign(digestOf(message), scheme())),
      verify: (message, signature) =>
        check(keys.publicKey.verify(digestOf(message).digest().getBytes(), util.binary.raw.encode(signature), scheme())),
    }
  },
}

function check(isValid) {
  if (!isValid) throw new Error('it is no signature of the message')
}

const operation = (kind, verb, prepare) => ({
  name: `sign/${kind}/${verb}`,
  async setUp(input, options) {
    const { library = 'sealstone' } = readOptions(options, ['library'])
    return prepare(await choose(LIBRARIES, library, 'library')(kind), input)
  },
})

const signs = ({ sign, verify }, message) => {
  const opens = (signature) => {
    verify(message, signature)
    return message
  }
  return { run: () => sign(message), reveal: opens, opens }
}

const verifies = ({ sign, verify }, message) => {
  const signature = sign(message)
  const run = () => {
    verify(message, signature)
    return message
  }
  return { run }
}

const KINDS = [...Object.keys(LENGTHS), 'rsa-2048', 'rsa-2048-pkcs1', 'rsa-4096', 'rsa-4096-pkcs1']

export const signOperations = KINDS.flatMap((kind) => [
  operation(kind, 'sign', signs),
  operation(kind, 'verify', verifies),
])
