// Files by name where there is no addon, beside the addon: files and results are the same, and so are the codes of errors.

import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import { hash } from '../src/api/hash.js'
import { decryptSync, encryptSync } from '../src/api/index.js'
import type { Handle } from '../src/backend/calls.js'
import type { Calls } from '../src/backend/index.js'
import { turn } from '../src/basics/turn.js'
import { load } from '../src/node/fallback.js'
import { loadNative } from '../src/node/native.js'
import { platform, withAddon } from '../src/node/platform.js'
import { sync } from '../src/work/call.js'

const native = loadNative()
const BOTH: Record<string, Calls> = { addon: withAddon(native), fallback: load() }
const NO = undefined

const folder = mkdtempSync(join(tmpdir(), 'sealstone-fallback-'))
afterAll(() => rmSync(folder, { recursive: true }))
const at = (name: string): string => join(folder, name)
const bytes = (path: string): Uint8Array => Buffer.from(path)

const key = new Uint8Array(32).fill(7)
/** Around pieces that are read at once, units and chunks. */
const LENGTHS = [0, 1, 16_383, 16_384, 262_143, 262_144, 600_000]
const plaintext = (length: number): Uint8Array => new Uint8Array(length).map((_, i) => i % 251)

/** Objects of each call, released after it. */
interface Made {
  readonly encryptor: (armour?: boolean) => Handle
  readonly decryptor: () => Handle
  readonly rewrapper: () => Handle
  readonly job: Handle
  readonly hashId: (name: string) => number
  readonly writer: (profile?: string) => Handle
  readonly reader: (namespace?: string) => Handle
}

/** A key of the other side of rewrapping. */
const other = new Uint8Array(32).fill(9)

async function calling<T>({ sync, files }: Calls, work: (made: Made, files: Calls['files']) => Promise<T>): Promise<T> {
  const objects: Handle[] = []
  const kept = (handle: Handle): Handle => {
    objects.push(handle)
    return handle
  }
  const identity = kept(sync.identityOfKey(key))
  const recipientOfKey = (bytes: Uint8Array): Handle => kept(sync.identityRecipient(kept(sync.identityOfKey(bytes))))
  const made: Made = {
    encryptor: (armour = false) => kept(sync.encryptor([recipientOfKey(key)], NO, NO, NO, NO, armour, NO)),
    decryptor: () => kept(sync.decryptor([identity], NO, NO, NO)),
    rewrapper: () => kept(sync.rewrapper([identity], [recipientOfKey(other)], NO, NO, NO)),
    job: kept(sync.job()),
    hashId: (name) => sync.hashId(name),
    writer: (profile) => kept(sync.signatureWriter(kept(sync.signPrivateOf('ed25519', key)), NO, 'release 7', profile)),
    reader: (namespace) => {
      const trusting = kept(sync.signatureTrusting(namespace, NO))
      sync.signatureTrustKey(trusting, kept(sync.signPublicKey(kept(sync.signPrivateOf('ed25519', key)))))
      return kept(sync.signatureReader(trusting))
    },
  }
  try {
    return await work(made, files)
  } finally {
    for (const object of objects) sync.release(object)
  }
}

/** The answer of both, which has to be the same; of an error its code, and the number of the system. */
async function same(work: (made: Made, files: Calls['files'], name: string) => Promise<unknown>): Promise<unknown> {
  const answers = []
  for (const [name, calls] of Object.entries(BOTH)) {
    const given = await calling(calls, (made, files) => work(made, files, name))
    // Long arrays take long to be compared one by one.
    const answer = given instanceof Uint8Array ? { digest: hash('blake3', given) } : given
    const { code, errno } = (answer ?? {}) as { code?: string; errno?: number }
    answers.push(code === undefined ? answer : { code, errno })
  }
  expect(answers[1]).toEqual(answers[0])
  return answers[1]
}

test('the backend that is asked for computes', () => {
  const isWasm = 'heldCount' in sync()
  expect(isWasm).toBe(process.env.SEALSTONE_BACKEND === 'wasm')
})

