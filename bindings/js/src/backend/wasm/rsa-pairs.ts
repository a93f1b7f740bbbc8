// Key pairs of RSA that encrypt: the module has the keys, and the host computes with them.

import type { Handle, Later, Out, RsaPromises } from '../calls.js'
import { Held, type Of, type Source } from './held.js'
import type { HostRsa, RsaKey, Soon } from './host-rsa.js'
import * as host from './intrinsics.js'
import { normalized } from './passphrases.js'
import { checked, generated, once, RsaKeys } from './rsa-keys.js'
import { RSA } from './signatures.js'
import type { Jobs } from './work.js'

export type RsaPairs = Of<typeof RSA> & { promises(jobs: Jobs): RsaPromises }
type Functions = { -readonly [Name in keyof RsaPairs]: RsaPairs[Name] }

/** The hash of OAEP where nobody chooses, as core has it. */
const USUAL_HASH = 'sha256'

/** The functions, over a host that has RSA; without one they fail as core does. */
export function rsaPairsOf(source: Source, rsa: HostRsa | undefined): RsaPairs {
  const functions = new Held(source, RSA, (handle) => keys?.forget(handle)).functions() as unknown as Functions
  const privateDer = (key: Handle): Out => functions.rsaPrivateExport(key, 'der', undefined) as Out
  const publicDer = (key: Handle): Out => functions.rsaPublicExport(key, 'der') as Out
  const keys = rsa && new RsaKeys(rsa, { privateDer, publicDer })
  const { rsaPrivateParse, rsaPrivateExport } = functions
  functions.rsaPrivateParse = (file, passphrase) => normalized(passphrase, (text) => rsaPrivateParse(file, text))
  functions.rsaPrivateExport = (key, form, passphrase) =>
    normalized(passphrase, (text) => rsaPrivateExport(key, form, text))
  const byHost = keys === undefined ? functions : withHost(functions, keys)

  /** Works with a number of its own for a key, which the caller may destroy meanwhile. */
  const onKey = async <T>(key: Handle, work: (key: Handle) => Later<T>): Later<T> => {
    const own = functions.again(key)
    try {
      return await work(own)
    } finally {
      functions.release(own)
    }
  }
  functions.promises = (work) => ({
    rsaGenerateLater: (bits, job) =>
      work.asJob(job, (turns) =>
        generated(rsa, bits, turns, functions.rsaGenerate, (der) => functions.rsaPrivateParse(der, undefined)),
      ),
    rsaPrivateParseLater: (file, passphrase) =>
      work.onCopies(file, passphrase, (file, passphrase) => functions.rsaPrivateParse(file, passphrase)),
    rsaPublicParseLater: (file) => work.onCopies(file, undefined, (file) => functions.rsaPublicParse(file)),
    rsaEncryptLater: (key, plaintext, hash, label) =>
      onKey(key, (key) =>
        work.onCopies(plaintext, label, (plaintext, label) => byHost.rsaEncrypt(key, plaintext, hash, label)),
      ),
    rsaDecryptLater: (key, ciphertext, hash, label) =>
      onKey(key, (key) =>
        work.onCopies(ciphertext, label, (ciphertext, label) => byHost.rsaDecrypt(key, ciphertext, hash, label)),
      ),
    rsaEncryptPkcs1Later: (key, plaintext) =>
      onKey(key, (key) =>
        work.onCopies(plaintext, undefined, (plaintext) => functions.rsaEncryptPkcs1(key, plaintext)),
      ),
    rsaDecryptPkcs1Later: (key, ciphertext) =>
      onKey(key, (key) =>
        work.onCopies(ciphertext, undefined, (ciphertext) => functions.rsaDecryptPkcs1(key, ciphertext)),
      ),
  })
  return functions
}

/** OAEP by the host, at once or promised. */
interface ByHost {
  rsaEncrypt(...args: Parameters<RsaPairs['rsaEncrypt']>): Soon<Out>
  rsaDecrypt(...args: Parameters<RsaPairs['rsaDecrypt']>): Soon<Out>
}

/** Has a host do what is done with keys: the core says what is wrong before, and what is not authentic. */
function withHost(functions: Functions, keys: RsaKeys): ByHost {
  const { rsa } = keys
  const { again, rsaGenerate, rsaPrivateParse, rsaPublicKey, rsaPublicParse } = functions
  const { rsaDecrypt, rsaDecryptPkcs1, rsaEncrypt, rsaEncryptPkcs1 } = functions
  // Every key of the module is one.
  const own = (key: Handle): RsaKey => keys.of(key) as RsaKey
  const byHost: ByHost = {
    rsaEncrypt(key, plaintext, hash, label) {
      checked(() => rsaEncrypt(key, plaintext, hash, label))
      return rsa.encrypt(own(key), hash ?? USUAL_HASH, label, plaintext)
    },
    rsaDecrypt(key, ciphertext, hash, label) {
      checked(() => rsaDecrypt(key, ciphertext, hash, label))
      const decrypted = (plaintext: Out | undefined): Out => {
        if (plaintext !== undefined) return plaintext
        // No number below the modulus is this one.
        const nobodys = host.fill(new host.Bytes(host.arrayLength(ciphertext)), 0xff)
        return rsaDecrypt(key, nobodys, hash, label)
      }
      const plaintext = rsa.decrypt(own(key), hash ?? USUAL_HASH, label, ciphertext)
      return rsa.isAtOnce ? decrypted(plaintext as Out | undefined) : once(plaintext, decrypted)
    },
  }

  functions.rsaGenerate = (bits) => {
    const { generateNow } = rsa
    if (generateNow === undefined) return rsaGenerate(bits)
    checked(() => rsaGenerate(bits))
    const der = generateNow(bits)
    try {
      return functions.rsaPrivateParse(der, undefined)
    } finally {
      host.fill(der, 0)
    }
  }
  functions.again = (handle) => keys.again(handle, again(handle))
  functions.rsaPrivateParse = (file, passphrase) => keys.add(rsaPrivateParse(file, passphrase), true)
  functions.rsaPublicParse = (file) => keys.add(rsaPublicParse(file), false)
  functions.rsaPublicKey = (key) => keys.add(rsaPublicKey(key), false)
  if (rsa.isAtOnce) {
    functions.rsaEncrypt = byHost.rsaEncrypt as Functions['rsaEncrypt']
    functions.rsaDecrypt = byHost.rsaDecrypt as Functions['rsaDecrypt']
  }
  const { pkcs1 } = rsa
  if (pkcs1 !== undefined) {
    functions.rsaEncryptPkcs1 = (key, plaintext) => {
      checked(() => rsaEncryptPkcs1(key, plaintext))
      return pkcs1.encrypt(own(key), plaintext)
    }
    functions.rsaDecryptPkcs1 = (key, ciphertext) => {
      checked(() => rsaDecryptPkcs1(key, ciphertext))
      const encoded = pkcs1.decrypt(own(key), ciphertext)
      try {
        return functions.rsaUnpadPkcs1(key, ciphertext, encoded)
      } finally {
        host.fill(encoded, 0)
      }
    }
  }
  return byHost
}
