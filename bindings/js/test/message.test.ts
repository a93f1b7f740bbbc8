import { expect, test } from 'vitest'
import {
  chunkedKey,
  decryptBatch,
  decryptSync,
  encryptBatch,
  encryptSync,
  generateIdentity,
  identityFromPassphrase,
  openMessage,
  recipientOf,
  SealstoneError,
  sealMessage,
} from '../src/index.js'

const code = (code: string) => expect.objectContaining({ name: 'SealstoneError', code })
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString()

test('a message opens with its identity and its associated data, as bytes and as text', () => {
  for (const [kind, overhead] of [
    ['x25519', 50],
    ['p256', 83],
    ['ml-kem-768', 1106],
    ['hybrid', 1138],
  ] as const) {
    const identity = generateIdentity(kind)
    const recipient = recipientOf(identity)
    const message = sealMessage(recipient, 'attack at dawn', { aad: 'order 17' })
    expect(message).toHaveLength(14 + overhead)
    expect(text(openMessage(identity, message, { aad: 'order 17' }))).toBe('attack at dawn')
    const armoured = sealMessage(recipient, 'attack at dawn', { armour: true })
    expect(armoured).toMatch(/^-----BEGIN SEALSTONE MESSAGE-----\n/)
    expect(text(openMessage(identity, armoured))).toBe('attack at dawn')
    expect(() => openMessage(identity, message)).toThrow(code('not_authentic'))
    expect(() => openMessage(generateIdentity(kind), message, { aad: 'order 17' })).toThrow(code('not_authentic'))
    expect(() => openMessage(identity, message.subarray(0, 20))).toThrow(code('truncated'))
  }
  const passphrase = recipientOf(identityFromPassphrase('correct horse'))
  expect(() => sealMessage(passphrase, '')).toThrow(code('invalid_recipients'))
  expect(() => sealMessage('age1' as never, '')).toThrow(TypeError)
  expect(() => openMessage(generateIdentity('x25519'), 'hello')).toThrow(code('not_sealstone'))
})

test('chunked encryption under a key binds its context', () => {
  for (const [suite, len] of [
    ['aes-256-gcm', 32],
    ['chacha20-poly1305', 32],
    ['sm4-gcm', 16],
  ] as const) {
    const key = chunkedKey(suite, new Uint8Array(len))
    for (const size of [0, 16_384, 2_000_000]) {
      const data = new Uint8Array(size).fill(7)
      const sealed = key.encrypt('record 17', data)
      expect(Buffer.compare(key.decrypt('record 17', sealed), data)).toBe(0)
      expect(() => key.decrypt('record 18', sealed)).toThrow(code('not_authentic'))
      expect(() => key.decrypt('record 17', sealed.subarray(0, 20))).toThrow(code('truncated'))
    }
    expect(() => chunkedKey(suite, new Uint8Array(len + 1))).toThrow(code('wrong_length'))
    key.destroy()
    expect(() => key.encrypt('', '')).toThrow(/destroyed/)
  }
})

test('a batch is as its items one by one, and an item that fails stops no other', async () => {
  const identity = generateIdentity('x25519')
  const recipients = recipientOf(identity)
  const items = Array.from({ length: 300 }, (_, i) => 'x'.repeat(i * 7))
  const files = (await encryptBatch(items, { recipients })) as Uint8Array[]
  expect(files.map((file) => text(decryptSync(file, { identities: identity })))).toEqual(items)
  const own = items.map((item) => encryptSync(item, { recipients }))
  own[7] = new Uint8Array(100)
  own[299] = (own[299] as Uint8Array<ArrayBuffer>).subarray(0, -1)
  const plaintexts = await decryptBatch(own, { identities: identity })
  expect(plaintexts[7]).toBeInstanceOf(SealstoneError)
  expect(plaintexts[7]).toMatchObject({ code: 'not_sealstone' })
  expect(plaintexts[299]).toMatchObject({ code: 'not_authentic' })
  const opened = plaintexts.map((one) => (one instanceof Error ? '' : text(one)))
  expect(opened).toEqual(items.map((item, i) => (i === 7 || i === 299 ? '' : item)))
  expect(await encryptBatch([], { recipients })).toEqual([])
  await expect(encryptBatch('ab' as never, { recipients })).rejects.toThrow(TypeError)
  const long = new Uint8Array((1 << 30) + 1)
  await expect(encryptBatch([long], { recipients })).rejects.toThrow(RangeError)
  await expect(encryptBatch([1] as never, { recipients })).rejects.toThrow(TypeError)
})
