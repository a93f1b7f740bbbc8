/**
 * Signature files: the holder of a key says that they have signed some content. They are signatures of OpenSSH, so that `ssh-keygen`
 * verifies those of `ed25519`, `p256-sign` and, from OpenSSH 10.6 on, `hybrid44-sign`.
 *
 * A signature says who signed, and not when. It covers neither the name of a file nor its mode.
 *
 * Functions that take names of files need Node. In a page {@link sign} and {@link verify} take a File, of any length.
 *
 * @module sealstone/signature
 */

import type { Handle, Signed, Verification } from '../backend/calls.js'
import { type BytesLike, bytesOf, isBytesLike } from '../basics/bytes.js'
import { ArgumentError } from '../basics/error.js'
import { booleanOption, readOptions, stringOption } from '../basics/option.js'
import type { Profile, SignKind } from '../basics/table.js'
import { usingLater } from '../work/handle.js'
import { handleOf } from '../work/pair.js'
import { RUN_OPTIONS, type Run, type RunOptions, runOf, takeAll, watched } from '../work/run.js'
import { call, files } from '../work/sign-calls.js'
import { type AccessOptions, type PathLike, pathOf, READ, specialOf, type WriteOptions } from './path.js'
import { PrivateKey, PublicKey } from './sign.js'
import { type ByteSource, measured, primed, sourceOfAny } from './source.js'

export type { Signed } from '../backend/calls.js'
export type { BytesLike } from '../basics/bytes.js'
export { SealstoneError } from '../basics/error.js'
export type { Profile, SignKind } from '../basics/table.js'
export type { Progress, RunOptions } from '../work/run.js'
export type { AccessOptions, PathLike, WriteOptions } from './path.js'
export type { ByteSource } from './source.js'

/** Content: text, bytes, or a stream of them. */
export type Content = BytesLike | Blob | ReadableStream<BytesLike> | ByteSource

/** The purpose of a signature. */
export interface PurposeOptions {
  /** The purpose, so that a signature for one purpose is not valid for another; `file` by default. */
  readonly namespace?: string
  /** Refuses keys of kinds that an organisation does not allow. */
  readonly profile?: Profile
}

/** How content is signed. */
export interface SigningOptions extends PurposeOptions {
  /** A text that is signed with the content; `ssh-keygen` refuses such a signature. */
  readonly comment?: string
}

/** A file of allowed signers, as `ssh-keygen` has it. */
export interface AllowedSigners {
  /** The file's text. */
  readonly allowed: BytesLike
  /** Who must have signed; by default anybody in the file. */
  readonly principal?: string
  /** The moment at which its lines count; now by default. */
  readonly at?: Date
}

/** The signers to trust: a key, lines or PEM or DER of public keys, a file of allowed signers, or several of these. */
export type Signers = Signer | readonly Signer[]

/** One of them. */
export type Signer = PublicKey | BytesLike | AllowedSigners

/** The contents of a verified signature. */
export interface Verified extends Verification {
  /** The kind of the key that signed. */
  readonly kind: SignKind
}

const PURPOSE: readonly (keyof PurposeOptions)[] = ['namespace', 'profile']
const SIGNING: readonly (keyof SigningOptions)[] = [...PURPOSE, 'comment']

/**
 * Signs content; returns the signature, a text that goes into a file of its own, by custom with the ending `.sig`.
 *
 * @throws {@link SealstoneError} `invalid_namespace`, `invalid_comment`, `not_in_profile`; `unsupported_key` for a kind that signs no
 * files; the reason of the signal.
 *
 * @example
 * ```ts
 * import { generateKey } from 'sealstone/sign'
 * import { sign, verify } from 'sealstone/signature'
 *
 * const key = generateKey('ed25519')
 * const signature = await sign('attack at dawn', key, { comment: 'release 7' })
 * console.log((await verify('attack at dawn', signature, key.publicKey)).comment) // release 7
 * ```
 */
export async function sign(content: Content, key: PrivateKey, options?: SigningOptions & RunOptions): Promise<string> {
  const read = readOptions<SigningOptions & RunOptions>(options, [...SIGNING, ...RUN_OPTIONS])
  const run = runOf(read)
  return usingLater(writerOf(key, read), (writer) =>
    usingLater(
      call((sync) => sync.signatureSigning(writer)),
      async (signing) => {
        await each(content, run, (part) => call((sync) => sync.signatureSigningUpdate(signing, part)))
        return call((sync) => sync.signatureSigningFinish(signing))
      },
    ),
  )
}

