// Seals packets under a key that both sides have, each in the place where it is.

import { aead } from 'sealstone/aead'

// In a real program both sides have it from a key exchange.
const key = aead('chacha20-poly1305', new Uint8Array(32).fill(7))

const received = []
for (const [number, text] of ['attack', 'at', 'dawn'].entries()) {
  // The number of a packet makes its nonce, which must never serve twice under one key.
  const nonce = new Uint8Array(12)
  new DataView(nonce.buffer).setBigUint64(0, BigInt(number), true)
  // What is not secret, and must not be changed either.
  const header = `packet ${number}`

  const packet = new Uint8Array(text.length + 16)
  new TextEncoder().encodeInto(text, packet)
  key.sealInto(nonce, header, packet.subarray(0, text.length), packet)

  received.push(new TextDecoder().decode(key.open(nonce, header, packet)))
}
console.log(received.join(' '))
