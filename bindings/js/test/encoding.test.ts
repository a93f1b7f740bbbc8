// Encodings: the standards' examples, texts that no encoder writes, and the comparison of secrets.

import { expect, test } from 'vitest'
import { decode, type Encoding, encode, timingSafeEqual } from '../src/api/encoding.js'
import { bytesOf, pattern, randomBytes } from './data.js'

const ALL: readonly Encoding[] = ['hex', 'base64', 'base64url', 'base32', 'base58']
const invalid = expect.objectContaining({ name: 'SealstoneError', code: 'invalid_encoding' })

function bothWays(encoding: Encoding, data: Uint8Array, text: string): void {
  expect(encode(encoding, data), encoding).toBe(text)
  expect([...decode(encoding, text)], `${encoding} ${text}`).toEqual([...data])
}

test('the examples of RFC 4648 section 10 and of draft-msporny-base58-03 section 5', () => {
  const texts = {
    hex: ['', '66', '666f', '666f6f', '666f6f62', '666f6f6261', '666f6f626172'],
    base64: ['', 'Zg==', 'Zm8=', 'Zm9v', 'Zm9vYg==', 'Zm9vYmE=', 'Zm9vYmFy'],
    base64url: ['', 'Zg', 'Zm8', 'Zm9v', 'Zm9vYg', 'Zm9vYmE', 'Zm9vYmFy'],
    base32: ['', 'MY======', 'MZXQ====', 'MZXW6===', 'MZXW6YQ=', 'MZXW6YTB', 'MZXW6YTBOI======'],
  }
  for (const [encoding, all] of Object.entries(texts)) {
    for (const [len, text] of all.entries()) bothWays(encoding as Encoding, bytesOf('foobar'.slice(0, len)), text)
  }
  bothWays('base58', bytesOf('Hello World!'), '2NEpo7TZRRrLZSi2U')
  const fox = 'The quick brown fox jumps over the lazy dog.'
  bothWays('base58', bytesOf(fox), 'USm3fpXnKG5EUBx2ndxBDMPVciP5hGey2Jh4NDv6gmeo1LkMeiKrLJUUBk6Z')
  bothWays('base58', new Uint8Array([0, 0, 0x28, 0x7f, 0xb4, 0xcd]), '11233QC4')
  bothWays('base64', new Uint8Array([0xfb, 0xff]), '+/8=')
  bothWays('base64url', new Uint8Array([0xfb, 0xff]), '-_8')
})

test('every byte and every length comes back', () => {
  for (const encoding of ALL) {
    for (let len = 0; len <= 300; len++) {
      const data = randomBytes(len)
      if (len % 3 === 0) data.fill(0, 0, len >> 2)
      expect([...decode(encoding, encode(encoding, data))]).toEqual([...data])
    }
    expect([...decode(encoding, encode(encoding, 'ä€🔑'))]).toEqual([...bytesOf('ä€🔑')])
  }
  for (const encoding of ALL.filter((one) => one !== 'base58')) {
    const data = pattern(300_000)
    expect(decode(encoding, encode(encoding, data.buffer))).toEqual(data)
  }
  expect([...decode('hex', 'aBcD')]).toEqual([0xab, 0xcd])
  expect(decode('base58', encode('base58', pattern(4096)))).toEqual(pattern(4096))
})

test('only the text of the bytes is taken', () => {
  let refused = 0
  for (const encoding of ALL) {
    for (let len = 0; len <= 6; len++) {
      const text = encode(encoding, new Uint8Array([0x5a, 0, 0xff, 0x13, 0x80, 0x7e]).subarray(0, len))
      const characters = [...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code))]
      // Of the last ones the lower bits are those of digits.
      characters.push('é', '🔑', 'Ａ', '\ud800', '', '\u0141', '\u0241', '\u4e41', '\uff10')
      const others: string[] = []
      for (let at = 0; at <= text.length; at++) {
        for (const other of characters) {
          others.push(text.slice(0, at) + other + text.slice(at), text.slice(0, at) + other + text.slice(at + 1))
        }
      }
      for (let pad = 1; pad <= 9; pad++) others.push(text.replace(/=+$/, '') + '='.repeat(pad))
      for (const other of others) {
        let data: Uint8Array
        try {
          data = decode(encoding, other)
        } catch (error) {
          expect(error, `${encoding} ${JSON.stringify(other)}`).toEqual(invalid)
          refused++
          continue
        }
        expect(encode(encoding, data), encoding).toBe(encoding === 'hex' ? other.toLowerCase() : other)
      }
    }
  }
  expect(refused).toBeGreaterThan(20_000)
})

