import { expect, test } from 'vitest'
import table from '../../table.json' with { type: 'json' }
import * as age from '../src/api/age/index.js'
import * as exchange from '../src/api/exchange.js'
import {
  decrypt,
  decryptSync,
  encrypt,
  encryptSync,
  exportIdentity,
  exportRecipient,
  generateIdentity,
  type Identity,
  identityFromKey,
  identityFromPassphrase,
  importIdentities,
  importIdentity,
  importIdentitySync,
  importRecipient,
  importRecipientSync,
  importRecipients,
  type KeyForm,
  type Kind,
  openMessage,
  recipientOf,
  sealMessage,
  toCryptoKey,
} from '../src/api/index.js'
import * as rsa from '../src/api/rsa.js'
import * as sign from '../src/api/sign.js'
import * as signature from '../src/api/signature.js'
import { textOf } from './data.js'

/** Core's table of the kinds. */
const TABLE = table as { kinds: { name: Kind; isGenerated: boolean; forms: KeyForm[] }[] }
const KINDS = TABLE.kinds
  .filter((kind) => kind.isGenerated)
  .map((kind) => kind.name as Exclude<Kind, 'passphrase' | 'plugin'>)
/** The forms that a kind has beside its strings. */
const FORMS: Partial<Record<Kind, KeyForm[]>> = Object.fromEntries(
  TABLE.kinds.map((kind) => [kind.name, kind.forms.filter((form) => form !== 'age')]),
)

function opens(identity: Identity, recipient: ReturnType<typeof recipientOf> | string): boolean {
  const file = encryptSync('attack at dawn', { recipients: recipient })
  return textOf(decryptSync(file, { identities: identity })) === 'attack at dawn'
}

test('an identity of each kind decrypts what its recipient encrypts', () => {
  for (const kind of KINDS) {
    const identity = generateIdentity(kind)
    expect(identity.kind).toBe(kind)
    expect(recipientOf(identity).kind).toBe(kind)
    expect(opens(identity, recipientOf(identity))).toBe(true)
  }
  expect(generateIdentity().kind).toBe('hybrid')
  expect(() => generateIdentity('rsa' as never)).toThrowError(
    expect.objectContaining({
      code: 'unknown_algorithm',
      message: expect.stringMatching(new RegExp(`: ${KINDS.join(', ')}$`)),
    }),
  )
  expect(() => generateIdentity('passphrase' as never)).toThrowError(
    expect.objectContaining({ code: 'invalid_passphrase' }),
  )
})

test('keys leave and come back in every form that their kind has', async () => {
  for (const kind of KINDS) {
    const identity = generateIdentity(kind)
    const recipient = recipientOf(identity)
    expect(opens(importIdentitySync(exportIdentity(identity)), recipient)).toBe(true)
    if (kind !== 'key') expect(opens(identity, exportRecipient(recipient))).toBe(true)
    for (const form of FORMS[kind] ?? []) {
      const secret = exportIdentity(identity, form as 'der')
      expect(opens(await importIdentity(secret), recipient), `${kind} as ${form}`).toBe(true)
      const shared = exportRecipient(recipient, form as 'der')
      expect(opens(identity, importRecipientSync(shared)), `${kind} as ${form}`).toBe(true)
      expect((await importRecipient(shared)).fingerprint).toBe(recipient.fingerprint)
    }
  }
  const hybrid = generateIdentity()
  const unsupported = expect.objectContaining({ name: 'SealstoneError', code: 'unsupported_key' })
  expect(() => exportIdentity(hybrid, 'pem')).toThrowError(unsupported)
  for (const secret of [generateIdentity('key'), identityFromPassphrase('correct horse')]) {
    expect(() => exportRecipient(recipientOf(secret))).toThrowError(unsupported)
    expect(String(recipientOf(secret))).toBe(`<${secret.kind}>`)
  }
})

test('a private key under a passphrase comes back with it alone', async () => {
  const identity = generateIdentity('p256')
  const pem = exportIdentity(identity, 'pem', { passphrase: 'correct horse' })
  expect(pem).toContain('BEGIN ENCRYPTED PRIVATE KEY')
  expect(opens(await importIdentity(pem, { passphrase: 'correct horse' }), recipientOf(identity))).toBe(true)
  await expect(importIdentity(pem)).rejects.toMatchObject({ code: 'passphrase_required' })
  const wrong = { code: 'no_matching_identity', message: 'the passphrase does not open this key' }
  await expect(importIdentity(pem, { passphrase: 'battery' })).rejects.toMatchObject(wrong)
  expect(() => importIdentitySync(pem, { passphrase: 'battery' })).toThrowError(expect.objectContaining(wrong))
  expect(() => importIdentitySync(pem)).toThrowError(expect.objectContaining({ code: 'passphrase_required' }))
  expect(() => exportIdentity(identity, 'jwk', { passphrase: 'x' })).toThrowError(
    expect.objectContaining({ code: 'unsupported_key' }),
  )
})

