// Serves this folder, and at /sealstone/ the package, to this machine: node serve.mjs [FOLDER OF THE PACKAGE] [PORT]
// A site needs no more than files and this Content-Security-Policy.

import { createReadStream } from 'node:fs'
import { stat } from 'node:fs/promises'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import { dirname, extname, join, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

const [, , given, port = '8080'] = process.argv
const page = fileURLToPath(new URL('.', import.meta.url))
const sealstone = resolve(given ?? dirname(createRequire(import.meta.url).resolve('sealstone/package.json')))

const POLICY = [
  "default-src 'none'",
  "script-src 'self' 'wasm-unsafe-eval'",
  "style-src 'self'",
  "img-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
].join('; ')

const TYPES = {
  '.css': 'text/css',
  '.html': 'text/html; charset=utf-8',
  '.mjs': 'text/javascript',
  '.svg': 'image/svg+xml',
}

/** The file that a request is for, if it is one of those that are served. */
function fileOf({ method, url }) {
  if (method !== 'GET' || !URL.canParse(url, 'http://localhost')) return undefined
  const path = new URL(url, 'http://localhost').pathname
  const [root, rest] = path.startsWith('/sealstone/') ? [sealstone, path.slice(10)] : [page, path]
  const file = join(root, rest === '/' ? 'index.html' : rest)
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
