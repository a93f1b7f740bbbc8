import { backend, call, callLater } from './backend.js'
import { type Bytes, type BytesLike, bytesOf } from './bytes.js'
import { Held } from './handle.js'
import type { Recipe, Run } from './recipe.js'
import { reporter, turn } from './run.js'

/** Where the bytes of a stream come from: a Node stream, a generator, anything that `for await` reads. */
export type ByteSource = AsyncIterable<BytesLike>

/** After so many bytes the event loop has a turn, also when the source never waits. */
const TURN_LEN = 4 << 20
const REPORT_MS = 100

/** Encrypts a stream, in constant memory. */
export function encryptParts(source: ByteSource, recipe: Recipe, run: Run): AsyncGenerator<Bytes, void, undefined> {
  const encryptor = new Held(recipe.handle, 'operation')
  if (recipe.armour) {
    encryptor.destroy()
    throw new TypeError('armour is for bytes in memory and for files, not for streams')
  }
  return (async function* () {
    let sealer: Held | undefined
    try {
      sealer = new Held(await callLater((backend) => backend.sealerLater(encryptor.handle)), 'operation')
      const { handle } = sealer
      yield call((backend) => backend.sealerHead(handle))
      for await (const part of measured(source, run)) {
        const ready = call((backend) => backend.sealerUpdate(handle, part))
        if (ready !== null) yield ready
      }
      yield call((backend) => backend.sealerFinish(handle))
    } finally {
      sealer?.destroy()
      encryptor.destroy()
    }
  })()
}

/** Decrypts a stream, in constant memory. Only what is authentic is handed on; the end alone tells that it was all. */
export function decryptParts(source: ByteSource, recipe: Recipe, run: Run): AsyncGenerator<Bytes, void, undefined> {
  const decryptor = new Held(recipe.handle, 'operation')
  return (async function* () {
    let opener: Held | undefined
    try {
      let head: Bytes | undefined = new Uint8Array(0)
      for await (const part of measured(source, run)) {
        let chunks = part
        if (head !== undefined) {
          head = joined(head, part)
          const len = headLength(head)
          if (len === undefined || head.length < len) continue
          opener = await openedHead(decryptor, head.subarray(0, len))
          chunks = head.subarray(len)
          head = undefined
        }
        const handle = (opener as Held).handle
        const ready = call((backend) => backend.openerUpdate(handle, chunks))
        if (ready !== null) yield ready
      }
      // Of a file that ends within its head, what there is says what is wrong with it.
      opener ??= await openedHead(decryptor, head ?? new Uint8Array(0))
      const { handle } = opener
      const last = call((backend) => backend.openerFinish(handle))
      if (last.length > 0) yield last
    } finally {
      opener?.destroy()
      decryptor.destroy()
    }
  })()
}

/** A generator as a Web stream, which is read as fast as its reader takes. */
export function readable(parts: AsyncGenerator<Bytes, void, undefined>): ReadableStream<Bytes> {
  return new ReadableStream<Bytes>(
    {
      async pull(controller) {
        const { done, value } = await parts.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      async cancel() {
        await parts.return()
      },
    },
    { highWaterMark: 0 },
  )
}

/** A pair of ends for `pipeThrough`, of a function from one stream to another. */
export function transform(work: (source: ByteSource) => AsyncGenerator<Bytes, void, undefined>): TransformPair {
  const { readable: input, writable } = new TransformStream<BytesLike, BytesLike>()
  return { writable, readable: readable(work(sourceOf(input))) }
}

/** What `ReadableStream.pipeThrough` takes. */
export interface TransformPair {
  readonly writable: WritableStream<BytesLike>
  readonly readable: ReadableStream<Bytes>
}

/** What a stream gives, to be read with `for await`; browsers do not all have that of streams. */
export async function* sourceOf(stream: ReadableStream<BytesLike>): AsyncGenerator<BytesLike, void, undefined> {
  const reader = stream.getReader()
  let isDone = false
  try {
    while (true) {
      const { done, value } = await reader.read()
      isDone = done
      if (done) return
      yield value
    }
  } finally {
    if (!isDone) await reader.cancel().catch(() => undefined)
    reader.releaseLock()
  }
}

/** @internal */
export function isReadableStream(data: unknown): data is ReadableStream<BytesLike> {
  return typeof data === 'object' && data !== null && typeof (data as ReadableStream).getReader === 'function'
}

/** @internal */
export function isAsyncIterable(data: unknown): data is ByteSource {
  return typeof data === 'object' && data !== null && Symbol.asyncIterator in data
}

/** The parts of a source, each checked; reports progress, ends with the signal, and gives the event loop its turns. */
async function* measured(source: ByteSource, run: Run): AsyncGenerator<Bytes, void, undefined> {
  const { signal, onProgress } = run
  const report = reporter(onProgress)
  let [done, turnAt, reportAt] = [0, TURN_LEN, performance.now() + REPORT_MS]
  for await (const part of untilAborted(source, signal)) {
    const bytes = bytesOf(part, 'a part of the stream')
    for (let at = 0; at < bytes.length || at === 0; at += TURN_LEN) {
      yield bytes.subarray(at, at + TURN_LEN)
      done += Math.min(TURN_LEN, bytes.length - at)
      if (done >= turnAt) {
        turnAt = done + TURN_LEN
        await turn()
        signal?.throwIfAborted()
      }
      if (onProgress && performance.now() >= reportAt) {
        report(done, undefined)
        reportAt = performance.now() + REPORT_MS
      }
    }
  }
  if (onProgress) report(done, done)
}

/** A source that ends with the signal's reason, also while it waits. */
async function* untilAborted(source: ByteSource, signal: AbortSignal | undefined): ByteGenerator {
  if (signal === undefined) {
    yield* source
    return
  }
  signal.throwIfAborted()
  const iterator = source[Symbol.asyncIterator]()
  let abort: () => void = () => undefined
  const aborted = new Promise<never>((_, reject) => {
    abort = () => reject(signal.reason)
    signal.addEventListener('abort', abort)
  })
  aborted.catch(() => undefined)
  let isDone = false
  try {
    while (true) {
      const next = await Promise.race([iterator.next(), aborted])
      isDone = next.done === true
      if (next.done) return
      yield next.value
    }
  } finally {
    signal.removeEventListener('abort', abort)
    // Not waited for: the source may be the one that does not answer.
    if (!isDone) void Promise.resolve(iterator.return?.()).catch(() => undefined)
  }
}

type ByteGenerator = AsyncGenerator<BytesLike, void, undefined>

async function openedHead(decryptor: Held, head: Bytes): Promise<Held> {
  return new Held(await callLater((backend) => backend.openerLater(decryptor.handle, head)), 'operation')
}

/** Bytes of the head, once enough of it is there to tell. */
function headLength(start: Bytes): number | undefined {
  if (start.length < backend().fileStartLen()) return undefined
  if (call((backend) => backend.fileIsArmoured(start))) {
    throw new TypeError('armour is for bytes in memory and for files, not for streams')
  }
  return call((backend) => backend.fileHeadLen(start))
}

function joined(a: Bytes, b: Bytes): Bytes {
  const both = new Uint8Array(a.length + b.length)
  both.set(a)
  both.set(b, a.length)
  return both
}
