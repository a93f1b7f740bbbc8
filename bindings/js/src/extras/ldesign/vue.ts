/**
 * The composables and the plugin of `@ldesign/crypto/vue`, with its names and results, over `sealstone/compat/ldesign`. Use `sealstone/vue`
 * for new code.
 *
 * @module sealstone/compat/ldesign/vue
 */

import {
  type AESOptions,
  aes,
  base64,
  type DecryptResult,
  decrypt,
  digitalSignature,
  type EncryptResult,
  ErrorHandler,
  encoding,
  encrypt,
  generateSecureKey,
  type HashAlgorithm,
  type HashOptions,
  HMAC,
  hash,
  hex,
  hmac,
  keyGenerator,
  type RSAKeyPair,
  type RSAOptions,
  rsa,
  ValidationError,
} from 'sealstone/compat/ldesign'
import { type App, type ComputedRef, computed, type Plugin, type Ref, ref } from 'vue'

export {
  aes,
  base64,
  blowfish,
  CryptoManager,
  cryptoManager,
  decrypt,
  des,
  des3,
  digitalSignature,
  encoding,
  encrypt,
  hash,
  hex,
  hmac,
  keyGenerator,
  rsa,
  tripledes,
} from 'sealstone/compat/ldesign'

/** The result of {@link useCrypto}. */
export interface UseCryptoReturn {
  isEncrypting: Ref<boolean>
  isDecrypting: Ref<boolean>
  /** Why the last call failed, even if its result has the error too. */
  lastError: Ref<string | null>
  lastResult: Ref<EncryptResult | DecryptResult | null>
  encryptAES(data: string, key: string, options?: AESOptions): Promise<EncryptResult>
  decryptAES(encryptedData: string | EncryptResult, key: string, options?: AESOptions): Promise<DecryptResult>
  encryptRSA(data: string, publicKey: string, options?: RSAOptions): Promise<EncryptResult>
  decryptRSA(encryptedData: string | EncryptResult, privateKey: string, options?: RSAOptions): Promise<DecryptResult>
  encodeBase64(data: string): Promise<string>
  decodeBase64(encodedData: string): Promise<string>
  encodeHex(data: string): Promise<string>
  decodeHex(encodedData: string): Promise<string>
  generateRSAKeyPair(keySize?: RSAKeySize): Promise<RSAKeyPair>
  generateKey(length?: number): Promise<string>
  generateSalt(length?: number): Promise<string>
  generateIV(length?: number): Promise<string>
  clearError(): void
  reset(): void
  encrypt: typeof encrypt
  decrypt: typeof decrypt
  keyGenerator: typeof keyGenerator
}

/** Bits of a key. */
export type RSAKeySize = Parameters<typeof keyGenerator.generateRSAKeyPair>[0]

/** Encrypts and decrypts with results of `sealstone/compat/ldesign`, and shows which of them runs. An error rejects the promise. */
export function useCrypto(): UseCryptoReturn {
  const [isEncrypting, isDecrypting] = [ref(false), ref(false)]
  const lastError = ref<string | null>(null)
  const lastResult = ref<EncryptResult | DecryptResult | null>(null)
  const calls = new Calls()
  const show = (result: unknown): void => {
    if (typeof result !== 'object' || result === null || !('success' in result)) return
    const told = result as EncryptResult | DecryptResult
    lastResult.value = told
    if (!told.success) lastError.value = told.error ?? 'Unknown error'
  }
  const working =
    (busy: Ref<boolean>) =>
    <T>(work: () => T | Promise<T>) =>
      calls.run(busy, lastError, work, show)
  const [encrypting, decrypting] = [working(isEncrypting), working(isDecrypting)]
  return {
    isEncrypting,
    isDecrypting,
    lastError,
    lastResult,
    encryptAES: (data, key, options) => encrypting(() => encrypt.aes(data, key, options)),
    decryptAES: (encryptedData, key, options) => decrypting(() => decrypt.aes(encryptedData, key, options)),
    encryptRSA: (data, publicKey, options) => encrypting(() => rsa.encryptAsync(data, publicKey, options)),
    decryptRSA: (encryptedData, privateKey, options) =>
      decrypting(() => rsa.decryptAsync(encryptedData, privateKey, options)),
    encodeBase64: (data) => encrypting(() => base64.encode(data)),
    decodeBase64: (encodedData) => decrypting(() => base64.decode(encodedData)),
    encodeHex: (data) => encrypting(() => hex.encode(data)),
    decodeHex: (encodedData) => decrypting(() => hex.decode(encodedData)),
    generateRSAKeyPair: (keySize) => encrypting(() => keyGenerator.generateRSAKeyPairAsync(keySize)),
    generateKey: (length) => encrypting(() => keyGenerator.generateKey(length)),
    generateSalt: (length) => encrypting(() => keyGenerator.generateSalt(length)),
    generateIV: (length) => encrypting(() => keyGenerator.generateIV(length)),
    clearError() {
      lastError.value = null
    },
    reset() {
      calls.next()
      isEncrypting.value = false
      isDecrypting.value = false
      lastError.value = null
      lastResult.value = null
    },
    encrypt,
    decrypt,
    keyGenerator,
  }
}