test('files of every length are the same to both, with armour and without', async () => {
  for (const length of LENGTHS) {
    writeFileSync(at('plain'), plaintext(length))
    for (const armour of [false, true]) {
      await same((made, files, name) =>
        files.encryptFile(made.encryptor(armour), bytes(at('plain')), bytes(at(name)), true, false, made.job),
      )
      for (const written of ['addon', 'fallback']) {
        const file = bytes(at(written))
        expect(Buffer.compare(decryptSync(readFileSync(at(written)), { key }), plaintext(length))).toBe(0)
        const done = await same((made, files) => files.verifyFile(made.decryptor(), file, false, made.job))
        expect(done).toMatchObject({ plaintext: length })
        const opened = bytes(at('opened'))
        await same((made, files) => files.decryptFile(made.decryptor(), file, opened, true, false, made.job))
        expect(Buffer.compare(readFileSync(at('opened')), plaintext(length))).toBe(0)
        const seen = await same((made, files) => files.inspectFile(file, false, made.job))
        expect(seen).toMatchObject({ plaintextLen: length, armoured: armour })
        for (const algorithm of ['sha256', 'blake3', 'sm3']) {
          await same((made, files) => files.hashFile(made.hashId(algorithm), file, false, 0, made.job))
        }
        for (const start of [0, 7, 16_384, 262_145, length, length + 1]) {
          for (const end of [start - 1, start, start + 20_000, 2 ** 40].filter((end) => end >= 0)) {
            await same((made, files) => files.decryptRangeFile(made.decryptor(), file, start, end, false, made.job))
          }
        }
      }
      for (const [name, calls] of Object.entries(BOTH)) {
        chmodSync(at(name), 0o640)
        const before = readFileSync(at(name))
        const done = await calling(calls, (made, files) =>
          files.rewrapFile(made.rewrapper(), bytes(at(name)), false, made.job),
        )
        const after = readFileSync(at(name))
        const [seen, opened] = [{ plaintext: length }, decryptSync(after, { key: other })]
        expect(done).toMatchObject(seen)
        if (!armour) expect(done).toMatchObject({ ciphertext: after.length })
        expect(Buffer.compare(opened, plaintext(length))).toBe(0)
        expect(Buffer.compare(decryptSync(before, { key }), opened)).toBe(0)
        expect(statSync(at(name)).mode & 0o777).toBe(0o640)
      }
    }
  }
})

test('what is damaged fails in both with the same code, in every function, and leaves nothing', async () => {
  const file = encryptSync(plaintext(40_000), { key })
  const armoured = encryptSync(plaintext(40_000), { key, armour: true })
  const damaged: Uint8Array[] = [new Uint8Array(0), Buffer.from('no file'), new Uint8Array(100_000)]
  for (const whole of [file, armoured]) {
    const lengths = [1, 5, 11, 12, 13, 40, 100, 150, 180, 200, 16_500, 16_600, 33_000, 33_100, 40_000, whole.length - 1]
    for (const length of lengths) damaged.push(whole.subarray(0, length))
    for (const place of [0, 8, 9, 14, 30, 60, 100, 140, 160, 190, 230, 300, 17_000, 34_000, whole.length - 2]) {
      const flipped = whole.slice()
      flipped[place] = (flipped[place] as number) ^ 4
      damaged.push(flipped)
    }
  }
  damaged.push(Buffer.concat([file, file]), Buffer.concat([armoured, armoured]), encryptSync('x', { key: other }))
  damaged.push(encryptSync('x', { key, context: 'x' }))
  // Text around armour is no damage; text that is too long is.
  damaged.push(
    ...[1, 60_000, 70_000].map((length) => Buffer.concat([Buffer.alloc(length, '\n'), armoured, Buffer.from('x')])),
  )
  mkdirSync(at('damaged'))
  const names: unknown[] = []
  for (const data of damaged) {
    writeFileSync(at('damaged/file'), data)
    const [path, out] = [bytes(at('damaged/file')), bytes(at('damaged/out'))]
    names.push(await same((made, files) => files.verifyFile(made.decryptor(), path, false, made.job)))
    await same((made, files) => files.inspectFile(path, false, made.job))
    await same((made, files) => files.decryptRangeFile(made.decryptor(), path, 5, 30, false, made.job))
    await same((made, files) => files.decryptRangeFile(made.decryptor(), path, 5, 2 ** 40, false, made.job))
    await same(async (made, files) => {
      const done = await files.decryptFile(made.decryptor(), path, out, true, false, made.job)
      rmSync(at('damaged/out'), { force: true })
      return done
    })
    await same(async (made, files) => {
      writeFileSync(at('damaged/file'), data)
      const done = await files.rewrapFile(made.rewrapper(), path, false, made.job)
      return 'code' in (done as object) ? done : undefined
    })
    expect(readdirSync(at('damaged'))).toEqual(['file'])
  }
  const codes = new Set(names.map((one) => (one as { code?: string }).code))
  for (const code of ['not_sealstone', 'truncated', 'not_authentic', 'malformed_armour', 'no_matching_identity']) {
    expect(codes).toContain(code)
  }
})

