// Makes an Encryptor, Decryptor or Rewrapper of the options of an operation.

import type { Handle } from '../backend/calls.js'
import { type BytesLike, bytesOf } from '../basics/bytes.js'
import { ArgumentError } from '../basics/error.js'
import { booleanOption, readOptions, stringOption, threadsOption } from '../basics/option.js'
import type { Profile, Suite } from '../basics/table.js'
import { passphraseBytes } from '../work/key-like.js'
import { call, sync } from '../work/whole-calls.js'
import { type Identity, identityHandles, type Recipient, recipientHandles } from './keys.js'

export type { Profile, Suite } from '../basics/table.js'

/** Who can decrypt, and how to encrypt. Give at least one of `recipients`, `passphrase` and `key`. */
export interface EncryptOptions {
  /** Public keys, any one of which decrypts: recipients, or their text forms. */
  readonly recipients?: Recipient | string | readonly (Recipient | string)[]
  /** A passphrase, which must be all that decrypts. */
  readonly passphrase?: string
  /** A symmetric key of 32 bytes. */
  readonly key?: BytesLike
  readonly suite?: Suite
  /** 1 to 1,024 bytes that are bound to the file but not stored, such as a name; decrypting needs them again. */
  readonly context?: BytesLike
  /** Allows post-quantum and classical recipients together: the file is then only as strong as the weakest. */
  readonly allowMixed?: boolean
  readonly profile?: Profile
  /** Writes text (ASCII armour) instead of binary. */
  readonly armour?: boolean
  /**
   * The number of threads, 1 to 1,024; by default all cores, which are also the most for work in memory. The result does not
   * depend on it.
   */
  readonly threads?: number
}

/** The keys that decrypt. Give at least one of `identities`, `passphrase` and `key`. */
export interface DecryptOptions {
  /** Identities, or their text forms, tried in this order. */
  readonly identities?: Identity | string | readonly (Identity | string)[]
  readonly passphrase?: string
  /** A symmetric key of 32 bytes. */
  readonly key?: BytesLike
  /** The bytes that were bound to the file. */
  readonly context?: BytesLike
  readonly profile?: Profile
  /**
   * The number of threads, 1 to 1,024; by default all cores, which are also the most for work in memory. The result does not
   * depend on it.
   */
  readonly threads?: number
}

/** Whose file, and for whom from now on. */
export interface RewrapOptions {
  /** Identities that open the file, or their text forms. */
  readonly identities: Identity | string | readonly (Identity | string)[]
  /** The recipients to add, or with `replace` all who can decrypt from now on. */
  readonly recipients: Recipient | string | readonly (Recipient | string)[]
  readonly replace?: boolean
  readonly allowMixed?: boolean
  readonly profile?: Profile
}

const ENCRYPT = [
  'recipients',
  'passphrase',
  'key',
  'suite',
  'context',
  'allowMixed',
  'profile',
  'armour',
  'threads',
] as const
const DECRYPT = ['identities', 'passphrase', 'key', 'context', 'profile', 'threads'] as const
const REWRAP = ['identities', 'recipients', 'replace', 'allowMixed', 'profile'] as const

/** The options of an encryption, for the length of the call that gets them: keys among them may live no longer. */
export interface Encryption {
  readonly recipients: Handle[]
  readonly suite: string | undefined
  readonly context: Uint8Array | undefined
  readonly allowMixed: boolean | undefined
  readonly profile: string | undefined
  readonly armour: boolean | undefined
  readonly threads: number | undefined
  /** Whether it derives a key from a passphrase, which takes so long that it is not done on JavaScript's thread. */
  isSlow(): boolean
}

/** The options of a decryption, likewise. */
export interface Decryption {
  readonly identities: Handle[]
  readonly context: Uint8Array | undefined
  readonly profile: string | undefined
  readonly threads: number | undefined
  isSlow(): boolean
}

/** An Encryptor, Decryptor or Rewrapper, and what else was said. */
export interface Recipe {
  readonly handle: Handle
  readonly armour: boolean
  readonly threads: number | undefined
}

/** Reads the options of an encryption, and `more` that `use` reads itself. */
export function encrypting<More extends object, T>(
  options: unknown,
  more: readonly (keyof More & string)[],
  use: (encryption: Encryption, read: More) => T,
): T {
  const read = readOptions<EncryptOptions & More>(options, [...ENCRYPT, ...more])
  const suite = stringOption(read.suite, 'suite')
  const allowMixed = booleanOption(read.allowMixed, 'allowMixed')
  const profile = stringOption(read.profile, 'profile')
  const armour = booleanOption(read.armour, 'armour')
  const threads = threadsOption(read.threads)
  return withHandles(
    () => secrets(read.passphrase, read.key),
    () => (read.recipients === undefined ? NONE : recipientHandles(read.recipients)),
    (own, public_) => {
      const shared: Handle[] = []
      try {
        for (let i = 0; i < own.length; i++) {
          shared[i] = call((sync) => sync.identityRecipient(own[i] as Handle))
        }
        const [recipients, context] = [joined(public_, shared), contextOf(read.context)]
        const isSlow = (): boolean => read.passphrase !== undefined
        return use({ recipients, suite, context, allowMixed, profile, armour, threads, isSlow }, read)
      } finally {
        releaseAll(shared)
      }
    },
  )
}

