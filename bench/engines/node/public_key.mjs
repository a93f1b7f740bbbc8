// Data to a public key and back: Sealstone's format, and those of @yuants/utils.

import { choose, readOptions } from './protocol.mjs'
import { yuants } from './yuants.mjs'

/** Forms of each library: from bytes to a result, or to a promise of one. */
const LIBRARIES = {
  async sealstone({ recipient = 'x25519' }) {
    const { decrypt, decryptSync, encrypt, encryptSync, generateIdentity, openMessageSync, recipientOf, sealMessageSync } =
      await import('../../../bindings/js/dist/index.mjs')
    const identities = generateIdentity(recipient)
    const recipients = recipientOf(identities)
    return {
      async: {
        encrypt: (data) => encrypt(data, { recipients }),
        decrypt: (file) => decrypt(file, { identities }),
      },
      sync: {
        encrypt: (data) => encryptSync(data, { recipients }),
        decrypt: (file) => decryptSync(file, { identities }),
      },
      message: {
        encrypt: (data) => sealMessageSync(recipients, data),
        decrypt: (message) => openMessageSync(identities, message),
      },
    }
  },
  'sealstone-compat': async () => forms(await import('../../../bindings/js/dist/compat/yuants.mjs')),
  'yuants-reference': async () => forms(await import('./yuants_reference.mjs')),
}

function forms(module) {
  const { box, hybrid } = yuants(module)
  return { sync: box, async: hybrid }
}

const operation = (name, prepare) => ({
  name: `public-key/${name}`,
  async setUp(input, options) {
    const { library = 'sealstone', form = 'async', ...others } = readOptions(options, ['library', 'form', 'recipient'])
    const forms = await choose(LIBRARIES, library, 'library')(others)
    return prepare(choose(forms, form, 'form'), input)
  },
})

/** Bytes of a message in a batch. */
const ITEM_LEN = 100

const batchOperation = (name, prepare) => ({
  name: `public-key/batch/${name}`,
  async setUp(input, options) {
    const { form = 'batch' } = readOptions(options, ['form'])
    const { decryptBatch, decryptSync, encryptBatch, encryptSync, generateIdentity, recipientOf } = await import(
      '../../../bindings/js/dist/index.mjs'
    )
    const identities = generateIdentity('x25519')
    const recipients = recipientOf(identities)
    const forms = {
      batch: {
        encrypt: async (items) => whole(await encryptBatch(items, { recipients })),
        decrypt: async (files) => whole(await decryptBatch(files, { identities })),
      },
      'one-by-one': {
        encrypt: (items) => items.map((item) => encryptSync(item, { recipients })),
        decrypt: (files) => files.map((file) => decryptSync(file, { identities })),
      },
    }
    const count = Math.ceil(input.length / ITEM_LEN)
    const items = Array.from({ length: count }, (_, i) => input.subarray(i * ITEM_LEN, (i + 1) * ITEM_LEN))
    return { units: count, ...(await prepare(choose(forms, form, 'form'), items)) }
  },
})

/** The results of a batch, none of which failed. */
function whole(results) {
  for (const result of results) if (result instanceof Error) throw result
  return results
}

const toKey = ({ encrypt, decrypt }, input) => ({ run: () => encrypt(input), reveal: decrypt })

async function fromKey({ encrypt, decrypt }, input) {
  const sealed = await encrypt(input)
  return { run: () => decrypt(sealed) }
}

export const publicKeyOperations = [
  operation('encrypt', toKey),
  operation('decrypt', fromKey),
  batchOperation('encrypt', toKey),
  batchOperation('decrypt', fromKey),
]
