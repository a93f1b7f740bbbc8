// Composables: components see work while it runs, at its end and where it fails, and it ends with them.

import { afterEach, expect, test } from 'vitest'
import { createSSRApp, type EffectScope, effectScope, nextTick, reactive, ref, shallowRef, watchEffect } from 'vue'
import { decryptSync, encryptSync, exportRecipient, generateIdentity, recipientOf } from '../src/api/index.js'
import { generateKey } from '../src/api/sign.js'
import {
  createSealstone,
  SealstoneError,
  useEncryption,
  useFileEncryption,
  useHash,
  useKeys,
  useSealstone,
  useSignature,
} from '../src/extras/vue/index.js'

const ABC = 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'
const text = (bytes: Uint8Array | undefined): string | undefined => bytes && new TextDecoder().decode(bytes)

const scopes: EffectScope[] = []
afterEach(() => {
  for (const scope of scopes.splice(0)) scope.stop()
})

/** The result of a component's setup, and the component's end. */
function setup<T>(use: () => T): T & { end: () => void } {
  const scope = effectScope(true)
  scopes.push(scope)
  return Object.assign(scope.run(use) as T & object, { end: () => scope.stop() })
}

/** A stream that gives parts until it is cancelled, and says whether it was. */
function endless(): { stream: ReadableStream<Uint8Array>; isEnded: () => boolean } {
  let isEnded = false
  const stream = new ReadableStream<Uint8Array>({
    async pull(controller) {
      await new Promise((resolve) => setTimeout(resolve, 1))
      controller.enqueue(new Uint8Array(100_000))
    },
    cancel() {
      isEnded = true
    },
  })
  return { stream, isEnded: () => isEnded }
}

test('an encryption shows that it runs, and then what came of it', async () => {
  const identity = generateIdentity('x25519')
  const { data, error, isBusy, encrypt, decrypt } = setup(() => useEncryption({ recipients: recipientOf(identity) }))
  const seen: unknown[] = []
  watchEffect(() => seen.push([isBusy.value, data.value !== undefined]), { flush: 'sync' })
  const file = await encrypt('attack at dawn')
  expect(file).toBe(data.value)
  expect(seen[0]).toEqual([false, false])
  expect(seen).toContainEqual([true, false])
  expect(seen.at(-1)).toEqual([false, true])
  expect(error.value).toBeUndefined()
  expect(text(decryptSync(file as Uint8Array, { identities: identity }))).toBe('attack at dawn')
  expect(text(await decrypt(file as Uint8Array, { identities: identity }))).toBe('attack at dawn')
})

test('a failure is no rejection: it is shown, with its code, and goes with the next work', async () => {
  const { code, data, error, isBusy, decrypt, decryptText, encrypt } = setup(() => useEncryption())
  const file = encryptSync('attack at dawn', { passphrase: 'correct horse' })
  expect(await decrypt(file, { passphrase: 'wrong horse' })).toBeUndefined()
  expect([error.value instanceof SealstoneError, code.value, data.value, isBusy.value]).toEqual([
    true,
    'no_matching_identity',
    undefined,
    false,
  ])
  expect(await decryptText(file, { passphrase: 'correct horse' })).toBe('attack at dawn')
  expect([error.value, code.value, data.value]).toEqual([undefined, undefined, 'attack at dawn'])
  // No recipient, and an option that there is not.
  expect(await encrypt('x')).toBeUndefined()
  expect(code.value).toBe('invalid_recipients')
  expect(await encrypt('x', { recipient: 'age1' } as never)).toBeUndefined()
  expect([error.value instanceof TypeError, code.value]).toEqual([true, undefined])
  const key = new Uint8Array(32)
  expect(await decryptText(encryptSync(new Uint8Array([255]), { key }), { key })).toBeUndefined()
  expect(error.value).toBeInstanceOf(TypeError)
})

