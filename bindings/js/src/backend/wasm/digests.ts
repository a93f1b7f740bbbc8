// The module of digests, tags, and keys of secrets and passwords.

import type { Data, Handle, Out } from '../calls.js'
import { Held, inPieces, type Of, PIECE_LEN, type Source } from './held.js'
import * as host from './intrinsics.js'
import { DIGEST } from './signatures.js'
import { type InSteps, stepper } from './stretching.js'

export type Digests = Of<typeof DIGEST> & {
  /** Of passwords: keys, texts to be stored, and nothing of one that is the right one. */
  readonly inSteps: InSteps
}

/** Its functions. Long data is handed over in pieces. */
export function digestsOf(source: Source): Digests {
  const functions = new Held(source, DIGEST).functions() as unknown as {
    -readonly [Name in keyof Digests]: Digests[Name]
  }
  const { hashInto, hashText, hasherUpdate } = functions
  functions.hasherUpdate = (hasher, data) => inPieces(data, (piece) => hasherUpdate(hasher, piece))
  /** Gives an object long data, and its end; the object is no more after that. */
  const through = <T>(
    object: Handle,
    update: (object: Handle, data: Uint8Array) => void,
    data: Uint8Array,
    end: (object: Handle) => T,
  ): T => {
    try {
      update(object, data)
      return end(object)
    } finally {
      functions.release(object)
    }
  }
  const long = <T>(algorithm: number, data: Uint8Array, end: (hasher: Handle) => T): T =>
    through(functions.hasher(algorithm), functions.hasherUpdate, data, end)
  functions.hashInto = (algorithm, data, digest) => {
    const bytes = longBytes(data)
    if (bytes === undefined) return hashInto(algorithm, data, digest)
    const end = (hasher: Handle): Uint8Array => functions.hasherDigest(hasher, host.arrayLength(digest))
    return host.copyInto(digest, long(algorithm, bytes, end))
  }
  functions.hashText = (algorithm, data, encoding, length) => {
    const bytes = longBytes(data)
    if (bytes === undefined) return hashText(algorithm, data, encoding, length)
    return long(algorithm, bytes, (hasher) => functions.hasherText(hasher, encoding, length))
  }

  const { macInto, macText, macVerify, macVerifyText, macSignerUpdate } = functions
  functions.macSignerUpdate = (signer, data) => inPieces(data, (piece) => macSignerUpdate(signer, piece))
  const signed = <T>(key: Handle, data: Uint8Array, end: (signer: Handle) => T): T =>
    through(functions.macSigner(key), functions.macSignerUpdate, data, end)
  const tagOf = (signer: Handle): Out => functions.macSignerTag(signer)
  functions.macInto = (key, data, tag) => {
    const bytes = longBytes(data)
    if (bytes === undefined) return macInto(key, data, tag)
    return host.copyInto(tag, signed(key, bytes, tagOf))
  }
  functions.macText = (key, data, encoding) => {
    const bytes = longBytes(data)
    if (bytes === undefined) return macText(key, data, encoding)
    return signed(key, bytes, (signer) => functions.macSignerText(signer, encoding))
  }
  functions.macVerify = (key, data, tag, isTruncated) => {
    const bytes = longBytes(data)
    if (bytes === undefined) macVerify(key, data, tag, isTruncated)
    else signed(key, bytes, (signer) => functions.macSignerVerify(signer, tag as Uint8Array, isTruncated))
  }
  functions.macVerifyText = (key, data, tag, encoding, isTruncated) => {
    const bytes = longBytes(data)
    if (bytes === undefined) macVerifyText(key, data, tag, encoding, isTruncated)
    else signed(key, bytes, (signer) => functions.macSignerVerifyText(signer, tag, encoding, isTruncated))
  }
  return Object.assign(functions, { inSteps: stepper(source, DIGEST, 'derivingStep', 'derivingEnd') })
}

/** Bytes that are handed over in pieces; nothing of those that are not. */
function longBytes(data: Data): Uint8Array | undefined {
  const bytes =
    typeof data === 'string' ? (data.length > PIECE_LEN ? host.encode(data) : undefined) : (data as Uint8Array)
  return bytes !== undefined && host.arrayLength(bytes) > PIECE_LEN ? bytes : undefined
}
