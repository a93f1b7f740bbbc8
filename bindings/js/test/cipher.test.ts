// Text and batches under one key, and all of sealstone/hazmat but the modes: in Node and in pages.

import { expect, test } from 'vitest'
import { type AeadAlgorithm, aead, aeadKeyLength, aeadNonceLength, type ResultEncoding } from '../src/api/aead.js'
import {
  type CcmAlgorithm,
  type CipherAlgorithm,
  ccm,
  cipher,
  cipherKeyLength,
  type KeyWrapAlgorithm,
  keyWrap,
  type LegacyCipherAlgorithm,
  legacyCipher,
  poly1305,
} from '../src/api/hazmat.js'
import { chunkedKey } from '../src/api/index.js'
import { bytesOf, compare, concat, fromHex, randomBytes, textOf, toBase64, toHex } from './data.js'

const AEADS: readonly AeadAlgorithm[] = [
  ...(['aes-128-gcm', 'aes-192-gcm', 'aes-256-gcm', 'aes-128-gcm-siv', 'aes-256-gcm-siv'] as const),
  ...(['chacha20-poly1305', 'xchacha20-poly1305', 'sm4-gcm', 'sm4-ccm'] as const),
]
const MODES: readonly CipherAlgorithm[] = [
  ...(['sm4', 'aes-128', 'aes-192', 'aes-256'] as const).flatMap((block) =>
    (['ecb', 'cbc', 'ctr', 'cfb', 'ofb'] as const).map((mode) => `${block}-${mode}` as const),
  ),
  ...(['aes-128-cfb8', 'aes-192-cfb8', 'aes-256-cfb8', 'sm4-xts', 'sm4-xts-ieee'] as const),
]
/** With the lengths of their keys. */
const LEGACY: readonly (readonly [LegacyCipherAlgorithm, number, number])[] = [
  ...(['ecb', 'cbc', 'cfb', 'ofb'] as const).flatMap((mode) => [
    [`des-${mode}`, 8, 8] as const,
    [`des-ede3-${mode}`, 24, 24] as const,
    [`blowfish-${mode}`, 4, 56] as const,
  ]),
  ['rc4', 1, 256],
  ['rabbit', 16, 16],
]
const KEY_WRAPS = ([16, 24, 32] as const).flatMap((len) =>
  (['kw', 'kwp'] as const).map((form) => [`aes-${(8 * len) as 128 | 192 | 256}-${form}`, len] as const),
) satisfies (readonly [KeyWrapAlgorithm, number])[]
const CCMS = ([16, 24, 32] as const).map(
  (len) => [`aes-${(8 * len) as 128 | 192 | 256}-ccm`, len] as const,
) satisfies (readonly [CcmAlgorithm, number])[]

const code = (code: string) => expect.objectContaining({ name: 'SealstoneError', code })
const NO = undefined

/** How bytes are written in each encoding. */
const WRITTEN: Record<ResultEncoding, (bytes: Uint8Array) => string> = {
  hex: toHex,
  base64: toBase64,
  base64url: (bytes) => toBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', ''),
}
const ENCODINGS = Object.keys(WRITTEN) as ResultEncoding[]

/** Of each length of characters, and around the addon's kilobyte for text. */
const TEXTS = [
  ...['', 'a', 'attack at dawn', 'é€😀', '\0', '\ufeffmark', 'x'.repeat(50), '😀'.repeat(20_000)],
  ...[1015, 1019, 1020, 1021, 1023, 1024, 1025, 5000].flatMap((len) => ['a'.repeat(len), `é${'€'.repeat(len / 3)}`]),
]

test('a text that an AEAD seals is what it seals of its bytes, and comes back, in every encoding', () => {
  for (const algorithm of AEADS) {
    const key = aead(algorithm, randomBytes(aeadKeyLength(algorithm)))
    const nonce = randomBytes(aeadNonceLength(algorithm))
    for (const text of TEXTS) {
      for (const encoding of ENCODINGS) {
        const sealed = key.sealText(nonce, 'aad: é', text, encoding)
        expect(sealed).toBe(WRITTEN[encoding](key.seal(nonce, 'aad: é', text)))
        expect(key.openText(nonce, bytesOf('aad: é'), sealed, encoding)).toBe(text)
        const own = key.sealRandomText(NO, bytesOf(text), encoding)
        expect(own.length).toBe(WRITTEN[encoding](new Uint8Array(nonce.length + bytesOf(text).length + 16)).length)
        expect(key.openRandomText(NO, own, encoding)).toBe(text)
      }
      expect(key.openText(nonce, NO, key.sealText(nonce, '', text))).toBe(text)
      expect(textOf(key.open(nonce, NO, key.seal(nonce, NO, text)))).toBe(text.replace(/^\ufeff/, ''))
    }
    expect(key.sealRandomText('', 'x')).not.toBe(key.sealRandomText('', 'x'))
  }
})

