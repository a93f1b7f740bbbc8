// Key pairs in WebAssembly, and RSA by the hosts: they say the same as the addon (docs/design/wasm.md).

import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import type { Handle, Later, SyncCalls } from '../src/backend/calls.js'
import type { Calls } from '../src/backend/index.js'
import type { HostRsa } from '../src/backend/wasm/host-rsa.js'
import { callOf, Instance } from '../src/backend/wasm/instance.js'
import type { Source } from '../src/backend/wasm/module.js'
import * as signatures from '../src/backend/wasm/signatures.js'
import { webRsaOf } from '../src/browser/web-rsa.js'
import { hostRsa } from '../src/node/host-rsa.js'
import { loadNative } from '../src/node/native.js'
import { withAddon } from '../src/node/platform.js'
import { AGE, computing, EXCHANGE, SIGN, wasmCalls } from './modules.js'

const NO = undefined
const NONE = new Uint8Array(0)
const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
const MESSAGE = utf8('attack at dawn')

type Platform = Omit<Calls, 'files'>
const subtle = globalThis.crypto.subtle
const addon: Platform = withAddon(loadNative())
/** RSA of the addon, of Node beside WebAssembly, of WebCrypto beside it. */
const PLATFORMS = {
  addon,
  node: wasmCalls({ rsa: hostRsa() }),
  web: wasmCalls({ rsa: webRsaOf(subtle) }),
}
const EACH = Object.entries(PLATFORMS)
const without = wasmCalls()

const der = (bits: number): Uint8Array => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: bits })
  return new Uint8Array(privateKey.export({ type: 'pkcs8', format: 'der' }))
}
const [KEY, OTHER] = [der(2048), der(2048)]
const JWK = createPrivateKey({ key: Buffer.from(KEY), format: 'der', type: 'pkcs8' }).export({ format: 'jwk' })

/** A promise's value; a failure as its code and message. */
async function settled<T>(later: Later<T>): Promise<T | string> {
  const result = await later
  if (typeof result !== 'object' || result === null || !('code' in result)) return result as T
  return `${result.code}: ${result.message}`
}

async function given<T>(later: Later<T>): Promise<T> {
  const result = await settled(later)
  if (typeof result === 'string') throw new Error(result)
  return result
}

function said(work: () => unknown): string {
  try {
    return `it gave ${work()}`
  } catch (error) {
    const { code, message } = error as { code: string; message: string }
    return `${code}: ${message}`
  }
}

/** Works with data that was loaded, as a job. */
async function withLoaded<T>(
  { sync }: Platform,
  data: Uint8Array,
  work: (loading: Handle, job: Handle) => Later<T>,
): Promise<T | string> {
  const [loading, job] = [sync.loading(), sync.job()]
  try {
    sync.loadingUpdate(loading, data, data.length)
    return await settled(work(loading, job))
  } finally {
    sync.release(loading)
    sync.release(job)
  }
}

const SCHEMES = ['pss', 'pkcs1'].flatMap((scheme) =>
  ['sha256', 'sha384', 'sha512'].map((hash) => [scheme, hash] as const),
)

