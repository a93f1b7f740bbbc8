// Key pairs that sign, and signature files: the functions of the module, and what is promised of them. RSA is the host's.

import type { Handle, Out, SignPromises, SyncCalls } from '../calls.js'
import { Held, type Of, type Source } from './held.js'
import { EMPTY } from './host-crypto.js'
import type { HostRsa, SignedBy, Soon } from './host-rsa.js'
import * as host from './intrinsics.js'
import { normalized } from './passphrases.js'
import { checked, generated, once, RsaKeys } from './rsa-keys.js'
import { SIGN } from './signatures.js'
import type { Jobs } from './work.js'

export type Signers = Of<typeof SIGN> & Pick<SyncCalls, 'verifyIsSlow'> & { promises(jobs: Jobs): SignPromises }
type Functions = { -readonly [Name in keyof Signers]: Signers[Name] }

/** The kind of keys of RSA, as core names it. */
const RSA_KIND = 'rsa-sign'

/** The functions, over a host that has RSA; without one they fail for RSA as core does. */
export function signersOf(source: Source, rsa: HostRsa | undefined): Signers {
  const functions = new Held(source, SIGN, (handle) => keys?.forget(handle)).functions() as unknown as Functions
  const privateDer = (key: Handle): Out => functions.signPrivateExport(key, 'der', undefined) as Out
  const publicDer = (key: Handle): Out => functions.signPublicExport(key, 'der', undefined) as Out
  const keys = rsa && new RsaKeys(rsa, { privateDer, publicDer })
  const { signPrivateParse, signPrivateExport } = functions
  functions.verifyIsSlow = () => false
  functions.signPrivateParse = (file, passphrase) => normalized(passphrase, (text) => signPrivateParse(file, text))
  functions.signPrivateExport = (key, form, passphrase) =>
    normalized(passphrase, (text) => signPrivateExport(key, form, text))
  const byHost = keys && withRsa(functions, keys)

  functions.promises = (work) => ({
    signGenerateRsaLater: (bits, job) =>
      work.asJob(job, (turns) =>
        generated(rsa, bits, turns, functions.signGenerateRsa, (der) => functions.signPrivateParse(der, undefined)),
      ),
    signPrivateParseLater: (file, passphrase) =>
      work.onCopies(file, passphrase, (file, passphrase) => functions.signPrivateParse(file, passphrase)),
    signPublicParseLater: (file) => work.onCopies(file, undefined, (file) => functions.signPublicParse(file)),
    signPrivateOfLater: (kind, bytes) =>
      work.onCopies(bytes, undefined, (bytes) => functions.signPrivateOf(kind, bytes)),
    signPublicOfLater: (kind, bytes) => work.onCopies(bytes, undefined, (bytes) => functions.signPublicOf(kind, bytes)),
    signLoaded: (key, loading, choices, context, id, job) =>
      work.withLoaded(loading, job, (data) => {
        const promise = byHost?.sign(key, data, choices, context, id)
        if (promise !== undefined) return promise
        const signature = new host.Bytes(functions.signMaxLen(key))
        const length = functions.signInto(key, data, signature, choices, context, id)
        return length === host.arrayLength(signature) ? signature : new host.Bytes(host.partOf(signature, 0, length))
      }),
    signVerifyLoaded: (key, loading, signature, choices, context, id, job) =>
      work.withLoaded(loading, job, async (data) => {
        const promise = byHost?.verify(key, data, signature, choices, context, id)
        if (promise === undefined) functions.signVerify(key, data, signature, choices, context, id)
        await promise
        return undefined
      }),
  })
  return functions
}

interface ByHost {
  /** The host's work with a key of RSA. */
  sign(key: Handle, data: Uint8Array, ...options: Options): Soon<Out> | undefined
  /** Fails as core does where the signature is another's. */
  verify(key: Handle, data: Uint8Array, signature: Uint8Array, ...options: Options): Soon<true> | undefined
}

type Options = readonly [choices: number, context: Uint8Array | undefined, id: Uint8Array | undefined]

