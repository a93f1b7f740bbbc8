// The code of docs/guide/browser.md: its first page runs, and all its types hold; and the component of docs/guide/vue.md.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { expect, test } from 'vitest'
import { compileScript, parse } from 'vue/compiler-sfc'
import { decryptSync, exportRecipient, generateIdentity, recipientOf } from '../../src/api/index.js'
import { Site } from './sources.js'

const HERE = fileURLToPath(new URL('../..', import.meta.url))
const guide = (name: string): string => readFileSync(join(HERE, '../../docs/guide', name), 'utf8')
const GUIDE = guide('browser.md')

/** The blocks of code of some languages. */
function blocks(language: RegExp): { language: string; code: string }[] {
  return [...GUIDE.matchAll(/^```([^\n]+)\n(.*?)^```/gms)].flatMap(([, info = '', code = '']) => {
    const [name = ''] = info.split(' ')
    return language.test(name) ? [{ language: name, code }] : []
  })
}

test('the first page encrypts a file that the user picks', async () => {
  const [first] = blocks(/^html$/)
  const html = first?.code ?? ''
  expect(html.trim().split('\n').length).toBeLessThanOrEqual(22)
  const identity = generateIdentity()
  const site = await Site.open({ '/first.html': html, '/me.pub': `${exportRecipient(recipientOf(identity))}\n` })
  try {
    const page = await site.page('/first.html')
    await page.evaluate('delete globalThis.showSaveFilePicker')
    await page.waitForFunction(`document.querySelector('button').onclick !== null`)
    await page.setInputFiles('input', { name: 'film.mkv', mimeType: '', buffer: Buffer.alloc(2_000_000, 7) })
    const downloading = page.waitForEvent('download')
    await page.getByRole('button', { name: 'Encrypt and save' }).click()
    const download = await downloading
    expect(download.suggestedFilename()).toBe('film.mkv.seal')
    const opened = decryptSync(readFileSync(await download.path()), { identities: identity })
    expect(Buffer.alloc(2_000_000, 7).equals(opened)).toBe(true)
    await expect.poll(() => page.getByRole('status').textContent()).toBe('Encrypted.')
  } finally {
    await site.close()
  }
})

test('the types of its code hold, of React and Vue too', () => {
  const files = new Map(
    blocks(/^[jt]sx?$/).map(({ language, code }, i) => [
      join(HERE, `guide${i}.${language.replace('js', 'ts')}`),
      // Names of one block are not those of another.
      `${code}\nexport {}\n`,
    ]),
  )
  expect([...files.values()].filter((code) => /from '(react|sealstone\/vue)'/.test(code))).toHaveLength(2)
  files.set(join(HERE, 'component.ts'), compiled(/^```vue\n(.*?)^```/ms.exec(guide('vue.md'))?.[1] ?? ''))
  const options: ts.CompilerOptions = {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.asynciterable.d.ts'],
    jsx: ts.JsxEmit.ReactJSX,
    types: ['node'],
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    skipLibCheck: true,
    noEmit: true,
    baseUrl: HERE,
    paths: JSON.parse(readFileSync(join(HERE, 'tsconfig.json'), 'utf8')).compilerOptions.paths,
  }
  const host = ts.createCompilerHost(options)
  const { fileExists, readFile } = host
  host.fileExists = (name) => files.has(name) || fileExists(name)
  host.readFile = (name) => files.get(name) ?? readFile(name)
  const bound = ['bound', 'modules'].map((name) => join(HERE, `src/backend/${name}.d.ts`))
  const program = ts.createProgram([...files.keys(), ...bound], options, host)
  const diagnostics = ts.getPreEmitDiagnostics(program)
  expect(ts.formatDiagnostics(diagnostics, { ...host, getCanonicalFileName: (name) => name })).toBe('')
})

/** The script of a component whose template compiles. */
function compiled(component: string): string {
  const { descriptor, errors } = parse(component, { filename: 'Component.vue' })
  expect(errors).toEqual([])
  expect(compileScript(descriptor, { id: 'component', inlineTemplate: true }).content).toContain('"Cancel"')
  return descriptor.scriptSetup?.content ?? ''
}
