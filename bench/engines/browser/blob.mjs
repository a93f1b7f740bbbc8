// From a Blob to a Blob, as a stream: files that a page holds without having them in its memory.

import { choose, readOptions } from '../node/protocol.mjs'
import { formsOf } from '../node/public_key.mjs'

/** What a library takes of a Blob. */
const SOURCES = {
  sealstone: (blob) => blob,
  'age-encryption': (blob) => blob.stream(),
  /** Nothing is encrypted. */
  copy: (blob) => blob.stream(),
}

const same = (stream) => stream

/** A password of @ldesign/crypto; its key is derived before the clock. */
const PASSWORD = 'correct horse battery staple'

/** Libraries that make a Blob of a file, and of that a Blob again. */
const FILES = {
  'sealstone-ldesign': async () => named(await import('../../../bindings/js/dist/compat/ldesign/core/stream.mjs')),
  'ldesign-reference': async () => named(await import('../node/ldesign_reference.mjs')),
}

const named = ({ fileEncryptor }) => ({
  encrypt: async (blob) => (await fileEncryptor.encryptFile(new File([blob], 'file'), PASSWORD)).blob,
  decrypt: async (blob) => (await fileEncryptor.decryptFile(blob, PASSWORD)).blob,
})

/** Those that make streams. */
async function streamsOf(library) {
  const source = choose(SOURCES, library, 'library')
  const { encrypt, decrypt } = library === 'copy' ? { encrypt: same, decrypt: same } : (await formsOf(library, {})).async
  const gathered = (does) => async (blob) => new Response(await does(source(blob))).blob()
  return { encrypt: gathered(encrypt), decrypt: gathered(decrypt) }
}

const operation = (name, prepare) => ({
  name: `blob/${name}`,
  input: 'blob',
  async setUp(input, options) {
    const { library = 'sealstone' } = readOptions(options, ['library'])
    return prepare(Object.hasOwn(FILES, library) ? await FILES[library]() : await streamsOf(library), input)
  },
})

export const blobOperations = [
  operation('encrypt', ({ encrypt, decrypt }, input) => ({ run: () => encrypt(input), reveal: decrypt })),
  operation('decrypt', async ({ encrypt, decrypt }, input) => {
    const sealed = await encrypt(input)
    return { run: () => decrypt(sealed) }
  }),
]
