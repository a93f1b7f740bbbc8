import { expect, test, vi } from 'vitest'
import { aead, aeadKeyLength } from '../src/api/aead.js'
import { hash, hashAsync, hashFile, hashStream, hashText } from '../src/api/hash.js'
import { cipher } from '../src/api/hazmat.js'
import {
  type BytesLike,
  chunkedKey,
  decrypt,
  decryptBatch,
  decryptFile,
  decryptIntoSync,
  decryptRange,
  decryptRangeFile,
  decryptRangeSync,
  decryptSync,
  type EncryptOptions,
  encrypt,
  encryptBatch,
  encryptedLength,
  encryptFile,
  encryptIntoSync,
  encryptSync,
  exportIdentity,
  exportRecipient,
  generateIdentity,
  importIdentity,
  importIdentitySync,
  inspectSync,
  openMessage,
  openMessageSync,
  type Progress,
  type Recipient,
  type RunOptions,
  recipientOf,
  rewrap,
  rewrapFile,
  rewrapSync,
  SealstoneError,
  type SealstoneErrorCode,
  sealMessage,
  sealMessageSync,
  verifyFile,
} from '../src/api/index.js'
import { mac } from '../src/api/mac.js'
import { turn } from '../src/basics/turn.js'
import { createKeyPair, makeSecret, verifyMessage } from '../src/extras/yuants.js'
import { compare, concat, flip, pattern, SharedMemory, textOf } from './data.js'
import { endsInTheMiddle, goesOnElsewhere, hastyClock, turnsOf } from './turns.js'

const identity = generateIdentity('x25519')
const identities = identity
const recipients = recipientOf(identity)
/** Around chunks, the inline threshold, units and turns. */
const LENGTHS = [0, 1, 16_383, 16_384, 16_385, 65_536, 65_537, 262_144, 262_145, 1_048_577, 5_000_000]

const code = (code: string) => expect.objectContaining({ name: 'SealstoneError', code })

test('what is encrypted decrypts, at every length and by every way', async () => {
  for (const len of LENGTHS) {
    const data = pattern(len)
    const kept = data.slice()
    const files = [
      encryptSync(data, { recipients }),
      await encrypt(data, { recipients }),
      await encrypt(data, { recipients, threads: 1 }),
      encryptIntoSync(data, new Uint8Array(encryptedLength(len, { recipients })), { recipients }),
      encryptSync(data, { recipients, armour: true }),
      await encrypt(data, { recipients, armour: true }),
    ]
    for (const file of files) {
      expect(compare(decryptSync(file, { identities }), data)).toBe(0)
      expect(compare(await decrypt(file, { identities }), data)).toBe(0)
      const out = new Uint8Array(len + 9).fill(9)
      expect(compare(decryptIntoSync(file, out, { identities }), data)).toBe(0)
      expect(out.subarray(len)).toEqual(new Uint8Array(9).fill(9))
    }
    expect(compare(data, kept)).toBe(0)
  }
})

test('bytes come in every form, and go out as arrays of their own', () => {
  const text = 'grüße 🦭'
  const bytes = new TextEncoder().encode(text)
  const inside = new Uint8Array(bytes.length + 20)
  inside.set(bytes, 7)
  const forms: BytesLike[] = [
    text,
    bytes,
    ...(typeof Buffer === 'undefined' ? [] : [Buffer.from(text)]),
    bytes.buffer.slice(0, bytes.length),
    inside.subarray(7, 7 + bytes.length),
    new DataView(inside.buffer, 7, bytes.length),
  ]
  for (const form of forms) {
    const plaintext = decryptSync(encryptSync(form, { recipients }), { identities })
    expect(new TextDecoder().decode(plaintext)).toBe(text)
    expect(Object.getPrototypeOf(plaintext)).toBe(Uint8Array.prototype)
  }
})

