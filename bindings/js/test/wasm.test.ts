// The modules of WebAssembly and the calls into them (docs/design/wasm.md). `make wasm` builds them.

import { createHash, generateKeyPairSync, pbkdf2Sync, randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deflateRawSync, gzipSync } from 'node:zlib'
import { build } from 'tsdown'
import { afterEach, expect, test, vi } from 'vitest'
import { DRAWING, GROUPS, PLAIN } from '../entries.js'
import { moduleCalls, moduleFile, modules } from '../modules.js'
import type { CrossingCost, Handle, SyncCalls } from '../src/backend/calls.js'
import type { Derive } from '../src/backend/wasm/derivations.js'
import { hasSignatures, Instance } from '../src/backend/wasm/instance.js'
import { kindsOf } from '../src/backend/wasm/kinds.js'
import * as signatures from '../src/backend/wasm/signatures.js'
import type { SealstoneError } from '../src/basics/error.js'
import { loadNative } from '../src/node/native.js'
import { words } from '../words.js'
import { exhaustive, measured } from './measured.js'
import {
  AGE,
  BASE,
  CIPHER,
  COMPAT,
  type Computes,
  computing,
  DIGEST,
  EXCHANGE,
  FORMS,
  HASHES,
  MACS,
  moduleOf,
  SIGN,
  subtleCrypto,
  WHOLE,
  wasmCalls,
} from './modules.js'

/** The exports of every instance that was made, so that its memory can be looked at. */
const made = vi.hoisted(() => {
  const made: WebAssembly.Exports[] = []
  WebAssembly.Instance = class extends WebAssembly.Instance {
    constructor(module: WebAssembly.Module, imports?: WebAssembly.Imports) {
      super(module, imports)
      made.push(this.exports)
    }
  }
  return made
})

const code = (code: string) => expect.objectContaining({ name: 'SealstoneError', code })
const internal = code('internal')
const utf8 = (text: string) => new TextEncoder().encode(text)
const random = (length: number) => new Uint8Array(randomBytes(length))
const NO = undefined
const EMPTY = new Uint8Array(0)
const ZEROS = Buffer.alloc(1 << 20)
const MODULES = [
  ['age', AGE, signatures.AGE],
  ['base', BASE, signatures.BASE],
  ['digest', DIGEST, signatures.DIGEST],
  ['forms', FORMS, signatures.FORMS],
  ['whole', WHOLE, { ...signatures.BASE, ...signatures.FORMS }],
  ['cipher', CIPHER, signatures.CIPHER],
  ['compat', COMPAT, signatures.COMPAT],
  ['sign', SIGN, signatures.SIGN],
  ['exchange', EXCHANGE, { ...signatures.EXCHANGE, ...signatures.RSA }],
] as const

function last(): WebAssembly.Exports {
  const exports = made.at(-1)
  if (exports === undefined) throw new Error('no instance was made')
  return exports
}

/** The memory of an instance; of the one that was made last. */
function memory(instance = last()): Buffer {
  return Buffer.from((instance.memory as WebAssembly.Memory).buffer)
}

/** Bytes of its stack that are not zero. */
function stackLeft(instance = last()): number {
  const length = (instance.__stack_pointer as WebAssembly.Global).value as number
  const stack = memory(instance).subarray(0, length)
  // At once where there is nothing, as nearly always: it is looked at after every call.
  if (stack.equals(ZEROS.subarray(0, length))) return 0
  return stack.filter((byte) => byte !== 0).length
}

function encryptorOf(computes: Computes, identity: Handle): Handle {
  const recipient = computes.identityRecipient(identity)
  const encryptor = computes.encryptor([recipient], NO, NO, NO, NO, NO, NO)
  computes.release(recipient)
  return encryptor
}

/** A file to a key, and back; the objects on the way are released. */
function roundTrip(computes: Computes, identity: Handle, plaintext: Uint8Array): Uint8Array {
  const recipient = computes.identityRecipient(identity)
  const [sealer, fileLen] = computes.sealer([recipient], NO, NO, NO, NO, NO, NO, plaintext.length)
  const file = new Uint8Array(fileLen)
  computes.sealInto(sealer, plaintext, file, NO)
  const [opener, len = 0] = computes.opener([identity], NO, NO, NO, file, file.length)
  const opened = new Uint8Array(len)
  computes.openInto(opener, file, opened, NO)
  computes.release(recipient)
  return opened
}

afterEach(() => vi.unstubAllGlobals())

/** Calls that only WebAssembly has. */
const OWN = ['heldCount', ...ownCalls()]

/** The calls that WebAssembly has and the addon has not, or otherwise. */
function ownCalls(): string[] {
  const text = readFileSync(new URL('../src/backend/calls.ts', import.meta.url), 'utf8')
  const [, own = ''] = text.split('// Calls that WebAssembly alone has')
  return [...own.matchAll(/^ {2}(\w+)\(/gm)].map(([, name]) => name as string)
}

test('a module has what the table says, imports randomness alone, and has simd128', () => {
  const native = loadNative() as unknown as Record<string, unknown>
  for (const [name, module, table] of MODULES) {
    const compiled = module() as WebAssembly.Module
    const linked = ['__stack_pointer', '__data_end', '__heap_base', '__getrandom_v03_custom']
    const beside = ['memory', 'begin', 'signatures', 'lend', 'done', ...linked]
    const exports = [...Object.keys(table).map(signatures.exportName), ...beside]
    expect(
      WebAssembly.Module.exports(compiled)
        .map((found) => found.name)
        .sort(),
    ).toEqual(exports.sort())
    expect(WebAssembly.Module.imports(compiled)).toEqual([{ module: 'host', name: 'random', kind: 'function' }])
    const text = new Instance(compiled).signatures()
    expect([name, hasSignatures(text, table)]).toEqual([name, true])
    expect(hasSignatures(text.replace('>', 'h>'), table)).toBe(false)
    expect(hasSignatures(text, { ...table, unknown: 'h>v' })).toBe(false)
    expect(kindsOf(compiled)).toEqual(name === 'whole' ? ['base', 'forms'] : [name])
    for (const own of Object.keys(table))
      if (!OWN.includes(own)) expect([name, own, typeof native[own]]).toContain('function')
    // An instruction of v128, whose prefix is 0xfd; a module without SIMD has hardly any such byte.
    // Of the digests BLAKE3 alone has such instructions.
    const least = name === 'digest' ? 500 : 2000
    expect(moduleOf(name).filter((byte) => byte === 0xfd).length).toBeGreaterThan(least)
  }
})

measured('the modules are no larger than they may be', () => {
  const weights = MODULES.map(([name]) => [name, Math.ceil(deflateRawSync(moduleOf(name), { level: 9 }).length / 1000)])
  console.log('KB, deflated:', Object.fromEntries(weights))
  for (const [name, weight] of weights) expect(weight, `${name}`).toBeLessThanOrEqual(1.1 * MAY_WEIGH[name as 'age'])
  expect(moduleOf('inflate').length).toBeLessThan(1.1 * 3_440)
})

test('the module that inflates the others imports nothing, and refuses what is no such text', () => {
  const module = new WebAssembly.Module(moduleOf('inflate'))
  expect(WebAssembly.Module.imports(module)).toEqual([])
  const inflated = (deflated: Uint8Array, length: number): Buffer | undefined => {
    const { exports } = new WebAssembly.Instance(module)
    const memory = exports.memory as WebAssembly.Memory
    const from = memory.buffer.byteLength
    memory.grow(Math.ceil((deflated.length + length) / 65_536))
    new Uint8Array(memory.buffer).set(deflated, from)
    const work = exports.inflate as (...at: number[]) => number
    if (work(from, deflated.length, from + deflated.length, length) === 0) return undefined
    return Buffer.from(memory.buffer, from + deflated.length, length)
  }
  for (const [name] of MODULES) {
    const [bytes, deflated] = [moduleOf(name), readFileSync(moduleFile(name, 'lzma'))]
    expect(inflated(deflated, bytes.length)?.equals(bytes), name).toBe(true)
    expect(inflated(deflated, bytes.length - 1)).toBe(undefined)
    for (const end of [0, 3, 4, 9, 1000, deflated.length - 1]) {
      expect(inflated(deflated.subarray(0, end), bytes.length), `${name}: ${end}`).toBe(undefined)
    }
    expect(inflated(Buffer.concat([deflated, new Uint8Array(1)]), bytes.length)).toBe(undefined)
    for (let at = 4; at < deflated.length; at += deflated.length >> 3) {
      const damaged = new Uint8Array(deflated)
      damaged[at] = 0xff ^ (damaged[at] as number)
      expect(inflated(damaged, bytes.length)?.equals(bytes) ?? false, `${name}: ${at}`).toBe(false)
    }
  }
})

/** Kilobytes, deflated: the bar of base, and of the others their weight and a tenth (docs/design/wasm.md). */
const MAY_WEIGH = {
  age: 206,
  base: 201,
  digest: 127,
  forms: 187,
  whole: 289,
  cipher: 103,
  compat: 147,
  sign: 328,
  exchange: 241,
}

/** The JavaScript of an entry, or of two, and the bar in kilobytes, of its weight and a tenth (docs/design/wasm.md). */
const ENTRIES: [bar: number, ...entries: string[]][] = [
  [29.7, 'index'],
  [25, 'hash'],
  [25, 'mac'],
  [25, 'kdf'],
  [25, 'password'],
  [25, 'aead', 'hazmat'],
  [25, 'sign', 'signature'],
  [25, 'exchange', 'rsa'],
  [25, 'age'],
  [32, 'compat/crypto-js'],
  [3.6, 'random'],
  [2.8, 'encoding'],
  [4.4, 'monitor'],
  [3, 'bench'],
  [29, 'passphrase'],
]

const SOURCES: Record<string, string> = Object.assign({}, DRAWING, PLAIN, ...GROUPS.map(({ entries }) => entries))

for (const [bar, ...entries] of ENTRIES) {
  measured(`the JavaScript that a page loads is no larger than it may be: ${bar} KB of ${entries}`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'sealstone-weight-'))
    try {
      const source = (name: string): string => new URL(`../${name}`, import.meta.url).pathname
      await build({
        config: false,
        silent: true,
        entry: entries.map((name) => source(SOURCES[name] as string)),
        alias: {
          '#platform': source('src/browser/platform.ts'),
          '#randomness': source('src/backend/randomness.ts'),
        },
        plugins: [modules((name) => `export const ${name} = undefined\n`), moduleCalls('modules'), words()],
        platform: 'browser',
        format: 'esm',
        minify: true,
        dts: false,
        outDir: folder,
      })
      const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /js$/.test(name))
      // As of one bundle.
      const bundle = Buffer.concat(files.map((name) => readFileSync(join(folder, name))))
      const length = gzipSync(bundle, { level: 9 }).length / 1000
      console.log(`${entries}: ${length} KB`)
      expect(length).toBeGreaterThan(bar / 3)
      expect(length).toBeLessThanOrEqual(1.1 * bar)
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
}

