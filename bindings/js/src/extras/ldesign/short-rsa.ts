// RSA under keys of 1,024 to 2,047 bits, which the original made and which can be broken. Existing data of such keys are read here, so that
// you can encrypt them anew. WebCrypto computes, because no backend of Sealstone takes such a key.

import { decode } from '../../api/encoding.js'
import { type Bytes, zero } from '../../basics/bytes.js'
import { SealstoneError } from '../../basics/error.js'
import { CryptoErrorCode, DecryptionError, unsupported } from './errors.js'
import type { DecryptResult } from './results.js'
import { failed, type Given, type Options, openedLater, readAs, signedBy, toDecrypt, toVerify } from './rsa.js'
import { bitsOf, derOf, type Half, importable, keyText } from './rsa-forms.js'
import { subtleCrypto } from './web-crypto.js'

/** Decrypts OAEP; an error is in the result. */
export async function decryptShort(given: Given, privateKey: string, options?: Options): Promise<DecryptResult> {
  let algorithm = 'RSA'
  try {
    const told = toDecrypt(given, privateKey, options)
    if (told.padding === 'PKCS1') throw unsupported('PKCS1 with such a key', 'openssl pkeyutl -decrypt reads it')
    const plaintext = await withKey(privateKey, 'private', async (importKey, bits) => {
      algorithm = `RSA-${bits}`
      return openedLater(told, async (hash) => {
        const key = await importKey('RSA-OAEP', hash, 'decrypt')
        return new Uint8Array(await subtleCrypto().decrypt('RSA-OAEP', key, told.ciphertext))
      })
    })
    return readAs(plaintext, told, algorithm)
  } catch (error) {
    return failed(error, algorithm)
  }
}

/** Whether a signature is of the text. */
export async function verifyShort(
  data: string,
  signature: string,
  publicKey: string,
  algorithm: string,
): Promise<boolean> {
  const [{ hash }, bytes] = [signedBy(algorithm), toVerify(data)]
  return withKey(publicKey, 'public', async (importKey) => {
    const key = await importKey('RSASSA-PKCS1-v1_5', hash, 'verify')
    return subtleCrypto().verify('RSASSA-PKCS1-v1_5', key, signatureOf(signature), bytes)
  })
}

/** The bytes of a signature; empty, which is no signature, if the text is not Base64. */
function signatureOf(base64: string): Bytes {
  try {
    return decode('base64', base64)
  } catch {
    return new Uint8Array()
  }
}

type Import = (name: string, hash: string, use: 'decrypt' | 'verify') => Promise<CryptoKey>

/** Works with a key, and then zeroes its bytes. */
async function withKey<T>(key: string, half: Half, work: (importKey: Import, bits: number) => Promise<T>): Promise<T> {
  const der = derOf(keyText(key, half))
  const form = importable(der, half)
  try {
    const bits = bitsOf(der, half)
    checkBits(bits, half)
    const importKey: Import = async (name, hash, use) => {
      const subtle = subtleCrypto()
      const by = { name, hash: hash.replace('sha', 'SHA-') }
      try {
        return await subtle.importKey(half === 'public' ? 'spki' : 'pkcs8', form, by, false, [use])
      } catch (cause) {
        throw wrongKey(`Invalid ${half} key format`, new SealstoneError('invalid_key', 'invalid key', { cause }))
      }
    }
    return await work(importKey, bits)
  } finally {
    zero(der)
    zero(form)
  }
}

function checkBits(bits: number, half: Half): void {
  if (bits === 0) throw wrongKey(`Invalid ${half} key format`, new SealstoneError('invalid_key', 'invalid key'))
  if (bits >= 1024 && bits < 2048) return
  const instead = bits < 1024 ? 'which anybody can break' : 'for which there is rsa'
  const cause = new SealstoneError('unsupported_key', 'unsupported number of bits')
  throw wrongKey(`the key has ${bits} bits, ${instead}`, cause)
}

function wrongKey(message: string, cause: SealstoneError): DecryptionError {
  const whole = `Decryption Error (RSA): ${message}`
  return new DecryptionError(whole, CryptoErrorCode.INVALID_KEY, 'RSA', undefined, { cause })
}