test('memory that is shared, detached or resizable is refused, and so is what is no bytes', async () => {
  const detached = new Uint8Array(100)
  structuredClone(detached, { transfer: [detached.buffer] })
  const Resizable = ArrayBuffer as unknown as new (len: number, options: { maxByteLength: number }) => ArrayBuffer
  const bad: unknown[] = [
    new Uint8Array(new SharedMemory(8)),
    new DataView(new SharedMemory(8)),
    new SharedMemory(8),
    detached,
    detached.buffer,
    new Uint8Array(new Resizable(8, { maxByteLength: 16 })),
    new Uint16Array(8),
    [1, 2, 3],
    8,
    null,
    undefined,
    {},
    'a lone \ud800 surrogate',
  ]
  for (const data of bad) {
    expect(() => encryptSync(data as BytesLike, { recipients })).toThrow(TypeError)
    expect(() => decryptSync(data as BytesLike, { identities })).toThrow(TypeError)
    await expect((async () => encrypt(data as BytesLike, { recipients }))()).rejects.toThrow(TypeError)
    expect(() => encryptIntoSync('', data as Uint8Array, { recipients })).toThrow(TypeError)
  }
})

test('an output may lie over the input, and is refused when it is too short', () => {
  for (const memory of [new Uint8Array(200_000), ...(typeof Buffer === 'undefined' ? [] : [Buffer.alloc(200_000)])]) {
    memory.set(pattern(100_000), 50)
    const file = encryptIntoSync(memory.subarray(50, 100_050), memory, { recipients })
    expect(file.buffer).toBe(memory.buffer)
    expect(compare(decryptIntoSync(file, memory, { identities }), pattern(100_000))).toBe(0)
  }
  const needed = encryptedLength(10, { recipients })
  expect(() => encryptIntoSync('0123456789', new Uint8Array(needed - 1), { recipients })).toThrow(RangeError)
  expect(() => encryptedLength(-1, { recipients })).toThrow(TypeError)
  expect(() => encryptedLength(2 ** 52, { recipients })).toThrow(code('too_long'))
})

test('a failed decryption leaves nothing in the memory it was given', () => {
  for (const len of [100_000, 3_000_000]) {
    const file = encryptSync(pattern(len), { recipients })
    flip(file, file.length - 1)
    const out = new Uint8Array(len).fill(9)
    expect(() => decryptIntoSync(file, out, { identities })).toThrow(code('not_authentic'))
    expect(out.every((byte) => byte === 0)).toBe(true)
  }
})

test('the lowest chunk that is not authentic is named, whoever finds it', async () => {
  const file = encryptSync(pattern(8_000_000), { recipients })
  const payload = inspectSync(file).headerLen + 56
  for (const chunk of [17, 200, 400]) flip(file, payload + chunk * 16_400)
  expect(() => decryptSync(file, { identities })).toThrow('chunk 17 is not authentic')
  await expect(decrypt(file, { identities })).rejects.toThrow('chunk 17 is not authentic')
})

test('passphrases, keys, contexts, suites and profiles do what they do in the core', async () => {
  const key = pattern(32)
  const ways: EncryptOptions[] = [
    { passphrase: 'correct horse' },
    { key },
    { recipients: [recipients], key, context: 'record 17', suite: 'chacha20-poly1305' },
    { recipients: [String(recipients), recipientOf(generateIdentity('x25519'))] },
    { recipients: recipientOf(generateIdentity('p256')), key, profile: undefined as never },
  ]
  for (const options of ways) {
    const file = await encrypt('attack at dawn', options)
    const { passphrase, context } = options
    const own = { ...(passphrase && { passphrase }), ...(options.key && { key }), ...(context && { context }) }
    const plaintext = await decrypt(file, { identities, ...own })
    expect(textOf(plaintext)).toBe('attack at dawn')
    if (context) await expect(decrypt(file, { identities })).rejects.toThrow(code('context_required'))
  }
  expect(inspectSync(encryptSync('x', ways[2] as EncryptOptions))).toMatchObject({
    suite: 'chacha20-poly1305',
    contextBound: true,
    armoured: false,
    plaintextLen: 1,
    chunks: 1,
    stanzas: [{ kind: 'x25519' }, { kind: 'key' }],
  })
  const hybrid = recipientOf(generateIdentity())
  expect(() => encryptSync('x', { recipients: [recipients, hybrid] })).toThrow(code('mixed_recipients'))
  expect(encryptSync('x', { recipients: [recipients, hybrid], allowMixed: true })).toBeInstanceOf(Uint8Array)
  expect(() => encryptSync('x', { recipients: hybrid, profile: 'fips' })).toThrow(code('not_in_profile'))
  expect(() => encryptSync('x', {})).toThrow(code('invalid_recipients'))
  expect(() => encryptSync('x', { recipients, passphrase: 'y' })).toThrow(code('invalid_recipients'))
  expect(() => encryptSync('x', { recipients, context: '' })).toThrow(code('invalid_context'))
  expect(() => encryptSync('x', { recipients, suite: 'rot13' as never })).toThrow(code('unknown_algorithm'))
  await expect(decrypt('x', { identities })).rejects.toThrow(code('not_sealstone'))
})

