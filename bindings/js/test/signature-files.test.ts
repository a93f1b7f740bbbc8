// Signature files that have names: their content is signed and verified, and nothing is released that is not verified.

import { execFileSync } from 'node:child_process'
import { mkdtemp, readdir, readFile, rm, stat, symlink, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { generateKey } from '../src/api/sign.js'
import {
  attachFile,
  detachFile,
  type Progress,
  type SealstoneError,
  sign,
  signFile,
  verify,
  verifyFile,
} from '../src/api/signature.js'
import { pattern } from './data.js'

const CONTENT = 'attack at dawn\n'
const folder = await mkdtemp(join(tmpdir(), 'signature-'))
const path = (name: string): string => join(folder, name)
const names = async (): Promise<string[]> => (await readdir(folder)).sort()

afterEach(async () => {
  for (const name of await names()) await rm(path(name))
})

const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'success',
    (error: SealstoneError) => error.code,
  )

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

test('content of every length is what was signed, in the file and without it', async () => {
  const key = generateKey('p256-sign')
  // Around the lengths of the search for a signature, and of one read.
  for (const length of [0, 1, 15_900, 16_384, 16_385, 262_144, 600_000]) {
    await writeFile(path('content'), pattern(length))
    const signed = await attachFile(path('content'), path('signed'), key, { comment: 'all of it', replace: true })
    expect(signed.content).toBe(length)
    const file = await readFile(path('signed'))
    expect(Buffer.compare(file.subarray(0, length), pattern(length))).toBe(0)
    const signature = file.subarray(length)
    for (const verified of [
      await verify(pattern(length), signature, key.publicKey),
      await verifyFile(path('content'), signature, key.publicKey),
      await detachFile(path('signed'), key.publicKey),
      await detachFile(path('signed'), key.publicKey, { output: path('copy'), replace: true }),
    ]) {
      expect(verified).toMatchObject({ comment: 'all of it', contentLen: length, kind: 'p256-sign' })
    }
    expect(Buffer.compare(await readFile(path('copy')), pattern(length))).toBe(0)
    expect(await verify(pattern(length), await signFile(path('content'), key), key.publicKey)).toMatchObject({
      contentLen: length,
    })
  }
})

test('a signed file can be signed again, and each reader takes the last signature', async () => {
  const [first, second] = [generateKey('ed25519'), generateKey('ed25519')]
  await writeFile(path('content'), CONTENT)
  await attachFile(path('content'), path('once'), first)
  await attachFile(path('once'), path('twice'), second)
  expect(await codeOf(detachFile(path('twice'), first.publicKey))).toBe('unknown_signer')
  await detachFile(path('twice'), second.publicKey, { output: path('inner') })
  expect(Buffer.compare(await readFile(path('inner')), await readFile(path('once')))).toBe(0)
})

test('what is wrong with names and content is said, and leaves nothing', async () => {
  const key = generateKey('ed25519')
  await writeFile(path('content'), CONTENT)
  await attachFile(path('content'), path('signed'), key)
  const signature = await sign(CONTENT, key)
  await symlink(path('signed'), path('link'))
  const before = await names()
  const { publicKey } = key
  for (const [work, code] of [
    [() => signFile(path('nothing'), key), 'io'],
    [() => verifyFile(path('nothing'), signature, publicKey), 'io'],
    [() => verifyFile(path('signed'), signature, publicKey), 'invalid_signature'],
    [() => verifyFile(path('content'), CONTENT, publicKey), 'not_a_signature'],
    [() => attachFile(path('content'), path('content'), key, { replace: true }), 'same_file'],
    [() => attachFile(path('content'), path('signed'), key), 'output_exists'],
    [() => attachFile(path('content'), path('new'), key, { profile: 'gm' }), 'not_in_profile'],
    [() => attachFile(path('nothing'), path('new'), key), 'io'],
    [() => detachFile(path('content'), publicKey, { output: path('new') }), 'not_a_signature'],
    [() => detachFile(path('signed'), publicKey, { output: path('new'), namespace: 'git' }), 'wrong_namespace'],
    [() => detachFile(path('signed'), generateKey('ed25519').publicKey, { output: path('new') }), 'unknown_signer'],
    [() => detachFile(path('signed'), publicKey, { output: path('content') }), 'output_exists'],
    [() => detachFile(path('link'), publicKey, { output: path('signed'), replace: true }), 'same_file'],
    [() => detachFile(path('signed'), [], { output: path('new') }), 'invalid_signer'],
    [() => detachFile(folder, publicKey), 'io'],
    [() => signFile('/dev/zero', key), 'not_regular_file'],
    [() => detachFile('/dev/null', publicKey), 'not_regular_file'],
    [() => detachFile('/dev/null', publicKey, { allowSpecial: true }), 'not_a_signature'],
  ] as const) {
    expect(await codeOf(work())).toBe(code)
  }
  expect(await names()).toEqual(before)
})

