// What computes where there is no addon: the functions of `SyncCalls`, over the modules of WebAssembly
// (docs/design/wasm.md). A module has its own objects: what crosses from one to the other are bytes.

import type { AgePromises } from '../age.js'
import type { ExchangePromises } from '../exchange.js'
import type { CrossingCost } from '../kdf.js'
import type { RsaPromises } from '../rsa.js'
import type { SignPromises } from '../sign.js'
import type { Handle, Out, Part, SyncCalls } from '../sync.js'
import { type AgeFiles, ageFilesOf } from './age-files.js'
import type { JobTurns } from './books.js'
import type { Jobs } from './bulk.js'
import { type Ciphers, ciphersOf } from './ciphers.js'
import { type Derive, derived } from './derivations.js'
import { type Digests, digestsOf } from './digests.js'
import { type Exchangers, exchangersOf } from './exchangers.js'
import { Held, type Source } from './held.js'
import type { HostRsa } from './host-rsa.js'
import { hasSignatures, Instance } from './instance.js'
import * as host from './intrinsics.js'
import { normalized, normalOf } from './passphrases.js'
import { type RsaPairs, rsaPairsOf } from './rsa-pairs.js'
import {
  AGE,
  BASE,
  CIPHER,
  COMPAT,
  DIGEST,
  EXCHANGE,
  FORMS,
  type OBJECTS,
  RSA,
  SIGN,
  type Signatures,
} from './signatures.js'
import { type Signers, signersOf } from './signers.js'
import { known, type Stretch, stepper } from './stretching.js'

/** What answers at once here, where the addon promises it, and what the addon has no need of. */
interface Own {
  /** Fails where nothing can be encrypted with these options. */
  encryptorCheck(encryptor: Handle): void
  /** Whether its files are text. */
  encryptorArmours(encryptor: Handle): boolean
  sealerLater(encryptor: Handle): Handle
  openerLater(decryptor: Handle, head: Uint8Array): Handle
  sealerUnit(sealer: Handle): Part | null
  sealerFinish(sealer: Handle): Out
  openerUnit(opener: Handle): Part | null
  openerFinish(opener: Handle, isEnd: boolean): Part
  openerHeadLen(opener: Handle): number
  openerPlaintextLen(opener: Handle, fileLen: number): number
  /** Bytes of plaintext in every chunk but the last. */
  chunkLen(): number
  /** The key of a file's chunks where this algorithm seals them; else no bytes. */
  sealerKey(sealer: Handle, algorithm: string): Out
  /** The nonces of the next chunks, which have so many bytes of the file. None is given out twice. */
  sealerNonces(sealer: Handle, len: number): Out
  openerKey(opener: Handle, algorithm: string): Out
  openerNonces(opener: Handle, first: number, len: number, isEnd: boolean): Out
  /** Fails as opening does: a chunk by its number, or one buffer. */
  notAuthentic(chunk: number | undefined): void
  /** Of a message that the host seals: the key, the nonce, and how the message begins. */
  messageBegin(recipient: Handle): Out
  /** Of one that it opens, of which `head` is what stands before the ciphertext: the key and the nonce. */
  messageOpening(identity: Handle, head: Uint8Array): Out
  /** Of a plaintext that has room for the nonce before it, where that is drawn; returns the plaintext's length. */
  aeadSealLoaded(key: Handle, nonce: Uint8Array | undefined, aad: Uint8Array, loaded: Uint8Array, sealed: Out): number
  /** Returns the plaintext's length. */
  aeadOpen(...args: Parameters<SyncCalls['aeadOpen']>): number
  /** Fails where a cost is none, or too high: of what a host derives. */
  deriveCheck(...of: [...CrossingCost, isBounded: boolean, length: number]): void
  /** What an encryptor, a decryptor or a rewrapper asks of a passphrase before it works on a file; no bytes where that is nothing. */
  stretchAsked(of: Handle, file: Uint8Array): Out
  /** Lets it know the key. An encryptor uses it once. */
  stretchKnown(of: Handle, asked: Uint8Array, key: Uint8Array): void
  /** What choices say of a signature that the host makes: the names of the scheme and of the hash. */
  signByRsa(choices: number): string
  /** Fails: the host makes keys of RSA. */
  signGenerateRsa(bits: number): Handle
  /** What the host decrypted with a key, without its padding. */
  rsaUnpadPkcs1(key: Handle, ciphertext: Uint8Array, encoded: Uint8Array): Out
  /** What an encryptor or a decryptor of age asks of a passphrase before it works on a file that begins so; no bytes where that is nothing. */
  ageAsked(of: Handle, head: Uint8Array): Out
  /** Lets it know the key. An encryptor uses it once. */
  ageKnow(of: Handle, asked: Uint8Array, key: Uint8Array): void
  ageFileKey(decryptor: Handle, header: Uint8Array): Out
  ageSealer(encryptor: Handle): Handle
  ageSealerUnit(sealer: Handle): Part | null
  ageSealerFinish(sealer: Handle): Part
  ageOpener(decryptor: Handle, head: Uint8Array): Handle
  ageOpenerUnit(opener: Handle): Part | null
  ageOpenerFinish(opener: Handle, isEnd: boolean): Part
  /** How many objects there are. */
  heldCount(): number
}