test('a name that nobody knows is quoted if it is like a known one, and not where it may be a secret', () => {
  const any = (name: string) => name as never
  const options = { passphrase: 'x' }
  const misspelt: [string, () => unknown, string][] = [
    ['aes-256-gmc', () => aead(any('aes-256-gmc'), ''), 'aes-256-gcm'],
    ['AES-GCM', () => aeadKeyLength(any('AES-GCM')), 'aes-256-gcm'],
    ['SHA-256', () => hash(any('SHA-256'), ''), 'sha256'],
    ['Hex', () => hashText('sha256', '', any('Hex')), 'hex'],
    ['aes256-cbc', () => cipher(any('aes256-cbc'), ''), 'aes-256-cbc'],
    ['ed25519', () => generateIdentity(any('ed25519')), 'x25519'],
    ['PEM', () => exportRecipient(recipients, any('PEM')), 'pem'],
    ['chacha20poly1305', () => encryptSync('', { ...options, suite: any('chacha20poly1305') }), 'chacha20-poly1305'],
    ['FIPS', () => encryptSync('', { ...options, profile: any('FIPS') }), 'fips'],
  ]
  for (const [name, work, known] of misspelt) {
    const message = expect.stringMatching(`^unknown algorithm "${name}"; expected one of: .*\\b${known}\\b`)
    expect(work, name).toThrow(expect.objectContaining({ code: 'unknown_algorithm', message }))
  }
  const key = textOf(new Uint8Array(16).fill(97))
  for (const secret of ['hunter2', '00'.repeat(16), key, 'a'.repeat(100_000), 'aes-256-gcm'.padEnd(40), '']) {
    expect(() => aead(any(secret), '')).toThrow(/^unknown algorithm; expected one of: aes-128-gcm, /)
  }
})

test('codes are a union: the compiler finds one that is misspelt', () => {
  const found: SealstoneErrorCode = 'not_authentic'
  // @ts-expect-error: no code has this name
  const misspelt: SealstoneErrorCode = 'not_authentc'
  expect(found).not.toBe(misspelt)
})

test('a wrong passphrase is called so where one was tried on a file that has one, with the code of every wrong key', async () => {
  const file = encryptSync('x', { passphrase: 'right' })
  const wrong = { code: 'no_matching_identity', message: 'wrong passphrase' }
  const options = { passphrase: 'wrong' }
  expect(() => decryptSync(file, options)).toThrow(expect.objectContaining(wrong))
  await expect(decrypt(file, { ...options, identities })).rejects.toMatchObject(wrong)
  await expect(
    decrypt(new Blob([file]), options)
      .getReader()
      .read(),
  ).rejects.toMatchObject(wrong)
  await expect(decryptRange(file, 0, 1, options)).rejects.toMatchObject(wrong)
  // For whom the file is anyone can see.
  const other = { code: 'no_matching_identity', message: 'no identity opens this file' }
  expect(() => decryptSync(file, { identities })).toThrow(expect.objectContaining(other))
  expect(() => decryptSync(encryptSync('x', { recipients }), options)).toThrow(expect.objectContaining(other))
})

test('options are own properties that are known, each read once', () => {
  const options = { recipients, recipient: recipients } as EncryptOptions
  expect(() => encryptSync('x', options)).toThrow('unknown option: recipient')
  expect(() => encryptSync('x', { recipients, armor: true } as never)).toThrow(/: armor; there are .*armour/)
  expect(() => decryptSync('x', { identities, armor: true } as never)).toThrow(/: armor; there are identities, /)
  for (const wrong of [
    { suite: 1 },
    { armour: 'yes' },
    { threads: 0.5 },
    { threads: 0 },
    { threads: 1025 },
    { threads: 65_535 },
    { allowMixed: 1 },
    { context: 1 },
  ]) {
    expect(() => encryptSync('x', { recipients, ...wrong } as never)).toThrow(TypeError)
  }
  expect(() => encryptSync('x', null as never)).toThrow(TypeError)
  const read = vi.fn(() => 'chacha20-poly1305' as const)
  const counted = Object.defineProperty({ recipients }, 'suite', { get: read, enumerable: true })
  encryptSync('x', counted)
  expect(read).toHaveBeenCalledTimes(1)
})

