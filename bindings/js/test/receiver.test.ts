// Classes whose objects users hold have one rule: each object is one of its class, in a component of Vue too.

import { expect, test } from 'vitest'
import { isReactive, reactive, ref } from 'vue'
import * as aead from '../src/api/aead.js'
import * as age from '../src/api/age/index.js'
import * as exchange from '../src/api/exchange.js'
import * as hash from '../src/api/hash.js'
import * as hazmat from '../src/api/hazmat.js'
import * as sealstone from '../src/api/index.js'
import * as kdf from '../src/api/kdf.js'
import * as mac from '../src/api/mac.js'
import * as rsa from '../src/api/rsa.js'
import * as sign from '../src/api/sign.js'
import * as bench from '../src/extras/bench.js'
import * as cryptoJs from '../src/extras/crypto-js/index.js'
import * as fise from '../src/extras/fise/index.js'
import * as ldesignStream from '../src/extras/ldesign/core/stream.js'
import * as ldesign from '../src/extras/ldesign/index.js'
import * as ldesignFiles from '../src/extras/ldesign/stream.js'
import * as monitor from '../src/extras/monitor/index.js'
import { framesOf } from './results.js'

const ENTRIES = {
  aead,
  age,
  bench,
  'compat/crypto-js': cryptoJs,
  'compat/ldesign': ldesign,
  'compat/ldesign/core/stream': ldesignStream,
  'compat/ldesign/stream': ldesignFiles,
  exchange,
  fise,
  hash,
  hazmat,
  index: sealstone,
  kdf,
  mac,
  monitor,
  rsa,
  sign,
}

type Class = { readonly name: string; readonly prototype: object; readonly brand?: string }
type Methods = { readonly [name: PropertyKey]: (this: unknown, ...args: unknown[]) => unknown }

const key = new Uint8Array(32)
const identity = sealstone.generateIdentity('x25519')
const signing = sign.generateKey('ed25519')
const exchanging = exchange.generateKey('ml-kem-768')

/** An object of each class that users hold, and a use of it. */
const OBJECTS: { readonly [name: string]: readonly [object: object, works: (object: never) => unknown] } = {
  Identity: [identity, (own: sealstone.Identity) => own.kind],
  Recipient: [sealstone.recipientOf(identity), (own: sealstone.Recipient) => own.fingerprint?.length],
  ChunkedKey: [
    sealstone.chunkedKey('aes-256-gcm', key),
    (own: sealstone.ChunkedKey) => own.decrypt('', own.encrypt('', 'x')).length,
  ],
  AeadKey: [aead.aead('aes-256-gcm', key), (own: aead.AeadKey) => own.sealRandom('', 'x').length],
  MacKey: [mac.mac('hmac-sha256', key), (own: mac.MacKey) => [own.signText('x'), own.tagLength]],
  MacSigner: [mac.mac('hmac-sha256', key).begin(), (own: mac.MacSigner) => own.update('').tag('hex')],
  Hasher: [hash.createHasher('sha256'), (own: hash.Hasher) => own.update('').digest('hex')],
  Cipher: [hazmat.cipher('aes-256-ecb', key), (own: hazmat.Cipher) => own.encrypt(undefined, 'x')],
  LegacyCipher: [hazmat.legacyCipher('rc4', key), (own: hazmat.LegacyCipher) => own.decrypt(undefined, key)],
  KeyWrap: [hazmat.keyWrap('aes-256-kw', key), (own: hazmat.KeyWrap) => own.wrap(key)],
  CcmKey: [hazmat.ccm('aes-256-ccm', key), (own: hazmat.CcmKey) => own.seal(new Uint8Array(12), '', 'x')],
  KeyCache: [kdf.createKeyCache(), (own: kdf.KeyCache) => own.pbkdf2Sync('sha256', 'x', 'a salt', { iterations: 1 })],
  'sign.PrivateKey': [signing, (own: sign.PrivateKey) => own.sign('x')],
  'sign.PublicKey': [signing.publicKey, (own: sign.PublicKey) => own.fingerprint],
  'exchange.PrivateKey': [exchanging, (own: exchange.PrivateKey) => own.publicKey.kind],
  'exchange.PublicKey': [exchanging.publicKey, (own: exchange.PublicKey) => own.encapsulate().ciphertext.length],
  'age.Encrypter': [new age.Encrypter(), (own: age.Encrypter) => own.setScryptWorkFactor(10)],
  'age.Decrypter': [new age.Decrypter(), (own: age.Decrypter) => own.addPassphrase('x')],
  Monitor: [monitor.startMonitor(), (own: monitor.Monitor) => own.stop()],
  Comparison: [
    await bench.compare([{ name: 'x', fn: () => 1 }], { samples: 2, minMs: 1, warmUpMs: 1 }),
    (own: bench.Comparison) => own.markdown(),
  ],
  FiseProfile: [fise.FiseProfile.random('any'), (own: fise.FiseProfile) => own.decodeText(own.encodeText('x'))],
  FiseFrames: [await framesOf(new Uint8Array(5)), (own: fise.FiseFrames) => [own.count, own.contentLength]],
  FiseWorkers: [await fise.startFiseWorkers({ count: 1 }), (own: fise.FiseWorkers) => own.stop()],
  FiseBuilderInstance: [
    fise.FiseBuilder.create(),
    (own: fise.FiseBuilderInstance) => Object.keys(own.withOffset(() => 0).build()),
  ],
  'crypto-js.WordArray': [
    cryptoJs.enc.Utf8.parse('x'),
    (own: cryptoJs.lib.WordArray) => [own.toString(), own.concat(own.clone()).words, own.sigBytes],
  ],
  'crypto-js.Hasher': [cryptoJs.algo.SHA256.create(), (own: cryptoJs.Hasher) => own.update('x').finalize().toString()],
  'crypto-js.Hmac': [
    cryptoJs.algo.HMAC.create(cryptoJs.algo.SHA256, 'x'),
    (own: cryptoJs.Hmac) => own.update('x').finalize().toString(),
  ],
  'crypto-js.Cipher': [
    cryptoJs.algo.AES.createEncryptor(cryptoJs.enc.Utf8.parse('sixteen bytes it'), {
      iv: cryptoJs.enc.Utf8.parse('sixteen bytes it'),
    }),
    (own: cryptoJs.Cipher) => own.finalize('x').toString(),
  ],
  'ldesign.CryptoManager': [new ldesign.CryptoManager(), (own: ldesign.CryptoManager) => own.getConfig()],
  'ldesign.LRUCache': [
    new ldesign.LRUCache({ maxSize: 2 }),
    (own: ldesign.LRUCache) => [own.set('a', 1), own.get('a')],
  ],
  'ldesign.SecureKey': [new ldesign.SecureKey('a key'), (own: ldesign.SecureKey) => own.toString()],
  'ldesign.KeyRotation': [new ldesign.KeyRotation(), (own: ldesign.KeyRotation) => own.addKey('1', 'a key')],
}

