// Message authentication codes: vectors, text, streams, and refused input. Live comparisons with OpenSSL are in openssl.test.ts.

import { expect, test } from 'vitest'
import { wycheproof } from '#wycheproof'
import table from '../../table.json' with { type: 'json' }
import { type MacAlgorithm, MacKey, MacSigner, mac } from '../src/api/mac.js'
import { bytesOf, compare, fromHex, pattern, randomBytes, toBase64, toHex } from './data.js'

const code = (code: string) => expect.objectContaining({ name: 'SealstoneError', code })
const MACS = table.macs as readonly {
  readonly name: MacAlgorithm
  readonly tagLen: number
  readonly keyLen: number | null
}[]
const CMACS: readonly MacAlgorithm[] = ['aes-128-cmac', 'aes-192-cmac', 'aes-256-cmac']

/** Each algorithm with a key. */
function keys(): MacKey[] {
  return MACS.map(({ name, keyLen }) => mac(name, randomBytes(keyLen ?? 20)))
}

/** Every way to a tag gives this one, and takes no other. */
function expectTag(key: MacKey, message: Uint8Array, tag: Uint8Array): void {
  expect(toHex(key.sign(message))).toBe(toHex(tag))
  expect(key.signText(message)).toBe(toHex(tag))
  const memory = new Uint8Array(tag.length + 1)
  expect(key.signInto(message, memory)).toBe(tag.length)
  expect(toHex(memory)).toBe(`${toHex(tag)}00`)
  const signer = key.begin()
  for (let at = 0; at < message.length; at += 7) signer.update(message.subarray(at, at + 7))
  signer.verify(tag)
  expect(signer.tag('hex')).toBe(toHex(tag))
  signer.destroy()
  key.verify(message, tag)
  key.verifyText(message, toHex(tag).toUpperCase())
  const other = tag.slice()
  other[tag.length >> 1] = (other[tag.length >> 1] ?? 0) ^ 1
  expect(() => key.verify(message, other)).toThrow(code('not_authentic'))
  expect(() => key.verifyText(message, toHex(other))).toThrow(code('not_authentic'))
}

test.each([
  ['hmac_sha1', 'hmac-sha1', 66, 104],
  ['hmac_sha224', 'hmac-sha224', 66, 106],
  ['hmac_sha256', 'hmac-sha256', 66, 106],
  ['hmac_sha384', 'hmac-sha384', 66, 106],
  ['hmac_sha512', 'hmac-sha512', 66, 106],
  ['hmac_sha512_256', 'hmac-sha512-256', 66, 106],
  ['hmac_sha3_224', 'hmac-sha3-224', 66, 106],
  ['hmac_sha3_256', 'hmac-sha3-256', 66, 106],
  ['hmac_sha3_384', 'hmac-sha3-384', 66, 106],
  ['hmac_sha3_512', 'hmac-sha3-512', 66, 106],
  ['hmac_sm3', 'hmac-sm3', 66, 106],
  ['aes_cmac', undefined, 60, 240],
  ['kmac256_no_customization', 'kmac256', 99, 160],
] as const)('every %s of Wycheproof', (file, named, leastRight, leastWrong) => {
  let [right, wrong] = [0, 0]
  for (const { tagSize, tests } of wycheproof[file]?.testGroups ?? []) {
    for (const { tcId, result, ...hex } of tests) {
      const [bytes, message, tag] = [fromHex(hex.key), fromHex(hex.msg), fromHex(hex.tag)]
      const algorithm = named ?? CMACS[[16, 24, 32].indexOf(bytes.length)]
      if (algorithm === undefined) {
        expect(result, `${tcId}`).toBe('invalid')
        for (const one of CMACS) expect(() => mac(one, bytes)).toThrow(code('wrong_length'))
        wrong++
        continue
      }
      const key = mac(algorithm, bytes, algorithm === 'kmac256' ? { length: tagSize / 8 } : undefined)
      if (result === 'invalid') {
        expect(() => key.verify(message, tag, { truncated: true }), `${tcId}`).toThrow(code('not_authentic'))
        wrong++
      } else {
        if (tag.length === key.tagLength) expectTag(key, message, tag)
        else expect(() => key.verify(message, tag)).toThrow(code('wrong_length'))
        key.verify(message, tag, { truncated: true })
        key.verifyText(message, toHex(tag), 'hex', { truncated: true })
        right++
      }
      key.destroy()
    }
  }
  expect(right).toBeGreaterThanOrEqual(leastRight)
  expect(wrong).toBeGreaterThanOrEqual(leastWrong)
})

