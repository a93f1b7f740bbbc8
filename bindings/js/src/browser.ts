import type { Backend } from './backend.js'
import { SealstoneError } from './error.js'

/** What stands for the addon where `exports` are those of a browser: nothing yet. */
export function loadNative(): Backend {
  throw new SealstoneError(
    'unavailable_backend',
    'sealstone has no build for browsers yet: it runs in Node, and only sealstone/fise runs in browsers too. ' +
      'On a server, remove the condition "browser" from the settings of the bundler or test runner that chose this',
  )
}