type Hashing = (data: string, options?: HashOptions) => Promise<string>
type Tagging = (data: string, key: string, options?: HashOptions) => Promise<string>

/** The result of {@link useHash}. */
export interface UseHashReturn {
  isHashing: Ref<boolean>
  lastError: Ref<string | null>
  lastHash: Ref<string | null>
  isLoading: ComputedRef<boolean>
  md5: Hashing
  sha1: Hashing
  sha224: Hashing
  sha256: Hashing
  sha384: Hashing
  sha512: Hashing
  hashData(data: string, algorithm?: HashAlgorithm, options?: HashOptions): Promise<string>
  verify(data: string, expectedHash: string, algorithm?: HashAlgorithm, options?: HashOptions): Promise<boolean>
  hmacMd5: Tagging
  hmacSha1: Tagging
  hmacSha256: Tagging
  hmacSha384: Tagging
  hmacSha512: Tagging
  hmacData(data: string, key: string, algorithm?: HashAlgorithm, options?: HashOptions): Promise<string>
  verifyHmac(
    data: string,
    key: string,
    expectedHmac: string,
    algorithm?: HashAlgorithm,
    options?: HashOptions,
  ): Promise<boolean>
  hashMultiple(dataList: readonly string[], algorithm?: HashAlgorithm, options?: HashOptions): Promise<string[]>
  /** Hashes the whole content of a file. `useHash` of `sealstone/vue` takes a `File`. */
  hashFile(fileContent: string, algorithm?: HashAlgorithm, options?: HashOptions): Promise<string>
  clearError(): void
  reset(): void
  hash: typeof hash
  hmac: HMAC
}

/** Digests and HMACs as text. */
export function useHash(): UseHashReturn {
  const isHashing = ref(false)
  const lastError = ref<string | null>(null)
  const lastHash = ref<string | null>(null)
  const tags = new HMAC()
  const hashing = <T>(work: () => T) =>
    rejecting(isHashing, lastError, () => {
      const result = work()
      if (typeof result === 'string') lastHash.value = result
      return result
    })
  const of =
    (name: 'md5' | 'sha1' | 'sha224' | 'sha256' | 'sha384' | 'sha512'): Hashing =>
    (data, options) =>
      hashing(() => hash[name](data, options))
  const tagOf =
    (name: 'md5' | 'sha1' | 'sha256' | 'sha384' | 'sha512'): Tagging =>
    (data, key, options) =>
      hashing(() => tags[name](data, key, options))
  return {
    isHashing,
    lastError,
    lastHash,
    isLoading: computed(() => isHashing.value),
    md5: of('md5'),
    sha1: of('sha1'),
    sha224: of('sha224'),
    sha256: of('sha256'),
    sha384: of('sha384'),
    sha512: of('sha512'),
    hashData: (data, algorithm, options) => hashing(() => hash.hash(data, algorithm, options)),
    verify: (data, expectedHash, algorithm, options) =>
      hashing(() => hash.verify(data, expectedHash, algorithm, options)),
    hmacMd5: tagOf('md5'),
    hmacSha1: tagOf('sha1'),
    hmacSha256: tagOf('sha256'),
    hmacSha384: tagOf('sha384'),
    hmacSha512: tagOf('sha512'),
    hmacData: (data, key, algorithm, options) => hashing(() => tags.hmac(data, key, algorithm, options)),
    verifyHmac: (data, key, expectedHmac, algorithm, options) =>
      hashing(() => tags.verify(data, key, expectedHmac, algorithm, options)),
    hashMultiple: (dataList, algorithm, options) =>
      hashing(() => dataList.map((data) => hash.hash(data, algorithm, options))),
    hashFile: (fileContent, algorithm, options) => hashing(() => hash.hash(fileContent, algorithm, options)),
    clearError() {
      lastError.value = null
    },
    reset() {
      isHashing.value = false
      lastError.value = null
      lastHash.value = null
    },
    hash,
    hmac: tags,
  }
}

