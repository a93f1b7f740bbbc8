// What is alive, once the engine has collected all that is not: by its own count, and not by what the process has of the machine.

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')

/** Collects all garbage now. */
export const collect = runInNewContext('gc') as () => void

/** Bytes of the process outside the engine's heap that somebody reaches still. */
export function alive(kind: 'external' | 'arrayBuffers'): number {
  // What the first one finds the second one frees.
  collect()
  collect()
  return process.memoryUsage()[kind]
}
