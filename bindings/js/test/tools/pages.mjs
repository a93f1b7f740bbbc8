// Bundles the packed package for pages with each of the tools here, in production and in development, and opens the page:
//
//   node pages.mjs PACKAGES       the folder of the packed ones

import { strictEqual } from 'node:assert'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { extname, join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createServer as viteServer } from 'vite'
import { listening, SAY, said } from '../page.mjs'

const PAGE = `
import { backend, decrypt, encrypt, exportIdentity, generateIdentity, recipientOf } from 'sealstone'
import { decryptByPrivateKey, encryptByPublicKey, fromSeed } from 'sealstone/compat/yuants'
import { hashHex } from 'sealstone/hash'
import { cipher } from 'sealstone/hazmat'
import { startWorkers } from 'sealstone/workers'
${SAY}
const { public_key, private_key } = fromSeed(new Uint8Array(32))
const identities = generateIdentity('p256')
const file = await encrypt('attack at dawn', { recipients: recipientOf(identities) })
const workers = await startWorkers({ count: 2 })
const large = await encrypt(new Uint8Array(1e6), { recipients: recipientOf(identities) })
say([
  new TextDecoder().decode(await decrypt(file, { identities })),
  exportIdentity(identities, 'pem').split('\\n')[0],
  decryptByPrivateKey(encryptByPublicKey(new Uint8Array(3), public_key), private_key).length,
  cipher('sm4-ecb', new Uint8Array(16)).encrypt(undefined, 'x').length,
  hashHex('sm3', '').slice(0, 4),
  backend().includes('webassembly'),
  (await decrypt(large, { identities })).length,
  workers.count,
].join(' '))`

const SLIM = `
import { generateIdentity, load } from 'sealstone/slim'
${SAY}
await load(new URL('node_modules/sealstone/dist/base.wasm', location.origin))
say(generateIdentity().kind)`

const SLIM_OF_VITE = SLIM.replace(
  "new URL('node_modules/sealstone/dist/base.wasm', location.origin)",
  'address',
).replace('import', "import address from 'sealstone/base.wasm?url'\nimport")

const SAYS = 'attack at dawn -----BEGIN PRIVATE KEY----- 3 16 1ab2 true 1000000 2'
const WAYS = [
  ...['esbuild', 'rolldown', 'webpack'].flatMap((tool) => [`${tool} for pages`, `${tool}, minified for pages`]),
  'vite for pages',
]

const packages = resolve(process.argv[2])
const project = mkdtempSync(join(tmpdir(), 'sealstone-pages-'))
const TYPES = { '.html': 'text/html', '.mjs': 'text/javascript', '.js': 'text/javascript', '.wasm': 'application/wasm' }
const site = createServer((request, response) => {
  const { pathname } = new URL(request.url, 'http://page')
  try {
    const bytes = readFileSync(join(project, pathname))
    response.writeHead(200, { 'content-type': TYPES[extname(pathname)] ?? 'application/octet-stream' }).end(bytes)
  } catch {
    response.writeHead(404).end()
  }
})
try {
  writeFileSync(join(project, 'package.json'), '{ "private": true, "type": "module" }')
  const tarballs = readdirSync(packages)
    .filter((file) => file.endsWith('.tgz'))
    .map((file) => join(packages, file))
  execFileSync('npm', ['install', '--offline', '--ignore-scripts', '--silent', ...tarballs], { cwd: project })
  const pages = { page: [PAGE, SAYS], slim: [SLIM, 'hybrid'] }
  for (const [name, [code]] of Object.entries(pages)) {
    writeFileSync(join(project, `${name}.mjs`), code)
    writeFileSync(join(project, `${name}.html`), `<script type="module" src="/${name}.mjs"></script>`)
  }
  const address = `http://127.0.0.1:${await listening(site)}`
  for (const way of WAYS) {
    for (const [name, [, says]] of Object.entries(pages)) {
      const bundle = `out/${way.replaceAll(/\W/g, '-')}-${name}/bundle.mjs`
      const tools = fileURLToPath(new URL('bundle.mjs', import.meta.url))
      execFileSync('node', [tools, way, `${name}.mjs`, 'esm', bundle], { cwd: project })
      writeFileSync(join(project, 'bundled.html'), `<script type="module" src="/${bundle}"></script>`)
      strictEqual(await said(`${address}/bundled.html`), says, `${way}: ${name}`)
    }
    console.log(way)
  }
  // Vite gives the address of a file itself.
  writeFileSync(join(project, 'slim.mjs'), SLIM_OF_VITE)
  const vite = await viteServer({ configFile: false, root: project, logLevel: 'warn', server: { host: '127.0.0.1' } })
  try {
    await vite.listen()
    const { port } = vite.httpServer.address()
    for (const [name, [, says]] of Object.entries(pages)) {
      strictEqual(await said(`http://127.0.0.1:${port}/${name}.html`), says, `Vite's development server: ${name}`)
    }
    console.log("Vite's development server")
  } finally {
    await vite.close()
  }
} finally {
  site.close()
  site.closeAllConnections()
  rmSync(project, { recursive: true, force: true })
}
