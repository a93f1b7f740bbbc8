import type { Handle } from '../backend/calls.js'
import type { Chunks, Made } from '../backend/wasm/chunks.js'
import type { Given } from '../backend/wasm/given.js'
import { HostFiles } from '../backend/wasm/host-files.js'
import type { Crew as Crewed, Files } from '../backend/wasm/hosting.js'
import * as host from '../backend/wasm/intrinsics.js'
import type { BaseModule } from '../backend/wasm/module.js'
import type { Job } from './job.js'

/** The AEADs of files. */
const ALGORITHMS = ['aes-256-gcm', 'chacha20-poly1305', 'sm4-gcm'] as const

/** The files that a crew seals and opens. Core has their keys and counters, and hands them out. */
export function filesOf(base: BaseModule, crew: { work(job: Job): Given<Made> }): Crewed['files'] {
  const all = ALGORITHMS.map(
    (algorithm) =>
      new HostFiles(base, {
        algorithm,
        key: (bytes) => new host.Bytes(bytes),
        many: (key, seals) => ({
          together: (nonces, before, bytes) =>
            crew.work({ algorithm, key, seals, chunkLen: base.chunkLen(), nonces, before, bytes }),
          end: () => host.fill(key, 0),
        }),
      }),
  )
  const found = (of: (files: Files) => Chunks | undefined): Chunks | undefined => {
    for (let i = 0; i < all.length; i++) {
      const chunks = of(all[i] as Files)
      if (chunks !== undefined) return chunks
    }
    return undefined
  }
  return {
    sealing: (sealer) => found((files) => files.sealing(sealer)),
    opening: (opener) => found((files) => files.opening(opener)),
    openingFrom: (opener, first, length) => found((files) => files.openingFrom(opener, first, length)),
    forget(handle: Handle) {
      for (let i = 0; i < all.length; i++) all[i]?.forget(handle)
    },
  }
}
