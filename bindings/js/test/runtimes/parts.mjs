// The package in any runtime: the main functions of each entry, and the vectors. It asks of its runtime no more
// than the package does, so that a page under a strict policy, a worker and a server run the same.

/** @typedef {Record<'sealstone' | 'aead' | 'cryptoJs' | 'encoding' | 'fise' | 'hash' | 'hazmat' | 'kdf' | 'pairs' | 'passphrases' | 'passwords' | 'random' | 'rsa' | 'signatures' | 'signed' | 'yuants', any>} Packages */

/**
 * Runs every part, and names failed ones.
 *
 * @param {Packages} packages
 * @param {Record<string, string> | undefined} vectors the files of `vectors/file`, in base64
 * @returns {Promise<{ passed: string[], failed: string[] }>}
 */
export async function run(packages, vectors) {
  const parts = { ...PARTS, ...(vectors !== undefined && { vectors: () => readVectors(packages, vectors) }) }
  const [passed, failed] = [[], []]
  for (const [name, part] of Object.entries(parts)) {
    try {
      await part(packages)
      passed.push(name)
    } catch (error) {
      failed.push(`${name}: ${error?.stack ?? error}`)
    }
  }
  return { passed, failed }
}

const data = new Uint8Array(2_000_000).map((_, i) => i % 251)
const bytes = (text) => new TextEncoder().encode(text)
const text = (bytes) => new TextDecoder().decode(bytes)

function equal(a, b) {
  if (!Object.is(a, b)) throw new Error(`${String(a)} is not ${String(b)}`)
}

function same(a, b) {
  equal(a.length, b.length)
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) throw new Error(`byte ${i} differs`)
}

/** Expects an error with this code, now or later. */
async function fails(code, work) {
  let found = 'success'
  try {
    await work()
  } catch (error) {
    found = typeof error.code === 'string' ? error.code : error.name
  }
  equal(found, code)
}

async function all(stream) {
  return new Uint8Array(await new Response(stream).arrayBuffer())
}