test('keys that are strings need no other module, and other forms come and go through one that keeps nothing of them', () => {
  let loaded = 0
  const forms = (): WebAssembly.Module => {
    loaded++
    return FORMS()
  }
  const computes = computing(undefined, { forms })
  const text = computes.identityExport(computes.identityGenerate('hybrid'), 'age', NO) as string
  const [hybrid = 0] = computes.identitiesParse(utf8(text), NO)
  const recipient = computes.recipientExport(computes.identityRecipient(hybrid), 'age') as string
  expect(computes.recipientsParse(utf8(`# theirs\n${recipient}\n${recipient}\n`)).length).toBe(2)
  const sm2 = computes.identityExport(computes.identityGenerate('sm2'), 'hex', NO) as string
  expect(computes.identitiesParse(utf8(sm2), NO).length).toBe(1)
  expect(() => computes.identityExport(hybrid, 'pem', NO)).toThrow(code('unsupported_key'))
  expect(() => computes.identitiesParse(utf8('AGE-SECRET-KEY-1X'), NO)).toThrow(code('invalid_identity'))
  expect(() => computes.identityExport(hybrid, 'age', utf8('a passphrase'))).toThrow(code('unsupported_key'))
  expect(loaded).toBe(0)

  const p256 = computes.identityGenerate('p256')
  const fingerprint = computes.recipientFingerprint(computes.identityRecipient(p256))
  const before = made.length
  const der = computes.identityExport(p256, 'der', NO) as Uint8Array
  expect([loaded, made.length]).toEqual([1, before + 1])
  const public_ = computes.recipientExport(computes.identityRecipient(p256), 'pem') as string
  const [again = 0] = computes.identitiesParse(der, NO)
  const [theirs = 0] = computes.recipientsParse(utf8(public_))
  expect(computes.recipientFingerprint(computes.identityRecipient(again))).toBe(fingerprint)
  expect(computes.recipientFingerprint(theirs)).toBe(fingerprint)
  expect(() => computes.identitiesParse(der.subarray(1), NO)).toThrow(code('invalid_identity'))
  expect(() => computes.recipientsParse(der)).toThrow(code('invalid_recipient'))
  expect([loaded, made.length]).toEqual([1, before + 1])
  // Of the module of forms.
  expect(memory().includes(Buffer.from(der.subarray(36, 52)))).toBe(false)
  expect(stackLeft()).toBe(0)
})

test('errors have their code and text, and the output of a call that failed is zero', () => {
  const computes = computing()
  expect(() => computes.identityGenerate('rot13')).toThrow(code('unknown_algorithm'))
  expect(() => computes.identityOfKey(new Uint8Array(31))).toThrow(/^the key .*32/)
  expect(() => computes.recipientsParse(utf8('age1 nothing'))).toThrow(code('invalid_recipient'))
  const key = computes.aead('aes-256-gcm', random(32))
  const out = random(50)
  expect(() => computes.aeadOpen(key, random(12), NO, random(66), out)).toThrow(code('not_authentic'))
  expect(out).toEqual(new Uint8Array(50))
  const own = random(66)
  expect(() => computes.aeadOpen(key, random(12), NO, own, own)).toThrow(code('not_authentic'))
  expect(own).toEqual(new Uint8Array(66))
  const kept = random(66)
  const before = kept.slice()
  expect(() => computes.aeadOpen(key, random(11), NO, kept, kept)).toThrow(code('wrong_length'))
  expect(kept).toEqual(before)
})

test('an input may overlap the output anyhow', () => {
  const computes = computing()
  const key = computes.aead('chacha20-poly1305', random(32))
  for (const length of [0, 50, 100_000]) {
    for (const shift of [0, 1, 7, 16]) {
      const [nonce, text] = [random(12), random(length)]
      const sealed = new Uint8Array(length + 16)
      computes.aeadSeal(key, nonce, NO, text, sealed)
      const area = new Uint8Array(length + 64)
      area.set(text, shift)
      computes.aeadSeal(key, nonce, NO, area.subarray(shift, shift + length), area.subarray(0, length + 16))
      expect(Buffer.compare(area.subarray(0, length + 16), sealed)).toBe(0)
      area.copyWithin(shift, 0, length + 16)
      computes.aeadOpen(key, nonce, NO, area.subarray(shift, shift + length + 16), area.subarray(0, length))
      expect(Buffer.compare(area.subarray(0, length), text)).toBe(0)
    }
  }
})

test('a trap ends the instance: it is zeroed, its objects are gone, and the next call has another', () => {
  const computes = computing()
  const [kept, identity] = [computes.armour(), computes.identityGenerate('x25519')]
  const sealer = computes.sealerOf(encryptorOf(computes, identity))
  computes.sealerFinishNow(sealer)
  const [instances, ended] = [made.length, memory()]
  // There is no chunk after the last: a panic.
  expect(() => computes.sealerFinishNow(sealer)).toThrow(
    expect.objectContaining({
      code: 'internal',
      message: expect.stringMatching(/the stream has ended, and takes no more: begin another \(parts\.rs:\d+\)$/),
    }),
  )
  expect(ended.every((byte) => byte === 0)).toBe(true)
  // Its objects may be released before the next call and after it.
  computes.release(sealer)
  expect(made.length).toBe(instances)
  for (const stale of [() => computes.armourFinish(kept), () => computes.identityKind(identity)]) {
    expect(stale).toThrow(expect.objectContaining({ code: 'internal', message: expect.stringContaining('has ended') }))
  }
  computes.release(identity)
  const other = computes.identityGenerate('x25519')
  expect(made.length).toBe(instances + 1)
  expect(other).not.toBe(identity)
  expect(roundTrip(computes, other, utf8('attack at dawn'))).toEqual(utf8('attack at dawn'))
})

