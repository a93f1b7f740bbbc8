// sealstone/compat/crypto-js: the cases of the original's own tests, the original beside ours on data of all lengths, and the defects
// that are gone.

import theirs from 'crypto-js'
import { describe, expect, test } from 'vitest'
import CASES from '../../../vectors/compat/crypto-js.json' with { type: 'json' }
import ours, {
  AES,
  algo,
  enc,
  format,
  kdf,
  lib,
  mode,
  PBKDF2,
  pad,
  type WordArray,
} from '../src/extras/crypto-js/index.js'

// biome-ignore lint/suspicious/noExplicitAny: it has the names of both
type Any = any

const code = (code: string) => expect.objectContaining({ code })
const text = 'attack at dawn, é€😀'
const hex = (digits: string): WordArray => enc.Hex.parse(digits)
/** So many bytes that count, in theirs and in ours. */
const digits = (length: number): string =>
  Array.from({ length }, (_, i) => ((7 * i + 3) % 256).toString(16).padStart(2, '0')).join('')

interface Case {
  readonly from: string
  readonly call: string
  readonly result?: string
  readonly text?: string
  readonly [field: string]: unknown
}

/** An argument from the data: bytes, which are in hexadecimal digits, or text. */
function argument(given: unknown): WordArray | string {
  return typeof given === 'string' ? given : hex((given as { hex: string }).hex)
}

/** A configuration of the data, with the objects of a package. */
function configuration(cfg: unknown, of: Any): object | undefined {
  if (cfg === undefined) return undefined
  const named: Record<string, Any> = { mode: of.mode, padding: of.pad, hasher: of.algo, format: of.format }
  const entries = Object.entries(cfg as object).map(([name, value]) => {
    if (name === 'iv' || name === 'salt') return [name, of.enc.Hex.parse(value)]
    return [name, name in named ? named[name][value] : value]
  })
  return Object.fromEntries(entries)
}

/** The result of a case, in the case's form. */
function given(row: Case): string {
  const cfg = configuration(row.cfg, ours)
  const [name, part, what] = row.call.split('.') as [string, string?, string?]
  if (name === 'enc') {
    const encoder = (enc as Any)[part as string]
    const more = 'urlSafe' in row ? [row.urlSafe] : []
    return what === 'parse'
      ? encoder.parse(row.text, ...more).toString()
      : encoder.stringify(hex(row.bytes as string), ...more)
  }
  if (name === 'pad') {
    const data = hex(row.data as string)
    ;(pad as Any)[part as string][what as string](data, row.blockSize)
    return data.toString()
  }
  const called = (ours as Any)[name]
  if ('password' in row) return called(argument(row.password), argument(row.salt), cfg).toString()
  if (part === undefined)
    return called(argument(row.message), row.key === undefined ? cfg : argument(row.key)).toString()
  if (part === 'decrypt') return called.decrypt(row.ciphertext, argument(row.key), cfg).toString()
  if (row.text !== undefined) {
    const message = argument(row.message)
    const bytes = typeof message === 'string' ? enc.Utf8.parse(message) : message
    expect(called.decrypt(row.text, row.key, cfg).toString()).toBe(bytes.toString())
    return row.text
  }
  return called.encrypt(argument(row.message), argument(row.key), cfg).ciphertext.toString()
}

/** A message without padding that is not whole blocks: theirs drops the remainder. */
const loses = (row: Case): boolean =>
  (row.cfg as { padding?: string })?.padding === 'NoPadding' && row.message === 'Hi There'

test('the cases of their tests', () => {
  const rows = (CASES as unknown as Case[]).filter((row) => !loses(row))
  for (const row of rows) expect(given(row), JSON.stringify(row)).toBe(row.result ?? row.text)
  expect([rows.length, new Set(rows.map((row) => row.call)).size]).toEqual([268, 49])
})

const LENGTHS = [0, 1, 7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 100, 1000]
const KEYS: Record<string, readonly [lengths: readonly number[], iv: number]> = {
  AES: [[16, 24, 32], 16],
  DES: [[8, 16], 8],
  TripleDES: [[8, 16, 24, 32], 8],
  Blowfish: [[4, 8, 16, 56], 8],
}