/** The functions of a table of signatures. */
export type Of<Table> = {
  readonly [Name in Exclude<keyof Table & keyof SyncCalls, keyof Own>]: SyncCalls[Name]
} & { readonly [Name in keyof Table & keyof Own]: Own[Name] } & Pick<SyncCalls, 'own'> & {
    /** Whether a number stands for an object of this module, or did. */
    holds(handle: Handle): boolean
  }

/** What the base module makes of a file of keys: the keys, or what the module of forms reads. */
interface Read {
  readonly keys: readonly Handle[] | null
  /** What was sealed in the file, if it is sealed. */
  readonly opened: Out | undefined
}

/** How keys cross between the base module and that of forms. */
interface Crossing {
  identitiesRead(file: Uint8Array, passphrase: Uint8Array | undefined): Read
  identitiesReadBy(decryptor: Handle, file: Uint8Array): Read
  identitiesOfBytes(keys: Uint8Array): Handle[]
  identityString(identity: Handle, form: string, passphrase: Uint8Array | undefined): string | null
  identityBytes(identity: Handle): Out
  recipientsRead(file: Uint8Array): Read
  recipientsOfBytes(keys: Uint8Array): Handle[]
  recipientString(recipient: Handle, form: string): string | null
  recipientBytes(recipient: Handle): Out
}

interface Forms {
  derivationsOfForm(file: Uint8Array, opened: Out | undefined): Out
  identitiesOfForm(
    file: Uint8Array,
    opened: Out | undefined,
    passphrase: Uint8Array | undefined,
    derived: Out | undefined,
  ): Out
  recipientsOfForm(file: Uint8Array): Out
  identityInForm(identity: Out, form: string, passphrase: Uint8Array | undefined): string | Out
  recipientInForm(recipient: Out, form: string): string | Out
}

/** What every module has. */
type Objects = keyof typeof OBJECTS | 'holds' | 'own'
/** Keys, files, messages, ciphers for one buffer, digests, and key pairs of applications. */
export type Base = Of<typeof BASE> &
  Omit<Digests, Objects> &
  Omit<Ciphers, Objects> &
  Omit<Signers, Objects | 'promises'> &
  Omit<Exchangers, Objects | 'promises'> &
  Omit<RsaPairs, Objects | 'promises'> &
  Omit<AgeFiles, Objects | 'promises'> &
  Pick<SyncCalls, 'identitiesParse' | 'identityExport' | 'recipientsParse' | 'recipientExport'> & {
    /** As `identitiesParse`, with keys that are derived of the passphrase in turns, or by a host. */
    identitiesParseLater(
      derive: Derive | undefined,
      file: Uint8Array,
      passphrase: Uint8Array,
      turns: JobTurns,
    ): Promise<Handle[]>
    readonly stretch: Stretch
    /** What is promised of other modules' objects. */
    promises(jobs: Jobs): AgePromises & SignPromises & ExchangePromises & RsaPromises
  }