test('a number that is stale, of another kind or of another module is an error and no trap', () => {
  const computes = computing()
  const identity = computes.identityGenerate('x25519')
  const instances = made.length
  expect(() => computes.armourFinish(identity)).toThrow(internal)
  computes.release(identity)
  computes.release(identity)
  for (const wrong of [identity, -1, 0.5, Number.NaN, 2 ** 40, 'x' as never, undefined as never]) {
    expect(() => computes.identityKind(wrong)).toThrow(internal)
  }
  const cipher = computes.cipher('sm4-ctr', random(16))
  expect(() => computes.identityKind(cipher)).toThrow(internal)
  expect(computes.identityKind(computes.identityGenerate('key'))).toBe('key')
  expect(made.length).toBe(instances + 1)
})

test('10^5 calls and objects take no more memory', () => {
  const computes = computing()
  const [key, nonce] = [random(32), random(12)]
  const lengths = [0, 50, 1000, 65_000, 66_000, 200_000]
  const round = (rounds: number): void => {
    for (let i = 0; i < rounds; i++) {
      const handle = computes.aead(i % 2 === 0 ? 'aes-256-gcm' : 'chacha20-poly1305', key)
      const text = new Uint8Array(i % 100 === 0 ? (lengths[(i / 100) % lengths.length] ?? 0) : 50)
      const sealed = new Uint8Array(text.length + 16)
      computes.aeadSeal(handle, nonce, NO, text, sealed)
      if (i % 2 === 0) computes.aeadOpen(handle, nonce, NO, sealed, text)
      else expect(() => computes.aeadOpen(handle, nonce, nonce, sealed, text)).toThrow()
      computes.release(handle)
    }
  }
  round(2000)
  const before = memory().length
  round(25_000)
  expect(memory().length).toBe(before)
  expect(computes.heldCount()).toBe(0)
})

exhaustive('where there are a million objects, one more is an error and no trap', () => {
  const computes = computing()
  const objects: Handle[] = []
  const key = random(32)
  const fill = () => {
    while (true) objects.push(computes.identityOfKey(key))
  }
  expect(fill).toThrow(code('too_many_objects'))
  expect(objects.length).toBeGreaterThan(1e6)
  expect(() => computes.again(objects[0] as Handle)).toThrow(code('too_many_objects'))
  const instances = made.length
  for (const object of objects) computes.release(object)
  computes.release(computes.armour())
  // Its memory has grown, and it was dropped with its last object.
  expect(made.length).toBe(instances + 1)
})

test('a long digest is taken in pieces, and an instance that has grown is dropped with its last object', () => {
  const computes = computing()
  const data = new Uint8Array(40 << 20).fill(7)
  const digest = new Uint8Array(32)
  const [sha256, hex] = [computes.hashId('sha256'), computes.encodingId('hex')]
  computes.hashInto(sha256, data, digest)
  expect(Buffer.from(digest).toString('hex')).toBe(createHash('sha256').update(data).digest('hex'))
  expect(computes.hashText(sha256, data, hex, 0)).toBe(Buffer.from(digest).toString('hex'))
  expect(memory().length).toBeLessThan(8 << 20)
  const key = computes.aead('chacha20-poly1305', random(32))
  computes.aeadSeal(key, random(12), NO, data, new Uint8Array(data.length + 16))
  expect(memory().length).toBeGreaterThan(data.length)
  const instances = made.length
  computes.release(key)
  expect(computes.aeadTagLen()).toBe(16)
  expect(made.length).toBe(instances + 1)
  expect(memory().length).toBeLessThan(8 << 20)
})

const table = JSON.parse(readFileSync(new URL('../../table.json', import.meta.url), 'utf8'))
/** All kinds of key pairs that the modules make. */
const SIGN_KINDS: string[] = table.signKinds.map(({ name }: { name: string }) => name)
SIGN_KINDS.splice(SIGN_KINDS.indexOf('rsa-sign'), 1)

