// Files of age as text. `armor` is what typage calls it.

import { type Bytes, type BytesLike, bytesOf, utf8 } from '../../basics/bytes.js'
import { stringOf } from '../../basics/option.js'
import { call } from '../../work/age-calls.js'

/**
 * A file as text, for mail and terminals: a third longer.
 *
 * @example
 * ```ts
 * import { armor, Encrypter, generateIdentity, identityToRecipient } from 'sealstone/age'
 *
 * const encrypter = new Encrypter()
 * encrypter.addRecipient(await identityToRecipient(await generateIdentity()))
 * const text = armor.encode(await encrypter.encrypt('attack at dawn'))
 * console.log(text.split('\n')[0]) // -----BEGIN AGE ENCRYPTED FILE-----
 * ```
 */
export function encode(file: BytesLike): string {
  const bytes = bytesOf(file, 'the file')
  return call((sync) => sync.ageArmour(bytes))
}

/**
 * The file that a text stands for. White space around it is ignored, and nothing else.
 *
 * @throws {@link SealstoneError} `malformed_armour`.
 */
export function decode(file: string): Bytes {
  const text = utf8(stringOf(file, 'the text'), 'the text')
  return call((sync) => sync.ageDearmour(text))
}
