// Keys that sign, in their forms, and signatures: vectors, options, text, long input, and refused input. RSA is asked by promises
// alone, since browsers have no other; live comparisons with OpenSSL are in openssl-pairs.test.ts.

import { expect, test } from 'vitest'
import { pairs } from '#pairs'
import { wycheproof } from '#wycheproof-sign'
import table from '../../table.json' with { type: 'json' }
import {
  exportPrivateKey,
  exportPublicKey,
  generateKey,
  generateRsaKey,
  importPrivateKey,
  importPrivateKeySync,
  importPublicKey,
  importPublicKeySync,
  PrivateKey,
  PublicKey,
  type SignKeyForm,
  type SignKind,
  type SignOptions,
} from '../src/api/sign.js'
import { bytesOf, compare, flip, fromBase64, fromHex, pattern, toHex, transferring } from './data.js'

const code = (code: string) => expect.objectContaining({ name: 'SealstoneError', code })
const MESSAGE = 'attack at dawn'
const KINDS = table.signKinds as readonly {
  readonly name: SignKind
  readonly publicLen: number | null
  readonly privateLen: number | null
}[]
const ECDSA: readonly SignKind[] = ['p256-sign', 'p384-sign', 'p521-sign', 'secp256k1']
const WITH_CONTEXT: readonly SignKind[] = ['ml-dsa-44', 'ml-dsa-65', 'ml-dsa-87', 'hybrid-sign', 'hybrid44-sign']

const rsa = await importPrivateKey(fromBase64(pairs.rsa), { kind: 'rsa-sign' })
const keys: readonly PrivateKey[] = KINDS.map(({ name }) => (name === 'rsa-sign' ? rsa : generateKey(name)))

/** Those that sign and verify at once: all but RSA in a browser. */
const atOnce = keys.filter((key) => {
  try {
    key.sign('')
    return true
  } catch (error) {
    expect([key.kind, error]).toEqual(['rsa-sign', code('unavailable_backend')])
    return false
  }
})

test('every kind verifies what it signed, and nothing else', async () => {
  expect(atOnce.length).toBeGreaterThanOrEqual(KINDS.length - 1)
  for (const key of keys) {
    const { publicKey } = key
    const signature = await key.signAsync(MESSAGE)
    await publicKey.verifyAsync(MESSAGE, signature)
    await expect(publicKey.verifyAsync('attack at noon', signature)).rejects.toThrow(code('invalid_signature'))
    for (const at of [0, signature.length >> 1, signature.length - 1]) {
      const damaged = signature.slice()
      flip(damaged, at)
      await expect(publicKey.verifyAsync(MESSAGE, damaged), key.kind).rejects.toThrow(code('invalid_signature'))
    }
    for (const length of [0, 1, 63, signature.length - 1]) {
      const cut = signature.subarray(0, length)
      await expect(publicKey.verifyAsync(MESSAGE, cut), key.kind).rejects.toThrow(code('invalid_signature'))
    }
  }
})

test('at once too, as bytes and as text, of bytes of any kind and of text', () => {
  for (const key of atOnce) {
    const { publicKey } = key
    for (const text of ['', MESSAGE, 'ünïcödé 😀', '€'.repeat(2000)]) {
      const bytes = bytesOf(text)
      publicKey.verify(bytes, key.sign(text))
      publicKey.verify(text, key.sign(bytes))
      publicKey.verify(new DataView(bytes.buffer), key.sign(bytes.buffer))
      for (const encoding of ['hex', 'base64', 'base64url'] as const) {
        const signature = key.signText(text, encoding)
        publicKey.verifyText(bytes, signature, encoding)
        expect(() => publicKey.verifyText(`${text}!`, signature, encoding), key.kind).toThrow(code('invalid_signature'))
      }
      publicKey.verifyText(text, key.signText(text).toUpperCase())
    }
    expect(() => publicKey.verify(MESSAGE, key.sign('attack at noon'))).toThrow(code('invalid_signature'))
    const data = bytesOf(MESSAGE)
    const before = data.slice()
    publicKey.verify(data, key.sign(data))
    expect(compare(data, before)).toBe(0)
  }
})