test('signature files are the same to both, and what is wrong with them has the same code', async () => {
  for (const length of LENGTHS) {
    writeFileSync(at('content'), plaintext(length))
    const content = bytes(at('content'))
    const signature = await same((made, files) => files.signatureSignFile(made.writer(), content, false, made.job))
    expect(signature).toMatch(/^-----BEGIN SSH SIGNATURE-----\n/)
    const text = bytes(signature as string)
    await same((made, files) => files.signatureVerifyFile(made.reader(), content, text, false, made.job))
    const signed = await same((made, files, name) =>
      files.signatureAttachFile(made.writer(), content, bytes(at(name)), true, false, made.job),
    )
    expect(signed).toEqual({ content: length, written: length + text.length })
    const [one, other] = Object.keys(BOTH).map((name) => readFileSync(at(name)))
    expect(Buffer.compare(one as Buffer, other as Buffer)).toBe(0)
    const verified = await same(async (made, files, name) => {
      rmSync(at('opened'), { force: true })
      const done = await files.signatureDetachFile(
        made.reader(),
        bytes(at(name)),
        bytes(at('opened')),
        false,
        false,
        made.job,
      )
      expect(Buffer.compare(readFileSync(at('opened')), plaintext(length))).toBe(0)
      return done
    })
    expect(verified).toMatchObject({ kind: 'ed25519', comment: 'release 7', contentLen: length })
  }

  mkdirSync(at('signatures'))
  const whole = readFileSync(at('addon'))
  const text = whole.subarray(plaintext(600_000).length)
  const [path, out] = [bytes(at('signatures/file')), bytes(at('signatures/out'))]
  const flipped = (data: Uint8Array, place: number): Uint8Array => {
    // A Buffer's own `slice` is no copy.
    const changed = new Uint8Array(data)
    changed[place] = (changed[place] as number) ^ 4
    return changed
  }
  const codes = new Set<unknown>()
  const damaged = [
    new Uint8Array(0),
    plaintext(100_000),
    ...[1, 300, 16_384, 100_000].map((length) => whole.subarray(0, -length)),
    ...[0, 599_999, 600_005, 600_040, 600_100, 600_200, whole.length - 2].map((place) => flipped(whole, place)),
    Buffer.concat([whole, text]),
    Buffer.concat([whole, Buffer.from('\n')]),
  ]
  for (const data of damaged) {
    writeFileSync(at('signatures/file'), data)
    for (const to of [NO, out]) {
      for (const namespace of [NO, 'git']) {
        const done = await same((made, files) =>
          files.signatureDetachFile(made.reader(namespace), path, to, false, false, made.job),
        )
        codes.add((done as { code?: string }).code)
        expect(readdirSync(at('signatures'))).toEqual(['file'])
      }
    }
  }
  writeFileSync(at('signatures/file'), plaintext(600_000))
  for (const signature of [text, flipped(text, 3), flipped(text, 100), text.subarray(0, -3), flipped(text, 250)]) {
    const done = await same((made, files) => files.signatureVerifyFile(made.reader(), path, signature, false, made.job))
    codes.add((done as { code?: string }).code)
  }
  expect([...codes].sort()).toEqual(
    expect.arrayContaining(['invalid_signature', 'malformed_signature', 'not_a_signature', 'wrong_namespace']),
  )
  const never = bytes(at('signatures/never'))
  for (const profile of [NO, 'gm']) {
    await same((made, files) => files.signatureSignFile(made.writer(profile), path, false, made.job))
    await same((made, files) => files.signatureSignFile(made.writer(profile), never, false, made.job))
    await same((made, files) => files.signatureAttachFile(made.writer(profile), path, path, true, false, made.job))
    await same((made, files) => files.signatureAttachFile(made.writer(profile), path, path, false, false, made.job))
  }
  for (const name of ['/dev/null', at('signatures')]) {
    for (const special of [false, true]) {
      await same((made, files) => files.signatureDetachFile(made.reader(), bytes(name), NO, false, special, made.job))
      await same((made, files) => files.signatureSignFile(made.writer(), bytes(name), special, made.job))
    }
  }
  expect(readdirSync(at('signatures'))).toEqual(['file'])
})