/** A text with its signature, to verify. */
export interface Verification {
  data: string
  signature: string
  publicKey: string
  algorithm?: string
}

/** The result of {@link useSignature}. */
export interface UseSignatureReturn {
  isSigning: Ref<boolean>
  isVerifying: Ref<boolean>
  lastError: Ref<string | null>
  lastSignature: Ref<string | null>
  lastVerificationResult: Ref<boolean | null>
  isLoading: ComputedRef<boolean>
  sign(data: string, privateKey: string, algorithm?: string): Promise<string>
  verify(data: string, signature: string, publicKey: string, algorithm?: string): Promise<boolean>
  signMultiple(dataList: readonly string[], privateKey: string, algorithm?: string): Promise<string[]>
  verifyMultiple(verificationList: readonly Verification[]): Promise<boolean[]>
  signFile(fileContent: string, privateKey: string, algorithm?: string): Promise<string>
  verifyFile(fileContent: string, signature: string, publicKey: string, algorithm?: string): Promise<boolean>
  clearError(): void
  reset(): void
  digitalSignature: typeof digitalSignature
}

/** RSA signatures as Base64. */
export function useSignature(): UseSignatureReturn {
  const [isSigning, isVerifying] = [ref(false), ref(false)]
  const lastError = ref<string | null>(null)
  const lastSignature = ref<string | null>(null)
  const lastVerificationResult = ref<boolean | null>(null)
  const [signs, verifies] = [new Calls(), new Calls()]
  const signing = <T>(work: () => T | Promise<T>) =>
    signs.run(isSigning, lastError, work, (result) => {
      if (typeof result === 'string') lastSignature.value = result
    })
  const verifying = <T>(work: () => T | Promise<T>) => {
    const begin = (): T | Promise<T> => {
      // Until the new result is known, nothing counts as verified.
      lastVerificationResult.value = null
      return work()
    }
    return verifies.run(isVerifying, lastError, begin, (result) => {
      if (typeof result === 'boolean') lastVerificationResult.value = result
    })
  }
  const sign: UseSignatureReturn['sign'] = (data, privateKey, algorithm) =>
    signing(() => digitalSignature.signAsync(data, privateKey, algorithm))
  const verify: UseSignatureReturn['verify'] = (data, signature, publicKey, algorithm) =>
    verifying(() => digitalSignature.verifyAsync(data, signature, publicKey, algorithm))
  return {
    isSigning,
    isVerifying,
    lastError,
    lastSignature,
    lastVerificationResult,
    isLoading: computed(() => isSigning.value || isVerifying.value),
    sign,
    verify,
    signMultiple: (dataList, privateKey, algorithm) =>
      signing(() => Promise.all(dataList.map((data) => digitalSignature.signAsync(data, privateKey, algorithm)))),
    verifyMultiple: (verificationList) => verifying(() => Promise.all(verificationList.map(verifyOne))),
    signFile: sign,
    verifyFile: verify,
    clearError() {
      lastError.value = null
    },
    reset() {
      signs.next()
      verifies.next()
      isSigning.value = false
      isVerifying.value = false
      lastError.value = null
      lastSignature.value = null
      lastVerificationResult.value = null
    },
    digitalSignature,
  }
}

function verifyOne({ data, signature, publicKey, algorithm }: Verification): Promise<boolean> {
  return digitalSignature.verifyAsync(data, signature, publicKey, algorithm)
}

/** The result of {@link useEncryption}. On failure, its promises resolve to `null`, and `error` says why. */
export interface UseEncryptionReturn {
  isLoading: Ref<boolean>
  error: Ref<string | null>
  result: Ref<string | null>
  hasError: ComputedRef<boolean>
  isReady: ComputedRef<boolean>
  encryptText(text: string, password: string): Promise<string | null>
  decryptText(encryptedText: string, password: string): Promise<string | null>
  encryptFile(fileContent: string, password: string): Promise<string | null>
  decryptFile(encryptedContent: string, password: string): Promise<string | null>
  clearError(): void
  reset(): void
}

/**
 * Encrypts texts under a password. It is AES-256-CBC without a tag: it does not detect changes, and all users of the same password have the
 * same key. `useEncryption` of `sealstone/vue` also takes a passphrase, and detects every change.
 *
 * A wrong password is an error; the original gave an empty text.
 */