test('options change a signature where a kind has them, and are refused elsewhere', async () => {
  const own: Partial<Record<SignKind, string>> = { 'p384-sign': 'sha384', 'p521-sign': 'sha512' }
  for (const key of keys) {
    const { kind, publicKey } = key
    const [isEcdsa, isRsa, isSm2] = [ECDSA.includes(kind), kind === 'rsa-sign', kind === 'sm2-sign']
    for (const [options, has, isDefault] of [
      [{ hash: 'sha256' }, isEcdsa || isRsa, (own[kind] ?? 'sha256') === 'sha256'],
      [{ hash: 'sha384' }, isEcdsa || isRsa, own[kind] === 'sha384'],
      [{ hash: 'sha512' }, isEcdsa || isRsa, own[kind] === 'sha512'],
      [{ encoding: 'fixed' }, isEcdsa || isSm2, false],
      [{ encoding: 'der' }, isEcdsa || isSm2, true],
      [{ scheme: 'pkcs1' }, isRsa, false],
      [{ scheme: 'pss' }, isRsa, true],
      [{ context: 'example.org/v1' }, WITH_CONTEXT.includes(kind), false],
      [{ context: new Uint8Array(255) }, WITH_CONTEXT.includes(kind), false],
      [{ id: 'alice@example.org' }, isSm2, false],
      [{ id: '1234567812345678' }, isSm2, true],
    ] as const satisfies readonly (readonly [SignOptions, boolean, boolean])[]) {
      const what = `${kind} ${JSON.stringify(options)}`
      if (!has) {
        await expect(key.signAsync(MESSAGE, options), what).rejects.toThrow(code('invalid_option'))
        await expect(publicKey.verifyAsync(MESSAGE, new Uint8Array(64), options), what).rejects.toThrow(
          code('invalid_option'),
        )
        continue
      }
      const signature = await key.signAsync(MESSAGE, options)
      await publicKey.verifyAsync(MESSAGE, signature, options)
      const without = publicKey.verifyAsync(MESSAGE, signature)
      if (isDefault) await without
      else await expect(without, what).rejects.toThrow(code('invalid_signature'))
      if (!atOnce.includes(key)) continue
      publicKey.verify(MESSAGE, key.sign(MESSAGE, options), options)
      publicKey.verifyText(MESSAGE, key.signText(MESSAGE, 'base64url', options), 'base64url', options)
    }
    expect(() => key.sign(MESSAGE, { context: '' }).length).not.toThrow(code('invalid_option'))
    const long = { context: new Uint8Array(256) }
    await expect(key.signAsync(MESSAGE, long)).rejects.toThrow(code('invalid_option'))
  }
  const sm2 = keys.find(({ kind }) => kind === 'sm2-sign') as PrivateKey
  expect(() => sm2.sign(MESSAGE, { id: new Uint8Array(8192) })).toThrow(code('invalid_user_id'))
  expect(sm2.sign(MESSAGE, { encoding: 'fixed' })).toHaveLength(64)
})

/** Whether keys of a kind have a form. */
const hasForm = (kind: SignKind, form: SignKeyForm, half: 'private' | 'public'): boolean => {
  if (form === 'jwk') return !/hybrid|sm2/.test(kind)
  if (form !== 'ssh') return true
  return half === 'public' ? kind !== 'secp256k1' : /^(?:ed25519|p\d+-sign|hybrid44-sign)$/.test(kind)
}

