// The base module with a host that computes one AEAD, and digests: the core has the keys, the nonces, the headers and the errors,
// and what is long stays in JavaScript's memory.

import type { Data, Handle, Out, Part } from '../calls.js'
import type { Hosting } from './bulk.js'
import { rangeOf } from './chunks.js'
import { inPieces } from './held.js'
import {
  drawn,
  EMPTY,
  type HostCrypto,
  type HostHasher,
  type HostKey,
  isLong,
  NONCE_LEN,
  TAG_LEN,
} from './host-crypto.js'
import { HostFiles } from './host-files.js'
import { type Base, headOf, isArmoured } from './index.js'
import { memoryOf, overlap } from './instance.js'
import * as host from './intrinsics.js'
import { Owners } from './owners.js'
import { Pieces } from './pieces.js'

/** The functions of a base module, some of them computed by the host, and the files that the host seals and opens. */
export interface Hosted extends Hosting {
  readonly files: HostFiles<HostKey>
}

/** Up to so many bytes a host takes less than a millisecond. */
const AT_ONCE_LEN = 1 << 18

export function hosted(base: Base, crypto: HostCrypto): Hosted {
  const keys = host.dictionary<HostKey>()
  const hashers = host.dictionary<{ readonly algorithm: number; readonly hasher: HostHasher }>()
  const files = new HostFiles<HostKey>(base, {
    algorithm: crypto.algorithm,
    key: crypto.key,
    seal(key, nonce, chunk, file, at) {
      crypto.seal(key, nonce, undefined, chunk, file, at)
      return undefined
    },
    open: (key, nonce, chunk, plaintext, at) => crypto.open(key, nonce, undefined, chunk, plaintext, at),
  })

  const release = (handle: Handle): void => {
    files.release(handle)
    delete keys[handle]
    delete hashers[handle]
    owners.forget(handle)
    base.release(handle)
  }
  const owners = new Owners(release)

  /** What ends a number, and writes to memory that is zero if it fails. */
  const lastly = (handle: Handle, result: Uint8Array, work: () => void): void => {
    try {
      work()
    } catch (error) {
      host.fill(result, 0)
      throw error
    } finally {
      release(handle)
    }
  }
  const sealInto: Base['sealInto'] = (sealer, plaintext, file, threads) =>
    lastly(sealer, file, () => {
      const length = host.arrayLength(plaintext)
      const chunks = length < crypto.fileFrom ? undefined : files.sealing(sealer)
      // The core says what is wrong with the memory.
      if (chunks === undefined || base.sealerFileLen(sealer, length) !== host.arrayLength(file)) {
        base.sealInto(sealer, plaintext, file, threads)
        return
      }
      const head = base.sealerHead(sealer)
      host.copyInto(file, head)
      chunks.take(plaintext, true, file as Out, host.arrayLength(head))
    })
  const openInto: Base['openInto'] = (opener, file, plaintext, threads) =>
    lastly(opener, plaintext, () => {
      const length = host.arrayLength(file)
      const chunks = length < crypto.fileFrom ? undefined : files.opening(opener)
      if (chunks === undefined || base.openerPlaintextLen(opener, length) !== host.arrayLength(plaintext)) {
        base.openInto(opener, file, plaintext, threads)
        return
      }
      const headLen = base.openerHeadLen(opener)
      chunks.take(host.partOf(file, headLen, length - headLen), true, plaintext as Out, 0)
    })

  /** A whole file, in memory of its own. */
  const sealed = (sealer: Handle, plaintext: Uint8Array): Out => {
    try {
      const file = memoryOf(base.sealerFileLen(sealer, host.arrayLength(plaintext)))
      sealInto(sealer, plaintext, file, undefined)
      return file
    } finally {
      release(sealer)
    }
  }
  const opened = (opener: Handle, file: Uint8Array): Out => {
    try {
      const plaintext = memoryOf(base.openerPlaintextLen(opener, host.arrayLength(file)))
      openInto(opener, file, plaintext, undefined)
      return plaintext
    } finally {
      release(opener)
    }
  }
  /** A part of a plaintext, where the host opens it. */
  const openedRange = (opener: Handle, file: Uint8Array, start: number, end: number): Out | undefined => {
    const fileLen = host.arrayLength(file)
    const length = base.openerPlaintextLen(opener, fileLen)
    const chunks = { headLen: base.openerHeadLen(opener), chunkLen: base.chunkLen(), fileLen, length }
    // What is asked for beyond the end the core looks at.
    const range = end > length ? undefined : rangeOf(chunks, start, end)
    const opening = range && files.openingFrom(opener, range.first)
    if (range === undefined || opening === undefined) return undefined
    const plaintext = memoryOf(range.length)
    opening.take(host.partOf(file, range.from, range.to - range.from), range.isEnd, plaintext, 0)
    const part = new host.Bytes(host.partOf(plaintext, range.at, range.partLen))
    host.fill(plaintext, 0)
    return part
  }

  /** A text of which the module makes a file, or the other way round, in pieces. */
  const recoded = (coder: Handle, data: Uint8Array, update: (piece: Uint8Array) => Part, end: () => Part): Out => {
    const pieces = new Pieces()
    try {
      inPieces(data, (piece) => pieces.add(update(piece)))
      pieces.add(end())
      return pieces.whole()
    } finally {
      base.release(coder)
    }
  }
  const armoured = (file: Uint8Array): Out => {
    const armour = base.armour()
    const update = (piece: Uint8Array): Part => ({ bytes: base.armourUpdate(armour, piece) })
    return recoded(armour, file, update, () => ({ bytes: base.armourFinish(armour) }))
  }
  const dearmoured = (text: Uint8Array): Out => {
    const dearmour = base.dearmour(false)
    const update = (piece: Uint8Array): Part => base.dearmourUpdate(dearmour, piece)
    return recoded(dearmour, text, update, () => base.dearmourFinish(dearmour))
  }
  /** Seals one buffer, if the host is to; answers whether it did. */
  const seals = (
    handle: Handle,
    nonce: Uint8Array | undefined,
    aad: Uint8Array | undefined,
    plaintext: Uint8Array,
    sealed: Uint8Array,
  ): boolean => {
    const key = keys[handle]
    const [length, sealedLen] = [host.arrayLength(plaintext), host.arrayLength(sealed)]
    const at = nonce === undefined ? NONCE_LEN : 0
    if (key === undefined || length < crypto.bufferFrom || sealedLen !== at + length + TAG_LEN) return false
    if (isLong(aad)) return false
    const own = nonce === undefined ? drawn() : new host.Bytes(nonce)
    if (own === undefined || host.arrayLength(own) !== NONCE_LEN) return false
    apart(plaintext, sealed, (text) => crypto.seal(key, own, aad, text, sealed, at))
    if (at > 0) host.copyInto(sealed, own)
    return true
  }
  /** Opens one buffer, likewise; the core says what it is that is not authentic, as nothing is. */
  const opens = (
    handle: Handle,
    nonce: Uint8Array | undefined,
    aad: Uint8Array | undefined,
    sealed: Uint8Array,
    plaintext: Uint8Array,
  ): number | undefined => {
    const key = keys[handle]
    const at = nonce === undefined ? NONCE_LEN : 0
    const length = host.arrayLength(sealed) - at - TAG_LEN
    if (key === undefined || length < crypto.bufferFrom || host.arrayLength(plaintext) < length) return undefined
    if (isLong(aad)) return undefined
    const own = new host.Bytes(nonce ?? host.partOf(sealed, 0, NONCE_LEN))
    if (host.arrayLength(own) !== NONCE_LEN) return undefined
    const isAuthentic = apart(sealed, plaintext, (data) =>
      crypto.open(key, own, aad, host.partOf(data, at, length + TAG_LEN), plaintext, 0),
    )
    if (isAuthentic) return length
    host.fill(plaintext, 0)
    return base.aeadOpen(handle, undefined, undefined, EMPTY, EMPTY)
  }

  /** The names of algorithms, by their numbers. */
  const names = host.dictionary<string>()
  const hasherOf = (algorithm: number): HostHasher | undefined => {
    const name = names[algorithm]
    return name === undefined ? undefined : crypto.hasher(name)
  }
  /** And of encodings. */
  const encodings = host.dictionary<string>()
  /** What has taken long data, where the host has this function and the digest its usual length. */
  const hashed = (algorithm: number, data: Data, length: number): HostHasher | undefined => {
    const dataLen = typeof data === 'string' ? data.length : host.arrayLength(data as Uint8Array)
    if (dataLen < crypto.digestFrom || !isUsual(length, algorithm)) return undefined
    const hasher = hasherOf(algorithm)
    hasher?.update(typeof data === 'string' ? host.encode(data) : (data as Uint8Array))
    return hasher
  }
  const isUsual = (length: number, algorithm: number): boolean => length === 0 || length === base.hashLen(algorithm)

  const functions: Base = {
    ...base,
    backend: () => base.backend().replace(`${crypto.algorithm} by `, `${crypto.algorithm} by ${crypto.name} and `),
    release,
    own(handle, owner) {
      if (base.holds(handle)) owners.add(handle, owner)
    },
    again(handle) {
      const other = base.again(handle)
      if (keys[handle] !== undefined) keys[other] = keys[handle]
      if (hashers[handle] !== undefined) hashers[other] = hashers[handle]
      return other
    },
    sealInto,
    openInto,
    encryptArmoured(encryptor, plaintext) {
      if (host.arrayLength(plaintext) < crypto.fileFrom) return base.encryptArmoured(encryptor, plaintext)
      try {
        const file = sealed(base.sealerOf(encryptor), plaintext)
        return base.encryptorArmours(encryptor) ? armoured(file) : file
      } finally {
        base.release(encryptor)
      }
    },
    decryptArmoured(decryptor, file) {
      if (host.arrayLength(file) < crypto.fileFrom) return base.decryptArmoured(decryptor, file)
      try {
        const binary = isArmoured(base, file) ? dearmoured(file) : file
        return opened(base.openerOf(decryptor, headOf(base, binary)), binary)
      } finally {
        base.release(decryptor)
      }
    },
    decryptRange(decryptor, file, start, end) {
      if (host.arrayLength(file) < crypto.fileFrom) return base.decryptRange(decryptor, file, start, end)
      const binary = isArmoured(base, file) ? dearmoured(file) : file
      const opener = base.openerOf(decryptor, headOf(base, binary))
      try {
        return openedRange(opener, binary, start, end) ?? base.decryptRange(decryptor, binary, start, end)
      } finally {
        release(opener)
      }
    },
    chunkedEncrypt(key, context, plaintext) {
      if (host.arrayLength(plaintext) < crypto.fileFrom) return base.chunkedEncrypt(key, context, plaintext)
      return sealed(base.chunkedSealer(key, context), plaintext)
    },
    chunkedDecrypt(key, context, ciphertext) {
      const length = host.arrayLength(ciphertext)
      if (length < crypto.fileFrom) return base.chunkedDecrypt(key, context, ciphertext)
      const head = host.partOf(ciphertext, 0, Math.min(length, base.chunkedHeadLen()))
      return opened(base.chunkedOpener(key, context, head), ciphertext)
    },
    aead(algorithm, key) {
      const handle = base.aead(algorithm, key)
      if (algorithm === crypto.algorithm) keys[handle] = crypto.key(key)
      return handle
    },
    aeadSeal(key, nonce, aad, plaintext, sealed) {
      const text = plaintext as unknown as Uint8Array
      if (!seals(key, nonce as never, aad as never, text, sealed)) base.aeadSeal(key, nonce, aad, plaintext, sealed)
    },
    aeadSealPlaced(key, nonce, aad, loaded, sealed) {
      const text = loaded as Uint8Array
      const [at, length] = [nonce === undefined ? NONCE_LEN : 0, host.arrayLength(text)]
      if (length < at || !seals(key, nonce, aad, host.partOf(text, at, length - at), sealed))
        return base.aeadSealPlaced(key, nonce, aad, loaded, sealed)
      return length - at
    },
    aeadOpen(key, nonce, aad, sealed, plaintext) {
      const text = sealed as unknown as Uint8Array
      return (
        opens(key, nonce as never, aad as never, text, plaintext) ?? base.aeadOpen(key, nonce, aad, sealed, plaintext)
      )
    },
    hashId(name) {
      const algorithm = base.hashId(name)
      names[algorithm] = name
      return algorithm
    },
    hashInto(algorithm, data, out) {
      const found = hashed(algorithm, data, host.arrayLength(out))
      if (found === undefined) base.hashInto(algorithm, data, out)
      else host.copyInto(out, found.digest())
    },
    encodingId(name) {
      const encoding = base.encodingId(name)
      encodings[encoding] = name
      return encoding
    },
    hashText(algorithm, data, encoding, length) {
      const name = encodings[encoding]
      const found = name === undefined ? undefined : hashed(algorithm, data, length)
      return found?.text(name as string) ?? base.hashText(algorithm, data, encoding, length)
    },
    hasher(algorithm) {
      // The module's is the number.
      const handle = base.hasher(algorithm)
      const hasher = hasherOf(algorithm)
      if (hasher !== undefined) hashers[handle] = { algorithm, hasher }
      return handle
    },
    hasherClone(handle) {
      const other = base.hasherClone(handle)
      const own = hashers[handle]
      if (own !== undefined) hashers[other] = { ...own, hasher: own.hasher.copy() }
      return other
    },
    hasherUpdate(handle, data) {
      const own = hashers[handle]
      if (own === undefined) base.hasherUpdate(handle, data)
      else own.hasher.update(data)
    },
    hasherDigest(handle, length) {
      const own = hashers[handle]
      // Of another length the module says that there is none.
      if (own === undefined || !isUsual(length, own.algorithm)) return base.hasherDigest(handle, length)
      return new host.Bytes(own.hasher.digest())
    },
    hasherText(handle, encoding, length) {
      const [own, name] = [hashers[handle], encodings[encoding]]
      if (own === undefined || name === undefined || !isUsual(length, own.algorithm)) {
        return base.hasherText(handle, encoding, length)
      }
      return own.hasher.text(name)
    },
  }
  return { base: functions, files, derive: crypto.derive, atOnceLen: AT_ONCE_LEN, shortLen: AT_ONCE_LEN }
}

/** Works with an input that is no part of the output. */
function apart<T>(input: Uint8Array, output: Uint8Array, work: (input: Uint8Array) => T): T {
  if (!overlap(input, output)) return work(input)
  const copy = new host.Bytes(input)
  try {
    return work(copy)
  } finally {
    host.fill(copy, 0)
  }
}