test('a file of identities that is sealed with a passphrase opens with it alone', async () => {
  const identity = generateIdentity('x25519')
  const text = `# mine\n${exportIdentity(identity)}\n`
  const passphrase = 'correct horse'
  for (const armour of [false, true]) {
    const file = await encrypt(text, { passphrase, armour })
    expect(opens(await importIdentity(file, { passphrase }), recipientOf(identity))).toBe(true)
    expect(opens(importIdentitySync(file, { passphrase }), recipientOf(identity))).toBe(true)
    await expect(importIdentity(file)).rejects.toMatchObject({ code: 'passphrase_required' })
    await expect(importIdentity(file, { passphrase: 'battery' })).rejects.toMatchObject({
      code: 'no_matching_identity',
      message: 'the passphrase does not open this key',
    })
    await expect(importIdentity(file.subarray(0, 30), { passphrase })).rejects.toMatchObject({ name: 'SealstoneError' })
    const other = await encrypt(text, { recipients: recipientOf(identity), armour })
    await expect(importIdentity(other, { passphrase })).rejects.toMatchObject({ code: 'invalid_identity' })
  }
  for (const nothing of ['', 'A', '\u0089SEAL']) {
    await expect(importIdentity(nothing, { passphrase })).rejects.toMatchObject({ code: 'invalid_identity' })
  }
})

test('CryptoKeys go in and out', async () => {
  const algorithm = { name: 'ECDH', namedCurve: 'P-256' }
  const subtle = globalThis.crypto.subtle
  const pair = (await subtle.generateKey(algorithm, true, ['deriveBits'])) as CryptoKeyPair
  const identity = await importIdentity(pair.privateKey)
  expect(opens(identity, await importRecipient(pair.publicKey))).toBe(true)
  const out = await toCryptoKey(identity, algorithm, true, ['deriveBits'])
  expect(await subtle.exportKey('jwk', out as CryptoKey)).toEqual(await subtle.exportKey('jwk', pair.privateKey))
  expect((await toCryptoKey(recipientOf(identity), algorithm, true, [])).type).toBe('public')
  expect(() => importIdentitySync(pair.privateKey as never)).toThrow(TypeError)
})

test('keys that WebCrypto cannot have are unsupported, and say why', async () => {
  const unsupported = (message: RegExp) => ({
    name: 'SealstoneError',
    code: 'unsupported_key',
    message: expect.stringMatching(message),
  })
  const identity = generateIdentity('sm2')
  for (const key of [identity, recipientOf(identity)]) {
    await expect(toCryptoKey(key, { name: 'SM2' }, true, [])).rejects.toMatchObject(unsupported(/WebCrypto/))
  }
  const { subtle } = globalThis.crypto
  const hidden = await subtle.generateKey({ name: 'ECDH', namedCurve: 'P-256' }, false, ['deriveBits'])
  await expect(importIdentity(hidden.privateKey)).rejects.toMatchObject(unsupported(/not extractable/))
  const signing = await subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign'])
  await expect(importIdentity(signing.privateKey)).rejects.toMatchObject(unsupported(/ECDSA/))
  await expect(importRecipient(signing.publicKey)).rejects.toMatchObject(unsupported(/ECDSA/))
})

test('files of several keys are read as a whole, and not where one is expected', async () => {
  const identities = [generateIdentity('x25519'), generateIdentity('hybrid')]
  const file = `# mine\n${identities.map((one) => exportIdentity(one)).join('\n')}\n`
  expect((await importIdentities(file)).map((one) => one.kind)).toEqual(['x25519', 'hybrid'])
  await expect(importIdentity(file)).rejects.toMatchObject({ code: 'invalid_identity' })
  const recipients = identities.map((one) => String(recipientOf(one))).join('\n')
  expect((await importRecipients(recipients)).map(String).join('\n')).toBe(recipients)
  await expect(importRecipient(recipients)).rejects.toMatchObject({ code: 'invalid_recipient' })
  await expect(importRecipient(file)).rejects.toMatchObject({ code: 'invalid_recipient' })
})

test('no key is shown by JSON, String, its properties or an error', async () => {
  const secrets = [...KINDS, 'passphrase' as const].map((kind) => {
    const identity = kind === 'passphrase' ? identityFromPassphrase('correct horse') : generateIdentity(kind)
    const secret = kind === 'passphrase' ? 'correct horse' : exportIdentity(identity)
    // Of PEM, the middle.
    return { kind, identity, secret: secret.split('\n').at(-2) ?? secret }
  })
  for (const { kind, identity, secret } of secrets) {
    const recipient = recipientOf(identity)
    for (const key of [identity, recipient]) {
      for (const shown of [
        JSON.stringify({ key }),
        String(key),
        `${Object.entries(key).join()}${Object.getOwnPropertyNames(key).join()}`,
      ]) {
        expect(shown).not.toContain(secret)
      }
    }
    expect(String(identity)).toBe(`Identity(${kind})`)
  }
  for (const { secret } of secrets) {
    const error: Error = await importIdentity(`${secret.slice(0, -4)}qqqq`).then(
      () => new Error('read'),
      (error: Error) => error,
    )
    expect(`${error.stack}${String(error.cause)}${JSON.stringify(error)}`).not.toContain(secret.slice(0, -4))
  }
})

