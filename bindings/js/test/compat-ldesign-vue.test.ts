// The composables of @ldesign/crypto's names: their states and results, and the texts that they write and read.

import { expect, test } from 'vitest'
import { createSSRApp, effectScope, inject } from 'vue'
import { aes, base64, hex, type RSAKeyPair } from '../src/extras/ldesign/index.js'
import CryptoPlugin, {
  createCryptoPlugin,
  type GlobalCrypto,
  installCrypto,
  useCrypto,
  useEncryption,
  useHash,
  useKeyManager,
  useSignature,
} from '../src/extras/ldesign/vue.js'

const TEXT = 'hello 世界 😀'

test('useCrypto encrypts and decrypts, and shows the result', async () => {
  const { decryptAES, encryptAES, isEncrypting, isDecrypting, lastError, lastResult, reset } = useCrypto()
  const encrypting = encryptAES(TEXT, 'password 密码', { keySize: 128 })
  expect(isEncrypting.value).toBe(true)
  const sealed = await encrypting
  expect(sealed).toMatchObject({ success: true, algorithm: 'AES', mode: 'CBC', keySize: 128 })
  expect([isEncrypting.value, lastResult.value]).toEqual([false, sealed])
  expect(await decryptAES(sealed, 'password 密码')).toMatchObject({ success: true, data: TEXT })
  expect([isDecrypting.value, lastError.value]).toEqual([false, null])
  // Failures that stand in a result are shown too.
  expect(await encryptAES('x', '')).toMatchObject({ success: false })
  expect(lastError.value).toBeTypeOf('string')
  reset()
  expect([lastError.value, lastResult.value]).toEqual([null, null])
})

test('useCrypto encodes and makes random keys, and rejects what is wrong', async () => {
  const {
    clearError,
    decodeBase64,
    decodeHex,
    encodeBase64,
    encodeHex,
    generateIV,
    generateKey,
    generateSalt,
    lastError,
  } = useCrypto()
  expect(await decodeBase64(await encodeBase64(TEXT))).toBe(TEXT)
  expect(await decodeHex(await encodeHex(TEXT))).toBe(TEXT)
  expect([(await generateKey(16)).length, (await generateSalt()).length, (await generateIV()).length]).toEqual([
    32, 32, 32,
  ])
  await expect(decodeHex('no digits')).rejects.toThrow('Failed to decode Hex')
  expect(lastError.value).toContain('Failed to decode Hex')
  clearError()
  expect(lastError.value).toBeNull()
})

test('RSA encrypts and signs, with promises, everywhere', async () => {
  const { decryptRSA, encryptRSA, generateRSAKeyPair } = useCrypto()
  const { publicKey, privateKey } = await generateRSAKeyPair(2048)
  const sealed = await encryptRSA(TEXT, publicKey)
  expect(await decryptRSA(sealed, privateKey)).toMatchObject({ success: true, data: TEXT })

  const signatures = useSignature()
  const signature = await signatures.sign(TEXT, privateKey)
  expect(signatures.lastSignature.value).toBe(signature)
  expect(await signatures.verify(TEXT, signature, publicKey)).toBe(true)
  expect(await signatures.verify('x', signature, publicKey)).toBe(false)
  expect(signatures.lastVerificationResult.value).toBe(false)
  const [one, two] = await signatures.signMultiple(['a', 'b'], privateKey, 'sha512')
  const items = [
    { data: 'a', signature: one as string, publicKey, algorithm: 'sha512' },
    { data: 'a', signature: two as string, publicKey, algorithm: 'sha512' },
  ]
  expect(await signatures.verifyMultiple(items)).toEqual([true, false])
  await expect(signatures.signFile(TEXT, 'no key')).rejects.toThrow()
  expect([signatures.lastError.value === null, signatures.isLoading.value]).toEqual([false, false])
  expect(await signatures.verifyFile(TEXT, signature, publicKey)).toBe(true)
})

test('what an older call, or one of before a reset, comes to is not shown', async () => {
  const { publicKey, privateKey } = await useKeyManager()
    .generateRSAKeyPair(2048)
    .then((pair) => pair as RSAKeyPair)
  const { lastVerificationResult, sign, verify, verifyMultiple } = useSignature()
  const long = 'x'.repeat(16 << 20)
  const signature = await sign(long, privateKey)
  const older = verify(long, signature, publicKey)
  expect([await verify('forged', signature, publicKey), await older]).toEqual([false, true])
  expect(lastVerificationResult.value).toBe(false)
  const several = verifyMultiple([{ data: long, signature, publicKey }])
  expect([await several, lastVerificationResult.value]).toEqual([[true], null])

  const { decryptRSA, encryptRSA, lastError, lastResult, reset } = useCrypto()
  const sealed = await encryptRSA(TEXT, publicKey)
  const failing = expect(encryptRSA(TEXT, 'no key')).rejects.toThrow()
  const opening = decryptRSA(sealed, privateKey)
  reset()
  expect(await opening).toMatchObject({ data: TEXT })
  await failing
  expect([lastResult.value, lastError.value]).toEqual([null, null])
})

