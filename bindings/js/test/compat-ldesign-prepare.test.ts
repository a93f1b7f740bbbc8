// sealstone/compat/ldesign: keys that were derived before they are needed.

import { expect, test } from 'vitest'
import { AESEncryptor, aes, prepare } from '../src/extras/ldesign/index.js'
import { startMonitor } from '../src/extras/monitor/index.js'

/** How many keys of passwords were derived meanwhile. */
async function derivedIn(work: () => unknown): Promise<number> {
  const monitor = startMonitor()
  try {
    await work()
    const derivations = monitor.report().operations.filter(({ operation }) => operation === 'derive')
    return derivations.reduce((sum, { operations }) => sum + operations, 0)
  } finally {
    monitor.stop()
  }
}

test('a key that was prepared is not derived again, and is the same', async () => {
  AESEncryptor.cleanup()
  expect(await derivedIn(() => prepare(['one', 'two']))).toBe(2)
  let sealed = aes.encrypt('', '')
  expect(await derivedIn(() => (sealed = aes.encrypt('attack at dawn', 'two')))).toBe(0)
  expect(await derivedIn(() => aes.encrypt('attack at dawn', 'three'))).toBe(1)
  expect(await derivedIn(() => aes.encrypt128('attack at dawn', 'one'))).toBe(1)
  AESEncryptor.cleanup()
  expect(aes.decrypt(sealed, 'two').data).toBe('attack at dawn')
})

test('a size that was prepared is that of the options, and digits of a key are derived from nothing', async () => {
  AESEncryptor.cleanup()
  await prepare(['one'], { keySize: 128 })
  expect(await derivedIn(() => aes.encrypt128('attack at dawn', 'one'))).toBe(0)
  expect(await derivedIn(() => prepare(['00'.repeat(32)]))).toBe(0)
})

test('a blank key and another size are refused before any work', async () => {
  AESEncryptor.cleanup()
  const refused = async (keys: string[], keySize?: number) => {
    const derived = await derivedIn(() => expect(prepare(keys, { keySize } as never)).rejects.toThrow())
    expect(derived).toBe(0)
  }
  await refused(['one', ' '])
  await refused(['one'], 512)
})