describe.each(Object.keys(KEYS))('%s', (name) => {
  const [keys, ivLength] = KEYS[name] as (typeof KEYS)[string]
  test.each(Object.keys(mode) as (keyof typeof mode)[])('in %s is theirs, with each padding and key', (itsMode) => {
    const iv = digits(ivLength)
    for (const key of keys.map(digits)) {
      for (const padding of Object.keys(pad) as (keyof typeof pad)[]) {
        for (const length of LENGTHS) {
          const isPartial = length % ivLength > 0 && padding === 'NoPadding' && (itsMode === 'CBC' || itsMode === 'ECB')
          if (isPartial) continue
          const run = (of: Any): Any[] => {
            const cfg = { iv: of.enc.Hex.parse(iv), mode: of.mode[itsMode], padding: of.pad[padding] }
            return [of[name], of.enc.Hex.parse(digits(length)), of.enc.Hex.parse(key), cfg]
          }
          const [their, message, theirKey, theirCfg] = run(theirs)
          const [our, mine, ourKey, ourCfg] = run(ours)
          const [theirMade, made] = [their.encrypt(message, theirKey, theirCfg), our.encrypt(mine, ourKey, ourCfg)]
          const what = `${padding}, ${length} bytes`
          if (padding !== 'Iso10126') expect(String(made), what).toBe(String(theirMade))
          // Zeros that a message ends with are lost there, and here.
          const expected = their.decrypt(String(theirMade), theirKey, theirCfg).toString()
          expect(our.decrypt(String(theirMade), ourKey, ourCfg).toString(), what).toBe(expected)
          expect(their.decrypt(String(made), theirKey, theirCfg).toString(), what).toBe(expected)
        }
      }
    }
  })

  test('comes in parts as theirs does', () => {
    for (const itsMode of Object.keys(mode) as (keyof typeof mode)[]) {
      for (const parts of [[0], [1, 2, 3], [16, 16, 16], [5, 40, 0, 3], [100, 1, 100]]) {
        const run = (of: Any): string[] => {
          const cfg = { iv: of.enc.Hex.parse(digits(ivLength)), mode: of.mode[itsMode] }
          const key = of.enc.Hex.parse(digits(keys[0] as number))
          const encryptor = of.algo[name].createEncryptor(key, cfg)
          const made = parts.map((length) => encryptor.process(of.enc.Hex.parse(digits(length))).toString())
          made.push(encryptor.finalize().toString())
          const decryptor = of.algo[name].createDecryptor(key, cfg)
          const read = made.map((part) => decryptor.process(of.enc.Hex.parse(part)).toString())
          read.push(decryptor.finalize().toString())
          encryptor.reset()
          return [...made, ...read, encryptor.finalize('again').toString()]
        }
        expect(run(ours), `${itsMode} ${parts}`).toEqual(run(theirs))
      }
    }
  })
})

test.each(['RC4', 'RC4Drop'])('%s is theirs, at once and in parts', (name) => {
  for (const key of [1, 5, 16, 32, 256, 300].map(digits)) {
    const run = (of: Any): string[] => {
      const bytes = of.enc.Hex.parse(key)
      const made = of[name].encrypt(of.enc.Hex.parse(digits(1000)), bytes)
      const encryptor = of.algo[name].createEncryptor(bytes)
      const parts = [1, 4, 4096, 0, 100].map((length) => encryptor.process(of.enc.Hex.parse(digits(length))).toString())
      return [String(made), of[name].decrypt(String(made), bytes).toString(), ...parts, encryptor.finalize().toString()]
    }
    expect(run(ours)).toEqual(run(theirs))
  }
  const cfg = { drop: 3 }
  const made = theirs.RC4Drop.encrypt(text, 'password', cfg).toString()
  expect(ours.RC4Drop.decrypt(made, 'password', cfg).toString(enc.Utf8)).toBe(text)
})

test.each(['Rabbit', 'RabbitLegacy'] as const)(
  '%s reads what theirs wrote, and theirs what it writes, at once and in parts',
  (name) => {
    for (const iv of [undefined, digits(8)]) {
      // Theirs changes the key that it is given.
      const cfg = (of: Any): object => (iv === undefined ? {} : { iv: of.enc.Hex.parse(iv) })
      const made = theirs[name].encrypt(text, theirs.enc.Hex.parse(digits(16)), cfg(theirs))
      const key = hex(digits(16))
      expect(ours[name].decrypt(made.toString(), key, cfg(ours)).toString(enc.Utf8)).toBe(text)
      // Twice: a key stays as it is given.
      for (let i = 0; i < 2; i++) expect(ours[name].encrypt(text, key, cfg(ours)).toString()).toBe(made.toString())
      expect(key.toString()).toBe(digits(16))
      const encryptor = algo[name].createEncryptor(key, cfg(ours))
      const theirEncryptor = theirs.algo[name].createEncryptor(theirs.enc.Hex.parse(digits(16)), cfg(theirs))
      for (const length of [1, 16, 4096, 0, 100]) {
        const [part, theirPart] = [hex(digits(length)), theirs.enc.Hex.parse(digits(length))]
        expect(String(encryptor.process(part))).toBe(String(theirEncryptor.process(theirPart)))
      }
      expect(String(encryptor.finalize())).toBe(String(theirEncryptor.finalize()))
      const decryptor = algo[name].createDecryptor(key, cfg(ours))
      const parts = [decryptor.process(hex(made.ciphertext.toString().slice(0, 20)))]
      parts.push(decryptor.finalize(hex(made.ciphertext.toString().slice(20))))
      expect(parts.map(String).join('')).toBe(enc.Utf8.parse(text).toString())
    }
    const made = theirs[name].encrypt(text, 'password').toString()
    expect(ours[name].decrypt(made, 'password').toString(enc.Utf8)).toBe(text)
    const own = ours[name].encrypt(text, 'password').toString()
    expect(theirs[name].decrypt(own, 'password').toString(theirs.enc.Utf8)).toBe(text)
  },
)

