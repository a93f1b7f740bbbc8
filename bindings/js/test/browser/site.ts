// Sites of tests: pages from a server on this machine, and reports to it.

import { existsSync, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join, normalize } from 'node:path'

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.mjs': 'text/javascript',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.wasm': 'application/wasm',
}

/** A page or script by its path. */
export interface Answer {
  readonly body: string | Buffer
  readonly headers?: Record<string, string>
}

export interface Site {
  readonly port: number
  readonly origin: string
  /** Browsers' reports of violations of a page's policy, which names `/violations`. */
  readonly violations: string[]
  /** A page's post to `/result`. */
  readonly result: Promise<string>
  /** The paths that were asked for and are not there. */
  readonly missing: string[]
  close(): void
}

/** Serves answers by their path, and beside them the files of a folder. */
export async function serve(folder: string, answers: Record<string, Answer>): Promise<Site> {
  const violations: string[] = []
  const missing: string[] = []
  let said: (text: string) => void = () => {}
  const result = new Promise<string>((resolve) => {
    said = resolve
  })
  const server: Server = createServer((request, response) => {
    const path = normalize(new URL(request.url ?? '/', 'http://site').pathname)
    if (request.method === 'POST') {
      let text = ''
      request.on('data', (part) => {
        text += part
      })
      request.on('end', () => {
        if (path === '/violations') violations.push(text)
        else said(text)
        response.writeHead(204).end()
      })
      return
    }
    const answer = answers[path] ?? fileOf(join(folder, path))
    if (answer === undefined) {
      // Browsers ask for it by themselves.
      if (path !== '/favicon.ico') missing.push(path)
      response.writeHead(404).end()
      return
    }
    response.writeHead(200, { 'content-type': TYPES[extname(path)] ?? TYPES['.html'], ...answer.headers })
    response.end(answer.body)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    port,
    origin: `http://127.0.0.1:${port}`,
    violations,
    missing,
    result,
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

function fileOf(path: string): Answer | undefined {
  return existsSync(path) && extname(path) !== '' ? { body: readFileSync(path) } : undefined
}
