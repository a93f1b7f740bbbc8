// The packed package in browsers other than Chromium: a page runs all parts and the vectors, and reports to its server.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { importing, importMap, PASSED_WITH_VECTORS } from '../browser/package.js'
import { type Site, serve } from '../browser/site.js'
import { projectWithoutAddon } from '../packed.js'

const VECTORS = new URL('../../../../vectors/file/', import.meta.url)
const PARTS = readFileSync(new URL('../runtimes/parts.mjs', import.meta.url), 'utf8')

const root = mkdtempSync(join(tmpdir(), 'sealstone-platforms-'))
let project: string
let site: Site | undefined
let browser: ChildProcess | undefined

beforeAll(() => {
  project = projectWithoutAddon(root, 'site', 'module')
}, 120_000)

afterAll(async () => {
  site?.close()
  await ended()
  rmSync(root, { recursive: true, maxRetries: 5, retryDelay: 200 })
})

/** Ends the browser with all of its processes. */
async function ended(): Promise<void> {
  if (browser?.pid === undefined || browser.exitCode !== null || browser.signalCode !== null) return
  const exit = once(browser, 'exit')
  process.kill(-browser.pid)
  await exit
}

const SAYS = `
import { run } from '/parts.mjs'
const say = (text) => fetch('/result', { method: 'POST', body: text })
addEventListener('error', ({ message }) => say(message))
addEventListener('unhandledrejection', ({ reason }) => say(String(reason)))
const vectors = await (await fetch('/vectors.json')).json()
await say(JSON.stringify({ ...(await run(packages, vectors)), agent: navigator.userAgent }))`

/** A page's report in a browser that begins with these arguments and the page's address. */
async function said(command: string, args: string[], env: Record<string, string>): Promise<unknown> {
  const names = readdirSync(VECTORS)
  const vectors = Object.fromEntries(names.map((name) => [name, readFileSync(new URL(name, VECTORS), 'base64')]))
  const map = `<script type="importmap">${JSON.stringify({ imports: importMap(project) })}</script>`
  site = await serve(project, {
    '/': { body: `<!doctype html><title>test</title>${map}<script type="module" src="/main.mjs"></script>` },
    '/main.mjs': { body: importing(SAYS) },
    '/parts.mjs': { body: PARTS },
    '/vectors.json': { body: JSON.stringify(vectors) },
  })
  const options = { env: { ...process.env, HOME: root, ...env }, stdio: 'ignore', detached: true } as const
  browser = spawn(command, [...args, `${site.origin}/`], options)
  const failed = once(browser, 'error').then(([error]) => Promise.reject(error))
  const text = await Promise.race([site.result, failed])
  await ended()
  site.close()
  return JSON.parse(text)
}

/** Where a program is; without it there is nothing to test. */
function needed(paths: readonly string[], hint: string): string {
  const found = paths.find((path) => existsSync(path))
  if (found === undefined) throw new Error(`none of ${paths.join(', ')} is there: ${hint}`)
  return found
}

test('Firefox has all of the package', async () => {
  const firefox = needed(['/usr/bin/firefox-esr', '/usr/bin/firefox'], 'apt-get install firefox-esr')
  const profile = mkdtempSync(join(root, 'profile-'))
  const found = await said(firefox, ['--headless', '--no-remote', '--profile', profile], {})
  expect(found).toMatchObject({ ...PASSED_WITH_VECTORS, agent: expect.stringContaining('Firefox') })
}, 300_000)

test('WebKitGTK has all of the package', async () => {
  const hint = 'apt-get install libwebkit2gtk-4.1-0 xvfb xauth'
  const paths = ['4.1', '4.0'].map((version) => `/usr/lib/x86_64-linux-gnu/webkit2gtk-${version}/MiniBrowser`)
  const xvfb = needed(['/usr/bin/xvfb-run'], hint)
  const found = await said(xvfb, ['-a', needed(paths, hint)], { WEBKIT_DISABLE_COMPOSITING_MODE: '1' })
  expect(found).toMatchObject({ ...PASSED_WITH_VECTORS, agent: expect.stringContaining('AppleWebKit') })
}, 300_000)
