// Encrypts a file to a public key, and decrypts it with the secret one.
//
//     node recipient.mjs FILE      writes FILE.key, FILE.seal and FILE.copy

import { readFile, writeFile } from 'node:fs/promises'
import { decryptFile, encryptFile, exportIdentity, exportRecipient, generateIdentity, importIdentities, recipientOf } from 'sealstone'

const file = process.argv[2]
if (file === undefined) throw new Error('usage: recipient.mjs FILE')

// The secret key stays with whoever is to decrypt; nobody else may read it.
const identity = generateIdentity()
await writeFile(`${file}.key`, `${exportIdentity(identity)}\n`, { mode: 0o600, flag: 'wx' })
// The public one goes to whoever encrypts.
const recipients = exportRecipient(recipientOf(identity))

await encryptFile(file, `${file}.seal`, { recipients })

const identities = await importIdentities(await readFile(`${file}.key`))
const done = await decryptFile(`${file}.seal`, `${file}.copy`, { identities })
console.log(`${done.plaintext} bytes came back`)
