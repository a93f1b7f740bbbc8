// A page's memory for long files that WebCrypto seals, whose results are garbage of the browser's, which collects it late; and for
// passphrases.

import type { Page } from 'playwright'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { MEASURES } from '../measured.js'
import { forgetPeak, looking, peakOf, Site } from './sources.js'

/** The globals of a page. */
declare const sealstone: typeof import('../../src/api/index.js')
declare const web: typeof import('../../src/api/web/index.js')
declare const looked: () => Promise<void>

let site: Site
let page: Page
beforeAll(async () => {
  site = await Site.open()
  page = await site.page()
})
afterAll(() => site.close())

const PIECE = 16_000_000
// A gigabyte. Of a call WebCrypto leaves some 700 bytes to the browser's garbage collector, which are nothing of ours.
const MOST = 260_000_000
const PIECES = 63

test('what is alive of a long file that WebCrypto seals and opens does not grow with it', async () => {
  const counts = await looking(page)
  const size = await page.evaluate(async () => {
    const bytes = Uint8Array.from({ length: 16_000_000 }, (_, i) => i % 251)
    const blob = new Blob(Array.from({ length: 4 }, () => new Blob([bytes])))
    const key = new Uint8Array(32).fill(7)
    const watched = () => {
      let [length, next] = [0, 0]
      return new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
        async transform(part, to) {
          length += part.length
          if (length > next) {
            next += 8_000_000
            await looked()
          }
          to.enqueue(part)
        },
      })
    }
    const sealed = await web.temporaryFile(sealstone.encrypt(blob, { key }).pipeThrough(watched()), 'x')
    const opened = await web.temporaryFile(sealstone.decrypt(sealed.file, { key }).pipeThrough(watched()), 'x')
    const { size } = opened.file
    await sealed.remove()
    await opened.remove()
    return size
  })
  expect(size).toBe(64_000_000)
  expect(counts.length).toBeGreaterThanOrEqual(14)
  console.log('alive, in MB:', ...counts.map((bytes) => Math.round(bytes / 1e6)))
  expect(Math.max(...counts) - Math.min(...counts)).toBeLessThan(16_000_000)
})

test.runIf(MEASURES)(
  'a long file that WebCrypto seals and opens passes through in constant memory',
  async () => {
    await page.evaluate(
      ([piece, pieces]) => {
        const bytes = Uint8Array.from({ length: piece as number }, (_, i) => i % 251)
        Object.assign(globalThis, { blob: new Blob(Array.from({ length: pieces as number }, () => new Blob([bytes]))) })
        // The garbage collector has time for the rest.
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
  },
  300_000,
)

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
    // Without turns this is never over.
    while (turns < 10) await new Promise((resolve) => setTimeout(resolve, 10))
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
  // How long a turn takes is the machine's, and so is this; it would be a minute.
  if (MEASURES) expect(seen.ended).toBeLessThan(20_000)
  expect(seen.turns).toBeGreaterThanOrEqual(10)
})