/** What other software uses. */
export type Compat = Of<typeof COMPAT>

/**
 * The base module, which the first call with a key, a file or a message asks for; the module of forms, for which the first call with
 * a key that is no string asks; that of digests, for which the first digest does; that of ciphers for one buffer; and those of key pairs
 * that sign and that encrypt, of which a host may have RSA; and that of files of age. One module can be base and forms: each has an instance of its own.
 */
export function base(
  source: Source,
  formsSource: Source,
  digestSource: Source,
  cipherSource: Source,
  signSource: Source,
  exchangeSource: Source,
  ageSource: Source,
  rsa?: HostRsa,
): Base {
  const held = new Held(source, BASE)
  const functions = held.functions() as unknown as { -readonly [Name in keyof Base]: Base[Name] } & Crossing
  const forms = new Held(formsSource, FORMS).functions() as unknown as Forms
  const { identityOfPassphrase, messageIsArmoured } = functions
  const messageHeadLen = functions.messageHeadLen as (...args: unknown[]) => number
  const opener = functions.opener as (...args: unknown[]) => ReturnType<Base['opener']>
  const stretching = stepper(source, BASE, 'stretchingStep', 'stretchingKey')
  const stretch: Stretch = (asked, turns) => stretching('stretching', [asked], turns)
  Object.assign(functions, { stretch })
  functions.identitiesParse = (file, passphrase) =>
    normalized(passphrase, (text) => {
      const { keys, opened } = functions.identitiesRead(file, text)
      if (keys !== null) return keys as Handle[]
      const read = (): Out => forms.identitiesOfForm(file, opened, text, undefined)
      return crossing(opened === undefined ? read() : crossing(opened, read), functions.identitiesOfBytes)
    })
  functions.identitiesParseLater = async (derive, file, passphrase, turns) => {
    const text = normalOf(passphrase)
    let decryptor: Handle | undefined
    let opened: Out | undefined
    let keys: Out | undefined
    try {
      const identity = identityOfPassphrase(text)
      decryptor = functions.decryptor([identity], undefined, undefined, undefined)
      functions.release(identity)
      await known(functions, decryptor, file, turns)
      const read = functions.identitiesReadBy(decryptor, file)
      if (read.keys !== null) return read.keys as Handle[]
      opened = read.opened
      if (derive !== undefined) keys = await derived(forms.derivationsOfForm(file, opened), text, derive)
      return crossing(forms.identitiesOfForm(file, opened, text, keys), functions.identitiesOfBytes)
    } finally {
      if (decryptor !== undefined) functions.release(decryptor)
      if (text !== passphrase) host.fill(text, 0)
      if (opened !== undefined) host.fill(opened, 0)
      if (keys !== undefined) host.fill(keys, 0)
    }
  }
  functions.identityExport = (identity, form, passphrase) =>
    normalized(passphrase, (text) => {
      const own = functions.identityString(identity, form, text)
      if (own !== null) return own
      return crossing(functions.identityBytes(identity), (key) => forms.identityInForm(key, form, text))
    })
  functions.recipientsParse = (file) => {
    const { keys } = functions.recipientsRead(file)
    return (keys as Handle[] | null) ?? functions.recipientsOfBytes(forms.recipientsOfForm(file))
  }
  functions.recipientExport = (recipient, form) =>
    functions.recipientString(recipient, form) ?? forms.recipientInForm(functions.recipientBytes(recipient), form)
  functions.identityOfPassphrase = (text) => normalized(text, (text) => identityOfPassphrase(text as Uint8Array))
  functions.opener = (identities, context, profile, threads, file) =>
    opener(identities, context, profile, threads, headOf(functions, file), host.arrayLength(file))
  functions.messageIsArmoured = (message) => messageIsArmoured(looked(functions, message))
  functions.messageHeadLen = (identity, message) =>
    messageHeadLen(identity, startOf(message), host.arrayLength(message))
  const [digests, ciphers, signers] = [digestsOf(digestSource), ciphersOf(cipherSource), signersOf(signSource, rsa)]
  const [exchangers, rsaPairs, ageFiles] = [
    exchangersOf(exchangeSource),
    rsaPairsOf(exchangeSource, rsa),
    ageFilesOf(ageSource),
  ]
  const parts: Holder[] = [functions, digests, ciphers, signers, exchangers, rsaPairs, ageFiles]
  return { ...digests, ...ciphers, ...signers, ...exchangers, ...rsaPairs, ...ageFiles, ...functions, ...joined(parts) }
}