test('the MAC of a file needs its key only until the call returns', async () => {
  writeFileSync(at('content'), plaintext(40_000))
  await same((made, files, name) => {
    const { sync } = BOTH[name] as Calls
    const own = sync.mac('hmac-sha256', key, NO, 0)
    const tag = files.macFile(own, bytes(at('content')), false, made.job)
    sync.release(own)
    return tag
  })
})

/** Text that no message contains: controls, marks of direction, and secret keys. */
const UNSHOWN = /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]|1q{8}|MC4CAQ|"kty"/iu

test('names are refused with the same code, and no message shows a forged line or a key', async () => {
  writeFileSync(at('there'), 'x')
  symlinkSync(at('nowhere'), at('dangling'))
  linkSync(at('there'), at('hard link'))
  const secret = 'AGE-SECRET-KEY-1QQQQQQQQQQQQQQQQQQQQQQQQQ'
  const paths = [
    ...['', '/', '.', '..', '/.', '/x', 'there/x', 'nowhere', 'nowhere/x', 'dangling', 'there/'].map((name) =>
      at(name),
    ),
    ...['a\nb', 'it\'s "\u{1b}[2J', secret, `${secret}.txt`, 'my-secret-key-2.txt', '世界 😀', 'a\u{202e}b'].map(at),
    ...[
      'हिन्दी',
      'مُحَمَّد',
      'e\u{301}',
      '👩\u{200d}👧',
      '\u{fffd}',
      'a\u{200f}b',
      'a\u{2028}b',
      '\u{85}',
      '\u{a0}\u{378}\u{e000}',
    ].map(at),
    at('sealstone-key-1qqqqqqqqqqqqqqqqqqqq'),
    at('-----BEGIN PRIVATE KEY-----\nMC4CAQ'),
    at('{"kty":"OKP","d":"x"}'),
    'nowhere-at-all',
    '/proc/self/mem/x',
  ]
  for (const path of paths) {
    const input = bytes(path)
    const refused = await calling(BOTH.fallback as Calls, (made, files) => files.inspectFile(input, true, made.job))
    expect(refused).toMatchObject({ code: expect.any(String), message: expect.not.stringMatching(UNSHOWN) })
    await same((made, files) => files.hashFile(made.hashId('sha256'), input, false, 0, made.job))
    await same((made, files) => files.inspectFile(input, true, made.job))
    await same((made, files) => files.rewrapFile(made.rewrapper(), input, false, made.job))
    await same((made, files) => files.decryptFile(made.decryptor(), input, input, false, false, made.job))
  }
  const never = bytes(at('never'))
  // A name need not be UTF-8.
  const raw = Uint8Array.of(...bytes(`${folder}/`), 0x80, 0xc3, 0xa9, 0xbf)
  await same((made, files) => files.hashFile(made.hashId('sha256'), raw, false, 0, made.job))
  writeFileSync(Buffer.from(raw), 'x')
  expect(await same((made, files) => files.hashFile(made.hashId('sha256'), raw, false, 0, made.job))).toHaveProperty(
    'digest',
  )
  for (const to of ['there', 'hard link', '', 'no/folder', 'there/x', 'new/', 'a\0'.slice(0, 1)].map(at)) {
    const [from, output] = [bytes(at('there')), bytes(to)]
    await same(async (made, files) => {
      const done = await files.encryptFile(made.encryptor(), from, output, false, false, made.job)
      if (!('code' in done)) rmSync(to)
      return done
    })
  }
  await same((made, files) => files.encryptFile(made.encryptor(), never, never, true, false, made.job))
  expect(existsSync(at('never'))).toBe(false)
})