test('a FIFO is signed, and the content that goes to one waits until it is verified', async () => {
  const key = generateKey('ed25519')
  const special = { allowSpecial: true }
  await writeFile(path('content'), pattern(400_000))
  await attachFile(path('content'), path('signed'), key)
  execFileSync('mkfifo', [path('from'), path('to')])
  /** Runs a process that fills or reads the FIFO as long as the work goes on. */
  const beside = async <T>(command: string, work: () => Promise<T>): Promise<T> => {
    const { spawn } = await import('node:child_process')
    const process = spawn('sh', ['-c', command], { cwd: folder })
    const ended = new Promise((resolve) => process.on('close', resolve))
    try {
      return await work()
    } finally {
      await ended
    }
  }
  const signature = await beside('cat content > from', () => signFile(path('from'), key, special))
  const { publicKey } = key
  await beside('cat content > from', () => verifyFile(path('from'), signature, publicKey, special))
  const output = { ...special, output: path('to') }
  for (const input of ['signed', 'from']) {
    const given = input === 'from' ? 'cat signed > from & ' : ''
    await beside(`${given}cat to > copy; wait`, () => detachFile(path(input), publicKey, output))
    expect(Buffer.compare(await readFile(path('copy')), pattern(400_000))).toBe(0)
    const changed = await readFile(path('signed'))
    changed[7] = 0
    await writeFile(path('changed'), changed)
    const from = input === 'from' ? 'cat changed > from & ' : ''
    const name = input === 'from' ? 'from' : 'changed'
    const code = await beside(`${from}cat to > copy; wait`, () => codeOf(detachFile(path(name), publicKey, output)))
    expect(code).toBe('invalid_signature')
    expect((await stat(path('copy'))).size).toBe(0)
  }
  await truncate(path('content'), 65 << 20)
  await attachFile(path('content'), path('signed'), key, { replace: true })
  const code = await beside('cat to > copy', () => codeOf(detachFile(path('signed'), publicKey, output)))
  expect([code, (await stat(path('copy'))).size]).toEqual(['too_long', 0])
})

test('work on a long file says how far it is, and ends with the signal', async () => {
  const key = generateKey('ed25519')
  await writeFile(path('content'), pattern(10_000_000))
  const seen: Progress[] = []
  const onProgress = (progress: Progress) => void seen.push(progress)
  await attachFile(path('content'), path('signed'), key, { onProgress })
  expect(seen.at(-1)).toMatchObject({ bytes: 10_000_000, total: 10_000_000 })
  await detachFile(path('signed'), key.publicKey, { output: path('copy'), onProgress })
  expect(seen.at(-1)).toMatchObject({ bytes: 10_000_000, total: 10_000_000 })
  const before = await names()
  for (const work of [
    (signal: AbortSignal) => signFile(path('content'), key, { signal }),
    (signal: AbortSignal) => attachFile(path('content'), path('new'), key, { signal }),
    (signal: AbortSignal) => detachFile(path('signed'), key.publicKey, { output: path('new'), signal }),
  ]) {
    const controller = new AbortController()
    const promise = work(controller.signal)
    controller.abort(new Error('enough'))
    await expect(promise).rejects.toThrow('enough')
  }
  expect(await names()).toEqual(before)
})
