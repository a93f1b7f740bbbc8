// The page of the browser engine: operations in a page, behind the same protocol as in Node. What a page cannot do it asks of
// engine.mjs, by the functions whose names begin with `lent_`.

import { createSHA256 } from 'hash-wasm'
import { aeadOperations } from '../node/aead.mjs'
import { aesTextOperations } from '../node/aes_text.mjs'
import { cryptoJsOperations } from '../node/crypto_js.mjs'
import { hashOperations } from '../node/hash.mjs'
import { ldesignOperations } from '../node/ldesign.mjs'
import { passphraseOperations } from '../node/passphrase.mjs'
import { answers, bytesOf } from '../node/protocol.mjs'
import { publicKeyOperations } from '../node/public_key.mjs'
import { sm4Operations } from '../node/sm4.mjs'
import { blobOperations } from './blob.mjs'
import { pauseOperations } from './pause.mjs'

const { lent_about, lent_lengthOf, lent_beginCpu, lent_resetPeak, lent_peakBytes } = globalThis

/** Asked of a page that computes nothing else. */
async function about() {
  const { backend } = await import('../../../bindings/js/dist/index.mjs')
  const { version, libraries } = await lent_about()
  if (!globalThis.crossOriginIsolated) throw new Error('the page is not cross-origin isolated: its clock is too coarse')
  return { version, backend: [backend().replaceAll('\n', '; '), ...libraries].join(', ') }
}

const HOST = {
  lengthOf: lent_lengthOf,
  /** The input that was asked for last. */
  async read(_path, form) {
    const response = await fetch('input')
    return form === 'blob' ? response.blob() : new Uint8Array(await response.arrayBuffer())
  },
  async digestOf(parts) {
    const hash = await createSHA256()
    for await (const part of parts) {
      if (part instanceof Blob) for await (const piece of part.stream()) hash.update(piece)
      else hash.update(bytesOf(part))
    }
    return hash.digest()
  },
  async collectGarbage() {
    for (let time = 0; time < 2; time++) {
      globalThis.gc()
      await new Promise((resolve) => setTimeout(resolve))
    }
    await lent_beginCpu()
  },
  resetPeak: lent_resetPeak,
  peakBytes: lent_peakBytes,
}

globalThis.answer = answers(
  {
    name: 'browser',
    about,
    operations: [
      ...aeadOperations,
      ...aesTextOperations,
      ...hashOperations,
      ...sm4Operations,
      ...publicKeyOperations,
      ...passphraseOperations,
      ...pauseOperations,
      ...blobOperations,
      ...ldesignOperations,
      ...cryptoJsOperations,
    ],
  },
  HOST,
)
