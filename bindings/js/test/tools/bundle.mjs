// Bundles main.mjs or main.cjs of the working directory with one of the tools here, in its own defaults:
//
//   node bundle.mjs TOOL INPUT FORMAT OUTPUT

import { basename, dirname, resolve } from 'node:path'
import { build as esbuild } from 'esbuild'
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

  // For a page: the condition `browser`.
  'esbuild for browsers': () =>
    esbuild({ entryPoints: [input], bundle: true, platform: 'browser', format, outfile: output, logLevel: 'error' }),
}

function webpacked(rules, ignoreWarnings = []) {
  const options = {
    mode: 'production',
    target: 'node',
    context: process.cwd(),
    entry: `./${input}`,
    module: { rules },
    ignoreWarnings,
    output: { path: dirname(resolve(output)), filename: basename(output) },
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
