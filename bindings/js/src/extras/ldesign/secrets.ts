// Turns a text into a key, and has the cache of derived keys.

import { decode } from '../../api/encoding.js'
import { hash } from '../../api/hash.js'
import { createKeyCache, type KeyCache } from '../../api/kdf.js'
import { type Bytes, utf8, zero } from '../../basics/bytes.js'

/** Rounds of PBKDF2 for each key from a text. */
export const ITERATIONS = 100_000

const HEX = /^(?:[0-9a-f]{2})+$/i

/** Whether a text is the digits of a key of `bits` bits. Any other text is a password. */
export function isKeyOf(key: string, bits: number): boolean {
  return key.length === bits / 4 && HEX.test(key)
}

/** Whether a text is the hexadecimal digits of `length` bytes. */
export function isHexOf(text: string, length: number): boolean {
  return text.length === 2 * length && HEX.test(text)
}

/**
 * Works with the key of a text, and then zeroes the key. The key is the bytes of the digits, or PBKDF2 of the text with the SHA-256 of the
 * text as salt. The format has no other salt, so a password has the same key everywhere: an attacker can derive a list of passwords once,
 * and try it on every ciphertext.
 */
export function withKey<T>(key: string, bits: number, work: (key: Bytes) => T): T {
  const bytes = isKeyOf(key, bits) ? decode('hex', key) : derived(key, bits)
  try {
    return work(bytes)
  } finally {
    zero(bytes)
  }
}

/** As {@link withKey}, for asynchronous work. It derives on another thread. */
export async function withKeyLater<T>(key: string, bits: number, work: (key: Bytes) => Promise<T>): Promise<T> {
  const bytes = isKeyOf(key, bits) ? decode('hex', key) : await derivedLater(key, bits)
  try {
    return await work(bytes)
  } finally {
    zero(bytes)
  }
}

/** As {@link withKey}, for data of the original's workers: there, digits are a password, too. */
export function withWorkerKey<T>(key: string, bits: number, work: (key: Bytes) => T): T {
  const bytes = derived(key, bits)
  try {
    return work(bytes)
  } finally {
    zero(bytes)
  }
}

function derived(key: string, bits: number): Bytes {
  return ofPassword(key, (password) => cache().pbkdf2Sync('sha256', password, ...asked(password, bits)))
}

function derivedLater(key: string, bits: number): Promise<Bytes> {
  const password = utf8(key, 'the key')
  return cache()
    .pbkdf2('sha256', password, ...asked(password, bits))
    .finally(() => zero(password))
}

function ofPassword(key: string, derive: (password: Bytes) => Bytes): Bytes {
  const password = utf8(key, 'the key')
  try {
    return derive(password)
  } finally {
    zero(password)
  }
}

function asked(password: Bytes, bits: number): [salt: Bytes, options: { iterations: number; length: number }] {
  return [hash('sha256', password), { iterations: ITERATIONS, length: bits / 8 }]
}

let keys: KeyCache | undefined

/** The cache, made with the first derived key: nothing runs at import. */
function cache(): KeyCache {
  keys ??= createKeyCache()
  return keys
}

/** Forgets all derived keys. */
export function forgetDerived(): void {
  keys?.clear()
}
