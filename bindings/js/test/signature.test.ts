// Signature files: signed content is verified, and each fault has its code. `signature-files.test.ts` has those that have names.

import { expect, test } from 'vitest'
import { exportPrivateKey, exportPublicKey, generateKey, importPrivateKey } from '../src/api/sign.js'
import { type Progress, type SealstoneError, sign, type Verified, verify } from '../src/api/signature.js'
import { pattern } from './data.js'
import { endsInTheMiddle, turnsOf } from './turns.js'

const CONTENT = 'attack at dawn\n'

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'success',
    (error: SealstoneError) => error.code,
  )

test('what each kind signs it verifies, in parts too', async () => {
  for (const kind of ['ed25519', 'p256-sign', 'ml-dsa-65', 'hybrid-sign', 'hybrid44-sign', 'sm2-sign'] as const) {
    const key = generateKey(kind)
    const signature = await sign(CONTENT, key, { comment: 'release 7', namespace: 'release' })
    expect(signature.startsWith('-----BEGIN SSH SIGNATURE-----\n'), kind).toBe(true)
    const parts = async function* (): AsyncGenerator<string> {
      for (const c of CONTENT) yield c
    }
    const { publicKey } = key
    const bytes = new TextEncoder().encode(CONTENT)
    for (const content of [CONTENT, bytes, parts(), new Blob([CONTENT]), new Blob([CONTENT]).stream()]) {
      const verified = await verify(content, signature, publicKey, { namespace: 'release' })
      expect(verified).toEqual({
        kind,
        fingerprint: publicKey.fingerprint,
        sshFingerprint: publicKey.sshFingerprint,
        comment: 'release 7',
        contentLen: CONTENT.length,
      } satisfies Verified)
    }
    expect(await codeOf(verify('attack at dusk', signature, publicKey, { namespace: 'release' }))).toBe(
      'invalid_signature',
    )
    expect(await codeOf(verify(CONTENT, signature, publicKey))).toBe('wrong_namespace')
    const stranger = generateKey(kind).publicKey
    expect(await codeOf(verify(CONTENT, signature, stranger, { namespace: 'release' }))).toBe('unknown_signer')
    const both = [stranger, exportPublicKey(publicKey)]
    expect((await verify(CONTENT, signature, both, { namespace: 'release' })).kind).toBe(kind)
  }
})

test('what the caller may not give is refused', async () => {
  const key = generateKey('ed25519')
  const signature = await sign(CONTENT, key)
  expect(await codeOf(sign(CONTENT, key, { namespace: 'a b' }))).toBe('invalid_namespace')
  expect(await codeOf(sign(CONTENT, key, { comment: '' }))).toBe('invalid_comment')
  expect(await codeOf(sign(CONTENT, key, { profile: 'gm' }))).toBe('not_in_profile')
  expect(await codeOf(sign(CONTENT, generateKey('p384-sign')))).toBe('unsupported_key')
  expect(await codeOf(verify(CONTENT, signature, []))).toBe('invalid_signer')
  expect(await codeOf(verify(CONTENT, signature, 'no key'))).toBe('invalid_signer')
  expect(await codeOf(verify(CONTENT, signature, exportPrivateKey(key)))).toBe('invalid_signer')
  expect(await codeOf(verify(CONTENT, 'no signature', key.publicKey))).toBe('not_a_signature')
  await expect(verify(CONTENT, signature, 7 as never)).rejects.toThrow(TypeError)
  await expect(sign(CONTENT, key.publicKey as never)).rejects.toThrow(TypeError)
  await expect(sign(CONTENT, key, { signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough')
})

test('a file of allowed signers says who, for what and when', async () => {
  const key = generateKey('ed25519')
  const signature = await sign(CONTENT, key)
  const line = exportPublicKey(key.publicKey, 'ssh')
  const allowed = `alice@example.org,bob@example.org valid-after="20260101Z",valid-before="20270101Z" ${line}\n`
  const at = new Date('2026-06-01')
  expect((await verify(CONTENT, signature, { allowed, at })).principals).toBe('alice@example.org,bob@example.org')
  expect((await verify(CONTENT, signature, { allowed, at, principal: 'bob@example.org' })).kind).toBe('ed25519')
  const code = (signer: object): Promise<string> => codeOf(verify(CONTENT, signature, { allowed, at, ...signer }))
  expect(await code({ principal: 'carol@example.org' })).toBe('unknown_signer')
  expect(await code({ at: new Date('2025-06-01') })).toBe('unknown_signer')
  expect(await code({ allowed: 'alice unknown' })).toBe('invalid_signer')
  for (const at of ['', [], true, 0, '1795461107', null, new Date(Number.NaN), new Date(-1)])
    expect(await code({ at }), String(at)).toBe('invalid_argument')
})

test('of a file with lines the one that is wrong is named', async () => {
  const key = generateKey('ed25519')
  const [signature, line] = [await sign(CONTENT, key), exportPublicKey(key.publicKey, 'ssh')]
  for (const [signer, code, message] of [
    [`# ours\n${line}\nno key\n`, 'invalid_signer', /^line 3: invalid signer: /],
    [`${line}\n\nssh-rsa AAAAB3NzaC1yc2EAAAADAQAB\n`, 'unsupported_key', /^line 3: unsupported /],
    [{ allowed: `alice ${line}\nbob unknown ${line}\n` }, 'invalid_signer', /^line 2: invalid signer: /],
    [{ allowed: '# nobody\n' }, 'invalid_signer', /^invalid signer: /],
  ] as const) {
    await expect(verify(CONTENT, signature, signer)).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
    })
  }
})

test('much content is signed in turns of the event loop, says how far it is, and ends with the signal', async () => {
  const [key, content] = [generateKey('ed25519'), pattern(10_000_000)]
  const turned = async <T>(work: () => Promise<T>): Promise<T> => {
    const [result, turns] = await turnsOf(work)
    expect(turns).toBeGreaterThan(2)
    return result
  }
  const seen: Progress[] = []
  const onProgress = (progress: Progress) => void seen.push(progress)
  const signature = await turned(() => sign(content, key, { onProgress }))
  expect(seen.at(-1)).toMatchObject({ bytes: content.length, total: content.length })
  for (const again of [content, new Blob([content])]) {
    expect((await turned(() => verify(again, signature, key.publicKey))).contentLen).toBe(content.length)
  }
  await endsInTheMiddle((signal) => sign(content, key, { signal }))
})

test('a private key of OpenSSH signs files, and nothing else', async () => {
  const key = generateKey('ed25519')
  const read = await importPrivateKey(exportPrivateKey(key, 'ssh'))
  expect((await verify(CONTENT, await sign(CONTENT, read), key.publicKey)).kind).toBe('ed25519')
  expect(() => read.sign(CONTENT)).toThrow(expect.objectContaining({ code: 'invalid_key' }))
  expect(() => key.sign('SSHSIG')).toThrow(expect.objectContaining({ code: 'invalid_key' }))
})
