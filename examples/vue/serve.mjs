// Serves this folder, and at /sealstone/ and /vue/ the packages, to this machine: node serve.mjs [NODE_MODULES] [PORT]
// A site needs no more than files and this Content-Security-Policy.

import { createHash } from 'node:crypto'
import { createReadStream, readFileSync } from 'node:fs'
import { stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import { extname, join, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const [, , given = 'node_modules', port = '8080'] = process.argv
const page = fileURLToPath(new URL('.', import.meta.url))
const packages = resolve(given)

// The import map is the only script that stands in the page: its hash lets it, and no other, be read.
const [, map] = /<script type="importmap">(.*?)<\/script>/s.exec(readFileSync(join(page, 'index.html'), 'utf8'))
const POLICY = [
  "default-src 'none'",
  `script-src 'self' 'wasm-unsafe-eval' 'sha256-${createHash('sha256').update(map).digest('base64')}'`,
  "style-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

const TYPES = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.mjs': 'text/javascript',
}

/** The file that a request is for, if it is one of those that are served. */
function fileOf({ method, url }) {
  if (method !== 'GET' || !URL.canParse(url, 'http://localhost')) return undefined
  const path = new URL(url, 'http://localhost').pathname
  const isPackage = /^\/(?:sealstone|vue)\/dist\//.test(path)
  const root = isPackage ? packages : page
  const file = join(root, path === '/' ? 'index.html' : path)
  return file.startsWith(root.endsWith(sep) ? root : root + sep) && extname(file) in TYPES ? file : undefined
}

const server = createServer(async (request, response) => {
  const file = fileOf(request)
  const found = file && (await stat(file).catch(() => undefined))
  if (!found?.isFile()) return response.writeHead(404).end()
  response.writeHead(200, {
    'content-type': TYPES[extname(file)],
    'content-security-policy': POLICY,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
  })
  createReadStream(file).pipe(response)
})
server.listen(Number(port), '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}/`))
