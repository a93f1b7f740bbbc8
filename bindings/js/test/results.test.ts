// Whose memory a result lies in.

import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { MessageChannel, receiveMessageOnPort } from 'node:worker_threads'
import {
  createProgram,
  ModuleKind,
  ScriptTarget,
  SymbolFlags,
  type TypeChecker,
  type Symbol as TypeSymbol,
} from 'typescript'
import { afterAll, expect, test } from 'vitest'
import { aead } from '../src/aead.js'
import * as yuants from '../src/compat/yuants.js'
import * as fise from '../src/fise/index.js'
import { createHasher, hash, hashFile } from '../src/hash.js'
import { cipher } from '../src/hazmat.js'
import * as sealstone from '../src/index.js'

const folder = mkdtempSync(join(tmpdir(), 'sealstone-results-'))
afterAll(() => rmSync(folder, { recursive: true }))

const identity = sealstone.generateIdentity('x25519')
const recipient = sealstone.recipientOf(identity)
const [to, by] = [{ recipients: recipient }, { identities: identity }]
const chunked = sealstone.chunkedKey('aes-256-gcm', randomBytes(32))
const gcm = aead('aes-256-gcm', randomBytes(32))
const [nonce, iv] = [randomBytes(12), randomBytes(16)]
const cbc = cipher('sm4-cbc', randomBytes(16))
const pair = yuants.createKeyPair()
const key = yuants.encodeBase58(randomBytes(32))
const file = join(folder, 'file')
const wide = { recipients: Array.from({ length: 300 }, () => recipient) }

const written = (data: Uint8Array): string => {
  writeFileSync(file, data)
  return file
}
async function* parts(data: Uint8Array) {
  yield data
  yield data
}
const blob = (data: Uint8Array) => new Blob([new Uint8Array(data)])
const through = (data: Uint8Array, pair: sealstone.TransformPair) => blob(data).stream().pipeThrough(pair)