test('signatures of RSA are verified by each host, and no other ones', async () => {
  const signers = await Promise.all(
    EACH.map(async ([name, { sync, bulk }]) => {
      const key = await given(bulk.signPrivateParseLater(KEY, NO))
      expect([name, sync.signPrivateKind(key), sync.signMaxLen(key)]).toEqual([name, 'rsa-sign', 256])
      expect(new Uint8Array(sync.signPrivateExport(key, 'der', NO) as Uint8Array)).toEqual(KEY)
      return { name, sync, bulk, key, public_: sync.signPublicKey(key) }
    }),
  )
  for (const [scheme, hash] of SCHEMES) {
    for (const { name, sync, bulk, key } of signers) {
      const choices = sync.signChoices(hash, NO, scheme)
      const signature = (await withLoaded({ sync, bulk } as Platform, MESSAGE, (loading, job) =>
        bulk.signLoaded(key, loading, choices, NO, NO, job),
      )) as Uint8Array
      expect([name, scheme, hash, signature.length]).toEqual([name, scheme, hash, 256])
      for (const { name: other, sync, bulk, public_ } of signers) {
        const choices = sync.signChoices(hash, NO, scheme)
        const verified = (data: Uint8Array, signature: Uint8Array, by = choices): Promise<unknown> =>
          withLoaded({ sync, bulk } as Platform, data, (loading, job) =>
            bulk.signVerifyLoaded(public_, loading, signature, by, NO, NO, job),
          )
        expect([name, other, await verified(MESSAGE, signature)]).toEqual([name, other, undefined])
        const refused = said(() => addon.sync.signVerify(signers[0]?.public_ as Handle, NONE, NONE, 0, NO, NO))
        expect(refused).toMatch(/^invalid_signature: /)
        const damaged = Uint8Array.from(signature, (byte, i) => (i === 100 ? byte ^ 1 : byte))
        expect(await verified(MESSAGE, damaged)).toBe(refused)
        expect(await verified(utf8('attack at noon'), signature)).toBe(refused)
        expect(await verified(MESSAGE, signature.subarray(1))).toBe(refused)
        expect(await verified(MESSAGE, NONE)).toBe(refused)
        const another = sync.signChoices(hash, NO, scheme === 'pss' ? 'pkcs1' : 'pss')
        expect(await verified(MESSAGE, signature, another)).toBe(refused)
      }
    }
  }
})

test('what RSA encrypted is decrypted by each host, with the same words for what is not', async () => {
  const pairs = await Promise.all(
    EACH.map(async ([name, { sync, bulk }]) => {
      const [key, other] = [
        await given(bulk.rsaPrivateParseLater(KEY, NO)),
        await given(bulk.rsaPrivateParseLater(OTHER, NO)),
      ]
      return { name, sync, bulk, key, other, public_: sync.rsaPublicKey(key) }
    }),
  )
  for (const hash of [NO, 'sha1', 'sha256', 'sha384', 'sha512'] as const) {
    for (const label of [NONE, utf8('label')]) {
      for (const { name, bulk, public_ } of pairs) {
        for (const text of [NONE, MESSAGE]) {
          const ciphertext = await given(bulk.rsaEncryptLater(public_, text, hash, label))
          for (const { name: theirs, bulk, key, other } of pairs) {
            const opened = await given(bulk.rsaDecryptLater(key, ciphertext, hash, label))
            expect([name, theirs, new Uint8Array(opened)]).toEqual([name, theirs, text])
            const refused = 'not_authentic: not authentic: wrong key, wrong context, or the data was changed'
            const tries = [
              bulk.rsaDecryptLater(other, ciphertext, hash, label),
              bulk.rsaDecryptLater(key, ciphertext, hash, utf8('another')),
              bulk.rsaDecryptLater(key, ciphertext, hash === 'sha512' ? 'sha1' : 'sha512', label),
              bulk.rsaDecryptLater(key, new Uint8Array(256).fill(0xff), hash, label),
              bulk.rsaDecryptLater(key, new Uint8Array(256), hash, label),
            ]
            const found = await Promise.all(tries.map(settled))
            expect(new Set(found).size).toBe(1)
            expect((found[0] as string).split(':')[0]).toBe(refused.split(':')[0])
          }
        }
      }
    }
  }
})

