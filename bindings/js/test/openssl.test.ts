// Comparison with OpenSSL, through Node.

import {
  createCipheriv,
  createDecipheriv,
  createHash,
  createHmac,
  getHashes,
  hkdfSync,
  pbkdf2Sync,
  randomBytes,
  randomInt,
  scryptSync,
} from 'node:crypto'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import table from '../../table.json' with { type: 'json' }
import { aead, aeadKeyLength } from '../src/api/aead.js'
import { createHasher, type HashAlgorithm, hash, hashFile, hashHex, hashInto } from '../src/api/hash.js'
import { type CipherAlgorithm, cipher, cipherKeyLength } from '../src/api/hazmat.js'
import * as kdf from '../src/api/kdf.js'
import { mac } from '../src/api/mac.js'
import { verifyPassword } from '../src/api/password.js'

const LENGTHS = [0, 1, 15, 16, 17, 50, 1000, 4096, 16_384, 16_385, 65_536, 1_000_000]

test('AEADs are those of OpenSSL', () => {
  for (const algorithm of ['aes-128-gcm', 'aes-192-gcm', 'aes-256-gcm', 'chacha20-poly1305'] as const) {
    const secret = randomBytes(aeadKeyLength(algorithm))
    const key = aead(algorithm, secret)
    for (const len of LENGTHS) {
      const [nonce, aad, data] = [randomBytes(12), randomBytes(20), randomBytes(len)]
      const theirs = createCipheriv(algorithm as 'aes-256-gcm', secret, nonce, { authTagLength: 16 } as never)
      theirs.setAAD(aad, { plaintextLength: len } as never)
      const sealed = Buffer.concat([theirs.update(data), theirs.final(), theirs.getAuthTag()])
      expect(Buffer.compare(key.seal(nonce, aad, data), sealed)).toBe(0)
    }
  }
})

test('what is sealed and opened later is what OpenSSL seals and opens, of few bytes and of many', async () => {
  for (const algorithm of ['aes-128-gcm', 'aes-192-gcm', 'aes-256-gcm', 'chacha20-poly1305'] as const) {
    const secret = randomBytes(aeadKeyLength(algorithm))
    const key = aead(algorithm, secret)
    const cipherOf = (create: typeof createCipheriv | typeof createDecipheriv, nonce: Uint8Array, aad: Uint8Array) => {
      const made = create(algorithm as 'aes-256-gcm', secret, nonce, { authTagLength: 16 } as never)
      return made.setAAD(aad, { plaintextLength: 0 } as never) as never
    }
    for (const len of [0, 50, (256 << 10) - 1, 256 << 10, (256 << 10) + 1, 1_000_000, 5_000_001]) {
      const [nonce, aad, data] = [randomBytes(12), randomBytes(20), randomBytes(len)]
      const theirs: ReturnType<typeof createCipheriv> & { getAuthTag(): Buffer } = cipherOf(createCipheriv, nonce, aad)
      const sealed = Buffer.concat([theirs.update(data), theirs.final(), theirs.getAuthTag()])
      const ours = await key.sealAsync(nonce, aad, data)
      expect(Buffer.compare(ours, sealed)).toBe(0)
      expect(ours.buffer.byteLength).toBe(sealed.length)
      expect(Buffer.compare(await key.openAsync(nonce, aad, sealed), data)).toBe(0)
      const own = await key.sealRandomAsync(aad, data)
      const opens: ReturnType<typeof createDecipheriv> & { setAuthTag(tag: Uint8Array): void } = cipherOf(
        createDecipheriv,
        own.subarray(0, 12),
        aad,
      )
      opens.setAuthTag(own.subarray(-16))
      expect(Buffer.compare(Buffer.concat([opens.update(own.subarray(12, -16)), opens.final()]), data)).toBe(0)
      expect(Buffer.compare(await key.openRandomAsync(aad, own), data)).toBe(0)
    }
  }
})

/** Each hash with the name that OpenSSL has for it, if it has one. */
const HASHES = table.hashes.map(({ name, spellings }) => {
  const theirs = [name, ...spellings.map((spelling) => spelling.toLowerCase())].find((one) => getHashes().includes(one))
  return [name as HashAlgorithm, theirs] as const
})