const PARTS = {
  async keys({ sealstone }) {
    const { encryptSync, decryptSync, generateIdentity, exportIdentity, importIdentity, recipientOf } = sealstone
    for (const kind of ['hybrid', 'x25519', 'p256', 'ml-kem-768', 'sm2', 'key']) {
      const identity = generateIdentity(kind)
      const copy = await importIdentity(exportIdentity(identity))
      equal(copy.kind, kind)
      const file = encryptSync('attack at dawn', { recipients: recipientOf(identity) })
      equal(text(decryptSync(file, { identities: copy })), 'attack at dawn')
    }
    const p256 = generateIdentity('p256')
    for (const form of ['pem', 'der', 'jwk']) {
      const copy = await importIdentity(exportIdentity(p256, form))
      equal(String(recipientOf(copy)), String(recipientOf(p256)))
    }
  },

  async bytes({ sealstone }) {
    const { decrypt, decryptSync, encrypt, encryptSync, generateIdentity, recipientOf } = sealstone
    for (const [kind, suite] of [
      ['sm2', 'sm4-gcm'],
      ['hybrid', 'chacha20-poly1305'],
      ['x25519', 'aes-256-gcm'],
    ]) {
      const identities = generateIdentity(kind)
      const recipients = recipientOf(identities)
      const file = await encrypt(data, { recipients, suite })
      same(await decrypt(file, { identities }), data)
      same(decryptSync(file, { identities }), data)
      file[file.length - 1] ^= 1
      await fails('not_authentic', () => decrypt(file, { identities }))
    }
    const key = new Uint8Array(32)
    same(await decrypt(encryptSync(data, { key, armour: true }), { key }), data)
    const passphrase = 'correct horse'
    equal(text(await decrypt(await encrypt('attack', { passphrase }), { passphrase })), 'attack')
    await fails('AbortError', () => encrypt(data, { key, signal: AbortSignal.abort() }))
    const detached = data.slice()
    structuredClone(detached, { transfer: [detached.buffer] })
    await fails('invalid_argument', () => encryptSync(detached, { key }))
  },

  async streams({ sealstone }) {
    const { chunkedKey, decrypt, decryptionStream, decryptSync, encrypt, encryptionStream } = sealstone
    const key = new Uint8Array(32)
    const file = await all(encrypt(new Blob([data]), { key }))
    same(decryptSync(file, { key }), data)
    const stream = new Blob([data]).stream().pipeThrough(encryptionStream({ key }))
    same(await all(stream.pipeThrough(decryptionStream({ key }))), data)
    const chunked = chunkedKey('aes-256-gcm', key)
    same(await all(chunked.decrypt('', chunked.encrypt('', new Blob([data])))), data)
    await fails('truncated', () =>
      decrypt(new Blob([file.subarray(0, 100)]), { key })
        .getReader()
        .read(),
    )
  },

  async messages({ sealstone }) {
    const { decryptBatch, encryptBatch, generateIdentity, openMessage, recipientOf, sealMessage } = sealstone
    const identity = generateIdentity()
    const recipient = recipientOf(identity)
    for (const plaintext of [bytes('attack at dawn'), data]) {
      const message = await sealMessage(recipient, plaintext, { aad: 'x' })
      same(await openMessage(identity, message, { aad: 'x' }), plaintext)
    }
    const files = await encryptBatch(['one', 'two'], { recipients: recipient })
    equal((await decryptBatch(files, { identities: identity })).map(text).join(''), 'onetwo')
  },

  async primitives({ aead, hash, hazmat }) {
    const key = aead.aead('aes-256-gcm', new Uint8Array(32))
    for (const plaintext of [new Uint8Array(50), data]) {
      same(key.openRandom('', key.sealRandom('', plaintext)), plaintext)
      same(await key.openRandomAsync('', await key.sealRandomAsync('', plaintext)), plaintext)
    }
    await fails('not_authentic', () => key.openRandom('x', key.sealRandom('', '')))
    equal(hash.hashHex('sha256', 'abc').slice(0, 8), 'ba7816bf')
    same(hash.createHasher('sha512').update(data).digest(), hash.hash('sha512', data))
    const [iv, sm4] = [new Uint8Array(16), hazmat.cipher('sm4-cbc', new Uint8Array(16))]
    same(sm4.decrypt(iv, sm4.encrypt(iv, data)), data)
    await fails('invalid_padding', () => sm4.decrypt(iv, iv))
    key.destroy()
    await fails('invalid_argument', () => key.sealRandom('', ''))
  },

  async signatures({ signatures }) {
    const { exportPrivateKey, generateKey, generateRsaKey, importPrivateKey, importPublicKeySync } = signatures
    for (const kind of ['ed25519', 'p256-sign', 'ml-dsa-87', 'hybrid-sign', 'sm2-sign']) {
      const key = generateKey(kind)
      const copy = await importPrivateKey(exportPrivateKey(key, 'pem'))
      for (const message of ['attack at dawn', data]) {
        const signature = copy.sign(message)
        key.publicKey.verify(message, signature)
        await key.publicKey.verifyAsync(message, await copy.signAsync(message))
        signature[20] ^= 1
        await fails('invalid_signature', () => key.publicKey.verify(message, signature))
      }
      equal(importPublicKeySync(signatures.exportPublicKey(key.publicKey)).fingerprint, key.publicKey.fingerprint)
    }
    if (globalThis.crypto?.subtle === undefined) {
      await fails('unavailable_backend', () => generateRsaKey(2048))
      return
    }
    const key = await generateRsaKey(2048)
    const copy = await importPrivateKey(exportPrivateKey(key, 'jwk'))
    for (const options of [{}, { scheme: 'pkcs1', hash: 'sha512' }]) {
      const signature = await copy.signAsync('attack at dawn', options)
      await key.publicKey.verifyAsync('attack at dawn', signature, options)
      await fails('invalid_signature', () => key.publicKey.verifyAsync('attack at noon', signature, options))
    }
  },

  async signed({ signatures, signed }) {
    for (const kind of ['ed25519', 'hybrid-sign', 'sm2-sign']) {
      const key = signatures.generateKey(kind)
      const signature = await signed.sign(data, key, { comment: 'release 7' })
      const line = signatures.exportPublicKey(key.publicKey, 'ssh')
      for (const content of [data, new Blob([data]), new Blob([data]).stream()]) {
        const { comment, contentLen, fingerprint } = await signed.verify(content, signature, line)
        equal(`${comment} ${contentLen} ${fingerprint}`, `release 7 ${data.length} ${key.publicKey.fingerprint}`)
      }
      const allowed = `alice@example.org ${line}\n`
      equal((await signed.verify(data, signature, { allowed })).principals, 'alice@example.org')
      await fails('unknown_signer', () => signed.verify(data, signature, { allowed, principal: 'bob@example.org' }))
      await fails('invalid_signature', () => signed.verify('attack at noon', signature, key.publicKey))
    }
  },

  async pairs({ pairs, rsa }) {
    for (const kind of ['x25519', 'p521']) {
      const [alice, bob] = [pairs.generateKey(kind), pairs.generateKey(kind)]
      const by = { hash: 'sha256', info: 'example.com v1', length: 32 }
      same(alice.diffieHellman(bob.publicKey, by), bob.diffieHellman(alice.publicKey, by))
    }
    for (const kind of ['ml-kem-1024', 'hybrid']) {
      const key = pairs.generateKey(kind)
      const { secret, ciphertext } = key.publicKey.encapsulate()
      same(key.decapsulate(ciphertext), secret)
    }
    if (globalThis.crypto?.subtle === undefined) return
    const key = await rsa.generateKey(2048)
    const ciphertext = await key.publicKey.encryptAsync('a key', { label: 'x' })
    equal(text(await key.decryptAsync(ciphertext, { label: 'x' })), 'a key')
    await fails('not_authentic', () => key.decryptAsync(ciphertext))
  },

  async random({ encoding, passphrases, random }) {
    const token = random.randomBytes(100_000)
    same(encoding.decode('base64url', encoding.encode('base64url', token)), token)
    equal(encoding.timingSafeEqual(token, random.randomBytes(100_000)), false)
    await fails('invalid_encoding', () => encoding.decode('base64', 'Zg'))
    equal(/^[0-9a-f-]{14}7/.test(random.uuidV7()), true)
    equal(random.generateKey('aes-256-gcm').length, 32)
    equal(random.password({ length: 9, alphabet: 'ab' }).length, 9)
    equal(passphrases.passphrase({ words: 5, separator: ' ' }).split(' ').length, 5)
  },

  /** Long work leaves its runtime turns, and ends when it is given up. */
  async passwords({ kdf, passwords }) {
    const [password, salt, cost] = ['correct horse', new Uint8Array(16), { memoryKib: 32_768, passes: 2 }]
    const turnsOf = async (work) => {
      let [turns, isDone] = [0, false]
      const result = work().finally(() => {
        isDone = true
      })
      for (; !isDone; turns++) await new Promise((resolve) => setTimeout(resolve))
      // 64 steps of a millisecond at least, of which at most a few are done in 4 milliseconds.
      equal(turns > 4, true)
      return result
    }
    const key = await turnsOf(() => kdf.argon2id(password, salt, cost))
    same(key, kdf.argon2idSync(password, salt, cost))
    const stored = await turnsOf(() => passwords.hashPassword(password, { algorithm: 'argon2id', ...cost }))
    await turnsOf(() => passwords.verifyPassword(password, stored))
    await fails('not_authentic', () => passwords.verifyPassword('battery staple', stored))
    const expected = kdf.pbkdf2Sync('sha256', password, salt, { iterations: 1000 })
    same(await kdf.pbkdf2('sha256', password, salt, { iterations: 1000 }), expected)
    const controller = new AbortController()
    const long = kdf.argon2id(password, salt, { memoryKib: 262_144, passes: 16, signal: controller.signal })
    setTimeout(() => controller.abort(), 20)
    await fails('AbortError', () => long)
    same(await kdf.argon2id(password, salt, cost), key)
  },

  async cryptoJs({ cryptoJs }) {
    const { AES, DES, enc, HmacSHA256, PBKDF2, SHA3, TripleDES } = cryptoJs.default
    const made = AES.encrypt('attack at dawn', 'password').toString()
    equal(AES.decrypt(made, 'password').toString(enc.Utf8), 'attack at dawn')
    const key = PBKDF2('password', 'salt', { keySize: 6, iterations: 1000 })
    const cfg = { iv: enc.Hex.parse('0001020304050607') }
    equal(TripleDES.decrypt(TripleDES.encrypt('x', key, cfg).toString(), key, cfg).toString(enc.Utf8), 'x')
    equal(DES.decrypt(DES.encrypt('x', key, cfg).toString(), key, cfg).toString(), '78')
    equal(SHA3('', { outputLength: 256 }).toString().slice(0, 8), 'c5d24601')
    equal(HmacSHA256('abc', 'key').toString().slice(0, 8), '9c196e32')
  },

  async yuants({ yuants }) {
    const pair = yuants.createKeyPair()
    const { public_key, private_key } = pair
    same(yuants.decryptByPrivateKey(yuants.encryptByPublicKey(data, public_key), private_key), data)
    const later = await yuants.encryptByPublicKeyAsync(data, public_key)
    same(await yuants.decryptByPrivateKeyAsync(later, private_key), data)
    equal(yuants.verifySecretSigner(await yuants.makeSecret('1234', { type: 'pin' }, public_key, pair)), true)
    equal(yuants.encodeHex(await yuants.sha256('abc')).slice(0, 8), 'ba7816bf')
  },

  async fise({ fise }) {
    const { defaultBinaryRules, defaultRules, fiseBinaryDecrypt, fiseBinaryEncrypt, fiseDecrypt, fiseEncrypt } = fise
    for (const text of ['fise', '世界😀'.repeat(9999)]) {
      equal(fiseDecrypt(fiseEncrypt(text, defaultRules), defaultRules), text)
    }
    same(fiseBinaryDecrypt(fiseBinaryEncrypt(data, defaultBinaryRules), defaultBinaryRules), data)
  },

  /** Objects that are never destroyed are collected, and their numbers. */
  async collection({ sealstone }) {
    const identity = sealstone.generateIdentity('x25519')
    for (let i = 0; i < 20_000; i++) sealstone.recipientOf(identity)
    const file = sealstone.encryptSync('x', { recipients: sealstone.recipientOf(identity) })
    equal(text(sealstone.decryptSync(file, { identities: identity })), 'x')
  },
}

