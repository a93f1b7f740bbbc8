// Files by name where there is no addon: an input is read in parts, and the new parts are written to a file that gets its name
// last.

import type {
  BulkCalls,
  Failure,
  FileCalls,
  Handle,
  Inspection,
  Later,
  Out,
  Processed,
  SyncCalls,
  Verification,
} from '../backend/calls.js'
import type { Calls } from '../backend/index.js'
import type { Bytes } from '../basics/bytes.js'
import { padded, seenOf } from '../work/inspection.js'
import { failureOf } from './failure.js'
import { age, type Binary, type Format, sealstone } from './format.js'
import { Input, type Parts, Run } from './input.js'
import type { Target } from './new-file.js'
import { outputOf } from './output.js'
import { Path } from './path.js'

/** These calls, and those on files by name. */
export function withFiles(calls: Omit<Calls, 'files'>): Calls {
  const { sync, bulk } = calls
  const runs = new Runs(sync)
  const files = {
    ...formatCalls(runs, sync, bulk),
    ...digestCalls(runs, sync),
    ...signatureCalls(runs, sync),
    ...NO_ARCHIVES,
  }
  return Object.assign(calls, { sync: { ...sync, ...runs.calls() }, files })
}

const noArchive = async (): Promise<Failure> => ({
  code: 'unavailable_backend',
  message: 'archives need the native part of this package, which is not there: WebAssembly has none',
})

/** Archives are compressed, and made of folders: only the addon has that. */
const NO_ARCHIVES: Pick<FileCalls, 'encryptFolder' | 'listArchive' | 'extractArchive'> = {
  encryptFolder: noArchive,
  listArchive: noArchive,
  extractArchive: noArchive,
}

/** The runs of jobs that read a file. */
class Runs {
  readonly #sync: SyncCalls
  readonly #runs = new Map<Handle, Run>()

  constructor(sync: SyncCalls) {
    this.#sync = sync
  }

