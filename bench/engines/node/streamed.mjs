// Data that comes in parts of 1 MB and is encrypted as it comes, under a key that is there: what is large is never in one piece. It is in
// memory before the clock, or comes from a file, so that memory is what the library takes.

import { closeSync, createReadStream, openAsBlob, openSync, writeSync } from 'node:fs'
import { bytesOf, choose, readOptions, whole } from './protocol.mjs'

const KEY = Uint8Array.from({ length: 32 }, (_, i) => i)
const IV = Uint8Array.from({ length: 16 }, (_, i) => 0x40 + i)
const PART_LEN = 1_000_000

/** What takes parts and gives the length of all that it made, and with `keep` all of it too; and what opens that. */
const LIBRARIES = {
  async sealstone() {
    const { decryptSync, encrypt } = await import('../../../bindings/js/dist/index.mjs')
    return {
      async encrypt(parts, keep) {
        const made = collector(keep)
        for await (const part of encrypt(parts, { key: KEY })) made.take(part)
        return made
      },
      open: (sealed) => decryptSync(sealed, { key: KEY }),
    }
  },
  async node() {
    const { createCipheriv, createDecipheriv } = await import('node:crypto')
    const iv = IV.subarray(0, 12)
    return {
      async encrypt(parts, keep) {
        const [made, cipher] = [collector(keep), createCipheriv('aes-256-gcm', KEY, iv)]
        for await (const part of parts) made.take(cipher.update(part))
        made.take(cipher.final())
        made.take(cipher.getAuthTag())
        return made
      },
      open(sealed) {
        const cipher = createDecipheriv('aes-256-gcm', KEY, iv, { authTagLength: 16 })
        cipher.setAuthTag(sealed.subarray(-16))
        return [cipher.update(sealed.subarray(0, -16)), cipher.final()]
      },
    }
  },
  /** AES-256-CBC: its words are made of each part, and bytes of its words. */
  async 'crypto-js'() {
    const { default: CryptoJS } = await import('crypto-js')
    const { algo, lib } = CryptoJS
    const [key, iv] = [KEY, IV].map((bytes) => lib.WordArray.create(bytes))
    const bytesOf = ({ words, sigBytes }) => {
      const bytes = new Uint8Array(sigBytes)
      for (let i = 0; i < sigBytes; i++) bytes[i] = words[i >>> 2] >>> (24 - 8 * (i & 3))
      return bytes
    }
    return {
      async encrypt(parts, keep) {
        const [made, cipher] = [collector(keep), algo.AES.createEncryptor(key, { iv })]
        for await (const part of parts) made.take(bytesOf(cipher.process(lib.WordArray.create(part))))
        made.take(bytesOf(cipher.finalize()))
        return made
      },
      open: (sealed) => bytesOf(CryptoJS.AES.decrypt({ ciphertext: lib.WordArray.create(sealed) }, key, { iv })),
    }
  },
  /** AES-256-GCM, on strings of a character for each byte. */
  async 'node-forge'() {
    const { default: forge } = await import('node-forge')
    const [key, iv] = [KEY, IV.subarray(0, 12)].map((bytes) => forge.util.binary.raw.encode(bytes))
    return {
      async encrypt(parts, keep) {
        const [made, cipher] = [collector(keep), forge.cipher.createCipher('AES-GCM', key)]
        cipher.start({ iv })
        for await (const part of parts) {
          cipher.update(forge.util.createBuffer(part))
          made.take(Buffer.from(cipher.output.getBytes(), 'latin1'))
        }
        cipher.finish()
        made.take(Buffer.from(cipher.output.getBytes() + cipher.mode.tag.getBytes(), 'latin1'))
        return made
      },
      open(sealed) {
        const cipher = forge.cipher.createDecipher('AES-GCM', key)
        cipher.start({ iv, tag: forge.util.createBuffer(sealed.subarray(-16)) })
        cipher.update(forge.util.createBuffer(sealed.subarray(0, -16)))
        if (!cipher.finish()) throw new Error('not authentic')
        return Buffer.from(cipher.output.getBytes(), 'latin1')
      },
    }
  },
}

/** Counts what was made, as whoever sends it on; and keeps it where it is to be looked at. */
function collector(keep) {
  const parts = []
  let length = 0
  return {
    take(part) {
      length += part.length
      if (keep) parts.push(Uint8Array.from(part))
    },
    parts: () => parts,
    length: () => length,
  }
}

/** A password of @ldesign/crypto; its key is derived before the clock. */
const PASSWORD = 'correct horse battery staple'

const read = (path, partLen = PART_LEN) => createReadStream(path, { highWaterMark: partLen })

