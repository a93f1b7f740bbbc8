// How long a page does not answer while it computes: the operations of a public key, and beside each a timer.

import { publicKeyOperations } from '../node/public_key.mjs'

/** The trial, and the longest time within it in which no timer came. */
function watched({ run, ...trial }) {
  let longest = 0
  return {
    ...trial,
    async run() {
      let before = performance.now()
      const beat = () => {
        const now = performance.now()
        longest = Math.max(longest, now - before)
        before = now
      }
      const timer = setInterval(beat, 1)
      try {
        return await run()
      } finally {
        beat()
        clearInterval(timer)
      }
    },
    longestNs() {
      const ns = longest * 1e6
      longest = 0
      return ns
    },
  }
}

const PREFIX = 'public-key/'

export const pauseOperations = publicKeyOperations
  .filter(({ name }) => name === `${PREFIX}encrypt` || name === `${PREFIX}decrypt`)
  .map(({ name, setUp }) => ({
    name: name.replace(PREFIX, 'pause/'),
    setUp: async (input, options) => watched(await setUp(input, options)),
  }))
