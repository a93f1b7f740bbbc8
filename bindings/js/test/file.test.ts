// Files by name, and the matrix of this package and the command line: what either encrypts, the other decrypts.

import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hashFile } from '../src/hash.js'
import {
  decryptFile,
  decryptRangeFile,
  decryptSync,
  encryptFile,
  encryptSync,
  exportIdentity,
  exportRecipient,
  generateIdentity,
  inspectFile,
  type Kind,
  type Progress,
  recipientOf,
  rewrapFile,
  verifyFile,
} from '../src/index.js'

const CLI = process.env.SEALSTONE_CLI

let folder = ''
const at = (name: string): string => join(folder, name)
const identity = generateIdentity('x25519')
const identities = identity
const recipients = recipientOf(identity)
const content = new Uint8Array(3_000_000).map((_, i) => i % 251)

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sealstone-'))
  writeFileSync(at('plain'), content)
})

afterAll(async () => {
  await rm(folder, { recursive: true })
})

test('a file is encrypted, inspected, verified, read in part, given to others and decrypted, by name', async () => {
  const seen: Progress[] = []
  const done = await encryptFile(at('plain'), at('sealed'), { recipients, onProgress: (now) => seen.push(now) })
  expect(done).toEqual({ plaintext: content.length, ciphertext: statSync(at('sealed')).size })
  expect(seen.at(-1)?.bytes).toBe(content.length)
  expect(await inspectFile(at('sealed'))).toMatchObject({ plaintextLen: content.length, stanzas: [{ kind: 'x25519' }] })
  expect(await verifyFile(at('sealed'), { identities })).toEqual(done)
  expect(await decryptRangeFile(at('sealed'), 1_000_000, 1_000_010, { identities })).toEqual(
    content.slice(1_000_000, 1_000_010),
  )
  const other = generateIdentity('x25519')
  await rewrapFile(at('sealed'), { identities, recipients: recipientOf(other) })
  await decryptFile(pathToFileURL(at('sealed')), Buffer.from(at('opened')), { identities: other })
  expect(Buffer.compare(readFileSync(at('opened')), content)).toBe(0)
  expect(statSync(at('opened')).mode & 0o777).toBe(0o600)
})

test('a failure says why, and leaves no file', async () => {
  const before = readdirSync(folder)
  const missing = encryptFile(at('missing'), at('new'), { recipients })
  await expect(missing).rejects.toMatchObject({
    name: 'SealstoneError',
    code: 'io',
    message: expect.stringMatching(/missing/),
    cause: expect.objectContaining({ code: 'ENOENT', errno: -constants.errno.ENOENT }),
  })
  await expect(encryptFile(at('plain'), at('no/folder'), { recipients })).rejects.toMatchObject({
    cause: { code: 'ENOENT' },
  })
  await expect(inspectFile(at('plain/x'))).rejects.toMatchObject({ code: 'io', cause: { code: 'ENOTDIR' } })
  await expect(encryptFile(at('plain'), at('plain'), { recipients })).rejects.toMatchObject({ code: 'same_file' })
  writeFileSync(at('there'), 'x')
  await expect(encryptFile(at('plain'), at('there'), { recipients })).rejects.toMatchObject({ code: 'output_exists' })
  await encryptFile(at('plain'), at('there'), { recipients, replace: true })
  const broken = readFileSync(at('there'))
  broken[2_000_000] = (broken[2_000_000] ?? 0) ^ 1
  writeFileSync(at('there'), broken)
  await expect(decryptFile(at('there'), at('new'), { identities })).rejects.toMatchObject({ code: 'not_authentic' })
  await expect(verifyFile(at('there'), { identities })).rejects.toMatchObject({ code: 'not_authentic' })
  expect(existsSync(at('new'))).toBe(false)
  expect(readdirSync(folder)).toEqual([...before, 'there'].sort())
  for (const path of ['', 'a\0b', 7, null]) {
    await expect(inspectFile(path as string)).rejects.toThrow(TypeError)
    await expect(encryptFile(at('plain'), path as string, { recipients })).rejects.toThrow(TypeError)
  }
  await expect(encryptFile(at('plain'), at('new'), { recipients, force: true } as never)).rejects.toThrow(TypeError)
})

