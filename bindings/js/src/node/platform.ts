import type { Platform } from '../platform/index.js'
import { loadNative } from './native.js'

/** Node, and what runs its programs. Its modules are asked for when they are needed: loading them takes milliseconds. */
export const platform: Platform = {
  load() {
    const addon = loadNative()
    return { sync: addon, bulk: addon, files: addon }
  },
  systemErrorName: (errno) => process.getBuiltinModule('node:util').getSystemErrorName(errno),
  pathOfUrl: (href) => process.getBuiltinModule('node:url').fileURLToPath(href),
  maxStringLength: () => process.getBuiltinModule('node:buffer').constants.MAX_STRING_LENGTH,
  webCrypto: () => nodeCrypto().webcrypto,
  isKeyObject: (key) => key instanceof nodeCrypto().KeyObject,
  keyObject(der, type) {
    const { createPrivateKey, createPublicKey } = nodeCrypto()
    const key = der as Buffer
    if (type === 'private') return createPrivateKey({ key, format: 'der', type: 'pkcs8' })
    return createPublicKey({ key, format: 'der', type: 'spki' })
  },
}

function nodeCrypto(): typeof import('node:crypto') {
  return process.getBuiltinModule('node:crypto')
}