/** Has a host do what is done with keys of RSA: the core says what is wrong before, and what a wrong signature is. */
function withRsa(functions: Functions, keys: RsaKeys): ByHost {
  const { rsa } = keys
  const { again, signInto, signPublicKey, signVerify } = functions
  const { signPrivateOf, signPrivateParse, signPublicOf, signPublicParse } = functions
  const by = chosenBy(functions)
  const ofPrivate = (handle: Handle): Handle =>
    functions.signPrivateKind(handle) === RSA_KIND ? keys.add(handle, true) : handle
  const ofPublic = (handle: Handle): Handle =>
    functions.signPublicKind(handle) === RSA_KIND ? keys.add(handle, false) : handle
  const byHost = {
    sign(key: Handle, data: Uint8Array, ...options: Options): Soon<Out> | undefined {
      const own = keys.of(key)
      if (own === undefined) return undefined
      const memory = new host.Bytes(functions.signMaxLen(key))
      checked(() => signInto(key, beginning(data), memory, options[0], options[1], options[2]))
      return rsa.sign(own, by(options[0]), data)
    },
    verify(key: Handle, data: Uint8Array, signature: Uint8Array, ...options: Options): Soon<true> | undefined {
      const own = keys.of(key)
      if (own === undefined) return undefined
      const verify = (signature: Uint8Array): void =>
        signVerify(key, beginning(data), signature, options[0], options[1], options[2])
      checked(() => verify(signature))
      const verified = (isValid: boolean): true => {
        if (!isValid) verify(EMPTY)
        return isValid as true
      }
      const isValid = rsa.verify(own, by(options[0]), data, signature)
      return rsa.isAtOnce ? verified(isValid as boolean) : once(isValid, verified)
    },
  }

  functions.again = (handle) => keys.again(handle, again(handle))
  functions.signPrivateParse = (file, passphrase) => ofPrivate(signPrivateParse(file, passphrase))
  functions.signPrivateOf = (kind, bytes) => ofPrivate(signPrivateOf(kind, bytes))
  functions.signPublicParse = (file) => ofPublic(signPublicParse(file))
  functions.signPublicOf = (kind, bytes) => ofPublic(signPublicOf(kind, bytes))
  functions.signPublicKey = (key) => ofPublic(signPublicKey(key))
  // By promises alone where the host has no others.
  functions.verifyIsSlow = (key) => !rsa.isAtOnce && keys.of(key) !== undefined
  functions.signInto = (key, data, signature, choices, context, id) => {
    if (keys.of(key) === undefined) return signInto(key, data, signature, choices, context, id)
    if (!rsa.isAtOnce) return signInto(key, EMPTY, signature, choices, context, id)
    const made = byHost.sign(key, bytesOf(data), choices, context, id) as Out
    host.copyInto(signature, made)
    return host.arrayLength(made)
  }
  functions.signVerify = (key, data, signature, choices, context, id) => {
    if (keys.of(key) === undefined) signVerify(key, data, signature, choices, context, id)
    else if (!rsa.isAtOnce) signVerify(key, EMPTY, signature, choices, context, id)
    else byHost.verify(key, bytesOf(data), signature as Uint8Array, choices, context, id)
  }
  return byHost
}

/** The scheme and the hash of choices, each asked for once. */
function chosenBy({ signByRsa }: Functions): (choices: number) => SignedBy {
  const chosen = host.dictionary<SignedBy>()
  return (choices) => {
    if (chosen[choices] === undefined) {
      const names = signByRsa(choices)
      const end = host.indexOf(names, ' ')
      chosen[choices] = { scheme: host.slice(names, 0, end), hash: host.slice(names, end + 1) }
    }
    return chosen[choices] as SignedBy
  }
}

/** More bytes than core looks at, of a message, to tell whether it could be what a signature file signs. */
const LOOK_LEN = 64

function beginning(data: Uint8Array): Uint8Array {
  return host.partOf(data, 0, Math.min(host.arrayLength(data), LOOK_LEN))
}

/** Text as its UTF-8. */
function bytesOf(data: Parameters<Signers['signInto']>[1]): Uint8Array {
  return typeof data === 'string' ? host.encode(data) : (data as Uint8Array)
}