/**
 * Verifies content by a signature; returns who signed, and throws if something is wrong.
 *
 * @throws {@link SealstoneError} `not_a_signature`, `malformed_signature`, `unsupported_signature`, `wrong_namespace`, `unknown_signer`,
 * `invalid_signature`; `invalid_namespace`, `invalid_signer`, `unsupported_key`, `not_in_profile`; the reason of the signal.
 *
 * @example
 * ```ts
 * import { generateKey } from 'sealstone/sign'
 * import { SealstoneError, sign, verify } from 'sealstone/signature'
 *
 * const key = generateKey('ed25519')
 * const signature = await sign('attack at dawn', key)
 * const error: unknown = await verify('attack at dusk', signature, key.publicKey).catch((error: unknown) => error)
 * console.log(error instanceof SealstoneError && error.code) // invalid_signature
 * ```
 */
export async function verify(
  content: Content,
  signature: BytesLike,
  signers: Signers,
  options?: PurposeOptions & RunOptions,
): Promise<Verified> {
  const read = readOptions<PurposeOptions & RunOptions>(options, [...PURPOSE, ...RUN_OPTIONS])
  const run = runOf(read)
  const text = bytesOf(signature, 'the signature')
  return usingLater(readerOf(signers, read), (reader) =>
    usingLater(
      call((sync) => sync.signatureVerifying(reader, text)),
      async (verifying) => {
        await each(content, run, (part) => call((sync) => sync.signatureVerifyingUpdate(verifying, part)))
        return call((sync) => sync.signatureVerifyingFinish(verifying)) as Verified
      },
    ),
  )
}

/**
 * Signs a file; returns the signature, as {@link sign} does. To get the content and then the signature in one new file, use {@link
 * attachFile}.
 *
 * @throws {@link SealstoneError} `io`, `not_regular_file`, `input_changed`, and what {@link sign} throws.
 *
 * @example
 * ```ts
 * import { writeFile } from 'node:fs/promises'
 * import { generateKey } from 'sealstone/sign'
 * import { signFile, verifyFile } from 'sealstone/signature'
 *
 * const key = generateKey('ed25519')
 * await writeFile('film.mkv', 'action')
 * await writeFile('film.mkv.sig', await signFile('film.mkv', key))
 * const signature = await signFile('film.mkv', key)
 * console.log((await verifyFile('film.mkv', signature, key.publicKey)).contentLen) // 6
 * ```
 */
export async function signFile(
  file: PathLike,
  key: PrivateKey,
  options?: SigningOptions & AccessOptions & RunOptions,
): Promise<string> {
  const read = readOptions<SigningOptions & AccessOptions & RunOptions>(options, [...SIGNING, ...READ])
  const [run, path, special] = [runOf(read), pathOf(file), specialOf(read)]
  return usingLater(writerOf(key, read), (writer) =>
    watched(run, (job) => files().signatureSignFile(writer, path, special, job)),
  )
}

/**
 * Verifies a file by a signature, which is its text; returns who signed.
 *
 * @throws {@link SealstoneError} `io`, `not_regular_file`, `input_changed`, and what {@link verify} throws.
 *
 * @example
 * ```ts
 * import { writeFile } from 'node:fs/promises'
 * import { generateKey } from 'sealstone/sign'
 * import { sign, verifyFile } from 'sealstone/signature'
 *
 * const key = generateKey('ed25519')
 * await writeFile('order.txt', 'attack at dawn')
 * const { fingerprint } = await verifyFile('order.txt', await sign('attack at dawn', key), key.publicKey)
 * console.log(fingerprint === key.publicKey.fingerprint) // true
 * ```
 */
export async function verifyFile(
  file: PathLike,
  signature: BytesLike,
  signers: Signers,
  options?: PurposeOptions & AccessOptions & RunOptions,
): Promise<Verified> {
  const read = readOptions<PurposeOptions & AccessOptions & RunOptions>(options, [...PURPOSE, ...READ])
  const [run, path, special] = [runOf(read), pathOf(file), specialOf(read)]
  const text = new Uint8Array(bytesOf(signature, 'the signature'))
  return usingLater(readerOf(signers, read), (reader) =>
    watched(run, (job) => files().signatureVerifyFile(reader, path, text, special, job)),
  ) as Promise<Verified>
}

/**
 * Signs a file into a new file, which has its content and then the signature. The new file appears complete or not at all.
 *
 * @throws {@link SealstoneError} `output_exists`, `same_file`, and what {@link signFile} throws.
 *
 * @example
 * ```ts
 * import { readFile, writeFile } from 'node:fs/promises'
 * import { generateKey } from 'sealstone/sign'
 * import { attachFile, detachFile } from 'sealstone/signature'
 *
 * const key = generateKey('ed25519')
 * await writeFile('notes.txt', 'attack at dawn')
 * await attachFile('notes.txt', 'notes.txt.signed', key, { replace: true })
 * await detachFile('notes.txt.signed', key.publicKey, { output: 'copy.txt', replace: true })
 * console.log(await readFile('copy.txt', 'utf8')) // attack at dawn
 * ```
 */
