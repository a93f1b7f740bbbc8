/**
 * Passphrases of random words that people can remember and type. The words are the large list of the Electronic Frontier Foundation
 * (https://www.eff.org/dice), under CC BY 3.0 US; this subpath alone has them.
 *
 * @module sealstone/passphrase
 */

import { words } from '#words'
import { readOptions, stringOption, wholeNumber } from '../basics/option.js'
import { PASSPHRASE_WORDS, TEXT_MAX_LEN } from '../basics/table.js'
import { chosen, entropyOf } from '../work/draws.js'

export { SealstoneError } from '../basics/error.js'

/** The options of a passphrase. */
export interface PassphraseOptions {
  /** Words, 1 to 65,536: 6 by default. */
  readonly words?: number
  /** The text between the words: a hyphen by default. */
  readonly separator?: string
}

/**
 * A passphrase of words of the EFF's list, 77 bits by default. The random numbers index the list, so that no constant time is
 * claimed; text cannot be erased.
 *
 * @throws {@link SealstoneError} `no_randomness`.
 *
 * @example
 * ```ts
 * import { passphrase } from 'sealstone/passphrase'
 *
 * const six = passphrase()
 * console.log(passphrase({ words: 4, separator: ' ' }).split(' ').length, six.length > 22) // 4 true
 * ```
 */
export function passphrase(options?: PassphraseOptions): string {
  const read = readOptions<PassphraseOptions>(options, ['words', 'separator'])
  const separator = stringOption(read.separator, 'separator') ?? '-'
  return chosen(list(), count(read.words)).join(separator)
}

/**
 * The bits of entropy of a passphrase of so many words: 12.9 a word.
 *
 * @example
 * ```ts
 * import { passphraseEntropy } from 'sealstone/passphrase'
 *
 * console.log(passphraseEntropy().toFixed(1), passphraseEntropy(4).toFixed(1)) // 77.5 51.7
 * ```
 */
export function passphraseEntropy(words?: number): number {
  return entropyOf(list(), count(words))
}

function count(value: unknown): number {
  return value === undefined ? PASSPHRASE_WORDS : wholeNumber(value, 'words', 1, TEXT_MAX_LEN)
}

let known: readonly string[] | undefined

function list(): readonly string[] {
  known ??= words.split(' ')
  return known
}
