import { expect, test } from 'vitest'
import { type AeadAlgorithm, aead, aeadKeyLength, aeadNonceLength } from '../src/api/aead.js'
import { timingSafeEqual } from '../src/api/encoding.js'
import { createHasher, hash, hashHex } from '../src/api/hash.js'
import { cipher, poly1305 } from '../src/api/hazmat.js'
import {
  blake3DeriveKey,
  concatKdf,
  createKeyCache,
  hkdf,
  hkdfExpand,
  hkdfExtract,
  pbkdf2,
  pbkdf2Sync,
} from '../src/api/kdf.js'
import { mac } from '../src/api/mac.js'
import { hashPasswordSync, verifyPasswordSync } from '../src/api/password.js'
import { bytesOf, compare, includes, randomBytes, textOf, toHex } from './data.js'

const ALGORITHMS: AeadAlgorithm[] = [
  'aes-128-gcm',
  'aes-192-gcm',
  'aes-256-gcm',
  'aes-128-gcm-siv',
  'aes-256-gcm-siv',
  'chacha20-poly1305',
  'xchacha20-poly1305',
  'sm4-gcm',
  'sm4-ccm',
]
const LENGTHS = [0, 1, 15, 16, 17, 50, 1000, 4096, 16_384, 16_385, 65_536, 1_000_000]
const code = (code: string) => expect.objectContaining({ name: 'SealstoneError', code })

test('what an AEAD seals it opens, into new memory and into that of the caller', () => {
  for (const algorithm of ALGORITHMS) {
    const key = aead(algorithm, randomBytes(aeadKeyLength(algorithm)))
    const nonceLen = aeadNonceLength(algorithm)
    for (const len of LENGTHS) {
      const [nonce, aad, data] = [randomBytes(nonceLen), randomBytes(len % 50), randomBytes(len)]
      const sealed = key.seal(nonce, aad, data)
      expect(sealed).toHaveLength(len + 16)
      expect(compare(key.open(nonce, aad, sealed), data)).toBe(0)
      const out = new Uint8Array(len + 30)
      expect(key.sealInto(nonce, aad, data, out)).toBe(len + 16)
      expect(compare(out.subarray(0, len + 16), sealed)).toBe(0)
      expect(out.subarray(len + 16)).toEqual(new Uint8Array(14))
      expect(key.openInto(nonce, aad, sealed, out)).toBe(len)
      expect(compare(out.subarray(0, len), data)).toBe(0)
      const own = key.sealRandom(aad, data)
      expect(own).toHaveLength(nonceLen + len + 16)
      expect(compare(key.openRandom(aad, own), data)).toBe(0)
      expect(compare(key.open(own.subarray(0, nonceLen), aad, own.subarray(nonceLen)), data)).toBe(0)
      expect(key.openRandom(undefined, key.sealRandom(undefined, ''))).toHaveLength(0)
    }
  }
})