test('options without anything to decrypt with are a wrong argument, not a wrong key', async () => {
  const file = encryptSync('x', { recipients, key: new Uint8Array(32) })
  const out = new Uint8Array(99)
  for (const options of [{}, { identities: [] }]) {
    for (const work of [
      () => decryptSync(file, options),
      () => decryptIntoSync(file, out, options),
      () => decryptRangeSync(file, 0, 1, options),
      () => decrypt(file, options),
      () => decryptRange(file, 0, 1, options),
      () => decryptBatch([file], options),
      () => decryptFile('there', 'new', options),
      () => decryptRangeFile('there', 0, 1, options),
      () => verifyFile('there', options),
      () => rewrapSync(file, { recipients, ...options } as never),
      () => rewrap(file, { recipients, ...options } as never),
      () => rewrapFile('there', { recipients, ...options } as never),
    ]) {
      const error = await (async () => work())().catch((error) => error)
      expect(error, String(work)).toMatchObject({
        code: 'invalid_argument',
        message: expect.stringMatching(/ needed$/),
      })
    }
  }
  expect(decryptSync(file, { identities: [], key: new Uint8Array(32) })).toHaveLength(1)
})

test('a key in the place of the options is refused', () => {
  const keys = [identity, recipients, chunkedKey('aes-256-gcm', new Uint8Array(32))] as never[]
  for (const key of keys) {
    for (const work of [() => encryptSync('x', key), () => decryptSync('x', key)]) {
      expect(work).toThrow('the options must be an object with named properties')
    }
  }
  expect(() => encryptSync('x', {})).toThrow(code('invalid_recipients'))
  expect(encryptSync('x', Object.assign(Object.create({ suite: 'none' }), { recipients })).length).toBeGreaterThan(1)
})

test('any number of threads makes a file that opens', async () => {
  const data = pattern(3_000_000)
  for (const threads of [1, 2, 1024]) {
    expect(compare(decryptSync(encryptSync(data, { recipients, threads }), { identities, threads }), data)).toBe(0)
    const file = await encrypt(data, { recipients, threads })
    expect(compare(await decrypt(file, { identities, threads }), data)).toBe(0)
  }
})