/** Calls, and the secrets of each; its objects are released before memory is looked at. */
const SECRETS: Record<string, (computes: Computes) => Uint8Array[] | Promise<Uint8Array[]>> = {
  aead(computes) {
    const secrets: Uint8Array[] = []
    for (const algorithm of ['aes-256-gcm', 'chacha20-poly1305', 'xchacha20-poly1305', 'sm4-gcm']) {
      for (const length of [64, 100_000]) {
        const [key, text] = [random(computes.aeadKeyLen(algorithm)), random(length)]
        const handle = computes.aead(algorithm, key)
        const sealed = new Uint8Array(length + 16)
        const nonce = random(computes.aeadNonceLen(algorithm))
        computes.aeadSeal(handle, nonce, NO, text, sealed)
        computes.aeadOpen(handle, nonce, NO, sealed, new Uint8Array(length))
        computes.release(handle)
        secrets.push(key, text.subarray(0, 64))
      }
    }
    return secrets
  },
  hash(computes) {
    const [short, long] = [random(64), random(100_000)]
    const [sha256, blake3, hex] = [computes.hashId('sha256'), computes.hashId('blake3'), computes.encodingId('hex')]
    const hasher = computes.hasher(sha256)
    for (const text of [short, long]) {
      computes.hashText(sha256, text, hex, 0)
      computes.hashInto(blake3, text, new Uint8Array(32))
      computes.hashBatch(sha256, text, Uint32Array.of(text.length), new Uint8Array(32))
      computes.hasherUpdate(hasher, text)
    }
    const clone = computes.hasherClone(hasher)
    computes.hasherDigest(hasher, 0)
    computes.hasherText(clone, hex, 0)
    computes.release(hasher)
    computes.release(clone)
    return [short, long.subarray(-64)]
  },
  mac(computes) {
    const [short, long, hex] = [random(64), random(100_000), computes.encodingId('hex')]
    const keys: Uint8Array[] = []
    for (const [name, length] of MACS) {
      const key = random(length)
      const handle = computes.mac(name, key, NO, 0)
      const tag = new Uint8Array(computes.macTagLen(handle))
      const signer = computes.macSigner(handle)
      for (const text of [short, long]) {
        computes.macInto(handle, text, tag)
        computes.macVerify(handle, text, tag, false)
        computes.macVerifyText(handle, text, computes.macText(handle, text, hex), hex, false)
        computes.macSignerUpdate(signer, text)
      }
      computes.macSignerVerify(signer, computes.macSignerTag(signer), false)
      computes.release(handle)
      computes.release(signer)
      keys.push(key)
    }
    return [short, long.subarray(-64), ...keys]
  },
  'derived keys'(computes) {
    const [secret, password, pepper] = [random(64), random(40), random(32)]
    const [salt, none] = [random(16), new Uint8Array(0)]
    const keys = [
      computes.hkdf('sha512', secret, salt, none, 64),
      computes.hkdfExpand('sha256', computes.hkdfExtract('sha256', salt, secret), none, 64),
      computes.concatKdf('sha3-256', secret, salt, 64),
      computes.blake3DeriveKey('a context', secret, 64),
      computes.derive('argon2id', 64, 2, 2, password, salt, pepper, none, true, 64),
      computes.derive('scrypt', 5, 8, 1, password, salt, none, none, true, 64),
      computes.derive('pbkdf2-sha256', 3, 0, 0, password, salt, none, none, true, 64),
      computes.derive('pbkdf2-blake3', 3, 0, 0, password, salt, none, none, true, 64),
    ]
    const cache = computes.keyCache(3, 1000)
    const request = ['scrypt', 5, 8, 1, password, salt, none, none] as const
    computes.keyCacheKeep(cache, 0, ...request, keys[5] as Uint8Array)
    expect(computes.keyCacheFind(cache, 1, ...request, true, 64)).toEqual(keys[5])
    computes.release(cache)
    return [secret, password, pepper, ...keys]
  },
  'stored passwords'(computes) {
    const password = random(40).fill(7, 0, 1)
    const secrets: Uint8Array[] = [password]
    const costs: CrossingCost[] = [
      ['argon2id', 512, 2, 1],
      ['scrypt', 10, 8, 1],
      ['pbkdf2-sha512', 1000, 0, 0],
    ]
    for (const cost of costs) {
      computes.passwordVerify(password, computes.passwordHash(password, ...cost), true)
    }
    const text = utf8('correct horse battery staple of bcrypt')
    const bcrypt = '$2b$04$cVWp4XaNU8a4v1uMRum2SO026BWLIoQMD/TXg5uZV.0P.uO8m3YEm'
    expect(() => computes.passwordVerify(text, bcrypt, true)).toThrow(code('not_authentic'))
    return [...secrets, text]
  },
  'symmetric key'(computes) {
    const [key, text] = [random(32), random(100)]
    const identity = computes.identityOfKey(key)
    roundTrip(computes, identity, text)
    computes.release(identity)
    return [key, text]
  },
  passphrase(computes) {
    // Not ASCII, so that it is normalized.
    const text = utf8('ärger im treppenhaus: zwölf boxkämpfer')
    const identity = computes.identityOfPassphrase(text)
    computes.release(identity)
    return [text]
  },
  ...Object.fromEntries(
    [
      ['x25519', 'der'],
      ['p256', 'der'],
      ['ml-kem-768', 'der'],
      ['sm2', 'der'],
      ['hybrid', 'age'],
    ].map(([kind = '', form = '']) => [
      `identity ${kind}`,
      (computes: Computes) => {
        const identity = computes.identityGenerate(kind)
        const exported = computes.identityExport(identity, form, NO)
        const secret = typeof exported === 'string' ? utf8(exported) : exported
        // Text begins with words that are in the module.
        const drawn = secret.subarray(typeof exported === 'string' ? 20 : 0)
        const text = random(100)
        roundTrip(computes, identity, text)
        computes.release(identity)
        const [again = 0] = computes.identitiesParse(secret, NO)
        computes.release(again)
        return [drawn, secret.subarray(-32), text]
      },
    ]),
  ),
  ...Object.fromEntries(
    SIGN_KINDS.map((kind) => [
      `sign ${kind}`,
      (computes: Computes) => {
        const [key, text] = [computes.signGenerate(kind), random(100)]
        // Once: it takes long.
        const passphrase = kind === 'ed25519' ? utf8('zwölf boxkämpfer im treppenhaus') : NO
        const der = computes.signPrivateExport(key, 'der', passphrase) as Uint8Array
        const raw = computes.signPrivateExport(key, 'raw', NO) as Uint8Array
        const again = computes.signPrivateParse(der, passphrase)
        const signature = new Uint8Array(computes.signMaxLen(again))
        const length = computes.signInto(again, text, signature, 0, NO, NO)
        const public_ = computes.signPublicKey(key)
        computes.signVerify(public_, text, signature.subarray(0, length), 0, NO, NO)
        for (const object of [key, again, public_]) computes.release(object)
        return [raw, text, ...(passphrase === NO ? [] : [passphrase])]
      },
    ]),
  ),
  ...Object.fromEntries(
    table.exchangeKinds.map(({ name: kind, ciphertextLen }: { name: string; ciphertextLen: number | null }) => [
      `exchange ${kind}`,
      (computes: Computes) => {
        const key = computes.exchangeGenerate(kind)
        const raw = computes.exchangePrivateExport(key, 'raw', NO) as Uint8Array
        const [again, public_] = [computes.exchangePrivateOf(kind, raw), computes.exchangePublicKey(key)]
        const ciphertext = new Uint8Array(ciphertextLen ?? 0)
        const [secret, same] = [new Uint8Array(32), new Uint8Array(32)]
        if (ciphertextLen === null) {
          secret.set(computes.exchangeSharedSecret(again, public_).subarray(0, 32))
          same.set(computes.exchangeAgree(again, public_, 'hkdf', 'sha256', EMPTY, EMPTY, 32))
        } else {
          const both = computes.exchangeEncapsulate(public_)
          secret.set(both.subarray(0, 32))
          ciphertext.set(both.subarray(32))
          computes.exchangeDecapsulate(again, ciphertext, same)
          expect(same).toEqual(secret)
        }
        for (const object of [key, again, public_]) computes.release(object)
        return [raw, secret, same]
      },
    ]),
  ),
  'keys of rsa'(computes) {
    const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
    const der = new Uint8Array(privateKey.export({ type: 'pkcs8', format: 'der' }))
    const { d, p } = privateKey.export({ format: 'jwk' })
    const keys = [computes.signPrivateParse(der, NO), computes.rsaPrivateParse(der, NO)]
    expect(computes.signPrivateExport(keys[0] as Handle, 'der', NO)).toEqual(der)
    expect(computes.rsaPrivateExport(keys[1] as Handle, 'der', NO)).toEqual(der)
    const ciphertext = new Uint8Array(256).fill(1)
    expect(() => computes.rsaDecryptPkcs1(keys[1] as Handle, ciphertext)).toThrow(code('unavailable_backend'))
    const encoded = new Uint8Array(256).fill(7).fill(0, 0, 1).fill(2, 1, 2).fill(0, 200, 201)
    random(55).forEach((byte, i) => {
      encoded[201 + i] = byte
    })
    expect(computes.rsaUnpadPkcs1(keys[1] as Handle, ciphertext, encoded)).toEqual(encoded.subarray(201))
    for (const key of keys) computes.release(key)
    return [Buffer.from(d as string, 'base64url'), Buffer.from(p as string, 'base64url'), encoded.subarray(201)]
  },
  'signature files'(computes) {
    const [content, secrets] = [random(70_000), [] as Uint8Array[]]
    for (const kind of ['ed25519', 'p256-sign', 'ml-dsa-65', 'hybrid-sign', 'hybrid44-sign', 'sm2-sign']) {
      const key = computes.signGenerate(kind)
      const [writer, public_] = [computes.signatureWriter(key, NO, 'release 7', NO), computes.signPublicKey(key)]
      const [signing, trusting] = [computes.signatureSigning(writer), computes.signatureTrusting(NO, NO)]
      computes.signatureSigningUpdate(signing, content)
      const signature = utf8(computes.signatureSigningFinish(signing))
      computes.signatureTrustKey(trusting, public_)
      const reader = computes.signatureReader(trusting)
      const [detached, attached] = [computes.signatureVerifying(reader, signature), computes.signatureAttached(reader)]
      expect(computes.signatureAttachedAt(attached, signature)).toBe(0)
      for (const verifying of [detached, attached]) {
        computes.signatureVerifyingUpdate(verifying, content)
        expect(computes.signatureVerifyingFinish(verifying)).toMatchObject({ kind, comment: 'release 7' })
      }
      secrets.push(computes.signPrivateExport(key, 'raw', NO) as Uint8Array)
      for (const object of [key, writer, public_, signing, trusting, reader, detached, attached]) {
        computes.release(object)
      }
    }
    return [...secrets, content.subarray(0, 64), content.subarray(-64)]
  },
  message(computes) {
    const [identity, text] = [computes.identityGenerate('x25519'), random(100)]
    const recipient = computes.identityRecipient(identity)
    const message = new Uint8Array(computes.messageLen(recipient, text.length))
    computes.messageSealInto(recipient, text, utf8(''), message)
    expect(computes.messageHeadLen(identity, message, message.length)).toBe(
      message.length - text.length - computes.aeadTagLen(),
    )
    const plaintext = new Uint8Array(text.length)
    computes.messageOpenInto(identity, message, utf8(''), plaintext)
    expect(plaintext).toEqual(text)
    const armoured = computes.messageSealArmoured(recipient, text, utf8(''))
    expect([computes.messageIsArmoured(message), computes.messageIsArmoured(utf8(armoured))]).toEqual([false, true])
    expect(computes.messageOpenArmoured(identity, utf8(armoured), utf8(''))).toEqual(text)
    computes.release(identity)
    computes.release(recipient)
    return [text]
  },
  'armour and ranges'(computes) {
    const [identity, text] = [computes.identityOfKey(random(32)), random(40_000)]
    const recipient = computes.identityRecipient(identity)
    const encryptor = computes.encryptor([recipient], NO, NO, NO, NO, true, NO)
    const decryptor = computes.decryptor([identity], NO, NO, NO)
    const file = computes.encryptArmoured(encryptor, text)
    expect(computes.decryptArmoured(computes.again(decryptor), file)).toEqual(text)
    computes.decryptRange(decryptor, file, 20_000, 20_100)
    for (const object of [identity, recipient, encryptor, decryptor]) computes.release(object)
    return [text.subarray(0, 64), text.subarray(20_000, 20_064)]
  },
  'key of a message'(computes) {
    const [identity, text] = [computes.identityGenerate('hybrid'), random(100)]
    const recipient = computes.identityRecipient(identity)
    const begun = computes.messageBegin(recipient)
    const [secret, head] = [begun.slice(0, 44), begun.slice(44)]
    expect(head).toHaveLength(computes.messageLen(recipient, 0) - 16)
    expect(computes.messageOpening(identity, head)).toEqual(secret)
    const key = computes.aead('aes-256-gcm', secret.slice(0, 32))
    const sealed = new Uint8Array(text.length + 16)
    computes.aeadSeal(key, secret.slice(32), utf8('aad'), text, sealed)
    const plaintext = new Uint8Array(text.length)
    computes.messageOpenInto(identity, Buffer.concat([head, sealed]), utf8('aad'), plaintext)
    expect(plaintext).toEqual(text)
    for (const object of [identity, recipient, key]) computes.release(object)
    return [secret.slice(0, 32), text]
  },
  async 'derived key'() {
    const passphrase = utf8('ärger im treppenhaus: zwölf boxkämpfer')
    const keys: Buffer[] = []
    const derive: Derive = async (password, { hash, salt, iterations, length }) => {
      keys.push(pbkdf2Sync(password, salt, iterations, length, hash))
      return new Uint8Array(keys[0] as Buffer)
    }
    const { sync, bulk } = wasmCalls({ promised: { ...subtleCrypto(), derive } })
    const identity = sync.identityGenerate('p256')
    const pem = utf8(sync.identityExport(identity, 'pem', passphrase) as string)
    const read = (await bulk.identitiesParseLater(pem, passphrase)) as Handle[]
    for (const own of [identity, ...read]) sync.release(own)
    expect([keys.length, read.length, (sync as Computes).heldCount()]).toEqual([1, 1, 0])
    return [passphrase, ...keys]
  },
  'keys of chunks'(computes) {
    const identity = computes.identityOfKey(random(32))
    const encryptor = encryptorOf(computes, identity)
    const sealer = computes.sealerOf(encryptor)
    const key = computes.sealerKey(sealer, 'aes-256-gcm')
    expect(key).toHaveLength(32)
    expect(computes.sealerKey(sealer, 'aes-128-gcm')).toHaveLength(0)
    computes.sealerNonces(sealer, 16)
    for (const object of [sealer, encryptor, identity]) computes.release(object)
    return [key]
  },
  chunked(computes) {
    const [key, text] = [random(32), random(300_000)]
    const handle = computes.chunkedKey('aes-256-gcm', key)
    const sealed = computes.chunkedEncrypt(handle, utf8('c'), text)
    const opener = computes.chunkedOpener(handle, utf8('c'), sealed.subarray(0, computes.chunkedHeadLen()))
    let at = computes.chunkedHeadLen()
    while (at < sealed.length) {
      at += computes.openerFill(opener, sealed.subarray(at))
      computes.openerUnitNow(opener)
    }
    computes.openerFinishNow(opener, true)
    computes.release(opener)
    computes.release(handle)
    return [key, text.subarray(0, 64), text.subarray(-64)]
  },
}

