import { hashInto } from '../../api/hash.js'
import { pbkdf2Sync } from '../../api/kdf.js'
import { randomBytes } from '../../api/random.js'
import { type Bytes, zero } from '../../basics/bytes.js'
import { ArgumentError, SealstoneError } from '../../basics/error.js'
import { CipherParams, SALT_LEN } from './cipher-params.js'
import { digestLength, type HashKind, hashers, hashOf, type Message } from './hashing.js'
import { dataOf, WordArray, type WordArrayLike } from './word-array.js'

/** Settings of a derivation. */
export interface DerivationConfig {
  /** Words of 4 bytes. */
  keySize?: number
  hasher?: HashKind
  iterations?: number
}

/** A derivation with its settings, as `algo.PBKDF2.create(cfg)` gives it. */
export interface Derivation {
  readonly cfg: DerivationConfig
  compute(password: Message, salt: Message): WordArray
}

/** An object such as `algo.PBKDF2`. `cfg` has its defaults. */
export interface DerivationKind {
  cfg: Required<DerivationConfig>
  create(cfg?: DerivationConfig): Derivation
}

function kindOf(
  defaults: Required<DerivationConfig>,
  derive: (cfg: Required<DerivationConfig>, password: Bytes, salt: Bytes) => Bytes,
): DerivationKind {
  return {
    cfg: defaults,
    create(cfg) {
      const settings = { ...this.cfg, ...cfg }
      return {
        cfg: settings,
        compute(password, salt) {
          const { keySize, iterations } = settings
          if (!(keySize > 0 && Number.isInteger(keySize * 4)))
            throw new ArgumentError('keySize must be words of 4 bytes')
          if (!Number.isInteger(iterations) || iterations < 1) {
            throw new ArgumentError('iterations must be a whole number from 1')
          }
          return WordArray.of(derive(settings, dataOf(password, 'the password'), dataOf(salt, 'the salt')))
        },
      }
    },
  }
}

export const derivations = /* @__PURE__ */ (() => ({
  PBKDF2: kindOf({ keySize: 4, hasher: hashers.SHA256, iterations: 250_000 }, (cfg, password, salt) =>
    pbkdf2Sync(hashOf(cfg.hasher), password, salt, { iterations: cfg.iterations, length: cfg.keySize * 4 }),
  ),
  EvpKDF: kindOf({ keySize: 4, hasher: hashers.MD5, iterations: 1 }, evp),
}))()

/** The same maximum as for PBKDF2. */
const ITERATIONS_MAX = 10_000_000

/** The derivation of `openssl enc` (EVP_BytesToKey): each digest is of the digest before it, the password and the salt. */
function evp(cfg: Required<DerivationConfig>, password: Bytes, salt: Bytes): Bytes {
  const name = hashOf(cfg.hasher)
  const length = cfg.keySize * 4
  const step = digestLength(name)
  if (Math.ceil(length / step) * cfg.iterations > ITERATIONS_MAX) {
    throw new SealstoneError('cost_too_high', 'EvpKDF with over 10,000,000 iterations for all blocks of the key')
  }
  const key = new Uint8Array(Math.ceil(length / step) * step)
  const input = new Uint8Array(step + password.length + salt.length)
  input.set(password, step)
  input.set(salt, step + password.length)
  for (let at = 0; at < length; at += step) {
    const block = key.subarray(at, at + step)
    hashInto(name, at === 0 ? input.subarray(step) : input, block)
    for (let i = 1; i < cfg.iterations; i++) hashInto(name, block, block)
    input.set(block)
  }
  zero(input)
  return key.length === length ? key : key.slice(0, length)
}

/** Derives a key and an IV from a password. */
export interface PasswordKdf {
  execute(password: string, keySize: number, ivSize: number, salt?: WordArrayLike, hasher?: HashKind): CipherParams
}

/** The derivations under `kdf` in crypto-js. */
export const kdf: { OpenSSL: PasswordKdf } = {
  OpenSSL: {
    execute(password, keySize, ivSize, given, hasher) {
      const salt = given || WordArray.of(randomBytes(SALT_LEN))
      const both = derivations.EvpKDF.create({ keySize: keySize + ivSize, ...(hasher && { hasher }) })
      const bytes = WordArray.bytesOf(both.compute(password, salt as WordArray), 'the key')
      const [key, iv] = [bytes.slice(0, keySize * 4), bytes.slice(keySize * 4)]
      zero(bytes)
      return new CipherParams({ key: WordArray.of(key), iv: WordArray.of(iv), salt: salt as WordArray })
    },
  },
}

/**
 * A key from a password and a salt (RFC 8018).
 *
 * @example
 * ```ts
 * import { PBKDF2 } from 'sealstone/compat/crypto-js'
 *
 * console.log(PBKDF2('password', 'salt', { keySize: 8 }).toString()) // 485fb4210c882c6b…
 * ```
 */
export function PBKDF2(password: Message, salt: Message, cfg?: DerivationConfig): WordArray {
  return derivations.PBKDF2.create(cfg).compute(password, salt)
}

/**
 * A key from a password and a salt, as `openssl enc` derived it. An attacker can try millions of passwords a second.
 *
 * @example
 * ```ts
 * import { EvpKDF } from 'sealstone/compat/crypto-js'
 *
 * console.log(EvpKDF('password', 'salt').toString()) // b305cadbb3bce54f3aa59c64fec00dea
 * ```
 */
export function EvpKDF(password: Message, salt: Message, cfg?: DerivationConfig): WordArray {
  return derivations.EvpKDF.create(cfg).compute(password, salt)
}
