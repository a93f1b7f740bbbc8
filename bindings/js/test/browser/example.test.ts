// The example page, with the packed package, under its Content-Security-Policy.

import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type BrowserContext, chromium, type Page } from 'playwright'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { decryptSync, encryptSync } from '../../src/api/index.js'
import { projectWithoutAddon } from '../packed.js'
import { chromiumPath } from './chromium.js'

const EXAMPLE = fileURLToPath(new URL('../../../../examples/browser/', import.meta.url))

const root = mkdtempSync(join(tmpdir(), 'sealstone-example-'))
let server: ChildProcess
let address = ''
let context: BrowserContext
let page: Page
/** The browser's complaints: scripts that failed, and violations of the policy. */
let complaints: string[]

beforeAll(async () => {
  const sealstone = join(projectWithoutAddon(root, 'site', 'module'), 'node_modules/sealstone')
  server = spawn('node', [join(EXAMPLE, 'serve.mjs'), sealstone, '0'], { stdio: ['ignore', 'pipe', 'inherit'] })
  for await (const line of createInterface({ input: server.stdout as NodeJS.ReadableStream })) {
    address = line
    break
  }
  context = await chromium.launchPersistentContext(join(root, 'profile'), { executablePath: chromiumPath() })
})
afterAll(async () => {
  await context?.close()
  server?.kill()
  rmSync(root, { recursive: true })
})

beforeEach(async () => {
  page = await context.newPage()
  complaints = []
  page.on('console', (message) => {
    if (message.type() !== 'log') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  // There is no user here to answer.
  await page.addInitScript('delete globalThis.showSaveFilePicker')
  await page.goto(address)
})
afterEach(async () => {
  expect(complaints).toEqual([])
  await page.close()
})

/** The file that a click on a button saves. */
async function saved(button: string): Promise<{ name: string; bytes: Buffer }> {
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: button }).click()
  const download = await downloading
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) }
}

const status = () => page.getByRole('status').textContent()
const said = (words: string) => expect.poll(status).toBe(words)

test('makes keys, encrypts to them, and decrypts with the key file', async () => {
  const film = Buffer.from(Array.from({ length: 3_000_000 }, (_, i) => i % 251))
  await page.setInputFiles('#file', { name: 'film.mkv', mimeType: '', buffer: film })
  await page.getByRole('button', { name: 'Make a pair of keys' }).click()
  expect(await page.getByLabel('Public key of who should open it').inputValue()).toMatch(/^age1pq1/)
  const key = await saved('Save the secret key')
  await said('The secret key is saved.')
  expect([key.name, key.bytes.toString()]).toEqual([
    'identity.txt',
    expect.stringMatching(/^AGE-SECRET-KEY-PQ-1\w+\n$/),
  ])

  const sealed = await saved('Encrypt and save')
  expect(sealed.name).toBe('film.mkv.seal')
  await said('Saved as film.mkv.seal.')
  expect(film.equals(decryptSync(sealed.bytes, { identities: key.bytes.toString().trim() }))).toBe(true)

  await page.reload()
  await page.setInputFiles('#file', { name: 'film.mkv.seal', mimeType: '', buffer: sealed.bytes })
  expect(await page.getByRole('radio', { name: 'Decrypt' }).isChecked()).toBe(true)
  await page.setInputFiles('#identity-file', { name: key.name, mimeType: '', buffer: key.bytes })
  const opened = await saved('Decrypt and save')
  expect(opened.name).toBe('film.mkv')
  expect(opened.bytes.equals(film)).toBe(true)
})

