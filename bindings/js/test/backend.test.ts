// A backend that is not there ends everything. This file has a process of its own, in which nothing is loaded before.

import { expect, test } from 'vitest'
import * as aead from '../src/api/aead.js'
import * as age from '../src/api/age/index.js'
import * as exchange from '../src/api/exchange.js'
import * as hash from '../src/api/hash.js'
import * as hazmat from '../src/api/hazmat.js'
import * as sealstone from '../src/api/index.js'
import * as kdf from '../src/api/kdf.js'
import * as mac from '../src/api/mac.js'
import * as passphrases from '../src/api/passphrase.js'
import * as password from '../src/api/password.js'
import * as random from '../src/api/random.js'
import * as rsa from '../src/api/rsa.js'
import * as sign from '../src/api/sign.js'
import * as yuants from '../src/extras/yuants.js'

process.env.SEALSTONE_BACKEND = 'avx9'

const key = new Uint8Array(32)
const [text, to] = ['attack at dawn', { key }]
const pair = { public_key: 'x', private_key: 'x' }
const secret = { sign: 'x', signer: 'x', reader: 'x', tags: {}, data: 'x' }

/** Each function of the package that computes, with inputs. */
const CALLS: Record<string, () => unknown> = {
  backend: () => sealstone.backend(),
  generateIdentity: () => sealstone.generateIdentity('x25519'),
  identityFromKey: () => sealstone.identityFromKey(key),
  identityFromPassphrase: () => sealstone.identityFromPassphrase(text),
  importIdentity: () => sealstone.importIdentity(text),
  importIdentitySync: () => sealstone.importIdentitySync(text),
  importIdentities: () => sealstone.importIdentities(text),
  importRecipient: () => sealstone.importRecipient(text),
  importRecipientSync: () => sealstone.importRecipientSync(text),
  importRecipients: () => sealstone.importRecipients(text),
  encrypt: () => sealstone.encrypt(text, to),
  encryptSync: () => sealstone.encryptSync(text, to),
  encryptIntoSync: () => sealstone.encryptIntoSync(text, key, to),
  encryptedLength: () => sealstone.encryptedLength(14, to),
  encryptionStream: () => sealstone.encryptionStream(to),
  encryptBatch: () => sealstone.encryptBatch([text], to),
  encryptFolder: () => sealstone.encryptFolder('/etc', 'no', to),
  list: () => sealstone.list('/etc/hostname', to),
  extract: () => sealstone.extract('/etc/hostname', 'no', to),
  encryptFile: () => sealstone.encryptFile('/etc/hostname', 'no', to),
  decrypt: () => sealstone.decrypt(text, to),
  decryptSync: () => sealstone.decryptSync(text, to),
  decryptIntoSync: () => sealstone.decryptIntoSync(text, key, to),
  decryptRange: () => sealstone.decryptRange(text, 0, 1, to),
  decryptRangeSync: () => sealstone.decryptRangeSync(text, 0, 1, to),
  decryptRangeFile: () => sealstone.decryptRangeFile('/etc/hostname', 0, 1, to),
  decryptionStream: () => sealstone.decryptionStream(to),
  decryptBatch: () => sealstone.decryptBatch([text], to),
  decryptFile: () => sealstone.decryptFile('/etc/hostname', 'no', to),
  verifyFile: () => sealstone.verifyFile('/etc/hostname', to),
  rewrap: () => sealstone.rewrap(text, { identities: text, recipients: text }),
  rewrapSync: () => sealstone.rewrapSync(text, { identities: text, recipients: text }),
  rewrapFile: () => sealstone.rewrapFile('/etc/hostname', { identities: text, recipients: text }),
  inspect: () => sealstone.inspect(text),
  inspectSync: () => sealstone.inspectSync(text),
  inspectFile: () => sealstone.inspectFile('/etc/hostname'),
  chunkedKey: () => sealstone.chunkedKey('aes-256-gcm', key),
  aead: () => aead.aead('aes-256-gcm', key),
  aeadKeyLength: () => aead.aeadKeyLength('aes-256-gcm'),
  aeadNonceLength: () => aead.aeadNonceLength('aes-256-gcm'),
  hash: () => hash.hash('sha256', text),
  hashInto: () => hash.hashInto('sha256', text, key),
  hashHex: () => hash.hashHex('blake3', text),
  hashText: () => hash.hashText('sha1', text, 'base64'),
  hashAsync: () => hash.hashAsync('sha256', text),
  hashStream: () => hash.hashStream('sha256', new Blob([])),
  hashStreamText: () => hash.hashStreamText('sha256', new Blob([]), 'hex'),
  hashBatch: () => hash.hashBatch('sha256', ['a']),
  hashFile: () => hash.hashFile('sha256', '/etc/hostname'),
  hashFileText: () => hash.hashFileText('sha256', '/etc/hostname', 'hex'),
  createHasher: () => hash.createHasher('sha256'),
  hkdf: () => kdf.hkdf('sha256', key, { length: 32 }),
  hkdfExtract: () => kdf.hkdfExtract('sha256', key, key),
  hkdfExpand: () => kdf.hkdfExpand('sha256', key, key, 32),
  concatKdf: () => kdf.concatKdf('sha256', key, key, 32),
  blake3DeriveKey: () => kdf.blake3DeriveKey(text, key),
  argon2id: () => kdf.argon2id(text, key),
  argon2idSync: () => kdf.argon2idSync(text, key),
  argon2i: () => kdf.argon2i(text, key),
  argon2iSync: () => kdf.argon2iSync(text, key),
  argon2d: () => kdf.argon2d(text, key),
  argon2dSync: () => kdf.argon2dSync(text, key),
  scrypt: () => kdf.scrypt(text, key),
  scryptSync: () => kdf.scryptSync(text, key),
  pbkdf2: () => kdf.pbkdf2('sha256', text, key, { iterations: 1 }),
  pbkdf2Sync: () => kdf.pbkdf2Sync('sha256', text, key, { iterations: 1 }),
  createKeyCache: () => kdf.createKeyCache(),
  mac: () => mac.mac('hmac-sha256', key),
  hashPassword: () => password.hashPassword(text),
  hashPasswordSync: () => password.hashPasswordSync(text),
  verifyPassword: () => password.verifyPassword(text, '$scrypt$'),
  verifyPasswordSync: () => password.verifyPasswordSync(text, '$scrypt$'),
  needsRehash: () => password.needsRehash('$scrypt$'),
  calibrate: () => password.calibrate(),
  cipher: () => hazmat.cipher('aes-256-cbc', key),
  cipherKeyLength: () => hazmat.cipherKeyLength('aes-256-cbc'),
  legacyCipher: () => hazmat.legacyCipher('rc4', key),
  keyWrap: () => hazmat.keyWrap('aes-256-kw', key),
  ccm: () => hazmat.ccm('aes-256-ccm', key),
  poly1305: () => hazmat.poly1305(key, text),
  'age generateIdentity': () => age.generateIdentity(),
  'age generateX25519Identity': () => age.generateX25519Identity(),
  'age generateHybridIdentity': () => age.generateHybridIdentity(),
  'age identityToRecipient': () => age.identityToRecipient(text),
  'age addPassphrase': () => new age.Decrypter().addPassphrase(text),
  'age encode': () => age.armor.encode(key),
  'age decode': () => age.armor.decode(text),
  'sign generateRsaKey': () => sign.generateRsaKey(),
  ...ofPairs('sign', sign),
  ...ofPairs('exchange', exchange),
  ...ofPairs('rsa', rsa),
  'rsa generateKeySync': () => rsa.generateKeySync(),
  randomBytes: () => random.randomBytes(16),
  randomInt: () => random.randomInt(6),
  uuid: () => random.uuid(),
  uuidV7: () => random.uuidV7(),
  generateKey: () => random.generateKey('aes-256-gcm'),
  password: () => random.password(),
  passphrase: () => passphrases.passphrase(),
  createKeyPair: () => yuants.createKeyPair(),
  fromSeed: () => yuants.fromSeed(key),
  fromPrivateKey: () => yuants.fromPrivateKey(text),
  generateX25519KeyPair: () => yuants.generateX25519KeyPair(),
  deriveSharedKey: () => yuants.deriveSharedKey(text, text),
  signMessage: () => yuants.signMessage(text, text),
  signMessageByEd25519: () => yuants.signMessageByEd25519(text, key),
  verifyMessage: () => yuants.verifyMessage(text, text, text),
  encryptByPublicKey: () => yuants.encryptByPublicKey(text, text),
  encryptByPublicKeyAsync: () => yuants.encryptByPublicKeyAsync(text, text),
  decryptByPrivateKey: () => yuants.decryptByPrivateKey(text, text),
  decryptByPrivateKeyAsync: () => yuants.decryptByPrivateKeyAsync(text, text),
  'yuants encrypt': () => yuants.encrypt(text, text),
  'yuants decrypt': () => yuants.decrypt(text, text),
  sha256: () => yuants.sha256(text),
  sha512: () => yuants.sha512(text),
  HmacSHA256: () => yuants.HmacSHA256(text, key),
  HmacSHA512: () => yuants.HmacSHA512(text, key),
  fnv1a64Hex: () => yuants.fnv1a64Hex(text),
  encodeBase58: () => yuants.encodeBase58(key),
  decodeBase58: () => yuants.decodeBase58(text),
  encodeBase64: () => yuants.encodeBase64(key),
  decodeBase64: () => yuants.decodeBase64('c2VhbA=='),
  encodeHex: () => yuants.encodeHex(key),
  decodeHex: () => yuants.decodeHex('00'),
  makeSecret: () => yuants.makeSecret(text, {}, 'x', pair),
  verifySecretSigner: () => yuants.verifySecretSigner(secret),
}