test('options are read before bytes: what an option transfers away is refused, by every function', async () => {
  const key = new Uint8Array(32)
  const pair = createKeyPair()
  const chunked = chunkedKey('aes-256-gcm', key)
  const block = cipher('sm4-cbc', new Uint8Array(16))
  const gcm = aead('aes-256-gcm', key)
  const sealed = gcm.sealRandom(undefined, 'one')
  const file = encryptSync('attack at dawn', { recipients })
  const message = sealMessageSync(recipients, 'attack at dawn')
  const other = recipientOf(generateIdentity('x25519'))
  /** Options with one more, which takes the memory away when it is read. */
  const taking = <T extends object>(bytes: Uint8Array, options: T, name: string, value?: string | Uint8Array): T =>
    Object.defineProperty((Array.isArray(options) ? [...options] : { ...options }) as T, name, {
      enumerable: true,
      get() {
        structuredClone(bytes.buffer, { transfer: [bytes.buffer as ArrayBuffer] })
        return value
      },
    })
  const calls: Record<string, (bytes: Uint8Array) => unknown> = {
    encryptSync: (bytes) => encryptSync(bytes, taking(bytes, { recipients }, 'suite')),
    encryptIntoSync: (bytes) => encryptIntoSync(bytes, new Uint8Array(999), taking(bytes, { recipients }, 'suite')),
    outputOfEncryptIntoSync: (bytes) => encryptIntoSync('', bytes, taking(bytes, { recipients }, 'suite')),
    decryptSync: (bytes) => decryptSync(bytes, taking(bytes, { identities }, 'profile')),
    decryptIntoSync: (bytes) => decryptIntoSync(bytes, new Uint8Array(99), taking(bytes, { identities }, 'profile')),
    outputOfDecryptIntoSync: (bytes) => decryptIntoSync(file, bytes, taking(bytes, { identities }, 'profile')),
    decryptRangeSync: (bytes) => decryptRangeSync(bytes, 0, 1, taking(bytes, { identities }, 'profile')),
    rewrapSync: (bytes) => rewrapSync(bytes, taking(bytes, { identities, recipients: other }, 'profile')),
    encrypt: (bytes) => encrypt(bytes, taking(bytes, { recipients }, 'signal')),
    decrypt: (bytes) => decrypt(bytes, taking(bytes, { identities }, 'signal')),
    decryptRange: (bytes) => decryptRange(bytes, 0, 1, taking(bytes, { identities }, 'signal')),
    rewrap: (bytes) => rewrap(bytes, taking(bytes, { identities, recipients: other }, 'signal')),
    encryptBatch: (bytes) => encryptBatch([bytes], taking(bytes, { recipients }, 'signal')),
    decryptBatch: (bytes) => decryptBatch([bytes], taking(bytes, { identities }, 'signal')),
    itemsOfEncryptBatch: (bytes) => encryptBatch(taking(bytes, [bytes, 'two'], '1'), { recipients }),
    contextOfEncryptSync: (context) =>
      encryptSync('', { context, recipients: taking(context, [recipients], '0', String(recipients)) }),
    contextOfDecryptSync: (context) =>
      decryptSync(file, { context, identities: taking(context, [identity], '0', exportIdentity(identity)) }),
    keyOfEncryptSync: (bytes) => encryptSync('', taking(bytes, { key: bytes }, 'suite')),
    sealMessage: (bytes) => sealMessage(recipients, bytes, taking(bytes, {}, 'armour')),
    sealMessageSync: (bytes) => sealMessageSync(recipients, bytes, taking(bytes, {}, 'aad')),
    openMessage: (bytes) => openMessage(identity, bytes, taking(bytes, {}, 'signal')),
    openMessageSync: (bytes) => openMessageSync(identity, bytes, taking(bytes, {}, 'aad')),
    aadOfOpenMessage: (aad) => openMessage(identity, message, taking(aad, { aad }, 'signal')),
    chunkedEncrypt: (bytes) => chunked.encrypt(bytes, new Blob(['x']), taking(bytes, {}, 'signal')),
    chunkedDecrypt: (bytes) => chunked.decrypt(bytes, new Blob(['x']), taking(bytes, {}, 'signal')),
    chunkedStream: (bytes) => chunked.encryptionStream(bytes, taking(bytes, {}, 'signal')),
    encryptFile: (path) => encryptFile(path, '/dev/null', taking(path, { recipients }, 'replace')),
    decryptFile: (path) => decryptFile('/dev/null', path, taking(path, { identities }, 'replace')),
    verifyFile: (path) => verifyFile(path, taking(path, { identities }, 'signal')),
    rewrapFile: (path) => rewrapFile(path, taking(path, { identities, recipients: other }, 'signal')),
    decryptRangeFile: (path) => decryptRangeFile(path, 0, 1, taking(path, { identities }, 'signal')),
    hashFile: (path) => hashFile('sha256', path, taking(path, {}, 'signal')),
    importIdentity: (bytes) => importIdentity(bytes, taking(bytes, {}, 'passphrase')),
    importIdentitySync: (bytes) => importIdentitySync(bytes, taking(bytes, {}, 'passphrase')),
    verifyMessage: (bytes) => verifyMessage(bytes, '1', pair.public_key, taking(bytes, {}, 'malleable')),
    cipherEncrypt: (bytes) => block.encrypt(key.subarray(0, 16), bytes, taking(bytes, {}, 'padding')),
    ivOfCipherDecrypt: (iv) => block.decrypt(iv, key, taking(iv, {}, 'padding')),
    aadOfSealBatch: (aad) => gcm.sealBatch(taking(aad, ['one'], '0', 'one'), aad),
    aadOfOpenBatch: (aad) => gcm.openBatch(taking(aad, [sealed], '0', sealed), aad),
    makeSecret: (bytes) => makeSecret(bytes, taking(bytes, { a: 'b' }, 'c', 'd'), pair.public_key, pair),
  }
  for (const [name, work] of Object.entries(calls)) {
    const bytes = pattern(300)
    const error = await (async () => work(bytes))().catch((error) => error)
    expect(bytes.byteLength, name).toBe(0)
    expect(error, name).toBeInstanceOf(TypeError)
    expect(error, name).toMatchObject({ code: 'invalid_argument' })
    expect((error as Error).message, name).toMatch(/was transferred and is detached$/)
  }
})