test('the hosts say of RSA what the addon says', async () => {
  const faults: Record<string, (platform: Platform, key: Handle, sign: Handle) => unknown> = {
    'bits of a key that signs': ({ sync, bulk }) => settled(bulk.signGenerateRsaLater(1024, sync.job())),
    'bits of a key that encrypts': ({ sync, bulk }) => settled(bulk.rsaGenerateLater(8192, sync.job())),
    'too long': ({ sync, bulk }, key) =>
      settled(bulk.rsaEncryptLater(sync.rsaPublicKey(key), new Uint8Array(191), NO, NONE)),
    'another hash': ({ bulk }, key) => settled(bulk.rsaDecryptLater(key, new Uint8Array(256), 'sha3-256', NONE)),
    'short ciphertext': ({ bulk }, key) => settled(bulk.rsaDecryptLater(key, new Uint8Array(255), NO, NONE)),
    context: (platform, _key, sign) =>
      withLoaded(platform, MESSAGE, (loading, job) => platform.bulk.signLoaded(sign, loading, 0, MESSAGE, NO, job)),
    'id of a signature': (platform, _key, sign) => {
      const public_ = platform.sync.signPublicKey(sign)
      const verify = (loading: Handle, job: Handle): Later<undefined> =>
        platform.bulk.signVerifyLoaded(public_, loading, new Uint8Array(256), 0, NO, MESSAGE, job)
      return withLoaded(platform, MESSAGE, verify)
    },
    form: ({ sync }, key) => said(() => sync.rsaPrivateExport(key, 'age', NO)),
    'another family': ({ bulk }) => settled(bulk.rsaPrivateParseLater(utf8('{"kty":"OKP","crv":"X25519"}'), NO)),
    'no key': ({ bulk }) => settled(bulk.signPrivateParseLater(KEY.subarray(0, 600), NO)),
    passphrase: ({ sync, bulk }, _key, sign) => {
      const locked = sync.signPrivateExport(sign, 'pem', utf8('secret')) as string
      return settled(bulk.signPrivateParseLater(utf8(locked), NO))
    },
  }
  for (const [fault, work] of Object.entries(faults)) {
    const found = await Promise.all(
      EACH.map(async ([, platform]) => {
        const { bulk } = platform
        const [key, sign] = [bulk.rsaPrivateParseLater(KEY, NO), bulk.signPrivateParseLater(KEY, NO)]
        return work(platform, await given(key), await given(sign))
      }),
    )
    expect([fault, ...found]).toEqual([fault, found[0], found[0], found[0]])
    expect([fault, found[0]]).toEqual([fault, expect.stringMatching(/^[a-z_]+: /)])
  }
})

test('numbers that do not fit each other are no key', async () => {
  for (const change of [{ e: 'Aw' }, { d: OTHER_D }, { p: JWK.q }, { dq: JWK.dp }, { qi: JWK.q }]) {
    const text = utf8(JSON.stringify({ ...JWK, ...change }))
    for (const [name, { bulk }] of EACH) {
      for (const parsed of [bulk.signPrivateParseLater(text, NO), bulk.rsaPrivateParseLater(text, NO)]) {
        const found = (await settled(parsed)) as unknown as string
        expect([name, change, String(found).split(':')[0]]).toEqual([name, change, 'invalid_key'])
      }
    }
  }
  // Nothing is left of them.
  const own = computing({ rsa: hostRsa() })
  expect(said(() => own.rsaPrivateParse(utf8(JSON.stringify({ ...JWK, d: OTHER_D })), NO))).toMatch(/^invalid_key: /)
  expect(own.heldCount()).toBe(0)
})

const OTHER_D = createPrivateKey({ key: Buffer.from(OTHER), format: 'der', type: 'pkcs8' }).export({ format: 'jwk' })
  .d as string

