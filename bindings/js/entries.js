// The entries of the package: the builds (tsdown.config.ts) and the `exports` of package.json (exports.js) follow from these lists.

/**
 * The files of entries, by the entries' names.
 *
 * @typedef {Record<string, string>} Entries
 */

/** The modules of WebAssembly that lie beside the builds, for programs that load them by themselves. */
export const MODULES = ['base', 'forms', 'whole', 'digest', 'cipher', 'compat', 'sign', 'exchange', 'age']

/**
 * The entries, by the modules of WebAssembly that they call. Where modules are files, and in CommonJS, an entry has all of its group; in
 * other pages it has those that the page calls (`src/work/*-calls.ts`).
 *
 * @type {{ readonly has: readonly string[], readonly entries: Entries }[]}
 */
export const GROUPS = [
  { has: ['whole'], entries: { index: 'src/api/index.ts', workers: 'src/workers/index.ts' } },
  {
    has: ['digest'],
    entries: {
      hash: 'src/api/hash.ts',
      kdf: 'src/api/kdf.ts',
      mac: 'src/api/mac.ts',
      password: 'src/api/password.ts',
    },
  },
  { has: ['cipher'], entries: { aead: 'src/api/aead.ts', hazmat: 'src/api/hazmat.ts' } },
  { has: ['sign'], entries: { sign: 'src/api/sign.ts', signature: 'src/api/signature.ts' } },
  { has: ['exchange'], entries: { exchange: 'src/api/exchange.ts', rsa: 'src/api/rsa.ts' } },
  { has: ['age'], entries: { age: 'src/api/age/index.ts' } },
  { has: ['digest', 'compat'], entries: { 'compat/yuants': 'src/extras/yuants.ts' } },
  {
    has: ['digest', 'cipher', 'sign', 'exchange'],
    entries: {
      'compat/ldesign': 'src/extras/ldesign/index.ts',
      'compat/ldesign/stream': 'src/extras/ldesign/stream.ts',
      'compat/ldesign/core/stream': 'src/extras/ldesign/core/stream.ts',
    },
  },
  { has: ['digest', 'cipher'], entries: { 'compat/crypto-js': 'src/extras/crypto-js/index.ts' } },
]

/**
 * The entries that draw: of the addon in Node, and elsewhere of the host, without WebAssembly.
 *
 * @type {Entries}
 */
export const DRAWING = { random: 'src/api/random.ts', passphrase: 'src/api/passphrase.ts' }

/**
 * The entries that share files with each other alone, and are the same on all platforms.
 *
 * @type {Entries}
 */
export const PLAIN = {
  bench: 'src/extras/bench.ts',
  encoding: 'src/api/encoding.ts',
  monitor: 'src/extras/monitor/index.ts',
}

/**
 * The entry for reading and saving in pages.
 *
 * @type {Entries}
 */
export const WEB = { web: 'src/api/web/index.ts' }

/**
 * The entries that need Vue.
 *
 * @type {Entries}
 */
export const VUE = { vue: 'src/extras/vue/index.ts', 'compat/ldesign/vue': 'src/extras/ldesign/vue.ts' }

/**
 * The entry with a build of its own for pages, without Node's calls.
 *
 * @type {Entries}
 */
export const FISE = { fise: 'src/extras/fise/index.ts' }

/**
 * The program of its workers, which imports nothing.
 *
 * @type {Entries}
 */
export const FISE_WORKER = { 'fise-worker': 'src/extras/fise/worker.ts' }
