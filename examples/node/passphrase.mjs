// Encrypts a text with a passphrase, and decrypts it.
//
//     node passphrase.mjs WORDS    in a real program they come from a prompt: other processes see arguments

import { decrypt, encrypt } from 'sealstone'

const passphrase = process.argv[2]
if (passphrase === undefined) throw new Error('usage: passphrase.mjs WORDS')

const file = await encrypt('attack at dawn', { passphrase })

// Each attempt to open it takes some tenths of a second, also for those who guess; the event loop goes on meanwhile.
console.log(new TextDecoder().decode(await decrypt(file, { passphrase })))

try {
  await decrypt(file, { passphrase: 'another passphrase' })
} catch (error) {
  console.log(`with another one: ${error.code}`)
}
