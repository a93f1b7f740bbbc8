// A stream in FISE's frames, which hide and do not encrypt, and the package's encryption of the same stream. It comes in chunks of
// 64 KiB, and nothing that comes out is kept: its length is counted.

import { choose, readOptions, whole } from './protocol.mjs'

const CHUNK_LEN = 1 << 16

/** Both directions of each form, from chunks to parts. */
const FORMS = {
  async frames({ seed, workers }) {
    const { FiseProfile, fiseFrameDecoder, fiseFrameEncoder, startFiseWorkers } = await import(
      '../../../bindings/js/dist/fise.mjs'
    )
    crew?.stop()
    crew = workers === undefined ? undefined : await startFiseWorkers({ count: Number(workers) })
    const rules = seed === undefined ? { fise: 1 } : FiseProfile.random(seed)
    const options = { workers: crew }
    return {
      encode: (chunks) => fiseFrameEncoder(rules, options).from(chunks),
      decode: (chunks) => fiseFrameDecoder(rules, options).from(chunks),
    }
  },
  /** To a public key. */
  async encryption() {
    const { decrypt, encrypt, generateIdentity, recipientOf } = await import('../../../bindings/js/dist/index.mjs')
    const identities = generateIdentity('x25519')
    const recipients = recipientOf(identities)
    return {
      encode: (chunks) => encrypt(chunks, { recipients }),
      decode: (chunks) => decrypt(chunks, { identities }),
    }
  },
}

/** The workers of the operation that is prepared. */
let crew

async function* chunksOf(bytes) {
  for (let at = 0; at < bytes.length; at += CHUNK_LEN) yield bytes.subarray(at, at + CHUNK_LEN)
}

async function lengthOf(parts) {
  let length = 0
  for await (const part of parts) length += part.length
  return String(length)
}

async function kept(parts) {
  const all = []
  for await (const part of parts) all.push(part)
  return whole(all)
}

const operation = (verb, prepare) => ({
  name: `fise/frames/${verb}`,
  async setUp(input, options) {
    const { form = 'frames', ...others } = options
    const told = readOptions(others, form === 'frames' ? ['seed', 'workers'] : [])
    return prepare(await choose(FORMS, form, 'form')(told), input)
  },
})

export const fiseFramesOperations = [
  operation('encode', ({ encode, decode }, input) => ({
    run: () => lengthOf(encode(chunksOf(input))),
    // Another time, in full.
    reveal: () => decode(encode(chunksOf(input))),
  })),
  operation('decode', async ({ encode, decode }, input) => {
    const hidden = await kept(encode(chunksOf(input)))
    return { run: () => lengthOf(decode(chunksOf(hidden))), reveal: () => decode(chunksOf(hidden)) }
  }),
]
