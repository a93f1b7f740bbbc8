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

const operation = (name, prepare) => ({
  name: `blob/${name}`,
  input: 'blob',
  async setUp(input, options) {
    const { library = 'sealstone' } = readOptions(options, ['library'])
    const source = choose(SOURCES, library, 'library')
    const { encrypt, decrypt } = library === 'copy' ? { encrypt: same, decrypt: same } : (await formsOf(library, {})).async
    const gathered = (does) => async (blob) => new Response(await does(source(blob))).blob()
    return prepare({ encrypt: gathered(encrypt), decrypt: gathered(decrypt) }, input)
  },
})

export const blobOperations = [
  operation('encrypt', ({ encrypt, decrypt }, input) => ({ run: () => encrypt(input), reveal: decrypt })),
  operation('decrypt', async ({ encrypt, decrypt }, input) => {
    const sealed = await encrypt(input)
    return { run: () => decrypt(sealed) }
  }),
]
