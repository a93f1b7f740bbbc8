// The package in a server and in a page.

import { decryptSync, encryptSync, generateIdentity, recipientOf, SealstoneError } from 'sealstone'

export function work() {
  const identity = generateIdentity()
  const file = encryptSync('attack at dawn', { recipients: recipientOf(identity) })
  try {
    decryptSync(file, { identities: generateIdentity() })
  } catch (error) {
    if (!(error instanceof SealstoneError)) throw error
    return `${new TextDecoder().decode(decryptSync(file, { identities: identity }))}, ${error.code}`
  }
}
