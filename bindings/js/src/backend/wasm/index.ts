// The backend without an addon: the functions of `SyncCalls`, over the modules of WebAssembly
// (docs/design/wasm.md). A module has its own objects: what crosses from one to the other are bytes.

import type { AgePromises, ExchangePromises, Handle, Out, RsaPromises, SignPromises, SyncCalls } from '../calls.js'
import { type AgeFiles, ageFilesOf } from './age-files.js'
import type { JobTurns } from './books.js'
import { type Ciphers, ciphersOf } from './ciphers.js'
import { type Derive, derived } from './derivations.js'
import { type Digests, digestsOf } from './digests.js'
import { type Exchangers, exchangersOf } from './exchangers.js'
import { Held, type Of, type Source } from './held.js'
import type { HostRsa } from './host-rsa.js'
import { hasSignatures, Instance } from './instance.js'
import * as host from './intrinsics.js'
import { Owners } from './owners.js'
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
import type { Jobs } from './work.js'

/** The calls of every module. */
type Objects = keyof typeof OBJECTS | 'holds'
/** Keys, files, messages, ciphers for one buffer, digests, and key pairs of applications. */
export type Base = Of<typeof BASE> &
  Omit<Digests, Objects> &
  Omit<Ciphers, Objects> &
  Omit<Signers, Objects | 'promises'> &
  Omit<Exchangers, Objects | 'promises'> &
  Omit<RsaPairs, Objects | 'promises'> &
  Omit<AgeFiles, Objects | 'promises'> &
  Pick<SyncCalls, 'identitiesParse' | 'identityExport' | 'own' | 'recipientsParse' | 'recipientExport'> & {
    /** Has `forget` told of every number that ends, before its object does. */
    forgetting(forget: (handle: Handle) => void): void
    /** As `identitiesParse`, with keys that are derived of the passphrase in turns, or by a host. */
    identitiesParseLater(
      derive: Derive | undefined,
      file: Uint8Array,
      passphrase: Uint8Array,
      turns: JobTurns,
    ): Promise<Handle[]>
    readonly stretch: Stretch
    /** Promised work with other modules' objects. */
    promises(jobs: Jobs): AgePromises & SignPromises & ExchangePromises & RsaPromises
  }
/** The calls for compatibility with other software. */
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
  const forgets: ((handle: Handle) => void)[] = []
  const forget = (handle: Handle): void => {
    for (let i = 0; i < forgets.length; i++) forgets[i]?.(handle)
  }
  const functions = new Held(source, BASE, forget).functions() as unknown as Functions
  const forms = new Held(formsSource, FORMS).functions() as unknown as Of<typeof FORMS>
  const stretching = stepper(source, BASE, 'stretchingStep', 'stretchingKey')
  const stretch: Stretch = (asked, turns) => stretching('stretching', [asked], turns)
  const [digests, ciphers, signers] = [digestsOf(digestSource), ciphersOf(cipherSource), signersOf(signSource, rsa)]
  const [exchangers, rsaPairs, ageFiles] = [
    exchangersOf(exchangeSource),
    rsaPairsOf(exchangeSource, rsa),
    ageFilesOf(ageSource),
  ]
  Object.assign(functions, { stretch }, heads(functions), keys(functions, forms))
  const parts: Holder[] = [functions, digests, ciphers, signers, exchangers, rsaPairs, ageFiles]
  const all = { ...digests, ...ciphers, ...signers, ...exchangers, ...rsaPairs, ...ageFiles, ...functions }
  return { ...all, ...joined(parts, forgets) }
}

type Functions = { -readonly [Name in keyof Base]: Base[Name] }

/** Calls that hand over the beginning of long bytes alone. */
function heads(functions: Functions): Pick<Base, 'messageHeadLen' | 'messageIsArmoured' | 'opener'> {
  const { messageHeadLen, messageIsArmoured, opener } = functions
  return {
    opener: (identities, context, profile, threads, file, fileLen) =>
      opener(identities, context, profile, threads, headOf(functions, file), fileLen),
    messageIsArmoured: (message) => messageIsArmoured(looked(functions, message)),
    messageHeadLen: (identity, message, length) => messageHeadLen(identity, startOf(message), length),
  }
}

