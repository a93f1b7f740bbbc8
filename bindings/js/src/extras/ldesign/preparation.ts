// Derives keys in advance, which the original announced as the warm-up of its cache.

import { checkedForEncryption } from './aes.js'
import type { AESKeySize } from './results.js'
import { withKeyLater } from './secrets.js'

/**
 * Derives the keys of texts for later calls of `aes`, several at once if there are threads. Those calls then do not wait some 30
 * milliseconds for the derivation. The cache keeps at most 100 keys, each for five minutes, including the keys of all other calls.
 *
 * @throws {@link EncryptionError} for a blank key, before any work.
 *
 * @example
 * ```ts
 * import { aes, prepare } from 'sealstone/compat/ldesign'
 *
 * await prepare(['a password', 'another one'])
 * console.log(aes.encrypt('attack at dawn', 'a password').success) // true
 * ```
 */
export async function prepare(keys: readonly string[], options: { keySize?: AESKeySize } = {}): Promise<void> {
  const asked = keys.map((key) => ({ key, keySize: checkedForEncryption(key, options).keySize }))
  await Promise.all(asked.map(({ key, keySize }) => withKeyLater(key, keySize, async () => {})))
}