test.each(['AES', 'DES', 'TripleDES', 'Blowfish', 'RC4'])(
  '%s under a password is read by theirs, and theirs by ours',
  (name) => {
    for (const hasher of [undefined, 'SHA1', 'SHA256', 'SHA512', 'RIPEMD160'] as const) {
      const cfg = (of: Any): object | undefined => hasher && { hasher: of.algo[hasher] }
      const [mine, their] = [(ours as Any)[name], theirs[name]]
      expect(
        their
          .decrypt(mine.encrypt(text, 'password', cfg(ours)).toString(), 'password', cfg(theirs))
          .toString(theirs.enc.Utf8),
      ).toBe(text)
      expect(
        mine.decrypt(their.encrypt(text, 'password', cfg(theirs)).toString(), 'password', cfg(ours)).toString(enc.Utf8),
      ).toBe(text)
      const [salt, theirSalt] = [hex(digits(8)), theirs.enc.Hex.parse(digits(8))]
      const made = mine.encrypt(text, 'password', { ...cfg(ours), salt })
      const theirMade = their.encrypt(text, 'password', { ...cfg(theirs), salt: theirSalt })
      for (const part of ['ciphertext', 'key', 'iv', 'salt']) expect(String(made[part])).toBe(String(theirMade[part]))
    }
  },
)

const HASHES = ['MD5', 'SHA1', 'SHA224', 'SHA256', 'SHA384', 'SHA512', 'SHA3', 'RIPEMD160'] as const

test.each(HASHES)('%s and its HMAC are theirs, at once and in parts', (name) => {
  for (const length of [0, 1, 31, 55, 56, 63, 64, 65, 111, 112, 127, 128, 129, 135, 136, 137, 143, 144, 200, 1000]) {
    const run = (of: Any): string[] => {
      const message = of.enc.Hex.parse(digits(length))
      const hasher = of.algo[name].create().update(message)
      const copy = hasher.clone()
      const hmac = of.algo.HMAC.create(of.algo[name], message).update('a')
      return [
        ...[of[name](message), of[`Hmac${name}`](message, 'key'), of[`Hmac${name}`]('message', message)],
        ...[hasher.update('more').finalize('end'), copy.finalize(), hmac.finalize(message)],
      ].map(String)
    }
    expect(run(ours), `${length} bytes`).toEqual(run(theirs))
  }
  expect(String(ours[name](text))).toBe(String(theirs[name](text)))
})

test('SHA3 has the lengths and the padding of Keccak as theirs has, and no other length', () => {
  for (const outputLength of [224, 256, 384, 512] as const) {
    for (const length of LENGTHS) {
      const run = (of: Any): string[] => {
        const message = of.enc.Hex.parse(digits(length))
        return [
          of.SHA3(message, { outputLength }),
          of.algo.SHA3.create({ outputLength }).update(message).finalize(),
        ].map(String)
      }
      expect(run(ours)).toEqual(run(theirs))
    }
  }
  expect(() => ours.SHA3('', { outputLength: 255 as 256 })).toThrow(code('invalid_argument'))
})

test('derivations are theirs, and what they are told holds', () => {
  for (const keySize of [1, 4, 8, 12, 19]) {
    for (const hasher of [undefined, ...HASHES]) {
      for (const iterations of [1, 2, 20]) {
        const run = (of: Any): string[] => {
          const cfg = { keySize, iterations, ...(hasher && { hasher: of.algo[hasher] }) }
          return [of.PBKDF2(text, of.enc.Hex.parse(digits(8)), cfg), of.EvpKDF(text, 'salt', cfg)].map(String)
        }
        expect(run(ours), `${hasher} ${keySize} ${iterations}`).toEqual(run(theirs))
      }
    }
  }
  // Of empty inputs, with the defaults.
  expect(String(PBKDF2('', ''))).toBe(
    String(theirs.PBKDF2('', '', { iterations: 250_000, hasher: theirs.algo.SHA256 })),
  )
  expect([algo.PBKDF2.cfg.iterations, algo.PBKDF2.cfg.hasher, algo.PBKDF2.cfg.keySize]).toEqual([
    250_000,
    algo.SHA256,
    4,
  ])
  for (const cfg of [{ iterations: 0 }, { iterations: 1.5 }, { keySize: 0 }, { hasher: {} as never }]) {
    expect(() => PBKDF2('password', 'salt', cfg)).toThrow(code('invalid_argument'))
    expect(() => ours.EvpKDF('password', 'salt', cfg)).toThrow(code('invalid_argument'))
  }
  expect(() => PBKDF2('password', 'salt', { iterations: 2 ** 31 })).toThrow(code('cost_too_high'))
})