test('a sealed text that was changed is not authentic, and one that is no such text is said to be none', () => {
  for (const algorithm of AEADS) {
    const key = aead(algorithm, new Uint8Array(aeadKeyLength(algorithm)))
    const nonce = new Uint8Array(aeadNonceLength(algorithm))
    const sealed = key.sealText(nonce, 'aad', 'attack at dawn', 'hex')
    for (let i = 0; i < sealed.length; i++) {
      const other = `${sealed.slice(0, i)}${sealed[i] === '0' ? '1' : '0'}${sealed.slice(i + 1)}`
      expect(() => key.openText(nonce, 'aad', other, 'hex')).toThrow(code('not_authentic'))
    }
    expect(key.openText(nonce, 'aad', sealed.toUpperCase(), 'hex')).toBe('attack at dawn')
    expect(() => key.openText(nonce, 'aae', sealed, 'hex')).toThrow(code('not_authentic'))
    for (const short of ['', '00', '00'.repeat(15)]) {
      expect(() => key.openText(nonce, NO, short, 'hex')).toThrow(code('not_authentic'))
      expect(() => key.openRandomText(NO, short, 'hex')).toThrow(code('not_authentic'))
    }
    expect(() => key.sealText(nonce.subarray(1), NO, 'x')).toThrow(code('wrong_length'))
    expect(() => key.openText(nonce.subarray(1), NO, sealed, 'hex')).toThrow(code('wrong_length'))
    // Bytes that are no text.
    const bytes = toBase64(key.seal(nonce, NO, new Uint8Array([0xc3, 0x28])))
    expect(() => key.openText(nonce, NO, bytes)).toThrow(code('invalid_encoding'))
  }
  const key = aead('aes-128-gcm', new Uint8Array(16))
  const [nonce, sealed] = [new Uint8Array(12), key.sealText(new Uint8Array(12), NO, 'xyz')]
  expect(sealed).toMatch(/==$/)
  for (const [encoding, texts] of Object.entries({
    base64: [
      sealed.slice(0, -1),
      `${sealed} `,
      ` ${sealed}`,
      `${sealed}\n`,
      sealed.replace(/.==$/, 'z=='),
      // Two texts, one behind the other.
      btoa(atob(sealed).slice(0, 1)) + btoa(atob(sealed).slice(1)),
      '😀',
      '\ud800',
    ],
    base64url: [sealed, 'a', '+/aa', 'ab=='],
    hex: ['0', '0g', ' 00', '0x00', '\ud800'],
  })) {
    for (const text of texts) {
      expect(() => key.openText(nonce, NO, text, encoding as 'hex'), text).toThrow(code('invalid_encoding'))
    }
  }
})