test('keys are written and read in every form of their kind', async () => {
  for (const key of keys) {
    const { kind, publicKey } = key
    for (const form of ['pem', 'der', 'jwk', 'ssh', 'raw'] as const) {
      const what = `${kind} as ${form}`
      const options = form === 'raw' ? { kind } : undefined
      if (hasForm(kind, form, 'private')) {
        const written = exportPrivateKey(key, form as 'der')
        expect(typeof written, what).toBe(form === 'der' || form === 'raw' ? 'object' : 'string')
        const read = await importPrivateKey(written, options)
        expect([read.kind, read.publicKey.fingerprint], what).toEqual([kind, publicKey.fingerprint])
        if (atOnce.includes(key)) {
          expect(importPrivateKeySync(written, options).publicKey.fingerprint, what).toBe(publicKey.fingerprint)
        }
      } else {
        expect(() => exportPrivateKey(key, form as 'der'), what).toThrow(code('unsupported_key'))
      }
      if (hasForm(kind, form, 'public')) {
        const written = exportPublicKey(publicKey, form as 'der')
        const read = await importPublicKey(written, options)
        expect([read.kind, read.fingerprint], what).toEqual([kind, publicKey.fingerprint])
        if (atOnce.includes(key)) {
          expect(importPublicKeySync(written, options).fingerprint, what).toBe(publicKey.fingerprint)
        }
      } else {
        expect(() => exportPublicKey(publicKey, form as 'der'), what).toThrow(code('unsupported_key'))
      }
    }
    const row = KINDS.find(({ name }) => name === kind)
    if (row?.privateLen != null) {
      expect(exportPrivateKey(key, 'raw')).toHaveLength(row.privateLen)
      expect(exportPublicKey(publicKey, 'raw')).toHaveLength(row.publicLen as number)
      for (const half of [importPrivateKey, importPublicKey]) {
        await expect(half(new Uint8Array(7), { kind })).rejects.toThrow(code('wrong_length'))
      }
    }
    expect(publicKey.fingerprint).toMatch(/^SHA256:[0-9a-f]{64}$/)
    if (kind === 'secp256k1') expect(() => publicKey.sshFingerprint).toThrow(code('unsupported_key'))
    else expect(publicKey.sshFingerprint).toMatch(/^SHA256:[A-Za-z0-9+/]{43}$/)
  }
  // A JWK is an object, too.
  const jwk = JSON.parse(exportPrivateKey(keys[0] as PrivateKey, 'jwk'))
  expect(importPrivateKeySync(jwk).kind).toBe(keys[0]?.kind)
  expect(exportPublicKey(generateKey('ed25519').publicKey, 'ssh', { comment: 'alice@example.org' })).toMatch(
    /^ssh-ed25519 AAAA\S+ alice@example\.org$/,
  )
})

test('a passphrase encrypts PEM, DER and OpenSSH, and nothing else', async () => {
  const [key, passphrase] = [generateKey('ed25519'), 'correct horse battery staple']
  for (const form of ['pem', 'der', 'ssh'] as const) {
    const written = exportPrivateKey(key, form as 'der', { passphrase })
    const read = await importPrivateKey(written, { passphrase })
    expect(read.publicKey.fingerprint).toBe(key.publicKey.fingerprint)
    await expect(importPrivateKey(written)).rejects.toThrow(code('passphrase_required'))
    await expect(importPrivateKey(written, { passphrase: 'wrong' })).rejects.toThrow(code('no_matching_identity'))
    expect(() => importPrivateKeySync(written)).toThrow(code('passphrase_required'))
  }
  for (const form of ['jwk', 'raw'] as const) {
    expect(() => exportPrivateKey(key, form as 'raw', { passphrase })).toThrow(code('unsupported_key'))
  }
  expect(() => exportPublicKey(key.publicKey, 'pem', { comment: 'x' })).toThrow(code('invalid_option'))
  expect(() => exportPublicKey(key.publicKey, 'ssh', { comment: 'two\nlines' })).toThrow(code('invalid_option'))
  const raw = new Uint8Array(32)
  await expect(importPrivateKey(raw, { kind: 'ed25519', passphrase })).rejects.toThrow(TypeError)
})

