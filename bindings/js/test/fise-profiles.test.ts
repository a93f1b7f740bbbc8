// Profiles of sealstone/fise: the vectors of spec/fise-frames.md, which the reference in Python made and the crate reads too.

import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { mixed } from '../src/extras/fise/cipher.js'
import {
  type FiseAssurance,
  FiseError,
  FiseProfile,
  type FiseProfileData,
  validateProfile,
} from '../src/extras/fise/index.js'
import { completed } from '../src/extras/fise/profile.js'
import { ProfileLayout } from '../src/extras/fise/profile-layout.js'
import { randomText } from '../src/extras/fise/salt.js'

/** The cases of a file of vectors. */
function cases<T>(name: string): (T & { name: string; error?: string })[] {
  const found = JSON.parse(readFileSync(new URL(`../../../vectors/fise/${name}.json`, import.meta.url), 'utf8'))
  expect(found.length).toBeGreaterThan(25)
  return found
}

/** The result, or the code of the error. */
function outcome<R>(run: () => R): R | string {
  try {
    return run()
  } catch (error) {
    if (error instanceof FiseError) return error.code
    throw error
  }
}

const latin1 = (text: string) => Buffer.from(text, 'latin1')

test('profiles are read and refused as the vectors say', () => {
  for (const { name, profile, complete, error } of cases<{ profile: FiseProfileData; complete?: unknown }>(
    'profiles',
  )) {
    const text = JSON.stringify(profile)
    expect(
      outcome(() => FiseProfile.parse(text).toJSON()),
      name,
    ).toEqual(complete ?? error)
    expect(
      outcome(() => FiseProfile.parse(profile).toJSON()),
      name,
    ).toEqual(complete ?? error)
  }
  expect(outcome(() => FiseProfile.parse(''))).toBe('fise_rules')
  expect(outcome(() => FiseProfile.parse('{"fise": 1'))).toBe('fise_rules')
})

test('a seed has the profile of the vectors', () => {
  for (const { name, seed, profile } of cases<{ seed: string; profile: unknown }>('random')) {
    expect(FiseProfile.random(seed).toJSON(), name).toEqual(profile)
  }
})

describe('envelopes', () => {
  interface Envelope {
    form: 'text' | 'bytes'
    profile: FiseProfileData
    timestamp: number
    plaintext?: string
    envelope: string
    salt?: string
    decoys: string
  }

  test('are opened and made as the vectors say', () => {
    for (const { name, form, profile: data, timestamp, plaintext, envelope, salt, decoys, error } of cases<Envelope>(
      'envelopes',
    )) {
      const profile = FiseProfile.parse(data)
      const isText = form === 'text'
      const opened = outcome(() =>
        isText
          ? profile.decodeText(envelope, { timestamp })
          : Buffer.from(profile.decode(Buffer.from(envelope, 'hex'), { timestamp })).toString('hex'),
      )
      expect(opened, name).toBe(plaintext ?? error)
      if (salt === undefined || plaintext === undefined) continue
      const bytes = Buffer.from(plaintext, 'hex')
      const ciphertext = isText
        ? latin1(mixed(plaintext, salt).join(''))
        : bytes.map((byte, at) => byte ^ salt.charCodeAt(at % salt.length))
      const layout = new ProfileLayout(completed(data))
      const draw = () => Buffer.from(decoys, isText ? 'latin1' : 'hex')
      const made = layout.envelope(ciphertext, latin1(salt), timestamp, draw, 3)?.subarray(3)
      expect(made && Buffer.from(made).toString(isText ? 'latin1' : 'hex'), name).toBe(envelope)
    }
  })

  test('hide and give back texts and bytes of every length, with profiles of seeds', () => {
    for (let i = 0; i < 200; i++) {
      const profile = FiseProfile.random(`round ${i}`)
      const options = { timestamp: (i % 7) * 1_234_567_890_123 - 5 }
      const text = ['{"id":1}', 'naïve é ü', '世界你好', '😀🛒ab'][i % 4]?.repeat(i % 90) ?? ''
      const envelope = profile.encodeText(text, options)
      expect(envelope).toMatch(/^[ -~]*$/)
      expect(profile.decodeText(envelope, options)).toBe(text)
      const data = Uint8Array.from({ length: i * 3 }, (_, at) => at * i)
      expect(Buffer.from(data).equals(profile.decode(profile.encode(data, options), options))).toBe(true)
    }
  })

  test('have as many decoys as a profile says, beyond what one call of the generator gives', () => {
    const profile = FiseProfile.parse({ fise: 1, decoys: { head: 65_535, tail: 65_535, every: 1 } })
    const data = new Uint8Array(70_000).fill(7)
    expect(Buffer.from(data).equals(profile.decode(profile.encode(data)))).toBe(true)
    expect(profile.decodeText(profile.encodeText('x'))).toBe('x')
  })

  test('need a timestamp that is an integer, and text for text', () => {
    const profile = FiseProfile.parse({ fise: 1 })
    for (const timestamp of [0.5, 2 ** 53, -(2 ** 53), Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(outcome(() => profile.encode(Uint8Array.of(1), { timestamp }))).toBe('fise_rules')
      expect(outcome(() => profile.decodeText('x', { timestamp }))).toBe('fise_rules')
    }
    expect(() => profile.encode('text' as never)).toThrow(TypeError)
    expect(() => profile.encodeText(Uint8Array.of(1) as never)).toThrow(TypeError)
    expect(() => profile.encodeText('\ud800')).toThrow(TypeError)
    expect(() => profile.encode(Uint8Array.of(1), { time: 1 } as never)).toThrow(TypeError)
    const bytes = FiseProfile.parse({ fise: 1, marker: { kind: 'uint16' } })
    expect(outcome(() => bytes.encodeText('x'))).toBe('fise_rules')
    expect(outcome(() => bytes.decodeText('x'))).toBe('fise_rules')
  })
})

test('characters of an alphabet are drawn about equally often', () => {
  const alphabet = 'abcdefghijk'
  const counts = new Map<string, number>()
  const text = randomText(alphabet, 110_000)
  expect(text.length).toBe(110_000)
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1)
  // Of 10,000 each; the standard deviation is under 100.
  for (const char of alphabet) expect(Math.abs((counts.get(char) ?? 0) - 10_000)).toBeLessThan(1000)
})

