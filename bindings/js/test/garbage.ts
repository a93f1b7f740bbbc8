// Live memory, once the engine has collected all else: by its own count, since the memory of the process has other owners too.

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')

/** Collects all garbage now. */
export const collect = runInNewContext('gc') as () => void

/** Bytes of the process outside the engine's heap that are still reachable. */
export function alive(kind: 'external' | 'arrayBuffers'): number {
  // The first collection finds, the second frees.
  collect()
  collect()
  return process.memoryUsage()[kind]
}