  calls(): Pick<SyncCalls, 'release' | 'jobCancel' | 'jobProgress'> {
    const [sync, runs] = [this.#sync, this.#runs]
    return {
      release(object) {
        runs.delete(object)
        sync.release(object)
      },
      jobCancel(job) {
        sync.jobCancel(job)
        runs.get(job)?.cancel()
      },
      jobProgress(job) {
        const run = runs.get(job)
        if (run === undefined) return sync.jobProgress(job)
        return run.total === undefined ? [run.done] : [run.done, run.total]
      },
    }
  }

  /** Works on an open file. A failure fulfils the promise too. */
  async reading<T>(name: Uint8Array, special: boolean, job: Handle, work: (input: Input) => Promise<T>): Later<T> {
    const [path, run] = [Path.of(name), new Run(job)]
    this.#runs.set(job, run)
    try {
      const input = await Input.open(path, special, run)
      try {
        return await work(input)
      } finally {
        await input.close()
      }
    } catch (error) {
      return failureOf(run.signal.aborted ? run.signal.reason : error)
    }
  }
}

/** Reads the path at once: the program may have another working directory later. */
function target(name: Uint8Array, replace: boolean, special: boolean): Target {
  return { path: Path.of(name), replace, special }
}

type FormatNames =
  | 'encryptFile'
  | 'decryptFile'
  | 'decryptRangeFile'
  | 'ageEncryptFile'
  | 'ageDecryptFile'
  | 'ageDecryptRangeFile'
  | 'verifyFile'
  | 'rewrapFile'
  | 'inspectFile'

function formatCalls(runs: Runs, sync: SyncCalls, bulk: BulkCalls): Pick<FileCalls, FormatNames> {
  const encrypting =
    (format: Format, hasArmour: (encryptor: Handle) => boolean): FileCalls['encryptFile'] =>
    (encryptor, name, output, replace, special, job) => {
      const to = target(output, replace, special)
      return runs.reading(name, special, job, async (input) => {
        let ciphertext = 0
        const file = counted(format.sealed(encryptor, input.parts(), job), (length) => {
          ciphertext += length
        })
        await write(hasArmour(encryptor) ? armoured(sync, file) : file, to, input)
        return { plaintext: input.run.done, ciphertext }
      })
    }
  const decrypting =
    (format: Format): FileCalls['decryptFile'] =>
    (decryptor, name, output, replace, special, job) => {
      const to = { ...target(output, replace, special), isPrivate: true }
      return runs.reading(name, special, job, (input) => decrypt(format, decryptor, input, to))
    }
  const decryptingRange =
    (format: Format): FileCalls['decryptRangeFile'] =>
    (decryptor, name, start, end, special, job) =>
      runs.reading(name, special, job, (input) => {
        const range = ({ head }: Binary): Promise<Out> => format.range(decryptor, head, input, start, end)
        return format.using(input, range, 'none')
      })
  const [own, ofAge] = [sealstone(sync, bulk), age(sync, bulk)]
  return {
    encryptFile: encrypting(own, sync.encryptorArmours),
    decryptFile: decrypting(own),
    decryptRangeFile: decryptingRange(own),
    ageEncryptFile: encrypting(ofAge, () => false),
    ageDecryptFile: decrypting(ofAge),
    ageDecryptRangeFile: decryptingRange(ofAge),
    verifyFile: (decryptor, name, special, job) =>
      runs.reading(name, special, job, (input) => decrypt(own, decryptor, input, undefined)),
    rewrapFile: (rewrapper, name, splitLinks, job) =>
      runs.reading(name, false, job, (input) => rewrap(sync, own, rewrapper, input, splitLinks)),
    inspectFile: (name, special, job) => runs.reading(name, special, job, (input) => inspect(sync, own, input)),
  }
}

function digestCalls(runs: Runs, sync: SyncCalls): Pick<FileCalls, 'hashFile' | 'macFile'> {
  return {
    hashFile: (algorithm, name, special, length, job) =>
      runs.reading(name, special, job, (input) =>
        using(sync, sync.hasher(algorithm), async (hasher) => {
          // A length that the algorithm does not have is refused before the file is read.
          sync.hasherDigest(hasher, length)
          await take(input, (part) => sync.hasherUpdate(hasher, part))
          return sync.hasherDigest(hasher, length)
        }),
      ),
    macFile(key, name, special, job) {
      // The caller may destroy the key when this returns.
      const own = sync.again(key)
      const tag = (input: Input): Promise<Out> =>
        using(sync, sync.macSigner(own), async (signer) => {
          await take(input, (part) => sync.macSignerUpdate(signer, part))
          return sync.macSignerTag(signer)
        })
      return runs.reading(name, special, job, tag).finally(() => sync.release(own))
    },
  }
}

type SignatureNames = 'signatureSignFile' | 'signatureVerifyFile' | 'signatureAttachFile' | 'signatureDetachFile'

function signatureCalls(runs: Runs, sync: SyncCalls): Pick<FileCalls, SignatureNames> {
  return {
    signatureSignFile: (writer, name, special, job) =>
      runs.reading(name, special, job, (input) =>
        using(sync, sync.signatureSigning(writer), async (signing) => {
          await take(input, (part) => sync.signatureSigningUpdate(signing, part))
          return sync.signatureSigningFinish(signing)
        }),
      ),
    signatureVerifyFile(reader, name, signature, special, job) {
      const own = new Uint8Array(signature)
      return runs.reading(name, special, job, (input) =>
        using(sync, sync.signatureVerifying(reader, own), async (verifying) => {
          await take(input, (part) => sync.signatureVerifyingUpdate(verifying, part))
          return sync.signatureVerifyingFinish(verifying)
        }),
      )
    },
    signatureAttachFile(writer, name, output, replace, special, job) {
      const to = target(output, replace, special)
      return runs.reading(name, special, job, (input) =>
        using(sync, sync.signatureSigning(writer), async (signing) => {
          const written = await write(signed(sync, signing, input), to, input)
          return { content: input.run.done, written }
        }),
      )
    },
    signatureDetachFile(reader, name, output, replace, special, job) {
      const to = output && { ...target(output, replace, special), waits: true }
      return runs.reading(name, special, job, (input) =>
        using(sync, sync.signatureAttached(reader), (verifying) => detach(sync, verifying, input, to)),
      )
    },
  }
}

/** Without a target it only authenticates. */
function decrypt(format: Format, decryptor: Handle, input: Input, to: Target | undefined): Promise<Processed> {
  return format.using(input, async ({ head, rest }) => {
    let ciphertext = head.length
    const chunks = counted(rest, (length) => {
      ciphertext += length
    })
    const plaintext = await write(format.opened(decryptor, head, chunks, input.run.job), to, input)
    return { plaintext, ciphertext }
  })
}

function rewrap(
  sync: SyncCalls,
  format: Format,
  rewrapper: Handle,
  input: Input,
  splitLinks: boolean,
): Promise<Processed> {
  const work = async ({ head: old, rest, isArmoured }: Binary): Promise<Processed> => {
    // The chunks stay as they are. A file without a plaintext has the same head, and a tag that rewrapping does not read.
    const stub = padded(old, sync.tagLen())
    const isCut = old.length < sync.fileHeadLen(old)
    const head = sync.rewrap(rewrapper, isCut ? old : stub).slice(0, -sync.tagLen())
    let [chunksLen, plaintext] = [0, 0]
    const rewrapped = async function* (): Parts {
      yield head
      for await (const part of rest) {
        chunksLen += part.length
        yield part.slice()
      }
      plaintext = seenOf(sync, old, chunksLen).plaintextLen
    }
    const to = { path: input.path, replace: true, isInput: true, splitLinks }
    await write(isArmoured ? armoured(sync, rewrapped()) : rewrapped(), to, input)
    return { plaintext, ciphertext: head.length + chunksLen }
  }
  return format.using(input, work, 'alone')
}

function inspect(sync: SyncCalls, format: Format, input: Input): Promise<Inspection> {
  return format.using(input, async ({ head, rest, isArmoured }) => {
    let chunksLen = 0
    if (input.length !== undefined && !isArmoured) chunksLen = input.length - head.length
    else for await (const part of rest) chunksLen += part.length
    const seen = seenOf(sync, head, chunksLen)
    await input.finish()
    return { ...seen, armoured: isArmoured }
  })
}

/** Without a target it only verifies. */
async function detach(sync: SyncCalls, verifying: Handle, input: Input, to: Target | undefined): Promise<Verification> {
  let verification: Verification | undefined
  const verified = async function* (): Parts {
    for await (const part of content(sync, verifying, input)) {
      sync.signatureVerifyingUpdate(verifying, part)
      yield part.slice()
    }
    verification = sync.signatureVerifyingFinish(verifying)
  }
  await write(verified(), to, input)
  return verification as unknown as Verification
}

/** The content in front of a signature. In a stream only the end shows where that begins, so the last bytes wait until then. */
async function* content(sync: SyncCalls, verifying: Handle, input: Input): Parts {
  const heldMax = sync.signatureMaxLen()
  if (input.length !== undefined) {
    const start = Math.max(input.length - heldMax, 0)
    const length = start + sync.signatureAttachedAt(verifying, await input.readAt(start, input.length))
    input.run.total = length
    yield* input.parts(length)
    return
  }
  let held: Bytes = new Uint8Array(0)
  for await (const part of input.parts()) {
    const both = Buffer.concat([held, part])
    const over = Math.max(both.length - heldMax, 0)
    held = both.subarray(over)
    yield both.subarray(0, over)
  }
  yield held.subarray(0, sync.signatureAttachedAt(verifying, held))
}

/** The content with its signature behind it. */
async function* signed(sync: SyncCalls, signing: Handle, input: Input): Parts {
  for await (const part of input.parts()) {
    sync.signatureSigningUpdate(signing, part)
    yield part.slice()
  }
  yield new TextEncoder().encode(sync.signatureSigningFinish(signing))
}

/** A file as armour. */
async function* armoured(sync: SyncCalls, file: Parts): Parts {
  const armour = sync.armour()
  try {
    for await (const part of file) yield sync.armourUpdate(armour, part)
    yield sync.armourFinish(armour)
  } finally {
    sync.release(armour)
  }
}

/** Writes parts, which are zeroed, to an output that appears if nothing fails and the input is what it was; returns their length. */
async function write(parts: Parts, to: Target | undefined, input: Input): Promise<number> {
  const output = to && (await outputOf(to, input))
  let length = 0
  input.run.total ??= input.length
  try {
    for await (const part of parts) {
      length += part.length
      if (output === undefined) part.fill(0)
      else await output.write(part)
    }
    await input.finish()
    await output?.commit()
    return length
  } finally {
    await output?.close()
  }
}

/** Hands all of an input over. */
async function take(input: Input, update: (part: Bytes) => void): Promise<void> {
  input.run.total = input.length
  for await (const part of input.parts()) update(part)
  await input.finish()
}

async function using<T>(sync: SyncCalls, handle: Handle, work: (handle: Handle) => Promise<T>): Promise<T> {
  try {
    return await work(handle)
  } finally {
    sync.release(handle)
  }
}

/** Hands parts on, and tells their lengths. */
async function* counted(parts: Parts, count: (length: number) => void): Parts {
  for await (const part of parts) {
    count(part.length)
    yield part
  }
}
