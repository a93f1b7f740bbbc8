// Files in parts with threads that a program has started: those do what is long, whoever did it before.

import type { Handle } from '../calls.js'
import type { Files, Hosting } from './bulk.js'
import type { Base } from './index.js'
import * as host from './intrinsics.js'
import { Owners } from './owners.js'

/** Threads that are at work. */
export interface Crew {
  /** So many jobs keep all of them at work. */
  readonly jobsMax: number
  readonly files: Files & { release(handle: Handle): void }
}

/** From so many bytes on messages to a thread pay. */
const LONG_LEN = 1 << 18

/** A base module and its host, with the crew that there is when a file begins; the file stays with whom it began. */
export function crewed(own: Base, hosting: Hosting, crew: () => Crew | undefined): Hosting {
  const { base, files, ...rest } = hosting
  const theirs = host.dictionary<Crew['files'] | null>()

  const filesOf = (handle: Handle, length = LONG_LEN): Crew['files'] | null => {
    theirs[handle] ??= (length < LONG_LEN ? undefined : crew()?.files) ?? null
    return theirs[handle]
  }
  const release = (handle: Handle): void => {
    theirs[handle]?.release(handle)
    delete theirs[handle]
    owners.forget(handle)
    base.release(handle)
  }
  const owners = new Owners(release)

  return {
    ...rest,
    base: {
      ...base,
      unitsMax: (threads) => crew()?.jobsMax ?? base.unitsMax(threads),
      release,
      own(handle, owner) {
        if (own.holds(handle)) owners.add(handle, owner)
      },
    },
    files: {
      sealing: (sealer, length) => filesOf(sealer, length)?.sealing(sealer) ?? files?.sealing(sealer),
      opening: (opener, length) => filesOf(opener, length)?.opening(opener) ?? files?.opening(opener),
      openingFrom: (opener, first, length) =>
        filesOf(opener, length)?.openingFrom(opener, first, length) ?? files?.openingFrom(opener, first, length),
    },
  }
}
