// Wycheproof's tests of ciphers, as the core runs them (crates/core/tests/wycheproof.rs), and other implementations on random inputs.

import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { gcmsiv } from '@noble/ciphers/aes.js'
import { expect, test } from 'vitest'
import { wycheproof } from '#wycheproof'
import { type AeadAlgorithm, aead, aeadNonceLength } from '../src/api/aead.js'
import {
  type CcmAlgorithm,
  type CipherAlgorithm,
  ccm,
  cipher,
  type KeyWrapAlgorithm,
  keyWrap,
  legacyCipher,
} from '../src/api/hazmat.js'
import { compare, concat, fromHex, toBase64, toHex } from './data.js'

type File = (typeof wycheproof)[string]
type Group = File['testGroups'][number]
type Test = Group['tests'][number]

/** The tests that opened, and those that were refused with one of the codes. */
interface Outcome {
  opened: number
  refused: number
}

/** Opens each ciphertext, and makes it again where that is right. */
function run(
  name: string,
  codes: readonly string[],
  opens: (test: Test) => boolean,
  work: (test: Test, group: Group) => { opened: Uint8Array; made: Uint8Array },
): Outcome {
  const outcome = { opened: 0, refused: 0 }
  const faults: string[] = []
  for (const group of (wycheproof[name] as File).testGroups) {
    for (const test of group.tests) {
      let code: string | undefined
      try {
        const { opened, made } = work(test, group)
        if (toHex(opened) !== test.msg || toHex(made) !== `${test.ct}${test.tag ?? ''}`)
          faults.push(`tcId ${test.tcId}`)
      } catch (error) {
        code = (error as { code?: string }).code ?? String(error)
      }
      if (opens(test) ? code !== undefined : !codes.includes(code ?? 'opened'))
        faults.push(`tcId ${test.tcId}: ${code}`)
      if (code === undefined) outcome.opened++
      else outcome.refused++
    }
  }
  expect(faults).toEqual([])
  return outcome
}

const isValid = ({ result }: Test): boolean => result === 'valid'
const mayOpen = ({ result }: Test): boolean => result !== 'invalid'

test('AES-GCM-SIV, as bytes and as text', () => {
  const outcome = run('aes_gcm_siv', ['not_authentic', 'wrong_length'], mayOpen, (test, group) => {
    const key = aead(`aes-${group.keySize as 128 | 256}-gcm-siv`, fromHex(test.key))
    const [nonce, aad, sealed] = [test.iv, test.aad, test.ct + test.tag].map(fromHex) as [
      Uint8Array,
      Uint8Array,
      Uint8Array,
    ]
    const opened = key.open(nonce, aad, sealed)
    expect(key.sealText(nonce, aad, opened)).toBe(toBase64(sealed))
    return { opened, made: key.seal(nonce, aad, opened) }
  })
  expect(outcome).toEqual({ opened: 136, refused: 66 })
})

test('AES-CCM, with all its lengths', () => {
  const outcome = run('aes_ccm', ['not_authentic', 'wrong_length'], mayOpen, (test, group) => {
    const algorithm = `aes-${group.keySize as 128 | 192 | 256}-ccm` as const
    const key = ccm(algorithm, fromHex(test.key), { tagLength: group.tagSize / 8 })
    const [nonce, aad] = [fromHex(test.iv), fromHex(test.aad)]
    const opened = key.open(nonce, aad, fromHex(test.ct + test.tag))
    return { opened, made: key.seal(nonce, aad, opened) }
  })
  expect(outcome).toEqual({ opened: 405, refused: 147 })
})

test.each([
  ['kw', 'aes_wrap', { opened: 36, refused: 129 }],
  ['kwp', 'aes_kwp', { opened: 77, refused: 177 }],
] as const)('AES key wrap: %s', (form, name, expected) => {
  const outcome = run(name, ['not_authentic'], isValid, (test, group) => {
    const wrap = keyWrap(`aes-${group.keySize as 128 | 192 | 256}-${form}`, fromHex(test.key))
    const opened = wrap.unwrap(fromHex(test.ct))
    return { opened, made: wrap.wrap(opened) }
  })
  expect(outcome).toEqual(expected)
})

test('AES-CBC with padding', () => {
  const outcome = run('aes_cbc_pkcs5', ['invalid_padding'], mayOpen, (test, group) => {
    const key = cipher(`aes-${group.keySize as 128 | 192 | 256}-cbc`, fromHex(test.key))
    const opened = key.decrypt(fromHex(test.iv), fromHex(test.ct))
    return { opened, made: key.encrypt(fromHex(test.iv), opened) }
  })
  expect(outcome.opened + outcome.refused).toBe(216)
  expect(outcome.opened).toBeGreaterThanOrEqual(70)
})