test('a new file has the mode that it is to have, a link is replaced itself, and nothing is left beside it', async () => {
  writeFileSync(at('plain'), 'attack at dawn')
  const { files } = BOTH.fallback as Calls
  const encrypted = (to: string, replace: boolean) =>
    calling(BOTH.fallback as Calls, (made) =>
      files.encryptFile(made.encryptor(), bytes(at('plain')), bytes(to), replace, false, made.job),
    )
  for (const [umask, mode] of [
    [0o022, 0o644],
    [0o077, 0o600],
    [0o777, 0],
  ] as const) {
    const before = process.umask(umask)
    try {
      expect(await encrypted(at('mode'), true)).toMatchObject({ plaintext: 14 })
    } finally {
      process.umask(before)
    }
    expect(statSync(at('mode')).mode & 0o777).toBe(mode)
  }
  writeFileSync(at('target'), 'old')
  symlinkSync(at('target'), at('link'))
  expect(await encrypted(at('link'), false)).toMatchObject({ code: 'output_exists' })
  expect(await encrypted(at('link'), true)).toMatchObject({ plaintext: 14 })
  expect(readFileSync(at('target'), 'utf8')).toBe('old')
  expect(Buffer.from(decryptSync(readFileSync(at('link')), { key })).toString()).toBe('attack at dawn')
  expect(readdirSync(folder).filter((name) => name.includes('.tmp'))).toEqual([])
})

test('in place a file with other names is refused unless they are split, and a symbolic link as what it is', async () => {
  mkdirSync(at('names'))
  const [path, hard, link] = [at('names/file'), at('names/hard'), at('names/link')]
  const file = encryptSync('attack at dawn', { key })
  const rewrapped = (name: string, split: boolean) =>
    same(async (made, files) => {
      for (const old of readdirSync(at('names'))) rmSync(at(`names/${old}`))
      writeFileSync(path, file)
      linkSync(path, hard)
      symlinkSync(path, link)
      const done = await files.rewrapFile(made.rewrapper(), bytes(name), split, made.job)
      expect(readdirSync(at('names'))).toEqual(['file', 'hard', 'link'])
      expect(readlinkSync(link)).toBe(path)
      // Of a file that was split, the name that was not given keeps the old content.
      const kept = 'code' in done ? [path, hard] : [name === path ? hard : path]
      for (const one of kept) expect(Buffer.compare(readFileSync(one), file)).toBe(0)
      if (!('code' in done)) expect(decryptSync(readFileSync(name), { key: other })).toHaveLength(14)
      return done
    })
  for (const name of [path, hard]) {
    expect(await rewrapped(name, false)).toEqual({ code: 'hard_links' })
    expect(await rewrapped(name, true)).toMatchObject({ plaintext: 14 })
  }
  for (const split of [false, true]) expect(await rewrapped(link, split)).toEqual({ code: 'not_regular_file' })
})