/** Every vector but those whose header takes seconds, at once and later. */
async function readVectors({ sealstone }, vectors) {
  const { backend, decrypt, decryptSync, generateIdentity, identityFromPassphrase, importIdentitySync } = sealstone
  const hasCompression = !backend().includes('webassembly')
  const binary = (base64) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0))
  let readings = 0
  for (const [name, base64] of Object.entries(vectors)) {
    const vector = binary(base64)
    const end = vector.findIndex((byte, i) => byte === 10 && vector[i + 1] === 10)
    const lines = text(vector.subarray(0, end)).split('\n')
    const file = vector.slice(end + 2)
    const values = (key) => lines.flatMap((line) => (line.startsWith(`${key}: `) ? [line.slice(key.length + 2)] : []))
    if (values('range').length > 0 || /^(attempts_|passphrase_)/.test(name)) continue
    const identities = [
      ...values('identity').map((text) => importIdentitySync(text)),
      ...values('identity-pkcs8').map((text) => importIdentitySync(binary(text))),
      ...values('passphrase').map((text) => identityFromPassphrase(text)),
    ]
    if (identities.length === 0) identities.push(generateIdentity('x25519'))
    const [context] = values('context')
    const options = { identities, ...(context !== undefined && { context }) }
    for (const read of [() => decryptSync(file, options), () => decrypt(file, options)]) {
      let code = 'success'
      try {
        await read()
      } catch (error) {
        code = error.code
      }
      const [told] = values('expect')
      const expected = hasCompression || !isCompressed(file) ? told : 'unsupported_version'
      if (code !== expected) throw new Error(`${name}: ${code} instead of ${expected}`)
      readings += 1
    }
  }
  if (readings < 3000) throw new Error(`only ${readings} readings of vectors`)
}

/** Whether a file, armoured or not, is of version 2 and a suite that exists, with the flag of compressed content. */
function isCompressed(file) {
  const [, armoured] = /^-----BEGIN SEALSTONE FILE-----\r?\n([A-Za-z0-9+/]{16})/.exec(text(file.subarray(0, 64))) ?? []
  const prefix = armoured === undefined ? file : Uint8Array.from(atob(armoured), (character) => character.charCodeAt(0))
  const begins = [0x89, 0x53, 0x45, 0x41, 0x4c, 0x0d, 0x0a, 0x1a, 2].every((byte, i) => prefix[i] === byte)
  return begins && prefix[9] >= 1 && prefix[9] <= 3 && (prefix[11] & 4) !== 0
}
