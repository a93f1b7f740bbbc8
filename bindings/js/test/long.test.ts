// Lengths at which 32 bits end. It takes 7 GB of memory: `make test-slow` runs it.

import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { aead } from '../src/api/aead.js'
import {
  chunkedKey,
  decrypt,
  decryptRangeFile,
  decryptSync,
  encrypt,
  encryptFile,
  encryptSync,
  generateIdentity,
  recipientOf,
} from '../src/api/index.js'
import { createKeyPair, encryptByPublicKey, encryptByPublicKeyAsync } from '../src/extras/yuants.js'

const identity = generateIdentity('x25519')
const recipients = recipientOf(identity)
const SLOW = 'takes 7 GB of memory: make test-slow'

test('inputs around 2 GiB work, and one whose result no array holds is a RangeError', async ({ skip }) => {
  skip(!process.env.SEALSTONE_EXHAUSTIVE, SLOW)
  for (const len of [2 ** 31 - 1, 2 ** 31, 2 ** 31 + 1]) {
    const data = new Uint8Array(len)
    data[len - 1] = 7
    const sync = decryptSync(encryptSync(data, { recipients }), { identities: identity })
    expect([sync.length, sync[len - 1]]).toEqual([len, 7])
    const async = await decrypt(await encrypt(data, { recipients }), { identities: identity })
    expect([async.length, async[len - 1]]).toEqual([len, 7])
  }
  const memory = new Uint8Array(2 ** 31 + 17)
  const key = aead('aes-256-gcm', new Uint8Array(32))
  expect(key.sealInto(new Uint8Array(12), undefined, memory.subarray(0, -16), memory)).toBe(2 ** 31 + 17)
  expect(key.openInto(new Uint8Array(12), undefined, memory, memory)).toBe(2 ** 31 + 1)
  const longest = new Uint8Array(2 ** 32)
  expect(() => encryptSync(longest, { recipients })).toThrow(RangeError)
  await expect(encrypt(longest, { recipients })).rejects.toThrow(RangeError)
  const { public_key } = createKeyPair()
  expect(() => encryptByPublicKey(longest, public_key)).toThrow(RangeError)
  await expect(encryptByPublicKeyAsync(longest, public_key)).rejects.toThrow(RangeError)
  expect(() => chunkedKey('aes-256-gcm', new Uint8Array(32)).encrypt('', longest)).toThrow(RangeError)
  // Only its armour is too long.
  const armoured = encrypt(longest.subarray(0, 3.3 * 2 ** 30), { recipients, armour: true })
  await expect(armoured).rejects.toMatchObject({ code: 'too_long' })
}, 600_000)

test('a part of a file that no array holds is a RangeError, and one that it holds is read', async ({ skip }) => {
  skip(!process.env.SEALSTONE_EXHAUSTIVE, SLOW)
  const folder = await mkdtemp(join(tmpdir(), 'sealstone-'))
  try {
    const [plain, file, key] = [join(folder, 'plain'), join(folder, 'file'), new Uint8Array(32)]
    await writeFile(plain, '')
    await truncate(plain, 2 ** 32 + 1)
    await encryptFile(plain, file, { key })
    await expect(decryptRangeFile(file, 0, Number.MAX_SAFE_INTEGER, { key })).rejects.toThrow(RangeError)
    expect(await decryptRangeFile(file, 2 ** 32 - 1, Number.MAX_SAFE_INTEGER, { key })).toHaveLength(2)
  } finally {
    await rm(folder, { recursive: true })
  }
}, 600_000)
