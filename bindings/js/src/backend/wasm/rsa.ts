// Key pairs of RSA that encrypt: the module has the keys, and the host computes with them.

import type { Handle, Later, Out, RsaCalls, RsaPromises, RsaWasmCalls } from '../calls.js'
import type { HostRsa, Pkcs1, RsaKey, Soon } from './host-rsa.js'
import type { Parts } from './hosting.js'
import * as host from './intrinsics.js'
import { familyOf } from './module.js'
import { normalized } from './passphrases.js'
import { checked, generated, once, RsaKeys } from './rsa-keys.js'
import { RSA } from './signatures.js'
import type { Work } from './work.js'

/** The hash of OAEP where nobody chooses, as core has it. */
const USUAL_HASH = 'sha256'

/** Without a host that has RSA, they fail as core does. */
export class Rsa extends familyOf<RsaCalls & RsaWasmCalls>(RSA) implements RsaPromises {
  readonly #work: Work
  readonly #rsa: HostRsa | undefined
  readonly #keys: RsaKeys | undefined

  constructor({ sourceOf, work, hosting: { rsa } }: Parts) {
    super(sourceOf('exchange'))
    this.#work = work
    this.#rsa = rsa
    this.#keys =
      rsa &&
      new RsaKeys(rsa, {
        privateDer: (key) => super.rsaPrivateExport(key, 'der', undefined) as Out,
        publicDer: (key) => this.rsaPublicExport(key, 'der') as Out,
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

  override rsaGenerate(bits: number): Handle {
    const rsa = this.#rsa
    if (rsa?.generateNow === undefined) return super.rsaGenerate(bits)
    checked(() => super.rsaGenerate(bits))
    const der = rsa.generateNow(bits)
    try {
      return this.rsaPrivateParse(der, undefined)
    } finally {
      host.fill(der, 0)
    }
  }

  rsaGenerateLater(bits: number, job: Handle): Later<Handle> {
    const refuse = (bits: number): Handle => super.rsaGenerate(bits)
    const read = (der: Out): Handle => this.rsaPrivateParse(der, undefined)
    return this.#work.asJob(job, (turns) => generated(this.#rsa, bits, turns, refuse, read))
  }

  override rsaPrivateParse(file: Uint8Array, passphrase: Uint8Array | undefined): Handle {
    const key = normalized(passphrase, (text) => super.rsaPrivateParse(file, text))
    return this.#add(key, true)
  }

  rsaPrivateParseLater(file: Uint8Array, passphrase: Uint8Array | undefined): Later<Handle> {
    return this.#work.onCopies(file, passphrase, (file, passphrase) => this.rsaPrivateParse(file, passphrase))
  }

  override rsaPublicParse(file: Uint8Array): Handle {
    return this.#add(super.rsaPublicParse(file), false)
  }

  rsaPublicParseLater(file: Uint8Array): Later<Handle> {
    return this.#work.onCopies(file, undefined, (file) => this.rsaPublicParse(file))
  }

  override rsaPublicKey(key: Handle): Handle {
    return this.#add(super.rsaPublicKey(key), false)
  }

  override rsaPrivateExport(key: Handle, form: string, passphrase: Uint8Array | undefined): string | Out {
    return normalized(passphrase, (text) => super.rsaPrivateExport(key, form, text))
  }

  override rsaEncrypt(key: Handle, plaintext: Uint8Array, hash: string | undefined, label: Uint8Array): Out {
    if (this.#rsa?.isAtOnce !== true) return super.rsaEncrypt(key, plaintext, hash, label)
    return this.#encrypted(key, plaintext, hash, label) as Out
  }

  rsaEncryptLater(key: Handle, plaintext: Uint8Array, hash: string | undefined, label: Uint8Array): Later<Out> {
    return this.#onKey(key, (key) =>
      this.#work.onCopies(plaintext, label, (plaintext, label) => this.#encrypted(key, plaintext, hash, label)),
    )
  }

  override rsaDecrypt(key: Handle, ciphertext: Uint8Array, hash: string | undefined, label: Uint8Array): Out {
    if (this.#rsa?.isAtOnce !== true) return super.rsaDecrypt(key, ciphertext, hash, label)
    return this.#decrypted(key, ciphertext, hash, label) as Out
  }

  rsaDecryptLater(key: Handle, ciphertext: Uint8Array, hash: string | undefined, label: Uint8Array): Later<Out> {
    return this.#onKey(key, (key) =>
      this.#work.onCopies(ciphertext, label, (ciphertext, label) => this.#decrypted(key, ciphertext, hash, label)),
    )
  }

  override rsaEncryptPkcs1(key: Handle, plaintext: Uint8Array): Out {
    const pkcs1 = this.#pkcs1(() => super.rsaEncryptPkcs1(key, plaintext))
    return pkcs1 === undefined ? super.rsaEncryptPkcs1(key, plaintext) : pkcs1.encrypt(this.#key(key), plaintext)
  }

  rsaEncryptPkcs1Later(key: Handle, plaintext: Uint8Array): Later<Out> {
    return this.#onKey(key, (key) =>
      this.#work.onCopies(plaintext, undefined, (plaintext) => this.rsaEncryptPkcs1(key, plaintext)),
    )
  }

  override rsaDecryptPkcs1(key: Handle, ciphertext: Uint8Array): Out {
    const pkcs1 = this.#pkcs1(() => super.rsaDecryptPkcs1(key, ciphertext))
    if (pkcs1 === undefined) return super.rsaDecryptPkcs1(key, ciphertext)
    const encoded = pkcs1.decrypt(this.#key(key), ciphertext)
    try {
      return this.rsaUnpadPkcs1(key, ciphertext, encoded)
    } finally {
      host.fill(encoded, 0)
    }
  }

  rsaDecryptPkcs1Later(key: Handle, ciphertext: Uint8Array): Later<Out> {
    return this.#onKey(key, (key) =>
      this.#work.onCopies(ciphertext, undefined, (ciphertext) => this.rsaDecryptPkcs1(key, ciphertext)),
    )
  }

  #add(handle: Handle, isPrivate: boolean): Handle {
    return this.#keys?.add(handle, isPrivate) ?? handle
  }

  /** A key as the host has it, which has every key of the module. */
  #key(handle: Handle): RsaKey {
    return this.#keys?.of(handle) as RsaKey
  }

  /** The host's PKCS#1 v1.5, once the core has found nothing wrong. */
  #pkcs1(check: () => unknown): Pkcs1 | undefined {
    const pkcs1 = this.#rsa?.pkcs1
    if (pkcs1 !== undefined) checked(check)
    return pkcs1
  }

