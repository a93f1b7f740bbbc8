// Files of age by their names, and keys of SSH: only Node has both.

import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as typage from 'age-encryption'
import { afterAll, expect, test } from 'vitest'
import { ssh } from '#age'
import { armor, Decrypter, Encrypter, generateIdentity, identityToRecipient } from '../src/api/age/index.js'
import { compare, flip, pattern } from './data.js'

const code = (code: string) => expect.objectContaining({ name: 'SealstoneError', code })
const CHUNK = 65_536
const isAddon = process.env.SEALSTONE_BACKEND !== 'wasm'

const folder = mkdtempSync(join(tmpdir(), 'sealstone-age-'))
afterAll(() => rmSync(folder, { recursive: true }))
const path = (name: string): string => join(folder, name)

async function pair(): Promise<{ encrypter: Encrypter; decrypter: Decrypter; their: typage.Decrypter }> {
  const identity = await generateIdentity()
  const [encrypter, decrypter, their] = [new Encrypter(), new Decrypter(), new typage.Decrypter()]
  encrypter.addRecipient(await identityToRecipient(identity))
  decrypter.addIdentity(identity)
  their.addIdentity(identity)
  return { encrypter, decrypter, their }
}

test('a file becomes a new one and comes back, of every length around the ends of chunks', async () => {
  const { encrypter, decrypter, their } = await pair()
  for (const length of [0, 1, CHUNK, CHUNK + 1, 17 * CHUNK + 9]) {
    const plaintext = pattern(length)
    writeFileSync(path('plain'), plaintext)
    const written = await encrypter.encryptFile(path('plain'), path('sealed'), { replace: true })
    const sealed = new Uint8Array(readFileSync(path('sealed')))
    expect(written).toEqual({ plaintext: length, ciphertext: sealed.length })
    expect(compare(await their.decrypt(sealed), plaintext)).toBe(0)
    const read = await decrypter.decryptFile(path('sealed'), path('opened'), { replace: true })
    expect(read).toEqual(written)
    expect(compare(readFileSync(path('opened')), plaintext)).toBe(0)
    expect(statSync(path('opened')).mode & 0o777).toBe(0o600)
    const middle = await decrypter.decryptRangeFile(path('sealed'), Math.floor(length / 2), 2 ** 40)
    expect(compare(middle, plaintext.subarray(Math.floor(length / 2)))).toBe(0)
  }
  await expect(decrypter.decryptRangeFile(path('sealed'), 2, 1)).rejects.toThrow(code('range_out_of_bounds'))
  await expect(decrypter.decryptRangeFile(path('sealed'), 2 ** 40, 2 ** 41)).rejects.toThrow(
    code('range_out_of_bounds'),
  )
})

test('armour is recognised in a file', async () => {
  const { encrypter, decrypter } = await pair()
  const plaintext = pattern(CHUNK + 100)
  writeFileSync(path('text'), `\n${armor.encode(await encrypter.encrypt(plaintext))}\n`)
  await decrypter.decryptFile(path('text'), path('of-text'))
  expect(compare(readFileSync(path('of-text')), plaintext)).toBe(0)
  await expect(decrypter.decryptRangeFile(path('text'), 0, 1)).rejects.toThrow(code('not_seekable'))
})

