import type { Backend } from './backend.js'
import { SealstoneError } from './error.js'

/** What stands for the addon where `exports` are those of a browser: nothing yet. */
export function loadNative(): Backend {
  throw new SealstoneError(
    'unavailable_backend',
    'sealstone has no build for browsers yet: it runs in Node, and of it sealstone/fise runs here too. ' +
      'On a server, take the condition "browser" out of the settings of the bundler or test runner that chose this',
  )
}
