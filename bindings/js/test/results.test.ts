// Whose memory a result lies in.

import { expect, test } from 'vitest'
import { hash } from '../src/api/hash.js'
import * as sealstone from '../src/api/index.js'
import * as yuants from '../src/extras/yuants.js'
import { bytesOf, compare, includes } from './data.js'
import { CALLS, expectOwnMemory, expectTransferable, gcm, identity, nonce, pair } from './results.js'

test('every result begins its own memory, and ends it, and nothing else lies in it', async () => {
  await expectOwnMemory(CALLS)
}, 600_000)

test('every result goes to another thread with its buffer, and nothing of it stays', async () => {
  await expectTransferable(CALLS)
}, 600_000)

test('a result that is transferred takes no other along, and one that is cloned shows no other', () => {
  const plaintext = 'nobody else is to see this'
  const sealed = gcm.seal(nonce, undefined, plaintext)
  const opened = gcm.open(nonce, undefined, sealed)
  const digest = hash('sha256', 'public')
  const exported = sealstone.exportIdentity(identity, 'der')
  for (const result of [digest, sealed]) expect(includes(new Uint8Array(result.buffer), bytesOf(plaintext))).toBe(false)
  expect(structuredClone(digest).buffer.byteLength).toBe(32)
  structuredClone(digest, { transfer: [digest.buffer] })
  expect([digest, sealed, opened, exported].map(({ length }) => length)).toEqual([0, 42, 26, exported.length])
  expect(new TextDecoder().decode(gcm.open(nonce, undefined, sealed))).toBe(plaintext)
})

test('a reader of old formats that takes the memory from its beginning reads what is written for it', async () => {
  const sealed = await yuants.encryptByPublicKeyAsync('attack at dawn', pair.public_key)
  // The length of the box with the key, which the original's reader looks for at the beginning of `data.buffer`.
  expect(new DataView(sealed.buffer).getUint32(0)).toBe(104)
  expect(compare(new Uint8Array(sealed.buffer), sealed)).toBe(0)
})
