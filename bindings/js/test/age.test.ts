// Files of age: C2SP's kit, typage (`age-encryption`) as a live judge in both directions, and our additions. The same on the addon,
// on WebAssembly and in Chromium.

import * as typage from 'age-encryption'
import { expect, test } from 'vitest'
import { kit } from '#age'
import * as age from '../src/api/age/index.js'
import { turn } from '../src/basics/turn.js'
import { compare, concat, flip, fromBase64, pattern, randomBytes, textOf, toHex } from './data.js'
import { goesOnElsewhere } from './turns.js'

const code = (code: string) => expect.objectContaining({ name: 'SealstoneError', code })
const CHUNK = 65_536
const LENGTHS = [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK, 17 * CHUNK + 3]

type Bytes = Uint8Array<ArrayBuffer>

function stream(bytes: Uint8Array, partLen = 10_000): ReadableStream<Bytes> {
  let at = 0
  return new ReadableStream({
    pull(controller) {
      if (at < bytes.length) controller.enqueue(new Uint8Array(bytes.subarray(at, at + partLen)))
      at += partLen
      if (at >= bytes.length) controller.close()
    },
  })
}

/** Bytes of a stream, and the error that ends it. */
async function read(parts: ReadableStream<Uint8Array>): Promise<{ bytes: Bytes; error?: unknown }> {
  const reader = parts.getReader()
  const read: Uint8Array[] = []
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return { bytes: concat(read) }
      read.push(new Uint8Array(value))
    }
  } catch (error) {
    return { bytes: concat(read), error }
  }
}

async function whole(parts: ReadableStream<Uint8Array>): Promise<Bytes> {
  const { bytes, error } = await read(parts)
  if (error !== undefined) throw error
  return bytes
}

function encrypter(...recipients: (string | age.Recipient)[]): age.Encrypter {
  const encrypter = new age.Encrypter()
  for (const recipient of recipients) encrypter.addRecipient(recipient)
  return encrypter
}

function decrypter(...identities: Parameters<age.Decrypter['addIdentity']>[0][]): age.Decrypter {
  const decrypter = new age.Decrypter()
  for (const identity of identities) decrypter.addIdentity(identity)
  return decrypter
}

