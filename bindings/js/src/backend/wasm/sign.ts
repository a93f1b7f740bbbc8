// Key pairs that sign, and signature files. RSA is the host's: the core has the keys, and says what is wrong.

import type {
  Data,
  Handle,
  Later,
  Lent,
  Out,
  SignCalls,
  SignNativeCalls,
  SignPromises,
  SignWasmCalls,
} from '../calls.js'
import { EMPTY } from './host-crypto.js'
import type { HostRsa, SignedBy, Soon } from './host-rsa.js'
import type { Parts } from './hosting.js'
import * as host from './intrinsics.js'
import { familyOf } from './module.js'
import { normalized } from './passphrases.js'
import { checked, generated, once, RsaKeys } from './rsa-keys.js'
import { SIGN } from './signatures.js'
import type { Work } from './work.js'

/** The kind of keys of RSA, as core names it. */
const RSA_KIND = 'rsa-sign'

/** How a signature is made: the choices, the context, and the signer's id. */
type Options = readonly [choices: number, context: Uint8Array | undefined, id: Uint8Array | undefined]

/** Without a host that has RSA, its keys fail as core does. */
export class Sign extends familyOf<SignCalls & SignWasmCalls>(SIGN) implements SignNativeCalls, SignPromises {
  readonly #work: Work
  readonly #rsa: HostRsa | undefined
  readonly #keys: RsaKeys | undefined
  /** The scheme and the hash of choices, each asked for once. */
  readonly #chosen = host.dictionary<SignedBy>()

  constructor({ sourceOf, work, hosting: { rsa } }: Parts) {
    super(sourceOf('sign'))
    this.#work = work
    this.#rsa = rsa
    this.#keys =
      rsa &&
      new RsaKeys(rsa, {
        privateDer: (key) => super.signPrivateExport(key, 'der', undefined) as Out,
        publicDer: (key) => this.signPublicExport(key, 'der', undefined) as Out,
        release: (key) => this.release(key),
      })
  }

  override again(handle: Handle): Handle {
    const other = super.again(handle)
    return this.#keys?.again(handle, other) ?? other
  }

  override forget(handle: Handle): void {
    this.#keys?.forget(handle)
  }

  signGenerateRsaLater(bits: number, job: Handle): Later<Handle> {
    const refuse = (bits: number): Handle => this.signGenerateRsa(bits)
    const read = (der: Out): Handle => this.signPrivateParse(der, undefined)
    return this.#work.asJob(job, (turns) => generated(this.#rsa, bits, turns, refuse, read))
  }

  override signPrivateParse(file: Uint8Array, passphrase: Uint8Array | undefined): Handle {
    return this.#addPrivate(normalized(passphrase, (text) => super.signPrivateParse(file, text)))
  }

  signPrivateParseLater(file: Uint8Array, passphrase: Uint8Array | undefined): Later<Handle> {
    return this.#work.onCopies(file, passphrase, (file, passphrase) => this.signPrivateParse(file, passphrase))
  }

  override signPublicParse(file: Uint8Array): Handle {
    return this.#addPublic(super.signPublicParse(file))
  }

  signPublicParseLater(file: Uint8Array): Later<Handle> {
    return this.#work.onCopies(file, undefined, (file) => this.signPublicParse(file))
  }

  override signPrivateOf(kind: string, bytes: Uint8Array): Handle {
    return this.#addPrivate(super.signPrivateOf(kind, bytes))
  }

  signPrivateOfLater(kind: string, bytes: Uint8Array): Later<Handle> {
    return this.#work.onCopies(bytes, undefined, (bytes) => this.signPrivateOf(kind, bytes))
  }

  override signPublicOf(kind: string, bytes: Uint8Array): Handle {
    return this.#addPublic(super.signPublicOf(kind, bytes))
  }

  signPublicOfLater(kind: string, bytes: Uint8Array): Later<Handle> {
    return this.#work.onCopies(bytes, undefined, (bytes) => this.signPublicOf(kind, bytes))
  }

  override signPublicKey(key: Handle): Handle {
    return this.#addPublic(super.signPublicKey(key))
  }

  override signPrivateExport(key: Handle, form: string, passphrase: Uint8Array | undefined): string | Out {
    return normalized(passphrase, (text) => super.signPrivateExport(key, form, text))
  }

  /** By promises alone where the host has no others. */
  verifyIsSlow(key: Handle): boolean {
    return this.#rsa?.isAtOnce === false && this.#keys?.of(key) !== undefined
  }

