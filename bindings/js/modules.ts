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

/** The calls of a module (`src/work/*-calls.ts`) in a build for pages: the first one gives the platform the module. A page has those that it calls. */
export function moduleCalls(): {
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
      return name === undefined ? undefined : callsWith(name)
    },
  }
}

const classOf = (family: string): string => family[0]?.toUpperCase() + family.slice(1)

const WORK = new URL('src/work/', import.meta.url).pathname

/** The families of calls of each module, by the names of their files. */
const FAMILIES_OF: Record<string, readonly string[]> = { whole: ['base'], exchange: ['exchange', 'rsa'] }

const callsWith = (name: string): string => `
import { ${name} as module } from '#modules/${name}'
${(FAMILIES_OF[name] ?? [name]).map((family) => `import { ${classOf(family)} } from '../backend/wasm/${family}.ts'`).join('\n')}
import { give } from '../browser/given.ts'
import * as calls from './call.ts'
export * from './call.ts'
const families = [${(FAMILIES_OF[name] ?? [name]).map(classOf).join(', ')}]
const giving = () => give('${name}', module, families)
export function sync() {
  giving()
  return calls.sync()
}
export function bulk() {
  giving()
  return calls.bulk()
}
export function call(work) {
  giving()
  return calls.call(work)
}
export function callLater(work, signal) {
  giving()
  return calls.callLater(work, signal)
}
`