  /** OAEP by the host, at once or promised: the core says before what is wrong. */
  #encrypted(key: Handle, plaintext: Uint8Array, hash: string | undefined, label: Uint8Array): Soon<Out> {
    if (this.#rsa === undefined) return super.rsaEncrypt(key, plaintext, hash, label)
    checked(() => super.rsaEncrypt(key, plaintext, hash, label))
    return this.#rsa.encrypt(this.#key(key), hash ?? USUAL_HASH, label, plaintext)
  }

  /** Likewise; and the core says what is not authentic. */
  #decrypted(key: Handle, ciphertext: Uint8Array, hash: string | undefined, label: Uint8Array): Soon<Out> {
    const rsa = this.#rsa
    if (rsa === undefined) return super.rsaDecrypt(key, ciphertext, hash, label)
    checked(() => super.rsaDecrypt(key, ciphertext, hash, label))
    const refused = (plaintext: Out | undefined): Out => {
      if (plaintext !== undefined) return plaintext
      // No number below the modulus is this one.
      const largest = host.fill(new host.Bytes(host.arrayLength(ciphertext)), 0xff)
      return super.rsaDecrypt(key, largest, hash, label)
    }
    const plaintext = rsa.decrypt(this.#key(key), hash ?? USUAL_HASH, label, ciphertext)
    return rsa.isAtOnce ? refused(plaintext as Out | undefined) : once(plaintext, refused)
  }

  /** Works with a number of its own for a key, which the caller may destroy meanwhile. */
  async #onKey<T>(key: Handle, work: (key: Handle) => Later<T>): Later<T> {
    const own = this.again(key)
    try {
      return await work(own)
    } finally {
      this.release(own)
    }
  }
}