test('what is not authentic, or is there, leaves nothing', async () => {
  const { encrypter, decrypter } = await pair()
  writeFileSync(path('plain'), pattern(5 * CHUNK))
  await encrypter.encryptFile(path('plain'), path('whole'))
  const sealed = new Uint8Array(readFileSync(path('whole')))
  for (const [name, at, why] of [
    ['chunk', sealed.length - CHUNK, 'not_authentic'],
    ['head', 60, 'malformed_header'],
  ] as const) {
    const changed = sealed.slice()
    flip(changed, at)
    writeFileSync(path(name), changed)
    await expect(decrypter.decryptFile(path(name), path('no')), name).rejects.toMatchObject({
      code: expect.stringMatching(
        name === 'head' ? /^(?:malformed_header|no_matching_identity|header_not_authentic)$/ : why,
      ),
    })
    expect(existsSync(path('no'))).toBe(false)
  }
  writeFileSync(path('cut'), sealed.subarray(0, sealed.length - CHUNK - 16))
  await expect(decrypter.decryptFile(path('cut'), path('no'))).rejects.toThrow(code('truncated'))
  expect(existsSync(path('no'))).toBe(false)
  await expect(encrypter.encryptFile(path('plain'), path('whole'))).rejects.toThrow(code('output_exists'))
  await expect(encrypter.encryptFile(path('plain'), path('plain'), { replace: true })).rejects.toThrow(
    code('same_file'),
  )
  await expect(encrypter.encryptFile(path('missing'), path('no'))).rejects.toThrow(code('io'))
  await expect(encrypter.encryptFile('/dev/zero', path('no'))).rejects.toThrow(code('not_regular_file'))
  await expect((await pair()).decrypter.decryptFile(path('whole'), path('no'))).rejects.toThrow(
    code('no_matching_identity'),
  )
  const why = new Error('no longer wanted')
  const ended = encrypter.encryptFile(path('plain'), path('no'), { signal: AbortSignal.abort(why) })
  await expect(ended).rejects.toBe(why)
  expect(existsSync(path('no'))).toBe(false)
})

test('objects of a caller have no files by name', async () => {
  const [encrypter, decrypter] = [new Encrypter(), new Decrypter()]
  encrypter.addRecipient({ wrapFileKey: () => [] })
  decrypter.addIdentity({ unwrapFileKey: () => null })
  await expect(encrypter.encryptFile('a', 'b')).rejects.toThrow(code('invalid_recipients'))
  await expect(decrypter.decryptFile('a', 'b')).rejects.toThrow(code('unsupported_key'))
  await expect(decrypter.decryptRangeFile('a', 0, 1)).rejects.toThrow(code('unsupported_key'))
  await expect(encrypter.encryptFile('a', { replace: true } as never)).rejects.toThrow(TypeError)
  await expect(encrypter.encryptFile('a', 'b', { remplace: true } as never)).rejects.toThrow(TypeError)
})

test('a passphrase is one of a file by its name too', async () => {
  const [encrypter, decrypter] = [new Encrypter(), new Decrypter()]
  encrypter.setScryptWorkFactor(12)
  encrypter.setPassphrase('correct horse battery staple')
  decrypter.addPassphrase('correct horse battery staple')
  writeFileSync(path('note'), 'attack at dawn')
  await encrypter.encryptFile(path('note'), path('note.age'))
  await decrypter.decryptFile(path('note.age'), path('note.txt'))
  expect(readFileSync(path('note.txt'), 'utf8')).toBe('attack at dawn')
})

test('keys of SSH are recipients, and identities of Node’s native part', async () => {
  for (const name of ['id_ed25519', 'id_rsa']) {
    const [text, line] = [ssh[name] as string, (ssh[`${name}.pub`] as string).trim()]
    const [encrypter, decrypter] = [new Encrypter(), new Decrypter()]
    if (!isAddon) {
      expect(() => decrypter.addIdentity(text)).toThrow(code('unavailable_backend'))
      if (name === 'id_ed25519') {
        encrypter.addRecipient(line)
        expect(new TextDecoder().decode(await encrypter.encrypt(''))).toContain('-> ssh-ed25519 ')
      }
      continue
    }
    encrypter.addRecipient(line)
    decrypter.addIdentity(text)
    expect(line.startsWith(await identityToRecipient(text))).toBe(true)
    expect(await decrypter.decrypt(await encrypter.encrypt('attack at dawn'), 'text')).toBe('attack at dawn')
  }
  if (!isAddon) return
  const locked = ssh.id_ed25519_locked as string
  const decrypter = new Decrypter()
  expect(() => decrypter.addIdentity(locked)).toThrow(code('passphrase_required'))
  expect(() => decrypter.addIdentity(locked, 'wrong')).toThrow('wrong passphrase')
  decrypter.addIdentity(locked, 'correct horse')
  const file = await (await pair()).encrypter.encrypt('')
  await expect(decrypter.decrypt(file)).rejects.toThrow(code('no_matching_identity'))
})