test('what is no text, encoding, option or item is refused', () => {
  const key = aead('aes-256-gcm', new Uint8Array(32))
  const cbc = cipher('aes-128-cbc', new Uint8Array(16))
  const [nonce, iv] = [new Uint8Array(12), new Uint8Array(16)]
  const old = legacyCipher('des-cbc', new Uint8Array(8), { allowLegacyEncryption: true })
  for (const lone of ['\ud800', 'a\udc00b', `${'x'.repeat(2000)}\ud83d`]) {
    for (const refused of [
      () => key.sealText(nonce, NO, lone),
      () => key.sealText(nonce, lone, 'x'),
      () => key.sealRandomText(NO, lone),
      () => key.sealBatch(['x', lone]),
      // Together they would be a character.
      () => key.sealBatch(['\ud83d', '\ude00']),
      () => key.sealBatch(['x'], lone),
      () => cbc.encryptText(iv, lone),
      () => old.encryptText('an IV: 8', lone),
    ]) {
      expect(refused).toThrow(/lone surrogate/)
    }
  }
  for (const wrong of [null, 5, {}, ['x'], new String('x'), Symbol('x')] as never[]) {
    for (const refused of [
      () => key.sealText(wrong, NO, 'x'),
      () => key.sealText(nonce, NO, wrong),
      () => key.openText(nonce, NO, wrong),
      () => key.openText(nonce, NO, bytesOf('eA==') as never),
      () => key.sealText(nonce, NO, 'x', wrong),
      () => key.sealBatch([wrong]),
      () => key.openBatch([wrong]),
      () => cbc.encryptText(iv, wrong),
      () => cbc.decryptText(iv, wrong),
      () => cbc.encryptText(wrong === null ? (7 as never) : wrong, 'x'),
      () => old.decryptText('an IV: 8', wrong),
      () => keyWrap(wrong, new Uint8Array(16)),
      () => keyWrap('aes-128-kw', wrong),
      () => keyWrap('aes-128-kw', new Uint8Array(16)).wrap(wrong),
      () => ccm(wrong, new Uint8Array(16)),
      () => legacyCipher(wrong, 'x'),
      () => poly1305(wrong, 'x'),
      () => poly1305(new Uint8Array(32), wrong),
    ]) {
      expect(refused).toThrow(TypeError)
    }
  }
  for (const wrong of ['x', new Uint8Array(3), new Set(['x']), 5] as never[]) {
    expect(() => key.sealBatch(wrong)).toThrow(/a batch is an array/)
    expect(() => key.openBatch(wrong)).toThrow(/a batch is an array/)
  }
  for (const encoding of ['', 'HEX', 'base58', 'utf8', 'constructor', '__proto__'] as never[]) {
    expect(() => key.sealText(nonce, NO, 'x', encoding)).toThrow(code('unknown_algorithm'))
    expect(() => cbc.encryptText(iv, 'x', encoding)).toThrow(code('unknown_algorithm'))
  }
  for (const options of [{ pad: true }, { padding: 1 }, { encoding: null }, 'x', []] as never[]) {
    expect(() => cbc.encryptText(iv, 'x', 'hex', options)).toThrow(TypeError)
    expect(() => old.encryptText('an IV: 8', 'x', 'hex', options)).toThrow(TypeError)
  }
  for (const options of [{ allowLegacyEncryption: 1 }, { allow: true }, true] as never[]) {
    expect(() => legacyCipher('rc4', 'key', options)).toThrow(TypeError)
  }
  for (const tagLength of [-1, 17, 4.5, Number.NaN, '16', null, 2 ** 32] as never[]) {
    expect(() => ccm('aes-128-ccm', new Uint8Array(16), { tagLength })).toThrow(/tagLength must be a whole number/)
  }
  for (const name of ['', 'AES-128-KW', 'aes-128-ccm8', 'constructor'] as never[]) {
    expect(() => keyWrap(name, new Uint8Array(16))).toThrow(code('unknown_algorithm'))
    expect(() => ccm(name, new Uint8Array(16))).toThrow(code('unknown_algorithm'))
    expect(() => legacyCipher(name, new Uint8Array(16))).toThrow(code('unknown_algorithm'))
  }
})

