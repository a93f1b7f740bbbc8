import { expect, test } from 'vitest'
import { aead, aeadKeyLength, aeadNonceLength } from '../src/api/aead.js'
import { ccm } from '../src/api/hazmat.js'
import {
  chunkedKey,
  decryptBatch,
  decryptSync,
  encryptBatch,
  encryptSync,
  generateIdentity,
  identityFromPassphrase,
  openMessage,
  openMessageSync,
  recipientOf,
  SealstoneError,
  sealMessage,
  sealMessageSync,
} from '../src/api/index.js'
import { turn } from '../src/basics/turn.js'
import { bytesOf, compare, textOf } from './data.js'

const code = (code: string) => expect.objectContaining({ name: 'SealstoneError', code })

test('a message opens with its identity and its associated data, as bytes and as text', async () => {
  for (const [kind, overhead] of [
    ['x25519', 50],
    ['p256', 83],
    ['ml-kem-768', 1106],
    ['hybrid', 1138],
  ] as const) {
    const identity = generateIdentity(kind)
    const recipient = recipientOf(identity)
    const message = sealMessageSync(recipient, 'attack at dawn', { aad: 'order 17' })
    expect(message).toHaveLength(14 + overhead)
    expect(textOf(openMessageSync(identity, message, { aad: 'order 17' }))).toBe('attack at dawn')
    const armoured = sealMessageSync(recipient, 'attack at dawn', { armour: true })
    expect(armoured).toMatch(/^-----BEGIN SEALSTONE MESSAGE-----\n/)
    for (const before of ['', 'Hi!\r\n', '\n'.repeat(60_000)]) {
      expect(textOf(openMessageSync(identity, `${before}${armoured}Alice`))).toBe('attack at dawn')
    }
    expect(() => openMessageSync(identity, message)).toThrow(code('not_authentic'))
    expect(() => openMessageSync(generateIdentity(kind), message, { aad: 'order 17' })).toThrow(code('not_authentic'))
    expect(() => openMessageSync(identity, message.subarray(0, 20))).toThrow(code('truncated'))
  }
  const passphrase = recipientOf(identityFromPassphrase('correct horse'))
  expect(() => sealMessageSync(passphrase, '')).toThrow(code('invalid_recipients'))
  expect(() => sealMessageSync('age1' as never, '')).toThrow(TypeError)
  expect(() => openMessageSync(generateIdentity('x25519'), 'hello')).toThrow(code('not_sealstone'))
  await expect(sealMessage(passphrase, '')).rejects.toThrow(code('invalid_recipients'))
  await expect(sealMessage('age1' as never, '')).rejects.toThrow(TypeError)
  await expect(openMessage(generateIdentity('x25519'), 'hello')).rejects.toThrow(code('not_sealstone'))
})

