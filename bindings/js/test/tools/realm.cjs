// A user's tests, in a test runner that gives each file a realm of its own. Nothing is imported but the package: `expect` and
// `test` are the runner's globals.

const {
  decrypt,
  decryptBatch,
  decryptSync,
  encrypt,
  encryptBatch,
  encryptFile,
  encryptSync,
  exportIdentity,
  generateIdentity,
  importIdentity,
  importRecipient,
  inspectSync,
  openMessage,
  recipientOf,
  SealstoneError,
  sealMessage,
  toCryptoKey,
  toKeyObject,
} = require('sealstone')
const { aead } = require('sealstone/aead')
const { decodeHex } = require('sealstone/compat/yuants')
const { FiseError, defaultRules, fiseDecrypt } = require('sealstone/fise')
const { hash, hashFile } = require('sealstone/hash')
const { runInNewContext } = require('node:vm')
const { pathToFileURL } = require('node:url')

const identity = generateIdentity('x25519')
const [identities, recipients] = [identity, recipientOf(identity)]
const key = new Uint8Array(32).fill(7)
const text = (bytes) => new TextDecoder().decode(bytes)

function thrown(work) {
  try {
    work()
  } catch (error) {
    return error
  }
  throw new Error('nothing was thrown')
}

test('errors are of the classes that they say', async () => {
  const errors = [
    thrown(() => decryptSync('no file', { identities })),
    thrown(() => decryptSync(encryptSync('x', { key }), { identities })),
    thrown(() => aead('aes-256-gcm', key).open(new Uint8Array(12), undefined, new Uint8Array(16))),
    thrown(() => generateIdentity('rot13')),
    thrown(() => decodeHex('zz')),
    await decrypt('no file', { identities }).catch((error) => error),
    await decrypt(new Uint8Array(1e6), { identities }).catch((error) => error),
    await hashFile('sha256', '/no/such/file').catch((error) => error),
    (await decryptBatch(['no file'], { identities }))[0],
  ]
  for (const error of errors) {
    expect(error instanceof SealstoneError).toBe(true)
    expect(error instanceof Error).toBe(true)
    expect(error.name).toBe('SealstoneError')
    expect(error.code).not.toBe('internal')
  }
  expect(errors[0].code).toBe('not_sealstone')
  expect(errors[7]).toMatchObject({ code: 'io', cause: { code: 'ENOENT' } })
  expect(thrown(() => encryptSync(5, { recipients })) instanceof TypeError).toBe(true)
  expect(thrown(() => fiseDecrypt('no envelope', defaultRules)) instanceof FiseError).toBe(true)
  expect({} instanceof SealstoneError || new Error('x') instanceof SealstoneError).toBe(false)
})

test('results are arrays and objects of this realm', async () => {
  const sealed = encryptSync('attack at dawn', { recipients })
  const results = [
    sealed,
    await encrypt(new Uint8Array(1e6), { recipients }),
    decryptSync(sealed, { identities }),
    await sealMessage(recipients, new Uint8Array(1e6)),
    exportIdentity(generateIdentity('p256'), 'der'),
    hash('sha256', ''),
    await hashFile('sha256', __filename),
    decodeHex('00ff'),
    ...(await encryptBatch(['one', 'two'], { recipients })),
  ]
  for (const result of results) {
    expect(result instanceof Uint8Array).toBe(true)
    expect(Object.getPrototypeOf(result)).toBe(Uint8Array.prototype)
  }
  const inspected = inspectSync(sealed)
  expect(Object.getPrototypeOf(inspected)).toBe(Object.prototype)
  expect(Object.getPrototypeOf(inspected.stanzas)).toBe(Array.prototype)
  expect(inspected.stanzas).toStrictEqual([
    { kind: 'x25519', typeId: inspected.stanzas[0].typeId, bodyLen: inspected.stanzas[0].bodyLen },
  ])
  for await (const part of encrypt(
    (async function* () {
      yield 'x'
    })(),
    { key },
  ))
    expect(part instanceof Uint8Array).toBe(true)
})

test('arrays, buffers and views of another realm go in and out', async () => {
  const other = runInNewContext(
    '({ bytes: Uint8Array.of(97, 98), buffer: Uint8Array.of(97, 98).buffer, view: new DataView(Uint8Array.of(97, 98).buffer), options: {}, list: [] })',
  )
  for (const data of [other.bytes, other.buffer, other.view, Buffer.from('ab'), new Blob(['ab'])]) {
    if (!(data instanceof Blob)) expect(text(decryptSync(encryptSync(data, { key }), { key }))).toBe('ab')
    expect(text(await new Response(await decrypt(await encrypt(data, { key }), { key })).arrayBuffer())).toBe('ab')
  }
  const memory = runInNewContext('new Uint8Array(100)')
  const seal = aead('aes-256-gcm', key)
  const length = seal.sealInto(new Uint8Array(12), undefined, other.bytes, memory)
  expect(text(seal.open(new Uint8Array(12), undefined, memory.subarray(0, length)))).toBe('ab')
  other.list.push(recipients)
  Object.assign(other.options, { recipients: other.list })
  expect(text(decryptSync(encryptSync('x', other.options), { identities }))).toBe('x')
  const shared = thrown(() => encryptSync(runInNewContext('new Uint8Array(new SharedArrayBuffer(4))'), { key }))
  expect(shared.code).toBe('invalid_argument')
})

test('a signal ends the work with its reason', async () => {
  const controller = new AbortController()
  const work = encrypt(new Uint8Array(3e7), { recipients, signal: controller.signal })
  controller.abort()
  const error = await work.catch((error) => error)
  expect(error).toBe(controller.signal.reason)
  expect(error.name).toBe('AbortError')
  const timeout = await encrypt(new Uint8Array(3e7), { passphrase: 'x', signal: AbortSignal.timeout(1) }).catch(
    (error) => error,
  )
  expect(timeout.name).toBe('TimeoutError')
})

test('keys are taken from, and given to, Node and WebCrypto', async () => {
  const p256 = generateIdentity('p256')
  const usages = ['deriveBits']
  const keys = [toKeyObject(p256), await toCryptoKey(p256, { name: 'ECDH', namedCurve: 'P-256' }, true, usages)]
  for (const one of keys) expect(String(recipientOf(await importIdentity(one)))).toBe(String(recipientOf(p256)))
  expect((await importRecipient(toKeyObject(recipientOf(p256)))).kind).toBe('p256')
  expect(text(await openMessage(identity, await sealMessage(recipients, 'x')))).toBe('x')
  const missing = await encryptFile(pathToFileURL('/no/such/file'), '/no/such/output', { recipients }).catch(
    (error) => error,
  )
  expect(missing.code).toBe('io')
})