describe('validateProfile', () => {
  const [tested, lone] = ['cases 5000', 'none']
  const found = (profile: FiseProfileData) => {
    const { ok, bytes, text } = validateProfile(FiseProfile.parse(profile), { cases: 5000 })
    expect(ok).toBe(true)
    return [bytes, text].map((one) => {
      if (one?.by === 'cases') return `cases ${one.cases}`
      return one?.by === 'exhaustion' ? `proved ${one.lengths} ${one.timestamps}` : lone
    })
  }

  // As the crate has it (crates/core/src/interop/fise/validation.rs).
  test.each<[FiseProfileData, string, string]>([
    [{ fise: 1 }, 'proved 104 21', tested],
    [{ fise: 1, marker: { kind: 'uint16' } }, 'proved 104 21', lone],
    [
      { fise: 1, offset: { kind: 'fraction' }, salt: { place: 'head' }, marker: { kind: 'uint16' } },
      'proved 382 1',
      lone,
    ],
    [{ fise: 1, offset: { kind: 'modulo' }, marker: { kind: 'uint16' }, decoys: { every: 3 } }, 'proved 106 1', lone],
    [{ fise: 1, offset: { kind: 'xor' }, marker: { kind: 'uint16' } }, tested, lone],
    // One salt has one reading.
    [{ fise: 1, salt: { min: 9, max: 9 } }, 'proved 15 21', 'proved 18 21'],
  ])('proves where it can, and tests the rest: %j', (profile, bytes, text) => {
    expect(found(profile)).toEqual([bytes, text])
  })

  test('finds a text that has no envelope', () => {
    const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
    const profile = FiseProfile.parse({
      fise: 1,
      offset: { salt_multiplier: 3 },
      marker: { alphabet, width: 1 },
      salt: { min: 1, max: 50, alphabet: 'aB' },
    })
    const { ok, text } = validateProfile(profile)
    expect([ok, text?.by]).toEqual([false, 'failure'])
    const { plaintext, timestamp } = text as Extract<FiseAssurance, { by: 'failure' }>
    expect(() => profile.encodeText(plaintext, { timestamp })).toThrow(FiseError)
  })

  test('needs a profile, and tries 100,000 cases unless told another number', () => {
    expect(() => validateProfile({ fise: 2 } as never)).toThrow(FiseError)
    const profile: FiseProfileData = { fise: 1, offset: { kind: 'xor' }, marker: { kind: 'uint16' } }
    expect(validateProfile(JSON.stringify(profile)).bytes).toEqual({ by: 'cases', cases: 100_000 })
    expect(() => validateProfile({ fise: 1 }, { cases: 0 })).toThrow(TypeError)
  })
})
