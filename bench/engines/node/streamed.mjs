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

const read = (path) => createReadStream(path, { highWaterMark: PART_LEN })

/** What makes parts of the file of a name, of which a Blob is one; whoever takes them keeps none. */
const FILES = {
  async sealstone() {
    const { decrypt, encrypt } = await import('../../../bindings/js/dist/index.mjs')
    return { encrypt: (path) => encrypt(read(path), { key: KEY }), decrypt: (path) => decrypt(read(path), { key: KEY }) }
  },
  'sealstone-ldesign': async () => named(await import('../../../bindings/js/dist/compat/ldesign/core/stream.mjs')),
  'ldesign-reference': async () => named(await import('./ldesign_reference.mjs')),
  /** Nothing is encrypted: what it takes to read the file, and what a process has. */
  copy: async () => ({ encrypt: read, decrypt: read }),
}

/** By FileEncryptor, from a file to a Blob. */
const named = ({ fileEncryptor }) => ({
  async *encrypt(path) {
    const { blob } = await fileEncryptor.encryptFile(new File([await openAsBlob(path)], 'file'), PASSWORD)
    yield blob
  },
  async *decrypt(path) {
    const { blob } = await fileEncryptor.decryptFile(await openAsBlob(path), PASSWORD)
    yield blob
  },
})

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
    const { library = 'sealstone' } = readOptions(options, ['library'])
    return prepare(await choose(FILES, library, 'library')(), path, `${dir}/sealed`)
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