test('a batch is each item sealed with a nonce of its own, and what is not authentic is an error in its place', () => {
  for (const algorithm of AEADS) {
    const key = aead(algorithm, randomBytes(aeadKeyLength(algorithm)))
    const around = aeadNonceLength(algorithm) + 16
    const items = ['', 'one', randomBytes(50), new DataView(randomBytes(7).buffer), 'é€😀', randomBytes(70_000)]
    const plaintexts = items.map((item) =>
      typeof item === 'string' ? bytesOf(item) : new Uint8Array(item.buffer.slice(item.byteOffset)),
    )
    const sealed = key.sealBatch(items, 'aad')
    expect(sealed.map(({ length }) => length)).toEqual(plaintexts.map(({ length }) => length + around))
    for (const [i, item] of sealed.entries()) {
      expect(compare(key.openRandom('aad', item), plaintexts[i] as Uint8Array)).toBe(0)
    }
    expect(new Set(sealed.map((item) => toHex(item.subarray(0, around - 16)))).size).toBe(items.length)
    const opened = key.openBatch(sealed, 'aad')
    for (const [i, item] of opened.entries()) {
      expect(compare(item as Uint8Array, plaintexts[i] as Uint8Array)).toBe(0)
    }
    const own = key.sealRandom('aad', 'own')
    const broken = own.slice()
    broken[around - 1] = (broken[around - 1] ?? 0) ^ 1
    const mixed = key.openBatch(
      [own, broken, new Uint8Array(), new Uint8Array(around - 1), new Uint8Array(around), own],
      'aad',
    )
    expect(mixed.map((item) => (item instanceof Error ? item.code : textOf(item)))).toEqual([
      'own',
      ...Array(4).fill('not_authentic'),
      'own',
    ])
    let failure: unknown
    try {
      key.openRandom('aae', own)
    } catch (error) {
      failure = error
    }
    expect(mixed[1]).toEqual(failure)
    expect([key.sealBatch([]), key.openBatch([])]).toEqual([[], []])
    key.destroy()
    expect(() => key.sealBatch(['x'])).toThrow(/destroyed/)
    expect(() => key.openBatch([own])).toThrow(/destroyed/)
  }
  const tooLong = [new Uint8Array(1), new Uint8Array(1 << 24)]
  expect(() => aead('sm4-ccm', new Uint8Array(16)).sealBatch(tooLong)).toThrow(code('too_long'))
})

test('text is no ciphertext, and the error says what takes it', async () => {
  const [key, nonce, iv] = [aead('aes-256-gcm', new Uint8Array(32)), new Uint8Array(12), new Uint8Array(16)]
  const [cbc, old] = [cipher('aes-128-cbc', iv), legacyCipher('rc4', 'key')]
  const [wrap, other] = [keyWrap('aes-128-kw', iv), ccm('aes-128-ccm', iv)]
  const chunks = chunkedKey('aes-256-gcm', new Uint8Array(32))
  const sealed = key.sealText(nonce, NO, 'x') as never
  for (const [taker, open] of [
    ['openText', () => key.open(nonce, NO, sealed)],
    ['openText', () => key.openInto(nonce, NO, sealed, new Uint8Array(99))],
    ['openText', () => key.openAsync(nonce, NO, sealed)],
    ['openRandomText', () => key.openRandom(NO, sealed)],
    ['openRandomText', () => key.openRandomAsync(NO, sealed)],
    ['openRandomText', () => key.openBatch([key.sealRandom(NO, 'x'), sealed])],
    ['decryptText', () => cbc.decrypt(iv, sealed)],
    ['decryptText', () => cbc.decryptInto(iv, sealed, new Uint8Array(99))],
    ['decryptText', () => old.decrypt(NO, sealed)],
    ['decode of sealstone/encoding', () => wrap.unwrap(sealed)],
    ['decode of sealstone/encoding', () => other.open(nonce, NO, sealed)],
    ['decode of sealstone/encoding', () => chunks.decrypt('', sealed)],
  ] as const) {
    const found = await (async () => open())().catch((error) => error)
    expect([open, found.code, found instanceof TypeError]).toEqual([open, 'invalid_argument', true])
    expect(found.message, String(open)).toContain(`must be bytes: ${taker} takes text`)
  }
})

test('a batch is taken before anything of it is read', () => {
  const key = aead('aes-256-gcm', new Uint8Array(32))
  const first = randomBytes(40)
  const items = [first, 'x'] as (Uint8Array | string)[]
  Object.defineProperty(items, 1, {
    get() {
      structuredClone(first.buffer, { transfer: [first.buffer] })
      return 'x'
    },
  })
  expect(() => key.sealBatch(items)).toThrow(/detached/)
})