test('in place what is done to a file until the last moment is seen, and it keeps what it has', async () => {
  const fs = process.getBuiltinModule('node:fs')
  mkdirSync(at('late'))
  const [path, hard] = [at('late/file'), at('late/hard')]
  const file = encryptSync('attack at dawn', { key })
  const exchange = (): void => {
    renameSync(path, hard)
    copyFileSync(hard, path)
  }
  const changes: [() => void, string, string[]][] = [
    [() => linkSync(path, hard), 'hard_links', ['file', 'hard']],
    [() => writeFileSync(path, 'newer'), 'input_changed', ['file']],
    [() => utimesSync(path, 2, 2), 'input_changed', ['file']],
    [() => rmSync(path), 'input_changed', []],
    [exchange, 'input_changed', ['file', 'hard']],
  ]
  for (const [change, code, left] of changes) {
    for (const name of readdirSync(at('late'))) rmSync(at(`late/${name}`))
    writeFileSync(path, file)
    utimesSync(path, 1, 1)
    let after: Buffer | undefined
    // Right before it looks at the name for the last time.
    const { lstatSync } = fs
    const look = vi.spyOn(fs, 'lstatSync').mockImplementationOnce((...looked: Parameters<typeof lstatSync>) => {
      expect(Buffer.compare(Buffer.from(looked[0] as Buffer), Buffer.from(path))).toBe(0)
      change()
      after = existsSync(path) ? readFileSync(path) : undefined
      return lstatSync(...looked)
    })
    try {
      const work = calling(BOTH.fallback as Calls, (made, files) =>
        files.rewrapFile(made.rewrapper(), bytes(path), false, made.job),
      )
      expect(await work).toMatchObject({ code })
    } finally {
      look.mockRestore()
    }
    expect(readdirSync(at('late'))).toEqual(left)
    expect(existsSync(path) ? readFileSync(path) : undefined).toEqual(after)
  }
})

test('a file that changes while it is read is an error, and nothing is left', async () => {
  const { files, sync } = BOTH.fallback as Calls
  for (const change of [
    (path: string) => writeFileSync(path, 'x', { flag: 'a' }),
    (path: string) => writeFileSync(path, 'x'),
  ]) {
    writeFileSync(at('changing'), new Uint8Array(20_000_000))
    const work = calling(BOTH.fallback as Calls, (made) => {
      const done = files.encryptFile(
        made.encryptor(),
        bytes(at('changing')),
        bytes(at('of changing')),
        false,
        false,
        made.job,
      )
      const changed = async (): Promise<void> => {
        while (sync.jobProgress(made.job)[0] === 0) await turn()
        change(at('changing'))
      }
      return Promise.all([done, changed()]).then(([result]) => result)
    })
    expect(await work).toMatchObject({ code: 'input_changed' })
    expect(readdirSync(folder).filter((name) => /of changing|\.tmp/.test(name))).toEqual([])
  }
})

test('archives need the addon, and the fall-back says so', async () => {
  const { sync, files } = BOTH.fallback as Calls
  const [job, none] = [sync.job(), new Uint8Array(0)]
  const key = sync.identityOfKey(new Uint8Array(32))
  const decryptor = sync.decryptor([key], NO, NO, NO)
  const encryptor = sync.encryptor([sync.identityRecipient(key)], NO, NO, NO, NO, NO, NO)
  const [from, to] = [bytes(folder), bytes(at('never'))]
  for (const work of [
    files.encryptFolder(encryptor, from, to, false, none, NO, false, false, false, job),
    files.listArchive(decryptor, from, job),
    files.extractArchive(decryptor, from, to, none, false, false, false, false, false, job),
  ]) {
    expect(await work).toEqual({
      code: 'unavailable_backend',
      message: expect.stringMatching(/archives need the native part/),
    })
  }
  expect(existsSync(at('never'))).toBe(false)
})