test('a signal ends the work on a file, and leaves none', async () => {
  writeFileSync(at('long'), new Uint8Array(100_000_000))
  const reason = new Error('enough')
  const controller = new AbortController()
  const promise = encryptFile(at('long'), at('long.seal'), { recipients, threads: 1, signal: controller.signal })
  setTimeout(() => controller.abort(reason), 5)
  await expect(promise).rejects.toBe(reason)
  expect(existsSync(at('long.seal'))).toBe(false)
})

test.skipIf(CLI === undefined && process.env.CI !== 'true')(
  'what Node encrypts the command line decrypts, and the other way round',
  async () => {
    const run = (...args: string[]): Buffer => execFileSync(CLI ?? 'sealstone', args, { cwd: folder, maxBuffer: 1e8 })
    const kinds: Exclude<Kind, 'passphrase'>[] = ['hybrid', 'x25519', 'p256', 'ml-kem-768', 'sm2', 'key']
    for (const kind of kinds) {
      const identity = generateIdentity(kind)
      const recipient = recipientOf(identity)
      writeFileSync(at('identity'), `${exportIdentity(identity)}\n`, { mode: 0o600 })
      if (kind !== 'key') writeFileSync(at('recipient'), `${exportRecipient(recipient)}\n`)
      const [to, from] = kind === 'key' ? ['--key-file', '--key-file'] : ['-R', '-i']
      for (const data of [content.subarray(0, 0), content.subarray(0, 16_384), content]) {
        writeFileSync(at('data'), data)
        writeFileSync(at('node.seal'), encryptSync(data, { recipients: recipient }))
        expect(Buffer.compare(run('decrypt', from, 'identity', '-o', '-', 'node.seal'), data), kind).toBe(0)
        run('encrypt', to, kind === 'key' ? 'identity' : 'recipient', '-o', 'cli.seal', '--force', 'data')
        expect(Buffer.compare(decryptSync(readFileSync(at('cli.seal')), { identities: identity }), data), kind).toBe(0)
      }
    }
    writeFileSync(at('passphrase'), 'correct horse', { mode: 0o600 })
    writeFileSync(at('node.seal'), encryptSync(content, { passphrase: 'correct horse', armour: true }))
    const opened = run('decrypt', '--passphrase-file', 'passphrase', '-o', '-', 'node.seal')
    expect(Buffer.compare(opened, content)).toBe(0)
    run('encrypt', '-p', '--passphrase-file', 'passphrase', '-a', '-o', 'cli.seal', '--force', 'plain')
    const armoured = readFileSync(at('cli.seal'))
    expect(Buffer.compare(decryptSync(armoured, { passphrase: 'correct horse' }), content)).toBe(0)
    const refused = spawnSync(CLI ?? 'sealstone', ['decrypt', '--key-file', 'identity', '-o', '-', 'node.seal'], {
      cwd: folder,
    })
    expect(refused.status).toBe(3)
  },
)

test('what onProgress throws ends the work, and nothing is left', async () => {
  const key = new Uint8Array(32)
  writeFileSync(at('large'), '')
  truncateSync(at('large'), 2 ** 30)
  const boom = new Error('boom')
  const onProgress = () => {
    throw boom
  }
  await expect(encryptFile(at('large'), at('never'), { key, onProgress })).rejects.toBe(boom)
  expect(readdirSync(folder).filter((name) => name.includes('never'))).toEqual([])
  await expect(hashFile('sha512', at('large'), { onProgress })).rejects.toBe(boom)
  rmSync(at('large'))
}, 60_000)