test('messages are for the only key that there is, or the one that is named', async () => {
  const [alice, bob] = [generateIdentity('x25519'), generateIdentity('x25519')]
  const recipients = shallowRef<string[] | string>(exportRecipient(recipientOf(alice)))
  const { error, openMessage, sealMessage } = setup(() => useEncryption({ recipients, identities: () => [alice] }))
  const message = (await sealMessage('attack at dawn', { aad: 'order' })) as string
  expect(message).toMatch(/^-----BEGIN SEALSTONE MESSAGE-----/)
  expect(text(await openMessage(message, { aad: 'order' }))).toBe('attack at dawn')
  const toBob = (await sealMessage('attack at dawn', { recipient: recipientOf(bob) })) as string
  expect(await openMessage(toBob)).toBeUndefined()
  expect(text(await openMessage(toBob, { identity: bob }))).toBe('attack at dawn')
  recipients.value = [exportRecipient(recipientOf(alice)), exportRecipient(recipientOf(bob))]
  expect(await sealMessage('x')).toBeUndefined()
  expect(error.value?.message).toBe('a message has one recipient, and there are 2: name one in the options')
})

test('an application’s keys are those of its components, unless a component or a call says others', async () => {
  const [app, own, called] = [generateIdentity('x25519'), generateIdentity('x25519'), generateIdentity('x25519')]
  const sealstone = createSealstone({ recipients: recipientOf(app) })
  const vue = createSSRApp({}).use(sealstone)
  const use = <T>(make: () => T): T & { end: () => void } => vue.runWithContext(() => setup(make))
  const of = async (encrypted: Promise<Uint8Array | undefined>): Promise<boolean[]> => {
    const file = (await encrypted) as Uint8Array
    return [app, own, called].map((identities) => {
      try {
        return decryptSync(file, { identities }).length > 0
      } catch {
        return false
      }
    })
  }
  const plain = use(() => useEncryption())
  expect(await of(plain.encrypt('x'))).toEqual([true, false, false])
  expect(await of(use(() => useEncryption({ recipients: recipientOf(own) })).encrypt('x'))).toEqual([
    false,
    true,
    false,
  ])
  expect(await of(plain.encrypt('x', { recipients: recipientOf(called) }))).toEqual([false, false, true])
  // A passphrase must be all that decrypts.
  expect(await of(plain.encrypt('x', { passphrase: 'correct horse' }))).toEqual([false, false, false])
  // A user logs in.
  const file = encryptSync('attack at dawn', { recipients: recipientOf(app) })
  expect(await plain.decryptText(file)).toBeUndefined()
  use(() => useSealstone()).identities.value = app
  expect(await plain.decryptText(file)).toBe('attack at dawn')
  expect(sealstone.identities.value).toBe(app)
  expect(() => useSealstone()).toThrow('app.use(createSealstone())')
})

test('what are no options is an error that is shown', async () => {
  const { error, sealMessage } = setup(() => useEncryption())
  // @ts-expect-error: no options
  expect(await sealMessage('abc', null)).toBeUndefined()
  expect(error.value).toBeInstanceOf(TypeError)
  const { error: fault, hash } = setup(() => useHash())
  // @ts-expect-error: no options
  expect(await hash('abc', null)).toBeUndefined()
  expect(fault.value).toBeInstanceOf(TypeError)
})

test('keys may lie in reactive state', async () => {
  const identity = generateIdentity('x25519')
  const state = reactive({ recipients: [recipientOf(identity)], options: { identities: [identity] } })
  const held = ref(identity)
  const { decryptText, encrypt } = setup(() => useEncryption({ recipients: () => state.recipients }))
  const file = (await encrypt('attack at dawn')) as Uint8Array
  expect(await decryptText(file, state.options)).toBe('attack at dawn')
  expect(await decryptText(file, { identities: held.value })).toBe('attack at dawn')
})

test('a cancelled work is no error, and leaves nothing to be seen', async () => {
  const { stream, isEnded } = endless()
  const { cancel, data, encrypt, error, isBusy, progress } = setup(() => useFileEncryption())
  const encrypting = encrypt(stream, { key: new Uint8Array(32) })
  await expect.poll(() => progress.value?.bytes ?? 0).toBeGreaterThan(0)
  expect(isBusy.value).toBe(true)
  cancel()
  expect(await encrypting).toBeUndefined()
  expect([data.value, error.value, isBusy.value]).toEqual([undefined, undefined, false])
  await expect.poll(isEnded).toBe(true)
  // And the next one runs.
  const file = await encrypt(new Blob(['x']), { key: new Uint8Array(32) })
  expect(file).toBe(data.value)
})

