import { readFileSync } from 'node:fs'
import { deflateRawSync } from 'node:zlib'

/** A file that `make wasm` builds. */
export function moduleFile(name: string): URL {
  return new URL(`../wasm/modules/${name}.wasm`, import.meta.url)
}

/** The modules that a build can have in it; the last one inflates the others. */
export const INLINED = ['whole', 'digest', 'cipher', 'compat', 'sign', 'exchange', 'age', 'inflate'] as const

/** What calls modules, by its name in the sources; where a build has none of them `absent.ts` stands there, since pages should not load what they never call. */
const CALLERS: Record<string, readonly string[]> = {
  './digests.js': ['digest'],
  './ciphers.js': ['cipher'],
  './signers.js': ['sign'],
  './exchangers.js': ['exchange'],
  './age-files.js': ['age'],
  './rsa-pairs.js': ['exchange'],
  './web-rsa.js': ['sign', 'exchange'],
}

/** The files of a build that has some of the modules alone. */
export function absentOf(has: readonly string[]): Record<string, string> {
  const missing = Object.entries(CALLERS).filter(([, modules]) => !modules.some((name) => has.includes(name)))
  return Object.fromEntries(missing.map(([file]) => [file, 'backend/wasm/absent.ts']))
}

/** A module as text, in a constant that JSON can read. */
export function constant(name: string): string {
  const bytes = readFileSync(moduleFile(name))
  const text = (name === 'inflate' ? bytes : deflateRawSync(bytes, { level: 9 })).toString('base64')
  return `export const ${name} = "${text}"\n`
}

interface Resolved {
  id: string
  external?: 'absolute'
}

/** What the import `#modules` is: for each module what a build writes for it, and unless that says otherwise its text. */
export function modules(written: (name: string) => string = constant): {
  name: string
  resolveId: (id: string) => Resolved | undefined
  load: (id: string) => string | undefined
} {
  return {
    name: 'modules',
    resolveId(id) {
      if (id === '#modules') return { id: ID }
      // What lies beside the builds stays where it is.
      return BESIDE.test(id) ? { id, external: 'absolute' } : undefined
    },
    load: (id) => (id === ID ? INLINED.map(written).join('') : undefined),
  }
}

const ID = '\0modules'
const BESIDE = /^\.\.?\/(?:whole|digest|cipher|compat|sign|exchange|age|inflate)(?:-text\.(?:mjs|cjs)|\.wasm)/