test('every Ed25519 of Wycheproof', () => {
  let [valid, invalid] = [0, 0]
  for (const { publicKey, tests } of wycheproof.ed25519?.testGroups ?? []) {
    const key = importPublicKeySync(fromHex(publicKey.pk), { kind: 'ed25519' })
    for (const { tcId, result, msg = '', sig } of tests) {
      const verify = () => key.verify(fromHex(msg), fromHex(sig))
      if (result === 'valid') {
        verify()
        valid++
      } else {
        expect(verify, `${tcId}`).toThrow(code('invalid_signature'))
        invalid++
      }
    }
  }
  expect(valid).toBeGreaterThanOrEqual(80)
  expect(invalid).toBeGreaterThanOrEqual(50)
})

test('every ECDSA of Wycheproof with SHA-2', () => {
  let [valid, invalid] = [0, 0]
  for (const [curve, kind] of [
    ['secp256r1', 'p256-sign'],
    ['secp384r1', 'p384-sign'],
    ['secp521r1', 'p521-sign'],
    ['secp256k1', 'secp256k1'],
  ] as const) {
    for (const hash of ['sha256', 'sha384', 'sha512'] as const) {
      for (const [file, encoding] of [
        [`ecdsa_${curve}_${hash}`, 'der'],
        [`ecdsa_${curve}_${hash}_p1363`, 'fixed'],
      ] as const) {
        for (const { publicKey, tests } of wycheproof[file]?.testGroups ?? []) {
          const key = importPublicKeySync(fromHex(publicKey.uncompressed), { kind })
          for (const { tcId, result, msg = '', sig } of tests) {
            const verify = () => key.verify(fromHex(msg), fromHex(sig), { hash, encoding })
            if (result === 'invalid') {
              expect(verify, `${file} ${tcId}`).toThrow(code('invalid_signature'))
              invalid++
            } else {
              verify()
              valid++
            }
          }
          key.destroy()
        }
      }
    }
  }
  expect([valid, invalid]).toEqual([3113, 3091])
})

test('every RSA of Wycheproof with SHA-2 and a salt as long as the digest', async () => {
  let [valid, invalid] = [0, 0]
  const files = [2048, 3072, 4096, 8192].flatMap((bits) =>
    (['sha256', 'sha384', 'sha512'] as const).map(
      (hash) => [`rsa_signature_${bits}_${hash}`, { hash, scheme: 'pkcs1' }] as const,
    ),
  )
  for (const [file, options] of [
    ...files,
    ['rsa_pss_2048_sha256_mgf1_32', { hash: 'sha256' }],
    ['rsa_pss_2048_sha384_mgf1_48', { hash: 'sha384' }],
    ['rsa_pss_3072_sha256_mgf1_32', { hash: 'sha256' }],
    ['rsa_pss_4096_sha256_mgf1_32', { hash: 'sha256' }],
    ['rsa_pss_4096_sha384_mgf1_48', { hash: 'sha384' }],
    ['rsa_pss_4096_sha512_mgf1_64', { hash: 'sha512' }],
  ] as const) {
    for (const { publicKeyAsn, tests } of wycheproof[file]?.testGroups ?? []) {
      const key = await importPublicKey(fromHex(publicKeyAsn), { kind: 'rsa-sign' })
      for (const { tcId, result, msg = '', sig } of tests) {
        const verified = key.verifyAsync(fromHex(msg), fromHex(sig), options)
        // Acceptable signatures of PKCS#1 lack the NULL of the digest's algorithm.
        if (result === 'valid') {
          await verified
          valid++
        } else {
          await expect(verified, `${file} ${tcId}`).rejects.toThrow(code('invalid_signature'))
          invalid++
        }
      }
    }
  }
  expect([valid, invalid]).toEqual([600, 3291])
})

