import { JOB_CHUNKS, type Made } from '../backend/wasm/chunks.js'
import { unavailable } from '../backend/wasm/compiled.js'
import type { Given } from '../backend/wasm/given.js'
import { NONCE_LEN, TAG_LEN } from '../backend/wasm/host-crypto.js'
import type { Crew as Crewed } from '../backend/wasm/hosting.js'
import * as host from '../backend/wasm/intrinsics.js'
import type { BaseModule } from '../backend/wasm/module.js'
import { SealstoneError } from '../basics/error.js'
import { workshop } from '../browser/workshop.js'
import { filesOf } from './files.js'
import { CHUNKS_AT, type Job, memoryLen, NONCES_AT } from './job.js'
import type { Member } from './member.js'

/** Each worker has a second job waiting while it works on the first. */
const JOBS_EACH = 2

/** The workers that have begun and not ended. */
export class Crew implements Crewed {
  readonly files: Crewed['files']
  readonly partLen: number
  readonly #members: Member[] = []
  /** Memory of finished jobs, for reuse: allocating new memory takes as long as sealing its content. */
  readonly #free: ArrayBuffer[] = []
  #failure = unavailable('all workers have ended')

  constructor(base: BaseModule) {
    this.files = filesOf(base, this)
    this.partLen = JOB_CHUNKS * base.chunkLen()
  }

  get jobsMax(): number {
    return JOBS_EACH * this.#members.length
  }

  add(members: readonly Member[]): void {
    for (const member of members) {
      if (member.hasEnded) continue
      this.#members[this.#members.length] = member
      member.onEnd = (failure) => this.#remove(member, failure)
    }
    if (this.#members.length > 0) workshop.crew = this
  }

  /** Begins a job. It copies everything before it returns; then the caller may change it. */
  async work(job: Job): Given<Made> {
    const { key, seals, chunkLen, nonces, before, bytes } = job
    const member = this.#idlest()
    if (member === undefined) return this.#failure
    const count = host.arrayLength(nonces) / NONCE_LEN
    const [keyLen, beforeLen] = [host.arrayLength(key), host.arrayLength(before)]
    const length = beforeLen + host.arrayLength(bytes)
    const written = new host.Bytes(this.#memory(memoryLen(chunkLen)))
    host.copyInto(written, key)
    host.copyInto(written, nonces, NONCES_AT)
    host.copyInto(written, before, CHUNKS_AT)
    host.copyInto(written, bytes, CHUNKS_AT + beforeLen)
    const memory = host.arrayBuffer(written) as ArrayBuffer
    const done = await member.do({ algorithm: job.algorithm, keyLen, seals, chunkLen, count, length, memory })
    if (done instanceof SealstoneError) return done
    const [isWhole, tagsLen] = [done.made === count, (seals ? count : -count) * TAG_LEN]
    return {
      bytes: new host.Bytes(done.memory, CHUNKS_AT, isWhole ? length + tagsLen : done.made * chunkLen),
      isWhole,
      free: () => this.#give(done.memory),
    }
  }

  #idlest(): Member | undefined {
    let idlest: Member | undefined
    for (let i = 0; i < this.#members.length; i++) {
      const member = this.#members[i] as Member
      if (idlest === undefined || member.jobs < idlest.jobs) idlest = member
    }
    return idlest
  }

  #remove(member: Member, failure: SealstoneError): void {
    this.#failure = failure
    this.#members.splice(this.#members.indexOf(member), 1)
    if (this.#members.length > 0) return
    this.#free.length = 0
    // Files that begin from now on are processed without workers.
    if (workshop.crew === this) workshop.crew = undefined
  }

  #memory(length: number): ArrayBuffer {
    const last = this.#free.length - 1
    if (last < 0) return host.arrayBuffer(new host.Bytes(length)) as ArrayBuffer
    const memory = this.#free[last] as ArrayBuffer
    this.#free.length = last
    return memory
  }

  #give(memory: ArrayBuffer): void {
    if (this.#free.length < this.jobsMax) this.#free[this.#free.length] = memory
  }
}