test('a polluted prototype changes nothing', () => {
  const polluted = { suite: 'sm4-gcm', armour: true, passphrase: 'evil', context: 'evil', code: 'evil' }
  Object.assign(Object.prototype, polluted)
  try {
    const file = encryptSync('x', { recipients })
    expect(inspectSync(file)).toMatchObject({ suite: 'aes-256-gcm', contextBound: false, armoured: false })
    expect(decryptSync(file, { identities })).toHaveLength(1)
  } finally {
    for (const name of Object.keys(polluted)) delete (Object.prototype as Record<string, unknown>)[name]
  }
})

test('an asynchronous encryption owns what it reads, once it has begun', async () => {
  const data = pattern(3_000_000)
  const promise = encrypt(data, { recipients })
  const seen = promise.then((file) => decryptSync(file, { identities }))
  await promise
  data.fill(0)
  expect(compare(await seen, pattern(3_000_000))).toBe(0)
})

test('memory that is transferred away in the middle of the work is a TypeError', async () => {
  // More than is handed over in one turn, each of which has one part by this clock.
  const file = encryptSync(new Uint8Array(10_000_000), { recipients })
  const clock = hastyClock()
  const works: Record<string, (data: Uint8Array<ArrayBuffer>) => Promise<unknown>> = {
    encrypt: (data) => encrypt(data, { recipients }),
    'encrypt, armoured': (data) => encrypt(data, { recipients, armour: true }),
    decrypt: (data) => decrypt(data, { identities }),
    decryptRange: (data) => decryptRange(data, 0, 1, { identities }),
    rewrap: (data) => rewrap(data, { identities, recipients }),
  }
  for (const [name, work] of Object.entries(works)) {
    const data = new Uint8Array(file)
    const promise = work(data)
    void turn().then(() => structuredClone(data, { transfer: [data.buffer] }))
    await expect(promise, name).rejects.toThrow(TypeError)
    await expect(promise, name).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringMatching(/^the (data|file) was transferred and is detached$/),
    })
  }
  clock.mockRestore()
})

test('a signal ends the work with its reason, before it and in it', async () => {
  const reason = new Error('enough')
  const aborted = AbortSignal.abort(reason)
  await expect(encrypt('x', { recipients, signal: aborted })).rejects.toBe(reason)
  await expect(decrypt(encryptSync('x', { recipients }), { identities, signal: aborted })).rejects.toBe(reason)
  const data = pattern(10_000_000)
  await endsInTheMiddle((signal) => encrypt(data, { recipients, signal }))
  await expect(encrypt('x', { recipients, signal: {} as never })).rejects.toThrow(TypeError)
})

test('a large file that was damaged fails as it does at once, wherever that is', async () => {
  const file = encryptSync(pattern(3_000_000), { recipients })
  const headLen = file.length - 3_000_000 - 184 * 16
  const places = [0, 20, 100, headLen, headLen + 16_383, headLen + 16_384, 2_000_000, file.length - 17, file.length - 1]
  const damaged = places.map((at) => file.map((byte, i) => (i === at ? byte ^ 1 : byte)))
  const cut = [1, 16, 17, 1_000_000, 3_000_000].map((len) => file.subarray(0, file.length - len))
  const longer = [1, 16, 100_000].map((len) => concat([file, new Uint8Array(len)]))
  for (const wrong of [...damaged, ...cut, ...longer]) {
    const failure = (): unknown => {
      try {
        return decryptSync(wrong, { identities })
      } catch (error) {
        return error
      }
    }
    const error = failure()
    expect(error).toBeInstanceOf(SealstoneError)
    await expect(decrypt(wrong, { identities })).rejects.toEqual(error)
    await expect(decrypt(wrong, { identities, threads: 1 })).rejects.toEqual(error)
  }
})

test('progress comes to the end, and never goes back', async () => {
  const seen: Progress[] = []
  await encrypt(pattern(20_000_000), { recipients, onProgress: (progress) => seen.push(progress) })
  expect(seen.length).toBeGreaterThan(0)
  const bytes = seen.map((progress) => progress.bytes)
  expect(bytes).toEqual([...bytes].sort((a, b) => a - b))
  expect(seen.at(-1)?.bytes).toBe(seen.at(-1)?.total)
  const small = vi.fn()
  await encrypt('x', { recipients, onProgress: small })
  expect(small).toHaveBeenCalledWith(expect.objectContaining({ bytes: 1, total: 1 }))
})

