// The keys of all engines for operations of key pairs, which are public: docs/design/bench.md has them.

import { createPrivateKey, createPublicKey } from 'node:crypto'
import { readFileSync } from 'node:fs'

/** A number, or a seed: bytes 0, 1, 2, … */
export const privateKey = (length) => Uint8Array.from({ length }, (_, i) => i)

/** The private key of the other side of an agreement: 0x40, 0x41, … */
export const otherPrivateKey = (length) => Uint8Array.from({ length }, (_, i) => 0x40 + i)

/** A private key of RSA in PKCS#8. */
export function rsaPrivateKey(bits) {
  const digits = readFileSync(new URL(`../../protocol/keys/rsa_${bits}.txt`, import.meta.url), 'latin1')
  return Buffer.from(digits.replaceAll(/\s/g, ''), 'hex')
}

/** What stands before a private key of 32 or 48 bytes in PKCS#8 (RFC 8410, RFC 5915). */
const BEFORE = {
  ed25519: '302e020100300506032b657004220420',
  x25519: '302e020100300506032b656e04220420',
  p256: '3041020100301306072a8648ce3d020106082a8648ce3d030107042730250201010420',
  p384: '304e020100301006072a8648ce3d020106052b81040022043730350201010430',
}

/** A KeyObject, and the one of its public key. */
export function keyObjects(name, bytes) {
  const key = Buffer.concat([Buffer.from(BEFORE[name], 'hex'), bytes])
  const privateKey = createPrivateKey({ key, format: 'der', type: 'pkcs8' })
  return { privateKey, publicKey: createPublicKey(privateKey) }
}

/** Those of a key of RSA. */
export function rsaKeyObjects(bits) {
  const privateKey = createPrivateKey({ key: rsaPrivateKey(bits), format: 'der', type: 'pkcs8' })
  return { privateKey, publicKey: createPublicKey(privateKey) }
}

/** Those of node-forge. */
export function forgeKeys(forge, bits) {
  const privateKey = forge.pki.privateKeyFromAsn1(forge.asn1.fromDer(forge.util.createBuffer(rsaPrivateKey(bits))))
  return { privateKey, publicKey: forge.pki.setRsaPublicKey(privateKey.n, privateKey.e) }
}
