import { ArgumentError } from '../../basics/error.js'
import { envelopeOf, type FiseCipher, mixed, opened, xorCipher } from './cipher.js'
import { type DecryptOptions, type EncryptOptions, type KnownMarkers, Layout, onlyOne, unfit } from './layout.js'
import type { FiseRules } from './rules.js'
import { randomSalt } from './salt.js'
import { type Cut, concatenated, joined } from './transcoder.js'

/**
 * Hides text from a glance. Anyone who has the rules, or tries a few hundred, can open the envelope. This is not encryption: use
 * `encrypt` or `sealMessage` of `sealstone` for that.
 *
 * The salt is drawn again until the envelope has one reading, for this decoder and for that of FISE 0.1.5. Rules that leave no
 * such salt, or that cannot be undone, are refused with the code `fise_rules`; a lone surrogate is a `TypeError`.
 *
 * @example
 * ```ts
 * import { defaultRules, fiseEncrypt } from 'sealstone/fise'
 *
 * console.log(typeof fiseEncrypt('{"id":1}', defaultRules, { timestamp: 29_400_000 })) // string
 * ```
 */
export function fiseEncrypt(plaintext: string, rules: FiseRules<string>, options: EncryptOptions = {}): string {
  if (typeof plaintext !== 'string') throw new ArgumentError('the plaintext must be a string')
  const layout = new TextLayout(rules, options)
  const cipher = layout.options.cipher ?? xorCipher
  const isBase64 = cipher === xorCipher
  return layout.written((saltLength) => {
    const salt = randomSalt(saltLength)
    const parts = isBase64 ? mixed(plaintext, salt) : [textBy(cipher, plaintext, salt)]
    const cipherText = concatenated(parts)
    const at = layout.place(cipherText, saltLength)
    const marker = layout.marker(saltLength)
    return { envelope: layout.joined((behind) => envelopeOf(parts, isBase64, marker, at, behind), salt), at }
  })
}

/**
 * The text of an envelope that this or FISE 0.1.5 made with the same rules, timestamp and metadata.
 *
 * It refuses what no encoder can have made, and an envelope with several readings. It does not prove who made the envelope: a
 * changed one may open to a changed text.
 *
 * @example
 * ```ts
 * import { defaultRules, fiseDecrypt, fiseEncrypt, FiseError } from 'sealstone/fise'
 *
 * console.log(fiseDecrypt(fiseEncrypt('not a secret', defaultRules), defaultRules)) // not a secret
 * try {
 *   fiseDecrypt('no envelope', defaultRules)
 * } catch (error) {
 *   console.log(error instanceof FiseError) // true
 * }
 * ```
 */
export function fiseDecrypt(envelope: string, rules: FiseRules<string>, options: DecryptOptions = {}): string {
  if (typeof envelope !== 'string') throw new ArgumentError('the envelope must be a string')
  const layout = new TextLayout(rules, options)
  const cipher = layout.options.cipher ?? xorCipher
  const hits = layout.readings(envelope)
  const plaintexts: { saltLength: number; plaintext: string }[] = []
  let cause: unknown
  for (const { saltLength, at } of hits) {
    const salt = layout.salt(envelope, saltLength)
    if (salt.length !== saltLength || !IS_SALT.test(salt)) continue
    const cipherText = layout.cipherText(envelope, saltLength, at)
    if (cipher === xorCipher) {
      const plaintext = opened(cipherText, salt)
      if (plaintext !== undefined) plaintexts.push({ saltLength, plaintext })
      continue
    }
    // Of another's cipher only it knows what it made: what it throws at is no reading.
    try {
      plaintexts.push({ saltLength, plaintext: cipher.decrypt(joined(cipherText), salt) })
    } catch (error) {
      cause = error
    }
  }
  return onlyOne(plaintexts, hits.length, cause)
}

function textBy(cipher: FiseCipher, plaintext: string, salt: string): string {
  const cipherText: unknown = cipher.encrypt(plaintext, salt)
  if (typeof cipherText !== 'string') throw new ArgumentError('the cipher must give a string')
  return cipherText
}

/** Of nothing but what a salt is drawn from: faster than a loop. */
const IS_SALT = /^[A-Za-z0-9]*$/

/** Nobody's are nearly so long. */
const MARKER_MAX_LEN = 0x3fff

const knownMarkers: KnownMarkers<string> = /* @__PURE__ */ new WeakMap()

/** Rules for text, for one envelope. */
export class TextLayout extends Layout<string> {
  protected readonly knownMarkers = knownMarkers

  /** The envelope that the rules take apart again, if there is one. */
  joined(bodyWith: (behind: string) => string, salt: string): string | undefined {
    if (!this.extracts && !this.strips) return bodyWith(salt)
    const body = bodyWith('')
    const isUndone = (envelope: string) =>
      this.salt(envelope, salt.length) === salt && this.stripped(envelope, salt.length) === body
    // FISE 0.1.5 has the salt at the end whatever the rules say, and so it can never open the other.
    return [body + salt, salt + body].find(isUndone)
  }

  /** The salt of an envelope, if it has this length. */
  salt(envelope: string, saltLength: number): string {
    if (!this.extracts) return envelope.slice(envelope.length - saltLength)
    return this.rules.extractSalt?.(envelope, saltLength, this.context(saltLength)) as string
  }

  /** The ciphertext of an envelope, in this reading. */
  cipherText(envelope: string, saltLength: number, at: number): Cut {
    const gap = this.marker(saltLength).length
    if (!this.strips) return { text: envelope, at, gap, end: envelope.length - saltLength }
    const text = this.stripped(envelope, saltLength)
    return { text, at, gap, end: text.length }
  }

  protected codeAt(text: string, at: number): number {
    return text.charCodeAt(at)
  }

  protected find(text: string, first: string, from: number): number {
    return text.indexOf(first, from)
  }

  protected cut(text: string, at: number, gap: number, end: number): string {
    return joined({ text, at, gap, end })
  }

  protected sample(text: string): string {
    return text
  }

  protected stripped(envelope: string, saltLength: number): string {
    if (!this.strips) return envelope.slice(0, envelope.length - saltLength)
    return this.rules.stripSalt?.(envelope, saltLength, this.context(saltLength)) as string
  }

  protected checked(marker: unknown, saltLength: number): string {
    if (typeof marker !== 'string') {
      throw unfit('encodeLength gives no string; rules for bytes are for fiseBinaryEncrypt and fiseBinaryDecrypt')
    }
    if (marker === '' || marker.length > MARKER_MAX_LEN) {
      throw unfit(`encodeLength gives ${marker.length} characters for a salt of ${saltLength}`)
    }
    return marker
  }
}