/** As `encrypting`, for work that goes on after the call. */
export function encryption<More extends object>(
  options: unknown,
  more: readonly (keyof More & string)[],
): Recipe & { read: More } {
  return encrypting<More, Recipe & { read: More }>(options, more, (encryption, read) => {
    const { armour, threads } = encryption
    return { handle: encryptorOf(encryption), armour: armour === true, threads, read }
  })
}

/** Reads the options of a decryption, likewise. */
export function decrypting<More extends object, T>(
  options: unknown,
  more: readonly (keyof More & string)[],
  use: (decryption: Decryption, read: More) => T,
): T {
  const read = readOptions<DecryptOptions & More>(options, [...DECRYPT, ...more])
  const profile = stringOption(read.profile, 'profile')
  const threads = threadsOption(read.threads)
  return withHandles(
    () => secrets(read.passphrase, read.key),
    () => (read.identities === undefined ? NONE : identityHandles(read.identities)),
    (own, secret) => {
      const identities = joined(secret, own)
      if (identities.length === 0) throw new ArgumentError('identities, a passphrase or a key is needed')
      const isSlow = (): boolean => identities.some((identity) => call((sync) => sync.identityIsSlow(identity)))
      return use({ identities, context: contextOf(read.context), profile, threads, isSlow }, read)
    },
  )
}

/** As `decrypting`, for work that goes on after the call. */
export function decryption<More extends object>(
  options: unknown,
  more: readonly (keyof More & string)[],
): Recipe & { read: More } {
  return decrypting<More, Recipe & { read: More }>(options, more, (decryption, read) => {
    return { handle: decryptorOf(decryption), armour: false, threads: decryption.threads, read }
  })
}

// Arguments are written out. Spread from arrays, here and in the callers, they took 0.4 µs more of the 14 that 1 KiB takes.

export function encryptorOf(told: Encryption): Handle {
  const { recipients, suite, context, allowMixed, profile, armour, threads } = told
  return call((sync) => sync.encryptor(recipients, suite, context, allowMixed, profile, armour, threads))
}

/** A sealer, and the length of the file of a plaintext of that length. */
export function sealerOf(told: Encryption, plaintextLen: number): readonly [Handle, number] {
  const { recipients, suite, context, allowMixed, profile, threads } = told
  return call((sync) => sync.sealer(recipients, suite, context, allowMixed, profile, undefined, threads, plaintextLen))
}

export function decryptorOf({ identities, context, profile, threads }: Decryption): Handle {
  return call((sync) => sync.decryptor(identities, context, profile, threads))
}

/** An opener, and the length of the file's plaintext; a decryptor alone for one that is armoured. */
export function openerOf(told: Decryption, file: Uint8Array): readonly [Handle, number?] {
  const { identities, context, profile, threads } = told
  return call((sync) => sync.opener(identities, context, profile, threads, file, file.length))
}

/** Reads the options of a rewrapping. */
export function rewrapping<More extends object>(
  options: unknown,
  more: readonly (keyof More & string)[] = [],
): Recipe & { read: More } {
  const read = readOptions<RewrapOptions & More>(options, [...REWRAP, ...more])
  const replace = booleanOption(read.replace, 'replace')
  const allowMixed = booleanOption(read.allowMixed, 'allowMixed')
  const profile = stringOption(read.profile, 'profile')
  if (read.identities === undefined || read.recipients === undefined) {
    throw new ArgumentError('identities and recipients are needed')
  }
  return withHandles(
    () => identityHandles(read.identities),
    () => recipientHandles(read.recipients),
    (identities, recipients) => {
      if (identities.length === 0) throw new ArgumentError('identities are needed')
      const handle = call((sync) => sync.rewrapper(identities, recipients, replace, allowMixed, profile))
      return { handle, armour: false, threads: undefined, read }
    },
  )
}

interface Handles {
  readonly handles: Handle[]
  readonly release: () => void
}

const NONE: Handles = { handles: [], release: () => undefined }

// By index, here and above: an iterator that another script has put on `Array.prototype` could exchange recipients.

function joined(first: readonly Handle[], second: readonly Handle[]): Handle[] {
  const all: Handle[] = []
  for (let i = 0; i < first.length; i++) all[i] = first[i] as Handle
  for (let i = 0; i < second.length; i++) all[all.length] = second[i] as Handle
  return all
}

function releaseAll(handles: readonly Handle[]): void {
  for (let i = 0; i < handles.length; i++) sync().release(handles[i] as Handle)
}

/** Works with the handles of two, and releases them, also those of the first where the second has none. */
function withHandles<T>(first: () => Handles, second: () => Handles, work: (a: Handle[], b: Handle[]) => T): T {
  const a = first()
  try {
    const b = second()
    try {
      return work(a.handles, b.handles)
    } finally {
      b.release()
    }
  } finally {
    a.release()
  }
}

/** Identities for this call only, of a passphrase and a key. */
function secrets(passphrase: unknown, key: unknown): Handles {
  const handles: Handle[] = []
  const release = (): void => releaseAll(handles)
  try {
    if (passphrase !== undefined) {
      const text = passphraseBytes(passphrase, 'passphrase')
      handles[0] = call((sync) => sync.identityOfPassphrase(text))
    }
    if (key !== undefined) {
      const bytes = bytesOf(key, 'key')
      handles[handles.length] = call((sync) => sync.identityOfKey(bytes))
    }
    return { handles, release }
  } catch (error) {
    release()
    throw error
  }
}

/** The context's bytes, which are looked at last: to read an array of keys may run code of the caller. */
function contextOf(context: unknown): Uint8Array | undefined {
  return context === undefined ? undefined : bytesOf(context, 'context')
}