test('every AEAD does later what it does at once, and fails likewise', async () => {
  for (const algorithm of ALGORITHMS) {
    const key = aead(algorithm, randomBytes(aeadKeyLength(algorithm)))
    const nonce = randomBytes(aeadNonceLength(algorithm))
    for (const len of [50, 300_000, 2_000_000]) {
      const data = randomBytes(len)
      const sealed = key.seal(nonce, 'aad', data)
      expect(compare(await key.sealAsync(nonce, 'aad', data), sealed)).toBe(0)
      expect(compare(await key.openAsync(nonce, 'aad', sealed), data)).toBe(0)
      expect(compare(await key.openRandomAsync(undefined, key.sealRandom(undefined, data)), data)).toBe(0)
      expect(compare(key.openRandom(undefined, await key.sealRandomAsync(undefined, data)), data)).toBe(0)
      for (const at of [0, len >> 1, len + 15]) {
        const broken = sealed.slice()
        broken[at] = (broken[at] ?? 0) ^ 1
        await expect(key.openAsync(nonce, 'aad', broken)).rejects.toEqual(code('not_authentic'))
      }
      await expect(key.openAsync(nonce, 'aae', sealed)).rejects.toEqual(code('not_authentic'))
      await expect(key.openRandomAsync('aad', sealed)).rejects.toEqual(code('not_authentic'))
      await expect(key.sealAsync(nonce.subarray(1), 'aad', data)).rejects.toEqual(code('wrong_length'))
      await expect(key.openAsync(nonce.subarray(1), 'aad', sealed)).rejects.toEqual(code('wrong_length'))
      for (const wrong of [undefined, null, 7, {}]) {
        await expect(key.sealAsync(wrong as never, 'aad', data)).rejects.toThrow(TypeError)
        await expect(key.openAsync(wrong as never, 'aad', sealed)).rejects.toThrow(TypeError)
        await expect(key.sealAsync(nonce, 'aad', wrong as never)).rejects.toThrow(TypeError)
      }
      await expect(key.sealAsync(nonce, 'aad', data, { nonce: 'x' } as never)).rejects.toThrow(TypeError)
    }
  }
  const tooLong = aead('sm4-ccm', new Uint8Array(16)).sealAsync(new Uint8Array(12), undefined, new Uint8Array(1 << 24))
  await expect(tooLong).rejects.toEqual(code('too_long'))
})

test('work on one buffer that goes on later has its own nonce, aad and key, and ends with its signal', async () => {
  const key = aead('aes-256-gcm', new Uint8Array(32).fill(7))
  const same = aead('aes-256-gcm', new Uint8Array(32).fill(7))
  const [nonce, aad, data] = [randomBytes(12), randomBytes(20), randomBytes(8_000_000)]
  const expected = key.seal(nonce, aad, data)
  const sealed = key.sealAsync(nonce, aad, data)
  const opened = key.openAsync(nonce, aad, expected)
  nonce.fill(0)
  aad.fill(0)
  key.destroy()
  expect(compare(await sealed, expected)).toBe(0)
  expect(compare(await opened, data)).toBe(0)
  await expect(key.sealAsync(nonce, aad, data)).rejects.toThrow(/destroyed/)
  await expect(key.sealAsync(nonce, aad, 'x')).rejects.toThrow(/destroyed/)

  for (const len of [10, 8_000_000]) {
    const seen: number[] = []
    const onProgress = ({ bytes }: { bytes: number }) => seen.push(bytes)
    const whole = await same.sealRandomAsync('', data.subarray(0, len), { onProgress })
    expect(seen.at(-1)).toBe(len)
    await same.openRandomAsync('', whole, { onProgress })
    const aborted = same.sealRandomAsync('', data.subarray(0, len), { signal: AbortSignal.abort() })
    await expect(aborted).rejects.toMatchObject({ name: 'AbortError' })
  }
  const controller = new AbortController()
  const ended = same.sealRandomAsync('', data, { signal: controller.signal })
  controller.abort(new Error('enough'))
  await expect(ended).rejects.toThrow('enough')
  const detached = same.sealRandomAsync('', data)
  structuredClone(data.buffer, { transfer: [data.buffer] })
  await expect(detached).rejects.toThrow(/detached/)
})

test('input and output of an AEAD may be the same memory, shifted by any number of bytes', () => {
  const key = aead('aes-256-gcm', new Uint8Array(32))
  const [nonce, data] = [randomBytes(12), randomBytes(5000)]
  const sealed = key.seal(nonce, nonce, data)
  for (const shift of [-40, -16, -1, 0, 1, 16, 40]) {
    const memory = new Uint8Array(6000)
    memory.set(data, 100)
    key.sealInto(nonce, nonce, memory.subarray(100, 5100), memory.subarray(100 + shift))
    expect(compare(memory.subarray(100 + shift, 5116 + shift), sealed)).toBe(0)
    memory.set(sealed, 100)
    expect(key.openInto(nonce, nonce, memory.subarray(100, 5116), memory.subarray(100 + shift))).toBe(5000)
    expect(compare(memory.subarray(100 + shift, 5100 + shift), data)).toBe(0)
  }
  // Also nonce and associated data may lie in the output.
  const memory = new Uint8Array(6000)
  memory.set(nonce, 50)
  const lying = memory.subarray(50, 62)
  key.sealInto(lying, lying, data, memory)
  expect(compare(memory.subarray(0, 5016), sealed)).toBe(0)
})