test('work ends with its component, and none begins behind its end', async () => {
  const { stream, isEnded } = endless()
  const { end, encrypt, hash, isBusy } = setup(() => ({ ...useFileEncryption(), hash: useHash().hash }))
  const encrypting = encrypt(stream, { key: new Uint8Array(32) })
  expect(isBusy.value).toBe(true)
  end()
  expect(await encrypting).toBeUndefined()
  await expect.poll(isEnded).toBe(true)
  expect(await hash('abc')).toBeUndefined()
})

test('of works at once each gives its own, and the last one is shown', async () => {
  const { data, hash, isBusy } = setup(() => useHash())
  const long = hash(new Blob([new Uint8Array(20_000_000)]))
  const short = hash('abc')
  expect(await short).toBe(ABC)
  expect(data.value).toBe(ABC)
  expect(await long).toHaveLength(64)
  expect([data.value, isBusy.value]).toEqual([ABC, false])
})

test('what is reset shows nothing, also not what was running', async () => {
  const { data, error, hash, reset } = setup(() => useHash())
  await hash('abc')
  const running = hash(new Blob([new Uint8Array(5_000_000)]))
  reset()
  expect(await running).toBeUndefined()
  await nextTick()
  expect([data.value, error.value]).toEqual([undefined, undefined])
})

test('digests are of text, bytes, files and streams alike, by the algorithm of the moment', async () => {
  const algorithm = ref<'sha256' | 'md5'>('sha256')
  const { hash, code } = setup(() => useHash({ algorithm }))
  const bytes = new TextEncoder().encode('abc')
  const parts = async function* () {
    yield bytes.subarray(0, 1)
    yield bytes.subarray(1)
  }
  for (const source of ['abc', bytes, bytes.buffer, new Blob(['abc']), new Blob(['abc']).stream(), parts()]) {
    expect(await hash(source)).toBe(ABC)
  }
  algorithm.value = 'md5'
  expect(await hash('abc')).toBe('900150983cd24fb0d6963f7d28e17f72')
  expect(await hash('abc', { algorithm: 'sha1', encoding: 'base64' })).toBe('qZk+NkcGgWq6PiVxeFDCbJzQ2J0=')
  expect(await hash('abc', { algorithm: 'shake128', length: 3 })).toBe('588109')
  expect(await hash('abc', { algorithm: 'rot13' as never })).toBeUndefined()
  expect(code.value).toBe('unknown_algorithm')
})

test('a signature is verified or it is not, and what is wrong is never true', async () => {
  const key = generateKey('ed25519')
  const { code, data, sign, verify } = setup(() => useSignature())
  const signature = (await sign('attack at dawn', key)) as Uint8Array<ArrayBuffer>
  expect(await verify('attack at dawn', signature, key.publicKey)).toBe(true)
  expect(data.value).toBe(true)
  expect(await verify('attack at noon', signature, key.publicKey)).toBe(false)
  expect([data.value, code.value]).toEqual([undefined, 'invalid_signature'])
  expect(await verify('attack at dawn', signature.slice(1), key.publicKey)).toBe(false)
  expect(await verify('attack at dawn', signature, generateKey('ed25519').publicKey)).toBe(false)
  expect(await verify('attack at dawn', signature, undefined as never)).toBe(false)
  expect(data.value).toBeUndefined()
})

test('keys are made, read and written, and forgotten', async () => {
  const keys = setup(() => useKeys())
  expect([keys.publicKey.value, await keys.exportIdentity()]).toEqual([undefined, undefined])
  expect(keys.error.value?.message).toBe('there is no identity: generate or import one')
  const made = await keys.generate('x25519')
  expect([keys.identity.value, keys.error.value]).toEqual([made, undefined])
  const { value: publicKey } = keys.publicKey
  const { value: fingerprint } = keys.fingerprint
  expect([publicKey, fingerprint]).toEqual([expect.stringMatching(/^age1/), expect.stringMatching(/^SHA256:/)])
  const pem = (await keys.exportIdentity('pem', { passphrase: 'correct horse' })) as string
  expect(pem).toMatch(/^-----BEGIN ENCRYPTED PRIVATE KEY-----/)
  expect(await keys.exportRecipient('der')).toBeInstanceOf(Uint8Array)

  const others = setup(() => useKeys())
  expect(await others.importIdentity(pem, { passphrase: 'wrong horse' })).toBeUndefined()
  expect(others.code.value).toBeTypeOf('string')
  await others.importIdentity(pem, { passphrase: 'correct horse' })
  expect(others.publicKey.value).toBe(publicKey)
  await others.importRecipient(publicKey as string)
  expect([others.identity.value, others.fingerprint.value]).toEqual([undefined, fingerprint])
  others.forget()
  expect(others.fingerprint.value).toBeUndefined()
  // It is only shown no longer.
  expect(made?.kind).toBe('x25519')

  // The last request is shown, and nothing that was forgotten meanwhile.
  const slow = others.importIdentity(pem, { passphrase: 'correct horse' })
  const last = await others.generate('x25519')
  await slow
  expect(others.identity.value).toBe(last)
  const late = others.importIdentity(pem, { passphrase: 'correct horse' })
  others.forget()
  await late
  expect(others.identity.value).toBeUndefined()
})

