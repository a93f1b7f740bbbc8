// The packed package as a page has it that no bundler has seen: files on a server, by the names that package.json gives them.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'

type Conditions = string | { [condition: string]: Conditions }

/** The entries by the names that tests have for them. */
const ENTRIES = {
  sealstone: '.',
  aead: './aead',
  cryptoJs: './compat/crypto-js',
  encoding: './encoding',
  fise: './fise',
  hash: './hash',
  hazmat: './hazmat',
  kdf: './kdf',
  pairs: './exchange',
  passphrases: './passphrase',
  passwords: './password',
  random: './random',
  rsa: './rsa',
  signatures: './sign',
  signed: './signature',
  yuants: './compat/yuants',
}

/** Of these, entries without a module of WebAssembly, and so no twin in `sealstone/slim`. */
const ONCE: readonly string[] = ['encoding', 'fise', 'passphrases', 'random']

/** A page's report that all parts of `runtimes/parts.mjs` passed. */
export const PASSED = {
  passed: [
    ...[
      'keys',
      'bytes',
      'streams',
      'messages',
      'primitives',
      'signatures',
      'signed',
      'pairs',
      'random',
      'passwords',
      'cryptoJs',
      'yuants',
    ],
    ...['fise', 'collection'],
  ],
  failed: [],
}

/** The same of a page that was given the vectors. */
export const PASSED_WITH_VECTORS = { ...PASSED, passed: [...PASSED.passed, 'vectors'] }

/** The server's paths of all that a page can import of a package in `node_modules`, by the specifiers. */
export function importMap(project: string): Record<string, string> {
  const { exports } = JSON.parse(readFileSync(join(project, 'node_modules/sealstone/package.json'), 'utf8'))
  const paths = Object.entries(exports as Record<string, Conditions>).flatMap(([entry, conditions]) => {
    const file = resolved(conditions, ['browser', 'import', 'default'])
    if (!file?.endsWith('.mjs')) return []
    return [[join('sealstone', entry), join('/node_modules/sealstone', file)]]
  })
  return Object.fromEntries(paths)
}

function resolved(conditions: Conditions, known: readonly string[]): string | undefined {
  if (typeof conditions === 'string') return conditions
  for (const [condition, inner] of Object.entries(conditions)) {
    const file = known.includes(condition) ? resolved(inner, known) : undefined
    if (file !== undefined) return file
  }
  return undefined
}

/**
 * A script that has all entries as `packages`, imported by their names, or by their paths where a page has no import map; in
 * `sealstone/slim` those that compute.
 */
export function importing(script: string, paths?: Record<string, string>, root = 'sealstone'): string {
  const imports = Object.entries(ENTRIES).map(([name, entry]) => {
    const specifier = join(ONCE.includes(name) ? 'sealstone' : root, entry)
    return `import * as ${name} from '${paths === undefined ? specifier : paths[specifier]}'\n`
  })
  return `${imports.join('')}const packages = { ${Object.keys(ENTRIES).join(', ')} }\n${script}`
}
