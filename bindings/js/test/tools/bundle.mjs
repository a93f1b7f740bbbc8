// Bundles a file of the working directory with one of the tools here, in its own defaults, for Node or for pages:
//
//   node bundle.mjs TOOL INPUT FORMAT OUTPUT

import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import commonjs from '@rollup/plugin-commonjs'
import nodeResolve from '@rollup/plugin-node-resolve'
import ncc from '@vercel/ncc'
import { build as esbuild } from 'esbuild'
import { rolldown } from 'rolldown'
import { rollup } from 'rollup'
import { build as vite } from 'vite'
import webpack from 'webpack'

const [tool, input, format, output] = process.argv.slice(2)

const TOOLS = {
  esbuild: () =>
    esbuild({ entryPoints: [input], bundle: true, platform: 'node', format, outfile: output, logLevel: 'error' }),

  vite: () =>
    vite({
      configFile: false,
      logLevel: 'warn',
      ssr: { noExternal: true },
      build: {
        ssr: input,
        outDir: dirname(output),
        rolldownOptions: { output: { format, entryFileNames: basename(output) } },
      },
    }),

  webpack: () => webpacked([]),
  'webpack with node-loader': () =>
    webpacked([{ test: /\.node$/, loader: new URL(import.meta.resolve('node-loader')).pathname }]),

  // It warns that it does not find that, as it should.
  'webpack without the native part': () => webpacked([], [/Can't resolve 'sealstone-linux-x64-gnu'/]),

  // As its command line does, with its files beside the program.
  ncc: async () => {
    const { code, assets } = await ncc(resolve(input), { cache: false, quiet: true })
    for (const [name, { source }] of Object.entries({ ...assets, [basename(output)]: { source: code } })) {
      const path = join(dirname(output), name)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, source)
    }
  },

  rollup: () => rolledUp([commonjs()]),
  // Its warnings are no errors: it leaves out files that it cannot read.
  'rollup without CommonJS': () => rolledUp([]),

  // For pages.
  'esbuild for pages': () => esbuild({ ...ESBUILD, platform: 'browser' }),
  'esbuild, minified for pages': () => esbuild({ ...ESBUILD, platform: 'browser', minify: true }),
  'rolldown for pages': () => rolled({}),
  'rolldown, minified for pages': () => rolled({ minify: true }),
  'vite for pages': () =>
    vite({
      configFile: false,
      logLevel: 'warn',
      build: {
        outDir: dirname(output),
        assetsInlineLimit: 0,
        // With WebAssembly a bundle is not small.
        chunkSizeWarningLimit: 2000,
        rolldownOptions: { input, output: { entryFileNames: basename(output) } },
      },
    }),
  'webpack for pages': () => webpacked([], [], { ...PAGES, mode: 'development' }),
  'webpack, minified for pages': () => webpacked([], [], PAGES),

  // For Cloudflare's runtime, as wrangler does: files of WebAssembly lie beside the program.
  'esbuild for workerd': () =>
    esbuild({ ...ESBUILD, platform: 'browser', conditions: ['workerd', 'worker', 'browser'], plugins: [wasmBeside()] }),
}

const ESBUILD = { entryPoints: [input], bundle: true, format, outfile: output, logLevel: 'error' }
const PAGES = { target: 'web', performance: { hints: false } }

async function rolled(options) {
  const bundle = await rolldown({ input, platform: 'browser' })
  await bundle.write({ file: output, format, ...options })
}

async function rolledUp(plugins) {
  const resolves = nodeResolve({ exportConditions: ['node'], preferBuiltins: true })
  const bundle = await rollup({ input, plugins: [resolves, ...plugins], onwarn: () => undefined })
  await bundle.write({ file: output, format, inlineDynamicImports: true })
}

function wasmBeside() {
  return {
    name: 'wasm-beside',
    setup(build) {
      build.onResolve({ filter: /\.wasm$/ }, async ({ path, resolveDir }) => {
        mkdirSync(dirname(output), { recursive: true })
        copyFileSync(join(resolveDir, path), join(dirname(output), basename(path)))
        return { path: `./${basename(path)}`, external: true }
      })
    },
  }
}

function webpacked(rules, ignoreWarnings = [], more = { target: 'node' }) {
  const options = {
    mode: 'production',
    context: process.cwd(),
    entry: `./${input}`,
    module: { rules },
    ignoreWarnings,
    output: { path: dirname(resolve(output)), filename: basename(output) },
    ...more,
  }
  return new Promise((fulfil, reject) => {
    webpack(options, (error, stats) => {
      const { errors = [], warnings = [] } = stats?.toJson({ all: false, errors: true, warnings: true }) ?? {}
      if (error !== null || errors.length > 0 || warnings.length > 0)
        reject(error ?? new Error(JSON.stringify([errors, warnings])))
      else fulfil()
    })
  })
}

await TOOLS[tool]()