test('unused bits, padding that is missing or too much, the other alphabet and spaces are refused', () => {
  const refused: [Encoding, string[]][] = [
    ['hex', ['a', '0x00', 'ab cd', 'ag', 'ab\n']],
    ['base64', ['Zh==', 'Zm9=', 'Zg', 'Zg=', 'Zg===', 'Zm9v\n', 'Zm 9v', '-_8=', '=', '====', 'Zg==Zg==', 'Z===']],
    ['base64url', ['Zh', 'Zm9', 'Zg==', '+/8', 'Z', 'Zm9v ', '=']],
    [
      'base32',
      ['MZ======', 'MZXR====', 'MY', 'my======', 'M=======', 'MZXW6YTBMY', 'MZXW6Y==', '========', 'M1======'],
    ],
    ['base58', ['0', 'O', 'I', 'l', '2NEpo7TZRRrLZSi2U ', 'é', '1'.repeat(5633)]],
  ]
  for (const [encoding, texts] of refused) {
    for (const text of texts) expect(() => decode(encoding, text), `${encoding} ${text}`).toThrow(invalid)
  }
  expect(() => encode('base58', new Uint8Array(4097))).toThrow(expect.objectContaining({ code: 'too_long' }))
  // A character more than V8 has room for.
  expect(() => encode('hex', new Uint8Array(2 ** 28 - 11))).toThrow(expect.objectContaining({ code: 'too_long' }))
  expect(() => decode('base58', '1'.repeat(4097))).toThrow(invalid)
})

test('what is no encoding, no text and no bytes is refused', () => {
  const unknown = expect.objectContaining({ code: 'unknown_algorithm' })
  for (const name of ['', 'Hex', 'base-64', 'base16', 'toString', '__proto__']) {
    expect(() => encode(name as Encoding, 'x'), name).toThrow(unknown)
    expect(() => decode(name as Encoding, ''), name).toThrow(unknown)
  }
  const argument = expect.objectContaining({ name: 'TypeError', code: 'invalid_argument' })
  for (const wrong of [undefined, null, 5, {}, ['00'], Object('00')]) {
    expect(() => decode('hex', wrong as string)).toThrow(argument)
    expect(() => encode(wrong as Encoding, 'x')).toThrow(argument)
    expect(() => encode('hex', wrong as Uint8Array)).toThrow(argument)
    expect(() => timingSafeEqual('x', wrong as string)).toThrow(argument)
  }
  expect(() => encode('hex', '\ud800')).toThrow(argument)
})

test('results have memory of their own, and inputs stay as they are', () => {
  const data = new Uint8Array([0, 1, 2, 254, 255]).subarray(1, 4)
  expect(encode('hex', data)).toBe('0102fe')
  expect([...data]).toEqual([1, 2, 254])
  const result = decode('base64', 'AQI=')
  expect([result.byteOffset, result.buffer.byteLength, result.constructor]).toEqual([0, 2, Uint8Array])
})

test('secrets are compared by all their bytes', () => {
  const secret = randomBytes(40)
  expect(timingSafeEqual(secret, secret.slice())).toBe(true)
  expect(timingSafeEqual('', new Uint8Array(0))).toBe(true)
  expect(timingSafeEqual('ä', bytesOf('ä').buffer)).toBe(true)
  for (let at = 0; at < secret.length; at++) {
    for (let bit = 1; bit < 256; bit <<= 1) {
      const other = secret.slice()
      other[at] = (other[at] as number) ^ bit
      expect(timingSafeEqual(secret, other)).toBe(false)
    }
    expect(timingSafeEqual(secret, secret.subarray(0, at))).toBe(false)
  }
})