test('PKCS#1 v1.5 decrypts to the same message as the addon does, whatever the padding is, and not in browsers', async () => {
  const [native, node] = [addon, PLATFORMS.node].map(({ sync }) => {
    const key = sync.rsaPrivateParse(KEY, NO)
    return { sync, key, public_: sync.rsaPublicKey(key) }
  }) as [{ sync: SyncCalls; key: Handle; public_: Handle }, { sync: SyncCalls; key: Handle; public_: Handle }]
  for (const { sync, public_ } of [native, node]) {
    for (const text of [NONE, MESSAGE, new Uint8Array(245).fill(7)]) {
      const ciphertext = sync.rsaEncryptPkcs1(public_, text)
      for (const { sync, key } of [native, node]) {
        expect(new Uint8Array(sync.rsaDecryptPkcs1(key, ciphertext))).toEqual(text)
      }
    }
    expect(said(() => sync.rsaEncryptPkcs1(public_, new Uint8Array(246)))).toMatch(/^too_long: /)
  }
  for (let i = 1; i < 50; i++) {
    const nobodys = new Uint8Array(256).fill(i)
    expect(Buffer.from(node.sync.rsaDecryptPkcs1(node.key, nobodys))).toEqual(
      Buffer.from(native.sync.rsaDecryptPkcs1(native.key, nobodys)),
    )
  }
  // RSA leaves 0, 1 and the modulus less 1 as they are, but for a sign.
  const [zero, one, last] = [new Uint8Array(256), new Uint8Array(256), Buffer.from(JWK.n as string, 'base64url')]
  one[255] = 1
  last[255] = (last[255] as number) - 1
  for (const ciphertext of [zero, one, last, new Uint8Array(255), new Uint8Array(256).fill(0xff)]) {
    const words = said(() => native.sync.rsaDecryptPkcs1(native.key, ciphertext))
    expect(said(() => node.sync.rsaDecryptPkcs1(node.key, ciphertext))).toBe(words)
  }
  const { sync, bulk } = PLATFORMS.web
  const key = sync.rsaPrivateParse(KEY, NO)
  const tries = [
    bulk.rsaDecryptPkcs1Later(key, new Uint8Array(256).fill(1)),
    bulk.rsaEncryptPkcs1Later(sync.rsaPublicKey(key), MESSAGE),
  ]
  for (const found of await Promise.all(tries.map(settled))) expect(found).toMatch(/^unavailable_backend: /)
})

test('what answers at once has no RSA where the host promises it, and nothing has where there is no host', async () => {
  for (const { sync } of [PLATFORMS.web, without]) {
    const [key, sign] = [sync.rsaPrivateParse(KEY, NO), sync.signPrivateParse(KEY, NO)]
    const [public_, verify] = [sync.rsaPublicKey(key), sync.signPublicKey(sign)]
    const [signature, data] = [new Uint8Array(256), new Uint8Array(10_000_000)]
    for (const work of [
      () => sync.signInto(sign, data, signature, 0, NO, NO),
      () => sync.signVerify(verify, 'text', signature, 0, NO, NO),
      () => sync.rsaEncrypt(public_, MESSAGE, NO, NONE),
      () => sync.rsaDecrypt(key, new Uint8Array(256).fill(1), NO, NONE),
      () => sync.rsaEncryptPkcs1(public_, MESSAGE),
    ])
      expect(said(work)).toMatch(/^unavailable_backend: /)
    expect(sync.signIsSlow(sign)).toBe(true)
    expect(sync.verifyIsSlow(verify)).toBe(sync === PLATFORMS.web.sync)
    expect(sync.signFingerprint(verify)).toMatch(/^SHA256:/)
  }
  expect(await settled(without.bulk.signGenerateRsaLater(2048, without.sync.job()))).toMatch(/^unavailable_backend: /)
  const signing = withLoaded(without, MESSAGE, (loading, job) =>
    without.bulk.signLoaded(without.sync.signPrivateParse(KEY, NO), loading, 0, NO, NO, job),
  )
  expect(await signing).toMatch(/^unavailable_backend: /)
})

test('fresh keys of RSA are keys for every host, and a job that is cancelled leaves none', async () => {
  for (const [name, { sync, bulk }] of EACH) {
    const job = sync.job()
    const key = await given(bulk.signGenerateRsaLater(2048, job))
    const own = new Uint8Array(sync.signPrivateExport(key, 'der', NO) as Uint8Array)
    for (const [, { sync, bulk }] of EACH) {
      const read = await given(bulk.rsaPrivateParseLater(own, NO))
      expect([name, sync.rsaPrivateBits(read), sync.rsaPublicBits(sync.rsaPublicKey(read))]).toEqual([name, 2048, 2048])
    }
    const { e } = createPrivateKey({ key: Buffer.from(own), format: 'der', type: 'pkcs8' }).export({ format: 'jwk' })
    expect([name, e]).toEqual([name, 'AQAB'])

    const other = sync.job()
    const generated = bulk.rsaGenerateLater(4096, other)
    sync.jobCancel(other)
    expect([name, await settled(generated)]).toEqual([name, expect.stringMatching(/^cancelled/)])
    sync.release(other)
  }
})

