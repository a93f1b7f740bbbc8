// Arrays that lie about themselves: the engine alone is asked.

import { expect, test } from 'vitest'
import { aead } from '../src/api/aead.js'
import { createHasher, hash, hashInto } from '../src/api/hash.js'
import { cipher } from '../src/api/hazmat.js'
import * as sealstone from '../src/api/index.js'
import { defaultBinaryRules, fiseBinaryDecrypt, fiseBinaryEncrypt, xorBinaryCipher } from '../src/extras/fise/index.js'
import * as yuants from '../src/extras/yuants.js'
import { compare, concat, type Data, randomBytes, SharedMemory } from './data.js'
import { otherRealm } from './realm.js'

const realm = await otherRealm()
const key = randomBytes(32)
const identity = sealstone.generateIdentity('x25519')
const recipient = sealstone.recipientOf(identity)
const [gcm, ctr] = [aead('aes-256-gcm', key), cipher('aes-256-ctr', key)]
const [nonce, iv] = [new Uint8Array(12), new Uint8Array(16)]
const chunked = sealstone.chunkedKey('aes-256-gcm', key)
const base58 = yuants.encodeBase58(key)
const pair = yuants.createKeyPair()
const into = (len: number, write: (out: Data) => unknown): Data => {
  const out = new Uint8Array(len)
  write(out)
  return out
}
async function* parts(data: Data) {
  yield data
}
async function joined(stream: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const all: Uint8Array[] = []
  for await (const part of stream) all.push(part)
  return concat(all)
}

/** Functions of bytes, with results that depend on all of them. */
const USES: Record<string, (data: Data) => unknown> = {
  encryptSync: (data) => sealstone.decryptSync(sealstone.encryptSync(data, { key }), { key }),
  encrypt: async (data) => sealstone.decryptSync(await sealstone.encrypt(data, { key }), { key }),
  'encrypt of a stream': async (data) =>
    sealstone.decryptSync(await joined(sealstone.encrypt(parts(data), { key })), { key }),
  encryptIntoSync: (data) => {
    const file = sealstone.encryptIntoSync(data, new Uint8Array(500), { key })
    return sealstone.decryptSync(file, { key })
  },
  decryptSync: (data) => code(() => sealstone.decryptSync(data, { key })),
  inspectSync: (data) => code(() => sealstone.inspectSync(data)),
  'a context': (context) =>
    sealstone.decryptSync(sealstone.encryptSync('x', { key, context }), {
      key,
      context: Uint8Array.of(1, 2, 3, 4, ...TAIL),
    }),
  'a key': (data) => code(() => sealstone.encryptSync('x', { key: data })),
  importIdentitySync: (data) => code(() => sealstone.importIdentitySync(data)),
  importRecipientSync: (data) => code(() => sealstone.importRecipientSync(data)),
  sealMessageSync: (data) => sealstone.openMessageSync(identity, sealstone.sealMessageSync(recipient, data)),
  openMessage: async (data) => sealstone.openMessage(identity, data).catch((error) => caught(error)),
  encryptBatch: async (data) =>
    sealstone.decryptBatch((await sealstone.encryptBatch([data, data], { key })) as Data[], { key }),
  'ChunkedKey.encrypt': (data) => chunked.decrypt('', chunked.encrypt('', data)),
  inspectFile: async (data) => (await sealstone.inspectFile(data).catch((error) => caught(error))) as unknown,
  'AeadKey.seal': (data) => gcm.seal(nonce, undefined, data),
  'AeadKey.sealInto': (data) => into(100, (out) => gcm.sealInto(nonce, undefined, data, out)),
  'AeadKey.open': (data) => code(() => gcm.open(nonce, undefined, data)),
  'AeadKey.openRandom': (data) => code(() => gcm.openRandom(undefined, data)),
  'the aad of an AEAD': (data) => gcm.seal(nonce, data, 'x'),
  'Cipher.encrypt': (data) => ctr.encrypt(iv, data),
  'Cipher.decryptInto': (data) => into(100, (out) => ctr.decryptInto(iv, data, out)),
  hash: (data) => hash('sha256', data),
  hashInto: (data) => into(32, (out) => hashInto('sha256', data, out)),
  'Hasher.update': (data) => createHasher('sha256').update(data).digest(),
  'yuants.encrypt': async (data) => yuants.decrypt(await yuants.encrypt(data, base58), base58),
  'yuants.encryptByPublicKey': (data) =>
    yuants.decryptByPrivateKey(yuants.encryptByPublicKey(data, pair.public_key), pair.private_key),
  'yuants.HmacSHA256': (data) => yuants.HmacSHA256(data, data),
  'yuants.encodeHex': (data) => yuants.encodeHex(data),
  fiseBinaryEncrypt: (data) => fiseBinaryDecrypt(fiseBinaryEncrypt(data, defaultBinaryRules), defaultBinaryRules),
  xorBinaryCipher: (data) => xorBinaryCipher.encrypt(data, data),
}