test('what programs set in derivations and ciphers counts', () => {
  const { keySize } = algo.AES
  const { iterations } = algo.EvpKDF.cfg
  try {
    algo.AES.keySize = 4
    algo.EvpKDF.cfg.iterations = 3
    const made = AES.encrypt(text, 'password')
    expect([made.key?.sigBytes, AES.decrypt(String(made), 'password').toString(enc.Utf8)]).toEqual([16, text])
    expect(String(made.key)).toBe(
      String(theirs.EvpKDF('password', theirs.enc.Hex.parse(String(made.salt)), { iterations: 3 })),
    )
  } finally {
    algo.AES.keySize = keySize
    algo.EvpKDF.cfg.iterations = iterations
  }
  const own = {
    execute: (password: string, keySize: number, ivSize: number, salt = lib.WordArray.random(8)) => {
      const key = PBKDF2(password, salt, { keySize: keySize + ivSize, iterations: 1000 })
      const iv = lib.WordArray.create(key.words.slice(keySize), ivSize * 4)
      key.sigBytes = keySize * 4
      return lib.CipherParams.create({ key, iv, salt })
    },
  }
  const made = AES.encrypt(text, 'password', { kdf: own as typeof kdf.OpenSSL })
  expect(AES.decrypt(String(made), 'password', { kdf: own as typeof kdf.OpenSSL }).toString(enc.Utf8)).toBe(text)
})

test('a caller has modes, paddings and formats of its own', () => {
  const make = (of: Any): string[] => {
    const Own = of.lib.BlockCipherMode.extend()
    Own.Encryptor = Own.extend({
      processBlock(words: number[], offset: number) {
        const { blockSize } = this._cipher
        for (let i = 0; i < blockSize; i++) words[offset + i] = (words[offset + i] as number) ^ (this._iv?.[i] ?? 0)
        this._cipher.encryptBlock(words, offset)
      },
    })
    Own.Decryptor = Own.extend({
      processBlock(words: number[], offset: number) {
        this._cipher.decryptBlock(words, offset)
        for (let i = 0; i < this._cipher.blockSize; i++)
          words[offset + i] = (words[offset + i] as number) ^ (this._iv?.[i] ?? 0)
      },
    })
    const padding = {
      pad: (data: Any, blockSize: number) => {
        data.concat(
          of.lib.WordArray.create(
            [0x20202020, 0x20202020, 0x20202020, 0x20202020],
            blockSize * 4 - (data.sigBytes % (blockSize * 4)),
          ),
        )
      },
      unpad: (data: Any) => {
        while (data.toString(of.enc.Latin1).endsWith(' ')) data.sigBytes--
      },
    }
    const json = {
      stringify: (params: Any) =>
        JSON.stringify({ ct: params.ciphertext.toString(of.enc.Base64), iv: params.iv.toString() }),
      parse: (made: string) => of.lib.CipherParams.create({ ciphertext: of.enc.Base64.parse(JSON.parse(made).ct) }),
    }
    const cfg = { mode: Own, padding, format: json, iv: of.enc.Hex.parse(digits(16)) }
    const made = of.AES.encrypt(text, of.enc.Hex.parse(digits(32)), cfg).toString()
    return [made, of.AES.decrypt(made, of.enc.Hex.parse(digits(32)), cfg).toString(of.enc.Utf8)]
  }
  expect(make(ours)).toEqual(make(theirs))
  expect(make(ours)[1]).toBe(text)
})