test('RFC 4231, GM/T 0042, SP 800-185, BLAKE2 and BLAKE3 have these', () => {
  const [counted, upTo] = [Uint8Array.from({ length: 32 }, (_, i) => 0x40 + i), pattern(0xc8)]
  const kmac = mac('kmac256', counted, { customization: 'My Tagged Application' })
  expectTag(
    kmac,
    upTo.subarray(0, 4),
    fromHex(
      '20c570c31346f703c9ac36c61c03cb64c3970d0cfc787e9b79599d273a68d2f7f69d4cc3de9d104a351689f27cf6f5951f0103f33f4f24871024d9c27773a8dd',
    ),
  )
  expectTag(
    mac('hmac-sha256', 'Jefe'),
    bytesOf('what do ya want for nothing?'),
    fromHex('5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843'),
  )
  expectTag(
    mac(
      'hmac-sm3',
      Uint8Array.from({ length: 37 }, (_, i) => i + 1),
    ),
    new Uint8Array(50).fill(0xcd),
    fromHex('220bf579ded555393f0159f66c99877822a3ecf610d1552154b41d44b94db3ae'),
  )
  expectTag(
    mac(
      'blake2b-keyed',
      Uint8Array.from({ length: 64 }, (_, i) => i),
    ),
    new Uint8Array(0),
    fromHex(
      '10ebb67700b1868efb4417987acf4690ae9d972fb7a590c2f02871799aaa4786b5e996e8f0f4eb981fc214b005f42d2ff4233499391653df7aefcbc13fc51568',
    ),
  )
  expectTag(
    mac('blake3-keyed', 'whats the Elvish word for friend'),
    new Uint8Array(0),
    fromHex('92b2b75604ed3c761f9d6f62392c8a9227ad0ea3f09573e783f1498a4ed60d26'),
  )
})

test('text is its UTF-8, bytes of any kind are bytes, and encodings are those of the tag', async () => {
  for (const key of keys()) {
    for (const text of ['', 'order=17&state=paid', 'ünïcödé 😀', 'x'.repeat(1019), '€'.repeat(2000)]) {
      const bytes = bytesOf(text)
      const tag = key.sign(bytes)
      expect(tag).toHaveLength(key.tagLength)
      expect(compare(key.sign(text), tag)).toBe(0)
      expect(compare(key.sign(bytes.buffer), tag)).toBe(0)
      expect(key.signText(text)).toBe(toHex(tag))
      key.verify(text, tag)
      for (const encoding of ['hex', 'base64', 'base64url'] as const) {
        const written = key.signText(text, encoding)
        key.verifyText(text, written, encoding)
        expect(key.begin().update(text).tag(encoding)).toBe(written)
        key.begin().update(text).verifyText(written, encoding)
      }
      expect(atob(key.signText(text, 'base64'))).toBe(String.fromCharCode(...tag))
    }
    expect(() => key.sign('\ud800')).toThrow(/lone surrogate/)
    expect(() => key.verifyText('\udc00', '')).toThrow(/lone surrogate/)
  }
})