test('a message is the same at once, on this thread and on another', async () => {
  const identity = generateIdentity()
  const recipient = recipientOf(identity)
  for (const len of [0, 262_144, 262_145, 3_000_000, 1 << 24]) {
    const data = new Uint8Array(len).fill(7)
    const seen: number[] = []
    const options = {
      aad: bytesOf('order 17'),
      onProgress: ({ bytes }: { bytes: number }) => void seen.push(bytes),
    }
    const sealed = sealMessage(recipient, data, options)
    options.aad.fill(0)
    const message = await sealed
    expect(seen.at(-1)).toBe(len)
    expect(message).toHaveLength(len + 1138)
    expect(compare(openMessageSync(identity, message, { aad: 'order 17' }), data)).toBe(0)
    expect(compare(await openMessage(identity, message, { aad: 'order 17' }), data)).toBe(0)
    await expect(openMessage(identity, message)).rejects.toThrow(code('not_authentic'))
    const armoured = await sealMessage(recipient, data, { armour: true })
    expect(armoured).toMatch(/^-----BEGIN SEALSTONE MESSAGE-----\n/)
    expect(compare(await openMessage(identity, armoured), data)).toBe(0)
  }
  const data = new Uint8Array((1 << 24) + 1)
  await expect(sealMessage(recipient, data)).rejects.toThrow(code('too_long'))
  await expect(sealMessage(recipient, 'x', { signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow(
    'enough',
  )
  const controller = new AbortController()
  const ended = sealMessage(recipient, data.subarray(1), { signal: controller.signal })
  controller.abort(new Error('enough'))
  await expect(ended).rejects.toThrow('enough')
  // Begun work goes on without its key.
  const message = openMessage(identity, sealMessageSync(recipient, data.subarray(1)))
  identity.destroy()
  expect(await message).toHaveLength(1 << 24)
  await expect(openMessage(identity, 'x')).rejects.toThrow(/destroyed/)
})

test('GCM takes nonces of 8, 12 and 16 bytes, and its errors say so', async () => {
  for (const algorithm of ['aes-128-gcm', 'aes-256-gcm', 'sm4-gcm'] as const) {
    const key = aead(algorithm, new Uint8Array(aeadKeyLength(algorithm)))
    for (let length = 0; length <= 17; length++) {
      const nonce = new Uint8Array(length).fill(7)
      if (![8, 12, 16].includes(length)) {
        expect(() => key.seal(nonce, 'aad', 'x')).toThrow(`the nonce must be 8, 12 or 16 bytes, got ${length}`)
        continue
      }
      for (const data of [200, 300_000].map((len) => new Uint8Array(len).fill(9))) {
        const sealed = await key.sealAsync(nonce, 'aad', data)
        expect(compare(key.seal(nonce, 'aad', data), sealed)).toBe(0)
        expect(compare(await key.openAsync(nonce, 'aad', sealed), data)).toBe(0)
        sealed[7] = (sealed[7] as number) ^ 1
        await expect(key.openAsync(nonce, 'aad', sealed)).rejects.toThrow(code('not_authentic'))
      }
    }
  }
})

test('what is shorter than its tag is not authentic, whatever its nonce is, in every way of opening it', async () => {
  const lengths = [0, 1, 15]
  for (const algorithm of ['aes-256-gcm', 'aes-128-gcm-siv', 'xchacha20-poly1305', 'sm4-ccm'] as const) {
    const key = aead(algorithm, new Uint8Array(aeadKeyLength(algorithm)))
    for (const nonce of [0, 8, 11, 12, 13, 16, 24].map((len) => new Uint8Array(len))) {
      for (const short of lengths.map((len) => new Uint8Array(len))) {
        expect(() => key.open(nonce, undefined, short)).toThrow(code('not_authentic'))
        const out = new Uint8Array(20)
        for (const input of [short, out.subarray(0, short.length)]) {
          out.fill(7)
          expect(() => key.openInto(nonce, undefined, input, out)).toThrow(code('not_authentic'))
          expect(out.subarray(0, short.length)).toEqual(new Uint8Array(short.length))
        }
        expect(() => key.openText(nonce, '', '00'.repeat(short.length), 'hex')).toThrow(code('not_authentic'))
        await expect(key.openAsync(nonce, undefined, short)).rejects.toThrow(code('not_authentic'))
      }
    }
    for (const short of [...lengths, aeadNonceLength(algorithm) + 15].map((len) => new Uint8Array(len))) {
      expect(() => key.openRandom(undefined, short)).toThrow(code('not_authentic'))
      expect(() => key.openRandomText('', '00'.repeat(short.length), 'hex')).toThrow(code('not_authentic'))
      expect(key.openBatch([short])).toEqual([code('not_authentic')])
      await expect(key.openRandomAsync(undefined, short)).rejects.toThrow(code('not_authentic'))
    }
  }
  const key = ccm('aes-128-ccm', new Uint8Array(16))
  for (const nonce of [0, 6, 7, 13, 14].map((len) => new Uint8Array(len))) {
    for (const len of lengths) expect(() => key.open(nonce, '', new Uint8Array(len))).toThrow(code('not_authentic'))
  }
})

test('chunked encryption of a stream has the context of when it began', async () => {
  const key = chunkedKey('aes-256-gcm', new Uint8Array(32))
  for (const context of [bytesOf('record 17'), new TextEncoder().encode('...record 17').subarray(3)]) {
    const sealing = key.encrypt(context, new Blob(['attack at dawn']))
    context.fill(0)
    const sealed = new Uint8Array(await new Response(sealing).arrayBuffer())
    expect(textOf(key.decrypt('record 17', sealed))).toBe('attack at dawn')
  }
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
      expect(compare(key.decrypt('record 17', sealed), data)).toBe(0)
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
  expect(files.map((file) => textOf(decryptSync(file, { identities: identity })))).toEqual(items)
  const own = items.map((item) => encryptSync(item, { recipients }))
  own[7] = new Uint8Array(100)
  own[299] = (own[299] as Uint8Array<ArrayBuffer>).subarray(0, -1)
  const plaintexts = await decryptBatch(own, { identities: identity })
  expect(plaintexts[7]).toBeInstanceOf(SealstoneError)
  expect(plaintexts[7]).toMatchObject({ code: 'not_sealstone' })
  expect(plaintexts[299]).toMatchObject({ code: 'not_authentic' })
  const opened = plaintexts.map((one) => (one instanceof Error ? '' : textOf(one)))
  expect(opened).toEqual(items.map((item, i) => (i === 7 || i === 299 ? '' : item)))
  expect(await encryptBatch([], { recipients })).toEqual([])
  await expect(encryptBatch('ab' as never, { recipients })).rejects.toThrow(TypeError)
  const long = new Uint8Array((1 << 30) + 1)
  await expect(encryptBatch([long], { recipients })).rejects.toThrow(RangeError)
  await expect(encryptBatch([1] as never, { recipients })).rejects.toThrow(TypeError)
  // A fault in the options is no error of each item.
  await expect(encryptBatch(['a'], {})).rejects.toMatchObject({ code: 'invalid_recipients' })
  const mixed = [recipients, recipientOf(generateIdentity())]
  await expect(encryptBatch(['a'], { recipients: mixed })).rejects.toMatchObject({ code: 'mixed_recipients' })

  const seen: number[] = []
  await encryptBatch(items, { recipients, onProgress: ({ bytes }) => void seen.push(bytes) })
  expect(seen.at(-1)).toBe(items.join('').length)
  const controller = new AbortController()
  const ended = encryptBatch(
    Array.from({ length: 20_000 }, () => 'x'),
    { recipients, signal: controller.signal },
  )
  void turn().then(() => controller.abort(new Error('enough')))
  await expect(ended).rejects.toThrow('enough')
  await expect(decryptBatch([], { identities: identity, signal: controller.signal })).rejects.toThrow('enough')
})