/** Its SHAKE has half the bytes where none are asked for. */
function digestOf(name: string, data: Uint8Array, length: number): Buffer {
  const options = name.startsWith('shake') ? { outputLength: length } : undefined
  return createHash(name, options).update(data).digest()
}

test('digests of any length are those of OpenSSL', () => {
  for (const algorithm of ['shake128', 'shake256'] as const) {
    for (const length of [1, 16, 31, 32, 63, 64, 65, 135, 136, 137, 168, 169, 10_000]) {
      const data = randomBytes(length * 3)
      const theirs = digestOf(algorithm, data, length)
      expect(Buffer.compare(hash(algorithm, data, { length }), theirs)).toBe(0)
      expect(hashHex(algorithm, data, { length })).toBe(theirs.toString('hex'))
      expect(createHasher(algorithm).update(data).digest('base64', { length })).toBe(theirs.toString('base64'))
    }
  }
})

test('hashes are those of OpenSSL, whole and in pieces', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sealstone-'))
  try {
    expect(HASHES.filter(([, theirs]) => theirs !== undefined).length).toBeGreaterThanOrEqual(15)
    for (const [algorithm, theirs] of HASHES) {
      for (const len of [0, 1, 63, 64, 65, 1000, 100_000]) {
        const data = randomBytes(len)
        const digest = Buffer.from(hash(algorithm, data))
        if (theirs) expect(digest.toString('hex')).toBe(digestOf(theirs, data, digest.length).toString('hex'))
        expect(hashHex(algorithm, data)).toBe(digest.toString('hex'))
        const memory = new Uint8Array(Math.max(len, 100))
        memory.set(data)
        expect(hashInto(algorithm, memory.subarray(0, len), memory)).toBe(digest.length)
        expect(Buffer.compare(memory.subarray(0, digest.length), digest)).toBe(0)
        const hasher = createHasher(algorithm)
        for (let at = 0; at < len; at += 777) hasher.update(data.subarray(at, at + 777))
        expect(Buffer.compare(hasher.digest(), digest)).toBe(0)
        expect(Buffer.compare(hasher.digest(), digest)).toBe(0)
        await writeFile(join(folder, 'data'), data)
        expect(Buffer.compare(await hashFile(algorithm, join(folder, 'data')), digest)).toBe(0)
      }
    }
  } finally {
    await rm(folder, { recursive: true })
  }
})

/** Those that HMAC is over, and which OpenSSL has. */
const UNDER_HMAC = HASHES.flatMap(([hash, theirs]) =>
  theirs === undefined || hash.startsWith('shake') ? [] : [[hash as kdf.HmacHash, theirs] as const],
)

test('HMACs are those of OpenSSL, of keys and messages of any length, in pieces and of files', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'sealstone-'))
  try {
    expect(UNDER_HMAC.length).toBeGreaterThanOrEqual(12)
    for (const [hash, theirs] of UNDER_HMAC) {
      for (const len of [0, 1, 50, 63, 64, 65, 1000, 100_000, 1_500_000]) {
        const [secret, data] = [randomBytes(1 + randomInt(200)), randomBytes(len)]
        const key = mac(`hmac-${hash}`, secret)
        const tag = createHmac(theirs, secret).update(data).digest()
        expect(Buffer.compare(key.sign(data), tag), hash).toBe(0)
        for (const encoding of ['hex', 'base64', 'base64url'] as const) {
          expect(key.signText(data, encoding)).toBe(tag.toString(encoding))
          key.verifyText(data, tag.toString(encoding), encoding)
        }
        // Memory may be the message's.
        const memory = new Uint8Array(Math.max(len, 100))
        memory.set(data)
        expect(key.signInto(memory.subarray(0, len), memory)).toBe(tag.length)
        expect(Buffer.compare(memory.subarray(0, tag.length), tag)).toBe(0)
        const path = join(folder, 'data')
        await writeFile(path, data)
        expect(Buffer.compare(await key.signFile(path), tag)).toBe(0)
        expect(await key.signFileText(path)).toBe(tag.toString('hex'))
        expect(await key.signFileText(path, 'base64url')).toBe(tag.toString('base64url'))
        key.destroy()
      }
    }
    const key = mac('hmac-sha256', 'key')
    await expect(key.signFile(join(folder, 'nowhere'))).rejects.toMatchObject({ code: 'io' })
    const reason = new Error('the reason')
    await expect(key.signFile(folder, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    const signing = key.signFile(join(folder, 'data'))
    key.destroy()
    expect(await signing).toHaveLength(32)
  } finally {
    await rm(folder, { recursive: true })
  }
})