test('a text that a cipher encrypts is what it encrypts of its bytes, and comes back', () => {
  for (const algorithm of MODES) {
    const key = cipher(algorithm, randomBytes(cipherKeyLength(algorithm)))
    const iv = algorithm.endsWith('ecb') ? NO : randomBytes(16)
    for (const text of TEXTS) {
      if (/xts/.test(algorithm) && bytesOf(text).length < 16) continue
      for (const encoding of ENCODINGS) {
        const made = key.encryptText(iv, text, encoding)
        expect(made).toBe(WRITTEN[encoding](key.encrypt(iv, text)))
        expect(key.decryptText(iv, made, encoding)).toBe(text)
      }
    }
    const whole = 'x'.repeat(64)
    const made = key.encryptText(iv, bytesOf(whole), 'base64', { padding: false })
    expect(made).toBe(toBase64(key.encrypt(iv, whole, { padding: false })))
    expect(key.decryptText(iv, made, undefined, { padding: false })).toBe(whole)
    expect(() => key.decryptText(iv, `${made}!`)).toThrow(code('invalid_encoding'))
    expect(() => key.encryptText(randomBytes(15), whole)).toThrow(code('wrong_length'))
  }
  const key = cipher('aes-256-cbc', new Uint8Array(32))
  const iv = new Uint8Array(16)
  expect(() => key.encryptText(iv, 'x', 'hex', { padding: false })).toThrow(code('partial_block'))
  expect(() => key.decryptText(iv, 'eA==')).toThrow(code('partial_block'))
  expect(() => key.decryptText(iv, toBase64(new Uint8Array(16)))).toThrow(code('invalid_padding'))
  expect(() => key.decryptText(iv, toBase64(key.encrypt(iv, new Uint8Array([0xff]))))).toThrow(code('invalid_encoding'))
})

/** Those of the core's tests: FIPS 81 B1, C1, D3 and E1, SP 800-67 B.1, Eric Young's of Blowfish, RFC 6229. */
test.each([
  [
    'des-ecb',
    '0123456789abcdef',
    '',
    '4e6f77206973207468652074696d6520666f7220616c6c20',
    '3fa40e8a984d48156a271787ab8883f9893d51ec4b563b53',
  ],
  [
    'des-cfb',
    '0123456789abcdef',
    '1234567890abcdef',
    '4e6f77206973207468652074696d6520666f7220616c6c20',
    'f3096249c7f46e51a69e839b1a92f78403467133898ea622',
  ],
  [
    'des-ofb',
    '0123456789abcdef',
    '1234567890abcdef',
    '4e6f77206973207468652074696d6520666f7220616c6c20',
    'f3096249c7f46e5135f24a242eeb3d3f3d6d5be3255af8c3',
  ],
  [
    'blowfish-cfb',
    '0123456789abcdeff0e1d2c3b4a59687',
    'fedcba9876543210',
    '37363534333231204e6f77206973207468652074696d6520666f722000',
    'e73214a2822139caf26ecf6d2eb9e76e3da3de04d1517200519d57a6c3',
  ],
  [
    'des-cbc',
    '0123456789abcdef',
    '1234567890abcdef',
    '4e6f77206973207468652074696d6520666f7220616c6c20',
    'e5c7cdde872bf27c43e934008c389c0f683788499a7c05f6',
  ],
  [
    'des-ede3-cbc',
    '0123456789abcdef23456789abcdef01456789abcdef0123',
    '0000000000000000',
    '5468652071756663',
    'a826fd8ce53b855f',
  ],
  [
    'blowfish-cbc',
    '0123456789abcdeff0e1d2c3b4a59687',
    'fedcba9876543210',
    '37363534333231204e6f77206973207468652074696d6520666f722000000000',
    '6b77b4d63006dee605b156e27403979358deb9e7154616d959f1652bd5ff92cc',
  ],
  ['rc4', '0102030405', '', '0000000000000000000000000000000000', 'b2396305f03dc027ccc3524a0a1118a869'],
] as const)(
  'what %s encrypted is read, and encrypted only where that is allowed',
  (algorithm, key, iv, plain, made) => {
    const reads = legacyCipher(algorithm, fromHex(key))
    const writes = legacyCipher(algorithm, fromHex(key), { allowLegacyEncryption: true })
    const bare = { padding: false }
    expect(toHex(reads.decrypt(fromHex(iv), fromHex(made), bare))).toBe(plain)
    expect(toHex(writes.encrypt(fromHex(iv), fromHex(plain), bare))).toBe(made)
    for (const [text, encoding] of [
      ['attack at dawn', 'hex'],
      ['é€😀', 'base64'],
    ] as const) {
      const sealed = writes.encryptText(fromHex(iv), text, encoding)
      expect(sealed).toBe(WRITTEN[encoding](writes.encrypt(fromHex(iv), text)))
      expect(reads.decryptText(fromHex(iv), sealed, encoding)).toBe(text)
      expect(textOf(reads.decrypt(fromHex(iv), writes.encrypt(fromHex(iv), text)))).toBe(text)
    }
    for (const refused of [() => reads.encrypt(fromHex(iv), 'x'), () => reads.encryptText(fromHex(iv), 'x')]) {
      expect(refused).toThrow(code('legacy_encryption'))
    }
    const never = legacyCipher(algorithm, fromHex(key), { allowLegacyEncryption: false })
    expect(() => never.encrypt(fromHex(iv), 'x')).toThrow(code('legacy_encryption'))
    expect(`${reads} ${JSON.stringify(reads)}`).toBe(`LegacyCipher(${algorithm}) "LegacyCipher(${algorithm})"`)
    reads.destroy()
    expect(() => reads.decrypt(fromHex(iv), fromHex(made))).toThrow(/destroyed/)
  },
)