test('no secret is left in linear memory, and nothing on the stack', async () => {
  const faults: string[] = []
  for (const [name, use] of Object.entries(SECRETS)) {
    const from = made.length
    const computes = computing()
    const secrets = await use(computes)
    expect(computes.heldCount()).toBe(0)
    for (const instance of made.slice(from)) {
      if (stackLeft(instance) > 0) faults.push(`${name}: ${stackLeft(instance)} bytes of the stack`)
    }
    // Of the module of forms too, where it was used.
    const seen = Buffer.concat(made.slice(from).map((instance) => memory(instance)))
    for (const secret of secrets) {
      // Any half of it: a part is no less of a find.
      for (let at = 0; at + 16 <= secret.length; at += 16) {
        if (seen.includes(Buffer.from(secret.subarray(at, at + 16))))
          faults.push(`${name}: bytes ${at} of ${secret.length}`)
      }
    }
  }
  expect(faults).toEqual([])
})

test('no call leaves anything on the stack, and none of its arguments', () => {
  const computes = computing()
  const faults: string[] = []
  const called = new Set<string>()
  const { call } = Instance.prototype
  const spy = vi.spyOn(Instance.prototype, 'call').mockImplementation(function (this: Instance, of, args) {
    called.add(of.name)
    return call.call(this, of, args)
  })
  const from = made.length
  const key = random(32)
  const looked = (name: string, work: () => unknown): unknown => {
    try {
      return work()
    } catch {
      return NO
    } finally {
      const left = made.slice(from).reduce((sum, instance) => sum + stackLeft(instance), 0)
      if (left > 0) faults.push(`${name}: ${left}`)
    }
  }
  const CALLS: Partial<Record<keyof SyncCalls, unknown[][]>> = {
    aead: [
      'aes-128-gcm',
      'aes-192-gcm',
      'aes-256-gcm',
      'aes-256-gcm-siv',
      'chacha20-poly1305',
      'sm4-gcm',
      'sm4-ccm',
    ].map((name) => [name, random(computes.aeadKeyLen(name))]),
    hashText: HASHES.flatMap((name) => [
      [computes.hashId(name), random(5000), 0, 0],
      [computes.hashId(name), 'attack at dawn', 1, 100],
    ]),
    hasher: HASHES.map((name) => [computes.hashId(name)]),
    mac: MACS.map(([name, length]) => [name, random(length), NO, 0]),
    hkdf: HASHES.map((name) => [name, key, key, key, 1000]),
    hkdfExtract: HASHES.map((name) => [name, key, key]),
    hkdfExpand: HASHES.map((name) => [name, random(64), key, 1000]),
    concatKdf: HASHES.map((name) => [name, key, key, 1000]),
    blake3DeriveKey: [['a context', key, 1000]],
    derive: [
      ...HASHES.map((name) => [`pbkdf2-${name}`, 3, 0, 0, key, key, EMPTY, EMPTY, true, 100]),
      ...['argon2id', 'argon2i', 'argon2d'].map((name) => [name, 64, 2, 2, key, key, key, key, true, 100]),
      ['scrypt', 5, 8, 2, key, key, EMPTY, EMPTY, true, 100],
      ['scrypt', 0, 8, 2, key, key, EMPTY, EMPTY, true, 100],
    ],
    passwordHash: [
      [key, 'argon2id', 512, 2, 1],
      [key, 'scrypt', 10, 8, 1],
      [key, 'pbkdf2-sha384', 1000, 0, 0],
    ],
    passwordVerify: [
      [key, '$2b$04$cVWp4XaNU8a4v1uMRum2SO026BWLIoQMD/TXg5uZV.0P.uO8m3YEm', true],
      [key, 'nothing', true],
    ],
    passwordNeedsRehash: [['$2b$04$cVWp4XaNU8a4v1uMRum2SO026BWLIoQMD/TXg5uZV.0P.uO8m3YEm', 'scrypt', 10, 8, 1]],
    passwordCostRaised: [['scrypt', 5, 8, 1, 250_000, 1000]],
    keyCache: [[3, 1000]],
    chunkedKey: [
      ['sm4-gcm', random(16)],
      ['aes-256-gcm', key],
      ['chacha20-poly1305', key],
    ],
  }
  for (const [name, all] of Object.entries(CALLS)) {
    for (const args of all)
      looked(name, () => (computes as never as Record<string, (...args: unknown[]) => unknown>)[name]?.(...args))
  }
  for (const [encoding, text] of [
    ['base58', '11'],
    ['base64', 'eA=='],
    ['hex', 'x'],
  ] as const) {
    looked(`to ${encoding}`, () => computes.encodeText(encoding, key))
    looked(`of ${encoding}`, () => computes.decodeText(encoding, text))
  }
  for (const [name, length] of MACS) {
    const handle = computes.mac(name, random(length), NO, 0)
    const tag = new Uint8Array(computes.macTagLen(handle))
    for (const data of [EMPTY, 'attack at dawn', random(5000)]) {
      looked(`macInto ${name}`, () => computes.macInto(handle, data, tag))
      looked(`macText ${name}`, () => computes.macText(handle, data, 1))
      looked(`macVerify ${name}`, () => computes.macVerify(handle, data, tag, true))
      looked(`macVerifyText ${name}`, () => computes.macVerifyText(handle, data, 'AAAA', 1, false))
    }
    const signer = looked('macSigner', () => computes.macSigner(handle)) as Handle
    looked(`macSignerUpdate ${name}`, () => computes.macSignerUpdate(signer, key))
    looked(`macSignerTag ${name}`, () => computes.macSignerTag(signer))
    looked(`macSignerText ${name}`, () => computes.macSignerText(signer, 0))
    looked(`macSignerVerify ${name}`, () => computes.macSignerVerify(signer, tag, false))
    looked(`macSignerVerifyText ${name}`, () => computes.macSignerVerifyText(signer, 'AAAA', 1, false))
    for (const object of [handle, signer]) looked(`release ${name}`, () => computes.release(object))
  }
  for (const [, args] of (CALLS.aead ?? []).entries()) {
    const handle = computes.aead(args[0] as string, args[1] as Uint8Array)
    const nonce = random(computes.aeadNonceLen(args[0] as string))
    for (const length of [0, 50, 10_000, 1 << 20]) {
      const sealed = new Uint8Array(length + 16)
      looked(`aeadSeal ${args[0]} ${length}`, () => computes.aeadSeal(handle, nonce, key, random(length), sealed))
      looked(`aeadOpen ${args[0]} ${length}`, () =>
        computes.aeadOpen(handle, nonce, key, sealed, new Uint8Array(length)),
      )
    }
    looked('release', () => computes.release(handle))
  }
  const identity = computes.identityOfKey(key)
  for (const suite of ['aes-256-gcm', 'chacha20-poly1305', 'sm4-gcm']) {
    const recipient = computes.identityRecipient(identity)
    const encryptor = computes.encryptor([recipient], suite, NO, NO, NO, NO, NO)
    const text = random(300_000)
    const sealing = () => computes.sealer([recipient], suite, NO, NO, NO, NO, NO, text.length)
    const [sealer, fileLen] = looked('sealer', sealing) as ReturnType<typeof sealing>
    const file = new Uint8Array(fileLen)
    looked('sealInto', () => computes.sealInto(sealer, text, file, NO))
    const decryptor = computes.decryptor([identity], NO, NO, NO)
    const headLen = computes.fileHeadLen(file)
    const opening = () => computes.opener([identity], NO, NO, NO, file, file.length)
    const [opener] = looked('opener', opening) as ReturnType<typeof opening>
    looked('openInto', () => computes.openInto(opener, file, new Uint8Array(text.length), NO))
    const head = file.subarray(0, headLen)
    const units = looked('openerOf', () => computes.openerOf(decryptor, head)) as Handle
    looked('openerKey', () => computes.openerKey(units, suite))
    looked('openerNonces', () => computes.openerNonces(units, 0, 50 * 16_400 + 20, true))
    looked('openerNonces of what is cut', () => computes.openerNonces(units, 0, 15, true))
    looked('notAuthentic', () => computes.notAuthentic(3))
    looked('openerFill', () => computes.openerFill(units, file.subarray(headLen)))
    looked('openerUnitNow', () => computes.openerUnitNow(units))
    looked('openerFinishNow', () => computes.openerFinishNow(units, false))
    const filled = looked('sealerOf', () => computes.sealerOf(encryptor)) as Handle
    looked('sealerKey', () => computes.sealerKey(filled, suite))
    looked('sealerNonces', () => computes.sealerNonces(filled, 50 * 16_400))
    looked('sealerFill', () => computes.sealerFill(filled, text))
    looked('sealerUnitNow', () => computes.sealerUnitNow(filled))
    looked('sealerFinishNow', () => computes.sealerFinishNow(filled))
    const armour = computes.armour()
    looked('armourUpdate', () => computes.armourUpdate(armour, file))
    looked('armourFinish', () => computes.armourFinish(armour))
  }
  for (const own of [computes.identityOfPassphrase(PASSPHRASE), computes.identityGenerate('hybrid')]) {
    const kind = computes.identityKind(own)
    const recipient = looked(`identityRecipient ${kind}`, () => computes.identityRecipient(own)) as Handle
    const sealing = () => computes.sealer([recipient], NO, NO, NO, NO, NO, NO, 0)
    const [sealer, fileLen] = looked(`sealer ${kind}`, sealing) as ReturnType<typeof sealing>
    const file = new Uint8Array(fileLen)
    computes.sealInto(sealer, new Uint8Array(0), file, NO)
    looked(`opener ${kind}`, () => computes.opener([own], NO, NO, NO, file, file.length))
    const encryptor = computes.encryptor([recipient], NO, NO, NO, NO, NO, NO)
    looked(`sealerOf ${kind}`, () => computes.sealerOf(encryptor))
    looked(`openerOf ${kind}`, () => computes.openerOf(computes.decryptor([own], NO, NO, NO), file))
  }
  for (const [name, length] of [
    ['des-ecb', 8],
    ['des-cbc', 8],
    ['des-ede3-cbc', 24],
    ['blowfish-cfb', 56],
    ['rc4', 16],
  ] as const) {
    const old = looked(name, () => computes.legacy(name, random(length), true)) as Handle
    const iv = random(name === 'rc4' || name === 'des-ecb' ? 0 : 8)
    const made = looked(`${name} encrypts`, () => computes.legacyEncrypt(old, iv, random(5000), NO)) as Uint8Array
    looked(`${name} decrypts`, () => computes.legacyDecrypt(old, iv, made, NO))
    looked(`${name} encrypts text`, () => computes.legacyEncryptText(old, iv, random(50), NO, 1))
    looked(`${name} decrypts what is no text`, () => computes.legacyDecryptText(old, iv, '0123', NO, 0))
  }
  for (const name of ['aes-128-kw', 'aes-256-kwp']) {
    const wrap = looked(name, () => computes.keyWrap(name, random(name === 'aes-128-kw' ? 16 : 32))) as Handle
    const wrapped = looked(`${name} wraps`, () => computes.keyWrapWrap(wrap, key)) as Uint8Array
    looked(`${name} unwraps`, () => computes.keyWrapUnwrap(wrap, wrapped))
    looked(`${name} unwraps nothing`, () => computes.keyWrapUnwrap(wrap, random(40)))
  }
  for (const [name, length] of [
    ['aes-128-ccm', 16],
    ['aes-192-ccm', 24],
    ['aes-256-ccm', 32],
  ] as const) {
    const handle = looked(name, () => computes.ccm(name, random(length), 16)) as Handle
    const sealed = looked(`${name} seals`, () => computes.ccmSeal(handle, key.subarray(0, 12), key, random(5000)))
    looked(`${name} opens`, () => computes.ccmOpen(handle, key.subarray(0, 12), key, sealed as Uint8Array))
  }
  looked('poly1305', () => computes.poly1305(key, random(5000)))
  for (const name of ['aes-256-gcm', 'aes-256-gcm-siv', 'chacha20-poly1305']) {
    const handle = computes.aead(name, key)
    const text = looked(`${name} of text`, () =>
      computes.aeadSealText(handle, NO, 'aad', 'attack at dawn', 1),
    ) as string
    looked(`${name} to text`, () => computes.aeadOpenText(handle, NO, 'aad', text, 1))
    const [data, lengths] = [random(1000), Uint32Array.of(400, 0, 600)]
    const sealed = new Uint8Array(1000 + 3 * 28)
    looked(`${name} of many`, () => computes.aeadSealBatch(handle, key, data, lengths, sealed))
    const opened = () => computes.aeadOpenBatch(handle, key, sealed, Uint32Array.of(428, 28, 628), data)
    looked(`${name} to many`, opened)
  }
  for (const name of [
    'sm4-ecb',
    'sm4-cbc',
    'sm4-ctr',
    'sm4-cfb',
    'sm4-ofb',
    'aes-256-cbc',
    'aes-128-ctr',
    'aes-256-cfb8',
  ]) {
    const handle = looked(name, () => computes.cipher(name, random(computes.cipherKeyLen(name)))) as Handle
    const iv = random(name.endsWith('ecb') ? 0 : 16)
    for (const length of [64, 100_000]) {
      const out = new Uint8Array(length)
      looked(`${name} encrypt`, () => computes.cipherEncrypt(handle, iv, random(length), out, false))
      looked(`${name} decrypt`, () => computes.cipherDecrypt(handle, iv, out, new Uint8Array(length), false))
      looked(`${name} text`, () => computes.cipherEncryptText(handle, iv, 'attack at dawn', NO, 1))
      looked(`${name} no text`, () => computes.cipherDecryptText(handle, iv, 'YXR0YWNrIGF0IGRhd24gbm8=', false, 1))
    }
  }
  const text = random(40_000)
  for (const suite of ['sm4-gcm', 'aes-256-gcm', 'chacha20-poly1305']) {
    const secret = random(suite === 'sm4-gcm' ? 16 : 32)
    const chunked = computes.chunkedKey(suite, secret)
    const sealed = looked(`${suite} in chunks`, () => computes.chunkedEncrypt(chunked, key, text)) as Uint8Array
    looked(`${suite} of chunks`, () => computes.chunkedDecrypt(chunked, key, sealed))
    looked(`${suite} of chunks that are cut`, () => computes.chunkedDecrypt(chunked, key, sealed.subarray(1)))
    const sealer = looked('chunkedSealer', () => computes.chunkedSealer(chunked, key)) as Handle
    looked('sealerHead', () => computes.sealerHead(sealer))
    looked('sealerFileLen', () => computes.sealerFileLen(sealer, text.length))
    const headLen = computes.chunkedHeadLen()
    const head = sealed.subarray(0, headLen)
    const opener = looked('chunkedOpener', () => computes.chunkedOpener(chunked, key, head)) as Handle
    looked('openerHeadLen', () => computes.openerHeadLen(opener))
    looked('openerPlaintextLen', () => computes.openerPlaintextLen(opener, sealed.length))
    looked('openerAt', () => computes.openerAt(opener, 0, sealed.subarray(headLen)))
    const chunk = looked('chunkKey', () => computes.chunkKey(suite, secret)) as Handle
    const [nonce, out] = [random(12), new Uint8Array(text.length + 16)]
    looked(`${suite} of a chunk`, () => computes.chunkSeal(chunk, nonce, text, out))
    looked(`${suite} to a chunk`, () => computes.chunkOpen(chunk, nonce, out, new Uint8Array(text.length)))
    looked(`${suite} to another chunk`, () => computes.chunkOpen(chunk, key.subarray(0, 12), out, text.slice()))
  }
  for (const name of HASHES) {
    const algorithm = computes.hashId(name)
    const [length, data] = [computes.hashLen(algorithm), text.subarray(0, 300)]
    looked(`${name} into memory`, () => computes.hashInto(algorithm, data, new Uint8Array(length)))
    const lengths = Uint32Array.of(100, 0, 200)
    looked(`${name} of many`, () => computes.hashBatch(algorithm, data, lengths, new Uint8Array(3 * length)))
    looked(`${name} of many to text`, () => computes.hashBatchText(algorithm, data, lengths, 0))
    const hasher = computes.hasher(algorithm)
    looked(`${name} of parts`, () => computes.hasherUpdate(hasher, text))
    const other = looked(`${name} of another`, () => computes.hasherClone(hasher)) as Handle
    looked(`${name} of parts to bytes`, () => computes.hasherDigest(hasher, 0))
    looked(`${name} of parts to text`, () => computes.hasherText(other, computes.encodingId('hex'), 0))
  }
  const stored = computes.passwordHash(key, 'scrypt', 10, 8, 1)
  for (const [name, a, b, c] of [
    ['argon2id', 64, 2, 2],
    ['scrypt', 5, 8, 2],
    ['pbkdf2-sha384', 3, 0, 0],
  ] as const) {
    const steps = [
      looked(`${name} in steps`, () => computes.deriving(name, a, b, c, key, key, EMPTY, EMPTY, true, 100)),
      looked(`${name} to a text`, () => computes.derivingHash(key, name, a, b, c)),
      looked(`${name} of a text`, () => computes.derivingCheck(key, stored, true)),
    ]
    for (const deriving of steps as Handle[]) {
      looked(`step of ${name}`, () => computes.derivingStep(deriving, 1 << 20))
      looked(`end of ${name}`, () => computes.derivingEnd(deriving))
    }
    const cache = computes.keyCache(3, 1000)
    looked('keyCacheKeep', () => computes.keyCacheKeep(cache, 1, name, a, b, c, key, key, EMPTY, EMPTY, key))
    looked('keyCacheFind', () => computes.keyCacheFind(cache, 1, name, a, b, c, key, key, EMPTY, EMPTY, true, 32))
    looked('keyCacheClear', () => computes.keyCacheClear(cache))
  }
  const file = computes.encryptArmoured(
    computes.encryptor([computes.identityRecipient(identity)], NO, NO, NO, NO, true, NO),
    text,
  )
  looked('fileIsArmoured', () => computes.fileIsArmoured(file))
  const dearmour = looked('dearmour', () => computes.dearmour(false)) as Handle
  looked('dearmourUpdate', () => computes.dearmourUpdate(dearmour, file))
  looked('dearmourFinish', () => computes.dearmourFinish(dearmour))
  const [digits, aead] = [new Uint8Array(4 * Math.ceil(text.length / 3)), computes.aead('aes-256-gcm', key)]
  looked('base64EncodeInto', () => computes.base64EncodeInto(text, digits))
  looked('base64DecodeInto', () => computes.base64DecodeInto(digits, new Uint8Array(text.length)))
  looked('aeadSealPlaced', () => computes.aeadSealPlaced(aead, NO, key, text, new Uint8Array(text.length + 16)))
  for (const object of [identity, aead, computes.hasher(0)]) looked('again', () => computes.again(object))
  const signing = computes.signGenerate('ed25519')
  looked('signMaxLen', () => computes.signMaxLen(signing))
  const writer = computes.signatureSigning(computes.signatureWriter(signing, NO, NO, NO))
  looked('signatureSigningUpdate', () => computes.signatureSigningUpdate(writer, text))
  const signature = utf8(computes.signatureSigningFinish(writer))
  const trusting = computes.signatureTrusting(NO, NO)
  computes.signatureTrustKey(trusting, computes.signPublicKey(signing))
  const verifying = computes.signatureVerifying(computes.signatureReader(trusting), signature)
  looked('signatureVerifyingUpdate', () => computes.signatureVerifyingUpdate(verifying, text))
  expect(computes.signatureVerifyingFinish(verifying)).toBeDefined()
  looked('lengths', () => [
    computes.backend(),
    computes.tagLen(),
    computes.chunkLen(),
    computes.unitsMax(NO),
    computes.fileStartLen(),
    computes.aeadTagLen(),
    computes.cipherEncodingId('hex'),
    computes.cipherPads(computes.cipher('sm4-cbc', key.subarray(0, 16))),
    computes.aeadOpenedLen(aead, 100, true),
    computes.exchangeSecretLen(),
    computes.signatureMaxLen(),
    computes.armourLookLen(EMPTY),
  ])
  spy.mockRestore()
  // Each call whose table says that less than all of the stack is zeroed.
  const rows = MODULES.flatMap(([, , table]) => Object.entries(table))
  const bounded = rows.filter(([name, row]) => /\d$/.test(row) && name !== 'heldCount').map(([name]) => name)
  expect(bounded.length).toBeGreaterThan(100)
  const missing = bounded.filter((name) => !called.has(signatures.exportName(name)))
  expect(missing, 'calls with `stack = N` that this test does not make').toEqual([])
  expect(faults).toEqual([])
})

