import { readFileSync } from 'node:fs'
import { deflateRawSync } from 'node:zlib'

/** What the import `#modules` is: the modules of WebAssembly as text, of the files that `make wasm` builds. */
export function modules(): {
  name: string
  resolveId: (id: string) => string | undefined
  load: (id: string) => string | undefined
} {
  const deflated = (name: string): string => {
    const bytes = readFileSync(new URL(`../wasm/modules/${name}.wasm`, import.meta.url))
    return deflateRawSync(bytes, { level: 9 }).toString('base64')
  }
  const constant = (name: string): string => `export const ${name} = '${deflated(name)}'\n`
  return {
    name: 'modules',
    resolveId: (id) => (id === '#modules' ? ID : undefined),
    load: (id) => (id === ID ? constant('base') + constant('forms') + constant('toolbox') : undefined),
  }
}

const ID = '\0modules'
