// A page in headless Chromium, and its answer: it posts that to the port in its address.

import { spawn } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const BROWSERS = ['chromium-headless-shell', 'chromium']

/** A page's report: `say(text)`. */
export const SAY = `const say = (text) => fetch('http://127.0.0.1:' + new URLSearchParams(location.search).get('port'),
  { method: 'POST', mode: 'no-cors', body: text })
addEventListener('error', ({ message }) => say(message))
addEventListener('unhandledrejection', ({ reason }) => say(String(reason)))\n`

/** Opens an address in a browser, and gives the page's answer. */
export async function said(address) {
  const profile = mkdtempSync(join(tmpdir(), 'sealstone-profile-'))
  let browser
  const listener = createServer()
  try {
    const port = await listening(listener)
    const heard = new Promise((fulfil, reject) => {
      listener.on('request', async (request, response) => {
        let text = ''
        for await (const part of request) text += part
        response.end()
        fulfil(text)
      })
      setTimeout(() => reject(new Error(`the page at ${address} said nothing for three minutes`)), 180_000).unref()
    })
    browser = await begun([
      ...['--headless', '--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage', `--user-data-dir=${profile}`],
      ...['--remote-debugging-port=0', `${address}?port=${port}`],
    ])
    return await heard
  } finally {
    listener.close()
    listener.closeAllConnections()
    if (browser !== undefined) {
      const ended = new Promise((fulfil) => browser.once('exit', fulfil))
      // With the processes that it has begun, which would write to the profile.
      process.kill(-browser.pid, 'SIGKILL')
      await ended
    }
    await rm(profile, { recursive: true, force: true, maxRetries: 9 })
  }
}

/** Begins a server at a port that is free, and says which. */
export function listening(server) {
  return new Promise((fulfil) => {
    server.listen(0, '127.0.0.1', () => fulfil(server.address().port))
  })
}

async function begun(args) {
  for (const name of BROWSERS) {
    const browser = spawn(name, args, { stdio: 'ignore', detached: true })
    const runs = await new Promise((fulfil) => {
      browser.once('spawn', () => fulfil(true)).once('error', () => fulfil(false))
    })
    if (runs) return browser
  }
  throw new Error(`there is none of these browsers: ${BROWSERS.join(', ')}`)
}