test("what others put in place of the language's functions sees nothing", () => {
  const computes = computing()
  // All modules are loaded before.
  computes.aeadTagLen()
  computes.identityExport(computes.identityGenerate('x25519'), 'der', NO)
  const key = random(32)
  const seen: string[] = []
  const restore: (() => void)[] = []
  const patch = (prototype: object, name: PropertyKey): void => {
    const descriptor = Object.getOwnPropertyDescriptor(prototype, name) as PropertyDescriptor
    restore[restore.length] = () => Object.defineProperty(prototype, name, descriptor)
    const spy = (): never => {
      seen[seen.length] = String(name)
      throw new Error('a spy')
    }
    Object.defineProperty(prototype, name, descriptor.get ? { ...descriptor, get: spy } : { ...descriptor, value: spy })
  }
  const [sealed, opened, nonce] = [new Uint8Array(66), new Uint8Array(50), random(12)]
  let found: unknown
  try {
    const typedArray = Object.getPrototypeOf(Uint8Array.prototype) as object
    for (const name of ['set', 'fill', 'slice', 'subarray', 'length', 'buffer', 'byteOffset']) patch(typedArray, name)
    patch(typedArray, Symbol.iterator)
    patch(WebAssembly.Memory.prototype, 'buffer')
    for (const name of ['encode', 'encodeInto']) patch(TextEncoder.prototype, name)
    patch(TextDecoder.prototype, 'decode')
    for (const name of ['normalize', 'charCodeAt', 'split', 'slice', 'indexOf', 'replace'])
      patch(String.prototype, name)
    for (const name of ['push', 'map', 'forEach']) patch(Array.prototype, name)
    patch(JSON, 'parse')
    const handle = computes.aead('aes-256-gcm', key)
    computes.aeadSeal(handle, nonce, key, new Uint8Array(50), sealed)
    computes.aeadOpen(handle, nonce, key, sealed, opened)
    const identity = computes.identityOfPassphrase(PASSPHRASE)
    const kind = computes.identityKind(identity)
    const own = computes.identityOfKey(key)
    const [again] = computes.identitiesParse(
      computes.identityExport(computes.identityGenerate('x25519'), 'der', NO) as Uint8Array,
      NO,
    )
    found = [kind, computes.identityKind(own), computes.identityKind(again as Handle)]
  } catch (error) {
    found = error
  } finally {
    for (const undo of restore.reverse()) undo()
  }
  expect([found, seen]).toEqual([['passphrase', 'key', 'x25519'], []])
})

