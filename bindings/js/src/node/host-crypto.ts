// The algorithms that Node computes in place of WebAssembly. `host-rsa.ts` has RSA.

import type { Derive } from '../backend/wasm/derivations.js'
import { type HostCrypto, type HostHasher, TAG_LEN } from '../backend/wasm/host-crypto.js'
import * as host from '../backend/wasm/intrinsics.js'

const AES = 'aes-256-gcm'

/** Bytes that a cipher is given at once: what it gives for them is memory that is copied from, and should be in the cache. */
const PIECE_LEN = 1 << 16
/** Bytes that a digest is given at once: Node takes less than 2 GiB. */
const DIGEST_LEN = 1 << 30

/**
 * Digests that WebAssembly computes as fast as Node or faster, one that not every OpenSSL has, and those of any length. Node computes all
 * others that it has under core's names.
 */
const OURS: Record<string, true | undefined> = Object.assign(Object.create(null), {
  ripemd160: true,
  shake128: true,
  shake256: true,
  sm3: true,
})

/** The work of `node:crypto`, with its functions as they are when this is called; `undefined` if Node was built without it. */
export function hostCrypto(): HostCrypto | undefined {
  try {
    return nodeCrypto()
  } catch {
    return undefined
  }
}

type NodeCrypto = typeof import('node:crypto')

function nodeCrypto(): HostCrypto {
  const crypto = process.getBuiltinModule('node:crypto')
  return {
    name: 'node:crypto',
    algorithm: AES,
    // Of 512 bytes a file took 40 µs by Node and 37 in WebAssembly, of 1,024 40 and 44; a buffer of 50 bytes 3.8 and 3.8, of 200 3.4
    // and 4.6; SHA-512 of 500 bytes 2.1 and 2.1, SHA-256 1.4 and 2.2.
    fileFrom: 1024,
    bufferFrom: 128,
    digestFrom: 512,
    ...buffers(crypto),
    derive: deriving(crypto),
    hasher: hashers(crypto),
  }
}

function buffers({
  createCipheriv,
  createDecipheriv,
  createSecretKey,
}: NodeCrypto): Pick<HostCrypto, 'key' | 'seal' | 'open'> {
  const [key, nonce] = [new Uint8Array(32), new Uint8Array(12)]
  const [cipher, decipher] = [createCipheriv(AES, key, nonce), createDecipheriv(AES, key, nonce)]
  const seal = {
    aad: host.method(cipher.setAAD),
    update: host.method(cipher.update as (data: Uint8Array) => Buffer),
    final: host.method(cipher.final as () => Buffer),
    tag: host.method(cipher.getAuthTag),
  }
  const open = {
    aad: host.method(decipher.setAAD),
    update: host.method(decipher.update as (data: Uint8Array) => Buffer),
    final: host.method(decipher.final as () => Buffer),
    tag: host.method(decipher.setAuthTag),
  }
  return {
    key: (bytes) => createSecretKey(bytes),
    seal(key, nonce, aad, plaintext, sealed, at) {
      const cipher = createCipheriv(AES, key as never, nonce)
      if (aad !== undefined) seal.aad(cipher, aad)
      const length = host.arrayLength(plaintext)
      for (let from = 0; from < length; from += PIECE_LEN) {
        host.copyInto(sealed, seal.update(cipher, pieceOf(plaintext, from, length)), at + from)
      }
      seal.final(cipher)
      host.copyInto(sealed, seal.tag(cipher), at + length)
    },
    open(key, nonce, aad, sealed, plaintext, at) {
      const length = host.arrayLength(sealed) - TAG_LEN
      const decipher = createDecipheriv(AES, key as never, nonce)
      open.tag(decipher, host.partOf(sealed, length, TAG_LEN))
      if (aad !== undefined) open.aad(decipher, aad)
      for (let from = 0; from < length; from += PIECE_LEN) {
        const opened = open.update(decipher, pieceOf(sealed, from, length))
        host.copyInto(plaintext, opened, at + from)
        host.fill(opened, 0)
      }
      try {
        open.final(decipher)
        return true
      } catch {
        host.fill(plaintext, 0, at, at + length)
        return false
      }
    },
  }
}

function deriving({ pbkdf2 }: NodeCrypto): Derive {
  return (password, { hash, salt, iterations, length }) =>
    new Promise((resolve) => {
      try {
        // On a thread of Node's. Where Node refuses it, as one without SHA-1 does, it derives nothing.
        pbkdf2(password, salt, iterations, length, hash.replace('-', ''), (error, derived) => {
          const key = error === null ? new host.Bytes(derived) : undefined
          if (error === null) host.fill(derived, 0)
          resolve(key)
        })
      } catch {
        resolve(undefined)
      }
    })
}

function hashers({ createHash }: NodeCrypto): HostCrypto['hasher'] {
  const hash = createHash('sha256')
  const lacks: Record<string, true | undefined> = Object.create(null)
  const digest = {
    update: host.method(hash.update as (data: Uint8Array) => typeof hash),
    copy: host.method(hash.copy),
    end: host.method(hash.digest as (encoding?: string) => Buffer),
  }
  const hasher = (hash: ReturnType<typeof createHash>): HostHasher => ({
    update(data) {
      const length = host.arrayLength(data)
      for (let from = 0; from < length; from += DIGEST_LEN) {
        digest.update(hash, host.partOf(data, from, Math.min(DIGEST_LEN, length - from)))
      }
    },
    digest: () => digest.end(digest.copy(hash)),
    text: (encoding) => digest.end(digest.copy(hash), encoding) as unknown as string,
    copy: () => hasher(digest.copy(hash)),
  })
  return (algorithm) => {
    if (OURS[algorithm] === true || lacks[algorithm] === true) return undefined
    try {
      return hasher(createHash(algorithm))
    } catch {
      lacks[algorithm] = true
      return undefined
    }
  }
}

/** The bytes from one on that a cipher is given at once. */
function pieceOf(bytes: Uint8Array, from: number, end: number): Uint8Array {
  return host.partOf(bytes, from, Math.min(PIECE_LEN, end - from))
}