/** Calls that make and read keys. */
function ofPairs(family: string, of: typeof sign | typeof exchange | typeof rsa): Record<string, () => unknown> {
  const names = [
    'generateKey',
    'importPrivateKey',
    'importPrivateKeySync',
    'importPublicKey',
    'importPublicKeySync',
  ] as const
  const calls = names.map((name) => {
    const call = of[name] as (key?: string) => unknown
    return [`${family} ${name}`, () => (name === 'generateKey' ? call() : call(text))]
  })
  return Object.fromEntries(calls)
}

/** These take a key, which cannot be made here; and the last ones compute nothing. */
const WITHOUT = [
  ...['recipientOf', 'exportIdentity', 'exportRecipient', 'toKeyObject', 'toCryptoKey'],
  ...['sealMessage', 'sealMessageSync', 'openMessage', 'openMessageSync'],
  ...['exportPrivateKey', 'exportPublicKey'],
  ...['passwordEntropy', 'passphraseEntropy', 'tagsAreAmbiguous'],
]

test('a backend that nobody has ends every function, whatever would compute it', async () => {
  const modules = { '': sealstone, aead, hash, hazmat, kdf, mac, password, passphrases, random, yuants }
  const families = { age, sign, exchange, rsa }
  const names = Object.entries({ ...modules, ...families }).flatMap(([from, module]) =>
    Object.entries(module).flatMap(([name, value]) => {
      if (typeof value !== 'function' || WITHOUT.includes(name) || /^[A-Z][a-z]\w*$/.test(name)) return []
      return [from in families ? `${from} ${name}` : name]
    }),
  )
  const missing = names.filter((name) => !(name in CALLS))
  expect(missing, 'functions that are to stand in CALLS above').toEqual([])
  // Each time, and not only the first.
  for (let round = 0; round < 2; round++) {
    for (const [name, work] of Object.entries(CALLS)) {
      const error = await (async () => work())().catch((error) => error)
      expect(error, name).toMatchObject({
        name: 'SealstoneError',
        code: 'unavailable_backend',
        message: expect.stringMatching(/SEALSTONE_BACKEND is 'avx9'; expected one of: portable, .*; or wasm, /),
      })
    }
  }
})