describe('a WordArray', () => {
  test('is bytes and words at once', () => {
    for (const length of [0, 1, 2, 3, 4, 5, 8, 11]) {
      const run = (of: Any): unknown[] => {
        const one = of.enc.Hex.parse(digits(length))
        const words = of.lib.WordArray.create([0x89abcdef, 0x12345678], 7)
        const both = one.clone().concat(words)
        both.words[0] = 1
        const cut = of.enc.Hex.parse(digits(length))
        cut.sigBytes = Math.min(3, length)
        const cutString = String(cut)
        cut.clamp()
        const appended = of.lib.WordArray.create()
        for (let i = 0; i < 20; i++) appended.concat(one).concat(words)
        // Bytes behind those that count may differ, and the notation of a number of 32 bits.
        const said = [one, both, cut, appended].map((array) => {
          array.clamp()
          return [String(array), array.sigBytes, array.words.map((word: number) => word | 0)]
        })
        return [...said, cutString, new of.lib.WordArray.init([1, 2], 5).toString(), String(one.concat(one))]
      }
      expect(run(ours), `${length} bytes`).toEqual(run(theirs))
    }
  })

  test('is made of all that theirs is made of', () => {
    const { buffer } = Uint8Array.from({ length: 16 }, (_, i) => 17 * i)
    for (const Kind of [
      Int8Array,
      Uint8Array,
      Uint8ClampedArray,
      Int16Array,
      Uint16Array,
      Int32Array,
      Uint32Array,
      Float32Array,
      Float64Array,
    ]) {
      expect(String(lib.WordArray.create(new Kind(buffer)))).toBe(String(theirs.lib.WordArray.create(new Kind(buffer))))
    }
    expect(String(lib.WordArray.create(buffer))).toBe('00112233445566778899aabbccddeeff')
    const bytes = new Uint8Array(buffer)
    const made = lib.WordArray.create(bytes)
    bytes.fill(0)
    expect(String(made)).toBe('00112233445566778899aabbccddeeff')
    expect(JSON.stringify(lib.WordArray.create([1, -2], 5))).toBe('{"words":[1,-16777216],"sigBytes":5}')
    expect(lib.WordArray.random(100).sigBytes).toBe(100)
    expect(String(lib.WordArray.random(16))).not.toBe(String(lib.WordArray.random(16)))
    expect(made instanceof lib.WordArray.init).toBe(true)
    for (const none of ['text', 5, {}])
      expect(() => lib.WordArray.create(none as never)).toThrow(code('invalid_argument'))
  })

  test('has words of 64 bits beside it, as theirs has', () => {
    const run = (of: Any): unknown[] => {
      const { Word, WordArray } = of.x64
      const words = [Word.create(0x00010203, 0x04050607), Word.create(0x18191a1b, 0xfc1d1e1f)]
      const all = WordArray.create(words)
      const copy = all.clone()
      words[0].high = 5
      const own = WordArray.extend({ more: 'of a caller' }).create(words, 10)
      return [
        ...[WordArray.create(), all, copy, own].map((one) => [one.toX32().toString(), one.sigBytes]),
        ...[words[1].high, words[1].low, copy.words[1].low, own.more],
      ]
    }
    expect(run(ours)).toEqual(run(theirs))
    expect(run(ours)[2]).toEqual(['000102030405060718191a1bfc1d1e1f', 16])
  })

  test('gets what programs add to all of them', () => {
    const shared = lib.WordArray as WordArray & { half?: () => number }
    shared.half = function (this: WordArray) {
      return this.sigBytes / 2
    }
    try {
      expect((hex('0011') as typeof shared).half?.()).toBe(1)
    } finally {
      delete shared.half
    }
  })

  test('of theirs is taken by ours', () => {
    const [key, iv] = [theirs.enc.Hex.parse(digits(16)), theirs.enc.Hex.parse(digits(16))]
    const made = AES.encrypt(theirs.enc.Utf8.parse(text), key, { iv })
    expect(theirs.AES.decrypt(String(made), key, { iv }).toString(theirs.enc.Utf8)).toBe(text)
  })
})

test('encoders are theirs', () => {
  for (const name of Object.keys(enc) as (keyof typeof enc)[]) {
    for (const length of LENGTHS) {
      if (name === 'Utf8') continue
      const run = (of: Any): string => of.enc[name].stringify(of.enc.Hex.parse(digits(length)))
      expect(run(ours), name).toBe(run(theirs))
      if (!name.startsWith('Utf16') || length % 2 === 0) expect(String(enc[name].parse(run(ours)))).toBe(digits(length))
    }
  }
  for (const said of ['', 'a', text, '\ufeffmark', '\0']) {
    expect(enc.Utf8.parse(said).toString(enc.Utf8)).toBe(said)
    expect(String(enc.Utf8.parse(said))).toBe(String(theirs.enc.Utf8.parse(said)))
    expect(enc.Utf16LE.parse(said).toString(enc.Utf16LE)).toBe(said)
  }
  expect(enc.Base64.parse('YQ').toString(enc.Utf8)).toBe('a')
  expect(enc.Base64url.stringify(hex('fbff'), false)).toBe('+/8=')
})

