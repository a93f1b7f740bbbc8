// Bundles the page: `node bundle.mjs FOLDER`.

import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const [, , folder] = process.argv
const PACKAGE = fileURLToPath(new URL('../../../bindings/js/', import.meta.url))

/** The npm package as a page gets it: what its `exports` have for browsers, in place of Node's file that operations name. */
const published = {
  name: 'published',
  setup({ onResolve, resolve }) {
    onResolve({ filter: /\/bindings\/js\/dist\// }, ({ path, kind }) => {
      const name = /\/dist\/(?<name>.+)\.mjs$/.exec(path).groups.name
      return resolve(name === 'index' ? 'sealstone' : `sealstone/${name}`, { resolveDir: PACKAGE, kind })
    })
  },
}

rmSync(folder, { recursive: true, force: true })
await build({
  entryPoints: [fileURLToPath(new URL('page.mjs', import.meta.url))],
  outdir: folder,
  bundle: true,
  splitting: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  // Libraries that Node alone has: in a page nobody asks for them.
  external: ['./node_crypto.mjs', './yuants_reference.mjs', 'node:crypto', 'sodium-native'],
  // Its names are those of what is published, and in the package's own settings those of its sources.
  tsconfigRaw: {},
  plugins: [published],
  // The peers, which the lock file of the Node engine has.
  nodePaths: [fileURLToPath(new URL('../node/node_modules', import.meta.url))],
  logLevel: 'warning',
})
writeFileSync(join(folder, 'index.html'), '<!doctype html><meta charset="utf-8"><title>bench</title><script type="module" src="page.js"></script>\n')