test('warns before it encrypts for keys that nobody has saved, and is not left with them unasked', async () => {
  const downloads: unknown[] = []
  page.on('download', (download) => downloads.push(download))
  await page.setInputFiles('#file', { name: 'letter', mimeType: '', buffer: Buffer.from('attack at dawn') })
  await page.getByRole('button', { name: 'Make a pair of keys' }).click()
  await page.getByRole('button', { name: 'Encrypt and save' }).click()
  await expect.poll(status).toMatch(/^Save the secret key first: without it nobody can open the file\./)
  expect(downloads).toEqual([])
  const asking = page.waitForEvent('dialog')
  await page.close({ runBeforeUnload: true })
  const question = await asking
  expect(question.type()).toBe('beforeunload')
  await question.dismiss()
  // A warned user may go on.
  await saved('Encrypt and save')
  await said('Saved as letter.seal.')
  // Another pair is warned of by itself, and one that is saved is not.
  await page.getByRole('button', { name: 'Make a pair of keys' }).click()
  await page.getByRole('button', { name: 'Encrypt and save' }).click()
  await expect.poll(status).toMatch(/^Save the secret key first/)
  const key = await saved('Save the secret key')
  await said('The secret key is saved.')
  const sealed = await saved('Encrypt and save')
  const opened = decryptSync(sealed.bytes, { identities: key.bytes.toString().trim() })
  expect(Buffer.from(opened).toString()).toBe('attack at dawn')
  await page.reload()
  expect(await page.locator('#recipient').inputValue()).toBe('')
})

test('encrypts with a passphrase what was dropped, by keyboard alone', async () => {
  const letter = join(root, 'letter.txt')
  writeFileSync(letter, 'attack at dawn')
  const { x, y } = (await page.locator('#drop').boundingBox()) as { x: number; y: number }
  const session = await context.newCDPSession(page)
  const data = { items: [], files: [letter], dragOperationsMask: 1 }
  for (const type of ['dragEnter', 'dragOver', 'drop'] as const) {
    await session.send('Input.dispatchDragEvent', { type, x: x + 9, y: y + 9, data })
  }
  await expect.poll(() => page.locator('#drop').textContent()).toMatch(/letter\.txt\s+14 bytes/)
  await page.getByRole('radio', { name: 'a key' }).focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('Tab')
  await page.keyboard.type('correct horse')
  const downloading = page.waitForEvent('download')
  await page.keyboard.press('Enter')
  const sealed = readFileSync(await (await downloading).path())
  expect(Buffer.from(decryptSync(sealed, { passphrase: 'correct horse' })).toString()).toBe('attack at dawn')
  await said('Saved as letter.txt.seal.')
})

test('says what went wrong, and saves nothing then', async () => {
  const downloads: unknown[] = []
  page.on('download', (download) => downloads.push(download))
  const sealed = encryptSync('attack at dawn', { passphrase: 'correct horse' })
  const damaged = Buffer.from(sealed)
  damaged[damaged.length - 1] = 1 ^ (damaged.at(-1) ?? 0)
  const tries: [file: Uint8Array, passphrase: string, words: string][] = [
    [sealed, 'wrong horse', 'This key or passphrase does not open the file.'],
    [damaged, 'correct horse', 'The file was changed or damaged. Nothing was saved.'],
    [sealed.slice(0, 90), 'correct horse', 'The end of the file is missing. Nothing was saved.'],
    [new Uint8Array(500), 'correct horse', 'This file was not encrypted with Sealstone.'],
  ]
  for (const [file, passphrase, words] of tries) {
    await page.setInputFiles('#file', { name: 'letter.seal', mimeType: '', buffer: Buffer.from(file) })
    await page.getByRole('radio', { name: 'a passphrase' }).check()
    await page.getByLabel('Passphrase', { exact: true }).fill(passphrase)
    await page.getByRole('button', { name: 'Decrypt and save' }).click()
    await said(words)
  }
  expect(downloads).toEqual([])
})

test('is served with the policy of the guide, and nothing else is', async () => {
  const guide = readFileSync(new URL('../../../../docs/guide/browser.md', import.meta.url), 'utf8')
  const [, policy] = /^Content-Security-Policy: (.*)$/m.exec(guide) ?? []
  const answer = await fetch(address)
  for (const rule of (policy as string).split('; '))
    expect(answer.headers.get('content-security-policy')).toContain(rule)
  const { host } = new URL(address)
  for (const path of [
    '/package.json',
    '/sealstone/package.json',
    '/..%2ftest.sh',
    '/sealstone/..%2f..%2fx.mjs',
    '/%',
    '/none.mjs',
  ]) {
    expect((await fetch(`http://${host}${path}`)).status, path).toBe(404)
  }
})