type KeyNames =
  | 'identitiesParse'
  | 'identitiesParseLater'
  | 'identityExport'
  | 'identityOfPassphrase'
  | 'recipientsParse'
  | 'recipientExport'

/** Keys in all forms, of which the module of forms has those that are no strings. */
function keys(functions: Functions, forms: Of<typeof FORMS>): Pick<Base, KeyNames> {
  const { identityOfPassphrase } = functions
  return {
    identityOfPassphrase: (text) => normalized(text, (text) => identityOfPassphrase(text as Uint8Array)),
    identitiesParse: (file, passphrase) =>
      normalized(passphrase, (text) => {
        const { keys, opened } = functions.identitiesRead(file, text)
        if (keys !== null) return keys
        const read = (): Out => forms.identitiesOfForm(file, opened, text, undefined)
        return crossing(opened === undefined ? read() : crossing(opened, read), functions.identitiesOfBytes)
      }),
    async identitiesParseLater(derive, file, passphrase, turns) {
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
        if (read.keys !== null) return read.keys
        opened = read.opened
        if (derive !== undefined) keys = await derived(forms.derivationsOfForm(file, opened), text, derive)
        return crossing(forms.identitiesOfForm(file, opened, text, keys), functions.identitiesOfBytes)
      } finally {
        if (decryptor !== undefined) functions.release(decryptor)
        if (text !== passphrase) host.fill(text, 0)
        if (opened !== undefined) host.fill(opened, 0)
        if (keys !== undefined) host.fill(keys, 0)
      }
    },
    identityExport: (identity, form, passphrase) =>
      normalized(passphrase, (text) => {
        const own = functions.identityString(identity, form, text)
        if (own !== null) return own
        return crossing(functions.identityBytes(identity), (key) => forms.identityInForm(key, form, text))
      }),
    recipientsParse(file) {
      const { keys } = functions.recipientsRead(file)
      return keys ?? functions.recipientsOfBytes(forms.recipientsOfForm(file))
    },
    recipientExport: (recipient, form) =>
      functions.recipientString(recipient, form) ?? forms.recipientInForm(functions.recipientBytes(recipient), form),
  }
}

type Holder = Pick<Base, 'again' | 'holds' | 'release'> & { promises?(jobs: Jobs): object }

/** An object is asked of the module that holds it; the first one says where there is none. */
function joined(
  parts: readonly Holder[],
  forgets: ((handle: Handle) => void)[],
): Holder & Pick<Base, 'forgetting' | 'own' | 'promises'> {
  const holder = (handle: Handle): Holder | undefined => parts.find((part) => part.holds(handle))
  const release = (handle: Handle): void => {
    for (const part of parts) part.release(handle)
  }
  const owners = new Owners(release)
  forgets.push((handle) => owners.forget(handle))
  return {
    release,
    own(handle, owner) {
      if (holder(handle) !== undefined) owners.add(handle, owner)
    },
    forgetting: (forget) => forgets.push(forget),
    again: (handle) => (holder(handle) ?? (parts[0] as Holder)).again(handle),
    holds: (handle) => holder(handle) !== undefined,
    promises: (jobs) => Object.assign({}, ...parts.map((part) => part.promises?.(jobs))),
  }
}

/** The module of what other software uses, as {@link base}. */
export function compat(source: Source): Compat {
  return new Held(source, COMPAT).functions() as unknown as Compat
}

/** The kinds of modules. */
export type ModuleKind = 'age' | 'base' | 'cipher' | 'compat' | 'digest' | 'exchange' | 'forms' | 'sign'

/** The kinds of a module of this version of the package; a module of other versions has none. */
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
