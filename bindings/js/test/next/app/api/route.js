import { decryptSync, encryptSync, generateIdentity, recipientOf, SealstoneError } from 'sealstone'

export const dynamic = 'force-dynamic'

export function GET() {
  const identity = generateIdentity()
  const file = encryptSync('attack at dawn', { recipients: recipientOf(identity) })
  try {
    decryptSync(file, { identities: generateIdentity() })
  } catch (error) {
    if (!(error instanceof SealstoneError)) throw error
    return new Response(`${new TextDecoder().decode(decryptSync(file, { identities: identity }))}, ${error.code}`)
  }
}
