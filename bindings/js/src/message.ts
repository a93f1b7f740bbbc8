import { call } from './backend.js'
import { type Bytes, type BytesLike, bytesOf } from './bytes.js'
import { heldIdentity, heldRecipient, type Identity, type Recipient } from './keys.js'
import { booleanOption, readOptions } from './option.js'

export interface MessageOptions {
  /** Bytes that are authenticated and not stored; opening needs them again. */
  readonly aad?: BytesLike
}

export interface SealMessageOptions extends MessageOptions {
  /** Returns text, for mail and terminals, instead of bytes. */
  readonly armour?: boolean
}

/**
 * Seals up to 16 MiB to one public key, as a compact message: 50 bytes longer with an `x25519` key, 1,138 with a `hybrid` one.
 *
 * The sender is not authenticated: whoever has the recipient can make a message.
 *
 * @throws {@link SealstoneError} `invalid_recipients` for an `sm2` key, a symmetric key or a passphrase; `too_long`.
 *
 * @example
 * ```ts
 * import { generateIdentity, openMessage, recipientOf, sealMessage } from 'sealstone'
 *
 * const identity = generateIdentity('x25519')
 * const message = sealMessage(recipientOf(identity), 'attack at dawn', { aad: 'order 17' })
 * console.log(message.length) // 64
 * console.log(new TextDecoder().decode(openMessage(identity, message, { aad: 'order 17' }))) // attack at dawn
 * ```
 */
export function sealMessage(
  recipient: Recipient,
  plaintext: BytesLike,
  options: SealMessageOptions & { armour: true },
): string
export function sealMessage(
  recipient: Recipient,
  plaintext: BytesLike,
  options?: MessageOptions & { armour?: false },
): Bytes
export function sealMessage(recipient: Recipient, plaintext: BytesLike, options?: SealMessageOptions): Bytes | string {
  const data = bytesOf(plaintext, 'the plaintext')
  const read = readOptions<SealMessageOptions>(options, ['aad', 'armour'])
  const aad = bytesOf(read.aad ?? '', 'aad')
  const armour = booleanOption(read.armour, 'armour') === true
  const { handle } = heldRecipient(recipient)
  return call((backend) =>
    armour ? backend.messageSealArmoured(handle, data, aad) : backend.messageSeal(handle, data, aad),
  )
}

/**
 * Opens a message, or the text of one, with the identity that it is for. What it says is no evidence of who wrote it.
 *
 * @throws {@link SealstoneError} `not_sealstone`, `unsupported_suite`, `no_matching_identity`, `truncated`, `not_authentic`.
 */
export function openMessage(identity: Identity, message: BytesLike, options?: MessageOptions): Bytes {
  const data = bytesOf(message, 'the message')
  const aad = bytesOf(readOptions<MessageOptions>(options, ['aad']).aad ?? '', 'aad')
  const { handle } = heldIdentity(identity)
  return call((backend) => backend.messageOpen(handle, data, aad))
}