type Holder = Pick<Base, 'again' | 'holds' | 'own' | 'release'> & { promises?(jobs: Jobs): object }

/** What has a number is asked of the module that holds it; the first one says where there is none. */
function joined(parts: readonly Holder[]): Holder & Pick<Base, 'promises'> {
  const holder = (handle: Handle): Holder => parts.find((part) => part.holds(handle)) ?? (parts[0] as Holder)
  return {
    release(handle) {
      for (const part of parts) part.release(handle)
    },
    own: (handle, owner) => holder(handle).own(handle, owner),
    again: (handle) => holder(handle).again(handle),
    holds: (handle) => holder(handle).holds(handle),
    promises: (jobs) => Object.assign({}, ...parts.map((part) => part.promises?.(jobs))),
  }
}

/** The module of what other software uses, as {@link base}. */
export function compat(source: Source): Compat {
  return new Held(source, COMPAT).functions() as unknown as Compat
}

/** What a module can be. */
export type ModuleKind = 'age' | 'base' | 'cipher' | 'compat' | 'digest' | 'exchange' | 'forms' | 'sign'

/** What a module is, of this version of the package; one of others is nothing. */
export function kindsOf(module: WebAssembly.Module): readonly ModuleKind[] {
  let signatures: string
  try {
    signatures = new Instance(module).signatures()
  } catch {
    return []
  }
  // Here, so that what never asks has no tables of what it never calls.
  const tables: { readonly [kind in ModuleKind]: Signatures } = {
    age: AGE,
    base: BASE,
    cipher: CIPHER,
    compat: COMPAT,
    digest: DIGEST,
    exchange: { ...EXCHANGE, ...RSA },
    forms: FORMS,
    sign: SIGN,
  }
  return (Object.keys(tables) as ModuleKind[]).filter((kind) => hasSignatures(signatures, tables[kind]))
}

/** A head is as a rule shorter than this. */
const HEAD_LEN = 1 << 13

function startOf(bytes: Uint8Array): Uint8Array {
  return host.partOf(bytes, 0, Math.min(host.arrayLength(bytes), HEAD_LEN))
}

/** The beginning of a file, with its head: the rest of a long one is copied to the module once, when it is opened. */
export function headOf(functions: Base, file: Uint8Array): Uint8Array {
  const length = host.arrayLength(file)
  if (length <= HEAD_LEN) return file
  const start = startOf(file)
  try {
    return host.partOf(file, 0, Math.min(length, Math.max(HEAD_LEN, functions.fileHeadLen(start))))
  } catch {
    // Armour, or no file: the opener says which, after what it says of its options.
    const ofText = looked(functions, file)
    return host.arrayLength(ofText) > HEAD_LEN ? ofText : start
  }
}

/** Whether a file is text. */
export function isArmoured(base: Base, file: Uint8Array): boolean {
  return base.fileIsArmoured(looked(base, file))
}

/** As much of the beginning as tells whether it is text. */
function looked(base: Base, bytes: Uint8Array): Uint8Array {
  const length = host.arrayLength(bytes)
  const start = host.partOf(bytes, 0, Math.min(length, base.armourLookLen(NONE)))
  return host.partOf(bytes, 0, Math.min(length, base.armourLookLen(start)))
}

const NONE = new host.Bytes(0)

/** Up to so many bytes WebAssembly takes less than a millisecond. */
export const SHORT_LEN = 1 << 16

/** Works on a secret that is on its way, and zeroes it. */
function crossing<T>(secret: Out, work: (secret: Out) => T): T {
  try {
    return work(secret)
  } finally {
    host.fill(secret, 0)
  }
}
