// What a page takes for long files that WebCrypto seals, whose results are garbage of the browser's, which collects it late; and for
// passphrases.

import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { forgetPeak, peakOf, Site } from './sources.js'

/** What a page has as globals. */
declare const sealstone: typeof import('../../src/index.js')
declare const web: typeof import('../../src/web/index.js')

let site: Site
let page: Page
beforeAll(async () => {
  site = await Site.open()
  page = await site.page()
}, 60_000)
afterAll(() => site.close())

const PIECE = 16_000_000
// A gigabyte with SEALSTONE_EXHAUSTIVE=1.
// Of a call WebCrypto leaves some 700 bytes to the browser's garbage collector, which are nothing of ours.
const MOST = process.env.SEALSTONE_EXHAUSTIVE ? 130_000_000 : 80_000_000
const PIECES = process.env.SEALSTONE_EXHAUSTIVE ? 63 : 16

test('a long file that WebCrypto seals and opens passes through in constant memory', async () => {
  await page.evaluate(
    ([piece, pieces]) => {
      const bytes = Uint8Array.from({ length: piece as number }, (_, i) => i % 251)
      Object.assign(globalThis, { blob: new Blob(Array.from({ length: pieces as number }, () => new Blob([bytes]))) })
      // What this leaves goes to the garbage collector.
      return new Promise((resolve) => setTimeout(resolve, 1000))
    },
    [PIECE, PIECES],
  )
  const renderers = await site.renderers()
  for (const pid of renderers) forgetPeak(pid)
  const before = renderers.map(peakOf)
  const grown = (): number => Math.max(...renderers.map((pid, i) => peakOf(pid) - (before[i] ?? 0)))
  const sealing = await page.evaluate(async () => {
    const { blob } = globalThis as unknown as { blob: Blob }
    const key = new Uint8Array(32).fill(7)
    const begun = performance.now()
    const sealed = await web.temporaryFile(sealstone.encrypt(blob, { key }), 'x')
    Object.assign(globalThis, { key, sealed })
    return (performance.now() - begun) / 1000
  })
  const grownBySealing = grown()
  const [size, opening] = await page.evaluate(async () => {
    const { key, sealed } = globalThis as unknown as {
      key: Uint8Array
      sealed: Awaited<ReturnType<typeof web.temporaryFile>>
    }
    const begun = performance.now()
    const opened = await web.temporaryFile(sealstone.decrypt(sealed.file, { key }), 'x')
    const { size } = opened.file
    await sealed.remove()
    await opened.remove()
    return [size, (performance.now() - begun) / 1000]
  })
  expect(size).toBe(PIECES * PIECE)
  console.log(
    `${size} bytes: sealed in ${sealing} s, ${grownBySealing} bytes more; opened in ${opening} s, ${grown()} more`,
  )
  expect(grown()).toBeLessThan(MOST)
}, 300_000)

test('a passphrase that a file makes as expensive as it may leaves the page its turns, and a signal ends it', async () => {
  const seen = await page.evaluate(async () => {
    const file = sealstone.encryptSync('attack at dawn', { passphrase: 'correct horse' })
    const view = new DataView(file.buffer)
    let at = 0
    while (view.getUint32(at) !== 64 * 1024 || view.getUint32(at + 4) !== 3) at++
    view.setUint32(at, 1024 * 1024)
    view.setUint32(at + 4, 16)
    let [longest, last, turns, isOver] = [0, performance.now(), 0, false]
    const tick = (): void => {
      longest = Math.max(longest, performance.now() - last)
      last = performance.now()
      turns++
      if (!isOver) setTimeout(tick, 1)
    }
    const controller = new AbortController()
    const working = sealstone.decrypt(file, { passphrase: 'correct horse', signal: controller.signal })
    tick()
    const outcome = working.catch((error) => error.name)
    await new Promise((resolve) => setTimeout(resolve, 2000))
    const [aborted, turnsOfWork] = [performance.now(), turns]
    controller.abort()
    const name = await outcome
    const ended = performance.now() - aborted
    // Its memory is erased in turns too.
    await new Promise((resolve) => setTimeout(resolve, 500))
    isOver = true
    return { name, ended, longest, turns: turnsOfWork }
  })
  console.log(`turns: ${seen.turns}; the longest task: ${seen.longest} ms; ended after ${seen.ended} ms`)
  expect(seen.name).toBe('AbortError')
  // On busy cores; it would be a minute.
  expect(seen.ended).toBeLessThan(10_000)
  // How long a turn takes is the machine's; there would be none.
  expect(seen.turns).toBeGreaterThan(3)
}, 120_000)