export function useEncryption(): UseEncryptionReturn {
  const isLoading = ref(false)
  const error = ref<string | null>(null)
  const result = ref<string | null>(null)
  const shown = (work: () => string) =>
    nulling(isLoading, error, () => {
      result.value = null
      const text = work()
      result.value = text
      return text
    })
  return {
    isLoading,
    error,
    result,
    hasError: computed(() => error.value !== null),
    isReady: computed(() => !isLoading.value),
    encryptText: (text, password) => shown(() => base64.encode(sealed(text, password))),
    decryptText: (encryptedText, password) => shown(() => opened(base64.decode(encryptedText), password)),
    encryptFile: (fileContent, password) => shown(() => hex.encode(sealed(base64.encode(fileContent), password))),
    decryptFile: (encryptedContent, password) =>
      shown(() => base64.decode(opened(hex.decode(encryptedContent), password))),
    clearError() {
      error.value = null
    },
    reset() {
      isLoading.value = false
      error.value = null
      result.value = null
    },
  }
}

/** The JSON of a result. */
function sealed(text: string, password: string): string {
  const result = aes.encrypt(text, password, { keySize: 256 })
  if (!result.success) throw new Error(result.error)
  return JSON.stringify(result)
}

function opened(json: string, password: string): string {
  const result = aes.decrypt(JSON.parse(json) as EncryptResult, password, { keySize: 256 })
  if (!result.success || result.data === undefined) throw new Error(result.error)
  return result.data
}

type StoredKey = string | RSAKeyPair

/** The result of {@link useKeyManager}. On failure, its promises resolve to `null`, and `error` says why. */
export interface UseKeyManagerReturn {
  isGenerating: Ref<boolean>
  error: Ref<string | null>
  keys: Ref<Record<string, StoredKey>>
  hasError: ComputedRef<boolean>
  keyCount: ComputedRef<number>
  keyNames: ComputedRef<string[]>
  isReady: ComputedRef<boolean>
  generateAESKey(keySize?: 128 | 192 | 256): Promise<string | null>
  generateRSAKeyPair(keySize?: RSAKeySize): Promise<RSAKeyPair | null>
  generateRandomKey(length?: number): Promise<string | null>
  storeKey(name: string, key: StoredKey): void
  getKey(name: string): StoredKey | null
  removeKey(name: string): boolean
  /** All keys as JSON, unencrypted: whoever has this text has the keys. */
  exportKeys(): string
  importKeys(keysData: string): boolean
  clearError(): void
  clearKeys(): void
}

/** Keys under names, in the memory of the page. They are texts, which JavaScript cannot erase. */
export function useKeyManager(): UseKeyManagerReturn {
  const isGenerating = ref(false)
  const error = ref<string | null>(null)
  const keys = ref<Record<string, StoredKey>>({})
  const generated = <T>(work: () => T | Promise<T>) => nulling(isGenerating, error, work)
  return {
    isGenerating,
    error,
    keys,
    hasError: computed(() => error.value !== null),
    keyCount: computed(() => Object.keys(keys.value).length),
    keyNames: computed(() => Object.keys(keys.value)),
    isReady: computed(() => !isGenerating.value),
    generateAESKey: (keySize = 256) => generated(() => generateSecureKey('AES', keySize)),
    generateRSAKeyPair: (keySize) => generated(() => keyGenerator.generateRSAKeyPairAsync(keySize)),
    generateRandomKey: (length = 32) => generated(() => keyGenerator.generateKey(length)),
    storeKey(name, key) {
      keys.value = { ...keys.value, [name]: key }
    },
    getKey: (name) => (Object.hasOwn(keys.value, name) ? (keys.value[name] ?? null) : null),
    removeKey(name) {
      if (!Object.hasOwn(keys.value, name)) return false
      delete keys.value[name]
      return true
    },
    exportKeys: () => JSON.stringify(keys.value, null, 2),
    importKeys(keysData) {
      try {
        keys.value = { ...keys.value, ...storedKeys(keysData) }
        return true
      } catch (failure) {
        error.value = ErrorHandler.handle(failure)
        return false
      }
    },
    clearError() {
      error.value = null
    },
    clearKeys() {
      keys.value = {}
    },
  }
}