test('every ML-DSA of Wycheproof, with contexts', () => {
  let [valid, invalid, signed] = [0, 0, 0]
  for (const kind of ['ml-dsa-44', 'ml-dsa-65', 'ml-dsa-87'] as const) {
    const file = kind.replace('ml-dsa-', 'mldsa_')
    for (const { publicKey, tests } of wycheproof[`${file}_verify`]?.testGroups ?? []) {
      for (const { tcId, result, msg = '', ctx = '', sig } of tests) {
        const verify = () => {
          const key = importPublicKeySync(fromHex(publicKey), { kind })
          key.verify(fromHex(msg), fromHex(sig), { context: fromHex(ctx) })
        }
        if (result === 'invalid') {
          expect(verify, `${kind} ${tcId}`).toThrow()
          invalid++
        } else {
          verify()
          valid++
        }
      }
    }
    for (const { privateSeed, publicKey, tests } of wycheproof[`${file}_sign_seed`]?.testGroups ?? []) {
      for (const { result, msg, ctx = '', sig } of tests) {
        if (result === 'invalid' || msg === undefined) continue
        const key = importPrivateKeySync(fromHex(privateSeed), { kind })
        expect(toHex(exportPublicKey(key.publicKey, 'raw'))).toBe(publicKey)
        const context = fromHex(ctx)
        key.publicKey.verify(fromHex(msg), fromHex(sig), { context })
        key.publicKey.verify(fromHex(msg), key.sign(fromHex(msg), { context }), { context })
        signed++
      }
    }
  }
  expect([valid, invalid, signed]).toEqual([227, 404, 233])
})

test('LAMPS and RFC 9881 have these', async () => {
  let [composites, good, bad] = [0, 0, 0]
  for (const { source, kind, ...vector } of pairs.signing) {
    const hex = (name: string) => fromHex(vector[name] as string)
    if (source === 'lamps') {
      const key = importPrivateKeySync(hex('sk'), { kind: kind as SignKind })
      expect(toHex(exportPrivateKey(key, 'der'))).toBe(vector.pkcs8)
      expect(toHex(exportPublicKey(key.publicKey, 'raw'))).toBe(vector.pk)
      key.publicKey.verify(hex('m'), hex('s'))
      key.publicKey.verify(hex('m'), hex('s_ctx'), { context: hex('ctx') })
      expect(() => key.publicKey.verify(hex('m'), hex('s_ctx'))).toThrow(code('invalid_signature'))
      composites++
    } else if (source === 'rfc9881' && vector.bad !== undefined) {
      await expect(importPrivateKey(vector.bad)).rejects.toMatchObject({
        code: expect.stringMatching(/^(?:invalid|unsupported)_key$/),
      })
      bad++
    } else if (source === 'rfc9881') {
      const key = await importPrivateKey(vector.seed as string)
      expect(key.kind).toBe(kind)
      expect(exportPrivateKey(key).trim()).toBe(vector.seed?.trim())
      expect(importPrivateKeySync(vector.both as string).publicKey.fingerprint).toBe(key.publicKey.fingerprint)
      expect(() => importPrivateKeySync(vector.expanded as string)).toThrow(code('unsupported_key'))
      expect(importPublicKeySync(vector.public as string).fingerprint).toBe(key.publicKey.fingerprint)
      good++
    }
  }
  expect([composites, good, bad]).toEqual([2, 3, 3])
})