test('old ciphers refuse keys, IVs, lengths and padding that they do not have', () => {
  for (const [algorithm, min, max] of LEGACY) {
    for (const len of [0, min - 1, max + 1, 300]) {
      expect(() => legacyCipher(algorithm, new Uint8Array(len)), `${algorithm} ${len}`).toThrow(code('wrong_length'))
    }
    const key = legacyCipher(algorithm, new Uint8Array(max))
    const iv = algorithm === 'rc4' || algorithm.endsWith('-ecb') ? NO : new Uint8Array(8)
    for (let len = 0; len <= 17; len++) {
      if (len === (iv?.length ?? 0) || (algorithm === 'rabbit' && len === 0)) continue
      expect(() => key.decrypt(new Uint8Array(len), new Uint8Array(8))).toThrow(code('wrong_length'))
    }
    if (!algorithm.endsWith('-cbc')) continue
    expect(() => key.decrypt(iv, new Uint8Array(7))).toThrow(code('partial_block'))
    expect(() => key.decrypt(iv, new Uint8Array())).toThrow(code('invalid_padding'))
    // All last bytes of a block of zeros but for one: whatever it is, one or more of them are padding in 256.
    const known = legacyCipher(algorithm, new Uint8Array(max), { allowLegacyEncryption: true })
    let padded = 0
    for (let last = 0; last < 256; last++) {
      const block = concat([new Uint8Array(7), new Uint8Array([last])])
      const sealed = known.encrypt(iv, block, { padding: false })
      try {
        expect(key.decrypt(iv, sealed)).toHaveLength(8 - last)
        padded++
      } catch (error) {
        expect(error).toEqual(code('invalid_padding'))
      }
    }
    expect(padded).toBe(1)
  }
})

/** RFC 4503 appendix A.2, whose bytes stand the other way round. */
test('rabbit decrypts, with an IV or without, and never encrypts', () => {
  const key = legacyCipher('rabbit', new Uint8Array(16))
  const iv = fromHex('597e26c175f573c3')
  expect(toHex(key.decrypt(iv, new Uint8Array(16)))).toBe('6d7d012292ccdce0e2120058b94ecd1f')
  expect(toHex(key.decrypt(NO, new Uint8Array(16)))).toBe('02f74a1c26456bf5ecd6a536f05457b1')
  expect(() => key.encrypt(iv, 'x')).toThrow(code('legacy_encryption'))
  const allowed = { allowLegacyEncryption: true }
  expect(() => legacyCipher('rabbit', new Uint8Array(16), allowed)).toThrow(code('legacy_encryption'))
})