export async function attachFile(
  input: PathLike,
  output: PathLike,
  key: PrivateKey,
  options?: SigningOptions & WriteOptions & AccessOptions & RunOptions,
): Promise<Signed> {
  const read = readOptions<SigningOptions & WriteOptions & AccessOptions & RunOptions>(options, [
    ...SIGNING,
    'replace',
    ...READ,
  ])
  const [run, from, to, special] = [runOf(read), pathOf(input), pathOf(output), specialOf(read)]
  const replace = booleanOption(read.replace, 'replace') === true
  return usingLater(writerOf(key, read), (writer) =>
    watched(run, (job) => files().signatureAttachFile(writer, from, to, replace, special, job)),
  )
}

/** Where the content of a signed file goes. */
export interface DetachOptions extends PurposeOptions, WriteOptions {
  /** A new file for the content, which appears when it is verified, or not at all; without one nothing is written. */
  readonly output?: PathLike
}

/**
 * Verifies a file that has its signature after its content; returns who signed. The content is released only when it is verified.
 *
 * @throws {@link SealstoneError} `output_exists`, `same_file`, and what {@link verifyFile} throws; `too_long` for over 64 MiB of content
 * that go to a FIFO or a device, where it waits in memory.
 *
 * @example
 * ```ts
 * import { writeFile } from 'node:fs/promises'
 * import { generateKey } from 'sealstone/sign'
 * import { attachFile, detachFile } from 'sealstone/signature'
 *
 * const key = generateKey('ed25519')
 * await writeFile('list.txt', 'attack at dawn')
 * await attachFile('list.txt', 'list.signed', key, { replace: true })
 * console.log((await detachFile('list.signed', key.publicKey)).contentLen) // 14
 * ```
 */
export async function detachFile(
  input: PathLike,
  signers: Signers,
  options?: DetachOptions & AccessOptions & RunOptions,
): Promise<Verified> {
  const read = readOptions<DetachOptions & AccessOptions & RunOptions>(options, [
    ...PURPOSE,
    'output',
    'replace',
    ...READ,
  ])
  const [run, from, special] = [runOf(read), pathOf(input), specialOf(read)]
  const to = read.output === undefined ? undefined : pathOf(read.output)
  const replace = booleanOption(read.replace, 'replace') === true
  return usingLater(readerOf(signers, read), (reader) =>
    watched(run, (job) => files().signatureDetachFile(reader, from, to, replace, special, job)),
  ) as Promise<Verified>
}

/** Hands over content, part after part. */
async function each(content: Content, run: Run, take: (part: Uint8Array) => void): Promise<void> {
  run.signal?.throwIfAborted()
  if (isBytesLike(content)) return takeAll(bytesOf(content, 'the content'), 'the content', run, take)
  const parts = primed(measured(sourceOfAny(content), run, new AbortController().signal))
  for await (const part of parts) take(part)
}

function writerOf(key: PrivateKey, read: SigningOptions): Handle {
  const [namespace, comment] = [stringOption(read.namespace, 'namespace'), stringOption(read.comment, 'comment')]
  const profile = stringOption(read.profile, 'profile')
  const handle = handleOf(key, PrivateKey, 'sign')
  return call((sync) => sync.signatureWriter(handle, namespace, comment, profile))
}

function readerOf(signers: Signers, read: PurposeOptions): Handle {
  const [namespace, profile] = [stringOption(read.namespace, 'namespace'), stringOption(read.profile, 'profile')]
  const trusting = call((sync) => sync.signatureTrusting(namespace, profile))
  try {
    for (const signer of Array.isArray(signers) ? signers : [signers]) trust(trusting, signer)
    return call((sync) => sync.signatureReader(trusting))
  } finally {
    call((sync) => sync.release(trusting))
  }
}

function trust(trusting: Handle, signer: Signer): void {
  if (signer instanceof PublicKey) {
    const key = handleOf(signer, PublicKey, 'sign')
    call((sync) => sync.signatureTrustKey(trusting, key))
  } else if (isBytesLike(signer)) {
    const file = bytesOf(signer, 'a signer')
    call((sync) => sync.signatureTrustFile(trusting, file))
  } else if (typeof signer === 'object' && signer !== null && 'allowed' in signer) {
    const read = readOptions<AllowedSigners>(signer, ['allowed', 'principal', 'at'])
    const file = bytesOf(read.allowed, 'the file of allowed signers')
    const principal = stringOption(read.principal, 'principal')
    const at = Math.floor((read.at === undefined ? Date.now() : timeOf(read.at)) / 1000)
    if (!(at >= 0)) throw new ArgumentError('at must be a Date from 1970 on')
    call((sync) => sync.signatureTrustAllowed(trusting, file, principal, at))
  } else {
    throw new ArgumentError('a signer is a PublicKey of sealstone/sign, text or bytes of public keys, or { allowed }')
  }
}

/** Of a Date of any realm; a number that is none would be some moment, at which a key may have been valid. */
function timeOf(at: unknown): number {
  try {
    return Date.prototype.getTime.call(at)
  } catch {
    return Number.NaN
  }
}