describe('what is wrong in theirs did not come along', () => {
  const [key, iv] = [hex(digits(16)), hex(digits(16))]

  /** The plaintext of theirs had a length below zero, or was cut somewhere. */
  test('a wrong key is an error where padding or UTF-8 tell', () => {
    const made = AES.encrypt(text, key, { iv }).toString()
    let refused = 0
    for (let i = 0; i < 256; i++) {
      const other = hex(digits(15) + i.toString(16).padStart(2, '0'))
      if (String(other) === String(key)) continue
      try {
        AES.decrypt(made, other, { iv }).toString(enc.Utf8)
      } catch (error) {
        expect(['invalid_padding', 'invalid_encoding']).toContain((error as { code: string }).code)
        refused++
      }
    }
    expect(refused).toBe(255)
    expect(() => AES.decrypt(AES.encrypt(text, 'password').toString(), 'passwort').toString(enc.Utf8)).toThrow()
  })

  test.each(['Pkcs7', 'AnsiX923', 'Iso10126', 'Iso97971'] as const)(
    'wrong padding of %s is one error in each mode',
    (name) => {
      for (const itsMode of [mode.CBC, mode.CTR, mode.ECB, mode.OFB]) {
        const cfg = { iv, mode: itsMode, padding: pad[name] }
        const bare = { ...cfg, padding: pad.NoPadding }
        for (const last of ['00', '11', 'ff', '02']) {
          const block = `${'07'.repeat(14)}03${last}`
          if (name === 'Iso10126' && last === '02') continue
          const made = AES.encrypt(hex(block), key, bare).toString()
          expect(() => AES.decrypt(made, key, cfg), `${name} ${last}`).toThrow(code('invalid_padding'))
        }
        expect(() => AES.decrypt('', key, cfg)).toThrow(code('invalid_padding'))
      }
    },
  )

  test('text that is no UTF-8 is refused with the message that programs look for', () => {
    for (const bytes of ['ff', 'c080', 'eda080', 'f4908080', 'e282']) {
      expect(() => hex(bytes).toString(enc.Utf8)).toThrow(/^Malformed UTF-8 data$/)
      expect(() => hex(bytes).toString(enc.Utf8)).toThrow(code('invalid_encoding'))
    }
  })

  /** Theirs takes any digit for a zero, and half a byte for one. */
  test('text of bytes is refused where it is none', () => {
    for (const none of ['0', 'zz', '00 00', '0x00']) expect(() => enc.Hex.parse(none)).toThrow(code('invalid_encoding'))
    for (const none of ['a', 'aaaa\n', 'a-_b', '####', 'YWI=YWI=!']) {
      if (none !== 'YWI=YWI=!') expect(() => enc.Base64.parse(none), none).toThrow(code('invalid_encoding'))
    }
    expect(() => enc.Latin1.parse('€')).toThrow(code('invalid_argument'))
    expect(() => enc.Utf8.parse('\ud800')).toThrow(code('invalid_argument'))
    expect(() => AES.decrypt('no base64!', 'password')).toThrow(code('invalid_encoding'))
  })

  /** Theirs encrypts a last partial block as a whole one, and drops the rest of that block. */
  test('a message that is not whole blocks is refused where it would be lost', () => {
    for (const itsMode of [mode.CBC, mode.ECB]) {
      const cfg = { iv, mode: itsMode, padding: pad.NoPadding }
      expect(() => AES.encrypt('Hi There', key, cfg)).toThrow(code('partial_block'))
      expect(() => AES.decrypt({ ciphertext: hex(digits(17)) }, key, cfg)).toThrow(code('partial_block'))
    }
  })

  /** Theirs draws a salt to decrypt with. */
  test('a ciphertext without a salt is of no password', () => {
    expect(() => AES.decrypt(enc.Base64.stringify(hex(digits(32))), 'password')).toThrow(code('malformed_ciphertext'))
    expect(() => AES.decrypt('', 'password')).toThrow(code('malformed_ciphertext'))
  })

  /** Theirs computes rounds for any length, and none at all for text. */
  test('keys and IVs of other lengths and kinds are refused', () => {
    for (const length of [0, 1, 8, 15, 17, 20, 31, 33, 64]) {
      expect(() => AES.encrypt(text, hex(digits(length)), { iv })).toThrow(code('wrong_length'))
    }
    for (const [kind, lengths] of Object.entries({
      DES: [0, 7],
      TripleDES: [0, 7, 9, 15, 17, 23],
      Blowfish: [0, 57],
      RC4: [0],
      Rabbit: [0, 15],
    })) {
      for (const length of lengths) {
        const made = enc.Base64.stringify(hex(digits(8)))
        expect(() => (ours as Any)[kind].decrypt(made, hex(digits(length)), { iv }), `${kind} ${length}`).toThrow(
          code('wrong_length'),
        )
      }
    }
    expect(() => AES.encrypt(text, key)).toThrow(code('invalid_argument'))
    expect(() => AES.encrypt(text, key, { iv: 'text' as never })).toThrow(code('invalid_argument'))
    expect(() => algo.AES.createEncryptor('text' as never)).toThrow(code('invalid_argument'))
    // Missing bytes count as zeros, as theirs has it, and never where counters would be the same for several blocks.
    for (const itsMode of ['CBC', 'CFB', 'OFB'] as const) {
      const run = (of: Any): string =>
        String(
          of.AES.encrypt(text, of.enc.Hex.parse(digits(16)), {
            iv: of.enc.Hex.parse(digits(12)),
            mode: of.mode[itsMode],
          }),
        )
      expect(run(ours)).toBe(run(theirs))
    }
    for (const itsMode of [mode.CTR, mode.CTRGladman]) {
      expect(() => AES.encrypt(text, key, { iv: hex(digits(12)), mode: itsMode })).toThrow(code('invalid_argument'))
    }
  })

  test('what does nothing, or is none, is refused', () => {
    for (const cfg of [
      { iterations: 1000 },
      { mode: undefined },
      { padding: undefined },
      { mode: (mode as Any).GCM },
    ]) {
      expect(() => AES.encrypt(text, key, { iv, ...cfg } as never)).toThrow(code('invalid_argument'))
    }
    expect(() => AES.decrypt(hex(digits(16)) as never, key, { iv })).toThrow(code('invalid_argument'))
    expect(() => ours.SHA256(5 as never)).toThrow(code('invalid_argument'))
  })

  /** Theirs swaps the bytes of a key of Rabbit where it lies, so that its second message is of another key. */
  test('nothing that is given is changed', () => {
    const given = [hex(digits(16)), hex(digits(16)), hex(digits(40))] as const
    AES.encrypt(given[2], given[0], { iv: given[1] })
    ours.HmacSHA256(given[2], given[0])
    ours.RC4.encrypt(given[2], given[0])
    expect(given.map(String)).toEqual([digits(16), digits(16), digits(40)])
  })

  /** Theirs encrypts under a salt that it cannot find again, and without one. */
  test('a salt has eight bytes, and one that says nothing is drawn', () => {
    for (const salt of ['', null, undefined]) {
      const made = [0, 1].map(() => AES.encrypt(text, 'password', { salt } as never).toString())
      expect([made[0]?.startsWith('U2FsdGVkX1'), made[0] === made[1]]).toEqual([true, false])
      expect(AES.decrypt(made[0] as string, 'password').toString(enc.Utf8)).toBe(text)
    }
    for (const salt of [hex(''), hex(digits(2)), hex(digits(16)), 'saltsalt']) {
      expect(() => AES.encrypt(text, 'password', { salt } as never)).toThrow(code('invalid_argument'))
    }
    expect(() => format.OpenSSL.stringify({ ciphertext: hex(''), salt: hex('00') })).toThrow(code('invalid_argument'))
    expect(() => AES.decrypt({ ciphertext: hex(digits(16)), salt: '' as never }, 'password')).toThrow(
      code('malformed_ciphertext'),
    )
  })

  /** Theirs encrypts with no rounds: text has no words, and a MAC that callers build on that has no key. */
  test('text is no key, IV or salt, and the error says what makes one of it', () => {
    for (const name of ['AES', 'DES', 'TripleDES', 'Blowfish', 'RC4', 'Rabbit'] as const) {
      for (const begin of ['createEncryptor', 'createDecryptor'] as const) {
        expect(() => algo[name][begin]('69c4e0d86a7b0430d8cdb78070b4c55a' as never, { iv })).toThrow(
          'the key must be a WordArray: of text enc.Hex.parse or enc.Utf8.parse makes one',
        )
      }
    }
    expect(() => AES.encrypt(text, key, { iv: 'sixteen characters' as never })).toThrow(/the IV .*enc\.Utf8\.parse/)
  })

  /** Theirs draws salts and the padding Iso10126 of whatever stands there, which may be worth nothing. */
  test('salts and paddings are of the system, whoever replaces lib.WordArray.random', () => {
    const { random } = lib.WordArray
    const fixed = (length: number): WordArray => hex('11'.repeat(length))
    lib.WordArray.random = fixed
    try {
      const salts = [0, 1].map(() => String(AES.encrypt(text, 'password').salt))
      expect([salts[0] === salts[1], salts.includes('11'.repeat(8))]).toEqual([false, false])
      const paddings = [0, 1].map(() => {
        const block = hex('')
        pad.Iso10126.pad(block, 4)
        return String(block)
      })
      expect([paddings[0] === paddings[1], paddings.includes(`${'11'.repeat(15)}10`)]).toEqual([false, false])
      // A program's own call gets its own.
      expect(lib.WordArray.random(2).toString()).toBe('1111')
    } finally {
      lib.WordArray.random = random
    }
  })

  test('what costs too much is refused before it begins', () => {
    const ciphertext = { words: [], sigBytes: 1e9 }
    expect(() => AES.decrypt({ ciphertext }, key, { iv })).toThrow(code('invalid_argument'))
    expect(() => ours.EvpKDF('password', 'salt', { iterations: 10_000_001 })).toThrow(code('cost_too_high'))
    expect(() => ours.EvpKDF('password', 'salt', { iterations: 5_000_001, keySize: 8 })).toThrow(code('cost_too_high'))
  })

  test('what an object of options inherits does not count, and is refused where it does nothing', () => {
    const inherited = Object.create({ mode: mode.ECB, salt: hex(digits(8)), format: format.Hex, hasher: algo.SHA256 })
    const made = AES.encrypt(text, 'password', inherited).toString()
    expect(theirs.AES.decrypt(made, 'password').toString(theirs.enc.Utf8)).toBe(text)
    expect(() => AES.encrypt(text, 'password', Object.create({ iterations: 5 }))).toThrow(code('invalid_argument'))
  })

  test('no text of JSON changes what an object inherits from', () => {
    const params = lib.CipherParams.create(JSON.parse('{"__proto__": {"toString": 5}, "blockSize": 4}'))
    expect([params.blockSize, params instanceof lib.CipherParams.init]).toEqual([4, true])
  })
})