test('a key that is released is forgotten, and another number of it stays', async () => {
  for (const { sync, bulk } of [PLATFORMS.node, PLATFORMS.web]) {
    const key = sync.signPrivateParse(KEY, NO)
    const again = sync.again(key)
    sync.release(key)
    const signature = await withLoaded({ sync, bulk } as Platform, MESSAGE, (loading, job) =>
      bulk.signLoaded(again, loading, 0, NO, NO, job),
    )
    expect(signature).toHaveLength(256)
    sync.release(again)
    const [first, second] = [await given(bulk.signPrivateParseLater(KEY, NO)), sync.signPrivateParse(OTHER, NO)]
    const same = sync.again(first)
    const public_ = sync.signPublicKey(first)
    sync.release(first)
    // It may have the number of the first.
    const third = sync.again(second)
    const choices = sync.signChoices('sha384', NO, 'pkcs1')
    const made = (await withLoaded({ sync, bulk } as Platform, MESSAGE, (loading, job) =>
      bulk.signLoaded(same, loading, choices, NO, NO, job),
    )) as Uint8Array
    const verifying = withLoaded({ sync, bulk } as Platform, MESSAGE, (loading, job) =>
      bulk.signVerifyLoaded(public_, loading, made, choices, NO, NO, job),
    )
    expect(await verifying).toBe(undefined)
    for (const object of [same, public_, second, third]) sync.release(object)
    // The number is another object's now.
    const other = sync.signGenerate('ed25519')
    const signed = new Uint8Array(sync.signMaxLen(other))
    expect(sync.signInto(other, MESSAGE, signed, 0, NO, NO)).toBe(64)
    sync.release(other)
  }
})

test('a WebCrypto that fails, or gives what it should not, is an error', async () => {
  const broken = (name: string, gives: () => unknown): HostRsa | undefined => {
    const own = Object.fromEntries(
      ['importKey', 'exportKey', 'generateKey', 'sign', 'verify', 'encrypt', 'decrypt'].map((own) => [
        own,
        own === name ? gives : (subtle as never)[own],
      ]),
    )
    for (const [name, method] of Object.entries(own)) own[name] = (method as () => unknown).bind(subtle)
    return webRsaOf(own as never)
  }
  const fails = async (): Promise<never> => {
    throw new DOMException('no', 'NotSupportedError')
  }
  const done = async ({ sync, bulk }: Platform): Promise<unknown[]> => {
    const key = sync.signPrivateParse(KEY, NO)
    const public_ = sync.signPublicKey(key)
    const opens = sync.rsaPrivateParse(KEY, NO)
    return [
      await withLoaded({ sync, bulk } as Platform, MESSAGE, (loading, job) =>
        bulk.signLoaded(key, loading, 0, NO, NO, job),
      ),
      await withLoaded({ sync, bulk } as Platform, MESSAGE, (loading, job) =>
        bulk.signVerifyLoaded(public_, loading, new Uint8Array(256), 0, NO, NO, job),
      ),
      await settled(bulk.rsaEncryptLater(sync.rsaPublicKey(opens), MESSAGE, NO, NONE)),
      await settled(bulk.rsaDecryptLater(opens, new Uint8Array(256).fill(1), NO, NONE)),
      await settled(bulk.signGenerateRsaLater(2048, sync.job())),
    ]
  }
  for (const [name, places] of [
    ['sign', [0]],
    ['verify', [1]],
    ['encrypt', [2]],
    ['decrypt', [3]],
    ['generateKey', [4]],
    ['exportKey', [4]],
    ['importKey', [0, 1, 2, 3]],
  ] as const) {
    const found = await done(wasmCalls({ rsa: broken(name, fails) }))
    for (const [at, result] of found.entries()) {
      const isOurs = places.some((place) => place === at)
      const said = typeof result === 'string' ? result.split(':')[0] : 'a result'
      expect([name, at, said === 'unavailable_backend']).toEqual([name, at, isOurs])
    }
  }
  // Only `true` verifies a signature.
  const [, verified] = await done(wasmCalls({ rsa: broken('verify', async () => 'yes') }))
  expect(verified).toMatch(/^invalid_signature: /)
  expect(webRsaOf(NO)).toBe(undefined)
  expect(webRsaOf({ sign: subtle.sign } as never)).toBe(undefined)
})