test('a script that came before the first call has no part in calls', () => {
  const key = new Uint8Array(32).fill(7)
  const seen: string[] = []
  const restore: (() => void)[] = []
  const put = (object: object, name: PropertyKey, value: unknown): void => {
    const descriptor = Object.getOwnPropertyDescriptor(object, name)
    restore[restore.length] = () => {
      if (descriptor === undefined) Reflect.deleteProperty(object, name)
      else Object.defineProperty(object, name, descriptor)
    }
    Object.defineProperty(object, name, { value, writable: true, configurable: true })
  }
  const look = (name: string, values: ArrayLike<unknown>): void => {
    for (let i = 0; i < values.length; i++) {
      const value = values[i]
      if (value instanceof Uint8Array && value[0] === 7) seen[seen.length] = name
      if (typeof value === 'function') seen[seen.length] = `${name} of a function`
    }
  }
  const { bind } = Function.prototype
  const { [Symbol.iterator]: iterator, push } = Array.prototype
  let found: unknown
  try {
    put(Function.prototype, 'bind', function (this: () => void, ...args: unknown[]) {
      const bound = Reflect.apply(bind, this, args) as (...args: unknown[]) => unknown
      return (...args: unknown[]) => {
        look('bind', args)
        return Reflect.apply(bound, undefined, args)
      }
    })
    put(Array.prototype, Symbol.iterator, function (this: unknown[]) {
      look('iterator', this)
      return Reflect.apply(iterator, this, [])
    })
    put(Array.prototype, 'push', function (this: unknown[], ...args: unknown[]) {
      look('push', args)
      return Reflect.apply(push, this, args)
    })
    for (const name of ['mac', 'armour', 'sealer', 'own', 'release', 'promised', 'crypto', 'crew', '-1']) {
      put(Object.prototype, name, 5)
    }
    const computes = computing()
    const handle = computes.aead('aes-256-gcm', key)
    const sealed = new Uint8Array(66)
    computes.aeadSeal(handle, key.subarray(0, 12), NO, new Uint8Array(50), sealed)
    sealed[3] = 1 + (sealed[3] as number)
    const opened = new Uint8Array(50).fill(1)
    try {
      computes.aeadOpen(handle, key.subarray(0, 12), NO, sealed, opened)
    } catch (error) {
      found = [(error as SealstoneError).code, opened.every((byte) => byte === 0)]
    }
    const mac = computes.mac('hmac-sha256', key, NO, 0)
    computes.release(computes.armour())
    for (const object of [handle, mac]) computes.release(object)
  } catch (error) {
    found = error
  } finally {
    for (let i = restore.length; i > 0; i--) restore[i - 1]?.()
  }
  expect([found, seen]).toEqual([['not_authentic', true], []])
})

