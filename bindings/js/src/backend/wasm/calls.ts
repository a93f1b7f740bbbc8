// All that this package calls but for files by name, over the modules.

import type { Out, SyncCalls } from '../calls.js'
import type { Calls, WorkedWith } from '../index.js'
import { fill } from '../randomness.js'
import { Books } from './books.js'
import { bulkOf } from './bulk.js'
import { JOB_CHUNKS } from './chunks.js'
import { type Crew, CrewedFiles } from './crewed.js'
import { PART_LEN } from './file-work.js'
import type { Hosting } from './hosting.js'
import { type Base, type Compat, SHORT_LEN } from './index.js'
import * as host from './intrinsics.js'

/** The calls over a base module and one of what other software uses, what a host computes in place of the former, and threads that a program may start. */
export function callsOf(
  own: Base,
  compat: Compat,
  alone: Hosting = { base: own, atOnceLen: SHORT_LEN, shortLen: SHORT_LEN },
  crew?: () => Crew | undefined,
): Omit<Calls, 'files'> {
  const { base, promised, digest, atOnceLen, shortLen } = alone
  const files = crew === undefined ? alone.files : new CrewedFiles(own, alone.files, crew)
  const books = new Books()
  const sync: SyncCalls = {
    ...compat,
    ...base,
    release(handle) {
      books.release(handle)
      base.release(handle)
    },
    unitsMax: (threads) => crew?.()?.jobsMax ?? base.unitsMax(threads),
    // All results are whole.
    resultTake: () => 0,
    memory: (len) => new host.Bytes(len),
    checkBackend: () => undefined,
    randomFill: (out) => fill(out as Out),
    sealerFill: (sealer, plaintext) => files?.sealing(sealer)?.fill(plaintext) ?? base.sealerFill(sealer, plaintext),
    openerFill: (opener, chunks) => files?.opening(opener)?.fill(chunks) ?? base.openerFill(opener, chunks),
    job: () => books.open(),
    jobCancel: (job) => books.of(job).cancel(),
    jobProgress: (job) => [books.of(job).done],
    loading: () => books.open(),
    loadingUpdate: (loading, part, len) => books.of(loading).load(part, len),
  }
  /** Whether the host promises what is done with an object, however short. */
  const isPromised = ({ sealer, opener, key }: WorkedWith): boolean =>
    promised !== undefined &&
    ((sealer !== undefined && alone.files?.sealing(sealer) !== undefined) ||
      (opener !== undefined && alone.files?.opening(opener) !== undefined) ||
      (key !== undefined && promised.has(key)))

  return {
    sync,
    bulk: bulkOf({ ...alone, files }, compat, books),
    digestLater: digest,
    get partLen() {
      return crew?.() === undefined ? PART_LEN : JOB_CHUNKS * base.chunkLen()
    },
    isShort: (length, object) => length <= atOnceLen || (length <= shortLen && !isPromised(object)),
  }
}
