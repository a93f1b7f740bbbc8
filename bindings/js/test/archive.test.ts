// Archives by name, and the matrix of this package and the command line.

import { execFileSync, spawnSync } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  decryptFile,
  encryptFile,
  encryptFolder,
  exportIdentity,
  exportRecipient,
  extract,
  generateIdentity,
  inspectFile,
  list,
  type Progress,
  recipientOf,
  verifyFile,
} from '../src/api/index.js'
import { flip } from './data.js'

const CLI = process.env.SEALSTONE_CLI
const identities = generateIdentity('x25519')
const recipients = recipientOf(identities)
const content = new Uint8Array(3_000_000).map((_, i) => (i * i) % 251)
const TIME = 1_234_567_890

let folder = ''
const at = (name: string): string => join(folder, name)

/** What is in a folder, hidden names too: path, kind, mode, time, and content or target. */
function tree(path: string, above = ''): string[] {
  return readdirSync(path)
    .sort()
    .flatMap((name) => {
      const [own, shown] = [join(path, name), above + name]
      const stat = lstatSync(own)
      if (stat.isSymbolicLink()) return [`${shown} -> ${readlinkSync(own)}`]
      const facts = `${shown} ${(stat.mode & 0o7777).toString(8)} ${Math.floor(stat.mtimeMs / 1000)}`
      if (stat.isDirectory()) return [`${facts} folder`, ...tree(own, `${shown}/`)]
      return [
        `${facts} ${stat.nlink} ${Buffer.from(readFileSync(own)).toString('base64url').slice(0, 40)} ${stat.size}`,
      ]
    })
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'sealstone-'))
  mkdirSync(at('photos/2026/may'), { recursive: true })
  mkdirSync(at('photos/empty'), { mode: 0o750 })
  writeFileSync(at('photos/2026/may/film'), content)
  writeFileSync(at('photos/a.jpg'), 'a photo', { mode: 0o640 })
  writeFileSync(at('photos/日落.jpg'), 'at dusk')
  writeFileSync(at('photos/notes.tmp'), 'soon')
  linkSync(at('photos/a.jpg'), at('photos/b.jpg'))
  symlinkSync('2026/may/film', at('photos/latest'))
  chmodSync(at('photos/2026/may'), 0o711)
  utimesSync(at('photos/a.jpg'), TIME, TIME + 0.25)
  utimesSync(at('photos/empty'), TIME, new Date(-5000))
  utimesSync(at('photos/2026'), TIME, TIME)
  await encryptFolder(at('photos'), at('sealed'), { recipients })
})

afterAll(async () => {
  await rm(folder, { recursive: true })
})