function code(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return caught(error)
  }
}

/** An error that is no wrong type is a result as well: the bytes were read. */
function caught(error: unknown): unknown {
  if (error instanceof TypeError) throw error
  return (error as { code: string }).code
}

const TAIL = Array.from({ length: 36 }, (_, i) => i + 100)
/** Forty bytes in the middle of a buffer, so that nothing of it is at an offset of 0. */
function honest(): Data {
  const memory = new Uint8Array(64).fill(0xee)
  memory.set([1, 2, 3, 4, ...TAIL], 8)
  return memory.subarray(8, 48)
}

const own = (properties: Record<PropertyKey, unknown>): Data => {
  const values = Object.entries(Object.getOwnPropertyDescriptors(properties))
  const symbols = Object.getOwnPropertySymbols(properties).map((name) => [name, properties[name]] as const)
  const array = honest()
  for (const [name, descriptor] of values) Object.defineProperty(array, name, descriptor)
  for (const [name, value] of symbols) Object.defineProperty(array, name, { value })
  return array
}

class Lying extends Uint8Array<ArrayBuffer> {
  override get length(): never {
    return 3 as never
  }
  override get buffer(): never {
    return new ArrayBuffer(99) as never
  }
  override get byteOffset(): never {
    return 1 as never
  }
  override get byteLength(): never {
    return (2 ** 40) as never
  }
  override subarray(): never {
    throw new Error('nobody asks for this')
  }
  override slice(): never {
    throw new Error('nobody asks for this')
  }
  static get [Symbol.species](): never {
    throw new Error('nobody asks for this')
  }
}

const DISGUISES: Record<string, () => Data> = {
  'a shorter length': () => own({ length: 3 }),
  'a longer length': () => own({ length: 5000, byteLength: 5000 }),
  'no length': () => own({ length: 0, byteLength: 0 }),
  'a length that is no number': () => own({ length: '40', byteLength: Number.NaN, byteOffset: {} }),
  'another buffer': () => own({ buffer: new ArrayBuffer(64) }),
  'a shared buffer': () => own({ buffer: new SharedMemory(64) }),
  'another offset': () => own({ byteOffset: 0 }),
  'functions of its own': () => own({ subarray: () => new Uint8Array(5), slice: () => 7, set: null, fill: null }),
  'another constructor': () => own({ constructor: Lying }),
  'accessors that throw': () => throwing(),
  'another tag': () => own({ [Symbol.toStringTag]: 'Uint16Array' }),
  'no prototype': () => Object.setPrototypeOf(honest(), null),
  'a prototype of objects': () => Object.setPrototypeOf(honest(), Object.prototype),
  'the prototype of ArrayBuffer': () => Object.setPrototypeOf(honest(), ArrayBuffer.prototype),
  'a class of its own': () => Object.setPrototypeOf(honest(), Lying.prototype),
  ...(typeof Buffer !== 'undefined' && { 'a Buffer': () => Buffer.from(honest().buffer, 8, 40) as Data }),
  'an array of another realm': () => {
    const array: Data = new realm.Uint8Array(new realm.ArrayBuffer(64), 8, 40)
    for (const [i, byte] of honest().entries()) array[i] = byte
    return array
  },
}

function throwing(): Data {
  const array = honest()
  for (const name of ['length', 'buffer', 'byteOffset', 'byteLength', 'subarray', 'constructor']) {
    Object.defineProperty(array, name, {
      get() {
        throw new Error('nobody asks for this')
      },
    })
  }
  return array
}

test('own properties, classes and prototypes of an array change nothing', async () => {
  for (const [use, work] of Object.entries(USES)) {
    const expected = await work(honest())
    for (const [name, disguised] of Object.entries(DISGUISES)) {
      expect(await work(disguised()), `${use} of an array with ${name}`).toEqual(expected)
    }
  }
})

test('own properties of an output change neither how much of it is written nor where', () => {
  const writes: ((out: Data) => unknown)[] = [
    (out) => gcm.sealInto(nonce, undefined, honest().subarray(0, 24), out),
    (out) => ctr.encryptInto(iv, honest(), out),
    (out) => hashInto('sha256', honest(), out),
    (out) => sealstone.decryptIntoSync(sealstone.encryptSync(honest(), { key }), out, { key }),
  ]
  for (const write of writes) {
    const expected = honest()
    write(expected)
    for (const [name, disguised] of Object.entries(DISGUISES)) {
      if (name === 'an array of another realm') continue
      const array = disguised()
      write(array)
      const memory = Reflect.get(Object.getPrototypeOf(Uint8Array.prototype), 'buffer', array)
      expect(compare(new Uint8Array(memory), new Uint8Array(expected.buffer)), name).toBe(0)
    }
    expect(() => write(Object.defineProperty(new Uint8Array(5), 'length', { value: 64 }))).toThrow(RangeError)
  }
})

