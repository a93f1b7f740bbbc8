// RSA that encrypts: vectors, keys in their forms, and refused input. In Node, where all of it is at once too.

import { generateKeyPairSync } from 'node:crypto'
import { expect, test } from 'vitest'
import { pairs } from '#pairs'
import { wycheproof } from '#wycheproof-rsa'
import {
  exportPrivateKey,
  exportPublicKey,
  generateKey,
  generateKeySync,
  importPrivateKey,
  importPrivateKeySync,
  importPublicKey,
  importPublicKeySync,
  legacy,
  type OaepOptions,
  PrivateKey,
  PublicKey,
} from '../src/api/rsa.js'
import { compare, flip, fromBase64, fromHex, randomBytes, toHex } from './data.js'

const code = (code: string) => expect.objectContaining({ name: 'SealstoneError', code })
const HASHES: Record<string, NonNullable<OaepOptions['hash']>> = {
  'SHA-1': 'sha1',
  'SHA-256': 'sha256',
  'SHA-384': 'sha384',
  'SHA-512': 'sha512',
}
const own = importPrivateKeySync(fromBase64(pairs.rsa))

/** The PKCS#1 of a published key. */
const published = (name: string): PrivateKey => {
  const found = pairs.rejection.find(({ key, pkcs1 }) => key === name && pkcs1 != null)
  return importPrivateKeySync(fromHex(found?.pkcs1 as string))
}

test('every RSA-OAEP of Wycheproof with one hash', async () => {
  let [right, refused] = [0, 0]
  for (const [file, { testGroups }] of Object.entries(wycheproof)) {
    if (!file.startsWith('rsa_oaep_')) continue
    for (const { keySize, sha, mgfSha, privateKeyPkcs8, tests } of testGroups) {
      const hash = HASHES[sha]
      if (hash === undefined || mgfSha !== sha || keySize < 2048) continue
      const key = importPrivateKeySync(fromHex(privateKeyPkcs8))
      expect(key.bits).toBe(keySize)
      for (const { tcId, result, msg, ct, label } of tests) {
        const [ciphertext, options] = [fromHex(ct), { hash, label: fromHex(label) }]
        const what = `${file} ${tcId}`
        let plaintext: Uint8Array | undefined
        try {
          plaintext = key.decrypt(ciphertext, options)
        } catch (error) {
          const isWhole = ciphertext.length === Math.ceil(keySize / 8)
          expect(error, what).toEqual(code(isWhole ? 'not_authentic' : 'wrong_length'))
        }
        // AWS-LC refuses ciphertexts that are small numbers, which may be refused.
        if (plaintext === undefined) {
          expect(result, what).not.toBe('valid')
          await expect(key.decryptAsync(ciphertext, options), what).rejects.toThrow()
          refused++
        } else {
          expect([toHex(plaintext), result], what).toEqual([msg, expect.not.stringMatching('invalid')])
          expect(toHex(await key.decryptAsync(ciphertext, options)), what).toBe(msg)
          expect(toHex(key.decrypt(key.publicKey.encrypt(fromHex(msg), options), options))).toBe(msg)
          expect(toHex(key.decrypt(await key.publicKey.encryptAsync(fromHex(msg), options), options))).toBe(msg)
          right++
        }
      }
    }
  }
  expect(right + refused).toBe(348)
  expect(right).toBeGreaterThanOrEqual(195)
})

test('every PKCS#1 v1.5 of Wycheproof: a wrong padding gives another message, always the same', async () => {
  let [right, rejected, refused] = [0, 0, 0]
  for (const bits of [2048, 3072, 4096]) {
    for (const { privateKeyPkcs8, tests } of wycheproof[`rsa_pkcs1_${bits}`]?.testGroups ?? []) {
      const key = importPrivateKeySync(fromHex(privateKeyPkcs8))
      for (const { tcId, result, msg, ct } of tests) {
        const [ciphertext, what] = [fromHex(ct), `${bits} ${tcId}`]
        let plaintext: Uint8Array
        try {
          plaintext = legacy.decryptPkcs1(key, ciphertext)
        } catch (error) {
          expect(result, what).toBe('invalid')
          expect(['wrong_length', 'malformed_ciphertext']).toContain((error as { code: string }).code)
          refused++
          continue
        }
        expect(compare(await legacy.decryptPkcs1Async(key, ciphertext), plaintext), what).toBe(0)
        if (result === 'invalid') {
          expect(plaintext.length === 0 || toHex(plaintext) !== msg, what).toBe(true)
          rejected++
        } else {
          expect(toHex(plaintext), what).toBe(msg)
          right++
        }
      }
    }
  }
  expect([right, rejected, refused]).toEqual([124, 50, 27])
})