/** What makes parts of the file of a name, of which a Blob is one; whoever takes them keeps none. */
const FILES = {
  async sealstone({ partLen }) {
    const { decrypt, encrypt } = await import('../../../bindings/js/dist/index.mjs')
    return {
      encrypt: (path) => encrypt(read(path, partLen), { key: KEY }),
      decrypt: (path) => decrypt(read(path, partLen), { key: KEY }),
    }
  },
  async 'sealstone-ldesign'(told) {
    const [{ fileEncryptor }, functions] = await Promise.all([
      import('../../../bindings/js/dist/compat/ldesign/core/stream.mjs'),
      import('../../../bindings/js/dist/compat/ldesign.mjs'),
    ])
    return named({ fileEncryptor, ...functions }, told)
  },
  'ldesign-reference': async (told) => named(await import('./ldesign_reference.mjs'), told),
  /** Nothing is encrypted: what it takes to read the file, and what a process has. */
  copy: async ({ partLen }) => ({ encrypt: (path) => read(path, partLen), decrypt: (path) => read(path, partLen) }),
}

const named = (functions, { form = 'file-encryptor', partLen }) => choose(FORMS, form, 'form')(functions, partLen)

/** What a program of @ldesign/crypto does with a file, which becomes a Blob, or a text. */
const FORMS = {
  'file-encryptor': ({ fileEncryptor }) => ({
    async *encrypt(path) {
      const { blob } = await fileEncryptor.encryptFile(await fileOf(path), PASSWORD)
      yield blob
    },
    async *decrypt(path) {
      const { blob } = await fileEncryptor.decryptFile(await openAsBlob(path), PASSWORD)
      yield blob
    },
  }),
  /** In pieces, of a text. What it needs to decrypt is beside the file. */
  stream({ streamEncrypt, streamDecrypt }, chunkSize) {
    let beside
    return {
      async *encrypt(path) {
        const { data, metadata } = await streamEncrypt.file(await fileOf(path), PASSWORD, { chunkSize })
        beside = metadata
        yield data
      },
      async *decrypt(path) {
        const { data } = await streamDecrypt.file(await openAsBlob(path), PASSWORD, beside, { chunkSize })
        yield data
      },
    }
  },
  /** At once, of a text. */
  whole({ aes }) {
    let beside
    return {
      async *encrypt(path) {
        const { data, ...rest } = aes.encrypt(await (await fileOf(path)).text(), PASSWORD)
        beside = rest
        yield data
      },
      async *decrypt(path) {
        yield aes.decrypt({ ...beside, data: await (await openAsBlob(path)).text() }, PASSWORD).data
      },
    }
  },
}

const fileOf = async (path) => new File([await openAsBlob(path)], 'file')

async function lengthOf(parts) {
  let length = 0
  for await (const part of parts) length += part instanceof Blob ? part.size : part.length
  return length
}

async function write(path, parts) {
  const file = openSync(path, 'w')
  try {
    for await (const part of parts) writeSync(file, part instanceof Blob ? bytesOf(await part.arrayBuffer()) : part)
  } finally {
    closeSync(file)
  }
}

const fileOperation = (verb, prepare) => ({
  name: `streamed/file/${verb}`,
  input: 'path',
  async setUp(path, options, dir) {
    const { library = 'sealstone', form, part_bytes } = readOptions(options, ['library', 'form', 'part_bytes'])
    const told = { form, partLen: part_bytes === undefined ? undefined : Number(part_bytes) }
    return prepare(await choose(FILES, library, 'library')(told), path, `${dir}/sealed`)
  },
})

export const streamedOperations = [
  {
    name: 'streamed/encrypt',
    async setUp(input, options) {
      const { library = 'sealstone' } = readOptions(options, ['library'])
      const { encrypt, open } = await choose(LIBRARIES, library, 'library')()
      async function* parts() {
        for (let at = 0; at < input.length; at += PART_LEN) yield input.subarray(at, at + PART_LEN)
      }
      return {
        run: async () => String((await encrypt(parts(), false)).length()),
        // Another time, in full.
        reveal: async () => open(whole((await encrypt(parts(), true)).parts())),
      }
    },
  },
  fileOperation('encrypt', async ({ encrypt, decrypt }, path, sealed) => ({
    run: async () => String(await lengthOf(encrypt(path))),
    async reveal() {
      await write(sealed, encrypt(path))
      return decrypt(sealed)
    },
  })),
  fileOperation('decrypt', async ({ encrypt, decrypt }, path, sealed) => {
    await write(sealed, encrypt(path))
    return { run: async () => String(await lengthOf(decrypt(sealed))), reveal: () => decrypt(sealed) }
  }),
]
