// The formats of @yuants/utils, read and written by each library that can: `box`, which is a NaCl box behind its nonce and
// ephemeral key, and `hybrid`, AES-256-GCM behind such a box of its key.

import { choose, readOptions } from './protocol.mjs'

const SEED = Uint8Array.from({ length: 32 }, (_, i) => i)
const NONCE_LEN = 24
const KEY_LEN = 32
const MAC_LEN = 16
const HEAD_LEN = NONCE_LEN + KEY_LEN

/** Formats of each library: from bytes to a result, or to a promise of one. */
const LIBRARIES = {
  sealstone: async () => yuants(await import('../../../bindings/js/dist/compat/yuants.mjs')),
  'yuants-reference': async () => yuants(await import('./yuants_reference.mjs')),
  // Both of libsodium have the recipient's keys in their X25519 form before the clock, and the others make them in each call.
  async 'sodium-native'() {
    const { default: sodium } = await import('sodium-native')
    const { publicKey, secretKey } = sodiumKeys(sodium)
    const ephemeralSecret = Buffer.alloc(KEY_LEN)
    return {
      box: {
        encrypt(data) {
          const out = Buffer.allocUnsafe(HEAD_LEN + MAC_LEN + data.length)
          const nonce = out.subarray(0, NONCE_LEN)
          sodium.randombytes_buf(nonce)
          sodium.crypto_box_keypair(out.subarray(NONCE_LEN, HEAD_LEN), ephemeralSecret)
          sodium.crypto_box_easy(out.subarray(HEAD_LEN), data, nonce, publicKey, ephemeralSecret)
          return out
        },
        decrypt(sealed) {
          const out = Buffer.allocUnsafe(sealed.length - HEAD_LEN - MAC_LEN)
          const [nonce, ephemeral] = [sealed.subarray(0, NONCE_LEN), sealed.subarray(NONCE_LEN, HEAD_LEN)]
          const isAuthentic = sodium.crypto_box_open_easy(out, sealed.subarray(HEAD_LEN), nonce, ephemeral, secretKey)
          if (!isAuthentic) throw new Error('not authentic')
          return out
        },
      },
    }
  },
  async 'libsodium-wrappers'() {
    const { default: sodium } = await import('libsodium-wrappers')
    await sodium.ready
    const pair = sodium.crypto_sign_seed_keypair(SEED)
    const publicKey = sodium.crypto_sign_ed25519_pk_to_curve25519(pair.publicKey)
    const secretKey = sodium.crypto_sign_ed25519_sk_to_curve25519(pair.privateKey)
    return {
      box: {
        encrypt(data) {
          const ephemeral = sodium.crypto_box_keypair()
          const nonce = sodium.randombytes_buf(NONCE_LEN)
          const box = sodium.crypto_box_easy(data, nonce, publicKey, ephemeral.privateKey)
          return Buffer.concat([nonce, ephemeral.publicKey, box])
        },
        decrypt(sealed) {
          const [nonce, ephemeral] = [sealed.subarray(0, NONCE_LEN), sealed.subarray(NONCE_LEN, HEAD_LEN)]
          return sodium.crypto_box_open_easy(sealed.subarray(HEAD_LEN), nonce, ephemeral, secretKey)
        },
      },
    }
  },
}

/** The functions of @yuants/utils, whoever has them. */
export function yuants({
  fromSeed,
  encryptByPublicKey,
  decryptByPrivateKey,
  encryptByPublicKeyAsync,
  decryptByPrivateKeyAsync,
}) {
  const { public_key, private_key } = fromSeed(SEED)
  return {
    box: {
      encrypt: (data) => encryptByPublicKey(data, public_key),
      decrypt: (sealed) => decryptByPrivateKey(sealed, private_key),
    },
    hybrid: {
      encrypt: (data) => encryptByPublicKeyAsync(data, public_key),
      decrypt: (sealed) => decryptByPrivateKeyAsync(sealed, private_key),
    },
  }
}

function sodiumKeys(sodium) {
  const [edPublic, edSecret] = [Buffer.alloc(KEY_LEN), Buffer.alloc(2 * KEY_LEN)]
  sodium.crypto_sign_seed_keypair(edPublic, edSecret, Buffer.from(SEED))
  const [publicKey, secretKey] = [Buffer.alloc(KEY_LEN), Buffer.alloc(KEY_LEN)]
  sodium.crypto_sign_ed25519_pk_to_curve25519(publicKey, edPublic)
  sodium.crypto_sign_ed25519_sk_to_curve25519(secretKey, edSecret)
  return { publicKey, secretKey }
}

const operation = (format, name, prepare) => ({
  name: `yuants/${format}/${name}`,
  async setUp(input, options) {
    const { library = 'sealstone' } = readOptions(options, ['library'])
    const formats = await choose(LIBRARIES, library, 'library')()
    return prepare(choose(formats, format, 'format'), input)
  },
})

export const yuantsOperations = ['box', 'hybrid'].flatMap((format) => [
  operation(format, 'encrypt', ({ encrypt, decrypt }, input) => ({
    run: () => encrypt(input),
    reveal: decrypt,
    opens: decrypt,
  })),
  operation(format, 'decrypt', async ({ encrypt, decrypt }, input) => {
    const sealed = await encrypt(input)
    return { run: () => decrypt(sealed) }
  }),
])