test('the event loop goes on while a large input is encrypted', async () => {
  const data = new Uint8Array(16 << 20)
  const [, turns] = await turnsOf(() => encrypt(data, { recipients }))
  // How long the longest turn takes is measured by the benchmark; each part of a mebibyte has one.
  expect(turns).toBeGreaterThanOrEqual(15)
})

test('several passphrases do not hold up the event loop together', async () => {
  const passphrase = 'correct horse'
  const file = encryptSync('x', { passphrase })
  await goesOnElsewhere(2, () => Promise.all([1, 2, 3, 4].map(() => decrypt(file, { passphrase }))))
})

test('parts of a plaintext are read alone', () => {
  const file = encryptSync(pattern(100_000), { recipients })
  expect(decryptRangeSync(file, 50_000, 50_003, { identities })).toEqual(pattern(50_003).subarray(50_000))
  expect(decryptRangeSync(file, 99_999, 200_000, { identities })).toHaveLength(1)
  expect(() => decryptRangeSync(file, 100_001, 100_002, { identities })).toThrow(code('range_out_of_bounds'))
  for (const [start, end] of [
    [-1, 1],
    [0.5, 1],
    [0, Number.NaN],
    ['0', 1],
  ] as [number, number][]) {
    expect(() => decryptRangeSync(file, start, end, { identities })).toThrow(TypeError)
  }
})

test('a file goes to others without being decrypted', () => {
  const other = generateIdentity('x25519')
  const file = encryptSync('attack at dawn', { recipients })
  const both = rewrapSync(file, { identities, recipients: recipientOf(other) })
  expect(decryptSync(both, { identities: other })).toEqual(decryptSync(both, { identities }))
  const moved = rewrapSync(file, { identities, recipients: recipientOf(other), replace: true })
  expect(() => decryptSync(moved, { identities })).toThrow(code('no_matching_identity'))
  expect(() => rewrapSync(file, { identities: other, recipients })).toThrow(SealstoneError)
  expect(() => rewrapSync(file, { identities } as never)).toThrow(TypeError)
})

test('a range and a rewrapping on another thread are those at once', async () => {
  const data = pattern(300_000)
  for (const armour of [false, true]) {
    const file = encryptSync(data, { recipients, armour })
    const range = await decryptRange(file, 16_000, 40_000, { identities })
    expect(compare(range, data.subarray(16_000, 40_000))).toBe(0)
    await expect(decryptRange(file, 300_001, 300_002, { identities })).rejects.toThrow(code('range_out_of_bounds'))
    const other = generateIdentity('x25519')
    const moved = await rewrap(file, { identities, recipients: recipientOf(other), replace: true })
    expect(compare(decryptSync(moved, { identities: other }), data)).toBe(0)
    await expect(rewrap(moved, { identities, recipients })).rejects.toThrow(code('no_matching_identity'))
  }
  const signal = AbortSignal.abort(new Error('enough'))
  const file = encryptSync(data, { recipients })
  await expect(decryptRange(file, 0, 1, { identities, signal })).rejects.toThrow(/enough/)
})

test('a head of any length is read, and one that is cut short is said to be so', async () => {
  const identities = generateIdentity('x25519')
  const others = Array.from({ length: 300 }, () => recipientOf(generateIdentity('x25519')))
  for (const length of [0, 300_000]) {
    const data = new Uint8Array(length).fill(7)
    const file = encryptSync(data, { recipients: [...others, recipientOf(identities)] })
    expect(inspectSync(file).headerLen).toBeGreaterThan(20_000)
    expect(compare(decryptSync(file, { identities }), data)).toBe(0)
    expect(compare(await decrypt(file, { identities }), data)).toBe(0)
    const cut = file.subarray(0, 15_000)
    expect(() => decryptSync(cut, { identities })).toThrow(code('truncated'))
  }
  const long = new Uint8Array(300_000).fill(7)
  expect(() => decryptSync(long, { identities })).toThrow(code('not_sealstone'))
})