/** The classes of all entries, by their names, and of the objects that come from functions alone. */
function classes(): Map<string, Class> {
  const found = new Map<string, Class>()
  const add = (name: string, value: unknown): void => {
    const isClass = typeof value === 'function' && String(value).startsWith('class ')
    if (isClass && !(value.prototype instanceof Error))
      found.set((value as Class).brand ?? name, value as unknown as Class)
  }
  for (const [entry, names] of Object.entries(ENTRIES)) {
    for (const [name, value] of Object.entries(names)) add(`${entry}.${name}`, value)
  }
  for (const [object] of Object.values(OBJECTS)) add('', object.constructor)
  return found
}

/** The calls that the objects of a class have: its methods, and its properties by their getters and setters. */
function methodsOf({ prototype }: Class): [name: string, method: Methods[string]][] {
  const methods: [string, Methods[string]][] = []
  for (let at = prototype; at !== Object.prototype; at = Object.getPrototypeOf(at)) {
    for (const name of Reflect.ownKeys(at)) {
      const property = Object.getOwnPropertyDescriptor(prototype, name) ?? Object.getOwnPropertyDescriptor(at, name)
      const { value, get, set } = property as PropertyDescriptor
      if (name === 'constructor' || name === Symbol.toStringTag) continue
      for (const method of [value, get, set]) if (typeof method === 'function') methods.push([String(name), method])
    }
  }
  return methods
}

test('each class with private members has a brand', () => {
  const all = [...classes()]
  const without = all.filter(([, own]) => /\bthis\.#|#\w+ in /.test(String(own)) && own.brand === undefined)
  expect(without.map(([name]) => name)).toEqual([])
  expect(all.filter(([, own]) => own.brand !== undefined).length).toBeGreaterThan(35)
})

test('an object works in reactive state of Vue, which leaves it as it is', () => {
  for (const [name, [object, works]] of Object.entries(OBJECTS)) {
    expect((object.constructor as unknown as Class).brand, name).toBe(name)
    const state = reactive({ list: [object] })
    const [within] = state.list as [object]
    expect([within === object, isReactive(within), ref(object).value === object], name).toEqual([true, false, true])
    expect(() => works(within as never), name).not.toThrow()
  }
})

test('a method that is called on another object is a TypeError that names the class', async () => {
  const [hasher, key] = [hash.createHasher('sha256'), mac.mac('hmac-sha256', 'x')]
  for (const own of classes().values()) {
    const { brand, prototype } = own
    if (brand === undefined) continue
    const empty = Object.create(prototype)
    const others = [
      undefined,
      {},
      brand === 'Hasher' ? key : hasher,
      empty,
      new Proxy(OBJECTS[brand]?.[0] ?? empty, {}),
    ]
    const free = brand === 'crypto-js.WordArray' ? ['init', 'create', 'random'] : []
    for (const [name, method] of methodsOf(own).filter(([name]) => !free.includes(name))) {
      for (const other of others) {
        const failed = await (async () => method.call(other))().catch((error: unknown) => error)
        expect(failed, `${brand} ${name}`).toBeInstanceOf(TypeError)
        const expected = { code: 'invalid_argument', message: expect.stringContaining(`of ${brand} was called`) }
        expect(failed, `${brand} ${name}`).toMatchObject(expected)
      }
    }
  }
})

test('a method that is asynchronous rejects there, and throws nothing', async () => {
  const { sealAsync } = aead.AeadKey.prototype
  const working = sealAsync.call({} as never, key, '', 'x')
  await expect(working).rejects.toThrow(/^sealAsync of AeadKey was called on an object of another class, or on a proxy/)
  const { sign } = mac.MacKey.prototype
  expect(() => sign.call(undefined as never, 'x')).toThrow(/^sign of MacKey was called without its object/)
})

test('a subclass of a user works as its class does', () => {
  class Counting extends ldesign.LRUCache {
    calls = 0
    override get(name: string): unknown {
      this.calls++
      return super.get(name)
    }
  }
  const own = new Counting({ maxSize: 2 })
  own.set('a', 1)
  expect([own.get('a'), own.calls, own instanceof Counting, own instanceof ldesign.LRUCache]).toEqual([
    1,
    1,
    true,
    true,
  ])
  expect(new ldesign.LRUCache({ maxSize: 2 }) instanceof Counting).toBe(false)
})