test('keystream goes on behind the end of a message, as in theirs', () => {
  const next = (of: Any): string[] => {
    const encryptor = of.algo.RC4.createEncryptor(of.enc.Utf8.parse('0123456789abcdef'))
    return ['hello', 'hello'].map((part) => encryptor.finalize(part).toString())
  }
  expect(next(ours)).toEqual(['ec0d2c3592', '619336f2af'])
  expect(next(theirs)).toEqual(next(ours))
  // Lengths that a generator gives, the same each time.
  let seed = 1
  const drawn = (below: number): number => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0
    return (seed >>> 16) % below
  }
  for (let round = 0; round < 60; round++) {
    const parts = Array.from({ length: 5 }, () => [drawn(3) > 0 ? 'finalize' : 'process', drawn(50)] as const)
    for (const name of ['AES', 'DES', 'TripleDES', 'Blowfish', 'RC4', 'RC4Drop']) {
      for (const itsMode of name.startsWith('RC4') ? ['CTR'] : ['CFB', 'OFB', 'CTR', 'CTRGladman']) {
        for (const begins of ['createEncryptor', 'createDecryptor']) {
          const run = (of: Any): string[] => {
            const iv = of.enc.Hex.parse(digits(name === 'AES' ? 16 : 8))
            const cfg = { iv, mode: of.mode[itsMode], padding: of.pad.NoPadding }
            const cipher = of.algo[name][begins](of.enc.Hex.parse(digits(name === 'DES' ? 8 : 16)), cfg)
            return parts.map(([takes, length]) => cipher[takes](of.enc.Hex.parse(digits(length))).toString())
          }
          expect(run(ours), `${name} ${itsMode} ${begins} ${parts}`).toEqual(run(theirs))
        }
      }
    }
  }
})