  override signInto(
    key: Handle,
    data: Data,
    signature: Uint8Array,
    choices: number,
    context: Uint8Array | undefined,
    id: Uint8Array | undefined,
  ): number {
    if (this.#keys?.of(key) === undefined) return super.signInto(key, data, signature, choices, context, id)
    if (this.#rsa?.isAtOnce !== true) return super.signInto(key, EMPTY, signature, choices, context, id)
    const made = this.#signByHost(key, bytesOf(data), [choices, context, id]) as Out
    host.copyInto(signature, made)
    return host.arrayLength(made)
  }

  override signVerify(
    key: Handle,
    data: Data,
    signature: Lent,
    choices: number,
    context: Uint8Array | undefined,
    id: Uint8Array | undefined,
  ): void {
    if (this.#keys?.of(key) === undefined) super.signVerify(key, data, signature, choices, context, id)
    else if (this.#rsa?.isAtOnce !== true) super.signVerify(key, EMPTY, signature, choices, context, id)
    else this.#verifyByHost(key, bytesOf(data), signature as Uint8Array, [choices, context, id])
  }

  signLoaded(
    key: Handle,
    loading: Handle,
    choices: number,
    context: Uint8Array | undefined,
    id: Uint8Array | undefined,
    job: Handle,
  ): Later<Out> {
    return this.#work.withLoaded(loading, job, (data) => {
      const promise = this.#signByHost(key, data, [choices, context, id])
      if (promise !== undefined) return promise
      const signature = new host.Bytes(this.signMaxLen(key))
      const length = super.signInto(key, data, signature, choices, context, id)
      return length === host.arrayLength(signature) ? signature : new host.Bytes(host.partOf(signature, 0, length))
    })
  }

  signVerifyLoaded(
    key: Handle,
    loading: Handle,
    signature: Uint8Array,
    choices: number,
    context: Uint8Array | undefined,
    id: Uint8Array | undefined,
    job: Handle,
  ): Later<undefined> {
    return this.#work.withLoaded(loading, job, async (data) => {
      const promise = this.#verifyByHost(key, data, signature, [choices, context, id])
      if (promise === undefined) super.signVerify(key, data, signature, choices, context, id)
      await promise
      return undefined
    })
  }

  /** Signs by the host, if the key is of RSA. */
  #signByHost(key: Handle, data: Uint8Array, [choices, context, id]: Options): Soon<Out> | undefined {
    const own = this.#keys?.of(key)
    if (own === undefined) return undefined
    const memory = new host.Bytes(this.signMaxLen(key))
    checked(() => super.signInto(key, beginning(data), memory, choices, context, id))
    return this.#rsa?.sign(own, this.#by(choices), data)
  }

  /** Verifies likewise; fails as core does where the signature is another's. */
  #verifyByHost(
    key: Handle,
    data: Uint8Array,
    signature: Uint8Array,
    [choices, context, id]: Options,
  ): Soon<true> | undefined {
    const rsa = this.#rsa
    const own = this.#keys?.of(key)
    if (rsa === undefined || own === undefined) return undefined
    const verify = (signature: Uint8Array): void =>
      super.signVerify(key, beginning(data), signature, choices, context, id)
    checked(() => verify(signature))
    const verified = (isValid: boolean): true => {
      if (!isValid) verify(EMPTY)
      return isValid as true
    }
    const isValid = rsa.verify(own, this.#by(choices), data, signature)
    return rsa.isAtOnce ? verified(isValid as boolean) : once(isValid, verified)
  }

  #by(choices: number): SignedBy {
    if (this.#chosen[choices] === undefined) {
      const names = this.signByRsa(choices)
      const end = host.indexOf(names, ' ')
      this.#chosen[choices] = { scheme: host.slice(names, 0, end), hash: host.slice(names, end + 1) }
    }
    return this.#chosen[choices]
  }

  /** Gives the host a key of RSA. */
  #addPrivate(key: Handle): Handle {
    return this.#keys !== undefined && this.signPrivateKind(key) === RSA_KIND ? this.#keys.add(key, true) : key
  }

  #addPublic(key: Handle): Handle {
    return this.#keys !== undefined && this.signPublicKind(key) === RSA_KIND ? this.#keys.add(key, false) : key
  }
}

/** More bytes than core looks at, of a message, to tell whether it could be what a signature file signs. */
const LOOK_LEN = 64

function beginning(data: Uint8Array): Uint8Array {
  return host.partOf(data, 0, Math.min(host.arrayLength(data), LOOK_LEN))
}

/** Text as its UTF-8. */
function bytesOf(data: Data): Uint8Array {
  return typeof data === 'string' ? host.encode(data) : (data as Uint8Array)
}