const LENGTHS = [0, 1, 15, 16, 17, 50, 1000, 4096, 65_536]

test('AES-GCM under nonces of 8 and 16 bytes is that of OpenSSL, at once and later', async () => {
  for (const bits of [128, 192, 256] as const) {
    const [secret, aad] = [randomBytes(bits / 8), randomBytes(20)]
    const key = aead(`aes-${bits}-gcm`, secret)
    for (const nonce of [8, 16].map((len) => randomBytes(len))) {
      for (const len of [...LENGTHS, 300_000]) {
        const data = randomBytes(len)
        const theirs = createCipheriv(`aes-${bits}-gcm`, secret, nonce).setAAD(aad)
        const sealed = Buffer.concat([theirs.update(data), theirs.final(), theirs.getAuthTag()])
        expect(compare(key.seal(nonce, aad, data), sealed)).toBe(0)
        expect(compare(await key.sealAsync(nonce, aad, data), sealed)).toBe(0)
        expect(compare(key.open(nonce, aad, sealed), data)).toBe(0)
        expect(compare(await key.openAsync(nonce, aad, sealed), data)).toBe(0)
        expect(() => key.open(nonce, '', sealed)).toThrow(expect.objectContaining({ code: 'not_authentic' }))
      }
      expect(key.openText(nonce, '', key.sealText(nonce, '', 'attack at dawn'))).toBe('attack at dawn')
    }
  }
})

test('text is what OpenSSL encrypts of it', () => {
  for (const [algorithm, keyLen] of [
    ['aes-128-gcm', 16],
    ['aes-256-gcm', 32],
    ['chacha20-poly1305', 32],
  ] as const satisfies (readonly [AeadAlgorithm, number])[]) {
    const secret = randomBytes(keyLen)
    const key = aead(algorithm, secret)
    for (const len of LENGTHS) {
      const [nonce, text] = [randomBytes(aeadNonceLength(algorithm)), randomBytes(len).toString('hex')]
      const theirs = createCipheriv(algorithm as 'aes-256-gcm', secret, nonce, { authTagLength: 16 })
      const sealed = Buffer.concat([theirs.update(text), theirs.final(), theirs.getAuthTag()])
      for (const encoding of ['base64', 'base64url', 'hex'] as const) {
        expect(key.sealText(nonce, undefined, text, encoding)).toBe(sealed.toString(encoding))
        expect(key.openText(nonce, undefined, sealed.toString(encoding), encoding)).toBe(text)
        expect(key.openRandomText('', Buffer.concat([nonce, sealed]).toString(encoding), encoding)).toBe(text)
      }
    }
  }
  for (const bits of [128, 192, 256] as const) {
    for (const mode of ['ecb', 'cbc', 'ctr', 'cfb', 'cfb8', 'ofb'] as const) {
      const [algorithm, secret]: [CipherAlgorithm, Buffer] = [`aes-${bits}-${mode}`, randomBytes(bits / 8)]
      const key = cipher(algorithm, secret)
      const iv = mode === 'ecb' ? undefined : randomBytes(16)
      for (const len of LENGTHS) {
        const [text, data] = [randomBytes(len).toString('base64'), randomBytes(len)]
        const theirs = createCipheriv(algorithm, secret, iv ?? null)
        const made = theirs.update(text, 'utf8', 'base64') + theirs.final('base64')
        expect(key.encryptText(iv, text), algorithm).toBe(made)
        expect(key.decryptText(iv, made), algorithm).toBe(text)
        const back = createDecipheriv(algorithm, secret, iv ?? null)
        const ours = key.encrypt(iv, data)
        expect(compare(Buffer.concat([back.update(ours), back.final()]), data), algorithm).toBe(0)
      }
    }
  }
})

test('AES-GCM-SIV is that of @noble/ciphers', () => {
  for (const bits of [128, 256] as const) {
    const secret = randomBytes(bits / 8)
    const key = aead(`aes-${bits}-gcm-siv`, secret)
    for (const len of LENGTHS) {
      const [nonce, aad, data] = [randomBytes(12), randomBytes(len % 77), randomBytes(len)]
      const theirs = gcmsiv(secret, nonce, aad)
      expect(compare(key.seal(nonce, aad, data), theirs.encrypt(data))).toBe(0)
      const [one] = key.sealBatch([data], aad) as [Uint8Array]
      expect(compare(gcmsiv(secret, one.slice(0, 12), aad).decrypt(one.slice(12)), data)).toBe(0)
    }
  }
})