test('the counter of CTR has 32 bits, as theirs has', () => {
  const key = digits(16)
  const run = (of: Any, parts: number[]): string => {
    const cfg = { iv: of.enc.Hex.parse(`${digits(12)}fffffffe`), mode: of.mode.CTR, padding: of.pad.NoPadding }
    const encryptor = of.algo.AES.createEncryptor(of.enc.Hex.parse(key), cfg)
    return (
      parts.map((length) => String(encryptor.process(of.enc.Hex.parse(digits(length))))).join('') + encryptor.finalize()
    )
  }
  for (const parts of [[100], [16, 16, 16], [32, 50]]) expect(run(ours, parts)).toBe(run(theirs, parts))
})

test('the formats are theirs', () => {
  const params = lib.CipherParams.create({ ciphertext: hex(digits(16)), salt: hex(digits(8)) })
  expect(format.OpenSSL.stringify(params)).toBe(
    theirs.format.OpenSSL.stringify(
      theirs.lib.CipherParams.create({
        ciphertext: theirs.enc.Hex.parse(digits(16)),
        salt: theirs.enc.Hex.parse(digits(8)),
      }),
    ),
  )
  expect(params.toString(format.Hex)).toBe(digits(16))
  expect(String(format.Hex.parse(digits(16)).ciphertext)).toBe(digits(16))
  const parsed = format.OpenSSL.parse(String(params))
  expect([String(parsed.salt), String(parsed.ciphertext)]).toEqual([digits(8), digits(16)])
  expect(lib.SerializableCipher.encrypt(algo.AES, text, hex(digits(16)), { iv: hex(digits(16)) }).formatter).toBe(
    format.OpenSSL,
  )
  expect(String(kdf.OpenSSL.execute('password', 8, 4, hex('0a9d8620cf7219f1')).key)).toBe(
    '50f32e0ec9408e02ff42364a52aac95c3694fc027256c6f488bf84b8e60effcd',
  )
})

test('what is neither text nor words is named', () => {
  expect(() => AES.encrypt('a', undefined as never)).toThrow('the key must be a WordArray, or a password as text')
  expect(() => AES.decrypt('a', 42 as never)).toThrow('the key must be a WordArray, or a password as text')
  expect(() => ours.SHA256(123 as never)).toThrow('the message must be text or a WordArray')
})