test('derived keys are those of OpenSSL, of inputs of any length, at once and later', async () => {
  for (const [hash, theirs] of UNDER_HMAC) {
    for (const length of [1, 16, 20, 32, 64, 65, 300]) {
      const [secret, salt, info] = [randomBytes(randomInt(1, 200)), randomBytes(randomInt(100)), randomBytes(length)]
      const okm = Buffer.from(hkdfSync(theirs, secret, salt, info, length))
      expect(Buffer.compare(kdf.hkdf(hash, secret, { salt, info, length }), okm), hash).toBe(0)
      const iterations = randomInt(1, 50)
      const key = pbkdf2Sync(secret, salt, iterations, length, theirs)
      expect(Buffer.compare(kdf.pbkdf2Sync(hash, secret, salt, { iterations, length }), key), hash).toBe(0)
      expect(Buffer.compare(await kdf.pbkdf2(hash, secret, salt, { iterations, length }), key), hash).toBe(0)
    }
  }
  for (const [logN, r, p] of [
    [1, 1, 1],
    [4, 8, 2],
    [10, 3, 1],
  ] as const) {
    const [secret, salt] = [randomBytes(randomInt(100)), randomBytes(randomInt(100))]
    const key = scryptSync(secret, salt, 70, { N: 2 ** logN, r, p })
    expect(Buffer.compare(kdf.scryptSync(secret, salt, { logN, r, p, length: 70 }), key)).toBe(0)
    expect(Buffer.compare(await kdf.scrypt(secret, salt, { logN, r, p, length: 70 }), key)).toBe(0)
  }
  // Node's hash is verified as it is stored.
  const [salt, key] = [randomBytes(16), (salt: Buffer) => pbkdf2Sync('password', salt, 1000, 32, 'sha512')]
  const [salted, hashed] = [salt, key(salt)].map((bytes) => bytes.toString('base64').replaceAll('=', ''))
  await verifyPassword('password', `$pbkdf2-sha512$i=1000,l=32$${salted}$${hashed}`)
})

test('ciphers are those of OpenSSL, with padding and without', () => {
  const modes = ['ecb', 'cbc', 'ctr', 'cfb', 'ofb'] as const
  for (const algorithm of ['sm4', 'aes-128', 'aes-192', 'aes-256'] as const) {
    for (const mode of modes) {
      const name: CipherAlgorithm = `${algorithm}-${mode}`
      const secret = randomBytes(cipherKeyLength(name))
      const key = cipher(name, secret)
      const iv = mode === 'ecb' ? undefined : randomBytes(16)
      for (const len of [0, 1, 16, 17, 1000, 4096]) {
        const data = randomBytes(len)
        const theirs = createCipheriv(name, secret, iv ?? null)
        const sealed = Buffer.concat([theirs.update(data), theirs.final()])
        expect(Buffer.compare(key.encrypt(iv, data), sealed), name).toBe(0)
        expect(Buffer.compare(key.decrypt(iv, sealed), data), name).toBe(0)
        const whole = data.subarray(0, len - (len % 16))
        const memory = new Uint8Array(whole)
        expect(key.encryptInto(iv, memory, memory)).toBe(whole.length)
        const back = createDecipheriv(name, secret, iv ?? null).setAutoPadding(false)
        expect(Buffer.compare(Buffer.concat([back.update(memory), back.final()]), whole)).toBe(0)
        expect(Buffer.compare(key.encrypt(iv, whole, { padding: false }), memory)).toBe(0)
        key.decryptInto(iv, memory, memory)
        expect(Buffer.compare(memory, whole)).toBe(0)
      }
    }
  }
})

test('inspect shows no key of a handle', () => {
  const secret = Buffer.alloc(32, 'k')
  for (const key of [aead('aes-256-gcm', secret), cipher('aes-256-cbc', secret)]) {
    expect(inspect(key, { showHidden: true })).not.toMatch(/kkkk|6b6b|107/)
    expect(inspect(key)).toMatch(/aes-256/)
  }
})
