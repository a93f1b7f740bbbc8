// Builds a program of Next's as `standalone`, in each way that Next has, and asks the result where nothing else is: a route in Node,
// one in the runtime of the edge, and a page in Chromium. The last two in development too.
//
//   node run.mjs PACKAGES       the folder of the packed ones

import { strictEqual } from 'node:assert/strict'
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdtempSync, readdirSync, renameSync, rmSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { said } from '../page.mjs'

const WAYS = {
  'Turbopack, bundled': [],
  'Turbopack, in serverExternalPackages': [],
  'webpack, bundled': ['--webpack'],
  // The last ones: from here on the addon is not installed.
  'Turbopack, without the addon': [],
  'webpack, without the addon': ['--webpack'],
}

const STANDALONE = ['server.js']
const ADDON = 'sealstone-linux-x64-gnu'
const ANSWER = 'attack at dawn, no_matching_identity'

const packages = resolve(process.argv[2])
const root = mkdtempSync(join(tmpdir(), 'sealstone-next-'))
const project = join(root, 'project')
let server
try {
  cpSync(fileURLToPath(new URL('.', import.meta.url)), project, { recursive: true })
  const npm = (...args) => execFileSync('npm', [...args, '--ignore-scripts', '--silent'], { cwd: project })
  npm('ci')
  npm(
    'install',
    '--no-save',
    ...readdirSync(packages)
      .filter((file) => file.endsWith('.tgz'))
      .map((file) => join(packages, file)),
  )
  for (const [i, [way, args]] of Object.entries(WAYS).entries()) {
    const begun = Date.now()
    if (way.includes('without')) rmSync(join(project, 'node_modules', ADDON), { recursive: true, force: true })
    const built = `built${i}`
    const env = {
      ...process.env,
      DIST_DIR: built,
      EXTERNAL: way.includes('External') ? 'yes' : 'no',
      NEXT_TELEMETRY_DISABLED: '1',
    }
    execFileSync('node', ['node_modules/next/dist/bin/next', 'build', ...args], { cwd: project, env, stdio: 'pipe' })
    const away = join(root, `away${i}`)
    cpSync(join(project, built, 'standalone'), away, { recursive: true, verbatimSymlinks: true })
    // Next leaves that to a server for files.
    cpSync(join(project, built, 'static'), join(away, built, 'static'), { recursive: true })
    // So that nothing is found where it was built.
    renameSync(project, `${project}-hidden`)
    strictEqual(await answerOf(away), way.includes('without') ? `${ANSWER}, in WebAssembly` : ANSWER)
    strictEqual(await answerOf(away, STANDALONE, asked('/edge')), `${ANSWER}, 16`)
    strictEqual(await answerOf(away, STANDALONE, said), `${ANSWER}, true`)
    // A deployment that loses the addon has WebAssembly in its place.
    for (const name of readdirSync(away, { recursive: true })) {
      if (/sealstone[^/]*\.(node|bin)$/.test(name)) rmSync(join(away, name))
    }
    strictEqual(await answerOf(away), `${ANSWER}, in WebAssembly`)
    renameSync(`${project}-hidden`, project)
    if (way.includes('bundled')) {
      const development = ['node_modules/next/dist/bin/next', 'dev', '-H', '127.0.0.1', ...args]
      strictEqual(await answerOf(project, development, asked('/edge')), `${ANSWER}, 16`)
      strictEqual(await answerOf(project, development, said), `${ANSWER}, true`)
    }
    console.log(`next, ${way}: ${Math.round((Date.now() - begun) / 1000)} s`)
  }
} finally {
  server?.kill()
  rmSync(root, { recursive: true, force: true })
}

/** The answer of the server in a folder, and whether WebAssembly computes there. */
async function answerOf(cwd, program = STANDALONE, ask = asked('/api')) {
  const port = await freePort()
  const env = { ...process.env, PORT: String(port), HOSTNAME: '127.0.0.1', NEXT_TELEMETRY_DISABLED: '1' }
  server = spawn('node', program, { cwd, env, stdio: ['ignore', 'ignore', 'pipe'] })
  let warned = ''
  server.stderr.on('data', (text) => {
    warned += text
  })
  const ended = new Promise((_, reject) => {
    server.once('exit', (status) => reject(new Error(`the server ended with ${status}: ${warned}`)))
  })
  const closed = once(server, 'close')
  const address = `http://127.0.0.1:${port}`
  let answer
  try {
    answer = await Promise.race([ended, up(address).then(() => ask(address))])
  } finally {
    server.removeAllListeners('exit')
    server.kill()
  }
  await closed
  return warned.includes('SEALSTONE_WASM') ? `${answer}, in WebAssembly` : answer
}

/** Asks for a path. */
function asked(path) {
  return async (address) => (await fetch(address + path)).text()
}

/** Waits until a server answers. */
async function up(address) {
  const until = Date.now() + 60_000
  while (true) {
    try {
      return await fetch(`${address}/none`)
    } catch (error) {
      if (Date.now() > until) throw error
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
  }
}

function freePort() {
  return new Promise((resolve) => {
    const listener = createServer().listen(0, '127.0.0.1', () => {
      const { port } = listener.address()
      listener.close(() => resolve(port))
    })
  })
}