async function inflated(bytes: Bytes): Promise<Bytes> {
  return whole(new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate')))
}

/** The outcomes of vectors, and the codes for each. */
const CODES: Record<string, readonly string[]> = {
  success: ['success'],
  'no match': ['no_matching_identity'],
  'HMAC failure': ['header_not_authentic'],
  'header failure': ['malformed_header', 'truncated', 'cost_too_high', 'malformed_armour'],
  'armor failure': ['malformed_armour'],
  'payload failure': ['truncated', 'not_authentic'],
}

test("every vector of C2SP's kit opens or fails as it says, in memory and as a stream", async () => {
  expect(kit).toHaveLength(143)
  let opened = 0
  for (const { name, expect: expected, payload, identities, passphrases, armored, compressed, file } of kit) {
    const bytes = compressed === null ? fromBase64(file) : await inflated(fromBase64(file))
    const decrypter = new age.Decrypter()
    for (const identity of identities) decrypter.addIdentity(identity)
    for (const passphrase of passphrases) decrypter.addPassphrase(passphrase)
    const codeOf = (error: unknown): string =>
      error === undefined ? 'success' : error instanceof age.SealstoneError ? error.code : String(error)
    let binary = bytes
    if (armored) {
      try {
        binary = age.armor.decode(textOf(bytes))
      } catch (error) {
        expect(['armor failure', 'header failure'], name).toContain(expected)
        expect(codeOf(error), name).toBe('malformed_armour')
        continue
      }
      // age refuses text on a line of its own in front of armour; typage and we leave it out.
      if (expected === 'armor failure') {
        expect(['armor_whitespace_begin'], name).toContain(name)
        continue
      }
    }
    const inMemory = await decrypter.decrypt(binary).then(
      (plaintext) => ({ bytes: plaintext, error: undefined }),
      (error) => ({ bytes: new Uint8Array(0), error }),
    )
    expect(CODES[expected], `${name}: ${inMemory.error}`).toContain(codeOf(inMemory.error))
    const streamed = await decrypter
      .decrypt(stream(binary))
      .then(read, (error) => ({ bytes: new Uint8Array(0), error }))
    // A length that no file has is said first where it is known.
    expect(CODES[expected], `${name}: ${streamed.error}`).toContain(codeOf(streamed.error))
    if (expected === 'success') {
      opened++
      expect(compare(streamed.bytes, inMemory.bytes), name).toBe(0)
    }
    if (payload === null) expect(streamed.bytes, name).toHaveLength(0)
    else expect(toHex(new Uint8Array(await crypto.subtle.digest('SHA-256', streamed.bytes))), name).toBe(payload)
  }
  expect(opened).toBe(26)
})

for (const [kind, generate] of [
  ['X25519', age.generateX25519Identity],
  ['hybrid', age.generateHybridIdentity],
] as const) {
  test(`typage and we read each other's files: ${kind}`, async () => {
    const identity = await generate()
    const recipient = await age.identityToRecipient(identity)
    expect(await typage.identityToRecipient(identity)).toBe(recipient)
    const [theirs, their] = [new typage.Encrypter(), new typage.Decrypter()]
    theirs.addRecipient(recipient)
    their.addIdentity(identity)
    const [ours, our] = [encrypter(recipient), decrypter(identity)]
    for (const length of LENGTHS) {
      const plaintext = pattern(length)
      const file = await ours.encrypt(plaintext)
      expect(compare(await their.decrypt(file), plaintext), `${length}`).toBe(0)
      expect(compare(await our.decrypt(await theirs.encrypt(plaintext)), plaintext), `${length}`).toBe(0)

      const sealed = await ours.encrypt(stream(plaintext))
      const theirSize = (await theirs.encrypt(stream(plaintext))).size(length)
      expect(sealed.size(length)).toBe(theirSize)
      const streamed = await whole(sealed)
      expect(streamed).toHaveLength(theirSize)
      const opened = await their.decrypt(stream(streamed, 100_000))
      expect(compare(await whole(opened), plaintext)).toBe(0)
      const own = await our.decrypt(await theirs.encrypt(stream(plaintext)))
      expect(own.size(streamed.length)).toBe(length)
      expect(compare(await whole(own), plaintext)).toBe(0)
    }
  })
}

test("typage and we read each other's files under passphrases", async () => {
  const passphrase = 'light-original-energy-average-wish-blind'
  const [ours, theirs] = [new age.Encrypter(), new typage.Encrypter()]
  const [our, their] = [new age.Decrypter(), new typage.Decrypter()]
  for (const one of [ours, theirs]) {
    one.setScryptWorkFactor(10)
    one.setPassphrase(passphrase)
  }
  for (const one of [our, their]) {
    one.addPassphrase('another')
    one.addPassphrase(passphrase)
  }
  expect(await their.decrypt(await ours.encrypt('attack at dawn'), 'text')).toBe('attack at dawn')
  expect(await our.decrypt(await theirs.encrypt('attack at dawn'), 'text')).toBe('attack at dawn')
  const streamed = await our.decrypt(await ours.encrypt(stream(pattern(100_000))))
  expect(compare(await whole(streamed), pattern(100_000))).toBe(0)
  // Each file has a salt of its own.
  const [one, other] = [await ours.encrypt(''), await ours.encrypt('')]
  expect(textOf(one).split('\n')[1]).not.toBe(textOf(other).split('\n')[1])
  const wrong = new age.Decrypter()
  wrong.addPassphrase('wrong')
  await expect(wrong.decrypt(one)).rejects.toThrow('wrong passphrase')
  const usual = new age.Encrypter()
  usual.setPassphrase(passphrase)
  // The page has its turns while that is derived.
  const file = await goesOnElsewhere(20, () => usual.encrypt('attack at dawn'))
  expect(textOf(file).split('\n')[1]).toMatch(/ 18$/)
  expect(await our.decrypt(file, 'text')).toBe('attack at dawn')
})

test('armour is the text that typage writes and reads', async () => {
  const identity = await age.generateIdentity()
  for (const length of [0, 1, 47, 48, 49, 200_000]) {
    const file = await encrypter(await age.identityToRecipient(identity)).encrypt(pattern(length))
    const text = age.armor.encode(file)
    expect(text).toBe(typage.armor.encode(file))
    expect(compare(age.armor.decode(text), file)).toBe(0)
    expect(compare(age.armor.decode(` \n${text.replaceAll('\n', '\r\n')}\n\t`), file)).toBe(0)
    expect(() => age.armor.decode(text.replace('-----END', '----END'))).toThrow(code('malformed_armour'))
  }
})

test('text is UTF-8, and a mark at its beginning is none of it', async () => {
  const identity = await age.generateIdentity()
  const ours = encrypter(await age.identityToRecipient(identity))
  expect(await decrypter(identity).decrypt(await ours.encrypt('Grüße 🦈'), 'text')).toBe('Grüße 🦈')
  expect(await decrypter(identity).decrypt(await ours.encrypt('\ufefftext'), 'text')).toBe('text')
  const bytes = await decrypter(identity).decrypt(await ours.encrypt('text'), 'uint8array')
  expect(bytes).toBeInstanceOf(Uint8Array)
})

test('a header is opened alone', async () => {
  const identity = await age.generateIdentity()
  const file = await encrypter(await age.identityToRecipient(identity)).encrypt('attack at dawn')
  const header = file.slice(0, textOf(file).indexOf('\n', textOf(file).indexOf('\n---') + 1) + 1)
  const their = new typage.Decrypter()
  their.addIdentity(identity)
  const fileKey = await decrypter(identity).decryptHeader(header)
  expect(compare(fileKey, await their.decryptHeader(header))).toBe(0)
  expect(fileKey).toHaveLength(16)
  expect(compare(await decrypter(identity).decryptHeader(file), fileKey)).toBe(0)
  await expect(decrypter(identity).decryptHeader(header.subarray(0, 60))).rejects.toThrow(code('truncated'))
  const own = decrypter({ unwrapFileKey: () => randomBytes(16) })
  await expect(own.decryptHeader(header)).rejects.toThrow(code('header_not_authentic'))
})

test('objects of a caller wrap and unwrap file keys, beside ours and typage alike', async () => {
  const identity = await age.generateIdentity()
  const recipient = await age.identityToRecipient(identity)
  const vault = new Map<string, Uint8Array>()
  const own: age.Recipient & age.Identity = {
    async wrapFileKey(fileKey) {
      const id = String(vault.size)
      vault.set(id, fileKey.slice())
      return [
        new age.Stanza(['example.com/vault', id], randomBytes(100)),
        new age.Stanza(['example.com/empty'], new Uint8Array(0)),
      ]
    },
    unwrapFileKey(stanzas) {
      const mine = stanzas.find(({ args }) => args[0] === 'example.com/vault')
      return mine === undefined ? null : (vault.get(mine.args[1] as string) ?? null)
    },
  }
  const file = await encrypter(own, recipient).encrypt('attack at dawn')
  const words = textOf(file)
    .split('\n')
    .filter((line) => line.startsWith('-> '))
  expect(words.map((line) => line.split(' ')[1])).toEqual(['example.com/vault', 'example.com/empty', 'X25519'])
  expect(await decrypter(own).decrypt(file, 'text')).toBe('attack at dawn')
  expect(await decrypter(identity).decrypt(file, 'text')).toBe('attack at dawn')
  const other = await age.generateHybridIdentity()
  const all = decrypter(other, { unwrapFileKey: () => null }, other, identity)
  expect(await all.decrypt(file, 'text')).toBe('attack at dawn')
  expect(compare(await decrypter(own).decryptRange(file, 7, 9), new TextEncoder().encode('at'))).toBe(0)
  await expect(decrypter(other, { unwrapFileKey: () => null }).decrypt(file)).rejects.toThrow(
    code('no_matching_identity'),
  )
  await expect(decrypter({ unwrapFileKey: () => randomBytes(16) }).decrypt(file)).rejects.toThrow(
    code('header_not_authentic'),
  )
  await expect(decrypter({ unwrapFileKey: () => randomBytes(15) }).decrypt(file)).rejects.toThrow(code('wrong_length'))
  const fails = decrypter({ unwrapFileKey: () => Promise.reject(new Error('the vault is closed')) })
  await expect(fails.decrypt(file)).rejects.toThrow('the vault is closed')
  const bad = { wrapFileKey: () => [new age.Stanza(['two words'], new Uint8Array(0))] }
  await expect(encrypter(bad).encrypt('')).rejects.toThrow(TypeError)

  // An object for one library works with the other.
  const [theirs, their] = [new typage.Encrypter(), new typage.Decrypter()]
  theirs.addRecipient(own)
  their.addIdentity(own)
  expect(await their.decrypt(file, 'text')).toBe('attack at dawn')
  expect(await decrypter(own).decrypt(await theirs.encrypt('attack at dawn'), 'text')).toBe('attack at dawn')
  const stream_ = await decrypter(own).decrypt(await encrypter(own).encrypt(stream(pattern(70_000))))
  expect(compare(await whole(stream_), pattern(70_000))).toBe(0)
})

test('a key of WebCrypto that nobody can export opens files', async () => {
  const { privateKey } = (await crypto.subtle.generateKey({ name: 'X25519' }, false, ['deriveBits'])) as CryptoKeyPair
  const recipient = await age.identityToRecipient(privateKey)
  expect(recipient).toBe(await typage.identityToRecipient(privateKey))
  const theirs = new typage.Encrypter()
  theirs.addRecipient(recipient)
  const other = await age.identityToRecipient(await age.generateIdentity())
  for (const file of [
    await encrypter(other, recipient).encrypt('attack at dawn'),
    await theirs.encrypt('attack at dawn'),
  ]) {
    expect(await decrypter(privateKey).decrypt(file, 'text')).toBe('attack at dawn')
  }
  await expect(decrypter(privateKey).decrypt(await encrypter(other).encrypt(''))).rejects.toThrow(
    code('no_matching_identity'),
  )
  const lowOrder = kit.find(({ name }) => name === 'x25519_low_order') as (typeof kit)[number]
  await expect(decrypter(privateKey).decrypt(fromBase64(lowOrder.file))).rejects.toThrow(code('malformed_header'))
  const { publicKey } = (await crypto.subtle.generateKey({ name: 'X25519' }, false, ['deriveBits'])) as CryptoKeyPair
  expect(() => decrypter(publicKey)).toThrow(TypeError)
})

test('nothing is released that is not authentic', async () => {
  const identity = await age.generateIdentity()
  const plaintext = pattern(20 * CHUNK + 5)
  const file = await encrypter(await age.identityToRecipient(identity)).encrypt(plaintext)
  const at = file.length - (20 * (CHUNK + 16) + 5 + 16)
  for (const chunk of [0, 1, 16, 20]) {
    const changed = file.slice()
    flip(changed, at + chunk * (CHUNK + 16) + 3)
    await expect(decrypter(identity).decrypt(changed)).rejects.toThrow(code('not_authentic'))
    const { bytes, error } = await read(await decrypter(identity).decrypt(stream(changed, 100_000)))
    expect(error).toEqual(code('not_authentic'))
    expect(compare(bytes, plaintext.subarray(0, chunk * CHUNK)), `${chunk}`).toBe(0)
  }
  const cut = file.subarray(0, at + 2 * (CHUNK + 16))
  const { bytes, error } = await read(await decrypter(identity).decrypt(stream(cut)))
  expect(error).toEqual(code('truncated'))
  expect(compare(bytes, plaintext.subarray(0, 2 * CHUNK))).toBe(0)
  for (const length of [0, 1, 100, at - 1, at]) {
    await expect(decrypter(identity).decrypt(file.subarray(0, length)), `${length}`).rejects.toThrow(code('truncated'))
    const streamed = decrypter(identity)
      .decrypt(stream(file.subarray(0, length)))
      .then(whole)
    await expect(streamed, `${length}`).rejects.toThrow(code('truncated'))
  }
  // The source's error comes behind the bytes that are authentic.
  const failing = new ReadableStream<Bytes>({
    pull(controller) {
      controller.enqueue(file.slice(0, at + CHUNK + 17))
      controller.error(new Error('the line is down'))
    },
  })
  await expect(decrypter(identity).decrypt(failing).then(whole)).rejects.toThrow('the line is down')
})

test('a chunk is given as soon as it is known to be none of the last', async () => {
  const identity = await age.generateIdentity()
  const plaintext = pattern(3 * CHUNK)
  const file = await encrypter(await age.identityToRecipient(identity)).encrypt(plaintext)
  const at = file.length - 3 * (CHUNK + 16)
  let controller: ReadableStreamDefaultController<Bytes> | undefined
  const source = new ReadableStream<Bytes>({
    start(own) {
      controller = own
    },
  })
  controller?.enqueue(file.slice(0, at + CHUNK + 17))
  const reader = (await decrypter(identity).decrypt(source)).getReader()
  const { value } = await reader.read()
  expect(compare(value as Bytes, plaintext.subarray(0, CHUNK))).toBe(0)
  await reader.cancel()
})

test('a part of a file is read as its place says', async () => {
  const identity = await age.generateIdentity()
  const ours = encrypter(await age.identityToRecipient(identity))
  const our = decrypter(identity)
  for (const length of [0, 1, CHUNK, 3 * CHUNK + 5]) {
    const plaintext = pattern(length)
    const file = await ours.encrypt(plaintext)
    const places = [0, 1, CHUNK - 1, CHUNK, CHUNK + 1, length, length + 1, 2 ** 50]
    for (const start of places) {
      for (const end of places) {
        const of = `${length}: ${start} to ${end}`
        const [inMemory, blob] = [our.decryptRange(file, start, end), our.decryptRange(new Blob([file]), start, end)]
        if (start > end || start > length) {
          // Both at once: one that fails while another is awaited would have no handler.
          await Promise.all([inMemory, blob].map((one) => expect(one, of).rejects.toThrow(code('range_out_of_bounds'))))
        } else {
          for (const part of await Promise.all([inMemory, blob])) {
            expect(compare(part, plaintext.subarray(start, Math.min(end, length))), of).toBe(0)
          }
        }
      }
    }
  }
  const file = await ours.encrypt(pattern(2 * CHUNK))
  const cut = file.subarray(0, file.length - CHUNK - 16)
  await expect(our.decryptRange(cut, 0, 2 * CHUNK)).rejects.toThrow(code('truncated'))
  await expect(our.decryptRange(file.subarray(0, 100), 0, 1)).rejects.toThrow(code('truncated'))
})

test('a signal ends the work, and progress is told', async () => {
  const identity = await age.generateIdentity()
  const ours = encrypter(await age.identityToRecipient(identity))
  const seen: number[] = []
  const file = await ours.encrypt(pattern(3_000_000), { onProgress: ({ bytes }) => void seen.push(bytes) })
  expect(seen.at(-1)).toBe(3_000_000)
  const why = new Error('no longer wanted')
  const signal = AbortSignal.abort(why)
  await expect(ours.encrypt('x', { signal })).rejects.toBe(why)
  await expect(decrypter(identity).decrypt(file, 'uint8array', { signal })).rejects.toBe(why)
  await expect(decrypter(identity).decrypt(stream(file), undefined, { signal })).rejects.toBe(why)
  const controller = new AbortController()
  const opened = await decrypter(identity).decrypt(stream(file), undefined, { signal: controller.signal })
  const reader = opened.getReader()
  await reader.read()
  controller.abort(why)
  await expect(async () => {
    while (!(await reader.read()).done);
  }).rejects.toBe(why)
  const slow = new age.Encrypter()
  slow.setPassphrase('correct horse battery staple')
  slow.setScryptWorkFactor(17)
  const later = new AbortController()
  const passphrase = slow.encrypt('x', { signal: later.signal })
  later.abort(why)
  await expect(passphrase).rejects.toBe(why)
  // A signal also ends the work on a stranger's file, with a wrong passphrase.
  const locked = await slow.encrypt('x')
  const wrong = new age.Decrypter()
  wrong.addPassphrase('a wrong one')
  const ended = new AbortController()
  const waiting = [
    wrong.decrypt(locked, 'text', { signal: ended.signal }),
    wrong.decrypt(stream(locked), undefined, { signal: ended.signal }),
    wrong.decryptRange(locked, 0, 1, { signal: ended.signal }),
  ]
  // They have begun, and take a third of a second each.
  await turn()
  ended.abort(why)
  const settled = await Promise.allSettled(waiting)
  expect(settled).toEqual(waiting.map(() => ({ status: 'rejected', reason: why })))
})

test('what cannot be is refused with an error of ours', async () => {
  const identity = await age.generateIdentity()
  const recipient = await age.identityToRecipient(identity)
  for (const own of [[], [undefined], {}, null]) {
    const lacks = encrypter(recipient, { wrapFileKey: () => own as unknown as age.Stanza[] })
    await expect(lacks.encrypt('x'), JSON.stringify(own)).rejects.toThrow(
      expect.objectContaining({ code: 'invalid_argument' }),
    )
  }
  const sealed = await encrypter(recipient).encrypt(stream(pattern(10)))
  const file = await whole(sealed)
  const opened = await decrypter(identity).decrypt(stream(file))
  for (const size of [-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 53, undefined, '5']) {
    for (const has of [sealed, opened]) {
      expect(() => has.size(size as number)).toThrow(expect.objectContaining({ code: 'invalid_argument' }))
    }
  }
  expect(await whole(opened)).toEqual(pattern(10))
  await expect(decrypter(identity).decryptRange(new TextEncoder().encode('no file'), 0, 1)).rejects.toThrow(
    code('malformed_header'),
  )
  // Over 2 MiB of header, all of it there.
  const line = `${'A'.repeat(64)}\n`
  const long = new TextEncoder().encode(
    `age-encryption.org/v1\n-> long\n${line.repeat(35_000)}\n--- ${'A'.repeat(43)}\n`,
  )
  const padded = concat([long, new Uint8Array(100)])
  await expect(decrypter(identity).decrypt(padded)).rejects.toThrow(code('malformed_header'))
  await expect(decrypter(identity).decryptHeader(long)).rejects.toThrow(code('malformed_header'))
})

test('who reads no more ends the source', async () => {
  const identity = await age.generateIdentity()
  let cancelled = false
  const source = new ReadableStream<Bytes>({
    pull: (controller) => controller.enqueue(pattern(CHUNK)),
    cancel() {
      cancelled = true
    },
  })
  const sealed = await encrypter(await age.identityToRecipient(identity)).encrypt(source)
  const reader = sealed.getReader()
  await reader.read()
  await reader.cancel()
  await expect.poll(() => cancelled).toBe(true)
})

test('what age never writes is refused by name', async () => {
  const [classical, hybrid] = [await age.generateX25519Identity(), await age.generateHybridIdentity()]
  const recipients = [await age.identityToRecipient(classical), await age.identityToRecipient(hybrid)]
  await expect(encrypter(...recipients).encrypt('')).rejects.toThrow(code('mixed_recipients'))
  await expect(new age.Encrypter().encrypt('')).rejects.toThrow(code('invalid_recipients'))
  const withPassphrase = new age.Encrypter()
  withPassphrase.setPassphrase('one')
  expect(() => withPassphrase.setPassphrase('two')).toThrow(code('invalid_recipients'))
  expect(() => withPassphrase.addRecipient(recipients[0] as string)).toThrow(code('invalid_recipients'))
  const withRecipient = encrypter(recipients[0] as string)
  expect(() => withRecipient.setPassphrase('one')).toThrow(code('invalid_recipients'))
  for (const work of [0, 23, 1.5, '18']) {
    expect(() => withPassphrase.setScryptWorkFactor(work as number)).toThrow(TypeError)
  }
  const tag = 'age1tag1qt8lw0ual6avlwmwatk888yqnmdamm7xfd0wak53ut6elz5c4swx2yqdj4e'
  expect(textOf(await encrypter(tag).encrypt(''))).toContain('\n-> p256tag ')
  expect(() => encrypter('age1yubikey1qwt50d05nh5vutpdzmlg5wn80xq5negm4uj9ghv0snvdd3yysf5yw3rhl3t')).toThrow(
    code('invalid_recipient'),
  )
  expect(() => encrypter('age1invalid')).toThrow(code('invalid_recipient'))
  expect(() => encrypter('nothing')).toThrow(code('invalid_recipient'))
  expect(() => decrypter('AGE-SECRET-KEY-1INVALID')).toThrow(code('invalid_identity'))
  expect(() => decrypter('nothing')).toThrow(code('invalid_identity'))
  expect(() => encrypter({} as age.Recipient)).toThrow(TypeError)
  expect(() => decrypter(7 as never)).toThrow(TypeError)
  await expect(new age.Decrypter().decrypt('attack at dawn')).rejects.toThrow(code('malformed_header'))
  await expect(decrypter(classical).decrypt(new Uint8Array(0), 'utf-8' as never)).rejects.toThrow(TypeError)
  await expect(age.webauthn.createCredential()).rejects.toThrow(code('unavailable_backend'))
  expect(() => new age.webauthn.WebAuthnRecipient()).toThrow(code('unavailable_backend'))
  expect(() => new age.webauthn.WebAuthnIdentity()).toThrow(code('unavailable_backend'))
})