/** Each function that gives bytes, on data of any length. */
const CALLS: Record<string, (data: Uint8Array<ArrayBuffer>) => unknown> = {
  'sealstone encrypt': (data) => [
    sealstone.encrypt(data, to),
    sealstone.encrypt(data, { ...to, armour: true }),
    sealstone.encrypt(blob(data), to),
    sealstone.encrypt(parts(data), wide),
  ],
  'sealstone decrypt': (data) => [
    sealstone.decrypt(sealstone.encryptSync(data, to), by),
    sealstone.decrypt(sealstone.encryptSync(data, { ...to, armour: true }), by),
    sealstone.decrypt(blob(sealstone.encryptSync(data, { ...to, armour: true })), by),
  ],
  'sealstone encryptionStream': (data) => through(data, sealstone.encryptionStream({ ...to, armour: true })),
  'sealstone decryptionStream': (data) => through(sealstone.encryptSync(data, to), sealstone.decryptionStream(by)),
  'sealstone encryptSync': (data) => [
    sealstone.encryptSync(data, to),
    sealstone.encryptSync(data, { ...to, armour: true }),
  ],
  'sealstone decryptSync': (data) => [
    sealstone.decryptSync(sealstone.encryptSync(data, to), by),
    sealstone.decryptSync(sealstone.encryptSync(data, { ...to, armour: true }), by),
  ],
  'sealstone decryptRange': (data) => sealstone.decryptRange(sealstone.encryptSync(data, to), 0, data.length, by),
  'sealstone decryptRangeSync': (data) => sealstone.decryptRangeSync(sealstone.encryptSync(data, to), 0, 9, by),
  'sealstone decryptRangeFile': (data) =>
    sealstone.decryptRangeFile(written(sealstone.encryptSync(data, to)), 0, 2 ** 20, by),
  'sealstone rewrap': (data) => sealstone.rewrap(sealstone.encryptSync(data, to), { ...by, ...to }),
  'sealstone rewrapSync': (data) => sealstone.rewrapSync(sealstone.encryptSync(data, to), { ...by, ...to }),
  'sealstone encryptBatch': (data) => sealstone.encryptBatch([data, 'beside it', data], to),
  'sealstone decryptBatch': (data) =>
    sealstone.decryptBatch(
      [data, new Uint8Array(3), data].map((item) => sealstone.encryptSync(item, to)),
      by,
    ),
  'sealstone sealMessage': (data) => sealstone.sealMessage(recipient, data),
  'sealstone sealMessageSync': (data) => sealstone.sealMessageSync(recipient, data),
  'sealstone openMessage': (data) => sealstone.openMessage(identity, sealstone.sealMessageSync(recipient, data)),
  'sealstone openMessageSync': (data) =>
    sealstone.openMessageSync(identity, sealstone.sealMessageSync(recipient, data)),
  'sealstone exportIdentity': () => [
    sealstone.exportIdentity(identity, 'der'),
    sealstone.exportIdentity(sealstone.generateIdentity('ml-kem-768'), 'der', { passphrase: 'a passphrase' }),
  ],
  'sealstone exportRecipient': () => [
    sealstone.exportRecipient(recipient, 'der'),
    sealstone.exportRecipient(sealstone.recipientOf(sealstone.generateIdentity('ml-kem-768')), 'der'),
  ],
  'sealstone ChunkedKey.encrypt': (data) => [chunked.encrypt('', data), chunked.encrypt('', blob(data))],
  'sealstone ChunkedKey.decrypt': (data) => [
    chunked.decrypt('', chunked.encrypt('', data)),
    chunked.decrypt('', blob(chunked.encrypt('', data))),
  ],
  'sealstone ChunkedKey.encryptionStream': (data) => through(data, chunked.encryptionStream('')),
  'sealstone ChunkedKey.decryptionStream': (data) => through(chunked.encrypt('', data), chunked.decryptionStream('')),
  'sealstone/aead AeadKey.seal': (data) => gcm.seal(nonce, undefined, data),
  'sealstone/aead AeadKey.open': (data) => gcm.open(nonce, undefined, gcm.seal(nonce, undefined, data)),
  'sealstone/aead AeadKey.sealRandom': (data) => gcm.sealRandom(undefined, data),
  'sealstone/aead AeadKey.openRandom': (data) => gcm.openRandom(undefined, gcm.sealRandom(undefined, data)),
  'sealstone/aead AeadKey.sealAsync': (data) => gcm.sealAsync(nonce, undefined, data),
  'sealstone/aead AeadKey.openAsync': (data) => gcm.openAsync(nonce, undefined, gcm.seal(nonce, undefined, data)),
  'sealstone/aead AeadKey.sealRandomAsync': (data) => gcm.sealRandomAsync(undefined, data),
  'sealstone/aead AeadKey.openRandomAsync': (data) => gcm.openRandomAsync(undefined, gcm.sealRandom(undefined, data)),
  'sealstone/hash hash': (data) =>
    (['sha256', 'sha384', 'sha512', 'blake3'] as const).map((algorithm) => hash(algorithm, data)),
  'sealstone/hash hashFile': (data) => hashFile('sha256', written(data)),
  'sealstone/hash Hasher.digest': (data) => createHasher('sha512').update(data).digest(),
  'sealstone/hazmat Cipher.encrypt': (data) => cbc.encrypt(iv, data),
  'sealstone/hazmat Cipher.decrypt': (data) => cbc.decrypt(iv, cbc.encrypt(iv, data)),
  'sealstone/compat/yuants signMessageByEd25519': (data) =>
    yuants.signMessageByEd25519(data, yuants.decodeBase58(pair.private_key)),
  'sealstone/compat/yuants encryptByPublicKey': (data) => yuants.encryptByPublicKey(data, pair.public_key),
  'sealstone/compat/yuants decryptByPrivateKey': (data) =>
    yuants.decryptByPrivateKey(yuants.encryptByPublicKey(data, pair.public_key), pair.private_key),
  'sealstone/compat/yuants encryptByPublicKeyAsync': (data) => yuants.encryptByPublicKeyAsync(data, pair.public_key),
  'sealstone/compat/yuants decryptByPrivateKeyAsync': async (data) =>
    yuants.decryptByPrivateKeyAsync(await yuants.encryptByPublicKeyAsync(data, pair.public_key), pair.private_key),
  'sealstone/compat/yuants encrypt': (data) => yuants.encrypt(data, key),
  'sealstone/compat/yuants decrypt': async (data) => yuants.decrypt(await yuants.encrypt(data, key), key),
  'sealstone/compat/yuants sha256': (data) => yuants.sha256(data),
  'sealstone/compat/yuants sha512': (data) => yuants.sha512(data),
  'sealstone/compat/yuants HmacSHA256': (data) => yuants.HmacSHA256(data, 'key'),
  'sealstone/compat/yuants HmacSHA512': (data) => yuants.HmacSHA512(data, 'key'),
  'sealstone/compat/yuants decodeBase58': (data) => yuants.decodeBase58(yuants.encodeBase58(data.subarray(0, 1000))),
  'sealstone/compat/yuants decodeBase64': (data) => yuants.decodeBase64(yuants.encodeBase64(data)),
  'sealstone/compat/yuants decodeHex': (data) => yuants.decodeHex(yuants.encodeHex(data)),
  'sealstone/fise fiseBinaryEncrypt': (data) => fise.fiseBinaryEncrypt(data, fise.defaultBinaryRules),
  'sealstone/fise fiseBinaryDecrypt': (data) =>
    fise.fiseBinaryDecrypt(fise.fiseBinaryEncrypt(data, fise.defaultBinaryRules), fise.defaultBinaryRules),
  'sealstone/fise randomSaltBinary': (data) => fise.randomSaltBinary(data.length),
  'sealstone/fise xorBinaryCipher.encrypt': (data) => fise.xorBinaryCipher.encrypt(data, iv),
  'sealstone/fise xorBinaryCipher.decrypt': (data) => fise.xorBinaryCipher.decrypt(data, iv),
  'sealstone/fise defaultBinaryRules.encodeLength': () => fise.defaultBinaryRules.encodeLength(17, {} as never),
}

