import { SealstoneError } from '../../basics/error.js'
import { turn } from '../../basics/turn.js'
import type { Handle, Out } from '../calls.js'
import { cancelled } from './books.js'
import type { Given } from './given.js'
import { type HostKey, isLong, NONCE_LEN, TAG_LEN } from './host-crypto.js'
import { memoryOf } from './instance.js'
import * as host from './intrinsics.js'
import type { BaseModule } from './module.js'
import type { PromisedCrypto } from './promised-crypto.js'

/** Bytes of the key of a message. */
const KEY_LEN = 32

/** The messages that a host seals and opens, and promises: the core encapsulates, and gives it the key of one message. */
export class HostMessages {
  readonly #base: BaseModule
  readonly #crypto: PromisedCrypto
  /** The functions that end waiting for a promise, which may never be kept, by the number of the object. */
  readonly #waiting = host.dictionary<() => void>()

  constructor(base: BaseModule, crypto: PromisedCrypto) {
    this.#base = base
    this.#crypto = crypto
  }

  /** As `messageSealPlaced`, if the host is to. */
  seal(recipient: Handle, aad: Uint8Array, message: Out): Promise<undefined> | undefined {
    if (isLong(aad)) return undefined
    const begun = this.#base.messageBegin(recipient)
    const at = host.arrayLength(begun) - KEY_LEN - NONCE_LEN
    host.copyInto(message, host.partOf(begun, KEY_LEN + NONCE_LEN, at))
    const plaintext = host.partOf(message, at, host.arrayLength(message) - at - TAG_LEN)
    const seal = (key: HostKey, nonce: Uint8Array): Given<Out> => this.#crypto.seal(key, nonce, aad, plaintext)
    return this.#worked(recipient, begun, seal, message, at)
  }

  /** As `messageOpenPlaced`, likewise. */
  open(
    identity: Handle,
    head: Uint8Array,
    aad: Uint8Array,
    text: Out,
    tag: Uint8Array,
  ): Promise<undefined> | undefined {
    if (isLong(aad)) return undefined
    const opening = this.#base.messageOpening(identity, head)
    const length = host.arrayLength(text)
    const sealed = memoryOf(length + TAG_LEN)
    host.copyInto(sealed, text)
    host.copyInto(sealed, tag, length)
    const open = (key: HostKey, nonce: Uint8Array): Given<Out | undefined> => this.#crypto.open(key, nonce, aad, sealed)
    return this.#worked(identity, opening, open, text, 0)
  }

  forget(handle: Handle): void {
    this.#waiting[handle]?.()
  }

  /** Works with key and nonce, which are zeroed, and puts the result into memory, unless all is over before. */
  async #worked(
    handle: Handle,
    secret: Out,
    work: (key: HostKey, nonce: Uint8Array) => Given<Out | undefined>,
    memory: Out,
    at: number,
  ): Promise<undefined> {
    let isOver = false
    const over = new Promise<SealstoneError>((resolve) => {
      this.#waiting[handle] = () => {
        isOver = true
        resolve(cancelled())
      }
    })
    const nonce = new host.Bytes(host.partOf(secret, KEY_LEN, NONCE_LEN))
    const arriving = this.#crypto.key(host.partOf(secret, 0, KEY_LEN))
    host.fill(secret, 0)
    const put = async (): Promise<SealstoneError | undefined> => {
      const key = await arriving
      if (key instanceof SealstoneError) return key
      // The host may take some 30 milliseconds of this thread for 16 MiB; what is done before and behind that is no part of it.
      await turn()
      if (isOver) return undefined
      const made = await work(key, nonce)
      if (made instanceof SealstoneError) return made
      await turn()
      if (made === undefined) this.#base.notAuthentic(undefined)
      else {
        if (!isOver) host.copyInto(memory, made, at)
        host.fill(made, 0)
        host.free([host.arrayBuffer(made) as ArrayBuffer])
      }
      return undefined
    }
    try {
      const error = await Promise.race([put(), over])
      if (error !== undefined) throw error
    } finally {
      delete this.#waiting[handle]
    }
  }
}
