import { SealstoneError } from '../error.js'
import type { Platform } from '../platform/index.js'

/** Browsers, where nothing computes yet. */
export const platform: Platform = {
  load() {
    throw new SealstoneError(
      'unavailable_backend',
      'sealstone has no build for browsers yet: it runs in Node, and only sealstone/fise runs in browsers too. ' +
        'On a server, remove the condition "browser" from the settings of the bundler or test runner that chose this',
    )
  },
  systemErrorName: (errno) => String(errno),
  pathOfUrl: () => onlyInNode('files by name'),
  // V8 has 2^29 - 24 at the least; where it is less, the engine fails with an error of its own.
  maxStringLength: () => 2 ** 29 - 24,
  webCrypto: () => onlyInNode('WebCrypto outside of secure contexts (https)'),
  isKeyObject: (key): key is never => false,
  keyObject: () => onlyInNode('KeyObject'),
}

function onlyInNode(what: string): never {
  throw new SealstoneError('unavailable_backend', `there is no ${what} in browsers`)
}
