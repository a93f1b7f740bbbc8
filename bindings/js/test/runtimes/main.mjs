// The package in Node, Deno and Bun: the parts of every runtime (parts.mjs), the vectors, and the rest of these three.

import assert from 'node:assert/strict'
import { createReadStream, readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import * as sealstone from 'sealstone'
import * as aead from 'sealstone/aead'
import * as cryptoJs from 'sealstone/compat/crypto-js'
import * as yuants from 'sealstone/compat/yuants'
import * as encoding from 'sealstone/encoding'
import * as pairs from 'sealstone/exchange'
import * as fise from 'sealstone/fise'
import * as hash from 'sealstone/hash'
import * as hazmat from 'sealstone/hazmat'
import * as kdf from 'sealstone/kdf'
import * as passphrases from 'sealstone/passphrase'
import * as passwords from 'sealstone/password'
import * as random from 'sealstone/random'
import * as rsa from 'sealstone/rsa'
import * as signatures from 'sealstone/sign'
import * as signed from 'sealstone/signature'
import { run } from './parts.mjs'

const { decrypt, decryptSync, encrypt, encryptSync, generateIdentity, recipientOf } = sealstone
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

const PARTS = {
  async 'keys of Node'() {
    const p256 = generateIdentity('p256')
    assert.equal(sealstone.importIdentitySync(sealstone.toKeyObject(p256)).kind, 'p256')
    const usages = ['deriveBits']
    const key = await sealstone.toCryptoKey(p256, { name: 'ECDH', namedCurve: 'P-256' }, true, usages)
    assert.equal(String(recipientOf(await sealstone.importIdentity(key))), String(recipientOf(p256)))
  },
  async 'shared memory'() {
    assert.throws(() => encryptSync(new Uint8Array(new SharedArrayBuffer(8)), { recipients }), TypeError)
  },
  async 'streams of Node'() {
    const file = await all(encrypt(Readable.from([data]), { recipients }))
    same(decryptSync(file, { identities }), data)
    same(await all(decrypt(Readable.from([file.subarray(0, 100), file.subarray(100)]), { identities })), data)
    await writeFile(join(folder, 'data'), data)
    same(await all(decrypt(encrypt(createReadStream(join(folder, 'data')), { recipients }), { identities })), data)
  },
  async files() {
    const [plain, file, copy] = ['plain', 'file', 'copy'].map((name) => join(folder, name))
    await writeFile(plain, data)
    await sealstone.encryptFile(plain, file, { recipients })
    await sealstone.decryptFile(file, copy, { identities })
    same(await readFile(copy), data)
    same(await sealstone.decryptRangeFile(file, 100, 200, { identities }), data.subarray(100, 200))
    same(await hash.hashFile('sha256', plain), hash.hash('sha256', data))
    const key = signatures.generateKey('ed25519')
    await signed.attachFile(plain, file, key, { replace: true })
    await signed.detachFile(file, key.publicKey, { output: copy, replace: true })
    same(await readFile(copy), data)
  },
}

const names = readdirSync('vectors')
const vectors = Object.fromEntries(names.map((name) => [name, readFileSync(join('vectors', name), 'base64')]))
const { passed, failed } = await run(
  {
    sealstone,
    aead,
    cryptoJs,
    encoding,
    fise,
    hash,
    hazmat,
    kdf,
    pairs,
    passphrases,
    passwords,
    random,
    rsa,
    signatures,
    signed,
    yuants,
  },
  vectors,
)
for (const [name, part] of Object.entries(PARTS)) {
  try {
    await part()
    passed.push(name)
  } catch (error) {
    failed.push(`${name}: ${error.stack}`)
  }
}
await rm(folder, { recursive: true })
for (const failure of failed) console.error(failure)
console.log(`${passed.length} passed, ${failed.length} failed`)
process.exitCode = failed.length > 0 || passed.length < 17 ? 1 : 0
