// Ciphers of key texts, with their schedules: at most a hundred, each for five minutes.

import { type Cipher, cipher } from '../../hazmat.js'
import { type MacKey, mac } from '../../mac.js'
import { randomBytes } from '../../random.js'
import type { AESKeySize, AESMode } from './results.js'
import { forgetDerived, withKey } from './secrets.js'

/** How many there are at the most. */
export const CACHED_MAX = 100
const LIFETIME_MS = 300_000

interface Kept {
  readonly cipher: Cipher
  /** When it is too old. */
  readonly end: number
}

/** By a keyed hash of what they are of, the oldest first: nobody finds a key text here. */
const kept = /* @__PURE__ */ new Map<string, Kept>()
let names: MacKey | undefined
let timer: ReturnType<typeof setTimeout> | undefined
let [hits, misses] = [0, 0]

/** The cipher of a key text. Whoever has it uses it at once, and does not keep it. */
export function cipherOf(key: string, bits: AESKeySize, mode: Exclude<AESMode, 'GCM'>): Cipher {
  names ??= mac('blake3-keyed', randomBytes(32))
  const name = names.signText(`${mode} ${bits} ${key}`)
  const found = kept.get(name)
  if (found !== undefined && found.end > performance.now()) {
    hits++
    return found.cipher
  }
  misses++
  forget(name)
  const algorithm = `aes-${bits}-${mode.toLowerCase() as Lowercase<typeof mode>}` as const
  const made = withKey(key, bits, (bytes) => cipher(algorithm, bytes))
  const [oldest] = kept.keys()
  if (kept.size >= CACHED_MAX && oldest !== undefined) forget(oldest)
  kept.set(name, { cipher: made, end: performance.now() + LIFETIME_MS })
  watch()
  return made
}

/** Forgets all ciphers and derived keys. */
export function forgetKeys(): void {
  for (const name of [...kept.keys()]) forget(name)
  forgetDerived()
}

export function cachedKeys(): { size: number; hits: number; misses: number } {
  return { size: kept.size, hits, misses }
}

function forget(name: string): void {
  kept.get(name)?.cipher.destroy()
  kept.delete(name)
}

/** Has a timer for the oldest, which keeps no process alive, and none where there is none. */
function watch(): void {
  const [oldest] = kept.values()
  if (timer !== undefined || oldest === undefined) return
  const wait = Math.max(oldest.end - performance.now(), 1)
  timer = setTimeout(() => {
    timer = undefined
    const now = performance.now()
    for (const [name, { end }] of [...kept]) if (end <= now) forget(name)
    watch()
  }, wait)
  // In browsers it is a number.
  const { unref } = timer as { unref?(): void }
  unref?.call(timer)
}