test('CCM and key wrap are those of OpenSSL', () => {
  for (const bits of [128, 192, 256] as const) {
    const algorithm: CcmAlgorithm = `aes-${bits}-ccm`
    for (const authTagLength of [4, 8, 14, 16]) {
      for (const nonceLen of [7, 12, 13]) {
        const [secret, nonce, aad] = [randomBytes(bits / 8), randomBytes(nonceLen), randomBytes(nonceLen * 3)]
        const key = ccm(algorithm, secret, { tagLength: authTagLength })
        // Of no data Node's OpenSSL gives no tag.
        for (const len of [1, 16, 50, 1023, 1024, 1025, 60_000]) {
          const data = randomBytes(len)
          const theirs = createCipheriv(algorithm, secret, nonce, { authTagLength })
          theirs.setAAD(aad, { plaintextLength: len })
          const sealed = Buffer.concat([theirs.update(data), theirs.final(), theirs.getAuthTag()])
          expect(compare(key.seal(nonce, aad, data), sealed)).toBe(0)
          expect(compare(key.open(nonce, aad, sealed), data)).toBe(0)
        }
      }
    }
    const forms: [KeyWrapAlgorithm, string, string, readonly number[]][] = [
      [`aes-${bits}-kw`, `id-aes${bits}-wrap`, 'a6a6a6a6a6a6a6a6', [16, 24, 32, 64, 1000]],
      [`aes-${bits}-kwp`, `id-aes${bits}-wrap-pad`, 'a65959a6', [1, 7, 8, 9, 16, 17, 20, 33, 1001]],
    ]
    for (const [algorithm, name, iv, lengths] of forms) {
      const secret = randomBytes(bits / 8)
      const wrap = keyWrap(algorithm, secret)
      for (const len of lengths) {
        const key = randomBytes(len)
        const theirs = createCipheriv(name, secret, Buffer.from(iv, 'hex'))
        const wrapped = Buffer.concat([theirs.update(key), theirs.final()])
        expect(compare(wrap.wrap(key), wrapped), `${algorithm} ${len}`).toBe(0)
        expect(compare(wrap.unwrap(wrapped), key)).toBe(0)
      }
    }
  }
})

test('triple DES is that of OpenSSL, and with one key three times DES', () => {
  for (const len of [0, 1, 7, 8, 9, 50, 1000]) {
    const [secret, one, iv, data] = [randomBytes(24), randomBytes(8), randomBytes(8), randomBytes(len)]
    for (const mode of ['ecb', 'cbc', 'cfb', 'ofb'] as const) {
      for (const [algorithm, key, long] of [
        [`des-ede3-${mode}`, secret, secret],
        [`des-${mode}`, one, concat([one, one, one])],
      ] as const) {
        const start = mode === 'ecb' ? new Uint8Array() : iv
        const theirs = createCipheriv(mode === 'ecb' ? 'des-ede3' : `des-ede3-${mode}`, long, start)
        const made = Buffer.concat([theirs.update(data), theirs.final()])
        const ours = legacyCipher(algorithm, key, { allowLegacyEncryption: true })
        expect(compare(ours.decrypt(start, made), data)).toBe(0)
        expect(compare(ours.encrypt(start, data), made)).toBe(0)
      }
    }
  }
})

/** RC4, for which OpenSSL needs a provider that Node does not load: key schedule and keystream. */
function rc4(key: Uint8Array, data: Uint8Array): Uint8Array {
  const state = Uint8Array.from({ length: 256 }, (_, i) => i)
  const at = (i: number): number => state[i & 255] as number
  const swap = (i: number, j: number): void => {
    ;[state[i], state[j]] = [at(j), at(i)]
  }
  for (let i = 0, j = 0; i < 256; i++) {
    j = (j + at(i) + (key[i % key.length] as number)) & 255
    swap(i, j)
  }
  let j = 0
  return data.map((byte, n) => {
    const i = (n + 1) & 255
    j = (j + at(i)) & 255
    swap(i, j)
    return byte ^ at(at(i) + at(j))
  })
}

test('RC4 is its definition', () => {
  for (const len of [1, 5, 16, 255, 256]) {
    const [secret, data] = [randomBytes(len), randomBytes(3000)]
    expect(compare(legacyCipher('rc4', secret).decrypt(undefined, data), rc4(secret, data))).toBe(0)
  }
})
