// Keys that are derived before they are needed, which theirs announced as the warm-up of its cache.

import { checkedForEncryption } from './aes.js'
import type { AESKeySize } from './results.js'
import { withKeyLater } from './secrets.js'

/**
 * Derives the keys of texts that `aes` will be given, several at once where there are threads for it: no call with one of them then waits
 * some 30 milliseconds. They are kept as those of all calls: 100 at the most, each for five minutes.
 *
 * @throws {@link EncryptionError} for a key that is blank, before any work.
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