test('implicit rejection is that of the draft', () => {
  let ran = 0
  for (const name of ['k2048', 'k2049', 'k3072', 'k4096']) {
    const key = published(name)
    for (const { key: of, pkcs1, ciphertext, message, id } of pairs.rejection) {
      if (of !== name || pkcs1 != null) continue
      expect(toHex(legacy.decryptPkcs1(key, fromHex(ciphertext as string))), id).toBe(message)
      ran++
    }
  }
  expect(ran).toBe(48)
})

test('one error covers all that is wrong with a ciphertext, but its length', async () => {
  const options = { hash: 'sha384', label: 'label' } as const
  const ciphertext = own.publicKey.encrypt('a key', options)
  expect(ciphertext).toHaveLength(256)
  expect(compare(own.publicKey.encrypt('a key', options), ciphertext)).not.toBe(0)
  expect(new TextDecoder().decode(own.decrypt(ciphertext, options))).toBe('a key')
  for (const wrong of [undefined, { hash: 'sha384' }, { ...options, hash: 'sha256' }, { ...options, label: 'x' }]) {
    expect(() => own.decrypt(ciphertext, wrong as OaepOptions)).toThrow(code('not_authentic'))
    await expect(own.decryptAsync(ciphertext, wrong as OaepOptions)).rejects.toThrow(code('not_authentic'))
  }
  for (const at of [0, 100, 255]) {
    const damaged = ciphertext.slice()
    flip(damaged, at)
    expect(() => own.decrypt(damaged, options)).toThrow(code('not_authentic'))
  }
  for (const length of [0, 255, 257]) {
    expect(() => own.decrypt(new Uint8Array(length))).toThrow(code('wrong_length'))
    expect(() => legacy.decryptPkcs1(own, new Uint8Array(length))).toThrow(code('wrong_length'))
    await expect(legacy.decryptPkcs1Async(own, new Uint8Array(length))).rejects.toThrow(code('wrong_length'))
  }
  expect(() => legacy.decryptPkcs1(own, new Uint8Array(256).fill(255))).toThrow(code('malformed_ciphertext'))
})

test('the longest plaintexts are taken, and no longer ones', async () => {
  for (const [hash, digest] of [
    ['sha1', 20],
    ['sha256', 32],
    ['sha384', 48],
    ['sha512', 64],
  ] as const) {
    const longest = 256 - 2 * digest - 2
    for (const length of [0, 1, longest]) {
      const data = randomBytes(length)
      expect(compare(own.decrypt(own.publicKey.encrypt(data, { hash }), { hash }), data)).toBe(0)
    }
    const tooLong = randomBytes(longest + 1)
    expect(() => own.publicKey.encrypt(tooLong, { hash })).toThrow(code('too_long'))
    await expect(own.publicKey.encryptAsync(tooLong, { hash })).rejects.toThrow(code('too_long'))
  }
  for (const length of [0, 1, 245]) {
    const data = randomBytes(length)
    expect(compare(legacy.decryptPkcs1(own, legacy.encryptPkcs1(own.publicKey, data)), data)).toBe(0)
    expect(compare(legacy.decryptPkcs1(own, await legacy.encryptPkcs1Async(own.publicKey, data)), data)).toBe(0)
  }
  expect(() => legacy.encryptPkcs1(own.publicKey, randomBytes(246))).toThrow(code('too_long'))
})

test('keys are written and read in their forms', async () => {
  const key = published('k2049')
  const der = toHex(exportPublicKey(key.publicKey, 'der'))
  expect([key.bits, key.publicKey.bits]).toEqual([2049, 2049])
  for (const form of ['pem', 'der', 'jwk'] as const) {
    const [one, other] = [exportPrivateKey(key, form as 'der'), exportPublicKey(key.publicKey, form as 'der')]
    for (const read of [await importPrivateKey(one), importPrivateKeySync(one)]) {
      expect([read.bits, toHex(exportPublicKey(read.publicKey, 'der'))], form).toEqual([2049, der])
    }
    for (const read of [await importPublicKey(other), importPublicKeySync(other)]) {
      expect([read.bits, toHex(exportPublicKey(read, 'der'))], form).toEqual([2049, der])
    }
    await expect(importPublicKey(one), form).rejects.toThrow(code('invalid_key'))
    await expect(importPrivateKey(other), form).rejects.toThrow(code('invalid_key'))
  }
  const passphrase = 'correct horse battery staple'
  for (const form of ['pem', 'der'] as const) {
    const written = exportPrivateKey(key, form as 'der', { passphrase })
    expect((await importPrivateKey(written, { passphrase })).bits).toBe(2049)
    await expect(importPrivateKey(written)).rejects.toThrow(code('passphrase_required'))
    await expect(importPrivateKey(written, { passphrase: 'wrong' })).rejects.toThrow(code('no_matching_identity'))
  }
  expect(() => exportPrivateKey(key, 'jwk', { passphrase })).toThrow(code('unsupported_key'))
  const short = generateKeyPairSync('rsa', { modulusLength: 1024 })
  await expect(importPrivateKey(short.privateKey)).rejects.toThrow(code('invalid_key'))
  await expect(importPublicKey(short.publicKey)).rejects.toThrow(code('invalid_key'))
  const curve = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  await expect(importPrivateKey(curve.privateKey)).rejects.toThrow(code('unsupported_key'))
})