function storedKeys(json: string): Record<string, StoredKey> {
  const isKey = (key: unknown): boolean => {
    if (typeof key === 'string') return true
    const { publicKey, privateKey } = (key ?? {}) as Partial<RSAKeyPair>
    return typeof publicKey === 'string' && typeof privateKey === 'string'
  }
  const stored: unknown = JSON.parse(json)
  if (typeof stored === 'object' && stored !== null && !Array.isArray(stored) && Object.values(stored).every(isKey)) {
    return stored as Record<string, StoredKey>
  }
  throw new ValidationError('the text has no keys under names')
}

/** Knows which call was the last. Earlier calls, and calls from before a reset, no longer show anything. */
class Calls {
  #last = 0

  /** Begins a call. The returned function says whether it is still the last one. */
  next(): () => boolean {
    const own = ++this.#last
    return () => own === this.#last
  }

  /** Runs work as {@link rejecting}, and shows its result if it is still the last call. */
  run<T>(busy: Ref<boolean>, error: Ref<string | null>, work: () => T | Promise<T>, show: (result: T) => void) {
    const isLast = this.next()
    const shown = async (): Promise<T> => {
      const result = await work()
      if (isLast()) show(result)
      return result
    }
    return rejecting(busy, error, shown, isLast)
  }
}

/** Runs work. A failure rejects the promise, and stays visible. */
async function rejecting<T>(
  busy: Ref<boolean>,
  error: Ref<string | null>,
  work: () => T | Promise<T>,
  isLast: () => boolean = () => true,
): Promise<T> {
  busy.value = true
  error.value = null
  try {
    return await work()
  } catch (failure) {
    if (isLast()) error.value = ErrorHandler.handle(failure, 'Unknown error')
    throw failure
  } finally {
    busy.value = false
  }
}

/** Runs work. A failure gives `null`, and stays visible. */
async function nulling<T>(
  busy: Ref<boolean>,
  error: Ref<string | null>,
  work: () => T | Promise<T>,
): Promise<T | null> {
  try {
    return await rejecting(busy, error, work)
  } catch {
    return null
  }
}

export interface CryptoPluginOptions {
  /** The name in templates: `$crypto` by default. */
  globalPropertyName?: string
  /** Whether templates also have the composables, as `$useCrypto` and so on; `true` by default. */
  registerComposables?: boolean
  /** The object that components can inject as `cryptoConfig`. Nothing here reads it. */
  config?: {
    defaultAESKeySize?: 128 | 192 | 256
    defaultRSAKeySize?: 1024 | 2048 | 3072 | 4096
    defaultHashAlgorithm?: HashAlgorithm
    defaultEncoding?: 'base64' | 'hex' | 'utf8'
  }
}

/** The object that components inject as `crypto`, and templates have as `$crypto`. */
export interface GlobalCrypto {
  encrypt: typeof encrypt
  decrypt: typeof decrypt
  hash: typeof hash
  hmac: typeof hmac
  keyGenerator: typeof keyGenerator
  digitalSignature: typeof digitalSignature
  aes: typeof aes
  rsa: typeof rsa
  encoding: typeof encoding
  base64: typeof base64
  hex: typeof hex
  useCrypto: typeof useCrypto
  useHash: typeof useHash
  useSignature: typeof useSignature
}

/** The plugin: `app.use(CryptoPlugin, options)`. */
export const CryptoPlugin: Plugin<[options?: CryptoPluginOptions | undefined]> = {
  install(app: App, options: CryptoPluginOptions = {}) {
    const { globalPropertyName = '$crypto', registerComposables = true, config = {} } = options
    const everything: GlobalCrypto = {
      encrypt,
      decrypt,
      hash,
      hmac,
      keyGenerator,
      digitalSignature,
      aes,
      rsa,
      encoding,
      base64,
      hex,
      useCrypto,
      useHash,
      useSignature,
    }
    const { globalProperties } = app.config
    globalProperties[globalPropertyName] = everything
    app.provide('crypto', everything)
    app.provide('cryptoConfig', config)
    if (registerComposables) {
      globalProperties.$useCrypto = useCrypto
      globalProperties.$useHash = useHash
      globalProperties.$useSignature = useSignature
    }
  },
}

export default CryptoPlugin

/** The same as `app.use(CryptoPlugin, options)`. */
export function installCrypto(app: App, options?: CryptoPluginOptions): void {
  app.use(CryptoPlugin, options)
}

/** The plugin with its options: `app.use(createCryptoPlugin(options))`. */
export function createCryptoPlugin(options?: CryptoPluginOptions): Plugin<[]> {
  return { install: (app: App) => installCrypto(app, options) }
}