describe('an archive', () => {
  test('of a folder is listed, verified and extracted, with modes, times, links and empty folders', async () => {
    const seen: Progress[] = []
    const onProgress = (now: Progress): number => seen.push(now)
    const done = await encryptFolder(pathToFileURL(at('photos')), Buffer.from(at('new')), { recipients, onProgress })
    expect(done).toEqual({
      plaintext: seen.at(-1)?.bytes,
      ciphertext: statSync(at('new')).size,
      members: 10,
      fileBytes: content.length + 18,
      leftOut: 0,
      notes: [],
    })
    expect(done.ciphertext).toBeLessThan(content.length / 2)
    expect(await inspectFile(at('new'))).toMatchObject({ archive: true, compressed: true })
    expect(await verifyFile(at('new'), { identities })).toEqual({
      plaintext: done.plaintext,
      ciphertext: done.ciphertext,
    })
    seen.length = 0
    expect(await extract(at('new'), at('all'), { identities, onProgress })).toEqual({
      members: done.members,
      fileBytes: done.fileBytes,
    })
    expect(seen.length).toBeGreaterThan(0)
    expect(tree(at('all/photos'))).toEqual(tree(at('photos')))
    expect(statSync(at('all/photos')).mode).toBe(statSync(at('photos')).mode)
  })

  test('is listed by its end, with all facts about its members', async () => {
    const entries = await list(at('sealed'), { identities })
    const shown = entries.map(({ path, kind, size, link }) => [path, kind, size, ...(link === undefined ? [] : [link])])
    expect(shown).toEqual([
      ['photos', 'folder', 0],
      ['photos/2026', 'folder', 0],
      ['photos/2026/may', 'folder', 0],
      ['photos/2026/may/film', 'file', content.length],
      ['photos/a.jpg', 'file', 7],
      ['photos/b.jpg', 'hard-link', 0, 'photos/a.jpg'],
      ['photos/empty', 'folder', 0],
      ['photos/latest', 'symbolic-link', 0, '2026/may/film'],
      ['photos/notes.tmp', 'file', 4],
      ['photos/日落.jpg', 'file', 7],
    ])
    const entry = (path: string) => entries.find((one) => one.path === path)
    expect(entry('photos/a.jpg')).toEqual({
      path: 'photos/a.jpg',
      rawPath: new Uint8Array(Buffer.from('photos/a.jpg')),
      kind: 'file',
      size: 7,
      mode: 0o640,
      modified: new Date(TIME * 1000 + 250),
      modifiedSeconds: TIME,
      modifiedNanoseconds: 250_000_000,
    })
    expect(entry('photos/empty')).toMatchObject({ mode: 0o750, modifiedSeconds: -5, modified: new Date(-5000) })
    // Of a file that is cut in front of its end nothing is listed.
    const file = readFileSync(at('sealed'))
    writeFileSync(at('cut'), file.subarray(0, -100))
    await expect(list(at('cut'), { identities })).rejects.toMatchObject({ name: 'SealstoneError' })
  })

  test('of names that are no UTF-8 keeps their bytes', async () => {
    const name = Buffer.concat([Buffer.from(at('odd')), Buffer.from([0xff])])
    writeFileSync(name, 'odd')
    await encryptFolder(name, at('odd.seal'), { recipients })
    const [entry] = await list(at('odd.seal'), { identities })
    expect(entry).toMatchObject({ path: 'odd\u{FFFD}', rawPath: new Uint8Array([...Buffer.from('odd'), 0xff]) })
    await extract(at('odd.seal'), at('odd.out'), { identities, paths: [entry?.rawPath ?? ''] })
    expect(readdirSync(at('odd.out'), { encoding: 'buffer' })).toEqual([Buffer.from([...Buffer.from('odd'), 0xff])])
  })

  test('leaves out what a pattern excludes, and takes several folders, without compression or at a level', async () => {
    const paths = async (options: object, folders: string | readonly string[] = at('photos')): Promise<string[]> => {
      await encryptFolder(folders, at('chosen'), { recipients, replace: true, ...options })
      return (await list(at('chosen'), { identities })).map(({ path }) => path)
    }
    expect(await paths({ exclude: '*.tmp' })).not.toContain('photos/notes.tmp')
    expect(await paths({ exclude: ['2026/', '*.jpg', 'latest'] })).toEqual([
      'photos',
      'photos/empty',
      'photos/notes.tmp',
    ])
    expect(await paths({ exclude: [] })).toHaveLength(10)
    expect(await paths({}, [at('photos/empty'), at('photos/a.jpg')])).toEqual(['a.jpg', 'empty'])
    expect(await paths({}, `${at('photos/2026')}/.`)).toEqual(['may', 'may/film'])
    const sizes: number[] = []
    for (const compression of ['none', 'auto', 1, 22] as const) {
      await paths({ compression })
      sizes.push(statSync(at('chosen')).size)
    }
    expect(sizes[0]).toBeGreaterThan(content.length)
    for (const size of sizes.slice(1)) expect(size).toBeLessThan(content.length / 2)
    for (const exclude of ['!x', '[z-a]']) {
      await expect(paths({ exclude })).rejects.toMatchObject({ code: 'invalid_option' })
    }
    await expect(paths({}, [at('photos'), `${at('photos')}/../photos`])).rejects.toMatchObject({
      code: 'invalid_option',
    })
  })

  test('gives single members and folders, which replace others only when asked', async () => {
    const one = (paths: readonly (string | Uint8Array)[], more: object = {}) =>
      extract(at('sealed'), at('some'), { identities, paths, ...more })
    expect(await one(['photos/a.jpg'])).toEqual({ members: 1, fileBytes: 7 })
    expect(readdirSync(at('some/photos'))).toEqual(['a.jpg'])
    await expect(one([Buffer.from('photos/a.jpg')])).rejects.toMatchObject({ code: 'output_exists' })
    writeFileSync(at('some/photos/a.jpg'), 'another')
    await one(['photos/a.jpg'], { replace: true })
    expect(readFileSync(at('some/photos/a.jpg'), 'utf8')).toBe('a photo')
    expect(await one(['photos/2026', 'photos/empty/'])).toEqual({ members: 4, fileBytes: content.length })
    expect(readFileSync(at('some/photos/2026/may/film')).equals(content)).toBe(true)
    expect(readdirSync(at('some/photos')).sort()).toEqual(['2026', 'a.jpg', 'empty'])
    await expect(one(['photos/c.jpg'])).rejects.toMatchObject({
      code: 'no_such_member',
      message: expect.stringContaining('photos/c.jpg'),
    })
    // All of it: into a folder that is not there, unless it may be merged with one.
    await expect(extract(at('sealed'), at('some'), { identities })).rejects.toMatchObject({ code: 'output_exists' })
    writeFileSync(at('some/other'), 'stays')
    await extract(at('sealed'), at('some'), { identities, replace: true })
    expect(tree(at('some/photos'))).toEqual(tree(at('photos')))
    expect(readFileSync(at('some/other'), 'utf8')).toBe('stays')
  })

  test('that was changed or cut leaves nothing, wherever that is', async () => {
    const file = readFileSync(at('sealed'))
    const before = readdirSync(folder).length
    for (let i = 0; i < 12; i++) {
      const broken = Uint8Array.from(file)
      const place = Math.floor(((i + 0.5) * file.length) / 12)
      if (i % 3 === 0) writeFileSync(at('broken'), broken.subarray(0, place))
      else {
        flip(broken, place)
        writeFileSync(at('broken'), broken)
      }
      await expect(extract(at('broken'), at('never'), { identities }), `${place}`).rejects.toMatchObject({
        name: 'SealstoneError',
        code: expect.stringMatching(/^(not_authentic|truncated|malformed_\w+)$/),
      })
      expect(readdirSync(folder)).toHaveLength(before + 1)
    }
    rmSync(at('broken'))
  })

  test('is told from other files, and needs its keys', async () => {
    writeFileSync(at('plain'), 'attack at dawn')
    await encryptFile(at('plain'), at('plain.seal'), { recipients, replace: true })
    for (const work of [
      list(at('plain.seal'), { identities }),
      extract(at('plain.seal'), at('never'), { identities }),
    ]) {
      await expect(work).rejects.toMatchObject({ code: 'not_an_archive' })
    }
    await expect(list(at('plain'), { identities })).rejects.toMatchObject({ code: 'not_sealstone' })
    const other = { identities: generateIdentity('x25519') }
    await expect(list(at('sealed'), other)).rejects.toMatchObject({ code: 'no_matching_identity' })
    await expect(extract(at('sealed'), at('never'), other)).rejects.toMatchObject({ code: 'no_matching_identity' })
    await expect(list(at('missing'), { identities })).rejects.toMatchObject({ code: 'io', cause: { code: 'ENOENT' } })
    await expect(encryptFolder(at('missing'), at('never'), { recipients })).rejects.toMatchObject({ code: 'io' })
    await expect(encryptFolder(at('photos'), at('sealed'), { recipients })).rejects.toMatchObject({
      code: 'output_exists',
    })
    await encryptFolder(at('photos'), at('text'), { recipients, armour: true })
    await expect(list(at('text'), { identities })).rejects.toMatchObject({ code: 'not_seekable' })
    await extract(at('text'), at('of text'), { identities })
    expect(tree(at('of text/photos'))).toEqual(tree(at('photos')))
    expect(existsSync(at('never'))).toBe(false)
  })

  test('says what is not in it, without a failure', async () => {
    mkdirSync(at('hard'))
    writeFileSync(at('hard/kept'), 'kept')
    execFileSync('mkfifo', [at('hard/pipe')])
    expect(await encryptFolder(at('hard'), at('hard.seal'), { recipients })).toMatchObject({
      members: 2,
      leftOut: 0,
      notes: [expect.stringMatching(/hard\/pipe is a FIFO/)],
    })
    // The archive itself is in the folder, and the new one replaces it: that is no loss.
    await encryptFolder(at('hard'), at('hard/own'), { recipients })
    const again = await encryptFolder(at('hard'), at('hard/own'), { recipients, replace: true })
    expect(again.leftOut).toBe(0)
    expect(again.notes.some((note) => note.includes('hard/own'))).toBe(true)
  })

  test('makes no link that leads out of its folder, unless asked', async () => {
    mkdirSync(at('links'))
    symlinkSync('/etc/hostname', at('links/out'))
    await encryptFolder(at('links'), at('links.seal'), { recipients })
    await expect(extract(at('links.seal'), at('links.out'), { identities })).rejects.toMatchObject({
      code: 'unsafe_member',
    })
    expect(existsSync(at('links.out'))).toBe(false)
    await extract(at('links.seal'), at('links.out'), { identities, outsideLinks: true })
    expect(readlinkSync(at('links.out/links/out'))).toBe('/etc/hostname')
  })

  test('ends with its signal, before the call and behind it, and leaves nothing', async () => {
    const before = readdirSync(folder)
    const reason = new Error('enough')
    const aborted = AbortSignal.abort(reason)
    await expect(encryptFolder(at('photos'), at('never'), { recipients, signal: aborted })).rejects.toBe(reason)
    await expect(list(at('sealed'), { identities, signal: aborted })).rejects.toBe(reason)
    await expect(extract(at('sealed'), at('never'), { identities, signal: aborted })).rejects.toBe(reason)
    // It aborts when the work listens to it: before a thread begins, which looks at its job.
    const ending = (): AbortSignal => {
      const controller = new AbortController()
      const { signal } = controller
      const listen = signal.addEventListener.bind(signal)
      return Object.assign(signal, {
        addEventListener(type: string, listener: () => void) {
          listen(type, listener)
          controller.abort(reason)
        },
      })
    }
    const [made, opened] = [
      { recipients, signal: ending() },
      { identities, signal: ending() },
    ]
    await expect(encryptFolder(at('photos'), at('never'), made)).rejects.toBe(reason)
    await expect(extract(at('sealed'), at('never'), opened)).rejects.toBe(reason)
    const one = { identities, signal: ending(), paths: ['photos/2026'] }
    await expect(extract(at('sealed'), at('never'), one)).rejects.toBe(reason)
    // What the last report throws rejects the promise too.
    const onProgress = (): void => {
      throw reason
    }
    await expect(list(at('sealed'), { identities, onProgress })).rejects.toBe(reason)
    expect(readdirSync(folder)).toEqual(before)
  })

  test('refuses options and paths that mean nothing', async () => {
    const to = at('never')
    for (const options of [
      { exclude: 7 },
      { exclude: '' },
      { exclude: ['a\0b'] },
      { compression: 'zstd' },
      { compression: 0 },
      { compression: 23 },
      { compression: 1.5 },
      { owners: 1 },
      { oneFileSystem: 'yes' },
      { allowSpecial: true },
    ]) {
      await expect(encryptFolder(at('photos'), to, { recipients, ...options } as never)).rejects.toThrow(TypeError)
    }
    for (const folders of ['', [at('photos'), ''], 7, null]) {
      await expect(encryptFolder(folders as never, to, { recipients })).rejects.toThrow(TypeError)
    }
    await expect(encryptFolder([], to, { recipients })).rejects.toMatchObject({ code: 'invalid_option' })
    for (const options of [{ paths: [] }, { paths: 'a' }, { paths: [''] }, { paths: [7] }, { specialBits: 0 }]) {
      await expect(extract(at('sealed'), to, { identities, ...options } as never)).rejects.toThrow(TypeError)
    }
    await expect(extract(at('sealed'), { identities } as never, undefined as never)).rejects.toThrow('output')
    expect(existsSync(to)).toBe(false)
  })

  test('has its names from where the process is when a function is called', async () => {
    const home = process.cwd()
    const within = <T>(work: () => Promise<T>): Promise<T> => {
      process.chdir(folder)
      try {
        return work()
      } finally {
        process.chdir(home)
      }
    }
    await within(() => encryptFolder(['photos/2026', 'photos/a.jpg'], 'relative', { recipients }))
    expect(await within(() => list('relative', { identities }))).toHaveLength(4)
    await within(() => extract('relative', 'of relative', { identities }))
    await within(() => extract('relative', 'of relative', { identities, paths: ['a.jpg'], replace: true }))
    expect(readdirSync(at('of relative')).sort()).toEqual(['2026', 'a.jpg'])
  })

  test('is a tar, and nothing else is needed to open it', async () => {
    await decryptFile(at('sealed'), at('tar'), { identities })
    const listed = execFileSync('tar', ['tf', at('tar')], {
      encoding: 'utf8',
      env: { ...process.env, LC_ALL: 'C.UTF-8' },
    })
    expect(listed.split('\n')).toContain('photos/2026/may/film')
    mkdirSync(at('by tar'))
    // It warns of a time before 1970.
    execFileSync('tar', ['xf', at('tar'), '-C', at('by tar')], { stdio: 'ignore' })
    expect(tree(at('by tar/photos'))).toEqual(tree(at('photos')))
  })

  test.skipIf(CLI === undefined)('of this package and of the command line open with each other', async () => {
    const run = (...args: string[]): string => {
      const { status, stdout, stderr } = spawnSync(CLI as string, args, { encoding: 'utf8' })
      expect([status, stderr]).toEqual([0, expect.any(String)])
      return stdout
    }
    writeFileSync(at('key'), `${exportIdentity(identities)}\n`, { mode: 0o600 })
    run('decrypt', '-q', '--extract', '-i', at('key'), '-o', at('by cli'), at('sealed'))
    expect(tree(at('by cli/photos'))).toEqual(tree(at('photos')))
    run('encrypt', '-q', '--archive', '-r', exportRecipient(recipients) as string, '-o', at('of cli'), at('photos'))
    await extract(at('of cli'), at('from cli'), { identities })
    expect(tree(at('from cli/photos'))).toEqual(tree(at('photos')))
    // The list has the same facts under names of its own.
    const lines = run('list', '--json', '-i', at('key'), at('of cli')).trim().split('\n')
    const told = lines.map((line) => JSON.parse(line) as Record<string, unknown>)
    const entries = await list(at('of cli'), { identities })
    expect(
      entries.map(({ kind, size, mode, modifiedSeconds, modifiedNanoseconds }) => [
        kind,
        size,
        mode.toString(8).padStart(4, '0'),
        modifiedSeconds,
        modifiedNanoseconds,
      ]),
    ).toEqual(told.map((one) => [one.kind, one.bytes, one.mode, one.modified_seconds, one.modified_nanoseconds]))
  })
})
