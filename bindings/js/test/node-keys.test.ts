// Keys as Node has them, and as it shows them.

import { createSecretKey, generateKeyPairSync } from 'node:crypto'
import { inspect } from 'node:util'
import { expect, test } from 'vitest'
import table from '../../table.json' with { type: 'json' }
import {
  chunkedKey,
  exportIdentity,
  generateIdentity,
  identityFromKey,
  identityFromPassphrase,
  importIdentity,
  importIdentitySync,
  importRecipientSync,
  recipientOf,
  toKeyObject,
} from '../src/api/index.js'

test('KeyObjects of Node go in and out', async () => {
  for (const [kind, pair] of [
    ['x25519', generateKeyPairSync('x25519')],
    ['p256', generateKeyPairSync('ec', { namedCurve: 'P-256' })],
  ] as const) {
    const identity = importIdentitySync(pair.privateKey)
    expect(identity.kind).toBe(kind)
    const { fingerprint } = recipientOf(await importIdentity(pair.privateKey))
    expect(importRecipientSync(pair.publicKey).fingerprint).toBe(fingerprint)
    const out = toKeyObject(identity)
    expect(out.export({ format: 'jwk' })).toEqual(pair.privateKey.export({ format: 'jwk' }))
    expect(toKeyObject(recipientOf(identity)).export({ format: 'jwk' })).toEqual(
      pair.publicKey.export({ format: 'jwk' }),
    )
  }
  const bytes = Buffer.alloc(32, 7)
  const symmetric = importIdentitySync(createSecretKey(bytes))
  expect(exportIdentity(symmetric)).toBe(exportIdentity(identityFromKey(bytes)))
  expect(() => importRecipientSync(createSecretKey(bytes))).toThrow(TypeError)
})

test('keys that Node cannot have are unsupported, and say why', () => {
  const mlKem = generateIdentity('ml-kem-768')
  for (const key of [mlKem, recipientOf(mlKem)]) {
    try {
      expect(toKeyObject(key).asymmetricKeyType).toBe('ml-kem-768')
    } catch (error) {
      expect(error).toMatchObject({
        name: 'SealstoneError',
        code: 'unsupported_key',
        message: expect.stringMatching(/OpenSSL/),
        cause: expect.any(Error),
      })
    }
  }
})

test('no key is shown by inspect, nor by that of an error', async () => {
  const kinds = table.kinds.filter((kind) => kind.isGenerated).map((kind) => kind.name as 'x25519')
  const secrets = [...kinds, 'passphrase' as const].map((kind) => {
    const identity = kind === 'passphrase' ? identityFromPassphrase('correct horse') : generateIdentity(kind)
    const secret = kind === 'passphrase' ? 'correct horse' : exportIdentity(identity)
    // Of PEM, the middle.
    return { kind, identity, secret: secret.split('\n').at(-2) ?? secret }
  })
  for (const { kind, identity, secret } of secrets) {
    const recipient = recipientOf(identity)
    for (const key of [identity, recipient]) {
      for (const shown of [
        inspect(key, { showHidden: true, depth: 9 }),
        inspect({ key }, { showHidden: true, depth: 9, customInspect: false }),
      ]) {
        expect(shown).not.toContain(secret)
      }
    }
    expect(inspect(identity)).toBe(`Identity(${kind})`)
    const { fingerprint } = recipientOf(identity)
    expect(inspect(recipientOf(identity))).toBe(
      `Recipient(${kind}${fingerprint === undefined ? '' : ` ${fingerprint}`})`,
    )
  }
  expect(inspect(chunkedKey('aes-256-gcm', new Uint8Array(32)))).toBe('ChunkedKey(aes-256-gcm)')
  for (const { secret } of secrets) {
    const error: Error = await importIdentity(`${secret.slice(0, -4)}qqqq`).then(
      () => new Error('read'),
      (error: Error) => error,
    )
    expect(inspect(error)).not.toContain(secret.slice(0, -4))
  }
})