test('long messages, parts and streams have the tag of the whole', async () => {
  // More than WebAssembly is handed at once.
  const data = pattern(1_100_001)
  const short = data.subarray(0, 70_001)
  for (const key of keys()) {
    const tag = key.sign(data)
    const tagOfShort = key.sign(short)
    const signer = key.begin().update(data.subarray(0, 600_000)).update(data.subarray(600_000))
    expect(compare(signer.tag(), tag)).toBe(0)
    // More may follow.
    expect(compare(signer.update('more').tag(), tag)).not.toBe(0)
    key.verify(data, tag)
    expect(key.signText(short)).toBe(toHex(tagOfShort))
    key.verifyText(short, toHex(tagOfShort))
    const seen: number[] = []
    expect(compare(await key.signAsync(data, { onProgress: ({ bytes }) => seen.push(bytes) }), tag)).toBe(0)
    expect(seen.at(-1)).toBe(data.length)
    expect(compare(await key.signStream(new Blob([data])), tag)).toBe(0)
    expect(compare(await key.signStream(new Blob([data]).stream()), tag)).toBe(0)
    expect(await key.signStreamText(new Blob([short]))).toBe(toHex(tagOfShort))
    expect(await key.signStreamText(new Blob([short]), 'base64')).toBe(toBase64(tagOfShort))
    expect(compare(await key.signAsync('short'), key.sign('short'))).toBe(0)
  }
  const reason = new Error('the reason')
  const [key] = keys() as [MacKey]
  await expect(key.signAsync(data, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  await expect(key.signStream(new Blob(['a']), { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  const failing = async function* (): AsyncGenerator<string> {
    yield 'a'
    throw reason
  }
  await expect(key.signStream(failing())).rejects.toBe(reason)
})

test('keys and tags of other lengths are refused, and truncated tags unless they are asked for', () => {
  for (const { name, keyLen, tagLen } of MACS) {
    for (let len = 0; len <= 65; len++) {
      const takes = keyLen === null ? len > 0 && (name !== 'blake2b-keyed' || len <= 64) : len === keyLen
      if (takes) mac(name, randomBytes(len)).destroy()
      else expect(() => mac(name, randomBytes(len)), `${name} ${len}`).toThrow(code('wrong_length'))
    }
    const key = mac(name, randomBytes(keyLen ?? 20))
    const tag = key.sign('attack at dawn')
    expect(tag).toHaveLength(tagLen)
    for (let len = 0; len <= 65; len++) {
      const cut = new Uint8Array(len)
      cut.set(tag.subarray(0, len))
      const ways = [
        (options?: { truncated: boolean }) => key.verify('attack at dawn', cut, options),
        (options?: { truncated: boolean }) => key.verifyText('attack at dawn', toHex(cut), 'hex', options),
        (options?: { truncated: boolean }) => key.verifyText('attack at dawn', toBase64(cut), 'base64', options),
        (options?: { truncated: boolean }) => key.begin().update('attack at dawn').verify(cut, options),
        (options?: { truncated: boolean }) =>
          key.begin().update('attack at dawn').verifyText(toBase64(cut), 'base64', options),
      ]
      for (const verify of ways) {
        if (len === tagLen) verify()
        else expect(() => verify(), `${name} ${len}`).toThrow(code('wrong_length'))
        if (len >= 8 && len <= tagLen) verify({ truncated: true })
        else expect(() => verify({ truncated: true }), `${name} ${len}`).toThrow(code('wrong_length'))
      }
    }
  }
})

test('a customization and a length of tags are of KMAC alone', () => {
  const bytes = randomBytes(32)
  const tags = [
    mac('kmac256', bytes),
    mac('kmac256', bytes, { customization: 'invoices' }),
    mac('kmac256', bytes, { length: 32 }),
  ].map((key) => toHex(key.sign('17')).slice(0, 16))
  expect(new Set(tags).size).toBe(3)
  for (const length of [1, 7, 65, 1000]) expect(() => mac('kmac256', bytes, { length })).toThrow(code('wrong_length'))
  for (const length of [0, -1, 1.5, '32', null]) {
    expect(() => mac('kmac256', bytes, { length: length as number })).toThrow(TypeError)
  }
  expect(() => mac('hmac-sha256', bytes, { customization: 'x' })).toThrow(code('wrong_length'))
  expect(() => mac('hmac-sha256', bytes, { length: 16 })).toThrow(code('wrong_length'))
  expect(mac('hmac-sha256', bytes, { customization: '', length: 32 }).signText('17')).toBe(
    mac('hmac-sha256', bytes).signText('17'),
  )
})

test('what is no algorithm, key, tag, encoding or option is refused', () => {
  const key = mac('hmac-sha256', 'key')
  for (const name of ['', 'HMAC-SHA256', 'sha256', 'hmac', 'hmac-shake128', 'constructor', '__proto__']) {
    expect(() => mac(name as MacAlgorithm, 'key')).toThrow(code('unknown_algorithm'))
    expect(() => key.signText('', name as 'hex')).toThrow(code('unknown_algorithm'))
  }
  for (const wrong of [undefined, null, 5, {}, ['hmac-sha256'], new String('hmac-sha256')]) {
    expect(() => mac(wrong as never, 'key')).toThrow(TypeError)
    expect(() => mac('hmac-sha256', wrong as never)).toThrow(TypeError)
    expect(() => key.sign(wrong as never)).toThrow(TypeError)
    expect(() => key.verify('', wrong as never)).toThrow(TypeError)
    expect(() => key.verifyText('', wrong as never)).toThrow(TypeError)
  }
  // A header that did not come.
  for (const none of [undefined, null] as never[]) {
    for (const verify of [
      () => key.verify('', none),
      () => key.verifyText('', none),
      () => key.verifyText('', none, 'base64', { truncated: true }),
      () => key.verifyText(none, key.signText('')),
      () => key.begin().verify(none),
      () => key.begin().verifyText(none),
    ]) {
      expect(verify).toThrow(expect.objectContaining({ code: 'invalid_argument' }))
    }
  }
  // Digits are no bytes.
  expect(() => key.verify('', key.signText('') as never)).toThrow(
    /the tag is text, and must be bytes: verifyText takes/,
  )
  expect(() => key.begin().verify(key.signText('') as never)).toThrow(/verifyText/)
  for (const text of ['zz', 'abc', ' ', key.signText('', 'base64')]) {
    expect(() => key.verifyText('', text)).toThrow(code('invalid_encoding'))
  }
  expect(() => key.verifyText('', key.signText('', 'base64').replace('=', ''), 'base64')).toThrow(
    code('invalid_encoding'),
  )
  expect(() => key.verify('', key.sign(''), { truncate: true } as never)).toThrow(/unknown option/)
  expect(() => key.verify('', key.sign(''), { truncated: 1 } as never)).toThrow(TypeError)
  expect(() => key.signInto('', new Uint8Array(31))).toThrow(RangeError)
})

test('a key is opaque and ends with destroy, and what it began goes on', () => {
  const key = mac('hmac-sha512', 'a secret')
  expect(key).toBeInstanceOf(MacKey)
  expect([String(key), JSON.stringify(key), Object.keys(key)]).toEqual([
    'MacKey(hmac-sha512)',
    '"MacKey(hmac-sha512)"',
    ['algorithm'],
  ])
  const [signer, tag] = [key.begin(), key.sign('attack at dawn')]
  expect(signer).toBeInstanceOf(MacSigner)
  key.destroy()
  key.destroy()
  signer.update('attack at dawn').verify(tag)
  signer.destroy()
  for (const use of [() => key.sign(''), () => key.signText(''), () => key.verify('', tag), () => key.begin()]) {
    expect(use).toThrow(/the key was destroyed/)
  }
  expect(() => signer.tag()).toThrow(TypeError)
  expect(() => new MacKey('hmac-sha256', {} as never)).toThrow(TypeError)
})

test('nobody sets how many bytes of a tag are written', () => {
  const key = mac('hmac-sha256', 'a secret')
  const tag = toHex(key.sign('x'))
  expect(() => Object.assign(key, { tagLength: 8 })).toThrow(TypeError)
  Object.defineProperty(key, 'tagLength', { value: 8 })
  expect(toHex(key.sign('x'))).toBe(tag)
  expect(() => key.signInto('x', new Uint8Array(8))).toThrow(RangeError)
})
