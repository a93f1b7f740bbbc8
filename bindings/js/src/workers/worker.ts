// The program of a worker. It communicates with its page through one channel, whose other end `sealstone/workers` has.

import { NONCE_LEN, TAG_LEN } from '../backend/wasm/host-crypto.js'
import { type Call, callOf, hasSignatures, Instance } from '../backend/wasm/instance.js'
import { BASE } from '../backend/wasm/signatures.js'
import { failureOf, SealstoneError } from '../basics/error.js'
import { webCrypto } from '../browser/web-crypto.js'
import {
  type Answer,
  type Beginning,
  type Begun,
  CHUNKS_AT,
  memoryLen,
  NONCES_AT,
  PROTOCOL,
  type Request,
} from './job.js'

const CALLS = ['chunkKey', 'chunkSeal', 'chunkOpen', 'release'] as const
type Name = (typeof CALLS)[number]
const calls = Object.fromEntries(CALLS.map((name) => [name, callOf(name, BASE[name])])) as Record<Name, Call>

const crypto = webCrypto()

/** A job with its memory. */
interface Work {
  readonly algorithm: string
  readonly key: Uint8Array
  readonly seals: boolean
  readonly count: number
  nonce(index: number): Uint8Array
  /** A chunk before the work. */
  chunk(index: number): Uint8Array<ArrayBuffer>
  /** The place of its result, which may overlap the next chunk. */
  place(index: number): Uint8Array<ArrayBuffer>
}

function workOf([, algorithm, keyLen, seals, chunkLen, count, length, memory]: Request): Work {
  const part = (at: number, length: number): Uint8Array<ArrayBuffer> => new Uint8Array(memory, at, length)
  const tagLen = seals ? 0 : TAG_LEN
  const chunks = (len: number, last: number) => (index: number) =>
    part(CHUNKS_AT + index * len, index === count - 1 ? last - index * len : len)
  return {
    algorithm,
    key: part(0, keyLen),
    seals,
    count,
    nonce: (index) => part(NONCES_AT + index * NONCE_LEN, NONCE_LEN),
    chunk: chunks(chunkLen + tagLen, length),
    place: chunks(chunkLen + TAG_LEN - tagLen, length + (seals ? count : -count) * TAG_LEN),
  }
}

/** Seals or opens with WebCrypto; returns the number of chunks before the first one that is not authentic. */
async function promised(
  { seals, count, key, nonce, chunk, place }: Work,
  by: NonNullable<typeof crypto>,
): Promise<number> {
  const own = await by.key(key)
  key.fill(0)
  if (own instanceof SealstoneError) throw own
  const work = seals ? by.seal : by.open
  const runs = Math.ceil(count / RUN)
  let made = count
  for (let run = 0; run < runs; run++) {
    // A sealed chunk is longer, so that it overwrites the chunks behind it: the last chunks are sealed first.
    const first = RUN * (seals ? runs - 1 - run : run)
    const results = Array.from({ length: Math.min(RUN, count - first) }, (_, i) =>
      work(own, nonce(first + i), undefined, chunk(first + i)),
    )
    const read: ArrayBuffer[] = []
    for (const [i, result] of results.entries()) {
      const bytes = await result
      if (bytes instanceof SealstoneError) throw bytes
      if (bytes === undefined) made = Math.min(made, first + i)
      else {
        if (first + i < made) place(first + i).set(bytes)
        if (!seals) bytes.fill(0)
        read.push(bytes.buffer)
      }
    }
    nowhere.postMessage(undefined, read)
    if (made < count) break
  }
  return made
}

/** Chunks given to WebCrypto at once: with more, the engine returns memory to the system and then allocates new memory. */
const RUN = 8

/**
 * Takes the results of WebCrypto after they were read: memory transferred to a closed port is free at once. The garbage collector would
 * come later, so that each result would need new memory, which takes half as long as AES.
 */
const { port1: nowhere, port2: nobody } = new MessageChannel()
nobody.close()

/** As {@link promised}, with WebAssembly. */
function computed({ algorithm, seals, count, key, nonce, chunk, place }: Work, instance: Instance): number {
  const own = instance.call(calls.chunkKey, [algorithm, key]) as number
  key.fill(0)
  try {
    // A result that is longer than its chunk is written over the next one, which is sealed by then.
    if (seals) for (let i = count - 1; i >= 0; i--) instance.call(calls.chunkSeal, [own, nonce(i), chunk(i), place(i)])
    else {
      for (let i = 0; i < count; i++) {
        try {
          instance.call(calls.chunkOpen, [own, nonce(i), chunk(i), place(i)])
        } catch (error) {
          if (error instanceof SealstoneError && error.code === 'not_authentic') return i
          throw error
        }
      }
    }
    return count
  } finally {
    instance.call(calls.release, [own])
  }
}

/** Does the jobs that come through a port, one after the other. */
function serve(port: MessagePort, module: WebAssembly.Module): void {
  let instance = new Instance(module)
  const names = Object.fromEntries(CALLS.map((name) => [name, BASE[name]]))
  if (!hasSignatures(instance.signatures(), names))
    throw new Error('the module belongs to another version of sealstone')

  const done = async (request: Request): Promise<Answer> => {
    const [id, algorithm, , , chunkLen, , , memory] = request
    const work = workOf(request)
    let [made, failure]: [number, string | undefined] = [0, undefined]
    try {
      if (memory.byteLength !== memoryLen(chunkLen)) throw new Error('a job of another length')
      if (instance.isOver) instance = new Instance(module)
      made = crypto?.algorithm === algorithm ? await promised(work, crypto) : computed(work, instance)
    } catch (error) {
      failure = String(failureOf(error).message)
    }
    new Uint8Array(memory, 0, CHUNKS_AT).fill(0)
    // Behind the results, there are still chunks or parts of them: zero them.
    const end = made === 0 ? CHUNKS_AT : endOf(work.place(made - 1))
    new Uint8Array(memory, end).fill(0)
    return [id, failure === undefined ? made : 0, failure, memory]
  }

  let before: Promise<unknown> = Promise.resolve()
  port.onmessage = ({ data }: MessageEvent<Request>) => {
    before = before.then(async () => {
      const answer = await done(data)
      port.postMessage(answer, [answer[3]])
    })
  }
}

function endOf({ byteOffset, byteLength }: Uint8Array): number {
  return byteOffset + byteLength
}

addEventListener('message', function begin({ data }: MessageEvent<Beginning>) {
  if (data[0] !== PROTOCOL) return
  removeEventListener('message', begin)
  const [, port, module] = data
  let failure: string | undefined
  try {
    serve(port, module)
  } catch (error) {
    failure = String(failureOf(error).message)
  }
  port.postMessage([PROTOCOL, failure] satisfies Begun)
})
