import { readFileSync } from 'node:fs'

/** A file that `make wasm` builds. */
export function moduleFile(name: string, extension = 'wasm'): URL {
  return new URL(`../wasm/modules/${name}.${extension}`, import.meta.url)
}

/** The modules that calls are of. */
export const FAMILIES = ['whole', 'digest', 'cipher', 'compat', 'sign', 'exchange', 'age'] as const

/** The modules that a build can have in it; the last one inflates the others. */
export const INLINED = [...FAMILIES, 'inflate'] as const

/** A module as text, in a constant that JSON can read. */
export function constant(name: string): string {
  const text = readFileSync(moduleFile(name, name === 'inflate' ? 'wasm' : 'lzma')).toString('base64')
  return `export const ${name} = "${text}"\n`
}

interface Resolved {
  id: string
  external?: 'absolute'
  moduleSideEffects?: false
}

/** Resolves `#modules`, or `#modules/NAME` for one alone, to the program that `written` gives for each module; by default its text. */
export function modules(written: (name: string) => string = constant): {
  name: string
  resolveId: (id: string) => Resolved | undefined
  load: (id: string) => string | undefined
} {
  return {
    name: 'modules',
    resolveId(id) {
      if (id.startsWith('#modules')) return { id: `\0${id.slice(1)}` }
      // Files that lie beside the builds stay there.
      return BESIDE.test(id) ? { id, external: 'absolute', moduleSideEffects: false } : undefined
    },
    load(id) {
      if (!id.startsWith('\0modules')) return undefined
      return INLINED.filter((name) => id === '\0modules' || id.endsWith(`/${name}`))
        .map(written)
        .join('')
    },
  }
}

const BESIDE = /^\.\.?\/(?:whole|digest|cipher|compat|sign|exchange|age|inflate)(?:-text\.(?:mjs|cjs)|\.wasm)/

/**
 * The calls of a module (`src/work/*-calls.ts`) in a build for pages: the first one adds the families of calls, and gives the platform the
 * module, unless `load` brings that. A page has those that it calls.
 */
export function moduleCalls(brings: 'modules' | 'families'): {
  name: string
  enforce: 'pre'
  resolveId: (id: string) => string | undefined
  load: (id: string) => string | undefined
} {
  return {
    name: 'module-calls',
    enforce: 'pre',
    resolveId(id) {
      const [, name] = /([a-z]+)-calls\.[jt]s$/.exec(id) ?? []
      return name === undefined ? undefined : `${WORK}${name}-calls.page.js`
    },
    load(id) {
      const [, name] = /([a-z]+)-calls\.page\.js$/.exec(id) ?? []
      return name === undefined ? undefined : callsWith(name, brings === 'modules')
    },
  }
}

const WORK = new URL('src/work/', import.meta.url).pathname

/** The families of calls of a module, by the names of their files; of one that is not here, its own name. */
const FAMILIES_OF: { readonly [module: string]: readonly string[] } = { whole: ['base'], exchange: ['exchange', 'rsa'] }

function callsWith(name: string, bringsModule: boolean): string {
  const families = (FAMILIES_OF[name] ?? [name]).map((file) => [file, file.replace(/^./, (c) => c.toUpperCase())])
  const imports = families.map(([file, family]) => `import { ${family} } from '../backend/wasm/${file}.ts'\n`)
  const module = `import { ${name} as module } from '#modules/${name}'\nimport { give } from '../browser/given.ts'\n`
  return `${imports.join('')}${bringsModule ? module : ''}
import { addFamilies } from '../browser/given.ts'
import * as calls from './call.ts'
export * from './call.ts'
let isHere = false
function bring() {
  isHere = true
  ${bringsModule ? `give('${name}', module)` : ''}
  addFamilies([${families.map(([, family]) => family).join(', ')}])
}
export function sync() {
  if (!isHere) bring()
  return calls.sync()
}
export function bulk() {
  if (!isHere) bring()
  return calls.bulk()
}
export function call(work) {
  if (!isHere) bring()
  return calls.call(work)
}
export function callLater(work, signal) {
  if (!isHere) bring()
  return calls.callLater(work, signal)
}
`
}
