// The package in Cloudflare's runtime, as a program of a user's: `workerd test` calls `test`.

import * as sealstone from 'sealstone'
import { aead } from 'sealstone/aead'
import * as yuants from 'sealstone/compat/yuants'
import { defaultRules, fiseDecrypt, fiseEncrypt } from 'sealstone/fise'
import { createHasher, hashHex } from 'sealstone/hash'
import { cipher } from 'sealstone/hazmat'
import { generateKey } from 'sealstone/sign'
import * as signed from 'sealstone/signature'

const { decrypt, decryptSync, encrypt, encryptSync, generateIdentity, recipientOf, SealstoneError } = sealstone

function equal(a, b) {
  if (a !== b) throw new Error(`${a} is not ${b}`)
}

function same(a, b) {
  equal(a.length, b.length)
  equal(
    a.findIndex((byte, i) => byte !== b[i]),
    -1,
  )
}

async function codeOf(work) {
  try {
    await work()
  } catch (error) {
    return error instanceof SealstoneError ? error.code : error
  }
  return 'no error'
}

export default {
  async test() {
    const identities = generateIdentity()
    const recipients = recipientOf(identities)
    const data = new Uint8Array(1_000_000).map((_, i) => i % 251)
    for (const suite of ['aes-256-gcm', 'chacha20-poly1305']) {
      same(decryptSync(encryptSync(data, { recipients, suite }), { identities }), data)
      const file = await encrypt(data, { recipients, suite })
      same(await decrypt(file, { identities }), data)
      file[file.length - 1] ^= 1
      equal(await codeOf(() => decrypt(file, { identities })), 'not_authentic')
    }
    const sealed = new Blob([data]).stream().pipeThrough(sealstone.encryptionStream({ recipients }))
    const opened = await new Response(sealed.pipeThrough(sealstone.decryptionStream({ identities }))).arrayBuffer()
    same(new Uint8Array(opened), data)
    const passphrase = 'correct horse'
    same(await decrypt(await encrypt('x', { passphrase }), { passphrase }), new TextEncoder().encode('x'))
    const p256 = generateIdentity('p256')
    equal((await sealstone.importIdentity(sealstone.exportIdentity(p256, 'pem'))).kind, 'p256')
    const message = await sealstone.sealMessage(recipients, 'attack')
    equal(new TextDecoder().decode(await sealstone.openMessage(identities, message)), 'attack')
    const key = aead('aes-256-gcm', new Uint8Array(32))
    same(await key.openRandomAsync('', await key.sealRandomAsync('', data)), data)
    equal(hashHex('sha256', '').slice(0, 8), 'e3b0c442')
    equal(createHasher('sm3').update('abc').digest().length, 32)
    equal(cipher('sm4-ecb', new Uint8Array(16)).encrypt(undefined, 'x').length, 16)
    const signer = generateKey('ml-dsa-87')
    signer.publicKey.verify(data, await signer.signAsync(data))
    const releases = generateKey('hybrid-sign')
    const signature = await signed.sign(new Blob([data]), releases)
    equal((await signed.verify(data, signature, releases.publicKey)).contentLen, data.length)
    equal(await codeOf(() => signed.signFile('x', releases)), 'unavailable_backend')
    const pair = yuants.createKeyPair()
    same(yuants.decryptByPrivateKey(yuants.encryptByPublicKey(data, pair.public_key), pair.private_key), data)
    equal(fiseDecrypt(fiseEncrypt('fise', defaultRules), defaultRules), 'fise')
    equal(await codeOf(() => sealstone.inspectFile('x')), 'unavailable_backend')
    if (!sealstone.backend().includes('webassembly')) throw new Error(sealstone.backend())
  },
}