test('a destroyed key throws, and what it made goes on', () => {
  const identity = generateIdentity('x25519')
  const recipient = recipientOf(identity)
  const file = encryptSync('x', { recipients: recipient })
  const copy = importIdentitySync(exportIdentity(identity))
  identity.destroy()
  identity.destroy()
  expect(() => identity.kind).toThrow(TypeError)
  expect(() => recipientOf(identity)).toThrow(TypeError)
  expect(() => exportIdentity(identity)).toThrow(TypeError)
  expect(() => decryptSync(file, { identities: identity })).toThrow(/destroyed/)
  expect(String(identity)).toBe('Identity(destroyed)')
  expect(decryptSync(file, { identities: copy })).toHaveLength(1)
  recipient.destroy()
  expect(() => encryptSync('x', { recipients: recipient })).toThrow(/destroyed/)
  expect(String(recipient)).toBe('Recipient(destroyed)')
})

test('what is no key is refused', () => {
  const recipients = [generateIdentity('x25519'), 7, null, {}, ['age1'], Symbol.iterator] as unknown as string[]
  for (const recipient of recipients) expect(() => encryptSync('x', { recipients: [recipient] })).toThrow(TypeError)
  expect(() => recipientOf(recipientOf(generateIdentity('key')) as never)).toThrow(TypeError)
  expect(() => identityFromKey(new Uint8Array(31))).toThrowError(expect.objectContaining({ code: 'wrong_length' }))
  expect(() => identityFromPassphrase('')).toThrowError(expect.objectContaining({ code: 'invalid_passphrase' }))
  expect(() => identityFromPassphrase('\ud800')).toThrow(TypeError)
  expect(() => new (generateIdentity('key').constructor as new (x: number) => Identity)(1)).toThrow(TypeError)
})

test('the name of a file in the place of a key is told, and not repeated', async () => {
  for (const name of ['alice.pub', 'keys/identity.txt', './id', `${exportIdentity(generateIdentity('x25519'))}.pem`]) {
    for (const use of [
      () => importIdentity(name),
      () => importIdentities(name),
      async () => importIdentitySync(name),
      () => importRecipient(name),
      () => importRecipients(name),
      async () => importRecipientSync(name),
      () => encrypt('x', { recipients: name }),
      () => decrypt(new Uint8Array(), { identities: [name] }),
      async () => new age.Encrypter().addRecipient(name),
      async () => new age.Decrypter().addIdentity(name),
      () => sign.importPrivateKey(name),
      () => sign.importPublicKey(name),
      () => exchange.importPrivateKey(name),
      () => rsa.importPublicKey(name),
      () => signature.verify('x', '', name),
    ]) {
      const error = await use().then(
        () => new Error('read'),
        (error: Error) => error,
      )
      expect(error.message, `${use}`).toContain('looks like the name of a file')
      expect(error.message).not.toContain(name)
    }
  }
})

test('the other half of a key pair, and arguments in the wrong order, are said to be that', async () => {
  const identity = generateIdentity('x25519')
  const recipient = recipientOf(identity)
  const secret = /is the secret half of a key pair: pass recipientOf\(identity\)$/
  const open = /is the public half of a key pair: pass the Identity$/
  expect(() => encryptSync('text', { recipients: identity as never })).toThrow(secret)
  expect(() => decryptSync(encryptSync('text', { recipients: recipient }), { identities: recipient as never })).toThrow(
    open,
  )
  await expect(sealMessage(identity as never, 'text')).rejects.toThrow(secret)
  await expect(openMessage(recipient as never, 'text')).rejects.toThrow(open)
  await expect(sealMessage('text' as never, recipient as never)).rejects.toThrow('expected a Recipient')
  await expect(openMessage('text' as never, identity as never)).rejects.toThrow('expected an Identity')
})

test('a JWK is read as the object that WebCrypto and Node export, and what is no key is told what is', async () => {
  const { privateKey, publicKey } = await crypto.subtle.generateKey({ name: 'ECDH', namedCurve: 'P-256' }, true, [
    'deriveBits',
  ])
  const [secret, open] = await Promise.all([privateKey, publicKey].map((key) => crypto.subtle.exportKey('jwk', key)))
  const identity = importIdentitySync(secret as JsonWebKey)
  expect(identity.kind).toBe('p256')
  expect(String(await importRecipient(open as JsonWebKey))).toBe(String(recipientOf(identity)))
  for (const key of [5, null, {}, ['age1'], { kty: 5 }]) {
    await expect(importIdentity(key as never)).rejects.toThrow(/a string, bytes, a JWK, a KeyObject or a CryptoKey/)
    expect(() => importRecipientSync(key as never)).toThrow(/a string, bytes, a JWK, a KeyObject or a CryptoKey/)
  }
})