const shared = () => new Uint8Array(new SharedMemory(40)) as unknown as Data
const resizable = () =>
  new (ArrayBuffer as never as new (len: number, options: object) => ArrayBuffer)(40, { maxByteLength: 80 })
const transferred = () => {
  const array = new Uint8Array(40)
  structuredClone(array, { transfer: [array.buffer] })
  return array
}
const plain = () => new ArrayBuffer(40)

const PRETENDERS: Record<string, () => unknown> = {
  'a proxy of an array': () => new Proxy(honest(), {}),
  'a proxy of a buffer': () => new Proxy(plain(), {}),
  'an object with the prototype of arrays': () => Object.create(Uint8Array.prototype),
  'an object with the prototype of buffers': () => Object.create(ArrayBuffer.prototype),
  'an object with the prototype of views': () => Object.create(DataView.prototype),
  'an object that has all properties': () => ({
    __proto__: Uint8Array.prototype,
    length: 40,
    byteLength: 40,
    byteOffset: 0,
    buffer: plain(),
    [Symbol.toStringTag]: 'Uint8Array',
  }),
  'an array of longer elements with the tag of bytes': () =>
    Object.setPrototypeOf(
      Object.defineProperty(new Uint16Array(20), Symbol.toStringTag, { value: 'Uint8Array' }),
      Uint8Array.prototype,
    ),
  'clamped bytes': () => Object.setPrototypeOf(new Uint8ClampedArray(40), Uint8Array.prototype),
  'shared memory': shared,
  'shared memory with another buffer': () => Object.defineProperty(shared(), 'buffer', { value: plain() }),
  'shared memory in a class of its own': () => Object.setPrototypeOf(shared(), Lying.prototype),
  'shared memory whose buffer says that it is none': () => {
    const memory = new SharedMemory(40)
    Object.setPrototypeOf(memory, ArrayBuffer.prototype)
    return new Uint8Array(memory)
  },
  'a shared buffer that says that it is none': () => Object.setPrototypeOf(new SharedMemory(40), ArrayBuffer.prototype),
  'a view of shared memory with another buffer': () =>
    Object.defineProperty(new DataView(new SharedMemory(40)), 'buffer', { value: plain() }),
  'memory of WebAssembly that threads share': () =>
    new Uint8Array(new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true }).buffer),
  'resizable memory': () => new Uint8Array(resizable()),
  'resizable memory with another buffer': () =>
    Object.defineProperty(new Uint8Array(resizable()), 'buffer', { value: plain() }),
  'resizable memory that says that it is none': () =>
    new Uint8Array(Object.defineProperty(resizable(), 'resizable', { value: false })),
  'a resizable buffer that says that it is none': () =>
    Object.defineProperty(resizable(), 'resizable', { value: false }),
  'transferred memory that says that it has bytes': () => Object.defineProperty(transferred(), 'length', { value: 40 }),
  'transferred memory that says that it is there': () => {
    const { buffer } = transferred()
    return Object.defineProperty(buffer, 'detached', { value: false })
  },
}

test('what pretends to be bytes, or to be memory that nobody else has, is a TypeError', async () => {
  const wrong = expect.objectContaining({ code: 'invalid_argument', name: 'TypeError' })
  for (const [use, work] of Object.entries(USES)) {
    for (const [name, pretender] of Object.entries(PRETENDERS)) {
      const result = await (async () => work(pretender() as Data))().catch((error) => error)
      expect(result, `${use} of ${name}`).toEqual(wrong)
    }
  }
  for (const [name, pretender] of Object.entries(PRETENDERS)) {
    for (const write of [
      gcm.sealInto.bind(gcm, nonce, undefined, 'x'),
      ctr.encryptInto.bind(ctr, iv, 'x'),
      hashInto.bind(null, 'sha256', 'x'),
    ]) {
      expect(() => write(pretender() as Data), name).toThrow(wrong)
    }
  }
})

test('a view and a buffer are read where the engine has them', async () => {
  const expected = hash('sha256', honest())
  const view = new DataView(honest().buffer, 8, 40)
  for (const name of ['buffer', 'byteOffset', 'byteLength']) Object.defineProperty(view, name, { value: 0 })
  expect(hash('sha256', view)).toEqual(expected)
  expect(hash('sha256', Object.setPrototypeOf(view, null))).toEqual(expected)
  const buffer = honest().slice().buffer
  expect(hash('sha256', Object.defineProperty(buffer, 'byteLength', { value: 3 }))).toEqual(expected)
  expect(hash('sha256', Object.setPrototypeOf(buffer, null))).toEqual(expected)
})