test('whatever is changed is not authentic, and nothing is released', () => {
  for (const algorithm of ALGORITHMS) {
    const key = aead(algorithm, new Uint8Array(aeadKeyLength(algorithm)))
    const nonce = new Uint8Array(aeadNonceLength(algorithm))
    const sealed = key.seal(nonce, 'aad', 'attack at dawn')
    for (let i = 0; i < sealed.length; i++) {
      const broken = sealed.slice()
      broken[i] = (broken[i] ?? 0) ^ 1
      const out = new Uint8Array(sealed.length).fill(9)
      expect(() => key.openInto(nonce, 'aad', broken, out)).toThrow(code('not_authentic'))
      expect(out).toEqual(new Uint8Array(sealed.length))
    }
    expect(() => key.open(nonce, 'aae', sealed)).toThrow(code('not_authentic'))
    expect(() => key.open(nonce.slice().fill(1), 'aad', sealed)).toThrow(code('not_authentic'))
    for (let len = 0; len < 16; len++) {
      expect(() => key.open(nonce, 'aad', sealed.subarray(0, len))).toThrow(code('not_authentic'))
    }
    for (let len = 0; len < nonce.length + 16; len++) {
      expect(() => key.openRandom('aad', new Uint8Array(len))).toThrow(code('not_authentic'))
    }
  }
})

test('keys and nonces of every other length are refused', () => {
  for (const algorithm of ALGORITHMS) {
    for (let len = 0; len <= 65; len++) {
      if (len !== aeadKeyLength(algorithm)) {
        expect(() => aead(algorithm, new Uint8Array(len))).toThrow(code('wrong_length'))
      }
      if (algorithm.endsWith('-gcm') ? ![8, 12, 16].includes(len) : len !== aeadNonceLength(algorithm)) {
        const key = aead(algorithm, new Uint8Array(aeadKeyLength(algorithm)))
        expect(() => key.seal(new Uint8Array(len), undefined, '')).toThrow(code('wrong_length'))
        expect(() => key.open(new Uint8Array(len), undefined, new Uint8Array(16))).toThrow(code('wrong_length'))
      }
    }
  }
  expect(() => aead('rot13' as never, '')).toThrow(code('unknown_algorithm'))
  expect(() =>
    aead('aes-256-gcm', new Uint8Array(32)).sealInto(new Uint8Array(12), '', 'x', new Uint8Array(16)),
  ).toThrow(RangeError)
})

test('a handle shows no key, and a destroyed one throws', () => {
  const secret = new Uint8Array(32).fill('k'.charCodeAt(0))
  for (const key of [aead('aes-256-gcm', secret), cipher('aes-256-cbc', secret)]) {
    for (const shown of [JSON.stringify(key), String(key)]) {
      expect(shown).not.toMatch(/kkkk|6b6b|107/)
      expect(shown).toMatch(/aes-256/)
    }
    key.destroy()
    key.destroy()
  }
  const key = aead('aes-256-gcm', secret)
  key.destroy()
  expect(() => key.sealRandom(undefined, '')).toThrow(/destroyed/)
  expect(() => key.openRandom(undefined, new Uint8Array(30))).toThrow(/destroyed/)
  const hasher = createHasher('sha256')
  hasher.destroy()
  expect(() => hasher.update('')).toThrow(/destroyed/)
})

