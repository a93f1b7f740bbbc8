import type { Handle, Later } from '../backend/calls.js'
import { type Bytes, type BytesLike, bytesOf, copyOf } from '../basics/bytes.js'
import { booleanOption, readOptions } from '../basics/option.js'
import { output } from '../basics/output.js'
import { inParts, keyed, onLoaded, RUN_OPTIONS, type Run, type RunOptions, runOf } from '../work/run.js'
import { bulk, call, sync } from '../work/whole-calls.js'
import { heldIdentity, heldRecipient, type Identity, type Recipient } from './keys.js'

export interface MessageOptions {
  /** Bytes that are authenticated but not stored; opening needs them again. */
  readonly aad?: BytesLike
}

export interface SealMessageOptions extends MessageOptions {
  /** Returns text, for mail and terminals, instead of bytes. */
  readonly armour?: boolean
}

/**
 * Seals up to 16 MiB to one public key, as a compact message: 50 bytes longer with an `x25519` key, 1,138 with a `hybrid` one.
 * Another thread does it if that pays.
 *
 * A message does not prove who sent it: anyone who has the recipient can make one.
 *
 * @throws {@link SealstoneError} `invalid_recipients` for an `sm2` key, a symmetric key or a passphrase; `too_long`; the reason of
 * the signal.
 *
 * @example
 * ```ts
 * import { generateIdentity, openMessage, recipientOf, sealMessage } from 'sealstone'
 *
 * const identity = generateIdentity('x25519')
 * const message = await sealMessage(recipientOf(identity), 'attack at dawn', { aad: 'order 17' })
 * console.log(message.length) // 64
 * console.log(new TextDecoder().decode(await openMessage(identity, message, { aad: 'order 17' }))) // attack at dawn
 * ```
 */
export async function sealMessage(
  recipient: Recipient,
  plaintext: BytesLike,
  options: SealMessageOptions & RunOptions & { armour: true },
): Promise<string>
export async function sealMessage(
  recipient: Recipient,
  plaintext: BytesLike,
  options?: MessageOptions & RunOptions & { armour?: false },
): Promise<Bytes>
export async function sealMessage(
  recipient: Recipient,
  plaintext: BytesLike,
  options?: SealMessageOptions & RunOptions,
): Promise<Bytes | string> {
  const read = readOptions<SealMessageOptions & RunOptions>(options, ['aad', 'armour', ...RUN_OPTIONS])
  const armour = booleanOption(read.armour, 'armour') === true
  const run = runOf(read)
  return keyed<Bytes | string>(heldRecipient(recipient), plaintext, PLAINTEXT, run, {
    now: (data, handle) => sealed(handle, data, aadOf(read), armour),
    elsewhere: () => {
      const aad = copyOf(read.aad ?? '', 'aad')
      if (!armour) return (handle, data) => sealedLater(handle, data, aad, run)
      const work = (handle: Handle, loading: Handle, job: Handle): Later<string> =>
        bulk().messageSealArmouredLoaded(handle, loading, aad, job)
      return onLoaded(PLAINTEXT, run, work)
    },
  })
}

/**
 * As {@link sealMessage}, at once.
 *
 * @throws {@link SealstoneError} as {@link sealMessage}.
 *
 * @example
 * ```ts
 * import { generateIdentity, openMessageSync, recipientOf, sealMessageSync } from 'sealstone'
 *
 * const identity = generateIdentity()
 * const text = sealMessageSync(recipientOf(identity), 'attack at dawn', { armour: true })
 * console.log(text) // -----BEGIN SEALSTONE MESSAGE-----…
 * console.log(openMessageSync(identity, text).length)
 * ```
 */
export function sealMessageSync(
  recipient: Recipient,
  plaintext: BytesLike,
  options: SealMessageOptions & { armour: true },
): string
export function sealMessageSync(
  recipient: Recipient,
  plaintext: BytesLike,
  options?: MessageOptions & { armour?: false },
): Bytes
export function sealMessageSync(
  recipient: Recipient,
  plaintext: BytesLike,
  options?: SealMessageOptions,
): Bytes | string {
  const read = readOptions<SealMessageOptions>(options, ['aad', 'armour'])
  const armour = booleanOption(read.armour, 'armour') === true
  return sealed(heldRecipient(recipient).handle, bytesOf(plaintext, PLAINTEXT), aadOf(read), armour)
}