test('keys of WebCrypto that sign are read, and others refused', async () => {
  const { subtle } = crypto
  const ecdsa = await subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify'])
  const key = await importPrivateKey(ecdsa.privateKey)
  const fixed = { encoding: 'fixed' } as const
  const signature = key.sign(MESSAGE, fixed)
  const how = { name: 'ECDSA', hash: 'SHA-256' }
  expect(await subtle.verify(how, ecdsa.publicKey, signature, bytesOf(MESSAGE))).toBe(true)
  const theirs = new Uint8Array(await subtle.sign(how, ecdsa.privateKey, bytesOf(MESSAGE)))
  ;(await importPublicKey(ecdsa.publicKey)).verify(MESSAGE, theirs, fixed)
  expect(() => importPublicKeySync(ecdsa.publicKey as never)).toThrow(/asynchronous function/)

  const pss = await subtle.generateKey(
    { name: 'RSA-PSS', modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]), hash: 'SHA-256' },
    true,
    ['sign', 'verify'],
  )
  const signed = await (await importPrivateKey(pss.privateKey)).signAsync(MESSAGE)
  expect(await subtle.verify({ name: 'RSA-PSS', saltLength: 32 }, pss.publicKey, signed, bytesOf(MESSAGE))).toBe(true)

  const ecdh = await subtle.generateKey({ name: 'ECDH', namedCurve: 'P-256' }, true, ['deriveBits'])
  await expect(importPrivateKey(ecdh.privateKey)).rejects.toThrow(/not for signatures \(ECDH\)/)
  await expect(importPublicKey(ecdh.publicKey)).rejects.toThrow(code('unsupported_key'))
  const closed = await subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign'])
  await expect(importPrivateKey(closed.privateKey)).rejects.toThrow(/not extractable/)
})