test('files go to Blobs and to sinks, with how far they are', async () => {
  const identity = generateIdentity('x25519')
  const files = setup(() => useFileEncryption({ recipients: recipientOf(identity), identities: identity }))
  const film = new Blob([new Uint8Array(3_000_000).fill(7)])
  const sealed = (await files.encrypt(film)) as Blob
  expect([sealed.size > film.size, files.fraction.value]).toEqual([true, 1])
  expect((await files.decrypt(sealed))?.size).toBe(film.size)

  let isCalled = false
  let name: string | undefined
  const sinking = files.encryptTo(film, async (stream) => {
    isCalled = true
    name = `${(await new Response(stream).blob()).size}`
  })
  // A browser knows which click it is of.
  expect(isCalled).toBe(true)
  expect([await sinking, files.data.value, name]).toEqual([true, true, String(sealed.size)])

  const parts: number[] = []
  const sink = new WritableStream<Uint8Array>({ write: (part) => void parts.push(part.length) })
  expect(await files.decryptTo(sealed, sink)).toBe(true)
  expect(parts.reduce((sum, length) => sum + length, 0)).toBe(film.size)
})

test('of a changed file no Blob comes, and a sink hears of it', async () => {
  const key = new Uint8Array(32)
  const sealed = encryptSync(new Uint8Array(300_000), { key })
  sealed[200_000] = 1 ^ (sealed[200_000] as number)
  const { code, data, decrypt, decryptTo, fraction } = setup(() => useFileEncryption())
  expect(await decrypt(new Blob([sealed]), { key })).toBeUndefined()
  expect([code.value, data.value]).toEqual(['not_authentic', undefined])
  let reason: unknown
  const sink = new WritableStream<Uint8Array>({
    abort(why) {
      reason = why
    },
  })
  expect(await decryptTo(new Blob([sealed]), sink, { key })).toBe(false)
  expect([code.value, (reason as SealstoneError).code]).toEqual(['not_authentic', 'not_authentic'])
  // A sink that says nothing of it.
  const silent = async (stream: ReadableStream<Uint8Array>): Promise<unknown> =>
    new Response(stream).blob().catch(() => 0)
  expect(await decryptTo(new Blob([sealed]), silent, { key })).toBe(false)
  expect(code.value).toBe('not_authentic')
  const failing = new ReadableStream<Uint8Array>({ pull: (controller) => controller.error(new Error('offline')) })
  expect(await decryptTo(failing, () => 'not read', { key })).toBe(false)
  expect(fraction.value).toBeUndefined()
  // A sink that does not await the end is awaited, and one that reads nothing has saved nothing.
  const later = (stream: ReadableStream<Uint8Array>): void => {
    new Response(stream).blob().catch(() => 0)
  }
  const whole = new Blob([sealed.slice(0, -1)])
  expect(await decryptTo(whole, later, { key })).toBe(false)
  const file = new Blob([encryptSync('attack at dawn', { key })])
  expect(await decryptTo(file, later, { key })).toBe(true)
  expect(await decryptTo(file, () => {}, { key })).toBe(false)
  expect(await decryptTo(file, (stream) => stream.cancel(), { key })).toBe(false)
})

test('outside of a component they work too, and nothing ends them but cancel', async () => {
  const { hash, cancel } = useHash()
  expect(await hash('abc')).toBe(ABC)
  const running = hash(new Blob([new Uint8Array(5_000_000)]))
  cancel()
  expect(await running).toBeUndefined()
})