/**
 * Opens a message, as bytes or as text, with the identity that it is for, on another thread if that pays. The message does not
 * prove who sent it.
 *
 * @throws {@link SealstoneError} `not_sealstone`, `unsupported_suite`, `no_matching_identity`, `truncated`, `too_long`,
 * `not_authentic`; the reason of the signal.
 *
 * @example
 * ```ts
 * import { generateIdentity, openMessage, recipientOf, sealMessage } from 'sealstone'
 *
 * const identity = generateIdentity()
 * const message = await sealMessage(recipientOf(identity), 'attack at dawn')
 * const error = await openMessage(generateIdentity(), message).catch((error) => error)
 * console.log(error.code) // not_authentic
 * ```
 */
export async function openMessage(
  identity: Identity,
  message: BytesLike,
  options?: MessageOptions & RunOptions,
): Promise<Bytes> {
  const read = readOptions<MessageOptions & RunOptions>(options, ['aad', ...RUN_OPTIONS])
  const run = runOf(read)
  return keyed(heldIdentity(identity), message, MESSAGE, run, {
    now: (data, handle) => opened(handle, data, aadOf(read)),
    elsewhere: () => {
      const aad = copyOf(read.aad ?? '', 'aad')
      const armoured = onLoaded(MESSAGE, run, (handle, loading, job) =>
        bulk().messageOpenArmouredLoaded(handle, loading, aad, job),
      )
      return (handle, data) =>
        sync().messageIsArmoured(data) ? armoured(handle, data) : openedLater(handle, data, aad, run)
    },
  })
}

/**
 * As {@link openMessage}, at once.
 *
 * @throws {@link SealstoneError} as {@link openMessage}.
 *
 * @example
 * ```ts
 * import { generateIdentity, openMessageSync, recipientOf, sealMessageSync } from 'sealstone'
 *
 * const identity = generateIdentity()
 * const message = sealMessageSync(recipientOf(identity), 'attack at dawn')
 * console.log(new TextDecoder().decode(openMessageSync(identity, message))) // attack at dawn
 * ```
 */
export function openMessageSync(identity: Identity, message: BytesLike, options?: MessageOptions): Bytes {
  const read = readOptions<MessageOptions>(options, ['aad'])
  return opened(heldIdentity(identity).handle, bytesOf(message, MESSAGE), aadOf(read))
}

const [PLAINTEXT, MESSAGE] = ['the plaintext', 'the message'] as const

function aadOf({ aad }: MessageOptions): Bytes {
  return bytesOf(aad ?? '', 'aad')
}

function sealed(recipient: Handle, data: Bytes, aad: Bytes, armour: boolean): Bytes | string {
  if (armour) return call((sync) => sync.messageSealArmoured(recipient, data, aad))
  const len = call((sync) => sync.messageLen(recipient, data.length))
  return output(len, (message) => {
    call((sync) => sync.messageSealInto(recipient, data, aad, message))
    return len
  })
}

function opened(identity: Handle, data: Bytes, aad: Bytes): Bytes {
  if (sync().messageIsArmoured(data)) return call((sync) => sync.messageOpenArmoured(identity, data, aad))
  const len = data.length - call((sync) => sync.messageHeadLen(identity, data, data.length)) - sync().tagLen()
  return output(len, (plaintext) => {
    call((sync) => sync.messageOpenInto(identity, data, aad, plaintext))
    return len
  })
}

/** Seals where the plaintext is copied to, part after part: in its place within the message. */
function sealedLater(recipient: Handle, data: Bytes, aad: Bytes, run: Run): Promise<Bytes> {
  const { length } = data
  const by = call((sync) => sync.again(recipient))
  let [at, end] = [0, 0]
  return inParts(data, PLAINTEXT, run, {
    by,
    length() {
      const messageLen = call((sync) => sync.messageLen(by, length))
      end = messageLen - sync().tagLen()
      at = end - length
      return messageLen
    },
    threads: 1,
    take(part, message) {
      message.set(part, at)
      at += part.length
      return at === end ? bulk().messageSealPlaced(by, aad, message) : null
    },
  })
}

/** Opens where the ciphertext is copied to, part after part: in the plaintext's memory. */
async function openedLater(identity: Handle, message: Bytes, aad: Bytes, run: Run): Promise<Bytes> {
  const headLen = call((sync) => sync.messageHeadLen(identity, message, message.length))
  const end = message.length - sync().tagLen()
  const [head, text, tag] = [message.slice(0, headLen), message.subarray(headLen, end), message.slice(end)]
  const { length } = text
  const by = call((sync) => sync.again(identity))
  let at = 0
  return inParts(text, MESSAGE, run, {
    by,
    length: () => length,
    threads: 1,
    take(part, plaintext) {
      plaintext.set(part, at)
      at += part.length
      return at === length ? bulk().messageOpenPlaced(by, head, aad, plaintext, tag) : null
    },
  })
}