test('an iterator that another script has put on arrays exchanges no recipient', () => {
  const mine = generateIdentity('x25519')
  const [toMine, toTheirs] = [recipientOf(mine), recipientOf(generateIdentity('x25519'))]
  const iterate = Array.prototype[Symbol.iterator]
  const seen: number[] = []
  let exchanged: Record<number, number> | undefined
  /** The result of an encryption while the iterator sees arrays of numbers, and may give others. */
  const encryptedTo = (recipients: Recipient): Uint8Array => {
    Array.prototype[Symbol.iterator] = function (this: unknown[]) {
      const own: unknown[] = []
      for (let i = 0; i < this.length; i++) {
        if (typeof this[i] !== 'number') return Reflect.apply(iterate, this, [])
        own[i] = exchanged?.[this[i] as number] ?? this[i]
        seen[seen.length] = this[i] as number
      }
      return Reflect.apply(iterate, own, [])
    }
    try {
      return encryptSync('attack at dawn', { recipients })
    } finally {
      Array.prototype[Symbol.iterator] = iterate
    }
  }
  encryptedTo(toTheirs)
  const [ofTheirs] = seen.splice(0)
  encryptedTo(toMine)
  exchanged = { [seen[0] as number]: ofTheirs as number }
  expect(decryptSync(encryptedTo(toMine), { identities: mine })).toHaveLength(14)
})

test('what only looks like a signal is refused before any work', async () => {
  const { signal } = new AbortController()
  const begun = vi.spyOn(globalThis, 'setInterval')
  const options = { key: new Uint8Array(32), armour: true, onProgress: () => undefined }
  const complete = {
    aborted: false,
    throwIfAborted: () => undefined,
    addEventListener: () => undefined,
    removeEventListener: () => undefined,
  }
  const without = Object.keys(complete).map((name) => ({ ...complete, [name]: undefined }))
  for (const alike of [...without, {}, null, 'abort', true, signal.addEventListener.bind(signal)]) {
    const working = encrypt(new Uint8Array(1_000_000), { ...options, signal: alike as never })
    await expect(working).rejects.toThrow(/^signal must be an AbortSignal$/)
    const stream = () => encrypt(new Blob(['x']), { ...options, signal: alike as never })
    expect(stream).toThrow(/^signal must be an AbortSignal$/)
  }
  const controller = encrypt('x', { ...options, signal: new AbortController() as never })
  await expect(controller).rejects.toThrow('signal must be an AbortSignal: of an AbortController pass its signal')
  expect(begun).not.toHaveBeenCalled()
  // Of a library it is as good as the platform's.
  expect(await encrypt(new Uint8Array(1_000_000), { ...options, signal: complete as never })).toBeDefined()
  vi.restoreAllMocks()
})

test('a promise of onProgress that rejects rejects the call, as what it throws does', async () => {
  const key = new Uint8Array(32)
  const [short, long] = [new Uint8Array(10), new Uint8Array(2_000_000)]
  const whole = async (stream: ReadableStream<unknown>): Promise<void> => {
    const reader = stream.getReader()
    while (!(await reader.read()).done);
  }
  const works: { readonly [name: string]: (run: RunOptions) => Promise<unknown> } = {
    atOnce: (run) => encrypt(short, { key, ...run }),
    inParts: (run) => encrypt(long, { key, ...run }),
    watched: (run) => encrypt(long, { key, armour: true, ...run }),
    stream: (run) => whole(encrypt(new Blob([long]), { key, ...run })),
    decrypted: (run) => whole(decrypt(new Blob([encryptSync(long, { key })]), { key, ...run })),
    batch: (run) => encryptBatch([short, long], { recipients, ...run }),
    chunked: (run) => whole(chunkedKey('aes-256-gcm', key).encrypt('', new Blob([long]), run)),
    hash: (run) => hashAsync('sha256', long, run),
    hashAtOnce: (run) => hashAsync('sha256', short, run),
    hashStream: (run) => hashStream('sha256', new Blob([long]), run),
    seal: (run) => aead('aes-256-gcm', key).sealRandomAsync('', long, run),
    sign: (run) => mac('hmac-sha256', key).signAsync(long, run),
  }
  const boom = new Error('boom')
  for (const [name, work] of Object.entries(works)) {
    await expect(work({ onProgress: async () => Promise.reject(boom) }), name).rejects.toBe(boom)
    let told = 0
    const onProgress = async (): Promise<void> => {
      await turn()
      told++
    }
    await work({ onProgress })
    expect(told, name).toBeGreaterThan(0)
  }
})
