// Files by name, and the matrix of this package and the command line: each decrypts the files of the other.

import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  closeSync,
  existsSync,
  constants as files,
  linkSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { constants, tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hash, hashFile } from '../src/api/hash.js'
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
} from '../src/api/index.js'

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

test('a name of bytes is read where the engine has it', async () => {
  const path = new Uint8Array(Buffer.from(at('plain')))
  await expect(inspectFile(Object.defineProperty(path, 'length', { value: 1 }))).rejects.toMatchObject({
    code: 'not_sealstone',
  })
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

test('a file with other names is given to others under this one alone, when asked, and a symbolic link not at all', async () => {
  const [path, hard, link] = [at('named'), at('named too'), at('link to named')]
  await encryptFile(at('plain'), path, { recipients })
  linkSync(path, hard)
  symlinkSync(path, link)
  const before = readFileSync(path)
  const other = generateIdentity('x25519')
  const options = { identities, recipients: recipientOf(other), replace: true }
  for (const given of [options, { ...options, splitLinks: false }]) {
    for (const name of [path, hard]) {
      await expect(rewrapFile(name, given)).rejects.toMatchObject({
        name: 'SealstoneError',
        code: 'hard_links',
        message: `${name} has other names (hard links), which would keep the old content`,
      })
    }
  }
  await expect(rewrapFile(link, { ...options, splitLinks: true })).rejects.toMatchObject({
    code: 'not_regular_file',
    message: `${link} is a symbolic link, not a regular file`,
  })
  await expect(rewrapFile(path, { ...options, splitLinks: 'yes' } as never)).rejects.toThrow(TypeError)
  for (const name of [path, hard]) expect(Buffer.compare(readFileSync(name), before)).toBe(0)
  await rewrapFile(path, { ...options, splitLinks: true })
  expect(await verifyFile(path, { identities: other })).toMatchObject({ plaintext: content.length })
  expect(Buffer.compare(readFileSync(hard), before)).toBe(0)
  for (const name of [path, hard, link]) rmSync(name)
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
  writeFileSync(at('long'), '')
  // It takes seconds, and tells how far it is ten times in each.
  truncateSync(at('long'), 2 ** 32)
  const reason = new Error('enough')
  const controller = new AbortController()
  const { signal } = controller
  const onProgress = ({ bytes }: { bytes: number }) => void (bytes > 0 && controller.abort(reason))
  const promise = encryptFile(at('long'), at('long.seal'), { recipients, threads: 1, signal, onProgress })
  await expect(promise).rejects.toBe(reason)
  expect(readdirSync(folder).filter((name) => name.includes('long.seal'))).toEqual([])
  rmSync(at('long'))
})

test.skipIf(CLI === undefined && process.env.CI !== 'true')(
  'what Node encrypts the command line decrypts, and the other way round',
  async () => {
    // The command line does not know the backend that this process may be told to have.
    const options = { cwd: folder, maxBuffer: 1e8, env: { ...process.env, SEALSTONE_BACKEND: '' } }
    const run = (...args: string[]): Buffer => execFileSync(CLI ?? 'sealstone', args, options)
    const kinds: Exclude<Kind, 'passphrase' | 'plugin'>[] = ['hybrid', 'x25519', 'p256', 'ml-kem-768', 'sm2', 'key']
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
    const refused = spawnSync(
      CLI ?? 'sealstone',
      ['decrypt', '--key-file', 'identity', '-o', '-', 'node.seal'],
      options,
    )
    expect(refused.status).toBe(3)
  },
)

test('what onProgress throws or rejects with ends the work, and nothing is left', async () => {
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
  const rejecting = async () => Promise.reject(boom)
  await expect(encryptFile(at('large'), at('never'), { key, onProgress: rejecting })).rejects.toBe(boom)
  expect(readdirSync(folder).filter((name) => name.includes('never'))).toEqual([])
  await expect(hashFile('sha512', at('large'), { onProgress: rejecting })).rejects.toBe(boom)
  rmSync(at('large'))
})

const TIMED_OUT = Symbol('timed out')

function soon(promise: Promise<unknown>): Promise<unknown> {
  return Promise.race([promise, new Promise((resolve) => setTimeout(resolve, 240_000, TIMED_OUT))])
}

test('FIFOs, devices and sockets are refused where they were not allowed, at once and by every function', async () => {
  execFileSync('mkfifo', [at('refused')])
  symlinkSync(at('refused'), at('link to refused'))
  const server = createServer().listen(at('socket'))
  await once(server, 'listening')
  await encryptFile(at('plain'), at('for refused'), { recipients })
  const before = readdirSync(folder)
  const refused = { name: 'SealstoneError', code: 'not_regular_file' }
  for (const path of [at('refused'), at('link to refused'), at('socket'), '/dev/zero', '/dev/full']) {
    const uses = [
      encryptFile(path, at('never'), { recipients }),
      decryptFile(path, at('never'), { identities }),
      verifyFile(path, { identities }),
      rewrapFile(path, { identities, recipients }),
      decryptRangeFile(path, 0, 10, { identities }),
      decryptRangeFile(path, 0, 2 ** 40, { identities }),
      inspectFile(path),
      hashFile('sha256', path),
    ]
    // At once, since a rejection that waits for its turn is unhandled.
    const ends = await Promise.allSettled(uses.map(soon))
    for (const end of ends) expect(end, path).toMatchObject({ status: 'rejected', reason: refused })
  }
  for (const path of [at('refused'), at('socket'), '/dev/full']) {
    for (const replace of [false, true]) {
      await expect(soon(encryptFile(at('plain'), path, { recipients, replace }))).rejects.toMatchObject(refused)
      await expect(soon(decryptFile(at('for refused'), path, { identities, replace }))).rejects.toMatchObject(refused)
    }
  }
  await expect(inspectFile(at('refused'))).rejects.toThrow(`${at('refused')} is a FIFO, not a regular file`)
  await expect(inspectFile(at('plain'), { allowSpecial: 'yes' } as never)).rejects.toThrow(TypeError)
  await expect(inspectFile(at('plain'), { signal: 7 } as never)).rejects.toThrow(TypeError)
  await expect(inspectFile(at('plain'), { special: true } as never)).rejects.toThrow(TypeError)
  server.close()
  expect(readdirSync(folder).filter((name) => name !== 'socket')).toEqual(before.filter((name) => name !== 'socket'))
})

test('a signal ends the wait for a FIFO, in every function', async () => {
  type Use = (path: string, options: { allowSpecial: true; signal: AbortSignal }) => Promise<unknown>
  const uses: [string, Use][] = [
    ['encrypt from', (path, options) => encryptFile(path, at('never'), { recipients, ...options })],
    ['encrypt to', (path, options) => encryptFile(at('plain'), path, { recipients, ...options })],
    ['decrypt from', (path, options) => decryptFile(path, at('never'), { identities, ...options })],
    ['decrypt to', (path, options) => decryptFile(at('for refused'), path, { identities, ...options })],
    ['verify', (path, options) => verifyFile(path, { identities, ...options })],
    ['range', (path, options) => decryptRangeFile(path, 0, 10, { identities, ...options })],
    ['long range', (path, options) => decryptRangeFile(path, 0, 2 ** 40, { identities, ...options })],
    ['inspect', (path, options) => inspectFile(path, options)],
    ['hash', (path, options) => hashFile('sm3', path, options)],
  ]
  for (const [name, use] of uses) {
    for (const peer of ['nobody at the other end', 'somebody who does nothing']) {
      const path = at(`silent ${name}, ${peer}`)
      execFileSync('mkfifo', [path])
      const fd = peer.startsWith('nobody') ? undefined : openSync(path, files.O_RDWR)
      const reason = new Error('enough')
      const controller = new AbortController()
      setTimeout(() => controller.abort(reason), 30)
      const promise = use(path, { allowSpecial: true, signal: controller.signal })
      await expect(soon(promise), `${name}, ${peer}`).rejects.toBe(reason)
      if (fd !== undefined) closeSync(fd)
    }
  }
  expect(existsSync(at('never'))).toBe(false)
})

test('many waits for FIFOs hold up no other work on files', async () => {
  execFileSync('mkfifo', [at('crowd')])
  const controllers = Array.from({ length: 20 }, () => new AbortController())
  const refused = controllers.map(() => inspectFile(at('crowd')))
  const waiting = controllers.map(({ signal }) => inspectFile(at('crowd'), { allowSpecial: true, signal }))
  const settled = Promise.allSettled([...refused, ...waiting])
  expect(await soon(inspectFile(at('for refused')))).toMatchObject({ plaintextLen: content.length })
  expect(await soon(inspectFile(at('for refused'), { allowSpecial: true }))).toMatchObject({ version: 1 })
  for (const controller of controllers) controller.abort()
  const reasons = (await settled).map((one) => (one.status === 'rejected' ? one.reason : undefined))
  expect(reasons.slice(0, 20).map(({ code }) => code)).toEqual(Array(20).fill('not_regular_file'))
  expect(reasons.slice(20).map(({ name }) => name)).toEqual(Array(20).fill('AbortError'))
})

test('a process ends after its waits, and a worker thread takes its own along', () => {
  execFileSync('mkfifo', [at('forever')])
  const addon = createRequire(import.meta.url).resolve('sealstone-linux-x64-gnu')
  const wait = `
    const native = require(${JSON.stringify(addon)})
    const job = native.job()
    const waits = Array.from({ length: 10 }, () => native.inspectFile(Buffer.from(${JSON.stringify(at('forever'))}), true, job))
  `
  const run = (script: string) => spawnSync(process.execPath, ['-e', script], { timeout: 240_000, encoding: 'utf8' })
  const cancelled = run(`${wait}
    setTimeout(() => native.jobCancel(job), 50)
    Promise.all(waits).then((all) => console.log(new Set(all.map(({ code }) => code))))
  `)
  expect(cancelled).toMatchObject({ status: 0, stdout: "Set(1) { 'cancelled' }\n" })
  expect(run(`${wait} setTimeout(() => process.exit(7), 50)`)).toMatchObject({ status: 7 })
  const terminated = run(`
    const { readdirSync, readFileSync } = require('node:fs')
    const { Worker } = require('node:worker_threads')
    // A thread that has ended since has none.
    const name = (task) => { try { return readFileSync('/proc/self/task/' + task + '/comm', 'utf8') } catch { return '' } }
    const names = () => readdirSync('/proc/self/task').map(name)
    const waiting = () => names().filter((name) => name === 'sealstone\\n').length
    const worker = new Worker(${JSON.stringify(wait)}, { eval: true })
    const seen = setInterval(async () => {
      if (waiting() < 10) return
      clearInterval(seen)
      await worker.terminate()
      const ended = setInterval(() => {
        if (waiting() > 0) return
        clearInterval(ended)
        console.log('ended')
      }, 10)
    }, 10)
  `)
  expect(terminated).toMatchObject({ status: 0, stdout: 'ended\n' })
})

test('FIFOs and devices that are allowed are read and written', async () => {
  for (const name of ['from', 'to']) execFileSync('mkfifo', [at(name)])
  const done = encryptFile(at('from'), at('to'), { recipients, allowSpecial: true })
  const sealed = readFile(at('to'))
  await writeFile(at('from'), content)
  expect(await done).toMatchObject({ plaintext: content.length })
  expect(Buffer.compare(decryptSync(await sealed, { identities }), content)).toBe(0)

  const hashed = hashFile('sha256', at('from'), { allowSpecial: true })
  await writeFile(at('from'), content)
  expect(Buffer.compare(await hashed, hash('sha256', content))).toBe(0)

  // It stops reading behind the head.
  const given = writeFile(at('from'), readFileSync(at('for refused'))).catch(() => undefined)
  const ranged = decryptRangeFile(at('from'), 0, 10, { identities, allowSpecial: true })
  await expect(ranged).rejects.toMatchObject({ code: 'not_seekable' })
  await given

  await expect(encryptFile(at('plain'), '/dev/full', { recipients, allowSpecial: true })).rejects.toMatchObject({
    code: 'io',
    cause: { code: 'ENOSPC' },
  })
  expect(await encryptFile('/dev/null', at('empty'), { recipients, allowSpecial: true })).toMatchObject({
    plaintext: 0,
  })
})

test('files of the kernel, whose length is another than they say, are read as streams', async () => {
  for (const path of ['/proc/version', '/sys/devices/system/cpu/possible']) {
    const text = readFileSync(path)
    expect(text.length).not.toBe(statSync(path).size)
    await encryptFile(path, at('kernel'), { recipients, replace: true })
    expect(Buffer.compare(decryptSync(readFileSync(at('kernel')), { identities }), text)).toBe(0)
    expect(Buffer.compare(await hashFile('sha256', path), hash('sha256', text))).toBe(0)
  }
})

test('an output that was forgotten is called missing, and what a path can be is said', async () => {
  const call = async (work: (...args: never[]) => unknown, ...args: unknown[]): Promise<unknown> =>
    work(...(args as never[]))
  const missing = /the output is missing: its path must be a string, a Uint8Array or a file: URL/
  await expect(call(encryptFile, 'in', { key: new Uint8Array(32) })).rejects.toThrow(missing)
  await expect(call(decryptFile, 'in', { key: new Uint8Array(32) })).rejects.toThrow(missing)
  await expect(call(inspectFile, 5)).rejects.toThrow(/the path must be a string, a Uint8Array or a file: URL/)
})
