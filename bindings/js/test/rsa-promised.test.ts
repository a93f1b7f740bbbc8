// RSA by promises: encryption, and data that it does not sign. In browsers, with WebCrypto, as in Node.

import { expect, test } from 'vitest'
import { pairs } from '#pairs'
import { wycheproof } from '#wycheproof-rsa'
import {
  exportPrivateKey,
  exportPublicKey,
  generateKey,
  importPrivateKey,
  importPublicKey,
  type OaepOptions,
} from '../src/api/rsa.js'
import { importPrivateKey as importSigningKey } from '../src/api/sign.js'
import { flip, fromBase64, fromHex, toHex } from './data.js'

const code = (code: string) => expect.objectContaining({ name: 'SealstoneError', code })
const HASHES = ['sha1', 'sha256', 'sha384', 'sha512'] as const

test('what was encrypted is decrypted, with the same hash and label alone', async () => {
  const key = await importPrivateKey(fromBase64(pairs.rsa))
  for (const hash of HASHES) {
    for (const label of ['', 'label']) {
      const ciphertext = await key.publicKey.encryptAsync('a key', { hash, label })
      expect(new TextDecoder().decode(await key.decryptAsync(ciphertext, { hash, label }))).toBe('a key')
      const other: OaepOptions = { hash, label: 'another' }
      await expect(key.decryptAsync(ciphertext, other)).rejects.toThrow(code('not_authentic'))
      flip(ciphertext, 100)
      await expect(key.decryptAsync(ciphertext, { hash, label })).rejects.toThrow(code('not_authentic'))
    }
  }
  await expect(key.decryptAsync(new Uint8Array(255))).rejects.toThrow(code('wrong_length'))
  await expect(key.publicKey.encryptAsync(new Uint8Array(191))).rejects.toThrow(code('too_long'))
  const unknown = { hash: 'sha3-256' } as unknown as OaepOptions
  await expect(key.publicKey.encryptAsync('', unknown)).rejects.toThrow(code('unknown_algorithm'))
})

test('a key of RSA signs and verifies no data that begin as what a signature file signs', async () => {
  const key = await importSigningKey(fromBase64(pairs.rsa), { kind: 'rsa-sign' })
  for (const start of ['SSHSIG', 'CompositeAlgorithmSignatures2025']) {
    for (const data of [start, `${start}${'x'.repeat(1_000_000)}`]) {
      await expect(key.signAsync(data, { scheme: 'pkcs1' })).rejects.toThrow(code('invalid_key'))
      await expect(key.publicKey.verifyAsync(data, new Uint8Array(256))).rejects.toThrow(/reserved for signature files/)
    }
    const almost = start.slice(0, -1)
    await key.publicKey.verifyAsync(almost, await key.signAsync(almost))
  }
})

test('the RSA-OAEP of Wycheproof with SHA-256', async () => {
  let [right, refused] = [0, 0]
  for (const { privateKeyPkcs8, tests } of wycheproof.rsa_oaep_2048_sha256_mgf1sha256?.testGroups ?? []) {
    const key = await importPrivateKey(fromHex(privateKeyPkcs8))
    for (const { tcId, result, msg, ct, label } of tests) {
      const opened = key.decryptAsync(fromHex(ct), { label: fromHex(label) })
      if (result === 'valid') {
        expect(toHex(await opened), `${tcId}`).toBe(msg)
        right++
      } else {
        const isWhole = fromHex(ct).length === key.bits / 8
        await expect(opened, `${tcId}`).rejects.toThrow(code(isWhole ? 'not_authentic' : 'wrong_length'))
        refused++
      }
    }
  }
  expect([right > 10, refused > 10]).toEqual([true, true])
})

test('a fresh key is read from what it is written to', async () => {
  const key = await generateKey(2048)
  const ciphertext = await key.publicKey.encryptAsync('a key')
  for (const form of ['pem', 'der', 'jwk'] as const) {
    const copy = await importPrivateKey(exportPrivateKey(key, form as 'pem'))
    const public_ = await importPublicKey(exportPublicKey(copy.publicKey, form as 'pem'))
    expect([copy.bits, public_.bits]).toEqual([2048, 2048])
    expect(await key.decryptAsync(await public_.encryptAsync('a key'))).toEqual(await copy.decryptAsync(ciphertext))
  }
})
