// What the package does, in whatever runs this: the main functions of each entry, as Node, Deno and Bun have them.

import assert from 'node:assert/strict'
import { createReadStream } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import * as sealstone from 'sealstone'
import { aead } from 'sealstone/aead'
import * as yuants from 'sealstone/compat/yuants'
import {
  defaultBinaryRules,
  defaultRules,
  fiseBinaryDecrypt,
  fiseBinaryEncrypt,
  fiseDecrypt,
  fiseEncrypt,
} from 'sealstone/fise'
import { createHasher, hashFile, hashHex } from 'sealstone/hash'
import { cipher } from 'sealstone/hazmat'

const { decrypt, decryptSync, encrypt, encryptSync, generateIdentity, recipientOf, SealstoneError } = sealstone
const folder = await mkdtemp(join(tmpdir(), 'sealstone-'))
const identity = generateIdentity('x25519')
const [identities, recipients] = [identity, recipientOf(identity)]
const data = new Uint8Array(5_000_000).map((_, i) => i % 251)
const same = (a, b) => assert.equal(Buffer.compare(a, b), 0)
const all = async (source) => {
  const parts = []
  for await (const part of source) parts.push(part)
  return Buffer.concat(parts)
}
const fails = (code) => (error) => error instanceof SealstoneError && error.code === code

const PARTS = {
  async keys() {
    for (const kind of ['hybrid', 'x25519', 'p256', 'ml-kem-768', 'sm2', 'key']) {
      const key = generateIdentity(kind)
      assert.equal((await sealstone.importIdentity(sealstone.exportIdentity(key))).kind, kind)
    }
    const p256 = generateIdentity('p256')
    assert.equal(sealstone.importIdentitySync(sealstone.toKeyObject(p256)).kind, 'p256')
    const usages = ['deriveBits']
    const key = await sealstone.toCryptoKey(p256, { name: 'ECDH', namedCurve: 'P-256' }, true, usages)
    assert.equal(String(recipientOf(await sealstone.importIdentity(key))), String(recipientOf(p256)))
  },
  async bytes() {
    const file = await encrypt(data, { recipients })
    same(await decrypt(file, { identities }), data)
    same(decryptSync(encryptSync(data, { recipients, armour: true }), { identities }), data)
    const passphrase = 'correct horse'
    same(await decrypt(await encrypt('attack', { passphrase }), { passphrase }), Buffer.from('attack'))
    file[file.length - 1] ^= 1
    await assert.rejects(decrypt(file, { identities }), fails('not_authentic'))
    await assert.rejects(encrypt(data, { recipients, signal: AbortSignal.abort() }), { name: 'AbortError' })
    const detached = data.slice()
    structuredClone(detached, { transfer: [detached.buffer] })
    for (const bad of [detached, new Uint8Array(new SharedArrayBuffer(8))]) {
      assert.throws(() => encryptSync(bad, { recipients }), TypeError)
    }
  },
  async streams() {
    const file = await all(encrypt(new Blob([data]), { recipients }))
    same(decryptSync(file, { identities }), data)
    same(await all(decrypt(Readable.from([file.subarray(0, 100), file.subarray(100)]), { identities })), data)
    await writeFile(join(folder, 'data'), data)
    same(await all(decrypt(encrypt(createReadStream(join(folder, 'data')), { recipients }), { identities })), data)
    const stream = new Blob([data]).stream().pipeThrough(sealstone.encryptionStream({ recipients }))
    same(await all(stream.pipeThrough(sealstone.decryptionStream({ identities }))), data)
    const key = sealstone.chunkedKey('aes-256-gcm', new Uint8Array(32))
    same(await all(key.decrypt('', key.encrypt('', new Blob([data])))), data)
  },
  async files() {
    const [plain, file, copy] = ['plain', 'file', 'copy'].map((name) => join(folder, name))
    await writeFile(plain, data)
    await sealstone.encryptFile(plain, file, { recipients })
    await sealstone.decryptFile(file, copy, { identities })
    same(await readFile(copy), data)
    same(await sealstone.decryptRangeFile(file, 100, 200, { identities }), data.subarray(100, 200))
  },
  async messages() {
    for (const plaintext of ['attack at dawn', data]) {
      const message = await sealstone.sealMessage(recipients, plaintext, { aad: 'x' })
      same(await sealstone.openMessage(identity, message, { aad: 'x' }), Buffer.from(plaintext))
    }
    const files = await sealstone.encryptBatch(['one', 'two'], { recipients })
    assert.equal(Buffer.concat(await sealstone.decryptBatch(files, { identities })).toString(), 'onetwo')
  },
  async primitives() {
    const key = aead('aes-256-gcm', new Uint8Array(32))
    for (const plaintext of [new Uint8Array(50), data])
      same(key.openRandom('', key.sealRandom('', plaintext)), plaintext)
    assert.throws(() => key.openRandom('x', key.sealRandom('', '')), fails('not_authentic'))
    const sha256 = hashHex('sha256', data)
    assert.equal(Buffer.from(createHasher('sha256').update(data).digest()).toString('hex'), sha256)
    assert.equal(Buffer.from(await hashFile('sha256', join(folder, 'data'))).toString('hex'), sha256)
    const [iv, sm4] = [new Uint8Array(16), cipher('sm4-cbc', new Uint8Array(16))]
    same(sm4.decrypt(iv, sm4.encrypt(iv, data)), data)
    assert.throws(() => sm4.decrypt(iv, iv), fails('invalid_padding'))
    key.destroy()
    assert.throws(() => key.sealRandom('', ''), /destroyed/)
  },
  async yuants() {
    const pair = yuants.createKeyPair()
    const { public_key, private_key } = pair
    same(yuants.decryptByPrivateKey(yuants.encryptByPublicKey(data, public_key), private_key), data)
    same(
      await yuants.decryptByPrivateKeyAsync(await yuants.encryptByPublicKeyAsync(data, public_key), private_key),
      data,
    )
    const record = await yuants.makeSecret('1234', { type: 'pin' }, public_key, pair)
    assert.equal(yuants.verifySecretSigner(record), true)
    assert.equal(yuants.encodeHex(await yuants.sha256('abc')).slice(0, 8), 'ba7816bf')
  },
  async fise() {
    for (const text of ['fise', '世界😀'.repeat(9999)]) {
      assert.equal(fiseDecrypt(fiseEncrypt(text, defaultRules), defaultRules), text)
    }
    same(fiseBinaryDecrypt(fiseBinaryEncrypt(data, defaultBinaryRules), defaultBinaryRules), data)
  },
  /** What is never destroyed is collected, and its number with it. */
  async collection() {
    for (let i = 0; i < 20_000; i++) recipientOf(identity)
    same(decryptSync(encryptSync('x', { recipients }), { identities }), Buffer.from('x'))
  },
}

const failed = []
for (const [name, part] of Object.entries(PARTS)) {
  try {
    await part()
  } catch (error) {
    failed.push(name)
    console.error(name, error)
  }
}
await rm(folder, { recursive: true })
console.log(`${Object.keys(PARTS).length - failed.length} passed, ${failed.length} failed`)
process.exitCode = failed.length > 0 ? 1 : 0
