// A site with the package's sources, and a Chromium that has a profile: without one the window is private, and has few files.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type BrowserContext, chromium, type Page } from 'playwright'
import { createViteServer, type Vite } from 'vitest/node'
import { moduleCalls, modules } from '../../modules.js'
import { chromiumPath, LATEST_MS } from './chromium.js'

const HERE = fileURLToPath(new URL('../..', import.meta.url))

/** A name that is not this machine's: its pages are no secure contexts. */
const INSECURE = 'insecure.test'

const SCRIPT = `import * as sealstone from '/src/api/index.ts'
import * as web from '/src/api/web/index.ts'
Object.assign(globalThis, { sealstone, web })
`

export class Site {
  readonly context: BrowserContext
  readonly profile: string
  readonly #server: Vite.ViteDevServer

  private constructor(context: BrowserContext, profile: string, server: Vite.ViteDevServer) {
    this.context = context
    this.profile = profile
    this.#server = server
  }

  /** `files` are served besides, by their paths. */
  static async open(files: Record<string, string> = {}): Promise<Site> {
    const profile = mkdtempSync(join(tmpdir(), 'sealstone-site-'))
    const server = await createViteServer({
      configFile: false,
      root: HERE,
      cacheDir: join(profile, 'vite'),
      logLevel: 'error',
      appType: 'custom',
      plugins: [modules(), moduleCalls('modules'), pages(files)],
      resolve: {
        alias: [
          { find: '#platform', replacement: join(HERE, 'src/browser/platform.ts') },
          { find: /^sealstone$/, replacement: join(HERE, 'src/api/index.ts') },
          { find: /^sealstone\/web$/, replacement: join(HERE, 'src/api/web/index.ts') },
        ],
      },
      optimizeDeps: { noDiscovery: true },
      server: { host: '127.0.0.1', port: 0, allowedHosts: [INSECURE], hmr: false, watch: null },
    })
    await server.listen()
    const context = await chromium.launchPersistentContext(join(profile, 'chromium'), {
      executablePath: chromiumPath(),
      args: [`--host-resolver-rules=MAP ${INSECURE} 127.0.0.1`],
    })
    context.setDefaultTimeout(LATEST_MS)
    return new Site(context, profile, server)
  }

  async close(): Promise<void> {
    await this.context.close()
    await this.#server.close()
    rmSync(this.profile, { recursive: true })
  }

  /** A page; the one at `/` has the package as `sealstone` and `web`. */
  async page(path = '/', { isSecure = true } = {}): Promise<Page> {
    const page = await this.context.newPage()
    const { port } = (this.#server.httpServer as Server).address() as AddressInfo
    await page.goto(`http://${isSecure ? '127.0.0.1' : INSECURE}:${port}${path}`)
    if (path === '/') await page.waitForFunction(() => 'web' in globalThis)
    return page
  }

  /** The numbers of the processes that pages of this Chromium run in. */
  async renderers(): Promise<number[]> {
    const session = await this.context.browser()?.newBrowserCDPSession()
    const { processInfo } = (await session?.send('SystemInfo.getProcessInfo')) ?? { processInfo: [] }
    await session?.detach()
    return processInfo.filter(({ type }) => type === 'renderer').map(({ id }) => id)
  }
}

/**
 * Bytes that a page's code still reaches, of objects and of buffers: by the engine's own count, once it has collected all else. The memory
 * of the process has other owners too.
 */
export async function aliveOf(page: Page): Promise<number> {
  const session = await page.context().newCDPSession(page)
  try {
    // The first collection finds, the second frees.
    for (let i = 0; i < 2; i++) await session.send('HeapProfiler.collectGarbage')
    const { usedSize, backingStorageSize } = (await session.send('Runtime.getHeapUsage')) as Record<string, number>
    return (usedSize as number) + (backingStorageSize as number)
  } finally {
    await session.detach()
  }
}

/** Has a page wait, whenever it calls `looked`, until live bytes are counted; gives the counts. */
export async function looking(page: Page): Promise<number[]> {
  const counts: number[] = []
  await page.exposeFunction('looked', async () => void counts.push(await aliveOf(page)))
  return counts
}

/** The most memory that a process has had, in bytes, from the beginning or since `forgetPeak`. */
export function peakOf(pid: number): number {
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? []
  return Number(kilobytes) * 1024
}

/** Sets the most memory of a process to its memory now. */
export function forgetPeak(pid: number): void {
  writeFileSync(`/proc/${pid}/clear_refs`, '5')
}

/** The page, and a worker, which runs a text and posts the result. */
function pages(files: Record<string, string>): { name: string; configureServer(server: Vite.ViteDevServer): void } {
  const served: Record<string, string> = {
    '/': `<!doctype html><meta charset="utf-8"><title>Sealstone</title><script type="module">${SCRIPT}</script>
      <input type="file" multiple><input type="file" webkitdirectory>`,
    '/worker.mjs': `${SCRIPT}
      const Work = Object.getPrototypeOf(async () => {}).constructor
      globalThis.onmessage = async ({ data }) => {
        try { postMessage({ result: await new Work(data)() }) } catch ({ name, code, message }) { postMessage({ error: { name, code, message } }) }
      }`,
    ...files,
  }
  return {
    name: 'pages',
    configureServer(server) {
      server.middlewares.use(async (request, response, next) => {
        const path = request.url ?? ''
        const text = served[path]
        if (text === undefined) return next()
        const isPage = /(\/|\.html)$/.test(path)
        response.setHeader('content-type', isPage ? 'text/html' : 'text/javascript')
        response.end(isPage ? await server.transformIndexHtml(path, text) : text)
      })
    },
  }
}
