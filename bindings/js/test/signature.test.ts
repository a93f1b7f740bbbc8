// Signature files: what is signed is verified, what is wrong has its code, and the vectors of the specification hold.

import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { exportPrivateKey, exportPublicKey, generateKey, importPrivateKey } from '../src/sign.js'
import {
  attachFile,
  detachFile,
  type SealstoneError,
  sign,
  signFile,
  type Verified,
  verify,
  verifyFile,
} from '../src/signature.js'

const CONTENT = 'attack at dawn\n'
const folder = await mkdtemp(join(tmpdir(), 'signature-'))
const path = (name: string): string => join(folder, name)

afterAll(() => rm(folder, { recursive: true }))

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
    for (const content of [CONTENT, parts(), new Blob([CONTENT])]) {
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
})

test('a private key of OpenSSH signs files, and nothing else', async () => {
  const key = generateKey('ed25519')
  const read = await importPrivateKey(exportPrivateKey(key, 'ssh'))
  expect((await verify(CONTENT, await sign(CONTENT, read), key.publicKey)).kind).toBe('ed25519')
  expect(() => read.sign(CONTENT)).toThrow(expect.objectContaining({ code: 'invalid_key' }))
  expect(() => key.sign('SSHSIG')).toThrow(expect.objectContaining({ code: 'invalid_key' }))
})

test('files are signed and verified by name, and released only when they are verified', async () => {
  const key = generateKey('hybrid-sign')
  await writeFile(path('notes'), CONTENT)
  const signature = await signFile(path('notes'), key)
  expect((await verifyFile(path('notes'), signature, key.publicKey)).contentLen).toBe(CONTENT.length)
  const signed = await attachFile(path('notes'), path('signed'), key)
  expect(signed.content).toBe(CONTENT.length)
  expect((await readFile(path('signed'))).length).toBe(signed.written)
  expect(await codeOf(attachFile(path('notes'), path('signed'), key))).toBe('output_exists')
  expect((await detachFile(path('signed'), key.publicKey)).kind).toBe('hybrid-sign')
  await detachFile(path('signed'), key.publicKey, { output: path('copy') })
  expect(await readFile(path('copy'), 'utf8')).toBe(CONTENT)
  const changed = await readFile(path('signed'))
  changed[0] = 0x41
  await writeFile(path('changed'), changed)
  expect(await codeOf(detachFile(path('changed'), key.publicKey, { output: path('none') }))).toBe('invalid_signature')
  expect((await readdir(folder)).sort()).toEqual(['changed', 'copy', 'notes', 'signed'])
})
