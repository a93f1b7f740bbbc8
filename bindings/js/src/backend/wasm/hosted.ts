// A host that computes one AEAD, and digests, at once: the core has the keys, the nonces, the headers and the errors, and data that is
// long stays in JavaScript's memory.

import { HostBuffers } from './host-buffers.js'
import type { HostCrypto, HostKey } from './host-crypto.js'
import { HostDigests } from './host-digests.js'
import { HostFiles } from './host-files.js'
import { WholeFiles } from './host-whole.js'
import type { Hosting } from './hosting.js'
import type { Base } from './index.js'

/** The functions of the modules, some of them computed by the host, and the files that the host seals and opens. */
export interface Hosted extends Hosting {
  readonly files: HostFiles<HostKey>
}

/** Up to so many bytes a host takes less than a millisecond. */
const AT_ONCE_LEN = 1 << 18

export function hosted(base: Base, crypto: HostCrypto): Hosted {
  const [buffers, digests] = [new HostBuffers(base, crypto), new HostDigests(base, crypto)]
  const files = new HostFiles<HostKey>(base, {
    algorithm: crypto.algorithm,
    key: crypto.key,
    seal(key, nonce, chunk, file, at) {
      crypto.seal(key, nonce, undefined, chunk, file, at)
      return undefined
    },
    open: (key, nonce, chunk, plaintext, at) => crypto.open(key, nonce, undefined, chunk, plaintext, at),
  })
  for (const beside of [files, buffers, digests]) base.forgetting((handle) => beside.forget(handle))
  const functions: Base = {
    ...base,
    ...buffers.calls(),
    ...digests.calls(),
    ...new WholeFiles(base, files, crypto.fileFrom).calls(),
    backend: () => base.backend().replace(`${crypto.algorithm} by `, `${crypto.algorithm} by ${crypto.name} and `),
    again(handle) {
      const other = base.again(handle)
      buffers.again(handle, other)
      digests.again(handle, other)
      return other
    },
  }
  return { base: functions, files, derive: crypto.derive, atOnceLen: AT_ONCE_LEN, shortLen: AT_ONCE_LEN }
}