test('AEADs and hashes are those of WebCrypto, at once and later', async () => {
  const { subtle } = globalThis.crypto
  for (const algorithm of ['aes-128-gcm', 'aes-256-gcm'] as const) {
    const secret = randomBytes(aeadKeyLength(algorithm))
    const [ours, theirs] = [
      aead(algorithm, secret),
      await subtle.importKey('raw', secret, 'AES-GCM', false, ['encrypt']),
    ]
    for (const len of [...LENGTHS, (256 << 10) - 1, 256 << 10, (256 << 10) + 1, 5_000_001]) {
      const [iv, additionalData, data] = [randomBytes(12), randomBytes(20), randomBytes(len)]
      const sealed = new Uint8Array(await subtle.encrypt({ name: 'AES-GCM', iv, additionalData }, theirs, data))
      expect(compare(ours.seal(iv, additionalData, data), sealed)).toBe(0)
      expect(compare(await ours.sealAsync(iv, additionalData, data), sealed)).toBe(0)
      expect(compare(await ours.openAsync(iv, additionalData, sealed), data)).toBe(0)
    }
  }
  for (const [algorithm, name] of [
    ['sha256', 'SHA-256'],
    ['sha384', 'SHA-384'],
    ['sha512', 'SHA-512'],
  ] as const) {
    for (const len of [0, 1, 63, 64, 65, 127, 128, 1000, 100_000, 3_000_000]) {
      const data = randomBytes(len)
      const digest = new Uint8Array(await subtle.digest(name, data))
      expect(hashHex(algorithm, data)).toBe(toHex(digest))
      const hasher = createHasher(algorithm)
      for (let at = 0; at < len; at += 77_777) hasher.update(data.subarray(at, at + 77_777))
      expect(compare(hasher.digest(), digest)).toBe(0)
    }
  }
})

test('hashes that WebCrypto has not are those of their standards', () => {
  // The test vector of BLAKE3 for no input, and of SM3 for "abc" (GB/T 32905 A.1).
  expect(hashHex('blake3', '')).toBe('af1349b9f5f9a1a6a0404dea36dcc9499bcb25c9adc112b7cc9a93cae41f3262')
  expect(hashHex('sm3', 'abc')).toBe('66c7f0f462eeedd9d1f2d46bdc10e4e24167c4875cf2f7a2297da02b8f4ba8e0')
  expect(() => hash('md4' as never, '')).toThrow(code('unknown_algorithm'))
})

test('ciphers refuse what they cannot encrypt or decrypt', () => {
  const key = cipher('sm4-cbc', new Uint8Array(16))
  expect(() => key.encrypt(undefined, '')).toThrow(code('wrong_length'))
  expect(() => key.encrypt(new Uint8Array(16), 'x', { padding: false })).toThrow(code('partial_block'))
  expect(() => key.decrypt(new Uint8Array(16), new Uint8Array(16))).toThrow(code('invalid_padding'))
  expect(() => key.encrypt(new Uint8Array(16), 'x', { pad: false } as never)).toThrow(TypeError)
  expect(() => cipher('sm4-xts', new Uint8Array(32))).toThrow(code('invalid_key'))
})

test('an encryption that fails leaves no plaintext behind', () => {
  const [iv, secret, text] = [new Uint8Array(16), new Uint8Array(16), 'nobody is to see this plaintext '.repeat(4)]
  const [block, key] = [cipher('aes-128-cbc', secret), aead('aes-128-gcm', secret)]
  const out = new Uint8Array(200)
  for (const work of [
    () => block.encrypt(iv.subarray(1), text),
    () => block.encrypt(iv, `${text}x`, { padding: false }),
    () => block.encryptInto(iv.subarray(1), text, out),
    () => key.seal(iv.subarray(1), undefined, text),
    () => key.sealInto(iv.subarray(1), undefined, text, out),
  ]) {
    expect(work).toThrow()
    expect(includes(out, bytesOf('nobody'))).toBe(false)
  }
  // The caller's bytes in the same memory are left as they were.
  const same = bytesOf(text)
  expect(() => block.encryptInto(iv.subarray(1), same, same)).toThrow(code('wrong_length'))
  expect(textOf(same)).toBe(text)
})