const PASSPHRASE = utf8('zwölf boxkämpfer')

test('a passphrase is the same in both of its forms', () => {
  const computes = computing()
  const text = utf8('attack at dawn')
  const composed = 'Ångström über alles'
  // Decomposed, compatible characters stay.
  const forms = [composed.normalize('NFC'), composed.normalize('NFD')].map((form) => utf8(form))
  expect(forms[0]).not.toEqual(forms[1])
  const [sealing, opening] = forms.map((form) => computes.identityOfPassphrase(form))
  const recipient = computes.identityRecipient(sealing as Handle)
  const [sealer, fileLen] = computes.sealer([recipient], NO, NO, NO, NO, NO, NO, text.length)
  const file = new Uint8Array(fileLen)
  computes.sealInto(sealer, text, file, NO)
  const decryptor = computes.decryptor([opening as Handle], NO, NO, NO)
  const native = loadNative()
  const theirs = native.decryptor([native.identityOfPassphrase(forms[1] as Uint8Array)], NO, NO, NO)
  expect(computes.decryptArmoured(computes.again(decryptor), file)).toEqual(text)
  expect(Buffer.compare(native.decryptArmoured(theirs, file), text)).toBe(0)
  expect(() => computes.identityOfPassphrase(new Uint8Array([0xc3, 0x28]))).toThrow(code('invalid_passphrase'))
  expect(() => computes.identityOfPassphrase(new Uint8Array(0))).toThrow(code('invalid_passphrase'))
})

/** The modules of TypeScript anew, in a world where `crypto` is another. */
async function withCrypto(crypto: unknown): Promise<Computes> {
  vi.stubGlobal('crypto', crypto)
  vi.resetModules()
  const { computing } = await import('./modules.js')
  return computing()
}

test('without randomness nothing is generated, and nothing is weaker', async () => {
  const refuses = {
    getRandomValues: () => {
      throw new Error('no')
    },
  }
  for (const crypto of [undefined, refuses]) {
    const computes = await withCrypto(crypto)
    expect(() => computes.identityGenerate('x25519')).toThrow(expect.objectContaining({ code: 'no_randomness' }))
    expect(computes.aeadTagLen()).toBe(16)
  }
})

test("randomness is the host's, and a call from within a call is an error", async () => {
  const { crypto } = globalThis
  const lengths: number[] = []
  let inner: unknown
  const computes = await withCrypto({
    getRandomValues(memory: Uint8Array) {
      lengths.push(memory.length)
      try {
        computes.fileStartLen()
      } catch (error) {
        inner = error
      }
      return crypto.getRandomValues(memory as Uint8Array<ArrayBuffer>)
    },
  })
  const identity = computes.identityGenerate('x25519')
  expect(lengths).toContain(32)
  expect(inner).toMatchObject({ code: 'internal', message: expect.stringContaining('a call within a call') })
  expect(computes.identityKind(identity)).toBe('x25519')
})
