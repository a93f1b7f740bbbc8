// How often a call crosses to the addon: its exports are counted here, in a process of its own.

import { expect, test, vi } from 'vitest'
import { aead } from '../src/api/aead.js'
import { generateKey as generatePair } from '../src/api/exchange.js'
import {
  decrypt,
  decryptIntoSync,
  decryptSync,
  encrypt,
  encryptedLength,
  encryptIntoSync,
  encryptSync,
  generateIdentity,
  recipientOf,
} from '../src/api/index.js'
import { generateKey } from '../src/api/sign.js'

const { crossings } = vi.hoisted(() => ({ crossings: [] as string[] }))

vi.mock('../src/node/addon.js', async (load) => {
  const { addonOf } = await load<typeof import('../src/node/addon.js')>()
  const counted = (addon: Record<string, unknown>): unknown =>
    new Proxy(addon, {
      get(target, name) {
        const value = Reflect.get(target, name)
        if (typeof value !== 'function') return value
        return (...args: unknown[]) => {
          crossings.push(String(name))
          return value(...args)
        }
      },
    })
  return { addonOf: (platform: string) => ({ addon: counted(addonOf(platform).addon as Record<string, unknown>) }) }
})

/** The exports that are called, in their order. */
async function crossed(work: () => unknown): Promise<string[]> {
  crossings.length = 0
  await work()
  return [...crossings]
}

const identity = generateIdentity('x25519')
const recipients = recipientOf(identity)
const identities = [identity, generateIdentity('p256'), generateIdentity()]

test('bytes are encrypted to a ready recipient, and decrypted, in two crossings, however long they are', async () => {
  for (const len of [0, 14, 1000, 300_000, 5_000_000]) {
    const data = new Uint8Array(len).fill(7)
    const options = { recipients: [recipients, recipientOf(generateIdentity('x25519'))], context: 'x', threads: 1 }
    expect(await crossed(() => encryptSync(data, options))).toEqual(['sealer', 'sealInto'])
    expect(await crossed(() => encryptSync(data, { ...options, armour: true }))).toEqual([
      'encryptor',
      'encryptArmoured',
    ])
    const memory = new Uint8Array(encryptedLength(len, options))
    expect(await crossed(() => encryptIntoSync(data, memory, options))).toEqual(['sealer', 'sealInto'])
    for (const armour of [false, true]) {
      const [file, ways] = [encryptSync(data, { ...options, armour }), armour ? 'decryptArmoured' : 'openInto']
      const opened = { identities, context: 'x' }
      expect(await crossed(() => decryptSync(file, opened))).toEqual(['opener', ways])
      expect(await crossed(() => decryptIntoSync(file, new Uint8Array(len), opened))).toEqual(['opener', ways])
      expect(Buffer.compare(decryptSync(file, opened), data)).toBe(0)
    }
  }
})

test('so are short ones by the functions that promise, but for one more for each identity', async () => {
  const file = encryptSync('attack at dawn', { recipients })
  expect(await crossed(() => encrypt('attack at dawn', { recipients }))).toEqual(['sealer', 'sealInto'])
  const slow = identities.map(() => 'identityIsSlow')
  expect(await crossed(() => decrypt(file, { identities }))).toEqual([...slow, 'opener', 'openInto'])
})

test('one buffer is sealed and opened in one crossing, also later where it is short', async () => {
  const [key, nonce] = [aead('aes-256-gcm', new Uint8Array(32)), new Uint8Array(12)]
  const sealed = key.seal(nonce, 'aad', 'attack at dawn')
  const memory = new Uint8Array(100)
  for (const [name, works] of [
    [
      'aeadSeal',
      [
        () => key.seal(nonce, 'aad', 'x'),
        () => key.sealRandom('aad', 'x'),
        () => key.sealInto(nonce, 'aad', 'x', memory),
        () => key.sealAsync(nonce, 'aad', 'x'),
        () => key.sealRandomAsync('aad', 'x'),
      ],
    ],
    [
      'aeadOpen',
      [
        () => key.open(nonce, 'aad', sealed),
        () => key.openInto(nonce, 'aad', sealed, memory),
        () => key.openAsync(nonce, 'aad', sealed),
      ],
    ],
  ] as const) {
    for (const work of works) expect(await crossed(work)).toEqual([name])
  }
})

test('a key signs, verifies, encapsulates and agrees in one crossing', async () => {
  for (const kind of ['ed25519', 'p256-sign', 'ml-dsa-65', 'hybrid-sign'] as const) {
    const key = generateKey(kind)
    const { publicKey } = key
    const signature = key.sign('attack at dawn')
    expect(await crossed(() => key.sign('attack at dawn')), kind).toEqual(['signInto'])
    expect(await crossed(() => publicKey.verify('attack at dawn', signature)), kind).toEqual(['signVerify'])
    expect(await crossed(() => key.signAsync('attack at dawn')), kind).toEqual(['signIsSlow', 'signInto'])
  }
  const ecdsa = generateKey('p256-sign')
  const options = { encoding: 'fixed', hash: 'sha512' } as const
  expect(await crossed(() => ecdsa.sign('x', options))).toEqual(['signChoices', 'signMaxLen', 'signInto'])
  expect(await crossed(() => ecdsa.sign('x', options))).toEqual(['signInto'])
  const [kem, curve] = [generatePair(), generatePair('x25519')]
  const { ciphertext } = kem.publicKey.encapsulate()
  expect(await crossed(() => kem.publicKey.encapsulate())).toEqual(['exchangeEncapsulate'])
  expect(await crossed(() => kem.decapsulate(ciphertext))).toEqual(['exchangeDecapsulate'])
  const { publicKey } = curve
  const agreed = { hash: 'sha256', info: '', length: 32 } as const
  expect(await crossed(() => curve.diffieHellman(publicKey, agreed))).toEqual(['exchangeAgree'])
})

test('what fails leaves no object behind', async () => {
  const file = encryptSync('attack at dawn', { recipients })
  const [broken, short] = [file.slice(), new Uint8Array(3)]
  broken.fill(0, -1)
  const fails = (work: () => unknown) => () => expect(work).toThrow()
  const opened = ['opener', 'openInto', 'release']
  expect(await crossed(fails(() => decryptSync(broken, { identities })))).toEqual(opened)
  expect(await crossed(fails(() => decryptIntoSync(file, short, { identities })))).toEqual(['opener', 'release'])
  expect(await crossed(fails(() => encryptIntoSync('x', short, { recipients })))).toEqual(['sealer', 'release'])
  expect(await crossed(fails(() => decryptSync('no file', { identities })))).toEqual(['opener'])
})