test("what others put in place of the language's functions sees no key and no password, and changes nothing", async () => {
  const key = randomBytes(32)
  const same = key.slice()
  const text = 'zwölf boxkämpfer jagen viktor quer'
  const secrets = [key, new TextEncoder().encode(text)].map((secret) => toHex(secret))
  const cache = createKeyCache()
  const cost = { algorithm: 'pbkdf2-sha256', iterations: 1000 } as const
  const salt = 'a random salt 16'
  const stored = hashPasswordSync(text, cost)
  const works: Record<string, () => unknown> = {
    aead: () => aead('aes-256-gcm', key).seal(new Uint8Array(12), undefined, 'attack at dawn'),
    mac: () => mac('hmac-sha256', key).sign('attack at dawn'),
    macOfText: () => mac('hmac-sha256', text).sign('attack at dawn'),
    cipher: () => cipher('aes-256-cbc', key).encrypt(new Uint8Array(16), 'attack at dawn'),
    poly1305: () => poly1305(key, 'attack at dawn'),
    hkdf: () => hkdf('sha256', text, { length: 40 }),
    hkdfExtract: () => hkdfExtract('sha256', 'salt', key),
    hkdfExpand: () => hkdfExpand('sha256', key, 'info', 40),
    concatKdf: () => concatKdf('sha256', key, 'info', 40),
    blake3: () => blake3DeriveKey('context', key),
    pbkdf2: () => pbkdf2('sha256', text, salt, { iterations: 2 }),
    pbkdf2Sync: () => pbkdf2Sync('sha256', key, salt, { iterations: 2 }),
    cached: () => cache.pbkdf2('sha256', key, salt, { iterations: 2 }),
    cachedOfText: () => cache.pbkdf2('sha256', text, salt, { iterations: 2 }),
    verify: () => verifyPasswordSync(text, stored),
    equal: () => timingSafeEqual(key, same) && timingSafeEqual(text, text),
  }
  const honest: Record<string, unknown> = {}
  for (const [name, work] of Object.entries(works)) honest[name] = await work()
  cache.clear()
  const { apply } = Reflect
  const { isView } = ArrayBuffer
  const Bytes = Uint8Array
  const seen = new Set<string>()
  let inLook = false
  let working = ''
  const look = (name: string, value: unknown): void => {
    if (inLook) return
    inLook = true
    const values = Array.isArray(value) ? value : [value]
    for (let i = 0; i < values.length; i++) {
      const one: unknown = values[i]
      const isSecret = isView(one) ? secrets.includes(toHex(new Bytes(one.buffer))) : one === text
      if (isSecret) seen.add(`${working}: ${name}`)
    }
    inLook = false
  }
  const restore: (() => void)[] = []
  const patch = (owner: object, name: PropertyKey): void => {
    const descriptor = Object.getOwnPropertyDescriptor(owner, name) as PropertyDescriptor
    if (descriptor === undefined) return
    restore.push(() => Object.defineProperty(owner, name, descriptor))
    const value = function (this: unknown, ...args: unknown[]): unknown {
      look(String(name), this)
      look(String(name), args)
      return apply(descriptor.value, this, args)
    }
    Object.defineProperty(owner, name, { ...descriptor, value })
  }
  const result: Record<string, unknown> = {}
  try {
    const typedArray = Object.getPrototypeOf(Uint8Array.prototype) as object
    for (const name of ['fill', 'set', 'slice', 'subarray', 'map', 'join', Symbol.iterator]) patch(typedArray, name)
    for (const name of ['map', 'forEach', 'join', 'concat', 'slice', 'push', Symbol.iterator])
      patch(Array.prototype, name)
    for (const name of ['encode', 'encodeInto']) patch(TextEncoder.prototype, name)
    for (const name of ['isWellFormed', 'charCodeAt', 'normalize', 'slice', 'replace']) patch(String.prototype, name)
    for (const name of ['test', 'exec']) patch(RegExp.prototype, name)
    working = 'control'
    new TextEncoder().encode(text)
    new Uint8Array(key).fill(0)
    for (const name in works) {
      working = name
      result[name] = await works[name]?.()
    }
  } finally {
    inLook = true
    for (const undo of restore.reverse()) undo()
  }
  expect([...seen]).toEqual(['control: encode', 'control: fill'])
  expect(result).toEqual(honest)
})
