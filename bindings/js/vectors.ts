import { readdirSync, readFileSync } from 'node:fs'

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
