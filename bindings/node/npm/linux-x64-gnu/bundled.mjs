// For bundlers that can emit a file for `new URL`: the addon is one, which is loaded from where it was put.

import { fileURLToPath } from 'node:url'

const addon = { exports: {} }
process.dlopen(addon, fileURLToPath(new URL('./sealstone.linux-x64-gnu.node', import.meta.url)))
export default addon.exports