const table = JSON.parse(readFileSync(new URL('../../table.json', import.meta.url), 'utf8'))
const names = (rows: { name: string }[]): string[] => rows.map(({ name }) => name)

test('what the addon signs or encapsulates WebAssembly takes, and the other way round', () => {
  const [native, wasm] = [addon.sync, PLATFORMS.node.sync]
  const both = [
    [native, wasm],
    [wasm, native],
  ] as const
  for (const kind of names(table.signKinds).filter((kind) => kind !== 'rsa-sign')) {
    for (const [own, other] of both) {
      const key = own.signGenerate(kind)
      const signature = new Uint8Array(own.signMaxLen(key))
      const length = own.signInto(key, MESSAGE, signature, 0, NO, NO)
      const raw = new Uint8Array(own.signPublicExport(own.signPublicKey(key), 'raw', NO) as Uint8Array)
      const public_ = other.signPublicOf(kind, raw)
      other.signVerify(public_, MESSAGE, signature.subarray(0, length), 0, NO, NO)
      signature[length - 1] = (signature[length - 1] as number) ^ 1
      const verify = (sync: SyncCalls, key: Handle): string =>
        said(() => sync.signVerify(key, MESSAGE, signature.subarray(0, length), 0, NO, NO))
      expect([kind, verify(other, public_)]).toEqual([kind, verify(own, own.signPublicKey(key))])
      expect(verify(other, public_)).toMatch(/^invalid_signature: /)
      expect(other.signFingerprint(public_)).toBe(own.signFingerprint(own.signPublicKey(key)))
      expect(other.signMaxLen(other.signPrivateParse(derOf(own, key), NO))).toBe(own.signMaxLen(key))
    }
  }
  for (const { name: kind, ciphertextLen } of table.exchangeKinds) {
    for (const [own, other] of both) {
      const key = own.exchangeGenerate(kind)
      const raw = new Uint8Array(own.exchangePrivateExport(key, 'raw', NO) as Uint8Array)
      const same = other.exchangePrivateOf(kind, raw)
      const [public_, theirs] = [own.exchangePublicKey(key), other.exchangePublicKey(same)]
      expect(new Uint8Array(other.exchangePublicExport(theirs, 'raw') as Uint8Array)).toEqual(
        new Uint8Array(own.exchangePublicExport(public_, 'raw') as Uint8Array),
      )
      const ciphertext = new Uint8Array(ciphertextLen ?? 0)
      if (ciphertextLen !== null) {
        const both = own.exchangeEncapsulate(public_)
        const [secret, opened] = [both.slice(0, own.exchangeSecretLen()), new Uint8Array(32)]
        ciphertext.set(both.subarray(secret.length))
        other.exchangeDecapsulate(same, ciphertext, opened)
        expect([kind, opened]).toEqual([kind, secret])
      } else {
        const agreed = [own, other].map((sync, i) => {
          const pair = [i === 0 ? key : same, i === 0 ? public_ : theirs] as const
          return Buffer.from(sync.exchangeAgree(...pair, 'hkdf', 'sha512', NONE, MESSAGE, 70)).toString('hex')
        })
        expect([kind, agreed[0]]).toEqual([kind, agreed[1]])
      }
      for (const sync of [own, other]) {
        const agrees = sync.exchangePublicKey(sync.exchangeGenerate('x25519'))
        expect(said(() => sync.exchangeEncapsulate(agrees))).toMatch(/^invalid_key: /)
      }
    }
  }
})

