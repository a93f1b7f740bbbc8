// As bundled.mjs, under a name that no rule for `.node`, such as node-loader's, makes something else of. Where the file's address is
// none of a file, as in Next, the package is required where the program runs.

import { fileURLToPath } from 'node:url'

export default load()

function load() {
  const addon = { exports: {} }
  const file = new URL('./sealstone.linux-x64-gnu.bin!=!./sealstone.linux-x64-gnu.node', import.meta.url)
  try {
    process.dlopen(addon, fileURLToPath(file))
  } catch {
    return __non_webpack_require__('sealstone-linux-x64-gnu')
  }
  return addon.exports
}