test('keys of WebCrypto that encrypt are read, and others refused', async () => {
  const { subtle } = crypto
  const rsa = { modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]), hash: 'SHA-256' }
  const theirs = await subtle.generateKey({ name: 'RSA-OAEP', ...rsa }, true, ['encrypt', 'decrypt'])
  const data = randomBytes(32)
  const key = await importPrivateKey(theirs.privateKey)
  const sent = await subtle.encrypt({ name: 'RSA-OAEP' }, theirs.publicKey, data)
  expect(compare(key.decrypt(sent), data)).toBe(0)
  const received = await subtle.decrypt({ name: 'RSA-OAEP' }, theirs.privateKey, key.publicKey.encrypt(data))
  expect(compare(new Uint8Array(received), data)).toBe(0)
  const pss = await subtle.generateKey({ name: 'RSA-PSS', ...rsa }, true, ['sign', 'verify'])
  await expect(importPrivateKey(pss.privateKey)).rejects.toThrow(/for signatures \(RSA-PSS\)/)
})

test('a key is made elsewhere, until a signal ends that', async () => {
  const reason = new Error('the reason')
  const controller = new AbortController()
  const ended = generateKey(4096, { signal: controller.signal })
  // In the same turn, in which no result can come.
  controller.abort(reason)
  await expect(ended).rejects.toBe(reason)
  await expect(generateKey(2048, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  const key = await generateKey(2048)
  expect([key.bits, key.decrypt(key.publicKey.encrypt('a key')).length]).toEqual([2048, 5])
  for (const bits of [0, 512, 1024, 2047, 8192]) {
    await expect(generateKey(bits as 2048), `${bits}`).rejects.toThrow(code('invalid_option'))
  }
})

test('what is no key, hash, form or option is refused, and keys end with destroy', async () => {
  for (const name of ['', 'SHA256', 'sha224', 'md5', 'sha3-256', '__proto__']) {
    expect(() => own.publicKey.encrypt('x', { hash: name as never }), name).toThrow(code('unknown_algorithm'))
    expect(() => own.decrypt(new Uint8Array(256), { hash: name as never })).toThrow(code('unknown_algorithm'))
    await expect(own.publicKey.encryptAsync('x', { hash: name as never })).rejects.toThrow(code('unknown_algorithm'))
    expect(() => exportPrivateKey(own, name as never)).toThrow(code('unknown_algorithm'))
  }
  for (const wrong of [null, 5, {}, []] as never[]) {
    expect(() => own.publicKey.encrypt(wrong)).toThrow(TypeError)
    expect(() => own.decrypt(wrong)).toThrow(TypeError)
    expect(() => legacy.encryptPkcs1(wrong, 'x')).toThrow(TypeError)
    expect(() => own.publicKey.encrypt('x', { label: wrong })).toThrow(TypeError)
    await expect(importPrivateKey(wrong)).rejects.toThrow(TypeError)
  }
  for (const bits of [null, '2048', 2048.5, -1, {}] as never[]) {
    await expect(generateKey(bits)).rejects.toThrow(TypeError)
  }
  expect(() => legacy.decryptPkcs1(own.publicKey as never, new Uint8Array(256))).toThrow(/expected a PrivateKey/)
  expect(() => own.decrypt('00' as never)).toThrow(/the ciphertext is text/)
  const key = importPrivateKeySync(exportPrivateKey(own))
  const { publicKey } = key
  expect(key).toBeInstanceOf(PrivateKey)
  expect(publicKey).toBeInstanceOf(PublicKey)
  expect([String(key), String(publicKey), Object.keys(key)]).toEqual([
    'PrivateKey(rsa, 2048 bits)',
    'PublicKey(rsa, 2048 bits)',
    ['bits'],
  ])
  // Begun work goes on.
  const begun = key.decryptAsync(publicKey.encrypt('a key'))
  key.destroy()
  publicKey.destroy()
  expect(await begun).toHaveLength(5)
  for (const use of [() => key.decrypt(new Uint8Array(256)), () => key.publicKey, () => publicKey.encrypt('x')]) {
    expect(use).toThrow(/the key was destroyed/)
  }
})

test('a key is made at once, of the sizes that there are', () => {
  const key = generateKeySync(2048)
  expect([key.bits, key.publicKey.bits]).toEqual([2048, 2048])
  expect(compare(key.decrypt(key.publicKey.encrypt(fromHex('00ff'))), fromHex('00ff'))).toBe(0)
  for (const bits of [0, 1024, 2047, 16_384])
    expect(() => generateKeySync(bits as never)).toThrow(code('invalid_option'))
  for (const bits of [-1, 2048.5, '2048', null]) expect(() => generateKeySync(bits as never)).toThrow(TypeError)
})