function derOf(sync: SyncCalls, key: Handle): Uint8Array {
  return new Uint8Array(sync.signPrivateExport(key, 'der', NO) as Uint8Array)
}

/** The exports of every instance that was made. */
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

/** Calls an instance, and notes how many bytes of the stack each call has used: those above the lowest that is not zero. */
function measured(source: Source, table: signatures.Signatures, depths: Record<string, number>) {
  const instance = new Instance(source())
  const { memory, __stack_pointer } = made.at(-1) as { memory: WebAssembly.Memory; __stack_pointer: WebAssembly.Global }
  const stack = (): Uint8Array => new Uint8Array(memory.buffer, 0, __stack_pointer.value)
  return (kind: string, name: string, ...args: unknown[]): unknown => {
    stack().fill(0)
    // A call that zeroes nothing.
    const result = instance.call(callOf(name, table[name] as string, 0), args)
    depths[`${name} ${kind}`] = __stack_pointer.value - stack().findIndex((byte) => byte !== 0)
    return result
  }
}

test('the stack is enough for the largest keys, with a quarter to spare', () => {
  const depths: Record<string, number> = {}
  const sign = measured(SIGN, signatures.SIGN, depths)
  for (const kind of names(table.signKinds).filter((kind) => kind !== 'rsa-sign')) {
    const key = sign(kind, 'signGenerate', kind)
    // Once: it takes long.
    const passphrase = kind === 'ml-dsa-87' ? utf8('secret') : NO
    const pem = utf8(sign(kind, 'signPrivateExport', key, 'pem', passphrase) as string)
    sign(kind, 'signPrivateParse', pem, passphrase)
    const public_ = sign(kind, 'signPublicKey', key)
    const der = sign(kind, 'signPublicExport', public_, 'der', NO)
    sign(kind, 'signPublicParse', der)
    const signature = new Uint8Array(6000)
    const length = sign(kind, 'signInto', key, MESSAGE, signature, 0, NO, NO) as number
    sign(kind, 'signVerify', public_, MESSAGE, signature.subarray(0, length), 0, NO, NO)
  }
  const exchange = measured(EXCHANGE, { ...signatures.EXCHANGE, ...signatures.RSA }, depths)
  for (const { name: kind, ciphertextLen } of table.exchangeKinds) {
    const key = exchange(kind, 'exchangeGenerate', kind)
    const raw = exchange(kind, 'exchangePrivateExport', key, 'raw', NO)
    exchange(kind, 'exchangePrivateOf', kind, raw)
    const public_ = exchange(kind, 'exchangePublicKey', key)
    if (ciphertextLen === null) {
      exchange(kind, 'exchangeAgree', key, public_, 'hkdf', 'sha512', NONE, NONE, 64)
      continue
    }
    const both = exchange(kind, 'exchangeEncapsulate', public_) as Uint8Array
    exchange(kind, 'exchangeDecapsulate', key, both.subarray(32), new Uint8Array(32))
  }
  exchange('rsa', 'rsaPrivateParse', KEY, NO)
  const age = measured(AGE, signatures.AGE, depths)
  for (const kind of ['x25519', 'hybrid']) {
    const text = age(kind, 'ageIdentityGenerate', kind) as string
    const identity = age(kind, 'ageIdentity', utf8(text), NO)
    const recipient = age(kind, 'ageRecipient', age(kind, 'ageIdentityRecipient', identity))
    const sealer = age(kind, 'ageSealer', age(kind, 'ageEncryptor', [recipient], NO))
    const head = age(kind, 'ageSealerHead', sealer)
    age(kind, 'ageSealerFill', sealer, MESSAGE)
    age(kind, 'ageSealerFinishNow', sealer)
    age(kind, 'ageOpener', age(kind, 'ageDecryptor', [identity], NO), head)
  }
  const deepest = Object.entries(depths).sort(([, a], [, b]) => b - a)
  expect(deepest.length).toBeGreaterThan(120)
  expect(deepest[0]?.[1]).toBeLessThan((3 * 262_144) / 4)
})
