// The browser engine of the benchmark: a page in headless Chromium behind the protocol of docs/design/bench.md. The page answers each
// line (page.mjs); this program starts it, serves it its files, and does what a page cannot. `node engine.mjs FOLDER`: where
// bundle.mjs has put the page.

import { createReadStream, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { extname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { chromium } from 'playwright-core'
import { peakBytes } from '../node/host.mjs'

const [, , folder] = process.argv
const require = createRequire(import.meta.url)

const TYPES = { '.html': 'text/html', '.js': 'text/javascript' }
// Cross-origin isolation: the clock has steps of 5 µs instead of 100.
const HEADERS = { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' }

/** The input of the operation that is prepared. */
let input
/** CPU time of each thread when it was last looked at. */
const spentBy = new Map()
/** CPU time when the operation began. */
let begun

const server = createServer(({ url }, response) => {
  const name = url === '/' ? 'index.html' : url.slice(1)
  // Names as bundle.mjs makes them; nothing above the folder.
  const path = name === 'input' ? input : /^[\w.-]+$/.test(name) && join(folder, name)
  if (!path || !existsSync(path)) {
    response.writeHead(404, HEADERS).end()
    return
  }
  const type = TYPES[extname(name)] ?? 'application/octet-stream'
  response.writeHead(200, { ...HEADERS, 'content-type': type, 'content-length': statSync(path).size })
  createReadStream(path).pipe(response)
})
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))

// With a profile, as people have one: a private window keeps Blobs in memory.
const context = await chromium.launchPersistentContext('', {
  executablePath: onPath('chromium-headless-shell'),
  args: ['--js-flags=--expose-gc'],
})
const page = context.pages()[0] ?? (await context.newPage())

/** What the page asks of this program. */
const LENT = {
  about() {
    const { version } = require('../../../bindings/js/package.json')
    const libraries = [['sealstone', version], ...Object.entries(require('../node/package.json').dependencies)]
    return { version: context.browser().version(), libraries: libraries.map((pair) => pair.join(' ')) }
  },
  lengthOf(path) {
    input = path
    return statSync(path).size
  },
  /** What the page did before, such as to collect garbage, does not count. */
  beginCpu() {
    begun = cpuNs()
  },
  // Where the kernel does not allow it, the peak is that since the process began, which is more.
  resetPeak() {
    try {
      writeFileSync(`/proc/${pid}/clear_refs`, '5')
    } catch {}
  },
  peakBytes: () => peakBytes(pid),
}
for (const [name, does] of Object.entries(LENT)) await page.exposeFunction(`lent_${name}`, does)
await page.goto(`http://127.0.0.1:${server.address().port}/`)
const pid = await rendererOf(context.browser())

for await (const line of createInterface({ input: process.stdin })) {
  if (line === 'quit') break
  if (line.startsWith('run ')) begun = cpuNs()
  const answer = await page.evaluate((line) => globalThis.answer(line), line)
  const spent = answer.startsWith('sample ') ? ` cpu_ns=${cpuNs() - begun}` : ''
  process.stdout.write(`${answer}${spent}\n`)
}
await context.close()
server.close()
server.closeAllConnections()

/** Of the threads of the page's process, those that ended too. What is said of the process as a whole has steps of 10 ms. */
function cpuNs() {
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    try {
      const [ns] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')
      spentBy.set(thread, Number(ns))
    } catch {
      // It has just ended.
    }
  }
  return [...spentBy.values()].reduce((sum, ns) => sum + ns, 0)
}

function onPath(program) {
  return process.env.PATH.split(':').map((folder) => join(folder, program)).find(existsSync)
}

async function rendererOf(browser) {
  const devtools = await browser.newBrowserCDPSession()
  const { processInfo } = await devtools.send('SystemInfo.getProcessInfo')
  return processInfo.find(({ type }) => type === 'renderer').id
}
