// Lengths at which 32 bits end. It takes 7 GB of memory: `make test-slow` runs it.

import { expect, test } from 'vitest'
import { aead } from '../src/aead.js'
import { decrypt, decryptSync, encrypt, encryptSync, generateIdentity, recipientOf } from '../src/index.js'

const identity = generateIdentity('x25519')
const recipients = recipientOf(identity)

test.runIf(process.env.SEALSTONE_EXHAUSTIVE)(
  'inputs around 2 GiB work, and one whose result no array holds is a RangeError',
  async () => {
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
  },
  600_000,
)