test('a wrapped key comes back, and any change of it is not authentic', () => {
  // RFC 3394 section 4.6, RFC 5649 section 6.
  for (const [algorithm, key, secret, wrapped] of [
    [
      'aes-256-kw',
      '000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f',
      '00112233445566778899aabbccddeeff000102030405060708090a0b0c0d0e0f',
      '28c9f404c4b810f4cbccb35cfb87f8263f5786e2d80ed326cbc7f0e71a99f43bfb988b9b7a02dd21',
    ],
    [
      'aes-192-kwp',
      '5840df6e29b02af1ab493b705bf16ea1ae8338f4dcc176a8',
      'c37b7e6492584340bed12207808941155068f738',
      '138bdeaa9b8fa7fc61f97742e72248ee5ae6ae5360d1ae6a5f54f373fa543b6a',
    ],
    [
      'aes-192-kwp',
      '5840df6e29b02af1ab493b705bf16ea1ae8338f4dcc176a8',
      '466f7250617369',
      'afbeb0f07dfbf5419200f2ccb50bb24f',
    ],
  ] as const) {
    const wrap = keyWrap(algorithm, fromHex(key))
    expect(toHex(wrap.wrap(fromHex(secret)))).toBe(wrapped)
    expect(toHex(wrap.unwrap(fromHex(wrapped)))).toBe(secret)
  }
  for (const [algorithm, keyLen] of KEY_WRAPS) {
    const wrap = keyWrap(algorithm, randomBytes(keyLen))
    const pads = algorithm.endsWith('kwp')
    for (let len = 0; len <= 65; len++) {
      if (len !== keyLen) expect(() => keyWrap(algorithm, new Uint8Array(len))).toThrow(code('wrong_length'))
      const secret = randomBytes(len)
      if (pads ? len > 0 : len >= 16 && len % 8 === 0) {
        const wrapped = wrap.wrap(secret)
        expect(wrapped).toHaveLength(Math.ceil(len / 8) * 8 + 8)
        expect(compare(wrap.unwrap(wrapped), secret)).toBe(0)
        wrapped[len % wrapped.length] = (wrapped[len % wrapped.length] ?? 0) ^ 0x10
        expect(() => wrap.unwrap(wrapped)).toThrow(code('not_authentic'))
      } else expect(() => wrap.wrap(secret)).toThrow(code('wrong_length'))
      expect(() => wrap.unwrap(secret)).toThrow(code('not_authentic'))
    }
    expect(String(wrap)).toBe(`KeyWrap(${algorithm})`)
    wrap.destroy()
    expect(() => wrap.wrap(new Uint8Array(16))).toThrow(/destroyed/)
  }
})

test('CCM opens what it sealed, with nonces and tags of all its lengths and no others', () => {
  for (const [algorithm, keyLen] of CCMS) {
    const secret = randomBytes(keyLen)
    for (let len = 0; len <= 65; len++) {
      if (len !== keyLen) expect(() => ccm(algorithm, new Uint8Array(len))).toThrow(code('wrong_length'))
    }
    for (let tagLength = 0; tagLength <= 16; tagLength++) {
      if (tagLength < 4 || tagLength % 2 === 1) {
        expect(() => ccm(algorithm, secret, { tagLength })).toThrow(code('wrong_length'))
        continue
      }
      const key = ccm(algorithm, secret, { tagLength })
      for (let len = 0; len <= 16; len++) {
        const [nonce, data] = [randomBytes(len), randomBytes(50)]
        if (len < 7 || len > 13) {
          expect(() => key.seal(nonce, NO, data)).toThrow(code('wrong_length'))
          expect(() => key.open(nonce, NO, data)).toThrow(code('wrong_length'))
          continue
        }
        const sealed = key.seal(nonce, 'aad', data)
        expect(sealed).toHaveLength(50 + tagLength)
        expect(compare(key.open(nonce, 'aad', sealed), data)).toBe(0)
        sealed[len] = (sealed[len] ?? 0) ^ 1
        expect(() => key.open(nonce, 'aad', sealed)).toThrow(code('not_authentic'))
        expect(() => key.open(nonce, 'aad', new Uint8Array(tagLength - 1))).toThrow(code('not_authentic'))
      }
      expect(() => key.seal(new Uint8Array(13), NO, new Uint8Array(65_536))).toThrow(code('too_long'))
      expect(String(key)).toBe(`CcmKey(${algorithm})`)
    }
  }
})

test('Poly1305 is that of RFC 8439, and its keys have 32 bytes', () => {
  const key = fromHex('85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b')
  const tag = poly1305(key, 'Cryptographic Forum Research Group')
  expect(toHex(tag)).toBe('a8061dc1305136c6c22b8baf0c0127a9')
  for (let len = 0; len <= 65; len++) {
    if (len !== 32) expect(() => poly1305(new Uint8Array(len), '')).toThrow(code('wrong_length'))
  }
})