test('a relative name means what it meant, and in a folder that is moved away nothing is left of a plaintext', async () => {
  const text = plaintext(20_000_000)
  const file = encryptSync(text, { key, suite: 'chacha20-poly1305' })
  writeFileSync(at('long.seal'), file)
  mkdirSync(at('elsewhere'))
  const begun = process.cwd()
  // Threads of vitest have one working directory with it, and none of their own.
  const change = vi.spyOn(process, 'cwd').mockReturnValue(folder)
  try {
    await calling(BOTH.fallback as Calls, async (made, files) => {
      const done = files.decryptFile(made.decryptor(), bytes('long.seal'), bytes('long'), false, false, made.job)
      change.mockReturnValue(at('elsewhere'))
      expect(await done).toMatchObject({ plaintext: text.length })
    })
  } finally {
    change.mockRestore()
  }
  expect(process.cwd()).toBe(begun)
  expect(Buffer.compare(readFileSync(at('long')), text)).toBe(0)

  mkdirSync(at('moved'))
  await calling(BOTH.fallback as Calls, async (made, files) => {
    const output = bytes(at('moved/long'))
    const done = files.decryptFile(made.decryptor(), bytes(at('long.seal')), output, false, false, made.job)
    while (readdirSync(at('moved')).length === 0) await new Promise((resolve) => setImmediate(resolve))
    renameSync(at('moved'), at('away'))
    expect(await done).toMatchObject({ code: 'io' })
  })
  expect(readdirSync(at('away')).map((name) => statSync(at(`away/${name}`)).size)).toEqual([0])
})

test('where a file system has no second names, a new file still takes no other’s place', async () => {
  const fs = process.getBuiltinModule('node:fs')
  const link = vi.spyOn(fs.promises, 'link').mockRejectedValue(Object.assign(new Error('no'), { code: 'EPERM' }))
  try {
    const { files } = BOTH.fallback as Calls
    const encrypted = () =>
      calling(BOTH.fallback as Calls, (made) =>
        files.encryptFile(made.encryptor(), bytes(at('plain')), bytes(at('reserved')), false, false, made.job),
      )
    writeFileSync(at('plain'), 'attack at dawn')
    expect(await encrypted()).toMatchObject({ plaintext: 14 })
    expect(await encrypted()).toMatchObject({ code: 'output_exists' })
    // One that comes under the name in the middle of the work.
    rmSync(at('reserved'))
    link.mockImplementation(async () => {
      writeFileSync(at('reserved'), 'theirs')
      throw Object.assign(new Error('no'), { code: 'EPERM' })
    })
    expect(await encrypted()).toMatchObject({ code: 'output_exists' })
    expect(readFileSync(at('reserved'), 'utf8')).toBe('theirs')
    expect(readdirSync(folder).filter((name) => name.includes('.tmp'))).toEqual([])
  } finally {
    link.mockRestore()
  }
})

test('a backend of the native part is not had without it, and WebAssembly is where it is asked for', () => {
  const warned = vi.spyOn(process, 'emitWarning').mockImplementation(() => undefined)
  const { SEALSTONE_BACKEND } = process.env
  const actual = Object.getOwnPropertyDescriptor(process, 'platform') as PropertyDescriptor
  Object.defineProperty(process, 'platform', { ...actual, value: 'sunos' })
  try {
    for (const name of ['portable', 'avx9', 'WASM']) {
      process.env.SEALSTONE_BACKEND = name
      expect(() => platform.load()).toThrow(`SEALSTONE_BACKEND is '${name}', which is unknown or needs the native part`)
      expect(() => platform.load()).toThrow(/only wasm computes: sealstone has no native part for sunos-x64/)
      expect(() => platform.load()).toThrow(expect.objectContaining({ code: 'unavailable_backend' }))
    }
    for (const name of ['', 'wasm']) {
      process.env.SEALSTONE_BACKEND = name
      expect(platform.load()).toBe(load())
    }
  } finally {
    Object.defineProperty(process, 'platform', actual)
    if (SEALSTONE_BACKEND === undefined) delete process.env.SEALSTONE_BACKEND
    else process.env.SEALSTONE_BACKEND = SEALSTONE_BACKEND
    warned.mockRestore()
  }
})
