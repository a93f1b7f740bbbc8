// The example page of Vue, with the packed package and no bundler, under its Content-Security-Policy.

import { type ChildProcess, spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { type BrowserContext, chromium, type Page } from 'playwright'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { decryptSync, encryptSync } from '../../src/api/index.js'
import { projectWithoutAddon } from '../packed.js'
import { chromiumPath } from './chromium.js'

const EXAMPLE = fileURLToPath(new URL('../../../../examples/vue/', import.meta.url))
const VUE = fileURLToPath(new URL('../../../node_modules/vue', import.meta.url))

const root = mkdtempSync(join(tmpdir(), 'sealstone-vue-'))
let server: ChildProcess
let address = ''
let context: BrowserContext
let page: Page
/** The browser's complaints: scripts that failed, and violations of the policy. */
let complaints: string[]

beforeAll(async () => {
  const packages = join(projectWithoutAddon(root, 'site', 'module'), 'node_modules')
  symlinkSync(VUE, join(packages, 'vue'))
  server = spawn('node', [join(EXAMPLE, 'serve.mjs'), packages, '0'], { stdio: ['ignore', 'pipe', 'inherit'] })
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

const button = (name: string) => page.getByRole('button', { name })
const alerts = () => page.getByRole('alert').allTextContents()

/** The file that a click on a button saves. */
async function saved(name: string): Promise<{ name: string; bytes: Buffer }> {
  const downloading = page.waitForEvent('download')
  await button(name).click()
  const download = await downloading
  return { name: download.suggestedFilename(), bytes: readFileSync(await download.path()) }
}

async function pick(picker: number, name: string, bytes: Uint8Array): Promise<void> {
  await page
    .locator('input[type=file]')
    .nth(picker)
    .setInputFiles({ name, mimeType: '', buffer: Buffer.from(bytes) })
}

test('makes keys, seals a file and a note for them, and opens both', async () => {
  await button('Make a pair of keys').click()
  const publicKey = page.getByLabel('Public key, for whoever is to send you something')
  await expect.poll(() => publicKey.inputValue()).toMatch(/^age1pq1/)
  await expect.poll(() => page.getByText(/^SHA256:/).textContent()).toMatch(/^SHA256:[0-9a-f]{64}$/)
  const key = await saved('Save the secret key')
  await expect.poll(() => page.getByText('This page forgets it').count()).toBe(0)
  const identities = key.bytes.toString().trim()
  expect(identities).toMatch(/^AGE-SECRET-KEY-PQ-1\w+$/)

  const film = Buffer.from(Array.from({ length: 3_000_000 }, (_, i) => i % 251))
  await pick(1, 'film.mkv', film)
  await expect.poll(() => page.getByText('BLAKE3').textContent()).toMatch(/^BLAKE3 [0-9a-f]{64}$/)
  const sealed = await saved('Encrypt and save')
  expect(sealed.name).toBe('film.mkv.seal')
  await expect.poll(() => page.getByRole('status').textContent()).toBe('Saved as film.mkv.seal.')
  expect(film.equals(decryptSync(sealed.bytes, { identities }))).toBe(true)

  const note = page.getByLabel('The note')
  await note.fill('attack at dawn')
  await button('Seal').click()
  await expect.poll(() => note.inputValue()).toMatch(/^-----BEGIN/)
  const armoured = await note.inputValue()
  expect(Buffer.from(decryptSync(armoured, { identities })).toString()).toBe('attack at dawn')
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  await button('Copy').click()
  await expect.poll(() => button('Copied').count()).toBe(1)
  expect(await page.evaluate('navigator.clipboard.readText()')).toBe(armoured)

  await page.reload()
  await pick(0, key.name, key.bytes)
  await expect.poll(() => button('Open').isEnabled()).toBe(true)
  await pick(1, 'film.mkv.seal', sealed.bytes)
  const opened = await saved('Decrypt and save')
  expect([opened.name, opened.bytes.equals(film)]).toEqual(['film.mkv', true])
  await note.fill(armoured)
  await button('Open').click()
  await expect.poll(() => note.inputValue()).toBe('attack at dawn')
  // There is nothing sealed to copy.
  expect(await page.getByRole('button', { name: /^Cop/ }).count()).toBe(0)
  expect(await alerts()).toEqual([])
})

test('warns before it seals for keys that nobody has saved, and is not left with them unasked', async () => {
  const warning = [expect.stringMatching(/^Save the secret key first: without it nobody can open what is sealed\./)]
  const note = page.getByLabel('The note')
  for (const seal of ['Seal', 'Encrypt and save']) {
    await button('Make a pair of keys').click()
    await expect.poll(() => page.getByText('This page forgets it').count()).toBe(1)
    await expect.poll(alerts).toEqual([])
    await note.fill('attack at dawn')
    await pick(1, 'letter', Buffer.from('attack at dawn'))
    await button(seal).click()
    await expect.poll(alerts).toEqual(warning)
    expect(await note.inputValue()).toBe('attack at dawn')
  }
  const asking = page.waitForEvent('dialog')
  await page.close({ runBeforeUnload: true })
  const question = await asking
  expect(question.type()).toBe('beforeunload')
  await question.dismiss()
  // A warned user may go on, and with a saved key is not warned.
  expect((await saved('Encrypt and save')).name).toBe('letter.seal')
  await saved('Save the secret key')
  await expect.poll(alerts).toEqual([])
  await button('Seal').click()
  await expect.poll(() => note.inputValue()).toMatch(/^-----BEGIN/)
  await page.reload()
  expect(await note.inputValue()).toBe('')
})

test('says what went wrong, and saves nothing then', async () => {
  const downloads: unknown[] = []
  page.on('download', (download) => downloads.push(download))
  await button('Make a pair of keys').click()
  await expect.poll(() => button('Open').isEnabled()).toBe(true)
  await pick(1, 'letter.seal', encryptSync('attack at dawn', { key: new Uint8Array(32) }))
  await button('Decrypt and save').click()
  await expect.poll(alerts).toEqual(['Your key does not open this.'])
  await pick(1, 'letter.seal', new Uint8Array(500))
  await button('Decrypt and save').click()
  await expect.poll(alerts).toEqual(['This was not sealed with Sealstone.'])
  await page.getByLabel('The note').fill('no file')
  await button('Open').click()
  await expect.poll(alerts).toHaveLength(2)
  await pick(0, 'key.txt', Buffer.from('no key'))
  await expect.poll(alerts).toHaveLength(3)
  expect(downloads).toEqual([])
  // The keys of before stay.
  expect(await button('Save the secret key').isVisible()).toBe(true)
})

test('is served with a policy that lets its import map be read and no other script, and nothing else is served', async () => {
  const html = readFileSync(join(EXAMPLE, 'index.html'), 'utf8')
  const [, map = ''] = /<script type="importmap">(.*?)<\/script>/s.exec(html) ?? []
  const policy = (await fetch(address)).headers.get('content-security-policy')
  expect(policy).toContain(
    `script-src 'self' 'wasm-unsafe-eval' 'sha256-${createHash('sha256').update(map).digest('base64')}';`,
  )
  for (const path of Object.values(JSON.parse(map).imports as Record<string, string>)) {
    expect((await fetch(new URL(path, address))).status, path).toBe(200)
  }
  for (const path of [
    '/sealstone/package.json',
    '/vue/package.json',
    '/..%2ftest.sh',
    '/sealstone/dist/..%2f..%2fx.mjs',
    '/%',
    '/none.mjs',
  ]) {
    expect((await fetch(`${new URL(address).origin}${path}`)).status, path).toBe(404)
  }
})