test('useHash computes digests and HMACs', async () => {
  const { hashData, hashMultiple, hmacData, hmacSha256, isLoading, lastHash, md5, sha256, verify, verifyHmac } =
    useHash()
  expect(await md5('abc')).toBe('900150983cd24fb0d6963f7d28e17f72')
  expect(lastHash.value).toBe('900150983cd24fb0d6963f7d28e17f72')
  expect(await hashData('abc', 'SHA1', { encoding: 'base64' })).toBe('qZk+NkcGgWq6PiVxeFDCbJzQ2J0=')
  expect(await hashMultiple(['abc', 'abd'])).toEqual([await sha256('abc'), await sha256('abd')])
  expect([await verify('abc', await sha256('abc')), await verify('abd', await sha256('abc'))]).toEqual([true, false])
  const tag = await hmacSha256('what do ya want for nothing?', 'Jefe')
  expect(tag).toBe('5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843')
  expect([await hmacData('what do ya want for nothing?', 'Jefe'), isLoading.value]).toEqual([tag, false])
  expect([await verifyHmac('x', 'Jefe', tag), await verifyHmac('what do ya want for nothing?', 'Jefe', tag)]).toEqual([
    false,
    true,
  ])
  await expect(hashData('abc', 'ROT13' as never)).rejects.toThrow('ROT13')
})

test('useEncryption writes one text, which the original reads and of which it wrote many', async () => {
  const { decryptFile, decryptText, encryptFile, encryptText, error, hasError, isReady, result } = useEncryption()
  const text = (await encryptText(TEXT, 'secret')) as string
  expect(result.value).toBe(text)
  const inner = JSON.parse(base64.decode(text))
  expect(inner).toMatchObject({
    success: true,
    algorithm: 'AES',
    mode: 'CBC',
    keySize: 256,
    iv: expect.stringMatching(/^[0-9a-f]{32}$/),
  })
  expect(aes.decrypt(inner, 'secret').data).toBe(TEXT)
  expect(await decryptText(text, 'secret')).toBe(TEXT)
  const file = (await encryptFile(TEXT, 'secret')) as string
  expect(aes.decrypt(JSON.parse(hex.decode(file)), 'secret').data).toBe(base64.encode(TEXT))
  expect([await decryptFile(file, 'secret'), error.value, isReady.value]).toEqual([TEXT, null, true])
  // A wrong password gave an empty text and no error.
  expect(await decryptText(text, 'wrong')).toBeNull()
  expect([hasError.value, result.value]).toEqual([true, null])
  for (const no of ['', 'no base64', base64.encode('no JSON'), base64.encode('null'), base64.encode('{}')]) {
    expect(await decryptText(no, 'secret')).toBeNull()
  }
})

test('useKeyManager holds keys under names, and no others', async () => {
  const {
    clearKeys,
    error,
    exportKeys,
    generateAESKey,
    generateRandomKey,
    getKey,
    importKeys,
    keyCount,
    keyNames,
    removeKey,
    storeKey,
  } = useKeyManager()
  const key = (await generateAESKey(128)) as string
  expect([key.length, (await generateRandomKey())?.length]).toEqual([32, 64])
  expect([await generateAESKey(16 as never), await generateRandomKey(0)]).toEqual([null, null])
  storeKey('mine', key)
  storeKey('pair', { publicKey: 'a', privateKey: 'b' })
  expect([keyCount.value, keyNames.value, getKey('mine')]).toEqual([2, ['mine', 'pair'], key])
  for (const name of ['constructor', '__proto__', 'none'])
    expect([getKey(name), removeKey(name)]).toEqual([null, false])
  const text = exportKeys()
  clearKeys()
  expect([keyCount.value, importKeys(text), getKey('pair')]).toEqual([0, true, { publicKey: 'a', privateKey: 'b' }])
  for (const no of ['no JSON', '5', '[]', '{"a":5}', '{"a":null}']) expect(importKeys(no)).toBe(false)
  expect(error.value).toBeTypeOf('string')
  expect([removeKey('mine'), keyCount.value]).toEqual([true, 1])
})

test('the plugin gives an application all of it', () => {
  for (const install of [
    (app: ReturnType<typeof createSSRApp>) =>
      app.use(CryptoPlugin, { globalPropertyName: '$c', config: { defaultEncoding: 'hex' } }),
    (app: ReturnType<typeof createSSRApp>) =>
      app.use(createCryptoPlugin({ globalPropertyName: '$c', config: { defaultEncoding: 'hex' } })),
    (app: ReturnType<typeof createSSRApp>) =>
      installCrypto(app, { globalPropertyName: '$c', config: { defaultEncoding: 'hex' } }),
  ]) {
    const app = createSSRApp({})
    install(app)
    const { $c, $useHash } = app.config.globalProperties as { $c?: GlobalCrypto; $useHash?: typeof useHash }
    expect($c?.hash.md5('abc')).toBe('900150983cd24fb0d6963f7d28e17f72')
    expect($useHash).toBe(useHash)
    expect(app.runWithContext(() => [inject('crypto') === $c, inject('cryptoConfig')])).toEqual([
      true,
      { defaultEncoding: 'hex' },
    ])
  }
  const plain = createSSRApp({}).use(CryptoPlugin, { registerComposables: false })
  expect(plain.config.globalProperties).toMatchObject({ $crypto: { useHash } })
  expect(plain.config.globalProperties).not.toHaveProperty('$useHash')
  const scope = effectScope()
  expect(scope.run(() => useHash().isHashing.value)).toBe(false)
  scope.stop()
})