/** These give the part of the caller's memory that they filled. */
const CALLERS_MEMORY = ['sealstone encryptIntoSync', 'sealstone decryptIntoSync']

const ENTRIES = {
  sealstone: 'index',
  'sealstone/aead': 'aead',
  'sealstone/hash': 'hash',
  'sealstone/hazmat': 'hazmat',
  'sealstone/compat/yuants': 'compat/yuants',
  'sealstone/fise': 'fise/index',
}

test('every function of the package that gives bytes is called here', () => {
  const paths = Object.values(ENTRIES).map((name) => fileURLToPath(new URL(`../src/${name}.ts`, import.meta.url)))
  const program = createProgram(paths, {
    module: ModuleKind.NodeNext,
    target: ScriptTarget.ES2023,
    strict: true,
    skipLibCheck: true,
    noEmit: true,
  })
  const checker = program.getTypeChecker()
  const found = Object.keys(ENTRIES).flatMap((entry, i) => {
    const source = program.getSourceFile(paths[i] as string)
    const module = checker.getSymbolAtLocation(source as never) as TypeSymbol
    return checker.getExportsOfModule(module).flatMap((symbol) => {
      const original = symbol.flags & SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
      return givingBytes(checker, original).map((name) => `${entry} ${name}`)
    })
  })
  expect([...new Set(found)].sort()).toEqual([...Object.keys(CALLS), ...CALLERS_MEMORY].sort())
})