test('what is long is signed and verified elsewhere, and a signal ends that', async () => {
  const data = pattern(1_100_001)
  const reason = new Error('the reason')
  for (const key of keys) {
    const seen: number[] = []
    const signature = await key.signAsync(data, { onProgress: ({ bytes }) => seen.push(bytes) })
    expect(seen.at(-1)).toBe(data.length)
    await key.publicKey.verifyAsync(data, signature)
    if (atOnce.includes(key)) key.publicKey.verify(data, signature)
    await expect(key.signAsync(data, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    await expect(key.publicKey.verifyAsync(data, signature, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    const damaged = data.slice()
    flip(damaged, data.length - 1)
    await expect(key.publicKey.verifyAsync(damaged, signature)).rejects.toThrow(code('invalid_signature'))
  }
  // A caller's changes to its bytes meanwhile have no effect, and bytes that are gone are no message.
  const [key, context, text] = [generateKey('ml-dsa-44'), bytesOf('example.org'), pattern(1_000_000)]
  const signing = key.signAsync(text.slice(), { context })
  context.fill(0)
  key.publicKey.verify(text, await signing, { context: 'example.org' })
  const gone = pattern(1_000_000)
  await expect(key.signAsync(gone, { signal: transferring(gone, 'throwIfAborted') })).rejects.toThrow(TypeError)
  // A destroyed key finishes the signature that it began.
  const destroyed = generateKey('ed25519')
  const [{ publicKey }, begun] = [destroyed, destroyed.signAsync(data)]
  destroyed.destroy()
  publicKey.verify(data, await begun)
})

test('what is no kind, key, form, signature, encoding or option is refused', async () => {
  const key = generateKey('p256-sign')
  const { publicKey } = key
  for (const name of ['', 'ED25519', 'rsa', 'rsa-sign', 'constructor', '__proto__', 'x25519']) {
    expect(() => generateKey(name as never), name).toThrow(code('unknown_algorithm'))
  }
  for (const name of ['', 'PEM', 'age', 'constructor']) {
    expect(() => exportPrivateKey(key, name as never)).toThrow(code('unknown_algorithm'))
    expect(() => exportPublicKey(publicKey, name as never)).toThrow(code('unknown_algorithm'))
    expect(() => key.sign('', { hash: name as never })).toThrow(code('unknown_algorithm'))
    expect(() => key.sign('', { encoding: name as never })).toThrow(code('unknown_algorithm'))
    expect(() => key.sign('', { scheme: name as never })).toThrow(code('unknown_algorithm'))
    await expect(importPrivateKey(new Uint8Array(32), { kind: name as never })).rejects.toThrow(
      code('unknown_algorithm'),
    )
  }
  for (const wrong of [null, 5, {}, [], new String('ed25519'), Symbol('x')] as never[]) {
    expect(() => generateKey(wrong)).toThrow(TypeError)
    expect(() => key.sign(wrong)).toThrow(TypeError)
    expect(() => publicKey.verify('', wrong)).toThrow(TypeError)
    expect(() => publicKey.verifyText('', wrong)).toThrow(TypeError)
    expect(() => exportPrivateKey(wrong)).toThrow(TypeError)
    expect(() => exportPublicKey(wrong)).toThrow(TypeError)
    await expect(importPrivateKey(wrong)).rejects.toThrow(TypeError)
    await expect(importPublicKey(wrong)).rejects.toThrow(TypeError)
    expect(() => key.sign('', { hash: wrong })).toThrow(TypeError)
  }
  expect(() => exportPrivateKey(publicKey as never)).toThrow(/expected a PrivateKey of sealstone\/sign/)
  expect(() => exportPublicKey(key as never)).toThrow(/expected a PublicKey of sealstone\/sign/)
  expect(() => publicKey.verify('', key.signText('') as never)).toThrow(/the signature is text.*verifyText/)
  expect(() => publicKey.verifyText('', 'zz')).toThrow(code('invalid_encoding'))
  expect(() => key.sign('', { curve: 'x' } as never)).toThrow(/unknown option/)
  expect(() => key.sign('\ud800')).toThrow(/lone surrogate/)
  await expect(importPrivateKey('ab'.repeat(32), { kind: 'ed25519' })).rejects.toThrow(/text names its kind itself/)
  // The wrong half.
  await expect(importPrivateKey(exportPublicKey(publicKey))).rejects.toThrow(code('invalid_key'))
  await expect(importPublicKey(exportPrivateKey(key))).rejects.toThrow(code('invalid_key'))
  for (const bits of [null, '2048', 2048.5, -1, {}] as never[]) {
    await expect(generateRsaKey(bits)).rejects.toThrow(TypeError)
  }
  for (const bits of [0, 512, 1024, 2047, 8192]) {
    await expect(generateRsaKey(bits as 2048), `${bits}`).rejects.toThrow(code('invalid_option'))
  }
})

test('keys are opaque, and end with destroy', () => {
  const key = generateKey('ed25519')
  const { publicKey } = key
  expect(key).toBeInstanceOf(PrivateKey)
  expect(publicKey).toBeInstanceOf(PublicKey)
  expect(key).not.toBeInstanceOf(PublicKey)
  expect(key.publicKey).toBe(publicKey)
  expect([String(key), JSON.stringify(key), Object.keys(key)]).toEqual([
    'PrivateKey(ed25519)',
    '"PrivateKey(ed25519)"',
    ['kind'],
  ])
  expect(String(publicKey)).toBe(`PublicKey(ed25519 ${publicKey.fingerprint})`)
  const signature = key.sign(MESSAGE)
  key.destroy()
  key.destroy()
  expect(String(key)).toBe('PrivateKey(destroyed)')
  publicKey.verify(MESSAGE, signature)
  publicKey.destroy()
  for (const use of [
    () => key.sign(MESSAGE),
    () => key.publicKey,
    () => exportPrivateKey(key),
    () => publicKey.verify(MESSAGE, signature),
    () => publicKey.fingerprint,
  ]) {
    expect(use).toThrow(/the key was destroyed/)
  }
  expect(() => new (PrivateKey as unknown as new (held: unknown) => unknown)(7)).toThrow(TypeError)
})

test('a key of RSA is made elsewhere, until a signal ends that', async () => {
  const reason = new Error('the reason')
  const controller = new AbortController()
  const ended = generateRsaKey(4096, { signal: controller.signal })
  // In the same turn, in which no result can come.
  controller.abort(reason)
  await expect(ended).rejects.toBe(reason)
  await expect(generateRsaKey(2048, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
  const key = await generateRsaKey(2048)
  expect(key.kind).toBe('rsa-sign')
  const signature = await key.signAsync(MESSAGE, { scheme: 'pkcs1', hash: 'sha512' })
  expect(signature).toHaveLength(256)
  await key.publicKey.verifyAsync(MESSAGE, signature, { scheme: 'pkcs1', hash: 'sha512' })
})