/** The names of what gives bytes: a function, and the methods of a class or of an object. */
function givingBytes(checker: TypeChecker, symbol: TypeSymbol): string[] {
  const gives = (of: TypeSymbol): boolean =>
    checker
      .getTypeOfSymbol(of)
      .getCallSignatures()
      .some((one) => /Uint8Array|Bytes|TransformPair/.test(checker.typeToString(one.getReturnType())))
  if (symbol.flags & SymbolFlags.Function) return gives(symbol) ? [symbol.name] : []
  const isValue = symbol.flags & (SymbolFlags.Variable | SymbolFlags.Class)
  if (!isValue) return []
  const type =
    symbol.flags & SymbolFlags.Class ? checker.getDeclaredTypeOfSymbol(symbol) : checker.getTypeOfSymbol(symbol)
  return type.getProperties().flatMap((method) => (gives(method) ? [`${symbol.name}.${method.name}`] : []))
}

/** All arrays that a call gives. */
async function arraysOf(result: unknown): Promise<Uint8Array[]> {
  const settled = await result
  if (settled instanceof Uint8Array) return [settled]
  if (settled instanceof Error) throw settled
  if (Array.isArray(settled)) return (await Promise.all(settled.map(arraysOf))).flat()
  const parts: Uint8Array[] = []
  for await (const part of settled as AsyncIterable<Uint8Array>) parts.push(part)
  return parts
}

const LENGTHS = [0, 1, 16, 48, 49, 50, 64, 65, 1000, 5000, 20_000, 300_000]

test('every result begins its own memory, and ends it, and nothing else lies in it', async () => {
  for (const [name, work] of Object.entries(CALLS)) {
    const seen = new Set<ArrayBufferLike>()
    for (const length of LENGTHS) {
      const data = new Uint8Array(randomBytes(length))
      seen.add(data.buffer)
      const results = await arraysOf(work(data))
      if (length > 0) expect(results.length, name).toBeGreaterThan(0)
      for (const result of results) {
        expect([result.byteOffset, result.buffer.byteLength], `${name} of ${length}`).toEqual([0, result.byteLength])
        expect(seen.has(result.buffer), `${name} of ${length}`).toBe(false)
        seen.add(result.buffer)
      }
    }
  }
}, 120_000)

test('every result goes to another thread with its buffer, and nothing of it stays', async () => {
  for (const [name, work] of Object.entries(CALLS)) {
    // Results that are copied at once, and those that are copied in turns.
    for (const length of [1000, 300_000, 5_000_000]) {
      const results = await arraysOf(work(new Uint8Array(randomBytes(length))))
      for (const result of results.filter(({ length }) => length > 0)) {
        const what = `${name} of ${length}`
        const before = Buffer.from(result)
        const { port1, port2 } = new MessageChannel()
        port1.postMessage(result, [result.buffer as ArrayBuffer])
        const posted = receiveMessageOnPort(port2)?.message as Uint8Array
        port1.close()
        expect(Buffer.compare(posted, before), what).toBe(0)
        expect([result.length, result.buffer.byteLength], what).toEqual([0, 0])
      }
    }
  }
}, 120_000)

test('a result that is transferred takes no other along, and one that is cloned shows no other', () => {
  const plaintext = 'nobody else is to see this'
  const sealed = gcm.seal(nonce, undefined, plaintext)
  const opened = gcm.open(nonce, undefined, sealed)
  const digest = hash('sha256', 'public')
  const exported = sealstone.exportIdentity(identity, 'der')
  for (const result of [digest, sealed]) expect(Buffer.from(result.buffer).includes(plaintext)).toBe(false)
  expect(structuredClone(digest).buffer.byteLength).toBe(32)
  structuredClone(digest, { transfer: [digest.buffer] })
  expect([digest, sealed, opened, exported].map(({ length }) => length)).toEqual([0, 42, 26, exported.length])
  expect(new TextDecoder().decode(gcm.open(nonce, undefined, sealed))).toBe(plaintext)
})

test('a reader of old formats that takes the memory from its beginning reads what is written for it', async () => {
  const sealed = await yuants.encryptByPublicKeyAsync('attack at dawn', pair.public_key)
  // The length of the box with the key, which the original's reader looks for at the beginning of `data.buffer`.
  expect(new DataView(sealed.buffer).getUint32(0)).toBe(104)
  expect(Buffer.compare(Buffer.from(sealed.buffer), sealed)).toBe(0)
})
